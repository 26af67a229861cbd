// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of what wallprof doctor reads: files of a host that is made here, all of them,
 * and none.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/doctor/hostfacts.h"
#include "tap.h"

static char root[] = "/tmp/wallprof-hostfacts.XXXXXX";

/* Make a file, and the directories on the way to it. */
static void put_bytes(const char *path, const void *data, size_t size)
{
	char full[512], *p;
	FILE *f;

	snprintf(full, sizeof(full), "%s%s", root, path);
	for (p = full + strlen(root) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(full, 0755);
		*p = '/';
	}
	f = fopen(full, "w");
	if (!f || (size && fwrite(data, size, 1, f) != 1) || fclose(f))
		exit(1);
}

static void put(const char *path, const char *text)
{
	put_bytes(path, text, strlen(text));
}

static struct wp_hostfacts *facts(void)
{
	static struct wp_hostfacts h;

	memset(&h, 0, sizeof(h));
	wp_hostfacts_files(&h, root);
	return &h;
}

static void test_nothing(void)
{
	const struct wp_hostfacts *h = facts();

	ok(!h->release[0], "nothing: no release");
	ok(!h->loaded && !h->loaded_version[0] && !h->module_file[0], "nothing: no module");
	ok(!h->headers && !h->has_config && !h->has_tracepoints, "nothing: no kernel");
	ok(h->module.signature == WP_SIGNATURE_UNKNOWN, "nothing: no signature");
	ok(h->kernel_names == WP_UNKNOWN && h->secure_boot == WP_UNKNOWN &&
	   h->sig_enforce == WP_UNKNOWN && h->tracefs == WP_UNKNOWN && !h->lockdown[0],
	   "nothing: not known");
	ok(h->paranoid == WP_PARANOID_UNKNOWN && h->max_rate == -1 && h->kptr_restrict == -1 &&
	   h->memory_kib == -1, "nothing: no numbers");
}

static enum wp_signature signature_of(const char *path)
{
	struct wp_modfile m;

	wp_modfile_read(&m, path);
	return m.signature;
}

/* A module of 500,001 bytes and a signature, or without, in each form. */
static void test_signature(void)
{
	static const char *const commands[] = { "cat", "xz --check=crc32 -c", "zstd -qc", "gzip -c" };
	static const char *const suffixes[] = { "", ".xz", ".zst", ".gz" };
	char command[512], path[256];
	enum wp_signature got[2];
	size_t i;

	for (i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "%s/wallprof.ko%s", root, suffixes[i]);
		snprintf(command, sizeof(command),
			 "{ seq 90000 | head -c 500001; echo '~Module signature appended~'; } | %s >%s",
			 commands[i], path);
		got[0] = system(command) ? WP_SIGNATURE_UNKNOWN : signature_of(path);
		snprintf(command, sizeof(command), "seq 90000 | head -c 500001 | %s >%s",
			 commands[i], path);
		got[1] = system(command) ? WP_SIGNATURE_UNKNOWN : signature_of(path);
		ok(got[0] == WP_SIGNATURE_SOME && got[1] == WP_SIGNATURE_NONE,
		   "the signature of wallprof.ko%s: %d, %d", suffixes[i], got[0], got[1]);
		if (!i)
			continue;
		if (truncate(path, 1000))
			exit(1);
		ok(signature_of(path) == WP_SIGNATURE_UNKNOWN, "cut off: unknown");
	}
}

/* By the assembler: what a module of this kernel says of itself. */
static const struct wp_modfile *module_of(const char *vermagic, const char *how)
{
	static struct wp_modfile m;
	char command[1024], path[256];

	snprintf(path, sizeof(path), "%s/described.ko%s", root, *how ? ".xz" : "");
	snprintf(command, sizeof(command),
		 "printf '.section .modinfo,\"a\"\\n.asciz \"srcversion=A\"\\n.asciz \"version=1.2.3\"\\n"
		 ".asciz \"vermagic=%s\"\\n' | as -o %s/described.o - && cat %s/described.o %s >%s",
		 vermagic, root, root, how, path);
	memset(&m, 0xff, sizeof(m));
	if (!system(command))
		wp_modfile_read(&m, path);
	return &m;
}

static void test_description(void)
{
	static const char magic[] = "6.1.0-56-amd64 SMP mod_unload ";
	const struct wp_modfile *m = module_of(magic, "");

	ok(!strcmp(m->version, "1.2.3") && !strcmp(m->vermagic, magic), "described: %s, %s",
	   m->version, m->vermagic);
	ok(wp_modfile_is_for(m, "6.1.0-56-amd64"), "for its kernel");
	ok(!wp_modfile_is_for(m, "6.1.0-56-amd6") && !wp_modfile_is_for(m, "6.1.0-56-amd64-x") &&
	   !wp_modfile_is_for(m, "6.1.0-57-amd64"), "for no other");
	m = module_of("6.1.0-56-amd64 SMP mod_unload modversions ", "");
	ok(wp_modfile_is_for(m, "6.1.0-57-amd64"), "for another by versions of symbols");
	m = module_of(magic, "| xz");
	ok(!strcmp(m->version, "1.2.3"), "compressed");
	m = module_of(magic, "| head -c 100");
	ok(!m->version[0] && !m->vermagic[0] && wp_modfile_is_for(m, "6.1.0-57-amd64"),
	   "cut off: not known, and so for any");
}

