// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of eventfilters.c: which events a filter is of, and what is said of wrong ones, with
 * a tracefs of our own.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/err.h"
#include "lib/perfdata/eventfilters.h"
#include "lib/perfdata/filter.h"
#include "formats.h"
#include "tap.h"

static char dir[] = "/tmp/wallprof-eventfilters.XXXXXX";

static void put(const char *name, const char *file, const char *text)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/events/sched/%s", dir, name);
	mkdir(path, 0700);
	strcat(path, file);
	f = fopen(path, "w");
	if (!f || fputs(text, f) < 0 || fclose(f))
		exit(2);
}

/*
 * Words of the command line: each an argument of -e; of --filter, if it begins with "=", or
 * of --weight, with "+"; of --by, with "/".
 */
static int give(struct wp_event_list *list, const char *const *words)
{
	unsigned int i;
	int err = 0;

	memset(list, 0, sizeof(*list));
	for (; *words && !err; words++) {
		if (!strcmp(*words, "-"))
			err = wp_event_filters_exclude_self(list);
		else if (**words == '+')
			err = wp_event_filters_weigh(list, *words + 1);
		else if (**words == '/')
			err = wp_event_filters_sum_by(list, *words + 1);
		else if (**words == '=')
			err = wp_event_filters_add(list, *words + 1);
		else
			err = wp_event_list_parse(list, *words);
	}
	for (i = 0; i < list->nr; i++)
		wp_event_settle(&list->event[i], 0, 1);
	return err ? err : wp_event_filters_compile(list);
}

#define GIVE(list, ...)	give(list, (const char *const []){ __VA_ARGS__, NULL })

static unsigned int terms(const struct wp_event_list *list, unsigned int nr)
{
	return list->event[nr].filter ? list->event[nr].filter->nr : 0;
}

static void test_whose(void)
{
	struct wp_event_list list;
	int ret;

	ret = GIVE(&list, "cycles", "sched:*", "=prio > 5", "sched:sched_switch");
	ok(!ret && list.nr == 4 && !terms(&list, 0) && terms(&list, 1) == 1 &&
	   terms(&list, 2) == 1 && !terms(&list, 3), "a filter is of the -e before it");
	wp_event_list_free(&list);
	ret = GIVE(&list, "sched:sched_waking", "=prio > 5 || prio < 2", "=pid != 1");
	ok(!ret && terms(&list, 0) == 3 &&
	   !strcmp(list.event[0].filter_text, "(prio > 5 || prio < 2) && (pid != 1)"),
	   "two filters of one event");
	wp_event_list_free(&list);
	ret = GIVE(&list, "sched:sched_waking/name=x,max-stack=2/", "=prio > 5", "-");
	ok(!ret && terms(&list, 0) == 2, "an event with terms; this process is left out");
	wp_event_list_remove(&list, 0);
	wp_event_list_free(&list);
	ret = GIVE(&list, "sched:sched_*", "+prio", "sched:sched_waking");
	ok(!ret && list.nr == 3 && list.event[1].weight_offset == 28 &&
	   list.event[1].weight_size == 4 && list.event[1].weight_sign &&
	   !strcmp(list.event[1].name, "sched:sched_waking.prio") && !list.event[2].weight_size &&
	   !terms(&list, 1), "a weight, and its unit in the name");
	wp_event_list_free(&list);
	ret = GIVE(&list, "sched:sched_*", "/prio", "+target_cpu", "sched:sched_waking", "/pid");
	ok(!ret && list.nr == 3 && list.event[1].by.offset == 28 && list.event[1].by.size == 4 &&
	   list.event[1].by.has_sign && list.event[2].by.offset == 24 &&
	   !strcmp(list.event[1].name, "sched:sched_waking.target_cpu/by=prio/") &&
	   !strcmp(list.event[2].name, "sched:sched_waking/by=pid/") && !terms(&list, 1),
	   "what to sum by, behind the weight in the name");
	wp_event_list_free(&list);
	ret = GIVE(&list, "sched:sched_waking", "/prio", "/pid", "=prio > 5", "cs");
	ok(!ret && list.event[0].by.offset == 24 && terms(&list, 0) == 1 && !list.event[1].by.size,
	   "the last one, beside a filter");
	wp_event_list_free(&list);
	ret = GIVE(&list, "sched:sched_waking:u", "-");
	ok(!ret && terms(&list, 0) == 1, "nothing else is");
	wp_event_list_free(&list);
}

