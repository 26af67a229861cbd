// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the short raw payload of samples of off-CPU time: the cause of the wait and its
 * lock, for wallprof's own use. Other readers still see the same event, with the period
 * that scripts for perf use. Called by the record command and profile.c.
 *
 * Pure: no I/O, no clock.
 */
#include <stddef.h>
#include <string.h>

#include "lib/perfdata/offcpuraw.h"

/**
 * wp_offcpu_raw_make() - encode the short payload of a sample
 * @raw: filled in
 * @s: the sample, with its cause
 * @memory: enum wp_lockmemory: kind of memory of its lock
 *
 * Return: its size.
 */
size_t wp_offcpu_raw_make(struct wp_offcpu_raw *raw, const struct wp_sample *s, __u8 memory)
{
	const struct wp_cause *c = &s->cause;

	*raw = (struct wp_offcpu_raw){
		.magic = WP_OFFCPU_RAW_MAGIC,
		.state = s->state,
		.reason = c->reason,
		.compat = c->compat,
		.memory = memory,
		.syscall = c->syscall,
		.lock = c->arg,
		.count = s->count,
		.blocked_max = s->blocked_max,
		.runnable_max = s->runnable_max,
		.owner = c->lock_owner,
	};
	return c->lock_owner ? sizeof(*raw) : offsetof(struct wp_offcpu_raw, owner);
}

/**
 * wp_offcpu_raw_read() - decode a short payload
 * @raw: filled in
 * @buf: the payload, not trusted
 * @size: size of @buf
 *
 * Return: false if it is none.
 */
bool wp_offcpu_raw_read(struct wp_offcpu_raw *raw, const void *buf, size_t size)
{
	if (!buf || size < offsetof(struct wp_offcpu_raw, owner))
		return false;
	memset(raw, 0, sizeof(*raw));
	memcpy(raw, buf, size < sizeof(*raw) ? offsetof(struct wp_offcpu_raw, owner) :
	       sizeof(*raw));
	return raw->magic == WP_OFFCPU_RAW_MAGIC;
}
