// SPDX-License-Identifier: GPL-2.0
/*
 * Suite of module/pure/tasks.c: claims, searches and frees against a list, full
 * tables and buckets, and several threads at once. The last are for
 * ThreadSanitizer and KCSAN, too.
 */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "pure/tasks.h"
#include "suite.h"
#include "threads.h"

/* task_structs are somewhere in the kernel's linear map. */
#define KEY(i) (0xffff888100000000UL + (i) * 0x2640UL)

static void table_init(struct kunit *test, struct wp_tasks *tasks, u32 nr)
{
	memset(tasks, 0xff, sizeof(*tasks));
	wp_tasks_set(tasks, suite_alloc(test, nr * sizeof(long)),
		     suite_alloc(test, nr * sizeof(struct wallprof_task)),
		     suite_alloc(test, BITS_TO_LONGS(nr / WP_BUCKET_WAYS) *
				       sizeof(long)), nr);
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

/* A key's home bucket, the one that it gets in an empty table. */
static u32 home_of(struct wp_tasks *empty, unsigned long key)
{
	bool found;
	u32 home = (claim(empty, key, &found) - empty->slots) / WP_BUCKET_WAYS;

	wp_tasks_free(empty, key);
	return home;
}

/* The first @nr keys whose home is @home. */
static void keys_at(struct wp_tasks *empty, u32 home, unsigned long *keys, u32 nr)
{
	u32 i;

	for (i = 0; nr; i++) {
		if (home_of(empty, KEY(i)) != home)
			continue;
		*keys++ = KEY(i);
		nr--;
	}
}

static const u32 sizes[] = { 64, 128, 4096 };

static void size_describe(const u32 *size, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%u slots", *size);
}

KUNIT_ARRAY_PARAM(size, sizes, size_describe);

/* A claim gives a slot, filled once, that is found by its key. */
static void claim_gives_slot(struct kunit *test)
{
	u32 nr = *(const u32 *)test->param_value;
	struct wallprof_task *slot;
	struct wp_tasks tasks;
	bool found = true;

	table_init(test, &tasks, nr);
	KUNIT_EXPECT_EQ(test, wp_tasks_nr(&tasks), nr);
	KUNIT_EXPECT_EQ(test, tasks.used, 0);
	KUNIT_EXPECT_NULL(test, wp_tasks_find(&tasks, KEY(1)));
	inits = 0;
	slot = claim(&tasks, KEY(1), &found);
	KUNIT_ASSERT_NOT_NULL(test, slot);
	KUNIT_EXPECT_FALSE(test, found);
	KUNIT_EXPECT_EQ(test, inits, 1);
	KUNIT_EXPECT_EQ(test, slot->start_time, KEY(1));
	KUNIT_EXPECT_EQ(test, tasks.used, 1);
	KUNIT_EXPECT_PTR_EQ(test, wp_tasks_find(&tasks, KEY(1)), slot);
	KUNIT_EXPECT_NULL(test, wp_tasks_find(&tasks, KEY(2)));
}

/* A second claim gives the same slot, not filled again. */
static void claim_again_same_slot(struct kunit *test)
{
	struct wallprof_task *slot;
	struct wp_tasks tasks;
	bool found = false;

	table_init(test, &tasks, 64);
	slot = claim(&tasks, KEY(1), &found);
	KUNIT_ASSERT_NOT_NULL(test, slot);
	slot->run_ns = 77;
	inits = 0;
	KUNIT_EXPECT_PTR_EQ(test, claim(&tasks, KEY(1), &found), slot);
	KUNIT_EXPECT_TRUE(test, found);
	KUNIT_EXPECT_EQ(test, inits, 0);
	KUNIT_EXPECT_EQ(test, slot->run_ns, 77);
	KUNIT_EXPECT_EQ(test, tasks.used, 1);
}

/* A freed slot is not found, and can be claimed again. */
static void free_and_reuse(struct kunit *test)
{
	struct wallprof_task *slot;
	struct wp_tasks tasks;
	bool found = true;

	table_init(test, &tasks, 64);
	KUNIT_EXPECT_FALSE(test, wp_tasks_free(&tasks, KEY(1)));
	KUNIT_EXPECT_EQ(test, tasks.used, 0);
	slot = claim(&tasks, KEY(1), &found);
	KUNIT_ASSERT_NOT_NULL(test, slot);
	KUNIT_EXPECT_TRUE(test, wp_tasks_free(&tasks, KEY(1)));
	KUNIT_EXPECT_EQ(test, slot->phase, WALLPROF_TASK_FREE);
	KUNIT_EXPECT_EQ(test, tasks.used, 0);
	KUNIT_EXPECT_NULL(test, wp_tasks_find(&tasks, KEY(1)));
	KUNIT_EXPECT_FALSE(test, wp_tasks_free(&tasks, KEY(1)));
	KUNIT_EXPECT_EQ(test, tasks.used, 0);
	inits = 0;
	KUNIT_EXPECT_PTR_EQ(test, claim(&tasks, KEY(1), &found), slot);
	KUNIT_EXPECT_FALSE(test, found);
	KUNIT_EXPECT_EQ(test, inits, 1);
}

/* Keys are compared whole, though the hash ignores the low bits. */
static void keys_nearly_same(struct kunit *test)
{
	struct wallprof_task *slots[64];
	struct wp_tasks tasks;
	bool found;
	int bit;

	table_init(test, &tasks, 4096);
	for (bit = 0; bit < 64; bit++) {
		slots[bit] = claim(&tasks, KEY(0) ^ BIT(bit), &found);
		KUNIT_EXPECT_NOT_NULL_MSG(test, slots[bit], "bit %d", bit);
		KUNIT_EXPECT_FALSE_MSG(test, found, "bit %d", bit);
	}
	KUNIT_EXPECT_NULL(test, wp_tasks_find(&tasks, KEY(0)));
	for (bit = 0; bit < 64; bit++)
		KUNIT_EXPECT_PTR_EQ(test, wp_tasks_find(&tasks, KEY(0) ^ BIT(bit)),
				    slots[bit]);
	KUNIT_EXPECT_EQ(test, tasks.used, 64);
}

/* The smallest table can be filled to its last slot. */
static void full_table(struct kunit *test)
{
	struct wallprof_task *slots[64];
	struct wp_tasks tasks;
	bool found, seen[64] = {};
	int i;

	table_init(test, &tasks, 64);
	for (i = 0; i < 64; i++) {
		slots[i] = claim(&tasks, KEY(i), &found);
		KUNIT_ASSERT_NOT_NULL(test, slots[i]);
		KUNIT_EXPECT_FALSE(test, found);
		KUNIT_EXPECT_FALSE(test, seen[slots[i] - tasks.slots]);
		seen[slots[i] - tasks.slots] = true;
	}
	KUNIT_EXPECT_EQ(test, tasks.used, 64);
	inits = 0;
	for (i = 64; i < 100; i++) {
		found = true;
		KUNIT_EXPECT_NULL(test, claim(&tasks, KEY(i), &found));
		KUNIT_EXPECT_FALSE(test, found);
		KUNIT_EXPECT_NULL(test, wp_tasks_find(&tasks, KEY(i)));
	}
	KUNIT_EXPECT_EQ(test, inits, 0);
	KUNIT_EXPECT_EQ(test, tasks.used, 64);
	for (i = 0; i < 64; i++) {
		KUNIT_EXPECT_PTR_EQ(test, claim(&tasks, KEY(i), &found), slots[i]);
		KUNIT_EXPECT_TRUE(test, found);
	}
}

/* A slot that is freed in a full table can be claimed, by any key. */
static void full_table_takes_again(struct kunit *test)
{
	struct wallprof_task *slots[64];
	struct wp_tasks tasks;
	bool found;
	int i;

	table_init(test, &tasks, 64);
	for (i = 0; i < 64; i++)
		slots[i] = claim(&tasks, KEY(i), &found);
	for (i = 0; i < 64; i++) {
		KUNIT_EXPECT_TRUE(test, wp_tasks_free(&tasks, KEY(i)));
		KUNIT_EXPECT_PTR_EQ(test, claim(&tasks, KEY(i + 100), &found), slots[i]);
		KUNIT_EXPECT_FALSE(test, found);
		KUNIT_EXPECT_PTR_EQ(test, wp_tasks_find(&tasks, KEY(i + 100)), slots[i]);
	}
}

static const u32 homes[] = { 3, 127, 122 };

static void home_describe(const u32 *home, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "bucket %u of 128", *home);
}

