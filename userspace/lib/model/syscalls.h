/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The names of system calls, and what they are about. See syscalls.c.
 */
#ifndef WP_LIB_MODEL_SYSCALLS_H
#define WP_LIB_MODEL_SYSCALLS_H

#include <stdbool.h>
#include <stddef.h>

/**
 * enum wp_syscall_arg - what the first argument of a system call is
 * @WP_ARG_OTHER: nothing of the following
 * @WP_ARG_FD: the number of the open file that the call is about
 * @WP_ARG_FUTEX: the address of a futex
 */
enum wp_syscall_arg {
	WP_ARG_OTHER,
	WP_ARG_FD,
	WP_ARG_FUTEX,
};

enum wp_syscall_arg wp_syscall_arg(unsigned int nr, bool compat);
bool wp_syscall_idle(unsigned int nr, bool compat);
bool wp_syscall_idle_name(const char *name);
bool wp_syscall_is(const char *name);
const char *wp_syscall_name(unsigned int nr, bool compat, char *buf, size_t size);
const char *wp_syscall_name_on(const char *arch, unsigned int nr, bool compat, char *buf,
			       size_t size);

#endif /* WP_LIB_MODEL_SYSCALLS_H */
