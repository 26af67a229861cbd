// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the threads that open and read files of processes.
 *
 * A call is passed to a thread, and waited for as long as that thread makes progress. If
 * it is blocked, and stays so, the call is abandoned: its process is busy. The thread
 * stays where it is; when the lock is free, it discards its result. Until then no other
 * call for that process is started, so that each process costs at most one thread and one
 * wait. The caller tries again later, and then gets up-to-date results.
 *
 * Such a thread waits for a lock in a wait that only SIGKILL ends. exit() ends all
 * threads that way, and none is joined.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/base/ownthread.h"
#include "lib/base/procfile.h"

#define CHUNK		(1 << 16)
#define MAX_TEXT	(1 << 28)
#define STACK_SIZE	(1 << 18)

/*
 * Limit of blocked threads; beyond it, no file is read that needs one. The limit per user
 * is lower, and beyond it none of that user's is read.
 */
#define MAX_BUSY	512
#define MAX_BUSY_USER	64

/* Threads that are kept for the next call. */
#define MAX_IDLE	4

/* Processes that have been named in a message. */
#define MAX_NAMED	256

/* Interval between checks of the thread. */
#define LOOK_NS		10000000

/*
 * A call is abandoned after so many successive checks at which its thread was blocked and
 * had not run since the last one. The number is halved for each busy process: all of them
 * together take a second at most.
 */
#define FIRST_LOOKS	20
#define NEXT_LOOKS	2

/* A process, identified by its directory in /proc: a reused pid has another one. */
struct identity {
	dev_t dev;
	ino_t ino;
};

struct call {
	struct call *next;		/* in the list of abandoned ones */
	struct identity process;
	uid_t user;
	int dir;
	char *paths;			/* one after the other, each with its final 0 */
	unsigned int nr;
	int flags;
	bool reads;			/* it reads; else it opens */
	__u64 from;			/* for reads: the first byte, */
	size_t size;			/* and the number of bytes; 0: all of the file */
	bool done;
	bool given_up;			/* nobody waits: freed by the thread */
	int result;			/* for reads: 0 or a negative errno */
	int *fd;			/* for opens: descriptors, or negative errnos */
	struct wp_procfile_text text;
	size_t len;
	struct wp_ownthread thread;	/* that executes it, once there is one */
	pthread_cond_t changed;		/* signals @done */
};

struct worker {
	struct worker *next;		/* in the list of idle ones */
	struct call *call;
	pthread_cond_t work;		/* signals @call */
};

/* Protects all that follows, and calls and workers. Held for moments only. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct worker *idle;
static unsigned int nr_idle;
static struct call *busy;
static unsigned int nr_busy;
static struct identity named[MAX_NAMED];
static unsigned int nr_named;
static struct wp_procfile_stats stats;

/* Set by a signal handler. */
static volatile sig_atomic_t hurry;

static bool same(const struct identity *a, const struct identity *b)
{
	return a->dev == b->dev && a->ino == b->ino;
}

static void free_call(struct call *call)
{
	unsigned int i;

	for (i = 0; i < call->nr && call->fd; i++) {
		if (call->fd[i] >= 0)
			close(call->fd[i]);
	}
	if (call->dir >= 0)
		close(call->dir);
	free(call->text.text);
	free(call->paths);
	free(call->fd);
	pthread_cond_destroy(&call->changed);
	free(call);
}

/* Make room for another piece, and a terminating 0. */
static bool make_room(struct call *call)
{
	size_t room = 2 * call->text.room + CHUNK + 1;
	char *text;

	if (call->len + CHUNK + 1 <= call->text.room)
		return true;
	text = room <= MAX_TEXT ? realloc(call->text.text, room) : NULL;
	if (!text)
		return false;
	call->text.text = text;
	call->text.room = room;
	return true;
}

/* Read the whole file, in large pieces, as it may change between two of them. */
static int read_all(struct call *call, int fd)
{
	ssize_t n;

	if (!make_room(call))
		return -ENOMEM;
	do {
		n = read(fd, call->text.text + call->len, CHUNK);
		call->len += n > 0 ? n : 0;
	} while (n > 0 && make_room(call));
	call->text.text[call->len] = '\0';
	return n < 0 && !call->len ? -errno : 0;
}

