// SPDX-License-Identifier: GPL-2.0
/*
 * A flame graph as a picture, for documents: of one mode, with exact numbers as tooltips.
 * Its script zooms and searches where scripts of pictures may run: not in an <img>.
 * Called by flame.c.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/flame/flame.h"
#include "cmd/graph/graph.h"
#include "lib/base/err.h"
#include "lib/base/text.h"

#define WIDTH		1200
#define ROW		17
#define LINE		14
#define LETTER		6.6
/* Narrower frames are left out. */
#define NARROW		0.1
/* Between frames; also in userspace/flame/picture.js. */
#define GAP		0.4
/* Minimum number of letters of a truncated name. */
#define CUT_LEAST	4

/* Of on-CPU, runnable and blocked, as in userspace/flame/page.css. */
static const char *const colours[] = { "#f28e2b", "#a9c23f", "#5b9bd5" };

/**
 * struct svg - a picture
 * @f: the output
 * @g: the graph
 * @view: heading and options
 * @mode: name of the mode
 * @unit: unit of its values
 * @hides: idle time is left out
 * @idle: the idle time
 * @total: values of the nodes: on-CPU, runnable, blocked
 * @base: their values in the baseline, in a time as long; NULL: there is no baseline
 * @child: nodes, grouped by parent, and sorted by name
 * @first: by node, index of the first of its children in @child; one more for the end
 * @rows: number of rows
 * @head: height of the heading
 */
struct svg {
	FILE *f;
	const struct wp_flame_graph *g;
	const struct wp_flame_view *view;
	const char *mode;
	const char *unit;
	bool hides;
	__u64 idle;
	__u64 (*total)[3];
	double *base;
	__u32 *child;
	__u32 *first;
	unsigned int rows;
	unsigned int head;
};

