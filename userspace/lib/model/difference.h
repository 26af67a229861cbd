/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether two rates differ by more than chance. See difference.c.
 *
 *	wp_rate(&a, values, amounts, windows, samples);
 *	wp_rate(&b, ...);
 *	p[i] = wp_rates_differ(&a, &b);				for each pair
 *	limit = wp_chance_limit(p, nr, 0.01);
 *	... p[i] <= limit					it differs
 */
#ifndef WP_LIB_MODEL_DIFFERENCE_H
#define WP_LIB_MODEL_DIFFERENCE_H

#include <stdbool.h>
#include <stddef.h>

/* With fewer windows their spread is not known well enough. */
#define WP_RATE_WINDOWS		4

/**
 * struct wp_rate - a rate, measured in several windows
 * @rate: that of all windows together
 * @variance: its variance, from the differences between the windows
 * @windows: number of windows
 */
struct wp_rate {
	double rate;
	double variance;
	unsigned int windows;
};

void wp_rate(struct wp_rate *r, const double *value, const double *of, unsigned int nr,
	     double samples);
bool wp_rates_known(const struct wp_rate *a, const struct wp_rate *b);
double wp_rates_differ(const struct wp_rate *a, const struct wp_rate *b);
double wp_chance_limit(const double *p, size_t nr, double share);

#endif /* WP_LIB_MODEL_DIFFERENCE_H */
