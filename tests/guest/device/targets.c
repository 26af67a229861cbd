// SPDX-License-Identifier: GPL-2.0
/* Threads that come to be targets, and cease to be, while they live. */
#include <sys/prctl.h>
#include <sys/stat.h>

#include "device.h"

#define NAME "wp-named"
#define OTHER "wp-other"
#define USER 4712

static void be_called(bool target)
{
	prctl(PR_SET_NAME, target ? NAME : OTHER);
}

/* The real user counts; to be root in effect lets it change that again. */
static void be_of_user(bool target)
{
	if (setresuid(target ? USER : 0, 0, 0))
		_exit(1);
}

/* Naps, and follows bytes: 'y' and 'n' make it a target or not, 'x' ends it. */
static void follows(int fd, void (*be)(bool target))
{
	struct pollfd order = { .fd = fd, .events = POLLIN };
	char byte;

	be(false);
	for (;;) {
		if (poll(&order, 1, 1) != 1)
			continue;
		if (read(order.fd, &byte, 1) != 1 || byte == 'x')
			_exit(0);
		be(byte == 'y');
	}
}

static void is_renamed(void *arg)
{
	follows(*(int *)arg, be_called);
}

static void is_of_users(void *arg)
{
	follows(*(int *)arg, be_of_user);
}

static void naps_named(void *arg)
{
	__u64 ns = MS;

	prctl(PR_SET_NAME, arg);
	load_naps(&ns);
}

/* Executes the program NAME, which naps, after a byte. */
static void executes_named(void *arg)
{
	char byte;

	prctl(PR_SET_NAME, OTHER);
	if (read(*(int *)arg, &byte, 1) == 1)
		execl("/tmp/" NAME, NAME, "100", NULL);
	_exit(1);
}

/* All accounts of a thread that ended before now: it was a target so often. */
static unsigned int ended(const struct session *s, __u32 tid)
{
	unsigned int nr = 0;

	for (size_t i = 0; i < s->nr_ends; i++)
		nr += s->ends[i].tid == tid;
	return nr;
}

static bool left(struct session *s, __u32 tid, unsigned int times)
{
	return !session_flip(s) && ended(s, tid) == times && !session_has_slot(s, tid);
}

FIXTURE(targets)
{
	struct wallprof_configure c;
	struct session s;
	int order[2];
	pid_t in, out, moves;
};

FIXTURE_SETUP(targets)
{
	self->c = dev_config();
	ASSERT_EQ(0, pipe(self->order));
	self->in = child_of(naps_named, NAME);
	self->out = child_of(naps_named, OTHER);
	self->moves = child_of(is_renamed, &self->order[0]);
	UNTIL(is_called(self->in, NAME) && is_called(self->out, OTHER) &&
	      is_called(self->moves, OTHER));
}

FIXTURE_TEARDOWN(targets)
{
	child_end(self->in);
	child_end(self->out);
	child_end(self->moves);
	close(self->order[0]);
	close(self->order[1]);
	session_close(&self->s);
}

TEST_F_TIMEOUT(targets, of_a_name, 120)
{
	static char names[3][WALLPROF_COMM_LEN] = { "zzz", NAME, "nobody" };
	struct session *s = &self->s;
	pid_t exec, child;
	int go[2];

	ASSERT_EQ(0, pipe(go));
	unlink("/tmp/" NAME);
	ASSERT_EQ(0, symlink("/bin/sleep", "/tmp/" NAME));
	exec = child_of(executes_named, &go[0]);
	dev_target(&self->c, WALLPROF_TARGET_COMM, (void *)names, 3);
	ASSERT_EQ(0, session_begin(s, &self->c));
	UNTIL(session_so_far(s, 0).events > 20);
	EXPECT_TRUE(session_has_slot(s, self->in));
	EXPECT_FALSE(session_has_slot(s, self->out));
	EXPECT_FALSE(session_has_slot(s, self->moves));
	EXPECT_FALSE(session_has_slot(s, exec));
	EXPECT_EQ(1, dev_status(s->fd).nr_live_targets);
	for (unsigned int times = 1; times <= 3; times++) {
		ASSERT_EQ(1, write(self->order[1], "y", 1));
		UNTIL(session_has_slot(s, self->moves));
		UNTIL(dev_status(s->fd).nr_live_targets == 2);
		nap_ns(50 * MS);
		ASSERT_EQ(1, write(self->order[1], "n", 1));
		UNTIL(left(s, self->moves, times));
		UNTIL(dev_status(s->fd).nr_live_targets == 1);
	}
	/* From exec on, before any switch. */
	ASSERT_EQ(1, write(go[1], "", 1));
	UNTIL(session_has_slot(s, exec));
	/* From its birth on, of a thread of that name. */
	prctl(PR_SET_NAME, NAME);
	child = fork();
	if (!child)
		_exit(0);
	prctl(PR_SET_NAME, OTHER);
	waitpid(child, NULL, 0);
	EXPECT_WHOLE(s);
	EXPECT_NE(NULL, session_account(s, self->in));
	EXPECT_EQ(NULL, session_account(s, self->out));
	EXPECT_EQ(3, ended(s, self->moves));
	EXPECT_NE(NULL, session_account(s, exec));
	EXPECT_NE(NULL, session_account(s, child));
	/* Nobody is left: none has to be, there may be one again. */
	child_end(exec);
}

