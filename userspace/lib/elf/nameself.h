/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ELF files of names alone. See nameself.c.
 */
#ifndef WP_LIB_ELF_NAMESELF_H
#define WP_LIB_ELF_NAMESELF_H

#include <stddef.h>
#include <linux/types.h>

#include "lib/elf/buildid.h"

/* Bytes of a function. */
#define WP_NAMESELF_BYTES	16

/* Where the first one is, in the file and by its program headers. */
#define WP_NAMESELF_AT		4096

int wp_nameself_make(const char *(*name)(void *ctx, size_t i), void *ctx, size_t nr,
		     const struct wp_buildid *id, void **data, size_t *size);

#endif /* WP_LIB_ELF_NAMESELF_H */
