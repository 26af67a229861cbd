// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of module/pure/stack_cache.h: threads leave their CPU with stacks of three
 * processes, memory is written to, mappings change and epochs end, against the reference.
 *
 * Input: pieces of 4 bytes: the event, and its arguments. A stack's length comes last,
 * since that fills the ring.
 */
#include <stdint.h>
#include <stdlib.h>

#include "stack_cache_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct stack_cache_model *m = calloc(1, sizeof(*m));
	size_t i;

	stack_cache_model_set(m);
	for (i = 0; i + 3 < size; i += 4) {
		const uint8_t *d = data + i;
		const struct stack_cache_visit visit = {
			.process = d[0] % 4 % STACK_CACHE_PROCESSES, .fp = d[0] >> 2 & 1,
			.by_fp = d[0] >> 3 & 1, .ip = d[1] % STACK_CACHE_IPS,
			.step = 1 + (d[1] >> 4) % 3, .sp = d[2] % STACK_CACHE_SPS,
			.spoilt = d[2] >> 6 & d[1] >> 6, .nr = d[3] ? d[3] : 1,
		};

		if (d[0] < 192) {
			if (!stack_cache_model_visit(m, &visit))
				abort();
		} else if (d[0] < 240) {
			stack_cache_model_write(m, d[1] | d[2] << 8, d[3]);
		} else if (d[0] < 252) {
			stack_cache_model_map(m, d[1]);
		} else {
			m->epoch++;
		}
	}
	free(m);
	return 0;
}
