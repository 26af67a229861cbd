// SPDX-License-Identifier: GPL-2.0
/*
 * Owns how a file has the field of a tracepoint by which samples were summed (record --by):
 * the field is in the event's name, "raw_syscalls:sys_exit/by=ret/", and its value in the raw
 * payload of each sample. With -R that is the tracepoint's own. Else all other fields are
 * gone, so the payload is of a tracepoint that there is not: with this field, and the number
 * of samples in the sum. perf script prints both, and perf report -s sorts by the field.
 *
 * Called by the record command, and by profile.c, which reads it again. Pure.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/perfdata/byfield.h"
#include "lib/perfdata/rawsample.h"

#define BEGIN	"/by="
#define END	"/"

/* Ids of formats: above those of kernels, and below the one of off-CPU time. */
#define FIRST_ID	(WP_RAW_ID - 1)

/* The bits of a dev_t of the kernel's that are the minor number. */
#define MINOR_BITS	20

/* What a system call returns is an error in this range only. */
#define MAX_ERROR	4095

/* glibc has the names since 2.32. */
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 32)
#define error_name(nr)	strerrorname_np(nr)
#else
#define error_name(nr)	NULL
#endif

/**
 * wp_byfield_format() - make the format of samples that have only this field
 * @tp: filled in; nothing to free if this fails
 * @field: the field
 * @nr: number of the event: the ids of formats differ
 *
 * Return: 0 or a negative errno.
 */
int wp_byfield_format(struct wp_tracepoint *tp, const struct wp_tracepoint_field *field,
		      unsigned int nr)
{
	bool counted = strcmp(field->name, WP_BYFIELD_SAMPLES);
	char name[sizeof(tp->name)], text[1536];
	int len;

	snprintf(name, sizeof(name), "by_%.*s", (int)sizeof(name) - 4, field->name);
	len = snprintf(text, sizeof(text),
		       "name: %s\nID: %u\nformat:\n"
		       "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		       "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		       "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		       "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		       "\tfield:%s %s;\toffset:8;\tsize:8;\tsigned:%u;\n",
		       name, FIRST_ID - nr,
		       field->is_device ? "dev_t" : field->has_sign ? "s64" : "u64", field->name,
		       field->has_sign);
	if (counted)
		len += snprintf(text + len, sizeof(text) - len,
				"\tfield:u64 " WP_BYFIELD_SAMPLES
				";\toffset:16;\tsize:8;\tsigned:0;\n");
	if (field->is_device)
		len += snprintf(text + len, sizeof(text) - len,
				"\nprint fmt: \"%s=%%llu,%%llu%s\", REC->%s >> %u, REC->%s & %u",
				field->name, counted ? " samples=%llu" : "", field->name,
				MINOR_BITS, field->name, (1U << MINOR_BITS) - 1);
	else
		len += snprintf(text + len, sizeof(text) - len,
				"\nprint fmt: \"%s=%%ll%c%s\", REC->%s", field->name,
				field->has_sign ? 'd' : 'u', counted ? " samples=%llu" : "",
				field->name);
	len += snprintf(text + len, sizeof(text) - len, "%s\n",
			counted ? ", REC->" WP_BYFIELD_SAMPLES : "");
	return wp_tracepoint_parse(tp, WP_RAW_SYSTEM, name, text, len);
}

/**
 * wp_byfield_name() - add a field to an event's name
 * @event: the name
 * @size: size of @event
 * @field: the field
 */
void wp_byfield_name(char *event, size_t size, const char *field)
{
	size_t len = strlen(event);

	snprintf(event + len, size - len, BEGIN "%s" END, field);
}

/**
 * wp_byfield_cut() - remove the field from an event's name
 * @event: the name
 */
void wp_byfield_cut(char *event)
{
	char *at = strstr(event, BEGIN);

	if (at)
		*at = 0;
}

/**
 * wp_byfield_of() - the field in an event's name
 * @event: the name
 * @field: set to the field; unchanged if there is none
 * @size: size of @field
 *
 * Return: true if there is one.
 */
bool wp_byfield_of(const char *event, char *field, size_t size)
{
	const char *at = strstr(event, BEGIN);
	size_t len;

	if (!at)
		return false;
	at += strlen(BEGIN);
	len = strlen(at);
	if (len < 2 || len > size || strcmp(at + len - strlen(END), END))
		return false;
	snprintf(field, size, "%.*s", (int)(len - strlen(END)), at);
	return true;
}

/**
 * wp_byfield_text() - the value of the field
 * @field: the field
 * @raw: the payload, of at least its tracepoint's @fields_end bytes
 * @text: set to the number; of a device "8,0", as tracepoints print it
 */
void wp_byfield_text(const struct wp_tracepoint_field *field, const void *raw,
		     char text[WP_BYFIELD_TEXT])
{
	__s64 value = wp_tracepoint_number(field, raw);

	if (field->is_device)
		snprintf(text, WP_BYFIELD_TEXT, "%" PRIu64 ",%u", (uint64_t)value >> MINOR_BITS,
			 (unsigned int)value & ((1U << MINOR_BITS) - 1));
	else if (field->has_sign)
		snprintf(text, WP_BYFIELD_TEXT, "%" PRId64, (int64_t)value);
	else
		snprintf(text, WP_BYFIELD_TEXT, "%" PRIu64, (uint64_t)value);
}

/**
 * wp_byfield_is_error() - whether negative values of a field are errors
 * @event: name of the event
 * @field: the field
 *
 * Return: true for what system calls return.
 */
bool wp_byfield_is_error(const char *event, const struct wp_tracepoint_field *field)
{
	return !strcmp(field->name, "ret") && field->has_sign &&
	       (!strncmp(event, "raw_syscalls:sys_exit/", strlen("raw_syscalls:sys_exit/")) ||
		!strncmp(event, "syscalls:sys_exit_", strlen("syscalls:sys_exit_")));
}

/**
 * wp_byfield_is_call() - whether a field is the number of a system call
 * @event: name of the event
 * @field: the field
 *
 * Return: true for that of all system calls; each by itself has one of them.
 */
bool wp_byfield_is_call(const char *event, const struct wp_tracepoint_field *field)
{
	return !strcmp(field->name, "id") &&
	       (!strncmp(event, "raw_syscalls:sys_enter/", strlen("raw_syscalls:sys_enter/")) ||
		!strncmp(event, "raw_syscalls:sys_exit/", strlen("raw_syscalls:sys_exit/")));
}

/**
 * wp_byfield_error() - the name of an error
 * @field: a field of which negative values are errors
 * @raw: as of wp_byfield_text()
 * @name: set to the name, as "EAGAIN"; empty if it is none, or has no name
 */
void wp_byfield_error(const struct wp_tracepoint_field *field, const void *raw,
		      char name[WP_BYFIELD_TEXT])
{
	__s64 value = wp_tracepoint_number(field, raw);
	const char *error = NULL;

	/* Those that only the kernel knows, as ERESTARTSYS, have no name in C libraries. */
	if (value < 0 && value >= -MAX_ERROR)
		error = error_name(-value);
	snprintf(name, WP_BYFIELD_TEXT, "%s", error ? error : "");
}
