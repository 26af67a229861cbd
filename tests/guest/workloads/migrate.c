// SPDX-License-Identifier: GPL-2.0
/*
 * A thread that is moved to another CPU while it sleeps: an interval opens on
 * one CPU and closes on another, and must be counted once.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include "kinds.h"
#include "truth.h"

#define NAPS 12

static atomic_int mover_tid, moves;

static void move(int tid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(tid, sizeof(set), &set);
}

static FRAME void migrate_inner(struct truth *t)
{
	wait_begins(t);
	raw_sleep(50 * MS);
	wait_ends(t);
}

static FRAME void migrate_root(void *arg)
{
	struct truth *t = truth_row("migrate", "S",
				    "migrate_inner;migrate_root;rooted");

	atomic_store(&mover_tid, t->tid);
	for (int i = 0; i < NAPS; i++)
		migrate_inner(t);
	atomic_store(&mover_tid, 0);
	(void)arg;
}

static void *migrate_thread(void *arg)
{
	rooted(migrate_root, arg);
	return NULL;
}

void kind_migrate(void)
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), tid;
	pthread_t thread;

	atomic_store(&mover_tid, -1);
	pthread_create(&thread, NULL, migrate_thread, NULL);
	while ((tid = atomic_load(&mover_tid))) {
		if (tid > 0)
			move(tid, atomic_fetch_add(&moves, 1) % cpus);
		raw_sleep(20 * MS);
	}
	pthread_join(thread, NULL);
}
