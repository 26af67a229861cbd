// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the functions or the variables of an ELF file, which is not trusted, nor are its
 * files of debug information. Opens nothing: it gets descriptors of files that passed
 * wp_elfcheck(). Called by jobnames.c.
 *
 * The table of symbols is the file's own; else that of its file of debug information;
 * else that of the dynamic linker, and that in .gnu_debugdata. libdwfl has the same
 * symbols, in the same order.
 */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/elf/coldpart.h"
#include "lib/elf/debugdata.h"
#include "lib/elf/dynsyms.h"
#include "lib/elf/elfcheck.h"
#include "lib/elf/elfnames.h"

/* Size of a stub, on x86-64 and arm64; maximum number of stubs per file. */
#define STUB		16
#define MAX_STUBS	(1 << 20)

/*
 * Limits for names: bytes for each byte of string tables, and a constant: symbols share
 * names, but thousands of them do not share a long one.
 */
#define MAX_SHARED	8
#define SHARED_SLACK	((size_t)1 << 20)

#define NO_SYMBOLS	"it has no symbols"

/**
 * struct symbols - a table of symbols
 * @data: symbols
 * @nr: their number
 * @nr_local: number of local ones, which come first
 * @names: their names
 * @shift: offset to add to their addresses
 */
struct symbols {
	Elf_Data *data;
	size_t nr;
	size_t nr_local;
	Elf_Data *names;
	__u64 shift;
};

static Elf *open_elf(int fd)
{
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);

	if (elf && elf_kind(elf) == ELF_K_ELF)
		return elf;
	elf_end(elf);
	return NULL;
}

static const char *add_segments(struct wp_elfnames *names, Elf *elf)
{
	size_t nr, i;

	if (elf_getphdrnum(elf, &nr))
		return "it is damaged";
	names->segment = calloc(nr ? nr : 1, sizeof(*names->segment));
	if (!names->segment)
		return WP_NO_MEMORY;
	for (i = 0; i < nr; i++) {
		GElf_Phdr phdr;

		if (!gelf_getphdr(elf, i, &phdr) || phdr.p_type != PT_LOAD)
			continue;
		names->segment[names->nr_segments++] = (struct wp_segment){
			.offset = phdr.p_offset,
			.size = phdr.p_filesz,
			.address = phdr.p_vaddr,
			.memory = phdr.p_memsz,
			.code = !!(phdr.p_flags & PF_X),
		};
	}
	return NULL;
}

static bool is_function(const GElf_Sym *sym, const char *name)
{
	unsigned int type = GELF_ST_TYPE(sym->st_info);

	if (!name || !*name || sym->st_shndx == SHN_UNDEF || sym->st_shndx == SHN_ABS)
		return false;
	/* Includes labels of assembler code, but not marks of data in code. */
	return type == STT_FUNC || type == STT_GNU_IFUNC ||
	       (type == STT_NOTYPE && name[0] != '$' && name[0] != '.');
}

static bool is_variable(const GElf_Sym *sym, const char *name)
{
	unsigned int type = GELF_ST_TYPE(sym->st_info);

	return name && *name && sym->st_shndx != SHN_UNDEF && sym->st_shndx != SHN_ABS &&
	       sym->st_size && (type == STT_OBJECT || type == STT_COMMON);
}

/* A string; NULL if it does not end. A long one is not read to its end. */
static const char *string_at(const Elf_Data *strings, size_t at)
{
	const char *text = strings->d_buf;
	size_t left = at < strings->d_size ? strings->d_size - at : 0;

	return left > WP_SYMTABLE_NAME || memchr(text + at, 0, left) ? text + at : NULL;
}

/* Whether a symbol of this name is one of those that are asked for. */
static bool is_wanted(const struct wp_elfnames *names, const char *name)
{
	const char *only = names->only;

	if (!only)
		return true;
	while (*only && strcmp(only, name))
		only += strlen(only) + 1;
	return *only;
}

