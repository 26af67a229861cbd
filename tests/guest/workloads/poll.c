// SPDX-License-Identifier: GPL-2.0
/*
 * poll and epoll, ended by a timer and by their time limit: ppoll and
 * epoll_pwait, for arm64 has no older ones.
 */
#include <poll.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "kinds.h"
#include "truth.h"

#define WAITS 8
#define PAUSE_MS 40

static FRAME void poll_limit(struct truth *t)
{
	struct raw_timespec limit = { 0, PAUSE_MS * MS };

	wait_begins(t);
	raw(SYS_ppoll, 0, 0, (long)&limit, 0, 0);
	wait_ends(t);
}

static FRAME void poll_timer(struct truth *t, struct pollfd *fd)
{
	wait_begins(t);
	raw(SYS_ppoll, (long)fd, 1, 0, 0, 0);
	wait_ends(t);
}

static FRAME void epoll_limit(struct truth *t, int epoll)
{
	struct epoll_event event;

	wait_begins(t);
	raw(SYS_epoll_pwait, epoll, (long)&event, 1, PAUSE_MS, 0);
	wait_ends(t);
}

static FRAME void epoll_timer(struct truth *t, int epoll)
{
	struct epoll_event event;

	wait_begins(t);
	raw(SYS_epoll_pwait, epoll, (long)&event, 1, -1, 0);
	wait_ends(t);
}

static int timer_new(void)
{
	return timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
}

/* The timer is armed out of the wait: what it costs is no wait. */
static void timer_arm(int fd, long ms)
{
	struct itimerspec in = { .it_value.tv_nsec = ms * 1000000 };

	timerfd_settime(fd, 0, &in, NULL);
}

static FRAME void poll_root(void *arg)
{
	struct truth *limit = truth_row("poll", "S",
					"poll_limit;poll_root;rooted");
	struct truth *timer = truth_row("poll", "S",
					"poll_timer;poll_root;rooted");
	struct pollfd fd = { .fd = timer_new(), .events = POLLIN };

	for (int i = 0; i < WAITS; i++) {
		poll_limit(limit);
		timer_arm(fd.fd, PAUSE_MS);
		poll_timer(timer, &fd);
		timer_arm(fd.fd, 0);
	}
	close(fd.fd);
	(void)arg;
}

static FRAME void epoll_root(void *arg)
{
	struct truth *limit = truth_row("epoll", "S",
					"epoll_limit;epoll_root;rooted");
	struct truth *timer = truth_row("epoll", "S",
					"epoll_timer;epoll_root;rooted");
	struct epoll_event event = { .events = EPOLLIN };
	int epoll = epoll_create1(EPOLL_CLOEXEC), fd = timer_new();

	epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
	for (int i = 0; i < WAITS; i++) {
		epoll_limit(limit, epoll);
		timer_arm(fd, PAUSE_MS);
		epoll_timer(timer, epoll);
		timer_arm(fd, 0);
	}
	close(fd);
	close(epoll);
	(void)arg;
}

void kind_poll(void)
{
	rooted(poll_root, NULL);
}

void kind_epoll(void)
{
	rooted(epoll_root, NULL);
}
