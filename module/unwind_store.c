// SPDX-License-Identifier: GPL-2.0
/*
 * The unwind tables of sessions.
 *
 * This file owns the tables that readers push. Sessions share equal tables; each session
 * has its own ids and use counts for them (&struct wp_held). A table does not change once
 * it is here. Mappings name it by pointer and count as its users; the probes and the
 * overflow handler reach it by a process's mappings only, under RCU. A table without
 * users may be dropped when another one needs its room; one of generated code, by the next.
 *
 * Process context, the session locked.
 */
#include <linux/bitops.h>
#include <linux/elf-em.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "compat/memcg.h"
#include "compat/mm.h"
#include "compat/vmalloc.h"
#include "state.h"
#include "unwind_store.h"

#if defined(CONFIG_X86_64)
#define WP_MACHINE	EM_X86_64
#elif defined(CONFIG_ARM64)
#define WP_MACHINE	EM_AARCH64
#endif

/* Bytes that are copied, hashed or compared before others may run. */
#define WP_CHUNK	SZ_16K

/* A longer table takes whole pages, a shorter one hardly more than its bytes. */
#define WP_SMALL	SZ_2K

/**
 * struct wp_shared_table - a table that sessions share
 * @table: the checked table
 * @node: in wp_store_known
 * @hash: of @data
 * @refs: sessions that hold it; under wp_store_mutex
 * @bytes: of @data
 * @data: what the reader pushed
 */
struct wp_shared_table {
	struct wp_table table;
	struct hlist_node node;
	u64 hash;
	unsigned int refs;
	u32 bytes;
	void *data;
};

/**
 * struct wp_held - a table that a session holds
 * @table: copy of the shared table's
 * @shared: the shared table, of which this holds a reference
 * @users: mappings that name it; under the session's lock
 * @was_used: it has had users
 * @once: it is of no use without users
 * @pushed: the epoch in which it was pushed last
 *
 * @table is a copy, so that a mapping's pointer leads to the session's own count.
 */
struct wp_held {
	struct wp_table table;
	struct wp_shared_table *shared;
	u64 users;
	bool was_used;
	bool once;
	u32 pushed;
};

static DEFINE_MUTEX(wp_store_mutex);	/* orders uses of wp_store_known, and of @refs */
static struct hlist_head wp_store_known[256];

/*
 * Adds bytes of a table, aligned, to its hash; all calls but the last add whole words. Equal
 * hashes only lead to a comparison, so it need not be strong, just differ where tables do by
 * chance: a user who wants equal ones can have them with jhash(), too, at three times the cost.
 */
static u64 wp_store_hash_add(u64 hash, const void *data, u32 bytes)
{
	const u64 *word = data, *end = word + bytes / sizeof(*word);
	u64 last = 0;

	for (; word < end; word++)
		hash = rol64((hash ^ *word) * 0x9e3779b97f4a7c15ULL, 29);
	memcpy(&last, word, bytes % sizeof(*word));
	return rol64((hash ^ last) * 0x9e3779b97f4a7c15ULL, 29);
}

static void wp_shared_table_free(struct wp_shared_table *shared)
{
	kvfree(shared->data);
	kfree(shared);
}

static void wp_shared_table_put(struct wp_shared_table *shared)
{
	mutex_lock(&wp_store_mutex);
	if (--shared->refs)
		shared = NULL;
	else
		hlist_del(&shared->node);
	mutex_unlock(&wp_store_mutex);
	if (shared)
		wp_shared_table_free(shared);
}

/* Whether two tables of the same size are equal. */
static bool wp_shared_table_is(const struct wp_shared_table *shared,
			       const struct wp_shared_table *other)
{
	u32 at, chunk;

	for (at = 0; at < shared->bytes; at += chunk) {
		chunk = min_t(u32, shared->bytes - at, WP_CHUNK);
		if (memcmp(shared->data + at, other->data + at, chunk))
			return false;
		cond_resched();
	}
	return true;
}

/*
 * Returns a reference to the shared table: to @shared, or to its equal, then @shared is
 * freed. @is_new: set to whether it is @shared.
 */
static struct wp_shared_table *wp_shared_table_share(struct wp_shared_table *shared, bool *is_new)
{
	struct hlist_head *bucket = &wp_store_known[shared->hash & 255];
	struct wp_shared_table *other;

