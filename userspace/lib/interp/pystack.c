// SPDX-License-Identifier: GPL-2.0
/*
 * Python functions that a blocked thread executes: its frames in CPython, whose offsets
 * pylayout.c has.
 *
 * Other threads run meanwhile. So nothing counts but what the blocked thread itself holds:
 * its state, its frames, their code objects, and the texts of these, which nobody changes.
 * The way to its state leads through what others change, and is checked at its end.
 *
 * A process can forge all of this. Then its functions have wrong names, and nothing else
 * happens: lengths and loops are bounded.
 *
 * Pure: the caller reads.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/interp/pycode.h"
#include "lib/interp/pystack.h"
#include "lib/interp/pytext.h"

#define MAX_INTERPRETERS	64
#define MAX_THREADS		16384
#define MAX_FRAMES		1024

/* Kinds of frames. */
enum {
	OWNED_BY_GENERATOR = 1,
	OWNED_BY_OBJECT = 2,
	OWNED_BY_NATIVE_STACK = 3,
};

/* Where glibc keeps the number of a thread: in what pthread_self() points to. */
#ifdef __x86_64__
#define GLIBC_TID	720
#else
#define GLIBC_TID	0
#endif

/* Bytes of an instruction. */
#define UNIT	2

/* Members of a frame that decide; not all versions have all of them. */
struct frame {
	__u64 address;
	__u64 code;
	__u64 previous;
	__u64 at;
	__u8 entry;
	__u8 owner;
};

static int add_thread(struct wp_pythreads *threads, __u64 state, __u32 tid)
{
	if (threads->nr == threads->room) {
		size_t room = threads->room ? threads->room * 2 : 64;
		void *more = reallocarray(threads->thread, room, sizeof(*threads->thread));

		if (!more)
			return -ENOMEM;
		threads->thread = more;
		threads->room = room;
	}
	threads->thread[threads->nr++] = (struct wp_pythread){ .state = state, .tid = tid };
	return 0;
}

/* The number of a thread. */
static int read_tid(struct wp_pymemory *m, const struct wp_pylayout *l, __u64 state,
		    __u32 *tid)
{
	__u64 word;
	int err;

	if (l->thread_native != WP_PYLAYOUT_NONE) {
		err = wp_pymemory_word(m, state + l->thread_native, &word);
		*tid = word;
		return err;
	}
	if (!GLIBC_TID)
		return -ENOTSUP;
	err = wp_pymemory_word(m, state + l->thread_id, &word);
	return err ? err : wp_pymemory_read(m, word + GLIBC_TID, tid, sizeof(*tid));
}

static int list_threads(struct wp_pymemory *m, const struct wp_pylayout *l, __u64 interp,
			struct wp_pythreads *threads)
{
	__u64 state;
	__u32 tid;
	int err;

	err = wp_pymemory_word(m, interp + l->interp_threads, &state);
	while (!err && state) {
		if (threads->nr == MAX_THREADS)
			return -EDQUOT;
		/* What a thread that has ended left may not be there any more. */
		err = read_tid(m, l, state, &tid);
		err = err && err != -ENODATA ? err : add_thread(threads, state, err ? 0 : tid);
		if (!err)
			err = wp_pymemory_word(m, state + l->thread_next, &state);
	}
	return err;
}

/**
 * wp_pystack_threads() - list the threads of a process
 * @m: memory of the process
 * @py: the interpreter
 * @threads: set to the threads; what it has is dropped
 *
 * Threads begin and end meanwhile, so the list is a hint.
 *
 * Return: 0 or a negative errno, for wp_pystack_trouble().
 */
int wp_pystack_threads(struct wp_pymemory *m, const struct wp_pyruntime *py,
		       struct wp_pythreads *threads)
{
	unsigned int i;
	__u64 interp;
	int err;

	threads->nr = 0;
	err = wp_pymemory_word(m, py->runtime + py->layout.runtime_head, &interp);
	for (i = 0; i < MAX_INTERPRETERS && !err && interp; i++) {
		err = list_threads(m, &py->layout, interp, threads);
		if (!err)
			err = wp_pymemory_word(m, interp + py->layout.interp_next, &interp);
	}
	return err;
}

