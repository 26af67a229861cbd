/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The names of functions: by file and place in it, or by an address of the kernel's.
 * See symbols.c.
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

struct wp_jitmap;
struct wp_symbols;

/* So many inlined functions are told at one place. */
#define WP_SYMBOLS_INLINED	64

/**
 * enum wp_symbols_kind - what a file is, and so what an address in it is
 * @WP_SYMBOLS_ELF: a file that was mapped; offset in the file
 * @WP_SYMBOLS_DATA: the same, of which variables are looked up: wp_symbols_variable()
 * @WP_SYMBOLS_KERNEL: the kernel with its modules; address there
 * @WP_SYMBOLS_VDSO: what the kernel maps into each process; offset in that image
 * @WP_SYMBOLS_JIT: memory without a file, for which a process may have written
 *	/tmp/perf-PID.map; address there
 */
enum wp_symbols_kind {
	WP_SYMBOLS_ELF,
	WP_SYMBOLS_DATA,
	WP_SYMBOLS_KERNEL,
	WP_SYMBOLS_VDSO,
	WP_SYMBOLS_JIT,
};

/**
 * struct wp_symbols_options - where names are looked for; all zero is a good choice
 * @symfs: directory that files' names are below, and nothing is looked for elsewhere; or
 *	NULL
 * @kallsyms: a copy of /proc/kallsyms of the kernel that was recorded; NULL: the running
 *	kernel's, if it is the same one, by its build-id or, where that was not recorded, by
 *	@release
 * @vmlinux: the image of the kernel that was recorded, if there is no @kallsyms; or NULL
 * @release: the recorded kernel's, as uname -r has it; or NULL
 * @live: names are of processes that run
 * @raw: do not demangle
 * @inlines: tell inlined functions, too, if there is debug information
 */
struct wp_symbols_options {
	const char *symfs;
	const char *kallsyms;
	const char *vmlinux;
	const char *release;
	bool live;
	bool raw;
	bool inlines;
};

/**
 * struct wp_symbol - a function or a variable
 * @name: its name; NULL if not known
 * @module: of the kernel: the module's name in brackets, or NULL
 * @start: where it begins, as addresses of that file are told; of a variable how far
 *	the address that was asked for is behind that
 * @size: its bytes; 0 if not known
 * @sched: of the kernel: one of the scheduler's own, by which threads leave their CPU
 *
 * Strings are good until wp_symbols_free(), and may hold any byte but 0: they are
 * a file's.
 */
struct wp_symbol {
	const char *name;
	const char *module;
	__u64 start;
	__u64 size;
	bool sched;
};

int wp_symbols_new(struct wp_symbols **out, const struct wp_symbols_options *options);
void wp_symbols_lost(struct wp_symbols *s, __u32 file, const char *trouble);
void wp_symbols_jit(struct wp_symbols *s, __u32 file, const struct wp_jitmap *jit);
void wp_symbols_stat(struct wp_symbols *s, __u32 file, const struct wp_filestat *stat);
void wp_symbols_found(struct wp_symbols *s, __u32 file, int place);
void wp_symbols_kernel(struct wp_symbols *s, const char *label, __u64 at);
__u32 wp_symbols_file(struct wp_symbols *s, enum wp_symbols_kind kind, const char *path,
		      const struct wp_buildid *id, __s32 pid);
__u32 wp_symbols_data(struct wp_symbols *s, __u32 file);
bool wp_symbols_find(struct wp_symbols *s, __u32 file, __u64 address,
		     struct wp_symbol *symbol);
bool wp_symbols_variable(struct wp_symbols *s, __u32 file, __u64 code, __u64 distance,
			 struct wp_symbol *symbol);
void wp_symbols_variable_text(const struct wp_symbol *symbol, const char *path, char *text,
			      size_t size);
size_t wp_symbols_inlined(struct wp_symbols *s, __u32 file, __u64 address, char ***names);
const char *wp_symbols_trouble(const struct wp_symbols *s, __u32 file);
void wp_symbols_free(struct wp_symbols *s);

#endif /* WP_LIB_SYMBOLS_SYMBOLS_H */
