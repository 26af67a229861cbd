// SPDX-License-Identifier: GPL-2.0
/* 5.0, for arm64: return addresses of programs may be signed. x86 has none of it. */
#include <asm/pointer_auth.h>

unsigned long wp_test(unsigned long ip);
unsigned long wp_test(unsigned long ip)
{
#ifdef ptrauth_strip_user_insn_pac	/* 6.5 */
	return ptrauth_strip_user_insn_pac(ip);
#else
	return ptrauth_strip_insn_pac(ip);
#endif
}
