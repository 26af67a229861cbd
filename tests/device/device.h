/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the device's tests share: commands, a session with its mapping, and a
 * reader that adds up all that a session tells.
 *
 * A test is a process of its own (kselftest_harness.h forks), so what it
 * leaves open or allocated goes with it.
 */
#ifndef DEVICE_DEVICE_H
#define DEVICE_DEVICE_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/capability.h>
#include <linux/perf_event.h>
#include <linux/wallprof.h>

/*
 * A test's time is to end what hangs, no more than that: the harness's 30 s are
 * few for a kernel that looks at every access, on a busy machine.
 */
#define alarm(seconds) alarm((seconds) * 8)
#include "kselftest_harness.h"
#undef alarm

#define MS 1000000ULL
#define SEC 1000000000ULL

typedef unsigned long long ull;

static inline int dev_open(void)
{
	int fd = open(WALLPROF_DEVICE, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* A command: 0 or a negative errno. */
static inline int dev_cmd(int fd, unsigned long nr, void *arg)
{
	return ioctl(fd, nr, arg) < 0 ? -errno : 0;
}

/* Off-CPU intervals of everything, with tables that a test will not fill. */
static inline struct wallprof_configure dev_config(void)
{
	return (struct wallprof_configure){
		.size = sizeof(struct wallprof_configure),
		.flags = WALLPROF_OFFCPU,
		.stack_flags = WALLPROF_STACK_USER,
		.max_stack = 64,
		.target = WALLPROF_TARGET_ALL,
		.nr_aggrs = 4096,
		.stack_words = 32768,
		.nr_exits = 1024,
		.nr_tasks = 4096,
	};
}

/* The same, with a counter that every machine has. */
static inline void dev_sampler(struct wallprof_configure *c, unsigned int hz)
{
	c->flags |= WALLPROF_SAMPLER;
	c->attr_type = PERF_TYPE_SOFTWARE;
	c->attr_config = PERF_COUNT_SW_CPU_CLOCK;
	c->attr_flags = WALLPROF_ATTR_FREQ;
	c->attr_period = hz;
}

static inline void dev_target(struct wallprof_configure *c, unsigned int kind,
			      const __u32 *ids, unsigned int nr)
{
	c->target = kind;
	c->targets = (uintptr_t)ids;
	c->nr_targets = nr;
}

static inline int dev_start(int fd, __u64 *time)
{
	struct wallprof_start start = { .size = sizeof(start) };
	int ret = dev_cmd(fd, WALLPROF_IOC_START, &start);

	if (time)
		*time = start.time;
	return ret;
}

static inline int dev_stop(int fd, __u64 *time)
{
	struct wallprof_stop stop = { .size = sizeof(stop) };
	int ret = dev_cmd(fd, WALLPROF_IOC_STOP, &stop);

	if (time)
		*time = stop.time;
	return ret;
}

static inline int dev_flip(int fd, struct wallprof_flip *flip)
{
	*flip = (struct wallprof_flip){ .size = sizeof(*flip) };
	return dev_cmd(fd, WALLPROF_IOC_FLIP, flip);
}

static inline struct wallprof_status dev_status(int fd)
{
	struct wallprof_status status = { .size = sizeof(status) };

	if (dev_cmd(fd, WALLPROF_IOC_STATUS, &status))
		status.state = -1;
	return status;
}

static inline struct wallprof_info dev_info(int fd)
{
	struct wallprof_info info = { .size = sizeof(info) };

	dev_cmd(fd, WALLPROF_IOC_INFO, &info);
	return info;
}

/* mmap in full width, also for a 32-bit test. */
static inline void *dev_map(int fd, size_t bytes, int prot, int flags, off_t offset)
{
	return mmap(NULL, bytes, prot, flags, fd, offset);
}

static inline __u64 now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * SEC + ts.tv_nsec;
}

static inline void nap_ns(__u64 ns)
{
	struct timespec ts = { ns / SEC, ns % SEC };

	nanosleep(&ts, NULL);
}

/*
 * So much of what provokes by chance, rounds or time: DEVICE_SCALE percent of it. A
 * test that must have seen something waits for that besides.
 */
static inline __u64 scaled(__u64 nr)
{
	const char *percent = getenv("DEVICE_SCALE");

	nr = nr * (percent ? strtoul(percent, NULL, 0) : 100) / 100;
	return nr ? nr : 1;
}

/*
 * A virtual CPU may stand still between any two instructions, as long as its
 * host pleases. So a test never takes it that something happened because time
 * passed: it waits until it did, and the harness ends what waits in vain.
 */
#define UNTIL(condition) do { \
	while (!(condition)) \
		nap_ns(5 * MS); \
} while (0)

