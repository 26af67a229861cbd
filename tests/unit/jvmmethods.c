// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of names of interpreted Java methods: which ones count, as classes are unloaded. The
 * reader of memory, what is known of JVMs, and the clock are replaced.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "jvmimage.h"
#include "lib/record/interpusers.h"
#include "lib/record/jvmmethods.h"
#include "lib/symbols/livejvm.h"
#include "lib/symbols/mapplace.h"
#include "tap.h"

#define PID	7
#define OTHER	8
#define COUNTER	0x7000ULL
#define LOADS	0x7030ULL
#define RUN	"org.some.Klass.run"
#define NEW	"org.some.Third.run"

static __u64 now_ns = 1000000000;
static struct image image;
static struct wp_jvmfacts facts;
static struct wp_pymemory memory;
static struct wp_jvmmethods *m;
static __u64 program = 1, unloads, loads;
static bool has_agent;
static unsigned int opened, left;
static int count_err, read_err;
static bool has_jvm = true, all_have;
/* So many classes are unloaded while a name is read. */
static unsigned int unloads_meanwhile;
/* It executes that program while a name is read; 0: it does not. */
static __u64 program_meanwhile;

int clock_gettime(clockid_t id, struct timespec *ts)
{
	(void)id;
	now_ns++;
	ts->tv_sec = now_ns / 1000000000;
	ts->tv_nsec = now_ns % 1000000000;
	return 0;
}

bool wp_jvms_any(struct wp_jvms *all)
{
	(void)all;
	return false;
}

bool wp_jvms_find(struct wp_jvms *all, __u32 pid, struct wp_jvmfacts *found)
{
	(void)all;
	*found = facts;
	return has_jvm && (pid == PID || all_have);
}

__u64 wp_livejvm_program(__u32 pid)
{
	(void)pid;
	return program;
}

struct wp_livejvms *wp_livejvm_new(void)
{
	return malloc(1);
}

void wp_livejvm_free(struct wp_livejvms *jvms)
{
	free(jvms);
}

static int read_block(void *ctx, __u64 address, void *to)
{
	(void)ctx;
	if (read_err)
		return read_err;
	if (address < BASE || address - BASE >= SIZE)
		return -ENODATA;
	memcpy(to, image.memory + (address - BASE), WP_PYMEMORY_BLOCK);
	unloads += unloads_meanwhile;
	unloads_meanwhile = 0;
	program = program_meanwhile ?: program;
	program_meanwhile = 0;
	return 0;
}

struct wp_pymemory *wp_livejvm_open(struct wp_livejvms *jvms, __u32 pid,
				    struct wp_pybudget *budget, unsigned int windows)
{
	(void)jvms;
	(void)pid;
	left = windows;
	opened++;
	memory.read = read_block;
	memory.budget = budget;
	wp_pymemory_forget(&memory);
	return &memory;
}

unsigned int wp_livejvm_close(struct wp_livejvms *jvms)
{
	(void)jvms;
	return left;
}

int wp_livejvm_unloads(struct wp_livejvms *jvms, __u32 pid, const struct wp_jvmunloads *u,
		       struct wp_jvmcounts *counts)
{
	(void)jvms;
	(void)pid;
	*counts = (struct wp_jvmcounts){ u->at == COUNTER ? unloads : ~0ULL, loads, has_agent };
	return count_err;
}

/* The file that has the number; -1: there is none. */
static int file = -1;

int wp_mapplace_find(__u32 pid, __u64 address, __u64 *offset)
{
	*offset = 8;
	return pid == PID && address == COUNTER && file >= 0 ? dup(file) : -1;
}

static void set_file(__u64 nr)
{
	if (pwrite(file, &nr, sizeof(nr), 8) != sizeof(nr) ||
	    pwrite(file, &loads, sizeof(loads), 8 + LOADS - COUNTER) != sizeof(loads))
		abort();
}

/* Each process is of another user. */
unsigned int wp_interpusers_find(struct wp_interpusers *users, __u32 pid)
{
	(void)users;
	return pid % WP_INTERPUSERS_MAX;
}

static __u64 word(size_t method)
{
	return WALLPROF_INTERP_WORD | (BASE + method);
}

/* The name of the method of a stack that was recorded before the last flip. */
static const char *name_of(size_t at)
{
	const __u64 ips[] = { 0x401000, word(at), 0x402000 };

	wp_jvmmethods_look(m, PID, ips, 3);
	return wp_jvmmethods_name(m, PID, ips[1], now_ns) ?: "none";
}

