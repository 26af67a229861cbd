// SPDX-License-Identifier: GPL-2.0
/*
 * The short raw payload of samples of off-CPU time: what threads waited in and for which
 * lock, for ourselves. Their event stays what it is for other readers, and with it the
 * period that scripts for perf take. Called by the record command and profile.c.
 *
 * Pure: no I/O, no clock.
 */
#include <string.h>

#include "lib/perfdata/rawcause.h"

/**
 * wp_raw_cause_make() - make the short payload of a sample
 * @raw: filled in
 * @s: the sample, with its cause
 */
void wp_raw_cause_make(struct wp_raw_cause *raw, const struct wp_sample *s)
{
	const struct wp_cause *c = &s->cause;

	*raw = (struct wp_raw_cause){
		.magic = WP_RAW_CAUSE,
		.state = s->state,
		.reason = c->reason,
		.compat = c->compat,
		.syscall = c->syscall,
		.lock = c->arg,
		.count = s->count,
		.blocked_max = s->blocked_max,
		.runnable_max = s->runnable_max,
	};
}

/**
 * wp_raw_cause_read() - read one
 * @raw: filled in
 * @buf: the payload, which may be anything
 * @size: bytes there
 *
 * Return: false if it is none.
 */
bool wp_raw_cause_read(struct wp_raw_cause *raw, const void *buf, size_t size)
{
	if (!buf || size < sizeof(*raw))
		return false;
	memcpy(raw, buf, sizeof(*raw));
	return raw->magic == WP_RAW_CAUSE;
}
