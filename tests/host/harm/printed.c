// SPDX-License-Identifier: GPL-2.0
/*
 * Writes a recording of threads with the names that come on standard input, each with a 0
 * behind it. Each waits in a file of that name, which is not there, and is switched to and
 * from.
 *
 * usage: names FILE
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/perfdata/perfdata.h"
#include "lib/perfdata/tracepoint.h"

#define FIRST	1000
#define MS	1000000ULL

#define FIELD(declaration, offset, size, is_signed)				\
	"\tfield:" declaration ";\toffset:" #offset ";\tsize:" #size		\
	";\tsigned:" #is_signed ";\n"
#define HEAD(name, id)								\
	"name: " name "\nID: " id "\nformat:\n"					\
	FIELD("unsigned short common_type", 0, 2, 0)				\
	FIELD("unsigned char common_flags", 2, 1, 0)				\
	FIELD("unsigned char common_preempt_count", 3, 1, 0)			\
	FIELD("int common_pid", 4, 4, 1) "\n"

static const char switch_format[] = HEAD("sched_switch", "314")
	FIELD("char prev_comm[16]", 8, 16, 1) FIELD("pid_t prev_pid", 24, 4, 1)
	FIELD("int prev_prio", 28, 4, 1) FIELD("long prev_state", 32, 8, 1)
	FIELD("char next_comm[16]", 40, 16, 1) FIELD("pid_t next_pid", 56, 4, 1)
	FIELD("int next_prio", 60, 4, 1)
	"\nprint fmt: \"prev_state=%s%s\", (REC->prev_state & 0xff) ? "
	"__print_flags(REC->prev_state & 0xff, \"|\", { 0x00000001, \"S\" }, "
	"{ 0x00000002, \"D\" }) : \"R\", REC->prev_state & 0x100 ? \"+\" : \"\"\n";

static const char waking_format[] = HEAD("sched_waking", "317")
	FIELD("char comm[16]", 8, 16, 1) FIELD("pid_t pid", 24, 4, 1)
	FIELD("int prio", 28, 4, 1) FIELD("int target_cpu", 32, 4, 1)
	"\nprint fmt: \"comm=%s pid=%d\", REC->comm, REC->pid\n";

static struct wp_tracepoint tp[2];
static struct wp_perfdata *pd;

static void must(int err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "names: %s: %s\n", what, strerror(err < 0 ? -err : err));
	exit(1);
}

static void set(unsigned int event, const char *field, void *raw, __s64 value)
{
	wp_tracepoint_set(wp_tracepoint_field(&tp[event], field), raw, value);
}

static void emit(unsigned int event, __u32 tid, __u64 time, const void *raw)
{
	must(wp_perfdata_write_sample(pd, &(struct wp_perfdata_sample){
		.event = event, .pid = tid, .tid = tid, .time = time, .period = 1, .raw = raw,
		.nr_raw = tp[event].size }), "event");
}

static void switching(__u64 time, __u32 from, __u32 to, const char *name)
{
	char raw[256];

	wp_tracepoint_begin(&tp[0], raw, from);
	wp_tracepoint_set_text(wp_tracepoint_field(&tp[0], "prev_comm"), raw,
			       from ? name : "swapper/0");
	wp_tracepoint_set_text(wp_tracepoint_field(&tp[0], "next_comm"), raw,
			       to ? name : "swapper/0");
	set(0, "prev_pid", raw, from);
	set(0, "prev_prio", raw, 120);
	set(0, "prev_state", raw, from ? 1 : 0);
	set(0, "next_pid", raw, to);
	set(0, "next_prio", raw, 120);
	emit(0, from, time, raw);
}

static void waking(__u64 time, __u32 tid, const char *name)
{
	char raw[256];

	wp_tracepoint_begin(&tp[1], raw, 0);
	wp_tracepoint_set_text(wp_tracepoint_field(&tp[1], "comm"), raw, name);
	set(1, "pid", raw, tid);
	set(1, "prio", raw, 120);
	set(1, "target_cpu", raw, 0);
	emit(1, 0, time, raw);
}

/* The process's name, and where its file is mapped. */
static void introduce(__u32 tid, const char *name, __u64 time)
{
	struct {
		struct perf_event_header header;
		__u32 pid, tid;
		char comm[16];
		struct wp_sample_id id;
	} comm = {
		.header = { .type = PERF_RECORD_COMM, .size = sizeof(comm) },
		.pid = tid, .tid = tid,
	};
	struct {
		struct perf_event_header header;
		__u32 pid, tid;
		__u64 addr, len, pgoff;
		__u32 maj, min;
		__u64 ino, generation;
		__u32 prot, flags;
		char path[64];
		struct wp_sample_id id;
	} map = {
		.header = { .type = PERF_RECORD_MMAP2, .size = sizeof(map),
			    .misc = PERF_RECORD_MISC_USER },
		.pid = tid, .tid = tid, .addr = 0x400000, .len = 0x1000, .prot = 5, .flags = 2,
	};

	snprintf(comm.comm, sizeof(comm.comm), "%s", name);
	snprintf(map.path, sizeof(map.path), "/nowhere/%s", name);
	comm.id = (struct wp_sample_id){
		.pid = tid, .tid = tid, .time = time, .id = wp_perfdata_id(pd, 3, 0),
	};
	map.id = comm.id;
	must(wp_perfdata_write_record(pd, &comm.header), "name");
	must(wp_perfdata_write_record(pd, &map.header), "mapping");
}

int main(int argc, char **argv)
{
	struct wp_perfdata_event ev[4];
	size_t size = 0;
	char *name = NULL;
	__u32 tid = FIRST;
	__u64 time = 0;

	if (argc != 2)
		return 2;
	must(wp_tracepoint_parse(&tp[0], "sched", "sched_switch", switch_format,
				 strlen(switch_format)), "sched_switch");
	must(wp_tracepoint_parse(&tp[1], "sched", "sched_waking", waking_format,
				 strlen(waking_format)), "sched_waking");
	wp_perfdata_event_tracepoint(&ev[0], &tp[0]);
	wp_perfdata_event_tracepoint(&ev[1], &tp[1]);
	wp_perfdata_event_offcpu(&ev[2]);
	wp_perfdata_event_sideband(&ev[3]);
	must(wp_perfdata_open(&pd, &(struct wp_perfdata_options){
		.path = argv[1], .events = ev, .nr_events = 4, .argc = argc, .argv = argv,
		.cpus = (int []){ 0 }, .nr_cpus = 1 }), "open");
	for (; getdelim(&name, &size, 0, stdin) > 0; tid++) {
		time += 100 * MS;
		introduce(tid, name, time);
		switching(time + 1 * MS, 0, tid, name);
		switching(time + 21 * MS, tid, 0, name);
		waking(time + 50 * MS, tid, name);
		switching(time + 55 * MS, 0, tid, name);
		must(wp_perfdata_write_sample(pd, &(struct wp_perfdata_sample){
			.event = 2, .pid = tid, .tid = tid, .time = time + 56 * MS,
			.period = 34 * MS, .nr_user = 1, .user_ips = &(__u64){ 0x400123 } }),
			"sample");
		switching(time + 60 * MS, tid, 0, name);
	}
	free(name);
	must(wp_perfdata_close(pd, NULL), "close");
	wp_tracepoint_free(&tp[0]);
	wp_tracepoint_free(&tp[1]);
	return 0;
}
