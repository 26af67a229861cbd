/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Waits that trigger a recording: blocked>100ms,comm=foo. See trigger.c.
 *
 *	wp_trigger_parse(&rule, "blocked>100ms,comm=foo")
 *	wp_watch_open(&watch, rules, nr, nr_cpus)
 *	each round:
 *		wp_watch_record()	for each record, in order of time
 *		wp_watch_look()		checks the waits that last
 *	wp_watch_close()
 */
#ifndef WP_LIB_RECORD_TRIGGER_H
#define WP_LIB_RECORD_TRIGGER_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include <linux/wallprof.h>

#define WP_TRIGGER_NAME	64

enum wp_trigger_kind {
	WP_TRIGGER_BLOCKED,
	WP_TRIGGER_RUNNABLE,
};

/**
 * struct wp_trigger - the kind of wait, and the threads
 * @kind: blocked or runnable
 * @ns: minimum length, exclusive
 * @name: shell pattern for the thread's name; or empty
 * @tgid: process id, or 0
 * @tid: thread id, or 0
 * @states: for blocked: the states in which the thread left its CPU, in the bits of
 *	struct wallprof_record.state; 0: any
 */
struct wp_trigger {
	enum wp_trigger_kind kind;
	__u64 ns;
	char name[WP_TRIGGER_NAME];
	__u32 tgid;
	__u32 tid;
	__u32 states;
};

/**
 * struct wp_wait - a wait that matches a trigger
 * @kind: kind of wait
 * @tid: the thread
 * @tgid: its process
 * @cpu: the CPU that it left, or was woken for
 * @state: state in which it left, as struct wallprof_record.state
 * @since: start time
 * @ns: length so far
 * @over: it has ended since
 */
struct wp_wait {
	enum wp_trigger_kind kind;
	__u32 tid;
	__u32 tgid;
	__u32 cpu;
	__u16 state;
	__u64 since;
	__u64 ns;
	bool over;
};

/* Returns a thread's name, or NULL. */
typedef const char *(*wp_watch_name_fn)(void *ctx, __u32 tid);

/**
 * struct wp_watch - all threads that wait
 * @rules: the triggers
 * @nr_rules: number of triggers
 * @name: returns names of threads
 * @ctx: passed to @name
 * @thread: hash table by thread
 * @nr: used entries
 * @room: all entries, a power of two
 * @current: the thread that runs on each CPU, if known
 * @nr_cpus: CPU numbers are below this
 * @has_found: a wait was found, the first since wp_watch_take()
 * @found: that wait
 */
struct wp_watch {
	const struct wp_trigger *rules;
	unsigned int nr_rules;
	wp_watch_name_fn name;
	void *ctx;
	struct wp_watch_thread *thread;
	size_t nr;
	size_t room;
	struct wp_watch_cpu *current;
	__u32 nr_cpus;
	bool has_found;
	struct wp_wait found;
};

int wp_trigger_parse(struct wp_trigger *t, const char *text);
const char *wp_trigger_state_name(__u16 state);

int wp_watch_open(struct wp_watch *w, const struct wp_trigger *rules, unsigned int nr,
		  __u32 nr_cpus);
int wp_watch_record(void *ctx, __u32 cpu, const struct wallprof_record *record);
void wp_watch_look(struct wp_watch *w, __u64 now);
bool wp_watch_take(struct wp_watch *w, struct wp_wait *wait);
void wp_watch_forget(struct wp_watch *w);
void wp_watch_close(struct wp_watch *w);

#endif /* WP_LIB_RECORD_TRIGGER_H */
