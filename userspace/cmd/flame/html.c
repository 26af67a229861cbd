// SPDX-License-Identifier: GPL-2.0
/*
 * A flame graph as a self-contained page: userspace/flame/ and, as JSON, the graph.
 * Called by flame.c.
 */
#include <inttypes.h>
#include <string.h>

#include "cmd/flame/flame.h"
#include "cmd/graph/graph.h"
#include "lib/base/json.h"

/* In userspace/flame/page.S. */
extern const char wp_flame_page_html[], wp_flame_page_css[], wp_flame_page_data_js[],
	wp_flame_page_frames_js[], wp_flame_page_draw_js[], wp_flame_page_tree_js[],
	wp_flame_page_detail_js[], wp_flame_page_functions_js[],
	wp_flame_page_view_js[], wp_flame_page_width_js[], wp_flame_page_input_js[];

static void put_functions(struct wp_json *j, const struct wp_flame_graph *g,
			  struct wp_intern *dsos)
{
	const char *dso;
	__u32 i, nr;

	wp_json_open(j, "functions", '{');
	wp_json_open(j, "name", '[');
	for (i = 1; i <= g->items.nr; i++)
		wp_json_string(j, NULL, wp_flame_name(g, wp_flame_item(g, i), &dso));
	wp_json_close(j, ']');
	wp_json_open(j, "type", '[');
	for (i = 1; i <= g->items.nr; i++)
		wp_json_number(j, NULL, wp_flame_item(g, i)->type);
	wp_json_close(j, ']');
	wp_json_open(j, "dso", '[');
	for (i = 1; i <= g->items.nr; i++) {
		wp_flame_name(g, wp_flame_item(g, i), &dso);
		nr = wp_intern(dsos, dso, strlen(dso) + 1, NULL);
		/* Without memory, use the name of another one. */
		wp_json_number(j, NULL, nr ? nr - 1 : 0);
	}
	wp_json_close(j, ']');
	wp_json_close(j, '}');
	wp_json_open(j, "dsos", '[');
	for (i = 1; i <= dsos->nr; i++)
		wp_json_string(j, NULL, wp_intern_bytes(dsos, i, NULL));
	wp_json_close(j, ']');
}

/* The first one is the root. */
static void put_nodes(struct wp_json *j, const struct wp_flame_graph *g)
{
	__u32 i;

	wp_json_open(j, "nodes", '{');
	wp_json_open(j, "parent", '[');
	wp_json_number(j, NULL, 0);
	for (i = 1; i <= g->nodes.nr; i++)
		wp_json_number(j, NULL, wp_flame_node(g, i)->parent);
	wp_json_close(j, ']');
	wp_json_open(j, "function", '[');
	wp_json_number(j, NULL, 0);
	for (i = 1; i <= g->nodes.nr; i++)
		wp_json_number(j, NULL, wp_flame_node(g, i)->item - 1);
	wp_json_close(j, ']');
	wp_json_close(j, '}');
}

static void put_threads_of(struct wp_json *j, const struct wp_profile *profile)
{
	size_t i, nr = wp_profile_threads(profile);

	for (i = 1; i <= nr; i++) {
		const struct wp_profile_thread *t = wp_profile_thread(profile, i);

		wp_json_open(j, NULL, '[');
		wp_json_signed(j, NULL, t->pid);
		wp_json_signed(j, NULL, t->tid);
		wp_json_string(j, NULL, t->comm);
		wp_json_close(j, ']');
	}
}

static void put_threads(struct wp_json *j, const struct wp_flame_graph *g)
{
	wp_json_open(j, "threads", '[');
	put_threads_of(j, g->samples->profile);
	if (g->baseline)
		put_threads_of(j, g->baseline->samples->profile);
	wp_json_close(j, ']');
}

/* Columns of the lines, in the order of their names. */
static __u64 value_of(const struct wp_flame_line *l, unsigned int column)
{
	const __u64 values[] = {
		l->kind, l->event, l->node, l->thread, l->slot, l->value, l->runnable, l->count,
		l->idle, l->begin, l->detail, l->baseline,
	};

	return values[column];
}

static void put_lines(struct wp_json *j, const struct wp_flame_graph *g)
{
	static const char *const columns[] = {
		"kind", "event", "node", "thread", "slot", "value", "runnable", "count",
		"idle", "begin", "detail", "baseline",
	};
	/* The last one only if there is a baseline. */
	unsigned int c, nr = sizeof(columns) / sizeof(columns[0]) - !g->baseline;
	size_t i;

	wp_json_open(j, "lines", '{');
	for (c = 0; c < nr; c++) {
		wp_json_open(j, columns[c], '[');
		for (i = 0; i < g->nr; i++)
			wp_json_number(j, NULL, value_of(&g->line[i], c));
		wp_json_close(j, ']');
	}
	wp_json_close(j, '}');
}

