// SPDX-License-Identifier: GPL-2.0
/* What every kernel has. It reads all headers that the other tests read. */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/kernfs.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/security.h>
#include <linux/stacktrace.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <linux/xarray.h>
#include <asm/syscall.h>
#include <trace/events/sched.h>

static void probe(void *data, struct task_struct *parent,
		  struct task_struct *child)
{
}

void wp_test(struct vm_area_struct *vma, struct task_struct *p);
void wp_test(struct vm_area_struct *vma, struct task_struct *p)
{
	vma->vm_pgoff = p->pid;
	check_trace_callback_type_sched_process_fork(probe);
}
