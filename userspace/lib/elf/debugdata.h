/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The compressed table of symbols in a file. See debugdata.c.
 */
#ifndef WP_LIB_ELF_DEBUGDATA_H
#define WP_LIB_ELF_DEBUGDATA_H

#include <libelf.h>
#include <stddef.h>

int wp_debugdata_read(void **image, size_t *size, struct Elf *elf);

#endif /* WP_LIB_ELF_DEBUGDATA_H */
