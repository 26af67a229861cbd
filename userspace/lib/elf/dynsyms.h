/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions of an ELF file without sections. See dynsyms.c.
 */
#ifndef WP_LIB_ELF_DYNSYMS_H
#define WP_LIB_ELF_DYNSYMS_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>

/**
 * struct wp_dynsyms - symbols, valid as long as the file
 * @symbols: the symbols; the first one is unused
 * @nr: their number
 * @names: their names
 */
struct wp_dynsyms {
	Elf_Data *symbols;
	size_t nr;
	Elf_Data *names;
};

bool wp_dynsyms_find(struct wp_dynsyms *found, Elf *elf);

#endif /* WP_LIB_ELF_DYNSYMS_H */
