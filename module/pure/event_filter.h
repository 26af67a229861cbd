/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_PURE_EVENT_FILTER_H
#define WALLPROF_PURE_EVENT_FILTER_H

#include <linux/types.h>
#include <linux/wallprof.h>

/**
 * struct wp_event_filter - the filter of an event, from the user
 * @tests: its tests, the first one first
 * @text: the texts of all of them
 * @nr: number of @tests; 0: there is no filter
 * @text_bytes: bytes of @text
 */
struct wp_event_filter {
	const struct wallprof_filter_test *tests;
	const char *text;
	u32 nr;
	u32 text_bytes;
};

/**
 * struct wp_event_record - what a filter can look at
 * @data: the tracepoint's record
 * @size: its bytes
 * @cpu: the CPU
 * @tgid: the process id of the thread
 * @comm: the name of the thread, WALLPROF_COMM_LEN bytes
 */
struct wp_event_record {
	const void *data;
	u32 size;
	u32 cpu;
	u32 tgid;
	const char *comm;
};

/**
 * enum wp_filter_result - what a filter makes of a record
 * @WP_FILTER_TAKEN: it passes
 * @WP_FILTER_DROPPED: it does not
 * @WP_FILTER_UNFIT: it does not, as it could not be tested: it ends before a field, or
 *	there was too much to search
 */
enum wp_filter_result {
	WP_FILTER_TAKEN,
	WP_FILTER_DROPPED,
	WP_FILTER_UNFIT,
};

bool wp_event_weight(const struct wallprof_event *event, const struct wp_event_record *record,
		     u64 *weight);
bool wp_event_by(const struct wallprof_event *event, const struct wp_event_record *record, u64 *by);
bool wp_event_filter_ok(const struct wp_event_filter *filter);
enum wp_filter_result wp_event_filter_run(const struct wp_event_filter *filter,
					  const struct wp_event_record *record);

#endif /* WALLPROF_PURE_EVENT_FILTER_H */
