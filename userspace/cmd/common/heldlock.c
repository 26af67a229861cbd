// SPDX-License-Identifier: GPL-2.0
/*
 * The lock that a thread waited for while it was known who held it. A recording has the owner
 * by the lock's memory; the stack decides whether it is one: see lib/model/lockowner.c.
 */
#include "cmd/common/heldlock.h"
#include "lib/model/lockowner.h"
#include "lib/profile/waitwhere.h"

/* The innermost functions: a stack of the kernel, and those that a lock is known by. */
#define INNERMOST	192

/**
 * wp_heldlock() - the kind of the lock that a line's thread waited for
 * @s: the samples; what wp_samples_functions() returned for this line stays valid
 * @l: the line, of off-CPU time
 *
 * Return: "mutex", "PI mutex", "rwlock", and the line's cause has the owner; NULL: it is not
 * known who held a lock, the stack is that of no such wait, or there is no memory.
 */
const char *wp_heldlock(struct wp_samples *s, const struct wp_profline *l)
{
	const struct wp_profile_cause *c = wp_profile_cause(s->profile, l->cause);
	const struct wp_function *stack[INNERMOST];
	const __u32 *functions;
	size_t nr, i;
	bool local;

	functions = c->owner ? wp_samples_functions(s, l, &nr) : NULL;
	if (!functions)
		return NULL;
	for (i = 0; i < nr && i < INNERMOST; i++)
		stack[i] = wp_profile_function(s->profile, functions[nr - 1 - i]);
	local = i && !stack[0]->name && wp_lockowner_is_libc(stack[0]->dso);
	return wp_lockowner_kind(c->lock, wp_waitwhere_kind(stack, i), local);
}
