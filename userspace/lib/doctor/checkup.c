// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the conclusions from the facts of a host: which of them prevent a recording, which
 * degrade it, and what to do. Pure. Called by wallprof doctor.
 */
#include <ctype.h>
#include <errno.h>
#include <linux/wallprof.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/doctor/checkup.h"

#define NOT_KNOWN	"not known"
#define MIB		(1ULL << 20)
/* Size of a recording at the default rate, of some minutes on a busy host. */
#define LITTLE_DISK	(256 * MIB)
/* Unwind tables of the programs of a host take tens of MiB. */
#define LITTLE_CACHE	(32 * MIB)
#define DEFAULT_RATE	4000

__attribute__((format(printf, 2, 0)))
static void set(char *to, const char *fmt, va_list ap, size_t size)
{
	vsnprintf(to, size, fmt, ap);
}

__attribute__((format(printf, 4, 5)))
static struct wp_finding *add(struct wp_checkup *c, enum wp_level level, const char *name,
			      const char *fmt, ...)
{
	struct wp_finding *f = &c->finding[c->nr++];
	va_list ap;

	f->level = level;
	f->name = name;
	va_start(ap, fmt);
	set(f->found, fmt, ap, sizeof(f->found));
	va_end(ap);
	c->count[level]++;
	return f;
}

__attribute__((format(printf, 2, 3)))
static void means(struct wp_finding *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set(f->means, fmt, ap, sizeof(f->means));
	va_end(ap);
}

__attribute__((format(printf, 2, 3)))
static void remedy(struct wp_finding *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set(f->remedy, fmt, ap, sizeof(f->remedy));
	va_end(ap);
}

/* The file is missing, or not readable for this user. That is no failure. */
static void not_known(struct wp_checkup *c, const char *name)
{
	means(add(c, WP_LEVEL_NOTE, name, NOT_KNOWN),
	      "The file that has it is missing, or this user may not read it.");
}

/* Root does not need sudo, and may not have it. */
static void drop_sudo(char *command)
{
	static const char sudo[] = "sudo ";
	const size_t len = sizeof(sudo) - 1;
	char *at;

	while ((at = strstr(command, sudo)))
		memmove(at, at + len, strlen(at + len) + 1);
}

/* Whether the kernel refuses a module without a trusted signature. */
static bool wants_signature(const struct wp_hostfacts *h)
{
	return h->sig_enforce == WP_YES || !strcmp(h->lockdown, "integrity") ||
	       !strcmp(h->lockdown, "confidentiality");
}

/* The module is there, whatever its files say: a container may not see them. */
static bool is_loaded(const struct wp_hostfacts *h)
{
	return h->loaded || h->abi;
}

/* Whether the kernel lacks something that the module requires. */
static bool lacks_something(const struct wp_hostfacts *h)
{
	return !is_loaded(h) && (h->config_missing[0] || h->tracepoints_missing[0]);
}

/* Whether DKMS builds the module for it: dkms.conf, and Documentation/kernels.rst for why. */
static bool is_for(const char *release, unsigned int major, unsigned int minor)
{
	int end = 0;

	/* Enterprise Linux 8, as 4.18.0-553.16.1.el8_10.x86_64; not its one for real time. */
	sscanf(release, "4.18.0-%*[0-9.]el8%n", &end);
	if (end)
		return release[end - 4] == '.' && !isdigit((unsigned char)release[end]);
	return major > 5 || (major == 5 && (minor == 4 || minor >= 10)) ||
	       (major == 4 && minor == 19);
}

