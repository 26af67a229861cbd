/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file with functions, and where its names are looked for. See symbolfile.c; used by
 * symbols.c and kernelsymbols.c only.
 */
#ifndef WP_LIB_SYMBOLS_SYMBOLFILE_H
#define WP_LIB_SYMBOLS_SYMBOLFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <linux/types.h>

#include "lib/elf/buildid.h"
#include "lib/elf/elffiles.h"
#include "lib/elf/elfnames.h"
#include "lib/sandbox/filereader.h"
#include "lib/symbols/filestat.h"
#include "lib/symbols/jitcodes.h"
#include "lib/symbols/jitmaps.h"
#include "lib/symbols/livejit.h"
#include "lib/symbols/livejvm.h"
#include "lib/symbols/symbolkind.h"

/**
 * struct wp_symbolfile - a file with functions
 * @kind: its kind
 * @path: its path
 * @id: its build-id in the recording
 * @pid: for JIT: the process
 * @stat: its recorded status, if it has no build-id
 * @verify: it must match @stat
 * @jit: for JIT: the list in the recording, or NULL
 * @codes: for JIT: its code by address and time, instead of @names; or NULL
 * @live: for JIT of a running process: when its jitdump file is read again
 * @jvm: the same: its code, if that is found in its memory; or NULL
 * @no_jvm: it is not
 * @program: the program in which that was looked for; 0: none yet
 * @charged: for JIT: bytes of @codes that count for their owner
 * @place: a descriptor of the file, owned by the caller; -1: use its path
 * @read: it has been read
 * @trouble: why it has no names, or NULL
 * @names: its functions; for ELF also its segments
 * @demangled: demangled names, as far as they were looked up
 * @owner: for ELF: the owner that selects its worker
 * @inlines: for ELF: the files in which inlined functions are looked up, if requested
 * @plain: do not demangle: it took too much
 */
struct wp_symbolfile {
	enum wp_symbols_kind kind;
	char *path;
	struct wp_buildid id;
	__s32 pid;
	struct wp_filestat stat;
	bool verify;
	const struct wp_jitmap *jit;
	struct wp_jitcodes *codes;
	struct wp_livejit live;
	struct wp_livejvm *jvm;
	bool no_jvm;
	__u64 program;
	size_t charged;
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
struct wp_symbolowned {
	uid_t uid;
	size_t bytes;
};

/**
 * struct wp_symbolplaces - where the names of a table are looked for
 * @symfs: directory prefix of all files, or NULL
 * @kallsyms: the kernel's list, or NULL
 * @vmlinux: its image, or NULL
 * @release: the kernel's release, or NULL
 * @kernel_label: a label of the kernel's, or NULL
 * @kernel_at: its recorded address
 * @live: symbols of running processes
 * @wants_inlines: look up inlined functions
 * @only: see struct wp_symbols_options
 * @jvms: reads the code of JVMs, or NULL
 * @owned: memory used by owner
 * @nr_owned: number of owners
 */
struct wp_symbolplaces {
	char *symfs;
	char *kallsyms;
	char *vmlinux;
	char *release;
	char *kernel_label;
	__u64 kernel_at;
	bool live;
	bool wants_inlines;
	const char *only;
	struct wp_livejvms *jvms;
	struct wp_symbolowned *owned;
	size_t nr_owned;
};

const char *wp_symbolfile_read(struct wp_symbolplaces *s, struct wp_symbolfile *f);
const char *wp_symbolfile_read_elf(struct wp_symbolplaces *s, struct wp_symbolfile *f, int fd,
				   const char *path, int root);
void wp_symbolfile_look_jit(struct wp_symbolplaces *s, struct wp_symbolfile *f);
const char *wp_symbolfile_read_jit(struct wp_symbolplaces *s, struct wp_symbolfile *f);
bool wp_symbolfile_has_id(int fd, const struct wp_buildid *want);

#endif /* WP_LIB_SYMBOLS_SYMBOLFILE_H */
