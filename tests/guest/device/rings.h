/* SPDX-License-Identifier: GPL-2.0 */
/* The timeline's rings of a session that has other things, too: read, and judged. */
#ifndef DEVICE_RINGS_H
#define DEVICE_RINGS_H

#include "device.h"

static inline const struct wallprof_ring *session_ring(const struct session *s, unsigned int cpu)
{
	return (void *)(s->map + s->c.rings_offset + cpu * s->c.ring_stride);
}

/* All that is in the rings of these CPUs was read. 0 or a negative errno. */
static inline int session_read_rings(const struct session *s, __u64 cpus)
{
	struct wallprof_tail *tails;
	size_t bytes;

	if (!(s->c.flags & WALLPROF_TIMELINE))
		return 0;
	bytes = s->c.map_bytes - s->c.tails_offset;
	tails = dev_map(s->fd, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, s->c.tails_offset);
	if ((void *)tails == MAP_FAILED)
		return -errno;
	for (unsigned int cpu = 0; cpu < s->nr_cpus; cpu++) {
		const struct wallprof_ring *ring = session_ring(s, cpu);

		if (cpus >> cpu % 64 & 1)
			__atomic_store_n(&tails[cpu].tail,
					 __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE),
					 __ATOMIC_RELEASE);
	}
	munmap(tails, bytes);
	return 0;
}

static inline bool is_wakeup(const struct wallprof_record *r)
{
	return r->type == WALLPROF_RECORD_WAKING || r->type == WALLPROF_RECORD_WAKEUP_NEW;
}

/*
 * Of a stopped session: what is in a CPU's ring is in order, of the session's time, and
 * each switch leaves the thread that the one before it came to, unless some are recorded
 * as lost in between. The losses in the records are those of the counter, if all records
 * are still there.
 */
static inline void session_judge_ring(struct session *s, unsigned int cpu)
{
	const struct wallprof_ring *ring = session_ring(s, cpu);
	const struct wallprof_record *records = (void *)((char *)ring + getpagesize());
	__u64 nr = ring->head > s->c.nr_records ? ring->head - s->c.nr_records : 0;
	bool all = s->c.target == WALLPROF_TARGET_ALL;
	__u64 last = s->start, recorded = ring->open;
	long long current = -1;

	for (; nr < ring->head; nr++) {
		const struct wallprof_record *r = &records[nr % s->c.nr_records];

		/* Nobody wakes an idle thread. */
		if (r->type >= WALLPROF_RECORD_MAX || (is_wakeup(r) && !r->tid) ||
		    r->time < last || r->time > s->stop)
			TROUBLE(s, "cpu %u: record %llu of type %u at %llu, after %llu, before %llu",
				cpu, (ull)nr, r->type, (ull)r->time, (ull)last, (ull)s->stop);
		last = r->time;
		if (r->type == WALLPROF_RECORD_LOST) {
			recorded += r->lost;
			current = -1;
		} else if (r->type == WALLPROF_RECORD_SWITCH) {
			/* A thread that executes takes its leader's id. */
			__u32 leaves = s->execs ? r->tgid : r->tid;

			/* No tracepoint has the last switch of a CPU that goes, to its idle. */
			if (all && current >= 0 && current != leaves && !(s->cpus_go && !leaves))
				TROUBLE(s, "cpu %u: record %llu: %u leaves, %lld came", cpu,
					(ull)nr, leaves, current);
			current = s->execs ? r->other_tgid : r->other_tid;
		}
	}
	if (ring->head <= s->c.nr_records && recorded != ring->lost)
		TROUBLE(s, "cpu %u: %llu records lost, %llu are recorded", cpu,
			(ull)ring->lost, (ull)recorded);
	if (s->c.flags & WALLPROF_OVERWRITE && ring->lost)
		TROUBLE(s, "cpu %u: %llu records lost, not overwritten", cpu, (ull)ring->lost);
}

/* session_end(), and the rings. */
static inline const char *session_end_rings(struct session *s)
{
	session_end(s);
	for (unsigned int cpu = 0; s->c.flags & WALLPROF_TIMELINE && cpu < s->nr_cpus; cpu++)
		session_judge_ring(s, cpu);
	return s->trouble[0] ? s->trouble : NULL;
}

/* As EXPECT_WHOLE(). */
#define EXPECT_ALL_WHOLE(s) do { \
	const char *trouble_ = session_end_rings(s); \
	EXPECT_EQ(NULL, trouble_) TH_LOG("%s", trouble_); \
} while (0)

#endif
