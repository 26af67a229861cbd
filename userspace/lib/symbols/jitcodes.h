/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Code that a JIT compiler made, by address and time. See jitcodes.c.
 */
#ifndef WP_LIB_SYMBOLS_JITCODES_H
#define WP_LIB_SYMBOLS_JITCODES_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "lib/elf/jitdump.h"

/* Instead of a time: what is there at the end. */
#define WP_JITCODES_LAST	(~0ULL - 1)

/* Memory for each load. */
#define WP_JITCODES_BYTES	64

struct wp_jitcodes;

struct wp_jitcodes *wp_jitcodes_new(struct wp_jitloads *loads);
size_t wp_jitcodes_find(const struct wp_jitcodes *c, __u64 address, __u64 time);
const struct wp_jitload *wp_jitcodes_load(const struct wp_jitcodes *c, size_t number,
					  const char **name);
void wp_jitcodes_free(struct wp_jitcodes *c);

#endif /* WP_LIB_SYMBOLS_JITCODES_H */
