// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the HotSpot JVM that a running process executes, by the symbols of libjvm.so, and
 * lists the code that it has generated. Called by jvms.c, during a recording, and by
 * symbolfile.c, for a live view.
 *
 * Memory is read as that of CPython: what is not present is not read. Of a page that the
 * process never used, or that was dropped, the mapped file has the contents: it is read
 * from there, as the texts in libjvm.so, which only debuggers look at, and names in the
 * archive of the JVM's own classes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/procdir.h"
#include "lib/base/procfile.h"
#include "lib/proc/procmaps.h"
#include "lib/proc/procmemory.h"
#include "lib/sandbox/filereader.h"
#include "lib/sandbox/openfile.h"
#include "lib/symbols/livejvm.h"
#include "lib/symbols/mapplace.h"

#define PART		"libjvm.so"

/* What may be read at a look. */
#define MAX_BLOCKS	65536
#define MAX_BYTES	(256 << 20)

/*
 * A block is read with those around it: the copy takes less time than the switches of threads.
 * So many windows are kept, and so many read at a look.
 */
#define WINDOW		((__u64)WP_PROCMEMORY_SOME * WP_PROCMEMORY_BLOCK)
#define KEPT_WINDOWS	32
#define MAX_WINDOWS	2048

/* Mappings of files of a process that are known, and files that are open. */
#define MAX_MAPS	256
#define MAX_OPEN	8

/* Bytes of the list of mappings that count as a window: a process can have as many as it likes. */
#define WINDOW_MAPS	65536

/* Beyond so much memory, all names of a process are read anew: most code is gone. */
#define MAX_NAMES	((size_t)32 << 20)

/* Files whose symbols are known, and segments of a file. */
#define MAX_FILES	8
#define MAX_SEGMENTS	16

/* Maximum page size. */
#define MAX_PAGE	65536

static const char symbols[] =
	"gHotSpotVMStructs\0gHotSpotVMStructEntryArrayStride\0"
	"gHotSpotVMStructEntryTypeNameOffset\0gHotSpotVMStructEntryFieldNameOffset\0"
	"gHotSpotVMStructEntryIsStaticOffset\0gHotSpotVMStructEntryOffsetOffset\0"
	"gHotSpotVMStructEntryAddressOffset\0gHotSpotVMTypes\0gHotSpotVMTypeEntryArrayStride\0"
	"gHotSpotVMTypeEntryTypeNameOffset\0gHotSpotVMTypeEntrySizeOffset\0";

/*
 * struct filemap - a private mapping of a file
 * @ino: its inode
 * @name: its path, or NULL
 * @fd: the file; -1: not opened yet; -2: it cannot be
 * @is_jvm: code of libjvm.so
 * @is_served: its file system need not answer
 */
struct filemap {
	__u64 start;
	__u64 end;
	__u64 pgoff;
	__u64 ino;
	char *name;
	int fd;
	bool is_jvm;
	bool is_served;
};

/*
 * struct file - a libjvm.so
 * @st: its status; all zero: none
 * @symbol: addresses of the variables, in the file
 * @segment: its segments
 */
struct file {
	struct stat st;
	__u64 symbol[WP_JVMSYMBOL_NR];
	struct wp_segment segment[MAX_SEGMENTS];
	size_t nr_segments;
};

/*
 * struct window - blocks that were read at once
 * @at: address of the first one
 * @of: wp_pymemory.forgotten when they were; 0: they are none
 * @err: of each 0 or a negative errno
 * @data: the blocks
 */
struct window {
	__u64 at;
	unsigned int of;
	int err[WP_PROCMEMORY_SOME];
	__u8 data[WP_PROCMEMORY_SOME][WP_PROCMEMORY_BLOCK];
};

/**
 * struct wp_livejvms - a reader of JVMs
 * @file: files whose symbols are known
 * @next_file: the one that is replaced next
 * @procs: reads memory
 * @pid: the process that is looked at
 * @map: its mappings of files, once they are needed
 * @nr_maps: their number
 * @nr_open: number of those that are open
 * @has_maps: they were read
 * @memory: what was read
 * @window: what was read around that
 * @left: number of windows that may still be read
 */
