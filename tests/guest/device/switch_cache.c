// SPDX-License-Identifier: GPL-2.0
/*
 * The switch cache: a thread that repeats a wait, and then waits in a way that differs in
 * one part of the cache's key. Each wait must be recorded as what it was. All threads are
 * on one CPU with the same priority, so each runs until it waits, and the number of waits
 * of each kind is known.
 */
#include "device.h"

#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/uio.h>

#define KINDS	32	/* of waits: bits, see BY_OTHER() and the like */
#define WAITS	8	/* of these, without where the threads were */
#define STEPS	4000
#define FLIP_STEPS	500	/* in an epoch */
#define NAME	"wp-cached"	/* of the child, and its user */
#define USER	4713

/* What the child does: wait so, then write a byte. */
struct script {
	unsigned char kinds[STEPS];
	unsigned int nr;
	int from[2], to;	/* pipes */
};

FIXTURE(switch_cache)
{
	struct wallprof_configure c;
	struct session s;
	struct script *script;
	int ping[2][2], pong[2];
	int order[2];		/* for the other waker: which pipe to write to */
	pid_t pid, waker;
};

FIXTURE_VARIANT(switch_cache)
{
	unsigned int stack_flags, max_stack;
	unsigned int target;	/* WALLPROF_TARGET_PID if it is 0 */
	__u64 min_ns;
	__u32 states;		/* all if it is 0 */
	__u32 flags;		/* more of them */
	bool wakers;		/* the wakers are targets, too */
};

FIXTURE_VARIANT_ADD(switch_cache, by_fp)
{
	.stack_flags = WALLPROF_STACK_USER, .max_stack = 64,
};

FIXTURE_VARIANT_ADD(switch_cache, of_one_address)
{
	.stack_flags = WALLPROF_STACK_USER, .max_stack = 1,
};

FIXTURE_VARIANT_ADD(switch_cache, of_kernel_stacks)
{
	.stack_flags = WALLPROF_STACK_USER | WALLPROF_STACK_KERNEL, .max_stack = 64,
};

FIXTURE_VARIANT_ADD(switch_cache, without_stacks)
{
};

/* Threads that may cease to be targets; each is one all the time. */
FIXTURE_VARIANT_ADD(switch_cache, of_a_user)
{
	.stack_flags = WALLPROF_STACK_USER, .max_stack = 64,
	.target = WALLPROF_TARGET_UID,
};

FIXTURE_VARIANT_ADD(switch_cache, of_a_name)
{
	.stack_flags = WALLPROF_STACK_USER, .max_stack = 64,
	.target = WALLPROF_TARGET_COMM,
};

/* A length that is asked for, and no interval lacks. */
FIXTURE_VARIANT_ADD(switch_cache, of_a_length)
{
	.stack_flags = WALLPROF_STACK_USER, .max_stack = 64,
	.min_ns = 1,
};

FIXTURE_VARIANT_ADD(switch_cache, of_a_state)
{
	.stack_flags = WALLPROF_STACK_USER, .max_stack = 64,
	.states = 1 << WALLPROF_STATE_SLEEPING,
};

/* Each is judged beside its sum. */
FIXTURE_VARIANT_ADD(switch_cache, of_histograms)
{
	.stack_flags = WALLPROF_STACK_USER, .max_stack = 64,
	.flags = WALLPROF_HISTOGRAMS,
};

/* With where the waker was: one waker wakes from two places. */
FIXTURE_VARIANT_ADD(switch_cache, of_wakers)
{
	.stack_flags = WALLPROF_STACK_USER, .max_stack = 64,
	.flags = WALLPROF_WAKER_STACKS,
};

/* The same of wakers whose own switches are recorded: where they were is cached, too. */
FIXTURE_VARIANT_ADD(switch_cache, of_wakers_that_are_targets)
{
	.stack_flags = WALLPROF_STACK_USER, .max_stack = 64,
	.flags = WALLPROF_WAKER_STACKS, .wakers = true,
};

