/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tests/kunit/shim: what makes a module, which a program is not; but its parameters
 * come from the environment.
 */
#ifndef SHIM_LINUX_MODULE_H
#define SHIM_LINUX_MODULE_H

#include <stdlib.h>

#define MODULE_DESCRIPTION(text) _Static_assert(1, text)
#define MODULE_LICENSE(text) _Static_assert(1, text)

/* Numbers only. */
#define module_param(name, type, mode)						\
	static __attribute__((__constructor__)) void param_##name(void)		\
	{									\
		const char *value = getenv(#name);				\
										\
		if (value)							\
			(name) = strtoul(value, NULL, 0);			\
	}									\
	_Static_assert(1, #type #mode)

#endif /* SHIM_LINUX_MODULE_H */