/* A line of a file in /proc; empty if there is none. */
static inline void proc_line(pid_t tid, const char *name, char *text, int size)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/%s", tid, name);
	f = fopen(path, "re");
	if (!f || !fgets(text, size, f))
		text[0] = '\0';
	if (f)
		fclose(f);
}

/*
 * Whether a thread is off its CPU in this state, as /proc/PID/stat tells it. A
 * thread has its state before it leaves its CPU; the kernel tells its system
 * call only when it left.
 */
static inline bool is_off(pid_t tid, char state)
{
	char text[512], *at;

	proc_line(tid, "syscall", text, sizeof(text));
	/* "running", or its number; -1 for none, or if arm64 forgot it. */
	if (text[0] != '-' && (text[0] < '0' || text[0] > '9'))
		return false;
	proc_line(tid, "stat", text, sizeof(text));
	at = strrchr(text, ')');
	return at && at[1] && at[2] == state;
}

static inline int gettid_(void)
{
	return syscall(SYS_gettid);
}

/* A line of /proc/self/status, in KiB. */
static inline long status_kb(const char *what)
{
	size_t len = strlen(what);
	char line[256];
	long kb = -1;
	FILE *f = fopen("/proc/self/status", "re");

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, what, len) && line[len] == ':')
			kb = atol(line + len + 1);
	if (f)
		fclose(f);
	return kb;
}

/* Keep these of the capabilities only. */
static inline int keep_caps(__u64 caps)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2] = {
		{ .effective = caps, .permitted = caps },
		{ .effective = caps >> 32, .permitted = caps >> 32 },
	};

	return syscall(SYS_capset, &head, data) ? -errno : 0;
}

static inline int drop_cap(int cap)
{
	return keep_caps(((1ULL << (CAP_LAST_CAP + 1)) - 1) & ~(1ULL << cap));
}

#define CAP(name) (1ULL << CAP_ ## name)

/* Unload the module, unless it is in use; load it, from ./wallprof.ko. */
static inline int dev_unload(void)
{
	return syscall(SYS_delete_module, "wallprof", O_NONBLOCK) ? -errno : 0;
}

static inline int dev_load(void)
{
	int fd = open("wallprof.ko", O_RDONLY | O_CLOEXEC);
	int ret = syscall(SYS_finit_module, fd, "", 0) ? -errno : 0;

	close(fd);
	/* The node comes with the device. */
	for (int i = 0; !ret && i < 100 && access(WALLPROF_DEVICE, F_OK); i++)
		nap_ns(10 * MS);
	return ret;
}

/*
 * The reader: what all retired epochs of a session held, in sum.
 */

/* A stack that was read: its id and content. */
struct read_stack {
	__u64 id;
	unsigned int nr, unwind, flags;
	__u64 *ips;
};

struct session {
	int fd;
	struct wallprof_configure c;
	unsigned char *map;
	__u64 start, stop;
	__u64 begun;			/* when START had returned */
	unsigned int nr_cpus;

	__u32 epoch;			/* last retired */
	__u64 flip_time;
	unsigned int flips;

	struct wallprof_aggr *aggrs;	/* as they came */
	size_t nr_aggrs, room_aggrs;
	struct wallprof_task *ends;
	size_t nr_ends, room_ends;
	struct read_stack *stacks;	/* sorted by id within an epoch's part */
	size_t nr_stacks, room_stacks;

	__u64 events[2];		/* by context */
	__u64 filtered, filtered_ns;
	struct wallprof_lost lost[2][WALLPROF_LOSS_MAX];
	__u64 unwinds[2][WALLPROF_UNWIND_MAX];
	__u64 walks_unknown, walks_mixed, walks_remembered, walks_asleep;

