// SPDX-License-Identifier: GPL-2.0
/*
 * Mappings of processes: which process has mapped which file where.
 *
 * This file owns a session's processes; their unwind tables are unwind_store.c's. Tables
 * and mappings come by ioctl (process context, the session's lock held) and do not change
 * once they are published; the probes and the overflow handler look them up under RCU
 * (irqs off, or NMI). A process is identified by its mm_struct: an exec makes a new one,
 * whose mappings are unknown until the reader pushes them, and the old one's are not
 * mistaken for them. The structs are held so that no address is used twice.
 *
 * Retired entries are freed after a wp_session_quiesce(), of a flip, PUSH or MAPS. Until
 * then an entry's mappings count as users of the tables that they name. No probe or handler
 * can reach a table without users; it may be dropped when another table needs its room.
 */
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "access.h"
#include "compat/uaccess.h"
#include "mappings.h"
#include "pure/interp.h"
#include "state.h"
#include "unwind_store.h"

/* Spare entries: how many forks between two flips or MAPS get their mappings. */
#define WP_SPARE	1024

/* Mappings that are copied between two cond_resched(). */
#define WP_MAPS_AT_ONCE	1024

/* Entries that wait for a flip; with more, MAPS waits for a grace period itself. */
#define WP_MAX_RETIRED	1024

/**
 * struct wp_process - a process whose mappings are known
 * @node: in &struct wp_mappings.by_mm or spare
 * @retired: in &struct wp_mappings.retired
 * @mm: identifies it; held by mmgrab()
 * @code: its mappings
 */
struct wp_process {
	struct hlist_node node;
	struct list_head retired;
	struct mm_struct *mm;
	struct wp_code *code;
};

static atomic64_t wp_generations = ATOMIC64_INIT(0);

/**
 * wp_mappings_init - initialize a session's mappings
 * @mappings: those of a new session
 *
 * Context: process.
 */
void wp_mappings_init(struct wp_mappings *mappings)
{
	xa_init(&mappings->tables);
	raw_spin_lock_init(&mappings->lock);
	INIT_LIST_HEAD(&mappings->retired);
	mappings->changes = 1;
}

/**
 * wp_mappings_status - report counts of tables and processes
 * @session: the session, locked
 * @status: gets them
 *
 * Context: process.
 */
void wp_mappings_status(struct wp_session *session, struct wallprof_status *status)
{
	struct wp_mappings *mappings = &session->mappings;
	unsigned long flags;

	status->tables = mappings->nr_tables;
	status->tables_bytes = mappings->bytes;
	raw_spin_lock_irqsave(&mappings->lock, flags);
	status->processes = mappings->nr_processes;
	status->forks_missed = mappings->nr_missed;
	raw_spin_unlock_irqrestore(&mappings->lock, flags);
}

/* Allocates an entry, and charges for it. Returns NULL if it cannot. */
static struct wp_process *wp_process_new(struct wp_session *session)
{
	struct wp_process *process;

	if (wp_store_charge(session, sizeof(*process)))
		return NULL;
	process = kmalloc(sizeof(*process), GFP_KERNEL_ACCOUNT);
	if (!process)
		wp_store_charge(session, -(s64)sizeof(*process));
	return process;
}

static void wp_process_delete(struct wp_session *session, struct wp_process *process)
{
	kfree(process);
	wp_store_charge(session, -(s64)sizeof(*process));
}

/* Size of a process's mappings, for which they are charged. */
static size_t wp_code_bytes(u32 nr, bool interp)
{
	return sizeof(struct wp_code) + nr * sizeof(struct wp_map) +
	       (interp ? sizeof(struct wallprof_interp) : 0);
}

/* Frees mappings that no probe can reach any more, or not yet; releases their tables. */
static void wp_code_free(struct wp_code *code)
{
	u32 i;

	for (i = 0; i < code->maps.nr; i++) {
		if (code->map[i].table)
			wp_store_unuse(code->map[i].table);
	}
	kvfree(code);
}

/*
 * Frees an entry that no probe can reach any more. Its mappings stay if a forked process
 * shares them.
 */
static void wp_process_free(struct wp_session *session, struct wp_process *process)
{
	struct wp_code *code = process->code;

	if (refcount_dec_and_test(&code->refs)) {
		wp_store_charge(session, -(s64)wp_code_bytes(code->maps.nr, code->interp));
		wp_code_free(code);
	}
	mmdrop(process->mm);
	wp_process_delete(session, process);
}

/**
 * wp_mappings_free_retired - free the processes that no probe can reach any more
 * @session: the session, locked; a grace period has passed since they were retired
 *
 * Context: process.
 */
