// SPDX-License-Identifier: GPL-2.0
/*
 * wallprof archive: packs the files with a recording's symbols, for a report on another
 * machine. The layout is that of perf's cache of build-ids, as made by perf-archive(1):
 * unpacked in ~/.debug, perf and wallprof find the files there.
 *
 * The files are those that samples have frames in. A file that is not the recorded one is
 * left out. The recording is not trusted, and the archive may go to somebody else: it
 * contains only ELF files and lists of kernels, whatever files the recording names. A
 * file that is missing, or too large for its contents, does not affect the others.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/archive.h"
#include "cmd/common/options.h"
#include "cmd/common/signals.h"
#include "lib/base/err.h"
#include "lib/base/fullio.h"
#include "lib/base/outfile.h"
#include "lib/base/procfile.h"
#include "lib/base/tarfile.h"
#include "lib/base/text.h"
#include "lib/profile/profile.h"
#include "lib/sandbox/openfile.h"
#include "lib/sandbox/servedfile.h"
#include "lib/symbols/idfiles.h"

static const char *const usage[] = { "[<options>]", NULL };

static const struct wp_option table[] = {
	{ 'i', "input", "file", "the recording (default perf.data)" },
	{ 'o', "output", "file", "the file to write (default the recording's\n"
	  "name and .tar.gz); - is standard output" },
	{ 0 }
};

struct archive {
	const char *input;
	const char *output;
	struct wp_tarfile *tar;
	char (*name)[WP_IDFILES_NAME];	/* of the files in the archive */
	size_t nr;
	size_t missing;
	size_t unidentified;
};

static int set(void *ctx, int id, const char *arg)
{
	struct archive *a = ctx;

	if (id == 'i')
		a->input = arg;
	else
		a->output = arg;
	return 0;
}

static int take_sample(void *ctx, const struct wp_profile_sample *sample)
{
	(void)ctx;
	(void)sample;
	return 0;
}

/* Several paths can have equal files. */
static bool is_in(const struct archive *a, const char *name)
{
	size_t i;

	for (i = 0; i < a->nr; i++) {
		if (!strcmp(a->name[i], name))
			return true;
	}
	return false;
}

static int note(struct archive *a, const char *name)
{
	void *more = reallocarray(a->name, a->nr + 1, sizeof(*a->name));

	if (!more)
		return -ENOMEM;
	a->name = more;
	snprintf(a->name[a->nr++], sizeof(*a->name), "%s", name);
	return 0;
}

/* Add the directory of a file, and the link to it from its build-id. */
static int add_place(struct archive *a, const char *name, const struct wp_buildid *id)
{
	char path[WP_IDFILES_NAME + 32], to[WP_IDFILES_NAME + 32];
	int err;

	snprintf(path, sizeof(path), WP_IDFILES_OURS "/%s/", name);
	err = wp_tarfile_dir(a->tar, path);
	if (err || id->size < 2)
		return err;
	snprintf(path, sizeof(path), ".build-id/%.2s/%s", name, name + 2);
	snprintf(to, sizeof(to), "../../" WP_IDFILES_OURS "/%s", name);
	return wp_tarfile_link(a->tar, path, to);
}

/* Whether a list has addresses: without permission they are zeros. */
static bool has_addresses(const char *text)
{
	static const char hidden[] = "0000000000000000";
	const char *label = strstr(text, " T _stext\n");

	return label && label - text >= 16 && strncmp(label - 16, hidden, 16);
}

/* A readable descriptor for one that may be O_PATH; or a negative errno. */
static int make_readable(int fd, struct stat *st)
{
	int copy;

	if (!wp_openfile_is_served(fd))
		return fd;
	copy = wp_servedfile_copy(fd, st);
	close(fd);
	return copy;
}

