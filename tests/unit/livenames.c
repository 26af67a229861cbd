// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the names of what runs: of this program's functions and variables, of what is mapped
 * nowhere, of memory without a file, of processes that are gone, and of kernel stacks as /proc
 * shows them.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/proc/procmaps.h"
#include "lib/proc/procstack.h"
#include "lib/symbols/livenames.h"
#include "tap.h"

__attribute__((noinline)) void known_function(void)
{
	__asm__ volatile("nop; nop");
}

/* Of zeroes, which the file does not hold, and of others. */
char zeroes[16];
int filled = 1;

static bool named(const struct wp_livename *name, const char *function, const char *file)
{
	return name->name && !strcmp(name->name, function) && name->file &&
	       !strcmp(name->file, file);
}

static void test_functions(struct wp_livenames *n)
{
	__u64 start = 0, end = 0;

	ok(wp_livenames_function(n, getpid(), "livenames", "known_function", &start, &end) &&
	   start == (uintptr_t)known_function && end > start && end < start + 64,
	   "where a function of ours is");
	ok(!wp_livenames_function(n, getpid(), "livenames", "no_function", &start, &end) &&
	   !wp_livenames_function(n, getpid(), "no file", "known_function", &start, &end) &&
	   !wp_livenames_function(n, 0x7fffffff, "livenames", "known_function", &start, &end),
	   "another one, file or process is not found");
}

static void test_names(struct wp_livenames *n)
{
	__u64 at = (uintptr_t)known_function;
	struct wp_livename name, gone;
	char text[128];

	ok(!wp_livenames_user(n, getpid(), at, false, &name) &&
	   named(&name, "known_function", "livenames"), "a function of ours");
	ok(name.offset < at, "by its offset in the file");
	ok(!wp_livenames_user(n, getpid(), at, true, &name) && name.file &&
	   !named(&name, "known_function", "livenames"),
	   "the address that a call before it returns to is not in it");
	ok(!wp_livenames_user(n, getpid(), at + 1, true, &name) &&
	   named(&name, "known_function", "livenames"), "one behind its first byte is");
	ok(!wp_livenames_user(n, getpid(), 16, false, &name) && !name.name && !name.file &&
	   name.offset == 16, "what is not mapped: the address");
	ok(!wp_livenames_user(n, getpid(), ~0ULL, true, &name) && !name.file &&
	   !wp_livenames_user(n, getpid(), 0, true, &name) && !name.file,
	   "the first and the last address");
	ok(!wp_livenames_user(n, 0x7fffffff, at, false, &gone) && !gone.file &&
	   !wp_livenames_user(n, 0x7fffffff, at, false, &gone) && gone.offset == at,
	   "a process that is none: the address");
	ok(!wp_livenames_user(n, getppid(), at, false, &gone) && !gone.name &&
	   !wp_livenames_user(n, getpid(), at, false, &name) &&
	   named(&name, "known_function", "livenames"), "processes are distinguished");
	ok(wp_livenames_variable(n, getpid(), (uintptr_t)&zeroes[3], text, sizeof(text)) &&
	   !strcmp(text, "zeroes+0x3 (livenames)") &&
	   wp_livenames_variable(n, getpid(), (uintptr_t)&filled, text, sizeof(text)) &&
	   !strcmp(text, "filled (livenames)"), "variables, also those that the file does not hold");
	ok(!wp_livenames_variable(n, getpid(), at, text, sizeof(text)) &&
	   !wp_livenames_variable(n, getpid(), (uintptr_t)text, text, sizeof(text)) &&
	   !wp_livenames_variable(n, getpid(), 0, text, sizeof(text)) &&
	   !wp_livenames_variable(n, getpid(), ~0ULL, text, sizeof(text)) &&
	   !wp_livenames_variable(n, 0x7fffffff, (uintptr_t)&filled, text, sizeof(text)),
	   "no variable: a function, a stack, the first and the last address, no process");
	ok(!wp_livenames_kernel(n, 1, true, &name) && !name.name && name.offset == 1,
	   "the kernel has nothing at 1");
}