FIXTURE_VARIANT_ADD(switch_cache, of_wakers_at_one_address)
{
	.stack_flags = WALLPROF_STACK_USER, .max_stack = 1,
	.flags = WALLPROF_WAKER_STACKS, .wakers = true,
};

/* Has the session record the child, as the variant wants; @nr: and others, if by pid. */
static void aim(struct wallprof_configure *c, unsigned int target, const pid_t *pids, int nr)
{
	static char names[2][WALLPROF_COMM_LEN] = { NAME, "nobody" };
	static __u32 uids[2] = { USER, 4711 };

	switch (target) {
	case WALLPROF_TARGET_UID:
		dev_target(c, target, uids, 2);
		break;
	case WALLPROF_TARGET_COMM:
		dev_target(c, target, (void *)names, 2);
		break;
	default:
		dev_target(c, WALLPROF_TARGET_PID, (const __u32 *)pids, nr);
	}
}

static void in_turn(void)
{
	struct sched_param param = { .sched_priority = 1 };

	stay_on(0);
	sched_setscheduler(0, SCHED_FIFO, &param);
}

FIXTURE_SETUP(switch_cache)
{
	self->c = dev_config();
	self->c.flags |= variant->flags;
	self->c.stack_flags = variant->stack_flags;
	self->c.max_stack = variant->max_stack ? variant->max_stack : self->c.max_stack;
	self->c.min_ns = variant->min_ns;
	self->c.states = variant->states ? variant->states : self->c.states;
	for (int i = 0; i < 2; i++)
		ASSERT_EQ(0, pipe(self->ping[i]));
	ASSERT_EQ(0, pipe(self->pong));
	ASSERT_EQ(0, pipe(self->order));
	self->script = mmap(NULL, sizeof(*self->script), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->script);
	for (int i = 0; i < 2; i++)
		self->script->from[i] = self->ping[i][0];
	self->script->to = self->pong[1];
	in_turn();
}

FIXTURE_TEARDOWN(switch_cache)
{
	child_end(self->pid);
	if (self->waker > 0)
		child_end(self->waker);
}

#define BY_OTHER(kind)	((kind) & 1)	/* who wakes */
#define PIPE(kind)	((kind) >> 1 & 1)
#define BY_READV(kind)	((kind) >> 2 & 1)
#define VIA_B(kind)	((kind) >> 3 & 1)
#define WOKEN_VIA_B(kind)	((kind) >> 4 & 1)	/* where the waker is */
#define OF_WAKER		0x11	/* all that is of the waker */

/* Where wait_via() was called from, last, by each of the two. */
static volatile __u64 *via;

/* One place for all, in the C library; what differs is in registers, or above it. */
static __attribute__((__noinline__)) long wait_via(long nr, long fd, void *arg, int b)
{
	via[b] = (uintptr_t)__builtin_return_address(0);
	return syscall(nr, fd, arg, 1);
}

static __attribute__((__noinline__)) void wait_as(int kind, const struct script *script)
{
	char c;
	struct iovec iov = { &c, 1 };
	void *arg = BY_READV(kind) ? (void *)&iov : (void *)&c;
	long nr = BY_READV(kind) ? SYS_readv : SYS_read;
	long fd = script->from[PIPE(kind)], done;

	/* The stacks are the same but for the address that one frame returns to. */
	if (VIA_B(kind)) {
		done = wait_via(nr, fd, arg, 1);
		asm volatile("" : "+r" (done));
	} else {
		done = wait_via(nr, fd, arg, 0);
		asm volatile("" : "+r" (done));
	}
	if (done != 1 || write(script->to, &c, 1) != 1)
		_exit(1);
}

static void child_script(void *arg)
{
	const struct script *script = arg;

	in_turn();
	prctl(PR_SET_NAME, NAME);
	if (setresuid(USER, 0, 0))
		_exit(1);
	for (unsigned int i = 0; i < script->nr; i++)
		wait_as(script->kinds[i], script);
	pause();
}