static __u64 unread(enum wp_jvmmethods_reason reason)
{
	struct wp_jvmmethods_stats stats;

	wp_jvmmethods_stats(m, &stats);
	return stats.unread[reason];
}

static void is(const char *what, const char *found, const char *wanted)
{
	ok(!strcmp(found, wanted), "%s: %s", what, found);
}

/* An epoch ends, and its samples are written. */
static void flip(bool before)
{
	wp_jvmmethods_end_epoch(m, now_ns);
	if (before)
		wp_jvmmethods_before(m);
	wp_jvmmethods_flipped(m, ++now_ns);
}

static void begin(void)
{
	struct wp_pybudget budget = { 10000, 1 << 20 };

	make_image(&image);
	wp_livejvm_open(NULL, PID, &budget, 1);
	memset(&facts, 0, sizeof(facts));
	if (wp_jvmlayout_read(&memory, image.symbols, &facts.layout))
		abort();
	unloads = 5;
	loads = 100;
	has_agent = false;
	program = 1;
	facts.program = 1;
	facts.unloads = (struct wp_jvmunloads){
		.at = COUNTER, .loads = LOADS, .nr = 5, .known = true,
	};
	has_jvm = true;
	count_err = 0;
	read_err = 0;
	wp_jvmmethods_free(m);
	m = wp_jvmmethods_new(NULL, 4 << 20);
	flip(true);
}

/* Another class has the memory of the first one. */
static void reuse(void)
{
	method(&image, METHOD_A, 0x1b80, "org/some/Third", "run");
	unloads++;
}

static void test_names(void)
{
	const __u64 ips[] = { 0x401000, word(METHOD_A), 0x401000, word(METHOD_B), 0x402000 };
	struct wp_jvmmethods_stats stats;
	unsigned int before;

	begin();
	is("a method of the first epoch has its name", name_of(METHOD_A), RUN);
	before = opened;
	wp_jvmmethods_look(m, PID, ips, 5);
	is("another one, a lambda's", wp_jvmmethods_name(m, PID, ips[3], now_ns) ?: "none",
	   "Main$$Lambda$1/0x8.wait0");
	flip(true);
	is("the first one is known", name_of(METHOD_A), RUN);
	ok(opened == before, "its memory is read once: %u", opened - before);
	wp_jvmmethods_stats(m, &stats);
	ok(stats.frames == 3 && stats.methods == 2 && stats.bytes, "they are counted");
	ok(!wp_jvmmethods_name(m, PID, WALLPROF_INTERP_WORD, now_ns) &&
	   unread(WP_JVMMETHODS_NONE) == 1, "a frame without a method has no name");
	is("what is no method", name_of(CODE), "none");
	ok(unread(WP_JVMMETHODS_BAD) == 1, "is bad");
	is("memory that is not there", name_of(SIZE), "none");
	ok(unread(WP_JVMMETHODS_ABSENT) == 1, "is absent");
}

static void test_unloaded(void)
{
	begin();
	is("before", name_of(METHOD_A), RUN);
	reuse();
	flip(true);
	is("an epoch in which classes were unloaded", name_of(METHOD_A), "none");
	ok(unread(WP_JVMMETHODS_UNLOADED) == 1, "is counted");
	flip(true);
	is("the next one has the name of then", name_of(METHOD_A), NEW);
	method(&image, METHOD_A, 0x1b80, "org/some/Klass", "run");
	flip(true);
	unloads++;
	is("classes that are unloaded after the end of the epoch", name_of(METHOD_A), "none");
	flip(true);
	is("make the next one unsure, too", name_of(METHOD_A), "none");
	flip(true);
	is("and not the one behind it", name_of(METHOD_A), RUN);
	flip(true);
	ok(!wp_jvmmethods_name(m, PID, word(METHOD_A), 1), "a sample from long before has none");

	begin();
	unloads_meanwhile = 1;
	is("classes that are unloaded while the name is read", name_of(METHOD_A), "none");
	flip(false);
	reuse();
	is("once more", name_of(METHOD_A), "none");

	begin();
	facts.unloads.since = now_ns + 1000;
	is("a number that is known too late", name_of(METHOD_A), "none");
	begin();
	facts.unloads = (struct wp_jvmunloads){ 0 };
	is("without the number", name_of(METHOD_A), "none");
	ok(unread(WP_JVMMETHODS_UNCOUNTED) == 1, "there is no name");
}

