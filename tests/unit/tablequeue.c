// SPDX-License-Identifier: GPL-2.0
/*
 * The order in which files get their tables, and what becomes of those that cannot be read.
 * The workers do what the file says that they read: "good", "spin", "crash", "none".
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/record/tablegroups.h"
#include "lib/record/tablequeue.h"
#include "lib/sandbox/zygote.h"
#include "tap.h"

#define FOREVER 600000000000ULL

static const struct wp_worker_limits patient = {
	.cpu_ns = FOREVER, .stuck_ns = FOREVER, .memory = 1ULL << 30, .answer = 1 << 20,
}, large = {
	.cpu_ns = FOREVER, .stuck_ns = FOREVER, .memory = 1ULL << 30, .answer = 1 << 24,
}, little = {
	.cpu_ns = 30000000, .stuck_ns = FOREVER, .memory = 1ULL << 30, .answer = 1 << 20,
};

static int do_job(const struct wp_job *job, struct wp_job_answer *answer)
{
	struct wp_elfcode codes = { .nr = 1, .code[0] = { .start = 0, .end = 4096, .size = 4096 } };
	char text[16] = "";
	int i;

	if (job->head.kind != WP_JOB_TABLE || job->nr_fds != 1 ||
	    pread(job->fds[0], text, sizeof(text) - 1, 0) < 0)
		return -EINVAL;
	if (!strcmp(text, "none"))
		return -ENOEXEC;
	if (!strcmp(text, "memory"))
		return -ENOMEM;
	if (!strcmp(text, "crash"))
		_exit(1);
	while (!strcmp(text, "spin"))
		asm volatile("" : : : "memory");
	if (!strcmp(text, "overlap"))
		codes.nr = 2;
	if (!strcmp(text, "many"))
		codes.nr = 1UL << 60;
	wp_job_add(answer, &codes, sizeof(codes));
	for (i = 0; i < 8 << 20 && !strcmp(text, "large"); i += sizeof(text))
		wp_job_add(answer, text, sizeof(text));
	if (strcmp(text, "short"))
		wp_job_add(answer, text, sizeof(text));
	return 0;
}

/* What came back. */
static struct {
	pthread_mutex_t lock;
	int nr;
	const struct wp_tablejob *job[1024];
	__u32 pushed;
} back = { .lock = PTHREAD_MUTEX_INITIALIZER };

static int push(void *ctx, const void *table, size_t size, __u32 *id)
{
	(void)ctx;
	(void)table;
	(void)size;
	*id = ++back.pushed;
	return 0;
}

static void take_back(void *ctx, struct wp_tablejob *job)
{
	(void)ctx;
	pthread_mutex_lock(&back.lock);
	back.job[back.nr++] = job;
	pthread_mutex_unlock(&back.lock);
}

static int nr_back(void)
{
	int nr;

	pthread_mutex_lock(&back.lock);
	nr = back.nr;
	pthread_mutex_unlock(&back.lock);
	return nr;
}

static struct wp_tablequeue *new_queue(const struct wp_worker_limits *limits)
{
	struct wp_tablequeue_options opt = {
		.push = push, .done = take_back, .limits = limits,
	};

	back.nr = 0;
	back.pushed = 0;
	return wp_tablequeue_new(&opt);
}