/* Wakes the thread that reads from the pipe that it is sent. */
static void child_waker(void *arg)
{
	const int *fds = arg;	/* one to read from, two to write to */
	char which;

	in_turn();
	while (read(fds[0], &which, 1) == 1)
		if (write(fds[1 + which], "", 1) != 1)
			_exit(1);
}

/* Kinds in random order, each repeated: mostly often enough to be cached, not always. */
static void script_write(struct script *script, unsigned int steps, unsigned int seed)
{
	unsigned int nr = 0;

	while (nr < steps) {
		unsigned int kind, times;

		seed = seed * 1103515245 + 12345;
		/* In half of the cases one part of the key changes, and back. */
		kind = seed >> 29 & 1 ? nr / 7 % 2 * (1 << (seed >> 16) % 5) :
				       (seed >> 16) % KINDS;
		times = 1 + (seed >> 24) % 6;
		while (times-- && nr < steps)
			script->kinds[nr++] = kind;
	}
	script->nr = nr;
}

/* Where wake_via() was called from, last, by each of the two. */
static __u64 woke_via[2];

/* Wakes from one place, which is called from two, as wait_via() is. */
static __attribute__((__noinline__)) bool wake_via(int fd, char c, int b)
{
	woke_via[b] = (uintptr_t)__builtin_return_address(0);
	return syscall(SYS_write, fd, &c, 1) == 1;
}

/* Has the child take a step. Returns whether it did. */
static bool step(int kind, const int ping[2][2], int order, int pong)
{
	int fd = BY_OTHER(kind) ? order : ping[PIPE(kind)][1];
	char c = PIPE(kind);
	bool done;

	if (WOKEN_VIA_B(kind)) {
		done = wake_via(fd, c, 1);
		asm volatile("" : "+r" (done));
	} else {
		done = wake_via(fd, c, 0);
		asm volatile("" : "+r" (done));
	}
	return done && read(pong, &c, 1) == 1;
}

/* How many waits were recorded of a kind; where it was called from is not looked at. */
static __u64 waits_as(const struct session *s, __u32 tid, int kind, const struct script *script,
		      __u32 waker)
{
	__u64 nr = 0;

	for (size_t i = 0; i < s->nr_aggrs; i++) {
		const struct wallprof_aggr *a = &s->aggrs[i];

		if (a->tid == tid && a->state == WALLPROF_STATE_SLEEPING &&
		    a->syscall == (BY_READV(kind) ? SYS_readv : SYS_read) &&
		    a->arg == (__u64)script->from[PIPE(kind)] && a->waker_tid == waker &&
		    !(a->flags & WALLPROF_AGGR_SINCE_START))
			nr += a->count;
	}
	return nr;
}

/* Of a stack, or of an aggregate. */
static unsigned int epoch_of(__u64 id)
{
	return id >> 36;
}

/* How many waits of a thread a waker ended, and from one of its two places; -1: any. */
static __u64 waits_woken(const struct session *s, __u32 tid, __u32 waker, int b)
{
	const struct read_stack *where;
	__u64 nr = 0;

	for (size_t i = 0; i < s->nr_aggrs; i++) {
		const struct wallprof_aggr *a = &s->aggrs[i];

		if (a->tid != tid || a->state != WALLPROF_STATE_SLEEPING || a->waker_tid != waker ||
		    a->flags & WALLPROF_AGGR_SINCE_START)
			continue;
		where = session_stack(s, a->waker_stack);
		if (!where || where->ips[WALLPROF_WAKER_TGID] != waker)
			continue;
		where = session_stack(s, where->ips[WALLPROF_WAKER_USER_STACK]);
		nr += where && (b < 0 || has_ip(where, woke_via[b])) ? a->count : 0;
	}
	return nr;
}

/* Whether a stack, if it is one, is of an epoch before the last one. */
static bool is_stale(__u64 stack, unsigned int epoch)
{
	return stack && epoch > epoch_of(stack) + 1;
}

