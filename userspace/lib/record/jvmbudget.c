// SPDX-License-Identifier: GPL-2.0
/*
 * Limits what is read of the JVMs of each user in an epoch, and what is kept of them: whatever
 * its processes do, those of others have names. Called by jvmmethods.c.
 */
#include "lib/record/jvmbudget.h"

/* What may be read of the processes of a user in an epoch, for how many stacks, and of all. */
#define EPOCH_BLOCKS	16384
#define EPOCH_BYTES	(16 << 20)
#define USER_WINDOWS	512
#define ALL_WINDOWS	2048
#define USER_STACKS	4096

/* A user may have this part of the memory. */
#define USER_PART	2

/**
 * wp_jvmbudget_renew() - begin an epoch
 * @b: the limits
 */
void wp_jvmbudget_renew(struct wp_jvmbudget *b)
{
	unsigned int i;

	for (i = 0; i < WP_INTERPUSERS_MAX; i++) {
		b->read[i] = (struct wp_pybudget){ EPOCH_BLOCKS, EPOCH_BYTES };
		b->windows[i] = USER_WINDOWS;
		b->stacks[i] = USER_STACKS;
	}
	b->all_windows = ALL_WINDOWS;
}

/**
 * wp_jvmbudget_may_read() - whether more may be read of the processes of a user
 * @b: the limits
 * @user: the user
 *
 * Return: false if not in this epoch.
 */
bool wp_jvmbudget_may_read(const struct wp_jvmbudget *b, unsigned int user)
{
	return b->windows[user] && b->all_windows && b->stacks[user];
}

/**
 * wp_jvmbudget_has_read() - note that a process was read
 * @b: the limits
 * @user: its user
 * @left: how many windows of the user were left
 */
void wp_jvmbudget_has_read(struct wp_jvmbudget *b, unsigned int user, unsigned int left)
{
	unsigned int used = b->windows[user] - left;

	b->windows[user] = left;
	b->all_windows -= used < b->all_windows ? used : b->all_windows;
}

/**
 * wp_jvmbudget_has_room() - whether more may be kept of the processes of a user
 * @b: the limits
 * @user: the user
 *
 * Return: true if so.
 */
bool wp_jvmbudget_has_room(const struct wp_jvmbudget *b, unsigned int user)
{
	return b->all_bytes < b->max_bytes && b->bytes[user] <= b->max_bytes / USER_PART;
}

/**
 * wp_jvmbudget_keep() - note what is kept
 * @b: the limits
 * @user: the user
 * @bytes: so much more, or less
 */
void wp_jvmbudget_keep(struct wp_jvmbudget *b, unsigned int user, ssize_t bytes)
{
	b->bytes[user] += bytes;
	b->all_bytes += bytes;
}
