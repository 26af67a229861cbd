// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the parsing of /proc/kallsyms, /proc/iomem, /proc/modules and modules.dep. Called
 * by the record command at the start of a session.
 */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "lib/base/err.h"
#include "lib/perfdata/perfdata.h"
#include "lib/record/ksyms.h"

/*
 * With kptr_restrict all addresses read as zero. Readers still need a kernel map, so it
 * spans the kernel's half of the address space on x86-64 and arm64; pgoff 0 marks the
 * position of the symbols as unknown.
 */
#define KERNEL_HALF	0xffff800000000000ULL

/*
 * On x86 "Kernel code" spans _text to _etext, at the physical address chosen by KASLR.
 * Elsewhere the resource may be larger: on arm64 it includes read-only data.
 */
#ifdef __x86_64__
#define IOMEM		"/proc/iomem"
#else
#define IOMEM		NULL
#endif

struct mmap_record {
	struct perf_event_header header;
	__u32 pid, tid;
	__u64 start, len, pgoff;
	char name_and_id[PATH_MAX + 8 + sizeof(struct wp_sample_id)];
};

static int emit(struct wp_synth *s, const char *name, __u64 start, __u64 len, __u64 pgoff)
{
	struct wp_sample_id sid = { .time = s->time, .id = s->id };
	size_t size = strnlen(name, PATH_MAX - 1), padded = (size + 1 + 7) & ~(size_t)7;
	struct mmap_record r = {
		.header.type = PERF_RECORD_MMAP,
		.header.misc = PERF_RECORD_MISC_KERNEL,
		.header.size = offsetof(struct mmap_record, name_and_id) + padded + sizeof(sid),
		.pid = -1,
		.start = start,
		.len = len,
		.pgoff = pgoff,
	};

	memcpy(r.name_and_id, name, size);
	memcpy(r.name_and_id + padded, &sid, sizeof(sid));
	return s->fn(s->ctx, &r.header, s->time);
}

struct kernel_text {
	__u64 text, stext, etext;
};

/*
 * Length of the kernel's code; 0 if unknown: without CAP_SYS_ADMIN the kernel shows
 * zeros.
 */
static __u64 code_length(const char *path)
{
	FILE *f = path ? fopen(path, "re") : NULL;
	unsigned long long first, last;
	__u64 len = 0;
	char *line = NULL;
	size_t room = 0;

	if (!f)
		return 0;
	while (!len && getline(&line, &room, f) > 0) {
		if (strstr(line, " : Kernel code\n") &&
		    sscanf(line, "%llx-%llx", &first, &last) == 2 && last > first)
			len = last - first + 1;
	}
	free(line);
	fclose(f);
	return len;
}

/*
 * Reading /proc/kallsyms takes longer than all other work at the start, as the kernel
 * formats a line for each symbol. The start of the text is near the top, its end after
 * some ten thousand lines: get the end from elsewhere if possible.
 */
static void read_kallsyms(const char *path, const char *iomem, struct kernel_text *k)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;

	memset(k, 0, sizeof(*k));
	if (!f)
		return;
	setvbuf(f, NULL, _IOFBF, 1 << 16);
	/* Module symbols come last, long after the end of the text. */
	while (!k->etext && getline(&line, &room, f) > 0) {
		char *name = strchr(line, ' ');
		__u64 *v = NULL;

		if (!name || !name[1] || name[2] != ' ' || name[3] != '_')
			continue;
		name += 3;
		if (!strcmp(name, "_text\n"))
			v = &k->text;
		else if (!strcmp(name, "_stext\n"))
			v = &k->stext;
		else if (!strcmp(name, "_etext\n"))
			v = &k->etext;
		if (!v)
			continue;
		*v = strtoull(line, NULL, 16);
		/* On x86 _stext is at the same address or missing. */
		if (v == &k->text && k->text) {
			__u64 len = code_length(iomem);

			if (len)
				k->etext = k->text + len;
		}
	}
	free(line);
	fclose(f);
}

static int synthesize_kernel(struct wp_synth *s, const struct wp_ksyms_paths *p)
{
	__u64 start, len, ref;
	struct wp_buildid id;
	struct kernel_text k;

	read_kallsyms(p->kallsyms, p->iomem, &k);
	ref = k.text ? k.text : k.stext;
	start = k.stext ? k.stext : ref;
	if (k.text && k.text < start)
		start = k.text;
	if (!ref) {
		start = KERNEL_HALF;
		wp_debug("%s shows no addresses (kernel.kptr_restrict): kernel symbols will be missing",
			 p->kallsyms);
	}
	len = k.etext > start ? k.etext - start : -start;
	if (s->ids && !wp_buildid_from_notes_file(p->notes, &id))
		wp_buildids_add(s->ids, "[kernel.kallsyms]", 0, true, &id);
	return emit(s, k.text || !ref ? "[kernel.kallsyms]_text" : "[kernel.kallsyms]_stext",
		    start, len, ref);
}

/* Module names have underscores where file names may have dashes. */
static void canonical(char *s)
{
	for (; *s; s++) {
		if (*s == '-')
			*s = '_';
	}
}

