// SPDX-License-Identifier: GPL-2.0
/*
 * Reads what samples are summed by (record --by): the value of a field, and how many there
 * are in a sum. Called by profile.c.
 */
#include <stdio.h>
#include <string.h>

#include "lib/perfdata/rawsample.h"
#include "lib/profile/profby.h"

/**
 * wp_profby_set() - find the field of an event
 * @by: filled in
 * @event: the event; its name has the field
 */
void wp_profby_set(struct wp_profby *by, const struct wp_perfevent *event)
{
	const struct wp_tracepoint *tp = event->tracepoint;
	const struct wp_tracepoint_field *f;
	char name[sizeof(f->name)];

	memset(by, 0, sizeof(*by));
	if (!tp || !wp_byfield_of(event->name, name, sizeof(name)))
		return;
	f = wp_tracepoint_field(tp, name);
	if (!f || f->room)
		return;
	by->field = f;
	by->errors = wp_byfield_is_error(event->name, f);
	by->calls = wp_byfield_is_call(event->name, f);
	/* Records of the kernel's tracepoints, with -R, have no such number. */
	f = strcmp(tp->system, WP_RAW_SYSTEM) ? NULL :
	    wp_tracepoint_field(tp, WP_BYFIELD_SAMPLES);
	by->samples = f == by->field ? NULL : f;
}

/**
 * wp_profby_read() - read what a sample is summed by
 * @by: of its event
 * @rec: the sample
 * @value: set to the value
 * @error: set to the name of an error; empty if it is none
 * @samples: set to the number of samples in the sum, if it is known
 *
 * Return: false if it has none.
 */
bool wp_profby_read(const struct wp_profby *by, const struct wp_perfrecord *rec,
		    char value[WP_BYFIELD_TEXT], char error[WP_BYFIELD_TEXT], __u64 *samples)
{
	if (!by->field || !rec->raw)
		return false;
	wp_byfield_text(by->field, rec->raw, value);
	error[0] = 0;
	if (by->errors)
		wp_byfield_error(by->field, rec->raw, error);
	if (by->samples)
		*samples = wp_tracepoint_get(by->samples, rec->raw);
	return true;
}

/**
 * wp_profby_label() - what a sample is summed by, as a frame
 * @by: of its event
 * @value: the value; empty if there is none
 * @error: name of an error or a system call, or empty
 * @text: buffer
 * @size: its size
 *
 * Return: @text, as "[ret -11 EAGAIN]"; NULL if there is no value.
 */
const char *wp_profby_label(const struct wp_profby *by, const char *value, const char *error,
			    char *text, size_t size)
{
	if (!by->field || !value[0])
		return NULL;
	snprintf(text, size, "[%s %s%s%s]", by->field->name, value, error[0] ? " " : "", error);
	return text;
}
