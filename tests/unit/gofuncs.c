// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of where Go's stacks end, on a program made by hand, and on such as no linker
 * makes.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "lib/unwind/gofuncs.h"
#include "lib/unwind/unwindtable.h"
#include "pure/unwind_table.h"
#include "tap.h"

#define TEXT	0x400100

static const char strings[] = "\0.gopclntab\0.shstrtab\0.debug_frame";
static const char names[] = "runtime.goexit\0main.main\0runtime.mcall\0runtime.mcallx";

/* Functions at TEXT: of 32 bytes each. */
static const __u32 name_of[] = { 15, 0, 40, 25 };

#define NR	(sizeof(name_of) / sizeof(*name_of))

/* .debug_frame of the first two: the CFA is rsp + 8, the return address is below. */
static const __u8 frame[] = {
	20, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 1, 0, 1, 0x78, 16,
	0x0c, 7, 8, 0x90, 1, 0, 0, 0, 0, 0, 0,
	20, 0, 0, 0, 0, 0, 0, 0, 0x00, 1, 0x40, 0, 0, 0, 0, 0, 32, 0, 0, 0, 0, 0, 0, 0,
	20, 0, 0, 0, 0, 0, 0, 0, 0x20, 1, 0x40, 0, 0, 0, 0, 0, 32, 0, 0, 0, 0, 0, 0, 0,
};

struct pclntab {
	__u32 magic;
	__u8 zero[2], quantum, pointer;
	__u64 nr_funcs, nr_files, text, names, units, files, pcs, funcs;
	char name[sizeof(names)];
	__u32 entry[2 * NR + 1];
	__u32 func[NR][2];
};

static struct program {
	Elf64_Ehdr eh;
	Elf64_Phdr ph;
	Elf64_Shdr sh[4];
	char strings[sizeof(strings)];
	__u8 frame[sizeof(frame)];
	struct pclntab go __attribute__((aligned(8)));
} program;

static void make(struct program *p)
{
	unsigned int i;

	*p = (struct program){
		.eh = {
			.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			.e_type = ET_EXEC, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
			.e_phoff = offsetof(struct program, ph), .e_phentsize = sizeof(p->ph),
			.e_phnum = 1, .e_ehsize = sizeof(p->eh),
			.e_shoff = offsetof(struct program, sh), .e_shentsize = sizeof(p->sh[0]),
			.e_shnum = 4, .e_shstrndx = 2,
		},
		.ph = { .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = 0x400000,
			.p_filesz = sizeof(*p), .p_memsz = sizeof(*p) },
		.sh = {
			{},
			{ .sh_name = 1, .sh_type = SHT_PROGBITS,
			  .sh_offset = offsetof(struct program, go), .sh_size = sizeof(p->go) },
			{ .sh_name = 12, .sh_type = SHT_STRTAB,
			  .sh_offset = offsetof(struct program, strings),
			  .sh_size = sizeof(strings) },
			/* By this name it is nothing. */
			{ .sh_name = 0, .sh_type = SHT_PROGBITS, .sh_size = sizeof(frame),
			  .sh_offset = offsetof(struct program, frame) },
		},
		.go = {
			.magic = 0xfffffff0, .quantum = 1, .pointer = 8, .nr_funcs = NR,
			.text = TEXT, .names = offsetof(struct pclntab, name),
			.funcs = offsetof(struct pclntab, entry),
		},
	};
	memcpy(p->strings, strings, sizeof(strings));
	memcpy(p->frame, frame, sizeof(frame));
	memcpy(p->go.name, names, sizeof(names));
	for (i = 0; i < NR; i++) {
		p->go.entry[2 * i] = 32 * i;
		p->go.entry[2 * i + 1] = offsetof(struct pclntab, func[i]) -
					 offsetof(struct pclntab, entry);
		p->go.func[i][0] = 32 * i;
		p->go.func[i][1] = name_of[i];
	}
	p->go.entry[2 * NR] = 32 * NR;
}

/* What is found in a program; the program is copied, for each byte behind it is bad. */
static size_t find(const struct program *p, struct wp_gofuncs *funcs)
{
	char *bytes = memcpy(malloc(sizeof(*p)), p, sizeof(*p));
	struct wp_elfcode codes;
	Elf *elf = elf_memory(bytes, sizeof(*p));

	funcs->nr = 0;
	if (!wp_elfcode_read(&codes, elf))
		wp_gofuncs_find(funcs, elf, &codes);
	elf_end(elf);
	free(bytes);
	return funcs->nr;
}

