// SPDX-License-Identifier: GPL-2.0
/*
 * The global interpreter lock of CPython: which threads wait for it, and who holds it.
 *
 * A thread waits in pthread_cond_timedwait(), so its futex is a word of the GIL's condition.
 * That is no ordinary mutex of pthreads: whoever holds it is in a variable of the GIL. The
 * GIL's mutex is held while its members change, so they count only while that is free, and
 * only if a second copy has the same: each copy may be of several moments.
 *
 * Other threads run meanwhile: the caller finds out whether the holder did.
 *
 * Pure: the caller reads.
 */
#include <errno.h>
#include <string.h>

#include "lib/interp/pygil.h"

/* Copies of the GIL that are compared, at most. */
#define TRIES	8

/* Members of a GIL that decide. */
struct gil {
	__u64 holder;
	__u32 locked;
	__u32 mutex;
};

static void add(struct wp_pygils *gils, __u64 address)
{
	unsigned int i;

	for (i = 0; i < gils->nr; i++) {
		if (gils->address[i] == address)
			return;
	}
	if (address && gils->nr < WP_PYGILS_MAX)
		gils->address[gils->nr++] = address;
}

/**
 * wp_pygil_list() - list the GILs of a process
 * @m: memory of the process
 * @py: the interpreter
 * @gils: set to the GILs: none, if it is unknown where this version has them
 *
 * Return: 0 or a negative errno, for wp_pystack_trouble().
 */
int wp_pygil_list(struct wp_pymemory *m, const struct wp_pyruntime *py, struct wp_pygils *gils)
{
	const struct wp_pylayout *l = &py->layout;
	__u64 interp, gil;
	unsigned int i;
	int err;

	gils->nr = 0;
	if (l->gil == WP_PYLAYOUT_NONE)
		return 0;
	if (l->gil_global) {
		add(gils, py->runtime + l->gil);
		return 0;
	}
	err = wp_pymemory_word(m, py->runtime + l->runtime_head, &interp);
	for (i = 0; i < WP_PYGILS_MAX && !err && interp; i++) {
		err = wp_pymemory_word(m, interp + l->gil, &gil);
		if (!err)
			err = wp_pymemory_word(m, interp + l->interp_next, &interp);
		if (!err)
			add(gils, gil);
	}
	return err;
}

/**
 * wp_pygil_of() - the GIL that a thread waits for
 * @gils: from wp_pygil_list()
 * @futex: address of the futex in which it waits
 *
 * Return: its address; 0: it is none.
 */
__u64 wp_pygil_of(const struct wp_pygils *gils, __u64 futex)
{
	unsigned int i;

	for (i = 0; i < gils->nr; i++) {
		__u64 at = futex - gils->address[i];

		if (at >= WP_PYLAYOUT_GIL_COND && at < WP_PYLAYOUT_GIL_MUTEX)
			return gils->address[i];
	}
	return 0;
}

static int read_gil(struct wp_pymemory *m, __u64 address, struct gil *gil)
{
	int err;

	wp_pymemory_forget(m);
	err = wp_pymemory_word(m, address + WP_PYLAYOUT_GIL_HOLDER, &gil->holder);
	if (!err)
		err = wp_pymemory_read(m, address + WP_PYLAYOUT_GIL_LOCKED, &gil->locked,
				       sizeof(gil->locked));
	if (!err)
		err = wp_pymemory_read(m, address + WP_PYLAYOUT_GIL_MUTEX, &gil->mutex,
				       sizeof(gil->mutex));
	return err;
}

/**
 * wp_pygil_holder() - find the thread that holds a GIL
 * @m: memory of the process
 * @py: the interpreter
 * @threads: from wp_pystack_threads()
 * @gil: from wp_pygil_of()
 * @tid: set to the thread, in its own namespace; 0: nobody holds the GIL
 *
 * Return: 0 or a negative errno, for wp_pystack_trouble(). -ESRCH: the holder is not in
 * @threads. -EBADMSG: the GIL changes.
 */
int wp_pygil_holder(struct wp_pymemory *m, const struct wp_pyruntime *py,
		    const struct wp_pythreads *threads, __u64 gil, __u32 *tid)
{
	struct gil first, second;
	unsigned int i;
	int err;

	*tid = 0;
	for (i = 0; i < TRIES; i++) {
		err = read_gil(m, gil, &first);
		if (!err && first.locked == 1)
			err = wp_pystack_thread_of(m, py, threads, first.holder, tid);
		if (!err)
			err = read_gil(m, gil, &second);
		if (err)
			return err;
		if (!first.mutex && !second.mutex && first.holder == second.holder &&
		    first.locked == second.locked)
			return first.locked <= 1 ? 0 : -EBADMSG;
		*tid = 0;
	}
	return -EBADMSG;
}
