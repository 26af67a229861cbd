// SPDX-License-Identifier: GPL-2.0
/*
 * Default output of wallprof stacks: threads that wait at the same place, in any process
 * with the same name, are grouped; the most important groups come first; no line is wider
 * than the terminal. Called by stacks.c.
 */
#include <errno.h>
#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cmd/stacks/stacks.h"
#include "lib/base/since.h"
#include "lib/base/text.h"
#include "lib/model/objects.h"
#include "lib/model/syscalls.h"
#include "lib/proc/procinfo.h"
#include "lib/symbols/livenames.h"

/* Number of frames that are compared. */
#define MAX_FRAMES	64
#define MAX_LINE	1024
/* Columns if the output is no terminal, and the minimum width. */
#define DEFAULT_WIDTH	80
#define LEAST_WIDTH	30
/* Width of age, state and number, with the spaces after them. */
#define INDENT		21
/* In a narrower line, the lines below the first one are indented less. */
#define WIDE		60
#define NARROW_INDENT	2
/* A thread that has been runnable for this long is starved. */
#define STARVED_NS	100000000ULL
#define NSEC_PER_SEC	1000000000ULL

/*
 * A thread in its group.
 * @t: the thread
 * @process: the name of its process, sanitized
 * @stack: its functions, " < " between them, sanitized
 * @python: those of Python alone
 */
struct member {
	const struct wp_now_thread *t;
	char process[WP_TEXT_GROWS * WALLPROF_COMM_LEN];
	char *stack;
	char *python;
};

/*
 * Equal members, the oldest first.
 * @object: the common object of their waits, or 0
 * @objects: their objects differ
 * @owners: the owners of their locks differ
 */
struct group {
	struct member *member;
	size_t nr;
	enum wp_now_rank rank;
	__u32 object;
	bool objects;
	bool owners;
};

/* A line that is being built. */
struct line {
	char text[MAX_LINE];
	size_t len;
};

