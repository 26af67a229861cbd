// SPDX-License-Identifier: GPL-2.0
/*
 * The mapping: who may map what, when, and how long it lives.
 * Invariants 6 (what is mapped is all there is) and 7 (a session lives as long
 * as its descriptor: a mapping holds it too).
 */
#include <setjmp.h>

#include "device.h"

FIXTURE(map)
{
	struct wallprof_configure c;
	int fd;
	size_t bytes;
	size_t page;
};

FIXTURE_SETUP(map)
{
	self->fd = dev_open();
	ASSERT_LE(0, self->fd);
	self->c = dev_config();
	self->c.nr_tasks = 512;
	ASSERT_EQ(0, dev_cmd(self->fd, WALLPROF_IOC_CONFIGURE, &self->c));
	self->bytes = self->c.map_bytes;
	self->page = sysconf(_SC_PAGESIZE);
}

FIXTURE_TEARDOWN(map)
{
	close(self->fd);
}

/* mmap: 0 or a negative errno. */
static int try_map(int fd, size_t bytes, int prot, int flags, off_t offset)
{
	void *p = dev_map(fd, bytes, prot, flags, offset);

	if (p == MAP_FAILED)
		return -errno;
	munmap(p, bytes);
	return 0;
}

TEST(before_configure)
{
	int fd = dev_open();

	EXPECT_EQ(-EINVAL, try_map(fd, 4096, PROT_READ, MAP_SHARED, 0));
	EXPECT_EQ(-EINVAL, try_map(fd, 1 << 20, PROT_READ, MAP_SHARED, 4096));
}

TEST_F(map, whole_and_in_every_state)
{
	struct wallprof_flip flip;

	EXPECT_EQ(0, try_map(self->fd, self->bytes, PROT_READ, MAP_SHARED, 0));
	ASSERT_EQ(0, dev_start(self->fd, NULL));
	EXPECT_EQ(0, try_map(self->fd, self->bytes, PROT_READ, MAP_SHARED, 0));
	ASSERT_EQ(0, dev_stop(self->fd, NULL));
	EXPECT_EQ(0, try_map(self->fd, self->bytes, PROT_READ, MAP_SHARED, 0));
	ASSERT_EQ(0, dev_flip(self->fd, &flip));
	EXPECT_EQ(0, try_map(self->fd, self->bytes, PROT_READ, MAP_SHARED, 0));
}

TEST_F(map, writable)
{
	EXPECT_EQ(-EACCES, try_map(self->fd, self->bytes, PROT_READ | PROT_WRITE,
				   MAP_SHARED, 0));
	EXPECT_EQ(-EACCES, try_map(self->fd, self->page, PROT_WRITE, MAP_SHARED, 0));
	EXPECT_GT(0, try_map(self->fd, self->page, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE, 0));
}

TEST_F(map, private)
{
	EXPECT_EQ(-EINVAL, try_map(self->fd, self->bytes, PROT_READ, MAP_PRIVATE, 0));
}

TEST_F(map, made_writable_later)
{
	unsigned char *p = dev_map(self->fd, self->bytes, PROT_READ, MAP_SHARED, 0);

	ASSERT_NE(MAP_FAILED, (void *)p);
	EXPECT_EQ(-1, mprotect(p, self->bytes, PROT_READ | PROT_WRITE));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(-1, mprotect(p + self->page, self->page, PROT_WRITE));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(0, mprotect(p, self->bytes, PROT_NONE));
	EXPECT_EQ(-1, mprotect(p, self->bytes, PROT_WRITE));
	EXPECT_EQ(0, mprotect(p, self->bytes, PROT_READ));
}

TEST_F(map, not_even_by_proc_mem)
{
	unsigned char *p = dev_map(self->fd, self->bytes, PROT_READ, MAP_SHARED, 0);
	int mem = open("/proc/self/mem", O_RDWR);
	unsigned char before = p[self->c.cpus_offset];

	ASSERT_LE(0, mem);
	EXPECT_EQ(-1, pwrite(mem, "x", 1, (uintptr_t)p + self->c.cpus_offset));
	EXPECT_EQ(before, p[self->c.cpus_offset]);
}

TEST_F(map, beyond_the_end)
{
	EXPECT_EQ(-EINVAL, try_map(self->fd, self->bytes + self->page, PROT_READ,
				   MAP_SHARED, 0));
	EXPECT_EQ(-EINVAL, try_map(self->fd, self->bytes, PROT_READ, MAP_SHARED,
				   self->page));
	EXPECT_EQ(-EINVAL, try_map(self->fd, self->page, PROT_READ, MAP_SHARED,
				   self->bytes));
	EXPECT_EQ(-EINVAL, try_map(self->fd, self->page, PROT_READ, MAP_SHARED,
				   self->bytes + 16 * self->page));
	/* Far out, where sums of offset and length wrap around. */
	EXPECT_GT(0, syscall(
#ifdef SYS_mmap2
			SYS_mmap2, 0, self->page, PROT_READ, MAP_SHARED, self->fd,
			0xfffffff0UL) == -1 ? -errno : 0);
#else
			SYS_mmap, 0, self->page, PROT_READ, MAP_SHARED, self->fd,
			0x7ffffffffffff000UL) == -1 ? -errno : 0);
	EXPECT_GT(0, syscall(SYS_mmap, 0, 2 * self->page, PROT_READ, MAP_SHARED,
			     self->fd, 0xfffffffffffff000UL) == -1 ? -errno : 0);
