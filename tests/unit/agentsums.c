// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of what the agent sums by service for metrics: hostile names, and the limits of
 * services and of processes in a window, beyond which nothing is lost.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cmd/agent/agent.h"
#include "lib/base/err.h"
#include "tap.h"

#define SERVICES	2000
#define PROCESSES	8192

/* Here a process has the service that its number says; labels.c would read /proc. */
const struct wp_service wp_agent_kernel = { .name = "kernel" };

const struct wp_service *wp_agent_label(struct wp_agent_labels *l, __u32 pid, const char *comm)
{
	static struct wp_service service;

	snprintf(service.name, sizeof(service.name), "of %u", pid % 10);
	return &service;
}

static int add(struct wp_agent_sums *s, const char *name, const char *container, __u64 ns)
{
	const __u64 all[WP_OTLP_KINDS] = { ns, 2 * ns, 3 * ns };
	struct wp_service service = { 0 };

	snprintf(service.name, sizeof(service.name), "%s", name);
	snprintf(service.container, sizeof(service.container), "%s", container);
	return wp_agent_sums_add(s, &service, all);
}

/* Time of the services of a name and a container; NULL: of what has no place. */
static __u64 time_of(const struct wp_agent_sums *s, const char *name, const char *container)
{
	const char *found, *in;
	__u64 ns = 0;
	size_t i;

	for (i = 0; i < s->services.nr; i++) {
		found = wp_agent_sums_name(s, i, &in);
		if (name ? found && !strcmp(found, name) && !strcmp(in, container) : !found)
			ns += s->sum[i].ns[WP_OTLP_BLOCKED];
	}
	return ns;
}

static void test_names(void)
{
	struct wp_agent_sums s = { .wanted = true };
	int err;

	err = add(&s, "a\xff\nb", "", 1) | add(&s, "a\xfe\rb", "", 2) | add(&s, "a", "c", 4) |
	      add(&s, "a", "", 8) | add(&s, "", "", 16) | add(&s, "", "c", 32);
	ok(!err && time_of(&s, "a??b", "") == 3, "names that are written alike are one");
	ok(time_of(&s, "a", "c") == 4 && time_of(&s, "a", "") == 8, "a container is another service");
	ok(time_of(&s, "", "") == 16 && time_of(&s, "", "c") == 32 && !time_of(&s, NULL, NULL) &&
	   !s.overflowed, "so is one without a name, which has a place");
	ok(s.sum[0].ns[WP_OTLP_RUNNABLE] == 2 * s.sum[0].ns[WP_OTLP_BLOCKED] &&
	   s.sum[0].ns[WP_OTLP_CPU] == 3 * s.sum[0].ns[WP_OTLP_BLOCKED], "each kind is summed");
	wp_agent_sums_free(&s);
	ok(!add(&s, "a", "", 1) && !s.services.nr, "without a reader nothing is summed");
}

/* A service is kept for an hour without time. */
static void test_sweep(void)
{
	const __u64 hour = 3600 * 1000000000ULL;
	struct wp_agent_sums s = { .wanted = true, .start = 17, .now = hour };
	char name[32];
	unsigned int i;
	int err = 0;

	for (i = 0; i < 1000; i++) {
		s.now += hour / 1000;
		snprintf(name, sizeof(name), "of %u", i);
		err |= add(&s, name, "", 1 + i) | add(&s, "good", "c", 1);
		wp_agent_sums_sweep(&s, 1000 + i);
	}
	ok(!err && s.services.nr == 1001 && !s.restart, "services of an hour are kept");
	s.now += hour / 2;
	err = add(&s, "of 3", "", 1);
	wp_agent_sums_sweep(&s, 5000);
	/* 0 to 498, but this one. */
	ok(!err && s.services.nr == 1001 - 498, "what is older is dropped");
	ok(!time_of(&s, "of 498", "") && time_of(&s, "of 499", "") == 500 &&
	   time_of(&s, "of 999", "") == 1000 && time_of(&s, "of 3", "") == 5 &&
	   time_of(&s, "good", "c") == 1000, "others have their names and sums");
	err = add(&s, "of 498", "", 1);
	ok(!err && time_of(&s, "of 498", "") == 1, "one that comes back counts from zero");
	ok(s.sum[0].start == 17 && s.sum[s.services.nr - 1].start == 5000, "... since then");
	s.now += 3 * hour;
	wp_agent_sums_sweep(&s, 6000);
	ok(!s.services.nr && !add(&s, "a", "", 1) && time_of(&s, "a", "") == 1, "all of them");
	wp_agent_sums_free(&s);
}

/* The same service in two groups, and in none. */
static void test_groups(void)
{
	const __u64 ns[WP_OTLP_KINDS] = { 1, 1, 1 };
	struct wp_service service = { .name = "a", .container = "c" };
	struct wp_agent_sums s = { .wanted = true };
	int err;

	err = wp_agent_sums_add(&s, &service, ns);
	strcpy(service.group, "/x\n");
	err |= wp_agent_sums_add(&s, &service, ns) | wp_agent_sums_add(&s, &service, ns);
	strcpy(service.group, "/y");
	err |= wp_agent_sums_add(&s, &service, ns);
	ok(!err && s.services.nr == 3 && time_of(&s, "a", "c") == 4 &&
	   s.sum[1].ns[WP_OTLP_BLOCKED] == 2, "a service in two control groups counts for each");
	ok(!*wp_agent_sums_group(&s, 0) && !strcmp(wp_agent_sums_group(&s, 1), "/x?") &&
	   !strcmp(wp_agent_sums_group(&s, 2), "/y"), "... which have their paths");
	ok(wp_agent_sum_of(&s, NULL) && !*wp_agent_sums_group(&s, 3), "what has no place has no path");
	wp_agent_sums_free(&s);
}

