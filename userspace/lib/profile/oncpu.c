// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the run time of each thread, and how much of it its samples represent. A sampling
 * clock loses samples when its timer overruns: most of them where a virtual CPU is
 * descheduled. The ledger loses nothing, so samples can be scaled to it. Called by the
 * commands that show or convert stacks.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/err.h"
#include "lib/model/ledgerfile.h"
#include "lib/profile/oncpu.h"

/* Look up or add a thread; NULL: no memory. */
static struct wp_oncpu_thread *thread_of(struct wp_oncpu *o, __s32 pid, __s32 tid)
{
	const __s32 ids[2] = { pid, tid };
	bool is_new;
	__u32 nr = wp_intern(&o->ids, ids, sizeof(ids), &is_new);

	if (!nr)
		return NULL;
	if (nr > o->room) {
		size_t room = o->room ? 2 * o->room : 64;
		void *more = reallocarray(o->thread, room, sizeof(*o->thread));

		if (!more)
			return NULL;
		o->thread = more;
		o->room = room;
	}
	if (is_new)
		o->thread[nr - 1] = (struct wp_oncpu_thread){ .pid = pid, .tid = tid };
	return &o->thread[nr - 1];
}

static int add_totals(void *ctx, const struct wp_totals *a)
{
	struct wp_oncpu_thread *t = thread_of(ctx, a->tgid, a->tid);

	if (!t)
		return -ENOMEM;
	t->run_ns += a->run_ns;
	t->middle = a->born + (a->end - a->born) / 2;
	memcpy(t->comm, a->comm, sizeof(t->comm));
	return 0;
}

/**
 * wp_oncpu_read() - read the run time of each thread
 * @o: filled in; to be freed with wp_oncpu_free(), also after an error
 * @fd: the recording. Without a ledger, with a damaged one, or with samples of some CPUs
 *	only, @o->known is false
 *
 * Return: 0 or -ENOMEM; a message was printed.
 */
int wp_oncpu_read(struct wp_oncpu *o, int fd)
{
	struct wp_ledgerfile_head head;
	__u64 offset;
	int err;

	*o = (struct wp_oncpu){ 0 };
	err = wp_ledgerfile_open(fd, &head, &offset);
	if (err || head.flags & WP_LEDGERFILE_SOME_CPUS)
		return 0;
	err = wp_ledgerfile_read(fd, &head, offset, add_totals, o);
	if (err == -ENOMEM)
		return wp_no_memory("the threads of the recording");
	o->known = !err;
	return 0;
}

/**
 * wp_oncpu_sample() - count a sample
 * @o: the threads
 * @pid: process of the thread
 * @tid: the thread
 * @ns: time that the sample represents
 *
 * Return: 0 or -ENOMEM; a message was printed.
 */
int wp_oncpu_sample(struct wp_oncpu *o, __s32 pid, __s32 tid, __u64 ns)
{
	struct wp_oncpu_thread *t;

	if (!o->known)
		return 0;
	t = thread_of(o, pid, tid);
	if (!t)
		return wp_no_memory("the threads of the recording");
	t->sampled_ns += ns;
	return 0;
}

/* The part of a thread's run time that corresponds to the first @ns of its sampled time. */
static __u64 part(const struct wp_oncpu_thread *t, __u64 ns)
{
	/* The product must not overflow, even if a file's sums do. */
	return ns >= t->sampled_ns ? t->run_ns : (long double)ns * t->run_ns / t->sampled_ns;
}

/**
 * wp_oncpu_scale() - scale the time of a thread's samples
 * @o: the threads, after the last sample
 * @pid: its process
 * @tid: the thread
 * @ns: the time; each sample's once
 *
 * Return: the proportional part of the thread's run time, rounded so that all samples add
 * up to all of it; @ns if the run time is unknown.
 */
__u64 wp_oncpu_scale(struct wp_oncpu *o, __s32 pid, __s32 tid, __u64 ns)
{
	const __s32 ids[2] = { pid, tid };
	__u32 nr = o->known ? wp_intern_find(&o->ids, ids, sizeof(ids)) : 0;
	struct wp_oncpu_thread *t;
	__u64 before;

	if (!nr)
		return ns;
	t = &o->thread[nr - 1];
	if (!t->run_ns || !t->sampled_ns)
		return ns;
	before = part(t, t->scaled_ns);
	if (__builtin_add_overflow(t->scaled_ns, ns, &t->scaled_ns))
		t->scaled_ns = ~0ULL;
	return part(t, t->scaled_ns) - before;
}

/**
 * wp_oncpu_without() - iterate over the threads that ran and have no sample
 * @o: the threads, after the last sample
 * @fn: called for each; a return value other than 0 ends the iteration
 * @ctx: for @fn
 *
 * Return: 0, or what @fn returned.
 */
int wp_oncpu_without(const struct wp_oncpu *o,
		     int (*fn)(void *ctx, const struct wp_oncpu_thread *t), void *ctx)
{
	int err = 0;
	size_t i;

	for (i = 0; i < o->ids.nr && !err && o->known; i++) {
		if (o->thread[i].run_ns && !o->thread[i].sampled_ns)
			err = fn(ctx, &o->thread[i]);
	}
	return err;
}

/**
 * wp_oncpu_free() - free the threads
 * @o: the threads; may be all zero
 */
void wp_oncpu_free(struct wp_oncpu *o)
{
	wp_intern_free(&o->ids);
	free(o->thread);
	*o = (struct wp_oncpu){ 0 };
}
