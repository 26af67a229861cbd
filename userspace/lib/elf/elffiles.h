/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The open files in which an ELF file's names are. debugfiles.c opens them, elfnames.c and
 * inlines.c read them.
 */
#ifndef WP_LIB_ELF_ELFFILES_H
#define WP_LIB_ELF_ELFFILES_H

/**
 * struct wp_elffiles - descriptors, each of a regular file, or -1
 * @main: the file itself
 * @debug: with its symbols and debug information, if they are in another one
 * @alt: what that one shares with others
 */
struct wp_elffiles {
	int main;
	int debug;
	int alt;
};

#endif /* WP_LIB_ELF_ELFFILES_H */
