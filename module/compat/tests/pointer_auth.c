// SPDX-License-Identifier: GPL-2.0
/* 5.0, for arm64: return addresses of programs may be signed. Others have none of it. */
#include <asm/pointer_auth.h>

unsigned long wp_test(unsigned long ip);
unsigned long wp_test(unsigned long ip)
{
	return ip;
}
