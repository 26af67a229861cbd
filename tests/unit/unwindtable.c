// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the compiler of unwind tables, on this program itself: functions in
 * assembly whose unwind information is known, for each kind of rule.
 *
 * They are not run. A label is a place where a row begins.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/unwind/unwindtable.h"
#include "pure/unwind_table.h"
#include "tap.h"

/* Bytes that no padding of the assembler is, so that each row has a place. */
asm(".pushsection .text\n"
    ".balign 16\n"
    "t_before: .cfi_startproc\n"
    "	.fill 5, 1, 0x90\n"
    "	.cfi_endproc\n"
    "t_padding: .balign 16, 0xcc\n"
    "t_plain: .cfi_startproc\n"
    "	nop\n"
    "	.cfi_def_cfa_offset 16\n"
    "	.cfi_offset rbp, -16\n"
    "t_pushed: nop\n"
    "	.cfi_def_cfa_register rbp\n"
    "	.cfi_offset rbx, -24\n"
    "	.cfi_offset r15, -32\n"
    "t_framed: nop\n"
    "	.cfi_remember_state\n"
    "	.cfi_def_cfa rsp, 8\n"
    "	.cfi_restore rbp\n"
    "	.cfi_same_value rbx\n"
    "	.cfi_restore r15\n"
    "t_popped: nop\n"
    "	.cfi_restore_state\n"
    "t_restored: nop\n"
    "	.cfi_undefined rbp\n"
    "	.cfi_undefined r15\n"
    "t_lost: nop\n"
    "	.cfi_endproc\n"
    /* A hole that does not end where a function can begin */
    "t_hole: .fill 7, 1, 0x90\n"
    "t_odd: .cfi_startproc\n"
    "	.cfi_def_cfa rsp, 0\n"
    "	.cfi_register rip, rdi\n"
    "t_in_register: nop\n"
    "	.cfi_undefined rip\n"
    "t_end: nop\n"
    "	.cfi_restore rip\n"
    /* *(rbp - 8), rbp at 0(rbp), rbx at -16(rbp) */
    "	.cfi_escape 0x0f, 3, 0x76, 0x78, 0x06\n"
    "	.cfi_escape 0x10, 6, 2, 0x76, 0\n"
    "	.cfi_escape 0x10, 3, 2, 0x76, 0x70\n"
    "t_realigned: nop\n"
    /* *(rsp + 8 + r9 * 8) + 8 */
    "	.cfi_restore rbp\n"
    "	.cfi_restore rbx\n"
    "	.cfi_escape 0x0f, 11, 0x77, 8, 0x79, 0, 0x38, 0x1e, 0x22, 0x06, 0x23, 8, 0x96\n"
    "t_indexed: nop\n"
    "	.cfi_escape 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3a, 0x2a, 0x33, 0x24, 0x22\n"
    "t_plt: nop\n"
    /* rsp + rax: an index without a dereference */
    "	.cfi_escape 0x0f, 5, 0x77, 0, 0x70, 0, 0x22\n"
    "t_unsupported: nop\n"
    "	.cfi_def_cfa rsp, 8\n"
    "	.cfi_escape 0x0b\n"		/* restore a state: none was remembered */
    "t_unknown: nop\n"
    "	.cfi_endproc\n"
    "	.fill 64, 1, 0x90\n"
    "t_gap: .fill 16, 1, 0x90\n"
    /* What a C library without unwind information has */
    "t_return: .byte 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05\n"
    "t_returned: .fill 64, 1, 0x90\n"
    "	.cfi_startproc\n"
    "	.cfi_signal_frame\n"
    "	nop\n"
    "t_restorer: mov $15, %rax\n"
    "	syscall\n"
    "	.cfi_endproc\n"
    "t_in_restorer: .fill 64, 1, 0x90\n"
    /* Other functions begin where the syscall ends: one with an FDE, one without */
    "	.cfi_startproc\n"
    "	.cfi_signal_frame\n"
    "	nop\n"
    "	mov $15, %rax\n"
    "	syscall\n"
    "	.cfi_endproc\n"
    "t_next: .cfi_startproc\n"
    "	nop\n"
    "	.cfi_endproc\n"
    "	.fill 64, 1, 0x90\n"
    "	.byte 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05\n"
    "t_memcpy: mov %rdi, %rax\n"
    "	.fill 64, 1, 0x90\n"
    /* As glibc's: the next function is aligned, a nop of many bytes before it */
    "	.balign 16, 0x90\n"
    "	.fill 7, 1, 0x90\n"
    "	.cfi_startproc\n"
    "	.cfi_signal_frame\n"
    "	nop\n"
    "	mov $15, %rax\n"
    "	syscall\n"
    "	.cfi_endproc\n"
    "t_in_glibc: .byte 0x0f, 0x1f, 0x80, 0, 0, 0, 0\n"
    "	.fill 8, 1, 0x90\n"
    "t_behind: .cfi_startproc\n"
    "	nop\n"
    "	.cfi_endproc\n"
    "	.fill 64, 1, 0x90\n"
    "t_exact: .cfi_startproc\n"
    "	.cfi_signal_frame\n"
    "	.cfi_def_cfa rsp, 24\n"
    "	nop\n"
    "	.cfi_endproc\n"
    "	.fill 64, 1, 0x90\n"
    ".popsection\n");

