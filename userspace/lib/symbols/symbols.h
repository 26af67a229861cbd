/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of functions: by file and offset, or by an address in the kernel. See symbols.c.
 *
 *	ret = wp_symbols_new(&symbols, &options);
 *	file = wp_symbols_file(symbols, WP_SYMBOLS_ELF, path, &id, pid);	once
 *	known = wp_symbols_find(symbols, file, address, &symbol);
 *	wp_symbols_free(symbols);
 */
#ifndef WP_LIB_SYMBOLS_SYMBOLS_H
#define WP_LIB_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <linux/types.h>

#include "lib/elf/buildid.h"
#include "lib/symbols/filestat.h"
#include "lib/symbols/symbolkind.h"

struct wp_jitmap;
struct wp_symbols;

/* Maximum number of inlined functions at an address. */
#define WP_SYMBOLS_INLINED	64

/**
 * struct wp_symbols_options - where to look for names; all zero: defaults
 * @symfs: directory prefix of all files, which are looked up nowhere else; or NULL
 * @kallsyms: a copy of /proc/kallsyms of the recorded kernel; NULL: the running kernel's,
 *	if it is the same one, by its build-id or, if that was not recorded, by @release
 * @vmlinux: image of the recorded kernel, if there is no @kallsyms; or NULL
 * @release: release of the recorded kernel, as in uname -r; or NULL
 * @live: symbols of running processes
 * @raw: do not demangle
 * @inlines: look up inlined functions, too, if there is debug information
 * @only: of ELF files only symbols of these names, each with a terminating 0, then an empty
 *	one; or NULL. It costs far less. Valid as long as the table
 */
struct wp_symbols_options {
	const char *symfs;
	const char *kallsyms;
	const char *vmlinux;
	const char *release;
	bool live;
	bool raw;
	bool inlines;
	const char *only;
};

/**
 * struct wp_symbol - a function or a variable
 * @name: its name; NULL if unknown
 * @module: in the kernel: the module's name in brackets, or NULL
 * @start: start of a function, in the same kind of address; for a variable the distance
 *	of the looked-up address from its start
 * @size: its size; 0 if unknown
 * @sched: in the kernel: one of the scheduler's own, in which threads leave their CPU
 *
 * Strings are valid until wp_symbols_free(), and may contain any byte but 0: they come
 * from a file.
 */
struct wp_symbol {
	const char *name;
	const char *module;
	__u64 start;
	__u64 size;
	bool sched;
};

int wp_symbols_new(struct wp_symbols **out, const struct wp_symbols_options *options);
void wp_symbols_jit(struct wp_symbols *s, __u32 file, const struct wp_jitmap *jit);
void wp_symbols_stat(struct wp_symbols *s, __u32 file, const struct wp_filestat *stat);
void wp_symbols_found(struct wp_symbols *s, __u32 file, int place);
void wp_symbols_kernel(struct wp_symbols *s, const char *label, __u64 at);
__u32 wp_symbols_file(struct wp_symbols *s, enum wp_symbols_kind kind, const char *path,
		      const struct wp_buildid *id, __s32 pid);
__u32 wp_symbols_data(struct wp_symbols *s, __u32 file);
bool wp_symbols_find(struct wp_symbols *s, __u32 file, __u64 address,
		     struct wp_symbol *symbol);
__u32 wp_symbols_code(struct wp_symbols *s, __u32 file, __u64 address, __u64 time);
bool wp_symbols_has_times(const struct wp_symbols *s, __u32 file);
void wp_symbols_load(const struct wp_symbols *s, __u32 file, __u32 code,
		     struct wp_symbol *symbol);
bool wp_symbols_variable(struct wp_symbols *s, __u32 file, __u64 code, __u64 distance,
			 struct wp_symbol *symbol);
bool wp_symbols_range(struct wp_symbols *s, __u32 file, __u64 code, const char *name,
		      __u64 *distance, __u64 *size);
void wp_symbols_variable_text(const struct wp_symbol *symbol, const char *path, char *text,
			      size_t size);
size_t wp_symbols_inlined(struct wp_symbols *s, __u32 file, __u64 address, char ***names);
const char *wp_symbols_trouble(const struct wp_symbols *s, __u32 file);
void wp_symbols_free(struct wp_symbols *s);

#endif /* WP_LIB_SYMBOLS_SYMBOLS_H */
