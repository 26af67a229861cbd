// SPDX-License-Identifier: GPL-2.0
/*
 * Numbers the users of processes whose interpreters are read: each of them may have so much
 * read, whatever its processes are.
 */
#include <unistd.h>

#include "lib/base/procdir.h"
#include "lib/base/procfile.h"
#include "lib/record/interpusers.h"

/**
 * wp_interpusers_find() - find the user of a process
 * @users: the users
 * @pid: the process
 *
 * Return: the user's number, below WP_INTERPUSERS_MAX; those that find no room share the last
 * one.
 */
unsigned int wp_interpusers_find(struct wp_interpusers *users, __u32 pid)
{
	int dir = wp_procdir_open(pid);
	uid_t uid = dir < 0 ? (uid_t)-1 : wp_procfile_user(dir);
	unsigned int i;

	if (dir >= 0)
		close(dir);
	for (i = 0; i < users->nr && users->uid[i] != uid; i++)
		;
	if (i == WP_INTERPUSERS_MAX)
		return WP_INTERPUSERS_MAX - 1;
	if (i == users->nr)
		users->uid[users->nr++] = uid;
	return i;
}
