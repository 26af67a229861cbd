/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Unwind tables of files, kept on disk from one recording to the next.
 */
#ifndef WP_LIB_TABLECACHE_H
#define WP_LIB_TABLECACHE_H

#include <stdbool.h>

#include "lib/elfcode.h"
#include "lib/unwindtable.h"

struct wp_tablecache;

struct wp_tablecache *wp_tablecache_open(const char *dir);
void wp_tablecache_close(struct wp_tablecache *cache);
bool wp_tablecache_keeps(const struct wp_tablecache *cache);
int wp_tablecache_table(struct wp_tablecache *cache, Elf *elf,
			const struct wp_elfcode *codes, struct wp_unwindtable *table,
			bool *hit);

#endif /* WP_LIB_TABLECACHE_H */