struct wp_livejvms {
	struct file file[MAX_FILES];
	unsigned int next_file;
	struct wp_procmemory *procs;
	__u32 pid;
	struct filemap map[MAX_MAPS];
	unsigned int nr_maps;
	unsigned int nr_open;
	bool has_maps;
	struct wp_pymemory memory;
	struct window *window;
	unsigned int left;
};

/**
 * wp_livejvm_is() - whether a file can have a JVM, by its name
 * @path: the name
 *
 * Return: false if it has none.
 */
bool wp_livejvm_is(const char *path)
{
	const char *slash = strrchr(path, '/');
	const size_t len = strlen(PART);

	/* It may have been replaced. */
	return slash && !strncmp(slash + 1, PART, len) &&
	       (!slash[1 + len] || !strcmp(slash + 1 + len, " (deleted)"));
}

/**
 * wp_livejvm_program() - what identifies the program that a process executes
 * @pid: the process
 *
 * Return: a number, by when the process was started and where its stack is; 0: it has ended.
 */
__u64 wp_livejvm_program(__u32 pid)
{
	struct wp_procfile_text t = { 0 };
	int dir = wp_procdir_open(pid);
	__u64 started = 0, stack = 0;
	unsigned int field;
	char *p;

	if (dir < 0)
		return 0;
	if (wp_procfile_read_at(dir, "stat", 0, WP_PROCFILE_STAT, &t) > 0) {
		/* The name, field 2, can contain anything. */
		p = strrchr(t.text, ')');
		for (field = 2; p && field < 28; field++) {
			p = strchr(p + 1, ' ');
			if (p && field == 21)
				started = strtoull(p, NULL, 10);
		}
		stack = p ? strtoull(p, NULL, 10) : 0;
	}
	free(t.text);
	close(dir);
	return started << 48 ^ started >> 16 ^ stack;
}

/**
 * wp_livejvm_new() - allocate a reader
 *
 * Return: the reader, or NULL: there is no memory.
 */
struct wp_livejvms *wp_livejvm_new(void)
{
	struct wp_livejvms *jvms = calloc(1, sizeof(*jvms));

	if (!jvms)
		return NULL;
	jvms->procs = wp_procmemory_new();
	jvms->window = calloc(KEPT_WINDOWS, sizeof(*jvms->window));
	if (!jvms->procs || !jvms->window) {
		wp_livejvm_free(jvms);
		return NULL;
	}
	return jvms;
}

static void close_maps(struct wp_livejvms *jvms)
{
	unsigned int i;

	for (i = 0; i < jvms->nr_maps; i++) {
		if (jvms->map[i].fd >= 0)
			close(jvms->map[i].fd);
		free(jvms->map[i].name);
	}
	jvms->nr_maps = 0;
	jvms->nr_open = 0;
	jvms->has_maps = false;
}

/**
 * wp_livejvm_free() - free a reader
 * @jvms: the reader, or NULL
 */
void wp_livejvm_free(struct wp_livejvms *jvms)
{
	if (!jvms)
		return;
	close_maps(jvms);
	wp_procmemory_free(jvms->procs);
	free(jvms->window);
	free(jvms);
}

static int add_map(void *ctx, int dir, const struct wp_procmap *map)
{
	struct wp_livejvms *jvms = ctx;

	(void)dir;
	if (map->ino && map->flags == MAP_PRIVATE && jvms->nr_maps < MAX_MAPS)
		jvms->map[jvms->nr_maps++] = (struct filemap){
			map->start, map->end, map->pgoff, map->ino, strdup(map->name), -1,
			.is_jvm = map->prot & PROT_EXEC && wp_livejvm_is(map->name),
		};
	return 0;
}

static void read_maps(struct wp_livejvms *jvms)
{
	int dir = jvms->left ? wp_procdir_open(jvms->pid) : -1;
	struct wp_procmaps text = { 0 };
	size_t windows;

	jvms->has_maps = true;
	if (dir < 0)
		return;
	wp_procmaps_each(&text, dir, PROT_READ, add_map, jvms);
	windows = text.text.room / WINDOW_MAPS;
	jvms->left -= windows < jvms->left ? windows : jvms->left;
	wp_procmaps_free(&text);
	close(dir);
}

