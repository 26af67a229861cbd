// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of module/pure/config.c and module/pure/layout.c: any configuration is valid or
 * not; the layout of a valid one must agree with the reference, and offsets must be found
 * in it.
 *
 * Input: the machine, then struct wallprof_configure; what the input lacks is taken from
 * a valid configuration; the last bytes are an offset.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "layout_model.h"
#include "pure/config.h"

struct input {
	u16 nr_cpus, nr_online, cpu_bytes;
	u8 page_shift, cpu_shift;
	struct wallprof_configure config;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {
		.config = {
			.flags = WALLPROF_OFFCPU | WALLPROF_SAMPLER, .max_stack = 1,
			.nr_aggrs = WALLPROF_MIN_AGGRS,
			.stack_words = WALLPROF_MIN_STACK_WORDS,
			.nr_exits = WALLPROF_MIN_EXITS, .nr_tasks = WALLPROF_MIN_TASKS,
			.attr_period = 1,
		},
	};
	struct wallprof_configure *c = &in.config, asked;
	struct wp_machine machine;
	struct wp_layout layout;
	u64 offset = 0, edge;

	memcpy(&in, data, size < sizeof(in) ? size : sizeof(in));
	if (size >= sizeof(offset))
		memcpy(&offset, data + size - sizeof(offset), sizeof(offset));
	machine.page_size = 4096ULL << in.page_shift % 5;
	machine.cpu_bytes = (u64)in.cpu_bytes << in.cpu_shift % 8;
	machine.nr_cpus = in.nr_cpus % (1 << WALLPROF_STACK_CPU_BITS) + 1;
	machine.cache_bytes = in.cpu_bytes;
	machine.growth = in.cpu_shift % (WALLPROF_MAX_GROWTH + 1);
	machine.nr_online = in.nr_online % machine.nr_cpus + 1;
	if (!wp_config_ok(c))
		return 0;
	wp_config_fill(c);
	asked = *c;
	if (!wp_layout_set(&layout, c, &machine) || !layout_holds(&layout, c, &machine))
		abort();
	if (memcmp(c, &asked, offsetof(struct wallprof_configure, map_bytes)))
		abort();
	edge = c->cpus_offset + offset % (machine.nr_cpus + 1) * c->cpu_stride;
	if (!layout_finds(&layout, c, c->rings_offset + offset % (machine.nr_cpus + 1) *
					      c->ring_stride))
		abort();
	if (!layout_finds(&layout, c, offset) || !layout_finds(&layout, c, edge) ||
	    !layout_finds(&layout, c, edge - 1))
		abort();
	return 0;
}
