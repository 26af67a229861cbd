// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the functions of the kernel: from its list or its image, and those of the vdso.
 * Called by symbols.c.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lib/elf/elfnames.h"
#include "lib/elf/symtable.h"
#include "lib/sandbox/openfile.h"
#include "lib/symbols/idfiles.h"
#include "lib/symbols/kernelsymbols.h"

/* A copy of the kernel's image for processes, as a file; -1 if there is none. */
static int copy_of_vdso(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long start = 0, end = 0;
	char line[512];
	int fd;

	while (maps && fgets(line, sizeof(line), maps)) {
		if (strstr(line, "[vdso]") && sscanf(line, "%lx-%lx", &start, &end) == 2)
			break;
		start = 0;
		end = 0;
	}
	if (maps)
		fclose(maps);
	fd = end > start ? memfd_create("vdso", MFD_CLOEXEC) : -1;
	if (fd >= 0 && write(fd, (void *)start, end - start) != (ssize_t)(end - start)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/**
 * wp_kernelsymbols_read_vdso() - read the vdso of this machine
 * @s: where to look for names
 * @f: the vdso
 *
 * Return: NULL, or why it has no names.
 */
const char *wp_kernelsymbols_read_vdso(struct wp_symbolplaces *s, struct wp_symbolfile *f)
{
	struct wp_buildid id;
	int fd;

	if (f->id.size && (wp_buildid_of_vdso(&id) || !wp_buildid_same(&id, &f->id)))
		return "another kernel than this one was recorded, by its build-id";
	fd = copy_of_vdso();
	return fd < 0 ? "it is not there" :
		wp_symbolfile_read_elf(s, f, fd, NULL, WP_OPENFILE_HERE);
}

static const char *read_list(struct wp_symbolfile *f, FILE *text,
			     int (*parse)(struct wp_symtable *t, FILE *text),
			     const char *denied)
{
	int err;

	if (!text)
		return errno == ENOENT ? "there is no list" : "its list cannot be opened";
	err = parse(&f->names.table, text);
	fclose(text);
	if (err == -EACCES)
		return denied;
	return err ? WP_NO_MEMORY : f->names.table.nr ? NULL : "its list is empty";
}

/*
 * The kernel's address changes at each boot; the recording has the address of one of its
 * labels.
 */
static const char *read_kernel_list(struct wp_symbolplaces *s, struct wp_symbolfile *f,
				    FILE *text, const char *denied)
{
	const char *trouble = read_list(f, text, wp_symtable_kallsyms, denied);

	/* A list without that label is used unchanged. */
	if (!trouble && s->kernel_label)
		wp_symtable_move(&f->names.table, s->kernel_label, s->kernel_at);
	return trouble;
}

static const char *read_kallsyms(struct wp_symbolplaces *s, struct wp_symbolfile *f,
				 const char *path)
{
	return read_kernel_list(s, f, fopen(path, "re"),
				strcmp(path, "/proc/kallsyms") ? "its list has no addresses" :
				"the kernel hides its addresses: kernel.kptr_restrict");
}

/*
 * Read the kernel's functions from its image, which has been relocated since it was
 * linked.
 */
static const char *read_vmlinux(struct wp_symbolplaces *s, struct wp_symbolfile *f, int fd)
{
	const char *trouble = s->kernel_label ?
		wp_symbolfile_read_elf(s, f, fd, NULL, WP_OPENFILE_HERE) :
		"the recording lacks the kernel's address";

	if (!s->kernel_label)
		close(fd);
	/* Addresses are those in memory. */
	free(f->names.segment);
	f->names.segment = NULL;
	f->names.nr_segments = 0;
	if (!trouble && !wp_symtable_move(&f->names.table, s->kernel_label, s->kernel_at))
		trouble = "it is not the kernel's image";
	return trouble;
}

/* The image chosen by the user. */
static const char *read_own_vmlinux(struct wp_symbolplaces *s, struct wp_symbolfile *f)
{
	struct stat st;
	int fd = wp_openfile(s->vmlinux, 0, &st);

	if (fd < 0)
		return "the image that --vmlinux names cannot be opened";
	if (f->id.size && !wp_symbolfile_has_id(fd, &f->id)) {
		close(fd);
		return "the image that --vmlinux names is another kernel's, by its build-id";
	}
	return read_vmlinux(s, f, fd);
}

/* Look for an image of packages and builds, by the kernel's release. */
static int find_vmlinux(const struct wp_symbolplaces *s, const struct wp_buildid *want)
{
	static const char *const places[] = {
		"/usr/lib/debug/boot/vmlinux-%s", "/usr/lib/debug/lib/modules/%s/vmlinux",
		"/boot/vmlinux-%s", "/lib/modules/%s/build/vmlinux",
	};
	struct stat st;
	char path[256];
	size_t i;
	int fd;

	/* The release is the recording's: it must not select a directory. */
	if (!s->release || strchr(s->release, '/') || strlen(s->release) > 128)
		return -1;
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), places[i], s->release);
		fd = wp_openfile(path, 0, &st);
		if (fd >= 0 && wp_symbolfile_has_id(fd, want))
			return fd;
		if (fd >= 0)
			close(fd);
	}
	return -1;
}

/* A kernel other than the running one, or one with hidden addresses: by its build-id. */
static const char *read_other_kernel(struct wp_symbolplaces *s, struct wp_symbolfile *f,
				     const char *trouble)
{
	int fd = s->symfs ? -1 : wp_idfiles_cached(&f->id, "kallsyms");

	if (fd >= 0 && !read_kernel_list(s, f, fdopen(fd, "r"), trouble))
		return NULL;
	wp_symtable_free(&f->names.table);
	fd = s->symfs || !f->id.size ? -1 : find_vmlinux(s, &f->id);
	if (fd < 0 && !s->symfs)
		fd = wp_idfiles_cached(&f->id, "elf");
	return fd < 0 || read_vmlinux(s, f, fd) ? trouble : NULL;
}

/**
 * wp_kernelsymbols_read() - read the list of the kernel's functions or its image
 * @s: where to look for names
 * @f: the kernel
 *
 * Return: NULL, or why it has no names.
 */
const char *wp_kernelsymbols_read(struct wp_symbolplaces *s, struct wp_symbolfile *f)
{
	const char *trouble;
	struct wp_buildid id;
	struct utsname here;

	if (s->kallsyms)
		return read_kallsyms(s, f, s->kallsyms);
	if (s->vmlinux)
		return read_own_vmlinux(s, f);
	if (!f->id.size && !s->release)
		return "the recording does not identify the kernel: --kallsyms names its list";
	if (!f->id.size ? uname(&here) || strcmp(here.release, s->release) :
	    wp_buildid_from_notes_file("/sys/kernel/notes", &id) || !wp_buildid_same(&id, &f->id))
		return read_other_kernel(s, f,
			"another kernel than this one was recorded: --kallsyms or --vmlinux names its list or image");
	trouble = read_kallsyms(s, f, "/proc/kallsyms");
	return trouble ? read_other_kernel(s, f, trouble) : NULL;
}