#define LABEL(name) extern const char name[] asm(#name)
LABEL(t_before);
LABEL(t_padding);
LABEL(t_plain);
LABEL(t_pushed);
LABEL(t_framed);
LABEL(t_popped);
LABEL(t_restored);
LABEL(t_lost);
LABEL(t_hole);
LABEL(t_odd);
LABEL(t_end);
LABEL(t_realigned);
LABEL(t_indexed);
LABEL(t_plt);
LABEL(t_unsupported);
LABEL(t_unknown);
LABEL(t_gap);
LABEL(t_return);
LABEL(t_returned);
LABEL(t_restorer);
LABEL(t_in_restorer);
LABEL(t_next);
LABEL(t_memcpy);
LABEL(t_in_glibc);
LABEL(t_behind);
LABEL(t_exact);

static struct wp_unwindtable blob;
static struct wp_table table;
static __u64 bias;

static int first_object(struct dl_phdr_info *info, size_t size, void *data)
{
	*(__u64 *)data = info->dlpi_addr;
	return 1;
}

static int load(void)
{
	struct wp_elfcode codes;
	const char *wrong;
	__u64 start = 0, end = 0, offset = 0, way;
	Elf *elf;
	int fd;

	elf_version(EV_CURRENT);
	fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!ok(!wp_elfcode_read(&codes, elf), "the code of a file is found") ||
	    !ok(!wp_unwindtable_from_elf(&blob, elf, &codes), "its table is made"))
		return -1;
	elf_end(elf);
	close(fd);
	wrong = wp_table_check(&table, blob.data, blob.size, EM_X86_64);
	if (!ok(!wrong, "the module's check passes it%s%s", wrong ? ": " : "", wrong ?: ""))
		return -1;
	dl_iterate_phdr(first_object, &bias);
	/* As a mapping of it would be: whole pages. */
	offset = codes.code[0].offset & ~4095ULL;
	start = bias + (codes.code[0].start & ~4095ULL);
	end = start + 4096;
	ok(wp_elfcode_bias(&codes, start, end, offset, &way) && way == bias,
	   "a mapping's bias is found");
	ok(!wp_elfcode_bias(&codes, start, end, 1ULL << 40, &way),
	   "a mapping of something else has none");
	return 0;
}

static const struct wallprof_rule *at(const char *place)
{
	const struct wallprof_rule *rule = wp_table_find(&table, (__u64)place - bias);
	static const struct wallprof_rule none;

	return rule ?: &none;
}

static void is(const char *place, struct wallprof_rule wanted, const char *name)
{
	struct wallprof_rule rule = *at(place);

	rule.saves = 0;
	if (!ok(!memcmp(&rule, &wanted, sizeof(rule)), "%s", name))
		printf("# kind %u flags %#x reg %u index %u off %d add %d ra %d fp %d\n",
		       rule.kind, rule.flags, rule.reg, rule.index, rule.off, rule.add,
		       rule.ra, rule.fp);
}

#define NO .index = WALLPROF_RULE_NO_INDEX