/* Limit for all names together, after another string table is added. */
static size_t most_names(const struct wp_elfnames *names, size_t strings)
{
	return names->table.len + SHARED_SLACK + MAX_SHARED * strings;
}

/* Add one part of a table: the local symbols, or the others. */
static const char *add_some(struct wp_elfnames *names, const struct symbols *s, bool local)
{
	size_t most = most_names(names, s->names ? s->names->d_size : 0);
	size_t i = local ? 1 : s->nr_local ? s->nr_local : 1;
	size_t end = local ? s->nr_local : s->nr;

	for (; i < end && !wp_symtable_full(&names->table); i++) {
		struct wp_symtable_entry e = { 0 };
		const char *name;
		GElf_Sym sym;

		if (!gelf_getsym(s->data, i, &sym))
			break;
		name = string_at(s->names, sym.st_name);
		if (names->variables ? !is_variable(&sym, name) : !is_function(&sym, name))
			continue;
		if (!is_wanted(names, name))
			continue;
		e.start = sym.st_value + s->shift;
		e.end = e.start + sym.st_size;
		e.weak = GELF_ST_BIND(sym.st_info) == STB_WEAK;
		e.local = GELF_ST_BIND(sym.st_info) == STB_LOCAL;
		if (wp_symtable_add(&names->table, &e, name, NULL))
			return WP_NO_MEMORY;
		if (names->table.len > most)
			return WP_ELFCHECK_TROUBLE;
	}
	return NULL;
}

static Elf_Data *expanded(Elf_Scn *scn)
{
	GElf_Shdr shdr;

	if (!scn || !gelf_getshdr(scn, &shdr) ||
	    (shdr.sh_flags & SHF_COMPRESSED && elf_compress(scn, 0, 0) < 0))
		return NULL;
	return elf_getdata(scn, NULL);
}

/* The first table of a type; false if there is no valid one. */
static bool find_table(Elf *elf, GElf_Word type, struct symbols *s)
{
	Elf_Scn *scn = NULL, *strings;
	GElf_Shdr shdr, of_names;
	size_t size;

	do {
		scn = elf_nextscn(elf, scn);
	} while (scn && (!gelf_getshdr(scn, &shdr) || shdr.sh_type != type));
	strings = scn ? elf_getscn(elf, shdr.sh_link) : NULL;
	if (!strings || !gelf_getshdr(strings, &of_names) || of_names.sh_type != SHT_STRTAB)
		return false;
	*s = (struct symbols){ .data = expanded(scn), .names = expanded(strings) };
	if (!s->data || !s->data->d_buf || !s->names || !s->names->d_buf)
		return false;
	size = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
	s->nr = size ? s->data->d_size / size : 0;
	s->nr_local = shdr.sh_info < s->nr ? shdr.sh_info : s->nr;
	return true;
}

/* End address of the first segment of a file; 0 if nothing is loaded. */
static __u64 end_of_first(Elf *elf)
{
	size_t nr, i;

	if (elf_getphdrnum(elf, &nr))
		return 0;
	for (i = 0; i < nr; i++) {
		GElf_Phdr phdr;

		if (gelf_getphdr(elf, i, &phdr) && phdr.p_type == PT_LOAD)
			return phdr.p_vaddr + phdr.p_memsz;
	}
	return 0;
}

static const char *add_both(struct wp_elfnames *names, const struct symbols *a,
			    const struct symbols *b)
{
	const char *trouble = add_some(names, a, true);

	if (!trouble)
		trouble = add_some(names, b, true);
	if (!trouble)
		trouble = add_some(names, a, false);
	return trouble ? trouble : add_some(names, b, false);
}

