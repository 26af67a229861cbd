// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of pressure.c: what the kernel prints, what it does not, and what is cut off at any
 * byte.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/proc/pressure.h"
#include "tap.h"

#define SOME	"some avg10=12.34 avg60=5.00 avg300=1.00 total=123\n"

static void is(int want, int got, const char *name)
{
	if (!ok(want == got, "%.*s", (int)strcspn(name, "\n"), name))
		printf("#   wanted %d, got %d\n", want, got);
}

static void test_kernel(void)
{
	is(0, wp_pressure_parse(SOME "full avg10=0.00 avg60=7.00 avg300=0.00 total=0\n"),
	       "nothing");
	is(9, wp_pressure_parse(SOME "full avg10=0.09 avg60=7.00 avg300=0.00 total=0\n"),
	       "hundredths");
	is(4567, wp_pressure_parse(SOME "full avg10=45.67 avg60=7.00 avg300=0.00 total=0\n"),
	       "percent");
	is(10000, wp_pressure_parse("full avg10=100.00 avg60=7.00 avg300=0.00 total=0\n" SOME),
	       "all, in another order");
}

static void test_other(void)
{
	static const char *const text[] = {
		"", "\n", SOME, "full", "full ", SOME "full avg60=1.00 avg10=2.00\n",
		"full avg10=-1.00 \n", "full avg10=101.00 \n", "full avg10=1e9 \n",
		"full avg10=99999999999999999999.00 \n", "full avg10=1,50 \n", "full avg10=1. 5\n",
		"full avg10=nan \n", "fullavg10=1.00 \n", " full avg10=1.00 \n", "full avg10=1.005 \n",
	};
	unsigned int i;

	for (i = 0; i < sizeof(text) / sizeof(text[0]); i++)
		is(-EINVAL, wp_pressure_parse(text[i]), text[i]);
}

static void test_cut(void)
{
	static const char whole[] = SOME "full avg10=45.67 avg60=7.00 avg300=0.00 total=0\n";
	const char *last = strstr(whole, "67 ");
	size_t size, wrong = 0;

	for (size = 0; size < sizeof(whole); size++) {
		char *text = strndup(whole, size);
		int want = whole + size > last + 2 ? 4567 : -EINVAL;

		wrong += !text || wp_pressure_parse(text) != want;
		free(text);
	}
	is(0, wrong, "cut off at any byte");
}

int main(void)
{
	test_kernel();
	test_other();
	test_cut();
	return done();
}