static void check_kernel(struct wp_checkup *c, const struct wp_hostfacts *h)
{
	unsigned int major, minor;
	struct wp_finding *f;

	if (sscanf(h->release, "%u.%u", &major, &minor) != 2) {
		not_known(c, "kernel");
	} else if (!h->abi && !is_for(h->release, major, minor)) {
		f = add(c, WP_LEVEL_FAIL, "kernel", "%s %s", h->release, h->machine);
		means(f, "The module needs Linux 4.19, 5.4, 5.10 or newer, or that of Enterprise Linux 8: boot such a kernel. Reports of recordings from other hosts work here.");
	} else if (strcmp(h->machine, "x86_64") && strcmp(h->machine, "aarch64")) {
		f = add(c, WP_LEVEL_FAIL, "kernel", "%s %s", h->release, h->machine);
		means(f, "The module needs x86-64 or arm64. Reports of recordings from other hosts work here.");
	} else {
		add(c, WP_LEVEL_OK, "kernel", "%s %s", h->release, h->machine);
	}
}

static void check_config(struct wp_checkup *c, const struct wp_hostfacts *h)
{
	struct wp_finding *f;

	if (is_loaded(h)) {
		add(c, WP_LEVEL_OK, "kernel config", "has what the module needs, as it is loaded");
	} else if (!h->has_config && !h->has_tracepoints) {
		not_known(c, "kernel config");
	} else if (lacks_something(h)) {
		f = add(c, WP_LEVEL_FAIL, "kernel config", "no %s%s%s", h->config_missing,
			h->config_missing[0] && h->tracepoints_missing[0] ? ", " : "",
			h->tracepoints_missing);
		means(f, "This kernel lacks what the module is built on. Boot another one.");
	} else if (!h->has_tracepoints) {
		add(c, WP_LEVEL_OK, "kernel config",
		    "all options that the module needs; tracepoints: " NOT_KNOWN);
	} else {
		add(c, WP_LEVEL_OK, "kernel config", "all %stracepoints that the module needs",
		    h->has_config ? "options and " : "");
	}
}

static void check_module(struct wp_checkup *c, const struct wp_hostfacts *h)
{
	struct wp_finding *f;

	if (h->loaded) {
		add(c, WP_LEVEL_OK, "module", "loaded%s%s", h->loaded_version[0] ? ", version " : "",
		    h->loaded_version);
	} else if (h->abi) {
		add(c, WP_LEVEL_OK, "module", "loaded");
	} else if (h->no_loading) {
		f = add(c, WP_LEVEL_FAIL, "module", "not loaded; kernel.modules_disabled is 1");
		means(f, "Recording needs the module, and this kernel loads no module until the next boot. Load it there before the setting is made: modules-load.d(5) does.");
		remedy(f, "grep -rs modules_disabled /etc/sysctl.conf /etc/sysctl.d /usr/lib/sysctl.d");
	} else if (h->module_file[0] && !h->module_fits) {
		f = add(c, WP_LEVEL_FAIL, "module", "not loaded; installed: %s, built for %.*s",
			h->module_file, (int)strcspn(h->module.vermagic, " "), h->module.vermagic);
		means(f, "Recording needs the module, and this kernel loads none of another kernel: 'Invalid module format'. Build it for %s.",
		      h->release);
		remedy(f, "modinfo -F vermagic %s", h->module_file);
	} else if (h->module_file[0]) {
		f = add(c, WP_LEVEL_FAIL, "module", "not loaded; installed: %s", h->module_file);
		if (h->module.version[0] && strverscmp(h->module.version, WP_VERSION) < 0)
			means(f, "Recording needs the module. This one is %s: if wallprof %s finds it too old, install the module of the same release.",
			      h->module.version, WP_VERSION);
		else
			means(f, "Recording needs the module.");
		remedy(f, "sudo modprobe wallprof");
	} else if (lacks_something(h)) {
		f = add(c, WP_LEVEL_FAIL, "module", "not loaded");
		means(f, "Recording needs the module, which this kernel cannot have.");
	} else {
		f = add(c, WP_LEVEL_FAIL, "module", "not loaded, none installed for %s",
			h->release[0] ? h->release : "this kernel");
		means(f, "Recording needs the module: that of the package wallprof-dkms, or of 'make install' in the source tree, or of 'make -C src module' in the bundle, for insmod src/wallprof.ko.");
		if (h->dkms)
			remedy(f, "sudo dkms autoinstall && sudo modprobe wallprof");
	}
}

