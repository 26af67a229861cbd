// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the names of functions: for files from their symbol tables, which are in the file,
 * in its .gnu_debugdata, in a separate file of debug information or, if DEBUGINFOD_URLS
 * is set, at a server; for the kernel from its list or its image; for JIT code from the
 * list that the program left. Called by proffiles.c and profstacks.c.
 *
 * Each file is read at the first lookup, by symbolfile.c or kernelsymbols.c, and closed
 * again. A file that cannot be read has no names, and a reason.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/err.h"
#include "lib/elf/demangle.h"
#include "lib/elf/elfnames.h"
#include "lib/elf/symtable.h"
#include "lib/sandbox/filereader.h"
#include "lib/sandbox/worker.h"
#include "lib/symbols/debugfiles.h"
#include "lib/symbols/kernelsymbols.h"
#include "lib/symbols/symbolfile.h"
#include "lib/symbols/symbols.h"

/* Limit for the files of a recording; further ones have no names. */
#define MAX_FILES	65536

/**
 * struct wp_symbols - names of functions
 * @places: where to look for names
 * @raw: do not demangle
 * @inlined: the result of the last lookup of inlined functions
 * @nr_inlined: their number
 * @first: offset that makes a file's number unique among all tables
 * @file: the files
 * @nr: their number
 */
struct wp_symbols {
	struct wp_symbolplaces places;
	bool raw;
	char *inlined[WP_SYMBOLS_INLINED];
	size_t nr_inlined;
	__u64 first;
	struct wp_symbolfile *file;
	size_t nr;
};

/**
 * wp_symbols_new() - allocate an empty table
 * @out: set to the table, to be freed with wp_symbols_free()
 * @options: where to look for names
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_symbols_new(struct wp_symbols **out, const struct wp_symbols_options *options)
{
	static __u64 tables;
	struct wp_symbols *s = calloc(1, sizeof(*s));

	/* While there is little in memory. */
	wp_worker_prepare();
	if (s) {
		s->first = __atomic_add_fetch(&tables, 1, __ATOMIC_RELAXED) * (MAX_FILES + 1);
		s->places.live = options->live;
		s->raw = options->raw;
		s->places.wants_inlines = options->inlines;
		s->places.only = options->only;
		s->places.symfs = options->symfs ? strdup(options->symfs) : NULL;
		s->places.kallsyms = options->kallsyms ? strdup(options->kallsyms) : NULL;
		s->places.vmlinux = options->vmlinux ? strdup(options->vmlinux) : NULL;
		s->places.release = options->release ? strdup(options->release) : NULL;
	}
	if (!s || (options->symfs && !s->places.symfs) ||
	    (options->kallsyms && !s->places.kallsyms) ||
	    (options->vmlinux && !s->places.vmlinux) ||
	    (options->release && !s->places.release)) {
		wp_err("no memory for the names of functions");
		wp_symbols_free(s);
		return -ENOMEM;
	}
	*out = s;
	return 0;
}

/**
 * wp_symbols_file() - add a file
 * @s: the names
 * @kind: its kind
 * @path: its path; for JIT and VDSO it may be NULL
 * @id: its build-id in the recording, or NULL; empty if unknown
 * @pid: for JIT: the process
 *
 * Return: its number, 1 and up; 0 if there is no memory.
 */
__u32 wp_symbols_file(struct wp_symbols *s, enum wp_symbols_kind kind, const char *path,
		      const struct wp_buildid *id, __s32 pid)
{
	struct wp_symbolfile *f;

	f = reallocarray(s->file, s->nr + 1, sizeof(*f));
	if (!f)
		return 0;
	s->file = f;
	f += s->nr;
	*f = (struct wp_symbolfile){
		.kind = kind, .pid = pid, .place = -1, .path = strdup(path ? path : ""),
		.inlines = { .main = -1, .debug = -1, .alt = -1 },
	};
	if (!f->path)
		return 0;
	if (id)
		f->id = *id;
	if (s->nr >= MAX_FILES) {
		f->read = true;
		f->trouble = "the recording has too many files";
	}
	return ++s->nr;
}

/**
 * wp_symbols_data() - add a file once more, for its variables
 * @s: the names
 * @file: its number, as WP_SYMBOLS_ELF
 *
 * Return: another number, as WP_SYMBOLS_DATA; 0 if there is no memory.
 */
__u32 wp_symbols_data(struct wp_symbols *s, __u32 file)
{
	/* Adding a file moves the array. */
	const struct wp_symbolfile of = s->file[file - 1];
	__u32 data = wp_symbols_file(s, WP_SYMBOLS_DATA, of.path, &of.id, of.pid);

	if (!data)
		return 0;
	s->file[data - 1].stat = of.stat;
	s->file[data - 1].verify = of.verify;
	s->file[data - 1].place = of.place;
	return data;
}

