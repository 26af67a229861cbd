// SPDX-License-Identifier: GPL-2.0
/*
 * CPUs that come when a session is there already: CPU 1 is offline at CONFIGURE. Invariants
 * 5 (every loss is counted), 6 (memory is that of the CPUs that are there, and charged to
 * the opener).
 */

#include <sys/mount.h>
#include <sys/sysinfo.h>

#include "rings.h"

/* All that a session can have: not the scheduler's fast path. */
static struct wallprof_configure with_all(void)
{
	struct wallprof_configure c = dev_config();

	c.flags |= WALLPROF_HISTOGRAMS | WALLPROF_WAKER_STACKS | WALLPROF_WAKER_CHAINS |
		   WALLPROF_TIMELINE | WALLPROF_TIMELINE_STACKS;
	c.stack_flags |= WALLPROF_STACK_KERNEL;
	c.nr_records = 1 << 16;
	dev_sampler(&c, 99);
	return c;
}

/* On CPU 1: sleeps, is woken, and has children that end there. */
static void load_on_cpu1(void *arg)
{
	const __u64 ns = MS;

	for (;;) {
		/* Each time: cpusets learn of a CPU that came later, and then reset this. */
		stay_on(1);
		if (!fork()) {
			nap_ns(ns);
			_exit(0);
		}
		wait(NULL);
		nap_ns(ns);
	}
}

static const struct wallprof_half *half_of_cpu1(const struct session *s)
{
	return session_half(s, 1, 0, dev_status(s->fd).epoch);
}

FIXTURE(cpus)
{
	struct wallprof_configure c;
	struct session s;
	pid_t pid;
};

FIXTURE_VARIANT(cpus)
{
	bool all;
};

FIXTURE_VARIANT_ADD(cpus, plain)
{
	.all = false,
};

FIXTURE_VARIANT_ADD(cpus, all)
{
	.all = true,
};

FIXTURE_SETUP(cpus)
{
	self->pid = 0;
	self->c = variant->all ? with_all() : dev_config();
	if (access("/sys/devices/system/cpu/cpu1/online", W_OK))
		SKIP(return, "one CPU");
	ASSERT_EQ(0, cpu_online(1, "0"));
}

FIXTURE_TEARDOWN(cpus)
{
	if (self->pid)
		child_end(self->pid);
	cpu_online(1, "1");
}

/* Memory is that of the CPUs that are there; one that comes brings its own. */
TEST_F(cpus, memory)
{
	struct wallprof_configure *c = &self->c, other;
	__u64 one, epoch = 0;
	long before, with;
	struct session s;
	int fd;

	before = status_kb("VmLck");
	ASSERT_EQ(0, session_open(&s, c));
	one = s.c.memory_bytes;
	with = status_kb("VmLck");
	EXPECT_EQ((long)(one / 1024), with - before);
	EXPECT_EQ(sysconf(_SC_NPROCESSORS_ONLN), dev_info(s.fd).nr_online);
	EXPECT_EQ(dev_info(s.fd).nr_online, dev_status(s.fd).cpus);
	EXPECT_EQ(0, dev_status(s.fd).cpus_bytes);
	/* All of it can be read, and is empty. */
	for (__u64 at = 0; at < s.c.cpu_stride; at += getpagesize())
		epoch |= *(__u64 *)(s.map + s.c.cpus_offset + s.c.cpu_stride + at);
	for (__u64 at = 0; at < s.c.ring_stride; at += getpagesize())
		epoch |= *(__u64 *)(s.map + s.c.rings_offset + s.c.ring_stride + at);
	EXPECT_EQ(0, epoch);
	EXPECT_EQ(with, status_kb("VmLck"));

	ASSERT_EQ(0, cpu_online(1, "1"));
	EXPECT_EQ(dev_info(s.fd).nr_online, dev_status(s.fd).cpus);
	EXPECT_EQ(0, dev_status(s.fd).cpus_failed);
	EXPECT_EQ((long)(dev_status(s.fd).cpus_bytes / 1024), status_kb("VmLck") - with);
	/* What was empty is not any more. */
	EXPECT_EQ(1, half_of_cpu1(&s)->epoch);
	EXPECT_EQ(1, half_of_cpu1(&s)->cpu);

	/* As much as if it had been there. */
	fd = dev_open();
	other = *c;
	ASSERT_EQ(0, dev_cmd(fd, WALLPROF_IOC_CONFIGURE, &other));
	EXPECT_EQ(one + dev_status(s.fd).cpus_bytes, other.memory_bytes);
	EXPECT_EQ(s.c.map_bytes, other.map_bytes);
	close(fd);

	/* It keeps it when it goes, and needs no more when it comes again. */
	with = status_kb("VmLck");
	ASSERT_EQ(0, cpu_online(1, "0"));
	ASSERT_EQ(0, cpu_online(1, "1"));
	EXPECT_EQ(with, status_kb("VmLck"));
	session_close(&s);
	EXPECT_EQ(before, status_kb("VmLck"));
}

