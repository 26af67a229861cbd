// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the limits for the headers of an ELF file. libelf and libdw allocate and read what
 * headers say; a sparse file of some KiB can say anything. Called before these libraries
 * get a file, by every parser; it uses pread() and lseek() only, and reads a few MiB at
 * most.
 *
 * The limits are far above what linkers produce. Sections that are read completely must
 * not consist of holes, so that their cost in memory is also paid on disk; compressed
 * data must not expand more than debug information does.
 */
#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>
#include <linux/types.h>

#include "lib/elf/elfcheck.h"

/* The kernel starts no program with more. */
#define MAX_PHDR_BYTES	65536

/* Each costs some 250 bytes in libelf. */
#define MAX_SECTIONS	65536

#define MAX_DYNAMIC	(1ULL << 20)
#define MAX_SECTION_NAMES (16ULL << 20)
#define MAX_STRINGS	(512ULL << 20)
#define MAX_SYMBOLS	(16ULL << 20)

/* Limits for names: bytes per symbol, on average, and a constant. */
#define MAX_NAME	4096
#define STRINGS_SLACK	(1ULL << 20)

/* Limits for compressed sections: their number, and their total decompressed size. */
#define MAX_COMPRESSED	64
#define MAX_RATIO	32
#define RATIO_SLACK	(16ULL << 20)
#define MAX_EXPANDED	(4ULL << 30)

/* Only larger sections are checked for holes. */
#define HOLES_FROM	(64ULL << 10)
#define MAX_EXTENTS	1024

#define HEADERS_AT_ONCE	64

/* Bytes read at once: headers are small and adjacent. */
#define WINDOW		4096

/* The relevant fields of a section's header. */
struct section {
	__u32 type;
	__u32 link;
	__u64 flags;
	__u64 offset;
	__u64 size;
};

struct piece {
	__u64 start;
	__u64 end;
};

/**
 * struct image - a file, or a copy of one in memory
 * @fd: the file, or -1
 * @memory: the copy
 * @size: its size
 * @is64: it is 64-bit
 * @swapped: its byte order is not ours
 * @shoff: offset of the section headers
 * @nr_sections: their number; 0 if they are not all in the file
 * @shstrndx: the section of their names
 * @packed: compressed sections
 * @nr_packed: their number
 * @packed_bytes: sum of their sizes
 * @expanded: sum of their decompressed sizes, according to the headers
 * @window: bytes of the file that were read last
 * @window_at: their offset in the file
 * @window_size: their number
 */
struct image {
	int fd;
	const char *memory;
	__u64 size;
	bool is64;
	bool swapped;
	__u64 shoff;
	__u64 nr_sections;
	__u64 shstrndx;
	struct piece packed[MAX_COMPRESSED];
	size_t nr_packed;
	__u64 packed_bytes;
	__u64 expanded;
	char window[WINDOW];
	__u64 window_at;
	size_t window_size;
};

static bool within(const struct image *e, __u64 offset, __u64 size)
{
	return offset <= e->size && size <= e->size - offset;
}

