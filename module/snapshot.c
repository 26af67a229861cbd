// SPDX-License-Identifier: GPL-2.0
/*
 * Snapshot of what already runs: the threads of the opener's pid namespace, and the code
 * that their processes have mapped.
 *
 * This file owns WALLPROF_IOC_LIVE. A reader could get the same from /proc, where the
 * kernel formats all of a process's mappings as text, and makes an inode of each file
 * that is opened: some 150,000 instructions for each process. As with perf's own records
 * of mappings, a user who may record the whole host may see them.
 *
 * A thread is found by its number, and the next one by the next number: a thread that
 * lives from the first call to the last is recorded once, whatever other threads come and
 * go.
 *
 * Process context, the session locked.
 */
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/mman.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "compat/compiler.h"
#include "compat/fs.h"
#include "compat/mm.h"
#include "mmput.h"
#include "snapshot.h"
#include "state.h"

/* A record with the longest name fits. */
#define WP_SNAPSHOT_BUFFER	(4 * PATH_MAX)

/*
 * Retries of a locked mmap_lock, a jiffy apart: for one process, and in one call. A lock
 * in ordinary use is free by then.
 */
#define WP_SNAPSHOT_TRIES		3
#define WP_SNAPSHOT_ALL_TRIES	(HZ / 10 + 1)

/* Mappings of a process that are read before its mmap_lock is released for a moment. */
#define WP_SNAPSHOT_MAPS_AT_ONCE	1024

/**
 * struct wp_snapshot - a call of WALLPROF_IOC_LIVE
 * @ns: the pid namespace of all numbers
 * @user: where records go
 * @room: bytes there
 * @done: bytes written there
 * @len: bytes in @buffer
 * @tries: retries of locked mmap_locks that are left
 * @put: for the last reference to a process's memory; NULL: to be allocated
 * @path: buffer for a name
 * @buffer: records that are made with a lock held, and not written to @user yet
 */
struct wp_snapshot {
	struct pid_namespace *ns;
	char __user *user;
	u32 room;
	u32 done;
	u32 len;
	unsigned int tries;
	struct wp_mmput *put;
	char path[PATH_MAX];
	char buffer[WP_SNAPSHOT_BUFFER] __aligned(8);
};

static int wp_snapshot_flush(struct wp_snapshot *snapshot)
{
	if (snapshot->len > snapshot->room - snapshot->done)
		return -ENOSPC;
	if (copy_to_user(snapshot->user + snapshot->done, snapshot->buffer, snapshot->len))
		return -EFAULT;
	snapshot->done += snapshot->len;
	snapshot->len = 0;
	return 0;
}

/* Returns a zeroed record; NULL if the buffer has to be flushed first. */
static void *wp_snapshot_add(struct wp_snapshot *snapshot, u16 type, size_t bytes)
{
	struct wallprof_live_head *head = (void *)(snapshot->buffer + snapshot->len);

	if (bytes > sizeof(snapshot->buffer) - snapshot->len)
		return NULL;
	memset(head, 0, bytes);
	head->type = type;
	head->bytes = bytes;
	snapshot->len += bytes;
	return head;
}

/* Returns the next thread from a number on, held, and its number; or NULL. */
static struct task_struct *wp_snapshot_next(struct wp_snapshot *snapshot, int *nr)
{
	struct task_struct *p = NULL;
	struct pid *pid;

	rcu_read_lock();
	for (; !p; (*nr)++) {
		pid = idr_get_next(&snapshot->ns->idr, nr);
		if (!pid)
			break;
		p = pid_task(pid, PIDTYPE_PID);
		if (p) {
			get_task_struct(p);
			break;
		}
	}
	rcu_read_unlock();
	return p;
}

/* Records a thread. Returns 0, or an error. */
static int wp_snapshot_thread(struct wp_snapshot *snapshot, struct task_struct *p, u32 tid,
			      const struct mm_struct *mm, u32 flags)
{
	struct wallprof_live_thread *thread;
	int err;

	/* A flush always makes room for one. */
	if (sizeof(snapshot->buffer) - snapshot->len < sizeof(*thread)) {
		err = wp_snapshot_flush(snapshot);
		if (err)
			return err;
	}
	thread = wp_snapshot_add(snapshot, WALLPROF_LIVE_THREAD, sizeof(*thread));
	thread->tid = tid;
	rcu_read_lock();
	thread->pid = task_tgid_nr_ns(p, snapshot->ns);
	if (pid_alive(p))
		thread->ppid = task_tgid_nr_ns(rcu_dereference(p->real_parent), snapshot->ns);
	rcu_read_unlock();
	/*
	 * A name that is being written may be a mixture; a record of the new one follows.
	 */
	data_race(strscpy(thread->comm, p->comm, sizeof(thread->comm)));
	/* Set by exec alone, before the program runs. */
	if (mm)
		thread->start_stack = READ_ONCE(mm->start_stack);
	thread->flags = flags;
	return 0;
}

