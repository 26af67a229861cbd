// SPDX-License-Identifier: GPL-2.0
/*
 * What LIVE reports of existing threads, compared with /proc; what it
 * refuses; and that it goes on where it ended.
 */
#include <ctype.h>
#include <dirent.h>
#include <linux/userfaultfd.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/sysmacros.h>

#include "device.h"

/* For all that runs in the guest. */
#define ROOM	(4U << 20)

static int live(int fd, __u32 *tid, void *to, __u32 *bytes)
{
	struct wallprof_live arg = {
		.size = sizeof(arg), .tid = *tid, .bytes = *bytes,
		.records = (uintptr_t)to,
	};
	int ret = dev_cmd(fd, WALLPROF_IOC_LIVE, &arg);

	*tid = arg.tid;
	*bytes = arg.bytes;
	return ret;
}

static const struct wallprof_live_head *after(const void *head)
{
	return (void *)((char *)head + ((const struct wallprof_live_head *)head)->bytes);
}

/* The thread of a number, or NULL. */
static const struct wallprof_live_thread *find(const void *at, __u32 bytes, __u32 tid)
{
	const void *end = (const char *)at + bytes;

	for (; at < end; at = after(at)) {
		const struct wallprof_live_thread *t = at;

		if (t->head.type == WALLPROF_LIVE_THREAD && t->tid == tid)
			return t;
	}
	return NULL;
}

/* All at once. */
static void *all(int fd, __u32 *bytes)
{
	void *to = malloc(ROOM);
	__u32 tid = 0;

	*bytes = ROOM;
	return live(fd, &tid, to, bytes) || tid ? NULL : to;
}

static int read_text(char *text, size_t size, const char *format, __u32 pid, __u32 tid)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), format, pid, tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = read(fd, text, size - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n;
}

/* Field 28 of /proc/PID/stat, and field 4. */
static ull stat_field(__u32 pid, int which)
{
	char text[2048], *p;

	if (read_text(text, sizeof(text), "/proc/%u/stat", pid, 0) < 0)
		return 0;
	p = strrchr(text, ')');
	for (int field = 2; p && field < which; field++)
		p = strchr(p + 1, ' ');
	return p ? strtoull(p, NULL, 10) : 0;
}

/* A line of /proc/PID/maps as LIVE would report it; false: it is not executable. */
static bool as_line(char *line, size_t size, const char *text)
{
	unsigned long long start, end, pgoff, ino;
	unsigned int maj, min;
	char rights[8];
	int at = 0;

	if (sscanf(text, "%llx-%llx %4s %llx %x:%x %llu%n", &start, &end, rights, &pgoff, &maj,
		   &min, &ino, &at) != 7 || rights[2] != 'x' || strstr(text, "[vsyscall]"))
		return false;
	while (text[at] == ' ')
		at++;
	snprintf(line, size, "%llx-%llx %s %llx %x:%x %llu %.*s", start, end, rights, pgoff, maj,
		 min, ino, (int)strcspn(text + at, "\n"), text + at);
	return true;
}

static void map_as_line(char *line, size_t size, const struct wallprof_live_map *m)
{
	snprintf(line, size, "%llx-%llx %c%c%c%c %llx %x:%x %llu %s", (ull)m->start, (ull)m->end,
		 m->prot & PROT_READ ? 'r' : '-', m->prot & PROT_WRITE ? 'w' : '-',
		 m->prot & PROT_EXEC ? 'x' : '-', m->flags == MAP_SHARED ? 's' : 'p',
		 (ull)m->pgoff, m->major, m->minor, (ull)m->ino, m->name);
}

/* Whether the mappings behind a thread are those of /proc; how many there are. */
static int compare_maps(const struct wallprof_live_thread *t, const void *end)
{
	char path[64], text[8192], want[8192], got[8192];
	const struct wallprof_live_head *at = after(t);
	int nr = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/maps", t->pid);
	f = fopen(path, "re");
	if (!f)
		return -1;
	while (fgets(text, sizeof(text), f)) {
		if (!as_line(want, sizeof(want), text))
			continue;
		if ((void *)at >= end || at->type != WALLPROF_LIVE_MAP) {
			printf("# pid %u: missing: %s\n", t->pid, want);
			nr = -1;
			break;
		}
		map_as_line(got, sizeof(got), (void *)at);
		if (strcmp(want, got)) {
			printf("# pid %u: got %s, not %s\n", t->pid, got, want);
			nr = -1;
			break;
		}
		nr++;
		at = after(at);
	}
	fclose(f);
	if (nr >= 0 && (void *)at < end && at->type == WALLPROF_LIVE_MAP) {
		map_as_line(got, sizeof(got), (void *)at);
		printf("# pid %u: too much: %s\n", t->pid, got);
		nr = -1;
	}
	return nr;
}

