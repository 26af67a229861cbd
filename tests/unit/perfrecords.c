// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of what is read from a perf.data: records in order of time, whatever order they
 * stand in, compressed or not; the scheduler's events in them; and that no file, however
 * damaged, does more harm than that it is not understood.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/perfdata/features.h"
#include "lib/perfdata/perfheader.h"
#include "lib/perfdata/perfrecords.h"
#include "lib/profile/schedevents.h"
#include "tap.h"

#define FINISHED_ROUND	68
#define AUXTRACE	71
#define COMPRESSED	81
#define COMPRESSED2	83

#define TYPE	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
		 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW)

/* What of a kernel's format matters, and a name that is elsewhere, as in newer ones. */
static const char format_switch[] =
	"name: sched_switch\nID: 314\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
	"\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
	"\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
	"\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n"
	"\nprint fmt: \"\", __print_flags(REC->prev_state & 0xff, \"|\", { 0x00000001, \"S\" }, "
	"{ 0x00000002, \"D\" }, { 0x00000004, \"T\" }, { 0x00000008, \"t\" }, "
	"{ 0x00000010, \"X\" }, { 0x00000020, \"Z\" }, { 0x00000040, \"P\" }, "
	"{ 0x00000080, \"I\" })\n";
static const char format_waking[] =
	"name: sched_waking\nID: 317\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:__data_loc char[] comm;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:pid_t pid;\toffset:12;\tsize:4;\tsigned:1;\n"
	"\tfield:int prio;\toffset:16;\tsize:4;\tsigned:1;\n"
	"\tfield:int target_cpu;\toffset:20;\tsize:4;\tsigned:1;\n"
	"\nprint fmt: \"\"\n";

enum { SWITCH, WAKING, CLOCK, NR_EVENTS };

static const __u64 event_ids[NR_EVENTS] = { 700, 20, 300 };

static void add32(struct wp_buf *b, __u32 v)
{
	wp_buf_add(b, &v, sizeof(v));
}

static void add64(struct wp_buf *b, __u64 v)
{
	wp_buf_add(b, &v, sizeof(v));
}

static void add_block(struct wp_buf *b, const char *data)
{
	add64(b, strlen(data));
	wp_buf_add(b, data, strlen(data));
}

static void add_tracing(struct wp_buf *b)
{
	wp_buf_add(b, "\027\010\104tracing0.5\0\0\010\0\020\0\0", 20);
	wp_buf_add(b, "header_page", 12);
	add_block(b, "page");
	wp_buf_add(b, "header_event", 13);
	add_block(b, "event");
	add32(b, 1);
	add_block(b, "a format of ftrace's own");
	add32(b, 1);
	wp_buf_add(b, "sched", 6);
	add32(b, 2);
	add_block(b, format_switch);
	add_block(b, format_waking);
}

static void add_names(struct wp_buf *b, const struct perf_event_attr *attrs)
{
	static const char names[NR_EVENTS][24] = {
		"sched:sched_switch", "sched:sched_waking", "cpu-clock",
	};
	int i;

	add32(b, NR_EVENTS);
	add32(b, sizeof(*attrs));
	for (i = 0; i < NR_EVENTS; i++) {
		wp_buf_add(b, &attrs[i], sizeof(attrs[i]));
		add32(b, 1);
		add32(b, sizeof(names[i]));
		wp_buf_add(b, names[i], sizeof(names[i]));
		add64(b, event_ids[i]);
	}
}

/* A file around records. */
static struct wp_buf file_of(const struct wp_buf *records)
{
	struct perf_event_attr attrs[NR_EVENTS] = {
		{ .type = PERF_TYPE_TRACEPOINT, .config = 314 },
		{ .type = PERF_TYPE_TRACEPOINT, .config = 317 },
		{ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK },
	};
	struct wp_file_header h = { .magic = WP_PERF_MAGIC, .size = sizeof(h) };
	struct wp_file_section s[2] = { 0 };
	struct wp_buf b = { 0 }, tracing = { 0 }, names = { 0 };
	int i;

