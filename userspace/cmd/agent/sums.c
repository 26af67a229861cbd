// SPDX-License-Identifier: GPL-2.0
/*
 * Owns what the agent counts by service, for metrics: sums since its start, over all windows.
 * They equal those of the profiles, to the nanosecond. textfile.c and metrics.c write them.
 *
 * Names of services are untrusted bytes, and what reads metrics drops a whole file or message
 * that is not UTF-8, or has two series of the same labels: services are distinguished by
 * their names as they are written.
 *
 * What a service does in two control groups is counted for each: the path of the group joins it
 * with the metrics of the group, as its limit of CPU time.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/agent/agent.h"
#include "lib/base/err.h"
#include "lib/base/text.h"

/* Further services are one without a name: a file and messages of some MB at most. */
#define MAX_SERVICES	2000

/* Services that nothing is added to for so long are dropped: containers come and go. */
#define KEEP_NS		(3600 * 1000000000ULL)
#define SWEEP_NS	(600 * 1000000000ULL)

const struct wp_agent_state wp_agent_states[WP_AGENT_STATES] = {
	{ WP_OTLP_CPU, "on-cpu" },
	{ WP_OTLP_RUNNABLE, "runnable" },
	{ WP_OTLP_BLOCKED, "blocked" },
};

/* As in profiles, byte by byte. */
static void add_clean(struct wp_buf *b, const char *s)
{
	char text[WP_SERVICE_NAME];

	snprintf(text, sizeof(text), "%s", s);
	wp_text_clean(text, false);
	wp_buf_add(b, text, strlen(text) + 1);
}

/* The number of what has no place, or 0: no memory. */
static __u32 overflow_of(struct wp_agent_sums *s)
{
	bool is_new;
	__u32 nr = wp_intern(&s->services, "", 1, &is_new);

	if (nr && is_new)
		wp_warn("metrics: more services than %u, or too many processes: the others are one without a name",
			MAX_SERVICES);
	return nr;
}

/* Number of a service, or 0: no memory. */
static __u32 number_of(struct wp_agent_sums *s, const struct wp_service *service)
{
	const char is_service = 1;
	struct wp_buf key = { 0 };
	__u32 nr = 0;

	if (!service)
		return overflow_of(s);
	wp_buf_add(&key, &is_service, 1);
	add_clean(&key, service->name);
	add_clean(&key, service->container);
	add_clean(&key, service->group);
	if (!key.failed)
		nr = wp_intern_find(&s->services, key.data, key.len);
	if (!key.failed && !nr)
		nr = s->services.nr >= MAX_SERVICES ? overflow_of(s) :
		     wp_intern(&s->services, key.data, key.len, NULL);
	wp_buf_free(&key);
	return nr;
}

/**
 * wp_agent_sum_of() - the sums of a service
 * @s: all sums
 * @service: the service; NULL: those that have no place
 *
 * Return: they, valid until the next call; NULL: no memory.
 */
struct wp_agent_sum *wp_agent_sum_of(struct wp_agent_sums *s, const struct wp_service *service)
{
	__u32 nr = number_of(s, service);
	struct wp_agent_sum *more;
	size_t room = 2 * nr;

	if (nr > s->room) {
		more = reallocarray(s->sum, room, sizeof(*more));
		if (!more)
			return NULL;
		memset(more + s->room, 0, (room - s->room) * sizeof(*more));
		s->sum = more;
		s->room = room;
	}
	if (!nr)
		return NULL;
	s->sum[nr - 1].overflow = !*(const char *)wp_intern_bytes(&s->services, nr, NULL);
	s->sum[nr - 1].used = s->now;
	if (!s->sum[nr - 1].start)
		s->sum[nr - 1].start = s->restart ? s->restart : s->start;
	return &s->sum[nr - 1];
}

/**
 * wp_agent_sums_add() - add time of a process in a window
 * @s: the sums
 * @service: its service
 * @ns: its time, by enum wp_otlp_kind
 *
 * Return: 0 or -ENOMEM.
 */
int wp_agent_sums_add(struct wp_agent_sums *s, const struct wp_service *service, const __u64 *ns)
{
	struct wp_agent_sum *sum;
	unsigned int i;

	if (!s->wanted)
		return 0;
	sum = wp_agent_sum_of(s, service);
	if (!sum)
		return -ENOMEM;
	s->overflowed += sum->overflow;
	for (i = 0; i < WP_OTLP_KINDS; i++)
		sum->ns[i] += ns[i];
	return 0;
}

static bool is_old(const struct wp_agent_sums *s, size_t i)
{
	return s->now - s->sum[i].used > KEEP_NS;
}

/* Those that are used, with their names. Returns false: no memory. */
static bool copy_used(const struct wp_agent_sums *s, struct wp_agent_sums *to)
{
	const void *name;
	size_t i, size;

	to->sum = calloc(s->services.nr, sizeof(*to->sum));
	to->room = s->services.nr;
	for (i = 0; to->sum && i < s->services.nr; i++) {
		if (is_old(s, i))
			continue;
		name = wp_intern_bytes(&s->services, i + 1, &size);
		if (!wp_intern(&to->services, name, size, NULL))
			return false;
		to->sum[to->services.nr - 1] = s->sum[i];
	}
	return to->sum;
}

/**
 * wp_agent_sums_sweep() - drop services that nothing has been added to for an hour
 * @s: the sums
 * @since_1970: the time at which @now is, nanoseconds since 1970
 *
 * Their time is in all messages and files since. If one comes back, it counts from zero.
 */
void wp_agent_sums_sweep(struct wp_agent_sums *s, __u64 since_1970)
{
	struct wp_agent_sums kept = { 0 };
	size_t i = 0;

	if (s->now - s->swept < SWEEP_NS)
		return;
	s->swept = s->now;
	while (i < s->services.nr && !is_old(s, i))
		i++;
	if (i == s->services.nr)
		return;
	/* Without memory, they are dropped later. */
	if (copy_used(s, &kept)) {
		wp_intern_free(&s->services);
		free(s->sum);
		s->services = kept.services;
		s->sum = kept.sum;
		s->room = kept.room;
		s->restart = since_1970;
	} else {
		wp_agent_sums_free(&kept);
	}
}

/**
 * wp_agent_sums_name() - name of a service, and its container
 * @s: the sums
 * @nr: number of the service, from 0 on
 * @container: set to the id of its container, or ""
 *
 * Return: its name; NULL: the sums of those that have no place.
 */
const char *wp_agent_sums_name(const struct wp_agent_sums *s, size_t nr, const char **container)
{
	const char *key = wp_intern_bytes(&s->services, nr + 1, NULL);

	*container = *key ? key + 1 + strlen(key + 1) + 1 : "";
	return *key ? key + 1 : NULL;
}

/**
 * wp_agent_sums_group() - control group of a service
 * @s: the sums
 * @nr: number of the service, from 0 on
 *
 * Return: the path of the group, or "".
 */
const char *wp_agent_sums_group(const struct wp_agent_sums *s, size_t nr)
{
	const char *container;

	if (!wp_agent_sums_name(s, nr, &container))
		return "";
	return container + strlen(container) + 1;
}

/**
 * wp_agent_sums_free() - free sums
 * @s: the sums
 */
void wp_agent_sums_free(struct wp_agent_sums *s)
{
	wp_intern_free(&s->services);
	free(s->sum);
	memset(s, 0, sizeof(*s));
}
