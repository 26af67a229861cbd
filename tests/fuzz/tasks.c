// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of module/pure/tasks.c: claims, frees and searches of 256 keys in a table of the
 * least size, against a list of keys and slots.
 *
 * Input: pairs of bytes: the operation, and its key.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <linux/bitops.h>

#include "pure/tasks.h"

#define NR WALLPROF_MIN_TASKS

static void init(struct wallprof_task *slot, void *arg)
{
	slot->start_time = (unsigned long)arg;
	slot->phase = WALLPROF_TASK_RUNNING;
}

static void must(bool good)
{
	if (!good)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wallprof_task *slots = calloc(NR, sizeof(*slots)), *has[256] = {};
	unsigned long *keys = calloc(NR, sizeof(*keys));
	unsigned long overflowed[BITS_TO_LONGS(NR / WP_BUCKET_WAYS)] = {};
	struct wp_tasks tasks;
	unsigned int used = 0;
	size_t i;

	wp_tasks_set(&tasks, keys, slots, overflowed, NR);
	for (i = 0; i + 1 < size; i += 2) {
		u8 op = data[i], k = data[i + 1];
		unsigned long key = 0xffff888000000000UL + (k + 1UL) * 0x2640;
		struct wallprof_task *slot;
		bool found;
		int other;

		if (op == 255) {
			wp_tasks_clear(&tasks);
			memset(has, 0, sizeof(has));
			used = 0;
		} else if (op < 110) {
			slot = wp_tasks_claim(&tasks, key, init, (void *)key, &found);
			must(found == !!has[k]);
			must(!found || slot == has[k]);
			must(!!slot == (has[k] || used < NR));
			must(!slot || slot->start_time == key);
			for (other = 0; slot && other < 256; other++)
				must(other == k || has[other] != slot);
			used += slot && !found;
			has[k] = slot;
		} else if (op < 180) {
			must(wp_tasks_free(&tasks, key) == !!has[k]);
			must(!has[k] || has[k]->phase == WALLPROF_TASK_FREE);
			used -= !!has[k];
			has[k] = NULL;
		} else {
			must(wp_tasks_find(&tasks, key) == has[k]);
		}
		must(tasks.used == used);
	}
	free(keys);
	free(slots);
	return 0;
}
