// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of opening the file that a process shares at an address: this one does.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/symbols/mapplace.h"
#include "tap.h"

#define PAGE	4096

static char path[] = "mapplace.XXXXXX";

static int find(const char *at, __u64 *offset)
{
	return wp_mapplace_find(getpid(), (__u64)(uintptr_t)at, offset);
}

int main(void)
{
	int made = mkstemp(path), fd;
	char *shared, *own, found[8] = "";
	__u64 offset = 0;

	if (made < 0 || ftruncate(made, 4 * PAGE))
		abort();
	shared = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, made, PAGE);
	own = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, made, PAGE);
	if (shared == MAP_FAILED || own == MAP_FAILED)
		abort();
	strcpy(shared + PAGE + 40, "number");
	fd = find(shared + PAGE + 40, &offset);
	unlink(path);
	munmap(shared, 2 * PAGE);
	ok(fd >= 0 && offset == 2 * PAGE + 40, "the file of a shared mapping: %llu",
	   (unsigned long long)offset);
	ok(fd >= 0 && pread(fd, found, 7, offset) == 7 && !strcmp(found, "number"),
	   "it has what was there, when the memory is gone, and its name");
	close(fd);
	ok(find(own, &offset) == -1, "a private one has none");
	ok(find(shared, &offset) == -1, "nor a place where nothing is mapped");
	close(made);
	return done();
}
