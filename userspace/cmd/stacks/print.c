// SPDX-License-Identifier: GPL-2.0
/*
 * Other outputs of wallprof stacks: a line for each thread, complete stacks, or JSON. The
 * threads are sorted by age. Called by stacks.c.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/wallprof_interp.h>

#include "cmd/stacks/stacks.h"
#include "lib/base/json.h"
#include "lib/base/since.h"
#include "lib/base/text.h"
#include "lib/device/device.h"
#include "lib/model/objects.h"
#include "lib/model/stacks.h"
#include "lib/proc/procinfo.h"
#include "lib/proc/procstack.h"
#include "lib/record/jvmmethods.h"
#include "lib/symbols/livenames.h"

/* Number of functions in a line. */
#define LINE_FUNCTIONS	6
/* Sufficient size for a function in a line. */
#define MAX_TEXT	1024

static const char *const kinds[] = {
	[WP_NOW_ONCPU] = "on-CPU",
	[WP_NOW_RUNNABLE] = "runnable",
	[WP_NOW_BLOCKED] = "blocked",
};

/* With a ">" if it is a lower bound. */
static const char *age_text(const struct wp_now_thread *t, char *buf, size_t size)
{
	char age[WP_SINCE_TEXT];

	snprintf(buf, size, "%s%s", t->at_least ? ">" : "", wp_since_age(t->age, age, sizeof(age)));
	return buf;
}

static void put_column(const char *text, size_t width)
{
	size_t n = wp_text_put(stdout, text);

	for (; n < width; n++)
		putchar(' ');
}

/* The call and its object. */
static void put_cause(const struct wp_now_threads *all, const struct wp_now_thread *t)
{
	char buf[48], text[1024];

	if (t->now == WP_NOW_ONCPU) {
		putchar('-');
		return;
	}
	fputs(wp_cause_name(&t->cause, buf, sizeof(buf)), stdout);
	if (t->object)
		printf(" %s", wp_objects_text(all->objects, t->object));
	if (t->iowait)
		fputs(" (iowait)", stdout);
	if (!t->lock)
		return;
	wp_now_owner_text(all, t, text, sizeof(text));
	printf(", %s", text);
}

/* A frame of a user stack without functions of Python; a method of Java has its frame's place. */
static int native_frame(const struct wp_now_threads *all, const struct wp_now_thread *t,
			unsigned int i, struct wp_livename *name, bool *found)
{
	const struct wp_stack *user = t->user;
	unsigned int at = 0, words;

	*found = false;
	for (; user && at < user->nr; at += 1 + words) {
		words = at + 1 < user->nr && WALLPROF_INTERP_IS_WORD(user->ips[at + 1]);
		if (i--)
			continue;
		*found = true;
		if (!words || !all->methods)
			return wp_livenames_user(all->names, t->tgid, user->ips[at], at, name);
		wp_jvmmethods_livename(all->methods, t->tgid, user->ips[at + 1], name);
		return 0;
	}
	return 0;
}

/**
 * wp_now_frame() - get a frame of a thread's stacks, the kernel's before the program's
 * @all: all threads
 * @t: the thread
 * @i: its number, the innermost is 0
 * @name: set to its name
 * @found: set to whether there is one
 *
 * Return: 0 or -ENOMEM.
 */
int wp_now_frame(const struct wp_now_threads *all, const struct wp_now_thread *t,
		 unsigned int i, struct wp_livename *name, bool *found)
{
	unsigned int kernel = t->kernel ? t->kernel->nr : t->proc ? t->proc->nr : 0;

	*found = true;
	if (i < kernel && t->kernel)
		return wp_livenames_kernel(all->names, t->kernel->ips[i], i, name);
	if (i < kernel) {
		/* Without an address. */
		*name = (struct wp_livename){ .name = t->proc->name[i], .file = "[kernel]" };
		return 0;
	}
	i -= kernel;
	if (t->python)
		return wp_now_python_frame(all, t, i, name, found);
	return native_frame(all, t, i, name, found);
}

/**
 * wp_now_frame_text() - name of a frame, in a line with others
 * @name: from wp_now_frame()
 * @text: set to the name, not sanitized; of a Python function with its file, without
 *	directories, and line
 * @size: its size
 */
void wp_now_frame_text(const struct wp_livename *name, char *text, size_t size)
{
	const char *slash = name->python ? strrchr(name->file, '/') : NULL;
	const char *file = slash ? slash + 1 : name->file;

	if (!name->name)
		wp_livename_label(name, text, size);
	else if (!name->python)
		snprintf(text, size, "%s", name->name);
	else if (name->line)
		snprintf(text, size, "%s %s:%u", name->name, file, name->line);
	else
		snprintf(text, size, "%s %s", name->name, file);
}

