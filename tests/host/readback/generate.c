// SPDX-License-Identifier: GPL-2.0
/*
 * Writes a perf.data file through libwallprof for writer.test: sideband as this
 * host really has it, while the program "known" starts and ends, and made-up
 * samples in that program's functions, whose sums the test knows.
 *
 * usage: generate [-A | -K] [-1 | -2] [-R] [-m PAGES] OUTPUT KNOWN
 *	-A	end with wp_perfdata_abort(), before the last drain
 *	-K	end by SIGKILL after a flush
 *	-1	on-CPU event only
 *	-2	off-CPU events only
 *	-R	these with raw payloads
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/perfdata/events.h"
#include "lib/perfdata/perfdata.h"
#include "lib/perfdata/rawsample.h"
#include "lib/record/batch.h"
#include "lib/record/ksyms.h"
#include "lib/record/sideband.h"
#include "lib/record/synthesize.h"

#define MS	1000000ULL

struct state {
	struct wp_perfdata *pd;
	struct wp_batch *batch;
	bool raw;
	unsigned int sideband;	/* index of the event */
};

static void must(int ret, const char *what)
{
	if (!ret)
		return;
	fprintf(stderr, "generate: %s: %s\n", what, strerror(ret < 0 ? -ret : ret));
	exit(1);
}

static __u64 now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 * MS + ts.tv_nsec;
}

static __u64 file_id(void *ctx, int cpu)
{
	struct state *st = ctx;

	return wp_perfdata_id(st->pd, st->sideband, cpu);
}

static int add(void *ctx, const struct perf_event_header *rec, __u64 time)
{
	struct state *st = ctx;

	return wp_batch_add_record(st->batch, rec, time);
}

/* A sample of off-CPU time; its payload has the same, and more. */
static void add_offcpu(struct state *st, struct wp_perfdata_sample *s, __u64 runnable,
		       const char *object)
{
	const struct wp_sample about = {
		.tid = s->tid, .tgid = s->pid, .kind = WALLPROF_AGGR_OFFCPU,
		.state = WALLPROF_STATE_DISK,
		.flags = runnable ? 0 : WALLPROF_AGGR_IOWAIT | WP_SAMPLE_OPEN,
		.cause = {
			.reason = WALLPROF_REASON_SYSCALL, .syscall = SYS_futex,
			.arg = 0x123456789abcdef0, .arg2 = 128, .arg3 = ~0ULL,
			.waker = WALLPROF_WAKER_TASK,
			.waker_tid = 4711,
		},
		.count = 3, .total = s->period, .runnable = runnable, .max = s->period - 1,
		.id = runnable ? 0x3000500007 : 0, .waker_id = runnable ? 0x2000400006 : 0,
	};
	struct wp_hist hist = { .blocked = { [1] = 2, [9] = 1 } };
	char raw[WP_RAW_MAX];

	if (st->raw) {
		s->nr_raw = wp_raw_encode(&about, object, &hist, raw, sizeof(raw));
		s->raw = raw;
	}
	must(wp_batch_add_sample(st->batch, s), "sample");
}

/* Where the kernel's schedule() is; 0 if that is kept secret. */
static __u64 find_schedule(void)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	unsigned long long v = 0, addr;
	char name[128];

	while (f && fscanf(f, "%llx %*c %127s%*[^\n]", &addr, name) == 2) {
		if (!strcmp(name, "schedule")) {
			v = addr;
			break;
		}
	}
	if (f)
		fclose(f);
	return v;
}

