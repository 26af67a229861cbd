// SPDX-License-Identifier: GPL-2.0
/*
 * Allocation failure swept one by one (CONFIG_FAULT_INJECTION): a path is gone
 * along once for each of its allocations and copies to and from user memory,
 * which that one time fails, until nothing fails any more; and then for some of
 * them once more, where that and all that follow fail.
 *
 * Each failure is an errno that is allowed there; after it the session is as
 * before, or the answer alone was lost; the same call succeeds when nothing
 * fails; and when all is closed, nothing is left. Whether nothing leaked, the
 * test asks kmemleak.
 *
 * usage: sweep [PATH...]     all paths, or those whose names begin so
 *        sweep --names       only print the names of all paths
 * The module is loaded, and a copy of it is at $WALLPROF_KO.
 *
 * Above 700 lines: a row of the table of paths names functions before, at and after a call.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <linux/elf-em.h>
#include <linux/perf_event.h>
#include <linux/wallprof.h>
#include <linux/wallprof_interp.h>
#include <linux/wallprof_unwind.h>

#include "proc.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define PAGE		4096UL
#define MANY		2000	/* targets */

/* More than any path has. */
#define POINTS_MAX	20000

/* Where all fail from one on: about so many beginnings of a long path. */
#define BEGINNINGS	16

static char trouble[512];	/* the first thing that was wrong, of a path */

static void __attribute__((format(printf, 1, 2))) wrong(const char *format, ...)
{
	va_list args;

	if (trouble[0])
		return;
	va_start(args, format);
	vsnprintf(trouble, sizeof(trouble), format, args);
	va_end(args);
}

static void die(const char *what)
{
	printf("Bail out! %s: %s\n", what, strerror(errno));
	exit(1);
}

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		die(path);
	close(fd);
}

/*
 * Injection.
 */
static int fail_nth, make_it_fail;

/* What fails: this one, or also all allocations that come after it. */
enum mode { ONE, FROM_THEN_ON, MODES };

static void attr(const char *of, const char *name, const char *value)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/kernel/debug/%s/%s", of, name);
	write_file(path, value);
}

/* Of all kinds, and also those that can wait, which is what is asked mostly. */
static void inject_prepare(void)
{
	static const char *const kinds[] = { "failslab", "fail_page_alloc", "fail_usercopy" };

	for (unsigned int i = 0; i < ARRAY_SIZE(kinds); i++) {
		attr(kinds[i], "verbose", "0");
		attr(kinds[i], "task-filter", "Y");
		attr(kinds[i], "times", "-1");
		attr(kinds[i], "space", "0");
		attr(kinds[i], "interval", "1");
		/* No copies from then on: what turns it off is one. */
		attr(kinds[i], "probability", i == 2 ? "0" : "100");
	}
	attr("failslab", "ignore-gfp-wait", "N");
	attr("fail_page_alloc", "ignore-gfp-wait", "N");
	attr("fail_page_alloc", "ignore-gfp-highmem", "N");
	attr("fail_page_alloc", "min-order", "0");
	fail_nth = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	make_it_fail = open("/proc/thread-self/make-it-fail", O_RDWR | O_CLOEXEC);
	if (fail_nth < 0 || make_it_fail < 0)
		die("/proc/thread-self/fail-nth");
}

#define FAILAT(name)	"/sys/module/failat/parameters/" name	/* tests/guest/modules/failat.c */

static void inject_begin(enum mode mode, unsigned int nth, bool in_init)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", nth);

	if (in_init) {
		write_file(FAILAT("load_all"), mode == FROM_THEN_ON ? "1" : "0");
		write_file(FAILAT("load_nth"), text);
		return;
	}
	if (mode == FROM_THEN_ON && pwrite(make_it_fail, "1", 1, 0) != 1)
		die("make-it-fail");
	if (pwrite(fail_nth, text, len, 0) != len)
		die("fail-nth");
}

/* Whether anything failed. */
static bool inject_end(enum mode mode)
{
	char text[16] = "";
	ssize_t got = pread(fail_nth, text, sizeof(text) - 1, 0);

	/*
	 * The reading and the writing count as copies. If it is their turn, they
	 * fail, and there is nothing left to take back.
	 */
	while (pwrite(fail_nth, "0", 1, 0) != 1)
		;
	if (mode == FROM_THEN_ON && pwrite(make_it_fail, "0", 1, 0) != 1)
		die("make-it-fail");
	return got > 0 && text[0] == '0';
}

/*
 * Sessions.
 */
#define OPEN		WALLPROF_SESSION_OPEN
#define CONFIGURED	WALLPROF_SESSION_CONFIGURED
#define RUNNING		WALLPROF_SESSION_RUNNING
#define STOPPED		WALLPROF_SESSION_STOPPED

static __u32 many_ids[MANY];
static __u64 cpus_mask[16] = { 1 };
static const __u32 root;

/* An unwind table of one rule, and a mapping of it. */
#ifdef __x86_64__
#define MACHINE		EM_X86_64
#else
#define MACHINE		EM_AARCH64
#endif

