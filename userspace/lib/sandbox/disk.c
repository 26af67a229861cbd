// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the question whether a file system's block device always answers. A disk does, for
 * which the kernel has time limits. These do not:
 *
 * - the device of a FUSE file system (fuseblk): it is a disk, but a program reads it
 * - a network block device, or one that a program serves (nbd, rbd, ublk)
 * - a loop device, if its file is on a file system that does not; and a device of the
 *   device-mapper on top of such a one
 *
 * All comes from /sys and from the list of mounts, which ask no file system. Only the file
 * of a loop device does: see wp_disk_backing().
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/loop.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "lib/sandbox/disk.h"

#ifndef FUSE_SUPER_MAGIC
#define FUSE_SUPER_MAGIC	0x65735546
#endif

/* Maximum depth of devices on top of each other. */
#define MAX_DEPTH	8

/* Number of devices that are remembered. */
#define MAX_KNOWN	64

#define VIRTUAL		"devices/virtual/block/"

static struct {
	pthread_mutex_t lock;		/* protects all that follows */
	int mounts;			/* for poll(): they have changed; or -1 */
	struct {
		dev_t dev;
		bool is_disk;
	} known[MAX_KNOWN];
	unsigned int nr;
} disks = { .lock = PTHREAD_MUTEX_INITIALIZER, .mounts = -1 };

/* A short file; its size, or -1. */
static ssize_t read_text(int dir, const char *name, char *text, size_t size)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n;
}

static bool read_dev(int dir, const char *name, dev_t *dev)
{
	unsigned int maj, min;
	char text[32];

	if (read_text(dir, name, text, sizeof(text)) < 0 ||
	    sscanf(text, "%u:%u", &maj, &min) != 2)
		return false;
	*dev = makedev(maj, min);
	return true;
}

static void look_below(int sys, dev_t dev, struct wp_disk *disk, int depth);

/* The devices that another one consists of. */
static void look_at_slaves(int whole, int sys, struct wp_disk *disk, int depth)
{
	int fd = openat(whole, "slaves", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	char name[NAME_MAX + 8];
	dev_t slave;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		disk->is_served = true;
		return;
	}
	while (!disk->is_served && (e = readdir(dir))) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/dev", e->d_name);
		if (read_dev(fd, name, &slave))
			look_below(sys, slave, disk, depth + 1);
		else
			disk->is_served = true;
	}
	closedir(dir);
}

