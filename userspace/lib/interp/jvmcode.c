// SPDX-License-Identifier: GPL-2.0
/*
 * Lists the code that a HotSpot JVM has generated: its interpreter, its stubs and compiled
 * methods, with their names and frames, from the heaps of its code cache.
 *
 * The JVM goes on meanwhile, so what is read need not fit together. A block counts only if
 * the map of its heap has it, and its contents are plausible; the first that is not ends
 * its heap. A name counts only if its method was compiled under the same number, and
 * alive, before and after it was read: as long as compiled code is alive, its method is,
 * and so is the class that has its name.
 *
 * Pure: the caller reads. The process may have forged all of it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/interp/jvmcode.h"
#include "lib/interp/jvmname.h"

/* Limits: heaps; blocks of all; bytes of a heap; bytes of a frame. */
#define MAX_HEAPS	16
#define MAX_BLOCKS	(1 << 18)
#define MAX_CODES	(1 << 16)
#define MAX_HEAP	(2ULL << 30)
#define MAX_FRAME	(1 << 20)

/* Names that are read at one look: each takes some ten reads. */
#define MAX_NAMES	4096

/* What is read of a code blob. */
#define BLOB_BYTES	512

/* Instructions of a method that are searched for exits, and exits of a method. */
#define MAX_SEARCH	(64 << 10)
#define MAX_EXITS	64

/* States of compiled code: in use, or not entered any more, but maybe not left yet. */
#define MAX_ALIVE	2

/* Compiled code, and the interpreter, by the names that HotSpot gives them. */
#define NMETHOD		"nmethod"
#define NATIVE		"native nmethod"
#define INTERPRETER	"Interpreter"
#define STUBS		"StubRoutines"

/* Stubs that find a method and jump there. */
#define VTABLES		"vtable chunks"

/*
 * struct heap - a heap
 * @low: its first address
 * @high: its end
 * @map: its map of segments, a byte each: 0 where a block begins
 * @map_high: end of that
 * @shift: logarithm of the size of a segment
 */
struct heap {
	__u64 low;
	__u64 high;
	__u64 map;
	__u64 map_high;
	__u32 shift;
};

/*
 * struct look - a look at a process
 * @blocks: number of blocks so far
 * @known: addresses of names of blobs that were read last
 * @known_as: what they are: number of the name
 */
struct look {
	struct wp_pymemory *m;
	const struct wp_jvmlayout *l;
	const struct wp_jvmcodes *before;
	struct wp_intern *names;
	struct wp_jvmcodes *now;
	size_t blocks;
	__u64 known[64];
	__u32 known_as[64];
};

static __u64 word_at(const __u8 *blob, __u64 at)
{
	__u64 word;

	memcpy(&word, blob + at, sizeof(word));
	return word;
}

static __u32 half_at(const __u8 *blob, __u64 at)
{
	__u32 half;

	memcpy(&half, blob + at, sizeof(half));
	return half;
}

/* The number of a blob's name, whose text is at @address; 0: it has none. */
static int name_of_blob(struct look *k, __u64 address, __u32 *number)
{
	size_t i = address / sizeof(address) % 64;
	char name[128];
	int len;

	if (!address || k->known[i] == address) {
		*number = address ? k->known_as[i] : 0;
		return 0;
	}
	len = wp_jvmlayout_text(k->m, address, name, sizeof(name));
	if (len < 0)
		return len == -EDQUOT ? len : -EBADMSG;
	*number = len ? wp_intern(k->names, name, len + 1, NULL) : 0;
	if (len && !*number)
		return -ENOMEM;
	k->known[i] = address;
	k->known_as[i] = *number;
	return 0;
}

static bool is_name(const struct look *k, __u32 number, const char *name)
{
	size_t len;
	const char *text = number ? wp_intern_bytes(k->names, number, &len) : NULL;

	return text && !strcmp(text, name);
}

static bool is_stubs(const struct look *k, __u32 number)
{
	size_t len;

	return number && !strncmp(wp_intern_bytes(k->names, number, &len), STUBS, strlen(STUBS));
}

static bool is_alive(const struct look *k, const __u8 *blob)
{
	__s8 state = blob[k->l->nmethod_state];

	return state >= 0 && state <= MAX_ALIVE;
}

static int add_exit(struct wp_jvmcodes *c, __u32 pop, __u32 after)
{
	size_t room = c->exit_room ? 2 * c->exit_room : 1024;
	struct wp_jvmexit *more;

	if (c->nr_exits == c->exit_room) {
		more = reallocarray(c->exit, room, sizeof(*more));
		if (!more)
			return -ENOMEM;
		c->exit = more;
		c->exit_room = room;
	}
	c->exit[c->nr_exits++] = (struct wp_jvmexit){ pop, after };
	return 0;
}

