// SPDX-License-Identifier: GPL-2.0
/*
 * Unwind tables and mappings: what PUSH and MAPS take and refuse, who is
 * charged, how long they last; and the stacks that the module finds by them: of threads
 * that leave their CPU, that are sampled, and that are blocked already.
 *
 * Above 700 lines: the tests of walks share the unwind tables of one program, in
 * assembly, with those of PUSH and MAPS.
 */
#include <dirent.h>
#include <sys/mount.h>
#include <sys/uio.h>

#include "device.h"
#include "table.h"

static int push_as(int fd, const void *table, size_t bytes, __u32 flags, __u32 *id)
{
	struct wallprof_push arg = {
		.size = sizeof(arg), .flags = flags, .table = (uintptr_t)table, .bytes = bytes,
	};
	int ret = dev_cmd(fd, WALLPROF_IOC_PUSH, &arg);

	if (id)
		*id = arg.id;
	return ret;
}

static int push(int fd, const void *table, size_t bytes, __u32 *id)
{
	return push_as(fd, table, bytes, 0, id);
}

static int maps_of(int fd, __u32 pid, const struct wallprof_map *maps, __u32 nr,
		   __u64 start_stack)
{
	struct wallprof_maps arg = {
		.size = sizeof(arg), .pid = pid, .nr = nr, .maps = (uintptr_t)maps,
		.start_stack = start_stack,
	};

	return dev_cmd(fd, WALLPROF_IOC_MAPS, &arg);
}

static struct wallprof_configure table_config(void)
{
	struct wallprof_configure c = dev_config();

	c.stack_flags = WALLPROF_STACK_USER | WALLPROF_STACK_TABLES;
	return c;
}

static int configured(void)
{
	struct wallprof_configure c = table_config();
	int fd = dev_open();

	return dev_cmd(fd, WALLPROF_IOC_CONFIGURE, &c) ? -1 : fd;
}

/* A table with many pages. */
static void *large_table(__u32 nr, size_t *bytes)
{
	struct wallprof_table *head;
	struct wallprof_row *rows;
	struct wallprof_save *save;
	__u32 *pages, i;

	*bytes = sizeof(*head) + sizeof(struct wallprof_rule) + (nr + 1) * sizeof(*pages) +
		 nr * sizeof(*rows) + sizeof(*save);
	head = calloc(1, *bytes);
	*head = (struct wallprof_table){
		.magic = WALLPROF_TABLE_MAGIC, .version = WALLPROF_TABLE_VERSION,
		.machine = TINY_MACHINE, .nr_pages = nr, .nr_rows = nr, .nr_rules = 1,
		.nr_saves = 1,
	};
	((struct wallprof_rule *)(head + 1))->index = WALLPROF_RULE_NO_INDEX;
	pages = (void *)((struct wallprof_rule *)(head + 1) + 1);
	for (i = 0; i <= nr; i++)
		pages[i] = i;
	rows = (void *)(pages + nr + 1);
	save = (void *)(rows + nr);
	save->how = WALLPROF_SAVE_END;
	return head;
}

/* A field of /proc/PID/stat after the name, as proc(5) numbers them. */
static __u64 stat_field(pid_t pid, int field)
{
	char path[64], text[1024], *p;
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = 0;
	p = strrchr(text, ')');
	for (int i = 2; p && i < field; i++)
		p = strchr(p + 1, ' ');
	return p ? strtoull(p, NULL, 10) : 0;
}

TEST(push_takes_a_table)
{
	struct tiny_table t = tiny_table();
	struct wallprof_status status;
	int fd = configured();
	__u32 a = 0, b = 0;

	ASSERT_LE(0, fd);
	EXPECT_EQ(0, dev_status(fd).tables);
	EXPECT_EQ(0, push(fd, &t, sizeof(t), &a));
	EXPECT_EQ(0, push(fd, &t, sizeof(t), &b));
	EXPECT_NE(0, a);
	/* A session has each table once. */
	EXPECT_EQ(a, b);
	status = dev_status(fd);
	EXPECT_EQ(1, status.tables);
	EXPECT_EQ(sizeof(t), status.tables_bytes);
	t.head.base += 1024;
	EXPECT_EQ(0, push(fd, &t, sizeof(t), &b));
	EXPECT_LT(a, b);
	status = dev_status(fd);
	EXPECT_EQ(2, status.tables);
	EXPECT_EQ(2 * sizeof(t), status.tables_bytes);
	EXPECT_EQ(0, status.processes);
}

TEST(push_refuses)
{
	struct tiny_table t = tiny_table(), bad;
	struct wallprof_push arg = { .size = sizeof(arg), .flags = WALLPROF_PUSH_ONCE << 1,
				     .table = (uintptr_t)&t, .bytes = sizeof(t) };
	int fd = dev_open();

	EXPECT_EQ(-EINVAL, push(fd, &t, sizeof(t), NULL));
	close(fd);
	fd = configured();
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EINVAL, dev_cmd(fd, WALLPROF_IOC_PUSH, &arg));
	EXPECT_EQ(-EFAULT, push(fd, NULL, sizeof(t), NULL));
	EXPECT_EQ(-EFAULT, push(fd, (void *)-4096L, sizeof(t), NULL));
	EXPECT_EQ(-EBADMSG, push(fd, &t, 0, NULL));
	EXPECT_EQ(-EBADMSG, push(fd, &t, sizeof(t.head) - 1, NULL));
	EXPECT_EQ(-EBADMSG, push(fd, &t, sizeof(t) - 1, NULL));
	EXPECT_EQ(-EBADMSG, push(fd, &t, sizeof(t) + 1, NULL));
	EXPECT_EQ(-EBADMSG, push(fd, &t, ~0U, NULL));
#define REFUSES(change) do { \
		bad = t; \
		bad.change; \
		EXPECT_EQ(-EBADMSG, push(fd, &bad, sizeof(bad), NULL)) TH_LOG(#change); \
	} while (0)
	REFUSES(head.magic++);
	REFUSES(head.version++);
	REFUSES(head.machine = EM_386);
	REFUSES(head.machine = TINY_MACHINE == EM_X86_64 ? EM_AARCH64 : EM_X86_64);
	REFUSES(head.nr_pages = 0);
	REFUSES(head.nr_pages = ~0U);
	REFUSES(head.nr_rows = ~0U);
	REFUSES(head.nr_rules = 0);
	REFUSES(head.nr_rules = ~0U);
	REFUSES(head.nr_saves = ~0U);
	REFUSES(head.base = 1);
	REFUSES(head.base = -1024ULL);
	REFUSES(pages[0] = 1);
	REFUSES(pages[1] = 5);
	REFUSES(rows[0].pc = 1);
	REFUSES(rows[1].pc = 0);
	REFUSES(rows[3].pc = 0x400);
	REFUSES(rows[3].rule = 4);
	REFUSES(rules[0].kind = WALLPROF_RULE_END);
	REFUSES(rules[1].kind = WALLPROF_RULE_MAX);
	REFUSES(rules[1].reg = 32);
	REFUSES(rules[1].saves = 2);
	REFUSES(rules[3].off = 8);
	REFUSES(saves[0].how = WALLPROF_SAVE_CFA);
#undef REFUSES
	EXPECT_EQ(0, dev_status(fd).tables);
	EXPECT_EQ(0, dev_status(fd).tables_bytes);
	EXPECT_EQ(0, push(fd, &t, sizeof(t), NULL));
}

TEST(push_is_charged)
{
	long before = status_kb("VmLck"), open, pushed;
	int fd = configured(), other;
	size_t bytes;
	void *large = large_table(1 << 17, &bytes);

	ASSERT_LE(0, fd);
	open = status_kb("VmLck");
	EXPECT_EQ(0, push(fd, large, bytes, NULL));
	pushed = status_kb("VmLck");
	EXPECT_LE(bytes / 1024, pushed - open);
	EXPECT_GE(bytes / 1024 + 8, pushed - open);
	/* Equal ones are charged to each session, once. */
	EXPECT_EQ(0, push(fd, large, bytes, NULL));
	EXPECT_EQ(pushed, status_kb("VmLck"));
	other = configured();
	ASSERT_LE(0, other);
	pushed = status_kb("VmLck");
	EXPECT_EQ(0, push(other, large, bytes, NULL));
	EXPECT_LE(bytes / 1024, status_kb("VmLck") - pushed);
	pushed = status_kb("VmLck");
	((char *)large)[0]++;
	EXPECT_EQ(-EBADMSG, push(fd, large, bytes, NULL));
	EXPECT_EQ(pushed, status_kb("VmLck"));
	close(other);
	close(fd);
	EXPECT_EQ(before, status_kb("VmLck"));
}

