// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of the files of container runtimes, as a worker reads them: the input is a file. The
 * names that are found have an end, and a file that has none is no success.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/sandbox/containerfile.h"

#define ID	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size ? size : 1);	/* what is behind it is not ours */
	struct wp_container c;
	int err;

	if (!text)
		abort();
	memcpy(text, data, size);
	err = wp_containerfile_parse(text, size, ID, &c);
	free(text);
	if (!wp_container_is_valid(&c) || !err != wp_container_is_known(&c))
		abort();
	return 0;
}