KUNIT_ARRAY_PARAM(home, homes, home_describe);

/*
 * Keys of a full bucket go to the next ones, round the end of the table; after a limit of
 * buckets a search gives up.
 */
static void full_bucket_passes_on(struct kunit *test)
{
	u32 home = *(const u32 *)test->param_value;
	struct wp_tasks tasks, empty;
	struct wallprof_task *slot;
	unsigned long *keys = suite_alloc(test, 65 * sizeof(*keys));
	bool found;
	int i;

	table_init(test, &tasks, 1024);
	table_init(test, &empty, 1024);
	keys_at(&empty, home, keys, 65);
	for (i = 0; i < 64; i++) {
		slot = claim(&tasks, keys[i], &found);
		KUNIT_ASSERT_NOT_NULL(test, slot);
		KUNIT_EXPECT_FALSE(test, found);
		KUNIT_EXPECT_EQ(test, (slot - tasks.slots) / 8, (home + i / 8) % 128);
	}
	KUNIT_EXPECT_NULL(test, claim(&tasks, keys[64], &found));
	for (i = 0; i < 64; i++)
		KUNIT_EXPECT_NOT_NULL_MSG(test, wp_tasks_find(&tasks, keys[i]), "%d", i);
	/* Keys in later buckets are found when there is room before them. */
	for (i = 0; i < 56; i++)
		KUNIT_EXPECT_TRUE_MSG(test, wp_tasks_free(&tasks, keys[i]), "%d", i);
	for (i = 0; i < 64; i++)
		KUNIT_EXPECT_EQ_MSG(test, !!wp_tasks_find(&tasks, keys[i]), i >= 56,
				    "%d", i);
	KUNIT_EXPECT_EQ(test, tasks.used, 8);
	KUNIT_EXPECT_NOT_NULL(test, claim(&tasks, keys[63], &found));
	KUNIT_EXPECT_TRUE(test, found);
	KUNIT_EXPECT_EQ(test, tasks.used, 8);
	slot = claim(&tasks, keys[64], &found);
	KUNIT_ASSERT_NOT_NULL(test, slot);
	KUNIT_EXPECT_FALSE(test, found);
	KUNIT_EXPECT_EQ(test, (slot - tasks.slots) / 8, home);
}

