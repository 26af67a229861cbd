// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the restrictions of a process that reads untrusted files.
 *
 * wp_confine_process() is for the zygote, which reads no file: no capability, no signal,
 * no descriptor but one, no privilege by an exec. wp_confine_calls() is for its workers:
 * a list of allowed system calls. All others fail with EPERM, so that a C library that
 * tries a new one can fall back. In particular: nothing is opened, created, executed,
 * connected, mapped executable, sent to another process, and no path is looked up.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "lib/base/dir.h"
#include "lib/sandbox/confine.h"

/*
 * Limit of a worker's descriptors: the socket, /dev/null three times, files of one
 * request.
 */
#define MAX_FDS		64

/* The kernel's limit for the instructions of a filter. */
#define MAX_FILTER	4096

/*
 * System calls that workers may make, whatever the arguments: to read a descriptor, to
 * manage memory, and calls without side effects. For those with conditions see
 * add_rules().
 */
static const int allowed[] = {
	SCMP_SYS(read), SCMP_SYS(pread64), SCMP_SYS(readv), SCMP_SYS(preadv),
	SCMP_SYS(lseek), SCMP_SYS(fstat), SCMP_SYS(close),
	SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(brk), SCMP_SYS(madvise),
	SCMP_SYS(futex), SCMP_SYS(clock_gettime), SCMP_SYS(getrandom),
	SCMP_SYS(sched_yield), SCMP_SYS(getpid), SCMP_SYS(gettid),
	SCMP_SYS(rt_sigreturn), SCMP_SYS(rt_sigprocmask), SCMP_SYS(sigaltstack),
	SCMP_SYS(exit), SCMP_SYS(exit_group),
};

static const int fcntls[] = { F_GETFD, F_GETFL, F_DUPFD_CLOEXEC };

static void close_others(int keep)
{
	struct dirent *e;
	DIR *d;
	int fd;

#ifdef SYS_close_range
	if (!syscall(SYS_close_range, keep + 1, ~0U, 0) &&
	    (keep <= 3 || !syscall(SYS_close_range, 3, keep - 1, 0)))
		return;
#endif
	d = wp_opendirat(AT_FDCWD, "/proc/self/fd");
	while (d && (e = readdir(d))) {
		fd = atoi(e->d_name);
		if (fd > 2 && fd != keep && fd != dirfd(d))
			close(fd);
	}
	if (d)
		closedir(d);
}

/* Output of libraries is discarded; later descriptors cannot become standard output. */
static int close_standard(void)
{
	int fd = open("/dev/null", O_RDWR), i;

	for (i = 0; i < 3; i++) {
		if (fd < 0 || (fd != i && dup2(fd, i) < 0))
			return -errno;
	}
	return 0;
}

/**
 * wp_confine_descriptors() - ignore signals, and close all descriptors but one
 * @keep: that descriptor, above 2
 *
 * Return: 0 or a negative errno.
 */
int wp_confine_descriptors(int keep)
{
	sigset_t set;

	/* The terminal's Ctrl-C is for the parent, which ends us. */
	sigfillset(&set);
	sigdelset(&set, SIGSYS);
	sigprocmask(SIG_SETMASK, &set, NULL);
	close_others(keep);
	return close_standard();
}

/* Let the OOM killer prefer the process that reads files. */
static void set_oom_score(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	/* Without it only the choice is worse. */
	if (write(fd, "1000", 4) < 0)
		errno = 0;
	close(fd);
}

/**
 * wp_confine_capabilities() - drop all capabilities
 *
 * The permitted set is empty then, and the bounding set if it may be changed: no uid and no
 * exec brings a capability back.
 *
 * Return: 0 or a negative errno.
 */
int wp_confine_capabilities(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { { 0 } };
	int cap;

	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	/*
	 * Without the permission to drop it, the process does not have it, or cannot use
	 * it without an exec.
	 */
	for (cap = 0; !prctl(PR_CAPBSET_DROP, cap, 0, 0, 0); cap++)
		;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_capset, &head, none))
		return -errno;
	return 0;
}

static void limit(int what, rlim_t to)
{
	struct rlimit lim = { to, to };

	setrlimit(what, &lim);
}

/* Without a system call filter, only another uid keeps it from root's files. */
static void become_nobody(void)
{
	static const unsigned int nobody = 65534;

	if (geteuid() || syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0,
				 &(__u32){ SECCOMP_RET_ERRNO }) == 0)
		return;
	if (syscall(SYS_setgroups, 0, NULL) || syscall(SYS_setresgid, nobody, nobody, nobody) ||
	    syscall(SYS_setresuid, nobody, nobody, nobody))
		errno = 0;
}

/**
 * wp_confine_process() - drop everything but descriptors and system calls
 * @keep: a descriptor that stays open, above 2
 *
 * For a single-threaded process.
 *
 * Return: 0 or a negative errno: the process must not go on.
 */
