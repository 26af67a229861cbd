/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the sched record command share: sched/record.c has the options and
 * the complete recording, sched/flight.c the flight recorder, sched/stacks.c what has
 * stacks.
 */
#ifndef WP_CMD_SCHED_RECORDING_H
#define WP_CMD_SCHED_RECORDING_H

#include <stdbool.h>
#include <linux/types.h>

#include "cmd/common/workload.h"
#include "lib/base/cpumask.h"
#include "lib/device/device.h"
#include "lib/record/synthesize.h"
#include "lib/record/target.h"

struct wp_flight;
struct wp_perfdata;
struct wp_sideband;
struct wp_timeline;
struct wp_trigger;

/**
 * struct wp_sched_options - what was asked for
 * @target: whose events
 * @pid: -p, or NULL
 * @tid: -t, or NULL
 * @cpus: -C
 * @cpu_list: the same, as it was given
 * @has_cpus: it was given
 * @output: the file
 * @buffer: bytes of a CPU's ring, or 0
 * @level: of the compression
 * @quiet: errors only
 * @verbose: more
 * @stacks: with stacks
 * @overwrite: a flight recorder
 * @last: of it, so many nanoseconds only; or 0
 * @triggers: what it is written for
 * @nr_triggers: how many
 * @go_on: behind a trigger, too
 * @max_files: of snapshots, or 0 for any number
 * @wakeups: sched_wakeup, too
 * @command: to run, or NULL
 */
struct wp_sched_options {
	struct wp_target target;
	const char *pid;
	const char *tid;
	struct wp_cpumask cpus;
	const char *cpu_list;
	bool has_cpus;
	const char *output;
	__u64 buffer;
	int level;
	bool quiet;
	int verbose;
	bool stacks;
	bool overwrite;
	__u64 last;
	struct wp_trigger *triggers;
	unsigned int nr_triggers;
	bool go_on;
	int max_files;
	bool wakeups;
	char **command;
};

/**
 * struct wp_sched_recording - a recording
 * @o: what was asked for
 * @argc: arguments of the program
 * @argv: the same
 * @dev: the session
 * @workload: the command
 * @begun: there is something to be kept
 * @pulled: a trigger ended the recording
 * @timeline: turns records into samples
 * @pd: the file that is open, or NULL
 * @sideband: what processes do
 * @side: the sideband's event in the file
 * @busy: processes whose mappings could not be read yet
 * @start: of the session
 * @stop: of the session, or 0
 * @rounds: drains
 * @flight: of a flight recorder
 */
struct wp_sched_recording {
	struct wp_sched_options o;
	int argc;
	char **argv;
	struct wp_device dev;
	struct wp_workload workload;
	bool begun;
	bool pulled;
	struct wp_timeline *timeline;
	struct wp_perfdata *pd;
	struct wp_sideband *sideband;
	unsigned int side;
	struct wp_busy busy;
	__u64 start;
	__u64 stop;
	unsigned int rounds;
	struct wp_flight *flight;
};

int wp_sched_open_output(struct wp_sched_recording *r, const char *path);
int wp_sched_begin_timeline(struct wp_sched_recording *r, bool all);
void wp_sched_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

int wp_sched_record_stacks(const struct wp_sched_options *o);

int wp_flight_prepare(struct wp_sched_recording *r);
int wp_flight_run(struct wp_sched_recording *r);
void wp_flight_free(struct wp_sched_recording *r);

#endif /* WP_CMD_SCHED_RECORDING_H */
