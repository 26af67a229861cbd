// SPDX-License-Identifier: GPL-2.0
/*
 * Follows how many classes a JVM has unloaded, and loaded if an agent may redefine any, which
 * decides whether names of its methods count: see jvmmethods.c. The numbers are in its memory; of
 * a process that has ended, in the file that it had there.
 */
#include <errno.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/record/jvmprocess.h"
#include "lib/symbols/livejvm.h"
#include "lib/symbols/mapplace.h"

/* See interpcodes.c. */
#define MAX_STALLS	2

/**
 * wp_jvmprocess_given_up() - whether its memory did not come too often
 * @p: the process
 *
 * Return: true if so.
 */
bool wp_jvmprocess_given_up(const struct wp_jvmprocess *p)
{
	return p->stalls == MAX_STALLS;
}

/**
 * wp_jvmprocess_stalled() - whether its memory is not read
 * @p: the process
 * @epoch: the epoch
 *
 * Return: true if it did not come before.
 */
bool wp_jvmprocess_stalled(const struct wp_jvmprocess *p, __u64 epoch)
{
	return wp_jvmprocess_given_up(p) || (p->stalls && p->stalled == epoch);
}

/**
 * wp_jvmprocess_note() - note whether its memory came
 * @p: the process
 * @epoch: the epoch
 * @err: the result of a read
 *
 * Return: @err.
 */
int wp_jvmprocess_note(struct wp_jvmprocess *p, __u64 epoch, int err)
{
	if (err == -ETIMEDOUT) {
		p->stalls++;
		p->stalled = epoch;
	}
	return err;
}

/**
 * wp_jvmprocess_count() - read how many classes were unloaded, and loaded
 * @p: the process
 * @reader: reads its memory
 * @epoch: the epoch
 *
 * Return: 0; -ENOENT: the JVM does not say; -ESRCH: it has ended, or executes another program;
 * or as wp_livejvm_unloads().
 */
int wp_jvmprocess_count(struct wp_jvmprocess *p, struct wp_livejvms *reader, __u64 epoch)
{
	struct wp_jvmcounts counts;
	int err;

	if (wp_jvmprocess_stalled(p, epoch))
		return -ETIMEDOUT;
	if (!p->unloads.at)
		return -ENOENT;
	err = wp_livejvm_unloads(reader, p->pid, &p->unloads, &counts);
	wp_jvmprocess_note(p, epoch, err);
	/* If it is the same program now, it was. */
	if (!err && wp_livejvm_program(p->pid) != p->facts.program)
		err = -ESRCH;
	if (!err)
		wp_jvmunloads_note(&p->unloads, &counts, wp_clock_now());
	return err;
}

/* The same of a process that has ended. Nothing says whether an agent came in the end. */
static int count_last(struct wp_jvmprocess *p)
{
	struct wp_jvmcounts counts = { .may_redefine = p->unloads.may_redefine };
	const __u64 loads_at = p->file_at + p->unloads.loads - p->unloads.at;

	p->over = true;
	if (p->file < 0 ||
	    pread(p->file, &counts.unloads, sizeof(__u64), p->file_at) != sizeof(__u64) ||
	    pread(p->file, &counts.loads, sizeof(__u64), loads_at) != sizeof(__u64))
		return -ESRCH;
	wp_jvmunloads_note(&p->unloads, &counts, wp_clock_now());
	return 0;
}

/* What jvms.c knows of it: it may have read the number earlier. */
static int ask(struct wp_jvmprocess *p, struct wp_jvms *jvms)
{
	struct wp_jvmfacts now;

	if (!wp_jvms_find(jvms, p->pid, &now))
		return p->known ? 0 : -ESRCH;
	if (!p->known) {
		p->facts = now;
		p->unloads = now.unloads;
		p->known = true;
	} else if (p->facts.program != now.program) {
		/* The record of it was lost, or comes later. */
		p->ended = wp_clock_now();
		p->execs = true;
		return -ESRCH;
	} else if (!p->unloads.at) {
		p->unloads = now.unloads;
	} else if (now.unloads.known && now.unloads.nr == p->unloads.nr &&
		   now.unloads.since < p->unloads.since) {
		p->unloads.since = now.unloads.since;
	}
	return 0;
}

static int check(struct wp_jvmprocess *p, struct wp_jvms *jvms, struct wp_livejvms *reader,
		 __u64 epoch)
{
	int err = p->ended ? -ESRCH : ask(p, jvms);

	if (!err)
		err = wp_jvmprocess_count(p, reader, epoch);
	if (err == -ESRCH && (p->ended || !wp_livejvm_program(p->pid)))
		return count_last(p);
	/* What was known when it was counted may be from later than what jvms.c has. */
	return err ? err : ask(p, jvms);
}

/**
 * wp_jvmprocess_check() - look how many classes were unloaded, and loaded, once in the samples of
 * an epoch
 * @p: the process
 * @jvms: the JVMs of processes
 * @reader: reads its memory
 * @epoch: the epoch, which has ended
 * @may_open: its file may be opened
 *
 * Return: 0 or a negative errno, as wp_jvmprocess_count().
 */
int wp_jvmprocess_check(struct wp_jvmprocess *p, struct wp_jvms *jvms,
			struct wp_livejvms *reader, __u64 epoch, bool may_open)
{
	if (p->checked == epoch)
		return p->err;
	p->checked = epoch;
	p->err = check(p, jvms, reader, epoch);
	/* Its memory is gone when it ends. */
	if (!p->err && !p->over && p->file == -1 && may_open) {
		p->file = wp_mapplace_find(p->pid, p->unloads.at, &p->file_at);
		if (p->file < 0)
			p->file = -2;
	}
	return p->err;
}

/**
 * wp_jvmprocess_same() - whether each method is where it was at a time
 * @p: the process, checked in this epoch
 * @time: the time
 *
 * Return: false if a class was unloaded or redefined since, or if that is not known.
 */
bool wp_jvmprocess_same(const struct wp_jvmprocess *p, __u64 time)
{
	return !p->err && p->unloads.since <= time;
}