int wp_confine_process(int keep)
{
	int err;

	set_oom_score();
	err = wp_confine_descriptors(keep);
	if (err)
		return err;
	if (chdir("/"))
		return -errno;
	become_nobody();
	err = wp_confine_capabilities();
	if (err)
		return err;
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_FSIZE, 0);
	limit(RLIMIT_NOFILE, MAX_FDS);
	limit(RLIMIT_MEMLOCK, 0);
	limit(RLIMIT_MSGQUEUE, 0);
	/*
	 * Protects against debuggers of the same user, and hides what is read here from
	 * /proc.
	 */
	return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) ? -errno : 0;
}

/*
 * The C library may implement fstat() as newfstatat(fd, "", AT_EMPTY_PATH), which a
 * filter cannot distinguish from a path lookup.
 */
static void fstat_by_path(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
#if defined(__x86_64__)
	greg_t *regs = uc->uc_mcontext.gregs;
	long fd = regs[REG_RDI], path = regs[REG_RSI], st = regs[REG_RDX], flags = regs[REG_R10];
	greg_t *result = &regs[REG_RAX];
#elif defined(__aarch64__)
	unsigned long long *regs = uc->uc_mcontext.regs, *result = &regs[0];
	long fd = regs[0], path = regs[1], st = regs[2], flags = regs[3];
#else
#error "no system calls by registers of this machine"
#endif
	long ret = -EPERM;

	(void)sig;
	if (info->si_syscall == SYS_newfstatat && fd >= 0 && flags == AT_EMPTY_PATH &&
	    path && !*(const char *)path)
		ret = syscall(SYS_fstat, fd, st) ? -errno : 0;
	*result = ret;
}

static int add_rules(scmp_filter_ctx ctx, int sock)
{
	size_t i;
	int err = 0;

	for (i = 0; i < sizeof(allowed) / sizeof(allowed[0]) && !err; i++)
		err = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, allowed[i], 0);
	/* No executable mappings. */
	if (!err)
		err = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1,
				       SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
	if (!err)
		err = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1,
				       SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
	for (i = 0; i < sizeof(fcntls) / sizeof(fcntls[0]) && !err; i++)
		err = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(fcntl), 1,
				       SCMP_A1(SCMP_CMP_EQ, fcntls[i]));
	/* Its socket is connected: it cannot send elsewhere. */
	if (!err)
		err = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(recvmsg), 1,
				       SCMP_A0(SCMP_CMP_EQ, sock));
	if (!err)
		err = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(sendmsg), 1,
				       SCMP_A0(SCMP_CMP_EQ, sock));
	if (!err)
		err = seccomp_rule_add(ctx, SCMP_ACT_TRAP, SCMP_SYS(newfstatat), 0);
	return err;
}

static int read_filter(struct sock_fprog *filter, int fd)
{
	ssize_t n;

	filter->filter = calloc(MAX_FILTER, sizeof(*filter->filter));
	if (!filter->filter)
		return -ENOMEM;
	n = read(fd, filter->filter, MAX_FILTER * sizeof(*filter->filter));
	if (n <= 0 || n % sizeof(*filter->filter))
		return -EIO;
	filter->len = n / sizeof(*filter->filter);
	return 0;
}

/**
 * wp_confine_make_filter() - build the system call filter for wp_confine_calls()
 * @filter: set to the filter; empty if there is none
 * @sock: the only descriptor that workers may send to and receive from
 *
 * Return: 0 or a negative errno.
 */
int wp_confine_make_filter(struct sock_fprog *filter, int sock)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int fds[2] = { -1, -1 }, err;

	memset(filter, 0, sizeof(*filter));
	if (!ctx)
		return -ENOMEM;
	/* A pipe has room for the longest filter. */
	err = seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
	if (!err)
		err = add_rules(ctx, sock);
	if (!err && pipe(fds))
		err = -errno;
	if (!err)
		err = seccomp_export_bpf(ctx, fds[1]);
	if (!err)
		err = read_filter(filter, fds[0]);
	if (fds[0] >= 0) {
		close(fds[0]);
		close(fds[1]);
	}
	seccomp_release(ctx);
	return err;
}

/**
 * wp_confine_calls() - install the system call filter
 * @filter: the filter
 *
 * Return: true if the kernel enforces it. If not, the process has the rights of an
 * unprivileged user.
 */
bool wp_confine_calls(const struct sock_fprog *filter)
{
	struct sigaction act = { .sa_sigaction = fstat_by_path, .sa_flags = SA_SIGINFO };

	return filter->len && !sigaction(SIGSYS, &act, NULL) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, filter, 0, 0);
}

/**
 * wp_confine_memory() - limit the address space
 * @bytes: the limit
 * @fixed: for good; else the parent may raise it later
 *
 * No effect under a sanitizer.
 */
void wp_confine_memory(__u64 bytes, bool fixed)
{
	struct rlimit lim;

	if (WP_SANITIZED || getrlimit(RLIMIT_AS, &lim))
		return;
	lim.rlim_cur = bytes < lim.rlim_max ? bytes : lim.rlim_max;
	if (fixed)
		lim.rlim_max = lim.rlim_cur;
	setrlimit(RLIMIT_AS, &lim);
}
