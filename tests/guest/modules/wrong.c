// SPDX-License-Identifier: GPL-2.0
/*
 * Deliberately wrong: loading it with make=NAME makes the mistake of that name,
 * which the kernels that look for mistakes have to report. tests/guest/debug/nets.test
 * says which kernel reports which, and demands it.
 *
 * A mistake leaves the machine in order: it is reported, and does no harm. All of
 * them are made in process context, when the module is loaded.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/hw_breakpoint.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/percpu_counter.h>
#include <linux/perf_event.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

static char *make = "nothing";
module_param(make, charp, 0);
MODULE_PARM_DESC(make, "the mistake to make");

/* What the compiler must not know. */
static int zero;
module_param(zero, int, 0);
MODULE_PARM_DESC(zero, "0");

/* KASAN: memory. */

static int use_after_free(void)
{
	char *p = kmalloc(64, GFP_KERNEL);

	if (!p)
		return -ENOMEM;
	kfree(p);
	READ_ONCE(p[3]);
	return 0;
}

static int vmalloc_bounds(void)
{
	char *p = vmalloc(PAGE_SIZE - 8);

	if (!p)
		return -ENOMEM;
	/* Still in the page: only KASAN knows of the border. */
	READ_ONCE(p[PAGE_SIZE - 8 + zero]);
	vfree(p);
	return 0;
}

static int stack_bounds(void)
{
	char on_stack[24];
	char *p = on_stack;

	OPTIMIZER_HIDE_VAR(p);
	memset(p, 0, sizeof(on_stack));
	READ_ONCE(p[sizeof(on_stack) + zero]);
	return 0;
}

static char global[24];

static int global_bounds(void)
{
	char *p = global;

	OPTIMIZER_HIDE_VAR(p);
	READ_ONCE(p[sizeof(global) + zero]);
	return 0;
}

/* kmemleak: memory that nobody knows of any more. */
static int leak(void)
{
	char *p = kmalloc(77, GFP_KERNEL);

	return p ? 0 : -ENOMEM;
}

/* UBSAN: arithmetic. */

static int numbers[4];

static int array_index(void)
{
	int at = 4 + zero, value;

	OPTIMIZER_HIDE_VAR(at);
	/* Read, not only addressed: the address of the end is all right. */
	value = numbers[at];
	OPTIMIZER_HIDE_VAR(value);
	return 0;
}

static int shift_width(void)
{
	int by = 32 + zero;

	OPTIMIZER_HIDE_VAR(by);
	return (1 << by) & 0;
}

static int bool_value(void)
{
	union {
		u8 byte;
		bool truth;
	} both = { .byte = 7 };

	barrier_data(&both);
	return both.truth ? 0 : -EINVAL;
}

/* Lists, counters, masks of CPUs. */

static int list_added_twice(void)
{
	LIST_HEAD(head);
	struct list_head entry;

	list_add(&entry, &head);
	list_add(&entry, &head);
	return 0;
}

static int list_deleted_twice(void)
{
	LIST_HEAD(head);
	struct list_head entry;

	list_add(&entry, &head);
	list_del(&entry);
	list_del(&entry);
	return 0;
}

static int refcount_below_zero(void)
{
	refcount_t count = REFCOUNT_INIT(1);

	refcount_dec(&count);
	return 0;
}

static int cpu_beyond_mask(void)
{
	return cpumask_test_cpu(nr_cpumask_bits + zero, cpu_online_mask) & 0;
}

/* lockdep: locks. */

static DEFINE_SPINLOCK(first);
static DEFINE_SPINLOCK(second);

static int circular_lock(void)
{
	spin_lock(&first);
	spin_lock(&second);
	spin_unlock(&second);
	spin_unlock(&first);

	spin_lock(&second);
	spin_lock(&first);
	spin_unlock(&first);
	spin_unlock(&second);
	return 0;
}

static DEFINE_SPINLOCK(shared);

static void lock_in_irq(struct irq_work *work)
{
	spin_lock(&shared);
	spin_unlock(&shared);
}

static int irq_lock(void)
{
	struct irq_work work = IRQ_WORK_INIT_HARD(lock_in_irq);

	irq_work_queue(&work);
	irq_work_sync(&work);
	/* With interrupts on: one could come that wants the lock, too. */
	spin_lock(&shared);
	spin_unlock(&shared);
	return 0;
}

static DEFINE_RAW_SPINLOCK(shared_raw);
static atomic_t nmis;

/* An NMI takes a lock that it may have interrupted the holder of. */
static void lock_in_nmi(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs)
{
	if (!in_nmi() || atomic_fetch_inc(&nmis))
		return;
	raw_spin_lock(&shared_raw);
	raw_spin_unlock(&shared_raw);
}

