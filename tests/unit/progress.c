// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the progress that a user at a terminal sees while the recorder waits for unwind
 * tables and stacks. A thread is that user: what is waited for comes when the line was read.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/record/mapstate.h"
#include "lib/record/mapsync.h"
#include "tap.h"

/* A broken test ends. */
#define LONG_MS	60000

static struct wp_mapsync mapsync;
static int terminal, own_stderr;

struct user {
	const char *wanted;
	int then;
	char seen[1024];
};

static int push(void *ctx, const void *table, size_t size, __u32 *id)
{
	return 0;
}

/* Read the terminal until @wanted is there, and then end the wait. */
static void *look(void *arg)
{
	struct user *user = arg;
	size_t len = 0;
	__u64 one = 1;
	ssize_t n;

	while (!strstr(user->seen, user->wanted)) {
		n = read(terminal, user->seen + len, sizeof(user->seen) - 1 - len);
		if (n <= 0)
			return NULL;
		len += n;
	}
	return write(user->then, &one, sizeof(one)) == sizeof(one) ? user : NULL;
}

/* What is on the terminal, without waiting. */
static size_t left(char *text, size_t size)
{
	ssize_t n;

	fcntl(terminal, F_SETFL, O_NONBLOCK);
	n = read(terminal, text, size - 1);
	fcntl(terminal, F_SETFL, 0);
	text[n > 0 ? n : 0] = 0;
	return n > 0 ? n : 0;
}

/* Whether blanks come over a line, from its start and back to it. */
static bool is_erased(size_t columns)
{
	struct pollfd more = { .fd = terminal, .events = POLLIN };
	char text[256];
	size_t len = 0;
	ssize_t n;

	while (len < 2 || text[len - 1] != '\r') {
		if (len + 1 >= sizeof(text) || poll(&more, 1, LONG_MS) != 1)
			return false;
		n = read(terminal, text + len, sizeof(text) - 1 - len);
		if (n <= 0)
			return false;
		len += n;
	}
	text[len] = 0;
	return len >= columns + 2 && text[0] == '\r' && strspn(text + 1, " ") == len - 2;
}

static void show_on(int fd)
{
	fflush(stderr);
	dup2(fd, STDERR_FILENO);
}

static void waits(const char *line, int fd, bool walked)
{
	struct user user = { .wanted = line, .then = fd };
	pthread_t thread;
	bool ended;

	pthread_create(&thread, NULL, look, &user);
	ended = walked ? wp_mapsync_wait_walked(&mapsync, LONG_MS) :
		wp_mapsync_wait_tables(&mapsync, LONG_MS) == 1;
	if (!ended)
		pthread_cancel(thread);
	pthread_join(thread, NULL);
	ok(ended, "'%s' is shown while it waits", line);
	ok(ended && is_erased(strlen(line)), "and erased");
}

static void test_wait(int slave)
{
	char text[256];
	int pipes[2];

	show_on(slave);
	waits("building unwind tables: 0 %", mapsync.done_fd, false);
	waits("reading the stacks of blocked threads", mapsync.walked_fd, true);
	/* Only for somebody who looks, and not if there is nothing to wait for. */
	ok(wp_mapsync_wait_tables(&mapsync, 0) == 1 && !left(text, sizeof(text)),
	   "nothing is shown without a wait");
	mapsync.done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	wp_set_verbosity(WP_QUIET);
	ok(!wp_mapsync_wait_tables(&mapsync, 800) && !left(text, sizeof(text)), "nothing with -q");
	wp_set_verbosity(WP_NORMAL);
	show_on(own_stderr);
	ok(!pipe2(pipes, O_NONBLOCK), "a pipe");
	show_on(pipes[1]);
	ok(!wp_mapsync_wait_tables(&mapsync, 800) && read(pipes[0], text, 1) < 0,
	   "nothing if the output is no terminal");
	show_on(own_stderr);
}

int main(void)
{
	const struct wp_codefiles_options files = { .push = push };
	int slave;

	own_stderr = dup(STDERR_FILENO);
	terminal = posix_openpt(O_RDWR | O_NOCTTY);
	if (!ok(terminal >= 0 && !grantpt(terminal) && !unlockpt(terminal), "a terminal"))
		return done();
	slave = open(ptsname(terminal), O_RDWR | O_NOCTTY);
	mapsync.done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	mapsync.walked_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	mapsync.files = wp_codefiles_new(&files);
	if (ok(slave >= 0 && mapsync.files, "begin"))
		test_wait(slave);
	wp_codefiles_free(mapsync.files);
	return done();
}
