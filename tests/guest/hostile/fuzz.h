/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fuzzer of /dev/wallprof. A program is a sequence of calls; a thread runs
 * programs, a worker is a process of two threads, and the workers share what
 * they can. What a program is follows from the seed; what comes of it does not,
 * since it has company.
 *
 * fuzz.c      rounds of workers, and what must hold when they are gone
 * programs.c  makes programs: from nothing, from the corpus, from a file
 * calls.c     the table of calls, and how programs of them run
 * commands.c, tables.c, images.c, descriptors.c, mappings.c, company.c
 *             how each call is made
 * places.c    the memory that calls are given
 * models.c    what is known of a session
 * judge.c     what may come of a call
 */
#ifndef HOSTILE_FUZZ_H
#define HOSTILE_FUZZ_H

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include <linux/perf_event.h>
#include <linux/wallprof.h>

#include "random.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define PAGE		4096UL

typedef unsigned long long ull;

/*
 * Programs.
 */
#define ARGS	10
#define CALLS	256	/* of a program, at most */

/* An argument that says: the right one. */
#define RIGHT	(~0ULL)

struct call {
	unsigned int op;
	__u64 arg[ARGS];
};

struct program {
	unsigned int nr;
	struct call calls[CALLS];
};

enum arg_kind {
	ARG_NONE,
	ARG_FD,
	ARG_MAP,
	ARG_AT,		/* where the struct lies */
	ARG_SIZE,	/* what it says its size is */
	ARG_TAIL,	/* a byte behind what the kernel knows */
	ARG_FLAGS,
	ARG_BASE,	/* a configuration that is right */
	ARG_FIELD,	/* a field of it to spoil */
	ARG_VALUE,
	ARG_COMMAND,
	ARG_FROM,	/* what an offset counts from */
	ARG_BYTES,
	ARG_PROT,
	ARG_HOW,	/* a way of the call's own */
	ARG_PART,	/* of an unwind table, to spoil */
	ARG_WHO,	/* whose mappings are passed */
	ARG_RIGHT,	/* the right one mostly, or any value */
	ARG_STACK,	/* none, the right one, or any value */
};

struct arg {
	const char *name;
	enum arg_kind kind;
};

struct thread;

struct op {
	const char *name;
	long (*run)(struct thread *t, const __u64 *a);
	unsigned int weight;		/* how often; what is dear is rare */
	struct arg args[ARGS];
	const char *const *how;		/* names of its ways */
};

extern const struct op ops[];
extern const unsigned int nr_ops;
extern const char *const base_names[], *const field_names[], *const at_names[];
extern const char *const from_names[], *const part_names[], *const who_names[];
unsigned int names_nr(const char *const *names);
unsigned int op_named(const char *name);

void program_make(struct program *p, struct random *r);
int program_read(struct program *p, FILE *f);
void program_write(const struct program *p, FILE *f);
unsigned int corpus_read(const char *dir);
unsigned int corpus_count(void);
const struct program *corpus_at(unsigned int nr);

/*
 * Descriptors: four that all workers share, four of the worker, four of the
 * thread. The number of each is fixed, so that who races for one harms nobody
 * else.
 */
#define FD_NUMBER	200	/* of the first one */
#define FD_GROUP	0
#define FD_COMMON	4
#define FD_MINE		8
#define FDS		12
#define MAPS		6

/* What is known of a session that only one thread can reach. */
struct model {
	unsigned int refs;
	bool exact;		/* nobody else can reach it */
	unsigned int state;
	bool retired;		/* the last epoch, after STOP */
	bool later;		/* there was a START_LATER */
	struct wallprof_configure c;
	struct wallprof_status last;
	__u32 events;		/* that are sampled */
	__u32 tables;		/* that were pushed */
	__u32 table;		/* the last one */
	__u32 last_id;		/* the largest id that was given */
};

struct slot {
	struct model *model;
	int mode;		/* O_RDONLY, ... or O_PATH */
};

struct map {
	char *at;
	size_t bytes;
	__u64 offset;
	bool readable, writable;
	bool tails;	/* of rings alone, or of nobody knows what: may be written */
	struct model *model;
};

enum at {
	AT_NORMAL,
	AT_ODD,		/* misaligned */
	AT_EDGE,	/* ends with the page; the next one is not there */
	AT_CUT,		/* the last word is not there */
	AT_SLOW,	/* comes when it is asked for: userfaultfd */
	AT_READONLY,
	AT_NONE,	/* PROT_NONE */
	AT_EOF,		/* behind the end of a file */
	AT_NULL,
	AT_LOW,
	AT_KERNEL,
	AT_TOP,
	AT_HOLE,	/* not canonical */
	AT_RESTLESS,	/* comes and goes */
	AT_MAPPING,	/* in a mapping of the device */
	AT_MAX,
};