/* What happens on a CPU that came is recorded, from its first switch on. */
TEST_F(cpus, recorded)
{
	struct session *s = &self->s;
	__u64 events = 0;
	unsigned int i;

	ASSERT_EQ(0, session_begin(s, &self->c));
	s->cpus_go = true;
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, session_flip(s));
	ASSERT_EQ(0, cpu_online(1, "1"));
	self->pid = child_of(load_on_cpu1, NULL);
	for (i = 0; i < 5 || events < 50; i++) {
		nap_ns(20 * MS);
		ASSERT_EQ(0, session_read_rings(s, ~0ULL));
		ASSERT_EQ(0, session_flip(s));
		events += session_half(s, 1, 0, s->epoch)->events;
	}
	if (variant->all) {
		UNTIL(dev_status(s->fd).counters == 2);
		EXPECT_LT(0, session_ring(s, 1)->head);
	}
	/* With their stacks, all of them. */
	EXPECT_EQ(0, dev_status(s->fd).lost[WALLPROF_LOSS_STACK_FULL].count);
	EXPECT_ALL_WHOLE(s);
	EXPECT_EQ(0, s->lost[0][WALLPROF_LOSS_AGGR_FULL].count);
	EXPECT_EQ(0, s->lost[0][WALLPROF_LOSS_EXIT_FULL].count);
}

static void *flips(void *arg)
{
	struct session *s = arg;

	while (dev_status(s->fd).state == WALLPROF_SESSION_RUNNING && !session_flip(s))
		;
	return NULL;
}

/* Epochs come and go while a CPU comes, which is in each from then on. */
TEST_F(cpus, flipped)
{
	struct session *s = &self->s;
	pthread_t thread;
	__u32 epoch;

	for (unsigned int i = 0; i < scaled(10); i++) {
		ASSERT_EQ(0, session_begin(s, &self->c));
		s->cpus_go = true;
		pthread_create(&thread, NULL, flips, s);
		EXPECT_EQ(0, cpu_online(1, "1"));
		self->pid = child_of(load_on_cpu1, NULL);
		epoch = dev_status(s->fd).epoch;
		UNTIL(dev_status(s->fd).epoch > epoch + 2);
		EXPECT_EQ(0, dev_stop(s->fd, &s->stop));
		pthread_join(thread, NULL);
		/* The thread may have had the last one. */
		session_flip(s);
		session_add_status(s);
		EXPECT_EQ(s->epoch, session_half(s, 1, 0, s->epoch)->epoch);
		EXPECT_EQ(NULL, session_judge(s)) TH_LOG("%s", s->trouble);
		EXPECT_EQ(0, dev_status(s->fd).cpus_failed);
		session_close(s);
		child_end(self->pid);
		self->pid = 0;
		ASSERT_EQ(0, cpu_online(1, "0"));
	}
}

