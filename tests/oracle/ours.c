// SPDX-License-Identifier: GPL-2.0
/*
 * Our unwinder, on a process that is stopped.
 *
 * Tables are kept by file, for as long as the program runs.
 */
#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/elfcode.h"
#include "lib/unwindtable.h"
#include "ours.h"

#define LIMIT 0x7ffffffff000ULL

struct file {
	char name[256];		/* as /proc/PID/maps has it */
	struct wp_elfcode codes;
	struct wp_unwindtable blob;
	struct wp_table table;
	bool good;
};

struct ours {
	pid_t pid;
	int mem;
	char *text;		/* of /proc/PID/maps */
	struct wp_map *map;
	struct file **of;	/* of each mapping, or NULL */
	struct wp_maps maps;
	const struct user_regs_struct *regs;
};

static struct file **files;
static size_t nr_files;
static struct ours_counts counts;

static u64 reg(const void *ctx, unsigned int nr)
{
	const struct user_regs_struct *r = ((const struct ours *)ctx)->regs;
	const u64 by_number[] = {
		r->rax, r->rdx, r->rcx, r->rbx, r->rsi, r->rdi, r->rbp, r->rsp,
		r->r8, r->r9, r->r10, r->r11, r->r12, r->r13, r->r14, r->r15,
	};

	if (nr >= ARRAY_SIZE(by_number))
		abort();
	return by_number[nr];
}

static bool read_word(void *ctx, u64 addr, u64 *value)
{
	struct ours *o = ctx;

	if (addr & 7 || addr > LIMIT - 8)
		abort();
	counts.reads++;
	return pread(o->mem, value, sizeof(*value), addr) == sizeof(*value);
}

static u64 strip(u64 ip)
{
	return ip;
}

static const struct wp_cfi_ops ops = {
	.arch = &wp_cfi_x86_64, .reg = reg, .read = read_word, .strip = strip,
};

/* The vdso has no file: its bytes are taken from the process. */
static Elf *elf_of_vdso(const struct ours *o, u64 start, u64 end)
{
	char *bytes = malloc(end - start);

	if (!bytes || pread(o->mem, bytes, end - start, start) != (ssize_t)(end - start))
		err(2, "vdso");
	return elf_memory(bytes, end - start);
}

static void compile(struct file *f, Elf *elf)
{
	const char *wrong;

	if (wp_elfcode_read(&f->codes, elf) ||
	    wp_unwindtable_from_elf(&f->blob, elf, &f->codes))
		return;
	wrong = wp_table_check(&f->table, f->blob.data, f->blob.size, EM_X86_64);
	if (wrong)
		errx(2, "%s: the table is refused: %s", f->name, wrong);
	f->good = true;
}

static struct file *file_of(const struct ours *o, const char *name, u64 start, u64 end)
{
	char path[300];
	struct file *f;
	size_t i;
	Elf *elf;
	int fd;

	for (i = 0; i < nr_files; i++) {
		if (!strcmp(files[i]->name, name))
			return files[i];
	}
	f = calloc(1, sizeof(*f));
	files = reallocarray(files, nr_files + 1, sizeof(*files));
	if (!f || !files)
		err(2, "files");
	files[nr_files++] = f;
	snprintf(f->name, sizeof(f->name), "%s", name);
	if (!strcmp(name, "[vdso]")) {
		compile(f, elf_of_vdso(o, start, end));
		return f;
	}
	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, o->pid,
		 (uint64_t)start, (uint64_t)end);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return f;
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf)
		compile(f, elf);
	elf_end(elf);
	close(fd);
	return f;
}

static char *read_maps(pid_t pid)
{
	size_t size = 0, room = 1 << 16;
	char name[64], *text = malloc(room);
	ssize_t n;
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/maps", pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || !text)
		err(2, "%s", name);
	while ((n = read(fd, text + size, room - size - 1)) > 0) {
		size += n;
		if (room - size < 1 << 14) {
			room *= 2;
			text = realloc(text, room);
			if (!text)
				err(2, "%s", name);
		}
	}
	close(fd);
	text[size] = '\0';
	return text;
}

