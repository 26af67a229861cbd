// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the format of jitdump files, jit-PID.dump, in which a JIT compiler records the code
 * that it makes: tools/perf/Documentation/jitdump-specification.txt of the kernel. Called
 * by jobnames.c, in a process without rights, as the file is a target's; jitmaps.c stores
 * the result in the same format, without the code itself.
 *
 * The file grows while it is read: its size is read once, and a record that is not
 * complete ends it. The instructions are skipped, not read.
 */
#include <byteswap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/elf/elfnames.h"
#include "lib/elf/jitdump.h"
#include "lib/elf/symtable.h"

#define MAGIC		0x4a695444U
#define VERSION		1

/* A flag of the header: times are those of a counter of the CPU. */
#define ARCH_TIMESTAMP	1ULL

enum record_id {
	CODE_LOAD,
	CODE_MOVE,
	DEBUG_INFO,
	CODE_CLOSE,
	UNWINDING_INFO,
};

struct file_header {
	__u32 magic;
	__u32 version;
	__u32 size;
	__u32 machine;
	__u32 unused;
	__u32 pid;
	__u64 time;
	__u64 flags;
};

struct record_header {
	__u32 id;
	__u32 size;
	__u64 time;
};

/* Its name and its instructions follow. */
struct code_load {
	struct record_header header;
	__u32 pid;
	__u32 tid;
	__u64 vma;
	__u64 address;
	__u64 size;
	__u64 index;
};

struct code_move {
	struct record_header header;
	__u32 pid;
	__u32 tid;
	__u64 vma;
	__u64 from;
	__u64 to;
	__u64 size;
	__u64 index;
};

/* Bytes that are read at once: at least the longest name. */
#define WINDOW		(64 << 10)

/*
 * struct window - part of the file
 * @fd: the file
 * @end: end of what is read of it
 * @at: where @data begins
 * @len: bytes of @data
 */
struct window {
	int fd;
	__u64 end;
	__u64 at;
	size_t len;
	char data[WINDOW];
};

/* Returns bytes of the file, valid until the next call; NULL: it ends before. */
static const void *bytes_at(struct window *w, __u64 at, size_t size)
{
	ssize_t n;

	if (at > w->end || size > w->end - at || size > WINDOW)
		return NULL;
	if (at < w->at || at - w->at > w->len || size > w->len - (at - w->at)) {
		n = pread(w->fd, w->data, WINDOW, at);
		w->at = at;
		w->len = n > 0 ? n : 0;
		if (size > w->len)
			return NULL;
	}
	return w->data + (at - w->at);
}

/**
 * wp_jitdump_is_name() - whether a mapped file can be the jitdump file of a process
 * @path: the file
 * @pid: the process, in its own pid namespace; 0: any
 *
 * Return: whether its name is jit-PID.dump.
 */
bool wp_jitdump_is_name(const char *path, __u32 pid)
{
	const char *slash = strrchr(path, '/'), *at = slash ? slash + 1 : path;
	char *end;
	unsigned long number;

	if (!slash || strncmp(at, "jit-", 4) || at[4] < '1' || at[4] > '9')
		return false;
	number = strtoul(at + 4, &end, 10);
	return (!strcmp(end, ".dump") || !strcmp(end, ".dump (deleted)")) &&
	       number <= 0x7fffffff && (!pid || pid == number);
}

static bool is_full(const struct wp_jitloads *l)
{
	return l->nr >= WP_JITDUMP_MAX || l->len >= WP_JITDUMP_NAMES;
}

static bool add(struct wp_jitloads *l, __u64 start, __u64 size, __u64 time, __u64 name)
{
	size_t room = l->room ? 2 * l->room : 256;
	struct wp_jitload *more;

	if (!size || start + size < start || is_full(l))
		return true;
	if (l->nr == l->room) {
		more = reallocarray(l->load, room, sizeof(*more));
		if (!more)
			return false;
		l->load = more;
		l->room = room;
	}
	l->load[l->nr++] = (struct wp_jitload){ start, start + size, time, name };
	return true;
}

