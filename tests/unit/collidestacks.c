// SPDX-License-Identifier: GPL-2.0
/*
 * The tests of the table of stacks once more, with hashes that tell nothing.
 */
#include "collide.h"
#include "stacks.c"
