/* SPDX-License-Identifier: GPL-2.0 */
/* include/linux/fs.h, as of the newest kernel. */
#ifndef WALLPROF_COMPAT_FS_H
#define WALLPROF_COMPAT_FS_H

#include <linux/fs.h>

#include "features.h"

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
