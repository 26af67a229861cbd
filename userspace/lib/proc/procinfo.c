// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the description of a thread from /proc: its process's name, whether it is a
 * kernel thread, its age, and the command line. Called by the commands top and stacks.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/procfile.h"
#include "lib/proc/procinfo.h"

#define PF_KTHREAD	0x00200000U	/* include/linux/sched.h */
#define NSEC_PER_SEC	1000000000ULL
/* Limit for a command line, as more is useless on a screen. No page is smaller. */
#define MAX_COMMAND	4096

/* Read a file that needs no lock of the process. */
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

/* On some kernels this waits for the lock that execve() holds. */
static bool read_stat(__u32 pid, __u32 tid, struct wp_procfile_text *text)
{
	char path[64];
	ssize_t n;
	int dir;

	snprintf(path, sizeof(path), "/proc/%u", pid);
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return false;
	snprintf(path, sizeof(path), "task/%u/stat", tid);
	n = wp_procfile_read_at(dir, path, 0, WP_PROCFILE_STAT, text);
	close(dir);
	return n > 0;
}

static __u64 since_boot(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

/**
 * wp_procinfo_read() - read the description of a thread
 * @pid: its process
 * @tid: the thread
 * @info: filled in
 *
 * Return: false if it is gone, without permission, or if its process is busy.
 */
bool wp_procinfo_read(__u32 pid, __u32 tid, struct wp_procinfo *info)
{
	unsigned long long start = 0, hz = sysconf(_SC_CLK_TCK);
	struct wp_procfile_text stat = { 0 };
	char path[64], text[1024], *end;
	unsigned int flags = 0;
	__u64 now, born;
	bool good;

	memset(info, 0, sizeof(*info));
	good = read_stat(pid, tid, &stat);
	/* "TID (NAME) STATE PPID PGRP SESSION TTY TPGID FLAGS ... STARTTIME": see proc(5). */
	end = good ? strrchr(stat.text, ')') : NULL;
	good = end && sscanf(end + 1,
			     " %*c %*d %*d %*d %*d %*d %u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
			     &flags, &start) == 2;
	free(stat.text);
	if (!good)
		return false;
	info->kthread = flags & PF_KTHREAD;
	born = hz ? start / hz * NSEC_PER_SEC + start % hz * NSEC_PER_SEC / hz : 0;
	now = since_boot();
	info->age = now > born ? now - born : 0;
	snprintf(path, sizeof(path), "/proc/%u/comm", pid);
	if (read_text(path, text, sizeof(text))) {
		/* The last one ends the line; others belong to the name. */
		end = strrchr(text, '\n');
		if (end)
			*end = 0;
		snprintf(info->process, sizeof(info->process), "%.15s", text);
	}
	return true;
}

/*
 * Bits of an entry of /proc/PID/pagemap: the page is in memory; it is in swap, or being
 * moved.
 */
#define PAGE_PRESENT	(1ULL << 63)
#define PAGE_SWAPPED	(1ULL << 62)

/*
 * Addresses of the arguments, and of the end of what may follow them; false without
 * permission.
 */
static bool arguments(int dir, __u64 *start, __u64 *end)
{
	/* arg_start and later: see proc(5). */
	static const unsigned int first = 48;
	struct wp_procfile_text text = { 0 };
	unsigned long long at[4] = { 0 };
	char *field = NULL;
	unsigned int i;
	bool good;

	if (wp_procfile_read_at(dir, "stat", 0, WP_PROCFILE_STAT, &text) > 0)
		field = strrchr(text.text, ')');
	/* The parenthesis ends the name, which is field 2. */
	for (i = 2; field && i < first; i++)
		field = strchr(field + 1, ' ');
	good = field && sscanf(field, " %llu %llu %llu %llu", &at[0], &at[1], &at[2], &at[3]) == 4;
	free(text.text);
	if (!good)
		return false;
	*start = at[0];
	*end = at[1] == at[2] && at[3] > at[1] ? at[3] : at[1];
	return at[0] && at[1] > at[0];
}

/*
 * Whether MAX_COMMAND bytes from an address on can be read without swapping in or
 * allocating a page: up to @end all pages are in memory, and none of those after it is in
 * swap. The kernel reads these, too, if it finds that the arguments were overwritten.
 */
static bool is_resident(int dir, __u64 from, __u64 end)
{
	struct wp_procfile_text text = { 0 };
	__u64 size = sysconf(_SC_PAGESIZE), first = from / size, nr, i, page;
	bool resident;
	ssize_t n;

	nr = (from + MAX_COMMAND - 1) / size - first + 1;
	n = wp_procfile_read_at(dir, "pagemap", first * sizeof(page), nr * sizeof(page), &text);
	resident = n >= (ssize_t)sizeof(page);
	for (i = 0; resident && i < nr && (i + 1) * sizeof(page) <= (size_t)n; i++) {
		memcpy(&page, text.text + i * sizeof(page), sizeof(page));
		resident = page & PAGE_PRESENT ||
			((first + i) * size >= end && !(page & PAGE_SWAPPED));
	}
	free(text.text);
	return resident;
}

/* Whether a process has nothing in swap, which needs no permission to read. */
static bool has_no_swap(int dir)
{
	char text[4096], *at;
	unsigned long long kb;
	ssize_t n;
	int fd;

	fd = openat(dir, "status", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	/* Newlines in the name, which comes before, are escaped. */
	at = strstr(text, "\nVmSwap:");
	return at && sscanf(at + 8, "%llu", &kb) == 1 && !kb;
}

/* Whether the command line can be read without changing the process's memory. */
static bool can_read_command(int dir)
{
	__u64 start, end, last;

	if (!arguments(dir, &start, &end))
		return has_no_swap(dir);
	/* The kernel checks the last byte to see whether they were overwritten. */
	last = end - 1;
	return is_resident(dir, start, end) &&
		(last - start < MAX_COMMAND || is_resident(dir, last, end));
}

/**
 * wp_procinfo_command() - command line of a process
 * @pid: the process
 *
 * It is in the process's memory: it is read only while that is resident.
 *
 * Return: its words, separated by spaces, unsanitized, to be freed; NULL if there is
 * none, as for kernel threads, it is not in memory, or no memory is left.
 */
char *wp_procinfo_command(__u32 pid)
{
	struct wp_procfile_text text = { 0 };
	char path[32];
	ssize_t n = -1, i;
	int dir;

	snprintf(path, sizeof(path), "/proc/%u", pid);
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return NULL;
	if (can_read_command(dir))
		n = wp_procfile_read_at(dir, "cmdline", 0, MAX_COMMAND, &text);
	close(dir);
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
