/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A FUSE server of one file, of any name, which stops answering on request.
 */
#ifndef WP_TESTS_HARM_SILENTFS_H
#define WP_TESTS_HARM_SILENTFS_H

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define SILENTFS_ROOT	1
#define SILENTFS_FILE	2

/* What a server is silent to, once SIGUSR1 has come: FUSE_*; 0: to all. */
static volatile sig_atomic_t silentfs_is_silent;

static void silentfs_be_silent(int sig)
{
	(void)sig;
	silentfs_is_silent = 1;
}

static void silentfs_answer(int dev, const struct fuse_in_header *in, int err, const void *data,
			    size_t size)
{
	struct fuse_out_header out = {
		.len = sizeof(out) + size, .error = -err, .unique = in->unique,
	};
	struct iovec parts[] = { { &out, sizeof(out) }, { (void *)data, size } };

	/* ENOENT: whoever asked is gone. */
	if (writev(dev, parts, size ? 2 : 1) < 0 && errno != ENOENT)
		perror("answer");
}

static struct fuse_attr silentfs_attr(__u64 ino, const struct stat *file)
{
	return (struct fuse_attr){
		.ino = ino, .size = ino == SILENTFS_ROOT ? 0 : file->st_size,
		.mode = ino == SILENTFS_ROOT ? S_IFDIR | 0755 : S_IFREG | 0755,
		.nlink = 1, .blksize = 4096,
	};
}

/* Its descriptor; -1 with errno if there can be none here. @block: its device, or NULL. */
static int silentfs_mount(const char *dir, const char *block)
{
	int dev = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	char options[128];

	if (dev < 0)
		return -1;
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other%s",
		 dev, block ? ",blksize=4096" : "");
	if (!mount(block ? block : "silent", dir, block ? "fuseblk" : "fuse", 0, options))
		return dev;
	close(dev);
	return -1;
}

/* Nothing is kept by the kernel: each question comes here. */
static void silentfs_serve_one(int dev, const struct fuse_in_header *in, int content)
{
	static const struct fuse_init_out init = { .major = 7, .minor = 31, .max_write = 4096 };
	static char data[1 << 20];
	const struct fuse_read_in *from = (const void *)(in + 1);
	struct fuse_entry_out entry = { .nodeid = SILENTFS_FILE };
	struct fuse_attr_out attr = { 0 };
	struct fuse_open_out opened = { 0 };
	struct fuse_statfs_out fs = { .st.bsize = 4096, .st.namelen = 255 };
	struct stat st;
	ssize_t n;

	fstat(content, &st);
	entry.attr = silentfs_attr(SILENTFS_FILE, &st);
	attr.attr = silentfs_attr(in->nodeid, &st);
	switch (in->opcode) {
	case FUSE_INIT:
		silentfs_answer(dev, in, 0, &init, sizeof(init));
		break;
	case FUSE_LOOKUP:
		silentfs_answer(dev, in, 0, &entry, sizeof(entry));
		break;
	case FUSE_GETATTR:
		silentfs_answer(dev, in, 0, &attr, sizeof(attr));
		break;
	case FUSE_OPEN:
		silentfs_answer(dev, in, 0, &opened, sizeof(opened));
		break;
	case FUSE_STATFS:
		silentfs_answer(dev, in, 0, &fs, sizeof(fs));
		break;
	case FUSE_READ:
		n = pread(content, data, from->size < sizeof(data) ? from->size : sizeof(data),
			  from->offset);
		silentfs_answer(dev, in, n < 0 ? EIO : 0, data, n < 0 ? 0 : n);
		break;
	case FUSE_FLUSH:
	case FUSE_RELEASE:
		silentfs_answer(dev, in, 0, NULL, 0);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	default:
		silentfs_answer(dev, in, ENOSYS, NULL, 0);
	}
}

/* Serve until killed. */
static void silentfs_serve(int dev, const char *file, int opcode)
{
	static char request[1 << 20];
	const struct fuse_in_header *in = (const void *)request;
	const struct sigaction act = { .sa_handler = silentfs_be_silent };
	int content = open(file, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	sigaction(SIGUSR1, &act, NULL);
	for (;;) {
		n = read(dev, request, sizeof(request));
		if (n < (ssize_t)sizeof(*in)) {
			if (errno == EINTR || errno == ENOENT)
				continue;
			_exit(1);
		}
		if (!silentfs_is_silent || (opcode && opcode != (int)in->opcode))
			silentfs_serve_one(dev, in, content);
	}
}

#endif /* WP_TESTS_HARM_SILENTFS_H */
