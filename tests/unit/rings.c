// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of what the reader takes from the module's rings: all records in their order,
 * whatever their number, and nothing beyond the rings, whatever the heads say.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/device/device.h"
#include "lib/device/rings.h"
#include "tap.h"

#define PAGE	4096
#define CPUS	2
#define NR	8
/* Of a module whose records have grown since. */
#define BYTES	(sizeof(struct wallprof_record) + 16)
#define STRIDE	(PAGE + NR * BYTES)

struct seen {
	__u64 nr;
	__u64 lost;
	__u32 cpu;
	__u64 time;
	bool ordered;
	__u64 stop_at;
	__u64 later_at;
	__u64 stacks;
};

static int see(void *ctx, __u32 cpu, const struct wallprof_record *record,
	       const struct wallprof_record *stacks)
{
	struct seen *s = ctx;

	if (s->later_at && s->nr + 1 == s->later_at)
		return WP_RING_LATER;
	s->nr++;
	if (stacks)
		s->stacks = stacks->user_stack;
	if (record->type == WALLPROF_RECORD_LOST)
		s->lost += record->lost;
	if (cpu == s->cpu && record->time != s->time + 1)
		s->ordered = false;
	s->cpu = cpu;
	s->time = record->time;
	return s->stop_at == s->nr ? -7 : 0;
}

/* Memory of just that size, so that ASan sees what is beyond. */
static struct wp_device fresh(void)
{
	struct wp_device dev = {
		.fd = -1,
		.info = { .nr_cpus = CPUS, .page_size = PAGE },
		.conf = {
			.flags = WALLPROF_TIMELINE, .nr_records = NR, .record_bytes = BYTES,
			.rings_offset = 64, .ring_stride = STRIDE,
		},
	};

	dev.map = calloc(1, 64 + CPUS * STRIDE);
	dev.tails = calloc(CPUS, sizeof(*dev.tails));
	if (!dev.map || !dev.tails)
		exit(2);
	return dev;
}

static void give_back(struct wp_device *dev)
{
	free((void *)dev->map);
	free(dev->tails);
}

static struct wallprof_ring *head_of(struct wp_device *dev, __u32 cpu)
{
	return (struct wallprof_ring *)(dev->map + 64 + cpu * STRIDE);
}

/* Records up to number @nr - 1 have been written. */
static void fill(struct wp_device *dev, __u32 cpu, __u64 nr)
{
	struct wallprof_ring *head = head_of(dev, cpu);
	__u64 i;

	for (i = head->head; i < nr; i++) {
		const struct wallprof_record rec = {
			.type = WALLPROF_RECORD_SWITCH, .time = 1000 * cpu + i + 1,
		};

		memcpy((char *)head + PAGE + i % NR * BYTES, &rec, sizeof(rec));
	}
	head->head = nr;
}

/* Makes a record of what was filled in one of stacks. */
static void make_stacks(struct wp_device *dev, __u32 cpu, __u64 nr, __u64 id)
{
	const struct wallprof_record rec = {
		.type = WALLPROF_RECORD_STACKS, .time = 1000 * cpu + nr, .user_stack = id,
	};

	memcpy((char *)head_of(dev, cpu) + PAGE + nr % NR * BYTES, &rec, sizeof(rec));
}

