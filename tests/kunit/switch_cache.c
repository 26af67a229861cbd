// SPDX-License-Identifier: GPL-2.0
/*
 * Suite of module/pure/switch_cache.h: a switch by the cache is recorded like one without
 * it, and its interval is added to the same aggregate.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "suite.h"
#include "switch_cache_model.h"

static struct wp_switch_cache *cache;
static struct wp_half half;

/* The thread of the slot. */
#define KEY	0x1000

static const struct wp_thread thread = {
	.start_time = 500, .tid = 21, .tgid = 20, .exec_id = 9,
};

/* A slot in RUNNING since 1000. */
static struct wallprof_task slot;

static struct wp_switch_cache *alloc(struct kunit *test)
{
	void *p = suite_alloc(test, sizeof(struct wp_switch_cache) +
					    sizeof(struct wp_cached_switch));

	return (void *)ALIGN((unsigned long)p, sizeof(struct wp_cached_switch));
}

/* Empties the cache. */
static void forget(void)
{
	memset(cache, 0, sizeof(*cache));
	wp_switch_cache_init(cache);
	memset(&slot, 0, sizeof(slot));
	wp_interval_begin(&slot, &thread, WALLPROF_TASK_RUNNING, WALLPROF_STATE_RUNNING,
			  1000);
}

static void set_up(struct kunit *test)
{
	cache = alloc(test);
	forget();
}

/* Leaves, having come by no entry; returns whether it leaves by one. */
static bool leaves(struct wallprof_task *of, const struct wp_switch_key *skey, bool by_fp)
{
	return switch_cache_leave(cache, &cache->none, of, KEY, &thread, skey, by_fp, &half,
				  of->since + 10);
}

/* Leaves and comes; returns whether it left by an entry. */
static bool goes(const struct wp_switch_key *skey)
{
	bool cached = leaves(&slot, skey, true);

	switch_cache_come(&slot, slot.since + 10);
	return cached;
}

/* Wakes; returns whether it does by an entry. @id: the record's. */
static bool wakes(const struct wp_switch_key *skey, u64 *id)
{
	return switch_cache_wake(cache, &slot, KEY, &thread, skey, true, &half, id);
}

static const struct wp_switch_key waking = {
	.ip = 0x401000, .sp = 0x7ffd0000, .fp = 0x7ffd1000, .arg = 3, .changes = 5, .nr = 7,
	.state = WP_SWITCH_WAKES, .exec_id = 9, .epoch = 2,
};

static void learned_the_second_time(struct kunit *test)
{
	set_up(test);
	KUNIT_EXPECT_FALSE(test, goes(&switch_cache_usual));
	KUNIT_EXPECT_FALSE(test, goes(&switch_cache_usual));
	KUNIT_EXPECT_TRUE(test, goes(&switch_cache_usual));
	KUNIT_EXPECT_TRUE(test, goes(&switch_cache_usual));
}

/* A part of the key, by its offset in the structure. */
struct part {
	const char *name;
	size_t at, size;
};

#define PART(type, field) { #field, offsetof(type, field), sizeof_field(type, field) }

static const struct part parts[] = {
	PART(struct wp_switch_key, ip),	     PART(struct wp_switch_key, sp),
	PART(struct wp_switch_key, fp),	     PART(struct wp_switch_key, arg),
	PART(struct wp_switch_key, changes), PART(struct wp_switch_key, nr),
	PART(struct wp_switch_key, state),   PART(struct wp_switch_key, exec_id),
	PART(struct wp_switch_key, odd),
};

static void part_desc(const struct part *part, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", part->name);
}

KUNIT_ARRAY_PARAM(part, parts, part_desc);

/* A change of any bit of any part is found, and the old key still has its entry. */
static void one_part_changes(struct kunit *test)
{
	const struct part *part = test->param_value;
	unsigned int bit;

	set_up(test);
	for (bit = 0; bit < 8 * part->size; bit++) {
		struct wp_switch_key other = switch_cache_usual;

		forget();
		goes(&switch_cache_usual);
		goes(&switch_cache_usual);
		((u8 *)&other + part->at)[bit / 8] ^= BIT(bit % 8);
		KUNIT_EXPECT_FALSE(test,
				   wp_cached_matches(wp_cached_of(cache, &slot,
								  &switch_cache_usual),
						     &slot, &other));
		KUNIT_EXPECT_TRUE(test,
				  wp_cached_matches(wp_cached_of(cache, &slot, &switch_cache_usual),
						    &slot, &switch_cache_usual));
	}
}