	for (i = 0; i < NR_EVENTS; i++) {
		attrs[i].size = sizeof(attrs[i]);
		attrs[i].sample_type = i == CLOCK ? TYPE & ~PERF_SAMPLE_RAW : TYPE;
		attrs[i].sample_id_all = 1;
		attrs[i].sample_period = 1;
	}
	add_tracing(&tracing);
	add_names(&names, attrs);
	h.attr_size = sizeof(attrs[0]) + sizeof(s[0]);
	h.attrs.offset = sizeof(h) + sizeof(event_ids);
	h.attrs.size = NR_EVENTS * h.attr_size;
	h.data.offset = h.attrs.offset + h.attrs.size;
	h.data.size = records->len;
	h.features[0] = 1ULL << WP_FEAT_TRACING_DATA | 1ULL << WP_FEAT_EVENT_DESC;
	s[0].offset = h.data.offset + h.data.size + sizeof(s);
	s[0].size = tracing.len;
	s[1].offset = s[0].offset + s[0].size;
	s[1].size = names.len;

	wp_buf_add(&b, &h, sizeof(h));
	wp_buf_add(&b, event_ids, sizeof(event_ids));
	for (i = 0; i < NR_EVENTS; i++) {
		wp_buf_add(&b, &attrs[i], sizeof(attrs[i]));
		add64(&b, sizeof(h) + i * sizeof(__u64));
		add64(&b, sizeof(__u64));
	}
	wp_buf_add(&b, records->data, records->len);
	wp_buf_add(&b, s, sizeof(s));
	wp_buf_add(&b, tracing.data, tracing.len);
	wp_buf_add(&b, names.data, names.len);
	wp_buf_free(&tracing);
	wp_buf_free(&names);
	return b;
}

static void add_header(struct wp_buf *b, __u32 type, size_t body)
{
	const struct perf_event_header h = {
		.type = type, .size = sizeof(struct perf_event_header) + body,
	};

	wp_buf_add(b, &h, sizeof(h));
}

/* A sample with a chain of two. */
static void add_sample(struct wp_buf *b, int event, __u64 time, __u32 cpu, __u32 tid,
		       const void *raw, __u32 raw_size)
{
	bool has_raw = event != CLOCK;

	add_header(b, PERF_RECORD_SAMPLE, 9 * 8 + (has_raw ? 4 + raw_size : 0));
	add64(b, event_ids[event]);
	add64(b, 0x1111);
	add32(b, tid - tid % 10);
	add32(b, tid);
	add64(b, time);
	add32(b, cpu);
	add32(b, 0);
	add64(b, 77);
	add64(b, 2);
	add64(b, PERF_CONTEXT_USER);
	add64(b, 0x2222);
	if (has_raw) {
		add32(b, raw_size);
		wp_buf_add(b, raw, raw_size);
	}
}

static void add_switch(struct wp_buf *b, __u64 time, __u32 cpu, __s32 prev, __s32 next, __u64 state)
{
	char raw[68] = { 0 };

	strcpy(raw + 8, "prev");
	memcpy(raw + 24, &prev, 4);
	raw[28] = 120;
	memcpy(raw + 32, &state, 8);
	strcpy(raw + 40, "next");
	memcpy(raw + 56, &next, 4);
	raw[60] = 100;
	add_sample(b, SWITCH, time, cpu, prev, raw, sizeof(raw));
}

static void add_waking(struct wp_buf *b, __u64 time, __u32 cpu, __s32 by, __s32 tid)
{
	const __u32 place = 6 << 16 | 24;
	char raw[36] = { 0 };

	memcpy(raw + 8, &place, 4);
	memcpy(raw + 12, &tid, 4);
	raw[16] = 120;
	raw[20] = 3;
	strcpy(raw + 24, "woken");
	add_sample(b, WAKING, time, cpu, by, raw, sizeof(raw));
}

/* The end of all but samples. */
static void add_trailer(struct wp_buf *b, __u64 time, __u32 cpu, __u64 id)
{
	add32(b, 1);
	add32(b, 1);
	add64(b, time);
	add32(b, cpu);
	add32(b, 0);
	add64(b, id);
}

static void add_lost(struct wp_buf *b, __u64 time, __u64 lost)
{
	add_header(b, PERF_RECORD_LOST, 16 + 32);
	add64(b, event_ids[SWITCH]);
	add64(b, lost);
	add_trailer(b, time, 1, event_ids[SWITCH]);
}

static void add_comm(struct wp_buf *b, __u64 time, __u32 pid, __u32 tid)
{
	add_header(b, PERF_RECORD_COMM, 16 + 32);
	add32(b, pid);
	add32(b, tid);
	wp_buf_add(b, "name\0\0\0", 8);
	add_trailer(b, time, 1, event_ids[CLOCK]);
}