/* How many waits have such a stack, or such a waker; few were so long. */
static __u64 stale_stacks(const struct session *s)
{
	__u64 nr = 0;

	for (size_t i = 0; i < s->nr_aggrs; i++) {
		const struct wallprof_aggr *a = &s->aggrs[s->aggr_ids[i].at];
		unsigned int epoch = epoch_of(s->aggr_ids[i].id);

		if (is_stale(a->user_stack, epoch) || is_stale(a->waker_stack, epoch))
			nr += a->count;
	}
	return nr;
}

/* Whether the waits of a script from one to another were all of the same kind. */
static bool all_alike(const struct script *script, unsigned int from, unsigned int to, int except)
{
	for (unsigned int i = from; i < to; i++)
		if ((script->kinds[i] ^ script->kinds[i + 1]) & ~except)
			return false;
	return true;
}

/*
 * How many switches of each kind a script has at the least: those of which the waits just
 * before, in the same epoch, say it. Each system call has one entry.
 */
static void script_counts(const struct script *script, __u64 nr[WALLPROF_SWITCH_MAX])
{
	nr[WALLPROF_SWITCH_LEFT_FIRST] = 1;
	nr[WALLPROF_SWITCH_CAME_UNKNOWN] = 1;
	for (unsigned int i = 0; i < script->nr; i++) {
		const unsigned char *kind = script->kinds + i;

		if (i % FLIP_STEPS < 4) {
			/* The wait at which the epoch begins left in the last one. */
			nr[WALLPROF_SWITCH_LEFT_CHANGED] += i > 1 && i % FLIP_STEPS == 1 &&
							    all_alike(script, i - 3, i, OF_WAKER);
			continue;
		}
		/* Who ends a wait does not decide by which entry it began. */
		if (all_alike(script, i - 2, i - 1, OF_WAKER)) {
			nr[WALLPROF_SWITCH_LEFT_CACHED] += all_alike(script, i - 1, i, OF_WAKER);
			nr[WALLPROF_SWITCH_LEFT_ARGUMENT] += PIPE(kind[-1] ^ kind[0]) &&
							     all_alike(script, i - 1, i,
								       OF_WAKER | 2);
		}
		if (all_alike(script, i - 3, i - 1, 0)) {
			nr[WALLPROF_SWITCH_CAME_CACHED] += all_alike(script, i - 1, i, 0);
			nr[WALLPROF_SWITCH_CAME_WAKER] += BY_OTHER(kind[-1] ^ kind[0]) &&
							  all_alike(script, i - 1, i, 1);
		}
	}
}

/*
 * How many switches may be of another kind than a script says, since their kernel stack is
 * none that is kept: as those of readv() where it aligns its stack, on some kernels.
 */
static __u64 uncached(const struct session *s, int kind)
{
	if (!(s->c.stack_flags & WALLPROF_STACK_KERNEL))
		return 0;
	return s->switches[kind < WALLPROF_SWITCH_CAME_CACHED ? WALLPROF_SWITCH_LEFT_NEVER :
								WALLPROF_SWITCH_CAME_UNKNOWN];
}