static void put_name(const struct wp_livename *name)
{
	char label[WP_LIVENAME_LABEL];

	if (!name->name)
		wp_livename_label(name, label, sizeof(label));
	wp_text_put(stdout, name->name ? name->name : label);
}

/* The innermost functions, with their callers. */
static int put_functions(const struct wp_now_threads *all, const struct wp_now_thread *t)
{
	struct wp_livename name;
	char text[MAX_TEXT];
	unsigned int i;
	bool found;
	int err;

	for (i = 0; i <= LINE_FUNCTIONS; i++) {
		err = wp_now_frame(all, t, i, &name, &found);
		if (err || !found)
			return err;
		fputs(i ? " < " : "  in ", stdout);
		if (i == LINE_FUNCTIONS)
			fputs("...", stdout);
		if (i == LINE_FUNCTIONS)
			break;
		wp_now_frame_text(&name, text, sizeof(text));
		wp_text_put(stdout, text);
	}
	return 0;
}

/* A line, wrapped at words. */
static void put_wrapped(const char *before, const char *text, size_t width)
{
	while (*text) {
		size_t len = width ? wp_text_wrap(text, width) : strlen(text);

		printf("%s%.*s\n", before, (int)len, text);
		text += len;
		text += *text == ' ';
	}
}

/**
 * wp_now_print_hidden() - print a summary of hidden threads
 * @all: all threads
 * @before: prefix of each line
 * @width: columns of a line, 0: unlimited
 */
void wp_now_print_hidden(const struct wp_now_threads *all, const char *before, size_t width)
{
	char text[128];

	if (all->kthreads) {
		snprintf(text, sizeof(text),
			 "%llu idle kernel thread%s hidden, %.1f s; --idle shows them",
			 (unsigned long long)all->kthreads, all->kthreads == 1 ? "" : "s",
			 all->kthreads_ns / 1e9);
		put_wrapped(before, text, width);
	}
	if (all->loops) {
		snprintf(text, sizeof(text),
			 "%llu thread%s hidden that wait%s for the next work, %.1f s; --idle shows them",
			 (unsigned long long)all->loops, all->loops == 1 ? "" : "s",
			 all->loops == 1 ? "s" : "", all->loops_ns / 1e9);
		put_wrapped(before, text, width);
	}
	if (all->left_out) {
		snprintf(text, sizeof(text), "%llu thread%s hidden by --min",
			 (unsigned long long)all->left_out, all->left_out == 1 ? "" : "s");
		put_wrapped(before, text, width);
	}
	if (all->invisible) {
		snprintf(text, sizeof(text), "%llu threads of other pid namespaces",
			 (unsigned long long)all->invisible);
		put_wrapped(before, text, width);
	}
}

/**
 * wp_now_print_python() - print how many stacks have Python functions, if any should
 * @all: all threads
 * @before: prefix of each line; "": an empty line is before these
 * @width: columns of a line, 0: unlimited
 */
void wp_now_print_python(const struct wp_now_threads *all, const char *before, size_t width)
{
	char text[512];

	wp_now_python_text(all, text, sizeof(text));
	/* Without a prefix it stands apart. */
	if (*text && !*before)
		putchar('\n');
	put_wrapped(before, text, width);
}

/**
 * wp_now_print_lines() - print a line for each thread
 * @t: the threads
 *
 * Return: 0 or -ENOMEM.
 */
int wp_now_print_lines(struct wp_now_threads *t)
{
	char age[32];
	size_t i;
	int err = 0;

	printf("%10s  %-8s %-2s %7s %7s %-15s %s\n", "AGE", "KIND", "S", "PID", "TID", "COMM",
	       "WAITS FOR");
	for (i = 0; i < t->nr && !err; i++) {
		const struct wp_now_thread *th = &t->thread[i];

		printf("%10s  %-8s %-2s %7u %7u ", age_text(th, age, sizeof(age)), kinds[th->now],
		       th->now == WP_NOW_ONCPU ? "-" : wp_state_name(th->state), th->tgid,
		       th->tid);
		put_column(th->comm, 16);
		put_cause(t, th);
		err = put_functions(t, th);
		putchar('\n');
	}
	wp_now_print_hidden(t, "# ", 0);
	wp_now_print_python(t, "# ", 0);
	return err;
}

/* Whether two threads have equal stacks and causes. */
static bool alike(const struct wp_now_thread *a, const struct wp_now_thread *b)
{
	return a->tgid == b->tgid && a->now == b->now && a->state == b->state &&
	       a->iowait == b->iowait && a->user == b->user && a->kernel == b->kernel &&
	       a->object == b->object && a->cause.reason == b->cause.reason &&
	       a->cause.syscall == b->cause.syscall && a->cause.compat == b->cause.compat &&
	       a->lost == b->lost && a->owner == b->owner &&
	       !wp_procstack_compare(a->proc, b->proc) && !wp_now_python_compare(a, b) &&
	       (a->user || a->kernel || a->proc || a->tid == b->tid);
}

