// SPDX-License-Identifier: GPL-2.0
/*
 * Makes ELF files of functions that have names but no code: readers of recordings look up
 * addresses in their symbols. They are found by their build-id.
 *
 * Offsets in the file are addresses, so that readers agree on them.
 *
 * Pure: no I/O, no clock. Of little-endian machines, as all that are supported.
 */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/elf/nameself.h"

#ifdef __aarch64__
#define MACHINE	EM_AARCH64
#else
#define MACHINE	EM_X86_64
#endif

enum {
	SECTION_NONE,
	SECTION_NOTE,
	SECTION_TEXT,
	SECTION_SYMBOLS,
	SECTION_NAMES,
	SECTION_SECTIONS,
	SECTION_NR,
};

/* Names of sections, and where they begin there. */
static const char sections[] = "\0.note.gnu.build-id\0.text\0.symtab\0.strtab\0.shstrtab";
static const Elf64_Word section_name[SECTION_NR] = { 0, 1, 20, 26, 34, 42 };

struct head {
	Elf64_Ehdr file;
	Elf64_Phdr segment[2];
	Elf64_Shdr section[SECTION_NR];
	Elf64_Nhdr note;
	char owner[4];
	__u8 id[(WP_BUILDID_MAX + 3) / 4 * 4];
};

_Static_assert(sizeof(struct head) <= WP_NAMESELF_AT, "it ends before the first function");

static void set_head(struct head *h, const struct wp_buildid *id)
{
	h->file = (Elf64_Ehdr){
		.e_ident = {
			ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT,
		},
		.e_type = ET_DYN,
		.e_machine = MACHINE,
		.e_version = EV_CURRENT,
		.e_phoff = offsetof(struct head, segment),
		.e_shoff = offsetof(struct head, section),
		.e_ehsize = sizeof(h->file),
		.e_phentsize = sizeof(h->segment[0]),
		.e_phnum = 2,
		.e_shentsize = sizeof(h->section[0]),
		.e_shnum = SECTION_NR,
		.e_shstrndx = SECTION_SECTIONS,
	};
	h->note = (Elf64_Nhdr){ sizeof(h->owner), id->size, NT_GNU_BUILD_ID };
	memcpy(h->owner, "GNU", sizeof(h->owner));
	memcpy(h->id, id->data, id->size);
}

static void set_section(struct head *h, unsigned int i, Elf64_Word type, size_t at, size_t size)
{
	Elf64_Shdr section = {
		.sh_name = section_name[i],
		.sh_type = type,
		.sh_offset = at,
		.sh_size = size,
		.sh_addralign = i == SECTION_TEXT ? WP_NAMESELF_BYTES :
				i == SECTION_SYMBOLS ? 8 : i == SECTION_NOTE ? 4 : 1,
	};

	h->section[i] = section;
}

static void set_segment(struct head *h, unsigned int i, Elf64_Word type, size_t at, size_t size)
{
	Elf64_Phdr segment = {
		.p_type = type,
		.p_flags = PF_R,
		.p_offset = at,
		.p_vaddr = at,
		.p_paddr = at,
		.p_filesz = size,
		.p_memsz = size,
		.p_align = 4,
	};

	h->segment[i] = segment;
}

static void set_sections(struct head *h, const struct wp_buildid *id, size_t nr, size_t len)
{
	size_t note = offsetof(struct head, note), note_size = offsetof(struct head, id) - note;
	size_t text = nr * WP_NAMESELF_BYTES, symbols = (nr + 1) * sizeof(Elf64_Sym);
	size_t at = WP_NAMESELF_AT;

	note_size += (id->size + 3) / 4 * 4;
	set_section(h, SECTION_NOTE, SHT_NOTE, note, note_size);
	h->section[SECTION_NOTE].sh_flags = SHF_ALLOC;
	h->section[SECTION_NOTE].sh_addr = note;
	set_section(h, SECTION_TEXT, SHT_PROGBITS, at, text);
	h->section[SECTION_TEXT].sh_flags = SHF_ALLOC | SHF_EXECINSTR;
	h->section[SECTION_TEXT].sh_addr = at;
	set_section(h, SECTION_SYMBOLS, SHT_SYMTAB, at + text, symbols);
	h->section[SECTION_SYMBOLS].sh_link = SECTION_NAMES;
	h->section[SECTION_SYMBOLS].sh_info = 1;
	h->section[SECTION_SYMBOLS].sh_entsize = sizeof(Elf64_Sym);
	set_section(h, SECTION_NAMES, SHT_STRTAB, at + text + symbols, len);
	set_section(h, SECTION_SECTIONS, SHT_STRTAB, at + text + symbols + len,
		    sizeof(sections));
	set_segment(h, 0, PT_LOAD, 0, at + text);
	h->segment[0].p_flags |= PF_X;
	h->segment[0].p_align = WP_NAMESELF_AT;
	set_segment(h, 1, PT_NOTE, note, note_size);
}

/**
 * wp_nameself_make() - make a file
 * @name: returns the name of a function by its number, valid until the next call
 * @ctx: passed to it
 * @nr: number of functions; each has WP_NAMESELF_BYTES, from WP_NAMESELF_AT on
 * @id: the build-id of the file
 * @data: set to the file, to be freed
 * @size: set to its size
 *
 * Return: 0 or -ENOMEM.
 */
int wp_nameself_make(const char *(*name)(void *ctx, size_t i), void *ctx, size_t nr,
		     const struct wp_buildid *id, void **data, size_t *size)
{
	size_t symbols = WP_NAMESELF_AT + nr * WP_NAMESELF_BYTES, names, len = 1, i;
	char *file;

	names = symbols + (nr + 1) * sizeof(Elf64_Sym);
	for (i = 0; i < nr; i++)
		len += strlen(name(ctx, i)) + 1;
	*size = names + len + sizeof(sections);
	file = calloc(1, *size);
	*data = file;
	if (!file)
		return -ENOMEM;
	set_head((struct head *)file, id);
	set_sections((struct head *)file, id, nr, len);
	for (i = 0, len = 1; i < nr; i++) {
		const char *text = name(ctx, i);
		Elf64_Sym symbol = {
			.st_name = len,
			.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			.st_shndx = SECTION_TEXT,
			.st_value = WP_NAMESELF_AT + i * WP_NAMESELF_BYTES,
			.st_size = WP_NAMESELF_BYTES,
		};

		memcpy(file + symbols + (i + 1) * sizeof(symbol), &symbol, sizeof(symbol));
		memcpy(file + names + len, text, strlen(text));
		len += strlen(text) + 1;
	}
	memcpy(file + names + len, sections, sizeof(sections));
	return 0;
}
