// SPDX-License-Identifier: GPL-2.0
/*
 * Executes the jobs about names, of functions and of containers. Called by job.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "lib/elf/demangle.h"
#include "lib/elf/elfcheck.h"
#include "lib/elf/elflinks.h"
#include "lib/elf/elfnames.h"
#include "lib/elf/inlines.h"
#include "lib/elf/jitdump.h"
#include "lib/sandbox/containerfile.h"
#include "lib/sandbox/job.h"

/* Number of files whose debug information a worker keeps open. */
#define MAX_INLINES	8

/* Maximum number of inlined functions at an address. */
#define MAX_INLINED	64

/* Reasons why a file has no functions or code, for messages; 0 is none of these. */
static const char *const troubles[] = {
	NULL, "it cannot be read", "it is not an ELF file", "it is damaged", "it has no symbols",
	WP_NO_MEMORY, WP_ELFCHECK_TROUBLE, WP_JITDUMP_NO_DUMP, WP_JITDUMP_ORDER,
	WP_JITDUMP_VERSION, WP_JITDUMP_EMPTY,
};

#define NR_TROUBLES	(sizeof(troubles) / sizeof(*troubles))

/**
 * wp_job_trouble() - reason why a file has no functions
 * @number: from struct wp_job_symbols, not trusted
 *
 * Return: the end of a sentence; NULL for 0.
 */
const char *wp_job_trouble(__u32 number)
{
	return troubles[number < NR_TROUBLES ? number : 1];
}

static __u32 number_of(const char *trouble)
{
	__u32 i;

	if (!trouble)
		return 0;
	for (i = 2; i < NR_TROUBLES; i++) {
		if (!strcmp(trouble, troubles[i]))
			return i;
	}
	return 1;
}

static int do_links(const struct wp_job *job, struct wp_job_answer *answer)
{
	struct wp_elflinks links;
	struct stat st;
	int err;

	err = fstat(job->fds[0], &st) ? -errno : wp_elflinks_read(&links, job->fds[0], &st);
	if (!err)
		wp_job_add(answer, &links, sizeof(links));
	return err;
}

/* The files of a job about names; they stay the job's. */
static int files_of(const struct wp_job *job, struct wp_elffiles *files)
{
	unsigned int nr = 1;

	files->main = job->fds[0];
	files->debug = job->head.flags & WP_JOB_DEBUG ? job->fds[nr++] : -1;
	files->alt = job->head.flags & WP_JOB_ALT ? job->fds[nr++] : -1;
	return nr == job->nr_fds ? 0 : -EINVAL;
}

static void send_symbols(struct wp_job_answer *answer, const struct wp_elfnames *names,
			 const char *trouble)
{
	const struct wp_symtable *t = &names->table;
	struct wp_job_symbols head = { .trouble = number_of(trouble) };

	if (!trouble) {
		head.nr_segments = names->nr_segments;
		head.nr = t->nr;
		head.len = t->len;
		head.sched_start = t->sched_start;
		head.sched_end = t->sched_end;
	}
	wp_job_add(answer, &head, sizeof(head));
	wp_job_add(answer, names->segment, head.nr_segments * sizeof(*names->segment));
	wp_job_add(answer, t->entry, head.nr * sizeof(*t->entry));
	wp_job_add(answer, t->names, head.len);
}

static int do_symbols(const struct wp_job *job, struct wp_job_answer *answer)
{
	struct wp_elfnames names = { 0 };
	struct wp_elffiles files;
	char *only = NULL;
	const char *trouble;
	int err = files_of(job, &files);

	if (err)
		return err;
	if (job->size) {
		/* Ends with an empty name. */
		only = calloc(1, job->size + 2);
		if (!only)
			return -ENOMEM;
		memcpy(only, job->text, job->size);
	}
	names.only = only;
	trouble = wp_elfnames_read(&names, &files, job->head.flags & WP_JOB_VARIABLES);
	/* With more memory it may have some. */
	if (trouble && !strcmp(trouble, WP_NO_MEMORY))
		err = -ENOMEM;
	else
		send_symbols(answer, &names, trouble);
	wp_elfnames_free(&names);
	free(only);
	return err;
}

/* The debug information of a file, which is kept for the next address. */
static const struct wp_inlines *inlines_of(const struct wp_job *job, int *err)
{
	static struct { __u64 number; struct wp_inlines *in; bool known; } kept[MAX_INLINES];
	static unsigned int next;
	struct wp_elffiles files;
	unsigned int i;

	for (i = 0; i < MAX_INLINES; i++) {
		if (kept[i].known && kept[i].number == job->head.number)
			return kept[i].in;
	}
	*err = files_of(job, &files);
	if (*err)
		return NULL;
	i = next++ % MAX_INLINES;
	wp_inlines_free(kept[i].in);
	kept[i].number = job->head.number;
	kept[i].in = wp_inlines_new(&files);
	kept[i].known = true;
	return kept[i].in;
}

