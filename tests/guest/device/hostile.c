// SPDX-License-Identifier: GPL-2.0
/*
 * Invariant 10: user memory is hostile. A thread sleeps with a frame pointer
 * of its own making; the walk ends where it must, and says why.
 */
#include "device.h"

/* nanosleep with this frame pointer. */
static __attribute__((noinline)) void nap_with(unsigned long frame, __u64 ns)
{
	struct { long sec, nsec; } ts = { ns / SEC, ns % SEC };
	long nr = SYS_nanosleep, ret;

#ifdef __x86_64__
	/* No push: the words below the stack pointer are the compiler's. */
	__asm__ volatile("mov %%rbp, %%r12\n\t"
			 "mov %[frame], %%rbp\n\t"
			 "syscall\n\t"
			 "mov %%r12, %%rbp"
			 : "=a"(ret)
			 : "a"(nr), "D"(&ts), "S"(0L), [frame] "r"(frame)
			 : "rcx", "r11", "r12", "memory");
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = nr;
	register void *x0 __asm__("x0") = &ts;
	register long x1 __asm__("x1") = 0;

	__asm__ volatile("mov x9, x29\n\t"
			 "mov x29, %[frame]\n\t"
			 "svc 0\n\t"
			 "mov x29, x9"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), [frame] "r"(frame)
			 : "x9", "memory");
	ret = (long)x0;
#elif defined(__arm__)
	register long r7 __asm__("r7") = nr;
	register void *r0 __asm__("r0") = &ts;
	register long r1 __asm__("r1") = 0;

	__asm__ volatile("mov r6, fp\n\t"
			 "mov fp, %[frame]\n\t"
			 "svc 0\n\t"
			 "mov fp, r6"
			 : "+r"(r0)
			 : "r"(r7), "r"(r1), [frame] "r"(frame)
			 : "r6", "memory");
	ret = (long)r0;
#else
	__asm__ volatile("push %%ebp\n\t"
			 "mov %[frame], %%ebp\n\t"
			 "int $0x80\n\t"
			 "pop %%ebp"
			 : "=a"(ret)
			 : "a"(nr), "b"(&ts), "c"(0L), [frame] "d"(frame)
			 : "memory");
#endif
	(void)ret;
}

struct walk {
	unsigned long frame;
	unsigned int max_stack;
	unsigned int nr;	/* frames found */
	__u64 ips[4];		/* their addresses after the first; 0: any */
	unsigned int unwind;
};

/*
 * Where all of it happens: the stack of the thread, and above it, for a walk
 * that goes down ends at once, the frames, with nothing on either side.
 */
#define STACK 65536
#define PAGE 4096

struct arena {
	unsigned char stack[STACK];
	unsigned char guard1[PAGE];
	unsigned long frames[PAGE / sizeof(long)];
	unsigned char guard2[PAGE];
	unsigned char untouched[PAGE];
	unsigned char guard3[PAGE];
};

static struct arena *arena;

/* A page of frames. */
static unsigned long *frames_page(void)
{
	arena = mmap(NULL, sizeof(*arena), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (arena == MAP_FAILED)
		abort();
	mprotect(arena->guard1, PAGE, PROT_NONE);
	mprotect(arena->guard2, PAGE, PROT_NONE);
	mprotect(arena->guard3, PAGE, PROT_NONE);
	memset(arena->frames, 0, PAGE);
	return arena->frames;
}

static void *naps_hostile(void *arg)
{
	for (;;)
		nap_with(*(unsigned long *)arg, 10 * MS);
	return NULL;
}

/* Each thread has a part of the arena's stack. */
static void thread_there(int nr, void *(*body)(void *), void *arg)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, arena->stack + nr * (STACK / 4), STACK / 4);
	if (pthread_create(&thread, &attr, body, arg))
		abort();
}

static void hostile(void *arg)
{
	/*
	 * Pages count as not touched after a fork. A CPU that leaves it to the
	 * kernel to note the touch, as arm64's first, cannot read them then.
	 */
	*(volatile unsigned long *)arena->frames;
	thread_there(0, naps_hostile, arg);
	for (;;)
		pause();
}

/* A nap that began in the session. */
static bool is_walk(const struct wallprof_aggr *a)
{
	return a->state == WALLPROF_STATE_SLEEPING &&
	       !(a->flags & ~WALLPROF_AGGR_32BIT);
}

static bool has_walk(const struct session *s)
{
	for (size_t i = 0; i < s->nr_aggrs; i++)
		if (is_walk(&s->aggrs[i]))
			return true;
	return false;
}

