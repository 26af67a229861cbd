/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Plausibility of the sizes in an ELF file's headers. See elfcheck.c.
 *
 *	err = wp_elfcheck(fd, &st);	before elf_begin(), which allocates by them
 */
#ifndef WP_LIB_ELF_ELFCHECK_H
#define WP_LIB_ELF_ELFCHECK_H

#include <stddef.h>
#include <sys/stat.h>

/* Limit for the notes in all program headers of one file. */
#define WP_ELFCHECK_NOTES	((size_t)1 << 20)

/* Message for files with -EFBIG. */
#define WP_ELFCHECK_TROUBLE	"its headers are not plausible"

int wp_elfcheck(int fd, const struct stat *st);
int wp_elfcheck_memory(const void *image, size_t size);

#endif /* WP_LIB_ELF_ELFCHECK_H */
