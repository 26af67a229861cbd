/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Has files of others read by workers, one after the other. See filereader.c.
 */
#ifndef WP_LIB_FILEREADER_H
#define WP_LIB_FILEREADER_H

#include "lib/buildid.h"
#include "lib/worker.h"

/* Takes an answer, which is not to be trusted: 0, or -EPROTO if it is none. */
typedef int wp_filereader_fn(void *ctx, const struct wp_answer *answer);

int wp_filereader_ask(const struct wp_job *job, wp_filereader_fn *take, void *ctx);
int wp_filereader_buildid(int fd, struct wp_buildid *id);
void wp_filereader_end(void);

#endif /* WP_LIB_FILEREADER_H */