/**
 * wp_symbols_jit() - set the recorded list of a process
 * @s: the names
 * @file: number of its JIT code, before the first lookup
 * @jit: the list, valid as long as @s; NULL: the recording has none
 */
void wp_symbols_jit(struct wp_symbols *s, __u32 file, const struct wp_jitmap *jit)
{
	s->file[file - 1].jit = jit;
}

/**
 * wp_symbols_stat() - set the recorded status of a file without a build-id
 * @s: the names
 * @file: its number, before the first lookup
 * @stat: the status: another file has no names
 */
void wp_symbols_stat(struct wp_symbols *s, __u32 file, const struct wp_filestat *stat)
{
	s->file[file - 1].stat = *stat;
	s->file[file - 1].verify = true;
}

/**
 * wp_symbols_found() - set the descriptor of a file that was found already
 * @s: the names
 * @file: its number, before the first lookup
 * @place: a descriptor of it, O_PATH or any other; owned by the caller, and open as long
 *	as @s
 */
void wp_symbols_found(struct wp_symbols *s, __u32 file, int place)
{
	s->file[file - 1].place = place;
}

/**
 * wp_symbols_kernel() - set the recorded address of the kernel
 * @s: the names, before the first lookup in the kernel
 * @label: a label of its image
 * @at: its address
 */
void wp_symbols_kernel(struct wp_symbols *s, const char *label, __u64 at)
{
	free(s->places.kernel_label);
	s->places.kernel_label = strdup(label);
	s->places.kernel_at = at;
}

static const char *read_symbols(struct wp_symbols *s, struct wp_symbolfile *f)
{
	switch (f->kind) {
	case WP_SYMBOLS_ELF:
	case WP_SYMBOLS_DATA:
		return wp_symbolfile_read(&s->places, f);
	case WP_SYMBOLS_KERNEL:
		return wp_kernelsymbols_read(&s->places, f);
	case WP_SYMBOLS_VDSO:
		return wp_kernelsymbols_read_vdso(&s->places, f);
	case WP_SYMBOLS_JIT:
		break;
	}
	return wp_symbolfile_read_jit(&s->places, f);
}

static void make_ready(struct wp_symbols *s, struct wp_symbolfile *f)
{
	f->read = true;
	f->trouble = read_symbols(s, f);
	if (f->trouble)
		wp_symtable_free(&f->names.table);
	wp_symtable_sort(&f->names.table);
	if (f->names.table.nr)
		f->demangled = calloc(f->names.table.nr, sizeof(*f->demangled));
	if (f->names.table.nr && !f->demangled) {
		f->trouble = WP_NO_MEMORY;
		wp_symtable_free(&f->names.table);
	}
}

/* The address of an offset in an ELF file; false if it is not in a segment. */
static bool address_of(const struct wp_symbolfile *f, __u64 offset, __u64 *address)
{
	size_t i;

	for (i = 0; i < f->names.nr_segments; i++) {
		const struct wp_segment *g = &f->names.segment[i];

		if (offset >= g->offset && offset - g->offset < g->size) {
			*address = offset - g->offset + g->address;
			return true;
		}
	}
	return false;
}

/* The demangled name of a function. */
static const char *name_of(const struct wp_symbols *s, struct wp_symbolfile *f,
			   const struct wp_symtable_entry *e)
{
	char **demangled = &f->demangled[e - f->names.table.entry];
	const char *name = f->names.table.names + e->name;

	if (s->raw || f->kind == WP_SYMBOLS_KERNEL || f->kind == WP_SYMBOLS_JIT)
		return name;
	if (!*demangled && !f->plain && wp_demangle_may(name))
		f->plain = wp_filereader_demangle(&f->owner, name, demangled);
	return *demangled ? *demangled : name;
}

/**
 * wp_symbols_find() - look up the function at an address
 * @s: the names
 * @file: number of the file
 * @address: the address: see enum wp_symbols_kind
 * @symbol: set to the function; without a name if it is unknown
 *
 * Return: true if it is known.
 */
bool wp_symbols_find(struct wp_symbols *s, __u32 file, __u64 address,
		     struct wp_symbol *symbol)
{
	struct wp_symbolfile *f = &s->file[file - 1];
	const struct wp_symtable_entry *e;
	__u64 at = address;

