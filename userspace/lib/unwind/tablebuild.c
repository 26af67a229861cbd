// SPDX-License-Identifier: GPL-2.0
/*
 * Owns an unwind table while it is built: rows in the order of addresses, rules and lists
 * of saved registers, each stored once.
 *
 * There is room for 65536 rules; the largest files have some thousand. Rules beyond that
 * become "unsupported", so that a file with too many rules gets an incomplete table, but
 * never a wrong one.
 *
 * The file is not trusted: rows are refused as soon as the table would be implausibly
 * large, and comparisons of rules are counted, as rules can be chosen so that their
 * hashes collide.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/unwind/tablebuild.h"

#define PAGE_BYTES	(1U << WALLPROF_TABLE_SHIFT)

/* Items of one size, each stored once and found by its contents. */
struct pool {
	size_t size;		/* of an item */
	char *items;
	size_t nr, room;
	__u32 *slot;		/* number of an item + 1, 0: free */
	size_t nr_slots;	/* a power of two */
	__u64 steps;		/* number of slots that were probed */
};

/* A list of saved registers, with room for the longest; the rest is zero. */
struct run {
	struct wallprof_save save[WALLPROF_TABLE_MAX_RUN];
};

struct row {
	__u64 pc;
	__u16 rule;
};

struct wp_tablebuild {
	struct pool rules, runs;
	__u16 *run_at;		/* index of the first save of each list */
	struct wallprof_save *saves;
	size_t nr_saves;
	struct row *rows;
	size_t nr_rows, room;
	__u64 limit;		/* maximum size of the table */
};

static size_t hash_of(const void *item, size_t size)
{
	__u64 h = 0xcbf29ce484222325ULL, word;
	size_t i;

	for (i = 0; i + 8 <= size; i += 8) {
		memcpy(&word, (const char *)item + i, sizeof(word));
		h = (h ^ word) * 0x9e3779b97f4a7c15ULL;
		h ^= h >> 29;
	}
	for (; i < size; i++)
		h = (h ^ ((const __u8 *)item)[i]) * 0x100000001b3ULL;
	return h ^ h >> 32;
}

static size_t pool_slot(struct pool *p, const void *item)
{
	size_t i = hash_of(item, p->size) & (p->nr_slots - 1);

	for (p->steps++; p->slot[i]; p->steps++) {
		if (!memcmp(p->items + (p->slot[i] - 1) * p->size, item, p->size))
			break;
		i = (i + 1) & (p->nr_slots - 1);
	}
	return i;
}

static int pool_grow(struct pool *p)
{
	size_t room = p->room ? 2 * p->room : 256, i;
	char *items;
	__u32 *slot;

	items = reallocarray(p->items, room, p->size);
	if (!items)
		return -ENOMEM;
	p->items = items;
	slot = calloc(2 * room, sizeof(*slot));
	if (!slot)
		return -ENOMEM;
	free(p->slot);
	p->slot = slot;
	p->nr_slots = 2 * room;
	p->room = room;
	for (i = 0; i < p->nr; i++)
		slot[pool_slot(p, items + i * p->size)] = i + 1;
	return 0;
}

/* Look up or add an item; returns its number, or -ENOSPC if there are @max. */
static int pool_add(struct pool *p, const void *item, size_t max)
{
	size_t i;

	if (p->nr == p->room && pool_grow(p))
		return -ENOMEM;
	i = pool_slot(p, item);
	if (p->slot[i])
		return p->slot[i] - 1;
	if (p->nr >= max)
		return -ENOSPC;
	memcpy(p->items + p->nr * p->size, item, p->size);
	p->slot[i] = ++p->nr;
	return p->nr - 1;
}

/**
 * wp_tablebuild_free() - free a table that is being built
 * @build: the table, or NULL
 */
void wp_tablebuild_free(struct wp_tablebuild *build)
{
	if (!build)
		return;
	free(build->rules.items);
	free(build->rules.slot);
	free(build->runs.items);
	free(build->runs.slot);
	free(build->run_at);
	free(build->saves);
	free(build->rows);
	free(build);
}

/**
 * wp_tablebuild_steps() - cost of looking up rules so far
 * @build: the table
 *
 * Return: number of slots that were probed.
 */
