// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of who is to be looked at, by which records, in which order. The publisher
 * is looked into, so its source is part of this one; no process is looked at.
 */
#include "lib/publish.c"

#include "tap.h"

static struct wp_publisher pub = { .started = true };
static __u64 missed;

static __u64 tell_missed(void *ctx)
{
	return missed;
}

static void record(__u32 type, __u32 pid, __u32 ppid, __u64 time)
{
	struct task_record rec = {
		{ .type = type, .size = sizeof(rec) }, pid, ppid, pid, ppid,
	};

	take_record(&pub, &rec.header, time);
}

static void maps(__u32 pid, __u64 time)
{
	record(PERF_RECORD_MMAP2, pid, 0, time);
}

static void forks(__u32 ppid, __u32 pid, __u64 time)
{
	record(PERF_RECORD_FORK, pid, ppid, time);
}

static bool is_dirty(__u32 pid)
{
	return find(&pub, pid) && find(&pub, pid)->dirty;
}

/* As publish() leaves a process. */
static void told(__u32 pid, __u64 time)
{
	struct process *p = find_or_add(&pub, pid);

	p->dirty = false;
	p->told = time;
}

static void everything(__u64 time)
{
	struct process *p;
	unsigned int i;

	for (i = 0; i < NR_BUCKETS; i++) {
		for (p = pub.bucket[i]; p; p = p->next)
			told(p->pid, time);
	}
}

static void children(void)
{
	forks(7, 8, 10);
	ok(is_dirty(8), "a child of one that is not known is looked at");
	told(1, 100);
	forks(1, 2, 90);
	ok(is_dirty(2), "one that was forked before its parent was told of, too");
	forks(1, 3, 200);
	ok(find(&pub, 3) && !is_dirty(3), "others have what their parents had");
	maps(1, 300);
	ok(is_dirty(1) && !is_dirty(3), "not what these map later");
	forks(1, 4, 310);
	ok(is_dirty(4), "a child of one that is to be looked at is looked at");
	everything(400);
}

/* The parent mapped on one CPU and forked on another, whose ring was read first. */
static void out_of_order(void)
{
	forks(1, 5, 500);
	forks(5, 6, 510);
	forks(8, 9, 490);
	ok(!is_dirty(5) && !is_dirty(6) && !is_dirty(9), "children of what was told of");
	maps(1, 495);
	maps(1, 505);
	take_late_maps(&pub);
	ok(is_dirty(1) && is_dirty(5), "it had mapped something before it forked");
	ok(is_dirty(6), "then what its child forked is looked at, too");
	ok(!is_dirty(9), "not what was forked before");
	everything(600);
	maps(1, 495);
	take_late_maps(&pub);
	ok(is_dirty(1) && !is_dirty(5), "nor what has been looked at since");
	everything(600);
}

static void no_room(void)
{
	__u64 now = wp_clock_now(), later = now + 3600ULL * 1000 * NSEC_PER_MSEC;

	told(1, now);
	forks(1, 10, now + 1);
	pub.asked = 0;
	ok(ask_for_missed(&pub) > now && !is_dirty(10), "the module had room for a child");
	ok(pub.asked >= now, "it was asked");
	missed = 1;
	pub.forked = later;
	pub.asked = later;
	ok(ask_for_missed(&pub) == later + ASK_NS && !is_dirty(10), "not all the time");
	pub.forked = now + 1;
	pub.asked = now + 2;
	while (wp_clock_now() < pub.asked + ASK_NS)
		usleep(1000);
	ask_for_missed(&pub);
	ok(is_dirty(10), "the module had no room: the child is looked at");
	forks(1, 11, pub.asked);
	ok(is_dirty(11), "one whose record is read after that, too");
	forks(1, 12, later);
	ok(find(&pub, 12) && !is_dirty(12), "not one that is forked after that");
	pub.forked = now + 1;
	told(10, later);
	missed = 2;
	pub.asked = pub.forked + 2 * ASK_NS;
	ok(ask_for_missed(&pub) == ~0ULL && !is_dirty(10), "without forks it is not asked");
}

int main(void)
{
	unsigned int i;

	pub.opt.missed = tell_missed;
	children();
	out_of_order();
	no_room();
	for (i = 0; i < NR_BUCKETS; i++) {
		while (pub.bucket[i])
			forget(&pub, pub.bucket[i]->pid);
	}
	return done();
}