/* Whether a state is the thread's: in its interpreter's list, and with its number. */
static int check_thread(struct wp_pymemory *m, const struct wp_pylayout *l, __u64 state,
			__u32 tid)
{
	__u64 interp, prev, back;
	__u32 found;
	int err;

	err = read_tid(m, l, state, &found);
	if (!err)
		err = wp_pymemory_word(m, state + l->thread_interp, &interp);
	if (!err)
		err = wp_pymemory_word(m, state + l->thread_prev, &prev);
	if (!err)
		err = wp_pymemory_word(m, prev ? prev + l->thread_next :
				       interp + l->interp_threads, &back);
	return err ? err : found == tid && back == state ? 0 : -ESRCH;
}

/* The one state of a thread. */
static int find_thread(const struct wp_pythreads *threads, __u32 tid, __u64 *state)
{
	unsigned int found = 0;
	size_t i;

	for (i = 0; i < threads->nr; i++) {
		if (threads->thread[i].tid == tid) {
			*state = threads->thread[i].state;
			found++;
		}
	}
	return found == 1 ? 0 : -ESRCH;
}

/**
 * wp_pystack_thread_of() - find the thread of a state
 * @m: memory of the process
 * @py: the interpreter
 * @threads: from wp_pystack_threads()
 * @state: any address
 * @tid: set to its number, in its own namespace
 *
 * Return: 0 or a negative errno, for wp_pystack_trouble(). -ESRCH: it is not in @threads, or
 * not the state of a thread any more.
 */
int wp_pystack_thread_of(struct wp_pymemory *m, const struct wp_pyruntime *py,
			 const struct wp_pythreads *threads, __u64 state, __u32 *tid)
{
	size_t i;

	for (i = 0; i < threads->nr && threads->thread[i].state != state; i++)
		;
	if (i == threads->nr || !threads->thread[i].tid)
		return -ESRCH;
	*tid = threads->thread[i].tid;
	return check_thread(m, &py->layout, state, *tid);
}

/* The innermost frame; @chain is set to what has it, or 0. */
static int read_top(struct wp_pymemory *m, const struct wp_pylayout *l, __u64 state,
		    __u64 *chain, __u64 *frame)
{
	int err;

	*chain = 0;
	err = wp_pymemory_word(m, state + l->thread_top, frame);
	if (err || l->chain == WP_PYLAYOUT_NONE)
		return err;
	*chain = *frame;
	return wp_pymemory_word(m, *chain + l->chain, frame);
}

static int read_frame(struct wp_pymemory *m, const struct wp_pylayout *l, __u64 address,
		      struct frame *f)
{
	__u32 number;
	int err;

	*f = (struct frame){ .address = address };
	err = wp_pymemory_word(m, address + l->frame_code, &f->code);
	f->code &= ~(__u64)l->code_tag;
	if (!err)
		err = wp_pymemory_word(m, address + l->frame_previous, &f->previous);
	if (!err && l->code_start != WP_PYLAYOUT_NONE) {
		err = wp_pymemory_word(m, address + l->frame_at, &f->at);
	} else if (!err) {
		err = wp_pymemory_read(m, address + l->frame_at, &number, sizeof(number));
		f->at = (__s32)number;
	}
	if (!err && l->frame_owner != WP_PYLAYOUT_NONE)
		err = wp_pymemory_read(m, address + l->frame_owner, &f->owner, 1);
	if (!err && l->frame_entry != WP_PYLAYOUT_NONE)
		err = wp_pymemory_read(m, address + l->frame_entry, &f->entry, 1);
	if (err)
		return err;
	return f->entry <= 1 && f->owner <= (l->runs == WP_PYRUNS_SHIM ? OWNED_BY_NATIVE_STACK :
					     OWNED_BY_OBJECT) ? 0 : -EBADMSG;
}

/* The line, by the table of the code. */
static int read_line(struct wp_pymemory *m, const struct wp_pyruntime *py, __u64 code,
		     __s64 at, __u32 *line)
{
	struct wp_pytable table;
	int err;

	*line = 0;
	err = wp_pycode_table(m, py, code, &table);
	if (!err && table.lines)
		*line = wp_pylines_find(py->layout.lines, table.lines, table.nr, table.first,
					at);
	free(table.lines);
	return err;
}

/*
 * Which instruction a frame executes, in bytes from the first one of its code. @shown is set
 * to whether Python shows the frame: it does not while the frame is still being set up.
 */
