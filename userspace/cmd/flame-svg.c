// SPDX-License-Identifier: GPL-2.0
/*
 * A flame graph as a picture that stands still, for documents: of one mode, with exact
 * figures where a frame is pointed at. Called by flame.c.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/flame.h"
#include "cmd/flame-graph.h"
#include "lib/err.h"
#include "lib/text.h"

#define WIDTH		1200
#define ROW		17
#define HEAD		64
#define LETTER		6.6
/* Narrower ones are left out. */
#define NARROW		0.1

/**
 * struct svg - a picture
 * @f: the file
 * @g: the graph
 * @about: what stands above it
 * @mode: its name
 * @total: values of the nodes: on-CPU, runnable, blocked
 * @child: nodes, children of one another together, by name
 * @first: of each node the first of its children in @child, and behind them all
 * @rows: how deep it is
 */
struct svg {
	FILE *f;
	const struct wp_flame_graph *g;
	const struct wp_flame_about *about;
	const char *mode;
	__u64 (*total)[3];
	__u32 *child;
	__u32 *first;
	unsigned int rows;
};

static int no_memory(void)
{
	wp_err("no memory for the picture");
	return -ENOMEM;
}

/* A string as text of XML. */
static void put_text(FILE *f, const char *s, size_t columns)
{
	char *copy = strdup(s), *c;
	unsigned int letter;
	size_t n;

	if (!copy)
		return;
	wp_text_clean(copy, false);
	for (c = copy; *c && columns--; c += n) {
		n = wp_text_char(c, &letter);
		n = n ? n : 1;
		switch (*c) {
		case '&':
			fputs("&amp;", f);
			break;
		case '<':
			fputs("&lt;", f);
			break;
		case '>':
			fputs("&gt;", f);
			break;
		case '"':
			fputs("&quot;", f);
			break;
		default:
			fwrite(c, n, 1, f);
		}
	}
	if (*c)
		fputs("\u2026", f);
	free(copy);
}

/* What of a line is in the picture: the same as split() of userspace/flame/data.js. */
static void split(const struct svg *s, const struct wp_flame_line *l, __u64 *part)
{
	const char *m = s->mode;

	memset(part, 0, 3 * sizeof(*part));
	if (l->kind == WP_FLAME_WAKE) {
		part[2] = strcmp(m, "wake") ? 0 : l->value;
	} else if (l->kind == WP_FLAME_CPU) {
		part[0] = strcmp(m, "wall") && strcmp(m, "cpu") ? 0 : l->value;
	} else if (strcmp(m, "cpu") && strcmp(m, "wake")) {
		part[1] = strcmp(m, "blocked") ? l->runnable : 0;
		part[2] = strcmp(m, "runnable") ? l->value - l->runnable : 0;
	}
}

static __u64 sum(const struct svg *s, __u32 node)
{
	return s->total[node][0] + s->total[node][1] + s->total[node][2];
}

static int sum_up(struct svg *s)
{
	size_t nr = s->g->nodes.nr + 1, i;
	unsigned int k;
	__u64 part[3];

	s->total = calloc(nr, sizeof(*s->total));
	if (!s->total)
		return no_memory();
	for (i = 0; i < s->g->nr; i++) {
		split(s, &s->g->line[i], part);
		for (k = 0; k < 3; k++)
			s->total[s->g->line[i].node][k] += part[k];
	}
	for (i = nr - 1; i; i--) {
		__u32 parent = wp_flame_node(s->g, i)->parent;

		for (k = 0; k < 3; k++)
			s->total[parent][k] += s->total[i][k];
	}
	return 0;
}

static int by_name(const void *pa, const void *pb, void *ctx)
{
	const struct wp_flame_graph *g = ctx;
	const char *dso;
	const struct wp_flame_node *a = wp_flame_node(g, *(const __u32 *)pa);
	const struct wp_flame_node *b = wp_flame_node(g, *(const __u32 *)pb);

	return strcmp(wp_flame_name(g, wp_flame_item(g, a->item), &dso),
		      wp_flame_name(g, wp_flame_item(g, b->item), &dso));
}

