// SPDX-License-Identifier: GPL-2.0
/*
 * Runs in the guest of tests/bench/cpus: on each CPU two processes that write to each other
 * by pipes, in turn, so that each CPU does nothing but switch.
 *
 * usage: pairs CPUS WARM ROUNDS
 *        pairs 0 0 SECONDS	marks the time of a sleep, a minute later
 *
 * After so many rounds for warmth all wait for each other; then each does at least ROUNDS of
 * them, of two switches, with a mark for the emulator after each.
 */
#include <err.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "marks.h"

static int *warm, *done, *go;

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "CPU %d", cpu);
}

static void add(int *counter)
{
	__atomic_fetch_add(counter, 1, __ATOMIC_SEQ_CST);
}

static void until(const int *counter, int value)
{
	while (__atomic_load_n(counter, __ATOMIC_SEQ_CST) < value)
		usleep(1000);
}

/* The other half of a pair, until the pipe is closed. */
static void answer(int in, int out)
{
	char byte;

	while (read(in, &byte, 1) == 1 && write(out, &byte, 1) == 1)
		;
	_exit(0);
}

static void round_trip(int in, int out)
{
	char byte = 0;

	if (write(out, &byte, 1) != 1 || read(in, &byte, 1) != 1)
		err(1, "pipe");
}

static void pair(int cpu, int nr_warm, int rounds)
{
	int to[2], from[2], i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pin(cpu);
	if (pipe(to) || pipe(from))
		err(1, "pipe");
	switch (fork()) {
	case -1:
		err(1, "fork");
	case 0:
		close(to[1]);
		answer(to[0], from[1]);
	}
	close(to[0]);
	for (i = 0; i < nr_warm; i++)
		round_trip(from[0], to[1]);
	add(warm);
	until(go, 1);
	for (i = 0; i < rounds; i++) {
		round_trip(from[0], to[1]);
		mark(MARK_PIECE);
	}
	add(done);
	/* Its CPU is to go on switching until all have done theirs. */
	while (!__atomic_load_n(&go[1], __ATOMIC_SEQ_CST)) {
		round_trip(from[0], to[1]);
		mark(MARK_PIECE);
	}
	_exit(0);
}

int main(int argc, char **argv)
{
	int cpus, i;

	if (argc != 4)
		errx(1, "usage: pairs CPUS WARM ROUNDS");
	cpus = atoi(argv[1]);
	if (!cpus) {
		/* Of a file system that was made just now the kernel writes the rest. */
		sleep(60);
		mark(MARK_BEGIN);
		sleep(atoi(argv[3]));
		mark(MARK_END);
		return 0;
	}
	/* A cache line each: what they are for is no part of what is measured. */
	warm = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (warm == MAP_FAILED)
		err(1, "mmap");
	done = warm + 16;
	go = warm + 32;
	for (i = 0; i < cpus; i++) {
		switch (fork()) {
		case -1:
			err(1, "fork");
		case 0:
			pair(i, atoi(argv[2]), atoi(argv[3]));
		}
	}
	until(warm, cpus);
	mark(MARK_BEGIN);
	__atomic_store_n(&go[0], 1, __ATOMIC_SEQ_CST);
	until(done, cpus);
	mark(MARK_END);
	__atomic_store_n(&go[1], 1, __ATOMIC_SEQ_CST);
	while (wait(NULL) > 0)
		;
	printf("%d pairs, %s rounds each\n", cpus, argv[3]);
	return 0;
}
