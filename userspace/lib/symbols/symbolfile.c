// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the functions of a file: of ELF files with those of their debug information, and
 * of the lists that programs with a JIT compiler leave. Called by symbols.c and
 * kernelsymbols.c.
 *
 * A file that cannot be read has no names, and a reason.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/elf/elfcheck.h"
#include "lib/elf/elflinks.h"
#include "lib/elf/symtable.h"
#include "lib/sandbox/filereader.h"
#include "lib/sandbox/openfile.h"
#include "lib/symbols/debugfiles.h"
#include "lib/symbols/idfiles.h"
#include "lib/symbols/symbolfile.h"

/* Maximum size of a list in text form. */
#define MAX_TEXT	((off_t)256 << 20)

/* Limit for the functions in all files of one owner, except root, in bytes. */
#define MAX_OWNED	((size_t)1 << 30)

#define TOO_MUCH	"the files of its owner have too many"

static uid_t owner_of(const struct stat *st)
{
	return wp_openfile_has_owner(st) ? st->st_uid : (uid_t)-1;
}

/* Check the owner's limit with these functions, and count them. */
static bool charge(struct wp_symbolplaces *s, const struct stat *st, size_t bytes)
{
	uid_t uid = owner_of(st);
	struct wp_symbolowned *more;
	size_t i;

	if (!uid || uid == geteuid())
		return true;
	for (i = 0; i < s->nr_owned && s->owned[i].uid != uid; i++)
		;
	if (i == s->nr_owned) {
		more = reallocarray(s->owned, i + 1, sizeof(*more));
		if (!more)
			return false;
		s->owned = more;
		more[s->nr_owned++] = (struct wp_symbolowned){ .uid = uid };
	}
	if (bytes > MAX_OWNED - s->owned[i].bytes)
		return false;
	s->owned[i].bytes += bytes;
	return true;
}

/* They are replaced. */
static void discharge(struct wp_symbolplaces *s, const struct stat *st, size_t bytes)
{
	uid_t uid = owner_of(st);
	size_t i;

	for (i = 0; i < s->nr_owned; i++) {
		if (s->owned[i].uid == uid && s->owned[i].bytes >= bytes)
			s->owned[i].bytes -= bytes;
	}
}

static size_t bytes_of(const struct wp_symtable *t)
{
	return t->len + t->nr * (sizeof(*t->entry) + sizeof(char *));
}

/*
 * Read an ELF file, with those of its debug information; closes the descriptor. Finding
 * and parsing files are separate steps: the parser opens nothing.
 */
static const char *read_linked(struct wp_symbolplaces *s, struct wp_symbolfile *f, int fd,
			       const struct stat *st, const struct wp_elflinks *links,
			       const char *path, int root)
{
	const struct wp_debugplace place = { .root = root, .path = path, .only = s->symfs };
	bool wants_inlines = s->wants_inlines && f->kind != WP_SYMBOLS_DATA;
	struct wp_elffiles files;
	const char *trouble;

	wp_debugfiles_open(&files, &place, fd, st, links, wants_inlines);
	f->owner = wp_fileowner_of(fd, st);
	f->names.only = s->only;
	trouble = wp_filereader_symbols(&files, f->kind == WP_SYMBOLS_DATA, &f->names);
	if (!trouble && !charge(s, st, bytes_of(&f->names.table)))
		trouble = TOO_MUCH;
	/* Inlined functions are looked up later, if there is debug information. */
	if (!trouble && wants_inlines)
		f->inlines = files;
	else
		wp_debugfiles_close(&files);
	return trouble;
}

/* Read a file's references; @links is all zero on failure. */
static int read_links(int fd, struct stat *st, struct wp_elflinks *links)
{
	memset(links, 0, sizeof(*links));
	return wp_openfile_known(fd, st) ? -errno : wp_filereader_links(fd, links);
}

/**
 * wp_symbolfile_read_elf() - read an ELF file
 * @s: where to look for names
 * @f: the file whose functions they are
 * @fd: its descriptor, which is closed
 * @path: its path, or NULL
 * @root: the directory of @path
 *
 * Return: NULL, or why it has no names.
 */
const char *wp_symbolfile_read_elf(struct wp_symbolplaces *s, struct wp_symbolfile *f, int fd,
				   const char *path, int root)
{
	struct wp_elflinks links;
	struct stat st;
	int err;

	err = read_links(fd, &st, &links);
	if (!err)
		return read_linked(s, f, fd, &st, &links, path, root);
	close(fd);
	return err == -EFBIG ? WP_ELFCHECK_TROUBLE :
		err == -EBADMSG ? WP_FILEREADER_BAD :
		err == -EACCES || err == -EPERM ? "it cannot be opened" : "it is not an ELF file";
}

/*
 * Search for it elsewhere by its build-id; @trouble is the reason why it was not found at
 * its path.
 */
