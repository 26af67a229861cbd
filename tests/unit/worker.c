// SPDX-License-Identifier: GPL-2.0
/*
 * Workers that do what one could do that was taken over by the file that it reads: nothing
 * comes of it but the end of that worker, and the others go on. Built without sanitizers,
 * which take more memory and system calls than a worker has.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/sandbox/worker.h"
#include "lib/sandbox/zygote.h"
#include "tap.h"

#define MB (1ULL << 20)
#define SOCK 3		/* a worker's socket */

/* What the jobs of this test are. */
enum kind {
	GOOD = 1, ECHO, BIG, READ, SIZE, SPIN, EAT, CRASH, LEAVE, GARBAGE, ENDLESS, POSITIVE,
	NEVER, SILENT_READ, CALL,
};

/* System calls that are tried, by job.flags; all are to fail. */
enum call {
	OPEN, OPENAT, CREATE, STAT, STATX, READLINK, SOCKET, FORK, EXEC, KILL, PTRACE, MMAP_EXEC,
	MPROTECT_EXEC, PRLIMIT, SETRLIMIT, PRCTL, UNLINK, CHMOD, FCHMOD, WRITE, FTRUNCATE,
	IOCTL, DUP, PIPE, MEMFD, SETUID, UNSHARE, MOUNT, BPF, PERF, NR_CALLS,
};

static const char *const call_names[NR_CALLS] = {
	"open", "openat", "create", "stat", "statx", "readlink", "socket", "fork", "execve",
	"kill", "ptrace", "mmap of code", "mprotect to code", "prlimit", "setrlimit", "prctl",
	"unlink", "chmod", "fchmod", "write", "ftruncate", "ioctl", "dup", "pipe",
	"memfd_create", "setuid", "unshare", "mount", "bpf", "perf_event_open",
};

static long try_call(enum call call, int fd)
{
	static char page[8192] __attribute__((aligned(4096)));
	static char *const argv[] = { (char *)"/bin/true", NULL };
	struct rlimit lim = { RLIM_INFINITY, RLIM_INFINITY };
	struct stat st;

	switch (call) {
#ifdef SYS_open
	case OPEN: return syscall(SYS_open, "/etc/passwd", O_RDONLY);
	case STAT: return syscall(SYS_stat, "/etc/passwd", &st);
	case READLINK: return syscall(SYS_readlink, "/proc/self/exe", page, sizeof(page));
	case UNLINK: return syscall(SYS_unlink, "/nonexistent");
	case CHMOD: return syscall(SYS_chmod, "/nonexistent", 0777);
	case FORK: return syscall(SYS_fork);
#endif
	case OPENAT: return syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY);
	case CREATE: return syscall(SYS_openat, AT_FDCWD, "/tmp/x", O_CREAT | O_RDWR, 0600);
	case STATX: return syscall(SYS_statx, AT_FDCWD, "/etc/passwd", 0, 0, page);
	case SOCKET: return socket(AF_INET, SOCK_STREAM, 0);
	case EXEC: return execve(argv[0], argv, argv + 1);
	case KILL: return kill(1, 0);
	case PTRACE: return ptrace(PTRACE_ATTACH, 1, NULL, NULL);
	case MMAP_EXEC:
		return (long)mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
				  -1, 0);
	case MPROTECT_EXEC: return mprotect(page, 4096, PROT_READ | PROT_EXEC);
	case PRLIMIT: return syscall(SYS_prlimit64, 0, RLIMIT_AS, &lim, NULL);
	case SETRLIMIT: return syscall(SYS_setrlimit, RLIMIT_AS, &lim);
	case PRCTL: return prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
	case FCHMOD: return fchmod(fd, 0777);
	case WRITE: return write(fd, "x", 1);
	case FTRUNCATE: return ftruncate(fd, 0);
	case IOCTL: return syscall(SYS_ioctl, fd, 0x5401, page);
	case DUP: return dup(fd);
	case PIPE: return syscall(SYS_pipe2, page, 0);
	case MEMFD: return syscall(SYS_memfd_create, "x", 0);
	case SETUID: return syscall(SYS_setuid, getuid());
	case UNSHARE: return syscall(SYS_unshare, 0x10000000);
	case MOUNT: return syscall(SYS_mount, "x", "/", "tmpfs", 0, NULL);
	case BPF: return syscall(SYS_bpf, 0, page, 0);
	case PERF: return syscall(SYS_perf_event_open, page, 0, -1, -1, 0);
	default: break;
	}
	/* Not on this machine. */
	errno = EPERM;
	return -1;
}

