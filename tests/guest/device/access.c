// SPDX-License-Identifier: GPL-2.0
/*
 * Whose memory MAPS lets a caller read: by unwind tables that it makes up it can have
 * any word read, so it needs what ptrace would ask for.
 *
 * Each test makes its targets as root, becomes the caller, user USER with CAP_PERFMON
 * alone, and tries. Every refusal is held against process_vm_readv(), which asks for
 * more than we do (PTRACE_MODE_ATTACH_REALCREDS), but nothing that a kernel without
 * Yama distinguishes.
 */
#include "device.h"
#include "table.h"

#include <grp.h>
#include <sys/prctl.h>
#include <sys/uio.h>

#define USER	1002
#define OTHER	1001

/* What a target is, besides of uid and gid @ruid: */
enum {
	HIDDEN		= 1 << 0,	/* not dumpable */
	OTHER_GROUP	= 1 << 1,
	CAPABLE		= 1 << 2,	/* with a capability, CAP_KILL */
	INNER		= 1 << 3,	/* in a user namespace of its own */
};

struct target {
	unsigned int ruid, euid, suid;
	int what;
	pid_t pid;
	char secret[8];
};

static const struct target plain = { USER, USER, USER, 0, 0, "secret" };

/* A target: it lives until the test ends. */
static void target_make(struct target *t)
{
	unsigned int gid = t->what & OTHER_GROUP ? OTHER : t->ruid;
	int ready[2], life[2];
	char c;

	if (pipe2(ready, O_CLOEXEC) || pipe2(life, O_CLOEXEC))
		abort();
	t->pid = fork();
	if (!t->pid) {
		close(life[1]);
		prctl(PR_SET_KEEPCAPS, !!(t->what & CAPABLE));
		if (setgroups(0, NULL) || setresgid(gid, gid, gid) ||
		    setresuid(t->ruid, t->euid, t->suid))
			_exit(1);
		if (t->what & CAPABLE && keep_caps(CAP(KILL)))
			_exit(1);
		if (t->what & INNER && unshare(CLONE_NEWUSER))
			_exit(1);
		prctl(PR_SET_DUMPABLE, !(t->what & HIDDEN));
		if (write(ready[1], "x", 1) != 1)
			_exit(1);
		_exit(read(life[0], &c, 1) != 0);
	}
	close(life[0]);
	close(ready[1]);
	if (read(ready[0], &c, 1) != 1) {
		printf("#   no target %u %u %u %x\n", t->ruid, t->euid, t->suid, t->what);
		abort();
	}
	close(ready[0]);
}

/* The session is made by root, who may lock its memory. */
static int session_make(__u32 *table)
{
	struct tiny_table t = tiny_table();
	struct wallprof_push push = {
		.size = sizeof(push), .table = (uintptr_t)&t, .bytes = sizeof(t),
	};
	struct wallprof_configure c = dev_config();
	int fd = dev_open();

	c.stack_flags = WALLPROF_STACK_USER | WALLPROF_STACK_TABLES;
	if (fd < 0 || dev_cmd(fd, WALLPROF_IOC_CONFIGURE, &c) ||
	    dev_cmd(fd, WALLPROF_IOC_PUSH, &push))
		return -1;
	*table = push.id;
	return fd;
}

static int try_maps(int fd, __u32 table, pid_t pid)
{
	struct wallprof_map map = { .start = 4096, .end = 8192, .table = table };
	struct wallprof_maps arg = {
		.size = sizeof(arg), .pid = pid, .nr = 1, .maps = (uintptr_t)&map,
	};

	return dev_cmd(fd, WALLPROF_IOC_MAPS, &arg);
}

static int try_forget(int fd, pid_t pid)
{
	struct wallprof_maps arg = { .size = sizeof(arg), .pid = pid };

	return dev_cmd(fd, WALLPROF_IOC_MAPS, &arg);
}