/* The same of the entry by which it came, except an exec, which the probe handles. */
static void one_part_changes_still(struct kunit *test)
{
	const struct part *part = test->param_value;
	bool exec = part->at == offsetof(struct wp_switch_key, exec_id);
	struct wp_cached_switch *cached;
	unsigned int bit;

	set_up(test);
	goes(&switch_cache_usual);
	goes(&switch_cache_usual);
	cached = wp_cached_of(cache, &slot, &switch_cache_usual);
	for (bit = 0; bit < 8 * part->size; bit++) {
		struct wp_switch_key other = switch_cache_usual;

		((u8 *)&other + part->at)[bit / 8] ^= BIT(bit % 8);
		KUNIT_EXPECT_EQ(test, wp_cached_matches_key(cached, &other), exec);
	}
	KUNIT_EXPECT_TRUE(test, wp_cached_matches_key(cached, &switch_cache_usual));
}

/* The same of a thread that wakes another one, which may be by any argument. */
static void one_part_changes_of_a_waker(struct kunit *test)
{
	const struct part *part = test->param_value;
	bool arg = part->at == offsetof(struct wp_switch_key, arg);
	struct wp_cached_switch *cached;
	struct wallprof_task twin;
	unsigned int bit;
	u64 ids[3];

	set_up(test);
	cached = wp_cached_of_waker(cache, &slot, &waking);
	KUNIT_EXPECT_FALSE(test, wakes(&waking, &ids[0]));
	KUNIT_EXPECT_FALSE(test, wakes(&waking, &ids[1]));
	KUNIT_EXPECT_TRUE(test, wakes(&waking, &ids[2]));
	KUNIT_EXPECT_EQ(test, ids[0], ids[1]);
	KUNIT_EXPECT_EQ(test, ids[1], ids[2]);
	for (bit = 0; bit < 8 * part->size; bit++) {
		struct wp_switch_key other = waking;

		((u8 *)&other + part->at)[bit / 8] ^= BIT(bit % 8);
		KUNIT_EXPECT_EQ(test, wp_cached_wakes(cached, &slot, &other), arg);
	}
	KUNIT_EXPECT_TRUE(test, wp_cached_wakes(cached, &slot, &waking));
	twin = slot;
	KUNIT_EXPECT_FALSE(test, wp_cached_wakes(cached, &twin, &waking));
	slot.start_time++;
	KUNIT_EXPECT_FALSE(test, wp_cached_wakes(cached, &slot, &waking));
}

/* A thread that is preempted where it wakes another one keeps an entry of each. */
static void wakes_and_leaves_at_one_place(struct kunit *test)
{
	struct wp_switch_key preempted = waking;
	unsigned int i;
	bool again;
	u64 id;

	set_up(test);
	preempted.state = WP_SWITCH_PREEMPTED;
	for (i = 0; i < 4; i++) {
		again = wakes(&waking, &id);
		KUNIT_EXPECT_EQ(test, again, i >= 2);
		again = goes(&preempted);
		KUNIT_EXPECT_EQ(test, again, i >= 2);
	}
	/* It is away by the one by which it left. */
	leaves(&slot, &preempted, true);
	KUNIT_EXPECT_PTR_EQ(test, *wp_cached_away(cache, KEY),
			    wp_cached_of(cache, &slot, &preempted));
	KUNIT_EXPECT_FALSE(test, wp_cached_left_by(wp_cached_of_waker(cache, &slot, &waking), &slot,
						   KEY, waking.changes));
}

/* Parts that must be the same twice before an entry is learned. */
static const struct part twice[] = {
	PART(struct wp_switch_key, ip),
	PART(struct wp_switch_key, sp),
	PART(struct wp_switch_key, nr),
	PART(struct wp_switch_key, state),
};

KUNIT_ARRAY_PARAM(twice, twice, part_desc);

static void nothing_learned_from_what_was_once(struct kunit *test)
{
	const struct part *part = test->param_value;
	struct wp_switch_key other = switch_cache_usual;

	set_up(test);
	((u8 *)&other + part->at)[0] ^= 8;
	goes(&switch_cache_usual);
	goes(&other);
	KUNIT_EXPECT_FALSE(test, goes(&other));
}

