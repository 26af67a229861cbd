/* SPDX-License-Identifier: GPL-2.0 */
/* Descriptions of terminals that a static build has built in. */
#ifndef WP_CMD_TOP_TERMINALS_H
#define WP_CMD_TOP_TERMINALS_H

#include <stdbool.h>

bool wp_terminals_use(const char *term);
void wp_terminals_end(void);

#endif /* WP_CMD_TOP_TERMINALS_H */