static bool read_whole(int fd, void *to, size_t size, __u64 offset)
{
	size_t done = 0;
	ssize_t n;

	while (done < size) {
		n = pread(fd, (char *)to + done, size - done, offset + done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += n;
	}
	return true;
}

static bool read_at(struct image *e, void *to, size_t size, __u64 offset)
{
	if (!within(e, offset, size))
		return false;
	if (e->fd < 0) {
		memcpy(to, e->memory + offset, size);
		return true;
	}
	if (size > WINDOW / 2)
		return read_whole(e->fd, to, size, offset);
	if (offset < e->window_at || offset + size > e->window_at + e->window_size) {
		e->window_at = offset;
		e->window_size = e->size - offset < WINDOW ? e->size - offset : WINDOW;
		if (!read_whole(e->fd, e->window, e->window_size, offset)) {
			e->window_size = 0;
			return false;
		}
	}
	memcpy(to, e->window + (offset - e->window_at), size);
	return true;
}

static __u16 half(const struct image *e, __u16 value)
{
	return e->swapped ? __builtin_bswap16(value) : value;
}

static __u32 word(const struct image *e, __u32 value)
{
	return e->swapped ? __builtin_bswap32(value) : value;
}

static __u64 xword(const struct image *e, __u64 value)
{
	return e->swapped ? __builtin_bswap64(value) : value;
}

static struct section section_of(const struct image *e, const void *header)
{
	Elf32_Shdr s;
	Elf64_Shdr l;

	if (e->is64) {
		memcpy(&l, header, sizeof(l));
		return (struct section){
			.type = word(e, l.sh_type), .link = word(e, l.sh_link),
			.flags = xword(e, l.sh_flags), .offset = xword(e, l.sh_offset),
			.size = xword(e, l.sh_size),
		};
	}
	memcpy(&s, header, sizeof(s));
	return (struct section){
		.type = word(e, s.sh_type), .link = word(e, s.sh_link),
		.flags = word(e, s.sh_flags), .offset = word(e, s.sh_offset),
		.size = word(e, s.sh_size),
	};
}

static size_t header_size(const struct image *e)
{
	return e->is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
}

static bool read_section(struct image *e, __u64 index, struct section *s)
{
	char header[sizeof(Elf64_Shdr)];

	if (index >= e->nr_sections ||
	    !read_at(e, header, header_size(e), e->shoff + index * header_size(e)))
		return false;
	*s = section_of(e, header);
	return true;
}

/* Counts that do not fit into the ELF header are in the first section header. */
static bool count_sections(struct image *e, __u64 nr, __u64 shstrndx)
{
	char header[sizeof(Elf64_Shdr)];
	struct section first;

	e->nr_sections = nr;
	e->shstrndx = shstrndx;
	if (e->shoff && (!nr || shstrndx == SHN_XINDEX) &&
	    read_at(e, header, header_size(e), e->shoff)) {
		first = section_of(e, header);
		if (!nr)
			e->nr_sections = first.size;
		if (shstrndx == SHN_XINDEX)
			e->shstrndx = first.link;
	}
	if (e->nr_sections > MAX_SECTIONS)
		return false;
	/* libelf ignores them then, too. */
	if (!within(e, e->shoff, e->nr_sections * header_size(e)))
		e->nr_sections = 0;
	return true;
}

static bool check_segments(struct image *e, __u64 phoff, __u64 nr)
{
	size_t size = e->is64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	__u64 notes = 0, i, offset, bytes;
	Elf64_Phdr l;
	Elf32_Phdr s;
	__u32 type;

	if (!nr)
		return true;
	if (nr * size > MAX_PHDR_BYTES || !within(e, phoff, nr * size))
		return false;
	for (i = 0; i < nr; i++) {
		if (e->is64) {
			if (!read_at(e, &l, sizeof(l), phoff + i * size))
				return false;
			type = word(e, l.p_type);
			offset = xword(e, l.p_offset);
			bytes = xword(e, l.p_filesz);
		} else {
			if (!read_at(e, &s, sizeof(s), phoff + i * size))
				return false;
			type = word(e, s.p_type);
			offset = word(e, s.p_offset);
			bytes = word(e, s.p_filesz);
		}
		/*
		 * Files of debug information have headers of sections that they do not
		 * contain.
		 */
		if (!within(e, offset, bytes))
			continue;
		if (type == PT_NOTE && bytes > WP_ELFCHECK_NOTES - notes)
			return false;
		notes += type == PT_NOTE ? bytes : 0;
		if (type == PT_DYNAMIC && bytes > MAX_DYNAMIC)
			return false;
	}
	return true;
}

/* A few zero blocks may be holes. File systems without holes report none. */
static bool is_solid(const struct image *e, const struct section *s)
{
	__u64 at = s->offset, end = s->offset + s->size, holes = 0;
	off_t hole, data;
	int i;

	if (e->fd < 0 || s->size <= HOLES_FROM)
		return true;
	for (i = 0; i < MAX_EXTENTS; i++) {
		hole = lseek(e->fd, at, SEEK_HOLE);
		if (hole < 0 || (__u64)hole >= end)
			return true;
		data = lseek(e->fd, hole, SEEK_DATA);
		if (data < 0 || (__u64)data > end)
			data = end;
		holes += data - hole;
		if (holes > HOLES_FROM + s->size / 8)
			return false;
		at = data;
		if (at == end)
			return true;
	}
	return false;
}

static bool check_symbols(struct image *e, const struct section *s)
{
	__u64 nr = s->size / (e->is64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym));
	struct section names;

	if (nr > MAX_SYMBOLS || !is_solid(e, s))
		return false;
	/* A wrong type is left to the parser. */
	return !read_section(e, s->link, &names) || names.type != SHT_STRTAB ||
	       names.size <= STRINGS_SLACK + nr * MAX_NAME;
}

static bool add_compressed(struct image *e, const struct section *s, __u64 expanded)
{
	struct piece new = { s->offset, s->offset + s->size };
	size_t i;

	if (e->nr_packed == MAX_COMPRESSED || expanded > MAX_EXPANDED)
		return false;
	for (i = 0; i < e->nr_packed; i++) {
		if (new.start < e->packed[i].end && e->packed[i].start < new.end)
			return false;
	}
	e->packed[e->nr_packed++] = new;
	e->packed_bytes += s->size;
	e->expanded += expanded;
	return e->expanded <= MAX_EXPANDED &&
	       e->expanded <= RATIO_SLACK + MAX_RATIO * e->packed_bytes;
}

