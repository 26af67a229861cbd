// SPDX-License-Identifier: GPL-2.0
/*
 * Decompresses .gnu_debugdata: an ELF file with only symbols, compressed by xz. It is not
 * trusted: 1 MB can be 4 GiB of zeros, so the result is limited in proportion to the
 * input. Called by elfnames.c.
 */
#include <errno.h>
#include <gelf.h>
#include <lzma.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/elf/debugdata.h"
#include "lib/elf/elfcheck.h"

/*
 * Limits for its compressed and decompressed size. Symbols are compressed about fivefold.
 */
#define MAX_PACKED	((size_t)64 << 20)
#define MAX_SIZE	((size_t)256 << 20)
#define MAX_RATIO	32
#define SLACK		((size_t)16 << 20)

/* Memory for the largest dictionaries, as of xz -9. */
#define MAX_MEMORY	(96ULL << 20)

#define FIRST_ROOM	((size_t)1 << 20)

static Elf_Scn *find(Elf *elf, GElf_Shdr *shdr)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name = gelf_getshdr(scn, shdr) ?
			elf_strptr(elf, names, shdr->sh_name) : NULL;

		if (name && !strcmp(name, ".gnu_debugdata") &&
		    shdr->sh_type == SHT_PROGBITS && shdr->sh_size)
			return scn;
	}
	return NULL;
}

/* Enlarge the output; false if the limit is reached, or there is no memory. */
static bool grow(lzma_stream *s, char **image, size_t *room, size_t max, int *err)
{
	size_t more = *room ? 2 * *room : FIRST_ROOM, used = *room;
	char *p;

	*err = *room == max ? -EFBIG : -ENOMEM;
	if (more > max)
		more = max;
	p = *room == max ? NULL : realloc(*image, more);
	if (!p)
		return false;
	*image = p;
	*room = more;
	s->next_out = (void *)(p + used);
	s->avail_out = more - used;
	return true;
}

static int expand(lzma_stream *s, char **image, size_t *size, size_t max)
{
	lzma_ret ret = LZMA_OK;
	size_t room = 0;
	int err = 0;

	while (ret == LZMA_OK) {
		if (!s->avail_out && !grow(s, image, &room, max, &err))
			return err;
		ret = lzma_code(s, LZMA_FINISH);
	}
	*size = room - s->avail_out;
	if (ret == LZMA_STREAM_END)
		return 0;
	return ret == LZMA_MEMLIMIT_ERROR ? -EFBIG : ret == LZMA_MEM_ERROR ? -ENOMEM : -ENOENT;
}

/**
 * wp_debugdata_read() - decompress a file's .gnu_debugdata
 * @image: set to an ELF file, to be freed
 * @size: set to its size
 * @elf: the file
 *
 * Return: 0; -ENOENT: there is none, or it is invalid; -EFBIG: it would be implausibly
 * large; -ENOMEM.
 */
int wp_debugdata_read(void **image, size_t *size, Elf *elf)
{
	lzma_stream s = LZMA_STREAM_INIT;
	GElf_Shdr shdr;
	Elf_Scn *scn = find(elf, &shdr);
	Elf_Data *packed;
	char *to = NULL;
	size_t max;
	int err;

	if (!scn)
		return -ENOENT;
	if (shdr.sh_size > MAX_PACKED)
		return -EFBIG;
	packed = elf_rawdata(scn, NULL);
	if (!packed || !packed->d_buf)
		return -ENOENT;
	max = SLACK + MAX_RATIO * packed->d_size;
	if (max > MAX_SIZE)
		max = MAX_SIZE;
	if (lzma_stream_decoder(&s, MAX_MEMORY, 0) != LZMA_OK)
		return -ENOMEM;
	s.next_in = packed->d_buf;
	s.avail_in = packed->d_size;
	err = expand(&s, &to, size, max);
	lzma_end(&s);
	if (!err)
		err = wp_elfcheck_memory(to, *size) == -EFBIG ? -EFBIG : 0;
	if (err) {
		free(to);
		return err;
	}
	*image = to;
	return 0;
}
