/* SPDX-License-Identifier: GPL-2.0 */
/* What the files that make calls share. */
#ifndef HOSTILE_CALLS_H
#define HOSTILE_CALLS_H

#include "fuzz.h"

#define UNKNOWN		9	/* the state of a session that others can reach */
#define SOME		1	/* any errno of the list may come */

struct slot *slot_of(struct thread *t, __u64 fd);
struct model *model_of(struct thread *t, __u64 fd);
bool surely_closed(struct thread *t, __u64 fd);
void slot_close(struct thread *t, __u64 fd);
void model_put(struct model *m);
void note_state(struct thread *t, __u64 fd);
void expose(struct thread *t, __u64 fd);

/* A command: its struct, and what is to come of it. */
struct command {
	unsigned long nr;
	void *body;
	__u32 known;		/* bytes of it */
	__u64 size, at, tail;	/* as the call says */
	long want;		/* what must come of it if its struct is right */
	const int *allowed;	/* besides the common errnos */
	__u32 least;		/* bytes of its first version, 0: it has not grown */
};

long command(struct thread *t, __u64 fd, const struct command *c);
void status_check(struct thread *t, __u64 fd);
void map_drop(struct map *map);

/* What the structs of some commands point to, and processes: images.c. */
#define ROOM		(1UL << 20)	/* for a table, or for mappings */

char *room(void);
struct place put(struct thread *t, __u64 at, __u64 at_struct, char *data, size_t bytes);
bool struct_good(__u64 size, __u64 at);
__u32 who_is(struct thread *t, __u64 who);

long run_open(struct thread *t, const __u64 *a);
long run_close(struct thread *t, const __u64 *a);
long run_dup(struct thread *t, const __u64 *a);
long run_info(struct thread *t, const __u64 *a);
long run_status(struct thread *t, const __u64 *a);
long run_configure(struct thread *t, const __u64 *a);
long run_start(struct thread *t, const __u64 *a);
long run_flip(struct thread *t, const __u64 *a);
long run_stop(struct thread *t, const __u64 *a);
long run_push(struct thread *t, const __u64 *a);
long run_maps(struct thread *t, const __u64 *a);
long run_live(struct thread *t, const __u64 *a);
long run_read(struct thread *t, const __u64 *a);
long run_event(struct thread *t, const __u64 *a);
long run_count(struct thread *t, const __u64 *a);
long run_ioctl(struct thread *t, const __u64 *a);
long run_mmap(struct thread *t, const __u64 *a);
long run_munmap(struct thread *t, const __u64 *a);
long run_mremap(struct thread *t, const __u64 *a);
long run_mprotect(struct thread *t, const __u64 *a);
long run_madvise(struct thread *t, const __u64 *a);
long run_touch(struct thread *t, const __u64 *a);
long run_poke(struct thread *t, const __u64 *a);
long run_tail(struct thread *t, const __u64 *a);
long run_pin(struct thread *t, const __u64 *a);
long run_lock(struct thread *t, const __u64 *a);
long run_drain(struct thread *t, const __u64 *a);
long run_poll(struct thread *t, const __u64 *a);
long run_file(struct thread *t, const __u64 *a);
long run_fork(struct thread *t, const __u64 *a);
long run_victim(struct thread *t, const __u64 *a);
long run_signal(struct thread *t, const __u64 *a);
long run_memory(struct thread *t, const __u64 *a);
long run_limit(struct thread *t, const __u64 *a);
long run_nap(struct thread *t, const __u64 *a);
long run_look(struct thread *t, const __u64 *a);

/* Names of the ways of a call. */
extern const char *const how_open[], *const how_mmap[], *const how_poke[],
	*const how_push[], *const how_maps[],
	*const how_lock[], *const how_poll[], *const how_file[], *const how_fork[],
	*const how_victim[], *const how_memory[], *const how_limit[], *const how_nap[];

#endif
