// SPDX-License-Identifier: GPL-2.0
/*
 * The character device: open, release, mmap, poll, and the table of ioctls.
 *
 * This file owns what is between a user's bytes and session.c: privilege, sizes, copies.
 * Process context.
 */
#include <linux/capability.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/poll.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>

#include "compat/fs.h"
#include "compat/security.h"
#include "compat/uaccess.h"
#include "counters.h"
#include "cpus.h"
#include "device.h"
#include "remote_read.h"
#include "session.h"
#include "snapshot.h"
#include "state.h"

static atomic_t wp_sessions = ATOMIC_INIT(0);	/* open descriptors */

/* Those opened without CAP_SYS_ADMIN in the initial user namespace. */
static atomic_t wp_sessions_limited = ATOMIC_INIT(0);

/* The struct of any ioctl. The first field of each is its size. */
union wp_args {
	u32 size;
	struct wallprof_info info;
	struct wallprof_configure configure;
	struct wallprof_start start;
	struct wallprof_flip flip;
	struct wallprof_stop stop;
	struct wallprof_status status;
	struct wallprof_push push;
	struct wallprof_maps maps;
	struct wallprof_live live;
	struct wallprof_event event;
	struct wallprof_count count;
	struct wallprof_read read;
};

static int wp_ioctl_info(struct wp_session *session, union wp_args *args)
{
	struct wallprof_info *info = &args->info;

	if (info->reserved)
		return -EINVAL;
	info->abi_version = WALLPROF_ABI_VERSION;
	info->nr_cpus = nr_cpu_ids;
	info->nr_online = num_online_cpus();
	info->page_size = PAGE_SIZE;
	info->states = GENMASK(WALLPROF_STATE_MAX - 1, 0);
	info->features = 0;
	strscpy(info->version, WALLPROF_VERSION, sizeof(info->version));
	return 0;
}

/* Whether the caller may record. Context: process. */
static int wp_device_allowed(void)
{
	if (!perfmon_capable())
		return -EPERM;
	return wp_locked_down_perf();
}

static int wp_ioctl_configure(struct wp_session *session, union wp_args *args)
{
	/*
	 * The descriptor may have been passed on, or the kernel locked down, since open.
	 */
	int err = wp_device_allowed();

	return err ? err : wp_session_configure(session, &args->configure);
}

static int wp_ioctl_event(struct wp_session *session, union wp_args *args)
{
	/* As for the counters of CONFIGURE. */
	int err = wp_device_allowed();

	return err ? err : wp_session_event(session, &args->event);
}

static int wp_ioctl_count(struct wp_session *session, union wp_args *args)
{
	return wp_counters_count(session, &args->count);
}

static int wp_ioctl_start(struct wp_session *session, union wp_args *args)
{
	return wp_session_start(session, &args->start);
}

static int wp_ioctl_flip(struct wp_session *session, union wp_args *args)
{
	return wp_session_flip(session, &args->flip);
}

static int wp_ioctl_stop(struct wp_session *session, union wp_args *args)
{
	return wp_session_stop(session, &args->stop);
}

static int wp_ioctl_status(struct wp_session *session, union wp_args *args)
{
	if (args->status.reserved)
		return -EINVAL;
	return wp_session_status(session, &args->status);
}

static int wp_ioctl_push(struct wp_session *session, union wp_args *args)
{
	return wp_session_push(session, &args->push);
}

static int wp_ioctl_maps(struct wp_session *session, union wp_args *args)
{
	return wp_session_maps(session, &args->maps);
}

static int wp_ioctl_live(struct wp_session *session, union wp_args *args)
{
	/* See above: mmap() needs no ioctl before it. */
	int err = wp_device_allowed();

	return err ? err : wp_snapshot_read(session, &args->live);
}

static int wp_ioctl_read(struct wp_session *session, union wp_args *args)
{
	return wp_remote_read(session, &args->read);
}

/* @min is the size of the struct in the first release that had it. */
static const struct wp_ioctl {
	u32 size;
	u32 min;
	int (*handler)(struct wp_session *session, union wp_args *args);
} wp_ioctls[] = {
#define WP_IOCTL(cmd, type, last, fn)					\
	[_IOC_NR(cmd)] = {						\
		.size = sizeof(type) +					\
			BUILD_BUG_ON_ZERO(sizeof(type) >		\
					  sizeof(union wp_args)),	\
		.min = offsetofend(type, last),				\
		.handler = fn,						\
	}
	WP_IOCTL(WALLPROF_IOC_INFO, struct wallprof_info, version,
		 wp_ioctl_info),
	WP_IOCTL(WALLPROF_IOC_CONFIGURE, struct wallprof_configure, task_bytes,
		 wp_ioctl_configure),
	WP_IOCTL(WALLPROF_IOC_START, struct wallprof_start, time,
		 wp_ioctl_start),
	WP_IOCTL(WALLPROF_IOC_FLIP, struct wallprof_flip, time, wp_ioctl_flip),
	WP_IOCTL(WALLPROF_IOC_STOP, struct wallprof_stop, time, wp_ioctl_stop),
	WP_IOCTL(WALLPROF_IOC_STATUS, struct wallprof_status, tables_bytes,
		 wp_ioctl_status),
	WP_IOCTL(WALLPROF_IOC_PUSH, struct wallprof_push, id, wp_ioctl_push),
	WP_IOCTL(WALLPROF_IOC_MAPS, struct wallprof_maps, start_stack,
		 wp_ioctl_maps),
	WP_IOCTL(WALLPROF_IOC_LIVE, struct wallprof_live, records,
		 wp_ioctl_live),
	WP_IOCTL(WALLPROF_IOC_EVENT, struct wallprof_event, attr_period,
		 wp_ioctl_event),
	WP_IOCTL(WALLPROF_IOC_COUNT, struct wallprof_count, running_ns,
		 wp_ioctl_count),
	WP_IOCTL(WALLPROF_IOC_READ, struct wallprof_read, reserved,
		 wp_ioctl_read),
};