static const struct {
	struct wallprof_table head;
	struct wallprof_rule rules[1];
	__u32 pages[2];
	struct wallprof_row rows[1];
	struct wallprof_save saves[1];
} table = {
	.head = {
		.magic = WALLPROF_TABLE_MAGIC, .version = WALLPROF_TABLE_VERSION,
		.machine = MACHINE, .nr_pages = 1, .nr_rows = 1, .nr_rules = 1,
		.nr_saves = 1,
	},
	.rules = { { .index = WALLPROF_RULE_NO_INDEX } },
	.pages = { 0, 1 },
	.saves = { { .how = WALLPROF_SAVE_END } },
};

static const struct wallprof_map code = { .start = PAGE, .end = 1ULL << 46, .table = 1 };
static const struct wallprof_interp interp = {
	.size = sizeof(interp), .range = { { PAGE, 1ULL << 46 } }, .nr_steps = 1,
	.end_mask = 1, .word = { { 8, 8 }, { WALLPROF_INTERP_NONE, 0 },
				 { WALLPROF_INTERP_NONE, 0 }, { WALLPROF_INTERP_NONE, 0 } },
};

enum config {
	ALL,
	BOTH,		/* switches and a counter */
	MANY_PIDS,	/* a long list of processes, on one CPU */
	TRACEPOINT,	/* as the counter, of one user */
	FAULTS,		/* as the counter, without the switches, of one process */
	TABLES,		/* user stacks by tables */
	NAMES,		/* of threads of some names */
	GROUPS,		/* of threads in control groups */
	RINGS,		/* switches, a counter and the timeline, with stacks */
	FLIGHT,		/* the timeline alone, in rings that are overwritten */
};

#define WAKEUP_ID	"/sys/kernel/tracing/events/sched/sched_wakeup/id"

static long wakeup_id;	/* read before anything fails */

/* Takes every record. */
static const struct wallprof_filter_test all_of_them = {
	.operand = WALLPROF_FILTER_CPU, .compare = WALLPROF_FILTER_EQUAL,
	.yes = WALLPROF_FILTER_TAKE, .no = WALLPROF_FILTER_TAKE,
};

static void counter(struct wallprof_configure *c, __u32 type, __u64 config, __u64 period)
{
	c->flags |= WALLPROF_SAMPLER;
	c->attr_type = type;
	c->attr_config = config;
	c->attr_period = period;
}

static struct wallprof_configure configuration(enum config config)
{
	static char names[2][WALLPROF_COMM_LEN] = { "sweep", "nobody" };
	static __u64 groups[2] = { 1, 1ULL << 40 };	/* the root, which all are below */
	struct wallprof_configure c = {
		.size = sizeof(c),
		.flags = WALLPROF_OFFCPU | WALLPROF_WAKEUPS | WALLPROF_WAKERS |
			 WALLPROF_REASONS | WALLPROF_ARGS | WALLPROF_WAKER_STACKS |
			 WALLPROF_WAKER_CHAINS | WALLPROF_HISTOGRAMS,
		.stack_flags = WALLPROF_STACK_USER | WALLPROF_STACK_KERNEL,
		.max_stack = 64,
		.nr_aggrs = 64,
		.stack_words = 1024,
		.nr_exits = 16,
		.nr_tasks = 1024,
	};

	switch (config) {
	case BOTH:
		counter(&c, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 10000000);
		break;
	case MANY_PIDS:
		c.target = WALLPROF_TARGET_PID;
		c.targets = (uintptr_t)many_ids;
		c.nr_targets = MANY;
		c.flags |= WALLPROF_INHERIT;
		c.cpus = (uintptr_t)cpus_mask;
		c.cpus_bytes = 8 * sizeof(cpus_mask[0]);
		break;
	case TRACEPOINT:
		counter(&c, PERF_TYPE_TRACEPOINT, number_in(WAKEUP_ID), 5);
		c.target = WALLPROF_TARGET_UID;
		c.targets = (uintptr_t)&root;
		c.nr_targets = 1;
		break;
	case FAULTS:
		counter(&c, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 1);
		c.flags = WALLPROF_SAMPLER | WALLPROF_SAMPLE_CACHE;
		c.target = WALLPROF_TARGET_PID;
		c.targets = (uintptr_t)many_ids;
		c.nr_targets = 1;
		break;
	case TABLES:
		c.stack_flags |= WALLPROF_STACK_TABLES;
		break;
	case NAMES:
		c.target = WALLPROF_TARGET_COMM;
		c.targets = (uintptr_t)names;
		c.nr_targets = 2;
		break;
	case GROUPS:
		c.target = WALLPROF_TARGET_CGROUP;
		c.targets = (uintptr_t)groups;
		c.nr_targets = 2;
		break;
	case RINGS:
		counter(&c, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 10000000);
		c.flags |= WALLPROF_TIMELINE | WALLPROF_TIMELINE_STACKS;
		c.nr_records = 512;
		break;
	case FLIGHT:
		c.flags = WALLPROF_TIMELINE | WALLPROF_OVERWRITE;
		c.nr_records = WALLPROF_MIN_RECORDS;
		break;
	default:
		break;
	}
	return c;
}

