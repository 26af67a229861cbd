// SPDX-License-Identifier: GPL-2.0
/*
 * What is recorded of a wait: how much of it was spent blocked and how much waiting
 * for a CPU, its waker, and what the thread waited in. Each test causes one kind of
 * wait, and waits until it is recorded.
 *
 * Above 700 lines: each kind of wait has its cause here, beside its test.
 */
#include "device.h"
#include "ksyms.h"

#include <linux/userfaultfd.h>

FIXTURE(waits)
{
	struct wallprof_configure c;
	struct session s;
	int ping[2], pong[2];
	pid_t pid;
};

FIXTURE_SETUP(waits)
{
	self->c = dev_config();
	self->pid = 0;
	ASSERT_EQ(0, pipe(self->ping));
	ASSERT_EQ(0, pipe(self->pong));
}

FIXTURE_TEARDOWN(waits)
{
	if (self->pid > 0)
		child_end(self->pid);
}

/* Follow the child. */
#define FOLLOW() do { \
	dev_target(&self->c, WALLPROF_TARGET_PID, (__u32 *)&self->pid, 1); \
	ASSERT_EQ(0, session_begin(&self->s, &self->c)); \
} while (0)

/* What an aggregate is to be; -1: any. */
struct want {
	int state, reason, syscall, waker, waker_tid;
};

static const struct want any = { -1, -1, -1, -1, -1 };

static bool fits(const struct wallprof_aggr *a, const struct want *w)
{
	return (w->state < 0 || a->state == w->state) &&
	       (w->reason < 0 || a->reason == w->reason) &&
	       (w->syscall < 0 || a->syscall == w->syscall) &&
	       (w->waker < 0 || a->waker == w->waker) &&
	       (w->waker_tid < 0 || (int)a->waker_tid == w->waker_tid);
}

/* How many intervals of a thread were like that; @last: one of them, or NULL. */
static __u64 count(const struct session *s, __u32 tid, struct want want,
		   const struct wallprof_aggr **last)
{
	__u64 nr = 0;

	for (size_t i = 0; i < s->nr_aggrs; i++) {
		if (s->aggrs[i].tid != tid || s->aggrs[i].kind != WALLPROF_AGGR_OFFCPU ||
		    !fits(&s->aggrs[i], &want))
			continue;
		nr += s->aggrs[i].count;
		if (last)
			*last = &s->aggrs[i];
	}
	return nr;
}

/* Read on until there were @nr of them. */
#define AWAIT(tid, want, nr) \
	UNTIL(session_flip(&self->s) || count(&self->s, tid, want, NULL) >= (nr))

/* Wake the sleeping child until some of its sleeps were as @want says. */
#define PING_ON(want, found) do { \
	do { \
		UNTIL(is_off(self->pid, 'S')); \
		ASSERT_EQ(1, write(self->ping[1], "", 1)); \
		ASSERT_EQ(1, read(self->pong[0], &(char){ 0 }, 1)); \
		ASSERT_EQ(0, session_flip(&self->s)); \
	} while (count(&self->s, self->pid, want, found) < 5); \
} while (0)

/* Reads from one pipe, writes to the other. */
static void child_pong(void *arg)
{
	load_pong(arg);
}

/* A thread is woken by the thread that writes what it reads. */
TEST_F_TIMEOUT(waits, for_a_pipe, 60)
{
	struct want want = any;
	const struct wallprof_aggr *a = NULL;
	int ends[2] = { self->ping[0], self->pong[1] };

	self->pid = child_of(child_pong, ends);
	FOLLOW();
	want.state = WALLPROF_STATE_SLEEPING;
	want.reason = WALLPROF_REASON_SYSCALL;
	want.syscall = SYS_read;
	want.waker = WALLPROF_WAKER_TASK;
	want.waker_tid = gettid_();
	PING_ON(want, &a);
	EXPECT_EQ(self->ping[0], (int)a->arg);
	EXPECT_EQ(sizeof(long) == 4, !!(a->flags & WALLPROF_AGGR_32BIT));
	EXPECT_WHOLE(&self->s);
}

/* Where wake_by() was called from. */
static volatile __u64 woke_from;

/* Wakes who reads from a pipe. By frame pointer, its caller is in the stack. */
static __attribute__((__noinline__)) bool wake_by(int fd)
{
	woke_from = (uintptr_t)__builtin_return_address(0);
	return write(fd, "", 1) == 1;
}

/*
 * The waker's stacks, which are in the aggregate of the thread that it woke: those
 * at that time, of user and of kernel mode, and no others.
 */
