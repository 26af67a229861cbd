// SPDX-License-Identifier: GPL-2.0
/*
 * Parent's side of the workers, the processes that read untrusted files (job.c).
 *
 * A malicious file can at worst take over or stop a worker. A worker has no capability,
 * no file system, no network and no process to send signals to (confine.c); it has the
 * descriptors of its jobs, which are open for reading, and a socket to its parent. So the
 * damage is bounded by what a worker may use, and by what it may answer:
 *
 * - CPU time, memory and the time without progress are limited for each file. The limits
 *   grow with the file's size, measured in blocks on the disk, which holes do not have.
 * - An answer consists of bytes, limited in number. The caller checks each field. Nothing
 *   that a worker sends names a file, an address or a size to be allocated.
 * - One worker reads files of one owner in one file system, so that one that was taken
 *   over returns wrong answers only about files of the user who did that. Callers are
 *   responsible for this.
 *
 * A worker that has ended, or exceeds a limit, is replaced by the caller: its current
 * file has no table and no names then, all else goes on.
 *
 * A worker is used by one thread.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/ownthread.h"
#include "lib/sandbox/confine.h"
#include "lib/sandbox/opener.h"
#include "lib/sandbox/openfile.h"
#include "lib/sandbox/swapped.h"
#include "lib/sandbox/worker.h"
#include "lib/sandbox/zygote.h"

#define NSEC_PER_SEC	1000000000ULL
#define MB		(1ULL << 20)
#define ROOM_MIN	(256 << 10)

/* The CPU time limit is granted again for so many bytes of a file, up to a maximum. */
#define BYTES_AGAIN	(32 * MB)
#define TIME_MORE	(256 * MB)

/* Additional memory for large files; files up to SMALL need none. */
#define SMALL		(128 * MB)
#define MEMORY_MORE	(4096 * MB)

/* Maximum number of packets per call, so that others get their turn. */
#define TAKE_AT_ONCE	64

/* Interval between checks of a worker that does not answer, while a caller waits. */
#define WAIT_MS		20

/* The table of libc takes 0.1 s on a computer, and 1 s in a busy emulator. */
const struct wp_worker_limits wp_worker_usual = {
	.cpu_ns = 8 * NSEC_PER_SEC,
	.stuck_ns = 10 * NSEC_PER_SEC,
	.memory = 1024 * MB,
	.answer = 512 * MB,
};

/**
 * struct wp_worker - a worker
 * @limits: limits of a job
 * @sock: its socket
 * @pid: its process id
 * @clock: its CPU-time clock
 * @memory: current limit of its address space
 * @served: a file of the newest job may have a server
 * @cpu_limit: CPU time limits of its jobs, the first at @first
 * @first: index of the oldest
 * @jobs: number of jobs
 * @base: its CPU time when the oldest job began
 * @seen: its CPU time when it last grew,
 * @seen_at: and the time of that
 * @buf: the answer so far
 * @used: its size
 * @room: allocated bytes
 */
struct wp_worker {
	struct wp_worker_limits limits;
	int sock;
	pid_t pid;
	clockid_t clock;
	__u64 memory;
	bool served;
	__u64 cpu_limit[WP_WORKER_DEPTH];
	unsigned int first;
	unsigned int jobs;
	__u64 base;
	__u64 seen;
	__u64 seen_at;
	char *buf;
	size_t used;
	size_t room;
};

/**
 * wp_worker_prepare() - prepare for workers
 *
 * Must be called early by commands that read untrusted files: all workers inherit a copy
 * of the memory at this time.
 *
 * Return: 0 or a negative errno.
 */
int wp_worker_prepare(void)
{
	int err = wp_zygote_begin(wp_job_do);

	/* On failure, only files of servers cannot be read. */
	if (!err)
		wp_opener_prepare();
	return err;
}

/**
 * wp_worker_end() - undo wp_worker_prepare()
 */
void wp_worker_end(void)
{
	wp_opener_end();
	wp_zygote_end();
}

/**
 * wp_worker_new() - create a worker
 * @limits: limits of each of its jobs; NULL: defaults
 *
 * Return: the worker, or NULL.
 */
struct wp_worker *wp_worker_new(const struct wp_worker_limits *limits)
{
	struct wp_worker *w = calloc(1, sizeof(*w));
	int socks[2];

	if (!w)
		return NULL;
	w->limits = limits ? *limits : wp_worker_usual;
	w->memory = w->limits.memory;
	w->sock = -1;
	if (wp_worker_prepare() ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, socks)) {
		free(w);
		return NULL;
	}
	w->sock = socks[0];
	w->pid = wp_zygote_fork(socks[1], w->memory);
	close(socks[1]);
	if (w->pid > 0 && !clock_getcpuclockid(w->pid, &w->clock))
		return w;
	wp_worker_free(w);
	return NULL;
}

/**
 * wp_worker_free() - end a worker, in any state
 * @w: the worker, or NULL
 */
