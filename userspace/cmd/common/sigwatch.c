// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the thread that takes signals for the main thread when that is blocked
 * uninterruptibly: so the second Ctrl-C ends the process, whatever it waits for. Called
 * by signals.c.
 *
 * While the main thread makes progress, its own handlers run, and this thread does
 * nothing. A handler called by this thread may access the main thread's data like one
 * that interrupts it: the main thread is parked before, so that it cannot continue
 * meanwhile.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "cmd/common/sigwatch.h"
#include "lib/base/err.h"
#include "lib/base/ownthread.h"

/* A signal is taken after so many successive checks at which it was still pending. */
#define LOOKS		15
#define LOOK_NS		20000000

/* Signal that parks the main thread. No other signal has this number. */
#define SIGPARK		(SIGRTMIN + 4)

static pthread_t main_thread;
static struct wp_ownthread main_state;
static sigset_t watched;
static void (*handle)(int sig);
static volatile sig_atomic_t parked;
static int fd = -1;

static void rest(void)
{
	const struct timespec t = { .tv_nsec = LOOK_NS };

	nanosleep(&t, NULL);
}

/* Context: signal handler of the main thread; the process ends in it. */
static void park(int sig)
{
	(void)sig;
	parked = 1;
	for (;;)
		pause();
}

static bool is_pending(void)
{
	sigset_t pending;
	int sig;

	sigpending(&pending);
	for (sig = 1; sig < SIGRTMIN; sig++) {
		if (sigismember(&watched, sig) == 1 && sigismember(&pending, sig) == 1)
			return true;
	}
	return false;
}

/* Whether a pending signal is one that the main thread cannot take. */
static bool is_deaf(void)
{
	unsigned int looks = 0;

	while (looks < LOOKS) {
		rest();
		if (!is_pending())
			return false;
		looks = wp_ownthread_is_blocked(&main_state, "D") ? looks + 1 : 0;
	}
	return true;
}

/* After this the main thread cannot execute anything. */
static void park_main(void)
{
	pthread_kill(main_thread, SIGPARK);
	while (!parked && !wp_ownthread_is_blocked(&main_state, "D"))
		rest();
}

static void *watch(void *arg)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	struct signalfd_siginfo info;
	bool first = true;
	sigset_t one;

	(void)arg;
	for (;;) {
		if (poll(&poll_fd, 1, -1) < 0 && errno != EINTR)
			return NULL;
		if (!is_deaf() || read(fd, &info, sizeof(info)) != sizeof(info))
			continue;
		if (!first)
			park_main();
		first = false;
		handle(info.ssi_signo);
		/* If the handler has raised it, it ends the process here. */
		sigemptyset(&one);
		sigaddset(&one, info.ssi_signo);
		pthread_sigmask(SIG_UNBLOCK, &one, NULL);
		pthread_sigmask(SIG_BLOCK, &one, NULL);
	}
}

/**
 * wp_sigwatch_start() - start the thread; called by the main thread
 * @signals: signals whose handlers must run, whatever the main thread waits for
 * @handler: handler of all of them; may be called by another thread
 */
void wp_sigwatch_start(const sigset_t *signals, void (*handler)(int sig))
{
	const struct sigaction sa = { .sa_handler = park };
	pthread_attr_t attr;
	sigset_t all, old;
	pthread_t thread;
	int err;

	watched = *signals;
	handle = handler;
	main_thread = pthread_self();
	wp_ownthread_self(&main_state);
	sigaction(SIGPARK, &sa, NULL);
	fd = signalfd(-1, signals, SFD_CLOEXEC | SFD_NONBLOCK);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = fd < 0 ? errno : pthread_create(&thread, &attr, watch, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	if (err)
		wp_debug("signals are not watched: %s", strerror(err));
}
