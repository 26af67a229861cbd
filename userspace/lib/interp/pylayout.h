/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where CPython keeps what, by its version. See pylayout.c.
 */
#ifndef WP_LIB_INTERP_PYLAYOUT_H
#define WP_LIB_INTERP_PYLAYOUT_H

#include <linux/types.h>

#include "lib/interp/pylines.h"
#include "lib/interp/pymemory.h"

/**
 * enum wp_pyruns - where a run of frames ends: those that one native call executes
 * @WP_PYRUNS_EACH: each frame has a native call
 * @WP_PYRUNS_ENTRY: at a frame with a flag
 * @WP_PYRUNS_SHIM: before a frame of the native stack, which is none of Python
 */
enum wp_pyruns {
	WP_PYRUNS_EACH,
	WP_PYRUNS_ENTRY,
	WP_PYRUNS_SHIM,
};

/* There is no such member. */
#define WP_PYLAYOUT_NONE	0xffff

/**
 * struct wp_pylayout - offsets of members
 * @version: minor version of CPython 3
 * @runs: where runs end
 * @lines: kind of the tables of lines
 * @debug_offsets: those of the runtime, of interpreters, threads and frames are in the
 *	process
 * @runtime_head: of _PyRuntime: the first interpreter
 * @interp_next: of an interpreter: the next one
 * @interp_threads: the first thread
 * @thread_prev: of a thread's state: the one before
 * @thread_next: the next one
 * @thread_interp: the interpreter
 * @thread_id: what pthread_self() returns
 * @thread_native: number of the thread, or NONE: it is in what @thread_id points to
 * @thread_top: the innermost frame; with @chain, that has it
 * @thread_root: with @chain_previous: the last chain
 * @chain: the frame in what @thread_top points to, or NONE
 * @chain_previous: the next one of these, or NONE
 * @frame_code: of a frame: its code,
 * @code_tag: but for these bits
 * @frame_previous: the caller
 * @frame_at: the instruction
 * @frame_entry: ENTRY: the flag
 * @frame_owner: kind of the frame, or NONE
 * @code_name: of code: its name; the qualified one, if there is one
 * @code_file: name of its file
 * @code_line: its first line
 * @code_lines: table of lines
 * @code_traceable: the first instruction of which Python shows the frame, or NONE
 * @code_start: the instructions; or NONE: @frame_at is a number, an offset in them
 * @ascii: size of the head of a str of ASCII characters
 * @compact: of another one
 * @gil: the GIL: with @gil_global in _PyRuntime; else of an interpreter: a pointer to it. Or
 *	NONE: unknown
 * @gil_global: there is one GIL
 */
struct wp_pylayout {
	__u8 version;
	enum wp_pyruns runs;
	enum wp_pylines lines;
	bool debug_offsets;
	__u16 runtime_head;
	__u16 interp_next;
	__u16 interp_threads;
	__u16 thread_prev;
	__u16 thread_next;
	__u16 thread_interp;
	__u16 thread_id;
	__u16 thread_native;
	__u16 thread_top;
	__u16 thread_root;
	__u16 chain;
	__u16 chain_previous;
	__u16 frame_code;
	__u16 frame_previous;
	__u16 frame_at;
	__u16 frame_entry;
	__u16 frame_owner;
	__u16 code_name;
	__u16 code_file;
	__u16 code_line;
	__u16 code_lines;
	__u16 code_traceable;
	__u16 code_start;
	__u16 ascii;
	__u16 compact;
	__u16 gil;
	__u8 code_tag;
	bool gil_global;
};

/**
 * struct wp_pyruntime - an interpreter
 * @layout: its offsets, checked
 * @runtime: address of _PyRuntime
 * @code_type: of PyCode_Type
 * @str_type: of PyUnicode_Type
 * @bytes_type: of PyBytes_Type
 */
struct wp_pyruntime {
	struct wp_pylayout layout;
	__u64 runtime;
	__u64 code_type;
	__u64 str_type;
	__u64 bytes_type;
};

/* Members that are the same in all versions. */
#define WP_PYLAYOUT_TYPE	8	/* of an object: its type */
#define WP_PYLAYOUT_SIZE	16	/* of str, bytes and code: its length */
#define WP_PYLAYOUT_BYTES	32	/* of bytes: the bytes */
#define WP_PYLAYOUT_STATE	32	/* of str: how characters are stored */
#define WP_PYLAYOUT_GIL_HOLDER	8	/* of the GIL: state of the last holder */
#define WP_PYLAYOUT_GIL_LOCKED	16	/* whether that still holds it */
#define WP_PYLAYOUT_GIL_COND	32	/* the condition that threads wait for */
#define WP_PYLAYOUT_GIL_MUTEX	80	/* the mutex of these members */

bool wp_pylayout_of(unsigned int version, struct wp_pylayout *layout);
int wp_pylayout_check(struct wp_pymemory *m, __u64 runtime, struct wp_pylayout *layout);

#endif /* WP_LIB_INTERP_PYLAYOUT_H */
