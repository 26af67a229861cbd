// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the walk over rings that are overwritten: all CPUs in order of time, each
 * record once and whole, while another thread writes; and nothing beyond the rings.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "lib/device/device.h"
#include "lib/device/ringwalk.h"
#include "tap.h"

#define PAGE	4096
#define CPUS	3
#define NR	128
/* Of a module whose records have grown since. */
#define BYTES	(sizeof(struct wallprof_record) + 16)
#define STRIDE	(PAGE + NR * BYTES)

/* Memory of just that size, so that ASan sees what is beyond. */
static struct wp_device fresh(void)
{
	struct wp_device dev = {
		.fd = -1,
		.info = { .nr_cpus = CPUS, .page_size = PAGE },
		.conf = {
			.flags = WALLPROF_TIMELINE | WALLPROF_OVERWRITE, .nr_records = NR,
			.record_bytes = BYTES, .rings_offset = 64, .ring_stride = STRIDE,
		},
	};

	dev.map = calloc(1, 64 + CPUS * STRIDE);
	if (!dev.map)
		exit(2);
	return dev;
}

static struct wallprof_ring *head_of(const struct wp_device *dev, __u32 cpu)
{
	return (struct wallprof_ring *)(dev->map + 64 + cpu * STRIDE);
}

/* As the module writes it. All fields follow from the time. */
static void put(const struct wp_device *dev, __u32 cpu, __u64 time)
{
	struct wallprof_ring *head = head_of(dev, cpu);
	struct wallprof_record *to = (void *)((char *)head + PAGE + head->head % NR * BYTES);
	const struct wallprof_record rec = {
		.type = WALLPROF_RECORD_SWITCH, .time = time, .tid = time * 3,
		.tgid = time * 5, .other_tid = time * 7, .other_tgid = time * 11,
	};

	__atomic_thread_fence(__ATOMIC_RELEASE);
	memcpy(to, &rec, sizeof(rec));
	__atomic_store_n(&head->head, head->head + 1, __ATOMIC_RELEASE);
}

struct seen {
	__u64 nr;
	__u64 first;
	__u64 last;
	__u64 last_of[CPUS];
	__u64 twice;
	__u64 torn;
	__u64 unordered;
	__u64 stop_at;
};

static int see(void *ctx, __u32 cpu, const struct wallprof_record *r)
{
	struct seen *s = ctx;

	s->torn += r->tid != (__u32)(r->time * 3) || r->tgid != (__u32)(r->time * 5) ||
		   r->other_tid != (__u32)(r->time * 7) ||
		   r->other_tgid != (__u32)(r->time * 11);
	s->unordered += r->time < s->last;
	s->twice += r->time <= s->last_of[cpu];
	s->last_of[cpu] = r->time;
	if (!s->nr++)
		s->first = r->time;
	s->last = r->time;
	return s->nr == s->stop_at ? -7 : 0;
}

static bool is_good(const struct seen *s)
{
	return !s->torn && !s->unordered && !s->twice;
}

static void live(void)
{
	struct wp_device dev = fresh();
	struct wp_ringwalk w;
	struct seen s = { 0 };
	__u64 t, upto = 0;
	int i;

	for (t = 1; t < 10; t++)
		put(&dev, t % CPUS, t);
	ok(!wp_ringwalk_open(&w, &dev), "a walk");
	wp_ringwalk_refresh(&w);
	wp_ringwalk_run(&w, ~0ULL, see, &s);
	ok(!s.nr, "what was there before is not in it");
	for (; t < 5000; t++) {
		put(&dev, t * t % 7 % CPUS, t);
		if (t % 50)
			continue;
		upto = t - 20;
		wp_ringwalk_refresh(&w);
		wp_ringwalk_run(&w, upto, see, &s);
		if (s.last != upto)
			break;
	}
	wp_ringwalk_run(&w, ~0ULL, see, &s);
	wp_ringwalk_refresh(&w);
	wp_ringwalk_run(&w, ~0ULL, see, &s);
	ok(s.nr == 4990 && s.first == 10 && is_good(&s) && !w.missed,
	   "all records of all CPUs in order of time, so far as they are asked for (%llu)",
	   (unsigned long long)s.nr);
	for (; t < 5000 + NR + 50; t++)
		put(&dev, 1, t);
	s = (struct seen){ .stop_at = 3 };
	wp_ringwalk_refresh(&w);
	ok(w.burst == NR + 50 && wp_ringwalk_run(&w, ~0ULL, see, &s) == -7 && s.nr == 3 &&
	   s.first == 5051 && w.missed == 51, "behind what was overwritten (%llu missed)",
	   (unsigned long long)w.missed);
	s.stop_at = 0;
	wp_ringwalk_run(&w, ~0ULL, see, &s);
	ok(s.nr == NR - 1 && is_good(&s) && s.last == t - 1, "and goes on where it stopped");
	w.missed = 0;
	for (i = 0; i < NR; i++)
		put(&dev, 1, t++);
	s = (struct seen){ 0 };
	wp_ringwalk_refresh(&w);
	wp_ringwalk_run(&w, ~0ULL, see, &s);
	ok(s.nr == NR - 1 && w.missed == 1, "the place of the next record is not trusted");
	head_of(&dev, 2)->head = 1ULL << 63;
	s = (struct seen){ 0 };
	wp_ringwalk_refresh(&w);
	wp_ringwalk_run(&w, ~0ULL, see, &s);
	ok(s.nr <= NR, "a head that cannot be: no more than there is room for");
	head_of(&dev, 2)->head = 3;
	wp_ringwalk_refresh(&w);
	wp_ringwalk_run(&w, ~0ULL, see, &s);
	ok(s.nr <= NR, "a head that goes back");
	wp_ringwalk_close(&w);
	wp_ringwalk_close(&w);
	free((void *)dev.map);
}

