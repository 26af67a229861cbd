// SPDX-License-Identifier: GPL-2.0
/*
 * Reads /proc/PID/maps. Names come from users and can contain anything.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/procdir.h"
#include "lib/proc/procmaps.h"
#include "lib/sandbox/openfile.h"

/* Limit of threads that end between two tries. */
#define MAX_TRIES	8

/* Half of what parsing a line costs: no call for each digit. */
static bool get_hex(char **p, __u64 *v, char end)
{
	char *from = *p, *at = from;
	__u64 n = 0;

	for (;; at++) {
		unsigned char c = *at;
		unsigned int digit = c - '0';

		if (digit > 9) {
			/* Of either case. */
			digit = (c | 0x20) - 'a';
			if (digit > 5)
				break;
			digit += 10;
		}
		n = n << 4 | digit;
	}
	*v = n;
	*p = at;
	if (at == from || at - from > 16 || *at != end)
		return false;
	(*p)++;
	return true;
}

/*
 * start-end rwxp pgoff maj:min ino    name
 *
 * Also false for mappings without any of @prot, which are most of them: this saves their
 * parsing.
 */
static bool parse_map(char *line, __u32 prot, struct wp_procmap *m)
{
	char *p = line, *rights = strchr(line, ' ');
	__u64 maj, min;

	if (!rights || strnlen(rights, 6) < 6 || rights[5] != ' ')
		return false;
	m->prot = (rights[1] == 'r' ? PROT_READ : 0) | (rights[2] == 'w' ? PROT_WRITE : 0) |
		  (rights[3] == 'x' ? PROT_EXEC : 0);
	m->flags = rights[4] == 's' ? MAP_SHARED : MAP_PRIVATE;
	if (prot && !(m->prot & prot))
		return false;
	if (!get_hex(&p, &m->start, '-') || !get_hex(&p, &m->end, ' ') || m->end <= m->start)
		return false;
	p += 5;
	if (!get_hex(&p, &m->pgoff, ' ') || !get_hex(&p, &maj, ':') || !get_hex(&p, &min, ' '))
		return false;
	m->maj = maj;
	m->min = min;
	if (!isdigit((unsigned char)*p))
		return false;
	m->ino = strtoull(p, &p, 10);
	if (*p && *p != ' ')
		return false;
	while (*p == ' ')
		p++;
	m->name = p;
	return true;
}

/*
 * A newline in a file name is shown as \012, and a name that contains these four
 * characters looks the same. The inode decides; if neither name leads to it, the newline
 * is taken as more likely.
 */
static void unescape(int dir, struct wp_procmap *m)
{
	char *from, *to;
	struct stat st;
	bool found;
	int root;

	if (!strstr(m->name, "\\012"))
		return;
	root = wp_openfile_rootat(dir);
	found = root >= 0 && !wp_openfile_stat(root, m->name, &st) && st.st_ino == m->ino;
	if (root >= 0)
		close(root);
	if (found)
		return;
	for (from = to = m->name; *from; ) {
		if (!strncmp(from, "\\012", 4)) {
			*to++ = '\n';
			from += 4;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
}

/*
 * If a process's first thread has ended, its /proc/PID has no memory; those of the other
 * threads do. Opens and reads one of them; returns its descriptor, or -1.
 */
static int read_survivor(struct wp_procmaps *t, int dir, ssize_t *len)
{
	unsigned int tries;
	ssize_t got;
	int other;

	for (tries = 0; tries < MAX_TRIES; tries++) {
		other = wp_procdir_living(dir);
		if (other < 0)
			break;
		got = wp_procfile_read(other, "maps", &t->text);
		if (got > 0 || got == -EBUSY)
			*len = got;
		if (got > 0)
			return other;
		close(other);
		if (got == -EBUSY)
			break;
	}
	return -1;
}

/**
 * wp_procmaps_each() - iterate over the mappings of a process
 * @t: buffer for the text; names point into it
 * @dir: descriptor of /proc/PID
 * @prot: only those with one of these PROT_* bits; 0: all
 * @fn: called for each, in order of address; a return value other than 0 ends the
 *	iteration
 * @ctx: passed to @fn
 *
 * Return: 0, -ESRCH if the process is gone, with the reason in errno; -EBUSY if its
 * memory map is locked: try again later; or what @fn returned.
 */
int wp_procmaps_each(struct wp_procmaps *t, int dir, __u32 prot, wp_procmap_fn fn, void *ctx)
{
	ssize_t len = wp_procfile_read(dir, "maps", &t->text);
	char *line, *end;
	int other = -1, ret = 0;

	/*
	 * If the process has no memory, the file is empty, or from 6.16 on cannot be
	 * opened.
	 */
	if (!len || len == -ESRCH)
		other = read_survivor(t, dir, &len);
	if (len == -EBUSY)
		return -EBUSY;
	if (len < 0) {
		errno = -len;
		return -ESRCH;
	}
	if (other >= 0)
		dir = other;
	for (line = t->text.text; len > 0 && *line && !ret; line = end) {
		struct wp_procmap m;

		end = strchr(line, '\n');
		if (!end)
			break;
		*end++ = '\0';
		if (!parse_map(line, prot, &m))
			continue;
		unescape(dir, &m);
		ret = fn(ctx, dir, &m);
	}
	if (other >= 0)
		close(other);
	return ret;
}

/**
 * wp_procmaps_free() - free the text
 * @t: the text
 */
void wp_procmaps_free(struct wp_procmaps *t)
{
	free(t->text.text);
	t->text = (struct wp_procfile_text){ 0 };
}