/* Each wait is recorded as what it was, whatever the one before was. */
TEST_F_TIMEOUT(switch_cache, one_thing_changes, 120)
{
	unsigned int seed = now_ns() / 1000 % 1000000;
	int fds[3] = { self->order[0], self->ping[0][1], self->ping[1][1] };
	__u64 want[WAITS] = {}, got, via_b[2] = {}, got_b[2] = {}, woken[3] = {};
	__u64 least[WALLPROF_SWITCH_MAX] = {};
	pid_t pids[3] = { 0, 0, getpid() };
	struct script *script = self->script;
	int i, kind;

	TH_LOG("seed %u", seed);
	via = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, via);
	script_write(script, scaled(STEPS), seed);
	self->waker = child_of(child_waker, fds);
	self->pid = child_of(child_script, script);
	/* Both wait. */
	UNTIL(is_off(self->pid, 'S') && is_off(self->waker, 'S'));
	pids[0] = self->pid;
	pids[1] = self->waker;
	aim(&self->c, variant->target, pids, variant->wakers ? 3 : 1);
	ASSERT_EQ(0, session_begin(&self->s, &self->c));
	for (i = 0; i < (int)script->nr; i++) {
		ASSERT_TRUE(step(script->kinds[i], self->ping, self->order[1], self->pong[0]));
		if (i % FLIP_STEPS == FLIP_STEPS - 1)
			ASSERT_EQ(0, session_flip(&self->s));
		/* The first began before START. */
		if (i) {
			want[script->kinds[i] % WAITS]++;
			via_b[VIA_B(script->kinds[i])]++;
			woken[BY_OTHER(script->kinds[i]) ? 2 : WOKEN_VIA_B(script->kinds[i])]++;
		}
	}
	EXPECT_WHOLE(&self->s);
	for (kind = 0; kind < WAITS; kind++) {
		got = waits_as(&self->s, self->pid, kind, script,
			       BY_OTHER(kind) ? self->waker : gettid_());
		EXPECT_EQ(want[kind], got) TH_LOG("kind %d", kind);
	}
	if (self->c.flags & WALLPROF_WAKER_STACKS) {
		EXPECT_EQ(woken[2], waits_woken(&self->s, self->pid, self->waker, -1));
		EXPECT_EQ(woken[0] + woken[1],
			  waits_woken(&self->s, self->pid, gettid_(), -1));
		for (i = 0; i < 2 && HAS_FRAMES && self->c.max_stack > 1; i++)
			EXPECT_EQ(woken[i], waits_woken(&self->s, self->pid, gettid_(), i));
	}
	EXPECT_EQ(0, stale_stacks(&self->s));
	script_counts(script, least);
	/*
	 * Of more threads, some may have the same places in the table, and some be cached while
	 * others are not.
	 */
	if (variant->wakers)
		goto stacks;
	/*
	 * Threads without stacks are not in the cache, nor are those whose walk ends at memory
	 * that cannot be read, as in a C library without frame pointers.
	 */
	if (self->c.stack_flags & WALLPROF_STACK_KERNEL && !kernel_stacks_cached()) {
		EXPECT_EQ(0, self->s.switches[WALLPROF_SWITCH_LEFT_CACHED]);
	} else if (!self->c.stack_flags || self->s.unwinds[0][WALLPROF_UNWIND_FAULT]) {
		EXPECT_LE(least[WALLPROF_SWITCH_LEFT_CACHED],
			  self->s.switches[WALLPROF_SWITCH_LEFT_NEVER]);
		EXPECT_EQ(0, self->s.switches[WALLPROF_SWITCH_LEFT_CACHED]);
		EXPECT_EQ(0, self->s.switches[WALLPROF_SWITCH_CAME_CACHED]);
	} else {
		for (i = 0; i < WALLPROF_SWITCH_MAX; i++)
			EXPECT_LE(least[i], self->s.switches[i] + uncached(&self->s, i))
				TH_LOG("kind %d", i);
	}
stacks:
	if (!HAS_FRAMES || self->c.max_stack == 1 || !self->c.stack_flags)
		return;
	ASSERT_NE(via[0], via[1]);
	for (size_t n = 0; n < self->s.nr_aggrs; n++) {
		const struct wallprof_aggr *a = &self->s.aggrs[n];

		if (a->tid != self->pid || a->state != WALLPROF_STATE_SLEEPING ||
		    a->flags & WALLPROF_AGGR_SINCE_START ||
		    (a->syscall != SYS_read && a->syscall != SYS_readv))
			continue;
		for (i = 0; i < 2; i++)
			got_b[i] += has_ip(session_stack(&self->s, a->user_stack), via[i]) ?
				    a->count : 0;
	}
	EXPECT_EQ(via_b[0], got_b[0]);
	EXPECT_EQ(via_b[1], got_b[1]);
}

