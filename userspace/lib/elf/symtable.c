// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the functions of one file, by address, and parses lists in text form: the
 * kernel's, and those of programs with a JIT compiler. Called by symbols.c.
 *
 * Of functions at one address one is shown, the same as in perf: its choose_best_symbol()
 * prefers those with a size, then not weak, then global, then with fewer leading
 * underscores, then with the longer name.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/elf/symtable.h"

/* Maximum length of a line of a list, addresses and a name. */
#define MAX_LINE	(WP_SYMTABLE_NAME + 64)
#define LIST_BUFFER	(64 << 10)
#define LIST_PAGE	4096ULL

/* The linker marks the start and the end of some kinds of functions. */
static void mark(struct wp_symtable *t, const char *name, __u64 address)
{
	if (!strcmp(name, "__sched_text_start"))
		t->sched_start = address;
	else if (!strcmp(name, "__sched_text_end"))
		t->sched_end = address;
}

/**
 * wp_symtable_full() - whether further functions are dropped
 * @t: the table
 */
bool wp_symtable_full(const struct wp_symtable *t)
{
	return t->nr >= WP_SYMTABLE_MAX || t->len >= WP_SYMTABLE_NAMES;
}

/**
 * wp_symtable_add() - add a function
 * @t: the table
 * @entry: all but its name; an end not above the start is unknown
 * @name: its name
 * @module: its module, or NULL
 *
 * Names are truncated to WP_SYMTABLE_NAME bytes.
 *
 * Return: 0 or -ENOMEM.
 */
int wp_symtable_add(struct wp_symtable *t, const struct wp_symtable_entry *entry,
		    const char *name, const char *module)
{
	size_t len = strnlen(name, WP_SYMTABLE_NAME) + 1;
	size_t more = module ? strnlen(module, WP_SYMTABLE_NAME) + 1 : 1;

	if (wp_symtable_full(t))
		return 0;
	if (t->nr == t->room) {
		size_t room = t->room ? t->room * 2 : 256;
		void *p = reallocarray(t->entry, room, sizeof(*t->entry));

		if (!p)
			return -ENOMEM;
		t->entry = p;
		t->room = room;
	}
	if (len + more > t->names_room - t->len) {
		size_t room = t->names_room + t->names_room / 2 + len + more;
		void *p = realloc(t->names, room);

		if (!p)
			return -ENOMEM;
		t->names = p;
		t->names_room = room;
	}
	t->entry[t->nr] = *entry;
	t->entry[t->nr].name = t->len;
	if (entry->end < entry->start)
		t->entry[t->nr].end = entry->start;
	t->nr++;
	if (!module)
		mark(t, name, entry->start);
	memcpy(t->names + t->len, name, len - 1);
	t->names[t->len + len - 1] = 0;
	if (module)
		memcpy(t->names + t->len + len, module, more - 1);
	t->len += len + more;
	t->names[t->len - 1] = 0;
	return 0;
}

/* The module of a function of the kernel, as "[name]"; empty: none. */
static const char *module_of(const struct wp_symtable *t, const struct wp_symtable_entry *e)
{
	const char *name = t->names + e->name;

	return name + strlen(name) + 1;
}

static bool is_of_module(const struct wp_symtable *t, const struct wp_symtable_entry *e)
{
	return *module_of(t, e);
}

/**
 * wp_symtable_move() - move all functions so that a label has its actual address
 * @t: the table of a kernel, not sorted yet
 * @label: the name of a label
 * @to: its actual address
 *
 * The addresses of modules are independent of the kernel's: if the kernel moves, they are
 * unknown, and the modules' functions are dropped.
 *
 * Return: false if there is no such label.
 */
bool wp_symtable_move(struct wp_symtable *t, const char *label, __u64 to)
{
	size_t i = 0, nr = 0;
	__u64 shift;

	while (i < t->nr && (is_of_module(t, &t->entry[i]) ||
			     strcmp(t->names + t->entry[i].name, label)))
		i++;
	if (i == t->nr)
		return false;
	shift = to - t->entry[i].start;
	if (!shift)
		return true;
	for (i = 0; i < t->nr; i++) {
		if (is_of_module(t, &t->entry[i]))
			continue;
		t->entry[nr] = t->entry[i];
		t->entry[nr].start += shift;
		t->entry[nr++].end += shift;
	}
	t->nr = nr;
	t->sched_start += shift;
	t->sched_end += shift;
	return true;
}

/* Whether the first of two functions at one address is preferred. */
static bool better(const char *names, const struct wp_symtable_entry *a,
		   const struct wp_symtable_entry *b)
{
	const char *name_a = names + a->name, *name_b = names + b->name;
	size_t under_a = strspn(name_a, "_"), under_b = strspn(name_b, "_");
	bool size_a = a->end > a->start, size_b = b->end > b->start;

	if (size_a != size_b)
		return size_a;
	if (a->weak != b->weak)
		return b->weak;
	if (a->local != b->local)
		return b->local;
	if (under_a != under_b)
		return under_a < under_b;
	return strlen(name_a) > strlen(name_b);
}

/* By address, then in the order of addition. */
static int compare(const void *pa, const void *pb)
{
	const struct wp_symtable_entry *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;
}

