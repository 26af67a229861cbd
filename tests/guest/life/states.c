// SPDX-License-Identifier: GPL-2.0
/* States that a thread or a session comes to but rarely. */
#include <sys/ptrace.h>

#include "life.h"

/* Stopped by its tracer: state t, not T. */
TEST_F_TIMEOUT(life, stopped_by_a_tracer, 120)
{
	struct wallprof_configure c = dev_config();
	__u64 ns = MS, stopped = 0, all = 0;
	struct session s;
	__u32 pid;

	pid = child_of(load_naps, &ns);
	dev_target(&c, WALLPROF_TARGET_PID, &pid, 1);
	ASSERT_EQ(0, session_begin(&s, &c));
	ASSERT_EQ(0, ptrace(PTRACE_SEIZE, pid, NULL, NULL));
	for (unsigned int i = 0; i < times(20); i++) {
		unsigned long unused;
		__u64 since;
		int status;

		ASSERT_EQ(0, ptrace(PTRACE_INTERRUPT, pid, NULL, NULL));
		ASSERT_EQ((pid_t)pid, waitpid(pid, &status, 0));
		ASSERT_TRUE(WIFSTOPPED(status));
		/* It says so before it leaves its CPU, for which this waits. */
		ASSERT_EQ(0, ptrace(PTRACE_GETEVENTMSG, pid, NULL, &unused));
		since = now_ns();
		nap_ns(20 * MS);
		stopped += now_ns() - since;
		ASSERT_EQ(0, ptrace(PTRACE_CONT, pid, NULL, NULL));
		nap_below(10);
		if (i % 4 == 0)
			ASSERT_EQ(0, session_flip(&s));
	}
	ASSERT_EQ(0, ptrace(PTRACE_INTERRUPT, pid, NULL, NULL));
	ASSERT_EQ((pid_t)pid, waitpid(pid, NULL, 0));
	ASSERT_EQ(0, ptrace(PTRACE_DETACH, pid, NULL, NULL));
	nap_ns(50 * MS);
	EXPECT_WHOLE(&s);
	for (unsigned int state = 0; state < WALLPROF_STATE_MAX; state++)
		all += time_in(&s, pid, state);
	EXPECT_LE(stopped, time_in(&s, pid, WALLPROF_STATE_TRACED));
	EXPECT_GE(all - stopped, time_in(&s, pid, WALLPROF_STATE_SLEEPING));
	EXPECT_EQ(0, time_in(&s, pid, WALLPROF_STATE_STOPPED));
	EXPECT_EQ(0, time_in(&s, pid, WALLPROF_STATE_UNKNOWN));
	child_end(pid);
	session_close(&s);
}

static int insert(const char *file, const char *options)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	int ret = syscall(SYS_finit_module, fd, options, 0) ? -errno : 0;

	close(fd);
	return ret;
}

/* Waits for a word, then naps. */
static void waits_then_naps(void *arg)
{
	__u64 ns = MS;
	char byte;

	if (read(*(int *)arg, &byte, 1) != 1)
		_exit(1);
	load_naps(&ns);
}

/* The last epoch: FLIP is refused, and the session ends as any other. */
TEST_F_TIMEOUT(life, epochs_run_out, 120)
{
	struct wallprof_configure c = dev_config();
	const __u32 last = (1U << WALLPROF_STACK_EPOCH_BITS) - 1;
	struct wallprof_flip flip;
	struct session s;
	int go[2];
	__u32 pid;

	ASSERT_EQ(0, pipe(go));
	pid = child_of(waits_then_naps, &go[0]);
	/* What begins in the first epoch has no stack in the last ones. */
	UNTIL(is_off(pid, 'S'));
	dev_sampler(&c, 499);
	dev_target(&c, WALLPROF_TARGET_PID, &pid, 1);
	ASSERT_EQ(0, session_begin(&s, &c));
	ASSERT_EQ(0, insert("epoch.ko", "left=3"));
	ASSERT_EQ(0, syscall(SYS_delete_module, "epoch", O_NONBLOCK));
	ASSERT_EQ(last - 3, dev_status(s.fd).epoch);
	ASSERT_EQ(1, write(go[1], "", 1));
	for (int i = 0; i < 3; i++) {
		nap_ns(50 * MS);
		ASSERT_EQ(0, session_flip(&s));
		EXPECT_EQ(last - 3 + i, s.epoch);
	}
	/* The last one goes on, as long as the reader lets it. */
	for (int i = 0; i < 3; i++) {
		nap_ns(50 * MS);
		EXPECT_EQ(-EOVERFLOW, dev_flip(s.fd, &flip));
		EXPECT_EQ(last, dev_status(s.fd).epoch);
	}
	/* The second interval that ended in the last epoch began in it as well. */
	UNTIL(session_account(&s, pid)->nr_off > 50 && session_so_far(&s, 0).events > 1);
	EXPECT_WHOLE(&s);
	EXPECT_EQ(last, s.epoch);
	EXPECT_EQ(-ENODATA, dev_flip(s.fd, &flip));
	EXPECT_LT(50, session_account(&s, pid)->nr_off);
	/* Ids of the last epoch name their stacks. */
	EXPECT_EQ(last, WALLPROF_STACK_EPOCH(s.stacks[s.nr_stacks - 1].id));
	child_end(pid);
	session_close(&s);
}

TEST_HARNESS_MAIN
