// SPDX-License-Identifier: GPL-2.0
/* 4.20, and EL8's 4.18. 4.19 has a header of that name, with less in it. */
#include <linux/xarray.h>

void *wp_test(struct xarray *xa);
void *wp_test(struct xarray *xa)
{
	return xa_load(xa, 0);
}
