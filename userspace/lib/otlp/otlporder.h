/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples in the order of a message. See otlporder.c.
 *
 *	ret = wp_otlp_order_init(&order, otlp);
 *	for (at = 0; at < order.nr; at += wp_otlp_order_run(&order, at, true))
 *		wp_otlp_order_key(&order, at, &key);
 *	wp_otlp_order_free(&order);
 */
#ifndef WP_LIB_OTLP_OTLPORDER_H
#define WP_LIB_OTLP_OTLPORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "lib/otlp/otlptables.h"

/**
 * struct wp_otlp_type - names of a kind of profiles
 * @type: what its values are of
 * @period_type: what a period is of; NULL: it has none
 */
struct wp_otlp_type {
	const char *type;
	const char *period_type;
};

/**
 * struct wp_otlp_order - samples by resource, then by kind
 * @o: the profiles
 * @sample: numbers of samples less 1
 * @nr: their number
 */
struct wp_otlp_order {
	const struct wp_otlp *o;
	__u32 *sample;
	size_t nr;
};

extern const struct wp_otlp_type wp_otlp_types[WP_OTLP_KINDS];

int wp_otlp_order_init(struct wp_otlp_order *order, const struct wp_otlp *o);
void wp_otlp_order_key(const struct wp_otlp_order *order, size_t at, struct wp_otlp_key *key);
__u64 wp_otlp_order_ns(const struct wp_otlp_order *order, size_t at);
size_t wp_otlp_order_run(const struct wp_otlp_order *order, size_t first, bool kind);
__u64 wp_otlp_order_period(const struct wp_otlp_order *order, enum wp_otlp_kind kind);
void wp_otlp_order_free(struct wp_otlp_order *order);

#endif /* WP_LIB_OTLP_OTLPORDER_H */