/* What an agent has redefined is freed, and another class has the memory. */
static void redefine(void)
{
	method(&image, METHOD_A, 0x1b80, "org/some/Third", "run");
	loads++;
}

static void test_redefined(void)
{
	begin();
	is("before any class is loaded", name_of(METHOD_A), RUN);
	loads++;
	flip(true);
	is("classes that are loaded free no method", name_of(METHOD_A), RUN);
	has_agent = true;
	flip(true);
	is("an epoch in which an agent comes that may redefine classes", name_of(METHOD_A), "none");
	flip(true);
	is("the next one", name_of(METHOD_A), RUN);
	redefine();
	flip(true);
	is("an epoch in which classes are redefined", name_of(METHOD_A), "none");
	ok(unread(WP_JVMMETHODS_REDEFINED) == 2, "is counted");
	flip(true);
	is("the next one has the name of then", name_of(METHOD_A), NEW);

	begin();
	has_agent = true;
	facts.unloads.nr = unloads + loads;
	facts.unloads.may_redefine = true;
	is("a process that has an agent from the beginning", name_of(METHOD_A), RUN);

	file = memfd_create("data", MFD_CLOEXEC);
	begin();
	has_agent = true;
	name_of(METHOD_A);
	flip(true);
	flip(true);
	is("a process with an agent", name_of(METHOD_A), RUN);
	set_file(5);
	flip(true);
	count_err = -ESRCH;
	program = 0;
	is("that has ended", name_of(METHOD_A), RUN);
	flip(true);
	loads++;
	set_file(5);
	is("without redefining a class until then", name_of(METHOD_A), "none");
	close(file);
	file = -1;
}

static void look_at(__u32 pid)
{
	const __u64 ips[] = { 0x401000, word(METHOD_A) };

	wp_jvmmethods_look(m, pid, ips, 2);
}

struct record {
	struct perf_event_header header;
	__u32 pid, ppid, tid, ptid;
};

static void send(__u32 type, __u16 misc, __u64 time)
{
	struct record r = {
		.header = { .type = type, .misc = misc, .size = sizeof(r) },
		.pid = PID, .tid = PID, .ppid = 1, .ptid = 1,
	};

	wp_jvmmethods_record(m, &r.header, time);
}

static void test_ends(void)
{
	const __u64 ips[] = { 0x401000, word(METHOD_A) };

	begin();
	is("a process that lives", name_of(METHOD_A), RUN);
	flip(true);
	program = 2;
	is("another program", name_of(METHOD_A), "none");
	program = 1;
	flip(true);
	count_err = -ESRCH;
	is("one that has ended", name_of(METHOD_A), "none");
	ok(unread(WP_JVMMETHODS_ENDED) == 2, "they are counted");
	count_err = 0;
	flip(true);
	send(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, now_ns + 1);
	is("an exec of an epoch that is not written", name_of(METHOD_A), "none");
	flip(true);
	now_ns += 10;
	flip(true);
	is("is forgotten behind it", name_of(METHOD_A), RUN);
	has_jvm = false;
	wp_jvmmethods_look(m, OTHER, ips, 2);
	ok(!wp_jvmmethods_name(m, OTHER, ips[1], now_ns) && unread(WP_JVMMETHODS_ENDED) == 4,
	   "a process of which nothing is known");

	begin();
	read_err = -ETIMEDOUT;
	is("memory that does not come", name_of(METHOD_A), "none");
	read_err = 0;
	is("is not waited for again", name_of(METHOD_B), "none");
	ok(unread(WP_JVMMETHODS_BLOCKED) == 2, "in that epoch");
	flip(true);
	is("but in the next one", name_of(METHOD_B), "Main$$Lambda$1/0x8.wait0");
}

/* The name in the stack of a sample at a time. */
static const char *name_at(__u64 time)
{
	return wp_jvmmethods_name(m, PID, word(METHOD_A), time) ?: "none";
}

/* Another program, or process, has the number of one that has names. */
static void test_another(void)
{
	begin();
	is("a process", name_of(METHOD_A), RUN);
	send(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, now_ns + 100);
	send(PERF_RECORD_EXIT, 0, now_ns + 300);
	is("that executes another program", name_at(now_ns + 50), RUN);
	is("which ends in the same epoch", name_at(now_ns + 200), "none");
	begin();
	is("a process", name_of(METHOD_A), RUN);
	send(PERF_RECORD_EXIT, 0, now_ns + 100);
	send(PERF_RECORD_FORK, 0, now_ns + 200);
	is("that ends", name_at(now_ns + 150), RUN);
	is("another one has its number", name_at(now_ns + 250), "none");
	send(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, now_ns + 300);
	send(PERF_RECORD_EXIT, 0, now_ns + 400);
	is("executes a program, and ends", name_at(now_ns + 250), "none");
	wp_jvmmethods_end_epoch(m, now_ns + 350);
	ok(!wp_jvmmethods_any(m), "the first one is forgotten when its samples are written");
}

