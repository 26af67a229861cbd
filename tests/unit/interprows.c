// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of interpreted functions in the stacks of a recording. Their process is this one: code
 * objects made by hand are in its memory.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/wallprof.h>

#include "lib/elf/buildid.h"
#include "lib/elf/elfnames.h"
#include "lib/elf/nameself.h"
#include "lib/interp/pyinterp.h"
#include "lib/record/interprows.h"
#include "tap.h"

#define UNITS	16
#define NATIVE	0x401000ULL

static struct wp_interp interp;
static struct wp_interpcodes *codes;
static __u64 code_type[4], str_type[4], bytes_type[4];

/* Of interps.c: this process has an interpreter, and so do its children. */
bool wp_interps_find(struct wp_interps *all, __u32 pid, struct wp_interp *found)
{
	(void)all;
	(void)pid;
	*found = interp;
	return true;
}

/* Some memory, which is zero. */
static void *take(size_t bytes)
{
	static char memory[1 << 18] __attribute__((aligned(16)));
	static size_t used;
	void *at = memory + used;

	used += (bytes + 15) / 16 * 16;
	if (used > sizeof(memory))
		abort();
	return at;
}

static void put(void *at, size_t offset, __u64 value)
{
	memcpy((char *)at + offset, &value, sizeof(value));
}

static __u64 text(const char *chars)
{
	char *at = take(64 + strlen(chars));
	static __u64 hash;

	put(at, 0, 1);
	put(at, 8, (__u64)(uintptr_t)str_type);
	put(at, 16, strlen(chars));
	put(at, 24, ++hash);
	put(at, 32, 1 << 2 | 1 << 5 | 1 << 6);
	strcpy(at + interp.py.layout.ascii, chars);
	return (__u64)(uintptr_t)at;
}

/* Code of Python 3.11, each instruction of which is a line of its own, from @first on. */
static void *code(const char *name, const char *file, __u32 first)
{
	const struct wp_pylayout *l = &interp.py.layout;
	char *at = take(512), *lines = take(64 + 2 * UNITS);
	unsigned int i;

	put(at, 0, 1);
	put(at, 8, (__u64)(uintptr_t)code_type);
	put(at, 16, UNITS);
	put(at, l->code_name, text(name));
	put(at, l->code_file, text(file));
	put(at, l->code_line, first - 1);
	put(at, l->code_lines, (__u64)(uintptr_t)lines);
	put(at, l->code_traceable, 2);
	put(lines, 0, 1);
	put(lines, 8, (__u64)(uintptr_t)bytes_type);
	put(lines, 16, 2 * UNITS);
	for (i = 0; i < UNITS; i++) {
		lines[32 + 2 * i] = (char)(0x80 | 13 << 3);
		lines[32 + 2 * i + 1] = 2;
	}
	return at;
}

static __u64 word_of(const char *at)
{
	__u64 word;

	memcpy(&word, at, sizeof(word));
	return word;
}

static __u32 hash_of(const char *at)
{
	const struct wallprof_interp *i = &interp.interp;
	__u64 word[WALLPROF_INTERP_WORDS];
	unsigned int n;

	for (n = 0; n < WALLPROF_INTERP_WORDS; n++) {
		word[n] = word_of(at + i->word[n].at);
		if (i->word[n].then != WALLPROF_INTERP_NONE)
			word[n] = word_of((char *)(uintptr_t)word[n] + i->word[n].then);
	}
	return wallprof_interp_hash(word, n);
}

static void push(__u64 *ips, unsigned int *nr, const void *at, unsigned int place)
{
	ips[(*nr)++] = WALLPROF_INTERP_CODE | (__u64)(uintptr_t)at;
	ips[(*nr)++] = WALLPROF_INTERP_AT | (__u64)place << 32 | hash_of(at);
}

static void set_up(void)
{
	const struct wp_pyrange range = { NATIVE, NATIVE + 4096 };

	wp_pylayout_of(11, &interp.py.layout);
	interp.py.code_type = (__u64)(uintptr_t)code_type;
	interp.py.str_type = (__u64)(uintptr_t)str_type;
	interp.py.bytes_type = (__u64)(uintptr_t)bytes_type;
	wp_pyinterp_describe(&interp.py, &range, 1, 0x318, &interp.interp);
}

