// SPDX-License-Identifier: GPL-2.0
/*
 * Our unwinder: tables of files, mappings, the walk.
 *
 * Tables are kept by file, for as long as the program runs.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "lib/elf/elfcode.h"
#include "lib/unwind/unwindtable.h"
#include "ours.h"

#define LIMIT 0x7ffffffff000ULL

struct file {
	char name[256];		/* as /proc/PID/maps and perf have it */
	Elf *elf;
	Dwarf_CFI *cfi;		/* once it was needed */
	struct wp_elfcode codes;
	struct wp_unwindtable blob;
	struct wp_table table;
	bool good;
};

struct ours {
	ours_read_fn *read;
	void *ctx;
	struct wp_map *map;
	struct file **of;	/* of each mapping */
	struct wp_maps maps;
	const struct user_regs_struct *regs;
};

static struct file **files;
static size_t nr_files;
static struct ours_counts counts;
static struct wp_step_cache steps;
static u64 generations;		/* of mappings: how many there were */

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
	return o->read(o->ctx, addr, value, sizeof(*value));
}

static u64 strip(u64 ip)
{
	return ip;
}

static const struct wp_cfi_ops ops = {
	.arch = &wp_cfi_x86_64, .reg = reg, .read = read_word, .strip = strip,
};

/* The vdso has no file; this process's is the same. */
static Elf *elf_of_vdso(size_t size)
{
	char *bytes = malloc(size);

	if (!bytes)
		err(2, "vdso");
	memcpy(bytes, (const void *)getauxval(AT_SYSINFO_EHDR), size);
	return elf_memory(bytes, size);
}

static void compile(struct file *f)
{
	const char *wrong;

	if (!f->elf || wp_elfcode_read(&f->codes, f->elf) ||
	    wp_unwindtable_from_elf(&f->blob, f->elf, &f->codes))
		return;
	wrong = wp_table_check(&f->table, f->blob.data, f->blob.size, EM_X86_64);
	if (wrong)
		errx(2, "%s: the table is refused: %s", f->name, wrong);
	f->good = true;
}

static struct file *file_of(const char *name, const char *path, size_t size)
{
	struct file *f;
	size_t i;
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
	if (path && !strcmp(name, "[vdso]")) {
		f->elf = elf_of_vdso(size);
	} else if (path && name[0] == '/' && name[1] != '/') {
		/* Stays open: its code is read when it is asked for. */
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd >= 0)
			f->elf = elf_begin(fd, ELF_C_READ, NULL);
	}
	compile(f);
	return f;
}

struct ours *ours_new(ours_read_fn *read, void *ctx)
{
	struct ours *o = calloc(1, sizeof(*o));

	if (!o)
		err(2, "ours");
	o->read = read;
	o->ctx = ctx;
	o->maps.generation = ++generations;
	return o;
}

void ours_free(struct ours *o)
{
	if (!o)
		return;
	free(o->map);
	free(o->of);
	free(o);
}

static void add(struct ours *o, struct wp_map map, u64 start, u64 end, struct file *f)
{
	if (start >= end)
		return;
	map.start = start;
	map.end = end;
	o->of[o->maps.nr] = f;
	o->map[o->maps.nr++] = map;
}

static void make_room(struct ours *o, size_t nr)
{
	o->map = calloc(nr, sizeof(*o->map));
	o->of = calloc(nr, sizeof(*o->of));
	if (!o->map || !o->of)
		err(2, "maps");
	o->maps = (struct wp_maps){ .map = o->map, .generation = ++generations };
}

/*
 * There is code at an address from now on, of what is called @name. If that is a
 * file, it can be read at @path; NULL: it cannot, nor is the vdso this kernel's.
 * What was mapped there is gone.
 */
void ours_map(struct ours *o, u64 start, u64 end, u64 offset, const char *name,
	      const char *path)
{
	struct wp_map map = {}, *was = o->map;
	struct file **of = o->of, *f;
	u32 nr = o->maps.nr, i;

	if (start >= end || start >= LIMIT)
		return;
	f = file_of(name, path, end - start);
	if (f->good && wp_elfcode_bias(&f->codes, start, end, offset, &map.bias))
		map.table = &f->table;
	make_room(o, 2 * nr + 1);
	for (i = 0; i < nr; i++)
		add(o, was[i], was[i].start, was[i].end < start ? was[i].end : start, of[i]);
	add(o, map, start, end, f);
	for (i = 0; i < nr; i++)
		add(o, was[i], was[i].start > end ? was[i].start : end, was[i].end, of[i]);
	free(was);
	free(of);
}

