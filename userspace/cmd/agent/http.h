/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Requests of the process that sends. See http.c.
 */
#ifndef WP_CMD_AGENT_HTTP_H
#define WP_CMD_AGENT_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "cmd/agent/outbox.h"

/* Of an answer so much is kept. */
#define WP_HTTP_ANSWER	65536

/**
 * struct wp_http_result - end of a request
 * @kind: what was sent
 * @status: of HTTP; 0: there was no answer
 * @retry_after: value of the header Retry-After, untrusted; empty: there was none
 * @answer: the first part of the answer, untrusted
 * @size: its size
 * @trouble: why there was no answer
 */
struct wp_http_result {
	enum wp_spool_kind kind;
	long status;
	const char *retry_after;
	const unsigned char *answer;
	size_t size;
	const char *trouble;
};

struct wp_http;

int wp_http_new(struct wp_http **out, const struct wp_outbox_options *o, const char **trouble);
int wp_http_post(struct wp_http *h, enum wp_spool_kind kind, const char *url, const void *data,
		 size_t size);
void wp_http_wait(struct wp_http *h, int fd, unsigned int ms);
bool wp_http_ended(struct wp_http *h, struct wp_http_result *result);
void wp_http_free(struct wp_http *h);

#endif /* WP_CMD_AGENT_HTTP_H */
