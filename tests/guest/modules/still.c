// SPDX-License-Identifier: GPL-2.0
/* Has a guest stand still: the CPU that loads it turns its interrupts off for good. */
#include <linux/irqflags.h>
#include <linux/module.h>
#include <linux/processor.h>

static int __init still_init(void)
{
	local_irq_disable();
	for (;;)
		cpu_relax();
	return 0;
}

module_init(still_init);
MODULE_DESCRIPTION("a CPU that turns its interrupts off for good");
MODULE_LICENSE("GPL");