/* A key that is not there is known not to be by its first bucket alone. */
static void miss_reads_one_bucket(struct kunit *test)
{
	unsigned long keys[8], *all, *bucket;
	struct wp_tasks tasks, empty;
	u32 home = 5;
	bool found;
	int i;

	table_init(test, &tasks, 1024);
	table_init(test, &empty, 1024);
	keys_at(&empty, home, keys, 8);
	for (i = 0; i < 7; i++)
		claim(&tasks, keys[i], &found);
	all = tasks.keys;
	/* Memory of this bucket alone: it is seen if another one is read. */
	bucket = suite_alloc(test, 8 * sizeof(*bucket));
	memcpy(bucket, all + 8 * home, 8 * sizeof(*bucket));
	tasks.keys = bucket - 8 * home;
	KUNIT_EXPECT_NULL(test, wp_tasks_find(&tasks, keys[7]));
	KUNIT_EXPECT_NOT_NULL(test, wp_tasks_find(&tasks, keys[6]));
}

/* Nothing is left after a clear. */
static void clear_frees_all(struct kunit *test)
{
	struct wp_tasks tasks;
	unsigned char *byte;
	bool found;
	u32 i;

	table_init(test, &tasks, 128);
	for (i = 0; i < 300; i++)
		claim(&tasks, KEY(i), &found);
	wp_tasks_clear(&tasks);
	KUNIT_EXPECT_EQ(test, tasks.used, 0);
	KUNIT_EXPECT_EQ(test, wp_tasks_nr(&tasks), 128);
	for (i = 0; i < 300; i++)
		KUNIT_EXPECT_NULL(test, wp_tasks_find(&tasks, KEY(i)));
	for (i = 0; i < 128; i++)
		KUNIT_EXPECT_EQ(test, tasks.keys[i], 0);
	byte = (unsigned char *)tasks.slots;
	for (i = 0; i < 128 * sizeof(*tasks.slots) && !suite_failed(test); i++)
		KUNIT_EXPECT_EQ_MSG(test, byte[i], 0, "byte %u", i);
	KUNIT_EXPECT_EQ(test, tasks.overflowed[0], 0);
	KUNIT_EXPECT_NOT_NULL(test, claim(&tasks, KEY(7), &found));
	KUNIT_EXPECT_FALSE(test, found);
	KUNIT_EXPECT_EQ(test, tasks.used, 1);
}

