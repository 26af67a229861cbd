// SPDX-License-Identifier: GPL-2.0
/* 4.20, and EL8's 4.18. */
#include <linux/xarray.h>

void *wp_test(struct xarray *xa);
void *wp_test(struct xarray *xa)
{
	return xa_load(xa, 0);
}
