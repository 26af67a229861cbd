/* SPDX-License-Identifier: GPL-2.0 */
/* include/linux/uaccess.h: access to user memory in NMI, by architecture. */
#ifndef WALLPROF_COMPAT_UACCESS_H
#define WALLPROF_COMPAT_UACCESS_H

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "features.h"

/* Before 5.0. With CONFIG_DEBUG_ATOMIC_SLEEP x86's access_ok() warns of interrupts. */
#if defined(VERIFY_READ) && defined(__range_not_ok)
#define wp_access_ok(from, n)	(!__range_not_ok(from, n, user_addr_max()))
#elif defined(VERIFY_READ)
#define wp_access_ok(from, n)	access_ok(VERIFY_READ, from, n)
#else
#define wp_access_ok(from, n)	access_ok(from, n)
#endif

#ifndef WP_HAS_USER_ACCESS_BEGIN_ARGS
/* As from 5.0 on, when it took over the check of access_ok(). */
static __always_inline bool wp_user_access_begin(const void __user *from, size_t n)
{
	if (!wp_access_ok(from, n))
		return false;
	user_access_begin();
#ifdef barrier_nospec
	barrier_nospec();
#endif
	return true;
}

#undef user_access_begin
#define user_access_begin(from, n)	wp_user_access_begin(from, n)
#endif

/* For handlers that know a fault at a user address from others. */
#ifndef _ASM_EXTABLE_UA			/* 4.20 */
#define _ASM_EXTABLE_UA(from, to)	_ASM_EXTABLE(from, to)
#endif

#ifndef WP_HAS_COPY_STRUCT_FROM_USER
/*
 * Copies a struct of @user_size bytes from a user. What it lacks of @size is zero, what it
 * has beyond that must be zero.
 * Return: 0, -E2BIG or -EFAULT.
 */
static inline int copy_struct_from_user(void *to, size_t size, const void __user *from,
					size_t user_size)
{
	size_t at, nr;
	u8 rest[64];

	for (at = size; at < user_size; at += nr) {
		nr = min(user_size - at, sizeof(rest));
		if (copy_from_user(rest, (const u8 __user *)from + at, nr))
			return -EFAULT;
		if (memchr_inv(rest, 0, nr))
			return -E2BIG;
	}
	memset(to, 0, size);
	return copy_from_user(to, from, min(size, user_size)) ? -EFAULT : 0;
}
#endif

#if defined(WP_HAS_COPY_FROM_USER_NOFAULT)
#elif defined(WP_HAS_PROBE_USER_READ)
/* The same function. It sets the address limit, and checks the address. */
#define copy_from_user_nofault	probe_user_read
#else
/* As these. Context: any; a fault is not handled. */
static inline long copy_from_user_nofault(void *to, const void __user *from, size_t n)
{
	mm_segment_t limit = get_fs();
	unsigned long left = n;

	set_fs(USER_DS);
	if (wp_access_ok(from, n)) {
		pagefault_disable();
		left = __copy_from_user_inatomic(to, from, n);
		pagefault_enable();
	}
	set_fs(limit);
	return left ? -EFAULT : 0;
}
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
