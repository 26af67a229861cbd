// SPDX-License-Identifier: GPL-2.0
/*
 * wallprof report: the stacks of a recording, separately for each kind of time, as a
 * tree, or their functions as a table (report/table.c).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/screen.h"
#include "cmd/common/sections.h"
#include "cmd/report/trees.h"
#include "lib/base/err.h"
#include "lib/base/text.h"
#include "lib/model/calltree.h"
#include "lib/profile/profsum.h"

/* Items of trees: functions, and with this bit names of threads. */
#define IS_COMM		(1U << 31)

/* Maximum number of reasons to list. */
#define TOP_CAUSES	10

/**
 * struct stacks - the recording
 * @o: the options
 * @samples: its samples
 * @comms: names
 * @path: a stack as a path of the tree
 * @room: its allocated items
 */
struct stacks {
	const struct wp_report_tree_options *o;
	struct wp_samples *samples;
	struct wp_intern comms;
	__u32 *path;
	size_t room;
};

static __u32 comm_of(struct stacks *s, const struct wp_profline *l)
{
	const char *name = wp_samples_comm(s->samples, l);
	__u32 nr = wp_intern(&s->comms, name, strlen(name) + 1, NULL);

	return nr ? nr | IS_COMM : 0;
}

/* The path of a line: its thread's name, and its functions. NULL: no memory. */
static const __u32 *path_of(struct stacks *s, const struct wp_profline *l, size_t *nr)
{
	const __u32 *functions = wp_samples_functions(s->samples, l, nr);
	__u32 comm = comm_of(s, l);
	bool callees = s->o->callees;
	size_t i;

	if (!functions || !comm)
		return NULL;
	if (*nr + 1 > s->room) {
		void *more = reallocarray(s->path, *nr + 1, sizeof(*s->path));

		if (!more)
			return NULL;
		s->path = more;
		s->room = *nr + 1;
	}
	for (i = 0; i < *nr; i++)
		s->path[callees ? *nr - 1 - i : i + 1] = functions[i];
	s->path[callees ? *nr : 0] = comm;
	++*nr;
	return s->path;
}

static const char *item_name(const struct stacks *s, __u32 item, const char **dso)
{
	const struct wp_function *f;

	*dso = NULL;
	if (item & IS_COMM)
		return wp_intern_bytes(&s->comms, item & ~IS_COMM, NULL);
	f = wp_profile_function(s->samples->profile, item);
	/* A label that replaces a name contains the file's. */
	*dso = f->name ? f->dso : NULL;
	return f->label;
}

/**
 * struct printing - a tree that is printed
 * @s: the stacks
 * @tree: the tree
 * @section: its section
 */
struct printing {
	const struct stacks *s;
	const struct wp_calltree *tree;
	const struct wp_section *section;
};

static double share_of(const struct printing *p, __u64 value)
{
	__u64 all = p->tree->node[0].total;

	return all ? 100.0 * value / all : 0;
}

/* Deeper branches are not indented further. */
#define MAX_DEPTH	400

/* Maximum size of a printed name. */
#define NAME_BYTES	256

static const char *short_name(char *clean, const char *name)
{
	char some[NAME_BYTES];

	snprintf(some, sizeof(some), "%s", name);
	wp_text_show(clean, WP_TEXT_GROWS * NAME_BYTES, some, false);
	return clean;
}

static void print_node(const struct printing *p, __u32 node, unsigned int depth, bool figures)
{
	const struct wp_callnode *n = &p->tree->node[node];
	const char *dso, *name = item_name(p->s, n->item, &dso);

	char line[2048], clean[WP_TEXT_GROWS * NAME_BYTES], value[32] = "";
	int len;

	if (depth > MAX_DEPTH)
		depth = MAX_DEPTH;
	if (figures) {
		wp_section_value_text(p->section, n->total, value);
		len = snprintf(line, sizeof(line), "  %6.2f%% %s  ", share_of(p, n->total), value);
	} else {
		len = snprintf(line, sizeof(line), "  %7s %16s  ", "", "");
	}
	len += snprintf(line + len, sizeof(line) - len, "%*s%s", 2 * (int)depth, "",
			short_name(clean, name));
	if (dso)
		snprintf(line + len, sizeof(line) - len, dso[0] == '[' ? "  %s" : "  [%s]",
			 short_name(clean, dso));
	wp_screen_put(line);
}

/**
 * struct todo - a node with branches that are still to be printed
 * @node: the node
 * @next: index of the next child
 * @depth: depth of its children
 */
struct todo {
	__u32 node;
	__u32 next;
	unsigned int depth;
};

static void print_rest(const struct printing *p, const struct todo *at)
{
	size_t nr, i;
	const __u32 *child = wp_calltree_children(p->tree, at->node, &nr);
	__u64 rest = 0;

	for (i = at->next; i < nr; i++)
		rest += p->tree->node[child[i]].total;
	if (!rest || !at->next)
		return;
	printf("  %6.2f%% ", share_of(p, rest));
	wp_section_put_value(p->section, rest);
	printf("  %*s%s in %zu other%s\n", at->depth * 2, "", wp_text_ellipsis(),
	       nr - at->next, nr - at->next == 1 ? "" : "s");
}

/*
 * Print the branches, the largest first, down to the limit. A function with a single
 * caller that has no other callee is printed below its caller without numbers.
 */
