// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of module/pure/intervals.c: a thread comes, goes and ends, also in impossible
 * orders, while the clock moves at random. After each step the per-thread totals must
 * hold: they add up to the time that passed, and each recorded interval is in them once.
 *
 * Input: the first phase, then steps of two bytes and, for some, a time: the event (it
 * comes, leaves, is woken, …), and how the clock moves.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "pure/intervals.h"

static const uint8_t *data;
static size_t left;

static u64 take(int bytes)
{
	u64 value = 0;

	for (; bytes && left; bytes--, left--)
		value = value << 8 | *data++;
	return value;
}

static void must(bool good)
{
	if (!good)
		abort();
}

/* The time of a clock that never steps back, and what was recorded. */
static u64 born, now, latest, recorded, recorded_runnable, unknown;

static void pass(u8 how)
{
	if (how < 100)
		now += how;
	else if (how < 160)
		now -= now < how ? now : how;
	else if (how < 220)
		now += take(4);
	else
		now = take(8) >> 1;
	latest = now > latest ? now : latest;
}

static void holds(const struct wallprof_task *slot)
{
	must(slot->born == born && slot->since == latest);
	must(slot->run_ns + slot->off_ns + slot->unknown_ns == latest - born);
	must(slot->unknown_ns == unknown);
	must(slot->off_ns == recorded + slot->open_ns);
	must(slot->runnable_ns == recorded_runnable + slot->open_runnable_ns);
	must(slot->runnable_ns <= slot->off_ns);
	must(slot->open_runnable_ns <= slot->open_ns);
	must(slot->runnable_max <= slot->runnable_ns);
	must(slot->blocked_max <= slot->off_ns - slot->runnable_ns);
}

static void close_interval(struct wallprof_task *slot)
{
	u64 before = slot->since, ns, nr = slot->nr_off;
	u8 phase = slot->phase, state = slot->state, waker = slot->waker;
	u64 woken = slot->woken, runnable = slot->runnable_ns, stack = slot->waker_stack;
	u16 flags = slot->flags, syscall = slot->syscall;
	struct wallprof_aggr key = {};
	struct wp_interval interval;
	enum wp_closed closed;

	memset(&key, 0xff, sizeof(key));
	closed = wp_interval_close(slot, now, &interval);
	ns = interval.ns;
	if (closed == WP_CLOSED_INTERVAL) {
		u8 *byte = (u8 *)&key + take(1) % offsetof(struct wallprof_aggr, count);
		u8 flipped = 1 << take(1) % 8;

		wp_interval_key(slot, &interval, &key);
		must(wp_interval_is_of(slot, &interval, &key));
		/*
		 * With any other key it is not the one, except the kind, of which there
		 * is one.
		 */
		*byte ^= flipped;
		must(byte == &key.kind || !wp_interval_is_of(slot, &interval, &key));
		*byte ^= flipped;
	}
	if (closed != WP_CLOSED_NOTHING)
		wp_interval_forget(slot);
	must(slot->phase == WALLPROF_TASK_RUNNING);
	if (phase == WALLPROF_TASK_RUNNING) {
		unknown += latest - before;
		must(closed == WP_CLOSED_NOTHING && !ns && slot->nr_off == nr);
		return;
	}
	must(ns == latest - before && slot->nr_off == nr + 1 && !slot->flags);
	must(closed == (flags & WALLPROF_TASK_FILTERED ? WP_CLOSED_FILTERED :
							 WP_CLOSED_INTERVAL));
	recorded += ns;
	recorded_runnable += slot->runnable_ns - runnable;
	must(slot->runnable_ns - runnable <= ns);
	must(!slot->woken && !slot->waker);
	if (closed != WP_CLOSED_INTERVAL)
		return;
	must(key.tid == slot->tid && key.tgid == slot->tgid &&
	     key.start_time == slot->start_time && key.exec_id == slot->exec_id &&
	     key.state == state && key.kind == WALLPROF_AGGR_OFFCPU);
	must(!(key.flags & WALLPROF_AGGR_NO_STACK) == !(flags & WALLPROF_TASK_NO_STACK));
	must(!(key.flags & WALLPROF_AGGR_SINCE_START) ==
	     !(flags & WALLPROF_TASK_SINCE_START));
	must(!slot->user_stack && !slot->kernel_stack);
	must(key.runnable == slot->runnable_ns - runnable && key.syscall == syscall);
	must(!key.waker || (key.waker == waker && woken));
	must(key.waker || (!key.waker_tid && !key.waker_stack));
	must(!key.waker || key.waker_stack == stack);
}

