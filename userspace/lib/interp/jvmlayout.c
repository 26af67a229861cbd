// SPDX-License-Identifier: GPL-2.0
/*
 * Reads where a HotSpot JVM keeps its generated code. libjvm.so has a list of its own
 * structures and their members by name, for the debugger that comes with it, so no version
 * has to be known here: one that lacks a member that is needed is not read.
 *
 * Pure: the caller reads. The list is not trusted: all that is taken from it is offsets, below
 * a limit, and addresses, which are only read.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "lib/interp/jvmlayout.h"

/* Limits for both lists. HotSpot 17 has 788 members. */
#define MAX_ENTRIES	8192
#define MAX_STRIDE	256

/* Longer names are not ours. */
#define MAX_NAME	64

const char *const wp_jvmsymbol_names[WP_JVMSYMBOL_NR] = {
	[WP_JVMSYMBOL_STRUCTS] = "gHotSpotVMStructs",
	[WP_JVMSYMBOL_STRUCT_STRIDE] = "gHotSpotVMStructEntryArrayStride",
	[WP_JVMSYMBOL_STRUCT_TYPE] = "gHotSpotVMStructEntryTypeNameOffset",
	[WP_JVMSYMBOL_STRUCT_NAME] = "gHotSpotVMStructEntryFieldNameOffset",
	[WP_JVMSYMBOL_STRUCT_STATIC] = "gHotSpotVMStructEntryIsStaticOffset",
	[WP_JVMSYMBOL_STRUCT_OFFSET] = "gHotSpotVMStructEntryOffsetOffset",
	[WP_JVMSYMBOL_STRUCT_ADDRESS] = "gHotSpotVMStructEntryAddressOffset",
	[WP_JVMSYMBOL_TYPES] = "gHotSpotVMTypes",
	[WP_JVMSYMBOL_TYPE_STRIDE] = "gHotSpotVMTypeEntryArrayStride",
	[WP_JVMSYMBOL_TYPE_NAME] = "gHotSpotVMTypeEntryTypeNameOffset",
	[WP_JVMSYMBOL_TYPE_SIZE] = "gHotSpotVMTypeEntrySizeOffset",
};

/*
 * struct item - what is looked for
 * @type: the structure
 * @name: the member; NULL: the size of the structure
 * @is_variable: it is one: its address is wanted
 * @at: where it goes
 * @is_optional: it stays 0 if the version has none
 */
struct item {
	const char *type;
	const char *name;
	bool is_variable;
	size_t at;
	bool is_optional;
};

#define MEMBER(type, name, to)	{ type, name, false, offsetof(struct wp_jvmlayout, to), false }
#define VARIABLE(type, name, to) { type, name, true, offsetof(struct wp_jvmlayout, to), false }
#define SIZE(type, to)		{ type, NULL, false, offsetof(struct wp_jvmlayout, to), false }
#define OPTIONAL(type, name, to) { type, name, true, offsetof(struct wp_jvmlayout, to), true }

static const struct item items[] = {
	VARIABLE("CodeCache", "_heaps", heaps),
	VARIABLE("StubRoutines", "_call_stub_return_address", call_stub),
	MEMBER("GrowableArrayBase", "_len", array_nr),
	MEMBER("GrowableArray<int>", "_data", array_data),
	MEMBER("CodeHeap", "_memory", heap_memory),
	MEMBER("CodeHeap", "_segmap", heap_segmap),
	MEMBER("CodeHeap", "_log2_segment_size", heap_shift),
	MEMBER("VirtualSpace", "_low", space_low),
	MEMBER("VirtualSpace", "_high", space_high),
	MEMBER("HeapBlock::Header", "_length", block_length),
	MEMBER("HeapBlock::Header", "_used", block_used),
	SIZE("HeapBlock", block_size),
	MEMBER("CodeBlob", "_name", blob_name),
	MEMBER("CodeBlob", "_frame_complete_offset", blob_complete),
	MEMBER("CodeBlob", "_frame_size", blob_frame),
	MEMBER("CodeBlob", "_code_begin", blob_begin),
	MEMBER("CodeBlob", "_code_end", blob_end),
	MEMBER("CompiledMethod", "_method", nmethod_method),
	MEMBER("nmethod", "_compile_id", nmethod_id),
	MEMBER("nmethod", "_state", nmethod_state),
	MEMBER("Method", "_constMethod", method_const),
	MEMBER("ConstMethod", "_constants", const_pool),
	MEMBER("ConstMethod", "_name_index", const_name),
	MEMBER("ConstantPool", "_pool_holder", pool_holder),
	MEMBER("ConstantPool", "_length", pool_nr),
	SIZE("ConstantPool", pool_size),
	MEMBER("Klass", "_name", klass_name),
	MEMBER("Symbol", "_length", symbol_length),
	MEMBER("Symbol", "_body[0]", symbol_body),
	OPTIONAL("PerfMemory", "_prologue", perf_data),
	OPTIONAL("JvmtiExport", "_can_hotswap_or_post_breakpoint", redefines),
};

