/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How the probes of switches and of wakeups ask whether an entry of the switch cache holds
 * for current: see pure/switch_cache.h.
 */
#ifndef WALLPROF_SWITCH_CACHED_H
#define WALLPROF_SWITCH_CACHED_H

#include <linux/compiler.h>
#include <linux/types.h>

#include "interp_stack.h"
#include "mappings.h"
#include "pure/switch_cache.h"
#include "stack.h"
#include "state.h"
#include "switch_key.h"

/* Whether the words that decide an entry's stack are unchanged. Context: irqs off. */
static __always_inline bool wp_switch_words_unchanged(const struct wp_cpu *cpu,
						      const struct wp_cached_switch *cached)
{
	return !cached->nr_words ||
	       likely(cached->begin >= cpu->stack_cache->oldest &&
		      wp_stack_words_unchanged(cpu->stack_cache, cached->begin, cached->nr_words,
					       cached->sp) &&
		      wp_interp_stack_unchanged(cpu->stack_cache, cached->far, cached->begin,
						NULL));
}

/* The switch key of current. Context: irqs off. @state: see &struct wp_switch_key. */
static __always_inline struct wp_switch_key wp_switch_key_of(const struct wp_session *session,
							     struct task_struct *prev, u32 state)
{
	return (struct wp_switch_key){
		.p = prev,
		.changes = wp_mappings_changes(&session->mappings),
		.state = state,
	};
}

#endif /* WALLPROF_SWITCH_CACHED_H */
