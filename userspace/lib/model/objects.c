// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the objects of waits, found from the first argument of a system call: for a
 * descriptor the file, the socket with its addresses, the pipe; for a futex the variable
 * or the mapping that holds it. The object is looked up in /proc while it exists, at the
 * end of each epoch: during the wait or, if that was over before, after it; once it
 * cannot be found, the last result remains. A number that is reused in between is
 * reported as what it was then. Called by the record command, from one thread.
 *
 * A round belongs to one epoch. Processes' mappings and network namespaces' sockets are
 * read at most once per round, unless there are many; the number of lookups of
 * descriptors and futexes per round is bounded, and so is the number that is kept.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/model/lockmemory.h"
#include "lib/model/objects.h"
#include "lib/model/objecttexts.h"
#include "lib/model/openprocs.h"
#include "lib/model/syscalls.h"
#include "lib/proc/procmaps.h"
#include "lib/proc/sockets.h"
#include "lib/symbols/livenames.h"

#define MIN_ROOM	1024

/* A descriptor or a futex of a process; free if @tgid is 0. */
struct key {
	__u32 tgid;
	__u32 exec_id;
	__u32 born;	/* see struct process */
	__u32 round;	/* no new lookup before this round */
	__u64 time;	/* time of the round of the last successful lookup */
	__u64 arg;
	__u8 kind;	/* enum wp_syscall_arg */
	bool found;	/* looked up successfully at least once */
	__u32 object;
	__u32 next;	/* no new lookup of @memory before this round */
	__u64 ino;	/* of a socket: inode that @object describes */
	__u8 memory;	/* of a futex: enum wp_lockmemory */
};

/* State of a process id; @born is incremented when another process takes the id over. */
struct process {
	__u32 tgid;
	__u32 born;
	bool gone;
	bool denied;
};

struct wp_objects {
	struct wp_livenames *names;	/* or NULL */
	__u32 round;
	__u64 time;
	unsigned int lookups;
	struct key *key;
	size_t nr_keys;
	size_t key_room;
	struct process *process;
	size_t nr_processes;
	size_t process_room;
	struct wp_openprocs procs;
	struct wp_objecttexts texts;
	struct wp_objects_stats stats;
};

static __u64 mix(__u64 hash, __u64 x)
{
	hash = (hash ^ x) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 29;
}

static bool same_key(const struct key *a, const struct key *b)
{
	return a->tgid == b->tgid && a->exec_id == b->exec_id && a->born == b->born &&
	       a->arg == b->arg && a->kind == b->kind;
}

static struct key *key_slot(struct key *key, size_t room, const struct key *k)
{
	__u64 hash = mix(0, (__u64)k->tgid << 32 | k->exec_id);
	size_t i;

	hash = mix(mix(hash, (__u64)k->born << 8 | k->kind), k->arg);
	i = hash & (room - 1);
	while (key[i].tgid && !same_key(&key[i], k))
		i = (i + 1) & (room - 1);
	return &key[i];
}

static struct process *process_slot(struct process *process, size_t room, __u32 tgid)
{
	size_t i = mix(0, tgid) & (room - 1);

	while (process[i].tgid && process[i].tgid != tgid)
		i = (i + 1) & (room - 1);
	return &process[i];
}

/* Both tables together: each refers to the other. */
static void forget_keys(struct wp_objects *o)
{
	memset(o->key, 0, o->key_room * sizeof(*o->key));
	memset(o->process, 0, o->process_room * sizeof(*o->process));
	o->nr_keys = 0;
	o->nr_processes = 0;
}

static int grow_keys(struct wp_objects *o)
{
	size_t room = o->key_room ? o->key_room * 2 : MIN_ROOM, i;
	struct key *key = calloc(room, sizeof(*key));

	if (!key)
		return -ENOMEM;
	for (i = 0; i < o->key_room; i++) {
		if (o->key[i].tgid)
			*key_slot(key, room, &o->key[i]) = o->key[i];
	}
	free(o->key);
	o->key = key;
	o->key_room = room;
	return 0;
}