static long wp_device_ioctl(struct file *file, unsigned int cmd,
			    unsigned long arg)
{
	struct wp_session *session = file->private_data;
	void __user *user = (void __user *)arg;
	const struct wp_ioctl *ioctl;
	union wp_args args = {};
	u32 size;
	long err;

	if (_IOC_TYPE(cmd) != WALLPROF_IOC_TYPE || _IOC_SIZE(cmd) ||
	    _IOC_DIR(cmd) != _IOC_NONE || _IOC_NR(cmd) >= ARRAY_SIZE(wp_ioctls))
		return -ENOTTY;
	ioctl = &wp_ioctls[array_index_nospec(_IOC_NR(cmd), ARRAY_SIZE(wp_ioctls))];
	if (get_user(size, (u32 __user *)user))
		return -EFAULT;
	if (size < ioctl->min)
		return -EINVAL;
	/* The limit of a struct's size in later versions. */
	if (size > PAGE_SIZE)
		return -E2BIG;
	err = copy_struct_from_user(&args, ioctl->size, user, size);
	if (err)
		return err;
	/* An ioctl whose result cannot be written must not be carried out. */
	if (copy_to_user(user, &args, min(size, ioctl->size)))
		return -EFAULT;
	if (mutex_lock_interruptible(&session->lock))
		return -EINTR;
	wp_cpus_pay(session);
	err = ioctl->handler(session, &args);
	mutex_unlock(&session->lock);
	if (err)
		return err;
	args.size = size;
	if (copy_to_user(user, &args, min(size, ioctl->size)))
		return -EFAULT;
	return 0;
}

static __poll_t wp_device_poll(struct file *file, poll_table *wait)
{
	struct wp_session *session = file->private_data;
	__poll_t mask = 0;

	poll_wait(file, &session->wait, wait);
	switch (READ_ONCE(session->state)) {
	case WALLPROF_SESSION_OPEN:
	case WALLPROF_SESSION_CONFIGURED:
		return EPOLLERR;
	case WALLPROF_SESSION_STOPPED:
		return EPOLLHUP;
	}
	if (atomic_read(&session->signalled))
		mask |= EPOLLIN | EPOLLRDNORM;
	if (atomic_read(&session->targets_gone))
		mask |= EPOLLHUP;
	return mask;
}

static int wp_device_mmap(struct file *file, struct vm_area_struct *vma)
{
	return wp_session_mmap(file->private_data, vma);
}

/* Counts one more, unless @max is reached. */
static bool wp_device_count(atomic_t *nr, int max)
{
	return atomic_add_unless(nr, 1, max);
}

static void wp_device_uncount(bool limited)
{
	atomic_dec(&wp_sessions);
	if (limited)
		atomic_dec(&wp_sessions_limited);
}

static int wp_device_open(struct inode *inode, struct file *file)
{
	struct wp_session *session;
	bool limited;
	int err;

	err = wp_device_allowed();
	if (err)
		return err;
	limited = !ns_capable_noaudit(&init_user_ns, CAP_SYS_ADMIN);
	if (!wp_device_count(&wp_sessions, WALLPROF_MAX_SESSIONS))
		return -EUSERS;
	if (limited && !wp_device_count(&wp_sessions_limited, WALLPROF_MAX_SESSIONS_LIMITED)) {
		wp_device_uncount(false);
		return -EUSERS;
	}
	session = wp_session_new(file->f_mapping);
	if (IS_ERR(session)) {
		wp_device_uncount(limited);
		return PTR_ERR(session);
	}
	session->limited = limited;
	file->private_data = session;
	return nonseekable_open(inode, file);
}

static int wp_device_release(struct inode *inode, struct file *file)
{
	struct wp_session *session = file->private_data;
	bool limited = session->limited;

	wp_session_free(session);
	wp_device_uncount(limited);
	return 0;
}

static const struct file_operations wp_device_fops = {
	.owner = THIS_MODULE,
	.open = wp_device_open,
	.release = wp_device_release,
	.unlocked_ioctl = wp_device_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = wp_device_mmap,
	.poll = wp_device_poll,
};

static struct miscdevice wp_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "wallprof",
	.fops = &wp_device_fops,
	/* open checks the capability, which a user may have without uid 0. */
	.mode = 0666,
};

/* Context: process, at load. */
int wp_device_init(void)
{
	return misc_register(&wp_device);
}

/* Context: process, at unload. */
void wp_device_exit(void)
{
	misc_deregister(&wp_device);
}
