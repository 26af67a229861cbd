// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the names of functions: for files from their symbol tables, which are in the file,
 * in its .gnu_debugdata, in a separate file of debug information or, if DEBUGINFOD_URLS
 * is set, at a server; for the kernel from its list or its image; for JIT code from the
 * list that the program left. Called by profstacks.c.
 *
 * Each file is read at the first lookup, and closed again. A file that cannot be read has
 * no names, and a reason.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/elf/demangle.h"
#include "lib/elf/elfcheck.h"
#include "lib/elf/elflinks.h"
#include "lib/elf/elfnames.h"
#include "lib/elf/symtable.h"
#include "lib/sandbox/filereader.h"
#include "lib/sandbox/openfile.h"
#include "lib/sandbox/worker.h"
#include "lib/symbols/debugfiles.h"
#include "lib/symbols/idfiles.h"
#include "lib/symbols/jitmaps.h"
#include "lib/symbols/symbols.h"

/* Limit for the files of a recording; further ones have no names. */
#define MAX_FILES	65536

/* Maximum size of a list in text form. */
#define MAX_TEXT	((off_t)256 << 20)

/* Limit for the functions in all files of one owner, except root, in bytes. */
#define MAX_OWNED	((size_t)1 << 30)

#define NO_MEMORY	WP_NO_MEMORY
#define TOO_MUCH	"the files of its owner have too many"

/**
 * struct file - a file with functions
 * @kind: its kind
 * @path: its path
 * @id: its build-id in the recording
 * @pid: for JIT: the process
 * @stat: its recorded status, if it has no build-id
 * @verify: it must match @stat
 * @jit: for JIT: the list in the recording, or NULL
 * @place: a descriptor of the file, owned by the caller; -1: use its path
 * @read: it has been read
 * @trouble: why it has no names, or NULL
 * @names: its functions; for ELF also its segments
 * @demangled: demangled names, as far as they were looked up
 * @owner: for ELF: the owner that selects its worker
 * @inlines: for ELF: the files in which inlined functions are looked up, if requested
 * @plain: do not demangle: it took too much
 */
struct file {
	enum wp_symbols_kind kind;
	char *path;
	struct wp_buildid id;
	__s32 pid;
	struct wp_filestat stat;
	bool verify;
	const struct wp_jitmap *jit;
	int place;
	bool read;
	const char *trouble;
	struct wp_elfnames names;
	char **demangled;
	struct wp_fileowner owner;
	struct wp_elffiles inlines;
	bool plain;
};

/* Bytes of functions in the files of an owner. */
struct owned {
	uid_t uid;
	size_t bytes;
};

/**
 * struct wp_symbols - names of functions
 * @symfs: directory prefix of all files, or NULL
 * @kallsyms: the kernel's list, or NULL
 * @vmlinux: its image, or NULL
 * @release: the kernel's release, or NULL
 * @kernel_label: a label of the kernel's, or NULL
 * @kernel_at: its recorded address
 * @live: symbols of running processes
 * @raw: do not demangle
 * @wants_inlines: look up inlined functions
 * @inlined: the result of the last lookup of those
 * @nr_inlined: their number
 * @first: offset that makes a file's number unique among all tables
 * @owned: memory used by owner
 * @nr_owned: number of owners
 * @file: the files
 * @nr: their number
 */
struct wp_symbols {
	char *symfs;
	char *kallsyms;
	char *vmlinux;
	char *release;
	char *kernel_label;
	__u64 kernel_at;
	bool live;
	bool raw;
	bool wants_inlines;
	char *inlined[WP_SYMBOLS_INLINED];
	size_t nr_inlined;
	__u64 first;
	struct owned *owned;
	size_t nr_owned;
	struct file *file;
	size_t nr;
};

