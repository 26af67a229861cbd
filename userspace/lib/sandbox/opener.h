/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A process that looks up and opens files for this one. See opener.c.
 */
#ifndef WP_LIB_SANDBOX_OPENER_H
#define WP_LIB_SANDBOX_OPENER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "lib/sandbox/fstype.h"

/* Instead of a root: the path is one of the user's, resolved as by a shell. */
#define WP_OPENER_PLAIN	(-1)

int wp_opener_prepare(void);
void wp_opener_end(void);
int wp_opener_find(int root, const char *path, bool nofollow);
int wp_opener_type(int place, dev_t dev, enum wp_fstype *type);
int wp_opener_backing(dev_t loop);
int wp_opener_send(int sock, const struct iovec *iov, const int *fds, const dev_t *devs,
		   unsigned int nr);
void wp_opener_recording(void);
void wp_opener_hurry(void);
bool wp_opener_hurries(void);
unsigned int wp_opener_patience(void);
bool wp_opener_is_ours(pid_t pid);

#endif /* WP_LIB_SANDBOX_OPENER_H */
