// SPDX-License-Identifier: GPL-2.0
/*
 * Interpreted functions in stacks: which descriptions MAPS refuses, and what is recorded of
 * an interpreter that is forged here. A function calls itself by way of another; each of its
 * frames executes a run of a chain that the test has built.
 *
 * Above 700 lines: the tests share the forged interpreter.
 */
#include <stddef.h>
#include <linux/wallprof_interp.h>

#include "device.h"

static struct wallprof_interp description(void)
{
	struct wallprof_interp d = {
		.size = sizeof(d), .range = { { 4096, 8192 } }, .nr_steps = 1, .step = { 8 },
		.end_mask = 1, .end_value = 1,
	};

	for (int i = 0; i < WALLPROF_INTERP_WORDS; i++)
		d.word[i].at = WALLPROF_INTERP_NONE;
	return d;
}

static int maps_with(int fd, __u32 pid, const struct wallprof_map *map, const void *interp)
{
	struct wallprof_maps arg = {
		.size = sizeof(arg), .pid = pid, .nr = !!map, .maps = (uintptr_t)map,
		.interp = (uintptr_t)interp,
	};

	return dev_cmd(fd, WALLPROF_IOC_MAPS, &arg);
}

static struct wallprof_configure interp_config(void)
{
	struct wallprof_configure c = dev_config();

	c.stack_flags = WALLPROF_STACK_USER | WALLPROF_STACK_TABLES;
	return c;
}

TEST(maps_refuses_an_interpreter)
{
	struct wallprof_map map = { .start = 4096, .end = 8192 };
	struct wallprof_interp good = description(), bad;
	struct wallprof_configure c = interp_config();
	struct {
		struct wallprof_interp interp;
		__u64 tail;
	} longer = { .interp = good };
	int fd = dev_open();
	long before;

	ASSERT_EQ(0, dev_cmd(fd, WALLPROF_IOC_CONFIGURE, &c));
	EXPECT_EQ(0, maps_with(fd, getpid(), &map, &good));
	before = status_kb("VmLck");
	EXPECT_EQ(-EINVAL, maps_with(fd, getpid(), NULL, &good));
	EXPECT_EQ(-EFAULT, maps_with(fd, getpid(), &map, (void *)8));
	longer.interp.size = sizeof(longer);
	EXPECT_EQ(0, maps_with(fd, getpid(), &map, &longer));
	longer.tail = 1;
	EXPECT_EQ(-E2BIG, maps_with(fd, getpid(), &map, &longer));
	longer.interp.size = ~0U;
	EXPECT_EQ(-E2BIG, maps_with(fd, getpid(), &map, &longer));
#define REFUSES(change) do { \
		bad = good; \
		bad.change; \
		EXPECT_EQ(-EINVAL, maps_with(fd, getpid(), &map, &bad)) TH_LOG(#change); \
	} while (0)
	REFUSES(size = sizeof(bad) - 1);
	REFUSES(size = 0);
	REFUSES(flags = 8);
	REFUSES(flags = WALLPROF_INTERP_EACH);
	REFUSES(range[0].end = 4096);
	REFUSES(range[0].end = ~0ULL);
	REFUSES(range[1] = bad.range[0]);
	REFUSES(step[0] = 4);
	REFUSES(step[1] = 8);
	REFUSES(nr_steps = 0);
	REFUSES(nr_steps = WALLPROF_INTERP_STEPS + 1);
	REFUSES(reserved = 1);
	REFUSES(code_tag = 8);
	REFUSES(code_type_at = 1);
	REFUSES(frame_previous = WALLPROF_INTERP_NONE);
	REFUSES(frame_code = 4);
	REFUSES(frame_at = 1);
	REFUSES(frame_end = WALLPROF_INTERP_NONE);
	REFUSES(end_mask = 0);
	REFUSES(end_value = 2);
	REFUSES(code_start = 8);
	REFUSES(at_shift = 1);
	REFUSES(word[0].at = 1);
	REFUSES(word[1].at = 8);
#undef REFUSES
	EXPECT_EQ(0, maps_with(fd, getpid(), &map, &good));
	/* Neither a refused one nor one that was replaced stays charged. */
	for (int i = 0; i < 3000; i++) {
		ASSERT_EQ(0, maps_with(fd, getpid(), &map, &good));
		ASSERT_EQ(-EINVAL, maps_with(fd, getpid(), &map, &bad));
	}
	EXPECT_GE(before + 512, status_kb("VmLck"));
}

#if defined(__x86_64__) || defined(__aarch64__)

#define DEPTH	3	/* native frames that execute runs */
#define FRAMES	1024
#define CODES	8
#define PLACES	16

