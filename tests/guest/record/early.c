// SPDX-License-Identifier: GPL-2.0
/*
 * A family that is there before a recording begins: a process, its child, and a grandchild
 * whose parent has ended. Each calls getsid(1), getsid(2) and so on, up to N, when the recorder
 * has said that events are enabled.
 *
 *	early LOG N
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int is_enabled(const char *log)
{
	char line[512];
	int found = 0;
	FILE *f = fopen(log, "r");

	while (f && fgets(line, sizeof(line), f))
		found |= !strcmp(line, "Events enabled\n");
	if (f)
		fclose(f);
	return found;
}

static void work(const char *log, int calls)
{
	const struct timespec ts = { .tv_nsec = 50000000 };
	int i;

	while (!is_enabled(log))
		nanosleep(&ts, NULL);
	for (i = 1; i <= calls; i++)
		syscall(SYS_getsid, i);
}

int main(int argc, char **argv)
{
	int calls, ends[2];
	char byte;
	pid_t pid;

	if (argc != 3 || pipe(ends))
		return 2;
	calls = atoi(argv[2]);
	if (!fork()) {
		work(argv[1], calls);
		_exit(0);
	}
	pid = fork();
	if (!pid) {
		if (!fork())
			work(argv[1], calls);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	work(argv[1], calls);
	/* All have ended: nobody else has that end of the pipe. */
	close(ends[1]);
	return read(ends[0], &byte, 1);
}
