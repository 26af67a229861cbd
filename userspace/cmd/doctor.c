// SPDX-License-Identifier: GPL-2.0
/*
 * wallprof doctor: checks whether recording works on this host, for this user, and what
 * to do if it does not. It changes nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/option-values.h"
#include "cmd/common/options.h"
#include "cmd/doctor.h"
#include "lib/base/err.h"
#include "lib/base/json.h"
#include "lib/base/text.h"
#include "lib/doctor/checkup.h"
#include "lib/record/buffersize.h"

#define COLUMNS		80
#define NAME_COLUMN	6
#define TEXT_COLUMN	27
/* One for the counter, one for the switches. */
#define CONTEXTS	2

enum {
	OPT_JSON = 256,
};

static const char *const usage[] = { "[<options>]", NULL };

static const struct wp_option table[] = {
	{ 'o', "output", "file", "the recording that would be written: its place\n"
	  "is checked (default perf.data)" },
	{ OPT_JSON, "json", NULL, "as JSON" },
	{ 0 }
};

struct doctor {
	const char *output;
	bool json;
};

static int set(void *ctx, int id, const char *arg)
{
	struct doctor *d = ctx;

	if (id == OPT_JSON)
		d->json = true;
	else
		return wp_value_output(arg, &d->output);
	return 0;
}

/*
 * Print words in lines, from a column on. Paths are untrusted names; a word longer than a
 * line gets its own.
 */
static void put_words(const char *text)
{
	char shown[WP_TEXT_GROWS * (PATH_MAX + 256)];
	char *word = shown;
	size_t at = TEXT_COLUMN;

	wp_text_show(shown, sizeof(shown), text, false);
	while (*word) {
		size_t len = strcspn(word, " ");
		char after = word[len];
		size_t columns;

		word[len] = '\0';
		columns = wp_text_columns(word);
		if (at > TEXT_COLUMN && at + 1 + columns > COLUMNS) {
			printf("\n%*s", TEXT_COLUMN, "");
			at = TEXT_COLUMN;
		}
		at += printf("%s", at > TEXT_COLUMN ? " " : "");
		fputs(word, stdout);
		at += columns;
		word += len + (after == ' ');
	}
	putchar('\n');
}

static void put_finding(const struct wp_finding *f)
{
	printf("%-*s%-*s", NAME_COLUMN, wp_level_name(f->level), TEXT_COLUMN - NAME_COLUMN,
	       f->name);
	put_words(f->found);
	if (f->means[0]) {
		printf("%*s", TEXT_COLUMN, "");
		put_words(f->means);
	}
	if (f->remedy[0]) {
		printf("%*s", TEXT_COLUMN - 2, "$ ");
		printf("%*s", 2, "");
		put_words(f->remedy);
	}
}

static void put_summary(const struct wp_checkup *c)
{
	unsigned int fail = c->count[WP_LEVEL_FAIL], note = c->count[WP_LEVEL_NOTE];

	if (fail)
		printf("\nRecording does not work here for this user: %u of %zu checks failed.\n",
		       fail, c->nr);
	else if (note)
		printf("\nRecording works here for this user. %u of %zu checks have a note.\n",
		       note, c->nr);
	else
		printf("\nRecording works here for this user.\n");
}

static void put_json(const struct wp_checkup *c)
{
	struct wp_json j = { .f = stdout };
	size_t i;

	wp_json_open(&j, NULL, '{');
	wp_json_string(&j, "version", WP_VERSION);
	wp_json_bool(&j, "works", !c->count[WP_LEVEL_FAIL]);
	wp_json_open(&j, "checks", '[');
	for (i = 0; i < c->nr; i++) {
		const struct wp_finding *f = &c->finding[i];

		wp_json_open(&j, NULL, '{');
		wp_json_string(&j, "check", f->name);
		wp_json_string(&j, "result", wp_level_name(f->level));
		wp_json_string(&j, "found", f->found);
		if (f->means[0])
			wp_json_string(&j, "means", f->means);
		if (f->remedy[0])
			wp_json_string(&j, "command", f->remedy);
		wp_json_close(&j, '}');
	}
	wp_json_close(&j, ']');
	wp_json_close(&j, '}');
	putchar('\n');
}

static int examine(const struct doctor *d)
{
	struct wp_hostfacts *h = calloc(1, sizeof(*h));
	struct wp_checkup *c = calloc(1, sizeof(*c));
	int status = WP_EXIT_ERROR;
	size_t i;

	if (!h || !c) {
		wp_err("out of memory");
		goto out;
	}
	wp_hostfacts_files(h, "");
	wp_hostfacts_ask(h, d->output);
	wp_checkup(c, h, CONTEXTS * h->cpus *
		   wp_buffersize(WP_DEFAULT_BUFFER, (__u64)CONTEXTS * h->cpus));
	if (d->json) {
		put_json(c);
	} else {
		for (i = 0; i < c->nr; i++)
			put_finding(&c->finding[i]);
		put_summary(c);
	}
	if (!wp_end_output(stdout))
		status = c->count[WP_LEVEL_FAIL] ? 1 : 0;
out:
	free(c);
	free(h);
	return status;
}

/**
 * cmd_doctor() - entry point of the command
 * @argc: arguments
 * @argv: the same; the first one is "doctor"
 *
 * Return: its exit status: 0 if recording works, 1 if it does not.
 */
int cmd_doctor(int argc, char **argv)
{
	struct doctor d = { .output = "perf.data" };
	const struct wp_options options = {
		.command = "wallprof doctor",
		.usage = usage,
		.table = table,
		.set = set,
	};
	int err, rest;

	err = wp_parse_options(&options, argc, argv, &d, &rest);
	if (err)
		return err == WP_OPTIONS_DONE ? 0 : WP_EXIT_USAGE;
	if (rest < argc) {
		wp_text_print(stderr, " Error: unexpected argument '%s'\n", argv[rest]);
		wp_print_usage(&options);
		return WP_EXIT_USAGE;
	}
	return examine(&d);
}