TEST_F_TIMEOUT(waits, for_a_stack, 60)
{
	const struct read_stack *waker, *user, *kernel;
	int ends[2] = { self->ping[0], self->pong[1] };
	const struct wallprof_aggr *a = NULL;
	struct want want = any;
	const char *name;
	char c;

	self->pid = child_of(child_pong, ends);
	self->c.flags |= WALLPROF_WAKER_STACKS;
	self->c.stack_flags |= WALLPROF_STACK_KERNEL;
	FOLLOW();
	want.state = WALLPROF_STATE_SLEEPING;
	want.syscall = SYS_read;
	want.waker = WALLPROF_WAKER_TASK;
	want.waker_tid = gettid_();
	do {
		UNTIL(is_off(self->pid, 'S'));
		ASSERT_TRUE(wake_by(self->ping[1]));
		ASSERT_EQ(1, read(self->pong[0], &c, 1));
		ASSERT_EQ(0, session_flip(&self->s));
	} while (count(&self->s, self->pid, want, &a) < 5);
	EXPECT_WHOLE(&self->s);
	waker = session_stack(&self->s, a->waker_stack);
	ASSERT_NE(NULL, waker);
	EXPECT_EQ(WALLPROF_STACK_IS_WAKER, waker->flags);
	EXPECT_EQ(getpid(), (int)waker->ips[WALLPROF_WAKER_TGID]);
	user = session_stack(&self->s, waker->ips[WALLPROF_WAKER_USER_STACK]);
	ASSERT_NE(NULL, user);
	EXPECT_TRUE(!HAS_FRAMES || has_ip(user, woke_from));
	kernel = session_stack(&self->s, waker->ips[WALLPROF_WAKER_KERNEL_STACK]);
	ASSERT_NE(NULL, kernel);
	/*
	 * Neither ours nor what calls the probes when there are several. What a kernel
	 * with debugging does not inline is a function of its own.
	 */
	name = ksym_of(kernel->ips[0])->name;
	EXPECT_TRUE(!strncmp(name, "try_to_wake_up", 14) ||
		    !strncmp(name, "trace_sched_waking", 18)) TH_LOG("in %s", name);
	EXPECT_LT(3, kernel->nr);
	/* The blocked thread's are its own. */
	user = session_stack(&self->s, a->user_stack);
	ASSERT_NE(NULL, user);
	EXPECT_FALSE(has_ip(user, woke_from));
}

/* A timer is nobody's: an interrupt ends the wait, or a softirq. */
TEST_F_TIMEOUT(waits, for_a_timer, 60)
{
	struct want hard = any, soft = any;
	__u64 ns = MS;

	hard.waker = WALLPROF_WAKER_HARDIRQ;
	hard.reason = WALLPROF_REASON_SYSCALL;
	soft = hard;
	soft.waker = WALLPROF_WAKER_SOFTIRQ;
	self->pid = child_of(load_naps, &ns);
	FOLLOW();
	UNTIL(session_flip(&self->s) || count(&self->s, self->pid, hard, NULL) +
					count(&self->s, self->pid, soft, NULL) >= 3);
	EXPECT_WHOLE(&self->s);
}

/* Runs on one CPU only, @priority above all others, if it is not 0. */
static void bind(int cpu, int priority)
{
	struct sched_param param = { .sched_priority = priority };

	stay_on(cpu);
	if (priority)
		sched_setscheduler(0, SCHED_FIFO, &param);
}

static void child_bound_pong(void *arg)
{
	bind(0, 0);
	load_pong(arg);
}

/*
 * Woken, but its CPU is not to be had: from the wakeup on it is runnable, and
 * before that it was blocked. The lower bounds are what this thread measured; they
 * are of one wait.
 */
TEST_F_TIMEOUT(waits, for_a_busy_cpu, 120)
{
	int ends[2] = { self->ping[0], self->pong[1] };
	const struct wallprof_aggr *a = NULL;
	struct want want = any;
	__u64 blocked, runnable, t;
	char c = 0;

	self->pid = child_of(child_bound_pong, ends);
	/* What this thread does on that CPU goes before all that the child does. */
	bind(0, 50);
	nap_ns(20 * MS);
	FOLLOW();
	want.state = WALLPROF_STATE_SLEEPING;
	want.waker = WALLPROF_WAKER_TASK;
	want.waker_tid = gettid_();
	/* The first is of a wait that began before START. */
	for (int i = 0; i < 2; i++) {
		UNTIL(is_off(self->pid, 'S'));
		t = now_ns();
		nap_ns(30 * MS);
		blocked = now_ns() - t;
		t = now_ns();
		ASSERT_EQ(1, write(self->ping[1], &c, 1));
		t = now_ns();
		while (now_ns() - t < 20 * MS)
			;
		runnable = now_ns() - t;
		ASSERT_EQ(1, read(self->pong[0], &c, 1));
	}
	AWAIT(self->pid, want, 2);
	count(&self->s, self->pid, want, &a);
	EXPECT_LE(runnable, a->runnable_max);
	EXPECT_LE(blocked, a->blocked_max);
	EXPECT_LE(a->runnable_max + a->blocked_max, 2 * a->max);
	EXPECT_WHOLE(&self->s);
	EXPECT_LE(runnable, session_account(&self->s, self->pid)->runnable_max);
	EXPECT_LE(blocked, session_account(&self->s, self->pid)->blocked_max);
}

