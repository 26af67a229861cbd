// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of module/pure/unwind_fp.h: registers, limit and memory are the input's. The
 * walk must agree with the reference, end within its room, and read only what it may.
 *
 * Input: flags (bit 0: 32 bits; bits 1, 2: the address of the memory), max, then ip, sp
 * and fp (8 bytes each), relative to the memory as of bits 3 and 4 of the flags; the rest
 * is the memory.
 */
#include <stdint.h>
#include <stdlib.h>

#include "unwind_model.h"

struct input {
	u64 ip, sp, fp;
	u8 flags, max, pad[6];
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	u64 limit, bases[4], *ips, *model;
	struct input in;
	unsigned int max, nr, model_nr;
	u8 stop = 0xff, model_stop = 0xff;
	bool good;

	if (size < sizeof(in))
		return 0;
	memcpy(&in, data, sizeof(in));
	data += sizeof(in);
	size -= sizeof(in);
	limit = in.flags & 1 ? 1ULL << 32 : 0x7ffffffff000ULL;
	bases[0] = 0;
	bases[1] = 0x10000;
	bases[2] = limit - (size & ~7ULL);
	bases[3] = limit - (size / 2 & ~7ULL);
	user_memory = (struct user_memory){
		.bytes = data,
		.base = bases[in.flags >> 1 & 3],
		.size = size,
		.limit = limit,
		.word = in.flags & 1 ? 4 : 8,
	};
	user_memory.sp = in.sp + (in.flags & 8 ? user_memory.base : 0);
	in.fp += in.flags & 16 ? user_memory.base : 0;

	max = in.max % WALLPROF_MAX_STACK + 1;
	ips = malloc(max * sizeof(*ips));
	model = malloc(max * sizeof(*model));
	nr = user_unwind(in.ip, in.fp, ips, max, &stop);
	good = !user_memory.broken && user_memory.reads < max && nr >= 1 && nr <= max;
	model_nr = user_unwind_model(in.ip, in.fp, model, max, &model_stop);
	if (!good || nr != model_nr || stop != model_stop ||
	    memcmp(ips, model, nr * sizeof(*ips)))
		abort();
	free(ips);
	free(model);
	return 0;
}
