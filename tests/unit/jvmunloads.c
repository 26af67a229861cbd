// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the search for the number of classes that a JVM has unloaded, in performance data
 * made by hand.
 */
#include <errno.h>
#include <string.h>

#include "lib/interp/jvmunloads.h"
#include "tap.h"

#define BASE	0x10000ULL
#define DATA	0x100		/* behind the variable */
#define NAME	"java.cls.unloadedClasses"

static __u8 image[0x4000];
static struct wp_pybudget budget;
static struct wp_pymemory memory;
static const struct wp_jvmlayout layout = { .perf_data = BASE };

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
	size_t at = DATA + 36, last;

	memset(image, 0, sizeof(image));
	put(0, BASE + DATA, 8);
	put(DATA, 0xc0c0feca, 4);
	image[DATA + 4] = 1;
	image[DATA + 5] = 2;
	put(DATA + 24, 36, 4);
	put(DATA + 28, 4, 4);
	at = entry(at, "java.cls.loadedClasses", 'J', 0);
	at = entry(at, "java.cls.unloadedClassesOfAll", 'J', 0);
	at = entry(at, NAME "s", 'B', 8);
	last = at;
	entry(at, NAME, 'J', 0);
	return last + 4 + (20 + sizeof(NAME) + 7) / 8 * 8;
}

static int find(__u64 *at)
{
	budget = (struct wp_pybudget){ 1000, 1 << 20 };
	memory.read = read_block;
	memory.budget = &budget;
	*at = 0;
	wp_pymemory_forget(&memory);
	return wp_jvmunloads_find(&memory, &layout, at);
}

static void forged(void)
{
	size_t first = DATA + 36;
	__u64 at;

	make();
	put(0, 0, 8);
	ok(find(&at) == -ENOENT, "a JVM without performance data");
	make();
	put(0, 0xffff0000, 8);
	ok(find(&at) == -ENODATA, "or with one that is not there");
	make();
	image[DATA] = 0;
	ok(find(&at) == -EBADMSG, "something else");
	make();
	image[DATA + 5] = 1;
	ok(find(&at) == -EBADMSG, "another version");
	make();
	put(DATA + 28, 3, 4);
	ok(find(&at) == -ENOENT, "as long as there is no such number");
	make();
	put(first, 0, 4);
	ok(find(&at) == -EBADMSG, "an entry without an end");
	make();
	put(first, 0xfffffff0, 4);
	ok(find(&at) == -EBADMSG, "one that is too long");
	make();
	put(first + 4, 0xfffffff0, 4);
	ok(!find(&at) && at, "a name outside of its entry is none");
	make();
	put(DATA + 28, 0xffffffff, 4);
	ok(!find(&at), "a wrong number of entries");
	memset(image + DATA + 36, 'x', sizeof(image) - DATA - 36);
	entry(first, "java.cls.loadedClasses", 'J', 0);
	ok(find(&at) == -EBADMSG, "entries that are none");
}

static void notes(void)
{
	struct wp_jvmunloads u = { 0 };

	wp_jvmunloads_note(&u, 3, 10);
	wp_jvmunloads_note(&u, 3, 20);
	ok(u.known && u.nr == 3 && u.since == 10, "a number that stays is that since the first time");
	wp_jvmunloads_note(&u, 4, 30);
	ok(u.nr == 4 && u.since == 30, "another one since it was seen");
	wp_jvmunloads_note(&u, 3, 40);
	ok(u.nr == 3 && u.since == 40, "also if it comes back");
}

int main(void)
{
	const struct wp_jvmlayout none = { 0 };
	size_t value = make();
	__u64 at;

	ok(!find(&at) && at == BASE + value, "the number is found: %#llx, %#llx",
	   (unsigned long long)at, (unsigned long long)(BASE + value));
	ok(wp_jvmunloads_find(&memory, &none, &at) == -ENOTSUP, "a version that does not list it");
	forged();
	notes();
	return done();
}