/* The same mappings, of another process. */
struct ours *ours_copy(const struct ours *from, void *ctx)
{
	struct ours *o = ours_new(from->read, ctx);
	u32 i;

	make_room(o, from->maps.nr + 1);
	for (i = 0; i < from->maps.nr; i++)
		add(o, from->map[i], from->map[i].start, from->map[i].end, from->of[i]);
	return o;
}

void ours_unmap_all(struct ours *o)
{
	o->maps.nr = 0;
	o->maps.generation = ++generations;
}

const struct wallprof_rule *ours_rule(const struct ours *o, u64 pc)
{
	const struct wp_map *map = wp_maps_find(&o->maps, pc);

	return map && map->table ? wp_table_find(map->table, pc - map->bias) : NULL;
}

static void count(struct ours *o, const u64 *ips, unsigned int nr,
		  const struct wp_cfi_result *result)
{
	unsigned int i;

	counts.walks++;
	counts.slow += result->slow;
	counts.by_fp += result->by_fp;
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
			 unsigned int max, struct wp_cfi_result *result)
{
	struct wp_cfi_code code = { .maps = &o->maps, .steps = &steps, .by_fp = true };
	unsigned int nr;

	o->regs = regs;
	nr = wp_unwind_cfi(&ops, o, &code, regs->rip, regs->rsp, LIMIT, ips, max, result);
	count(o, ips, nr, result);
	return nr;
}

const struct ours_counts *ours_counts(void)
{
	return &counts;
}

/* Bytes of code, from its file. */
bool ours_code(const struct ours *o, u64 addr, void *to, size_t size)
{
	const struct wp_map *map = wp_maps_find(&o->maps, addr);
	const struct wp_code *code;
	struct file *f;
	Elf_Data *data;

	if (!map || !map->table || size > map->end - addr)
		return false;
	f = o->of[map - o->map];
	addr -= map->bias;
	code = wp_elfcode_find(&f->codes, addr);
	if (!code || addr + size > code->start + code->size)
		return false;
	data = elf_getdata_rawchunk(f->elf, addr - code->start + code->offset, size, ELF_T_BYTE);
	if (!data)
		return false;
	memcpy(to, data->d_buf, size);
	return true;
}

/* Whether a call may end in front of an address. */
bool ours_follows_call(const struct ours *o, u64 ip)
{
	unsigned char code[7];
	unsigned int i;

	if (!o->read(o->ctx, ip - sizeof(code), code, sizeof(code)))
		return false;
	if (code[2] == 0xe8)
		return true;
	/* Through a register or memory, the instruction 2 to 7 bytes long */
	for (i = 0; i < 6; i++) {
		if (code[i] == 0xff && (code[i + 1] & 0x38) == 0x10)
			return true;
	}
	return false;
}

bool ours_is_code(const struct ours *o, u64 addr)
{
	return wp_maps_find(&o->maps, addr);
}

/* The file that an address lies in, without directories, and the address in it. */
const char *ours_name(const struct ours *o, u64 ip, u64 *addr)
{
	const struct wp_map *map = wp_maps_find(&o->maps, ip);

	*addr = ip;
	if (!map)
		return "?";
	*addr = ip - map->bias;
	return basename(o->of[map - o->map]->name);
}

/* Print a stack. */
void ours_show(const struct ours *o, const char *whose, const u64 *ips, unsigned int nr)
{
	unsigned int i;
	u64 addr;

	printf("#   %s:", whose);
	for (i = 0; i < nr && i < 40; i++) {
		const char *name = ours_name(o, ips[i], &addr);

		printf(" %s+%" PRIx64, name, (uint64_t)addr);
	}
	printf("%s\n", nr > 40 ? " ..." : "");
}

/*
 * Whether, by the file, the caller's stack pointer at @pc is in a register, not
 * the CFA: it is on another stack.
 */
bool ours_moves_stack(const struct ours *o, u64 pc)
{
	const struct wp_map *map = wp_maps_find(&o->maps, pc);
	Dwarf_Frame *frame;
	Dwarf_Op room[3], *ops;
	struct file *f;
	bool moves;
	size_t nr;

	if (!map || !map->table)
		return false;
	f = o->of[map - o->map];
	if (!f->cfi)
		f->cfi = dwarf_getcfi_elf(f->elf);
	if (!f->cfi || dwarf_cfi_addrframe(f->cfi, pc - map->bias, &frame))
		return false;
	moves = !dwarf_frame_register(frame, wp_cfi_x86_64.sp, room, &ops, &nr) && nr == 1 &&
		ops[0].atom == DW_OP_regx;
	free(frame);
	return moves;
}
