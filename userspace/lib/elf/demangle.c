// SPDX-License-Identifier: GPL-2.0
/*
 * Demangles names, which are hostile: parts that refer to earlier ones, each twice, make
 * 2^40 bytes of 200. Called by symbols.c.
 *
 * The library hands on what it has in pieces, and it is left when there are enough of them.
 * It holds nothing then: it works on its stack alone, but for names of Rust that are not
 * ASCII, of which the piece in work is lost. Names that are too long for its recursion it
 * does not take.
 */
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/elf/demangle.h"

/* What a name becomes; without memory of its own, as it is left by a jump. */
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

	/* The library says "nothing" with a NULL. */
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
 * wp_demangle_may() - can a name be one that wp_demangle() knows?
 * @name: its name, as the linker has it
 *
 * It looks at how the name begins, as the library does first. So it may be called where
 * the library may not.
 *
 * Return: whether it is worth a wp_demangle().
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
 * wp_demangle() - what a function is called by those who wrote it
 * @name: its name, as the linker has it
 *
 * Return: to be freed; NULL if it is no such name, or there is no memory.
 */
char *wp_demangle(const char *name)
{
	struct plain plain;
	char *result;

	if (!wp_demangle_may(name) || (!try(rust_demangle_callback, name, &plain) &&
				       !try(cplus_demangle_v3_callback, name, &plain)))
		return NULL;
	/* The library passes over what stands behind a name: a stub stays one. */
	if (asprintf(&result, "%s%s", plain.text,
		     is_stub(name) && !is_stub(plain.text) ? "@plt" : "") < 0)
		return NULL;
	return result;
}
