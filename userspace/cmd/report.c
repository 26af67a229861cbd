// SPDX-License-Identifier: GPL-2.0
/*
 * wallprof report: where, when and how a file was recorded, and where the time went:
 * the ledger that wallprof record put into the file, by process and by thread. Stacks
 * are perf report's, so far.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd/ledgertext.h"
#include "cmd/options.h"
#include "cmd/report.h"
#include "lib/err.h"
#include "lib/ledgerfile.h"
#include "lib/perffile.h"
#include "lib/processes.h"
#include "lib/text.h"

#define TOP_PROCESSES	20
#define TOP_THREADS	20

struct report {
	const char *input;
	int verbose;
	struct wp_perffile file;
	struct wp_ledgerfile_head head;
	struct wp_ledger ledger;
	struct wp_processes processes;
};

static const char *const usage[] = {
	"[<options>]",
	NULL
};

static const struct wp_option table[] = {
	{ 'i', "input", "file", "the recording (default perf.data)" },
	{ 'v', "verbose", NULL, "tell of threads, too; twice: of all threads and\n"
	  "processes" },
	{ 0 }
};

static int set(void *ctx, int id, const char *arg)
{
	struct report *r = ctx;

	if (id == 'i')
		r->input = arg;
	else
		r->verbose++;
	return 0;
}

static double seconds(__u64 ns)
{
	return (double)(__s64)ns / 1e9;
}

/* A string of the file's, after @before; if there is none, what stands for it. */
static void put(const char *before, char *s, const char *none)
{
	if (s)
		wp_text_clean(s, false);
	printf("%s%s", before, s ? s : none);
	free(s);
}

static void print_file(const struct report *r)
{
	struct tm tm;
	char day[32];
	time_t t;
	__u64 tod;

	put("# recorded on ", wp_perffile_string(&r->file, WP_FEAT_HOSTNAME), "a host without a name");
	put(", Linux ", wp_perffile_string(&r->file, WP_FEAT_OSRELEASE), "");
	put(", ", wp_perffile_string(&r->file, WP_FEAT_ARCH), "");
	put("\n# by ", wp_perffile_cmdline(&r->file), "an unknown command");
	fputs("\n# ", stdout);
	if (wp_perffile_time(&r->file, r->head.start, &tod)) {
		t = tod / 1000000000;
		if (localtime_r(&t, &tm) && strftime(day, sizeof(day), "%F %T", &tm))
			printf("from %s on, ", day);
	}
	printf("for %.6f s\n\n", seconds(r->head.stop - r->head.start));
}

static void print_lost(const struct wp_ledgerfile_head *h)
{
	if (h->lost)
		printf("  LOST the accounts of %" PRIu64 " threads that ended, with %.3f s of off-CPU time\n",
		       (uint64_t)h->lost, seconds(h->lost_ns));
	if (h->untracked)
		printf("  LOST %" PRIu64 " intervals, %.3f s, of threads that have no account\n",
		       (uint64_t)h->untracked, seconds(h->untracked_ns));
}

static void print_processes(const struct report *r)
{
	const struct wp_processes *p = &r->processes;
	size_t nr = p->nr, i;

	if (r->verbose < 2 && nr > TOP_PROCESSES)
		nr = TOP_PROCESSES;
	printf("  %8s %-16s %8s %14s %14s %14s %14s %14s\n", "pid", "comm", "threads", "run s",
	       "runnable s", "blocked s", "unknown s", "wall s");
	for (i = 0; i < nr; i++) {
		const struct wp_process *e = &p->entry[i];
		int width;

		printf("  %8u ", e->tgid);
		width = wp_text_put(stdout, e->comm);
		printf("%*s %8" PRIu64 " %14.6f %14.6f %14.6f %14.6f %14.6f\n",
		       width < 16 ? 16 - width : 0, "", (uint64_t)e->threads,
		       seconds(e->run_ns), seconds(e->runnable_ns),
		       seconds(e->off_ns - e->runnable_ns), seconds(e->unknown_ns),
		       seconds(e->wall_ns));
	}
	if (nr < p->nr)
		printf("  … and %" PRIu64 " more; -vv shows all\n", (uint64_t)(p->nr - nr));
	fputc('\n', stdout);
}

static int add(void *ctx, const struct wp_account *a)
{
	struct report *r = ctx;
	int err = wp_processes_add(&r->processes, a);

	return err ? err : wp_ledger_add(&r->ledger, a, 0);
}

static int read_ledger(struct report *r)
{
	__u64 offset;
	int err;

	err = wp_ledgerfile_open(r->file.fd, &r->head, &offset);
	if (err == -ENOENT) {
		wp_err("%s has no ledger: 'wallprof record' of this version puts one into what it records to its end, unless it has --no-off-cpu. 'perf report' shows what there is",
		       r->input);
		return err;
	}
	if (!err)
		err = wp_ledgerfile_read(r->file.fd, &r->head, offset, add, r);
	if (err == -EPROTO)
		wp_err("the ledger in %s is damaged", r->input);
	else if (err)
		wp_err("cannot read the ledger in %s: %s", r->input, strerror(-err));
	return err;
}

/**
 * cmd_report() - the command
 * @argc: arguments
 * @argv: the same; the first one is "report"
 *
 * Return: its exit status.
 */
int cmd_report(int argc, char **argv)
{
	struct report r = { .input = "perf.data" };
	const struct wp_options options = {
		.command = "wallprof report",
		.usage = usage,
		.table = table,
		.set = set,
	};
	int err, rest;

	err = wp_parse_options(&options, argc, argv, &r, &rest);
	if (err)
		return err == WP_OPTIONS_DONE ? 0 : WP_EXIT_USAGE;
	if (rest < argc) {
		fprintf(stderr, " Error: '%s' is no option: a file is named by -i\n", argv[rest]);
		wp_print_usage(&options);
		return WP_EXIT_USAGE;
	}
	wp_ledger_init(&r.ledger, r.verbose > 1 ? SIZE_MAX : r.verbose ? TOP_THREADS : 0);
	err = wp_perffile_open(&r.file, r.input);
	if (!err)
		err = read_ledger(&r);
	if (!err) {
		wp_processes_sort(&r.processes);
		print_file(&r);
		print_processes(&r);
		wp_print_ledger(stdout, &r.ledger);
		print_lost(&r.head);
		if (fflush(stdout) || ferror(stdout)) {
			wp_err("could not write all of it to standard output");
			err = -EIO;
		}
	}
	wp_perffile_close(&r.file);
	wp_ledger_free(&r.ledger);
	wp_processes_free(&r.processes);
	return err ? WP_EXIT_ERROR : 0;
}
