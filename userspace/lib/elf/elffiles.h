/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Open files with the names of an ELF file. debugfiles.c opens them, elfnames.c and
 * inlines.c read them.
 */
#ifndef WP_LIB_ELF_ELFFILES_H
#define WP_LIB_ELF_ELFFILES_H

/**
 * struct wp_elffiles - descriptors, each of a regular file, or -1
 * @main: the file itself
 * @debug: the one with its symbols and debug information, if separate
 * @alt: the one with debug information shared by several files
 */
struct wp_elffiles {
	int main;
	int debug;
	int alt;
};

#endif /* WP_LIB_ELF_ELFFILES_H */