/* Names that end where they should not, and one that none can have. */
TEST_F(targets, names_that_are_none)
{
	char names[2][WALLPROF_COMM_LEN] = { "good", "" };
	int fd = dev_open();

	ASSERT_LE(0, fd);
	dev_target(&self->c, WALLPROF_TARGET_COMM, (void *)names, 2);
	EXPECT_EQ(-EINVAL, dev_cmd(fd, WALLPROF_IOC_CONFIGURE, &self->c));
	memset(names[1], 'a', WALLPROF_COMM_LEN);
	EXPECT_EQ(-EINVAL, dev_cmd(fd, WALLPROF_IOC_CONFIGURE, &self->c));
	names[1][WALLPROF_COMM_LEN - 1] = 0;
	EXPECT_EQ(0, dev_cmd(fd, WALLPROF_IOC_CONFIGURE, &self->c));
	close(fd);
}

/* Forks a child, which ends at once, as the user's or not. */
static void of_users_child(bool target, pid_t *child)
{
	be_of_user(target);
	*child = fork();
	if (!*child)
		_exit(0);
	waitpid(*child, NULL, 0);
}

/* By setuid, without exec, there and back; what it forks is asked, not who forks. */
TEST_F_TIMEOUT(targets, of_a_user, 120)
{
	struct session *s = &self->s;
	__u32 uids[2] = { 4711, USER };
	pid_t moves, child, other;
	int order[2];

	ASSERT_EQ(0, pipe(order));
	moves = child_of(is_of_users, &order[0]);
	dev_target(&self->c, WALLPROF_TARGET_UID, uids, 2);
	self->c.flags |= WALLPROF_INHERIT;
	ASSERT_EQ(0, session_begin(s, &self->c));
	nap_ns(50 * MS);
	EXPECT_FALSE(session_has_slot(s, moves));
	EXPECT_FALSE(session_has_slot(s, self->out));
	EXPECT_EQ(0, dev_status(s->fd).nr_live_targets);
	for (unsigned int times = 1; times <= 3; times++) {
		ASSERT_EQ(1, write(order[1], "y", 1));
		UNTIL(session_has_slot(s, moves));
		UNTIL(dev_status(s->fd).nr_live_targets == 1);
		nap_ns(50 * MS);
		ASSERT_EQ(1, write(order[1], "n", 1));
		UNTIL(left(s, moves, times));
		UNTIL(dev_status(s->fd).nr_live_targets == 0);
	}
	of_users_child(true, &child);
	UNTIL(session_has_slot(s, getpid()));
	of_users_child(false, &other);
	UNTIL(left(s, getpid(), 1));
	EXPECT_WHOLE(s);
	EXPECT_EQ(3, ended(s, moves));
	EXPECT_NE(NULL, session_account(s, child));
	EXPECT_EQ(NULL, session_account(s, other));
	EXPECT_EQ(NULL, session_account(s, self->out));
	EXPECT_EQ(NULL, session_account(s, self->in));
	child_end(moves);
}

#define GROUP "/sys/fs/cgroup/wallprof-targets"

static int move(pid_t pid, const char *group)
{
	char path[128], text[16];
	int fd, ret;

	snprintf(path, sizeof(path), "%s/cgroup.procs", group);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	snprintf(text, sizeof(text), "%d", pid);
	ret = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	close(fd);
	return ret;
}