/* Names of packages have the flavour, which is behind the last '-' of a release. */
static void headers_remedy(struct wp_finding *f, const struct wp_hostfacts *h)
{
	const char *flavour = strrchr(h->release, '-');
	bool special = flavour && (!strcmp(flavour, "-lts") || !strcmp(flavour, "-zen") ||
				   !strcmp(flavour, "-hardened"));

	switch (h->distro) {
	case WP_DISTRO_DEBIAN:
		remedy(f, "sudo apt-get install linux-headers-%s", h->release);
		break;
	case WP_DISTRO_RHEL:
		remedy(f, "sudo dnf install kernel-devel-%s", h->release);
		break;
	case WP_DISTRO_SUSE:
		remedy(f, "sudo zypper install kernel%s-devel", flavour ? flavour : "-default");
		break;
	case WP_DISTRO_ARCH:
		remedy(f, "sudo pacman -S linux%s-headers", special ? flavour : "");
		break;
	case WP_DISTRO_OTHER:
		break;
	}
}

static void check_headers(struct wp_checkup *c, const struct wp_hostfacts *h)
{
	struct wp_finding *f;

	if (h->headers) {
		add(c, WP_LEVEL_OK, "headers", "installed for this kernel");
	} else if (lacks_something(h)) {
		add(c, WP_LEVEL_OK, "headers", "none for this kernel, and of no use");
	} else if (is_loaded(h) || h->module_file[0]) {
		add(c, WP_LEVEL_OK, "headers", "none for this kernel; the module is built already");
	} else {
		f = add(c, WP_LEVEL_NOTE, "headers", "none for this kernel");
		means(f, "The module cannot be built here, DKMS included, without the files for building modules of exactly this kernel.");
		headers_remedy(f, h);
	}
}

static void check_signature(struct wp_checkup *c, const struct wp_hostfacts *h)
{
	static const char *const states[] = { NOT_KNOWN, "off", "on" };
	bool wanted = wants_signature(h);
	struct wp_finding *f;
	enum wp_level level = WP_LEVEL_OK;

	if (wanted && !is_loaded(h)) {
		level = h->module_file[0] && h->module.signature == WP_SIGNATURE_NONE ?
			WP_LEVEL_FAIL : WP_LEVEL_NOTE;
	}
	f = add(c, level, "Secure Boot", "%s; modules without a signature: %s",
		states[h->secure_boot], wanted ? "refused" :
		h->sig_enforce == WP_UNKNOWN && !h->lockdown[0] ? NOT_KNOWN : "accepted");
	if (level == WP_LEVEL_OK)
		return;
	if (level == WP_LEVEL_FAIL) {
		means(f, "%s has no signature, so this kernel refuses it. Sign it with a key that is enrolled: see SIGNED MODULES in 'man wallprof'.",
		      h->module_file);
	} else if (h->secure_boot == WP_YES && h->mok && h->mok[0]) {
		means(f, "The module must be signed with a key that this kernel trusts: see SIGNED MODULES in 'man wallprof'. The key of this host is enrolled by this command, and confirmed at the next boot.");
		remedy(f, "sudo mokutil --import %s", h->mok);
	} else if (h->secure_boot == WP_YES) {
		means(f, "The module must be signed with a key that this kernel trusts, and no key of this host was found: see SIGNED MODULES in 'man wallprof'.");
	} else {
		means(f, "The module must be signed with a key that this kernel trusts: see SIGNED MODULES in 'man wallprof'. Without Secure Boot the kernel's command line may demand it, by module.sig_enforce or lockdown=.");
		remedy(f, "cat /proc/cmdline");
	}
}

