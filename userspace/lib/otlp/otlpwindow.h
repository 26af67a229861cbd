/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kinds of profiles, their time, and limits.
 */
#ifndef WP_LIB_OTLP_OTLPWINDOW_H
#define WP_LIB_OTLP_OTLPWINDOW_H

#include <stddef.h>
#include <linux/types.h>

/* Attributes of a sample, at most. */
#define WP_OTLP_ATTRIBUTES	16

/* Attributes of a resource, at most. */
#define WP_OTLP_LABELS		16

/* Frames of a stack, at most. */
#define WP_OTLP_FRAMES	512

/**
 * enum wp_otlp_kind - what a profile has samples of
 * @WP_OTLP_BLOCKED: time in which threads waited for something: off_cpu, nanoseconds
 * @WP_OTLP_RUNNABLE: time in which they waited for a CPU
 * @WP_OTLP_CPU: time on a CPU
 * @WP_OTLP_LOST: time that was recorded, and did not reach the receiver
 * @WP_OTLP_KINDS: their number
 */
enum wp_otlp_kind {
	WP_OTLP_BLOCKED,
	WP_OTLP_RUNNABLE,
	WP_OTLP_CPU,
	WP_OTLP_LOST,
	WP_OTLP_KINDS,
};

/**
 * struct wp_otlp_window - the time of profiles
 * @begin: nanoseconds since 1970
 * @ns: its length
 * @cpu_period: nanoseconds between samples on a CPU; 0: not known
 * @max_samples: at most; further ones are summed by resource and kind, without stack
 */
struct wp_otlp_window {
	__u64 begin;
	__u64 ns;
	__u64 cpu_period;
	size_t max_samples;
};

#endif /* WP_LIB_OTLP_OTLPWINDOW_H */
