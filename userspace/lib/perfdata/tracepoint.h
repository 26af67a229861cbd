/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Format of one of the running kernel's tracepoints, and raw payloads in this format. See
 * tracepoint.c.
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

/* Maximum size of a payload: the kernel's own PERF_MAX_TRACE_SIZE. */
#define WP_TRACEPOINT_MAX	8192

/* Size of each text that is outside its field, including its 0. */
#define WP_TRACEPOINT_TEXT	16

/**
 * enum wp_field_kind - what the kernel's filters take a field for, by its declaration
 * @WP_FIELD_NUMBER: a number, if it has the size of one
 * @WP_FIELD_ARRAY: a text in an array of a fixed size
 * @WP_FIELD_DYNAMIC: a text elsewhere, __data_loc
 * @WP_FIELD_RELATIVE: the same, __rel_data_loc
 * @WP_FIELD_POINTER: the address of a text, which is not in the payload
 * @WP_FIELD_CPUS: a mask of CPUs
 */
enum wp_field_kind {
	WP_FIELD_NUMBER,
	WP_FIELD_ARRAY,
	WP_FIELD_DYNAMIC,
	WP_FIELD_RELATIVE,
	WP_FIELD_POINTER,
	WP_FIELD_CPUS,
};

/**
 * struct wp_tracepoint_field - a field of the payload
 * @name: its name
 * @offset: its position
 * @size: its size
 * @kind: what it is
 * @has_sign: it is a number with a sign
 * @is_device: it is a number of a device, of the kernel's dev_t
 * @text: position of its text
 * @room: size of its text, including the 0; 0: it is not a text
 * @elsewhere: the text follows all fields, and the field has its position (__data_loc)
 * @placed: the field has the position and the size of what is elsewhere, text or not
 *	(__data_loc, __rel_data_loc)
 * @from: the origin of that position
 */
struct wp_tracepoint_field {
	char name[64];
	__u32 offset;
	__u32 size;
	enum wp_field_kind kind;
	bool has_sign;
	bool is_device;
	__u32 text;
	__u32 room;
	bool elsewhere;
	bool placed;
	__u32 from;
};

/**
 * struct wp_tracepoint - a tracepoint
 * @system: its system
 * @name: its name
 * @id: config in struct perf_event_attr
 * @fields_end: end of its fields; texts outside their fields follow
 * @size: size of each encoded payload; plus the 4 bytes of its size in the record, a
 *	multiple of 8
 * @text: its format, from the kernel
 * @len: length of @text
 * @fields: the fields
 * @nr_fields: their number
 * @blank: a payload with only its type set
 * @pid: the field of the thread id
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
__s64 wp_tracepoint_number(const struct wp_tracepoint_field *f, const void *raw);
__s64 wp_tracepoint_get(const struct wp_tracepoint_field *f, const void *raw);
void wp_tracepoint_get_text(const struct wp_tracepoint_field *f, const void *raw, size_t size,
			    char *buf, size_t room);

#endif /* WP_LIB_PERFDATA_TRACEPOINT_H */
