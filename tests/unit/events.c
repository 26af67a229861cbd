// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the parser of -e, with a sysfs and a tracefs of our own.
 */
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/perfdata/events.h"
#include "tap.h"

static char dir[] = "/tmp/wallprof-events.XXXXXX";

static void put(const char *path, const char *text)
{
	char name[512], *p;
	FILE *f;

	snprintf(name, sizeof(name), "%s/%s", dir, path);
	for (p = name + strlen(dir) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(name, 0700);
		*p = '/';
	}
	f = fopen(name, "w");
	if (!f)
		exit(2);
	fputs(text, f);
	fclose(f);
}

struct good {
	const char *spec, *name;
	__u32 type;
	__u64 config, config1, config2;
	const char *exclude;	/* of "ukh" */
	int precise;
};

static const struct good good[] = {
	{ "cycles", "cycles", PERF_TYPE_HARDWARE, 0 },
	{ "cpu-cycles", "cycles", PERF_TYPE_HARDWARE, 0 },
	{ "cycles:u", "cycles:u", PERF_TYPE_HARDWARE, 0, 0, 0, "kh" },
	{ "cycles:ukpp", "cycles:ukpp", PERF_TYPE_HARDWARE, 0, 0, 0, "h", 2 },
	{ "instructions:k", "instructions:k", PERF_TYPE_HARDWARE, 1, 0, 0, "uh" },
	{ "branch-misses:ppp", "branch-misses:ppp", PERF_TYPE_HARDWARE, 5, 0, 0, "", 3 },
	{ "branch-instructions", "branches", PERF_TYPE_HARDWARE, 4 },
	{ "ref-cycles", "ref-cycles", PERF_TYPE_HARDWARE, 9 },
	{ "stalled-cycles-backend", "stalled-cycles-backend", PERF_TYPE_HARDWARE, 8 },
	{ "cpu-clock", "cpu-clock", PERF_TYPE_SOFTWARE, 0 },
	{ "task-clock", "task-clock", PERF_TYPE_SOFTWARE, 1 },
	{ "faults", "page-faults", PERF_TYPE_SOFTWARE, 2 },
	{ "cs", "context-switches", PERF_TYPE_SOFTWARE, 3 },
	{ "migrations:u", "cpu-migrations:u", PERF_TYPE_SOFTWARE, 4, 0, 0, "kh" },
	{ "minor-faults", "minor-faults", PERF_TYPE_SOFTWARE, 5 },
	{ "major-faults", "major-faults", PERF_TYPE_SOFTWARE, 6 },
	{ "L1-dcache-load-misses", "L1-dcache-load-misses", PERF_TYPE_HW_CACHE, 0x10000 },
	{ "LLC-stores", "LLC-stores", PERF_TYPE_HW_CACHE, 0x102 },
	{ "dTLB-prefetch-misses", "dTLB-prefetch-misses", PERF_TYPE_HW_CACHE, 0x10203 },
	{ "branch-loads", "branch-loads", PERF_TYPE_HW_CACHE, 5 },
	{ "r01c2", "r01c2", PERF_TYPE_RAW, 0x1c2 },
	{ "rFFFFffff00000001:u", "rFFFFffff00000001:u", PERF_TYPE_RAW, 0xffffffff00000001,
	  0, 0, "kh" },
	{ "cpu/event=0x3c,umask=1/", "cpu/event=0x3c,umask=1/", 4, 0x13c },
	{ "cpu/event=0x3c/u", "cpu/event=0x3c/u", 4, 0x3c, 0, 0, "kh" },
	{ "cpu/event=0x3c/:kp", "cpu/event=0x3c/:kp", 4, 0x3c, 0, 0, "uh", 1 },
	/* The upper four bits of the event are at 32. */
	{ "cpu/event=0x1c2,inv/", "cpu/event=0x1c2,inv/", 4, 0x1008000c2 },
	{ "cpu/config=0x1234,config1=5,config2=6/", NULL, 4, 0x1234, 5, 6 },
	{ "cpu/slow,name=lazy/", "lazy", 4, 0x23c, 0x7 },
	{ "cpu/ldlat=0xffff/", NULL, 4, 0, 0xffff },
	{ "cpu/event=0x3c,event=0/", NULL, 4, 0 },
	{ "big/x=0xffffffffffffffff/", NULL, 4294967295u, 0, 0, ~0ULL },
	{ "sched:sched_switch", "sched:sched_switch", PERF_TYPE_TRACEPOINT, 314 },
	{ "sched:sched_switch:u", "sched:sched_switch:u", PERF_TYPE_TRACEPOINT, 314, 0, 0, "kh" },
};

