/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Code that a JIT compiler made, as it wrote it to a jitdump file. See jitdump.c.
 */
#ifndef WP_LIB_ELF_JITDUMP_H
#define WP_LIB_ELF_JITDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/* Limits for a file: number of loads, and bytes of names; later ones are dropped. */
#define WP_JITDUMP_MAX		(1 << 20)
#define WP_JITDUMP_NAMES	((size_t)128 << 20)

/* Instead of the position of a name: it is unknown. */
#define WP_JITDUMP_NO_NAME	(~0ULL)

/* Reasons why a file has no code. */
#define WP_JITDUMP_NO_DUMP	"it is not a jitdump file"
#define WP_JITDUMP_ORDER	"it has the byte order of another machine"
#define WP_JITDUMP_VERSION	"its version of jitdump is not supported"
#define WP_JITDUMP_EMPTY	"it has no code"

/**
 * struct wp_jitload - code that was written to memory, or removed
 * @start: its first address
 * @end: its end, exclusive
 * @time: when that was, ns of CLOCK_MONOTONIC; 0: unknown
 * @name: position of its name; WP_JITDUMP_NO_NAME: what is there has no name from now on
 */
struct wp_jitload {
	__u64 start;
	__u64 end;
	__u64 time;
	__u64 name;
};

/**
 * struct wp_jitloads - code of a file, in its order; all zero: none
 * @load: the code
 * @nr: number of elements
 * @room: allocated elements
 * @names: names, each with a terminating 0
 * @len: used bytes of @names
 * @names_room: allocated bytes of @names
 * @cut: the file is damaged, or has too much: what was behind that place is missing
 */
struct wp_jitloads {
	struct wp_jitload *load;
	size_t nr;
	size_t room;
	char *names;
	size_t len;
	size_t names_room;
	bool cut;
};

bool wp_jitdump_is_name(const char *path, __u32 pid);
const char *wp_jitdump_read(struct wp_jitloads *l, int fd);
bool wp_jitdump_add(struct wp_jitloads *l, __u64 start, __u64 end, __u64 time, const char *name);
bool wp_jitdump_are_valid(const struct wp_jitloads *l);
char *wp_jitdump_pack(const struct wp_jitloads *l, size_t max, size_t *size);
void wp_jitdump_free(struct wp_jitloads *l);

#endif /* WP_LIB_ELF_JITDUMP_H */
