// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of how the memory of a process is read that may have a JVM: this process, which has
 * the counts of classes, and more mappings than are worth a look.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/symbols/livejvm.h"
#include "tap.h"

#define PAGE	4096
#define MANY	20000

static struct wp_livejvms *jvms;

/* One of the counts is in another block, or both are in one. */
static void test_counts(size_t between)
{
	__u8 *page = aligned_alloc(PAGE, 3 * PAGE);
	struct wp_jvmunloads u = {
		.at = (uintptr_t)page + 16, .loads = (uintptr_t)page + 16 + between,
		.redefines = (uintptr_t)page + 2 * PAGE + 7,
	};
	struct wp_jvmcounts c;

	if (!page)
		abort();
	memset(page, 0, 3 * PAGE);
	page[16] = 3;
	page[16 + between] = 9;
	ok(!wp_livejvm_unloads(jvms, getpid(), &u, &c) && c.unloads == 3 && c.loads == 9 &&
	   !c.may_redefine, "counts of classes, %zu bytes apart", between);
	page[2 * PAGE + 6] = 1;
	page[2 * PAGE + 8] = 1;
	ok(!wp_livejvm_unloads(jvms, getpid(), &u, &c) && !c.may_redefine,
	   "what is beside the byte of agents does not matter");
	page[2 * PAGE + 7] = 1;
	ok(!wp_livejvm_unloads(jvms, getpid(), &u, &c) && c.may_redefine,
	   "an agent may redefine classes");
	page[2 * PAGE + 7] = 0;
	u.known = true;
	u.may_redefine = true;
	ok(!wp_livejvm_unloads(jvms, getpid(), &u, &c) && c.may_redefine, "and may from then on");
	u.known = false;
	u.redefines = 0;
	ok(!wp_livejvm_unloads(jvms, getpid(), &u, &c) && c.may_redefine,
	   "one of a version that does not say so may");
	free(page);
}

static void test_absent(void)
{
	__u8 *page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			  0);
	struct wp_jvmunloads u = {
		.at = (uintptr_t)page, .loads = (uintptr_t)page + 8,
		.redefines = (uintptr_t)page + PAGE,
	};
	struct wp_jvmcounts c;

	if (page == MAP_FAILED)
		abort();
	ok(wp_livejvm_unloads(jvms, getpid(), &u, &c) == -ENODATA, "counts that are not present");
	page[0] = 1;
	ok(!wp_livejvm_unloads(jvms, getpid(), &u, &c) && !c.may_redefine,
	   "a byte of agents that was never written is 0");
	munmap(page, 2 * PAGE);
	ok(wp_livejvm_unloads(jvms, getpid(), &u, &c) == -ENODATA, "counts that are gone");
}

/* Returns what is left of @windows when a page is read that only its file has. */
static unsigned int left_of(const __u8 *page, unsigned int windows, int *err)
{
	struct wp_pybudget budget = { 100, 1 << 20 };
	struct wp_pymemory *memory = wp_livejvm_open(jvms, getpid(), &budget, windows);
	__u64 word = 0;

	*err = wp_pymemory_word(memory, (uintptr_t)page, &word);
	if (!*err && word != 0x6d6d6d6d6d6d6d6dULL)
		*err = -EIO;
	return wp_livejvm_close(jvms);
}

static void test_mappings(void)
{
	char path[] = "/tmp/livejvm-XXXXXX";
	static __u8 data[PAGE];
	unsigned int before, with, least;
	int fd, err, i;
	__u8 *page, *many;

	memset(data, 'm', sizeof(data));
	fd = mkstemp(path);
	if (fd < 0 || write(fd, data, sizeof(data)) != sizeof(data))
		abort();
	page = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
	many = mmap(NULL, (size_t)MANY * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED || many == MAP_FAILED)
		abort();
	before = 1000 - left_of(page, 1000, &err);
	ok(!err && before >= 2 && before < 10, "the list of mappings counts, too: %u", before);
	left_of(page, 1, &err);
	ok(err == -ENODATA, "without it, a page of a file is not there");
	for (i = 0; i < MANY; i += 2)
		mprotect(many + (size_t)i * PAGE, PAGE, PROT_WRITE);
	with = 1000 - left_of(page, 1000, &err);
	/* Each line has 40 bytes at least. */
	least = MANY * 40 / 65536;
	ok(!err && with >= before + least - 2, "%d mappings count more: %u", MANY, with);
	ok(!left_of(page, 2, &err), "they take all that is left");
	munmap(many, (size_t)MANY * PAGE);
	munmap(page, PAGE);
	close(fd);
	unlink(path);
}

int main(void)
{
	jvms = wp_livejvm_new();
	if (!jvms)
		abort();
	test_counts(16);
	test_counts(PAGE);
	test_absent();
	test_mappings();
	wp_livejvm_free(jvms);
	return done();
}