static void open_file(struct wp_livejvms *jvms, struct filemap *map)
{
	map->fd = -2;
	if (jvms->nr_open == MAX_OPEN)
		return;
	map->fd = wp_mapplace_open(jvms->pid, map->start, map->end, map->name, map->ino,
				   &map->is_served);
	if (map->fd < 0)
		map->fd = -2;
	else
		jvms->nr_open++;
}

/* Reads a block from the file that is mapped there. */
static int read_file(struct wp_livejvms *jvms, __u64 address, void *to)
{
	struct filemap *map = jvms->map;
	ssize_t n;

	if (!jvms->has_maps)
		read_maps(jvms);
	while (map < jvms->map + jvms->nr_maps &&
	       (address < map->start || address >= map->end))
		map++;
	if (map == jvms->map + jvms->nr_maps)
		return -ENODATA;
	if (map->fd == -1)
		open_file(jvms, map);
	/* A server of files could let us wait. */
	if (map->fd < 0 || map->is_served)
		return -ENODATA;
	n = pread(map->fd, to, WP_PYMEMORY_BLOCK, map->pgoff + (address - map->start));
	if (n <= 0)
		return -ENODATA;
	/* What is behind the end of the file is 0 in memory, too. */
	memset((char *)to + n, 0, WP_PYMEMORY_BLOCK - n);
	return 0;
}

