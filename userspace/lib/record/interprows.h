/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interpreted functions in the stacks of a recording. See interprows.c.
 */
#ifndef WP_LIB_RECORD_INTERPROWS_H
#define WP_LIB_RECORD_INTERPROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "lib/record/interpcodes.h"
#include "lib/record/jvmmethods.h"

/**
 * enum wp_interprows_kind - languages, each of which has a file of names
 * @WP_INTERPROWS_PYTHON: functions of Python
 * @WP_INTERPROWS_JAVA: interpreted methods of Java
 * @WP_INTERPROWS_KINDS: their number
 */
enum wp_interprows_kind {
	WP_INTERPROWS_PYTHON,
	WP_INTERPROWS_JAVA,
	WP_INTERPROWS_KINDS,
};

/* The names of the files in which the functions have their addresses. */
#define WP_INTERPROWS_PATH	"/[python]"
#define WP_INTERPROWS_JAVA_PATH	"/[java]"

/* Where functions are: no process has memory there. */
#define WP_INTERPROWS_BASE	(1ULL << 60)
#define WP_INTERPROWS_BASE_OF(kind) (WP_INTERPROWS_BASE + ((__u64)(kind) << 32))

/* Maximum number of functions of a language. */
#define WP_INTERPROWS_MAX	(1 << 18)

struct wp_intern;
struct wp_interprows;

struct wp_interprows *wp_interprows_new(struct wp_interpcodes *codes,
					struct wp_jvmmethods *methods);
void wp_interprows_free(struct wp_interprows *rows);
bool wp_interprows_in(const __u64 *ips, unsigned int nr);
int wp_interprows_stack(struct wp_interprows *rows, __u32 pid, __u64 time, const __u64 *ips,
			unsigned int nr, __u64 *to, unsigned int *nr_to, unsigned int *has);
size_t wp_interprows_nr(const struct wp_interprows *rows, enum wp_interprows_kind kind);
struct wp_intern *wp_interprows_names(struct wp_interprows *rows, enum wp_interprows_kind kind);
const char *wp_interprows_name(void *names, size_t i);

#endif /* WP_LIB_RECORD_INTERPROWS_H */