/*
 * The length of "add $N, %rsp", which removes the rest of a frame; 0: it is something else.
 */
static size_t is_add(const __u8 *at, size_t left, __u32 bytes)
{
	__u32 half;

	if (left >= 4 && at[0] == 0x48 && at[1] == 0x83 && at[2] == 0xc4 && at[3] == bytes &&
	    bytes < 0x80)
		return 4;
	if (left < 7 || at[0] != 0x48 || at[1] != 0x81 || at[2] != 0xc4)
		return 0;
	memcpy(&half, at + 3, sizeof(half));
	return half == bytes ? 7 : 0;
}

/*
 * The length of what follows "pop %rbp", up to and including "ret": a look at whether the
 * JVM wants the thread to stop, "cmp 0xN(%r15), %rsp; ja"; 0: it is something else.
 */
static size_t is_return(const __u8 *at, size_t left)
{
	if (left >= 14 && at[0] == 0x49 && at[1] == 0x3b && at[2] == 0xa7 && at[7] == 0x0f &&
	    at[8] == 0x87 && at[13] == 0xc3)
		return 14;
	return left && at[0] == 0xc3;
}

/*
 * Searches instructions for places where a frame of @rest bytes, beside what the call and
 * "push %rbp" made, is removed.
 */
static int find_exits(struct wp_jvmcodes *c, struct wp_jvmcode *code, const __u8 *text,
		      size_t size, __u32 rest)
{
	size_t i, add, ret;
	int err = 0;

	for (i = code->complete; i < size && code->nr_exits < MAX_EXITS && !err; i++) {
		add = rest ? is_add(text + i, size - i, rest) : 0;
		if ((rest && !add) || i + add >= size || text[i + add] != 0x5d)
			continue;
		ret = is_return(text + i + add + 1, size - i - add - 1);
		if (!ret)
			continue;
		err = add_exit(c, i + add, i + add + 1 + ret);
		code->nr_exits += !err;
		i += add + ret;
	}
	return err;
}

/*
 * Finds "push %rbp", which "sub $N, %rsp" follows, where a frame of @rest bytes is made: these
 * are the last instructions before it is complete, and those before them move no sp.
 */
static void find_push(struct wp_jvmcode *code, const __u8 *text, size_t size, __u32 rest)
{
	const __u8 *end = text + code->complete;
	__u32 half;

	if (code->complete > size)
		return;
	if (code->complete >= 5 && end[-5] == 0x55 && end[-4] == 0x48 && end[-3] == 0x83 &&
	    end[-2] == 0xec && end[-1] == rest && rest < 0x80) {
		code->push = code->complete - 5;
	} else if (code->complete >= 8 && end[-8] == 0x55 && end[-7] == 0x48 &&
		   end[-6] == 0x81 && end[-5] == 0xec) {
		memcpy(&half, end - 4, sizeof(half));
		if (half == rest)
			code->push = code->complete - 8;
	}
}

static int search_exits(struct look *k, struct wp_jvmcode *code)
{
	size_t size = code->end - code->start;
	__u8 *text;
	int err;

	code->first_exit = k->now->nr_exits;
	code->nr_exits = 0;
	code->push = ~0U;
	if (code->frame < 16)
		return 0;
	if (size > MAX_SEARCH)
		size = MAX_SEARCH;
	text = malloc(size);
	if (!text)
		return -ENOMEM;
	err = wp_pymemory_read(k->m, code->start, text, size);
	if (!err)
		find_push(code, text, size, code->frame - 16);
	if (!err)
		err = find_exits(k->now, code, text, size, code->frame - 16);
	free(text);
	/* Without it, they have none. */
	return err == -EDQUOT || err == -ENOMEM ? err : 0;
}

/* Takes over what was read of code at an earlier look. */
static int take_over(struct look *k, struct wp_jvmcode *code, const struct wp_jvmcode *old)
{
	__u32 i;
	int err = 0;

	code->since = old->since;
	if (old->name)
		code->name = old->name;
	code->push = old->push;
	code->first_exit = k->now->nr_exits;
	code->nr_exits = old->nr_exits;
	for (i = 0; i < old->nr_exits && !err; i++) {
		const struct wp_jvmexit *e = &k->before->exit[old->first_exit + i];

		err = add_exit(k->now, e->pop, e->after);
	}
	return err;
}