	mutex_lock(&wp_store_mutex);
	hlist_for_each_entry(other, bucket, node) {
		/* A hostile user can make tables that are all in one bucket. */
		cond_resched();
		if (other->hash == shared->hash && other->bytes == shared->bytes &&
		    wp_shared_table_is(shared, other)) {
			other->refs++;
			*is_new = false;
			mutex_unlock(&wp_store_mutex);
			wp_shared_table_free(shared);
			return other;
		}
	}
	shared->refs = 1;
	*is_new = true;
	hlist_add_head(&shared->node, bucket);
	mutex_unlock(&wp_store_mutex);
	return shared;
}

static void *wp_shared_table_data(u32 bytes)
{
	gfp_t gfp = GFP_KERNEL_ACCOUNT | WP_GFP_MAY_FAIL;

	return bytes > WP_SMALL ? __vmalloc(bytes, gfp) : kmalloc(bytes, gfp);
}

/* Copies a table that a user made; it need not be one. It is charged for. */
static struct wp_shared_table *wp_shared_table_read(const void __user *user, u32 bytes)
{
	struct wp_shared_table *shared;
	u64 hash = bytes;
	u32 at, chunk;
	int err = -ENOMEM;

	shared = kzalloc(sizeof(*shared), GFP_KERNEL_ACCOUNT);
	if (!shared)
		return ERR_PTR(-ENOMEM);
	shared->bytes = bytes;
	shared->data = wp_shared_table_data(bytes);
	if (!shared->data)
		goto free;
	for (at = 0; at < bytes; at += chunk) {
		chunk = min_t(u32, bytes - at, WP_CHUNK);
		err = -EFAULT;
		if (copy_from_user(shared->data + at, user + at, chunk))
			goto free;
		hash = wp_store_hash_add(hash, shared->data + at, chunk);
		err = -EINTR;
		if (fatal_signal_pending(current))
			goto free;
		cond_resched();
	}
	shared->hash = hash;
	err = -EBADMSG;
	if (wp_table_check(&shared->table, shared->data, bytes, WP_MACHINE))
		goto free;
	return shared;
free:
	wp_shared_table_free(shared);
	return ERR_PTR(err);
}

/* Charges for @bytes, which the status reports, and @extra, which it does not. */
static int wp_store_charge_both(struct wp_session *session, s64 bytes, s64 extra)
{
	struct wp_mappings *mappings = &session->mappings;
	unsigned long pages = PFN_UP(mappings->bytes + bytes + mappings->extra + extra);
	int err;

	if (pages > totalram_pages())
		return -ENOMEM;
	if (pages != mappings->pages) {
		err = account_locked_vm(session->mm,
					pages > mappings->pages ?
					pages - mappings->pages :
					mappings->pages - pages,
					pages > mappings->pages);
		if (err)
			return err;
	}
	mappings->pages = pages;
	mappings->bytes += bytes;
	mappings->extra += extra;
	return 0;
}

/**
 * wp_store_charge - charge a session for more memory, or for less
 * @session: the session, locked
 * @bytes: how much more, or, below 0, less
 *
 * Context: process.
 * Return: 0, or -ENOMEM beyond the limit of locked memory.
 */
int wp_store_charge(struct wp_session *session, s64 bytes)
{
	return wp_store_charge_both(session, bytes, 0);
}

/* What a table takes beside its bytes: a session could have a million small ones. */
static s64 wp_store_extra(u32 bytes)
{
	u32 filled = bytes > WP_SMALL ? PAGE_ALIGN(bytes) - bytes : 0;

	return filled + sizeof(struct wp_shared_table) + sizeof(struct wp_held);
}

/* The id by which a session holds a shared table, which is pushed again; 0: it holds none. */
static u32 wp_store_find(struct wp_mappings *mappings, const struct wp_shared_table *shared,
			 u32 epoch, bool once)
{
	struct wp_held *held;
	unsigned long id;

	xa_for_each(&mappings->tables, id, held) {
		if (held->shared == shared) {
			held->pushed = epoch;
			held->once &= once;
			return id;
		}
		cond_resched();
	}
	return 0;
}

/* The most bytes of tables that a session may have. */
static u64 wp_store_most(void)
{
	return min_t(u64, WALLPROF_MAX_TABLES_BYTES,
		     (u64)totalram_pages() << PAGE_SHIFT >> 3);
}

/* Whether the session's own limits leave room for another table. */
static bool wp_store_has_room(const struct wp_mappings *mappings, u32 bytes)
{
	u64 most = wp_store_most();

	return mappings->nr_tables < WALLPROF_MAX_TABLES && bytes <= most &&
	       mappings->tables_bytes <= most - bytes;
}