/* Any command's struct. */
union any {
	__u32 size;
	struct wallprof_info info;
	struct wallprof_configure configure;
	struct wallprof_start start;
	struct wallprof_flip flip;
	struct wallprof_stop stop;
	struct wallprof_status status;
	struct wallprof_push push;
	struct wallprof_maps maps;
	struct wallprof_live live;
	struct wallprof_event event;
	struct wallprof_count count;
	struct wallprof_read read;
};

static long command(int fd, unsigned long nr, union any *arg)
{
	return ioctl(fd, nr, arg) ? -errno : 0;
}

static char live_records[4096];
static pid_t blocked_pid;		/* of READ */

/* A command's struct as it is to be. */
static union any command_struct(unsigned long nr, enum config config)
{
	static const __u32 sizes[] = {
		[_IOC_NR(WALLPROF_IOC_INFO)] = sizeof(struct wallprof_info),
		[_IOC_NR(WALLPROF_IOC_START)] = sizeof(struct wallprof_start),
		[_IOC_NR(WALLPROF_IOC_FLIP)] = sizeof(struct wallprof_flip),
		[_IOC_NR(WALLPROF_IOC_STOP)] = sizeof(struct wallprof_stop),
		[_IOC_NR(WALLPROF_IOC_STATUS)] = sizeof(struct wallprof_status),
		[_IOC_NR(WALLPROF_IOC_PUSH)] = sizeof(struct wallprof_push),
		[_IOC_NR(WALLPROF_IOC_MAPS)] = sizeof(struct wallprof_maps),
		[_IOC_NR(WALLPROF_IOC_LIVE)] = sizeof(struct wallprof_live),
		[_IOC_NR(WALLPROF_IOC_EVENT)] = sizeof(struct wallprof_event),
		[_IOC_NR(WALLPROF_IOC_COUNT)] = sizeof(struct wallprof_count),
		[_IOC_NR(WALLPROF_IOC_READ)] = sizeof(struct wallprof_read),
	};
	union any arg;

	memset(&arg, 0, sizeof(arg));
	if (nr == WALLPROF_IOC_CONFIGURE)
		arg.configure = configuration(config);
	else
		arg.size = sizes[_IOC_NR(nr)];
	if (nr == WALLPROF_IOC_PUSH) {
		arg.push.table = (uintptr_t)&table;
		arg.push.bytes = sizeof(table);
	} else if (nr == WALLPROF_IOC_MAPS) {
		arg.maps.pid = getppid();
		arg.maps.maps = (uintptr_t)&code;
		arg.maps.nr = 1;
		arg.maps.interp = (uintptr_t)&interp;
	} else if (nr == WALLPROF_IOC_LIVE) {
		/* One process: each thread is a copy that can fail. */
		arg.live.tid = getpid();
		arg.live.records = (uintptr_t)live_records;
		arg.live.bytes = sizeof(live_records);
	} else if (nr == WALLPROF_IOC_EVENT) {
		arg.event.attr_type = PERF_TYPE_TRACEPOINT;
		arg.event.attr_config = wakeup_id;
		arg.event.attr_period = 1;
		arg.event.max_stack = 1;
		arg.event.filter = (uintptr_t)&all_of_them;
		arg.event.nr_filter = 1;
	} else if (nr == WALLPROF_IOC_READ) {
		arg.read.pid = blocked_pid;
		arg.read.tid = blocked_pid;
		arg.read.address = (uintptr_t)&blocked_pid;
		arg.read.data = (uintptr_t)live_records;
		arg.read.bytes = sizeof(blocked_pid);
	}
	return arg;
}

static long simple(int fd, unsigned long nr, enum config config)
{
	union any arg = command_struct(nr, config);

	return command(fd, nr, &arg);
}

static struct wallprof_status status_of(int fd)
{
	union any arg = command_struct(WALLPROF_IOC_STATUS, ALL);

	if (command(fd, WALLPROF_IOC_STATUS, &arg))
		wrong("STATUS: %s", strerror(errno));
	return arg.status;
}

/* What leads from each state to the next one. */
static const unsigned long steps[] = {
	WALLPROF_IOC_CONFIGURE, WALLPROF_IOC_START, WALLPROF_IOC_STOP,
};

static int session_in(__u32 state, enum config config)
{
	int fd = open(WALLPROF_DEVICE, O_RDWR | O_CLOEXEC);
	long ret;

	if (fd < 0)
		die(WALLPROF_DEVICE);
	for (__u32 i = 0; i < state; i++) {
		ret = simple(fd, steps[i], config);
		if (ret) {
			errno = -ret;
			die("a session");
		}
		/* With tables from the beginning; of others, who sleep. */
		if (!i && config == TABLES && (simple(fd, WALLPROF_IOC_PUSH, config) ||
					       simple(fd, WALLPROF_IOC_MAPS, config)))
			die("a session's tables");
	}
	return fd;
}

static bool thorough;	/* this time; it takes its time */

/* What CONFIGURE answered went with session_in(): one of the same has it. */
static struct wallprof_configure configured(enum config config)
{
	struct wallprof_configure c = configuration(config);
	int fd = open(WALLPROF_DEVICE, O_RDWR | O_CLOEXEC);

