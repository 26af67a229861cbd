// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the search by build-id for a file that is not, or no longer, where it was mapped
 * from: in perf's cache, below /usr/lib/debug/.build-id and, if DEBUGINFOD_URLS is set,
 * at a server. Called by symbolfile.c and debugfiles.c.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/hostlibs.h"
#include "lib/sandbox/filereader.h"
#include "lib/sandbox/openfile.h"
#include "lib/symbols/idfiles.h"

/* Maximum size of a kernel's list of functions. */
#define MAX_LIST	((off_t)256 << 20)

#define BUILDID_DIR	"/usr/lib/debug/.build-id/"

static bool is_of(int fd, const struct wp_buildid *id)
{
	struct wp_buildid found;

	return !wp_filereader_buildid(fd, &found) && found.size == id->size &&
	       !memcmp(found.data, id->data, id->size);
}

/*
 * The owner is not checked: the environment selects the directory, and after sudo that
 * may be any user's.
 */
static bool is_list(const struct stat *st)
{
	return st->st_size <= MAX_LIST && (!st->st_uid || st->st_uid == geteuid());
}

/**
 * wp_idfiles_dir() - directory of perf's cache
 * @path: set to the directory: as in perf-archive, or below the user's home directory
 * @size: size of @path
 *
 * Return: its length, or -1.
 */
int wp_idfiles_dir(char *path, size_t size)
{
	const char *dir = getenv("PERF_BUILDID_DIR"), *home = getenv("HOME");

	if (dir && *dir)
		return snprintf(path, size, "%s", dir);
	return home && *home ? snprintf(path, size, "%s/.debug", home) : -1;
}

/**
 * wp_idfiles_name() - name of a copy of ours
 * @name: set to the name, at most WP_IDFILES_NAME bytes
 * @id: the file's build-id
 * @stat: the file's status, if it has none
 */
void wp_idfiles_name(char *name, const struct wp_buildid *id, const struct wp_filestat *stat)
{
	unsigned int i;

	if (!id->size)
		snprintf(name, WP_IDFILES_NAME, "stat-%x-%x-%llx-%llx-%llx-%x", stat->maj,
			 stat->min, (unsigned long long)stat->ino,
			 (unsigned long long)stat->size, (unsigned long long)stat->mtime_sec,
			 stat->mtime_nsec);
	for (i = 0; i < id->size; i++)
		sprintf(name + 2 * i, "%02x", id->data[i]);
}

/**
 * wp_idfiles_kept() - open our copy of a file without a build-id
 * @stat: its recorded status
 *
 * Return: its descriptor, or -1 if there is none.
 */
int wp_idfiles_kept(const struct wp_filestat *stat)
{
	static const struct wp_buildid none;
	char path[PATH_MAX], name[WP_IDFILES_NAME];
	int len = wp_idfiles_dir(path, sizeof(path)), fd;
	struct stat st;

	if (stat->kind != WP_FILESTAT_WHOLE || len < 0 ||
	    len + sizeof("/" WP_IDFILES_OURS "/") + WP_IDFILES_NAME + 4 > sizeof(path))
		return -1;
	wp_idfiles_name(name, &none, stat);
	sprintf(path + len, "/" WP_IDFILES_OURS "/%s/elf", name);
	fd = wp_openfile(path, O_NOFOLLOW, &st);
	if (fd >= 0 && (__u64)st.st_size != stat->size) {
		close(fd);
		return -1;
	}
	return fd;
}

/**
 * wp_idfiles_cached() - open a file of perf's cache
 * @id: its build-id
 * @what: "elf": the file itself; "debug": its debug information; "kallsyms": a kernel's
 *	list
 *
 * Return: its descriptor, or -1 if it is not there.
 */
