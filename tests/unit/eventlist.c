// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the list of -e: what is between commas, in braces, and named by a glob, with a
 * tracefs of our own.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <linux/wallprof.h>

#include "lib/base/err.h"
#include "lib/perfdata/eventlist.h"
#include "tap.h"

static char dir[] = "/tmp/wallprof-eventlist.XXXXXX";

static void tracepoint(const char *system, const char *name, unsigned int id)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/events/%s", dir, system);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/events/%s/%s", dir, system, name);
	mkdir(path, 0700);
	strcat(path, "/id");
	f = fopen(path, "w");
	if (!f || fprintf(f, "%u\n", id) < 0 || fclose(f))
		exit(2);
}

struct good {
	const char *args[3];
	const char *names;	/* after another, each with a space */
};

static const struct good good[] = {
	{ { "cycles" }, "cycles " },
	{ { "cycles,cs" }, "cycles context-switches " },
	{ { "cycles", "cs:u", "faults" }, "cycles context-switches:u page-faults " },
	{ { "cs/period=1,max-stack=2/,faults/period=3/u" }, "context-switches page-faults:u " },
	{ { "{cycles,cs}" }, "cycles context-switches " },
	{ { "{cycles,cs:k,faults/period=1/}:u,cpu-clock" },
	  "cycles:u context-switches:k page-faults:u cpu-clock " },
	{ { "fs:*" }, "fs:close fs:open fs:read " },
	{ { "fs:*e*" }, "fs:close fs:open fs:read " },
	{ { "fs:[or]*:u" }, "fs:open:u fs:read:u " },
	{ { "f?:open/max-stack=3/" }, "fs:open " },
	{ { "*:open,cs" }, "fs:open gs:open context-switches " },
	{ { "none" }, "" },
};

static const struct {
	const char *args[2], *words;
} bad[] = {
	{ { "" }, "empty" },
	{ { "cycles," }, "empty" },
	{ { ",cycles" }, "empty" },
	{ { "cycles,cylces" }, "did you mean 'cycles'" },
	{ { "none", "cs" }, "no event can be beside it" },
	{ { "cs", "none" }, "no event can be beside it" },
	{ { "none,none" }, "no event can be beside it" },
	{ { "{cycles,cs" }, "has no end" },
	{ { "{cycles,cs}u" }, "has no end" },
	{ { "{}" }, "empty" },
	{ { "{cycles,cs}:S" }, "no groups of events" },
	{ { "{cycles,cs}:z" }, "unknown modifier" },
	{ { "cyc*" }, "only tracepoints" },
	{ { "fs:x*" }, "no such tracepoint" },
	{ { "x*:open" }, "no such tracepoint" },
	{ { "*:*/period=0/" }, "not a number" },
	{ { "f[:open" }, "no such tracepoint" },
};

static char *names_of(const struct wp_event_list *list)
{
	static char text[1024];
	unsigned int i;

	text[0] = '\0';
	for (i = 0; i < list->nr && strlen(text) < 700; i++) {
		strcat(text, list->event[i].name);
		strcat(text, " ");
	}
	return text;
}

int main(void)
{
	struct wp_event_list list = { 0 };
	char many[8192] = "", command[300];
	unsigned int i, j;
	int ret;

	if (!mkdtemp(dir))
		return 2;
	snprintf(command, sizeof(command), "%s/events", dir);
	mkdir(command, 0700);
	tracepoint("fs", "open", 1);
	tracepoint("fs", "close", 2);
	tracepoint("fs", "read", 3);
	tracepoint("gs", "open", 4);
	snprintf(command, sizeof(command), "touch %s/events/fs/enable %s/events/fs/filter %s/events/enable",
		 dir, dir, dir);
	if (system(command))
		return 2;
	wp_events_set_roots("/nonexistent", dir);
	wp_set_verbosity(WP_SILENT);

	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		const struct good *g = &good[i];

		for (j = 0, ret = 0; j < 3 && g->args[j] && !ret; j++)
			ret = wp_event_list_parse(&list, g->args[j]);
		if (!ok(!ret && !strcmp(names_of(&list), g->names) && list.none == !g->names[0],
			"%s: %s", g->args[0], g->names))
			printf("# %d: %s %s\n", ret, names_of(&list), wp_last_error());
		wp_event_list_free(&list);
	}
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		wp_clear_errors();
		for (j = 0, ret = 0; j < 2 && bad[i].args[j] && !ret; j++)
			ret = wp_event_list_parse(&list, bad[i].args[j]);
		if (!ok(ret < 0 && strstr(wp_last_error(), bad[i].words), "'%s' is refused: %s",
			bad[i].args[0], bad[i].words))
			printf("# %d: %s\n", ret, wp_last_error());
		wp_event_list_free(&list);
	}

	wp_event_list_parse(&list, "cs/period=7/,fs:*,faults");
	ok(list.nr == 5 && list.event[0].period == 7 && !list.event[0].globbed &&
	   list.event[1].globbed && list.event[3].globbed && !list.event[4].globbed,
	   "events that a glob names are known");
	wp_event_list_remove(&list, 1);
	wp_event_list_remove(&list, 3);
	ok(!strcmp(names_of(&list), "context-switches fs:open fs:read "), "events are removed");
	wp_event_list_free(&list);

	for (i = 0; i < WALLPROF_MAX_EVENTS - 2; i++)
		strcat(many, i ? ",cs" : "cs");
	ok(!wp_event_list_parse(&list, many) && list.nr == WALLPROF_MAX_EVENTS - 2,
	   "as many as a session takes, less two");
	ok(!wp_event_list_parse(&list, "fs:*") && list.nr == WALLPROF_MAX_EVENTS &&
	   !strcmp(list.event[list.nr - 1].name, "fs:open"), "of a glob, as many as there is room for");
	ok(wp_event_list_parse(&list, "cs") < 0 && strstr(wp_last_error(), "more than"),
	   "one more is refused");
	wp_event_list_free(&list);

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command) ? 2 : done();
}