/* perf's copy of the list; NULL if there is none. */
static char *cached_list(const struct wp_buildid *id, ssize_t *len)
{
	int fd = wp_idfiles_cached(id, "kallsyms");
	char *text = NULL;
	struct stat st;

	if (fd >= 0 && wp_openfile_known(fd, &st)) {
		close(fd);
		return NULL;
	}
	fd = fd >= 0 ? make_readable(fd, &st) : -1;
	if (fd < 0)
		return NULL;
	text = malloc(st.st_size + 1);
	if (text && !wp_pread_all(fd, text, st.st_size, 0)) {
		text[st.st_size] = 0;
		*len = st.st_size;
	} else {
		free(text);
		text = NULL;
	}
	close(fd);
	return text;
}

/* The running kernel's list; NULL if that is another kernel. */
static char *list_here(const struct wp_buildid *id, ssize_t *len)
{
	struct wp_procfile_text text = { 0 };
	struct wp_buildid here;
	int dir;

	if (wp_buildid_from_notes_file("/sys/kernel/notes", &here) || !wp_buildid_same(&here, id))
		return NULL;
	dir = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	*len = dir >= 0 ? wp_procfile_read(dir, "kallsyms", &text) : -1;
	if (dir >= 0)
		close(dir);
	if (*len > 0)
		return text.text;
	free(text.text);
	return NULL;
}

/* Add the kernel's list, if it is the running kernel, or in perf's cache. */
static int add_kernel(struct archive *a, const char *name, const struct wp_buildid *id)
{
	char path[WP_IDFILES_NAME + 32];
	int err = -ENOENT;
	ssize_t len = 0;
	char *text;

	text = cached_list(id, &len);
	if (!text)
		text = list_here(id, &len);
	if (text && has_addresses(text)) {
		snprintf(path, sizeof(path), WP_IDFILES_OURS "/%s/kallsyms", name);
		err = add_place(a, name, id);
		if (!err)
			err = wp_tarfile_text(a->tar, path, text, len);
	}
	free(text);
	return err;
}

/* Linkers do not produce larger files that consist mostly of holes. */
#define HOLES_FROM	((off_t)64 << 20)
#define HOLES_RATIO	32

/* Why a file is left out; NULL: it is not. */
static const char *trouble_with(int fd, const struct stat *st)
{
	char magic[SELFMAG];

	if (st->st_size >= WP_TARFILE_MAX ||
	    (st->st_size > HOLES_FROM && st->st_blocks < st->st_size / 512 / HOLES_RATIO))
		return "it is too large for what it holds";
	if (wp_pread_all(fd, magic, sizeof(magic), 0) || memcmp(magic, ELFMAG, SELFMAG))
		return "it is neither a program nor a library";
	return NULL;
}

static int add_elf(struct archive *a, const char *name, const struct wp_profile_code *code)
{
	static const char missing[] = "the file that was recorded is not there";
	char path[WP_IDFILES_NAME + 32];
	const char *trouble;
	struct stat st, now;
	int fd, err;

	fd = wp_idfiles_open(code->path, &code->id, &code->stat, &st);
	trouble = fd < 0 ? missing : NULL;
	if (fd >= 0) {
		fd = make_readable(fd, &st);
		trouble = fd < 0 ? "it cannot be read" :
			  fstat(fd, &now) || now.st_size != st.st_size ? missing :
			  trouble_with(fd, &now);
	}
	if (trouble) {
		wp_warn("%s is not in the archive: %s", code->path, trouble);
		if (fd >= 0)
			close(fd);
		return -ENOENT;
	}
	snprintf(path, sizeof(path), WP_IDFILES_OURS "/%s/elf", name);
	err = add_place(a, name, &code->id);
	if (!err)
		err = wp_tarfile_add(a->tar, path, fd, st.st_size);
	close(fd);
	if (err != -ESTALE)
		return err;
	wp_warn("%s is truncated in the archive: it became shorter meanwhile", code->path);
	return -ENOENT;
}

/*
 * On another machine there would be nothing by which to find it: recordings of perf in a
 * pipe have no build-ids.
 */
static void warn_unidentified(const struct wp_profile_code *code)
{
	if (code->kind == WP_SYMBOLS_KERNEL)
		wp_warn("the kernel's list is not in the archive: the recording has no build-id of the kernel");
	else
		wp_warn("%s is not in the archive: the recording has neither its build-id nor its size and time",
			code->path);
}

