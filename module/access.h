/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_ACCESS_H
#define WALLPROF_ACCESS_H

#include <linux/types.h>

struct mm_struct;
struct wp_session;

struct mm_struct *wp_access_mm(struct wp_session *session, u32 pid, bool read);

#endif /* WALLPROF_ACCESS_H */