static bool is_utf8(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

static size_t width_of_output(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	size_t width = 0;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		width = size.ws_col;
	if (!width && columns)
		width = strtoul(columns, NULL, 10);
	if (!width || width >= MAX_LINE / 4)
		width = DEFAULT_WIDTH;
	return width < LEAST_WIDTH ? LEAST_WIDTH : width;
}

static size_t indent_of(size_t width)
{
	return width < WIDE ? NARROW_INDENT : INDENT;
}

/* Characters that the terminal does not support are replaced, one for one. */
static void add(struct line *l, const char *text)
{
	bool utf8 = is_utf8();

	for (; *text && l->len + 1 < sizeof(l->text); text++) {
		if (utf8 || !(*text & 0x80))
			l->text[l->len++] = *text;
		else if ((*text & 0xc0) != 0x80)
			l->text[l->len++] = '?';
	}
	l->text[l->len] = 0;
}

/* Append a text if the line does not get too wide; returns whether it was appended. */
static bool fits(struct line *l, const char *text, size_t width)
{
	if (wp_text_columns(l->text) + wp_text_columns(text) > width)
		return false;
	add(l, text);
	return true;
}

/* Append as much of a text as fits, with a mark of the omission. */
static void add_cut(struct line *l, const char *text, size_t width)
{
	size_t used = wp_text_columns(l->text), room = width > used ? width - used : 0, i, n = 0;
	const char *mark = wp_text_ellipsis();
	char part[MAX_LINE];

	if (fits(l, text, width) || room < wp_text_columns(mark))
		return;
	room -= wp_text_columns(mark);
	for (i = 0; text[i] && i + 1 < sizeof(part); i++) {
		if ((text[i] & 0xc0) != 0x80 && n++ == room)
			break;
		part[i] = text[i];
	}
	part[i] = 0;
	add(l, part);
	add(l, mark);
}

static void begin(struct line *l, size_t indent)
{
	l->len = snprintf(l->text, sizeof(l->text), "%*s", (int)indent, "");
}

static void end(struct line *l)
{
	while (l->len && l->text[l->len - 1] == ' ')
		l->text[--l->len] = 0;
	puts(l->text);
}

static void show_name(char *text, size_t size, const struct wp_livename *name)
{
	char plain[1024];

	wp_now_frame_text(name, plain, sizeof(plain));
	wp_text_show(text, size, plain, false);
}

static int read_functions(const struct wp_now_threads *all, const struct member *m, bool python,
			  char **functions)
{
	unsigned int i, nr = 0;
	char text[512];
	size_t size;
	int err = 0;
	FILE *f = open_memstream(functions, &size);

	if (!f)
		return -ENOMEM;
	for (i = 0; i < MAX_FRAMES; i++) {
		struct wp_livename name;
		bool found;

		err = wp_now_frame(all, m->t, i, &name, &found);
		if (err || !found)
			break;
		if (python && !name.python)
			continue;
		show_name(text, sizeof(text), &name);
		fprintf(f, "%s%s", nr++ ? " < " : "", text);
	}
	if (fclose(f))
		return -ENOMEM;
	return err;
}

static int read_stack(const struct wp_now_threads *all, struct member *m)
{
	int err = read_functions(all, m, false, &m->stack);

	return err || !m->t->python ? err : read_functions(all, m, true, &m->python);
}

static int read_member(const struct wp_now_threads *all, const struct wp_now_thread *t,
		       struct member *m)
{
	struct wp_procinfo info;

	m->t = t;
	/* All kernel threads have one process name: the kernel's. */
	if (!t->kthread)
		wp_text_show(m->process, sizeof(m->process),
			     wp_procinfo_read(t->tgid, t->tgid, &info) && *info.process ?
			     info.process : *t->comm ? t->comm : "?", false);
	return read_stack(all, m);
}

static bool is_futex(const struct wp_now_thread *t)
{
	return t->cause.reason == WALLPROF_REASON_SYSCALL &&
	       wp_syscall_arg(t->cause.syscall, t->cause.compat) == WP_ARG_FUTEX;
}

/* Calls that wait for something that another thread holds. */
static bool is_lock(const struct wp_now_thread *t)
{
	static const char *const calls[] = { "flock", "semop", "semtimedop" };
	char name[48];
	size_t i;

	if (is_futex(t))
		return true;
	if (t->cause.reason != WALLPROF_REASON_SYSCALL)
		return false;
	wp_syscall_name(t->cause.syscall, t->cause.compat, name, sizeof(name));
	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (!strcmp(name, calls[i]))
			return true;
	}
	return false;
}

/**
 * wp_now_rank() - importance of a thread in a search for hangs
 * @t: the thread
 *
 * Return: its rank.
 */
enum wp_now_rank wp_now_rank(const struct wp_now_thread *t)
{
	if (t->deadlock)
		return WP_RANK_DEADLOCK;
	if (t->now == WP_NOW_ONCPU)
		return WP_RANK_ONCPU;
	if (t->now == WP_NOW_RUNNABLE)
		return t->age >= STARVED_NS ? WP_RANK_LOCK : WP_RANK_RUNNABLE;
	if (t->idle)
		return WP_RANK_IDLE;
	if (t->state == WALLPROF_STATE_DISK)
		return WP_RANK_DISK;
	return is_lock(t) ? WP_RANK_LOCK : WP_RANK_BLOCKED;
}

static int order(__u64 a, __u64 b)
{
	return a < b ? -1 : a > b;
}

static int by_place(const struct member *ma, const struct member *mb)
{
	const struct wp_now_thread *a = ma->t, *b = mb->t;
	int ret = order(wp_now_rank(a), wp_now_rank(b));

	ret = ret ? ret : order(a->now, b->now);
	ret = ret ? ret : order(a->state, b->state);
	ret = ret ? ret : order(a->iowait, b->iowait);
	ret = ret ? ret : order(a->lost, b->lost);
	ret = ret ? ret : order(a->kthread, b->kthread);
	ret = ret ? ret : order(a->cause.reason, b->cause.reason);
	ret = ret ? ret : order(a->cause.syscall, b->cause.syscall);
	ret = ret ? ret : order(a->cause.compat, b->cause.compat);
	ret = ret ? ret : strcmp(ma->process, mb->process);
	ret = ret ? ret : strcmp(ma->stack, mb->stack);
	/* Locks are distinguished, connections are not. */
	if (!ret && is_futex(a))
		ret = order(a->object, b->object);
	return ret;
}

