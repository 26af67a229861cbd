// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the descriptions of common terminals, for a host without those of its own: a static
 * build (WP_STATIC) has them built in, as build.mk takes them from infocmp(1). ncurses reads
 * a description from TERMINFO, see terminfo(5), so that is set while it looks for one.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd/top/terminals.h"

static const struct {
	const char *name, *description;
} terminals[] = {
#ifdef WP_STATIC
#include "terminals.inc"
#endif
	{ NULL, NULL }
};

/**
 * wp_terminals_use() - let ncurses find the description that is built in
 * @term: the terminal's name
 *
 * Return: true if there is one; then wp_terminals_end() follows.
 */
bool wp_terminals_use(const char *term)
{
	size_t i;

	for (i = 0; terminals[i].name; i++) {
		if (!strcmp(term, terminals[i].name))
			return !setenv("TERMINFO", terminals[i].description, 1);
	}
	return false;
}

/**
 * wp_terminals_end() - keep the description from programs that are started
 */
void wp_terminals_end(void)
{
	unsetenv("TERMINFO");
}
