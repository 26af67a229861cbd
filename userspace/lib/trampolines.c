// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the trampolines that signal handlers return to by their code, since some
 * C libraries say nothing of theirs. Called from unwindtable.c and tablecache.c.
 *
 * The file is hostile: a piece of code that is too large is not looked at, nor
 * what comes after so many of them.
 */
#include <elf.h>
#include <string.h>

#include "lib/trampolines.h"

/* What one looks like. */
static const __u8 *pattern(__u16 machine, __u64 *size)
{
	/* mov $15, %rax; syscall */
	static const __u8 x86[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
	/* mov x8, #139; svc #0 */
	static const __u8 arm64[] = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4 };

	*size = machine == EM_AARCH64 ? sizeof(arm64) : sizeof(x86);
	return machine == EM_AARCH64 ? arm64 : x86;
}

static void find_in(struct wp_trampolines *t, const __u8 *wanted, const Elf_Data *data,
		    __u64 start)
{
	const __u8 *from = data->d_buf, *end = from + data->d_size, *found;

	while (t->nr < WP_TRAMPOLINES_MAX &&
	       (found = memmem(from, end - from, wanted, t->size))) {
		t->start[t->nr++] = start + (found - (const __u8 *)data->d_buf);
		from = found + t->size;
	}
}

/**
 * wp_trampolines_find() - look for trampolines
 * @trampolines: filled in
 * @elf: the file
 * @codes: its code
 */
void wp_trampolines_find(struct wp_trampolines *trampolines, Elf *elf,
			 const struct wp_elfcode *codes)
{
	const __u8 *wanted = pattern(codes->machine, &trampolines->size);
	__u64 left = WP_TRAMPOLINES_CODE;
	Elf_Data *data;
	size_t i;

	trampolines->nr = 0;
	for (i = 0; i < codes->nr; i++) {
		const struct wp_code *code = &codes->code[i];

		if (!code->size || code->size > left)
			continue;
		data = elf_getdata_rawchunk(elf, code->offset, code->size, ELF_T_BYTE);
		if (!data || !data->d_buf)
			continue;
		left -= code->size;
		find_in(trampolines, wanted, data, code->start);
	}
}
