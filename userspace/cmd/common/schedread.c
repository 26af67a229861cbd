// SPDX-License-Identifier: GPL-2.0
/*
 * Common parts of the commands that read timelines: options, the way from a file to the
 * scheduler's events, and the report of what is missing. Called by sched/latency.c,
 * sched/timehist.c, sched/map.c and sched/hist.c.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/option-values.h"
#include "cmd/common/schedread.h"
#include "lib/base/err.h"
#include "lib/base/text.h"
#include "lib/perfdata/perffile.h"
#include "lib/perfdata/perfrecords.h"

static int set_format(struct wp_schedread *r, enum wp_format format)
{
	if (r->format != WP_FORMAT_TEXT && r->format != format) {
		wp_err("--json and --csv cannot be combined");
		return -EINVAL;
	}
	r->format = format;
	return 0;
}

/**
 * wp_schedread_set() - set a common option
 * @r: the recording
 * @id: the option
 * @arg: its argument
 *
 * Return: 0, or a negative errno after a message.
 */
int wp_schedread_set(struct wp_schedread *r, int id, const char *arg)
{
	switch (id) {
	case 'i':
		r->input = arg;
		return 0;
	case 'v':
		wp_set_verbosity(WP_VERBOSE);
		return 0;
	case 'C':
		r->has_cpus = true;
		return wp_value_cpus("-C", arg, &r->cpus);
	case 'p':
		wp_target_free(&r->pids);
		return wp_target_parse(&r->pids, WALLPROF_TARGET_PID, arg);
	case 't':
		wp_target_free(&r->tids);
		return wp_target_parse(&r->tids, WALLPROF_TARGET_TID, arg);
	case WP_SCHEDREAD_JSON:
		return set_format(r, WP_FORMAT_JSON);
	case WP_SCHEDREAD_CSV:
		return set_format(r, WP_FORMAT_CSV);
	case WP_SCHEDREAD_TIME:
		return wp_value_times(arg, &r->from, &r->to);
	}
	return -EINVAL;
}

/**
 * wp_schedread_parse() - parse the command line of a command without arguments
 * @options: the options
 * @argc: arguments of the command
 * @argv: the same
 * @ctx: for the options
 *
 * Return: 0, WP_OPTIONS_DONE, or a negative errno after a message.
 */
int wp_schedread_parse(const struct wp_options *options, int argc, char **argv, void *ctx)
{
	int err, rest;

	err = wp_parse_options(options, argc, argv, ctx, &rest);
	if (err || rest >= argc)
		return err;
	wp_text_print(stderr, " Error: unexpected argument '%s'; use -i FILE\n", argv[rest]);
	wp_print_usage(options);
	return -EINVAL;
}

static bool is_in(const struct wp_target *t, __s32 id)
{
	__u32 i;

	for (i = 0; i < t->nr; i++) {
		if (t->ids[i] == (__u32)id)
			return true;
	}
	return false;
}

/**
 * wp_schedread_wants() - whether a thread is selected
 * @r: the recording
 * @who: the thread
 *
 * Return: true if it is, or if there are no filters.
 */
bool wp_schedread_wants(const struct wp_schedread *r, const struct wp_schedthread *who)
{
	if (r->tids.nr && !is_in(&r->tids, who->tid))
		return false;
	return !r->pids.nr || is_in(&r->pids, who->pid);
}

/**
 * wp_schedread_wants_cpu() - whether a CPU is selected
 * @r: the recording
 * @cpu: the CPU
 *
 * Return: true if it is, or if there is no filter.
 */
bool wp_schedread_wants_cpu(const struct wp_schedread *r, __u32 cpu)
{
	return !r->has_cpus || wp_cpumask_has(&r->cpus, cpu);
}

struct reading {
	struct wp_schedread *r;
	struct wp_schedevents *events;
	wp_schedread_fn fn;
	void *ctx;
};

static int on_record(void *ctx, const struct wp_perfrecord *rec)
{
	struct reading *reading = ctx;
	struct wp_schedevent ev;
	int ret;

	ret = wp_schedevents_decode(reading->events, rec, &ev);
	if (ret <= 0)
		return ret;
	if (ev.type == WP_SCHED_SWITCH)
		reading->r->events++;
	return reading->fn(reading->ctx, &ev);
}