TEST(push_keeps_to_the_limit)
{
	struct tiny_table t = tiny_table();
	struct rlimit limit;
	int fd = configured();
	size_t bytes;
	void *large = large_table(1 << 17, &bytes);
	long locked;

	ASSERT_LE(0, fd);
	locked = status_kb("VmLck");
	limit.rlim_cur = limit.rlim_max = (locked + 64) * 1024;
	ASSERT_EQ(0, setrlimit(RLIMIT_MEMLOCK, &limit));
	ASSERT_EQ(0, drop_cap(CAP_IPC_LOCK));
	EXPECT_EQ(-ENOMEM, push(fd, large, bytes, NULL));
	EXPECT_EQ(locked, status_kb("VmLck"));
	EXPECT_EQ(0, dev_status(fd).tables_bytes);
	EXPECT_EQ(0, push(fd, &t, sizeof(t), NULL));
}

/* A header with these numbers for one page of code, which is declared as so long. */
static int push_dense(int fd, __u32 pages, __u32 rows, __u32 rules, __u32 saves)
{
	__u64 bytes = sizeof(struct wallprof_table) + rules * 16ULL + (pages + 1) * 4ULL +
		      rows * 4ULL + saves * 4ULL;
	struct wallprof_table *head = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
					   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int ret;

	if (head == MAP_FAILED)
		return -ENOMEM;
	*head = (struct wallprof_table){
		.magic = WALLPROF_TABLE_MAGIC, .version = WALLPROF_TABLE_VERSION,
		.machine = TINY_MACHINE, .nr_pages = pages, .nr_rows = rows,
		.nr_rules = rules, .nr_saves = saves,
	};
	ret = push(fd, head, bytes, NULL);
	munmap(head, bytes);
	return ret;
}

/* What cannot be of so little code is refused before memory is taken for it. */
TEST(push_refuses_what_is_too_dense)
{
	const __u32 most = WALLPROF_TABLE_MAX_DENSITY;
	struct rlimit limit;
	int fd = configured();

	ASSERT_LE(0, fd);
	/* Then whatever is charged for is one error, and what is refused another. */
	limit.rlim_cur = limit.rlim_max = status_kb("VmLck") * 1024;
	ASSERT_EQ(0, setrlimit(RLIMIT_MEMLOCK, &limit));
	ASSERT_EQ(0, drop_cap(CAP_IPC_LOCK));
	EXPECT_EQ(-ENOMEM, push_dense(fd, 100, 100 * most, 1, 1));
	EXPECT_EQ(-EBADMSG, push_dense(fd, 100, 100 * most + 1, 1, 1));
	EXPECT_EQ(-ENOMEM, push_dense(fd, 100, 100, 100 * most, 1));
	EXPECT_EQ(-EBADMSG, push_dense(fd, 100, 100, 100 * most + 1, 1));
	EXPECT_EQ(-ENOMEM, push_dense(fd, 100, 100, 1, 100 * most));
	EXPECT_EQ(-EBADMSG, push_dense(fd, 100, 100, 1, 100 * most + 1));
	EXPECT_EQ(0, dev_status(fd).tables);
}

/* What finds no room is not even copied: it could be large, and is of no session. */
TEST(push_copies_nothing_without_room)
{
	struct tiny_table t = tiny_table();
	struct wallprof_table *large;
	struct rlimit limit;
	int fd = configured();
	__u32 id = 0, again = 0;
	size_t bytes;

	ASSERT_LE(0, fd);
	large = large_table(1 << 13, &bytes);
	((struct wallprof_rule *)(large + 1))->kind = WALLPROF_RULE_MAX;
	/* With one that is there already: the same may be pushed again. */
	EXPECT_EQ(0, push(fd, &t, sizeof(t), &id));
	EXPECT_EQ(-EBADMSG, push(fd, large, bytes, NULL));
	limit.rlim_cur = limit.rlim_max = status_kb("VmLck") * 1024;
	ASSERT_EQ(0, setrlimit(RLIMIT_MEMLOCK, &limit));
	ASSERT_EQ(0, drop_cap(CAP_IPC_LOCK));
	EXPECT_EQ(-ENOMEM, push(fd, large, bytes, NULL));
	EXPECT_EQ(0, push(fd, &t, sizeof(t), &again));
	EXPECT_EQ(id, again);
	EXPECT_EQ(1, dev_status(fd).tables);
}

/* Of small tables most of what the kernel takes is not their bytes. */
TEST(push_is_charged_for_what_it_takes)
{
	static const char root[] = "/tmp/cgroup-tables", group[] = "/tmp/cgroup-tables/small";
	static const char current[] = "/tmp/cgroup-tables/small/memory.current";
	struct tiny_table t = tiny_table();
	long long taken, charged;
	int fd;

	mkdir(root, 0700);
	ASSERT_EQ(0, mount("none", root, "cgroup2", 0, NULL));
	if (text_to("/tmp/cgroup-tables/cgroup.subtree_control", "+memory")) {
		umount(root);
		SKIP(return, "no memory cgroups");
	}
	ASSERT_EQ(0, mkdir(group, 0700));
	ASSERT_EQ(0, text_to("/tmp/cgroup-tables/small/cgroup.procs", "0"));
	fd = configured();
	ASSERT_LE(0, fd);
	taken = text_number(current);
	charged = status_kb("VmLck") * 1024;
	for (unsigned int i = 0; i < 5000; i++) {
		t.head.base = i * 1024ULL;
		ASSERT_EQ(0, push(fd, &t, sizeof(t), NULL));
	}
	taken = text_number(current) - taken;
	charged = status_kb("VmLck") * 1024 - charged;
	/* Kernels that look for mistakes take more, and each CPU has some in store. */
	EXPECT_GT(4 * charged, taken) TH_LOG("%lld bytes, charged with %lld", taken, charged);
	/* The status has the tables' own. */
	EXPECT_EQ(5000 * sizeof(t), dev_status(fd).tables_bytes);
	close(fd);
	ASSERT_EQ(0, text_to("/tmp/cgroup-tables/cgroup.procs", "0"));
	rmdir(group);
	umount(root);
}

/* How much a session may hold, as the host has it. */
static __u64 most_bytes(void)
{
	unsigned long long kb = 0;
	__u64 eighth;
	FILE *f = fopen("/proc/meminfo", "re");

	if (!f || fscanf(f, "MemTotal: %llu kB", &kb) != 1)
		kb = 0;
	if (f)
		fclose(f);
	eighth = kb * 1024 / 8;
	return eighth < WALLPROF_MAX_TABLES_BYTES ? eighth : WALLPROF_MAX_TABLES_BYTES;
}

/* A session that is full, of tables which differ in where they begin. */
FIXTURE(full)
{
	int fd;
	struct wallprof_table *large;
	size_t bytes;
	unsigned int nr;
	__u32 *id;
};

/* The @nr-th table. */
static int push_nth(struct _test_data_full *self, unsigned int nr, __u32 *id)
{
	self->large->base = (nr + 1) * 1024ULL;
	return push(self->fd, self->large, self->bytes, id);
}

FIXTURE_SETUP(full)
{
	__u64 most = most_bytes();
	int ret = 0;

	self->fd = configured();
	ASSERT_LE(0, self->fd);
	/* A page has 8 bytes. */
	self->large = large_table(most / 32 < WALLPROF_TABLE_MAX_PAGES ?
				  most / 32 : WALLPROF_TABLE_MAX_PAGES, &self->bytes);
	ASSERT_LT(self->bytes, most / 3);
	self->id = calloc(64, sizeof(*self->id));
	for (self->nr = 0; self->nr < 64; self->nr++) {
		ret = push_nth(self, self->nr, &self->id[self->nr]);
		if (ret)
			break;
	}
	ASSERT_EQ(-ENOSPC, ret);
	ASSERT_LE(self->nr * self->bytes, most);
	ASSERT_GT((self->nr + 1) * self->bytes, most);
}

FIXTURE_TEARDOWN(full)
{
}

static int maps_with(int fd, pid_t pid, __u32 id)
{
	struct wallprof_map map = { .start = 4096, .end = 8192, .table = id };

	return maps_of(fd, pid, &map, 1, 0);
}

TEST_F_TIMEOUT(full, takes_no_more, 300)
{
	struct tiny_table t = tiny_table();
	__u32 id;

	EXPECT_EQ(self->nr, dev_status(self->fd).tables);
	EXPECT_EQ(-ENOSPC, push_nth(self, self->nr, NULL));
	/* What it has it has. */
	EXPECT_EQ(0, push_nth(self, 0, &id));
	EXPECT_EQ(self->id[0], id);
	EXPECT_EQ(0, push(self->fd, &t, sizeof(t), NULL));
	EXPECT_EQ(self->nr + 1, dev_status(self->fd).tables);
}

static void waits(void *arg)
{
	for (;;)
		pause();
}

