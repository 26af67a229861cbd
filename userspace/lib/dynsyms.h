/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The functions of an ELF file without sections. See dynsyms.c.
 */
#ifndef WP_LIB_DYNSYMS_H
#define WP_LIB_DYNSYMS_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>

bool wp_dynsyms_find(Elf *elf, Elf_Data **symbols, size_t *nr, Elf_Data **names);

#endif /* WP_LIB_DYNSYMS_H */
