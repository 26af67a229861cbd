// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of traces for Perfetto: what is written is read again, packet by packet, and has
 * what the events said, with the letters and times that Perfetto makes of them.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/base/intern.h"
#include "lib/perfetto/pfpacket.h"
#include "lib/perfetto/pfsched.h"
#include "tap.h"

#define START	5000000000ULL

static char dir[] = "/tmp/wallprof-perfetto.XXXXXX";
static char recording[64], output[64];

/* A recording that has an OSRELEASE section, and nothing else. */
static void make_recording(const char *release)
{
	struct wp_file_header h = {
		.magic = WP_PERF_MAGIC,
		.size = sizeof(h),
		.features = { 1ULL << WP_FEAT_OSRELEASE },
	};
	struct wp_file_section s = { .size = 68 };
	__u32 len = 64;
	char text[64] = "";
	int fd = open(recording, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	h.data.offset = sizeof(h);
	s.offset = sizeof(h) + sizeof(s);
	snprintf(text, sizeof(text), "%s", release);
	if (fd < 0 || write(fd, &h, sizeof(h)) < 0 || write(fd, &s, sizeof(s)) < 0 ||
	    write(fd, &len, sizeof(len)) < 0 || write(fd, text, sizeof(text)) < 0)
		abort();
	close(fd);
}

/* What was written; to be freed with pf__trace__free_unpacked(). */
static Pf__Trace *end_trace(struct wp_pfsched *s, struct wp_pftrace *t,
			    struct wp_perffile *file, __u64 time,
			    struct wp_pfsched_stats *stats)
{
	Pf__Trace *trace = NULL;
	struct stat st;
	__u64 bytes;
	void *data;
	int fd, err;

	err = wp_pfsched_end(s, time) || wp_pftrace_close(t, &bytes);
	if (stats)
		wp_pfsched_stats(s, stats);
	wp_pfsched_free(s);
	wp_perffile_close(file);
	fd = open(output, O_RDONLY);
	if (err || fd < 0 || fstat(fd, &st) || (__u64)st.st_size != bytes)
		return NULL;
	data = malloc(st.st_size);
	if (read(fd, data, st.st_size) == st.st_size)
		trace = pf__trace__unpack(NULL, st.st_size, data);
	free(data);
	close(fd);
	return trace;
}

/* The trace that @n events make; to be freed with pf__trace__free_unpacked(). */
static Pf__Trace *trace_of(const struct wp_schedevent *ev, size_t n, bool timeline,
			   const char *release, struct wp_pfsched_stats *stats)
{
	struct wp_pftrace *t = NULL;
	struct wp_pfsched *s = NULL;
	struct wp_perffile file;
	size_t i;
	int err;

	make_recording(release);
	err = wp_perffile_open(&file, recording) || wp_pftrace_open(&t, output, &file, 1) ||
		wp_pfsched_new(&s, t, timeline);
	for (i = 0; i < n && !err; i++)
		err = wp_pfsched_event(s, &ev[i]);
	if (err)
		abort();
	return end_trace(s, t, &file, n ? ev[n - 1].time : START, stats);
}

/* The events of a CPU, in order, up to @max; with how many bundles said that some are lost. */
static size_t events_of(const Pf__Trace *t, __u32 cpu, const Pf__FtraceEvent **out, size_t max,
			unsigned int *gaps)
{
	size_t i, j, n = 0;

	*gaps = 0;
	for (i = 0; i < t->n_packet; i++) {
		const Pf__FtraceEventBundle *b = t->packet[i]->ftrace_events;

		if (t->packet[i]->data_case != PF__TRACE_PACKET__DATA_FTRACE_EVENTS ||
		    b->cpu != cpu)
			continue;
		*gaps += b->lost_events;
		for (j = 0; j < b->n_event && n < max; j++)
			out[n++] = b->event[j];
	}
	return n;
}

static const Pf__ProcessTree__Thread *tree(const Pf__Trace *t, __s32 tid, __u64 *time)
{
	size_t i, j;

	for (i = t->n_packet; i--;) {
		const Pf__ProcessTree *tree = t->packet[i]->process_tree;

		if (t->packet[i]->data_case != PF__TRACE_PACKET__DATA_PROCESS_TREE)
			continue;
		for (j = 0; j < tree->n_threads; j++) {
			if (tree->threads[j]->tid == tid) {
				*time = t->packet[i]->timestamp;
				return tree->threads[j];
			}
		}
	}
	return NULL;
}

static const Pf__ProcessTree__Process *tree_process(const Pf__Trace *t, __s32 pid)
{
	size_t i, j;

	for (i = t->n_packet; i--;) {
		const Pf__ProcessTree *tree = t->packet[i]->process_tree;

		if (t->packet[i]->data_case != PF__TRACE_PACKET__DATA_PROCESS_TREE)
			continue;
		for (j = 0; j < tree->n_processes; j++) {
			if (tree->processes[j]->pid == pid)
				return tree->processes[j];
		}
	}
	return NULL;
}

static struct wp_schedthread thread(__s32 tid, __s32 pid, const char *comm)
{
	struct wp_schedthread t = { .tid = tid, .pid = pid, .prio = 120 };

	snprintf(t.comm, sizeof(t.comm), "%s", comm);
	return t;
}

static struct wp_schedevent event(enum wp_schedevent_type type, __u64 time, __u32 cpu,
				  struct wp_schedthread who, struct wp_schedthread other)
{
	return (struct wp_schedevent){ .type = type, .time = time, .cpu = cpu, .who = who,
				       .other = other, .state = 'S', .to_cpu = cpu };
}

/* Which letter trace_processor makes of prev_state: its tables, by releases. */
static const char *letter(enum wp_pf_layout layout, __u32 raw)
{
	static const char *const recent[] = { "S", "D", "T", "t", "X", "Z", "P", "I", "R+" };
	static const char *const old[] = { "S", "D", "T", "t", "X", "Z", "x", "K", "W", "P", "N" };
	int bit = raw ? __builtin_ctz(raw) : -1;

	if (layout == WP_PF_SINCE_4_14 && raw & 0xfe00)
		return NULL;
	if (!raw)
		return "R";
	if (layout != WP_PF_SINCE_4_14 && raw == 0x402)
		return "I";
	if (raw & (raw - 1))
		return NULL;
	if (layout == WP_PF_SINCE_4_14)
		return recent[bit];
	if (raw == (layout == WP_PF_BEFORE_4_14 ? 0x1000 : 0x800))
		return "R+";
	return bit < 11 ? old[bit] : NULL;
}

static void test_letters(void)
{
	static const char letters[] = "RSDTtXZPIxKWN";
	int layout, wrong = 0;
	const char *l, *got;

	for (layout = 0; layout < 3; layout++) {
		for (l = letters; *l; l++) {
			got = letter(layout, wp_pf_state(layout, *l, false));
			if (layout == WP_PF_SINCE_4_14 && strchr("xKWN", *l))
				wrong += !!got;
			else
				wrong += !got || got[0] != *l || got[1];
		}
		got = letter(layout, wp_pf_state(layout, 'R', true));
		wrong += !got || strcmp(got, "R+");
	}
	ok(!wrong, "each letter has the bits of its kernel (%d wrong)", wrong);
	ok(!letter(WP_PF_SINCE_4_14, wp_pf_state(WP_PF_SINCE_4_14, '?', false)),
	   "a letter that there is not is none for Perfetto either");
}

static void test_layouts(void)
{
	static const struct {
		const char *release;
		enum wp_pf_layout layout;
	} rows[] = {
		{ "6.1.0-56-cloud-amd64", WP_PF_SINCE_4_14 }, { "4.14.0", WP_PF_SINCE_4_14 },
		{ "4.13.16-100.fc25", WP_PF_BEFORE_4_14 }, { "4.8.0", WP_PF_BEFORE_4_14 },
		{ "4.7.10", WP_PF_BEFORE_4_8 }, { "3.10.0-1160.el7", WP_PF_BEFORE_4_8 },
		{ "5.0.1", WP_PF_SINCE_4_14 }, { "10.2", WP_PF_SINCE_4_14 },
		/* Perfetto cannot read these, and takes them for old. */
		{ NULL, WP_PF_BEFORE_4_8 }, { "", WP_PF_BEFORE_4_8 }, { ".", WP_PF_BEFORE_4_8 },
		{ "6.12+deb13-amd64", WP_PF_BEFORE_4_8 }, { "6..1", WP_PF_BEFORE_4_8 },
		{ ".6.1", WP_PF_BEFORE_4_8 }, { "x.y.z", WP_PF_BEFORE_4_8 },
	};
	size_t i, wrong = 0;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		wrong += wp_pf_layout_of(rows[i].release) != rows[i].layout;
	ok(!wrong, "the release gives the bits (%zu wrong)", wrong);
}

/* A switch, a wakeup and a name, of which all is there again. */
static void test_fields(void)
{
	struct wp_schedthread a = thread(10, 10, "alpha"), b = thread(11, 10, "be\xffta\n");
	struct wp_schedevent ev[] = {
		event(WP_SCHED_SWITCH, START + 1, 3, a, b),
		event(WP_SCHED_WAKING, START + 2, 3, a, b),
		event(WP_SCHED_MIGRATE, START + 3, 3, a, b),
		event(WP_SCHED_NAME, START + 4, 3, thread(11, 10, "gamma"), b),
	};
	const Pf__ProcessTree__Thread *name;
	const Pf__FtraceEvent *e[8];
	unsigned int gaps;
	Pf__Trace *t;
	__u64 time;

	ev[1].to_cpu = 5;
	ev[2].from_cpu = 5;
	ev[2].to_cpu = 6;
	t = trace_of(ev, 4, true, "6.1.0", NULL);
	if (!ok(t && events_of(t, 3, e, 8, &gaps) == 4 && !gaps, "a trace of four events"))
		return;
	ok(e[0]->timestamp == START + 1 && e[0]->pid == 10 && e[0]->sched_switch->prev_pid == 10 &&
	   e[0]->sched_switch->next_pid == 11 && e[0]->sched_switch->prev_state == 1 &&
	   e[0]->sched_switch->prev_prio == 120 && e[0]->sched_switch->next_prio == 120 &&
	   !strcmp(e[0]->sched_switch->prev_comm, "alpha"), "a switch");
	ok(!strcmp(e[0]->sched_switch->next_comm, "be?ta?"), "a name is UTF-8 without controls");
	ok(e[1]->event_case == PF__FTRACE_EVENT__EVENT_SCHED_WAKING && e[1]->pid == 11 &&
	   e[1]->sched_waking->pid == 10 && e[1]->sched_waking->target_cpu == 5, "a wakeup");
	ok(e[2]->event_case == PF__FTRACE_EVENT__EVENT_SCHED_MIGRATE_TASK &&
	   e[2]->sched_migrate_task->orig_cpu == 5 && e[2]->sched_migrate_task->dest_cpu == 6,
	   "a migration");
	ok(e[3]->event_case == PF__FTRACE_EVENT__EVENT_TASK_RENAME &&
	   !strcmp(e[3]->task_rename->newcomm, "gamma"), "a new name");
	name = tree(t, 11, &time);
	ok(name && name->tgid == 10 && !strcmp(name->name, "gamma") && time == START + 4,
	   "the tree has the new name, too");
	ok(tree_process(t, 10) && !strcmp(tree_process(t, 10)->cmdline[0], "alpha"),
	   "a process is called as its first thread");
	pf__trace__free_unpacked(t, NULL);
}

/* The first packets: clocks, kernel, and who is there. */
static void test_begin(void)
{
	struct wp_schedthread a = thread(10, 10, "alpha"), idle = thread(0, 0, "swapper/0");
	struct wp_schedevent ev[] = {
		event(WP_SCHED_FORK, 0, 0, thread(10, 10, ""), thread(1, 1, "init")),
		event(WP_SCHED_NAME, 0, 0, thread(10, 10, "before"), idle),
		event(WP_SCHED_NAME, 0, 0, thread(77, 10, "sleeps"), idle),
		event(WP_SCHED_SWITCH, START, 0, a, idle),
	};
	Pf__Trace *t = trace_of(ev, 4, true, "6.1.0-x", NULL);
	const Pf__ClockSnapshot *c;
	const Pf__FtraceEvent *e[4];
	unsigned int gaps;
	size_t i, early = 0;
	__u64 time;

	if (!ok(t && t->n_packet > 3, "a trace of one switch"))
		return;
	c = t->packet[0]->clock_snapshot;
	ok(t->packet[0]->data_case == PF__TRACE_PACKET__DATA_CLOCK_SNAPSHOT && c->n_clocks == 2 &&
	   c->primary_trace_clock == PF__BUILTIN_CLOCK__BUILTIN_CLOCK_MONOTONIC &&
	   c->clocks[0]->clock_id == 3 && c->clocks[1]->clock_id == 64 &&
	   c->clocks[0]->timestamp == START && c->clocks[1]->timestamp == START,
	   "the clock of events is the trace's, which is the recording's");
	ok(t->packet[1]->data_case == PF__TRACE_PACKET__DATA_SYSTEM_INFO &&
	   !strcmp(t->packet[1]->system_info->utsname->sysname, "Linux") &&
	   !strcmp(t->packet[1]->system_info->utsname->release, "6.1.0-x"), "the kernel");
	for (i = 0; i < t->n_packet; i++)
		early += t->packet[i]->timestamp < START ||
			 t->packet[i]->timestamp_clock_id != 3 ||
			 t->packet[i]->trusted_packet_sequence_id != 1;
	ok(!early, "no packet is of another time, clock or sequence");
	ok(events_of(t, 0, e, 4, &gaps) == 1, "what was before the recording is no event");
	ok(tree(t, 77, &time) && tree(t, 77, &time)->tgid == 10, "a blocked thread is in the tree");
	ok(tree_process(t, 10) && tree_process(t, 10)->ppid == 1, "a parent from before");
	pf__trace__free_unpacked(t, NULL);
}

static void test_births(void)
{
	struct wp_schedthread p = thread(10, 10, "parent"), idle = thread(0, 0, "swapper/0");
	struct wp_schedthread child = thread(20, 20, "parent"), fresh = thread(21, 10, "parent");
	struct wp_schedthread stray = thread(30, WP_SCHED_NO_PID, "stray");
	struct wp_schedevent ev[] = {
		event(WP_SCHED_SWITCH, START, 0, idle, p),
		event(WP_SCHED_FORK, START + 1, 0, child, p),
		event(WP_SCHED_WAKEUP_NEW, START + 2, 0, child, p),
		event(WP_SCHED_FORK, START + 3, 0, fresh, p),
		event(WP_SCHED_WAKEUP_NEW, START + 4, 0, fresh, p),
		event(WP_SCHED_WAKEUP_NEW, START + 5, 0, stray, p),
	};
	Pf__Trace *t = trace_of(ev, 6, true, "6.1.0", NULL);
	const Pf__FtraceEvent *e[8];
	unsigned int gaps;
	__u64 time;

	if (!ok(t && events_of(t, 0, e, 8, &gaps) == 6, "a trace of births"))
		return;
	ok(e[1]->event_case == PF__FTRACE_EVENT__EVENT_TASK_NEWTASK && e[1]->pid == 10 &&
	   e[1]->task_newtask->pid == 20 && !e[1]->task_newtask->clone_flags, "a process");
	ok(e[3]->task_newtask->pid == 21 && e[3]->task_newtask->clone_flags == CLONE_THREAD,
	   "a thread");
	ok(e[2]->event_case == PF__FTRACE_EVENT__EVENT_SCHED_WAKEUP_NEW &&
	   e[4]->event_case == PF__FTRACE_EVENT__EVENT_SCHED_WAKEUP_NEW, "their first wakeups");
	ok(e[5]->event_case == PF__FTRACE_EVENT__EVENT_SCHED_WAKING,
	   "of one whose birth is missing it is one like others");
	ok(tree(t, 20, &time) && time == START + 2 && tree_process(t, 20)->ppid == 10,
	   "the tree has them later than their births");
	pf__trace__free_unpacked(t, NULL);
}

static const char *freed(const Pf__FtraceEvent *const *e, size_t n, char *out)
{
	size_t i, at = 0;

	out[0] = 0;
	for (i = 0; i < n; i++) {
		if (e[i]->event_case == PF__FTRACE_EVENT__EVENT_SCHED_PROCESS_FREE)
			at += sprintf(out + at, "%d@%llu ", e[i]->sched_process_free->pid,
				      (unsigned long long)(e[i]->timestamp - START));
	}
	return out;
}

/* The first thread of a process is gone when the last one is, as in the kernel. */
static void test_ends(void)
{
	struct wp_schedthread p = thread(10, 10, "first"), q = thread(11, 10, "second");
	struct wp_schedthread idle = thread(0, 0, "swapper/0"), r = thread(12, 12, "alone");
	struct wp_schedthread last = thread(13, 10, "last");
	struct wp_schedevent ev[] = {
		event(WP_SCHED_NAME, 0, 0, p, idle),
		event(WP_SCHED_NAME, 0, 0, q, idle),
		event(WP_SCHED_NAME, 0, 0, last, idle),
		event(WP_SCHED_EXIT, START + 1, 0, p, idle),
		event(WP_SCHED_SWITCH, START + 2, 0, p, q),
		event(WP_SCHED_SWITCH, START + 3, 0, q, r),
		event(WP_SCHED_SWITCH, START + 4, 0, r, idle),
		event(WP_SCHED_SWITCH, START + 5, 0, r, idle),
		event(WP_SCHED_SWITCH, START + 6, 0, last, idle),
	};
	const Pf__FtraceEvent *e[16];
	unsigned int gaps;
	char text[256];
	Pf__Trace *t;
	size_t n;

	ev[4].state = 'Z';
	ev[5].state = 'X';
	ev[6].state = 'X';
	ev[6].preempted = true;
	ev[7].state = 'X';
	ev[8].state = 'X';
	t = trace_of(ev, 9, true, "6.1.0", NULL);
	n = t ? events_of(t, 0, e, 16, &gaps) : 0;
	ok(n == 10 && e[0]->event_case == PF__FTRACE_EVENT__EVENT_SCHED_PROCESS_EXIT &&
	   !strcmp(freed(e, n, text), "11@3 12@5 13@6 10@6 "), "threads that are gone: %s", text);
	pf__trace__free_unpacked(t, NULL);
}

static void test_reuse(void)
{
	struct wp_schedthread p = thread(10, 10, "old"), idle = thread(0, 0, "swapper/0");
	struct wp_schedthread init = thread(1, 1, "init"), again = thread(10, 9, "new");
	struct wp_schedevent ev[] = {
		event(WP_SCHED_SWITCH, START, 0, p, idle),
		event(WP_SCHED_FORK, START + 1, 0, again, init),
		event(WP_SCHED_SWITCH, START + 2, 0, again, idle),
	};
	Pf__Trace *t = trace_of(ev, 3, true, "6.1.0", NULL);
	__u64 time;

	ok(t && tree(t, 10, &time) && tree(t, 10, &time)->tgid == 9 && time == START + 2 &&
	   !strcmp(tree(t, 10, &time)->name, "new"), "an id that comes again is another thread");
	pf__trace__free_unpacked(t, NULL);
	*ev[1].who.comm = 0;
	ev[2].type = WP_SCHED_EXIT;
	*ev[2].who.comm = 0;
	t = trace_of(ev, 3, true, "6.1.0", NULL);
	ok(t && tree(t, 10, &time) && tree(t, 10, &time)->tgid == 9 && !tree(t, 10, &time)->name,
	   "which lacks the name of the first");
	pf__trace__free_unpacked(t, NULL);
}

/* More than a bundle has; losses are reported where they are, and summed up. */
static void test_many(void)
{
	struct wp_schedthread a = thread(10, 10, "a"), idle = thread(0, 0, "swapper/0");
	static struct wp_schedevent ev[1000];
	static const Pf__FtraceEvent *e[1001];
	struct wp_pfsched_stats stats;
	const Pf__FtraceStats *s;
	unsigned int gaps[2];
	size_t i, n[2], wrong = 0;
	Pf__Trace *t;

	for (i = 0; i < 1000; i++)
		ev[i] = event(WP_SCHED_SWITCH, START + i, i % 2, i & 2 ? a : idle, i & 2 ? idle : a);
	ev[500].type = WP_SCHED_LOST;
	ev[500].lost = 42;
	ev[501].cpu = WP_PF_CPUS;
	t = trace_of(ev, 1000, true, "6.1.0", &stats);
	if (!ok(!!t, "a trace of many events"))
		return;
	n[1] = events_of(t, 1, e, 1001, &gaps[1]);
	n[0] = events_of(t, 0, e, 1001, &gaps[0]);
	for (i = 0; i < n[0]; i++)
		wrong += e[i]->timestamp != START + 2 * (i + (i >= 250));
	ok(n[0] == 499 && n[1] == 499 && !wrong, "all are there, in order (%zu wrong)", wrong);
	ok(gaps[0] == 1 && !gaps[1], "the gap is on its CPU");
	s = t->packet[t->n_packet - 1]->ftrace_stats;
	ok(t->packet[t->n_packet - 1]->data_case == PF__TRACE_PACKET__DATA_FTRACE_STATS &&
	   s->phase == PF__FTRACE_STATS__PHASE__END_OF_TRACE && s->n_cpu_stats == 2 &&
	   s->cpu_stats[0]->overrun == 42 && !s->cpu_stats[1]->overrun, "and the sum");
	ok(stats.left_out == 1 && stats.switches == 998 && stats.lost == 42, "and the numbers");
	pf__trace__free_unpacked(t, NULL);
}

/* The bundle of CPU 1 is written first, and refers to what CPU 0 has met. */
static void test_blocked(void)
{
	struct wp_schedthread a = thread(10, 10, "a"), idle = thread(0, 0, "swapper/0");
	const Pf__FtraceEvent *e[8];
	struct wp_pfsched_stats stats;
	struct wp_schedevent ev[3] = {
		event(WP_SCHED_SWITCH, START + 1, 0, a, idle),
		event(WP_SCHED_SWITCH, START + 2, 1, a, idle),
		event(WP_SCHED_LOST, START + 3, 1, a, idle),
	};
	static const char *const functions[] = { "pipe_read", "folio_wait_bit" };
	size_t i, nr = 0, cleared = 0, wrong = 0;
	struct wp_pfsched *s = NULL;
	struct wp_pftrace *p = NULL;
	const char *known[4] = { "" };
	struct wp_perffile file;
	unsigned int gaps;
	Pf__Trace *t;

	make_recording("6.1.0");
	ok(!wp_perffile_open(&file, recording) && !wp_pftrace_open(&p, output, &file, 1) &&
	   !wp_pfsched_new(&s, p, true) && !wp_pfsched_event(s, &ev[0]) &&
	   !wp_pfsched_blocked(s, &ev[0], functions[0], false) && !wp_pfsched_event(s, &ev[1]) &&
	   !wp_pfsched_blocked(s, &ev[1], functions[0], false) &&
	   !wp_pfsched_blocked(s, &ev[1], functions[1], true) && !wp_pfsched_event(s, &ev[2]),
	   "what threads are blocked in");
	t = end_trace(s, p, &file, START + 3, &stats);
	for (i = 0; t && i < t->n_packet; i++) {
		const Pf__TracePacket *packet = t->packet[i];
		const Pf__InternedData *data = packet->interned_data;

		cleared += packet->sequence_flags & 1;
		if (data && data->n_kernel_symbols == 1 && nr < 3) {
			wrong += data->kernel_symbols[0]->iid != ++nr;
			known[nr] = strndup((char *)data->kernel_symbols[0]->str.data,
					    data->kernel_symbols[0]->str.len);
		}
		/* Whoever refers to them says so, and comes later. */
		if (packet->data_case == PF__TRACE_PACKET__DATA_FTRACE_EVENTS)
			wrong += nr != 2 || packet->sequence_flags != 2;
	}
	ok(t && nr == 2 && cleared == 1 && !wrong && !strcmp(known[1], functions[0]) &&
	   !strcmp(known[2], functions[1]), "functions come once, before events that use them");
	ok(t && events_of(t, 0, e, 8, &gaps) == 2 &&
	   e[1]->event_case == PF__FTRACE_EVENT__EVENT_SCHED_BLOCKED_REASON &&
	   e[1]->timestamp == START + 1 && e[1]->sched_blocked_reason->pid == 10 &&
	   e[1]->sched_blocked_reason->caller == 1 && !e[1]->sched_blocked_reason->io_wait,
	   "behind the switch");
	ok(t && events_of(t, 1, e, 8, &gaps) == 3 && e[2]->sched_blocked_reason->caller == 2 &&
	   e[2]->sched_blocked_reason->io_wait == 1 && stats.blocked == 3, "a wait for a disk");
	for (i = 1; i <= nr; i++)
		free((char *)known[i]);
	pf__trace__free_unpacked(t, NULL);
}

static void test_no_timeline(void)
{
	struct wp_schedevent ev[] = {
		event(WP_SCHED_FORK, START + 1, 0, thread(20, 20, "kid"), thread(10, 10, "a")),
		event(WP_SCHED_NAME, START + 2, 0, thread(20, 20, "kid2"), thread(20, 20, "")),
		event(WP_SCHED_EXIT, START + 3, 0, thread(20, 20, "kid2"), thread(20, 20, "")),
	};
	Pf__Trace *t = trace_of(ev, 3, false, "6.1.0", NULL);
	const Pf__FtraceEvent *e[4];
	unsigned int gaps;
	__u64 time;

	ok(t && !events_of(t, 0, e, 4, &gaps) && tree(t, 20, &time) &&
	   !strcmp(tree(t, 20, &time)->name, "kid2"), "without a timeline, names only");
	pf__trace__free_unpacked(t, NULL);
}

static void test_files(void)
{
	struct wp_pftrace *t = NULL;
	struct wp_perffile file;
	struct stat st;

	make_recording("6.1.0");
	wp_clear_errors();
	ok(!wp_perffile_open(&file, recording) && wp_pftrace_open(&t, recording, &file, 1) &&
	   strstr(wp_last_error(), "is the recording itself") && !stat(recording, &st) &&
	   st.st_size, "the recording is not overwritten");
	ok(wp_pftrace_open(&t, "/nonexistent/x", &file, 1) && strstr(wp_last_error(), "/nonexistent/x"),
	   "a file that cannot be: %s", wp_last_error());
	unlink(output);
	ok(!wp_pftrace_open(&t, output, &file, 1) && stat(output, &st),
	   "a file has no name before it is whole");
	wp_pftrace_abandon(t);
	ok(stat(output, &st), "nor if there will be no trace");
	if (!access("/dev/full", W_OK) && !wp_pftrace_open(&t, "/dev/full", &file, 1)) {
		__u64 bytes;
		int err = wp_pftrace_begin(t, START);

		ok(wp_pftrace_close(t, &bytes) || err, "a full disk: %s", wp_last_error());
	}
	wp_perffile_close(&file);
}

static void test_intern(void)
{
	struct wp_intern t = { 0 };
	__u32 i, wrong = 0;
	bool is_new;
	size_t len;

	for (i = 0; i < 100000; i++) {
		__u32 key = i / 2;

		wrong += wp_intern(&t, &key, sizeof(key), &is_new) != i / 2 + 1 || is_new == (i & 1);
	}
	for (i = 0; i < 50000; i++)
		wrong += memcmp(wp_intern_bytes(&t, i + 1, &len), &i, sizeof(i)) || len != sizeof(i);
	ok(!wrong, "the same bytes have the same number (%u wrong)", wrong);
	i = wp_intern(&t, "", 0, &is_new);
	ok(i == 50001 && is_new && wp_intern(&t, NULL, 0, &is_new) == i && !is_new, "no bytes, too");
	ok(wp_intern_memory(&t) > 200000, "its memory is counted");
	wp_intern_free(&t);
}

int main(void)
{
	wp_set_verbosity(WP_SILENT);
	if (!mkdtemp(dir))
		return 1;
	snprintf(recording, sizeof(recording), "%s/perf.data", dir);
	snprintf(output, sizeof(output), "%s/trace", dir);
	test_letters();
	test_layouts();
	test_fields();
	test_begin();
	test_births();
	test_ends();
	test_reuse();
	test_many();
	test_blocked();
	test_no_timeline();
	test_files();
	test_intern();
	unlink(recording);
	unlink(output);
	rmdir(dir);
	return done();
}
