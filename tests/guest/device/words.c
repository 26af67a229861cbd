// SPDX-License-Identifier: GPL-2.0
/*
 * Words of frames in stacks (WALLPROF_RULE_WORD): which rules PUSH refuses, and what is
 * recorded of two functions whose frames are those of an interpreter. The caller's stack
 * pointer is in the frame, and three words below the frame pointer is what the test gives
 * them.
 */
#include <elf.h>
#include <sys/mman.h>
#include <linux/wallprof_interp.h>
#include <linux/wallprof_unwind.h>

#include "device.h"

#if defined(__aarch64__) || defined(__arm__)
#define MACHINE	EM_AARCH64
#define FP	29
#else
#define MACHINE	EM_X86_64
#define FP	6
#endif

#define INDEX	3		/* of the word, in words below the frame pointer */
#define BASE	0x400U		/* where the code is in its file */
#define BYTES	0x400U		/* as much code as the table covers */

struct words_table {
	struct wallprof_table head;
	struct wallprof_rule rules[4];
	__u32 pages[2];
	struct wallprof_row rows[4];
	struct wallprof_save saves[2];	/* two: then the struct has no tail */
};

/* @index: of words_nap's word. */
static struct words_table words_table(__u8 index)
{
	const struct wallprof_rule rule = {
		.kind = WALLPROF_RULE_DEREF, .reg = FP, .index = INDEX, .off = -8, .ra = 1,
		.flags = WALLPROF_RULE_FP_SAVED | WALLPROF_RULE_FP_FP | WALLPROF_RULE_RA_FP |
			 WALLPROF_RULE_WORD,
	};
	struct words_table t = {
		.head = {
			.magic = WALLPROF_TABLE_MAGIC, .version = WALLPROF_TABLE_VERSION,
			.machine = MACHINE, .nr_pages = 1, .nr_rows = 4, .nr_rules = 4,
			.nr_saves = 2, .base = BASE,
		},
		.rules = {
			{ .kind = WALLPROF_RULE_NONE, .index = WALLPROF_RULE_NO_INDEX },
			rule, rule,
			{ .kind = WALLPROF_RULE_END, .index = WALLPROF_RULE_NO_INDEX },
		},
		.pages = { 0, 4 },
		.rows = { { 0, 1 }, { 0x100, 2 }, { 0x200, 3 }, { 0x300, 0 } },
		.saves = { { .how = WALLPROF_SAVE_END }, { .how = WALLPROF_SAVE_END } },
	};

	t.rules[1].index = index;
	return t;
}

static int push(int fd, const struct words_table *table, __u32 *id)
{
	struct wallprof_push arg = {
		.size = sizeof(arg), .table = (uintptr_t)table, .bytes = sizeof(*table),
	};
	int ret = dev_cmd(fd, WALLPROF_IOC_PUSH, &arg);

	*id = arg.id;
	return ret;
}

TEST(push_refuses_words)
{
	struct words_table t = words_table(INDEX), bad;
	struct wallprof_configure c = dev_config();
	int fd = dev_open();
	__u32 id;

	c.stack_flags = WALLPROF_STACK_USER | WALLPROF_STACK_TABLES;
	ASSERT_EQ(0, dev_cmd(fd, WALLPROF_IOC_CONFIGURE, &c));
#define REFUSES(change) do { \
		bad = t; \
		bad.rules[1].change; \
		EXPECT_EQ(-EBADMSG, push(fd, &bad, &id)) TH_LOG(#change); \
	} while (0)
	REFUSES(index = 0);
	REFUSES(index = WALLPROF_RULE_WORDS + 1);
	REFUSES(index = WALLPROF_RULE_NO_INDEX);
	REFUSES(kind = WALLPROF_RULE_CFA);
	REFUSES(flags |= 1U << 7);
#undef REFUSES
	EXPECT_EQ(0, dev_status(fd).tables);
	t.rules[1].index = WALLPROF_RULE_WORDS;
	EXPECT_EQ(0, push(fd, &t, &id));
}

#if defined(__x86_64__) || defined(__aarch64__)

/*
 * words_root calls words_outer, which calls words_nap. @word is in the frame of words_nap,
 * @outer in that of words_outer. @sp: a stack, or NULL for the caller's. It naps for @ts, or
 * with @spun runs for good, and says that it does.
 */
#define HERE __attribute__((visibility("hidden")))

extern HERE char words_code[], words_nap_ip[], words_outer_ip[], words_root_ip[];
void words_root(const struct timespec *ts, __u64 word, __u64 outer, void *sp,
		volatile __u8 *spun);

