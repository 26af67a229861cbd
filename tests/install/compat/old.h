/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What module/compat/ uses of the headers of old kernels, with the prototypes that these
 * had: compat.test puts it in the place of each of them. Without a definition: 5.4.
 *   OLD_STABLE  a later 5.4, with the functions for mmap_sem
 *   OLD_EL8     4.18 of Enterprise Linux 8, which took over much of newer kernels
 *   OLD_4_19    4.19
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
typedef u32 compat_uptr_t;

struct file;

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
#define min(a, b) ((a) < (b) ? (a) : (b))
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
#define CAP_IPC_LOCK 14
#define CAP_SYS_ADMIN 21
#define ENOMEM 12
#define EFAULT 14
#define EBUSY 16
#define ENOSPC 28
#define E2BIG 7
#define ULONG_MAX (~0UL)
#define PAGE_SHIFT 12
#define RLIMIT_MEMLOCK 8

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
void down_write(struct rw_semaphore *sem);
void up_write(struct rw_semaphore *sem);

struct mutex {
	int count;
};

int mutex_trylock(struct mutex *lock);
void mutex_unlock(struct mutex *lock);
unsigned long rlimit(unsigned int limit);
void *memset(void *to, int c, size_t n);
void *memchr_inv(const void *from, int c, size_t n);
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
#if defined(OLD_STABLE) || defined(OLD_EL8)
	struct rw_semaphore exec_update_lock;
#endif
	struct mutex cred_guard_mutex;
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
	unsigned long locked_vm;
};

#ifdef OLD_4_19
extern unsigned long totalram_pages;
#else
unsigned long totalram_pages(void);
int account_locked_vm(struct mm_struct *mm, unsigned long pages, bool inc);
#endif

#if defined(OLD_STABLE) || defined(OLD_EL8)
bool mmap_read_trylock(struct mm_struct *mm);
void mmap_read_unlock(struct mm_struct *mm);
#endif

/* linux/vmalloc.h */
#define PAGE_KERNEL ((pgprot_t){ 0 })
void *__vmalloc(unsigned long size, gfp_t gfp_mask, pgprot_t prot);

#define USER_DS ((mm_segment_t){ 1 })
void set_fs(mm_segment_t fs);

/* linux/kthread.h, linux/mmu_context.h, linux/uaccess.h */
#ifdef OLD_EL8
void kthread_use_mm(struct mm_struct *mm);
void kthread_unuse_mm(struct mm_struct *mm);
#else
#define KERNEL_DS ((mm_segment_t){ 2 })
void use_mm(struct mm_struct *mm);
void unuse_mm(struct mm_struct *mm);
#endif

/* asm/page.h, asm/processor.h of x86 */
#define __va(x) ((void *)(unsigned long)(x))
unsigned long read_cr3_pa(void);

/* asm/processor.h of arm64 */
#define TASK_SIZE_64 (1UL << 48)

/* linux/uaccess.h, asm/extable.h */
#ifdef OLD_4_19
#define VERIFY_READ 0
#define access_ok(type, addr, size) ((void)(type), old_access_ok(addr, size))
#define user_access_begin() do { } while (0)
#else
#define access_ok(addr, size) old_access_ok(addr, size)
#define user_access_begin(from, n) access_ok(from, n)
int copy_struct_from_user(void *dst, size_t ksize, const void __user *src, size_t usize);
#endif
#if defined(OLD_STABLE) || defined(OLD_EL8)
long probe_user_read(void *dst, const void __user *src, size_t size);
#endif
mm_segment_t get_fs(void);
void pagefault_disable(void);
void pagefault_enable(void);
bool old_access_ok(const void __user *addr, size_t size);
unsigned long copy_from_user(void *to, const void __user *from, unsigned long n);
unsigned long __copy_from_user_inatomic(void *to, const void __user *from, unsigned long n);
long old_get_user(void *value, const void __user *from);

#define unsafe_get_user(x, ptr, label)		\
do {						\
	if (old_get_user(&(x), ptr))		\
		goto label;			\
} while (0)

/* linux/capability.h, linux/security.h */
#ifdef OLD_EL8
bool perfmon_capable(void);
#elif !defined(OLD_4_19)
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

/* linux/xarray.h, linux/idr.h */
#ifdef OLD_4_19
struct idr {
	void *head;
};

void idr_init(struct idr *idr);
int idr_alloc_u32(struct idr *idr, void *ptr, u32 *nextid, unsigned long max, gfp_t gfp);
void *idr_find(const struct idr *idr, unsigned long id);
void *idr_remove(struct idr *idr, unsigned long id);
void *idr_get_next_ul(struct idr *idr, unsigned long *nextid);
void idr_destroy(struct idr *idr);
#else
struct xarray {
	void *head;
};

void xa_init(struct xarray *xa);
int xa_insert(struct xarray *xa, unsigned long index, void *entry, gfp_t gfp);
void *xa_load(struct xarray *xa, unsigned long index);
void *xa_erase(struct xarray *xa, unsigned long index);
void *xa_find(struct xarray *xa, unsigned long *index);
void xa_destroy(struct xarray *xa);
#define xa_for_each(xa, index, entry)	\
	for ((index) = 0; ((entry) = xa_find(xa, &(index))); (index)++)
#endif

/* linux/rcupdate.h */
void synchronize_rcu_expedited(void);
#ifdef OLD_4_19
void synchronize_sched_expedited(void);
#endif

/* linux/stacktrace.h */
#ifdef OLD_4_19
struct stack_trace {
	unsigned int nr_entries, max_entries;
	unsigned long *entries;
	int skip;
};

void save_stack_trace(struct stack_trace *trace);
#else
unsigned int stack_trace_save(unsigned long *store, unsigned int size, unsigned int skipnr);
#endif

/* asm/syscall.h */
#ifdef OLD_4_19
int syscall_get_arch(void);
#else
int syscall_get_arch(struct task_struct *task);
#endif

/* linux/fs.h, linux/compat.h */
#define CONFIG_COMPAT 1

struct path {
	void *dentry;
};

struct inode;

struct file_operations {
	long (*unlocked_ioctl)(struct file *file, unsigned int cmd, unsigned long arg);
};

struct file {
	struct path f_path;
	const struct file_operations *f_op;
};

struct inode *file_inode(const struct file *file);
void __user *compat_ptr(compat_uptr_t uptr);
#if defined(OLD_STABLE) || defined(OLD_EL8)
long compat_ptr_ioctl(struct file *file, unsigned int cmd, unsigned long arg);
#endif

#endif /* OLD_H */
