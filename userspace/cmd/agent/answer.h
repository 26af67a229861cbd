/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a receiver's answer says. See answer.c.
 */
#ifndef WP_CMD_AGENT_ANSWER_H
#define WP_CMD_AGENT_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>
#include <linux/types.h>

#include "cmd/agent/http.h"
#include "cmd/agent/outbox.h"

bool wp_answer_partial(enum wp_spool_kind kind, const struct wp_http_result *result, char *text,
		       size_t size);
void wp_answer_trouble(const struct wp_http_result *result, char *text, size_t size);
__u64 wp_answer_retry_after(const char *value, time_t now);

#endif /* WP_CMD_AGENT_ANSWER_H */
