/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is asked of a process that reads hostile files, and what it answers. See job.c;
 * who asks is worker.c.
 */
#ifndef WP_LIB_JOB_H
#define WP_LIB_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "lib/elfcode.h"
#include "lib/tablename.h"

/* Descriptors that may go with a job. */
#define WP_JOB_FDS	4

/* Bytes of a packet of an answer. */
#define WP_JOB_PACKET	(64 << 10)

/* Bytes of text that go with a job. */
#define WP_JOB_TEXT	(32 << 10)

/**
 * enum wp_job_kind - what is to be done
 * @WP_JOB_NAME: the name of a file's unwind table; answer: struct wp_job_name
 * @WP_JOB_TABLE: the table; answer: struct wp_elfcode, then the table
 * @WP_JOB_BUILDID: a file's build-id; answer: struct wp_buildid
 */
enum wp_job_kind {
	WP_JOB_NAME = 1,
	WP_JOB_TABLE,
	WP_JOB_BUILDID,
};

/**
 * struct wp_job_head - what the packet of a request begins with; its text follows
 * @kind: enum wp_job_kind
 * @flags: of that kind
 * @key: of NAME: key of the hash
 */
struct wp_job_head {
	__u32 kind;
	__u32 flags;
	__u64 key[2];
};

/**
 * struct wp_job - a request
 * @head: it
 * @text: goes with it; it has no 0 at its end
 * @size: bytes of @text, at most WP_JOB_TEXT
 * @fds: regular files that are open for reading
 * @nr_fds: their number
 */
struct wp_job {
	struct wp_job_head head;
	const char *text;
	size_t size;
	int fds[WP_JOB_FDS];
	unsigned int nr_fds;
};

/**
 * struct wp_job_packet - what each packet of an answer begins with
 * @last: the answer is complete with this one
 * @err: 0 or a negative errno, of the last
 */
struct wp_job_packet {
	__u32 last;
	__s32 err;
};

/**
 * struct wp_job_name - an answer to NAME
 * @codes: the file's code
 * @name: of its table
 */
struct wp_job_name {
	struct wp_elfcode codes;
	struct wp_tablename name;
};

/**
 * struct wp_job_answer - an answer on its way
 * @send: sends a packet of it
 * @ctx: handed to @send
 * @used: bytes of @data
 * @data: what is not sent yet
 */
struct wp_job_answer {
	void (*send)(void *ctx, const struct wp_job_packet *head, const void *data, size_t size);
	void *ctx;
	size_t used;
	char data[WP_JOB_PACKET - sizeof(struct wp_job_packet)];
};

/* Does a job, as far as wp_job_add(); 0 or a negative errno. */
typedef int wp_job_fn(const struct wp_job *job, struct wp_job_answer *answer);

void wp_job_add(struct wp_job_answer *answer, const void *data, size_t size);
void wp_job_end(struct wp_job_answer *answer, int err);
wp_job_fn wp_job_do;

#endif /* WP_LIB_JOB_H */
