// SPDX-License-Identifier: GPL-2.0
/*
 * wallprof sched hist: histograms of the runnable and blocked times of threads, by powers
 * of two; in total, by name or by thread, and over time.
 */
#include <errno.h>
#include <inttypes.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/options.h"
#include "cmd/common/schedread.h"
#include "cmd/common/screen.h"
#include "cmd/sched/sched.h"
#include "lib/base/err.h"
#include "lib/base/text.h"
#include "lib/model/hist.h"
#include "lib/profile/schedule.h"

#define ID_PER		0x100
#define ID_HEAT		0x101

#define NSEC_PER_USEC	1000

/* The heat map: number of columns, and their initial width. */
#define HEAT_COLUMNS	80
#define MIN_WIDTH	1000

#define BAR		40

enum per { PER_ALL, PER_COMM, PER_TID };

struct group {
	struct wp_schedthread who;
	struct wp_hist hist;
	bool used;
};

/*
 * struct heat - waits by length and by end time
 * @begin: start of the first column; end of the first span
 * @width: ns of a column; doubled when there are not enough columns
 */
struct heat {
	bool begun;
	__u64 begin;
	__u64 width;
	struct wp_hist column[HEAT_COLUMNS];
};

struct hist {
	struct wp_schedread read;
	enum per per;
	bool wants_heat;
	struct wp_schedule *schedule;
	struct wp_hist all;
	struct group *group;
	size_t nr;
	size_t room;
	struct heat heat;
	__u64 cut;
	struct wp_rows rows;
};

static const char *const usage[] = {
	"[<options>]",
	NULL
};

static const struct wp_option table[] = {
	{ 'i', "input", "file", "the recording (default perf.data)" },
	{ WP_SCHEDREAD_JSON, "json", NULL, "print JSON" },
	{ WP_SCHEDREAD_CSV, "csv", NULL, "print CSV" },
	{ 'v', "verbose", NULL, "print more" },
	{ ID_HEAT, "heat", NULL, "over time: a column for each part of it" },
	{ ID_PER, "per", "what", "a histogram for each comm or tid" },
	{ 'p', "pid", "pid[,pid...]", "these processes only" },
	{ 't', "tid", "tid[,tid...]", "these threads only" },
	{ 'C', "cpu", "cpu", "on these CPUs only: 0-2,5; where they were\n"
	  "to run, or ran before they were blocked" },
	{ WP_SCHEDREAD_TIME, "time", "start,stop", "waits that ended between these times, in\n"
	  "seconds as the other commands print them" },
	{ 0 }
};

static int set(void *ctx, int id, const char *arg)
{
	struct hist *h = ctx;

	switch (id) {
	case ID_HEAT:
		h->wants_heat = true;
		return 0;
	case ID_PER:
		if (strcmp(arg, "comm") && strcmp(arg, "tid")) {
			wp_err("--per must be 'comm' or 'tid', not '%s'", arg);
			return -EINVAL;
		}
		h->per = strcmp(arg, "tid") ? PER_COMM : PER_TID;
		return 0;
	}
	return wp_schedread_set(&h->read, id, arg);
}

/* Merge columns in pairs. */
static void widen(struct heat *heat)
{
	unsigned int i;

	for (i = 0; i < HEAT_COLUMNS / 2; i++) {
		struct wp_hist both = heat->column[2 * i];

		wp_hist_add(&both, &heat->column[2 * i + 1]);
		heat->column[i] = both;
	}
	memset(&heat->column[i], 0, (HEAT_COLUMNS - i) * sizeof(heat->column[0]));
	heat->width *= 2;
}

static void add_heat(struct heat *heat, __u64 time, const struct wp_hist *one)
{
	if (!heat->begun) {
		heat->begun = true;
		heat->begin = time;
		heat->width = MIN_WIDTH;
	}
	if (time < heat->begin)
		time = heat->begin;
	while ((time - heat->begin) / heat->width >= HEAT_COLUMNS)
		widen(heat);
	wp_hist_add(&heat->column[(time - heat->begin) / heat->width], one);
}

static int add_group(struct hist *h, const struct wp_span *span, const struct wp_hist *one)
{
	struct group *group;
	int err;

	if (h->per == PER_ALL)
		return 0;
	err = wp_schedread_room(&h->group, &h->room, span->serial, sizeof(*group));
	if (err)
		return err;
	if (span->serial >= h->nr)
		h->nr = span->serial + 1;
	group = &h->group[span->serial];
	group->who = span->who;
	group->used = true;
	wp_hist_add(&group->hist, one);
	return 0;
}

