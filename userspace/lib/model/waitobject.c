// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the classes of wait objects in a table: connections to one service are grouped, as
 * the numbers in which they differ mean nothing to a reader.
 *
 * Pure: no I/O, no clock.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/waitobject.h"

static unsigned long port_of(const char *address, size_t len)
{
	while (len && address[len - 1] >= '0' && address[len - 1] <= '9')
		len--;
	return strtoul(address + len, NULL, 10);
}

/* "tcp 10.0.0.1:80->10.0.0.2:50000": the side with the lower port is the service. */
static void connection(const char *object, char *to, size_t size)
{
	const char *local = object + 4, *peer = strstr(local, "->");
	size_t len = peer ? (size_t)(peer - local) : 0;

	if (!peer)
		snprintf(to, size, "%s", object);
	else if (port_of(local, len) < port_of(peer, strlen(peer)))
		snprintf(to, size, "%.3s %.*s", object, (int)len, local);
	else
		snprintf(to, size, "%.3s %s", object, peer);
}

static void unix_socket(const char *object, char *to, size_t size)
{
	const char *name = object + strlen("unix ");

	if (*name == '[' && strstr(name, "->"))
		name = strstr(name, "->") + 2;
	snprintf(to, size, "unix %s", *name == '[' ? "socket" : name);
}

/**
 * wp_waitobject() - class of an object
 * @object: the object's text in samples
 * @to: set to its class: "unix socket", "pipe", "tcp ->10.0.0.2:5432", "server+0x30e0"
 * @size: size of @to
 *
 * Files keep their names, and locks their places.
 */
void wp_waitobject(const char *object, char *to, size_t size)
{
	/* Older recordings have this word. */
	static const char old[] = " anonymous";
	const char *slash = strrchr(object, '/');
	const char *number = strstr(object, ":[");
	const char *blank = strchr(object, ' ');

	if (!strncmp(object, "unix ", 5))
		unix_socket(object, to, size);
	else if (!strncmp(object, "tcp ", 4) || !strncmp(object, "udp ", 4))
		connection(object, to, size);
	else if (number && object[0] != '/')
		snprintf(to, size, "%.*s", (int)(number - object), object);
	else if (slash && strstr(slash, "+0x"))
		snprintf(to, size, "%s", slash + 1);
	else if (blank && !strncmp(object, "0x", 2) && !strncmp(blank, old, strlen(old)))
		snprintf(to, size, "%.*s [anon]%s", (int)(blank - object), object,
			 blank + strlen(old));
	else
		snprintf(to, size, "%s", object);
}

/* "[eventfd] fd 5": the descriptor means nothing without the process. */
static void anonymous(const char *object, char *to, size_t size)
{
	const char *fd = strstr(object, " fd ");
	size_t len = fd ? (size_t)(fd - object) : strlen(object);
	bool in_brackets = len > 2 && object[0] == '[' && object[len - 1] == ']';

	snprintf(to, size, "%.*s", (int)(in_brackets ? len - 2 : len), object + in_brackets);
}

/**
 * wp_waitobject_class() - class of an object of which there are few
 * @object: the object's text, of a descriptor
 * @to: set to its class: as by wp_waitobject() that of a socket or a pipe; "file", "device",
 *	"eventfd"; "": only its number is known
 * @size: size of @to
 *
 * Files are one class: their names are many, and may be nobody's business.
 */
void wp_waitobject_class(const char *object, char *to, size_t size)
{
	*to = 0;
	if (!strncmp(object, "/dev/", 5))
		snprintf(to, size, "device");
	else if (object[0] == '/')
		snprintf(to, size, "file");
	else if (strstr(object, " fd "))
		anonymous(object, to, size);
	else if (object[0] != '(' && strncmp(object, "fd ", 3) && strncmp(object, "0x", 2) &&
		 strcmp(object, "-"))
		wp_waitobject(object, to, size);
}
