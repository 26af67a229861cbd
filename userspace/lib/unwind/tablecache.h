/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Unwind tables of files, kept on disk from one recording to the next.
 */
#ifndef WP_LIB_UNWIND_TABLECACHE_H
#define WP_LIB_UNWIND_TABLECACHE_H

#include <stdbool.h>
#include <sys/types.h>

#include "lib/base/fileident.h"
#include "lib/unwind/tablename.h"
#include "lib/unwind/unwindtable.h"

struct wp_tablecache;

bool wp_tablecache_dir(char *dir, size_t size);
int wp_tablecache_open(struct wp_tablecache **out, const char *dir);
void wp_tablecache_close(struct wp_tablecache *cache);
int wp_tablecache_error(const struct wp_tablecache *cache);
void wp_tablecache_key(const struct wp_tablecache *cache, uid_t owner, __u64 key[2]);
bool wp_tablecache_get(const struct wp_tablecache *cache, uid_t owner,
		       const struct wp_tablename *name, struct wp_unwindtable *table);
void wp_tablecache_put(struct wp_tablecache *cache, uid_t owner,
		       const struct wp_tablename *name, const struct wp_unwindtable *table);
void wp_tablecache_set_ident(struct wp_tablecache *cache,
			     bool (*ident)(struct wp_fileident *ident, int fd));
bool wp_tablecache_ident(const struct wp_tablecache *cache, int fd, struct wp_fileident *file);
void wp_tablecache_note(const struct wp_tablecache *cache, const struct wp_fileident *file,
			const struct wp_tablename *name, const struct wp_elfcode *codes);
bool wp_tablecache_known(const struct wp_tablecache *cache, const struct wp_fileident *file,
			 struct wp_tablename *name, struct wp_elfcode *codes,
			 struct wp_unwindtable *table);

#endif /* WP_LIB_UNWIND_TABLECACHE_H */
