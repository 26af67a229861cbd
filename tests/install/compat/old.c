// SPDX-License-Identifier: GPL-2.0
/* Uses what module/compat/ has of its own for old kernels. Compiled only: see old.h. */
#include "compat/build_bug.h"
#include "compat/cgroup.h"
#include "compat/compiler.h"
#include "compat/fs.h"
#include "compat/kthread.h"
#include "compat/mm.h"
#include "compat/mmu_context.h"
#include "compat/rcupdate.h"
#include "compat/sched.h"
#include "compat/security.h"
#include "compat/signal.h"
#include "compat/stacktrace.h"
#include "compat/tracepoint.h"
#include "compat/uaccess.h"
#include "compat/vmalloc.h"
#include "compat/xarray.h"

static_assert(sizeof(u64) == 8);

static void switched(void *data, bool preempt, struct task_struct *prev,
		     struct task_struct *next, unsigned int state)
{
}

static void reported(void *data, struct task_struct *prev, struct task_struct *next,
		     unsigned int state)
{
}

static void exited(void *data, struct task_struct *p, bool group_dead)
{
}

WP_PROBE_SCHED_SWITCH(switch_probe, switched)
WP_PROBE_SCHED_SWITCH_REPORTED(switch_reported_probe, reported)
WP_PROBE_SCHED_PROCESS_EXIT(exit_probe, exited)

u64 probes(struct task_struct *p, const struct tracepoint *tp);
u64 probes(struct task_struct *p, const struct tracepoint *tp)
{
	check_trace_callback_type_sched_switch(switch_probe);
	check_trace_callback_type_sched_switch(switch_reported_probe);
	check_trace_callback_type_sched_process_exit(exit_probe);
	if (!wp_task_blocked(p) || wp_in_hardirq() || wp_tracepoint_iterator(tp))
		return wp_task_left_seen(p, WP_PF_NO_USER);
	return data_race(wp_task_exec_id(p)) + wp_task_blocked_since(p) +
	       (wp_has_cgroups() ? wp_cgroup_id(wp_cgroup_parent(wp_task_cgroup(p))) : 0);
}

int memory(struct mm_struct *mm, struct vm_area_struct *vma, const u64 *from, u64 *to);
int memory(struct mm_struct *mm, struct vm_area_struct *vma, const u64 *from, u64 *to)
{
	void *copy = __vmalloc(sizeof(*to), GFP_KERNEL);

	if (!copy || !perfmon_capable() || wp_locked_down_perf() || VM_MAP_PUT_PAGES)
		return -1;
	vm_flags_mod(vma, VM_DONTEXPAND, VM_MAYWRITE);
	kthread_use_mm(mm);
	if (mmap_read_trylock(mm))
		mmap_read_unlock(mm);
	kthread_unuse_mm(mm);
	return (unsigned long)from < TASK_SIZE_MAX && wp_user_loaded() &&
	       wp_copy_from_user_nmi(to, (unsigned long)from, 8) && wp_user_word_is(from, *to);
}

int user(struct file *file, const void *from, size_t n);
int user(struct file *file, const void *from, size_t n)
{
	u64 to;

	if (compat_ptr_ioctl(file, 0, 0) || !wp_file_user_inode(file) || !wp_file_user_path(file))
		return -1;
	if (!user_access_begin(from, n) || copy_from_user_nofault(&to, from, sizeof(to)))
		return -1;
	return copy_struct_from_user(&to, sizeof(to), from, n);
}

unsigned long numbers(struct xarray *xa, struct mm_struct *mm, struct signal_struct *signal);
unsigned long numbers(struct xarray *xa, struct mm_struct *mm, struct signal_struct *signal)
{
	unsigned long at = totalram_pages(), ips[2];
	void *entry;

	xa_init(xa);
	if (xa_insert(xa, 1, mm, GFP_KERNEL) || !xa_load(xa, 1))
		at++;
	xa_for_each(xa, at, entry)
		xa_erase(xa, at);
	xa_destroy(xa);
	if (wp_exec_trylock(signal))
		wp_exec_unlock(signal);
	wp_synchronize_irqs_off_expedited();
	return account_locked_vm(mm, 1, true) + stack_trace_save(ips, 2, 0) + ips[0];
}
