// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of perfdata.c and features.c: that a file with samples of tracepoints describes
 * them all. If there is a perf here, it is asked.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/perfdata/features.h"
#include "lib/perfdata/perfdata.h"
#include "lib/perfdata/rawsample.h"
#include "lib/perfdata/tracepoint.h"
#include "formats.h"
#include "tap.h"

static char dir[] = "/tmp/wallprof-tracedfile.XXXXXX";

struct world {
	struct wp_tracepoint tp[NR];
	struct wp_perfdata *pd;
	char path[64];
};

/* The tracepoints of a kernel; the sideband behind them, and raw samples of our own. */
static bool open_world(struct world *w, const char *const *formats)
{
	struct wp_perfdata_event ev[NR + 3];
	unsigned int i, nr = 0;

	memset(w, 0, sizeof(*w));
	snprintf(w->path, sizeof(w->path), "%s/perf.data", dir);
	unlink(w->path);
	for (i = 0; i < NR; i++) {
		if (wp_tracepoint_parse(&w->tp[i], "sched", names[i], formats[i],
					strlen(formats[i])))
			return false;
		wp_perfdata_event_tracepoint(&ev[nr++], &w->tp[i]);
	}
	wp_perfdata_event_sideband(&ev[nr++]);
	wp_perfdata_event_offcpu(&ev[nr]);
	wp_perfdata_event_raw(&ev[nr++], WP_RAW_HIST | WP_RAW_SINGLE);
	wp_perfdata_event_runnable(&ev[nr]);
	wp_perfdata_event_raw(&ev[nr++], WP_RAW_HIST | WP_RAW_SINGLE);
	return !wp_perfdata_open(&w->pd, &(struct wp_perfdata_options){
		.path = w->path, .events = ev, .nr_events = nr,
		.cpus = (int []){ 0, 1 }, .nr_cpus = 2 });
}

static bool close_world(struct world *w)
{
	unsigned int i;

	for (i = 0; i < NR; i++)
		wp_tracepoint_free(&w->tp[i]);
	return !wp_perfdata_close(w->pd, NULL);
}

static void comm(struct world *w, __u32 tid, const char *name)
{
	struct {
		struct perf_event_header header;
		__u32 pid, tid;
		char name[16];
		struct wp_sample_id id;
	} r = {
		.header.type = PERF_RECORD_COMM, .header.size = sizeof(r),
		.pid = tid, .tid = tid, .id.pid = tid, .id.tid = tid,
		.id.id = wp_perfdata_id(w->pd, NR, 0),
	};

	strcpy(r.name, name);
	wp_perfdata_write_record(w->pd, &r.header);
}

static void emit(struct world *w, unsigned int event, __u32 cpu, __u32 tid, __u64 ms,
		 const void *raw)
{
	static const __u64 ip[] = { 0xffffffff81000010 };

	wp_perfdata_write_sample(w->pd, &(struct wp_perfdata_sample){
		.event = event, .pid = tid, .tid = tid, .cpu = cpu,
		.time = 1000000000 + 1000000 * ms, .period = 1, .kernel_mode = true,
		.nr_kernel = 1, .kernel_ips = ip, .raw = raw, .nr_raw = w->tp[event].size });
}

/* Of a thread: what all but the switch have. */
static void about(struct world *w, unsigned int event, __u32 cpu, __u32 from, __u32 tid,
		  const char *name, __u64 ms, const char *field, __s64 value)
{
	const struct wp_tracepoint *tp = &w->tp[event];
	char raw[256];

	wp_tracepoint_begin(tp, raw, from);
	set_text(tp, "comm", raw, name);
	set(tp, "pid", raw, tid);
	set(tp, "prio", raw, 120);
	set(tp, "success", raw, 1);
	set(tp, "orig_cpu", raw, cpu);
	set(tp, field, raw, value);
	emit(w, event, cpu, from, ms, raw);
}

