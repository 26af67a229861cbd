// SPDX-License-Identifier: GPL-2.0
/* Threads that are born, wait once, and die: a thousand and more of them. */
#include <pthread.h>
#include <stdlib.h>

#include "kinds.h"
#include "truth.h"

#define THREADS 600
#define AT_ONCE 40

static FRAME void birth_nap(struct truth *t)
{
	wait_begins(t);
	raw_sleep(40 * MS);
	wait_ends(t);
}

static FRAME void birth_root(void *arg)
{
	birth_nap(truth_row("births", "S", "birth_nap;birth_root;rooted"));
	(void)arg;
}

static void *birth_thread(void *arg)
{
	rooted(birth_root, arg);
	return NULL;
}

void kind_births(void)
{
	pthread_t threads[AT_ONCE];

	for (int done = 0; done < THREADS; done += AT_ONCE) {
		for (int i = 0; i < AT_ONCE; i++)
			if (pthread_create(&threads[i], NULL, birth_thread,
					   NULL))
				abort();
		for (int i = 0; i < AT_ONCE; i++)
			pthread_join(threads[i], NULL);
	}
}
