// SPDX-License-Identifier: GPL-2.0
/*
 * Makes allocations fail (CONFIG_FAULT_INJECTION) from a point on that a test
 * cannot set by its own /proc/PID/fail-nth:
 *
 * In a work function: a kworker runs it, of which nobody knows in advance which
 * one it will be. The worker's fail_nth is set when it begins with the function,
 * and looked at when it is done.
 *
 * In a module's init function: before it, the kernel allocates for every module,
 * and says aloud if it cannot. The loading task's fail_nth is set when the kernel
 * is done with that.
 */
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>
#include <trace/events/module.h>
#include <trace/events/workqueue.h>

static char *function = "none";
module_param(function, charp, 0444);
MODULE_PARM_DESC(function, "the work function");

static unsigned int work_nth;
module_param(work_nth, uint, 0644);
MODULE_PARM_DESC(work_nth, "the allocation to fail at the next run, 0 for none; taken back by it");

static unsigned int work_left;
module_param(work_left, uint, 0444);
MODULE_PARM_DESC(work_left, "what the last run that had an nth left of it: 0 if one failed");

static unsigned int work_runs;
module_param(work_runs, uint, 0444);
MODULE_PARM_DESC(work_runs, "how often the function ran to its end");

static char *module = "none";
module_param(module, charp, 0444);
MODULE_PARM_DESC(module, "the module");

static unsigned int load_nth;
module_param(load_nth, uint, 0644);
MODULE_PARM_DESC(load_nth, "the allocation to fail in its init function, 0 for none; taken back by it");

static bool load_all;
module_param(load_all, bool, 0644);
MODULE_PARM_DESC(load_all, "whether all after that fail as well");

/* Process context, the kworker. */
static bool is_ours(work_func_t func)
{
	char name[KSYM_SYMBOL_LEN];
	size_t len = strlen(function);

	/* "name" or "name [module]" */
	snprintf(name, sizeof(name), "%ps", func);
	return !strncmp(name, function, len) && (!name[len] || name[len] == ' ');
}

static void probe_start(void *data, struct work_struct *work)
{
	unsigned int now;

	if (!is_ours(work->func))
		return;
	now = xchg(&work_nth, 0);
	if (now)
		WRITE_ONCE(work_left, now);
	WRITE_ONCE(current->fail_nth, now);
}

static void probe_end(void *data, struct work_struct *work, work_func_t func)
{
	if (!is_ours(func))
		return;
	if (READ_ONCE(work_left))
		WRITE_ONCE(work_left, READ_ONCE(current->fail_nth));
	WRITE_ONCE(current->fail_nth, 0);
	WRITE_ONCE(work_runs, work_runs + 1);
}

/* Process context, the task that loads a module, just before its init function. */
static void probe_load(void *data, struct module *mod)
{
	unsigned int now;

	if (strcmp(mod->name, module))
		return;
	now = xchg(&load_nth, 0);
	if (!now)
		return;
	current->make_it_fail = READ_ONCE(load_all);
	WRITE_ONCE(current->fail_nth, now);
}

static struct {
	const char *name;
	void *probe;
	struct tracepoint *tp;
} points[] = {
	{ "workqueue_execute_start", probe_start },
	{ "workqueue_execute_end", probe_end },
	{ "module_load", probe_load },
};

static void match(struct tracepoint *tp, void *unused)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(points); i++)
		if (!strcmp(tp->name, points[i].name))
			points[i].tp = tp;
}

static void detach(int nr)
{
	while (nr--)
		tracepoint_probe_unregister(points[nr].tp, points[nr].probe, NULL);
	tracepoint_synchronize_unregister();
}

static int __init failat_init(void)
{
	int i, err;

	check_trace_callback_type_workqueue_execute_start(probe_start);
	check_trace_callback_type_workqueue_execute_end(probe_end);
	check_trace_callback_type_module_load(probe_load);
	for_each_kernel_tracepoint(match, NULL);
	for (i = 0; i < ARRAY_SIZE(points); i++) {
		err = points[i].tp ? tracepoint_probe_register(points[i].tp, points[i].probe,
							       NULL) : -ENOENT;
		if (err) {
			detach(i);
			return err;
		}
	}
	return 0;
}

static void __exit failat_exit(void)
{
	detach(ARRAY_SIZE(points));
}

module_init(failat_init);
module_exit(failat_exit);
MODULE_AUTHOR("The wallprof authors");
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("wallprof test: allocations that fail in work functions, and in a module's init");