/* The name of a mapping in /proc/PID/maps; "" if it has none. Context: mmap_lock held. */
static const char *wp_snapshot_name(struct wp_snapshot *snapshot, struct vm_area_struct *vma)
{
	const struct mm_struct *mm = vma->vm_mm;
	const char *name = NULL;

#ifdef CONFIG_ANON_VMA_NAME
	if (vma->anon_name) {
		snprintf(snapshot->path, sizeof(snapshot->path), "[%s:%s]",
			 vma->vm_file ? "anon_shmem" : "anon", vma->anon_name->name);
		name = snapshot->path;
	}
#endif
	if (vma->vm_file) {
		if (!name)
			name = d_path(wp_file_user_path(vma->vm_file), snapshot->path,
				      sizeof(snapshot->path));
		return IS_ERR(name) ? "" : name;
	}
	if (vma->vm_ops && vma->vm_ops->name && vma->vm_ops->name(vma))
		return vma->vm_ops->name(vma);
	if (vma->vm_start < mm->brk && vma->vm_end > mm->start_brk)
		return "[heap]";
	if (vma->vm_start <= mm->start_stack && vma->vm_end >= mm->start_stack)
		return "[stack]";
	return name ? name : "";
}

/* Records a mapping. Returns false if the buffer has to be flushed first. */
static bool wp_snapshot_map(struct wp_snapshot *snapshot, struct vm_area_struct *vma)
{
	const char *name = wp_snapshot_name(snapshot, vma);
	struct wallprof_live_map *map;
	size_t len = strlen(name);

	map = wp_snapshot_add(snapshot, WALLPROF_LIVE_MAP, ALIGN(sizeof(*map) + len + 1, 8));
	if (!map)
		return false;
	map->prot = (vma->vm_flags & VM_READ ? PROT_READ : 0) |
		    (vma->vm_flags & VM_WRITE ? PROT_WRITE : 0) | PROT_EXEC;
	map->flags = vma->vm_flags & VM_MAYSHARE ? MAP_SHARED : MAP_PRIVATE;
	map->start = vma->vm_start;
	map->end = vma->vm_end;
	if (vma->vm_file) {
		const struct inode *inode = wp_file_user_inode(vma->vm_file);

		map->pgoff = (u64)vma->vm_pgoff << PAGE_SHIFT;
		map->ino = inode->i_ino;
		map->major = MAJOR(inode->i_sb->s_dev);
		map->minor = MINOR(inode->i_sb->s_dev);
	}
	memcpy(map->name, name, len);
	return true;
}

/*
 * Takes a process's mmap_lock for reading. Its holder may hold it for ever, as a mmap()
 * of a file of a FUSE server that does not answer does, and session->lock is held here.
 * So it is tried, but never waited for.
 *
 * Return: 0, -EBUSY if it stays locked, -EINTR if the caller is killed.
 */
static int wp_snapshot_lock(struct wp_snapshot *snapshot, struct mm_struct *mm)
{
	unsigned int tries = WP_SNAPSHOT_TRIES;

	while (!mmap_read_trylock(mm)) {
		if (!tries || !snapshot->tries)
			return -EBUSY;
		tries--;
		snapshot->tries--;
		schedule_timeout_killable(1);
		if (fatal_signal_pending(current))
			return -EINTR;
	}
	return 0;
}

/*
 * Records mappings of a process from @at on, as many as fit into the buffer, of at most
 * WP_SNAPSHOT_MAPS_AT_ONCE. @full: set if the buffer has to be flushed before the next.
 *
 * Context: mmap_lock held. Return: whether there are more.
 */
static bool wp_snapshot_some_maps(struct wp_snapshot *snapshot, struct mm_struct *mm,
				  unsigned long *at, bool *full)
{
	unsigned int looked = 0;
	struct vm_area_struct *vma;

	for (vma = find_vma(mm, *at); vma; vma = find_vma(mm, *at)) {
		*full = vma->vm_flags & VM_EXEC && !wp_snapshot_map(snapshot, vma);
		if (*full || looked++ == WP_SNAPSHOT_MAPS_AT_ONCE)
			return true;
		*at = vma->vm_end;
	}
	return false;
}

