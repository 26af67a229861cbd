// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the CPython that a running process executes, by the symbols of the file that has it:
 * python3.N or libpython3.N. Called by the stacks command, and by interps.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/interp/pystack.h"
#include "lib/symbols/livepython.h"

/* Part of the names of files that can have an interpreter. */
#define PART	"python"

#define RUNTIME		"_PyRuntime"
#define CODE_TYPE	"PyCode_Type"
#define STR_TYPE	"PyUnicode_Type"
#define BYTES_TYPE	"PyBytes_Type"
#define VERSION		"Py_Version"
#define COLD		WP_PYSTACK_FUNCTION ".cold"

const char wp_livepython_symbols[] =
	RUNTIME "\0" CODE_TYPE "\0" STR_TYPE "\0" BYTES_TYPE "\0" VERSION "\0"
	WP_PYSTACK_FUNCTION "\0" COLD "\0";

/* Variables of CPython. */
enum {
	SYMBOL_RUNTIME,
	SYMBOL_CODE,
	SYMBOL_STR,
	SYMBOL_BYTES,
	SYMBOL_VERSION,
	SYMBOL_NR,
};

/* The minor version that a file is named after; 0: none. */
static unsigned int version_of(const char *file)
{
	const char *at = strstr(file, "python3.");

	return at ? strtoul(at + strlen("python3."), NULL, 10) : 0;
}

/**
 * wp_livepython_is() - whether a file can have an interpreter, by its name
 * @path: the name
 *
 * Return: false if it has none.
 */
bool wp_livepython_is(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strstr(slash ? slash : path, PART);
}

/**
 * wp_livepython_find() - find the interpreter of a process
 * @names: names of running processes
 * @pid: the process
 * @m: its memory
 * @py: set to the interpreter
 *
 * Return: 0; -ENOTSUP: there is none of a known version; or as wp_pymemory_read().
 */
int wp_livepython_find(struct wp_livenames *names, __u32 pid, struct wp_pymemory *m,
		       struct wp_pyruntime *py)
{
	static const char *const symbols[SYMBOL_NR] = {
		[SYMBOL_RUNTIME] = RUNTIME,
		[SYMBOL_CODE] = CODE_TYPE,
		[SYMBOL_STR] = STR_TYPE,
		[SYMBOL_BYTES] = BYTES_TYPE,
		[SYMBOL_VERSION] = VERSION,
	};
	__u64 address[SYMBOL_NR], version;
	unsigned int minor;
	const char *file;

	file = wp_livenames_symbols(names, pid, PART, symbols, SYMBOL_NR, address);
	if (!file || !address[SYMBOL_CODE] || !address[SYMBOL_STR] || !address[SYMBOL_BYTES])
		return -ENOTSUP;
	minor = version_of(file);
	/* This variable counts, but its page may not be present. */
	if (address[SYMBOL_VERSION] &&
	    !wp_pymemory_word(m, address[SYMBOL_VERSION], &version))
		minor = version >> 24 == 3 ? version >> 16 & 0xff : 0;
	if (!wp_pylayout_of(minor, &py->layout))
		return -ENOTSUP;
	py->runtime = address[SYMBOL_RUNTIME];
	py->code_type = address[SYMBOL_CODE];
	py->str_type = address[SYMBOL_STR];
	py->bytes_type = address[SYMBOL_BYTES];
	return wp_pylayout_check(m, py->runtime, &py->layout);
}

/**
 * wp_livepython_ranges() - find the code of the function that executes frames
 * @names: names of running processes
 * @pid: the process
 * @range: set to its parts: what compilers move out of the way is known only where the file
 *	has all of its symbols, or debug information
 *
 * Return: their number; 0: there is none.
 */
unsigned int wp_livepython_ranges(struct wp_livenames *names, __u32 pid,
				  struct wp_pyrange range[WP_LIVEPYTHON_RANGES])
{
	if (!wp_livenames_function(names, pid, PART, WP_PYSTACK_FUNCTION, &range[0].start,
				   &range[0].end))
		return 0;
	return 1 + wp_livenames_function(names, pid, PART, COLD, &range[1].start, &range[1].end);
}
