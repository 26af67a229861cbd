// SPDX-License-Identifier: GPL-2.0
/*
 * Unit test for coldpart.c, by this program itself: it has symbols, by which each part that
 * is found can be checked. And for damaged copies of it.
 */
#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/elf/coldpart.h"
#include "tap.h"

#define SUFFIX	".cold"

static struct symbol {
	const char *name;
	__u64 start, end;
} *symbols;

static size_t nr_symbols;

/* What a function hardly ever calls makes it have such a part. */
__attribute__((cold, noinline, noclone)) static void rare(long n)
{
	printf("# %ld\n", n);
}

__attribute__((optimize("O2"), noinline, noclone)) static long partly(long n, long m)
{
	if (n == 7)
		rare(n + m);
	m ^= n << 3;
	if (m == 77)
		rare(m);
	n ^= m >> 5;
	if (n == 777)
		rare(n - m);
	m += n * 3;
	if (m == 7777)
		rare(m * n);
	return n + m;
}

static void read_symbols(Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	Elf_Data *data;
	GElf_Sym sym;
	size_t i;

	do {
		scn = elf_nextscn(elf, scn);
	} while (scn && (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_SYMTAB));
	data = scn ? elf_getdata(scn, NULL) : NULL;
	symbols = data ? calloc(shdr.sh_size / shdr.sh_entsize, sizeof(*symbols)) : NULL;
	for (i = 0; symbols && gelf_getsym(data, i, &sym); i++) {
		if (GELF_ST_TYPE(sym.st_info) == STT_FUNC && sym.st_size)
			symbols[nr_symbols++] = (struct symbol){
				elf_strptr(elf, shdr.sh_link, sym.st_name), sym.st_value,
				sym.st_value + sym.st_size,
			};
	}
}

static bool is_cold(const struct symbol *s)
{
	size_t size = strlen(s->name);

	return size > strlen(SUFFIX) && !strcmp(s->name + size - strlen(SUFFIX), SUFFIX);
}

/* The part that a function has by its symbols, or NULL. Several functions may have a name. */
static const struct symbol *cold_of(const struct symbol *of, const struct wp_coldpart *part)
{
	const struct symbol *any = NULL;
	size_t i, k, size;

	for (i = 0; i < nr_symbols; i++) {
		const struct symbol *s = &symbols[i];

		size = strlen(s->name) - strlen(SUFFIX);
		if (!is_cold(s))
			continue;
		/* One that has the same address may have another name. */
		for (k = 0; k < nr_symbols; k++) {
			if (symbols[k].start == of->start && strlen(symbols[k].name) == size &&
			    !memcmp(symbols[k].name, s->name, size)) {
				any = s;
				if (s->start == part->start && s->end == part->end)
					return s;
			}
		}
	}
	return any;
}

static void of_itself(Elf *elf)
{
	unsigned int right = 0, wrong = 0;
	struct wp_coldpart part;
	size_t i;

	for (i = 0; i < nr_symbols; i++) {
		const struct symbol *s = &symbols[i], *cold;

		if (is_cold(s) || !wp_coldpart_find(elf, s->start, s->end, &part))
			continue;
		cold = cold_of(s, &part);
		if (cold && cold->start == part.start && cold->end == part.end) {
			right++;
		} else {
			wrong++;
			printf("# %s: %llx, not %llx\n", s->name, part.start,
			       cold ? cold->start : 0);
		}
	}
#ifdef __x86_64__
	ok(right && !wrong && partly(right, wrong), "parts of functions, by their symbols: %u", right);
#else
	ok(!right && !wrong, "on other machines there are none");
#endif
	ok(!wp_coldpart_find(elf, 0, 0, &part) && !wp_coldpart_find(elf, 16, 8, &part) &&
	   !wp_coldpart_find(elf, ~0ULL - 8, ~0ULL, &part) &&
	   !wp_coldpart_find(elf, 0, ~0ULL, &part), "no function has none");
}

/* Whatever the file has, nothing beyond it is read. */
static void damaged(const char *image, size_t size)
{
	struct wp_coldpart part;
	unsigned int round;
	size_t i, at;

	srand(1);
	for (round = 0; round < 30; round++) {
		char *copy = malloc(size);
		Elf *elf;

		memcpy(copy, image, size);
		/* In its program headers, too. */
		for (i = 0; i < 4000; i++) {
			at = i < 8 ? 64 + (size_t)rand() % 600 :
			     ((size_t)rand() << 12 | (size_t)rand() % 4096) % size;
			if (at < size)
				copy[at] = rand();
		}
		elf = elf_memory(copy, round % 3 ? size : size * (rand() % 64) / 64);
		for (i = 0; elf && i < nr_symbols; i += 7)
			wp_coldpart_find(elf, symbols[i].start, symbols[i].end, &part);
		elf_end(elf);
		free(copy);
	}
	ok(true, "damaged files");
}

int main(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *image;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = fd < 0 || fstat(fd, &st) ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	image = elf ? mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
	if (!ok(image != MAP_FAILED, "begin"))
		return done();
	read_symbols(elf);
	of_itself(elf);
	damaged(image, st.st_size);
	elf_end(elf);
	free(symbols);
	return done();
}
