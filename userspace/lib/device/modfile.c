// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the installed module: by "make install", DKMS or a package of modules, compressed or
 * not. Called to explain why the module is not loaded.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <gelf.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "lib/base/buf.h"
#include "lib/device/modfile.h"

/* Appended by sign-file. */
#define SIGNATURE_END	"~Module signature appended~\n"

/* By depmod's list, whose lines begin with the path of a module and a colon. */
static bool find_listed(const char *root, const char *release, char *path, size_t size)
{
	static const char name[] = "/wallprof.ko";
	char *line = NULL, *end;
	bool found = false;
	size_t room = 0;
	FILE *f;

	snprintf(path, size, "%s/lib/modules/%s/modules.dep", root, release);
	f = fopen(path, "re");
	while (f && !found && getline(&line, &room, f) > 0) {
		line[strcspn(line, ":")] = '\0';
		end = strstr(line, name);
		if (!end || (end[sizeof(name) - 1] && end[sizeof(name) - 1] != '.'))
			continue;
		if (*line == '/')
			snprintf(path, size, "%s%s", root, line);
		else
			snprintf(path, size, "%s/lib/modules/%s/%s", root, release, line);
		found = !access(path, F_OK);
	}
	free(line);
	if (f)
		fclose(f);
	return found;
}

/**
 * wp_modfile_find() - find the module of a kernel
 * @root: prefix of all paths; "" except in tests
 * @release: release of the kernel
 * @path: set to the file
 * @size: size of @path
 *
 * Return: true if there is one, in the order of modprobe.
 */
bool wp_modfile_find(const char *root, const char *release, char *path, size_t size)
{
	static const char *const dirs[] = { "updates/dkms", "updates", "extra" };
	static const char *const suffixes[] = { "", ".xz", ".zst", ".gz" };
	size_t d, s;

	for (d = 0; d < sizeof(dirs) / sizeof(dirs[0]); d++) {
		for (s = 0; s < sizeof(suffixes) / sizeof(suffixes[0]); s++) {
			snprintf(path, size, "%s/lib/modules/%s/%s/wallprof.ko%s", root, release,
				 dirs[d], suffixes[s]);
			if (!access(path, F_OK))
				return true;
		}
	}
	return find_listed(root, release, path, size);
}

#define END_SIZE	(sizeof(SIGNATURE_END) - 1)
/* Nobody has a module that is larger, and a decompressor is not to run without an end. */
#define MAX_SIZE	(64 << 20)
#define XZ_MEMORY	(256 << 20)
#define CHUNK		(64 << 10)

static bool has_room(const struct wp_buf *b)
{
	return !b->failed && b->len < MAX_SIZE;
}

/* Also of a file that is not compressed. These three return whether the file is whole. */
static bool read_gz(struct wp_buf *b, const char *path)
{
	gzFile f = gzopen(path, "re");
	char data[CHUNK];
	int n = -1;

	while (f && has_room(b) && (n = gzread(f, data, sizeof(data))) > 0)
		wp_buf_add(b, data, n);
	return f && gzclose_r(f) == Z_OK && !n;
}

static bool read_xz(struct wp_buf *b, FILE *f)
{
	lzma_stream s = LZMA_STREAM_INIT;
	lzma_ret ret = lzma_stream_decoder(&s, XZ_MEMORY, LZMA_CONCATENATED);
	uint8_t in[CHUNK], out[CHUNK];

	while (ret == LZMA_OK && has_room(b)) {
		if (!s.avail_in) {
			s.next_in = in;
			s.avail_in = fread(in, 1, sizeof(in), f);
		}
		s.next_out = out;
		s.avail_out = sizeof(out);
		ret = lzma_code(&s, s.avail_in ? LZMA_RUN : LZMA_FINISH);
		wp_buf_add(b, (char *)out, sizeof(out) - s.avail_out);
	}
	lzma_end(&s);
	return ret == LZMA_STREAM_END;
}