static int do_inlined(const struct wp_job *job, struct wp_job_answer *answer)
{
	const char *names[MAX_INLINED];
	const struct wp_inlines *in;
	size_t nr, i;
	int err = 0;

	in = inlines_of(job, &err);
	nr = in ? wp_inlines_find(in, job->head.address, names, MAX_INLINED) : 0;
	for (i = 0; i < nr; i++) {
		char *plain = job->head.flags & WP_JOB_RAW ? NULL : wp_demangle(names[i]);

		if (plain)
			wp_job_add(answer, plain, strlen(plain));
		else
			wp_job_add(answer, names[i], strnlen(names[i], WP_SYMTABLE_NAME));
		wp_job_add(answer, "", 1);
		free(plain);
	}
	return err;
}

static int do_demangle(const struct wp_job *job, struct wp_job_answer *answer)
{
	char *name = strndup(job->text, job->size), *plain;

	if (!name)
		return -ENOMEM;
	plain = wp_demangle(name);
	if (plain)
		wp_job_add(answer, plain, strlen(plain));
	free(plain);
	free(name);
	return 0;
}

static int do_perfmap(const struct wp_job *job, struct wp_job_answer *answer)
{
	int fd = fcntl(job->fds[0], F_DUPFD_CLOEXEC, 0), err = -ENOMEM;
	FILE *text = fd < 0 ? NULL : fdopen(fd, "r");
	struct wp_elfnames names = { 0 };

	if (text) {
		err = wp_symtable_perfmap(&names.table, text);
		fclose(text);
	} else if (fd >= 0) {
		close(fd);
	}
	if (!err)
		send_symbols(answer, &names, NULL);
	wp_elfnames_free(&names);
	return err;
}

static int do_jitdump(const struct wp_job *job, struct wp_job_answer *answer)
{
	struct wp_jitloads l = { 0 };
	const char *trouble = wp_jitdump_read(&l, job->fds[0]);
	struct wp_job_jitdump head = { .trouble = number_of(trouble) };
	int err = 0;

	/* With more memory it may have some. */
	if (trouble && !strcmp(trouble, WP_NO_MEMORY)) {
		err = -ENOMEM;
	} else {
		if (!trouble) {
			head.cut = l.cut;
			head.nr = l.nr;
			head.len = l.len;
		}
		wp_job_add(answer, &head, sizeof(head));
		wp_job_add(answer, l.load, head.nr * sizeof(*l.load));
		wp_job_add(answer, l.names, head.len);
	}
	wp_jitdump_free(&l);
	return err;
}

static int do_crc(const struct wp_job *job, struct wp_job_answer *answer)
{
	static char buf[65536];
	__u32 crc = 0;
	off_t at = 0;
	ssize_t n;

	while ((n = pread(job->fds[0], buf, sizeof(buf), at)) > 0) {
		crc = crc32(crc, (void *)buf, n);
		at += n;
	}
	if (n < 0)
		return -EIO;
	wp_job_add(answer, &crc, sizeof(crc));
	return 0;
}

static int do_container(const struct wp_job *job, struct wp_job_answer *answer)
{
	char *id = strndup(job->text, job->size);
	struct wp_container container;
	int err = id ? wp_containerfile_read(job->fds[0], id, &container) : -ENOMEM;

	if (!err)
		wp_job_add(answer, &container, sizeof(container));
	free(id);
	return err;
}

/**
 * wp_job_read_names() - execute a job about names
 * @job: the job
 * @answer: the output is appended
 *
 * Return: as wp_job_do().
 */
int wp_job_read_names(const struct wp_job *job, struct wp_job_answer *answer)
{
	switch (job->head.kind) {
	case WP_JOB_LINKS:
		return do_links(job, answer);
	case WP_JOB_SYMBOLS:
		return do_symbols(job, answer);
	case WP_JOB_INLINED:
		return do_inlined(job, answer);
	case WP_JOB_DEMANGLE:
		return do_demangle(job, answer);
	case WP_JOB_PERFMAP:
		return do_perfmap(job, answer);
	case WP_JOB_JITDUMP:
		return do_jitdump(job, answer);
	case WP_JOB_CRC:
		return do_crc(job, answer);
	case WP_JOB_CONTAINER:
		return do_container(job, answer);
	}
	return -EINVAL;
}
