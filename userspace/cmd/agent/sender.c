// SPDX-License-Identifier: GPL-2.0
/*
 * The process that sends profiles and metrics: for each kind a lane, with a queue in memory
 * and one request at a time. A receiver that hangs delays only what is sent to it. The
 * process has no rights: neither those of root nor a descriptor of the recording.
 *
 * A message that the receiver does not take now (no answer; 429, 502, 503, 504) is tried
 * again, after a time that doubles and is partly random, or that the receiver asks for.
 * One that it refuses is lost, as is the oldest one when the queues, whose limit is one, are
 * full. The parent gets a reply for each.
 *
 * With a spool, messages that wait are on disk: those of a lane in its queue follow those in
 * the spool, which are sent first, and go there as soon as one has to wait. What cannot be
 * written there stays in the queue.
 *
 * When the agent reads its configuration again, the process ends after the request that it is
 * in, and leaves its queue in a file, for the next one.
 */
#include <errno.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
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
 * struct lane - what is sent of a kind
 * @first: the oldest message
 * @last: the newest
 * @busy: the oldest one is being sent
 * @spooled: @busy is of the oldest one in the spool
 * @data: its message there, mapped; or NULL
 * @data_size: its size
 * @wait_ms: the last wait before a try
 * @not_before: time of the next try
 */
struct lane {
	struct entry *first;
	struct entry *last;
	bool busy;
	bool spooled;
	void *data;
	size_t data_size;
	unsigned int wait_ms;
	__u64 not_before;
};

/**
 * struct sender - the process
 * @o: where to send, and how
 * @sock: socket to the parent
 * @http: the requests
 * @lane: by what is sent: enum wp_spool_kind
 * @bytes: in all queues
 * @spool: messages on disk, or NULL
 * @left: file for what is not sent at the end, or -1
 * @ended: no more will come
 * @end: then, when to give up, ns of CLOCK_MONOTONIC
 */
struct sender {
	const struct wp_outbox_options *o;
	int sock;
	struct wp_http *http;
	struct lane lane[WP_SPOOL_KINDS];
	__u64 bytes;
	struct wp_spool *spool;
	int left;
	bool ended;
	__u64 end;
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

/* Of the start, and that a message waits. */
static void reply_state(const struct sender *s, enum wp_spool_kind kind,
			enum wp_outbox_outcome outcome, const char *text)
{
	struct wp_outbox_reply r = { .outcome = outcome, .kind = kind, .waiting = waiting(s) };

	snprintf(r.text, sizeof(r.text), "%s", text);
	send_reply(s, &r);
}

static void reply(const struct sender *s, const struct wp_outbox_post *post,
		  enum wp_outbox_outcome outcome, const char *text)
{
	struct wp_outbox_reply r = {
		.seq = post->seq, .ns = post->ns, .bytes = post->bytes, .outcome = outcome,
		.kind = post->kind, .waiting = waiting(s),
	};

	snprintf(r.text, sizeof(r.text), "%s", text);
	send_reply(s, &r);
}

static void unmap(struct lane *l)
{
	if (l->data)
		munmap(l->data, l->data_size);
	l->data = NULL;
}

/* Replies about a window of the spool, and removes it there. */
static void drop_spooled(struct sender *s, const struct wp_spool_segment *segment,
			 enum wp_outbox_outcome outcome, const char *text)
{
	struct wp_outbox_reply r = {
		.seq = segment->seq, .ns = segment->ns, .bytes = segment->bytes,
		.outcome = outcome, .spooled = 1, .kind = segment->kind,
	};