static void try_walk(struct __test_metadata *_metadata, struct walk w, const char *what)
{
	struct wallprof_configure c = dev_config();
	const struct read_stack *stack;
	struct session s;
	__u32 pid;

	if (!arena)
		frames_page();
	pid = child_of(hostile, &w.frame);
	/* Its first thread: that has nothing more to do. */
	UNTIL(is_off(pid, 'S'));
	c.max_stack = w.max_stack ? w.max_stack : 64;
	dev_target(&c, WALLPROF_TARGET_PID, &pid, 1);
	ASSERT_EQ(0, session_begin(&s, &c));
	do {
		nap_ns(20 * MS);
		ASSERT_EQ(0, session_flip(&s));
	} while (!has_walk(&s));
	EXPECT_WHOLE(&s);
	for (size_t i = 0; i < s.nr_aggrs; i++) {
		const struct wallprof_aggr *a = &s.aggrs[i];

		if (!is_walk(a))
			continue;
		stack = session_stack(&s, a->user_stack);
		ASSERT_NE(NULL, stack);
		EXPECT_EQ(w.unwind, stack->unwind) TH_LOG("%s", what);
		EXPECT_EQ(w.nr, stack->nr) TH_LOG("%s", what);
		for (unsigned int k = 1; k < stack->nr && k < 4; k++)
			if (w.ips[k])
				EXPECT_EQ(w.ips[k], stack->ips[k]) TH_LOG("%s", what);
	}
	EXPECT_LT(0, s.unwinds[0][w.unwind]) TH_LOG("%s", what);
	child_end(pid);
	session_close(&s);
}

#define TRY(...) try_walk(_metadata, (struct walk){ __VA_ARGS__ }, #__VA_ARGS__)

#define WORD sizeof(long)
#define CODE 0x401000UL		/* as good a return address as any */

TEST(no_frame)
{
	TRY(.frame = 0, .nr = 1, .unwind = WALLPROF_UNWIND_END);
}

TEST(misaligned)
{
	unsigned long *f = frames_page();

	TRY(.frame = (unsigned long)f + 1, .nr = 1, .unwind = WALLPROF_UNWIND_MISALIGNED);
	TRY(.frame = 1, .nr = 1, .unwind = WALLPROF_UNWIND_MISALIGNED);
	TRY(.frame = ~0UL, .nr = 1, .unwind = WALLPROF_UNWIND_MISALIGNED);
	/* The second one is. */
	f[0] = (unsigned long)&f[8] + 2;
	f[1] = CODE;
	TRY(.frame = (unsigned long)f, .nr = 2, .ips[1] = CODE,
	    .unwind = WALLPROF_UNWIND_MISALIGNED);
}

TEST(not_there)
{
	unsigned long *f = frames_page();

	TRY(.frame = (unsigned long)f - 4096, .nr = 1, .unwind = WALLPROF_UNWIND_FAULT);
	/* Below the stack pointer nothing is read. */
	TRY(.frame = 4096, .nr = 1, .unwind = WALLPROF_UNWIND_NOT_RISING);
	/* One word of the frame is there, the other one is not. */
	TRY(.frame = (unsigned long)f + 4096 - WORD, .nr = 1,
	    .unwind = WALLPROF_UNWIND_FAULT);
	/* The last frame that is there. */
	f[510 * 8 / WORD] = (unsigned long)f + 4096;
	f[510 * 8 / WORD + 1] = CODE;
	TRY(.frame = (unsigned long)&f[510 * 8 / WORD], .nr = 2, .ips[1] = CODE,
	    .unwind = WALLPROF_UNWIND_FAULT);
}

TEST(not_swapped_in)
{
	frames_page();
	/* Never touched: a walk must not fault it in. */
	TRY(.frame = (unsigned long)arena->untouched, .nr = 1,
	    .unwind = WALLPROF_UNWIND_FAULT);
}