static const char *row_of(struct wp_interprows *rows, __u64 ip)
{
	if (ip < WP_INTERPROWS_BASE)
		return "native";
	if (ip >= WP_INTERPROWS_BASE_OF(WP_INTERPROWS_JAVA))
		return wp_interprows_name(wp_interprows_names(rows, WP_INTERPROWS_JAVA),
					  (ip - WP_INTERPROWS_BASE_OF(WP_INTERPROWS_JAVA)) /
					  WP_NAMESELF_BYTES);
	return wp_interprows_name(wp_interprows_names(rows, WP_INTERPROWS_PYTHON),
				  (ip - WP_INTERPROWS_BASE) / WP_NAMESELF_BYTES);
}

/* The stack as text, from the innermost function on. */
static const char *stack(struct wp_interprows *rows, __u32 pid, const __u64 *ips,
			 unsigned int nr)
{
	static char shown[4096];
	__u64 to[WALLPROF_MAX_STACK];
	unsigned int n, i, has;
	size_t len = 0;

	if (wp_interprows_stack(rows, pid, 1000, ips, nr, to, &n, &has))
		return "no memory";
	for (i = 0; i < n; i++)
		len += snprintf(shown + len, sizeof(shown) - len, "%s%s", i ? "|" : "",
				row_of(rows, to[i]));
	return shown;
}

static void is(const char *what, const char *found, const char *wanted)
{
	ok(!strcmp(found, wanted), "%s: %s", what, found);
}

static void places(struct wp_interprows *rows)
{
	void *inner = code("inner", "/dir/a.py", 10), *outer = code("C.outer", "/dir/b.py", 20);
	__u64 ips[16] = { 0x401000, NATIVE };
	unsigned int nr = 2;

	push(ips, &nr, inner, 5);
	push(ips, &nr, outer, 9);
	ips[nr++] = 0x402000;
	ips[nr++] = NATIVE;
	push(ips, &nr, outer, 9);
	ips[nr++] = 0x403000;
	is("a run takes the place of its native function", stack(rows, getpid(), ips, nr),
	   "native|inner /dir/a.py:14|C.outer /dir/b.py:28|native|C.outer /dir/b.py:28|native");
	nr = 2;
	push(ips, &nr, inner, 1);
	is("a function that is not shown leaves it", stack(rows, getpid(), ips, nr),
	   "native|native");
	ips[3] = NATIVE;
	is("a word without its other one is left out", stack(rows, getpid(), ips, 4),
	   "native|native|native");
	is("a stack without", stack(rows, getpid(), ips, 2), "native|native");
	ok(!wp_interprows_in(ips, 2) && wp_interprows_in(ips, 3), "a function in it is noticed");
	ips[2] = WALLPROF_INTERP_AT;
	ok(wp_interprows_in(ips, 3), "so is half of one");
}

/* More places of a function than are remembered, in turn, and its name the second time. */
static void again(struct wp_interprows *rows)
{
	void *many = code("many", "/dir/c.py", 100);
	char wanted[32];
	__u64 ips[4] = { NATIVE };
	unsigned int nr, i, wrong = 0;

	for (i = 0; i < 48; i++) {
		unsigned int place = 4 + i * 5 % 12;

		nr = 1;
		push(ips, &nr, many, place);
		snprintf(wanted, sizeof(wanted), "many /dir/c.py:%u", 99 + place);
		wrong += !!strcmp(stack(rows, getpid(), ips, nr), wanted);
		wrong += !!strcmp(stack(rows, getpid(), ips, nr), wanted);
	}
	ok(!wrong, "places of a function in turn, %u wrong", wrong);
	nr = 1;
	push(ips, &nr, many, 1);
	is("one that is not shown, after that", stack(rows, getpid(), ips, nr), "native");
	nr = 1;
	push(ips, &nr, many, 5);
	is("and one that was", stack(rows, getpid(), ips, nr), "many /dir/c.py:104");
}