static int print_tree(const struct printing *p)
{
	struct todo *todo = calloc(1, sizeof(*todo));
	size_t depth = 0, room = 1, nr;

	if (!todo)
		return wp_no_memory("the stacks of the report");
	for (;;) {
		struct todo *at = &todo[depth];
		const __u32 *child = wp_calltree_children(p->tree, at->node, &nr);
		__u64 total = p->tree->node[at->node].total;
		bool alone;

		if (at->next >= nr || share_of(p, p->tree->node[child[at->next]].total) <
		    p->s->o->limit) {
			print_rest(p, at);
			if (!depth--)
				break;
			continue;
		}
		alone = at->node && nr == 1 && p->tree->node[child[0]].total == total;
		print_node(p, child[at->next], at->depth, !alone);
		if (depth + 1 == room) {
			struct todo *more = reallocarray(todo, room * 2, sizeof(*todo));

			if (!more) {
				free(todo);
				return wp_no_memory("the stacks of the report");
			}
			todo = more;
			room *= 2;
			at = &todo[depth];
		}
		todo[++depth] = (struct todo){
			.node = child[at->next++],
			.depth = at->depth + !alone,
		};
	}
	free(todo);
	return 0;
}

/**
 * struct reason - time of one reason
 * @cause: the reason
 * @ns: its time
 */
struct reason {
	__u32 cause;
	__u64 ns;
};

static int by_time(const void *pa, const void *pb)
{
	const struct reason *a = pa, *b = pb;

	return a->ns < b->ns ? 1 : a->ns > b->ns ? -1 : 0;
}

/* Reasons of waits, if they are recorded, without the single objects. */
static int print_reasons(struct stacks *s, const struct wp_section *section, __u64 all)
{
	struct wp_intern names = { 0 };
	struct reason *reason = NULL;
	size_t i, nr = 0;
	int err = 0;

	for (i = 0; i < s->samples->sum.nr && !err; i++) {
		const struct wp_profline *l = &s->samples->sum.line[i];
		const struct wp_profile_cause *c = wp_profile_cause(s->samples->profile, l->cause);
		__u64 ns = wp_section_value(section, l);
		char name[96];
		bool is_new;
		__u32 k;

		if (!l->cause || !ns)
			continue;
		snprintf(name, sizeof(name), "%s%s%s", c->reason, c->syscall[0] ? " " : "",
			 c->syscall);
		k = wp_intern(&names, name, strlen(name) + 1, &is_new);
		if (k && is_new) {
			struct reason *r = reallocarray(reason, k, sizeof(*r));

			if (r) {
				reason = r;
				reason[nr++] = (struct reason){ .cause = k };
			}
		}
		if (k && k <= nr)
			reason[k - 1].ns += ns;
		else
			err = wp_no_memory("the stacks of the report");
	}
	if (nr)
		qsort(reason, nr, sizeof(*reason), by_time);
	for (i = 0; i < nr && i < TOP_CAUSES && !err; i++) {
		printf("#  %6.2f%% ", 100.0 * reason[i].ns / all);
		wp_section_put_value(section, reason[i].ns);
		fputs("  in ", stdout);
		wp_text_put(stdout, wp_intern_bytes(&names, reason[i].cause, NULL));
		fputc('\n', stdout);
	}
	free(reason);
	wp_intern_free(&names);
	return err;
}

static int print_section(void *ctx, const struct wp_section *section)
{
	struct stacks *s = ctx;
	struct wp_calltree tree = { 0 };
	struct printing p = { .s = s, .tree = &tree, .section = section };
	int err = 0;
	size_t i;

	if (s->o->sort.nr) {
		err = wp_report_table(s->samples, section, &s->o->sort, s->o->limit);
		return err ? wp_no_memory("the stacks of the report") : 0;
	}
	for (i = 0; i < s->samples->sum.nr && !err; i++) {
		const struct wp_profline *l = &s->samples->sum.line[i];
		__u64 value = wp_section_value(section, l);
		const __u32 *path;
		size_t nr;

		if (!value)
			continue;
		path = path_of(s, l, &nr);
		err = path ? wp_calltree_add(&tree, path, nr, value, l->count) :
			     wp_no_memory("the stacks of the report");
	}
	if (!err && tree.nr)
		err = wp_calltree_sort(&tree);
	if (!err && tree.nr) {
		wp_section_put_title(section, tree.node[0].total, tree.node[0].count);
		wp_section_put_scale(section, s->samples);
		if (section->kind == WP_SECTION_BLOCKED)
			err = print_reasons(s, section, tree.node[0].total);
	}
	if (!err && tree.nr) {
		printf("#\n#  %6s %16.16s  stack\n", "share",
		       section->ns ? "time" : section->unit);
		err = print_tree(&p);
		fputc('\n', stdout);
	}
	wp_calltree_free(&tree);
	return err;
}

/**
 * wp_report_trees() - print the stacks of a recording
 * @o: the options
 * @samples: the recording
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_report_trees(const struct wp_report_tree_options *o, struct wp_samples *samples)
{
	struct stacks s = { .o = o, .samples = samples };
	int err = wp_sections_each(samples, o->kinds, print_section, &s);

	wp_intern_free(&s.comms);
	free(s.path);
	return err;
}
