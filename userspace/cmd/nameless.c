// SPDX-License-Identifier: GPL-2.0
/*
 * Says of which files no function could be named, and why. Called by the commands that
 * name functions.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd/nameless.h"
#include "lib/err.h"
#include "lib/text.h"

/* So many are named. */
#define TOP_NAMELESS	3

/**
 * wp_warn_nameless() - warn of files whose functions have no names
 * @next: tells the next one
 * @ctx: for it
 */
void wp_warn_nameless(wp_nameless_fn next, const void *ctx)
{
	size_t at = 0, nr = 0;
	const char *path, *why;

	while ((why = next(ctx, &at, &path))) {
		if (!path) {
			wp_warn("no names for functions of the kernel: %s", why);
			continue;
		}
		if (++nr > TOP_NAMELESS)
			continue;
		wp_warn("no names for functions of %s: %s", path, why);
	}
	if (nr > TOP_NAMELESS)
		wp_warn("nor for those of %zu more file%s", nr - TOP_NAMELESS,
			nr - TOP_NAMELESS == 1 ? "" : "s");
}
