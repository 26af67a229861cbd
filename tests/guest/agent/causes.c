// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that wait for known objects, are woken by known threads, or wait for locks that
 * known threads hold.
 *
 *	causes FILE		by their names, below
 *	causes FILE NUMBER	so many threads that wake "taker", one after the other
 *
 * FILE gets its id when all are at it. It goes on until it is killed. FILE.longest has, for
 * each of the names, 64 bits: the ns that its longest turn took, and so its longest wait.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define PORT	7707

static pthread_barrier_t all;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int fed[2], never[2], event, client, server;
static int64_t *longest;

static int64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static void nap(long ms)
{
	nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL);
}

static void stop(void)
{
	perror("causes");
	exit(1);
}

/* Number of bytes that came in, or went out, which is what was asked for. */
static void need(ssize_t n)
{
	if (n <= 0)
		stop();
}

static void read_pipe(void)
{
	char c;

	need(read(fed[0], &c, 1));
}

static void read_nothing(void)
{
	char c;

	need(read(never[0], &c, 1));
}

static void read_event(void)
{
	uint64_t n;

	need(read(event, &n, sizeof(n)));
}

static void read_socket(void)
{
	char c;

	need(read(client, &c, 1));
}

/* Each of those above waits once for each turn. */
static void write_all(void)
{
	const uint64_t one = 1;

	nap(5);
	need(write(fed[1], "", 1));
	need(write(event, &one, sizeof(one)));
	need(write(server, "", 1));
}

static void take_nap(void)
{
	nap(5);
}

static void hold(void)
{
	pthread_mutex_lock(&mutex);
	nap(20);
	pthread_mutex_unlock(&mutex);
	nap(1);
}

static void wait_for_lock(void)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
}

static const struct {
	const char *name;
	void (*run)(void);
} threads[] = {
	{ "pipe-reader", read_pipe }, { "never", read_nothing }, { "event-reader", read_event },
	{ "client", read_socket }, { "writer", write_all }, { "napper", take_nap },
	{ "holder", hold }, { "waiter", wait_for_lock },
};

#define THREADS	((int)(sizeof(threads) / sizeof(threads[0])))

static void *run(void *arg)
{
	int i = (intptr_t)arg;

	pthread_setname_np(pthread_self(), threads[i].name);
	pthread_barrier_wait(&all);
	for (;;) {
		int64_t begun = now();

		threads[i].run();
		if (longest[i] < now() - begun)
			longest[i] = now() - begun;
	}
	return NULL;
}

/* Of many, the one whose turn it is. */
static int (*turn)[2], many;

static void *pass(void *arg)
{
	int i = (intptr_t)arg;
	char name[16], c;

	snprintf(name, sizeof(name), "waker-%d", i);
	pthread_setname_np(pthread_self(), name);
	pthread_barrier_wait(&all);
	for (;;) {
		need(read(turn[i][0], &c, 1));
		need(write(fed[1], "", 1));
	}
	return NULL;
}

static void *take(void *arg)
{
	int i;

	pthread_setname_np(pthread_self(), "taker");
	pthread_barrier_wait(&all);
	for (i = 0;; i = (i + 1) % many) {
		need(write(turn[i][1], "", 1));
		read_pipe();
	}
	return arg;
}

static void connect_both(void)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET, .sin_port = htons(PORT),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int at = socket(AF_INET, SOCK_STREAM, 0), on = 1;

	client = socket(AF_INET, SOCK_STREAM, 0);
	if (at < 0 || client < 0 || setsockopt(at, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    bind(at, (struct sockaddr *)&to, sizeof(to)) || listen(at, 1) ||
	    connect(client, (struct sockaddr *)&to, sizeof(to)))
		stop();
	server = accept(at, NULL, NULL);
	if (server < 0)
		stop();
}

/* Pages of a file, so that they are there when this program is killed. */
static void *make_file(const char *name, const char *more, size_t size)
{
	char path[256];
	void *pages;
	int fd;

	snprintf(path, sizeof(path), "%s%s", name, more);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
	if (fd < 0 || ftruncate(fd, size))
		stop();
	pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (pages == MAP_FAILED)
		stop();
	return pages;
}

static void start(void *(*run)(void *), int i)
{
	pthread_t t;

	if (pthread_create(&t, NULL, run, (void *)(intptr_t)i))
		stop();
}

int main(int argc, char **argv)
{
	FILE *f = argc >= 2 ? fopen(argv[1], "w") : NULL;
	int i;

	event = eventfd(0, 0);
	many = argc >= 3 ? atoi(argv[2]) : 0;
	turn = calloc(many + 1, sizeof(*turn));
	if (!f || event < 0 || !turn || pipe(fed) || pipe(never))
		stop();
	longest = make_file(argv[1], ".longest", THREADS * sizeof(*longest));
	pthread_barrier_init(&all, NULL, many ? many + 2 : THREADS + 1);
	if (!many)
		connect_both();
	for (i = 0; i < many; i++) {
		if (pipe(turn[i]))
			stop();
		start(pass, i);
	}
	if (many)
		start(take, 0);
	for (i = 0; !many && i < THREADS; i++)
		start(run, i);
	pthread_barrier_wait(&all);
	fprintf(f, "%d\n", getpid());
	fclose(f);
	for (;;)
		pause();
}
