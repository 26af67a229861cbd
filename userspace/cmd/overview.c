// SPDX-License-Identifier: GPL-2.0
/*
 * Owns what a recording tells in front of its stacks: where, when and how it was made,
 * and where the time went, by the ledger that wallprof record put into the file. Called
 * by report.c and report-json.c.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd/ledgertext.h"
#include "cmd/overview.h"
#include "lib/err.h"
#include "lib/text.h"

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

static void print_file(const struct wp_overview *o)
{
	struct tm tm;
	char day[32];
	time_t t;
	__u64 tod;

	put("# recorded on ", wp_perffile_string(&o->file, WP_FEAT_HOSTNAME), "a host without a name");
	put(", Linux ", wp_perffile_string(&o->file, WP_FEAT_OSRELEASE), "");
	put(", ", wp_perffile_string(&o->file, WP_FEAT_ARCH), "");
	put("\n# by ", wp_perffile_cmdline(&o->file), "an unknown command");
	fputs("\n# ", stdout);
	if (!o->has_ledger) {
		puts("without a ledger: 'wallprof record' of this version puts one into what it\n"
		     "# records to its end, unless it has --no-off-cpu\n");
		return;
	}
	if (wp_perffile_time(&o->file, o->head.start, &tod)) {
		t = tod / 1000000000;
		if (localtime_r(&t, &tm) && strftime(day, sizeof(day), "%F %T", &tm))
			printf("from %s on, ", day);
	}
	printf("for %.6f s\n\n", seconds(o->head.stop - o->head.start));
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

static void print_processes(const struct wp_overview *o, size_t most)
{
	const struct wp_processes *p = &o->processes;
	size_t nr = p->nr, i;

	if (nr > most)
		nr = most;
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
	struct wp_overview *o = ctx;
	int err = wp_processes_add(&o->processes, a);

	return err ? err : wp_ledger_add(&o->ledger, a, 0);
}

static int read_ledger(struct wp_overview *o)
{
	__u64 offset;
	int err;

	err = wp_ledgerfile_open(o->file.fd, &o->head, &offset);
	if (err == -ENOENT)
		return 0;
	o->has_ledger = !err;
	if (!err)
		err = wp_ledgerfile_read(o->file.fd, &o->head, offset, add, o);
	if (err == -EPROTO)
		wp_err("the ledger in %s is damaged", o->input);
	else if (err)
		wp_err("cannot read the ledger in %s: %s", o->input, strerror(-err));
	return err;
}

/**
 * wp_overview_read() - read it
 * @o: out: to be given to wp_overview_free(), also after an error
 * @input: the recording
 * @threads: so many threads one by one
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_overview_read(struct wp_overview *o, const char *input, size_t threads)
{
	int err;

	*o = (struct wp_overview){ .input = input };
	wp_ledger_init(&o->ledger, threads);
	err = wp_perffile_open(&o->file, input);
	if (!err)
		err = read_ledger(o);
	if (!err)
		wp_processes_sort(&o->processes);
	return err;
}

/**
 * wp_overview_print() - print it
 * @o: the overview
 * @most: processes, at most
 */
void wp_overview_print(struct wp_overview *o, size_t most)
{
	print_file(o);
	if (!o->has_ledger)
		return;
	print_processes(o, most);
	wp_print_ledger(stdout, &o->ledger);
	print_lost(&o->head);
	fputc('\n', stdout);
}

/**
 * wp_overview_free() - forget it
 * @o: the overview; all zero is one, too
 */
void wp_overview_free(struct wp_overview *o)
{
	if (!o->input)
		return;
	wp_perffile_close(&o->file);
	wp_ledger_free(&o->ledger);
	wp_processes_free(&o->processes);
}