#endif
}

TEST_F(map, unaligned_offset)
{
	EXPECT_EQ(-EINVAL, try_map(self->fd, self->page, PROT_READ, MAP_SHARED, 8));
	EXPECT_EQ(-EINVAL, try_map(self->fd, 0, PROT_READ, MAP_SHARED, 0));
}

TEST_F(map, a_part_shows_the_same)
{
	unsigned char *whole, *part;
	unsigned int differ = 0;
	__u64 ns = MS;
	pid_t pid = child_of(load_naps, &ns);

	ASSERT_EQ(0, dev_start(self->fd, NULL));
	nap_ns(100 * MS);
	ASSERT_EQ(0, dev_stop(self->fd, NULL));
	child_end(pid);
	whole = dev_map(self->fd, self->bytes, PROT_READ, MAP_SHARED, 0);
	ASSERT_NE(MAP_FAILED, (void *)whole);
	for (size_t at = 0; at < self->bytes; at += self->page) {
		part = dev_map(self->fd, self->page, PROT_READ, MAP_SHARED, at);
		ASSERT_NE(MAP_FAILED, (void *)part);
		differ += !!memcmp(part, whole + at, self->page);
		munmap(part, self->page);
	}
	EXPECT_EQ(0, differ);
}

TEST_F(map, moved_and_shrunk_but_not_grown)
{
	unsigned char *p = dev_map(self->fd, self->bytes, PROT_READ, MAP_SHARED, 0), *q;
	unsigned char first[64];

	ASSERT_NE(MAP_FAILED, (void *)p);
	memcpy(first, p + self->c.cpus_offset, sizeof(first));
	q = mmap(NULL, self->bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	q = mremap(p, self->bytes, self->bytes, MREMAP_MAYMOVE | MREMAP_FIXED, q);
	if (q != MAP_FAILED) {
		EXPECT_EQ(0, memcmp(first, q + self->c.cpus_offset, sizeof(first)));
		p = q;
	}
	EXPECT_EQ(MAP_FAILED, mremap(p, self->bytes, self->bytes + self->page,
				     MREMAP_MAYMOVE));
	q = mremap(p, self->bytes, self->bytes - self->page, 0);
	EXPECT_EQ(p, q);
	EXPECT_EQ(0, memcmp(first, q + self->c.cpus_offset, sizeof(first)));
}

TEST_F(map, unmapped_in_parts)
{
	unsigned char *p = dev_map(self->fd, self->bytes, PROT_READ, MAP_SHARED, 0);

	ASSERT_NE(MAP_FAILED, (void *)p);
	ASSERT_EQ(0, dev_start(self->fd, NULL));
	EXPECT_EQ(0, munmap(p + self->page, self->page));
	EXPECT_EQ(0, munmap(p, self->page));
	EXPECT_EQ(0, munmap(p + 2 * self->page, self->bytes - 2 * self->page));
	EXPECT_EQ(0, dev_stop(self->fd, NULL));
}

TEST_F(map, the_kernel_writes_into_it)
{
	unsigned char *p = dev_map(self->fd, self->bytes, PROT_READ, MAP_SHARED, 0);
	struct wallprof_status status;

	/* A system call that writes to the mapping fails as any write does. */
	memset(&status, 0, sizeof(status));
	EXPECT_EQ(-EFAULT, dev_cmd(self->fd, WALLPROF_IOC_STATUS, p) == -EINVAL ?
		  -EFAULT : dev_cmd(self->fd, WALLPROF_IOC_STATUS, p));
	EXPECT_EQ(-1, read(open("/proc/self/stat", O_RDONLY), p, 16));
	EXPECT_EQ(EFAULT, errno);
}

/* A child after fork has none of it: it would keep the session when its owner is gone. */
TEST_F(map, forked)
{
	unsigned char *p = dev_map(self->fd, self->bytes, PROT_READ, MAP_SHARED, 0);
	int status;
	pid_t pid;

	ASSERT_NE(MAP_FAILED, (void *)p);
	ASSERT_EQ(0, dev_start(self->fd, NULL));
	pid = fork();
	if (!pid) {
		volatile unsigned int sum = 0;

		sum += p[0];
		_exit(7);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
	EXPECT_EQ(0, dev_stop(self->fd, NULL));
}

TEST_F(map, outlives_the_descriptor)
{
	unsigned char *p = dev_map(self->fd, self->bytes, PROT_READ, MAP_SHARED, 0);
	volatile unsigned int sum = 0;
	const struct wallprof_half *half;

	ASSERT_NE(MAP_FAILED, (void *)p);
	ASSERT_EQ(0, dev_start(self->fd, NULL));
	close(self->fd);
	nap_ns(50 * MS);
	half = (const void *)(p + self->c.cpus_offset);
	EXPECT_EQ(0, half->cpu);
	for (size_t at = 0; at < self->bytes; at += 64)
		sum += p[at];
	EXPECT_EQ(0, munmap(p, self->bytes));
	self->fd = dev_open();
	EXPECT_LE(0, self->fd);
}

TEST_F(map, a_hundred_times)
{
	ASSERT_EQ(0, dev_start(self->fd, NULL));
	for (int i = 0; i < 100; i++)
		EXPECT_NE(MAP_FAILED, dev_map(self->fd, self->bytes, PROT_READ,
					      MAP_SHARED, 0));
	EXPECT_EQ(0, dev_stop(self->fd, NULL));
}

TEST_HARNESS_MAIN
