// SPDX-License-Identifier: GPL-2.0
/*
 * Writes tar files in the oldest format of POSIX, which every tar reads. Entries have
 * neither owner nor time, so that equal contents give equal files. Called by the archive
 * command.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "lib/base/tarfile.h"

#define BLOCK	512
#define CHUNK	(1 << 16)

struct wp_tarfile {
	gzFile gz;
	char chunk[CHUNK];
};

/* As in POSIX.1-1988, with its magic. */
struct header {
	char name[100];
	char mode[8];
	char uid[8];
	char gid[8];
	char size[12];
	char mtime[12];
	char sum[8];
	char type;
	char link[100];
	char magic[6];
	char version[2];
	char rest[247];
};

_Static_assert(sizeof(struct header) == BLOCK, "a header is a block");

static int put(struct wp_tarfile *t, const void *data, size_t size)
{
	return !size || gzwrite(t->gz, data, size) == (int)size ? 0 : -EIO;
}

static int put_header(struct wp_tarfile *t, const char *name, char type, const char *link,
		      __u64 size)
{
	struct header h = { .type = type, .magic = "ustar", .version = { '0', '0' } };
	const unsigned char *byte = (const unsigned char *)&h;
	unsigned int sum = 0;
	size_t i;

	if (strlen(name) >= sizeof(h.name) || strlen(link) >= sizeof(h.link) ||
	    size >= (__u64)WP_TARFILE_MAX)
		return -EFBIG;
	strcpy(h.name, name);
	strcpy(h.link, link);
	strcpy(h.mode, type == '5' ? "0000700" : "0000600");
	strcpy(h.uid, "0000000");
	strcpy(h.gid, "0000000");
	strcpy(h.mtime, "00000000000");
	snprintf(h.size, sizeof(h.size), "%011llo", (unsigned long long)size);
	/* The checksum is computed with blanks in its field. */
	memset(h.sum, ' ', sizeof(h.sum));
	for (i = 0; i < sizeof(h); i++)
		sum += byte[i];
	snprintf(h.sum, sizeof(h.sum), "%06o", sum);
	h.sum[7] = ' ';
	return put(t, &h, sizeof(h));
}

static int pad(struct wp_tarfile *t, __u64 size)
{
	static const char zeros[BLOCK];

	return put(t, zeros, -size % BLOCK);
}

/**
 * wp_tarfile_new() - start a file
 * @fd: output; stays open
 *
 * Return: the file, to be ended by wp_tarfile_end(); NULL if there is no memory.
 */
struct wp_tarfile *wp_tarfile_new(int fd)
{
	struct wp_tarfile *t = malloc(sizeof(*t));
	int own = t ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;

	if (t)
		t->gz = own >= 0 ? gzdopen(own, "wb6") : NULL;
	if (t && t->gz)
		return t;
	if (own >= 0)
		close(own);
	free(t);
	return NULL;
}

/**
 * wp_tarfile_dir() - add a directory
 * @t: the file
 * @name: its name, ending with a /
 *
 * Return: 0 or a negative errno, as for all of these: -EFBIG if it exceeds the limits of
 * the format.
 */
int wp_tarfile_dir(struct wp_tarfile *t, const char *name)
{
	return put_header(t, name, '5', "", 0);
}

/**
 * wp_tarfile_link() - add a symbolic link
 * @t: the file
 * @name: its name
 * @to: its target
 */
int wp_tarfile_link(struct wp_tarfile *t, const char *name, const char *to)
{
	return put_header(t, name, '2', to, 0);
}

/**
 * wp_tarfile_add() - add a file
 * @t: the file
 * @name: its name
 * @fd: its contents
 * @size: number of bytes; -ESTALE is returned if there were less, padded with zeros
 */
int wp_tarfile_add(struct wp_tarfile *t, const char *name, int fd, __u64 size)
{
	int err = put_header(t, name, '0', "", size);
	bool cut = false;
	__u64 at = 0;

	while (!err && at < size) {
		size_t want = size - at < CHUNK ? size - at : CHUNK;
		ssize_t n = cut ? 0 : pread(fd, t->chunk, want, at);

		/* The header has fixed the position of what follows. */
		if (n <= 0) {
			cut = true;
			n = want;
			memset(t->chunk, 0, n);
		}
		err = put(t, t->chunk, n);
		at += n;
	}
	if (!err)
		err = pad(t, size);
	return err ? err : cut ? -ESTALE : 0;
}

/**
 * wp_tarfile_text() - add a file from memory
 * @t: the file
 * @name: its name
 * @text: its contents
 * @size: number of bytes
 */
int wp_tarfile_text(struct wp_tarfile *t, const char *name, const void *text, __u64 size)
{
	int err = put_header(t, name, '0', "", size);

	if (!err)
		err = put(t, text, size);
	return err ? err : pad(t, size);
}

/**
 * wp_tarfile_end() - write the end, and free everything
 * @t: the file
 */
int wp_tarfile_end(struct wp_tarfile *t)
{
	static const char zeros[2 * BLOCK];
	int err = put(t, zeros, sizeof(zeros));

	if (gzclose(t->gz) != Z_OK)
		err = -EIO;
	free(t);
	return err;
}
