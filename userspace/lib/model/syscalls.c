// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the names of system calls, and the kinds of their first arguments. Names come from
 * libseccomp, by architecture, 32-bit programs included; a call that libseccomp does not
 * know has only a number. Called by cause.c, objects.c and the record command, from one
 * thread.
 */
#include <linux/types.h>
#include <linux/wallprof.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/syscalls.h"

/*
 * Calls that can block and whose first argument is an open file. Not close(), after which
 * the number can be reused; nor calls that start at a directory, for they wait for what
 * they find below.
 */
static const char *const fd_calls[] = {
	"accept", "accept4", "connect", "copy_file_range", "epoll_pwait", "epoll_pwait2",
	"epoll_wait", "fadvise64", "fallocate", "fcntl", "fcntl64", "fdatasync", "flock",
	"fsync", "ftruncate", "ftruncate64", "getdents", "getdents64", "io_uring_enter",
	"ioctl", "lseek", "_llseek", "mq_timedreceive", "mq_timedreceive_time64",
	"mq_timedsend", "mq_timedsend_time64", "pread64", "preadv", "preadv2", "pwrite64",
	"pwritev", "pwritev2", "read", "readahead", "readv", "recv", "recvfrom", "recvmmsg",
	"recvmmsg_time64", "recvmsg", "send", "sendfile", "sendfile64", "sendmmsg",
	"sendmsg", "sendto", "shutdown", "splice", "sync_file_range", "sync_file_range2",
	"syncfs", "tee", "vmsplice", "write", "writev",
};

static const char *const futex_calls[] = { "futex", "futex_time64", "futex_wait" };

/*
 * Calls in which an event loop waits for any event. Not calls that wait for something in
 * particular: a lock, a time, a child, an answer on one descriptor.
 */
static const char *const idle_calls[] = {
	"accept", "accept4", "epoll_pwait", "epoll_pwait2", "epoll_wait", "io_getevents",
	"io_pgetevents", "io_pgetevents_time64", "io_uring_enter", "_newselect", "pause",
	"poll", "ppoll", "ppoll_time64", "pselect6", "pselect6_time64", "rt_sigsuspend",
	"rt_sigtimedwait", "rt_sigtimedwait_time64", "select", "sigsuspend",
};

#define NR(list)	(sizeof(list) / sizeof(list[0]))

/* Architecture of 32-bit programs on such a machine. */
static __u32 compat_arch(__u32 arch)
{
	switch (arch) {
	case SCMP_ARCH_X86_64:
		return SCMP_ARCH_X86;
	case SCMP_ARCH_AARCH64:
		return SCMP_ARCH_ARM;
	default:
		return arch;
	}
}

static bool in(const char *const *list, size_t nr, const char *name)
{
	while (nr--) {
		if (!strcmp(list[nr], name))
			return true;
	}
	return false;
}

/* Properties of a call; looked up once. */
struct call {
	__u8 known;
	__u8 arg;
	__u8 idle;
};

static struct call call_of(unsigned int nr, bool compat)
{
	static struct call calls[2][1024];
	struct call *call;
	char name[32];

	if (nr >= NR(calls[0]))
		return (struct call){};
	call = &calls[compat][nr];
	if (call->known)
		return *call;
	wp_syscall_name(nr, compat, name, sizeof(name));
	call->known = true;
	call->arg = in(fd_calls, NR(fd_calls), name) ? WP_ARG_FD :
		    in(futex_calls, NR(futex_calls), name) ? WP_ARG_FUTEX : WP_ARG_OTHER;
	call->idle = in(idle_calls, NR(idle_calls), name);
	return *call;
}

/**
 * wp_syscall_arg() - kind of a system call's first argument
 * @nr: its number, or one of WALLPROF_SYSCALL_*
 * @compat: it is in the 32-bit table
 *
 * Return: the kind.
 */
enum wp_syscall_arg wp_syscall_arg(unsigned int nr, bool compat)
{
	return call_of(nr, compat).arg;
}

/**
 * wp_syscall_idle() - whether event loops wait in a system call for any event
 * @nr: its number, or one of WALLPROF_SYSCALL_*
 * @compat: it is in the 32-bit table
 *
 * Return: true if they do.
 */
bool wp_syscall_idle(unsigned int nr, bool compat)
{
	return call_of(nr, compat).idle;
}

/**
 * wp_syscall_idle_name() - the same for a call given by its name
 * @name: the name
 *
 * Return: true if they do.
 */
bool wp_syscall_idle_name(const char *name)
{
	return in(idle_calls, NR(idle_calls), name);
}

/**
 * wp_syscall_is() - whether there is a system call with a name
 * @name: the name
 *
 * Return: true if this or any other machine has it.
 */
bool wp_syscall_is(const char *name)
{
	return seccomp_syscall_resolve_name(name) != __NR_SCMP_ERROR;
}

/**
 * wp_syscall_name() - name of a system call
 * @nr: its number, or one of WALLPROF_SYSCALL_*
 * @compat: it is in the 32-bit table
 * @buf: room for it
 * @size: size of @buf; 32 is enough
 *
 * Return: "futex", …, "syscall 999" for one without a name, "-" for none; in
 * @buf or constant.
 */
const char *wp_syscall_name(unsigned int nr, bool compat, char *buf, size_t size)
{
	return wp_syscall_name_on(NULL, nr, compat, buf, size);
}

/**
 * wp_syscall_name_on() - name of a system call on some machine
 * @arch: the machine as printed by uname -m: "x86_64", "aarch64"; NULL for this one. On
 *	an unknown one calls only have numbers
 * @nr: its number, or one of WALLPROF_SYSCALL_*
 * @compat: it is in the 32-bit table
 * @buf: room for it
 * @size: size of @buf; 32 is enough
 *
 * Return: the same as wp_syscall_name().
 */
const char *wp_syscall_name_on(const char *arch, unsigned int nr, bool compat, char *buf,
			       size_t size)
{
	__u32 token = arch ? seccomp_arch_resolve_name(arch) : seccomp_arch_native();
	char *name;

	if (nr == WALLPROF_SYSCALL_NONE)
		return "-";
	if (nr == WALLPROF_SYSCALL_OTHER)
		return "another syscall";
	if (compat)
		token = compat_arch(token);
	name = token ? seccomp_syscall_resolve_num_arch(token, nr) : NULL;
	if (name)
		snprintf(buf, size, "%s", name);
	else
		snprintf(buf, size, "syscall %u", nr);
	free(name);
	return buf;
}
