// SPDX-License-Identifier: GPL-2.0
/*
 * wallprof report -s: the time of each kind by name, function, reason, ..., as a table.
 * Called by report-stacks.c, in the place of a tree.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/report-table.h"
#include "lib/buf.h"
#include "lib/err.h"
#include "lib/intern.h"
#include "lib/text.h"

enum key { COMM, PID, TID, DSO, SYM, REASON, SYSCALL, OBJECT, STATE };

/* By their names; those of perf report have its titles. */
static const struct {
	const char *name;
	const char *title;
} keys[WP_SORT_KEYS] = {
	[COMM] = { "comm", "Command" },
	[PID] = { "pid", "Pid" },
	[TID] = { "tid", "Tid" },
	[DSO] = { "dso", "Shared Object" },
	[SYM] = { "sym", "Symbol" },
	[REASON] = { "reason", "Reason" },
	[SYSCALL] = { "syscall", "System Call" },
	[OBJECT] = { "object", "Object" },
	[STATE] = { "state", "State" },
};

/**
 * struct row - a row of the table
 * @words: its columns, one after the other, each with the 0 at its end
 * @value: ns or events
 */
struct row {
	const char *words;
	__u64 value;
};

/**
 * struct table - the table
 * @s: the recording
 * @sort: its columns
 * @words: those of each row
 * @row: the rows: at first by the numbers of their words, less 1
 * @room: for so many there is memory
 * @nr: how many there are
 * @total: sum of their values
 * @count: samples or intervals
 */
struct table {
	struct wp_samples *s;
	const struct wp_report_sort *sort;
	struct wp_intern words;
	struct row *row;
	size_t room;
	size_t nr;
	__u64 total;
	__u64 count;
};

static int key_of(const char *name, size_t len)
{
	int i;

	if (len == strlen("symbol") && !strncmp(name, "symbol", len))
		return SYM;
	for (i = 0; i < WP_SORT_KEYS; i++) {
		if (len == strlen(keys[i].name) && !strncmp(name, keys[i].name, len))
			return i;
	}
	return -1;
}

/**
 * wp_report_sort_parse() - parse --sort
 * @arg: names of keys, separated by commas
 * @sort: out: the keys
 *
 * Return: 0 or -EINVAL; a message was printed.
 */
int wp_report_sort_parse(const char *arg, struct wp_report_sort *sort)
{
	const char *at = arg;
	unsigned int seen = 0;

	sort->nr = 0;
	do {
		size_t len = strcspn(at, ",");
		int key = key_of(at, len);

		if (key < 0 || seen & 1U << key) {
			wp_err("--sort: '%s': a list, each once, of comm, pid, tid, dso, sym, reason, syscall, object, state",
			       arg);
			return -EINVAL;
		}
		seen |= 1U << key;
		sort->key[sort->nr++] = key;
		at += len;
	} while (*at++);
	return 0;
}

/* What a line has for a key; @f is where it was, or NULL. */
static const char *word_of(struct wp_samples *s, enum key key, const struct wp_profline *l,
			   const struct wp_function *f, char spare[16])
{
	const struct wp_profile_thread *t = wp_profile_thread(s->profile, l->thread);
	const struct wp_profile_cause *cause = wp_profile_cause(s->profile, l->cause);

	switch (key) {
	case COMM:
		return wp_samples_comm(s, l);
	case PID:
	case TID:
		snprintf(spare, 16, "%d", key == PID ? t->pid : t->tid);
		return spare;
	case DSO:
		return f ? f->dso : "";
	case SYM:
		return f ? f->label : "";
	case REASON:
		return cause->reason;
	case SYSCALL:
		return cause->syscall;
	case OBJECT:
		return cause->object;
	case STATE:
		return cause->state;
	}
	return "";
}

/* Its words, one after the other; false: no memory. */
static bool put_words(struct table *t, const struct wp_profline *l, struct wp_buf *buf)
{
	size_t nr;
	const __u32 *functions = wp_samples_functions(t->s, l, &nr);
	const struct wp_function *f = NULL;
	unsigned int i;
	char spare[16];

	if (!functions)
		return false;
	if (nr)
		f = wp_profile_function(t->s->profile, functions[nr - 1]);
	buf->len = 0;
	for (i = 0; i < t->sort->nr; i++) {
		const char *word = word_of(t->s, t->sort->key[i], l, f, spare);

		wp_buf_add(buf, word, strlen(word) + 1);
	}
	return !buf->failed;
}