TEST_F_TIMEOUT(full, drops_what_the_ended_had, 300)
{
	pid_t pid = child_of(waits, NULL);
	__u32 id = 0;

	ASSERT_EQ(0, maps_with(self->fd, getpid(), self->id[0]));
	ASSERT_EQ(0, maps_with(self->fd, pid, self->id[1]));
	/* A process has them, or none had them yet. */
	EXPECT_EQ(-ENOSPC, push_nth(self, self->nr, NULL));
	child_end(pid);
	EXPECT_EQ(0, push_nth(self, self->nr, &id));
	EXPECT_LT(self->id[self->nr - 1], id);
	EXPECT_EQ(self->nr, dev_status(self->fd).tables);
	EXPECT_EQ(1, dev_status(self->fd).processes);
	EXPECT_EQ(-ENOENT, maps_with(self->fd, getpid(), self->id[1]));
	EXPECT_EQ(-EINVAL, maps_with(self->fd, getpid(), id + 1));
	EXPECT_EQ(0, maps_with(self->fd, getpid(), self->id[0]));
	EXPECT_EQ(-ENOSPC, push_nth(self, 1, NULL));
	/* One that is named instead of another one. */
	EXPECT_EQ(0, maps_with(self->fd, getpid(), id));
	EXPECT_EQ(0, push_nth(self, 1, &id));
	EXPECT_LT(self->id[self->nr - 1] + 1, id);
	EXPECT_EQ(0, maps_with(self->fd, getpid(), id));
	EXPECT_EQ(-ENOENT, maps_with(self->fd, getpid(), self->id[0]));
}

/* Nobody has named them, as their processes had ended: after two flips nobody will. */
TEST_F_TIMEOUT(full, drops_what_nobody_had, 300)
{
	struct wallprof_flip flip;
	__u32 id = 0;

	ASSERT_EQ(0, dev_start(self->fd, NULL));
	ASSERT_EQ(0, dev_flip(self->fd, &flip));
	EXPECT_EQ(-ENOSPC, push_nth(self, self->nr, NULL));
	/* Pushed again, it is new again. */
	EXPECT_EQ(0, push_nth(self, 0, &id));
	EXPECT_EQ(self->id[0], id);
	ASSERT_EQ(0, dev_flip(self->fd, &flip));
	EXPECT_EQ(0, push_nth(self, self->nr, &id));
	EXPECT_LT(self->id[self->nr - 1], id);
	EXPECT_EQ(self->nr, dev_status(self->fd).tables);
	EXPECT_EQ(-ENOENT, maps_with(self->fd, getpid(), self->id[1]));
	EXPECT_EQ(0, maps_with(self->fd, getpid(), self->id[0]));
}

/* So do tables for which no memory may be locked. */
TEST_F_TIMEOUT(full, drops_them_for_the_limit_of_memory, 300)
{
	struct rlimit limit;
	size_t bytes;
	void *table = large_table(1 << 13, &bytes);
	__u64 held;

	ASSERT_EQ(0, maps_with(self->fd, getpid(), self->id[0]));
	limit.rlim_cur = limit.rlim_max = status_kb("VmLck") * 1024;
	ASSERT_EQ(0, setrlimit(RLIMIT_MEMLOCK, &limit));
	ASSERT_EQ(0, drop_cap(CAP_IPC_LOCK));
	EXPECT_EQ(-ENOMEM, push(self->fd, table, bytes, NULL));
	ASSERT_EQ(0, maps_of(self->fd, getpid(), NULL, 0, 0));
	held = dev_status(self->fd).tables_bytes;
	EXPECT_EQ(0, push(self->fd, table, bytes, NULL));
	EXPECT_GT(held - self->bytes / 2, dev_status(self->fd).tables_bytes);
	EXPECT_GE(limit.rlim_cur / 1024, status_kb("VmLck"));
}

/* Flips until no probe can reach mappings that were replaced. */
static int flip_twice(int fd)
{
	struct wallprof_flip flip;
	int ret = dev_flip(fd, &flip);

	return ret ? ret : dev_flip(fd, &flip);
}

TEST(push_once_is_dropped_by_the_next)
{
	struct tiny_table t[5];
	__u32 id[5], again;
	unsigned int i;
	int fd = configured();

	ASSERT_LE(0, fd);
	for (i = 0; i < 5; i++) {
		t[i] = tiny_table();
		t[i].head.base = (i + 1) * 1024ULL;
	}
	ASSERT_EQ(0, push(fd, &t[0], sizeof(t[0]), &id[0]));
	ASSERT_EQ(0, maps_with(fd, getpid(), id[0]));
	ASSERT_EQ(0, push_as(fd, &t[1], sizeof(t[1]), WALLPROF_PUSH_ONCE, &id[1]));
	ASSERT_EQ(0, maps_with(fd, getpid(), id[1]));
	ASSERT_EQ(0, dev_start(fd, NULL));
	ASSERT_EQ(0, flip_twice(fd));
	/* The process has it. */
	ASSERT_EQ(0, push_as(fd, &t[2], sizeof(t[2]), WALLPROF_PUSH_ONCE, &id[2]));
	EXPECT_EQ(3, dev_status(fd).tables);
	ASSERT_EQ(0, maps_with(fd, getpid(), id[2]));
	ASSERT_EQ(0, flip_twice(fd));
	/* Not by one of a file. */
	ASSERT_EQ(0, push(fd, &t[0], sizeof(t[0]), &again));
	EXPECT_EQ(id[0], again);
	EXPECT_EQ(3, dev_status(fd).tables);
	ASSERT_EQ(0, push_as(fd, &t[3], sizeof(t[3]), WALLPROF_PUSH_ONCE, &id[3]));
	EXPECT_EQ(3, dev_status(fd).tables);
	EXPECT_EQ(-ENOENT, maps_with(fd, getpid(), id[1]));
	/* Nor one of a file, nor what is pushed as one later. */
	EXPECT_EQ(0, push(fd, &t[2], sizeof(t[2]), &again));
	EXPECT_EQ(id[2], again);
	EXPECT_EQ(0, maps_with(fd, getpid(), id[0]));
	ASSERT_EQ(0, flip_twice(fd));
	ASSERT_EQ(0, push_as(fd, &t[4], sizeof(t[4]), WALLPROF_PUSH_ONCE, &id[4]));
	EXPECT_EQ(-ENOENT, maps_with(fd, getpid(), id[3]));
	EXPECT_EQ(0, maps_with(fd, getpid(), id[2]));
	EXPECT_EQ(3, dev_status(fd).tables);
}

TEST(maps_takes_and_forgets)
{
	struct wallprof_map map = { .start = 4096, .end = 8192 };
	struct tiny_table t = tiny_table();
	int fd = configured();

	ASSERT_LE(0, fd);
	EXPECT_EQ(0, push(fd, &t, sizeof(t), &map.table));
	EXPECT_EQ(0, maps_of(fd, getpid(), &map, 1, 0));
	EXPECT_EQ(1, dev_status(fd).processes);
	EXPECT_EQ(0, maps_of(fd, getpid(), &map, 1, stat_field(getpid(), 28)));
	EXPECT_EQ(1, dev_status(fd).processes);
	EXPECT_EQ(0, maps_of(fd, getpid(), NULL, 0, 0));
	EXPECT_EQ(0, dev_status(fd).processes);
	EXPECT_EQ(0, maps_of(fd, getpid(), NULL, 0, 0));
}

TEST(maps_refuses)
{
	struct wallprof_map good[2] = {
		{ .start = 4096, .end = 8192 }, { .start = 8192, .end = 12288 },
	}, bad[2];
	struct wallprof_maps arg = { .size = sizeof(arg), .flags = 1, .nr = 2,
				     .maps = (uintptr_t)good };
	struct tiny_table t = tiny_table();
	pid_t pid = getpid(), gone;
	int fd = dev_open();

	EXPECT_EQ(-EINVAL, maps_of(fd, pid, good, 2, 0));
	close(fd);
	fd = configured();
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, push(fd, &t, sizeof(t), &good[0].table));
	arg.pid = pid;
	EXPECT_EQ(-EINVAL, dev_cmd(fd, WALLPROF_IOC_MAPS, &arg));
	EXPECT_EQ(-EFAULT, maps_of(fd, pid, (void *)8, 2, 0));
	EXPECT_EQ(-EINVAL, maps_of(fd, pid, NULL, 2, 0));
	EXPECT_EQ(-EINVAL, maps_of(fd, pid, good, 0, 0));
	EXPECT_EQ(-EINVAL, maps_of(fd, pid, good, WALLPROF_MAX_MAPS + 1, 0));
	EXPECT_EQ(-EINVAL, maps_of(fd, pid, good, ~0U, 0));
	EXPECT_EQ(-ESRCH, maps_of(fd, 0, good, 2, 0));
	EXPECT_EQ(-ESRCH, maps_of(fd, ~0U, good, 2, 0));
	/* A kernel thread has no memory. */
	EXPECT_EQ(-ESRCH, maps_of(fd, 2, good, 2, 0));
	gone = fork();
	if (!gone)
		_exit(0);
	waitpid(gone, NULL, 0);
	EXPECT_EQ(-ESRCH, maps_of(fd, gone, good, 2, 0));
	EXPECT_EQ(-ESTALE, maps_of(fd, pid, good, 2, stat_field(pid, 28) + 16));