__asm__(".text\n"
	".balign 1024\n"
	"words_code:\n"
#ifdef __x86_64__
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	lea 16(%rbp), %rax\n"
	"	push %rax\n"
	"	push $0\n"
	"	push %rsi\n"
	"	sub $104, %rsp\n"	/* now the furthest word is in the frame, too */
	"	test %r8, %r8\n"
	"	jz 2f\n"
	"1:	movb $1, (%r8)\n"
	"	jmp 1b\n"
	"2:	xor %esi, %esi\n"
	"	mov $35, %eax\n"	/* nanosleep */
	"	syscall\n"
	"words_nap_ip:\n"
	"	leave\n"
	"	ret\n"
	".balign 256\n"
	"words_outer:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	lea 16(%rbp), %rax\n"
	"	push %rax\n"
	"	push $0\n"
	"	push %rdx\n"
	"	push $0\n"
	"	call words_code\n"
	"words_outer_ip:\n"
	"	leave\n"
	"	ret\n"
	".balign 256\n"
	".globl words_root\n"
	"words_root:\n"
	"	push %rbx\n"
	"	mov %rsp, %rbx\n"
	"	test %rcx, %rcx\n"
	"	cmovnz %rcx, %rsp\n"
	"	call words_outer\n"
	"words_root_ip:\n"
	"	mov %rbx, %rsp\n"
	"	pop %rbx\n"
	"	ret\n"
#else
	"	stp x29, x30, [sp, #-16]!\n"
	"	mov x29, sp\n"
	"	sub sp, sp, #128\n"
	"	add x9, x29, #16\n"
	"	str x9, [x29, #-8]\n"
	"	str x1, [x29, #-24]\n"
	"	cbz x4, 2f\n"
	"	mov w9, #1\n"
	"1:	strb w9, [x4]\n"
	"	b 1b\n"
	"2:	mov x1, #0\n"
	"	mov x8, #101\n"		/* nanosleep */
	"	svc #0\n"
	"words_nap_ip:\n"
	"	mov sp, x29\n"
	"	ldp x29, x30, [sp], #16\n"
	"	ret\n"
	".balign 256\n"
	"words_outer:\n"
	"	stp x29, x30, [sp, #-16]!\n"
	"	mov x29, sp\n"
	"	sub sp, sp, #32\n"
	"	add x9, x29, #16\n"
	"	str x9, [x29, #-8]\n"
	"	str x2, [x29, #-24]\n"
	"	bl words_code\n"
	"words_outer_ip:\n"
	"	mov sp, x29\n"
	"	ldp x29, x30, [sp], #16\n"
	"	ret\n"
	".balign 256\n"
	".globl words_root\n"
	"words_root:\n"
	"	stp x19, x30, [sp, #-16]!\n"
	"	mov x19, sp\n"
	"	cbz x3, 3f\n"
	"	mov sp, x3\n"
	"3:	bl words_outer\n"
	"words_root_ip:\n"
	"	mov sp, x19\n"
	"	ldp x19, x30, [sp], #16\n"
	"	ret\n"
#endif
	".balign 1024\n");

static int push_and_map(int fd, __u32 pid, __u8 index)
{
	struct words_table t = words_table(index);
	__u64 start = (uintptr_t)words_code;
	struct wallprof_map map = {
		.start = start, .end = start + BYTES, .bias = start - BASE,
	};
	struct wallprof_maps arg = {
		.size = sizeof(arg), .pid = pid, .nr = 1, .maps = (uintptr_t)&map,
	};
	int ret = push(fd, &t, &map.table);

	return ret ? ret : dev_cmd(fd, WALLPROF_IOC_MAPS, &arg);
}

/* What parent and child share. */
static struct {
	__u64 word, outer;
	__u64 *turns;			/* which of these takes turns */
	char *sp;
	volatile long naps[2];		/* as it was, and with the other word */
	volatile bool ready;
	volatile __u8 spun;
} *shared;

/* What is seen of a word that naps take in turns. */
#define OTHER(word)	((word) ^ 0x1000)

/* How stacks of a process look. */
struct found {
	unsigned long all, as_given, as_other;
};

/* Whether a stack has such words, of the @max that it may have. */
static bool has_words(const struct read_stack *s, __u64 word, __u64 outer, unsigned int max)
{
	const __u64 wanted[] = {
		0, WALLPROF_INTERP_WORD | word, (uintptr_t)words_outer_ip,
		WALLPROF_INTERP_WORD | outer, (uintptr_t)words_root_ip,
	};
	unsigned int nr = max < ARRAY_SIZE(wanted) ? max : ARRAY_SIZE(wanted);

	if (!s || s->nr != nr || s->flags || s->ips[0] - (uintptr_t)words_code >= 256 ||
	    s->unwind != (nr == max ? WALLPROF_UNWIND_DEPTH : WALLPROF_UNWIND_END))
		return false;
	return !memcmp(s->ips + 1, wanted + 1, (nr - 1) * sizeof(*wanted));
}