/* On the CPU whose event it is: something to count, something to interrupt. */
static void be_counted(void *unused)
{
	WRITE_ONCE(numbers[0], 1);
	mdelay(1);
}

static int nmi_lock(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.pinned = 1,
#ifdef CONFIG_X86
		/* A watchpoint is the one event of an x86 without a PMU. */
		.type = PERF_TYPE_BREAKPOINT,
		.bp_addr = (unsigned long)&numbers[0],
		.bp_len = HW_BREAKPOINT_LEN_4,
		.bp_type = HW_BREAKPOINT_W,
		.sample_period = 1,
#else
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.sample_period = 100000,
#endif
	};
	struct perf_event *event;
	int i;

	raw_spin_lock(&shared_raw);
	raw_spin_unlock(&shared_raw);

	event = perf_event_create_kernel_counter(&attr, 0, NULL, lock_in_nmi,
						 NULL);
	if (IS_ERR(event))
		return PTR_ERR(event);
	for (i = 0; i < 2000 && !atomic_read(&nmis); i++)
		smp_call_function_single(0, be_counted, NULL, 1);
	perf_event_release_kernel(event);
	return atomic_read(&nmis) ? 0 : -ETIME;
}

/* RCU, and what a context forbids. */

static int *published;

static int rcu_unlocked(void)
{
	int __rcu **p = (int __rcu **)&published;

	return rcu_dereference(*p) ? -EINVAL : 0;
}

static int sleep_in_atomic(void)
{
	spin_lock(&first);
	might_sleep();
	spin_unlock(&first);
	return 0;
}

/* What a handler must not do, though the copy would only fail. */
static int fault_in_atomic(void)
{
	unsigned long left;
	int value;

	preempt_disable();
	left = copy_from_user(&value, (void __user *)PAGE_SIZE, sizeof(value));
	preempt_enable();
	return left ? 0 : -EINVAL;
}

static int cpu_while_preemptible(void)
{
	return smp_processor_id() & 0;
}

/* Debug objects: lives that end too early, or begin twice. */

static void never(struct timer_list *timer)
{
}

static int timer_freed(void)
{
	struct timer_list *timer = kzalloc(sizeof(*timer), GFP_KERNEL);

	if (!timer)
		return -ENOMEM;
	timer_setup(timer, never, 0);
	mod_timer(timer, jiffies + 3600 * HZ);
	kfree(timer);
	return 0;
}

static DECLARE_COMPLETION(go_on);

static void wait_to_go_on(struct work_struct *work)
{
	wait_for_completion(&go_on);
}

static void never_worked(struct work_struct *work)
{
}

static int work_freed(void)
{
	static DECLARE_WORK(blocker, wait_to_go_on);
	struct workqueue_struct *queue = alloc_ordered_workqueue("wrong", 0);
	struct work_struct *work = kzalloc(sizeof(*work), GFP_KERNEL);

	if (queue && work) {
		INIT_WORK(work, never_worked);
		queue_work(queue, &blocker);
		queue_work(queue, work);
		kfree(work);
		complete(&go_on);
	}
	if (queue)
		destroy_workqueue(queue);
	return queue && work ? 0 : -ENOMEM;
}

static void rcu_done(struct rcu_head *head)
{
}

static struct rcu_head rcu_head;

static int rcu_called_twice(void)
{
	call_rcu(&rcu_head, rcu_done);
	call_rcu(&rcu_head, rcu_done);
	rcu_barrier();
	return 0;
}

static int counter_freed(void)
{
	struct percpu_counter *counter = kzalloc(sizeof(*counter), GFP_KERNEL);

	if (!counter)
		return -ENOMEM;
	if (!percpu_counter_init(counter, 0, GFP_KERNEL))
		kfree(counter);
	return 0;
}

/* Allocations that are made to fail, by this task's fail-nth. */
static int failing(void)
{
	void *p = kmalloc(64, GFP_KERNEL);

	kfree(p);
	return p ? 0 : -ENOMEM;
}

static int failing_page(void)
{
	unsigned long page = __get_free_page(GFP_KERNEL);

	free_page(page);
	return page ? 0 : -ENOMEM;
}

static int failing_copy(void)
{
	char byte;

	/* This task runs insmod, whose memory is there. */
	return copy_from_user(&byte, (void __user *)current->mm->arg_start, 1) ?
	       -EFAULT : 0;
}

#ifdef CONFIG_FAULT_INJECTION
#define SET_FAIL_NTH(nth) (current->fail_nth = (nth))
#else
#define SET_FAIL_NTH(nth) do { } while (0)
#endif

