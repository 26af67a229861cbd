// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of jitdump files (userspace/lib/elf/jitdump.c) and of the lookup of code by
 * address and time (userspace/lib/symbols/jitcodes.c). Each name that is found belongs to
 * a load at that address, which no later one has overwritten; what a recording stores of a
 * file gives the same names.
 *
 * The first byte is the mode: a whole file; the records behind a good header; or small
 * loads and moves, of 6 bytes each, which often overlap.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/elf/jitdump.h"
#include "lib/symbols/jitcodes.h"

/* Lookups are checked against all of so many loads. */
#define CHECKED	64

static const struct {
	uint32_t magic, version, size, machine, pad, pid;
	uint64_t time, flags;
} header = { 0x4a695444, 1, 40, 62, 0, 1, 0, 0 };

struct record {
	uint32_t id, size;
	uint64_t time;
	uint32_t pid, tid;
	uint64_t vma, from, to, bytes, index;
};

static void put(int fd, const void *data, size_t size)
{
	if (write(fd, data, size) != (ssize_t)size)
		abort();
}

static void put_small(int fd, const uint8_t *p)
{
	char name[2] = { "\0abc"[p[5] & 3], 0 };
	struct record r = {
		.id = p[0] & 1, .size = 64, .time = p[0] >> 1, .from = p[1] & 127, .to = p[2] & 127,
		.bytes = p[3] & 31, .index = p[4],
	};
	struct { uint32_t id, size; uint64_t time, pid, vma, address, bytes, index; } load = {
		0, 58, r.time, 1, 0, r.from, r.bytes, r.index,
	};

	if (r.id) {
		put(fd, &r, 64);
		return;
	}
	put(fd, &load, sizeof(load));
	put(fd, name, 2);
}

static int file_of(const uint8_t *data, size_t size)
{
	int fd = memfd_create("dump", MFD_CLOEXEC);
	uint8_t mode = size ? data[0] % 3 : 0;

	if (fd < 0)
		abort();
	if (size) {
		data++;
		size--;
	}
	if (mode)
		put(fd, &header, sizeof(header));
	if (mode < 2)
		put(fd, data, size);
	for (; mode == 2 && size >= 6; data += 6, size -= 6)
		put_small(fd, data);
	return fd;
}

/* A load that was found covers its address, and no later one overlaps it. */
static void check(const struct wp_jitloads *l, const struct wp_jitload *found, uint64_t address,
		  uint64_t time)
{
	size_t i;

	if (address < found->start || address >= found->end || time < found->time)
		abort();
	for (i = 0; i < l->nr; i++) {
		if (l->load[i].start < found->end && l->load[i].end > found->start &&
		    l->load[i].time > found->time && l->load[i].time <= time)
			abort();
	}
}

static void look(const struct wp_jitloads *l, struct wp_jitcodes *c, struct wp_jitcodes *stored)
{
	const char *name, *other;
	size_t i, k, a, b;

	for (i = 0; i < l->nr && i < CHECKED; i++) {
		for (k = 0; k < l->nr && k < CHECKED; k++) {
			a = wp_jitcodes_find(c, l->load[i].start, l->load[k].time);
			b = wp_jitcodes_find(stored, l->load[i].start, l->load[k].time);
			if (!a != !b)
				abort();
			if (!a)
				continue;
			check(l, wp_jitcodes_load(c, a, &name), l->load[i].start, l->load[k].time);
			wp_jitcodes_load(stored, b, &other);
			if (strcmp(name, other))
				abort();
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wp_jitloads l = { 0 }, copy, again = { 0 };
	struct wp_jitcodes *c, *stored;
	int fd = file_of(data, size);
	char *packed;
	size_t bytes;

	if (!wp_jitdump_read(&l, fd)) {
		if (!l.nr || !wp_jitdump_are_valid(&l))
			abort();
		packed = wp_jitdump_pack(&l, 1 << 24, &bytes);
		if (!packed || ftruncate(fd, 0) || pwrite(fd, packed, bytes, 0) != (ssize_t)bytes ||
		    wp_jitdump_read(&again, fd) || again.nr != l.nr ||
		    again.cut != l.cut)
			abort();
		free(packed);
		copy = l;
		c = wp_jitcodes_new(&copy);
		stored = wp_jitcodes_new(&again);
		look(&l, c, stored);
		wp_jitcodes_free(c);
		wp_jitcodes_free(stored);
		l.names = NULL;
	}
	wp_jitdump_free(&l);
	wp_jitdump_free(&again);
	close(fd);
	return 0;
}
