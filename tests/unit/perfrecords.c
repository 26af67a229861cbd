// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of what is read from a perf.data: records in order of time, whatever order they
 * stand in; the scheduler's events in them; and that no file, however damaged, does more
 * harm than that it is not understood. packedrecords.c has those that are compressed.
 */
#include <string.h>

#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/perfdata/features.h"
#include "lib/perfdata/perfheader.h"
#include "lib/perfdata/perfrecords.h"
#include "lib/profile/schedevents.h"
#include "records.h"
#include "tap.h"

static void events(void)
{
	struct wp_buf b = { 0 };
	struct seen s;
	const struct wp_schedevent *e;

	add_comm(&b, 0, 5, 50);
	add_switch(&b, 100, 1, 50, 60, 1);
	add_waking(&b, 110, 1, 60, 50);
	add_switch(&b, 120, 1, 60, 0, 0x100);
	add_switch(&b, 125, 1, 0, -1, 0);
	add_lost(&b, 130, 9);
	add_fork(&b, 140, PERF_RECORD_FORK, 7, 71);
	add_fork(&b, 150, PERF_RECORD_EXIT, 7, 71);
	add_sample(&b, CLOCK, 160, 0, 3, NULL, 0);
	s = read_records(&b);
	ok(!s.ret && s.nr == 9 && s.nr_ev == 8 && !s.stats.damaged && !s.stats.unordered &&
	   s.stats.lost == 9, "all records, and the events among them (%u, %u)", s.nr, s.nr_ev);
	ok(s.chains == 5, "with their chains (%u)", s.chains);
	e = &s.ev[0];
	ok(e->type == WP_SCHED_NAME && e->who.pid == 5 && e->who.tid == 50 &&
	   !strcmp(e->who.comm, "name"), "a name");
	e = &s.ev[1];
	ok(e->type == WP_SCHED_SWITCH && e->time == 100 && e->cpu == 1 && e->who.tid == 50 &&
	   e->who.pid == 50 && e->who.prio == 120 && !strcmp(e->who.comm, "prev") &&
	   e->other.tid == 60 && e->other.pid == WP_SCHED_NO_PID && e->other.prio == 100 &&
	   !strcmp(e->other.comm, "next") && e->state == 'S' && !e->preempted, "a switch");
	e = &s.ev[2];
	ok(e->type == WP_SCHED_WAKING && e->who.tid == 50 && e->who.pid == 50 &&
	   e->to_cpu == 3 && e->other.tid == 60 && e->other.pid == 60 &&
	   !strcmp(e->who.comm, "woken"), "a wakeup, with a name that is elsewhere");
	e = &s.ev[3];
	ok(e->state == 'R' && e->preempted && !e->other.tid && !e->other.pid,
	   "a thread that is made to leave, and an idle CPU");
	ok(s.ev[4].other.tid == -1, "a thread without an id");
	ok(s.ev[5].type == WP_SCHED_LOST && s.ev[5].lost == 9 && s.ev[5].cpu == 1, "a loss");
	ok(s.ev[6].type == WP_SCHED_FORK && s.ev[6].who.tid == 71 && s.ev[6].other.tid == 2 &&
	   s.ev[7].type == WP_SCHED_EXIT && s.ev[7].who.pid == 7, "a birth and a death");
}

/* perf has some twice. */
static void twice(void)
{
	struct wp_buf b = { 0 };
	struct seen s;

	add_switch(&b, 100, 1, 50, 60, 1);
	add_switch(&b, 100, 1, 50, 60, 1);
	add_switch(&b, 100, 0, 50, 60, 1);
	add_waking(&b, 110, 1, 60, 50);
	add_waking(&b, 110, 1, 60, 50);
	add_waking(&b, 110, 1, 60, 51);
	add_waking(&b, 111, 1, 60, 51);
	s = read_records(&b);
	ok(s.nr == 7 && s.nr_ev == 5, "what is recorded twice is one event (%u)", s.nr_ev);
}

static void states(void)
{
	static const char letters[] = "SDTtXZPI";
	struct wp_buf b = { 0 };
	struct seen s;
	int i, right = 0;

	for (i = 0; i < 8; i++)
		add_switch(&b, 1 + i, 0, 1, 2, 1 << i);
	add_switch(&b, 9, 0, 1, 2, 0x101);
	add_switch(&b, 10, 0, 1, 2, 1 << 12);
	s = read_records(&b);
	for (i = 0; i < 8; i++)
		right += s.ev[i].state == letters[i] && !s.ev[i].preempted;
	ok(right == 8, "each state has its letter (%d)", right);
	ok(s.ev[8].state == 'S' && s.ev[8].preempted, "two bits");
	ok(s.ev[9].state == 'R' && !s.ev[9].preempted, "a bit that the kernel does not name");
}

