/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the device's tests share: commands, a session with its mapping, and a
 * reader that adds up all that a session records.
 *
 * A test is a process of its own (kselftest_harness.h forks), so what it
 * leaves open or allocated goes with it.
 *
 * Above 700 lines: what a session reports is judged as a whole, each part by the others.
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
#include <sys/prctl.h>
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

/*
 * Off-CPU intervals of everything, with all that can be recorded of them, and tables
 * that a test will not fill.
 */
static inline struct wallprof_configure dev_config(void)
{
	return (struct wallprof_configure){
		.size = sizeof(struct wallprof_configure),
		.flags = WALLPROF_OFFCPU | WALLPROF_WAKEUPS | WALLPROF_WAKERS |
			 WALLPROF_REASONS | WALLPROF_ARGS,
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

/* A software event, beside others. */
static inline struct wallprof_event dev_event(__u64 config, __u64 period)
{
	return (struct wallprof_event){
		.size = sizeof(struct wallprof_event),
		.attr_type = PERF_TYPE_SOFTWARE,
		.attr_config = config,
		.attr_period = period,
		.stack_flags = WALLPROF_STACK_USER,
		.max_stack = 64,
	};
}

static inline void dev_target(struct wallprof_configure *c, unsigned int kind,
			      const __u32 *ids, unsigned int nr)
{
	c->target = kind;
	c->targets = (uintptr_t)ids;
	c->nr_targets = nr;
}

static inline int dev_start_later(int fd)
{
	struct wallprof_start start = { .size = sizeof(start), .flags = WALLPROF_START_LATER };

	return dev_cmd(fd, WALLPROF_IOC_START, &start);
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

/* Runs on this CPU only from here on. */
static inline void stay_on(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* Has a CPU come online, "1", or go, "0". 0 or a negative errno. */
static inline int cpu_online(int cpu, const char *on)
{
	char path[64];
	int fd, ret;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = write(fd, on, 1) == 1 ? 0 : -errno;
	close(fd);
	return ret;
}

/* Writes a file that is there. 0 or a negative errno. */
static inline int text_to(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	int ret = write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : -errno;

	close(fd);
	return ret;
}

/* The number that a file holds, or -1. */
static inline long long text_number(const char *path)
{
	FILE *f = fopen(path, "re");
	long long nr;

	if (!f || fscanf(f, "%lld", &nr) != 1)
		nr = -1;
	if (f)
		fclose(f);
	return nr;
}

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
 * Whether a thread is off its CPU in this state, as /proc/PID/stat has it. A
 * thread has its state before it leaves its CPU; the kernel shows its system
 * call only afterwards.
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

/* Whether a thread has this name. */
static inline bool is_called(pid_t pid, const char *name)
{
	char text[64];

	proc_line(pid, "comm", text, sizeof(text));
	text[strcspn(text, "\n")] = '\0';
	return !strcmp(text, name);
}

/* How often a thread left its CPU. */
static inline __u64 nr_switches(pid_t tid)
{
	ull nr, sum = 0;
	char path[64], line[256];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "voluntary_ctxt_switches: %llu", &nr) == 1 ||
		    sscanf(line, "nonvoluntary_ctxt_switches: %llu", &nr) == 1)
			sum += nr;
	if (f)
		fclose(f);
	return sum;
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

/* Linux before 5.8 has no CAP_PERFMON, and a recording needs CAP_SYS_ADMIN there. */
static inline bool has_perfmon(void)
{
	return prctl(PR_CAPBSET_READ, CAP_PERFMON) >= 0;
}

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
	UNTIL(ret || !access(WALLPROF_DEVICE, F_OK));
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

/* What an aggregate was called, and which one it is. */
struct read_id {
	__u64 id;
	size_t at;
};

struct session {
	int fd;
	struct wallprof_configure c;
	unsigned char *map;
	__u64 start, stop;
	__u64 begun;			/* when START had returned */
	bool execs;			/* threads other than leaders execute */
	bool cpus_go;			/* and the kernel's threads with them, unseen */
	bool by;			/* samples are summed by a number, too */
	unsigned int nr_cpus;

	__u32 epoch;			/* last retired */
	__u64 flip_time;
	unsigned int flips;

	struct wallprof_aggr *aggrs;	/* as they came */
	size_t nr_aggrs, room_aggrs;
	struct wallprof_wait *waits;	/* of them: one interval, recorded by itself */
	size_t nr_waits, room_waits;
	size_t nr_hists;		/* that were judged */
	struct read_id *aggr_ids;	/* the same, session_order_aggrs() sorts them */
	size_t room_aggr_ids;
	struct wallprof_task *ends;
	size_t nr_ends, room_ends;
	struct read_stack *stacks;	/* sorted by id within an epoch's part */
	size_t nr_stacks, room_stacks;

	__u64 events[2];		/* by context */
	__u64 filtered, filtered_ns;
	__u64 out_of_range, out_of_range_ns;
	struct wallprof_lost waits_full;
	struct wallprof_lost lost[2][WALLPROF_LOSS_MAX];
	__u64 unwinds[2][WALLPROF_UNWIND_MAX];
	__u64 walks_unknown, walks_mixed, walks_remembered, walks_asleep;
	__u64 walks_not_resident;
	__u64 switches[WALLPROF_SWITCH_MAX];
	__u64 interps[2][WALLPROF_MAX_INTERPS];

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

static inline int session_start(struct session *s)
{
	int ret = dev_start(s->fd, &s->start);

	s->begun = now_ns();
	return ret;
}

static inline int session_begin(struct session *s, const struct wallprof_configure *c)
{
	int ret = session_open(s, c);

	return ret ? ret : session_start(s);
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
	       a->user_stack == b->user_stack && a->kernel_stack == b->kernel_stack &&
	       a->waker_tid == b->waker_tid && a->syscall == b->syscall &&
	       a->reason == b->reason && a->waker == b->waker && a->arg == b->arg &&
	       a->waker_stack == b->waker_stack;
}

/* Whether the causes of an aggregate's intervals, and their ends, are consistent. */
static inline bool sane_ends(const struct session *s, const struct wallprof_aggr *a)
{
	bool off = a->kind == WALLPROF_AGGR_OFFCPU;
	bool awake = a->state == WALLPROF_STATE_RUNNING ||
		     a->state == WALLPROF_STATE_PREEMPTED ||
		     a->state == WALLPROF_STATE_NEW;
	bool in_syscall = a->syscall != WALLPROF_SYSCALL_NONE;

	if (a->waker >= WALLPROF_WAKER_MAX || a->reason >= WALLPROF_REASON_MAX ||
	    (a->waker && !(off && s->c.flags & WALLPROF_WAKERS && !awake)) ||
	    (off && a->waker_tid && a->waker != WALLPROF_WAKER_TASK) ||
	    (off && a->waker_stack && !(s->c.flags & WALLPROF_LOCK_OWNERS) &&
	     (a->waker != WALLPROF_WAKER_TASK || !(s->c.flags & WALLPROF_WAKER_STACKS))) ||
	    (off && a->lock_owner && s->c.flags & WALLPROF_LOCK_OWNERS &&
	     (!in_syscall || !WALLPROF_LOCK_OWNER_TID(a->lock_owner) ||
	      !WALLPROF_LOCK_OWNER_LOCK(a->lock_owner))) ||
	    (a->reason && !(off && s->c.flags & WALLPROF_REASONS)) ||
	    in_syscall != (a->reason == WALLPROF_REASON_SYSCALL) ||
	    (a->arg && !(off ? in_syscall && s->c.flags & WALLPROF_ARGS : s->by)))
		return false;
	if (!off)
		return !a->runnable;
	if (awake)
		return a->runnable == a->total;
	return s->c.flags & WALLPROF_WAKEUPS || !a->runnable;
}

/* Whether a stack's head makes sense. */
static inline bool sane_stack(const struct session *s, const struct wallprof_stack *stack)
{
	unsigned int flags = WALLPROF_STACK_IS_KERNEL | WALLPROF_STACK_BY_FP;
	unsigned int most = s->c.max_stack;

	if (stack->flags & WALLPROF_STACK_IS_WAKER) {
		if (!(s->c.flags & WALLPROF_WAKER_STACKS) ||
		    stack->nr != WALLPROF_WAKER_NR || stack->unwind)
			return false;
		flags = WALLPROF_STACK_IS_WAKER | WALLPROF_STACK_LOST;
		most = WALLPROF_WAKER_NR;
	}
	if (stack->flags & WALLPROF_STACK_IS_RECORD) {
		if (!(s->c.flags & WALLPROF_SAMPLER) || !stack->nr || stack->unwind)
			return false;
		flags = WALLPROF_STACK_IS_RECORD;
		most = WALLPROF_MAX_STACK;
	}
	return stack->nr <= most && stack->unwind < WALLPROF_UNWIND_MAX &&
	       !(stack->flags & ~flags) && !stack->reserved;
}

/* An interval that is recorded by itself, as an aggregate of one. */
static inline struct wallprof_aggr aggr_of_wait(const struct wallprof_wait *w)
{
	__u64 ns = w->end - w->begin;

	return (struct wallprof_aggr){
		.tid = w->tid, .tgid = w->tgid, .start_time = w->start_time,
		.exec_id = w->exec_id, .kind = w->kind, .state = w->state,
		.flags = w->flags, .user_stack = w->user_stack,
		.kernel_stack = w->kernel_stack, .waker_tid = w->waker_tid,
		.syscall = w->syscall, .reason = w->reason, .waker = w->waker,
		.arg = w->arg, .waker_stack = w->waker_stack, .count = 1, .total = ns, .min = ns, .max = ns,
		.first = w->end, .last = w->end, .runnable = w->runnable,
		.runnable_max = w->runnable, .blocked_max = ns - w->runnable,
		.waker_aggr = w->waker_aggr,
	};
}

static inline __u64 interval_id(const struct session *s, const struct wallprof_half *half,
				int context, __u32 index)
{
	return (__u64)s->epoch << 36 | (__u64)half->cpu << 22 | (__u64)context << 21 | index;
}

static inline void session_keep_aggr(struct session *s, const struct wallprof_aggr *a,
				     __u64 id)
{
	s->aggrs = grown(s->aggrs, s->nr_aggrs, &s->room_aggrs, sizeof(*s->aggrs));
	s->aggr_ids = grown(s->aggr_ids, s->nr_aggrs, &s->room_aggr_ids,
			    sizeof(*s->aggr_ids));
	s->aggr_ids[s->nr_aggrs] = (struct read_id){ id, s->nr_aggrs };
	s->aggrs[s->nr_aggrs++] = *a;
}

/* The intervals that a half has one by one. */
static inline void session_read_waits(struct session *s, unsigned int cpu,
				      const struct wallprof_half *half)
{
	const char *waits = (const char *)half + s->c.waits_offset;

	for (__u32 i = 0; i < half->nr_waits; i++) {
		const struct wallprof_wait *w =
			(const void *)(waits + (size_t)i * s->c.wait_bytes);
		struct wallprof_aggr a = aggr_of_wait(w);

		if (w->begin < s->start || w->begin > w->end || w->end > s->flip_time ||
		    a.total < s->c.wait_ns || a.total < s->c.min_ns ||
		    (s->c.max_ns && a.total > s->c.max_ns) || w->runnable > a.total ||
		    w->kind != WALLPROF_AGGR_OFFCPU || w->state >= WALLPROF_STATE_MAX ||
		    !sane_ends(s, &a) ||
		    ((w->arg2 || w->arg3) && !(w->reason == WALLPROF_REASON_SYSCALL &&
					       s->c.flags & WALLPROF_ARGS)))
			TROUBLE(s, "cpu %u: single interval %u of tid %u: state %u, from %llu to %llu, runnable %llu, reason %u waker %u:%u",
				cpu, i, w->tid, w->state, (ull)w->begin, (ull)w->end,
				(ull)w->runnable, w->reason, w->waker, w->waker_tid);
		session_keep_aggr(s, &a, interval_id(s, half, 0, WALLPROF_INDEX_IS_WAIT | i));
		s->waits = grown(s->waits, s->nr_waits, &s->room_waits, sizeof(*s->waits));
		s->waits[s->nr_waits++] = *w;
	}
	if (half->waits_full.count && (half->nr_waits % s->c.nr_waits ||
				       half->nr_waits / s->c.nr_waits > 1U << s->c.growth))
		TROUBLE(s, "cpu %u: room for %u single intervals, %u there, %llu found none",
			cpu, s->c.nr_waits, half->nr_waits, (ull)half->waits_full.count);
	if (half->waits_full.ns < half->waits_full.count * s->c.wait_ns)
		TROUBLE(s, "cpu %u: %llu intervals were too many by themselves, in %llu ns",
			cpu, (ull)half->waits_full.count, (ull)half->waits_full.ns);
	s->waits_full.count += half->waits_full.count;
	s->waits_full.ns += half->waits_full.ns;
}

/* In which bucket a time counts: the limits are 0, 1, 2, 4, … us. */
static inline int hist_bucket(__u64 ns)
{
	int nr = 0;

	while (nr < WALLPROF_HIST_BUCKETS - 1 && ns >= 1000ULL << nr)
		nr++;
	return nr;
}

/* Whether buckets can be of @count parts of @sum ns, none of them longer than @max. */
static inline bool sane_buckets(const __u32 *buckets, __u64 count, __u64 sum, __u64 max)
{
	__u64 nr = 0, least = 0, most = 0;
	int last = -1;

	for (int i = 0; i < WALLPROF_HIST_BUCKETS; i++) {
		if (!buckets[i])
			continue;
		nr += buckets[i];
		least += buckets[i] * (i ? 1000ULL << (i - 1) : 1);
		most += buckets[i] * ((1000ULL << i) - 1);
		last = i;
	}
	if (!sum)
		return !nr;
	return nr <= count && last == hist_bucket(max) && least <= sum &&
	       (sum <= most || last == WALLPROF_HIST_BUCKETS - 1);
}

/* The histogram of an aggregate has as many intervals, of the same lengths. */
static inline void session_judge_hist(struct session *s, const struct wallprof_half *half,
				      __u32 i)
{
	const struct wallprof_aggr *a = &half_aggrs(s, half)[i];
	const struct wallprof_hist *h = (const void *)((const char *)half + s->c.hists_offset +
						       (size_t)i * s->c.hist_bytes);

	if (!sane_buckets(h->blocked, a->count, a->total - a->runnable, a->blocked_max) ||
	    !sane_buckets(h->runnable, a->count, a->runnable, a->runnable_max))
		TROUBLE(s, "cpu %u: aggregate %u of tid %u: a histogram of other intervals",
			half->cpu, i, a->tid);
	s->nr_hists++;
}

/* Whether the module caches kernel stacks on this kernel: on x86, if it unwinds by ORC. */
static inline bool kernel_stacks_cached(void)
{
	static enum { UNKNOWN, YES, NO } known;
	char line[512];
	FILE *f;

#if defined(__aarch64__) || defined(__arm__)
	known = YES;
#endif
	if (!known) {
		known = NO;
		f = fopen("/proc/kallsyms", "re");
		while (f && fgets(line, sizeof(line), f))
			if (strstr(line, " unwind_module_init\n"))
				known = YES;
		if (f)
			fclose(f);
	}
	return known == YES;
}

/* Of a session with a switch cache, each switch is counted once, by how it was recorded. */
static inline void session_judge_switches(struct session *s, const struct wallprof_half *half,
					  int context)
{
	__u64 came = 0, closed = half->events + half->filtered + half->out_of_range;
	bool cached = !context && s->c.flags & WALLPROF_REASONS &&
		      !(s->c.flags & (WALLPROF_TIMELINE | WALLPROF_WAKER_CHAINS)) &&
		      (!(s->c.stack_flags & WALLPROF_STACK_KERNEL) ||
		       (s->c.stack_flags & (WALLPROF_STACK_USER | WALLPROF_STACK_TABLES) &&
			kernel_stacks_cached()));

	for (int i = 0; i < WALLPROF_MAX_SWITCHES; i++) {
		if (half->switches[i] && (!cached || i >= WALLPROF_SWITCH_MAX))
			TROUBLE(s, "cpu %u context %d: %llu switches of kind %d", half->cpu,
				context, (ull)half->switches[i], i);
		if (i >= WALLPROF_SWITCH_MAX)
			continue;
		if (i >= WALLPROF_SWITCH_CAME_CACHED)
			came += half->switches[i];
		s->switches[i] += half->switches[i];
	}
	if (cached && came != closed)
		TROUBLE(s, "cpu %u: %llu threads came, %llu intervals were closed", half->cpu,
			(ull)came, (ull)closed);
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
	if (half->nr_aggrs > s->c.nr_aggrs << s->c.growth ||
	    half->stack_words > s->c.stack_words << s->c.growth ||
	    half->nr_exits > (context ? 0 : s->c.nr_exits << s->c.growth) ||
	    half->nr_waits > (context ? 0 : s->c.nr_waits << s->c.growth)) {
		TROUBLE(s, "cpu %u context %d: more than fits", cpu, context);
		return;
	}
	for (__u32 at = 1; at < half->stack_words;) {
		const struct wallprof_stack *stack = (const void *)&words[at];
		struct read_stack *r;

		if (!sane_stack(s, stack) || at + 1 + stack->nr > half->stack_words) {
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
		if (a->runnable > a->total || a->runnable_max > a->runnable ||
		    a->runnable_max * a->count < a->runnable ||
		    a->blocked_max * a->count < a->total - a->runnable ||
		    !sane_ends(s, a))
			TROUBLE(s, "cpu %u: aggregate %u of tid %u: state %u reason %u syscall %u arg %llx waker %u:%u, of %llu in %llu runnable %llu, at most %llu, blocked at most %llu",
				cpu, i, a->tid, a->state, a->reason, a->syscall,
				(ull)a->arg, a->waker, a->waker_tid, (ull)a->total,
				(ull)a->count, (ull)a->runnable, (ull)a->runnable_max,
				(ull)a->blocked_max);
		if (a->last > s->flip_time || a->first < s->start)
			TROUBLE(s, "cpu %u: aggregate %u: %llu to %llu in an epoch until %llu of a session since %llu",
				cpu, i, (ull)a->first, (ull)a->last, (ull)s->flip_time,
				(ull)s->start);
		if (!context && (a->min < s->c.min_ns ||
				 (s->c.max_ns && a->max > s->c.max_ns)))
			TROUBLE(s, "cpu %u: aggregate %u: %llu to %llu ns, out of range",
				cpu, i, (ull)a->min, (ull)a->max);
		if (context && ((a->user_stack && a->user_stack >> 36 != s->epoch) ||
				(a->kernel_stack && a->kernel_stack >> 36 != s->epoch)))
			TROUBLE(s, "cpu %u: aggregate %u: stacks %llx and %llx, not of epoch %u",
				cpu, i, (ull)a->user_stack, (ull)a->kernel_stack, s->epoch);
		/* What is long stands by itself, if there is room. */
		if (!context && s->c.wait_ns && a->max >= s->c.wait_ns &&
		    !half->waits_full.count)
			TROUBLE(s, "cpu %u: aggregate %u: an interval of %llu ns in a sum",
				cpu, i, (ull)a->max);
		/* Each aggregate is there once. */
		for (__u32 j = half->nr_aggrs <= 512 ? 0 : i - 1; j < i; j++)
			if (same_key(a, &aggrs[j]))
				TROUBLE(s, "cpu %u: aggregates %u and %u are the same",
					cpu, j, i);
		if (!context && s->c.flags & WALLPROF_HISTOGRAMS)
			session_judge_hist(s, half, i);
		session_keep_aggr(s, a, interval_id(s, half, context, i));
		count += a->count;
		total += a->total;
	}
	/* What came is there or was counted as lost. */
	if (half->events != count + half->nr_waits + half->lost[WALLPROF_LOSS_AGGR_FULL].count)
		TROUBLE(s, "cpu %u context %d: %llu events, %llu in aggregates, %u single, %llu lost",
			cpu, context, (ull)half->events, (ull)count, half->nr_waits,
			(ull)half->lost[WALLPROF_LOSS_AGGR_FULL].count);
	session_judge_switches(s, half, context);
	session_read_waits(s, cpu, half);
	for (__u32 i = 0; i < half->nr_exits; i++) {
		s->ends = grown(s->ends, s->nr_ends, &s->room_ends, sizeof(*s->ends));
		s->ends[s->nr_ends++] = ends[i];
	}
	s->events[context] += half->events;
	s->filtered += half->filtered;
	s->filtered_ns += half->filtered_ns;
	s->out_of_range += half->out_of_range;
	s->out_of_range_ns += half->out_of_range_ns;
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
	s->walks_not_resident += half->walks_not_resident;
	for (int i = 0; i < WALLPROF_MAX_INTERPS; i++)
		s->interps[context][i] += half->interps[i];
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
		sum.filtered += half->filtered;
		sum.waits_full.count += half->waits_full.count;
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

/* What was found instead of what a test expects. */
static inline void session_print_stacks(const struct session *s)
{
	for (size_t i = 0; i < s->nr_stacks && i < 10; i++) {
		const struct read_stack *r = &s->stacks[i];

		printf("#   stack: ends by %u, flags %x:", r->unwind, r->flags);
		for (unsigned int k = 0; k < r->nr && k < 8; k++)
			printf(" %llx", (unsigned long long)r->ips[k]);
		printf("\n");
		fflush(stdout);
	}
}

/* 32-bit ARM's compilers keep no frame pointers. */
#ifdef __arm__
#define HAS_FRAMES false
#else
#define HAS_FRAMES true
#endif

static inline bool has_ip(const struct read_stack *stack, __u64 ip)
{
	for (unsigned int i = 0; stack && i < stack->nr; i++)
		if (stack->ips[i] == ip)
			return true;
	return false;
}

/*
 * What a thread's intervals add up to, less what its account says. Of a session
 * with execs by other threads than the leader (s->execs) it is a process's: such a
 * thread takes over the leader's id and birth, its intervals before are of another
 * thread's name, and the leader's account is of the same.
 */
struct thread_sum {
	__u32 id;
	__u64 start_time;
	size_t nr_accounts;
	__s64 count, total, runnable;
};

static inline int by_thread(const void *a, const void *b)
{
	const struct thread_sum *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->start_time < y->start_time ? -1 : x->start_time > y->start_time;
}

/* What an aggregate adds to its thread's sum. */
static inline struct thread_sum sum_of_aggr(const struct session *s,
					    const struct wallprof_aggr *a)
{
	return (struct thread_sum){
		.id = s->execs ? a->tgid : a->tid,
		.start_time = s->execs ? 0 : a->start_time,
		.count = a->count,
		.total = a->total,
		.runnable = a->runnable,
	};
}

/* What an account takes from its thread's sum. */
static inline struct thread_sum sum_of_account(const struct session *s,
					       const struct wallprof_task *t)
{
	bool open = t->flags & WALLPROF_TASK_OPEN;

	return (struct thread_sum){
		.id = s->execs ? t->tgid : t->tid,
		.start_time = s->execs ? 0 : t->start_time,
		.nr_accounts = 1,
		.count = -(__s64)(t->nr_off - t->nr_spilled - open),
		.total = -(__s64)(t->off_ns - t->spill_ns - t->open_ns),
		.runnable = -(__s64)(t->runnable_ns - t->spill_runnable_ns -
				     t->open_runnable_ns),
	};
}

/* Sorts sums and puts those of the same thread into one. Returns how many remain. */
static inline size_t sums_merge(struct thread_sum *sums, size_t nr)
{
	size_t out = 0;

	qsort(sums, nr, sizeof(*sums), by_thread);
	for (size_t i = 0; i < nr; i++) {
		if (out && !by_thread(&sums[out - 1], &sums[i])) {
			sums[out - 1].nr_accounts += sums[i].nr_accounts;
			sums[out - 1].count += sums[i].count;
			sums[out - 1].total += sums[i].total;
			sums[out - 1].runnable += sums[i].runnable;
		} else {
			sums[out++] = sums[i];
		}
	}
	return out;
}

/* Are all intervals in their threads' accounts, and no others? */
static inline void session_judge_sums(struct session *s, const struct thread_sum *sums,
				      size_t nr)
{
	bool lost = s->lost[0][WALLPROF_LOSS_EXIT_FULL].count;
	bool left_out = s->filtered || s->out_of_range;
	__u64 count = 0, total = 0;

	for (size_t i = 0; i < nr; i++) {
		const struct thread_sum *sum = &sums[i];

		count -= sum->count;
		total -= sum->total;

		/* Intervals of a thread that has no account: only if that was lost. */
		if (!sum->nr_accounts && !lost)
			TROUBLE(s, "id %u: %lld intervals, no account", sum->id,
				(long long)sum->count);
		if (lost && (s->execs || !sum->nr_accounts))
			continue;
		/* What is left out is in accounts only. */
		if (left_out ? sum->count > 0 || sum->total > 0 || sum->runnable > 0 :
				  sum->count || sum->total || sum->runnable)
			TROUBLE(s, "id %u, %zu accounts: %lld intervals, %lld ns, %lld ns runnable more than there",
				sum->id, sum->nr_accounts, (long long)sum->count,
				(long long)sum->total, (long long)sum->runnable);
	}
	/* That much, and no more. */
	if (!lost && (count != s->filtered + s->out_of_range ||
		      total != s->filtered_ns + s->out_of_range_ns))
		TROUBLE(s, "%lld intervals of %lld ns are in accounts only, left out were %llu + %llu of %llu + %llu ns",
			(long long)count, (long long)total, (ull)s->filtered,
			(ull)s->out_of_range, (ull)s->filtered_ns, (ull)s->out_of_range_ns);
}

/* One thread's account by itself; there is none of samples alone. */
static inline void session_judge_thread(struct session *s, const struct wallprof_task *t)
{
	bool ended = t->phase == WALLPROF_TASK_EXITED;
	__u64 end = ended ? t->since : s->stop;

	if (t->flags & WALLPROF_TASK_ARMED || !(s->c.flags & WALLPROF_OFFCPU))
		return;
	if (t->phase == WALLPROF_TASK_UNSEEN || t->phase > WALLPROF_TASK_EXITED)
		TROUBLE(s, "tid %u: phase %u after STOP", t->tid, t->phase);
	if (t->born < s->start || t->born > end)
		TROUBLE(s, "tid %u: born %llu, start %llu, end %llu", t->tid,
			(ull)t->born, (ull)s->start, (ull)end);
	/* run + off-CPU = wall time, to the nanosecond */
	if (t->unknown_ns && !s->cpus_go && !s->lost[0][WALLPROF_LOSS_NESTED].count &&
	    !dev_status(s->fd).lost[WALLPROF_LOSS_NESTED].count)
		TROUBLE(s, "tid %u: %llu ns unknown, and nothing was lost", t->tid,
			(ull)t->unknown_ns);
	if (t->run_ns + t->off_ns + t->unknown_ns != end - t->born)
		TROUBLE(s, "tid %u: run %llu + off %llu != wall %llu", t->tid,
			(ull)t->run_ns, (ull)t->off_ns, (ull)(end - t->born));
	if (t->runnable_ns > t->off_ns || t->runnable_max > t->runnable_ns ||
	    t->blocked_max > t->off_ns - t->runnable_ns ||
	    t->open_runnable_ns > t->open_ns || t->spill_runnable_ns > t->spill_ns)
		TROUBLE(s, "tid %u: runnable %llu of %llu off, at most %llu, blocked at most %llu",
			t->tid, (ull)t->runnable_ns, (ull)t->off_ns, (ull)t->runnable_max,
			(ull)t->blocked_max);
	if (!(t->flags & WALLPROF_TASK_OUT_OF_RANGE) !=
	    !(t->flags & WALLPROF_TASK_OPEN &&
	      (t->open_ns < s->c.min_ns || (s->c.max_ns && t->open_ns > s->c.max_ns))))
		TROUBLE(s, "tid %u: open for %llu ns, flags %x", t->tid, (ull)t->open_ns,
			t->flags);
	if (t->flags & WALLPROF_TASK_OPEN && t->phase != WALLPROF_TASK_OFF)
		TROUBLE(s, "tid %u: open, in phase %u", t->tid, t->phase);
}

static inline int by_read_id(const void *a, const void *b)
{
	const struct read_id *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

/* Has session_aggr() find all that were read so far. */
static inline void session_order_aggrs(struct session *s)
{
	if (s->nr_aggrs)
		qsort(s->aggr_ids, s->nr_aggrs, sizeof(*s->aggr_ids), by_read_id);
}

/* An aggregate by its id, once they were ordered, or the session was judged. */
static inline const struct wallprof_aggr *session_aggr(const struct session *s, __u64 id)
{
	struct read_id key = { .id = id }, *found;

	found = bsearch(&key, s->aggr_ids, s->nr_aggrs, sizeof(key), by_read_id);
	return found ? &s->aggrs[found->at] : NULL;
}

/* Every chain leads to an interval of the waker's, which ended before. */
static inline void session_judge_chain(struct session *s, __u64 id, __u32 waker_tid, __u64 last)
{
	const struct wallprof_aggr *a = session_aggr(s, id);

	if (!id)
		return;
	if (!a || !(s->c.flags & WALLPROF_WAKER_CHAINS))
		TROUBLE(s, "interval %llx was never there", (ull)id);
	else if (a->kind != WALLPROF_AGGR_OFFCPU || (a->tid != waker_tid && !s->execs))
		TROUBLE(s, "interval %llx is of tid %u, not of waker %u", (ull)id, a->tid,
			waker_tid);
	else if (a->first > last)
		TROUBLE(s, "interval %llx ended at %llu, its waker woke by %llu", (ull)id,
			(ull)a->first, (ull)last);
}

/* Every stack id names a stack that stood in its epoch, of the right kind. */
static inline void session_judge_stack(struct session *s, __u32 tid, __u64 id,
				       unsigned int kind)
{
	const struct read_stack *stack = session_stack(s, id);

	if (!id)
		return;
	if (!stack)
		TROUBLE(s, "tid %u: stack %llx was never there", tid, (ull)id);
	else if ((stack->flags & (WALLPROF_STACK_IS_KERNEL | WALLPROF_STACK_IS_WAKER |
				  WALLPROF_STACK_IS_RECORD)) != kind)
		TROUBLE(s, "tid %u: stack %llx is of another kind", tid, (ull)id);
}

/* Whether a stack, if it is one, stood in the same half as another one, before it. */
static inline bool stands_before(__u64 id, __u64 other)
{
	return !id || (id < other && !((id ^ other) >> 21));
}

/* What a thread's wakers' stacks are said to be. */
static inline void session_judge_wakers(struct session *s)
{
	for (size_t i = 0; i < s->nr_stacks; i++) {
		const struct read_stack *stack = &s->stacks[i];
		__u64 user, kernel;

		if (!(stack->flags & WALLPROF_STACK_IS_WAKER))
			continue;
		user = stack->ips[WALLPROF_WAKER_USER_STACK];
		kernel = stack->ips[WALLPROF_WAKER_KERNEL_STACK];
		session_judge_stack(s, 0, user, 0);
		session_judge_stack(s, 0, kernel, WALLPROF_STACK_IS_KERNEL);
		if (!stands_before(user, stack->id) || !stands_before(kernel, stack->id))
			TROUBLE(s, "waker's stacks %llx and %llx do not stand before %llx",
				(ull)user, (ull)kernel, (ull)stack->id);
		if (kernel && !(s->c.stack_flags & WALLPROF_STACK_KERNEL))
			TROUBLE(s, "waker's stack %llx was not asked for", (ull)kernel);
		/* Every thread is in the kernel when it wakes another one. */
		if (!kernel && s->c.stack_flags & WALLPROF_STACK_KERNEL &&
		    !(stack->flags & WALLPROF_STACK_LOST))
			TROUBLE(s, "waker %llx without a kernel stack, and not lost",
				(ull)stack->id);
		if (stack->flags & WALLPROF_STACK_LOST &&
		    (!s->lost[0][WALLPROF_LOSS_STACK_FULL].count || (user && kernel)))
			TROUBLE(s, "waker's stacks of %llx: marked as lost", (ull)stack->id);
	}
}

/*
 * After the last flip of a stopped session: does all of it add up? This is
 * invariants 3, 4 and 5 of the design. Returns the trouble, NULL if none.
 */
static inline const char *session_judge(struct session *s)
{
	const struct wallprof_task *tasks = session_tasks(s);
	struct wallprof_status status = dev_status(s->fd);
	struct thread_sum *sums = calloc(s->nr_aggrs + s->c.nr_tasks + s->nr_ends + 1,
					 sizeof(*sums));
	const struct wallprof_lost *lost = s->lost[0];
	__u64 spill_ns = 0, nr_spilled = 0;
	unsigned int used = 0;
	size_t nr = 0;

	qsort(s->stacks, s->nr_stacks, sizeof(*s->stacks), by_id);
	session_order_aggrs(s);
	session_judge_wakers(s);
	for (size_t i = 0; i < s->nr_aggrs; i++) {
		const struct wallprof_aggr *a = &s->aggrs[i];

		session_judge_stack(s, a->tid, a->user_stack, 0);
		session_judge_stack(s, a->tid, a->kernel_stack, WALLPROF_STACK_IS_KERNEL);
		session_judge_stack(s, a->tid, a->waker_stack, a->kind == WALLPROF_AGGR_SAMPLE ?
				    WALLPROF_STACK_IS_RECORD : WALLPROF_STACK_IS_WAKER);
		if (a->waker == WALLPROF_WAKER_TASK && !a->waker_stack &&
		    s->c.flags & WALLPROF_WAKER_STACKS &&
		    !lost[WALLPROF_LOSS_STACK_FULL].count &&
		    !lost[WALLPROF_LOSS_NESTED].count)
			TROUBLE(s, "tid %u: no stack of waker %u", a->tid, a->waker_tid);
		if (a->flags & WALLPROF_AGGR_NO_STACK && a->user_stack && a->kernel_stack)
			TROUBLE(s, "tid %u: stacks, but marked as lost", a->tid);
		session_judge_chain(s, a->waker_aggr, a->waker_tid, a->last);
		if (a->kind != WALLPROF_AGGR_OFFCPU)
			continue;
		sums[nr++] = sum_of_aggr(s, a);
	}
	for (__u32 i = 0; i < s->c.nr_tasks; i++) {
		if (tasks[i].phase == WALLPROF_TASK_FREE)
			continue;
		used++;
		spill_ns += tasks[i].spill_ns;
		nr_spilled += tasks[i].nr_spilled;
		session_judge_thread(s, &tasks[i]);
		if (tasks[i].flags & WALLPROF_TASK_OPEN) {
			session_judge_stack(s, tasks[i].tid, tasks[i].waker_stack,
					    WALLPROF_STACK_IS_WAKER);
			session_judge_chain(s, tasks[i].waker_aggr, tasks[i].waker_tid,
					    s->stop);
		}
		sums[nr++] = sum_of_account(s, &tasks[i]);
	}
	for (size_t i = 0; i < s->nr_ends; i++) {
		if (s->ends[i].phase != WALLPROF_TASK_EXITED)
			TROUBLE(s, "tid %u ended in phase %u", s->ends[i].tid,
				s->ends[i].phase);
		spill_ns += s->ends[i].spill_ns;
		nr_spilled += s->ends[i].nr_spilled;
		session_judge_thread(s, &s->ends[i]);
		sums[nr++] = sum_of_account(s, &s->ends[i]);
	}
	session_judge_sums(s, sums, sums_merge(sums, nr));
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
	free(sums);
	return s->trouble[0] ? s->trouble : NULL;
}

/* Losses of CPUs that have no tables, and of threads without a slot: in the status. */
static inline void session_add_status(struct session *s)
{
	const struct wallprof_status status = dev_status(s->fd);

	for (int i = 0; i < WALLPROF_LOSS_MAX; i++) {
		if (i == WALLPROF_LOSS_NO_TASK)
			continue;
		s->lost[0][i].count += status.lost[i].count;
		s->lost[0][i].ns += status.lost[i].ns;
	}
	s->filtered += status.filtered.count;
	s->filtered_ns += status.filtered.ns;
	s->out_of_range += status.out_of_range.count;
	s->out_of_range_ns += status.out_of_range.ns;
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
	session_add_status(s);
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

/* Naps for 1 ms, or, if it has an argument, 20. */
static inline void *load_short(void *arg)
{
	nap_ns(arg ? 20 * MS : MS);
	return arg;
}

/*
 * Two that switch as fast as they can, and threads born and dying, some of which wait
 * long, however fast the machine is.
 */
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
			pthread_create(&thread, NULL, load_short,
				       i % 256 ? NULL : &thread);
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