TEST(of_the_kernel)
{
	unsigned long *f = frames_page();

	TRY(.frame = -4096UL, .nr = 1, .unwind = WALLPROF_UNWIND_FAULT);
#ifdef __x86_64__
	TRY(.frame = 0xffff888000000000UL, .nr = 1, .unwind = WALLPROF_UNWIND_FAULT);
	TRY(.frame = 0xffffffff81000000UL, .nr = 1, .unwind = WALLPROF_UNWIND_FAULT);
	/* Not canonical; the last words of user addresses. */
	TRY(.frame = 0x8000000000000000UL, .nr = 1, .unwind = WALLPROF_UNWIND_FAULT);
	TRY(.frame = 0x7ffffffffff8UL, .nr = 1, .unwind = WALLPROF_UNWIND_FAULT);
	TRY(.frame = 0x7fffffffeff8UL, .nr = 1, .unwind = WALLPROF_UNWIND_FAULT);
	f[0] = 0xffffffff81000000UL;
	f[1] = CODE;
	TRY(.frame = (unsigned long)f, .nr = 2, .ips[1] = CODE,
	    .unwind = WALLPROF_UNWIND_FAULT);
	f[0] = (unsigned long)&f[8];
	f[1] = 0xffffffff81000000UL;
	TRY(.frame = (unsigned long)f, .nr = 1, .unwind = WALLPROF_UNWIND_BAD_IP);
	f[1] = ~0UL;
	TRY(.frame = (unsigned long)f, .nr = 1, .unwind = WALLPROF_UNWIND_BAD_IP);
#elif defined(__aarch64__)
	TRY(.frame = 0xffff000000000000UL, .nr = 1, .unwind = WALLPROF_UNWIND_FAULT);
	TRY(.frame = 0xffff800008000000UL, .nr = 1, .unwind = WALLPROF_UNWIND_FAULT);
	/* Of neither; the last words of user addresses, of 48 and 52 bits. */
	TRY(.frame = 0x0080000000000000UL, .nr = 1, .unwind = WALLPROF_UNWIND_FAULT);
	TRY(.frame = 0x000ffffffffffff8UL, .nr = 1, .unwind = WALLPROF_UNWIND_FAULT);
	TRY(.frame = 0x0000fffffffffff8UL, .nr = 1, .unwind = WALLPROF_UNWIND_FAULT);
	f[0] = 0xffff800008000000UL;
	f[1] = CODE;
	TRY(.frame = (unsigned long)f, .nr = 2, .ips[1] = CODE,
	    .unwind = WALLPROF_UNWIND_FAULT);
	f[0] = (unsigned long)&f[8];
	f[1] = 0xffff800008000000UL;
	TRY(.frame = (unsigned long)f, .nr = 1, .unwind = WALLPROF_UNWIND_BAD_IP);
	f[1] = ~0UL;
	TRY(.frame = (unsigned long)f, .nr = 1, .unwind = WALLPROF_UNWIND_BAD_IP);
#endif
	f[0] = (unsigned long)&f[8];
	f[1] = 0;
	TRY(.frame = (unsigned long)f, .nr = 1, .unwind = WALLPROF_UNWIND_BAD_IP);
}

/* Two naps with one caller of all, two with another: all registers are equal. */
static void *naps_in_turn(void *arg)
{
	unsigned long *f = arena->frames;

	f[0] = (unsigned long)&f[8];
	f[1] = CODE;
	for (unsigned int i = 0;; i++) {
		*(volatile unsigned long *)&f[9] = CODE + 16 + i / 2 % 2;
		nap_with((unsigned long)f, 200000);
	}
	return arg;
}

static void in_turn(void *arg)
{
	thread_there(0, naps_in_turn, arg);
	for (;;)
		pause();
}

/* A stack that is remembered is the same to the last of its words. */
TEST(remembered)
{
	struct wallprof_configure c = dev_config();
	__u64 seen[2] = { 0 }, all;
	struct session s;
	__u32 pid;

	frames_page();
	pid = child_of(in_turn, NULL);
	UNTIL(is_off(pid, 'S'));
	dev_target(&c, WALLPROF_TARGET_PID, &pid, 1);
	ASSERT_EQ(0, session_begin(&s, &c));
	do {
		nap_ns(20 * MS);
		ASSERT_EQ(0, session_flip(&s));
		/* Only walks of 64-bit threads are. */
	} while (sizeof(long) == 8 ? s.walks_remembered < 200 : s.events[0] < 200);
	EXPECT_WHOLE(&s);
	for (size_t i = 0; i < s.nr_aggrs; i++) {
		const struct wallprof_aggr *a = &s.aggrs[i];
		const struct read_stack *stack;

		if (!is_walk(a))
			continue;
		stack = session_stack(&s, a->user_stack);
		ASSERT_NE(NULL, stack);
		ASSERT_EQ(3, stack->nr);
		EXPECT_EQ(CODE, stack->ips[1]);
		ASSERT_LE(CODE + 16, stack->ips[2]);
		ASSERT_GE(CODE + 17, stack->ips[2]);
		seen[stack->ips[2] - CODE - 16] += a->count;
	}
	/* A nap that ends before it begins is none. */
	all = seen[0] + seen[1];
	EXPECT_LE(2 * all / 5, seen[0]);
	EXPECT_LE(2 * all / 5, seen[1]);
	if (sizeof(long) == 4)
		EXPECT_EQ(0, s.walks_remembered);
	child_end(pid);
	session_close(&s);
}

#ifdef __aarch64__
/* The CPU ignores the upper byte of an address: it is the program's. */
TEST(tagged)
{
	const unsigned long tag = 0xa5UL << 56;
	unsigned long *f = frames_page();

	f[0] = (unsigned long)&f[8] | tag;
	f[1] = CODE;
	f[9] = CODE + 16;
	TRY(.frame = (unsigned long)f | tag, .nr = 3, .ips[1] = CODE, .ips[2] = CODE + 16,
	    .unwind = WALLPROF_UNWIND_END);
}
#endif

