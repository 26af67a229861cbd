// SPDX-License-Identifier: GPL-2.0
/* 5.11, and taken over into 5.4: a lock for the end of an exec alone. */
#include <linux/rwsem.h>
#include <linux/sched/signal.h>

int wp_test(struct signal_struct *signal);
int wp_test(struct signal_struct *signal)
{
	return down_read_trylock(&signal->exec_update_lock);
}
