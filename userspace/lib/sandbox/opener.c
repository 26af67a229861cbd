// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the processes that do what a file system's server can block for ever: look up a
 * path, read a file system's type, open a file, find the file of a loop device. The server
 * may be anybody's (FUSE), and a process that waits for a request that the server has
 * taken cannot even be killed. So the recorder never waits for it in the kernel, neither
 * in a call nor in close(), which asks the server, too: it holds such a file by O_PATH,
 * and an opener opens it and passes it on to the worker that reads it (wp_opener_send()).
 *
 * The nursery is forked early, as the zygote is, opens nothing and forks the openers. An
 * opener that is blocked, and stays so, is left where it is, and its current file system
 * counts as silent: it is not asked again until that opener has come back. So each such
 * file system costs one wait and one process. There is one active opener at a time. All
 * have the recorder's rights: they read nothing.
 *
 * Any thread may call this; calls are serialized.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/ownthread.h"
#include "lib/sandbox/confine.h"
#include "lib/sandbox/disk.h"
#include "lib/sandbox/lookup.h"
#include "lib/sandbox/opener.h"
#include "lib/sandbox/zygote.h"

/* In the nursery its socket; in an opener, the opener's. */
#define SOCK	3

/*
 * Limit of silent file systems; from then on only those are asked that have answered
 * before.
 */
#define MAX_SILENT	16
#define MAX_GOOD	64

/*
 * Interval between checks of an opener that does not answer, and the time after which it is
 * abandoned: before a recording, during it, and when it is to end at once.
 */
#define LOOK_MS		10
#define PATIENCE_MS	5000
#define RECORDING_MS	500
#define HURRY_MS	50

/* Maximum wait where it is unknown whether the opener is blocked. */
#define PATIENCE_MAX_NS	(60 * 1000000000ULL)

/*
 * Types of requests and of answers. AT: the lookup has reached a file system; CLOSED:
 * files that were sent are closed here.
 */
enum what { FIND = 1, TYPE, BACKING, SEND, AT, CLOSED };

/*
 * struct request - a request to an opener; its text follows
 * @what: enum what
 * @flags: for FIND: as for open(2)
 * @plain: for FIND: there is no root
 * @loop: for BACKING: the device
 * @avoid: file systems to avoid, by their devices
 */
struct request {
	enum what what;
	int flags;
	dev_t loop;
	bool plain;
	struct wp_lookup_avoid avoid;
};

/*
 * struct answer - the answer
 * @what: as in the request, or AT, or CLOSED
 * @dev: for AT: the file system
 * @err: 0 or a negative errno
 * @type: for TYPE
 */
struct answer {
	enum what what;
	dev_t dev;
	int err;
	enum wp_fstype type;
};

/* A file system that does not answer, and the opener that waits for it. */
struct silent {
	dev_t dev;
	bool is_known;
	int sock;
};

static struct {
	pthread_mutex_t lock;		/* protects all that follows */
	pid_t nursery;
	int to_nursery;
	pid_t pid;			/* the active opener, */
	int sock;			/* and its socket */
	dev_t at;			/* its current file system */
	bool at_known;
	bool closing;			/* files of @closing_at; no answer yet */
	dev_t closing_at;
	struct silent silent[MAX_SILENT];
	unsigned int nr_silent;
	dev_t good[MAX_GOOD];
	unsigned int nr_good;
	pid_t ours[MAX_SILENT + 2];
	unsigned int nr_ours;
} o = { .lock = PTHREAD_MUTEX_INITIALIZER, .to_nursery = -1, .sock = -1 };

/* Set by a signal handler, too. */
static volatile sig_atomic_t recording, hurry;

/* Runs in the opener. */
static void reply_at(dev_t dev)
{
	const struct answer a = { .what = AT, .dev = dev };

	if (send(SOCK, &a, sizeof(a), MSG_NOSIGNAL) != sizeof(a))
		_exit(0);
}

static void reply(enum what what, int err)
{
	const struct answer a = { .what = what, .err = err };

	if (send(SOCK, &a, sizeof(a), MSG_NOSIGNAL) != sizeof(a))
		_exit(0);
}

