// SPDX-License-Identifier: GPL-2.0
/*
 * A field of a line of CSV (RFC 4180). Called by the commands.
 */
#include <string.h>

#include "lib/csv.h"
#include "lib/text.h"

/**
 * wp_csv_put() - write a field
 * @f: where to
 * @s: any bytes; what no terminal should see becomes question marks, and what is beyond
 *	255 of them is left out
 */
void wp_csv_put(FILE *f, const char *s)
{
	char clean[256];
	const char *at;

	snprintf(clean, sizeof(clean), "%s", s);
	wp_text_clean(clean, false);
	if (!strpbrk(clean, "\",")) {
		fputs(clean, f);
		return;
	}
	fputc('"', f);
	for (at = clean; *at; at++) {
		if (*at == '"')
			fputc('"', f);
		fputc(*at, f);
	}
	fputc('"', f);
}
