/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is asked of a process that reads hostile files, and what it answers. See job.c;
 * who asks is worker.c.
 */
#ifndef WP_LIB_SANDBOX_JOB_H
#define WP_LIB_SANDBOX_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "lib/elf/elfcode.h"
#include "lib/unwind/tablename.h"

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
 * @WP_JOB_BUILDID: a file's build-id; answer: struct wp_buildid. With WP_JOB_LOADED by its
 *	program headers only, as the kernel has it
 * @WP_JOB_LINKS: what a file names; answer: struct wp_elflinks
 * @WP_JOB_SYMBOLS: the functions of a file, or with WP_JOB_VARIABLES these; answer:
 *	struct wp_job_symbols, then what that counts. Files: the ELF file; with
 *	WP_JOB_DEBUG, that of its debug information; with WP_JOB_ALT, the one that shares
 *	with others
 * @WP_JOB_INLINED: which functions are inlined at an address; files as of SYMBOLS; answer:
 *	names, each with a 0 behind it, the innermost first
 * @WP_JOB_DEMANGLE: what the text was called by those who wrote it; answer: that
 * @WP_JOB_PERFMAP: the functions of a list that is text; answer as to SYMBOLS
 * @WP_JOB_CRC: a file's checksum, as .gnu_debuglink has it; answer: 4 bytes
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
	WP_JOB_CRC,
};

/* Flags of jobs: which files there are; that names stay as the linker has them; which names. */
#define WP_JOB_DEBUG	1
#define WP_JOB_ALT	2
#define WP_JOB_RAW	4
#define WP_JOB_VARIABLES	8

/* Of BUILDID: of a file that is mapped. */
#define WP_JOB_LOADED	1

/**
 * struct wp_job_head - what the packet of a request begins with; its text follows
 * @kind: enum wp_job_kind
 * @flags: of that kind
 * @key: of NAME: key of the hash
 * @number: of INLINED: one of these files, while the worker lives
 * @address: of INLINED: the address, as the file's program headers have it
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
 * struct wp_job_symbols - what an answer to SYMBOLS begins with
 * @trouble: why there are none: see wp_job_trouble(); or 0
 * @nr_segments: struct wp_segment that follow,
 * @nr: and struct wp_symtable_entry,
 * @len: and bytes of names
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
const char *wp_job_trouble(__u32 number);
wp_job_fn wp_job_do;
wp_job_fn wp_job_read_names;

#endif /* WP_LIB_SANDBOX_JOB_H */
