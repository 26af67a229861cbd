// SPDX-License-Identifier: GPL-2.0
/*
 * A process that executes another program while it shares its memory with its parent:
 * execve() holds the lock of its own that it takes (exec_update_lock), and waits for the
 * memory map, if that is locked.
 *
 *	execing GO
 *
 * Prints the process's number, which begins when the FIFO GO is written to. Nothing that it
 * does until then takes the lock of the memory map any more.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

static char stack[65536];

static int child(void *go)
{
	char *const words[] = { "sleep", "100000", NULL };
	char byte;
	int fd;

	prctl(PR_SET_NAME, "execing");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	fd = open(go, O_RDONLY);
	if (fd < 0 || read(fd, &byte, 1) != 1)
		_exit(1);
	execv("/bin/busybox", words);
	_exit(1);
}

int main(int argc, char **argv)
{
	int pid;

	if (argc != 2)
		return 2;
	if (mlockall(MCL_CURRENT)) {
		perror("mlockall");
		return 1;
	}
	pid = clone(child, stack + sizeof(stack), CLONE_VM | SIGCHLD, argv[1]);
	if (pid < 0) {
		perror("clone");
		return 1;
	}
	printf("%d\n", pid);
	fflush(stdout);
	for (;;)
		pause();
}