TEST_F_TIMEOUT(targets, of_a_group, 120)
{
	struct session *s = &self->s;
	__u64 ids[2] = { ~0ULL };
	pid_t below;
	struct stat st;

	rmdir(GROUP "/below");
	rmdir(GROUP);
	if (mkdir(GROUP, 0755) && errno == EROFS)
		SKIP(return, "no control groups of version 2");
	ASSERT_EQ(0, mkdir(GROUP "/below", 0755));
	ASSERT_EQ(0, stat(GROUP, &st));
	ids[1] = st.st_ino;
	below = child_of(naps_named, NAME);
	ASSERT_EQ(0, move(self->in, GROUP));
	ASSERT_EQ(0, move(below, GROUP "/below"));
	dev_target(&self->c, WALLPROF_TARGET_CGROUP, (void *)ids, 2);
	ASSERT_EQ(0, session_begin(s, &self->c));
	EXPECT_TRUE(session_has_slot(s, self->in));
	EXPECT_TRUE(session_has_slot(s, below));
	EXPECT_FALSE(session_has_slot(s, self->out));
	EXPECT_FALSE(session_has_slot(s, self->moves));
	for (unsigned int times = 1; times <= 3; times++) {
		ASSERT_EQ(0, move(self->moves, times % 2 ? GROUP : GROUP "/below"));
		UNTIL(session_has_slot(s, self->moves));
		nap_ns(50 * MS);
		/* From one to the other is within. */
		ASSERT_EQ(0, move(self->moves, times % 2 ? GROUP "/below" : GROUP));
		nap_ns(50 * MS);
		EXPECT_TRUE(session_has_slot(s, self->moves));
		EXPECT_EQ(times - 1, ended(s, self->moves));
		ASSERT_EQ(0, move(self->moves, "/sys/fs/cgroup"));
		UNTIL(left(s, self->moves, times));
	}
	EXPECT_WHOLE(s);
	EXPECT_NE(NULL, session_account(s, self->in));
	EXPECT_NE(NULL, session_account(s, below));
	EXPECT_EQ(NULL, session_account(s, self->out));
	EXPECT_EQ(3, ended(s, self->moves));
	child_end(below);
	ASSERT_EQ(0, move(self->in, "/sys/fs/cgroup"));
	UNTIL(!rmdir(GROUP "/below") || errno != EBUSY);
	EXPECT_EQ(0, rmdir(GROUP));
}

/*
 * Not so often that a crowd of them leaves the CPUs to nobody, on a slow kernel; and
 * most of the time a target, so that of the crowd more are than there is room for.
 */
static void is_renamed_always(void *arg)
{
	for (;;) {
		prctl(PR_SET_NAME, NAME);
		nap_ns(160 * MS);
		prctl(PR_SET_NAME, OTHER);
		nap_ns(40 * MS);
	}
}

#define CROWD 100

/* The table of threads is too small for all that come: they are counted, not kept. */
TEST_F_TIMEOUT(targets, more_than_there_is_room_for, 600)
{
	static char name[WALLPROF_COMM_LEN] = NAME;
	struct session *s = &self->s;
	pid_t pids[CROWD];

	self->c.nr_tasks = WALLPROF_MIN_TASKS;
	/* No account is lost, though each is a short one. */
	self->c.nr_exits = 65536;
	dev_target(&self->c, WALLPROF_TARGET_COMM, (void *)name, 1);
	ASSERT_EQ(0, session_begin(s, &self->c));
	for (unsigned int i = 0; i < CROWD; i++)
		pids[i] = child_of(is_renamed_always, NULL);
	for (unsigned int i = 0; i < scaled(20) || s->nr_ends <= 20 ||
	     !dev_status(s->fd).tasks_failed; i++) {
		nap_ns(20 * MS);
		ASSERT_EQ(0, session_flip(s));
	}
	EXPECT_WHOLE(s);
	for (unsigned int i = 0; i < CROWD; i++)
		child_end(pids[i]);
}

/* What a process forks, byte by byte of a pipe. */
struct family {
	int order[2];
	int born[2];
	pid_t head;
};

#define COME_AND_GO 300
#define BETWEEN 30

static void naps_forever(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* There are 80 of them: more often, and they would take all of a slow machine. */
	for (;;)
		nap_ns(20 * MS);
}

static void send_born(const struct family *f)
{
	pid_t pid = getpid();

	if (write(f->born[1], &pid, sizeof(pid)) != sizeof(pid))
		_exit(1);
}

/*
 * 'c': a child; 'o': one whose parent ends; 'b': children that are to end, 'e': they do;
 * 'g': many that end at once, in turn and across.
 */
