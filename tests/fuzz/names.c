// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of the reader of functions' names in ELF files: first the files that a file
 * names, then its functions, with a file of debug information and a shared one. For any
 * input, names end, nothing is opened, and each part of the work is bounded.
 *
 * Input: if the first byte is even, it is left out and the rest is cut in three: the
 * file, that of its debug information, the shared one; else it is all three. Bytes that
 * are no ELF file are put into ELF files of this program's own, as sections.
 */
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/elf/demangle.h"
#include "lib/elf/elfcheck.h"
#include "lib/elf/elflinks.h"
#include "lib/elf/elfnames.h"
#include "lib/elf/inlines.h"
#include "lib/symbols/debugfiles.h"

#define check(condition)	do { if (!(condition)) abort(); } while (0)

static size_t bytes;

/* libdw leaks memory of damaged debug information. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libdw.so";
}

/* Sections that are read, each with all the bytes. */
static const char names[] = "\0.symtab\0.strtab\0.dynsym\0.gnu_debuglink\0.gnu_debugaltlink\0"
	".gnu_debugdata\0.rela.plt\0.plt\0.note\0.debug_info\0.debug_abbrev\0.debug_str\0";

static const struct {
	const char *name;
	uint32_t type;
	uint32_t link;
	uint64_t flags;
} sections[] = {
	{ "" },
	{ ".symtab", SHT_SYMTAB, 2 },
	{ ".strtab", SHT_STRTAB },
	{ ".dynsym", SHT_DYNSYM, 2 },
	{ ".gnu_debuglink", SHT_PROGBITS },
	{ ".gnu_debugaltlink", SHT_PROGBITS },
	{ ".gnu_debugdata", SHT_PROGBITS },
	{ ".rela.plt", SHT_RELA, 3 },
	{ ".plt", SHT_PROGBITS },
	{ ".note", SHT_NOTE },
	{ ".debug_info", SHT_PROGBITS },
	{ ".debug_abbrev", SHT_PROGBITS },
	{ ".debug_str", SHT_PROGBITS, 0, SHF_COMPRESSED },
	{ "", SHT_STRTAB },
};

#define NR	(sizeof(sections) / sizeof(*sections))

struct head {
	Elf64_Ehdr eh;
	Elf64_Phdr ph[2];
	Elf64_Shdr sh[NR];
	char names[sizeof(names)];
};

/* The first byte selects the sections; the others are the contents of all of them. */
static void wrap(struct head *h, const uint8_t *data, size_t size)
{
	size_t i;

	memset(h, 0, sizeof(*h));
	h->eh = (Elf64_Ehdr){
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_DYN, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
		.e_phoff = offsetof(struct head, ph), .e_phnum = 2,
		.e_phentsize = sizeof(*h->ph), .e_ehsize = sizeof(h->eh),
		.e_shoff = offsetof(struct head, sh), .e_shnum = NR,
		.e_shentsize = sizeof(*h->sh), .e_shstrndx = NR - 1,
	};
	h->ph[0] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_filesz = sizeof(*h) + size,
				 .p_memsz = sizeof(*h) + size };
	h->ph[1] = (Elf64_Phdr){ .p_type = PT_DYNAMIC, .p_offset = sizeof(*h),
				 .p_filesz = size };
	for (i = 1; i < NR; i++) {
		const char *name = memmem(names, sizeof(names), sections[i].name,
					  strlen(sections[i].name) + 1);

		h->sh[i] = (Elf64_Shdr){
			.sh_name = name - names, .sh_type = sections[i].type,
			.sh_link = sections[i].link, .sh_offset = sizeof(*h), .sh_size = size,
			.sh_entsize = sections[i].type == SHT_RELA ? sizeof(Elf64_Rela) :
				sizeof(Elf64_Sym), .sh_addralign = 1,
			.sh_flags = sections[i].flags,
		};
		if (i < NR - 1 && size && data[0] & 1 << i % 8)
			h->sh[i].sh_type = SHT_NULL;
	}
	h->sh[NR - 1].sh_offset = offsetof(struct head, names);
	h->sh[NR - 1].sh_size = sizeof(names);
	memcpy(h->names, names, sizeof(names));
}

/* A file of the bytes; -1 if its headers are refused, as they are then by the reader. */
static int file_of(const uint8_t *data, size_t size, struct wp_elflinks *links)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct head head;
	struct stat st;

	if (size < SELFMAG || memcmp(data, ELFMAG, SELFMAG)) {
		wrap(&head, data, size);
		if (write(fd, &head, sizeof(head)) != sizeof(head))
			abort();
	}
	if (write(fd, data, size) != (ssize_t)size || fstat(fd, &st))
		abort();
	if (wp_elflinks_read(links, fd, &st)) {
		close(fd);
		return -1;
	}
	check(links->id.size <= WP_BUILDID_MAX && links->alt_id.size <= WP_BUILDID_MAX);
	check(memchr(links->alt, 0, sizeof(links->alt)));
	check(memchr(links->link, 0, sizeof(links->link)) && !strchr(links->link, '/') &&
	      strcmp(links->link, ".."));
	return fd;
}

static void look_at(struct wp_elfnames *found, const struct wp_inlines *in)
{
	const char *inlined[16];
	size_t i;
	char *fast;

	wp_symtable_sort(&found->table);
	for (i = 0; i < found->table.nr; i++) {
		const struct wp_symtable_entry *e = &found->table.entry[i];
		const char *name = found->table.names + e->name;

		check(strlen(name) <= WP_SYMTABLE_NAME);
		if (i < 64) {
			fast = wp_demangle(name);
			bytes += fast ? strlen(fast) : 0;
			free(fast);
		}
		if (in && i < 64)
			bytes += wp_inlines_find(in, e->start, inlined, 16);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t third = size && data[0] % 2 ? (size - 1) / 3 : 0;
	struct wp_elffiles files = { -1, -1, -1 };
	struct wp_elfnames found = { 0 };
	struct wp_inlines *in;
	struct wp_elflinks links;

	if (!size)
		return 0;
	files.main = file_of(data + 1, third ? third : size - 1, &links);
	files.debug = file_of(data + 1 + third, third ? third : size - 1, &links);
	files.alt = file_of(data + 1 + 2 * third, third ? third : size - 1, &links);
	if (files.main >= 0) {
		wp_elfnames_read(&found, &files, false);
		in = wp_inlines_new(&files);
		look_at(&found, in);
		wp_inlines_free(in);
		wp_elfnames_free(&found);
	}
	wp_debugfiles_close(&files);
	return 0;
}