	char trouble[256];		/* the first thing that was wrong */
};

#define TROUBLE(s, ...) do { \
	if (!(s)->trouble[0]) \
		snprintf((s)->trouble, sizeof((s)->trouble), __VA_ARGS__); \
} while (0)

static inline void *grown(void *array, size_t nr, size_t *room, size_t size)
{
	if (nr < *room)
		return array;
	*room = *room ? *room * 2 : 1024;
	return reallocarray(array, *room, size);
}

/* Open, configure and map. 0 or a negative errno. */
static inline int session_open(struct session *s, const struct wallprof_configure *c)
{
	int ret;

	memset(s, 0, sizeof(*s));
	s->fd = dev_open();
	if (s->fd < 0)
		return s->fd;
	s->c = *c;
	ret = dev_cmd(s->fd, WALLPROF_IOC_CONFIGURE, &s->c);
	if (ret)
		return ret;
	s->nr_cpus = dev_info(s->fd).nr_cpus;
	s->map = dev_map(s->fd, s->c.map_bytes, PROT_READ, MAP_SHARED, 0);
	return s->map == MAP_FAILED ? -errno : 0;
}

static inline int session_begin(struct session *s, const struct wallprof_configure *c)
{
	int ret = session_open(s, c);

	if (!ret)
		ret = dev_start(s->fd, &s->start);
	s->begun = now_ns();
	return ret;
}

static inline void session_close(struct session *s)
{
	munmap(s->map, s->c.map_bytes);
	close(s->fd);
}

static inline const struct wallprof_half *session_half(const struct session *s,
						       unsigned int cpu, int context,
						       __u32 epoch)
{
	__u64 at = s->c.cpus_offset + cpu * s->c.cpu_stride;

	if (context)
		at += s->c.sampler_offset + epoch % 2 * s->c.sampler_half_stride;
	else
		at += epoch % 2 * s->c.half_stride;
	return (const struct wallprof_half *)(s->map + at);
}

static inline const struct wallprof_aggr *half_aggrs(const struct session *s,
						     const struct wallprof_half *half)
{
	return (const void *)((const char *)half + s->c.aggrs_offset);
}

static inline const struct wallprof_task *session_tasks(const struct session *s)
{
	return (const void *)(s->map + s->c.tasks_offset);
}

static inline bool same_key(const struct wallprof_aggr *a, const struct wallprof_aggr *b)
{
	return a->tid == b->tid && a->tgid == b->tgid &&
	       a->start_time == b->start_time && a->exec_id == b->exec_id &&
	       a->kind == b->kind && a->state == b->state && a->flags == b->flags &&
	       a->user_stack == b->user_stack && a->kernel_stack == b->kernel_stack;
}

