// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the facts that recording on a host depends on: files of /proc and /sys, and
 * answers of the kernel. Nothing is changed, and no conclusions are drawn here: see
 * checkup.c. Any file may be missing; then a fact is unknown. Called by wallprof doctor.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <linux/wallprof.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zlib.h>

#include "lib/base/outpath.h"
#include "lib/device/rights.h"
#include "lib/doctor/hostfacts.h"
#include "lib/unwind/tablecache.h"

#define PATH_SIZE	1024
#define NR(array)	(sizeof(array) / sizeof((array)[0]))

/* Open a file below @root, compressed or not. NULL: it is missing. */
static gzFile open_text(const char *root, const char *path)
{
	char full[PATH_SIZE];

	snprintf(full, sizeof(full), "%s%s", root, path);
	return gzopen(full, "re");
}

/* The first line of a file, without its newline. Returns false if there is none. */
static bool read_line(const char *root, const char *path, char *line, size_t size)
{
	gzFile f = open_text(root, path);
	bool good = f && gzgets(f, line, size);

	if (f)
		gzclose(f);
	if (good)
		line[strcspn(line, "\n")] = '\0';
	else
		line[0] = '\0';
	return good;
}

static long read_number(const char *root, const char *path, long missing)
{
	char line[64], *end;
	long n;

	if (!read_line(root, path, line, sizeof(line)))
		return missing;
	n = strtol(line, &end, 10);
	return end == line ? missing : n;
}

static bool is_there(const char *root, const char *path)
{
	char full[PATH_SIZE];

	snprintf(full, sizeof(full), "%s%s", root, path);
	return !access(full, F_OK);
}

/* DKMS builds what was added to it; wallprof-dkms has the source before that. */
static bool has_dkms(const char *root)
{
	char pattern[PATH_SIZE];
	glob_t found;
	bool there;

	if (is_there(root, "/var/lib/dkms/wallprof"))
		return true;
	snprintf(pattern, sizeof(pattern), "%s/usr/src/wallprof-*/dkms.conf", root);
	there = !glob(pattern, 0, NULL, &found);
	globfree(&found);
	return there;
}

/* The distribution of @word, an ID of os-release(5). */
static enum wp_distro distro_of(const char *word)
{
	static const struct {
		const char *id;
		enum wp_distro distro;
	} known[] = {
		{ "debian", WP_DISTRO_DEBIAN },
		{ "ubuntu", WP_DISTRO_DEBIAN },
		{ "rhel", WP_DISTRO_RHEL },
		{ "centos", WP_DISTRO_RHEL },
		{ "fedora", WP_DISTRO_RHEL },
		{ "suse", WP_DISTRO_SUSE },
		{ "opensuse", WP_DISTRO_SUSE },
		{ "arch", WP_DISTRO_ARCH },
	};
	size_t i;

	for (i = 0; i < NR(known); i++) {
		if (!strcmp(word, known[i].id))
			return known[i].distro;
	}
	return WP_DISTRO_OTHER;
}

/* ID=debian; a derived one has ID_LIKE="ubuntu debian", with or without quotes. */
static void read_distro(struct wp_hostfacts *h, const char *root)
{
	gzFile f = open_text(root, "/etc/os-release");
	char line[PATH_SIZE], *word, *rest;

	if (!f)
		f = open_text(root, "/usr/lib/os-release");
	while (f && !h->distro && gzgets(f, line, sizeof(line))) {
		if (strncmp(line, "ID=", 3) && strncmp(line, "ID_LIKE=", 8))
			continue;
		word = strtok_r(strchr(line, '=') + 1, " \t\n\"'", &rest);
		for (; word && !h->distro; word = strtok_r(NULL, " \t\n\"'", &rest))
			h->distro = distro_of(word);
	}
	if (f)
		gzclose(f);
}

static void add_missing(char *list, size_t size, const char *name)
{
	size_t len = strlen(list);

	snprintf(list + len, size - len, "%s%s", len ? ", " : "", name);
}

/* Whether a line of a configuration sets @name to y or m. */
static bool sets(const char *line, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(line, name, len) && line[len] == '=' &&
	       (line[len + 1] == 'y' || line[len + 1] == 'm');
}

