/* SPDX-License-Identifier: GPL-2.0 */
/* Waits of threads of this process for each other. */
#ifndef WAITING_H
#define WAITING_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

/*
 * Whether a thread is in futex(2). The kernel shows the call of a thread that has left its
 * CPU only.
 */
static inline bool in_futex(int tid)
{
	char path[64], text[64] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", tid);
	f = fopen(path, "r");
	if (!f)
		return false;
	if (!fgets(text, sizeof(text), f))
		*text = 0;
	fclose(f);
	return strtol(text, NULL, 10) == SYS_futex && strchr(text, ' ');
}

static inline void nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

#endif
