// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the access to the file of an entry in the table of build-ids: through a process
 * that has it mapped, while there is one, or by its path here, if that leads to the same
 * file. Called by buildid.c during the recording.
 *
 * Each file is examined when it is first seen: its status is stored, and if no path of
 * ours leads to it, it is passed to keepfiles.c. At the end its build-id is read, if it
 * is unknown; a file that has changed since has none.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/procdir.h"
#include "lib/proc/procmaps.h"
#include "lib/sandbox/filereader.h"
#include "lib/sandbox/openfile.h"
#include "lib/symbols/keepfiles.h"
#include "lib/symbols/mappedfile.h"

/* Maximum number of lookups of a file that cannot be found. */
#define MAX_LOOKS	16

/**
 * wp_mappedfile_place() - find the file of a mapping, whatever its path leads to
 * @pid: the process
 * @start: first address of the mapping
 * @end: its end, exclusive
 *
 * Return: an O_PATH descriptor, or a negative errno: there is no such mapping now, or no
 * permission.
 */
int wp_mappedfile_place(__u32 pid, __u64 start, __u64 end)
{
	int dir = wp_procdir_open(pid), fd;

	if (dir < 0)
		return dir;
	fd = wp_procdir_mapping(dir, start, end);
	close(dir);
	return fd;
}

/**
 * wp_mappedfile_is() - whether a file is the wanted one
 * @file: the wanted file; inode 0 matches any
 * @st: status of the file that was found
 * @strict: compare the device. On btrfs and overlayfs stat() and mappings have different
 *	ones: where the process's own links were followed it is not compared
 */
bool wp_mappedfile_is(const struct wp_fileid *file, const struct stat *st, bool strict)
{
	if (!file->ino)
		return true;
	if (st->st_ino != file->ino || (!file->maj && !file->min))
		return false;
	return !strict ||
		(major(st->st_dev) == file->maj && minor(st->st_dev) == file->min);
}

/* Read the build-id and close the file; @fd may be an error. */
static void read_and_close(int fd, struct wp_buildid *id)
{
	if (fd < 0)
		return;
	wp_filereader_loaded_id(fd, id);
	close(fd);
}

/**
 * wp_mappedfile_here() - the file at a path here
 * @path: the path
 * @st: set to its status; zero if there is none
 * @id: set to its build-id, if it has one
 */
void wp_mappedfile_here(const char *path, struct stat *st, struct wp_buildid *id)
{
	int fd = path[0] == '/' ? wp_openfile_in(WP_OPENFILE_HERE, path, st) : -1;

	if (fd < 0)
		memset(st, 0, sizeof(*st));
	read_and_close(fd, id);
}

/* Status of the file at the path here; false where that could block. */
static bool stat_here(const struct wp_dso *dso, struct stat *st)
{
	bool found = false;
	int place;

	if (dso->last.file.maj)
		return !wp_openfile_stat(WP_OPENFILE_HERE, dso->path, st);
	place = wp_openfile_cached(dso->path);
	if (place >= 0) {
		found = !wp_openfile_known(place, st);
		close(place);
	}
	return found;
}

/* Whether a process is in the recorder's user namespace. */
static bool is_of_our_users(__u32 pid)
{
	struct stat ours, theirs;
	char path[40];

	snprintf(path, sizeof(path), "/proc/%u/ns/user", pid);
	return !stat("/proc/self/ns/user", &ours) && !stat(path, &theirs) &&
	       ours.st_ino == theirs.st_ino && ours.st_dev == theirs.st_dev;
}

/* A process whose first thread has ended has it in its other threads only. */
static FILE *open_mountinfo(__u32 pid)
{
	int dir = wp_procdir_open(pid), fd;
	FILE *f;

	if (dir < 0)
		return NULL;
	fd = openat(dir, "mountinfo", O_RDONLY | O_CLOEXEC);
	close(dir);
	f = fd >= 0 ? fdopen(fd, "r") : NULL;
	if (!f && fd >= 0)
		close(fd);
	return f;
}

/*
 * Whether a file system may block on its server: it has no block device and is not in
 * memory, or it is an overlay, created by a user, that may lie above such a one. Its own
 * status would come from the server. Block devices: see keep_it().
 */
