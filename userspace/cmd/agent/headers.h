/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where profiles and metrics are sent, and headers of requests, as users give them. See headers.c.
 */
#ifndef WP_CMD_AGENT_HEADERS_H
#define WP_CMD_AGENT_HEADERS_H

#include <stddef.h>

#include "lib/otlp/spool.h"

/**
 * struct wp_agent_headers - headers; all zero: none
 * @line: "Name: value"
 * @nr: their number
 */
struct wp_agent_headers {
	char **line;
	size_t nr;
};

int wp_agent_headers_file(struct wp_agent_headers *h, const char *path);
int wp_agent_headers_environment(struct wp_agent_headers *h, const char *name);
int wp_agent_headers_copy(struct wp_agent_headers *to, const struct wp_agent_headers *from);
void wp_agent_headers_free(struct wp_agent_headers *h);
char *wp_agent_url(const char *to, enum wp_spool_kind profiles);
int wp_agent_metrics_url(const char *to, enum wp_spool_kind profiles, char **url);
char *wp_agent_shown(const char *url);

#endif /* WP_CMD_AGENT_HEADERS_H */
