// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the process that sends profiles and metrics, as its parent sees it. The network, and
 * what answers there, are for that process, which has no rights. Profiles that it cannot
 * deliver are counted here, as time, and the next window has it. Metrics are counted as
 * messages: the next one makes up for one that is lost.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/agent/outbox.h"
#include "lib/base/bytes.h"
#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/base/fullio.h"
#include "lib/base/gzip.h"
#include "lib/base/text.h"
#include "lib/sandbox/zygote.h"

/* It has to load a library, and answers. */
#define READY_MS	10000

/* After its own limit it has this long to reply. */
#define LATE_MS		1000

/**
 * wp_outbox_outcome_name() - name of an outcome
 * @outcome: the outcome, below WP_OUTBOX_OUTCOMES
 */
const char *wp_outbox_outcome_name(enum wp_outbox_outcome outcome)
{
	static const char *const name[] = {
		[WP_OUTBOX_SENT] = "sent",
		[WP_OUTBOX_REFUSED] = "refused by the receiver",
		[WP_OUTBOX_NO_ROOM] = "no room in the queue",
		[WP_OUTBOX_ENDED] = "the agent ended",
		[WP_OUTBOX_BROKEN] = "the sending process died",
		[WP_OUTBOX_SPOOL_FULL] = "no room in the spool",
		[WP_OUTBOX_UNREADABLE] = "the spool cannot be read",
		[WP_OUTBOX_SPOOLED] = "in the spool",
	};

	return name[outcome];
}

const struct wp_outbox_kind wp_outbox_kinds[WP_SPOOL_KINDS] = {
	[WP_SPOOL_PROFILES] = { "otlp", "application/x-protobuf", true },
	[WP_SPOOL_METRICS] = { NULL, "application/x-protobuf", true },
	[WP_SPOOL_PYROSCOPE] = { "pyroscope", "application/proto", true },
	[WP_SPOOL_PARCA] = { "parca", "application/json", false },
};

/**
 * wp_outbox_is_profiles() - whether messages of a kind have profiles
 * @kind: the kind
 */
bool wp_outbox_is_profiles(enum wp_spool_kind kind)
{
	return wp_outbox_kinds[kind].format;
}

static const char *shown_of(const struct wp_outbox *b, enum wp_spool_kind kind)
{
	return kind == WP_SPOOL_METRICS && b->o.metrics_shown ? b->o.metrics_shown : b->o.shown;
}

static const char *name_of(enum wp_spool_kind kind)
{
	return kind == WP_SPOOL_METRICS ? "metrics" : "profiles";
}

static void count_metrics(struct wp_outbox *b, enum wp_outbox_outcome outcome, __u64 nr)
{
	b->metrics[outcome] += nr;
	if (outcome == WP_OUTBOX_SENT)
		b->unsent = 0;
	else if (outcome != WP_OUTBOX_SPOOLED)
		b->unsent += nr;
}

static void count(struct wp_outbox *b, enum wp_outbox_outcome outcome, __u64 windows, __u64 ns)
{
	b->all[outcome].windows += windows;
	b->all[outcome].ns += ns;
	if (outcome == WP_OUTBOX_SENT || outcome == WP_OUTBOX_SPOOLED)
		return;
	b->loss[outcome].windows += windows;
	b->loss[outcome].ns += ns;
}

/* Kills it, if it has not ended, and reaps it. */
static void end_process(struct wp_outbox *b)
{
	unsigned int i;

	close(b->sock);
	b->sock = -1;
	kill(b->pid, SIGKILL);
	/* One that waits for a dead disk cannot end: it is left to itself. */
	for (i = 0; i < LATE_MS && !waitpid(b->pid, NULL, WNOHANG); i++)
		poll(NULL, 0, 1);
	b->pid = 0;
}

/* What it had is lost. */
static void count_broken(struct wp_outbox *b)
{
	__u64 windows = 0;
	unsigned int i;

	for (i = 0; i < WP_SPOOL_KINDS; i++)
		windows += wp_outbox_is_profiles(i) ? b->nr_outstanding[i] : 0;
	if (windows)
		count(b, WP_OUTBOX_BROKEN, windows, b->outstanding);
	count_metrics(b, WP_OUTBOX_BROKEN, b->nr_outstanding[WP_SPOOL_METRICS]);
	memset(b->nr_outstanding, 0, sizeof(b->nr_outstanding));
	b->outstanding = 0;
}

static void reap(struct wp_outbox *b)
{
	end_process(b);
	count_broken(b);
}

