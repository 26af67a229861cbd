// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of module/tasks.c: claims, searches and frees against a list, full
 * tables and buckets, and several threads at once. The last are also built
 * with ThreadSanitizer.
 */
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include <linux/bitops.h>
#include <linux/kernel.h>

#include "pure.h"
#include "tasks.h"

#ifdef __SANITIZE_THREAD__
_Thread_local const unsigned long *shim_last_read;
#endif

/* task_structs lie somewhere in the kernel's map of memory. */
#define KEY(i) (0xffff888100000000UL + (i) * 0x2640UL)

static void table_new(struct wp_tasks *tasks, u32 nr)
{
	memset(tasks, 0xff, sizeof(*tasks));
	wp_tasks_set(tasks, pure_alloc(nr * sizeof(long)),
		     pure_alloc(nr * sizeof(struct wallprof_task)),
		     pure_alloc(BITS_TO_LONGS(nr / WP_BUCKET_WAYS) * sizeof(long)), nr);
}

static void table_free(struct wp_tasks *tasks)
{
	free(tasks->keys);
	free(tasks->slots);
	free(tasks->overflowed);
}

static unsigned int inits;

static void init(struct wallprof_task *slot, void *arg)
{
	memset(slot, 0, sizeof(*slot));
	slot->start_time = (unsigned long)arg;
	slot->phase = WALLPROF_TASK_RUNNING;
	inits++;
}

static struct wallprof_task *claim(struct wp_tasks *tasks, unsigned long key, bool *found)
{
	return wp_tasks_claim(tasks, key, init, (void *)key, found);
}

/* The bucket that a key belongs to: that which it gets in an empty table. */
static u32 home_of(struct wp_tasks *empty, unsigned long key)
{
	bool found;
	u32 home = (claim(empty, key, &found) - empty->slots) / WP_BUCKET_WAYS;

	wp_tasks_free(empty, key);
	return home;
}

/* The n-th key that belongs to @home. */
static unsigned long key_at(struct wp_tasks *empty, u32 home, u32 n)
{
	u64 i;

	for (i = 0;; i++) {
		if (home_of(empty, KEY(i)) == home && !n--)
			return KEY(i);
	}
}

static void claim_gives_slot(void)
{
	static const u32 sizes[] = { 64, 128, 4096 };
	struct wallprof_task *slot;
	struct wp_tasks tasks;
	bool found;
	int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		table_new(&tasks, sizes[i]);
		expect_eq(wp_tasks_nr(&tasks), sizes[i]);
		expect_eq(tasks.used, 0);
		expect(!wp_tasks_find(&tasks, KEY(1)));
		inits = 0;
		found = true;
		slot = claim(&tasks, KEY(1), &found);
		expect(slot && !found);
		expect_eq(inits, 1);
		expect_eq(slot->start_time, KEY(1));
		expect_eq(tasks.used, 1);
		expect(wp_tasks_find(&tasks, KEY(1)) == slot);
		expect(!wp_tasks_find(&tasks, KEY(2)));
		table_free(&tasks);
	}
}

static void claim_again_same_slot(void)
{
	struct wallprof_task *slot;
	struct wp_tasks tasks;
	bool found = false;

	table_new(&tasks, 64);
	slot = claim(&tasks, KEY(1), &found);
	slot->run_ns = 77;
	inits = 0;
	expect(claim(&tasks, KEY(1), &found) == slot && found);
	expect_eq(inits, 0);
	expect_eq(slot->run_ns, 77);
	expect_eq(tasks.used, 1);
	table_free(&tasks);
}

static void free_and_reuse(void)
{
	struct wallprof_task *slot;
	struct wp_tasks tasks;
	bool found = true;

	table_new(&tasks, 64);
	expect(!wp_tasks_free(&tasks, KEY(1)));
	expect_eq(tasks.used, 0);
	slot = claim(&tasks, KEY(1), &found);
	expect(wp_tasks_free(&tasks, KEY(1)));
	expect_eq(slot->phase, WALLPROF_TASK_FREE);
	expect_eq(tasks.used, 0);
	expect(!wp_tasks_find(&tasks, KEY(1)));
	expect(!wp_tasks_free(&tasks, KEY(1)));
	expect_eq(tasks.used, 0);
	inits = 0;
	expect(claim(&tasks, KEY(1), &found) == slot && !found);
	expect_eq(inits, 1);
	table_free(&tasks);
}

/* Keys are compared whole, though the hash ignores the low bits. */
static void keys_nearly_same(void)
{
	struct wallprof_task *slots[64];
	struct wp_tasks tasks;
	bool found;
	int bit;

	table_new(&tasks, 4096);
	for (bit = 0; bit < 64; bit++) {
		slots[bit] = claim(&tasks, KEY(0) ^ BIT(bit), &found);
		expect(slots[bit] && !found, "bit %d", bit);
	}
	expect(!wp_tasks_find(&tasks, KEY(0)));
	for (bit = 0; bit < 64; bit++)
		expect(wp_tasks_find(&tasks, KEY(0) ^ BIT(bit)) == slots[bit]);
	expect_eq(tasks.used, 64);
	table_free(&tasks);
}

