// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of wallprof sched latency, timehist, map and hist: what they say of a recording
 * that is made here, of threads with the worst names, as text, JSON and CSV; of lost
 * events; and of the same file damaged.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/perfdata/perfdata.h"
#include "lib/perfdata/tracepoint.h"
#include "tap.h"

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
	"{ 0x00000002, \"D\" }, { 0x00000010, \"X\" }, { 0x00000020, \"Z\" }, "
	"{ 0x00000040, \"P\" }, { 0x00000080, \"I\" }) : \"R\", "
	"REC->prev_state & 0x100 ? \"+\" : \"\"\n";

static const char waking_format[] = HEAD("sched_waking", "317")
	FIELD("char comm[16]", 8, 16, 1) FIELD("pid_t pid", 24, 4, 1)
	FIELD("int prio", 28, 4, 1) FIELD("int target_cpu", 32, 4, 1)
	"\nprint fmt: \"comm=%s pid=%d\", REC->comm, REC->pid\n";

/* A quote, a comma, a line's end, a terminal's command, and no UTF-8. */
#define WORST	"a\"b,c\n\x1b[2J\xff"

static char dir[] = "/tmp/wallprof-words.XXXXXX";
static char path[64], out[64], bad[64];
static struct wp_tracepoint tp[2];
static struct wp_perfdata *pd;

static void set(unsigned int event, const char *field, void *raw, __s64 value)
{
	wp_tracepoint_set(wp_tracepoint_field(&tp[event], field), raw, value);
}

static void emit(unsigned int event, __u32 tid, __u64 us, const void *raw)
{
	wp_perfdata_write_sample(pd, &(struct wp_perfdata_sample){
		.event = event, .pid = tid, .tid = tid, .time = 1000000000 + 1000 * us,
		.period = 1, .raw = raw, .nr_raw = tp[event].size });
}

static void switching(__u64 us, __u32 from, int state, __u32 to)
{
	char raw[256];

	wp_tracepoint_begin(&tp[0], raw, from);
	wp_tracepoint_set_text(wp_tracepoint_field(&tp[0], "prev_comm"), raw,
			       from ? WORST : "swapper/0");
	wp_tracepoint_set_text(wp_tracepoint_field(&tp[0], "next_comm"), raw,
			       to ? WORST : "swapper/0");
	set(0, "prev_pid", raw, from);
	set(0, "prev_prio", raw, 120);
	set(0, "prev_state", raw, state);
	set(0, "next_pid", raw, to);
	set(0, "next_prio", raw, 120);
	emit(0, from, us, raw);
}

static void waking(__u64 us, __u32 by, __u32 tid)
{
	char raw[256];

	wp_tracepoint_begin(&tp[1], raw, by);
	wp_tracepoint_set_text(wp_tracepoint_field(&tp[1], "comm"), raw, WORST);
	set(1, "pid", raw, tid);
	set(1, "prio", raw, 120);
	set(1, "target_cpu", raw, 0);
	emit(1, by, us, raw);
}

/*
 * 100 runs for 20 ms, sleeps for 30, waits for 5 and runs for 7. Meanwhile a CPU lost
 * events; of CPU 1 there is nothing else.
 */
static bool record(__u64 lost, __u32 cpu)
{
	struct wp_perfdata_event ev[3];
	int err;

	unlink(path);
	if (wp_tracepoint_parse(&tp[0], "sched", "sched_switch", switch_format,
				strlen(switch_format)) ||
	    wp_tracepoint_parse(&tp[1], "sched", "sched_waking", waking_format,
				strlen(waking_format)))
		return false;
	wp_perfdata_event_tracepoint(&ev[0], &tp[0]);
	wp_perfdata_event_tracepoint(&ev[1], &tp[1]);
	wp_perfdata_event_sideband(&ev[2]);
	err = wp_perfdata_open(&pd, &(struct wp_perfdata_options){
		.path = path, .events = ev, .nr_events = 3,
		.cpus = (int []){ 0, 1 }, .nr_cpus = 2 });
	if (!err) {
		switching(0, 0, 0, 100);
		switching(20000, 100, 1, 0);
		if (lost)
			wp_perfdata_write_lost(pd, 0, cpu, 1000030000 - 5000, lost);
		waking(50000, 0, 100);
		switching(55000, 0, 0, 100);
		switching(62000, 100, 0x100, 0);
		err = wp_perfdata_close(pd, NULL);
	}
	wp_tracepoint_free(&tp[0]);
	wp_tracepoint_free(&tp[1]);
	return !err;
}