static int add(struct table *t, const struct wp_buf *buf, __u64 value, __u64 count)
{
	__u32 nr = wp_intern(&t->words, buf->data, buf->len, NULL);

	if (!nr)
		return -ENOMEM;
	if (nr > t->room) {
		size_t room = t->room ? 2 * t->room : 64;
		void *more = reallocarray(t->row, room, sizeof(*t->row));

		if (!more)
			return -ENOMEM;
		t->row = more;
		memset(t->row + t->room, 0, (room - t->room) * sizeof(*t->row));
		t->room = room;
	}
	if (nr > t->nr)
		t->nr = nr;
	t->row[nr - 1].value += value;
	t->total += value;
	t->count += count;
	return 0;
}

static int collect(struct table *t, const struct wp_section *section)
{
	struct wp_buf buf = { 0 };
	int err = 0;
	size_t i;

	for (i = 0; i < t->s->sum.nr && !err; i++) {
		const struct wp_profline *l = &t->s->sum.line[i];
		__u64 value = wp_section_value(section, l);

		if (value)
			err = put_words(t, l, &buf) ? add(t, &buf, value, l->count) : -ENOMEM;
	}
	/* The words stay where they are from now on. */
	for (i = 0; i < t->nr; i++)
		t->row[i].words = wp_intern_bytes(&t->words, i + 1, NULL);
	wp_buf_free(&buf);
	return err;
}

static int by_value(const void *pa, const void *pb)
{
	const struct row *a = pa, *b = pb;

	return a->value < b->value ? 1 : a->value > b->value ? -1 : a->words < b->words ? -1 : 1;
}

/* A word as it is printed, and how wide that is; returns the next one. */
static const char *next_word(const char *word, char clean[256], size_t *width)
{
	wp_text_show(clean, 256, *word ? word : "-", false);
	*width = wp_text_columns(clean);
	return word + strlen(word) + 1;
}

static double share_of(const struct table *t, __u64 value)
{
	return 100.0 * value / t->total;
}

/* Those that have so much that they are printed: how many, and how wide. */
static size_t measure(const struct table *t, double limit, size_t *width)
{
	unsigned int k;
	size_t i;

	for (k = 0; k < t->sort->nr; k++)
		width[k] = strlen(keys[t->sort->key[k]].title);
	for (i = 0; i < t->nr && share_of(t, t->row[i].value) >= limit; i++) {
		const char *word = t->row[i].words;

		for (k = 0; k < t->sort->nr; k++) {
			char clean[256];
			size_t w;

			word = next_word(word, clean, &w);
			if (w > width[k])
				width[k] = w;
		}
	}
	return i;
}

static void put_column(const char *text, size_t width, size_t room, bool last)
{
	printf("  %s%*s", text, last ? 0 : (int)(room - width), "");
}

static void print_rows(const struct table *t, const struct wp_section *section, double limit)
{
	size_t width[WP_SORT_KEYS], shown = measure(t, limit, width), i;
	__u64 rest = t->total;
	unsigned int k;

	printf("#\n#  %6s %16s", "share", section->ns ? "time" : "events");
	for (k = 0; k < t->sort->nr; k++) {
		const char *title = keys[t->sort->key[k]].title;

		put_column(title, strlen(title), width[k], k + 1 == t->sort->nr);
	}
	fputc('\n', stdout);
	for (i = 0; i < shown; i++) {
		const char *word = t->row[i].words;

		printf("  %6.2f%% ", share_of(t, t->row[i].value));
		wp_section_put_value(section, t->row[i].value);
		for (k = 0; k < t->sort->nr; k++) {
			char clean[256];
			size_t w;

			word = next_word(word, clean, &w);
			put_column(clean, w, width[k], k + 1 == t->sort->nr);
		}
		fputc('\n', stdout);
		rest -= t->row[i].value;
	}
	if (shown < t->nr) {
		printf("  %6.2f%% ", share_of(t, rest));
		wp_section_put_value(section, rest);
		printf("  %s in %zu other%s\n", wp_text_ellipsis(), t->nr - shown,
		       t->nr - shown == 1 ? "" : "s");
	}
	fputc('\n', stdout);
}

/**
 * wp_report_table() - print the time of a kind, by some of its keys
 * @s: the recording
 * @section: the kind
 * @sort: the keys
 * @limit: rows below this are summed, in percent
 *
 * The function of a row is the one in which the time was spent.
 *
 * Return: 0 or -ENOMEM.
 */
int wp_report_table(struct wp_samples *s, const struct wp_section *section,
		    const struct wp_report_sort *sort, double limit)
{
	struct table t = { .s = s, .sort = sort };
	int err = collect(&t, section);

	if (!err && t.nr) {
		qsort(t.row, t.nr, sizeof(*t.row), by_value);
		wp_section_put_title(section, t.total, t.count);
		wp_section_put_scale(section, s);
		print_rows(&t, section, limit);
	}
	wp_intern_free(&t.words);
	free(t.row);
	return err;
}
