// SPDX-License-Identifier: GPL-2.0
/*
 * Runs in the guest: a load while a recorder runs, on the guest's own clock, which
 * counts instructions in the lab.
 *
 *	around TIMES LOG LOAD-LOG [RECORDER...] : WARM... : LOAD...
 *
 * Not all recorders start a command, or say when they are ready: each is started
 * alone, and is ready when it has been still. Then WARM runs, some times: what a
 * recorder does once for a program, as reading its unwind tables, is no cost of
 * LOAD. After LOAD the recorder gets SIGINT. Recorders write what they say to LOG,
 * LOAD to LOAD-LOG. Written to TIMES, in one line, in nanoseconds:
 *	ready		from the recorder's start until it was still
 *	start		its own CPU time up to there
 *	own		its own CPU time while LOAD ran
 *	load		how long that took
 *	switches	context switches of the host in this time
 *	stop		from SIGINT until the recorder had ended
 *	end		its own CPU time for this
 *	rss		the most memory that it had, KiB
 * Without a RECORDER all but load and switches are 0.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define POLL_US		5000
#define STILL		100		/* polls: half a second */
#define STILL_NS	2000000		/* CPU time in these */
#define WARMINGS	3

static pid_t recorder;
static clockid_t recorder_clock;

static void die(const char *what)
{
	fprintf(stderr, "around: %s: %s\n", what, strerror(errno));
	if (recorder)
		kill(recorder, SIGKILL);
	exit(1);
}

static long long read_clock(clockid_t clock)
{
	struct timespec t;

	if (clock_gettime(clock, &t))
		die("the recorder's clock: has it ended?");
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static long long now(void)
{
	return read_clock(CLOCK_MONOTONIC);
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

static pid_t spawn(char **argv, const char *log)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (!pid) {
		int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0644);

		dup2(open("/dev/null", O_RDONLY), 0);
		dup2(fd, 1);
		dup2(fd, 2);
		execvp(argv[0], argv);
		perror(argv[0]);
		_exit(127);
	}
	return pid;
}

static void run(char **argv, const char *log)
{
	int status;

	if (waitpid(spawn(argv, log), &status, 0) < 0 || status) {
		fprintf(stderr, "around: %s failed\n", argv[0]);
		if (recorder)
			kill(recorder, SIGKILL);
		exit(1);
	}
}

/* Waits until the recorder has been still; returns since when. */
static long long wait_until_still(void)
{
	long long cpu[STILL], time[STILL];
	unsigned long i;
	siginfo_t info = { 0 };

	if (!recorder)
		return now();
	for (i = 0;; i++) {
		long long used = read_clock(recorder_clock);

		if (i >= STILL && used - cpu[i % STILL] < STILL_NS)
			return time[i % STILL];
		cpu[i % STILL] = used;
		time[i % STILL] = now();
		usleep(POLL_US);
		if (waitid(P_PID, recorder, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid) {
			errno = ECHILD;
			die("the recorder ended");
		}
	}
}

static char **next_command(char **argv)
{
	while (*argv && strcmp(*argv, ":"))
		argv++;
	if (!*argv) {
		fprintf(stderr,
			"usage: around TIMES LOG LOAD-LOG [RECORDER...] : WARM... : LOAD...\n");
		exit(2);
	}
	*argv = NULL;
	return argv + 1;
}

int main(int argc, char **argv)
{
	long long begin, ready = 0, start = 0, own = 0, load, n, stop = 0, end = 0;
	struct rusage usage = { 0 };
	char **warm, **work;
	int status, i;
	FILE *f;

	if (argc < 7)
		next_command(argv + argc);
	warm = next_command(argv + 4);
	work = next_command(warm);
	if (argv[4]) {
		begin = now();
		recorder = spawn(argv + 4, argv[2]);
		if (clock_getcpuclockid(recorder, &recorder_clock))
			die("clock_getcpuclockid");
		ready = wait_until_still() - begin;
		start = read_clock(recorder_clock);
	}
	for (i = 0; i < WARMINGS; i++) {
		run(warm, argv[3]);
		wait_until_still();
	}

	if (recorder)
		own = read_clock(recorder_clock);
	n = switches();
	begin = now();
	run(work, argv[3]);
	load = now() - begin;
	n = switches() - n;
	if (recorder) {
		end = read_clock(recorder_clock);
		own = end - own;
		begin = now();
		kill(recorder, SIGINT);
		if (wait4(recorder, &status, 0, &usage) != recorder)
			die("wait4");
		stop = now() - begin;
		end = usage.ru_utime.tv_sec * 1000000000LL + usage.ru_utime.tv_usec * 1000LL +
		      usage.ru_stime.tv_sec * 1000000000LL + usage.ru_stime.tv_usec * 1000LL - end;
	}
	f = fopen(argv[1], "w");
	if (!f || fprintf(f, "%lld %lld %lld %lld %lld %lld %lld %ld\n", ready, start, own, load,
			  n, stop, end, usage.ru_maxrss) < 0 || fclose(f))
		die(argv[1]);
	return 0;
}
