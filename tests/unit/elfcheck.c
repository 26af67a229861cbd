// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of what an ELF file's headers may state: this program is as it should be; files
 * of some KiB that state much are refused, of 32 and 64 bits and of both byte orders.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/elf/elfcheck.h"
#include "tap.h"

#define MIB	(1ULL << 20)

/* Section 1 is the names', 2 symbols, 3 their names, 4 and 5 whatever a case wants. */
#define NR	6

static struct {
	Elf64_Ehdr eh;
	Elf64_Phdr ph[3];
	Elf64_Shdr sh[NR];
	char data[1024];
} elf;

static off_t size;
static int fd;

#define DATA	offsetof(typeof(elf), data)

static void begin(void)
{
	memset(&elf, 0, sizeof(elf));
	memcpy(elf.eh.e_ident, ELFMAG, SELFMAG);
	elf.eh.e_ident[EI_CLASS] = ELFCLASS64;
	elf.eh.e_ident[EI_DATA] = __BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB;
	elf.eh.e_phoff = offsetof(typeof(elf), ph);
	elf.eh.e_phnum = 3;
	elf.eh.e_shoff = offsetof(typeof(elf), sh);
	elf.eh.e_shnum = NR;
	elf.eh.e_shstrndx = 1;
	elf.ph[0] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_filesz = sizeof(elf) };
	elf.ph[1] = (Elf64_Phdr){ .p_type = PT_NOTE, .p_offset = DATA, .p_filesz = 64 };
	elf.ph[2] = (Elf64_Phdr){ .p_type = PT_NOTE, .p_offset = DATA, .p_filesz = 64 };
	elf.sh[1] = (Elf64_Shdr){ .sh_type = SHT_STRTAB, .sh_offset = DATA, .sh_size = 32 };
	elf.sh[2] = (Elf64_Shdr){ .sh_type = SHT_SYMTAB, .sh_offset = DATA, .sh_size = 48,
				  .sh_link = 3 };
	elf.sh[3] = elf.sh[1];
	size = sizeof(elf);
}

static int checked(void)
{
	struct stat st;

	if (ftruncate(fd, 0) || pwrite(fd, &elf, sizeof(elf), 0) != sizeof(elf) ||
	    ftruncate(fd, size) || fstat(fd, &st))
		perror("file");
	return wp_elfcheck(fd, &st);
}

static void is(int err, const char *what)
{
	int got = checked();

	if (!ok(got == err, "%s", what))
		printf("# %d, not %d\n", got, err);
	begin();
}

static void segments(void)
{
	elf.eh.e_phnum = PN_XNUM;
	elf.sh[0].sh_info = 3;
	is(-EFBIG, "program headers beyond those that a header counts");
	elf.eh.e_phnum = 1171;
	size = MIB;
	is(-EFBIG, "more than the kernel takes");
	elf.eh.e_phoff = size - 8;
	is(-EFBIG, "program headers behind the file's end");
	elf.ph[1].p_filesz = 2 * MIB;
	size = 4 * MIB;
	is(-EFBIG, "a note of 2 MiB");
	elf.ph[1].p_filesz = 900 * 1024;
	elf.ph[2].p_filesz = 900 * 1024;
	size = 4 * MIB;
	is(-EFBIG, "two that are as large together");
	elf.ph[1].p_filesz = 2 * MIB;
	is(0, "a note that the file does not have");
	elf.ph[1].p_type = PT_DYNAMIC;
	elf.ph[1].p_filesz = 3 * MIB;
	size = 4 * MIB;
	is(-EFBIG, "3 MiB of what the linker is to do");
}

static void sections(void)
{
	elf.eh.e_shnum = 0;
	elf.sh[0].sh_size = NR;
	is(0, "sections that are counted in the first one");
	elf.eh.e_shnum = 0;
	elf.sh[0].sh_size = 20000000;
	size = 2048 * MIB;
	is(-EFBIG, "20 million of them");
	elf.eh.e_shnum = 0;
	elf.sh[0].sh_size = 1ULL << 40;
	is(-EFBIG, "more than there are bytes in the file");
	elf.eh.e_shoff = size - 8;
	is(0, "none, if they are behind the file's end");
	elf.sh[4] = (Elf64_Shdr){ .sh_type = SHT_PROGBITS, .sh_offset = size - 4,
				  .sh_size = 8 };
	is(-EFBIG, "a section that ends behind the file");
	elf.sh[4] = (Elf64_Shdr){ .sh_type = SHT_NOBITS, .sh_offset = size, .sh_size = MIB };
	is(0, "one that has nothing in the file");
}

static void tables(void)
{
	elf.sh[1].sh_size = 17 * MIB;
	size = 32 * MIB;
	is(-EFBIG, "17 MiB of sections' names");
	elf.sh[3].sh_size = 4096 * MIB;
	size = 4097 * MIB;
	is(-EFBIG, "4 GiB of symbols' names");
	elf.sh[2].sh_size = 240 * MIB;
	elf.sh[3].sh_size = MIB / 2;
	size = 256 * MIB;
	is(-EFBIG, "10 million symbols that are a hole");
	elf.sh[2].sh_size = 24ULL << 25;
	size = 1024 * MIB;
	is(-EFBIG, "32 million symbols");
	elf.sh[3].sh_size = 3 * MIB;
	size = 4 * MIB;
	is(-EFBIG, "3 MiB of names for two symbols");
	elf.eh.e_shstrndx = SHN_XINDEX;
	elf.sh[0].sh_link = 3;
	elf.sh[3].sh_size = 17 * MIB;
	elf.sh[2].sh_size = 24 * 10000;
	size = 32 * MIB;
	is(-EFBIG, "sections' names whose index the first section has");
}