static const char *live(void)
{
	struct wp_livename name;

	wp_jvmmethods_livename(m, PID, word(METHOD_A), &name);
	return name.java && !name.file == !strcmp(name.name, WP_JVMMETHODS_UNREAD) ?
	       name.name : "wrong";
}

/* Of a process that has ended, its file has the last number. */
static void test_last(void)
{
	file = memfd_create("data", MFD_CLOEXEC);
	begin();
	is("with a file", name_of(METHOD_A), RUN);
	set_file(5);
	flip(true);
	count_err = -ESRCH;
	program = 0;
	is("a process that has ended without unloading a class", name_of(METHOD_A), RUN);
	is("what was not known before", name_of(METHOD_B), "none");
	ok(unread(WP_JVMMETHODS_ENDED) == 1, "is not read any more");
	flip(true);
	set_file(6);
	is("one that did unload classes", name_of(METHOD_A), "none");

	begin();
	is("another one", name_of(METHOD_A), RUN);
	set_file(5);
	flip(true);
	/* The memory of another process. */
	reuse();
	unloads--;
	send(PERF_RECORD_EXIT, 0, now_ns + 100);
	is("before its end", name_of(METHOD_A), RUN);
	is("what was not known before then", name_of(METHOD_B), "none");
	now_ns += 200;
	is("threads that end later than the first one", name_of(METHOD_A), RUN);
	is("in a live view", live(), RUN);
	send(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, now_ns - 1);
	is("behind an exec", name_of(METHOD_A), "none");
	is("if it has executed another program", live(), WP_JVMMETHODS_UNREAD);

	begin();
	is("a third one", name_of(METHOD_A), RUN);
	flip(true);
	program_meanwhile = 2;
	is("executes another program while it is read", name_of(METHOD_B), "none");
	flip(true);
	send(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, now_ns + 100);
	is("it had names before", name_of(METHOD_A), RUN);
	is("what was read of the other program is none", name_of(METHOD_B), "none");
	close(file);
	file = -1;
}

static void test_limit(void)
{
	begin();
	wp_jvmmethods_free(m);
	m = wp_jvmmethods_new(NULL, 1);
	flip(true);
	is("with room for one method", name_of(METHOD_A), RUN);
	is("another one has no name", name_of(METHOD_B), "none");
	ok(unread(WP_JVMMETHODS_LIMIT) == 1, "which is counted");
}

/* A host where more processes execute programs than can have methods. */
static void test_execs(void)
{
	struct record r = {
		.header = { PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, sizeof(r) },
	};
	unsigned int i;

	begin();
	wp_jvmmethods_free(m);
	m = wp_jvmmethods_new(NULL, 1 << 20);
	has_jvm = false;
	flip(true);
	look_at(OTHER);
	for (i = 0; i < 10000; i++) {
		r.pid = r.tid = 100 + i;
		wp_jvmmethods_record(m, &r.header, now_ns + 10);
	}
	has_jvm = true;
	all_have = true;
	is("while others execute programs, there are names", name_of(METHOD_A), RUN);
	look_at(100);
	ok(!wp_jvmmethods_name(m, 100, word(METHOD_A), now_ns + 20) &&
	   unread(WP_JVMMETHODS_ENDED) == 1, "and none of a program that is another one now");
	for (; i < 100000; i++) {
		r.pid = r.tid = 100 + i;
		wp_jvmmethods_record(m, &r.header, now_ns + 30);
	}
	is("what had names has them", name_of(METHOD_A), RUN);
	look_at(50);
	ok(!wp_jvmmethods_name(m, 50, word(METHOD_A), now_ns + 20) &&
	   unread(WP_JVMMETHODS_ENDED) == 2, "of too many it is not known which they are");
	wp_jvmmethods_end_epoch(m, now_ns + 30);
	flip(true);
	look_at(50);
	ok(!!wp_jvmmethods_name(m, 50, word(METHOD_A), now_ns + 20),
	   "until the samples of then are written");
	all_have = false;
}

/* Every word behind the code is where a method has its constants. */
#define ALIAS(i)	(CODE_END + 8 * (size_t)(i))
#define STACKS		4096