/* Files that are there, and say nothing, or nonsense. */
static void test_nonsense(void)
{
	static const char *const files[] = {
		"/proc/sys/kernel/perf_event_paranoid", "/proc/sys/kernel/kptr_restrict",
		"/proc/sys/kernel/perf_event_max_sample_rate", "/proc/meminfo",
		"/sys/kernel/security/lockdown", "/proc/kallsyms", "/proc/config.gz",
		"/sys/module/module/parameters/sig_enforce",
		"/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c",
	};
	char noise[4096];
	const struct wp_hostfacts *h;
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		put(files[i], "");
	h = facts();
	ok(h->paranoid == WP_PARANOID_UNKNOWN && h->max_rate == -1 && h->memory_kib == -1 &&
	   h->kernel_names == WP_UNKNOWN && h->secure_boot == WP_UNKNOWN && !h->has_config &&
	   !h->lockdown[0], "empty files: not known");
	memset(noise, 'x', sizeof(noise));
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		put_bytes(files[i], noise, sizeof(noise));
	h = facts();
	ok(h->paranoid == WP_PARANOID_UNKNOWN && h->max_rate == -1 && h->memory_kib == -1 &&
	   !h->has_tracepoints && !h->lockdown[0], "long nonsense: not known");
}

static void test_whole(void)
{
	const struct wp_hostfacts *h;

	put("/proc/sys/kernel/osrelease", "6.1.0-56-amd64\n");
	put("/proc/sys/kernel/perf_event_paranoid", "-1\n");
	put("/proc/sys/kernel/perf_event_max_sample_rate", "32000\n");
	put("/proc/sys/kernel/kptr_restrict", "1\n");
	put("/proc/meminfo", "MemTotal:  16 kB\nMemAvailable:    123456 kB\n");
	put("/proc/self/uid_map", "         0          0 4294967295\n");
	put("/proc/kallsyms", "0000000000000000 T _stext\n"
	    "0000000000000000 T __traceiter_sched_switch\n"
	    "0000000000000000 T __traceiter_sched_waking\n"
	    "0000000000000000 T __traceiter_sched_process_fork\n"
	    "0000000000000000 T __traceiter_sched_process_exec\n"
	    "0000000000000000 T __traceiter_sched_process_exit\n"
	    "0000000000000000 T __traceiter_sched_wakeup_new\n"
	    "0000000000000000 T __traceiter_sched_migrate_tasks\n");
	put("/boot/config-6.1.0-56-amd64", "CONFIG_MODULES=y\nCONFIG_PERF_EVENTS=y\n"
	    "# CONFIG_TRACEPOINTS is not set\nCONFIG_STACKTRACE_X=y\n");
	put("/lib/modules/6.1.0-56-amd64/build/Makefile", "");
	put("/lib/modules/6.1.0-56-amd64/modules.dep", "kernel/fs/fuse/fuse.ko:\n"
	    "extra/wallprof.kobold: extra/wallprof.ko\n"
	    "weak-updates/wallprof/wallprof.ko.xz: kernel/a.ko\n");
	put("/lib/modules/6.1.0-56-amd64/extra/wallprof.kobold", "");
	ok(!facts()->module_file[0], "a module that is only listed is not installed");
	put("/lib/modules/6.1.0-56-amd64/weak-updates/wallprof/wallprof.ko.xz", "");
	h = facts();
	ok(!!strstr(h->module_file, "-amd64/weak-updates/wallprof/wallprof.ko.xz"),
	   "installed, in a place of a package's: %s", h->module_file);
	put("/lib/modules/6.1.0-56-amd64/extra/wallprof.ko",
	    "ELF ~Module signature appended~\n");
	put("/sys/module/wallprof/version", "1.2.3\n");
	put("/sys/module/module/parameters/sig_enforce", "Y\n");
	put("/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	put("/sys/kernel/tracing/events/sched/sched_switch/format", "");
	put_bytes("/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c",
		  "\x06\0\0\0\x01", 5);
	h = facts();
	ok(!strcmp(h->release, "6.1.0-56-amd64"), "release: %s", h->release);
	ok(h->loaded && !strcmp(h->loaded_version, "1.2.3"), "the module is loaded");
	ok(strstr(h->module_file, "/extra/wallprof.ko") && h->module.signature == WP_SIGNATURE_SOME,
	   "it is installed, and signed");
	ok(h->headers && !h->dkms && !h->no_loading, "headers, no DKMS, modules can be loaded");
	ok(h->has_config && !strcmp(h->config_missing, "CONFIG_TRACEPOINTS, CONFIG_STACKTRACE"),
	   "missing options: %s", h->config_missing);
	ok(h->has_tracepoints && !strcmp(h->tracepoints_missing, "sched_migrate_task"),
	   "missing tracepoints: %s", h->tracepoints_missing);
	ok(h->kernel_names == WP_NO, "names are hidden");
	ok(!strcmp(h->lockdown, "integrity"), "lockdown: %s", h->lockdown);
	ok(h->secure_boot == WP_YES && h->sig_enforce == WP_YES, "Secure Boot");
	ok(!*h->mok, "no key");
	ok(h->paranoid == -1 && h->max_rate == 32000 && h->kptr_restrict == 1 &&
	   h->memory_kib == 123456, "numbers");
	ok(h->tracefs == WP_YES && !h->user_namespace, "tracefs, and no user namespace");

	put("/lib/modules/6.1.0-56-amd64/updates/dkms/wallprof.ko.xz", "");
	put("/proc/self/uid_map", "         0       1000          1\n");
	put("/proc/sys/kernel/modules_disabled", "1\n");
	put("/usr/src/wallprof-0.1/dkms.conf", "");
	put("/var/lib/dkms/mok.pub", "");
	put("/proc/kallsyms", "0000000000000000 A first\nffffffff81000000 T _stext\n");
	h = facts();
	ok(strstr(h->module_file, "/updates/dkms/wallprof.ko.xz") &&
	   h->module.signature == WP_SIGNATURE_UNKNOWN, "DKMS's comes first, compressed");
	ok(h->user_namespace, "a user namespace");
	ok(h->no_loading, "no module can be loaded");
	ok(h->dkms, "the package of DKMS");
	ok(!strcmp(h->mok, "/var/lib/dkms/mok.pub"), "its key: %s", h->mok);
	put("/var/lib/shim-signed/mok/MOK.der", "");
	h = facts();
	ok(!strcmp(h->mok, "/var/lib/shim-signed/mok/MOK.der"), "Ubuntu's: %s", h->mok);
	ok(h->kernel_names == WP_YES && !h->has_tracepoints, "names are shown, none is ours");
}

static void test_distro(void)
{
	static const struct {
		const char *text;
		enum wp_distro distro;
	} cases[] = {
		{ "PRETTY_NAME=\"Debian\"\nID=debian\n", WP_DISTRO_DEBIAN },
		{ "ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n", WP_DISTRO_DEBIAN },
		{ "ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n", WP_DISTRO_RHEL },
		{ "ID='fedora'\n", WP_DISTRO_RHEL },
		{ "ID_LIKE=\"suse opensuse\"\nID=\"opensuse-leap\"\n", WP_DISTRO_SUSE },
		{ "ID=manjaro\nID_LIKE=arch", WP_DISTRO_ARCH },
		{ "ID=alpine\nVARIANT_ID=debian\nNAME=debian\n", WP_DISTRO_OTHER },
		{ "ID=\nID_LIKE=\"\"\n", WP_DISTRO_OTHER },
	};
	size_t i;

	ok(facts()->distro == WP_DISTRO_OTHER, "no os-release");
	put("/usr/lib/os-release", "ID=arch\n");
	ok(facts()->distro == WP_DISTRO_ARCH, "os-release of /usr/lib");
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		put("/etc/os-release", cases[i].text);
		ok(facts()->distro == cases[i].distro, "distribution %zu", i);
	}
}

