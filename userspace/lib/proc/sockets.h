/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sockets of a network namespace, by inode. See sockets.c.
 */
#ifndef WP_LIB_PROC_SOCKETS_H
#define WP_LIB_PROC_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/**
 * enum wp_socket_kind - table of a socket
 * @WP_SOCKET_TCP: net/tcp, and so on
 * @WP_SOCKET_TCP6: …
 * @WP_SOCKET_UDP: …
 * @WP_SOCKET_UDP6: …
 * @WP_SOCKET_UNIX: …
 * @WP_SOCKET_KINDS: their number
 */
enum wp_socket_kind {
	WP_SOCKET_TCP,
	WP_SOCKET_TCP6,
	WP_SOCKET_UDP,
	WP_SOCKET_UDP6,
	WP_SOCKET_UNIX,
	WP_SOCKET_KINDS,
};

/**
 * struct wp_socket - a socket
 * @ino: its inode; not 0
 * @kind: enum wp_socket_kind
 * @state: the kernel's number of its state
 * @local: its address: 4 or 16 bytes, in network order
 * @peer: the other end's
 * @local_port: its port
 * @peer_port: the other end's, 0: there is none
 * @peer_ino: of a unix socket: the other end's inode; 0: there is none, or it is unknown
 * @name: of a unix socket: position of its name in &struct wp_sockets.names, plus 1; 0:
 *	it has none
 */
struct wp_socket {
	__u64 ino;
	__u8 kind;
	__u8 state;
	__u8 local[16];
	__u8 peer[16];
	__u16 local_port;
	__u16 peer_port;
	__u32 peer_ino;
	size_t name;
};

/**
 * struct wp_sockets - sockets; all zero: an empty table
 * @socket: the sockets
 * @nr: their number
 * @room: allocated sockets
 * @names: names of unix sockets, each with a terminating 0
 * @names_len: size of @names
 * @names_room: allocated bytes
 */
struct wp_sockets {
	struct wp_socket *socket;
	size_t nr;
	size_t room;
	char *names;
	size_t names_len;
	size_t names_room;
};

int wp_sockets_add(struct wp_sockets *t, enum wp_socket_kind kind, char *text);
int wp_sockets_read(struct wp_sockets *t, int dir);
struct wp_socket *wp_sockets_find(const struct wp_sockets *t, __u64 ino);
void wp_sockets_sort(struct wp_sockets *t);
bool wp_sockets_text(const struct wp_sockets *t, __u64 ino, char *buf, size_t size);
void wp_sockets_free(struct wp_sockets *t);

#endif /* WP_LIB_PROC_SOCKETS_H */
