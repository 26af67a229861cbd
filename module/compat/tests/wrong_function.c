// SPDX-License-Identifier: GPL-2.0
/* No kernel's: a function that nobody declares. */
#include <linux/mm.h>

void wp_test(struct vm_area_struct *vma);
void wp_test(struct vm_area_struct *vma)
{
	wallprof_has_no_such_function(vma);
}