static int add_all(struct archive *a, const struct wp_profile *p)
{
	char name[WP_IDFILES_NAME];
	struct wp_profile_code code;
	size_t at = 0;
	int err;

	while (wp_profile_code(p, &at, &code)) {
		if (!code.id.size && code.stat.kind != WP_FILESTAT_WHOLE) {
			a->unidentified++;
			warn_unidentified(&code);
			continue;
		}
		wp_idfiles_name(name, &code.id, &code.stat);
		if (is_in(a, name))
			continue;
		err = code.kind == WP_SYMBOLS_KERNEL ? add_kernel(a, name, &code.id) :
		      add_elf(a, name, &code);
		if (!err)
			err = note(a, name);
		if (err == -ENOENT)
			a->missing++;
		else if (err)
			return err;
	}
	return 0;
}

static int write_archive(struct archive *a, const struct wp_profile *p)
{
	struct wp_outfile out;
	struct stat in;
	int err, ret;

	err = wp_outfile_open(&out, a->output, WP_OUTFILE_STDOUT | WP_OUTFILE_SUDO);
	if (err)
		return err;
	if (!fstat(wp_profile_file(p)->fd, &in) && wp_outfile_same(&out, &in)) {
		wp_err("%s is the recording itself; use another file with -o", a->output);
		return wp_outfile_end(&out, -EINVAL);
	}
	a->tar = wp_tarfile_new(out.fd);
	err = a->tar ? add_all(a, p) : -ENOMEM;
	ret = a->tar ? wp_tarfile_end(a->tar) : 0;
	err = err ? err : ret;
	if (!err && !a->nr) {
		if (a->unidentified)
			wp_err("no file of %s can be archived: it has no build-ids; 'perf inject -b' adds them (see 'man wallprof-archive')",
			       a->input);
		else
			wp_err("no file of %s can be archived%s", a->input,
			       a->missing ? "" : ": its samples have no stacks");
		return wp_outfile_end(&out, -ENOENT);
	}
	if (err)
		wp_err("cannot write %s: %s", a->output, strerror(-err));
	return wp_outfile_end(&out, err);
}

static int archive(struct archive *a)
{
	const struct wp_symbols_options options = { 0 };
	struct wp_profile *p = NULL;
	int err;

	err = wp_profile_open(&p, a->input, &options);
	if (!err)
		err = wp_profile_read(p, take_sample, NULL);
	if (!err)
		err = write_archive(a, p);
	wp_profile_close(p);
	if (!err && strcmp(a->output, "-"))
		wp_text_print(stdout,
			      "%zu files are in %s. With it, on another machine:\n    mkdir -p ~/.debug && tar xf %s -C ~/.debug\n    wallprof report -i %s\n",
			      a->nr, a->output, a->output,
			      strcmp(a->input, "-") ? a->input : "FILE");
	return err;
}

/**
 * cmd_archive() - entry point of the command
 * @argc: arguments
 * @argv: the same; the first one is "archive"
 *
 * Return: its exit status.
 */
int cmd_archive(int argc, char **argv)
{
	struct archive a = { .input = "perf.data" };
	const struct wp_options options = {
		.command = "wallprof archive",
		.usage = usage,
		.table = table,
		.set = set,
	};
	char path[PATH_MAX];
	int err, rest;

	err = wp_parse_options(&options, argc, argv, &a, &rest);
	if (err)
		return err == WP_OPTIONS_DONE ? 0 : WP_EXIT_USAGE;
	if (rest < argc) {
		wp_text_print(stderr, " Error: unexpected argument '%s'; use -i FILE\n",
			      argv[rest]);
		wp_print_usage(&options);
		return WP_EXIT_USAGE;
	}
	if (!a.output) {
		if (snprintf(path, sizeof(path), "%s.tar.gz",
			     strcmp(a.input, "-") ? a.input : "perf.data") >= (int)sizeof(path)) {
			wp_err("the recording's name is too long; name the output with -o");
			return WP_EXIT_ERROR;
		}
		a.output = path;
	}
	wp_outfile_die_on_signals();
	err = archive(&a);
	free(a.name);
	return err ? WP_EXIT_ERROR : 0;
}
