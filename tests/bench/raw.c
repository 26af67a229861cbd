// SPDX-License-Identifier: GPL-2.0
/*
 * Runs in the guest: a session through the bare ioctls, around a command. What
 * the module costs without a reader, and with parts of it left out.
 *
 *	raw PARTS COMMAND...
 *
 * PARTS: lookup     the probe, its clock, two threads that are no targets
 *        intervals  every thread's intervals, all left out by the state filter
 *        sums       intervals are summed, without stacks
 *        split      and each is split at its wakeup
 *        why        and the waker and the reason of each wait are recorded
 *        user       intervals are summed with user stacks, not split
 *        kernel     with kernel stacks instead
 *        both       with both
 *
 * It empties the tables when the module asks for it and looks at nothing but
 * the heads. Says what was recorded, on stderr.
 */
#include <errno.h>
#include <poll.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/wallprof.h>

static struct wallprof_configure config = {
	.size = sizeof(config),
	.flags = WALLPROF_OFFCPU,
	.max_stack = WALLPROF_MAX_STACK,
	.nr_aggrs = 8192,
	.stack_words = 1 << 16,
	.nr_exits = 1024,
	.nr_tasks = 1 << 14,
};
static unsigned long long events, filtered, lost, nr_aggrs, nr_stacks, flips;

static void die(const char *what)
{
	fprintf(stderr, "raw: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void set_parts(const char *parts)
{
	static __u32 self;

	self = getpid();
	if (!strcmp(parts, "lookup")) {
		config.target = WALLPROF_TARGET_TID;
		config.targets = (__u64)(unsigned long)&self;
		config.nr_targets = 1;
	} else if (!strcmp(parts, "intervals")) {
		config.states = 1 << WALLPROF_STATE_TRACED;
	} else if (!strcmp(parts, "split")) {
		config.flags |= WALLPROF_WAKEUPS;
	} else if (!strcmp(parts, "why")) {
		config.flags |= WALLPROF_WAKEUPS | WALLPROF_WAKERS | WALLPROF_REASONS |
				WALLPROF_ARGS;
	} else if (!strcmp(parts, "user")) {
		config.stack_flags = WALLPROF_STACK_USER;
	} else if (!strcmp(parts, "kernel")) {
		config.stack_flags = WALLPROF_STACK_KERNEL;
	} else if (!strcmp(parts, "both")) {
		config.stack_flags = WALLPROF_STACK_USER | WALLPROF_STACK_KERNEL;
	} else if (strcmp(parts, "sums")) {
		errno = EINVAL;
		die(parts);
	}
}

static void flip(int fd, const char *map, unsigned int cpus)
{
	struct wallprof_flip f = { .size = sizeof(f) };
	unsigned int cpu, i;

	if (ioctl(fd, WALLPROF_IOC_FLIP, &f))
		die("FLIP");
	flips++;
	for (cpu = 0; cpu < cpus; cpu++) {
		const struct wallprof_half *half = (const void *)(map +
			config.cpus_offset + cpu * config.cpu_stride +
			f.epoch % 2 * config.half_stride);

		if (half->epoch != f.epoch)
			continue;
		events += half->events;
		filtered += half->filtered;
		nr_aggrs += half->nr_aggrs;
		nr_stacks += half->nr_stacks;
		for (i = 0; i < WALLPROF_LOSS_MAX; i++)
			lost += half->lost[i].count;
	}
}

int main(int argc, char **argv)
{
	struct wallprof_info info = { .size = sizeof(info) };
	struct wallprof_start start = { .size = sizeof(start) };
	struct wallprof_stop stop = { .size = sizeof(stop) };
	struct pollfd fds[2] = { { .events = POLLIN }, { .events = POLLIN } };
	const char *map;
	int fd, status;
	pid_t pid;

	if (argc < 3) {
		fprintf(stderr, "usage: raw PARTS COMMAND...\n");
		return 2;
	}
	set_parts(argv[1]);
	fd = open(WALLPROF_DEVICE, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		die(WALLPROF_DEVICE);
	if (ioctl(fd, WALLPROF_IOC_INFO, &info))
		die("INFO");
	if (ioctl(fd, WALLPROF_IOC_CONFIGURE, &config))
		die("CONFIGURE");
	map = mmap(NULL, config.map_bytes, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		die("mmap");
	if (ioctl(fd, WALLPROF_IOC_START, &start))
		die("START");
	pid = fork();
	if (!pid) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	fds[0].fd = fd;
	fds[1].fd = syscall(SYS_pidfd_open, pid, 0);
	if (pid < 0 || fds[1].fd < 0)
		die("fork");
	while (poll(fds, 2, -1) > 0 && !fds[1].revents)
		flip(fd, map, info.nr_cpus);
	waitpid(pid, &status, 0);
	if (ioctl(fd, WALLPROF_IOC_STOP, &stop))
		die("STOP");
	flip(fd, map, info.nr_cpus);
	fprintf(stderr,
		"raw: %llu intervals, %llu left out, %llu lost, %llu sums, %llu stacks, %llu epochs\n",
		events, filtered, lost, nr_aggrs, nr_stacks, flips);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