/* What a word is in a stack. */
static __u64 seen(__u64 word)
{
	return word & ~WALLPROF_INTERP_ADDRESS_MASK ? 0 : word;
}

static struct found find(const struct session *s, __u32 tgid)
{
	__u64 word = seen(shared->word), outer = seen(shared->outer);
	struct found found = {};

	if (shared->turns == &shared->word)
		word = 0x5550;
	else if (shared->turns == &shared->outer)
		outer = 0x5550;
	for (size_t i = 0; i < s->nr_aggrs; i++) {
		const struct wallprof_aggr *a = &s->aggrs[i];
		const struct read_stack *stack = session_stack(s, a->user_stack);

		if (a->tgid != tgid || (a->kind == WALLPROF_AGGR_OFFCPU &&
					(a->state != WALLPROF_STATE_SLEEPING ||
					 a->syscall != SYS_nanosleep ||
					 a->flags & WALLPROF_AGGR_SINCE_START)))
			continue;
		found.all += a->count;
		if (has_words(stack, word, outer, s->c.max_stack))
			found.as_given += a->count;
		else if (shared->turns && has_words(stack, shared->turns == &shared->word ?
						    OTHER(word) : word,
						    shared->turns == &shared->outer ?
						    OTHER(outer) : outer, s->c.max_stack))
			found.as_other += a->count;
	}
	return found;
}

static void naps(void *arg)
{
	const struct timespec ts = { .tv_nsec = 100000 };

	for (unsigned int i = 0;; i++) {
		bool other = i >> 2 & 1;

		if (shared->turns)
			*shared->turns = other ? OTHER(0x5550) : 0x5550;
		shared->naps[other]++;
		shared->ready = true;
		words_root(&ts, shared->word, shared->outer, shared->sp, NULL);
	}
}

static void naps_for_good(void *arg)
{
	const struct timespec ts = { .tv_sec = 1000000 };

	shared->ready = true;
	words_root(&ts, shared->word, shared->outer, shared->sp, NULL);
}

static void spins(void *arg)
{
	words_root(NULL, shared->word, shared->outer, shared->sp, &shared->spun);
}

FIXTURE(words)
{
	struct wallprof_configure c;
	struct session s;
	__u32 pid;
};

FIXTURE_SETUP(words)
{
	self->c = dev_config();
	self->c.stack_flags = WALLPROF_STACK_USER | WALLPROF_STACK_TABLES;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	ASSERT_NE(MAP_FAILED, shared);
	shared->word = 0x123456789abc;
	shared->outer = WALLPROF_INTERP_ADDRESS_MASK;
}

FIXTURE_TEARDOWN(words)
{
	if (self->pid)
		child_end(self->pid);
}

/* Begins a session of a child that does @body; @index: of the innermost frame's word. */
#define BEGIN(body, index) do { \
	shared->ready = false; \
	self->pid = child_of(body, NULL); \
	dev_target(&self->c, WALLPROF_TARGET_PID, &self->pid, 1); \
	ASSERT_EQ(0, session_open(&self->s, &self->c)); \
	ASSERT_EQ(0, push_and_map(self->s.fd, self->pid, index)); \
	UNTIL(shared->ready); \
	ASSERT_EQ(0, session_start(&self->s)); \
} while (0)

#define END() do { \
	session_close(&self->s); \
	child_end(self->pid); \
	self->pid = 0; \
} while (0)

/* Until so many naps, or samples, were found. All had the stack that they should have. */
#define ALL_AS_GIVEN(wanted) do { \
	struct found found_; \
	do { \
		nap_ns(20 * MS); \
		ASSERT_EQ(0, session_flip(&self->s)); \
	} while (find(&self->s, self->pid).all < (wanted)); \
	EXPECT_WHOLE(&self->s); \
	found_ = find(&self->s, self->pid); \
	EXPECT_EQ(found_.all, found_.as_given); \
	if (found_.all != found_.as_given) \
		session_print_stacks(&self->s); \
} while (0)

TEST_F(words, are_in_the_stack)
{
	/* The last one could be taken for a function. */
	static const __u64 words[] = { 0x7f0011223344, 0, 1, WALLPROF_INTERP_ADDRESS_MASK,
				       WALLPROF_INTERP_ADDRESS_MASK + 1, ~0ULL,
				       WALLPROF_INTERP_CODE | 0x1000 };

	for (unsigned int i = 0; i < ARRAY_SIZE(words); i++) {
		shared->word = words[i];
		BEGIN(naps, INDEX);
		ALL_AS_GIVEN(20);
		END();
	}
}

/* The innermost ones find their room first. */
TEST_F(words, take_room)
{
	for (self->c.max_stack = 1; self->c.max_stack <= 7; self->c.max_stack++) {
		BEGIN(naps, INDEX);
		ALL_AS_GIVEN(20);
		END();
	}
}