FIXTURE(live)
{
	int fd;
	char *data;
	__u32 bytes;
};

FIXTURE_SETUP(live)
{
	self->fd = dev_open();
	ASSERT_LE(0, self->fd);
	self->data = all(self->fd, &self->bytes);
	ASSERT_NE(NULL, self->data);
}

FIXTURE_TEARDOWN(live)
{
	close(self->fd);
}

static const char *end_of(const char *data, __u32 bytes)
{
	return data + bytes;
}

/* Whether a thread is there no more: LIVE does not report one that waits to be reaped. */
static bool has_ended(__u32 pid, __u32 tid)
{
	char text[2048], *p;

	if (read_text(text, sizeof(text), "/proc/%u/task/%u/stat", pid, tid) <= 0)
		return true;
	p = strrchr(text, ')');
	return p && p[1] && strchr("ZX", p[2]);
}

/* Every process that sleeps all the time: all of the guest but for us. */
TEST_F(live, as_proc_says)
{
	char text[64], want[17];
	unsigned int nr = 0, kernel = 0;
	struct dirent *e;
	DIR *d = opendir("/proc");

	while ((e = readdir(d))) {
		__u32 pid = isdigit(*e->d_name) ? atoi(e->d_name) : 0;
		const struct wallprof_live_thread *t;
		ull ppid, start_stack;
		int same;

		if (!pid)
			continue;
		/* It may have begun since. */
		t = find(self->data, self->bytes, pid);
		if (!t || read_text(text, sizeof(text), "/proc/%u/task/%u/comm", pid, pid) <= 0)
			continue;
		text[strcspn(text, "\n")] = '\0';
		ppid = stat_field(pid, 4);
		start_stack = stat_field(pid, 28);
		same = compare_maps(t, end_of(self->data, self->bytes));
		/* Or have ended in between. */
		if (has_ended(pid, pid))
			continue;
		memset(want, 0, sizeof(want));
		memcpy(want, t->comm, sizeof(t->comm));
		/* /proc also shows what the kernel's workers do. */
		EXPECT_EQ(0, strncmp(text, want, strlen(want)))
			TH_LOG("pid %u: %s, not %s", pid, want, text);
		EXPECT_EQ(pid, t->pid);
		EXPECT_EQ(ppid, t->ppid);
		EXPECT_EQ(start_stack, t->start_stack);
		EXPECT_LE(0, same);
		kernel += !t->start_stack;
		nr++;
	}
	closedir(d);
	EXPECT_LE(3, nr - kernel);
	EXPECT_LE(10, kernel);
}

/* In order of numbers, each thread once, nothing behind another's. */
TEST_F(live, order)
{
	const char *end = end_of(self->data, self->bytes);
	const struct wallprof_live_head *at;
	__u32 last = 0, process = 0;

	for (at = (void *)self->data; (char *)at < end; at = after(at)) {
		const struct wallprof_live_thread *t = (void *)at;

		ASSERT_LE(sizeof(*at), at->bytes);
		ASSERT_EQ(0, at->bytes % 8);
		ASSERT_GE(end, (char *)after(at));
		if (at->type == WALLPROF_LIVE_MAP) {
			ASSERT_NE(0, process);
			continue;
		}
		ASSERT_EQ(WALLPROF_LIVE_THREAD, at->type);
		EXPECT_LT(last, t->tid);
		last = t->tid;
		process = t->tid == t->pid && t->start_stack ? t->pid : 0;
		if (t->tid != t->pid)
			EXPECT_EQ(0, t->start_stack);
	}
	EXPECT_EQ(end, (char *)at);
}

static void *sleep_here(void *arg)
{
	prctl(PR_SET_NAME, arg);
	for (;;)
		pause();
	return NULL;
}