static const unsigned long strides[] = {
	64, 0x1000, 0x2000, 0x2640, 0x4000, 0x8000, 1UL << 20,
};

static void stride_describe(const unsigned long *stride, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "stride %#lx", *stride);
}

KUNIT_ARRAY_PARAM(stride, strides, stride_describe);

/* Three quarters of a table can be used, wherever task_structs lie. */
static void spread_fills(struct kunit *test)
{
	unsigned long stride = *(const unsigned long *)test->param_value;
	u32 nr = 1 << 15, i;
	struct wp_tasks tasks;
	bool found;

	table_init(test, &tasks, nr);
	for (i = 0; i < nr / 4 * 3 && !suite_failed(test); i++)
		KUNIT_EXPECT_NOT_NULL_MSG(test, claim(&tasks, 0xffff888000000000UL +
						      stride * i, &found), "%u", i);
}

/* Random claims, searches and frees, and a list of all keys and slots. */
struct random {
	struct wp_tasks tasks;
	struct wallprof_task **slots;	/* by key: what it has */
	bool *taken;			/* by slot */
	u32 *homes;			/* by key: its bucket */
	u32 used;
};

static void random_claim(struct kunit *test, struct random *r, u32 k)
{
	struct wallprof_task *slot;
	bool found;
	u32 b;

	inits = 0;
	slot = claim(&r->tasks, KEY(k), &found);
	KUNIT_EXPECT_EQ(test, found, !!r->slots[k]);
	if (r->slots[k]) {
		KUNIT_EXPECT_PTR_EQ(test, slot, r->slots[k]);
		KUNIT_EXPECT_EQ(test, inits, 0);
		return;
	}
	if (slot) {
		KUNIT_EXPECT_FALSE(test, r->taken[slot - r->tasks.slots]);
		KUNIT_EXPECT_EQ(test, inits, 1);
		r->taken[slot - r->tasks.slots] = true;
		r->slots[k] = slot;
		r->used++;
		return;
	}
	/* All buckets within reach are full. */
	for (b = 0; b < 64; b++)
		KUNIT_EXPECT_TRUE(test, r->taken[((r->homes[k] + b / 8) &
						  r->tasks.bucket_mask) * 8 + b % 8]);
}