#define REFUSES(change) do { \
		memcpy(bad, good, sizeof(bad)); \
		bad change; \
		EXPECT_EQ(-EINVAL, maps_of(fd, pid, bad, 2, 0)) TH_LOG(#change); \
	} while (0)
	REFUSES([0].end = 4096);
	REFUSES([0].end = 4095);
	REFUSES([0].end = 8193);
	REFUSES([1].start = 0);
	REFUSES([1].end = 1ULL << 63);
	REFUSES([1].end = ~0ULL);
	REFUSES([1].reserved = 1);
	REFUSES([1].table = 2);
	REFUSES([1].table = ~0U);
#undef REFUSES
	EXPECT_EQ(0, dev_status(fd).processes);
	EXPECT_EQ(0, maps_of(fd, pid, good, 2, 0));
}

TEST(maps_is_charged)
{
	struct wallprof_map *maps = calloc(WALLPROF_MAX_MAPS, sizeof(*maps));
	long before = status_kb("VmLck"), open;
	int fd = configured();

	ASSERT_LE(0, fd);
	for (__u64 i = 0; i < WALLPROF_MAX_MAPS; i++) {
		maps[i].start = 4096 * (i + 1);
		maps[i].end = 4096 * (i + 2);
	}
	/* There is a fixed part. */
	EXPECT_EQ(0, maps_of(fd, getpid(), maps, 1, 0));
	open = status_kb("VmLck");
	EXPECT_EQ(0, maps_of(fd, getpid(), maps, WALLPROF_MAX_MAPS, 0));
	EXPECT_LE((long)(WALLPROF_MAX_MAPS * sizeof(*maps) / 2 / 1024),
		  status_kb("VmLck") - open);
	/* Repeated updates do not accumulate, even without a flip. */
	for (int i = 0; i < 3000; i++)
		ASSERT_EQ(0, maps_of(fd, getpid(), maps, 100, 0));
	EXPECT_GE(WALLPROF_MAX_MAPS * sizeof(*maps) / 1024 + 8192, status_kb("VmLck") - open);
	EXPECT_EQ(1, dev_status(fd).processes);
	close(fd);
	EXPECT_EQ(before, status_kb("VmLck"));
}

/*
 * A session that runs and knows this process, so what it forks, too. A 32-bit
 * program has nothing of its own there, and a thousand forks are long.
 */
#if __SIZEOF_LONG__ == 8

FIXTURE(children)
{
	struct wallprof_map map;
	struct session s;
};

FIXTURE_SETUP(children)
{
	struct wallprof_configure c = table_config();

	self->map = (struct wallprof_map){ .start = 4096, .end = 8192 };
	ASSERT_EQ(0, session_begin(&self->s, &c));
}

FIXTURE_TEARDOWN(children)
{
}

/*
 * Without a flip, but with MAPS in between, each of which lets no more stay than
 * 512 and those that live.
 */
TEST_F_TIMEOUT(children, that_ended_do_not_pile_up, 300)
{
	struct session *s = &self->s;

	ASSERT_EQ(0, maps_of(s->fd, getpid(), &self->map, 1, 0));
	for (int i = 0; i < 800; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
		if (i % 100 == 0)
			ASSERT_EQ(0, maps_of(s->fd, getpid(), &self->map, 1, 0));
	}
	EXPECT_GT(700, dev_status(s->fd).processes);
	EXPECT_EQ(0, dev_status(s->fd).forks_missed);
	EXPECT_EQ(0, session_flip(s));
	EXPECT_GT(16, dev_status(s->fd).processes);
	EXPECT_WHOLE(s);
}

static void lives(void *arg)
{
	(void)arg;
	for (;;)
		pause();
}

TEST_F_TIMEOUT(children, are_charged, 300)
{
	struct session *s = &self->s;
	pid_t pids[256];
	long known;

	ASSERT_EQ(0, maps_of(s->fd, getpid(), &self->map, 1, 0));
	/* So much, with room for as many children as are not flipped for. */
	known = status_kb("VmLck");
	for (unsigned int i = 0; i < ARRAY_SIZE(pids); i++)
		pids[i] = child_of(lives, NULL);
	EXPECT_EQ(ARRAY_SIZE(pids) + 1, dev_status(s->fd).processes);
	EXPECT_EQ(known, status_kb("VmLck"));
	EXPECT_EQ(0, session_flip(s));
	/* An entry is a list's node, a list's head, and two pointers. */
	EXPECT_LE(known + (long)(ARRAY_SIZE(pids) * 6 * sizeof(void *) / 1024),
		  status_kb("VmLck") + 4);
	for (unsigned int i = 0; i < ARRAY_SIZE(pids); i++)
		child_end(pids[i]);
	EXPECT_EQ(0, session_flip(s));
	EXPECT_EQ(known, status_kb("VmLck"));
	EXPECT_WHOLE(s);
}

/* What may not be locked is not taken for children: that is counted. */
TEST_F_TIMEOUT(children, keep_to_the_limit, 300)
{
	struct session *s = &self->s;
	long locked = status_kb("VmLck"), limit_kb = locked + 40;
	struct rlimit limit = { limit_kb * 1024, limit_kb * 1024 };
	pid_t pids[256];

	ASSERT_EQ(0, setrlimit(RLIMIT_MEMLOCK, &limit));
	ASSERT_EQ(0, drop_cap(CAP_IPC_LOCK));
	/* There is room for the lists, and for some children. */
	ASSERT_EQ(0, maps_of(s->fd, getpid(), &self->map, 1, 0));
	EXPECT_LT(locked, status_kb("VmLck"));
	for (unsigned int i = 0; i < ARRAY_SIZE(pids); i++)
		pids[i] = child_of(lives, NULL);
	EXPECT_LT(1, dev_status(s->fd).processes);
	EXPECT_EQ(ARRAY_SIZE(pids) + 1,
		  dev_status(s->fd).processes + dev_status(s->fd).forks_missed);
	EXPECT_LT(0, dev_status(s->fd).forks_missed);
	EXPECT_EQ(0, session_flip(s));
	EXPECT_GE(limit_kb, status_kb("VmLck"));
	for (unsigned int i = 0; i < ARRAY_SIZE(pids); i++)
		child_end(pids[i]);
	EXPECT_WHOLE(s);
}

#endif

#if defined(__x86_64__) || defined(__aarch64__)

/*
 * The code that tiny_table() describes. Its frame pointer is none; each function
 * is where the table has it. The addresses are those that a stack has.
 */
#define HERE __attribute__((__visibility__("hidden")))	/* no GOT: they are local */
extern HERE char tiny_code[], tiny_nap_ip[], tiny_outer_ip[], tiny_root_ip[], tiny_other_ip[];
void tiny_root(const struct timespec *ts);
void tiny_other(const struct timespec *ts);
HERE int tiny_call = SYS_nanosleep;	/* or SYS_ppoll: by which call it naps */

#ifdef __x86_64__
__asm__(".text\n"
	".balign 1024\n"
	"tiny_code:\n"
	"	push %rbp\n"
	"	sub $24, %rsp\n"
	"	mov $1, %ebp\n"
	"	xor %esi, %esi\n"
	"	mov %rdi, %rdx\n"
	"	xor %r10d, %r10d\n"
	"	mov tiny_call(%rip), %eax\n"
	"	syscall\n"
	"tiny_nap_ip:\n"
	"	add $24, %rsp\n"
	"	pop %rbp\n"
	"	ret\n"
	".balign 256\n"
	"	sub $40, %rsp\n"
	"	call tiny_code\n"
	"tiny_outer_ip:\n"
	"	add $40, %rsp\n"
	"	ret\n"
	".balign 256\n"
	".globl tiny_root\n"
	"tiny_root:\n"
	"	push %rbx\n"
	"	call tiny_code + 0x100\n"
	"tiny_root_ip:\n"
	"	pop %rbx\n"
	"	ret\n"
	".balign 64\n"
	".globl tiny_other\n"
	"tiny_other:\n"
	"	push %rbx\n"
	"	call tiny_code + 0x100\n"
	"tiny_other_ip:\n"
	"	pop %rbx\n"
	"	ret\n"
	".balign 1024\n");
#else
__asm__(".text\n"
	".balign 1024\n"
	"tiny_code:\n"
	"	sub sp, sp, #48\n"
	"	stp x29, x30, [sp, #16]\n"
	"	mov x29, #1\n"
	"	mov x1, #0\n"
	"	mov x2, x0\n"
	"	mov x3, #0\n"
	"	adrp x8, tiny_call\n"
	"	ldr w8, [x8, :lo12:tiny_call]\n"
	"	svc #0\n"
	"tiny_nap_ip:\n"
	"	ldp x29, x30, [sp, #16]\n"
	"	add sp, sp, #48\n"
	"	ret\n"
	".balign 256\n"
	"	stp x29, x30, [sp, #-32]!\n"
	"	bl tiny_code\n"
	"tiny_outer_ip:\n"
	"	ldp x29, x30, [sp], #32\n"
	"	ret\n"
	".balign 256\n"
	".globl tiny_root\n"
	"tiny_root:\n"
	"	stp x29, x30, [sp, #-16]!\n"
	"	bl tiny_code + 0x100\n"
	"tiny_root_ip:\n"
	"	ldp x29, x30, [sp], #16\n"
	"	ret\n"
	".balign 64\n"
	".globl tiny_other\n"
	"tiny_other:\n"
	"	stp x29, x30, [sp, #-16]!\n"
	"	bl tiny_code + 0x100\n"
	"tiny_other_ip:\n"
	"	ldp x29, x30, [sp], #16\n"
	"	ret\n"
	".balign 1024\n");
