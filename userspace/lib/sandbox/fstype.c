// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the kinds of file systems. Called by openfile.c and opener.c.
 *
 * File systems that are the kernel's own store nothing, so statfs(2) says that they have
 * no blocks: that finds those which are not listed here, as later kernels add more. Those
 * that store something and may still say so are listed.
 */
#include <linux/magic.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "lib/sandbox/fstype.h"

#ifndef FUSE_SUPER_MAGIC
#define FUSE_SUPER_MAGIC	0x65735546
#endif

static bool is_in(__u32 type, const __u32 *types, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		if (types[i] == type)
			return true;
	}
	return false;
}

/* The kernel's own. */
static bool is_kernels(__u32 type)
{
	static const __u32 types[] = {
		PROC_SUPER_MAGIC, SYSFS_MAGIC, DEBUGFS_MAGIC, TRACEFS_MAGIC, SECURITYFS_MAGIC,
		SELINUX_MAGIC, SMACK_MAGIC, CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC,
		BPF_FS_MAGIC, PSTOREFS_MAGIC, EFIVARFS_MAGIC, BINFMTFS_MAGIC, RDTGROUP_SUPER_MAGIC,
		DEVPTS_SUPER_MAGIC, NSFS_MAGIC, SOCKFS_MAGIC, PIPEFS_MAGIC, ANON_INODE_FS_MAGIC,
		AUTOFS_SUPER_MAGIC, OPENPROM_SUPER_MAGIC, USBDEVICE_SUPER_MAGIC, XENFS_SUPER_MAGIC,
		0x0a647361,	/* functionfs */
		0x19800202,	/* mqueue */
		0x23c9b64e,	/* spufs */
		0x444d4142,	/* dmabuf */
		0x454d444d,	/* devmem */
		0x474d454d,	/* guest_memfd */
		0x50494446,	/* pidfs */
		0x5345434d,	/* secretmem */
		0x5a3c69f0,	/* apparmorfs */
		0x62656570,	/* configfs */
		0x65735543,	/* fusectl */
		0x67596969,	/* rpc_pipefs */
		0x6c6f6f70,	/* binderfs */
		0x6e667364,	/* nfsd */
		0x76a9f425,	/* ocfs2_dlmfs */
		0xaee71ee7,	/* gadgetfs */
	};

	return is_in(type, types, sizeof(types) / sizeof(*types));
}

/* Those that never wait for a server, though they have no device. */
static bool is_local(__u32 type)
{
	static const __u32 types[] = {
		TMPFS_MAGIC, RAMFS_MAGIC, HUGETLBFS_MAGIC, BTRFS_SUPER_MAGIC,
		0x2fc12fc1,	/* zfs */
		0xca451a4e,	/* bcachefs */
	};

	return is_in(type, types, sizeof(types) / sizeof(*types));
}

/* Those that say what another file system or a server says, which may be no blocks. */
static bool is_served(__u32 type)
{
	static const __u32 types[] = {
		OVERLAYFS_SUPER_MAGIC, ECRYPTFS_SUPER_MAGIC, V9FS_MAGIC, NFS_SUPER_MAGIC,
		SMB_SUPER_MAGIC, CODA_SUPER_MAGIC, AFS_SUPER_MAGIC,
		0x00c0ffee,	/* hostfs */
		0x00c36400,	/* ceph */
		0x20030528,	/* orangefs */
		0x61756673,	/* aufs */
		0x6b414653,	/* afs, the kernel's client */
		0x786f4256,	/* vboxsf */
		0xfe534d42,	/* smb2 */
		0xff534d42,	/* cifs */
	};

	return is_in(type, types, sizeof(types) / sizeof(*types));
}

/**
 * wp_fstype_of() - find out where the files of a file system come from
 * @fs: its description, by statfs(2) or fstatfs(2)
 */
enum wp_fstype wp_fstype_of(const struct statfs *fs)
{
	__u32 type = fs->f_type;

	if (is_kernels(type))
		return WP_FSTYPE_KERNEL;
	if (is_local(type))
		return WP_FSTYPE_LOCAL;
	if (type == FUSE_SUPER_MAGIC)
		return WP_FSTYPE_FOREIGN;
	return fs->f_blocks || is_served(type) ? WP_FSTYPE_SERVED : WP_FSTYPE_KERNEL;
}