#define NR_ITEMS (sizeof(items) / sizeof(items[0]))

/*
 * struct list - one of the lists
 * @at: its first entry
 * @stride: bytes of an entry
 * @type: offset of the structure's name
 */
struct list {
	__u64 at;
	__u64 stride;
	__u64 type;
};

/**
 * wp_jvmlayout_text() - read a text that ends with 0
 * @m: memory of the process
 * @address: where it is
 * @text: set to it; if it is longer, to its beginning
 * @size: size of @text
 *
 * Return: its length, less than @size; or as wp_pymemory_read().
 */
int wp_jvmlayout_text(struct wp_pymemory *m, __u64 address, char *text, size_t size)
{
	size_t len = 0, part, end;
	int err;

	/* What is behind the page of its last byte need not be there. */
	while (len < size - 1) {
		part = WP_PYMEMORY_BLOCK - (address + len) % WP_PYMEMORY_BLOCK;
		if (part > size - 1 - len)
			part = size - 1 - len;
		err = wp_pymemory_read(m, address + len, text + len, part);
		if (err)
			return err;
		end = strnlen(text + len, part);
		len += end;
		if (end < part)
			break;
	}
	text[len] = '\0';
	return len;
}

static int read_list(struct wp_pymemory *m, __u64 at, __u64 stride, __u64 type,
		     struct list *list)
{
	int err = wp_pymemory_word(m, at, &list->at);

	if (!err)
		err = wp_pymemory_word(m, stride, &list->stride);
	if (!err)
		err = wp_pymemory_word(m, type, &list->type);
	if (err)
		return err;
	return list->stride < sizeof(__u64) || list->stride > MAX_STRIDE ||
	       list->type > list->stride - sizeof(__u64) ? -EBADMSG : 0;
}

/* Reads the word of an entry at an offset that is in a variable. */
static int entry_word(struct wp_pymemory *m, const struct list *list, __u64 entry, __u64 symbol,
		      __u64 *word)
{
	__u64 offset;
	int err = wp_pymemory_word(m, symbol, &offset);

	if (!err && offset > list->stride - sizeof(__u64))
		err = -EBADMSG;
	return err ?: wp_pymemory_word(m, entry + offset, word);
}

static bool has_type(const char *type, bool sizes)
{
	size_t i;

	for (i = 0; i < NR_ITEMS; i++) {
		if (!items[i].name == sizes && !strcmp(items[i].type, type))
			return true;
	}
	return false;
}

static const struct item *find(const char *type, const char *name)
{
	size_t i;

	for (i = 0; i < NR_ITEMS; i++) {
		if (!items[i].name == !name && !strcmp(items[i].type, type) &&
		    (!name || !strcmp(items[i].name, name)))
			return &items[i];
	}
	return NULL;
}

static void put(struct wp_jvmlayout *layout, bool *found, const struct item *item, __u64 value)
{
	memcpy((char *)layout + item->at, &value, sizeof(value));
	found[item - items] = true;
}