static void test_stacks(void)
{
	unsigned int i, named = 0;

	begin();
	for (i = 0; ALIAS(i + 1) < SIZE; i++)
		put64(&image, ALIAS(i + 1), BASE + METHOD_A + 16);
	for (i = 0; i < STACKS; i++)
		named += !strcmp(name_of(ALIAS(i)), RUN);
	ok(named == STACKS, "names of many stacks are read: %u", named);
	is("of one more none", name_of(ALIAS(STACKS)), "none");
	ok(unread(WP_JVMMETHODS_LIMIT) == 1, "which is counted");
	is("as classes are counted after each; of others they are known", name_of(ALIAS(7)), RUN);
	flip(true);
	is("in the next epoch it has one", name_of(ALIAS(STACKS)), RUN);
}

static void look(void)
{
	look_at(PID);
}

static void test_live(void)
{
	unsigned int i;

	begin();
	is("a view that has not looked", live(), WP_JVMMETHODS_UNREAD);
	look();
	is("one that has", live(), RUN);
	wp_jvmmethods_turn(m);
	is("when the interval is shown", live(), RUN);
	reuse();
	flip(true);
	look();
	flip(true);
	look();
	wp_jvmmethods_turn(m);
	is("an interval in which it was unloaded", live(), WP_JVMMETHODS_UNREAD);
	flip(true);
	look();
	is("the same, when the next one has begun", live(), WP_JVMMETHODS_UNREAD);
	wp_jvmmethods_turn(m);
	is("the next one", live(), NEW);
	for (i = 0; i < 20; i++) {
		wp_jvmmethods_turn(m);
		flip(true);
	}
	ok(!wp_jvmmethods_any(m), "what nobody looks up is dropped");
	facts.unloads.nr = unloads;
	look();
	is("and read again", live(), NEW);
}

static void test_map(void)
{
	__u64 at, upto;

	begin();
	name_of(METHOD_A);
	upto = now_ns;
	wp_jvmmethods_end_epoch(m, upto);
	ok(wp_jvmmethods_map(m, PID, upto + 100, &at) && at == upto + 1,
	   "names are mapped when the epoch began");
	ok(!wp_jvmmethods_map(m, PID, upto + 200, &at), "once");
	send(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, upto + 300);
	ok(!wp_jvmmethods_map(m, PID, upto + 250, &at), "until the process executes a program");
	ok(wp_jvmmethods_map(m, PID, upto + 400, &at), "again for that");
	ok(!wp_jvmmethods_map(m, PID, upto + 500, &at), "once");
	wp_jvmmethods_unmap(m);
	ok(wp_jvmmethods_map(m, PID, upto + 600, &at), "and in another file");
	ok(!wp_jvmmethods_map(m, OTHER, upto + 600, &at), "not in a process without methods");
}

/* A user has so many methods that there is no room for more. */
static void test_users(void)
{
	const __u64 ips[] = { 0x401000, word(METHOD_A) };
	const size_t max = 200000;
	struct wp_jvmmethods_stats stats;
	unsigned int i, named = 0;

	begin();
	all_have = true;
	wp_jvmmethods_free(m);
	m = wp_jvmmethods_new(NULL, max);
	flip(true);
	for (i = 0; ALIAS(i + 1) < SIZE; i++)
		put64(&image, ALIAS(i + 1), BASE + METHOD_A + 16);
	for (i = 0; i < STACKS; i++)
		named += !strcmp(name_of(ALIAS(i)), RUN);
	wp_jvmmethods_stats(m, &stats);
	ok(named > 100 && named < STACKS && unread(WP_JVMMETHODS_LIMIT) == STACKS - named &&
	   stats.bytes < max, "the methods of a user find no more room: %u", named);
	wp_jvmmethods_look(m, OTHER, ips, 2);
	ok(!!wp_jvmmethods_name(m, OTHER, ips[1], now_ns), "those of another one do");
	send(PERF_RECORD_EXIT, 0, now_ns);
	wp_jvmmethods_end_epoch(m, now_ns);
	flip(true);
	is("when they are dropped, there is room again", name_of(ALIAS(STACKS)), RUN);
	all_have = false;
}

int main(void)
{
	test_names();
	test_unloaded();
	test_redefined();
	test_ends();
	test_another();
	test_last();
	test_limit();
	test_execs();
	test_stacks();
	test_live();
	test_map();
	test_users();
	wp_jvmmethods_free(m);
	return done();
}
