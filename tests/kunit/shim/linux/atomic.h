/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tests/kunit/shim: barriers, and a number that several threads change.
 */
#ifndef SHIM_LINUX_ATOMIC_H
#define SHIM_LINUX_ATOMIC_H

#include <linux/compiler.h>

/* The barriers of whoever uses them. */
#define smp_store_release(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define smp_load_acquire(p) __atomic_load_n((p), __ATOMIC_ACQUIRE)

#ifdef __SANITIZE_THREAD__
#define smp_acquire__after_ctrl_dep() \
	((void)__atomic_load_n(shim_last_read, __ATOMIC_ACQUIRE))
/* TSan knows no fences. */
#define smp_wmb() __asm__ volatile("" ::: "memory")
#else
#define smp_wmb() __atomic_thread_fence(__ATOMIC_RELEASE)
#define smp_acquire__after_ctrl_dep() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#endif

typedef struct {
	int counter;
} atomic_t;

#define atomic_read(v) __atomic_load_n(&(v)->counter, __ATOMIC_RELAXED)
#define atomic_set(v, i) __atomic_store_n(&(v)->counter, (i), __ATOMIC_RELAXED)
#define atomic_set_release(v, i) __atomic_store_n(&(v)->counter, (i), __ATOMIC_RELEASE)
#define atomic_add(i, v) ((void)__atomic_fetch_add(&(v)->counter, (i), __ATOMIC_RELAXED))
#define atomic_inc(v) atomic_add(1, (v))
#define atomic_xchg_acquire(v, i) \
	__atomic_exchange_n(&(v)->counter, (i), __ATOMIC_ACQUIRE)

#endif /* SHIM_LINUX_ATOMIC_H */