static void add_fork(struct wp_buf *b, __u64 time, __u32 type, __u32 pid, __u32 tid)
{
	add_header(b, type, 24 + 32);
	add32(b, pid);
	add32(b, 1);
	add32(b, tid);
	add32(b, 2);
	add64(b, time);
	add_trailer(b, time, 1, 0);
}

/* What was read. */
struct seen {
	struct wp_perfrecords *records;
	struct wp_schedevents *events;
	struct wp_perfrecords_stats stats;
	__u64 time[64];
	struct wp_schedevent ev[64];
	unsigned int nr;
	unsigned int nr_ev;
	unsigned int chains;
	int stop_at;
	int ret;
};

static int see(void *ctx, const struct wp_perfrecord *rec)
{
	struct seen *s = ctx;
	struct wp_schedevent ev;
	__u64 sum = 0, i;
	int ret;

	/* All of it is there: ASan looks. */
	for (i = 0; i < rec->nr_chain; i++)
		sum += rec->chain[i];
	for (i = 0; i < rec->raw_size; i++)
		sum += ((const unsigned char *)rec->raw)[i];
	for (i = 0; i < rec->header->size; i++)
		sum += ((const unsigned char *)rec->header)[i];
	s->chains += rec->nr_chain == 2 && rec->chain[1] == 0x2222 && sum;
	if (s->nr < 64)
		s->time[s->nr++] = rec->time;
	ret = wp_schedevents_decode(s->events, rec, &ev);
	if (ret == 1 && s->nr_ev < 64)
		s->ev[s->nr_ev++] = ev;
	return s->stop_at && (int)s->nr == s->stop_at ? 42 : ret < 0 ? ret : 0;
}

static int read_bytes(const char *data, size_t len, struct seen *s)
{
	struct wp_perffile f;
	char path[32];
	int fd = memfd_create("perf.data", 0), ret;

	if (fd < 0 || (len && write(fd, data, len) != (ssize_t)len))
		exit(2);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ret = wp_perffile_open(&f, path);
	if (!ret) {
		ret = wp_perfrecords_open(&s->records, &f, path);
		if (!ret && wp_schedevents_new(&s->events, s->records))
			exit(2);
		if (!ret) {
			ret = wp_perfrecords_read(s->records, see, s);
			wp_perfrecords_stats(s->records, &s->stats);
		}
		wp_schedevents_free(s->events);
		wp_perfrecords_free(s->records);
		wp_perffile_close(&f);
	}
	close(fd);
	return ret;
}

static struct seen read_records(struct wp_buf *records)
{
	struct wp_buf file = file_of(records);
	struct seen s = { 0 };

	s.ret = read_bytes(file.data, file.len, &s);
	wp_buf_free(&file);
	wp_buf_free(records);
	return s;
}

static bool times_are(const struct seen *s, const char *times)
{
	unsigned int i;

	for (i = 0; i < s->nr && times[i]; i++) {
		if (s->time[i] != (__u64)times[i])
			return false;
	}
	return i == s->nr && !times[i];
}

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
	ok(s.nr == 7 && s.nr_ev == 5, "what is told twice is an event (%u)", s.nr_ev);
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
	ok(s.ev[9].state == 'R' && !s.ev[9].preempted, "a bit that the kernel does not tell of");
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

/* As perf does: one stream, in records that end where they like. */
static void add_packed(struct wp_buf *b, const struct wp_buf *plain, __u32 type, size_t piece)
{
	static char packed[1 << 16];
	ZSTD_CCtx *c = ZSTD_createCCtx();
	size_t at;

	for (at = 0; at < plain->len; at += piece) {
		size_t len = plain->len - at < piece ? plain->len - at : piece;
		ZSTD_inBuffer in = { plain->data + at, len, 0 };
		ZSTD_outBuffer out = { packed, sizeof(packed), 0 };
		size_t pad;

		ZSTD_compressStream2(c, &out, &in, ZSTD_e_flush);
		pad = type == COMPRESSED2 ? -out.pos % 8 : 0;
		add_header(b, type, out.pos + pad + (type == COMPRESSED2 ? 8 : 0));
		if (type == COMPRESSED2)
			add64(b, out.pos);
		wp_buf_add(b, packed, out.pos);
		wp_buf_add(b, "\1\2\3\4\5\6\7", pad);
	}
	ZSTD_freeCCtx(c);
}

