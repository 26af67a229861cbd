// SPDX-License-Identifier: GPL-2.0
/*
 * Two threads that want one CPU: they spin, and the scheduler preempts them,
 * or they yield to each other. Either is R: what is preempted on its way back
 * to user mode looks like what yields; R+ is a preemption of the kernel.
 * What a thread was off its CPU is the
 * time that passed less the CPU time that the kernel accounted to it.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "kinds.h"
#include "truth.h"

#define SPIN (800 * MS)
#define TURNS 10
#define YIELDS 100
#define SWITCHES 50

static atomic_int ready, stop, done;
static atomic_int last, turns;	/* of those that spin: who it was, how often another */

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/*
 * Both are there, on their CPU and awake, before time is taken: one that was
 * blocked might come when the other is through.
 */
static void meet(void)
{
	atomic_fetch_add(&ready, 1);
	while (atomic_load(&ready) < 2)
		raw(SYS_sched_yield, 0, 0, 0, 0, 0);
}

/*
 * Who finds that the other one was here meanwhile has lost the CPU to it, in
 * this function but for the first time.
 */
static FRAME void rival_spins(int me)
{
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
	while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
		if (atomic_load_explicit(&last, memory_order_relaxed) == me)
			continue;
		atomic_store_explicit(&last, me, memory_order_relaxed);
		atomic_store_explicit(&turns, turns + 1, memory_order_relaxed);
	}
}

static FRAME void rival_root(void *arg)
{
	struct truth *t = truth_row("rivals", "R",
				    "rival_spins;rival_root;rooted");
	uint64_t run;

	pin(0);
	meet();
	t->s0 = switched(0);
	t->t0 = now_ns();
	run = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	rival_spins(t->tid);
	run = clock_ns(CLOCK_THREAD_CPUTIME_ID) - run;
	t->around = now_ns() - t->t0;
	t->total = t->around - run;
	t->switches = switched(0) - t->s0;
	(void)arg;
}

static FRAME void yield_once(void)
{
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
	raw(SYS_sched_yield, 0, 0, 0, 0, 0);
}

/*
 * Not each time that a thread yields does it lose its CPU: that is up to the
 * scheduler. Each goes on until both have lost it often enough.
 */
static FRAME void yield_root(void *arg)
{
	struct truth *t = truth_row("yield", "R", "yield_once;yield_root;rooted");
	int enough = 0;

	pin(0);
	meet();
	t->s0 = switched(0);
	while (atomic_load(&done) < 2) {
		for (int i = 0; i < YIELDS; i++)
			yield_once();
		if (!enough && switched(0) - t->s0 >= SWITCHES) {
			enough = 1;
			atomic_fetch_add(&done, 1);
		}
	}
	t->switches = switched(0) - t->s0;
	(void)arg;
}

static void *rival_thread(void *arg)
{
	rooted(rival_root, arg);
	return NULL;
}

static void *yield_thread(void *arg)
{
	rooted(yield_root, arg);
	return NULL;
}

void kind_rivals(void)
{
	pthread_t rivals[2];

	atomic_store(&ready, 0);
	atomic_store(&stop, 0);
	atomic_store(&turns, 0);
	for (int i = 0; i < 2; i++)
		pthread_create(&rivals[i], NULL, rival_thread, NULL);
	/* On a machine that stood still they may not even have met by then. */
	do
		raw_sleep(SPIN);
	while (atomic_load(&turns) < TURNS);
	atomic_store(&stop, 1);
	for (int i = 0; i < 2; i++)
		pthread_join(rivals[i], NULL);
}

void kind_yield(void)
{
	pthread_t rivals[2];

	atomic_store(&ready, 0);
	atomic_store(&done, 0);
	for (int i = 0; i < 2; i++)
		pthread_create(&rivals[i], NULL, yield_thread, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(rivals[i], NULL);
}
