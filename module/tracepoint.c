// SPDX-License-Identifier: GPL-2.0
/*
 * Tracepoints: finds them at load; registers and unregisters a session's probes.
 *
 * The probes are those of switch.c, waking.c, process.c and timeline.c. Process context.
 */
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/tracepoint.h>

#include "compat/tracepoint.h"
#include "kernel_stack.h"
#include "probe.h"
#include "process.h"
#include "state.h"
#include "switch.h"
#include "timeline.h"
#include "tracepoint.h"
#include "waking.h"

enum wp_probe_nr {
	WP_PROBE_SWITCH,
	WP_PROBE_WAKING,
	WP_PROBE_FORK,
	WP_PROBE_EXEC,
	WP_PROBE_EXIT,
	/* The probes of timeline.c follow. */
	WP_PROBE_TIMELINE,
	WP_PROBE_MAX = WP_PROBE_TIMELINE + WP_TIMELINE_PROBES,
};

static struct wp_probe_desc *wp_probe_at(int i)
{
	static struct wp_probe_desc * const probes[WP_PROBE_TIMELINE] = {
		[WP_PROBE_SWITCH] = &wp_switch_probe_desc,
		[WP_PROBE_WAKING] = &wp_waking_probe_desc,
		[WP_PROBE_FORK] = &wp_fork_probe_desc,
		[WP_PROBE_EXEC] = &wp_exec_probe_desc,
		[WP_PROBE_EXIT] = &wp_exit_probe_desc,
	};

	return i < WP_PROBE_TIMELINE ? probes[i] : &wp_timeline_probe_descs[i - WP_PROBE_TIMELINE];
}

/* A session's function for a probe. Constant while that is registered. */
static void *wp_probe_of(const struct wp_session *session, int i)
{
	switch (i) {
	case WP_PROBE_SWITCH:
		return wp_switch_probe_of(session);
	case WP_PROBE_WAKING:
		return wp_waking_probe_of(session);
	default:
		return wp_probe_at(i)->probe;
	}
}

static void wp_tracepoints_match(struct tracepoint *tp, void *unused)
{
	int i;

	for (i = 0; i < WP_PROBE_MAX; i++) {
		if (!strcmp(tp->name, wp_probe_at(i)->name))
			wp_probe_at(i)->tracepoint = tp;
	}
}

/* Finds the extent of the kernel's function that calls several probes of a tracepoint. */
static void wp_tracepoints_find_caller(unsigned int nr, enum wp_probe_nr probe)
{
	void *caller = wp_tracepoint_iterator(wp_probe_at(probe)->tracepoint);
	unsigned long iterator = (unsigned long)caller;
	char name[KSYM_SYMBOL_LEN];
	unsigned long offset, size;
	char *at;

	if (!caller)
		return;
	/* name+0xOFFSET/0xSIZE */
	sprint_symbol(name, iterator);
	at = strrchr(name, '+');
	if (at && sscanf(at, "+%lx/%lx", &offset, &size) == 2)
		wp_stack_set_caller(nr, iterator - offset, iterator - offset + size);
}

/**
 * wp_tracepoints_find - find the tracepoints
 *
 * They are not exported by name, but the kernel exports an iterator.
 *
 * Context: process, at load.
 * Return: 0, or -ENOENT if the kernel lacks one.
 */
int wp_tracepoints_find(void)
{
	int i;

	for_each_kernel_tracepoint(wp_tracepoints_match, NULL);
	for (i = 0; i < WP_PROBE_MAX; i++) {
		if (!wp_probe_at(i)->tracepoint) {
			pr_err("this kernel has no tracepoint %s\n",
			       wp_probe_at(i)->name);
			return -ENOENT;
		}
	}
	wp_tracepoints_find_caller(0, WP_PROBE_SWITCH);
	wp_tracepoints_find_caller(1, WP_PROBE_WAKING);
	return 0;
}

