// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of jitdump files: which code was at an address at a time, and files that are
 * damaged, of other machines, or made to mislead.
 */
#include <byteswap.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/elf/jitdump.h"
#include "lib/symbols/jitcodes.h"
#include "tap.h"

#define MAGIC	0x4a695444U

/* A file that is being made. */
static char file[1 << 16];
static size_t len;

static void put(const void *data, size_t size)
{
	memcpy(file + len, data, size);
	len += size;
}

static void put32(uint32_t v)
{
	put(&v, sizeof(v));
}

static void put64(uint64_t v)
{
	put(&v, sizeof(v));
}

static void begin(uint32_t magic, uint32_t version, uint64_t flags)
{
	len = 0;
	put32(magic);
	put32(version);
	put32(48);
	put32(62);
	put32(0);
	put32(1234);
	put64(0);
	put64(flags);
	/* A longer header than ours. */
	put64(0);
}

static void put_head(uint32_t id, uint32_t size, uint64_t time)
{
	put32(id);
	put32(size);
	put64(time);
}

/* Code of one byte repeated; a name that is not terminated if so wanted. */
static void load(uint64_t start, uint64_t size, uint64_t time, const char *name)
{
	size_t left = size < 64 ? size : 64;

	put_head(0, 56 + strlen(name) + 1 + left, time);
	put64(1234);
	put64(start);
	put64(start);
	put64(size);
	put64(0);
	put(name, strlen(name) + 1);
	memset(file + len, 'x', left);
	len += left;
}

static void move(uint64_t from, uint64_t to, uint64_t size, uint64_t time)
{
	put_head(1, 64, time);
	put64(1234);
	put64(to);
	put64(from);
	put64(to);
	put64(size);
	put64(0);
}

/* Records that are skipped: lines, unwind information, and of kinds to come. */
static void other(uint32_t id, size_t size)
{
	put_head(id, 16 + size, 0);
	memset(file + len, 0xff, size);
	len += size;
}

/* Reads the file; the code, or NULL with the reason. */
static struct wp_jitcodes *parse(const char **trouble)
{
	struct wp_jitloads l = { 0 };
	struct wp_jitcodes *c = NULL;
	int fd = memfd_create("dump", MFD_CLOEXEC);

	if (fd < 0 || write(fd, file, len) != (ssize_t)len)
		exit(1);
	*trouble = wp_jitdump_read(&l, fd);
	if (!*trouble && !wp_jitdump_are_valid(&l))
		exit(1);
	if (!*trouble)
		c = wp_jitcodes_new(&l);
	wp_jitdump_free(&l);
	close(fd);
	return c;
}

static struct wp_jitcodes *code;

static void read_file(void)
{
	const char *trouble;

	wp_jitcodes_free(code);
	code = parse(&trouble);
	ok(!!code, "it is read: %s", trouble ? trouble : "");
}

static const char *at(uint64_t address, uint64_t time)
{
	size_t nr = code ? wp_jitcodes_find(code, address, time) : 0;
	const char *name = "-";

	if (nr)
		wp_jitcodes_load(code, nr, &name);
	return name;
}

static void is(const char *got, const char *wanted, const char *what)
{
	if (!ok(!strcmp(got, wanted), "%s", what))
		printf("# %s, not %s\n", got, wanted);
}

static void times(void)
{
	begin(MAGIC, 1, 0);
	load(0x1000, 0x100, 10, "first");
	other(2, 40);
	other(4, 24);
	other(77, 8);
	load(0x2000, 0x100, 20, "other");
	load(0x1000, 0x100, 30, "second");
	load(0x10f0, 0x100, 40, "third");
	read_file();
	is(at(0x1080, 9), "-", "before its load there is nothing");
	is(at(0x1080, 10), "first", "then it is there");
	is(at(0x1080, 29), "first", "until it is replaced");
	is(at(0x1080, 30), "second", "then the next one is there");
	is(at(0x10ff, 39), "second", "up to its end");
	is(at(0x1100, 39), "-", "but not behind it");
	is(at(0x1080, 40), "-", "what is left of code that was overwritten in part is none");
	is(at(0x10f0, 40), "third", "in place of what overwrote it");
	is(at(0x2000, WP_JITCODES_LAST), "other", "what is there at the end");
	is(at(0x1080, WP_JITCODES_LAST), "-", "and what is not");
	begin(MAGIC, 1, 0);
	load(0x1000, 0x100, 30, "late");
	load(0x1000, 0x100, 10, "early");
	load(0x1000, 0x100, 10, "same");
	read_file();
	is(at(0x1000, 20), "same", "times that go back: of two at one time the last one counts");
	is(at(0x1000, 31), "late", "and the order is that of the times");
	begin(MAGIC, 1, 1);
	load(0x1000, 0x100, 30, "one");
	load(0x1000, 0x100, 20, "two");
	load(0x3000, 0x100, 25, "three");
	read_file();
	is(at(0x1000, 1), "two", "times of another clock: the last one in the file counts");
	is(at(0x3000, 1), "three", "at any time");
}