struct frame {
	__u64 previous;
	__u64 code;
	__u64 address;
	__s32 number;
	__u8 end;
};

struct code {
	__u64 type;
	__u64 word;
	__u64 pointer;
	__u64 first[64];
};

/* What parent and child share. */
struct forged {
	struct frame frame[FRAMES], other;
	struct code code[CODES];
	__u64 object[CODES];
	struct {
		__u64 top;
		unsigned int nr;	/* frames; those in @ends end a run */
		__u64 ends;
	} chain;
	__u32 flags;
	bool changes;			/* after each nap */
	int turns;			/* enum turn: what every other four naps change */
	volatile long naps[2];		/* of these: as forged, and changed */
	struct wallprof_interp d;	/* as described, for TURN_THREAD */
	int forks;			/* pipe: a byte makes it fork */
	volatile long done[PLACES];
	volatile bool ready, ended;
};

#define CODE_TYPE 0xc0de

static struct forged *forged;

/* The innermost frame, by way of the thread's own memory. */
static __thread struct {
	__u64 top;
} *state __attribute__((aligned(8)));

static __u64 thread_pointer(void)
{
	__u64 p;

#ifdef __x86_64__
	__asm__("mov %%fs:0, %0" : "=r" (p));
#else
	__asm__("mrs %0, tpidr_el0" : "=r" (p));
#endif
	return p;
}

extern char __start_evaluates[], __stop_evaluates[], __executable_start[], etext[];

/* The last of the stack has a frame pointer of 0. */
void outermost(void (*leaf)(void));
__asm__(".text\n"
	".globl outermost\n"
	"outermost:\n"
#ifdef __x86_64__
	"	push %rbp\n"
	"	xor %ebp, %ebp\n"
	"	call evaluate_all\n"
	"	pop %rbp\n"
	"	ret\n");
#else
	"	stp x29, x30, [sp, #-16]!\n"
	"	mov x29, #0\n"
	"	bl evaluate_all\n"
	"	ldp x29, x30, [sp], #16\n"
	"	ret\n");
#endif

void evaluate(void (*leaf)(void), int depth);
void evaluate_all(void (*leaf)(void));

static __attribute__((noinline)) void between(void (*leaf)(void), int depth)
{
	evaluate(leaf, depth);
	__asm__ volatile("");
}

__attribute__((noinline, section("evaluates"))) void evaluate(void (*leaf)(void), int depth)
{
	if (depth)
		between(leaf, depth - 1);
	else
		leaf();
	__asm__ volatile("");
}

__attribute__((noinline)) void evaluate_all(void (*leaf)(void))
{
	evaluate(leaf, DEPTH - 1);
	__asm__ volatile("");
}

static __attribute__((noinline)) void leaf_naps(void)
{
	const struct timespec ts = { .tv_nsec = 200000 };

	for (unsigned int i = 0;; i++) {
		unsigned int place = i % PLACES;

		if (forged->changes) {
			forged->frame[1].number = place;
			forged->frame[1].address = forged->frame[1].code + place * 2 +
						   offsetof(struct code, first);
		}
		forged->done[place]++;
		forged->ready = true;
		/* glibc's syscall() keeps the frame pointer. */
		syscall(SYS_nanosleep, &ts, NULL);
	}
}

/* What decides the functions of a stack, beside its native frames. */
enum turn {
	TURN_PLACE, TURN_CODE, TURN_TYPE, TURN_WORD, TURN_POINTED, TURN_POINTER, TURN_PREVIOUS,
	TURN_END, TURN_TOP, TURN_STATE, TURN_THREAD, TURNS
};

static const char *const turn_names[TURNS] = {
	"place", "code", "type", "word", "word that is pointed to", "pointer to a word",
	"previous frame", "end", "innermost frame", "state", "thread pointer",
};

/* Where another thread pointer points; and what the thread has there. */
static __u64 other_thread[512] __attribute__((aligned(64)));
#define OTHER_THREAD	((uintptr_t)(other_thread + 256))

static void set_thread_pointer(__u64 p)
{
#ifdef __x86_64__
	long err;

	__asm__ volatile("syscall" : "=a" (err)
			 : "0" (SYS_arch_prctl), "D" (0x1002 /* ARCH_SET_FS */), "S" (p)
			 : "rcx", "r11", "memory");
#else
	__asm__ volatile("msr tpidr_el0, %0" : : "r" (p) : "memory");
#endif
}

