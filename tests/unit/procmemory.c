// SPDX-License-Identifier: GPL-2.0
/* Tests of reading memory of processes, of which some does not come. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

/* Memory that does not come: it went after it was looked at. */
static char blocking[4096] __attribute__((aligned(4096))) = "c";
static int answers[2];
static uid_t fake_user;

static ssize_t read_memory(pid_t pid, const struct iovec *to, unsigned long nr,
			   const struct iovec *from, unsigned long nr_from, unsigned long flags)
{
	char answer;

	if (from->iov_base == blocking) {
		read(answers[0], &answer, 1);
		errno = EFAULT;
		return -1;
	}
	return process_vm_readv(pid, to, nr, from, nr_from, flags);
}

/* The user of all processes that are read now. */
static uid_t read_user(int dir)
{
	return fake_user;
}

#define process_vm_readv read_memory
#define wp_procfile_user read_user
#include "lib/proc/procmemory.c"

#define BLOCK	WP_PROCMEMORY_BLOCK

static char to[BLOCK];

static int read_at(struct wp_procmemory *p, pid_t pid, const void *address)
{
	memset(to, 0, sizeof(to));
	return wp_procmemory_read(p, pid, (uintptr_t)address, to);
}

static bool is_present(const void *address)
{
	unsigned char in = 0;

	/* Of memory without a file, whether it was ever used. */
	return !mincore((void *)address, BLOCK, &in) && in & 1;
}

static void readable(struct wp_procmemory *p)
{
	char *memory = mmap(NULL, 2 * BLOCK, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pid_t child;

	memset(memory, 'a', BLOCK);
	ok(!read_at(p, getpid(), memory) && to[0] == 'a' && to[BLOCK - 1] == 'a',
	   "memory of a process");
	ok(read_at(p, getpid(), memory + BLOCK) == -ENODATA && !is_present(memory + BLOCK),
	   "memory that it never used stays so");
	mprotect(memory, BLOCK, PROT_NONE);
	ok(read_at(p, getpid(), memory) == -ENODATA, "memory that is not readable");
	munmap(memory, 2 * BLOCK);
	ok(read_at(p, getpid(), memory) == -ENODATA, "no memory");
	ok(read_at(p, getpid(), (void *)~(uintptr_t)(BLOCK - 1)) == -ENODATA,
	   "an address that no process has");
	child = fork();
	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
	ok(read_at(p, child, memory) == -ESRCH, "a process that has ended");
}

static void blocked(struct wp_procmemory *p)
{
	static char known[BLOCK] __attribute__((aligned(BLOCK))) = "b";
	unsigned int i;

	if (pipe(answers))
		abort();
	ok(read_at(p, getpid(), blocking) == -ETIMEDOUT, "memory that does not come");
	ok(!read_at(p, getpid(), known) && to[0] == 'b', "other memory is read all the same");
	for (i = 1; i < USER_LEFT; i++)
		read_at(p, getpid(), blocking);
	ok(read_at(p, getpid(), known) == -ETIMEDOUT, "not so often for a user");
	fake_user++;
	ok(!read_at(p, getpid(), known), "which does not matter for another one");
	for (; i < MAX_LEFT; i++) {
		fake_user = i / USER_LEFT;
		read_at(p, getpid(), blocking);
	}
	fake_user++;
	ok(read_at(p, getpid(), known) == -ETIMEDOUT, "nor so often for all: %u", p->nr_left);
	/* Memory comes: some of those that wait are let go. */
	for (i = 0; i < USER_LEFT; i++)
		ok(write(answers[1], "a", 1) == 1, "one comes");
	while (p->nr_left > MAX_LEFT - USER_LEFT)
		end_left(p);
	ok(!read_at(p, getpid(), known) && to[0] == 'b', "when some has come, more is read");
	/* The others wait until nobody is there any more. */
	wp_procmemory_free(p);
	close(answers[1]);
}

int main(void)
{
	struct wp_procmemory *p = wp_procmemory_new();

	readable(p);
	blocked(p);
	return done();
}
