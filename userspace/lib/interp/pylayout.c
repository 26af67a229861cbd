// SPDX-License-Identifier: GPL-2.0
/*
 * Owns where CPython keeps what: offsets by version, from its headers. From 3.13 on the
 * process has a table of most of them, _Py_DebugOffsets, where the runtime begins.
 *
 * Builds with other options (Py_DEBUG with Py_TRACE_REFS, free threading) have other
 * offsets. No object has the right type then.
 *
 * Pure: the caller reads.
 */
#include <errno.h>
#include <string.h>

#include "lib/interp/pylayout.h"

#define NONE	WP_PYLAYOUT_NONE

static const struct wp_pylayout layouts[] = {
	{
		.version = 9, .runs = WP_PYRUNS_EACH, .lines = WP_PYLINES_STEPS,
		.runtime_head = 32, .interp_next = 0, .interp_threads = 8,
		.thread_prev = 0, .thread_next = 8, .thread_interp = 16, .thread_id = 176,
		.thread_native = NONE, .thread_top = 24, .thread_root = NONE, .chain = NONE,
		.chain_previous = NONE, .frame_code = 32, .frame_previous = 24,
		.frame_at = 104, .frame_entry = NONE, .frame_owner = NONE, .code_name = 112,
		.code_file = 104, .code_line = 40, .code_lines = 120, .code_traceable = NONE,
		.code_start = NONE, .ascii = 48, .compact = 72,
	},
	{
		.version = 11, .runs = WP_PYRUNS_ENTRY, .lines = WP_PYLINES_LOCATIONS,
		.runtime_head = 40, .interp_next = 0, .interp_threads = 16,
		.thread_prev = 0, .thread_next = 8, .thread_interp = 16, .thread_id = 152,
		.thread_native = 160, .thread_top = 56, .thread_root = 336, .chain = 8,
		.chain_previous = 16, .frame_code = 32, .frame_previous = 48,
		.frame_at = 56, .frame_entry = 68, .frame_owner = 69, .code_name = 128,
		.code_file = 112, .code_line = 72, .code_lines = 136, .code_traceable = 168,
		.code_start = 184, .ascii = 48, .compact = 72,
	},
	{
		.version = 12, .runs = WP_PYRUNS_SHIM, .lines = WP_PYLINES_LOCATIONS,
		.runtime_head = 40, .interp_next = 0, .interp_threads = 72,
		.thread_prev = 0, .thread_next = 8, .thread_interp = 16, .thread_id = 136,
		.thread_native = 144, .thread_top = 56, .thread_root = 272, .chain = 0,
		.chain_previous = NONE, .frame_code = 0, .frame_previous = 8,
		.frame_at = 56, .frame_entry = NONE, .frame_owner = 70, .code_name = 128,
		.code_file = 112, .code_line = 68, .code_lines = 136, .code_traceable = 176,
		.code_start = 192, .ascii = 40, .compact = 56,
	},
	{
		.version = 13, .runs = WP_PYRUNS_SHIM, .lines = WP_PYLINES_LOCATIONS,
		.debug_offsets = true, .thread_root = NONE, .chain = NONE,
		.chain_previous = NONE, .frame_entry = NONE, .code_traceable = 184,
		.ascii = 40, .compact = 56,
	},
};

/* Words of _Py_DebugOffsets of 3.13. */
enum {
	OFFSETS_COOKIE,
	OFFSETS_VERSION,
	OFFSETS_FREE_THREADED,
	OFFSETS_RUNTIME_HEAD = 5,
	OFFSETS_INTERP_NEXT = 8,
	OFFSETS_INTERP_THREADS = 9,
	OFFSETS_THREAD_PREV = 20,
	OFFSETS_THREAD_NEXT = 21,
	OFFSETS_THREAD_INTERP = 22,
	OFFSETS_THREAD_TOP = 23,
	OFFSETS_THREAD_ID = 24,
	OFFSETS_THREAD_NATIVE = 25,
	OFFSETS_FRAME_PREVIOUS = 29,
	OFFSETS_FRAME_CODE = 30,
	OFFSETS_FRAME_AT = 31,
	OFFSETS_FRAME_OWNER = 33,
	OFFSETS_CODE_FILE = 35,
	OFFSETS_CODE_NAME = 37,
	OFFSETS_CODE_LINES = 38,
	OFFSETS_CODE_LINE = 39,
	OFFSETS_CODE_START = 43,
	OFFSETS_NR,
};

/**
 * wp_pylayout_of() - offsets of a version
 * @version: minor version of CPython 3
 * @layout: set to the offsets
 *
 * Return: false if it is unknown.
 */
bool wp_pylayout_of(unsigned int version, struct wp_pylayout *layout)
{
	size_t i;

	for (i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		if (layouts[i].version == version) {
			*layout = layouts[i];
			return true;
		}
	}
	return false;
}

/**
 * wp_pylayout_check() - read the offsets that are in the process, and check the version
 * @m: memory of the process
 * @runtime: address of _PyRuntime
 * @layout: from wp_pylayout_of(); completed
 *
 * Return: 0; -ENOTSUP: it is not this version; or as wp_pymemory_read().
 */
int wp_pylayout_check(struct wp_pymemory *m, __u64 runtime, struct wp_pylayout *layout)
{
	const struct {
		unsigned int word;
		__u16 *to;
	} members[] = {
		{ OFFSETS_RUNTIME_HEAD, &layout->runtime_head },
		{ OFFSETS_INTERP_NEXT, &layout->interp_next },
		{ OFFSETS_INTERP_THREADS, &layout->interp_threads },
		{ OFFSETS_THREAD_PREV, &layout->thread_prev },
		{ OFFSETS_THREAD_NEXT, &layout->thread_next },
		{ OFFSETS_THREAD_INTERP, &layout->thread_interp },
		{ OFFSETS_THREAD_TOP, &layout->thread_top },
		{ OFFSETS_THREAD_ID, &layout->thread_id },
		{ OFFSETS_THREAD_NATIVE, &layout->thread_native },
		{ OFFSETS_FRAME_PREVIOUS, &layout->frame_previous },
		{ OFFSETS_FRAME_CODE, &layout->frame_code },
		{ OFFSETS_FRAME_AT, &layout->frame_at },
		{ OFFSETS_FRAME_OWNER, &layout->frame_owner },
		{ OFFSETS_CODE_FILE, &layout->code_file },
		{ OFFSETS_CODE_NAME, &layout->code_name },
		{ OFFSETS_CODE_LINES, &layout->code_lines },
		{ OFFSETS_CODE_LINE, &layout->code_line },
		{ OFFSETS_CODE_START, &layout->code_start },
	};
	__u64 word[OFFSETS_NR];
	size_t i;
	int err;

	if (!layout->debug_offsets)
		return 0;
	err = wp_pymemory_read(m, runtime, word, sizeof(word));
	if (err)
		return err;
	if (memcmp(&word[OFFSETS_COOKIE], "xdebugpy", 8) || word[OFFSETS_FREE_THREADED] ||
	    word[OFFSETS_VERSION] >> 16 != (0x300 | layout->version))
		return -ENOTSUP;
	for (i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		if (word[members[i].word] >= NONE)
			return -ENOTSUP;
		*members[i].to = word[members[i].word];
	}
	return 0;
}
