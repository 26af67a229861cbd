/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the files of wallprof stacks: stacks.c runs the session, stacks/owners.c finds
 * who holds locks, stacks/gil.c who holds Python's, stacks/python.c finds Python functions,
 * stacks/groups.c prints groups, stacks/print.c lines, complete stacks and JSON.
 */
#ifndef WP_CMD_STACKS_STACKS_H
#define WP_CMD_STACKS_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include <linux/wallprof.h>

#include "lib/interp/pystack.h"
#include "lib/model/cause.h"
#include "lib/model/lockowner.h"
#include "lib/proc/nspid.h"

struct wp_device;
struct wp_jvmmethods;
struct wp_livename;
struct wp_livenames;
struct wp_now_python;
struct wp_now_pythons;
struct wp_objects;
struct wp_procstack;
struct wp_stack;

/* Kind of lock of the GIL. */
#define WP_NOW_GIL	"GIL"

/* Times at which waits are noted. */
#define WP_NOW_NOTES	2

/* State of a thread. */
enum wp_now {
	WP_NOW_ONCPU,
	WP_NOW_RUNNABLE,
	WP_NOW_BLOCKED,
};

/**
 * enum wp_now_rank - importance, the highest first
 * @WP_RANK_DEADLOCK: in a deadlock
 * @WP_RANK_DISK: blocked in D
 * @WP_RANK_LOCK: in a call that waits for something that another thread holds; or
 *	runnable for long
 * @WP_RANK_BLOCKED: blocked in anything else
 * @WP_RANK_RUNNABLE: runnable
 * @WP_RANK_ONCPU: on a CPU
 * @WP_RANK_IDLE: waits for work
 */
enum wp_now_rank {
	WP_RANK_DEADLOCK,
	WP_RANK_DISK,
	WP_RANK_LOCK,
	WP_RANK_BLOCKED,
	WP_RANK_RUNNABLE,
	WP_RANK_ONCPU,
	WP_RANK_IDLE,
};

/**
 * struct wp_now_gil - the GIL of an interpreter
 * @address: its address
 * @holder: the thread that holds it; 0: it is free, or that is not known
 * @time: when that was read
 * @slot: the holder's; nr_before: it is in none
 * @nr_off: number of its intervals then
 * @blocked_ns: how long it had been blocked in these
 * @settled: it is known what the holder did since
 * @blocked_since: the holder has been blocked since; ~0: it is not
 */
struct wp_now_gil {
	__u64 address;
	__u32 holder;
	__u32 slot;
	__u64 time;
	__u64 nr_off;
	__u64 blocked_ns;
	bool settled;
	__u64 blocked_since;
};

/**
 * struct wp_now_note - a wait in a futex, at some time before STOP
 * @futex: its address; 0: there was none
 * @time: the time
 * @tid: the thread
 */
struct wp_now_note {
	__u64 futex;
	__u64 time;
	__u32 tid;
};

/**
 * struct wp_now_thread - a thread at that moment
 * @tid: thread
 * @tgid: its process
 * @comm: its name; "" if it has ended since
 * @now: its state
 * @state: enum wallprof_state, if it is not on a CPU
 * @iowait: the kernel counts the wait as iowait
 * @lost: it has a stack for which there was no room
 * @at_least: @age is only a lower bound
 * @age: duration of the state in nanoseconds
 * @kthread: it is a kernel thread
 * @idle: it waits for work, a kernel thread by wp_kidle_wait()
 * @cause: the reason, if it is not on a CPU
 * @object: the object of its wait, for wp_objects_text(), or 0
 * @user: its user stack or NULL
 * @kernel: its kernel stack or NULL
 * @proc: its kernel stack from /proc, if it has been blocked since before the start, or
 *	NULL. For kernel threads even without --kernel-callchains
 * @python: Python functions in @user, or NULL
 * @gil: the GIL that it waits for, or NULL
 * @gil_since: it did nothing else since then; 0: not known
 * @lock: kind of lock that it waits for, if the owner is known, or WP_NOW_GIL; or NULL
 * @owner: the thread that holds it; 0, of @gil only: not known
 * @owner_comm: its name; "" if it has ended since
 * @owner_time: when that was read
 * @lock_timed: the wait ends at a time, with the lock or without
 * @deadlock: the owner waits, through others or not, for this thread, and none of them
 *	ends by itself
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
	const struct wp_now_python *python;
	const struct wp_now_gil *gil;
	__u64 gil_since;
	const char *lock;
	__u32 owner;
	char owner_comm[WALLPROF_COMM_LEN];
	__u64 owner_time;
	bool lock_timed;
	bool deadlock;
};

/**
 * struct wp_now_before - state of a slot of the task table just before STOP
 * @since: start of its current phase
 * @nr_off: its number of intervals so far: while it is unchanged, @since is valid
 * @running: it was on a CPU
 * @proc: for kernel threads, and with --kernel-callchains for all: the stack from /proc,
 *	or NULL
 * @lock: the lock that it waited for, and how; all 0: none was read
 * @lock_time: when that was read; 0: it was not
 * @note: its waits in futexes at two times
 * @python: the Python functions that it executed, or NULL
 * @python_since: start of the phase in which they were read
 * @trouble: why they were not read
 */