static int add_code(struct look *k, struct wp_jvmcode *code)
{
	struct wp_jvmcodes *c = k->now;
	size_t room = c->room ? 2 * c->room : 1024;
	const struct wp_jvmcode *old = wp_jvmcode_find(k->before, code->start);
	struct wp_jvmcode *more;
	int err = 0;

	if (c->nr == MAX_CODES)
		return 0;
	if (c->nr == c->room) {
		more = reallocarray(c->code, room, sizeof(*more));
		if (!more)
			return -ENOMEM;
		c->code = more;
		c->room = room;
	}
	if (old && wp_jvmcode_is(old, code) &&
	    (code->method || !old->name || old->name == code->name))
		err = take_over(k, code, old);
	else if (code->method)
		err = search_exits(k, code);
	if (!err)
		c->code[c->nr++] = *code;
	return err;
}

/* How the caller is found. */
static void set_frame(struct wp_jvmcode *code, __s32 words, __s32 complete)
{
	__u64 size = code->end - code->start;

	/* Two words at least: the return address, and the caller's frame pointer. */
	if (words < 2 || words > MAX_FRAME / 8)
		return;
	/* Below 0: of a stub, which the JVM looks at where it calls only. */
	if (complete > 0 && (__u32)complete >= size)
		return;
	code->kind = WP_JVMKIND_FRAME;
	code->frame = words * 8;
	code->complete = complete > 0 ? complete : 0;
}

/* Adds the code of a block that is in use; -EBADMSG: it has none. */
static int add_blob(struct look *k, __u64 at, __u64 bytes)
{
	const struct wp_jvmlayout *l = k->l;
	struct wp_jvmcode code = { .push = ~0U };
	size_t size = bytes < BLOB_BYTES ? bytes : BLOB_BYTES;
	__u8 blob[BLOB_BYTES + 8] = { 0 };
	int err;

	err = wp_pymemory_read(k->m, at, blob, size);
	if (err)
		return err;
	code.blob = at;
	code.start = word_at(blob, l->blob_begin);
	code.end = word_at(blob, l->blob_end);
	if (code.start < at || code.end <= code.start || code.end > at + bytes)
		return -EBADMSG;
	err = name_of_blob(k, word_at(blob, l->blob_name), &code.name);
	if (err)
		return err;
	if (is_name(k, code.name, INTERPRETER))
		code.kind = WP_JVMKIND_INTERPRETER;
	else if (is_stubs(k, code.name))
		code.kind = WP_JVMKIND_STUBS;
	else if (is_name(k, code.name, VTABLES))
		code.kind = WP_JVMKIND_LEAF;
	else
		set_frame(&code, half_at(blob, l->blob_frame), half_at(blob, l->blob_complete));
	if (is_name(k, code.name, NMETHOD) || is_name(k, code.name, NATIVE)) {
		code.name = 0;
		code.method = word_at(blob, l->nmethod_method);
		code.id = half_at(blob, l->nmethod_id);
		if (!code.method || code.method % 8 || !is_alive(k, blob))
			return -EBADMSG;
	}
	return add_code(k, &code);
}

static int read_space(struct look *k, __u64 at, __u64 *low, __u64 *high)
{
	int err = wp_pymemory_word(k->m, at + k->l->space_low, low);

	if (!err)
		err = wp_pymemory_word(k->m, at + k->l->space_high, high);
	return err ?: *high < *low || *high - *low > MAX_HEAP ? -EBADMSG : 0;
}

static int read_heap(struct look *k, __u64 at, struct heap *heap)
{
	int err = read_space(k, at + k->l->heap_memory, &heap->low, &heap->high);

	if (!err)
		err = read_space(k, at + k->l->heap_segmap, &heap->map, &heap->map_high);
	if (!err)
		err = wp_pymemory_read(k->m, at + k->l->heap_shift, &heap->shift,
				       sizeof(heap->shift));
	return err ?: heap->shift < 5 || heap->shift > 16 ? -EBADMSG : 0;
}

/* Errors that end all, not only a heap. */
static bool is_fatal(int err)
{
	return err && err != -EBADMSG && err != -ENODATA;
}

/* Whether a block begins at a segment, by the map of its heap. */
static int has_block(struct look *k, const struct heap *heap, __u64 segment, bool *has)
{
	__u8 byte;
	int err = wp_pymemory_read(k->m, heap->map + segment, &byte, 1);

	/* The block before it may have been split since the map was read. */
	if (!err && byte) {
		wp_pymemory_forget(k->m);
		err = wp_pymemory_read(k->m, heap->map + segment, &byte, 1);
	}
	*has = !err && !byte;
	return err;
}

