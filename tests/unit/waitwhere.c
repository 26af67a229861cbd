// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of what stacks say of waits: the program's function, the system call, the lock;
 * and which objects are alike.
 */
#include <string.h>

#include "lib/model/waitobject.h"
#include "lib/profile/waitwhere.h"
#include "tap.h"

#define MOST	8

static struct wp_function functions[MOST];
static const struct wp_function *stack[MOST];

/* "name@file", "+0x12@file" has no name, "name!" is of the kernel; the innermost first. */
static size_t read_stack(const char *text, char *room)
{
	size_t nr = 0;
	char *word;

	strcpy(room, text);
	for (word = strtok(room, " "); word; word = strtok(NULL, " ")) {
		struct wp_function *f = &functions[nr];
		char *at = strchr(word, '@'), *mark = strchr(word, '!');

		*f = (struct wp_function){ .name = word, .label = word, .dso = "prog" };
		if (at) {
			*at = 0;
			f->dso = at + 1;
		}
		if (mark) {
			*mark = 0;
			f->kernel = true;
			f->dso = "[kernel.kallsyms]";
			f->sched = !strcmp(word, "schedule");
		}
		if (word[0] == '+' || word[0] == '[')
			f->name = NULL;
		stack[nr++] = f;
	}
	return nr;
}

static void check(const char *text, const char *where, const char *call, const char *kind)
{
	char room[256], is[WP_WAITWHERE_CALL] = "-";
	size_t nr = read_stack(text, room), at = wp_waitwhere(stack, nr);
	const char *is_kind = wp_waitwhere_kind(stack, nr);

	if (!wp_waitwhere_call(stack, nr, is))
		strcpy(is, "-");
	ok(!strcmp(at < nr ? stack[at]->label : "-", where) && !strcmp(is, call) &&
	   !strcmp(is_kind ? is_kind : "-", kind), "'%s': in %s, by %s, for %s", text,
	   at < nr ? stack[at]->label : "-", is, is_kind ? is_kind : "-");
}

static void object(const char *object, const char *wanted)
{
	char to[64];

	wp_waitobject(object, to, sizeof(to));
	ok(!strcmp(to, wanted), "'%s' is '%s'", object, to);
}

static void class(const char *object, const char *wanted)
{
	char to[64];

	wp_waitobject_class(object, to, sizeof(to));
	ok(!strcmp(to, wanted), "the class of '%s' is '%s'", object, to);
}

int main(void)
{
	check("", "-", "-", "-");
	check("read@libc.so.6 f main", "f", "read", "-");
	check("__read_nocancel@libc.so.6 f", "f", "read", "-");
	check("__GI___poll@libc.so.6 f", "f", "poll", "-");
	check("__libc_accept@libc.so.6 f", "f", "accept", "-");
	check("__futex_abstimed_wait_common@libc.so.6 pthread_cond_wait@libc.so.6 work", "work",
	      "futex", "condition");
	check("__lll_lock_wait@libc.so.6 ___pthread_mutex_lock@libc.so.6 f", "f", "futex", "mutex");
	check("+0x85f16@libc.so.6 pthread_mutex_lock@libc.so.6 f", "f", "-", "mutex");
	check("+0x85f16@libc.so.6 sem_wait@libc.so.6 f", "f", "-", "semaphore");
	check("+0x85f16@libc.so.6", "+0x85f16", "-", "-");
	check("malloc@libc.so.6 f", "f", "-", "-");
	check("f main start_thread@libc.so.6", "f", "-", "-");
	check("read f", "read", "-", "-");
	check("schedule! futex_wait! __x64_sys_futex! do_syscall_64! +0x1@libc.so.6 f", "f",
	      "futex", "-");
	check("schedule! __arm64_sys_read! el0_svc! f", "f", "read", "-");
	check("schedule! worker_thread! kthread!", "worker_thread", "-", "-");
	check("schedule!", "schedule", "-", "-");
	check("runtime.futex runtime.semasleep runtime.gopark main.work", "main.work", "-",
	      "Go scheduler");
	check("[anon] [anon] f", "f", "-", "-");
	check("[anon]", "[anon]", "-", "-");
	check("+0x12@ld-linux-x86-64.so.2 +0x34@libfoo.so", "+0x34", "-", "-");
	object("unix [1625]->[1624]", "unix socket");
	object("unix [1625]", "unix socket");
	object("unix [1625]->/run/dbus", "unix /run/dbus");
	object("unix /run/dbus", "unix /run/dbus");
	object("tcp 10.0.0.1:80->10.0.0.2:50000", "tcp 10.0.0.1:80");
	object("tcp 10.0.0.1:50000->10.0.0.2:5432", "tcp ->10.0.0.2:5432");
	object("tcp [::1]:50000->[::1]:443", "tcp ->[::1]:443");
	object("tcp 0.0.0.0:80 listening", "tcp 0.0.0.0:80 listening");
	object("pipe:[1234]", "pipe");
	object("/var/log/x:[1]", "/var/log/x:[1]");
	object("/in/server+0x30e0", "server+0x30e0");
	object("0x7f5098010cac anonymous", "0x7f5098010cac [anon]");
	object("0x7f5098010cac anonymous, shared", "0x7f5098010cac [anon], shared");
	object("0x7f5098010cac [anon], shared", "0x7f5098010cac [anon], shared");
	object("0x7ffd8c0f3e40 [stack]", "0x7ffd8c0f3e40 [stack]");
	object("0x559e50cfa788 [heap]", "0x559e50cfa788 [heap]");
	object("fd 3", "fd 3");
	object("", "");
	class("unix [1625]->/run/dbus", "unix /run/dbus");
	class("tcp 10.0.0.1:50000->10.0.0.2:5432", "tcp ->10.0.0.2:5432");
	class("pipe:[1234]", "pipe");
	class("socket:[1234]", "socket");
	class("/var/log/x fd 3:[1]", "file");
	class("/dev/pts/3", "device");
	class("[eventfd] fd 5", "eventfd");
	class("inotify fd 5", "inotify");
	class("[] fd 5", "[]");
	class("[ fd 5", "[");
	class("fd 3", "");
	class("0x7f5098010cac [anon]", "");
	class("(others: too many are different)", "");
	class("-", "");
	class("", "");
	return done();
}
