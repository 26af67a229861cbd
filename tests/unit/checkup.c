// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of what wallprof doctor concludes: one fact is wrong at a time.
 */
#include <errno.h>
#include <linux/wallprof.h>
#include <stdlib.h>
#include <string.h>

#include "lib/doctor/checkup.h"
#include "tap.h"

#define TABLES	(8 << 20)

/* A host on which all is well, for a user who is not root. */
static const struct wp_hostfacts well = {
	.release = "6.1.0-56-amd64", .machine = "x86_64", .distro = WP_DISTRO_DEBIAN,
	.loaded = true, .module_fits = true, .headers = true, .has_config = true, .has_tracepoints = true,
	.kernel_names = WP_YES, .lockdown = "none", .secure_boot = WP_NO, .sig_enforce = WP_NO,
	.paranoid = 2, .max_rate = 100000, .kptr_restrict = 0, .memory_kib = 1 << 20,
	.tracefs = WP_YES, .device_mode = 0666, .abi = WALLPROF_ABI_VERSION,
	.abi_version = "1.0", .uid = 1000, .may_record = true, .may_admin = true,
	.may_ptrace = true, .may_lock = true, .may_syslog = true, .memlock = ~0ULL, .cpus = 2, .program = "wallprof",
	.cache = "/var/cache/wallprof/unwind", .cache_free = 1ULL << 40,
	.output = "/tmp", .output_free = 1ULL << 40,
};

static struct wp_hostfacts h;
static struct wp_checkup c;

static const struct wp_finding *find(const char *name)
{
	static const struct wp_finding none = { .name = "none", .level = WP_LEVELS };
	size_t i;

	for (i = 0; i < c.nr; i++) {
		if (!strcmp(c.finding[i].name, name))
			return &c.finding[i];
	}
	return &none;
}

/*
 * The check has this result, says what it means and what to do, and it is the only one
 * that is not ok. Begins anew with a host on which all is well.
 */
static void expect(const char *what, const char *name, enum wp_level level, const char *means,
		   const char *command)
{
	const struct wp_finding *f;

	wp_checkup(&c, &h, TABLES);
	f = find(name);
	ok(f->level == level && strstr(f->means, means) && !strcmp(f->remedy, command) &&
	   c.count[WP_LEVEL_OK] == c.nr - 1, "%s: %s: %s. %s $ %s", what,
	   f->level < WP_LEVELS ? wp_level_name(f->level) : "?", f->found, f->means, f->remedy);
	h = well;
}

static void has(const char *what, const char *name, enum wp_level level, const char *means,
		const char *command)
{
	const struct wp_finding *f;

	wp_checkup(&c, &h, TABLES);
	f = find(name);
	ok(f->level == level && strstr(f->means, means) && !strcmp(f->remedy, command),
	   "%s: %s: %s. %s $ %s", what, f->level < WP_LEVELS ? wp_level_name(f->level) : "?",
	   f->found, f->means, f->remedy);
}

static void test_well(void)
{
	size_t i;

	h = well;
	wp_checkup(&c, &h, TABLES);
	ok(c.nr == c.count[WP_LEVEL_OK], "all is well in %zu checks", c.nr);
	for (i = 0; i < c.nr; i++)
		ok(c.finding[i].found[0] && !c.finding[i].means[0] && !c.finding[i].remedy[0],
		   "%s: %s", c.finding[i].name, c.finding[i].found);
}

