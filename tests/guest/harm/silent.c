// SPDX-License-Identifier: GPL-2.0
/*
 * A FUSE server that answers all but reads, and a process that hangs in mmap() because
 * of that, with its memory map locked for writing. Usage: silent DIRECTORY. Prints that
 * process's number. When this ends, so does the process.
 *
 * silent DIRECTORY FILE [DEVICE]: a server of FILE, by any name, which answers nothing any
 * more from SIGUSR1 on; of fuseblk, if there is a DEVICE. Prints a line when it serves.
 *
 * One process reads a page of the file: the kernel keeps it locked until the answer is
 * there. Another one maps the file, opened so that mmap() throws out what is cached of
 * it, and waits for the page.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "silentfs.h"

#define ROOT	1
#define FILE_INO	2

static int dev;
static char path[4096];

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void answer(const struct fuse_in_header *in, int err, void *data, size_t size)
{
	struct fuse_out_header out = {
		.len = sizeof(out) + size, .error = -err, .unique = in->unique,
	};
	struct iovec parts[] = { { &out, sizeof(out) }, { data, size } };

	/* ENOENT: whoever asked is gone. */
	if (writev(dev, parts, size ? 2 : 1) < 0 && errno != ENOENT)
		die("answer");
}

static struct fuse_attr attr_of(__u64 ino)
{
	return (struct fuse_attr){
		.ino = ino,
		.size = 4096,
		.mode = ino == ROOT ? S_IFDIR | 0755 : S_IFREG | 0755,
		.nlink = 1,
		.blksize = 4096,
	};
}

/* In a process of its own. */
static pid_t in_child(void (*fn)(void))
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* The server ends with its last descriptor. */
	close(dev);
	fn();
	_exit(1);
}

static void read_file(void)
{
	char byte;
	int fd = open(path, O_RDONLY);

	if (fd < 0 || read(fd, &byte, 1) < 0)
		perror(path);
}

static void map_file(void)
{
	int fd = open(path, O_RDONLY);

	if (fd < 0 || mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		perror(path);
}

static void serve(const struct fuse_in_header *in)
{
	struct fuse_init_out init = { .major = 7, .minor = 31, .max_write = 4096 };
	struct fuse_entry_out entry = { .nodeid = FILE_INO, .attr = attr_of(FILE_INO) };
	struct fuse_attr_out attr = { .attr = attr_of(in->nodeid) };
	struct fuse_open_out opened = { .open_flags = FOPEN_KEEP_CACHE };
	static unsigned int opens;

	switch (in->opcode) {
	case FUSE_INIT:
		answer(in, 0, &init, sizeof(init));
		break;
	case FUSE_LOOKUP:
		answer(in, 0, &entry, sizeof(entry));
		break;
	case FUSE_GETATTR:
		answer(in, 0, &attr, sizeof(attr));
		break;
	case FUSE_OPEN:
		if (opens++)
			opened.open_flags |= FOPEN_DIRECT_IO;
		answer(in, 0, &opened, sizeof(opened));
		break;
	case FUSE_READ:
		/* The page is locked: now it can be waited for. */
		printf("%d\n", in_child(map_file));
		fflush(stdout);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	default:
		answer(in, ENOSYS, NULL, 0);
	}
}

int main(int argc, char **argv)
{
	static char request[1 << 20];
	char options[128];

	if (argc == 3 || argc == 4) {
		dev = silentfs_mount(argv[1], argv[3]);
		if (dev < 0)
			die("mount");
		puts("serves");
		fflush(stdout);
		silentfs_serve(dev, argv[2], 0);
	}
	if (argc != 2)
		return 2;
	dev = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (dev < 0)
		die("/dev/fuse");
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", dev);
	if (mount("silent", argv[1], "fuse", 0, options))
		die("mount");
	snprintf(path, sizeof(path), "%s/file", argv[1]);
	in_child(read_file);
	for (;;) {
		if (read(dev, request, sizeof(request)) >= (ssize_t)sizeof(struct fuse_in_header))
			serve((void *)request);
		else if (errno != EINTR && errno != ENOENT)
			die("request");
	}
}