/* What is refused, and a part of the sentence that says why. */
static const char * const bad[][2] = {
	{ "", "empty" },
	{ "cylces", "did you mean 'cycles'" },
	{ "cylces", "-e cylces:" },
	{ "cycles:z", "unknown modifier 'z'" },
	{ "cycles:pppp", "more than three" },
	{ "cycels:u", "did you mean 'cycles'" },
	{ "L1-dcache-load-mises", "did you mean 'L1-dcache-load-misses'" },
	{ "L1-icache-stores", "no such event" },
	{ "qqqqqqqqqqqqq", "wallprof list" },
	{ "rxyz", "no such event" },
	{ "r", "no such event" },
	{ "r12345678901234567", "no such event" },
	{ "cycles/period=0/", "not a number for period" },
	{ "cycles/period=1e3/", "not a number for period" },
	{ "cycles/freq=2147483648/", "not a number for freq" },
	{ "cycles/max-stack=-1/", "not a number for max-stack" },
	{ "cycles/call-graph=lbr/", "branches are not recorded" },
	{ "cycles/call-graph=x/", "-e cycles/call-graph=x/: call-graph must be 'auto'" },
	{ "cycles/event=1/", "'event' is not a term" },
	{ "cycles/period/", "'period' is not a term" },
	{ "cycles/period=1", "second '/'" },
	{ "sched:sched_switch/umask=1/", "'umask' is not a term" },
	{ "cpu/event=0x3c", "second '/'" },
	{ "cpx/event=0x3c/", "did you mean 'cpu'" },
	{ "nonesuch/event=1/", "no PMU 'nonesuch'" },
	{ "cpu/umask=0x100/", "too big for umask, whose maximum is 0xff" },
	{ "cpu/inv=2/", "maximum is 0x1" },
	{ "cpu/event=0x1000/", "maximum is 0xfff" },
	{ "cpu/event=/", "not a number" },
	{ "cpu/event=12z/", "not a number" },
	{ "cpu/event=-1/", "not a number" },
	{ "cpu/event=0x1ffffffffffffffff/", "not a number" },
	{ "cpu/umsk=1/", "did you mean 'umask'" },
	{ "cpu/../../x=1/", "not a term" },
	{ "../cpu/x=1/", "no PMU" },
	{ "cpu/needy/", "needs a value" },
	{ "cpu/odd=1/", "not known here" },
	{ "cpu/odd2=1/", "not known here" },
	{ "cpu/loop/", "no term or event 'loop'" },
	{ "cpu/event=1/z", "unknown modifier" },
	{ "/event=1/", "no PMU" },
	{ "sched:sched_swich", "did you mean 'sched:sched_switch'" },
	{ "sched:..", "neither" },
	{ "sched:a/b", "second '/'" },
	{ "sched:sched_switch:q", "unknown modifier" },
	{ "none:such", "no such tracepoint" },
	{ "cs/name=/", "the name is empty" },
	{ "cs/name=offcpu-time/", "another event of the file" },
	{ "cs/name=wakeup-time:u/", "another event of the file" },
};