static void test_kernel(void)
{
	/* Those of tests/install/dkms/conf.test. */
	static const char *const el8[] = {
		"4.18.0-394.el8.x86_64", "4.18.0-553.el8_10.x86_64",
		"4.18.0-553.16.1.el8_10.x86_64",
	};
	static const char *const not_el8[] = {
		"4.18.0-553", "4.18.0-25-generic", "4.18.0-553.rt7.342.el8_10.x86_64",
		"4.18.0-193.el80.x86_64", "4.18.20-1.el8.elrepo.x86_64", "4.18.0-el8",
	};
	size_t i;

	strcpy(h.release, "4.18.20");
	wp_checkup(&c, &h, TABLES);
	ok(c.nr == c.count[WP_LEVEL_OK], "an old kernel on which the module answers");
	h.abi = 0;
	strcpy(h.release, "5.9.0");
	has("too old", "kernel", WP_LEVEL_FAIL, "4.19, 5.4, 5.10 or newer", "");
	strcpy(h.release, "5.3.18");
	has("too old", "kernel", WP_LEVEL_FAIL, "4.19, 5.4, 5.10 or newer", "");
	strcpy(h.release, "5.4.0-216-generic");
	wp_checkup(&c, &h, TABLES);
	ok(find("kernel")->level == WP_LEVEL_OK, "5.4 is not too old");
	strcpy(h.release, "4.19.0-27-cloud-amd64");
	wp_checkup(&c, &h, TABLES);
	ok(find("kernel")->level == WP_LEVEL_OK, "4.19 is not too old");
	strcpy(h.release, "4.20.17");
	has("too old", "kernel", WP_LEVEL_FAIL, "4.19, 5.4, 5.10 or newer", "");
	for (i = 0; i < sizeof(el8) / sizeof(el8[0]); i++) {
		strcpy(h.release, el8[i]);
		wp_checkup(&c, &h, TABLES);
		ok(find("kernel")->level == WP_LEVEL_OK, "%s is not too old", el8[i]);
	}
	for (i = 0; i < sizeof(not_el8) / sizeof(not_el8[0]); i++) {
		strcpy(h.release, not_el8[i]);
		has("too old", "kernel", WP_LEVEL_FAIL, "or that of Enterprise Linux 8", "");
	}
	h = well;
	strcpy(h.machine, "riscv64");
	expect("another machine", "kernel", WP_LEVEL_FAIL, "x86-64 or arm64", "");
	h.release[0] = '\0';
	expect("no release", "kernel", WP_LEVEL_NOTE, "missing", "");
	strcpy(h.lockdown, "confidentiality");
	expect("locked down", "lockdown", WP_LEVEL_FAIL, "until the next boot",
	       "cat /proc/cmdline");
	h.lockdown[0] = '\0';
	expect("no lockdown file", "lockdown", WP_LEVEL_NOTE, "missing", "");
	strcpy(h.lockdown, "integrity");
	wp_checkup(&c, &h, TABLES);
	ok(c.nr == c.count[WP_LEVEL_OK], "locked down for integrity, with the module loaded");
	h = well;
}

/* Without a module several checks have something to say. */
static void no_module(void)
{
	h = well;
	h.loaded = false;
	h.abi = 0;
	h.device_mode = 0;
	h.device_err = ENOENT;
}

