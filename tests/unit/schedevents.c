// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the states in which threads leave their CPUs, as the formats of new and old
 * kernels have them.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/perfdata/perfdata.h"
#include "lib/profile/schedevents.h"
#include "tap.h"

#define FIELD(declaration, offset, size)					\
	"\tfield:" declaration ";\toffset:" #offset ";\tsize:" #size ";\tsigned:1;\n"
#define FORMAT(states, preempted)								\
	"name: sched_switch\nID: 314\nformat:\n"				\
	FIELD("unsigned short common_type", 0, 2)				\
	FIELD("int common_pid", 4, 4) "\n"					\
	FIELD("char prev_comm[16]", 8, 16) FIELD("pid_t prev_pid", 24, 4)	\
	FIELD("int prev_prio", 28, 4) FIELD("long prev_state", 32, 8)		\
	FIELD("char next_comm[16]", 40, 16) FIELD("pid_t next_pid", 56, 4)	\
	FIELD("int next_prio", 60, 4)						\
	"\nprint fmt: \"%s\", __print_flags(REC->prev_state, \"|\", " states "), "	\
	"REC->prev_state & " preempted " ? \"+\" : \"\"\n"

/* Of 6.1, and of 4.9. */
static const char recent[] = FORMAT(
	"{ 0x00000001, \"S\" }, { 0x00000002, \"D\" }, { 0x00000004, \"T\" }, "
	"{ 0x00000008, \"t\" }, { 0x00000010, \"X\" }, { 0x00000020, \"Z\" }, "
	"{ 0x00000040, \"P\" }, { 0x00000080, \"I\" }",
	"(((0x00000000 | 0x00000001 | 0x00000080) + 1) << 1)");
static const char old[] = FORMAT(
	"{ 1, \"S\"} , { 2, \"D\" }, { 4, \"T\" }, { 8, \"t\" }, { 16, \"Z\" }, "
	"{ 32, \"X\" }, { 64, \"x\" }, { 128, \"K\" }, { 256, \"W\" }, { 512, \"P\" }, "
	"{ 1024, \"N\" }", "4096");

static char dir[] = "/tmp/wallprof-schedevents.XXXXXX";
static char path[64], found[256];

struct reader {
	struct wp_schedevents *events;
	size_t at;
};

static int add(void *ctx, const struct wp_perfrecord *rec)
{
	struct reader *r = ctx;
	struct wp_schedevent ev;

	if (wp_schedevents_decode(r->events, rec, &ev) == 1 && ev.type == WP_SCHED_SWITCH)
		r->at += sprintf(found + r->at, "%c%s ", ev.state, ev.preempted ? "+" : "");
	return 0;
}

static bool record(const char *format, const unsigned int *states, size_t nr)
{
	struct wp_perfdata_event ev[2];
	struct wp_tracepoint tp;
	struct wp_perfdata *pd;
	char raw[256];
	size_t i;

	unlink(path);
	if (wp_tracepoint_parse(&tp, "sched", "sched_switch", format, strlen(format)))
		return false;
	wp_perfdata_event_tracepoint(&ev[0], &tp);
	wp_perfdata_event_sideband(&ev[1]);
	if (wp_perfdata_open(&pd, &(struct wp_perfdata_options){
			.path = path, .events = ev, .nr_events = 2, .cpus = (int []){ 0 },
			.nr_cpus = 1 }))
		return false;
	for (i = 0; i < nr; i++) {
		wp_tracepoint_begin(&tp, raw, 7);
		wp_tracepoint_set(wp_tracepoint_field(&tp, "prev_pid"), raw, 7);
		wp_tracepoint_set(wp_tracepoint_field(&tp, "next_pid"), raw, 8);
		wp_tracepoint_set(wp_tracepoint_field(&tp, "prev_state"), raw, states[i]);
		wp_perfdata_write_sample(pd, &(struct wp_perfdata_sample){
			.pid = 7, .tid = 7, .time = 1000 + i, .period = 1, .raw = raw,
			.nr_raw = tp.size });
	}
	wp_tracepoint_free(&tp);
	return !wp_perfdata_close(pd, NULL);
}

/* The states that are read of a file. */
static const char *states_of(void)
{
	struct wp_perfrecords *records = NULL;
	struct reader r = { 0 };
	struct wp_perffile file;

	*found = 0;
	if (!wp_perffile_open(&file, path) && !wp_perfrecords_open(&records, &file, path) &&
	    !wp_schedevents_new(&r.events, records))
		wp_perfrecords_read(records, add, &r);
	wp_schedevents_free(r.events);
	if (records)
		wp_perfrecords_free(records);
	wp_perffile_close(&file);
	return found;
}

static void is(const char *what, const char *format, const unsigned int *states, size_t nr,
	       const char *wanted)
{
	const char *got = record(format, states, nr) ? states_of() : "no file";

	if (!ok(!strcmp(got, wanted), "%s", what))
		printf("# %s, not %s\n", got, wanted);
}

int main(void)
{
	static const unsigned int of_recent[] = {
		0, 0x100, 1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80, 0x200,
	};
	static const unsigned int of_old[] = {
		0, 0x1000, 1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80, 0x100, 0x200, 0x400, 0x402, 0x82,
	};

	wp_set_verbosity(WP_SILENT);
	if (!mkdtemp(dir))
		return 1;
	snprintf(path, sizeof(path), "%s/perf.data", dir);
	is("states of a new kernel", recent, of_recent, 11, "R R+ S D T t X Z P I R ");
	is("states of an old one, and two that are several", old, of_old, 15,
	   "R R+ S D T t Z X x K W P N I D ");
	unlink(path);
	rmdir(dir);
	return done();
}