void wp_mappings_free_retired(struct wp_session *session)
{
	struct wp_mappings *mappings = &session->mappings;
	struct wp_process *process, *next;

	list_for_each_entry_safe(process, next, &mappings->retired, retired) {
		wp_process_free(session, process);
		cond_resched();
	}
	INIT_LIST_HEAD(&mappings->retired);
	mappings->nr_retired = 0;
}

/*
 * Allocates spare entries for the fork probe. Without memory, or where no more may be
 * locked, there are none, and the probe counts that.
 */
static void wp_mappings_refill(struct wp_session *session)
{
	struct wp_mappings *mappings = &session->mappings;
	struct wp_process *process;
	unsigned long flags;

	/* Only the probe takes entries meanwhile. */
	while (READ_ONCE(mappings->nr_spare) < WP_SPARE) {
		process = wp_process_new(session);
		if (!process)
			return;
		raw_spin_lock_irqsave(&mappings->lock, flags);
		hlist_add_head(&process->node, &mappings->spare);
		mappings->nr_spare++;
		raw_spin_unlock_irqrestore(&mappings->lock, flags);
	}
}

/**
 * wp_mappings_settle - free retired entries, and refill the spare ones
 * @session: the session, locked; a grace period has passed since
 *	wp_mappings_retire_dead()
 *
 * Context: process.
 */
void wp_mappings_settle(struct wp_session *session)
{
	wp_mappings_free_retired(session);
	if (session->mappings.by_mm)
		wp_mappings_refill(session);
}

/* Context: @mappings->lock held. */
static void wp_mappings_change(struct wp_mappings *mappings)
{
	/* Pairs with wp_mappings_changes(). */
	smp_store_release(&mappings->changes, mappings->changes + 1);
}

/**
 * wp_mappings_note_epoch - count a new epoch as a change
 * @mappings: of the session
 *
 * Context: process, the session locked; before the wait for events that may still write
 * to the last epoch.
 */
void wp_mappings_note_epoch(struct wp_mappings *mappings)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&mappings->lock, flags);
	wp_mappings_change(mappings);
	raw_spin_unlock_irqrestore(&mappings->lock, flags);
}

/* Retires an entry. Context: @mappings->lock held, and the session's. */
static void wp_process_retire(struct wp_mappings *mappings, struct wp_process *process)
{
	hlist_del_rcu(&process->node);
	wp_mappings_change(mappings);
	mappings->nr_processes--;
	list_add(&process->retired, &mappings->retired);
	mappings->nr_retired++;
}

/**
 * wp_mappings_retire_dead - retire the processes that have ended
 * @session: the session, locked
 *
 * Context: process; wp_mappings_settle() is to follow after a grace period.
 */
void wp_mappings_retire_dead(struct wp_session *session)
{
	struct wp_mappings *mappings = &session->mappings;
	struct wp_process *process;
	struct hlist_node *next;
	unsigned long flags;
	unsigned int i;

	mappings->nr_lived = 0;
	if (!READ_ONCE(mappings->nr_processes))
		return;
	for (i = 0; i < 1 << WP_PROCESS_BITS; i++) {
		if (hlist_empty(&mappings->by_mm[i]))
			continue;
		raw_spin_lock_irqsave(&mappings->lock, flags);
		hlist_for_each_entry_safe(process, next, &mappings->by_mm[i], node) {
			if (!atomic_read(&process->mm->mm_users))
				wp_process_retire(mappings, process);
		}
		raw_spin_unlock_irqrestore(&mappings->lock, flags);
	}
	mappings->nr_lived = READ_ONCE(mappings->nr_processes);
}

static struct hlist_head *wp_mappings_bucket(struct hlist_head *by_mm,
					     const struct mm_struct *mm)
{
	/* mm_structs are far apart: the low bits differ little. */
	return &by_mm[hash_64((unsigned long)mm >> 6, WP_PROCESS_BITS)];
}

/* Context: @mappings->lock held, or RCU: irqs off, or NMI. */
static struct wp_process *wp_process_find(struct wp_mappings *mappings,
					  const struct mm_struct *mm)
{
	struct hlist_head *by_mm;
	struct wp_process *process;

	/* Pairs with wp_mappings_prepare(). */
	by_mm = smp_load_acquire(&mappings->by_mm);
	if (!by_mm)
		return NULL;
	hlist_for_each_entry_rcu_notrace(process, wp_mappings_bucket(by_mm, mm), node) {
		if (process->mm == mm)
			return process;
	}
	return NULL;
}

/**
 * wp_mappings_find - find the mappings of a process
 * @mappings: the session's
 * @mm: the process
 *
 * Context: any, NMI included, under RCU.
 * Return: the mappings, valid as long as RCU is held; NULL if they are not known.
 */
