// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzes the tables of sockets: the first byte says which one, the rest is its
 * text. What is found has a text that ends, and is harmless once it is cleaned.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/sockets.h"
#include "lib/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wp_sockets t = {};
	char *text, told[256];
	size_t i;

	if (!size)
		return 0;
	text = malloc(size);
	if (!text)
		return 0;
	memcpy(text, data + 1, size - 1);
	text[size - 1] = 0;
	wp_sockets_add(&t, data[0] % WP_SOCKET_KINDS, text);
	wp_sockets_sort(&t);
	for (i = 0; i < t.nr; i++) {
		if (!wp_sockets_text(&t, t.socket[i].ino, told, sizeof(told)) ||
		    strlen(told) < 4)
			abort();
		wp_text_clean(told, false);
		if (strpbrk(told, "\033\n\t"))
			abort();
	}
	if (t.nr && wp_sockets_text(&t, 0, told, sizeof(told)))
		abort();
	wp_sockets_free(&t);
	free(text);
	return 0;
}