static void random_free(struct kunit *test, struct random *r, u32 k)
{
	KUNIT_EXPECT_EQ(test, wp_tasks_free(&r->tasks, KEY(k)), !!r->slots[k]);
	if (!r->slots[k])
		return;
	KUNIT_EXPECT_EQ(test, r->slots[k]->phase, WALLPROF_TASK_FREE);
	r->taken[r->slots[k] - r->tasks.slots] = false;
	r->slots[k] = NULL;
	r->used--;
}

static void random_find(struct kunit *test, struct random *r, u32 k)
{
	KUNIT_EXPECT_PTR_EQ(test, wp_tasks_find(&r->tasks, KEY(k)), r->slots[k]);
	if (r->slots[k])
		KUNIT_EXPECT_EQ(test, r->slots[k]->start_time, KEY(k));
}

static const struct crowd {
	u32 slots, keys;
} crowds[] = {
	{ 64, 50 }, { 64, 64 }, { 64, 200 }, { 128, 200 }, { 512, 600 }, { 4096, 5000 },
};

static void crowd_describe(const struct crowd *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%u keys in %u slots", c->keys, c->slots);
}

KUNIT_ARRAY_PARAM(crowd, crowds, crowd_describe);

/* The table agrees with the reference. */
static void random_model(struct kunit *test)
{
	const struct crowd *c = test->param_value;
	/* From time to time nearly all are freed, so that buckets are empty again. */
	u32 steps = SUITE_ROUNDS(40000), phase = steps / 13, step, i;
	struct random r = {};

	r.slots = suite_alloc(test, c->keys * sizeof(*r.slots));
	r.taken = suite_alloc(test, c->slots * sizeof(*r.taken));
	r.homes = suite_alloc(test, c->keys * sizeof(*r.homes));
	table_init(test, &r.tasks, c->slots);
	for (i = 0; i < c->keys; i++)
		r.homes[i] = home_of(&r.tasks, KEY(i));
	for (step = 0; step < steps && !suite_failed(test); step++) {
		bool shrink = step / phase % 3 == 2;
		u32 k = suite_below(c->keys);

		switch (suite_below(4)) {
		case 0:
			if (!shrink)
				random_claim(test, &r, k);
			break;
		case 1:
			if (shrink || !suite_below(2))
				random_free(test, &r, k);
			break;
		default:
			random_find(test, &r, k);
		}
		KUNIT_EXPECT_EQ_MSG(test, r.tasks.used, r.used, "step %u", step);
	}
	for (i = 0; i < c->keys; i++)
		random_find(test, &r, i);
}

/*
 * Several threads. One claims keys one by one; others, which see it by the table alone,
 * must find each slot filled.
 */
#define NR_PUBLISHED SUITE_ROUNDS(3000)
#define NR_FINDERS 3

static struct wp_tasks shared;
static atomic_t wrong;

static void publish(void)
{
	bool found;
	u32 i;

	for (i = 0; i < NR_PUBLISHED; i++) {
		if (!wp_tasks_claim(&shared, KEY(i), init, (void *)KEY(i), &found))
			atomic_inc(&wrong);
		if (i % 64 == 0)
			cond_resched();
	}
}

static void publish_or_find(u32 who)
{
	u32 i;

	if (!who) {
		publish();
		return;
	}
	for (i = 0; i < NR_PUBLISHED && !atomic_read(&wrong); i++) {
		struct wallprof_task *slot;

		while (!(slot = wp_tasks_find(&shared, KEY(i)))) {
			if (atomic_read(&wrong))
				return;
			cond_resched();
		}
		if (slot->start_time != KEY(i))
			atomic_inc(&wrong);
	}
}

/* A slot that is found is filled. */
static void threads_publish(struct kunit *test)
{
	table_init(test, &shared, 4096);
	atomic_set(&wrong, 0);
	KUNIT_EXPECT_TRUE(test, threads_run(1 + NR_FINDERS, publish_or_find));
	KUNIT_EXPECT_EQ(test, atomic_read(&wrong), 0);
	KUNIT_EXPECT_EQ(test, shared.used, NR_PUBLISHED);
}