static void switching(struct world *w, __u32 cpu, __u32 prev, const char *prev_comm,
		      int state, __u32 next, const char *next_comm, __u64 ms)
{
	const struct wp_tracepoint *tp = &w->tp[SWITCHING];
	char raw[256];

	wp_tracepoint_begin(tp, raw, prev);
	set_text(tp, "prev_comm", raw, prev_comm);
	set(tp, "prev_pid", raw, prev);
	set(tp, "prev_prio", raw, 120);
	set(tp, "prev_state", raw, state);
	set_text(tp, "next_comm", raw, next_comm);
	set(tp, "next_pid", raw, next);
	set(tp, "next_prio", raw, 120);
	emit(w, SWITCHING, cpu, prev, ms, raw);
}

/*
 * alpha runs for 25 ms and wakes beta, which waits for 5 and runs for 10. Its wakeup is
 * sched_wakeup: perf sched latency of 5.10 and 6.1 does not look at sched_waking.
 */
static bool write_world(struct world *w, const char *const *formats)
{
	if (!open_world(w, formats))
		return false;
	comm(w, 100, "alpha");
	comm(w, 200, "beta");
	comm(w, 300, "gamma");
	switching(w, 0, 0, "swapper/0", 0, 100, "alpha", 0);
	switching(w, 1, 0, "swapper/1", 0, 0, "swapper/1", 0);
	about(w, WOKEN, 0, 100, 200, "beta", 20, "target_cpu", 0);
	about(w, RUNTIME, 0, 100, 100, "alpha", 25, "runtime", 25000000);
	switching(w, 0, 100, "alpha", 1, 200, "beta", 25);
	about(w, WAKEUP_NEW, 0, 200, 300, "gamma", 30, "target_cpu", 0);
	about(w, MIGRATE, 0, 200, 300, "gamma", 31, "dest_cpu", 1);
	switching(w, 1, 0, "swapper/1", 0, 300, "gamma", 32);
	about(w, RUNTIME, 0, 200, 200, "beta", 35, "runtime", 10000000);
	switching(w, 0, 200, "beta", 2, 0, "swapper/0", 35);
	about(w, RUNTIME, 1, 300, 300, "gamma", 40, "runtime", 8000000);
	switching(w, 1, 300, "gamma", 1, 0, "swapper/1", 40);
	return close_world(w);
}

static const char *past(const char *p, const char *s)
{
	return p && !memcmp(p, s, strlen(s) + 1) ? p + strlen(s) + 1 : NULL;
}

/* A format in the file; NULL if it is another one. */
static const char *past_format(const char *p, const char *text, size_t len)
{
	__u64 n;

	if (!p)
		return NULL;
	memcpy(&n, p, 8);
	return n == len && !memcmp(p + 8, text, len) ? p + 8 + len : NULL;
}

static const char *past_u32(const char *p, __u32 v)
{
	return p && !memcmp(p, &v, 4) ? p + 4 : NULL;
}

static void test_file(void)
{
	static char data[1 << 20];
	struct wp_buf own = { 0 };
	const __u64 *h = (void *)data;
	const char *p, *end;
	struct world w;
	unsigned int i;
	__u64 sec[2];
	ssize_t n;
	int fd;

	ok(write_world(&w, linux_7), "a file with tracepoints");
	fd = open(w.path, O_RDONLY);
	n = read(fd, data, sizeof(data));
	close(fd);
	ok(n > 0 && h[9] >> WP_FEAT_TRACING_DATA & 1, "has their formats");
	/* The feature with the lowest number is the first. */
	memcpy(sec, data + h[5] + h[6], sizeof(sec));
	end = data + sec[0] + sec[1];
	p = data + sec[0] + 3 + 7 + 4 + 2 + 4;
	p = past(p, "header_page");
	memcpy(sec, p, 8);
	p = past(p + 8 + sec[0], "header_event");
	p = past_u32(p ? p + 8 : NULL, 0);
	p = past_u32(p, 2);
	p = past(p, "sched");
	p = past_u32(p, NR);
	for (i = 0; i < NR; i++)
		p = past_format(p, linux_7[i], strlen(linux_7[i]));
	ok(p != NULL, "of the kernel's system");
	wp_raw_format(&own, WP_RAW_HIST | WP_RAW_SINGLE);
	p = past(p, WP_RAW_SYSTEM);
	p = past_u32(p, 1);
	p = past_format(p, own.data, own.len);
	ok(p != NULL, "and of our own");
	p = past_u32(p, 0);
	p = past_u32(p, 0);
	ok(p == end, "and nothing else");
	wp_buf_free(&own);
}

