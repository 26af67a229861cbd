// SPDX-License-Identifier: GPL-2.0
/*
 * How fast this machine's time stamp counter goes, in kHz: measured for a tenth of
 * a second against the kernel's clock. An emulated guest's counter is the host's.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <x86intrin.h>

struct instant {
	uint64_t ns, ticks;
};

/* Of some readings, the one during which the least time passed between the two. */
static struct instant now(void)
{
	struct instant best = { 0 };
	uint64_t shortest = UINT64_MAX;
	struct timespec ts;
	int i;

	for (i = 0; i < 50; i++) {
		uint64_t before = __rdtsc(), after;

		clock_gettime(CLOCK_MONOTONIC, &ts);
		after = __rdtsc();
		if (after - before >= shortest)
			continue;
		shortest = after - before;
		best.ns = ts.tv_sec * 1000000000ULL + ts.tv_nsec;
		best.ticks = before + shortest / 2;
	}
	return best;
}

int main(void)
{
	const struct timespec tenth = { .tv_nsec = 100000000 };
	struct instant from, to;

	from = now();
	nanosleep(&tenth, NULL);
	to = now();
	printf("%llu\n", (unsigned long long)((to.ticks - from.ticks) * 1000000 /
					      (to.ns - from.ns)));
	return 0;
}