/* kernel/drivers/x/snd-foo.ko.xz: ... -> snd_foo */
static bool module_of(const char *line, char *name, size_t size)
{
	size_t path = strcspn(line, ":"), from, len;

	for (from = path; from && line[from - 1] != '/'; from--)
		;
	for (len = 0; from + len < path; len++) {
		if (!strncmp(line + from + len, ".ko", 3))
			break;
	}
	if (!len || from + len >= path || len >= size)
		return false;
	memcpy(name, line + from, len);
	name[len] = '\0';
	canonical(name);
	return true;
}

struct module_file {
	char *name;
	char *path;
};

struct module_files {
	struct module_file *v;
	size_t nr;
};

static int compare_files(const void *a, const void *b)
{
	return strcmp(((const struct module_file *)a)->name,
		      ((const struct module_file *)b)->name);
}

static void read_modules_dep(const char *dir, struct module_files *files)
{
	char path[PATH_MAX + 16], name[256], *line = NULL;
	size_t room = 0, room_v = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/modules.dep", dir);
	f = fopen(path, "re");
	if (!f)
		return;
	while (getline(&line, &room, f) > 0) {
		struct module_file *p;

		if (!module_of(line, name, sizeof(name)))
			continue;
		if (files->nr == room_v) {
			room_v = 2 * room_v + 1024;
			p = realloc(files->v, room_v * sizeof(*p));
			if (!p)
				break;
			files->v = p;
		}
		line[strcspn(line, ":")] = '\0';
		p = &files->v[files->nr];
		p->name = strdup(name);
		p->path = NULL;
		if (asprintf(&p->path, "%s%s%s", line[0] == '/' ? "" : dir,
			     line[0] == '/' ? "" : "/", line) < 0)
			p->path = NULL;
		if (!p->name || !p->path) {
			free(p->name);
			free(p->path);
			break;
		}
		files->nr++;
	}
	free(line);
	fclose(f);
	if (files->nr)
		qsort(files->v, files->nr, sizeof(*files->v), compare_files);
}

static void free_files(struct module_files *files)
{
	size_t i;

	for (i = 0; i < files->nr; i++) {
		free(files->v[i].name);
		free(files->v[i].path);
	}
	free(files->v);
}

/* name size refcount users state address [taints] */
static bool parse_module(char *line, char **name, __u64 *size, __u64 *addr)
{
	char *save, *field[6];
	int i;

	for (i = 0; i < 6; i++) {
		field[i] = strtok_r(i ? NULL : line, "\n ", &save);
		if (!field[i])
			return false;
	}
	*name = field[0];
	*size = strtoull(field[1], NULL, 10);
	*addr = strtoull(field[5], NULL, 16);
	return *addr && *size && !strchr(*name, '/') && strlen(*name) < 200;
}

static int synthesize_modules(struct wp_synth *s, const struct wp_ksyms_paths *p)
{
	struct module_files files = { 0 };
	char *line = NULL, *name, path[PATH_MAX];
	__u64 size, addr;
	size_t room = 0;
	int ret = 0;
	FILE *f;

	f = fopen(p->modules, "re");
	if (!f)
		return 0;
	while (!ret && getline(&line, &room, f) > 0) {
		struct module_file *found, key;
		struct wp_buildid id;
		const char *shown;

		if (!parse_module(line, &name, &size, &addr))
			continue;
		if (!files.v)
			read_modules_dep(p->lib_modules, &files);
		key.name = name;
		found = files.nr ? bsearch(&key, files.v, files.nr, sizeof(key), compare_files) :
				   NULL;
		snprintf(path, sizeof(path), "[%s]", name);
		shown = found ? found->path : path;
		ret = emit(s, shown, addr, size, 0);
		if (s->ids) {
			char notes[PATH_MAX];

			snprintf(notes, sizeof(notes), "%s/%s/notes/.note.gnu.build-id",
				 p->sys_module, name);
			if (!wp_buildid_from_notes_file(notes, &id))
				wp_buildids_add(s->ids, shown, 0, true, &id);
		}
	}
	free(line);
	fclose(f);
	free_files(&files);
	return ret;
}

/**
 * wp_ksyms_synthesize() - emit records of the kernel's and its modules' mappings
 * @s: destination; @s->root is not used
 * @paths: input files; NULL: the default paths
 *
 * Return: 0 or what the callback returned.
 */
int wp_ksyms_synthesize(struct wp_synth *s, const struct wp_ksyms_paths *paths)
{
	struct wp_ksyms_paths p = { 0 };
	char dir[PATH_MAX];
	struct utsname uts;
	int ret;

	if (paths)
		p = *paths;
	if (!p.lib_modules && !uname(&uts)) {
		snprintf(dir, sizeof(dir), "/lib/modules/%s", uts.release);
		p.lib_modules = dir;
	}
	p.kallsyms = p.kallsyms ? p.kallsyms : "/proc/kallsyms";
	p.iomem = p.iomem ? p.iomem : IOMEM;
	p.modules = p.modules ? p.modules : "/proc/modules";
	p.lib_modules = p.lib_modules ? p.lib_modules : "/lib/modules";
	p.sys_module = p.sys_module ? p.sys_module : "/sys/module";
	p.notes = p.notes ? p.notes : "/sys/kernel/notes";
	ret = synthesize_kernel(s, &p);
	return ret ? ret : synthesize_modules(s, &p);
}