static bool is_served(__u32 pid, const struct stat *st)
{
	static const char *const served[] = { "fuse", "nfs", "9p", "cifs", "smb", "ceph", "afs" };
	unsigned int maj, min, i;
	char type[32], line[4096];
	bool found = false;
	const char *end;
	FILE *f;
	int n;

	if (major(st->st_dev))
		return false;
	f = open_mountinfo(pid);
	while (f && !found && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%*u %*u %u:%u", &maj, &min) != 2 ||
		    makedev(maj, min) != st->st_dev)
			continue;
		end = strstr(line, " - ");
		if (!end || sscanf(end, " - %31s", type) != 1)
			continue;
		n = !strcmp(type, "overlay") && !is_of_our_users(pid);
		for (i = 0; i < sizeof(served) / sizeof(*served); i++)
			n += !strncmp(type, served[i], strlen(served[i]));
		if (n)
			break;
		found = true;
	}
	if (f)
		fclose(f);
	/* A file system that is not listed may be anything. */
	return !found;
}

/* The same without a path, for which a server might be asked; or -1. */
static int find_mapping(const struct wp_dso *dso, struct stat *st)
{
	int place = dso->last.end ?
		wp_mappedfile_place(dso->last.pid, dso->last.start, dso->last.end) : -1;

	if (place < 0)
		return -1;
	/* The process may have another mapping there by now. */
	if (!wp_openfile_known(place, st) && wp_mappedfile_is(&dso->last.file, st, false))
		return place;
	close(place);
	return -1;
}

/**
 * wp_mappedfile_find() - find a mapped file
 * @dso: the file; only its path and its last mapping are used
 * @st: set to its status
 *
 * It is looked up by its path in the process's root, or through its mapping, which takes a
 * lock of the process.
 *
 * Return: an O_PATH descriptor, or -1.
 */
int wp_mappedfile_find(const struct wp_dso *dso, struct stat *st)
{
	int root = wp_openfile_root(dso->last.pid), place = -1;

	/*
	 * The process has ended, or there is no permission: this holds for its mappings,
	 * too.
	 */
	if (root < 0)
		return -1;
	if (dso->last.file.ino)
		place = wp_openfile_place(root, dso->path);
	close(root);
	if (place >= 0 && (wp_openfile_known(place, st) ||
			   !wp_mappedfile_is(&dso->last.file, st, false))) {
		close(place);
		place = -1;
	}
	return place >= 0 ? place : find_mapping(dso, st);
}

/* The kernel's file time stamps may lag behind its clock by so much. */
#define STAMP_NS	20000000LL

static __s64 ns_of(const struct timespec *t)
{
	return t->tv_sec * 1000000000LL + t->tv_nsec;
}

/*
 * Whether it was changed after it had been mapped, before it was first seen. A file from
 * before the recording has the contents that the process sees. Deletion is no change.
 */
static bool is_late(const struct wp_dso *dso, const struct stat *st)
{
	const struct timespec *changed = st->st_nlink ? &st->st_ctim : &st->st_mtim;
	struct timespec now;

	if (!dso->time || clock_gettime(CLOCK_REALTIME, &now))
		return false;
	return ns_of(changed) - ns_of(&now) + (__s64)wp_clock_now() >
	       (__s64)dso->time + STAMP_NS;
}

/* Have it copied, and its build-id read, as the file may not be there later. */
static void keep_it(struct wp_dso *dso, int place, struct wp_keepfiles *keep)
{
	struct stat st;
	int fd = wp_openfile_found(place, &st);

	if (fd < 0)
		return;
	/* The thread that copies would block. */
	if (major(st.st_dev) && wp_openfile_is_served(fd)) {
		close(fd);
		return;
	}
	if (!dso->id.size)
		wp_filereader_loaded_id(fd, &dso->id);
	wp_keepfiles_add(keep, fd, &dso->id, &st);
}

/**
 * wp_mappedfile_look() - examine a mapped file, unless that is done
 * @dso: the file
 * @keep: destination of copies of files that no path of ours leads to; or NULL
 */
void wp_mappedfile_look(struct wp_dso *dso, struct wp_keepfiles *keep)
{
	struct stat here, st;
	bool has_here, is_here;
	int place;

	if (dso->stat.st_ino || dso->looks == MAX_LOOKS || !wp_buildid_wants_path(dso->path))
		return;
	dso->looks++;
	has_here = stat_here(dso, &here);
	if (has_here && dso->last.file.ino && wp_mappedfile_is(&dso->last.file, &here, true)) {
		dso->stat = here;
		dso->changed = is_late(dso, &here);
		return;
	}
	place = dso->last.file.maj ? wp_mappedfile_find(dso, &st) : find_mapping(dso, &st);
	if (place < 0)
		return;
	dso->stat = st;
	dso->changed = is_late(dso, &st);
	is_here = has_here && here.st_ino == st.st_ino && here.st_dev == st.st_dev;
	if (keep && !dso->changed && !is_here && !is_served(dso->last.pid, &st))
		keep_it(dso, place, keep);
	close(place);
}

