// SPDX-License-Identifier: GPL-2.0
/* Unit test for notify.c: a manager's socket, and what is no socket. */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/notify.h"
#include "tap.h"

static char got[2048];

/* Whether the next message is this; "": there is none. */
static bool gets(int sock, const char *wanted)
{
	ssize_t n = recv(sock, got, sizeof(got) - 1, MSG_DONTWAIT);

	got[n < 0 ? 0 : n] = 0;
	return !strcmp(got, wanted);
}

static int manager(const char *name)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int sock = socket(AF_UNIX, SOCK_DGRAM, 0);

	strcpy(at.sun_path, name);
	if (*name == '@')
		*at.sun_path = 0;
	if (bind(sock, (struct sockaddr *)&at, offsetof(struct sockaddr_un, sun_path) +
		 strlen(name)))
		return -1;
	setenv("NOTIFY_SOCKET", name, 1);
	return sock;
}

static void messages(const char *name)
{
	int sock = manager(name), i;
	struct wp_notify n;
	char text[1000];

	if (!ok(sock >= 0, "%s", name))
		return;
	wp_notify_open(&n);
	wp_notify(&n, "READY=1");
	wp_notify(&n, "STATUS=%d windows", 7);
	ok(gets(sock, "READY=1") && gets(sock, "STATUS=7 windows"), "messages arrive");
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	wp_notify(&n, "%s", text);
	ok(!gets(sock, text) && strlen(got) == 511 && !strncmp(got, text, 511), "a long one is cut");
	for (i = 0; i < 100000; i++)
		wp_notify(&n, "STATUS=%d", i);
	ok(gets(sock, "STATUS=0"), "nobody waits for one who does not read");
	close(sock);
	wp_notify(&n, "STOPPING=1");
	wp_notify_close(&n);
	wp_notify_close(&n);
	ok(n.sock < 0, "nor for one who is gone");
	if (*name == '/')
		unlink(name);
}

static void alive(void)
{
	int sock = manager("@wallprof-notify-test-2");
	struct wp_notify n;
	char pid[16];

	setenv("WATCHDOG_USEC", "3600000000", 1);
	wp_notify_open(&n);
	ok(n.every == 1800ULL * 1000000000, "half of the time");
	ok(!wp_notify_until(&n, ~0ULL), "the first message is due at once");
	wp_notify_alive(&n);
	ok(gets(sock, "WATCHDOG=1"), "it is sent");
	wp_notify_alive(&n);
	ok(gets(sock, "") && wp_notify_until(&n, ~0ULL) == n.next && wp_notify_until(&n, 7) == 7,
	   "and then not before its time");
	n.next = wp_clock_now();
	wp_notify_alive(&n);
	ok(gets(sock, "WATCHDOG=1") && n.next > wp_clock_now(), "but then");
	wp_notify_close(&n);
	snprintf(pid, sizeof(pid), "%d", getpid());
	setenv("WATCHDOG_PID", pid, 1);
	wp_notify_open(&n);
	ok(n.every, "of this process");
	wp_notify_close(&n);
	setenv("WATCHDOG_PID", "1", 1);
	wp_notify_open(&n);
	ok(!n.every && wp_notify_until(&n, ~0ULL) == ~0ULL, "of another process");
	wp_notify_close(&n);
	unsetenv("WATCHDOG_PID");
	setenv("WATCHDOG_USEC", "18446744073709551615", 1);
	wp_notify_open(&n);
	ok(n.sock >= 0 && !n.every, "too long a time");
	wp_notify_close(&n);
	close(sock);
}

static void none(void)
{
	static const char *const names[] = {
		"", "@", "/", "relative", "/nowhere/socket", "vsock:2:1",
		"/a/name/that/is/too/long/for/a/socket/in/a/directory/of/which/nobody/has/ever/heard/and/which/does/not/exist",
	};
	struct wp_notify n;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		setenv("NOTIFY_SOCKET", names[i], 1);
		wp_notify_open(&n);
		ok(n.sock < 0 && !n.every, "no socket: '%s'", names[i]);
		wp_notify(&n, "READY=1");
		wp_notify_alive(&n);
	}
	unsetenv("NOTIFY_SOCKET");
	wp_notify_open(&n);
	ok(n.sock < 0, "nor without a manager");
}

int main(void)
{
	char name[] = "/tmp/wallprof-notify.XXXXXX", path[64];

	if (!ok(!!mkdtemp(name), "begin"))
		return done();
	snprintf(path, sizeof(path), "%s/socket", name);
	messages(path);
	rmdir(name);
	messages("@wallprof-notify-test");
	alive();
	none();
	return done();
}