static int on_span(void *ctx, const struct wp_span *span)
{
	struct hist *h = ctx;
	__u64 ns = span->end - span->begin;
	struct wp_hist one;

	if (span->kind == WP_SPAN_RUNNING || !wp_schedread_wants(&h->read, &span->who) ||
	    !wp_schedread_wants_cpu(&h->read, span->cpu) || span->end < h->read.from ||
	    span->end > h->read.to)
		return 0;
	/* Its length is unknown. */
	if (span->cut_begin || span->cut_end) {
		h->cut++;
		return 0;
	}
	ns = ns ? ns : 1;
	wp_hist_one(&one, ns, span->kind == WP_SPAN_RUNNABLE ? ns : 0);
	wp_hist_add(&h->all, &one);
	if (h->wants_heat)
		add_heat(&h->heat, span->end, &one);
	return add_group(h, span, &one);
}

static int on_event(void *ctx, const struct wp_schedevent *ev)
{
	struct hist *h = ctx;

	return wp_schedule_event(h->schedule, ev);
}

static int by_name(const void *pa, const void *pb)
{
	const struct group *a = pa, *b = pb;
	int order = strcmp(a->who.comm, b->who.comm);

	return order ? order : (a->who.tid > b->who.tid) - (a->who.tid < b->who.tid);
}

/* Merge groups with the same name, if requested. */
static void merge(struct hist *h)
{
	size_t i, nr = 0;

	for (i = 0; i < h->nr; i++) {
		if (h->group[i].used)
			h->group[nr++] = h->group[i];
	}
	h->nr = nr;
	if (!nr)
		return;
	qsort(h->group, nr, sizeof(*h->group), by_name);
	for (i = 1, nr = 1; i < h->nr && h->per == PER_COMM; i++) {
		if (strcmp(h->group[nr - 1].who.comm, h->group[i].who.comm))
			h->group[nr++] = h->group[i];
		else
			wp_hist_add(&h->group[nr - 1].hist, &h->group[i].hist);
	}
	if (h->per == PER_COMM)
		h->nr = nr;
}

static const __u64 *buckets_of(const struct wp_hist *hist, bool blocked)
{
	return blocked ? hist->blocked : hist->runnable;
}

static const char *title_of(bool blocked)
{
	return blocked ? "blocked" : "waiting for a CPU";
}

/* The range of non-empty buckets. */
static bool range(const __u64 *buckets, unsigned int *first, unsigned int *last, __u64 *most)
{
	unsigned int i;

	*most = 0;
	for (i = 0; i < WALLPROF_HIST_BUCKETS; i++) {
		if (!buckets[i])
			continue;
		if (!*most)
			*first = i;
		*last = i;
		if (buckets[i] > *most)
			*most = buckets[i];
	}
	return *most;
}

static void print_bars(const __u64 *buckets)
{
	unsigned int first = 0, last = 0, i, len;
	__u64 most;

	if (!range(buckets, &first, &last, &most)) {
		printf("   none\n");
		return;
	}
	printf(" %23s : count\n", "usecs");
	for (i = first; i <= last; i++) {
		char bar[BAR + 1] = "";

		len = most ? (double)buckets[i] * BAR / most + 0.5 : 0;
		memset(bar, '*', len > BAR ? BAR : len);
		if (i == WALLPROF_HIST_BUCKETS - 1)
			printf(" %10" PRIu64 " -> %9s", (uint64_t)wp_hist_from(i), "");
		else
			printf(" %10" PRIu64 " -> %-9" PRIu64, (uint64_t)wp_hist_from(i),
			       (uint64_t)wp_hist_from(i + 1) - 1);
		printf(" : %-9" PRIu64 " |%-*s|\n", (uint64_t)buckets[i], BAR, bar);
	}
}

static void print_hist(const struct wp_hist *hist, const char *of)
{
	unsigned int blocked;

	for (blocked = 0; blocked < 2; blocked++) {
		printf("\n  %s%s%s\n", title_of(blocked), *of ? ": " : "", of);
		print_bars(buckets_of(hist, blocked));
	}
}

