/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where a HotSpot JVM keeps its generated code, as it describes itself. See jvmlayout.c.
 */
#ifndef WP_LIB_INTERP_JVMLAYOUT_H
#define WP_LIB_INTERP_JVMLAYOUT_H

#include <linux/types.h>

#include "lib/interp/pymemory.h"

/**
 * enum wp_jvmsymbol - variables of libjvm.so that describe its structures
 * @WP_JVMSYMBOL_STRUCTS: the members; the first one decides whether it is a JVM
 * @WP_JVMSYMBOL_STRUCT_STRIDE: bytes of a member's description; of that follow offsets
 * @WP_JVMSYMBOL_STRUCT_TYPE: the structure's name
 * @WP_JVMSYMBOL_STRUCT_NAME: the member's name
 * @WP_JVMSYMBOL_STRUCT_STATIC: whether it is a variable
 * @WP_JVMSYMBOL_STRUCT_OFFSET: its offset in the structure
 * @WP_JVMSYMBOL_STRUCT_ADDRESS: address of the variable
 * @WP_JVMSYMBOL_TYPES: the structures
 * @WP_JVMSYMBOL_TYPE_STRIDE: bytes of a structure's description
 * @WP_JVMSYMBOL_TYPE_NAME: its name
 * @WP_JVMSYMBOL_TYPE_SIZE: its size
 * @WP_JVMSYMBOL_NR: their number
 */
enum wp_jvmsymbol {
	WP_JVMSYMBOL_STRUCTS,
	WP_JVMSYMBOL_STRUCT_STRIDE,
	WP_JVMSYMBOL_STRUCT_TYPE,
	WP_JVMSYMBOL_STRUCT_NAME,
	WP_JVMSYMBOL_STRUCT_STATIC,
	WP_JVMSYMBOL_STRUCT_OFFSET,
	WP_JVMSYMBOL_STRUCT_ADDRESS,
	WP_JVMSYMBOL_TYPES,
	WP_JVMSYMBOL_TYPE_STRIDE,
	WP_JVMSYMBOL_TYPE_NAME,
	WP_JVMSYMBOL_TYPE_SIZE,
	WP_JVMSYMBOL_NR,
};

extern const char *const wp_jvmsymbol_names[WP_JVMSYMBOL_NR];

/* No offset of a member, and no size of a structure, is larger. */
#define WP_JVMLAYOUT_MAX	4096

/**
 * struct wp_jvmlayout - where what is: addresses of variables, offsets of members, sizes
 * @heaps: variable: the array of code heaps
 * @call_stub: variable: where Java returns to the JVM
 * @array_nr: of an array: its length
 * @array_data: its elements
 * @heap_memory: of a code heap: its memory
 * @heap_segmap: its map of segments
 * @heap_shift: logarithm of the size of a segment
 * @space_low: of memory: its first address
 * @space_high: its end
 * @block_length: of a block in a heap: its segments
 * @block_used: whether it is in use
 * @block_size: size of what precedes the code blob
 * @blob_name: of a code blob: its name
 * @blob_complete: offset in the code from which on its frame is complete
 * @blob_frame: words of its frame
 * @blob_begin: its first instruction
 * @blob_end: the end of its instructions
 * @nmethod_method: of compiled code: the method
 * @nmethod_id: number of the compilation
 * @nmethod_state: whether it is alive
 * @method_const: of a method: what is constant of it
 * @const_pool: of that: the constants of its class
 * @const_name: index of its name in these
 * @pool_holder: of constants: the class
 * @pool_nr: their number
 * @pool_size: size of what precedes them
 * @klass_name: of a class: its name
 * @symbol_length: of a name: its length
 * @symbol_body: its bytes
 * @perf_data: variable: its performance data; 0: this version has none
 * @redefines: variable: whether agents may redefine classes; 0: this version has none
 */
struct wp_jvmlayout {
	__u64 heaps;
	__u64 call_stub;
	__u64 array_nr;
	__u64 array_data;
	__u64 heap_memory;
	__u64 heap_segmap;
	__u64 heap_shift;
	__u64 space_low;
	__u64 space_high;
	__u64 block_length;
	__u64 block_used;
	__u64 block_size;
	__u64 blob_name;
	__u64 blob_complete;
	__u64 blob_frame;
	__u64 blob_begin;
	__u64 blob_end;
	__u64 nmethod_method;
	__u64 nmethod_id;
	__u64 nmethod_state;
	__u64 method_const;
	__u64 const_pool;
	__u64 const_name;
	__u64 pool_holder;
	__u64 pool_nr;
	__u64 pool_size;
	__u64 klass_name;
	__u64 symbol_length;
	__u64 symbol_body;
	__u64 perf_data;
	__u64 redefines;
};

int wp_jvmlayout_read(struct wp_pymemory *m, const __u64 symbols[WP_JVMSYMBOL_NR],
		      struct wp_jvmlayout *layout);
int wp_jvmlayout_text(struct wp_pymemory *m, __u64 address, char *text, size_t size);

#endif /* WP_LIB_INTERP_JVMLAYOUT_H */