/* Naps with the thread pointer @p. */
static __attribute__((noinline, optimize("no-stack-protector"))) void naps_as(__u64 p,
									    __u64 own)
{
	const struct timespec ts = { .tv_nsec = 100000 };
#ifdef __x86_64__
	long nr = SYS_nanosleep;

	set_thread_pointer(p);
	__asm__ volatile("syscall" : "+a" (nr) : "D" (&ts), "S" (0) : "rcx", "r11", "memory");
#else
	register long nr __asm__("x8") = SYS_nanosleep;
	register const void *x0 __asm__("x0") = &ts;
	register long x1 __asm__("x1") = 0;

	set_thread_pointer(p);
	__asm__ volatile("svc #0" : "+r" (x0) : "r" (nr), "r" (x1) : "memory");
#endif
	set_thread_pointer(own);
}

/* Changes what a turn is about: there, and back. */
static void turn(enum turn what, __u64 *top, bool there)
{
	static __u64 other_top[1];
	struct frame *f = forged->frame;

	switch (what) {
	case TURN_PLACE: f[1].number ^= 64; f[1].address ^= 512; break;
	case TURN_CODE: f[1].code = (uintptr_t)&forged->code[there ? 5 : 1]; break;
	case TURN_TYPE: forged->code[0].type ^= 1; break;
	case TURN_WORD: forged->code[0].word ^= 1; break;
	case TURN_POINTED: forged->object[0] ^= 1; break;
	case TURN_POINTER: forged->code[0].pointer = (uintptr_t)&forged->object[there]; break;
	case TURN_PREVIOUS: f[0].previous = (uintptr_t)&f[there ? 2 : 1]; break;
	case TURN_END: f[0].end ^= 1; break;
	case TURN_TOP: *top = (uintptr_t)&f[there]; break;
	case TURN_STATE:
		other_top[0] = (uintptr_t)&f[1];
		state = there ? (void *)other_top : (void *)top;
		break;
	default:
		*(__u64 *)(OTHER_THREAD + forged->d.step[0]) = (uintptr_t)other_top;
		other_top[0] = (uintptr_t)&f[1];
		break;
	}
}

static __attribute__((noinline)) void leaf_takes_turns(void)
{
	__u64 *top = (__u64 *)state, own = thread_pointer();
	enum turn what = forged->turns;

	for (unsigned int i = 0;; i++) {
		bool there = i >> 2 & 1;

		if (i && !(i & 3))
			turn(what, top, there);
		forged->naps[there]++;
		forged->ready = true;
		naps_as(there && what == TURN_THREAD ? OTHER_THREAD : own, own);
	}
}

static __attribute__((noinline)) void leaf_naps_for_good(void)
{
	const struct timespec ts = { .tv_sec = 1000000 };

	syscall(SYS_nanosleep, &ts, NULL);
}

static __attribute__((noinline)) void spin(void)
{
	while (!forged->ended)
		forged->ready = true;
}

/* A function that calls none has no frame: that it is missing from the stack does no harm. */
static __attribute__((noinline)) void leaf_spins(void)
{
	spin();
	__asm__ volatile("");
}

static void runs(void *leaf)
{
	__u64 top[1] = { forged->chain.top };

	/* A fork leaves what is shared to be mapped by faults. */
	for (size_t at = 0; at < sizeof(*forged); at += 4096)
		(void)*((volatile char *)forged + at);
	(void)*((volatile char *)(forged + 1) - 1);
	state = (void *)top;
	outermost((void (*)(void))leaf);
}

static bool is_shim(unsigned int i)
{
	return forged->flags & WALLPROF_INTERP_SHIM && forged->chain.ends >> i & 1;
}

/* Builds a chain of @nr frames, of which those in @ends end a run. */
/* With shims, the code of each second frame has a tag. */
static unsigned int tag_of(__u32 flags)
{
	return flags & WALLPROF_INTERP_SHIM ? 1 : 0;
}

