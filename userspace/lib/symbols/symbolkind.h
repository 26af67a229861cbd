/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kinds of files with functions, for symbols.h and symbolfile.h.
 */
#ifndef WP_LIB_SYMBOLS_SYMBOLKIND_H
#define WP_LIB_SYMBOLS_SYMBOLKIND_H

#include <stdbool.h>

/**
 * enum wp_symbols_kind - kind of a file, and meaning of its addresses
 * @WP_SYMBOLS_ELF: a mapped file; offset in the file
 * @WP_SYMBOLS_DATA: the same, for its variables: wp_symbols_variable()
 * @WP_SYMBOLS_KERNEL: the kernel with its modules; address
 * @WP_SYMBOLS_VDSO: the vdso; offset in its image
 * @WP_SYMBOLS_JIT: memory without a file, for which a process may have written
 *	/tmp/perf-PID.map; address
 */
enum wp_symbols_kind {
	WP_SYMBOLS_ELF,
	WP_SYMBOLS_DATA,
	WP_SYMBOLS_KERNEL,
	WP_SYMBOLS_VDSO,
	WP_SYMBOLS_JIT,
};

bool wp_symbolkind_is_memory(const char *path);

#endif /* WP_LIB_SYMBOLS_SYMBOLKIND_H */