/*
 * Keeps a CPU to itself, after a byte. Not for ever: on RT the timers of a CPU are run
 * by a thread of a lower priority, and without them RCU may wait for as long.
 */
static void child_hog(void *arg)
{
	__u64 t;
	char c;

	bind(0, 50);
	if (read(*(int *)arg, &c, 1) != 1)
		return;
	t = now_ns();
	while (now_ns() - t < 2000 * MS)
		;
}

/* Woken, but not come to a CPU before the end: its totals have the waker, and the place. */
TEST_F_TIMEOUT(waits, for_a_stack_at_the_end, 120)
{
	int ends[2] = { self->ping[0], self->pong[1] }, go[2];
	const struct read_stack *waker, *user;
	const struct wallprof_task *task;
	pid_t hog;
	char c;

	self->c.flags |= WALLPROF_WAKER_STACKS;
	bind(1, 0);
	ASSERT_EQ(0, pipe(go));
	/* Until the end is there before who keeps the CPU has to leave it. */
	for (;;) {
		self->pid = child_of(child_bound_pong, ends);
		hog = child_of(child_hog, &go[0]);
		UNTIL(is_off(self->pid, 'S') && is_off(hog, 'S'));
		FOLLOW();
		ASSERT_EQ(1, write(go[1], "", 1));
		UNTIL(!is_off(hog, 'S'));
		ASSERT_TRUE(wake_by(self->ping[1]));
		EXPECT_WHOLE(&self->s);
		child_end(hog);
		ASSERT_EQ(1, read(self->pong[0], &c, 1));
		task = session_account(&self->s, self->pid);
		if (task->flags & WALLPROF_TASK_OPEN && task->woken)
			break;
		session_close(&self->s);
		child_end(self->pid);
	}
	EXPECT_EQ(WALLPROF_WAKER_TASK, task->waker);
	EXPECT_EQ(gettid_(), (int)task->waker_tid);
	waker = session_stack(&self->s, task->waker_stack);
	ASSERT_NE(NULL, waker);
	user = session_stack(&self->s, waker->ips[WALLPROF_WAKER_USER_STACK]);
	ASSERT_NE(NULL, user);
	EXPECT_TRUE(!HAS_FRAMES || has_ip(user, woke_from));
}

static void child_bound_spin(void *arg)
{
	bind(0, 0);
	load_spin(arg);
}

/* Two want one CPU: neither is ever blocked, nor woken. */
TEST_F_TIMEOUT(waits, preempted, 60)
{
	struct want want = any;
	pid_t other;

	self->pid = child_of(child_bound_spin, NULL);
	other = child_of(child_bound_spin, NULL);
	nap_ns(20 * MS);
	FOLLOW();
	want.state = WALLPROF_STATE_PREEMPTED;
	want.reason = WALLPROF_REASON_PREEMPTED;
	want.waker = WALLPROF_WAKER_NONE;
	AWAIT(self->pid, want, 3);
	child_end(other);
	EXPECT_WHOLE(&self->s);
	EXPECT_NE(0, session_account(&self->s, self->pid)->runnable_ns);
}

/* Stopped, and made to go on by this thread. */
TEST_F_TIMEOUT(waits, stopped, 60)
{
	const struct wallprof_aggr *a = NULL;
	struct want want = any;

	self->pid = child_of(load_spin, NULL);
	FOLLOW();
	want.state = WALLPROF_STATE_STOPPED;
	want.reason = WALLPROF_REASON_STOP;
	want.waker = WALLPROF_WAKER_TASK;
	want.waker_tid = gettid_();
	kill(self->pid, SIGSTOP);
	UNTIL(is_off(self->pid, 'T'));
	nap_ns(10 * MS);
	kill(self->pid, SIGCONT);
	AWAIT(self->pid, want, 1);
	count(&self->s, self->pid, want, &a);
	EXPECT_LE(10 * MS, a->blocked_max);
	EXPECT_WHOLE(&self->s);
}

/* A thread that touches a page after a byte. */
struct toucher {
	int go;
	volatile char *page;
	volatile pid_t tid;
	int out;
};

static void *touch(void *arg)
{
	struct toucher *t = arg;
	char c;

	t->tid = gettid_();
	if (read(t->go, &c, 1) == 1)
		(void)*t->page;
	/* To be there when the session ends. */
	(void)!read(t->go, &c, 1);
	return NULL;
}

/*
 * Gives a toucher a page that is to be brought by whoever has the descriptor that is
 * returned; -1 if the kernel has none.
 */
