// SPDX-License-Identifier: GPL-2.0
/*
 * The process that sends profiles and metrics: a queue in memory, and one request at a time.
 * It has no rights: neither those of root nor a descriptor of the recording.
 *
 * A message that the receiver does not take now (no answer; 429, 502, 503, 504) is tried
 * again, after a time that doubles and is partly random, or that the receiver asks for.
 * One that it refuses is lost, as is the oldest one when the queue is full. The parent
 * gets a reply for each.
 *
 * With a spool, messages that wait are on disk: those in the queue follow those in the spool,
 * which are sent first, and go there as soon as one has to wait. What cannot be written there
 * stays in the queue.
 *
 * When the agent reads its configuration again, the process ends after the request that it is
 * in, and leaves its queue in a file, for the next one.
 */
#include <errno.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/agent/answer.h"
#include "cmd/agent/http.h"
#include "cmd/agent/outbox.h"
#include "lib/base/clock.h"
#include "lib/base/fullio.h"
#include "lib/base/text.h"
#include "lib/sandbox/confine.h"
#include "lib/sandbox/job.h"
#include "lib/sandbox/zygote.h"

/* The wait before the next try: the first one, and the longest. */
#define FIRST_MS	1000
#define MOST_MS		60000

/* A receiver may ask for so much, seconds. */
#define MOST_RETRY_AFTER	600

/* A window larger than this is not sent. */
#define MAX_BYTES	(1ULL << 30)

/**
 * struct entry - a message in the queue
 * @post: what it is
 * @data: its message, mapped
 * @next: the next newer one
 */
struct entry {
	struct wp_outbox_post post;
	void *data;
	struct entry *next;
};

/**
 * struct sender - the process
 * @o: where to send, and how
 * @sock: socket to the parent
 * @http: the requests
 * @first: the oldest message
 * @last: the newest
 * @bytes: in the queue
 * @busy: the oldest one is being sent
 * @spool: messages on disk, or NULL
 * @spooled: @busy is of the oldest one there
 * @kind: of what is being sent
 * @data: its message, mapped; or NULL
 * @data_size: its size
 * @left: file for what is not sent at the end, or -1
 * @ended: no more will come
 * @end: then, when to give up, ns of CLOCK_MONOTONIC
 * @wait_ms: the last wait before a try
 * @not_before: time of the next try
 */
struct sender {
	const struct wp_outbox_options *o;
	int sock;
	struct wp_http *http;
	struct entry *first;
	struct entry *last;
	__u64 bytes;
	bool busy;
	struct wp_spool *spool;
	bool spooled;
	enum wp_spool_kind kind;
	void *data;
	size_t data_size;
	int left;
	bool ended;
	__u64 end;
	unsigned int wait_ms;
	__u64 not_before;
};

/* The parent reads all; if it is gone, nobody asks. */
static void send_reply(const struct sender *s, const struct wp_outbox_reply *r)
{
	while (send(s->sock, r, sizeof(*r), MSG_NOSIGNAL) < 0 && errno == EINTR)
		;
}

static __u64 waiting(const struct sender *s)
{
	__u64 nr = 0;
	unsigned int i;

	for (i = 0; s->spool && i < WP_SPOOL_KINDS; i++)
		nr += wp_outbox_is_profiles(i) ? wp_spool_nr_of(s->spool, i) : 0;
	return nr;
}

static void reply(const struct sender *s, const struct wp_outbox_post *post,
		  enum wp_outbox_outcome outcome, const char *text)
{
	struct wp_outbox_reply r = {
		.outcome = outcome, .kind = post ? post->kind : s->kind, .waiting = waiting(s),
	};

	if (post) {
		r.seq = post->seq;
		r.ns = post->ns;
		r.bytes = post->bytes;
	}
	snprintf(r.text, sizeof(r.text), "%s", text);
	send_reply(s, &r);
}

static void unmap(struct sender *s)
{
	if (s->data)
		munmap(s->data, s->data_size);
	s->data = NULL;
}

