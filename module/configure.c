// SPDX-License-Identifier: GPL-2.0
/*
 * What configure does: the user's targets and CPUs are read, the memory of a session is
 * charged and allocated; and all of it undone.
 *
 * This file owns that memory, except what counters.c, cpus.c and mappings.c own. Its caller
 * is session.c: process context, the session locked, or without other users.
 */
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "compat/cgroup.h"
#include "compat/memcg.h"
#include "compat/mm.h"
#include "compat/vmalloc.h"
#include "configure.h"
#include "counters.h"
#include "cpus.h"
#include "epoch.h"
#include "state.h"
#include "targets.h"

/*
 * Allocates zeroed memory. A request that is too large must fail, not start the OOM
 * killer.
 */
static void *wp_zalloc(u64 bytes)
{
	return __vmalloc(bytes, GFP_KERNEL_ACCOUNT | __GFP_ZERO | WP_GFP_MAY_FAIL);
}

/* Copies the user's list of names. */
static int wp_configure_read_names(struct wp_session *session)
{
	const struct wallprof_configure *config = &session->config;
	struct wp_names *names = &session->names;
	u64 bytes = config->nr_targets * sizeof(*names->names);

	names->names = wp_zalloc(bytes);
	if (!names->names)
		return -ENOMEM;
	if (copy_from_user(names->names, u64_to_user_ptr(config->targets), bytes))
		return -EFAULT;
	names->nr = config->nr_targets;
	return wp_names_sort(names) ? 0 : -EINVAL;
}

/* Copies the user's list of ids, of @width bytes each. Fails if one is @none. */
static int wp_configure_read_ids(struct wp_session *session, u32 width, u64 none)
{
	const struct wallprof_configure *config = &session->config;
	struct wp_ids *ids = &session->ids;
	u64 bytes = config->nr_targets * sizeof(*ids->ids);
	u64 read = config->nr_targets * width;

	ids->ids = wp_zalloc(bytes);
	if (!ids->ids)
		return -ENOMEM;
	/* Copied to the end of the array: see wp_ids_widen(). */
	if (copy_from_user((void *)ids->ids + bytes - read,
			   u64_to_user_ptr(config->targets), read))
		return -EFAULT;
	ids->nr = config->nr_targets;
	if (width == sizeof(u32))
		wp_ids_widen(ids);
	/* An id that stands for what cannot be named would match all of that. */
	if (!wp_ids_name(ids, none))
		return -EINVAL;
	wp_ids_sort(ids);
	return 0;
}

/* Copies the user's list of targets. */
static int wp_configure_read_targets(struct wp_session *session)
{
	switch (session->config.target) {
	case WALLPROF_TARGET_ALL:
		return 0;
	case WALLPROF_TARGET_COMM:
		return wp_configure_read_names(session);
	case WALLPROF_TARGET_CGROUP:
		if (!wp_has_cgroups())
			return -EOPNOTSUPP;
		return wp_configure_read_ids(session, sizeof(u64), 0);
	case WALLPROF_TARGET_UID:
		return wp_configure_read_ids(session, sizeof(u32), U32_MAX);
	default:
		return wp_configure_read_ids(session, sizeof(u32), 0);
	}
}

/* Copies the user's mask of CPUs. */
static int wp_configure_read_cpus(struct wp_session *session)
{
	struct wallprof_configure *config = &session->config;
	u32 bytes = config->cpus_bytes;
	u32 nr, i;
	u8 *mask;

	cpumask_clear(session->cpus_mask);
	session->all_cpus = !config->cpus;
	if (session->all_cpus) {
		cpumask_copy(session->cpus_mask, cpu_possible_mask);
		return bytes ? -EINVAL : 0;
	}
	if (!bytes || bytes % 8 || bytes > PAGE_SIZE)
		return -EINVAL;
	mask = memdup_user(u64_to_user_ptr(config->cpus), bytes);
	if (IS_ERR(mask))
		return PTR_ERR(mask);
	/* Bit N is bit N % 8 of byte N / 8, for readers of any word size. */
	for (i = 0; i < bytes * 8; i++) {
		nr = i;
		if (!(mask[i / 8] & BIT(i % 8)))
			continue;
		if (nr >= nr_cpu_ids || !cpu_possible(nr)) {
			kfree(mask);
			return -EINVAL;
		}
		cpumask_set_cpu(nr, session->cpus_mask);
	}
	kfree(mask);
	return cpumask_empty(session->cpus_mask) ? -EINVAL : 0;
}

