// SPDX-License-Identifier: GPL-2.0
/* Which file systems' files are opened, as they describe themselves, and as mounted here. */
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>

#include "lib/sandbox/fstype.h"
#include "tap.h"

static enum wp_fstype of(unsigned int type, unsigned int blocks)
{
	struct statfs fs = { .f_type = type, .f_blocks = blocks };

	return wp_fstype_of(&fs);
}

static void described(void)
{
	static const struct {
		const char *name;
		unsigned int type;
	} kernels[] = {
		{ "proc", 0x9fa0 }, { "nfsd", 0x6e667364 }, { "binderfs", 0x6c6f6f70 },
		{ "xenfs", 0xabba1974 }, { "pidfs", 0x50494446 }, { "secretmem", 0x5345434d },
		{ "functionfs", 0x0a647361 },
	}, others[] = {
		{ "overlay", 0x794c7630 }, { "9p", 0x01021997 }, { "nfs", 0x6969 },
		{ "cifs", 0xff534d42 },
	}, locals[] = {
		{ "tmpfs", 0x01021994 }, { "btrfs", 0x9123683e }, { "ramfs", 0x858458f6 },
	};
	size_t i;

	for (i = 0; i < sizeof(kernels) / sizeof(*kernels); i++)
		ok(of(kernels[i].type, 0) == WP_FSTYPE_KERNEL &&
		   of(kernels[i].type, 1) == WP_FSTYPE_KERNEL, "%s is the kernel's own",
		   kernels[i].name);
	for (i = 0; i < sizeof(others) / sizeof(*others); i++)
		ok(of(others[i].type, 0) == WP_FSTYPE_SERVED &&
		   of(others[i].type, 1) == WP_FSTYPE_SERVED, "%s may have a server",
		   others[i].name);
	for (i = 0; i < sizeof(locals) / sizeof(*locals); i++)
		ok(of(locals[i].type, 0) == WP_FSTYPE_LOCAL &&
		   of(locals[i].type, 1) == WP_FSTYPE_LOCAL, "%s has none", locals[i].name);
	ok(of(0x65735546, 0) == WP_FSTYPE_FOREIGN && of(0x65735546, 1) == WP_FSTYPE_FOREIGN,
	   "fuse is a program");
	ok(of(0x12345678, 0) == WP_FSTYPE_KERNEL, "one that stores nothing is the kernel's");
	ok(of(0x12345678, 1) == WP_FSTYPE_SERVED, "one that does may have a server");
}

/* The kernel's own among what is mounted here, by the names of their types. */
static void mounted(void)
{
	static const char *const kernels[] = {
		"proc", "sysfs", "devpts", "debugfs", "tracefs", "securityfs", "cgroup", "cgroup2",
		"bpf", "pstore", "efivarfs", "binfmt_misc", "configfs", "fusectl", "mqueue", "nsfs",
		"rpc_pipefs", "nfsd", "selinuxfs", "binder", "xenfs", "resctrl",
	};
	char line[8192], where[4096], type[256];
	FILE *f = fopen("/proc/self/mounts", "r");
	unsigned int nr = 0, wrong = 0;
	struct statfs fs;
	size_t i;

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%*s %4095s %255s", where, type) != 2)
			continue;
		for (i = 0; i < sizeof(kernels) / sizeof(*kernels); i++) {
			if (strcmp(type, kernels[i]) || statfs(where, &fs))
				continue;
			nr++;
			if (wp_fstype_of(&fs) == WP_FSTYPE_KERNEL)
				continue;
			wrong++;
			printf("# %s at %s: type %#lx\n", type, where, (unsigned long)fs.f_type);
		}
	}
	if (f)
		fclose(f);
	ok(nr && !wrong, "%u mounts of the kernel's own file systems here are known as such", nr);
}

int main(void)
{
	described();
	mounted();
	return done();
}