static void send_raw(const void *data, size_t size)
{
	const struct iovec iov = { (void *)data, size };

	if (!wp_zygote_send(SOCK, &iov, 1, NULL, 0, 0))
		_exit(1);
}

/* Memory is taken until there is none; returns how many MB there were. */
static int eat(void)
{
	int nr = 0;
	char *at;

	for (; nr < 4096 && (at = malloc(MB)); nr++)
		memset(at, 1, MB);
	return nr;
}

static int do_job(const struct wp_job *job, struct wp_job_answer *answer)
{
	const int *fds = job->fds;
	static char bytes[300000];
	__u32 word = 0;
	struct stat st;
	int n;

	switch (job->head.kind) {
	case GOOD:
		wp_job_add(answer, "good", 4);
		return 0;
	case ECHO:
		wp_job_add(answer, job->text, job->size);
		return 0;
	case BIG:
		memset(bytes, 'b', sizeof(bytes));
		wp_job_add(answer, bytes, sizeof(bytes));
		return 0;
	case READ:
		n = job->nr_fds == 2 ? pread(fds[1], bytes, 100, 0) : -1;
		wp_job_add(answer, bytes, n < 0 ? 0 : n);
		return 0;
	case SIZE:
		/* As newer C libraries ask, and older ones. */
		if (syscall(SYS_newfstatat, fds[0], "", &st, AT_EMPTY_PATH) ||
		    st.st_size != 5 || fstat(fds[0], &st) || st.st_size != 5)
			return -EIO;
		return syscall(SYS_newfstatat, fds[0], "x", &st, AT_EMPTY_PATH) == -1 ? 0 : -EEXIST;
	case SPIN:
		for (;;)
			asm volatile("" : : : "memory");
	case EAT:
		n = eat();
		wp_job_add(answer, &n, sizeof(n));
		return 0;
	case CRASH:
		raise(SIGKILL);
		*(volatile int *)8 = 1;
		return 0;
	case LEAVE:
		_exit(0);
	case GARBAGE:
		send_raw("x", 1);
		return 0;
	case POSITIVE:
		return 7;
	case ENDLESS:
		for (;;)
			wp_job_add(answer, bytes, sizeof(bytes));
	case NEVER:
		for (;;)
			syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
	case SILENT_READ:
		return read(fds[0], bytes, 1) == 1 ? 0 : -EIO;
	case CALL:
		errno = 0;
		return try_call(job->head.flags, fds[0]) == -1 ? -errno : 0;
	}
	return -EINVAL;
}

static int do_one(struct wp_worker *w, __u32 kind, __u32 flags, const int *fds, unsigned int nr,
		  struct wp_answer *answer)
{
	struct wp_job job = { .head = { .kind = kind, .flags = flags }, .nr_fds = nr };
	int err;

	if (nr)
		memcpy(job.fds, fds, nr * sizeof(*fds));
	err = wp_worker_ask(w, &job);
	return err ? err : wp_worker_wait(w, answer);
}

static int file_of(const char *text)
{
	int fd = memfd_create("text", MFD_CLOEXEC);
	char path[64];
	int ro;

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ro = open(path, O_RDONLY | O_CLOEXEC);
	close(fd);
	return ro;
}