/* Takes a member that is looked for. */
static int take_member(struct wp_pymemory *m, const __u64 *symbols, const struct list *list,
		       __u64 entry, const char *type, struct wp_jvmlayout *layout, bool *found)
{
	__u64 at, is_variable, value;
	const struct item *item;
	char name[MAX_NAME];
	int err;

	err = entry_word(m, list, entry, symbols[WP_JVMSYMBOL_STRUCT_NAME], &at);
	if (!err)
		err = wp_jvmlayout_text(m, at, name, sizeof(name));
	item = err < 0 ? NULL : find(type, name);
	if (!item)
		return err < 0 ? err : 0;
	err = entry_word(m, list, entry, symbols[WP_JVMSYMBOL_STRUCT_STATIC], &is_variable);
	if (!err)
		err = entry_word(m, list, entry, symbols[item->is_variable ?
				 WP_JVMSYMBOL_STRUCT_ADDRESS : WP_JVMSYMBOL_STRUCT_OFFSET],
				 &value);
	if (err)
		return err;
	/* It is an int; the rest of the word is not defined. */
	if (!(__u32)is_variable == item->is_variable ||
	    (!item->is_variable && value > WP_JVMLAYOUT_MAX))
		return -EBADMSG;
	put(layout, found, item, value);
	return 0;
}

/* Takes the size of a structure. */
static int take_size(struct wp_pymemory *m, const __u64 *symbols, const struct list *list,
		     __u64 entry, const char *type, struct wp_jvmlayout *layout, bool *found)
{
	__u64 value;
	int err = entry_word(m, list, entry, symbols[WP_JVMSYMBOL_TYPE_SIZE], &value);

	if (!err && (!value || value > WP_JVMLAYOUT_MAX))
		err = -EBADMSG;
	if (!err)
		put(layout, found, find(type, NULL), value);
	return err;
}

static int read_entries(struct wp_pymemory *m, const __u64 *symbols, const struct list *list,
			bool sizes, struct wp_jvmlayout *layout, bool *found)
{
	__u64 entry = list->at, at;
	char type[MAX_NAME];
	unsigned int i;
	int err;

	for (i = 0; i < MAX_ENTRIES; i++, entry += list->stride) {
		err = wp_pymemory_word(m, entry + list->type, &at);
		if (err || !at)
			return err;
		err = wp_jvmlayout_text(m, at, type, sizeof(type));
		if (err < 0)
			return err;
		if (!has_type(type, sizes))
			continue;
		err = sizes ? take_size(m, symbols, list, entry, type, layout, found) :
			take_member(m, symbols, list, entry, type, layout, found);
		if (err)
			return err;
	}
	return -EBADMSG;
}

/**
 * wp_jvmlayout_read() - read where a JVM keeps what
 * @m: memory of the process
 * @symbols: addresses of the variables of libjvm.so
 * @layout: filled in
 *
 * Return: 0; -ENOTSUP: a version that has not all that is needed; -EBADMSG: the lists are
 * not as HotSpot's; or as wp_pymemory_read().
 */
int wp_jvmlayout_read(struct wp_pymemory *m, const __u64 symbols[WP_JVMSYMBOL_NR],
		      struct wp_jvmlayout *layout)
{
	struct list members, types;
	bool found[NR_ITEMS] = { 0 };
	size_t i;
	int err;

	for (i = 0; i < WP_JVMSYMBOL_NR; i++) {
		if (!symbols[i])
			return -ENOTSUP;
	}
	err = read_list(m, symbols[WP_JVMSYMBOL_STRUCTS], symbols[WP_JVMSYMBOL_STRUCT_STRIDE],
			symbols[WP_JVMSYMBOL_STRUCT_TYPE], &members);
	if (!err)
		err = read_list(m, symbols[WP_JVMSYMBOL_TYPES],
				symbols[WP_JVMSYMBOL_TYPE_STRIDE],
				symbols[WP_JVMSYMBOL_TYPE_NAME], &types);
	if (!err)
		err = read_entries(m, symbols, &members, false, layout, found);
	if (!err)
		err = read_entries(m, symbols, &types, true, layout, found);
	for (i = 0; i < NR_ITEMS && !err; i++) {
		if (!found[i] && !items[i].is_optional)
			err = -ENOTSUP;
	}
	return err;
}