const struct wp_code *wp_mappings_find(struct wp_mappings *mappings,
				       const struct mm_struct *mm)
{
	struct wp_process *process = wp_process_find(mappings, mm);

	return process ? process->code : NULL;
}

/**
 * wp_mappings_fork - share a process's mappings with its child
 * @session: the session
 * @parent: the process's memory, or NULL
 * @child: the child's, or NULL
 *
 * Context: the fork probe: irqs off.
 */
void wp_mappings_fork(struct wp_session *session, struct mm_struct *parent,
		      struct mm_struct *child)
{
	struct wp_mappings *mappings = &session->mappings;
	struct wp_process *process, *from;

	if (!parent || !child || child == parent || !READ_ONCE(mappings->nr_processes))
		return;
	raw_spin_lock(&mappings->lock);
	from = wp_process_find(mappings, parent);
	/* The reader may have pushed the child's mappings already. */
	if (!from || wp_process_find(mappings, child))
		goto unlock;
	if (hlist_empty(&mappings->spare)) {
		mappings->nr_missed++;
		goto unlock;
	}
	process = hlist_entry(mappings->spare.first, struct wp_process, node);
	hlist_del(&process->node);
	mappings->nr_spare--;
	mmgrab(child);
	process->mm = child;
	process->code = from->code;
	refcount_inc(&process->code->refs);
	mappings->nr_processes++;
	hlist_add_head_rcu(&process->node, wp_mappings_bucket(mappings->by_mm, child));
unlock:
	raw_spin_unlock(&mappings->lock);
}

/* Allocates the hash of processes, once. */
static int wp_mappings_prepare(struct wp_session *session)
{
	size_t bytes = sizeof(struct hlist_head) << WP_PROCESS_BITS;
	struct wp_mappings *mappings = &session->mappings;
	struct hlist_head *by_mm;
	int err;

	if (mappings->by_mm)
		return 0;
	err = wp_store_charge(session, bytes);
	if (err)
		return err;
	by_mm = kvcalloc(1 << WP_PROCESS_BITS, sizeof(*by_mm),
			 GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!by_mm) {
		wp_store_charge(session, -(s64)bytes);
		return -ENOMEM;
	}
	/* The probes see empty lists. Pairs with wp_process_find(). */
	smp_store_release(&mappings->by_mm, by_mm);
	return 0;
}

/* Checks and copies one mapping, and takes a use of its table. */
static int wp_map_set(struct wp_mappings *mappings, struct wp_map *map,
		      const struct wallprof_map *user, u64 above)
{
	if (user->start >= user->end || user->start < above ||
	    user->end > TASK_SIZE_MAX || user->reserved)
		return -EINVAL;
	map->start = user->start;
	map->end = user->end;
	map->bias = user->bias;
	return user->table ? wp_store_use(mappings, user->table, &map->table) : 0;
}

/* Copies the description of a process's interpreter from the user, and checks it. */
static int wp_interp_read_user(struct wallprof_interp *interp, const void __user *user)
{
	u32 size;
	int err;

	if (get_user(size, (const u32 __user *)user))
		return -EFAULT;
	if (size < sizeof(*interp))
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	err = copy_struct_from_user(interp, sizeof(*interp), user, size);
	if (err)
		return err;
	/* Another thread may have written to it since. */
	interp->size = sizeof(*interp);
	return wp_interp_check(interp, TASK_SIZE_MAX) ? 0 : -EINVAL;
}

/* Copies a process's mappings from the user. */
static struct wp_code *wp_code_read(struct wp_session *session,
				    const struct wallprof_maps *maps)
{
	struct wallprof_interp *interp;
	struct wallprof_map *user;
	struct wp_code *code;
	u64 above = 0;
	int err;
	u32 i;

	user = vmemdup_user(u64_to_user_ptr(maps->maps), maps->nr * sizeof(*user));
	if (IS_ERR(user))
		return ERR_CAST(user);
	code = kvzalloc(wp_code_bytes(maps->nr, maps->interp), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!code) {
		code = ERR_PTR(-ENOMEM);
		goto user;
	}
	refcount_set(&code->refs, 1);
	code->maps.generation = atomic64_inc_return(&wp_generations);
	code->maps.map = code->map;
	code->maps.nr = maps->nr;
	if (maps->interp) {
		interp = (void *)(code->map + maps->nr);
		err = wp_interp_read_user(interp, u64_to_user_ptr(maps->interp));
		if (err)
			goto code;
		code->interp = interp;
	}
	for (i = 0; i < maps->nr; i++) {
		err = wp_map_set(&session->mappings, &code->map[i], &user[i], above);
		if (err)
			goto code;
		above = user[i].end;
		if (!(i % WP_MAPS_AT_ONCE))
			cond_resched();
	}
user:
	kvfree(user);
	return code;
code:
	/* What was not set is zero. */
	wp_code_free(code);
	code = ERR_PTR(err);
	goto user;
}

