// SPDX-License-Identifier: GPL-2.0
/*
 * Executes the jobs of a process that reads untrusted files: all parsing of ELF and DWARF
 * starts here. Nothing is opened by name; only the descriptors that came with the job are
 * read. Called by the workers, which zygote.c creates, and by the fuzzer.
 */
#include <errno.h>
#include <libelf.h>
#include <string.h>

#include "lib/elf/buildid.h"
#include "lib/sandbox/job.h"
#include "lib/unwind/unwindtable.h"

static void send_packet(struct wp_job_answer *answer, bool last, int err)
{
	struct wp_job_packet head = { .last = last, .err = err };

	answer->send(answer->ctx, &head, answer->data, answer->used);
	answer->used = 0;
}

/**
 * wp_job_add() - append to an answer
 * @answer: the answer
 * @data: what to append
 * @size: its size
 */
void wp_job_add(struct wp_job_answer *answer, const void *data, size_t size)
{
	while (size) {
		size_t room = sizeof(answer->data) - answer->used;
		size_t n = size < room ? size : room;

		memcpy(answer->data + answer->used, data, n);
		answer->used += n;
		data = (const char *)data + n;
		size -= n;
		if (answer->used == sizeof(answer->data))
			send_packet(answer, false, 0);
	}
}

/**
 * wp_job_end() - complete an answer
 * @answer: the answer
 * @err: 0 or a negative errno
 */
void wp_job_end(struct wp_job_answer *answer, int err)
{
	send_packet(answer, true, err);
}

/* Read, not mapped: its owner may truncate or change the file. */
static Elf *begin(int fd, struct wp_elfcode *codes, int *err)
{
	Elf *elf = wp_elfcode_begin(fd);

	*err = elf ? wp_elfcode_read_fd(codes, elf, fd) : -ENOEXEC;
	return elf;
}

static int do_name(const struct wp_job *job, struct wp_job_answer *answer)
{
	struct wp_job_name out = {};
	Elf *elf;
	int err;

	elf = begin(job->fds[0], &out.codes, &err);
	if (!err) {
		wp_tablename_of(&out.name, elf, &out.codes, job->head.key);
		wp_job_add(answer, &out, sizeof(out));
	}
	elf_end(elf);
	return err;
}

static int do_table(const struct wp_job *job, struct wp_job_answer *answer)
{
	struct wp_unwindtable table = {};
	struct wp_elfcode codes;
	Elf *elf;
	int err;

	elf = begin(job->fds[0], &codes, &err);
	if (!err)
		err = wp_unwindtable_from_elf(&table, elf, &codes);
	if (!err) {
		wp_job_add(answer, &codes, sizeof(codes));
		wp_job_add(answer, table.data, table.size);
	}
	wp_unwindtable_free(&table);
	elf_end(elf);
	return err;
}

static int do_buildid(const struct wp_job *job, struct wp_job_answer *answer)
{
	struct wp_buildid id = { 0 };
	int err = job->head.flags & WP_JOB_LOADED ? wp_buildid_of_loaded(job->fds[0], &id) :
		wp_buildid_from_fd(job->fds[0], &id);

	if (!err)
		wp_job_add(answer, &id, sizeof(id));
	return err;
}

/**
 * wp_job_do() - execute a job
 * @job: the job
 * @answer: the output is appended
 *
 * Return: 0 or a negative errno, to be sent at the end of the answer.
 */
int wp_job_do(const struct wp_job *job, struct wp_job_answer *answer)
{
	elf_version(EV_CURRENT);
	if (!job->nr_fds && job->head.kind != WP_JOB_DEMANGLE)
		return -EINVAL;
	switch (job->head.kind) {
	case WP_JOB_NAME:
		return do_name(job, answer);
	case WP_JOB_TABLE:
		return do_table(job, answer);
	case WP_JOB_BUILDID:
		return do_buildid(job, answer);
	}
	return wp_job_read_names(job, answer);
}
