/* SPDX-License-Identifier: GPL-2.0 */
/* How a test module comes by a session of wallprof that is running. */
#ifndef WALLPROF_TEST_FIND_H
#define WALLPROF_TEST_FIND_H

#include <linux/kallsyms.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

struct wp_session;

static inline void wp_find_match(struct tracepoint *tp, void *found)
{
	if (!strcmp(tp->name, "sched_switch"))
		*(struct tracepoint **)found = tp;
}

/**
 * wp_find_session - the session that came first, of those with OFFCPU
 * @probe: out: its sched_switch probe
 *
 * It is the data pointer of that probe. Nothing keeps it alive but the test,
 * which does not close it.
 *
 * Context: process.
 * Return: the session, or NULL.
 */
static inline struct wp_session *wp_find_session(void **probe)
{
	struct wp_session *session = NULL;
	struct tracepoint *tp = NULL;
	struct tracepoint_func *func;
	char name[KSYM_SYMBOL_LEN];

	for_each_kernel_tracepoint(wp_find_match, &tp);
	if (!tp)
		return NULL;
	rcu_read_lock_sched();
	func = rcu_dereference_sched(tp->funcs);
	for (; func && func->func; func++) {
		sprint_symbol(name, (unsigned long)func->func);
		/* Sessions of several kinds have probes of their own, whose names begin so. */
		if (strncmp(name, "wp_probe_sched_switch", strlen("wp_probe_sched_switch")) ||
		    !strstr(name, "+0x0/"))
			continue;
		*probe = func->func;
		session = func->data;
		break;
	}
	rcu_read_unlock_sched();
	return session;
}

#endif /* WALLPROF_TEST_FIND_H */
