// SPDX-License-Identifier: GPL-2.0
/*
 * The tests of the table of stacks once more, with hashes that all collide.
 */
#include "collide.h"
#include "stacks.c"