static int grow_processes(struct wp_objects *o)
{
	size_t room = o->process_room ? o->process_room * 2 : MIN_ROOM, i;
	struct process *process = calloc(room, sizeof(*process));

	if (!process)
		return -ENOMEM;
	for (i = 0; i < o->process_room; i++) {
		if (o->process[i].tgid)
			*process_slot(process, room, o->process[i].tgid) = o->process[i];
	}
	free(o->process);
	o->process = process;
	o->process_room = room;
	return 0;
}

/* Make room for one more of each. */
static int make_room(struct wp_objects *o)
{
	int err = 0;

	if (o->nr_keys >= WP_OBJECTS_MAX_KEYS || o->nr_processes >= WP_OBJECTS_MAX_KEYS)
		forget_keys(o);
	if (o->nr_keys + 1 > o->key_room / 2)
		err = grow_keys(o);
	if (!err && o->nr_processes + 1 > o->process_room / 2)
		err = grow_processes(o);
	return err;
}

/* "socket:[INODE]" and the like; 0 if it is not of this kind. */
static __u64 inode_of(const char *link, const char *kind)
{
	size_t len = strlen(kind);
	unsigned long long ino;
	char *end;

	if (strncmp(link, kind, len) || strncmp(link + len, ":[", 2))
		return 0;
	ino = strtoull(link + len + 2, &end, 10);
	return !strcmp(end, "]") ? ino : 0;
}

/*
 * Describe an open file from its link. Names of files are absolute, so no file can pass
 * for "socket:[1]". A file without a name of its own is described with its number.
 */
static int describe_link(struct wp_objects *o, int dir, struct key *k, const char *link)
{
	static const char anon[] = "anon_inode:";
	const struct wp_sockets *sockets;
	char text[PATH_MAX + 64];
	__u64 ino = inode_of(link, "socket");
	int err;

	if (ino && k->ino == ino)
		return 0;
	snprintf(text, sizeof(text), "%s", link);
	k->ino = ino;
	if (ino) {
		err = wp_openprocs_sockets(&o->procs, dir, &sockets);
		if (err)
			return err;
		if (sockets)
			wp_sockets_text(sockets, ino, text, sizeof(text));
	} else if (!strncmp(link, anon, sizeof(anon) - 1)) {
		snprintf(text, sizeof(text), "%s fd %u", link + sizeof(anon) - 1,
			 (__u32)k->arg);
	}
	return wp_objecttexts_add(&o->texts, text, &k->object);
}

/* The thread's own table, which nearly always is its process's, or else the process's. */
static ssize_t read_link(int dir, __u32 tid, __u32 fd, char *link, size_t size)
{
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), "task/%u/fd/%u", tid, fd);
	n = readlinkat(dir, path, link, size - 1);
	if (n < 0)
		n = readlinkat(dir, strchr(strchr(path, '/') + 1, '/') + 1, link, size - 1);
	link[n < 0 ? 0 : n] = 0;
	return n;
}

static int look_at_fd(struct wp_objects *o, struct process *process, struct wp_openproc *p,
		      __u32 tid, struct key *k)
{
	char link[PATH_MAX];

	if (read_link(p->dir, tid, k->arg, link, sizeof(link)) < 0) {
		if (errno == EACCES || errno == EPERM)
			process->denied = true;
		return -ENOENT;
	}
	return describe_link(o, p->dir, k, link);
}

/* Find the mapping of a futex. -ENOENT if that is not possible. */
static int find_map(const struct wp_objects *o, struct process *process, struct wp_openproc *p,
		    const struct key *k, const struct wp_procmap **map)
{
	int err;

	/* Of an earlier round: what has been mapped since is not among them. */
	if (p->mapped && p->round != o->round && !wp_openprocs_map(p, k->arg))
		wp_openprocs_forget_maps(p);
	if (!p->mapped)
		p->round = o->round;
	err = wp_openprocs_read_maps(p);
	if (err == -ENOMEM)
		return err;
	if (err == -EBUSY)
		return -ENOENT;
	if (err && (errno == EACCES || errno == EPERM))
		process->denied = true;
	*map = wp_openprocs_map(p, k->arg);
	return *map ? 0 : -ENOENT;
}

