// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the lookup of code that a JIT compiler made, by address and time: a compiler uses
 * addresses again. Called by symbols.c.
 *
 * Code is there from its load until the next one that overlaps it, in whatever part: from
 * then on what is left of it is not known to be code. So at any time there is at most one
 * at an address, and what the file does not have is never given an older name.
 *
 * Pure: no I/O, no clock.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/symbols/jitcodes.h"

/* Limit for the steps of a lookup: only a file that was made for that has more. */
#define MAX_STEPS	65536

/*
 * struct code - code, and the limits of a part of the sorted array, of which it is the
 * middle
 * @load: the code
 * @until: end of its time, exclusive
 * @last_end: the largest end of the part
 * @first: its earliest load
 * @last: its latest @until
 */
struct code {
	struct wp_jitload load;
	__u64 until;
	__u64 last_end;
	__u64 first;
	__u64 last;
};

/*
 * struct wp_jitcodes - all code
 * @code: sorted by address, then by time
 * @nr: their number
 * @names: the names
 */
struct wp_jitcodes {
	struct code *code;
	size_t nr;
	char *names;
};

/* struct spans - the next load of each part of an address range: a tree in an array */
struct spans {
	__u64 *point;	/* sorted addresses at which code begins or ends */
	size_t nr;
	__u64 *least;	/* earliest load in a part */
	__u64 *all;	/* earliest load that covers all of it */
};

static int by_time(const void *pa, const void *pb)
{
	const struct code *a = pa, *b = pb;

	if (a->load.time != b->load.time)
		return a->load.time < b->load.time ? -1 : 1;
	/* The order in the file, which is here for now. */
	return a->until < b->until ? -1 : a->until > b->until;
}

static int by_address(const void *pa, const void *pb)
{
	const struct code *a = pa, *b = pb;

	if (a->load.start != b->load.start)
		return a->load.start < b->load.start ? -1 : 1;
	return a->until < b->until ? -1 : a->until > b->until;
}

static int by_value(const void *pa, const void *pb)
{
	const __u64 *a = pa, *b = pb;

	return *a < *b ? -1 : *a > *b;
}

static size_t index_of(const struct spans *s, __u64 point)
{
	const __u64 *p = bsearch(&point, s->point, s->nr, sizeof(point), by_value);

	return p - s->point;
}

static __u64 lesser(__u64 a, __u64 b)
{
	return a < b ? a : b;
}

/*
 * The earliest load in a range of points, of those that were added; then adds one, which
 * is not later than any other. @node is the part from @low to @high.
 */
static __u64 add_span(struct spans *s, size_t node, size_t low, size_t high, size_t from,
		      size_t to, __u64 time)
{
	size_t middle = low + (high - low) / 2;
	__u64 found = s->all[node];

	if (from <= low && high <= to) {
		found = lesser(found, s->least[node]);
		s->all[node] = time;
		s->least[node] = time;
		return found;
	}
	if (from < middle)
		found = lesser(found, add_span(s, 2 * node, low, middle, from, to, time));
	if (to > middle)
		found = lesser(found, add_span(s, 2 * node + 1, middle, high, from, to, time));
	s->least[node] = lesser(s->least[node], time);
	return found;
}

static bool alloc_spans(struct spans *s, const struct wp_jitcodes *c)
{
	size_t i, nr = 0;

	s->point = calloc(2 * c->nr, sizeof(*s->point));
	s->least = malloc(8 * c->nr * sizeof(*s->least));
	s->all = malloc(8 * c->nr * sizeof(*s->all));
	if (!s->point || !s->least || !s->all)
		return false;
	for (i = 0; i < c->nr; i++) {
		s->point[2 * i] = c->code[i].load.start;
		s->point[2 * i + 1] = c->code[i].load.end;
	}
	qsort(s->point, 2 * c->nr, sizeof(*s->point), by_value);
	for (i = 0; i < 2 * c->nr; i++) {
		if (!nr || s->point[nr - 1] != s->point[i])
			s->point[nr++] = s->point[i];
	}
	s->nr = nr;
	memset(s->least, 0xff, 8 * c->nr * sizeof(*s->least));
	memset(s->all, 0xff, 8 * c->nr * sizeof(*s->all));
	return true;
}

