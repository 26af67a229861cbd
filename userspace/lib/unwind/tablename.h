/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Name of a file's unwind table in the cache. For tablecache.c.
 */
#ifndef WP_LIB_UNWIND_TABLENAME_H
#define WP_LIB_UNWIND_TABLENAME_H

#include <libelf.h>
#include <linux/types.h>

#include "lib/elf/buildid.h"
#include "lib/elf/elfcode.h"

/**
 * struct wp_tablename - the name of a table
 * @id: the file's build-id, if it has one
 * @hash: hash of the table's input
 */
struct wp_tablename {
	struct wp_buildid id;
	__u64 hash;
};

void wp_tablename_of(struct wp_tablename *name, Elf *elf, const struct wp_elfcode *codes,
		     const __u64 key[2]);

#endif /* WP_LIB_UNWIND_TABLENAME_H */