/* Of answers with the same status, what else they have may be of the one message only. */
static bool is_same_trouble(const char *a, const char *b)
{
	size_t len = strncmp(a, "HTTP status ", 12) ? strlen(a) + 1 : strcspn(a, ":");

	return !strncmp(a, b, len) && (a[len - 1] == 0 || !b[len] || b[len] == ':');
}

/* Prints a change, not each of many failures. */
static void print_trouble(struct wp_outbox *b, const struct wp_outbox_reply *r)
{
	enum wp_spool_kind kind = r->kind;
	char *refused = b->refused[kind];

	if (r->outcome == WP_OUTBOX_WAITS && !b->waits[kind])
		wp_warn("%s: %s: it is tried again; up to %llu MB wait%s%s",
			shown_of(b, kind), r->text,
			(unsigned long long)((b->o.spool ? b->o.limits.bytes : b->o.queue) >> 20),
			b->o.spool ? " in " : "", b->o.spool ? b->o.spool : "");
	else if (r->outcome == WP_OUTBOX_UNREADABLE)
		wp_warn("%s: %s", b->o.spool, r->text);
	else if (r->outcome == WP_OUTBOX_REFUSED && !is_same_trouble(r->text, refused) &&
		 wp_outbox_is_profiles(kind))
		wp_warn("%s: %s: %.3f s of time are lost", b->o.shown, r->text, r->ns / 1e9);
	else if (r->outcome == WP_OUTBOX_REFUSED && !is_same_trouble(r->text, refused))
		wp_warn("%s: %s: it does not take the metrics", shown_of(b, kind), r->text);
	else if (r->outcome == WP_OUTBOX_SENT && b->waits[kind])
		wp_warn("%s: it takes %s again", shown_of(b, kind), name_of(kind));
	if (r->outcome == WP_OUTBOX_REFUSED)
		memcpy(refused, r->text, sizeof(r->text));
	else if (r->outcome == WP_OUTBOX_SENT)
		*refused = 0;
	if (r->outcome == WP_OUTBOX_WAITS || r->outcome == WP_OUTBOX_SENT)
		b->waits[kind] = r->outcome == WP_OUTBOX_WAITS;
}

static void take_reply(struct wp_outbox *b, struct wp_outbox_reply *r)
{
	r->text[sizeof(r->text) - 1] = 0;
	if (r->kind >= WP_SPOOL_KINDS)
		return;
	print_trouble(b, r);
	if (b->o.spool)
		b->waiting = r->waiting;
	/* It has no more than what it was given, whatever it says; or what was there before. */
	if (r->outcome >= WP_OUTBOX_OUTCOMES ||
	    (!r->spooled && (!b->nr_outstanding[r->kind] || r->ns > b->outstanding)))
		return;
	if (!r->spooled) {
		b->nr_outstanding[r->kind]--;
		b->outstanding -= r->ns;
	}
	if (r->outcome == WP_OUTBOX_SENT)
		b->bytes += r->bytes;
	if (r->kind == WP_SPOOL_METRICS)
		count_metrics(b, r->outcome, 1);
	else
		count(b, r->outcome, 1, r->ns);
}

/* Reads one reply. Returns 1, 0: there is none now, or -EPIPE: there is no process. */
static int read_reply(struct wp_outbox *b, struct wp_outbox_reply *r)
{
	ssize_t n;

	do {
		n = recv(b->sock, r, sizeof(*r), MSG_DONTWAIT);
	} while (n < 0 && errno == EINTR);
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		return 0;
	return n == sizeof(*r) ? 1 : -EPIPE;
}

/* Waits for a reply; returns as read_reply() does. */
static int wait_reply(struct wp_outbox *b, struct wp_outbox_reply *r, __u64 until)
{
	struct pollfd p = { .fd = b->sock, .events = POLLIN };
	__u64 now = wp_clock_now();

	/* A signal that came before is no reason not to wait. */
	while (now < until) {
		if (poll(&p, 1, (until - now) / 1000000 + 1) >= 0 || errno != EINTR)
			break;
		now = wp_clock_now();
	}
	return read_reply(b, r);
}

/* Opens the directory of the spool, which the process must be able to write. */
static int open_spool_in(int parent, const char *name)
{
	bool is_new = !mkdirat(parent, name, 0700);
	struct stat st;
	int fd;

	if (!is_new && errno != EEXIST)
		return -errno;
	fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	/* One that somebody else has put there is not given away. */
	if (!fstat(fd, &st) &&
	    (geteuid() || (!is_new && st.st_uid == WP_OUTBOX_UID) ||
	     (is_new && !st.st_uid && !fchown(fd, WP_OUTBOX_UID, -1))))
		return fd;
	close(fd);
	return -EPERM;
}