/* Runs in the opener: opens the files of the request, and sends them on. */
static void send_on(const int *fds, unsigned int nr, const struct iovec *iov)
{
	int to[WP_JOB_FDS], opened[WP_JOB_FDS], err = 0;
	unsigned int i, nr_opened = 0;
	struct stat st;
	char path[32];

	for (i = 1; i < nr && !err; i++) {
		to[i - 1] = fds[i];
		if (!(fcntl(fds[i], F_GETFL) & O_PATH))
			continue;
		if (!wp_lookup_known(fds[i], &st))
			reply_at(st.st_dev);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fds[i]);
		to[i - 1] = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
		if (to[i - 1] < 0)
			err = -errno;
		else
			opened[nr_opened++] = to[i - 1];
	}
	if (!err && !wp_zygote_send(fds[0], iov, 1, to, nr - 1, MSG_DONTWAIT))
		err = -EPIPE;
	reply(SEND, err);
	/* close() asks the server, too. The caller closes those that were already open. */
	for (i = 0; i < nr_opened; i++)
		close(opened[i]);
	reply(CLOSED, 0);
}

static int find(const struct request *r, const char *path, int root)
{
	if (r->plain)
		return open(path, O_PATH | O_CLOEXEC | r->flags);
	return wp_lookup(root, path, &r->avoid, reply_at);
}

/* Main loop of an opener. */
static void __attribute__((noreturn)) serve(int sock, pid_t nursery)
{
	static struct {
		struct request r;
		char text[sizeof(struct wp_job_head) + WP_JOB_TEXT + 1];
	} packet;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != nursery || dup2(sock, SOCK) < 0)
		_exit(1);
	close(sock);
	for (;;) {
		int fds[WP_JOB_FDS], fd = -1;
		struct answer a = { 0 };
		struct statfs fs = { 0 };
		struct iovec iov;
		unsigned int nr;
		ssize_t n;

		n = wp_zygote_receive(SOCK, &packet, sizeof(packet) - 1, fds, &nr);
		if (n < (ssize_t)sizeof(packet.r))
			_exit(0);
		n -= sizeof(packet.r);
		packet.text[n] = 0;
		switch (packet.r.what) {
		case FIND:
			fd = find(&packet.r, packet.text, nr ? fds[0] : -1);
			a.err = fd < 0 ? -errno : 0;
			break;
		case TYPE:
			a.err = nr && !fstatfs(fds[0], &fs) ? 0 : -errno;
			a.type = wp_fstype_of(&fs);
			break;
		case BACKING:
			fd = wp_disk_backing(packet.r.loop);
			a.err = fd < 0 ? -errno : 0;
			break;
		default:
			if (nr)
				send_on(fds, nr, &(struct iovec){ packet.text, n });
			break;
		}
		a.what = packet.r.what;
		iov = (struct iovec){ &a, sizeof(a) };
		if (a.what != SEND && !wp_zygote_send(SOCK, &iov, 1, &fd, fd >= 0, 0))
			_exit(0);
		if (fd >= 0)
			close(fd);
		while (nr)
			close(fds[--nr]);
	}
}

/* Main loop of the nursery. */
static void __attribute__((noreturn)) be_nursery(int sock)
{
	pid_t me, pid;
	unsigned int nr;
	int fds[WP_JOB_FDS];
	char c;

	prctl(PR_SET_NAME, "wallprof-opens", 0, 0, 0);
	/* Openers are not waited for. */
	signal(SIGCHLD, SIG_IGN);
	if ((sock != SOCK && dup2(sock, SOCK) < 0) || wp_confine_descriptors(SOCK))
		_exit(1);
	me = getpid();
	while (wp_zygote_receive(SOCK, &c, 1, fds, &nr) == 1 && nr == 1) {
		pid = fork();
		if (!pid)
			serve(fds[0], me);
		close(fds[0]);
		if (send(SOCK, &pid, sizeof(pid), MSG_NOSIGNAL) != sizeof(pid))
			break;
	}
	_exit(0);
}

/* Caller holds the lock, as in all that follow. */
static void forget_nursery(void)
{
	if (o.to_nursery >= 0)
		close(o.to_nursery);
	o.to_nursery = -1;
	if (o.nursery > 0) {
		kill(o.nursery, SIGKILL);
		while (waitpid(o.nursery, NULL, 0) < 0 && errno == EINTR)
			;
	}
	o.nursery = 0;
}

