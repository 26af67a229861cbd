// SPDX-License-Identifier: GPL-2.0
/*
 * Attributes of samples that say why a thread did not run: its state and the reason, and, if
 * the session has them, what it waited for, who woke it, and who held the lock.
 */
#include "cmd/agent/agent.h"
#include "cmd/common/liveframes.h"
#include "lib/model/lockowner.h"
#include "lib/profile/waitwhere.h"

/* Functions of a stack that are looked at for the kind of a lock. */
#define INNERMOST	8

/* Of what an agent may have no room for further names. */
const struct wp_agent_named wp_agent_named[WP_LIVECAUSES] = {
	[WP_LIVECAUSE_OBJECT] = { "wallprof.object", "object" },
	[WP_LIVECAUSE_WAKER] = { "wallprof.waker", "waker" },
	[WP_LIVECAUSE_OWNER] = { "wallprof.lock.owner", "lock.owner" },
};

static const char *state_of(unsigned int kind, const struct wp_topkey *key)
{
	switch (kind) {
	case WP_TOP_RUN:
		return "on-cpu";
	case WP_TOP_RUNNABLE:
		return "runnable";
	default:
		return key->iowait ? "iowait" : wp_state_name(key->state);
	}
}

/*
 * Any memory can look like a lock that is held: the stack decides. Sets the kind of the lock,
 * or NULL.
 */
static int find_lock(struct wp_agent *a, const struct wp_topkey *key, const char **kind)
{
	const struct wp_function *stack[INNERMOST];
	struct wp_function function[INNERMOST];
	struct wp_liveframes frames;
	struct wp_topkey user = *key;
	struct wp_livename name;
	bool found = true, local = false;
	unsigned int nr = 0;
	int err;

	user.kernel = NULL;
	wp_liveframes_init(&frames, &a->live, &user);
	while (nr < INNERMOST) {
		err = wp_liveframes_next(&frames, &name, &found);
		if (err)
			return err;
		if (!found)
			break;
		function[nr] = (struct wp_function){ .name = name.name };
		stack[nr] = &function[nr];
		if (!nr)
			local = !name.name && name.file && wp_lockowner_is_libc(name.file);
		nr++;
	}
	*kind = wp_lockowner_kind(key->lock, wp_waitwhere_kind(stack, nr), local);
	return 0;
}

static void add_name(struct wp_otlp *otlp, enum wp_livecause which, const char *name,
		     __u32 *attribute, unsigned int *nr)
{
	if (name)
		attribute[(*nr)++] = wp_otlp_string(otlp, wp_agent_named[which].attribute, name);
}

/**
 * wp_agent_cause() - the attributes of a sample that say why
 * @a: the agent
 * @otlp: what the sample is for
 * @key: the share that it is of
 * @time: the kind of its time, enum wp_toptime
 * @attribute: they are added here
 * @nr: their number, which grows by five at most
 *
 * Return: 0 or -ENOMEM.
 */
int wp_agent_cause(struct wp_agent *a, struct wp_otlp *otlp, const struct wp_topkey *key,
		   unsigned int time, __u32 *attribute, unsigned int *nr)
{
	const struct wp_topnames *names = a->live.causes.names;
	const char *object, *lock = NULL;
	struct wp_cause cause;
	char text[48];
	int err;

	attribute[(*nr)++] = wp_otlp_string(otlp, "wallprof.state", state_of(time, key));
	if (time == WP_TOP_RUN)
		return 0;
	wp_topkey_cause(key, &cause);
	attribute[(*nr)++] = wp_otlp_string(otlp, "wallprof.reason",
					    wp_cause_name(&cause, text, sizeof(text)));
	err = key->owner ? find_lock(a, key, &lock) : 0;
	object = wp_topnames_text(&names[WP_LIVECAUSE_OBJECT], key->object);
	add_name(otlp, WP_LIVECAUSE_OBJECT, lock ? lock : object, attribute, nr);
	add_name(otlp, WP_LIVECAUSE_WAKER,
		 wp_topnames_text(&names[WP_LIVECAUSE_WAKER], key->waker), attribute, nr);
	if (lock)
		add_name(otlp, WP_LIVECAUSE_OWNER,
			 wp_topnames_text(&names[WP_LIVECAUSE_OWNER], key->owner), attribute, nr);
	return err;
}
