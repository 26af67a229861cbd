// SPDX-License-Identifier: GPL-2.0
/*
 * A process that is stopped: its code from /proc/PID/maps, its memory from
 * /proc/PID/mem.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process.h"

struct process {
	pid_t pid;
	int mem;
	char *text;		/* of /proc/PID/maps */
	struct ours *ours;
};

static bool read_memory(void *ctx, u64 addr, void *to, size_t size)
{
	const struct process *p = ctx;

	return pread(p->mem, to, size, addr) == (ssize_t)size;
}

/* NULL if the process has none any more: it ends. */
static char *read_maps(pid_t pid)
{
	size_t size = 0, room = 1 << 16;
	char name[64], *text = malloc(room);
	ssize_t n;
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/maps", pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (!text || (fd < 0 && errno != ESRCH && errno != ENOENT))
		err(2, "%s", name);
	while (fd >= 0 && (n = read(fd, text + size, room - size - 1)) > 0) {
		size += n;
		if (room - size < 1 << 14) {
			room *= 2;
			text = realloc(text, room);
			if (!text)
				err(2, "%s", name);
		}
	}
	close(fd);
	text[size] = '\0';
	if (size)
		return text;
	free(text);
	return NULL;
}

static void add_map(struct process *p, const char *line)
{
	char perms[8], name[256] = "", path[300];
	uint64_t start, end, offset;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %255[^\n]",
		   &start, &end, perms, &offset, name) < 4 || perms[2] != 'x')
		return;
	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, p->pid,
		 start, end);
	ours_map(p->ours, start, end, offset, *name ? name : "anon", path);
}

/* Look at the mappings again: whether they changed. */
enum mappings process_refresh(struct process *p)
{
	char *text = read_maps(p->pid), *line, *next;
	bool same = p->text && text && !strcmp(p->text, text);
	char name[64];

	if (!text)
		return MAPPINGS_GONE;
	free(p->text);
	p->text = text;
	if (same)
		return MAPPINGS_SAME;
	/* After an exec the memory is another one. */
	if (p->mem >= 0)
		close(p->mem);
	snprintf(name, sizeof(name), "/proc/%d/mem", p->pid);
	p->mem = open(name, O_RDONLY | O_CLOEXEC);
	if (p->mem < 0 && (errno == ESRCH || errno == ENOENT))
		return MAPPINGS_GONE;
	if (p->mem < 0)
		err(2, "%s", name);
	ours_unmap_all(p->ours);
	for (line = text; *line; line = next + 1) {
		next = strchr(line, '\n');
		if (!next)
			break;
		add_map(p, line);
	}
	return MAPPINGS_CHANGED;
}

struct process *process_new(pid_t pid)
{
	struct process *p = calloc(1, sizeof(*p));

	if (!p)
		err(2, "process");
	p->pid = pid;
	p->mem = -1;
	p->ours = ours_new(read_memory, p);
	return p;
}

void process_free(struct process *p)
{
	close(p->mem);
	free(p->text);
	ours_free(p->ours);
	free(p);
}

struct ours *process_ours(struct process *p)
{
	return p->ours;
}
