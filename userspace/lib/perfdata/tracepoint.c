// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the formats of the running kernel's tracepoints from tracefs, and encodes raw
 * payloads in these formats. Called by the record command, for samples that perf takes
 * for those of the tracepoint itself; perfdata.c writes the formats.
 *
 * Kernels differ in the fields, their positions and their sizes: a text is an array in
 * one and a __data_loc in the next (comm of sched_migrate_task in 6.12 and 7). So
 * everything here comes from the format, and a field that a kernel does not have is
 * skipped.
 *
 * The format is not trusted: a payload has at most WP_TRACEPOINT_MAX bytes, and nothing
 * outside of it is written.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/perfdata/tracepoint.h"

#define MAX_FORMAT	65536
#define MAX_FIELDS	128
#define MAX_ID		0xffff		/* common_type has 16 bits */

static bool begins(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

/* Parse a number between two strings; advances past them. */
static bool take_number(const char **p, const char *before, char after, __u32 max, __u32 *v)
{
	unsigned long n;
	char *end;

	if (!begins(*p, before) || !isdigit((unsigned char)(*p)[strlen(before)]))
		return false;
	n = strtoul(*p + strlen(before), &end, 10);
	if (n > max || *end != after)
		return false;
	*p = end + 1;
	*v = n;
	return true;
}

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* As the kernel's filter_assign_type(), of the declaration without the name. */
static enum wp_field_kind kind_of(const char *type)
{
	bool text = strstr(type, "char");

	if (strstr(type, "__data_loc") && text)
		return WP_FIELD_DYNAMIC;
	if (strstr(type, "__rel_data_loc") && text)
		return WP_FIELD_RELATIVE;
	if (strstr(type, "_data_loc") && strstr(type, "cpumask_t"))
		return WP_FIELD_CPUS;
	if (strchr(type, '[') && text)
		return WP_FIELD_ARRAY;
	return !strcmp(type, "char *") || !strcmp(type, "const char *") ? WP_FIELD_POINTER :
									   WP_FIELD_NUMBER;
}

/* The name is the last word of a declaration, before the brackets of an array. */
static int parse_declaration(struct wp_tracepoint_field *f, const char *decl, size_t len)
{
	bool array = len && decl[len - 1] == ']';
	size_t at, whole = len, before;
	char type[128];

	while (len && decl[len - 1] == ']') {
		while (len && decl[len - 1] != '[')
			len--;
		len -= len > 0;
	}
	for (at = len; at && in_name(decl[at - 1]); at--)
		;
	if (at == len || len - at >= sizeof(f->name))
		return -EPROTO;
	memcpy(f->name, decl + at, len - at);
	for (before = at; before && decl[before - 1] == ' '; before--)
		;
	snprintf(type, sizeof(type), "%.*s%.*s", (int)before, decl, (int)(whole - len), decl + len);
	f->kind = kind_of(type);
	f->is_device = !strcmp(type, "dev_t");
	f->placed = f->size == sizeof(__u32) &&
		    (begins(type, "__data_loc ") || begins(type, "__rel_data_loc "));
	f->from = begins(type, "__rel_data_loc ") ? f->offset + f->size : 0;
	if (array && begins(decl, "char ")) {
		f->text = f->offset;
		f->room = f->size;
	} else if (begins(decl, "__data_loc char[] ") ||
		   begins(decl, "__rel_data_loc char[] ")) {
		if (f->size != sizeof(__u32))
			return -EPROTO;
		f->elsewhere = true;
		f->room = WP_TRACEPOINT_TEXT;
	}
	return 0;
}

/* What follows "\tfield:". */
static int parse_field(struct wp_tracepoint *tp, const char *p)
{
	size_t len = strcspn(p, ";\n");
	struct wp_tracepoint_field *f;
	const char *decl = p;
	__u32 sign;

	if (p[len] != ';' || tp->nr_fields == MAX_FIELDS)
		return -EPROTO;
	p += len + 1;
	f = &tp->fields[tp->nr_fields++];
	if (!take_number(&p, "\toffset:", ';', WP_TRACEPOINT_MAX, &f->offset) ||
	    !take_number(&p, "\tsize:", ';', WP_TRACEPOINT_MAX - f->offset, &f->size))
		return -EPROTO;
	f->has_sign = take_number(&p, "\tsigned:", ';', 1, &sign) && sign;
	return parse_declaration(f, decl, len);
}

/* Store the position of a text that is outside its field. */
static void put_place(const struct wp_tracepoint_field *f, void *raw, size_t len)
{
	__u32 v = (__u32)len << 16 | (f->text - f->from);

	memcpy((char *)raw + f->offset, &v, sizeof(v));
}

/* Assign positions to such texts, and compute the payload's size. */
static int lay_out(struct wp_tracepoint *tp)
{
	const struct wp_tracepoint_field *type = wp_tracepoint_field(tp, "common_type");
	__u32 end = 0;
	unsigned int i;

	tp->pid = wp_tracepoint_field(tp, "common_pid");
	if (!type || type->size != sizeof(__u16) || !tp->pid || tp->pid->size != sizeof(__u32))
		return -EPROTO;
	for (i = 0; i < tp->nr_fields; i++) {
		if (end < tp->fields[i].offset + tp->fields[i].size)
			end = tp->fields[i].offset + tp->fields[i].size;
	}
	tp->fields_end = end;
	for (i = 0; i < tp->nr_fields; i++) {
		struct wp_tracepoint_field *f = &tp->fields[i];

		if (f->elsewhere) {
			f->text = end;
			end += f->room;
		}
	}
	/* As in the kernel: the size of 4 bytes precedes the payload in the record. */
	while ((end + sizeof(__u32)) % sizeof(__u64))
		end++;
	if (end > WP_TRACEPOINT_MAX)
		return -EPROTO;
	tp->size = end;
	tp->blank = calloc(1, end);
	if (!tp->blank)
		return -ENOMEM;
	wp_tracepoint_set(type, tp->blank, tp->id);
	/* With position 0 the text would be the start of the payload: use an empty one. */
	for (i = 0; i < tp->nr_fields; i++) {
		if (tp->fields[i].elsewhere)
			put_place(&tp->fields[i], tp->blank, 1);
	}
	return 0;
}

/* Readers of the file need the complete format, so its last line must be there. */
static int parse(struct wp_tracepoint *tp)
{
	bool whole = false;
	const char *line;
	int ret;

	if (strlen(tp->text) != tp->len || !tp->len || tp->text[tp->len - 1] != '\n')
		return -EPROTO;
	for (line = tp->text; *line && !whole; line = strchr(line, '\n') + 1) {
		const char *p = line;

		ret = 0;
		if (begins(line, "ID: ") && !take_number(&p, "ID: ", '\n', MAX_ID, &tp->id))
			ret = -EPROTO;
		else if (begins(line, "\tfield:"))
			ret = parse_field(tp, line + strlen("\tfield:"));
		if (ret)
			return ret;
		whole = begins(line, "print fmt: ");
	}
	return whole && tp->id ? lay_out(tp) : -EPROTO;
}

/**
 * wp_tracepoint_parse() - parse a format
 * @tp: filled in; nothing to free if this fails
 * @system: its system
 * @name: its name
 * @text: the format, as in tracefs
 * @len: length of @text
 *
 * Return: 0, -EPROTO if @text is no format, -ENAMETOOLONG or -ENOMEM.
 */
int wp_tracepoint_parse(struct wp_tracepoint *tp, const char *system, const char *name,
			const char *text, size_t len)
{
	int ret = -ENOMEM;

	memset(tp, 0, sizeof(*tp));
	if (len > MAX_FORMAT)
		return -EPROTO;
	if (strlen(system) >= sizeof(tp->system) || strlen(name) >= sizeof(tp->name))
		return -ENAMETOOLONG;
	strcpy(tp->system, system);
	strcpy(tp->name, name);
	tp->text = calloc(1, len + 1);
	tp->fields = calloc(MAX_FIELDS, sizeof(*tp->fields));
	if (tp->text && tp->fields) {
		memcpy(tp->text, text, len);
		tp->len = len;
		ret = parse(tp);
	}
	if (ret)
		wp_tracepoint_free(tp);
	return ret;
}

/*
 * The size of a file in tracefs is unknown before it is read. Returns the number of
 * bytes.
 */
static ssize_t read_all(char *buf, size_t size, const char *root, const char *system,
			const char *name)
{
	char path[PATH_MAX];
	size_t len = 0;
	ssize_t n;
	int fd;

	if (snprintf(path, sizeof(path), "%s/events/%s/%s/format", root, system, name) >=
	    (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while ((n = read(fd, buf + len, size - len)) > 0)
		len += n;
	n = n < 0 ? -errno : (ssize_t)len;
	close(fd);
	return n;
}

/**
 * wp_tracepoint_read() - read the format of one of the kernel's tracepoints
 * @tp: filled in; nothing to free if this fails
 * @root: the root of tracefs; NULL: its default mount point, or below debugfs
 * @system: its system, as "sched"
 * @name: its name, as "sched_switch"
 *
 * Prints nothing: reporting a missing tracepoint is up to the caller.
 *
 * Return: 0; -ENOENT if the kernel does not have it, or no tracefs; -EACCES without
 * permission; -EPROTO if the format cannot be parsed; or another negative errno.
 */
int wp_tracepoint_read(struct wp_tracepoint *tp, const char *root, const char *system,
		       const char *name)
{
	/* One more than the limit, to detect longer ones. */
	char *buf = malloc(MAX_FORMAT + 1);
	ssize_t n;
	int ret;

	memset(tp, 0, sizeof(*tp));
	if (!buf)
		return -ENOMEM;
	n = read_all(buf, MAX_FORMAT + 1, root ? root : "/sys/kernel/tracing", system, name);
	if (n == -ENOENT && !root)
		n = read_all(buf, MAX_FORMAT + 1, "/sys/kernel/debug/tracing", system, name);
	ret = n < 0 ? n : wp_tracepoint_parse(tp, system, name, buf, n);
	free(buf);
	return ret;
}

/**
 * wp_tracepoint_free() - free a tracepoint
 * @tp: the tracepoint; empty afterwards, and its fields are invalid
 */
void wp_tracepoint_free(struct wp_tracepoint *tp)
{
	free(tp->text);
	free(tp->fields);
	free(tp->blank);
	memset(tp, 0, sizeof(*tp));
}

/**
 * wp_tracepoint_field() - look up a field
 * @tp: the tracepoint, which owns the field
 * @name: the field's name
 *
 * Return: the field, or NULL if this kernel does not have it.
 */
const struct wp_tracepoint_field *wp_tracepoint_field(const struct wp_tracepoint *tp,
						      const char *name)
{
	unsigned int i;

	for (i = 0; i < tp->nr_fields; i++) {
		if (!strcmp(tp->fields[i].name, name))
			return &tp->fields[i];
	}
	return NULL;
}

/**
 * wp_tracepoint_begin() - begin a payload
 * @tp: the tracepoint
 * @raw: output: @tp->size bytes, of any alignment
 * @tid: the current thread of the event
 *
 * All other fields are 0, and all texts empty.
 */
void wp_tracepoint_begin(const struct wp_tracepoint *tp, void *raw, __s32 tid)
{
	memcpy(raw, tp->blank, tp->size);
	wp_tracepoint_set(tp->pid, raw, tid);
}

/**
 * wp_tracepoint_set() - store a number
 * @f: the field; ignored if it is NULL, or not a number
 * @raw: the payload
 * @value: the number, truncated to the field's size
 */
void wp_tracepoint_set(const struct wp_tracepoint_field *f, void *raw, __s64 value)
{
	const __u8 v8 = value;
	const __u16 v16 = value;
	const __u32 v32 = value;
	char *at;

	if (!f || f->room)
		return;
	at = (char *)raw + f->offset;
	switch (f->size) {
	case 1:
		memcpy(at, &v8, 1);
		break;
	case 2:
		memcpy(at, &v16, 2);
		break;
	case 4:
		memcpy(at, &v32, 4);
		break;
	case 8:
		memcpy(at, &value, 8);
		break;
	}
}

/**
 * wp_tracepoint_set_text() - store a text
 * @f: the field; ignored if it is NULL, or not a text
 * @raw: the payload
 * @text: the text, truncated to the room
 */
void wp_tracepoint_set_text(const struct wp_tracepoint_field *f, void *raw, const char *text)
{
	size_t n;

	if (!f || !f->room)
		return;
	n = strnlen(text, f->room - 1);
	memcpy((char *)raw + f->text, text, n);
	memset((char *)raw + f->text + n, 0, f->room - n);
	if (f->elsewhere)
		put_place(f, raw, n + 1);
}

/**
 * wp_tracepoint_get() - read a number
 * @f: the field; NULL, or not a number: 0 is returned
 * @raw: the payload, of at least @fields_end bytes
 *
 * Return: the number; of a field of less than 8 bytes, with its sign if it is 4 bytes
 * long, as ids and priorities are.
 */
__s64 wp_tracepoint_get(const struct wp_tracepoint_field *f, const void *raw)
{
	const char *at;
	__u8 v8;
	__u16 v16;
	__s32 v32;
	__s64 v64;

	if (!f || f->room)
		return 0;
	at = (const char *)raw + f->offset;
	switch (f->size) {
	case 1:
		memcpy(&v8, at, 1);
		return v8;
	case 2:
		memcpy(&v16, at, 2);
		return v16;
	case 4:
		memcpy(&v32, at, 4);
		return v32;
	case 8:
		memcpy(&v64, at, 8);
		return v64;
	}
	return 0;
}

/**
 * wp_tracepoint_number() - read a number, with its sign if it has one
 * @f: the field; NULL, or not a number: 0 is returned
 * @raw: the payload, of at least @fields_end bytes
 *
 * Return: the number, extended to 64 bits.
 */
__s64 wp_tracepoint_number(const struct wp_tracepoint_field *f, const void *raw)
{
	__s64 value = wp_tracepoint_get(f, raw);
	unsigned int shift;

	if (!f || f->size >= sizeof(value) || !f->size)
		return value;
	shift = 64 - 8 * f->size;
	return f->has_sign ? (__s64)((__u64)value << shift) >> shift :
			     (__s64)((__u64)value << shift >> shift);
}

/**
 * wp_tracepoint_get_text() - read a text
 * @f: the field; NULL, or not a text: an empty text is returned
 * @raw: the payload
 * @size: its size, at least @fields_end
 * @buf: output
 * @room: size of @buf, at least 1; a longer text is truncated
 */
void wp_tracepoint_get_text(const struct wp_tracepoint_field *f, const void *raw, size_t size,
			    char *buf, size_t room)
{
	size_t at, len;
	__u32 place;

	buf[0] = 0;
	if (!f || !f->room)
		return;
	at = f->text;
	len = f->room;
	if (f->elsewhere) {
		memcpy(&place, (const char *)raw + f->offset, sizeof(place));
		at = (place & 0xffff) + f->from;
		len = place >> 16;
		if (at > size || len > size - at)
			return;
	}
	len = strnlen((const char *)raw + at, len < room - 1 ? len : room - 1);
	memcpy(buf, (const char *)raw + at, len);
	buf[len] = 0;
}