/* A frame pointer that the walk has not read does not matter. */
static void frame_pointer_may_not_matter(struct kunit *test)
{
	struct wp_switch_key other = switch_cache_usual;
	bool again;

	set_up(test);
	other.fp++;
	leaves(&slot, &switch_cache_usual, false);
	switch_cache_come(&slot, 1020);
	leaves(&slot, &switch_cache_usual, false);
	switch_cache_come(&slot, 1040);
	again = leaves(&slot, &other, false);
	KUNIT_EXPECT_TRUE(test, again);
}

static const struct part of_slot[] = {
	PART(struct wallprof_task, start_time), PART(struct wallprof_task, phase),
};

KUNIT_ARRAY_PARAM(of_slot, of_slot, part_desc);

/* Another thread has the slot, or the thread's coming was missed. */
static void slot_changes(struct kunit *test)
{
	const struct part *part = test->param_value;
	u8 *at = (u8 *)&slot + part->at;

	set_up(test);
	goes(&switch_cache_usual);
	goes(&switch_cache_usual);
	*at ^= 1;
	KUNIT_EXPECT_FALSE(test,
			   wp_cached_matches(wp_cached_of(cache, &slot, &switch_cache_usual),
					     &slot, &switch_cache_usual));
	*at ^= 1;
	KUNIT_EXPECT_TRUE(test,
			  wp_cached_matches(wp_cached_of(cache, &slot, &switch_cache_usual),
					    &slot, &switch_cache_usual));
}

/* A thread has the slot and the ids of one that left by an entry. */
static void another_thread_begins(struct kunit *test)
{
	static const struct wp_thread other = {
		.start_time = 600, .tid = 21, .tgid = 20, .exec_id = 9,
	};
	bool again;

	set_up(test);
	goes(&switch_cache_usual);
	wp_interval_begin(&slot, &other, WALLPROF_TASK_RUNNING, WALLPROF_STATE_RUNNING,
			  slot.since + 10);
	switch_cache_leave(cache, &cache->none, &slot, KEY, &other, &switch_cache_usual,
			   true, &half, slot.since + 10);
	switch_cache_come(&slot, slot.since + 10);
	again = switch_cache_leave(cache, &cache->none, &slot, KEY, &other, &switch_cache_usual,
				   true, &half, slot.since + 10);
	KUNIT_EXPECT_FALSE(test, again);
}

static const struct part while_away[] = {
	PART(struct wallprof_task, since), PART(struct wallprof_task, phase),
	PART(struct wallprof_task, state), PART(struct wallprof_task, flags),
};

KUNIT_ARRAY_PARAM(while_away, while_away, part_desc);

/* An entry of a thread that is away lasts until the slot changes. */
static void lasts_until_the_slot_changes(struct kunit *test)
{
	const struct part *part = test->param_value;
	u64 changes = switch_cache_usual.changes;
	struct wp_cached_switch *cached;
	unsigned int bit;

	set_up(test);
	goes(&switch_cache_usual);
	goes(&switch_cache_usual);
	leaves(&slot, &switch_cache_usual, true);
	cached = *wp_cached_away(cache, KEY);
	KUNIT_EXPECT_PTR_EQ(test, cached->slot, &slot);
	KUNIT_EXPECT_TRUE(test, wp_cached_left_by(cached, &slot, KEY, changes));
	KUNIT_EXPECT_FALSE(test, wp_cached_left_by(cached, &slot, KEY, changes + 1));
	KUNIT_EXPECT_FALSE(test, wp_cached_left_by(cached, &slot, KEY + 1, changes));
	for (bit = 0; bit < 8 * part->size; bit++) {
		u8 *at = (u8 *)&slot + part->at + bit / 8;

		*at ^= BIT(bit % 8);
		KUNIT_EXPECT_FALSE(test, wp_cached_left_by(cached, &slot, KEY, changes));
		*at ^= BIT(bit % 8);
	}
}

