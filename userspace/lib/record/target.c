// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the parsing of the target options -p, -t, -u, --comm and -G, and checks in /proc
 * and in the control group hierarchy that the targets exist. Called by the record command
 * before anything else is set up, so that a mistake costs nothing.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <mntent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/err.h"
#include "lib/base/hostlibs.h"
#include "lib/device/device.h"
#include "lib/record/target.h"

/**
 * wp_target_free() - free a target
 * @t: the target
 */
void wp_target_free(struct wp_target *t)
{
	free(t->ids);
	free(t->names);
	free(t->groups);
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
	if (kind != WALLPROF_TARGET_UID) {
		if (!parse_number(word, INT_MAX, id) && *id)
			return 0;
		wp_err("'%s' is not a %s id", word,
		       kind == WALLPROF_TARGET_PID ? "process" : "thread");
		return -EINVAL;
	}
	if (!parse_number(word, UINT_MAX - 1, id))
		return 0;
	return wp_hostlibs_user(word, id);
}

/* Make room for one more entry of @size bytes in one of the lists. */
static int grow(const struct wp_target *t, void **list, size_t size)
{
	void *grown;

	if (t->nr == WALLPROF_MAX_TARGETS) {
		wp_err("more than %u targets are too many", WALLPROF_MAX_TARGETS);
		return -EINVAL;
	}
	grown = reallocarray(*list, t->nr + 1, size);
	if (!grown) {
		wp_err("out of memory");
		return -ENOMEM;
	}
	*list = grown;
	return 0;
}

static int add_id(struct wp_target *t, __u32 id)
{
	__u32 i;
	int err;

	for (i = 0; i < t->nr; i++) {
		if (t->ids[i] == id)
			return 0;
	}
	err = grow(t, (void **)&t->ids, sizeof(*t->ids));
	if (!err)
		t->ids[t->nr++] = id;
	return err;
}

/* The kernel truncates thread names as well. */
static int add_name(struct wp_target *t, const char *word)
{
	int err;

	if (!*word) {
		wp_err("'' is not the name of a thread");
		return -EINVAL;
	}
	err = grow(t, (void **)&t->names, sizeof(*t->names));
	if (err)
		return err;
	if (strlen(word) >= WALLPROF_COMM_LEN)
		wp_warn("--comm: threads have names of %u bytes at most: '%.*s'",
			WALLPROF_COMM_LEN - 1, WALLPROF_COMM_LEN - 1, word);
	memset(t->names[t->nr], 0, WALLPROF_COMM_LEN);
	strncpy(t->names[t->nr++], word, WALLPROF_COMM_LEN - 1);
	return 0;
}

/* Mount point of the version 2 hierarchy, or NULL if it is not mounted. */
static char *group_root(void)
{
	FILE *f = setmntent("/proc/self/mounts", "re");
	struct mntent *m = NULL;
	char *dir = NULL;

	if (!f)
		return NULL;
	while (!dir && (m = getmntent(f))) {
		if (!strcmp(m->mnt_type, "cgroup2"))
			dir = strdup(m->mnt_dir);
	}
	endmntent(f);
	return dir;
}

/* Id of a control group, given by its path with or without the mount point. */
static int group_id(const char *root, const char *word, __u64 *id)
{
	size_t len = strlen(root);
	struct stat st;
	char *path;
	int err = 0;

	if (!strncmp(word, root, len) && (word[len] == '/' || !word[len]))
		path = strdup(word);
	else if (asprintf(&path, "%s/%s", root, word) < 0)
		path = NULL;
	if (!path) {
		wp_err("out of memory");
		return -ENOMEM;
	}
	if (stat(path, &st) || !S_ISDIR(st.st_mode)) {
		wp_err("there is no control group '%s' (no directory %s)", word, path);
		err = -EINVAL;
	} else {
		*id = st.st_ino;
	}
	free(path);
	return err;
}