static int sort_children(struct svg *s)
{
	size_t nr = s->g->nodes.nr + 1, i;
	__u32 *next;

	s->first = calloc(nr + 1, sizeof(*s->first));
	s->child = calloc(nr, sizeof(*s->child));
	next = calloc(nr + 1, sizeof(*next));
	if (!s->first || !s->child || !next) {
		free(next);
		return no_memory();
	}
	for (i = 1; i < nr; i++)
		s->first[wp_flame_node(s->g, i)->parent + 1]++;
	for (i = 0; i < nr; i++)
		s->first[i + 1] += s->first[i];
	memcpy(next, s->first, (nr + 1) * sizeof(*next));
	for (i = 1; i < nr; i++)
		s->child[next[wp_flame_node(s->g, i)->parent]++] = i;
	for (i = 0; i < nr; i++)
		qsort_r(s->child + s->first[i], s->first[i + 1] - s->first[i],
			sizeof(*s->child), by_name, (void *)s->g);
	free(next);
	return 0;
}

/**
 * struct place - where a frame is
 * @node: which
 * @depth: rows above it
 * @x: where it begins
 */
struct place {
	__u32 node;
	unsigned int depth;
	double x;
};

static void put_frame(const struct svg *s, const struct place *at, double width)
{
	static const char *const colours[] = { "#f2a35e", "#bccf6a", "#7fb0de" };
	const __u64 *v = s->total[at->node];
	unsigned int main = v[0] >= v[1] && v[0] >= v[2] ? 0 : v[2] >= v[1] ? 2 : 1;
	const char *name = "all", *dso = "";
	double y = HEAD + (s->rows - 1 - at->depth) * ROW;
	const char *colour = "#c9c6bf";

	if (at->node) {
		const struct wp_flame_item *item =
			wp_flame_item(s->g, wp_flame_node(s->g, at->node)->item);

		name = wp_flame_name(s->g, item, &dso);
		if (item->type < WP_FLAME_THREAD)
			colour = colours[main];
	}
	fputs("<g><title>", s->f);
	put_text(s->f, name, SIZE_MAX);
	if (*dso) {
		fputs(" in ", s->f);
		put_text(s->f, dso, SIZE_MAX);
	}
	fprintf(s->f, ": %" PRIu64 " %s, %.2f %%</title><rect x=\"%.1f\" y=\"%.0f\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>",
		(uint64_t)sum(s, at->node), s->g->unit, 100.0 * sum(s, at->node) / sum(s, 0),
		at->x, y, width > 1 ? width - 0.4 : width, ROW - 1, colour);
	if (width > 4 * LETTER) {
		size_t columns = (width - 6) / LETTER;

		fprintf(s->f, "<text x=\"%.1f\" y=\"%.0f\">", at->x + 3, y + ROW - 5);
		put_text(s->f, name, wp_text_columns(name) > columns ? columns - 1 : columns);
		fputs("</text>", s->f);
	}
	fputs("</g>\n", s->f);
}

/* Draws the frames, or, with @draw false, finds how many rows they need. */
static int put_frames(struct svg *s, bool draw)
{
	struct place *todo = malloc((s->g->nodes.nr + 1) * sizeof(*todo));
	size_t nr = 1;

	if (!todo)
		return no_memory();
	todo[0] = (struct place){ 0 };
	while (nr) {
		struct place at = todo[--nr];
		double scale = (double)WIDTH / sum(s, 0), x = at.x;
		__u32 i;

		if (draw)
			put_frame(s, &at, sum(s, at.node) * scale);
		if (at.depth >= s->rows)
			s->rows = at.depth + 1;
		for (i = s->first[at.node]; i < s->first[at.node + 1]; i++) {
			__u64 value = sum(s, s->child[i]);

			if (value * scale >= NARROW)
				todo[nr++] = (struct place){ s->child[i], at.depth + 1, x };
			x += value * scale;
		}
	}
	free(todo);
	return 0;
}

