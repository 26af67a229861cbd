/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading the configuration again, at SIGHUP: see reload.c.
 */
#ifndef WP_CMD_AGENT_RELOAD_H
#define WP_CMD_AGENT_RELOAD_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * struct wp_agent_reload - reading the configuration again
 * @argv: the command line to execute, NULL at the end; NULL: SIGHUP does not do that
 * @check: process that checks the new configuration, or 0
 * @refused: the last one was not valid
 */
struct wp_agent_reload {
	char **argv;
	pid_t check;
	bool refused;
};

/**
 * enum wp_agent_reload_state - what there is to do
 * @WP_AGENT_RELOAD_NONE: nothing
 * @WP_AGENT_RELOAD_REFUSED: the new configuration is not valid; a message was printed
 * @WP_AGENT_RELOAD_READY: it is valid: end, and execute it
 */
enum wp_agent_reload_state {
	WP_AGENT_RELOAD_NONE,
	WP_AGENT_RELOAD_REFUSED,
	WP_AGENT_RELOAD_READY,
};

/* In the environment of a --check for an agent that is running: see reload.c. */
#define WP_AGENT_RELOAD		"WALLPROF_AGENT_RELOAD"

int wp_agent_reload_init(struct wp_agent_reload *r, int argc, char **argv);
enum wp_agent_reload_state wp_agent_reload_step(struct wp_agent_reload *r);
int wp_agent_reload_exec(const struct wp_agent_reload *r, const char *name, int fd);
void wp_agent_reload_free(struct wp_agent_reload *r);

#endif /* WP_CMD_AGENT_RELOAD_H */
