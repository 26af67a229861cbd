// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the executable segments of an ELF file, which is hostile: what is
 * returned is sorted, does not overlap and does not wrap.
 */
#include <elf.h>
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "lib/elfcode.h"

static int by_address(const void *va, const void *vb)
{
	const struct wp_code *a = va, *b = vb;

	return a->start < b->start ? -1 : a->start > b->start;
}

static bool is_ours(struct wp_elfcode *codes, Elf *elf)
{
	GElf_Ehdr eh;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &eh) ||
	    eh.e_ident[EI_CLASS] != ELFCLASS64 || eh.e_ident[EI_DATA] != ELFDATA2LSB ||
	    (eh.e_type != ET_EXEC && eh.e_type != ET_DYN))
		return false;
	codes->machine = eh.e_machine;
	codes->entry = eh.e_entry;
	return true;
}

/**
 * wp_elfcode_read() - find the code of a file
 * @codes: filled in
 * @elf: the file
 *
 * Return: 0, or -ENOEXEC if it is no program or library of 64 bits, or has no
 * code.
 */
int wp_elfcode_read(struct wp_elfcode *codes, Elf *elf)
{
	GElf_Phdr ph;
	size_t nr, i;

	memset(codes, 0, sizeof(*codes));
	if (!is_ours(codes, elf) || elf_getphdrnum(elf, &nr))
		return -ENOEXEC;
	for (i = 0; i < nr && codes->nr < WP_CODE_MAX; i++) {
		if (!gelf_getphdr(elf, i, &ph) || ph.p_type != PT_LOAD ||
		    !(ph.p_flags & PF_X) || !ph.p_memsz ||
		    ph.p_vaddr + ph.p_memsz < ph.p_vaddr)
			continue;
		codes->code[codes->nr++] = (struct wp_code){
			.start = ph.p_vaddr, .end = ph.p_vaddr + ph.p_memsz,
			.offset = ph.p_offset,
			.size = ph.p_filesz < ph.p_memsz ? ph.p_filesz : ph.p_memsz,
		};
	}
	qsort(codes->code, codes->nr, sizeof(*codes->code), by_address);
	for (i = 1; i < codes->nr; i++) {
		if (codes->code[i].start < codes->code[i - 1].end)
			return -ENOEXEC;
	}
	return codes->nr ? 0 : -ENOEXEC;
}

/**
 * wp_elfcode_find() - the segment that an address lies in
 * @codes: the file's code
 * @addr: address in the file
 *
 * Return: the segment, or NULL.
 */
const struct wp_code *wp_elfcode_find(const struct wp_elfcode *codes, __u64 addr)
{
	size_t i;

	for (i = 0; i < codes->nr; i++) {
		if (addr >= codes->code[i].start && addr < codes->code[i].end)
			return &codes->code[i];
	}
	return NULL;
}

/**
 * wp_elfcode_bias() - how far a mapping moves the file's addresses
 * @codes: the file's code
 * @start: first address of the mapping
 * @end: the one behind its last
 * @offset: where in the file it begins
 * @bias: set to address in the process less address in the file
 *
 * Return: whether the mapping holds code of the file.
 */
bool wp_elfcode_bias(const struct wp_elfcode *codes, __u64 start, __u64 end,
		     __u64 offset, __u64 *bias)
{
	size_t i;

	for (i = 0; i < codes->nr; i++) {
		const struct wp_code *code = &codes->code[i];

		/* A mapping is of whole pages: it may begin before, end behind. */
		if (offset >= code->offset + code->size ||
		    offset + (end - start) <= code->offset)
			continue;
		*bias = start - offset + code->offset - code->start;
		return true;
	}
	return false;
}
