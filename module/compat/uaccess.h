/* SPDX-License-Identifier: GPL-2.0 */
/* include/linux/uaccess.h: access to user memory in NMI, by architecture. */
#ifndef WALLPROF_COMPAT_UACCESS_H
#define WALLPROF_COMPAT_UACCESS_H

#include <linux/sched.h>
#include <linux/uaccess.h>

#include "features.h"

/* The same function. It sets the address limit, and checks the address. */
#ifndef WP_HAS_COPY_FROM_USER_NOFAULT
#define copy_from_user_nofault	probe_user_read
#endif

/* arm64 before 5.10. Its TASK_SIZE is that of current, which may be a 32-bit thread. */
#ifndef TASK_SIZE_MAX
#define TASK_SIZE_MAX	TASK_SIZE_64
#endif

/*
 * Reads user memory in any context, NMI included: does not fault, does not sleep. x86 has
 * a function of its own, since an NMI can come while another mm than current's is loaded;
 * the check for that is not exported.
 *
 * Return: whether all of it was read.
 */
static inline bool wp_copy_from_user_nmi(void *to, unsigned long from,
					 unsigned long n)
{
#ifdef CONFIG_X86
	return !copy_from_user_nmi(to, (const void __user *)from, n);
#else
	return !copy_from_user_nofault(to, (const void __user *)from, n);
#endif
}

/*
 * Whether the word at a user address has a value, within user_access_begin(); false if it
 * cannot be read. unsafe_get_user() would do, but if the compiler cannot jump out of an
 * assembly that has an output, it reports a fault by a variable, which is tested for each
 * word. This assembly has no output.
 */
static __always_inline bool wp_user_word_is(const u64 __user *addr, u64 word)
{
#ifdef CONFIG_X86_64
	asm goto("1:	cmpq %[at], %[word]\n"
		 "	jne %l[differs]\n"
		 _ASM_EXTABLE_UA(1b, %l[differs])
		 : : [at] "m" (*(const u64 __force *)addr), [word] "r" (word)
		 : "cc" : differs);
	return true;
#else
	u64 value;

	unsafe_get_user(value, addr, differs);
	return value == word;
#endif
differs:
	return false;
}

#endif /* WALLPROF_COMPAT_UACCESS_H */
