/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What module/compat/ uses of the headers of old kernels, with the prototypes that these
 * had: compat.test puts it in the place of each of them. Without a definition: 5.4.
 *   OLD_STABLE  a later 5.4, with the functions for mmap_sem
 *   OLD_EL8     4.18 of Enterprise Linux 8, which took over much of newer kernels
 */
#ifndef OLD_H
#define OLD_H

/* Types and macros that did not change. */
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long s64;
typedef unsigned long size_t;
typedef unsigned long ino_t;
typedef unsigned int gfp_t;
typedef _Bool bool;
typedef struct { int counter; } atomic_t;
typedef struct { unsigned long pgprot; } pgprot_t;
typedef struct { unsigned long seg; } mm_segment_t;

#define true 1
#define false 0
#define NULL ((void *)0)
#define __user
#define __force
#define notrace
#define __always_inline inline
#define unlikely(x) (x)
#define READ_ONCE(x) (x)
#define smp_load_acquire(p) (*(p))
#define smp_rmb() do { } while (0)
#define max_t(type, a, b) ((type)(a) > (type)(b) ? (type)(a) : (type)(b))
#define rcu_dereference_raw(p) (p)

#define TASK_RUNNING 0
#define TASK_INTERRUPTIBLE 1
#define TASK_UNINTERRUPTIBLE 2
#define __TASK_STOPPED 4
#define __TASK_TRACED 8
#define TASK_WAKING 0x200
#define TASK_IDLE 0x402
#define TASK_REPORT 0x7f
#define TASK_REPORT_IDLE 0x80
#define TASK_REPORT_MAX 0x100
#define PF_KTHREAD 0x200000
#define HARDIRQ_MASK 0xf0000
#define NMI_MASK 0x100000
#define TICK_NSEC 4000000LL
#define GFP_KERNEL 0xcc0
#define CAP_SYS_ADMIN 21

struct vm_area_struct {
	unsigned long vm_flags;
	unsigned long vm_pgoff;
};

#define VM_DONTEXPAND 1
#define VM_MAYWRITE 2

struct rw_semaphore {
	int count;
};

bool down_read_trylock(struct rw_semaphore *sem);
bool down_write_trylock(struct rw_semaphore *sem);
void up_read(struct rw_semaphore *sem);
int atomic_read(const atomic_t *v);
int fls(unsigned int x);
int preempt_count(void);
u64 sched_clock(void);
u64 ktime_get_mono_fast_ns(void);
bool capable(int cap);

/* linux/cgroup.h, linux/kernfs.h */
#define CONFIG_CGROUPS 1

struct kernfs_node {
#ifdef OLD_EL8
	u64 id;
#else
	union {
		struct {
			u32 ino;
			u32 generation;
		};
		u64 id;
	} id;
#endif
};

struct cgroup {
	struct kernfs_node *kn;
};

struct css_set {
	struct cgroup *dfl_cgrp;
};

struct cgroup *cgroup_parent(struct cgroup *cgrp);

#ifdef OLD_EL8
ino_t kernfs_ino(struct kernfs_node *kn);
#endif

/* linux/sched.h */
struct sched_entity {
	u64 exec_start;
};

struct signal_struct {
	atomic_t live;
};

#ifdef OLD_EL8
struct task_struct_rh {
	u64 self_exec_id;
};
#endif

struct task_struct {
#ifdef OLD_EL8
	unsigned int __state;
	struct task_struct_rh *task_struct_rh;
#else
	long state;
	u32 self_exec_id;
#endif
	int on_cpu;
	int on_rq;
	int exit_state;
	int pid;
	unsigned int sched_contributes_to_load:1;
	struct sched_entity se;
	struct signal_struct *signal;
	struct css_set *cgroups;
	struct mm_struct *mm;
};

extern struct task_struct *current;
int signal_pending_state(long state, struct task_struct *p);

/* linux/mm.h */
struct mm_struct {
	u64 *pgd;
#ifdef OLD_EL8
	struct rw_semaphore mmap_lock;
#else
	struct rw_semaphore mmap_sem;
#endif
};

#if defined(OLD_STABLE) || defined(OLD_EL8)
bool mmap_read_trylock(struct mm_struct *mm);
void mmap_read_unlock(struct mm_struct *mm);
#endif

/* linux/vmalloc.h */
#define PAGE_KERNEL ((pgprot_t){ 0 })
void *__vmalloc(unsigned long size, gfp_t gfp_mask, pgprot_t prot);

/* linux/kthread.h, linux/mmu_context.h, linux/uaccess.h */
#ifdef OLD_EL8
void kthread_use_mm(struct mm_struct *mm);
void kthread_unuse_mm(struct mm_struct *mm);
#else
#define USER_DS ((mm_segment_t){ 1 })
#define KERNEL_DS ((mm_segment_t){ 2 })
void set_fs(mm_segment_t fs);
void use_mm(struct mm_struct *mm);
void unuse_mm(struct mm_struct *mm);
#endif

/* asm/page.h, asm/processor.h of x86 */
#define __va(x) ((void *)(unsigned long)(x))
unsigned long read_cr3_pa(void);

/* asm/processor.h of arm64 */
#define TASK_SIZE_64 (1UL << 48)

int copy_struct_from_user(void *dst, size_t ksize, const void __user *src, size_t usize);
long probe_user_read(void *dst, const void __user *src, size_t size);
long old_get_user(void *value, const void __user *from);

#define unsafe_get_user(x, ptr, label)		\
do {						\
	if (old_get_user(&(x), ptr))		\
		goto label;			\
} while (0)

/* linux/capability.h, linux/security.h */
#ifdef OLD_EL8
bool perfmon_capable(void);
#else
enum lockdown_reason { LOCKDOWN_PERF };
int security_locked_down(enum lockdown_reason what);
#endif

/* linux/tracepoint.h, trace/events/sched.h */
struct tracepoint {
	const char *name;
};

void check_trace_callback_type_sched_switch(void (*probe)(void *data, bool preempt,
							  struct task_struct *prev,
							  struct task_struct *next));
void check_trace_callback_type_sched_process_exit(void (*probe)(void *data,
								struct task_struct *p));
void check_trace_callback_type_sched_process_fork(void (*probe)(void *data,
								struct task_struct *parent,
								struct task_struct *child));

/* linux/xarray.h */
struct xarray {
	void *head;
};

void *xa_load(struct xarray *xa, unsigned long index);

#endif /* OLD_H */
