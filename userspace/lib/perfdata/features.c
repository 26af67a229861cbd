// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the contents of perf.data's feature sections; hostfeatures.c writes those about
 * the host. Called by perfdata.c, when a file is opened and again when it is closed.
 *
 * The layouts are those of tools/perf/util/header.c, and every perf from 5.10 to 7 reads
 * them.
 */
#include <limits.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/perfdata/features.h"
#include "lib/symbols/mappedfile.h"

/* Flags of the records in BUILD_ID, from tools/perf/util/build-id.h */
#define MISC_BUILD_ID_SIZE	(1 << 15)

/**
 * wp_features_section() - start a section, discarding its contents
 * @f: the sections
 * @nr: its number
 *
 * Return: the section, empty.
 */
struct wp_buf *wp_features_section(struct wp_features *f, enum wp_feature nr)
{
	wp_buf_free(&f->sec[nr]);
	return &f->sec[nr];
}

/**
 * wp_features_clock() - describe the clock of the time stamps
 * @f: the sections
 * @clockid: CLOCK_MONOTONIC, usually
 *
 * Besides the clock's resolution, a pair of readings of this clock and of the time of day
 * is stored, for perf script -F tod. It is the tightest pair of a few.
 */
void wp_features_clock(struct wp_features *f, __u32 clockid)
{
	__u64 ref, tod;
	struct timespec res;
	struct wp_buf *sec;

	if (clock_getres(clockid, &res))
		return;
	wp_buf_u64(wp_features_section(f, WP_FEAT_CLOCKID),
		   res.tv_sec * 1000000000ULL + res.tv_nsec);
	if (wp_clock_pair(clockid, &ref, &tod))
		return;
	sec = wp_features_section(f, WP_FEAT_CLOCK_DATA);
	wp_buf_u32(sec, 1);
	wp_buf_u32(sec, clockid);
	wp_buf_u64(sec, tod);
	wp_buf_u64(sec, ref);
}

/**
 * wp_features_version() - describe the program that writes the file
 * @f: the sections
 * @version: the version
 */
void wp_features_version(struct wp_features *f, const char *version)
{
	wp_buf_string(wp_features_section(f, WP_FEAT_VERSION), version);
}

/**
 * wp_features_cmdline() - describe the command line
 * @f: the sections
 * @argc: number of arguments, argv[0] included
 * @argv: the arguments; argv[0] is replaced by the path of the program
 */
void wp_features_cmdline(struct wp_features *f, int argc, char *const *argv)
{
	struct wp_buf *b = wp_features_section(f, WP_FEAT_CMDLINE);
	char exe[PATH_MAX];
	ssize_t len;
	int i;

	len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	exe[len > 0 ? len : 0] = '\0';
	wp_buf_u32(b, argc > 0 ? argc : 1);
	wp_buf_string(b, len > 0 ? exe : "wallprof");
	for (i = 1; i < argc; i++)
		wp_buf_string(b, argv[i]);
}

/**
 * wp_features_events() - describe the events
 * @f: the sections
 * @ev: the events, in the order of the file
 * @nr: their number
 * @attr_size: size of each attr in the file
 */
void wp_features_events(struct wp_features *f, const struct wp_feature_event *ev,
			unsigned int nr, __u32 attr_size)
{
	struct wp_buf *b = wp_features_section(f, WP_FEAT_EVENT_DESC);
	unsigned int i;

	wp_buf_u32(b, nr);
	wp_buf_u32(b, attr_size);
	for (i = 0; i < nr; i++) {
		wp_buf_add(b, &ev[i].attr, attr_size);
		wp_buf_u32(b, ev[i].nr_ids);
		wp_buf_string(b, ev[i].name);
		wp_buf_add(b, ev[i].ids, ev[i].nr_ids * sizeof(*ev[i].ids));
	}
}

/* Whether this format is of a tracepoint that another event had before. */
static bool is_again(const struct wp_feature_format *formats, unsigned int at)
{
	unsigned int i;

	for (i = 0; i < at; i++) {
		if (!strcmp(formats[i].system, formats[at].system) &&
		    formats[i].len == formats[at].len &&
		    !memcmp(formats[i].text, formats[at].text, formats[at].len))
			return true;
	}
	return false;
}