static bool check_compressed(struct image *e, const struct section *s)
{
	Elf64_Chdr l;
	Elf32_Chdr c;

	if (e->is64) {
		if (s->size < sizeof(l) || !read_at(e, &l, sizeof(l), s->offset))
			return true;
		return add_compressed(e, s, xword(e, l.ch_size));
	}
	if (s->size < sizeof(c) || !read_at(e, &c, sizeof(c), s->offset))
		return true;
	return add_compressed(e, s, word(e, c.ch_size));
}

/* The old compression of GNU tools, marked by the section's name: .zdebug_*. */
static bool check_gnu_compressed(struct image *e, const struct section *s)
{
	static const char magic[] = "ZLIB";
	struct {
		char magic[4];
		__u8 size[8];
	} head;
	__u64 size;

	if (s->size < sizeof(head) || !read_at(e, &head, sizeof(head), s->offset) ||
	    memcmp(head.magic, magic, sizeof(head.magic)))
		return true;
	memcpy(&size, head.size, sizeof(size));
	return add_compressed(e, s, be64toh(size));
}

static bool check_section(struct image *e, __u64 index, const struct section *s)
{
	if (s->type == SHT_NULL || s->type == SHT_NOBITS || !s->size)
		return true;
	if (!within(e, s->offset, s->size))
		return false;
	if (index == e->shstrndx && s->size > MAX_SECTION_NAMES)
		return false;
	if (s->flags & SHF_COMPRESSED)
		return check_compressed(e, s);
	switch (s->type) {
	case SHT_STRTAB:
		return s->size <= MAX_STRINGS && is_solid(e, s);
	case SHT_SYMTAB:
	case SHT_DYNSYM:
		return check_symbols(e, s);
	case SHT_PROGBITS:
		return s->flags & SHF_ALLOC || check_gnu_compressed(e, s);
	default:
		return true;
	}
}

static bool check_sections(struct image *e)
{
	char headers[HEADERS_AT_ONCE * sizeof(Elf64_Shdr)];
	size_t size = header_size(e), nr, k;
	struct section s;
	__u64 i;

	for (i = 0; i < e->nr_sections; i += nr) {
		nr = e->nr_sections - i < HEADERS_AT_ONCE ? e->nr_sections - i :
			HEADERS_AT_ONCE;
		if (!read_at(e, headers, nr * size, e->shoff + i * size))
			return false;
		for (k = 0; k < nr; k++) {
			s = section_of(e, headers + k * size);
			if (!check_section(e, i + k, &s))
				return false;
		}
	}
	return true;
}

static int check(struct image *e)
{
	__u64 phoff, phnum, shnum, shstrndx;
	union {
		unsigned char ident[EI_NIDENT];
		Elf32_Ehdr s;
		Elf64_Ehdr l;
	} head;
	bool big;

	if (!read_at(e, head.ident, sizeof(head.ident), 0) ||
	    memcmp(head.ident, ELFMAG, SELFMAG))
		return -ENOEXEC;
	e->is64 = head.ident[EI_CLASS] == ELFCLASS64;
	big = head.ident[EI_DATA] == ELFDATA2MSB;
	if ((!e->is64 && head.ident[EI_CLASS] != ELFCLASS32) ||
	    (!big && head.ident[EI_DATA] != ELFDATA2LSB) ||
	    !read_at(e, &head, e->is64 ? sizeof(head.l) : sizeof(head.s), 0))
		return -ENOEXEC;
	e->swapped = big != (__BYTE_ORDER == __BIG_ENDIAN);
	if (e->is64) {
		phoff = xword(e, head.l.e_phoff);
		phnum = half(e, head.l.e_phnum);
		e->shoff = xword(e, head.l.e_shoff);
		shnum = half(e, head.l.e_shnum);
		shstrndx = half(e, head.l.e_shstrndx);
	} else {
		phoff = word(e, head.s.e_phoff);
		phnum = half(e, head.s.e_phnum);
		e->shoff = word(e, head.s.e_shoff);
		shnum = half(e, head.s.e_shnum);
		shstrndx = half(e, head.s.e_shstrndx);
	}
	if (!count_sections(e, shnum, shstrndx) || !check_segments(e, phoff, phnum) ||
	    !check_sections(e))
		return -EFBIG;
	return 0;
}

/**
 * wp_elfcheck() - check the sizes in an ELF file's headers
 * @fd: the file; its offset changes
 * @st: its status, from fstat()
 *
 * The file may change afterwards: this bounds the cost for honest files, and is no
 * guarantee for a parser.
 *
 * Return: 0; -ENOEXEC: it is no ELF file; -EFBIG: sizes or numbers are not plausible.
 */
int wp_elfcheck(int fd, const struct stat *st)
{
	struct image e = { .fd = fd, .size = st->st_size };

	return check(&e);
}

/**
 * wp_elfcheck_memory() - the same for a copy in memory
 * @image: the copy
 * @size: its size
 *
 * Return: see wp_elfcheck().
 */
int wp_elfcheck_memory(const void *image, size_t size)
{
	struct image e = { .fd = -1, .memory = image, .size = size };

	return check(&e);
}
