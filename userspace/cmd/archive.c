// SPDX-License-Identifier: GPL-2.0
/*
 * wallprof archive: the files that a recording's names are in, for a report on another
 * machine. It is laid out as perf's cache of build-ids, as perf-archive(1) does it: unpacked
 * in ~/.debug, perf and wallprof find the files there.
 *
 * Files are those that samples have frames in. A file that is not the one that was recorded
 * is left out.
 */
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
#include "lib/base/outfile.h"
#include "lib/base/procfile.h"
#include "lib/base/tarfile.h"
#include "lib/base/text.h"
#include "lib/profile/profile.h"
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
	char (*name)[WP_IDFILES_NAME];	/* of those that are in it */
	size_t nr;
	size_t missing;
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

/* Equal files have several paths. */
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

/* The directory of a file, and the link that leads there from its build-id. */
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

/* Whether a list has addresses: who may not see them is shown zeros. */
static bool has_addresses(const char *text)
{
	static const char hidden[] = "0000000000000000";
	const char *label = strstr(text, " T _stext\n");

	return label && label - text >= 16 && strncmp(label - 16, hidden, 16);
}

/* The kernel's list, if it is the kernel that runs, or perf has kept it. */
static int add_kernel(struct archive *a, const char *name, const struct wp_buildid *id)
{
	struct wp_procfile_text text = { 0 };
	int fd = wp_idfiles_cached(id, "kallsyms"), dir, err = -ENOENT;
	char path[WP_IDFILES_NAME + 32];
	struct wp_buildid here;
	struct stat st;
	ssize_t len;

	snprintf(path, sizeof(path), WP_IDFILES_OURS "/%s/kallsyms", name);
	if (fd >= 0 && !fstat(fd, &st)) {
		err = add_place(a, name, id);
		if (!err)
			err = wp_tarfile_add(a->tar, path, fd, st.st_size);
	} else if (!wp_buildid_from_notes_file("/sys/kernel/notes", &here) &&
		   wp_buildid_same(&here, id)) {
		dir = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		len = dir >= 0 ? wp_procfile_read(dir, "kallsyms", &text) : -1;
		if (len > 0 && has_addresses(text.text)) {
			err = add_place(a, name, id);
			if (!err)
				err = wp_tarfile_text(a->tar, path, text.text, len);
		}
		if (dir >= 0)
			close(dir);
		free(text.text);
	}
	if (fd >= 0)
		close(fd);
	return err;
}

static int add_elf(struct archive *a, const char *name, const struct wp_profile_code *code)
{
	char path[WP_IDFILES_NAME + 32];
	struct stat st;
	int fd, err;

	fd = wp_idfiles_open(code->path, &code->id, &code->stat, &st);
	if (fd < 0)
		return -ENOENT;
	snprintf(path, sizeof(path), WP_IDFILES_OURS "/%s/elf", name);
	err = add_place(a, name, &code->id);
	if (!err)
		err = wp_tarfile_add(a->tar, path, fd, st.st_size);
	close(fd);
	return err;
}

static int add_all(struct archive *a, const struct wp_profile *p)
{
	char name[WP_IDFILES_NAME];
	struct wp_profile_code code;
	size_t at = 0;
	int err;

	while (wp_profile_code(p, &at, &code)) {
		if (!code.id.size && code.stat.how != WP_FILESTAT_WHOLE) {
			a->missing++;
			continue;
		}
		wp_idfiles_name(name, &code.id, &code.stat);
		if (is_in(a, name))
			continue;
		err = code.kind == WP_SYMBOLS_KERNEL ? add_kernel(a, name, &code.id) :
		      add_elf(a, name, &code);
		if (err == -ENOENT) {
			if (code.kind == WP_SYMBOLS_ELF)
				wp_warn("%s is not in the archive: the file that was recorded is not there",
					code.path);
			a->missing++;
		} else if (err) {
			return err;
		} else if (note(a, name)) {
			return -ENOMEM;
		}
	}
	return 0;
}

static int write_archive(struct archive *a, const struct wp_profile *p)
{
	struct wp_outfile out;
	int err, ret;

	err = wp_outfile_open(&out, a->output, WP_OUTFILE_STDOUT | WP_OUTFILE_SUDO);
	if (err)
		return err;
	a->tar = wp_tarfile_new(out.fd);
	err = a->tar ? add_all(a, p) : -ENOMEM;
	ret = a->tar ? wp_tarfile_end(a->tar) : 0;
	err = err ? err : ret;
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
			      a->nr, a->output, a->output, a->input);
	return err;
}

/**
 * cmd_archive() - the command
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
		wp_text_print(stderr, " Error: unexpected argument '%s': a file is named by -i\n",
			      argv[rest]);
		wp_print_usage(&options);
		return WP_EXIT_USAGE;
	}
	if (!a.output) {
		snprintf(path, sizeof(path), "%s.tar.gz",
			 strcmp(a.input, "-") ? a.input : "perf.data");
		a.output = path;
	}
	err = archive(&a);
	free(a.name);
	return err ? WP_EXIT_ERROR : 0;
}