static int look_at_futex(struct wp_objects *o, struct process *process,
			 struct wp_openproc *p, struct key *k)
{
	const struct wp_procmap *map;
	char text[PATH_MAX + 64];
	const char *shared;
	int err;

	err = find_map(o, process, p, k, &map);
	if (err)
		return err;
	if (o->names && wp_livenames_variable(o->names, k->tgid, k->arg, text, WP_OBJECT_TEXT))
		return wp_objecttexts_add(&o->texts, text, &k->object);
	shared = map->flags & MAP_SHARED ? ", shared" : "";
	if (!*map->name || !strcmp(map->name, "/dev/zero (deleted)"))
		wp_lockmemory_text(wp_lockmemory_of(map), k->arg, text, sizeof(text));
	else if (*map->name == '[')
		snprintf(text, sizeof(text), "0x%" PRIx64 " %.*s%s", (uint64_t)k->arg, PATH_MAX,
			 map->name, shared);
	else
		snprintf(text, sizeof(text), "%.*s+0x%" PRIx64 "%s", PATH_MAX, map->name,
			 (uint64_t)(k->arg - map->start + map->pgoff), shared);
	return wp_objecttexts_add(&o->texts, text, &k->object);
}

/* Open the process's directory; NULL: then it is marked as gone or denied. */
static struct wp_openproc *open_process(struct wp_objects *o, struct process *process,
					const struct key *k)
{
	struct wp_openproc *p = wp_openprocs_get(&o->procs, process->tgid, k->exec_id, k->born);

	if (!p)
		process->gone = true;
	return p;
}

/* Look up a key now. -ENOENT if that is not possible. */
static int look(struct wp_objects *o, struct process *process, __u32 tid, struct key *k)
{
	struct wp_openproc *p;
	int err;

	o->stats.looked++;
	p = process->gone || process->denied ? NULL : open_process(o, process, k);
	if (!p)
		err = -ENOENT;
	else if (k->kind == WP_ARG_FD)
		err = look_at_fd(o, process, p, tid, k);
	else
		err = look_at_futex(o, process, p, k);
	if (err == -ENOENT && process->denied)
		o->stats.denied++;
	else if (err == -ENOENT)
		o->stats.gone++;
	return err;
}

/* The description that is always possible. */
static int describe_number(struct wp_objects *o, struct key *k)
{
	char text[32];

	if (k->kind == WP_ARG_FD)
		snprintf(text, sizeof(text), "fd %d", (__s32)k->arg);
	else
		snprintf(text, sizeof(text), "0x%" PRIx64, (uint64_t)k->arg);
	return wp_objecttexts_add(&o->texts, text, &k->object);
}

static bool key_of(struct key *k, __u32 tgid, __u32 exec_id, const struct wp_cause *c)
{
	if (!tgid || c->reason != WALLPROF_REASON_SYSCALL)
		return false;
	*k = (struct key){
		.tgid = tgid,
		.exec_id = exec_id,
		.kind = wp_syscall_arg(c->syscall, c->compat),
		.arg = c->arg,
	};
	/* The kernel uses no more bits of it. */
	if (k->kind == WP_ARG_FD || c->compat)
		k->arg &= 0xffffffff;
	return k->kind != WP_ARG_OTHER;
}

/* Look up or add the entry of a key. */
static int find_key(struct wp_objects *o, struct key *want, struct key **key,
		    struct process **process)
{
	int err = make_room(o);

	if (err)
		return err;
	*process = process_slot(o->process, o->process_room, want->tgid);
	if (!(*process)->tgid) {
		(*process)->tgid = want->tgid;
		o->nr_processes++;
	}
	want->born = (*process)->born;
	*key = key_slot(o->key, o->key_room, want);
	if (!(*key)->tgid) {
		**key = *want;
		o->nr_keys++;
	}
	return 0;
}

