// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the trampolines that signal handlers return to by their code, since some C
 * libraries have no unwind information for theirs. Called by unwindtable.c and
 * tablecache.c.
 *
 * The file is not trusted: code beyond a size limit, and trampolines beyond a number, are
 * ignored.
 */
#include <elf.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "lib/unwind/trampolines.h"

/* Code of a trampoline. */
static const __u8 *pattern(__u16 machine, size_t *size)
{
	/* mov $15, %rax; syscall */
	static const __u8 x86[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
	/* mov x8, #139; svc #0 */
	static const __u8 arm64[] = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4 };

	*size = machine == EM_AARCH64 ? sizeof(arm64) : sizeof(x86);
	return machine == EM_AARCH64 ? arm64 : x86;
}

/*
 * Whether code, of which @left bytes are available, is never executed: padding, or a
 * trap. Compilers, linkers and the authors of C libraries pad like this; musl's memcpy()
 * comes right after its trampoline.
 */
static bool is_filler(__u16 machine, const __u8 *b, size_t left)
{
	static const __u8 nop[] = { 0x1f, 0x20, 0x03, 0xd5 };

	if (left < sizeof(nop))
		return false;
	if (machine == EM_AARCH64)
		return !memcmp(b, nop, sizeof(nop)) || !(b[0] | b[1] | b[2] | b[3]);
	switch (b[0]) {
	case 0x00:
	case 0x90:	/* nop */
	case 0xcc:	/* int3, int $3 */
	case 0xcd:
	case 0xf4:	/* hlt */
		return true;
	case 0x0f:	/* ud2, nop */
		return b[1] == 0x0b || b[1] == 0x1f;
	case 0x66:	/* nop, with prefixes */
		return b[1] == 0x90 || b[1] == 0x66 || b[1] == 0x2e ||
		       (b[1] == 0x0f && b[2] == 0x1f);
	default:
		return false;
	}
}

/*
 * memmem() examines each byte and would dominate the cost of looking up a file's table.
 * memchr() takes many bytes at a time, and the byte that it searches is rare in code: in
 * libc and bash one in 200 bytes equals the second.
 */
static const __u8 *find_pattern(const __u8 *from, const __u8 *end, const __u8 *wanted,
				size_t size)
{
	const __u8 *at;

	for (; (size_t)(end - from) >= size; from = at) {
		at = memchr(from + 1, wanted[1], end - from - (size - 1));
		if (!at)
			return NULL;
		if (!memcmp(at - 1, wanted, size))
			return at - 1;
	}
	return NULL;
}

/* Size of the pieces in which code is read with pread(). */
#define PIECE		65536

/* Bytes to examine after a trampoline. */
#define BEHIND		4

/*
 * Search a piece of code, at address @start, for trampolines that begin in its first
 * @begin bytes. Returns how much of it is done.
 */
static size_t find_in(struct wp_trampolines *t, __u16 machine, const __u8 *bytes,
		      size_t size, size_t begin, __u64 start)
{
	const __u8 *from = bytes, *end = bytes + size, *wanted, *found;
	size_t length;

	wanted = pattern(machine, &length);
	while (t->nr < WP_TRAMPOLINES_MAX &&
	       (found = find_pattern(from, end, wanted, length))) {
		struct wp_trampoline *one;

		if ((size_t)(found - bytes) >= begin)
			break;
		one = &t->list[t->nr++];
		from = found + length;
		one->start = start + (found - bytes);
		one->end = one->start + length;
		one->reach = one->end + is_filler(machine, from, end - from);
	}
	return (size_t)(from - bytes) > begin ? (size_t)(from - bytes) : begin;
}

static bool read_at(int fd, __u8 *to, size_t size, __u64 at)
{
	ssize_t n;

	for (; size; size -= n, to += n, at += n) {
		n = pread(fd, to, size, at);
		if (n <= 0)
			return false;
	}
	return true;
}

/* Search a segment piece by piece. Holes are skipped. */
static void find_in_file(struct wp_trampolines *t, const struct wp_elfcode *codes,
			 const struct wp_code *code)
{
	__u64 at = code->offset, end = code->offset + code->size, to;
	__u8 bytes[PIECE];
	size_t length, n;

	pattern(codes->machine, &length);
	while (t->nr < WP_TRAMPOLINES_MAX) {
		to = end;
		if (!wp_elfcode_data(codes->fd, &at, &to))
			return;
		n = end - at < PIECE ? end - at : PIECE;
		if (!read_at(codes->fd, bytes, n, at))
			return;
		/* A truncated one is found again in the next piece. */
		at += find_in(t, codes->machine, bytes, n,
			      at + n == end ? n : n - length - BEHIND,
			      code->start + (at - code->offset));
	}
}

/**
 * wp_trampolines_find() - search for trampolines
 * @trampolines: filled in
 * @elf: the file
 * @codes: its code
 */
void wp_trampolines_find(struct wp_trampolines *trampolines, Elf *elf,
			 const struct wp_elfcode *codes)
{
	__u64 left = WP_TRAMPOLINES_CODE;
	Elf_Data *data;
	size_t i;

	trampolines->nr = 0;
	for (i = 0; i < codes->nr; i++) {
		const struct wp_code *code = &codes->code[i];

		if (!code->size || code->size > left)
			continue;
		if (codes->fd >= 0) {
			left -= code->size;
			find_in_file(trampolines, codes, code);
			continue;
		}
		data = elf_getdata_rawchunk(elf, code->offset, code->size, ELF_T_BYTE);
		if (!data || !data->d_buf)
			continue;
		left -= code->size;
		find_in(trampolines, codes->machine, data->d_buf, data->d_size, data->d_size,
			code->start);
	}
}
