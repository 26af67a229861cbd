/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files mapped in each process, from the records of a perf.data. See memmaps.c.
 *
 *	m = wp_memmaps_new(&file);
 *	for each record: ret = wp_memmaps_record(m, rec->header);
 *	for each address: map = wp_memmaps_find(m, pid, address);
 *	wp_memmaps_free(m);
 */
#ifndef WP_LIB_PERFDATA_MEMMAPS_H
#define WP_LIB_PERFDATA_MEMMAPS_H

#include <linux/perf_event.h>
#include <linux/types.h>

#include "lib/elf/buildid.h"
#include "lib/perfdata/memmap.h"
#include "lib/perfdata/perffile.h"
#include "lib/symbols/filestat.h"
#include "lib/symbols/jitmaps.h"

/* Maximum number of mappings, of all processes together. */
#define WP_MEMMAPS_MAX	(1 << 20)

struct wp_memmaps;

struct wp_memmaps *wp_memmaps_new(const struct wp_perffile *file);
int wp_memmaps_record(struct wp_memmaps *m, const struct perf_event_header *rec);
const struct wp_memmap *wp_memmaps_find(const struct wp_memmaps *m, __s32 pid, __u64 address);
const struct wp_memmap *wp_memmaps_below(const struct wp_memmaps *m, __s32 pid, __u64 address);
const char *wp_memmaps_kernel(const struct wp_memmaps *m, __u64 *at);
const char *wp_memmaps_path(const struct wp_memmaps *m, __u32 path);
const struct wp_jitmap *wp_memmaps_jit(const struct wp_memmaps *m, __s32 pid);
struct wp_filestat wp_memmaps_stat(const struct wp_memmaps *m, __u32 file);
void wp_memmaps_id(struct wp_memmaps *m, const char *path, struct wp_buildid *id);
__u64 wp_memmaps_dropped(const struct wp_memmaps *m);
void wp_memmaps_free(struct wp_memmaps *m);

#endif /* WP_LIB_PERFDATA_MEMMAPS_H */