/* Sets when each code ends: its successors are looked at from the last one back. */
static bool set_ends(struct wp_jitcodes *c, bool cut)
{
	struct spans s = { 0 };
	bool done = alloc_spans(&s, c);
	const __u64 last = c->code[c->nr - 1].load.time;
	size_t i;

	for (i = c->nr; done && i; i--) {
		struct code *o = &c->code[i - 1];
		size_t from = index_of(&s, o->load.start), to = index_of(&s, o->load.end);

		o->until = add_span(&s, 1, 0, s.nr - 1, from, to, o->load.time);
		/* What came later is missing. */
		if (cut && o->until == ~0ULL)
			o->until = last;
	}
	free(s.point);
	free(s.least);
	free(s.all);
	return done;
}

/* Sets the limits of a part of the array. */
static const struct code *set_limits(struct code *code, size_t low, size_t high)
{
	size_t middle = low + (high - low) / 2, i;
	struct code *o = &code[middle];
	const struct code *part[2] = {
		low < middle ? set_limits(code, low, middle) : NULL,
		middle + 1 < high ? set_limits(code, middle + 1, high) : NULL,
	};

	o->last_end = o->load.end;
	o->first = o->load.time;
	o->last = o->until;
	for (i = 0; i < 2; i++) {
		if (!part[i])
			continue;
		if (part[i]->last_end > o->last_end)
			o->last_end = part[i]->last_end;
		if (part[i]->last > o->last)
			o->last = part[i]->last;
		o->first = lesser(o->first, part[i]->first);
	}
	return o;
}

/**
 * wp_jitcodes_new() - prepare code for lookups
 * @loads: the code, valid; not empty; its names are taken over
 *
 * Return: the code, or NULL if there is no memory.
 */
struct wp_jitcodes *wp_jitcodes_new(struct wp_jitloads *loads)
{
	struct wp_jitcodes *c = calloc(1, sizeof(*c));
	size_t i;

	if (!c)
		return NULL;
	c->nr = loads->nr;
	c->code = calloc(c->nr, sizeof(*c->code));
	for (i = 0; c->code && i < c->nr; i++)
		c->code[i] = (struct code){ .load = loads->load[i], .until = i };
	if (c->code)
		qsort(c->code, c->nr, sizeof(*c->code), by_time);
	if (!c->code || !set_ends(c, loads->cut)) {
		wp_jitcodes_free(c);
		return NULL;
	}
	qsort(c->code, c->nr, sizeof(*c->code), by_address);
	set_limits(c->code, 0, c->nr);
	c->names = loads->names;
	loads->names = NULL;
	loads->len = 0;
	loads->names_room = 0;
	return c;
}

static const struct code *search(const struct code *code, size_t low, size_t high,
				 __u64 address, __u64 time, unsigned int *steps)
{
	size_t middle = low + (high - low) / 2;
	const struct code *o = &code[middle], *found;

	if (low >= high || address >= o->last_end || time < o->first || time >= o->last ||
	    ++*steps > MAX_STEPS)
		return NULL;
	found = search(code, low, middle, address, time, steps);
	if (found || address < o->load.start)
		return found;
	if (address < o->load.end && time >= o->load.time && time < o->until)
		return o;
	return search(code, middle + 1, high, address, time, steps);
}

/**
 * wp_jitcodes_find() - look up the code at an address
 * @c: the code
 * @address: the address
 * @time: the time, or WP_JITCODES_LAST
 *
 * Return: its number, 1 and up; 0: there was none, or it had no name.
 */
size_t wp_jitcodes_find(const struct wp_jitcodes *c, __u64 address, __u64 time)
{
	unsigned int steps = 0;
	const struct code *o = search(c->code, 0, c->nr, address, time, &steps);

	return o && o->load.name != WP_JITDUMP_NO_NAME ? o - c->code + 1 : 0;
}

/**
 * wp_jitcodes_load() - the code of a number
 * @c: the code
 * @number: from wp_jitcodes_find(), not 0
 * @name: set to its name, valid as long as @c
 *
 * Return: the code, valid as long as @c.
 */
const struct wp_jitload *wp_jitcodes_load(const struct wp_jitcodes *c, size_t number,
					  const char **name)
{
	const struct code *o = &c->code[number - 1];

	*name = c->names + o->load.name;
	return &o->load;
}

/**
 * wp_jitcodes_free() - free the code
 * @c: the code, or NULL
 */
void wp_jitcodes_free(struct wp_jitcodes *c)
{
	if (!c)
		return;
	free(c->code);
	free(c->names);
	free(c);
}
