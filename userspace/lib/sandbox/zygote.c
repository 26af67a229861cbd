// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the zygote: an unprivileged process that is forked when a command begins, while
 * that is small, single-threaded and without secrets, and that forks the workers which
 * read untrusted files. So a worker's memory has nothing of the recorder, and forking one
 * does not get slower when the recorder has become large.
 *
 * The zygote itself reads only what its parent sends, and is trusted. It ends with its
 * parent, whose end of the socket is closed then, and its workers end with it.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/sandbox/confine.h"
#include "lib/sandbox/zygote.h"

/* In the zygote its socket; in a worker, the worker's. */
#define SOCK	3

/* Interval in ms between checks for killed workers that have not ended. */
#define REAP_MS	20

/*
 * Types of requests: a new worker, whose socket comes with the request; a new memory
 * limit of a worker; the end of a worker, which is not answered.
 */
enum what { FORK = 1, MEMORY, KILL };

/*
 * struct request - a request of the parent
 * @what: enum what
 * @pid: for MEMORY and KILL: the worker
 * @memory: limit of its address space
 */
struct request {
	__u32 what;
	pid_t pid;
	__u64 memory;
};

/* Sent once by the zygote, after it has dropped its privileges. */
struct hello {
	int err;
	bool filters;
};

/* State of the parent. */
static struct {
	pthread_mutex_t lock;		/* protects all that follows; serializes requests */
	int sock;
	pid_t pid;
	wp_job_fn *run;
	pid_t worker[WP_ZYGOTE_WORKERS];	/* the last ones that were forked */
	unsigned int nr_workers;
} zygote = { .lock = PTHREAD_MUTEX_INITIALIZER, .sock = -1 };

/**
 * wp_zygote_receive() - receive a packet with descriptors
 * @sock: the socket
 * @data: set to the packet
 * @size: size of @data
 * @fds: set to the descriptors, at most WP_JOB_FDS
 * @nr: set to their number
 *
 * Return: size of the packet; 0: the other end is closed; -1 with errno.
 */
ssize_t wp_zygote_receive(int sock, void *data, size_t size, int *fds, unsigned int *nr)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(WP_JOB_FDS * sizeof(int))];
	} control;
	struct iovec iov = { data, size };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *c;
	ssize_t n;

	do
		n = recvmsg(sock, &msg, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	*nr = 0;
	if (n < 0)
		return n;
	c = CMSG_FIRSTHDR(&msg);
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS) {
		*nr = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(fds, CMSG_DATA(c), *nr * sizeof(int));
	}
	return n;
}

/**
 * wp_zygote_send() - send a packet with descriptors
 * @sock: the socket
 * @iov: the packet
 * @nr_iov: its pieces
 * @fds: the descriptors
 * @nr: their number, at most WP_JOB_FDS
 * @flags: for sendmsg()
 *
 * Return: true if it was sent.
 */
bool wp_zygote_send(int sock, const struct iovec *iov, size_t nr_iov, const int *fds,
		    unsigned int nr, int flags)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(WP_JOB_FDS * sizeof(int))];
	} control = { 0 };
	struct msghdr msg = { .msg_iov = (struct iovec *)iov, .msg_iovlen = nr_iov };
	struct cmsghdr *c;
	ssize_t n;

	if (nr) {
		msg.msg_control = &control;
		msg.msg_controllen = CMSG_SPACE(nr * sizeof(int));
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(nr * sizeof(int));
		memcpy(CMSG_DATA(c), fds, nr * sizeof(int));
	}
	/* A packet is sent as a whole or not at all. */
	do
		n = sendmsg(sock, &msg, MSG_NOSIGNAL | flags);
	while (n < 0 && errno == EINTR);
	return n >= 0;
}

static bool send_one(int sock, const void *data, size_t size, const int *fd)
{
	struct iovec iov = { (void *)data, size };

	return wp_zygote_send(sock, &iov, 1, fd, fd ? 1 : 0, 0);
}

static void send_answer(void *ctx, const struct wp_job_packet *head, const void *data,
			size_t size)
{
	const struct iovec iov[] = {
		{ (void *)head, sizeof(*head) },
		{ (void *)data, size },
	};

	(void)ctx;
	if (!wp_zygote_send(SOCK, iov, 2, NULL, 0, 0))
		_exit(1);
}

/* Main loop of a worker. */
static void __attribute__((noreturn)) work(wp_job_fn *run)
{
	static struct wp_job_answer answer = { .send = send_answer };
	static struct {
		struct wp_job_head head;
		char text[WP_JOB_TEXT];
	} packet;
	struct wp_job job = { .text = packet.text };
	ssize_t n;

	for (;;) {
		n = wp_zygote_receive(SOCK, &packet, sizeof(packet), job.fds, &job.nr_fds);
		if (n < (ssize_t)sizeof(packet.head))
			_exit(0);
		job.head = packet.head;
		job.size = n - sizeof(packet.head);
		wp_job_end(&answer, run(&job, &answer));
		while (job.nr_fds)
			close(job.fds[--job.nr_fds]);
	}
}