/*
 * Records the code that a process has mapped; returns -EBUSY if its mmap_lock is locked.
 *
 * While the reader's memory is written, neither is the lock held, which the write may
 * need, too, nor is the process's memory in use: the write may take as long as the reader
 * likes, and a process that is killed meanwhile must be able to free its memory.
 */
static int wp_snapshot_maps(struct wp_snapshot *snapshot, struct mm_struct *mm)
{
	unsigned long at = 0;
	bool full, more;
	int err;

	do {
		full = false;
		more = false;
		/* If @put was used, the process has ended. */
		if (!snapshot->put || !mmget_not_zero(mm))
			return 0;
		err = wp_snapshot_lock(snapshot, mm);
		if (!err) {
			more = wp_snapshot_some_maps(snapshot, mm, &at, &full);
			mmap_read_unlock(mm);
		}
		wp_mmput_deferred(mm, &snapshot->put);
		if (full)
			err = wp_snapshot_flush(snapshot);
		cond_resched();
	} while (more && !err);
	return err;
}

/*
 * Returns a process's memory, held; NULL if it has none. The leader may have exited
 * before the other threads.
 */
static struct mm_struct *wp_snapshot_mm(struct task_struct *leader)
{
	struct mm_struct *mm = NULL;
	struct task_struct *p;

	rcu_read_lock();
	for_each_thread(leader, p) {
		task_lock(p);
		if (p->mm && !(p->flags & PF_KTHREAD)) {
			mm = p->mm;
			mmgrab(mm);
		}
		task_unlock(p);
		if (mm)
			break;
	}
	rcu_read_unlock();
	return mm;
}

/* Records a process. The buffer is empty. */
static int wp_snapshot_process(struct wp_snapshot *snapshot, struct task_struct *p, u32 tid)
{
	u32 done = snapshot->done;
	struct mm_struct *mm;
	int err;

	/* Allocated before a reference is taken that could become the last one. */
	if (!snapshot->put)
		snapshot->put = wp_mmput_alloc();
	if (!snapshot->put)
		return -ENOMEM;
	mm = wp_snapshot_mm(p);
	err = wp_snapshot_thread(snapshot, p, tid, mm, 0);
	if (!mm)
		return err;
	if (!err)
		err = wp_snapshot_maps(snapshot, mm);
	if (err == -EBUSY) {
		/* All of its mappings or none: some may be in the reader's memory. */
		snapshot->done = done;
		snapshot->len = 0;
		err = wp_snapshot_thread(snapshot, p, tid, mm, WALLPROF_LIVE_NO_MAPS);
	}
	mmdrop(mm);
	return err;
}

/* Records a thread, with its process if it is the leader; all or nothing. */
static int wp_snapshot_one(struct wp_snapshot *snapshot, struct task_struct *p, u32 tid)
{
	int err;

	if (thread_group_leader(p))
		err = wp_snapshot_process(snapshot, p, tid);
	else
		err = wp_snapshot_thread(snapshot, p, tid, NULL, 0);
	return err ? err : wp_snapshot_flush(snapshot);
}

/**
 * wp_snapshot_read - WALLPROF_IOC_LIVE
 * @session: the session, locked
 * @args: the number to begin with, and the buffer
 *
 * Context: process.
 * Return: 0, or an error as documented in the uapi header.
 */
int wp_snapshot_read(struct wp_session *session, struct wallprof_live *args)
{
	struct task_struct *p;
	struct wp_snapshot *snapshot;
	int nr = args->tid;
	int err = 0;
	u32 done;

	if (args->flags || nr < 0)
		return -EINVAL;
	snapshot = kvzalloc(sizeof(*snapshot), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!snapshot)
		return -ENOMEM;
	snapshot->ns = session->pid_ns;
	snapshot->user = u64_to_user_ptr(args->records);
	snapshot->room = args->bytes;
	snapshot->tries = WP_SNAPSHOT_ALL_TRIES;
	for (; (p = wp_snapshot_next(snapshot, &nr)); nr++) {
		done = snapshot->done;
		err = wp_snapshot_one(snapshot, p, nr);
		put_task_struct(p);
		if (!err && fatal_signal_pending(current))
			err = -EINTR;
		if (err)
			break;
		cond_resched();
	}
	if (err == -ENOSPC && done) {
		/* The incomplete record is dropped. */
		snapshot->done = done;
		err = 0;
	}
	if (!err) {
		args->tid = p ? nr : 0;
		args->bytes = snapshot->done;
	}
	kfree(snapshot->put);
	kvfree(snapshot);
	return err;
}