static int refresh(struct wp_objects *o, struct process *process, __u32 tid, struct key *k)
{
	int err;

	/* Later requests in this round neither look it up nor count it again. */
	k->round = o->round;
	if (o->lookups >= WP_OBJECTS_MAX_LOOKUPS) {
		o->stats.skipped++;
		return k->object ? 0 : describe_number(o, k);
	}
	o->lookups++;
	err = look(o, process, tid, k);
	if (!err) {
		k->found = true;
		k->time = o->time;
	} else if (err == -ENOENT) {
		err = k->found ? 0 : describe_number(o, k);
	}
	return err;
}

/**
 * wp_objects_find() - the object of a wait
 * @o: the objects
 * @tid: the thread that waited
 * @tgid: its process
 * @exec_id: changes with every exec of the process
 * @c: the cause of the wait
 * @object: set to the object, for wp_objects_text(); 0: the call has none
 *
 * Return: 0 or -ENOMEM.
 */
int wp_objects_find(struct wp_objects *o, __u32 tid, __u32 tgid, __u32 exec_id,
		    const struct wp_cause *c, __u32 *object)
{
	struct process *process;
	struct key want, *k;
	int err;

	*object = 0;
	if (!key_of(&want, tgid, exec_id, c))
		return 0;
	err = find_key(o, &want, &k, &process);
	if (!err && !(k->object && k->round >= o->round))
		err = refresh(o, process, tid, k);
	if (!err)
		*object = k->object;
	return err;
}

/* Look up the kind of memory of a futex. */
static int look_at_memory(struct wp_objects *o, struct process *process, struct key *k)
{
	const struct wp_procmap *map;
	struct wp_openproc *p;
	int err;

	o->lookups++;
	p = process->gone || process->denied ? NULL : open_process(o, process, k);
	if (!p)
		return 0;
	err = find_map(o, process, p, k, &map);
	if (!err)
		k->memory = wp_lockmemory_of(map);
	return err == -ENOENT ? 0 : err;
}

/**
 * wp_objects_memory() - the kind of memory of a futex that a thread waited for
 * @o: the objects
 * @tgid: its process
 * @exec_id: changes with every exec of the process
 * @c: the cause of the wait
 * @memory: set to enum wp_lockmemory; WP_LOCKMEMORY_UNKNOWN also if there is no futex
 *
 * Cheaper than wp_objects_find(), as each recording does it: a known kind is not looked up
 * again, because a program seldom maps something else at the address of a lock that it
 * continues to use; and a round has fewer lookups, each of which may read all mappings of
 * a process. What is left out is looked up in the next round.
 *
 * Return: 0 or -ENOMEM.
 */
int wp_objects_memory(struct wp_objects *o, __u32 tgid, __u32 exec_id,
		      const struct wp_cause *c, __u8 *memory)
{
	struct process *process;
	struct key want, *k;
	int err;

	*memory = WP_LOCKMEMORY_UNKNOWN;
	if (!key_of(&want, tgid, exec_id, c) || want.kind != WP_ARG_FUTEX)
		return 0;
	err = find_key(o, &want, &k, &process);
	if (err)
		return err;
	if (!k->memory && k->next <= o->round && o->lookups < WP_OBJECTS_MAX_MEMORY) {
		k->next = o->round + 1;
		err = look_at_memory(o, process, k);
	}
	*memory = k->memory;
	return err;
}

/**
 * wp_objects_expect() - look up the object of a current wait
 * @o: the objects
 * @tid: a thread that waits
 * @tgid: its process
 * @exec_id: changes with every exec of the process
 * @c: the cause of its wait
 * @since: start of the wait
 *
 * Called before a round begins. When the wait is over, the number may stand for something
 * else; so this result is used for that round, to which the wait belongs if it ends
 * before the flip, and for the next one. A result from earlier in the same wait is not
 * looked up again.
 *
 * Return: 0 or -ENOMEM.
 */
