/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Methods of a JVM, by their addresses. See methodtable.c.
 */
#ifndef WP_LIB_RECORD_METHODTABLE_H
#define WP_LIB_RECORD_METHODTABLE_H

#include <stddef.h>
#include <linux/types.h>

#include "lib/base/keyhash.h"

/**
 * struct wp_method - a method
 * @address: where it is; 0: a free slot
 * @name: its name, or NULL
 * @unloads: the number of wp_jvmunloads when it was read
 * @reason: why it has no name, enum wp_jvmmethods_reason
 * @tried: the epoch in which it was not read
 * @doubt: the last turn in which a stack may have had another method there; 0: none
 * @unused: turns since it was looked up
 */
struct wp_method {
	__u64 address;
	char *name;
	__u64 unloads;
	unsigned int reason;
	__u64 tried;
	__u64 doubt;
	unsigned int unused;
};

/**
 * struct wp_methodtable - the methods; all zero: none
 * @slot: hash table
 * @room: size of @slot, a power of two, or 0
 * @nr: used slots
 * @key: of the hash, drawn with the first method
 */
struct wp_methodtable {
	struct wp_method *slot;
	size_t room;
	size_t nr;
	struct wp_keyhash key;
};

void wp_methodtable_free(struct wp_methodtable *t);
struct wp_method *wp_methodtable_find(const struct wp_methodtable *t, __u64 address);
struct wp_method *wp_methodtable_add(struct wp_methodtable *t, __u64 address);
void wp_methodtable_sweep(struct wp_methodtable *t, unsigned int turns);
size_t wp_methodtable_bytes(const struct wp_methodtable *t);

#endif /* WP_LIB_RECORD_METHODTABLE_H */