#endif

static struct wallprof_map tiny_map(__u32 table)
{
	__u64 start = (uintptr_t)tiny_code;

	return (struct wallprof_map){
		.start = start, .end = start + TINY_BYTES, .bias = start - TINY_BASE,
		.table = table,
	};
}

/* Push the table, and the process's mapping of the code. */
static int push_and_map(int fd, pid_t pid)
{
	struct tiny_table t = tiny_table();
	struct wallprof_map map;
	__u32 id;
	int ret;

	ret = push(fd, &t, sizeof(t), &id);
	map = tiny_map(id);
	return ret ? ret : maps_of(fd, pid, &map, 1, 0);
}

static bool is_stack_of(const struct read_stack *s, const char *root_ip)
{
	return s && s->nr == 3 && s->unwind == WALLPROF_UNWIND_END && !s->flags &&
	       s->ips[0] == (uintptr_t)tiny_nap_ip &&
	       s->ips[1] == (uintptr_t)tiny_outer_ip &&
	       s->ips[2] == (uintptr_t)root_ip;
}

static bool is_whole(const struct read_stack *s)
{
	return is_stack_of(s, tiny_root_ip);
}

static bool is_others(const struct read_stack *s)
{
	return is_stack_of(s, tiny_other_ip);
}

/* By frame pointer there is none. */
static bool is_by_fp(const struct read_stack *s)
{
	return s && s->nr == 1 && s->unwind == WALLPROF_UNWIND_MISALIGNED &&
	       s->flags == WALLPROF_STACK_BY_FP &&
	       s->ips[0] == (uintptr_t)tiny_nap_ip;
}

static void naps(void *arg)
{
	const struct timespec ts = { .tv_nsec = arg ? *(long *)arg : 2 * MS };

	for (;;)
		tiny_root(&ts);
}

static void naps_for_good(void *arg)
{
	const struct timespec ts = { .tv_sec = 1000000 };
	char c;

	/* After a byte from the pipe, if there is one. */
	if (!arg || read(*(int *)arg, &c, 1) == 1)
		tiny_root(&ts);
}

/* Wait until a process sleeps in nanosleep; the harness ends who waits in vain. */
static bool naps_now(pid_t pid)
{
	char path[64], text[64];
	bool naps = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/syscall", pid);
	while (!naps) {
		f = fopen(path, "re");
		if (!f)
			return false;
		naps = fgets(text, sizeof(text), f) && atoi(text) == SYS_nanosleep &&
		       strncmp(text, "running", 7);
		fclose(f);
		if (!naps)
			nap_ns(10 * MS);
	}
	return naps;
}

/* How many sleeping intervals of a process have such a stack, and how many not. */
static unsigned int count_stacks(const struct session *s, __u32 tgid,
				 bool (*is)(const struct read_stack *), unsigned int *others)
{
	unsigned int nr = 0;

	*others = 0;
	for (size_t i = 0; i < s->nr_aggrs; i++) {
		const struct wallprof_aggr *a = &s->aggrs[i];

		if (a->tgid != tgid || a->state != WALLPROF_STATE_SLEEPING ||
		    a->flags & ~WALLPROF_AGGR_32BIT)
			continue;
		if (is(session_stack(s, a->user_stack)))
			nr += a->count;
		else
			*others += a->count;
	}
	return nr;
}

/* Intervals of a process of one thread that are no sleep, the open one too. */
static unsigned int count_awake(const struct session *s, __u32 pid)
{
	unsigned int nr = session_account(s, pid)->state != WALLPROF_STATE_SLEEPING;

	for (size_t i = 0; i < s->nr_aggrs; i++)
		if (s->aggrs[i].tgid == pid && s->aggrs[i].state != WALLPROF_STATE_SLEEPING)
			nr += s->aggrs[i].count;
	return nr;
}

/* Intervals of a process are there: flips until then. */
static int flip_until(struct session *s, __u32 tgid, unsigned int wanted)
{
	unsigned int seen = 0;

	while (seen < wanted) {
		int ret = session_flip(s);

		if (ret)
			return ret;
		seen = 0;
		for (size_t k = 0; k < s->nr_aggrs; k++)
			if (s->aggrs[k].tgid == tgid &&
			    s->aggrs[k].state == WALLPROF_STATE_SLEEPING)
				seen += s->aggrs[k].count;
		nap_ns(5 * MS);
	}
	return 0;
}

FIXTURE(walk)
{
	struct wallprof_configure c;
	struct session s;
	__u32 pid;
};

FIXTURE_SETUP(walk)
{
	self->c = table_config();
}

FIXTURE_TEARDOWN(walk)
{
	child_end(self->pid);
}

/* Begin a session of a child that does @body. */
#define BEGIN(body, arg) do { \
	self->pid = child_of(body, arg); \
	dev_target(&self->c, WALLPROF_TARGET_PID, &self->pid, 1); \
	ASSERT_EQ(0, session_open(&self->s, &self->c)); \
	ASSERT_EQ(0, dev_start(self->s.fd, &self->s.start)); \
	self->s.begun = now_ns(); \
} while (0)

TEST_F(walk, by_table)
{
	unsigned int others;

	self->pid = child_of(naps, NULL);
	dev_target(&self->c, WALLPROF_TARGET_PID, &self->pid, 1);
	ASSERT_EQ(0, session_open(&self->s, &self->c));
	ASSERT_EQ(0, push_and_map(self->s.fd, self->pid));
	ASSERT_TRUE(naps_now(self->pid));
	ASSERT_EQ(0, dev_start(self->s.fd, &self->s.start));
	ASSERT_EQ(0, flip_until(&self->s, self->pid, 10));
	EXPECT_WHOLE(&self->s);
	EXPECT_LE(9, count_stacks(&self->s, self->pid, is_whole, &others));
	EXPECT_EQ(0, others);
	if (others)
		session_print_stacks(&self->s);
	EXPECT_EQ(0, self->s.walks_unknown);
	/* A preempted thread may be in code that is not in the table. */
	EXPECT_GE(count_awake(&self->s, self->pid), self->s.walks_mixed);
}

/*
 * What a program knows of its own naps, by the kernel's counts of its switches: a
 * nap that ends before it begins is none, one that is preempted on its way is two.
 */
struct own_account {
	unsigned int naps[2], off[2];
};

static void account_for(struct own_account *o, int way, const struct rusage *before)
{
	struct rusage now;

	getrusage(RUSAGE_SELF, &now);
	o->naps[way] += now.ru_nvcsw - before->ru_nvcsw;
	o->off[way] += now.ru_nvcsw - before->ru_nvcsw + now.ru_nivcsw - before->ru_nivcsw;
}

/* Two naps by one way, two by the other: registers and stack pointer are equal. */
static void naps_two_ways(void *arg)
{
	const struct timespec ts = { .tv_nsec = 200000 };
	struct rusage before;

	for (;;) {
		getrusage(RUSAGE_SELF, &before);
		tiny_root(&ts);
		tiny_root(&ts);
		account_for(arg, 0, &before);
		getrusage(RUSAGE_SELF, &before);
		tiny_other(&ts);
		tiny_other(&ts);
		account_for(arg, 1, &before);
	}
}

/*
 * What is remembered is exact: the two ways differ in one word of the stack. Nor
 * does it outlive the epoch, or the mappings.
 */
TEST_F(walk, remembers)
{
	struct own_account *own, around, from, to;
	unsigned int ways[2], others;

	own = mmap(NULL, sizeof(*own), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, own);
	self->pid = child_of(naps_two_ways, own);
	dev_target(&self->c, WALLPROF_TARGET_PID, &self->pid, 1);
	ASSERT_EQ(0, session_open(&self->s, &self->c));
	ASSERT_EQ(0, push_and_map(self->s.fd, self->pid));
	ASSERT_TRUE(naps_now(self->pid));
	around = *own;
	ASSERT_EQ(0, dev_start(self->s.fd, &self->s.start));
	from = *own;
	while (self->s.walks_remembered < 100) {
		ASSERT_EQ(0, push_and_map(self->s.fd, self->pid));
		nap_ns(20 * MS);
		ASSERT_EQ(0, session_flip(&self->s));
	}
	to = *own;
	EXPECT_WHOLE(&self->s);
	EXPECT_LE(100, self->s.walks_remembered);
	ways[0] = count_stacks(&self->s, self->pid, is_whole, &others);
	ways[1] = count_stacks(&self->s, self->pid, is_others, &others);
	/*
	 * It accounts for two naps at once; one may have been open at the start. Where
	 * the kernel's locks sleep, a wait for one is among the kernel's count.
	 */
	for (int i = 0; i < 2; i++) {
		EXPECT_GE(ways[i] + count_awake(&self->s, self->pid) + 3,
			  to.naps[i] - from.naps[i]);
		EXPECT_LE(ways[i], own->off[i] - around.off[i] + 3);
	}
	EXPECT_EQ(ways[0], others);
}