/**
 * wp_symbols_new() - allocate an empty table
 * @out: set to the table, to be freed with wp_symbols_free()
 * @options: where to look for names
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_symbols_new(struct wp_symbols **out, const struct wp_symbols_options *options)
{
	static __u64 tables;
	struct wp_symbols *s = calloc(1, sizeof(*s));

	/* While there is little in memory. */
	wp_worker_prepare();
	if (s) {
		s->first = __atomic_add_fetch(&tables, 1, __ATOMIC_RELAXED) * (MAX_FILES + 1);
		s->live = options->live;
		s->raw = options->raw;
		s->wants_inlines = options->inlines;
		s->symfs = options->symfs ? strdup(options->symfs) : NULL;
		s->kallsyms = options->kallsyms ? strdup(options->kallsyms) : NULL;
		s->vmlinux = options->vmlinux ? strdup(options->vmlinux) : NULL;
		s->release = options->release ? strdup(options->release) : NULL;
	}
	if (!s || (options->symfs && !s->symfs) || (options->kallsyms && !s->kallsyms) ||
	    (options->vmlinux && !s->vmlinux) || (options->release && !s->release)) {
		wp_err("no memory for the names of functions");
		wp_symbols_free(s);
		return -ENOMEM;
	}
	*out = s;
	return 0;
}

/**
 * wp_symbols_file() - add a file
 * @s: the names
 * @kind: its kind
 * @path: its path; for JIT and VDSO it may be NULL
 * @id: its build-id in the recording, or NULL; empty if unknown
 * @pid: for JIT: the process
 *
 * Return: its number, 1 and up; 0 if there is no memory.
 */
__u32 wp_symbols_file(struct wp_symbols *s, enum wp_symbols_kind kind, const char *path,
		      const struct wp_buildid *id, __s32 pid)
{
	struct file *f;

	f = reallocarray(s->file, s->nr + 1, sizeof(*f));
	if (!f)
		return 0;
	s->file = f;
	f += s->nr;
	*f = (struct file){
		.kind = kind, .pid = pid, .place = -1, .path = strdup(path ? path : ""),
		.inlines = { .main = -1, .debug = -1, .alt = -1 },
	};
	if (!f->path)
		return 0;
	if (id)
		f->id = *id;
	if (s->nr >= MAX_FILES) {
		f->read = true;
		f->trouble = "the recording has too many files";
	}
	return ++s->nr;
}

/**
 * wp_symbols_data() - add a file once more, for its variables
 * @s: the names
 * @file: its number, as WP_SYMBOLS_ELF
 *
 * Return: another number, as WP_SYMBOLS_DATA; 0 if there is no memory.
 */
__u32 wp_symbols_data(struct wp_symbols *s, __u32 file)
{
	/* Adding a file moves the array. */
	const struct file of = s->file[file - 1];
	__u32 data = wp_symbols_file(s, WP_SYMBOLS_DATA, of.path, &of.id, of.pid);

	if (!data)
		return 0;
	s->file[data - 1].stat = of.stat;
	s->file[data - 1].verify = of.verify;
	s->file[data - 1].place = of.place;
	return data;
}

/**
 * wp_symbols_lost() - mark a file as unavailable
 * @s: the names
 * @file: its number, before the first lookup
 * @trouble: the reason; owned by the caller
 */
void wp_symbols_lost(struct wp_symbols *s, __u32 file, const char *trouble)
{
	s->file[file - 1].read = true;
	s->file[file - 1].trouble = trouble;
}

/**
 * wp_symbols_jit() - set the recorded list of a process
 * @s: the names
 * @file: number of its JIT code, before the first lookup
 * @jit: the list, valid as long as @s; NULL: the recording has none
 */
void wp_symbols_jit(struct wp_symbols *s, __u32 file, const struct wp_jitmap *jit)
{
	s->file[file - 1].jit = jit;
}

/**
 * wp_symbols_stat() - set the recorded status of a file without a build-id
 * @s: the names
 * @file: its number, before the first lookup
 * @stat: the status: another file has no names
 */
void wp_symbols_stat(struct wp_symbols *s, __u32 file, const struct wp_filestat *stat)
{
	s->file[file - 1].stat = *stat;
	s->file[file - 1].verify = true;
}

/**
 * wp_symbols_found() - set the descriptor of a file that was found already
 * @s: the names
 * @file: its number, before the first lookup
 * @place: a descriptor of it, O_PATH or any other; owned by the caller, and open as long
 *	as @s
 */
