// SPDX-License-Identifier: GPL-2.0
/*
 * READ: the memory of a blocked thread's process, and the arguments of its system call;
 * what is refused; and that nothing of the process changes.
 */
#include "device.h"

#define PAGE	4096UL

/* What a target and the test share; the target's own memory is @secret and behind. */
struct shared {
	volatile int ready;
	volatile bool go;
};

/* The same addresses in the test and its children. */
static struct shared *shared;
static char *pages;		/* private: present, absent, no memory */
static int hole[2];

static void make_pages(void)
{
	shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pages = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED || pages == MAP_FAILED || pipe2(hole, O_CLOEXEC))
		abort();
	munmap(pages + 2 * PAGE, PAGE);
	/* No huge page: the second one is to be absent. */
	madvise(pages, 2 * PAGE, MADV_NOHUGEPAGE);
}

static void target(void *arg)
{
	for (unsigned int i = 0; i < PAGE; i++)
		pages[i] = i * 7 + 1;
	shared->ready = 1;
	/* With a fourth argument, which read() has not. */
	if (syscall(SYS_read, hole[0], pages + 100, 33, 44) < 0)
		abort();
}

static void spins(void *arg)
{
	for (;;)
		;
}

static pid_t target_make(void)
{
	pid_t pid = child_of(target, NULL);

	while (!shared->ready || !is_off(pid, 'S'))
		nap_ns(MS);
	return pid;
}

static struct wallprof_read read_of(pid_t pid, __u64 address, void *to, __u32 bytes)
{
	return (struct wallprof_read){
		.size = sizeof(struct wallprof_read), .pid = pid, .tid = pid,
		.address = address, .data = (uintptr_t)to, .bytes = bytes,
	};
}

/* How many pages of the target are in memory, as /proc has it. */
static long long present(pid_t pid)
{
	char path[64], text[64] = "";
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/statm", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (read(fd, text, sizeof(text) - 1) < 0)
		text[0] = 0;
	close(fd);
	return strtoll(strchrnul(text, ' '), NULL, 10);
}

FIXTURE(reads)
{
	struct session s;
	pid_t pid;
	char data[WALLPROF_MAX_READ];
};

FIXTURE_SETUP(reads)
{
	struct wallprof_configure c = dev_config();

	make_pages();
	self->pid = target_make();
	ASSERT_EQ(0, session_begin(&self->s, &c));
	memset(self->data, 0xa5, sizeof(self->data));
}

FIXTURE_TEARDOWN(reads)
{
	child_end(self->pid);
	session_close(&self->s);
}

#define READ(want, arg) \
	EXPECT_EQ(want, dev_cmd(self->s.fd, WALLPROF_IOC_READ, arg))

static const struct wallprof_task *slot_of(const struct session *s, pid_t tid)
{
	const struct wallprof_task *tasks = session_tasks(s);

	for (__u32 i = 0; i < s->c.nr_tasks; i++) {
		if (tasks[i].tid == (__u32)tid && tasks[i].phase != WALLPROF_TASK_FREE &&
		    tasks[i].phase != WALLPROF_TASK_EXITED)
			return &tasks[i];
	}
	return NULL;
}

TEST_F(reads, memory_and_arguments)
{
	const struct wallprof_task *slot = slot_of(&self->s, self->pid);
	struct wallprof_read arg = read_of(self->pid, (uintptr_t)pages + 1, self->data, 1000);
	long long before = present(self->pid);
	__u64 switches = nr_switches(self->pid);

	ASSERT_NE(NULL, slot);
	READ(0, &arg);
	for (unsigned int i = 0; i < 1000; i++)
		ASSERT_EQ((char)((i + 1) * 7 + 1), self->data[i]);
	EXPECT_EQ((char)0xa5, self->data[1000]);
	EXPECT_EQ(slot->since, arg.since);
	EXPECT_EQ(SYS_read, (int)arg.syscall);
	EXPECT_EQ((__u64)hole[0], arg.arg);
	EXPECT_EQ((uintptr_t)pages + 100, arg.arg2);
	EXPECT_EQ(33, arg.arg3);
	EXPECT_EQ(44, arg.arg4);
	/* By the time, too, and another time is another interval. */
	READ(0, &arg);
	arg.since++;
	READ(-ESTALE, &arg);
	arg.since = 1;
	READ(-ESTALE, &arg);
	EXPECT_EQ(before, present(self->pid));
	EXPECT_EQ(switches, nr_switches(self->pid));
}

