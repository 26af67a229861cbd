// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the references of an ELF file, which is not trusted. Opens nothing: it gets a
 * descriptor, and debugfiles.c looks up the names. Called by jobnames.c.
 */
#include <errno.h>
#include <gelf.h>
#include <string.h>

#include "lib/elf/elfcheck.h"
#include "lib/elf/elflinks.h"

/* Limit for sections: a name, its padding and its CRC; a path and a build-id. */
#define MAX_LINK	(WP_ELFLINKS_PATH + WP_BUILDID_MAX)

/* The name must be a single path component. */
static bool is_name(const char *name)
{
	const char *p;

	if (!*name || strlen(name) >= WP_ELFLINKS_NAME || !strcmp(name, ".") ||
	    !strcmp(name, ".."))
		return false;
	for (p = name; *p; p++) {
		if (*p == '/' || (unsigned char)*p < ' ' || *p == 0x7f)
			return false;
	}
	return true;
}

/*
 * A section's contents, if it is short; NULL if there is none, or it does not begin with
 * a string.
 */
static const char *text_of(Elf *elf, const GElf_Shdr *shdr, size_t *size)
{
	Elf_Data *data;

	if (shdr->sh_type != SHT_PROGBITS || shdr->sh_flags & SHF_COMPRESSED ||
	    !shdr->sh_size || shdr->sh_size > MAX_LINK)
		return NULL;
	data = elf_getdata_rawchunk(elf, shdr->sh_offset, shdr->sh_size, ELF_T_BYTE);
	if (!data || !data->d_buf || !memchr(data->d_buf, 0, data->d_size))
		return NULL;
	*size = data->d_size;
	return data->d_buf;
}

static void read_link(struct wp_elflinks *links, Elf *elf, const GElf_Shdr *shdr)
{
	GElf_Ehdr ehdr;
	const char *text;
	size_t size, at;
	__u32 crc;

	text = text_of(elf, shdr, &size);
	if (!text || !is_name(text) || !gelf_getehdr(elf, &ehdr))
		return;
	at = (strlen(text) + 1 + 3) & ~(size_t)3;
	if (at > size || size - at < sizeof(crc))
		return;
	memcpy(&crc, text + at, sizeof(crc));
	links->crc = (ehdr.e_ident[EI_DATA] == ELFDATA2MSB) ==
		(__BYTE_ORDER == __BIG_ENDIAN) ? crc : __builtin_bswap32(crc);
	strcpy(links->link, text);
}

static void read_alt(struct wp_elflinks *links, Elf *elf, const GElf_Shdr *shdr)
{
	const char *text;
	size_t size, len;

	text = text_of(elf, shdr, &size);
	len = text ? strlen(text) + 1 : 0;
	if (len < 2 || len > sizeof(links->alt) || size == len ||
	    size - len > sizeof(links->alt_id.data))
		return;
	strcpy(links->alt, text);
	links->alt_id.size = size - len;
	memcpy(links->alt_id.data, text + len, size - len);
}

static void read_sections(struct wp_elflinks *links, Elf *elf)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name;
		GElf_Shdr shdr;

		name = gelf_getshdr(scn, &shdr) ? elf_strptr(elf, names, shdr.sh_name) : NULL;
		if (!name)
			continue;
		if (!strcmp(name, ".gnu_debuglink"))
			read_link(links, elf, &shdr);
		else if (!strcmp(name, ".gnu_debugaltlink"))
			read_alt(links, elf, &shdr);
		else if (shdr.sh_type != SHT_NOBITS &&
			 (!strcmp(name, ".debug_info") || !strcmp(name, ".zdebug_info")))
			links->dwarf = true;
		links->symbols |= shdr.sh_type == SHT_SYMTAB;
	}
}

/**
 * wp_elflinks_read() - read the references of a file
 * @links: filled in; all zero on failure
 * @fd: the file
 * @st: its status, from fstat()
 *
 * Return: 0; -ENOEXEC: it is no ELF file; -EFBIG: its headers are not plausible.
 */
int wp_elflinks_read(struct wp_elflinks *links, int fd, const struct stat *st)
{
	int err = wp_elfcheck(fd, st);
	Elf *elf;

	memset(links, 0, sizeof(*links));
	if (err)
		return err;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF) {
		elf_end(elf);
		return -ENOEXEC;
	}
	if (wp_buildid_from_elf(elf, &links->id))
		links->id.size = 0;
	read_sections(links, elf);
	elf_end(elf);
	return 0;
}