static int begin_nursery(void)
{
	int socks[2];

	if (o.nursery > 0)
		return 0;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, socks))
		return -errno;
	o.nursery = fork();
	if (!o.nursery)
		be_nursery(socks[1]);
	close(socks[1]);
	o.to_nursery = socks[0];
	if (o.nursery > 0)
		return 0;
	forget_nursery();
	return -EAGAIN;
}

static int begin_opener(void)
{
	struct iovec iov = { "", 1 };
	int socks[2], err, tries;
	unsigned int nr;
	pid_t pid = -1;

	if (o.sock >= 0)
		return 0;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, socks))
		return -errno;
	for (tries = 0; tries < 2 && pid <= 0; tries++) {
		err = begin_nursery();
		if (err)
			break;
		if (!wp_zygote_send(o.to_nursery, &iov, 1, &socks[1], 1, 0) ||
		    wp_zygote_receive(o.to_nursery, &pid, sizeof(pid), NULL, &nr) !=
		    sizeof(pid)) {
			forget_nursery();
			pid = -1;
		}
	}
	close(socks[1]);
	if (pid <= 0) {
		close(socks[0]);
		return -EAGAIN;
	}
	o.sock = socks[0];
	o.pid = pid;
	o.ours[o.nr_ours++ % (MAX_SILENT + 2)] = pid;
	return 0;
}

static void forget_opener(void)
{
	if (o.sock >= 0)
		close(o.sock);
	o.sock = -1;
	o.closing = false;
}

/* Abandon the opener; its current file system is silent. */
static void leave_opener(void)
{
	struct silent *s;

	/* At the limit the oldest is no longer watched; its file system stays silent. */
	if (o.nr_silent == MAX_SILENT) {
		forget_opener();
		return;
	}
	s = &o.silent[o.nr_silent++];
	*s = (struct silent){ .dev = o.at, .is_known = o.at_known, .sock = o.sock };
	o.sock = -1;
	o.closing = false;
}

/* Abandoned openers may have come back: their file systems are no longer silent. */
static void look_at_silent(void)
{
	unsigned int i;

	for (i = 0; i < o.nr_silent;) {
		struct pollfd in = { .fd = o.silent[i].sock, .events = POLLIN };

		if (poll(&in, 1, 0) <= 0) {
			i++;
			continue;
		}
		close(o.silent[i].sock);
		o.silent[i] = o.silent[--o.nr_silent];
	}
}

static bool is_good(dev_t dev)
{
	unsigned int i;

	for (i = 0; i < o.nr_good; i++) {
		if (o.good[i] == dev)
			return true;
	}
	return false;
}

static void add_good(dev_t dev)
{
	if (!wp_disk_is(dev) && !is_good(dev) && o.nr_good < MAX_GOOD)
		o.good[o.nr_good++] = dev;
}

/* File systems to avoid. */
static void fill_avoid(struct wp_lookup_avoid *avoid)
{
	unsigned int i;

	memset(avoid, 0, sizeof(*avoid));
	for (i = 0; i < o.nr_silent; i++) {
		if (o.silent[i].is_known)
			avoid->silent[avoid->nr_silent++] = o.silent[i].dev;
	}
	avoid->only_good = o.nr_silent == MAX_SILENT;
	memcpy(avoid->good, o.good, sizeof(o.good));
	avoid->nr_good = o.nr_good;
}

static bool is_avoided(dev_t dev)
{
	struct wp_lookup_avoid avoid;

	look_at_silent();
	fill_avoid(&avoid);
	return wp_lookup_avoids(&avoid, dev);
}

static unsigned int patience(void)
{
	unsigned int ms = hurry ? HURRY_MS : recording ? RECORDING_MS : PATIENCE_MS;

	ms >>= o.nr_silent < 8 ? o.nr_silent : 8;
	return ms > HURRY_MS ? ms : HURRY_MS;
}