	unmap(&s->lane[segment->kind]);
	/* If it stays on the disk, the next process sends it again. */
	wp_spool_remove(s->spool, segment);
	r.waiting = waiting(s);
	snprintf(r.text, sizeof(r.text), "%s", text);
	send_reply(s, &r);
}

/* Makes room in the spool, but not by what is being sent. */
static void drop_excess(struct sender *s, __u64 more)
{
	struct wp_spool_segment oldest;

	while (s->spool && wp_spool_excess(s->spool, more) && wp_spool_first(s->spool, &oldest)) {
		const struct lane *l = &s->lane[oldest.kind];

		if (l->busy && l->spooled)
			break;
		drop_spooled(s, &oldest, WP_OUTBOX_SPOOL_FULL, "the spool is full");
	}
}

/* Removes a window from the queue. @before: the one in front of it, or NULL. */
static void forget(struct sender *s, struct lane *l, struct entry *before)
{
	struct entry *e = before ? before->next : l->first;

	*(before ? &before->next : &l->first) = e->next;
	if (l->last == e)
		l->last = before;
	s->bytes -= e->post.bytes;
	if (e->data)
		munmap(e->data, e->post.bytes);
	free(e);
}

/* Replies about a window, and drops it. */
static void drop(struct sender *s, struct lane *l, struct entry *before,
		 enum wp_outbox_outcome outcome, const char *text)
{
	reply(s, before ? &before->next->post : &l->first->post, outcome, text);
	forget(s, l, before);
}

/* The lane whose queue has the oldest message; NULL: all are empty. */
static struct lane *oldest_lane(struct sender *s)
{
	struct lane *found = NULL, *l;

