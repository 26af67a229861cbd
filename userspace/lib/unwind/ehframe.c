// SPDX-License-Identifier: GPL-2.0
/*
 * Finds .eh_frame and .debug_frame in an ELF file and parses the headers of their
 * entries. libelf finds the sections, libdw splits them into entries; pointers and
 * augmentation, which libdw leaves to its callers, are parsed here.
 *
 * The file is not trusted: a section larger than the file's code can need is neither read
 * nor decompressed, and no work is done twice, so that time and memory are bounded by the
 * size of the file's code.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/bytes.h"
#include "lib/unwind/ehframe.h"

/*
 * Limit for a section of frames, independent of the code size. There are 0.05 to 0.3
 * bytes of frames for each byte of code, 0.54 in a library of stubs (libepoxy). The
 * frames of very small functions are larger than the functions.
 */
#define SECTION_LEAST	(256ULL << 10)
#define SECTION_TIMES	4

/* Maximum compression ratio of a section; 4 is usual. */
#define UNPACK_TIMES	16

/* Maximum size of the part of .eh_frame_hdr with the address of .eh_frame. */
#define HEADER		16

/* A section that is being parsed. */
struct section {
	Elf_Data *data;
	bool seen;		/* the file has it; @data may still be NULL */
	__u64 addr;		/* its load address; .debug_frame: 0 */
	bool eh;		/* .eh_frame, not .debug_frame */
	const unsigned char *ident;
	size_t first_cie;	/* index of its first CIE in the list */
};

static int grow(void **list, size_t nr, size_t size)
{
	size_t room = nr ? 2 * nr : 64;
	void *p;

	if (nr & (nr - 1) || (nr && nr < 64))
		return 0;
	p = reallocarray(*list, room, size);
	if (!p)
		return -ENOMEM;
	*list = p;
	return 0;
}

/* Read a pointer encoded as DW_EH_PE_*. Returns whether the encoding is supported. */
static bool read_encoded(struct wp_bytes *b, const struct section *s, __u8 encoding,
			 __u64 *value)
{
	__u64 at = s->addr + (b->p - (const __u8 *)s->data->d_buf);

	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		*value = wp_bytes_uint(b, 8);
		break;
	case DW_EH_PE_udata2:
		*value = wp_bytes_uint(b, 2);
		break;
	case DW_EH_PE_udata4:
		*value = wp_bytes_uint(b, 4);
		break;
	case DW_EH_PE_sdata2:
		*value = wp_bytes_sint(b, 2);
		break;
	case DW_EH_PE_sdata4:
		*value = wp_bytes_sint(b, 4);
		break;
	case DW_EH_PE_uleb128:
		*value = wp_bytes_uleb(b);
		break;
	case DW_EH_PE_sleb128:
		*value = wp_bytes_sleb(b);
		break;
	default:
		return false;
	}
	switch (encoding & 0xf0) {
	case 0:
		return !b->bad;
	case DW_EH_PE_pcrel:
		*value += at;
		return !b->bad;
	default:
		return false;
	}
}

/* Parse the letters of the augmentation. Returns whether all are known. */
static bool read_augmentation(struct wp_cie *cie, const struct section *s,
			      const Dwarf_CIE *raw)
{
	struct wp_bytes b = { raw->augmentation_data,
			      raw->augmentation_data + raw->augmentation_data_size, false };
	const char *letter = raw->augmentation;
	__u64 unused;

	cie->encoding = DW_EH_PE_absptr;
	cie->extra = raw->fde_augmentation_data_size;
	cie->sized = *letter == 'z';
	if (!raw->augmentation_data)
		b.end = b.p;
	for (letter += cie->sized; *letter; letter++) {
		switch (*letter) {
		case 'R':
			cie->encoding = wp_bytes_uint(&b, 1);
			break;
		case 'S':
			cie->signal = true;
			break;
		case 'L':
			wp_bytes_uint(&b, 1);
			break;
		case 'P':
			if (!read_encoded(&b, s, wp_bytes_uint(&b, 1) & 0x0f, &unused))
				return false;
			break;
		case 'B':	/* arm64: key of signed return addresses */
		case 'G':	/* arm64: tagged stacks */
			break;
		default:
			return false;
		}
	}
	return !b.bad;
}