TEST_F(reads, nothing_that_is_absent)
{
	struct wallprof_read arg = read_of(self->pid, (uintptr_t)pages + PAGE, self->data, 8);
	const __u64 bad[] = {
		(uintptr_t)pages + 2 * PAGE, 0, 8, 1ULL << 47, 1ULL << 63, ~0ULL, ~0ULL - 7,
		0xffffffff81000000ULL, 0xffff888000000000ULL,
	};
	long long before = present(self->pid);

	READ(-ENODATA, &arg);
	/* From what is there into what is not. */
	arg.address -= 4;
	READ(-ENODATA, &arg);
	arg.bytes = 4;
	READ(0, &arg);
	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		arg = read_of(self->pid, bad[i], self->data, 8);
		EXPECT_EQ(-ENODATA, dev_cmd(self->s.fd, WALLPROF_IOC_READ, &arg))
			TH_LOG("address %llx", (ull)bad[i]);
	}
	EXPECT_EQ(before, present(self->pid));
	EXPECT_EQ((char)0xa5, self->data[4]);
}

TEST_F(reads, refusals)
{
	const struct wallprof_read good = read_of(self->pid, (uintptr_t)pages, self->data, 8);
	struct wallprof_read arg;
	pid_t other;

	arg = good;
	arg.bytes = 0;
	READ(-EINVAL, &arg);
	arg.bytes = WALLPROF_MAX_READ + 1;
	READ(-EINVAL, &arg);
	arg.bytes = ~0U;
	READ(-EINVAL, &arg);
	arg.bytes = WALLPROF_MAX_READ;
	READ(0, &arg);
	arg = good;
	arg.reserved = 1;
	READ(-EINVAL, &arg);
	arg = good;
	arg.data = 0;
	READ(-EFAULT, &arg);
	arg.data = (uintptr_t)pages + 2 * PAGE;
	READ(-EFAULT, &arg);
	arg = good;
	arg.pid = 0x3fffffff;
	READ(-ESRCH, &arg);
	/* kthreadd has no memory. */
	arg = good;
	arg.pid = 2;
	arg.tid = 2;
	READ(-ESRCH, &arg);
	/* A thread of another process. */
	arg = good;
	arg.tid = getpid();
	READ(-ESRCH, &arg);
	arg.tid = 0;
	READ(-ESRCH, &arg);
	/* One that never waits. */
	other = child_of(spins, NULL);
	arg = read_of(other, (uintptr_t)pages, self->data, 8);
	READ(-ESTALE, &arg);
	child_end(other);
	other = child_of(load_all, NULL);
	for (unsigned int i = 0; i < 200; i++) {
		arg = read_of(other, (uintptr_t)pages, self->data, 8);
		switch (dev_cmd(self->s.fd, WALLPROF_IOC_READ, &arg)) {
		case 0:
		case -ESTALE:
		case -ENODATA:
			break;
		default:
			EXPECT_TRUE(false) TH_LOG("of a thread that comes and goes");
		}
	}
	child_end(other);
}

/* A thread that has ended, or runs, is not read; nor is one in another interval. */
TEST_F(reads, not_any_more)
{
	struct wallprof_read arg = read_of(self->pid, (uintptr_t)pages, self->data, 8);

	READ(0, &arg);
	EXPECT_EQ(1, write(hole[1], "x", 1));
	while (is_off(self->pid, 'S'))
		nap_ns(MS);
	arg.tid = self->pid;
	EXPECT_NE(0, dev_cmd(self->s.fd, WALLPROF_IOC_READ, &arg));
	child_end(self->pid);
	READ(-ESRCH, &arg);
}

TEST_F(reads, in_a_session_that_runs)
{
	struct wallprof_read arg = read_of(self->pid, (uintptr_t)pages, self->data, 8);
	struct wallprof_configure c = dev_config();
	struct session s;

	ASSERT_EQ(0, session_open(&s, &c));
	EXPECT_EQ(-EINVAL, dev_cmd(s.fd, WALLPROF_IOC_READ, &arg));
	session_close(&s);
	dev_sampler(&c, 99);
	c.flags = WALLPROF_SAMPLER;
	ASSERT_EQ(0, session_begin(&s, &c));
	EXPECT_EQ(-EINVAL, dev_cmd(s.fd, WALLPROF_IOC_READ, &arg));
	session_close(&s);
	/* One that is no target has no interval. */
	c = dev_config();
	c.target = WALLPROF_TARGET_PID;
	c.targets = (uintptr_t)&(__u32){ getpid() };
	c.nr_targets = 1;
	ASSERT_EQ(0, session_begin(&s, &c));
	EXPECT_EQ(-ESTALE, dev_cmd(s.fd, WALLPROF_IOC_READ, &arg));
	session_close(&s);
	ASSERT_EQ(0, dev_stop(self->s.fd, NULL));
	READ(-EINVAL, &arg);
}

TEST_HARNESS_MAIN