/* Names with anything in them, files that are gone, and memory that is no file's. */
TEST(all_kinds_of_mappings)
{
	static const char name[] = "/tmp/with a\nnewline";
	const struct wallprof_live_thread *t;
	int fd = dev_open(), file, memory;
	pthread_t thread;
	__u32 bytes, tid;
	bool newline = false, gone = false;
	const struct wallprof_live_head *at;
	char *data;

	file = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0700);
	ASSERT_LE(0, file);
	ASSERT_EQ(0, ftruncate(file, 65536));
	ASSERT_NE(MAP_FAILED, mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 4096));
	memory = memfd_create("gone", MFD_CLOEXEC);
	ASSERT_EQ(0, ftruncate(memory, 8192));
	ASSERT_NE(MAP_FAILED, mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED,
				   memory, 0));
	ASSERT_NE(MAP_FAILED, mmap(NULL, 4096, PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	ASSERT_EQ(0, pthread_create(&thread, NULL, sleep_here, "pauses"));
	/* Until it has its name. */
	do {
		usleep(1000);
		data = all(fd, &bytes);
		ASSERT_NE(NULL, data);
		t = NULL;
		for (at = (void *)data; (char *)at < data + bytes; at = after(at)) {
			const struct wallprof_live_thread *one = (void *)at;

			if (at->type == WALLPROF_LIVE_THREAD && !strcmp(one->comm, "pauses"))
				t = one;
		}
	} while (!t);
	tid = t->tid;
	EXPECT_EQ(getpid(), t->pid);
	EXPECT_EQ(getppid(), t->ppid);
	EXPECT_NE(getpid(), tid);
	t = find(data, bytes, getpid());
	ASSERT_NE(NULL, t);
	for (at = after(t); (char *)at < data + bytes && at->type == WALLPROF_LIVE_MAP;
	     at = after(at)) {
		const struct wallprof_live_map *m = (void *)at;
		struct stat st;

		if (!strcmp(m->name, name)) {
			newline = true;
			EXPECT_EQ(4096, m->pgoff);
			ASSERT_EQ(0, fstat(file, &st));
			EXPECT_EQ(st.st_ino, m->ino);
			EXPECT_EQ(major(st.st_dev), m->major);
			EXPECT_EQ(minor(st.st_dev), m->minor);
		}
		if (!strcmp(m->name, "/memfd:gone (deleted)")) {
			gone = true;
			EXPECT_EQ(MAP_SHARED, (int)m->flags);
		}
	}
	EXPECT_TRUE(newline);
	EXPECT_TRUE(gone);
	/* /proc writes the newline otherwise. */
	unlink(name);
	close(fd);
}

/* Many mappings, more than are made at a time, come whole. */
TEST(many_mappings)
{
	int fd = dev_open(), nr = 500;
	const struct wallprof_live_thread *t;
	__u32 bytes;
	char *at, *data;

	at = mmap(NULL, 2 * nr * 4096UL, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)at);
	for (int i = 0; i < nr; i++)
		ASSERT_EQ(0, mprotect(at + 2 * i * 4096UL, 4096, PROT_READ | PROT_EXEC));
	data = all(fd, &bytes);
	ASSERT_NE(NULL, data);
	t = find(data, bytes, getpid());
	ASSERT_NE(NULL, t);
	EXPECT_LE(nr, compare_maps(t, data + bytes));
}

/* Neither do those come short that can not be executed, and are more than that. */
TEST(many_mappings_of_data)
{
	int fd = dev_open(), nr = 700;
	const struct wallprof_live_thread *t;
	__u32 bytes;
	char *at, *data;

	at = mmap(NULL, 2 * nr * 4096UL, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)at);
	for (int i = 0; i < nr; i++)
		ASSERT_EQ(0, mprotect(at + 2 * i * 4096UL, 4096,
				      i % 70 ? PROT_READ : PROT_READ | PROT_EXEC));
	data = all(fd, &bytes);
	ASSERT_NE(NULL, data);
	t = find(data, bytes, getpid());
	ASSERT_NE(NULL, t);
	EXPECT_LE(nr / 70, compare_maps(t, data + bytes));
	free(data);
	close(fd);
}

struct blocked {
	int fd;
	__u32 tid, bytes;
	void *to;
	int ret;
};

static void *live_blocked(void *arg)
{
	struct blocked *b = arg;

	b->ret = live(b->fd, &b->tid, b->to, &b->bytes);
	return NULL;
}

static ull attached(int shm)
{
	struct shmid_ds ds;

	return shmctl(shm, IPC_STAT, &ds) ? 0 : ds.shm_nattch;
}

/*
 * A reader that takes as long as it likes to have its records written does not keep the
 * memory of a process that ends meanwhile.
 */