/* The options of BUILD_EXCLUSIVE_CONFIG in dkms.conf. */
static void read_config(struct wp_hostfacts *h, const char *root)
{
	static const char *const needed[] = {
		"CONFIG_MODULES", "CONFIG_PERF_EVENTS", "CONFIG_TRACEPOINTS", "CONFIG_STACKTRACE",
	};
	static const char *const places[] = {
		"/boot/config-%s", "/lib/modules/%s/config",
		"/lib/modules/%s/build/include/config/auto.conf", "/proc/config.gz",
	};
	bool found[NR(needed)] = { false };
	char line[PATH_SIZE];
	gzFile f = NULL;
	size_t i;

	for (i = 0; !f && i < NR(places); i++) {
		snprintf(line, sizeof(line), places[i], h->release);
		f = open_text(root, line);
	}
	if (!f)
		return;
	while (gzgets(f, line, sizeof(line))) {
		h->has_config = true;
		for (i = 0; i < NR(needed); i++)
			found[i] = found[i] || sets(line, needed[i]);
	}
	gzclose(f);
	for (i = 0; h->has_config && i < NR(needed); i++) {
		if (!found[i])
			add_missing(h->config_missing, sizeof(h->config_missing), needed[i]);
	}
}

/*
 * Each tracepoint has a function with this name. Everybody can read the names in the
 * list, only some users the addresses.
 */
static void read_kallsyms(struct wp_hostfacts *h, const char *root)
{
	static const char prefix[] = " __traceiter_";
	static const char *const needed[] = {
		"sched_switch", "sched_waking", "sched_process_fork", "sched_process_exec",
		"sched_process_exit", "sched_wakeup_new", "sched_migrate_task",
	};
	bool found[NR(needed)] = { false };
	gzFile f = open_text(root, "/proc/kallsyms");
	char line[PATH_SIZE], *name;
	size_t i;

	if (!f)
		return;
	while (gzgets(f, line, sizeof(line))) {
		if (h->kernel_names != WP_YES)
			h->kernel_names = strtoull(line, NULL, 16) ? WP_YES : WP_NO;
		name = strstr(line, prefix);
		if (!name)
			continue;
		name += sizeof(prefix) - 1;
		name[strcspn(name, "\n\t ")] = '\0';
		h->has_tracepoints = true;
		for (i = 0; i < NR(needed); i++)
			found[i] = found[i] || !strcmp(name, needed[i]);
	}
	gzclose(f);
	for (i = 0; h->has_tracepoints && i < NR(needed); i++) {
		if (!found[i])
			add_missing(h->tracepoints_missing, sizeof(h->tracepoints_missing),
				    needed[i]);
	}
}

/* "none [integrity] confidentiality": the current level is in brackets. */
static void read_lockdown(struct wp_hostfacts *h, const char *root)
{
	char line[128], *from, *to;

	if (!read_line(root, "/sys/kernel/security/lockdown", line, sizeof(line))) {
		/* A kernel without lockdown has other files there, if any. */
		if (is_there(root, "/sys/kernel/security/lsm"))
			snprintf(h->lockdown, sizeof(h->lockdown), "none");
		return;
	}
	from = strchr(line, '[');
	to = from ? strchr(from, ']') : NULL;
	if (!to)
		return;
	*to = '\0';
	snprintf(h->lockdown, sizeof(h->lockdown), "%s", from + 1);
}

#define SECURE_BOOT	"/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"

/* The variable's value follows four bytes of attributes. */
static void read_secure_boot(struct wp_hostfacts *h, const char *root)
{
	unsigned char value[5];
	gzFile f;

	if (!is_there(root, "/sys/firmware/efi")) {
		if (is_there(root, "/sys/kernel"))
			h->secure_boot = WP_NO;
		return;
	}
	f = open_text(root, SECURE_BOOT);
	if (!f)
		return;
	if (gzread(f, value, sizeof(value)) == sizeof(value))
		h->secure_boot = value[4] == 1 ? WP_YES : WP_NO;
	gzclose(f);
}

/* DKMS of Ubuntu signs with the first one. */
static const char *find_mok(const char *root)
{
	static const char *const places[] = {
		"/var/lib/shim-signed/mok/MOK.der", "/var/lib/dkms/mok.pub",
		"/etc/pki/akmods/certs/public_key.der",
	};
	size_t i;

	for (i = 0; i < NR(places); i++) {
		if (is_there(root, places[i]))
			return places[i];
	}
	return "";
}

static void read_memory(struct wp_hostfacts *h, const char *root)
{
	gzFile f = open_text(root, "/proc/meminfo");
	char line[128];

	h->memory_kib = -1;
	while (f && gzgets(f, line, sizeof(line))) {
		if (sscanf(line, "MemAvailable: %ld", &h->memory_kib) == 1)
			break;
	}
	if (f)
		gzclose(f);
}

