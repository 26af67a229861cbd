// SPDX-License-Identifier: GPL-2.0
/*
 * Naps a number of times, and counts by the kernel's own numbers how often it waited.
 *
 *	counted FIFO FILE NUMBER
 *
 * It begins when somebody writes to FIFO. FILE gets then how often it left its CPU by itself,
 * and how often it was preempted at all; it waits for good after that.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int fifo, file, i, nr = argc > 3 ? atoi(argv[3]) : 0;
	struct rusage before, after;
	char text[64];

	file = nr ? open(argv[2], O_WRONLY | O_CREAT, 0600) : -1;
	/* A page that is read from disk would be a wait, too. */
	if (file < 0 || mlockall(MCL_CURRENT))
		return 1;
	fifo = open(argv[1], O_RDONLY);
	getrusage(RUSAGE_SELF, &before);
	for (i = 0; i < nr; i++)
		nanosleep(&(struct timespec){ .tv_nsec = 3000000 }, NULL);
	getrusage(RUSAGE_SELF, &after);
	if (fifo < 0 || write(file, text, snprintf(text, sizeof(text), "%ld %ld\n",
						   after.ru_nvcsw - before.ru_nvcsw,
						   after.ru_nivcsw)) <= 0)
		return 1;
	pause();
	return 0;
}