static int missing_page(struct toucher *t, struct uffdio_zeropage *bring)
{
	struct uffdio_register area = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct uffdio_api api = { .api = UFFD_API };
	size_t page = sysconf(_SC_PAGESIZE);
	int uffd = syscall(SYS_userfaultfd, O_CLOEXEC);

	if (uffd < 0)
		return -1;
	t->page = mmap(NULL, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	area.range.start = (uintptr_t)t->page;
	area.range.len = page;
	if (ioctl(uffd, UFFDIO_API, &api) || ioctl(uffd, UFFDIO_REGISTER, &area))
		_exit(1);
	*bring = (struct uffdio_zeropage){ .range = area.range };
	return uffd;
}

/* A page that another thread is to bring: no system call is what it waits in. */
TEST_F_TIMEOUT(waits, for_a_page, 60)
{
	struct toucher toucher = { .go = self->ping[0] };
	struct uffdio_zeropage bring;
	struct want want = any;
	struct uffd_msg msg;
	pthread_t thread;
	__u32 tid;
	int uffd;

	uffd = missing_page(&toucher, &bring);
	if (uffd < 0)
		SKIP(return, "this kernel has no userfaultfd");
	ASSERT_EQ(0, pthread_create(&thread, NULL, touch, &toucher));
	UNTIL(toucher.tid);
	tid = toucher.tid;
	dev_target(&self->c, WALLPROF_TARGET_TID, &tid, 1);
	ASSERT_EQ(0, session_begin(&self->s, &self->c));
	ASSERT_EQ(1, write(self->ping[1], "", 1));
	ASSERT_EQ(sizeof(msg), read(uffd, &msg, sizeof(msg)));
	UNTIL(is_off(tid, 'S') || is_off(tid, 'D'));
	ASSERT_EQ(0, ioctl(uffd, UFFDIO_ZEROPAGE, &bring));
	want.reason = WALLPROF_REASON_FAULT;
	want.syscall = WALLPROF_SYSCALL_NONE;
	want.waker = WALLPROF_WAKER_TASK;
	want.waker_tid = gettid_();
	AWAIT(tid, want, 1);
	EXPECT_WHOLE(&self->s);
	close(self->ping[1]);
	pthread_join(thread, NULL);
}

static void nothing(int sig)
{
	(void)sig;
}

/* Has the kernel touch the page; whoever else wants its CPU goes before it. */
static void *touch_by_kernel(void *arg)
{
	struct toucher *t = arg;
	char c;

	bind(0, 0);
	setpriority(PRIO_PROCESS, 0, 19);
	t->tid = gettid_();
	if (read(t->go, &c, 1) == 1)
		(void)!write(t->out, (const void *)t->page, 1);
	(void)!read(t->go, &c, 1);
	return NULL;
}

/*
 * A thread that finds a signal before it is blocked is runnable: every wait that is
 * recorded as blocked has a waker. In the kernel one waits for a page whatever signal
 * comes, and finds it there each time.
 */
TEST_F_TIMEOUT(waits, with_a_signal_to_see_to, 60)
{
	struct toucher toucher = { .go = self->ping[0], .out = self->pong[1] };
	struct want runnable = any, unwoken = any;
	struct sigaction sa = { .sa_handler = nothing };
	struct uffdio_zeropage bring;
	struct uffd_msg msg;
	pthread_t thread;
	pid_t rival;
	__u32 tid;
	int uffd;

	uffd = missing_page(&toucher, &bring);
	if (uffd < 0)
		SKIP(return, "this kernel has no userfaultfd");
	ASSERT_EQ(0, sigaction(SIGUSR1, &sa, NULL));
	rival = child_of(child_bound_spin, NULL);
	ASSERT_EQ(0, pthread_create(&thread, NULL, touch_by_kernel, &toucher));
	bind(1, 0);
	UNTIL(toucher.tid);
	tid = toucher.tid;
	UNTIL(is_off(tid, 'S'));
	dev_target(&self->c, WALLPROF_TARGET_TID, &tid, 1);
	ASSERT_EQ(0, session_begin(&self->s, &self->c));
	ASSERT_EQ(1, write(self->ping[1], "", 1));
	ASSERT_EQ(sizeof(msg), read(uffd, &msg, sizeof(msg)));
	UNTIL(is_off(tid, 'S') || is_off(tid, 'D'));
	if (is_off(tid, 'D')) {
		ASSERT_EQ(0, ioctl(uffd, UFFDIO_ZEROPAGE, &bring));
		child_end(rival);
		close(self->ping[1]);
		pthread_join(thread, NULL);
		SKIP(return, "in this kernel, no signal but a fatal one ends a wait for a page");
	}
	ASSERT_EQ(0, syscall(SYS_tgkill, getpid(), tid, SIGUSR1));
	runnable.state = WALLPROF_STATE_PREEMPTED;
	unwoken.state = WALLPROF_STATE_SLEEPING;
	unwoken.waker = WALLPROF_WAKER_NONE;
	UNTIL(session_flip(&self->s) || count(&self->s, tid, runnable, NULL) +
					count(&self->s, tid, unwoken, NULL) >= 10);
	EXPECT_EQ(0, count(&self->s, tid, unwoken, NULL));
	ASSERT_EQ(0, ioctl(uffd, UFFDIO_ZEROPAGE, &bring));
	child_end(rival);
	EXPECT_WHOLE(&self->s);
	close(self->ping[1]);
	pthread_join(thread, NULL);
}

static void child_forks(void *arg)
{
	for (;;) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		waitpid(pid, NULL, 0);
		nap_ns(*(__u64 *)arg);
	}
}