/* Yields its CPU, which is no wait: by a system call, each time from one place. */
static void child_yield(void *arg)
{
	for (;;)
		syscall(SYS_sched_yield);
}

/* A thread that is not woken, because it never blocked, has waited for a CPU only. */
TEST_F_TIMEOUT(switch_cache, thread_that_only_yields, 120)
{
	struct sched_param none = {};
	__u64 yields = 0, others = 0;
	pid_t other;

	/* With SCHED_FIFO a flip would wait for threads that cannot run, a second each. */
	ASSERT_EQ(0, sched_setscheduler(0, SCHED_OTHER, &none));
	self->pid = child_of(child_yield, NULL);
	other = child_of(child_yield, NULL);
	/* It is never in another state. */
	self->c.states = dev_config().states;
	dev_target(&self->c, WALLPROF_TARGET_PID, (__u32 *)&self->pid, 1);
	ASSERT_EQ(0, session_begin(&self->s, &self->c));
	while (yields < 500) {
		/* This thread is one of three that take turns. */
		sched_yield();
		if (++others % 100)
			continue;
		ASSERT_EQ(0, session_flip(&self->s));
		yields = 0;
		for (size_t i = 0; i < self->s.nr_aggrs; i++) {
			const struct wallprof_aggr *a = &self->s.aggrs[i];

			if (a->tid == self->pid && a->syscall == SYS_sched_yield &&
			    a->state == WALLPROF_STATE_RUNNING)
				yields += a->count;
		}
	}
	EXPECT_WHOLE(&self->s);
	EXPECT_GT(yields, 4 * stale_stacks(&self->s));
	child_end(other);
}

#define SHORT	20	/* waits of a round, as another and as a target */
#define ROUNDS	100

/* Waits, in rounds: not as a target, then as one; each is cached at the third. */
static void child_comes_and_goes(void *arg)
{
	const struct script *script = arg;

	in_turn();
	/* One loop: the stacks are the same. */
	for (unsigned int i = 0;; i++) {
		if (i % SHORT == 0)
			prctl(PR_SET_NAME, i / SHORT % 2 ? NAME : "other");
		wait_as(0, script);
	}
}

/*
 * A thread is a target, or none, at each wait as its name is then; and another thread gets
 * the slot that it gives back.
 */
TEST_F_TIMEOUT(switch_cache, target_that_comes_and_goes, 120)
{
	unsigned int rounds = scaled(ROUNDS);
	struct script *script = self->script;

	via = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, via);
	self->pid = child_of(child_comes_and_goes, script);
	UNTIL(is_off(self->pid, 'S'));
	self->c.nr_exits = 65536;
	aim(&self->c, WALLPROF_TARGET_COMM, NULL, 0);
	ASSERT_EQ(0, session_begin(&self->s, &self->c));
	for (unsigned int i = 0; i < rounds * 2 * SHORT; i++)
		ASSERT_TRUE(step(0, self->ping, self->order[1], self->pong[0]));
	EXPECT_WHOLE(&self->s);
	EXPECT_EQ((__u64)rounds * SHORT,
		  waits_as(&self->s, self->pid, 0, script, gettid_()));
}

/*
 * Intervals below a length are left out, of cached waits, too; no other is. A wait lies
 * between the write that ended the one before and the read of what the child wrote behind it.
 */
