// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of who is who in the last seconds: the names at any time from the horizon on
 * are those of all records, in memory that does not grow.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/base/err.h"
#include "lib/perfdata/perfdata.h"
#include "lib/record/sidelog.h"
#include "tap.h"

#define S	1000000000ULL
#define MAX	(64 << 10)

struct task {
	struct perf_event_header header;
	__u32 pid, ppid, tid, ptid;
	__u64 time;
	struct wp_sample_id id;
};

struct comm {
	struct perf_event_header header;
	__u32 pid, tid;
	char comm[16];
	struct wp_sample_id id;
};

static int call(struct wp_sidelog *log, __u64 time, __u32 tid, const char *name)
{
	struct comm rec = {
		.header = { .type = PERF_RECORD_COMM, .size = sizeof(rec) },
		.pid = tid / 10 * 10, .tid = tid, .id.time = time,
	};

	strncpy(rec.comm, name, sizeof(rec.comm) - 1);
	return wp_sidelog_add(log, &rec.header, time);
}

static int task(struct wp_sidelog *log, __u64 time, int type, __u32 parent, __u32 tid)
{
	const struct task rec = {
		.header = { .type = type, .size = sizeof(rec) },
		.pid = tid / 10 * 10, .tid = tid, .ppid = parent, .ptid = parent,
		.time = time, .id.time = time,
	};

	return wp_sidelog_add(log, &rec.header, time);
}

/* What a reader of the file would know. */
struct known {
	struct wp_comms comms;
	unsigned int nr;
	__u64 last;
	bool ordered;
	__u32 pid;
};

static int learn(void *ctx, const struct perf_event_header *rec, __u64 time)
{
	struct known *k = ctx;

	k->nr++;
	k->ordered &= time >= k->last;
	k->last = time;
	if (rec->type == PERF_RECORD_COMM)
		k->pid = ((const struct comm *)rec)->pid;
	return wp_comms_record(&k->comms, rec);
}

static struct known known_at(const struct wp_sidelog *log, __u64 time)
{
	struct known k = { .ordered = true };
	size_t pos = 0;

	wp_sidelog_names(log, learn, &k);
	wp_sidelog_feed(log, &pos, time, learn, &k);
	return k;
}

static bool is_called(const struct wp_sidelog *log, __u64 time, __u32 tid, const char *name)
{
	struct known k = known_at(log, time);
	const char *found = wp_comms_find(&k.comms, tid);
	bool good = name ? found && !strcmp(found, name) : !found;

	wp_comms_free(&k.comms);
	return good && k.ordered;
}

static void names(void)
{
	struct wp_sidelog log;
	struct known k;
	int i;

	wp_sidelog_open(&log, MAX);
	ok(is_called(&log, ~0ULL, 10, NULL), "nobody");
	call(&log, 0, 10, "init");
	call(&log, 0, 13, "thread");
	k = known_at(&log, 0);
	ok(k.nr == 2 && k.pid == 10 && wp_comms_find(&log.now, 13),
	   "who was there before, and of which process");
	wp_comms_free(&k.comms);
	task(&log, 1 * S, PERF_RECORD_FORK, 10, 20);
	call(&log, 2 * S, 20, "child");
	task(&log, 3 * S, PERF_RECORD_EXIT, 10, 20);
	call(&log, 4 * S, 10, "other");
	ok(is_called(&log, 0, 20, NULL) && is_called(&log, 1 * S, 20, "init") &&
	   is_called(&log, 2 * S, 20, "child") && is_called(&log, 3 * S, 10, "init") &&
	   is_called(&log, 4 * S, 10, "other"), "names change in their time");
	wp_sidelog_fold(&log, 2 * S + 1);
	ok(is_called(&log, 0, 20, "child") && is_called(&log, 0, 10, "init") &&
	   is_called(&log, 4 * S, 10, "other"), "what is folded was so from the beginning");
	for (i = 1; i < 5; i++)
		wp_sidelog_fold(&log, 3 * S + i);
	ok(is_called(&log, 0, 20, "child"), "who has just died may switch once more");
	for (i = 5; i < 9; i++) {
		call(&log, i * S, 10, "other");
		wp_sidelog_fold(&log, i * S);
	}
	ok(is_called(&log, ~0ULL, 20, NULL) && is_called(&log, 0, 10, "other"),
	   "who is long dead is forgotten");
	ok(!wp_comms_find(&log.now, 20) && !strcmp(wp_comms_find(&log.now, 10), "other"),
	   "also of those that there are now");
	wp_sidelog_close(&log);
	wp_sidelog_close(&log);
}

/* A storm of forks, for hours. */
static void storm(bool folded)
{
	struct wp_sidelog log;
	__u64 t = 0;
	__u32 tid;
	size_t most = 0;
	int err = 0;
	struct known k;

	wp_sidelog_open(&log, MAX);
	call(&log, 0, 10, "bash");
	for (tid = 20; tid < 4000000 && !err; tid += 20) {
		t += S / 100;
		err = task(&log, t, PERF_RECORD_FORK, 10, tid);
		if (!err)
			err = call(&log, t + 1, tid, "true");
		if (!err)
			err = task(&log, t + 2, PERF_RECORD_EXIT, 10, tid);
		if (!err && folded)
			err = wp_sidelog_fold(&log, t > S ? t - S : 0);
		else if (!err && tid % 1000 == 0)
			err = wp_sidelog_fold(&log, 0);
		most = log.room > most ? log.room : most;
	}
	tid -= 20;
	ok(!err && most <= 4 * MAX && log.base.room <= 2048 && log.now.room <= 4096,
	   "%s: %zu bytes, room for %zu and %zu names", folded ? "with a horizon" :
	   "without one", most, log.base.room, log.now.room);
	ok(folded ? !log.cut : log.cut && log.cut < t && t - log.cut < 100 * S,
	   "what was dropped for want of room is reported");
	k = known_at(&log, ~0ULL);
	ok(k.ordered && wp_comms_find(&k.comms, tid) && wp_comms_find(&k.comms, tid - 200) &&
	   wp_comms_find(&k.comms, 10), "and the last ones are known");
	wp_comms_free(&k.comms);
	wp_sidelog_close(&log);
}

static bool nobody_but_10(__u32 tid)
{
	return tid == 10;
}

static void losses(void)
{
	struct wp_sidelog log;
	struct perf_event_header mmap = { .type = PERF_RECORD_MMAP2, .size = 64 };
	__u32 tid;
	int i;

	wp_sidelog_open(&log, MAX);
	wp_sidelog_add(&log, &mmap, S);
	ok(!log.len, "mappings are left out");
	call(&log, 0, 10, "init");
	for (tid = 20; tid < 10000; tid += 10)
		call(&log, 0, tid, "unheard");
	task(&log, S, PERF_RECORD_FORK, 10, 50000);
	ok(!wp_sidelog_reap(&log, nobody_but_10, 2 * S), "those that died unheard");
	ok(is_called(&log, 2 * S - 1, 500, "unheard"), "are known until then");
	for (i = 3; i < 8; i++) {
		call(&log, i * S, 10, "init");
		wp_sidelog_fold(&log, i * S);
	}
	ok(is_called(&log, ~0ULL, 500, NULL) && is_called(&log, ~0ULL, 50000, NULL) &&
	   is_called(&log, ~0ULL, 10, "init") && log.base.nr == 1 && log.now.nr == 1,
	   "and no longer");
	wp_sidelog_close(&log);
}

int main(void)
{
	wp_set_verbosity(WP_SILENT);
	names();
	storm(true);
	storm(false);
	losses();
	return done();
}