static int add_cie(struct wp_ehframe *f, const struct section *s, __u64 at,
		   const Dwarf_CIE *raw)
{
	struct wp_cie cie = {
		.at = at,
		.initial = raw->initial_instructions,
		.initial_end = raw->initial_instructions_end,
		.code_align = raw->code_alignment_factor,
		.data_align = raw->data_alignment_factor,
		.ra = raw->return_address_register,
	};

	if (!read_augmentation(&cie, s, raw)) {
		f->skipped++;
		return 0;
	}
	if (f->nr_cies == WP_CIES_MAX) {
		f->skipped++;
		return 0;
	}
	if (grow((void **)&f->cie, f->nr_cies, sizeof(cie)))
		return -ENOMEM;
	f->cie[f->nr_cies++] = cie;
	return 0;
}

/* Look up the CIE at an offset of the section; the list is sorted. */
static struct wp_cie *find_cie(const struct wp_ehframe *f, const struct section *s,
			       __u64 at)
{
	size_t from = s->first_cie, to = f->nr_cies;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (f->cie[middle].at == at)
			return &f->cie[middle];
		if (f->cie[middle].at < at)
			from = middle + 1;
		else
			to = middle;
	}
	return NULL;
}

static bool read_fde(struct wp_fde *fde, const struct wp_ehframe *f,
		     const struct section *s, const Dwarf_FDE *raw)
{
	const struct wp_cie *cie = find_cie(f, s, raw->CIE_pointer);
	struct wp_bytes b = { raw->start, raw->end, false };
	__u64 size;

	if (!cie || !read_encoded(&b, s, cie->encoding, &fde->start) ||
	    !read_encoded(&b, s, cie->encoding & 0x0f, &size))
		return false;
	wp_bytes_take(&b, cie->sized ? wp_bytes_uleb(&b) : cie->extra);
	if (b.bad || !size || fde->start + size < fde->start)
		return false;
	fde->end = fde->start + size;
	fde->program = b.p;
	fde->program_end = b.end;
	fde->cie = cie - f->cie;
	return true;
}

/*
 * One pass over a section: for its CIEs, or for its FDEs, since FDEs of .debug_frame may
 * precede their CIEs.
 */
static int read_entries(struct wp_ehframe *f, const struct section *s, bool fdes,
			const struct wp_elfcode *codes)
{
	const struct wp_code *code;
	Dwarf_Off at = 0, next;
	Dwarf_CFI_Entry entry;
	struct wp_fde fde;
	int ret;

	for (;; at = next) {
		next = at;
		ret = dwarf_next_cfi(s->ident, s->data, s->eh, at, &next, &entry);
		if (ret > 0 || next <= at || next == (Dwarf_Off)-1)
			return 0;
		if (ret < 0) {
			f->skipped += fdes;
			continue;
		}
		if (dwarf_cfi_cie_p(&entry)) {
			if (!fdes && add_cie(f, s, at, &entry.cie))
				return -ENOMEM;
			continue;
		}
		if (!fdes)
			continue;
		if (!read_fde(&fde, f, s, &entry.fde)) {
			f->skipped++;
			continue;
		}
		/* Code that the linker dropped is at or near address 0. */
		code = wp_elfcode_find(codes, fde.start);
		if (!code)
			continue;
		if (fde.end > code->end)
			fde.end = code->end;
		if (f->nr_fdes == WP_FDES_MAX) {
			f->skipped++;
			return 0;
		}
		if (grow((void **)&f->fde, f->nr_fdes, sizeof(fde)))
			return -ENOMEM;
		f->fde[f->nr_fdes++] = fde;
	}
}

static int by_start(const void *va, const void *vb)
{
	const struct wp_fde *a = va, *b = vb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	/* .eh_frame first: its CIEs come first. */
	if (a->cie != b->cie)
		return a->cie < b->cie ? -1 : 1;
	return a->program < b->program ? -1 : a->program > b->program;
}

/*
 * Sort the FDEs and remove overlaps: those of .eh_frame take precedence over those of
 * .debug_frame, and a later start ends an earlier FDE, as a search for the last start
 * finds it.
 */