static int by_place_and_age(const void *pa, const void *pb)
{
	const struct member *a = pa, *b = pb;
	int ret = by_place(a, b);

	ret = ret ? ret : order(b->t->age, a->t->age);
	return ret ? ret : order(a->t->tid, b->t->tid);
}

static int by_rank(const void *pa, const void *pb)
{
	const struct group *a = pa, *b = pb;
	int ret = order(a->rank, b->rank);

	ret = ret ? ret : order(b->member->t->age, a->member->t->age);
	return ret ? ret : order(a->member->t->tid, b->member->t->tid);
}

static size_t find_groups(struct member *m, size_t nr, struct group *g)
{
	size_t i, groups = 0;

	if (nr)
		qsort(m, nr, sizeof(*m), by_place_and_age);
	for (i = 0; i < nr; i++) {
		if (!i || by_place(&m[i - 1], &m[i]))
			g[groups++] = (struct group){ .member = &m[i], .rank = wp_now_rank(m[i].t),
						      .object = m[i].t->object };
		g[groups - 1].nr++;
		g[groups - 1].objects |= m[i].t->object != g[groups - 1].object;
		g[groups - 1].owners |= m[i].t->owner != g[groups - 1].member->t->owner;
	}
	if (groups)
		qsort(g, groups, sizeof(*g), by_rank);
	return groups;
}

static void put_sums(const struct wp_now_threads *all, size_t width)
{
	size_t nr[WP_NOW_BLOCKED + 1] = { 0 }, i;
	char text[128];
	struct line l;

	for (i = 0; i < all->nr; i++)
		nr[all->thread[i].now]++;
	begin(&l, 0);
	snprintf(text, sizeof(text), "%zu thread%s: %zu blocked, %zu runnable, %zu on-CPU",
		 all->nr, all->nr == 1 ? "" : "s", nr[WP_NOW_BLOCKED], nr[WP_NOW_RUNNABLE],
		 nr[WP_NOW_ONCPU]);
	/* A narrow terminal gets only the parts. */
	add_cut(&l, wp_text_columns(text) > width ? strchr(text, ':') + 2 : text, width);
	end(&l);
}

/* The call and its object, which gets a line of its own if necessary. */
static void put_what(const struct wp_now_threads *all, const struct group *g, struct line *l,
		     size_t width)
{
	const struct wp_now_thread *t = g->member->t;
	char buf[48], object[WP_OBJECT_TEXT + 64] = "";
	const char *what;

	what = t->now == WP_NOW_ONCPU ? "on-CPU" : t->now == WP_NOW_RUNNABLE ? "a CPU" :
	       wp_cause_name(&t->cause, buf, sizeof(buf));
	add_cut(l, t->kthread && t->now == WP_NOW_BLOCKED ? t->idle ? "work" : "(kernel)" : what,
		width);
	if (t->iowait)
		fits(l, " (iowait)", width);
	if (g->objects)
		snprintf(object, sizeof(object), "different files or sockets");
	else if (g->object)
		snprintf(object, sizeof(object), "%s", wp_objects_text(all->objects, g->object));
	if (!*object) {
		end(l);
		return;
	}
	if (wp_text_columns(l->text) + 1 + wp_text_columns(object) > width) {
		end(l);
		begin(l, indent_of(width));
	} else {
		add(l, " ");
	}
	add_cut(l, object, width);
	end(l);
}

/* "148 futex", or only the id of a thread with its process's name. */
static void name_thread(const struct member *m, char *text, size_t size)
{
	char comm[WP_TEXT_GROWS * WALLPROF_COMM_LEN];

	wp_text_show(comm, sizeof(comm), m->t->comm, false);
	if (!*comm || !strcmp(comm, m->process))
		snprintf(text, size, "%u", m->t->tid);
	else
		snprintf(text, size, "%u %s", m->t->tid, comm);
}