static int wp_configure_allocate_tasks(struct wp_session *session)
{
	u32 nr = session->config.nr_tasks;
	unsigned long *keys = wp_zalloc(nr * sizeof(*keys));
	unsigned long *overflowed = wp_zalloc(BITS_TO_LONGS(nr) * sizeof(long));
	struct wallprof_task *slots = wp_zalloc(session->layout.tasks_bytes);

	session->hints = wp_zalloc(BITS_TO_LONGS(nr) * sizeof(long));
	wp_tasks_set(&session->tasks, keys, slots, overflowed, nr);
	return keys && overflowed && slots && session->hints ? 0 : -ENOMEM;
}

static int wp_configure_allocate_tails(struct wp_session *session)
{
	if (!session->layout.tails_bytes)
		return 0;
	session->tails = wp_zalloc(session->layout.tails_bytes);
	return session->tails ? 0 : -ENOMEM;
}

/* Charges the session's memory to the caller, as locked memory. */
static int wp_configure_charge(struct wp_session *session)
{
	u64 pages = session->config.memory_bytes >> PAGE_SHIFT;
	int err;

	if (pages > totalram_pages())
		return -ENOMEM;
	err = account_locked_vm(current->mm, pages, true);
	if (err)
		return err;
	mmgrab(current->mm);
	session->mm = current->mm;
	session->mm_pages = pages;
	session->mm_limit = capable(CAP_IPC_LOCK) ? ULONG_MAX :
			    rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	return 0;
}

/**
 * wp_configure_set_up - do the parts of configure that have to be undone when one fails
 * @session: the session, locked; its config is valid
 *
 * Context: process.
 * Return: 0, or an error as documented in the uapi header: wp_cpus_unfollow() and
 * wp_configure_release() undo what was done.
 */
int wp_configure_set_up(struct wp_session *session)
{
	int err;

	err = wp_configure_read_targets(session);
	if (err)
		return err;
	err = wp_configure_read_cpus(session);
	if (err)
		return err;
	err = wp_targets_set(session);
	if (err)
		return err;
	if (!wp_cpus_lay_out(session))
		return -EINVAL;
	err = wp_configure_charge(session);
	if (err)
		return err;
	err = wp_configure_allocate_tasks(session);
	if (err)
		return err;
	err = wp_configure_allocate_tails(session);
	if (err)
		return err;
	err = wp_cpus_allocate(session);
	if (err)
		return err;
	wp_epoch_begin(session, 1);
	err = wp_cpus_follow(session);
	if (err)
		return err;
	return wp_counters_follow(session);
}

/**
 * wp_configure_release - free all that configure allocated
 * @session: a session without other users, or one that was not configured yet
 *
 * Context: process.
 */
void wp_configure_release(struct wp_session *session)
{
	wp_counters_free(session);
	wp_cpus_free(session);
	vfree(session->tails);
	session->tails = NULL;
	vfree(session->tasks.keys);
	vfree(session->tasks.slots);
	vfree(session->tasks.overflowed);
	vfree(session->hints);
	memset(&session->tasks, 0, sizeof(session->tasks));
	session->hints = NULL;
	vfree(session->ids.ids);
	memset(&session->ids, 0, sizeof(session->ids));
	vfree(session->names.names);
	memset(&session->names, 0, sizeof(session->names));
	if (session->mm) {
		account_locked_vm(session->mm, session->mm_pages +
				  atomic_long_read(&session->late_pages) +
				  atomic_long_read(&session->grown_pages) -
				  atomic_long_read(&session->owed_pages), false);
		mmdrop(session->mm);
	}
	session->mm = NULL;
	session->mm_pages = 0;
	atomic_long_set(&session->late_pages, 0);
	atomic_long_set(&session->grown_pages, 0);
	atomic_long_set(&session->owed_pages, 0);
	memset(&session->config, 0, sizeof(session->config));
}