void wp_symbols_found(struct wp_symbols *s, __u32 file, int place)
{
	s->file[file - 1].place = place;
}

/**
 * wp_symbols_kernel() - set the recorded address of the kernel
 * @s: the names, before the first lookup in the kernel
 * @label: a label of its image
 * @at: its address
 */
void wp_symbols_kernel(struct wp_symbols *s, const char *label, __u64 at)
{
	free(s->kernel_label);
	s->kernel_label = strdup(label);
	s->kernel_at = at;
}

/* Check the owner's limit with these functions, and count them. */
static bool charge(struct wp_symbols *s, const struct stat *st, const struct wp_symtable *t)
{
	uid_t uid = wp_openfile_has_owner(st) ? st->st_uid : (uid_t)-1;
	size_t bytes = t->len + t->nr * (sizeof(*t->entry) + sizeof(char *)), i;
	struct owned *more;

	if (!uid || uid == geteuid())
		return true;
	for (i = 0; i < s->nr_owned && s->owned[i].uid != uid; i++)
		;
	if (i == s->nr_owned) {
		more = reallocarray(s->owned, i + 1, sizeof(*more));
		if (!more)
			return false;
		s->owned = more;
		more[s->nr_owned++] = (struct owned){ .uid = uid };
	}
	if (bytes > MAX_OWNED - s->owned[i].bytes)
		return false;
	s->owned[i].bytes += bytes;
	return true;
}

/*
 * Read an ELF file, with those of its debug information; closes the descriptor. Finding
 * and parsing files are separate steps: the parser opens nothing.
 */
static const char *read_linked(struct wp_symbols *s, struct file *f, int fd,
			       const struct stat *st, const struct wp_elflinks *links,
			       const char *path, int root)
{
	const struct wp_debugplace place = { .root = root, .path = path, .only = s->symfs };
	bool wants_inlines = s->wants_inlines && f->kind != WP_SYMBOLS_DATA;
	struct wp_elffiles files;
	const char *trouble;

	wp_debugfiles_open(&files, &place, fd, st, links, wants_inlines);
	f->owner = (struct wp_fileowner){ st->st_uid, st->st_dev };
	trouble = wp_filereader_symbols(&files, f->kind == WP_SYMBOLS_DATA, &f->names);
	if (!trouble && !charge(s, st, &f->names.table))
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

/* The same as read_linked(), for a file whose references have not been read. */
static const char *read_elf(struct wp_symbols *s, struct file *f, int fd, const char *path,
			    int root)
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

static bool same_id(const struct wp_buildid *a, const struct wp_buildid *b)
{
	return a->size == b->size && !memcmp(a->data, b->data, a->size);
}

/*
 * Search for it elsewhere by its build-id; @trouble is the reason why it was not found at
 * its path.
 */
static const char *read_elsewhere(struct wp_symbols *s, struct file *f, const char *trouble)
{
	int fd;

	if (s->symfs || (!f->id.size && !f->verify))
		return trouble;
	fd = f->id.size ? wp_idfiles_cached(&f->id, "elf") : wp_idfiles_kept(&f->stat);
	if (fd < 0 && f->id.size)
		fd = wp_idfiles_find(&f->id);
	return fd < 0 ? trouble : read_elf(s, f, fd, f->path, WP_OPENFILE_HERE);
}

/* Read its build-id; empty if it has none, or is no ELF file. */
static void read_id(int fd, struct wp_buildid *id)
{
	wp_filereader_buildid(fd, id);
}

static bool has_id(int fd, const struct wp_buildid *want)
{
	struct wp_buildid id;

	read_id(fd, &id);
	return same_id(&id, want);
}

static const char *read_file_in(struct wp_symbols *s, struct file *f, int root)
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
		return read_elf(s, f, fd, path, root);
	if (!read_links(fd, &st, &links) && same_id(&links.id, &f->id))
		return read_linked(s, f, fd, &st, &links, path, root);
	close(fd);
	return read_elsewhere(s, f, !links.id.size ? "it has no build-id, but had one" :
			      "another file is there than was recorded, by its build-id");
}