/* Write the formats of the system whose first one is at @first, each once. */
static void add_system(struct wp_buf *b, const struct wp_feature_format *formats,
		       unsigned int nr, unsigned int first)
{
	const char *system = formats[first].system;
	unsigned int i, n = 0;

	for (i = first; i < nr; i++)
		n += !strcmp(formats[i].system, system) && !is_again(formats, i);
	wp_buf_add(b, system, strlen(system) + 1);
	wp_buf_u32(b, n);
	for (i = first; i < nr; i++) {
		if (strcmp(formats[i].system, system) || is_again(formats, i))
			continue;
		wp_buf_u64(b, formats[i].len);
		wp_buf_add(b, formats[i].text, formats[i].len);
	}
}

/* Whether this is the first format of its system. */
static bool begins_system(const struct wp_feature_format *formats, unsigned int at)
{
	unsigned int i;

	for (i = 0; i < at; i++) {
		if (!strcmp(formats[i].system, formats[at].system))
			return false;
	}
	return true;
}

/**
 * wp_features_tracing() - describe the raw payloads of samples
 * @f: the sections
 * @formats: the formats of all events that have one, in any order
 * @nr: their number; 0: there is nothing to describe
 *
 * Written in the form of a trace.dat header, with the least that every perf reads: the
 * header of ftrace's pages, though there are none; no events of ftrace's own, the events
 * by system, no symbols, no strings.
 */
void wp_features_tracing(struct wp_features *f, const struct wp_feature_format *formats,
			 unsigned int nr)
{
	static const char magic[] = "\027\010\104tracing0.5";
	static const char page[] =
		"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
		"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";
	const __u8 order_and_long[2] = { __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, sizeof(long) };
	struct wp_buf *b = wp_features_section(f, WP_FEAT_TRACING_DATA);
	unsigned int i, systems = 0;

	if (!nr)
		return;
	for (i = 0; i < nr; i++)
		systems += begins_system(formats, i);
	wp_buf_add(b, magic, sizeof(magic));
	wp_buf_add(b, order_and_long, sizeof(order_and_long));
	wp_buf_u32(b, sysconf(_SC_PAGESIZE));
	wp_buf_add(b, "header_page", 12);
	wp_buf_u64(b, sizeof(page) - 1);
	wp_buf_add(b, page, sizeof(page) - 1);
	wp_buf_add(b, "header_event", 13);
	wp_buf_u64(b, 0);
	wp_buf_u32(b, 0);
	wp_buf_u32(b, systems);
	for (i = 0; i < nr; i++) {
		if (begins_system(formats, i))
			add_system(b, formats, nr, i);
	}
	wp_buf_u32(b, 0);
	wp_buf_u32(b, 0);
}

/**
 * wp_features_sample_time() - set the times of the first and last sample
 * @f: the sections
 * @first: time in ns
 * @last: time in ns
 */
void wp_features_sample_time(struct wp_features *f, __u64 first, __u64 last)
{
	struct wp_buf *b = wp_features_section(f, WP_FEAT_SAMPLE_TIME);

	wp_buf_u64(b, first);
	wp_buf_u64(b, last);
}

/**
 * wp_features_compressed() - describe the compression of records
 * @f: the sections
 * @level: zstd's level
 * @ratio: compression ratio
 * @chunk: maximum number of bytes in a compressed record
 */
void wp_features_compressed(struct wp_features *f, __u32 level, __u32 ratio, __u32 chunk)
{
	struct wp_buf *b = wp_features_section(f, WP_FEAT_COMPRESSED);

	wp_buf_u32(b, 1);	/* the version of this section */
	wp_buf_u32(b, 1);	/* PERF_COMP_ZSTD */
	wp_buf_u32(b, level);
	wp_buf_u32(b, ratio);
	wp_buf_u32(b, chunk);
}

/* struct perf_record_header_build_id of tools/lib/perf */
struct buildid_record {
	struct perf_event_header header;
	__s32 pid;
	__u8 build_id[WP_BUILDID_MAX];
	__u8 size;
	__u8 reserved[3];
};

/* Limit of perf's for the name that follows a record. */
#define MAX_NAME	4096

