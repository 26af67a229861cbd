// SPDX-License-Identifier: GPL-2.0
/*
 * Thread ids of other pid namespaces: a program in a container knows its threads by other
 * numbers than those of our namespace.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/proc/nspid.h"

/*
 * The numbers of a thread: in our namespace, and in its own. False: it is gone.
 */
static bool read_numbers(__u32 pid, __u32 tid, __u32 *ours, __u32 *own)
{
	static const char blanks[] = " \t\n";
	char path[64], line[256], *at;
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/status", pid, tid);
	f = fopen(path, "re");
	if (!f)
		return false;
	while (!found && fgets(line, sizeof(line), f)) {
		if (strncmp(line, "NSpid:", strlen("NSpid:")))
			continue;
		*ours = 0;
		for (at = strtok(line + strlen("NSpid:"), blanks); at; at = strtok(NULL, blanks)) {
			*own = strtoul(at, NULL, 10);
			*ours = *ours ? *ours : *own;
		}
		found = *ours;
	}
	fclose(f);
	return found;
}

/* Search the threads of a process. */
static __u32 search(__u32 pid, __u32 wanted)
{
	__u32 ours, own, tid = 0;
	const struct dirent *entry;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	dir = opendir(path);
	if (!dir)
		return 0;
	while (!tid && (entry = readdir(dir))) {
		__u32 nr = strtoul(entry->d_name, NULL, 10);

		if (nr && read_numbers(pid, nr, &ours, &own) && own == wanted)
			tid = ours;
	}
	closedir(dir);
	return tid;
}

static bool exists(__u32 pid, __u32 tid, bool shared)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/task/%u", pid, tid);
	if (!access(path, F_OK))
		return true;
	/* That has a directory for each thread, although it does not list it. */
	snprintf(path, sizeof(path), "/proc/%u", tid);
	return shared && !access(path, F_OK);
}

/**
 * wp_nspid_find() - find a thread by the number that a program knows it by
 * @pid: the program's process, in our namespace
 * @tid: the number, in the namespace of that process
 * @shared: it may be a thread of another process. In another namespace than ours only
 *	those of @pid are found
 *
 * Return: its number in our namespace; 0: there is no such thread, or it is not found.
 */
__u32 wp_nspid_find(__u32 pid, __u32 tid, bool shared)
{
	__u32 ours, own;

	if (!tid || !read_numbers(pid, pid, &ours, &own))
		return 0;
	if (ours != own)
		return search(pid, tid);
	return exists(pid, tid, shared) ? tid : 0;
}
