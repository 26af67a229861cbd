/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tests/kunit/shim: bounds that hold for a CPU that runs ahead, too. Nobody listens
 * here.
 */
#ifndef SHIM_LINUX_NOSPEC_H
#define SHIM_LINUX_NOSPEC_H

#define array_index_nospec(index, size) ((void)(size), (index))

#endif /* SHIM_LINUX_NOSPEC_H */