static void plain(void)
{
	const struct wallprof_save *saves;

	is(t_plain, (struct wallprof_rule){ WALLPROF_RULE_CFA, 0, 7, NO, .off = 8, .ra = -1 },
	   "a function begins");
	is(t_pushed, (struct wallprof_rule){ WALLPROF_RULE_CFA, WALLPROF_RULE_FP_SAVED, 7, NO,
					     .off = 16, .ra = -1, .fp = -2 },
	   "the frame pointer was saved");
	is(t_framed, (struct wallprof_rule){ WALLPROF_RULE_CFA, WALLPROF_RULE_FP_SAVED, 6, NO,
					     .off = 16, .ra = -1, .fp = -2 },
	   "the frame is found by it");
	saves = &table.saves[at(t_framed)->saves];
	ok(saves[0].reg == 3 && saves[0].how == WALLPROF_SAVE_CFA && saves[0].off == -3 &&
	   saves[1].reg == 15 && saves[1].how == WALLPROF_SAVE_CFA && saves[1].off == -4 &&
	   saves[2].how == WALLPROF_SAVE_END, "other registers were saved");
	is(t_popped, *at(t_plain), "what was restored is as before");
	ok(!at(t_popped)->saves, "and no register is saved");
	is(t_restored, (struct wallprof_rule){ WALLPROF_RULE_CFA, WALLPROF_RULE_FP_SAVED, 6,
					       NO, .off = 16, .ra = -1, .fp = -2 },
	   "a remembered state is restored");
	ok(at(t_restored) == at(t_framed), "equal rules are one");
	is(t_lost, (struct wallprof_rule){ WALLPROF_RULE_CFA, WALLPROF_RULE_FP_LOST, 6, NO,
					   .off = 16, .ra = -1 },
	   "the frame pointer is lost");
	saves = &table.saves[at(t_lost)->saves];
	ok(saves[0].reg == 3 && saves[1].reg == 15 && saves[1].how == WALLPROF_SAVE_LOST,
	   "so is another register");
}

static void odd(void)
{
	const struct wallprof_save *saves;

	is(t_odd, (struct wallprof_rule){ WALLPROF_RULE_CFA, WALLPROF_RULE_RA_REG, 7, NO,
					  .ra = 5 },
	   "a return address in a register");
	is(t_end, (struct wallprof_rule){ WALLPROF_RULE_END, NO }, "no caller");
	is(t_realigned, (struct wallprof_rule){
			WALLPROF_RULE_DEREF, WALLPROF_RULE_FP_SAVED | WALLPROF_RULE_FP_FP, 6,
			NO, .off = -8, .ra = -1 },
	   "a stack aligned anew");
	saves = &table.saves[at(t_realigned)->saves];
	ok(saves[0].reg == 3 && saves[0].how == WALLPROF_SAVE_FP && saves[0].off == -2,
	   "and a register saved by the frame pointer");
	is(t_indexed, (struct wallprof_rule){
			WALLPROF_RULE_DEREF, 0, 7, WALLPROF_RULE_INDEX(9, 3), .off = 8,
			.add = 8, .ra = -1 },
	   "a CFA in an array");
	is(t_plt, (struct wallprof_rule){ WALLPROF_RULE_PLT, NO, .add = 10 }, "a stub");
	is(t_unsupported, (struct wallprof_rule){ WALLPROF_RULE_UNSUPPORTED, NO },
	   "an expression that tables do not know");
	is(t_unknown, (struct wallprof_rule){ WALLPROF_RULE_UNSUPPORTED, NO },
	   "an instruction that makes no sense");
	ok(blob.unsupported >= 2, "both are counted");
	is(t_exact, (struct wallprof_rule){ WALLPROF_RULE_CFA, WALLPROF_RULE_EXACT, 7, NO,
					    .off = 24, .ra = -1 },
	   "a frame that was interrupted");
}

