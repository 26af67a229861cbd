/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Python functions that a blocked thread executes. See pystack.c.
 */
#ifndef WP_LIB_INTERP_PYSTACK_H
#define WP_LIB_INTERP_PYSTACK_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "lib/interp/pylayout.h"
#include "lib/interp/pymemory.h"

/* Function of CPython that executes a run of frames. */
#define WP_PYSTACK_FUNCTION	"_PyEval_EvalFrameDefault"

/**
 * enum wp_pytrouble - why a stack was not read
 * @WP_PYTROUBLE_NONE: it was
 * @WP_PYTROUBLE_VERSION: the interpreter's version or build is unknown
 * @WP_PYTROUBLE_DENIED: the process may not be read
 * @WP_PYTROUBLE_RAN: the thread was not blocked all the time
 * @WP_PYTROUBLE_ABSENT: the memory is not present
 * @WP_PYTROUBLE_THREAD: the interpreter does not have this thread, once
 * @WP_PYTROUBLE_BAD: what was read does not fit together
 * @WP_PYTROUBLE_DEEP: there are too many frames
 * @WP_PYTROUBLE_LIMIT: too much was read
 * @WP_PYTROUBLE_NATIVE: the native stack has another number of runs
 * @WP_PYTROUBLE_MAX: the number of these
 */
enum wp_pytrouble {
	WP_PYTROUBLE_NONE,
	WP_PYTROUBLE_VERSION,
	WP_PYTROUBLE_DENIED,
	WP_PYTROUBLE_RAN,
	WP_PYTROUBLE_ABSENT,
	WP_PYTROUBLE_THREAD,
	WP_PYTROUBLE_BAD,
	WP_PYTROUBLE_DEEP,
	WP_PYTROUBLE_LIMIT,
	WP_PYTROUBLE_NATIVE,
	WP_PYTROUBLE_MAX,
};

/**
 * struct wp_pyframe - a function
 * @function: its name; the qualified one, if the version has that
 * @file: its file, as in co_filename
 * @line: the line that it executes; 0: none
 * @run: number of the run that it is in, the innermost is 0
 */
struct wp_pyframe {
	char *function;
	char *file;
	__u32 line;
	unsigned int run;
};

/**
 * struct wp_pystack - Python functions of a thread; all 0: none
 * @frame: the functions, the innermost first
 * @nr: their number
 * @room: allocated ones
 * @runs: number of runs: a run may have no frame
 */
struct wp_pystack {
	struct wp_pyframe *frame;
	size_t nr;
	size_t room;
	unsigned int runs;
};

/**
 * struct wp_pythread - a thread that an interpreter has
 * @state: address of its state
 * @tid: its number, in its own namespace
 */
struct wp_pythread {
	__u64 state;
	__u32 tid;
};

/**
 * struct wp_pythreads - threads of a process; all 0: none
 * @thread: the threads
 * @nr: their number
 * @room: allocated ones
 */
struct wp_pythreads {
	struct wp_pythread *thread;
	size_t nr;
	size_t room;
};

int wp_pystack_threads(struct wp_pymemory *m, const struct wp_pyruntime *py,
		       struct wp_pythreads *threads);
int wp_pystack_thread_of(struct wp_pymemory *m, const struct wp_pyruntime *py,
			 const struct wp_pythreads *threads, __u64 state, __u32 *tid);
int wp_pystack_read(struct wp_pymemory *m, const struct wp_pyruntime *py,
		    const struct wp_pythreads *threads, __u32 tid, struct wp_pystack *stack);
enum wp_pytrouble wp_pystack_trouble(int err);
const char *wp_pystack_trouble_text(enum wp_pytrouble trouble);
int wp_pystack_compare(const struct wp_pystack *a, const struct wp_pystack *b);
void wp_pystack_free(struct wp_pystack *stack);

#endif /* WP_LIB_INTERP_PYSTACK_H */