static void unread(struct wp_interprows *rows)
{
	char *first = code("first", "/dir/a.py", 10), *denied;
	struct wp_interpcodes_stats before, after;
	__u64 ips[8] = { NATIVE };
	unsigned int nr = 1;
	pid_t child;

	wp_interpcodes_stats(codes, &before);
	push(ips, &nr, first, 5);
	/* It is another one by now. */
	put(first, interp.py.layout.code_name, text("second"));
	is("a function that was replaced", stack(rows, getpid(), ips, nr), WP_INTERPCODES_UNREAD);
	nr = 1;
	push(ips, &nr, first, 5);
	is("the one that replaced it", stack(rows, getpid(), ips, nr), "second /dir/a.py:14");
	put(first, interp.py.layout.code_name, text("third"));
	is("the same from before", stack(rows, getpid(), ips, nr), "second /dir/a.py:14");
	nr = 1;
	push(ips, &nr, code("fourth", "/dir/a.py", 10), UNITS + 1);
	is("an instruction that it does not have", stack(rows, getpid(), ips, nr),
	   WP_INTERPCODES_UNREAD);
	child = fork();
	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
	nr = 1;
	push(ips, &nr, code("fifth", "/dir/a.py", 10), 5);
	is("a process that has ended", stack(rows, child, ips, nr), WP_INTERPCODES_UNREAD);
	denied = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ips[1] = WALLPROF_INTERP_CODE | (__u64)(uintptr_t)denied;
	is("memory that cannot be read", stack(rows, getpid(), ips, nr), WP_INTERPCODES_UNREAD);
	wp_interpcodes_stats(codes, &after);
	ok(after.unread[WP_INTERPCODES_CHANGED] == before.unread[WP_INTERPCODES_CHANGED] + 1 &&
	   after.unread[WP_INTERPCODES_ABSENT] == before.unread[WP_INTERPCODES_ABSENT] + 1 &&
	   after.unread[WP_INTERPCODES_ENDED] == before.unread[WP_INTERPCODES_ENDED] + 1 &&
	   after.unread[WP_INTERPCODES_BAD] == before.unread[WP_INTERPCODES_BAD] + 1,
	   "they are counted, with the reason");
}

/* Methods of Java; names that are read are jvmmethods.c's. */
static void methods(void)
{
	const __u64 ips[] = {
		NATIVE, WALLPROF_INTERP_WORD | 0x1000, 0x402000, WALLPROF_INTERP_WORD, 0x403000,
	};
	const __u64 two[] = {
		NATIVE, WALLPROF_INTERP_WORD | 0x1000, WALLPROF_INTERP_WORD | 0x1000, 0x403000,
	};
	struct wp_jvms *jvms = wp_jvms_new(false);
	struct wp_jvmmethods *m = wp_jvmmethods_new(jvms, 1 << 20);
	struct wp_interprows *rows = wp_interprows_new(NULL, m);
	struct wp_interprows *none = wp_interprows_new(NULL, NULL);
	struct wp_jvmmethods_stats stats;

	ok(wp_interprows_in(ips, 5), "a method in a stack is noticed");
	is("a method takes the place of its native frame", stack(rows, getpid(), ips, 5),
	   WP_JVMMETHODS_UNREAD "|" WP_JVMMETHODS_UNREAD "|native");
	wp_jvmmethods_stats(m, &stats);
	ok(stats.frames == 2 && stats.unread[WP_JVMMETHODS_ENDED] == 1 &&
	   stats.unread[WP_JVMMETHODS_NONE] == 1, "those without a name are counted");
	is("without a reader native frames stay", stack(none, getpid(), ips, 5),
	   "native|native|native");
	is("a method without its frame is left out", stack(rows, getpid(), two, 4),
	   WP_JVMMETHODS_UNREAD "|native");
	wp_interprows_free(none);
	wp_interprows_free(rows);
	wp_jvmmethods_free(m);
	wp_jvms_free(jvms);
}

struct record {
	struct perf_event_header header;
	__u32 pid, ppid, tid, ptid;
};

/* A thread that is blocked until its process ends. */
static void looked_at(struct wp_interprows *rows)
{
	struct wp_interpcodes_stats before, after;
	__u64 ips[8] = { NATIVE };
	unsigned int nr = 1;
	pid_t child;
	int pipes[2];

	push(ips, &nr, code("waits", "/dir/a.py", 10), 5);
	child = pipe(pipes) ? -1 : fork();
	if (!child) {
		close(pipes[1]);
		_exit(read(pipes[0], pipes, 1));
	}
	wp_interpcodes_stats(codes, &before);
	wp_interpcodes_look(codes, child, ips, nr);
	wp_interpcodes_stats(codes, &after);
	ok(after.frames == before.frames && after.codes == before.codes + 1,
	   "what is looked at is read, and not counted");
	close(pipes[1]);
	waitpid(child, NULL, 0);
	is("it has a name after the end", stack(rows, child, ips, nr), "waits /dir/a.py:14");
	close(pipes[0]);
}

