// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that each wait in one place, for things whose names are known, and a
 * first one that wakes them all, every 20 ms, or never, if ROUNDS is 0:
 *
 *	whatfor PORT FILE ROUNDS
 *
 * accept() on PORT of 127.0.0.1, recv() of a connection to it, read() of a pipe,
 * epoll_wait() for an eventfd, poll() of a pipe, a futex in the program, and one in
 * FILE, which is shared.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static int listener, served, pipes[2][2], event, epoll;
static unsigned int own_futex, *shared_futex;

static void *accepts(void *arg)
{
	int fd;

	while ((fd = accept(listener, NULL, NULL)) >= 0)
		close(fd);
	return arg;
}

static void *receives(void *arg)
{
	char c;

	while (recv(served, &c, 1, 0) == 1)
		;
	return arg;
}

static void *reads(void *arg)
{
	char c;

	while (read(pipes[0][0], &c, 1) == 1)
		;
	return arg;
}

static void *polls_events(void *arg)
{
	struct epoll_event e;
	uint64_t n;

	while (epoll_wait(epoll, &e, 1, -1) == 1 && read(event, &n, sizeof(n)) > 0)
		;
	return arg;
}

static void *polls(void *arg)
{
	struct pollfd p = { .fd = pipes[1][0], .events = POLLIN };
	char c;

	while (poll(&p, 1, -1) == 1 && read(p.fd, &c, 1) == 1)
		;
	return arg;
}

static void *waits(void *arg)
{
	unsigned int *futex = arg, seen = 0;

	for (;;) {
		syscall(SYS_futex, futex, FUTEX_WAIT, seen, NULL, NULL, 0);
		seen = __atomic_load_n(futex, __ATOMIC_ACQUIRE);
	}
	return arg;
}

static void wake(unsigned int *futex)
{
	__atomic_fetch_add(futex, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, futex, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void start(void *(*fn)(void *arg), void *arg)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, fn, arg))
		exit(2);
}

static int connect_to(struct sockaddr_in *to)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (connect(fd, (void *)to, sizeof(*to)))
		exit(2);
	return fd;
}

int main(int argc, char **argv)
{
	struct sockaddr_in at = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
		.sin_port = htons(argc > 3 ? atoi(argv[1]) : 0),
	};
	int on = 1, file, client, i;

	if (argc != 4)
		return 2;
	listener = socket(AF_INET, SOCK_STREAM, 0);
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(listener, (void *)&at, sizeof(at)) || listen(listener, 5)) {
		perror("listen");
		return 2;
	}
	client = connect_to(&at);
	served = accept(listener, NULL, NULL);
	event = eventfd(0, 0);
	epoll = epoll_create1(0);
	file = open(argv[2], O_RDWR | O_CREAT, 0600);
	if (pipe(pipes[0]) || pipe(pipes[1]) || ftruncate(file, 8192) ||
	    epoll_ctl(epoll, EPOLL_CTL_ADD, event, &(struct epoll_event){ .events = EPOLLIN }))
		return 2;
	shared_futex = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 4096);
	if (shared_futex == MAP_FAILED)
		return 2;
	shared_futex += 4;
	start(accepts, NULL);
	start(receives, NULL);
	start(reads, NULL);
	start(polls_events, NULL);
	start(polls, NULL);
	start(waits, &own_futex);
	start(waits, shared_futex);
	for (i = 0; i < atoi(argv[3]); i++) {
		const uint64_t one = 1;

		usleep(20000);
		close(connect_to(&at));
		if (send(client, "", 1, 0) != 1 || write(pipes[0][1], "", 1) != 1 ||
		    write(pipes[1][1], "", 1) != 1 || write(event, &one, sizeof(one)) != 8)
			return 2;
		wake(&own_futex);
		wake(shared_futex);
	}
	if (!i)
		pause();
	return 0;
}
