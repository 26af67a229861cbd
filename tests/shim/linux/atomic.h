/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tests/shim: the barriers that the pure parts use.
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
#else
#define smp_acquire__after_ctrl_dep() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#endif

#endif /* SHIM_LINUX_ATOMIC_H */