/* A child that has ended executed what its parent does. */
static void inherited(struct wp_interprows *rows)
{
	struct record fork_record = {
		.header = { .type = PERF_RECORD_FORK, .size = sizeof(fork_record) },
		.ppid = getpid(), .ptid = getpid(),
	};
	struct record exec_record = {
		.header = { .type = PERF_RECORD_COMM, .size = sizeof(exec_record),
			    .misc = PERF_RECORD_MISC_COMM_EXEC },
	};
	void *known = code("known", "/dir/a.py", 10);
	__u64 ips[8] = { NATIVE }, at;
	unsigned int nr = 1;
	pid_t child = fork();

	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
	push(ips, &nr, known, 5);
	stack(rows, getpid(), ips, nr);
	fork_record.pid = fork_record.tid = exec_record.pid = child;
	wp_interpcodes_record(codes, &fork_record.header, 1000);
	is("a child that has ended", stack(rows, child, ips, nr), "known /dir/a.py:14");
	ok(wp_interpcodes_map(codes, child, 5000, &at) && at == 1001,
	   "it has the names from its beginning");
	ok(!wp_interpcodes_map(codes, child, 6000, &at), "once");
	wp_interpcodes_unmap(codes);
	ok(wp_interpcodes_map(codes, child, 6000, &at) && at == 1001, "and in another file");
	wp_interpcodes_record(codes, &exec_record.header, 7000);
	ok(wp_interpcodes_map(codes, child, 6500, &at) && at == 6499 &&
	   wp_interpcodes_map(codes, child, 8000, &at) && at == 7001,
	   "another program has them again, and the one before still has");
	wp_interpcodes_end_epoch(codes, 6999);
	is("what it did before has names", stack(rows, child, ips, nr), "known /dir/a.py:14");
	wp_interpcodes_end_epoch(codes, 9000);
	is("it is forgotten", stack(rows, child, ips, nr), WP_INTERPCODES_UNREAD);
	ok(wp_interpcodes_map(codes, child, 9900, &at) && at == 9001, "as is its beginning");
}

static size_t memory(void)
{
	struct wp_interpcodes_stats stats;

	wp_interpcodes_stats(codes, &stats);
	return stats.bytes;
}

/* The number of code objects that were read of @nr that are looked up. */
static unsigned int read_of(void *const *at, unsigned int nr)
{
	struct wp_interpcodes_stats before, after;
	struct wp_interpfunction f;
	__u64 ips[2];
	unsigned int i, words, named = 0;

	wp_interpcodes_stats(codes, &before);
	for (i = 0; i < nr; i++) {
		words = 0;
		push(ips, &words, at[i], 5);
		named += !wp_interpcodes_function(codes, getpid(), ips[0], ips[1], &f) &&
			 !strcmp(f.file, "/dir/kept.py") && f.line == 14;
	}
	wp_interpcodes_stats(codes, &after);
	return named == nr ? after.codes - before.codes : 1000;
}

/* A session that goes on for ever keeps what it needs. */
static void swept(void)
{
	void *at[120];
	size_t before, most;
	unsigned int i, again = 0;

	for (i = 0; i < 20; i++)
		wp_interpcodes_sweep(codes);
	before = memory();
	ok(!before, "what nobody looks up is dropped: %zu bytes are left", before);
	for (i = 0; i < 120; i++)
		at[i] = code("kept", "/dir/kept.py", 10);
	ok(read_of(at, 120) == 120, "each is read");
	most = memory();
	for (i = 0; i < 20; i++) {
		/* Those that came last stand behind others in the table. */
		again += read_of(at + 80, 40);
		wp_interpcodes_sweep(codes);
	}
	ok(!again, "what is looked up each time is not read again: %u", again);
	ok(most && memory() == most / 120 * 40,
	   "the others are dropped: %zu of %zu bytes are left", memory(), most);
	ok(read_of(at, 120) == 80, "and read again when they are looked up");
	ok(memory() == most, "as much memory as before");
}

