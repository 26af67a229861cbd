// SPDX-License-Identifier: GPL-2.0
/*
 * Suggests a name for a misspelled word, among commands, options or events.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/nearest.h"

static bool same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static unsigned int min(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* Edit distance: letters added, left out, replaced, or swapped with their neighbor. */
static unsigned int distance(const char *a, const char *b)
{
	unsigned int rows[3][WP_NEAREST_SIZE], i, j;
	unsigned int *old = rows[0], *last = rows[1], *row = rows[2];
	size_t la = strlen(a), lb = strlen(b);

	if (la >= WP_NEAREST_SIZE || lb >= WP_NEAREST_SIZE)
		return WP_NEAREST_SIZE;
	for (j = 0; j <= lb; j++)
		row[j] = j;
	for (i = 1; i <= la; i++) {
		unsigned int *free = old;

		old = last;
		last = row;
		row = free;
		row[0] = i;
		for (j = 1; j <= lb; j++) {
			row[j] = min(last[j], row[j - 1]) + 1;
			row[j] = min(row[j], last[j - 1] + !same(a[i - 1], b[j - 1]));
			if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
				row[j] = min(row[j], old[j - 2] + 1);
		}
	}
	return row[lb];
}

/**
 * wp_nearest_offer() - add a candidate
 * @n: the search
 * @name: the candidate; copied if it is the nearest so far
 */
void wp_nearest_offer(struct wp_nearest *n, const char *name)
{
	unsigned int d = distance(n->wanted, name);
	size_t len = strlen(n->wanted);

	/* An abbreviation counts as near, too. */
	if (len >= 3 && !strncasecmp(name, n->wanted, len) && d > 1)
		d = 2;
	if (d < n->best) {
		n->best = d;
		snprintf(n->name, sizeof(n->name), "%s", name);
	}
}

/**
 * wp_nearest_found() - whether the best candidate is near enough
 * @n: the search
 *
 * Return: true if it differs in at most about a quarter of its letters.
 */
bool wp_nearest_found(const struct wp_nearest *n)
{
	size_t len = strlen(n->wanted);

	return n->name[0] && n->best < len && n->best <= 1 + len / 4;
}
