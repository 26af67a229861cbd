/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of a function that a compiler has moved away. See coldpart.c.
 */
#ifndef WP_LIB_ELF_COLDPART_H
#define WP_LIB_ELF_COLDPART_H

#include <libelf.h>
#include <stdbool.h>
#include <linux/types.h>

/**
 * struct wp_coldpart - a range of addresses
 * @start: its first one
 * @end: its end, exclusive
 */
struct wp_coldpart {
	__u64 start;
	__u64 end;
};

bool wp_coldpart_find(Elf *elf, __u64 start, __u64 end, struct wp_coldpart *part);

#endif /* WP_LIB_ELF_COLDPART_H */