/* Exit status of "wallprof sched COMMAND -i FILE"; what it says is in the file out. */
static int run(const char *command, const char *file)
{
	char line[256];
	int status;

	snprintf(line, sizeof(line), "build/san/wallprof sched %s -i %s >%s 2>&1", command, file,
		 out);
	status = system(line);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static const char *said(void)
{
	static char text[65536];
	int fd = open(out, O_RDONLY);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	close(fd);
	text[n > 0 ? n : 0] = 0;
	return text;
}

static void expect(const char *command, const char *text)
{
	int status = run(command, path);
	const char *at = said();

	if (!ok(!status && strstr(at, text), "%s", command))
		printf("# status %d: %s\n# without %s\n", status, at, text);
}

/* No two columns have one title: those of the line with the word. */
static void unique(const char *command, const char *word)
{
	char line[1024] = "", *title[32];
	size_t nr = 0, twice = 0, i, k;
	const char *at;
	char *rest;

	run(command, path);
	at = strstr(said(), word);
	if (at)
		snprintf(line, sizeof(line), "%.*s", (int)strcspn(at, "\n"), at);
	for (rest = line; *rest && nr < 32;) {
		char *end = strstr(rest, "  ");

		title[nr++] = rest;
		if (!end)
			break;
		*end++ = 0;
		rest = end + strspn(end, " ");
	}
	for (i = 0; i < nr; i++) {
		for (k = 0; k < i; k++)
			twice += !strcmp(title[i], title[k]);
	}
	ok(nr > 2 && !twice, "%s: %zu columns, %zu of one name", command, nr, twice);
}

static void test_words(void)
{
	static const char python[] =
		"python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); "
		"t = [t for t in d[\"tasks\"] if t[\"tid\"] == 100][0]; "
		"sys.exit(t[\"comm\"] != \"a\\\"b,c\\n\\x1b[2J\\ufffd\" or t[\"run_ns\"] != 27000000 "
		"or t[\"delay_max_ns\"] != 5000000 or t[\"blocked_ns\"] != 30000000 "
		"or d[\"lost_events\"] != 0)' ";
	char line[512];

	ok(record(0, 0), "a recording");
	expect("latency", "a\"b,c??[2J?:100");
	expect("latency", "27.000         2        1      5.000      5.000");
	unique("latency", "Task ");
	unique("timehist -s", "comm[tid/pid]");
	unique("timehist -s", "CPU ");
	expect("timehist -n", "1.062000 [0000] a\"b,c??[2J?[100]                   35.000"
	       "      5.000      7.000 next: swapper/0[0]");
	expect("timehist -s", "a\"b,c??[2J?[100]        2       27.000      7.000     13.500"
	       "     20.000");
	expect("timehist --time 1.06,", "      2.000");
	expect("map", "*.      1.020000 secs . => swapper:0");
	expect("hist", "4096 -> 8191      : 1 ");
	expect("hist --heat", "the darkest is 1");
	expect("latency --csv", "\"a\"\"b,c??[2J?\",100,");
	expect("timehist --csv", ",\"a\"\"b,c??[2J?\",100,100,35000000,5000000,0,7000000,R,1,");
	ok(!run("latency --json", path), "as JSON");
	snprintf(line, sizeof(line), "%s%s", python, out);
	ok(!system(line), "which says what was, and has the name");
	ok(record(7, 0), "a recording with losses");
	expect("latency", "7 events were LOST: the figures are too small");
	expect("latency --json", "\"lost_events\": 7");
	expect("latency --csv", "7 events were LOST");
	expect("hist", "7 events were LOST");
	expect("timehist", "7 events were LOST");
	expect("map", "7 events were LOST");
	ok(record(7, 1), "a recording with losses of a CPU of which nothing else is known");
	expect("timehist --csv", ",\"a\"\"b,c??[2J?\",100,100,,,0,7000000,R,1,");
}

/* What each table is as JSON, and that the same rows are in its CSV, with its columns. */
static void test_formats(void)
{
	static const char python[] =
		"python3 -c 'import csv, json, sys; d = json.load(open(sys.argv[1])); "
		"rows = list(csv.reader(open(sys.argv[2], newline=\"\"))); "
		"table = d[sys.argv[3]]; short = lambda v: \"\" if v is None else "
		"v.translate({10: 63, 27: 63, 0xfffd: 63}) if isinstance(v, str) else str(v); "
		"sys.exit([list(table[0])] + [[short(v) for v in t.values()] for t in table] != rows "
		"or d[\"lost_events\"] != 0 or len(table) != int(sys.argv[4]))' ";
	static const struct {
		const char *command;
		const char *table;
		int rows;
		const char *columns;
	} all[] = {
		{ "latency -p", "tasks", 1, "comm,tid,pid,threads,run_ns,switches,delays_unknown,"
		  "woken_early,delay_ns,delay_avg_ns,delay_max_ns,delay_max_begin_ns,"
		  "delay_max_end_ns,blocked,blocked_ns,blocked_max_ns" },
		{ "latency", "tasks", 1, "comm,tid,pid,threads,run_ns," },
		{ "timehist -wnM", "events", 5, "time_ns,cpu,event,comm,tid,pid,wait_ns,delay_ns,"
		  "woken_early,run_ns,state,preempted,other_comm,other_tid,from_cpu,to_cpu" },
		{ "timehist -I", "events", 2, "time_ns,cpu,event," },
		{ "timehist -s", "summary", 1, "comm,tid,pid,slices,run_ns,run_min_ns,run_avg_ns,"
		  "run_max_ns,run_stddev_percent,migrations" },
		{ "map", "switches", 4, "time_ns,cpu,name,comm,tid" },
		{ "map --time 1.03,", "switches", 2, "time_ns,cpu,name,comm,tid" },
		{ "hist", "histogram", 2, "what,comm,tid,from_us,below_us,count" },
		{ "hist --per tid", "histogram", 2, "what,comm,tid,from_us,below_us,count" },
		{ "hist --per comm", "histogram", 2, "what,comm,tid,from_us,below_us,count" },
		{ "hist --heat", "heat", 2, "what,begin_ns,end_ns,from_us,below_us,count" },
	};
	char command[64], line[1024];
	size_t i;

	ok(record(0, 0), "a recording");
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		int status;

		snprintf(command, sizeof(command), "%s --csv", all[i].command);
		status = run(command, path);
		status |= strncmp(said(), all[i].columns, strlen(all[i].columns));
		status |= rename(out, bad);
		snprintf(command, sizeof(command), "%s --json", all[i].command);
		status |= run(command, path);
		snprintf(line, sizeof(line), "%s%s %s %s %d", python, out, bad, all[i].table,
			 all[i].rows);
		ok(!status && !system(line), "%s: JSON and CSV of its %d rows", all[i].command,
		   all[i].rows);
	}
}