/* Read one half of the retired epoch, believing nothing. */
static inline void session_read_half(struct session *s, unsigned int cpu, int context)
{
	const struct wallprof_half *half = session_half(s, cpu, context, s->epoch);
	const struct wallprof_aggr *aggrs = half_aggrs(s, half);
	const __u64 *words = (const void *)((const char *)half + s->c.stacks_offset);
	const struct wallprof_task *ends =
		(const void *)((const char *)half + s->c.exits_offset);
	__u64 count = 0, total = 0;
	unsigned int stacks = 0;

	if (half->epoch != s->epoch)
		return;
	if (half->cpu != cpu)
		TROUBLE(s, "cpu %u: its half says cpu %u", cpu, half->cpu);
	if (half->nr_aggrs > s->c.nr_aggrs || half->stack_words > s->c.stack_words ||
	    half->nr_exits > (context ? 0 : s->c.nr_exits)) {
		TROUBLE(s, "cpu %u context %d: more than fits", cpu, context);
		return;
	}
	for (__u32 at = 1; at < half->stack_words;) {
		const struct wallprof_stack *stack = (const void *)&words[at];
		struct read_stack *r;

		if (stack->nr > s->c.max_stack || stack->unwind >= WALLPROF_UNWIND_MAX ||
		    stack->flags & ~(WALLPROF_STACK_IS_KERNEL | WALLPROF_STACK_BY_FP) ||
		    stack->reserved ||
		    at + 1 + stack->nr > half->stack_words) {
			TROUBLE(s, "cpu %u: a bad stack at word %u", cpu, at);
			break;
		}
		s->stacks = grown(s->stacks, s->nr_stacks, &s->room_stacks,
				  sizeof(*s->stacks));
		r = &s->stacks[s->nr_stacks++];
		r->id = (__u64)s->epoch << 36 | (__u64)cpu << 22 |
			(__u64)context << 21 | at;
		r->nr = stack->nr;
		r->unwind = stack->unwind;
		r->flags = stack->flags;
		r->ips = malloc(stack->nr * 8 + 8);
		memcpy(r->ips, stack->ips, stack->nr * 8);
		at += 1 + stack->nr;
		stacks++;
	}
	if (stacks != half->nr_stacks)
		TROUBLE(s, "cpu %u: %u stacks, the head says %u", cpu, stacks,
			half->nr_stacks);
	for (__u32 i = 0; i < half->nr_aggrs; i++) {
		const struct wallprof_aggr *a = &aggrs[i];

		if (!a->count || a->min > a->max || a->min * a->count > a->total ||
		    a->max * a->count < a->total || a->first > a->last ||
		    a->kind != (context ? WALLPROF_AGGR_SAMPLE : WALLPROF_AGGR_OFFCPU) ||
		    (!context && a->state >= WALLPROF_STATE_MAX))
			TROUBLE(s, "cpu %u: aggregate %u of tid %u does not add up",
				cpu, i, a->tid);
		if (a->last > s->flip_time || a->first < s->start)
			TROUBLE(s, "cpu %u: aggregate %u: %llu to %llu in an epoch until %llu of a session since %llu",
				cpu, i, (ull)a->first, (ull)a->last, (ull)s->flip_time,
				(ull)s->start);
		/* Each aggregate is there once. */
		for (__u32 j = half->nr_aggrs <= 512 ? 0 : i - 1; j < i; j++)
			if (same_key(a, &aggrs[j]))
				TROUBLE(s, "cpu %u: aggregates %u and %u are the same",
					cpu, j, i);
		s->aggrs = grown(s->aggrs, s->nr_aggrs, &s->room_aggrs,
				 sizeof(*s->aggrs));
		s->aggrs[s->nr_aggrs++] = *a;
		count += a->count;
		total += a->total;
	}
	/* What came is there or was counted as lost. */
	if (half->events != count + half->lost[WALLPROF_LOSS_AGGR_FULL].count)
		TROUBLE(s, "cpu %u context %d: %llu events, %llu in aggregates, %llu lost",
			cpu, context, (ull)half->events, (ull)count,
			(ull)half->lost[WALLPROF_LOSS_AGGR_FULL].count);
	for (__u32 i = 0; i < half->nr_exits; i++) {
		s->ends = grown(s->ends, s->nr_ends, &s->room_ends, sizeof(*s->ends));
		s->ends[s->nr_ends++] = ends[i];
	}
	s->events[context] += half->events;
	s->filtered += half->filtered;
	s->filtered_ns += half->filtered_ns;
	for (int i = 0; i < WALLPROF_LOSS_MAX; i++) {
		s->lost[context][i].count += half->lost[i].count;
		s->lost[context][i].ns += half->lost[i].ns;
	}
	for (int i = 0; i < WALLPROF_UNWIND_MAX; i++)
		s->unwinds[context][i] += half->unwinds[i];
	s->walks_unknown += half->walks_unknown;
	s->walks_mixed += half->walks_mixed;
	s->walks_remembered += half->walks_remembered;
	s->walks_asleep += half->walks_asleep;
}