static void compressed(void)
{
	static const __u32 types[] = { COMPRESSED, COMPRESSED2 };
	size_t pieces[] = { 16, 100, 1 << 16 }, i, t;
	bool good = true;

	for (t = 0; t < 2; t++) {
		for (i = 0; i < 3; i++) {
			struct wp_buf plain = { 0 }, b = { 0 };
			struct seen s;
			int n;

			for (n = 0; n < 20; n++)
				add_sample(&plain, CLOCK, 'a' + n, 0, 1, NULL, 0);
			add_packed(&b, &plain, types[t], pieces[i]);
			add_sample(&b, CLOCK, 'u', 0, 1, NULL, 0);
			s = read_records(&b);
			good &= times_are(&s, "abcdefghijklmnopqrstu") && !s.stats.damaged;
			wp_buf_free(&plain);
		}
	}
	ok(good, "compressed, in pieces of any size");
}

/* What is no record, between records, and more of it than is read at once. */
static void aux(void)
{
	size_t sizes[] = { 0, 8, 100000, 3 << 20 }, i;
	bool good = true;

	for (i = 0; i < 4; i++) {
		static const char rest[32];
		char *junk = calloc(1, sizes[i] + 1);
		struct wp_buf b = { 0 };
		struct seen s;

		memset(junk, 0xff, sizes[i]);
		add_sample(&b, CLOCK, 'a', 0, 1, NULL, 0);
		add_header(&b, AUXTRACE, 40);
		add64(&b, sizes[i]);
		wp_buf_add(&b, rest, sizeof(rest));
		wp_buf_add(&b, junk, sizes[i]);
		add_sample(&b, CLOCK, 'b', 0, 1, NULL, 0);
		s = read_records(&b);
		good &= times_are(&s, "ab") && !s.stats.damaged;
		free(junk);
	}
	ok(good, "traces in between are passed over");
}

/* Many small ones in a file of several reads: what follows them is in memory already. */
static void aux_small(void)
{
	enum { NR = 40000 };
	static const char rest[32];
	struct wp_buf b = { 0 };
	struct seen s;
	int i;

	for (i = 0; i < NR; i++) {
		add_sample(&b, CLOCK, 1 + i, 0, 1, NULL, 0);
		if (i % 100)
			continue;
		add_header(&b, AUXTRACE, 40);
		add64(&b, 8);
		wp_buf_add(&b, rest, sizeof(rest));
		add64(&b, ~0ULL);
	}
	s = read_records(&b);
	ok(!s.ret && s.stats.records == NR && !s.stats.damaged,
	   "and so are small ones before much else (%llu)",
	   (unsigned long long)s.stats.records);
}

static void add_frame(struct wp_buf *b, struct wp_buf *plain)
{
	char packed[1024];
	size_t len = ZSTD_compress(packed, sizeof(packed), plain->data, plain->len, 1);

	if (ZSTD_isError(len))
		exit(2);
	add_header(b, COMPRESSED, len);
	wp_buf_add(b, packed, len);
	wp_buf_free(plain);
	*plain = (struct wp_buf){ 0 };
}

/* No rounds, and times that are far from each other: some have to go on nevertheless. */
static void bounded(void)
{
	enum { NR = 4700, SIZE = 59996 };
	static const char raw[SIZE];
	struct wp_buf b = { 0 }, plain = { 0 };
	struct seen s;
	int i;

	add_sample(&b, CLOCK, 1, 0, 1, NULL, 0);
	for (i = 0; i < NR; i++) {
		add_sample(&plain, SWITCH, (1ULL << 62) + i, 0, 1, raw, SIZE);
		add_frame(&b, &plain);
	}
	add_sample(&b, SWITCH, (1ULL << 62) + 100, 0, 1, raw, SIZE);
	s = read_records(&b);
	ok(!s.ret && s.stats.records == NR + 2 && s.stats.unordered == 1,
	   "what waits is bounded (%llu, %llu late)", (unsigned long long)s.stats.records,
	   (unsigned long long)s.stats.unordered);
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
	compressed();
	aux();
	aux_small();
	bounded();
	odd();
	torn(false);
	torn(true);
	damaged();
	return done();
}