static int order(__u64 a, __u64 b)
{
	return a < b ? -1 : a > b;
}

/*
 * Equal threads are adjacent, sorted by age: then one comparison with the neighbor
 * suffices.
 */
static int by_place(const void *pa, const void *pb)
{
	const struct wp_now_thread *a = *(struct wp_now_thread *const *)pa;
	const struct wp_now_thread *b = *(struct wp_now_thread *const *)pb;
	int ret = order(a->tgid, b->tgid);

	ret = ret ? ret : order((size_t)a->user, (size_t)b->user);
	ret = ret ? ret : order((size_t)a->kernel, (size_t)b->kernel);
	ret = ret ? ret : wp_procstack_compare(a->proc, b->proc);
	ret = ret ? ret : wp_now_python_compare(a, b);
	ret = ret ? ret : order(a->now, b->now);
	ret = ret ? ret : order(a->state, b->state);
	ret = ret ? ret : order(a->iowait, b->iowait);
	ret = ret ? ret : order(a->lost, b->lost);
	ret = ret ? ret : order(a->object, b->object);
	ret = ret ? ret : order(a->cause.reason, b->cause.reason);
	ret = ret ? ret : order(a->cause.syscall, b->cause.syscall);
	ret = ret ? ret : order(a->cause.compat, b->cause.compat);
	ret = ret ? ret : order(a->owner, b->owner);
	/* Both point into one array, which is sorted by age. */
	return ret ? ret : order((size_t)a, (size_t)b);
}

/* Equal threads. */
struct group {
	struct wp_now_thread **thread;
	size_t nr;
};

static int by_rank(const void *pa, const void *pb)
{
	const struct group *a = pa, *b = pb;
	int ret = order(wp_now_rank(a->thread[0]), wp_now_rank(b->thread[0]));

	return ret ? ret : order((size_t)a->thread[0], (size_t)b->thread[0]);
}

/* Description of a thread, or of the first of a group, and the start of its wait. */
static void put_info(const struct wp_now_threads *all, const struct wp_now_thread *t)
{
	char clock[WP_SINCE_TEXT];
	struct wp_procinfo info;

	fputs("        (", stdout);
	if (t->kthread) {
		fputs("kernel thread", stdout);
	} else if (wp_procinfo_read(t->tgid, t->tid, &info)) {
		fputs(t->tid == t->tgid ? "main thread of " : "thread of ", stdout);
		wp_text_put(stdout, info.process);
	} else {
		fputs("ended", stdout);
	}
	printf(", %s %s)\n", t->at_least ? "since before" : "since",
	       wp_since_clock(t->age, all->time, clock, sizeof(clock)));
}

static int put_group(const struct wp_now_threads *all, const struct group *g)
{
	const struct wp_now_thread *t = g->thread[0];
	struct wp_livename name;
	char age[32], last[32];
	unsigned int i;
	bool found;
	int err;

	if (g->nr == 1)
		printf("thread %u ", t->tid);
	else
		printf("%zu threads ", g->nr);
	wp_text_put(stdout, t->comm);
	printf(" of process %u, %s", t->tgid, kinds[t->now]);
	if (t->now != WP_NOW_ONCPU)
		printf(" (%s)", wp_state_name(t->state));
	printf(" for %s", age_text(t, age, sizeof(age)));
	if (g->nr > 1)
		printf(" to %s", age_text(g->thread[g->nr - 1], last, sizeof(last)));
	fputs(": ", stdout);
	put_cause(all, t);
	putchar('\n');
	put_info(all, t);
	for (i = 0;; i++) {
		err = wp_now_frame(all, t, i, &name, &found);
		if (err || !found)
			break;
		fputs("        ", stdout);
		put_name(&name);
		if (name.name && name.file) {
			fputs(" (", stdout);
			wp_text_put(stdout, name.file);
			if (name.line)
				printf(":%u", name.line);
			putchar(')');
		}
		putchar('\n');
	}
	if (t->lost)
		puts("        (no room for the stack)");
	putchar('\n');
	return err;
}

/* Build the groups: @g has room for one per thread. */
static size_t find_groups(struct wp_now_thread **place, size_t nr, struct group *g)
{
	size_t i, groups = 0;

	qsort(place, nr, sizeof(*place), by_place);
	for (i = 0; i < nr; i++) {
		if (!i || !alike(place[i - 1], place[i]))
			g[groups++].thread = &place[i];
		g[groups - 1].nr++;
	}
	qsort(g, groups, sizeof(*g), by_rank);
	return groups;
}

