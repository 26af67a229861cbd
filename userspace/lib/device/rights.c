// SPDX-License-Identifier: GPL-2.0
/*
 * Explains a refusal: which of the rights in wallprof(1), RIGHTS, is missing, and how to
 * get it. Called after the kernel refused; reads the privileges of the process at that
 * time.
 */
#include <linux/capability.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/device/rights.h"

#define REMEDY	"Use sudo, or see RIGHTS in 'man wallprof'"

/**
 * wp_rights_has() - whether this thread has a capability
 * @cap: CAP_*
 *
 * Return: true if it is effective in the current user namespace.
 */
bool wp_rights_has(unsigned int cap)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};

	if (syscall(SYS_capget, &head, data))
		return false;
	return data[CAP_TO_INDEX(cap)].effective & CAP_TO_MASK(cap);
}

/* As the kernel's perfmon_capable(). */
static bool may_record(void)
{
	return wp_rights_has(CAP_PERFMON) || wp_rights_has(CAP_SYS_ADMIN);
}

/* Only the initial user namespace maps all ids to themselves. */
static bool in_user_namespace(void)
{
	FILE *f = fopen("/proc/self/uid_map", "re");
	unsigned long inside, outside, nr;
	bool ret = false;

	if (!f)
		return false;
	if (fscanf(f, "%lu %lu %lu", &inside, &outside, &nr) == 3)
		ret = inside || outside || nr < 0xffffffffUL;
	fclose(f);
	return ret;
}

/**
 * wp_rights_no_device() - explain why the device could not be opened
 * @path: path of the device
 * @err: EPERM or EACCES
 */
void wp_rights_no_device(const char *path, int err)
{
	if (!may_record())
		wp_err("%s: %s: recording needs root or CAP_PERFMON. " REMEDY, path,
		       strerror(err));
	else if (access(path, R_OK | W_OK))
		wp_err("%s: %s: the mode of the device refuses user %u. Restore it: chmod 666 %s",
		       path, strerror(err), geteuid(), path);
	else if (in_user_namespace())
		wp_err("%s: %s: CAP_PERFMON of this user namespace is not enough. Record on the host, or in a container without a user namespace",
		       path, strerror(err));
	else
		wp_err("%s: %s: a security policy refuses it, despite CAP_PERFMON. Look for a container's device list, SELinux or AppArmor",
		       path, strerror(err));
}

/* kernel.perf_event_paranoid; 0 if it cannot be read. */
static int read_paranoid(void)
{
	FILE *f = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int level = 0;

	if (f && fscanf(f, "%d", &level) != 1)
		level = 0;
	if (f)
		fclose(f);
	return level;
}

/**
 * wp_rights_no_event() - explain why perf_event_open(2) was refused
 * @cpu: CPU of the event
 * @err: EPERM or EACCES
 */
void wp_rights_no_event(int cpu, int err)
{
	int paranoid = read_paranoid();

	/* Debian's kernels have this level, as their default. */
	if (paranoid > 2 && !wp_rights_has(CAP_SYS_ADMIN))
		wp_err("cannot follow processes (perf_event_open on CPU %d: %s): kernel.perf_event_paranoid is %d, which needs CAP_SYS_ADMIN. Use sudo, or set it to 2: sysctl kernel.perf_event_paranoid=2",
		       cpu, strerror(err), paranoid);
	else if (!may_record())
		wp_err("cannot follow processes (perf_event_open on CPU %d: %s): CAP_PERFMON is missing. "
		       REMEDY, cpu, strerror(err));
	else
		wp_err("cannot follow processes (perf_event_open on CPU %d: %s): a security policy refuses it, despite CAP_PERFMON. Look for a container's seccomp filter or SELinux",
		       cpu, strerror(err));
}

/**
 * wp_rights_no_memory() - explain why locked memory was refused
 * @fmt: printf format: purpose of the memory
 */
void wp_rights_no_memory(const char *fmt, ...)
{
	struct rlimit limit;
	char what[128];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	if (!wp_rights_has(CAP_IPC_LOCK) && !getrlimit(RLIMIT_MEMLOCK, &limit) &&
	    limit.rlim_cur != RLIM_INFINITY)
		wp_err("no memory for %s: RLIMIT_MEMLOCK (ulimit -l) is %llu KiB, and CAP_IPC_LOCK is missing. Raise the limit, use sudo, or see RIGHTS in 'man wallprof'",
		       what, (unsigned long long)limit.rlim_cur / 1024);
	else
		wp_err("no memory for %s: try a smaller -m", what);
}