/* Charges for a table, if the session's limits leave room for it. */
static int wp_store_charge_table(struct wp_session *session, u32 bytes)
{
	if (!wp_store_has_room(&session->mappings, bytes))
		return -ENOSPC;
	return wp_store_charge_both(session, bytes, wp_store_extra(bytes));
}

static void wp_store_uncharge_table(struct wp_session *session, u32 bytes)
{
	wp_store_charge_both(session, -(s64)bytes, -wp_store_extra(bytes));
}

static void wp_store_drop(struct wp_session *session, u32 id)
{
	struct wp_mappings *mappings = &session->mappings;
	struct wp_held *held = xa_erase(&mappings->tables, id);
	u32 bytes = held->shared->bytes;

	mappings->nr_tables--;
	mappings->tables_bytes -= bytes;
	wp_store_uncharge_table(session, bytes);
	wp_shared_table_put(held->shared);
	kfree(held);
}

/*
 * Whether nobody is about to name a table: its users are gone, or it had none when its
 * process was to be published, since it had ended.
 */
static bool wp_store_is_idle(const struct wp_held *held, u32 epoch)
{
	return !held->users && (held->was_used || epoch - held->pushed >= 2);
}

/* Drops the tables that are of no use any more. Each is what a change of code left. */
static void wp_store_drop_once(struct wp_session *session)
{
	struct wp_mappings *mappings = &session->mappings;
	struct wp_held *held;
	unsigned long id;

	xa_for_each(&mappings->tables, id, held) {
		if (held->once && wp_store_is_idle(held, wp_session_epoch(session)))
			wp_store_drop(session, id);
		cond_resched();
	}
}

/* Makes room for a table that found none, with @err, and charges for it. */
static int wp_store_make_room(struct wp_session *session, u32 bytes, int err)
{
	struct wp_mappings *mappings = &session->mappings;
	struct wp_held *held;
	unsigned long id;

	/* Not those of others in vain. */
	if (bytes > wp_store_most())
		return err;
	xa_for_each(&mappings->tables, id, held) {
		if (!wp_store_is_idle(held, wp_session_epoch(session)))
			continue;
		wp_store_drop(session, id);
		err = wp_store_charge_table(session, bytes);
		if (!err)
			break;
		cond_resched();
	}
	return err;
}

/* Gives a table an id, and takes over the reference. It is charged for. */
static int wp_store_hold(struct wp_mappings *mappings, struct wp_shared_table *shared, u32 epoch,
			 bool once)
{
	struct wp_held *held;
	int err;

	if (mappings->last_table == U32_MAX)
		return -ENOSPC;
	held = kzalloc(sizeof(*held), GFP_KERNEL_ACCOUNT);
	if (!held)
		return -ENOMEM;
	held->table = shared->table;
	held->shared = shared;
	held->once = once;
	held->pushed = epoch;
	err = xa_insert(&mappings->tables, mappings->last_table + 1, held, GFP_KERNEL_ACCOUNT);
	if (err) {
		kfree(held);
		return err;
	}
	mappings->last_table++;
	mappings->nr_tables++;
	mappings->tables_bytes += shared->bytes;
	return 0;
}

/* Whether memory of a user equals a shared table: 1 or 0, or -EFAULT. */
static int wp_store_is(const struct wp_shared_table *shared, const void __user *user, void *chunk)
{
	u32 at, bytes;

	for (at = 0; at < shared->bytes; at += bytes) {
		bytes = min_t(u32, shared->bytes - at, WP_CHUNK);
		if (copy_from_user(chunk, user + at, bytes))
			return -EFAULT;
		if (memcmp(chunk, shared->data + at, bytes))
			return 0;
		cond_resched();
	}
	return 1;
}

