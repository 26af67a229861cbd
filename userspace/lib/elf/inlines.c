// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the debug information of a file, and finds the functions that were inlined at an
 * address: DW_TAG_inlined_subroutine, DWARF 5, 3.3.8.2. Called by symbols.c.
 *
 * The compilation unit of an address is looked up in the units' own ranges: only GCC
 * writes the table for this purpose, .debug_aranges.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/elf/inlines.h"

/**
 * struct range - addresses of a compilation unit
 * @start: the first one
 * @end: end, exclusive
 * @unit: offset of its DIE
 */
struct range {
	__u64 start;
	__u64 end;
	Dwarf_Off unit;
};

/**
 * struct opened - debug information of one file
 * @fd: the file, or -1
 * @elf: the same, open in libelf
 * @dwarf: its debug information, or NULL
 */
struct opened {
	int fd;
	Elf *elf;
	Dwarf *dwarf;
};

/**
 * struct wp_inlines - a file's debug information
 * @main: the file
 * @alt: the one shared with other files; empty if there is none
 * @range: ranges of all units, by address
 * @nr: their number
 * @room: allocated ranges
 */
struct wp_inlines {
	struct opened main;
	struct opened alt;
	struct range *range;
	size_t nr;
	size_t room;
};

static int by_start(const void *pa, const void *pb)
{
	const struct range *a = pa, *b = pb;

	return (a->start > b->start) - (a->start < b->start);
}

static bool add_range(struct wp_inlines *in, __u64 start, __u64 end, Dwarf_Off unit)
{
	if (in->nr == in->room) {
		size_t room = in->room ? 2 * in->room : 64;
		void *more = reallocarray(in->range, room, sizeof(*in->range));

		if (!more)
			return false;
		in->range = more;
		in->room = room;
	}
	in->range[in->nr++] = (struct range){ .start = start, .end = end, .unit = unit };
	return true;
}

static bool add_unit(struct wp_inlines *in, Dwarf_Die *unit)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(unit, at, &base, &start, &end)) > 0) {
		if (start < end && !add_range(in, start, end, dwarf_dieoffset(unit)))
			return false;
	}
	return true;
}

static bool add_units(struct wp_inlines *in)
{
	Dwarf_Off at = 0, next;
	size_t head;

	while (!dwarf_nextcu(in->main.dwarf, at, &next, &head, NULL, NULL, NULL)) {
		Dwarf_Die unit;

		if (dwarf_offdie(in->main.dwarf, at + head, &unit) && !add_unit(in, &unit))
			return false;
		at = next;
	}
	if (in->nr)
		qsort(in->range, in->nr, sizeof(*in->range), by_start);
	return true;
}

static void close_it(struct opened *o)
{
	if (o->dwarf)
		dwarf_end(o->dwarf);
	elf_end(o->elf);
	if (o->fd >= 0)
		close(o->fd);
	*o = (struct opened){ .fd = -1 };
}

static bool open_it(struct opened *o, int fd)
{
	o->fd = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
	o->elf = o->fd < 0 ? NULL : elf_begin(o->fd, ELF_C_READ, NULL);
	o->dwarf = o->elf ? dwarf_begin_elf(o->elf, DWARF_C_READ, NULL) : NULL;
	if (!o->dwarf)
		close_it(o);
	return o->dwarf;
}

#if __BYTE_ORDER == __BIG_ENDIAN
#define OUR_DATA	ELFDATA2MSB
#else
#define OUR_DATA	ELFDATA2LSB
#endif

#define NAMES		"\0.debug_info\0.debug_abbrev"

/*
 * An empty file of shared debug information. Without one, libdw would open the path that
 * the other file refers to.
 */
struct empty {
	Elf64_Ehdr eh;
	Elf64_Shdr sh[4];
	char names[sizeof(NAMES)];
	char abbrev[1];
	char info[16];
};

