/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_USER_NOSPEC_H
#define WALLPROF_USER_NOSPEC_H

#include <linux/compiler.h>
#include <linux/nospec.h>
#include <linux/types.h>

#include "compat/uaccess.h"

/*
 * The walk has checked an address, but a CPU may speculate past that check with an
 * address that the user chose. The mask keeps such a read out of kernel memory.
 */
static __always_inline u64 wp_user_nospec(u64 addr)
{
	unsigned long limit = TASK_SIZE_MAX;

	/* In a register for 5.10: as a constant it is too long for a compare. */
	OPTIMIZER_HIDE_VAR(limit);
	return array_index_nospec(addr, limit);
}

#endif /* WALLPROF_USER_NOSPEC_H */
