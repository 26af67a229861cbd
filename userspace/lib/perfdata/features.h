/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The feature sections at the end of a perf.data file: properties of the recording, and
 * of the host (see hostfeatures.h). Called by perfdata.c only.
 */
#ifndef WP_LIB_PERFDATA_FEATURES_H
#define WP_LIB_PERFDATA_FEATURES_H

#include <stddef.h>
#include <linux/perf_event.h>
#include <linux/types.h>

#include "lib/base/buf.h"
#include "lib/symbols/buildids.h"
#include "lib/symbols/filestat.h"
#include "lib/symbols/jitmaps.h"

/* Numbers of the features, as in tools/perf/util/header.h. */
enum wp_feature {
	WP_FEAT_TRACING_DATA = 1,
	WP_FEAT_BUILD_ID = 2,
	WP_FEAT_HOSTNAME,
	WP_FEAT_OSRELEASE,
	WP_FEAT_VERSION,
	WP_FEAT_ARCH,
	WP_FEAT_NRCPUS,
	WP_FEAT_CPUDESC,
	WP_FEAT_CPUID,
	WP_FEAT_TOTAL_MEM,
	WP_FEAT_CMDLINE,
	WP_FEAT_EVENT_DESC,
	WP_FEAT_CPU_TOPOLOGY,
	WP_FEAT_NUMA_TOPOLOGY,
	WP_FEAT_PMU_MAPPINGS = 16,
	WP_FEAT_CACHE = 20,
	WP_FEAT_SAMPLE_TIME,
	WP_FEAT_MEM_TOPOLOGY,
	WP_FEAT_CLOCKID,
	WP_FEAT_COMPRESSED = 27,
	WP_FEAT_CLOCK_DATA = 29,
	WP_FEAT_MAX = 32,
};

/**
 * struct wp_features - the sections, by number; an empty one is left out
 * @sec: contents
 */
struct wp_features {
	struct wp_buf sec[WP_FEAT_MAX];
};

/**
 * struct wp_feature_event - an event in EVENT_DESC
 * @attr: its attributes as in the file
 * @name: the name shown by readers
 * @ids: its ids
 * @nr_ids: their number
 */
struct wp_feature_event {
	struct perf_event_attr attr;
	const char *name;
	const __u64 *ids;
	__u32 nr_ids;
};

/**
 * struct wp_feature_format - format of the raw payload of an event's samples
 * @system: the event's system
 * @text: the format, as in tracefs
 * @len: length of @text
 */
struct wp_feature_format {
	const char *system;
	const char *text;
	size_t len;
};

struct wp_buf *wp_features_section(struct wp_features *f, enum wp_feature nr);
void wp_features_clock(struct wp_features *f, __u32 clockid);
void wp_features_version(struct wp_features *f, const char *version);
void wp_features_cmdline(struct wp_features *f, int argc, char *const *argv);
void wp_features_events(struct wp_features *f, const struct wp_feature_event *ev,
			unsigned int nr, __u32 attr_size);
void wp_features_tracing(struct wp_features *f, const struct wp_feature_format *formats,
			 unsigned int nr);
void wp_features_sample_time(struct wp_features *f, __u64 first, __u64 last);
void wp_features_compressed(struct wp_features *f, __u32 level, __u32 ratio, __u32 chunk);
/* Marks the data after the name in a record of a further file with that name. */
#define WP_FEATURES_FILE	"WPFILEID"

/**
 * struct wp_features_file - the file of a build-id, if not the current one at its path
 * @magic: WP_FEATURES_FILE, without the 0
 * @maj: as in the MMAP2 records of its mappings
 * @min: the same
 * @ino: the same
 */
struct wp_features_file {
	char magic[8];
	__u32 maj;
	__u32 min;
	__u64 ino;
};

/* The same in a record of a file without a build-id. */
#define WP_FEATURES_STAT	"WPFILEST"

/**
 * struct wp_features_stat - identity of a file without a build-id
 * @file: the file, with WP_FEATURES_STAT
 * @stat: its status at the time of the recording
 */
struct wp_features_stat {
	struct wp_features_file file;
	struct wp_filestat stat;
};

/* The same in records of the function lists of processes. */
#define WP_FEATURES_JIT		"WPJITMAP"

/* The same for lists that are jitdump files. */
#define WP_FEATURES_DUMP	"WPJITDMP"

/**
 * struct wp_features_jit - a piece of such a list; one with process 0 marks that all
 *	existing lists are stored
 * @magic: WP_FEATURES_JIT or WP_FEATURES_DUMP, without the 0
 * @pid: the process, or 0
 * @text: size of its list, uncompressed
 * @bytes: size of this piece
 * @reserved: 0
 * @data: the piece; pieces are in order
 */
struct wp_features_jit {
	char magic[8];
	__u32 pid;
	__u32 text;
	__u32 bytes;
	__u32 reserved;
	char data[WP_JITMAPS_PIECE];
};

void wp_features_buildids(struct wp_features *f, const struct wp_buildids *ids);
void wp_features_free(struct wp_features *f);

#endif /* WP_LIB_PERFDATA_FEATURES_H */