/* Adds the code of a heap, up to the first block that is none. */
static int walk_heap(struct look *k, const struct heap *heap)
{
	const struct wp_jvmlayout *l = k->l;
	__u8 head[WP_JVMLAYOUT_MAX + 8], used;
	__u64 at, bytes, segment, length;
	bool has;
	int err = 0;

	if (l->block_size > sizeof(head) - 8 || l->block_length > l->block_size - 8 ||
	    l->block_used >= l->block_size)
		return -EBADMSG;
	for (at = heap->low; heap->high - at > l->block_size; at += bytes) {
		segment = (at - heap->low) >> heap->shift;
		if (segment >= heap->map_high - heap->map)
			return 0;
		if (++k->blocks > MAX_BLOCKS)
			return -EDQUOT;
		err = has_block(k, heap, segment, &has);
		if (!err && has)
			err = wp_pymemory_read(k->m, at, head, l->block_size);
		if (err || !has)
			return err;
		length = word_at(head, l->block_length);
		used = head[l->block_used];
		if (!length || length > (heap->high - at) >> heap->shift)
			return 0;
		bytes = length << heap->shift;
		if (!used || bytes <= l->block_size)
			continue;
		err = add_blob(k, at + l->block_size, bytes - l->block_size);
		if (is_fatal(err))
			return err;
	}
	return 0;
}

static int by_address(const void *pa, const void *pb)
{
	const struct wp_jvmcode *a = pa, *b = pb;

	return a->start < b->start ? -1 : a->start > b->start;
}

/* Sorts the code; where pieces overlap, which only a forged cache has, the first counts. */
static void sort_codes(struct wp_jvmcodes *c)
{
	size_t i, nr = 0;

	if (c->nr)
		qsort(c->code, c->nr, sizeof(*c->code), by_address);
	for (i = 0; i < c->nr; i++) {
		if (!nr || c->code[i].start >= c->code[nr - 1].end)
			c->code[nr++] = c->code[i];
	}
	c->nr = nr;
}

static int by_method(const void *pa, const void *pb)
{
	const struct wp_jvmcode *a = *(struct wp_jvmcode *const *)pa;
	const struct wp_jvmcode *b = *(struct wp_jvmcode *const *)pb;

	return a->method < b->method ? -1 : a->method > b->method;
}

static int read_name(struct look *k, struct wp_jvmcode *code)
{
	char name[WP_JVMNAME_MAX];
	int err = wp_jvmname_read(k->m, k->l, code->method, name);

	if (err)
		return is_fatal(err) ? err : 0;
	code->name = wp_intern(k->names, name, strlen(name) + 1, NULL);
	code->was_read = code->name;
	return code->name ? 0 : -ENOMEM;
}

/*
 * Reads names as long as there is anything left to be read with. Methods of a class are near
 * each other, and so is what leads to their names.
 */
static int read_names(struct look *k)
{
	struct wp_jvmcode **code = calloc(k->now->nr + 1, sizeof(*code));
	size_t i, nr = 0;
	int err = 0;

	if (!code)
		return -ENOMEM;
	for (i = 0; i < k->now->nr && nr < MAX_NAMES; i++) {
		if (k->now->code[i].method && !k->now->code[i].name)
			code[nr++] = &k->now->code[i];
	}
	qsort(code, nr, sizeof(*code), by_method);
	for (i = 0; i < nr && !err; i++)
		err = read_name(k, code[i]);
	free(code);
	return err == -EDQUOT ? 0 : err;
}

/* Drops the names of code that is not as it was before they were read. */
static int check_names(struct look *k)
{
	const struct wp_jvmlayout *l = k->l;
	__u8 blob[BLOB_BYTES + 8] = { 0 };
	size_t i;
	int err;

	/* All is read again. */
	wp_pymemory_forget(k->m);
	for (i = 0; i < k->now->nr; i++) {
		struct wp_jvmcode *code = &k->now->code[i];

		if (!code->was_read)
			continue;
		err = wp_pymemory_read(k->m, code->blob, blob, code->start - code->blob <
				       BLOB_BYTES ? code->start - code->blob : BLOB_BYTES);
		if (is_fatal(err) && err != -EDQUOT)
			return err;
		if (err || word_at(blob, l->blob_begin) != code->start ||
		    word_at(blob, l->blob_end) != code->end ||
		    word_at(blob, l->nmethod_method) != code->method ||
		    half_at(blob, l->nmethod_id) != code->id || !is_alive(k, blob))
			code->name = 0;
	}
	for (i = 0; i < k->now->nr; i++)
		k->now->unnamed += k->now->code[i].method && !k->now->code[i].name;
	return 0;
}