static int add_group(struct wp_target *t, const char *word)
{
	char *root;
	__u64 id;
	int err;

	/* An empty word, as from an unset variable, must not select all threads. */
	if (!*word) {
		wp_err("-G: '' is not a control group; / is the topmost one");
		return -EINVAL;
	}
	root = group_root();
	if (!root) {
		wp_err("-G: no hierarchy of control groups of version 2 is mounted here");
		return -EINVAL;
	}
	err = group_id(root, word, &id);
	free(root);
	if (!err)
		err = grow(t, (void **)&t->groups, sizeof(*t->groups));
	if (!err)
		t->groups[t->nr++] = id;
	return err;
}

static int add_word(struct wp_target *t, const char *word)
{
	__u32 id;
	int err;

	switch (t->kind) {
	case WALLPROF_TARGET_COMM:
		return add_name(t, word);
	case WALLPROF_TARGET_CGROUP:
		return add_group(t, word);
	default:
		err = parse_id(t->kind, word, &id);
		return err ? err : add_id(t, id);
	}
}

/**
 * wp_target_parse() - parse a list of targets
 * @t: filled in
 * @kind: enum wallprof_target, not WALLPROF_TARGET_ALL
 * @list: separated by commas: numbers; for users also names; thread names; paths of
 *	control groups, from the root of the hierarchy
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_target_parse(struct wp_target *t, __u32 kind, const char *list)
{
	char *words = strdup(list), *rest = words, *word;
	int err = words ? 0 : -ENOMEM;

	wp_target_free(t);
	t->kind = kind;
	while (!err && (word = strsep(&rest, ",")))
		err = add_word(t, word);
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

/**
 * wp_target_list() - the list in the form of WALLPROF_IOC_CONFIGURE
 * @t: the target
 *
 * Return: &struct wallprof_configure.targets.
 */
__u64 wp_target_list(const struct wp_target *t)
{
	const void *list = t->kind == WALLPROF_TARGET_COMM ? (const void *)t->names :
			   t->kind == WALLPROF_TARGET_CGROUP ? (const void *)t->groups :
			   t->ids;

	return (uintptr_t)list;
}

/* The process of a thread, 0 if the thread does not exist. */
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
 * wp_target_resolve() - look up the processes of the target
 * @t: the target; a thread id given with -p is replaced by its process id
 *
 * Return: 0, or -ESRCH if one does not exist, or another negative errno; a message was
 * printed.
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
			wp_err("Couldn't create thread/CPU maps: No such process (%s %u). 'ps -e%s' lists them",
			       t->kind == WALLPROF_TARGET_PID ? "process" : "thread",
			       t->ids[i], t->kind == WALLPROF_TARGET_PID ? "" : "L");
			return -ESRCH;
		}
		if (t->kind == WALLPROF_TARGET_PID)
			t->ids[i] = t->tgids[i];
	}
	return 0;
}

/**
 * wp_target_awaited() - describe targets that may appear only during the recording
 * @t: the target
 *
 * Return: words that follow "no thread"; NULL if all targets exist at the start, or are
 * forked by those.
 */
const char *wp_target_awaited(const struct wp_target *t)
{
	switch (t->kind) {
	case WALLPROF_TARGET_UID:
		return "of these users";
	case WALLPROF_TARGET_COMM:
		return "of such a name";
	case WALLPROF_TARGET_CGROUP:
		return "in these control groups";
	default:
		return NULL;
	}
}

/**
 * wp_count_threads() - number of threads on the host
 *
 * Return: the number; 0 if it is unknown.
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

/**
 * wp_target_set_cpus() - record on these CPUs only
 * @c: the configuration
 * @dev: the session
 * @cpus: the CPUs; must stay valid until CONFIGURE
 *
 * Return: 0, or -ERANGE after a message.
 */
int wp_target_set_cpus(struct wallprof_configure *c, const struct wp_device *dev,
		       const struct wp_cpumask *cpus)
{
	unsigned int end = wp_cpumask_end(cpus);

	if (end > dev->info.nr_cpus) {
		wp_err("-C: there is no CPU %u", end - 1);
		return -ERANGE;
	}
	c->cpus = (__u64)(uintptr_t)cpus->bits;
	c->cpus_bytes = (dev->info.nr_cpus + 63) / 64 * 8;
	return 0;
}