static int fail(int (*function)(void))
{
	int err;

	SET_FAIL_NTH(1);
	err = function();
	SET_FAIL_NTH(0);
	return err;
}

static int failed_slab(void)
{
	return fail(failing);
}

static int failed_page(void)
{
	return fail(failing_page);
}

static int failed_copy(void)
{
	return fail(failing_copy);
}

/* Watchdogs: a CPU that is kept, a task that does not wake. Take seconds. */

static void keep_cpu(struct work_struct *work)
{
	unsigned long end = jiffies + 15 * HZ;

	preempt_disable();
	while (time_before(jiffies, end))
		cpu_relax();
	preempt_enable();
}

static int cpu_kept(void)
{
	static DECLARE_WORK(keeper, keep_cpu);
	static DECLARE_WORK(waiter, never_worked);

	schedule_work_on(1, &keeper);
	schedule_work_on(1, &waiter);
	flush_work(&keeper);
	flush_work(&waiter);
	return 0;
}

static int task_hung(void)
{
	schedule_timeout_uninterruptible(15 * HZ);
	return 0;
}

/* KCSAN: two tasks and one word. */

static long word;

static int racer(void *unused)
{
	while (!kthread_should_stop()) {
		word++;
		barrier();
		cond_resched();
	}
	return 0;
}

/* Runs a function as two tasks for some seconds. */
static int in_two_tasks(int (*function)(void *unused))
{
	struct task_struct *tasks[2];
	int i, nr, err = 0;

	for (nr = 0; nr < 2; nr++) {
		tasks[nr] = kthread_run(function, NULL, "wrong/%d", nr);
		if (IS_ERR(tasks[nr])) {
			err = PTR_ERR(tasks[nr]);
			break;
		}
	}
	if (!err)
		msleep(5000);
	for (i = 0; i < nr; i++)
		kthread_stop(tasks[i]);
	return err;
}

static int racing_stores(void)
{
	return in_two_tasks(racer);
}

/* KCSAN: stores that a missing barrier lets drift beyond the unlocking. */

static long message;
static int locked;

static noinline void lock_and_store(void)
{
	int i;

	if (cmpxchg_relaxed(&locked, 0, 1))
		return;
	for (i = 0; i < 100; i++) {
		message++;
		barrier();
	}
	/* Should be smp_store_release(). */
	WRITE_ONCE(locked, 0);
	/* What comes after it, as far as stores may drift. */
	for (i = 0; i < 100; i++)
		READ_ONCE(zero);
}

static int storer(void *unused)
{
	while (!kthread_should_stop()) {
		lock_and_store();
		cond_resched();
	}
	return 0;
}

static int missing_barrier(void)
{
	return in_two_tasks(storer);
}

static int nothing(void)
{
	return 0;
}

static const struct mistake {
	const char *name;
	int (*make)(void);
} mistakes[] = {
	{ "nothing", nothing },
	{ "use-after-free", use_after_free },
	{ "vmalloc-bounds", vmalloc_bounds },
	{ "stack-bounds", stack_bounds },
	{ "global-bounds", global_bounds },
	{ "leak", leak },
	{ "array-index", array_index },
	{ "shift-width", shift_width },
	{ "bool-value", bool_value },
	{ "list-added-twice", list_added_twice },
	{ "list-deleted-twice", list_deleted_twice },
	{ "refcount-below-zero", refcount_below_zero },
	{ "cpu-beyond-mask", cpu_beyond_mask },
	{ "circular-lock", circular_lock },
	{ "irq-lock", irq_lock },
	{ "nmi-lock", nmi_lock },
	{ "rcu-unlocked", rcu_unlocked },
	{ "sleep-in-atomic", sleep_in_atomic },
	{ "fault-in-atomic", fault_in_atomic },
	{ "cpu-while-preemptible", cpu_while_preemptible },
	{ "timer-freed", timer_freed },
	{ "work-freed", work_freed },
	{ "rcu-called-twice", rcu_called_twice },
	{ "counter-freed", counter_freed },
	{ "failed-slab", failed_slab },
	{ "failed-page", failed_page },
	{ "failed-copy", failed_copy },
	{ "cpu-kept", cpu_kept },
	{ "queue-kept", cpu_kept },
	{ "task-hung", task_hung },
	{ "racing-stores", racing_stores },
	{ "missing-barrier", missing_barrier },
};

static int __init wrong_init(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(mistakes); i++)
		if (!strcmp(make, mistakes[i].name))
			return mistakes[i].make();
	return -EINVAL;
}

static void __exit wrong_exit(void)
{
}

module_init(wrong_init);
module_exit(wrong_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Mistakes for debug kernels to find");