static void __attribute__((noreturn)) begin_work(wp_job_fn *run, int sock, __u64 memory,
						 const struct sock_fprog *filter, pid_t parent)
{
	/*
	 * The zygote may have ended before the prctl(). The zygote's socket must not stay
	 * open here.
	 */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent || dup2(sock, SOCK) < 0)
		_exit(1);
	close(sock);
	wp_confine_memory(memory, !filter->len);
	if (filter->len && !wp_confine_calls(filter))
		_exit(1);
	work(run);
}

/*
 * struct child - a worker
 * @pid: its process id, which is not reused before it is reaped. One that ended by itself
 *	is not reaped before the parent has asked for its end, as it may still use the id
 * @killed: its end was requested. It may not have ended, for example while it waits for a
 *	file
 */
struct child {
	pid_t pid;
	bool killed;
};

static struct child children[WP_ZYGOTE_WORKERS];

static struct child *child_of(pid_t pid)
{
	unsigned int i;

	for (i = 0; i < WP_ZYGOTE_WORKERS; i++) {
		if (children[i].pid == pid && !children[i].killed)
			return &children[i];
	}
	return NULL;
}

/* Reap those that were killed; returns whether some have not ended. */
static bool reap(void)
{
	bool left = false;
	unsigned int i;

	for (i = 0; i < WP_ZYGOTE_WORKERS; i++) {
		if (!children[i].killed)
			continue;
		if (waitpid(children[i].pid, NULL, WNOHANG))
			children[i] = (struct child){ 0 };
		else
			left = true;
	}
	return left;
}

static pid_t fork_worker(wp_job_fn *run, int sock, const struct request *r,
			 const struct sock_fprog *filter)
{
	struct child *free_one = child_of(0);
	pid_t me = getpid(), pid;

	if (!free_one)
		return -EAGAIN;
	pid = fork();
	if (!pid)
		begin_work(run, sock, r->memory, filter, me);
	if (pid < 0)
		return -errno;
	free_one->pid = pid;
	return pid;
}

static pid_t set_memory(const struct request *r)
{
	struct rlimit lim;

	if (r->pid <= 0 || !child_of(r->pid) || prlimit(r->pid, RLIMIT_AS, NULL, &lim))
		return -ESRCH;
	lim.rlim_cur = r->memory < lim.rlim_max ? r->memory : lim.rlim_max;
	return prlimit(r->pid, RLIMIT_AS, &lim, NULL) ? -errno : r->pid;
}

static void kill_worker(pid_t pid)
{
	struct child *child = pid > 0 ? child_of(pid) : NULL;

	if (child) {
		kill(pid, SIGKILL);
		child->killed = true;
	}
}

static void serve(wp_job_fn *run, const struct sock_fprog *filter)
{
	struct pollfd in = { .fd = SOCK, .events = POLLIN };
	int fds[WP_JOB_FDS];
	struct request r;
	unsigned int nr;
	pid_t pid;

	for (;;) {
		if (poll(&in, 1, reap() ? REAP_MS : -1) <= 0)
			continue;
		if (wp_zygote_receive(SOCK, &r, sizeof(r), fds, &nr) != sizeof(r))
			return;
		if (r.what == FORK)
			pid = nr ? fork_worker(run, fds[0], &r, filter) : -EINVAL;
		else if (r.what == MEMORY)
			pid = set_memory(&r);
		else
			kill_worker(r.pid);
		while (nr)
			close(fds[--nr]);
		if (r.what != KILL && !send_one(SOCK, &pid, sizeof(pid), NULL))
			return;
	}
}

static void __attribute__((noreturn)) be_zygote(int sock, wp_job_fn *run)
{
	struct sock_fprog filter = { 0 };
	struct hello hello = { 0 };

	prctl(PR_SET_NAME, "wallprof-files", 0, 0, 0);
	if (sock != SOCK && dup2(sock, SOCK) < 0)
		_exit(1);
	hello.err = wp_confine_process(SOCK);
	if (!hello.err && wp_confine_make_filter(&filter, SOCK))
		filter.len = 0;
	hello.filters = filter.len;
	if (send_one(SOCK, &hello, sizeof(hello), NULL) && !hello.err)
		serve(run, &filter);
	_exit(0);
}

