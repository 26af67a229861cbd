// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the decoding of the scheduler's tracepoints in a perf.data: from the payloads in
 * any kernel's formats to one common form. Called by the commands that read timelines.
 *
 * A payload has thread ids, but no process ids: those come from earlier records.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <linux/perf_event.h>

#include "lib/base/idmap.h"
#include "lib/profile/schedevents.h"

/* Bits of prev_state that can have letters. */
#define STATE_BITS	16

/* "D", the same in all kernels. */
#define TASK_UNINTERRUPTIBLE	0x2

/* An event of the file, and its fields; NULL where a field is missing. */
struct kind {
	bool known;
	enum wp_schedevent_type type;
	const struct wp_tracepoint_field *comm, *pid, *prio, *state;
	const struct wp_tracepoint_field *next_comm, *next_pid, *next_prio;
	const struct wp_tracepoint_field *from_cpu, *to_cpu;
};

struct wp_schedevents {
	const struct wp_perfevents *events;
	struct kind *kinds;
	char letter[STATE_BITS];
	__u64 preempted;	/* the bit of prev_state */
	__u64 noload;		/* the bit of state "N"; 0 if there is none */
	bool any;
	struct wp_idmap tids;
	__s32 *pids;
	size_t room;
	struct wp_schedevent last;	/* for is_again(), in a sample */
};

static const struct {
	const char *name;
	enum wp_schedevent_type type;
} names[] = {
	{ "sched_switch", WP_SCHED_SWITCH },
	{ "sched_waking", WP_SCHED_WAKING },
	{ "sched_wakeup_new", WP_SCHED_WAKEUP_NEW },
	{ "sched_migrate_task", WP_SCHED_MIGRATE },
	{ "sched_wakeup", WP_SCHED_WAKING },
};

#define NR_NAMES	(sizeof(names) / sizeof(names[0]))

static bool is_event(const struct wp_perfevent *event, const char *name)
{
	const struct wp_tracepoint *tp = event->tracepoint;
	const __u64 needed = PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW;

	return tp && !strcmp(tp->system, "sched") && !strcmp(tp->name, name) &&
	       (event->attr.sample_type & needed) == needed;
}

static bool has_event(const struct wp_perfevents *events, const char *name)
{
	unsigned int i;

	for (i = 0; i < events->nr; i++) {
		if (is_event(&events->event[i], name))
			return true;
	}
	return false;
}

/*
 * The bit for a preempted thread, R+. In kernels before 4.14 it is in the format: "... &
 * 4096 ? "+" : """; in others it is the bit above the last state (TASK_REPORT_MAX in
 * include/linux/sched.h).
 */
static __u64 preempted_bit(const char *format, unsigned int last)
{
	const char *p = format;
	__u64 bit;
	char *end;

	while (p && (p = strstr(p, "prev_state & "))) {
		p += strlen("prev_state & ");
		bit = strtoull(p, &end, 0);
		if (end > p && !strncmp(end, " ? \"+\"", strlen(" ? \"+\"")) &&
		    !(bit & (bit - 1)) && bit >> last > 1)
			return bit;
	}
	return 2ULL << last;
}

/*
 * The letters of the states come from the event's print format: { 0x0001, "S" }, and so
 * on; { 1, "S" } in kernels before 4.14.
 */
static void find_letters(struct wp_schedevents *e, const struct wp_tracepoint *tp)
{
	const char *p = strstr(tp->text, "print fmt:");
	unsigned int last = 0;

	while (p && (p = strchr(p, '{'))) {
		unsigned long long flag;
		unsigned int bit;
		char *end;

		flag = strtoull(p + 1, &end, 0);
		p++;
		if (!flag || flag & (flag - 1) || flag >> STATE_BITS || strncmp(end, ", \"", 3) ||
		    !isalpha((unsigned char)end[3]) || end[4] != '"')
			continue;
		bit = __builtin_ctzll(flag);
		e->letter[bit] = end[3];
		if (end[3] == 'N')
			e->noload = flag;
		last = bit > last ? bit : last;
	}
	e->preempted = preempted_bit(strstr(tp->text, "print fmt:"), last);
}

static void find_fields(struct kind *k, const struct wp_tracepoint *tp)
{
	bool is_switch = k->type == WP_SCHED_SWITCH;

	k->comm = wp_tracepoint_field(tp, is_switch ? "prev_comm" : "comm");
	k->pid = wp_tracepoint_field(tp, is_switch ? "prev_pid" : "pid");
	k->prio = wp_tracepoint_field(tp, is_switch ? "prev_prio" : "prio");
	k->state = wp_tracepoint_field(tp, "prev_state");
	k->next_comm = wp_tracepoint_field(tp, "next_comm");
	k->next_pid = wp_tracepoint_field(tp, "next_pid");
	k->next_prio = wp_tracepoint_field(tp, "next_prio");
	k->from_cpu = wp_tracepoint_field(tp, "orig_cpu");
	k->to_cpu = wp_tracepoint_field(tp, k->type == WP_SCHED_MIGRATE ? "dest_cpu" :
								       "target_cpu");
	/* Without these the event is useless. */
	k->known = k->pid && (!is_switch || (k->next_pid && k->state));
}

