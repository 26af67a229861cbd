// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of module/pure/switch_cache.h: three threads leave two CPUs and come, mappings
 * change, programs are executed and epochs end, against the same without the cache.
 *
 * Input: pieces of 3 bytes: the thread and the event before its step; how it leaves; its
 * CPU and what happens while it is away.
 */
#include <stdint.h>
#include <stdlib.h>

#include "switch_cache_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct switch_cache_model *m = aligned_alloc(sizeof(struct wp_cached_switch), sizeof(*m));
	size_t i;

	memset(m, 0, sizeof(*m));
	switch_cache_model_set(m);
	for (i = 0; i + 2 < size; i += 3) {
		const struct switch_cache_step step = {
			.who = data[i] % SWITCH_CACHE_THREADS, .event = data[i] >> 4,
			.how = data[i + 1], .cpu = data[i + 2],
		};

		if (!switch_cache_model_step(m, &step))
			abort();
	}
	free(m);
	return 0;
}