/* Caller holds the lock. */
static void forget(void)
{
	if (zygote.sock >= 0)
		close(zygote.sock);
	zygote.sock = -1;
	if (zygote.pid > 0) {
		kill(zygote.pid, SIGKILL);
		while (waitpid(zygote.pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	zygote.pid = 0;
}

/* Caller holds the lock. */
static int begin(void)
{
	struct hello hello;
	int socks[2];
	unsigned int nr;

	if (zygote.sock >= 0)
		return 0;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, socks))
		return -errno;
	zygote.pid = fork();
	if (!zygote.pid)
		be_zygote(socks[1], zygote.run);
	close(socks[1]);
	zygote.sock = socks[0];
	if (zygote.pid > 0 &&
	    wp_zygote_receive(zygote.sock, &hello, sizeof(hello), NULL, &nr) == sizeof(hello) &&
	    !hello.err) {
		if (!hello.filters)
			wp_debug("this kernel filters no system calls here: files are read without that protection");
		return 0;
	}
	forget();
	return -EIO;
}

/**
 * wp_zygote_begin() - fork the zygote
 * @run: main function of the workers, until wp_zygote_end()
 *
 * Must be called early: see above. If it exists already, nothing happens.
 *
 * Return: 0 or a negative errno: it cannot be created.
 */
int wp_zygote_begin(wp_job_fn *run)
{
	int err;

	pthread_mutex_lock(&zygote.lock);
	if (!zygote.run)
		zygote.run = run;
	err = begin();
	pthread_mutex_unlock(&zygote.lock);
	return err;
}

/**
 * wp_zygote_end() - end the zygote, and with it all workers
 */
void wp_zygote_end(void)
{
	pthread_mutex_lock(&zygote.lock);
	forget();
	zygote.run = NULL;
	pthread_mutex_unlock(&zygote.lock);
}

/* Send a request, and receive the answer. Caller holds the lock. */
static pid_t ask(const struct request *r, const int *sock)
{
	unsigned int nr;
	pid_t pid;

	if (send_one(zygote.sock, r, sizeof(*r), sock) &&
	    wp_zygote_receive(zygote.sock, &pid, sizeof(pid), NULL, &nr) == sizeof(pid))
		return pid;
	forget();
	return -EPIPE;
}

/**
 * wp_zygote_fork() - create a worker
 * @sock: its socket
 * @memory: limit of its address space in bytes
 *
 * If the zygote was killed a new one is forked.
 *
 * Return: its pid, which is not reused before wp_zygote_kill(); or a negative errno.
 */
pid_t wp_zygote_fork(int sock, __u64 memory)
{
	struct request r = { .what = FORK, .memory = memory };
	pid_t pid = -EPIPE;
	int tries;

	pthread_mutex_lock(&zygote.lock);
	for (tries = 0; tries < 2 && pid == -EPIPE; tries++) {
		pid = zygote.run ? begin() : -EINVAL;
		if (!pid)
			pid = ask(&r, &sock);
	}
	if (pid > 0)
		zygote.worker[zygote.nr_workers++ % WP_ZYGOTE_WORKERS] = pid;
	pthread_mutex_unlock(&zygote.lock);
	return pid;
}

/**
 * wp_zygote_memory() - change the memory limit of a worker
 * @pid: the worker
 * @memory: limit of its address space in bytes
 *
 * Return: 0 or a negative errno.
 */
int wp_zygote_memory(pid_t pid, __u64 memory)
{
	struct request r = { .what = MEMORY, .pid = pid, .memory = memory };
	pid_t ret = -EPIPE;

	pthread_mutex_lock(&zygote.lock);
	if (zygote.sock >= 0)
		ret = ask(&r, NULL);
	pthread_mutex_unlock(&zygote.lock);
	return ret < 0 ? ret : 0;
}

/**
 * wp_zygote_is_ours() - whether a process is the zygote, or one of its workers
 * @pid: the process
 */
bool wp_zygote_is_ours(pid_t pid)
{
	unsigned int i;
	bool ours;

	pthread_mutex_lock(&zygote.lock);
	ours = pid == zygote.pid;
	for (i = 0; i < zygote.nr_workers && i < WP_ZYGOTE_WORKERS; i++)
		ours |= pid == zygote.worker[i];
	pthread_mutex_unlock(&zygote.lock);
	return ours;
}

/**
 * wp_zygote_kill() - end a worker, without waiting
 * @pid: its process id, which may be reused from now on
 */
void wp_zygote_kill(pid_t pid)
{
	struct request r = { .what = KILL, .pid = pid };

	pthread_mutex_lock(&zygote.lock);
	if (zygote.sock >= 0 && !send_one(zygote.sock, &r, sizeof(r), NULL))
		forget();
	pthread_mutex_unlock(&zygote.lock);
}