/* Wait for an answer; -ETIMEDOUT: the opener is blocked. */
static int receive(struct answer *a, int *fd)
{
	struct wp_ownthread state = { .pid = o.pid, .tid = o.pid, .ran = ~0ULL };
	struct pollfd in = { .fd = o.sock, .events = POLLIN };
	__u64 begun = wp_clock_now();
	int fds[WP_JOB_FDS];
	unsigned int looks = 0, nr;

	if (clock_getcpuclockid(o.pid, &state.clock))
		return -EPIPE;
	for (;;) {
		if (poll(&in, 1, LOOK_MS) > 0) {
			if (wp_zygote_receive(o.sock, a, sizeof(*a), fds, &nr) != sizeof(*a))
				return -EPIPE;
			*fd = nr ? fds[0] : -1;
			if (a->what != AT)
				return 0;
			o.at = a->dev;
			o.at_known = true;
			looks = 0;
			continue;
		}
		/* Always wait for a disk. */
		if (!o.at_known || !wp_disk_is(o.at))
			looks = wp_ownthread_is_blocked(&state, "DS") ? looks + 1 : 0;
		if (looks * LOOK_MS >= patience() || wp_clock_now() - begun > PATIENCE_MAX_NS)
			return -ETIMEDOUT;
	}
}

/* Wait until the files of the previous request are closed. */
static void wait_for_close(void)
{
	dev_t at = o.at;
	bool known = o.at_known;
	struct answer a;
	int fd, err;

	if (o.sock < 0 || !o.closing)
		return;
	o.at = o.closing_at;
	o.at_known = true;
	err = receive(&a, &fd);
	o.closing = false;
	if (err == -ETIMEDOUT)
		leave_opener();
	else if (err)
		forget_opener();
	o.at = at;
	o.at_known = known;
}

/* Send a request to an opener, a new one if necessary. */
static int ask(struct request *r, const void *text, size_t size, const int *fds,
	       unsigned int nr, struct answer *a, int *fd)
{
	const struct iovec iov[] = { { r, sizeof(*r) }, { (void *)text, size } };
	int tries, err = -EPIPE;

	wait_for_close();
	look_at_silent();
	fill_avoid(&r->avoid);
	for (tries = 0; tries < 2 && err == -EPIPE; tries++) {
		err = begin_opener();
		if (err)
			return err;
		if (wp_zygote_send(o.sock, iov, 2, fds, nr, 0))
			err = receive(a, fd);
		else
			err = -EPIPE;
		if (err == -EPIPE)
			forget_opener();
	}
	if (err == -ETIMEDOUT)
		leave_opener();
	if (!err && r->what == SEND) {
		o.closing = true;
		o.closing_at = o.at;
	}
	return err ? err : a->err;
}

/**
 * wp_opener_prepare() - fork the nursery
 *
 * Must be called early: openers inherit a copy of the memory at this time.
 *
 * Return: 0 or a negative errno.
 */
int wp_opener_prepare(void)
{
	int err;

	pthread_mutex_lock(&o.lock);
	err = begin_nursery();
	pthread_mutex_unlock(&o.lock);
	return err;
}

/**
 * wp_opener_end() - end all openers, without waiting
 */
void wp_opener_end(void)
{
	pthread_mutex_lock(&o.lock);
	forget_opener();
	while (o.nr_silent)
		close(o.silent[--o.nr_silent].sock);
	forget_nursery();
	pthread_mutex_unlock(&o.lock);
}

/**
 * wp_opener_find() - look up a path
 * @root: descriptor of its root, as for wp_openfile_in(); or WP_OPENER_PLAIN
 * @path: the path
 * @nofollow: for PLAIN: do not follow a link at the end
 *
 * Return: an O_PATH descriptor, or a negative errno; -ETIMEDOUT: it is on a file system
 * that does not answer.
 */
int wp_opener_find(int root, const char *path, bool nofollow)
{
	struct request r = {
		.what = FIND, .flags = nofollow ? O_NOFOLLOW : 0, .plain = root < 0,
	};
	struct answer a;
	int fd = -1, err;

	if (strlen(path) > WP_JOB_TEXT)
		return -ENAMETOOLONG;
	pthread_mutex_lock(&o.lock);
	o.at_known = false;
	err = ask(&r, path, strlen(path), &root, root >= 0, &a, &fd);
	pthread_mutex_unlock(&o.lock);
	return err ? err : fd;
}

