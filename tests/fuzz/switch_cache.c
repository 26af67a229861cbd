// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of module/pure/switch_cache.h: three threads leave two CPUs and come, mappings change,
 * programs are executed and epochs end, against threads that are looked at anew.
 *
 * Input: pieces of 3 bytes: whose step it is, and what happens before; how it leaves; where
 * it is, and what happens meanwhile.
 */
#include <stdint.h>
#include <stdlib.h>

#include "switch_cache_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct habits_model *m = aligned_alloc(sizeof(struct wp_cached_switch), sizeof(*m));
	size_t i;

	memset(m, 0, sizeof(*m));
	habits_model_set(m);
	for (i = 0; i + 2 < size; i += 3) {
		const struct habits_step step = {
			.who = data[i] % HABITS_THREADS, .event = data[i] >> 4,
			.how = data[i + 1], .cpu = data[i + 2],
		};

		if (!habits_model_step(m, &step))
			abort();
	}
	free(m);
	return 0;
}
