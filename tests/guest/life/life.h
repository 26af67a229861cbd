/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the programs of life and death share: a seed, a scale, and what must be
 * true after each of them: no session, no memory of one, a module that nobody
 * uses.
 *
 * LIFE_SEED: what random numbers begin with; each test prints it. LIFE_SCALE:
 * how much of each, in percent. LIFE_ROUNDS: how often the module is loaded and
 * unloaded, whatever the scale.
 */
#ifndef LIFE_LIFE_H
#define LIFE_LIFE_H

#include "device.h"
#include "rings.h"
#include "table.h"

static inline unsigned int from_env(const char *name, unsigned int otherwise)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 0) : otherwise;
}

static inline unsigned int times(unsigned int nr)
{
	nr = (__u64)nr * from_env("LIFE_SCALE", 100) / 100;
	return nr ? nr : 1;
}

/* xorshift; each process has a sequence of its own. */
static __u64 rnd_state;

static inline void rnd_seed(unsigned int who)
{
	rnd_state = (from_env("LIFE_SEED", 1) + 1ULL) * 0x9e3779b97f4a7c15ULL ^
		    (who + 1ULL) * 0xbf58476d1ce4e5b9ULL;
}

static inline unsigned int rnd(unsigned int below)
{
	rnd_state ^= rnd_state << 13;
	rnd_state ^= rnd_state >> 7;
	rnd_state ^= rnd_state << 17;
	return (rnd_state >> 32) % below;
}

static inline void nap_below(unsigned int ms)
{
	nap_ns((__u64)rnd(ms * 1000) * 1000);
}

/* Zeroes that a test and its children share; NULL if there are none. */
static inline void *life_shared(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static inline int put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return -errno;
	ret = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	close(fd);
	return ret;
}

/*
 * Remove a control group whose processes have been waited for. Of one that ended
 * newer kernels let the group go only after its last switch.
 */
static inline void group_end(const char *path)
{
	UNTIL(!rmdir(path) || errno != EBUSY);
}

/* Descriptors that are open, by the module's count. */
static inline long life_users(void)
{
	char text[32] = "-1";
	int fd = open("/sys/module/wallprof/refcnt", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		return -1;
	close(fd);
	return atol(text);
}

/* What the module has allocated and not freed, where the kernel shows it. */
static inline unsigned int life_areas(void)
{
	FILE *f = fopen("/proc/vmallocinfo", "re");
	unsigned int nr = 0;
	char line[512];

	while (f && fgets(line, sizeof(line), f))
		nr += !!strstr(line, "[wallprof]");
	if (f)
		fclose(f);
	return nr;
}

/* Small sessions, that many of them can be had. */
static inline struct wallprof_configure life_config(void)
{
	struct wallprof_configure c = dev_config();

	c.nr_aggrs = 512;
	c.stack_words = 8192;
	c.nr_exits = 256;
	c.nr_tasks = 1024;
	return c;
}

/* The timeline besides, in rings of any size: as they are, overwritten, with stacks. */
static inline void life_rings(struct wallprof_configure *c)
{
	c->flags |= WALLPROF_TIMELINE;
	c->nr_records = WALLPROF_MIN_RECORDS << rnd(8);
	switch (rnd(3)) {
	case 0:
		c->flags |= WALLPROF_OVERWRITE;
		break;
	case 1:
		if (c->flags & WALLPROF_OFFCPU && c->stack_flags)
			c->flags |= WALLPROF_TIMELINE_STACKS;
		break;
	}
}

/* Not everything: threads of a name, which is ours, or of a control group. */
static inline void life_targets(struct wallprof_configure *c)
{
	static char names[2][WALLPROF_COMM_LEN] = { "true" };
	static __u64 root = 1;

	if (rnd(2)) {
		strncpy(names[1], program_invocation_short_name, WALLPROF_COMM_LEN - 1);
		dev_target(c, WALLPROF_TARGET_COMM, (void *)names, 2);
	} else {
		dev_target(c, WALLPROF_TARGET_CGROUP, (void *)&root, 1);
	}
}

/* One that differs from time to time. */
static inline struct wallprof_configure life_any(void)
{
	struct wallprof_configure c = life_config();

	if (rnd(2))
		c.stack_flags |= WALLPROF_STACK_KERNEL;
	if (rnd(4) == 0)
		c.stack_flags |= WALLPROF_STACK_TABLES;
	if (rnd(2))
		dev_sampler(&c, 99 + rnd(900));
	if (rnd(2))
		life_rings(&c);
	if (rnd(4) == 0)
		life_targets(&c);
	/* Who lives at START has to fit, if it was named. */
	else if (rnd(4) == 0)
		c.nr_tasks = WALLPROF_MIN_TASKS;
	return c;
}

/* An unwind table, and our code by it, if that was asked for. 0 or a negative errno. */
static inline int life_tables(int fd, const struct wallprof_configure *c)
{
	const struct tiny_table table = tiny_table();
	struct wallprof_push push = {
		.size = sizeof(push), .table = (uintptr_t)&table, .bytes = sizeof(table),
	};
	/* An arm64 kernel may have 39 bits for it. */
	struct wallprof_map map = { .start = getpagesize(), .end = 1ULL << 38 };
	struct wallprof_maps maps = {
		.size = sizeof(maps), .pid = getpid(), .maps = (uintptr_t)&map, .nr = 1,
	};
	int ret;

	if (!(c->stack_flags & WALLPROF_STACK_TABLES))
		return 0;
	ret = dev_cmd(fd, WALLPROF_IOC_PUSH, &push);
	map.table = push.id;
	return ret ? ret : dev_cmd(fd, WALLPROF_IOC_MAPS, &maps);
}

/* As session_begin(), with the tables. */
static inline int life_begin(struct session *s, const struct wallprof_configure *c)
{
	int ret = session_open(s, c);

	if (!ret)
		ret = life_tables(s->fd, &s->c);
	if (!ret)
		ret = dev_start(s->fd, &s->start);
	s->begun = now_ns();
	return ret;
}

/* A reader of the rings that is in time for some, and reads others later or never. */
static inline int life_read_rings(const struct session *s)
{
	return session_read_rings(s, rnd(1 << 2));
}

/* Time that a thread spent in a state, by its aggregates. */
static inline __u64 time_in(const struct session *s, __u32 tid,
			    unsigned int state)
{
	__u64 ns = 0;

	for (size_t i = 0; i < s->nr_aggrs; i++)
		if (s->aggrs[i].kind == WALLPROF_AGGR_OFFCPU &&
		    s->aggrs[i].tid == tid && s->aggrs[i].state == state)
			ns += s->aggrs[i].total;
	return ns;
}

#define CPU1 "/sys/devices/system/cpu/cpu1/online"

FIXTURE(life)
{
	pid_t load;
};

FIXTURE_SETUP(life)
{
	TH_LOG("LIFE_SEED=%u LIFE_SCALE=%u", from_env("LIFE_SEED", 1), times(100));
	rnd_seed(0);
	dev_load();	/* an earlier test may have ended in between */
	EXPECT_EQ(0, life_users());
	EXPECT_EQ(0, life_areas());
	self->load = child_of(load_all, (void *)1);
}

FIXTURE_TEARDOWN(life)
{
	child_end(self->load);
	EXPECT_EQ(0, life_users());
	EXPECT_EQ(0, life_areas());
	EXPECT_EQ(0, dev_unload());
	EXPECT_EQ(0, dev_load());
}

#endif