/* The clock stands still, and the thread leaves by another entry. */
static void time_is_of_one_leaving(struct kunit *test)
{
	struct wp_switch_key other = switch_cache_usual;
	struct wp_cached_switch *cached;
	u64 now;

	set_up(test);
	goes(&switch_cache_usual);
	goes(&switch_cache_usual);
	leaves(&slot, &switch_cache_usual, true);
	now = slot.since;
	cached = *wp_cached_away(cache, KEY);
	KUNIT_EXPECT_TRUE(test, wp_cached_left_by(cached, &slot, KEY, switch_cache_usual.changes));
	switch_cache_come(&slot, now);
	other.ip++;
	switch_cache_leave(cache, &cache->none, &slot, KEY, &thread, &other, true, &half, now);
	KUNIT_EXPECT_FALSE(test, wp_cached_left_by(cached, &slot, KEY, switch_cache_usual.changes));
}

/* Two slots may share the place of an entry, and each has its own entry only. */
static void slots_are_distinguished(struct kunit *test)
{
	struct wallprof_task *two;
	struct wp_cached_switch *cached;

	set_up(test);
	two = suite_alloc(test, 2 * sizeof(*two));
	wp_interval_begin(&two[0], &thread, WALLPROF_TASK_RUNNING, WALLPROF_STATE_RUNNING,
			  1000);
	two[1] = two[0];
	leaves(&two[0], &switch_cache_usual, true);
	two[1] = two[0];
	switch_cache_come(&two[0], 1020);
	cached = wp_cached_of(cache, &two[0], &switch_cache_usual);
	/* The other slot's thread has left only once. */
	*wp_cached_of(cache, &two[1], &switch_cache_usual) = *cached;
	leaves(&two[1], &switch_cache_usual, true);
	KUNIT_EXPECT_EQ(test, wp_cached_of(cache, &two[1], &switch_cache_usual)->changes, 0);
	leaves(&two[0], &switch_cache_usual, true);
	KUNIT_EXPECT_PTR_EQ(test, cached->slot, &two[0]);
	KUNIT_EXPECT_TRUE(test,
			  wp_cached_left_by(cached, &two[0], KEY, switch_cache_usual.changes));
	switch_cache_come(&two[0], 1040);
	two[1] = two[0];
	KUNIT_EXPECT_FALSE(test, wp_cached_matches(cached, &two[1], &switch_cache_usual));
	KUNIT_EXPECT_TRUE(test, wp_cached_matches(cached, &two[0], &switch_cache_usual));
}

/* A thread that waits for two objects in turn, at one place, keeps an entry of each. */
static void objects_are_distinguished(struct kunit *test)
{
	struct wp_switch_key two[2] = { switch_cache_usual, switch_cache_usual };
	unsigned int i;

	set_up(test);
	for (i = 0; i < 2; i++) {
		two[i].nr = SWITCH_CACHE_FUTEX;
		two[i].arg = 4 * (i + 1);
	}
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_FALSE(test, goes(&two[i % 2]));
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_TRUE(test, goes(&two[i % 2]));
}

static const struct part causes[] = {
	PART(struct wallprof_task, syscall), PART(struct wallprof_task, reason),
	PART(struct wallprof_task, waker), PART(struct wallprof_task, waker_tid),
	PART(struct wallprof_task, waker_stack),
};

KUNIT_ARRAY_PARAM(cause, causes, part_desc);

static void waker_changes(struct kunit *test)
{
	const struct part *part = test->param_value;
	bool stack = part->at == offsetof(struct wallprof_task, waker_stack);
	struct wallprof_aggr aggr = {
		.syscall = 7, .reason = WALLPROF_REASON_SYSCALL, .waker_tid = 33,
		.waker = WALLPROF_WAKER_TASK, .waker_stack = 77,
	};
	unsigned int bit;

	set_up(test);
	slot.syscall = 7;
	slot.reason = WALLPROF_REASON_SYSCALL;
	wp_interval_wake(&slot, WALLPROF_WAKER_TASK, 33, 77, 2000);
	KUNIT_EXPECT_TRUE(test, wp_cached_same_waker(&aggr, &slot, true));
	for (bit = 0; bit < 8 * part->size; bit++) {
		u8 *at = (u8 *)&slot + part->at + bit / 8;

		*at ^= BIT(bit % 8);
		KUNIT_EXPECT_FALSE(test, wp_cached_same_waker(&aggr, &slot, true));
		KUNIT_EXPECT_EQ(test, wp_cached_same_waker(&aggr, &slot, false), stack);
		*at ^= BIT(bit % 8);
	}
	KUNIT_EXPECT_FALSE(test, wp_cached_same_waker(&cache->nowhere, &slot, false));
}

