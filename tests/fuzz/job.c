// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of the workers that read hostile files (userspace/lib/sandbox/job.c), in this
 * process: ELF files, from real ones as seeds, with every job that there is. A job ends,
 * the caller accepts its answer, and a table passes the module's check.
 *
 * Half of the mutations know the format of ELF files: they change a field of a header, of
 * a program header, of a section's or of a note, to a value that is near another one of
 * the file, or to a limit. The input is the file.
 */
#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/elf/elflinks.h"
#include "lib/elf/elfnames.h"
#include "lib/elf/jitdump.h"
#include "lib/sandbox/containerfile.h"
#include "lib/sandbox/job.h"
#include "pure/unwind_table.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed);

/* libdw leaks memory of damaged debug information. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libdw.so";
}

/* An answer, as the caller gets it. */
struct taken {
	char *data;
	size_t size;
	size_t room;
	int last;
	int err;
};

static void take(void *ctx, const struct wp_job_packet *head, const void *data, size_t size)
{
	struct taken *t = ctx;

	if (t->last)
		abort();
	if (t->size + size >= t->room) {
		t->room = 2 * t->room + size + 1;
		t->data = realloc(t->data, t->room);
	}
	memcpy(t->data + t->size, data, size);
	t->size += size;
	t->last = head->last;
	t->err = head->err;
}

static void check_codes(const struct wp_elfcode *codes)
{
	size_t i;

	if (!codes->nr || codes->nr > WP_CODE_MAX)
		abort();
	for (i = 0; i < codes->nr; i++) {
		if (codes->code[i].end <= codes->code[i].start ||
		    (i && codes->code[i].start < codes->code[i - 1].end))
			abort();
	}
}

static void check_table(const struct taken *t)
{
	const struct wp_elfcode *codes = (const void *)t->data;
	struct wp_table checked;

	if (t->size <= sizeof(*codes))
		abort();
	check_codes(codes);
	if (wp_table_check(&checked, t->data + sizeof(*codes), t->size - sizeof(*codes),
			   codes->machine))
		abort();
}

static void check_name(const struct taken *t)
{
	const struct wp_job_name *name = (const void *)t->data;

	if (t->size != sizeof(*name) || name->name.id.size > WP_BUILDID_MAX)
		abort();
	check_codes(&name->codes);
}

static void check_buildid(const struct taken *t)
{
	if (t->size != sizeof(struct wp_buildid) || t->data[0] <= 0 ||
	    t->data[0] > WP_BUILDID_MAX)
		abort();
}

static void check_links(const struct taken *t)
{
	const struct wp_elflinks *links = (const void *)t->data;

	if (t->size != sizeof(*links) || links->id.size > WP_BUILDID_MAX ||
	    !memchr(links->link, 0, sizeof(links->link)) || strchr(links->link, '/') ||
	    !memchr(links->alt, 0, sizeof(links->alt)))
		abort();
}

static void check_symbols(const struct taken *t)
{
	const struct wp_job_symbols *head = (const void *)t->data;
	const struct wp_symtable_entry *e;
	size_t i;

	if (t->size < sizeof(*head) ||
	    t->size != sizeof(*head) + head->nr_segments * sizeof(struct wp_segment) +
		       head->nr * sizeof(*e) + head->len ||
	    (head->nr && (t->data[t->size - 1] || t->data[t->size - 2])))
		abort();
	e = (const void *)(t->data + sizeof(*head) +
			   head->nr_segments * sizeof(struct wp_segment));
	for (i = 0; i < head->nr; i++) {
		if (e[i].end < e[i].start || e[i].name >= head->len - 1)
			abort();
	}
}

static void check_jitdump(const struct taken *t)
{
	const struct wp_job_jitdump *head = (const void *)t->data;

	if (t->size < sizeof(*head) ||
	    t->size != sizeof(*head) + head->nr * sizeof(struct wp_jitload) + head->len)
		abort();
}

static void check_texts(const struct taken *t)
{
	if (t->size && t->data[t->size - 1])
		abort();
}

static void check_container(const struct taken *t)
{
	if (t->size != sizeof(struct wp_container) || !wp_container_is_valid((void *)t->data))
		abort();
}

/* Two names, or an id. */
#define TEXT_SIZE	16

static void do_job_of(__u32 kind, __u32 flags, const char *text, int fd,
		      void (*check)(const struct taken *t))
{
	static __u64 number;
	static struct wp_job_answer answer;
	struct wp_job job = {
		.head = { .kind = kind, .flags = flags, .key = { 1, 2 }, .number = ++number,
			  .address = 0x1040 },
		.text = text, .size = text ? TEXT_SIZE : 0, .fds[0] = fd, .nr_fds = 1,
	};
	struct taken t = { 0 };

	answer.send = take;
	answer.ctx = &t;
	wp_job_end(&answer, wp_job_do(&job, &answer));
	if (!t.last || t.err > 0 || t.err < -4095)
		abort();
	if (!t.err)
		check(&t);
	free(t.data);
}