void wp_worker_free(struct wp_worker *w)
{
	if (!w)
		return;
	if (w->pid > 0)
		wp_zygote_kill(w->pid);
	close(w->sock);
	free(w->buf);
	free(w);
}

/**
 * wp_worker_fd() - descriptor to poll for answers
 * @w: the worker
 */
int wp_worker_fd(const struct wp_worker *w)
{
	return w->sock;
}

/* Its CPU time; once it has ended, the last known value. */
static __u64 cpu_time(struct wp_worker *w)
{
	struct timespec ts;
	__u64 now;

	if (clock_gettime(w->clock, &ts))
		return w->seen;
	now = ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
	if (now > w->seen) {
		w->seen = now;
		w->seen_at = wp_clock_now();
	}
	return w->seen;
}

/**
 * wp_worker_spent() - CPU time of the current job so far
 * @w: the worker
 */
__u64 wp_worker_spent(struct wp_worker *w)
{
	return cpu_time(w) - w->base;
}

static void begin_job(struct wp_worker *w)
{
	w->base = cpu_time(w);
	w->seen_at = wp_clock_now();
}

/*
 * Size of files without holes. A file system that compresses has fewer blocks; and for a
 * program that serves files the number is whatever it states.
 */
static __u64 weigh(const struct stat *files, unsigned int nr)
{
	__u64 bytes = 0, blocks;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		const struct stat st = files[i];

		if (!wp_openfile_has_owner(&st))
			continue;
		blocks = 4 * 512 * (__u64)st.st_blocks;
		bytes += (__u64)st.st_size < blocks ? (__u64)st.st_size : blocks;
	}
	return bytes;
}

/* Raise the memory limit for a large file; lower it again after that. */
static void fit_memory(struct wp_worker *w, __u64 bytes)
{
	__u64 memory = w->limits.memory;

	if (bytes > SMALL)
		memory += bytes < MEMORY_MORE ? 2 * bytes : 2 * MEMORY_MORE;
	if (memory == w->memory || (memory < w->memory && w->jobs))
		return;
	if (WP_SANITIZED || !wp_zygote_memory(w->pid, memory))
		w->memory = memory;
}

/* Files that may have a server are opened on the way. */
static int send_job(struct wp_worker *w, const struct wp_job *job, const struct stat *files)
{
	const struct iovec iov[] = {
		{ (void *)&job->head, sizeof(job->head) },
		{ (void *)job->text, job->size },
	};
	dev_t devs[WP_JOB_FDS];
	unsigned int i;

	w->served = false;
	for (i = 0; i < job->nr_fds; i++) {
		w->served |= wp_openfile_is_served(job->fds[i]);
		devs[i] = files[i].st_dev;
	}
	if (w->served)
		return wp_opener_send(w->sock, iov, job->fds, devs, job->nr_fds);
	return wp_zygote_send(w->sock, iov, 2, job->fds, job->nr_fds, MSG_DONTWAIT) ? 0 : -EPIPE;
}

/**
 * wp_worker_ask() - send a job to a worker
 * @w: the worker, with less than WP_WORKER_DEPTH jobs
 * @job: the job
 *
 * Return: 0; -EPIPE: the worker is no longer usable; -ENODATA: a file of the job has pages
 * in swap: see swapped.c; another negative errno: one cannot be opened, or the worker has no
 * room; it did not get the job.
 */
int wp_worker_ask(struct wp_worker *w, const struct wp_job *job)
{
	struct stat files[WP_JOB_FDS];
	unsigned int i;
	__u64 bytes;
	int err;

	if (w->jobs == WP_WORKER_DEPTH || job->size > WP_JOB_TEXT)
		return -EBUSY;
	for (i = 0; i < job->nr_fds; i++) {
		if (wp_openfile_known(job->fds[i], &files[i]))
			return -errno;
		if (!wp_openfile_is_served(job->fds[i]) &&
		    wp_swapped_is_left(job->fds[i], &files[i]))
			return -ENODATA;
	}
	bytes = weigh(files, job->nr_fds);
	fit_memory(w, bytes);
	if (!w->jobs)
		begin_job(w);
	err = send_job(w, job, files);
	if (err)
		return err;
	if (bytes > TIME_MORE)
		bytes = TIME_MORE;
	w->cpu_limit[(w->first + w->jobs++) % WP_WORKER_DEPTH] =
		w->limits.cpu_ns + bytes * (w->limits.cpu_ns / BYTES_AGAIN);
	return 0;
}

static int make_room(struct wp_worker *w)
{
	size_t room = w->room ? 2 * w->room : ROOM_MIN;
	char *buf;

	if (w->room - w->used >= WP_JOB_PACKET)
		return 0;
	buf = realloc(w->buf, room);
	if (!buf)
		return -ENOMEM;
	w->buf = buf;
	w->room = room;
	return 0;
}