	if (fd < 0 || ioctl(fd, WALLPROF_IOC_CONFIGURE, &c))
		die("CONFIGURE");
	close(fd);
	return c;
}

/* Of a session that was stopped: we were blocked in it, so the rings must have something. */
static void rings_have_records(int fd, enum config config)
{
	struct wallprof_configure c = configuration(config);
	__u64 records = 0;
	size_t bytes;
	char *rings;

	if (!(c.flags & WALLPROF_TIMELINE))
		return;
	c = configured(config);
	bytes = c.tails_offset - c.rings_offset;
	rings = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, c.rings_offset);
	if (rings == MAP_FAILED)
		die("mmap of the rings");
	for (size_t at = 0; at < bytes; at += c.ring_stride) {
		const struct wallprof_ring *ring = (void *)(rings + at);

		records += ring->head;
		/* Nobody reads, and who overwrites loses nothing. */
		if (config == FLIGHT ? ring->lost : ring->head > c.nr_records)
			wrong("afterwards, a ring of %u: %llu records, %llu lost", c.nr_records,
			      (unsigned long long)ring->head, (unsigned long long)ring->lost);
	}
	munmap(rings, bytes);
	if (!records)
		wrong("afterwards, the rings are empty");
}

/* From wherever a session is: does the rest of its life come off? */
static void live_on(int fd, enum config config)
{
	__u32 state = status_of(fd).state;
	long ret;

	if (!thorough)
		return;
	for (; state < STOPPED; state++) {
		ret = simple(fd, steps[state], config);
		if (ret)
			wrong("afterwards, from state %u on: %ld", state, ret);
		if (state == CONFIGURED) {
			ret = simple(fd, WALLPROF_IOC_FLIP, config);
			if (ret)
				wrong("afterwards, FLIP: %ld", ret);
		}
	}
	if (!trouble[0])
		rings_have_records(fd, config);
}

/*
 * Paths.
 */
struct path {
	const char *name;
	long (*call)(void);		/* what fails */
	int allowed[6];			/* and how */
	void (*before)(const struct path *path);
	void (*after)(const struct path *path, long ret);
	__u32 state;			/* of the session that it begins with */
	enum config config;
	unsigned long nr;		/* the command */
	bool tails;			/* what is mapped is what may be written */
	bool one_only;			/* where nothing ends while all fails */
	bool in_init;			/* the module's init function is what fails */
};

static const struct path *now;		/* the one that is swept */
static int fd = -1, other_fd = -1;
static char *map;
static size_t map_bytes;
static struct wallprof_status before;
static union any argument;

static bool same(const struct wallprof_status *a, const struct wallprof_status *b)
{
	if (a->state != b->state || a->epoch != b->epoch)
		return false;
	return a->state >= RUNNING || !memcmp(a, b, sizeof(*a));
}

static void command_before(const struct path *path)
{
	fd = session_in(path->state, path->config);
	before = status_of(fd);
	argument = command_struct(path->nr, path->config);
}

static long command_call(void)
{
	return command(fd, now->nr, &argument);
}

static void command_after(const struct path *path, long ret)
{
	struct wallprof_status status = status_of(fd);

	if (ret && same(&before, &status)) {
		/* As before; so it can be said again. */
		argument = command_struct(path->nr, path->config);
		ret = command(fd, path->nr, &argument);
		/* The last epoch is retired once, and STATUS does not report it. */
		if (ret && (ret != -ENODATA || path->state != STOPPED))
			wrong("said again: %ld", ret);
	} else if (ret && ret != -EFAULT) {	/* the answer alone was lost */
		wrong("%ld, and state %u epoch %u became state %u epoch %u", ret,
		      before.state, before.epoch, status.state, status.epoch);
	}
	live_on(fd, path->config);
	close(fd);
}

static long open_call(void)
{
	fd = open(WALLPROF_DEVICE, O_RDWR | O_CLOEXEC);
	return fd < 0 ? -errno : 0;
}

static void open_after(const struct path *path, long ret)
{
	if (ret)
		fd = session_in(OPEN, path->config);
	live_on(fd, path->config);
	close(fd);
}

static size_t map_offset;

static int map_prot(void)
{
	return now->tails ? PROT_READ | PROT_WRITE : PROT_READ;
}

static void map_all(void)
{
	struct wallprof_configure c = configured(now->config);

	map_offset = now->tails ? c.tails_offset : 0;
	map_bytes = c.map_bytes - map_offset;
	map = mmap(NULL, map_bytes, map_prot(), MAP_SHARED, fd, map_offset);
	if (map == MAP_FAILED)
		die("mmap");
}

/* Reads it; what may be written is, with what no reader has read. */
static void map_use(void)
{
	for (size_t at = 0; at < map_bytes; at += PAGE) {
		if (now->tails)
			*(volatile __u64 *)(map + at) = ~0ULL;
		(void)*(volatile char *)(map + at);
	}
}

static void unmap_all(void)
{
	munmap(map, map_bytes);
	map = NULL;
}

static void close_before(const struct path *path)
{
	fd = session_in(path->state, path->config);
	if (path->nr) {
		map_all();
		map_use();
		unmap_all();
	}
}

static long close_call(void)
{
	return close(fd) ? -errno : 0;
}