static void put_head(const struct svg *s)
{
	static const char *const words[] = { "on-CPU", "runnable", "blocked" };
	static const char *const colours[] = { "#f2a35e", "#bccf6a", "#7fb0de" };
	const struct wp_flame_about *about = s->about;
	unsigned int k, x = 4;

	fprintf(s->f, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"DejaVu Sans Mono, monospace\" font-size=\"11\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fdfcfa\"/>\n",
		WIDTH, HEAD + s->rows * ROW + 4, WIDTH, HEAD + s->rows * ROW + 4);
	fputs("<text x=\"4\" y=\"16\" font-size=\"14\">", s->f);
	put_text(s->f, about->title, 120);
	fputs("</text>\n<text x=\"4\" y=\"32\">", s->f);
	put_text(s->f, about->host ? about->host : "", 60);
	fputs(", ", s->f);
	put_text(s->f, about->system ? about->system : "", 60);
	fprintf(s->f, ", %s%sfor %.3f s</text>\n", about->when, *about->when ? ", " : "",
		about->seconds);
	for (k = 0; k < 3; k++) {
		if (!s->total[0][k])
			continue;
		fprintf(s->f, "<rect x=\"%u\" y=\"38\" width=\"10\" height=\"10\" fill=\"%s\"/><text x=\"%u\" y=\"47\">",
			x, colours[k], x + 14);
		if (!strcmp(s->mode, "wake"))
			fprintf(s->f, "woke what was blocked for %.6f s</text>\n",
				(double)s->total[0][k] / 1e9);
		else if (k || !strcmp(s->g->unit, "ns"))
			fprintf(s->f, "%s %.6f s</text>\n", words[k],
				(double)s->total[0][k] / 1e9);
		else
			fprintf(s->f, "%" PRIu64 " %s</text>\n", (uint64_t)s->total[0][k],
				s->g->unit);
		x += 260;
	}
	if (*about->lost) {
		fputs("<text x=\"4\" y=\"60\" fill=\"#b5179e\">", s->f);
		put_text(s->f, about->lost, 170);
		fputs("</text>\n", s->f);
	}
}

/* Which graph is the first that there is. */
static const char *first_mode(const struct wp_flame_graph *g)
{
	bool has[3] = { false };
	size_t i;

	for (i = 0; i < g->nr; i++)
		has[g->line[i].kind] = true;
	if (has[WP_FLAME_CPU] && has[WP_FLAME_OFF] && !strcmp(g->unit, "ns"))
		return "wall";
	return has[WP_FLAME_CPU] ? "cpu" : has[WP_FLAME_OFF] ? "off" : "wake";
}

/**
 * wp_flame_svg() - write a graph as a picture
 * @f: where to; whether all could be written is for the caller to ask of it
 * @g: the graph
 * @about: what stands above it
 *
 * Return: 0, -ENOMEM, or -ENODATA if there is nothing of the mode; a message was printed.
 */
int wp_flame_svg(FILE *f, const struct wp_flame_graph *g, const struct wp_flame_about *about)
{
	struct svg s = {
		.f = f,
		.g = g,
		.about = about,
		.mode = about->mode ? about->mode : first_mode(g),
	};
	int err = sum_up(&s);

	if (!err && (!wp_flame_has_mode(g, s.mode) || !sum(&s, 0))) {
		wp_err("%s: the recording has nothing for --mode %s", g->samples->o->input, s.mode);
		err = -ENODATA;
	}
	if (!err)
		err = sort_children(&s);
	if (!err)
		err = put_frames(&s, false);
	if (!err) {
		put_head(&s);
		err = put_frames(&s, true);
		fputs("</svg>\n", f);
	}
	free(s.total);
	free(s.child);
	free(s.first);
	return err;
}