static const char *read_elsewhere(struct wp_symbolplaces *s, struct wp_symbolfile *f,
				  const char *trouble)
{
	int fd;

	if (s->symfs || (!f->id.size && !f->verify))
		return trouble;
	fd = f->id.size ? wp_idfiles_cached(&f->id, "elf") : wp_idfiles_kept(&f->stat);
	if (fd < 0 && f->id.size)
		fd = wp_idfiles_find(&f->id);
	return fd < 0 ? trouble : wp_symbolfile_read_elf(s, f, fd, f->path, WP_OPENFILE_HERE);
}

/* Read its build-id; empty if it has none, or is no ELF file. */
static void read_id(int fd, struct wp_buildid *id)
{
	wp_filereader_buildid(fd, id);
}

/**
 * wp_symbolfile_has_id() - whether a file has a build-id
 * @fd: its descriptor
 * @want: the build-id
 *
 * Return: true if it is the same.
 */
bool wp_symbolfile_has_id(int fd, const struct wp_buildid *want)
{
	struct wp_buildid id;

	read_id(fd, &id);
	return wp_buildid_same(&id, want);
}

static const char *read_file_in(struct wp_symbolplaces *s, struct wp_symbolfile *f, int root)
{
	const char *path = f->place >= 0 ? NULL : f->path, *trouble;
	struct wp_elflinks links;
	struct stat st;
	int fd;

	fd = f->place >= 0 ? wp_openfile_found(f->place, &st) :
	     wp_openfile_in(root, f->path, &st);
	if (fd < 0)
		return read_elsewhere(s, f, errno == ENOENT ? "it is not there" :
				      "it cannot be opened");
	trouble = !f->id.size && f->verify ?
		wp_filestat_differs(&f->stat, &st, s->symfs) : NULL;
	if (trouble) {
		close(fd);
		return read_elsewhere(s, f, trouble);
	}
	if (!f->id.size)
		return wp_symbolfile_read_elf(s, f, fd, path, root);
	if (!read_links(fd, &st, &links) && wp_buildid_same(&links.id, &f->id))
		return read_linked(s, f, fd, &st, &links, path, root);
	close(fd);
	return read_elsewhere(s, f, !links.id.size ? "it has no build-id, but had one" :
			      "another file is there than was recorded, by its build-id");
}

/**
 * wp_symbolfile_read() - read a mapped file
 * @s: where to look for names
 * @f: the file; it is searched for elsewhere if it is not at its path
 *
 * Return: NULL, or why it has no names.
 */