/* What the kernel itself says of reading the target's memory. */
static int try_read(struct target *t)
{
	char here[sizeof(t->secret)];
	struct iovec local = { here, sizeof(here) };
	struct iovec remote = { t->secret, sizeof(t->secret) };

	return process_vm_readv(t->pid, &local, 1, &remote, 1, 0) < 0 ? -errno : 0;
}

/* The same by READ; the session runs. */
static int try_memory(int fd, struct target *t)
{
	char here[sizeof(t->secret)] = "";
	struct wallprof_read arg = {
		.size = sizeof(arg), .pid = t->pid, .tid = t->pid, .address = (uintptr_t)t->secret,
		.data = (uintptr_t)here, .bytes = sizeof(here),
	};
	int err = dev_cmd(fd, WALLPROF_IOC_READ, &arg);

	return err ? err : memcmp(here, t->secret, sizeof(here)) ? -EINVAL : 0;
}

/* Become a user with these capabilities alone. */
static int become(unsigned int uid, __u64 caps)
{
	prctl(PR_SET_KEEPCAPS, 1);
	if (setgroups(0, NULL) || setresgid(uid, uid, uid) || setresuid(uid, uid, uid))
		return -errno;
	return keep_caps(caps);
}

FIXTURE(access)
{
	int fd;
	__u32 table;
};

FIXTURE_SETUP(access)
{
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };

	ASSERT_EQ(0, setrlimit(RLIMIT_MEMLOCK, &limit));
	self->fd = session_make(&self->table);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(access)
{
}

#define EXPECT_ACCESS(want, t) do { \
	EXPECT_EQ(want, try_read(t)) TH_LOG("process_vm_readv"); \
	EXPECT_EQ(want, try_maps(self->fd, self->table, (t)->pid)); \
	EXPECT_EQ(!(want), dev_status(self->fd).processes); \
	EXPECT_EQ(0, try_forget(self->fd, (t)->pid)); \
	EXPECT_EQ(0, dev_status(self->fd).processes); \
} while (0)

TEST_F(access, to_oneself)
{
	ASSERT_EQ(0, become(USER, CAP(PERFMON)));
	/* Whoever changes its user is not dumpable. */
	EXPECT_EQ(0, prctl(PR_GET_DUMPABLE));
	EXPECT_EQ(0, try_maps(self->fd, self->table, getpid()));
	EXPECT_EQ(1, dev_status(self->fd).processes);
}

TEST_F(access, to_the_same_user)
{
	struct target t = plain;

	target_make(&t);
	ASSERT_EQ(0, become(USER, CAP(PERFMON)));
	EXPECT_ACCESS(0, &t);
}

/* The reproducer: a process that hides from its own user, of another one at that. */
TEST_F(access, not_to_what_is_not_dumpable)
{
	struct target same = plain, other = { OTHER, OTHER, OTHER, HIDDEN, 0, "secret" };

	same.what = HIDDEN;
	target_make(&same);
	target_make(&other);
	ASSERT_EQ(0, become(USER, CAP(PERFMON)));
	EXPECT_ACCESS(-EPERM, &same);
	EXPECT_ACCESS(-EPERM, &other);
}

TEST_F(access, not_to_others)
{
	struct target other = { OTHER, OTHER, OTHER, 0, 0, "secret" };
	struct target root = { 0, 0, 0, 0, 0, "secret" };
	struct target group = plain;

	group.what = OTHER_GROUP;
	target_make(&other);
	target_make(&root);
	target_make(&group);
	ASSERT_EQ(0, become(USER, CAP(PERFMON)));
	EXPECT_ACCESS(-EPERM, &other);
	EXPECT_ACCESS(-EPERM, &root);
	EXPECT_ACCESS(-EPERM, &group);
	/* The first process is root's, and there is no thread 0. */
	EXPECT_EQ(-EPERM, try_maps(self->fd, self->table, 1));
	EXPECT_EQ(-ESRCH, try_maps(self->fd, self->table, 0));
}

