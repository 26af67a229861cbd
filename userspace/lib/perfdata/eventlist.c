// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the list of the events to sample: splits the argument of -e, and looks up the
 * tracepoints that a glob names. Called by the record and top commands, before anything is
 * opened.
 */
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/wallprof.h>

#include "lib/base/err.h"
#include "lib/perfdata/byfield.h"
#include "lib/perfdata/eventlist.h"

#define MAX_GLOB	200

static int append(struct wp_event_list *list, const struct wp_event *ev)
{
	struct wp_event *more;

	if (list->nr == WALLPROF_MAX_EVENTS) {
		wp_err("-e: more than %d events", WALLPROF_MAX_EVENTS);
		return -E2BIG;
	}
	more = reallocarray(list->event, list->nr + 1, sizeof(*more));
	if (!more) {
		wp_err("out of memory");
		return -ENOMEM;
	}
	list->event = more;
	list->event[list->nr++] = *ev;
	return 0;
}

static int add_event(struct wp_event_list *list, const char *spec, bool globbed)
{
	struct wp_event ev;
	int err = wp_event_parse(&ev, spec);

	if (err)
		return err;
	ev.globbed = globbed;
	if (list->none || (ev.none && list->nr)) {
		wp_err("-e none: no event can be beside it");
		return -EINVAL;
	}
	list->none = ev.none;
	return ev.none ? 0 : append(list, &ev);
}