static void heads(void *arg)
{
	const struct family *f = arg;
	pid_t pids[8] = {}, between[BETWEEN];
	char byte;

	while (read(f->order[0], &byte, 1) == 1) {
		if (byte == 'c' && !fork()) {
			send_born(f);
			naps_forever();
		}
		if (byte == 'o') {
			pids[0] = fork();
			if (!pids[0]) {
				if (fork())
					_exit(0);
				/* When its parent has been reaped, or is about to. */
				while (getppid() != 1)
					nap_ns(MS);
				send_born(f);
				naps_forever();
			}
			waitpid(pids[0], NULL, 0);
			pids[0] = 0;
		}
		for (unsigned int i = 0; byte == 'b' && i < BETWEEN; i++) {
			between[i] = fork();
			if (!between[i])
				naps_forever();
		}
		for (unsigned int i = 0; byte == 'e' && i < BETWEEN; i++) {
			kill(between[i], SIGKILL);
			waitpid(between[i], NULL, 0);
		}
		for (unsigned int i = 0; byte == 'g' && i < COME_AND_GO; i++) {
			pid_t *pid = &pids[i * 5 % 8];

			if (*pid) {
				kill(*pid, SIGKILL);
				waitpid(*pid, NULL, 0);
			}
			*pid = fork();
			if (!*pid)
				naps_forever();
		}
		for (unsigned int i = 0; byte == 'g' && i < 8; i++) {
			kill(pids[i], SIGKILL);
			waitpid(pids[i], NULL, 0);
			pids[i] = 0;
		}
		if (strchr("beg", byte))
			send_born(f);
	}
	_exit(0);
}

static pid_t family_has(const struct family *f, char order)
{
	pid_t pid = 0;

	if (write(f->order[1], &order, 1) != 1 ||
	    read(f->born[0], &pid, sizeof(pid)) != sizeof(pid))
		return 0;
	return pid;
}

static void family_begin(struct family *f)
{
	if (pipe(f->order) || pipe(f->born))
		abort();
	f->head = child_of(heads, f);
}

static void family_end(struct family *f, const pid_t *others, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++) {
		if (others[i] > 0)
			kill(others[i], SIGKILL);
	}
	if (!f->head)
		return;
	child_end(f->head);
	f->head = 0;
	for (unsigned int i = 0; i < 2; i++) {
		close(f->order[i]);
		close(f->born[i]);
	}
}

#define CHILDREN 20

FIXTURE(later)
{
	struct wallprof_configure c;
	struct session s;
	struct family family;
	__u32 id;
	pid_t out;
	pid_t pids[WALLPROF_MIN_TASKS + 1];
};

FIXTURE_VARIANT(later)
{
	unsigned int flags;	/* in place of OFFCPU */
	unsigned int target;
};

FIXTURE_VARIANT_ADD(later, processes) { .target = WALLPROF_TARGET_PID };
FIXTURE_VARIANT_ADD(later, threads) { .target = WALLPROF_TARGET_TID };
FIXTURE_VARIANT_ADD(later, samples) {
	.flags = WALLPROF_SAMPLER, .target = WALLPROF_TARGET_PID
};

FIXTURE_SETUP(later)
{
	self->c = dev_config();
	family_begin(&self->family);
	self->out = child_of(naps_named, OTHER);
	UNTIL(is_called(self->out, OTHER));
	self->id = self->family.head;
	dev_target(&self->c, variant->target, &self->id, 1);
	/* So that those who come and go have to leave their places. */
	self->c.nr_tasks = WALLPROF_MIN_TASKS;
	self->c.flags |= WALLPROF_INHERIT;
	if (variant->flags) {
		self->c.flags = variant->flags | WALLPROF_INHERIT;
		self->c.attr_type = PERF_TYPE_SOFTWARE;
		self->c.attr_config = PERF_COUNT_SW_CPU_CLOCK;
		self->c.attr_period = MS;
	}
	ASSERT_EQ(0, session_open(&self->s, &self->c));
}

FIXTURE_TEARDOWN(later)
{
	child_end(self->out);
	/* Also if the test has failed. */
	family_end(&self->family, self->pids, WALLPROF_MIN_TASKS + 1);
	session_close(&self->s);
}