static void add_map(struct ours *o, const char *line)
{
	u64 start, end, offset;
	char perms[8], name[256] = "";
	struct wp_map *map;
	struct file *f = NULL;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %255[^\n]",
		   (uint64_t *)&start, (uint64_t *)&end, perms, (uint64_t *)&offset, name) < 4 ||
	    perms[2] != 'x' || start >= LIMIT)
		return;
	o->map = reallocarray(o->map, o->maps.nr + 1, sizeof(*o->map));
	o->of = reallocarray(o->of, o->maps.nr + 1, sizeof(*o->of));
	if (!o->map || !o->of)
		err(2, "maps");
	map = &o->map[o->maps.nr];
	*map = (struct wp_map){ .start = start, .end = end };
	if (name[0] == '/' || !strcmp(name, "[vdso]"))
		f = file_of(o, name, start, end);
	if (f && f->good && wp_elfcode_bias(&f->codes, start, end, offset, &map->bias))
		map->table = &f->table;
	o->of[o->maps.nr++] = f;
	o->maps.map = o->map;
}

/* Look at the mappings again; whether those of files changed. */
bool ours_refresh(struct ours *o)
{
	char *text = read_maps(o->pid), *line, *next;
	bool same = o->text && !strcmp(o->text, text);
	char name[64];

	free(o->text);
	o->text = text;
	if (same)
		return false;
	/* After an exec the memory is another one. */
	if (o->mem >= 0)
		close(o->mem);
	snprintf(name, sizeof(name), "/proc/%d/mem", o->pid);
	o->mem = open(name, O_RDONLY | O_CLOEXEC);
	if (o->mem < 0)
		err(2, "%s", name);
	o->maps.nr = 0;
	for (line = text; *line; line = next + 1) {
		next = strchr(line, '\n');
		if (!next)
			break;
		add_map(o, line);
	}
	return true;
}

struct ours *ours_new(pid_t pid)
{
	struct ours *o = calloc(1, sizeof(*o));

	if (!o)
		err(2, "ours");
	o->pid = pid;
	o->mem = -1;
	return o;
}

void ours_free(struct ours *o)
{
	close(o->mem);
	free(o->text);
	free(o->map);
	free(o->of);
	free(o);
}

const struct wallprof_rule *ours_rule(const struct ours *o, u64 pc)
{
	const struct wp_map *map = wp_maps_find(&o->maps, pc);

	return map && map->table ? wp_table_find(map->table, pc - map->bias) : NULL;
}

static void count(struct ours *o, const u64 *ips, unsigned int nr,
		  const struct wp_cfi_told *told)
{
	unsigned int i;

	counts.walks++;
	counts.slow += told->slow;
	counts.by_fp += told->by_fp;
	counts.frames += nr;
	for (i = 0; i < nr; i++) {
		const struct wallprof_rule *rule = ours_rule(o, ips[i] - !!i);

		if (rule)
			counts.kinds[rule->kind]++;
		else
			counts.no_table++;
	}
}

unsigned int ours_unwind(struct ours *o, const struct user_regs_struct *regs, u64 *ips,
			 unsigned int max, struct wp_cfi_told *told)
{
	unsigned int nr;

	o->regs = regs;
	nr = wp_unwind_cfi(&ops, o, &o->maps, true, regs->rip, regs->rsp, LIMIT, ips, max,
			   told);
	count(o, ips, nr, told);
	return nr;
}

const struct ours_counts *ours_counts(void)
{
	return &counts;
}

bool ours_read(const struct ours *o, u64 addr, void *to, size_t size)
{
	return pread(o->mem, to, size, addr) == (ssize_t)size;
}

bool ours_is_code(const struct ours *o, u64 addr)
{
	return wp_maps_find(&o->maps, addr);
}

/* The file that an address lies in, and the address in the file. */
const char *ours_name(const struct ours *o, u64 ip, u64 *addr)
{
	const struct wp_map *map = wp_maps_find(&o->maps, ip);
	const struct file *f;

	*addr = ip;
	if (!map)
		return "?";
	f = o->of[map - o->map];
	if (!f)
		return "anon";
	*addr = ip - map->bias;
	return f->name;
}