/* A word that cannot be read ends no walk. Such a stack is not cached. */
TEST_F(words, that_cannot_be_read)
{
	long page = getpagesize();
	char *stack = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			   -1, 0);
	__u64 walks = 0;

	ASSERT_NE(MAP_FAILED, stack);
	ASSERT_EQ(0, mprotect(stack, page, PROT_NONE));
	/* As much as both frames take; a page behind it is the word of the inner one. */
	shared->sp = stack + page + 96;
	shared->word = 0;
	BEGIN(naps, WALLPROF_RULE_WORDS);
	ALL_AS_GIVEN(50);
	for (int i = 0; i < WALLPROF_UNWIND_MAX; i++)
		walks += self->s.unwinds[0][i];
	EXPECT_LE(50, walks);
	EXPECT_EQ(0, self->s.walks_remembered);
	END();
	/* The same stack with a word that can be read is. */
	shared->word = 0x1234;
	BEGIN(naps, INDEX);
	do {
		nap_ns(20 * MS);
		ASSERT_EQ(0, session_flip(&self->s));
	} while (self->s.walks_remembered < 10);
	ALL_AS_GIVEN(20);
	END();
}

/*
 * Stacks from the cache are those that a walk would find: the native frames are the same, and
 * one word changes after each four naps.
 */
TEST_F_TIMEOUT(words, a_cached_stack_has_its_own, 300)
{
	struct found found;
	long before[2];

	for (int round = 0; round < 4; round++) {
		shared->turns = round & 1 ? &shared->outer : &shared->word;
		shared->word = 0x111;
		shared->outer = 0x222;
		/* Without the switch cache. */
		if (round == 2)
			self->c.flags ^= WALLPROF_WAKER_CHAINS;
		shared->ready = false;
		self->pid = child_of(naps, NULL);
		dev_target(&self->c, WALLPROF_TARGET_PID, &self->pid, 1);
		ASSERT_EQ(0, session_open(&self->s, &self->c));
		ASSERT_EQ(0, push_and_map(self->s.fd, self->pid, INDEX));
		UNTIL(shared->ready);
		before[0] = shared->naps[0];
		before[1] = shared->naps[1];
		ASSERT_EQ(0, session_start(&self->s));
		do {
			long done = shared->naps[0] + shared->naps[1];

			UNTIL(shared->naps[0] + shared->naps[1] > done + 400);
			ASSERT_EQ(0, session_flip(&self->s));
			found = find(&self->s, self->pid);
		} while (found.as_given < 100 || found.as_other < 100 ||
			 self->s.walks_remembered < 100);
		EXPECT_WHOLE(&self->s);
		found = find(&self->s, self->pid);
		EXPECT_EQ(found.all, found.as_given + found.as_other);
		/* One that had begun before may be among them. */
		EXPECT_GE(shared->naps[0] - before[0] + 1, found.as_given) TH_LOG("%d", round);
		EXPECT_GE(shared->naps[1] - before[1] + 1, found.as_other) TH_LOG("%d", round);
		END();
	}
}

/* One that was blocked before the session began. */
TEST_F(words, of_blocked_threads)
{
	const struct wallprof_task *task;

	self->pid = child_of(naps_for_good, NULL);
	UNTIL(shared->ready);
	dev_target(&self->c, WALLPROF_TARGET_PID, &self->pid, 1);
	ASSERT_EQ(0, session_begin(&self->s, &self->c));
	UNTIL(session_account(&self->s, self->pid));
	while (!session_account(&self->s, self->pid)->user_stack ||
	       session_account(&self->s, self->pid)->flags & WALLPROF_TASK_WEAK_STACK) {
		ASSERT_EQ(0, push_and_map(self->s.fd, self->pid, INDEX));
		nap_ns(MS);
	}
	EXPECT_WHOLE(&self->s);
	task = session_account(&self->s, self->pid);
	EXPECT_TRUE(has_words(session_stack(&self->s, task->user_stack), shared->word,
			      shared->outer, self->c.max_stack));
}

/* Samples of one that runs; with the cache of their stacks and without. */
TEST_F(words, of_samples)
{
	for (int cached = 0; cached < 2; cached++) {
		self->c.flags = cached ? WALLPROF_SAMPLE_CACHE : 0;
		dev_sampler(&self->c, 1000);
		shared->spun = 0;
		self->pid = child_of(spins, NULL);
		UNTIL(shared->spun);
		dev_target(&self->c, WALLPROF_TARGET_PID, &self->pid, 1);
		ASSERT_EQ(0, session_open(&self->s, &self->c));
		ASSERT_EQ(0, push_and_map(self->s.fd, self->pid, INDEX));
		ASSERT_EQ(0, session_start(&self->s));
		ALL_AS_GIVEN(20);
		END();
	}
}

#endif

TEST_HARNESS_MAIN
