// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the executable segments of an ELF file, which is not trusted: the result is
 * sorted, does not overlap and does not wrap.
 */
#include <elf.h>
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/elf/elfcheck.h"
#include "lib/elf/elfcode.h"

/* Limit of data pieces in a segment; what follows them does not count as code. */
#define PIECES_MAX	1024

/* Limit for the names of sections: libc has 1 KiB. */
#define NAMES_MAX	(1ULL << 20)

/**
 * wp_elfcode_begin() - open a file with libelf
 * @fd: the file; it is read, not mapped, as its owner may truncate it
 *
 * Return: the file, or NULL if its headers are not plausible or memory ran out.
 */
Elf *wp_elfcode_begin(int fd)
{
	struct stat st;

	if (fstat(fd, &st) || wp_elfcheck(fd, &st))
		return NULL;
	return elf_begin(fd, ELF_C_READ, NULL);
}

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

static int by_offset(const void *va, const void *vb)
{
	const struct wp_code *a = va, *b = vb;

	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Number of data bytes, not holes, in a range of the file. */
static __u64 data_in(const struct wp_elfcode *codes, Elf *elf, __u64 from, __u64 end)
{
	__u64 to, bytes = 0;
	int i;

	/* There is no data beyond the end of the file, whatever the header says. */
	if (from >= end || !elf_getdata_rawchunk(elf, end - 1, 1, ELF_T_BYTE))
		return 0;
	if (codes->fd < 0)
		return end - from;
	for (i = 0; i < PIECES_MAX; i++, from = to) {
		to = end;
		if (!wp_elfcode_data(codes->fd, &from, &to))
			break;
		bytes += to - from;
	}
	return bytes;
}

static __u64 bytes_of(const struct wp_elfcode *codes, Elf *elf)
{
	struct wp_code code[WP_CODE_MAX];
	__u64 bytes = 0, done = 0;
	size_t i;

	memcpy(code, codes->code, codes->nr * sizeof(*code));
	qsort(code, codes->nr, sizeof(*code), by_offset);
	for (i = 0; i < codes->nr; i++) {
		__u64 from = code[i].offset, end;

		/* Count shared parts only once. */
		if (__builtin_add_overflow(from, code[i].size, &end) || end <= done)
			continue;
		if (from < done)
			from = done;
		bytes += data_in(codes, elf, from, end);
		done = end;
	}
	return bytes;
}

/**
 * wp_elfcode_read() - find the code of a file
 * @codes: filled in
 * @elf: the file
 *
 * Return: 0, or -ENOEXEC if it is no 64-bit program or library, or has no code.
 */
int wp_elfcode_read(struct wp_elfcode *codes, Elf *elf)
{
	GElf_Phdr ph;
	size_t nr, i;

	memset(codes, 0, sizeof(*codes));
	codes->fd = -1;
	if (!is_ours(codes, elf) || elf_getphdrnum(elf, &nr) || nr > WP_PHDRS_MAX)
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
	codes->bytes = bytes_of(codes, elf);
	return codes->nr ? 0 : -ENOEXEC;
}

/**
 * wp_elfcode_read_fd() - the same for a file that is also read directly
 * @codes: filled in
 * @elf: the file
 * @fd: the same file; must stay open as long as @codes is used for reading code
 *
 * Return: as wp_elfcode_read().
 */
int wp_elfcode_read_fd(struct wp_elfcode *codes, Elf *elf, int fd)
{
	int ret = wp_elfcode_read(codes, elf);

	if (ret || fd < 0)
		return ret;
	codes->fd = fd;
	codes->bytes = bytes_of(codes, elf);
	return 0;
}

/**
 * wp_elfcode_is_valid() - check a description of code from elsewhere, which is not trusted
 * @codes: the description
 */
bool wp_elfcode_is_valid(const struct wp_elfcode *codes)
{
	size_t i;

	if (!codes->nr || codes->nr > WP_CODE_MAX)
		return false;
	for (i = 0; i < codes->nr; i++) {
		const struct wp_code *c = &codes->code[i];

		if (c->end <= c->start || c->size > c->end - c->start ||
		    c->offset + c->size < c->offset || (i && c->start < c[-1].end))
			return false;
	}
	return true;
}

/**
 * wp_elfcode_data() - the first data, not a hole, in a range of a file
 * @fd: the file
 * @from: start of the range; moved to the start of data
 * @to: end of the range; moved to the end of that data
 *
 * File systems without holes report all as data.
 *
 * Return: true if there is data in the range.
 */
bool wp_elfcode_data(int fd, __u64 *from, __u64 *to)
{
	off_t data, hole;

	if (*from >= *to)
		return false;
	data = lseek(fd, *from, SEEK_DATA);
	if (data < 0)
		return errno != ENXIO;
	if ((__u64)data >= *to)
		return false;
	*from = data;
	hole = lseek(fd, data, SEEK_HOLE);
	if (hole > data && (__u64)hole < *to)
		*to = hole;
	return true;
}

/**
 * wp_elfcode_names() - the section of section names
 * @elf: the file
 * @index: set to its number, for elf_strptr(), which reads it completely
 *
 * Return: true if there is one, of a plausible size.
 */
bool wp_elfcode_names(Elf *elf, size_t *index)
{
	Elf_Scn *scn;
	GElf_Shdr sh;

	if (elf_getshdrstrndx(elf, index))
		return false;
	scn = elf_getscn(elf, *index);
	return scn && gelf_getshdr(scn, &sh) && sh.sh_type == SHT_STRTAB &&
	       !(sh.sh_flags & SHF_COMPRESSED) && sh.sh_size <= NAMES_MAX;
}

/**
 * wp_elfcode_limit() - limit for data that describes a file's code
 * @codes: its code
 * @least: bytes that any file may have
 * @times: bytes for each byte of code
 *
 * Return: bytes.
 */
__u64 wp_elfcode_limit(const struct wp_elfcode *codes, __u64 least, unsigned int times)
{
	return codes->bytes > least / times ? codes->bytes * times : least;
}

/**
 * wp_elfcode_find() - the segment of an address
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
 * wp_elfcode_bias() - offset of a mapping from the file's addresses
 * @codes: the file's code
 * @start: first address of the mapping
 * @end: its end, exclusive
 * @offset: its offset in the file
 * @bias: set to address in the process minus address in the file
 *
 * Return: true if the mapping contains code of the file.
 */
bool wp_elfcode_bias(const struct wp_elfcode *codes, __u64 start, __u64 end,
		     __u64 offset, __u64 *bias)
{
	size_t i;

	for (i = 0; i < codes->nr; i++) {
		const struct wp_code *code = &codes->code[i];

		/*
		 * A mapping consists of pages: it may begin before the segment, and end
		 * after it.
		 */
		if (offset >= code->offset + code->size ||
		    offset + (end - start) <= code->offset)
			continue;
		*bias = start - offset + code->offset - code->start;
		return true;
	}
	return false;
}