/* It has the caller's ids for now, and can have more again. */
TEST_F(access, not_to_who_can_raise_its_ids)
{
	struct target saved = { USER, USER, 0, 0, 0, "secret" };
	struct target effective = { USER, 0, USER, 0, 0, "secret" };
	struct target real = { 0, USER, USER, 0, 0, "secret" };
	struct target capable = plain;

	capable.what = CAPABLE;
	target_make(&saved);
	target_make(&effective);
	target_make(&real);
	target_make(&capable);
	ASSERT_EQ(0, become(USER, CAP(PERFMON)));
	EXPECT_ACCESS(-EPERM, &saved);
	EXPECT_ACCESS(-EPERM, &effective);
	EXPECT_ACCESS(-EPERM, &real);
	EXPECT_ACCESS(-EPERM, &capable);
}

/* What a target may, the caller may too. */
TEST_F(access, to_as_capable)
{
	struct target capable = plain;

	capable.what = CAPABLE;
	target_make(&capable);
	ASSERT_EQ(0, become(USER, CAP(PERFMON) | CAP(KILL)));
	EXPECT_ACCESS(0, &capable);
}

TEST_F(access, with_sys_ptrace)
{
	struct target other = { OTHER, OTHER, OTHER, HIDDEN, 0, "secret" };
	struct target root = { 0, 0, 0, HIDDEN, 0, "secret" };
	struct target saved = { USER, USER, 0, 0, 0, "secret" };

	target_make(&other);
	target_make(&root);
	target_make(&saved);
	ASSERT_EQ(0, become(USER, CAP(PERFMON) | CAP(SYS_PTRACE)));
	EXPECT_ACCESS(0, &other);
	EXPECT_ACCESS(0, &root);
	EXPECT_ACCESS(0, &saved);
}

/* The capability counts where the target is, not where the caller is. */
TEST_F(access, from_an_inner_namespace)
{
	struct target other = { OTHER, OTHER, OTHER, 0, 0, "secret" };
	struct target same = plain, hidden = plain;
	struct target root = { 0, 0, 0, 0, 0, "secret" };

	hidden.what = HIDDEN;
	target_make(&other);
	target_make(&same);
	target_make(&hidden);
	target_make(&root);
	ASSERT_EQ(0, become(USER, CAP(PERFMON)));
	/* It has all capabilities in there. */
	ASSERT_EQ(0, unshare(CLONE_NEWUSER));
	EXPECT_ACCESS(-EPERM, &other);
	EXPECT_ACCESS(-EPERM, &same);
	EXPECT_ACCESS(-EPERM, &hidden);
	EXPECT_ACCESS(-EPERM, &root);
	EXPECT_EQ(0, try_maps(self->fd, self->table, getpid()));
}

/* Whoever made a namespace has all capabilities in it; others have none. */
TEST_F(access, into_an_inner_namespace)
{
	struct target own = { USER, USER, USER, INNER, 0, "secret" };
	struct target hidden = { USER, USER, USER, INNER | HIDDEN, 0, "secret" };
	struct target other = { OTHER, OTHER, OTHER, INNER, 0, "secret" };

	target_make(&own);
	target_make(&hidden);
	target_make(&other);
	ASSERT_EQ(0, become(USER, CAP(PERFMON)));
	EXPECT_ACCESS(0, &own);
	/* Its program was executed outside of it. */
	EXPECT_ACCESS(-EPERM, &hidden);
	EXPECT_ACCESS(-EPERM, &other);
}

/* The one who calls counts, not the one who opened the device. */
TEST_F(access, of_the_caller)
{
	struct target other = { OTHER, OTHER, OTHER, 0, 0, "secret" };

	target_make(&other);
	ASSERT_EQ(0, try_maps(self->fd, self->table, other.pid));
	ASSERT_EQ(0, become(USER, 0));
	EXPECT_EQ(-EPERM, try_maps(self->fd, self->table, other.pid));
	/* What was published stays, until it is taken back. */
	EXPECT_EQ(1, dev_status(self->fd).processes);
	EXPECT_EQ(0, try_forget(self->fd, other.pid));
	EXPECT_EQ(0, dev_status(self->fd).processes);
}

