/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tests/kunit/shim: a raw spinlock, which is a mutex here: whoever waits for a thread
 * that does not run should let it run.
 */
#ifndef SHIM_LINUX_SPINLOCK_H
#define SHIM_LINUX_SPINLOCK_H

#include <pthread.h>

typedef pthread_mutex_t raw_spinlock_t;

#define raw_spin_lock_init(lock) ((void)pthread_mutex_init((lock), NULL))
#define raw_spin_lock(lock) ((void)pthread_mutex_lock(lock))
#define raw_spin_unlock(lock) ((void)pthread_mutex_unlock(lock))

#endif /* SHIM_LINUX_SPINLOCK_H */
