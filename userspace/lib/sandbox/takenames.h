/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Answers of workers with many names. See takenames.c.
 */
#ifndef WP_LIB_SANDBOX_TAKENAMES_H
#define WP_LIB_SANDBOX_TAKENAMES_H

#include "lib/elf/elfnames.h"
#include "lib/elf/jitdump.h"
#include "lib/sandbox/worker.h"

/**
 * struct wp_takensymbols - an answer about functions
 * @names: set to the functions
 * @trouble: set to the reason why there are none, or NULL
 */
struct wp_takensymbols {
	struct wp_elfnames *names;
	const char *trouble;
};

/**
 * struct wp_takenjitdump - an answer about code
 * @loads: set to the code
 * @trouble: set to the reason why there is none, or NULL
 */
struct wp_takenjitdump {
	struct wp_jitloads *loads;
	const char *trouble;
};

int wp_take_symbols(void *ctx, const struct wp_answer *answer);
int wp_take_jitdump(void *ctx, const struct wp_answer *answer);

#endif /* WP_LIB_SANDBOX_TAKENAMES_H */