/* Events in any order come out by system, in the order of the first of each. */
static void test_systems(void)
{
	static const struct wp_feature_format formats[] = {
		{ "b", "1", 1 }, { "a", "2", 1 }, { "b", "3", 1 }, { "c", "4", 1 }, { "a", "5", 1 },
	};
	static const char want[] =
		"\3\0\0\0" "b\0\2\0\0\0" "\1\0\0\0\0\0\0\0" "1" "\1\0\0\0\0\0\0\0" "3"
		"a\0\2\0\0\0" "\1\0\0\0\0\0\0\0" "2" "\1\0\0\0\0\0\0\0" "5"
		"c\0\1\0\0\0" "\1\0\0\0\0\0\0\0" "4" "\0\0\0\0" "\0\0\0";
	struct wp_features f = { 0 };
	const struct wp_buf *b = &f.sec[WP_FEAT_TRACING_DATA];

	wp_features_tracing(&f, formats, 0);
	ok(!b->len, "no format, no section");
	wp_features_tracing(&f, formats, 5);
	ok(b->len > sizeof(want) &&
	   !memcmp(b->data + b->len - sizeof(want), want, sizeof(want)), "events by system");
	wp_features_free(&f);
}

/* Whether perf's output matches a regular expression, and its stderr is empty. */
static bool perf_says(const struct world *w, const char *args, const char *regex)
{
	char cmd[1024];

	snprintf(cmd, sizeof(cmd),
		 "cd %s && perf %s -i perf.data >out 2>err </dev/null && [ ! -s err ] && "
		 "tr -s ' ' <out | grep -Eq -- '%s' || { sed 's/^/# /' out err; false; }",
		 dir, args, regex);
	return !system(cmd);
}

static void test_perf(const char *const *formats, const char *kernel)
{
	struct world w;

	if (system("perf version >/dev/null 2>&1")) {
		ok(1, "perf # SKIP there is none here");
		return;
	}
	ok(write_world(&w, formats), "a file with the formats of %s", kernel);
	ok(perf_says(&w, "script", "sched:sched_switch: .*prev_comm=alpha prev_pid=100 "
		     "prev_prio=120 prev_state=S ==> next_comm=beta next_pid=200 next_prio=120"),
	   "perf script: a switch");
	ok(perf_says(&w, "script", "sched:sched_migrate_task: .*comm=gamma pid=300 prio=120 "
		     "orig_cpu=0 dest_cpu=1"), "perf script: a migration");
	ok(perf_says(&w, "script", "sched:sched_stat_runtime: .*comm=beta pid=200 "
		     "runtime=10000000"), "perf script: a runtime");
	ok(perf_says(&w, "sched latency", "beta:200 \\| 10.000 ms \\| 1 \\| avg: 5.000 ms"),
	   "perf sched latency");
	ok(perf_says(&w, "sched timehist", "\\[0000\\] beta\\[200\\] 0.000 5.000 10.000"),
	   "perf sched timehist");
	ok(perf_says(&w, "sched map", "B0 => beta:200"), "perf sched map");
	ok(perf_says(&w, "sched script", "sched:sched_wakeup: .*comm=beta pid=200"),
	   "perf sched script");
}

int main(void)
{
	char cmd[64];

	if (!mkdtemp(dir))
		return 2;
	wp_set_verbosity(WP_SILENT);
	test_file();
	test_systems();
	test_perf(linux_6_1, "6.1");
	test_perf(linux_7, "7");
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	return system(cmd) ? 2 : done();
}