static int read_events(struct reading *reading, struct wp_perfrecords *records)
{
	struct wp_schedread *r = reading->r;
	struct wp_perfrecords_stats stats;
	int err;

	err = wp_schedevents_new(&reading->events, records);
	if (err)
		return err;
	if (!wp_schedevents_any(reading->events)) {
		wp_err("%s has no scheduler events; record with 'wallprof sched record' or 'perf sched record'",
		       r->input);
		return -ENOENT;
	}
	err = wp_perfrecords_read(records, on_record, reading);
	wp_perfrecords_stats(records, &stats);
	r->lost = stats.lost;
	r->damaged = stats.damaged;
	r->unordered = stats.unordered;
	if (!err && !r->events)
		wp_warn("no switch was recorded in %s", r->input);
	return err;
}

/**
 * wp_schedread() - read a recording
 * @r: the recording
 * @fn: called for each event of the scheduler, in order of time
 * @ctx: for @fn
 *
 * Return: 0, or a negative errno after a message.
 */
int wp_schedread(struct wp_schedread *r, wp_schedread_fn fn, void *ctx)
{
	struct reading reading = { .r = r, .fn = fn, .ctx = ctx };
	struct wp_perfrecords *records = NULL;
	struct wp_perffile file;
	int err;

	err = wp_perffile_open(&file, r->input);
	if (err)
		return err;
	err = wp_perfrecords_open(&records, &file, r->input);
	if (!err)
		err = read_events(&reading, records);
	if (err == -ENOMEM)
		wp_err("not enough memory to read %s", r->input);
	wp_schedevents_free(reading.events);
	wp_perfrecords_free(records);
	wp_perffile_close(&file);
	return err;
}

static void print_count(struct wp_rows *rows, __u64 nr, const char *what)
{
	if (!nr)
		return;
	if (rows->format == WP_FORMAT_CSV)
		wp_warn("%" PRIu64 " %s", (uint64_t)nr, what);
	else
		fprintf(rows->f, "  %" PRIu64 " %s\n", (uint64_t)nr, what);
}

/**
 * wp_schedread_losses() - print what is missing
 * @r: the recording, read
 * @rows: the output; in text after the tables
 * @missed: see wp_schedule_missed()
 */
void wp_schedread_losses(const struct wp_schedread *r, struct wp_rows *rows, __u64 missed)
{
	if (rows->format == WP_FORMAT_JSON) {
		wp_json_number(&rows->json, "lost_events", r->lost);
		wp_json_number(&rows->json, "unreported_gaps", missed);
		wp_json_number(&rows->json, "damaged_records", r->damaged);
		wp_json_number(&rows->json, "unordered_records", r->unordered);
		return;
	}
	if (rows->format == WP_FORMAT_TEXT && (r->lost || missed || r->damaged || r->unordered))
		fputc('\n', rows->f);
	print_count(rows, r->lost, "events were LOST: the figures are too small");
	print_count(rows, missed, "gaps in which events are missing without a record of the loss");
	print_count(rows, r->damaged, "records are damaged and were left out");
	print_count(rows, r->unordered, "records came too late to be put in order");
}

/**
 * wp_schedread_end() - free the options
 * @r: the recording
 */
void wp_schedread_end(struct wp_schedread *r)
{
	wp_target_free(&r->pids);
	wp_target_free(&r->tids);
}

/**
 * wp_schedread_room() - make room for one more in an array, zeroed
 * @array: address of the pointer to it
 * @room: allocated elements
 * @nr: index of the new one
 * @size: size of an element
 *
 * Return: 0 or -ENOMEM.
 */
int wp_schedread_room(void *array, size_t *room, size_t nr, size_t size)
{
	char *more, **at = array;
	size_t want = *room;

	if (nr < *room)
		return 0;
	while (want <= nr)
		want = want ? want * 2 : 64;
	more = reallocarray(*at, want, size);
	if (!more)
		return -ENOMEM;
	memset(more + *room * size, 0, (want - *room) * size);
	*at = more;
	*room = want;
	return 0;
}