/* The smallest table can be filled to its last slot. */
static void full_table(void)
{
	struct wallprof_task *slots[64], *slot;
	struct wp_tasks tasks;
	bool found, seen[64] = {};
	int i;

	table_new(&tasks, 64);
	for (i = 0; i < 64; i++) {
		slots[i] = claim(&tasks, KEY(i), &found);
		if (!expect(slots[i] && !found, "%d", i))
			return;
		expect(!seen[slots[i] - tasks.slots], "a slot was given twice");
		seen[slots[i] - tasks.slots] = true;
	}
	expect_eq(tasks.used, 64);
	inits = 0;
	for (i = 64; i < 100; i++) {
		found = true;
		expect(!claim(&tasks, KEY(i), &found) && !found);
		expect(!wp_tasks_find(&tasks, KEY(i)));
	}
	expect_eq(inits, 0);
	expect_eq(tasks.used, 64);
	for (i = 0; i < 64; i++)
		expect(claim(&tasks, KEY(i), &found) == slots[i] && found);
	/* What is freed can be had, by any key. */
	for (i = 0; i < 64; i++) {
		expect(wp_tasks_free(&tasks, KEY(i)));
		slot = claim(&tasks, KEY(i + 100), &found);
		expect(slot == slots[i] && !found);
		expect(wp_tasks_find(&tasks, KEY(i + 100)) == slots[i]);
	}
	table_free(&tasks);
}

/*
 * A bucket that is full passes on, round the end of the table; after so many
 * buckets a search gives up.
 */
static void full_buckets(u32 home)
{
	struct wp_tasks tasks, empty;
	unsigned long keys[66];
	bool found;
	int i;

	table_new(&tasks, 1024);
	table_new(&empty, 1024);
	for (i = 0; i < 66; i++)
		keys[i] = key_at(&empty, home, i);
	for (i = 0; i < 64; i++) {
		struct wallprof_task *slot = claim(&tasks, keys[i], &found);

		if (!expect(slot && !found, "%d", i))
			break;
		expect_eq((slot - tasks.slots) / 8, (home + i / 8) % 128);
	}
	expect(!claim(&tasks, keys[64], &found));
	for (i = 0; i < 64; i++)
		expect(wp_tasks_find(&tasks, keys[i]), "%d", i);
	/* Those that were passed on are found when there is room before them. */
	for (i = 0; i < 56; i++)
		expect(wp_tasks_free(&tasks, keys[i]), "%d", i);
	for (i = 0; i < 64; i++)
		expect(!!wp_tasks_find(&tasks, keys[i]) == (i >= 56), "%d", i);
	expect_eq(tasks.used, 8);
	expect(claim(&tasks, keys[63], &found) && found);
	expect_eq(tasks.used, 8);
	expect(claim(&tasks, keys[64], &found) && !found);
	expect_eq((wp_tasks_find(&tasks, keys[64]) - tasks.slots) / 8, home);
	table_free(&tasks);
	table_free(&empty);
}

static void full_buckets_pass_on(void)
{
	full_buckets(3);
}

static void full_buckets_wrap(void)
{
	full_buckets(127);
	full_buckets(122);
}

/* A key that is not there is known by its first bucket alone. */
static void miss_reads_one_bucket(void)
{
	struct wp_tasks tasks, empty;
	unsigned long *keys, *bucket;
	bool found;
	u32 home = 5;
	int i;

	table_new(&tasks, 1024);
	table_new(&empty, 1024);
	for (i = 0; i < 7; i++)
		claim(&tasks, key_at(&empty, home, i), &found);
	keys = tasks.keys;
	/* Memory of this bucket alone: ASan sees it if another one is read. */
	bucket = pure_alloc(8 * sizeof(*keys));
	memcpy(bucket, keys + 8 * home, 8 * sizeof(*keys));
	tasks.keys = bucket - 8 * home;
	expect(!wp_tasks_find(&tasks, key_at(&empty, home, 9)));
	free(bucket);
	tasks.keys = keys;
	table_free(&tasks);
	table_free(&empty);
}