/* Stores a name; its position, or WP_JITDUMP_NO_NAME without memory. */
static __u64 add_name(struct wp_jitloads *l, const char *name, size_t len)
{
	__u64 at = l->len;

	if (len + 1 > l->names_room - l->len) {
		size_t room = 2 * l->names_room + len + 4096;
		char *more = realloc(l->names, room);

		if (!more)
			return WP_JITDUMP_NO_NAME;
		l->names = more;
		l->names_room = room;
	}
	memcpy(l->names + at, name, len);
	l->names[at + len] = '\0';
	l->len += len + 1;
	return at;
}

/* Code without a name replaces what was there, too. */
static const char *add_load(struct wp_jitloads *l, struct window *w, __u64 at,
			    const struct record_header *h)
{
	size_t room = h->size - sizeof(struct code_load), len;
	__u64 name = WP_JITDUMP_NO_NAME;
	struct code_load load;
	const char *text;

	memcpy(&load, bytes_at(w, at, sizeof(load)), sizeof(load));
	if (room > WP_SYMTABLE_NAME)
		room = WP_SYMTABLE_NAME;
	text = bytes_at(w, at + sizeof(load), room);
	len = text ? strnlen(text, room) : 0;
	/* A longer name is truncated; one that the record cuts off is none. */
	if (len && (len < room || room == WP_SYMTABLE_NAME) && !is_full(l)) {
		name = add_name(l, text, len);
		if (name == WP_JITDUMP_NO_NAME)
			return WP_NO_MEMORY;
	}
	return add(l, load.address, load.size, h->time, name) ? NULL : WP_NO_MEMORY;
}

/* Code moves as often as there are records: its name is that of the last load there. */
static __u64 name_at(const struct wp_jitloads *l, __u64 start)
{
	size_t i;

	for (i = l->nr; i && l->nr - i < 65536; i--) {
		if (l->load[i - 1].start == start)
			return l->load[i - 1].name;
	}
	return WP_JITDUMP_NO_NAME;
}

static const char *add_move(struct wp_jitloads *l, struct window *w, __u64 at,
			    const struct record_header *h)
{
	struct code_move move;
	__u64 name;

	memcpy(&move, bytes_at(w, at, sizeof(move)), sizeof(move));
	name = name_at(l, move.from);
	return add(l, move.from, move.size, h->time, WP_JITDUMP_NO_NAME) &&
	       add(l, move.to, move.size, h->time, name) ? NULL : WP_NO_MEMORY;
}

/* Reads the records from a position on. */
static const char *read_records(struct wp_jitloads *l, struct window *w, __u64 at, bool timed)
{
	static const size_t least[] = {
		[CODE_LOAD] = sizeof(struct code_load), [CODE_MOVE] = sizeof(struct code_move),
	};
	const char *trouble = NULL;
	struct record_header h;
	const void *p;

	for (; !trouble && !is_full(l); at += h.size) {
		p = bytes_at(w, at, sizeof(h));
		if (!p)
			break;
		memcpy(&h, p, sizeof(h));
		if (h.size < sizeof(h) || (h.id <= CODE_MOVE && h.size < least[h.id])) {
			l->cut = true;
			break;
		}
		/* It is being written. */
		if (h.size > w->end - at || h.id == CODE_CLOSE ||
		    (h.id <= CODE_MOVE && !bytes_at(w, at, least[h.id])))
			break;
		if (!timed)
			h.time = 0;
		if (h.id == CODE_LOAD)
			trouble = add_load(l, w, at, &h);
		else if (h.id == CODE_MOVE)
			trouble = add_move(l, w, at, &h);
	}
	l->cut |= is_full(l);
	return trouble;
}

/**
 * wp_jitdump_read() - read a jitdump file
 * @l: all zero; filled in, to be freed with wp_jitdump_free()
 * @fd: the file
 *
 * Times of a counter of the CPU are no times of our clock: then all are 0.
 *
 * Return: NULL, or why it has no code: the end of a sentence.
 */
