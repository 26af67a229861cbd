/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events of processes while a session runs: mappings, names, forks and exits, as perf's
 * own records, from one software dummy event per CPU. Used by the record command:
 *
 *	wp_sideband_open()		before anything is synthesized
 *	wp_proc_synthesize_all()	what already runs (synthesize.h)
 *	each round:
 *		wp_sideband_drain(sb, &upto, false, fn, ctx)
 *		wp_batch_flush(batch, upto)
 *	at the end:
 *		wp_sideband_drain(sb, &upto, true, fn, ctx)
 *	wp_sideband_close()
 *
 * Records of all CPUs come out sorted by time, ready for the file: with the file's ids,
 * and without inline build-ids, which perf 5.10 cannot read; these go into the table of
 * build-ids.
 */
#ifndef WP_LIB_RECORD_SIDEBAND_H
#define WP_LIB_RECORD_SIDEBAND_H

#include <stdbool.h>
#include <linux/types.h>
#include <poll.h>

#include "lib/record/sideopts.h"

#define WP_SIDEBAND_PAGES	128	/* perf's default: 512 KiB */

/*
 * A record gets its timestamp a moment before it becomes visible in the ring, with
 * preemption off in between. Records younger than this wait for the next drain, so that
 * no older record of another CPU comes after them.
 */
#define WP_SIDEBAND_SETTLE_NS	2000000ULL

struct wp_sideband;

int wp_sideband_open(struct wp_sideband **out, const struct wp_sideband_options *opt);
int wp_sideband_follow(struct wp_sideband **out, struct wp_sideband *leader,
		       const struct wp_sideband_options *opt);
int wp_sideband_drain(struct wp_sideband *sb, __u64 *upto, bool final, wp_record_fn fn,
		      void *ctx);
unsigned int wp_sideband_pollfds(struct wp_sideband *sb, struct pollfd *fds,
				 unsigned int max);
int wp_sideband_want(struct wp_sideband *sb, __u32 pid);
bool wp_sideband_is_wanted(const struct wp_sideband *sb, __u32 pid);
void wp_sideband_stats(const struct wp_sideband *sb, struct wp_sideband_stats *st);
void wp_sideband_close(struct wp_sideband *sb);

/* For tests: a sideband without rings. See wp_siderecords_feed(). */
struct wp_sideband *wp_sideband_new(const struct wp_sideband_options *opt);

#endif /* WP_LIB_RECORD_SIDEBAND_H */
