/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Code that a HotSpot JVM generated. See jvmcode.c.
 */
#ifndef WP_LIB_INTERP_JVMCODE_H
#define WP_LIB_INTERP_JVMCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "lib/base/intern.h"
#include "lib/interp/jvmlayout.h"

/**
 * enum wp_jvmkind - how the caller of code is found
 * @WP_JVMKIND_OTHER: unknown
 * @WP_JVMKIND_FRAME: its frame has a fixed size
 * @WP_JVMKIND_INTERPRETER: the interpreter: by frame pointer
 * @WP_JVMKIND_STUBS: many stubs, mostly with a frame pointer
 * @WP_JVMKIND_LEAF: it has no frame
 */
enum wp_jvmkind {
	WP_JVMKIND_OTHER,
	WP_JVMKIND_FRAME,
	WP_JVMKIND_INTERPRETER,
	WP_JVMKIND_STUBS,
	WP_JVMKIND_LEAF,
};

/**
 * struct wp_jvmexit - a place where code removes its frame
 * @pop: offset of the instruction that pops the frame pointer
 * @after: offset behind the one that returns
 */
struct wp_jvmexit {
	__u32 pop;
	__u32 after;
};

/**
 * struct wp_jvmcode - a piece of code
 * @start: its first address
 * @end: its end, exclusive
 * @blob: address of what the JVM has of it
 * @since: when it was seen first, set by the caller; 0: at this look
 * @method: its method: then it is compiled; or 0
 * @id: number of the compilation, or 0
 * @kind: how its caller is found
 * @frame: bytes of its frame, with the return address
 * @complete: offset from which on the frame is complete
 * @push: offset of the instruction there that saves the frame pointer; ~0: unknown
 * @name: number of its name; 0: unknown
 * @first_exit: its exits: index in struct wp_jvmcodes.exit
 * @nr_exits: their number
 * @was_read: its name was read at this look
 */
struct wp_jvmcode {
	__u64 start;
	__u64 end;
	__u64 blob;
	__u64 since;
	__u64 method;
	__u32 id;
	__u8 kind;
	bool was_read;
	__u32 frame;
	__u32 complete;
	__u32 push;
	__u32 name;
	__u32 first_exit;
	__u32 nr_exits;
};

/**
 * struct wp_jvmcodes - all code of a process at one look; all zero: none
 * @code: sorted by address, none overlapping
 * @nr: their number
 * @room: allocated ones
 * @exit: where code removes its frame
 * @nr_exits: their number
 * @exit_room: allocated ones
 * @call_stub: where Java returns to the JVM, or 0
 * @unnamed: number of compiled methods whose names could not be read yet
 */
struct wp_jvmcodes {
	struct wp_jvmcode *code;
	size_t nr;
	size_t room;
	struct wp_jvmexit *exit;
	size_t nr_exits;
	size_t exit_room;
	__u64 call_stub;
	size_t unnamed;
};

int wp_jvmcode_look(struct wp_pymemory *m, const struct wp_jvmlayout *layout,
		    const struct wp_jvmcodes *before, struct wp_intern *names,
		    struct wp_jvmcodes *now);
const struct wp_jvmcode *wp_jvmcode_find(const struct wp_jvmcodes *codes, __u64 address);
bool wp_jvmcode_is(const struct wp_jvmcode *a, const struct wp_jvmcode *b);
void wp_jvmcode_forget_names(struct wp_jvmcodes *codes);
void wp_jvmcode_free(struct wp_jvmcodes *codes);

#endif /* WP_LIB_INTERP_JVMCODE_H */