/* What a context counted so far in the epoch that goes on. */
static inline struct wallprof_half session_so_far(const struct session *s, int context)
{
	__u32 epoch = dev_status(s->fd).epoch;
	struct wallprof_half sum = { .epoch = epoch };

	for (unsigned int cpu = 0; cpu < s->nr_cpus; cpu++) {
		const volatile struct wallprof_half *half =
			session_half(s, cpu, context, epoch);

		if (half->epoch != epoch)
			continue;
		sum.events += half->events;
		for (int i = 0; i < WALLPROF_LOSS_MAX; i++)
			sum.lost[i].count += half->lost[i].count;
	}
	return sum;
}

/* Retire an epoch and read it. 0 or a negative errno. */
static inline int session_flip(struct session *s)
{
	struct wallprof_flip flip;
	int ret = dev_flip(s->fd, &flip);

	if (ret)
		return ret;
	if (s->flips++ && flip.epoch != s->epoch + 1)
		TROUBLE(s, "epoch %u after %u", flip.epoch, s->epoch);
	if (flip.time < s->flip_time || flip.time > now_ns())
		TROUBLE(s, "epoch %u ended at %llu, before the last one", flip.epoch,
			(ull)flip.time);
	s->epoch = flip.epoch;
	s->flip_time = flip.time;
	for (unsigned int cpu = 0; cpu < s->nr_cpus; cpu++) {
		if (s->c.flags & WALLPROF_OFFCPU)
			session_read_half(s, cpu, 0);
		if (s->c.flags & WALLPROF_SAMPLER)
			session_read_half(s, cpu, 1);
	}
	return 0;
}

