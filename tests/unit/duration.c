// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of times as options have them.
 */
#include <errno.h>

#include "lib/base/duration.h"
#include "tap.h"

int main(void)
{
	static const struct {
		const char *arg;
		__u64 unit;
		int err;
		__u64 ns;
	} cases[] = {
		{ "0", WP_NSEC_PER_USEC, 0, 0 },
		{ "7", WP_NSEC_PER_USEC, 0, 7000 },
		{ "7", WP_NSEC_PER_MSEC, 0, 7000000 },
		{ "007", 1, 0, 7 },
		{ "1ns", WP_NSEC_PER_MSEC, 0, 1 },
		{ "250us", WP_NSEC_PER_MSEC, 0, 250000 },
		{ "10ms", WP_NSEC_PER_USEC, 0, 10000000 },
		{ "3s", WP_NSEC_PER_USEC, 0, 3000000000 },
		{ "9223372036854775807ns", 1, 0, 9223372036854775807ULL },
		{ "9223372036s", 1, 0, 9223372036000000000ULL },
		{ "9223372036854775808ns", 1, -ERANGE },
		{ "9223372037s", 1, -ERANGE },
		{ "99999999999999999999", 1, -ERANGE },
		{ "18446744073709551616ns", 1, -ERANGE },
		{ "", 1, -EINVAL },
		{ "-1", 1, -EINVAL },
		{ "+1", 1, -EINVAL },
		{ " 1", 1, -EINVAL },
		{ "ms", 1, -EINVAL },
		{ "1 ms", 1, -EINVAL },
		{ "1m", 1, -EINVAL },
		{ "1MS", 1, -EINVAL },
		{ "1mss", 1, -EINVAL },
		{ "1.5ms", 1, -EINVAL },
		{ "0x10", 1, -EINVAL },
	};
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		__u64 ns = ~0ULL;
		int err = wp_duration_parse(cases[i].arg, cases[i].unit, &ns);

		ok(err == cases[i].err && ns == (err ? ~0ULL : cases[i].ns), "'%s'",
		   cases[i].arg);
	}
	return done();
}