/* Whatever this host is, the answers are such that all can be. */
static void test_ask(void)
{
	struct wp_hostfacts *h = facts();
	char output[128];

	wp_hostfacts_ask(h, "/nonexistent/perf.data");
	ok(h->machine[0] && h->cpus, "a machine of %u CPUs", h->cpus);
	ok(h->program[0] && !strpbrk(h->program, " '\"$"), "the program: %s", h->program);
	ok(h->output_err == ENOENT && !strcmp(h->output, "/nonexistent"), "no such directory");
	snprintf(output, sizeof(output), "%s/perf.data", root);
	wp_hostfacts_ask(h, output);
	ok(!h->output_err && !strcmp(h->output, root), "a directory");
	wp_hostfacts_ask(h, root);
	ok(h->output_err == EISDIR && !strcmp(h->output, root), "a directory is no file");
	snprintf(output, sizeof(output), "%s/", root);
	wp_hostfacts_ask(h, output);
	ok(h->output_err == EISDIR, "nor with a slash");
	snprintf(output, sizeof(output), "%s/fifo", root);
	ok(!mkfifo(output, 0600), "a FIFO");
	wp_hostfacts_ask(h, output);
	ok(h->output_err == ESPIPE && !strcmp(h->output, output), "a FIFO is no file");
	wp_hostfacts_ask(h, "/dev/null");
	ok(!h->output_err, "a device is one");
	wp_hostfacts_ask(h, "/perf.data");
	ok(!strcmp(h->output, "/"), "the root directory");
	ok(access("/perf.data", F_OK), "nothing was written");
}

int main(void)
{
	char command[64];

	if (!mkdtemp(root))
		return 1;
	test_nothing();
	test_signature();
	test_description();
	test_nonsense();
	test_whole();
	test_distro();
	test_ask();
	snprintf(command, sizeof(command), "rm -r %s", root);
	return system(command) || done();
}
