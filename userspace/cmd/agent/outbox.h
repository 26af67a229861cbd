/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The process that sends profiles and metrics, as its parent sees it. See outbox.c; what it
 * does is in sender.c.
 *
 * Between the two is a socket, whose packets are the structures below. A message, as it is sent,
 * is in a memory file that its packet passes: the profiles of a window, or metrics.
 */
#ifndef WP_CMD_AGENT_OUTBOX_H
#define WP_CMD_AGENT_OUTBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <linux/types.h>

#include "lib/otlp/spool.h"

/**
 * enum wp_outbox_outcome - what became of a window
 * @WP_OUTBOX_SENT: the receiver has it
 * @WP_OUTBOX_REFUSED: the receiver refused it
 * @WP_OUTBOX_NO_ROOM: too much waited to be sent
 * @WP_OUTBOX_ENDED: the agent ended before it could be sent
 * @WP_OUTBOX_BROKEN: the sending process died with it
 * @WP_OUTBOX_SPOOL_FULL: the spool was full, or it was too old
 * @WP_OUTBOX_UNREADABLE: it could not be read from the spool
 * @WP_OUTBOX_SPOOLED: it is in the spool
 * @WP_OUTBOX_OUTCOMES: their number
 * @WP_OUTBOX_READY: of no window: the process has begun
 * @WP_OUTBOX_UNUSABLE: of no window: it cannot send, ever
 * @WP_OUTBOX_WAITS: not yet: it will be tried again
 */
enum wp_outbox_outcome {
	WP_OUTBOX_SENT,
	WP_OUTBOX_REFUSED,
	WP_OUTBOX_NO_ROOM,
	WP_OUTBOX_ENDED,
	WP_OUTBOX_BROKEN,
	WP_OUTBOX_SPOOL_FULL,
	WP_OUTBOX_UNREADABLE,
	WP_OUTBOX_SPOOLED,
	WP_OUTBOX_OUTCOMES,
	WP_OUTBOX_READY,
	WP_OUTBOX_UNUSABLE,
	WP_OUTBOX_WAITS,
};

/**
 * struct wp_outbox_post - a message, to the process that sends
 * @seq: its number; 0: no message, but the directory of the spool, or, later, the request to
 *	end and to leave in the file what is not sent: each such structure, and its message
 * @ns: time in it; of metrics 0
 * @bytes: size of the memory file
 * @kind: enum wp_spool_kind
 */
struct wp_outbox_post {
	__u64 seq;
	__u64 ns;
	__u64 bytes;
	__u64 kind;
};

/**
 * struct wp_outbox_reply - what became of it, from that process
 * @seq: its number; that of the spool, if it comes from there
 * @ns: time in it
 * @bytes: its size
 * @outcome: enum wp_outbox_outcome
 * @spooled: it was in the spool: a reply said so, maybe to an earlier parent
 * @kind: enum wp_spool_kind
 * @waiting: with a spool, how many windows are there
 * @text: why; untrusted
 */
struct wp_outbox_reply {
	__u64 seq;
	__u64 ns;
	__u64 bytes;
	__u32 outcome;
	__u32 spooled;
	__u64 kind;
	__u64 waiting;
	char text[200];
};

/**
 * struct wp_outbox_kind - what is sent
 * @format: name of the form of profiles; NULL: it has none
 * @type: its media type
 * @compressed: it is compressed as a whole
 */
struct wp_outbox_kind {
	const char *format;
	const char *type;
	bool compressed;
};

/**
 * struct wp_outbox_options - where to, and how
 * @profiles: kind of the messages of profiles that its receiver takes
 * @url: URL of the receiver of profiles
 * @shown: the same for messages, without a password
 * @metrics_url: URL of that of metrics; NULL: it is not known, and none are sent
 * @metrics_shown: likewise for messages
 * @header: lines of further headers, by what is sent: enum wp_spool_kind
 * @nr_headers: their numbers
 * @ca: file of certificates of authorities, or NULL: the system's
 * @queue: bytes that may wait to be sent
 * @spool: directory for windows that wait, or NULL
 * @limits: of the spool
 * @timeout_ms: of a request
 * @end_ms: how long to go on sending after the end
 */
struct wp_outbox_options {
	enum wp_spool_kind profiles;
	const char *url;
	const char *shown;
	const char *metrics_url;
	const char *metrics_shown;
	char **header[WP_SPOOL_KINDS];
	size_t nr_headers[WP_SPOOL_KINDS];
	const char *ca;
	__u64 queue;
	const char *spool;
	struct wp_spool_limits limits;
	unsigned int timeout_ms;
	unsigned int end_ms;
};

/**
 * struct wp_outbox_loss - what did not arrive
 * @windows: number of windows
 * @ns: time in them
 */
struct wp_outbox_loss {
	__u64 windows;
	__u64 ns;
};

/**
 * struct wp_outbox - the sending process
 * @o: where to, and how
 * @sock: socket to it
 * @pid: its id; 0: there is none
 * @seq: number of the last message
 * @outstanding: time of windows that it has not replied about
 * @nr_outstanding: number of messages that it has not replied about, by kind
 * @loss: by outcome, what no later window has counted so far
 * @all: the same since the start; of WP_OUTBOX_SENT what arrived
 * @metrics: messages of metrics since the start, by outcome
 * @unsent: those of them that did not arrive, and that no later one that did makes up for:
 *	each has all sums so far
 * @bytes: bytes that arrived
 * @waits: the last reply of a kind was that a message waits
 * @refused: why the last message of a kind was refused, if none was sent since; else ""
 * @waiting: windows in the spool, as of the last reply
 */
struct wp_outbox {
	struct wp_outbox_options o;
	int sock;
	pid_t pid;
	__u64 seq;
	__u64 outstanding;
	__u64 nr_outstanding[WP_SPOOL_KINDS];
	struct wp_outbox_loss loss[WP_OUTBOX_OUTCOMES];
	struct wp_outbox_loss all[WP_OUTBOX_OUTCOMES];
	__u64 metrics[WP_OUTBOX_OUTCOMES];
	__u64 unsent;
	__u64 bytes;
	bool waits[WP_SPOOL_KINDS];
	char refused[WP_SPOOL_KINDS][200];
	__u64 waiting;
};

/**
 * struct wp_outbox_left - what a process has not sent
 * @fd: file of it, which does not change any more; or -1
 * @bytes: so much of the file is valid
 * @windows: number of windows in it
 * @ns: time in them
 */
struct wp_outbox_left {
	int fd;
	__u64 bytes;
	__u64 windows;
	__u64 ns;
};

/* Of a process that root starts to send. */
#define WP_OUTBOX_UID	65534

/* outbox.c */
extern const struct wp_outbox_kind wp_outbox_kinds[WP_SPOOL_KINDS];

bool wp_outbox_is_profiles(enum wp_spool_kind kind);
const char *wp_outbox_outcome_name(enum wp_outbox_outcome outcome);
int wp_outbox_check_spool(const char *path, const char **trouble);
int wp_outbox_open(struct wp_outbox *b);
int wp_outbox_post(struct wp_outbox *b, enum wp_spool_kind kind, const void *message, size_t size,
		   __u64 ns);
void wp_outbox_take(struct wp_outbox *b);
void wp_outbox_leave(struct wp_outbox *b, struct wp_outbox_left *left);
int wp_outbox_restore(struct wp_outbox *b, const void *data, size_t size);
int wp_outbox_close(struct wp_outbox *b);

/* sender.c */
void wp_sender_run(int sock, const struct wp_outbox_options *o) __attribute__((noreturn));

#endif /* WP_CMD_AGENT_OUTBOX_H */