static void clear_frees_all(void)
{
	struct wp_tasks tasks;
	unsigned char *byte;
	bool found;
	u32 i;

	table_new(&tasks, 128);
	for (i = 0; i < 300; i++)
		claim(&tasks, KEY(i), &found);
	wp_tasks_clear(&tasks);
	expect_eq(tasks.used, 0);
	expect_eq(wp_tasks_nr(&tasks), 128);
	for (i = 0; i < 300; i++)
		expect(!wp_tasks_find(&tasks, KEY(i)));
	for (i = 0; i < 128; i++)
		expect_eq(tasks.keys[i], 0);
	byte = (unsigned char *)tasks.slots;
	for (i = 0; i < 128 * sizeof(*tasks.slots); i++) {
		if (!expect_eq(byte[i], 0))
			break;
	}
	expect_eq(tasks.overflowed[0], 0);
	expect(claim(&tasks, KEY(7), &found) && !found);
	expect_eq(tasks.used, 1);
	table_free(&tasks);
}

/* Three quarters of a table can be used, wherever task_structs lie. */
static void spread_fills(void)
{
	static const unsigned long strides[] = {
		64, 0x1000, 0x2000, 0x2640, 0x4000, 0x8000, 1UL << 20,
	};
	u32 nr = 1 << 15, i, s;
	struct wp_tasks tasks;
	bool found;

	for (s = 0; s < ARRAY_SIZE(strides); s++) {
		table_new(&tasks, nr);
		for (i = 0; i < nr / 4 * 3; i++) {
			if (!expect(claim(&tasks, 0xffff888000000000UL + strides[s] * i,
					  &found), "%u, stride %#lx", i, strides[s]))
				break;
		}
		table_free(&tasks);
	}
}

/* Random claims, searches and frees, and a list of who has what. */
static void random_table(u32 nr, u32 nr_keys)
{
	struct wallprof_task **slots = pure_alloc(nr_keys * sizeof(*slots)), *slot;
	bool *taken = pure_alloc(nr), found, good = true;
	u32 *homes = pure_alloc(nr_keys * sizeof(*homes)), used = 0, step, i;
	u32 nr_buckets = nr / 8;
	struct wp_tasks tasks;

	table_new(&tasks, nr);
	for (i = 0; i < nr_keys; i++)
		homes[i] = home_of(&tasks, KEY(i));
	for (step = 0; step < 40000 && good; step++) {
		u32 k = pure_below(nr_keys), b;
		/* Now and then nearly all go, so that buckets empty again. */
		bool shrink = step / 3000 % 3 == 2;

		switch (pure_below(4)) {
		case 0:
			if (shrink)
				break;
			inits = 0;
			slot = claim(&tasks, KEY(k), &found);
			good &= expect_eq(found, !!slots[k]);
			if (slots[k]) {
				good &= expect(slot == slots[k]) && expect_eq(inits, 0);
			} else if (slot) {
				good &= expect(!taken[slot - tasks.slots]);
				good &= expect_eq(inits, 1);
				taken[slot - tasks.slots] = true;
				slots[k] = slot;
				used++;
			} else {
				/* All that could be searched is taken. */
				for (b = 0; b < 64; b++)
					good &= expect(taken[(homes[k] + b / 8) %
							     nr_buckets * 8 + b % 8]);
			}
			break;
		case 1:
			if (!shrink && pure_below(2))
				break;
			good &= expect_eq(wp_tasks_free(&tasks, KEY(k)), !!slots[k]);
			if (!slots[k])
				break;
			good &= expect_eq(slots[k]->phase, WALLPROF_TASK_FREE);
			taken[slots[k] - tasks.slots] = false;
			slots[k] = NULL;
			used--;
			break;
		default:
			good &= expect(wp_tasks_find(&tasks, KEY(k)) == slots[k]);
			good &= !slots[k] || expect_eq(slots[k]->start_time, KEY(k));
		}
		good &= expect_eq(tasks.used, used);
	}
	for (i = 0; i < nr_keys; i++)
		expect(wp_tasks_find(&tasks, KEY(i)) == slots[i]);
	table_free(&tasks);
	free(slots);
	free(taken);
	free(homes);
}

static void random_model(void)
{
	random_table(64, 50);
	random_table(64, 64);
	random_table(64, 200);
	random_table(128, 200);
	random_table(512, 600);
	random_table(4096, 5000);
}

/*
 * Several threads. One claims keys one by one; others, who know of it by the
 * table alone, must find each slot filled.
 */
#define NR_PUBLISHED 3000
#define NR_FINDERS 3

static struct wp_tasks shared;
static unsigned int empty_slots;

static void *publish_find(void *unused)
{
	u32 i;

	for (i = 0; i < NR_PUBLISHED; i++) {
		struct wallprof_task *slot;

		while (!(slot = wp_tasks_find(&shared, KEY(i))))
			sched_yield();
		if (slot->start_time != KEY(i))
			__atomic_fetch_add(&empty_slots, 1, __ATOMIC_RELAXED);
	}
	return unused;
}