/* Replies about the oldest window of the spool, and removes it there. */
static void drop_spooled(struct sender *s, enum wp_outbox_outcome outcome, const char *text)
{
	struct wp_spool_segment segment;
	struct wp_outbox_reply r = { .outcome = outcome, .spooled = 1 };

	unmap(s);
	if (!wp_spool_first(s->spool, &segment))
		return;
	/* If it stays on the disk, the next process sends it again. */
	wp_spool_remove(s->spool);
	r.seq = segment.seq;
	r.ns = segment.ns;
	r.bytes = segment.bytes;
	r.kind = segment.kind;
	r.waiting = waiting(s);
	snprintf(r.text, sizeof(r.text), "%s", text);
	send_reply(s, &r);
}

/* Removes a window from the queue. @before: the one in front of it, or NULL. */
static void forget(struct sender *s, struct entry *before)
{
	struct entry *e = before ? before->next : s->first;

	*(before ? &before->next : &s->first) = e->next;
	if (s->last == e)
		s->last = before;
	s->bytes -= e->post.bytes;
	if (e->data)
		munmap(e->data, e->post.bytes);
	free(e);
}

/* Replies about a window, and drops it. */
static void drop(struct sender *s, struct entry *before, enum wp_outbox_outcome outcome,
		 const char *text)
{
	reply(s, before ? &before->next->post : &s->first->post, outcome, text);
	forget(s, before);
}

/* Writes the queue to the file that the parent has passed, without replies: it reads that. */
static void leave(struct sender *s)
{
	off_t at = 0;

	while (s->left >= 0 && s->first) {
		const struct wp_outbox_post *post = &s->first->post;

		if (wp_pwrite_all(s->left, post, sizeof(*post), at) ||
		    wp_pwrite_all(s->left, s->first->data, post->bytes, at + sizeof(*post)))
			break;
		at += sizeof(*post) + post->bytes;
		forget(s, NULL);
	}
	/* Part of a window is none. */
	if (s->left >= 0 && ftruncate(s->left, at))
		return;
}

/* Moves windows from the queue to the spool, as far as that takes them. */
static void move_to_spool(struct sender *s)
{
	while (s->spool && s->first && !(s->busy && !s->spooled)) {
		const struct wp_outbox_post *post = &s->first->post;

		while (wp_spool_excess(s->spool, post->bytes) && !(s->busy && s->spooled))
			drop_spooled(s, WP_OUTBOX_SPOOL_FULL, "the spool is full");
		if (wp_spool_add(s->spool, post->kind, s->first->data, post->bytes, post->ns))
			break;
		drop(s, NULL, WP_OUTBOX_SPOOLED, "");
	}
}

/* The oldest ones go first, except the one that is being sent. */
static void make_room(struct sender *s)
{
	bool busy = s->busy && !s->spooled;

	while (s->bytes > s->o->queue && s->first != s->last)
		drop(s, busy ? s->first : NULL, WP_OUTBOX_NO_ROOM, "the queue is full");
}

