/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tests/kunit/shim: what the kernel asks of the compiler.
 *
 * READ_ONCE() is a relaxed atomic load and WRITE_ONCE() a relaxed atomic store,
 * so that ThreadSanitizer knows them as what the kernel takes them for.
 */
#ifndef SHIM_LINUX_COMPILER_H
#define SHIM_LINUX_COMPILER_H

#define __aligned(bytes) __attribute__((__aligned__(bytes)))
#define __maybe_unused __attribute__((__unused__))
#undef __always_inline
#define __always_inline inline __attribute__((__always_inline__))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define OPTIMIZER_HIDE_VAR(var) __asm__("" : "=r"(var) : "0"(var))

#ifdef __SANITIZE_THREAD__
/*
 * A fence is nothing to ThreadSanitizer; an acquiring load is. What was read
 * last is remembered, if it is a word, as what is acquired so always is, and
 * smp_acquire__after_ctrl_dep() reads it again.
 */
extern _Thread_local const unsigned long *shim_last_read;
#define READ_ONCE(x) ({							\
	if (sizeof(x) == sizeof(unsigned long))					\
		shim_last_read = (const unsigned long *)&(x);			\
	__atomic_load_n(&(x), __ATOMIC_RELAXED);				\
})
#else
#define READ_ONCE(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)
#endif
#define WRITE_ONCE(x, v) __atomic_store_n(&(x), (v), __ATOMIC_RELAXED)

#endif /* SHIM_LINUX_COMPILER_H */
