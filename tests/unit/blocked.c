// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of since when threads were blocked: those that are in the task table and were
 * blocked at START, and no others.
 */
#include <stdlib.h>

#include "lib/device/device.h"
#include "lib/record/blocked.h"
#include "tap.h"

#define NR	9
/* Of a module whose slots have grown since. */
#define BYTES	(sizeof(struct wallprof_task) + 24)

/* Memory of just that size, so that ASan sees what is beyond. */
static struct wp_device fresh(void)
{
	struct wp_device dev = {
		.fd = -1,
		.conf = { .nr_tasks = NR, .task_bytes = BYTES, .tasks_offset = 64 },
	};

	dev.map = calloc(1, 64 + NR * BYTES);
	if (!dev.map)
		exit(2);
	return dev;
}

static void put(const struct wp_device *dev, __u32 i, __u32 phase, __u32 tid, __u64 start_time,
		__u64 since)
{
	struct wallprof_task *task = (void *)(dev->map + 64 + i * BYTES);

	*task = (struct wallprof_task){
		.phase = phase, .tid = tid, .start_time = start_time, .asleep_since = since,
	};
}

int main(void)
{
	const struct wallprof_task ended = {
		.phase = WALLPROF_TASK_EXITED, .tid = 25, .start_time = 250, .asleep_since = 6,
	};
	struct wp_device dev = fresh();
	struct wp_blocked s = { 0 };
	int err;

	err = wp_blocked_read(&s, &dev);
	ok(!err && !s.nr && !wp_blocked_since(&s, 1, 1), "nobody in an empty table");
	put(&dev, 0, WALLPROF_TASK_OFF, 30, 300, 3);
	err = wp_blocked_read(&s, &dev);
	ok(!err && !wp_blocked_since(&s, 30, 300), "it is read but once");
	wp_blocked_free(&s);
	put(&dev, 2, WALLPROF_TASK_RUNNING, 20, 200, 2);
	put(&dev, 3, WALLPROF_TASK_FREE, 40, 400, 4);
	put(&dev, 5, WALLPROF_TASK_OFF, 50, 500, 0);
	put(&dev, 7, WALLPROF_TASK_OFF, 10, 150, 1);
	put(&dev, 8, WALLPROF_TASK_OFF, 10, 100, 5);
	err = wp_blocked_read(&s, &dev);
	ok(!err && s.nr == 4, "threads that were blocked (%zu)", s.nr);
	ok(wp_blocked_since(&s, 30, 300) == 3, "and still are");
	ok(wp_blocked_since(&s, 20, 200) == 2, "or runs again");
	ok(!wp_blocked_since(&s, 40, 400), "not who has no slot any more");
	ok(!wp_blocked_since(&s, 50, 500), "nor who was awake");
	ok(wp_blocked_since(&s, 10, 150) == 1 && wp_blocked_since(&s, 10, 100) == 5 &&
	   !wp_blocked_since(&s, 10, 120), "threads of the same number are distinguished");
	err = wp_blocked_add(&s, &ended);
	ok(!err && s.nr == 5 && wp_blocked_since(&s, 25, 250) == 6 &&
	   wp_blocked_since(&s, 30, 300) == 3, "and one that ended, among them");
	err = wp_blocked_add(&s, &ended);
	ok(!err && s.nr == 5, "once");
	wp_blocked_free(&s);
	ok(!wp_blocked_since(&s, 30, 300), "nobody when they are forgotten");
	free((void *)dev.map);
	return done();
}
