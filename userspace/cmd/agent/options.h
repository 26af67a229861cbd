/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Options of wallprof agent: see options.c.
 */
#ifndef WP_CMD_AGENT_OPTIONS_H
#define WP_CMD_AGENT_OPTIONS_H

#include <stdbool.h>

#include "cmd/agent/headers.h"
#include "cmd/common/target-options.h"

struct wp_agent;

/**
 * struct wp_agent_options - what the command line and the file of options have
 * @a: the agent, for what is of it
 * @targets: what is recorded
 * @headers: headers of requests with profiles
 * @metrics_headers: headers of requests with metrics
 * @to: where profiles are sent; NULL: the environment or the default
 * @textfile: file of metrics, or NULL
 * @config: file of options, or NULL
 * @config_text: what is in it
 * @idle_given: the agent's no_idle was given
 * @freq_given: a frequency was given
 * @quiet: only errors
 * @check: only check the options
 * @targets_given: the command line has targets
 * @headers_given: the command line has a file of headers
 */
struct wp_agent_options {
	struct wp_agent *a;
	struct wp_target_options targets;
	struct wp_agent_headers headers;
	struct wp_agent_headers metrics_headers;
	const char *to;
	const char *textfile;
	const char *config;
	char *config_text;
	bool idle_given;
	bool freq_given;
	bool quiet;
	bool check;
	bool targets_given;
	bool headers_given;
};

int wp_agent_options_read(struct wp_agent_options *o, int argc, char **argv);
void wp_agent_options_free(struct wp_agent_options *o);

#endif /* WP_CMD_AGENT_OPTIONS_H */
