// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the interpretation of a wait's stack: the program's own function, the system call,
 * and the kind of lock.
 *
 * Pure: no I/O, no clock.
 */
#include <stdio.h>
#include <string.h>

#include "lib/model/syscalls.h"
#include "lib/profile/waitwhere.h"

/* Maximum number of library frames between a lock's function and the kernel. */
#define NEAR	6

static bool starts(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

static bool starts_with_one(const char *s, const char *const *list, size_t nr)
{
	while (nr--) {
		if (starts(s, list[nr]))
			return true;
	}
	return false;
}

#define IN(s, list)	starts_with_one(s, list, sizeof(list) / sizeof(list[0]))

/* Part of a runtime, in which all waits of its programs end. */
static bool is_runtime(const struct wp_function *f)
{
	static const char *const files[] = {
		"libc.so", "libc-", "libc.musl", "ld-", "libpthread", "librt.so", "librt-", "[vdso]",
		"libstdc++", "libc++", "libgcc_s",
	};
	static const char *const names[] = {
		"runtime.", "syscall.", "internal/", "sync.", "std::", "core::", "__",
		"start_thread", "clone3", "_start", "pthread_", "___pthread",
	};

	return f->kernel || IN(f->dso, files) || (f->name && IN(f->name, names));
}

/* A frame without any information. */
static bool is_nowhere(const struct wp_function *f)
{
	return !f->name && f->label[0] == '[' && !strchr(f->label, '+');
}

/**
 * wp_waitwhere() - the function of the program that waits
 * @function: the stack, the innermost first
 * @nr: number of functions
 *
 * This is the innermost function that is neither in the kernel nor in a runtime; if there
 * is none, the innermost of the program, or of the kernel without its scheduler.
 *
 * Return: its index; @nr: there is none.
 */
size_t wp_waitwhere(const struct wp_function *const *function, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		if (!is_runtime(function[i]) && !is_nowhere(function[i]))
			return i;
	}
	for (i = 0; i < nr && function[i]->kernel; i++)
		;
	if (i < nr)
		return i;
	for (i = 0; i < nr && function[i]->sched; i++)
		;
	return i < nr ? i : nr ? 0 : nr;
}

/* The kernel's entry function of a system call. */
static const char *entry(const char *name)
{
	static const char *const before[] = {
		"__x64_sys_", "__ia32_sys_", "__ia32_compat_sys_", "__arm64_sys_",
		"__arm64_compat_sys_", "__se_sys_", "__do_sys_",
	};
	size_t i;

	for (i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		if (starts(name, before[i]))
			return name + strlen(before[i]);
	}
	return NULL;
}

/* The C library's function for a system call, without the affixes of the call's name. */
static void wrapped(const char *name, char call[WP_WAITWHERE_CALL])
{
	static const char *const before[] = { "GI_", "libc_", "internal_", "syscall_" };
	static const char *const behind[] = { "_nocancel", "_time64", "_2" };
	size_t i, len;
	char *at;

	name += strspn(name, "_");
	for (i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		if (starts(name, before[i]))
			name += strlen(before[i]);
		name += strspn(name, "_");
	}
	snprintf(call, WP_WAITWHERE_CALL, "%s", name);
	at = strchr(call, '@');
	if (at)
		*at = 0;
	for (i = 0; i < sizeof(behind) / sizeof(behind[0]); i++) {
		len = strlen(call);
		if (len > strlen(behind[i]) &&
		    !strcmp(call + len - strlen(behind[i]), behind[i]))
			call[len - strlen(behind[i])] = 0;
	}
	if (starts(call, "futex_") || starts(call, "lll_lock_wait") ||
	    starts(call, "lll_timedlock"))
		strcpy(call, "futex");
}

/**
 * wp_waitwhere_call() - the system call of a wait's stack
 * @function: the stack, the innermost first
 * @nr: number of functions
 * @call: set to its name
 *
 * It is derived from the kernel's functions, or from the C library's innermost one.
 *
 * Return: true if it is known.
 */
bool wp_waitwhere_call(const struct wp_function *const *function, size_t nr,
		       char call[WP_WAITWHERE_CALL])
{
	const char *name;
	size_t i;

	for (i = 0; i < nr && function[i]->kernel; i++) {
		name = function[i]->name ? entry(function[i]->name) : NULL;
		if (!name)
			continue;
		snprintf(call, WP_WAITWHERE_CALL, "%s", name);
		return true;
	}
	if (i == nr || !function[i]->name || !is_runtime(function[i]))
		return false;
	wrapped(function[i]->name, call);
	return wp_syscall_is(call);
}

/**
 * wp_waitwhere_kind() - the kind of lock of a futex wait's stack
 * @function: the stack, the innermost first
 * @nr: number of functions
 *
 * Return: "mutex", "condition", …; NULL: unknown.
 */
const char *wp_waitwhere_kind(const struct wp_function *const *function, size_t nr)
{
	static const struct {
		const char *name;
		const char *kind;
	} kinds[] = {
		{ "pthread_mutex_", "mutex" }, { "pthread_cond_", "condition" },
		{ "pthread_rwlock_", "rwlock" }, { "pthread_barrier_", "barrier" },
		{ "pthread_join", "join" }, { "pthread_timedjoin", "join" },
		{ "pthread_clockjoin", "join" }, { "pthread_once", "once" },
		{ "sem_", "semaphore" }, { "new_sem_", "semaphore" },
		{ "runtime.semasleep", "Go scheduler" }, { "sync.(*Mutex)", "mutex" },
		{ "std::condition_variable", "condition" }, { "std::mutex", "mutex" },
	};
	size_t i, k, user = 0;

	for (i = 0; i < nr && user < NEAR; i++) {
		const char *name = function[i]->name;

		if (function[i]->kernel)
			continue;
		user++;
		if (!name)
			continue;
		name += strspn(name, "_");
		for (k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
			if (starts(name, kinds[k].name))
				return kinds[k].kind;
		}
	}
	return NULL;
}
