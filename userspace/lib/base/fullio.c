// SPDX-License-Identifier: GPL-2.0
/*
 * Reading and writing all of something at a place of a file: what the kernel does in
 * part is gone on with. Both may be called from a signal handler.
 */
#include <errno.h>
#include <unistd.h>

#include "lib/base/fullio.h"

/**
 * wp_pread_all() - read
 * @fd: the file
 * @buf: where to
 * @len: bytes
 * @pos: from where in the file
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
 * @data: what
 * @len: bytes
 * @pos: where to in the file
 *
 * Return: 0 or a negative errno; -ENOSPC if nothing more goes there.
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
