// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the statistics of wallprof diff, by published values.
 */
#include <math.h>

#include "lib/model/difference.h"
#include "tap.h"

static bool near(double a, double b, double most)
{
	return fabs(a - b) <= most;
}

static void rates(void)
{
	const double value[] = { 2, 4, 4, 6 }, second[] = { 1, 1, 1, 1 };
	const double of[] = { 1, 2, 0, 3 }, even[] = { 2, 4, 0, 6 };
	struct wp_rate r;

	wp_rate(&r, value, second, 4, 0);
	ok(r.rate == 4 && r.windows == 4, "the rate of all windows together");
	ok(near(r.variance, 8.0 / 3 / 4, 1e-12), "its variance is a mean's");
	wp_rate(&r, even, of, 4, 0);
	ok(r.rate == 2 && r.windows == 3, "a window of no length is left out");
	ok(near(r.variance, 0, 1e-15), "windows of other lengths with the same rate do not vary");
	wp_rate(&r, second, second, 4, 4);
	ok(near(r.variance, 0.25, 1e-12), "four samples vary, also one in each window");
	wp_rate(&r, value, second, 4, 1e9);
	ok(near(r.variance, 8.0 / 3 / 4, 1e-12), "many samples leave the windows' variance");
	wp_rate(&r, value, (double []){ 0, 0, 0, 0 }, 4, 0);
	ok(!r.rate && !r.variance && !r.windows, "no rate of nothing");
}

static void probabilities(void)
{
	struct wp_rate a = { .rate = 10, .variance = 2, .windows = 10 }, b = a;

	ok(wp_rates_differ(&a, &b) == 1, "equal rates are equal");
	b.rate = a.rate + 2 * 2.10092;
	ok(near(wp_rates_differ(&a, &b), 0.05, 1e-5), "Student's t, 18 degrees, 5 %%");
	b.rate = a.rate - 2 * 2.87844;
	ok(near(wp_rates_differ(&a, &b), 0.01, 1e-5), "18 degrees, 1 %%, the other way");
	b.variance = 0;
	b.rate = a.rate + sqrt(2) * 3.24984;
	ok(near(wp_rates_differ(&a, &b), 0.01, 1e-5), "9 degrees if one does not vary");
	a.variance = 0;
	ok(wp_rates_differ(&a, &b) == 0, "what does not vary differs");
	b.rate = a.rate * (1 + 1e-12);
	ok(wp_rates_differ(&a, &b) == 1, "but not by rounding");
	b = (struct wp_rate){ .rate = 1e9, .windows = 3 };
	ok(!wp_rates_known(&a, &b) && wp_rates_differ(&a, &b) == 1, "three windows are too few");
	a = (struct wp_rate){ .variance = 1, .windows = 4 };
	b = (struct wp_rate){ .rate = 1e300, .variance = 1, .windows = 4 };
	ok(wp_rates_differ(&a, &b) < 1e-12, "huge values are finite");
}

static void limits(void)
{
	/* The example of Benjamini and Hochberg (1995). */
	const double p[] = {
		0.0298, 0.0001, 0.0095, 0.0004, 0.0019, 0.0201, 0.0278, 0.0344, 0.0459, 0.3240,
		0.4262, 0.5719, 0.6528, 0.7590, 1.0000,
	};
	const double none[] = { 0.02, 0.3, 1 }, zero[] = { 0, 1 };

	ok(wp_chance_limit(p, 15, 0.05) == 0.0095, "four of fifteen differ");
	ok(wp_chance_limit(none, 3, 0.05) < 0, "none does");
	ok(wp_chance_limit(none, 3, 0.07) == 0.02, "one does, of a larger share");
	ok(wp_chance_limit(zero, 2, 0.01) == 0, "a probability of 0");
	ok(wp_chance_limit(NULL, 0, 0.01) < 0, "nothing to compare");
}

int main(void)
{
	rates();
	probabilities();
	limits();
	return done();
}
