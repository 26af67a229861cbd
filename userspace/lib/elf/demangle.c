// SPDX-License-Identifier: GPL-2.0
/*
 * Demangles names, which are not trusted: back references, each used twice, can turn 200
 * bytes into 2^40. Called by symbols.c.
 *
 * The library passes its output to a callback in pieces, which jumps out of it when there
 * are enough of them. Nothing leaks then: the library only uses its stack, except for
 * non-ASCII names of Rust, where the current piece is lost. It refuses names that are too
 * long for its recursion.
 */
#if __has_include("libiberty/demangle.h")
#include <libiberty/demangle.h>
#else
#include <demangle.h>	/* there in EL's binutils-devel */
#endif
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/elf/demangle.h"

/* Result of demangling; owns no memory, as it is left by a jump. */
struct plain {
	char text[WP_DEMANGLE_MAX + 1];
	size_t len;
	jmp_buf full;
};

typedef int library(const char *name, int options, demangle_callbackref add, void *ctx);

static void add(const char *piece, size_t len, void *ctx)
{
	struct plain *plain = ctx;
	size_t room = WP_DEMANGLE_MAX - plain->len;

	/* The library passes NULL for an empty piece. */
	if (!len)
		return;
	memcpy(plain->text + plain->len, piece, len < room ? len : room);
	plain->len += len < room ? len : room;
	if (len > room)
		longjmp(plain->full, 1);
}

static bool try(library *demangle, const char *name, struct plain *plain)
{
	plain->len = 0;
	if (setjmp(plain->full)) {
		strcpy(plain->text + WP_DEMANGLE_MAX - strlen(WP_DEMANGLE_CUT), WP_DEMANGLE_CUT);
		return true;
	}
	if (!demangle(name, DMGL_AUTO, add, plain))
		return false;
	plain->text[plain->len] = 0;
	return plain->len;
}

static bool is_stub(const char *name)
{
	size_t len = strlen(name);

	return len > 4 && !strcmp(name + len - 4, "@plt");
}

/**
 * wp_demangle_may() - whether a name can be a mangled one
 * @name: its name, as in the linker's tables
 *
 * Checks the beginning of the name, as the library does first. May be called where the
 * library may not.
 *
 * Return: true if wp_demangle() may succeed.
 */
bool wp_demangle_may(const char *name)
{
	static const char *const starts[] = { "_Z", "_R", "__Z", "__R", "_GLOBAL_" };
	size_t i;

	for (i = 0; i < sizeof(starts) / sizeof(*starts); i++) {
		if (!strncmp(name, starts[i], strlen(starts[i])))
			return true;
	}
	return false;
}

/**
 * wp_demangle() - demangle the name of a function
 * @name: its name, as in the linker's tables
 *
 * Return: the result, to be freed; NULL if it is no mangled name, or there is no memory.
 */
char *wp_demangle(const char *name)
{
	struct plain plain;
	char *result;

	if (!wp_demangle_may(name) || (!try(rust_demangle_callback, name, &plain) &&
				       !try(cplus_demangle_v3_callback, name, &plain)))
		return NULL;
	/*
	 * The library drops the suffix of a name; keep it, so that stubs remain
	 * recognizable.
	 */
	if (asprintf(&result, "%s%s", plain.text,
		     is_stub(name) && !is_stub(plain.text) ? "@plt" : "") < 0)
		return NULL;
	return result;
}
