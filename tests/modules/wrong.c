// SPDX-License-Identifier: GPL-2.0
/*
 * Deliberately wrong: loading it with do=NAME makes the mistake of that name,
 * which the kernels that look for mistakes have to report. tests/debug/nets.test
 * says which kernel reports which, and demands it.
 */
#include <linux/module.h>
#include <linux/slab.h>

static char *do_what = "nothing";
module_param_named(do, do_what, charp, 0);
MODULE_PARM_DESC(do, "the mistake to make");

/* KASAN: what was freed is read. */
static void use_after_free(void)
{
	char *p = kmalloc(64, GFP_KERNEL);

	kfree(p);
	if (p)
		READ_ONCE(p[3]);
}

static const struct {
	const char *name;
	void (*make)(void);
} mistakes[] = {
	{ "use-after-free", use_after_free },
};

static int __init wrong_init(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(mistakes); i++)
		if (sysfs_streq(do_what, mistakes[i].name)) {
			mistakes[i].make();
			return 0;
		}
	return sysfs_streq(do_what, "nothing") ? 0 : -EINVAL;
}

static void __exit wrong_exit(void)
{
}

module_init(wrong_init);
module_exit(wrong_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Mistakes for kernels that find mistakes");