	memset(symbol, 0, sizeof(*symbol));
	if (!f->read)
		make_ready(s, f);
	if (f->kind == WP_SYMBOLS_JIT && s->places.live)
		wp_symbolfile_look_jit(&s->places, f);
	if (f->codes) {
		wp_symbols_load(s, file, wp_jitcodes_find(f->codes, address, WP_JITCODES_LAST),
				symbol);
		if (symbol->name && s->places.live)
			symbol->name = wp_livejit_name(&f->live, symbol->name);
		return symbol->name;
	}
	if (f->names.nr_segments && !address_of(f, address, &at))
		return false;
	e = wp_symtable_find(&f->names.table, at);
	if (!e)
		return false;
	symbol->name = name_of(s, f, e);
	symbol->module = f->names.table.names + e->name;
	symbol->module += strlen(symbol->module) + 1;
	if (!*symbol->module)
		symbol->module = NULL;
	symbol->start = address - (at - e->start);
	symbol->size = e->end - e->start;
	symbol->sched = at >= f->names.table.sched_start && at < f->names.table.sched_end;
	return true;
}

/**
 * wp_symbols_code() - look up code that a JIT compiler made, by address and time
 * @s: the names
 * @file: number of the file, of kind WP_SYMBOLS_JIT
 * @address: the address
 * @time: the time, ns of CLOCK_MONOTONIC
 *
 * Return: its number, 1 and up; 0: it is unknown, or there are no times: then
 * wp_symbols_find() may have a name.
 */
__u32 wp_symbols_code(struct wp_symbols *s, __u32 file, __u64 address, __u64 time)
{
	struct wp_symbolfile *f = &s->file[file - 1];

	if (!f->read)
		make_ready(s, f);
	return f->codes ? wp_jitcodes_find(f->codes, address, time) : 0;
}

/**
 * wp_symbols_has_times() - whether a file's names depend on the time
 * @s: the names
 * @file: number of the file, after a lookup
 *
 * Return: true if only wp_symbols_code() has the name for a time.
 */
bool wp_symbols_has_times(const struct wp_symbols *s, __u32 file)
{
	return s->file[file - 1].codes;
}

/**
 * wp_symbols_load() - the code of a number
 * @s: the names
 * @file: number of the file
 * @code: from wp_symbols_code(); 0: unknown
 * @symbol: set to it; without a name if it is unknown
 */
void wp_symbols_load(const struct wp_symbols *s, __u32 file, __u32 code,
		     struct wp_symbol *symbol)
{
	const struct wp_jitload *load;

	memset(symbol, 0, sizeof(*symbol));
	if (!code)
		return;
	load = wp_jitcodes_load(s->file[file - 1].codes, code, &symbol->name);
	symbol->start = load->start;
	symbol->size = load->end - load->start;
}

/* Maximum page size. */
#define MAX_PAGE	65536

/*
 * The address of the start of a code mapping, which is that of a segment or within it: if
 * a segment begins within a page of the file, the mapping starts with the end of the part
 * before it, which belongs to another segment.
 */
static bool address_of_code(const struct wp_symbolfile *f, __u64 offset, __u64 *address)
{
	const struct wp_segment *best = NULL;
	size_t i;

	for (i = 0; i < f->names.nr_segments; i++) {
		const struct wp_segment *g = &f->names.segment[i];

		if (!g->code || (offset >= g->offset ? offset - g->offset >= g->size :
				 g->offset - offset >= MAX_PAGE))
			continue;
		if (!best || g->offset <= offset ||
		    (best->offset > offset && g->offset < best->offset))
			best = g;
	}
	if (best)
		*address = offset - best->offset + best->address;
	return best || address_of(f, offset, address);
}

static bool is_in_memory(const struct wp_symbolfile *f, __u64 address)
{
	size_t i;

	for (i = 0; i < f->names.nr_segments; i++) {
		const struct wp_segment *g = &f->names.segment[i];

		if (address >= g->address && address - g->address < g->memory)
			return true;
	}
	return false;
}

/**
 * wp_symbols_variable() - look up the variable at an address
 * @s: the names
 * @file: number of the file, of kind WP_SYMBOLS_DATA
 * @code: offset in the file of a code mapping below the address
 * @distance: bytes from its start to the address, in memory
 * @symbol: set to the variable; without a name if it is unknown
 *
 * Zero-initialized data has no offset in the file, but the distances of all segments in
 * memory are those in the program headers.
 *
 * Return: true if it is known.
 */
bool wp_symbols_variable(struct wp_symbols *s, __u32 file, __u64 code, __u64 distance,
			 struct wp_symbol *symbol)
{
	struct wp_symbolfile *f = &s->file[file - 1];
	const struct wp_symtable_entry *e;
	__u64 at;

