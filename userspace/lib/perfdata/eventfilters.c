// SPDX-License-Identifier: GPL-2.0
/*
 * Owns which events have which filter, and which fields of theirs are summed or summed by,
 * and the messages about those that are wrong. Called by the record command, before anything
 * is opened.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/base/nearest.h"
#include "lib/perfdata/byfield.h"
#include "lib/perfdata/eventfilters.h"
#include "lib/perfdata/filter.h"

#define LINE	78
#define COMMON	"common_"

/* Whether the last -e is of tracepoints, all of them. */
static bool last_are_tracepoints(const struct wp_event_list *list)
{
	unsigned int i;

	for (i = list->last; i < list->nr; i++) {
		if (!list->event[i].tracepoint[0])
			return false;
	}
	return list->last < list->nr;
}

/* Both filters must take a record, as in perf. */
static int append(struct wp_event *ev, const char *text)
{
	char *both;

	if (!ev->filter_text)
		both = strdup(text);
	else if (asprintf(&both, "(%s) && (%s)", ev->filter_text, text) < 0)
		both = NULL;
	if (!both)
		return wp_no_memory("the filter");
	free(ev->filter_text);
	ev->filter_text = both;
	return 0;
}

/**
 * wp_event_filters_add() - add a filter to the events of the last -e
 * @list: the list
 * @text: the filter
 *
 * Return: 0, or a negative errno after a message.
 */
int wp_event_filters_add(struct wp_event_list *list, const char *text)
{
	unsigned int i;
	int err = 0;

	if (!last_are_tracepoints(list)) {
		wp_err("--filter option should follow a -e tracepoint or HW tracer option");
		return -EINVAL;
	}
	for (i = list->last; i < list->nr && !err; i++)
		err = append(&list->event[i], text);
	return err;
}

/**
 * wp_event_filters_exclude_self() - leave this process out of the events of the last -e
 * @list: the list
 *
 * Return: 0, or a negative errno after a message.
 */
int wp_event_filters_exclude_self(struct wp_event_list *list)
{
	unsigned int i;

	if (!last_are_tracepoints(list)) {
		wp_err("--exclude-perf option should follow a -e tracepoint option");
		return -EINVAL;
	}
	for (i = list->last; i < list->nr; i++)
		list->event[i].exclude_self = true;
	return 0;
}

/**
 * wp_event_filters_weigh() - have samples of the events of the last -e weigh what a field is
 * @list: the list
 * @field: the field
 *
 * Return: 0, or a negative errno after a message.
 */
int wp_event_filters_weigh(struct wp_event_list *list, const char *field)
{
	unsigned int i;

	if (!last_are_tracepoints(list)) {
		wp_err("--weight %s: the option should follow a -e tracepoint option, and sums this field of it; perf's --weight, of memory accesses, is not supported",
		       field);
		return -EINVAL;
	}
	if (!*field || strlen(field) >= sizeof(list->event[0].weight)) {
		wp_err("--weight: '%s' is no field", field);
		return -EINVAL;
	}
	for (i = list->last; i < list->nr; i++)
		strcpy(list->event[i].weight, field);
	return 0;
}

/**
 * wp_event_filters_sum_by() - have samples of the events of the last -e summed by a field, too
 * @list: the list
 * @field: the field
 *
 * Return: 0, or a negative errno after a message.
 */
int wp_event_filters_sum_by(struct wp_event_list *list, const char *field)
{
	unsigned int i;

	if (!last_are_tracepoints(list)) {
		wp_err("--by %s: the option should follow a -e tracepoint option", field);
		return -EINVAL;
	}
	if (!*field || strlen(field) >= sizeof(list->event[0].by.name)) {
		wp_err("--by: '%s' is no field", field);
		return -EINVAL;
	}
	for (i = list->last; i < list->nr; i++)
		strcpy(list->event[i].by.name, field);
	return 0;
}

/* The fields that the event does not share with all others. */
static void list_fields(char *buf, size_t size, const struct wp_tracepoint *tp)
{
	size_t len = 0;
	unsigned int i;

	snprintf(buf, size, "none of its own");
	for (i = 0; i < tp->nr_fields && len + sizeof(tp->fields[i].name) + 8 < size; i++) {
		const char *name = tp->fields[i].name;

		if (strncmp(name, COMMON, strlen(COMMON)))
			len += snprintf(buf + len, size - len, "%s%s", len ? ", " : "", name);
	}
	if (i < tp->nr_fields)
		snprintf(buf + len, size - len, ", ...");
}

/* As perf reports it, and the kernel, which marks the place. */
static int report(const struct wp_event *ev, const struct wp_tracepoint *tp,
		  const struct wp_filter_error *error)
{
	int from = error->at > LINE / 2 ? error->at - LINE / 2 : 0, column = error->at - from;
	const char *text = ev->filter_text, *name = ev->name;
	struct wp_nearest near = WP_NEAREST(error->field);
	char fields[400], meant[96] = "";
	unsigned int i;

	if (!error->field[0]) {
		wp_err("failed to set filter \"%s\" on event %s with %d (%s)\n%.*s\n%*s^\n%s", text,
		       name, EINVAL, strerror(EINVAL), LINE, text + from, column, "", error->what);
		return -EINVAL;
	}
	for (i = 0; i < tp->nr_fields; i++)
		wp_nearest_offer(&near, tp->fields[i].name);
	if (wp_nearest_found(&near))
		snprintf(meant, sizeof(meant), "; did you mean '%s'?", near.name);
	list_fields(fields, sizeof(fields), tp);
	wp_err("failed to set filter \"%s\" on event %s with %d (%s)\n%.*s\n%*s^\n%s%s\n"
	       "Its fields: %s\n"
	       "Of each event: common_type, common_flags, common_preempt_count, common_pid,\n"
	       "  COMM, CPU", text, name, EINVAL, strerror(EINVAL), LINE, text + from, column, "",
	       error->what, meant, fields);
	return -EINVAL;
}

