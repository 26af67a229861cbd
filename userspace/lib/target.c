// SPDX-License-Identifier: GPL-2.0
/*
 * Whom to record: parses -p, -t and -u, and looks in /proc whether they are
 * there. Called by the record command before anything else is set up, so that
 * a mistake costs nothing.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/device.h"
#include "lib/err.h"
#include "lib/target.h"

/**
 * wp_target_free() - forget whom
 * @t: the target
 */
void wp_target_free(struct wp_target *t)
{
	free(t->ids);
	free(t->tgids);
	memset(t, 0, sizeof(*t));
}

static int parse_number(const char *word, unsigned long limit, __u32 *id)
{
	unsigned long n;
	char *end;

	if (!isdigit((unsigned char)*word))
		return -EINVAL;
	errno = 0;
	n = strtoul(word, &end, 10);
	if (errno || *end || n > limit)
		return -EINVAL;
	*id = n;
	return 0;
}

static int parse_id(__u32 kind, const char *word, __u32 *id)
{
	const struct passwd *pw;

	if (kind != WALLPROF_TARGET_UID) {
		if (!parse_number(word, INT_MAX, id) && *id)
			return 0;
		wp_err("'%s' is no %s id", word,
		       kind == WALLPROF_TARGET_PID ? "process" : "thread");
		return -EINVAL;
	}
	if (!parse_number(word, UINT_MAX - 1, id))
		return 0;
	errno = 0;
	pw = getpwnam(word);
	if (!pw) {
		wp_err("there is no user '%s'%s%s", word, errno ? ": " : "",
		       errno ? strerror(errno) : "");
		return -EINVAL;
	}
	*id = pw->pw_uid;
	return 0;
}

static int add_id(struct wp_target *t, __u32 id)
{
	__u32 *ids, i;

	for (i = 0; i < t->nr; i++) {
		if (t->ids[i] == id)
			return 0;
	}
	if (t->nr == WALLPROF_MAX_TARGETS) {
		wp_err("more than %u ids are too many", WALLPROF_MAX_TARGETS);
		return -EINVAL;
	}
	ids = reallocarray(t->ids, t->nr + 1, sizeof(*ids));
	if (!ids) {
		wp_err("out of memory");
		return -ENOMEM;
	}
	t->ids = ids;
	t->ids[t->nr++] = id;
	return 0;
}

/**
 * wp_target_parse() - parse a list of ids
 * @t: set to it
 * @kind: WALLPROF_TARGET_PID, _TID or _UID
 * @list: numbers, of users also names, separated by commas
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_target_parse(struct wp_target *t, __u32 kind, const char *list)
{
	char *words = strdup(list), *rest = words, *word;
	int err = words ? 0 : -ENOMEM;

	wp_target_free(t);
	t->kind = kind;
	while (!err && (word = strsep(&rest, ","))) {
		__u32 id;

		err = parse_id(kind, word, &id);
		if (!err)
			err = add_id(t, id);
	}
	free(words);
	if (err)
		wp_target_free(t);
	return err;
}

/**
 * wp_target_set() - make one process the target
 * @t: the target
 * @pid: the process
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_target_set(struct wp_target *t, __u32 pid)
{
	wp_target_free(t);
	t->kind = WALLPROF_TARGET_PID;
	return add_id(t, pid);
}

/* The process of a thread, 0 if it is gone. */
static __u32 process_of(__u32 tid)
{
	char path[64], line[256];
	unsigned int tgid = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/status", tid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "Tgid: %u", &tgid) == 1)
			break;
	}
	fclose(f);
	return tgid;
}

/**
 * wp_target_resolve() - find the processes of the target
 * @t: the target; a thread id that -p was given becomes that of its process
 *
 * Return: 0, or -ESRCH if one is not there, or another negative errno; a
 * message was printed.
 */
int wp_target_resolve(struct wp_target *t)
{
	__u32 i;

	if (t->kind != WALLPROF_TARGET_PID && t->kind != WALLPROF_TARGET_TID)
		return 0;
	free(t->tgids);
	t->tgids = calloc(t->nr, sizeof(*t->tgids));
	if (!t->tgids) {
		wp_err("out of memory");
		return -ENOMEM;
	}
	for (i = 0; i < t->nr; i++) {
		t->tgids[i] = process_of(t->ids[i]);
		if (!t->tgids[i]) {
			wp_err("Couldn't create thread/CPU maps: No such process (%s %u)",
			       t->kind == WALLPROF_TARGET_PID ? "process" : "thread",
			       t->ids[i]);
			return -ESRCH;
		}
		if (t->kind == WALLPROF_TARGET_PID)
			t->ids[i] = t->tgids[i];
	}
	return 0;
}

/**
 * wp_count_threads() - how many threads the host has
 *
 * Return: the number; 0 if it cannot be told.
 */
__u32 wp_count_threads(void)
{
	unsigned int nr = 0;
	FILE *f;

	f = fopen("/proc/loadavg", "re");
	if (!f)
		return 0;
	if (fscanf(f, "%*f %*f %*f %*u/%u", &nr) != 1)
		nr = 0;
	fclose(f);
	return nr;
}
