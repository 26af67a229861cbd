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
#include <stddef.h>
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
		.code_start = NONE, .ascii = 48, .compact = 72, .gil = 352, .gil_global = true,
	},
	{
		.version = 11, .runs = WP_PYRUNS_ENTRY, .lines = WP_PYLINES_LOCATIONS,
		.runtime_head = 40, .interp_next = 0, .interp_threads = 16,
		.thread_prev = 0, .thread_next = 8, .thread_interp = 16, .thread_id = 152,
		.thread_native = 160, .thread_top = 56, .thread_root = 336, .chain = 8,
		.chain_previous = 16, .frame_code = 32, .frame_previous = 48,
		.frame_at = 56, .frame_entry = 68, .frame_owner = 69, .code_name = 128,
		.code_file = 112, .code_line = 72, .code_lines = 136, .code_traceable = 168,
		.code_start = 184, .ascii = 48, .compact = 72, .gil = 360, .gil_global = true,
	},
	{
		.version = 12, .runs = WP_PYRUNS_SHIM, .lines = WP_PYLINES_LOCATIONS,
		.runtime_head = 40, .interp_next = 0, .interp_threads = 72,
		.thread_prev = 0, .thread_next = 8, .thread_interp = 16, .thread_id = 136,
		.thread_native = 144, .thread_top = 56, .thread_root = 272, .chain = 0,
		.chain_previous = NONE, .frame_code = 0, .frame_previous = 8,
		.frame_at = 56, .frame_entry = NONE, .frame_owner = 70, .code_name = 128,
		.code_file = 112, .code_line = 68, .code_lines = 136, .code_traceable = 176,
		.code_start = 192, .ascii = 40, .compact = 56, .gil = NONE,
	},
	{
		.version = 13, .runs = WP_PYRUNS_SHIM, .lines = WP_PYLINES_LOCATIONS,
		.debug_offsets = true, .thread_root = NONE, .chain = NONE,
		.chain_previous = NONE, .frame_entry = NONE, .code_traceable = 184,
		.ascii = 40, .compact = 56,
	},
	{
		/* The code of a frame is a reference of its stack, whose lowest bit is a tag. */
		.version = 14, .runs = WP_PYRUNS_SHIM, .lines = WP_PYLINES_LOCATIONS,
		.debug_offsets = true, .thread_root = NONE, .chain = NONE,
		.chain_previous = NONE, .frame_entry = NONE, .code_traceable = 192,
		.ascii = 40, .compact = 56, .code_tag = 1,
	},
};

/* Words of _Py_DebugOffsets where they begin. */
enum {
	OFFSETS_COOKIE,
	OFFSETS_VERSION,
	OFFSETS_FREE_THREADED,
};

/**
 * struct offset - where _Py_DebugOffsets has a member of struct wp_pylayout
 * @word: its word there, from 3.13 and from 3.14 on
 * @to: the member
 */
struct offset {
	__u8 word[2];
	__u8 to;
};

/* Of struct wp_pylayout, which is small. */
#define MEMBER(name)	offsetof(struct wp_pylayout, name)

static const struct offset offsets[] = {
	{ { 5, 5 }, MEMBER(runtime_head) },
	{ { 8, 8 }, MEMBER(interp_next) },
	{ { 9, 9 }, MEMBER(interp_threads) },
	{ { 20, 23 }, MEMBER(thread_prev) },
	{ { 21, 24 }, MEMBER(thread_next) },
	{ { 22, 25 }, MEMBER(thread_interp) },
	{ { 23, 26 }, MEMBER(thread_top) },
	{ { 24, 27 }, MEMBER(thread_id) },
	{ { 25, 28 }, MEMBER(thread_native) },
	{ { 29, 32 }, MEMBER(frame_previous) },
	{ { 30, 33 }, MEMBER(frame_code) },
	{ { 31, 34 }, MEMBER(frame_at) },
	{ { 33, 36 }, MEMBER(frame_owner) },
	{ { 35, 40 }, MEMBER(code_file) },
	{ { 37, 42 }, MEMBER(code_name) },
	{ { 38, 43 }, MEMBER(code_lines) },
	{ { 39, 44 }, MEMBER(code_line) },
	{ { 43, 48 }, MEMBER(code_start) },
	{ { 14, 15 }, MEMBER(gil) },
};

/* Words that are read. */
#define OFFSETS_NR	49

/* The word with the offset of an interpreter's own GIL; behind it are those of its members. */
#define OWN_GIL(version)	((version) >= 14 ? 16 : 15)

/* Whether the members of the GIL are where this file's header has them. */
static bool knows_gil(const __u64 *own)
{
	enum { GIL, ENABLED, LOCKED, HOLDER };

	return own[LOCKED] - own[GIL] == WP_PYLAYOUT_GIL_LOCKED &&
	       own[HOLDER] - own[GIL] == WP_PYLAYOUT_GIL_HOLDER;
}

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
	for (i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		__u64 at = word[offsets[i].word[layout->version >= 14]];

		if (at >= NONE)
			return -ENOTSUP;
		*(__u16 *)((char *)layout + offsets[i].to) = at;
	}
	if (!layout->gil || !knows_gil(&word[OWN_GIL(layout->version)]))
		layout->gil = NONE;
	return 0;
}