/**
 * wp_now_print_stacks() - print complete stacks, once for all equal threads
 * @t: the threads
 *
 * Return: 0 or -ENOMEM.
 */
int wp_now_print_stacks(struct wp_now_threads *t)
{
	struct wp_now_thread **place = calloc(t->nr + 1, sizeof(struct wp_now_thread *));
	struct group *g = calloc(t->nr + 1, sizeof(*g));
	size_t i, nr = 0;
	int err = place && g ? 0 : -ENOMEM;

	if (!err) {
		for (i = 0; i < t->nr; i++)
			place[i] = &t->thread[i];
		nr = find_groups(place, t->nr, g);
	}
	for (i = 0; i < nr && !err; i++)
		err = put_group(t, &g[i]);
	free(place);
	free(g);
	wp_now_print_hidden(t, "# ", 0);
	wp_now_print_python(t, "# ", 0);
	return err;
}

static int json_stack(const struct wp_now_threads *all, struct wp_json *j,
		      const struct wp_now_thread *t)
{
	struct wp_livename name;
	unsigned int i;
	bool found;
	int err;

	wp_json_open(j, "stack", '[');
	for (i = 0;; i++) {
		err = wp_now_frame(all, t, i, &name, &found);
		if (err || !found)
			break;
		wp_json_open(j, NULL, '{');
		if (name.name)
			wp_json_string(j, "function", name.name);
		else
			wp_json_null(j, "function");
		if (name.file)
			wp_json_string(j, "file", name.file);
		else
			wp_json_null(j, "file");
		if (name.offset)
			wp_json_number(j, "offset", name.offset);
		else
			wp_json_null(j, "offset");
		if (name.python)
			wp_json_string(j, "interpreter", "python");
		if (name.line)
			wp_json_number(j, "line", name.line);
		wp_json_close(j, '}');
	}
	wp_json_close(j, ']');
	return err;
}

static int json_thread(const struct wp_now_threads *all, struct wp_json *j,
		       const struct wp_now_thread *t)
{
	char buf[48];
	int err;

	wp_json_open(j, NULL, '{');
	wp_json_number(j, "pid", t->tgid);
	wp_json_number(j, "tid", t->tid);
	wp_json_string(j, "comm", t->comm);
	wp_json_string(j, "kind", kinds[t->now]);
	wp_json_number(j, "age_ns", t->age);
	wp_json_bool(j, "at_least", t->at_least);
	wp_json_bool(j, "kernel_thread", t->kthread);
	wp_json_bool(j, "idle", t->idle);
	if (t->now != WP_NOW_ONCPU) {
		wp_json_string(j, "state", wp_state_name(t->state));
		wp_json_bool(j, "iowait", t->iowait);
		wp_json_string(j, "reason", wp_reason_name(t->cause.reason));
		wp_json_string(j, "cause", wp_cause_name(&t->cause, buf, sizeof(buf)));
		if (t->object)
			wp_json_string(j, "object", wp_objects_text(all->objects, t->object));
		if (t->lock) {
			wp_json_string(j, "lock", t->lock);
			if (t->owner) {
				wp_json_number(j, "owner_tid", t->owner);
				wp_json_string(j, "owner_comm", t->owner_comm);
			}
			wp_json_bool(j, "deadlock", t->deadlock);
		}
		wp_json_bool(j, "stack_lost", t->lost);
	}
	err = json_stack(all, j, t);
	wp_json_close(j, '}');
	return err;
}

/* Stacks with Python functions, and why others have none. */
static void json_python(const struct wp_now_threads *all, struct wp_json *j)
{
	unsigned int i;

	wp_json_number(j, "python_stacks", all->python_stacks);
	wp_json_open(j, "python_unread", '{');
	for (i = 0; i < WP_PYTROUBLE_MAX; i++) {
		if (all->python_unread[i])
			wp_json_number(j, wp_pystack_trouble_text(i), all->python_unread[i]);
	}
	wp_json_close(j, '}');
}

/**
 * wp_now_print_json() - print everything as JSON
 * @t: the threads
 *
 * Return: 0 or -ENOMEM.
 */
int wp_now_print_json(struct wp_now_threads *t)
{
	struct wp_json j = { .f = stdout };
	size_t i;
	int err = 0;

	wp_json_open(&j, NULL, '{');
	wp_json_number(&j, "time_ns", t->time);
	wp_json_number(&j, "left_out", t->left_out + t->kthreads + t->loops);
	wp_json_number(&j, "invisible", t->invisible);
	json_python(t, &j);
	wp_json_open(&j, "threads", '[');
	for (i = 0; i < t->nr && !err; i++)
		err = json_thread(t, &j, &t->thread[i]);
	wp_json_close(&j, ']');
	wp_json_close(&j, '}');
	return err;
}