	for (l = s->lane; l < s->lane + WP_SPOOL_KINDS; l++) {
		if (l->first && (!found || l->first->post.seq < found->first->post.seq))
			found = l;
	}
	return found;
}

/* Writes the queues to the file that the parent has passed, without replies: it reads that. */
static void leave(struct sender *s)
{
	struct lane *l;
	off_t at = 0;

	while (s->left >= 0 && (l = oldest_lane(s))) {
		const struct wp_outbox_post *post = &l->first->post;

		if (wp_pwrite_all(s->left, post, sizeof(*post), at) ||
		    wp_pwrite_all(s->left, l->first->data, post->bytes, at + sizeof(*post)))
			break;
		at += sizeof(*post) + post->bytes;
		forget(s, l, NULL);
	}
	/* Part of a window is none. */
	if (s->left >= 0 && ftruncate(s->left, at))
		return;
}

/* Moves windows from a queue to the spool, as far as that takes them. */
static void move_to_spool(struct sender *s, struct lane *l)
{
	while (s->spool && l->first && !(l->busy && !l->spooled)) {
		const struct wp_outbox_post *post = &l->first->post;

		drop_excess(s, post->bytes);
		if (wp_spool_add(s->spool, post->kind, l->first->data, post->bytes, post->ns))
			break;
		drop(s, l, NULL, WP_OUTBOX_SPOOLED, "");
	}
}

/* The one in front of the oldest that can be dropped, which is not being sent. */
static struct entry *before_droppable(const struct lane *l)
{
	return l->busy && !l->spooled ? l->first : NULL;
}

/* The oldest ones go first; of each lane the last one stays. */
static void make_room(struct sender *s)
{
	while (s->bytes > s->o->queue) {
		struct lane *from = NULL, *l;
		__u64 oldest = 0;

		for (l = s->lane; l < s->lane + WP_SPOOL_KINDS; l++) {
			const struct entry *e = before_droppable(l) ? l->first->next : l->first;

			if (l->first == l->last || (from && e->post.seq > oldest))
				continue;
			from = l;
			oldest = e->post.seq;
		}
		if (!from)
			break;
		drop(s, from, before_droppable(from), WP_OUTBOX_NO_ROOM, "the queue is full");
	}
}

static void add(struct sender *s, const struct wp_outbox_post *post, int fd)
{
	struct lane *l = &s->lane[post->kind];
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
	if (l->last)
		l->last->next = e;
	else
		l->first = e;
	l->last = e;
	s->bytes += post->bytes;
	/* It follows those that wait. */
	if (s->spool && wp_spool_nr_of(s->spool, post->kind))
		move_to_spool(s, l);
	make_room(s);
}

static void end_soon(struct sender *s)
{
	unsigned int i;

	if (s->ended)
		return;
	s->ended = true;
	s->end = wp_clock_now() + s->o->end_ms * 1000000ULL;
	/* There is no time to lose. */
	for (i = 0; i < WP_SPOOL_KINDS; i++)
		s->lane[i].not_before = 0;
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
static void back_off(const struct sender *s, struct lane *l, __u64 retry_after)
{
	__u64 ms;

	l->wait_ms = l->wait_ms ? 2 * l->wait_ms : FIRST_MS;
	if (l->wait_ms > MOST_MS)
		l->wait_ms = MOST_MS;
	ms = l->wait_ms / 2 + random_below(l->wait_ms / 2);
	if (retry_after > MOST_RETRY_AFTER)
		retry_after = MOST_RETRY_AFTER;
	if (retry_after * 1000 > ms)
		ms = retry_after * 1000 + random_below(FIRST_MS);
	/* At the end others have no turn any more. */
	if (s->ended && ms > FIRST_MS / 4)
		ms = FIRST_MS / 4;
	l->not_before = wp_clock_now() + ms * 1000000;
}

static bool is_temporary(long status)
{
	return status == 429 || status == 502 || status == 503 || status == 504;
}

/* The request is over, and its message. */
static void end_request(struct sender *s, struct lane *l, enum wp_outbox_outcome outcome,
			const char *text)
{
	struct wp_spool_segment segment;

	if (!l->spooled)
		drop(s, l, NULL, outcome, text);
	else if (wp_spool_first_of(s->spool, l - s->lane, &segment))
		drop_spooled(s, &segment, outcome, text);
}

static void take_result(struct sender *s, const struct wp_http_result *result)
{
	struct lane *l = &s->lane[result->kind];
	char text[160];

	l->busy = false;
	if (result->status / 100 == 2) {
		l->wait_ms = 0;
		if (wp_answer_partial(result->kind, result, text, sizeof(text)))
			end_request(s, l, WP_OUTBOX_REFUSED, text);
		else
			end_request(s, l, WP_OUTBOX_SENT, "");
		return;
	}
	wp_answer_trouble(result, text, sizeof(text));
	if (result->trouble || is_temporary(result->status)) {
		reply_state(s, result->kind, WP_OUTBOX_WAITS, text);
		unmap(l);
		back_off(s, l, wp_answer_retry_after(result->retry_after, time(NULL)));
		move_to_spool(s, l);
		make_room(s);
	} else {
		end_request(s, l, WP_OUTBOX_REFUSED, text);
	}
}

/* Milliseconds until a time, for poll; rounded up. -1: it never comes. */
static int until(__u64 time)
{
	__u64 now = wp_clock_now();

	if (time == UINT64_MAX)
		return -1;
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

static void wait_for_requests(struct sender *s, int ms)
{
	struct pollfd p = { .fd = s->sock, .events = POLLIN };
	struct wp_http_result result;

	/* After the end the socket would always be ready. */
	wp_http_wait(s->http, s->ended ? -1 : s->sock, ms >= 0 && ms < 1000 ? ms : 1000);
	while (wp_http_ended(s->http, &result))
		take_result(s, &result);
	if (!s->ended && poll(&p, 1, 0) > 0)
		receive(s);
}

static bool has_more(const struct sender *s, const struct lane *l)
{
	return l->first || (s->spool && wp_spool_nr_of(s->spool, l - s->lane));
}

static bool post(struct sender *s, const struct lane *l, const void *data, size_t size)
{
	enum wp_spool_kind kind = l - s->lane;

	return !wp_http_post(s->http, kind,
			     kind == WP_SPOOL_METRICS ? s->o->metrics_url : s->o->url, data, size);
}

/* Begins to send the oldest message of a lane. */
static void begin(struct sender *s, struct lane *l)
{
	enum wp_spool_kind kind = l - s->lane;
	struct wp_spool_segment segment;

	drop_excess(s, 0);
	l->spooled = s->spool && wp_spool_first_of(s->spool, kind, &segment);
	if (!l->spooled && !l->first)
		return;
	if (kind == WP_SPOOL_METRICS && !s->o->metrics_url) {
		end_request(s, l, WP_OUTBOX_REFUSED,
			    "metrics of an earlier start have no receiver");
		return;
	}
	if (wp_outbox_is_profiles(kind) && kind != s->o->profiles) {
		end_request(s, l, WP_OUTBOX_REFUSED,
			    "profiles of an earlier start have another format");
		return;
	}
	if (l->spooled) {
		l->data = wp_spool_map(s->spool, &segment);
		l->data_size = segment.bytes;
		if (!l->data) {
			drop_spooled(s, &segment, WP_OUTBOX_UNREADABLE, strerror(errno));
			return;
		}
		l->busy = post(s, l, l->data, segment.bytes);
	} else {
		l->busy = post(s, l, l->first->data, l->first->post.bytes);
	}
	if (l->busy)
		return;
	unmap(l);
	back_off(s, l, 0);
}

/**
 * struct state - of all lanes
 * @busy: a request is under way
 * @more: a message waits, or is being sent
 * @next: the earliest time of a lane that is to begin one; UINT64_MAX: there is none
 */
struct state {
	bool busy;
	bool more;
	__u64 next;
};

static struct state look(const struct sender *s)
{
	struct state state = { .next = UINT64_MAX };
	const struct lane *l;

	for (l = s->lane; l < s->lane + WP_SPOOL_KINDS; l++) {
		if (!has_more(s, l))
			continue;
		state.more = true;
		state.busy |= l->busy;
		if (!l->busy && l->not_before < state.next)
			state.next = l->not_before;
	}
	return state;
}

/* Begins what can begin. */
static void begin_all(struct sender *s)
{
	struct lane *l;

	for (l = s->lane; l < s->lane + WP_SPOOL_KINDS; l++) {
		if (!l->busy && has_more(s, l) && wp_clock_now() >= l->not_before)
			begin(s, l);
	}
}

static void run(struct sender *s)
{
	struct state state;
	struct lane *l;

	for (;;) {
		/* The next process sends the others. */
		if (s->left < 0 && !(s->ended && wp_clock_now() >= s->end))
			begin_all(s);
		state = look(s);
		if (s->ended && (!state.more || wp_clock_now() >= s->end))
			break;
		if (s->left >= 0 && !state.busy)
			break;
		if (s->ended && s->end < state.next)
			state.next = s->end;
		if (state.busy)
			wait_for_requests(s, until(state.next));
		else
			wait_for_parent(s, state.more ? until(state.next) : -1);
	}
	for (l = s->lane; l < s->lane + WP_SPOOL_KINDS; l++) {
		l->busy = false;
		move_to_spool(s, l);
	}
	leave(s);
	while ((l = oldest_lane(s)))
		drop(s, l, NULL, WP_OUTBOX_ENDED, "");
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
		reply_state(&s, o->profiles, WP_OUTBOX_UNUSABLE, "its rights cannot be dropped");
		_exit(1);
	}
	if (wp_http_new(&s.http, o, &trouble)) {
		reply_state(&s, o->profiles, WP_OUTBOX_UNUSABLE, trouble);
		_exit(1);
	}
	if (o->spool && !take_spool(&s, &trouble)) {
		reply_state(&s, o->profiles, WP_OUTBOX_UNUSABLE, trouble);
		_exit(1);
	}
	prctl(PR_SET_NAME, "wallprof-send");
	reply_state(&s, o->profiles, WP_OUTBOX_READY, "");
	run(&s);
	wp_http_free(s.http);
	_exit(0);
}