static void in_order(void)
{
	struct wp_worker *w = wp_worker_new(NULL);
	int fds[2] = { file_of("first"), file_of("second") };
	struct wp_job big = { .head.kind = BIG }, good = { .head.kind = GOOD };
	struct wp_job text = { 0 };
	struct wp_answer a;
	unsigned int i;
	bool all = true;

	if (!ok(w != NULL, "there is a worker"))
		return;
	ok(!do_one(w, GOOD, 0, NULL, 0, &a) && !a.err && a.size == 4 && !memcmp(a.data, "good", 4),
	   "it answers");
	text.head.kind = ECHO;
	text.text = "some text";
	text.size = 9;
	ok(!wp_worker_ask(w, &text) && !wp_worker_wait(w, &a) && a.size == 9 &&
	   !memcmp(a.data, "some text", 9), "it is handed text");
	text.size = WP_JOB_TEXT + 1;
	ok(wp_worker_ask(w, &text) == -EBUSY, "but not more than there is room for");
	ok(!do_one(w, BIG, 0, NULL, 0, &a) && a.size == 300000 && ((char *)a.data)[299999] == 'b',
	   "also at length");
	ok(!do_one(w, READ, 0, fds, 2, &a) && a.size == 6 && !memcmp(a.data, "second", 6),
	   "it reads what it is handed");
	ok(!do_one(w, SIZE, 0, fds, 1, &a) && !a.err, "it may ask for the size of that, by no path");
	ok(!do_one(w, 999, 0, NULL, 0, &a) && a.err == -EINVAL, "an error is an answer");
	for (i = 0; i < WP_WORKER_DEPTH; i++)
		all &= !wp_worker_ask(w, i % 2 ? &big : &good);
	ok(all && wp_worker_ask(w, &good) == -EBUSY, "it has several jobs at once");
	for (i = 0; i < WP_WORKER_DEPTH; i++)
		all &= !wp_worker_wait(w, &a) && a.size == (i % 2 ? 300000 : 4);
	ok(all, "answers come in their order");
	wp_worker_free(w);
	close(fds[0]);
	close(fds[1]);
}

static void rights(void)
{
	struct wp_worker *w = wp_worker_new(NULL);
	int fd = file_of("first");
	struct wp_answer a;
	int i;

	for (i = 0; i < NR_CALLS; i++)
		ok(!do_one(w, CALL, i, &fd, 1, &a) && a.err == -EPERM, "it may not: %s",
		   call_names[i]);
	ok(!do_one(w, GOOD, 0, NULL, 0, &a) && a.size == 4, "it goes on after that");
	wp_worker_free(w);
	close(fd);
}

/* Field of /proc/PID/status. */
static bool status_is(pid_t pid, const char *field, const char *want)
{
	char path[64], line[256], format[64], value[128] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	snprintf(format, sizeof(format), "%s: %%127s", field);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, format, value) == 1)
			break;
	}
	if (f)
		fclose(f);
	return !strcmp(value, want);
}

static pid_t child_of(pid_t pid)
{
	char path[64];
	int child = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
	f = fopen(path, "re");
	if (f && fscanf(f, "%d", &child) != 1)
		child = 0;
	if (f)
		fclose(f);
	return child;
}

static void as_seen_from_outside(void)
{
	struct wp_worker *w = wp_worker_new(NULL);
	pid_t zygote = child_of(getpid()), pid;
	struct wp_answer a;

	do_one(w, GOOD, 0, NULL, 0, &a);
	pid = child_of(zygote);
	ok(pid > 0 && status_is(pid, "CapEff", "0000000000000000") &&
	   status_is(pid, "CapPrm", "0000000000000000") &&
	   status_is(pid, "CapInh", "0000000000000000") &&
	   status_is(pid, "CapAmb", "0000000000000000"), "a worker has no capability");
	ok(geteuid() || status_is(pid, "CapBnd", "0000000000000000"), "and can get none");
	ok(status_is(pid, "Seccomp", "2") && status_is(pid, "NoNewPrivs", "1"),
	   "its system calls are filtered");
	ok(status_is(zygote, "CapEff", "0000000000000000") && status_is(zygote, "NoNewPrivs", "1"),
	   "nor has the process that it is forked by");
	wp_worker_free(w);
}

/* A job that costs the worker its life: and the next one has another. */
static void fails(__u32 kind, const int *fds, const struct wp_worker_limits *limits, int want,
		  const char *what)
{
	struct wp_worker *w = wp_worker_new(limits);
	struct wp_answer a;
	int err = 0, i;

	/* Some give themselves away with the next job. */
	for (i = 0; i < 2 && !err; i++)
		err = do_one(w, kind, 0, fds, fds ? 1 : 0, &a);
	ok(err == want, "a worker that %s: %s", what, wp_worker_reason(err));
	wp_worker_free(w);
	w = wp_worker_new(NULL);
	ok(w && !do_one(w, GOOD, 0, NULL, 0, &a) && a.size == 4, "the next one works");
	wp_worker_free(w);
}

