// SPDX-License-Identifier: GPL-2.0
/*
 * Puts interpreted functions into the samples of a recording, and the file of their names
 * where readers look for files by their build-ids. Called by the other files of the record
 * command.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>

#include "lib/base/err.h"
#include "lib/elf/nameself.h"
#include "lib/perfdata/mmaprecord.h"
#include "lib/record/interprows.h"
#include "lib/record/session.h"

/*
 * Memory of functions: of a recording, which ends, and of a live view. What is beyond has no
 * names.
 */
#define MAX_BYTES	((size_t)256 << 20)
#define MAX_LIVE_BYTES	((size_t)64 << 20)

/* The file of names of each language, and what it has. */
static const struct {
	const char *path;
	const char *what;
} files[WP_INTERPROWS_KINDS] = {
	[WP_INTERPROWS_PYTHON] = { WP_INTERPROWS_PATH, "Python functions" },
	[WP_INTERPROWS_JAVA] = { WP_INTERPROWS_JAVA_PATH, "Java methods" },
};

/* The record of the mapping: its name, padded, and what all records end with. */
#define NAME_BYTES	16
#define MAP_BYTES	(sizeof(struct wp_mmap2_record) + NAME_BYTES + sizeof(struct wp_sample_id))

/**
 * wp_recording_open_interps() - have interpreted functions recorded
 * @r: the recording, with @r->jvms if it looks for JVMs
 * @file: it has a file, in which their names need a place where files are kept
 *
 * Return: 0 or -ENOMEM.
 */
int wp_recording_open_interps(struct wp_recording *r, bool file)
{
	const size_t max = file ? MAX_BYTES : MAX_LIVE_BYTES;
	bool names = !file || r->keep;

	if (r->o.python && names) {
		r->interps = wp_interps_new();
		if (r->interps)
			r->codes = wp_interpcodes_new(r->interps, max);
		if (!r->codes)
			return -ENOMEM;
	}
	if (r->jvms && names) {
		r->methods = wp_jvmmethods_new(r->jvms, max);
		if (!r->methods)
			return -ENOMEM;
	}
	/* Methods without names are native frames. */
	r->rows = file ? wp_interprows_new(r->codes, r->methods) : NULL;
	return file && !r->rows ? -ENOMEM : 0;
}

/**
 * wp_recording_close_interps() - free what was opened
 * @r: the recording, without mapsync
 */
void wp_recording_close_interps(struct wp_recording *r)
{
	wp_interprows_free(r->rows);
	wp_jvmmethods_free(r->methods);
	wp_interpcodes_free(r->codes);
	wp_interps_free(r->interps);
	r->rows = NULL;
	r->methods = NULL;
	r->codes = NULL;
	r->interps = NULL;
}

/**
 * wp_recording_interp_stats() - take the statistics of what was interpreted
 * @r: the recording
 */
void wp_recording_interp_stats(struct wp_recording *r)
{
	if (r->codes)
		wp_interpcodes_stats(r->codes, &r->s.rows);
	if (r->methods)
		wp_jvmmethods_stats(r->methods, &r->s.methods);
}

/* The file of names of the output that is written now. */
static int open_names(struct wp_recording *r, enum wp_interprows_kind kind)
{
	struct wp_buildid id = { .size = WP_BUILDID_MAX };

	if (r->names_id[kind].size)
		return 0;
	if (getrandom(id.data, id.size, 0) != id.size)
		return -EIO;
	if (r->names[kind])
		r->names[kind]->id = id;
	else
		r->names[kind] = wp_buildids_add(r->ids, files[kind].path, 0, false, &id);
	if (!r->names[kind])
		return -ENOMEM;
	r->names_id[kind] = id;
	return 0;
}

static int add_map(struct wp_recording *r, enum wp_interprows_kind kind, __u32 pid, __u64 time)
{
	__u64 memory[MAP_BYTES / sizeof(__u64)] = { 0 };
	struct wp_sample_id sid = { .pid = pid, .tid = pid, .time = time };
	struct wp_mmap2_record *map = (void *)memory;
	int err = open_names(r, kind);

	if (err)
		return err;
	map->header.type = PERF_RECORD_MMAP2;
	map->header.misc = PERF_RECORD_MISC_USER;
	map->header.size = sizeof(memory);
	map->pid = pid;
	map->tid = pid;
	map->start = WP_INTERPROWS_BASE_OF(kind);
	map->len = WP_INTERPROWS_MAX * WP_NAMESELF_BYTES;
	map->pgoff = WP_NAMESELF_AT;
	map->maj = r->names[kind]->last.file.maj;
	map->min = r->names[kind]->last.file.min;
	map->ino = r->names[kind]->last.file.ino;
	map->prot = PROT_READ | PROT_EXEC;
	map->flags = MAP_PRIVATE;
	strcpy(map->filename, files[kind].path);
	sid.id = wp_perfdata_id(r->pd, r->side, 0);
	memcpy(map->filename + NAME_BYTES, &sid, sizeof(sid));
	return wp_batch_add_record(r->batch, &map->header, time);
}