static void open_interval(struct wallprof_task *slot)
{
	struct wp_thread thread = { .start_time = take(1), .tid = take(1),
				    .tgid = take(1), .exec_id = take(1) };
	u8 how = take(1), phase = slot->phase;
	u64 before = slot->since;
	struct wp_leave leave = {
		.user_stack = take(1), .kernel_stack = take(1),
		.arg = take(1), .syscall = take(1), .reason = take(1),
		.state = how % WALLPROF_STATE_MAX,
		.flags = (how & 64 ? WALLPROF_TASK_FILTERED : 0) |
			 (how & 128 ? WALLPROF_TASK_NO_STACK : 0),
	};

	wp_interval_open(slot, &thread, &leave, now);
	/* No two intervals begin at the same time. */
	latest = now > before ? now : before + 1;
	if (phase == WALLPROF_TASK_OFF)
		unknown += latest - before;
	must(slot->phase == WALLPROF_TASK_OFF && slot->state == leave.state);
	must(slot->tid == thread.tid && slot->tgid == thread.tgid &&
	     slot->start_time == thread.start_time && slot->exec_id == thread.exec_id);
	must(slot->user_stack == leave.user_stack &&
	     slot->kernel_stack == leave.kernel_stack && slot->flags == leave.flags);
}

static void end_interval(struct wallprof_task *slot, bool on_cpu, u64 min, u64 max)
{
	struct wp_range range = wp_range_of(min, max > min ? max : 0);
	bool out;

	wp_interval_end(slot, now, on_cpu, &range);
	out = slot->open_ns < min || (max > min && slot->open_ns > max);
	must(!(slot->flags & WALLPROF_TASK_OUT_OF_RANGE) ==
	     !(slot->flags & WALLPROF_TASK_OPEN && out));
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	static const u8 phases[] = {
		WALLPROF_TASK_UNSEEN, WALLPROF_TASK_RUNNING, WALLPROF_TASK_OFF,
	};
	const struct wp_thread thread = { .start_time = 1, .tid = 2, .tgid = 3 };
	struct wallprof_task slot;
	u64 spilled = 0;

	data = input;
	left = size;
	recorded = 0;
	recorded_runnable = 0;
	unknown = 0;
	born = take(1) & 1 ? take(8) >> 1 : 1000;
	now = born;
	latest = born;
	wp_interval_begin(&slot, &thread, phases[take(1) % 3], take(1) % WALLPROF_STATE_MAX,
			  born);
	holds(&slot);
	while (left) {
		u8 what = take(1);
		u64 ns;

		pass(take(1));
		if (what < 110) {
			close_interval(&slot);
		} else if (what < 200) {
			open_interval(&slot);
		} else if (what < 240) {
			/* By another clock, and no step of the thread. */
			wp_interval_wake(&slot, 1 + what % 3, take(1), take(1),
					 (what & 1 ? now + take(1) : take(8)) | 1);
			latest = slot.since;
			now = latest;
		} else {
			/* No step: the slot stays behind the clock. */
			ns = take(2);
			wp_interval_spill(&slot, ns, ns / 2);
			spilled += ns;
			must(slot.spill_ns == spilled);
			latest = slot.since;
			now = latest;
		}
		holds(&slot);
	}
	pass(7);
	if (size & 1 && slot.phase == WALLPROF_TASK_RUNNING) {
		wp_interval_exit(&slot, now);
		must(slot.phase == WALLPROF_TASK_EXITED);
	} else {
		end_interval(&slot, size & 2, take(1), take(1));
		must(!(slot.flags & WALLPROF_TASK_OPEN) ==
		     (slot.phase != WALLPROF_TASK_OFF));
	}
	holds(&slot);
	return 0;
}