int main(void)
{
	struct perf_event_attr attr = { 0 };
	struct wp_event ev;
	char root[300], path[300], longest[400];
	unsigned int i;

	if (!mkdtemp(dir))
		return 2;
	put("dev/cpu/type", "4\n");
	put("dev/cpu/format/event", "config:0-7,32-35\n");
	put("dev/cpu/format/umask", "config:8-15\n");
	put("dev/cpu/format/inv", "config:23\n");
	put("dev/cpu/format/ldlat", "config1:0-15\n");
	put("dev/cpu/format/odd", "config9:0-15\n");
	put("dev/cpu/format/odd2", "config:5-99\n");
	put("dev/cpu/events/slow", "event=0x3c,umask=0x02,ldlat=7\n");
	put("dev/cpu/events/needy", "event=0x3c,umask=?\n");
	put("dev/cpu/events/loop", "loop\n");
	put("dev/big/type", "4294967295\n");
	put("dev/big/format/x", "config2:0-63\n");
	put("trace/events/sched/sched_switch/id", "314\n");
	snprintf(root, sizeof(root), "%s/dev", dir);
	snprintf(path, sizeof(path), "%s/trace", dir);
	wp_events_set_roots(root, path);
	wp_set_verbosity(WP_SILENT);

	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		const struct good *g = &good[i];
		const char *x = g->exclude ? g->exclude : "";
		int ret = wp_event_parse(&ev, g->spec);

		ok(!ret && !ev.none && !strcmp(ev.name, g->name ? g->name : g->spec) &&
		   ev.type == g->type && ev.config == g->config && ev.config1 == g->config1 &&
		   ev.config2 == g->config2 && ev.precise_ip == g->precise &&
		   ev.exclude_user == !!strchr(x, 'u') && ev.exclude_kernel == !!strchr(x, 'k') &&
		   ev.exclude_hv == !!strchr(x, 'h'), "%s", g->spec);
	}
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		int ret;

		wp_clear_errors();
		ret = wp_event_parse(&ev, bad[i][0]);
		if (!ok(ret < 0 && strstr(wp_last_error(), bad[i][1]), "'%s' is refused: %s",
			bad[i][0], bad[i][1]))
			printf("# %d: %s\n", ret, wp_last_error());
	}
	ok(!wp_event_parse(&ev, "cycles/period=77,max-stack=3,call-graph=fp/uk") &&
	   !strcmp(ev.name, "cycles:uk") && ev.period == 77 && ev.max_stack == 3 &&
	   ev.has_call_graph && ev.call_graph == WP_CALL_GRAPH_FP && ev.exclude_hv &&
	   !ev.exclude_user, "terms of an event with a name");
	ok(!wp_event_parse(&ev, "sched:sched_switch/freq=9,name=leave/") && ev.config == 314 &&
	   !strcmp(ev.name, "leave") && ev.freq == 9 && !ev.has_call_graph,
	   "terms of a tracepoint");
	ok(!wp_event_parse(&ev, "cpu/event=0x3c,period=5,call-graph=no/") && ev.config == 0x3c &&
	   ev.period == 5 && ev.call_graph == WP_CALL_GRAPH_NONE, "terms beside those of a PMU");
	ok(!wp_event_parse(&ev, "cs/call-graph=dwarf,max-stack=127/") &&
	   ev.call_graph == WP_CALL_GRAPH_AUTO && ev.max_stack == 127, "dwarf is taken as auto");
	ok(!wp_event_parse(&ev, "cs/name=offcpu-times/") && !strcmp(ev.name, "offcpu-times"),
	   "a name that begins like one of ours");
	wp_event_parse(&ev, "cs");
	wp_event_settle(&ev, 99, 5);
	ok(ev.freq == 99 && !ev.period, "a frequency, if there is no term");
	wp_event_parse(&ev, "cs");
	wp_event_settle(&ev, 0, 5);
	ok(!ev.freq && ev.period == 5, "or a period");
	wp_event_parse(&ev, "cs/period=3/");
	wp_event_settle(&ev, 99, 5);
	ok(!ev.freq && ev.period == 3, "a term for the period");
	wp_event_parse(&ev, "cs/freq=3/");
	wp_event_settle(&ev, 0, 5);
	ok(ev.freq == 3 && !ev.period, "a term for the frequency");
	ok(!wp_event_parse(&ev, "none") && ev.none, "none");
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	ok(wp_event_parse(&ev, longest) < 0, "a very long name is refused");
	wp_event_parse(&ev, "cycles:up");
	wp_event_to_attr(&ev, &attr);
	ok(attr.type == PERF_TYPE_HARDWARE && attr.exclude_kernel && attr.exclude_hv &&
	   !attr.exclude_user && attr.precise_ip == 1, "the kernel's struct");

	snprintf(longest, sizeof(longest), "rm -rf %s", dir);
	return system(longest) ? 2 : done();
}