/* Free the buffer if the answer before was large. */
static void begin_answer(struct wp_worker *w)
{
	w->used = 0;
	if (w->room > 4 * ROOM_MIN) {
		free(w->buf);
		w->buf = NULL;
		w->room = 0;
	}
}

/* Receive one packet: 1, or 0 if there is none now. */
static int take_packet(struct wp_worker *w, struct wp_job_packet *head)
{
	struct iovec iov[2] = { { head, sizeof(*head) } };
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };
	ssize_t n;
	int err;

	err = make_room(w);
	if (err)
		return err;
	iov[1] = (struct iovec){ w->buf + w->used, w->room - w->used };
	/*
	 * Descriptors are not accepted: there is no buffer for them. If a worker ends
	 * with jobs that it has not read, the connection is reset, once: its answers come
	 * before that.
	 */
	do
		n = recvmsg(w->sock, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	while (n < 0 && (errno == EINTR || errno == ECONNRESET));
	if (n < 0 && errno == EAGAIN)
		return 0;
	if (n <= 0)
		return -EPIPE;
	if ((size_t)n < sizeof(*head) || !w->jobs || msg.msg_flags & MSG_TRUNC)
		return -EPROTO;
	w->used += n - sizeof(*head);
	return w->used > w->limits.answer ? -EMSGSIZE : 1;
}

/**
 * wp_worker_take() - take an answer, if there is one
 * @w: the worker
 * @answer: set to the answer to its oldest job
 *
 * Return: 1 with an answer, 0 if it is not complete, or a negative errno: the worker is
 * no longer usable, and the oldest job is the cause.
 */
int wp_worker_take(struct wp_worker *w, struct wp_answer *answer)
{
	struct wp_job_packet head = { 0 };
	int i, ret;

	/* After an answer has been taken, the next one begins. */
	if (!w->used)
		begin_answer(w);
	for (i = 0; i < TAKE_AT_ONCE && !head.last; i++) {
		ret = take_packet(w, &head);
		if (ret <= 0)
			return ret;
	}
	if (!head.last)
		return 0;
	if (head.err > 0 || head.err < -4095)
		return -EPROTO;
	*answer = (struct wp_answer){
		.err = head.err, .data = w->buf, .size = w->used,
		.cpu_ns = wp_worker_spent(w),
	};
	w->used = 0;
	w->first = (w->first + 1) % WP_WORKER_DEPTH;
	w->jobs--;
	begin_job(w);
	return 1;
}

/**
 * wp_worker_check() - check the limits of the current job
 * @w: the worker
 *
 * Must be called now and then while it has jobs.
 *
 * Return: 0 or a negative errno: the oldest job exceeds a limit, and the worker is no
 * longer usable.
 */
int wp_worker_check(struct wp_worker *w)
{
	if (!w->jobs)
		return 0;
	if (wp_worker_spent(w) > w->cpu_limit[w->first])
		return -ETIME;
	return wp_clock_now() - w->seen_at > w->limits.stuck_ns ? -ETIMEDOUT : 0;
}

/**
 * wp_worker_wait() - wait for the answer to the oldest job
 * @w: the worker
 * @answer: set to the answer
 *
 * Return: 0 or a negative errno: the worker is no longer usable.
 */
int wp_worker_wait(struct wp_worker *w, struct wp_answer *answer)
{
	struct wp_ownthread state = {
		.pid = w->pid, .tid = w->pid, .clock = w->clock, .ran = ~0ULL,
	};
	struct pollfd in = { .fd = w->sock, .events = POLLIN };
	unsigned int looks = 0;
	int ret;

	for (;;) {
		if (poll(&in, 1, WAIT_MS))
			looks = 0;
		else
			looks = wp_ownthread_is_blocked(&state, "DS") ? looks + 1 : 0;
		ret = wp_worker_take(w, answer);
		if (ret)
			return ret < 0 ? ret : 0;
		ret = wp_worker_check(w);
		/* Always wait for a disk. */
		if (!ret && w->served && looks * WAIT_MS >= wp_opener_patience())
			ret = -ETIMEDOUT;
		if (ret)
			return ret;
	}
}

/**
 * wp_worker_reason() - reason why a worker was ended
 * @err: from its functions
 *
 * Return: words for a message, which follow the file's name.
 */
const char *wp_worker_reason(int err)
{
	switch (err) {
	case -ETIME:
		return "takes too much CPU time to read";
	case -ETIMEDOUT:
		return "cannot be read: its server does not answer";
	case -ENODATA:
		return "is in swap in part, and not read";
	case -EMSGSIZE:
		return "holds too much";
	case -ENOMEM:
		return "takes too much memory to read";
	case -EACCES:
	case -EPERM:
	case -ENOENT:
	case -EIO:
		return "cannot be opened";
	case -EPROTO:
		return "cannot be read: its contents are not possible";
	}
	return "cannot be read: its reader crashed";
}