static inline int by_id(const void *a, const void *b)
{
	const struct read_stack *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static inline const struct read_stack *session_stack(const struct session *s, __u64 id)
{
	struct read_stack key = { .id = id };

	return bsearch(&key, s->stacks, s->nr_stacks, sizeof(key), by_id);
}

/* What the intervals of a thread add up to. */
struct thread_sum {
	__u32 tid;
	__u64 start_time;
	__u64 count, total;
};

static inline int by_thread(const void *a, const void *b)
{
	const struct thread_sum *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->start_time < y->start_time ? -1 : x->start_time > y->start_time;
}

/* One thread's account against its intervals. */
static inline void session_judge_thread(struct session *s, const struct wallprof_task *t,
					struct thread_sum *sums, size_t nr)
{
	bool ended = t->phase == WALLPROF_TASK_EXITED;
	__u64 end = ended ? t->since : s->stop;
	struct thread_sum key = { .tid = t->tid, .start_time = t->start_time };
	struct thread_sum none = { 0 }, *sum;
	bool open = t->flags & WALLPROF_TASK_OPEN;

	if (t->flags & WALLPROF_TASK_ARMED)
		return;
	sum = bsearch(&key, sums, nr, sizeof(key), by_thread);
	if (!sum)
		sum = &none;
	if (t->phase == WALLPROF_TASK_UNSEEN || t->phase > WALLPROF_TASK_EXITED)
		TROUBLE(s, "tid %u: phase %u after STOP", t->tid, t->phase);
	if (t->born < s->start || t->born > end)
		TROUBLE(s, "tid %u: born %llu, start %llu, end %llu", t->tid,
			(ull)t->born, (ull)s->start, (ull)end);
	/* run + off-CPU = wall time, to the nanosecond */
	if (t->run_ns + t->off_ns != end - t->born)
		TROUBLE(s, "tid %u: run %llu + off %llu != wall %llu", t->tid,
			(ull)t->run_ns, (ull)t->off_ns, (ull)(end - t->born));
	if (open && t->phase != WALLPROF_TASK_OFF)
		TROUBLE(s, "tid %u: open, in phase %u", t->tid, t->phase);
	if (!s->c.states) {
		if (sum->total + t->spill_ns + t->open_ns != t->off_ns)
			TROUBLE(s, "tid %u: intervals %llu + spilled %llu + open %llu != off %llu",
				t->tid, (ull)sum->total, (ull)t->spill_ns,
				(ull)t->open_ns, (ull)t->off_ns);
		if (sum->count + t->nr_spilled + open != t->nr_off)
			TROUBLE(s, "tid %u: intervals %llu + spilled %llu + open %u != %llu",
				t->tid, (ull)sum->count, (ull)t->nr_spilled, open,
				(ull)t->nr_off);
	} else if (sum->total + t->spill_ns > t->off_ns) {
		TROUBLE(s, "tid %u: intervals %llu > off %llu", t->tid,
			(ull)sum->total, (ull)t->off_ns);
	}
	if (!sum->count)
		return;
	sum->count = 0;		/* judged */
	sum->total = 0;
}

/*
 * After the last flip of a stopped session: does all of it add up? This is
 * invariants 3, 4 and 5 of the design. Returns the trouble, NULL if none.
 */
static inline const char *session_judge(struct session *s)
{
	const struct wallprof_task *tasks = session_tasks(s);
	struct wallprof_status status = dev_status(s->fd);
	struct thread_sum *sums = calloc(s->nr_aggrs + 1, sizeof(*sums));
	const struct wallprof_lost *lost = s->lost[0];
	__u64 spill_ns = 0, nr_spilled = 0;
	unsigned int used = 0;
	size_t nr = 0;

	qsort(s->stacks, s->nr_stacks, sizeof(*s->stacks), by_id);
	for (size_t i = 0; i < s->nr_aggrs; i++) {
		const struct wallprof_aggr *a = &s->aggrs[i];
		const __u64 ids[] = { a->user_stack, a->kernel_stack };

		/* Every stack id names a stack that stood in its epoch. */
		for (int k = 0; k < 2; k++)
			if (ids[k] && !session_stack(s, ids[k]))
				TROUBLE(s, "tid %u: stack %llx was never there", a->tid,
					(ull)ids[k]);
		if (a->flags & WALLPROF_AGGR_NO_STACK && a->user_stack && a->kernel_stack)
			TROUBLE(s, "tid %u: stacks, but marked as lost", a->tid);
		if (a->kind != WALLPROF_AGGR_OFFCPU)
			continue;
		sums[nr++] = (struct thread_sum){ a->tid, a->start_time, a->count,
						  a->total };
	}
	qsort(sums, nr, sizeof(*sums), by_thread);
	for (size_t i = 0, out = 0; i < nr; i++) {
		if (out && !by_thread(&sums[out - 1], &sums[i])) {
			sums[out - 1].count += sums[i].count;
			sums[out - 1].total += sums[i].total;
		} else {
			sums[out++] = sums[i];
		}
		if (i + 1 == nr)
			nr = out;
	}
	for (__u32 i = 0; i < s->c.nr_tasks; i++) {
		if (tasks[i].phase == WALLPROF_TASK_FREE)
			continue;
		used++;
		spill_ns += tasks[i].spill_ns;
		nr_spilled += tasks[i].nr_spilled;
		session_judge_thread(s, &tasks[i], sums, nr);
	}
	for (size_t i = 0; i < s->nr_ends; i++) {
		if (s->ends[i].phase != WALLPROF_TASK_EXITED)
			TROUBLE(s, "tid %u ended in phase %u", s->ends[i].tid,
				s->ends[i].phase);
		spill_ns += s->ends[i].spill_ns;
		nr_spilled += s->ends[i].nr_spilled;
		session_judge_thread(s, &s->ends[i], sums, nr);
	}
	/* What found no aggregate stands in an account, or is lost with one. */
	if (spill_ns + lost[WALLPROF_LOSS_EXIT_FULL].ns !=
	    lost[WALLPROF_LOSS_AGGR_FULL].ns)
		TROUBLE(s, "spilled %llu ns + lost with accounts %llu != without room %llu",
			(ull)spill_ns, (ull)lost[WALLPROF_LOSS_EXIT_FULL].ns,
			(ull)lost[WALLPROF_LOSS_AGGR_FULL].ns);
	if (nr_spilled > lost[WALLPROF_LOSS_AGGR_FULL].count ||
	    (nr_spilled != lost[WALLPROF_LOSS_AGGR_FULL].count &&
	     !lost[WALLPROF_LOSS_EXIT_FULL].count))
		TROUBLE(s, "spilled %llu, without room %llu", (ull)nr_spilled,
			(ull)lost[WALLPROF_LOSS_AGGR_FULL].count);
	if (used != status.nr_tasks)
		TROUBLE(s, "%u slots in use, the status says %u", used, status.nr_tasks);
	/* Intervals of a thread that has no account: only if that was lost. */
	if (!s->lost[0][WALLPROF_LOSS_EXIT_FULL].count)
		for (size_t i = 0; i < nr; i++)
			if (sums[i].count)
				TROUBLE(s, "tid %u: %llu intervals, no account",
					sums[i].tid, (ull)sums[i].count);
	free(sums);
	return s->trouble[0] ? s->trouble : NULL;
}

/* STOP, the last flip, and judge. */
static inline const char *session_end(struct session *s)
{
	int ret = dev_stop(s->fd, &s->stop);

	if (ret)
		TROUBLE(s, "STOP: %s", strerror(-ret));
	ret = session_flip(s);
	if (ret)
		TROUBLE(s, "the last FLIP: %s", strerror(-ret));
	return session_judge(s);
}

/* The account of a thread, of the living or the dead; NULL if there is none. */
static inline const struct wallprof_task *session_account(const struct session *s,
							  __u32 tid)
{
	const struct wallprof_task *tasks = session_tasks(s);

	for (__u32 i = 0; i < s->c.nr_tasks; i++)
		if (tasks[i].phase != WALLPROF_TASK_FREE && tasks[i].tid == tid)
			return &tasks[i];
	for (size_t i = 0; i < s->nr_ends; i++)
		if (s->ends[i].tid == tid)
			return &s->ends[i];
	return NULL;
}

/* Whether a thread of a running session has a slot: not after its last switch. */
static inline bool session_has_slot(const struct session *s, __u32 tid)
{
	const volatile struct wallprof_task *tasks = session_tasks(s);

	for (__u32 i = 0; i < s->c.nr_tasks; i++)
		if (tasks[i].phase != WALLPROF_TASK_FREE && tasks[i].tid == tid)
			return true;
	return false;
}

/*
 * How many threads have an account. A thread that was waited for may have its
 * last switch still before it.
 */
static inline unsigned int session_accounts(const struct session *s)
{
	const struct wallprof_task *tasks = session_tasks(s);
	unsigned int nr = s->nr_ends;

	for (__u32 i = 0; i < s->c.nr_tasks; i++)
		nr += tasks[i].phase != WALLPROF_TASK_FREE;
	return nr;
}

/* EXPECT that all added up, and say what did not. */
#define EXPECT_WHOLE(s) do { \
	const char *trouble_ = session_end(s); \
	EXPECT_EQ(NULL, trouble_) TH_LOG("%s", trouble_); \
} while (0)

