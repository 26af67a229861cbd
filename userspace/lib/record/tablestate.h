/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State of the queue of tables, for tablequeue.c and its parts: tablegroups.c,
 * tableresults.c and tableworkers.c.
 */
#ifndef WP_LIB_RECORD_TABLESTATE_H
#define WP_LIB_RECORD_TABLESTATE_H

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>
#include <unistd.h>
#include <linux/types.h>

#include "lib/record/tablejob.h"
#include "lib/sandbox/worker.h"

/* Maximum number of workers. */
#define WP_TABLESLOT_MAX	8

#define WP_TABLEGROUP_BUCKETS	64

/**
 * struct wp_tableuser - an owner of files
 * @next: in the list of all
 * @owner: the owner
 * @dev: root only: the file system; else 0
 * @open: number of files that wait or are being read
 * @nr_groups: number of its groups
 * @bytes: bytes of tables that were pushed, or refused
 * @bad: number of files that were given up. Private to the thread, as all that follow
 * @spent: CPU time used, or time for which a worker was kept waiting
 * @rest_until: none of the files is read before this time
 */
struct wp_tableuser {
	struct wp_tableuser *next;
	uid_t owner;
	dev_t dev;
	unsigned int open;
	unsigned int nr_groups;
	__u64 bytes;
	unsigned int bad;
	__u64 spent;
	__u64 rest_until;
};

/**
 * struct wp_tablegroup - files of one owner in one file system
 * @next: in its bucket
 * @next_group: in the list of all
 * @user: the user
 * @owner: the owner
 * @dev: the file system
 * @unnamed: files whose tables' names are unknown, the newest first
 * @unmade: files whose tables are not on disk
 * @has_worker: it has a slot. Private to the thread
 */
struct wp_tablegroup {
	struct wp_tablegroup *next;
	struct wp_tablegroup *next_group;
	struct wp_tableuser *user;
	uid_t owner;
	dev_t dev;
	struct wp_tablejob *unnamed;
	struct wp_tablejob *unmade;
	bool has_worker;
};

/**
 * struct wp_tableslot - a worker and its jobs. Private to the thread
 * @w: the worker, or NULL
 * @group: the group whose files it reads, or NULL
 * @job: its jobs, a ring; the first at @first
 * @first: index of the oldest
 * @nr: number of jobs
 * @making: it builds a table
 * @served: number of files that this worker has read
 */
struct wp_tableslot {
	struct wp_worker *w;
	struct wp_tablegroup *group;
	struct wp_tablejob *job[WP_WORKER_DEPTH];
	unsigned int first;
	unsigned int nr;
	bool making;
	unsigned int served;
};

struct wp_tablequeue {
	struct wp_tablequeue_options opt;
	pthread_mutex_t lock;		/* protects all up to @slot, and groups' files */
	pthread_t thread;
	bool has_thread;
	bool stop;
	dev_t root;			/* file system of our own root directory */
	int wake;			/* eventfd: something was added, or @stop */
	int ready;			/* eventfd: a file is finished */
	struct wp_tablegroup *bucket[WP_TABLEGROUP_BUCKETS];
	struct wp_tablegroup *groups;
	struct wp_tableuser *users;
	unsigned int nr_groups;
	unsigned int sweep_at;		/* forget idle groups if there are more */
	struct wp_tablejob *vdso;
	unsigned int max_open;
	unsigned int nr_open;
	struct wp_tablequeue_stats stats;
	struct wp_tableslot slot[WP_TABLESLOT_MAX];
};

/* Add to an eventfd. */
static inline void wp_tablestate_raise(int fd)
{
	__u64 one = 1;

	/* A saturated counter has woken its reader already. */
	if (write(fd, &one, sizeof(one)) < 0)
		errno = 0;
}

#endif /* WP_LIB_RECORD_TABLESTATE_H */