static void check_lockdown(struct wp_checkup *c, const struct wp_hostfacts *h)
{
	struct wp_finding *f;

	if (!strcmp(h->lockdown, "confidentiality")) {
		f = add(c, WP_LEVEL_FAIL, "lockdown", "%s", h->lockdown);
		means(f, "Nothing may read memory of this kernel, perf included, until the next boot. Look for lockdown= on its command line.");
		remedy(f, "cat /proc/cmdline");
	} else if (h->lockdown[0]) {
		add(c, WP_LEVEL_OK, "lockdown", "%s", h->lockdown);
	} else {
		not_known(c, "lockdown");
	}
}

/* Why the device was refused; privileges are a check of their own. */
static void device_refused(struct wp_finding *f, const struct wp_hostfacts *h)
{
	if (!h->may_record) {
		means(f, "Opening it needs root or CAP_PERFMON; its mode alone allows nobody.");
		remedy(f, "sudo %s doctor", h->program);
	} else if (h->device_err == EACCES && (h->device_mode & 0666) != 0666) {
		means(f, "The mode of the device refuses user %u. The module makes it 0666; a udev rule may have changed it for a group.",
		      h->uid);
		remedy(f, "sudo chmod 666 " WALLPROF_DEVICE);
	} else if (!strcmp(h->lockdown, "confidentiality")) {
		means(f, "The kernel is locked down: see below.");
	} else if (h->user_namespace) {
		means(f, "Rights of this user namespace are not enough. Record on the host, or in a container without a user namespace.");
	} else {
		means(f, "A security policy refuses it, despite CAP_PERFMON. Look for a container's device list, SELinux or AppArmor.");
	}
}

static void check_device(struct wp_checkup *c, const struct wp_hostfacts *h)
{
	struct wp_finding *f;
	char mode[32] = "";

	if (h->device_mode)
		snprintf(mode, sizeof(mode), " (mode %04o)", h->device_mode);
	if (!h->device_err) {
		add(c, WP_LEVEL_OK, "device", WALLPROF_DEVICE " opens%s", mode);
		return;
	}
	f = add(c, WP_LEVEL_FAIL, "device", WALLPROF_DEVICE "%s: %s", mode,
		strerror(h->device_err));
	switch (h->device_err) {
	case ENOENT:
	case ENXIO:
	case ENODEV:
		if (h->loaded)
			means(f, "The module is loaded, but its device is not here. A container must be given it: docker run --device %s --cap-add PERFMON.",
			      WALLPROF_DEVICE);
		else
			means(f, "It comes with the module: load that first.");
		break;
	case EACCES:
	case EPERM:
		device_refused(f, h);
		break;
	case EUSERS:
		means(f, "Too many recordings run. End one first; this command lists them.");
		remedy(f, "sudo fuser -v " WALLPROF_DEVICE);
		break;
	default:
		means(f, "The module could not begin a session. The kernel log may have the cause.");
		remedy(f, "sudo dmesg | tail -n 20");
	}
}

static void check_interface(struct wp_checkup *c, const struct wp_hostfacts *h)
{
	struct wp_finding *f;

	if (h->device_err) {
		/*
		 * There was no answer. The version in /sys may or may not be of the same
		 * release.
		 */
		if (h->loaded && h->loaded_version[0] && strcmp(h->loaded_version, WP_VERSION)) {
			f = add(c, WP_LEVEL_NOTE, "interface", "module %s, wallprof %s",
				h->loaded_version, WP_VERSION);
			means(f, "They are of two releases. A module may be newer than wallprof, not older.");
			remedy(f, "sudo %s doctor", h->program);
		} else {
			f = add(c, WP_LEVEL_NOTE, "interface", NOT_KNOWN);
			means(f, "The device was not opened.");
		}
	} else if (!h->abi) {
		f = add(c, WP_LEVEL_FAIL, "interface", WALLPROF_DEVICE " does not answer");
		means(f, "What is there is not the device of the module.");
		remedy(f, "ls -l " WALLPROF_DEVICE);
	} else if (h->abi < WALLPROF_ABI_VERSION) {
		f = add(c, WP_LEVEL_FAIL, "interface", "version %u; wallprof needs %u", h->abi,
			WALLPROF_ABI_VERSION);
		means(f, "The loaded module (%s) is older than this wallprof (%s). Install the module of the same release, end all recordings, and load it.",
		      h->abi_version, WP_VERSION);
		remedy(f, "sudo modprobe -r wallprof && sudo modprobe wallprof");
	} else {
		add(c, WP_LEVEL_OK, "interface", "version %u; wallprof needs %u or newer", h->abi,
		    WALLPROF_ABI_VERSION);
	}
}

