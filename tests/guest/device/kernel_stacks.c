// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel stacks of waits that differ in nothing else: one place in the program, one system
 * call, one descriptor. What that is of changes, and with it where the kernel waits. Each
 * wait must be recorded with its own stack, which is compared with /proc/PID/stack.
 */
#include "device.h"
#include "ksyms.h"

#include <sys/eventfd.h>
#include <sys/socket.h>

#define KINDS	4	/* of what is read: see make_kinds() */
#define STEPS	3000
#define FLIP_STEPS	500	/* in an epoch */
#define FD	100	/* of what is read */

/* What the child does: wait so, then write a byte. */
struct script {
	unsigned char kinds[STEPS];
	unsigned int nr;
	int from[KINDS], wake[KINDS], pong[2];
};

FIXTURE(kernel_stacks)
{
	struct wallprof_configure c;
	struct session s;
	struct script *script;
	pid_t pid;
};

FIXTURE_VARIANT(kernel_stacks)
{
	__u32 flags;		/* more of the session's */
	unsigned int max_stack;	/* 64 if it is 0 */
	bool wakers;		/* the waker is a target, too */
};

FIXTURE_VARIANT_ADD(kernel_stacks, cached)
{
};

FIXTURE_VARIANT_ADD(kernel_stacks, of_one_address)
{
	.max_stack = 1,
};

/* By the general probe, which has cached stacks, but no cached switches. */
FIXTURE_VARIANT_ADD(kernel_stacks, beside_a_timeline)
{
	.flags = WALLPROF_TIMELINE,
};

FIXTURE_VARIANT_ADD(kernel_stacks, with_wakers_stacks)
{
	.flags = WALLPROF_WAKER_STACKS,
};

/* The waker's switches are recorded, too: it wakes by one call from one place. */
FIXTURE_VARIANT_ADD(kernel_stacks, of_wakers_that_are_targets)
{
	.flags = WALLPROF_WAKER_STACKS, .wakers = true,
};

static void in_turn(void)
{
	struct sched_param param = { .sched_priority = 1 };

	stay_on(0);
	sched_setscheduler(0, SCHED_FIFO, &param);
}

/* A pipe, a counter, a socket, a second pipe whose waits are those of the first one. */
static bool make_kinds(struct script *script)
{
	int fds[2];

	script->from[1] = script->wake[1] = eventfd(0, 0);
	if (script->from[1] < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, fds))
		return false;
	script->from[2] = fds[0];
	script->wake[2] = fds[1];
	for (int kind = 0; kind < KINDS; kind += KINDS - 1) {
		if (pipe(fds))
			return false;
		script->from[kind] = fds[0];
		script->wake[kind] = fds[1];
	}
	return !pipe(script->pong);
}

FIXTURE_SETUP(kernel_stacks)
{
	self->c = dev_config();
	self->c.flags |= variant->flags;
	self->c.stack_flags = WALLPROF_STACK_USER | WALLPROF_STACK_KERNEL;
	self->c.max_stack = variant->max_stack ? variant->max_stack : 64;
	if (variant->flags & WALLPROF_TIMELINE)
		self->c.nr_records = 65536;
	self->script = mmap(NULL, sizeof(*self->script), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->script);
	ASSERT_TRUE(make_kinds(self->script));
	in_turn();
}

FIXTURE_TEARDOWN(kernel_stacks)
{
	child_end(self->pid);
}

static void child_script(void *arg)
{
	const struct script *script = arg;
	char buf[8];

	in_turn();
	for (unsigned int i = 0; i < script->nr; i++) {
		if (dup2(script->from[script->kinds[i]], FD) != FD ||
		    syscall(SYS_read, FD, buf, sizeof(buf)) != sizeof(buf) ||
		    write(script->pong[1], buf, 1) != 1)
			_exit(1);
	}
	pause();
}

/* Kinds in random order, each repeated: mostly often enough to be cached, not always. */
static void script_write(struct script *script, unsigned int steps, unsigned int seed)
{
	unsigned int nr = 0, kind, times;

	while (nr < steps) {
		seed = seed * 1103515245 + 12345;
		kind = (seed >> 16) % KINDS;
		times = 1 + (seed >> 24) % 6;
		while (times-- && nr < steps)
			script->kinds[nr++] = kind;
	}
	script->nr = nr;
}

/* What both pipes are waited for in is one stack. */
static unsigned int stack_of(unsigned int kind)
{
	return kind % (KINDS - 1);
}

