// SPDX-License-Identifier: GPL-2.0
/*
 * What the events of oneliners happen to: each word of the command line names one kind of
 * work, which has a function of its own. With a FIFO in front it waits for a line from it.
 *
 * After "long" naps and moves go on for a second: a frequency has set its period to their rate
 * long before, and samples each of them many times. 400 naps can all be within the first period.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FAULTS	4000
#define NAPS	400
#define MOVES	60
#define BYTES	65536
#define PAGE	4096
#define BURN_NS	1500000000LL
#define LONG_NS	1000000000LL

/* A function that calls another one last would have no frame of its own. */
#define HAS_FRAME()	__asm__ volatile("")

static long long least_ns;

static long long now_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

__attribute__((noinline)) void w_request(int nr)
{
	__asm__ volatile("" : : "r"(nr));
}

static __attribute__((noinline)) void w_burn(void)
{
	do {
		for (int i = 0; i < 100; i++)
			syscall(SYS_getppid);
	} while (now_ns(CLOCK_THREAD_CPUTIME_ID) < BURN_NS);
	HAS_FRAME();
}

static __attribute__((noinline)) void w_faults(void)
{
	char *pages = mmap(NULL, FAULTS * PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		exit(1);
	madvise(pages, FAULTS * PAGE, MADV_NOHUGEPAGE);
	for (int i = 0; i < FAULTS; i++)
		((volatile char *)pages)[i * PAGE] = 1;
	munmap(pages, FAULTS * PAGE);
	HAS_FRAME();
}

static __attribute__((noinline)) void w_naps(void)
{
	const struct timespec ts = { .tv_nsec = 1000 };
	long long end = now_ns(CLOCK_MONOTONIC) + least_ns;

	do {
		for (int i = 0; i < NAPS; i++)
			nanosleep(&ts, NULL);
	} while (now_ns(CLOCK_MONOTONIC) < end);
	HAS_FRAME();
}

static __attribute__((noinline)) void w_moves(void)
{
	long long end = now_ns(CLOCK_MONOTONIC) + least_ns;

	do {
		for (int i = 0; i < MOVES; i++) {
			cpu_set_t cpus;

			CPU_ZERO(&cpus);
			CPU_SET(i % 2, &cpus);
			if (sched_setaffinity(0, sizeof(cpus), &cpus))
				exit(1);
		}
	} while (now_ns(CLOCK_MONOTONIC) < end);
	HAS_FRAME();
}

static __attribute__((noinline)) void w_spawns(char *self)
{
	char *argv[] = { self, NULL };
	pid_t pid;

	for (int i = 0; i < 5; i++) {
		if (posix_spawn(&pid, self, NULL, NULL, argv, environ))
			exit(1);
		waitpid(pid, NULL, 0);
	}
	HAS_FRAME();
}

static __attribute__((noinline)) void w_net(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t len = sizeof(at);
	char bytes[200] = "";
	int listener = socket(AF_INET, SOCK_STREAM, 0), client, server;

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(listener, (void *)&at, len) || listen(listener, 8) ||
	    getsockname(listener, (void *)&at, &len))
		exit(1);
	for (int i = 0; i < 20; i++) {
		client = socket(AF_INET, SOCK_STREAM, 0);
		if (connect(client, (void *)&at, len))
			exit(1);
		server = i % 2 ? accept(listener, NULL, NULL) : accept4(listener, NULL, NULL, 0);
		if (server < 0 || send(client, bytes, 10 * (i + 1) - 1, 0) < 0)
			exit(1);
		w_request(i);
		/* Nothing at all, and after the other side has ended: in another state. */
		if (send(client, bytes, 0, 0) || shutdown(server, SHUT_WR) ||
		    recv(client, bytes, 1, 0) || send(client, bytes, 10 * i + 1, 0) < 0)
			exit(1);
		close(server);
		close(client);
	}
	HAS_FRAME();
}

/* More than there is room for in the page cache: see the script. */
static __attribute__((noinline)) void w_reads(void)
{
	char *bytes = malloc(BYTES);
	int fd = open("/dev/vda", O_RDONLY);

	for (int i = 0; i < 4000; i++) {
		if (read(fd, bytes, BYTES) <= 0)
			break;
	}
	close(fd);
	HAS_FRAME();
}

/* Around the page cache: the disk has done it when the call returns. */
static __attribute__((noinline)) void w_disk(void)
{
	char *bytes = aligned_alloc(PAGE, 4 * BYTES);
	int fd = open(getenv("DISK"), O_WRONLY | O_DIRECT);

	memset(bytes, 1, 4 * BYTES);
	/* Half of them are large. */
	for (int i = 0; i < 40; i++) {
		int size = i % 2 ? 4 * BYTES : BYTES;

		if (pwrite(fd, bytes, size, i * 4 * BYTES) != size)
			exit(1);
	}
	close(fd);
	HAS_FRAME();
}

static __attribute__((noinline)) void w_files(void)
{
	char bytes[5000] = "";

	if (chdir(getenv("FILES")))
		exit(1);
	for (int i = 0; i < 20; i++) {
		int fd = open("file", O_RDWR | O_CREAT, 0600);

		if (fd < 0 || write(fd, bytes, sizeof(bytes)) < 0 || fsync(fd))
			exit(1);
		close(fd);
		unlink("file");
	}
	HAS_FRAME();
}

int main(int argc, char **argv)
{
	char byte;
	int fd;

	for (int i = 1; i < argc; i++) {
		if (argv[i][0] == '/') {
			fd = open(argv[i], O_RDONLY);
			if (fd < 0 || read(fd, &byte, 1) < 0)
				return 1;
		} else if (!strcmp(argv[i], "long")) {
			least_ns = LONG_NS;
		} else if (!strcmp(argv[i], "burn")) {
			w_burn();
		} else if (!strcmp(argv[i], "faults")) {
			w_faults();
		} else if (!strcmp(argv[i], "naps")) {
			w_naps();
		} else if (!strcmp(argv[i], "moves")) {
			w_moves();
		} else if (!strcmp(argv[i], "spawns")) {
			w_spawns(argv[0]);
		} else if (!strcmp(argv[i], "net")) {
			w_net();
		} else if (!strcmp(argv[i], "disk")) {
			w_disk();
		} else if (!strcmp(argv[i], "reads")) {
			w_reads();
		} else if (!strcmp(argv[i], "files")) {
			w_files();
		} else {
			return 1;
		}
	}
	return 0;
}