/* Of a session of everything: those that are born, and the kernel's own. */
TEST_F_TIMEOUT(waits, of_the_born_and_the_kernel, 60)
{
	__u64 ns = MS, born, kernel;
	struct want new = any, own = any;

	new.state = WALLPROF_STATE_NEW;
	own.reason = WALLPROF_REASON_KERNEL;
	self->pid = child_of(child_forks, &ns);
	ASSERT_EQ(0, session_begin(&self->s, &self->c));
	do {
		ASSERT_EQ(0, session_flip(&self->s));
		born = 0;
		kernel = 0;
		for (size_t i = 0; i < self->s.nr_aggrs; i++) {
			const struct wallprof_aggr *a = &self->s.aggrs[i];

			kernel += fits(a, &own);
			if (!fits(a, &new))
				continue;
			born++;
			EXPECT_EQ(WALLPROF_REASON_NEW, a->reason);
			EXPECT_EQ(a->total, a->runnable);
		}
	} while (!born || !kernel);
	EXPECT_WHOLE(&self->s);
}

/* Was on its CPU for some time, in which that was changed, when it leaves it. */
static void child_busy_pong(void *arg)
{
	__u64 t = now_ns();
	int *ends = arg;

	while (now_ns() - t < 50 * MS)
		;
	bind(sched_getcpu(), 0);
	while (now_ns() - t < 100 * MS)
		;
	t = now_ns();
	(void)!write(ends[1], &t, sizeof(t));
	load_pong(arg);
}

/* Blocked since before START: blocked until it was woken, whoever it was. */
TEST_F_TIMEOUT(waits, since_before_the_start, 60)
{
	int ends[2] = { self->ping[0], self->pong[1] };
	const struct wallprof_aggr *a = NULL;
	const struct wallprof_task *task;
	struct want want = any;
	__u64 before, after;
	char c = 0;

	self->pid = child_of(child_busy_pong, ends);
	ASSERT_EQ(sizeof(before), read(self->pong[0], &before, sizeof(before)));
	UNTIL(is_off(self->pid, 'S'));
	after = now_ns();
	nap_ns(20 * MS);
	FOLLOW();
	nap_ns(20 * MS);
	ASSERT_EQ(1, write(self->ping[1], &c, 1));
	ASSERT_EQ(1, read(self->pong[0], &c, 1));
	/* Not the one for the lock of the pipe, or on RT for that of its queue. */
	want.state = WALLPROF_STATE_SLEEPING;
	want.waker = WALLPROF_WAKER_TASK;
	want.waker_tid = gettid_();
	want.reason = WALLPROF_REASON_SYSCALL;
	want.syscall = SYS_read;
	AWAIT(self->pid, want, 1);
	count(&self->s, self->pid, want, &a);
	EXPECT_EQ(self->ping[0], (int)a->arg);
	EXPECT_NE(0, a->flags & WALLPROF_AGGR_SINCE_START);
	EXPECT_LE(20 * MS, a->blocked_max);
	EXPECT_WHOLE(&self->s);
	/* Of the scheduler's clock, which is another one. */
	task = session_account(&self->s, self->pid);
	EXPECT_LE(before - MS, task->asleep_since);
	EXPECT_LE(task->asleep_since, after + MS);
}

/* Blocked at both ends: START reads the state of each thread of the host. */
TEST_F_TIMEOUT(waits, all_the_time, 60)
{
	int ends[2] = { self->ping[0], self->pong[1] };
	const struct wallprof_task *task;

	self->pid = child_of(child_pong, ends);
	UNTIL(is_off(self->pid, 'S'));
	ASSERT_EQ(0, session_begin(&self->s, &self->c));
	nap_ns(10 * MS);
	EXPECT_WHOLE(&self->s);
	task = session_account(&self->s, self->pid);
	EXPECT_NE(0, task->flags & WALLPROF_TASK_SINCE_START);
	EXPECT_EQ(WALLPROF_REASON_SYSCALL, task->reason);
	EXPECT_EQ(SYS_read, task->syscall);
	EXPECT_EQ(self->ping[0], (int)task->arg);
	EXPECT_LE(10 * MS, task->blocked_max);
	/* kthreadd, unless somebody wanted a thread. */
	task = session_account(&self->s, 2);
	if (task->flags & WALLPROF_TASK_SINCE_START)
		EXPECT_EQ(WALLPROF_REASON_KERNEL, task->reason);
}