static void threads_publish(void)
{
	pthread_t threads[NR_FINDERS];
	bool found;
	u32 i;

	table_new(&shared, 4096);
	empty_slots = 0;
	for (i = 0; i < NR_FINDERS; i++)
		pthread_create(&threads[i], NULL, publish_find, NULL);
	for (i = 0; i < NR_PUBLISHED; i++) {
		if (!wp_tasks_claim(&shared, KEY(i), init, (void *)KEY(i), &found))
			abort();
		if (i % 64 == 0)
			sched_yield();
	}
	for (i = 0; i < NR_FINDERS; i++)
		pthread_join(threads[i], NULL);
	expect_eq(empty_slots, 0);
	expect_eq(shared.used, NR_PUBLISHED);
	table_free(&shared);
}

/*
 * CPUs switch tasks: who runs one has it for itself, by on_cpu, and claims,
 * writes and frees its slot, while others search for the same key.
 */
#define NR_CPUS 4
#define NR_TASKS 90

static struct {
	u8 on_cpu;
	struct wallprof_task *slot;
	u64 runs;
} tasks_run[NR_TASKS];

static unsigned int wrong;

static void init_run(struct wallprof_task *slot, void *arg)
{
	memset(slot, 0, sizeof(*slot));
	slot->start_time = (unsigned long)arg;
	slot->phase = WALLPROF_TASK_RUNNING;
}

static void *cpu_run(void *arg)
{
	u64 random = (unsigned long)arg * 0x9e3779b97f4a7c15ULL + 1;
	u32 step, bad = 0;

	for (step = 0; step < 20000; step++) {
		struct wallprof_task *slot;
		bool found;
		u32 k;

		random = random * 6364136223846793005ULL + 1442695040888963407ULL;
		k = (random >> 33) % NR_TASKS;
		if (__atomic_exchange_n(&tasks_run[k].on_cpu, 1, __ATOMIC_ACQUIRE)) {
			/* Another one's: it may have a slot or not. */
			slot = wp_tasks_find(&shared, KEY(k));
			bad += slot && (slot < shared.slots || slot >= shared.slots + 64);
			continue;
		}
		bad += wp_tasks_find(&shared, KEY(k)) != tasks_run[k].slot;
		switch (random >> 60) {
		case 0 ... 5:
			slot = wp_tasks_claim(&shared, KEY(k), init_run, (void *)KEY(k),
					      &found);
			bad += found != !!tasks_run[k].slot;
			bad += found && slot != tasks_run[k].slot;
			if (!found)
				tasks_run[k].runs = 0;
			tasks_run[k].slot = slot;
			break;
		case 6 ... 7:
			found = wp_tasks_free(&shared, KEY(k));
			bad += found != !!tasks_run[k].slot;
			tasks_run[k].slot = NULL;
			break;
		default:
			slot = tasks_run[k].slot;
			if (!slot)
				break;
			slot->run_ns++;
			tasks_run[k].runs++;
			bad += slot->start_time != KEY(k);
			bad += slot->run_ns != tasks_run[k].runs;
		}
		__atomic_store_n(&tasks_run[k].on_cpu, 0, __ATOMIC_RELEASE);
	}
	__atomic_fetch_add(&wrong, bad, __ATOMIC_RELAXED);
	return NULL;
}

static void threads_switch(void)
{
	pthread_t threads[NR_CPUS];
	u32 used = 0;
	long i;

	table_new(&shared, 64);
	wrong = 0;
	memset(tasks_run, 0, sizeof(tasks_run));
	for (i = 0; i < NR_CPUS; i++)
		pthread_create(&threads[i], NULL, cpu_run, (void *)i);
	for (i = 0; i < NR_CPUS; i++)
		pthread_join(threads[i], NULL);
	expect_eq(wrong, 0);
	for (i = 0; i < NR_TASKS; i++) {
		expect(wp_tasks_find(&shared, KEY(i)) == tasks_run[i].slot);
		used += !!tasks_run[i].slot;
	}
	expect_eq(shared.used, used);
	table_free(&shared);
}

static const struct pure_case cases[] = {
	{ "claim: a slot, filled once, found by its key", claim_gives_slot },
	{ "claim: again the same slot, not filled again", claim_again_same_slot },
	{ "free: gone, and can be claimed again", free_and_reuse },
	{ "keys that differ in one bit are different", keys_nearly_same },
	{ "a full table refuses, keeps what it has and takes again", full_table },
	{ "a full bucket passes on, to 8 buckets", full_buckets_pass_on },
	{ "a full bucket passes on round the end of the table", full_buckets_wrap },
	{ "find: a thread that is not there costs one bucket", miss_reads_one_bucket },
	{ "clear: nothing is left", clear_frees_all },
	{ "three quarters of a table fill with keys at any stride", spread_fills },
	{ "random: as the reference", random_model },
	{ "threads: a slot that is found is filled", threads_publish },
	{ "threads: claims, frees and searches at once", threads_switch },
};

int main(void)
{
	return pure_run(cases, ARRAY_SIZE(cases));
}
