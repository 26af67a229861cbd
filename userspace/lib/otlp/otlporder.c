// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the order in which the samples of a window stand in a message: one profile of each
 * resource and kind. Called by otlppack.c and pprofpush.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/otlp/otlporder.h"

const struct wp_otlp_type wp_otlp_types[WP_OTLP_KINDS] = {
	/* By OTLP Pyroscope takes this one only without a period, all others only with one. */
	[WP_OTLP_BLOCKED] = { "off_cpu", NULL },
	[WP_OTLP_RUNNABLE] = { "runnable", "runnable" },
	[WP_OTLP_CPU] = { "cpu", "cpu" },
	[WP_OTLP_LOST] = { "lost", "lost" },
};

static void read_key(const struct wp_otlp *o, __u32 sample, struct wp_otlp_key *key)
{
	size_t len;
	const void *from = wp_intern_bytes(&o->table[WP_OTLP_SAMPLES], sample + 1, &len);

	memcpy(key, from, len);
}

static int by_resource(const void *pa, const void *pb, void *ctx)
{
	struct wp_otlp_key a, b;

	read_key(ctx, *(const __u32 *)pa, &a);
	read_key(ctx, *(const __u32 *)pb, &b);
	if (a.resource != b.resource)
		return a.resource < b.resource ? -1 : 1;
	if (a.kind != b.kind)
		return a.kind < b.kind ? -1 : 1;
	return *(const __u32 *)pa < *(const __u32 *)pb ? -1 : 1;
}

/**
 * wp_otlp_order_init() - order the samples of profiles
 * @order: set
 * @o: the profiles, which get no sample any more
 *
 * Return: 0 or -ENOMEM.
 */
int wp_otlp_order_init(struct wp_otlp_order *order, const struct wp_otlp *o)
{
	size_t nr = o->table[WP_OTLP_SAMPLES].nr, i;

	*order = (struct wp_otlp_order){ .o = o };
	order->sample = calloc(nr + 1, sizeof(*order->sample));
	if (!order->sample)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		order->sample[i] = i;
	qsort_r(order->sample, nr, sizeof(*order->sample), by_resource, (void *)o);
	order->nr = nr;
	return 0;
}

/**
 * wp_otlp_order_key() - get what a sample is of
 * @order: the samples
 * @at: index of the sample
 * @key: set to it
 */
void wp_otlp_order_key(const struct wp_otlp_order *order, size_t at, struct wp_otlp_key *key)
{
	read_key(order->o, order->sample[at], key);
}

/**
 * wp_otlp_order_ns() - get the time of a sample
 * @order: the samples
 * @at: index of the sample
 *
 * Return: nanoseconds.
 */
__u64 wp_otlp_order_ns(const struct wp_otlp_order *order, size_t at)
{
	return order->o->ns[order->sample[at]];
}

/**
 * wp_otlp_order_run() - count the samples of one resource
 * @order: the samples
 * @first: index of the first one
 * @kind: only those of the same kind
 *
 * Return: their number.
 */
size_t wp_otlp_order_run(const struct wp_otlp_order *order, size_t first, bool kind)
{
	struct wp_otlp_key a, b;
	size_t i;

	wp_otlp_order_key(order, first, &a);
	for (i = first + 1; i < order->nr; i++) {
		wp_otlp_order_key(order, i, &b);
		if (a.resource != b.resource || (kind && a.kind != b.kind))
			break;
	}
	return i - first;
}

/**
 * wp_otlp_order_period() - get the period of a kind of profiles
 * @order: the samples
 * @kind: the kind
 *
 * Return: nanoseconds between its samples, or 1: each nanosecond counts; 0: it has no period.
 */
__u64 wp_otlp_order_period(const struct wp_otlp_order *order, enum wp_otlp_kind kind)
{
	const __u64 cpu = order->o->window.cpu_period;

	if (!wp_otlp_types[kind].period_type)
		return 0;
	return kind == WP_OTLP_CPU && cpu ? cpu : 1;
}

/**
 * wp_otlp_order_free() - free an order
 * @order: from wp_otlp_order_init(), or all zero
 */
void wp_otlp_order_free(struct wp_otlp_order *order)
{
	free(order->sample);
	*order = (struct wp_otlp_order){ 0 };
}