struct wp_now_before {
	__u64 since;
	__u64 nr_off;
	bool running;
	struct wp_procstack *proc;
	struct wp_lockwait lock;
	__u64 lock_time;
	struct wp_now_note note[WP_NOW_NOTES];
	struct wp_now_python *python;
	__u64 python_since;
	enum wp_pytrouble trouble;
};

/**
 * struct wp_now_threads - all threads
 * @thread: the threads
 * @nr: their number
 * @room: allocated threads
 * @time: the time of the snapshot
 * @invisible: number of further threads that have no id in this pid namespace
 * @left_out: number of further threads that --min leaves out
 * @kthreads: number of hidden idle kernel threads
 * @kthreads_ns: sum of their blocked time during the session
 * @loops: number of other hidden threads that wait for work
 * @loops_ns: sum of their blocked time during the session
 * @by_tid: the threads by their ids; from wp_now_link_owners() on
 * @deadlocks: number of threads with @deadlock
 * @python_stacks: number of stacks with Python functions
 * @python_unread: of other ones that should have these, by reason
 * @objects: objects of waits
 * @names: names of functions
 * @methods: names of methods that JVMs interpret, or NULL
 * @nspids: numbers of threads of other namespaces
 * @pythons: processes that were looked at for Python functions, or NULL
 * @before: the slots
 * @nr_before: their number
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
	const struct wp_now_thread **by_tid;
	size_t deadlocks;
	__u64 python_stacks;
	__u64 python_unread[WP_PYTROUBLE_MAX];
	struct wp_objects *objects;
	struct wp_livenames *names;
	struct wp_jvmmethods *methods;
	struct wp_nspids nspids;
	struct wp_now_pythons *pythons;
	struct wp_now_before *before;
	__u32 nr_before;
};

int wp_now_frame(const struct wp_now_threads *all, const struct wp_now_thread *t,
		 unsigned int i, struct wp_livename *name, bool *found);
void wp_now_read_comm(__u32 tgid, __u32 tid, char comm[WALLPROF_COMM_LEN]);
void wp_now_read_lock(const struct wp_device *dev, __u32 slot, struct wp_now_before *before);
int wp_now_wait_kind(const struct wp_now_threads *all, const struct wp_now_thread *t,
		     const char **kind, bool *local);
int wp_now_find_owner(struct wp_now_threads *all, struct wp_now_thread *t,
		      const struct wp_now_before *before);
int wp_now_link_owners(struct wp_now_threads *all);
void wp_now_owner_text(const struct wp_now_threads *all, const struct wp_now_thread *t,
		       char *text, size_t size);
void wp_now_note_futexes(const struct wp_device *dev, struct wp_now_threads *all,
			 unsigned int nr);
void wp_now_read_gils(const struct wp_device *dev, struct wp_now_threads *all);
int wp_now_find_gil(const struct wp_device *dev, struct wp_now_threads *all,
		    struct wp_now_thread *t, const struct wp_now_before *before);
struct wp_now_gil *wp_now_gil_of(const struct wp_now_threads *all, __u32 tgid, __u64 futex);
int wp_now_read_holder(const struct wp_device *dev, struct wp_now_threads *all, __u32 slot,
		       __u64 gil, __u32 *tid);
int wp_now_read_python(const struct wp_device *dev, struct wp_now_threads *all, __u32 slot,
		       struct wp_now_before *before);
int wp_now_match_python(struct wp_now_threads *all, struct wp_now_thread *t,
			struct wp_now_before *before, bool same);
int wp_now_python_frame(const struct wp_now_threads *all, const struct wp_now_thread *t,
			unsigned int i, struct wp_livename *name, bool *found);
bool wp_now_python_innermost(const struct wp_now_thread *t, struct wp_livename *name);
int wp_now_python_compare(const struct wp_now_thread *a, const struct wp_now_thread *b);
void wp_now_python_text(const struct wp_now_threads *all, char *text, size_t size);
void wp_now_python_free(struct wp_now_threads *all);
enum wp_now_rank wp_now_rank(const struct wp_now_thread *t);
void wp_now_frame_text(const struct wp_livename *name, char *text, size_t size);
void wp_now_print_python(const struct wp_now_threads *all, const char *before, size_t width);
void wp_now_print_hidden(const struct wp_now_threads *all, const char *before, size_t width);
int wp_now_print_groups(struct wp_now_threads *t);
int wp_now_print_lines(struct wp_now_threads *t);
int wp_now_print_stacks(struct wp_now_threads *t);
int wp_now_print_json(struct wp_now_threads *t);

int cmd_stacks(int argc, char **argv);

#endif /* WP_CMD_STACKS_STACKS_H */