static const char *read_file(struct wp_symbols *s, struct file *f)
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

/* A copy of the kernel's image for processes, as a file; -1 if there is none. */
static int copy_of_vdso(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long start = 0, end = 0;
	char line[512];
	int fd;

	while (maps && fgets(line, sizeof(line), maps)) {
		if (strstr(line, "[vdso]") && sscanf(line, "%lx-%lx", &start, &end) == 2)
			break;
		start = 0;
		end = 0;
	}
	if (maps)
		fclose(maps);
	fd = end > start ? memfd_create("vdso", MFD_CLOEXEC) : -1;
	if (fd >= 0 && write(fd, (void *)start, end - start) != (ssize_t)(end - start)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static const char *read_vdso(struct wp_symbols *s, struct file *f)
{
	struct wp_buildid id;
	int fd;

	if (f->id.size && (wp_buildid_of_vdso(&id) || !same_id(&id, &f->id)))
		return "another kernel than this one was recorded, by its build-id";
	fd = copy_of_vdso();
	return fd < 0 ? "it is not there" : read_elf(s, f, fd, NULL, WP_OPENFILE_HERE);
}

static const char *read_list(struct file *f, FILE *text,
			     int (*parse)(struct wp_symtable *t, FILE *text), const char *denied)
{
	int err;

	if (!text)
		return errno == ENOENT ? "there is no list" : "its list cannot be opened";
	err = parse(&f->names.table, text);
	fclose(text);
	if (err == -EACCES)
		return denied;
	return err ? NO_MEMORY : f->names.table.nr ? NULL : "its list is empty";
}

/*
 * The kernel's address changes at each boot; the recording has the address of one of its
 * labels.
 */
static const char *read_kernel_list(struct wp_symbols *s, struct file *f, FILE *text,
				    const char *denied)
{
	const char *trouble = read_list(f, text, wp_symtable_kallsyms, denied);

	/* A list without that label is used unchanged. */
	if (!trouble && s->kernel_label)
		wp_symtable_move(&f->names.table, s->kernel_label, s->kernel_at);
	return trouble;
}

static const char *read_kallsyms(struct wp_symbols *s, struct file *f, const char *path)
{
	return read_kernel_list(s, f, fopen(path, "re"),
				strcmp(path, "/proc/kallsyms") ? "its list has no addresses" :
				"the kernel hides its addresses: kernel.kptr_restrict");
}

/*
 * Read the kernel's functions from its image, which has been relocated since it was
 * linked.
 */
static const char *read_vmlinux(struct wp_symbols *s, struct file *f, int fd)
{
	const char *trouble = s->kernel_label ? read_elf(s, f, fd, NULL, WP_OPENFILE_HERE) :
		"the recording does not tell where the kernel was";

	if (!s->kernel_label)
		close(fd);
	/* Addresses are those in memory. */
	free(f->names.segment);
	f->names.segment = NULL;
	f->names.nr_segments = 0;
	if (!trouble && !wp_symtable_move(&f->names.table, s->kernel_label, s->kernel_at))
		trouble = "it is not the kernel's image";
	return trouble;
}

/* The image chosen by the user. */
static const char *read_own_vmlinux(struct wp_symbols *s, struct file *f)
{
	struct stat st;
	int fd = wp_openfile(s->vmlinux, 0, &st);

	if (fd < 0)
		return "the image that --vmlinux names cannot be opened";
	if (f->id.size && !has_id(fd, &f->id)) {
		close(fd);
		return "the image that --vmlinux names is another kernel's, by its build-id";
	}
	return read_vmlinux(s, f, fd);
}

/* Look for an image of packages and builds, by the kernel's release. */
static int find_vmlinux(const struct wp_symbols *s, const struct wp_buildid *want)
{
	static const char *const places[] = {
		"/usr/lib/debug/boot/vmlinux-%s", "/usr/lib/debug/lib/modules/%s/vmlinux",
		"/boot/vmlinux-%s", "/lib/modules/%s/build/vmlinux",
	};
	struct stat st;
	char path[256];
	size_t i;
	int fd;

	/* The release is the recording's: it must not select a directory. */
	if (!s->release || strchr(s->release, '/') || strlen(s->release) > 128)
		return -1;
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), places[i], s->release);
		fd = wp_openfile(path, 0, &st);
		if (fd >= 0 && has_id(fd, want))
			return fd;
		if (fd >= 0)
			close(fd);
	}
	return -1;
}