static int file_of(const char *text)
{
	int fd = memfd_create("text", MFD_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		abort();
	return fd;
}

static struct wp_tablejob job_of(uid_t owner, const char *text)
{
	return (struct wp_tablejob){
		.fd = file_of(text), .owner = owner, .dev = 1, .size = strlen(text), .label = text,
	};
}

static void wait_for_back(struct wp_tablequeue *q, int nr)
{
	struct pollfd fd = { .fd = wp_tablequeue_fd(q), .events = POLLIN };
	__u64 count;

	while (nr_back() < nr) {
		poll(&fd, 1, 100);
		if (fd.revents && read(fd.fd, &count, sizeof(count)) < 0)
			break;
	}
}

static void wait_until_still(struct wp_tablequeue *q)
{
	struct pollfd fd = { .fd = wp_tablequeue_fd(q), .events = POLLIN };
	__u64 count;

	while (wp_tablequeue_busy(q)) {
		poll(&fd, 1, 100);
		if (fd.revents && read(fd.fd, &count, sizeof(count)) < 0)
			break;
	}
}

/* Files of one user that would take for ever; others have theirs, and the end waits not. */
static void starve(void)
{
	struct wp_tablequeue *q = new_queue(&patient);
	struct wp_tablejob spin[100], good[3];
	int i, added = 0;

	for (i = 0; i < 100; i++) {
		spin[i] = job_of(1000, "spin");
		added += !wp_tablequeue_add(q, &spin[i]);
	}
	good[0] = job_of(0, "good");
	good[1] = job_of(1001, "good");
	good[2] = job_of(1002, "good");
	for (i = 0; i < 3; i++)
		added += !wp_tablequeue_add(q, &good[i]);
	ok(added == 103, "100 files of a user that spin, and some of others");
	wait_for_back(q, 3);
	ok(good[0].table && good[1].table && good[2].table && nr_back() == 3,
	   "those of others have their tables");
	wp_tablequeue_free(q);
	ok(nr_back() == 3, "the end waits for no table");
	for (i = 0; i < 100; i++)
		close(spin[i].fd);
}

/* More users whose files spin than there are workers. */
static void many_users(void)
{
	struct wp_tablequeue *q = new_queue(&little);
	struct wp_tablejob spin[40], good;
	struct wp_tablequeue_stats stats;
	int i;

	for (i = 0; i < 40; i++) {
		spin[i] = job_of(1000 + i, "spin");
		wp_tablequeue_add(q, &spin[i]);
	}
	good = job_of(2000, "good");
	wp_tablequeue_add(q, &good);
	wait_until_still(q);
	wp_tablequeue_stats(q, &stats);
	ok(good.table && stats.tables == 1 && stats.bad == 40 && stats.no_table == 40,
	   "files of many users spin: each is given up, one that does not has its table");
	ok(stats.ns >= 40 * little.cpu_ns, "the time that they took is counted");
	wp_tablequeue_free(q);
}

/* One bad file of a user costs only itself. */
static void mixed(void)
{
	static const char *const texts[] = {
		"good", "crash", "good", "none", "overlap", "good", "many", "short", "memory", "good",
	};
	enum { NR = sizeof(texts) / sizeof(texts[0]) };
	struct wp_tablequeue *q = new_queue(&patient);
	struct wp_tablequeue_stats stats;
	struct wp_tablejob job[NR];
	bool right = true;
	int i;

	for (i = 0; i < NR; i++) {
		job[i] = job_of(1000, texts[i]);
		wp_tablequeue_add(q, &job[i]);
	}
	wait_until_still(q);
	wp_tablequeue_stats(q, &stats);
	for (i = 0; i < NR; i++)
		right &= !job[i].table == !!strcmp(texts[i], "good") && job[i].fd < 0;
	ok(right, "among a user's files the good ones have tables");
	ok(stats.tables == 4 && stats.bad == 5 && stats.no_table == 6, "all are counted");
	wp_tablequeue_free(q);
}

/* What one user can have waiting is not all that there is room for. */
static void room(void)
{
	struct wp_tablequeue *q = new_queue(&patient);
	static struct wp_tablejob job[1024], other;
	int i, added = 0;

	for (i = 0; i < 1024; i++) {
		job[i] = job_of(1000, "spin");
		if (wp_tablequeue_add(q, &job[i]))
			break;
		added++;
	}
	close(job[added].fd);
	ok(added > 16 && added < 512 && !wp_tablequeue_has_room(q, 1000, 1) &&
	   wp_tablequeue_has_room(q, 1001, 1), "a user has no more than %d files waiting", added);
	other = job_of(1001, "good");
	ok(!wp_tablequeue_add(q, &other), "one of another user can be added");
	wait_for_back(q, 1);
	ok(other.table, "it gets its table");
	wp_tablequeue_free(q);
	for (i = 0; i < added; i++)
		close(job[i].fd);
}

/* Nor is it if the user has mounted many file systems; and they have one worker at a time. */
static void many_mounts(void)
{
	struct wp_tablequeue *q = new_queue(&patient);
	static struct wp_tablejob job[1024], other[2];
	int i, added = 0;

	for (i = 0; i < 1024; i++) {
		job[i] = job_of(1000, "spin");
		job[i].dev = 100 + i % 32;
		if (wp_tablequeue_add(q, &job[i]))
			break;
		added++;
	}
	if (i < 1024)
		close(job[i].fd);
	ok(added > 16 && added < 512, "files in many file systems: no more than %d wait", added);
	other[0] = job_of(1001, "good");
	other[1] = job_of(0, "good");
	ok(!wp_tablequeue_add(q, &other[0]) && !wp_tablequeue_add(q, &other[1]),
	   "others' can be added");
	for (i = 0; i < 2; i++)
		wait_for_back(q, i + 1);
	ok(other[0].table && other[1].table && nr_back() == 2, "they get their tables");
	wp_tablequeue_free(q);
	for (i = 0; i < added; i++)
		close(job[i].fd);
}

/* Root's files in one file system, as of a container, leave room for those in others. */
static void room_of_root(void)
{
	struct wp_tablequeue *q = new_queue(&patient);
	static struct wp_tablejob job[1024], other;
	int i, added = 0;

	for (i = 0; i < 1024; i++) {
		job[i] = job_of(0, "spin");
		if (wp_tablequeue_add(q, &job[i]))
			break;
		added++;
	}
	if (i < 1024)
		close(job[i].fd);
	other = job_of(0, "good");
	other.dev = 2;
	ok(added < 1024 && !wp_tablequeue_add(q, &other), "root's %d files leave room", added);
	wait_for_back(q, 1);
	ok(other.table, "for another one's table");
	wp_tablequeue_free(q);
	for (i = 0; i < added; i++)
		close(job[i].fd);
}

/*
 * Tables of one user's files, of 8 MiB each: those of others have room. Root has no limit,
 * but in another file system, as in a container.
 */
static void bytes(void)
{
	struct wp_tablequeue *q = new_queue(&large);
	static struct wp_tablejob job[4][20];
	static const uid_t uid[] = { 1000, 1001, 0, 0 };
	unsigned int of[4] = { 0 }, again = 0;
	struct stat st;
	int i, k;

	if (stat("/", &st))
		abort();
	for (i = 0; i < 20; i++) {
		for (k = 0; k < 4; k++) {
			if (k == 1 && i >= 2)
				continue;
			job[k][i] = job_of(uid[k], "large");
			job[k][i].dev = k == 2 ? st.st_dev : k == 3 ? st.st_dev + 1 : 1U + i % 3;
			wp_tablequeue_add(q, &job[k][i]);
		}
		wait_until_still(q);
		for (k = 0; k < 4; k++)
			of[k] += !!job[k][i].table;
	}
	ok(of[0] > 4 && of[0] < 17 && of[1] == 2 && of[2] == 20 &&
	   of[3] > 4 && of[3] < 17,
	   "tables taken: %u of 20 of a user, %u of 2 of another one, %u of 20 of root, %u of 20 of a container's root",
	   of[0], of[1], of[2], of[3]);
	wp_tablequeue_forget(q);
	job[0][0] = job_of(1000, "large");
	wp_tablequeue_add(q, &job[0][0]);
	wait_until_still(q);
	again += !!job[0][0].table;
	ok(again, "forgotten, they can be pushed again");
	wp_tablequeue_free(q);
}

/* Groups and users that the queue has now. */
static unsigned int nr_kept(struct wp_tablequeue *q, unsigned int *nr_users)
{
	const struct wp_tableuser *u;
	unsigned int nr;

	*nr_users = 0;
	pthread_mutex_lock(&q->lock);
	for (u = q->users; u; u = u->next)
		++*nr_users;
	nr = q->nr_groups;
	pthread_mutex_unlock(&q->lock);
	return nr;
}

/*
 * File systems without end, of root and of a user, as containers and mounts come and go: the
 * queue does not keep them, but how much of a limit the user has used.
 */
static void come_and_go(void)
{
	struct wp_tablequeue *q = new_queue(&large);
	static struct wp_tablejob job[100];
	unsigned int most = 0, most_users = 0, groups, users, round, taken = 0, i;

	/* 128 MiB: no more after that. */
	for (i = 0; i < 20; i++) {
		job[i] = job_of(1001, "large");
		wp_tablequeue_add(q, &job[i]);
	}
	wait_until_still(q);
	for (round = 0; round < 3 * WP_TABLEGROUPS_KEPT / 100; round++) {
		back.nr = 0;
		for (i = 0; i < 100; i++) {
			job[i] = job_of(i % 2 ? 1000 : 0, "none");
			job[i].dev = 100 + round * 100 + i;
			if (wp_tablequeue_add(q, &job[i]))
				abort();
		}
		wait_until_still(q);
		groups = nr_kept(q, &users);
		most = groups > most ? groups : most;
		most_users = users > most_users ? users : most_users;
	}
	ok(most > WP_TABLEGROUPS_KEPT / 2 && most <= WP_TABLEGROUPS_KEPT + 100,
	   "of %u file systems at most %u were kept", round * 100, most);
	ok(most_users <= WP_TABLEGROUPS_KEPT + 100, "of their users at most %u", most_users);
	for (i = 0; i < 20; i++) {
		job[i] = job_of(1001, "large");
		wp_tablequeue_add(q, &job[i]);
	}
	wait_until_still(q);
	for (i = 0; i < 20; i++)
		taken += !!job[i].table;
	ok(!taken, "a user who has used the limit before has no more: %u", taken);
	wp_tablequeue_free(q);
}

int main(void)
{
	wp_set_verbosity(WP_SILENT);
	if (wp_zygote_begin(do_job))
		return 1;
	starve();
	many_users();
	mixed();
	room();
	many_mounts();
	room_of_root();
	bytes();
	come_and_go();
	wp_worker_end();
	return done();
}
