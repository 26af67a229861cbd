// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the look at a thread of this process, or of a child: its state in /proc, and the
 * time that it ran. Called by whoever waits for such a thread.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/ownthread.h"

/**
 * wp_ownthread_self() - have others look at this thread
 * @t: set to the thread
 */
void wp_ownthread_self(struct wp_ownthread *t)
{
	*t = (struct wp_ownthread){ .pid = getpid(), .tid = gettid(), .ran = ~0ULL };
	if (pthread_getcpuclockid(pthread_self(), &t->clock))
		t->clock = CLOCK_MONOTONIC;
}

/* As /proc has it; '?': not known. */
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
	/* The name can hold anything. */
	end = strrchr(text, ')');
	return end && end[1] == ' ' && end[2] ? end[2] : '?';
}

/**
 * wp_ownthread_is_blocked() - did a thread not run since the last look, and is it blocked?
 * @t: the thread
 * @states: in which states, as /proc has them
 *
 * Return: whether it is so; never at the first look.
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