static void forge(__u32 flags, unsigned int nr, __u64 ends)
{
	forged = mmap(NULL, sizeof(*forged), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	forged->flags = flags;
	forged->chain.top = (uintptr_t)&forged->frame[0];
	forged->chain.nr = nr;
	forged->chain.ends = flags & WALLPROF_INTERP_EACH ? ~0ULL : ends;
	for (unsigned int i = 0; i < CODES; i++) {
		forged->object[i] = i * i;
		forged->code[i] = (struct code){
			.type = CODE_TYPE, .word = 1000 + i,
			.pointer = (uintptr_t)&forged->object[i],
		};
	}
	for (unsigned int i = 0; i < nr; i++) {
		struct code *code = &forged->code[i % CODES];

		forged->frame[i] = (struct frame){
			.previous = i + 1 < nr ? (uintptr_t)&forged->frame[i + 1] : 0,
			.code = is_shim(i) ? 1 : (uintptr_t)code | (i & 1 ? tag_of(flags) : 0),
			.address = (uintptr_t)code->first + 2 * i, .number = i,
			.end = 0xf0 | (i < 64 && ends >> i & 1),
		};
	}
}

static struct wallprof_interp description_of_forged(void)
{
	struct wallprof_interp d = description();

	d.flags = forged->flags;
	d.range[0].start = (uintptr_t)__start_evaluates;
	d.range[0].end = (uintptr_t)__stop_evaluates;
	d.step[0] = (uintptr_t)&state - thread_pointer();
	d.nr_steps = 2;
	d.code_type = CODE_TYPE;
	d.code_tag = tag_of(d.flags);
	d.code_type_at = offsetof(struct code, type);
	d.frame_previous = offsetof(struct frame, previous);
	d.frame_code = offsetof(struct frame, code);
	d.frame_at = offsetof(struct frame, number);
	d.frame_end = offsetof(struct frame, end);
	if (d.flags & WALLPROF_INTERP_EACH) {
		d.frame_end = WALLPROF_INTERP_NONE;
		d.end_mask = 0;
		d.end_value = 0;
	}
	if (d.flags & WALLPROF_INTERP_ADDRESS) {
		d.frame_at = offsetof(struct frame, address);
		d.code_start = offsetof(struct code, first);
		d.at_shift = 1;
	}
	d.word[0].at = offsetof(struct code, word);
	d.word[0].then = WALLPROF_INTERP_NONE;
	d.word[1].at = offsetof(struct code, pointer);
	return d;
}

/* Whether a word of a stack is of a native frame that executes a run. */
static bool is_native(const struct read_stack *stack, unsigned int i)
{
	__u64 pc = i ? stack->ips[i] - 1 : stack->ips[i];

	return pc >= (uintptr_t)__start_evaluates && pc < (uintptr_t)__stop_evaluates;
}

/* Whether two words are those of frame @n; @place: where, if it is not where it was forged. */
static bool is_function(const __u64 *words, unsigned int n, __u32 place)
{
	const __u64 known[] = { 1000 + n % CODES, n % CODES * (n % CODES) };

	return words[0] == (WALLPROF_INTERP_CODE | (uintptr_t)&forged->code[n % CODES]) &&
	       words[1] == (WALLPROF_INTERP_AT | (__u64)(place ?: n + 1) << 32 |
			    wallprof_interp_hash(known, 2));
}

/*
 * How many functions a stack has, which are those of the chain, in order, each run behind its
 * native frame; -1: it is not so. @at: of frame 1, its place.
 */
static int functions_of(const struct read_stack *stack, __u32 *at)
{
	unsigned int i = 0, n = 0, natives = 0;
	int functions = 0;

	*at = 0;
	while (i < stack->nr) {
		bool ended = !is_native(stack, i);

		/* No other has functions behind it. */
		if (i && stack->ips[i] >> 63)
			return -1;
		natives += is_native(stack, i++);
		for (; !ended && n < forged->chain.nr; n++) {
			ended = forged->chain.ends >> n & 1;
			if (is_shim(n))
				continue;
			if (i + 2 > stack->nr || !WALLPROF_INTERP_IS_CODE(stack->ips[i]))
				break;
			if (n == 1)
				*at = WALLPROF_INTERP_AT_PLACE(stack->ips[i + 1]);
			if (!is_function(stack->ips + i, n, n == 1 && forged->changes ? *at : 0))
				return -1;
			i += 2;
			functions++;
		}
	}
	return natives == DEPTH ? functions : -1;
}

/* What a session has of the naps of a process: by place, and how many have another stack. */
struct found {
	unsigned long all, wrong, by_place[PLACES + 1];
};

static bool find_quietly;

static struct found find(const struct session *s, __u32 tgid, int functions)
{
	struct found found = {};

	for (size_t i = 0; i < s->nr_aggrs; i++) {
		const struct wallprof_aggr *a = &s->aggrs[i];
		const struct read_stack *stack = session_stack(s, a->user_stack);
		__u32 at;

		if (a->tgid != tgid || (a->kind == WALLPROF_AGGR_OFFCPU &&
					(a->state != WALLPROF_STATE_SLEEPING ||
					 a->syscall != SYS_nanosleep ||
					 a->flags & WALLPROF_AGGR_SINCE_START)))
			continue;
		found.all += a->count;
		if (!stack || functions_of(stack, &at) != functions) {
			for (unsigned int k = 0; stack && !find_quietly && !found.wrong && k < stack->nr; k++)
				printf("#   %llx\n", (ull)stack->ips[k]);
			found.wrong += a->count;
		} else {
			found.by_place[at <= PLACES ? at : 0] += a->count;
		}
	}
	return found;
}

FIXTURE(forged)
{
	struct wallprof_configure c;
	struct wallprof_interp d;
	struct wallprof_map map;
	struct session s;
	__u32 pid;
};

/* All code, without a table: it keeps frame pointers. */
static struct wallprof_map all_code(void)
{
	struct wallprof_map map = { .start = (uintptr_t)__executable_start,
				    .end = (uintptr_t)etext };

	if ((uintptr_t)__stop_evaluates > map.end)
		map.end = (uintptr_t)__stop_evaluates;
	return map;
}

FIXTURE_SETUP(forged)
{
	self->c = interp_config();
	self->map = all_code();
}

FIXTURE_TEARDOWN(forged)
{
	if (self->pid)
		child_end(self->pid);
}

/* Begins a session of a child that does @leaf, with the chain that was forged. */
#define BEGIN(leaf) do { \
	self->d = description_of_forged(); \
	self->pid = child_of(runs, leaf); \
	ASSERT_EQ(0, session_open(&self->s, &self->c)); \
	ASSERT_EQ(0, maps_with(self->s.fd, self->pid, &self->map, &self->d)); \
	UNTIL(forged->ready); \
	ASSERT_EQ(0, session_start(&self->s)); \
} while (0)