static int find_instruction(struct wp_pymemory *m, const struct wp_pylayout *l,
			    const struct frame *f, __s64 *at, bool *shown)
{
	__u32 traceable;
	__u64 units;
	int err;

	*at = f->at;
	*shown = true;
	if (l->code_start == WP_PYLAYOUT_NONE)
		return *at >= -1 && *at < 1 << 30 ? 0 : -EBADMSG;
	err = wp_pymemory_word(m, f->code + WP_PYLAYOUT_SIZE, &units);
	if (!err)
		err = wp_pymemory_read(m, f->code + l->code_traceable, &traceable,
				       sizeof(traceable));
	if (err)
		return err;
	*at = f->at - (f->code + l->code_start);
	*shown = f->owner == OWNED_BY_GENERATOR || *at >= (__s64)traceable * UNIT;
	return units < 1 << 30 && *at >= -UNIT && *at < (__s64)units * UNIT ? 0 : -EBADMSG;
}

static int add_frame(struct wp_pystack *stack, struct wp_pyframe **frame)
{
	if (stack->nr == stack->room) {
		size_t room = stack->room ? stack->room * 2 : 16;
		void *more = reallocarray(stack->frame, room, sizeof(*stack->frame));

		if (!more)
			return -ENOMEM;
		stack->frame = more;
		stack->room = room;
	}
	*frame = &stack->frame[stack->nr++];
	**frame = (struct wp_pyframe){ .run = stack->runs };
	return 0;
}

/* The function of a frame. */
static int read_function(struct wp_pymemory *m, const struct wp_pyruntime *py,
			 const struct frame *f, struct wp_pystack *stack)
{
	const struct wp_pylayout *l = &py->layout;
	__u64 head[2], name, file;
	struct wp_pyframe *frame;
	bool shown;
	__s64 at;
	int err;

	err = wp_pymemory_read(m, f->code, head, sizeof(head));
	if (err)
		return err;
	/* One without references is being freed. */
	if (head[WP_PYLAYOUT_TYPE / sizeof(__u64)] != py->code_type || !head[0])
		return -EBADMSG;
	err = find_instruction(m, l, f, &at, &shown);
	if (err || !shown)
		return err;
	err = wp_pymemory_word(m, f->code + l->code_name, &name);
	if (!err)
		err = wp_pymemory_word(m, f->code + l->code_file, &file);
	if (!err)
		err = add_frame(stack, &frame);
	if (!err)
		err = wp_pytext_read(m, l, py->str_type, name, &frame->function);
	if (!err)
		err = wp_pytext_read(m, l, py->str_type, file, &frame->file);
	return err ? err : read_line(m, py, f->code, at, &frame->line);
}

/* Checks that the chain agrees with the end of a run, and goes on with the next one. */
static int next_chain(struct wp_pymemory *m, const struct wp_pylayout *l, __u64 *chain,
		      const struct frame *f)
{
	__u64 frame;
	int err;

	if (l->chain_previous == WP_PYLAYOUT_NONE)
		return 0;
	err = wp_pymemory_word(m, *chain + l->chain_previous, chain);
	if (!err)
		err = wp_pymemory_word(m, *chain + l->chain, &frame);
	return err ? err : frame == f->previous ? 0 : -EBADMSG;
}

static int read_frames(struct wp_pymemory *m, const struct wp_pyruntime *py, __u64 chain,
		       __u64 address, struct wp_pystack *stack)
{
	const struct wp_pylayout *l = &py->layout;
	unsigned int nr = 0;
	bool ended = true;
	struct frame f;
	int err = 0;

	for (; address && !err; address = f.previous) {
		if (nr++ == MAX_FRAMES)
			return -E2BIG;
		err = read_frame(m, l, address, &f);
		if (err)
			return err;
		if (l->runs == WP_PYRUNS_SHIM)
			ended = f.owner == OWNED_BY_NATIVE_STACK;
		else
			ended = l->runs == WP_PYRUNS_EACH || f.entry;
		if (l->runs != WP_PYRUNS_SHIM || !ended)
			err = read_function(m, py, &f, stack);
		if (!err && ended) {
			stack->runs++;
			err = next_chain(m, l, &chain, &f);
		}
	}
	return err ? err : ended ? 0 : -EBADMSG;
}

/**
 * wp_pystack_read() - read the Python functions of a blocked thread
 * @m: memory of the process, as of the thread's wait
 * @py: the interpreter
 * @threads: from wp_pystack_threads()
 * @tid: the thread, in its own namespace
 * @stack: set to the functions; to be freed even after an error
 *
 * Return: 0 or a negative errno, for wp_pystack_trouble(). -ESRCH: it is not in @threads.
 */