/* A kernel other than the running one, or one with hidden addresses: by its build-id. */
static const char *read_other_kernel(struct wp_symbols *s, struct file *f, const char *trouble)
{
	int fd = s->symfs ? -1 : wp_idfiles_cached(&f->id, "kallsyms");

	if (fd >= 0 && !read_kernel_list(s, f, fdopen(fd, "r"), trouble))
		return NULL;
	wp_symtable_free(&f->names.table);
	fd = s->symfs || !f->id.size ? -1 : find_vmlinux(s, &f->id);
	if (fd < 0 && !s->symfs)
		fd = wp_idfiles_cached(&f->id, "elf");
	return fd < 0 || read_vmlinux(s, f, fd) ? trouble : NULL;
}

static const char *read_kernel(struct wp_symbols *s, struct file *f)
{
	const char *trouble;
	struct wp_buildid id;
	struct utsname here;

	if (s->kallsyms)
		return read_kallsyms(s, f, s->kallsyms);
	if (s->vmlinux)
		return read_own_vmlinux(s, f);
	if (!f->id.size && !s->release)
		return "the recording does not tell which one: --kallsyms names its list";
	if (!f->id.size ? uname(&here) || strcmp(here.release, s->release) :
	    wp_buildid_from_notes_file("/sys/kernel/notes", &id) || !same_id(&id, &f->id))
		return read_other_kernel(s, f,
			"another kernel than this one was recorded: --kallsyms or --vmlinux names its list or image");
	trouble = read_kallsyms(s, f, "/proc/kallsyms");
	return trouble ? read_other_kernel(s, f, trouble) : NULL;
}

/*
 * Anybody can create a file with that name. It is accepted from root, from the user, and,
 * as root analyzes any user's programs, by root from the owner of the process: that is
 * known only while the process exists.
 */
static bool is_trusted(const struct file *f, uid_t owner)
{
	char path[32];
	struct stat st;

	if (!owner || owner == geteuid())
		return true;
	snprintf(path, sizeof(path), "/proc/%d", f->pid);
	return !geteuid() && (stat(path, &st) || st.st_uid == owner);
}

static const char *read_perfmap(struct wp_symbols *s, struct file *f, int fd)
{
	const char *trouble = wp_filereader_perfmap(fd, &f->names);
	struct stat st;

	if (!trouble && (wp_openfile_known(fd, &st) || !charge(s, &st, &f->names.table)))
		trouble = TOO_MUCH;
	close(fd);
	return trouble ? trouble : f->names.table.nr ? NULL : "its list is empty";
}

static const char *read_jit(struct wp_symbols *s, struct file *f)
{
	char path[64];
	struct stat st;
	int fd;

	if (f->jit || s->live) {
		fd = s->live ? wp_jitmap_open(f->pid) :
		     wp_jitmap_unpack(f->jit->b.data, f->jit->b.len, f->jit->text);
		return fd < 0 ? "there is no list" : read_perfmap(s, f, fd);
	}
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", f->pid);
	fd = wp_openfile(path, O_NOFOLLOW, &st);
	if (fd < 0)
		return errno == ENOENT ? "there is no list" : "its list cannot be opened";
	if (st.st_size > MAX_TEXT || !is_trusted(f, st.st_uid)) {
		close(fd);
		return "its list is not to be trusted";
	}
	return read_perfmap(s, f, fd);
}

static const char *read_symbols(struct wp_symbols *s, struct file *f)
{
	switch (f->kind) {
	case WP_SYMBOLS_ELF:
	case WP_SYMBOLS_DATA:
		return read_file(s, f);
	case WP_SYMBOLS_KERNEL:
		return read_kernel(s, f);
	case WP_SYMBOLS_VDSO:
		return read_vdso(s, f);
	case WP_SYMBOLS_JIT:
		break;
	}
	return read_jit(s, f);
}