int wp_objects_expect(struct wp_objects *o, __u32 tid, __u32 tgid, __u32 exec_id,
		      const struct wp_cause *c, __u64 since)
{
	struct process *process;
	struct key want, *k;
	int err;

	if (!key_of(&want, tgid, exec_id, c))
		return 0;
	err = find_key(o, &want, &k, &process);
	if (err)
		return err;
	if (!k->found || since >= k->time) {
		err = refresh(o, process, tid, k);
		if (k->time != o->time)
			return err;
	}
	k->round = o->round + 1;
	return 0;
}

/**
 * wp_objects_record() - learn from a record that a process id was reused
 * @o: the objects
 * @rec: any record, complete
 */
void wp_objects_record(struct wp_objects *o, const struct perf_event_header *rec)
{
	const struct {
		struct perf_event_header header;
		__u32 pid, ppid;
	} *r = (const void *)rec;
	struct process *process;

	if (rec->type != PERF_RECORD_FORK || rec->size < sizeof(*r) || r->pid == r->ppid ||
	    !o->process_room || !r->pid)
		return;
	process = process_slot(o->process, o->process_room, r->pid);
	if (process->tgid) {
		process->born++;
		process->gone = false;
		process->denied = false;
	}
}

/**
 * wp_objects_begin_round() - an epoch has ended and is about to be processed
 * @o: the objects
 * @time: end of the epoch
 */
void wp_objects_begin_round(struct wp_objects *o, __u64 time)
{
	o->time = time;
}

/**
 * wp_objects_end_round() - an epoch has been processed: look up everything anew
 * @o: the objects
 */
void wp_objects_end_round(struct wp_objects *o)
{
	wp_openprocs_close(&o->procs);
	o->lookups = 0;
	o->round++;
}

/**
 * wp_objects_end_short_round() - the same, and what is open stays so
 * @o: the objects
 *
 * Where epochs are short: mappings that were read are used again. wp_objects_end_round()
 * is to follow before they are older than a result may be.
 */
void wp_objects_end_short_round(struct wp_objects *o)
{
	o->lookups = 0;
	o->round++;
}

/**
 * wp_objects_text() - text of an object
 * @o: the objects
 * @object: from wp_objects_find()
 *
 * Return: its text, escaped for terminals; "-" for 0.
 */
const char *wp_objects_text(const struct wp_objects *o, __u32 object)
{
	return object && object <= o->texts.nr_texts ? o->texts.text[object - 1] : "-";
}

/**
 * wp_objects_full() - whether there is little room for further texts
 * @o: the objects
 *
 * Return: true if half of it is taken: a recording without end starts with new ones then.
 */
bool wp_objects_full(const struct wp_objects *o)
{
	return o->texts.nr_texts > WP_OBJECTS_MAX / 2;
}

/**
 * wp_objects_stats() - read the statistics
 * @o: the objects
 * @stats: filled in
 */
void wp_objects_stats(const struct wp_objects *o, struct wp_objects_stats *stats)
{
	*stats = o->stats;
}

/**
 * wp_objects_new() - allocate an empty table
 * @root: instead of /proc, for tests; NULL: /proc
 *
 * Return: the table, or NULL when memory ran out.
 */
struct wp_objects *wp_objects_new(const char *root)
{
	struct wp_objects *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->procs.root = strdup(root ? root : "/proc");
	if (wp_objecttexts_init(&o->texts) || !o->procs.root) {
		wp_objects_free(o);
		return NULL;
	}
	return o;
}

/**
 * wp_objects_name_locks() - name futexes in files by their variables from now on
 * @o: the objects
 * @names: names of variables; owned by the caller
 *
 * Not used during a recording: the reader of the file looks up the names.
 */
void wp_objects_name_locks(struct wp_objects *o, struct wp_livenames *names)
{
	o->names = names;
}

/**
 * wp_objects_free() - free all objects
 * @o: the objects, or NULL
 */
void wp_objects_free(struct wp_objects *o)
{
	if (!o)
		return;
	wp_objects_end_round(o);
	wp_objecttexts_free(&o->texts);
	free(o->key);
	free(o->process);
	free(o->procs.root);
	free(o);
}