/* Why no entry held, by the part of the key that differs. */
struct missed {
	struct part part;
	enum wallprof_switch kind;
};

#define MISSED(field, kind) { PART(struct wp_switch_key, field), WALLPROF_SWITCH_LEFT_ ## kind }

static const struct missed missed[] = {
	MISSED(ip, REPLACED), MISSED(sp, REPLACED), MISSED(nr, REPLACED), MISSED(state, REPLACED),
	MISSED(changes, CHANGED), MISSED(arg, ARGUMENT), MISSED(fp, STACK),
};

static void missed_desc(const struct missed *m, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", m->part.name);
}

KUNIT_ARRAY_PARAM(missed, missed, missed_desc);

static void why_it_left_by_no_entry(struct kunit *test)
{
	const struct missed *m = test->param_value;
	struct wp_switch_key other = switch_cache_usual;
	const struct wp_cached_switch *cached;

	set_up(test);
	cached = wp_cached_of(cache, &slot, &switch_cache_usual);
	KUNIT_EXPECT_EQ(test, wp_cached_left_kind(cached, &slot, &switch_cache_usual),
			WALLPROF_SWITCH_LEFT_FIRST);
	goes(&switch_cache_usual);
	KUNIT_EXPECT_EQ(test, wp_cached_left_kind(cached, &slot, &switch_cache_usual),
			WALLPROF_SWITCH_LEFT_FIRST);
	goes(&switch_cache_usual);
	((u8 *)&other + m->part.at)[0] ^= 8;
	KUNIT_EXPECT_EQ(test, wp_cached_left_kind(cached, &slot, &other), m->kind);
	/* What another thread did before an epoch began is in nobody's way. */
	if (m->kind == WALLPROF_SWITCH_LEFT_REPLACED) {
		other.changes++;
		KUNIT_EXPECT_EQ(test, wp_cached_left_kind(cached, &slot, &other),
				WALLPROF_SWITCH_LEFT_FIRST);
	}
}

static void why_it_was_not_added(struct kunit *test)
{
	struct wallprof_aggr aggr = {
		.syscall = 7, .reason = WALLPROF_REASON_SYSCALL, .waker_tid = 33,
		.waker = WALLPROF_WAKER_TASK,
	};
	struct wp_cached_switch cached = {};

	set_up(test);
	slot.syscall = 7;
	slot.reason = WALLPROF_REASON_SYSCALL;
	wp_interval_wake(&slot, WALLPROF_WAKER_TASK, 34, 0, 2000);
	KUNIT_EXPECT_EQ(test, wp_cached_came_kind(cache, NULL, &slot),
			WALLPROF_SWITCH_CAME_UNKNOWN);
	wp_cached_sums(&cached, &cache->nowhere, false);
	KUNIT_EXPECT_EQ(test, wp_cached_came_kind(cache, &cached, &slot),
			WALLPROF_SWITCH_CAME_FIRST);
	wp_cached_sums(&cached, &aggr, false);
	KUNIT_EXPECT_EQ(test, wp_cached_came_kind(cache, &cached, &slot),
			WALLPROF_SWITCH_CAME_WAKER);
	aggr.waker_tid = 34;
	KUNIT_EXPECT_EQ(test, wp_cached_came_kind(cache, &cached, &slot),
			WALLPROF_SWITCH_CAME_LENGTH);
	aggr.waker_tid = 33;
	wp_cached_sums(&cached, &aggr, true);
	KUNIT_EXPECT_EQ(test, wp_cached_came_kind(cache, &cached, &slot),
			WALLPROF_SWITCH_CAME_LENGTH);
}

/* An aggregate is noted with whether its intervals were runnable all the time. */
static void summed_where_it_is_known(struct kunit *test)
{
	struct wallprof_aggr aggr = {};
	struct wp_cached_switch cached = {};

	set_up(test);
	wp_cached_sums(&cached, &aggr, true);
	KUNIT_EXPECT_PTR_EQ(test, cached.aggr, &aggr);
	KUNIT_EXPECT_TRUE(test, cached.runnable);
	wp_cached_sums(&cached, &aggr, false);
	KUNIT_EXPECT_FALSE(test, cached.runnable);
}