/* The probes that a session's sums and targets need. */
static unsigned int wp_tracepoints_of_sums(const struct wp_session *session)
{
	unsigned int fork_exec = BIT(WP_PROBE_FORK) | BIT(WP_PROBE_EXEC);

	if (session->config.flags & WALLPROF_OFFCPU)
		return fork_exec | BIT(WP_PROBE_SWITCH) |
		       (session->config.flags & WALLPROF_WAKEUPS ?
			BIT(WP_PROBE_WAKING) : 0);
	if (session->config.target != WALLPROF_TARGET_ALL)
		return fork_exec | (wp_session_sees_switches(session) ? 0 :
				    BIT(WP_PROBE_EXIT));
	if (session->config.stack_flags & WALLPROF_STACK_TABLES)
		return BIT(WP_PROBE_FORK);
	return 0;
}

/* The probes that a session needs. */
static unsigned int wp_tracepoints_wanted(const struct wp_session *session)
{
	unsigned int wanted = wp_tracepoints_of_sums(session);

	if (session->config.flags & WALLPROF_TIMELINE)
		wanted |= GENMASK(WP_PROBE_MAX - 1, WP_PROBE_TIMELINE);
	return wanted;
}

/*
 * The probe of exec comes before all others of its tracepoint: an event on that tracepoint
 * finds the thread counted whose exec begins that, as perf's enable_on_exec does it.
 */
static int wp_tracepoints_prio(unsigned int nr)
{
	return TRACEPOINT_DEFAULT_PRIO + (nr == WP_PROBE_EXEC);
}

/* Registers probes, but for those that are. If one fails, none is left. */
static int wp_tracepoints_register(struct wp_session *session, unsigned int wanted)
{
	int i, err;

	/* The timeline's first: at a thread's last switch the sums free its slot. */
	for (i = WP_PROBE_MAX - 1; i >= 0; i--) {
		if (!(wanted & ~session->probes & BIT(i)))
			continue;
		err = tracepoint_probe_register_prio(wp_probe_at(i)->tracepoint,
						     wp_probe_of(session, i), session,
						     wp_tracepoints_prio(i));
		if (err) {
			wp_tracepoints_detach(session);
			return err;
		}
		session->probes |= BIT(i);
	}
	return 0;
}

/**
 * wp_tracepoints_follow - register the probes that follow the targets' children
 * @session: without probes
 *
 * Context: process.
 * Return: 0, or the kernel's error; then nothing is registered.
 */
int wp_tracepoints_follow(struct wp_session *session)
{
	return wp_tracepoints_register(session, BIT(WP_PROBE_FORK) | BIT(WP_PROBE_EXIT));
}

/**
 * wp_tracepoints_attach - register a session's probes
 * @session: ready for its probes to be called; it may follow already
 *
 * Context: process.
 * Return: 0, or the kernel's error; then nothing is registered.
 */
int wp_tracepoints_attach(struct wp_session *session)
{
	return wp_tracepoints_register(session, wp_tracepoints_wanted(session));
}

/**
 * wp_tracepoints_detach - unregister a session's probes
 * @session: a session that has ended: see wp_session_covers()
 *
 * To remove a probe, Linux 5.10 allocates a new list of the tracepoint's probes, and
 * keeps the probe if there is no memory. The probe is still called then, but finds that
 * the session has ended; the next call of this tries again.
 *
 * Context: process. When it returns, no unregistered probe runs any more.
 * Return: whether all are unregistered.
 */
bool wp_tracepoints_detach(struct wp_session *session)
{
	int i;

	if (!session->probes)
		return true;
	for (i = 0; i < WP_PROBE_MAX; i++) {
		if (session->probes & BIT(i) &&
		    !tracepoint_probe_unregister(wp_probe_at(i)->tracepoint,
						 wp_probe_of(session, i), session))
			session->probes &= ~BIT(i);
	}
	tracepoint_synchronize_unregister();
	return !session->probes;
}
