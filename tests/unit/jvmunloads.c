// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the search for the numbers of classes that a JVM has unloaded and loaded, in
 * performance data made by hand.
 */
#include <errno.h>
#include <string.h>

#include "lib/interp/jvmunloads.h"
#include "tap.h"

#define BASE	0x10000ULL
#define DATA	0x100		/* behind the variable */
#define FIRST	(DATA + 36)	/* entry, of loaded classes */
#define NAME	"java.cls.unloadedClasses"
#define LOADED	"java.cls.loadedClasses"

/* Where the value of an entry is: see entry(). */
#define VALUE(name)	((20 + sizeof(name) + 7) / 8 * 8 + 4)

static __u8 image[0x4000];
static struct wp_pybudget budget;
static struct wp_pymemory memory;
static const struct wp_jvmlayout layout = { .perf_data = BASE, .redefines = 0x4321 };

static int read_block(void *ctx, __u64 address, void *to)
{
	(void)ctx;
	if (address < BASE || address - BASE >= sizeof(image))
		return -ENODATA;
	memcpy(to, image + (address - BASE), WP_PYMEMORY_BLOCK);
	return 0;
}

static void put(size_t at, __u64 value, size_t bytes)
{
	memcpy(image + at, &value, bytes);
}

/* An entry: its length, and where its name and its value are. Returns where the next one is. */
static size_t entry(size_t at, const char *name, char type, __u32 elements)
{
	size_t value = (20 + strlen(name) + 1 + 7) / 8 * 8 + 4, bytes = value + 12;

	put(at, bytes, 4);
	put(at + 4, 20, 4);
	put(at + 8, elements, 4);
	image[at + 12] = type;
	put(at + 16, value, 4);
	strcpy((char *)image + at + 20, name);
	return at + bytes;
}

/* Where the value of the entry is. Entries begin at 4 beyond a multiple of 8. */
static size_t make(void)
{
	size_t at = FIRST, last;

	memset(image, 0, sizeof(image));
	put(0, BASE + DATA, 8);
	put(DATA, 0xc0c0feca, 4);
	image[DATA + 4] = 1;
	image[DATA + 5] = 2;
	put(DATA + 24, 36, 4);
	put(DATA + 28, 4, 4);
	at = entry(at, LOADED, 'J', 0);
	at = entry(at, "java.cls.unloadedClassesOfAll", 'J', 0);
	at = entry(at, NAME "s", 'B', 8);
	last = at;
	entry(at, NAME, 'J', 0);
	return last + VALUE(NAME);
}

static struct wp_jvmunloads found;

static int find_by(const struct wp_jvmlayout *by)
{
	budget = (struct wp_pybudget){ 1000, 1 << 20 };
	memory.read = read_block;
	memory.budget = &budget;
	memset(&found, 0, sizeof(found));
	wp_pymemory_forget(&memory);
	return wp_jvmunloads_find(&memory, by, &found);
}

static int find(void)
{
	return find_by(&layout);
}

static void forged(void)
{
	size_t first = FIRST;

	make();
	put(0, 0, 8);
	ok(find() == -ENOENT, "a JVM without performance data");
	make();
	put(0, 0xffff0000, 8);
	ok(find() == -ENODATA, "or with one that is not there");
	make();
	image[DATA] = 0;
	ok(find() == -EBADMSG, "something else");
	make();
	image[DATA + 5] = 1;
	ok(find() == -EBADMSG, "another version");
	make();
	put(DATA + 28, 3, 4);
	ok(find() == -ENOENT, "as long as there is no such number");
	make();
	put(first, 0, 4);
	ok(find() == -EBADMSG, "an entry without an end");
	make();
	put(first, 0xfffffff0, 4);
	ok(find() == -EBADMSG, "one that is too long");
	make();
	put(first + 4, 0xfffffff0, 4);
	ok(find() == -ENOENT && !found.at, "a name outside of its entry is none");
	make();
	put(first + 16, 0xfffffff8, 4);
	ok(find() == -EBADMSG && !found.at, "a number outside of its entry");
	make();
	put(first + 16, VALUE(LOADED) + 1, 4);
	ok(find() == -EBADMSG, "a number across words");
	make();
	put(DATA + 28, 0xffffffff, 4);
	ok(!find(), "a wrong number of entries");
	memset(image + DATA + 36, 'x', sizeof(image) - DATA - 36);
	entry(first, "java.cls.loadedClasses", 'J', 0);
	ok(find() == -EBADMSG, "entries that are none");
}

static void note(struct wp_jvmunloads *u, __u64 unloads, __u64 loads, bool may, __u64 time)
{
	const struct wp_jvmcounts counts = { unloads, loads, may };

	wp_jvmunloads_note(u, &counts, time);
}

static void notes(void)
{
	struct wp_jvmunloads u = { 0 };

	note(&u, 3, 7, false, 10);
	note(&u, 3, 8, false, 20);
	ok(u.known && u.nr == 3 && u.since == 10, "a number that stays is that since the first time");
	note(&u, 4, 8, false, 30);
	ok(u.nr == 4 && u.since == 30, "another one since it was seen");
	note(&u, 3, 8, false, 40);
	ok(u.nr == 3 && u.since == 40, "also if it comes back");
	note(&u, 3, 8, true, 50);
	ok(u.since == 50, "an agent that may redefine classes counts since it was seen");
	note(&u, 3, 8, true, 60);
	ok(u.since == 50, "then it stays if both numbers do");
	note(&u, 3, 9, true, 70);
	ok(u.since == 70, "and not if a class was loaded");
	note(&u, 4, 9, true, 80);
	ok(u.since == 80, "or unloaded");
	note(&u, 13, 0, false, 90);
	ok(u.since == 90, "no other sum is taken for it");
}

int main(void)
{
	const struct wp_jvmlayout none = { 0 };
	size_t value = make();

	ok(!find() && found.at == BASE + value, "the number is found: %#llx, %#llx",
	   (unsigned long long)found.at, (unsigned long long)(BASE + value));
	ok(found.loads == BASE + FIRST + VALUE(LOADED), "and that of loaded classes: %#llx",
	   (unsigned long long)found.loads);
	ok(found.redefines == layout.redefines && !found.known, "what else is read is known");
	ok(find_by(&none) == -ENOTSUP, "a version that does not list it");
	forged();
	notes();
	return done();
}
