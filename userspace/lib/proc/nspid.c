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

static int add(struct wp_nsprocess *p, __u32 ours, __u32 own)
{
	struct wp_nsthread *more;

	if (p->nr == p->room) {
		p->room = p->room ? p->room * 2 : 64;
		more = reallocarray(p->thread, p->room, sizeof(*more));
		if (!more)
			return -ENOMEM;
		p->thread = more;
	}
	p->thread[p->nr++] = (struct wp_nsthread){ ours, own };
	return 0;
}

/* Read the threads of a process of another namespace than ours. */
static void read_threads(struct wp_nsprocess *p)
{
	const struct dirent *entry;
	__u32 ours, own;
	char path[64];
	int err = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/task", p->pid);
	dir = opendir(path);
	if (!dir)
		return;
	while (!err && (entry = readdir(dir))) {
		__u32 nr = strtoul(entry->d_name, NULL, 10);

		if (nr && read_numbers(p->pid, nr, &ours, &own))
			err = add(p, ours, own);
	}
	closedir(dir);
}

/* A process, read when it is looked for first; NULL: no memory. */
static const struct wp_nsprocess *process_of(struct wp_nspids *all, __u32 pid)
{
	struct wp_nsprocess *p;
	__u32 ours, own;
	size_t i;

	for (i = all->nr; i-- > 0;) {
		if (all->process[i].pid == pid)
			return &all->process[i];
	}
	p = reallocarray(all->process, all->nr + 1, sizeof(*p));
	if (!p)
		return NULL;
	all->process = p;
	p += all->nr++;
	*p = (struct wp_nsprocess){ .pid = pid };
	if (!read_numbers(pid, pid, &ours, &own))
		return p;
	p->is_ours = ours == own;
	if (!p->is_ours)
		read_threads(p);
	return p;
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
 * wp_nspids_find() - find a thread by the number that a program knows it by
 * @all: what was read so far. A thread that began since a process was read is not found
 * @pid: the program's process, in our namespace
 * @tid: the number, in the namespace of that process
 * @shared: it may be a thread of another process. In another namespace than ours only
 *	those of @pid are found
 *
 * Return: its number in our namespace; 0: there is no such thread, or it is not found.
 */
__u32 wp_nspids_find(struct wp_nspids *all, __u32 pid, __u32 tid, bool shared)
{
	const struct wp_nsprocess *p = tid ? process_of(all, pid) : NULL;
	size_t i;

	if (!p)
		return 0;
	if (p->is_ours)
		return exists(pid, tid, shared) ? tid : 0;
	for (i = 0; i < p->nr; i++) {
		if (p->thread[i].own == tid)
			return p->thread[i].ours;
	}
	return 0;
}

/**
 * wp_nspid_own() - number of a thread in its own namespace
 * @pid: its process
 * @tid: its number in our namespace
 *
 * Return: the number; 0: it is gone.
 */
__u32 wp_nspid_own(__u32 pid, __u32 tid)
{
	__u32 ours, own;

	return read_numbers(pid, tid, &ours, &own) ? own : 0;
}

/**
 * wp_nspids_free() - free what was read
 * @all: it
 */
void wp_nspids_free(struct wp_nspids *all)
{
	while (all->nr)
		free(all->process[--all->nr].thread);
	free(all->process);
	all->process = NULL;
}