enum place_class {
	PLACE_GOOD,
	PLACE_CUT,
	PLACE_READONLY,
	PLACE_BAD,
	PLACE_ANY,
};

struct place {
	char *pointer;
	enum place_class class;
	enum at at;
	size_t bytes;
};

struct arena {
	char *normal;		/* two pages, and one that is not there */
	char *readonly;		/* two pages, and one that is not there */
	char *readonly_alias;	/* where these can be written */
	char *eof;		/* a page that is not there */
	char *none;
	char *slow, *shadow;	/* two pages and what comes into them */
	pthread_mutex_t slow_lock;	/* of these; never held at a fork by this thread */
};

void slow_begin(void);
void arena_make(struct arena *arena);
void restless_make(void);
void restless_stir(unsigned int how);
struct place place_put(struct thread *t, enum at at, const void *bytes, size_t nr);
void place_get(const struct place *place, void *bytes, size_t nr);

/*
 * Running them.
 */
#define WORKERS		8	/* at most */
#define THREADS		2	/* of a worker */
#define VICTIMS		4
#define LOCKED		(3UL << 20)	/* bytes of locked memory, of a worker */
#define SEEN_BITS	(1U << 19)

/* In memory that all share. */
struct board {
	bool claimed;			/* the report is somebody's */
	bool failed;			/* and it is whole */
	char report[4096];
	__u64 calls[WORKERS][THREADS];
	struct program programs[WORKERS][THREADS];	/* that run just now */
	unsigned int at[WORKERS][THREADS];		/* and how far */
	bool running[WORKERS][THREADS];
	__u64 succeeded[64];		/* by call */
	__u64 refused[64];
	__u64 ns[64];
	unsigned char seen[SEEN_BITS / 8];
	unsigned int news;
};

struct worker {
	unsigned int nr;
	unsigned int round;
	bool alone;			/* no shared descriptors in this round */
	pid_t victims[VICTIMS];
	int tids[THREADS];
};

struct thread {
	struct worker *worker;
	unsigned int nr;
	struct random random;
	struct slot mine[FDS - FD_MINE];
	struct map maps[MAPS];
	struct arena arena;
	const struct program *program;
	const struct call *call;
	unsigned int state;		/* of the session of this call, 9: unknown */
	unsigned int state_before;	/* when it began */
	sigjmp_buf landing;
	volatile bool guarded;		/* a fault is expected */
};

extern struct board *board;
extern __thread struct thread *self;
extern const char *save_dir;

int fd_of(const struct thread *t, __u64 fd);
void thread_run(struct thread *t, const struct program *p);
void thread_clean(struct thread *t);
void victim_again(pid_t parent) __attribute__((noreturn));
void victim_spawn(struct worker *w, unsigned int nr);
void victims_kill(struct worker *w);
long sys(long ret);

/*
 * Judging.
 */
void wrong(struct thread *t, const char *format, ...)
	__attribute__((noreturn, format(printf, 2, 3)));

/* What is wrong goes into the board's report. Whether it is ours to say: once. */
static inline bool report_claim(void)
{
	return !__atomic_exchange_n(&board->claimed, true, __ATOMIC_SEQ_CST);
}

static inline void report_done(void)
{
	__atomic_store_n(&board->failed, true, __ATOMIC_SEQ_CST);
}

/* A list of errnos ends with 0. */
void judge_errno(struct thread *t, const char *what, long ret, const int *allowed);
bool judge_has(const int *list, int err);

enum verdict {
	VALID,
	INVALID,
	DUBIOUS,	/* that depends on what pointers point to */
};

enum verdict judge_config(const struct wallprof_configure *c);
void judge_layout(struct thread *t, const struct wallprof_configure *asked,
		  const struct wallprof_configure *got);
void judge_status(struct thread *t, struct model *m, const struct wallprof_status *s);
void judge_maps(struct thread *t);

extern const int errno_common[], errno_configure[], errno_start[], errno_flip[],
	errno_stop[], errno_push[], errno_maps[], errno_live[], errno_event[], errno_count[],
	errno_read[], errno_mmap[];
extern unsigned int nr_cpus;

static inline __u64 now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

#endif