static void moves(void)
{
	begin(MAGIC, 1, 0);
	load(0x1000, 0x100, 10, "moved");
	move(0x1000, 0x5000, 0x100, 20);
	move(0x1000, 0x6000, 0x100, 30);
	load(0x7000, 0x100, 30, "");
	move(0x9000, 0x5000, 0x10, 40);
	read_file();
	is(at(0x1000, 19), "moved", "before a move it is here");
	is(at(0x1000, 20), "-", "and then no more");
	is(at(0x50ff, 20), "moved", "but there");
	is(at(0x6000, 30), "-", "a move of nothing has no name");
	is(at(0x7000, 30), "-", "nor has code without one");
	is(at(0x5000, 40), "-", "what is unknown replaces what was there, too");
}

/* Many, of all sizes, against a search through all. */
static void many(void)
{
	static struct { uint64_t start, end, time; } all[400];
	unsigned int seed = 1, wrong = 0, i, k, found = 0;
	char name[16], wanted[16];

	begin(MAGIC, 1, 0);
	for (i = 0; i < 400; i++) {
		all[i].start = 0x1000 + rand_r(&seed) % 2000;
		all[i].end = all[i].start + 1 + rand_r(&seed) % 100;
		all[i].time = 100 + i;
		snprintf(name, sizeof(name), "f%u", i);
		load(all[i].start, all[i].end - all[i].start, all[i].time, name);
	}
	read_file();
	for (i = 0; i < 20000; i++) {
		uint64_t address = 0xff0 + rand_r(&seed) % 2150, time = 95 + rand_r(&seed) % 410;
		int last = -1;

		/* The last one there, unless a later one has overwritten a part of it. */
		for (k = 0; k < 400 && all[k].time <= time; k++) {
			if (last >= 0 && all[k].start < all[last].end &&
			    all[last].start < all[k].end)
				last = -1;
			if (all[k].start <= address && address < all[k].end)
				last = k;
		}
		snprintf(wanted, sizeof(wanted), last < 0 ? "-" : "f%d", last);
		wrong += strcmp(at(address, time), wanted) != 0;
		found += last >= 0;
	}
	ok(!wrong && found > 1000, "the same as by a search: %u of %u differ", wrong, found);
}

static void refused(uint32_t magic, uint32_t version, const char *wanted, const char *what)
{
	const char *trouble;

	begin(magic, version, 0);
	load(0x1000, 0x100, 10, "first");
	wp_jitcodes_free(parse(&trouble));
	is(trouble ? trouble : "none", wanted, what);
}