static void *looks(void *arg)
{
	struct session *s = arg;
	const volatile __u32 *epoch = &session_half(s, 1, 0, 1)->epoch;
	char *page = (char *)session_half(s, 1, 0, 1);

	/* Not to give back what was mapped just when it came. */
	do {
		madvise(page, getpagesize(), MADV_DONTNEED);
		(void)*epoch;
	} while (dev_status(s->fd).cpus < 2);
	return NULL;
}

/* Whoever looks at a CPU just when it comes does not go on to see it empty. */
TEST_F(cpus, looked_at)
{
	struct session *s = &self->s;
	pthread_t thread;

	for (unsigned int i = 0; i < scaled(20); i++) {
		ASSERT_EQ(0, session_open(s, &self->c));
		ASSERT_EQ(1, dev_status(s->fd).cpus);
		pthread_create(&thread, NULL, looks, s);
		EXPECT_EQ(0, cpu_online(1, "1"));
		ASSERT_EQ(0, dev_status(s->fd).cpus_failed);
		pthread_join(thread, NULL);
		EXPECT_EQ(1, session_half(s, 1, 0, 1)->epoch);
		session_close(s);
		ASSERT_EQ(0, cpu_online(1, "0"));
	}
}

/* Brings CPU 1 online after a byte, with the privileges that its parent may have dropped. */
static void brings(void *arg)
{
	const int *go = arg;
	char byte;

	close(go[1]);
	if (read(go[0], &byte, 1) != 1)
		_exit(1);
	_exit(cpu_online(1, "1") ? 2 : 0);
}

/*
 * There is no memory for a CPU: it comes all the same, and of what happens there all
 * times are known, and what is lost is counted. The limit is the owner's, whoever
 * has the CPU come.
 */
TEST_F(cpus, no_memory)
{
	struct session *s = &self->s;
	struct wallprof_status status;
	struct rlimit limit;
	int go[2], exited;
	pid_t other;

	ASSERT_EQ(0, pipe(go));
	other = child_of(brings, go);
	ASSERT_EQ(0, session_open(s, &self->c));
	limit.rlim_cur = (status_kb("VmLck") + 4) * 1024;
	limit.rlim_max = limit.rlim_cur;
	session_close(s);
	ASSERT_EQ(0, setrlimit(RLIMIT_MEMLOCK, &limit));
	ASSERT_EQ(0, drop_cap(CAP_IPC_LOCK));

	ASSERT_EQ(0, session_begin(s, &self->c));
	s->cpus_go = true;
	ASSERT_EQ(1, write(go[1], "", 1));
	ASSERT_EQ(other, waitpid(other, &exited, 0));
	EXPECT_EQ(0, exited);
	ASSERT_EQ(1, dev_status(s->fd).cpus_failed);
	EXPECT_EQ(dev_info(s->fd).nr_online - 1, dev_status(s->fd).cpus);
	EXPECT_EQ(0, dev_status(s->fd).cpus_bytes);
	EXPECT_EQ((long)(s->c.memory_bytes / 1024), status_kb("VmLck"));

	self->pid = child_of(load_on_cpu1, NULL);
	do {
		nap_ns(20 * MS);
		ASSERT_EQ(0, session_read_rings(s, ~0ULL));
		ASSERT_EQ(0, session_flip(s));
		status = dev_status(s->fd);
	} while (status.lost[WALLPROF_LOSS_AGGR_FULL].count < 50 ||
		 status.lost[WALLPROF_LOSS_STACK_FULL].count < 50 ||
		 status.lost[WALLPROF_LOSS_EXIT_FULL].count < 20 ||
		 (variant->all && status.records_lost < 50));
	EXPECT_EQ(0, half_of_cpu1(s)->epoch);
	EXPECT_EQ(NULL, session_end(s)) TH_LOG("%s", s->trouble);
	/* Its child's ends are lost, but for what is counted; its own account is whole. */
	EXPECT_NE(NULL, session_account(s, self->pid));
	EXPECT_LT(0, session_account(s, self->pid)->spill_ns);
	EXPECT_EQ(0, session_account(s, self->pid)->unknown_ns);
}