/* Why threads were off their CPUs, and who woke them: referred to by the lines. */
static void put_details(struct wp_json *j, const struct wp_flame_graph *g)
{
	__u32 last = 0, i;
	size_t k;

	for (k = 0; k < g->nr; k++) {
		if (g->line[k].kind == WP_FLAME_OFF && g->line[k].detail > last)
			last = g->line[k].detail;
	}
	wp_json_open(j, "causes", '[');
	for (i = 0; i <= last; i++) {
		const struct wp_profile_cause *c = wp_profile_cause(g->samples->profile, i);

		wp_json_open(j, NULL, '[');
		wp_json_string(j, NULL, c->state);
		wp_json_string(j, NULL, c->reason);
		wp_json_string(j, NULL, c->syscall);
		wp_json_string(j, NULL, strcmp(c->object, "-") ? c->object : "");
		wp_json_close(j, ']');
	}
	wp_json_close(j, ']');
	wp_json_open(j, "wakers", '[');
	for (i = 1; i <= g->wakers.nr; i++)
		wp_json_string(j, NULL, wp_intern_bytes(&g->wakers, i, NULL));
	wp_json_close(j, ']');
}

static void put_pair(struct wp_json *j, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	wp_json_open(j, NULL, '[');
	wp_json_string(j, NULL, name);
	wp_json_string(j, NULL, value);
	wp_json_close(j, ']');
}

static void put_info(struct wp_json *j, const struct wp_flame_view *view)
{
	const struct wp_info *info = &view->info;
	char text[64];

	wp_json_open(j, "about", '[');
	put_pair(j, "file", view->file);
	put_pair(j, "host", info->host);
	put_pair(j, "kernel", info->system);
	put_pair(j, info->written ? "file written" : "recorded", info->when);
	snprintf(text, sizeof(text), "%.3f s", info->seconds);
	put_pair(j, "for", text);
	put_pair(j, "by", info->command);
	put_pair(j, "on-CPU", info->scaled);
	if (view->baseline_file) {
		put_pair(j, "compared with", view->baseline_file);
		put_pair(j, "on host", view->baseline.host);
		put_pair(j, "of", view->baseline.when);
		snprintf(text, sizeof(text), "%.3f s", view->baseline.seconds);
		put_pair(j, "for", text);
	}
	put_pair(j, "drawn by", "wallprof " WP_VERSION);
	wp_json_close(j, ']');
	wp_json_string(j, "title", view->title);
	wp_json_string(j, "lost", info->lost);
	wp_json_string(j, "mode", view->mode ? view->mode : "");
}

static void put_events(struct wp_json *j, const struct wp_flame_graph *g)
{
	__u32 i;

	wp_json_open(j, "events", '[');
	for (i = 0; i < g->nr_events; i++) {
		wp_json_open(j, NULL, '[');
		wp_json_string(j, NULL, g->event[i].name);
		wp_json_string(j, NULL, g->event[i].unit);
		wp_json_close(j, ']');
	}
	wp_json_close(j, ']');
	wp_json_number(j, "event", g->chosen);
}

static __u64 span_of(const struct wp_profsum *sum)
{
	return sum->to > sum->from ? sum->to - sum->from : 1;
}

static void put_data(FILE *f, const struct wp_flame_graph *g, const struct wp_flame_view *view)
{
	const struct wp_profsum *sum = &g->samples->sum;
	struct wp_intern dsos = { 0 };
	struct wp_json j = { .f = f };

	wp_json_open(&j, NULL, '{');
	put_info(&j, view);
	put_events(&j, g);
	wp_json_number(&j, "host", g->host);
	wp_json_number(&j, "idle", view->idle);
	wp_json_number(&j, "has_causes", wp_profile_has_causes(g->samples->profile));
	wp_json_number(&j, "sums", wp_profile_is_sums(g->samples->profile));
	wp_json_number(&j, "slots", g->baseline ? 1 : sum->slots);
	wp_json_number(&j, "span", span_of(sum));
	if (g->baseline)
		wp_json_number(&j, "baseline_span", span_of(&g->baseline->samples->sum));
	put_functions(&j, g, &dsos);
	put_nodes(&j, g);
	put_threads(&j, g);
	put_details(&j, g);
	put_lines(&j, g);
	wp_json_close(&j, '}');
	wp_intern_free(&dsos);
}

/**
 * wp_flame_html() - write a graph as a page
 * @f: the output; the caller checks it for write errors
 * @g: the graph
 * @view: options and heading
 */
void wp_flame_html(FILE *f, const struct wp_flame_graph *g, const struct wp_flame_view *view)
{
	static const char *const script[] = {
		wp_flame_page_data_js, wp_flame_page_frames_js, wp_flame_page_draw_js,
		wp_flame_page_detail_js, wp_flame_page_functions_js, wp_flame_page_tree_js,
		wp_flame_page_view_js, wp_flame_page_width_js, wp_flame_page_input_js,
	};
	size_t i;

	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      /* Whatever names contain: nothing is fetched from anywhere. */
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:\">\n"
	      "<link rel=\"icon\" href=\"data:,\">\n"
	      "<title>wallprof flame</title>\n<style>\n", f);
	fputs(wp_flame_page_css, f);
	fputs("</style>\n</head>\n<body>\n", f);
	fputs(wp_flame_page_html, f);
	fputs("<script id=\"data\" type=\"application/json\">\n", f);
	put_data(f, g, view);
	fputs("</script>\n<script>\n\"use strict\";\n(() => {\n", f);
	for (i = 0; i < sizeof(script) / sizeof(script[0]); i++)
		fputs(script[i], f);
	fputs("})();\n</script>\n</body>\n</html>\n", f);
}
