// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the table of build-ids and the ways to read one: from an ELF file
 * through libelf, from the notes that sysfs shows of the kernel and its
 * modules, from the vdso in our own memory. Called from sideband.c, proc.c and
 * ksyms.c while recording, from perfdata.c at the end.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/buildid.h"
#include "lib/elfcode.h"
#include "lib/err.h"
#include "lib/filereader.h"
#include "lib/openfile.h"

struct wp_buildids {
	struct wp_dso **dso;	/* in order of appearance */
	size_t nr, room;
	size_t *slot;		/* index + 1 into dso, 0: free */
	size_t nr_slots;	/* a power of two */
};

/**
 * wp_buildid_wants_path() - can this mapping's name have a build-id?
 * @path: name of a mapping
 *
 * Return: true for a file and for the vdso; false for //anon, [heap], device
 * files and the like.
 */
bool wp_buildid_wants_path(const char *path)
{
	if (!strcmp(path, "[vdso]"))
		return true;
	return path[0] == '/' && path[1] != '/' && strncmp(path, "/dev/", 5) &&
	       strncmp(path, "/memfd:", 7) && strncmp(path, "/SYSV", 5);
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
 * Notes of a program take some 100 bytes, seldom more than 1 KiB. What is read of them is
 * kept by libelf until the file is closed.
 */
#define NOTES_MAX	(64ULL << 10)
#define ALL_NOTES_MAX	(1ULL << 20)

/* Look at notes; the first of them, if there are too many. */
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
	/* A module has sections only. */
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

/**
 * wp_buildid_from_file() - read the build-id of an ELF file
 * @path: name of the file
 * @id: filled in
 *
 * Anything but a regular file is refused before it is opened.
 *
 * Return: 0 or a negative errno; prints nothing.
 */
int wp_buildid_from_file(const char *path, struct wp_buildid *id)
{
	struct stat st;
	int fd = wp_openfile(path, 0, &st), ret;

	if (fd < 0)
		return -errno;
	ret = wp_filereader_buildid(fd, id);
	close(fd);
	return ret;
}

/* The build-id of a file that a process has by that name; 0 for our own root. */
static bool read_mapped(__u32 pid, const char *path, struct wp_buildid *id)
{
	int root = pid ? wp_openfile_root(pid) : WP_OPENFILE_HERE, fd, err;
	struct stat st;

	if (pid && root < 0)
		return false;
	fd = wp_openfile_in(root, path, &st);
	if (pid)
		close(root);
	if (fd < 0)
		return false;
	err = wp_filereader_buildid(fd, id);
	close(fd);
	return !err;
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

/* FNV-1a */
static size_t hash_path(const char *path)
{
	__u64 h = 0xcbf29ce484222325ULL;

	while (*path)
		h = (h ^ (unsigned char)*path++) * 0x100000001b3ULL;
	return h ^ (h >> 32);
}

/* The slot that holds @path, or the free one where it belongs. */
static size_t find_slot(const struct wp_buildids *ids, const char *path)
{
	size_t i = hash_path(path) & (ids->nr_slots - 1);

	while (ids->slot[i] && strcmp(ids->dso[ids->slot[i] - 1]->path, path))
		i = (i + 1) & (ids->nr_slots - 1);
	return i;
}

static int grow(struct wp_buildids *ids)
{
	size_t room = ids->room ? 2 * ids->room : 256;
	struct wp_dso **dso;
	size_t *slot, i;

	dso = realloc(ids->dso, room * sizeof(*dso));
	if (!dso)
		return -ENOMEM;
	ids->dso = dso;
	slot = calloc(2 * room, sizeof(*slot));
	if (!slot)
		return -ENOMEM;
	free(ids->slot);
	ids->slot = slot;
	ids->nr_slots = 2 * room;
	ids->room = room;
	for (i = 0; i < ids->nr; i++)
		slot[find_slot(ids, dso[i]->path)] = i + 1;
	return 0;
}

/**
 * wp_buildids_new() - make an empty table
 *
 * Return: the table, or NULL when memory ran out.
 */
struct wp_buildids *wp_buildids_new(void)
{
	struct wp_buildids *ids = calloc(1, sizeof(*ids));

	if (ids && grow(ids)) {
		wp_buildids_free(ids);
		ids = NULL;
	}
	if (!ids)
		wp_err("out of memory for the table of build-ids");
	return ids;
}

/**
 * wp_buildids_free() - free a table
 * @ids: the table, or NULL
 */
void wp_buildids_free(struct wp_buildids *ids)
{
	size_t i;

	if (!ids)
		return;
	for (i = 0; i < ids->nr; i++) {
		free(ids->dso[i]->path);
		free(ids->dso[i]);
	}
	free(ids->dso);
	free(ids->slot);
	free(ids);
}

/**
 * wp_buildids_add() - note that a file is mapped executable
 * @ids: the table
 * @path: the name as in the mapping record
 * @pid: the process, to find the file through its root; 0 for none
 * @kernel: the kernel or a module
 * @id: its build-id if known, or NULL to have wp_buildids_resolve() read it
 *
 * Return: the entry, valid until the table is freed; NULL if memory ran out.
 */
struct wp_dso *wp_buildids_add(struct wp_buildids *ids, const char *path, __u32 pid,
			       bool kernel, const struct wp_buildid *id)
{
	size_t i = find_slot(ids, path);
	struct wp_dso *dso;

	if (ids->slot[i]) {
		dso = ids->dso[ids->slot[i] - 1];
	} else {
		if (ids->nr == ids->room) {
			if (grow(ids))
				return NULL;
			i = find_slot(ids, path);
		}
		dso = calloc(1, sizeof(*dso));
		if (!dso)
			return NULL;
		dso->path = strdup(path);
		if (!dso->path) {
			free(dso);
			return NULL;
		}
		dso->kernel = kernel;
		ids->dso[ids->nr++] = dso;
		ids->slot[i] = ids->nr;
	}
	if (pid)
		dso->pid = pid;
	if (id && id->size)
		dso->id = *id;
	return dso;
}

/**
 * wp_buildids_find() - look a file up
 * @ids: the table
 * @path: the name as in the mapping record
 *
 * Return: the entry or NULL.
 */
struct wp_dso *wp_buildids_find(const struct wp_buildids *ids, const char *path)
{
	size_t i = find_slot(ids, path);

	return ids->slot[i] ? ids->dso[ids->slot[i] - 1] : NULL;
}

/**
 * wp_buildids_resolve() - read the build-ids that are not known yet
 * @ids: the table
 *
 * A file is looked for in the mount namespace of a process that mapped it, and
 * if that process is gone, in ours.
 */
void wp_buildids_resolve(struct wp_buildids *ids)
{
	size_t i;

	for (i = 0; i < ids->nr; i++) {
		struct wp_dso *dso = ids->dso[i];

		if (dso->id.size || dso->tried || dso->kernel)
			continue;
		dso->tried = true;
		if (!strcmp(dso->path, "[vdso]")) {
			wp_buildid_of_vdso(&dso->id);
			continue;
		}
		if (!wp_buildid_wants_path(dso->path))
			continue;
		if (!dso->pid || !read_mapped(dso->pid, dso->path, &dso->id))
			read_mapped(0, dso->path, &dso->id);
	}
}

/**
 * wp_buildids_count() - how many files the table holds
 * @ids: the table
 *
 * Return: the number, build-id known or not.
 */
size_t wp_buildids_count(const struct wp_buildids *ids)
{
	return ids->nr;
}

/**
 * wp_buildids_for_each() - go through the table in order of appearance
 * @ids: the table
 * @fn: called for each file; a return other than 0 ends the walk
 * @ctx: handed to @fn
 *
 * Return: 0, or what @fn returned.
 */
int wp_buildids_for_each(const struct wp_buildids *ids,
			 int (*fn)(void *ctx, const struct wp_dso *dso), void *ctx)
{
	size_t i;
	int ret;

	for (i = 0; i < ids->nr; i++) {
		ret = fn(ctx, ids->dso[i]);
		if (ret)
			return ret;
	}
	return 0;
}