/*
 * CPUs switch tasks: the CPU that runs one owns it, by on_cpu, and claims, writes and
 * frees its slot, while others search for the same key.
 */
#define NR_CPUS_RUN 4
#define NR_TASKS 90

static struct {
	atomic_t on_cpu;
	struct wallprof_task *slot;
	u64 runs;
} tasks_run[NR_TASKS];

static void init_run(struct wallprof_task *slot, void *arg)
{
	memset(slot, 0, sizeof(*slot));
	slot->start_time = (unsigned long)arg;
	slot->phase = WALLPROF_TASK_RUNNING;
}

/* Does what the CPU that owns task @k may; returns what was wrong. */
static u32 cpu_run_task(u32 k, u32 what)
{
	struct wallprof_task *slot;
	bool found;
	u32 bad = wp_tasks_find(&shared, KEY(k)) != tasks_run[k].slot;

	switch (what) {
	case 0 ... 5:
		slot = wp_tasks_claim(&shared, KEY(k), init_run, (void *)KEY(k), &found);
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
	return bad;
}

static void cpu_run(u32 who)
{
	u64 random = who * 0x9e3779b97f4a7c15ULL + 1;
	u32 step, bad = 0, k;

	for (step = 0; step < SUITE_ROUNDS(20000); step++) {
		random = random * 6364136223846793005ULL + 1442695040888963407ULL;
		k = (u32)(random >> 33) % NR_TASKS;
		if (atomic_xchg_acquire(&tasks_run[k].on_cpu, 1)) {
			/* Another CPU's task: it may have a slot or not. */
			struct wallprof_task *slot = wp_tasks_find(&shared, KEY(k));

			bad += slot && (slot < shared.slots || slot >= shared.slots + 64);
			continue;
		}
		bad += cpu_run_task(k, random >> 60);
		atomic_set_release(&tasks_run[k].on_cpu, 0);
		if (step % 256 == 0)
			cond_resched();
	}
	atomic_add(bad, &wrong);
}

/* Claims, frees and searches at once. */
static void threads_switch(struct kunit *test)
{
	u32 used = 0, i;

	table_init(test, &shared, 64);
	atomic_set(&wrong, 0);
	memset(tasks_run, 0, sizeof(tasks_run));
	KUNIT_EXPECT_TRUE(test, threads_run(NR_CPUS_RUN, cpu_run));
	KUNIT_EXPECT_EQ(test, atomic_read(&wrong), 0);
	for (i = 0; i < NR_TASKS; i++) {
		KUNIT_EXPECT_PTR_EQ(test, wp_tasks_find(&shared, KEY(i)),
				    tasks_run[i].slot);
		used += !!tasks_run[i].slot;
	}
	KUNIT_EXPECT_EQ(test, shared.used, used);
}

static struct kunit_case tasks_cases[] = {
	KUNIT_CASE_PARAM(claim_gives_slot, size_gen_params),
	KUNIT_CASE(claim_again_same_slot),
	KUNIT_CASE(free_and_reuse),
	KUNIT_CASE(keys_nearly_same),
	KUNIT_CASE(full_table),
	KUNIT_CASE(full_table_takes_again),
	KUNIT_CASE_PARAM(full_bucket_passes_on, home_gen_params),
	KUNIT_CASE(miss_reads_one_bucket),
	KUNIT_CASE(clear_frees_all),
	KUNIT_CASE_PARAM(spread_fills, stride_gen_params),
	KUNIT_CASE_PARAM(random_model, crowd_gen_params),
	KUNIT_CASE(threads_publish),
	KUNIT_CASE(threads_switch),
	{}
};

static struct kunit_suite tasks_suite = {
	.name = "wallprof_tasks",
	.init = suite_init,
	.test_cases = tasks_cases,
};

kunit_test_suite(tasks_suite);
