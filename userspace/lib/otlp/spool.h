/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages on disk that wait to be sent. See spool.c.
 *
 *	ret = wp_spool_open(&spool, dir, &limits);
 *	ret = wp_spool_add(spool, WP_SPOOL_PROFILES, data, size, ns);
 *	known = wp_spool_first(spool, &segment);
 *	data = wp_spool_map(spool, &segment);		munmap() it
 *	wp_spool_remove(spool, &segment);
 *	wp_spool_close(spool);
 */
#ifndef WP_LIB_OTLP_SPOOL_H
#define WP_LIB_OTLP_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/**
 * enum wp_spool_kind - what a message has
 * @WP_SPOOL_PROFILES: profiles of a window, for a receiver of OTLP
 * @WP_SPOOL_METRICS: metrics, as of its end
 * @WP_SPOOL_PYROSCOPE: profiles of a window, for Pyroscope
 * @WP_SPOOL_PARCA: profiles of a window, for Parca
 * @WP_SPOOL_KINDS: number of kinds
 */
enum wp_spool_kind {
	WP_SPOOL_PROFILES,
	WP_SPOOL_METRICS,
	WP_SPOOL_PYROSCOPE,
	WP_SPOOL_PARCA,
	WP_SPOOL_KINDS,
};

/**
 * struct wp_spool_limits - limits of a spool
 * @bytes: of all messages
 * @age: of a message, seconds
 */
struct wp_spool_limits {
	__u64 bytes;
	__u64 age;
};

/**
 * struct wp_spool_segment - a message
 * @seq: its number: later ones have higher ones
 * @ns: time in it
 * @bytes: its size
 * @kind: what it has
 */
struct wp_spool_segment {
	__u64 seq;
	__u64 ns;
	__u64 bytes;
	enum wp_spool_kind kind;
};

struct wp_spool;

int wp_spool_open(struct wp_spool **out, int dir, const struct wp_spool_limits *limits);
int wp_spool_add(struct wp_spool *s, enum wp_spool_kind kind, const void *data, size_t size,
		 __u64 ns);
bool wp_spool_first(const struct wp_spool *s, struct wp_spool_segment *segment);
bool wp_spool_first_of(const struct wp_spool *s, enum wp_spool_kind kind,
		       struct wp_spool_segment *segment);
bool wp_spool_excess(const struct wp_spool *s, __u64 more);
void *wp_spool_map(const struct wp_spool *s, const struct wp_spool_segment *segment);
int wp_spool_remove(struct wp_spool *s, const struct wp_spool_segment *segment);
size_t wp_spool_nr(const struct wp_spool *s);
size_t wp_spool_nr_of(const struct wp_spool *s, enum wp_spool_kind kind);
void wp_spool_close(struct wp_spool *s);

#endif /* WP_LIB_OTLP_SPOOL_H */