static void check_rights(struct wp_checkup *c, const struct wp_hostfacts *h)
{
	struct wp_finding *f;

	if (h->may_record) {
		add(c, WP_LEVEL_OK, "rights", "user %u, may record", h->uid);
	} else {
		f = add(c, WP_LEVEL_FAIL, "rights", "user %u, without CAP_PERFMON", h->uid);
		means(f, "Recording needs root or CAP_PERFMON. RIGHTS in 'man wallprof' has how a group gets it.");
		remedy(f, "sudo %s record", h->program);
	}
	if (h->may_ptrace) {
		add(c, WP_LEVEL_OK, "user stacks", "by unwind tables, of all processes");
	} else {
		f = add(c, WP_LEVEL_NOTE, "user stacks", "no CAP_SYS_PTRACE");
		means(f, "Processes of others are unwound by frame pointer only, so many of their stacks end early.");
		remedy(f, "sudo %s record", h->program);
	}
}

static void check_paranoid(struct wp_checkup *c, const struct wp_hostfacts *h)
{
	static const char name[] = "perf_event_paranoid";
	bool denied = h->follow_err == EACCES || h->follow_err == EPERM;
	struct wp_finding *f;
	char value[24] = NOT_KNOWN;

	if (h->paranoid != WP_PARANOID_UNKNOWN)
		snprintf(value, sizeof(value), "%ld", h->paranoid);
	/* What values above 2 mean differs between kernels: to some they are 2. */
	if (h->paranoid > 2 && !h->may_admin && denied) {
		f = add(c, WP_LEVEL_FAIL, name, "%s", value);
		means(f, "Above 2, perf events need CAP_SYS_ADMIN.");
		remedy(f, "sudo sysctl kernel.perf_event_paranoid=2");
	} else if (h->follow_err && (h->may_record || !denied)) {
		f = add(c, WP_LEVEL_FAIL, name, "%s, but perf_event_open: %s", value,
			strerror(h->follow_err));
		means(f, "Perf events are refused, despite the rights. Look for a container's seccomp filter, SELinux or AppArmor: Seccomp is 2 where there is a filter.");
		remedy(f, "grep Seccomp: /proc/self/status");
	} else if (h->paranoid == WP_PARANOID_UNKNOWN) {
		not_known(c, name);
	} else {
		add(c, WP_LEVEL_OK, name, "%s", value);
	}
}

static void check_rate(struct wp_checkup *c, const struct wp_hostfacts *h)
{
	static const char name[] = "sample rate";
	struct wp_finding *f;

	if (h->max_rate < 0) {
		not_known(c, name);
	} else if (h->max_rate < DEFAULT_RATE) {
		f = add(c, WP_LEVEL_NOTE, name, "at most %ld per second", h->max_rate);
		means(f, "The default of wallprof record is %u; fewer samples are taken. The kernel lowers the limit when samples take long.",
		      DEFAULT_RATE);
		remedy(f, "sudo sysctl kernel.perf_event_max_sample_rate=100000");
	} else {
		add(c, WP_LEVEL_OK, name, "at most %ld per second", h->max_rate);
	}
}

