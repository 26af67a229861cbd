/* SPDX-License-Identifier: GPL-2.0 */
/* What include/linux/uaccess.h gives modules in NMI, by architecture. */
#ifndef WALLPROF_COMPAT_UACCESS_H
#define WALLPROF_COMPAT_UACCESS_H

#include <linux/uaccess.h>

/*
 * Reads user memory in any context, NMI included: does not fault, does not
 * sleep. x86 has a function of its own, since an NMI can come while another
 * mm is loaded than current's; the check for that is not for modules.
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

#endif /* WALLPROF_COMPAT_UACCESS_H */