static int is_no_dot(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

/* A glob, cut into the patterns of system and name, and what follows: terms or modifiers. */
struct glob {
	char system[MAX_GLOB + 1];
	char name[MAX_GLOB + 1];
	const char *rest;
};

static bool read_glob(struct glob *g, const char *spec)
{
	size_t len = strcspn(spec, ":"), name;

	if (!spec[len] || strlen(spec) > MAX_GLOB)
		return false;
	name = strcspn(spec + len + 1, ":/");
	snprintf(g->system, sizeof(g->system), "%.*s", (int)len, spec);
	snprintf(g->name, sizeof(g->name), "%.*s", (int)name, spec + len + 1);
	g->rest = spec + len + 1 + name;
	return true;
}

/* The tracepoints of one system. */
static int add_system(struct wp_event_list *list, const struct glob *g, const char *root,
		      const char *system, unsigned int *left_out)
{
	struct dirent **names;
	char path[1024];
	int nr, i, err = 0;

	snprintf(path, sizeof(path), "%s/events/%s", root, system);
	nr = scandir(path, &names, is_no_dot, alphasort);
	for (i = 0; i < nr; i++) {
		char spec[2 * NAME_MAX + MAX_GLOB + 2];

		/* Other files there are no tracepoints. */
		snprintf(path, sizeof(path), "%s/events/%s/%s/id", root, system, names[i]->d_name);
		if (!err && !fnmatch(g->name, names[i]->d_name, 0) && !access(path, F_OK)) {
			snprintf(spec, sizeof(spec), "%s:%s%s", system, names[i]->d_name, g->rest);
			if (list->nr == WALLPROF_MAX_EVENTS)
				++*left_out;
			else
				err = add_event(list, spec, true);
		}
		free(names[i]);
	}
	if (nr >= 0)
		free(names);
	return err;
}

static int add_glob(struct wp_event_list *list, const char *spec)
{
	unsigned int before = list->nr, left_out = 0, nr;
	const char *root;
	struct glob g;
	int err = 0;

	if (!read_glob(&g, spec)) {
		wp_err("-e %s: only tracepoints can be named by a glob, as 'ext4:*'", spec);
		return -EINVAL;
	}
	for (nr = 0; (root = wp_events_tracefs(nr)) && list->nr == before && !left_out && !err;
	     nr++) {
		struct dirent **systems;
		char path[1024];
		int n, i;

		snprintf(path, sizeof(path), "%s/events", root);
		n = scandir(path, &systems, is_no_dot, alphasort);
		if (n < 0 && (errno == EACCES || errno == EPERM)) {
			wp_err("-e %s: %s may not be read; root may", spec, path);
			return -EACCES;
		}
		for (i = 0; i < n; i++) {
			if (!err && !fnmatch(g.system, systems[i]->d_name, 0))
				err = add_system(list, &g, root, systems[i]->d_name, &left_out);
			free(systems[i]);
		}
		if (n >= 0)
			free(systems);
	}
	if (!err && list->nr == before && !left_out) {
		wp_err("-e %s: no such tracepoint; 'wallprof list' shows all (is tracefs mounted?)",
		       spec);
		return -ENOENT;
	}
	if (left_out)
		wp_warn("-e %s: a session has at most %d events: %u tracepoints are left out", spec,
			WALLPROF_MAX_EVENTS, left_out);
	return err;
}

static int add(struct wp_event_list *list, const char *spec)
{
	size_t terms = strcspn(spec, "/");

	return strcspn(spec, "*?[") < terms ? add_glob(list, spec) : add_event(list, spec, false);
}

/* The next event: up to a comma that is in no terms and in no braces; NULL: none is left. */
static char *next_event(char **rest)
{
	char *start = *rest, *p;
	bool terms = false;
	int braces = 0;

	if (!start)
		return NULL;
	for (p = start; *p && (*p != ',' || terms || braces); p++) {
		if (*p == '/')
			terms = !terms;
		else if (*p == '{' && !terms)
			braces++;
		else if (*p == '}' && !terms && braces)
			braces--;
	}
	*rest = *p ? p + 1 : NULL;
	*p = '\0';
	return start;
}

/* Whether an event ends with modifiers of its own. */
static bool has_modifiers(const char *event)
{
	const char *end = event + strlen(event), *last = end;

	while (last > event && strchr("ukhp", last[-1]))
		last--;
	return last < end && last > event && (last[-1] == ':' || last[-1] == '/');
}

/* {EVENT,...}[:MODIFIERS], where the modifiers are of each of them. */
static int add_group(struct wp_event_list *list, char *group)
{
	char *end = strrchr(group, '}'), *mods, *rest, *event;
	char spec[2 * MAX_GLOB + 2];
	int err = 0;

	if (!end || (end[1] && end[1] != ':')) {
		wp_err("-e %s: the group has no end, as in {cycles,instructions}:u", group);
		return -EINVAL;
	}
	mods = end[1] ? end + 2 : end + 1;
	if (strpbrk(mods, "SDWe")) {
		wp_err("-e %s: the kernel gives modules no groups of events: no leader can be sampled for the others",
		       group);
		return -EINVAL;
	}
	*end = '\0';
	rest = group + 1;
	while (!err && (event = next_event(&rest))) {
		bool more = *mods && !has_modifiers(event);

		if (snprintf(spec, sizeof(spec), "%s%s%s", event, more ? ":" : "",
			     more ? mods : "") >= (int)sizeof(spec)) {
			wp_err("-e: the event has more than %d characters", 2 * MAX_GLOB);
			return -EINVAL;
		}
		err = add(list, spec);
	}
	if (!err)
		wp_warn("-e: the kernel gives modules no groups of events: those in braces are counted one by one");
	return err;
}

/**
 * wp_event_list_parse() - add the events of an argument of -e
 * @list: the list, at first all zeroes
 * @arg: the argument
 *
 * Return: 0, or a negative errno after a message.
 */
int wp_event_list_parse(struct wp_event_list *list, const char *arg)
{
	char *copy = strdup(arg), *rest = copy, *event;
	int err = copy ? 0 : -ENOMEM;

	list->last = list->nr;
	while (!err && (event = next_event(&rest)))
		err = *event == '{' ? add_group(list, event) : add(list, event);
	free(copy);
	return err;
}

static void free_event(struct wp_event *ev)
{
	free(ev->filter_text);
	free(ev->filter);
}

/**
 * wp_event_list_remove() - remove an event
 * @list: the list
 * @nr: its place
 */
void wp_event_list_remove(struct wp_event_list *list, unsigned int nr)
{
	free_event(&list->event[nr]);
	list->nr--;
	memmove(&list->event[nr], &list->event[nr + 1], (list->nr - nr) * sizeof(*list->event));
}

/**
 * wp_event_list_free() - free a list
 * @list: the list
 */
void wp_event_list_free(struct wp_event_list *list)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++)
		free_event(&list->event[i]);
	free(list->event);
	memset(list, 0, sizeof(*list));
}

/**
 * wp_event_field() - the field that samples of an event weigh: record --weight
 * @name: name of the event in a recording: the field is behind that of the tracepoint
 * @field: set to the field
 *
 * Return: false: none, they weigh their period.
 */
bool wp_event_field(const char *name, char field[WP_EVENT_FIELD])
{
	const char *colon = strchr(name, ':'), *dot;
	char event[256];

	snprintf(event, sizeof(event), "%s", colon ? colon : "");
	wp_byfield_cut(event);
	dot = strrchr(event, '.');
	if (!dot || !dot[1])
		return false;
	snprintf(field, WP_EVENT_FIELD, "%s", dot + 1);
	return true;
}