static const struct {
	const char *words[4], *message;
} wrong[] = {
	{ { "=prio > 5" }, "--filter option should follow a -e tracepoint or HW tracer option" },
	{ { "cycles", "=prio > 5" },
	  "--filter option should follow a -e tracepoint or HW tracer option" },
	{ { "none", "=prio > 5" },
	  "--filter option should follow a -e tracepoint or HW tracer option" },
	{ { "sched:sched_waking,cs", "=prio > 5" },
	  "--filter option should follow a -e tracepoint or HW tracer option" },
	{ { "-" }, "--exclude-perf option should follow a -e tracepoint option" },
	{ { "sched:sched_waking", "cycles", "-" },
	  "--exclude-perf option should follow a -e tracepoint option" },
	{ { "sched:sched_waking/period=2/", "=prio > 5" },
	  "a filter needs a sample of each event: use -e sched:sched_waking/period=1/ instead of -F and -c" },
	{ { "sched:sched_waking/freq=2/", "-" },
	  "a filter needs a sample of each event: use -e sched:sched_waking/period=1/ instead of -F and -c" },
	{ { "sched:sched_waking", "=prio == x" },
	  "failed to set filter \"prio == x\" on event sched:sched_waking with 22 (Invalid argument)\n"
	  "prio == x\n"
	  "        ^\n"
	  "Invalid value (did you forget quotes)?" },
	{ { "sched:sched_waking", "=prior > 5" },
	  "failed to set filter \"prior > 5\" on event sched:sched_waking with 22 (Invalid argument)\n"
	  "prior > 5\n"
	  "^\n"
	  "Field not found; did you mean 'prio'?\n"
	  "Its fields: comm, pid, prio, target_cpu\n"
	  "Of each event: common_type, common_flags, common_preempt_count, common_pid,\n"
	  "  COMM, CPU" },
	{ { "sched:other", "=prio > 5" },
	  "the format of event sched:other cannot be read: No such file or directory" },
	{ { "cycles", "+prio" },
	  "--weight prio: the option should follow a -e tracepoint option, and sums this field of it; perf's --weight, of memory accesses, is not supported" },
	{ { "sched:sched_waking", "+" }, "--weight: '' is no field" },
	{ { "sched:sched_waking", "+bytes" },
	  "--weight bytes: no such field of event sched:sched_waking; its fields: comm, pid, prio, target_cpu" },
	{ { "sched:sched_waking", "+comm" },
	  "--weight comm: it is no number of event sched:sched_waking; its fields: comm, pid, prio, target_cpu" },
	{ { "sched:sched_waking/period=2/", "+prio" },
	  "a weight needs a sample of each event: use -e sched:sched_waking/period=1/ instead of -F and -c" },
	{ { "cycles", "/prio" }, "--by prio: the option should follow a -e tracepoint option" },
	{ { "/prio" }, "--by prio: the option should follow a -e tracepoint option" },
	{ { "sched:sched_waking", "/" }, "--by: '' is no field" },
	{ { "sched:sched_waking",
	    "/sixty_four_letters_are_more_than_a_field_may_have_in_its_own_name" },
	  "--by: 'sixty_four_letters_are_more_than_a_field_may_have_in_its_own_name' is no field" },
	{ { "sched:sched_waking", "/prior" },
	  "--by prior: no such field of event sched:sched_waking; its fields: comm, pid, prio, target_cpu" },
	{ { "sched:sched_waking", "/comm" },
	  "--by comm: it is no number of event sched:sched_waking; its fields: comm, pid, prio, target_cpu" },
	{ { "sched:sched_waking", "/common_pid" },
	  "--by common_pid: this field is of each event, and not of sched:sched_waking alone" },
	{ { "sched:sched_waking/period=2/", "/prio" },
	  "--by needs a sample of each event: use -e sched:sched_waking/period=1/ instead of -F and -c" },
};

static void test_wrong(void)
{
	struct wp_event_list list;
	unsigned int i;
	int ret;

	put("other", "/id", "3\n");
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		ret = give(&list, wrong[i].words);
		ok(ret < 0 && !strcmp(wp_last_error(), wrong[i].message), "%s %s",
		   wrong[i].words[0], wrong[i].words[1] ? wrong[i].words[1] : "");
		if (strcmp(wp_last_error(), wrong[i].message))
			printf("# %s\n", wp_last_error());
		wp_event_list_free(&list);
	}
}

/* A place far to the right, and one in the middle: the mark is under it. */
static void test_mark(void)
{
	char text[400] = "=", expected[64];
	struct wp_event_list list;
	const char *error, *mark;

	while (strlen(text) < 300)
		strcat(text, "prio == 1 || ");
	strcat(text, "nosuch == 1 || prio == 2");
	GIVE(&list, "sched:sched_waking", text);
	error = wp_last_error();
	mark = strchr(error, '^');
	snprintf(expected, sizeof(expected), "\n%*s^\n", 39, "");
	ok(mark && strstr(error, expected) && strstr(error, "|| nosuch == 1"),
	   "only what is near is shown");
	wp_event_list_free(&list);
}

int main(void)
{
	char command[300];

	if (!mkdtemp(dir))
		return 2;
	snprintf(command, sizeof(command), "mkdir -p %s/events/sched", dir);
	if (system(command))
		return 2;
	put("sched_switch", "/id", "1\n");
	put("sched_switch", "/format", SWITCH("1", 0));
	put("sched_waking", "/id", "2\n");
	put("sched_waking", "/format", WAKEUP("sched_waking", "2", 0));
	wp_events_set_roots("/nonexistent", dir);
	wp_set_verbosity(WP_SILENT);
	test_mark();
	put("sched_switch", "/format", WAKEUP("sched_switch", "1", 0));
	test_whose();
	test_wrong();
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command) ? 2 : done();
}
