// SPDX-License-Identifier: GPL-2.0
/*
 * Reads build-ids: from an ELF file through libelf or by its program headers, from the
 * notes in sysfs of the kernel and its modules, from the vdso in our own memory.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "lib/elf/buildid.h"
#include "lib/elf/elfcode.h"

/**
 * wp_buildid_wants_path() - whether a mapping's name can have a build-id
 * @path: name of a mapping
 *
 * Return: true for a file and for the vdso; false for //anon, [heap], device files and
 * the like.
 */
bool wp_buildid_wants_path(const char *path)
{
	if (!strcmp(path, "[vdso]"))
		return true;
	return path[0] == '/' && path[1] != '/' && strncmp(path, "/dev/", 5) &&
	       strncmp(path, "/anon_hugepage", 14) && strncmp(path, "/SYSV", 5);
}

/**
 * wp_buildid_from_notes() - find NT_GNU_BUILD_ID among ELF notes
 * @notes: the notes; 4-byte aligned content, any alignment in memory
 * @size: their size in bytes
 * @id: filled in
 *
 * Return: 0, or -ENOENT if there is none.
 */
int wp_buildid_from_notes(const void *notes, size_t size, struct wp_buildid *id)
{
	const char *p = notes;

	while (size >= sizeof(Elf32_Nhdr)) {
		size_t name, desc;
		Elf32_Nhdr nh;

		memcpy(&nh, p, sizeof(nh));
		p += sizeof(nh);
		size -= sizeof(nh);
		name = ((size_t)nh.n_namesz + 3) & ~(size_t)3;
		desc = ((size_t)nh.n_descsz + 3) & ~(size_t)3;
		/* The last note's padding may be missing. */
		if (name > size || nh.n_descsz > size - name)
			break;
		if (nh.n_type == NT_GNU_BUILD_ID && nh.n_namesz == sizeof("GNU") &&
		    !memcmp(p, "GNU", sizeof("GNU")) && nh.n_descsz &&
		    nh.n_descsz <= WP_BUILDID_MAX) {
			memset(id, 0, sizeof(*id));
			id->size = nh.n_descsz;
			memcpy(id->data, p + name, nh.n_descsz);
			return 0;
		}
		if (desc > size - name)
			break;
		p += name + desc;
		size -= name + desc;
	}
	return -ENOENT;
}

/*
 * Limit for the notes of a program. They take some 100 bytes, seldom more than 1 KiB;
 * libelf keeps what was read until the file is closed.
 */
#define NOTES_MAX	(64ULL << 10)
#define ALL_NOTES_MAX	(1ULL << 20)

/* Limit of program headers of a mapped file: linkers write some ten. */
#define LOADED_PHDRS	256

#if __BYTE_ORDER == __BIG_ENDIAN
#define OUR_DATA	ELFDATA2MSB
#else
#define OUR_DATA	ELFDATA2LSB
#endif

/* Search notes; only the first of them, if there are too many. */
static bool find_in_notes(Elf *elf, __u64 offset, __u64 size, __u64 *left,
			  struct wp_buildid *id)
{
	Elf_Data *data;

	if (size > NOTES_MAX)
		size = NOTES_MAX;
	if (size > *left)
		size = *left;
	*left -= size;
	data = size ? elf_getdata_rawchunk(elf, offset, size, ELF_T_BYTE) : NULL;
	return data && data->d_buf && !wp_buildid_from_notes(data->d_buf, data->d_size, id);
}

/**
 * wp_buildid_from_elf() - read the build-id of an ELF file
 * @elf: the file
 * @id: filled in
 *
 * Return: 0, or -ENOENT if it is not ELF or has none.
 */
int wp_buildid_from_elf(Elf *elf, struct wp_buildid *id)
{
	__u64 left = ALL_NOTES_MAX;
	Elf_Scn *scn = NULL;
	size_t nr, i;

	if (elf_kind(elf) != ELF_K_ELF)
		return -ENOENT;
	/* Program headers first: a stripped file may have no sections. */
	if (!elf_getphdrnum(elf, &nr) && nr <= WP_PHDRS_MAX) {
		for (i = 0; i < nr; i++) {
			GElf_Phdr ph;

			if (gelf_getphdr(elf, i, &ph) && ph.p_type == PT_NOTE &&
			    find_in_notes(elf, ph.p_offset, ph.p_filesz, &left, id))
				return 0;
		}
	}
	/* A module has only sections. */
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr sh;

		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_NOTE &&
		    find_in_notes(elf, sh.sh_offset, sh.sh_size, &left, id))
			return 0;
	}
	return -ENOENT;
}

/**
 * wp_buildid_from_fd() - read the build-id of an ELF file
 * @fd: open file
 * @id: filled in
 *
 * Return: 0, or -ENOENT if it is not ELF, is not plausible or has none.
 */