static void order(void)
{
	struct wp_buf b = { 0 };
	struct seen s;

	/* What is one round late is in order, two are too many. */
	add_sample(&b, CLOCK, 'd', 0, 1, NULL, 0);
	add_sample(&b, CLOCK, 'b', 0, 1, NULL, 0);
	add_header(&b, FINISHED_ROUND, 0);
	add_sample(&b, CLOCK, 'c', 0, 1, NULL, 0);
	add_sample(&b, CLOCK, 'f', 0, 1, NULL, 0);
	add_header(&b, FINISHED_ROUND, 0);
	add_sample(&b, CLOCK, 'a', 0, 1, NULL, 0);
	add_sample(&b, CLOCK, 'e', 0, 1, NULL, 0);
	s = read_records(&b);
	ok(times_are(&s, "bcdaef") && s.stats.unordered == 1, "rounds");

	b = (struct wp_buf){ 0 };
	add_sample(&b, CLOCK, 'b', 0, 1, NULL, 0);
	add_sample(&b, CLOCK, 'a', 0, 1, NULL, 0);
	s = read_records(&b);
	ok(times_are(&s, "ab") && !s.stats.unordered, "no rounds");
}

static void stop(void)
{
	struct wp_buf b = { 0 }, file;
	struct seen s = { .stop_at = 2 };
	int i;

	for (i = 1; i < 6; i++)
		add_sample(&b, CLOCK, i, 0, 1, NULL, 0);
	file = file_of(&b);
	ok(read_bytes(file.data, file.len, &s) == 42 && s.nr == 2, "who reads may stop");
	wp_buf_free(&file);
	wp_buf_free(&b);
}

static void odd(void)
{
	struct wp_buf b = { 0 };
	struct seen s;

	add_sample(&b, CLOCK, 'a', 0, 1, NULL, 0);
	add_header(&b, PERF_RECORD_SAMPLE, 8);
	add64(&b, 4711);	/* of no event */
	add_header(&b, PERF_RECORD_SAMPLE, 4);
	add32(&b, 1);
	add_sample(&b, SWITCH, 'b', 0, 1, "too short", 4);
	add_header(&b, 90, 0);
	add_sample(&b, CLOCK, 'c', 0, 1, NULL, 0);
	add_header(&b, COMPRESSED, 8);
	add64(&b, 0x1234567890abcdef);
	add_sample(&b, CLOCK, 'd', 0, 1, NULL, 0);
	add_header(&b, 1, 100);	/* beyond the end */
	s = read_records(&b);
	ok(times_are(&s, "acd") && s.stats.damaged == 5, "what is damaged is counted (%llu)",
	   (unsigned long long)s.stats.damaged);

	b = (struct wp_buf){ 0 };
	add_sample(&b, CLOCK, 'a', 0, 1, NULL, 0);
	add64(&b, 0);		/* a size of 0 */
	add_sample(&b, CLOCK, 'b', 0, 1, NULL, 0);
	s = read_records(&b);
	ok(!s.ret && times_are(&s, "a") && s.stats.damaged == 1, "and what has no size ends it");
}

/* Of a writer that was killed: its header does not know yet how much there is. */
static void torn(bool features)
{
	struct wp_buf b = { 0 }, file;
	struct wp_file_header h;
	struct seen s = { 0 };

	add_sample(&b, CLOCK, 'a', 0, 1, NULL, 0);
	add_sample(&b, CLOCK, 'b', 0, 1, NULL, 0);
	file = file_of(&b);
	memcpy(&h, file.data, sizeof(h));
	file.len = h.data.offset + h.data.size - 20;
	h.data.size = 0;
	if (!features)
		memset(h.features, 0, sizeof(h.features));
	memcpy(file.data, &h, sizeof(h));
	ok(!read_bytes(file.data, file.len, &s) && times_are(&s, "a") && s.stats.damaged == 1,
	   "a file whose writer was killed%s", features ? ", and had said more" : "");
	wp_buf_free(&file);
	wp_buf_free(&b);
}

static struct wp_buf small_file(void)
{
	struct wp_buf plain = { 0 }, b = { 0 }, file;

	add_comm(&b, 0, 5, 50);
	add_switch(&b, 100, 1, 50, 60, 1);
	add_header(&b, FINISHED_ROUND, 0);
	add_waking(&plain, 110, 1, 60, 50);
	add_fork(&plain, 140, PERF_RECORD_FORK, 7, 71);
	add_packed(&b, &plain, COMPRESSED, 64);
	add_lost(&b, 130, 9);
	file = file_of(&b);
	wp_buf_free(&plain);
	wp_buf_free(&b);
	return file;
}

/* Memory of just that size, each byte changed, and each end. */
static void damaged(void)
{
	struct wp_buf file = small_file();
	unsigned int good = 0, tried = 0;
	size_t i;

	for (i = 0; i < file.len; i++) {
		static const unsigned char how[] = { 0x01, 0x80, 0xff };
		size_t n;

		for (n = 0; n < sizeof(how); n++) {
			struct seen s = { 0 };

			file.data[i] ^= how[n];
			good += !read_bytes(file.data, file.len, &s);
			file.data[i] ^= how[n];
			tried++;
		}
	}
	ok(good && good < tried, "damaged files: %u of %u are read", good, tried);
	for (i = 0, good = 0; i < file.len; i++) {
		struct seen s = { 0 };

		good += !read_bytes(file.data, i, &s);
	}
	ok(good < file.len, "files that are cut off: %u of %zu are read", good, file.len);
	wp_buf_free(&file);
}

int main(void)
{
	/* Each damaged file has something to be said of. */
	wp_set_verbosity(WP_SILENT);
	events();
	twice();
	states();
	order();
	stop();
	odd();
	torn(false);
	torn(true);
	damaged();
	return done();
}
