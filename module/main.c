// SPDX-License-Identifier: GPL-2.0
/*
 * wallprof: load and unload of the module.
 */
#include <linux/module.h>

#include "cpus.h"
#include "device.h"
#include "kernel_cache.h"
#include "mmput.h"
#include "remote.h"
#include "counters.h"
#include "tracepoint.h"

static int __init wp_init(void)
{
	int err;

	err = wp_tracepoints_find();
	if (err)
		return err;
	err = wp_mmput_init();
	if (err)
		return err;
	err = wp_remote_init();
	if (err)
		goto mmput;
	err = wp_cpus_init();
	if (err)
		goto remote;
	err = wp_counters_init();
	if (err)
		goto cpus;
	err = wp_kernel_cache_init();
	if (err)
		goto counters;
	err = wp_device_init();
	if (err)
		goto kernel_cache;
	return 0;
kernel_cache:
	wp_kernel_cache_exit();
counters:
	wp_counters_exit();
cpus:
	wp_cpus_exit();
remote:
	wp_remote_exit();
mmput:
	wp_mmput_exit();
	return err;
}

static void __exit wp_exit(void)
{
	wp_device_exit();
	wp_kernel_cache_exit();
	wp_counters_exit();
	wp_cpus_exit();
	wp_remote_exit();
	wp_mmput_exit();
}

module_init(wp_init);
module_exit(wp_exit);

MODULE_DESCRIPTION("Wall-clock profiler: on-CPU and off-CPU time with user stacks");
MODULE_AUTHOR("The wallprof authors");
MODULE_LICENSE("GPL");
MODULE_VERSION(WALLPROF_VERSION);