/* Until so many naps were found. */
#define NAPS(wanted, functions) do { \
	do { \
		nap_ns(20 * MS); \
		ASSERT_EQ(0, session_flip(&self->s)); \
	} while (find(&self->s, self->pid, functions).all < (wanted)); \
} while (0)

/* The reasons by which captures of a context ended, as bits. */
static unsigned int reasons_of(const struct session *s, int context)
{
	unsigned int reasons = 0;

	for (int i = 0; i < WALLPROF_MAX_INTERPS; i++)
		reasons |= !!s->interps[context][i] << i;
	return reasons;
}

/* How many they were, at switches. */
static __u64 all_reasons(const struct session *s)
{
	__u64 all = 0;

	for (int i = 0; i < WALLPROF_MAX_INTERPS; i++)
		all += s->interps[0][i];
	return all;
}

/* How many walks there were at switches. */
static __u64 all_walks(const struct session *s)
{
	__u64 all = 0;

	for (int i = 0; i < WALLPROF_UNWIND_MAX; i++)
		all += s->unwinds[0][i];
	return all;
}

#define ENDED_BY(reason)	EXPECT_EQ(1 << (reason), reasons_of(&self->s, 0))

FIXTURE_VARIANT(forged)
{
	__u32 flags;
	unsigned int nr;
	__u64 ends;
	int functions;
};

FIXTURE_VARIANT_ADD(forged, each) {
	.flags = WALLPROF_INTERP_EACH, .nr = DEPTH, .functions = DEPTH,
};

FIXTURE_VARIANT_ADD(forged, byte) {
	.flags = WALLPROF_INTERP_ADDRESS, .nr = 7, .ends = 1 << 3 | 1 << 4 | 1 << 6,
	.functions = 7,
};

FIXTURE_VARIANT_ADD(forged, shim) {
	.flags = WALLPROF_INTERP_SHIM, .nr = 8, .ends = 1 << 2 | 1 << 3 | 1 << 7, .functions = 5,
};

TEST_F(forged, runs_are_recorded)
{
	struct found found;

	forge(variant->flags, variant->nr, variant->ends);
	BEGIN(leaf_naps);
	NAPS(100, variant->functions);
	EXPECT_WHOLE(&self->s);
	found = find(&self->s, self->pid, variant->functions);
	EXPECT_EQ(0, found.wrong);
	ENDED_BY(WALLPROF_INTERP_READ);
}

/* The native frames are the same, one word of the chain differs from nap to nap. */
TEST_F(forged, no_stack_is_taken_for_another)
{
	struct found found;

	forge(variant->flags, variant->nr, variant->ends);
	forged->changes = true;
	BEGIN(leaf_naps);
	NAPS(PLACES * 20, variant->functions);
	EXPECT_WHOLE(&self->s);
	found = find(&self->s, self->pid, variant->functions);
	EXPECT_EQ(0, found.wrong);
	EXPECT_EQ(0, found.by_place[0]);
	for (int i = 0; i < PLACES; i++) {
		EXPECT_LT(0, found.by_place[i + 1]);
		EXPECT_GE(forged->done[i], found.by_place[i + 1]);
	}
}

/*
 * Stacks from the cache are those that a walk would find: the native frames are the same, and
 * whatever else decides changes after each four naps. @functions: of the chain as forged.
 */
