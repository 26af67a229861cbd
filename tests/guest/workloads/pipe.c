// SPDX-License-Identifier: GPL-2.0
/* A reader at an empty pipe, a writer at a full one. */
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "kinds.h"
#include "truth.h"

#define WAITS 8
#define PAUSE (40 * MS)

static char page[4096];

static FRAME void pipe_reads(struct truth *t, int fd)
{
	wait_begins(t);
	raw(SYS_read, fd, (long)page, 1, 0, 0);
	wait_ends(t);
}

static FRAME void pipe_writes(struct truth *t, int fd)
{
	wait_begins(t);
	raw(SYS_write, fd, (long)page, sizeof(page), 0, 0);
	wait_ends(t);
}

static FRAME void pipe_reader(void *arg)
{
	struct truth *t = truth_row("pipe", "S", "pipe_reads;pipe_reader;rooted");

	for (int i = 0; i < WAITS; i++)
		pipe_reads(t, *(int *)arg);
}

static FRAME void pipe_writer(void *arg)
{
	struct truth *t = truth_row("pipe", "S", "pipe_writes;pipe_writer;rooted");

	for (int i = 0; i < WAITS; i++)
		pipe_writes(t, *(int *)arg);
}

static void *reader_thread(void *arg)
{
	rooted(pipe_reader, arg);
	return NULL;
}

static void *writer_thread(void *arg)
{
	rooted(pipe_writer, arg);
	return NULL;
}

void kind_pipe(void)
{
	static char drain[sizeof(page)];
	pthread_t reader, writer;
	int empty[2], full[2];

	if (pipe(empty) || pipe(full))
		return;
	fcntl(full[1], F_SETPIPE_SZ, sizeof(page));
	raw(SYS_write, full[1], (long)page, sizeof(page), 0, 0);
	pthread_create(&reader, NULL, reader_thread, &empty[0]);
	pthread_create(&writer, NULL, writer_thread, &full[1]);
	for (int i = 0; i < WAITS; i++) {
		raw_sleep(PAUSE);
		raw(SYS_write, empty[1], (long)page, 1, 0, 0);
		raw(SYS_read, full[0], (long)drain, sizeof(drain), 0, 0);
	}
	pthread_join(reader, NULL);
	pthread_join(writer, NULL);
	close(empty[0]);
	close(empty[1]);
	close(full[0]);
	close(full[1]);
}