static void test_limit(void)
{
	struct wp_agent_sums s = { .wanted = true };
	const char *container;
	__u64 all = 0;
	unsigned int i;
	char name[32];
	int err = 0;

	for (i = 0; i < 2 * (SERVICES + 50); i++) {
		snprintf(name, sizeof(name), "service %u", i % (SERVICES + 50));
		err |= add(&s, name, "", 1);
	}
	for (i = 0; i < s.services.nr; i++)
		all += s.sum[i].ns[WP_OTLP_BLOCKED];
	ok(!err && s.services.nr == SERVICES + 1 && all == 2 * (SERVICES + 50),
	   "the number of services is limited, and no time is lost");
	ok(time_of(&s, NULL, NULL) == 100 && s.overflowed == 100 &&
	   !wp_agent_sums_name(&s, SERVICES, &container) && s.sum[SERVICES].overflow,
	   "what is beyond is one without a name, and counted");
	ok(time_of(&s, "service 0", "") == 2 && !s.sum[0].overflow, "the others have their own");
	wp_agent_sums_free(&s);
}

/* A wait of 2 us and, with @full, more of 5 us than can be counted. */
static int add_hist(struct wp_agent *a, __u32 tgid, bool full)
{
	const struct wp_topkey key = {
		.tgid = tgid, .tid = tgid, .syscall = WALLPROF_SYSCALL_NONE,
		.reason = WALLPROF_REASON_FAULT,
	};
	const struct wallprof_aggr aggr = { .total = 7000, .runnable = 3000 };
	const struct wallprof_hist hist = {
		.blocked[2] = 1, .blocked[3] = full ? UINT32_MAX : 0, .runnable[2] = 1,
	};

	return wp_agent_hists_add(a, &key, NULL, &aggr, &hist);
}

static __u64 count_of(const struct wp_agent_sums *s, const char *name, bool blocked)
{
	const char *found, *container;
	__u64 nr = 0;
	size_t i;

	for (i = 0; i < s->services.nr; i++) {
		found = wp_agent_sums_name(s, i, &container);
		if (!found || (name && strcmp(found, name)))
			continue;
		nr += blocked ? s->sum[i].hist.blocked[2] : s->sum[i].hist.runnable[2];
	}
	return nr;
}

static void test_hists(void)
{
	struct wp_agent a = { .no_idle = true, .live.table.self = 15, .sums.wanted = true };
	int err;

	err = add_hist(&a, 13, false) | add_hist(&a, 23, false) | add_hist(&a, 13, true) |
	      add_hist(&a, 15, false);
	ok(!err && !a.sums.services.nr && !wp_agent_hists_turn(&a) &&
	   count_of(&a.sums, "of 3", true) == 3 && count_of(&a.sums, "of 3", false) == 3,
	   "waits of two processes are those of their service");
	ok(!count_of(&a.sums, "of 5", true) && count_of(&a.sums, "of 5", false) == 1,
	   "the agent's own waits are idle, unless it is runnable");
	ok(a.sums.sum[0].hist_ns[WP_OTLP_BLOCKED] == 12000 &&
	   a.sums.sum[0].hist_ns[WP_OTLP_RUNNABLE] == 9000, "their time is summed");
	ok(a.sums.sum[0].hist.blocked[3] == UINT32_MAX && a.sums.saturated == 1,
	   "a count that may stand for more is counted");
	ok(!wp_agent_hists_turn(&a) && count_of(&a.sums, NULL, false) == 4 &&
	   !add_hist(&a, 13, false) && !wp_agent_hists_turn(&a) &&
	   count_of(&a.sums, NULL, false) == 5, "a window has only its own");
	wp_agent_hists_free(&a.hists);
	wp_agent_sums_free(&a.sums);
}

static void test_many(void)
{
	struct wp_agent a = { .sums.wanted = true };
	unsigned int i;
	int err = 0;

	for (i = 1; i <= PROCESSES + 100; i++)
		err |= add_hist(&a, i, false);
	ok(!err && !wp_agent_hists_turn(&a) && count_of(&a.sums, NULL, true) == PROCESSES,
	   "the number of processes is limited");
	for (i = 0; i < a.sums.services.nr && !a.sums.sum[i].overflow; i++)
		;
	ok(i < a.sums.services.nr && a.sums.sum[i].hist.blocked[2] == 100 &&
	   a.sums.sum[i].hist_ns[WP_OTLP_RUNNABLE] == 300000, "... and the others are one");
	wp_agent_hists_free(&a.hists);
	wp_agent_sums_free(&a.sums);
}

int main(void)
{
	wp_set_verbosity(WP_SILENT);
	test_names();
	test_groups();
	test_sweep();
	test_limit();
	test_hists();
	test_many();
	return done();
}