static void read_tracefs(struct wp_hostfacts *h, const char *root)
{
	static const char *const places[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	char path[PATH_SIZE];
	size_t i;

	for (i = 0; h->tracefs != WP_YES && i < NR(places); i++) {
		snprintf(path, sizeof(path), "%s%s/events/sched/sched_switch/format", root,
			 places[i]);
		if (!access(path, R_OK))
			h->tracefs = WP_YES;
		else if (errno == EACCES)
			h->tracefs = WP_NO;
	}
}

/* Only the initial user namespace maps all ids to themselves. */
static void read_user_namespace(struct wp_hostfacts *h, const char *root)
{
	unsigned long inside, outside, nr;
	char line[128];

	if (read_line(root, "/proc/self/uid_map", line, sizeof(line)) &&
	    sscanf(line, "%lu %lu %lu", &inside, &outside, &nr) == 3)
		h->user_namespace = inside || outside || nr < 0xffffffffUL;
}

/**
 * wp_hostfacts_files() - read the facts in files
 * @h: all zeroes; filled in
 * @root: prefix of all paths; "" except in tests
 */
void wp_hostfacts_files(struct wp_hostfacts *h, const char *root)
{
	char path[PATH_SIZE], line[8];
	struct utsname host;

	if (!read_line(root, "/proc/sys/kernel/osrelease", h->release, sizeof(h->release)) &&
	    !*root && !uname(&host))
		snprintf(h->release, sizeof(h->release), "%.79s", host.release);
	read_distro(h, root);
	h->loaded = is_there(root, "/sys/module/wallprof");
	read_line(root, "/sys/module/wallprof/version", h->loaded_version,
		  sizeof(h->loaded_version));
	if (!h->release[0] || !wp_modfile_find(root, h->release, h->module_file,
					       sizeof(h->module_file)))
		h->module_file[0] = '\0';
	wp_modfile_read(&h->module, h->module_file);
	h->module_fits = wp_modfile_is_for(&h->module, h->release);
	h->dkms = has_dkms(root);
	h->no_loading = read_number(root, "/proc/sys/kernel/modules_disabled", 0) == 1;
	snprintf(path, sizeof(path), "/lib/modules/%s/build/Makefile", h->release);
	h->headers = is_there(root, path);
	read_config(h, root);
	read_kallsyms(h, root);
	read_lockdown(h, root);
	read_secure_boot(h, root);
	h->mok = find_mok(root);
	if (read_line(root, "/sys/module/module/parameters/sig_enforce", line, sizeof(line)))
		h->sig_enforce = line[0] == 'Y' ? WP_YES : WP_NO;
	h->paranoid = read_number(root, "/proc/sys/kernel/perf_event_paranoid",
				  WP_PARANOID_UNKNOWN);
	h->max_rate = read_number(root, "/proc/sys/kernel/perf_event_max_sample_rate", -1);
	h->kptr_restrict = read_number(root, "/proc/sys/kernel/kptr_restrict", -1);
	read_memory(h, root);
	read_tracefs(h, root);
	read_user_namespace(h, root);
}

/*
 * Of what sudo searches, only /usr/bin is in each distribution's secure_path. A path that
 * a shell would change, as that of a deleted program, is no command.
 */
static void ask_program(struct wp_hostfacts *h)
{
	static const char plain[] =
		"/abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-";
	ssize_t len = readlink("/proc/self/exe", h->program, sizeof(h->program) - 1);

	h->program[len > 0 ? len : 0] = '\0';
	if (len <= 0 || h->program[strspn(h->program, plain)] ||
	    !strcmp(h->program, "/usr/bin/wallprof") || !strcmp(h->program, "/bin/wallprof"))
		snprintf(h->program, sizeof(h->program), "wallprof");
}

static void ask_device(struct wp_hostfacts *h)
{
	struct wallprof_info info = { .size = sizeof(info) };
	struct stat st;
	int fd;

	if (!stat(WALLPROF_DEVICE, &st))
		h->device_mode = st.st_mode & 07777;
	fd = open(WALLPROF_DEVICE, O_RDWR | O_CLOEXEC);
	if (fd < 0) {
		h->device_err = errno;
		return;
	}
	if (!ioctl(fd, WALLPROF_IOC_INFO, &info)) {
		info.version[sizeof(info.version) - 1] = '\0';
		snprintf(h->abi_version, sizeof(h->abi_version), "%s", (char *)info.version);
		h->abi = info.abi_version;
	}
	close(fd);
}

/* Open and close a disabled event. Returns 0 or an errno. */
static int ask_event(struct perf_event_attr *attr, int pid, int cpu)
{
	int fd;

	attr->size = PERF_ATTR_SIZE_VER1;
	attr->disabled = 1;
	fd = syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static void ask_events(struct wp_hostfacts *h)
{
	struct perf_event_attr dummy = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
	};
	struct perf_event_attr cycles = {
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		/* A counter without interrupts can count, but not sample. */
		.sample_period = 1000003,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int cpu = sched_getcpu();

	h->follow_err = ask_event(&dummy, -1, cpu < 0 ? 0 : cpu);
	h->cycles_err = ask_event(&cycles, 0, -1);
}

static void ask_rights(struct wp_hostfacts *h)
{
	struct rlimit limit;

	h->uid = geteuid();
	h->may_admin = wp_rights_has(CAP_SYS_ADMIN);
	h->may_record = h->may_admin || wp_rights_has(CAP_PERFMON);
	h->may_ptrace = wp_rights_has(CAP_SYS_PTRACE);
	h->may_lock = wp_rights_has(CAP_IPC_LOCK);
	h->may_syslog = wp_rights_has(CAP_SYSLOG);
	h->memlock = ~0ULL;
	if (!getrlimit(RLIMIT_MEMLOCK, &limit) && limit.rlim_cur != RLIM_INFINITY)
		h->memlock = limit.rlim_cur;
}

static __u64 bytes_below(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *e;
	struct stat st;
	__u64 sum = 0;

	while (dir && (e = readdir(dir))) {
		if (!fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) &&
		    S_ISREG(st.st_mode))
			sum += st.st_size;
	}
	if (dir)
		closedir(dir);
	return sum;
}

/* Whether files can be created in @dir. */
static int writable(const char *dir)
{
	return faccessat(AT_FDCWD, dir, W_OK | X_OK, AT_EACCESS) ? errno : 0;
}

/* The same of @path or its nearest existing parent, whose name is stored in @dir. */
static int nearest(const char *path, char dir[static PATH_MAX])
{
	char *slash;
	int err;

	snprintf(dir, PATH_MAX, "%s", path);
	while ((err = writable(dir)) == ENOENT) {
		slash = strrchr(dir, '/');
		if (!slash || !dir[1])
			break;
		slash[slash == dir] = '\0';
	}
	return err;
}

/*
 * Set @bytes to the free bytes of a file system. ENOSPC: it takes no file. One that counts
 * neither blocks nor inodes has zeroes.
 */
static int room_in(const char *dir, __u64 *bytes)
{
	struct statvfs fs;

	if (statvfs(dir, &fs))
		return errno;
	*bytes = (__u64)fs.f_bavail * fs.f_frsize;
	return (fs.f_blocks && !fs.f_bavail) || (fs.f_files && !fs.f_favail) ? ENOSPC : 0;
}

static void ask_cache(struct wp_hostfacts *h)
{
	char dir[PATH_MAX];
	struct stat st;

	if (!wp_tablecache_dir(h->cache, sizeof(h->cache))) {
		h->cache[0] = '\0';
		return;
	}
	h->cache_made = !lstat(h->cache, &st);
	if (h->cache_made && (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() ||
			      st.st_mode & 0022)) {
		h->cache_err = EPERM;
		return;
	}
	h->cache_err = nearest(h->cache, dir);
	if (!h->cache_err)
		h->cache_err = room_in(dir, &h->cache_free);
	h->cache_bytes = bytes_below(h->cache);
}

/*
 * In a directory with the sticky bit only its owner, and that of the file, replaces it: a
 * recording that root left in /tmp, say.
 */
static bool may_replace(const char *dir, const char *output)
{
	struct stat in, st;

	return lstat(output, &st) || stat(dir, &in) || !(in.st_mode & S_ISVTX) ||
	       st.st_uid == geteuid() || in.st_uid == geteuid() || wp_rights_has(CAP_FOWNER);
}

static void ask_output(struct wp_hostfacts *h, const char *output)
{
	const char *slash = strrchr(output, '/');

	h->output_err = -wp_outpath_probe(output);
	if (h->output_err == EISDIR || h->output_err == ENXIO || h->output_err == ESPIPE) {
		snprintf(h->output, sizeof(h->output), "%s", output);
		return;
	}
	if (!slash)
		snprintf(h->output, sizeof(h->output), ".");
	else
		snprintf(h->output, sizeof(h->output), "%.*s",
			 (int)(slash == output ? 1 : slash - output), output);
	if (!h->output_err)
		h->output_err = writable(h->output);
	if (!h->output_err && !may_replace(h->output, output))
		h->output_err = EEXIST;
	if (!h->output_err)
		h->output_err = room_in(h->output, &h->output_free);
	if (!slash && !getcwd(h->output, sizeof(h->output)))
		snprintf(h->output, sizeof(h->output), ".");
}

/**
 * wp_hostfacts_ask() - ask the kernel, with the privileges of this process
 * @h: filled in
 * @output: the output file of a recording
 */
void wp_hostfacts_ask(struct wp_hostfacts *h, const char *output)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct utsname host;

	if (!uname(&host))
		snprintf(h->machine, sizeof(h->machine), "%.79s", host.machine);
	h->cpus = cpus > 0 ? cpus : 1;
	ask_program(h);
	ask_rights(h);
	ask_device(h);
	ask_events(h);
	ask_cache(h);
	ask_output(h, output);
}
