// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of recordings that come through a pipe: what a file of one has, and that none of
 * any length does harm.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/perfdata/perffile.h"
#include "lib/perfdata/pipefile.h"
#include "tap.h"

static char bytes[4096];
static size_t len;
static bool is_end[sizeof(bytes)];	/* a record ends there */
static char path[] = "/tmp/wallprof-pipefile.XXXXXX";

static void add(const void *data, size_t size)
{
	memcpy(bytes + len, data, size);
	len += size;
}

static void add_record(__u32 type, const void *body, size_t size)
{
	struct perf_event_header h = { .type = type, .size = sizeof(h) + size };

	is_end[len] = true;
	add(&h, sizeof(h));
	add(body, size);
}

/* An event of two ids, a feature, tracing data, and two records around them. */
static void make(void)
{
	static const char host[16] = "\x08\0\0\0machine";
	const __u64 header[2] = { WP_PERF_MAGIC, 16 }, ids[2] = { 7, 8 }, body = 0x1122;
	struct {
		struct perf_event_attr attr;
		__u64 ids[2];
	} attr = { .attr = { .size = sizeof(attr.attr), .config = 42 } };
	struct {
		__u64 nr;
		char host[16];
	} feature = { WP_FEAT_HOSTNAME };
	const __u32 tracing = 5;

	len = 0;
	memcpy(attr.ids, ids, sizeof(ids));
	memcpy(feature.host, host, sizeof(host));
	add(header, sizeof(header));
	add_record(64, &attr, sizeof(attr));
	add_record(3, &body, sizeof(body));
	add_record(80, &feature, sizeof(feature));
	add_record(66, &tracing, sizeof(tracing));
	add("trace\0\0\0", 8);
	add_record(3, &body, sizeof(body));
}

static int spool(size_t size)
{
	int fd = open(path, O_RDWR | O_TRUNC | O_CLOEXEC), ret;

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET))
		abort();
	ret = wp_pipefile_spool(fd, "it");
	close(fd);
	return ret;
}

static void whole(void)
{
	struct wp_file_section ids;
	struct perf_event_attr attr;
	struct wp_perffile file;
	__u64 id[2];
	struct wp_buf b;
	char *host;
	int fd;

	make();
	fd = spool(len);
	ok(fd >= 0, "a recording of a pipe");
	close(fd);
	ok(!wp_perffile_open(&file, path), "is read from a file, too");
	ok(file.header.data.size == 32 && file.header.attr_size == sizeof(attr) + sizeof(ids) &&
	   file.header.attrs.size == file.header.attr_size, "it has its records and events");
	ok(pread(file.fd, &attr, sizeof(attr), file.header.attrs.offset) == sizeof(attr) &&
	   attr.config == 42 &&
	   pread(file.fd, &ids, sizeof(ids), file.header.attrs.offset + sizeof(attr)) ==
	   sizeof(ids) && ids.size == sizeof(id) &&
	   pread(file.fd, id, sizeof(id), ids.offset) == sizeof(id) && id[0] == 7 && id[1] == 8,
	   "an event has its ids");
	host = wp_perffile_string(&file, WP_FEAT_HOSTNAME);
	ok(host && !strcmp(host, "machine"), "features are there");
	free(host);
	ok(!wp_perffile_feature(&file, WP_FEAT_TRACING_DATA, &b) && b.len == 8 &&
	   !memcmp(b.data, "trace", 5), "tracing data, too");
	wp_buf_free(&b);
	wp_perffile_close(&file);
}

static void damaged(void)
{
	size_t i, bad = 0, silent = 0, size;
	int fd;

	for (i = 0; i <= len; i++) {
		wp_clear_errors();
		fd = spool(i);
		bad += fd < 0 && fd != -EPROTO;
		silent += fd >= 0 && !*wp_last_warning() == !(is_end[i] || i == len);
		if (fd >= 0)
			close(fd);
	}
	ok(!bad, "one that is cut off is read up to there, or refused");
	ok(!silent, "one that is cut off within a record is not read without a warning");
	size = len;
	for (i = 16, bad = 0; i < size; i++) {
		make();
		bytes[i] ^= 0xff;
		fd = spool(size);
		bad += fd < 0 && fd != -EPROTO && fd != -ENOMEM;
		if (fd >= 0)
			close(fd);
	}
	ok(!bad, "one that is damaged, too");
}

int main(void)
{
	int fd = mkstemp(path);

	wp_set_verbosity(WP_SILENT);
	if (fd < 0)
		return 1;
	close(fd);
	whole();
	damaged();
	unlink(path);
	return done();
}
