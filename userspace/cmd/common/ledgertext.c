// SPDX-License-Identifier: GPL-2.0
/*
 * Prints the ledger for record -v and report: a line of the sums, and a table of the
 * threads whose lines were kept.
 */
#include <inttypes.h>
#include <stdint.h>

#include "cmd/common/ledgertext.h"
#include "lib/base/text.h"

static double seconds(__u64 ns)
{
	return (double)(__s64)ns / 1e9;
}

static void print_totals(FILE *f, const struct wp_totals *a)
{
	int width;

	fprintf(f, "  %8u %8u ", a->tid, a->tgid);
	width = wp_text_put(f, a->comm);
	fprintf(f, "%*s %14.6f %14.6f %14.6f %10" PRIu64 " %14.6f %14.6f %" PRId64 "%s\n",
		width < 16 ? 16 - width : 0, "", seconds(a->run_ns), seconds(a->runnable_ns),
		seconds(wp_totals_blocked(a)), (uint64_t)a->nr_off, seconds(a->unknown_ns),
		seconds(wp_totals_wall(a)), (int64_t)wp_totals_diff(a),
		a->ended ? " ended" : "");
}

/**
 * wp_print_ledger() - print a ledger
 * @f: the output
 * @l: the ledger; its lines are sorted afterwards
 */
void wp_print_ledger(FILE *f, struct wp_ledger *l)
{
	size_t i, nr;

	fprintf(f, "  %" PRIu64 " thread%s (%" PRIu64 " ended): %.6f s run + %.6f s runnable",
		(uint64_t)l->threads, l->threads == 1 ? "" : "s", (uint64_t)l->ended,
		seconds(l->run_ns), seconds(l->runnable_ns));
	fprintf(f, " + %.6f s blocked (%" PRIu64 " interval%s) + %.6f s unknown = %.6f s wall",
		seconds(l->off_ns - l->runnable_ns), (uint64_t)l->nr_off,
		l->nr_off == 1 ? "" : "s", seconds(l->unknown_ns), seconds(l->wall_ns));
	if (l->unbalanced)
		fprintf(f, "; %" PRIu64 " thread%s out of balance, by %" PRId64 " ns at most",
			(uint64_t)l->unbalanced, l->unbalanced == 1 ? "" : "s",
			(int64_t)l->worst_ns);
	fputc('\n', f);
	wp_ledger_sort(l);
	nr = l->nr < l->keep ? l->nr : l->keep;
	if (!nr)
		return;
	fprintf(f, "  %8s %8s %-16s %14s %14s %14s %10s %14s %14s %s\n", "tid", "tgid", "comm",
		"run s", "runnable s", "blocked s", "intervals", "unknown s", "wall s", "diff ns");
	for (i = 0; i < nr; i++)
		print_totals(f, &l->lines[i]);
	if (nr < l->threads)
		fprintf(f, "  %s and %" PRIu64 " more; -vv shows all\n",
			wp_text_ellipsis(), (uint64_t)(l->threads - nr));
}