int main(int argc, char **argv)
{
	bool abort_it = false, kill_it = false, oncpu = true, offcpu = true;
	struct wp_sideband_options sopt = { 0 };
	struct wp_perfdata_event ev[4];
	unsigned long long fn[4];
	struct wp_sideband_stats stats;
	unsigned int nr = 0, on = 0, off = 0, ready = 0, i;
	struct wp_buildids *ids;
	struct wp_sideband *sb;
	struct wp_event clock;
	struct state st = { 0 };
	__u64 upto, t0, schedule = find_schedule();
	int opt, out[2], in[2];
	pid_t pid;
	FILE *f;

	while ((opt = getopt(argc, argv, "AK12Rm:")) > 0) {
		if (opt == 'A')
			abort_it = true;
		else if (opt == 'K')
			kill_it = true;
		else if (opt == '1')
			offcpu = false;
		else if (opt == '2')
			oncpu = false;
		else if (opt == 'R')
			st.raw = true;
		else if (opt == 'm')
			sopt.pages = atoi(optarg);
		else
			return 2;
	}
	if (argc - optind != 2)
		return 2;

	must(wp_event_parse(&clock, "cpu-clock"), "event");
	wp_event_settle(&clock, 99, 0);
	if (oncpu) {
		on = nr;
		wp_perfdata_event_oncpu(&ev[nr++], &clock);
	}
	if (offcpu) {
		off = nr;
		wp_perfdata_event_offcpu(&ev[nr++]);
		ready = nr;
		wp_perfdata_event_runnable(&ev[nr++]);
		if (st.raw) {
			wp_perfdata_event_raw(&ev[off], WP_RAW_HIST | WP_RAW_SINGLE |
					      WP_RAW_CHAINS);
			wp_perfdata_event_raw(&ev[ready], WP_RAW_HIST | WP_RAW_SINGLE |
					      WP_RAW_CHAINS);
		}
	}
	st.sideband = nr;
	wp_perfdata_event_sideband(&ev[nr++]);
	must(wp_perfdata_open(&st.pd, &(struct wp_perfdata_options){
		.path = argv[optind], .events = ev, .nr_events = nr,
		.argc = argc, .argv = argv }), "open");
	st.batch = wp_batch_new(st.pd, true);
	ids = wp_buildids_new();
	if (!st.batch || !ids)
		return 1;

	sopt.ids = ids;
	sopt.file_id = file_id;
	sopt.ctx = &st;
	must(wp_sideband_open(&sb, &sopt), "sideband");
	struct wp_synth synth = {
		.fn = add, .ctx = &st, .ids = ids, .id = file_id(&st, 0),
	};
	must(wp_ksyms_synthesize(&synth, NULL), "ksyms");
	must(wp_proc_synthesize_all(&synth), "proc");
	must(wp_batch_flush(st.batch, 0), "flush");
	/* What a busy host did meanwhile is not to fill the rings. */
	must(wp_sideband_drain(sb, &upto, false, add, &st), "drain");
	must(wp_batch_flush(st.batch, upto), "flush");

	must(pipe(out) || pipe(in), "pipe");
	pid = fork();
	if (!pid) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		for (i = 3; i < 64; i++)
			close(i);
		execl(argv[optind + 1], "known", NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	f = fdopen(out[0], "r");
	if (!f || fscanf(f, "%llx %llx %llx %llx", &fn[0], &fn[1], &fn[2], &fn[3]) != 4)
		must(EIO, "known");
	t0 = now();

	/* Ten on-CPU samples of 1 ms: alpha 5, beta 3, gamma 2. */
	for (i = 0; i < 10 && oncpu; i++) {
		unsigned int leaf = i < 5 ? 0 : i < 8 ? 1 : 2;
		__u64 ips[4];
		unsigned int n = 0, j;

		for (j = leaf; j < 4; j++)
			ips[n++] = fn[j] + 8;
		must(wp_batch_add_sample(st.batch, &(struct wp_perfdata_sample){
			.event = on, .pid = pid, .tid = pid, .cpu = i % 2,
			/* Out of order on purpose. */
			.time = t0 + (10 - i) * 1000, .period = 1 * MS,
			.nr_user = n, .user_ips = ips }), "sample");
	}
	/* One in the kernel, with both stacks. */
	if (oncpu && schedule) {
		must(wp_batch_add_sample(st.batch, &(struct wp_perfdata_sample){
			.event = on, .pid = pid, .tid = pid, .kernel_mode = true,
			.time = t0 + 20000, .period = 1 * MS,
			.nr_kernel = 1, .kernel_ips = &(__u64){ schedule + 4 },
			.nr_user = 1, .user_ips = &(__u64){ fn[0] + 8 } }), "sample");
	}
	if (offcpu) {
		/* Waits in beta: 300 ms, in gamma: 4 s + 7 ns. */
		add_offcpu(&st, &(struct wp_perfdata_sample){
			.event = off, .pid = pid, .tid = pid, .cpu = 0,
			.time = t0 + 15000, .period = 300 * MS, .nr_user = 2,
			.user_ips = (__u64 []){ fn[1] + 8, fn[3] + 8 } }, 0, "-");
		add_offcpu(&st, &(struct wp_perfdata_sample){
			.event = off, .pid = pid, .tid = pid, .cpu = 1,
			.time = t0 + 16000, .period = 4000 * MS + 7, .nr_user = 1,
			.user_ips = &(__u64){ fn[2] + 8 } }, 6 * MS + 5, "/tmp/a lock+0x40");
		/* At its end gamma waited for a CPU, for 6 ms + 5 ns. */
		add_offcpu(&st, &(struct wp_perfdata_sample){
			.event = ready, .pid = pid, .tid = pid, .cpu = 1,
			.time = t0 + 16000, .period = 6 * MS + 5, .nr_user = 1,
			.user_ips = &(__u64){ fn[2] + 8 } }, 6 * MS + 5, "-");
		/* A stack was lost, its time was not. */
		add_offcpu(&st, &(struct wp_perfdata_sample){
			.event = off, .pid = pid, .tid = pid, .cpu = 1,
			.time = t0 + 17000, .period = 12345 }, 0, "-");
	}
	usleep(20000);
	must(wp_sideband_drain(sb, &upto, false, add, &st), "drain");
	must(wp_batch_flush(st.batch, upto), "flush");
	if (kill_it) {
		must(wp_perfdata_flush(st.pd), "flush");
		/* Killed in the middle of more. */
		for (i = 0; i < 1000; i++)
			wp_perfdata_finished_round(st.pd);
		kill(getpid(), SIGKILL);
	}
	if (abort_it) {
		wp_perfdata_abort(st.pd);
		_exit(0);
	}
	close(in[1]);
	waitpid(pid, NULL, 0);
	must(wp_sideband_drain(sb, &upto, true, add, &st), "drain");
	must(wp_batch_flush(st.batch, upto), "flush");
	wp_sideband_stats(sb, &stats);
	printf("pid %d records %llu lost %llu bad %llu late %llu cpus %u threads %lu\n", pid,
	       (unsigned long long)stats.records, (unsigned long long)stats.lost,
	       (unsigned long long)stats.bad, (unsigned long long)wp_batch_late(st.batch),
	       stats.cpus, synth.nr_threads);
	wp_sideband_close(sb);
	wp_batch_free(st.batch);
	must(wp_perfdata_close(st.pd, ids), "close");
	wp_buildids_free(ids);
	return 0;
}
