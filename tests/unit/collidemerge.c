// SPDX-License-Identifier: GPL-2.0
/*
 * The tests of the merge once more, with hashes that tell nothing.
 */
#include "collide.h"
#include "merge.c"
