// SPDX-License-Identifier: GPL-2.0
/* 6.3: vm_flags became const and got accessors. */
#include <linux/mm.h>

void wp_test(struct vm_area_struct *vma);
void wp_test(struct vm_area_struct *vma)
{
	vm_flags_mod(vma, VM_DONTEXPAND, VM_MAYWRITE);
}