__u64 wp_tablebuild_steps(const struct wp_tablebuild *build)
{
	return build->rules.steps + build->runs.steps;
}

/**
 * wp_tablebuild_new() - start to build a table
 * @limit: its maximum size in bytes
 *
 * Return: the table, or NULL if memory ran out.
 */
struct wp_tablebuild *wp_tablebuild_new(__u64 limit)
{
	struct wallprof_rule none = { .index = WALLPROF_RULE_NO_INDEX };
	struct wp_tablebuild *build = calloc(1, sizeof(*build));

	if (!build)
		return NULL;
	build->limit = limit;
	build->rules.size = sizeof(struct wallprof_rule);
	build->runs.size = sizeof(struct run);
	build->saves = malloc(WALLPROF_TABLE_MAX_SAVES * sizeof(*build->saves));
	build->run_at = malloc(WALLPROF_TABLE_MAX_SAVES * sizeof(*build->run_at));
	if (!build->saves || !build->run_at)
		goto fail;
	build->saves[build->nr_saves++] = (struct wallprof_save){ .how = WALLPROF_SAVE_END };
	if (wp_tablebuild_rule(build, &none, NULL, 0) != WP_RULE_NONE)
		goto fail;
	none.kind = WALLPROF_RULE_UNSUPPORTED;
	if (wp_tablebuild_rule(build, &none, NULL, 0) != WP_RULE_UNSUPPORTED)
		goto fail;
	return build;
fail:
	wp_tablebuild_free(build);
	return NULL;
}

/* Index of a list of saved registers. */
static int add_run(struct wp_tablebuild *build, const struct wallprof_save *saves,
		   size_t nr)
{
	struct run run = {};
	size_t before = build->runs.nr;
	int i;

	if (!nr)
		return 0;
	if (nr >= WALLPROF_TABLE_MAX_RUN ||
	    build->nr_saves + nr + 1 > WALLPROF_TABLE_MAX_SAVES)
		return -ENOSPC;
	memcpy(run.save, saves, nr * sizeof(*saves));
	run.save[nr].how = WALLPROF_SAVE_END;
	i = pool_add(&build->runs, &run, WALLPROF_TABLE_MAX_SAVES);
	if (i < 0)
		return i;
	if (build->runs.nr > before) {
		build->run_at[i] = build->nr_saves;
		memcpy(build->saves + build->nr_saves, run.save, (nr + 1) * sizeof(*saves));
		build->nr_saves += nr + 1;
	}
	return build->run_at[i];
}

/**
 * wp_tablebuild_rule() - look up or add a rule
 * @build: the table
 * @rule: the rule, without saves
 * @saves: registers that are saved
 * @nr_saves: their number
 *
 * Return: its number, for wp_tablebuild_row(); WP_RULE_UNSUPPORTED if there are too many;
 * -ENOMEM.
 */
int wp_tablebuild_rule(struct wp_tablebuild *build, struct wallprof_rule *rule,
		       const struct wallprof_save *saves, size_t nr_saves)
{
	int ret = add_run(build, saves, nr_saves);

	if (ret >= 0) {
		rule->saves = ret;
		ret = pool_add(&build->rules, rule, WALLPROF_TABLE_MAX_RULES);
	}
	return ret == -ENOSPC ? WP_RULE_UNSUPPORTED : ret;
}

/**
 * wp_tablebuild_row() - add a row
 * @build: the table
 * @pc: first address of the row, not below the last row's
 * @rule: its rule
 *
 * Return: 0, -EFBIG if there are more than the table may have, or -ENOMEM.
 */
int wp_tablebuild_row(struct wp_tablebuild *build, __u64 pc, __u16 rule)
{
	struct row *last = build->nr_rows ? &build->rows[build->nr_rows - 1] : NULL;
	struct row *rows;
	size_t room;

	if (last && last->pc == pc) {
		last->rule = rule;
		return 0;
	}
	if (last ? last->rule == rule : rule == WP_RULE_NONE)
		return 0;
	if (build->nr_rows >= build->limit / sizeof(struct wallprof_row))
		return -EFBIG;
	if (build->nr_rows == build->room) {
		room = build->room ? 2 * build->room : 1024;
		rows = reallocarray(build->rows, room, sizeof(*rows));
		if (!rows)
			return -ENOMEM;
		build->rows = rows;
		build->room = room;
	}
	build->rows[build->nr_rows++] = (struct row){ pc, rule };
	return 0;
}