/* "waiting [148], threads": the process of the threads. */
static void name_group(const struct group *g, char *text, size_t size)
{
	const struct wp_now_thread *t = g->member->t;
	bool one = true, main = true;
	size_t i;

	for (i = 0; i < g->nr; i++) {
		one &= g->member[i].t->tgid == t->tgid;
		main &= g->member[i].t->tgid == g->member[i].t->tid;
	}
	if (t->kthread)
		snprintf(text, size, g->nr == 1 ? "kernel thread" : "kernel threads");
	else if (!one)
		snprintf(text, size, "%s, %s", g->member->process, main ? "processes" : "threads");
	else if (g->nr == 1)
		snprintf(text, size, "%s [%u], %s", g->member->process, t->tgid,
			 main ? "main thread" : "thread");
	else
		snprintf(text, size, "%s [%u], threads", g->member->process, t->tgid);
}

/* The threads, as many as fit; returns whether these are all. */
static bool put_members(const struct group *g, struct line *l, size_t width)
{
	char text[128], name[112];
	size_t i;

	for (i = 0; i < g->nr; i++) {
		name_thread(&g->member[i], name, sizeof(name));
		snprintf(text, sizeof(text), "%s %s", i ? "," : "", name);
		/* The last one needs no room for the mark of an omission. */
		if (fits(l, text, i + 1 < g->nr ? width - strlen(", ...") : width))
			continue;
		snprintf(text, sizeof(text), "%s %s", i ? "," : "", wp_text_ellipsis());
		fits(l, text, width);
		return false;
	}
	return true;
}

static bool put_all(const struct group *g, struct line *l, size_t width)
{
	const struct wp_now_thread *t = g->member->t;
	char text[256];

	begin(l, indent_of(width));
	name_group(g, text, sizeof(text));
	add_cut(l, text, width);
	return (g->nr == 1 && !t->kthread && t->tid == t->tgid) || put_members(g, l, width);
}

/* "waiting [148], threads 150 futex, 155 worker, since 14:03:05" */
static void put_who(const struct wp_now_threads *all, const struct group *g, size_t width)
{
	const struct wp_now_thread *t = g->member->t;
	char since[64] = "", clock[WP_SINCE_TEXT];
	struct line l;

	if (t->age >= NSEC_PER_SEC && t->now != WP_NOW_ONCPU)
		snprintf(since, sizeof(since), ", since %s%s", t->at_least ? "before " : "",
			 wp_since_clock(t->age, all->time, clock, sizeof(clock)));
	if (!put_all(g, &l, width) || !fits(&l, since, width)) {
		end(&l);
		begin(&l, indent_of(width));
		add_cut(&l, since + (*since ? strlen(", ") : 0), width);
	}
	if (l.len > indent_of(width))
		end(&l);
}

/* Functions, as many as fit; at least the innermost one. */
static void put_functions(const char *before, const char *stack, size_t width)
{
	size_t indent = indent_of(width), mark = strlen(" < ...");
	const char *next;
	bool any = false;
	struct line l;

	begin(&l, indent);
	add(&l, before);
	for (; stack; stack = next ? next + strlen(" < ") : NULL) {
		char name[512];
		int len;

		next = strstr(stack, " < ");
		len = next ? next - stack : (int)strlen(stack);
		snprintf(name, sizeof(name), "%s%.*s", any ? " < " : "", len, stack);
		if (!any)
			add_cut(&l, name, width - mark);
		else if (!fits(&l, name, next ? width - mark : width))
			break;
		any = true;
	}
	if (stack) {
		add(&l, " < ");
		add(&l, wp_text_ellipsis());
	}
	end(&l);
}

static void put_stack(const struct group *g, size_t width)
{
	const struct member *m = g->member;

	if (*m->stack)
		put_functions("in ", m->stack, width);
	else if (m->t->lost)
		put_functions("(no room for the stack)", "", width);
	if (m->python && *m->python)
		put_functions("Python: ", m->python, width);
}

