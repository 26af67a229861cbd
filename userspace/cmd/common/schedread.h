/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Common parts of the commands that read timelines. See schedread.c.
 *
 *	struct wp_schedread r = WP_SCHEDREAD_INIT;
 *
 *	... wp_schedread_set(&r, id, arg) for each option
 *	ret = wp_schedread(&r, fn, ctx);
 *	wp_schedread_losses(&r, &rows, missed);
 *	wp_schedread_end(&r);
 */
#ifndef WP_CMD_COMMON_SCHEDREAD_H
#define WP_CMD_COMMON_SCHEDREAD_H

#include <stdbool.h>
#include <linux/types.h>

#include "cmd/common/options.h"
#include "cmd/common/rows.h"
#include "lib/base/cpumask.h"
#include "lib/profile/schedevents.h"
#include "lib/record/target.h"

/* Options without a letter, for wp_schedread_set(). */
#define WP_SCHEDREAD_JSON	0x200
#define WP_SCHEDREAD_CSV	0x201
#define WP_SCHEDREAD_TIME	0x202

/**
 * struct wp_schedread - a recording that is read, with its options
 * @input: its name
 * @format: output format
 * @cpus: only these CPUs, if @has_cpus
 * @has_cpus: -C was given
 * @pids: only these processes, if there are any
 * @tids: only these threads, if there are any
 * @from: from this time on
 * @to: up to this time
 * @lost: events that were lost
 * @damaged: records that could not be read
 * @unordered: records that came too late
 * @events: events of the scheduler
 */
struct wp_schedread {
	const char *input;
	enum wp_format format;
	struct wp_cpumask cpus;
	bool has_cpus;
	struct wp_target pids;
	struct wp_target tids;
	__u64 from;
	__u64 to;
	__u64 lost;
	__u64 damaged;
	__u64 unordered;
	__u64 events;
};

#define WP_SCHEDREAD_INIT	{ .input = "perf.data", .to = ~0ULL }

/* A return value other than 0 ends the reading. */
typedef int (*wp_schedread_fn)(void *ctx, const struct wp_schedevent *ev);

int wp_schedread_set(struct wp_schedread *r, int id, const char *arg);
int wp_schedread_parse(const struct wp_options *options, int argc, char **argv, void *ctx);
bool wp_schedread_wants(const struct wp_schedread *r, const struct wp_schedthread *who);
bool wp_schedread_wants_cpu(const struct wp_schedread *r, __u32 cpu);
int wp_schedread(struct wp_schedread *r, wp_schedread_fn fn, void *ctx);
void wp_schedread_losses(const struct wp_schedread *r, struct wp_rows *rows, __u64 missed);
void wp_schedread_end(struct wp_schedread *r);
int wp_schedread_room(void *array, size_t *room, size_t nr, size_t size);

#endif /* WP_CMD_COMMON_SCHEDREAD_H */
