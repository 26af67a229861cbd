// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the copying of a file whose server may never answer: a separate process opens,
 * reads and closes it. If it makes no progress it is abandoned, as only the server can
 * end the wait in the kernel for a request that it has taken. Called by the archive
 * command.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/fullio.h"
#include "lib/base/ownthread.h"
#include "lib/sandbox/opener.h"
#include "lib/sandbox/servedfile.h"

#define CHUNK		(1 << 16)
#define LOOK_MS		10

/* Maximum total time, as for a server that sends a byte now and then. */
#define MAX_NS		(60 * 1000000000ULL)

/* Descriptors in the child. */
#define PLACE		3
#define COPY		4

/*
 * Close inherited descriptors: readers of the command's output must not wait for the
 * child.
 */
static void keep_two(int place, int copy)
{
	int null, fd;

	/* Above both targets, so that neither overwrites the other. */
	place = fcntl(place, F_DUPFD, COPY + 1);
	copy = fcntl(copy, F_DUPFD, COPY + 1);
	null = open("/dev/null", O_RDWR);
	if (place < 0 || copy < 0 || null < 0)
		_exit(1);
	for (fd = 0; fd < PLACE; fd++)
		dup2(null, fd);
	dup2(place, PLACE);
	dup2(copy, COPY);
#ifdef SYS_close_range
	if (!syscall(SYS_close_range, COPY + 1, ~0U, 0))
		return;
#endif
	for (fd = COPY + 1; fd < sysconf(_SC_OPEN_MAX); fd++)
		close(fd);
}

/* Runs in the child: only calls that are safe after a fork. */
static void __attribute__((noreturn)) copy_it(int place, int copy, off_t size)
{
	static char chunk[CHUNK];
	off_t at = 0;
	char path[32];
	ssize_t n;
	int fd;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	keep_two(place, copy);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", PLACE);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	while (fd >= 0 && at < size) {
		n = pread(fd, chunk, size - at < CHUNK ? size - at : CHUNK, at);
		if (n <= 0 || wp_pwrite_all(COPY, chunk, n, at))
			break;
		at += n;
	}
	/* close() asks the server, too. */
	_exit(at < size);
}

/* 0 once the child has copied all, or a negative errno. */
static int wait_for(pid_t pid)
{
	struct wp_ownthread state = { .pid = pid, .tid = pid, .ran = ~0ULL };
	__u64 until = wp_clock_now() + MAX_NS;
	unsigned int blocked = 0;
	pid_t ended;
	int status;

	if (clock_getcpuclockid(pid, &state.clock))
		state.clock = CLOCK_MONOTONIC;
	while (wp_clock_now() < until && blocked * LOOK_MS < wp_opener_patience()) {
		ended = waitpid(pid, &status, WNOHANG);
		if (ended == pid)
			return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -ESTALE;
		if (ended < 0 && errno != EINTR)
			return -errno;
		blocked = wp_ownthread_is_blocked(&state, "DS") ? blocked + 1 : 0;
		poll(NULL, 0, LOOK_MS);
	}
	kill(pid, SIGKILL);
	return -ETIMEDOUT;
}

/**
 * wp_servedfile_copy() - copy a file into memory
 * @place: its O_PATH descriptor
 * @st: its cached status
 *
 * Return: a descriptor of the copy, of the same size; or a negative errno: -EFBIG if it
 * is too large, -ETIMEDOUT if its server does not answer, -ESTALE if it was shorter.
 */
int wp_servedfile_copy(int place, const struct stat *st)
{
	int copy, err;
	pid_t pid;

	if (st->st_size > WP_SERVEDFILE_MAX)
		return -EFBIG;
	copy = memfd_create("wallprof", MFD_CLOEXEC);
	if (copy < 0)
		return -errno;
	pid = fork();
	if (!pid)
		copy_it(place, copy, st->st_size);
	err = pid < 0 ? -errno : wait_for(pid);
	if (!err)
		return copy;
	close(copy);
	return err;
}
