// SPDX-License-Identifier: GPL-2.0
/*
 * Describes a CPython to the module: how a thread gets to its frames, what is in a frame, and
 * by which words a code object is known.
 *
 * A thread's state is the value of a key of pthread_setspecific(). glibc keeps the values of
 * the first keys in the thread itself, at the thread pointer. The key is found by looking: the
 * threads that the interpreter has must have their state there.
 *
 * Pure: the caller reads. What a process says of itself is not trusted, and the module checks
 * what it reads.
 */
#include <errno.h>

#include "lib/interp/pyinterp.h"

/* glibc's values of keys, from where pthread_self() points to: struct pthread. */
#define FIRST_KEYS	32
#define KEY_VALUES	0x310
#define KEY_BYTES	16
#define KEY_VALUE	8

/* Threads that have to agree. */
#define MAX_AGREE	64

/* In Python 3.12 and later, the kind of a frame that is none of Python. */
#define OWNED_BY_NATIVE_STACK	3

/* Where str has its hash; names are interned, and have one. */
#define STR_HASH	24

#ifdef __x86_64__
/* The keys whose value is a state of the thread that @self is the number of. */
static int find_keys(struct wp_pymemory *m, const struct wp_pylayout *l,
		     const struct wp_pythreads *threads, __u64 self, __u32 *keys)
{
	__u64 word[FIRST_KEYS * KEY_BYTES / sizeof(__u64)], other;
	unsigned int key;
	size_t i;
	int err;

	*keys = 0;
	err = wp_pymemory_read(m, self + KEY_VALUES, word, sizeof(word));
	for (key = 0; key < FIRST_KEYS && !err; key++) {
		__u64 value = word[(key * KEY_BYTES + KEY_VALUE) / sizeof(__u64)];

		for (i = 0; value && i < threads->nr && !err; i++) {
			if (threads->thread[i].state != value)
				continue;
			err = wp_pymemory_word(m, value + l->thread_id, &other);
			if (!err && other == self)
				*keys |= 1U << key;
		}
	}
	return err;
}
#endif

/**
 * wp_pyinterp_slot() - find where a thread has the address of its state
 * @m: memory of the process
 * @py: the interpreter
 * @threads: its threads
 * @slot: set to the offset from the thread pointer
 *
 * Return: 0; -EAGAIN: the threads do not agree, as one is beginning, or there is none yet;
 * -ENOTSUP: it is not known of this machine; or as wp_pymemory_read().
 */
int wp_pyinterp_slot(struct wp_pymemory *m, const struct wp_pyruntime *py,
		     const struct wp_pythreads *threads, __s32 *slot)
{
#ifdef __x86_64__
	__u32 keys = ~0U, these;
	__u64 self;
	size_t i;
	int err;

	for (i = 0; i < threads->nr && i < MAX_AGREE; i++) {
		err = wp_pymemory_word(m, threads->thread[i].state + py->layout.thread_id,
				       &self);
		if (!err)
			err = find_keys(m, &py->layout, threads, self, &these);
		if (err)
			return err;
		keys &= these;
	}
	if (!threads->nr || !keys || keys & (keys - 1))
		return -EAGAIN;
	*slot = KEY_VALUES + __builtin_ctz(keys) * KEY_BYTES + KEY_VALUE;
	return 0;
#else
	(void)m;
	(void)py;
	(void)threads;
	(void)slot;
	return -ENOTSUP;
#endif
}

static void set_runs(const struct wp_pylayout *l, struct wallprof_interp *interp)
{
	interp->frame_end = WALLPROF_INTERP_NONE;
	switch (l->runs) {
	case WP_PYRUNS_EACH:
		interp->flags |= WALLPROF_INTERP_EACH;
		break;
	case WP_PYRUNS_ENTRY:
		interp->frame_end = l->frame_entry;
		interp->end_mask = 0xff;
		interp->end_value = 1;
		break;
	case WP_PYRUNS_SHIM:
		interp->flags |= WALLPROF_INTERP_SHIM;
		interp->frame_end = l->frame_owner;
		interp->end_mask = 0xff;
		interp->end_value = OWNED_BY_NATIVE_STACK;
		break;
	}
}

/*
 * The name, the file, the first line, and the first lines of the table: another object that
 * is at this address later has other ones.
 */
static void set_words(const struct wp_pylayout *l, struct wallprof_interp *interp)
{
	interp->word[0].at = l->code_name;
	interp->word[0].then = STR_HASH;
	interp->word[1].at = l->code_file;
	interp->word[1].then = WALLPROF_INTERP_NONE;
	interp->word[2].at = l->code_line & ~7;
	interp->word[2].then = WALLPROF_INTERP_NONE;
	interp->word[3].at = l->code_lines;
	interp->word[3].then = WP_PYLAYOUT_BYTES;
}

/**
 * wp_pyinterp_describe() - describe an interpreter
 * @py: the interpreter
 * @range: parts of the function that executes frames
 * @nr: their number, at most WALLPROF_INTERP_RANGES
 * @slot: from wp_pyinterp_slot()
 * @interp: set to the description
 *
 * Return: 0 or -ENOTSUP.
 */
int wp_pyinterp_describe(const struct wp_pyruntime *py, const struct wp_pyrange *range,
			 unsigned int nr, __s32 slot, struct wallprof_interp *interp)
{
	const struct wp_pylayout *l = &py->layout;
	unsigned int i;

	if (!nr || nr > WALLPROF_INTERP_RANGES)
		return -ENOTSUP;
	*interp = (struct wallprof_interp){
		.size = sizeof(*interp),
		.step = { slot, l->thread_top, l->chain },
		.nr_steps = l->chain == WP_PYLAYOUT_NONE ? 2 : 3,
		.code_type = py->code_type,
		.code_type_at = WP_PYLAYOUT_TYPE,
		.frame_previous = l->frame_previous,
		.frame_code = l->frame_code,
		.frame_at = l->frame_at,
		.code_tag = l->code_tag,
	};
	if (interp->nr_steps == 2)
		interp->step[2] = 0;
	for (i = 0; i < nr; i++) {
		interp->range[i].start = range[i].start;
		interp->range[i].end = range[i].end;
	}
	if (l->code_start != WP_PYLAYOUT_NONE) {
		interp->flags |= WALLPROF_INTERP_ADDRESS;
		interp->code_start = l->code_start;
		interp->at_shift = 1;
	}
	set_runs(l, interp);
	set_words(l, interp);
	return 0;
}
