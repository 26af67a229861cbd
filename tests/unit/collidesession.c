// SPDX-License-Identifier: GPL-2.0
/*
 * The tests of the long session once more, with hashes that tell nothing.
 */
#include "collide.h"
#include "longsession.c"