/* The other way round: variables by their names. */
static void test_symbols(struct wp_livenames *n)
{
	static const char *const names[] = { "zeroes", "filled", "no_such_variable" };
	__u64 address[3];
	const char *file;

	file = wp_livenames_symbols(n, getpid(), "live", names, 3, address);
	ok(file && !strcmp(file, "livenames") && address[0] == (uintptr_t)zeroes &&
	   address[1] == (uintptr_t)&filled && !address[2], "variables of a file of this name");
	ok(!wp_livenames_symbols(n, getpid(), "no such file", names, 3, address) &&
	   !wp_livenames_symbols(n, getpid(), "libc.so", names + 1, 2, address) &&
	   !wp_livenames_symbols(n, getpid(), "live", names + 2, 1, address) &&
	   !wp_livenames_symbols(n, 0x7fffffff, "live", names, 3, address),
	   "no such file, variable or process");
}

/* What is known of processes goes and comes, and that of others stays. */
static void test_forget(struct wp_livenames *n)
{
	__u64 at = (uintptr_t)known_function;
	struct wp_livename name;
	unsigned int i, j, bad = 0;
	pid_t pid[3];

	/* They have what we have, at the same places. */
	for (i = 0; i < 3; i++) {
		pid[i] = fork();
		if (!pid[i])
			prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (!pid[i])
			pause();
	}
	wp_livenames_forget(n, 0x7ffffffe);
	for (i = 0; i < 100; i++) {
		wp_livenames_forget(n, pid[i % 3]);
		if (i % 7 == 0)
			wp_livenames_forget(n, getpid());
		for (j = i % 2; j < 3; j++)
			bad += wp_livenames_user(n, pid[j], at, false, &name) ||
			       !named(&name, "known_function", "livenames");
		bad += wp_livenames_user(n, getppid(), at, false, &name) ||
		       named(&name, "known_function", "livenames");
	}
	ok(!bad, "what is forgotten is read again, and others are not mixed up");
	for (i = 0; i < 3; i++) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
	}
}

static bool labelled(struct wp_livenames *n, const void *at, const char *wanted)
{
	char label[WP_LIVENAME_LABEL];
	struct wp_livename name;

	if (wp_livenames_user(n, getpid(), (uintptr_t)at, false, &name) || name.name)
		return false;
	wp_livename_label(&name, label, sizeof(label));
	return !strcmp(label, wanted) && (!name.file || name.offset == (uintptr_t)at);
}

/* Code of @fd, -1: of none. */
static char *code_in(int fd)
{
	char *at;

	if (fd >= 0 && ftruncate(fd, 4096))
		return NULL;
	at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS :
		  MAP_SHARED, fd, 0);
	return at == MAP_FAILED ? NULL : at;
}

/* Code in memory has the labels that reports have. */
static void test_memory(struct wp_livenames *n)
{
	const int prot = PROT_READ | PROT_WRITE | PROT_EXEC;
	int fd = memfd_create("jit", MFD_CLOEXEC);
	char path[64], *anon = code_in(-1), *jit = code_in(fd), *heap = sbrk(8192), *stack;
	struct wp_livename name = { .file = "libc.so.6", .offset = 0x85f16 };
	char label[WP_LIVENAME_LABEL];
	size_t size;
	FILE *list;

	wp_livename_label(&name, label, sizeof(label));
	ok(!strcmp(label, "libc.so.6+0x85f16"), "in a file: the offset");
	heap = (char *)(((uintptr_t)heap + 4095) & ~4095UL);
	/* The part of the stack that has its name begins below what the kernel put there. */
	stack = (char *)((uintptr_t)path & ~4095UL);
	size = (((uintptr_t)environ[0] | 4095) + 1) - (uintptr_t)stack;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	list = fopen(path, "we");
	if (!ok(anon && jit && list && !mprotect(heap, 4096, prot) &&
		!mprotect(stack, size, prot), "code in memory"))
		return;
	fprintf(list, "%lx 10 generated\n", (unsigned long)(uintptr_t)jit + 64);
	fclose(list);
	wp_livenames_forget(n, getpid());
	ok(labelled(n, anon, "[anon]") && labelled(n, heap, "[heap]") &&
	   labelled(n, stack, "[stack]"), "[anon], [heap], [stack]");
	ok(labelled(n, (void *)16, "[unmapped]"), "[unmapped]");
	ok(labelled(n, jit, "[memfd:jit]"), "[memfd:jit]");
	ok(!wp_livenames_user(n, getpid(), (uintptr_t)jit + 64, false, &name) &&
	   named(&name, "generated", "[memfd:jit]"), "the process's own list has its names");
	mprotect(stack, size, PROT_READ | PROT_WRITE);
	unlink(path);
}