/* Add the dynamic symbols, and those of .gnu_debugdata. */
static const char *add_fallback(struct wp_elfnames *names, Elf *elf)
{
	struct symbols dynamic = { 0 }, packed = { 0 };
	struct wp_dynsyms found;
	const char *trouble;
	void *image = NULL;
	Elf *inner = NULL;
	GElf_Ehdr here, there;
	size_t size;
	int err;

	find_table(elf, SHT_DYNSYM, &dynamic);
	err = wp_debugdata_read(&image, &size, elf);
	if (err == -EFBIG || err == -ENOMEM)
		return err == -EFBIG ? WP_ELFCHECK_TROUBLE : WP_NO_MEMORY;
	inner = err ? NULL : elf_memory(image, size);
	if (inner && gelf_getehdr(elf, &here) && gelf_getehdr(inner, &there) &&
	    find_table(inner, SHT_SYMTAB, &packed))
		packed.shift = here.e_entry - there.e_entry;
	else
		packed.nr = 0;
	trouble = add_both(names, &dynamic, &packed);
	elf_end(inner);
	free(image);
	if (!trouble && !dynamic.nr && !packed.nr && wp_dynsyms_find(&found, elf)) {
		dynamic = (struct symbols){ found.symbols, found.nr, 0, found.names, 0 };
		trouble = add_some(names, &dynamic, false);
	}
	return trouble;
}

static const char *add_symbols(struct wp_elfnames *names, Elf *elf, Elf *debug)
{
	struct symbols s, none = { 0 };
	const char *trouble;
	__u64 end;

	if (find_table(elf, SHT_SYMTAB, &s)) {
		trouble = add_both(names, &s, &none);
	} else if (debug && find_table(debug, SHT_SYMTAB, &s)) {
		/* A file whose addresses were changed later, by prelink. */
		end = end_of_first(debug);
		s.shift = end ? end_of_first(elf) - end : 0;
		trouble = add_both(names, &s, &none);
	} else {
		trouble = add_fallback(names, elf);
	}
	return trouble ? trouble : names->table.nr ? NULL : NO_SYMBOLS;
}

static const struct wp_symtable_entry *named(const struct wp_symtable *t, const char *name,
					     size_t size)
{
	size_t i;

	for (i = 0; i < t->nr; i++) {
		const char *other = t->names + t->entry[i].name;

		if (strlen(other) == size && !memcmp(other, name, size))
			return &t->entry[i];
	}
	return NULL;
}

/* Add the parts of functions that are asked for by name, and have no symbols. */
static const char *add_cold(struct wp_elfnames *names, Elf *elf)
{
	static const char suffix[] = ".cold";
	const size_t size = sizeof(suffix) - 1;
	const char *name;
	size_t len;

	for (name = names->only; name && *name; name += len + 1) {
		const struct wp_symtable_entry *of;
		struct wp_symtable_entry e = { .local = true };
		struct wp_coldpart part;

		len = strlen(name);
		if (len <= size || strcmp(name + len - size, suffix) ||
		    named(&names->table, name, len))
			continue;
		of = named(&names->table, name, len - size);
		if (!of || !wp_coldpart_find(elf, of->start, of->end, &part))
			continue;
		e.start = part.start;
		e.end = part.end;
		if (wp_symtable_add(&names->table, &e, name, NULL))
			return WP_NO_MEMORY;
	}
	return NULL;
}

/* Look up a section by name; NULL if there is none. */
static Elf_Scn *section_of(Elf *elf, const char *wanted, GElf_Shdr *shdr)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name = gelf_getshdr(scn, shdr) ?
			elf_strptr(elf, names, shdr->sh_name) : NULL;

		if (name && !strcmp(name, wanted))
			return scn;
	}
	return NULL;
}

/* Name of the function of a relocation; NULL if there is none. */
static const char *relocated(Elf *elf, Elf_Data *relocations, int i, Elf_Data *symbols,
			     const GElf_Shdr *dynsym)
{
	GElf_Rela rela;
	GElf_Sym sym;

	if (!gelf_getrela(relocations, i, &rela) ||
	    !gelf_getsym(symbols, GELF_R_SYM(rela.r_info), &sym) || !sym.st_name)
		return NULL;
	return elf_strptr(elf, dynsym->sh_link, sym.st_name);
}

