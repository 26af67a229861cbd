/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Restrictions of a process that reads untrusted files. For zygote.c.
 */
#ifndef WP_LIB_SANDBOX_CONFINE_H
#define WP_LIB_SANDBOX_CONFINE_H

#include <stdbool.h>
#include <linux/filter.h>
#include <linux/types.h>

/* A sanitizer reserves terabytes of address space, so that is not limited then. */
#if defined(__SANITIZE_ADDRESS__)
#define WP_SANITIZED	1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WP_SANITIZED	1
#endif
#endif
#ifndef WP_SANITIZED
#define WP_SANITIZED	0
#endif

int wp_confine_descriptors(int keep);
int wp_confine_capabilities(void);
int wp_confine_process(int keep);
int wp_confine_make_filter(struct sock_fprog *filter, int sock);
bool wp_confine_calls(const struct sock_fprog *filter);
void wp_confine_memory(__u64 bytes, bool fixed);

#endif /* WP_LIB_SANDBOX_CONFINE_H */