static void add(struct sender *s, const struct wp_outbox_post *post, int fd)
{
	struct entry *e = calloc(1, sizeof(*e));
	struct stat st;

	if (!e || post->bytes > MAX_BYTES || fstat(fd, &st) || (__u64)st.st_size != post->bytes) {
		reply(s, post, WP_OUTBOX_NO_ROOM, "no memory");
		free(e);
		return;
	}
	e->post = *post;
	e->data = mmap(NULL, post->bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	if (e->data == MAP_FAILED) {
		reply(s, post, WP_OUTBOX_NO_ROOM, "no memory");
		free(e);
		return;
	}
	if (s->last)
		s->last->next = e;
	else
		s->first = e;
	s->last = e;
	s->bytes += post->bytes;
	/* It follows those that wait. */
	if (s->spool && wp_spool_nr(s->spool))
		move_to_spool(s);
	make_room(s);
}

static void end_soon(struct sender *s)
{
	if (s->ended)
		return;
	s->ended = true;
	s->end = wp_clock_now() + s->o->end_ms * 1000000ULL;
	/* There is no time to lose. */
	s->not_before = 0;
}

static void receive(struct sender *s)
{
	struct wp_outbox_post post;
	unsigned int nr = 0;
	int fd[WP_JOB_FDS];
	ssize_t n = wp_zygote_receive(s->sock, &post, sizeof(post), fd, &nr);

	if (n == sizeof(post) && nr == 1 && post.seq && post.kind < WP_SPOOL_KINDS)
		add(s, &post, fd[0]);
	if (n == sizeof(post) && nr == 1 && !post.seq && s->left < 0) {
		s->left = fd[0];
		nr = 0;
	}
	if (n <= 0 || s->left >= 0)
		end_soon(s);
	while (nr)
		close(fd[--nr]);
}

static __u64 random_below(__u64 limit)
{
	__u32 r = 0;

	if (getrandom(&r, sizeof(r), GRND_NONBLOCK) < 0)
		r = wp_clock_now();
	return limit * r >> 32;
}

/* Many agents whose receiver was away must not come back at once. */
static void back_off(struct sender *s, __u64 retry_after)
{
	__u64 ms;

	s->wait_ms = s->wait_ms ? 2 * s->wait_ms : FIRST_MS;
	if (s->wait_ms > MOST_MS)
		s->wait_ms = MOST_MS;
	ms = s->wait_ms / 2 + random_below(s->wait_ms / 2);
	if (retry_after > MOST_RETRY_AFTER)
		retry_after = MOST_RETRY_AFTER;
	if (retry_after * 1000 > ms)
		ms = retry_after * 1000 + random_below(FIRST_MS);
	/* At the end others have no turn any more. */
	if (s->ended && ms > FIRST_MS / 4)
		ms = FIRST_MS / 4;
	s->not_before = wp_clock_now() + ms * 1000000;
}

static bool is_temporary(long status)
{
	return status == 429 || status == 502 || status == 503 || status == 504;
}

/* The request is over, and its message. */
static void end_request(struct sender *s, enum wp_outbox_outcome outcome, const char *text)
{
	if (s->spooled)
		drop_spooled(s, outcome, text);
	else
		drop(s, NULL, outcome, text);
}

static void take_result(struct sender *s, const struct wp_http_result *result)
{
	char text[160];

	s->busy = false;
	if (result->status / 100 == 2) {
		s->wait_ms = 0;
		if (wp_answer_partial(s->kind, result, text, sizeof(text)))
			end_request(s, WP_OUTBOX_REFUSED, text);
		else
			end_request(s, WP_OUTBOX_SENT, "");
		return;
	}
	wp_answer_trouble(result, text, sizeof(text));
	if (result->trouble || is_temporary(result->status)) {
		reply(s, NULL, WP_OUTBOX_WAITS, text);
		unmap(s);
		back_off(s, result->retry_after);
		move_to_spool(s);
		make_room(s);
	} else {
		end_request(s, WP_OUTBOX_REFUSED, text);
	}
}

/* Milliseconds until a time, for poll; rounded up. */
static int until(__u64 time)
{
	__u64 now = wp_clock_now();

	return time > now ? (time - now) / 1000000 + 1 : 0;
}

static void wait_for_parent(struct sender *s, int ms)
{
	struct pollfd p = { .fd = s->sock, .events = POLLIN };

	if (s->ended)
		poll(NULL, 0, ms);
	else if (poll(&p, 1, ms) > 0)
		receive(s);
}

static void wait_for_request(struct sender *s)
{
	struct pollfd p = { .fd = s->sock, .events = POLLIN };
	int ms = s->ended ? until(s->end) : 1000;
	struct wp_http_result result;

	/* After the end the socket would always be ready. */
	if (wp_http_wait(s->http, s->ended ? -1 : s->sock, ms < 1000 ? ms : 1000, &result))
		result = (struct wp_http_result){ .done = true, .trouble = "libcurl failed" };
	if (result.done)
		take_result(s, &result);
	if (!s->ended && poll(&p, 1, 0) > 0)
		receive(s);
}

static bool has_more(const struct sender *s)
{
	return s->first || (s->spool && wp_spool_nr(s->spool));
}

static bool post(struct sender *s, enum wp_spool_kind kind, const void *data, size_t size)
{
	s->kind = kind;
	return !wp_http_post(s->http, kind,
			     kind == WP_SPOOL_METRICS ? s->o->metrics_url : s->o->url, data, size);
}

/* Begins to send the oldest message. */
static void begin(struct sender *s)
{
	struct wp_spool_segment segment;

	while (s->spool && wp_spool_excess(s->spool, 0))
		drop_spooled(s, WP_OUTBOX_SPOOL_FULL, "the spool is full");
	s->spooled = s->spool && wp_spool_first(s->spool, &segment);
	if (!s->spooled && !s->first)
		return;
	s->kind = s->spooled ? segment.kind : s->first->post.kind;
	if (s->kind == WP_SPOOL_METRICS && !s->o->metrics_url) {
		end_request(s, WP_OUTBOX_REFUSED, "metrics of an earlier start have no receiver");
		return;
	}
	if (wp_outbox_is_profiles(s->kind) && s->kind != s->o->profiles) {
		end_request(s, WP_OUTBOX_REFUSED, "profiles of an earlier start have another format");
		return;
	}
	if (s->spooled) {
		s->data = wp_spool_map(s->spool, &segment);
		s->data_size = segment.bytes;
		if (!s->data) {
			drop_spooled(s, WP_OUTBOX_UNREADABLE, strerror(errno));
			return;
		}
		s->busy = post(s, segment.kind, s->data, segment.bytes);
	} else {
		s->busy = post(s, s->first->post.kind, s->first->data, s->first->post.bytes);
	}
	if (s->busy)
		return;
	unmap(s);
	back_off(s, 0);
}

static void run(struct sender *s)
{
	for (;;) {
		if (s->ended && (!has_more(s) || wp_clock_now() >= s->end))
			break;
		/* The next process sends the others. */
		if (s->left >= 0 && !s->busy)
			break;
		if (!s->busy && has_more(s) && wp_clock_now() >= s->not_before)
			begin(s);
		if (s->busy) {
			wait_for_request(s);
		} else {
			__u64 next = s->ended && s->end < s->not_before ? s->end : s->not_before;

			wait_for_parent(s, has_more(s) ? until(next) : -1);
		}
	}
	s->busy = false;
	move_to_spool(s);
	leave(s);
	while (s->first)
		drop(s, NULL, WP_OUTBOX_ENDED, "");
}

/*
 * Rights are for the recording: those of root, and the capabilities of another user. What is
 * on the network can reach nothing of it, nor can others of this user read the headers.
 */
static bool drop_rights(void)
{
	if (!geteuid() && (setgroups(0, NULL) ||
			   setresgid(WP_OUTBOX_UID, WP_OUTBOX_UID, WP_OUTBOX_UID) ||
			   setresuid(WP_OUTBOX_UID, WP_OUTBOX_UID, WP_OUTBOX_UID)))
		return false;
	return !wp_confine_capabilities() && !prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

/* The parent's first packet is the spool's directory. */
static bool take_spool(struct sender *s, const char **trouble)
{
	struct wp_outbox_post post;
	unsigned int nr = 0;
	int fd[WP_JOB_FDS], err;

	*trouble = "it did not get the spool";
	if (wp_zygote_receive(s->sock, &post, sizeof(post), fd, &nr) != sizeof(post) || nr != 1 ||
	    post.seq)
		return false;
	err = wp_spool_open(&s->spool, fd[0], &s->o->limits);
	if (err)
		*trouble = err == -EWOULDBLOCK ? "another agent has the spool open" :
			   strerror(-err);
	return !err;
}

/**
 * wp_sender_run() - be the process that sends
 * @sock: socket to the parent
 * @o: where to send, and how
 */
void wp_sender_run(int sock, const struct wp_outbox_options *o)
{
	struct sender s = { .o = o, .sock = sock, .left = -1 };
	const char *trouble;

	if (wp_confine_descriptors(sock) || !drop_rights()) {
		reply(&s, NULL, WP_OUTBOX_UNUSABLE, "its rights cannot be dropped");
		_exit(1);
	}
	if (wp_http_new(&s.http, o, &trouble)) {
		reply(&s, NULL, WP_OUTBOX_UNUSABLE, trouble);
		_exit(1);
	}
	if (o->spool && !take_spool(&s, &trouble)) {
		reply(&s, NULL, WP_OUTBOX_UNUSABLE, trouble);
		_exit(1);
	}
	prctl(PR_SET_NAME, "wallprof-send");
	reply(&s, NULL, WP_OUTBOX_READY, "");
	run(&s);
	wp_http_free(s.http);
	_exit(0);
}