/* What decides a stack is kept, and its stop reason. */
static void stack_is_kept(struct kunit *test)
{
	struct wp_cached_stack old = {
		.begin = 17, .nr = 12, .stop = WALLPROF_UNWIND_FAULT, .by_fp = true,
		.fp = 0x7ffd2000, .flags = WALLPROF_STACK_BY_FP, .far = 1234, .interp = 2,
	};
	struct wp_cached_switch cached = {};

	wp_cached_set_stack(&cached, &old, &half);
	KUNIT_EXPECT_EQ(test, cached.begin, old.begin);
	KUNIT_EXPECT_EQ(test, cached.nr_words, old.nr);
	KUNIT_EXPECT_EQ(test, cached.far, old.far);
	KUNIT_EXPECT_PTR_EQ(test, cached.hits,
			    wp_cache_hits_of(&half, WALLPROF_UNWIND_FAULT, true, 2));
	KUNIT_EXPECT_TRUE(test, cached.by_fp);
	KUNIT_EXPECT_EQ(test, cached.fp, old.fp);
	old.flags = 0;
	old.interp = 0;
	wp_cached_set_stack(&cached, &old, &half);
	KUNIT_EXPECT_PTR_EQ(test, cached.hits,
			    wp_cache_hits_of(&half, WALLPROF_UNWIND_FAULT, false, 0));
	wp_cached_set_address(&cached, &half);
	KUNIT_EXPECT_EQ(test, cached.nr_words, 0);
	KUNIT_EXPECT_EQ(test, cached.far, 0);
	KUNIT_EXPECT_PTR_EQ(test, cached.hits,
			    wp_cache_hits_of(&half, WALLPROF_UNWIND_DEPTH, true, 0));
	KUNIT_EXPECT_FALSE(test, cached.by_fp);
}

/* An entry counts in one half. */
static void counts_in_one_half(struct kunit *test)
{
	static struct wp_half two[2];
	unsigned int i;

	for (i = 0; i < WP_CACHE_HITS; i++) {
		const unsigned int stop = i / 2 % WALLPROF_UNWIND_MAX;
		const unsigned int interp = i / 2 / WALLPROF_UNWIND_MAX;
		struct wp_cache_hits *hits = wp_cache_hits_of(&two[0], stop, i % 2, interp);

		KUNIT_EXPECT_TRUE(test, wp_cache_hits_are_in(hits, &two[0]));
		KUNIT_EXPECT_FALSE(test, wp_cache_hits_are_in(hits, &two[1]));
		hits = wp_cache_hits_of(&two[1], stop, i % 2, interp);
		KUNIT_EXPECT_FALSE(test, wp_cache_hits_are_in(hits, &two[0]));
	}
	KUNIT_EXPECT_FALSE(test, wp_cache_hits_are_in(NULL, &two[0]));
}

/* Every hash gives a place in the table. */
static void all_are_within(struct kunit *test)
{
	unsigned int i;

	set_up(test);
	for (i = 0; i < SUITE_ROUNDS(10000); i++) {
		struct wp_switch_key skey = { .ip = suite_random(), .nr = suite_random(),
				      .state = suite_random() };
		const struct wallprof_task *at = (void *)(unsigned long)(suite_random() & ~7ULL);
		struct wp_cached_switch *cached = wp_cached_of(cache, at, &skey);
		struct wp_cached_switch **away = wp_cached_away(cache, (unsigned long)at);

		KUNIT_ASSERT_TRUE(test, cached >= cache->entries &&
				  cached < cache->entries + ARRAY_SIZE(cache->entries));
		KUNIT_ASSERT_EQ(test, 0, ((char *)cached - (char *)cache->entries) %
				(long)sizeof(*cached));
		KUNIT_ASSERT_TRUE(test, away >= cache->away &&
				  away < cache->away + ARRAY_SIZE(cache->away));
		KUNIT_ASSERT_TRUE(test, *away == &cache->none);
		cached = wp_cached_of_waker(cache, at, &skey);
		KUNIT_ASSERT_TRUE(test, cached >= cache->entries &&
				  cached < cache->entries + ARRAY_SIZE(cache->entries));
		KUNIT_ASSERT_EQ(test, 0, ((char *)cached - (char *)cache->entries) %
				(long)sizeof(*cached));
	}
}

