// SPDX-License-Identifier: GPL-2.0
/*
 * Runs in the guest: when a command began and ended, on the guest's own clock,
 * which counts instructions in the lab.
 *
 *	stamp FILE COMMAND...		writes the time to FILE, becomes COMMAND
 *	stamp -w FILE COMMAND...	runs COMMAND, then writes both times, the
 *					host's context switches in between, and
 *					how often COMMAND's processes blocked
 *
 * -w first sleeps a little, which costs no instructions, after the first of its
 * times: perf switches its off-CPU program on after it has released its command.
 *
 * Around COMMAND, -w executes an instruction that does nothing and has its
 * like nowhere else: count.c, a plugin of QEMU's, begins and ends there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* nopl 0x57504201(%rax,%rax,1), and ..02 */
static void mark_begin(void)
{
	__asm__ volatile(".byte 0x0f, 0x1f, 0x84, 0x00, 0x01, 0x42, 0x50, 0x57");
}

static void mark_end(void)
{
	__asm__ volatile(".byte 0x0f, 0x1f, 0x84, 0x00, 0x02, 0x42, 0x50, 0x57");
}

static long long switches(void)
{
	FILE *f = fopen("/proc/stat", "r");
	char line[16384];
	long long n = 0;

	while (f && fgets(line, sizeof(line), f) && sscanf(line, "ctxt %lld", &n) != 1)
		;
	if (f)
		fclose(f);
	return n;
}

static void write_times(const char *file, long long begin, long long end, long long n)
{
	FILE *f = fopen(file, "w");
	struct rusage children;

	getrusage(RUSAGE_CHILDREN, &children);
	if (!f || fprintf(f, "%lld %lld %lld %ld\n", begin, end, n, children.ru_nvcsw) < 0 ||
	    fclose(f)) {
		perror(file);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	int wait_for = argc > 1 && !strcmp(argv[1], "-w"), status;
	long long begin, before;
	pid_t pid;

	argv += 1 + wait_for;
	argc -= 1 + wait_for;
	if (argc < 2) {
		fprintf(stderr, "usage: stamp [-w] FILE COMMAND...\n");
		return 2;
	}
	if (!wait_for) {
		write_times(argv[0], now(), 0, 0);
		execvp(argv[1], argv + 1);
		perror(argv[1]);
		return 127;
	}
	begin = now();
	usleep(500000);
	before = switches();
	pid = fork();
	if (!pid) {
		mark_begin();
		execvp(argv[1], argv + 1);
		perror(argv[1]);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 1;
	mark_end();
	write_times(argv[0], begin, now(), switches() - before);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