/* Publishes a process's mappings in place of the old ones; @process may be NULL. */
static void wp_process_publish(struct wp_session *session, struct mm_struct *mm,
			       struct wp_process *process)
{
	struct wp_mappings *mappings = &session->mappings;
	struct wp_process *old;
	unsigned long flags;

	raw_spin_lock_irqsave(&mappings->lock, flags);
	old = wp_process_find(mappings, mm);
	/* In front of the old one: a probe finds one of the two. */
	if (process) {
		hlist_add_head_rcu(&process->node,
				   wp_mappings_bucket(mappings->by_mm, mm));
		mappings->nr_processes++;
	}
	if (old)
		wp_process_retire(mappings, old);
	raw_spin_unlock_irqrestore(&mappings->lock, flags);
	/* A reader that only pushes never flips. */
	if (mappings->nr_retired > WP_MAX_RETIRED) {
		wp_session_quiesce();
		wp_mappings_free_retired(session);
	}
}

/* Makes an entry from the user's mappings; both are charged for. */
static struct wp_process *wp_process_read(struct wp_session *session,
					  const struct wallprof_maps *maps)
{
	struct wp_process *process;
	int err;

	err = wp_store_charge(session, wp_code_bytes(maps->nr, maps->interp));
	if (err)
		return ERR_PTR(err);
	process = wp_process_new(session);
	if (!process) {
		err = -ENOMEM;
		goto uncharge;
	}
	process->code = wp_code_read(session, maps);
	if (!IS_ERR(process->code))
		return process;
	err = PTR_ERR(process->code);
	wp_process_delete(session, process);
uncharge:
	wp_store_charge(session, -(s64)wp_code_bytes(maps->nr, maps->interp));
	return ERR_PTR(err);
}

/**
 * wp_mappings_map - publish the mappings of a process
 * @session: the session, locked
 * @maps: the mappings
 * @of: set to the process's memory, which stays as long as @code
 * @code: set to what was published, or to NULL
 *
 * Context: process.
 * Return: 0, or an error as documented in the uapi header.
 */
int wp_mappings_map(struct wp_session *session, struct wallprof_maps *maps,
		    struct mm_struct **of, const struct wp_code **code)
{
	struct wp_process *process = NULL;
	struct mm_struct *mm;
	int err;

	if (maps->flags || maps->nr > WALLPROF_MAX_MAPS || !maps->nr != !maps->maps ||
	    (maps->interp && !maps->nr) ||
	    session->state == WALLPROF_SESSION_OPEN)
		return -EINVAL;
	err = wp_mappings_prepare(session);
	if (err)
		return err;
	mm = wp_access_mm(session, maps->pid, maps->nr);
	if (IS_ERR(mm))
		return PTR_ERR(mm);
	if (maps->nr) {
		process = wp_process_read(session, maps);
		err = PTR_ERR_OR_ZERO(process);
	}
	/* The reader may have read the mappings of the program before an exec. */
	if (!err && maps->start_stack && maps->start_stack != READ_ONCE(mm->start_stack))
		err = -ESTALE;
	if (err)
		goto drop;
	if (process)
		process->mm = mm;
	/* Forks without flips must not accumulate ended processes. */
	if (READ_ONCE(session->mappings.nr_processes) >=
	    session->mappings.nr_lived + WP_SPARE / 2)
		wp_mappings_retire_dead(session);
	wp_process_publish(session, mm, process);
	wp_mappings_refill(session);
	*of = mm;
	*code = process ? process->code : NULL;
	if (!process)
		mmdrop(mm);
	return 0;
drop:
	if (!IS_ERR_OR_NULL(process)) {
		process->mm = mm;
		wp_process_free(session, process);
	} else {
		mmdrop(mm);
	}
	return err;
}

/**
 * wp_mappings_release - free all tables and mappings of a session
 * @session: a session whose probes and counters are gone for a grace period
 *
 * Context: process.
 */
void wp_mappings_release(struct wp_session *session)
{
	struct wp_mappings *mappings = &session->mappings;
	struct wp_process *process;
	struct hlist_node *next;
	unsigned int i;

	for (i = 0; mappings->by_mm && i < 1 << WP_PROCESS_BITS; i++) {
		hlist_for_each_entry_safe(process, next, &mappings->by_mm[i], node) {
			wp_process_free(session, process);
			cond_resched();
		}
	}
	kvfree(mappings->by_mm);
	wp_mappings_free_retired(session);
	hlist_for_each_entry_safe(process, next, &mappings->spare, node)
		wp_process_delete(session, process);
	wp_store_release(session);
	wp_store_charge(session, -(s64)mappings->bytes);
}