const char *wp_symbolfile_read(struct wp_symbolplaces *s, struct wp_symbolfile *f)
{
	const char *trouble;
	int root;

	if (!s->symfs)
		return read_file_in(s, f, WP_OPENFILE_HERE);
	root = open(s->symfs, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return errno == ENOENT ? "it is not there" : "it cannot be opened";
	trouble = read_file_in(s, f, root);
	close(root);
	return trouble;
}

/*
 * Anybody can create a file with that name. It is accepted from root, from the user, and,
 * as root analyzes any user's programs, by root from the owner of the process: that is
 * known only while the process exists.
 */
static bool is_trusted(const struct wp_symbolfile *f, uid_t owner)
{
	char path[32];
	struct stat st;

	if (!owner || owner == geteuid())
		return true;
	snprintf(path, sizeof(path), "/proc/%d", f->pid);
	return !geteuid() && (stat(path, &st) || st.st_uid == owner);
}

static const char *read_perfmap(struct wp_symbolplaces *s, struct wp_symbolfile *f, int fd)
{
	const char *trouble = wp_filereader_perfmap(fd, &f->names);
	struct stat st;

	if (!trouble && (wp_openfile_known(fd, &st) || !charge(s, &st, bytes_of(&f->names.table))))
		trouble = TOO_MUCH;
	close(fd);
	return trouble ? trouble : f->names.table.nr ? NULL : "its list is empty";
}

/* Replaces the code of a process, if that can be read. */
static const char *read_dump(struct wp_symbolplaces *s, struct wp_symbolfile *f, int fd,
			     const struct stat *st)
{
	struct wp_jitloads loads = { 0 };
	struct wp_jitcodes *codes = NULL;
	const char *trouble = wp_filereader_jitdump(fd, &loads);
	size_t bytes = loads.len + loads.nr * WP_JITCODES_BYTES;

	if (!trouble) {
		discharge(s, st, f->charged);
		f->charged = 0;
		if (!charge(s, st, bytes))
			trouble = TOO_MUCH;
		else
			f->charged = bytes;
	}
	if (!trouble) {
		codes = wp_jitcodes_new(&loads);
		trouble = codes ? NULL : WP_NO_MEMORY;
	}
	if (!trouble || f->codes) {
		wp_jitcodes_free(f->codes);
		f->codes = codes;
	}
	wp_jitdump_free(&loads);
	return trouble;
}

/* Replaces the code of a process by what was found in its memory. */
static void take_codes(struct wp_symbolfile *f)
{
	const struct wp_jvmcodes *codes = &f->jvm->codes;
	struct wp_jitloads loads = { 0 };
	struct wp_jitcodes *more = NULL;
	size_t i;

	for (i = 0; i < codes->nr; i++) {
		const char *name = wp_livejvm_name(f->jvm, &codes->code[i]);

		if (name && !wp_jitdump_add(&loads, codes->code[i].start, codes->code[i].end, 0,
					    name))
			break;
	}
	if (loads.nr)
		more = wp_jitcodes_new(&loads);
	if (more) {
		wp_jitcodes_free(f->codes);
		f->codes = more;
	}
	wp_jitdump_free(&loads);
}

/* Looks at the code of a process in its memory. Returns whether it can be found there. */
static bool look_jvm(struct wp_symbolplaces *s, struct wp_symbolfile *f)
{
	__u64 program = s->only ? 0 : wp_livejvm_program(f->pid);
	int err = -ENOMEM;

	/* With @only, they are the symbols of a reader of JVMs. */
	if (!program)
		return false;
	if (program != f->program) {
		f->program = program;
		f->no_jvm = false;
		/* That was the memory of another program. */
		if (f->jvm) {
			wp_livejvm_end(f->jvm);
			wp_jitcodes_free(f->codes);
			f->codes = NULL;
		}
	}
	if (f->no_jvm)
		return false;
	if (!s->jvms)
		s->jvms = wp_livejvm_new();
	if (!f->jvm)
		f->jvm = calloc(1, sizeof(*f->jvm));
	if (s->jvms && f->jvm)
		err = wp_livejvm_look(s->jvms, f->jvm, f->pid, NULL);
	if (!err)
		take_codes(f);
	f->no_jvm = err == -ENOTSUP || err == -EPERM || err == -EACCES;
	return !err;
}

/**
 * wp_symbolfile_look_jit() - read the jitdump file of a running process if it has changed,
 *	or the code in its memory
 * @s: where to look for names
 * @f: its JIT code
 *
 * What was read stays if the process has ended.
 */
void wp_symbolfile_look_jit(struct wp_symbolplaces *s, struct wp_symbolfile *f)
{
	__u64 now = wp_clock_now();
	const char *trouble = NULL;
	bool changed = false;
	struct stat st;
	int fd;

	if (now < f->live.next)
		return;
	fd = wp_jitmap_dump(f->pid);
	if (fd >= 0 && !wp_openfile_known(fd, &st) && wp_livejit_has_changed(&f->live, &st)) {
		trouble = read_dump(s, f, fd, &st);
		changed = true;
	}
	if (fd >= 0)
		close(fd);
	else
		changed = look_jvm(s, f);
	wp_livejit_wait(&f->live, now, changed);
	/* A few of these, and no file of its owner is read. */
	if (trouble && !strcmp(trouble, WP_FILEREADER_BAD))
		f->live.next = ~0ULL;
}

/* A list without times is used if there is no jitdump file. */
static const char *read_live_jit(struct wp_symbolplaces *s, struct wp_symbolfile *f)
{
	int fd;

	wp_symbolfile_look_jit(s, f);
	if (f->codes)
		return NULL;
	fd = wp_jitmap_open(f->pid);
	return fd < 0 ? "there is no list" : read_perfmap(s, f, fd);
}

static const char *read_stored_jit(struct wp_symbolplaces *s, struct wp_symbolfile *f)
{
	int fd = wp_jitmap_unpack(f->jit->b.data, f->jit->b.len, f->jit->text);
	const char *trouble = TOO_MUCH;
	struct stat st;

	if (fd < 0)
		return "there is no list";
	if (!f->jit->dump)
		return read_perfmap(s, f, fd);
	if (!wp_openfile_known(fd, &st))
		trouble = read_dump(s, f, fd, &st);
	close(fd);
	return trouble;
}

/**
 * wp_symbolfile_read_jit() - read the list of functions of a process
 * @s: where to look for names
 * @f: its JIT code
 *
 * Return: NULL, or why it has no names.
 */
const char *wp_symbolfile_read_jit(struct wp_symbolplaces *s, struct wp_symbolfile *f)
{
	char path[64];
	struct stat st;
	int fd;

	if (s->live)
		return read_live_jit(s, f);
	if (f->jit)
		return read_stored_jit(s, f);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", f->pid);
	fd = wp_openfile(path, O_NOFOLLOW, &st);
	if (fd < 0)
		return errno == ENOENT ? "there is no list" : "its list cannot be opened";
	if (st.st_size > MAX_TEXT || !is_trusted(f, st.st_uid)) {
		close(fd);
		return "its list is not trusted";
	}
	return read_perfmap(s, f, fd);
}
