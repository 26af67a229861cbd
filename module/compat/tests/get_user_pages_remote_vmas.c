// SPDX-License-Identifier: GPL-2.0
/* 6.5: it does not tell the mappings any more. */
#include <linux/mm.h>

long wp_test(struct mm_struct *mm, struct page **pages, struct vm_area_struct **vmas);
long wp_test(struct mm_struct *mm, struct page **pages, struct vm_area_struct **vmas)
{
	return get_user_pages_remote(mm, 0, 1, 0, pages, vmas, NULL);
}