/* How many waits of the child have a kernel stack that the kernel says, too. */
static __u64 waits_in(const struct session *s, pid_t tid, const char *lines, unsigned int max)
{
	const struct read_stack *stack;
	unsigned int lines_nr;
	__u64 nr = 0;

	for (size_t i = 0; i < s->nr_aggrs; i++) {
		const struct wallprof_aggr *a = &s->aggrs[i];

		if (a->tid != tid || a->state != WALLPROF_STATE_SLEEPING ||
		    a->syscall != SYS_read || a->arg != FD ||
		    a->flags & WALLPROF_AGGR_SINCE_START)
			continue;
		stack = session_stack(s, a->kernel_stack);
		if (!stack || strncmp("__schedule", ksym_of(stack->ips[0])->name, 10))
			continue;
		if (max == 1) {
			nr += stack->nr == 1 ? a->count : 0;
			continue;
		}
		/* All of them, and but for a few of the scheduler's no more. */
		if (find_lines(stack, lines, &lines_nr) == lines_nr && stack->nr - lines_nr <= 5)
			nr += a->count;
	}
	return nr;
}

/* Whether a waker's kernel stack has a function whose name ends so. */
static bool waker_is_in(const struct session *s, __u64 id, const char *name)
{
	const struct read_stack *record = session_stack(s, id), *stack;
	const char *sym;

	if (!record || record->nr <= WALLPROF_WAKER_KERNEL_STACK)
		return false;
	stack = session_stack(s, record->ips[WALLPROF_WAKER_KERNEL_STACK]);
	for (unsigned int i = 0; stack && i < stack->nr; i++) {
		sym = ksym_of(stack->ips[i])->name;
		if (strlen(sym) >= strlen(name) &&
		    !strcmp(sym + strlen(sym) - strlen(name), name))
			return true;
	}
	return false;
}

/* How many waits of the child ended by a thread that wrote to this kind. */
static __u64 wakes_by(const struct session *s, pid_t tid, unsigned int kind)
{
	static const char *const writes[KINDS - 1] = {
		"pipe_write", "eventfd_write", "sock_write_iter",
	};
	__u64 nr = 0;

	for (size_t i = 0; i < s->nr_aggrs; i++) {
		const struct wallprof_aggr *a = &s->aggrs[i];

		if (a->tid == tid && a->syscall == SYS_read && a->arg == FD &&
		    !(a->flags & WALLPROF_AGGR_SINCE_START) &&
		    waker_is_in(s, a->waker_stack, writes[kind]))
			nr += a->count;
	}
	return nr;
}

TEST_F_TIMEOUT(kernel_stacks, each_its_own, 120)
{
	unsigned int seed = now_ns() / 1000 % 1000000;
	char lines[KINDS - 1][4096] = {}, buf[8] = { 1 };
	__u32 targets[2] = { 0, getpid() };
	struct script *script = self->script;
	__u64 want[KINDS - 1] = {}, all = 0;
	const __u64 *switches = self->s.switches;

	TH_LOG("seed %u", seed);
	script_write(script, scaled(STEPS), seed);
	/* Each kind is there, for its stack to be seen. */
	for (unsigned int i = 0; i < KINDS; i++)
		script->kinds[i] = i;
	self->pid = child_of(child_script, script);
	UNTIL(is_off(self->pid, 'S'));
	targets[0] = self->pid;
	dev_target(&self->c, WALLPROF_TARGET_PID, targets, variant->wakers ? 2 : 1);
	ASSERT_EQ(0, session_begin(&self->s, &self->c));
	for (unsigned int i = 0; i < script->nr; i++) {
		unsigned int kind = script->kinds[i];

		if (!lines[stack_of(kind)][0]) {
			ASSERT_TRUE(is_off(self->pid, 'S'));
			proc_stack(self->pid, lines[stack_of(kind)], sizeof(lines[0]));
		}
		ASSERT_EQ(sizeof(buf), write(script->wake[kind], buf, sizeof(buf)));
		ASSERT_EQ(1, read(script->pong[0], buf, 1));
		if (i % FLIP_STEPS == FLIP_STEPS - 1)
			ASSERT_EQ(0, session_flip(&self->s));
		/* The first began before START. */
		want[stack_of(kind)] += !!i;
		all += !!i;
	}
	EXPECT_WHOLE(&self->s);
	for (unsigned int i = 0; i < KINDS - 1; i++) {
		EXPECT_NE(0, want[i]);
		EXPECT_EQ(self->c.max_stack == 1 ? all : want[i],
			  waits_in(&self->s, self->pid, lines[i], self->c.max_stack))
			TH_LOG("%s", lines[i]);
		if (self->c.flags & WALLPROF_WAKER_STACKS)
			EXPECT_EQ(want[i], wakes_by(&self->s, self->pid, i));
	}
	/* Those whose user stack cannot be cached are in no cache, nor is all of a timeline. */
	if (self->s.unwinds[0][WALLPROF_UNWIND_FAULT] || self->c.flags & WALLPROF_TIMELINE ||
	    !kernel_stacks_cached()) {
		if (!variant->wakers)
			EXPECT_EQ(0, switches[WALLPROF_SWITCH_LEFT_CACHED]);
		return;
	}
	EXPECT_LE(all / 4, switches[WALLPROF_SWITCH_LEFT_CACHED]);
	EXPECT_LE(switches[WALLPROF_SWITCH_LEFT_NEVER], all / 10);
}

TEST_HARNESS_MAIN
