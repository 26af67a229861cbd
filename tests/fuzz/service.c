// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of the service of a process: the first byte selects its control groups or its
 * environment, the rest is that text. What is found has an end, and a container is an id.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/proc/service.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wp_service s = {};
	char *text;

	if (!size)
		return 0;
	text = malloc(size);	/* what is behind it is not ours */
	if (!text)
		abort();
	memcpy(text, data + 1, size - 1);
	text[size - 1] = 0;
	if (data[0] & 1)
		wp_service_of_groups(text, &s);
	else
		wp_service_of_environment(text, size - 1, &s);
	free(text);
	if (!memchr(s.name, 0, sizeof(s.name)) || !memchr(s.container, 0, sizeof(s.container)))
		abort();
	if (*s.container && (strspn(s.container, "0123456789abcdefABCDEF") != 64 || *s.name))
		abort();
	return 0;
}