static void sort(struct wp_ehframe *f, size_t nr_eh_cies)
{
	size_t i, nr = 0;

	if (!f->nr_fdes)
		return;
	qsort(f->fde, f->nr_fdes, sizeof(*f->fde), by_start);
	for (i = 0; i < f->nr_fdes; i++) {
		struct wp_fde fde = f->fde[i];

		/* Trim earlier ones that reach into it. */
		while (nr && f->fde[nr - 1].end > fde.start) {
			struct wp_fde *last = &f->fde[nr - 1];

			if (last->cie < nr_eh_cies && fde.cie >= nr_eh_cies) {
				fde.start = last->end;
				break;
			}
			if (last->start == fde.start && last->cie >= nr_eh_cies &&
			    fde.cie < nr_eh_cies) {
				nr--;
				continue;
			}
			/* It was moved up in an earlier iteration. */
			if (last->start >= fde.start)
				fde.start = last->end;
			else
				last->end = fde.start;
			break;
		}
		if (fde.start < fde.end)
			f->fde[nr++] = fde;
	}
	f->nr_fdes = nr;
}

static int read_section(struct wp_ehframe *f, struct section *s,
			const struct wp_elfcode *codes)
{
	int ret;

	s->first_cie = f->nr_cies;
	ret = read_entries(f, s, false, codes);
	if (!ret)
		ret = read_entries(f, s, true, codes);
	return ret;
}

/*
 * Data of a section by name, decompressed. NULL: none, or more than @limit. The
 * decompressed size is checked first: a small file can have a huge one.
 */
static Elf_Data *section_data(Elf_Scn *scn, GElf_Shdr *sh, const char *name, __u64 limit)
{
	Elf_Data *data;
	GElf_Chdr ch;
	__u8 size[8];
	__u64 bytes;
	int i;

	if (sh->sh_type == SHT_NOBITS || sh->sh_size > limit)
		return NULL;
	if (sh->sh_flags & SHF_COMPRESSED) {
		if (!gelf_getchdr(scn, &ch) || ch.ch_size > limit ||
		    ch.ch_size / UNPACK_TIMES > sh->sh_size ||
		    elf_compress(scn, 0, 0) < 0)
			return NULL;
	} else if (!strncmp(name, ".zdebug", 7)) {
		data = elf_rawdata(scn, NULL);
		if (!data || !data->d_buf || data->d_size < 12)
			return NULL;
		/* The name is the same before and after decompression. */
		if (memcmp(data->d_buf, "ZLIB", 4))
			return data;
		memcpy(size, (char *)data->d_buf + 4, sizeof(size));
		for (i = 0, bytes = 0; i < 8; i++)
			bytes = bytes << 8 | size[i];
		if (bytes > limit || bytes / UNPACK_TIMES > sh->sh_size ||
		    elf_compress_gnu(scn, 0, 0) < 0)
			return NULL;
	}
	data = elf_rawdata(scn, NULL);
	return data && data->d_buf && data->d_size ? data : NULL;
}

/*
 * In a file without sections, .eh_frame is found through its index in the program
 * headers, whose second word is its address. It ends with an entry of length 0, or with
 * its segment.
 */
static Elf_Data *data_from_phdr(Elf *elf, __u64 *addr, __u64 limit)
{
	GElf_Phdr ph, hdr = { .p_type = PT_NULL };
	struct section s = {};
	struct wp_bytes b = {};
	size_t nr, i;
	__u64 size;

	if (elf_getphdrnum(elf, &nr) || nr > WP_PHDRS_MAX)
		return NULL;
	for (i = 0; i < nr && hdr.p_type != PT_GNU_EH_FRAME; i++) {
		if (!gelf_getphdr(elf, i, &hdr))
			return NULL;
	}
	if (hdr.p_type != PT_GNU_EH_FRAME || hdr.p_filesz < 8)
		return NULL;
	/* Only the pointer is needed: a few bytes. */
	size = hdr.p_filesz < HEADER ? hdr.p_filesz : HEADER;
	s.data = elf_getdata_rawchunk(elf, hdr.p_offset, size, ELF_T_BYTE);
	if (!s.data || !s.data->d_buf)
		return NULL;
	s.addr = hdr.p_vaddr;
	b.p = (const __u8 *)s.data->d_buf + 4;
	b.end = (const __u8 *)s.data->d_buf + s.data->d_size;
	if (!read_encoded(&b, &s, ((const __u8 *)s.data->d_buf)[1], addr))
		return NULL;
	for (i = 0; i < nr; i++) {
		if (!gelf_getphdr(elf, i, &ph) || ph.p_type != PT_LOAD ||
		    *addr < ph.p_vaddr || *addr - ph.p_vaddr >= ph.p_filesz)
			continue;
		size = ph.p_filesz - (*addr - ph.p_vaddr);
		if (size > limit)
			size = limit;
		return elf_getdata_rawchunk(elf, ph.p_offset + (*addr - ph.p_vaddr), size,
					    ELF_T_BYTE);
	}
	return NULL;
}