	memset(symbol, 0, sizeof(*symbol));
	if (!f->read)
		make_ready(s, f);
	if (!address_of_code(f, code, &at) || !is_in_memory(f, at + distance))
		return false;
	e = wp_symtable_find(&f->names.table, at + distance);
	if (!e)
		return false;
	symbol->name = name_of(s, f, e);
	symbol->start = at + distance - e->start;
	symbol->size = e->end - e->start;
	return true;
}

/**
 * wp_symbols_range() - find a function or a variable by its name
 * @s: the table
 * @file: from wp_symbols_file(), or wp_symbols_data() for a variable
 * @code: an offset in the file, of code
 * @name: its name
 * @distance: set to how far behind the code it is in memory, modulo 2^64
 * @size: set to its size; 0: unknown
 *
 * Return: false if there is none.
 */
bool wp_symbols_range(struct wp_symbols *s, __u32 file, __u64 code, const char *name,
		      __u64 *distance, __u64 *size)
{
	struct wp_symbolfile *f = &s->file[file - 1];
	const struct wp_symtable *t = &f->names.table;
	__u64 at;
	size_t i;

	if (!f->read)
		make_ready(s, f);
	if (!address_of_code(f, code, &at))
		return false;
	for (i = 0; i < t->nr; i++) {
		if (!strcmp(t->names + t->entry[i].name, name)) {
			*distance = t->entry[i].start - at;
			*size = t->entry[i].end - t->entry[i].start;
			return true;
		}
	}
	return false;
}

/**
 * wp_symbols_variable_text() - format a variable
 * @symbol: from wp_symbols_variable()
 * @path: the file's path; its directories are left out
 * @text: set to "NAME (FILE)", "NAME+0xN (FILE)" within a larger one
 * @size: size of @text
 */
void wp_symbols_variable_text(const struct wp_symbol *symbol, const char *path, char *text,
			      size_t size)
{
	const char *slash = strrchr(path, '/');
	char within[24] = "";

	if (symbol->start)
		snprintf(within, sizeof(within), "+0x%llx", (unsigned long long)symbol->start);
	snprintf(text, size, "%.*s%s (%.*s)", (int)size / 2, symbol->name, within,
		 (int)size / 3, slash && slash[1] ? slash + 1 : path);
}

static void forget_inlined(struct wp_symbols *s)
{
	while (s->nr_inlined)
		free(s->inlined[--s->nr_inlined]);
}

/**
 * wp_symbols_inlined() - look up the functions inlined at an address
 * @s: the names; with wp_symbols_options.inlines
 * @file: number of the file
 * @address: the address: see enum wp_symbols_kind
 * @names: set to their names, the innermost first, valid until the next call
 *
 * The function that contains them is found by wp_symbols_find().
 *
 * Return: their number.
 */
size_t wp_symbols_inlined(struct wp_symbols *s, __u32 file, __u64 address, char ***names)
{
	struct wp_symbolfile *f = &s->file[file - 1];
	__u64 at;

	forget_inlined(s);
	*names = s->inlined;
	if (!f->read)
		make_ready(s, f);
	if (f->inlines.main < 0 || !address_of(f, address, &at))
		return 0;
	s->nr_inlined = WP_SYMBOLS_INLINED;
	if (wp_filereader_inlined(&f->inlines, s->first + file, at, s->raw, s->inlined,
				  &s->nr_inlined))
		wp_debugfiles_close(&f->inlines);
	return s->nr_inlined;
}

/**
 * wp_symbols_trouble() - reason why a file has no names
 * @s: the names
 * @file: number of the file, after a lookup
 *
 * Return: the end of a sentence, or NULL if it has some.
 */
const char *wp_symbols_trouble(const struct wp_symbols *s, __u32 file)
{
	return s->file[file - 1].trouble;
}

/**
 * wp_symbols_free() - free the names
 * @s: the names, or NULL
 */
void wp_symbols_free(struct wp_symbols *s)
{
	size_t i, k;

	if (!s)
		return;
	forget_inlined(s);
	for (i = 0; i < s->nr; i++) {
		struct wp_symbolfile *f = &s->file[i];

		for (k = 0; f->demangled && k < f->names.table.nr; k++)
			free(f->demangled[k]);
		free(f->demangled);
		wp_elfnames_free(&f->names);
		wp_jitcodes_free(f->codes);
		wp_livejit_free(&f->live);
		if (f->jvm)
			wp_livejvm_end(f->jvm);
		free(f->jvm);
		wp_debugfiles_close(&f->inlines);
		free(f->path);
	}
	free(s->file);
	wp_livejvm_free(s->places.jvms);
	free(s->places.owned);
	free(s->places.symfs);
	free(s->places.kallsyms);
	free(s->places.vmlinux);
	free(s->places.kernel_label);
	free(s->places.release);
	free(s);
}