/* What could not be read is tried again, and a limit is one of the whole. */
static void retried(void)
{
	char *first = code("first", "/dir/kept.py", 10);
	struct wp_interpcodes *few = wp_interpcodes_new(NULL, 1), *all = codes;
	struct wp_interpcodes_stats stats;
	struct wp_interpfunction f;
	unsigned int nr = 0;
	__u64 ips[4], name;

	push(ips, &nr, first, 5);
	name = word_of(first + interp.py.layout.code_name);
	put(first, interp.py.layout.code_name, text("other"));
	ok(wp_interpcodes_function(codes, getpid(), ips[0], ips[1], &f) == -ENODATA,
	   "it is another one for now");
	put(first, interp.py.layout.code_name, name);
	ok(wp_interpcodes_function(codes, getpid(), ips[0], ips[1], &f) == -ENODATA,
	   "it is not read again at once");
	wp_interpcodes_sweep(codes);
	ok(!wp_interpcodes_function(codes, getpid(), ips[0], ips[1], &f) &&
	   !strcmp(f.name, "first"), "but after a sweep");
	codes = few;
	push(ips, &nr, code("second", "/dir/kept.py", 10), 5);
	ok(!wp_interpcodes_function(codes, getpid(), ips[0], ips[1], &f) &&
	   wp_interpcodes_function(codes, getpid(), ips[2], ips[3], &f) == -ENODATA,
	   "beyond the limit there is none");
	wp_interpcodes_stats(codes, &stats);
	ok(stats.unread[WP_INTERPCODES_LIMIT] == 1, "which is counted");
	codes = all;
	wp_interpcodes_free(few);
}

static void forged(struct wp_interprows *rows)
{
	char large[3000];
	__u64 ips[8] = { NATIVE };
	unsigned int nr = 1;
	const char *found;

	push(ips, &nr, code("\n\033[31m; bad\x7f", "/dir/\t.py", 10), 5);
	found = stack(rows, getpid(), ips, nr);
	ok(!strpbrk(found, "\n\033\t\x7f") && strstr(found, "[31m; bad") &&
	   strstr(found, ".py:14"), "newlines and escapes: %s", found);
	memset(large, 'x', sizeof(large) - 1);
	large[sizeof(large) - 1] = 0;
	nr = 1;
	push(ips, &nr, code(large, large, 10), 5);
	found = stack(rows, getpid(), ips, nr);
	ok(strlen(found) < 1024 && strstr(found, ":14"), "a long name: %zu bytes", strlen(found));
}

static const struct wp_symtable_entry *named(const struct wp_elfnames *names, const char *name)
{
	size_t i;

	for (i = 0; i < names->table.nr; i++) {
		if (!strcmp(names->table.names + names->table.entry[i].name, name))
			return &names->table.entry[i];
	}
	return NULL;
}

/* The file of names, as readers see it. */
static void file(struct wp_interprows *rows)
{
	struct wp_buildid id = { .size = 20, .data = "12345678901234567890" }, found;
	int fd = memfd_create("names", MFD_CLOEXEC), err;
	struct wp_elffiles files = { fd, -1, -1 };
	const struct wp_symtable_entry *entry;
	struct wp_elfnames names = { 0 };
	const char *trouble;
	size_t size, nr = wp_interprows_nr(rows, WP_INTERPROWS_PYTHON), i, wrong = 0;
	struct wp_intern *row = wp_interprows_names(rows, WP_INTERPROWS_PYTHON);
	void *data;

	err = wp_nameself_make(wp_interprows_name, row, nr, &id, &data, &size);
	ok(!err && write(fd, data, size) == (ssize_t)size, "a file of %zu names", nr);
	free(data);
	ok(!wp_buildid_from_fd(fd, &found) && wp_buildid_same(&id, &found), "its build-id");
	trouble = wp_elfnames_read(&names, &files, false);
	ok(!trouble && names.table.nr == nr, "%zu functions: %s", names.table.nr, trouble ?: "");
	for (i = 0; i < nr; i++) {
		entry = named(&names, wp_interprows_name(row, i));
		wrong += !entry || entry->start != WP_NAMESELF_AT + i * WP_NAMESELF_BYTES ||
			 entry->end != entry->start + WP_NAMESELF_BYTES;
	}
	ok(!wrong, "each at its place");
	wp_elfnames_free(&names);
	close(fd);
}

int main(void)
{
	struct wp_interprows *rows;

	codes = wp_interpcodes_new(NULL, 1 << 20);
	rows = wp_interprows_new(codes, NULL);
	set_up();
	places(rows);
	again(rows);
	unread(rows);
	looked_at(rows);
	inherited(rows);
	forged(rows);
	swept();
	retried();
	methods();
	file(rows);
	wp_interprows_free(rows);
	wp_interpcodes_free(codes);
	return done();
}