/* The kernel's count of a program's naps, brought up to date after each. */
static void naps_and_counts(void *arg)
{
	const struct timespec ts = { .tv_nsec = 200000 };
	volatile long *naps = arg;
	struct rusage now;

	for (;;) {
		tiny_root(&ts);
		getrusage(RUSAGE_SELF, &now);
		*naps = now.ru_nvcsw;
	}
}

/* The same by two ways, each with a call of its own, which one place makes. */
static void naps_by_two_calls(void *arg)
{
	volatile long *naps = arg;
	struct rusage now;

	for (;;) {
		/* ppoll() writes to it what was left. */
		struct timespec ts = { .tv_nsec = 200000 };

		tiny_call = SYS_nanosleep;
		tiny_root(&ts);
		tiny_call = SYS_ppoll;
		tiny_other(&ts);
		getrusage(RUSAGE_SELF, &now);
		*naps = now.ru_nvcsw;
	}
}

/* Calls that are made in turn at one place: none is forgotten for the other. */
TEST_F(walk, remembers_by_call)
{
	unsigned int ways[2], others;
	volatile long *naps;
	long from;

	naps = mmap(NULL, sizeof(*naps), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		     -1, 0);
	ASSERT_NE(MAP_FAILED, naps);
	self->pid = child_of(naps_by_two_calls, (void *)naps);
	dev_target(&self->c, WALLPROF_TARGET_PID, &self->pid, 1);
	ASSERT_EQ(0, session_open(&self->s, &self->c));
	ASSERT_EQ(0, push_and_map(self->s.fd, self->pid));
	ASSERT_EQ(0, dev_start(self->s.fd, &self->s.start));
	from = *naps;
	UNTIL(*naps >= from + 400);
	/* Of one epoch all. */
	ASSERT_EQ(0, session_flip(&self->s));
	EXPECT_WHOLE(&self->s);
	EXPECT_LE(200, self->s.walks_remembered);
	ways[0] = count_stacks(&self->s, self->pid, is_whole, &others);
	ways[1] = count_stacks(&self->s, self->pid, is_others, &others);
	EXPECT_LE(100, ways[0]);
	EXPECT_LE(100, ways[1]);
}

/* MAPS with other mappings invalidates what was found by the old ones. */
TEST_F(walk, forgets_with_the_mappings)
{
	struct wallprof_map map = tiny_map(0);
	unsigned int whole, others;
	volatile long *naps;
	long from, mapped, end;

	naps = mmap(NULL, sizeof(*naps), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		     -1, 0);
	ASSERT_NE(MAP_FAILED, naps);
	self->pid = child_of(naps_and_counts, (void *)naps);
	dev_target(&self->c, WALLPROF_TARGET_PID, &self->pid, 1);
	ASSERT_EQ(0, session_open(&self->s, &self->c));
	ASSERT_EQ(0, push_and_map(self->s.fd, self->pid));
	ASSERT_EQ(0, dev_start(self->s.fd, &self->s.start));
	from = *naps;
	UNTIL(*naps >= from + 200);
	ASSERT_EQ(0, maps_of(self->s.fd, self->pid, &map, 1, 0));
	/* What is counted between these two began, and ended, after that. */
	from = *naps;
	UNTIL(*naps > from);
	mapped = *naps;
	UNTIL(*naps >= mapped + 200);
	end = *naps;
	/* Of one epoch all. */
	ASSERT_EQ(0, session_flip(&self->s));
	EXPECT_WHOLE(&self->s);
	EXPECT_LE(1, self->s.walks_remembered);
	whole = count_stacks(&self->s, self->pid, is_whole, &others);
	EXPECT_LE(1, whole);
	/* Among the kernel's count is whatever else it waited for. */
	EXPECT_LE(end - mapped, others + count_awake(&self->s, self->pid));
}

TEST_F(walk, unknown_goes_by_fp)
{
	unsigned int others;

	BEGIN(naps, NULL);
	ASSERT_EQ(0, flip_until(&self->s, self->pid, 10));
	EXPECT_WHOLE(&self->s);
	EXPECT_LE(5, count_stacks(&self->s, self->pid, is_by_fp, &others));
	EXPECT_LE(9, self->s.walks_unknown);
}

TEST_F(walk, unknown_without_fp)
{
	unsigned int nr = 0;

	self->c.stack_flags = WALLPROF_STACK_TABLES;
	BEGIN(naps, NULL);
	ASSERT_EQ(0, flip_until(&self->s, self->pid, 10));
	EXPECT_WHOLE(&self->s);
	for (size_t i = 0; i < self->s.nr_stacks; i++) {
		nr++;
		EXPECT_EQ(1, self->s.stacks[i].nr);
		EXPECT_EQ(WALLPROF_UNWIND_NO_TABLE, self->s.stacks[i].unwind);
		EXPECT_EQ(0, self->s.stacks[i].flags);
	}
	EXPECT_LT(0, nr);
}

/* Not asked for: present, but not used. */
TEST_F(walk, by_fp)
{
	unsigned int others;

	self->c.stack_flags = WALLPROF_STACK_USER;
	BEGIN(naps, NULL);
	ASSERT_EQ(0, push_and_map(self->s.fd, self->pid));
	ASSERT_EQ(0, flip_until(&self->s, self->pid, 10));
	EXPECT_WHOLE(&self->s);
	EXPECT_EQ(0, count_stacks(&self->s, self->pid, is_whole, &others));
	EXPECT_LT(0, others);
	EXPECT_EQ(0, self->s.walks_unknown);
}

/* The mapping is known, but what is mapped there is not. */
TEST_F(walk, without_table)
{
	struct wallprof_map map = tiny_map(0);
	unsigned int nr = 0;

	self->pid = child_of(naps, NULL);
	ASSERT_TRUE(naps_now(self->pid));
	dev_target(&self->c, WALLPROF_TARGET_PID, &self->pid, 1);
	ASSERT_EQ(0, session_open(&self->s, &self->c));
	ASSERT_EQ(0, maps_of(self->s.fd, self->pid, &map, 1, 0));
	ASSERT_EQ(0, dev_start(self->s.fd, &self->s.start));
	ASSERT_EQ(0, flip_until(&self->s, self->pid, 10));
	EXPECT_WHOLE(&self->s);
	for (size_t i = 0; i < self->s.nr_stacks; i++) {
		if (self->s.stacks[i].ips[0] != (uintptr_t)tiny_nap_ip)
			continue;
		nr++;
		EXPECT_EQ(1, self->s.stacks[i].nr);
		EXPECT_EQ(WALLPROF_UNWIND_NO_TABLE, self->s.stacks[i].unwind);
	}
	EXPECT_LT(0, nr);
}

/* MAPS for a thread that is blocked already, and does not wake up. */
TEST_F(walk, blocked_since_before_start)
{
	const struct wallprof_task *task;

	self->pid = child_of(naps_for_good, NULL);
	ASSERT_TRUE(naps_now(self->pid));
	dev_target(&self->c, WALLPROF_TARGET_PID, &self->pid, 1);
	ASSERT_EQ(0, session_open(&self->s, &self->c));
	ASSERT_EQ(0, dev_start(self->s.fd, &self->s.start));
	/* It may be on its way to sleep still. */
	while (!session_account(&self->s, self->pid)->user_stack) {
		ASSERT_EQ(0, push_and_map(self->s.fd, self->pid));
		nap_ns(MS);
	}
	EXPECT_WHOLE(&self->s);
	task = session_account(&self->s, self->pid);
	ASSERT_NE(NULL, task);
	EXPECT_TRUE(is_whole(session_stack(&self->s, task->user_stack)));
	EXPECT_EQ(0, task->flags & (WALLPROF_TASK_WEAK_STACK | WALLPROF_TASK_NO_STACK));
	EXPECT_EQ(1, self->s.walks_asleep);
}

/* Waits until all threads of a process nap. Returns how many there are. */
static unsigned int nap_all_now(pid_t pid)
{
	const struct dirent *e;
	unsigned int nr = 0;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && (e = readdir(dir)))
		nr += e->d_name[0] != '.' && naps_now(atoi(e->d_name));
	if (dir)
		closedir(dir);
	return nr;
}

#define MANY	600	/* more than twice what the module considers at a time */

static void *is_one_of_many(void *arg)
{
	naps_for_good(NULL);
	return arg;
}

static void many_nap_for_good(void *arg)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	for (int i = 1; i < MANY; i++)
		if (pthread_create(&thread, &attr, is_one_of_many, NULL))
			_exit(1);
	naps_for_good(arg);
}

