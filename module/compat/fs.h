/* SPDX-License-Identifier: GPL-2.0 */
/* include/linux/fs.h, as of the newest kernel. */
#ifndef WALLPROF_COMPAT_FS_H
#define WALLPROF_COMPAT_FS_H

#include <linux/compat.h>
#include <linux/fs.h>

#include "features.h"

#if defined(CONFIG_COMPAT) && !defined(WP_HAS_COMPAT_PTR_IOCTL)
static inline long compat_ptr_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	return file->f_op->unlocked_ioctl(file, cmd, (unsigned long)compat_ptr(arg));
}
#elif !defined(WP_HAS_COMPAT_PTR_IOCTL)
#define compat_ptr_ioctl	NULL
#endif

/*
 * Path of the file that the user opened, if one of another file system stands in for it.
 */
static inline const struct path *wp_file_user_path(const struct file *file)
{
#ifdef WP_HAS_FILE_USER_PATH
	return file_user_path(file);
#else
	return &file->f_path;
#endif
}

/* Inode of that file. */
static inline const struct inode *wp_file_user_inode(const struct file *file)
{
#ifdef WP_HAS_FILE_USER_PATH
	return file_user_inode(file);
#else
	return file_inode(file);
#endif
}

#endif /* WALLPROF_COMPAT_FS_H */
