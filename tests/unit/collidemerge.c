// SPDX-License-Identifier: GPL-2.0
/*
 * The tests of the merge once more, with hashes that all collide.
 */
#include "collide.h"
#include "merge.c"