static void check_names(struct wp_checkup *c, const struct wp_hostfacts *h)
{
	static const char name[] = "kptr_restrict";
	struct wp_finding *f;
	char value[24] = NOT_KNOWN;

	if (h->kptr_restrict >= 0)
		snprintf(value, sizeof(value), "%ld", h->kptr_restrict);
	if (h->kernel_names != WP_NO) {
		add(c, WP_LEVEL_OK, name, "%s; names of the kernel's functions: %s", value,
		    h->kernel_names == WP_YES ? "shown" : NOT_KNOWN);
		return;
	}
	f = add(c, WP_LEVEL_NOTE, name, "%s; names of the kernel's functions: hidden", value);
	if (h->kptr_restrict > 1) {
		means(f, "Kernel functions are numbers in reports, for root too.");
		remedy(f, "sudo sysctl kernel.kptr_restrict=1");
	} else {
		means(f, "Kernel functions are numbers in reports: that takes CAP_SYSLOG.");
		remedy(f, "sudo %s record", h->program);
	}
}

static void check_counter(struct wp_checkup *c, const struct wp_hostfacts *h)
{
	static const char name[] = "CPU counter";
	struct wp_finding *f;

	switch (h->cycles_err) {
	case 0:
		add(c, WP_LEVEL_OK, name, "cycles, by hardware");
		break;
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		f = add(c, WP_LEVEL_NOTE, name, "cpu-clock; %s", h->cycles_err == EOPNOTSUPP ?
			"the hardware counter of cycles has no interrupts" :
			"no hardware counter of cycles");
		means(f, "Samples come from a timer, as on most virtual machines: fine for where time goes, blind where interrupts are off.");
		break;
	default:
		f = add(c, WP_LEVEL_NOTE, name, "%s, perf_event_open: %s", NOT_KNOWN,
			strerror(h->cycles_err));
		means(f, "If there is no hardware counter, samples come from cpu-clock.");
	}
}

static void check_locked(struct wp_checkup *c, const struct wp_hostfacts *h, __u64 tables)
{
	static const char name[] = "locked memory";
	struct wp_finding *f;

	if (h->may_lock || h->memlock == ~0ULL) {
		add(c, WP_LEVEL_OK, name, "no limit");
	} else if (h->memlock < tables) {
		f = add(c, WP_LEVEL_FAIL, name, "at most %llu KiB, without CAP_IPC_LOCK",
			(unsigned long long)h->memlock >> 10);
		means(f, "Tables of %u CPUs take at least %llu KiB. Raise the limit (ulimit -l), or record with a smaller -m.",
		      h->cpus, (unsigned long long)tables >> 10);
		remedy(f, "sudo prlimit --pid $$ --memlock=unlimited");
	} else {
		add(c, WP_LEVEL_OK, name, "at most %llu KiB", (unsigned long long)h->memlock >> 10);
	}
}

static void check_memory(struct wp_checkup *c, const struct wp_hostfacts *h, __u64 tables)
{
	struct wp_finding *f;

	if (h->memory_kib < 0) {
		not_known(c, "memory");
	} else if ((__u64)h->memory_kib << 10 < 2 * tables) {
		f = add(c, WP_LEVEL_NOTE, "memory", "%ld MiB available", h->memory_kib >> 10);
		means(f, "Tables of %u CPUs take %llu MiB or more. Record with a smaller -m.",
		      h->cpus, (unsigned long long)(tables / MIB));
		remedy(f, "sudo %s record -m 128K", h->program);
	} else {
		add(c, WP_LEVEL_OK, "memory", "%ld MiB available, tables take about %llu",
		    h->memory_kib >> 10, (unsigned long long)(tables / MIB));
	}
}

static void check_cache(struct wp_checkup *c, const struct wp_hostfacts *h)
{
	static const char name[] = "unwind cache";
	struct wp_finding *f;

	if (h->cache[0] && !h->cache_err && h->cache_free < LITTLE_CACHE) {
		f = add(c, WP_LEVEL_NOTE, name, "%s: %llu MiB free", h->cache,
			(unsigned long long)(h->cache_free / MIB));
		means(f, "Unwind tables may not fit; those that do not are built again for each recording.");
		if (h->cache_made)
			remedy(f, "df -h %s", h->cache);
		return;
	}
	if (h->cache[0] && !h->cache_err) {
		if (h->cache_made)
			add(c, WP_LEVEL_OK, name, "%s, %llu KiB", h->cache,
			    (unsigned long long)h->cache_bytes >> 10);
		else
			add(c, WP_LEVEL_OK, name, "%s, made when it is needed", h->cache);
		return;
	}
	f = add(c, WP_LEVEL_NOTE, name, "%s: %s", h->cache[0] ? h->cache : "none",
		h->cache[0] ? strerror(h->cache_err) : "no home directory");
	means(f, "Unwind tables are built again for each recording: its first seconds have more stacks that end early.");
	if (h->cache_made)
		remedy(f, "ls -ld %s", h->cache);
}

