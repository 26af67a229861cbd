// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of names as linkers have them, shown as those who wrote them did.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/elf/demangle.h"
#include "tap.h"

int main(void)
{
	static const struct {
		const char *name;
		const char *plain;
	} cases[] = {
		{ "main", NULL },
		{ "", NULL },
		{ "_", NULL },
		{ "_Z", NULL },
		{ "_start", NULL },
		{ "_ZN2ns5thing3runEi", "ns::thing::run" },
		{ "_ZN2ns5thing3runEi@plt", "ns::thing::run@plt" },
		{ "_RNvC6_123foo3bar", "123foo::bar" },
		/* A crate without a name: a fuzzer found it. */
		{ "_RNvC0_123foo3bar", NULL },
		{ "_RNvC03bar", "::bar" },
		{ "_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE",
		  "core::fmt::Formatter::write_str" },
	};
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *plain = wp_demangle(cases[i].name);

		ok(cases[i].plain ? plain && !strcmp(plain, cases[i].plain) : !plain, "'%s'",
		   cases[i].name);
		if (plain && (!cases[i].plain || strcmp(plain, cases[i].plain)))
			printf("# %s\n", plain);
		ok(!cases[i].plain || wp_demangle_may(cases[i].name), "'%s' may be one", cases[i].name);
		free(plain);
	}
	ok(wp_demangle_may("_GLOBAL__I_x"), "constructors may be one");
	ok(!wp_demangle_may("_start") && !wp_demangle_may("__libc_start_main") &&
	   !wp_demangle_may("main") && !wp_demangle_may(""), "names of C are none");
	return done();
}