static const struct wp_column columns[] = {
	{ "what", NULL, NULL, WP_COLUMN_NAME, 0, 0 },
	{ "comm", NULL, NULL, WP_COLUMN_NAME, 0, 0 },
	{ "tid", NULL, NULL, WP_COLUMN_ID, 0, 0 },
	{ "from_us", NULL, NULL, WP_COLUMN_COUNT, 0, 0 },
	{ "below_us", NULL, NULL, WP_COLUMN_COUNT, 0, 0 },
	{ "count", NULL, NULL, WP_COLUMN_COUNT, 0, 0 },
};

#define NR_COLUMNS	(sizeof(columns) / sizeof(columns[0]))

static const struct wp_column heat_columns[] = {
	{ "what", NULL, NULL, WP_COLUMN_NAME, 0, 0 },
	{ "begin_ns", NULL, NULL, WP_COLUMN_SEC, 0, 0 },
	{ "end_ns", NULL, NULL, WP_COLUMN_SEC, 0, 0 },
	{ "from_us", NULL, NULL, WP_COLUMN_COUNT, 0, 0 },
	{ "below_us", NULL, NULL, WP_COLUMN_COUNT, 0, 0 },
	{ "count", NULL, NULL, WP_COLUMN_COUNT, 0, 0 },
};

#define NR_HEAT_COLUMNS	(sizeof(heat_columns) / sizeof(heat_columns[0]))

static struct wp_value below(unsigned int bucket)
{
	bool last = bucket == WALLPROF_HIST_BUCKETS - 1;

	return wp_value_if(!last, last ? 0 : wp_hist_from(bucket + 1));
}

static void put_hist(struct hist *h, const struct wp_hist *hist, const struct wp_schedthread *who)
{
	unsigned int i;

	for (i = 0; i < 2 * WALLPROF_HIST_BUCKETS; i++) {
		unsigned int nr = i % WALLPROF_HIST_BUCKETS;
		const __u64 *buckets = buckets_of(hist, i != nr);
		const struct wp_value value[NR_COLUMNS] = {
			wp_value_name(i == nr ? "runnable" : "blocked"),
			wp_value_name(who ? who->comm : NULL),
			wp_value_if(who && h->per == PER_TID, who ? who->tid : 0),
			wp_value_number(wp_hist_from(nr)),
			below(nr),
			wp_value_number(buckets[nr]),
		};

		if (buckets[nr])
			wp_rows_put(&h->rows, value);
	}
}

static void put_heat(struct hist *h)
{
	unsigned int i;

	for (i = 0; i < HEAT_COLUMNS * 2 * WALLPROF_HIST_BUCKETS; i++) {
		unsigned int nr = i % WALLPROF_HIST_BUCKETS, at = i / WALLPROF_HIST_BUCKETS;
		const __u64 *buckets = buckets_of(&h->heat.column[at / 2], at % 2);
		__u64 begin = h->heat.begin + h->heat.width * (at / 2);
		const struct wp_value value[NR_HEAT_COLUMNS] = {
			wp_value_name(at % 2 ? "blocked" : "runnable"),
			wp_value_number(begin),
			wp_value_number(begin + h->heat.width),
			wp_value_number(wp_hist_from(nr)),
			below(nr),
			wp_value_number(buckets[nr]),
		};

		if (buckets[nr])
			wp_rows_put(&h->rows, value);
	}
}

/* Shade of a count, relative to the maximum. */
static const char *shade(__u64 nr, __u64 most)
{
	static const char *const blocks[] = { " ", "░", "▒", "▓", "█" };
	static const char *const letters[] = { " ", ".", "o", "O", "#" };
	bool wide = !strcmp(nl_langinfo(CODESET), "UTF-8");
	unsigned int level = 0;

	/* Steps are logarithmic: each is a quarter of the range. */
	if (nr) {
		double part = (double)nr / most;

		level = part > 0.5 ? 4 : part > 0.1 ? 3 : part > 0.02 ? 2 : 1;
	}
	return wide ? blocks[level] : letters[level];
}

static __u64 most_of(const struct heat *heat, bool blocked, struct wp_hist *sum,
		     unsigned int *columns_used)
{
	__u64 most = 0;
	unsigned int i, nr;

	memset(sum, 0, sizeof(*sum));
	*columns_used = 0;
	for (i = 0; i < HEAT_COLUMNS; i++) {
		const __u64 *buckets = buckets_of(&heat->column[i], blocked);

		wp_hist_add(sum, &heat->column[i]);
		for (nr = 0; nr < WALLPROF_HIST_BUCKETS; nr++) {
			if (buckets[nr])
				*columns_used = i + 1;
			if (buckets[nr] > most)
				most = buckets[nr];
		}
	}
	return most;
}