static void compress(int nr, __u64 packed, __u64 expanded, __u32 type)
{
	Elf64_Chdr chdr = { .ch_type = type, .ch_size = expanded };

	memcpy(elf.data, &chdr, sizeof(chdr));
	elf.sh[nr] = (Elf64_Shdr){ .sh_type = SHT_PROGBITS, .sh_flags = SHF_COMPRESSED,
				   .sh_offset = DATA, .sh_size = packed };
}

static void compressed(void)
{
	compress(4, 512, 16 * MIB, ELFCOMPRESS_ZLIB);
	is(0, "what expands to 16 MiB");
	compress(4, 512, 17 * MIB, ELFCOMPRESS_ZLIB);
	is(-EFBIG, "512 bytes that expand to more");
	compress(4, 512, 17 * MIB, 2);
	is(-EFBIG, "so by zstd");
	compress(4, 512, ~0ULL, ELFCOMPRESS_ZLIB);
	is(-EFBIG, "to all that there can be");
	compress(4, MIB, 32 * MIB, ELFCOMPRESS_ZLIB);
	size = 2 * MIB;
	is(0, "1 MiB that expands to 32");
	compress(4, 512, 1, ELFCOMPRESS_ZLIB);
	elf.sh[5] = elf.sh[4];
	is(-EFBIG, "two in one place");
	memcpy(elf.data, "ZLIB\0\0\0\1\0\0\0\0", 12);
	elf.sh[4] = (Elf64_Shdr){ .sh_type = SHT_PROGBITS, .sh_offset = DATA, .sh_size = 512 };
	is(-EFBIG, "4 GiB, as GNU tools once compressed");
}

/* The same in another byte order and size: only what is looked at here. */
/* Wherever headers lie, a file is judged as its copy in memory is. */
static void anywhere(void)
{
	const size_t room = 3 << 20, dynamic = (1 << 20) + 1;
	char *image = calloc(1, room);
	int at, bad, differ = 0, wrong = 0;
	struct stat st;

	size = room;
	for (at = sizeof(elf.eh); at < 12288; at += 37) {
		for (bad = 0; bad < 2; bad++) {
			elf.eh.e_phoff = at;
			elf.eh.e_shoff = 16384 + at;
			elf.ph[2].p_type = PT_DYNAMIC;
			elf.ph[2].p_filesz = bad ? dynamic : 64;
			memset(image, 0, 65536);
			memcpy(image, &elf.eh, sizeof(elf.eh));
			memcpy(image + at, elf.ph, sizeof(elf.ph));
			memcpy(image + 16384 + at, elf.sh, sizeof(elf.sh));
			if (pwrite(fd, image, 65536, 0) != 65536 || ftruncate(fd, room) ||
			    fstat(fd, &st))
				perror("file");
			differ += wp_elfcheck(fd, &st) != wp_elfcheck_memory(image, room);
			wrong += wp_elfcheck(fd, &st) != (bad ? -EFBIG : 0);
		}
	}
	ok(!differ && !wrong, "headers anywhere: %d differ, %d are wrong", differ, wrong);
	st.st_size = 2 * room;
	elf.eh.e_phoff = room - 56;
	elf.eh.e_shnum = 0;
	ok(pwrite(fd, &elf.eh, sizeof(elf.eh), 0) == sizeof(elf.eh) &&
	   wp_elfcheck(fd, &st) == -EFBIG, "a file that was cut meanwhile");
	free(image);
	begin();
}

static void foreign(void)
{
	struct {
		Elf32_Ehdr eh;
		Elf32_Shdr sh[2];
	} *other = calloc(1, 4096);

	memcpy(other->eh.e_ident, elf.eh.e_ident, EI_NIDENT);
	other->eh.e_ident[EI_CLASS] = ELFCLASS32;
	other->eh.e_shoff = sizeof(other->eh);
	other->eh.e_shnum = 2;
	other->sh[1].sh_type = SHT_STRTAB;
	other->sh[1].sh_size = 4096;
	ok(!wp_elfcheck_memory(other, 4096), "32 bits");
	other->sh[1].sh_size = 8192;
	ok(wp_elfcheck_memory(other, 4096) == -EFBIG, "32 bits, behind the end");
	other->eh.e_ident[EI_DATA] = __BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2MSB : ELFDATA2LSB;
	other->eh.e_shoff = __builtin_bswap32(sizeof(other->eh));
	other->eh.e_shnum = __builtin_bswap16(2);
	other->sh[1].sh_type = __builtin_bswap32(SHT_STRTAB);
	other->sh[1].sh_size = __builtin_bswap32(4096);
	ok(!wp_elfcheck_memory(other, 4096), "the other byte order");
	other->sh[1].sh_size = __builtin_bswap32(8192);
	ok(wp_elfcheck_memory(other, 4096) == -EFBIG, "the other, behind the end");
	free(other);
}

int main(void)
{
	struct stat st;
	int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	if (self < 0 || fstat(self, &st))
		return 1;
	ok(!wp_elfcheck(self, &st), "this program");
	close(self);
	fd = memfd_create("elf", MFD_CLOEXEC);
	if (fd < 0)
		return 1;
	begin();
	is(0, "the file that all the others differ from");
	elf.eh.e_ident[0] = 'x';
	is(-ENOEXEC, "no ELF file");
	elf.eh.e_ident[EI_CLASS] = 3;
	is(-ENOEXEC, "of 128 bits");
	ok(wp_elfcheck_memory(&elf, 40) == -ENOEXEC, "cut in its header");
	segments();
	sections();
	tables();
	compressed();
	anywhere();
	foreign();
	close(fd);
	return done();
}
