// SPDX-License-Identifier: GPL-2.0
/*
 * Preloaded: the reader finds the device, the module and perf_event_open(2) as the
 * environment says, on a machine without a module. Nothing else changes.
 *
 *   WP_OPEN=N        opening the device fails with errno N; unset: there is none
 *   WP_ABI=N         it opens, and the module has this version of the interface
 *   WP_INSTALLED=DIR the running kernel has the module in this directory of its own
 *   WP_MODULE=FILE   and this is its file
 *   WP_NO_LOADING    kernel.modules_disabled is 1
 *   WP_PMU=counts    a hardware counter that cannot sample; WP_PMU=samples: one that can
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <linux/perf_event.h>
#include <linux/wallprof.h>

static int open_device(void)
{
	const char *refused = getenv("WP_OPEN");

	if (getenv("WP_ABI"))
		return openat(AT_FDCWD, "/dev/null", O_RDWR | O_CLOEXEC);
	errno = refused ? atoi(refused) : ENOENT;
	return -1;
}

/* A file of one line, "1". */
static int open_one(void)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	if (write(ends[1], "1\n", 2) != 2)
		abort();
	close(ends[1]);
	return ends[0];
}

int open64(const char *path, int flags, ...)
{
	int (*real)(const char *path, int flags, ...) = dlsym(RTLD_NEXT, "open64");
	va_list ap;
	int mode;

	va_start(ap, flags);
	mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, int) : 0;
	va_end(ap);
	if (getenv("WP_NO_LOADING") && !strcmp(path, "/proc/sys/kernel/modules_disabled"))
		return open_one();
	if (getenv("WP_MODULE") && !strncmp(path, "/lib/modules/", 13))
		path = getenv("WP_MODULE");
	return strcmp(path, WALLPROF_DEVICE) ? real(path, flags, mode) : open_device();
}

/* zlib's. */
int open_plain(const char *path, int flags, int mode) __asm__("open");
int open_plain(const char *path, int flags, int mode)
{
	return open64(path, flags, mode);
}

int ioctl(int fd, unsigned long request, ...)
{
	int (*real)(int fd, unsigned long request, ...) = dlsym(RTLD_NEXT, "ioctl");
	const char *version = getenv("WP_ABI");
	struct wallprof_info *info;
	va_list ap;
	void *arg;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (request != WALLPROF_IOC_INFO || !version)
		return real(fd, request, arg);
	info = arg;
	info->abi_version = atoi(version);
	info->nr_cpus = 1;
	info->nr_online = 1;
	info->page_size = 4096;
	strcpy((char *)info->version, "9.9.9");
	return 0;
}

int access(const char *path, int mode)
{
	int (*real)(const char *path, int mode) = dlsym(RTLD_NEXT, "access");
	const char *dir = getenv("WP_INSTALLED");
	struct utsname host;
	char wanted[512];

	uname(&host);
	snprintf(wanted, sizeof(wanted), "/lib/modules/%s/%s/wallprof.ko", host.release,
		 dir ? dir : "");
	if (!strncmp(path, "/lib/modules/", 13) || !strcmp(path, "/sys/module/wallprof"))
		return dir && !strcmp(path, wanted) ? 0 : -1;
	return strcmp(path, WALLPROF_DEVICE) ? real(path, mode) : 0;
}

static int open_counter(const struct perf_event_attr *attr, const char *pmu)
{
	if (!attr->sample_period || !strcmp(pmu, "samples"))
		return openat(AT_FDCWD, "/dev/null", O_RDONLY | O_CLOEXEC);
	errno = EOPNOTSUPP;
	return -1;
}

long syscall(long nr, ...)
{
	long (*real)(long nr, ...) = dlsym(RTLD_NEXT, "syscall");
	const char *pmu = getenv("WP_PMU");
	const struct perf_event_attr *attr;
	long arg[6];
	va_list ap;
	int i;

	va_start(ap, nr);
	for (i = 0; i < 6; i++)
		arg[i] = va_arg(ap, long);
	va_end(ap);
	attr = (const void *)arg[0];
	if (pmu && nr == SYS_perf_event_open && attr->type == PERF_TYPE_HARDWARE)
		return open_counter(attr, pmu);
	return real(nr, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}