static void print_heat(const struct heat *heat, bool blocked)
{
	unsigned int first = 0, last = 0, i, nr, used;
	struct wp_hist sum;
	__u64 most, in_bucket;

	most = most_of(heat, blocked, &sum, &used);
	printf("\n  %s, over time: a column is %.3f ms, the darkest is %" PRIu64 "\n",
	       title_of(blocked), heat->width / 1e6, (uint64_t)most);
	if (!range(buckets_of(&sum, blocked), &first, &last, &in_bucket)) {
		printf("   none\n");
		return;
	}
	for (nr = last + 1; nr-- > first;) {
		printf(" %10" PRIu64 " us |", (uint64_t)wp_hist_from(nr));
		for (i = 0; i < used; i++)
			fputs(shade(buckets_of(&heat->column[i], blocked)[nr], most), stdout);
		printf("|\n");
	}
	printf(" %10s     %.6f s%*s%.6f s\n", "", heat->begin / 1e9, used > 32 ? used - 32 : 1, "",
	       (heat->begin + heat->width * used) / 1e9);
}

static void print_text(const struct hist *h)
{
	char of[64] = "";
	size_t i, n;

	if (h->wants_heat) {
		print_heat(&h->heat, false);
		print_heat(&h->heat, true);
	} else if (h->per == PER_ALL) {
		print_hist(&h->all, "");
	}
	for (i = 0; i < h->nr && !h->wants_heat; i++) {
		n = wp_text_show(of, sizeof(of), h->group[i].who.comm, false);
		if (h->per == PER_TID)
			snprintf(of + n, sizeof(of) - n, "[%d]", h->group[i].who.tid);
		print_hist(&h->group[i].hist, of);
	}
	if (h->cut)
		printf("\n  %" PRIu64 " waits without a known start or end are not counted\n",
		       (uint64_t)h->cut);
}

static int print(struct hist *h)
{
	size_t i;

	if (h->read.format == WP_FORMAT_TEXT)
		wp_screen_fit();
	wp_rows_begin(&h->rows, stdout, h->read.format);
	if (h->read.format == WP_FORMAT_TEXT) {
		print_text(h);
	} else if (h->wants_heat) {
		wp_rows_table(&h->rows, "heat", heat_columns, NR_HEAT_COLUMNS);
		put_heat(h);
	} else {
		wp_rows_table(&h->rows, "histogram", columns, NR_COLUMNS);
		if (h->per == PER_ALL)
			put_hist(h, &h->all, NULL);
		for (i = 0; i < h->nr; i++)
			put_hist(h, &h->group[i].hist, &h->group[i].who);
	}
	wp_rows_table_end(&h->rows);
	if (h->read.format == WP_FORMAT_JSON)
		wp_json_number(&h->rows.json, "not_counted", h->cut);
	wp_schedread_losses(&h->read, &h->rows, wp_schedule_missed(h->schedule));
	return wp_rows_end(&h->rows);
}

/**
 * cmd_sched_hist() - entry point of the command
 * @argc: arguments
 * @argv: the same; the first one is "hist"
 *
 * Return: its exit status.
 */
int cmd_sched_hist(int argc, char **argv)
{
	struct hist h = { .read = WP_SCHEDREAD_INIT };
	const struct wp_options options = {
		.command = "wallprof sched hist",
		.usage = usage,
		.table = table,
		.set = set,
	};
	int err;

	err = wp_schedread_parse(&options, argc, argv, &h);
	if (!err && h.wants_heat && h.per != PER_ALL) {
		wp_err("--heat and --per cannot be combined; use -t or -p to choose threads");
		err = -EINVAL;
	}
	if (err) {
		wp_schedread_end(&h.read);
		return err == WP_OPTIONS_DONE ? 0 : WP_EXIT_USAGE;
	}
	err = wp_schedule_new(&h.schedule, on_span, &h);
	if (!err)
		err = wp_schedread(&h.read, on_event, &h);
	if (!err)
		err = wp_schedule_end(h.schedule, 0);
	if (!err) {
		merge(&h);
		err = print(&h);
	}
	wp_schedule_free(h.schedule);
	wp_schedread_end(&h.read);
	free(h.group);
	return err ? WP_EXIT_ERROR : 0;
}