#define KTHREADD	2

/* The kernel stack that it is blocked with is recorded on request. */
#define EXPECT_KERNEL_STACK(id, lines) do { \
	const struct read_stack *stack_ = session_stack(&self->s, id); \
	unsigned int found_, nr_; \
	ASSERT_NE(NULL, stack_); \
	EXPECT_EQ(WALLPROF_STACK_IS_KERNEL, stack_->flags); \
	EXPECT_EQ(0, strncmp("__schedule", ksym_of(stack_->ips[0])->name, 10)); \
	found_ = find_lines(stack_, lines, &nr_); \
	EXPECT_LE(1, nr_); \
	EXPECT_EQ(nr_, found_) TH_LOG("of\n%s", lines); \
	EXPECT_GE(5, stack_->nr - nr_); /* of the scheduler */ \
} while (0)

/* In which interval it stands that began before START. */
TEST_F_TIMEOUT(waits, since_before_the_start_with_a_stack, 60)
{
	int ends[2] = { self->ping[0], self->pong[1] };
	const struct wallprof_aggr *a = NULL;
	struct want want = any;
	char lines[4096], c = 0;

	self->pid = child_of(child_pong, ends);
	UNTIL(is_off(self->pid, 'S'));
	proc_stack(self->pid, lines, sizeof(lines));
	self->c.stack_flags |= WALLPROF_STACK_KERNEL;
	FOLLOW();
	ASSERT_EQ(1, write(self->ping[1], &c, 1));
	ASSERT_EQ(1, read(self->pong[0], &c, 1));
	want.state = WALLPROF_STATE_SLEEPING;
	want.waker = WALLPROF_WAKER_TASK;
	want.waker_tid = gettid_();
	AWAIT(self->pid, want, 1);
	count(&self->s, self->pid, want, &a);
	EXPECT_NE(0, a->flags & WALLPROF_AGGR_SINCE_START);
	EXPECT_WHOLE(&self->s);
	EXPECT_KERNEL_STACK(a->kernel_stack, lines);
}

/* And of a session of the whole host, also that of a thread of the kernel. */
TEST_F_TIMEOUT(waits, all_the_time_with_a_stack, 60)
{
	int ends[2] = { self->ping[0], self->pong[1] };
	const struct wallprof_task *task;
	char lines[4096], daemon[4096];
	__u64 switches;

	self->pid = child_of(child_pong, ends);
	UNTIL(is_off(self->pid, 'S'));
	proc_stack(self->pid, lines, sizeof(lines));
	self->c.stack_flags |= WALLPROF_STACK_KERNEL;
	UNTIL(is_off(KTHREADD, 'S'));
	switches = nr_switches(KTHREADD);
	proc_stack(KTHREADD, daemon, sizeof(daemon));
	ASSERT_EQ(0, session_begin(&self->s, &self->c));
	EXPECT_WHOLE(&self->s);
	task = session_account(&self->s, self->pid);
	EXPECT_NE(0, task->flags & WALLPROF_TASK_SINCE_START);
	EXPECT_KERNEL_STACK(task->kernel_stack, lines);
	task = session_account(&self->s, KTHREADD);
	/* Unless somebody wanted a thread: it has not run, and does not run now. */
	if (is_off(KTHREADD, 'S') && nr_switches(KTHREADD) == switches)
		EXPECT_KERNEL_STACK(task->kernel_stack, daemon);
	else
		TH_LOG("kthreadd had to run");
}

/* Where nobody wants such intervals, nobody looks where they are. */
TEST_F_TIMEOUT(waits, all_the_time_in_another_state, 60)
{
	int ends[2] = { self->ping[0], self->pong[1] };

	self->pid = child_of(child_pong, ends);
	UNTIL(is_off(self->pid, 'S'));
	self->c.stack_flags |= WALLPROF_STACK_KERNEL;
	self->c.states = 1U << WALLPROF_STATE_DISK;
	ASSERT_EQ(0, session_begin(&self->s, &self->c));
	EXPECT_WHOLE(&self->s);
	EXPECT_EQ(0, session_account(&self->s, self->pid)->kernel_stack);
}