/* A string as XML text. */
static void put_text(FILE *f, const char *s, size_t columns)
{
	char *copy = wp_text_dup(s), *c;
	unsigned int letter;
	size_t n;

	if (!copy)
		return;
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

/*
 * The part of a line that is in the picture: the same as split() of
 * userspace/flame/data.js.
 */
static void split(struct svg *s, const struct wp_flame_line *l, __u64 *part)
{
	const char *m = s->mode;

	memset(part, 0, 3 * sizeof(*part));
	if (l->kind == WP_FLAME_WAKE) {
		part[2] = strcmp(m, "wake") ? 0 : l->value;
	} else if (l->kind == WP_FLAME_CHAIN) {
		part[2] = strcmp(m, "offwake") ? 0 : l->value;
	} else if (l->kind == WP_FLAME_CPU) {
		part[0] = strcmp(m, "wall") && strcmp(m, "cpu") ? 0 : l->value;
	} else if (strcmp(m, "cpu") && strcmp(m, "wake") && strcmp(m, "offwake")) {
		part[1] = strcmp(m, "blocked") ? l->runnable : 0;
		part[2] = strcmp(m, "runnable") ? l->value - l->runnable : 0;
	}
	if (s->hides && l->idle) {
		s->idle += part[0] + part[2];
		part[0] = 0;
		part[2] = 0;
	}
}

static __u64 sum(const struct svg *s, __u32 node)
{
	return s->total[node][0] + s->total[node][1] + s->total[node][2];
}

static double span_of(const struct wp_flame_graph *g)
{
	const struct wp_profsum *sum = &g->samples->sum;

	return sum->to > sum->from ? sum->to - sum->from : 1;
}

static void add_base(struct svg *s, const struct wp_flame_line *l)
{
	__u64 part[3], idle = s->idle;

	split(s, l, part);
	s->idle = idle;
	s->base[l->node] += (part[0] + part[1] + part[2]) * span_of(s->g) /
			    span_of(s->g->baseline);
}

static int sum_up(struct svg *s)
{
	size_t nr = s->g->nodes.nr + 1, i;
	unsigned int k;
	__u64 part[3];

	s->total = calloc(nr, sizeof(*s->total));
	s->base = s->g->baseline ? calloc(nr, sizeof(*s->base)) : NULL;
	if (!s->total || (s->g->baseline && !s->base))
		return wp_no_memory("the picture");
	for (i = 0; i < s->g->nr; i++) {
		if (wp_flame_is_other(s->g, &s->g->line[i]))
			continue;
		if (s->g->line[i].baseline) {
			add_base(s, &s->g->line[i]);
			continue;
		}
		split(s, &s->g->line[i], part);
		for (k = 0; k < 3; k++)
			s->total[s->g->line[i].node][k] += part[k];
	}
	for (i = nr - 1; i; i--) {
		__u32 parent = wp_flame_node(s->g, i)->parent;

		for (k = 0; k < 3; k++)
			s->total[parent][k] += s->total[i][k];
		if (s->base)
			s->base[parent] += s->base[i];
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
		return wp_no_memory("the picture");
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
 * struct place - position of a frame
 * @node: the node
 * @depth: number of rows above it
 * @x: its left edge
 */
struct place {
	__u32 node;
	unsigned int depth;
	double x;
};

/* All digits, as the sum of frames is that of their caller. */
static void put_value(const struct svg *s, __u64 value)
{
	if (strcmp(s->unit, "ns"))
		fprintf(s->f, "%" PRIu64 " %s", (uint64_t)value, s->unit);
	else
		fprintf(s->f, "%" PRIu64 ".%09" PRIu64 " s", (uint64_t)(value / 1000000000),
			(uint64_t)(value % 1000000000));
}

/*
 * Color of a change: red for more, blue for less, the stronger the larger the ratio, up to
 * four times; as colourOfChange() of userspace/flame/draw.js.
 */
static void set_colour(char to[8], double now, double before)
{
	static const double same[] = { 226, 224, 219 }, more[] = { 240, 68, 48 },
			    less[] = { 56, 134, 240 };
	double change = now > 0 && before > 0 ? log2(now / before) / 2 : now > before ? 1 :
			now < before ? -1 : 0;
	const double *end = change > 0 ? more : less;
	unsigned int part[3], k;

	change = fabs(change) < 1 ? fabs(change) : 1;
	for (k = 0; k < 3; k++)
		part[k] = lround(same[k] + (end[k] - same[k]) * change);
	snprintf(to, 8, "#%02x%02x%02x", part[0] & 255, part[1] & 255, part[2] & 255);
}

static void put_change(const struct svg *s, __u32 node)
{
	double now = sum(s, node), before = s->base[node];

	fprintf(s->f, ", change %s", now < before ? "-" : "+");
	put_value(s, llround(fabs(now - before)));
	if (before > 0)
		fprintf(s->f, " (x%.2f)", now / before);
	else
		fputs(" (new)", s->f);
}

static void put_frame(const struct svg *s, const struct place *at, double width)
{
	const __u64 *v = s->total[at->node];
	unsigned int main = v[0] >= v[1] && v[0] >= v[2] ? 0 : v[2] >= v[1] ? 2 : 1;
	const char *name = "all", *dso = "";
	double y = s->head + (s->rows - 1 - at->depth) * ROW;
	const char *colour = "#c9c6bf";
	char change[8];
	size_t columns;

	if (at->node) {
		const struct wp_flame_item *item =
			wp_flame_item(s->g, wp_flame_node(s->g, at->node)->item);

		name = wp_flame_name(s->g, item, &dso);
		if (item->type < WP_FLAME_THREAD)
			colour = colours[main];
	}
	if (s->base) {
		set_colour(change, sum(s, at->node), s->base[at->node]);
		colour = change;
	}
	fputs("<g class=\"f\"><title>", s->f);
	put_text(s->f, name, SIZE_MAX);
	if (*dso) {
		fputs(" in ", s->f);
		put_text(s->f, dso, SIZE_MAX);
	}
	fputs(": ", s->f);
	put_value(s, sum(s, at->node));
	fprintf(s->f, ", %.2f %%", 100.0 * sum(s, at->node) / sum(s, 0));
	if (s->base)
		put_change(s, at->node);
	fprintf(s->f, "</title><rect x=\"%.3f\" y=\"%.0f\" width=\"%.3f\" height=\"%d\" fill=\"%s\"/>",
		at->x, y, width > 1 ? width - GAP : width, ROW - 1, colour);
	columns = width > 6 ? (width - 6) / LETTER : 0;
	/* A label or name truncated to a few letters is useless. */
	if ((size_t)wp_text_columns(name) <= columns ||
	    (columns > CUT_LEAST && strcmp(name, "[unknown]"))) {
		fprintf(s->f, "<text x=\"%.1f\" y=\"%.0f\">", at->x + 3, y + ROW - 5);
		if ((size_t)wp_text_columns(name) > columns)
			columns--;
		put_text(s->f, name, columns);
		fputs("</text>", s->f);
	}
	fputs("</g>\n", s->f);
}

/* Draw the frames or, with @draw false, count the rows. */
static int put_frames(struct svg *s, bool draw)
{
	struct place *todo = malloc((s->g->nodes.nr + 1) * sizeof(*todo));
	size_t nr = 1;

	if (!todo)
		return wp_no_memory("the picture");
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

/* The heading, line by line; with @draw false, compute its height. */
static void put_line(struct svg *s, bool draw, const char *style, const char *const *words)
{
	s->head += LINE;
	if (!draw)
		return;
	fprintf(s->f, "<text x=\"4\" y=\"%u\"%s>", s->head, style);
	for (; *words; words++)
		put_text(s->f, *words, 170);
	fputs("</text>\n", s->f);
}

/* What the colors of a difference are. */
static void put_changes(struct svg *s, bool draw)
{
	static const struct {
		const char *words;
		double now;
		double before;
	} samples[] = {
		{ "a fourth, or less", 1, 4 }, { "the same", 1, 1 }, { "four times, or new", 4, 1 },
	};
	char colour[8];
	unsigned int k;

	s->head += LINE;
	for (k = 0; k < 3 && draw; k++) {
		set_colour(colour, samples[k].now, samples[k].before);
		fprintf(s->f, "<rect x=\"%u\" y=\"%u\" width=\"10\" height=\"10\" fill=\"%s\"/><text x=\"%u\" y=\"%u\">%s</text>\n",
			4 + 200 * k, s->head - 9, colour, 18 + 200 * k, s->head, samples[k].words);
	}
}

static void put_legend(struct svg *s, bool draw)
{
	static const char *const words[] = { "on-CPU", "runnable", "blocked" };
	unsigned int k, x = 4;

	s->head += LINE;
	for (k = 0; k < 3 && draw; k++) {
		if (!s->total[0][k])
			continue;
		fprintf(s->f, "<rect x=\"%u\" y=\"%u\" width=\"10\" height=\"10\" fill=\"%s\"/><text x=\"%u\" y=\"%u\">",
			x, s->head - 9, colours[k], x + 14, s->head);
		if (!strcmp(s->mode, "wake"))
			fprintf(s->f, "woke what was blocked for %.6f s</text>\n",
				(double)s->total[0][k] / 1e9);
		else if (k || !strcmp(s->g->unit, "ns"))
			fprintf(s->f, "%s %.6f s</text>\n", words[k],
				(double)s->total[0][k] / 1e9);
		else
			fprintf(s->f, "on-CPU %" PRIu64 " %s</text>\n",
				(uint64_t)s->total[0][k], s->g->unit);
		x += 260;
	}
}

/* Description of the recording, and what is missing. */
static void put_head(struct svg *s, bool draw)
{
	const struct wp_info *info = &s->view->info;
	const char *event = s->g->nr_events ? s->g->event[s->g->chosen].name : "";
	char lasted[40], idle[40];

	s->head = 4;
	snprintf(lasted, sizeof(lasted), ", for %.3f s", info->seconds);
	put_line(s, draw, " font-size=\"14\"", (const char *[]){ s->view->title, NULL });
	put_line(s, draw, "", (const char *[]){
		info->host ? info->host : "", ", ", info->system ? info->system : "",
		*info->when ? info->written ? ", file written " : ", recorded " : "",
		info->when, lasted, NULL });
	if (info->command)
		put_line(s, draw, "", (const char *[]){ "by ", info->command, NULL });
	if (s->base) {
		snprintf(lasted, sizeof(lasted), ", for %.3f s", s->view->baseline.seconds);
		put_line(s, draw, "", (const char *[]){
			"compared with ", s->view->baseline_file, lasted, NULL });
		put_changes(s, draw);
	} else {
		put_legend(s, draw);
	}
	if (*s->view->left_out && s->total[0][0])
		put_line(s, draw, "", (const char *[]){
			"on-CPU by ", event, "; not shown: ", s->view->left_out, NULL });
	if (s->idle) {
		snprintf(idle, sizeof(idle), "not shown: %.3f s of", (double)s->idle / 1e9);
		put_line(s, draw, "", (const char *[]){
			idle, " idle kernel threads, idle loops of programs and wallprof (--idle)",
			NULL });
	}
	if (*info->scaled)
		put_line(s, draw, "", (const char *[]){ "on-CPU: ", info->scaled, NULL });
	if (*info->lost)
		put_line(s, draw, " fill=\"#b5179e\"", (const char *[]){ info->lost, NULL });
	s->head += 6;
}

static void put_picture(struct svg *s)
{
	unsigned int height, y;

	put_head(s, false);
	height = s->head + s->rows * ROW + 4;
	fprintf(s->f, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" viewBox=\"0 0 %d %u\" font-family=\"DejaVu Sans Mono, monospace\" font-size=\"11\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fdfcfa\"/>\n",
		WIDTH, height, WIDTH, height);
	fputs("<style>.f:hover rect { stroke: #1d1f23; stroke-width: 0.6 }\n"
	      ".f, .b { cursor: pointer }</style>\n", s->f);
	put_head(s, true);
	y = s->head - 8;
	fprintf(s->f,
		"<g id=\"buttons\" style=\"display: none\" fill=\"#1a5fb4\" text-anchor=\"end\"><text id=\"reset\" class=\"b\" x=\"%d\" y=\"%u\">Reset</text><text id=\"search\" class=\"b\" x=\"%d\" y=\"%u\">Search (/)</text><text id=\"matched\" x=\"%d\" y=\"%u\"></text></g>\n",
		WIDTH - 90, y, WIDTH - 4, y, WIDTH - 140, y);
}

/* The first available mode. */
static const char *first_mode(const struct wp_flame_graph *g)
{
	bool has[WP_FLAME_KINDS] = { false };
	size_t i;

	for (i = 0; i < g->nr; i++)
		has[g->line[i].kind] |= !wp_flame_is_other(g, &g->line[i]);
	if (has[WP_FLAME_CPU] && has[WP_FLAME_OFF] && !strcmp(g->unit, "ns"))
		return "wall";
	return has[WP_FLAME_CPU] ? "cpu" : has[WP_FLAME_OFF] ? "off" : "wake";
}

/**
 * wp_flame_svg() - write a graph as a picture
 * @f: the output; the caller checks it for write errors
 * @g: the graph
 * @view: options and heading
 *
 * Return: 0, -ENOMEM, or -ENODATA if the mode is empty; a message was printed.
 */
int wp_flame_svg(FILE *f, const struct wp_flame_graph *g, const struct wp_flame_view *view)
{
	struct svg s = {
		.f = f,
		.g = g,
		.view = view,
		.mode = view->mode ? view->mode : first_mode(g),
		.hides = g->host && !view->idle,
	};
	int err = sum_up(&s);

	s.unit = strcmp(s.mode, "cpu") ? "ns" : g->unit;

	if (!err && (!wp_flame_has_mode(g, s.mode) || !sum(&s, 0))) {
		wp_err("%s: the recording has nothing%s for --mode %s", g->samples->o->input,
		       s.idle ? " but idle time (--idle)" : "", s.mode);
		err = -ENODATA;
	}
	if (!err)
		err = sort_children(&s);
	if (!err)
		err = put_frames(&s, false);
	if (!err) {
		put_picture(&s);
		err = put_frames(&s, true);
		fputs("<script><![CDATA[\n", f);
		fputs(wp_flame_picture_js, f);
		fputs("]]></script>\n</svg>\n", f);
	}
	free(s.total);
	free(s.base);
	free(s.child);
	free(s.first);
	return err;
}
