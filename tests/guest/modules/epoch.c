// SPDX-License-Identifier: GPL-2.0
/*
 * Brings a running session close to the end of its epochs, of which there are
 * so many that nobody can wait for it.
 *
 * Loading it begins the current epoch anew under a late number, as a flip
 * would, while all CPUs stand still. What that epoch held is gone: the test
 * sees to it that there was nothing. epoch.left says how many more may come.
 */
#include <linux/module.h>
#include <linux/stop_machine.h>
#include <linux/string.h>

#include "find.h"
#include "state.h"

static unsigned int left = 4;
module_param(left, uint, 0444);
MODULE_PARM_DESC(left, "flips until there are no more epochs");

static void wp_epoch_begin(struct wp_tables *tables, u32 epoch)
{
	struct wallprof_half *head = tables->half[epoch & 1].head;

	memset(head, 0, sizeof(*head));
	head->epoch = epoch;
	head->cpu = tables->cpu;
	head->stack_words = 1;
}

/* Context: all other CPUs wait with interrupts off. */
static int wp_epoch_jump(void *data)
{
	struct wp_session *session = data;
	u32 epoch = WP_EPOCH_MAX - left;
	unsigned int nr;

	for_each_possible_cpu(nr) {
		if (session->cpus[nr]->nomem)
			continue;
		if (session->config.flags & WALLPROF_OFFCPU)
			wp_epoch_begin(&session->cpus[nr]->sched, epoch);
		if (session->config.flags & WALLPROF_SAMPLER)
			wp_epoch_begin(&session->cpus[nr]->sampler, epoch);
	}
	WRITE_ONCE(session->epoch, epoch);
	return 0;
}

static int __init wp_epoch_init(void)
{
	struct wp_session *session;
	void *probe;

	session = wp_find_session(&probe);
	if (!session)
		return -ESRCH;
	return stop_machine(wp_epoch_jump, session, NULL);
}

static void __exit wp_epoch_exit(void)
{
}

module_init(wp_epoch_init);
module_exit(wp_epoch_exit);

MODULE_DESCRIPTION("wallprof test: the end of a session's epochs");
MODULE_AUTHOR("The wallprof authors");
MODULE_LICENSE("GPL");
