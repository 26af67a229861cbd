// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the reading of what a thread is: its process's name, whether it is a kernel
 * thread, when it was born, and the command line. Called by the commands top and stacks.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/procfile.h"
#include "lib/proc/procabout.h"

#define PF_KTHREAD	0x00200000U	/* include/linux/sched.h */
#define NSEC_PER_SEC	1000000000ULL
/* More of a command line is of no use on a screen. */
#define MAX_COMMAND	4096

/* A file that no lock of the process guards. */
static bool read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, text, size - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	return n > 0;
}

static __u64 since_boot(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

/**
 * wp_procabout_read() - what a thread is
 * @pid: its process
 * @tid: the thread
 * @about: set to it
 *
 * Return: false if it is gone, or may not be looked at.
 */
bool wp_procabout_read(__u32 pid, __u32 tid, struct wp_procabout *about)
{
	unsigned long long start = 0, hz = sysconf(_SC_CLK_TCK);
	char path[64], text[1024], *end;
	unsigned int flags = 0;
	__u64 now, born;

	memset(about, 0, sizeof(*about));
	snprintf(path, sizeof(path), "/proc/%u/task/%u/stat", pid, tid);
	if (!read_text(path, text, sizeof(text)))
		return false;
	/* "TID (NAME) STATE PPID PGRP SESSION TTY TPGID FLAGS ... STARTTIME": see proc(5). */
	end = strrchr(text, ')');
	if (!end || sscanf(end + 1,
			   " %*c %*d %*d %*d %*d %*d %u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
			   &flags, &start) != 2)
		return false;
	about->kthread = flags & PF_KTHREAD;
	born = hz ? start / hz * NSEC_PER_SEC + start % hz * NSEC_PER_SEC / hz : 0;
	now = since_boot();
	about->age = now > born ? now - born : 0;
	snprintf(path, sizeof(path), "/proc/%u/comm", pid);
	if (read_text(path, text, sizeof(text))) {
		/* The last one is the line's end; others are the name's. */
		end = strrchr(text, '\n');
		if (end)
			*end = 0;
		snprintf(about->process, sizeof(about->process), "%.15s", text);
	}
	return true;
}

/**
 * wp_procabout_command() - the command line of a process
 * @pid: the process
 *
 * It stands in the process's memory: reading it may bring a page back from swap.
 *
 * Return: its words with spaces between them, whatever bytes they are of, to be freed;
 * NULL if there is none, as of kernel threads, or no memory.
 */
char *wp_procabout_command(__u32 pid)
{
	struct wp_procfile_text text = { 0 };
	char path[32];
	ssize_t n, i;
	int dir;

	snprintf(path, sizeof(path), "/proc/%u", pid);
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return NULL;
	n = wp_procfile_read(dir, "cmdline", &text);
	close(dir);
	if (n > MAX_COMMAND)
		n = MAX_COMMAND;
	while (n > 0 && !text.text[n - 1])
		n--;
	if (n <= 0) {
		free(text.text);
		return NULL;
	}
	for (i = 0; i < n; i++) {
		if (!text.text[i])
			text.text[i] = ' ';
	}
	text.text[n] = 0;
	return text.text;
}
