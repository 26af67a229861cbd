/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of system calls, and their first arguments. See syscalls.c.
 */
#ifndef WP_LIB_MODEL_SYSCALLS_H
#define WP_LIB_MODEL_SYSCALLS_H

#include <stdbool.h>
#include <stddef.h>

/**
 * enum wp_syscall_arg - kind of a system call's first argument
 * @WP_ARG_OTHER: none of the following
 * @WP_ARG_FD: number of an open file
 * @WP_ARG_FUTEX: address of a futex
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