/* One read, which the kernel answers from a single point in time. */
static int read_part(struct call *call, int fd)
{
	ssize_t n;

	if (!make_room(call))
		return -ENOMEM;
	n = pread(fd, call->text.text, call->size, call->from);
	call->len = n > 0 ? n : 0;
	call->text.text[call->len] = '\0';
	return n < 0 ? -errno : 0;
}

/* May never return. Accesses nothing but the call. */
static void carry_out(struct call *call)
{
	const char *path = call->paths;
	unsigned int i;

	for (i = 0; i < call->nr; i++) {
		call->fd[i] = openat(call->dir, path, call->flags);
		if (call->fd[i] < 0)
			call->fd[i] = -errno;
		path += strlen(path) + 1;
	}
	if (!call->reads)
		return;
	if (call->fd[0] < 0)
		call->result = call->fd[0];
	else
		call->result = call->size ? read_part(call, call->fd[0]) :
			read_all(call, call->fd[0]);
}

/* Caller holds the lock. */
static void forget_busy(struct call *call)
{
	struct call **at;

	for (at = &busy; *at != call; at = &(*at)->next)
		;
	*at = call->next;
	nr_busy--;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct wp_ownthread self;

	wp_ownthread_self(&self);
	pthread_mutex_lock(&lock);
	for (;;) {
		struct call *call = w->call;

		if (!call) {
			pthread_cond_wait(&w->work, &lock);
			continue;
		}
		call->thread = self;
		pthread_mutex_unlock(&lock);
		carry_out(call);
		pthread_mutex_lock(&lock);
		w->call = NULL;
		call->done = true;
		if (call->given_up) {
			forget_busy(call);
			free_call(call);
		} else {
			pthread_cond_signal(&call->changed);
		}
		if (nr_idle == MAX_IDLE)
			break;
		w->next = idle;
		idle = w;
		nr_idle++;
	}
	pthread_mutex_unlock(&lock);
	pthread_cond_destroy(&w->work);
	free(w);
	return NULL;
}

static void init_cond(pthread_cond_t *cond)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(cond, &attr);
	pthread_condattr_destroy(&attr);
}

/* Start a thread for a call. Caller holds the lock. */
static bool start_worker(struct call *call)
{
	struct worker *w = calloc(1, sizeof(*w));
	pthread_attr_t attr;
	sigset_t all, old;
	pthread_t thread;
	int err;

	if (!w)
		return false;
	w->call = call;
	init_cond(&w->work);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	/* Signals are handled by the main thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&thread, &attr, work, w);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	if (!err)
		return true;
	pthread_cond_destroy(&w->work);
	free(w);
	return false;
}

/* Pass a call to a thread. Caller holds the lock. */
static bool assign_worker(struct call *call)
{
	struct worker *w = idle;

	if (!w)
		return start_worker(call);
	idle = w->next;
	nr_idle--;
	w->call = call;
	pthread_cond_signal(&w->work);
	return true;
}

/* Current number of checks before a call is abandoned. */
static unsigned int looks_now(void)
{
	unsigned int looks = nr_busy < 8 ? FIRST_LOOKS >> nr_busy : 1;

	if (hurry)
		return 1;
	return nr_busy < 8 && looks < NEXT_LOOKS ? NEXT_LOOKS : looks;
}

/*
 * Wait until a call is done, or blocked; returns whether it is done. Caller holds the
 * lock.
 */
static bool wait_for(struct call *call)
{
	unsigned int looks = 0;
	struct timespec until;

	while (!call->done) {
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += LOOK_NS;
		if (until.tv_nsec >= 1000000000) {
			until.tv_nsec -= 1000000000;
			until.tv_sec++;
		}
		if (pthread_cond_timedwait(&call->changed, &lock, &until) != ETIMEDOUT ||
		    call->done)
			continue;
		looks = wp_ownthread_is_blocked(&call->thread, "DS") ? looks + 1 : 0;
		if (looks >= looks_now())
			return false;
	}
	return true;
}

/* The process's name and id, neither of which takes a lock. */
static void describe(int dir, char *name, size_t size)
{
	char link[64], path[256], text[128];
	ssize_t len, n = -1;
	const char *pid;
	int fd;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", dir);
	len = readlink(link, path, sizeof(path) - 1);
	path[len > 0 ? len : 0] = '\0';
	pid = strrchr(path, '/');
	pid = pid ? pid + 1 : "?";
	fd = openat(dir, "comm", O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, text, sizeof(text));
		close(fd);
	}
	/* The last newline is not part of the name. */
	snprintf(name, size, "%.*s (%.*s)", (int)strcspn(pid, " "), pid,
		 n > 1 ? (int)n - 1 : 1, n > 1 ? text : "?");
}

