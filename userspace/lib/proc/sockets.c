// SPDX-License-Identifier: GPL-2.0
/*
 * Looks up a socket by its inode: its protocol and both addresses, from /proc/PID/net,
 * which shows the process's own network namespace. Called by objects.c and openprocs.c.
 * Names of unix sockets are chosen by users, who can put newlines into them, and so whole
 * lines into that table: an inode that occurs twice there gets no name here, and the
 * other tables, which users cannot forge, come first.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/proc/sockets.h"

#define MIN_ROOM	256
#define CHUNK		(1 << 16)
#define MAX_TABLE	(1 << 26)	/* some 400,000 sockets */
#define TCP_LISTEN	10

static int push(struct wp_sockets *t, const struct wp_socket *s)
{
	if (t->nr == t->room) {
		size_t room = t->room ? t->room * 2 : MIN_ROOM;
		struct wp_socket *p = reallocarray(t->socket, room, sizeof(*p));

		if (!p)
			return -ENOMEM;
		t->socket = p;
		t->room = room;
	}
	t->socket[t->nr++] = *s;
	return 0;
}

static int push_name(struct wp_sockets *t, struct wp_socket *s, const char *name)
{
	size_t len = strlen(name) + 1;

	if (len > t->names_room - t->names_len) {
		size_t room = t->names_room * 2 + len + CHUNK;
		char *p = realloc(t->names, room);

		if (!p)
			return -ENOMEM;
		t->names = p;
		t->names_room = room;
	}
	memcpy(t->names + t->names_len, name, len);
	s->name = t->names_len + 1;
	t->names_len += len;
	return 0;
}

/* ADDRESS:PORT, both hexadecimal: the address as words in this machine's byte order. */
static bool parse_address(const char *p, __u8 *address, size_t size, __u16 *port)
{
	char word[9] = "", *end;
	size_t i;

	if (strlen(p) != size * 2 + 5 || p[size * 2] != ':' ||
	    strspn(p, "0123456789ABCDEFabcdef") != size * 2)
		return false;
	for (i = 0; i < size; i += 4) {
		__u32 v;

		memcpy(word, p + i * 2, 8);
		v = strtoul(word, NULL, 16);
		memcpy(address + i, &v, 4);
	}
	p += size * 2 + 1;
	*port = strtoul(p, &end, 16);
	return !*end && strspn(p, "0123456789ABCDEFabcdef") == 4;
}

static bool parse_number(const char *p, __u64 *v)
{
	char *end;

	errno = 0;
	*v = strtoull(p, &end, 10);
	return *p >= '0' && *p <= '9' && !*end && !errno;
}

/* The next word of a line, or NULL. */
static char *next(char **line)
{
	char *word;

	do
		word = strsep(line, " ");
	while (word && !*word);
	return word;
}

/* sl local peer state queues timer retransmits uid timeout inode ... */
static int add_inet(struct wp_sockets *t, struct wp_socket *s, char *line)
{
	size_t size = s->kind == WP_SOCKET_TCP || s->kind == WP_SOCKET_UDP ? 4 : 16;
	char *word[10];
	unsigned int i;

	for (i = 0; i < 10; i++) {
		word[i] = next(&line);
		if (!word[i])
			return 0;
	}
	if (!parse_address(word[1], s->local, size, &s->local_port) ||
	    !parse_address(word[2], s->peer, size, &s->peer_port) ||
	    !parse_number(word[9], &s->ino) || !s->ino)
		return 0;
	s->state = strtoul(word[3], NULL, 16);
	return push(t, s);
}

/* address: references protocol flags type state inode [name] */
static int add_unix(struct wp_sockets *t, struct wp_socket *s, char *line)
{
	char *word = NULL;
	unsigned int i;
	int err;

	for (i = 0; i < 7; i++) {
		word = next(&line);
		if (!word)
			return 0;
	}
	if (!parse_number(word, &s->ino) || !s->ino)
		return 0;
	if (line && *line) {
		err = push_name(t, s, line);
		if (err)
			return err;
	}
	return push(t, s);
}

/**
 * wp_sockets_add() - add a table of /proc/PID/net
 * @t: the sockets; call wp_sockets_sort() afterwards
 * @kind: the table
 * @text: its text, with a terminating 0; modified
 *
 * Invalid lines are skipped, and so is the header line.
 *
 * Return: 0 or -ENOMEM.
 */
int wp_sockets_add(struct wp_sockets *t, enum wp_socket_kind kind, char *text)
{
	char *line;
	int err = 0;

	while (!err && (line = strsep(&text, "\n"))) {
		struct wp_socket s = { .kind = kind };

		err = kind == WP_SOCKET_UNIX ? add_unix(t, &s, line) : add_inet(t, &s, line);
	}
	return err;
}

/* Read a whole file, with a terminating 0; NULL if there is none, or no memory. */
static char *read_all(int dir, const char *name)
{
	size_t len = 0, room = 0;
	char *text = NULL;
	ssize_t n = 0;
	int fd;

	fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	do {
		len += n;
		if (room - len < CHUNK + 1) {
			char *p;

			room = room * 2 + CHUNK + 1;
			p = room <= MAX_TABLE ? realloc(text, room) : NULL;
			if (!p)
				break;
			text = p;
		}
		n = read(fd, text + len, CHUNK);
	} while (n > 0);
	close(fd);
	if (text)
		text[len] = 0;
	return text;
}

