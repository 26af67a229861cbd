// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of the reader's compiler of unwind tables: ELF files, and .eh_frame and
 * .debug_frame within a valid file. For any input, the compiler ends after a number of
 * steps that its size limits, and a table that it makes passes the module's check. Read
 * from a file the input gives the same table as from memory.
 *
 * Input: its kind: 0 a file, 1 .eh_frame, 2 .debug_frame; then its bytes.
 */
#include <elf.h>
#include <libelf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/unwind/unwindtable.h"
#include "pure/unwind_table.h"

#define CODE	0x400000ULL

/* Returns 0 or a negative errno. */
static int make(Elf *elf, int fd, size_t size, struct wp_unwindtable *table)
{
	struct wp_elfcode codes;
	struct wp_table checked;
	__u64 bias;
	int ret = wp_elfcode_read_fd(&codes, elf, fd);

	if (ret)
		return ret;
	wp_elfcode_bias(&codes, 0x1000, 0x2000, 0, &bias);
	ret = wp_unwindtable_from_elf(table, elf, &codes);
	if (!ret != !!table->data || table->size > wp_unwindtable_limit(&codes) ||
	    codes.bytes > size || table->steps > 32 * size + (1 << 20) ||
	    (!ret && wp_table_check(&checked, table->data, table->size, table->machine)))
		abort();
	return ret;
}

static void compile(char *bytes, size_t size)
{
	struct wp_unwindtable table = {}, same = {};
	int fd, ret = -1, ret_fd;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_memory(bytes, size);
	if (elf)
		ret = make(elf, -1, size, &table);
	elf_end(elf);
	fd = memfd_create("elf", MFD_CLOEXEC);
	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		abort();
	elf = wp_elfcode_begin(fd);
	if (elf) {
		ret_fd = make(elf, fd, size, &same);
		if (ret != ret_fd || table.size != same.size ||
		    (table.size && memcmp(table.data, same.data, table.size)))
			abort();
	}
	elf_end(elf);
	close(fd);
	wp_unwindtable_free(&table);
	wp_unwindtable_free(&same);
}

/* A file with one section of this content, and code that holds it, too. */
static void compile_section(const uint8_t *data, size_t size, int debug)
{
	static const char names[] = "\0.eh_frame\0.debug_frame\0";
	struct {
		Elf64_Ehdr eh;
		Elf64_Phdr ph;
		Elf64_Shdr sh[3];
		char names[sizeof(names)];
	} head = {
		.eh = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
				     ELFDATA2LSB, EV_CURRENT },
			.e_type = ET_DYN, .e_machine = debug ? EM_AARCH64 : EM_X86_64,
			.e_version = EV_CURRENT, .e_ehsize = sizeof(Elf64_Ehdr),
			.e_phoff = sizeof(Elf64_Ehdr), .e_phentsize = sizeof(Elf64_Phdr),
			.e_phnum = 1, .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 3,
			.e_shoff = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr), .e_shstrndx = 2,
		},
		.ph = {
			.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = CODE,
			.p_memsz = 1 << 20, .p_filesz = sizeof(head) + size,
		},
		.sh[1] = {
			.sh_name = debug ? 11 : 1, .sh_type = SHT_PROGBITS, .sh_addr = CODE,
			.sh_offset = sizeof(head), .sh_size = size,
		},
		.sh[2] = {
			.sh_name = 0, .sh_type = SHT_STRTAB,
			.sh_offset = sizeof(head) - sizeof(names), .sh_size = sizeof(names),
		},
	};
	char *bytes = malloc(sizeof(head) + size);

	memcpy(head.names, names, sizeof(names));
	/* Padding at the end of the struct would move the names. */
	head.sh[2].sh_offset = (char *)head.names - (char *)&head;
	memcpy(bytes, &head, sizeof(head));
	memcpy(bytes + sizeof(head), data, size);
	compile(bytes, sizeof(head) + size);
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *bytes;

	if (!size)
		return 0;
	if (data[0] % 3) {
		compile_section(data + 1, size - 1, data[0] % 3 == 2);
		return 0;
	}
	bytes = malloc(size);
	memcpy(bytes, data + 1, size - 1);
	compile(bytes, size - 1);
	free(bytes);
	return 0;
}