/**
 * wp_opener_type() - read the type of a file system
 * @place: an O_PATH descriptor of a file in it
 * @dev: its device
 * @type: set to the type
 *
 * Return: 0, or a negative errno as above.
 */
int wp_opener_type(int place, dev_t dev, enum wp_fstype *type)
{
	struct request r = { .what = TYPE };
	struct answer a;
	int fd = -1, err;

	pthread_mutex_lock(&o.lock);
	o.at = dev;
	o.at_known = true;
	err = is_avoided(dev) ? -ETIMEDOUT : ask(&r, NULL, 0, &place, 1, &a, &fd);
	if (!err)
		add_good(dev);
	pthread_mutex_unlock(&o.lock);
	*type = err ? WP_FSTYPE_KERNEL : a.type;
	return err;
}

/**
 * wp_opener_backing() - find the file of a loop device
 * @loop: the device
 *
 * Return: an O_PATH descriptor, or a negative errno: it is not known, or as above.
 */
int wp_opener_backing(dev_t loop)
{
	struct request r = { .what = BACKING, .loop = loop };
	struct answer a;
	int fd = -1, err;

	pthread_mutex_lock(&o.lock);
	o.at = loop;
	o.at_known = true;
	err = is_avoided(loop) ? -ETIMEDOUT : ask(&r, NULL, 0, NULL, 0, &a, &fd);
	pthread_mutex_unlock(&o.lock);
	return err ? err : fd;
}

/**
 * wp_opener_send() - open files, and send them to their reader
 * @sock: socket of the reader
 * @iov: the packet that they belong to, in two pieces
 * @fds: the files; O_PATH ones are opened
 * @devs: their devices
 * @nr: their number, below WP_JOB_FDS
 *
 * Return: 0; -EPIPE: it could not be sent; another negative errno, of opening.
 */
int wp_opener_send(int sock, const struct iovec *iov, const int *fds, const dev_t *devs,
		   unsigned int nr)
{
	char text[sizeof(struct wp_job_head) + WP_JOB_TEXT];
	struct request r = { .what = SEND };
	int all[WP_JOB_FDS] = { sock }, fd = -1, err = 0;
	struct answer a;
	unsigned int i;

	if (nr >= WP_JOB_FDS || iov[0].iov_len + iov[1].iov_len > sizeof(text))
		return -EINVAL;
	memcpy(text, iov[0].iov_base, iov[0].iov_len);
	if (iov[1].iov_len)
		memcpy(text + iov[0].iov_len, iov[1].iov_base, iov[1].iov_len);
	pthread_mutex_lock(&o.lock);
	for (i = 0; i < nr; i++) {
		all[1 + i] = fds[i];
		o.at = devs[i];
		o.at_known = true;
		if (is_avoided(devs[i]))
			err = -ETIMEDOUT;
	}
	if (!err)
		err = ask(&r, text, iov[0].iov_len + iov[1].iov_len, all, 1 + nr, &a, &fd);
	pthread_mutex_unlock(&o.lock);
	return err;
}

/**
 * wp_opener_recording() - use shorter timeouts from now on: something is being recorded
 */
void wp_opener_recording(void)
{
	recording = 1;
}

/**
 * wp_opener_hurry() - use very short timeouts from now on: the end was requested
 *
 * Safe in a signal handler.
 */
void wp_opener_hurry(void)
{
	hurry = 1;
}

/**
 * wp_opener_hurries() - whether the end was requested
 */
bool wp_opener_hurries(void)
{
	return hurry;
}

/**
 * wp_opener_patience() - how long the reader of a file may be blocked
 *
 * Return: milliseconds.
 */
unsigned int wp_opener_patience(void)
{
	return hurry ? HURRY_MS : recording ? RECORDING_MS : PATIENCE_MS;
}

/**
 * wp_opener_is_ours() - whether a process is one of these
 * @pid: the process
 */
bool wp_opener_is_ours(pid_t pid)
{
	unsigned int i;
	bool ours;

	pthread_mutex_lock(&o.lock);
	ours = pid == o.nursery;
	for (i = 0; i < o.nr_ours && i < MAX_SILENT + 2; i++)
		ours |= pid == o.ours[i];
	pthread_mutex_unlock(&o.lock);
	return ours;
}
