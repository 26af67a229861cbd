/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_GROWTH_H
#define WALLPROF_GROWTH_H

#include <linux/types.h>

struct wp_session;

void wp_growth_give(struct wp_session *session, u32 epoch);

#endif /* WALLPROF_GROWTH_H */