/* How many threads of a process have the stack. */
static unsigned int nr_with_stack(struct session *s, __u32 pid)
{
	const struct wallprof_task *tasks = session_tasks(s);
	unsigned int nr = 0;

	for (__u32 i = 0; i < s->c.nr_tasks; i++)
		nr += tasks[i].phase != WALLPROF_TASK_FREE && tasks[i].tgid == pid &&
		      tasks[i].user_stack;
	return nr;
}

/* The threads of a large process are all walked by one MAPS. */
TEST_F(walk, many_blocked_since_before_start)
{
	self->pid = child_of(many_nap_for_good, NULL);
	/* The last thread is made before the first one naps. */
	ASSERT_TRUE(naps_now(self->pid));
	ASSERT_EQ(MANY, nap_all_now(self->pid));
	dev_target(&self->c, WALLPROF_TARGET_PID, &self->pid, 1);
	ASSERT_EQ(0, session_open(&self->s, &self->c));
	ASSERT_EQ(0, dev_start(self->s.fd, &self->s.start));
	ASSERT_EQ(0, push_and_map(self->s.fd, self->pid));
	EXPECT_EQ(MANY, nr_with_stack(&self->s, self->pid));
	EXPECT_WHOLE(&self->s);
	EXPECT_EQ(MANY, self->s.walks_asleep);
	for (size_t i = 0; i < self->s.nr_stacks; i++)
		EXPECT_TRUE(is_whole(&self->s.stacks[i]));
}

TEST_F(walk, blocked_since)
{
	const volatile struct wallprof_task *task;
	int go[2];

	ASSERT_EQ(0, pipe(go));
	BEGIN(naps_for_good, &go[0]);
	ASSERT_EQ(1, write(go[1], "x", 1));
	ASSERT_TRUE(naps_now(self->pid));
	task = session_account(&self->s, self->pid);
	ASSERT_NE(NULL, task);
	UNTIL(task->phase == WALLPROF_TASK_OFF && task->flags & WALLPROF_TASK_WEAK_STACK);
	while (task->flags & WALLPROF_TASK_WEAK_STACK) {
		ASSERT_EQ(0, push_and_map(self->s.fd, self->pid));
		nap_ns(MS);
	}
	EXPECT_WHOLE(&self->s);
	task = session_account(&self->s, self->pid);
	EXPECT_TRUE(is_whole(session_stack(&self->s, task->user_stack)));
	EXPECT_EQ(1, self->s.walks_asleep);
}

static void is_woken(int nr)
{
}

/* Naps until it gets a signal, again and again: from one place, and woken by one thread. */
static void naps_until_woken(void *arg)
{
	const struct timespec ts = { .tv_sec = 1000000 };
	const struct sigaction act = { .sa_handler = is_woken };

	sigaction(SIGUSR1, &act, NULL);
	for (;;)
		tiny_root(&ts);
}

/*
 * Wakes a thread and waits until it is blocked again. A thread that another CPU woke, and
 * that does not run yet, looks blocked in /proc: its totals show when it ran.
 */
static bool wake_to_nap(const struct session *s, pid_t pid)
{
	const volatile struct wallprof_task *task = session_account(s, pid);
	__u64 naps;

	naps = task ? task->nr_off : 0;
	if (!task || kill(pid, SIGUSR1))
		return false;
	UNTIL(task->nr_off > naps && task->phase == WALLPROF_TASK_OFF &&
	      task->state == WALLPROF_STATE_SLEEPING);
	return naps_now(pid);
}

/* One that repeats its wait, which is in the switch cache. */
TEST_F(walk, blocked_in_a_cached_wait)
{
	unsigned int i, whole, others;

	BEGIN(naps_until_woken, NULL);
	ASSERT_TRUE(naps_now(self->pid));
	for (i = 0; i < 20; i++)
		ASSERT_TRUE(wake_to_nap(&self->s, self->pid));
	for (i = 0; session_account(&self->s, self->pid)->flags & WALLPROF_TASK_WEAK_STACK; i++) {
		ASSERT_EQ(0, push_and_map(self->s.fd, self->pid));
		nap_ns(MS);
	}
	ASSERT_LT(0, i);
	ASSERT_TRUE(wake_to_nap(&self->s, self->pid));
	EXPECT_WHOLE(&self->s);
	whole = count_stacks(&self->s, self->pid, is_whole, &others);
	EXPECT_EQ(1, whole);
	EXPECT_EQ(others, count_stacks(&self->s, self->pid, is_by_fp, &whole));
	/* The first one may have been since before START. */
	EXPECT_LE(19, others);
	EXPECT_EQ(1, self->s.walks_asleep);
}

static int sleeps_for_good(void *arg)
{
	naps_for_good(arg);
	return 0;
}

/* Pages of a process's memory that are there, shared ones. */
static long shared_pages(pid_t pid)
{
	long resident = -1, shared = -1;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/statm", pid);
	f = fopen(path, "re");
	if (!f)
		return -1;
	if (fscanf(f, "%*d %ld %ld", &resident, &shared) != 2)
		shared = -1;
	fclose(f);
	return shared;
}

/*
 * Its stack cannot be read at first: what was found without it is not the last word. A
 * walk does not make it present, though all of it is in the page cache.
 */
TEST_F(walk, blocked_on_absent_pages)
{
	const size_t size = 16 * getpagesize();
	const struct wallprof_task *task;
	const struct read_stack *found;
	int fd = memfd_create("stack", MFD_CLOEXEC);
	void *stack, *kept = malloc(size);
	struct iovec local, remote;
	long there;

	ASSERT_EQ(0, ftruncate(fd, size));
	stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, stack);
	ASSERT_NE(NULL, kept);
	local = (struct iovec){ .iov_base = kept, .iov_len = size };
	remote = (struct iovec){ .iov_base = stack, .iov_len = size };
	self->pid = clone(sleeps_for_good, stack + size, SIGCHLD, NULL);
	ASSERT_TRUE(naps_now(self->pid));
	dev_target(&self->c, WALLPROF_TARGET_PID, &self->pid, 1);
	ASSERT_EQ(0, session_open(&self->s, &self->c));
	ASSERT_EQ(0, dev_start(self->s.fd, &self->s.start));
	memcpy(kept, stack, size);
	ASSERT_EQ(0, ftruncate(fd, 0));
	ASSERT_EQ(0, ftruncate(fd, size));
	memcpy(stack, kept, size);
	there = shared_pages(self->pid);
	ASSERT_LT(0, there);
	/* It may be on its way to sleep still. */
	while (!session_account(&self->s, self->pid)->user_stack) {
		ASSERT_EQ(0, push_and_map(self->s.fd, self->pid));
		nap_ns(MS);
	}
	ASSERT_EQ(0, session_flip(&self->s));
	task = session_account(&self->s, self->pid);
	ASSERT_NE(NULL, task);
	EXPECT_NE(0, task->flags & WALLPROF_TASK_WEAK_STACK);
	found = session_stack(&self->s, task->user_stack);
	ASSERT_NE(NULL, found);
	EXPECT_EQ(WALLPROF_UNWIND_NOT_RESIDENT, found->unwind);
	EXPECT_EQ(1, found->nr);
	EXPECT_EQ(1, self->s.walks_asleep);
	/* One that finds no more is counted, and takes no place. */
	ASSERT_EQ(0, push_and_map(self->s.fd, self->pid));
	ASSERT_EQ(0, session_flip(&self->s));
	EXPECT_EQ(1, self->s.walks_asleep);
	EXPECT_LE(2, self->s.walks_not_resident);
	EXPECT_EQ(there, shared_pages(self->pid));

	/* By this, it is. */
	ASSERT_EQ(size, process_vm_readv(self->pid, &local, 1, &remote, 1, 0));
	EXPECT_LT(there, shared_pages(self->pid));
	while (session_account(&self->s, self->pid)->flags & WALLPROF_TASK_WEAK_STACK) {
		ASSERT_EQ(0, push_and_map(self->s.fd, self->pid));
		nap_ns(MS);
	}
	EXPECT_WHOLE(&self->s);
	task = session_account(&self->s, self->pid);
	EXPECT_TRUE(is_whole(session_stack(&self->s, task->user_stack)));
}

static void forks(void *arg)
{
	char c;

	if (read(*(int *)arg, &c, 1) != 1)
		_exit(1);
	if (!fork()) {
		syscall(SYS_prctl, 1 /* PR_SET_PDEATHSIG */, SIGKILL, 0, 0, 0);
		naps(NULL);
	}
	for (;;)
		pause();
}

static __u32 child_of_target(const struct session *s, __u32 pid)
{
	const struct wallprof_task *tasks = session_tasks(s);

	for (__u32 i = 0; i < s->c.nr_tasks; i++)
		if (tasks[i].phase != WALLPROF_TASK_FREE && tasks[i].tgid &&
		    tasks[i].tgid != pid)
			return tasks[i].tgid;
	return 0;
}