/*
 * Loads: children that are killed when the test ends, however it ends.
 */
static inline pid_t child_of(void (*body)(void *), void *arg)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	syscall(SYS_prctl, 1 /* PR_SET_PDEATHSIG */, SIGKILL, 0, 0, 0);
	body(arg);
	_exit(0);
}

static inline void child_end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static inline void *load_pong(void *arg)
{
	int *fd = arg;
	char c = 0;

	while (read(fd[0], &c, 1) == 1 && write(fd[1], &c, 1) == 1)
		;
	return NULL;
}

static inline void *load_short(void *arg)
{
	nap_ns(MS);
	return arg;
}

/* Two that switch as fast as they can, and threads born and dying. */
static inline void load_all(void *arg)
{
	int ping[2], pong[2], ends[2];
	pthread_t thread;
	char c = 0;

	if (pipe(ping) || pipe(pong))
		_exit(1);
	ends[0] = ping[0];
	ends[1] = pong[1];
	pthread_create(&thread, NULL, load_pong, ends);
	for (unsigned int i = 0;; i++) {
		if (write(ping[1], &c, 1) != 1 || read(pong[0], &c, 1) != 1)
			_exit(1);
		if (i % 8 == 0 && arg) {
			pthread_create(&thread, NULL, load_short, NULL);
			pthread_join(thread, NULL);
		}
	}
}

static inline void load_naps(void *arg)
{
	for (;;)
		nap_ns(*(__u64 *)arg);
}

static inline void load_spin(void *arg)
{
	for (;;)
		__asm__ volatile("" : : "r"(arg));
}

#endif
