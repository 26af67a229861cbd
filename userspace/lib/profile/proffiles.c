// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the files with code of a recording: which file each mapping is, the kernel
 * included, and its number in the symbol tables. Called by profstacks.c. Equal files are
 * stored once.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/profile/proffiles.h"

#define KERNEL_NAME	"[kernel.kallsyms]"

/* Identity of a file. */
struct file_key {
	__u32 kind;
	__u32 path;
	__s32 pid;
	struct wp_buildid id;
	bool other;
	__u32 file;
};

/* Kind of a mapping by its name, as perf sees it. */
static enum wp_symbols_kind kind_of(const char *path)
{
	if (!strcmp(path, "[vdso]"))
		return WP_SYMBOLS_VDSO;
	return *path && wp_symbolkind_is_memory(path) ? WP_SYMBOLS_JIT : WP_SYMBOLS_ELF;
}

/**
 * wp_proffiles_file() - look up or add a file
 * @s: the files
 * @kind: its kind
 * @path: its path
 * @map: a mapping of it
 * @pid: the process, for JIT code
 *
 * Return: its number, 0 if there is no memory.
 */
__u32 wp_proffiles_file(struct wp_proffiles *s, enum wp_symbols_kind kind, const char *path,
			const struct wp_memmap *map, __s32 pid)
{
	struct file_key key;
	bool is_new;
	size_t room = s->files.nr;
	struct wp_proffile *f;
	__u32 nr;

	memset(&key, 0, sizeof(key));
	key.kind = kind;
	key.pid = kind == WP_SYMBOLS_JIT ? pid : 0;
	key.path = wp_intern(&s->paths, path, strlen(path) + 1, NULL);
	key.id = map->id;
	key.other = map->other;
	key.file = map->file;
	nr = key.path ? wp_intern(&s->files, &key, sizeof(key), &is_new) : 0;
	if (!nr || !is_new)
		return nr;
	f = reallocarray(s->file, room + 1, sizeof(*f));
	if (!f)
		return 0;
	s->file = f;
	f += room;
	*f = (struct wp_proffile){ .path = key.path, .kind = kind, .id = key.id };
	f->symbols = wp_symbols_file(s->symbols, kind, path, &map->id, pid);
	if (f->symbols && (kind == WP_SYMBOLS_ELF || kind == WP_SYMBOLS_DATA)) {
		f->stat = wp_memmaps_stat(s->maps, map->file);
		wp_symbols_stat(s->symbols, f->symbols, &f->stat);
	}
	if (f->symbols && kind == WP_SYMBOLS_JIT)
		wp_symbols_jit(s->symbols, f->symbols, wp_memmaps_jit(s->maps, pid));
	return f->symbols ? nr : 0;
}

/**
 * wp_proffiles_kind() - kind of the file of a mapping
 * @map: the mapping
 * @path: its path
 *
 * A mapping with a build-id is a file, whatever its name.
 *
 * Return: the kind.
 */
enum wp_symbols_kind wp_proffiles_kind(const struct wp_memmap *map, const char *path)
{
	return map->id.size && strcmp(path, "[vdso]") ? WP_SYMBOLS_ELF : kind_of(path);
}

/**
 * wp_proffiles_kernel() - look up or add the kernel
 * @s: the files
 *
 * Return: its number, 0 if there is no memory.
 */
__u32 wp_proffiles_kernel(struct wp_proffiles *s)
{
	struct wp_memmap map = { 0 };
	const char *label;
	__u64 at;

	if (!s->kernel) {
		label = wp_memmaps_kernel(s->maps, &at);
		if (label)
			wp_symbols_kernel(s->symbols, label, at);
		wp_memmaps_id(s->maps, KERNEL_NAME, &map.id);
		s->kernel = wp_proffiles_file(s, WP_SYMBOLS_KERNEL, KERNEL_NAME, &map, -1);
	}
	return s->kernel;
}

/**
 * wp_proffiles_variable() - name of the variable at an address
 * @s: the files
 * @pid: the process
 * @address: the address
 * @text: set to "NAME (FILE)", "NAME+0xN (FILE)" within a larger one
 * @size: size of @text
 *
 * Its file is the one with the nearest code mapping below it, as all linkers lay it out.
 *
 * Return: true if it is known.
 */
bool wp_proffiles_variable(struct wp_proffiles *s, __s32 pid, __u64 address, char *text,
			   size_t size)
{
	const struct wp_memmap *map = wp_memmaps_below(s->maps, pid, address);
	const char *path = map ? wp_memmaps_path(s->maps, map->path) : NULL;
	struct wp_symbol symbol;
	__u32 file;

	if (!map || wp_proffiles_kind(map, path) != WP_SYMBOLS_ELF)
		return false;
	file = wp_proffiles_file(s, WP_SYMBOLS_DATA, path, map, pid);
	if (!file || !wp_symbols_variable(s->symbols, s->file[file - 1].symbols, map->offset,
					  address - map->start, &symbol))
		return false;
	/* The table of paths may have moved. */
	path = wp_intern_bytes(&s->paths, s->file[file - 1].path, NULL);
	wp_symbols_variable_text(&symbol, path, text, size);
	return true;
}

/**
 * wp_proffiles_code() - see wp_profile_code()
 * @s: the files
 * @at: the same
 * @code: the same
 *
 * Return: the same.
 */
bool wp_proffiles_code(const struct wp_proffiles *s, size_t *at,
		       struct wp_profile_code *code)
{
	while (*at < s->files.nr) {
		const struct wp_proffile *f = &s->file[(*at)++];

		if (f->kind != WP_SYMBOLS_ELF && f->kind != WP_SYMBOLS_KERNEL)
			continue;
		*code = (struct wp_profile_code){
			.kind = f->kind, .path = wp_intern_bytes(&s->paths, f->path, NULL),
			.id = f->id, .stat = f->stat,
		};
		return true;
	}
	return false;
}

/**
 * wp_proffiles_trouble() - see wp_profile_trouble()
 * @s: the files
 * @at: the same
 * @path: the same
 *
 * Return: the same.
 */
const char *wp_proffiles_trouble(const struct wp_proffiles *s, size_t *at, const char **path)
{
	while (*at < s->files.nr) {
		const struct wp_proffile *f = &s->file[(*at)++];
		const char *trouble = wp_symbols_trouble(s->symbols, f->symbols);

		if (!trouble || (f->kind != WP_SYMBOLS_ELF && f->kind != WP_SYMBOLS_KERNEL))
			continue;
		*path = f->kind == WP_SYMBOLS_KERNEL ? NULL :
			wp_intern_bytes(&s->paths, f->path, NULL);
		return trouble;
	}
	return NULL;
}

/**
 * wp_proffiles_free() - free the files
 * @s: the files
 */
void wp_proffiles_free(struct wp_proffiles *s)
{
	wp_symbols_free(s->symbols);
	wp_intern_free(&s->paths);
	wp_intern_free(&s->files);
	free(s->file);
}
