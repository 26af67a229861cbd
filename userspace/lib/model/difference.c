// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the statistics of wallprof diff: rates with their uncertainty, from the windows of
 * a recording; the probability that two of them are equal; and how small it must be if
 * there are many pairs. Called by cmd/diff/.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/difference.h"

/* Rounding errors of sums of many values. */
#define ROUNDING	(1 / 1e9)

/**
 * wp_rate() - compute a rate and its variance
 * @r: filled in
 * @value: values of the windows
 * @of: what they are rates of: lengths of the windows, or their totals; 0 leaves a
 *	window out
 * @nr: number of windows
 * @samples: number of samples that all values were estimated from; 0: they were measured
 */
void wp_rate(struct wp_rate *r, const double *value, const double *of, unsigned int nr,
	     double samples)
{
	double sum = 0, all = 0, squares = 0, chance;
	unsigned int i;

	*r = (struct wp_rate){ 0 };
	for (i = 0; i < nr; i++) {
		sum += value[i];
		all += of[i];
		r->windows += of[i] > 0;
	}
	if (all <= 0)
		return;
	r->rate = sum / all;
	for (i = 0; i < nr; i++)
		squares += (value[i] - r->rate * of[i]) * (value[i] - r->rate * of[i]);
	if (r->windows > 1)
		r->variance = squares / all / all * r->windows / (r->windows - 1);
	/* A few samples can be in the same number of windows by chance. */
	chance = samples > 0 ? r->rate * r->rate / samples : 0;
	if (r->variance < chance)
		r->variance = chance;
}

/**
 * wp_rates_known() - whether two rates have enough windows for wp_rates_differ()
 * @a: a rate
 * @b: the other one
 *
 * Return: true if they have.
 */
bool wp_rates_known(const struct wp_rate *a, const struct wp_rate *b)
{
	return a->windows >= WP_RATE_WINDOWS && b->windows >= WP_RATE_WINDOWS;
}

/* The continued fraction of the incomplete beta function, by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
	const double tiny = 1 / 1e300;
	double c = 1, d = 1 - (a + b) * x / (a + 1), f, step;
	int m;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	f = d;
	for (m = 1; m <= 500; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

		d = 1 + even * d;
		c = 1 + even / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		f *= d * c;
		d = 1 + odd * d;
		c = 1 + odd / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		step = d * c;
		f *= step;
		if (fabs(step - 1) < 1 / 1e12)
			break;
	}
	return f;
}

/* The regularized incomplete beta function. */
static double beta(double a, double b, double x)
{
	double front;

	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

/**
 * wp_rates_differ() - the probability that two rates differ as much by chance
 * @a: a rate
 * @b: the other one
 *
 * This is Welch's test, of two means whose variances may differ. Windows of a recording
 * are taken as independent of each other.
 *
 * Return: 0 to 1; 1 if there are not enough windows.
 */
double wp_rates_differ(const struct wp_rate *a, const struct wp_rate *b)
{
	double d = fabs(b->rate - a->rate), both = a->variance + b->variance, t2, freedom;

	if (!wp_rates_known(a, b) || d <= ROUNDING * fmax(fabs(a->rate), fabs(b->rate)))
		return 1;
	if (d * d * ROUNDING * ROUNDING >= both)
		return 0;
	t2 = d * d / both;
	freedom = 1 / (pow(a->variance / both, 2) / (a->windows - 1) +
		       pow(b->variance / both, 2) / (b->windows - 1));
	return beta(freedom / 2, 0.5, freedom / (freedom + t2));
}

static int by_size(const void *pa, const void *pb)
{
	double a = *(const double *)pa, b = *(const double *)pb;

	return a < b ? -1 : a > b;
}

/**
 * wp_chance_limit() - the limit of probabilities for many pairs
 * @p: results of wp_rates_differ(), of all pairs
 * @nr: their number
 * @share: of the pairs up to the limit, this share is expected to differ by chance only
 *
 * This is the procedure of Benjamini and Hochberg. With @share for a limit, that share of
 * all equal pairs would be found to differ.
 *
 * Return: the limit; below 0: no pair differs, or there is no memory.
 */
double wp_chance_limit(const double *p, size_t nr, double share)
{
	double *sorted = nr ? malloc(nr * sizeof(*sorted)) : NULL, limit = -1;
	size_t i;

	if (!sorted)
		return -1;
	memcpy(sorted, p, nr * sizeof(*sorted));
	qsort(sorted, nr, sizeof(*sorted), by_size);
	for (i = nr; i; i--) {
		if (sorted[i - 1] <= share * i / nr) {
			limit = sorted[i - 1];
			break;
		}
	}
	free(sorted);
	return limit;
}
