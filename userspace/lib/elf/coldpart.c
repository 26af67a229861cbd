// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the part of a function that the compiler has moved away, as it is hardly executed.
 * Its symbol, NAME.cold, is local, so a stripped file has none. Called by elfnames.c.
 *
 * On x86-64 the function jumps there. The part has frame information of its own, which
 * begins within a frame: that of a function, to which there are jumps, too, begins as after
 * a call. Code is not disassembled: bytes that look like a jump and are none lead to
 * a part of another function now and then, so the most frequent one counts.
 *
 * The file is not trusted: a wrong result is possible, an access out of bounds is not.
 */
#include <dwarf.h>
#include <gelf.h>
#include <string.h>

#include "lib/elf/coldpart.h"

/* More of a function is not looked at; few are larger. */
#define MAX_CODE	(1U << 20)

/* Different parts to which jumps lead. */
#define MAX_PARTS	16

/* Jumps that a part needs. */
#define MIN_JUMPS	3

/* Of .eh_frame_hdr: its version; each entry of the table has two offsets from its start. */
#define HDR_VERSION	1
#define HDR_SIZE	12
#define ENTRY_SIZE	8

/* Encoding of a pointer in frame information, as compilers for x86-64 make it. */
#define RELATIVE	(DW_EH_PE_pcrel | DW_EH_PE_sdata4)

/* A frame description up to the size of its augmentation data, which has one byte here. */
#define FDE_SIZE	17

/* Instructions at its beginning that are looked at. */
#define STUBS_SIZE	5

/**
 * struct frames - frame information of a file
 * @elf: the file
 * @address: address of .eh_frame_hdr
 * @table: its table, sorted: offsets of functions, and of their frame descriptions
 * @nr: number of entries
 */
struct frames {
	Elf *elf;
	__u64 address;
	const __u8 *table;
	__u32 nr;
};

static __s32 word_at(const __u8 *at)
{
	__s32 word;

	memcpy(&word, at, sizeof(word));
	return word;
}

/* Bytes at an address, as they are in the file; NULL if they are not. */
static const __u8 *bytes_at(Elf *elf, __u64 address, __u64 size)
{
	size_t nr, i;

	if (elf_getphdrnum(elf, &nr))
		return NULL;
	for (i = 0; i < nr; i++) {
		GElf_Phdr phdr;
		Elf_Data *data;

		if (!gelf_getphdr(elf, i, &phdr) || phdr.p_type != PT_LOAD ||
		    address < phdr.p_vaddr || address - phdr.p_vaddr > phdr.p_filesz ||
		    size > phdr.p_filesz - (address - phdr.p_vaddr))
			continue;
		data = elf_getdata_rawchunk(elf, phdr.p_offset + (address - phdr.p_vaddr), size,
					    ELF_T_BYTE);
		return data && data->d_size == size ? data->d_buf : NULL;
	}
	return NULL;
}

static bool find_frames(Elf *elf, struct frames *f)
{
	const __u8 *head;
	size_t nr, i;

	if (elf_getphdrnum(elf, &nr))
		return false;
	for (i = 0; i < nr; i++) {
		GElf_Phdr phdr;

		if (!gelf_getphdr(elf, i, &phdr) || phdr.p_type != PT_GNU_EH_FRAME)
			continue;
		head = bytes_at(elf, phdr.p_vaddr, HDR_SIZE);
		/* In a part of the file, its size is limited by that. */
		if (!head || head[0] != HDR_VERSION || head[1] != RELATIVE ||
		    head[2] != DW_EH_PE_udata4 || head[3] != (DW_EH_PE_datarel | DW_EH_PE_sdata4))
			return false;
		f->elf = elf;
		f->address = phdr.p_vaddr;
		f->nr = word_at(head + 8);
		f->table = f->nr ? bytes_at(elf, f->address + HDR_SIZE,
					    (__u64)f->nr * ENTRY_SIZE) : NULL;
		return f->table;
	}
	return false;
}

