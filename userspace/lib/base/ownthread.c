// SPDX-License-Identifier: GPL-2.0
/*
 * Watches a thread of this process, or of a child: its state in /proc, and its CPU time.
 * Called by the thread that waits for it.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/ownthread.h"

/**
 * wp_ownthread_self() - let others watch this thread
 * @t: set to the thread
 */
void wp_ownthread_self(struct wp_ownthread *t)
{
	*t = (struct wp_ownthread){ .pid = getpid(), .tid = gettid(), .ran = ~0ULL };
	if (pthread_getcpuclockid(pthread_self(), &t->clock))
		t->clock = CLOCK_MONOTONIC;
}

/* The state in /proc; '?': unknown. */
static char state_of(const struct wp_ownthread *t)
{
	char path[64], text[512], *end;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", t->pid, t->tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return '?';
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	/* The name can contain anything. */
	end = strrchr(text, ')');
	return end && end[1] == ' ' && end[2] ? end[2] : '?';
}

/**
 * wp_ownthread_is_blocked() - whether a thread has not run since the last check, and is
 * blocked
 * @t: the thread
 * @states: the states that count as blocked, as in /proc
 *
 * Return: true if so; never at the first check.
 */
bool wp_ownthread_is_blocked(struct wp_ownthread *t, const char *states)
{
	struct timespec time;
	__u64 ran = ~0ULL;
	bool idle;

	if (!t->tid)
		return false;
	if (!clock_gettime(t->clock, &time))
		ran = time.tv_sec * 1000000000ULL + time.tv_nsec;
	idle = ran == t->ran && ran != ~0ULL;
	t->ran = ran;
	return idle && strchr(states, state_of(t));
}