static int kind_at(const struct wp_table *table, __u64 pc)
{
	const struct wallprof_rule *rule = wp_table_find(table, pc);

	return rule ? rule->kind : -1;
}

static void good(void)
{
	struct wp_unwindtable blob = {};
	struct wp_gofuncs funcs;
	struct wp_elfcode codes;
	struct wp_table table;
	Elf *elf;

	ok(find(&program, &funcs) == 2 && funcs.list[0].start == TEXT + 32 &&
	   funcs.list[0].end == TEXT + 64 && funcs.list[1].start == TEXT + 96 &&
	   funcs.list[1].end == TEXT + 128, "two functions have no caller");
	elf = elf_memory((char *)&program, sizeof(program));
	ok(!wp_elfcode_read(&codes, elf) && !wp_unwindtable_from_elf(&blob, elf, &codes) &&
	   !wp_table_check(&table, blob.data, blob.size, EM_X86_64), "there is a table");
	ok(kind_at(&table, TEXT + 32) == WALLPROF_RULE_END &&
	   kind_at(&table, TEXT + 63) == WALLPROF_RULE_END &&
	   kind_at(&table, TEXT + 96) == WALLPROF_RULE_END, "which ends stacks there");
	ok(kind_at(&table, TEXT + 31) == WALLPROF_RULE_NONE &&
	   kind_at(&table, TEXT + 64) == WALLPROF_RULE_NONE &&
	   kind_at(&table, TEXT + 128) == WALLPROF_RULE_NONE, "and nowhere else");
	wp_unwindtable_free(&blob);
	elf_end(elf);
}

/* Programs that were not stripped have .debug_frame. */
static void not_stripped(void)
{
	struct wp_unwindtable blob = {};
	struct program p = program;
	struct wp_elfcode codes;
	struct wp_table table;
	Elf *elf;

	p.sh[3].sh_name = 22;
	elf = elf_memory((char *)&p, sizeof(p));
	ok(!wp_elfcode_read(&codes, elf) && !wp_unwindtable_from_elf(&blob, elf, &codes) &&
	   blob.nr_fdes == 2 && !wp_table_check(&table, blob.data, blob.size, EM_X86_64) &&
	   kind_at(&table, TEXT) == WALLPROF_RULE_CFA &&
	   kind_at(&table, TEXT + 31) == WALLPROF_RULE_CFA, "frames that the file describes");
	ok(kind_at(&table, TEXT + 32) == WALLPROF_RULE_END &&
	   kind_at(&table, TEXT + 63) == WALLPROF_RULE_END &&
	   kind_at(&table, TEXT + 64) == WALLPROF_RULE_NONE, "but where stacks end, they do");
	wp_unwindtable_free(&blob);
	elf_end(elf);
}

static void refused(void)
{
	struct program p = program;
	struct wp_gofuncs funcs;

	p.go.magic = 0xfffffffb;
	ok(!find(&p, &funcs), "another version");
	p = program;
	p.go.text = 0x500000;
	ok(!find(&p, &funcs), "functions where no code is");
	p.go.text = 0;
	p.ph.p_vaddr = 0;
	ok(!find(&p, &funcs), "functions of which only the distance is known");
	p = program;
	p.go.nr_funcs = ~0ULL;
	ok(find(&p, &funcs) <= WP_GOFUNCS_MAX, "more functions than there can be");
	p = program;
	p.go.entry[2] = 96;
	p.go.entry[6] = 32;
	ok(find(&p, &funcs) <= 1, "functions that are not in order");
	p = program;
	p.go.names = ~0ULL - 3;
	ok(!find(&p, &funcs), "names outside of the file");
}

/* Whatever the bytes are: nothing outside is read, and the list is in order. */
static void spoilt(void)
{
	unsigned int round, i, bad = 0;
	struct wp_gofuncs funcs;

	srand(1);
	for (round = 0; round < 20000; round++) {
		struct program p = program;
		char *go = (char *)&p.go;

		for (i = rand() % 4 + 1; i--;)
			go[rand() % sizeof(p.go)] = rand() % 4 ? rand() : rand() % 2 ? 0xff : 0;
		find(&p, &funcs);
		for (i = 0; i < funcs.nr; i++) {
			bad += funcs.list[i].start >= funcs.list[i].end;
			bad += i && funcs.list[i].start < funcs.list[i - 1].end;
		}
	}
	ok(!bad, "bytes that were changed");
}

int main(void)
{
	elf_version(EV_CURRENT);
	make(&program);
	good();
	not_stripped();
	refused();
	spoilt();
	return done();
}