static void damaged(void)
{
	const char *trouble;
	struct wp_jitcodes *c;
	size_t all, i, nr = 0;
	unsigned int seed = 1, k;

	refused(bswap_32(MAGIC), 1, WP_JITDUMP_ORDER, "the other byte order is refused");
	refused(MAGIC, 2, WP_JITDUMP_VERSION, "so is another version");
	refused(MAGIC + 1, 1, WP_JITDUMP_NO_DUMP, "and any other file");
	begin(MAGIC, 1, 0);
	parse(&trouble);
	is(trouble, WP_JITDUMP_EMPTY, "a file without code");
	begin(MAGIC, 1, 0);
	load(0xfffffffffffffff0, 0x100, 10, "wraps");
	load(0x1000, 0, 10, "empty");
	load(0x1000, 0x100, 10, "first");
	/* A name that its record cuts off. */
	load(0x2000, 4, 10, "cut");
	memcpy(file + len - 4 - 4, "cutt", 4);
	memcpy(file + len - 4, "tttt", 4);
	load(0x1000, 0x100, 20, "second");
	all = len;
	read_file();
	is(at(0xfffffffffffffff8, 10), "-", "a size that wraps around is skipped");
	is(at(0x1000, 10), "first", "an empty one, too");
	is(at(0x2000, 10), "-", "a name that does not end is none");
	/* As long as it grows. */
	len -= 40;
	read_file();
	is(at(0x1000, 20), "first", "a record that is being written is left out");
	len = all;
	put_head(0, 8, 30);
	load(0x5000, 0x100, 40, "behind");
	read_file();
	is(at(0x1000, 19), "first", "before a damaged place there is code");
	is(at(0x1000, 25), "-", "behind it nothing is known");
	for (i = 0; i < all; i++) {
		len = i;
		c = parse(&trouble);
		nr += !!c;
		wp_jitcodes_free(c);
	}
	ok(nr && nr < all, "of any size: %zu of %zu have code", nr, all);
	for (k = 0; k < 20000; k++) {
		begin(MAGIC, 1, 0);
		load(0x1000, 0x100, 10, "first");
		move(0x1000, 0x2000, 0x80, 20);
		load(0x1000, 0x100, 30, "second");
		for (i = 0; i < 3; i++)
			file[48 + rand_r(&seed) % (len - 48)] = rand_r(&seed);
		c = parse(&trouble);
		if (c)
			wp_jitcodes_find(c, 0x1000, 20);
		wp_jitcodes_free(c);
	}
	ok(true, "changed bytes");
}

/* What a recording stores. */
static void packed(void)
{
	struct wp_jitloads l = { 0 }, again = { 0 };
	int fd = memfd_create("dump", MFD_CLOEXEC);
	size_t size, i, same = 0;
	char *data;

	begin(MAGIC, 1, 0);
	for (i = 0; i < 100; i++)
		load(0x1000 + i * 16, 16, i, i % 10 ? "named" : "");
	if (fd < 0 || write(fd, file, len) != (ssize_t)len || wp_jitdump_read(&l, fd))
		exit(1);
	data = wp_jitdump_pack(&l, 1 << 20, &size);
	if (!data || ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size ||
	    wp_jitdump_read(&again, fd))
		exit(1);
	ok(size < len, "a recording stores less: %zu of %zu bytes", size, len);
	for (i = 0; i < l.nr && i < again.nr; i++)
		same += l.load[i].start == again.load[i].start && l.load[i].end == again.load[i].end &&
			l.load[i].time == again.load[i].time &&
			(l.load[i].name == WP_JITDUMP_NO_NAME) ==
			(again.load[i].name == WP_JITDUMP_NO_NAME);
	ok(same == 100 && again.nr == 100, "with the same code: %zu", same);
	free(data);
	data = wp_jitdump_pack(&l, 1000, &size);
	ok(data && size <= 1000 && size > 900, "at most so many bytes: %zu", size);
	wp_jitdump_free(&again);
	if (!data || ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size ||
	    wp_jitdump_read(&again, fd))
		exit(1);
	ok(again.load[again.nr - 1].time == 99 && !again.cut, "of the last loads");
	wp_jitdump_free(&again);
	free(data);
	l.cut = true;
	data = wp_jitdump_pack(&l, 1 << 20, &size);
	if (!data || ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size ||
	    wp_jitdump_read(&again, fd))
		exit(1);
	ok(again.nr == 100 && again.cut, "and that its end is missing");
	wp_jitdump_free(&again);
	wp_jitdump_free(&l);
	free(data);
	close(fd);
}

static void file_names(void)
{
	ok(wp_jitdump_is_name("/tmp/jit-12.dump", 12), "the name of a process's file");
	ok(wp_jitdump_is_name("/tmp/jit-12.dump (deleted)", 0), "one that was deleted");
	ok(!wp_jitdump_is_name("/tmp/jit-12.dump", 13), "that of another one's");
	ok(!wp_jitdump_is_name("/tmp/jit-12.dumps", 0) && !wp_jitdump_is_name("/jit-x.dump", 0) &&
	   !wp_jitdump_is_name("/jit--1.dump", 0) && !wp_jitdump_is_name("jit-12.dump", 0) &&
	   !wp_jitdump_is_name("/jit-99999999999999999999.dump", 0), "and of none");
}

int main(void)
{
	times();
	moves();
	many();
	damaged();
	packed();
	file_names();
	wp_jitcodes_free(code);
	return done();
}