static void mmap_before(const struct path *path)
{
	fd = session_in(path->state, path->config);
	map_all();
	unmap_all();
}

static long mmap_call(void)
{
	map = mmap(NULL, map_bytes, map_prot(), MAP_SHARED | now->nr, fd, map_offset);
	return map == MAP_FAILED ? -errno : 0;
}

static void mmap_after(const struct path *path, long ret)
{
	(void)path;
	if (ret && mmap_call())
		wrong("mmap again: %s", strerror(errno));
	else
		map_use();
	unmap_all();
	close(fd);
}

static void mapped_before(const struct path *path)
{
	fd = session_in(path->state, path->config);
	map_all();
}

static void mapped_after(const struct path *path, long ret)
{
	(void)ret;
	map_use();
	unmap_all();
	live_on(fd, path->config);
	close(fd);
}

/* The kernel tries again until it has a page for its own tables. */
static long touch_call(void)
{
	map_use();
	return 0;
}

static int pipe_ends[2];

static long write_call(void)
{
	long ret = write(pipe_ends[1], map + PAGE - 8, 16);

	return ret < 0 ? -errno : ret == 16 ? 0 : -EFAULT;
}

static void write_before(const struct path *path)
{
	mapped_before(path);
	if (pipe(pipe_ends))
		die("pipe");
}

static void write_after(const struct path *path, long ret)
{
	if (ret && write_call())
		wrong("writing again: %s", strerror(errno));
	close(pipe_ends[0]);
	close(pipe_ends[1]);
	mapped_after(path, 0);
}

/* The kernel writes there: 16 bytes for two tails. */
static long read_call(void)
{
	long ret = read(other_fd, map, 16);

	return ret < 0 ? -errno : ret == 16 ? 0 : -EFAULT;
}

static void read_before(const struct path *path)
{
	mapped_before(path);
	other_fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	if (other_fd < 0)
		die("/dev/zero");
}

static void read_after(const struct path *path, long ret)
{
	if (ret && read_call())
		wrong("reading again: %s", strerror(errno));
	close(other_fd);
	mapped_after(path, 0);
}

/* In the middle: what was one becomes two. The tails are one page, which goes. */
static long munmap_call(void)
{
	return munmap(map + (now->tails ? 0 : PAGE), PAGE) ? -errno : 0;
}

static void munmap_after(const struct path *path, long ret)
{
	if (ret && munmap_call())
		wrong("munmap again: %s", strerror(errno));
	unmap_all();
	live_on(fd, path->config);
	close(fd);
}

static long mprotect_call(void)
{
	return mprotect(map + PAGE, PAGE, PROT_NONE) ? -errno : 0;
}

static void mprotect_after(const struct path *path, long ret)
{
	if (ret && mprotect_call())
		wrong("mprotect again: %s", strerror(errno));
	if (mprotect(map, map_bytes, PROT_READ))
		wrong("mprotect back: %s", strerror(errno));
	mapped_after(path, 0);
}

static void fd_before(const struct path *path)
{
	fd = session_in(path->state, path->config);
	other_fd = epoll_create1(EPOLL_CLOEXEC);
}

static long poll_call(void)
{
	struct pollfd pfd = { fd, POLLIN, 0 };

	return poll(&pfd, 1, 0) < 0 ? -errno : 0;
}

static long epoll_call(void)
{
	struct epoll_event event = { .events = EPOLLIN };

	if (epoll_ctl(other_fd, EPOLL_CTL_ADD, fd, &event))
		return -errno;
	return epoll_wait(other_fd, &event, 1, 0) < 0 ? -errno : 0;
}

static void fd_after(const struct path *path, long ret)
{
	ret = ret ? now->call() : 0;
	/* epoll_wait is what failed, the descriptor is in already. */
	if (ret && ret != -EEXIST)
		wrong("again: %ld", ret);
	live_on(fd, path->config);
	close(other_fd);
	close(fd);
}

/*
 * The module itself.
 */
static long load_call(void)
{
	return syscall(SYS_finit_module, other_fd, "", 0) ? -errno : 0;
}

static long unload_call(void)
{
	return syscall(SYS_delete_module, "wallprof", O_NONBLOCK) ? -errno : 0;
}

static void load_before(const struct path *path)
{
	(void)path;
	if (unload_call())
		die("delete_module");
	other_fd = open(getenv("WALLPROF_KO"), O_RDONLY | O_CLOEXEC);
	if (other_fd < 0)
		die(getenv("WALLPROF_KO"));
}

/* devtmpfs makes the node in a thread of its own. */
static void node_there(void)
{
	for (int tries = 0; access(WALLPROF_DEVICE, F_OK) && tries < 1000; tries++)
		usleep(1000);
}

static void load_after(const struct path *path, long ret)
{
	int here;

	(void)path;
	if (ret && load_call())
		wrong("loading again: %s", strerror(errno));
	node_there();
	here = open(WALLPROF_DEVICE, O_RDWR | O_CLOEXEC);
	if (here < 0) {
		/* A node that could not be made is no reason for the kernel not to load. */
		if (ret || errno != ENOENT)
			wrong("%s: %s", WALLPROF_DEVICE, strerror(errno));
		if (unload_call() || load_call())
			wrong("unloading and loading: %s", strerror(errno));
		node_there();
	}
	close(here);
	close(other_fd);
}