/* A sanitized text in as many lines as it needs, indented. */
static void put_lines(const char *text, size_t width)
{
	size_t indent = indent_of(width);

	while (*text) {
		size_t len = wp_text_wrap(text, width - indent);
		char part[MAX_LINE];
		struct line l;

		snprintf(part, sizeof(part), "%.*s", (int)len, text);
		begin(&l, indent);
		add(&l, part);
		end(&l);
		text += len;
		text += *text == ' ';
	}
}

/*
 * Who holds the lock. A lock that is passed on meanwhile has had several owners: that of
 * the thread that waits longest is printed.
 */
static void put_owner(const struct wp_now_threads *all, const struct group *g, size_t width)
{
	const struct wp_now_thread *t = g->member->t;
	char text[MAX_LINE];

	if (!t->lock)
		return;
	wp_now_owner_text(all, t, text, sizeof(text));
	put_lines(text, width);
	if (g->owners)
		put_lines("(others of these threads found another owner)", width);
}

/* The threads in a deadlock, as many as fit in a line. */
static void put_deadlocks(const struct wp_now_threads *all, size_t width)
{
	char text[128], comm[WP_TEXT_GROWS * WALLPROF_COMM_LEN];
	const char *before = ":";
	struct line l;
	size_t i;

	if (!all->deadlocks)
		return;
	begin(&l, 0);
	snprintf(text, sizeof(text), "%zu thread%s in a deadlock", all->deadlocks,
		 all->deadlocks == 1 ? "" : "s");
	add_cut(&l, text, width);
	for (i = 0; i < all->nr; i++) {
		if (!all->thread[i].deadlock)
			continue;
		wp_text_show(comm, sizeof(comm), all->thread[i].comm, false);
		snprintf(text, sizeof(text), "%s %u %s", before, all->thread[i].tid, comm);
		/* The mark of an omission has to fit behind it. */
		if (!fits(&l, text, width - strlen(", ..."))) {
			snprintf(text, sizeof(text), "%s %s", before, wp_text_ellipsis());
			fits(&l, text, width);
			break;
		}
		before = ",";
	}
	end(&l);
}

static void put_group(const struct wp_now_threads *all, const struct group *g, size_t width)
{
	const struct wp_now_thread *t = g->member->t;
	char age[WP_SINCE_TEXT + 1], clean[WP_SINCE_TEXT];
	struct line l;

	snprintf(age, sizeof(age), "%s%s", t->at_least ? ">" : "",
		 wp_since_age(t->age, clean, sizeof(clean)));
	l.len = snprintf(l.text, sizeof(l.text), "%8s  %-2s %7zu ", age,
			 t->now == WP_NOW_ONCPU ? "-" : t->now == WP_NOW_RUNNABLE ? "R" :
			 wp_state_name(t->state), g->nr);
	put_what(all, g, &l, width);
	put_who(all, g, width);
	put_owner(all, g, width);
	put_stack(g, width);
}

/**
 * wp_now_print_groups() - print groups of equal threads
 * @t: the threads
 *
 * Return: 0 or -ENOMEM.
 */
int wp_now_print_groups(struct wp_now_threads *t)
{
	struct member *m = calloc(t->nr + 1, sizeof(*m));
	struct group *g = calloc(t->nr + 1, sizeof(*g));
	size_t i, nr, width = width_of_output();
	int err = m && g ? 0 : -ENOMEM;

	for (i = 0; i < t->nr && !err; i++)
		err = read_member(t, &t->thread[i], &m[i]);
	if (!err) {
		nr = find_groups(m, t->nr, g);
		put_sums(t, width);
		put_deadlocks(t, width);
		wp_now_print_hidden(t, "", width);
		if (nr)
			printf("\n%8s  %-2s %7s %s\n", "AGE", "S", "THREADS", "WAITS FOR");
		for (i = 0; i < nr; i++)
			put_group(t, &g[i], width);
		wp_now_print_python(t, "", width);
	}
	for (i = 0; m && i < t->nr; i++) {
		free(m[i].stack);
		free(m[i].python);
	}
	free(m);
	free(g);
	return err;
}