/*
 * A session of which CONFIGURE took a quarter of the memory, as an owner without a limit
 * may have it: the CPUs that come add nothing.
 */
TEST_F(cpus, much_memory)
{
	struct session *s = &self->s;
	struct sysinfo info;

	ASSERT_EQ(0, sysinfo(&info));
	ASSERT_EQ(0, session_open(s, &self->c));
	while (s->c.memory_bytes < info.totalram / 4) {
		session_close(s);
		self->c.nr_tasks *= 2;
		ASSERT_EQ(0, session_open(s, &self->c));
	}
	ASSERT_EQ(0, cpu_online(1, "1"));
	EXPECT_EQ(1, dev_status(s->fd).cpus_failed);
	EXPECT_EQ(0, dev_status(s->fd).cpus_bytes);
	session_close(s);
}

/* It is not the group of who has a CPU come that is charged. */
TEST_F(cpus, group_is_charged)
{
	static const char root[] = "/tmp/cgroup-cpus", group[] = "/tmp/cgroup-cpus/opener";
	static const char current[] = "/tmp/cgroup-cpus/opener/memory.current";
	static const char other[] = "/tmp/cgroup-cpus/other";
	long long before, with, bytes;
	struct session *s = &self->s;
	int go[2], exited;
	char text[32];
	pid_t pid;

	mkdir(root, 0700);
	ASSERT_EQ(0, mount("none", root, "cgroup2", 0, NULL));
	if (text_to("/tmp/cgroup-cpus/cgroup.subtree_control", "+memory")) {
		umount(root);
		SKIP(return, "no memory cgroups");
	}
	ASSERT_EQ(0, mkdir(group, 0700));
	ASSERT_EQ(0, mkdir(other, 0700));
	ASSERT_EQ(0, pipe(go));
	ASSERT_EQ(0, text_to("/tmp/cgroup-cpus/other/cgroup.procs", "0"));
	pid = child_of(brings, go);
	ASSERT_EQ(0, text_to("/tmp/cgroup-cpus/opener/cgroup.procs", "0"));
	ASSERT_EQ(0, session_open(s, &self->c));
	before = text_number(current);
	ASSERT_EQ(1, write(go[1], "", 1));
	ASSERT_EQ(pid, waitpid(pid, &exited, 0));
	EXPECT_EQ(0, exited);
	bytes = dev_status(s->fd).cpus_bytes;
	with = text_number(current);
	/* But for what each CPU has in store, and the process's end. */
	EXPECT_LE(bytes * 3 / 4, with - before) TH_LOG("%lld to %lld, of %lld", before, with,
						       bytes);
	EXPECT_GT(bytes / 4, text_number("/tmp/cgroup-cpus/other/memory.current"));

	/* Without room there the CPU comes, without memory, and nobody is killed. */
	session_close(s);
	ASSERT_EQ(0, cpu_online(1, "0"));
	ASSERT_EQ(0, session_open(s, &self->c));
	snprintf(text, sizeof(text), "%lld", text_number(current) + bytes / 4);
	pid = child_of(brings, go);
	ASSERT_EQ(0, text_to("/tmp/cgroup-cpus/opener/memory.max", text));
	EXPECT_EQ(1, write(go[1], "", 1));
	EXPECT_EQ(pid, waitpid(pid, &exited, 0));
	EXPECT_EQ(0, exited);
	EXPECT_EQ(1, dev_status(s->fd).cpus_failed);
	EXPECT_EQ(0, text_to("/tmp/cgroup-cpus/opener/memory.max", "max"));
	session_close(s);
	ASSERT_EQ(0, text_to("/tmp/cgroup-cpus/cgroup.procs", "0"));
	rmdir(group);
	rmdir(other);
	umount(root);
}

TEST_HARNESS_MAIN