static void find_kinds(struct wp_schedevents *e)
{
	/* Where both events are there, each wakeup has both: use only one. */
	size_t nr = NR_NAMES - has_event(e->events, "sched_waking"), n;
	unsigned int i;

	for (i = 0; i < e->events->nr; i++) {
		const struct wp_perfevent *event = &e->events->event[i];
		struct kind *k = &e->kinds[i];

		for (n = 0; n < nr; n++) {
			if (!is_event(event, names[n].name))
				continue;
			k->type = names[n].type;
			find_fields(k, event->tracepoint);
			if (k->type == WP_SCHED_SWITCH)
				find_letters(e, event->tracepoint);
			e->any |= k->known && k->type == WP_SCHED_SWITCH;
		}
	}
}

/**
 * wp_schedevents_new() - find the scheduler's events among those of a file
 * @out: set to the decoder, to be freed
 * @records: the file's records, which must stay valid until then
 *
 * Return: 0 or -ENOMEM.
 */
int wp_schedevents_new(struct wp_schedevents **out, const struct wp_perfrecords *records)
{
	struct wp_schedevents *e = calloc(1, sizeof(*e));

	*out = NULL;
	if (!e)
		return -ENOMEM;
	e->events = wp_perfrecords_events(records);
	e->kinds = calloc(e->events->nr, sizeof(*e->kinds));
	if (!e->kinds) {
		free(e);
		return -ENOMEM;
	}
	find_kinds(e);
	*out = e;
	return 0;
}

/**
 * wp_schedevents_any() - whether there are switches to decode
 * @e: the decoder
 *
 * Return: true if the file has sched:sched_switch with the required fields.
 */
bool wp_schedevents_any(const struct wp_schedevents *e)
{
	return e->any;
}

/* Set the process of a thread. */
static int set_pid(struct wp_schedevents *e, __s32 tid, __s32 pid)
{
	__u32 nr = wp_idmap_find(&e->tids, tid);
	__s32 *more;
	int err;

	if (tid <= 0 || pid <= 0)
		return 0;
	if (nr != WP_IDMAP_NONE) {
		e->pids[nr] = pid;
		return 0;
	}
	if (e->tids.nr == e->room) {
		more = reallocarray(e->pids, e->room ? 2 * e->room : 64, sizeof(*more));
		if (!more)
			return -ENOMEM;
		e->pids = more;
		e->room = e->room ? 2 * e->room : 64;
	}
	err = wp_idmap_add(&e->tids, tid, &nr);
	if (err < 0)
		return err;
	e->pids[nr] = pid;
	return 0;
}

static __s32 pid_of(const struct wp_schedevents *e, __s32 tid)
{
	__u32 nr;

	if (!tid)
		return 0;
	nr = wp_idmap_find(&e->tids, tid);
	return nr == WP_IDMAP_NONE ? WP_SCHED_NO_PID : e->pids[nr];
}

static void read_thread(const struct wp_schedevents *e, const struct wp_perfrecord *rec,
			const struct wp_tracepoint_field *pid,
			const struct wp_tracepoint_field *prio,
			const struct wp_tracepoint_field *comm, struct wp_schedthread *t)
{
	t->tid = wp_tracepoint_get(pid, rec->raw);
	t->pid = pid_of(e, t->tid);
	t->prio = prio ? wp_tracepoint_get(prio, rec->raw) : -1;
	wp_tracepoint_get_text(comm, rec->raw, rec->raw_size, t->comm, sizeof(t->comm));
}

static void read_state(const struct wp_schedevents *e, __u64 state, struct wp_schedevent *ev)
{
	__u64 bits = state & (e->preempted - 1);

	ev->preempted = state & e->preempted;
	ev->state = 'R';
	/* Kernels before 4.14 have no letter of their own for idle kernel threads. */
	if (bits & e->noload && bits & TASK_UNINTERRUPTIBLE)
		ev->state = 'I';
	else if (bits && e->letter[__builtin_ctzll(bits)])
		ev->state = e->letter[__builtin_ctzll(bits)];
}

/*
 * While perf attaches its events, the kernel may emit each event twice, with the same
 * time: no thread leaves a CPU twice in a nanosecond.
 */