TEST_F_TIMEOUT(switch_cache, lengths_in_turn, 120)
{
	unsigned int steps = scaled(400), longer = 0, shorter = 0;
	struct script *script = self->script;
	__u64 waits, before = 0, begun;

	via = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, via);
	memset(script->kinds, 0, sizeof(script->kinds));
	script->nr = STEPS;
	self->pid = child_of(child_script, script);
	UNTIL(is_off(self->pid, 'S'));
	self->c.min_ns = 2 * MS;
	aim(&self->c, variant->target, &self->pid, 1);
	ASSERT_EQ(0, session_begin(&self->s, &self->c));
	/* Until one was short for sure: the script is longer. */
	for (unsigned int i = 0; i < steps || (!shorter && i < script->nr); i++) {
		if (i % 10 == 9) {
			nap_ns(3 * MS);
			longer++;
		}
		begun = now_ns();
		ASSERT_TRUE(step(0, self->ping, self->order[1], self->pong[0]));
		shorter += before && now_ns() - before < self->c.min_ns;
		before = begun;
	}
	EXPECT_WHOLE(&self->s);
	waits = waits_as(&self->s, self->pid, 0, script, gettid_());
	/* A short one may become a long one; the first and the last are no waits of a step. */
	EXPECT_LE(longer, waits);
	EXPECT_LT(0, shorter);
	EXPECT_LE(shorter, self->s.out_of_range);
	for (size_t i = 0; i < self->s.nr_aggrs; i++)
		EXPECT_LE(self->c.min_ns, self->s.aggrs[i].min);
}

#define EXEC_STEPS	50

/* The programs that the child executes are this one, with arguments in the environment. */
static __attribute__((constructor)) void executed(void)
{
	const char *args = getenv("SWITCH_CACHE");
	int from, to, left;
	char c, again[64];

	if (!args || sscanf(args, "%d %d %d", &from, &to, &left) != 3)
		return;
	for (int i = 0; i < EXEC_STEPS; i++)
		if (syscall(SYS_read, from, &c, 1) != 1 || write(to, &c, 1) != 1)
			_exit(1);
	/* As long as the last one: all of the stack lies where it lay. */
	snprintf(again, sizeof(again), "%d %d %d", from, to, left - 1);
	if (left > 1) {
		setenv("SWITCH_CACHE", again, 1);
		execl("/proc/self/exe", "switch_cache", (char *)NULL);
	}
	pause();
	_exit(0);
}

static void child_exec(void *arg)
{
	const struct script *script = arg;
	char args[64];

	in_turn();
	personality(ADDR_NO_RANDOMIZE);
	snprintf(args, sizeof(args), "%d %d 4", script->from[0], script->to);
	setenv("SWITCH_CACHE", args, 1);
	execl("/proc/self/exe", "switch_cache", (char *)NULL);
	_exit(1);
}

/* The same program, at the same addresses, in the same thread, is another one. */
TEST_F_TIMEOUT(switch_cache, exec_invalidates_it, 120)
{
	__u32 exec_ids[16] = {}, nr = 0, n;
	__u64 waits[16] = {};

	self->pid = child_of(child_exec, self->script);
	UNTIL(is_off(self->pid, 'S'));
	dev_target(&self->c, WALLPROF_TARGET_PID, (__u32 *)&self->pid, 1);
	ASSERT_EQ(0, session_begin(&self->s, &self->c));
	for (int i = 0; i < 4 * EXEC_STEPS; i++)
		ASSERT_TRUE(step(0, self->ping, self->order[1], self->pong[0]));
	EXPECT_WHOLE(&self->s);
	for (size_t i = 0; i < self->s.nr_aggrs; i++) {
		const struct wallprof_aggr *a = &self->s.aggrs[i];

		if (a->tid != self->pid || a->state != WALLPROF_STATE_SLEEPING ||
		    a->syscall != SYS_read || a->arg != self->ping[0][0])
			continue;
		for (n = 0; n < nr && exec_ids[n] != a->exec_id; n++)
			;
		ASSERT_GT(16, n);
		exec_ids[n] = a->exec_id;
		waits[n] += a->count;
		if (n == nr)
			nr++;
	}
	EXPECT_EQ(4, nr);
	for (n = 0; n < nr; n++)
		EXPECT_EQ(EXEC_STEPS, waits[n]) TH_LOG("exec_id %u", exec_ids[n]);
}

TEST_HARNESS_MAIN