TEST(in_circles)
{
	unsigned long *f = frames_page();

	f[0] = (unsigned long)f;
	f[1] = CODE;
	TRY(.frame = (unsigned long)f, .nr = 2, .ips[1] = CODE,
	    .unwind = WALLPROF_UNWIND_NOT_RISING);
	f[0] = (unsigned long)&f[16];
	f[16] = (unsigned long)f;
	f[17] = CODE + 16;
	TRY(.frame = (unsigned long)f, .nr = 3, .ips[1] = CODE, .ips[2] = CODE + 16,
	    .unwind = WALLPROF_UNWIND_NOT_RISING);
	/* Frames that overlap. */
	f[0] = (unsigned long)&f[1];
	f[1] = CODE;
	f[2] = CODE;
	TRY(.frame = (unsigned long)f, .nr = 2, .ips[1] = CODE,
	    .unwind = WALLPROF_UNWIND_NOT_RISING);
}

TEST(depth)
{
	unsigned long *f = frames_page();

	for (int i = 0; i < 200; i++) {
		f[2 * i] = (unsigned long)&f[2 * i + 2];
		f[2 * i + 1] = CODE + i;
	}
	TRY(.frame = (unsigned long)f, .max_stack = 127, .nr = 127, .ips[1] = CODE,
	    .unwind = WALLPROF_UNWIND_DEPTH);
	TRY(.frame = (unsigned long)f, .max_stack = 5, .nr = 5, .ips[1] = CODE,
	    .unwind = WALLPROF_UNWIND_DEPTH);
	TRY(.frame = (unsigned long)f, .max_stack = 1, .nr = 1,
	    .unwind = WALLPROF_UNWIND_DEPTH);
	f[2 * 30] = 0;
	TRY(.frame = (unsigned long)f, .nr = 32, .ips[1] = CODE, .ips[2] = CODE + 1,
	    .unwind = WALLPROF_UNWIND_END);
}

/* The frames change while others walk them. */
static void *scribbles(void *arg)
{
	unsigned long *f = arg;

	for (unsigned long x = 1;; x = x * 6364136223846793005UL + 1442695040888963407UL)
		f[x % 64] = x & 3 ? (unsigned long)&f[(x >> 7) % 64] : x;
	return NULL;
}

static void *naps_in_it(void *arg)
{
	for (;;)
		nap_with((unsigned long)arg, 100000);
	return NULL;
}

static void scribbled(void *arg)
{
	thread_there(0, scribbles, arg);
	for (int i = 1; i < 4; i++)
		thread_there(i, naps_in_it, (unsigned long *)arg + 2 * i);
	nap_ns(1000 * SEC);
}

TEST(while_it_changes)
{
	struct wallprof_configure c = dev_config();
	struct session s;
	__u32 pid = child_of(scribbled, frames_page());
	__u64 walks = 0;

	UNTIL(is_off(pid, 'S'));
	dev_sampler(&c, 999);
	dev_target(&c, WALLPROF_TARGET_PID, &pid, 1);
	ASSERT_EQ(0, session_begin(&s, &c));
	for (unsigned int i = 0; i < scaled(20) || walks <= 100; i++) {
		nap_ns(50 * MS);
		ASSERT_EQ(0, session_flip(&s));
		walks = 0;
		for (int k = 0; k < WALLPROF_UNWIND_MAX; k++)
			walks += s.unwinds[0][k];
	}
	EXPECT_WHOLE(&s);
	child_end(pid);
}

/* Threads whose memory goes away under the walk: exec and exit, all the time. */
static void unmaps(void *arg)
{
	for (;;) {
		if (!fork()) {
			unsigned long *f = frames_page();

			for (int i = 0; i < 100; i++) {
				f[2 * i] = (unsigned long)&f[2 * i + 2];
				f[2 * i + 1] = CODE;
			}
			thread_there(0, naps_in_it, f);
			nap_ns(3 * MS);
			munmap(f, 4096);
			nap_ns(2 * MS);
			execl("/bin/true", "true", (char *)NULL);
			_exit(1);
		}
		wait(NULL);
	}
}

TEST(while_it_goes_away)
{
	struct wallprof_configure c = dev_config();
	struct session s;
	__u32 pid = child_of(unmaps, NULL);

	c.flags |= WALLPROF_INHERIT;
	dev_sampler(&c, 999);
	dev_target(&c, WALLPROF_TARGET_PID, &pid, 1);
	ASSERT_EQ(0, session_begin(&s, &c));
	for (unsigned int i = 0; i < scaled(20) || s.events[0] <= 20; i++) {
		nap_ns(50 * MS);
		ASSERT_EQ(0, session_flip(&s));
	}
	EXPECT_WHOLE(&s);
	child_end(pid);
}

TEST_HARNESS_MAIN
