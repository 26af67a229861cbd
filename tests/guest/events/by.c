// SPDX-License-Identifier: GPL-2.0
/*
 * System calls of known numbers and results, and with the names of two disks requests of
 * known sizes to each, from the same functions.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CLOSES	50	/* of what is not open: EBADF */
#define READS	30	/* of an empty pipe: EAGAIN */
#define WRITES	20	/* of 1, 2, … bytes */
#define SEEKS	5000	/* each to another place */

/* All with the same stack but for the call. */
static __attribute__((noinline)) void calls(int pipe)
{
	int null = open("/dev/null", O_WRONLY);
	char bytes[WRITES];

	for (int i = 0; i < CLOSES; i++) {
		syscall(SYS_close, -1);
		if (i < READS)
			syscall(SYS_read, pipe, bytes, 1);
		if (i < WRITES)
			syscall(SYS_write, null, bytes, i + 1L);
	}
	for (long i = 0; i < SEEKS; i++)
		syscall(SYS_lseek, null, i * 4096, SEEK_SET);
	__asm__ volatile("");
}

static __attribute__((noinline)) void requests(const char *disk, size_t size, int nr)
{
	int fd = open(disk, O_WRONLY | O_DIRECT);
	char *bytes = aligned_alloc(4096, size);

	if (fd < 0 || !bytes)
		exit(1);
	for (int i = 0; i < nr; i++) {
		if (pwrite(fd, bytes, size, i * size) != (ssize_t)size)
			exit(1);
	}
	close(fd);
	free(bytes);
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	int fds[2];

	if (pipe2(fds, O_NONBLOCK))
		return 1;
	calls(fds[0]);
	if (argc == 3) {
		requests(argv[1], 4096, 30);
		requests(argv[2], 16384, 20);
	}
	return 0;
}
