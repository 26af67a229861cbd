/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What recording depends on, as it is on this host. See hostfacts.c; what follows from
 * it is in checkup.c.
 */
#ifndef WP_LIB_DOCTOR_HOSTFACTS_H
#define WP_LIB_DOCTOR_HOSTFACTS_H

#include <limits.h>
#include <stdbool.h>
#include <linux/types.h>

#include "lib/device/modfile.h"

/**
 * enum wp_known - a fact that may not be known, as the file that has it is missing
 * @WP_UNKNOWN: not known
 * @WP_NO: no
 * @WP_YES: yes
 */
enum wp_known {
	WP_UNKNOWN,
	WP_NO,
	WP_YES,
};

/**
 * struct wp_hostfacts - what was found
 * @release: of the kernel, "" if it is not known
 * @machine: as uname -m has it
 * @loaded: the module is loaded
 * @loaded_version: its version, "" if it is not known
 * @module_file: where it is installed for this kernel; "" if it is not
 * @signature: of this file
 * @headers: what a module is built with is there for this kernel
 * @has_config: the kernel's configuration could be read
 * @config_missing: options that it has not, of those that the module needs
 * @has_tracepoints: the list of the kernel's functions could be read
 * @tracepoints_missing: tracepoints that it has not, of those that the module needs
 * @kernel_names: addresses of the kernel's functions can be read
 * @lockdown: "none", "integrity", "confidentiality"; "" if it is not known
 * @secure_boot: the firmware checked what was booted
 * @sig_enforce: the kernel loads signed modules only
 * @paranoid: kernel.perf_event_paranoid, -100 if it is not known
 * @max_rate: kernel.perf_event_max_sample_rate, -1 if it is not known
 * @kptr_restrict: kernel.kptr_restrict, -1 if it is not known
 * @memory_kib: memory that can be had, -1 if it is not known
 * @tracefs: files of tracefs can be read
 * @user_namespace: this is not the host's user namespace
 * @device_mode: permissions of the device, 0 if there is none
 * @device_err: why it could not be opened: an errno; 0: it could
 * @abi: version of the module's interface, if it could be opened and answered, else 0
 * @abi_version: version of the module that answered
 * @follow_err: why processes cannot be followed by perf events: an errno, or 0
 * @cycles_err: why there is no counter of cycles: an errno, or 0
 * @uid: who asks
 * @may_record: has CAP_PERFMON or CAP_SYS_ADMIN
 * @may_admin: has CAP_SYS_ADMIN
 * @may_ptrace: has CAP_SYS_PTRACE
 * @may_lock: has CAP_IPC_LOCK
 * @may_syslog: has CAP_SYSLOG
 * @memlock: RLIMIT_MEMLOCK in bytes; all ones: none
 * @cpus: that are online
 * @cache: directory of the unwind tables, "" if there can be none
 * @cache_err: why it cannot be used: an errno, or 0
 * @cache_made: it is there
 * @cache_bytes: in its files
 * @output: directory of the recording
 * @output_err: why nothing can be written there: an errno, or 0
 * @output_free: bytes that are free there
 */
struct wp_hostfacts {
	char release[80];
	char machine[80];
	bool loaded;
	char loaded_version[32];
	char module_file[512];
	enum wp_signature signature;
	bool headers;
	bool has_config;
	char config_missing[128];
	bool has_tracepoints;
	char tracepoints_missing[128];
	enum wp_known kernel_names;
	char lockdown[32];
	enum wp_known secure_boot;
	enum wp_known sig_enforce;
	long paranoid;
	long max_rate;
	long kptr_restrict;
	long memory_kib;
	enum wp_known tracefs;
	bool user_namespace;

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
	char output[PATH_MAX];
	int output_err;
	__u64 output_free;
};

#define WP_PARANOID_UNKNOWN	(-100)

void wp_hostfacts_files(struct wp_hostfacts *h, const char *root);
void wp_hostfacts_ask(struct wp_hostfacts *h, const char *output);

#endif /* WP_LIB_DOCTOR_HOSTFACTS_H */
