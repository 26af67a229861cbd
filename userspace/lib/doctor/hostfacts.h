/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Facts that recording depends on, on this host. See hostfacts.c; conclusions are in
 * checkup.c.
 */
#ifndef WP_LIB_DOCTOR_HOSTFACTS_H
#define WP_LIB_DOCTOR_HOSTFACTS_H

#include <limits.h>
#include <stdbool.h>
#include <linux/types.h>

#include "lib/device/modfile.h"

/**
 * enum wp_known - a fact that may be unknown, as its file is missing
 * @WP_UNKNOWN: unknown
 * @WP_NO: no
 * @WP_YES: yes
 */
enum wp_known {
	WP_UNKNOWN,
	WP_NO,
	WP_YES,
};

/**
 * enum wp_distro - what the host installs packages with
 * @WP_DISTRO_OTHER: unknown
 * @WP_DISTRO_DEBIAN: apt
 * @WP_DISTRO_RHEL: dnf
 * @WP_DISTRO_SUSE: zypper
 * @WP_DISTRO_ARCH: pacman
 */
enum wp_distro {
	WP_DISTRO_OTHER,
	WP_DISTRO_DEBIAN,
	WP_DISTRO_RHEL,
	WP_DISTRO_SUSE,
	WP_DISTRO_ARCH,
};

/**
 * struct wp_hostfacts - the facts
 * @release: release of the kernel, "" if unknown
 * @machine: as in uname -m
 * @distro: the distribution, or one that it is derived from
 * @loaded: the module is loaded
 * @loaded_version: its version, "" if unknown
 * @module_file: its installed file for this kernel; "" if there is none
 * @module: what this file has for the kernel
 * @module_fits: a kernel of this release loads it, signed or not
 * @dkms: DKMS has the module's source
 * @no_loading: no module can be loaded until the next boot
 * @headers: the files for building a module are there for this kernel
 * @has_config: the kernel's configuration could be read
 * @config_missing: required options that are not set
 * @has_tracepoints: the list of the kernel's functions could be read
 * @tracepoints_missing: required tracepoints that it lacks
 * @kernel_names: addresses of the kernel's functions can be read
 * @lockdown: "none", "integrity", "confidentiality"; "" if unknown
 * @secure_boot: the firmware verified what was booted
 * @mok: the certificate of DKMS's or the distribution's key, "" if there is none
 * @sig_enforce: the kernel loads signed modules only
 * @paranoid: kernel.perf_event_paranoid, -100 if unknown
 * @max_rate: kernel.perf_event_max_sample_rate, -1 if unknown
 * @kptr_restrict: kernel.kptr_restrict, -1 if unknown
 * @memory_kib: available memory, -1 if unknown
 * @tracefs: files of tracefs can be read
 * @user_namespace: this is not the host's user namespace
 * @program: this program in a command line: its name if sudo finds it, else its path
 * @device_mode: permissions of the device, 0 if there is none
 * @device_err: errno of opening the device, or 0
 * @abi: version of the module's interface, if it could be opened and answered, else 0
 * @abi_version: version of the module that answered
 * @follow_err: errno of following processes by perf events, or 0
 * @cycles_err: errno of opening a counter of cycles, or 0
 * @uid: the user
 * @may_record: has CAP_PERFMON or CAP_SYS_ADMIN
 * @may_admin: has CAP_SYS_ADMIN
 * @may_ptrace: has CAP_SYS_PTRACE
 * @may_lock: has CAP_IPC_LOCK
 * @may_syslog: has CAP_SYSLOG
 * @memlock: RLIMIT_MEMLOCK in bytes; all ones: unlimited
 * @cpus: number of online CPUs
 * @cache: directory of the unwind tables, "" if there is none
 * @cache_err: errno of using it, or 0
 * @cache_made: it exists
 * @cache_bytes: size of its files
 * @cache_free: bytes that are free there
 * @output: directory of the recording, or its own name if that cannot be replaced
 * @output_err: errno of writing there, or 0; as of wp_outpath_probe(), and ENOSPC, and
 *              EEXIST for the file of another user in a directory like /tmp
 * @output_free: bytes that are free there
 */
struct wp_hostfacts {
	char release[80];
	char machine[80];
	enum wp_distro distro;
	bool loaded;
	char loaded_version[32];
	char module_file[512];
	struct wp_modfile module;
	bool module_fits;
	bool dkms;
	bool no_loading;
	bool headers;
	bool has_config;
	char config_missing[128];
	bool has_tracepoints;
	char tracepoints_missing[128];
	enum wp_known kernel_names;
	char lockdown[32];
	enum wp_known secure_boot;
	const char *mok;
	enum wp_known sig_enforce;
	long paranoid;
	long max_rate;
	long kptr_restrict;
	long memory_kib;
	enum wp_known tracefs;
	bool user_namespace;

	char program[PATH_MAX];
	unsigned int device_mode;
	int device_err;
	__u32 abi;
	char abi_version[32];
	int follow_err;
	int cycles_err;
	unsigned int uid;
	bool may_record;
	bool may_admin;
	bool may_ptrace;
	bool may_lock;
	bool may_syslog;
	__u64 memlock;
	unsigned int cpus;
	char cache[PATH_MAX];
	int cache_err;
	bool cache_made;
	__u64 cache_bytes;
	__u64 cache_free;
	char output[PATH_MAX];
	int output_err;
	__u64 output_free;
};

#define WP_PARANOID_UNKNOWN	(-100)

void wp_hostfacts_files(struct wp_hostfacts *h, const char *root);
void wp_hostfacts_ask(struct wp_hostfacts *h, const char *output);

#endif /* WP_LIB_DOCTOR_HOSTFACTS_H */