/*
 * Where a function without a size ends, at the latest. Behind the last one of the kernel,
 * or of a module, is what the list does not have: BPF programs, too. As in perf, it ends
 * with the next page.
 */
static __u64 end_of(const struct wp_symtable *t, size_t i)
{
	const struct wp_symtable_entry *e = &t->entry[i];
	__u64 page_end = (e->start / LIST_PAGE + 2) * LIST_PAGE;

	if (i + 1 == t->nr)
		return e->start + 1;
	if (e[1].start <= page_end || !strcmp(module_of(t, e), module_of(t, e + 1)))
		return e[1].start;
	return page_end;
}

/**
 * wp_symtable_sort() - prepare the table for lookups
 * @t: the table
 *
 * A function without a size ends at the next one; the last one has no size. So of the
 * kernel's functions, which all have none, the last one at an address is shown, as in
 * perf.
 */
void wp_symtable_sort(struct wp_symtable *t)
{
	size_t i, nr = 0;

	if (t->nr)
		qsort(t->entry, t->nr, sizeof(*t->entry), compare);
	for (i = 0; i < t->nr; i++) {
		struct wp_symtable_entry *e = &t->entry[i];

		if (e->end == e->start)
			e->end = end_of(t, i);
	}
	for (i = 0; i < t->nr; i++) {
		if (!nr || t->entry[i].start != t->entry[nr - 1].start)
			t->entry[nr++] = t->entry[i];
		else if (better(t->names, &t->entry[i], &t->entry[nr - 1]))
			t->entry[nr - 1] = t->entry[i];
	}
	t->nr = nr;
}

/**
 * wp_symtable_find() - look up the function at an address
 * @t: the table, sorted
 * @address: the address
 *
 * Return: the last function that begins at or before the address, unless it ends before;
 * or NULL.
 */
const struct wp_symtable_entry *wp_symtable_find(const struct wp_symtable *t, __u64 address)
{
	size_t low = 0, high = t->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->entry[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < t->entry[low - 1].end ? &t->entry[low - 1] : NULL;
}

/* The next line, truncated if it is too long; false if there is none. */
static bool read_line(FILE *f, char *line)
{
	int c;

	if (!fgets(line, MAX_LINE, f))
		return false;
	if (strlen(line) == MAX_LINE - 1 && line[MAX_LINE - 2] != '\n') {
		do {
			c = getc_unlocked(f);
		} while (c != EOF && c != '\n');
	}
	return true;
}

/**
 * wp_symtable_kallsyms() - read the kernel's list
 * @t: the table
 * @f: /proc/kallsyms or a copy: "ffffffff81000000 T _text", with "[module]" at the end.
 *	Must be at its beginning
 *
 * Return: 0; -EACCES if all addresses are hidden; -ENOMEM.
 */
int wp_symtable_kallsyms(struct wp_symtable *t, FILE *f)
{
	char line[MAX_LINE], *rest, *name, *module;
	bool any = false;
	int err = 0;

	/* By default files of /proc are read 1 KiB at a time. */
	setvbuf(f, NULL, _IOFBF, LIST_BUFFER);
	while (!err && !wp_symtable_full(t) && read_line(f, line)) {
		struct wp_symtable_entry e = { .start = strtoull(line, &rest, 16) };
		char type;

		if (rest == line || rest[0] != ' ' || !rest[1] || rest[2] != ' ')
			continue;
		type = rest[1];
		any |= e.start != 0;
		if (!e.start || !strchr("tTwW", type))
			continue;
		name = rest + 3;
		rest = name + strcspn(name, " \t\n");
		module = *rest && *rest != '\n' ? rest + 1 + strspn(rest + 1, " \t") : NULL;
		*rest = 0;
		if (module) {
			module[strcspn(module, " \t\n")] = 0;
			if (*module != '[')
				module = NULL;
		}
		e.weak = type == 'w' || type == 'W';
		e.local = type == 't';
		e.end = e.start;
		err = *name ? wp_symtable_add(t, &e, name, module) : 0;
	}
	return err ? err : any ? 0 : -EACCES;
}

/**
 * wp_symtable_perfmap() - read the list of a program with a JIT compiler
 * @t: the table
 * @f: /tmp/perf-PID.map: "START SIZE name", in hexadecimal
 *
 * Return: 0 or -ENOMEM.
 */
int wp_symtable_perfmap(struct wp_symtable *t, FILE *f)
{
	char line[MAX_LINE], *rest, *name;
	int err = 0;

	while (!err && !wp_symtable_full(t) && read_line(f, line)) {
		struct wp_symtable_entry e = { .start = strtoull(line, &rest, 16) };
		__u64 size;

		if (rest == line || *rest != ' ')
			continue;
		size = strtoull(rest, &name, 16);
		if (name == rest || *name != ' ' || !size || e.start + size < e.start)
			continue;
		e.end = e.start + size;
		name++;
		name[strcspn(name, "\n")] = 0;
		err = *name ? wp_symtable_add(t, &e, name, NULL) : 0;
	}
	return err;
}

/**
 * wp_symtable_free() - free the functions
 * @t: the table; empty afterwards
 */
void wp_symtable_free(struct wp_symtable *t)
{
	free(t->entry);
	free(t->names);
	memset(t, 0, sizeof(*t));
}
