// SPDX-License-Identifier: GPL-2.0
/*
 * Finds functions of Go's runtime that have no caller. Called by unwindtable.c and
 * tablecache.c.
 *
 * Go keeps frame pointers, and has nothing in .eh_frame. At the start of goroutines and
 * threads, the frame pointer is 0 or left over from another stack: that of the goroutine
 * that the thread ran before, or of the C code that started it. So the end of a stack is
 * found by function names. They are in .gopclntab, which every program has, stripped or
 * not; its header is that of Go 1.18 and later (runtime/symtab.go: pcHeader, functab,
 * _func). If the base address of functions is 0, as some linkers leave it, nothing is
 * found.
 *
 * The file is not trusted: nothing is read outside of the section, and each function is
 * visited once.
 */
#include <gelf.h>
#include <string.h>

#include "lib/unwind/ehframe.h"
#include "lib/unwind/gofuncs.h"

#define GO_1_18	0xfffffff0U
#define GO_1_20	0xfffffff1U

/*
 * Limit for .gopclntab, independent of the code size: it has 0.2 to 0.8 bytes for each
 * byte of code.
 */
#define SECTION_LEAST	(256ULL << 10)
#define SECTION_TIMES	4

/* Header of the section. */
struct header {
	__u32 magic;
	__u8 zero[2];
	__u8 quantum;
	__u8 pointer;		/* size of a pointer */
	__u64 nr_funcs;
	__u64 nr_files;
	__u64 text;		/* base address of functions */
	__u64 names;		/* offsets in the section */
	__u64 units;
	__u64 files;
	__u64 pcs;
	__u64 funcs;
};

/* A function: entries of 8 bytes at header.funcs, plus a terminating one. */
struct entry {
	__u32 start;
	__u32 func;		/* offset from header.funcs of a struct func */
	__u32 end;		/* start of the next one */
};

struct func {
	__u32 start;
	__u32 name;
};

static bool copy(void *to, size_t size, const Elf_Data *data, __u64 at)
{
	if (at > data->d_size || size > data->d_size - at)
		return false;
	memcpy(to, (const char *)data->d_buf + at, size);
	return true;
}

/*
 * goexit is the return address of a goroutine's function. Threads begin in rt0_go (the
 * first one) and mstart; mcall switches to the thread's own stack, to schedule a
 * goroutine or to wait for one, and never returns.
 */
static bool is_begin(const Elf_Data *data, __u64 at)
{
	static const char *const names[] = {
		"runtime.goexit", "runtime.mcall", "runtime.mstart", "runtime.rt0_go",
	};
	char name[16] = "";
	size_t i, size;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		size = strlen(names[i]) + 1;
		if (copy(name, size, data, at) && !memcmp(name, names[i], size))
			return true;
	}
	return false;
}

static Elf_Data *find_section(Elf *elf, const struct wp_elfcode *codes)
{
	__u64 limit = wp_elfcode_limit(codes, SECTION_LEAST, SECTION_TIMES);
	Elf_Scn *scn = NULL;
	size_t names;

	if (!wp_elfcode_names(elf, &names))
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name;
		Elf_Data *data;
		GElf_Shdr sh;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_PROGBITS ||
		    sh.sh_size > WP_EHFRAME_MAX || sh.sh_size > limit ||
		    sh.sh_flags & SHF_COMPRESSED)
			continue;
		name = elf_strptr(elf, names, sh.sh_name);
		if (!name || (strcmp(name, ".gopclntab") &&
			      strcmp(name, ".data.rel.ro.gopclntab")))
			continue;
		data = elf_rawdata(scn, NULL);
		return data && data->d_buf ? data : NULL;
	}
	return NULL;
}

/**
 * wp_gofuncs_find() - find functions without a caller
 * @funcs: filled in
 * @elf: the file
 * @codes: its code
 */
void wp_gofuncs_find(struct wp_gofuncs *funcs, Elf *elf, const struct wp_elfcode *codes)
{
	Elf_Data *data = find_section(elf, codes);
	__u64 i, above = 0;
	struct header h;

	funcs->nr = 0;
	if (!data || !copy(&h, sizeof(h), data, 0) || h.pointer != 8 || !h.text ||
	    (h.magic != GO_1_18 && h.magic != GO_1_20) || h.funcs > data->d_size ||
	    h.names > data->d_size)
		return;
	for (i = 0; i < h.nr_funcs && funcs->nr < WP_GOFUNCS_MAX; i++) {
		const struct wp_code *code;
		struct entry e;
		struct func f;
		__u64 start;

		if (!copy(&e, sizeof(e), data, h.funcs + i * 8))
			return;
		start = h.text + e.start;
		if (!copy(&f, sizeof(f), data, h.funcs + e.func) ||
		    !is_begin(data, h.names + f.name))
			continue;
		code = wp_elfcode_find(codes, start);
		if (!code || e.end <= e.start || e.end - e.start > code->end - start ||
		    start < above)
			continue;
		above = start + (e.end - e.start);
		funcs->list[funcs->nr++] = (struct wp_gofunc){ start, above };
	}
}
