// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of bad files of one owner: after a number of them no other one is read; but those
 * of root on the file system of our own root, where containers' files can be, only in the
 * same directory of "/".
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/sandbox/filereader.h"
#include "lib/sandbox/openfile.h"
#include "lib/sandbox/worker.h"
#include "lib/sandbox/zygote.h"
#include "tap.h"

#define BAD	"bad"
#define NR_BAD	32
#define GOOD	"/usr/bin/env"

static char dir[] = "/var/tmp/wp-filereader-XXXXXX";

/* In a worker. */
static int do_job(const struct wp_job *job, struct wp_job_answer *answer)
{
	char bytes[sizeof(BAD) - 1];

	if (job->nr_fds && pread(job->fds[0], bytes, sizeof(bytes), 0) == sizeof(bytes) &&
	    !memcmp(bytes, BAD, sizeof(bytes)))
		_exit(1);
	return wp_job_do(job, answer);
}

static int make(const char *name)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		perror(path);
	return fd;
}

static void drop(const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (unlink(path))
		perror(path);
}

static int ask(int fd)
{
	struct wp_elflinks links;
	int err = wp_filereader_links(fd, &links);

	close(fd);
	return err;
}

/*
 * So many, or less; deleted ones: no path leads to them, as to those of a container. All at
 * once, as the next one could get the inode of a deleted one.
 */
static bool read_bad(int nr, bool deleted)
{
	bool lost = true;
	int fd[NR_BAD], i;
	char name[16];

	for (i = 0; i < nr; i++) {
		snprintf(name, sizeof(name), "%d", i);
		fd[i] = make(name);
		if (fd[i] < 0 || write(fd[i], BAD, sizeof(BAD)) < 0)
			return false;
		if (deleted)
			drop(name);
	}
	for (i = 0; i < nr; i++) {
		snprintf(name, sizeof(name), "%d", i);
		lost &= ask(fd[i]) == -EBADMSG;
		if (!deleted)
			drop(name);
	}
	return lost;
}

/* A good one, beside the bad ones. */
static int ask_beside(bool deleted)
{
	int from = open(GOOD, O_RDONLY | O_CLOEXEC), fd = make("good"), err;
	struct stat st;

	if (from < 0 || fd < 0 || fstat(from, &st) || sendfile(fd, from, NULL, st.st_size) < 0)
		return -1;
	close(from);
	if (deleted)
		drop("good");
	err = ask(fd);
	if (!deleted)
		drop("good");
	return err;
}

static int ask_good(void)
{
	struct stat st;

	return ask(wp_openfile_in(WP_OPENFILE_HERE, GOOD, &st));
}

static void bad_ones(bool deleted, const char *what)
{
	bool good;

	good = read_bad(NR_BAD - 1, deleted) && !ask_beside(deleted);
	ok(good, "%d bad files, %s: another one there is read", NR_BAD - 1, what);
	wp_filereader_end();
	good = read_bad(NR_BAD, deleted) && ask_beside(deleted) == -EBADMSG;
	ok(good, "with more, none is any more");
	ok(!ask_good(), "but " GOOD " is");
	wp_filereader_end();
}

int main(void)
{
	struct stat ours, good, root;

	if (!mkdtemp(dir) || stat(dir, &ours) || stat(GOOD, &good) || stat("/", &root) ||
	    wp_zygote_begin(do_job))
		return 1;
	if (ours.st_uid || good.st_uid || ours.st_dev != root.st_dev ||
	    good.st_dev != root.st_dev) {
		ok(1, "files of root on our root's file system # SKIP there are none");
	} else {
		bad_ones(false, "in a directory of \"/\"");
		bad_ones(true, "that no path leads to");
	}
	rmdir(dir);
	wp_worker_end();
	return done();
}
