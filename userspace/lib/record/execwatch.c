// SPDX-License-Identifier: GPL-2.0
/*
 * Wakes a thread when any process of the host executes a program, by perf's event of the
 * tracepoint sched_process_exec on each CPU. Births and ends of threads do not wake it,
 * unlike what sideband.c waits for. Called by mapsync.c, which can do without.
 *
 * The rings are only there because perf wakes nobody without. They are mapped read-only,
 * so the kernel overwrites what is in them, and nothing is ever read.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/perfdata/attrsize.h"
#include "lib/perfdata/tracepoint.h"
#include "lib/record/execwatch.h"

#define RECHECK_NS	1000000000ULL	/* interval between looks for CPUs that have come */
#define SPARE_FILES	512		/* descriptors that others need */

struct exec_ring {
	int fd;			/* -1: the CPU is offline */
	void *pages;
};

struct wp_execwatch {
	struct perf_event_attr attr;
	int epoll;
	unsigned int nr;
	__u64 looked;
	struct exec_ring ring[];	/* by number of the CPU */
};

static size_t ring_bytes(void)
{
	return 2 * sysconf(_SC_PAGESIZE);
}

static void close_ring(struct exec_ring *ring)
{
	if (ring->fd < 0)
		return;
	munmap(ring->pages, ring_bytes());
	close(ring->fd);
	ring->fd = -1;
}

/* Returns 0, also for a CPU that is offline, or a negative errno. */
static int open_ring(struct wp_execwatch *watch, unsigned int cpu)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = cpu };
	struct exec_ring *ring = &watch->ring[cpu];
	int err;

	ring->fd = syscall(SYS_perf_event_open, &watch->attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (ring->fd < 0)
		return errno == ENODEV ? 0 : -errno;
	ring->pages = mmap(NULL, ring_bytes(), PROT_READ, MAP_SHARED, ring->fd, 0);
	if (ring->pages == MAP_FAILED) {
		err = -errno;
		close(ring->fd);
		ring->fd = -1;
		return err;
	}
	if (!epoll_ctl(watch->epoll, EPOLL_CTL_ADD, ring->fd, &event))
		return 0;
	err = -errno;
	close_ring(ring);
	return err;
}

/* A descriptor for each CPU, in addition to those of sideband.c. */
static int have_files(unsigned int nr_cpus)
{
	struct rlimit limit;
	rlim_t need = 2 * (rlim_t)nr_cpus + SPARE_FILES;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return -errno;
	if (limit.rlim_cur >= need)
		return 0;
	if (limit.rlim_max < need)
		return -EMFILE;
	limit.rlim_cur = need;
	return setrlimit(RLIMIT_NOFILE, &limit) ? -errno : 0;
}

static int open_all(struct wp_execwatch *watch)
{
	struct wp_tracepoint tp;
	unsigned int i;
	int err;

	if (watch->epoll < 0)
		return -EMFILE;
	err = have_files(watch->nr);
	if (err)
		return err;
	err = wp_tracepoint_read(&tp, NULL, "sched", "sched_process_exec");
	if (err)
		return err;
	watch->attr = (struct perf_event_attr){
		.type = PERF_TYPE_TRACEPOINT,
		.size = WP_ATTRSIZE,
		.config = tp.id,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TID,
		.wakeup_events = 1,
	};
	wp_tracepoint_free(&tp);
	for (i = 0; i < watch->nr && !err; i++)
		err = open_ring(watch, i);
	return err;
}

/**
 * wp_execwatch_open() - begin to watch all CPUs
 * @out: the watch, or NULL
 *
 * Prints nothing: it needs tracefs, which only root may read, and a little locked memory.
 *
 * Return: 0 or a negative errno.
 */
int wp_execwatch_open(struct wp_execwatch **out)
{
	unsigned int nr = sysconf(_SC_NPROCESSORS_CONF), i;
	struct wp_execwatch *watch = malloc(sizeof(*watch) + nr * sizeof(watch->ring[0]));
	int err;

	*out = NULL;
	if (!watch)
		return -ENOMEM;
	*watch = (struct wp_execwatch){ .nr = nr, .epoll = epoll_create1(EPOLL_CLOEXEC) };
	for (i = 0; i < nr; i++)
		watch->ring[i].fd = -1;
	err = open_all(watch);
	if (err)
		wp_execwatch_close(watch);
	else
		*out = watch;
	return err;
}

/**
 * wp_execwatch_fd() - descriptor to poll
 * @watch: the watch, or NULL
 *
 * Return: a descriptor that one poll() finds readable after a program was executed, see
 * wp_execwatch_take(); -1 without @watch.
 */
int wp_execwatch_fd(const struct wp_execwatch *watch)
{
	return watch ? watch->epoll : -1;
}

/**
 * wp_execwatch_take() - note that the descriptor was readable
 * @watch: the watch
 *
 * An event that has ended, as its CPU may have gone, would make it readable for good.
 */
void wp_execwatch_take(struct wp_execwatch *watch)
{
	struct epoll_event event;

	while (epoll_wait(watch->epoll, &event, 1, 0) == 1)
		if (event.events & (EPOLLHUP | EPOLLERR))
			close_ring(&watch->ring[event.data.u32]);
}

/**
 * wp_execwatch_look() - watch CPUs that have come online, now and then
 * @watch: the watch, or NULL
 * @now: the time
 *
 * A CPU that went and came back since the last look is not watched any more.
 */
void wp_execwatch_look(struct wp_execwatch *watch, __u64 now)
{
	unsigned int i;

	if (!watch || now - watch->looked < RECHECK_NS)
		return;
	watch->looked = now;
	for (i = 0; i < watch->nr; i++) {
		if (watch->ring[i].fd < 0 && open_ring(watch, i))
			wp_debug("CPU %u: programs that start there are found late", i);
	}
}

/**
 * wp_execwatch_close() - stop watching
 * @watch: the watch, or NULL
 */
void wp_execwatch_close(struct wp_execwatch *watch)
{
	unsigned int i;

	if (!watch)
		return;
	for (i = 0; i < watch->nr; i++)
		close_ring(&watch->ring[i]);
	if (watch->epoll >= 0)
		close(watch->epoll);
	free(watch);
}
