/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of functions and variables in running processes, and of functions in the running
 * kernel. See livenames.c.
 */
#ifndef WP_LIB_SYMBOLS_LIVENAMES_H
#define WP_LIB_SYMBOLS_LIVENAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "lib/proc/procmaps.h"

/**
 * struct wp_livename - result of a lookup
 * @name: the function, or NULL
 * @file: the file that is mapped there, without its directories, "[vdso]" or "[kernel]";
 *	for memory without a file "[heap]", "[anon]" and the like; NULL: nothing is mapped
 * @path: the same with its directories, as mapped; NULL: nothing is mapped
 * @id: its build-id in hexadecimal digits; NULL: unknown, or not wanted
 * @memory: @file is memory
 * @python: a function of Python, which is not looked up here; @file has its directories
 * @java: an interpreted method of Java, which is not looked up here
 * @line: the line that it executes, or 0
 * @offset: offset in @file; for memory, and without @file, the address itself
 *
 * Strings are valid until wp_livenames_free(), and may contain any byte but 0.
 */
struct wp_livename {
	const char *name;
	const char *file;
	const char *path;
	const char *id;
	bool memory;
	bool python;
	bool java;
	__u32 line;
	__u64 offset;
};

/* Sufficient size for the label of a function without a name. */
#define WP_LIVENAME_LABEL	320

/*
 * Mappings of a process that is gone, or busy: calls @add for each, and sets @parent to a
 * process that has the others, or to 0; @whole: whether these are all. Returns 0, or what @add
 * returned.
 */
typedef int (*wp_livenames_gone_fn)(void *ctx, __u32 pid, wp_procmap_fn add, void *add_ctx,
				    __u32 *parent, bool *whole);

struct wp_livenames;

int wp_livenames_new(struct wp_livenames **out, const char *only);
void wp_livenames_set_gone(struct wp_livenames *n, wp_livenames_gone_fn gone, void *ctx);
void wp_livenames_want_ids(struct wp_livenames *n);
void wp_livenames_sweep(struct wp_livenames *n);
size_t wp_livenames_processes(const struct wp_livenames *n);
size_t wp_livenames_files(const struct wp_livenames *n);
int wp_livenames_user(struct wp_livenames *n, __u32 pid, __u64 ip, bool caller,
		      struct wp_livename *name);
bool wp_livenames_variable(struct wp_livenames *n, __u32 pid, __u64 address, char *text,
			   size_t size);
const char *wp_livenames_symbols(struct wp_livenames *n, __u32 pid, const char *part,
				 const char *const *names, size_t nr, __u64 *address);
bool wp_livenames_function(struct wp_livenames *n, __u32 pid, const char *part,
			   const char *name, __u64 *start, __u64 *end);
int wp_livenames_kernel(struct wp_livenames *n, __u64 ip, bool caller,
			struct wp_livename *name);
void wp_livename_label(const struct wp_livename *name, char *text, size_t size);
void wp_livenames_forget(struct wp_livenames *n, __u32 pid);
void wp_livenames_free(struct wp_livenames *n);

#endif /* WP_LIB_SYMBOLS_LIVENAMES_H */