/* Positions of the parts of a table. */
struct parts {
	struct wallprof_table *head;
	struct wallprof_rule *rules;
	__u32 *pages;
	struct wallprof_row *rows;
	struct wallprof_save *saves;
};

/* Rows by page; the row that covers the start of a page is repeated there. */
static void fill_rows(const struct wp_tablebuild *build, struct parts *t)
{
	__u64 page, end;
	__u16 rule = WP_RULE_NONE;
	size_t i = 0, nr = 0;

	for (page = 0; page < t->head->nr_pages; page++) {
		__u64 start = t->head->base + page * PAGE_BYTES;

		end = start + PAGE_BYTES;
		t->pages[page] = nr;
		if (i == build->nr_rows || build->rows[i].pc != start)
			t->rows[nr++] = (struct wallprof_row){ 0, rule };
		for (; i < build->nr_rows && build->rows[i].pc < end; i++) {
			rule = build->rows[i].rule;
			t->rows[nr++] = (struct wallprof_row){ build->rows[i].pc - start, rule };
		}
	}
	t->pages[page] = nr;
}

/* Number of rows that begin at the start of a page. */
static size_t count_leading(const struct wp_tablebuild *build)
{
	size_t i, nr = 0;

	for (i = 0; i < build->nr_rows; i++)
		nr += !(build->rows[i].pc & (PAGE_BYTES - 1));
	return nr;
}

/**
 * wp_tablebuild_finish() - complete the table
 * @build: the rows and rules
 * @machine: ELF number
 * @data: set to the table, to be freed by the caller
 * @size: set to its size in bytes
 *
 * Return: 0, -ENODATA if there is no row, -EFBIG if the code is too large for a table, or
 * the table too large, or -ENOMEM.
 */
int wp_tablebuild_finish(struct wp_tablebuild *build, __u16 machine, void **data,
			 size_t *size)
{
	__u64 base, nr_pages, nr_rows, bytes;
	struct parts t;

	if (!build->nr_rows)
		return -ENODATA;
	base = build->rows[0].pc & ~(__u64)(PAGE_BYTES - 1);
	nr_pages = ((build->rows[build->nr_rows - 1].pc - base) >> WALLPROF_TABLE_SHIFT) + 1;
	nr_rows = build->nr_rows + nr_pages - count_leading(build);
	if (nr_pages > WALLPROF_TABLE_MAX_PAGES || nr_rows > WALLPROF_TABLE_MAX_ROWS ||
	    nr_rows > (__u64)nr_pages * WALLPROF_TABLE_MAX_DENSITY)
		return -EFBIG;
	bytes = sizeof(*t.head) + build->rules.nr * sizeof(*t.rules) +
		(nr_pages + 1) * sizeof(*t.pages) + nr_rows * sizeof(*t.rows) +
		build->nr_saves * sizeof(*t.saves);
	if (bytes > build->limit)
		return -EFBIG;
	*data = malloc(bytes);
	if (!*data)
		return -ENOMEM;
	*size = bytes;
	t.head = *data;
	*t.head = (struct wallprof_table){
		.magic = WALLPROF_TABLE_MAGIC,
		.version = WALLPROF_TABLE_VERSION,
		.machine = machine,
		.nr_pages = nr_pages,
		.nr_rows = nr_rows,
		.nr_rules = build->rules.nr,
		.nr_saves = build->nr_saves,
		.base = base,
	};
	t.rules = (void *)(t.head + 1);
	t.pages = (void *)(t.rules + build->rules.nr);
	t.rows = (void *)(t.pages + nr_pages + 1);
	t.saves = (void *)(t.rows + nr_rows);
	memcpy(t.rules, build->rules.items, build->rules.nr * sizeof(*t.rules));
	memcpy(t.saves, build->saves, build->nr_saves * sizeof(*t.saves));
	fill_rows(build, &t);
	return 0;
}