TEST(a_reader_that_waits_keeps_no_memory)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct uffdio_zeropage zero = {};
	struct blocked b = { .fd = dev_open(), .bytes = ROOM };
	int uffd, shm, ready[2], nr = 500;
	struct uffd_msg msg;
	pthread_t thread;
	pid_t pid;
	char c, *at;

	uffd = syscall(__NR_userfaultfd, O_CLOEXEC);
	if (uffd < 0 && errno == ENOSYS)
		SKIP(return, "no userfaultfd");
	ASSERT_LE(0, uffd);
	ASSERT_EQ(0, ioctl(uffd, UFFDIO_API, &api));
	b.to = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, b.to);
	reg.range.start = (uintptr_t)b.to;
	reg.range.len = ROOM;
	ASSERT_EQ(0, ioctl(uffd, UFFDIO_REGISTER, &reg));

	/* More mappings than fit into what is written at once. */
	shm = shmget(IPC_PRIVATE, 4096, 0600);
	ASSERT_LE(0, shm);
	ASSERT_EQ(0, pipe2(ready, O_CLOEXEC));
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		at = mmap(NULL, 2 * nr * 4096UL, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);
		for (int i = 0; i < nr; i++)
			mprotect(at + 2 * i * 4096UL, 4096, PROT_READ | PROT_EXEC);
		if (shmat(shm, NULL, 0) == (void *)-1 || write(ready[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	ASSERT_LT(0, pid);
	ASSERT_EQ(1, read(ready[0], &c, 1));
	shmctl(shm, IPC_RMID, NULL);
	EXPECT_EQ(1, attached(shm));

	b.tid = pid;
	ASSERT_EQ(0, pthread_create(&thread, NULL, live_blocked, &b));
	ASSERT_EQ(sizeof(msg), read(uffd, &msg, sizeof(msg)));
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	UNTIL(attached(shm) == 0);

	zero.range = reg.range;
	ASSERT_EQ(0, ioctl(uffd, UFFDIO_ZEROPAGE, &zero));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, b.ret);
	EXPECT_EQ(pid, ((struct wallprof_live_thread *)b.to)->tid);
	munmap(b.to, ROOM);
	close(uffd);
	close(b.fd);
}

/* With little room it takes more calls, and reports the same. */
TEST_F(live, piece_by_piece)
{
	char *piece = malloc(2048), *found = calloc(1, self->bytes);
	__u32 tid = 0, last = 0, calls = 0;
	const struct wallprof_live_head *at;

	ASSERT_NE(NULL, found);
	do {
		__u32 bytes = 2048;

		ASSERT_EQ(0, live(self->fd, &tid, piece, &bytes));
		ASSERT_GE(2048, bytes);
		if (tid)
			ASSERT_LT(0, bytes);
		for (at = (void *)piece; (char *)at < piece + bytes; at = after(at)) {
			const struct wallprof_live_thread *t = (void *)at, *same;

			if (at->type != WALLPROF_LIVE_THREAD)
				continue;
			ASSERT_LT(last, t->tid);
			last = t->tid;
			same = find(self->data, self->bytes, t->tid);
			if (same)
				found[(const char *)same - self->data] = 1;
		}
		if (tid)
			ASSERT_LT(last, tid);
		calls++;
	} while (tid);
	EXPECT_LT(1, calls);
	/* Those that are missing have ended meanwhile. */
	for (at = (void *)self->data; (char *)at < self->data + self->bytes; at = after(at)) {
		const struct wallprof_live_thread *t = (void *)at;

		if (at->type == WALLPROF_LIVE_THREAD && !found[(const char *)at - self->data])
			EXPECT_TRUE(has_ended(t->pid, t->tid)) TH_LOG("thread %u", t->tid);
	}
	free(found);
	free(piece);
}

/* Numbers of processes, or none, go to the module that holds their memory maps. */
static int lock_maps(const char *pids)
{
	int fd = open("/sys/module/hold/parameters/pids", O_WRONLY | O_CLOEXEC);
	int ret = fd < 0 || write(fd, pids, strlen(pids)) != (ssize_t)strlen(pids) ? -1 : 0;

	close(fd);
	return ret;
}

#define HELD	40

FIXTURE(held)
{
	int fd;
	pid_t pid[HELD];
	char pids[16 * HELD];
};

FIXTURE_SETUP(held)
{
	size_t len = 0;

	self->fd = dev_open();
	for (int i = 0; i < HELD; i++) {
		self->pid[i] = fork();
		if (!self->pid[i]) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (;;)
				pause();
		}
		ASSERT_LT(0, self->pid[i]);
		len += sprintf(self->pids + len, "%d,", self->pid[i]);
	}
}

