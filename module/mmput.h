/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_MMPUT_H
#define WALLPROF_MMPUT_H

struct mm_struct;
struct wp_mmput;

struct wp_mmput *wp_mmput_alloc(void);
void wp_mmput_deferred(struct mm_struct *mm, struct wp_mmput **put);
int wp_mmput_init(void);
void wp_mmput_exit(void);

#endif /* WALLPROF_MMPUT_H */