static void do_job(__u32 kind, __u32 flags, int fd, void (*check)(const struct taken *t))
{
	do_job_of(kind, flags, NULL, fd, check);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	do_job(WP_JOB_NAME, 0, fd, check_name);
	do_job(WP_JOB_TABLE, 0, fd, check_table);
	do_job(WP_JOB_BUILDID, 0, fd, check_buildid);
	do_job(WP_JOB_LINKS, 0, fd, check_links);
	do_job(WP_JOB_SYMBOLS, 0, fd, check_symbols);
	do_job(WP_JOB_SYMBOLS, WP_JOB_VARIABLES, fd, check_symbols);
	do_job_of(WP_JOB_SYMBOLS, 0, "main\0_PyRuntime\0", fd, check_symbols);
	do_job(WP_JOB_INLINED, 0, fd, check_texts);
	do_job(WP_JOB_PERFMAP, 0, fd, check_symbols);
	do_job(WP_JOB_JITDUMP, 0, fd, check_jitdump);
	do_job_of(WP_JOB_CONTAINER, 0, "0123456789abcdef", fd, check_container);
	close(fd);
	return 0;
}

static uint64_t state;

static uint64_t draw(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/*
 * A value for a field of @size bytes: a limit, near the old value, or one of the file's.
 */
static uint64_t value(uint64_t was, size_t size)
{
	static const uint64_t borders[] = {
		0, 1, 2, 0x7f, 0xff, 0xfff, 0x1000, 0xff00, 0xffff, 0x7fffffff, 0xffffffff,
		0x100000000, 0x7fffffffffffffff, 0xffffffffffffffff, 0xfffffffffffff000,
	};

	switch (draw() % 4) {
	case 0:
		return borders[draw() % (sizeof(borders) / sizeof(borders[0]))];
	case 1:
		return was + draw() % 17 - 8;
	case 2:
		return draw() % (2 * size + 1);
	}
	return was ^ 1ULL << draw() % 64;
}

static void change(uint8_t *data, size_t size, size_t at, size_t bytes)
{
	uint64_t was = 0;

	if (at > size || bytes > size - at)
		return;
	memcpy(&was, data + at, bytes);
	was = value(was, size);
	memcpy(data + at, &was, bytes);
}

/* One of @nr records of @bytes, whose fields are of 4 and 8 bytes. */
static void change_record(uint8_t *data, size_t size, uint64_t start, uint64_t nr, size_t bytes)
{
	size_t at;

	if (!nr || start >= size)
		return;
	at = start + draw() % nr * bytes;
	if (draw() % 2)
		change(data, size, at + draw() % (bytes / 4) * 4, 4);
	else
		change(data, size, at + draw() % (bytes / 8) * 8, 8);
}

/* Changes a length in the notes, as far as they are valid. */
static void change_note(uint8_t *data, size_t size, uint64_t start, uint64_t bytes)
{
	uint64_t at = start;
	Elf64_Nhdr note;
	unsigned int nr;

	for (nr = draw() % 4; nr && at < size && size - at >= sizeof(note) && at - start < bytes;
	     nr--) {
		memcpy(&note, data + at, sizeof(note));
		at += sizeof(note) + ((note.n_namesz + 3ULL) & ~3ULL);
		at += (note.n_descsz + 3ULL) & ~3ULL;
	}
	change(data, size, at + draw() % 3 * 4, 4);
}

/* Changes the contents of a section or a segment. */
static void change_content(uint8_t *data, size_t size, const Elf64_Ehdr *eh)
{
	Elf64_Shdr sh;
	uint64_t at;

	if (!eh->e_shnum)
		return;
	at = eh->e_shoff + draw() % eh->e_shnum * sizeof(sh);
	if (at > size || size - at < sizeof(sh))
		return;
	memcpy(&sh, data + at, sizeof(sh));
	if (sh.sh_offset >= size || !sh.sh_size)
		return;
	if (sh.sh_type == SHT_NOTE)
		change_note(data, size, sh.sh_offset, sh.sh_size);
	else if (sh.sh_flags & SHF_COMPRESSED)
		change_record(data, size, sh.sh_offset, 1, sizeof(Elf64_Chdr));
	else
		change(data, size, sh.sh_offset + draw() % sh.sh_size, 1 + draw() % 8);
}

static void change_elf(uint8_t *data, size_t size)
{
	Elf64_Ehdr eh;

	memcpy(&eh, data, sizeof(eh));
	switch (draw() % 8) {
	case 0:
		change(data, size, 16 + draw() % 24 * 2, 2);
		break;
	case 1:
		change(data, size, 24 + draw() % 3 * 8, 8);
		break;
	case 2:
	case 3:
		change_record(data, size, eh.e_phoff, eh.e_phnum, sizeof(Elf64_Phdr));
		break;
	case 4:
	case 5:
		change_record(data, size, eh.e_shoff, eh.e_shnum, sizeof(Elf64_Shdr));
		break;
	default:
		change_content(data, size, &eh);
	}
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	unsigned int nr;

	state = seed * 0x9e3779b97f4a7c15ULL | 1;
	draw();
	if (size < sizeof(Elf64_Ehdr) || draw() % 2)
		return LLVMFuzzerMutate(data, size, max);
	for (nr = 1 + draw() % 4; nr; nr--)
		change_elf(data, size);
	return size;
}
