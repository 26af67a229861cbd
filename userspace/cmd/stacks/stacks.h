/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wallprof stacks: what its files share. stacks.c has its life, stacks/groups.c the
 * groups that it prints, stacks/print.c its lines, whole stacks and JSON.
 */
#ifndef WP_CMD_STACKS_STACKS_H
#define WP_CMD_STACKS_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include <linux/wallprof.h>

#include "lib/model/cause.h"

struct wp_livename;
struct wp_livenames;
struct wp_objects;
struct wp_procstack;
struct wp_stack;

/* What a thread is at. */
enum wp_now {
	WP_NOW_ONCPU,
	WP_NOW_RUNNABLE,
	WP_NOW_BLOCKED,
};

/**
 * enum wp_now_rank - what matters more comes first
 * @WP_RANK_DISK: blocked in D
 * @WP_RANK_LOCK: in a call that waits for what another thread holds; or it waits for a
 *	CPU for long
 * @WP_RANK_BLOCKED: blocked in anything else
 * @WP_RANK_RUNNABLE: it waits for a CPU
 * @WP_RANK_ONCPU: it waits for nothing
 * @WP_RANK_IDLE: it waits for its next work
 */
enum wp_now_rank {
	WP_RANK_DISK,
	WP_RANK_LOCK,
	WP_RANK_BLOCKED,
	WP_RANK_RUNNABLE,
	WP_RANK_ONCPU,
	WP_RANK_IDLE,
};

/**
 * struct wp_now_thread - a thread at that moment
 * @tid: thread
 * @tgid: its process
 * @comm: its name; "" if it has ended since
 * @now: what it is at
 * @state: enum wallprof_state, if it is not on a CPU
 * @iowait: the kernel calls it iowait
 * @lost: it has a stack for which there was no room
 * @at_least: it has been at that for longer than @age, nobody knows how long
 * @age: for so many nanoseconds
 * @kthread: it is a kernel thread
 * @idle: it waits for its next work, a kernel thread by wp_kidle_wait()
 * @cause: why, if it is not on a CPU
 * @object: what it waits for, for wp_objects_text(), or 0
 * @user: its user stack or NULL
 * @kernel: its kernel stack or NULL
 * @proc: the same, of one that has slept since before the start, or NULL. Of kernel
 *	threads it is there without --kernel-callchains, too
 */
struct wp_now_thread {
	__u32 tid;
	__u32 tgid;
	char comm[WALLPROF_COMM_LEN];
	enum wp_now now;
	__u8 state;
	bool iowait;
	bool lost;
	bool at_least;
	bool kthread;
	bool idle;
	__u64 age;
	struct wp_cause cause;
	__u32 object;
	const struct wp_stack *user;
	const struct wp_stack *kernel;
	const struct wp_procstack *proc;
};

/**
 * struct wp_now_before - of a slot of the task table, just before STOP
 * @since: since when its phase lasts
 * @nr_off: its intervals so far: as long as there are no more, @since is true
 * @proc: of kernel threads, and with --kernel-callchains of all: the stack that /proc
 *	has, or NULL
 */
struct wp_now_before {
	__u64 since;
	__u64 nr_off;
	struct wp_procstack *proc;
};

/**
 * struct wp_now_threads - all of them
 * @thread: the threads
 * @nr: their number
 * @room: for how many there is room
 * @time: the moment
 * @invisible: threads more, that have no id in this pid namespace
 * @left_out: threads more, by --min
 * @kthreads: idle kernel threads more, which are hidden
 * @kthreads_ns: for how long they were blocked while we looked, in sum
 * @loops: others more that wait for their next work, likewise
 * @loops_ns: the same of these
 * @objects: what they wait for
 * @names: of functions
 * @before: the slots
 * @nr_before: how many
 */
struct wp_now_threads {
	struct wp_now_thread *thread;
	size_t nr;
	size_t room;
	__u64 time;
	__u64 invisible;
	__u64 left_out;
	__u64 kthreads;
	__u64 kthreads_ns;
	__u64 loops;
	__u64 loops_ns;
	struct wp_objects *objects;
	struct wp_livenames *names;
	struct wp_now_before *before;
	__u32 nr_before;
};

int wp_now_frame(const struct wp_now_threads *all, const struct wp_now_thread *t,
		 unsigned int i, struct wp_livename *name, bool *found);
enum wp_now_rank wp_now_rank(const struct wp_now_thread *t);
void wp_now_tell_hidden(const struct wp_now_threads *all, const char *before, size_t width);
int wp_now_tell_groups(struct wp_now_threads *t);
int wp_now_tell_lines(struct wp_now_threads *t);
int wp_now_tell_stacks(struct wp_now_threads *t);
int wp_now_tell_json(struct wp_now_threads *t);

int cmd_stacks(int argc, char **argv);

#endif /* WP_CMD_STACKS_STACKS_H */