static struct seen frozen(const struct wp_device *dev, bool copy, __u64 *begin)
{
	struct wp_ringwalk w;
	struct seen s = { 0 };

	if (wp_ringwalk_freeze(&w, dev, copy))
		exit(2);
	*begin = wp_ringwalk_begin(&w);
	wp_ringwalk_run(&w, ~0ULL, see, &s);
	wp_ringwalk_close(&w);
	return s;
}

static void what_is_left(void)
{
	struct wp_device dev = fresh();
	__u64 begin, t = 0;
	struct seen s;

	s = frozen(&dev, false, &begin);
	ok(!s.nr && !begin && !wp_ringwalk_horizon(&dev), "nothing in empty rings");
	while (t < NR)
		put(&dev, 0, ++t);
	s = frozen(&dev, false, &begin);
	ok(s.nr == NR && !begin && is_good(&s), "a full ring has everything");
	s = frozen(&dev, true, &begin);
	ok(s.nr == NR - 1 && begin == 2,
	   "of one that may be written now the oldest record does not count");
	put(&dev, 0, ++t);
	s = frozen(&dev, false, &begin);
	ok(s.nr == NR && begin == 2 && s.first == 2, "an overwritten one begins later");
	for (; t < 1000; t++)
		put(&dev, 1, t + 1);
	put(&dev, 2, ++t);
	s = frozen(&dev, false, &begin);
	ok(s.nr == 2 * NR + 1 && begin == 1000 - NR + 1 && is_good(&s),
	   "all CPUs have everything from the latest begin on (%llu)",
	   (unsigned long long)begin);
	ok(wp_ringwalk_horizon(&dev) == begin + 1, "that is the horizon, but for one record");
	dev.has_possible = true;
	dev.possible.bits[0] = 5;
	s = frozen(&dev, true, &begin);
	ok(s.nr == NR && begin == 3, "nothing of a CPU that cannot be");
	free((void *)dev.map);
}

struct writer {
	struct wp_device dev;
	bool over;
	__u64 written;
};

/* Two CPUs' records, as fast as it goes, with a pause now and then. */
static void *write_records(void *arg)
{
	struct writer *w = arg;
	__u64 t = 1;

	while (!__atomic_load_n(&w->over, __ATOMIC_RELAXED)) {
		int i, n = 1 + t % 90;

		for (i = 0; i < n; i++, t++)
			put(&w->dev, t & 1, t);
		__atomic_store_n(&w->written, t - 1, __ATOMIC_RELAXED);
		if (t % 7 == 0)
			sched_yield();
	}
	return NULL;
}

static void while_it_is_written(void)
{
	struct writer wr = { .dev = fresh() };
	struct seen s = { 0 }, all, bad = { 0 };
	struct wp_ringwalk w;
	__u64 begin, horizon = 0, before = 0, back = 0, late = 0;
	pthread_t thread;
	int i;

	wp_ringwalk_open(&w, &wr.dev);
	if (pthread_create(&thread, NULL, write_records, &wr))
		exit(2);
	/* On a busy machine the writer may come late, and then in one go. */
	for (i = 0; i < 3000 || before < 1000 * NR; i++) {
		__u64 h;

		wp_ringwalk_refresh(&w);
		/* In what order the heads were read is not the records' order. */
		s.last = 0;
		wp_ringwalk_run(&w, ~0ULL, see, &s);
		h = wp_ringwalk_horizon(&wr.dev);
		back += h && h < horizon;
		horizon = h > horizon ? h : horizon;
		if (i % 10)
			continue;
		before = __atomic_load_n(&wr.written, __ATOMIC_RELAXED);
		all = frozen(&wr.dev, true, &begin);
		if (!is_good(&all)) {
			bad = all;
			late++;
		}
	}
	__atomic_store_n(&wr.over, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	ok(s.nr && !s.torn && !s.twice, "no record is torn or twice (%llu seen, %llu missed)",
	   (unsigned long long)s.nr, (unsigned long long)w.missed);
	ok(!late, "nor in a copy (%llu torn, %llu twice in the last of %llu that are bad)",
	   (unsigned long long)bad.torn, (unsigned long long)bad.twice,
	   (unsigned long long)late);
	ok(!back && horizon, "the horizon does not go back");
	wp_ringwalk_refresh(&w);
	wp_ringwalk_run(&w, ~0ULL, see, &s);
	ok(s.nr + w.missed == wr.written, "each was seen or missed");
	wp_ringwalk_close(&w);
	free((void *)wr.dev.map);
}

int main(void)
{
	live();
	what_is_left();
	while_it_is_written();
	return done();
}