static void make_ready(struct wp_symbols *s, struct file *f)
{
	f->read = true;
	f->trouble = read_symbols(s, f);
	if (f->trouble)
		wp_symtable_free(&f->names.table);
	wp_symtable_sort(&f->names.table);
	if (f->names.table.nr)
		f->demangled = calloc(f->names.table.nr, sizeof(*f->demangled));
	if (f->names.table.nr && !f->demangled) {
		f->trouble = NO_MEMORY;
		wp_symtable_free(&f->names.table);
	}
}

/* The address of an offset in an ELF file; false if it is not in a segment. */
static bool address_of(const struct file *f, __u64 offset, __u64 *address)
{
	size_t i;

	for (i = 0; i < f->names.nr_segments; i++) {
		const struct wp_segment *g = &f->names.segment[i];

		if (offset >= g->offset && offset - g->offset < g->size) {
			*address = offset - g->offset + g->address;
			return true;
		}
	}
	return false;
}

/* The demangled name of a function. */
static const char *name_of(const struct wp_symbols *s, struct file *f,
			   const struct wp_symtable_entry *e)
{
	char **demangled = &f->demangled[e - f->names.table.entry];
	const char *name = f->names.table.names + e->name;

	if (s->raw || f->kind == WP_SYMBOLS_KERNEL || f->kind == WP_SYMBOLS_JIT)
		return name;
	if (!*demangled && !f->plain && wp_demangle_may(name))
		f->plain = wp_filereader_demangle(&f->owner, name, demangled);
	return *demangled ? *demangled : name;
}

/**
 * wp_symbols_find() - look up the function at an address
 * @s: the names
 * @file: number of the file
 * @address: the address: see enum wp_symbols_kind
 * @symbol: set to the function; without a name if it is unknown
 *
 * Return: true if it is known.
 */
bool wp_symbols_find(struct wp_symbols *s, __u32 file, __u64 address,
		     struct wp_symbol *symbol)
{
	struct file *f = &s->file[file - 1];
	const struct wp_symtable_entry *e;
	__u64 at = address;

	memset(symbol, 0, sizeof(*symbol));
	if (!f->read)
		make_ready(s, f);
	if (f->names.nr_segments && !address_of(f, address, &at))
		return false;
	e = wp_symtable_find(&f->names.table, at);
	if (!e)
		return false;
	symbol->name = name_of(s, f, e);
	symbol->module = f->names.table.names + e->name;
	symbol->module += strlen(symbol->module) + 1;
	if (!*symbol->module)
		symbol->module = NULL;
	symbol->start = address - (at - e->start);
	symbol->size = e->end - e->start;
	symbol->sched = at >= f->names.table.sched_start && at < f->names.table.sched_end;
	return true;
}

/* Maximum page size. */
#define MAX_PAGE	65536

/*
 * The address of the start of a code mapping, which is that of a segment or within it: if
 * a segment begins within a page of the file, the mapping starts with the end of the part
 * before it, which belongs to another segment.
 */
static bool address_of_code(const struct file *f, __u64 offset, __u64 *address)
{
	const struct wp_segment *best = NULL;
	size_t i;

	for (i = 0; i < f->names.nr_segments; i++) {
		const struct wp_segment *g = &f->names.segment[i];

		if (!g->code || (offset >= g->offset ? offset - g->offset >= g->size :
				 g->offset - offset >= MAX_PAGE))
			continue;
		if (!best || g->offset <= offset ||
		    (best->offset > offset && g->offset < best->offset))
			best = g;
	}
	if (best)
		*address = offset - best->offset + best->address;
	return best || address_of(f, offset, address);
}

static bool is_in_memory(const struct file *f, __u64 address)
{
	size_t i;

	for (i = 0; i < f->names.nr_segments; i++) {
		const struct wp_segment *g = &f->names.segment[i];

		if (address >= g->address && address - g->address < g->memory)
			return true;
	}
	return false;
}

