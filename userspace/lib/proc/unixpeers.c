// SPDX-License-Identifier: GPL-2.0
/*
 * Looks up the peers of unix sockets: /proc/PID/net/unix does not have them, the kernel's
 * sock_diag has (linux/unix_diag.h), as used by ss. It shows the network namespace of the
 * socket that asks, so this thread enters the process's namespace while it creates that
 * socket. Without permission for that, or without sock_diag, sockets have no peers.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "lib/proc/unixpeers.h"

/* Maximum size of an answer. */
#define ANSWER	(1 << 15)

/* Timeout: the kernel normally answers at once. */
#define ANSWER_S	1

static void take_one(struct wp_sockets *t, const struct nlmsghdr *msg)
{
	const struct unix_diag_msg *diag = NLMSG_DATA(msg);
	struct wp_socket *s;
	const struct rtattr *attr;
	int len;

	if (msg->nlmsg_len < NLMSG_LENGTH(sizeof(*diag)))
		return;
	s = wp_sockets_find(t, diag->udiag_ino);
	if (!s)
		return;
	len = msg->nlmsg_len - NLMSG_LENGTH(sizeof(*diag));
	for (attr = (const void *)(diag + 1); RTA_OK(attr, len); attr = RTA_NEXT(attr, len)) {
		if (attr->rta_type == UNIX_DIAG_PEER && RTA_PAYLOAD(attr) >= sizeof(__u32))
			memcpy(&s->peer_ino, RTA_DATA(attr), sizeof(__u32));
	}
}

/**
 * wp_unixpeers_take() - parse an answer of sock_diag
 * @t: the sockets, sorted; their peers are set
 * @answer: netlink messages, aligned as these are
 * @len: size of @answer
 *
 * Invalid messages are skipped.
 *
 * Return: true if more is to come.
 */
bool wp_unixpeers_take(struct wp_sockets *t, const void *answer, size_t len)
{
	const struct nlmsghdr *msg = answer;
	int left = len;		/* less than 0 after a last one without padding */

	for (; NLMSG_OK(msg, left); msg = NLMSG_NEXT(msg, left)) {
		if (msg->nlmsg_type == NLMSG_DONE || msg->nlmsg_type == NLMSG_ERROR)
			return false;
		if (msg->nlmsg_type == SOCK_DIAG_BY_FAMILY)
			take_one(t, msg);
	}
	return true;
}

/* Create a netlink socket in the network namespace of a process, or return -1. */
static int ask_in(int dir)
{
	int there = openat(dir, "ns/net", O_RDONLY | O_CLOEXEC), sock = -1;
	int here = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	struct stat st_there, st_here;

	if (there >= 0 && here >= 0 && !fstat(there, &st_there) && !fstat(here, &st_here)) {
		bool same = st_there.st_ino == st_here.st_ino &&
			    st_there.st_dev == st_here.st_dev;

		if (same || !setns(there, CLONE_NEWNET)) {
			sock = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
			/* If entering was permitted, returning is. */
			if (!same && setns(here, CLONE_NEWNET) && sock >= 0) {
				close(sock);
				sock = -1;
			}
		}
	}
	if (there >= 0)
		close(there);
	if (here >= 0)
		close(here);
	return sock;
}

/**
 * wp_unixpeers_read() - find the peers of a network namespace's unix sockets
 * @t: its sockets, sorted
 * @dir: descriptor of /proc/PID of a process in it
 */
void wp_unixpeers_read(struct wp_sockets *t, int dir)
{
	const struct {
		struct nlmsghdr header;
		struct unix_diag_req ask;
	} request = {
		.header = {
			.nlmsg_len = sizeof(request),
			.nlmsg_type = SOCK_DIAG_BY_FAMILY,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
		},
		.ask = {
			.sdiag_family = AF_UNIX,
			.udiag_states = ~0U,
			.udiag_show = UDIAG_SHOW_PEER,
		},
	};
	static char answer[ANSWER] __attribute__((aligned(NLMSG_ALIGNTO)));
	const struct timeval limit = { .tv_sec = ANSWER_S };
	int sock = ask_in(dir);
	ssize_t n;

	if (sock < 0)
		return;
	setsockopt(sock, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	if (send(sock, &request, sizeof(request), 0) == sizeof(request)) {
		do
			n = recv(sock, answer, sizeof(answer), 0);
		while (n > 0 && wp_unixpeers_take(t, answer, n));
	}
	close(sock);
}
