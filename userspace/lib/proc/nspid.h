/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Thread ids of other pid namespaces. See nspid.c.
 */
#ifndef WP_LIB_PROC_NSPID_H
#define WP_LIB_PROC_NSPID_H

#include <stdbool.h>
#include <linux/types.h>

__u32 wp_nspid_find(__u32 pid, __u32 tid, bool shared);

#endif /* WP_LIB_PROC_NSPID_H */