/* Processes that are not looked up any more, as they have ended, do not stay. */
static void test_sweep(struct wp_livenames *n)
{
	struct wp_livename name;
	unsigned int i, nr = 0;
	size_t files;
	pid_t child;

	for (i = 0; i < 20; i++) {
		wp_livenames_user(n, getpid(), (uintptr_t)test_sweep, false, &name);
		wp_livenames_sweep(n);
	}
	ok(wp_livenames_processes(n) == 1, "one that is looked up stays, others do not");
	while (wp_livenames_processes(n) && nr++ < 100)
		wp_livenames_sweep(n);
	ok(nr > 1 && nr < 20, "without it, nor does that: %u sweeps", nr);
	ok(!wp_livenames_user(n, getpid(), (uintptr_t)test_sweep, false, &name) &&
	   name.name && !strcmp(name.name, "test_sweep"), "it is read again");
	files = wp_livenames_files(n);
	child = fork();
	if (!child) {
		pause();
		_exit(0);
	}
	wp_livenames_user(n, child, (uintptr_t)test_sweep, false, &name);
	ok(name.name && wp_livenames_files(n) == files && wp_livenames_processes(n) == 2,
	   "another process of the same files adds none: %zu, %zu before",
	   wp_livenames_files(n), files);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static void test_stacks(void)
{
	struct wp_procstack *s = wp_procstack_parse("[<0>] pipe_read+0x2a/0x3b0\n"
						    "[<0>] foo+0x1/0x2 [mod]\n[<0>] bar"), *t;
	char *many = malloc(400000);
	size_t i, len = 0;

	ok(s && s->nr == 3 && !strcmp(s->name[0], "pipe_read") && !strcmp(s->name[1], "foo") &&
	   !strcmp(s->name[2], "bar"), "names, also of modules, and a line without an end");
	t = wp_procstack_parse("[<ffffffff81000000>] pipe_read+0x2a/0x3b0\n[<0>] foo\n"
			       "[<0xffffffffffffffff>] 0xffffffffffffffff\n");
	ok(t && t->nr == 2, "an old kernel's last line is no function");
	ok(wp_procstack_compare(s, t) > 0 && wp_procstack_compare(t, s) < 0 &&
	   !wp_procstack_compare(s, s) && wp_procstack_compare(NULL, s) < 0 &&
	   !wp_procstack_compare(NULL, NULL), "their order");
	wp_procstack_free(s);
	wp_procstack_free(t);
	ok(!wp_procstack_parse("") && !wp_procstack_parse("\n\n[\n[<0>]\n[<0>] \n[<0>] +0x1\nx] y"),
	   "what has no names is no stack");
	for (i = 0; i < 10000; i++)
		len += sprintf(many + len, "[<0>] f%zu+0x0/0x0\n", i);
	s = wp_procstack_parse(many);
	ok(s && s->nr == 64 && !strcmp(s->name[63], "f63"), "more than the kernel shows is cut");
	wp_procstack_free(s);
	free(many);
	ok(!wp_procstack_read(0x7fffffff, 1), "a thread that is none has none");
}

/* Whether what was recorded of a process are all mappings that it has. */
static bool recorded_whole;

/* What was recorded of any process: the mappings of this one. @ctx: how often that was asked. */
static int each_of_ours(void *ctx, __u32 pid, wp_procmap_fn add, void *add_ctx, __u32 *parent,
			bool *whole)
{
	int dir = open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct wp_procmaps text = { 0 };
	int err = wp_procmaps_each(&text, dir, PROT_EXEC, add, add_ctx);

	*parent = 0;
	*whole = recorded_whole;
	*(unsigned int *)ctx += 1;
	wp_procmaps_free(&text);
	close(dir);
	return err;
}

/* A process that has ended, and one that its parent has not waited for: no memory is left. */
static void test_ended(struct wp_livenames *n)
{
	__u64 at = (uintptr_t)known_function;
	struct wp_livename name;
	unsigned int asked = 0;
	siginfo_t info;
	pid_t pid;

	wp_livenames_set_gone(n, each_of_ours, &asked);
	pid = fork();
	if (!pid)
		_exit(0);
	ok(!waitid(P_PID, pid, &info, WEXITED | WNOWAIT) &&
	   !wp_livenames_user(n, pid, at, false, &name) &&
	   named(&name, "known_function", "livenames") && asked == 1,
	   "one that nobody has waited for: the function");
	ok(waitpid(pid, NULL, 0) == pid && !wp_livenames_user(n, 0x7ffffffe, at, false, &name) &&
	   named(&name, "known_function", "livenames") && asked == 2, "one that is gone, too");
	wp_livenames_forget(n, getpid());
	ok(!wp_livenames_user(n, getpid(), at, false, &name) &&
	   named(&name, "known_function", "livenames") && asked == 2,
	   "one that has memory is read itself");
}

/* Has a file of another process's in the place of its mappings, whose reader waits. */
static bool lock_mappings(pid_t pid, const char *fifo)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	return !unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	       !mkfifo(fifo, 0600) && !mount(fifo, path, NULL, MS_BIND, NULL);
}