static void unload_before(const struct path *path)
{
	(void)path;
	other_fd = open(getenv("WALLPROF_KO"), O_RDONLY | O_CLOEXEC);
	if (other_fd < 0)
		die(getenv("WALLPROF_KO"));
}

static void unload_after(const struct path *path, long ret)
{
	(void)path;
	if (!ret && load_call())
		wrong("loading: %s", strerror(errno));
	node_there();
	close(other_fd);
}

#define COMMAND(name_, NR, state_, config_, ...) { \
	.name = name_, .call = command_call, .allowed = { EFAULT, __VA_ARGS__ }, \
	.before = command_before, .after = command_after, .state = state_, \
	.config = config_, .nr = WALLPROF_IOC_ ## NR }
#define CLOSE(name_, state_, config_, mapped) { \
	.name = name_, .call = close_call, .before = close_before, .state = state_, \
	.config = config_, .nr = mapped }
#define MAPPED_OF(name_, what, config_, ...) { \
	.name = name_, .call = what ## _call, .allowed = { __VA_ARGS__ }, \
	.state = RUNNING, .config = config_
#define MAPPED(name_, what, ...) MAPPED_OF(name_, what, BOTH, __VA_ARGS__)

static const struct path paths[] = {
	{ .name = "open", .call = open_call, .allowed = { ENOMEM, EFAULT, ENFILE },
	  .after = open_after },
	COMMAND("info", INFO, OPEN, ALL),
	COMMAND("configure-both", CONFIGURE, OPEN, BOTH, ENOMEM),
	COMMAND("configure-many-pids", CONFIGURE, OPEN, MANY_PIDS, ENOMEM),
	COMMAND("configure-tracepoint", CONFIGURE, OPEN, TRACEPOINT, ENOMEM),
	COMMAND("configure-faults", CONFIGURE, OPEN, FAULTS, ENOMEM),
	COMMAND("configure-names", CONFIGURE, OPEN, NAMES, ENOMEM),
	COMMAND("configure-groups", CONFIGURE, OPEN, GROUPS, ENOMEM),
	COMMAND("configure-rings", CONFIGURE, OPEN, RINGS, ENOMEM),
	COMMAND("configure-flight", CONFIGURE, OPEN, FLIGHT, ENOMEM),
	COMMAND("start-both", START, CONFIGURED, BOTH, ENOMEM),
	COMMAND("start-many-pids", START, CONFIGURED, MANY_PIDS, ENOMEM),
	COMMAND("start-faults", START, CONFIGURED, FAULTS, ENOMEM),
	COMMAND("start-groups", START, CONFIGURED, GROUPS, ENOMEM),
	COMMAND("start-rings", START, CONFIGURED, RINGS, ENOMEM),
	COMMAND("start-flight", START, CONFIGURED, FLIGHT, ENOMEM),
	COMMAND("flip-both", FLIP, RUNNING, BOTH),
	COMMAND("flip-stopped", FLIP, STOPPED, BOTH),
	COMMAND("flip-rings", FLIP, RUNNING, RINGS),
	COMMAND("stop-both", STOP, RUNNING, BOTH),
	COMMAND("stop-tracepoint", STOP, RUNNING, TRACEPOINT),
	COMMAND("stop-groups", STOP, RUNNING, GROUPS),
	COMMAND("stop-rings", STOP, RUNNING, RINGS),
	COMMAND("stop-flight", STOP, RUNNING, FLIGHT),
	COMMAND("push", PUSH, CONFIGURED, TABLES, ENOMEM),
	COMMAND("push-first", PUSH, CONFIGURED, ALL, ENOMEM),
	COMMAND("maps", MAPS, CONFIGURED, TABLES, ENOMEM),
	COMMAND("maps-running", MAPS, RUNNING, TABLES, ENOMEM),
	COMMAND("maps-stopped", MAPS, STOPPED, TABLES, ENOMEM),
	COMMAND("live", LIVE, OPEN, ALL, ENOMEM),
	COMMAND("event", EVENT, CONFIGURED, BOTH, ENOMEM),
	COMMAND("count", COUNT, RUNNING, BOTH),
	COMMAND("read", READ, RUNNING, BOTH, ENOMEM),
	COMMAND("configure-tables", CONFIGURE, OPEN, TABLES, ENOMEM),
	COMMAND("flip-tables", FLIP, RUNNING, TABLES),
	COMMAND("status", STATUS, RUNNING, BOTH),
	CLOSE("close-open", OPEN, ALL, 0),
	CLOSE("close-configured", CONFIGURED, BOTH, 1),
	CLOSE("close-running", RUNNING, BOTH, 1),
	CLOSE("close-running-tracepoint", RUNNING, TRACEPOINT, 0),
	CLOSE("close-stopped", STOPPED, BOTH, 1),
	CLOSE("close-tables", RUNNING, TABLES, 0),
	CLOSE("close-groups", RUNNING, GROUPS, 0),
	CLOSE("close-rings", RUNNING, RINGS, 1),
	CLOSE("close-flight", RUNNING, FLIGHT, 1),
	MAPPED("mmap", mmap, ENOMEM), .before = mmap_before, .after = mmap_after },
	MAPPED("mmap-populate", mmap, ENOMEM), .before = mmap_before, .after = mmap_after,
		.nr = MAP_POPULATE },
	/* While every page fault fails, it never ends. */
	MAPPED("touch", touch, 0), .before = mapped_before, .after = mapped_after,
		.one_only = true },
	MAPPED("touch-in-write", write, EFAULT, ENOMEM), .before = write_before,
		.after = write_after },
	MAPPED("munmap", munmap, ENOMEM), .before = mapped_before, .after = munmap_after },
	MAPPED("mprotect", mprotect, ENOMEM), .before = mapped_before,
		.after = mprotect_after },
	MAPPED_OF("mmap-rings", mmap, RINGS, ENOMEM), .before = mmap_before,
		.after = mmap_after },
	MAPPED_OF("mmap-tails", mmap, FLIGHT, ENOMEM), .before = mmap_before,
		.after = mmap_after, .tails = true },
	MAPPED_OF("mmap-tails-populate", mmap, RINGS, ENOMEM), .before = mmap_before,
		.after = mmap_after, .tails = true, .nr = MAP_POPULATE },
	MAPPED_OF("touch-rings", touch, RINGS, 0), .before = mapped_before,
		.after = mapped_after, .one_only = true },
	MAPPED_OF("touch-tails", touch, RINGS, 0), .before = mapped_before,
		.after = mapped_after, .tails = true, .one_only = true },
	MAPPED_OF("touch-tails-in-read", read, RINGS, EFAULT, ENOMEM), .before = read_before,
		.after = read_after, .tails = true },
	MAPPED_OF("munmap-rings", munmap, FLIGHT, ENOMEM), .before = mapped_before,
		.after = munmap_after },
	MAPPED_OF("munmap-tails", munmap, RINGS, ENOMEM), .before = mapped_before,
		.after = munmap_after, .tails = true },
	MAPPED("poll", poll, ENOMEM, EFAULT), .before = fd_before, .after = fd_after },
	MAPPED("epoll", epoll, ENOMEM, EFAULT), .before = fd_before, .after = fd_after },
	{ .name = "load", .call = load_call, .before = load_before, .after = load_after,
	  .allowed = { ENOMEM }, .in_init = true },
	{ .name = "unload", .call = unload_call, .before = unload_before,
	  .after = unload_after, .allowed = { EFAULT } },
};

