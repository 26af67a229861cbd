/* SPDX-License-Identifier: GPL-2.0 */
/*
 * /dev/wallprof: a session with the module. See device.c.
 */
#ifndef WP_LIB_DEVICE_H
#define WP_LIB_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include <linux/wallprof.h>

#define WP_CONTEXT_SCHED	0
#define WP_CONTEXT_SAMPLER	1
#define WP_CONTEXTS		2

/**
 * struct wp_device - a session
 * @fd: the device, or -1
 * @info: what the module can do
 * @conf: what was configured, and the layout of the mapping
 * @map: the mapping, or NULL
 * @map_bytes: its size
 */
struct wp_device {
	int fd;
	struct wallprof_info info;
	struct wallprof_configure conf;
	const char *map;
	size_t map_bytes;
};

/**
 * struct wp_half - a retired half, seen to lie within the mapping
 * @head: its head
 * @aggrs: aggregates
 * @nr_aggrs: of them
 * @words: stack words
 * @nr_words: of them
 * @exits: ended threads
 * @nr_exits: of them
 * @cpu: the CPU
 * @context: WP_CONTEXT_SCHED or WP_CONTEXT_SAMPLER
 */
struct wp_half {
	const struct wallprof_half *head;
	const struct wallprof_aggr *aggrs;
	__u32 nr_aggrs;
	const __u64 *words;
	__u32 nr_words;
	const struct wallprof_task *exits;
	__u32 nr_exits;
	__u32 cpu;
	__u32 context;
};

int wp_device_open(struct wp_device *dev);
void wp_device_close(struct wp_device *dev);
int wp_device_configure(struct wp_device *dev, const struct wallprof_configure *conf);
int wp_device_map(struct wp_device *dev);
int wp_device_start(struct wp_device *dev, __u64 *time);
int wp_device_flip(struct wp_device *dev, __u32 *epoch, __u64 *time);
int wp_device_stop(struct wp_device *dev, __u64 *time);
int wp_device_status(struct wp_device *dev, struct wallprof_status *status);
int wp_device_push(const struct wp_device *dev, const void *table, size_t size, __u32 *id);
int wp_device_maps(const struct wp_device *dev, __u32 pid, __u64 start_stack,
		   const struct wallprof_map *maps, __u32 nr);

bool wp_device_half(const struct wp_device *dev, __u32 cpu, __u32 context, __u32 epoch,
		    struct wp_half *half);
const struct wallprof_stack *wp_half_stack(const struct wp_half *half, __u32 *pos, __u64 *id);
const struct wallprof_task *wp_device_tasks(const struct wp_device *dev, __u32 *nr);

const char *wp_state_name(unsigned int state);
const char *wp_loss_name(unsigned int loss);
const char *wp_unwind_name(unsigned int unwind);

#endif /* WP_LIB_DEVICE_H */