/* Read its build-id, if the file is unchanged since it was first seen. */
static void read_unchanged(int fd, const struct stat *st, struct wp_dso *dso)
{
	if (dso->stat.st_ino && !wp_filestat_unchanged(&dso->stat, st)) {
		dso->changed = true;
		close(fd);
		return;
	}
	read_and_close(fd, &dso->id);
}

static void read_id(struct wp_dso *dso)
{
	int place, fd = -1;
	struct stat st;

	place = dso->last.pid ? wp_mappedfile_find(dso, &st) : -1;
	if (place >= 0) {
		fd = wp_openfile_found(place, &st);
		close(place);
	}
	if (fd < 0) {
		fd = wp_openfile_in(WP_OPENFILE_HERE, dso->path, &st);
		if (fd >= 0 && !wp_mappedfile_is(&dso->last.file, &st, true)) {
			close(fd);
			return;
		}
	}
	if (fd >= 0)
		read_unchanged(fd, &st, dso);
}

/* A mapping of our own, and the inode of its file. */
struct own_mapping {
	__u64 start;
	__u64 ino;
};

static int take_own(void *ctx, int dir, const struct wp_procmap *map)
{
	struct own_mapping *own = ctx;

	(void)dir;
	if (map->start > own->start || map->end <= own->start)
		return 0;
	own->ino = map->ino;
	return 1;
}

/*
 * The inode that mappings of a file have, by mapping it; 0 if that fails, as for one on a
 * server, whose descriptor is O_PATH.
 */
static __u64 mapped_inode(int fd)
{
	long page = sysconf(_SC_PAGESIZE);
	struct wp_procmaps maps = { 0 };
	struct own_mapping own = { 0 };
	void *place;
	int dir;

	place = mmap(NULL, page, PROT_READ, MAP_PRIVATE, fd, 0);
	if (place == MAP_FAILED)
		return 0;
	own.start = (uintptr_t)place;
	dir = open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir >= 0) {
		wp_procmaps_each(&maps, dir, PROT_READ, take_own, &own);
		close(dir);
	}
	wp_procmaps_free(&maps);
	munmap(place, page);
	return own.ino;
}

/*
 * Whether a path leads to another file here than was mapped. On a block device stat() has
 * what the kernel recorded. Elsewhere it may have another device and, on overlayfs, another
 * inode: such a file is another one only if it has that inode neither for stat() nor when
 * it is mapped.
 */
static bool is_elsewhere(const struct wp_dso *dso)
{
	const struct wp_fileid *was = &dso->last.file;
	struct stat st;
	__u64 ino;
	bool other;
	int fd;

	if (dso->path[0] != '/' || !was->ino || (!was->maj && !was->min))
		return false;
	fd = wp_openfile_in(WP_OPENFILE_HERE, dso->path, &st);
	if (fd < 0)
		return false;
	other = !wp_mappedfile_is(was, &st, true);
	if (other && !major(st.st_dev)) {
		ino = st.st_ino != was->ino ? mapped_inode(fd) : 0;
		other = ino && ino != was->ino;
	}
	close(fd);
	return other;
}

/**
 * wp_mappedfile_read() - read the build-id of a file
 * @dso: the file; its build-id is set, if it can be read, or else its @elsewhere
 */
void wp_mappedfile_read(struct wp_dso *dso)
{
	read_id(dso);
	dso->elsewhere = !dso->id.size && is_elsewhere(dso);
}

/**
 * wp_mappedfile_stat() - status to record of a file without a build-id
 * @dso: the file
 */
struct wp_filestat wp_mappedfile_stat(const struct wp_dso *dso)
{
	struct wp_filestat stat = { .kind = WP_FILESTAT_NONE };

	if (dso->stat.st_ino)
		stat = wp_filestat_of(&dso->stat);
	if (dso->changed)
		stat.kind = WP_FILESTAT_CHANGED;
	return stat;
}