static bool allowed(const struct path *path, long ret)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(path->allowed); i++)
		if (path->allowed[i] && ret == -path->allowed[i])
			return true;
	return !ret;
}

/* How a sweep went. */
struct sweep {
	unsigned int points, refused;
};

static struct sweep sweep(const struct path *path, enum mode mode, unsigned int step)
{
	struct sweep sweep = { 0 };
	unsigned int nth;
	bool fired = true;
	long ret;

	now = path;
	for (nth = 1; fired && !trouble[0]; nth += step) {
		thorough = nth % 8 == 1;
		if (path->before)
			path->before(path);
		inject_begin(mode, nth, path->in_init);
		ret = path->call();
		fired = inject_end(mode);
		thorough |= !fired;
		if (!fired && ret)
			wrong("nothing failed, and yet: %ld", ret);
		if (!allowed(path, ret))
			wrong("%ld", ret);
		if (path->after)
			path->after(path, ret);
		sweep.points += fired;
		sweep.refused += fired && ret;
		if (nth > POINTS_MAX)
			wrong("there is no end to it");
		if (trouble[0]) {
			size_t len = strlen(trouble);

			snprintf(trouble + len, sizeof(trouble) - len,
				 " (failure %u%s)", nth, mode ? " and all after it" : "");
		}
	}
	return sweep;
}

static void nothing_left(void)
{
	const char *left = what_is_left();

	if (left)
		wrong("all is closed, and %s", left);
	if (locked_kb())
		wrong("all is closed, and %ld KiB are charged", locked_kb());
}

static bool bad;

static void __attribute__((format(printf, 2, 3))) result(const char *name, const char *format, ...)
{
	va_list args;

	bad |= !!trouble[0];
	printf("%sok - %s", trouble[0] ? "not " : "", name);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	if (trouble[0])
		printf("#   %s\n", trouble);
	fflush(stdout);
	trouble[0] = 0;
}

static void path_run(const struct path *path)
{
	struct sweep one, all = { 0 };
	struct path dry = *path;
	time_t began = time(NULL);

	/* Once in peace: what is set up at the first time, and our own pages. */
	now = &dry;
	if (dry.before)
		dry.before(&dry);
	if (dry.call())
		wrong("in peace: %s", strerror(errno));
	if (dry.after)
		dry.after(&dry, 0);
	one = sweep(path, ONE, 1);
	if (!path->one_only)
		all = sweep(path, FROM_THEN_ON, 1 + one.points / BEGINNINGS);
	nothing_left();
	result(path->name, ": %u of %u failures refused, %u of %u with all after them; %ld s",
	       one.refused, one.points, all.refused, all.points, (long)(time(NULL) - began));
}