/* As wp_shared_table_read() computes it: 0, or -EFAULT, -EINTR. */
static int wp_store_hash(const void __user *user, u32 bytes, void *chunk, u64 *hash)
{
	u32 at, nr;

	*hash = bytes;
	for (at = 0; at < bytes; at += nr) {
		nr = min_t(u32, bytes - at, WP_CHUNK);
		if (copy_from_user(chunk, user + at, nr))
			return -EFAULT;
		*hash = wp_store_hash_add(*hash, chunk, nr);
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return 0;
}

/*
 * Looks for the table that a user made among those that a session has, without room
 * for a copy. @id: the id, or 0.
 */
static int wp_store_look(struct wp_mappings *mappings, const void __user *user, u32 bytes,
			 u32 epoch, bool once, u32 *id)
{
	void *chunk = kmalloc(WP_CHUNK, GFP_KERNEL_ACCOUNT);
	struct wp_held *held;
	unsigned long at;
	u64 hash;
	int ret;

	*id = 0;
	if (!chunk)
		return -ENOMEM;
	ret = wp_store_hash(user, bytes, chunk, &hash);
	if (ret)
		goto free;
	xa_for_each(&mappings->tables, at, held) {
		cond_resched();
		if (held->shared->hash != hash || held->shared->bytes != bytes)
			continue;
		ret = wp_store_is(held->shared, user, chunk);
		if (ret > 0) {
			held->pushed = epoch;
			held->once &= once;
			*id = at;
		}
		if (ret)
			break;
	}
free:
	kfree(chunk);
	return min(ret, 0);
}

/* Copies and checks a table that is charged for. @kept: it was new, and is kept. */
static int wp_store_take(struct wp_session *session, struct wallprof_push *push, bool *kept)
{
	struct wp_mappings *mappings = &session->mappings;
	bool once = push->flags & WALLPROF_PUSH_ONCE;
	u32 epoch = wp_session_epoch(session);
	struct wp_shared_table *shared;
	bool is_new;
	int err = 0;

	*kept = false;
	shared = wp_shared_table_read(u64_to_user_ptr(push->table), push->bytes);
	if (IS_ERR(shared))
		return PTR_ERR(shared);
	shared = wp_shared_table_share(shared, &is_new);
	push->id = is_new ? 0 : wp_store_find(mappings, shared, epoch, once);
	if (!push->id) {
		err = wp_store_hold(mappings, shared, epoch, once);
		push->id = mappings->last_table;
		*kept = !err;
	}
	if (!*kept)
		wp_shared_table_put(shared);
	return err;
}

/**
 * wp_store_push - add a table
 * @session: the session, locked
 * @push: the table; out: its id
 * @evict: drop tables that no process uses any more, if that makes room
 *
 * Context: process.
 * Return: 0, or an error as documented in the uapi header for WALLPROF_IOC_PUSH; -ENOSPC
 * or -ENOMEM if there is no room.
 */
int wp_store_push(struct wp_session *session, struct wallprof_push *push, bool evict)
{
	const void __user *user = u64_to_user_ptr(push->table);
	struct wp_mappings *mappings = &session->mappings;
	struct wallprof_table head;
	bool kept;
	int err, looked;

	if (push->bytes < sizeof(head))
		return -EBADMSG;
	if (copy_from_user(&head, user, sizeof(head)))
		return -EFAULT;
	/* Checked before that much memory is allocated. */
	if (wp_table_size(&head) != push->bytes)
		return -EBADMSG;
	if (push->flags & WALLPROF_PUSH_ONCE)
		wp_store_drop_once(session);
	err = wp_store_charge_table(session, push->bytes);
	/* The session may hold it already, or may drop others for it. */
	if (err && !mappings->nr_tables)
		return err;
	if (err && !evict) {
		looked = wp_store_look(mappings, user, push->bytes, wp_session_epoch(session),
				       push->flags & WALLPROF_PUSH_ONCE, &push->id);
		return looked || push->id ? looked : err;
	}
	if (err)
		err = wp_store_make_room(session, push->bytes, err);
	if (err)
		return err;
	err = wp_store_take(session, push, &kept);
	if (!kept)
		wp_store_uncharge_table(session, push->bytes);
	return err;
}

/**
 * wp_store_use - name a table in mappings
 * @mappings: the session's
 * @id: the table
 * @table: set to it
 *
 * Return: 0; -EINVAL if there never was such a table, -ENOENT if it was dropped.
 */
int wp_store_use(struct wp_mappings *mappings, u32 id, const struct wp_table **table)
{
	struct wp_held *held = xa_load(&mappings->tables, id);

	if (!held)
		return id && id <= mappings->last_table ? -ENOENT : -EINVAL;
	held->users++;
	held->was_used = true;
	*table = &held->table;
	return 0;
}

/**
 * wp_store_unuse - give a use of a table back, of mappings that no probe can reach
 * @table: as set by wp_store_use()
 */
void wp_store_unuse(const struct wp_table *table)
{
	container_of(table, struct wp_held, table)->users--;
}

/**
 * wp_store_release - free all tables of a session
 * @session: a session without processes
 */
void wp_store_release(struct wp_session *session)
{
	struct wp_mappings *mappings = &session->mappings;
	struct wp_held *held;
	unsigned long id;

	xa_for_each(&mappings->tables, id, held) {
		wp_store_drop(session, id);
		cond_resched();
	}
	xa_destroy(&mappings->tables);
}