static void add_loop(int whole, struct wp_disk *disk)
{
	/* A partition has another number. */
	if (disk->nr_loops < WP_DISK_LOOPS && read_dev(whole, "dev", &disk->loop[disk->nr_loops]))
		disk->nr_loops++;
	else
		disk->is_served = true;
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* A device without hardware; @name is its name, and that of a partition may follow. */
static void look_at_virtual(int sys, const char *name, struct wp_disk *disk, int depth)
{
	char path[PATH_MAX];
	int whole;

	/* In memory. */
	if (begins(name, "ram") || begins(name, "zram"))
		return;
	snprintf(path, sizeof(path), "%s%.*s", VIRTUAL, (int)strcspn(name, "/"), name);
	whole = openat(sys, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (whole < 0)
		disk->is_served = true;
	else if (begins(name, "loop"))
		add_loop(whole, disk);
	else if (begins(name, "dm-") || begins(name, "md") || begins(name, "bcache"))
		look_at_slaves(whole, sys, disk, depth);
	else
		disk->is_served = true;
	if (whole >= 0)
		close(whole);
}

static void look_below(int sys, dev_t dev, struct wp_disk *disk, int depth)
{
	char path[64], to[PATH_MAX];
	const char *at;
	ssize_t n;

	snprintf(path, sizeof(path), "dev/block/%u:%u", major(dev), minor(dev));
	n = readlinkat(sys, path, to, sizeof(to) - 1);
	if (n < 0 || depth == MAX_DEPTH) {
		disk->is_served = true;
		return;
	}
	to[n] = '\0';
	at = strstr(to, "/" VIRTUAL);
	if (at)
		look_at_virtual(sys, at + strlen("/" VIRTUAL), disk, depth);
	else if (strstr(to, "/devices/rbd/"))
		disk->is_served = true;
}

/**
 * wp_disk_below() - what is below a block device
 * @sys: descriptor of /sys
 * @dev: the device
 * @disk: filled in
 */
void wp_disk_below(int sys, dev_t dev, struct wp_disk *disk)
{
	*disk = (struct wp_disk){ 0 };
	look_below(sys, dev, disk, 0);
}

/* Whether the mounts have one of this device, and no program reads it. */
static bool is_mounted(FILE *mounts, dev_t dev)
{
	unsigned int maj, min;
	bool found = false, fuse = false;
	char *line = NULL, type[5];
	size_t room = 0;

	while (!fuse && getline(&line, &room, mounts) > 0) {
		const char *end = strstr(line, " - ");

		if (sscanf(line, "%*u %*u %u:%u", &maj, &min) != 2 || makedev(maj, min) != dev)
			continue;
		found = true;
		fuse = !end || sscanf(end, " - %4s", type) != 1 || !strcmp(type, "fuse");
	}
	free(line);
	return found && !fuse;
}

/* Our own root: if that did not answer, nothing would work. A list of mounts can lack it. */
static bool is_root(dev_t dev)
{
	struct stat st;
	struct statfs fs;

	return !stat("/", &st) && st.st_dev == dev && !statfs("/", &fs) &&
	       fs.f_type != FUSE_SUPER_MAGIC;
}

/**
 * wp_disk_look() - whether all files on a device are on a disk, which always answers
 * @dev: the device
 *
 * For any process; wp_disk_is() remembers the result.
 *
 * Return: false if that is not so, or is not known without asking a file system.
 */
bool wp_disk_look(dev_t dev)
{
	struct wp_disk disk = { .is_served = true };
	FILE *mounts;
	bool mounted;
	int sys;

	if (!major(dev))
		return false;
	if (is_root(dev))
		return true;
	mounts = fopen("/proc/self/mountinfo", "re");
	mounted = mounts && is_mounted(mounts, dev);
	if (mounts)
		fclose(mounts);
	if (!mounted)
		return false;
	sys = open("/sys", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (sys >= 0) {
		wp_disk_below(sys, dev, &disk);
		close(sys);
	}
	return !disk.is_served && !disk.nr_loops;
}

/*
 * A device that is unmounted can be mounted again as another file system. Caller holds the
 * lock.
 */
static bool have_changed(void)
{
	struct pollfd mounts = { .events = POLLPRI };

	if (disks.mounts < 0) {
		disks.mounts = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
		return true;
	}
	mounts.fd = disks.mounts;
	return poll(&mounts, 1, 0) != 0;
}

/**
 * wp_disk_is() - the same, remembered while no mount changes
 * @dev: the device
 *
 * For the recorder only, not for a child of it.
 *
 * Return: see wp_disk_look().
 */
bool wp_disk_is(dev_t dev)
{
	unsigned int i;
	bool is_disk;

	if (!major(dev))
		return false;
	pthread_mutex_lock(&disks.lock);
	if (have_changed() || disks.nr == MAX_KNOWN)
		disks.nr = 0;
	for (i = 0; i < disks.nr && disks.known[i].dev != dev; i++)
		;
	if (i == disks.nr) {
		disks.known[i].dev = dev;
		disks.known[i].is_disk = wp_disk_look(dev);
		disks.nr++;
	}
	is_disk = disks.known[i].is_disk;
	pthread_mutex_unlock(&disks.lock);
	return is_disk;
}

/* The name of a device's file in /dev. */
static bool find_name(dev_t dev, char *name, size_t size)
{
	char path[64], text[1024], *at;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/uevent", major(dev), minor(dev));
	if (read_text(AT_FDCWD, path, text, sizeof(text)) < 0)
		return false;
	at = strstr(text, "DEVNAME=");
	if (!at)
		return false;
	at += strlen("DEVNAME=");
	at[strcspn(at, "\n")] = '\0';
	return snprintf(name, size, "/dev/%s", at) < (int)size;
}

/* What the device itself says of its file. */
static bool ask_loop(dev_t loop, struct loop_info64 *info)
{
	char name[64];
	struct stat st;
	bool good;
	int fd;

	if (!find_name(loop, name, sizeof(name)))
		return false;
	fd = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return false;
	good = !fstat(fd, &st) && S_ISBLK(st.st_mode) && st.st_rdev == loop &&
		!ioctl(fd, LOOP_GET_STATUS64, info);
	close(fd);
	return good;
}

/**
 * wp_disk_backing() - find the file of a loop device
 * @loop: the device
 *
 * Asks the file's file system, which may never answer: for an opener only (opener.c). The
 * path in /sys can lead to another file by now, so that it is compared with the number
 * that the device has.
 *
 * Return: an O_PATH descriptor, or -1 with errno.
 */
int wp_disk_backing(dev_t loop)
{
	char sys[64], path[PATH_MAX];
	struct loop_info64 info;
	struct stat st;
	ssize_t n;
	int fd;

	snprintf(sys, sizeof(sys), "/sys/dev/block/%u:%u/loop/backing_file", major(loop),
		 minor(loop));
	n = read_text(AT_FDCWD, sys, path, sizeof(path));
	errno = ENODEV;
	if (n <= 1 || path[n - 1] != '\n' || !ask_loop(loop, &info))
		return -1;
	path[n - 1] = '\0';
	fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_dev == info.lo_device &&
	    st.st_ino == info.lo_inode)
		return fd;
	close(fd);
	errno = ESTALE;
	return -1;
}