static void bad_ones(void)
{
	static const struct wp_worker_limits little = {
		.cpu_ns = 50000000, .stuck_ns = 600000000000ULL, .memory = 256 * MB, .answer = MB,
	}, patient = {
		.cpu_ns = 600000000000ULL, .stuck_ns = 50000000, .memory = 256 * MB, .answer = MB,
	}, memory = {
		.cpu_ns = 600000000000ULL, .stuck_ns = 600000000000ULL, .memory = 256 * MB,
		.answer = MB,
	};
	struct wp_worker *w;
	struct wp_answer a;
	int fds[2], eaten;

	fails(SPIN, NULL, &little, -ETIME, "spins");
	fails(CRASH, NULL, NULL, -EPIPE, "crashes");
	fails(LEAVE, NULL, NULL, -EPIPE, "leaves");
	fails(GARBAGE, NULL, NULL, -EPROTO, "sends garbage");
	fails(POSITIVE, NULL, NULL, -EPROTO, "sends no error code");
	ok(strcmp(wp_worker_reason(-EPROTO), wp_worker_reason(-EPIPE)),
	   "an answer that is refused is not called a crash");
	fails(ENDLESS, NULL, &memory, -EMSGSIZE, "sends too much");
	fails(NEVER, NULL, &patient, -ETIMEDOUT, "never answers");
	if (pipe2(fds, O_CLOEXEC))
		return;
	fails(SILENT_READ, fds, &patient, -ETIMEDOUT, "reads from one that never answers");
	close(fds[0]);
	close(fds[1]);
	w = wp_worker_new(&memory);
	ok(w && !do_one(w, EAT, 0, NULL, 0, &a) && !a.err && a.size == sizeof(eaten),
	   "a worker that takes all memory");
	memcpy(&eaten, a.data, sizeof(eaten));
	ok(eaten > 64 && eaten < 256, "has %d MB of 256", eaten);
	wp_worker_free(w);
}

/* A large file may take more, and the one behind it no more than before. */
static void large_file(void)
{
	static const struct wp_worker_limits memory = {
		.cpu_ns = 600000000000ULL, .stuck_ns = 600000000000ULL, .memory = 64 * MB,
		.answer = MB,
	};
	struct wp_worker *w = wp_worker_new(&memory);
	int fd = memfd_create("large", MFD_CLOEXEC), sparse = memfd_create("sparse", MFD_CLOEXEC);
	int eaten = 0;
	struct wp_answer a;

	if (posix_fallocate(fd, 0, 130 * MB) || ftruncate(sparse, 1 << 30))
		return;
	if (!do_one(w, EAT, 0, &fd, 1, &a) && a.size == sizeof(eaten))
		memcpy(&eaten, a.data, sizeof(eaten));
	ok(eaten > 250, "a large file may take more memory: %d MB", eaten);
	wp_worker_free(w);
	w = wp_worker_new(&memory);
	if (!do_one(w, EAT, 0, &sparse, 1, &a) && a.size == sizeof(eaten))
		memcpy(&eaten, a.data, sizeof(eaten));
	ok(eaten < 64, "one that is all hole may not: %d MB", eaten);
	wp_worker_free(w);
	close(fd);
	close(sparse);
}

static void killed(void)
{
	struct wp_worker *w = wp_worker_new(NULL);
	pid_t zygote = child_of(getpid());
	struct wp_answer a;

	kill(zygote, SIGKILL);
	ok(do_one(w, GOOD, 0, NULL, 0, &a) || a.size == 4, "who forks workers is killed");
	wp_worker_free(w);
	w = wp_worker_new(NULL);
	ok(w && !do_one(w, GOOD, 0, NULL, 0, &a) && a.size == 4 && child_of(getpid()) != zygote,
	   "another one comes");
	wp_worker_free(w);
	wp_worker_end();
	ok(!child_of(getpid()), "at the end none is left");
}

int main(void)
{
	wp_set_verbosity(WP_SILENT);
	if (wp_zygote_begin(do_job))
		return 1;
	in_order();
	rights();
	as_seen_from_outside();
	bad_ones();
	large_file();
	killed();
	return done();
}