int wp_idfiles_cached(const struct wp_buildid *id, const char *what)
{
	char path[PATH_MAX];
	int len = wp_idfiles_dir(path, sizeof(path)), fd;
	struct stat st;
	unsigned int i;

	if (!id->size || len < 0 || len + 2 * id->size + 32 > (int)sizeof(path))
		return -1;
	len += sprintf(path + len, "/.build-id/%02x/", id->data[0]);
	for (i = 1; i < id->size; i++)
		len += sprintf(path + len, "%02x", id->data[i]);
	sprintf(path + len, "/%.16s", what);
	fd = wp_openfile(path, 0, &st);
	/* A list has no build-id to check, and is read in this process. */
	if (fd >= 0 && (strcmp(what, "kallsyms") ? !is_of(fd, id) : !is_list(&st))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Functions of libdebuginfod, which is optional. */
struct server {
	void *(*begin)(void);

	void (*end)(void *client);

	int (*find[2])(void *client, const unsigned char *id, int size, char **path);
};

static bool load_server(struct server *server)
{
	void *lib = wp_hostlibs_open("libdebuginfod.so.1");

	if (!lib)
		return false;
	server->begin = (typeof(server->begin))dlsym(lib, "debuginfod_begin");
	server->end = (typeof(server->end))dlsym(lib, "debuginfod_end");
	server->find[WP_IDFILES_ELF] =
		(typeof(server->find[0]))dlsym(lib, "debuginfod_find_executable");
	server->find[WP_IDFILES_DEBUG] =
		(typeof(server->find[0]))dlsym(lib, "debuginfod_find_debuginfo");
	return server->begin && server->end && server->find[0] && server->find[1];
}

/**
 * wp_idfiles_served() - open a file from a server
 * @id: its build-id
 * @what: kind of the file
 *
 * The servers are those of DEBUGINFOD_URLS: without it none is asked.
 *
 * Return: its descriptor, or -1 if there is none.
 */
int wp_idfiles_served(const struct wp_buildid *id, enum wp_idfiles_what what)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	static struct server server;
	static int loaded;
	char *path = NULL;
	void *client;
	int fd;

	if (!urls || !*urls || !id->size)
		return -1;
	if (!loaded)
		loaded = load_server(&server) ? 1 : -1;
	client = loaded > 0 ? server.begin() : NULL;
	if (!client)
		return -1;
	fd = server.find[what](client, id->data, id->size, &path);
	free(path);
	server.end(client);
	if (fd >= 0 && !is_of(fd, id)) {
		close(fd);
		return -1;
	}
	return fd < 0 ? -1 : fd;
}

/**
 * wp_idfiles_find() - find a file of a package, or at a server
 * @id: its build-id
 *
 * Return: its descriptor, or -1 if it is not there.
 */
int wp_idfiles_find(const struct wp_buildid *id)
{
	char path[sizeof(BUILDID_DIR "00/") + 2 * WP_BUILDID_MAX];
	struct stat st;
	unsigned int i;
	int len, fd;

	if (!id->size)
		return -1;
	len = sprintf(path, BUILDID_DIR "%02x/", id->data[0]);
	for (i = 1; i < id->size; i++)
		len += sprintf(path + len, "%02x", id->data[i]);
	fd = wp_openfile_in(WP_OPENFILE_HERE, path, &st);
	if (fd >= 0 && !is_of(fd, id)) {
		close(fd);
		fd = -1;
	}
	return fd < 0 ? wp_idfiles_served(id, WP_IDFILES_ELF) : fd;
}

/**
 * wp_idfiles_open() - open the recorded file, wherever it is
 * @path: its recorded path
 * @id: its build-id
 * @stat: its recorded status, if it has none
 * @st: set to its status
 *
 * Return: its descriptor, see wp_openfile(); or -1 if it cannot be found.
 */
int wp_idfiles_open(const char *path, const struct wp_buildid *id,
		    const struct wp_filestat *stat, struct stat *st)
{
	int fd = wp_openfile_in(WP_OPENFILE_HERE, path, st);

	if (fd >= 0 && (id->size ? is_of(fd, id) : !wp_filestat_differs(stat, st, false)))
		return fd;
	if (fd >= 0)
		close(fd);
	fd = id->size ? wp_idfiles_cached(id, "elf") : wp_idfiles_kept(stat);
	if (fd < 0 && id->size)
		fd = wp_idfiles_find(id);
	if (fd < 0 || !wp_openfile_known(fd, st))
		return fd;
	close(fd);
	return -1;
}