/* Names for what recordings are not written to, where that of errno would not help. */
static const char *disk_error(int err)
{
	switch (err) {
	case ESPIPE:
		return "a pipe or a socket, not a file";
	case ENXIO:
		return "a device, not a file";
	case EXDEV:
		return "a directory behind a link of another user";
	case EEXIST:
		return "a file of that name is another user's, who alone can replace it";
	case ENOSPC:
		return "no free space, or no free inodes";
	default:
		return strerror(err);
	}
}

static void check_disk(struct wp_checkup *c, const struct wp_hostfacts *h)
{
	struct wp_finding *f;

	if (h->output_err) {
		f = add(c, WP_LEVEL_FAIL, "disk", "%s: %s", h->output, disk_error(h->output_err));
		means(f, "A recording cannot be written there. Name another place.");
		if (h->output_err == ENOSPC)
			remedy(f, "df -h . && df -i .");
		else
			remedy(f, "%s record -o /tmp/perf.data", h->program);
	} else if (h->output_free < LITTLE_DISK) {
		f = add(c, WP_LEVEL_NOTE, "disk", "%s: %llu MiB free", h->output,
			(unsigned long long)(h->output_free / MIB));
		means(f, "A long recording may not fit.");
		remedy(f, "df -h .");
	} else {
		add(c, WP_LEVEL_OK, "disk", "%s: %llu MiB free", h->output,
		    (unsigned long long)(h->output_free / MIB));
	}
}

static void check_tracefs(struct wp_checkup *c, const struct wp_hostfacts *h)
{
	struct wp_finding *f;

	if (h->tracefs == WP_YES) {
		add(c, WP_LEVEL_OK, "tracefs", "readable");
		return;
	}
	f = add(c, WP_LEVEL_NOTE, "tracefs", "%s", h->tracefs == WP_NO ? "not readable" :
		"not mounted");
	means(f, "'wallprof sched record' and 'record --timeline' need it; other commands do not.");
	if (h->tracefs == WP_NO)
		remedy(f, "sudo %s sched record", h->program);
	else
		remedy(f, "sudo mount -t tracefs nodev /sys/kernel/tracing");
}

/**
 * wp_checkup() - draw conclusions from the facts
 * @c: set to the findings
 * @h: the facts
 * @tables: minimum size of a recording's tables in bytes
 */
void wp_checkup(struct wp_checkup *c, const struct wp_hostfacts *h, __u64 tables)
{
	size_t i;

	memset(c, 0, sizeof(*c));
	check_kernel(c, h);
	check_config(c, h);
	check_headers(c, h);
	check_module(c, h);
	check_device(c, h);
	check_interface(c, h);
	check_signature(c, h);
	check_lockdown(c, h);
	check_rights(c, h);
	check_paranoid(c, h);
	check_locked(c, h, tables);
	check_memory(c, h, tables);
	check_cache(c, h);
	check_disk(c, h);
	check_counter(c, h);
	check_rate(c, h);
	check_names(c, h);
	check_tracefs(c, h);
	for (i = 0; !h->uid && i < c->nr; i++)
		drop_sudo(c->finding[i].remedy);
}

/**
 * wp_level_name() - name of a result
 * @level: the result
 *
 * Return: a word.
 */
const char *wp_level_name(enum wp_level level)
{
	static const char *const names[WP_LEVELS] = { "ok", "note", "fail" };

	return names[level];
}