static void takes_turns(struct __test_metadata *_metadata, struct wallprof_configure c,
			enum turn what, int functions)
{
	struct wallprof_map map = all_code();
	long before[2];
	struct session s;
	struct found found;
	__u64 walks;
	__u32 pid;

	forged->d = description_of_forged();
	forged->turns = what;
	pid = child_of(runs, leaf_takes_turns);
	dev_target(&c, WALLPROF_TARGET_PID, &pid, 1);
	ASSERT_EQ(0, session_open(&s, &c));
	ASSERT_EQ(0, maps_with(s.fd, pid, &map, &forged->d));
	UNTIL(forged->ready);
	memcpy(before, (const void *)forged->naps, sizeof(before));
	ASSERT_EQ(0, session_start(&s));
	find_quietly = true;
	/*
	 * A nap that has passed before the thread could leave its CPU has no interval, and the
	 * caches are each CPU's: how many of the four are found there is chance.
	 */
	do {
		long naps = forged->naps[0] + forged->naps[1];

		UNTIL(forged->naps[0] + forged->naps[1] > naps + 400);
		ASSERT_EQ(0, session_flip(&s));
		found = find(&s, pid, functions);
	} while (found.all - found.wrong < 100 || found.wrong < 100 ||
		 (s.walks_remembered < 100 && all_walks(&s) < 20000));
	EXPECT_WHOLE(&s);
	/* All counts are of the session's end: there were naps since the last look. */
	found = find(&s, pid, functions);
	walks = all_walks(&s);
	find_quietly = false;
	/* One that had begun before may be among them. */
	EXPECT_GE(forged->naps[0] - before[0] + 1, found.all - found.wrong)
		TH_LOG("%s", turn_names[what]);
	EXPECT_GE(forged->naps[1] - before[1] + 1, found.wrong) TH_LOG("%s", turn_names[what]);
	/* Of each four alike, the first one is walked, and not all of the others. */
	EXPECT_LE(100, s.walks_remembered)
		TH_LOG("%s: %llu of %llu", turn_names[what], (ull)s.walks_remembered, (ull)walks);
	EXPECT_GE(walks, s.walks_remembered + found.all / 8) TH_LOG("%s", turn_names[what]);
	/* How each of them ended is counted, cached or not. */
	EXPECT_LE(found.all, all_reasons(&s));
	session_close(&s);
	child_end(pid);
}

TEST_F_TIMEOUT(forged, a_cached_stack_is_the_same, 300)
{
	for (int what = 0; what < TURNS; what++) {
		if (what == TURN_END && variant->flags & WALLPROF_INTERP_EACH)
			continue;
		forge(variant->flags, variant->nr, variant->ends);
		takes_turns(_metadata, self->c, what, variant->functions);
		/* Without the switch cache. */
		self->c.flags ^= WALLPROF_WAKER_CHAINS;
		forge(variant->flags, variant->nr, variant->ends);
		takes_turns(_metadata, self->c, what, variant->functions);
		self->c.flags ^= WALLPROF_WAKER_CHAINS;
	}
}

static long naps_begun(void)
{
	long nr = 0;

	for (int i = 0; i < PLACES; i++)
		nr += forged->done[i];
	return nr;
}

/* What is recorded of a chain that is not right: nothing. */
static void damage(int how)
{
	struct frame *f = forged->frame;

	switch (how) {
	case 0: f[1].previous = 8; break;
	case 1: f[1].previous += 4; break;
	case 2: f[1].previous = 1ULL << 63; break;
	case 3: forged->code[0].type++; break;
	case 4: forged->code[0].pointer = 16; break;
	case 5: forged->chain.top = 0; break;
	case 6: forged->chain.top = 8; break;
	case 7: forged->chain.top = 9; break;
	case 8: f[0].previous = 0; f[0].end = 1; break;
	default: break;
	}
}

static const struct {
	const char *what;
	int reason;
} damages[] = {
	{ "a word that cannot be read", WALLPROF_INTERP_FAULT },
	{ "a frame that is not aligned", WALLPROF_INTERP_BAD },
	{ "a frame in the kernel", WALLPROF_INTERP_BAD },
	{ "a code object of another type", WALLPROF_INTERP_BAD },
	{ "a code object that cannot be read", WALLPROF_INTERP_FAULT },
	{ "no frame", WALLPROF_INTERP_NO_STATE },
	{ "a frame at 8", WALLPROF_INTERP_FAULT },
	{ "a frame at 9", WALLPROF_INTERP_BAD },
	{ "too few runs", WALLPROF_INTERP_RUNS },
};