int wp_pystack_read(struct wp_pymemory *m, const struct wp_pyruntime *py,
		    const struct wp_pythreads *threads, __u32 tid, struct wp_pystack *stack)
{
	__u64 state = 0, chain, frame, chain2, frame2;
	int err;

	*stack = (struct wp_pystack){ 0 };
	err = find_thread(threads, tid, &state);
	if (err)
		return err;
	wp_pymemory_forget(m);
	err = check_thread(m, &py->layout, state, tid);
	if (!err)
		err = read_top(m, &py->layout, state, &chain, &frame);
	if (!err)
		err = read_frames(m, py, chain, frame, stack);
	if (err)
		return err;
	/* All of it belonged to the thread if its state still does. */
	wp_pymemory_forget(m);
	err = check_thread(m, &py->layout, state, tid);
	if (!err)
		err = read_top(m, &py->layout, state, &chain2, &frame2);
	return err ? err : chain == chain2 && frame == frame2 ? 0 : -EBADMSG;
}

/**
 * wp_pystack_trouble() - why a stack was not read
 * @err: from wp_pystack_read() and the like, or what the caller's function returned
 *
 * Return: the reason.
 */
enum wp_pytrouble wp_pystack_trouble(int err)
{
	switch (err) {
	case 0:
		return WP_PYTROUBLE_NONE;
	case -ENOTSUP:
		return WP_PYTROUBLE_VERSION;
	case -EPERM:
		return WP_PYTROUBLE_DENIED;
	case -ESTALE:
		return WP_PYTROUBLE_RAN;
	case -ENODATA:
		return WP_PYTROUBLE_ABSENT;
	case -ESRCH:
		return WP_PYTROUBLE_THREAD;
	case -E2BIG:
		return WP_PYTROUBLE_DEEP;
	case -EDQUOT:
		return WP_PYTROUBLE_LIMIT;
	default:
		return WP_PYTROUBLE_BAD;
	}
}

/**
 * wp_pystack_trouble_text() - name of a reason
 * @trouble: the reason
 *
 * Return: the name.
 */
const char *wp_pystack_trouble_text(enum wp_pytrouble trouble)
{
	static const char *const text[WP_PYTROUBLE_MAX] = {
		[WP_PYTROUBLE_NONE] = "read",
		[WP_PYTROUBLE_VERSION] = "unknown version",
		[WP_PYTROUBLE_DENIED] = "not permitted",
		[WP_PYTROUBLE_RAN] = "ran meanwhile",
		[WP_PYTROUBLE_ABSENT] = "memory not present",
		[WP_PYTROUBLE_THREAD] = "unknown thread",
		[WP_PYTROUBLE_BAD] = "bad frames",
		[WP_PYTROUBLE_DEEP] = "too deep",
		[WP_PYTROUBLE_LIMIT] = "too much to read",
		[WP_PYTROUBLE_NATIVE] = "native stack differs",
	};

	return text[trouble];
}

/**
 * wp_pystack_compare() - compare stacks
 * @a: one, or NULL
 * @b: the other, or NULL
 *
 * Return: < 0, 0 or > 0, as memcmp().
 */
int wp_pystack_compare(const struct wp_pystack *a, const struct wp_pystack *b)
{
	int ret = 0;
	size_t i;

	if (!a || !b)
		return !!a - !!b;
	if (a->nr != b->nr)
		return a->nr < b->nr ? -1 : 1;
	if (a->runs != b->runs)
		return a->runs < b->runs ? -1 : 1;
	for (i = 0; i < a->nr && !ret; i++) {
		const struct wp_pyframe *f = &a->frame[i], *g = &b->frame[i];

		ret = strcmp(f->function, g->function);
		ret = ret ? ret : strcmp(f->file, g->file);
		ret = ret ? ret : (f->line > g->line) - (f->line < g->line);
		ret = ret ? ret : (f->run > g->run) - (f->run < g->run);
	}
	return ret;
}

/**
 * wp_pystack_free() - free a stack
 * @stack: it
 */
void wp_pystack_free(struct wp_pystack *stack)
{
	while (stack->nr) {
		free(stack->frame[--stack->nr].function);
		free(stack->frame[stack->nr].file);
	}
	free(stack->frame);
	*stack = (struct wp_pystack){ 0 };
}