static struct empty empty = {
	.eh = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, OUR_DATA, EV_CURRENT },
		.e_type = ET_EXEC, .e_version = EV_CURRENT, .e_ehsize = sizeof(Elf64_Ehdr),
		.e_shoff = offsetof(struct empty, sh), .e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 4, .e_shstrndx = 3,
	},
	.sh = {
		[1] = {
			.sh_name = 1, .sh_type = SHT_PROGBITS, .sh_addralign = 1,
			.sh_offset = offsetof(struct empty, info), .sh_size = sizeof(empty.info),
		},
		[2] = {
			.sh_name = 13, .sh_type = SHT_PROGBITS, .sh_addralign = 1,
			.sh_offset = offsetof(struct empty, abbrev),
			.sh_size = sizeof(empty.abbrev),
		},
		[3] = {
			.sh_type = SHT_STRTAB, .sh_addralign = 1,
			.sh_offset = offsetof(struct empty, names), .sh_size = sizeof(NAMES),
		},
	},
	.names = NAMES,
};

static bool open_empty(struct opened *o)
{
	*o = (struct opened){ .fd = -1, .elf = elf_memory((char *)&empty, sizeof(empty)) };
	o->dwarf = o->elf ? dwarf_begin_elf(o->elf, DWARF_C_READ, NULL) : NULL;
	if (!o->dwarf)
		close_it(o);
	return o->dwarf;
}

/**
 * wp_inlines_new() - open the debug information of a file
 * @files: the file, and those with its debug information; they stay open
 *
 * Return: the debug information, to be freed with wp_inlines_free(); NULL if there is
 * none, or no memory.
 */
struct wp_inlines *wp_inlines_new(const struct wp_elffiles *files)
{
	struct wp_inlines *in = calloc(1, sizeof(*in));

	if (!in)
		return NULL;
	in->main.fd = -1;
	in->alt.fd = -1;
	if ((!open_it(&in->main, files->main) && !open_it(&in->main, files->debug)) ||
	    (!open_it(&in->alt, files->alt) && !open_empty(&in->alt)))
		goto bad;
	dwarf_setalt(in->main.dwarf, in->alt.dwarf);
	if (add_units(in))
		return in;
bad:
	wp_inlines_free(in);
	return NULL;
}

/* The unit of an address; of nested ranges the last one. */
static const struct range *range_of(const struct wp_inlines *in, __u64 address)
{
	size_t low = 0, high = in->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (in->range[mid].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low && address < in->range[low - 1].end ? &in->range[low - 1] : NULL;
}

/* The linker's name, if there is one. */
static const char *name_of(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *name = NULL;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attr) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr))
		name = dwarf_formstring(&attr);
	return name ? name : dwarf_diename(die);
}

/**
 * wp_inlines_find() - the functions that are inlined at an address
 * @in: the debug information
 * @address: the address, as in the file's program headers
 * @names: set to their linker names, the innermost first; valid until wp_inlines_free()
 * @room: size of @names: outer functions beyond it are left out
 *
 * Return: their number.
 */
size_t wp_inlines_find(const struct wp_inlines *in, __u64 address, const char **names,
		       size_t room)
{
	const struct range *range = range_of(in, address);
	Dwarf_Die unit, *by_words = NULL, *by_place = NULL;
	size_t nr = 0;
	int all, i;

	if (!range || !dwarf_offdie(in->main.dwarf, range->unit, &unit))
		return 0;
	/* The lexical scopes of an inlined function differ from those at its call. */
	all = dwarf_getscopes(&unit, address, &by_words);
	if (all > 0)
		all = dwarf_getscopes_die(&by_words[0], &by_place);
	for (i = 0; i < all && nr < room; i++) {
		int tag = dwarf_tag(&by_place[i]);
		const char *name;

		if (tag == DW_TAG_subprogram)
			break;
		name = tag == DW_TAG_inlined_subroutine ? name_of(&by_place[i]) : NULL;
		if (name)
			names[nr++] = name;
	}
	free(by_words);
	free(by_place);
	return nr;
}

/**
 * wp_inlines_free() - free the debug information
 * @in: the debug information, or NULL
 */
void wp_inlines_free(struct wp_inlines *in)
{
	if (!in)
		return;
	/* The one that uses the other first. */
	close_it(&in->main);
	close_it(&in->alt);
	free(in->range);
	free(in);
}
