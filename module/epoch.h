/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_EPOCH_H
#define WALLPROF_EPOCH_H

#include <linux/types.h>

struct wp_session;

void wp_epoch_begin(struct wp_session *session, u32 epoch);
void wp_epoch_settle(struct wp_session *session, u32 epoch);

#endif /* WALLPROF_EPOCH_H */
