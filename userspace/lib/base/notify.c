// SPDX-License-Identifier: GPL-2.0
/*
 * Messages to a service manager, as systemd is: that a service is ready, what it does, and
 * that it is alive. They are datagrams to the socket that NOTIFY_SOCKET names, as
 * sd_notify(3) describes them. Without a manager, nothing is sent. Never waits: a manager
 * that does not read misses messages.
 */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/base/notify.h"

#define NSEC_PER_USEC	1000ULL

/* Of a message; more is cut off. */
#define MAX_TEXT	512

/* A number of the environment; 0: there is none, or it is none. */
static __u64 number_of(const char *name)
{
	const char *text = getenv(name);
	char *end;
	__u64 value;

	if (!text || *text < '0' || *text > '9')
		return 0;
	errno = 0;
	value = strtoull(text, &end, 10);
	return *end || errno || value > ~0ULL / 2 / NSEC_PER_USEC ? 0 : value;
}

static int connect_to(const char *name)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	size_t len = strlen(name);
	int sock;

	/* Behind "@" is a name that is in no directory. */
	if ((*name != '/' && *name != '@') || !name[1] || len >= sizeof(to.sun_path)) {
		wp_warn("NOTIFY_SOCKET: '%s' is no name of a socket", name);
		return -1;
	}
	memcpy(to.sun_path, name, len);
	if (*name == '@')
		*to.sun_path = 0;
	sock = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (sock < 0 || connect(sock, (struct sockaddr *)&to,
				offsetof(struct sockaddr_un, sun_path) + len)) {
		wp_warn("NOTIFY_SOCKET: %s: %s", name, strerror(errno));
		if (sock >= 0)
			close(sock);
		return -1;
	}
	return sock;
}

/**
 * wp_notify_open() - connect to the manager that the environment names
 * @n: set to the connection
 *
 * Of several processes of a service, the one that WATCHDOG_PID names is to be alive.
 */
void wp_notify_open(struct wp_notify *n)
{
	const char *name = getenv("NOTIFY_SOCKET");
	__u64 pid = number_of("WATCHDOG_PID");

	*n = (struct wp_notify){ .sock = name && *name ? connect_to(name) : -1 };
	/* Half of the time after which it ends the process. */
	if (n->sock >= 0 && (!pid || pid == (__u64)getpid()))
		n->every = number_of("WATCHDOG_USEC") * NSEC_PER_USEC / 2;
}

/**
 * wp_notify() - send a message
 * @n: the connection
 * @format: the message, as for printf()
 */
void wp_notify(const struct wp_notify *n, const char *format, ...)
{
	char text[MAX_TEXT];
	va_list args;
	int len;

	if (n->sock < 0)
		return;
	va_start(args, format);
	len = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (len >= MAX_TEXT)
		len = MAX_TEXT - 1;
	if (len > 0 && send(n->sock, text, len, MSG_NOSIGNAL) < 0)
		wp_debug("NOTIFY_SOCKET: %s", strerror(errno));
}

/**
 * wp_notify_alive() - send that the process is alive, if it is time to
 * @n: the connection
 */
void wp_notify_alive(struct wp_notify *n)
{
	__u64 now = wp_clock_now();

	if (!n->every || now < n->next)
		return;
	wp_notify(n, "WATCHDOG=1");
	n->next = now + n->every;
}

/**
 * wp_notify_until() - limit a wait, so that wp_notify_alive() is called in time
 * @n: the connection
 * @until: end of the wait, ns of CLOCK_MONOTONIC
 *
 * Return: the earlier one of it and of the time of the next message.
 */
__u64 wp_notify_until(const struct wp_notify *n, __u64 until)
{
	return n->every && n->next < until ? n->next : until;
}

/**
 * wp_notify_close() - close the connection
 * @n: the connection, in any state
 */
void wp_notify_close(struct wp_notify *n)
{
	if (n->sock >= 0)
		close(n->sock);
	*n = (struct wp_notify){ .sock = -1 };
}