/* A process whose mappings are locked: it has a name if all that it mapped was recorded. */
static void test_locked(void)
{
	char dir[] = "/tmp/wallprof-livenames.XXXXXX", fifo[sizeof(dir) + 5];
	__u64 at = (uintptr_t)known_function;
	struct wp_livename name;
	struct wp_livenames *n;
	unsigned int asked = 0;
	pid_t pid;

	if (!ok(mkdtemp(dir) && !wp_livenames_new(&n, NULL), "another table"))
		return;
	sprintf(fifo, "%s/fifo", dir);
	wp_livenames_set_gone(n, each_of_ours, &asked);
	pid = fork();
	if (!pid) {
		pause();
		_exit(0);
	}
	if (geteuid()) {
		ok(true, "mappings that are locked # SKIP a mount needs root");
	} else if (ok(lock_mappings(pid, fifo), "mappings that are locked")) {
		recorded_whole = false;
		ok(!wp_livenames_user(n, pid, at, false, &name) && !name.name && asked == 1,
		   "... of which a part was recorded: no function");
		recorded_whole = true;
		ok(!wp_livenames_user(n, pid, at, false, &name) &&
		   named(&name, "known_function", "livenames") && asked == 2,
		   "... of which all were recorded: the function");
		ok(!wp_livenames_user(n, pid, at, false, &name) &&
		   named(&name, "known_function", "livenames") && asked == 2,
		   "... which is not asked again");
	}
	unlink(fifo);
	rmdir(dir);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	wp_livenames_free(n);
}

int main(void)
{
	struct wp_livenames *n;

	if (!ok(!wp_livenames_new(&n, NULL), "begin"))
		return done();
	test_functions(n);
	test_names(n);
	test_symbols(n);
	test_forget(n);
	test_sweep(n);
	test_memory(n);
	test_ended(n);
	wp_livenames_free(n);
	wp_livenames_free(NULL);
	test_stacks();
	test_locked();
	return done();
}