/* The files of names that a sample needs. */
static int add_maps(struct wp_recording *r, __u32 pid, __u64 time, unsigned int has)
{
	__u64 at;
	int err = 0;

	if (has & 1 << WP_INTERPROWS_PYTHON && wp_interpcodes_map(r->codes, pid, time, &at))
		err = add_map(r, WP_INTERPROWS_PYTHON, pid, at);
	if (err || !(has & 1 << WP_INTERPROWS_JAVA) ||
	    !wp_jvmmethods_map(r->methods, pid, time, &at))
		return err;
	err = add_map(r, WP_INTERPROWS_JAVA, pid, at);
	return err || at >= time - 1 ? err : add_map(r, WP_INTERPROWS_JAVA, pid, time - 1);
}

/**
 * wp_recording_interpret() - let interpreted functions stand in the stack of a sample
 * @r: the recording
 * @sample: the sample, which is changed
 * @ips: memory for the stack
 *
 * Return: 0 or a negative errno.
 */
int wp_recording_interpret(struct wp_recording *r, struct wp_perfdata_sample *sample,
			   __u64 ips[WALLPROF_MAX_STACK])
{
	unsigned int nr = sample->nr_user, has;
	int err;

	if (!r->rows || !nr)
		return 0;
	if (nr > WALLPROF_MAX_STACK)
		nr = WALLPROF_MAX_STACK;
	if (!wp_interprows_in(sample->user_ips, nr))
		return 0;
	err = wp_interprows_stack(r->rows, sample->pid, sample->time, sample->user_ips, nr, ips,
				  &sample->nr_user, &has);
	sample->user_ips = ips;
	return err ? err : add_maps(r, sample->pid, sample->time, has);
}

static void look(struct wp_recording *r, bool python, __u32 pid, const struct wp_stack *stack)
{
	if (python)
		wp_interpcodes_look(r->codes, pid, stack->ips, stack->nr);
	if (r->methods)
		wp_jvmmethods_look(r->methods, pid, stack->ips, stack->nr);
}

/**
 * wp_recording_look_at_functions() - read the functions in which threads are blocked now
 * @r: the recording, started
 *
 * When their waits end, the process may have ended, too.
 */
void wp_recording_look_at_functions(struct wp_recording *r)
{
	bool python = r->codes && wp_interps_any(r->interps);
	const struct wp_stack *stack;
	__u32 i;

	if (!python && !wp_jvmmethods_any(r->methods))
		return;
	for (i = 0; i < r->dev.conf.nr_tasks; i++) {
		volatile const struct wallprof_task *task = wp_device_task(&r->dev, i);

		if ((task->phase == WALLPROF_TASK_OFF || task->phase == WALLPROF_TASK_UNSEEN) &&
		    wp_stacks_find(&r->stacks, task->user_stack, &stack) && stack)
			look(r, python, task->tgid, stack);
	}
}

static void add_code(void *ctx, __u32 pid, const struct wp_jitloads *loads)
{
	wp_buildids_loads(ctx, pid, loads);
}

/**
 * wp_recording_keep_code() - have names of JVMs' code written, when an output is complete
 * @r: the recording
 */
void wp_recording_keep_code(struct wp_recording *r)
{
	if (r->ids)
		wp_jvms_each(r->jvms, add_code, r->ids);
}

static void keep_names(struct wp_recording *r, enum wp_interprows_kind kind)
{
	void *data = NULL;
	size_t size;
	int err;

	if (!r->names_id[kind].size)
		return;
	err = wp_nameself_make(wp_interprows_name, wp_interprows_names(r->rows, kind),
			       wp_interprows_nr(r->rows, kind), &r->names_id[kind], &data, &size);
	if (!err)
		err = wp_keepfiles_write(r->keep, data, size, &r->names_id[kind]);
	if (err)
		wp_warn("names of %s could not be kept in ~/.debug: %s", files[kind].what,
			strerror(-err));
	free(data);
	/* The next output has a file of its own. */
	r->names_id[kind] = (struct wp_buildid){ 0 };
}

/**
 * wp_recording_keep_names() - write the files of names, when an output is complete
 * @r: the recording
 *
 * If that fails, a message says so, and the functions have no names.
 */
void wp_recording_keep_names(struct wp_recording *r)
{
	unsigned int kind;

	for (kind = 0; kind < WP_INTERPROWS_KINDS; kind++)
		keep_names(r, kind);
	if (r->codes)
		wp_interpcodes_unmap(r->codes);
	if (r->methods)
		wp_jvmmethods_unmap(r->methods);
}