/* Whether this is the first time that a process is busy. Caller holds the lock. */
static bool is_news(const struct identity *process)
{
	unsigned int i;

	for (i = 0; i < nr_named; i++) {
		if (same(&named[i], process))
			return false;
	}
	if (nr_named == MAX_NAMED)
		return false;
	named[nr_named++] = *process;
	return true;
}

static void warn_of_busy(int dir)
{
	char name[300];

	describe(dir, name, sizeof(name));
	wp_warn("cannot read the mappings of process %s: its memory map is locked. Until it is free, its stacks may lack frames and names",
		name);
}

/**
 * wp_procfile_user() - owner of a process
 * @dir: descriptor of /proc/PID
 *
 * Its real uid: the files of a setuid or non-dumpable process belong to root. Takes no
 * lock of the process.
 *
 * Return: the uid, or -1 if it is unknown.
 */
uid_t wp_procfile_user(int dir)
{
	char text[2048], *at;
	unsigned int uid;
	ssize_t n;
	int fd;

	fd = openat(dir, "status", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	/* Newlines in the name, which comes before, are escaped. */
	at = strstr(text, "\nUid:");
	return at && sscanf(at + 5, "%u", &uid) == 1 ? uid : (uid_t)-1;
}

/* Leave a call to its thread. Caller holds the lock, which is released for a while. */
static void give_up(struct call *call, int dir)
{
	bool news = is_news(&call->process);

	call->given_up = true;
	call->user = wp_procfile_user(dir);
	call->next = busy;
	busy = call;
	nr_busy++;
	stats.busy++;
	if (!news)
		return;
	pthread_mutex_unlock(&lock);
	warn_of_busy(dir);
	pthread_mutex_lock(&lock);
}

/*
 * Whether a process is known to be busy, or no thread is available for it. Caller holds
 * the lock.
 */
static bool is_busy(struct call *asked)
{
	const struct call *call;
	unsigned int of_user = 0;

	/* Only needed while there are busy processes. */
	if (busy)
		asked->user = wp_procfile_user(asked->dir);
	for (call = busy; call; call = call->next) {
		if (same(&call->process, &asked->process))
			return true;
		of_user += call->user == asked->user;
	}
	if (nr_busy < MAX_BUSY && of_user < MAX_BUSY_USER)
		return false;
	if (!stats.refused++)
		wp_warn("too many processes of user %u have a locked memory map: mappings of further ones are not read until some are free",
			(unsigned int)asked->user);
	return true;
}

static struct call *new_call(int dir, const char *const *path, unsigned int nr, int flags)
{
	struct call *call = calloc(1, sizeof(*call));
	size_t bytes = 0;
	unsigned int i;
	struct stat st;
	char *to;

	if (!call)
		return NULL;
	init_cond(&call->changed);
	call->flags = flags | O_CLOEXEC;
	for (i = 0; i < nr; i++)
		bytes += strlen(path[i]) + 1;
	call->paths = malloc(bytes);
	call->fd = calloc(nr, sizeof(*call->fd));
	call->dir = fcntl(dir, F_DUPFD_CLOEXEC, 0);
	if (!call->paths || !call->fd || call->dir < 0 || fstat(dir, &st)) {
		free_call(call);
		return NULL;
	}
	for (i = 0, to = call->paths; i < nr; i++) {
		to = stpcpy(to, path[i]) + 1;
		call->fd[i] = -ECANCELED;
	}
	call->nr = nr;
	call->process = (struct identity){ st.st_dev, st.st_ino };
	return call;
}

/* Execute a call; -EBUSY: it is abandoned, and no longer the caller's. */
static int run(struct call *call, int dir)
{
	int err = -EBUSY;

	pthread_mutex_lock(&lock);
	if (is_busy(call) || !assign_worker(call)) {
		pthread_mutex_unlock(&lock);
		free_call(call);
		return err;
	}
	if (wait_for(call))
		err = 0;
	else
		give_up(call, dir);
	pthread_mutex_unlock(&lock);
	return err;
}

/* @call is consumed. */
static ssize_t read_by(struct call *call, int dir, struct wp_procfile_text *t)
{
	ssize_t ret;

	call->reads = true;
	/* The call may outlive this function. */
	call->text = *t;
	*t = (struct wp_procfile_text){ 0 };
	ret = run(call, dir);
	if (ret)
		return ret;
	*t = call->text;
	call->text = (struct wp_procfile_text){ 0 };
	ret = call->result ? call->result : (ssize_t)call->len;
	free_call(call);
	return ret;
}

/**
 * wp_procfile_read() - read all of a file of a process
 * @dir: descriptor of /proc/PID
 * @path: path of the file, relative to @dir
 * @t: output; its buffer is lost if the process is busy
 *
 * Return: length of the text; -EBUSY if a lock of the process is contended: try again
 * later; another negative errno.
 */
ssize_t wp_procfile_read(int dir, const char *path, struct wp_procfile_text *t)
{
	struct call *call = new_call(dir, &path, 1, O_RDONLY);

	return call ? read_by(call, dir, t) : -ENOMEM;
}

/**
 * wp_procfile_read_at() - read a part of a file of a process, in one read
 * @dir: descriptor of /proc/PID
 * @path: path of the file, relative to @dir
 * @from: the first byte
 * @size: number of bytes, at most 65536
 * @t: output; its buffer is lost
 *
 * Return: number of bytes read; else see wp_procfile_read().
 */
ssize_t wp_procfile_read_at(int dir, const char *path, __u64 from, size_t size,
			    struct wp_procfile_text *t)
{
	struct call *call;

	if (!size || size > CHUNK)
		return -EINVAL;
	call = new_call(dir, &path, 1, O_RDONLY);
	if (!call)
		return -ENOMEM;
	call->from = from;
	call->size = size;
	return read_by(call, dir, t);
}

/**
 * wp_procfile_open_all() - open files of a process
 * @dir: descriptor of /proc/PID
 * @path: paths of the files, relative to @dir
 * @fd: set to their descriptors, or negative errnos
 * @nr: number of files, at least one
 * @flags: of open(2)
 *
 * Return: 0; -EBUSY as above, or -ENOMEM: then @fd is not set.
 */
int wp_procfile_open_all(int dir, const char *const *path, int *fd, unsigned int nr, int flags)
{
	struct call *call = new_call(dir, path, nr, flags);
	int ret;

	if (!call)
		return -ENOMEM;
	ret = run(call, dir);
	if (ret)
		return ret;
	memcpy(fd, call->fd, nr * sizeof(*fd));
	call->nr = 0;
	free_call(call);
	return 0;
}

/**
 * wp_procfile_open() - open a file of a process
 * @dir: descriptor of /proc/PID
 * @path: path of the file, relative to @dir
 * @flags: of open(2)
 *
 * Return: a descriptor, -EBUSY as above, or another negative errno.
 */
int wp_procfile_open(int dir, const char *path, int flags)
{
	int fd, ret = wp_procfile_open_all(dir, &path, &fd, 1, flags);

	return ret ? ret : fd;
}

/**
 * wp_procfile_hurry() - hardly wait for busy processes from now on
 *
 * Called when the end was requested; safe in a signal handler.
 */
void wp_procfile_hurry(void)
{
	hurry = 1;
}

/**
 * wp_procfile_stats() - read the statistics
 * @out: filled in
 */
void wp_procfile_stats(struct wp_procfile_stats *out)
{
	pthread_mutex_lock(&lock);
	*out = stats;
	pthread_mutex_unlock(&lock);
}