/* What READ reads needs the same. */
TEST_F(access, to_what_is_read)
{
	struct target same = plain, hidden = plain;
	struct target other = { OTHER, OTHER, OTHER, 0, 0, "secret" };

	hidden.what = HIDDEN;
	target_make(&same);
	target_make(&hidden);
	target_make(&other);
	while (!is_off(same.pid, 'S') || !is_off(hidden.pid, 'S') || !is_off(other.pid, 'S'))
		nap_ns(MS);
	ASSERT_EQ(0, dev_start(self->fd, NULL));
	ASSERT_EQ(0, become(USER, CAP(PERFMON)));
	EXPECT_EQ(0, try_memory(self->fd, &same));
	EXPECT_EQ(-EPERM, try_memory(self->fd, &hidden));
	EXPECT_EQ(-EPERM, try_memory(self->fd, &other));
}

#define STAYS	"ACCESS_STAYS"

/* Another program: it lives until the test ends. */
static void __attribute__((constructor)) stays(void)
{
	char c;

	if (getenv(STAYS))
		_exit(read(0, &c, 1) != 0);
}

/* Whoever is handed a descriptor that was not configured needs the right to record. */
TEST_F(access, to_a_descriptor)
{
	struct wallprof_configure c = dev_config();
	struct wallprof_live live = { .size = sizeof(live) };
	char records[4096];
	int fd = dev_open();

	if (!has_perfmon())
		SKIP(return, "no CAP_PERFMON");
	ASSERT_LE(0, fd);
	live.bytes = sizeof(records);
	live.records = (uintptr_t)records;
	ASSERT_EQ(0, become(USER, CAP(PERFMON)));
	EXPECT_EQ(0, dev_cmd(fd, WALLPROF_IOC_LIVE, &live));
	ASSERT_EQ(0, keep_caps(0));
	live.tid = 0;
	live.bytes = sizeof(records);
	EXPECT_EQ(-EPERM, dev_cmd(fd, WALLPROF_IOC_LIVE, &live));
	EXPECT_EQ(-EPERM, dev_cmd(fd, WALLPROF_IOC_CONFIGURE, &c));
	EXPECT_EQ(WALLPROF_SESSION_OPEN, dev_status(fd).state);
	/* What was configured by one who may is for whoever has it. */
	EXPECT_EQ(0, dev_start(self->fd, NULL));
	EXPECT_EQ(0, dev_stop(self->fd, NULL));
}

/* What is published is of a program: another one's memory is not read by it. */
TEST_F(access, ends_with_an_exec)
{
	char *const argv[] = { "access", NULL }, *const env[] = { STAYS "=", NULL };
	int go[2], life[2];
	struct wallprof_flip flip;
	char c;
	pid_t pid;
	int err;

	ASSERT_EQ(0, pipe2(go, O_CLOEXEC) | pipe2(life, 0));
	fcntl(life[1], F_SETFD, FD_CLOEXEC);
	pid = fork();
	if (!pid) {
		close(life[1]);
		if (dup2(life[0], 0) || read(go[0], &c, 1) != 1)
			_exit(1);
		execve("/proc/self/exe", argv, env);
		_exit(1);
	}
	ASSERT_EQ(0, try_maps(self->fd, self->table, pid));
	ASSERT_EQ(0, dev_start(self->fd, NULL));
	EXPECT_EQ(1, dev_status(self->fd).processes);
	ASSERT_EQ(1, write(go[1], "x", 1));
	/* The old memory is gone, so the next flip finds it without a user. */
	do {
		ASSERT_EQ(0, dev_flip(self->fd, &flip));
	} while (dev_status(self->fd).processes);
	EXPECT_EQ(0, kill(pid, 0));
	/* The exec goes on behind that, and is reported as such until it is over. */
	do {
		err = try_maps(self->fd, self->table, pid);
	} while (err == -ESTALE);
	EXPECT_EQ(0, err);
	child_end(pid);
}

TEST_HARNESS_MAIN