/*
 * Only the first section of each name is tried: if it is invalid, others could cost a
 * decompression each in vain.
 */
static void find_sections(Elf *elf, struct section *eh, struct section *debug,
			  __u64 limit)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (!wp_elfcode_names(elf, &names))
		return;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name;
		GElf_Shdr sh;

		if (!gelf_getshdr(scn, &sh))
			continue;
		name = elf_strptr(elf, names, sh.sh_name);
		if (!name)
			continue;
		if (!eh->seen && !strcmp(name, ".eh_frame")) {
			eh->seen = true;
			eh->data = section_data(scn, &sh, name, limit);
			eh->addr = sh.sh_addr;
		} else if (!debug->seen && (!strcmp(name, ".debug_frame") ||
					    !strcmp(name, ".zdebug_frame"))) {
			debug->seen = true;
			debug->data = section_data(scn, &sh, name, limit);
		}
	}
}

static void find(struct section *eh, struct section *debug, Elf *elf,
		 const struct wp_elfcode *codes)
{
	__u64 limit = wp_elfcode_limit(codes, SECTION_LEAST, SECTION_TIMES);

	if (limit > WP_EHFRAME_MAX)
		limit = WP_EHFRAME_MAX;
	*eh = (struct section){ .ident = (const void *)elf_getident(elf, NULL), .eh = true };
	*debug = (struct section){ .ident = eh->ident };
	find_sections(elf, eh, debug, limit);
	if (!eh->data)
		eh->data = data_from_phdr(elf, &eh->addr, limit);
	if (eh->data && !eh->data->d_buf)
		eh->data = NULL;
}

/**
 * wp_ehframe_bytes() - raw input of wp_ehframe_read()
 * @elf: the file
 * @codes: its code
 * @add: called for each piece, always the same ones in the same order
 * @ctx: passed to @add
 */
void wp_ehframe_bytes(Elf *elf, const struct wp_elfcode *codes,
		      void (*add)(void *ctx, const void *data, size_t size), void *ctx)
{
	struct section eh, debug;

	find(&eh, &debug, elf, codes);
	add(ctx, &eh.addr, sizeof(eh.addr));
	/*
	 * Both, even if missing: the same bytes have another meaning in the other
	 * section.
	 */
	add(ctx, eh.data ? eh.data->d_buf : NULL, eh.data ? eh.data->d_size : 0);
	add(ctx, debug.data ? debug.data->d_buf : NULL, debug.data ? debug.data->d_size : 0);
}

/**
 * wp_ehframe_read() - read the frames of a file
 * @frames: filled in, to be freed by wp_ehframe_free() in any case
 * @elf: the file, 64-bit and little-endian
 * @codes: its code
 *
 * Return: 0, even if there are none, or -ENOMEM.
 */
int wp_ehframe_read(struct wp_ehframe *frames, Elf *elf, const struct wp_elfcode *codes)
{
	struct section eh, debug;
	size_t nr_eh_cies;
	int ret = 0;

	memset(frames, 0, sizeof(*frames));
	find(&eh, &debug, elf, codes);
	frames->bytes = (eh.data ? eh.data->d_size : 0) + (debug.data ? debug.data->d_size : 0);
	if (eh.data)
		ret = read_section(frames, &eh, codes);
	nr_eh_cies = frames->nr_cies;
	if (!ret && debug.data)
		ret = read_section(frames, &debug, codes);
	if (!ret)
		sort(frames, nr_eh_cies);
	return ret;
}

/**
 * wp_ehframe_free() - free the frames
 * @frames: from wp_ehframe_read()
 */
void wp_ehframe_free(struct wp_ehframe *frames)
{
	free(frames->cie);
	free(frames->fde);
}
