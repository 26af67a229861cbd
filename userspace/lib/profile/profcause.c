// SPDX-License-Identifier: GPL-2.0
/*
 * The cause of a sample of off-CPU time, from its raw payload: of a recording with -R by the
 * payload's description, of another one from a struct wp_offcpu_raw. Called by profile.c.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/cause.h"
#include "lib/model/lockmemory.h"
#include "lib/model/syscalls.h"
#include "lib/perfdata/offcpuraw.h"
#include "lib/profile/profcause.h"

/**
 * wp_profcause_fields() - find the fields of a payload
 * @to: filled in; NULL for those that it lacks
 * @tp: the description
 */
void wp_profcause_fields(struct wp_profcause_fields *to, const struct wp_tracepoint *tp)
{
	to->state = wp_tracepoint_field(tp, "state");
	to->reason = wp_tracepoint_field(tp, "reason");
	to->syscall = wp_tracepoint_field(tp, "syscall");
	to->arg = wp_tracepoint_field(tp, "arg");
	to->object = wp_tracepoint_field(tp, "object");
	to->owner = wp_tracepoint_field(tp, "lock_owner");
	to->lock = wp_tracepoint_field(tp, "lock");
	to->count = wp_tracepoint_field(tp, "count");
	to->waker = wp_tracepoint_field(tp, "waker");
	to->waker_tid = wp_tracepoint_field(tp, "waker_tid");
	to->blocked_max = wp_tracepoint_field(tp, "blocked_max");
	to->runnable_max = wp_tracepoint_field(tp, "runnable_max");
}

static void get_text(const struct wp_tracepoint_field *f, const struct wp_perfrecord *rec,
		     char *buf, size_t room)
{
	if (f)
		wp_tracepoint_get_text(f, rec->raw, rec->raw_size, buf, room);
	if (!strcmp(buf, "-"))
		buf[0] = 0;
}

/*
 * Text of the wait's object: for a futex in a file's memory the variable, if it has a
 * name. For others the recorded text, whose end is the most specific part.
 */
static void get_object(const struct wp_profcauses *p, const struct wp_profcause_fields *event,
		       const struct wp_perfrecord *rec, struct wp_profile_cause *c)
{
	const size_t room = sizeof(c->object);
	char text[512] = "";
	size_t len;

	if (event->arg && !strncmp(c->syscall, "futex", 5) &&
	    wp_profstacks_variable(p->stacks, rec->pid, wp_tracepoint_get(event->arg, rec->raw),
				   c->object, room))
		return;
	get_text(event->object, rec, text, sizeof(text));
	len = strlen(text);
	snprintf(c->object, room, "%s", len < room ? text : text + len - room + 1);
	if (len >= room)
		memset(c->object, '.', 3);
}

/* Name of a system call; cached, as libseccomp is slow. */
static void get_call(struct wp_profcauses *p, __u32 nr, bool compat, struct wp_profile_cause *c)
{
	char buf[32], (*kept)[sizeof(buf)] = p->calls[compat];

	if (nr == WALLPROF_SYSCALL_NONE)
		return;
	if (nr >= WP_PROFCAUSE_CALLS) {
		snprintf(c->syscall, sizeof(c->syscall), "%s",
			 wp_syscall_name_on(p->arch, nr, compat, buf, sizeof(buf)));
		return;
	}
	if (!kept[nr][0])
		snprintf(kept[nr], sizeof(buf), "%s",
			 wp_syscall_name_on(p->arch, nr, compat, buf, sizeof(buf)));
	snprintf(c->syscall, sizeof(c->syscall), "%s", kept[nr]);
}

/**
 * wp_profcause_call() - name of the system call that a sample is summed by
 * @p: the names
 * @number: its number
 * @name: set to the name; empty if it has none
 *
 * Those of 32-bit programs have other numbers; the tracepoint does not say whose it is.
 */