/**
 * wp_symbols_variable() - look up the variable at an address
 * @s: the names
 * @file: number of the file, of kind WP_SYMBOLS_DATA
 * @code: offset in the file of a code mapping below the address
 * @distance: bytes from its start to the address, in memory
 * @symbol: set to the variable; without a name if it is unknown
 *
 * Zero-initialized data has no offset in the file, but the distances of all segments in
 * memory are those in the program headers.
 *
 * Return: true if it is known.
 */
bool wp_symbols_variable(struct wp_symbols *s, __u32 file, __u64 code, __u64 distance,
			 struct wp_symbol *symbol)
{
	struct file *f = &s->file[file - 1];
	const struct wp_symtable_entry *e;
	__u64 at;

	memset(symbol, 0, sizeof(*symbol));
	if (!f->read)
		make_ready(s, f);
	if (!address_of_code(f, code, &at) || !is_in_memory(f, at + distance))
		return false;
	e = wp_symtable_find(&f->names.table, at + distance);
	if (!e)
		return false;
	symbol->name = name_of(s, f, e);
	symbol->start = at + distance - e->start;
	symbol->size = e->end - e->start;
	return true;
}

/**
 * wp_symbols_variable_text() - format a variable
 * @symbol: from wp_symbols_variable()
 * @path: the file's path; its directories are left out
 * @text: set to "NAME (FILE)", "NAME+0xN (FILE)" within a larger one
 * @size: size of @text
 */
void wp_symbols_variable_text(const struct wp_symbol *symbol, const char *path, char *text,
			      size_t size)
{
	const char *slash = strrchr(path, '/');
	char within[24] = "";

	if (symbol->start)
		snprintf(within, sizeof(within), "+0x%llx", (unsigned long long)symbol->start);
	snprintf(text, size, "%.*s%s (%.*s)", (int)size / 2, symbol->name, within,
		 (int)size / 3, slash && slash[1] ? slash + 1 : path);
}

static void forget_inlined(struct wp_symbols *s)
{
	while (s->nr_inlined)
		free(s->inlined[--s->nr_inlined]);
}

/**
 * wp_symbols_inlined() - look up the functions inlined at an address
 * @s: the names; with wp_symbols_options.inlines
 * @file: number of the file
 * @address: the address: see enum wp_symbols_kind
 * @names: set to their names, the innermost first, valid until the next call
 *
 * The function that contains them is found by wp_symbols_find().
 *
 * Return: their number.
 */
size_t wp_symbols_inlined(struct wp_symbols *s, __u32 file, __u64 address, char ***names)
{
	struct file *f = &s->file[file - 1];
	__u64 at;

	forget_inlined(s);
	*names = s->inlined;
	if (!f->read)
		make_ready(s, f);
	if (f->inlines.main < 0 || !address_of(f, address, &at))
		return 0;
	s->nr_inlined = WP_SYMBOLS_INLINED;
	if (wp_filereader_inlined(&f->inlines, s->first + file, at, s->raw, s->inlined,
				  &s->nr_inlined))
		wp_debugfiles_close(&f->inlines);
	return s->nr_inlined;
}

/**
 * wp_symbols_trouble() - reason why a file has no names
 * @s: the names
 * @file: number of the file, after a lookup
 *
 * Return: the end of a sentence, or NULL if it has some.
 */
const char *wp_symbols_trouble(const struct wp_symbols *s, __u32 file)
{
	return s->file[file - 1].trouble;
}

/**
 * wp_symbols_free() - free the names
 * @s: the names, or NULL
 */
void wp_symbols_free(struct wp_symbols *s)
{
	size_t i, k;

	if (!s)
		return;
	forget_inlined(s);
	for (i = 0; i < s->nr; i++) {
		struct file *f = &s->file[i];

		for (k = 0; f->demangled && k < f->names.table.nr; k++)
			free(f->demangled[k]);
		free(f->demangled);
		wp_elfnames_free(&f->names);
		wp_debugfiles_close(&f->inlines);
		free(f->path);
	}
	free(s->file);
	free(s->owned);
	free(s->symfs);
	free(s->kallsyms);
	free(s->vmlinux);
	free(s->kernel_label);
	free(s->release);
	free(s);
}
