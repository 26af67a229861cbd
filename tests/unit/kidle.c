// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of which kernel threads are idle: stacks as Linux 5.10, 6.1 and 7.2 have them.
 */
#include <string.h>

#include "lib/model/kidle.h"
#include "tap.h"

#define MAX_FRAMES	12
#define MS		1000000ULL

static bool waits(const char *comm, unsigned int state, bool iowait, const char *stack)
{
	static char text[512];
	const char *frames[MAX_FRAMES];
	struct wp_kidle_wait w = { .comm = comm, .state = state, .iowait = iowait,
				   .reason = WALLPROF_REASON_KERNEL, .frames = frames };
	char *rest = text, *name;

	snprintf(text, sizeof(text), "%s", stack);
	while (*stack && (name = strsep(&rest, " ")) && w.nr_frames < MAX_FRAMES)
		frames[w.nr_frames++] = strcmp(name, "?") ? name : NULL;
	return wp_kidle_wait(&w);
}

int main(void)
{
	static const struct {
		const char *comm;
		unsigned int state;
		const char *stack;
		bool idle;
	} cases[] = {
		{ "kworker/0:1", WALLPROF_STATE_IDLE, "", true },
		{ "kworker/0:1", WALLPROF_STATE_IDLE, "worker_thread kthread ret_from_fork", true },
		{ "kworker/0:1", WALLPROF_STATE_IDLE,
		  "__schedule schedule worker_thread kthread ret_from_fork ret_from_fork_asm", true },
		{ "rcu_gp", WALLPROF_STATE_IDLE, "rescuer_thread kthread ret_from_fork", true },
		{ "kthreadd", WALLPROF_STATE_SLEEPING, "kthreadd ret_from_fork", true },
		{ "ksoftirqd/0", WALLPROF_STATE_SLEEPING,
		  "smpboot_thread_fn kthread ret_from_fork", true },
		{ "migration/3", WALLPROF_STATE_SLEEPING, "", true },
		{ "cpuhp/1", WALLPROF_STATE_PARKED, "", true },
		{ "rcu_preempt", WALLPROF_STATE_IDLE,
		  "schedule_timeout rcu_gp_fqs_loop rcu_gp_kthread kthread ret_from_fork", true },
		{ "kswapd0", WALLPROF_STATE_SLEEPING, "kswapd_try_to_sleep kswapd kthread", true },
		{ "jbd2/vda1-8", WALLPROF_STATE_SLEEPING, "kjournald2 kthread ret_from_fork", true },
		{ "nfsd", WALLPROF_STATE_SLEEPING,
		  "schedule svc_get_next_xprt svc_recv nfsd kthread ret_from_fork", true },
		{ "x", WALLPROF_STATE_SLEEPING, "? ? kthread ret_from_fork", true },

		{ "jbd2/vda1-8", WALLPROF_STATE_DISK, "", false },
		{ "jbd2/vda1-8", WALLPROF_STATE_DISK, "kjournald2 kthread ret_from_fork", false },
		{ "jbd2/vda1-8", WALLPROF_STATE_SLEEPING,
		  "io_schedule jbd2_journal_commit_transaction kjournald2 kthread", false },
		{ "kworker/0:1", WALLPROF_STATE_SLEEPING, "", false },
		{ "kworker/u4:2-x", WALLPROF_STATE_IDLE,
		  "msleep work process_one_work worker_thread kthread", false },
		{ "kthread", WALLPROF_STATE_SLEEPING,
		  "schedule_preempt_disabled __mutex_lock own kthread ret_from_fork", false },
		{ "kthread", WALLPROF_STATE_SLEEPING, "__down_interruptible own kthread", false },
		{ "kthread", WALLPROF_STATE_SLEEPING,
		  "rwsem_down_read_slowpath own kthread", false },
		{ "kthread", WALLPROF_STATE_SLEEPING,
		  "schedule_timeout wait_for_completion_interruptible own kthread", false },
		{ "kthread", WALLPROF_STATE_SLEEPING,
		  "schedule f e d c b a kthread ret_from_fork", false },
		{ "kthread", WALLPROF_STATE_STOPPED, "", false },
		{ "kthread", WALLPROF_STATE_RUNNING, "", false },
		{ "kthread", WALLPROF_STATE_PREEMPTED, "", false },
		{ "kthread", WALLPROF_STATE_UNKNOWN, "", false },
	};
	struct wp_kidle_wait program = { .state = WALLPROF_STATE_SLEEPING,
					 .reason = WALLPROF_REASON_SYSCALL };
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ok(waits(cases[i].comm, cases[i].state, false, cases[i].stack) == cases[i].idle,
		   "%s in state %u, %s: %s", cases[i].comm, cases[i].state, cases[i].stack,
		   cases[i].idle ? "idle" : "not idle");
	ok(!waits("jbd2/vda1-8", WALLPROF_STATE_SLEEPING, true, ""), "iowait: not idle");
	ok(!wp_kidle_wait(&program), "a system call is none of a kernel thread");
	ok(wp_kidle_is_kthread(2, 2, WALLPROF_REASON_KERNEL) &&
	   !wp_kidle_is_kthread(2, 3, WALLPROF_REASON_KERNEL) &&
	   !wp_kidle_is_kthread(2, 2, WALLPROF_REASON_SYSCALL) &&
	   !wp_kidle_is_kthread(2, 2, WALLPROF_REASON_PREEMPTED),
	   "kernel threads, and workers of io_uring, which are a program's");
	ok(wp_kidle_thread(0, 0, 1000 * MS) && wp_kidle_thread(9 * MS, 0, 1000 * MS),
	   "one that hardly ran is idle");
	ok(!wp_kidle_thread(10 * MS, 0, 1000 * MS), "one that ran for a hundredth is not");
	ok(!wp_kidle_thread(0, MS, 1000000 * MS), "nor one that waited for something else");
	return done();
}