/* Whatever threads do, all is recorded as without the cache. */
static void as_without_cache(struct kunit *test)
{
	struct switch_cache_model *m =
		suite_alloc(test, sizeof(*m) + sizeof(struct wp_cached_switch));
	unsigned int i;

	m = (void *)ALIGN((unsigned long)m, sizeof(struct wp_cached_switch));
	switch_cache_model_set(m);
	for (i = 0; i < SUITE_ROUNDS(200000) && !suite_failed(test); i++) {
		/* Mostly as switch_cache_usual. */
		struct switch_cache_step step = {
			.who = suite_below(SWITCH_CACHE_THREADS),
			.event = suite_below(500) ? suite_below(3) ? 0 : SWITCH_CACHE_WAKES :
				 suite_below(SWITCH_CACHE_EVENTS),
			.cpu = (suite_random() & 0xf0) | 2,
		};

		if (!suite_below(4))
			step.how = suite_random() & suite_random();
		if (!suite_below(16))
			step.cpu ^= suite_below(16);
		KUNIT_EXPECT_TRUE(test, switch_cache_model_step(m, &step));
	}
	/* Otherwise the test has tried nothing. */
	KUNIT_EXPECT_GT(test, m->left_again, i / 10);
	KUNIT_EXPECT_GT(test, m->came_again, i / 40);
	KUNIT_EXPECT_GT(test, m->woke_again, i / 20);
	KUNIT_EXPECT_TRUE(test, switch_cache_model_flip(m));
	KUNIT_EXPECT_TRUE(test, switch_cache_model_flip(m));
	KUNIT_EXPECT_EQ(test, m->head[0].walks_remembered + m->head[1].walks_remembered,
			m->left_again + m->woke_again);
	KUNIT_EXPECT_EQ(test, m->head[0].unwinds[WALLPROF_UNWIND_END] +
			m->head[1].unwinds[WALLPROF_UNWIND_END], m->left_again + m->woke_again);
	KUNIT_EXPECT_EQ(test, m->head[0].walks_mixed + m->head[1].walks_mixed, m->mixed);
	KUNIT_EXPECT_EQ(test, m->head[0].switches[WALLPROF_SWITCH_LEFT_CACHED] +
			m->head[1].switches[WALLPROF_SWITCH_LEFT_CACHED], m->left_again);
	KUNIT_EXPECT_EQ(test, m->head[0].switches[WALLPROF_SWITCH_CAME_CACHED] +
			m->head[1].switches[WALLPROF_SWITCH_CAME_CACHED], m->came_again);
	KUNIT_EXPECT_EQ(test, m->head[0].events + m->head[1].events, m->came_again);
}

static struct kunit_case switch_cache_cases[] = {
	KUNIT_CASE(learned_the_second_time),
	KUNIT_CASE_PARAM(one_part_changes, part_gen_params),
	KUNIT_CASE_PARAM(one_part_changes_still, part_gen_params),
	KUNIT_CASE_PARAM(one_part_changes_of_a_waker, part_gen_params),
	KUNIT_CASE(wakes_and_leaves_at_one_place),
	KUNIT_CASE_PARAM(nothing_learned_from_what_was_once, twice_gen_params),
	KUNIT_CASE(frame_pointer_may_not_matter),
	KUNIT_CASE_PARAM(slot_changes, of_slot_gen_params),
	KUNIT_CASE(another_thread_begins),
	KUNIT_CASE(slots_are_distinguished),
	KUNIT_CASE(objects_are_distinguished),
	KUNIT_CASE_PARAM(lasts_until_the_slot_changes, while_away_gen_params),
	KUNIT_CASE(time_is_of_one_leaving),
	KUNIT_CASE_PARAM(waker_changes, cause_gen_params),
	KUNIT_CASE_PARAM(why_it_left_by_no_entry, missed_gen_params),
	KUNIT_CASE(why_it_was_not_added),
	KUNIT_CASE(summed_where_it_is_known),
	KUNIT_CASE(stack_is_kept),
	KUNIT_CASE(counts_in_one_half),
	KUNIT_CASE(all_are_within),
	KUNIT_CASE(as_without_cache),
	{}
};

static struct kunit_suite switch_cache_suite = {
	.name = "wallprof_switch_cache",
	.init = suite_init,
	.test_cases = switch_cache_cases,
};

kunit_test_suite(switch_cache_suite);