/* Still blocked at the end, in the call that its totals have. */
TEST_F_TIMEOUT(waits, until_after_the_end, 60)
{
	int ends[2] = { self->ping[0], self->pong[1] };
	const struct wallprof_task *task;
	struct want want = any;
	char c = 0;

	self->pid = child_of(child_pong, ends);
	/* A byte that is there before it reads causes no wait. */
	UNTIL(is_off(self->pid, 'S'));
	FOLLOW();
	ASSERT_EQ(1, write(self->ping[1], &c, 1));
	ASSERT_EQ(1, read(self->pong[0], &c, 1));
	AWAIT(self->pid, want, 1);
	UNTIL(is_off(self->pid, 'S'));
	nap_ns(10 * MS);
	EXPECT_WHOLE(&self->s);
	task = session_account(&self->s, self->pid);
	EXPECT_NE(0, task->flags & WALLPROF_TASK_OPEN);
	EXPECT_EQ(WALLPROF_REASON_SYSCALL, task->reason);
	EXPECT_EQ(SYS_read, task->syscall);
	EXPECT_EQ(self->ping[0], (int)task->arg);
	EXPECT_EQ(0, task->open_runnable_ns);
	EXPECT_LE(10 * MS, task->blocked_max);
}

/* The next of a chain: the last interval of who ended this one. */
static const struct wallprof_aggr *link_of(const struct session *s,
					   const struct wallprof_aggr *a)
{
	return a && a->waker_aggr ? session_aggr(s, a->waker_aggr) : NULL;
}

/* Whether a thread was blocked in reading from a file until another one woke it. */
static bool read_until(const struct wallprof_aggr *a, __u32 tid, int fd, __u32 waker)
{
	return a && a->tid == tid && a->syscall == SYS_read && (int)a->arg == fd &&
	       a->waker == WALLPROF_WAKER_TASK && a->waker_tid == waker;
}

/*
 * How many chains lead around a ring: each of the threads reads from the pipe of its
 * place, and is woken by the one before it.
 */
static unsigned int rings_in(struct session *s, const __u32 tids[3], const int fds[3])
{
	const struct wallprof_aggr *a, *first, *second, *third;
	unsigned int nr = 0;

	session_order_aggrs(s);
	for (size_t i = 0; i < s->nr_aggrs; i++) {
		a = &s->aggrs[i];
		first = link_of(s, a);
		second = link_of(s, first);
		third = link_of(s, second);
		nr += read_until(a, tids[0], fds[0], tids[2]) &&
		      read_until(first, tids[2], fds[2], tids[1]) &&
		      read_until(second, tids[1], fds[1], tids[0]) &&
		      third && third->tid == tids[0] && third->last < a->last;
	}
	return nr;
}

/*
 * How many single intervals name one of their waker's behind which it had another,
 * before it woke the thread. For a thread that was woken before it was off its CPU the
 * time is unknown.
 */
static unsigned int behind_the_last(const struct session *s, unsigned int *singles)
{
	const struct wallprof_wait *w, *other;
	const struct wallprof_aggr *named;
	unsigned int nr = 0;

	for (size_t i = 0; i < s->nr_waits; i++) {
		w = &s->waits[i];
		named = w->waker_aggr ? session_aggr(s, w->waker_aggr) : NULL;
		if (!named || w->runnable == w->end - w->begin)
			continue;
		++*singles;
		for (size_t j = 0; j < s->nr_waits; j++) {
			other = &s->waits[j];
			nr += other->tid == w->waker_tid && other->end > named->last &&
			      other->end < w->end - w->runnable;
		}
	}
	return nr;
}

/* Two rings, and enough single intervals. */
static bool enough_in(struct session *s, const __u32 tids[3], const int fds[3])
{
	unsigned int singles = 0;

	if (rings_in(s, tids, fds) < 2)
		return false;
	behind_the_last(s, &singles);
	return !s->c.wait_ns || singles >= 20;
}

/*
 * This thread wakes one that wakes another one that wakes this thread, and so on:
 * from any of them, the chain leads to the next, and around. Not in each round: who
 * is preempted before it wakes the next had that as its own last interval.
 */
static void in_a_ring(struct __test_metadata *_metadata, FIXTURE_DATA(waits) *self)
{
	int relay[2], first_ends[2], second_ends[2], fds[3];
	__u32 pids[3] = { gettid_() };
	char c = 0;

	ASSERT_EQ(0, pipe(relay));
	first_ends[0] = self->ping[0];
	first_ends[1] = relay[1];
	second_ends[0] = relay[0];
	second_ends[1] = self->pong[1];
	fds[0] = self->pong[0];
	fds[1] = self->ping[0];
	fds[2] = relay[0];
	pids[1] = child_of(child_pong, first_ends);
	self->pid = child_of(child_pong, second_ends);
	pids[2] = self->pid;
	self->c.flags |= WALLPROF_WAKER_CHAINS;
	dev_target(&self->c, WALLPROF_TARGET_PID, pids, 3);
	ASSERT_EQ(0, session_begin(&self->s, &self->c));
	/* Each time all are blocked, except the one that begins. */
	do {
		UNTIL(is_off(pids[1], 'S') && is_off(pids[2], 'S'));
		ASSERT_EQ(1, write(self->ping[1], &c, 1));
		ASSERT_EQ(1, read(self->pong[0], &c, 1));
		ASSERT_EQ(0, session_flip(&self->s));
	} while (!enough_in(&self->s, pids, fds));
	EXPECT_WHOLE(&self->s);
	child_end(pids[1]);
}