FIXTURE_TEARDOWN(held)
{
	lock_maps("\n");
	for (int i = 0; i < HELD; i++) {
		kill(self->pid[i], SIGKILL);
		waitpid(self->pid[i], NULL, 0);
	}
	close(self->fd);
}

/* Its memory map is locked: it is there, says so, and has no mappings; all others have. */
TEST_F(held, a_locked_memory_map)
{
	const struct wallprof_live_thread *t;
	char pid[16], *data;
	__u32 bytes;

	sprintf(pid, "%d", self->pid[0]);
	ASSERT_EQ(0, lock_maps(pid));
	data = all(self->fd, &bytes);
	ASSERT_NE(NULL, data);
	t = find(data, bytes, self->pid[0]);
	ASSERT_NE(NULL, t);
	EXPECT_EQ(WALLPROF_LIVE_NO_MAPS, t->flags);
	EXPECT_EQ(0, t->reserved);
	EXPECT_EQ(getpid(), t->ppid);
	EXPECT_LT(0, t->start_stack);
	if ((char *)after(t) < data + bytes)
		EXPECT_EQ(WALLPROF_LIVE_THREAD, after(t)->type);
	t = find(data, bytes, self->pid[1]);
	ASSERT_NE(NULL, t);
	EXPECT_EQ(0, t->flags);
	EXPECT_LT(0, compare_maps(t, data + bytes));
	free(data);

	ASSERT_EQ(0, lock_maps("\n"));
	data = all(self->fd, &bytes);
	ASSERT_NE(NULL, data);
	t = find(data, bytes, self->pid[0]);
	ASSERT_NE(NULL, t);
	EXPECT_EQ(0, t->flags);
	EXPECT_LT(0, compare_maps(t, data + bytes));
	free(data);
}

/* More of them than are tried again in a call, in calls of little room, too. */
TEST_F(held, many_locked_memory_maps)
{
	char *piece = malloc(2048);
	__u32 tid = 0, nr = 0;

	ASSERT_EQ(0, lock_maps(self->pids));
	do {
		const struct wallprof_live_head *at;
		__u32 bytes = 2048;

		ASSERT_EQ(0, live(self->fd, &tid, piece, &bytes));
		for (at = (void *)piece; (char *)at < piece + bytes; at = after(at)) {
			const struct wallprof_live_thread *t = (void *)at;

			nr += t->head.type == WALLPROF_LIVE_THREAD &&
			      t->flags & WALLPROF_LIVE_NO_MAPS;
		}
	} while (tid);
	EXPECT_EQ(HELD, nr);
	/* The session is as usable as before. */
	EXPECT_EQ(WALLPROF_SESSION_OPEN, dev_status(self->fd).state);
	ASSERT_EQ(0, lock_maps("\n"));
}

TEST(refusals)
{
	struct wallprof_live arg = { .size = sizeof(arg) };
	char page[64];
	int fd = dev_open();
	__u32 bytes, tid;

	arg.flags = 1;
	EXPECT_EQ(-EINVAL, dev_cmd(fd, WALLPROF_IOC_LIVE, &arg));
	arg.flags = 0;
	arg.tid = 1U << 31;
	EXPECT_EQ(-EINVAL, dev_cmd(fd, WALLPROF_IOC_LIVE, &arg));
	/* Nobody has such a number: that was all. */
	arg.tid = (1U << 31) - 1;
	EXPECT_EQ(0, dev_cmd(fd, WALLPROF_IOC_LIVE, &arg));
	EXPECT_EQ(0, arg.tid);
	EXPECT_EQ(0, arg.bytes);
	/* No room for a thread; and for one with its mappings. */
	for (bytes = 0; bytes <= sizeof(page); bytes += sizeof(page)) {
		__u32 room = bytes;

		tid = getpid();
		memset(page, 0xa5, sizeof(page));
		EXPECT_EQ(-ENOSPC, live(fd, &tid, page, &room));
		EXPECT_EQ(getpid(), tid);
		EXPECT_EQ(bytes, room);
	}
	tid = 0;
	bytes = ROOM;
	EXPECT_EQ(-EFAULT, live(fd, &tid, NULL, &bytes));
	EXPECT_EQ(-EFAULT, live(fd, &tid, (void *)-4096L, &bytes));
	EXPECT_EQ(ROOM, bytes);
	EXPECT_EQ(WALLPROF_SESSION_OPEN, dev_status(fd).state);
	close(fd);
}

TEST_HARNESS_MAIN