const char *wp_jitdump_read(struct wp_jitloads *l, int fd)
{
	struct window *w = malloc(sizeof(*w));
	const char *trouble = WP_JITDUMP_NO_DUMP;
	struct file_header h = { 0 };
	struct stat st;
	const void *p;

	if (!w)
		return WP_NO_MEMORY;
	*w = (struct window){ .fd = fd };
	if (!fstat(fd, &st) && st.st_size > 0)
		w->end = st.st_size;
	p = bytes_at(w, 0, sizeof(h));
	if (p)
		memcpy(&h, p, sizeof(h));
	if (h.magic == bswap_32(MAGIC))
		trouble = WP_JITDUMP_ORDER;
	else if (h.magic == MAGIC && (h.version != VERSION || h.size < sizeof(h)))
		trouble = WP_JITDUMP_VERSION;
	else if (h.magic == MAGIC)
		trouble = read_records(l, w, h.size, !(h.flags & ARCH_TIMESTAMP));
	free(w);
	return trouble || l->nr ? trouble : WP_JITDUMP_EMPTY;
}

/**
 * wp_jitdump_add() - add code that was found in another way
 * @l: the loads
 * @start: its first address
 * @end: its end, exclusive
 * @time: since when it is there, ns of CLOCK_MONOTONIC
 * @name: its name; NULL: what is there has no name from then on
 *
 * Return: false: there is no room, or no memory; then all later code is missing.
 */
bool wp_jitdump_add(struct wp_jitloads *l, __u64 start, __u64 end, __u64 time, const char *name)
{
	size_t len = name ? strlen(name) : 0;
	__u64 at = WP_JITDUMP_NO_NAME;

	l->cut |= is_full(l);
	if (!l->cut && len) {
		at = add_name(l, name, len < WP_SYMTABLE_NAME ? len : WP_SYMTABLE_NAME);
		l->cut = at == WP_JITDUMP_NO_NAME;
	}
	l->cut |= !l->cut && !add(l, start, end - start, time, at);
	return !l->cut;
}

/**
 * wp_jitdump_are_valid() - whether loads are as wp_jitdump_read() would have made them
 * @l: the loads
 *
 * Return: whether they are.
 */
bool wp_jitdump_are_valid(const struct wp_jitloads *l)
{
	size_t i;

	for (i = 0; i < l->nr; i++) {
		const struct wp_jitload *o = &l->load[i];

		if (o->end <= o->start || (o->name >= l->len && o->name != WP_JITDUMP_NO_NAME))
			return false;
	}
	return !l->len || !l->names[l->len - 1];
}

/**
 * wp_jitdump_pack() - write loads in the same format, without instructions
 * @l: the loads
 * @max: maximum size; the oldest are left out
 * @size: set to the size
 *
 * Return: the file, to be freed; NULL if there is no memory.
 */
char *wp_jitdump_pack(const struct wp_jitloads *l, size_t max, size_t *size)
{
	struct file_header h = { .magic = MAGIC, .version = VERSION, .size = sizeof(h) };
	static const struct record_header damaged;
	size_t first = l->nr, bytes = sizeof(h) + sizeof(damaged), one, i;
	char *text = NULL;
	FILE *f;

	for (i = l->nr; i; i--, first--) {
		const __u64 name = l->load[i - 1].name;

		one = sizeof(struct code_load) + 1;
		if (name != WP_JITDUMP_NO_NAME)
			one += strlen(l->names + name);
		if (one > max - bytes)
			break;
		bytes += one;
	}
	f = open_memstream(&text, size);
	if (f)
		fwrite(&h, sizeof(h), 1, f);
	for (i = first; f && i < l->nr; i++) {
		const struct wp_jitload *o = &l->load[i];
		const char *name = o->name == WP_JITDUMP_NO_NAME ? "" : l->names + o->name;
		const struct code_load load = {
			.header = { CODE_LOAD, sizeof(load) + strlen(name) + 1, o->time },
			.address = o->start, .size = o->end - o->start,
		};

		fwrite(&load, sizeof(load), 1, f);
		fwrite(name, strlen(name) + 1, 1, f);
	}
	/* What is missing at the end, is missing there, too. */
	if (f && l->cut)
		fwrite(&damaged, sizeof(damaged), 1, f);
	if (f && !fclose(f))
		return text;
	free(text);
	return NULL;
}

/**
 * wp_jitdump_free() - free loads
 * @l: the loads; empty afterwards
 */
void wp_jitdump_free(struct wp_jitloads *l)
{
	free(l->load);
	free(l->names);
	memset(l, 0, sizeof(*l));
}
