// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of the tables of sockets: the first byte selects one, the rest is its text, and
 * the answer of sock_diag. The text of what is found ends, and is harmless once it is
 * cleaned.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/text.h"
#include "lib/proc/sockets.h"
#include "lib/proc/unixpeers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wp_sockets t = {};
	char *text, *answer, line[256];
	size_t i;

	if (!size)
		return 0;
	text = malloc(size);
	answer = malloc(size);	/* aligned, and what is behind it is not ours */
	if (!text || !answer)
		abort();
	memcpy(text, data + 1, size - 1);
	text[size - 1] = 0;
	wp_sockets_add(&t, data[0] % WP_SOCKET_KINDS, text);
	wp_sockets_sort(&t);
	memcpy(answer, data + 1, size - 1);
	wp_unixpeers_take(&t, answer, size - 1);
	for (i = 0; i < t.nr; i++) {
		if (!wp_sockets_text(&t, t.socket[i].ino, line, sizeof(line)) ||
		    strlen(line) < 4)
			abort();
		wp_text_clean(line, false);
		if (strpbrk(line, "\033\n\t"))
			abort();
	}
	if (t.nr && wp_sockets_text(&t, 0, line, sizeof(line)))
		abort();
	wp_sockets_free(&t);
	free(text);
	free(answer);
	return 0;
}
