// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the choice of a process's directory in /proc. /proc/PID is that of the first
 * thread. If that thread has ended and others are alive, the process's memory, files,
 * root and namespaces are not visible there, but they are in /proc/TID of a live thread,
 * which has the same entries, map_files included. Called from any thread.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/dir.h"
#include "lib/base/procdir.h"
#include "lib/base/procfile.h"

/**
 * wp_procdir_has_ended() - whether a thread is a zombie or dead
 * @stat: the text of its stat file
 *
 * Return: true if it is.
 */
bool wp_procdir_has_ended(const char *stat)
{
	/* The name before it can contain anything. */
	const char *state = strrchr(stat, ')');

	return state && state[1] == ' ' && state[2] && strchr("ZX", state[2]);
}

/* Reads "status", as "stat" waits for the lock that execve() holds on some kernels. */
static bool has_ended(int dir)
{
	char text[1024], *state;
	ssize_t n;
	int fd = openat(dir, "status", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return true;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return true;
	text[n] = '\0';
	/* Newlines in the name, which comes before, are escaped. */
	state = strstr(text, "\nState:\t");
	return state && state[8] && strchr("ZX", state[8]);
}

/**
 * wp_procdir_living() - a live thread of a process whose first one has ended
 * @dir: descriptor of /proc/PID
 *
 * Return: descriptor of that thread's directory, which can replace @dir; -1 if the first
 * thread is alive, or none is.
 */
int wp_procdir_living(int dir)
{
	char path[sizeof(((struct dirent *)0)->d_name) + 4];
	struct dirent *e;
	int other = -1;
	DIR *d;

	if (!has_ended(dir))
		return -1;
	d = wp_opendirat(dir, "task");
	while (d && other < 0 && (e = readdir(d))) {
		if (!isdigit((unsigned char)*e->d_name))
			continue;
		snprintf(path, sizeof(path), "../%s", e->d_name);
		other = openat(dir, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (other >= 0 && has_ended(other)) {
			close(other);
			other = -1;
		}
	}
	if (d)
		closedir(d);
	return other;
}

/**
 * wp_procdir_open() - open a process's directory
 * @pid: the process
 *
 * Return: descriptor of /proc/PID or, if the first thread has ended, of that of a live
 * thread; a negative errno.
 */
int wp_procdir_open(__u32 pid)
{
	char path[32];
	int dir, other;

	snprintf(path, sizeof(path), "/proc/%u", pid);
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -errno;
	other = wp_procdir_living(dir);
	if (other < 0)
		return dir;
	close(dir);
	return other;
}

/**
 * wp_procdir_mapping() - open the file of a mapping, whatever its path leads to
 * @dir: descriptor of /proc/PID
 * @start: first address of the mapping
 * @end: its end, exclusive
 *
 * Return: an O_PATH descriptor; -EBUSY as wp_procfile_open(), or another negative errno:
 * there is no such mapping now, or no permission.
 */
int wp_procdir_mapping(int dir, __u64 start, __u64 end)
{
	char path[64];
	int place, other;

	snprintf(path, sizeof(path), "map_files/%llx-%llx", (unsigned long long)start,
		 (unsigned long long)end);
	place = wp_procfile_open(dir, path, O_PATH);
	if (place >= 0 || place == -EBUSY)
		return place;
	other = wp_procdir_living(dir);
	if (other < 0)
		return place;
	place = wp_procfile_open(other, path, O_PATH);
	close(other);
	return place;
}
