// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the installed module: by "make install", DKMS or a package of modules, compressed or
 * not. Called to explain why the module is not loaded.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

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
#define MAX_SIZE	(256 << 20)
#define CHUNK		(64 << 10)

/* The last bytes of what has been read. */
struct tail {
	char end[END_SIZE];
	size_t len, sum;
};

static void add_to_tail(struct tail *t, const char *data, size_t n)
{
	size_t from = n > END_SIZE ? n - END_SIZE : 0, kept = END_SIZE - (n - from);

	kept = kept < t->len ? kept : t->len;
	memmove(t->end, t->end + t->len - kept, kept);
	memcpy(t->end + kept, data + from, n - from);
	t->len = kept + n - from;
	t->sum += n;
}

/* Also of a file that is not compressed. These three return whether the file is whole. */
static bool read_gz(struct tail *t, const char *path)
{
	gzFile f = gzopen(path, "re");
	char data[CHUNK];
	int n = -1;

	while (f && t->sum < MAX_SIZE && (n = gzread(f, data, sizeof(data))) > 0)
		add_to_tail(t, data, n);
	return f && gzclose_r(f) == Z_OK && !n;
}

static bool read_xz(struct tail *t, FILE *f)
{
	lzma_stream s = LZMA_STREAM_INIT;
	lzma_ret ret = lzma_stream_decoder(&s, MAX_SIZE, LZMA_CONCATENATED);
	uint8_t in[CHUNK], out[CHUNK];

	while (ret == LZMA_OK && t->sum < MAX_SIZE) {
		if (!s.avail_in) {
			s.next_in = in;
			s.avail_in = fread(in, 1, sizeof(in), f);
		}
		s.next_out = out;
		s.avail_out = sizeof(out);
		ret = lzma_code(&s, s.avail_in ? LZMA_RUN : LZMA_FINISH);
		add_to_tail(t, (char *)out, sizeof(out) - s.avail_out);
	}
	lzma_end(&s);
	return ret == LZMA_STREAM_END;
}

static bool read_zst(struct tail *t, FILE *f)
{
	ZSTD_DStream *s = ZSTD_createDStream();
	char in[CHUNK], out[CHUNK];
	ZSTD_inBuffer from = { in, 0, 0 };
	bool full = false;
	size_t ret = 1;

	while (s && t->sum < MAX_SIZE && !ZSTD_isError(ret)) {
		ZSTD_outBuffer to = { out, sizeof(out), 0 };

		/* What did not fit is still to come, without more input. */
		if (from.pos == from.size && (!full || !ret)) {
			from.size = fread(in, 1, sizeof(in), f);
			from.pos = 0;
			if (!from.size)
				break;
		}
		ret = ZSTD_decompressStream(s, &to, &from);
		add_to_tail(t, out, to.pos);
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

/**
 * wp_modfile_signature() - look for the signature at the end of a module's file
 * @path: the file, compressed or not; a signature is of the module before that
 *
 * Return: the result.
 */
enum wp_signature wp_modfile_signature(const char *path)
{
	struct tail t = { .len = 0 };
	bool whole;
	FILE *f;

	if (has_suffix(path, ".ko") || has_suffix(path, ".gz")) {
		whole = read_gz(&t, path);
	} else {
		f = fopen(path, "re");
		if (!f)
			return WP_SIGNATURE_UNKNOWN;
		whole = has_suffix(path, ".xz") ? read_xz(&t, f) :
			has_suffix(path, ".zst") && read_zst(&t, f);
		fclose(f);
	}
	if (!whole || t.len < END_SIZE)
		return WP_SIGNATURE_UNKNOWN;
	return memcmp(t.end, SIGNATURE_END, END_SIZE) ? WP_SIGNATURE_NONE : WP_SIGNATURE_SOME;
}
