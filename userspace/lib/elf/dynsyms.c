// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the dynamic symbols of an ELF file without section headers: by PT_DYNAMIC, as the
 * dynamic linker does. The file is not trusted. Called by elfnames.c.
 */
#include <gelf.h>
#include <string.h>
#include <linux/types.h>

#include "lib/elf/dynsyms.h"

/* Far more than such files have. */
#define MAX_SYMBOLS	(1U << 19)
#define MAX_NAMES	(32U << 20)
#define MAX_BUCKETS	(1U << 20)
#define MAX_CHAIN	4096

/* Positions of the dynamic linker's tables, as offsets in the file; 0 if there is none. */
struct places {
	__u64 symbols;
	__u64 names;
	__u64 names_size;
	__u64 hash;
	__u64 gnu_hash;
};

static __u64 offset_of(Elf *elf, __u64 address)
{
	size_t nr, i;

	if (!address || elf_getphdrnum(elf, &nr))
		return 0;
	for (i = 0; i < nr; i++) {
		GElf_Phdr phdr;

		if (gelf_getphdr(elf, i, &phdr) && phdr.p_type == PT_LOAD &&
		    address >= phdr.p_vaddr && address - phdr.p_vaddr < phdr.p_filesz)
			return address - phdr.p_vaddr + phdr.p_offset;
	}
	return 0;
}

static Elf_Data *dynamic_of(Elf *elf)
{
	size_t nr, i;

	if (elf_getphdrnum(elf, &nr))
		return NULL;
	for (i = 0; i < nr; i++) {
		GElf_Phdr phdr;

		if (gelf_getphdr(elf, i, &phdr) && phdr.p_type == PT_DYNAMIC)
			return elf_getdata_rawchunk(elf, phdr.p_offset, phdr.p_filesz, ELF_T_DYN);
	}
	return NULL;
}

static bool find(Elf *elf, struct places *at)
{
	Elf_Data *data = dynamic_of(elf);
	GElf_Dyn dyn;
	int i;

	memset(at, 0, sizeof(*at));
	for (i = 0; data && gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++) {
		switch (dyn.d_tag) {
		case DT_SYMTAB:
			at->symbols = offset_of(elf, dyn.d_un.d_ptr);
			break;
		case DT_STRTAB:
			at->names = offset_of(elf, dyn.d_un.d_ptr);
			break;
		case DT_STRSZ:
			at->names_size = dyn.d_un.d_val;
			break;
		case DT_HASH:
			at->hash = offset_of(elf, dyn.d_un.d_ptr);
			break;
		case DT_GNU_HASH:
			at->gnu_hash = offset_of(elf, dyn.d_un.d_ptr);
			break;
		default:
			break;
		}
	}
	return at->symbols && at->names && at->names_size && at->names_size <= MAX_NAMES;
}

static bool read_words(Elf *elf, __u64 at, size_t nr, const __u32 **words)
{
	Elf_Data *data = elf_getdata_rawchunk(elf, at, nr * sizeof(**words), ELF_T_WORD);

	if (!data || !data->d_buf || data->d_size < nr * sizeof(**words))
		return false;
	*words = data->d_buf;
	return true;
}

/* The last symbol of the highest bucket ends a chain: its hash is odd. */
static size_t count_by_buckets(Elf *elf, __u64 at)
{
	__u32 nr, first, last = 0, i, filter;
	const __u32 *words;

	if (!read_words(elf, at, 4, &words))
		return 0;
	nr = words[0];
	first = words[1];
	filter = words[2];
	at += 16 + (__u64)filter * (gelf_getclass(elf) == ELFCLASS64 ? 8 : 4);
	if (!nr || nr > MAX_BUCKETS || !read_words(elf, at, nr, &words))
		return 0;
	for (i = 0; i < nr; i++)
		last = words[i] > last ? words[i] : last;
	if (last < first)
		return first;
	at += 4ULL * nr + 4ULL * (last - first);
	for (i = 0; i < MAX_CHAIN && read_words(elf, at + 4ULL * i, 1, &words); i++) {
		if (*words & 1)
			return (size_t)last + i + 1;
	}
	return 0;
}

static size_t count(Elf *elf, const struct places *at)
{
	size_t size = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT), nr = 0;
	const __u32 *words;

	if (at->hash && read_words(elf, at->hash, 2, &words))
		nr = words[1];
	if (!nr && at->gnu_hash)
		nr = count_by_buckets(elf, at->gnu_hash);
	/* Linkers put names after symbols. */
	if (!nr && size && at->names > at->symbols)
		nr = (at->names - at->symbols) / size;
	return nr <= MAX_SYMBOLS ? nr : 0;
}

/**
 * wp_dynsyms_find() - find a file's symbols
 * @found: set to the symbols
 * @elf: the file
 *
 * Return: true if there are any.
 */
bool wp_dynsyms_find(struct wp_dynsyms *found, Elf *elf)
{
	struct places at;

	if (!find(elf, &at))
		return false;
	found->nr = count(elf, &at);
	if (!found->nr)
		return false;
	found->symbols = elf_getdata_rawchunk(elf, at.symbols,
					      gelf_fsize(elf, ELF_T_SYM, found->nr, EV_CURRENT),
					      ELF_T_SYM);
	found->names = elf_getdata_rawchunk(elf, at.names, at.names_size, ELF_T_BYTE);
	return found->symbols && found->symbols->d_buf && found->names && found->names->d_buf;
}
