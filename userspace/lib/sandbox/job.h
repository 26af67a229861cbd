/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Requests to a process that reads untrusted files, and its answers. See job.c; worker.c
 * sends the requests.
 */
#ifndef WP_LIB_SANDBOX_JOB_H
#define WP_LIB_SANDBOX_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "lib/elf/elfcode.h"
#include "lib/unwind/tablename.h"

/* Maximum number of descriptors of a job. */
#define WP_JOB_FDS	4

/* Size of a packet of an answer. */
#define WP_JOB_PACKET	(64 << 10)

/* Maximum size of a job's text. */
#define WP_JOB_TEXT	(32 << 10)

/**
 * enum wp_job_kind - kinds of jobs
 * @WP_JOB_NAME: name of a file's unwind table; answer: struct wp_job_name
 * @WP_JOB_TABLE: the table; answer: struct wp_elfcode, then the table
 * @WP_JOB_BUILDID: a file's build-id; answer: struct wp_buildid. With WP_JOB_LOADED by
 *	its program headers only, as in the kernel
 * @WP_JOB_LINKS: the references of a file; answer: struct wp_elflinks
 * @WP_JOB_SYMBOLS: the functions of a file, or with WP_JOB_VARIABLES its variables; if there
 *	is a text, only those of these names, each with a terminating 0; answer: struct
 *	wp_job_symbols, then the arrays that it counts. Files: the ELF
 *	file; with WP_JOB_DEBUG, that of its debug information; with WP_JOB_ALT, the one
 *	with shared debug information
 * @WP_JOB_INLINED: the functions inlined at an address; files as for SYMBOLS; answer:
 *	names, each with a terminating 0, the innermost first
 * @WP_JOB_DEMANGLE: demangle the text; answer: the result
 * @WP_JOB_PERFMAP: the functions of a list in text form; answer as for SYMBOLS
 * @WP_JOB_JITDUMP: the code in a jitdump file; answer: struct wp_job_jitdump, then the
 *	arrays that it counts
 * @WP_JOB_CRC: a file's checksum, as in .gnu_debuglink; answer: 4 bytes
 * @WP_JOB_CONTAINER: names of a container, whose id is the text, from a file of its runtime;
 *	answer: struct wp_container
 */
enum wp_job_kind {
	WP_JOB_NAME = 1,
	WP_JOB_TABLE,
	WP_JOB_BUILDID,
	WP_JOB_LINKS,
	WP_JOB_SYMBOLS,
	WP_JOB_INLINED,
	WP_JOB_DEMANGLE,
	WP_JOB_PERFMAP,
	WP_JOB_JITDUMP,
	WP_JOB_CRC,
	WP_JOB_CONTAINER,
};

/* Flags of jobs: which files there are; no demangling; which names. */
#define WP_JOB_DEBUG	1
#define WP_JOB_ALT	2
#define WP_JOB_RAW	4
#define WP_JOB_VARIABLES	8

/* For BUILDID: the file is mapped. */
#define WP_JOB_LOADED	1

/**
 * struct wp_job_head - head of a request's packet; its text follows
 * @kind: enum wp_job_kind
 * @flags: depends on @kind
 * @key: for NAME: key of the hash
 * @number: for INLINED: number of these files, unique during the worker's lifetime
 * @address: for INLINED: the address, as in the file's program headers
 */
struct wp_job_head {
	__u32 kind;
	__u32 flags;
	__u64 key[2];
	__u64 number;
	__u64 address;
};

/**
 * struct wp_job - a request
 * @head: its head
 * @text: its text, without a terminating 0
 * @size: size of @text, at most WP_JOB_TEXT
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
 * struct wp_job_packet - head of each packet of an answer
 * @last: the answer is complete with this one
 * @err: in the last one: 0 or a negative errno
 */
struct wp_job_packet {
	__u32 last;
	__s32 err;
};

/**
 * struct wp_job_name - an answer to NAME
 * @codes: the file's code
 * @name: name of its table
 */
struct wp_job_name {
	struct wp_elfcode codes;
	struct wp_tablename name;
};

/**
 * struct wp_job_symbols - head of an answer to SYMBOLS
 * @trouble: why there are none: see wp_job_trouble(); or 0
 * @nr_segments: number of struct wp_segment that follow,
 * @nr: of struct wp_symtable_entry,
 * @len: and of bytes of names
 * @sched_start: see struct wp_symtable
 * @sched_end: the same
 */
struct wp_job_symbols {
	__u32 trouble;
	__u32 nr_segments;
	__u64 nr;
	__u64 len;
	__u64 sched_start;
	__u64 sched_end;
};

/**
 * struct wp_job_jitdump - head of an answer to JITDUMP
 * @trouble: as in struct wp_job_symbols
 * @cut: see struct wp_jitloads
 * @nr: number of struct wp_jitload that follow,
 * @len: and of bytes of names
 */
struct wp_job_jitdump {
	__u32 trouble;
	__u32 cut;
	__u64 nr;
	__u64 len;
};

/**
 * struct wp_job_answer - an answer that is being sent
 * @send: sends a packet of it
 * @ctx: passed to @send
 * @used: used bytes of @data
 * @data: bytes that have not been sent yet
 */
struct wp_job_answer {
	void (*send)(void *ctx, const struct wp_job_packet *head, const void *data, size_t size);
	void *ctx;
	size_t used;
	char data[WP_JOB_PACKET - sizeof(struct wp_job_packet)];
};

/* Executes a job, using wp_job_add(); 0 or a negative errno. */
typedef int wp_job_fn(const struct wp_job *job, struct wp_job_answer *answer);

void wp_job_add(struct wp_job_answer *answer, const void *data, size_t size);
void wp_job_end(struct wp_job_answer *answer, int err);
const char *wp_job_trouble(__u32 number);
wp_job_fn wp_job_do;
wp_job_fn wp_job_read_names;

#endif /* WP_LIB_SANDBOX_JOB_H */
