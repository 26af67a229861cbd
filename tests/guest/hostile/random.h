/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers that follow from a seed alone, on every machine. */
#ifndef HOSTILE_RANDOM_H
#define HOSTILE_RANDOM_H

#include <linux/types.h>

struct random {
	__u64 state;
};

/* splitmix64 */
static inline __u64 random_next(struct random *r)
{
	__u64 x = r->state += 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

/* One of the stream's many branches: what it gives depends on both only. */
static inline struct random random_of(__u64 seed, __u64 branch)
{
	struct random r = { seed };

	r.state = random_next(&r) ^ branch * 0xd1342543de82ef95ULL;
	random_next(&r);
	return r;
}

static inline __u64 random_below(struct random *r, __u64 n)
{
	return random_next(r) % n;
}

static inline int random_chance(struct random *r, unsigned int percent)
{
	return random_below(r, 100) < percent;
}

#endif