static void test_module(void)
{
	no_module();
	has("none", "module", WP_LEVEL_FAIL, "make -C src module", "");
	h.dkms = true;
	has("none, DKMS", "module", WP_LEVEL_FAIL, "make install",
	    "sudo dkms autoinstall && sudo modprobe wallprof");
	has("none", "device", WP_LEVEL_FAIL, "comes with the module", "");
	has("none", "interface", WP_LEVEL_NOTE, "not opened", "");
	h.uid = 0;
	has("none, root", "module", WP_LEVEL_FAIL, "make install",
	    "dkms autoinstall && modprobe wallprof");
	h.headers = false;
	has("no headers", "headers", WP_LEVEL_NOTE, "cannot be built",
	    "apt-get install linux-headers-6.1.0-56-amd64");
	strcpy(h.release, "5.14.0-503.el9.x86_64");
	h.distro = WP_DISTRO_RHEL;
	has("no headers, dnf", "headers", WP_LEVEL_NOTE, "cannot be built",
	    "dnf install kernel-devel-5.14.0-503.el9.x86_64");
	strcpy(h.release, "6.4.0-150600.23-default");
	h.distro = WP_DISTRO_SUSE;
	has("no headers, zypper", "headers", WP_LEVEL_NOTE, "cannot be built",
	    "zypper install kernel-default-devel");
	strcpy(h.release, "6.9.1-arch1-1");
	h.distro = WP_DISTRO_ARCH;
	has("no headers, pacman", "headers", WP_LEVEL_NOTE, "cannot be built",
	    "pacman -S linux-headers");
	strcpy(h.release, "6.6.30-1-lts");
	has("no headers of a flavour, pacman", "headers", WP_LEVEL_NOTE, "cannot be built",
	    "pacman -S linux-lts-headers");
	h.distro = WP_DISTRO_OTHER;
	has("no headers, elsewhere", "headers", WP_LEVEL_NOTE, "cannot be built", "");
	strcpy(h.tracepoints_missing, "sched_switch");
	has("no tracepoint", "kernel config", WP_LEVEL_FAIL, "lacks", "");
	has("no tracepoint", "module", WP_LEVEL_FAIL, "cannot have", "");
	no_module();
	strcpy(h.module_file, "/lib/modules/6.1.0-56-amd64/extra/wallprof.ko");
	has("not loaded", "module", WP_LEVEL_FAIL, "needs the module", "sudo modprobe wallprof");
	strcpy(h.module.version, "999.0");
	has("newer", "module", WP_LEVEL_FAIL, "needs the module.",
	    "sudo modprobe wallprof");
	ok(!strstr(find("module")->means, "999.0"), "that is not older");
	strcpy(h.module.version, "0.0.9");
	has("older", "module", WP_LEVEL_FAIL, "This one is 0.0.9", "sudo modprobe wallprof");
	h.module_fits = false;
	strcpy(h.module.vermagic, "6.1.0-55-amd64 SMP ");
	has("of another kernel", "module", WP_LEVEL_FAIL, "Build it for 6.1.0-56-amd64",
	    "modinfo -F vermagic /lib/modules/6.1.0-56-amd64/extra/wallprof.ko");
	ok(!!strstr(find("module")->found, "built for 6.1.0-55-amd64"), "it is named: %s",
	   find("module")->found);
	h.module_fits = true;
	h.module.version[0] = '\0';
	h.no_loading = true;
	has("no more modules", "module", WP_LEVEL_FAIL, "until the next boot",
	    "grep -rs modules_disabled /etc/sysctl.conf /etc/sysctl.d /usr/lib/sysctl.d");
	h.no_loading = false;
	h.module.signature = WP_SIGNATURE_NONE;
	has("not loaded", "Secure Boot", WP_LEVEL_OK, "", "");
	h.sig_enforce = WP_YES;
	h.secure_boot = WP_YES;
	h.mok = "/var/lib/dkms/mok.pub";
	has("not signed", "Secure Boot", WP_LEVEL_FAIL, "has no signature", "");
	h.module.signature = WP_SIGNATURE_SOME;
	has("signed", "Secure Boot", WP_LEVEL_NOTE, "key that this kernel trusts",
	    "sudo mokutil --import /var/lib/dkms/mok.pub");
	h.mok = "";
	has("signed, no key here", "Secure Boot", WP_LEVEL_NOTE, "no key of this host", "");
	h.secure_boot = WP_NO;
	h.mok = "/var/lib/dkms/mok.pub";
	has("signed, no Secure Boot", "Secure Boot", WP_LEVEL_NOTE, "module.sig_enforce",
	    "cat /proc/cmdline");
	h = well;
	h.device_err = ENOENT;
	h.abi = 0;
	has("a container", "device", WP_LEVEL_FAIL, "container must be given", "");
	h = well;
	h.no_loading = true;
	wp_checkup(&c, &h, TABLES);
	ok(c.nr == c.count[WP_LEVEL_OK], "no more modules, and ours is loaded");
	h = well;
	h.abi--;
	expect("an older module", "interface", WP_LEVEL_FAIL, "(1.0) is older",
	       "sudo modprobe -r wallprof && sudo modprobe wallprof");
	h.abi = 0;
	expect("another device", "interface", WP_LEVEL_FAIL, "not the device of the module",
	       "ls -l " WALLPROF_DEVICE);
	h.abi = WALLPROF_ABI_VERSION + 1;
	wp_checkup(&c, &h, TABLES);
	ok(c.nr == c.count[WP_LEVEL_OK], "a newer module");
	h = well;
}

static void test_rights(void)
{
	h.may_record = false;
	h.device_err = EPERM;
	h.abi = 0;
	has("nobody", "device", WP_LEVEL_FAIL, "its mode alone allows nobody",
	    "sudo wallprof doctor");
	has("nobody", "rights", WP_LEVEL_FAIL, "root or CAP_PERFMON", "sudo wallprof record");
	strcpy(h.program, "/opt/wallprof-0.1/bin/wallprof");
	has("nobody, from a bundle", "rights", WP_LEVEL_FAIL, "root or CAP_PERFMON",
	    "sudo /opt/wallprof-0.1/bin/wallprof record");
	strcpy(h.program, "wallprof");
	h.may_record = true;
	h.device_err = EACCES;
	h.device_mode = 0600;
	has("mode 600", "device", WP_LEVEL_FAIL, "mode", "sudo chmod 666 " WALLPROF_DEVICE);
	h.device_mode = 0666;
	h.user_namespace = true;
	has("a user namespace", "device", WP_LEVEL_FAIL, "user namespace", "");
	h.user_namespace = false;
	has("a policy", "device", WP_LEVEL_FAIL, "SELinux", "");
	h.device_err = EUSERS;
	has("too many", "device", WP_LEVEL_FAIL, "End one", "sudo fuser -v " WALLPROF_DEVICE);
	h.device_err = ENOMEM;
	has("no memory", "device", WP_LEVEL_FAIL, "kernel log", "sudo dmesg | tail -n 20");
	h = well;
	h.paranoid = 3;
	h.may_admin = false;
	h.follow_err = EACCES;
	expect("paranoid", "perf_event_paranoid", WP_LEVEL_FAIL, "CAP_SYS_ADMIN",
	       "sudo sysctl kernel.perf_event_paranoid=2");
	h.paranoid = 3;
	h.may_admin = false;
	wp_checkup(&c, &h, TABLES);
	ok(c.nr == c.count[WP_LEVEL_OK], "paranoid, on a kernel that lets CAP_PERFMON: all is well");
	h = well;
	h.follow_err = EACCES;
	expect("seccomp", "perf_event_paranoid", WP_LEVEL_FAIL, "seccomp",
	       "grep Seccomp: /proc/self/status");
	h.follow_err = ENOSYS;
	h.paranoid = WP_PARANOID_UNKNOWN;
	expect("no perf", "perf_event_paranoid", WP_LEVEL_FAIL, "refused",
	       "grep Seccomp: /proc/self/status");
	h.may_ptrace = false;
	expect("no CAP_SYS_PTRACE", "user stacks", WP_LEVEL_NOTE, "frame pointer",
	       "sudo wallprof record");
	h.may_lock = false;
	h.memlock = TABLES - 1;
	expect("locked memory", "locked memory", WP_LEVEL_FAIL, "8192 KiB",
	       "sudo prlimit --pid $$ --memlock=unlimited");
	h.may_lock = false;
	h.memlock = TABLES;
	wp_checkup(&c, &h, TABLES);
	ok(c.nr == c.count[WP_LEVEL_OK], "just enough locked memory");
	h = well;
	h.kernel_names = WP_NO;
	expect("no CAP_SYSLOG", "kptr_restrict", WP_LEVEL_NOTE, "CAP_SYSLOG",
	       "sudo wallprof record");
	h.kernel_names = WP_NO;
	h.kptr_restrict = 2;
	expect("hidden", "kptr_restrict", WP_LEVEL_NOTE, "for root too",
	       "sudo sysctl kernel.kptr_restrict=1");
}

