// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of block devices: which of them always answer, by a copy of what /sys has.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/sandbox/disk.h"
#include "tap.h"

static char dir[] = "/tmp/wp-disk-XXXXXX";
static int sys;

static const char *at(const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

/* With all directories on the way. */
static void make_dir(const char *name)
{
	char path[PATH_MAX], *slash;

	snprintf(path, sizeof(path), "%s/", at(name));
	for (slash = path + strlen(dir); (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		if (mkdir(path, 0700) && errno != EEXIST)
			perror(path);
		*slash = '/';
	}
}

/* A device, or a partition of one. */
static void make(unsigned int maj, unsigned int min, const char *where)
{
	char to[PATH_MAX], link[64], name[PATH_MAX];
	FILE *f;

	snprintf(name, sizeof(name), "devices/%s", where);
	make_dir(name);
	snprintf(name, sizeof(name), "devices/%s/dev", where);
	f = fopen(at(name), "w");
	if (!f || fprintf(f, "%u:%u\n", maj, min) < 0 || fclose(f))
		perror(name);
	snprintf(to, sizeof(to), "../../devices/%s", where);
	snprintf(link, sizeof(link), "dev/block/%u:%u", maj, min);
	if (symlink(to, at(link)))
		perror(link);
}

/* @of consists of @slave. */
static void put_on(const char *of, const char *slave)
{
	char name[PATH_MAX], to[PATH_MAX];

	snprintf(name, sizeof(name), "devices/virtual/block/%s/slaves", of);
	make_dir(name);
	snprintf(name, sizeof(name), "devices/virtual/block/%s/slaves/%s", of,
		 strrchr(slave, '/') + 1);
	snprintf(to, sizeof(to), "%s/devices/%s", dir, slave);
	if (symlink(to, at(name)))
		perror(name);
}

static void is_disk(unsigned int maj, unsigned int min, const char *what)
{
	struct wp_disk disk;

	wp_disk_below(sys, makedev(maj, min), &disk);
	ok(!disk.is_served && !disk.nr_loops, "a disk: %s", what);
}

static void is_served(unsigned int maj, unsigned int min, const char *what)
{
	struct wp_disk disk;

	wp_disk_below(sys, makedev(maj, min), &disk);
	ok(disk.is_served, "none: %s", what);
}

static void is_loop(unsigned int maj, unsigned int min, unsigned int nr, const char *what)
{
	struct wp_disk disk;
	bool loops = true;
	unsigned int i;

	wp_disk_below(sys, makedev(maj, min), &disk);
	for (i = 0; i < disk.nr_loops; i++)
		loops &= major(disk.loop[i]) == 7;
	ok(!disk.is_served && disk.nr_loops == nr && loops, "its files decide: %s", what);
}

#define VDA	"pci0000:00/0000:00:02.0/virtio1/block/vda"
#define NVME	"pci0000:00/0000:00:1d.0/0000:3d:00.0/nvme/nvme0/nvme0n1"
#define PATHS	"virtual/nvme-subsystem/nvme-subsys0/nvme0n1"
#define VIRT	"virtual/block/"

static void disks(void)
{
	make(254, 0, VDA);
	make(254, 1, VDA "/vda1");
	make(259, 1, NVME "/nvme0n1p1");
	make(259, 5, PATHS);
	make(1, 0, VIRT "ram0");
	make(253, 0, VIRT "zram0");
	is_disk(254, 0, "virtio");
	is_disk(254, 1, "a partition");
	is_disk(259, 1, "NVMe");
	is_disk(259, 5, "NVMe with several paths");
	is_disk(1, 0, "memory");
	is_disk(253, 0, "compressed memory");
}

static void served(void)
{
	make(43, 0, VIRT "nbd0");
	make(43, 1, VIRT "nbd0/nbd0p1");
	make(259, 9, VIRT "ublkb0");
	make(252, 0, "rbd/0/block/rbd0");
	make(147, 0, VIRT "drbd0");
	is_served(43, 0, "nbd");
	is_served(43, 1, "a partition of nbd");
	is_served(259, 9, "ublk");
	is_served(252, 0, "rbd");
	is_served(147, 0, "what it does not know");
	is_served(8, 0, "what is not there");
}

static void stacked(void)
{
	char name[32], slave[64], last[64] = "";
	int i;

	make(7, 0, VIRT "loop0");
	make(7, 1, VIRT "loop1");
	make(259, 20, VIRT "loop1/loop1p1");
	make(252, 100, VIRT "dm-0");
	put_on("dm-0", VDA "/vda1");
	make(252, 101, VIRT "dm-1");
	put_on("dm-1", VIRT "dm-0");
	put_on("dm-1", NVME "/nvme0n1p1");
	make(252, 102, VIRT "dm-2");
	put_on("dm-2", VDA "/vda1");
	put_on("dm-2", VIRT "nbd0");
	make(252, 103, VIRT "dm-3");
	put_on("dm-3", VIRT "loop0");
	put_on("dm-3", VIRT "loop1/loop1p1");
	make(9, 0, VIRT "md0");
	put_on("md0", VIRT "dm-3");
	make(252, 104, VIRT "dm-4");
	is_loop(7, 0, 1, "a loop device");
	is_loop(259, 20, 1, "a partition of one");
	is_disk(252, 100, "LVM on a disk");
	is_disk(252, 101, "LVM on LVM and on another disk");
	is_served(252, 102, "LVM on a disk and on nbd");
	is_loop(252, 103, 2, "LVM on loop devices");
	is_loop(9, 0, 2, "RAID on that");
	is_served(252, 104, "LVM on what it cannot read");
	for (i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "dm-%d", 50 + i);
		snprintf(slave, sizeof(slave), VIRT "%s", name);
		make(252, 150 + i, slave);
		if (!*last)
			put_on(name, VDA "/vda1");
		else
			put_on(name, last);
		snprintf(last, sizeof(last), VIRT "%.20s", name);
	}
	is_disk(252, 153, "four on top of each other");
	is_served(252, 169, "twenty on top of each other");
	make(252, 200, VIRT "dm-200");
	for (i = 2; i < 20; i++) {
		snprintf(slave, sizeof(slave), VIRT "loop%d", i);
		make(7, i, slave);
		put_on("dm-200", slave);
	}
	is_served(252, 200, "too many loop devices");
}

/* By the real /sys: without a block device, and of our own root. */
static void real(void)
{
	struct stat st;

	ok(!wp_disk_is(makedev(0, 27)) && !wp_disk_look(makedev(0, 27)), "none: no device");
	ok(!wp_disk_is(makedev(4095, 1)), "none: not mounted");
	if (stat("/", &st) || !major(st.st_dev))
		ok(1, "our root # SKIP it has no block device");
	else
		ok(wp_disk_is(st.st_dev) && wp_disk_is(st.st_dev) && wp_disk_look(st.st_dev),
		   "our root, which nothing works without");
}

int main(void)
{
	char command[64];

	if (!mkdtemp(dir))
		return 1;
	make_dir("dev/block");
	sys = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	disks();
	served();
	stacked();
	real();
	close(sys);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return done() || system(command);
}
