// SPDX-License-Identifier: GPL-2.0
/*
 * Checks answers of workers with many names: functions of a file, and code of a jitdump
 * file. Called by filereader.c.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/sandbox/job.h"
#include "lib/sandbox/takenames.h"

/* Copy a piece of an answer; NULL if it is empty, or there is no memory. */
static void *copy(const char **at, size_t size)
{
	void *to = size ? malloc(size) : NULL;

	if (to)
		memcpy(to, *at, size);
	*at += size;
	return to;
}

/* Whether functions are as wp_symtable_add() would have made them. */
static bool are_valid(const struct wp_symtable *t)
{
	size_t i;

	for (i = 0; i < t->nr; i++) {
		const struct wp_symtable_entry *e = &t->entry[i];

		if (e->end < e->start || e->name >= t->len - 1 || *(const __u8 *)&e->weak > 1 ||
		    *(const __u8 *)&e->local > 1)
			return false;
	}
	/* Each name is followed by another one, that of its module. */
	return !t->nr || (!t->names[t->len - 1] && !t->names[t->len - 2]);
}

/**
 * wp_take_symbols() - check and copy an answer about functions
 * @ctx: struct wp_takensymbols; the result is to be freed
 * @answer: the answer, not trusted
 *
 * Return: 0, or -EPROTO: it is invalid.
 */
int wp_take_symbols(void *ctx, const struct wp_answer *answer)
{
	const struct wp_job_symbols *head = answer->data;
	const char *at = (const char *)(head + 1);
	struct wp_takensymbols *to = ctx;
	struct wp_elfnames *n = to->names;
	struct wp_symtable *t = &n->table;
	size_t left;

	if (answer->size < sizeof(*head))
		return -EPROTO;
	left = answer->size - sizeof(*head);
	if (head->nr > WP_SYMTABLE_MAX || head->nr_segments > (1U << 16) ||
	    (head->nr && head->len < 2) || head->len > left ||
	    left - head->len != head->nr_segments * sizeof(*n->segment) +
				head->nr * sizeof(*t->entry))
		return -EPROTO;
	to->trouble = wp_job_trouble(head->trouble);
	n->nr_segments = head->nr_segments;
	t->nr = head->nr;
	t->room = head->nr;
	t->len = head->len;
	t->names_room = head->len;
	t->sched_start = head->sched_start;
	t->sched_end = head->sched_end;
	n->segment = copy(&at, head->nr_segments * sizeof(*n->segment));
	t->entry = copy(&at, head->nr * sizeof(*t->entry));
	t->names = copy(&at, head->len);
	if ((head->nr_segments && !n->segment) || (head->nr && !t->entry) ||
	    (head->len && !t->names)) {
		wp_elfnames_free(n);
		to->trouble = WP_NO_MEMORY;
	} else if (!are_valid(t)) {
		wp_elfnames_free(n);
		return -EPROTO;
	}
	return 0;
}

/**
 * wp_take_jitdump() - check and copy an answer about code
 * @ctx: struct wp_takenjitdump; the result is to be freed
 * @answer: the answer, not trusted
 *
 * Return: 0, or -EPROTO: it is invalid.
 */
int wp_take_jitdump(void *ctx, const struct wp_answer *answer)
{
	const struct wp_job_jitdump *head = answer->data;
	const char *at = (const char *)(head + 1);
	struct wp_takenjitdump *to = ctx;
	struct wp_jitloads *l = to->loads;
	size_t left;

	if (answer->size < sizeof(*head))
		return -EPROTO;
	left = answer->size - sizeof(*head);
	if (head->nr > WP_JITDUMP_MAX + 1 || head->len > left || head->cut > 1 ||
	    left - head->len != head->nr * sizeof(*l->load) || (!head->nr && !head->trouble))
		return -EPROTO;
	to->trouble = wp_job_trouble(head->trouble);
	*l = (struct wp_jitloads){
		.nr = head->nr, .room = head->nr, .len = head->len, .names_room = head->len,
		.cut = head->cut,
	};
	l->load = copy(&at, head->nr * sizeof(*l->load));
	l->names = copy(&at, head->len);
	if ((head->nr && !l->load) || (head->len && !l->names)) {
		wp_jitdump_free(l);
		to->trouble = WP_NO_MEMORY;
	} else if (!wp_jitdump_are_valid(l)) {
		wp_jitdump_free(l);
		return -EPROTO;
	}
	return 0;
}