/* Stacks go with their switch, and one may be left with what is behind it. */
static void with_stacks(struct wp_device *dev)
{
	struct wallprof_ring *head = head_of(dev, 0);
	__u64 at = head->head;
	struct seen s;

	fill(dev, 0, at + 7);
	make_stacks(dev, 0, at + 1, 71);
	make_stacks(dev, 0, at + 4, 72);
	make_stacks(dev, 0, at + 5, 73);	/* of no switch */
	s = (struct seen){ .later_at = 3 };
	ok(!wp_rings_drain(dev, see, &s) && s.nr == 2 && s.stacks == 71 &&
	   dev->tails[0].tail == at + 3, "one with stacks, one without, and the rest is left");
	s = (struct seen){ .later_at = 1 };
	ok(!wp_rings_drain(dev, see, &s) && !s.nr && dev->tails[0].tail == at + 3,
	   "and is left again");
	s = (struct seen){ 0 };
	ok(!wp_rings_drain(dev, see, &s) && s.nr == 2 && s.stacks == 72 &&
	   dev->tails[0].tail == at + 7, "until it is taken; stacks of no switch are passed over");
	fill(dev, 0, at + 8);
	make_stacks(dev, 0, at + 8, 74);	/* behind the head */
	s = (struct seen){ 0 };
	ok(!wp_rings_drain(dev, see, &s) && s.nr == 1 && !s.stacks && dev->tails[0].tail == at + 8,
	   "what is not written yet is not read");
}

static struct seen drain(struct wp_device *dev, __u64 before)
{
	struct seen s = { .ordered = true, .time = before };

	wp_rings_drain(dev, see, &s);
	return s;
}

int main(void)
{
	struct wp_device dev = fresh();
	struct wallprof_ring *head = head_of(&dev, 1);
	struct seen s;
	__u64 total = 0, i;

	s = drain(&dev, 0);
	ok(!s.nr, "nothing in empty rings");
	for (i = 1; i < 40; i++) {
		fill(&dev, 0, 5 * i);
		fill(&dev, 1, 3 * i);
		s = drain(&dev, 5 * (i - 1));
		if (s.nr != 8 || !s.ordered || dev.tails[0].tail != 5 * i)
			break;
		total += s.nr;
	}
	ok(total == 39 * 8, "all records of many rounds, in order (%llu)",
	   (unsigned long long)total);

	fill(&dev, 0, head_of(&dev, 0)->head + NR);
	s = drain(&dev, dev.tails[0].tail);
	ok(s.nr == NR && s.ordered, "a full ring");
	fill(&dev, 0, head_of(&dev, 0)->head + 5 * NR + 3);
	s = drain(&dev, head_of(&dev, 0)->head - NR);
	ok(s.nr == NR && s.ordered, "of a ring that was overwritten the last ones");
	head->head = 1ULL << 63;
	s = drain(&dev, 0);
	ok(s.nr == NR, "a head that cannot be: no more than there is room for (%llu)",
	   (unsigned long long)s.nr);
	head->head = 5;
	s = drain(&dev, 0);
	ok(s.nr == NR && dev.tails[1].tail == 5, "a head that goes back");

	fill(&dev, 0, head_of(&dev, 0)->head + 4);
	s = (struct seen){ .stop_at = 2, .ordered = true };
	ok(wp_rings_drain(&dev, see, &s) == -7 && s.nr == 2, "who takes them may stop");
	s = drain(&dev, 0);
	ok(s.nr == 2, "and goes on behind what it took");

	fill(&dev, 0, head_of(&dev, 0)->head + 1);
	((struct wallprof_record *)((char *)head_of(&dev, 0) + PAGE +
				    (head_of(&dev, 0)->head - 1) % NR * BYTES))->type = 200;
	s = drain(&dev, 0);
	ok(!s.nr, "a type that is not known is passed over");

	with_stacks(&dev);

	s = (struct seen){ .ordered = true };
	ok(!wp_rings_open_gaps(&dev, see, &s) && !s.nr, "no gap is open");
	head->open = 3;
	head->open_since = 4711;
	wp_rings_open_gaps(&dev, see, &s);
	ok(s.nr == 1 && s.lost == 3 && s.time == 4711 && s.cpu == 1,
	   "a gap at the end, and when it began");
	dev.has_possible = true;
	dev.possible.bits[0] = 1;
	s = (struct seen){ .ordered = true };
	ok(!wp_rings_open_gaps(&dev, see, &s) && !s.nr, "no gaps of a CPU that cannot be");
	fill(&dev, 1, head->head + 3);
	s = drain(&dev, 0);
	ok(!s.nr, "nor its records");
	give_back(&dev);
	return done();
}