TEST_F_TIMEOUT(waits, in_a_ring, 60)
{
	in_a_ring(_metadata, self);
}

/*
 * The same for intervals that are recorded one by one: what they name is the very last
 * of their waker's.
 */
TEST_F_TIMEOUT(waits, in_a_ring_by_themselves, 60)
{
	unsigned int singles = 0;

	self->c.wait_ns = 1;
	self->c.nr_waits = WALLPROF_MAX_WAITS / 16;
	in_a_ring(_metadata, self);
	EXPECT_EQ(0, behind_the_last(&self->s, &singles));
}

/* The system call without its argument: of who sleeps at START, later, and at STOP. */
TEST_F_TIMEOUT(waits, without_arguments, 60)
{
	int ends[2] = { self->ping[0], self->pong[1] };
	const struct wallprof_aggr *a = NULL;
	const struct wallprof_task *task;
	struct want want = any;

	self->pid = child_of(child_pong, ends);
	ASSERT_NE(0, self->ping[0]);
	self->c.flags &= ~WALLPROF_ARGS;
	UNTIL(is_off(self->pid, 'S'));
	FOLLOW();
	want.state = WALLPROF_STATE_SLEEPING;
	want.reason = WALLPROF_REASON_SYSCALL;
	want.syscall = SYS_read;
	PING_ON(want, &a);
	EXPECT_EQ(0, a->arg);
	UNTIL(is_off(self->pid, 'S'));
	/* No aggregate has one: see sane_ends(). */
	EXPECT_WHOLE(&self->s);
	task = session_account(&self->s, self->pid);
	EXPECT_NE(0, task->flags & WALLPROF_TASK_OPEN);
	EXPECT_EQ(SYS_read, task->syscall);
	EXPECT_EQ(0, task->arg);
}

static char three[3];

static void child_reads_three(void *arg)
{
	const int *ends = arg;

	while (read(ends[0], three, sizeof(three)) > 0 && write(ends[1], "", 1) == 1)
		;
}

/* The other arguments of a call, of the waits of at least a microsecond. */
static void three_arguments(struct __test_metadata *_metadata, FIXTURE_DATA(waits) *self)
{
	int ends[2] = { self->ping[0], self->pong[1] };
	bool args = self->c.flags & WALLPROF_ARGS;
	struct want want = any;
	unsigned int nr = 0;

	self->pid = child_of(child_reads_three, ends);
	self->c.wait_ns = 1000;
	self->c.nr_waits = WALLPROF_MIN_WAITS;
	FOLLOW();
	want.state = WALLPROF_STATE_SLEEPING;
	want.reason = WALLPROF_REASON_SYSCALL;
	want.syscall = SYS_read;
	PING_ON(want, NULL);
	EXPECT_WHOLE(&self->s);
	for (size_t i = 0; i < self->s.nr_waits; i++) {
		const struct wallprof_wait *w = &self->s.waits[i];

		if ((int)w->tid != self->pid || w->syscall != SYS_read)
			continue;
		nr++;
		EXPECT_EQ(args ? self->ping[0] : 0, (int)w->arg);
		EXPECT_EQ(args ? (uintptr_t)three : 0, w->arg2);
		EXPECT_EQ(args ? sizeof(three) : 0, w->arg3);
	}
	EXPECT_LT(0, nr);
}

TEST_F_TIMEOUT(waits, by_themselves_with_arguments, 60)
{
	three_arguments(_metadata, self);
}

TEST_F_TIMEOUT(waits, by_themselves_without_arguments, 60)
{
	self->c.flags &= ~WALLPROF_ARGS;
	three_arguments(_metadata, self);
}

/* What was not asked for is not recorded. */
TEST_F_TIMEOUT(waits, nothing_unasked, 60)
{
	int ends[2] = { self->ping[0], self->pong[1] };
	struct want want = any;

	self->pid = child_of(child_pong, ends);
	self->c.flags &= ~(WALLPROF_WAKERS | WALLPROF_REASONS | WALLPROF_ARGS);
	FOLLOW();
	want.state = WALLPROF_STATE_SLEEPING;
	PING_ON(want, NULL);
	want.waker = WALLPROF_WAKER_NONE;
	want.waker_tid = 0;
	want.reason = WALLPROF_REASON_UNKNOWN;
	want.syscall = WALLPROF_SYSCALL_NONE;
	EXPECT_LE(5, count(&self->s, self->pid, want, NULL));
	EXPECT_WHOLE(&self->s);
}

TEST_HARNESS_MAIN