static void add_record(struct wp_buf *b, const struct wp_dso *dso, __u16 mode,
		       const void *file, size_t behind)
{
	size_t len = strlen(dso->path) + 1;
	size_t align = file ? sizeof(__u64) : WP_STRING_ALIGN;
	size_t padded = (len + align - 1) & ~(align - 1);
	struct buildid_record r = {
		.header.misc = MISC_BUILD_ID_SIZE | mode,
		.header.size = sizeof(r) + padded + behind,
		.pid = -1,	/* perf's HOST_KERNEL_ID */
		.size = dso->id.size,
	};

	if (padded + behind > MAX_NAME)
		return;
	memcpy(r.build_id, dso->id.data, dso->id.size);
	wp_buf_add(b, &r, sizeof(r));
	wp_buf_add(b, dso->path, len);
	wp_buf_add(b, NULL, padded - len);
	if (file)
		wp_buf_add(b, file, behind);
}

static struct wp_features_file file_of(const struct wp_dso *dso, const char *magic)
{
	struct wp_features_file file = {
		.maj = dso->last.file.maj, .min = dso->last.file.min, .ino = dso->last.file.ino,
	};

	memcpy(file.magic, magic, sizeof(file.magic));
	return file;
}

static int add_other(void *ctx, const struct wp_dso *dso)
{
	struct wp_features_file file = file_of(dso, WP_FEATURES_FILE);
	struct wp_features_stat stat = {
		.file = file_of(dso, WP_FEATURES_STAT), .stat = wp_mappedfile_stat(dso),
	};

	if (dso->other)
		add_record(ctx, dso, PERF_RECORD_MISC_CPUMODE_UNKNOWN, &file, sizeof(file));
	if (!dso->kernel && !dso->id.size && stat.stat.kind)
		add_record(ctx, dso, PERF_RECORD_MISC_CPUMODE_UNKNOWN, &stat, sizeof(stat));
	return 0;
}

static int add_buildid(void *ctx, const struct wp_dso *dso)
{
	if (dso->id.size && !dso->other && !dso->repeats)
		add_record(ctx, dso, dso->kernel ? PERF_RECORD_MISC_KERNEL :
			   PERF_RECORD_MISC_USER, NULL, 0);
	return 0;
}

/* A list is split, as perf does not accept longer records. */
static void add_jit(void *ctx, const struct wp_jitmap *map)
{
	struct wp_dso dso = { .path = "//anon" };
	struct wp_features_jit jit = { .pid = map->pid, .text = map->text };
	size_t at = 0;

	memcpy(jit.magic, map->dump ? WP_FEATURES_DUMP : WP_FEATURES_JIT, sizeof(jit.magic));
	do {
		jit.bytes = map->b.len - at < sizeof(jit.data) ? map->b.len - at : sizeof(jit.data);
		memset(jit.data, 0, sizeof(jit.data));
		if (jit.bytes)
			memcpy(jit.data, map->b.data + at, jit.bytes);
		add_record(ctx, &dso, PERF_RECORD_MISC_CPUMODE_UNKNOWN, &jit, sizeof(jit));
		at += jit.bytes;
	} while (at < map->b.len);
}

/**
 * wp_features_buildids() - list the files with a known build-id
 * @f: the sections
 * @ids: the table, resolved
 *
 * For perf a build-id belongs to a path. Further files with the same path, and files
 * without a build-id, are listed as well: perf skips records that are neither the
 * kernel's nor a user's.
 */
void wp_features_buildids(struct wp_features *f, const struct wp_buildids *ids)
{
	struct wp_buf *b = wp_features_section(f, WP_FEAT_BUILD_ID);
	static const struct wp_jitmap none;

	/* First, as simple readers use the last record of a path. */
	wp_buildids_for_each(ids, add_other, b);
	add_jit(b, &none);
	wp_jitmaps_each(wp_buildids_jit(ids), add_jit, b);
	wp_buildids_for_each(ids, add_buildid, b);
}

/**
 * wp_features_free() - free all sections
 * @f: the sections
 */
void wp_features_free(struct wp_features *f)
{
	int i;

	for (i = 0; i < WP_FEAT_MAX; i++)
		wp_buf_free(&f->sec[i]);
}