static int read_heaps(struct look *k, struct heap heap[MAX_HEAPS], unsigned int *nr)
{
	__u64 array, data, at;
	__u32 i, len = 0;
	int err;

	err = wp_pymemory_word(k->m, k->l->heaps, &array);
	/* It is not set up yet. */
	if (!err && !array)
		err = -EAGAIN;
	if (!err)
		err = wp_pymemory_read(k->m, array + k->l->array_nr, &len, sizeof(len));
	if (!err)
		err = wp_pymemory_word(k->m, array + k->l->array_data, &data);
	if (!err && len > MAX_HEAPS)
		err = -EBADMSG;
	for (i = 0; i < len && !err; i++) {
		err = wp_pymemory_word(k->m, data + i * sizeof(at), &at);
		if (!err)
			err = read_heap(k, at, &heap[i]);
	}
	*nr = i;
	return err;
}

/**
 * wp_jvmcode_look() - list the generated code of a process
 * @m: its memory
 * @layout: of its JVM
 * @before: the result of the last look, or all zero: what has not changed is not read again
 * @names: names, by number; of one process
 * @now: all zero; filled in, to be freed with wp_jvmcode_free() in any case
 *
 * What may be read (@m) may not suffice for all names: then a later look reads more.
 *
 * Return: 0; -EAGAIN: there is none yet; -EBADMSG: no code cache is there; -EDQUOT: it is
 * too large; -ENOMEM; or as wp_pymemory_read().
 */
int wp_jvmcode_look(struct wp_pymemory *m, const struct wp_jvmlayout *layout,
		    const struct wp_jvmcodes *before, struct wp_intern *names,
		    struct wp_jvmcodes *now)
{
	struct look k = { .m = m, .l = layout, .before = before, .names = names, .now = now };
	struct heap heap[MAX_HEAPS];
	unsigned int nr, i;
	int err;

	/* What is taken of a blob is in what is read of it. */
	if (layout->blob_name > BLOB_BYTES || layout->blob_complete > BLOB_BYTES ||
	    layout->blob_frame > BLOB_BYTES || layout->blob_begin > BLOB_BYTES ||
	    layout->blob_end > BLOB_BYTES || layout->nmethod_method > BLOB_BYTES ||
	    layout->nmethod_id > BLOB_BYTES || layout->nmethod_state > BLOB_BYTES)
		return -EBADMSG;
	err = read_heaps(&k, heap, &nr);
	for (i = 0; i < nr && !err; i++) {
		err = walk_heap(&k, &heap[i]);
		if (!is_fatal(err))
			err = 0;
	}
	if (!err && wp_pymemory_word(m, layout->call_stub, &now->call_stub))
		now->call_stub = 0;
	if (!err) {
		sort_codes(now);
		err = read_names(&k);
	}
	return err ?: check_names(&k);
}

/**
 * wp_jvmcode_find() - find the code at an address
 * @codes: the code
 * @address: the address
 *
 * Return: the code, or NULL: there is none.
 */
const struct wp_jvmcode *wp_jvmcode_find(const struct wp_jvmcodes *codes, __u64 address)
{
	size_t low = 0, high = codes->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct wp_jvmcode *code = &codes->code[middle];

		if (address < code->start)
			high = middle;
		else if (address >= code->end)
			low = middle + 1;
		else
			return code;
	}
	return NULL;
}

/**
 * wp_jvmcode_is() - whether code of two looks is the same
 * @a: code
 * @b: code
 *
 * Return: false if it was made anew in between.
 */
bool wp_jvmcode_is(const struct wp_jvmcode *a, const struct wp_jvmcode *b)
{
	return a->start == b->start && a->end == b->end && a->blob == b->blob && a->id == b->id &&
	       a->method == b->method && a->kind == b->kind && a->frame == b->frame &&
	       a->complete == b->complete;
}

/**
 * wp_jvmcode_forget_names() - have the next look read all names again
 * @codes: the code
 *
 * It stays known as code, so that what is removed until then is noticed.
 */
void wp_jvmcode_forget_names(struct wp_jvmcodes *codes)
{
	size_t i;

	for (i = 0; i < codes->nr; i++)
		codes->code[i].name = 0;
}

/**
 * wp_jvmcode_free() - free code
 * @codes: the code; empty afterwards
 */
void wp_jvmcode_free(struct wp_jvmcodes *codes)
{
	free(codes->code);
	free(codes->exit);
	memset(codes, 0, sizeof(*codes));
}