void wp_profcause_call(struct wp_profcauses *p, const char *number, char name[WP_BYFIELD_TEXT])
{
	struct wp_profile_cause c = { .syscall = "" };
	unsigned long nr;

	if (!isdigit((unsigned char)*number))
		return;
	nr = strtoul(number, NULL, 10);
	if (nr >= WALLPROF_SYSCALL_OTHER)
		return;
	get_call(p, nr, false, &c);
	/* One without a name is "syscall 999". */
	if (!strchr(c.syscall, ' '))
		snprintf(name, WP_BYFIELD_TEXT, "%.*s", WP_BYFIELD_TEXT - 1, c.syscall);
}

static void set_owner(const struct wp_profcauses *p, struct wp_profile_cause *c, __u32 owner,
		      __u32 lock)
{
	const char *comm = owner ? wp_comms_find(p->comms, owner) : NULL;

	c->owner = owner;
	c->lock = lock;
	if (comm)
		snprintf(c->owner_comm, sizeof(c->owner_comm), "%s", comm);
}

/* Reads the cause of a sample of a recording without -R, whose objects are locks only. */
static bool get_cause(struct wp_profcauses *p, const struct wp_perfrecord *rec,
		      struct wp_profile_sample *sample, struct wp_profile_cause *c)
{
	struct wp_offcpu_raw raw;

	if (!wp_offcpu_raw_read(&raw, rec->raw, rec->raw_size))
		return false;
	snprintf(c->state, sizeof(c->state), "%s", wp_state_name(raw.state));
	snprintf(c->reason, sizeof(c->reason), "%s", wp_reason_name(raw.reason));
	get_call(p, raw.syscall, raw.compat, c);
	if (raw.lock && !wp_profstacks_variable(p->stacks, rec->pid, raw.lock, c->object,
						sizeof(c->object)))
		wp_lockmemory_text(raw.memory, raw.lock, c->object, sizeof(c->object));
	set_owner(p, c, WALLPROF_LOCK_OWNER_TID(raw.owner), WALLPROF_LOCK_OWNER_LOCK(raw.owner));
	sample->count = raw.count;
	sample->blocked_max = raw.blocked_max;
	sample->runnable_max = raw.runnable_max;
	return true;
}

/**
 * wp_profcause_read() - read the cause of a sample
 * @p: what names are found by
 * @event: the fields of its event's payload
 * @rec: the sample
 * @sample: number, lengths and waker of its intervals are set, if they are known
 * @c: filled in; all 0 before
 *
 * Return: whether it has a cause.
 */
bool wp_profcause_read(struct wp_profcauses *p, const struct wp_profcause_fields *event,
		       const struct wp_perfrecord *rec, struct wp_profile_sample *sample,
		       struct wp_profile_cause *c)
{
	if (event->is_short)
		return get_cause(p, rec, sample, c);
	if (!rec->raw || !event->reason)
		return false;
	if (event->state)
		snprintf(c->state, sizeof(c->state), "%s",
			 wp_state_name(wp_tracepoint_get(event->state, rec->raw)));
	snprintf(c->reason, sizeof(c->reason), "%s",
		 wp_reason_name(wp_tracepoint_get(event->reason, rec->raw)));
	get_text(event->syscall, rec, c->syscall, sizeof(c->syscall));
	get_object(p, event, rec, c);
	if (event->owner && event->lock)
		set_owner(p, c, wp_tracepoint_get(event->owner, rec->raw),
			  wp_tracepoint_get(event->lock, rec->raw));
	if (event->count)
		sample->count = wp_tracepoint_get(event->count, rec->raw);
	if (event->waker && event->waker_tid) {
		sample->waker = wp_waker_name(wp_tracepoint_get(event->waker, rec->raw));
		sample->waker_tid = wp_tracepoint_get(event->waker_tid, rec->raw);
	}
	if (event->blocked_max)
		sample->blocked_max = wp_tracepoint_get(event->blocked_max, rec->raw);
	if (event->runnable_max)
		sample->runnable_max = wp_tracepoint_get(event->runnable_max, rec->raw);
	return true;
}