static bool read_zst(struct wp_buf *b, FILE *f)
{
	ZSTD_DStream *s = ZSTD_createDStream();
	char in[CHUNK], out[CHUNK];
	ZSTD_inBuffer from = { in, 0, 0 };
	bool full = false;
	size_t ret = 1;

	while (s && has_room(b) && !ZSTD_isError(ret)) {
		ZSTD_outBuffer to = { out, sizeof(out), 0 };

		/* What did not fit is still to come, without more input. */
		if (from.pos == from.size && (!full || !ret)) {
			from.size = fread(in, 1, sizeof(in), f);
			from.pos = 0;
			if (!from.size)
				break;
		}
		ret = ZSTD_decompressStream(s, &to, &from);
		wp_buf_add(b, out, to.pos);
		full = to.pos == to.size;
	}
	ZSTD_freeDStream(s);
	return !ret;
}

static bool has_suffix(const char *path, const char *suffix)
{
	size_t len = strlen(path), n = strlen(suffix);

	return len >= n && !strcmp(path + len - n, suffix);
}

/* Whether the file at @path is whole; its content, without compression, is added to @b. */
static bool read_file(struct wp_buf *b, const char *path)
{
	bool whole;
	FILE *f;

	if (has_suffix(path, ".ko") || has_suffix(path, ".gz"))
		return read_gz(b, path);
	f = fopen(path, "re");
	if (!f)
		return false;
	whole = has_suffix(path, ".xz") ? read_xz(b, f) :
		has_suffix(path, ".zst") && read_zst(b, f);
	fclose(f);
	return whole;
}

/* The section with the description of a module: strings like "version=1.0". */
static Elf_Data *find_description(Elf *elf)
{
	Elf_Scn *scn = NULL;
	const char *name;
	size_t strings;
	GElf_Shdr sh;

	if (!elf || elf_getshdrstrndx(elf, &strings))
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		name = gelf_getshdr(scn, &sh) ? elf_strptr(elf, strings, sh.sh_name) : NULL;
		if (name && !strcmp(name, ".modinfo"))
			return elf_rawdata(scn, NULL);
	}
	return NULL;
}

static void copy_value(char *to, size_t size, const char *text, const char *key)
{
	size_t len = strlen(key);

	if (!strncmp(text, key, len))
		snprintf(to, size, "%s", text + len);
}

static void read_description(struct wp_modfile *m, char *data, size_t size)
{
	Elf_Data *d;
	size_t at;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_memory(data, size);
	d = find_description(elf);
	if (d && d->d_buf && d->d_size && !((char *)d->d_buf)[d->d_size - 1]) {
		for (at = 0; at < d->d_size; at += strlen((char *)d->d_buf + at) + 1) {
			copy_value(m->version, sizeof(m->version), (char *)d->d_buf + at,
				   "version=");
			copy_value(m->vermagic, sizeof(m->vermagic), (char *)d->d_buf + at,
				   "vermagic=");
		}
	}
	elf_end(elf);
}

/**
 * wp_modfile_read() - read what a module's file has for the kernel that loads it
 * @m: filled in
 * @path: the file, compressed or not
 */
void wp_modfile_read(struct wp_modfile *m, const char *path)
{
	struct wp_buf b = { 0 };

	memset(m, 0, sizeof(*m));
	if (read_file(&b, path) && !b.failed && b.len >= END_SIZE) {
		m->signature = memcmp(b.data + b.len - END_SIZE, SIGNATURE_END, END_SIZE) ?
			       WP_SIGNATURE_NONE : WP_SIGNATURE_SOME;
		read_description(m, (char *)b.data, b.len);
	}
	wp_buf_free(&b);
}

/**
 * wp_modfile_is_for() - whether a kernel of this release can load the module
 * @m: the module
 * @release: the release
 *
 * If symbols have versions the kernel compares these, and no release: a module in
 * weak-updates was built for another one.
 *
 * Return: false if it cannot.
 */
bool wp_modfile_is_for(const struct wp_modfile *m, const char *release)
{
	size_t len = strcspn(m->vermagic, " ");

	return !len || strstr(m->vermagic + len, " modversions") ||
	       (strlen(release) == len && !strncmp(m->vermagic, release, len));
}