/* What descends from the targets before START is a target; and nothing else is. */
TEST_F_TIMEOUT(later, children_are_targets, 300)
{
	struct session *s = &self->s;
	pid_t *pids = self->pids, before, stranger;

	before = family_has(&self->family, 'c');
	ASSERT_EQ(0, dev_start_later(s->fd));
	EXPECT_EQ(-EBUSY, dev_start_later(s->fd));
	EXPECT_EQ(WALLPROF_SESSION_CONFIGURED, dev_status(s->fd).state);
	EXPECT_EQ(0, dev_status(s->fd).start);
	/* Those who stay come behind others, who leave. */
	ASSERT_LT(0, family_has(&self->family, 'b'));
	for (unsigned int i = 0; i < CHILDREN; i++) {
		pids[i] = family_has(&self->family, 'c');
		ASSERT_LT(0, pids[i]);
	}
	ASSERT_LT(0, family_has(&self->family, 'e'));
	ASSERT_LT(0, family_has(&self->family, 'g'));
	pids[CHILDREN] = family_has(&self->family, 'o');
	ASSERT_LT(0, pids[CHILDREN]);
	stranger = child_of(naps_named, OTHER);
	EXPECT_EQ(1, dev_status(s->fd).nr_live_targets);
	ASSERT_EQ(0, session_start(s));
	EXPECT_EQ(CHILDREN + 2, dev_status(s->fd).nr_live_targets);
	for (unsigned int i = 0; i <= CHILDREN; i++)
		EXPECT_TRUE(session_has_slot(s, pids[i]));
	EXPECT_TRUE(session_has_slot(s, self->family.head));
	/* It was forked before it was asked for. */
	EXPECT_FALSE(session_has_slot(s, before));
	EXPECT_FALSE(session_has_slot(s, stranger));
	EXPECT_FALSE(session_has_slot(s, self->out));
	nap_ns(50 * MS);
	/* They end as others do, whoever saw their fork. */
	kill(pids[0], SIGKILL);
	kill(pids[CHILDREN], SIGKILL);
	UNTIL(dev_status(s->fd).nr_live_targets == CHILDREN);
	EXPECT_WHOLE(s);
	for (unsigned int i = 0; !variant->flags && i <= CHILDREN; i++)
		EXPECT_NE(NULL, session_account(s, pids[i]));
	child_end(stranger);
}

/* Before START it is known when the last one has ended: a target, or who descends from one. */
TEST_F_TIMEOUT(later, all_may_end_before, 300)
{
	struct session *s = &self->s;

	ASSERT_EQ(0, dev_start_later(s->fd));
	self->pids[0] = family_has(&self->family, 'o');
	ASSERT_LT(0, self->pids[0]);
	family_end(&self->family, NULL, 0);
	EXPECT_EQ(1, dev_status(s->fd).nr_live_targets);
	kill(self->pids[0], SIGKILL);
	UNTIL(dev_status(s->fd).nr_live_targets == 0);
	EXPECT_EQ(-ESRCH, session_start(s));
}

/* More than have room in the table of threads: START refuses, and can be called again. */
TEST_F_TIMEOUT(later, more_than_there_is_room_for, 300)
{
	struct session *s = &self->s;
	pid_t *pids = self->pids;

	ASSERT_EQ(0, dev_start_later(s->fd));
	for (unsigned int i = 0; i <= WALLPROF_MIN_TASKS; i++) {
		pids[i] = family_has(&self->family, 'c');
		ASSERT_LT(0, pids[i]);
	}
	for (unsigned int i = 0; i <= WALLPROF_MIN_TASKS; i++) {
		kill(pids[i], SIGKILL);
		pids[i] = 0;
	}
	EXPECT_EQ(-ENOSPC, session_start(s));
	EXPECT_EQ(WALLPROF_SESSION_CONFIGURED, dev_status(s->fd).state);
	ASSERT_EQ(0, session_start(s));
	EXPECT_EQ(1, dev_status(s->fd).nr_live_targets);
	EXPECT_WHOLE(s);
}

/* The targets are gone when it starts; or it never does. */
TEST_F_TIMEOUT(later, nobody_is_left, 120)
{
	struct session *s = &self->s;

	ASSERT_EQ(0, dev_start_later(s->fd));
	family_end(&self->family, NULL, 0);
	EXPECT_EQ(-ESRCH, session_start(s));
	EXPECT_EQ(0, dev_start_later(s->fd));
	EXPECT_EQ(WALLPROF_SESSION_CONFIGURED, dev_status(s->fd).state);
}

/* Children are no targets where they are not asked for. */
TEST_F_TIMEOUT(targets, no_children_later, 120)
{
	struct session *s = &self->s;
	struct family family;
	__u32 id;
	pid_t child;

	family_begin(&family);
	id = family.head;
	dev_target(&self->c, WALLPROF_TARGET_PID, &id, 1);
	ASSERT_EQ(0, session_open(s, &self->c));
	ASSERT_EQ(0, dev_start_later(s->fd));
	child = family_has(&family, 'c');
	ASSERT_LT(0, child);
	ASSERT_EQ(0, session_start(s));
	EXPECT_TRUE(session_has_slot(s, family.head));
	EXPECT_FALSE(session_has_slot(s, child));
	EXPECT_WHOLE(s);
	family_end(&family, &child, 1);
}

TEST_HARNESS_MAIN
