// SPDX-License-Identifier: GPL-2.0
/*
 * A service manager's socket: writes each message to a file, a line each.
 *
 *	manager NAME FILE
 *
 * NAME is that of an abstract socket, without its "@".
 */
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int sock = socket(AF_UNIX, SOCK_DGRAM, 0);
	char text[4096], *c;
	ssize_t n;
	int fd;

	if (argc != 3 || strlen(argv[1]) >= sizeof(at.sun_path) - 1)
		return 1;
	strcpy(at.sun_path + 1, argv[1]);
	if (bind(sock, (struct sockaddr *)&at,
		 offsetof(struct sockaddr_un, sun_path) + 1 + strlen(argv[1])))
		return 1;
	fd = open(argv[2], O_WRONLY | O_CREAT | O_APPEND, 0644);
	while ((n = recv(sock, text, sizeof(text) - 1, 0)) >= 0) {
		text[n++] = '\n';
		for (c = text; c < text + n - 1; c++)
			*c = *c == '\n' ? ' ' : *c;
		if (write(fd, text, n) != n)
			return 1;
	}
	return 1;
}
