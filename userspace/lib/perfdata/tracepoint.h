/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The format of one of the running kernel's tracepoints, and raw payloads of that
 * format. See tracepoint.c.
 *
 *	struct wp_tracepoint tp;
 *
 *	ret = wp_tracepoint_read(&tp, NULL, "sched", "sched_switch");
 *	pid = wp_tracepoint_field(&tp, "prev_pid");	once
 *	...
 *	wp_tracepoint_begin(&tp, raw, tid);		for each sample
 *	wp_tracepoint_set(pid, raw, tid);
 *	...						raw has tp.size bytes
 *	wp_tracepoint_free(&tp);
 */
#ifndef WP_LIB_PERFDATA_TRACEPOINT_H
#define WP_LIB_PERFDATA_TRACEPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/* A payload has at most so many bytes: the kernel's own PERF_MAX_TRACE_SIZE. */
#define WP_TRACEPOINT_MAX	8192

/* Bytes for each text that has no room of its own among the fields, its 0 included. */
#define WP_TRACEPOINT_TEXT	16

/**
 * struct wp_tracepoint_field - a field of the payload
 * @name: its name
 * @offset: where it is
 * @size: its bytes
 * @text: where its characters are
 * @room: bytes there, with the 0 at the end; 0: it does not consist of characters
 * @elsewhere: they are behind all fields, and the field tells where (__data_loc)
 * @from: what that counts from
 */
struct wp_tracepoint_field {
	char name[64];
	__u32 offset;
	__u32 size;
	__u32 text;
	__u32 room;
	bool elsewhere;
	__u32 from;
};

/**
 * struct wp_tracepoint - a tracepoint
 * @system: the system that it belongs to
 * @name: its name
 * @id: what a perf_event_attr's config has
 * @fields_end: bytes that its fields take; texts that are elsewhere are behind
 * @size: bytes of each payload that is made here; with the 4 that say so in the record,
 *	a multiple of 8
 * @text: its format, as the kernel tells it
 * @len: bytes of @text
 * @fields: the fields
 * @nr_fields: their number
 * @blank: a payload with nothing but its type
 * @pid: the field for the thread
 */
struct wp_tracepoint {
	char system[64];
	char name[64];
	__u32 id;
	__u32 fields_end;
	__u32 size;
	char *text;
	size_t len;
	struct wp_tracepoint_field *fields;
	unsigned int nr_fields;
	void *blank;
	const struct wp_tracepoint_field *pid;
};

int wp_tracepoint_read(struct wp_tracepoint *tp, const char *root, const char *system,
		       const char *name);
int wp_tracepoint_parse(struct wp_tracepoint *tp, const char *system, const char *name,
			const char *text, size_t len);
void wp_tracepoint_free(struct wp_tracepoint *tp);

const struct wp_tracepoint_field *wp_tracepoint_field(const struct wp_tracepoint *tp,
						      const char *name);
void wp_tracepoint_begin(const struct wp_tracepoint *tp, void *raw, __s32 tid);
void wp_tracepoint_set(const struct wp_tracepoint_field *f, void *raw, __s64 value);
void wp_tracepoint_set_text(const struct wp_tracepoint_field *f, void *raw, const char *text);
__s64 wp_tracepoint_get(const struct wp_tracepoint_field *f, const void *raw);
void wp_tracepoint_get_text(const struct wp_tracepoint_field *f, const void *raw, size_t size,
			    char *buf, size_t room);

#endif /* WP_LIB_PERFDATA_TRACEPOINT_H */
