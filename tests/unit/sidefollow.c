// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of sidefollow.c, with rings of our own: two readers of one ring, one of them late;
 * who waits for what; and a ring that is closed.
 */
#include <linux/perf_event.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/perfdata/perfdata.h"
#include "lib/record/sideband.h"
#include "lib/record/sidefollow.h"
#include "lib/record/siderings.h"
#include "tap.h"

#define RING	4096
#define PAGE	4096

struct fork_record {
	struct wp_side_task task;
	struct wp_sample_id id;
};

/* What a reader got. */
struct got {
	unsigned int nr;
	unsigned int losses;
	__u32 last;
	bool in_order;
};

static int take(void *ctx, const struct perf_event_header *rec, __u64 time)
{
	const struct wp_side_task *task = (const void *)rec;
	struct got *got = ctx;

	if (rec->type != PERF_RECORD_FORK) {
		got->losses += rec->type == PERF_RECORD_LOST;
		return 0;
	}
	got->in_order &= task->pid == got->last + 1;
	got->last = task->pid;
	got->nr++;
	return 0;
}

static struct wp_sidering *ring(struct wp_sideband *leader, unsigned int i)
{
	return &leader->ring[i];
}

/* What the kernel does: numbered records. */
static void put(struct wp_sidering *r, unsigned int nr)
{
	static __u32 pid;

	for (; nr; nr--) {
		struct fork_record rec = {
			.task.header = { .type = PERF_RECORD_FORK, .size = sizeof(rec) },
			.task.pid = ++pid, .task.ppid = 1, .task.tid = pid, .task.ptid = 1,
			.id.time = pid, .id.cpu = r->cpu,
		};
		__u64 head = r->page->data_head;
		size_t i;

		for (i = 0; i < sizeof(rec); i++)
			((char *)r->page)[PAGE + (head + i) % RING] = ((char *)&rec)[i];
		__atomic_store_n(&r->page->data_head, head + sizeof(rec), __ATOMIC_RELEASE);
	}
}

static struct wp_sideband *new_leader(void)
{
	const struct wp_sideband_options opt = { .pages = RING / PAGE, .followed = true };
	struct wp_sideband *sb = wp_sideband_new(&opt);
	int cpu;

	if (!sb)
		exit(2);
	sb->data_size = RING;
	sb->ring = calloc(2, sizeof(*sb->ring));
	if (!sb->ring)
		exit(2);
	for (cpu = 0; cpu < 2; cpu++) {
		struct wp_sidering *r = &sb->ring[sb->nr_rings++];

		*r = (struct wp_sidering){ .cpu = cpu, .map_size = PAGE + RING };
		r->fd = eventfd(0, 0);
		r->page = mmap(NULL, r->map_size, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (r->page == MAP_FAILED)
			exit(2);
	}
	return sb;
}

static struct got follow(struct wp_sideband *follower, __u32 after)
{
	struct got got = { .in_order = true, .last = after };

	if (wp_sideband_drain(follower, NULL, false, take, &got))
		exit(2);
	return got;
}

/* What wp_sideband_drain() does, but for CPUs that come and go; by what the sorter got. */
static size_t lead(struct wp_sideband *leader)
{
	size_t before = leader->sorter.nr;
	unsigned int i;

	wp_sidefollow_before_drain(leader, true);
	for (i = 0; i < leader->nr_rings; i++)
		if (wp_siderings_drain(leader, ring(leader, i)))
			exit(2);
	return leader->sorter.nr - before;
}

static bool is_readable(struct wp_sideband *leader)
{
	struct pollfd fd[4];

	return wp_sideband_pollfds(leader, fd, 4) == 1 && fd[0].fd == leader->full_fd &&
	       poll(fd, 1, 0) == 1;
}

int main(void)
{
	const struct wp_sideband_options opt = { .pages = 1, .eager = true };
	const unsigned int quarter = RING / 4 / sizeof(struct fork_record);
	struct wp_sideband *leader = new_leader(), *follower;
	struct pollfd fd[4];
	struct got got;
	__u32 last = 3;

	put(ring(leader, 0), last);
	ok(!wp_sideband_follow(&follower, leader, &opt), "follow");
	got = follow(follower, 0);
	ok(!got.nr && !got.losses, "what was before is not read");

	put(ring(leader, 0), 2);
	put(ring(leader, 1), 1);
	got = follow(follower, last);
	ok(got.nr == 3 && got.in_order && !got.losses, "records of both rings, in order: %u",
	   got.nr);
	ok(!ring(leader, 0)->page->data_tail && lead(leader) == 6 &&
	   ring(leader, 0)->page->data_tail == ring(leader, 0)->page->data_head,
	   "the leader gets all, and only it makes room");
	last = got.last;

	ok(wp_sideband_pollfds(follower, fd, 4) == 2 && fd[0].fd == ring(leader, 0)->fd &&
	   fd[1].fd == ring(leader, 1)->fd, "the follower waits for the events");
	put(ring(leader, 0), quarter - 1);
	got = follow(follower, last);
	ok(got.nr == quarter - 1 && !is_readable(leader), "less than a quarter wakes nobody");
	put(ring(leader, 0), 1);
	got = follow(follower, got.last);
	ok(got.nr == 1 && is_readable(leader), "a quarter wakes the leader");
	ok(lead(leader) == quarter && !is_readable(leader), "until it has drained");
	put(ring(leader, 1), quarter);
	got = follow(follower, got.last);
	ok(got.nr == quarter && is_readable(leader) && lead(leader) == quarter, "and again");

	/* Read by the leader meanwhile, and not written again. */
	put(ring(leader, 0), 2 * quarter - 1);
	ok(lead(leader) == 2 * quarter - 1, "the leader is first");
	got = follow(follower, got.last);
	ok(got.nr == 2 * quarter - 1 && got.in_order && !got.losses,
	   "what the kernel cannot have overwritten is good");
	/* The leader read it, and the kernel may be writing there. */
	put(ring(leader, 0), 2 * quarter + 1);
	lead(leader);
	got = follow(follower, got.last);
	ok(got.losses == 1, "what it may overwrite is lost");
	/* All of it is still the leader's, so the kernel keeps it. */
	put(ring(leader, 0), 3 * quarter);
	last = got.last;
	got = follow(follower, last);
	ok(got.nr == 3 * quarter && got.in_order && !got.losses,
	   "what the leader has not read is good");
	lead(leader);
	put(ring(leader, 0), 3 * quarter);
	lead(leader);
	put(ring(leader, 0), 3 * quarter);
	got = follow(follower, 0);
	ok(!got.nr && got.losses == 1, "what was overwritten is not read");
	put(ring(leader, 1), 1);
	got = follow(follower, 0);
	ok(got.nr == 1 && !got.losses, "and goes on behind it");

	leader->cut = true;
	got = follow(follower, 0);
	ok(got.losses == 1, "a ring that was closed is a loss");
	got = follow(follower, 0);
	ok(!got.losses, "once");

	wp_sideband_close(follower);
	ok(wp_sideband_pollfds(leader, fd, 4) == 2 && fd[0].fd == ring(leader, 0)->fd,
	   "without a follower the leader waits for the events");
	wp_sideband_close(leader);
	return done();
}