/*
 * A CPU comes online while a session runs: a worker makes its counter. The
 * allocations of that fail by way of tests/guest/modules/failat.c.
 */
#define CPU1		"/sys/devices/system/cpu/cpu1/online"

static void cpu1(const char *online)
{
	long runs = number_in(FAILAT("work_runs"));

	write_file(CPU1, online);
	/* The worker is there once for each coming and going. */
	while (number_in(FAILAT("work_runs")) == runs)
		usleep(1000);
}

static void hotplug_run(enum config config, const char *name)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN), left;
	unsigned int nth = 0, refused = 0;
	struct wallprof_status status;
	char text[16];

	fd = session_in(RUNNING, config);
	if (cpus < 2 || status_of(fd).counters != cpus)
		wrong("%u counters on %ld CPUs", status_of(fd).counters, cpus);
	before = status_of(fd);
	do {
		cpu1("0");
		status = status_of(fd);
		if (status.counters != cpus - 1 || status.counters_failed != refused)
			wrong("offline: %u counters, %u failed", status.counters,
			      status.counters_failed);
		snprintf(text, sizeof(text), "%u", ++nth);
		write_file(FAILAT("work_nth"), text);
		cpu1("1");
		left = number_in(FAILAT("work_left"));
		status = status_of(fd);
		if (status.counters_failed == refused + 1 && !left)
			refused++;
		else if (status.counters_failed != refused)
			wrong("failure %u: %u failed, not %u", nth,
			      status.counters_failed, refused);
		if (status.counters + status.counters_failed - before.counters_failed != cpus)
			wrong("failure %u: %u counters", nth, status.counters);
		before = status;
	} while (!left && !trouble[0]);
	live_on(fd, config);
	close(fd);
	nothing_left();
	if (!refused)
		wrong("none of %u failures was refused", nth - 1);
	result(name, ": %u of %u failures refused", refused, nth - 1);
}

/* The tables come from where failures are made: each kind alone reaches some. */
static void kinds_run(void)
{
	const struct path both = COMMAND("kinds", CONFIGURE, OPEN, BOTH, ENOMEM);
	struct sweep slab, pages;

	attr("fail_page_alloc", "min-order", "99");
	slab = sweep(&both, ONE, 1);
	attr("fail_page_alloc", "min-order", "0");
	attr("failslab", "cache-filter", "Y");
	pages = sweep(&both, ONE, 1);
	attr("failslab", "cache-filter", "N");
	/* Besides the three copies: the struct's in, out and out again. */
	if (slab.points <= 3 || pages.points <= 3)
		wrong("a kind of failure does not reach the tables");
	result("kinds", ": slab reaches %u, pages reach %u, with the copies", slab.points,
	       pages.points);
}

static const struct {
	const char *name;
	enum config config;
} hotplugs[] = {
	{ "hotplug-both", BOTH },
	{ "hotplug-tracepoint", TRACEPOINT },
	{ "hotplug-faults", FAULTS },
	{ "hotplug-rings", RINGS },
};

static int names_print(void)
{
	puts("kinds");
	for (unsigned int i = 0; i < ARRAY_SIZE(paths); i++)
		puts(paths[i].name);
	for (unsigned int i = 0; i < ARRAY_SIZE(hotplugs); i++)
		puts(hotplugs[i].name);
	return 0;
}

static bool wanted(const char *name, char **names)
{
	if (!*names)
		return true;
	for (; *names; names++)
		if (!strncmp(name, *names, strlen(*names)))
			return true;
	return false;
}

/* Makes a process that waits until we end. */
static void blocked_start(void)
{
	char path[64], text[64] = "";
	FILE *f;

	blocked_pid = fork();
	if (!blocked_pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		blocked_pid = 1;	/* present in its memory */
		for (;;)
			pause();
	}
	snprintf(path, sizeof(path), "/proc/%d/syscall", blocked_pid);
	/* "running", or the number of a system call: it has left its CPU. */
	while (text[0] < '0' || text[0] > '9') {
		usleep(1000);
		f = fopen(path, "r");
		if (!f || !fgets(text, sizeof(text), f))
			die(path);
		fclose(f);
	}
}

int main(int argc, char **argv)
{
	unsigned int i;

	if (argc == 2 && !strcmp(argv[1], "--names"))
		return names_print();
	/* Three that are there, many that are not. */
	for (i = 0; i < MANY; i++)
		many_ids[i] = i < 2 ? i + 1 : 0x3f000000 + i;
	many_ids[0] = getpid();
	many_ids[2] = 2;
	wakeup_id = number_in(WAKEUP_ID);
	blocked_start();
	inject_prepare();
	if (wanted("kinds", argv + 1))
		kinds_run();
	for (i = 0; i < ARRAY_SIZE(paths); i++)
		if (wanted(paths[i].name, argv + 1))
			path_run(&paths[i]);
	for (i = 0; i < ARRAY_SIZE(hotplugs); i++)
		if (wanted(hotplugs[i].name, argv + 1))
			hotplug_run(hotplugs[i].config, hotplugs[i].name);
	return bad;
}
