/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the files of the sched record command: sched/record.c has the options and the
 * normal recording, sched/flight.c the flight recorder, sched/stacks.c recordings with
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
 * struct wp_sched_options - the options
 * @target: the threads to record
 * @pid: -p, or NULL
 * @tid: -t, or NULL
 * @cpus: -C
 * @cpu_list: the same, as given
 * @has_cpus: -C was given
 * @output: the output file
 * @buffer: size of a CPU's ring, or 0
 * @level: compression level
 * @quiet: print errors only
 * @verbose: print more
 * @stacks: record stacks
 * @overwrite: flight recorder
 * @last: flight recorder: write so many nanoseconds only; or 0
 * @triggers: flight recorder: triggers of a file
 * @nr_triggers: their number
 * @go_on: continue after a trigger
 * @max_files: maximum number of snapshots, or 0
 * @wakeups: emit sched_wakeup, too
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
 * @o: the options
 * @argc: arguments of the program
 * @argv: the same
 * @dev: the session
 * @workload: the command
 * @begun: there is something to keep
 * @pulled: a trigger ended the recording
 * @timeline: converts records to samples
 * @pd: the open file, or NULL
 * @sideband: perf's events of processes
 * @side: the sideband's event in the file
 * @busy: processes whose mappings could not be read yet
 * @start: start of the session
 * @stop: end of the session, or 0
 * @rounds: number of drains
 * @flight: state of the flight recorder
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
void wp_sched_print(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

int wp_sched_record_stacks(const struct wp_sched_options *o);

int wp_flight_prepare(struct wp_sched_recording *r);
int wp_flight_run(struct wp_sched_recording *r);
void wp_flight_free(struct wp_sched_recording *r);

#endif /* WP_CMD_SCHED_RECORDING_H */