static size_t read_file(char **data)
{
	struct stat st;
	int fd = open(path, O_RDONLY);

	if (fd < 0 || fstat(fd, &st))
		return 0;
	*data = malloc(st.st_size);
	if (read(fd, *data, st.st_size) != st.st_size)
		st.st_size = 0;
	close(fd);
	return st.st_size;
}

/* It may be readable still; else it is an error. Nothing else. */
static void test_damage(void)
{
	static const char *const commands[] = {
		"latency --json", "timehist -wMnVS", "map --compact", "hist --heat --json",
	};
	unsigned int i, wrong = 0, refused = 0;
	char *data = NULL;
	size_t size = read_file(&data);

	srand(3);
	for (i = 0; i < 80 && size; i++) {
		size_t len = i % 4 ? size : rand() % size, at = rand() % size;
		char was = data[at];
		int fd = open(bad, O_WRONLY | O_CREAT | O_TRUNC, 0600), status;

		data[at] = rand();
		wrong += write(fd, data, len) != (ssize_t)len;
		close(fd);
		data[at] = was;
		status = run(commands[i % 4], bad);
		refused += status == 255;
		wrong += status && status != 255;
		if (status && status != 255)
			printf("# %s: %d: %s\n", commands[i % 4], status, said());
	}
	ok(size && !wrong && refused > 5, "damaged ones: %u of %u are refused, %u of them badly",
	   refused, i, wrong);
	free(data);
}

int main(void)
{
	wp_set_verbosity(WP_SILENT);
	if (!mkdtemp(dir))
		return 1;
	snprintf(path, sizeof(path), "%s/perf.data", dir);
	snprintf(out, sizeof(out), "%s/out", dir);
	snprintf(bad, sizeof(bad), "%s/bad.data", dir);
	test_words();
	test_formats();
	test_damage();
	unlink(path);
	unlink(out);
	unlink(bad);
	rmdir(dir);
	return done();
}