/**
 * wp_sockets_read() - read the tables of a process's network namespace
 * @t: the sockets, empty; sorted afterwards
 * @dir: descriptor of /proc/PID
 *
 * A missing table adds nothing: the kernel may be without IPv6. Peers of unix sockets are
 * included as far as they are known.
 *
 * Return: 0 or -ENOMEM.
 */
int wp_sockets_read(struct wp_sockets *t, int dir)
{
	static const char *const names[WP_SOCKET_KINDS] = {
		"net/tcp", "net/tcp6", "net/udp", "net/udp6", "net/unix",
	};
	unsigned int i;
	int err = 0;

	for (i = 0; i < WP_SOCKET_KINDS && !err; i++) {
		char *text = read_all(dir, names[i]);

		if (text)
			err = wp_sockets_add(t, i, text);
		free(text);
	}
	wp_sockets_sort(t);
	return err;
}

static int by_inode(const void *pa, const void *pb)
{
	const struct wp_socket *a = pa, *b = pb;

	if (a->ino != b->ino)
		return a->ino < b->ino ? -1 : 1;
	return (int)a->kind - b->kind;
}

/**
 * wp_sockets_sort() - prepare the sockets for lookups
 * @t: the sockets
 */
void wp_sockets_sort(struct wp_sockets *t)
{
	if (t->nr)
		qsort(t->socket, t->nr, sizeof(*t->socket), by_inode);
}

static void put_address(char *buf, size_t size, bool v6, const __u8 *address, __u16 port)
{
	char text[INET6_ADDRSTRLEN];

	if (!inet_ntop(v6 ? AF_INET6 : AF_INET, address, text, sizeof(text)))
		strcpy(text, "?");
	snprintf(buf, size, v6 ? "[%s]:%u" : "%s:%u", text, port);
}

/**
 * wp_sockets_find() - look up a socket
 * @t: the sockets, sorted
 * @ino: its inode
 *
 * Return: the socket, or the first of those with this inode; NULL: it is gone, or of
 * another kind.
 */
struct wp_socket *wp_sockets_find(const struct wp_sockets *t, __u64 ino)
{
	size_t low = 0, high = t->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->socket[middle].ino < ino)
			low = middle + 1;
		else
			high = middle;
	}
	return low < t->nr && t->socket[low].ino == ino ? &t->socket[low] : NULL;
}

/* The name of a unix socket, or NULL if it has none, or an uncertain one. */
static const char *name_of(const struct wp_sockets *t, const struct wp_socket *s)
{
	bool twice = s + 1 < t->socket + t->nr && s[1].ino == s->ino;

	return s->name && !twice ? t->names + s->name - 1 : NULL;
}

/* Usually one of the two ends has a name: the listening socket, or one accepted from it. */
static void put_unix(const struct wp_sockets *t, const struct wp_socket *s, char *buf,
		     size_t size)
{
	const struct wp_socket *peer = s->peer_ino ? wp_sockets_find(t, s->peer_ino) : NULL;
	const char *name = name_of(t, s);

	if (name) {
		snprintf(buf, size, "unix %s", name);
		return;
	}
	name = peer ? name_of(t, peer) : NULL;
	if (name)
		snprintf(buf, size, "unix [%" PRIu64 "]->%s", (uint64_t)s->ino, name);
	else if (s->peer_ino)
		snprintf(buf, size, "unix [%" PRIu64 "]->[%u]", (uint64_t)s->ino, s->peer_ino);
	else
		snprintf(buf, size, "unix [%" PRIu64 "]", (uint64_t)s->ino);
}

/**
 * wp_sockets_text() - describe a socket
 * @t: the sockets, sorted
 * @ino: its inode
 * @buf: set to the text; names of unix sockets are unsanitized
 * @size: size of @buf; 256 is enough
 *
 * Return: false if it is not there: it is gone, or of another kind.
 */
bool wp_sockets_text(const struct wp_sockets *t, __u64 ino, char *buf, size_t size)
{
	char local[INET6_ADDRSTRLEN + 8], peer[INET6_ADDRSTRLEN + 8];
	const struct wp_socket *s = wp_sockets_find(t, ino);
	bool tcp, v6;

	if (!s)
		return false;
	if (s->kind == WP_SOCKET_UNIX) {
		put_unix(t, s, buf, size);
		return true;
	}
	tcp = s->kind == WP_SOCKET_TCP || s->kind == WP_SOCKET_TCP6;
	v6 = s->kind == WP_SOCKET_TCP6 || s->kind == WP_SOCKET_UDP6;
	put_address(local, sizeof(local), v6, s->local, s->local_port);
	put_address(peer, sizeof(peer), v6, s->peer, s->peer_port);
	snprintf(buf, size, "%s %s%s%s", tcp ? "tcp" : "udp", local,
		 s->peer_port ? "->" : "",
		 s->peer_port ? peer : tcp && s->state == TCP_LISTEN ? " listening" : "");
	return true;
}

/**
 * wp_sockets_free() - free the sockets
 * @t: the sockets
 */
void wp_sockets_free(struct wp_sockets *t)
{
	free(t->socket);
	free(t->names);
	memset(t, 0, sizeof(*t));
}
