/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A perf.data made up of records, and what is read of it. Included by perfrecords.c and
 * packedrecords.c.
 */
#ifndef WP_TESTS_UNIT_RECORDS_H
#define WP_TESTS_UNIT_RECORDS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "lib/base/buf.h"
#include "lib/perfdata/features.h"
#include "lib/perfdata/perfheader.h"
#include "lib/perfdata/perfrecords.h"
#include "lib/profile/schedevents.h"

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

static inline void add32(struct wp_buf *b, __u32 v)
{
	wp_buf_add(b, &v, sizeof(v));
}

static inline void add64(struct wp_buf *b, __u64 v)
{
	wp_buf_add(b, &v, sizeof(v));
}

static inline void add_block(struct wp_buf *b, const char *data)
{
	add64(b, strlen(data));
	wp_buf_add(b, data, strlen(data));
}

static inline void add_tracing(struct wp_buf *b)
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

static inline void add_names(struct wp_buf *b, const struct perf_event_attr *attrs)
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
static inline struct wp_buf file_of(const struct wp_buf *records)
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

static inline void add_header(struct wp_buf *b, __u32 type, size_t body)
{
	const struct perf_event_header h = {
		.type = type, .size = sizeof(struct perf_event_header) + body,
	};

	wp_buf_add(b, &h, sizeof(h));
}

/* A sample with a chain of two. */
static inline void add_sample(struct wp_buf *b, int event, __u64 time, __u32 cpu, __u32 tid,
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

static inline void add_switch(struct wp_buf *b, __u64 time, __u32 cpu, __s32 prev, __s32 next,
			      __u64 state)
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

static inline void add_waking(struct wp_buf *b, __u64 time, __u32 cpu, __s32 by, __s32 tid)
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
static inline void add_trailer(struct wp_buf *b, __u64 time, __u32 cpu, __u64 id)
{
	add32(b, 1);
	add32(b, 1);
	add64(b, time);
	add32(b, cpu);
	add32(b, 0);
	add64(b, id);
}

static inline void add_lost(struct wp_buf *b, __u64 time, __u64 lost)
{
	add_header(b, PERF_RECORD_LOST, 16 + 32);
	add64(b, event_ids[SWITCH]);
	add64(b, lost);
	add_trailer(b, time, 1, event_ids[SWITCH]);
}

static inline void add_comm(struct wp_buf *b, __u64 time, __u32 pid, __u32 tid)
{
	add_header(b, PERF_RECORD_COMM, 16 + 32);
	add32(b, pid);
	add32(b, tid);
	wp_buf_add(b, "name\0\0\0", 8);
	add_trailer(b, time, 1, event_ids[CLOCK]);
}

static inline void add_fork(struct wp_buf *b, __u64 time, __u32 type, __u32 pid, __u32 tid)
{
	add_header(b, type, 24 + 32);
	add32(b, pid);
	add32(b, 1);
	add32(b, tid);
	add32(b, 2);
	add64(b, time);
	add_trailer(b, time, 1, 0);
}

/* As perf does: one stream, in records that end where they like. */
static inline void add_packed(struct wp_buf *b, const struct wp_buf *plain, __u32 type,
			      size_t piece)
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

static inline int see(void *ctx, const struct wp_perfrecord *rec)
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

static inline int read_bytes(const char *data, size_t len, struct seen *s)
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

static inline struct seen read_records(struct wp_buf *records)
{
	struct wp_buf file = file_of(records);
	struct seen s = { 0 };

	s.ret = read_bytes(file.data, file.len, &s);
	wp_buf_free(&file);
	wp_buf_free(records);
	return s;
}

static inline bool times_are(const struct seen *s, const char *times)
{
	unsigned int i;

	for (i = 0; i < s->nr && times[i]; i++) {
		if (s->time[i] != (__u64)times[i])
			return false;
	}
	return i == s->nr && !times[i];
}

#endif /* WP_TESTS_UNIT_RECORDS_H */
