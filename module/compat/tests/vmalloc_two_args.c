// SPDX-License-Identifier: GPL-2.0
/* 5.8: __vmalloc() maps as PAGE_KERNEL always. */
#include <linux/gfp.h>
#include <linux/vmalloc.h>

void *wp_test(unsigned long bytes);
void *wp_test(unsigned long bytes)
{
	return __vmalloc(bytes, GFP_KERNEL);
}
