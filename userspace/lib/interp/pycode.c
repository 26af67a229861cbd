// SPDX-License-Identifier: GPL-2.0
/*
 * Reads code objects of Python while the process runs: the name of a function, its file and
 * its lines. An object that is freed, or replaced by another one at the same address, has
 * other words by which it is known. These are compared before and after the read, with
 * those that the module found when it walked the stack.
 *
 * Pure: the caller reads. The objects are not trusted.
 */
#include <errno.h>
#include <stdlib.h>

#include "lib/interp/pycode.h"
#include "lib/interp/pytext.h"

/* Bytes of a table of lines. */
#define MAX_LINES	(256 << 10)

/* Bytes of an instruction. */
#define UNIT	2

/* An instruction with this number, or a later one, has no room in a stack. */
#define MAX_AT	0xffffff

/**
 * wp_pycode_table() - read the table of lines of a code object
 * @m: memory of the process
 * @py: the interpreter
 * @code: address of the object
 * @table: set to the table; its @lines are to be freed
 *
 * Return: 0; -EBADMSG: it is no table; -ENOMEM; or as wp_pymemory_read().
 */
int wp_pycode_table(struct wp_pymemory *m, const struct wp_pyruntime *py, __u64 code,
		    struct wp_pytable *table)
{
	__u64 address, head[3];
	int err;

	*table = (struct wp_pytable){ 0 };
	err = wp_pymemory_read(m, code + py->layout.code_line, &table->first,
			       sizeof(table->first));
	if (!err)
		err = wp_pymemory_word(m, code + py->layout.code_lines, &address);
	if (!err)
		err = wp_pymemory_read(m, address, head, sizeof(head));
	if (err)
		return err;
	if (head[WP_PYLAYOUT_TYPE / sizeof(__u64)] != py->bytes_type)
		return -EBADMSG;
	if (head[WP_PYLAYOUT_SIZE / sizeof(__u64)] > MAX_LINES)
		return 0;
	table->nr = head[WP_PYLAYOUT_SIZE / sizeof(__u64)];
	table->lines = malloc(table->nr + 1);
	if (!table->lines)
		return -ENOMEM;
	err = wp_pymemory_read(m, address + WP_PYLAYOUT_BYTES, table->lines, table->nr);
	if (err) {
		free(table->lines);
		table->lines = NULL;
	}
	return err;
}

/* Whether the object is the one that the module saw. */
static int check(struct wp_pymemory *m, const struct wp_pyruntime *py,
		 const struct wallprof_interp *interp, __u64 address, __u32 hash)
{
	__u64 head[2], word[WALLPROF_INTERP_WORDS];
	unsigned int nr = 0, i;
	int err;

	wp_pymemory_forget(m);
	err = wp_pymemory_read(m, address, head, sizeof(head));
	for (i = 0; i < WALLPROF_INTERP_WORDS && !err; i++) {
		if (interp->word[i].at == WALLPROF_INTERP_NONE)
			continue;
		err = wp_pymemory_word(m, address + interp->word[i].at, &word[nr]);
		if (!err && interp->word[i].then != WALLPROF_INTERP_NONE)
			err = wp_pymemory_word(m, word[nr] + interp->word[i].then, &word[nr]);
		nr++;
	}
	if (err)
		return err;
	/* One without references is being freed. */
	if (head[WP_PYLAYOUT_TYPE / sizeof(__u64)] != py->code_type || !head[0])
		return -ESTALE;
	return wallprof_interp_hash(word, nr) == hash ? 0 : -ESTALE;
}

/**
 * wp_pycode_read() - read a code object
 * @m: memory of the process
 * @py: the interpreter
 * @interp: its description, as the module has it
 * @address: of the object
 * @hash: of the words by which the object was known in a stack
 * @code: set to the function; to be freed even after an error
 *
 * Return: 0; -ESTALE: it is another object by now; -EBADMSG: it is none; -ENOMEM; or as
 * wp_pymemory_read().
 */
int wp_pycode_read(struct wp_pymemory *m, const struct wp_pyruntime *py,
		   const struct wallprof_interp *interp, __u64 address, __u32 hash,
		   struct wp_pycode *code)
{
	const struct wp_pylayout *l = &py->layout;
	__u64 name, file;
	int err;

	*code = (struct wp_pycode){ 0 };
	err = check(m, py, interp, address, hash);
	if (!err)
		err = wp_pymemory_word(m, address + l->code_name, &name);
	if (!err)
		err = wp_pymemory_word(m, address + l->code_file, &file);
	if (!err)
		err = wp_pytext_read(m, l, py->str_type, name, &code->function);
	if (!err)
		err = wp_pytext_read(m, l, py->str_type, file, &code->file);
	if (!err)
		err = wp_pycode_table(m, py, address, &code->table);
	if (!err && l->code_start != WP_PYLAYOUT_NONE)
		err = wp_pymemory_word(m, address + WP_PYLAYOUT_SIZE, &code->units);
	if (!err && l->code_traceable != WP_PYLAYOUT_NONE)
		err = wp_pymemory_read(m, address + l->code_traceable, &code->traceable,
				       sizeof(code->traceable));
	/* What was read in between may be another object's. */
	if (!err || err == -EBADMSG) {
		int now = check(m, py, interp, address, hash);

		err = now ? now : err;
	}
	return err;
}

/**
 * wp_pycode_line() - find the line of an instruction
 * @py: the interpreter
 * @code: the function
 * @at: the instruction, as a stack has it: 0: before the first one
 * @line: set to the line; 0: it has none
 *
 * Return: 0; -ENOENT: Python does not show the frame, which is being set up; -EBADMSG: the
 * function has no such instruction.
 */
int wp_pycode_line(const struct wp_pyruntime *py, const struct wp_pycode *code, __u32 at,
		   __u32 *line)
{
	const struct wp_pylayout *l = &py->layout;
	__s64 byte = (__s64)at - 1;

	*line = 0;
	if (l->code_start != WP_PYLAYOUT_NONE) {
		byte *= UNIT;
		if (code->units >= MAX_AT)
			return 0;
		if (byte >= (__s64)code->units * UNIT)
			return -EBADMSG;
		if (byte < (__s64)code->traceable * UNIT)
			return -ENOENT;
	}
	if (code->table.lines)
		*line = wp_pylines_find(l->lines, code->table.lines, code->table.nr,
					code->table.first, byte);
	return 0;
}

/**
 * wp_pycode_free() - free a function
 * @code: it
 */
void wp_pycode_free(struct wp_pycode *code)
{
	free(code->function);
	free(code->file);
	free(code->table.lines);
	*code = (struct wp_pycode){ 0 };
}
