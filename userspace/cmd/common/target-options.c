// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the target options of a command. Called by commands that have a session with the
 * module, while their options are parsed.
 */
#include <errno.h>

#include "cmd/common/target-options.h"
#include "lib/base/err.h"
#include "lib/record/target.h"

static void warn_of_rest(const struct wp_target_options *w)
{
	if (w->pid && w->tid)
		wp_warn("PID switch overriding TID");
	if ((w->pid || w->tid) && w->uid)
		wp_warn("PID/TID switch overriding UID");
	if ((w->pid || w->tid) && w->all)
		wp_warn("PID/TID switch overriding SYSTEM");
	else if (w->uid && w->all)
		wp_warn("UID switch overriding SYSTEM");
}

/**
 * wp_target_options_set() - set an option
 * @w: the options
 * @id: -a, -p, -t, -u, -G by their letters, or WP_TARGET_OPTION_COMM
 * @arg: its value
 *
 * Return: 0, or -EINVAL if it is another one.
 */
int wp_target_options_set(struct wp_target_options *w, int id, const char *arg)
{
	switch (id) {
	case 'a':
		w->all = true;
		return 0;
	case 'p':
		w->pid = arg;
		return 0;
	case 't':
		w->tid = arg;
		return 0;
	case 'u':
		w->uid = arg;
		return 0;
	case WP_TARGET_OPTION_COMM:
		w->comm = arg;
		return 0;
	case 'G':
		w->group = arg;
		return 0;
	}
	return -EINVAL;
}

/**
 * wp_target_options_resolve() - choose among the given options
 * @w: the options
 * @t: set to the target; call wp_target_resolve() afterwards
 *
 * In perf's order: a process takes precedence over a thread, both over a user, all over
 * -a.
 *
 * Return: 0 or a negative errno after a message.
 */
int wp_target_options_resolve(const struct wp_target_options *w, struct wp_target *t)
{
	warn_of_rest(w);
	if ((w->comm || w->group) && (w->pid || w->tid || w->uid || (w->comm && w->group))) {
		wp_err("only one of --comm, -G, -p, -t and -u can select targets");
		return -EINVAL;
	}
	if ((w->comm || w->group) && w->all)
		wp_warn("%s switch overriding SYSTEM", w->comm ? "COMM" : "CGROUP");

	t->kind = WALLPROF_TARGET_ALL;
	if (w->pid)
		return wp_target_parse(t, WALLPROF_TARGET_PID, w->pid);
	if (w->tid)
		return wp_target_parse(t, WALLPROF_TARGET_TID, w->tid);
	if (w->uid)
		return wp_target_parse(t, WALLPROF_TARGET_UID, w->uid);
	if (w->comm)
		return wp_target_parse(t, WALLPROF_TARGET_COMM, w->comm);
	if (w->group)
		return wp_target_parse(t, WALLPROF_TARGET_CGROUP, w->group);
	return 0;
}