static bool is_again(struct wp_schedevents *e, const struct wp_schedevent *ev)
{
	const struct wp_schedevent *last = &e->last;
	bool again = last->type == ev->type && last->time == ev->time && last->cpu == ev->cpu &&
		     last->who.tid == ev->who.tid && last->other.tid == ev->other.tid &&
		     last->to_cpu == ev->to_cpu;

	e->last = *ev;
	return again && ev->time;
}

static int decode_sample(struct wp_schedevents *e, const struct wp_perfrecord *rec,
			 struct wp_schedevent *ev)
{
	const struct kind *k = &e->kinds[rec->event];
	int err;

	if (!k->known)
		return 0;
	err = set_pid(e, rec->tid, rec->pid);
	if (err)
		return err;
	ev->type = k->type;
	ev->chain = rec->chain;
	ev->nr_chain = rec->nr_chain;
	read_thread(e, rec, k->pid, k->prio, k->comm, &ev->who);
	if (k->type == WP_SCHED_SWITCH) {
		read_thread(e, rec, k->next_pid, k->next_prio, k->next_comm, &ev->other);
		read_state(e, wp_tracepoint_get(k->state, rec->raw), ev);
		return !is_again(e, ev);
	}
	ev->other = (struct wp_schedthread){ .tid = rec->tid, .pid = rec->pid, .prio = -1 };
	ev->from_cpu = k->from_cpu ? wp_tracepoint_get(k->from_cpu, rec->raw) : ev->cpu;
	ev->to_cpu = k->to_cpu ? wp_tracepoint_get(k->to_cpu, rec->raw) : ev->cpu;
	return !is_again(e, ev);
}

static int decode_comm(struct wp_schedevents *e, const struct perf_event_header *header,
		       struct wp_schedevent *ev)
{
	const char *base = (const char *)(header + 1);
	size_t room = header->size - sizeof(*header);
	__u32 ids[2];

	if (room <= sizeof(ids))
		return 0;
	memcpy(ids, base, sizeof(ids));
	room -= sizeof(ids);
	ev->type = WP_SCHED_NAME;
	ev->who = (struct wp_schedthread){ .pid = ids[0], .tid = ids[1], .prio = -1 };
	memcpy(ev->who.comm, base + sizeof(ids),
	       strnlen(base + sizeof(ids), room < WP_SCHED_COMM - 1 ? room : WP_SCHED_COMM - 1));
	return set_pid(e, ev->who.tid, ev->who.pid) ?: 1;
}

static int decode_fork(struct wp_schedevents *e, const struct perf_event_header *header,
		       struct wp_schedevent *ev)
{
	/* Process and parent, thread and parent. */
	__u32 ids[4];

	if (header->size < sizeof(*header) + sizeof(ids))
		return 0;
	memcpy(ids, header + 1, sizeof(ids));
	ev->type = header->type == PERF_RECORD_FORK ? WP_SCHED_FORK : WP_SCHED_EXIT;
	ev->who = (struct wp_schedthread){ .pid = ids[0], .tid = ids[2], .prio = -1 };
	ev->other = (struct wp_schedthread){ .pid = ids[1], .tid = ids[3], .prio = -1 };
	return set_pid(e, ev->who.tid, ev->who.pid) ?: 1;
}

static int decode_lost(const struct perf_event_header *header, struct wp_schedevent *ev)
{
	/* LOST has the id of the event first. */
	size_t at = header->type == PERF_RECORD_LOST ? sizeof(__u64) : 0;

	if (header->size < sizeof(*header) + at + sizeof(ev->lost))
		return 0;
	memcpy(&ev->lost, (const char *)(header + 1) + at, sizeof(ev->lost));
	ev->type = WP_SCHED_LOST;
	return !!ev->lost;
}

/**
 * wp_schedevents_decode() - decode a record
 * @e: the decoder
 * @rec: a record of the file, in order of time
 * @ev: filled in
 *
 * Return: 1 if it is an event of the scheduler; 0 if not, and @ev is undefined; or
 * -ENOMEM.
 */
int wp_schedevents_decode(struct wp_schedevents *e, const struct wp_perfrecord *rec,
			  struct wp_schedevent *ev)
{
	*ev = (struct wp_schedevent){ .time = rec->time, .cpu = rec->cpu };
	switch (rec->header->type) {
	case PERF_RECORD_SAMPLE:
		return decode_sample(e, rec, ev);
	case PERF_RECORD_COMM:
		return decode_comm(e, rec->header, ev);
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return decode_fork(e, rec->header, ev);
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		return decode_lost(rec->header, ev);
	}
	return 0;
}

/**
 * wp_schedevents_free() - free the decoder
 * @e: the decoder, or NULL
 */
void wp_schedevents_free(struct wp_schedevents *e)
{
	if (!e)
		return;
	wp_idmap_free(&e->tids);
	free(e->pids);
	free(e->kinds);
	free(e);
}