static void between(void)
{
	const struct wallprof_rule signal = { WALLPROF_RULE_SIGNAL, NO };
	const struct wallprof_rule none = { WALLPROF_RULE_NONE, NO };

	is(t_padding, (struct wallprof_rule){ WALLPROF_RULE_END, NO }, "padding");
	is(t_plain - 1, (struct wallprof_rule){ WALLPROF_RULE_END, NO }, "all of it");
	is(t_padding - 1, *at(t_before), "but not the function before");
	ok(at(t_hole) == at(t_lost) && at(t_odd - 1) == at(t_lost), "a hole in code");
	is(t_gap, none, "code without an FDE");
	is(t_return - 2, none, "up to a trampoline");
	is(t_return - 1, signal, "the byte in front of a trampoline");
	is(t_returned - 1, signal, "a trampoline without an FDE");
	is(t_returned, signal, "in its system call");
	is(t_returned + 1, none, "behind it");
	is(t_restorer - 1, signal, "the byte in front of one with an FDE");
	is(t_restorer, signal, "and that one");
	is(t_in_restorer, signal, "and in its system call");
	is(t_in_restorer + 1, none, "and behind that");
	is(t_next - 1, signal, "a trampoline in front of a function");
	is(t_next, *at(t_plain), "that function");
	is(t_memcpy - 1, signal, "a trampoline in front of other code");
	is(t_memcpy, none, "that code");
	is(t_in_glibc, signal, "the first byte of padding behind a trampoline");
	is(t_in_glibc + 1, (struct wallprof_rule){ WALLPROF_RULE_END, NO },
	   "and the next ones");
	is(t_behind - 1, (struct wallprof_rule){ WALLPROF_RULE_END, NO }, "all of them");
	is(t_behind, *at(t_plain), "and the function behind");
}

/* Every process has a vdso, which is in no file. */
static void vdso(void)
{
	char *start = (char *)getauxval(AT_SYSINFO_EHDR);
	struct wp_unwindtable t = {};
	struct wp_elfcode codes;
	struct wp_table checked;
	int ret = -1;
	Elf *elf;

	elf = elf_memory(start, 8192);
	if (!wp_elfcode_read(&codes, elf))
		ret = wp_unwindtable_from_elf(&t, elf, &codes);
	ok(!ret && t.nr_fdes > 3 &&
	   !wp_table_check(&checked, t.data, t.size, EM_X86_64), "the vdso has a table");
	wp_unwindtable_free(&t);
	elf_end(elf);
}

/* The dynamic linker has no FDE for its entry. */
static void entry(void)
{
	int fd = open("/lib64/ld-linux-x86-64.so.2", O_RDONLY | O_CLOEXEC);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	const struct wallprof_rule *rule = NULL;
	struct wp_unwindtable t = {};
	struct wp_elfcode codes;
	struct wp_table checked;

	if (!wp_elfcode_read(&codes, elf) && !wp_unwindtable_from_elf(&t, elf, &codes) &&
	    !wp_table_check(&checked, t.data, t.size, EM_X86_64))
		rule = wp_table_find(&checked, codes.entry + 7);
	ok(rule && rule->kind == WALLPROF_RULE_END, "where a program begins, stacks end");
	wp_unwindtable_free(&t);
	elf_end(elf);
	close(fd);
}

/* Any user can have a file mapped whose code has more bytes than there is memory. */
static void huge(void)
{
	const __u64 size = 1ULL << 40;
	const struct {
		Elf64_Ehdr eh;
		Elf64_Phdr ph;
	} file = {
		.eh = {
			.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			.e_type = ET_DYN, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
			.e_phoff = sizeof(Elf64_Ehdr), .e_ehsize = sizeof(Elf64_Ehdr),
			.e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 1,
		},
		.ph = { .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = size,
			.p_memsz = size, .p_align = 4096 },
	};
	int fd = memfd_create("huge", MFD_CLOEXEC);
	struct wp_unwindtable t = {};
	struct wp_elfcode codes;
	Elf *elf;

	if (!ok(write(fd, &file, sizeof(file)) == sizeof(file) && !ftruncate(fd, size),
		"a file of which most is not there"))
		return;
	elf = elf_begin(fd, ELF_C_READ, NULL);
	/* Not memory for all of it, or AddressSanitizer gives up. */
	ok(!wp_elfcode_read(&codes, elf) && codes.code[0].size == size &&
	   wp_unwindtable_from_elf(&t, elf, &codes) != -ENOMEM, "is not read");
	wp_unwindtable_free(&t);
	elf_end(elf);
	close(fd);
}

/* Things that are no code. */
static void refused(void)
{
	static char text[] = "#!/bin/sh\necho this is no program, though it can be run\n";
	struct wp_elfcode codes;
	Elf *elf;

	elf = elf_memory(text, sizeof(text));
	ok(wp_elfcode_read(&codes, elf) == -ENOEXEC, "a script is refused");
	elf_end(elf);
}

int main(void)
{
	if (load())
		return done();
	plain();
	odd();
	between();
	vdso();
	entry();
	huge();
	refused();
	wp_unwindtable_free(&blob);
	return done();
}
