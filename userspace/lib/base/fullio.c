// SPDX-License-Identifier: GPL-2.0
/*
 * Complete reads and writes at a position of a file: partial ones are continued. Both may
 * be called from a signal handler.
 */
#include <errno.h>
#include <unistd.h>

#include "lib/base/fullio.h"

/**
 * wp_pread_all() - read
 * @fd: the file
 * @buf: output
 * @len: number of bytes
 * @pos: position in the file
 *
 * Return: 0; -EPROTO if the file ends before; or another negative errno.
 */
int wp_pread_all(int fd, void *buf, size_t len, off_t pos)
{
	char *p = buf;

	while (len) {
		ssize_t n = pread(fd, p, len, pos);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			return -EPROTO;
		p += n;
		len -= n;
		pos += n;
	}
	return 0;
}

/**
 * wp_pwrite_all() - write
 * @fd: the file
 * @data: the data
 * @len: number of bytes
 * @pos: position in the file
 *
 * Return: 0 or a negative errno; -ENOSPC if nothing can be written.
 */
int wp_pwrite_all(int fd, const void *data, size_t len, off_t pos)
{
	const char *p = data;

	while (len) {
		ssize_t n = pwrite(fd, p, len, pos);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			return -ENOSPC;
		p += n;
		len -= n;
		pos += n;
	}
	return 0;
}