static int parse(struct wp_event *ev, const struct wp_tracepoint *tp)
{
	struct wp_filter_error error;
	int err = wp_filter_parse(ev->filter, tp, ev->filter_text, &error);

	return err ? report(ev, tp, &error) : 0;
}

/* A field that must be a number; NULL after a message. */
static const struct wp_tracepoint_field *number_of(const struct wp_event *ev,
						   const struct wp_tracepoint *tp,
						   const char *option, const char *name)
{
	const struct wp_tracepoint_field *f = wp_tracepoint_field(tp, name);
	char fields[400];

	if (f && f->kind == WP_FIELD_NUMBER &&
	    (f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8))
		return f;
	list_fields(fields, sizeof(fields), tp);
	wp_err("%s %s: %s of event %s; its fields: %s", option, name,
	       f ? "it is no number" : "no such field", ev->tracepoint, fields);
	return NULL;
}

/* The number that samples weigh; the name in the file has it, too: it is the unit. */
static int weigh(struct wp_event *ev, const struct wp_tracepoint *tp)
{
	const struct wp_tracepoint_field *f = number_of(ev, tp, "--weight", ev->weight);
	size_t len;

	if (!f)
		return -EINVAL;
	ev->weight_offset = f->offset;
	ev->weight_size = f->size;
	ev->weight_sign = f->has_sign;
	len = strlen(ev->name);
	snprintf(ev->name + len, sizeof(ev->name) - len, ".%s", ev->weight);
	return 0;
}

/* The number that samples are summed by; the name in the file has it, behind the weight. */
static int sum_by(struct wp_event *ev, const struct wp_tracepoint *tp)
{
	const struct wp_tracepoint_field *f = number_of(ev, tp, "--by", ev->by.name);

	if (!f)
		return -EINVAL;
	if (!strncmp(f->name, COMMON, strlen(COMMON))) {
		wp_err("--by %s: this field is of each event, and not of %s alone", f->name,
		       ev->tracepoint);
		return -EINVAL;
	}
	ev->by = *f;
	wp_byfield_name(ev->name, sizeof(ev->name), f->name);
	return 0;
}

/* What needs the format of the tracepoint. */
static int apply(struct wp_event *ev)
{
	char system[sizeof(ev->tracepoint)];
	struct wp_tracepoint tp;
	const char *root;
	unsigned int nr;
	int err = -ENOENT;
	char *name;

	strcpy(system, ev->tracepoint);
	name = strchr(system, ':');
	*name++ = 0;
	for (nr = 0; err == -ENOENT && (root = wp_events_tracefs(nr)); nr++)
		err = wp_tracepoint_read(&tp, root, system, name);
	if (err) {
		wp_err("the format of event %s cannot be read: %s", ev->tracepoint,
		       strerror(-err));
		return err;
	}
	if (ev->filter_text)
		err = parse(ev, &tp);
	if (!err && ev->weight[0])
		err = weigh(ev, &tp);
	if (!err && ev->by.name[0])
		err = sum_by(ev, &tp);
	wp_tracepoint_free(&tp);
	return err;
}

static int compile(struct wp_event *ev)
{
	int err = 0;

	if (ev->filter_text || ev->exclude_self) {
		ev->filter = calloc(1, sizeof(*ev->filter));
		if (!ev->filter)
			return wp_no_memory("the filter");
	}
	if (ev->filter_text || ev->weight[0] || ev->by.name[0])
		err = apply(ev);
	if (err || !ev->exclude_self)
		return err;
	err = wp_filter_exclude(ev->filter, getpid());
	if (err)
		wp_err("failed to set filter \"%s\" on event %s: with --exclude-perf it has too many terms",
		       ev->filter_text, ev->name);
	return err;
}

/**
 * wp_event_filters_compile() - translate all filters for the module
 * @list: the list; how often its events are sampled is known
 *
 * Return: 0, or a negative errno after a message.
 */
int wp_event_filters_compile(struct wp_event_list *list)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < list->nr && !err; i++) {
		struct wp_event *ev = &list->event[i];

		if (!ev->filter_text && !ev->exclude_self && !ev->weight[0] && !ev->by.name[0])
			continue;
		if (ev->freq || ev->period != 1) {
			wp_err("%s needs a sample of each event: use -e %s/period=1/ instead of -F and -c",
			       ev->by.name[0] ? "--by" : ev->weight[0] ? "a weight" : "a filter",
			       ev->tracepoint);
			return -EINVAL;
		}
		err = compile(ev);
	}
	return err;
}