static int read_block(void *ctx, __u64 address, void *to)
{
	struct wp_livejvms *jvms = ctx;
	struct window *w = &jvms->window[address / WINDOW % KEPT_WINDOWS];
	const __u64 at = address - address % WINDOW;
	size_t i = address % WINDOW / WP_PROCMEMORY_BLOCK;
	int err;

	if (w->at != at || w->of != jvms->memory.forgotten) {
		if (!jvms->left)
			return -EDQUOT;
		jvms->left--;
		w->of = 0;
		err = wp_procmemory_some(jvms->procs, jvms->pid, at, WP_PROCMEMORY_SOME, w->data,
					 w->err);
		if (err)
			return err;
		w->at = at;
		w->of = jvms->memory.forgotten;
	}
	if (w->err[i] == -ENXIO)
		return read_file(jvms, address, to);
	if (!w->err[i])
		memcpy(to, w->data[i], WP_PROCMEMORY_BLOCK);
	return w->err[i];
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* Reads the symbols of a file, by a worker: it is any user's. */
static bool read_symbols(struct file *file, int fd)
{
	const struct wp_elffiles files = { .main = fd, .debug = -1, .alt = -1 };
	struct wp_elfnames names = { .only = symbols };
	const struct wp_symtable *t = &names.table;
	size_t i, k;
	bool done;

	done = !wp_filereader_symbols(&files, true, &names);
	for (i = 0; done && i < t->nr; i++) {
		for (k = 0; k < WP_JVMSYMBOL_NR; k++) {
			if (!strcmp(t->names + t->entry[i].name, wp_jvmsymbol_names[k]))
				file->symbol[k] = t->entry[i].start;
		}
	}
	for (i = 0; done && i < names.nr_segments && i < MAX_SEGMENTS; i++)
		file->segment[file->nr_segments++] = names.segment[i];
	wp_elfnames_free(&names);
	return done;
}

/* The file of a mapping, with its symbols; NULL: it has none. */
static const struct file *find_file(struct wp_livejvms *jvms, struct filemap *map)
{
	struct file *file = jvms->file;
	struct stat st;

	if (map->fd == -1)
		open_file(jvms, map);
	if (map->fd < 0 || wp_openfile_known(map->fd, &st))
		return NULL;
	while (file < jvms->file + MAX_FILES && !is_same(&file->st, &st))
		file++;
	if (file == jvms->file + MAX_FILES) {
		file = &jvms->file[jvms->next_file++ % MAX_FILES];
		*file = (struct file){ .st = st };
		if (!read_symbols(file, map->fd))
			*file = (struct file){ 0 };
	}
	return file->symbol[0] ? file : NULL;
}

/* Addresses of the variables in the process; 0: there is none. */
static bool find_symbols(struct wp_livejvms *jvms, __u64 address[WP_JVMSYMBOL_NR])
{
	const struct file *file = NULL;
	struct filemap *map;
	size_t i, k;

	if (!jvms->has_maps)
		read_maps(jvms);
	for (map = jvms->map; map < jvms->map + jvms->nr_maps && !file; map++)
		file = map->is_jvm ? find_file(jvms, map) : NULL;
	if (!file)
		return false;
	map--;
	for (i = 0; i < file->nr_segments; i++) {
		const struct wp_segment *g = &file->segment[i];

		/* A mapping begins with the page in which its segment does. */
		if (!g->code || map->pgoff + MAX_PAGE <= g->offset ||
		    (map->pgoff > g->offset && map->pgoff - g->offset >= g->size))
			continue;
		for (k = 0; k < WP_JVMSYMBOL_NR; k++)
			address[k] = !file->symbol[k] ? 0 : map->start + file->symbol[k] -
				     (map->pgoff - g->offset + g->address);
		return true;
	}
	return false;
}

/* Where it keeps what does not change as long as the process executes its program. */
static int read_layout(struct wp_livejvms *jvms, struct wp_livejvm *jvm)
{
	__u64 address[WP_JVMSYMBOL_NR];
	int err;

	if (jvm->has_layout)
		return 0;
	jvm->program = wp_livejvm_program(jvms->pid);
	err = find_symbols(jvms, address) ? 0 : -ENOTSUP;
	if (!err)
		err = wp_jvmlayout_read(&jvms->memory, address, &jvm->layout);
	jvm->has_layout = !err;
	return err;
}

/**
 * wp_livejvm_open() - begin to read the memory of a process that has a JVM
 * @jvms: a reader
 * @pid: the process
 * @budget: what may be read
 * @windows: how many windows of that, each of WP_PROCMEMORY_SOME blocks
 *
 * Return: its memory, until wp_livejvm_close().
 */
struct wp_pymemory *wp_livejvm_open(struct wp_livejvms *jvms, __u32 pid,
				    struct wp_pybudget *budget, unsigned int windows)
{
	jvms->pid = pid;
	jvms->left = windows < MAX_WINDOWS ? windows : MAX_WINDOWS;
	jvms->memory.read = read_block;
	jvms->memory.ctx = jvms;
	jvms->memory.budget = budget;
	wp_pymemory_forget(&jvms->memory);
	return &jvms->memory;
}

/**
 * wp_livejvm_close() - end that
 * @jvms: the reader
 *
 * Return: the number of windows that were left.
 */
unsigned int wp_livejvm_close(struct wp_livejvms *jvms)
{
	close_maps(jvms);
	return jvms->left;
}

/* Whether a byte is not 0. One that cannot be read may be, unless nothing was ever written. */
static int read_flag(struct wp_livejvms *jvms, __u32 pid, __u64 at, bool *flag)
{
	const size_t skip = at % WP_PROCMEMORY_BLOCK;
	__u8 block[WP_PROCMEMORY_BLOCK] = { 0 };
	int got, err = wp_procmemory_some(jvms->procs, pid, at - skip, 1, block, &got);

	*flag = got && got != -ENXIO ? true : !got && block[skip];
	return err ? err : got == -ENXIO || got == -ENODATA ? 0 : got;
}

/**
 * wp_livejvm_unloads() - read how many classes a JVM has unloaded, and loaded
 * @jvms: a reader
 * @pid: the process
 * @u: their addresses, and what was read before
 * @counts: set to them
 *
 * Return: 0 or as wp_procmemory_read().
 */
int wp_livejvm_unloads(struct wp_livejvms *jvms, __u32 pid, const struct wp_jvmunloads *u,
		       struct wp_jvmcounts *counts)
{
	const size_t skip = u->at % WP_PROCMEMORY_BLOCK, more = u->loads % WP_PROCMEMORY_BLOCK;
	__u8 block[WP_PROCMEMORY_BLOCK];
	int err = 0;

	/*
	 * Before the numbers: what an agent did until then is in these. A version that does not
	 * say may have any; and where there was one, there is.
	 */
	counts->may_redefine = true;
	if (u->redefines && !(u->known && u->may_redefine))
		err = read_flag(jvms, pid, u->redefines, &counts->may_redefine);
	if (!err)
		err = wp_procmemory_read(jvms->procs, pid, u->at - skip, block);
	if (err)
		return err;
	memcpy(&counts->unloads, block + skip, sizeof(counts->unloads));
	/* They are close to each other. */
	if (u->at - skip != u->loads - more)
		err = wp_procmemory_read(jvms->procs, pid, u->loads - more, block);
	memcpy(&counts->loads, block + more, sizeof(counts->loads));
	return err;
}

/*
 * Before the code is looked at, and before its first table is made: what a stack has by that
 * was there then.
 */
static void look_at_unloads(struct wp_livejvms *jvms, struct wp_livejvm *jvm)
{
	struct wp_jvmunloads *u = &jvm->unloads;
	struct wp_jvmcounts counts;

	if (!u->at && wp_jvmunloads_find(&jvms->memory, &jvm->layout, u))
		return;
	if (!wp_livejvm_unloads(jvms, jvms->pid, u, &counts))
		wp_jvmunloads_note(u, &counts, jvm->began ? wp_clock_now() : 0);
}

/**
 * wp_livejvm_look() - list the code of a process
 * @jvms: a reader
 * @jvm: the JVM; its code is replaced, if that succeeds
 * @pid: the process
 * @before: set to the code that was replaced, to be freed with wp_jvmcode_free(); NULL: it
 *	is not wanted
 *
 * Return: 0; -ENOTSUP: it has no JVM that can be read; or as wp_jvmcode_look().
 */
int wp_livejvm_look(struct wp_livejvms *jvms, struct wp_livejvm *jvm, __u32 pid,
		    struct wp_jvmcodes *before)
{
	struct wp_pybudget budget = { MAX_BLOCKS, MAX_BYTES };
	__u64 began = wp_clock_now();
	struct wp_jvmcodes now = { 0 };
	int err;

	wp_livejvm_open(jvms, pid, &budget, MAX_WINDOWS);
	if (wp_intern_memory(&jvm->names) > MAX_NAMES) {
		wp_jvmcode_forget_names(&jvm->codes);
		wp_intern_free(&jvm->names);
	}
	err = read_layout(jvms, jvm);
	if (!err)
		look_at_unloads(jvms, jvm);
	if (!err)
		err = wp_jvmcode_look(&jvms->memory, &jvm->layout, &jvm->codes, &jvm->names,
				      &now);
	wp_livejvm_close(jvms);
	if (err) {
		wp_jvmcode_free(&now);
		return err;
	}
	if (before)
		*before = jvm->codes;
	else
		wp_jvmcode_free(&jvm->codes);
	jvm->codes = now;
	jvm->began = began;
	return 0;
}

/**
 * wp_livejvm_name() - the name of code
 * @jvm: its JVM
 * @code: the code
 *
 * Return: the name, valid until the next look; NULL: it is unknown.
 */
const char *wp_livejvm_name(const struct wp_livejvm *jvm, const struct wp_jvmcode *code)
{
	size_t len;

	return code->name ? wp_intern_bytes(&jvm->names, code->name, &len) : NULL;
}

/**
 * wp_livejvm_bytes() - memory of what is known of a process
 * @jvm: its JVM
 *
 * Return: bytes, approximately.
 */
size_t wp_livejvm_bytes(const struct wp_livejvm *jvm)
{
	return jvm->codes.room * sizeof(*jvm->codes.code) +
	       jvm->codes.exit_room * sizeof(*jvm->codes.exit) + wp_intern_memory(&jvm->names);
}

/**
 * wp_livejvm_end() - free what is known of a process
 * @jvm: its JVM; all zero afterwards
 */
void wp_livejvm_end(struct wp_livejvm *jvm)
{
	wp_jvmcode_free(&jvm->codes);
	wp_intern_free(&jvm->names);
	memset(jvm, 0, sizeof(*jvm));
}