TEST_F_TIMEOUT(forged, a_bad_chain_has_no_functions, 300)
{
	for (unsigned int how = 0; how < ARRAY_SIZE(damages); how++) {
		struct found found;

		forge(variant->flags, variant->nr, variant->ends);
		damage(how);
		BEGIN(leaf_naps);
		NAPS(10, 0);
		EXPECT_WHOLE(&self->s);
		found = find(&self->s, self->pid, 0);
		EXPECT_EQ(0, found.wrong) TH_LOG("%s", damages[how].what);
		ENDED_BY(damages[how].reason);
		session_close(&self->s);
		child_end(self->pid);
	}
}

FIXTURE(lengths)
{
	struct wallprof_configure c;
	struct wallprof_interp d;
	struct wallprof_map map;
	struct session s;
	__u32 pid;
};

FIXTURE_SETUP(lengths)
{
	self->c = interp_config();
	self->map = all_code();
}

FIXTURE_TEARDOWN(lengths)
{
	if (self->pid)
		child_end(self->pid);
}

/* A chain, how many of its functions are recorded in a stack of @max words, and why. */
FIXTURE_VARIANT(lengths)
{
	unsigned int nr, loop, max;
	__u64 ends;
	int functions, reason;
};

FIXTURE_VARIANT_ADD(lengths, too_many_runs) {
	.nr = 5, .ends = 0x1f, .max = 64, .reason = WALLPROF_INTERP_RUNS,
};

FIXTURE_VARIANT_ADD(lengths, ended_within_a_run) {
	.nr = 5, .ends = 0x3, .max = 64, .reason = WALLPROF_INTERP_BAD,
};

FIXTURE_VARIANT_ADD(lengths, loop) {
	.nr = 5, .ends = 0x3, .loop = 2, .max = 64, .reason = WALLPROF_INTERP_DEEP,
};

FIXTURE_VARIANT_ADD(lengths, too_deep) {
	.nr = WALLPROF_INTERP_FRAMES + 1, .ends = 0x3, .max = 64, .reason = WALLPROF_INTERP_DEEP,
};

/* Of DEPTH evaluating functions there are DEPTH - 1 between them, and three others. */
#define NATIVES	(2 * DEPTH + 2)

FIXTURE_VARIANT_ADD(lengths, no_room) {
	.nr = 7, .ends = 1 << 3 | 1 << 4 | 1 << 6, .max = NATIVES + 11, .functions = 5,
	.reason = WALLPROF_INTERP_NO_ROOM,
};

FIXTURE_VARIANT_ADD(lengths, no_room_at_all) {
	.nr = 7, .ends = 1 << 3 | 1 << 4 | 1 << 6, .max = NATIVES + 1,
	.reason = WALLPROF_INTERP_NO_ROOM,
};

FIXTURE_VARIANT_ADD(lengths, just_room) {
	.nr = 7, .ends = 1 << 3 | 1 << 4 | 1 << 6, .max = NATIVES + 14, .functions = 7,
	.reason = WALLPROF_INTERP_READ,
};

TEST_F(lengths, of_a_chain)
{
	struct found found;

	forge(0, variant->nr, variant->ends);
	if (variant->loop)
		forged->frame[variant->nr - 1].previous = (uintptr_t)&forged->frame[variant->loop];
	self->c.max_stack = variant->max;
	BEGIN(leaf_naps);
	NAPS(20, variant->functions);
	EXPECT_WHOLE(&self->s);
	found = find(&self->s, self->pid, variant->functions);
	EXPECT_EQ(0, found.wrong);
	ENDED_BY(variant->reason);
}

/* One that was blocked before the session began. */
TEST_F(forged, blocked_threads_have_runs)
{
	const struct wallprof_task *task;
	const struct read_stack *stack;
	__u32 at;

	forge(variant->flags, variant->nr, variant->ends);
	self->d = description_of_forged();
	self->pid = child_of(runs, leaf_naps_for_good);
	UNTIL(is_off(self->pid, 'S'));
	dev_target(&self->c, WALLPROF_TARGET_PID, &self->pid, 1);
	ASSERT_EQ(0, session_begin(&self->s, &self->c));
	UNTIL(session_account(&self->s, self->pid));
	while (!session_account(&self->s, self->pid)->user_stack) {
		ASSERT_EQ(0, maps_with(self->s.fd, self->pid, &self->map, &self->d));
		nap_ns(MS);
	}
	EXPECT_WHOLE(&self->s);
	task = session_account(&self->s, self->pid);
	stack = session_stack(&self->s, task->user_stack);
	ASSERT_NE(NULL, stack);
	EXPECT_EQ(variant->functions, functions_of(stack, &at));
	ENDED_BY(WALLPROF_INTERP_READ);
}