/* A waker is anybody: if their stacks are asked for, it need not be a target's child. */
TEST_F(walk, children_of_who_may_wake)
{
	struct wallprof_map map = { .start = 4096, .end = 8192 };
	pid_t other;

	for (int asked = 0; asked < 2; asked++) {
		if (asked)
			self->c.flags |= WALLPROF_WAKEUPS | WALLPROF_WAKERS |
					 WALLPROF_WAKER_STACKS;
		BEGIN(lives, NULL);
		ASSERT_EQ(0, maps_of(self->s.fd, getpid(), &map, 1, 0));
		other = child_of(lives, NULL);
		EXPECT_EQ(1 + asked, dev_status(self->s.fd).processes);
		EXPECT_FALSE(session_has_slot(&self->s, other));
		child_end(other);
		EXPECT_WHOLE(&self->s);
		session_close(&self->s);
		if (!asked)
			child_end(self->pid);
	}
}

TEST_F(walk, children_have_what_the_parent_has)
{
	unsigned int others;
	__u32 child = 0;
	int go[2];

	self->c.flags |= WALLPROF_INHERIT;
	ASSERT_EQ(0, pipe(go));
	BEGIN(forks, &go[0]);
	ASSERT_EQ(0, push_and_map(self->s.fd, self->pid));
	EXPECT_EQ(1, dev_status(self->s.fd).processes);
	ASSERT_EQ(1, write(go[1], "x", 1));
	UNTIL((child = child_of_target(&self->s, self->pid)));
	EXPECT_EQ(2, dev_status(self->s.fd).processes);
	EXPECT_EQ(0, dev_status(self->s.fd).forks_missed);
	ASSERT_EQ(0, flip_until(&self->s, child, 10));
	/* Forgetting the parent leaves the child what it has. */
	EXPECT_EQ(0, maps_of(self->s.fd, self->pid, NULL, 0, 0));
	EXPECT_EQ(1, dev_status(self->s.fd).processes);
	ASSERT_EQ(0, flip_until(&self->s, child, 20));
	child_end(self->pid);
	/* What has ended is forgotten by a flip. */
	while (dev_status(self->s.fd).processes) {
		ASSERT_EQ(0, session_flip(&self->s));
		nap_ns(MS);
	}
	EXPECT_WHOLE(&self->s);
	EXPECT_LE(15, count_stacks(&self->s, child, is_whole, &others));
	EXPECT_EQ(0, others);
}

/* Executed by the next test: the same program, so the same code where it was. */
static __attribute__((constructor)) void executed(void)
{
	if (getenv("WALLPROF_NAPS"))
		naps(NULL);
}

static void execs(void *arg)
{
	char c;

	if (read(*(int *)arg, &c, 1) != 1)
		_exit(1);
	setenv("WALLPROF_NAPS", "1", 1);
	execl("/proc/self/exe", "tables", (char *)NULL);
	_exit(1);
}

TEST_F(walk, exec_makes_it_unknown)
{
	__u64 stack, executed_at;
	unsigned int others;
	int go[2];

	ASSERT_EQ(0, pipe(go));
	BEGIN(execs, &go[0]);
	ASSERT_EQ(0, push_and_map(self->s.fd, self->pid));
	stack = stat_field(self->pid, 28);
	ASSERT_EQ(1, write(go[1], "x", 1));
	ASSERT_TRUE(naps_now(self->pid));
	executed_at = self->s.walks_unknown;
	ASSERT_EQ(0, flip_until(&self->s, self->pid, 10));
	EXPECT_EQ(0, dev_status(self->s.fd).processes);
	EXPECT_LT(executed_at, self->s.walks_unknown);
	/* What was read before the exec is refused. */
	if (stack != stat_field(self->pid, 28)) {
		struct wallprof_map map = tiny_map(0);

		EXPECT_EQ(-ESTALE, maps_of(self->s.fd, self->pid, &map, 1, stack));
	}
	EXPECT_WHOLE(&self->s);
	EXPECT_EQ(0, count_stacks(&self->s, self->pid, is_whole, &others));
	EXPECT_LT(0, others);
}

/* Two sessions have the same table; one ends. */
TEST_F(walk, sessions_share_tables)
{
	unsigned int others;
	struct session other;

	self->pid = child_of(naps, NULL);
	dev_target(&self->c, WALLPROF_TARGET_PID, &self->pid, 1);
	ASSERT_TRUE(naps_now(self->pid));
	ASSERT_EQ(0, session_begin(&other, &self->c));
	ASSERT_EQ(0, push_and_map(other.fd, self->pid));
	ASSERT_EQ(0, session_open(&self->s, &self->c));
	ASSERT_EQ(0, push_and_map(self->s.fd, self->pid));
	ASSERT_EQ(0, dev_start(self->s.fd, &self->s.start));
	session_close(&other);
	ASSERT_EQ(0, flip_until(&self->s, self->pid, 10));
	EXPECT_WHOLE(&self->s);
	EXPECT_LE(9, count_stacks(&self->s, self->pid, is_whole, &others));
	EXPECT_EQ(0, others);
}

static void spins(void *arg)
{
	for (;;)
		__asm__ volatile("" : : "r"(arg));
}

TEST_F(walk, samples)
{
	struct tiny_table t = tiny_table();
	struct wallprof_map map = { .table = 0 };
	__u64 walks = 0;

	dev_sampler(&self->c, 999);
	self->pid = child_of(spins, NULL);
	dev_target(&self->c, WALLPROF_TARGET_PID, &self->pid, 1);
	ASSERT_EQ(0, session_open(&self->s, &self->c));
	/* Where it spins there is no caller. */
	for (int i = 0; i < 4; i++)
		t.rows[i].rule = 3;
	ASSERT_EQ(0, push(self->s.fd, &t, sizeof(t), &map.table));
	map.start = (uintptr_t)spins & ~1023ULL;
	map.end = map.start + 1024;
	map.bias = map.start - TINY_BASE;
	ASSERT_EQ(0, maps_of(self->s.fd, self->pid, &map, 1, 0));
	ASSERT_EQ(0, dev_start(self->s.fd, &self->s.start));
	while (walks < 20) {
		nap_ns(10 * MS);
		ASSERT_EQ(0, session_flip(&self->s));
		walks = self->s.unwinds[1][WALLPROF_UNWIND_END];
	}
	EXPECT_WHOLE(&self->s);
	EXPECT_LE(20, walks);
	EXPECT_EQ(0, self->s.walks_unknown);
}

/*
 * Tables with one word changed, each published while threads walk: they are
 * refused, or walks end.
 */
TEST_F(walk, spoilt_tables)
{
	static const __u32 values[] = { 0, ~0U, 0x7fffffff, 0x80000000, 0x00010001 };
	struct tiny_table good = tiny_table();
	unsigned int taken = 0, refused = 0;
	long nap = 100000;

	BEGIN(naps, &nap);
	for (size_t at = 0; at < sizeof(good) / 4; at++) {
		for (unsigned int k = 0; k < ARRAY_SIZE(values) + 2; k++) {
			struct tiny_table bad = good;
			__u32 *word = (__u32 *)&bad + at;
			struct wallprof_map map;
			__u32 id;
			int ret;

			*word = k < ARRAY_SIZE(values) ? values[k] :
				k == ARRAY_SIZE(values) ? *word + 1 : *word ^ 1 << at % 32;
			ret = push(self->s.fd, &bad, sizeof(bad), &id);
			ASSERT_TRUE(!ret || ret == -EBADMSG);
			refused += !!ret;
			if (ret)
				continue;
			taken++;
			map = tiny_map(id);
			ASSERT_EQ(0, maps_of(self->s.fd, self->pid, &map, 1, 0));
			if (taken % 8 == 0)
				nap_ns(2 * MS);
		}
	}
	ASSERT_EQ(0, flip_until(&self->s, self->pid, 10));
	EXPECT_WHOLE(&self->s);
	EXPECT_LT(50, taken);
	EXPECT_LT(50, refused);
}

/* MAPS, flips and walks at once. */
struct updates {
	int fd;
	__u32 pid;
};

static void *updates(void *arg)
{
	struct tiny_table t = tiny_table();
	struct updates *to = arg;
	struct wallprof_map map;
	__u32 id;

	if (push(to->fd, &t, sizeof(t), &id))
		return NULL;
	map = tiny_map(id);
	for (int i = 0; i < 2000; i++)
		if (maps_of(to->fd, to->pid, i % 5 ? &map : NULL, i % 5 ? 1 : 0, 0))
			return NULL;
	return arg;
}

TEST_F(walk, mapped_all_the_time)
{
	pthread_t thread;
	struct updates to;
	long nap = 50000;
	void *ret = NULL;

	BEGIN(naps, &nap);
	to = (struct updates){ self->s.fd, self->pid };
	ASSERT_EQ(0, pthread_create(&thread, NULL, updates, &to));
	for (int i = 0; i < 20; i++) {
		nap_ns(5 * MS);
		ASSERT_EQ(0, session_flip(&self->s));
	}
	pthread_join(thread, &ret);
	EXPECT_NE(NULL, ret);
	EXPECT_WHOLE(&self->s);
}

#endif

TEST_HARNESS_MAIN
