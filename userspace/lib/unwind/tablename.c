// SPDX-License-Identifier: GPL-2.0
/*
 * Computes the names of tables in the cache: the build-id, and a hash of the table's
 * input. The hash is needed as build-ids are not reliable: some linkers give all files
 * the same one, and anybody can create a file with libc's.
 */
#include <string.h>

#include "lib/base/siphash.h"
#include "lib/unwind/ehframe.h"
#include "lib/unwind/gofuncs.h"
#include "lib/unwind/tablename.h"
#include "lib/unwind/trampolines.h"

static void add(void *ctx, const void *data, size_t size)
{
	wp_siphash_add(ctx, &size, sizeof(size));
	wp_siphash_add(ctx, data, size);
}

/**
 * wp_tablename_of() - name of a file's table
 * @name: set to the name
 * @elf: the file
 * @codes: its code
 * @key: key of the hash
 */
void wp_tablename_of(struct wp_tablename *name, Elf *elf, const struct wp_elfcode *codes,
		     const __u64 key[2])
{
	struct wp_trampolines trampolines;
	struct wp_gofuncs gofuncs;
	struct wp_siphash h;

	memset(name, 0, sizeof(*name));
	wp_siphash_begin(&h, key);
	add(&h, codes->code, codes->nr * sizeof(*codes->code));
	add(&h, &codes->machine, sizeof(codes->machine));
	add(&h, &codes->entry, sizeof(codes->entry));
	wp_ehframe_bytes(elf, codes, add, &h);
	wp_trampolines_find(&trampolines, elf, codes);
	add(&h, trampolines.list, trampolines.nr * sizeof(*trampolines.list));
	wp_gofuncs_find(&gofuncs, elf, codes);
	add(&h, gofuncs.list, gofuncs.nr * sizeof(*gofuncs.list));
	wp_buildid_from_elf(elf, &name->id);
	name->hash = wp_siphash_end(&h);
}