/*
 * Add the stubs that call functions of other files, which have no symbols: one for each
 * relocation, in their order, after a first one without a relocation.
 */
static const char *add_stubs(struct wp_elfnames *names, Elf *elf)
{
	GElf_Shdr plt, rela, dynsym;
	Elf_Scn *stubs = section_of(elf, ".plt.sec", &plt);
	Elf_Scn *relocations = section_of(elf, ".rela.plt", &rela);
	Elf_Scn *symbols = section_of(elf, ".dynsym", &dynsym);
	struct wp_symtable_entry e = { .local = true };
	Elf_Data *relas, *syms;
	GElf_Shdr strings;
	GElf_Ehdr ehdr;
	size_t i, nr, most;

	if (!relocations || rela.sh_type != SHT_RELA || !rela.sh_entsize || !symbols ||
	    dynsym.sh_type != SHT_DYNSYM || !gelf_getehdr(elf, &ehdr) ||
	    (!stubs && !section_of(elf, ".plt", &plt)))
		return NULL;
	nr = rela.sh_size / rela.sh_entsize;
	/* libelf reads them all. */
	if (nr > MAX_STUBS || rela.sh_size > MAX_STUBS * sizeof(Elf64_Rela))
		return WP_ELFCHECK_TROUBLE;
	relas = elf_getdata(relocations, NULL);
	syms = elf_getdata(symbols, NULL);
	if (!relas || !syms || !gelf_getshdr(elf_getscn(elf, dynsym.sh_link), &strings))
		return NULL;
	most = most_names(names, strings.sh_size);
	e.end = plt.sh_addr + (stubs ? 0 : ehdr.e_machine == EM_AARCH64 ? 2 * STUB : STUB);
	for (i = 0; i < nr && i < plt.sh_size / STUB && !wp_symtable_full(&names->table); i++) {
		const char *name = relocated(elf, relas, i, syms, &dynsym);
		char *stub;
		int err;

		e.start = e.end;
		e.end += STUB;
		if (!name || !*name)
			continue;
		if (asprintf(&stub, "%.*s@plt", WP_SYMTABLE_NAME - 4, name) < 0)
			return WP_NO_MEMORY;
		err = wp_symtable_add(&names->table, &e, stub, NULL);
		free(stub);
		if (err)
			return WP_NO_MEMORY;
		if (names->table.len > most)
			return WP_ELFCHECK_TROUBLE;
	}
	return NULL;
}

/**
 * wp_elfnames_read() - read the functions or the variables of a file
 * @names: all zero, but @only; filled in, to be freed with wp_elfnames_free(), also on failure
 * @files: the file, and those of its debug information; they stay open
 * @variables: read variables
 *
 * The part NAME.cold of a function is found without a symbol, too, if it is asked for by
 * name.
 *
 * Return: NULL, or why it has no names.
 */
const char *wp_elfnames_read(struct wp_elfnames *names, const struct wp_elffiles *files,
			     bool variables)
{
	Elf *elf, *debug;
	const char *trouble;

	elf_version(EV_CURRENT);
	elf = open_elf(files->main);
	if (!elf)
		return "it is not an ELF file";
	debug = open_elf(files->debug);
	names->variables = variables;
	trouble = add_segments(names, elf);
	if (!trouble)
		trouble = add_symbols(names, elf, debug);
	if (!trouble && !variables)
		trouble = names->only ? add_cold(names, elf) : add_stubs(names, elf);
	elf_end(debug);
	elf_end(elf);
	return trouble;
}

/**
 * wp_elfnames_free() - free the names
 * @names: the names; empty afterwards
 */
void wp_elfnames_free(struct wp_elfnames *names)
{
	wp_symtable_free(&names->table);
	free(names->segment);
	memset(names, 0, sizeof(*names));
}