static void naps_in_a_thread(void *arg)
{
	pthread_t thread;

	forged->ready = false;
	pthread_create(&thread, NULL, (void *(*)(void *))(void *)runs, arg);
	for (;;)
		pause();
}

/* A thread, and a child, have their own way to the chain. */
TEST_F(forged, threads_and_children_have_runs)
{
	struct found found;
	pid_t *child;

	forge(variant->flags, variant->nr, variant->ends);
	self->d = description_of_forged();
	child = mmap(NULL, sizeof(*child), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		     -1, 0);
	self->pid = fork();
	if (!self->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		UNTIL(forged->forks);
		*child = child_of(naps_in_a_thread, leaf_naps);
		runs(leaf_naps);
	}
	ASSERT_EQ(0, session_open(&self->s, &self->c));
	ASSERT_EQ(0, maps_with(self->s.fd, self->pid, &self->map, &self->d));
	ASSERT_EQ(0, session_start(&self->s));
	forged->forks = 1;
	UNTIL(*child);
	NAPS(20, variant->functions);
	do {
		ASSERT_EQ(0, session_flip(&self->s));
		found = find(&self->s, *child, variant->functions);
		nap_ns(20 * MS);
	} while (found.all < 20);
	EXPECT_WHOLE(&self->s);
	EXPECT_EQ(0, found.wrong);
	found = find(&self->s, self->pid, variant->functions);
	/* Until it forks, it naps in another way. */
	EXPECT_LE(20, found.all - found.wrong);
	/* A thread that is preempted before all of its runs are there has fewer. */
	EXPECT_EQ(1 << WALLPROF_INTERP_READ,
		  reasons_of(&self->s, 0) & ~(1 << WALLPROF_INTERP_RUNS));
}

/* Samples of one that runs; with the cache of their stacks and without. */
static void sampled(struct __test_metadata *_metadata, struct wallprof_configure c, __u32 flags)
{
	struct wallprof_interp d = description_of_forged();
	struct wallprof_map map = all_code();
	struct session s;
	struct found found;
	__u32 pid;

	pid = child_of(runs, leaf_spins);
	c.flags = flags;
	dev_sampler(&c, 1000);
	dev_target(&c, WALLPROF_TARGET_PID, &pid, 1);
	ASSERT_EQ(0, session_open(&s, &c));
	ASSERT_EQ(0, maps_with(s.fd, pid, &map, &d));
	UNTIL(forged->ready);
	ASSERT_EQ(0, session_start(&s));
	do {
		nap_ns(50 * MS);
		ASSERT_EQ(0, session_flip(&s));
		found = find(&s, pid, d.flags & WALLPROF_INTERP_SHIM ? 5 : forged->chain.nr);
	} while (found.all < 20);
	EXPECT_WHOLE(&s);
	EXPECT_EQ(0, found.wrong);
	EXPECT_EQ(1 << WALLPROF_INTERP_READ, reasons_of(&s, 1));
	session_close(&s);
	child_end(pid);
}

TEST_F(forged, samples_have_runs)
{
	forge(variant->flags, variant->nr, variant->ends);
	sampled(_metadata, self->c, 0);
	forged->ready = false;
	sampled(_metadata, self->c, WALLPROF_SAMPLE_CACHE);
}

/* Without a description, or where stacks are one address, nothing is looked for. */
TEST_F(forged, not_asked_for)
{
	struct found found;
	long naps;

	forge(variant->flags, variant->nr, variant->ends);
	BEGIN(leaf_naps);
	ASSERT_EQ(0, maps_with(self->s.fd, self->pid, &self->map, NULL));
	/* The nap that had begun is over with the second one that follows. */
	naps = naps_begun();
	UNTIL(naps_begun() >= naps + 2);
	ASSERT_EQ(0, session_flip(&self->s));
	self->s.nr_aggrs = 0;
	self->s.nr_ends = 0;
	memset(self->s.interps, 0, sizeof(self->s.interps));
	do {
		nap_ns(20 * MS);
		ASSERT_EQ(0, session_flip(&self->s));
		found = find(&self->s, self->pid, 0);
	} while (found.all < 20);
	EXPECT_EQ(0, found.wrong);
	EXPECT_EQ(0, reasons_of(&self->s, 0));
	session_close(&self->s);
	child_end(self->pid);
	self->c.max_stack = 1;
	BEGIN(leaf_naps);
	do {
		nap_ns(20 * MS);
		ASSERT_EQ(0, session_flip(&self->s));
		found = find(&self->s, self->pid, 0);
	} while (found.all < 20);
	EXPECT_WHOLE(&self->s);
	EXPECT_EQ(0, reasons_of(&self->s, 0));
}

#endif

TEST_HARNESS_MAIN