/* Whether it could be opened, or made, without doing so. Returns 0 or a negative errno. */
static int check_spool_in(int parent, const char *name)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), err = 0;
	bool others = fd >= 0 && !geteuid();
	struct stat st;

	if (fd < 0 && errno != ENOENT)
		return -errno;
	if (faccessat(fd < 0 ? parent : fd, ".", W_OK | X_OK, AT_EACCESS))
		err = -errno;
	/* Not this process writes there. Root without CAP_DAC_OVERRIDE could not. */
	if (others && (!err || err == -EACCES)) {
		err = 0;
		if (fstat(fd, &st) || st.st_uid != WP_OUTBOX_UID)
			err = -EPERM;
		else if ((st.st_mode & 0300) != 0300)
			err = -EACCES;
	}
	if (fd >= 0)
		close(fd);
	return err;
}

/*
 * Calls a function for a directory. The one that it is in is opened once: others may be able
 * to replace it. Returns what that function does, or a negative errno.
 */
static int in_parent(const char *path, int (*call)(int parent, const char *name))
{
	char *copy = strdup(path), *slash;
	const char *name;
	int parent, ret;

	if (!copy)
		return -ENOMEM;
	for (slash = copy + strlen(copy); slash > copy + 1 && slash[-1] == '/';)
		*--slash = 0;
	slash = strrchr(copy, '/');
	name = slash ? slash + 1 : copy;
	if (slash)
		*slash = 0;
	parent = open(!slash ? "." : *copy ? copy : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ret = parent < 0 ? -errno : call(parent, name);
	if (parent >= 0)
		close(parent);
	free(copy);
	return ret;
}

static const char *spool_trouble(int err)
{
	return err == -EPERM ? "it is not of user nobody, who sends: name one that is to be made" :
			       strerror(-err);
}

/**
 * wp_outbox_check_spool() - whether a directory can be that of the spool
 * @path: its path
 * @trouble: set to what is wrong
 *
 * Nothing is made or changed, and another agent that has it is not noticed.
 *
 * Return: 0 or a negative errno.
 */
int wp_outbox_check_spool(const char *path, const char **trouble)
{
	int err = in_parent(path, check_spool_in);

	*trouble = spool_trouble(err);
	return err;
}

static int pass_spool(struct wp_outbox *b)
{
	const struct wp_outbox_post post = { .seq = 0 };
	const struct iovec iov = { .iov_base = (void *)&post, .iov_len = sizeof(post) };
	int fd = in_parent(b->o.spool, open_spool_in), err = 0;

	if (fd < 0) {
		wp_err("--spool: %s: %s", b->o.spool, spool_trouble(fd));
		return fd;
	}
	if (!wp_zygote_send(b->sock, &iov, 1, &fd, 1, 0)) {
		err = -errno;
		wp_err("the sending process: %s", strerror(errno));
	}
	close(fd);
	return err;
}

/**
 * wp_outbox_open() - start the process that sends
 * @b: what to use is set
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_outbox_open(struct wp_outbox *b)
{
	struct wp_outbox_reply r = { .text = "it does not answer" };
	int sock[2], ret;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sock)) {
		wp_err("socketpair: %s", strerror(errno));
		return -errno;
	}
	b->pid = fork();
	if (!b->pid) {
		close(sock[0]);
		wp_sender_run(sock[1], &b->o);
	}
	close(sock[1]);
	if (b->pid < 0) {
		ret = -errno;
		b->pid = 0;
		close(sock[0]);
		wp_err("could not fork: %s", strerror(-ret));
		return ret;
	}
	b->sock = sock[0];
	memset(b->waits, 0, sizeof(b->waits));
	if (b->o.spool) {
		ret = pass_spool(b);
		if (ret) {
			reap(b);
			return ret;
		}
	}
	ret = wait_reply(b, &r, wp_clock_now() + READY_MS * 1000000ULL);
	if (ret == 1 && r.outcome == WP_OUTBOX_READY)
		return 0;
	r.text[sizeof(r.text) - 1] = 0;
	wp_err("the sending process: %s", r.text);
	reap(b);
	return -EIO;
}

/* A memory file with bytes; returns its descriptor, or a negative errno. */
static int make_file(const void *data, size_t size)
{
	int fd = memfd_create("wallprof", MFD_CLOEXEC);
	int ret = fd < 0 ? -errno : wp_pwrite_all(fd, data, size, 0);

	if (ret && fd >= 0)
		close(fd);
	return ret ? ret : fd;
}

/* The same with what is sent of a message; its size is set. */
static int message_file(enum wp_spool_kind kind, const void *message, size_t size, __u64 *bytes)
{
	struct wp_buf small = { 0 };
	int ret;

	*bytes = size;
	if (!wp_outbox_kinds[kind].compressed)
		return make_file(message, size);
	ret = wp_gzip(message, size, &small);
	*bytes = small.len;
	if (!ret)
		ret = make_file(small.data, small.len);
	wp_buf_free(&small);
	return ret;
}

/* A message as it is sent. Returns 0 or a negative errno. */
static int post_file(struct wp_outbox *b, const struct wp_outbox_post *post, int fd)
{
	const struct iovec iov = { .iov_base = (void *)post, .iov_len = sizeof(*post) };

	if (!b->pid)
		return -EPIPE;
	if (!wp_zygote_send(b->sock, &iov, 1, &fd, 1, MSG_DONTWAIT))
		return errno == ECONNRESET ? -EPIPE : -errno;
	b->nr_outstanding[post->kind]++;
	b->outstanding += post->ns;
	return 0;
}

/* A message that the process does not get. */
static void count_failed(struct wp_outbox *b, const struct wp_outbox_post *post, int err)
{
	enum wp_outbox_outcome outcome = err == -EPIPE ? WP_OUTBOX_BROKEN : WP_OUTBOX_NO_ROOM;

	if (post->kind == WP_SPOOL_METRICS)
		count_metrics(b, outcome, 1);
	else
		count(b, outcome, 1, post->ns);
}

/**
 * wp_outbox_post() - send a message, or count it as lost
 * @b: the process
 * @kind: what it has
 * @message: the message
 * @size: its size
 * @ns: time in it; of metrics 0
 *
 * Never waits.
 *
 * Return: 0, or a negative errno: there is no process any more.
 */
int wp_outbox_post(struct wp_outbox *b, enum wp_spool_kind kind, const void *message, size_t size,
		   __u64 ns)
{
	struct wp_outbox_post post = { .seq = ++b->seq, .ns = ns, .kind = kind };
	int fd = message_file(kind, message, size, &post.bytes), err = fd < 0 ? fd : 0;

	if (!err) {
		err = post_file(b, &post, fd);
		close(fd);
	}
	/* What was counted as lost until now is in it. */
	if (wp_outbox_is_profiles(kind))
		memset(b->loss, 0, sizeof(b->loss));
	if (err)
		count_failed(b, &post, err);
	return err == -EPIPE ? -EPIPE : 0;
}

/**
 * wp_outbox_take() - read what became of windows, and start a process that died again
 * @b: the process
 *
 * If it cannot be started, windows are lost until it can be: the next call tries again.
 */
void wp_outbox_take(struct wp_outbox *b)
{
	struct wp_outbox_reply r;
	int ret;

	do {
		ret = b->pid ? read_reply(b, &r) : -EPIPE;
		if (ret > 0)
			take_reply(b, &r);
	} while (ret > 0);
	if (!ret)
		return;
	if (b->pid)
		reap(b);
	wp_warn("the sending process died: it is started again");
	wp_outbox_open(b);
}

static void print_waiting(const struct wp_outbox *b)
{
	if (b->waiting)
		wp_warn("%llu window%s in %s for the next start", (unsigned long long)b->waiting,
			b->waiting == 1 ? " waits" : "s wait", b->o.spool);
}

/* Its last replies, until it ends, or for the time that this may take. */
static void take_last(struct wp_outbox *b)
{
	__u64 until = wp_clock_now() + (b->o.end_ms + LATE_MS) * 1000000ULL;
	struct wp_outbox_reply r;
	int ret = 1;

	shutdown(b->sock, SHUT_WR);
	while (ret > 0) {
		ret = wait_reply(b, &r, until);
		if (ret > 0)
			take_reply(b, &r);
	}
}

/* The next message of a file of those that were not sent, or NULL: there is none. */
static const void *next_left(struct wp_bytes *file, struct wp_outbox_post *post)
{
	const void *head = wp_bytes_take(file, sizeof(*post));

	if (!head)
		return NULL;
	memcpy(post, head, sizeof(*post));
	if (post->kind >= WP_SPOOL_KINDS || !post->bytes ||
	    (post->kind == WP_SPOOL_METRICS && post->ns))
		return NULL;
	return wp_bytes_take(file, post->bytes);
}

/* It has no more than what it was given, whatever it leaves. */
static void count_left(struct wp_outbox *b, struct wp_outbox_left *left, const __u8 *data,
		       size_t size)
{
	struct wp_bytes file = { .p = data, .end = data + size };
	struct wp_outbox_post post;

	while (next_left(&file, &post) && b->nr_outstanding[post.kind] &&
	       post.ns <= b->outstanding) {
		b->nr_outstanding[post.kind]--;
		b->outstanding -= post.ns;
		left->bytes = file.p - data;
		left->windows += wp_outbox_is_profiles(post.kind);
		left->ns += post.ns;
	}
}

/* The process has ended; if it has not, the file cannot be sealed. */
static void read_left(struct wp_outbox *b, struct wp_outbox_left *left)
{
	struct stat st;
	void *data;

	if (fcntl(left->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) ||
	    fstat(left->fd, &st) || !st.st_size)
		return;
	data = mmap(NULL, st.st_size, PROT_READ, MAP_SHARED, left->fd, 0);
	if (data == MAP_FAILED)
		return;
	count_left(b, left, data, st.st_size);
	munmap(data, st.st_size);
}

/**
 * wp_outbox_leave() - end the process as soon as it is in no request
 * @b: the process, in any state
 * @left: set to what it has not sent, which wp_outbox_restore() takes
 *
 * What is neither sent nor left is counted as lost.
 */
void wp_outbox_leave(struct wp_outbox *b, struct wp_outbox_left *left)
{
	const struct wp_outbox_post post = { .seq = 0 };
	const struct iovec iov = { .iov_base = (void *)&post, .iov_len = sizeof(post) };

	*left = (struct wp_outbox_left){ .fd = -1 };
	if (!b->pid)
		return;
	left->fd = memfd_create("wallprof", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (left->fd >= 0 && !wp_zygote_send(b->sock, &iov, 1, &left->fd, 1, MSG_DONTWAIT))
		wp_debug("the sending process: %s", strerror(errno));
	take_last(b);
	end_process(b);
	if (left->fd >= 0)
		read_left(b, left);
	count_broken(b);
	print_waiting(b);
}

/* Posts a message again. The process may not read as fast. */
static int post_left(struct wp_outbox *b, const struct wp_outbox_post *post, const void *data)
{
	__u64 until = wp_clock_now() + READY_MS * 1000000ULL;
	struct pollfd p = { .events = POLLIN };
	int fd = make_file(data, post->bytes), err;

	if (fd < 0)
		return fd;
	err = post_file(b, post, fd);
	while ((err == -EAGAIN || err == -ETOOMANYREFS) && wp_clock_now() < until) {
		p.fd = b->sock;
		poll(&p, 1, 10);
		wp_outbox_take(b);
		err = post_file(b, post, fd);
	}
	close(fd);
	return err;
}

/**
 * wp_outbox_restore() - send what an earlier process has left
 * @b: the process
 * @data: what it left
 * @size: its size
 *
 * What the process does not get is counted as lost.
 *
 * Return: 0 or -EINVAL: it is malformed, from some place on.
 */
int wp_outbox_restore(struct wp_outbox *b, const void *data, size_t size)
{
	const __u8 *from = data;
	struct wp_bytes file = { .p = from, .end = from + size };
	struct wp_outbox_post post;
	const void *message;
	int err;

	while (wp_bytes_left(&file)) {
		message = next_left(&file, &post);
		if (!message)
			return -EINVAL;
		post.seq = ++b->seq;
		err = post_left(b, &post, message);
		if (err)
			count_failed(b, &post, err);
	}
	return 0;
}

/**
 * wp_outbox_close() - wait until all is sent, or for the time that this may take
 * @b: the process, in any state
 *
 * Return: 0, or -EIO: something was not sent; a message was printed.
 */
int wp_outbox_close(struct wp_outbox *b)
{
	struct wp_outbox_loss left = { 0 };
	unsigned int i;

	if (!b->pid)
		return 0;
	take_last(b);
	reap(b);
	print_waiting(b);
	for (i = 0; i < WP_OUTBOX_OUTCOMES; i++) {
		left.windows += b->loss[i].windows;
		left.ns += b->loss[i].ns;
	}
	if (left.windows)
		wp_err("%llu window%s with %.3f s of time %s not sent to %s",
		       (unsigned long long)left.windows, wp_plural(left.windows), left.ns / 1e9,
		       left.windows == 1 ? "was" : "were", b->o.shown);
	if (b->unsent == 1)
		wp_err("the last message of metrics was not sent to %s",
		       shown_of(b, WP_SPOOL_METRICS));
	else if (b->unsent)
		wp_err("the last %llu messages of metrics were not sent to %s",
		       (unsigned long long)b->unsent, shown_of(b, WP_SPOOL_METRICS));
	return left.windows || b->unsent ? -EIO : 0;
}
