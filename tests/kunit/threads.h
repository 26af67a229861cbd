/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Several threads at once: kernel threads in the kernel (threads.c), POSIX ones
 * in userspace (tests/kunit/shim/threads.c).
 */
#ifndef WALLPROF_KUNIT_THREADS_H
#define WALLPROF_KUNIT_THREADS_H

#include <linux/types.h>

#define THREADS_MAX 8

/*
 * Runs @run in @nr threads, which begin together and know themselves by @who, 0
 * to @nr - 1. Returns when all have ended; false if there are no such threads.
 */
bool threads_run(u32 nr, void (*run)(u32 who));

#endif /* WALLPROF_KUNIT_THREADS_H */
