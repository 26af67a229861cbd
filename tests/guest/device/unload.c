// SPDX-License-Identifier: GPL-2.0
/*
 * Invariant 8: unloading is safe at any instant that the module count allows.
 * These tests unload the module and load it again, from ./wallprof.ko.
 */
#include "device.h"

static bool tainted_by_a_warning(void)
{
	char text[32] = "";
	int fd = open("/proc/sys/kernel/tainted", O_RDONLY);

	if (read(fd, text, sizeof(text) - 1) < 0)
		return true;
	close(fd);
	return atol(text) & (1 << 9 | 1 << 7 | 1 << 5);	/* W, D, B */
}

FIXTURE(unload)
{
	struct wallprof_configure c;
};

FIXTURE_SETUP(unload)
{
	dev_load();		/* an earlier test may have ended in between */
	self->c = dev_config();
	dev_sampler(&self->c, 499);
}

FIXTURE_TEARDOWN(unload)
{
	EXPECT_FALSE(tainted_by_a_warning());
}

TEST_F(unload, while_open)
{
	int fd = dev_open();

	ASSERT_LE(0, fd);
	EXPECT_EQ(-EWOULDBLOCK, dev_unload());
	ASSERT_EQ(0, dev_cmd(fd, WALLPROF_IOC_CONFIGURE, &self->c));
	EXPECT_EQ(-EWOULDBLOCK, dev_unload());
	ASSERT_EQ(0, dev_start(fd, NULL));
	EXPECT_EQ(-EWOULDBLOCK, dev_unload());
	ASSERT_EQ(0, dev_stop(fd, NULL));
	EXPECT_EQ(-EWOULDBLOCK, dev_unload());
	close(fd);
	EXPECT_EQ(0, dev_unload());
	EXPECT_EQ(-ENOENT, dev_open());
	EXPECT_EQ(0, dev_load());
	EXPECT_LE(0, dev_open());
}

TEST_F(unload, while_mapped)
{
	struct session s;

	ASSERT_EQ(0, session_begin(&s, &self->c));
	close(s.fd);
	EXPECT_EQ(-EWOULDBLOCK, dev_unload());
	munmap(s.map, s.c.map_bytes);
	EXPECT_EQ(0, dev_unload());
	EXPECT_EQ(0, dev_load());
}

struct recorder {
	struct wallprof_configure c;
	int ready[2];
};

static void runs_until_killed(void *arg)
{
	struct recorder *r = arg;
	struct session s;

	if (session_begin(&s, &r->c) || write(r->ready[1], "", 1) != 1)
		_exit(1);
	for (;;)
		session_flip(&s);
}

/* Under load, right after the owner was killed. */
TEST_F_TIMEOUT(unload, after_a_kill, 120)
{
	pid_t work = child_of(load_all, (void *)1);
	struct recorder r = { .c = self->c };
	const unsigned int rounds = scaled(10);

	ASSERT_EQ(0, pipe(r.ready));
	for (unsigned int i = 0; i < rounds; i++) {
		pid_t pid = child_of(runs_until_killed, &r);
		char byte;

		ASSERT_EQ(1, read(r.ready[0], &byte, 1));
		nap_ns(110 * i / rounds * MS);
		EXPECT_EQ(-EWOULDBLOCK, dev_unload());
		child_end(pid);
		EXPECT_EQ(0, dev_unload());
		EXPECT_EQ(0, dev_load());
	}
	child_end(work);
}

/* Under load, right after the close of a running session. */
TEST_F_TIMEOUT(unload, right_after_close, 120)
{
	pid_t work = child_of(load_all, (void *)1);

	for (unsigned int i = 0; i < scaled(20); i++) {
		int fd = dev_open();

		ASSERT_LE(0, fd);
		ASSERT_EQ(0, dev_cmd(fd, WALLPROF_IOC_CONFIGURE, &self->c));
		ASSERT_EQ(0, dev_start(fd, NULL));
		nap_ns((i % 5) * 3 * MS);
		close(fd);
		EXPECT_EQ(0, dev_unload());
		EXPECT_EQ(0, dev_load());
		self->c = dev_config();
		if (i & 1)
			dev_sampler(&self->c, 4999);
	}
	child_end(work);
}

/* Opens race with unloads: each gets the one or the other, never a crash. */
static void opens(void *arg)
{
	for (;;) {
		struct wallprof_configure c = *(struct wallprof_configure *)arg;
		__u64 began = now_ns();
		int fd = dev_open();

		if (fd < 0)
			continue;
		dev_cmd(fd, WALLPROF_IOC_CONFIGURE, &c);
		dev_start(fd, NULL);
		close(fd);
		/* Else the module would hardly ever be free, on a slow kernel. */
		nap_ns(10 * MS + 2 * (now_ns() - began));
	}
}

TEST_F_TIMEOUT(unload, against_opens, 120)
{
	unsigned int unloaded = 0;
	pid_t openers[2];

	for (int i = 0; i < 2; i++)
		openers[i] = child_of(opens, &self->c);
	while (unloaded < 5) {
		int ret = dev_unload();

		EXPECT_TRUE(ret == 0 || ret == -EWOULDBLOCK);
		if (!ret) {
			unloaded++;
			EXPECT_EQ(0, dev_load());
		}
	}
	for (int i = 0; i < 2; i++)
		child_end(openers[i]);
}

TEST_HARNESS_MAIN