/* The frame information of an address: its entry of the table. */
static const __u8 *entry_of(const struct frames *f, __u64 address)
{
	__u64 at = address - f->address;
	__u32 low = 0, high = f->nr;

	while (low < high) {
		__u32 mid = low + (high - low) / 2;

		if (word_at(f->table + (__u64)mid * ENTRY_SIZE) <= (__s64)at)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? f->table + (__u64)(low - 1) * ENTRY_SIZE : NULL;
}

/* Whether an instruction of a frame description is for a later address, or none. */
static bool is_advance(__u8 op)
{
	return op >> 6 == DW_CFA_advance_loc >> 6 || op == DW_CFA_nop || op == DW_CFA_set_loc ||
	       op == DW_CFA_advance_loc1 || op == DW_CFA_advance_loc2 || op == DW_CFA_advance_loc4;
}

/*
 * Whether a frame description is that of stubs that call other files, which linkers make:
 * it begins within a frame, too.
 */
static bool is_stubs(const __u8 *program)
{
	static const __u8 begin[STUBS_SIZE] = {
		DW_CFA_def_cfa_offset, 16, DW_CFA_advance_loc + 6, DW_CFA_def_cfa_offset, 24,
	};

	return !memcmp(program, begin, sizeof(begin));
}

/* The moved part that an address is in; false: it is in none. */
static bool part_at(const struct frames *f, __u64 address, struct wp_coldpart *part)
{
	const __u8 *entry = entry_of(f, address), *fde;
	__u64 at;

	if (!entry)
		return false;
	part->start = f->address + word_at(entry);
	at = f->address + word_at(entry + 4);
	fde = bytes_at(f->elf, at, FDE_SIZE + STUBS_SIZE);
	/* Size, CIE, start and size of the code, size of the augmentation data, instructions. */
	if (!fde || at + 8 + word_at(fde + 8) != part->start)
		return false;
	part->end = part->start + (__u32)word_at(fde + 12);
	return part->start <= address && address < part->end && !fde[16] &&
	       !is_advance(fde[FDE_SIZE]) && !is_stubs(fde + FDE_SIZE);
}

/* A jump whose last 4 bytes are the distance: the size of its code; 0: it is none. */
static unsigned int jump_at(const __u8 *code)
{
	return code[0] == 0xe9 ? 1 : code[0] == 0x0f && code[1] >> 4 == 8 ? 2 : 0;
}

/**
 * wp_coldpart_find() - find the part of a function that was moved away
 * @elf: the file
 * @start: first address of the function
 * @end: its end, exclusive
 * @part: set to the part
 *
 * Return: false if there is none.
 */
bool wp_coldpart_find(Elf *elf, __u64 start, __u64 end, struct wp_coldpart *part)
{
	struct { struct wp_coldpart part; __u32 jumps; } found[MAX_PARTS];
	__u64 size = end > start ? end - start : 0, i;
	unsigned int nr = 0, k, best = 0;
	const __u8 *code;
	GElf_Ehdr ehdr;
	struct frames f = { 0 };

	if (!gelf_getehdr(elf, &ehdr) || ehdr.e_machine != EM_X86_64 || !find_frames(elf, &f))
		return false;
	size = size < MAX_CODE ? size : MAX_CODE;
	code = size ? bytes_at(elf, start, size) : NULL;
	for (i = 0; code && i + 6 <= size; i++) {
		unsigned int op = jump_at(code + i);
		__u64 to = start + i + op + 4 + (op ? word_at(code + i + op) : 0);
		struct wp_coldpart p;

		if (!op || to - start < size || !part_at(&f, to, &p))
			continue;
		for (k = 0; k < nr && found[k].part.start != p.start; k++)
			;
		if (k == MAX_PARTS)
			continue;
		if (k == nr) {
			found[nr].part = p;
			found[nr++].jumps = 0;
		}
		found[k].jumps++;
	}
	for (k = 1; k < nr; k++) {
		if (found[k].jumps > found[best].jumps)
			best = k;
	}
	if (!nr || found[best].jumps < MIN_JUMPS)
		return false;
	*part = found[best].part;
	return true;
}