static void test_room(void)
{
	h.max_rate = 2000;
	expect("throttled", "sample rate", WP_LEVEL_NOTE, "4000",
	       "sudo sysctl kernel.perf_event_max_sample_rate=100000");
	h.max_rate = -1;
	expect("no rate", "sample rate", WP_LEVEL_NOTE, "missing", "");
	h.cycles_err = ENOENT;
	expect("no counter", "CPU counter", WP_LEVEL_NOTE, "timer", "");
	h.cycles_err = EACCES;
	expect("a hidden counter", "CPU counter", WP_LEVEL_NOTE, "cpu-clock", "");
	h.memory_kib = 1024;
	expect("little memory", "memory", WP_LEVEL_NOTE, "smaller -m",
	       "sudo wallprof record -m 128K");
	h.memory_kib = -1;
	expect("no memory file", "memory", WP_LEVEL_NOTE, "missing", "");
	h.cache_err = EROFS;
	expect("no cache", "unwind cache", WP_LEVEL_NOTE, "built again", "");
	h.cache[0] = '\0';
	expect("no home", "unwind cache", WP_LEVEL_NOTE, "built again", "");
	h.cache_made = true;
	h.cache_free = 1 << 20;
	expect("little room for the cache", "unwind cache", WP_LEVEL_NOTE, "may not fit",
	       "df -h /var/cache/wallprof/unwind");
	h.output_err = ENOSPC;
	expect("no room", "disk", WP_LEVEL_FAIL, "another place", "df -h . && df -i .");
	h.output_err = EROFS;
	expect("nowhere to write", "disk", WP_LEVEL_FAIL, "another place",
	       "wallprof record -o /tmp/perf.data");
	h.output_free = 1 << 20;
	expect("little room", "disk", WP_LEVEL_NOTE, "may not fit", "df -h .");
	h.tracefs = WP_NO;
	expect("tracefs of root's", "tracefs", WP_LEVEL_NOTE, "sched record",
	       "sudo wallprof sched record");
	h.tracefs = WP_UNKNOWN;
	expect("no tracefs", "tracefs", WP_LEVEL_NOTE, "sched record",
	       "sudo mount -t tracefs nodev /sys/kernel/tracing");
}

/* Nothing is known, and nothing works: no more findings than there is room for. */
static void test_nothing(void)
{
	int err, explained = 0;

	memset(&h, 0, sizeof(h));
	wp_checkup(&c, &h, TABLES);
	ok(c.nr <= WP_CHECKUP_MAX && c.count[WP_LEVEL_FAIL], "nothing is known");
	for (err = 1; err < 134; err++) {
		h.device_err = err;
		wp_checkup(&c, &h, TABLES);
		explained += !!find("device")->means[0];
	}
	ok(explained == 133, "each error of the device is explained");
}

int main(void)
{
	test_well();
	test_kernel();
	test_module();
	test_rights();
	test_room();
	test_nothing();
	return done();
}