int wp_buildid_from_fd(int fd, struct wp_buildid *id)
{
	Elf *elf;
	int ret;

	if (elf_version(EV_CURRENT) == EV_NONE)
		return -EINVAL;
	elf = wp_elfcode_begin(fd);
	if (!elf)
		return -ENOENT;
	ret = wp_buildid_from_elf(elf, id);
	elf_end(elf);
	return ret;
}

/* The relevant fields of a program header. */
struct note {
	__u64 offset;
	__u64 size;
};

/* The next program header of notes; false if there is none. */
static bool next_note(bool is64, const void *headers, size_t nr, size_t *i, struct note *note)
{
	for (; *i < nr; ++*i) {
		const Elf64_Phdr *l = (const Elf64_Phdr *)headers + *i;
		const Elf32_Phdr *s = (const Elf32_Phdr *)headers + *i;

		if ((is64 ? l->p_type : s->p_type) != PT_NOTE)
			continue;
		*note = is64 ? (struct note){ l->p_offset, l->p_filesz } :
			(struct note){ s->p_offset, s->p_filesz };
		++*i;
		return true;
	}
	return false;
}

/**
 * wp_buildid_of_loaded() - read the build-id of an ELF file that is mapped as code
 * @fd: open file
 * @id: filled in
 *
 * Uses the program headers, as the kernel does: sections and libelf would take more time,
 * and only some KiB are read. Files of another byte order have none.
 *
 * Return: 0, or -ENOENT if it is not ELF or has none.
 */
int wp_buildid_of_loaded(int fd, struct wp_buildid *id)
{
	static char notes[NOTES_MAX];
	static union {
		Elf64_Phdr l[LOADED_PHDRS];
		Elf32_Phdr s[LOADED_PHDRS];
	} headers;
	union {
		unsigned char ident[EI_NIDENT];
		Elf64_Ehdr l;
		Elf32_Ehdr s;
	} head = { 0 };
	size_t nr, size, i = 0, left = NOTES_MAX;
	struct note note;
	ssize_t n;
	bool is64;

	if (pread(fd, &head, sizeof(head), 0) < (ssize_t)sizeof(head.s) ||
	    memcmp(head.ident, ELFMAG, SELFMAG) || head.ident[EI_DATA] != OUR_DATA)
		return -ENOENT;
	is64 = head.ident[EI_CLASS] == ELFCLASS64;
	size = is64 ? sizeof(*headers.l) : sizeof(*headers.s);
	nr = is64 ? head.l.e_phnum : head.s.e_phnum;
	if (nr > LOADED_PHDRS)
		nr = LOADED_PHDRS;
	n = pread(fd, &headers, nr * size, is64 ? head.l.e_phoff : head.s.e_phoff);
	nr = n < 0 ? 0 : n / size;
	while (left && next_note(is64, &headers, nr, &i, &note)) {
		n = pread(fd, notes, note.size < left ? note.size : left, note.offset);
		if (n > 0 && !wp_buildid_from_notes(notes, n, id))
			return 0;
		left -= n > 0 ? n : 0;
	}
	return -ENOENT;
}

/**
 * wp_buildid_same() - compare two build-ids
 * @a: one
 * @b: the other
 *
 * Return: true if they are equal, or both unknown.
 */
bool wp_buildid_same(const struct wp_buildid *a, const struct wp_buildid *b)
{
	return a->size == b->size && !memcmp(a->data, b->data, a->size);
}

/**
 * wp_buildid_from_notes_file() - read a build-id from notes shown by sysfs
 * @path: such as /sys/kernel/notes
 * @id: filled in
 *
 * Return: 0 or a negative errno; prints nothing.
 */
int wp_buildid_from_notes_file(const char *path, struct wp_buildid *id)
{
	char buf[8192];
	size_t len = 0;
	ssize_t n;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while (len < sizeof(buf) && (n = read(fd, buf + len, sizeof(buf) - len)) > 0)
		len += n;
	close(fd);
	return wp_buildid_from_notes(buf, len, id);
}

/**
 * wp_buildid_of_vdso() - the build-id of the vdso
 * @id: filled in
 *
 * Read from our own copy, as every process of one word size has the same.
 *
 * Return: 0, or -ENOENT.
 */
int wp_buildid_of_vdso(struct wp_buildid *id)
{
	const char *base = (const char *)getauxval(AT_SYSINFO_EHDR);
	const __auto_type eh = (const ElfW(Ehdr) *)base;
	int i;

	if (!base || memcmp(eh->e_ident, ELFMAG, SELFMAG))
		return -ENOENT;
	for (i = 0; i < eh->e_phnum; i++) {
		const __auto_type ph = (const ElfW(Phdr) *)(base + eh->e_phoff) + i;

		if (ph->p_type == PT_NOTE &&
		    !wp_buildid_from_notes(base + ph->p_offset, ph->p_filesz, id))
			return 0;
	}
	return -ENOENT;
}
