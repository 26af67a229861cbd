// SPDX-License-Identifier: GPL-2.0
/* Invariant 8, again and again: the module comes and goes. */
#include "life.h"

TEST_F_TIMEOUT(life, a_thousand_rounds, 900)
{
	for (unsigned int i = 0; i < times(1000); i++) {
		/* Mostly as fast as can be. */
		kill(self->load, i % 10 ? SIGSTOP : SIGCONT);
		ASSERT_EQ(0, dev_unload());
		ASSERT_EQ(0, dev_load());
		if (i % 25 == 0) {
			struct wallprof_configure c = life_any();
			int fd = dev_open();

			ASSERT_LE(0, fd);
			ASSERT_EQ(0, dev_cmd(fd, WALLPROF_IOC_CONFIGURE, &c));
			ASSERT_EQ(0, dev_start(fd, NULL));
			close(fd);
		}
	}
}

/* Sessions of all lengths, ended in all ways, as long as there is a module. */
static void lives(void *arg)
{
	rnd_seed((uintptr_t)arg);
	for (;;) {
		struct wallprof_configure c = life_any();
		struct wallprof_flip flip;
		__u64 since = now_ns();
		int fd = dev_open();

		if (fd < 0) {
			nap_below(2);
			continue;
		}
		if (rnd(8) && !dev_cmd(fd, WALLPROF_IOC_CONFIGURE, &c) && rnd(8)) {
			void *p = dev_map(fd, c.map_bytes, PROT_READ, MAP_SHARED, 0);

			dev_start(fd, NULL);
			for (unsigned int i = rnd(4); i; i--)
				dev_flip(fd, &flip);
			nap_below(5);
			if (rnd(2))
				dev_stop(fd, NULL);
			if (p != MAP_FAILED)
				munmap(p, c.map_bytes);
		}
		close(fd);
		/* Else the module would hardly ever be free. */
		nap_ns((now_ns() - since) * (1 + rnd(5)));
	}
}

TEST_F_TIMEOUT(life, unload_every_few_milliseconds, 900)
{
	unsigned int unloaded = 0, tried = 0, who = 1;
	__u64 until = now_ns() + 300 * SEC;
	pid_t pids[3];

	for (; who <= 3; who++)
		pids[who - 1] = child_of(lives, (void *)(uintptr_t)who);
	for (; (tried < times(1000) || unloaded < times(50)) && now_ns() < until;
	     tried++) {
		int ret = dev_unload();

		ASSERT_TRUE(ret == 0 || ret == -EWOULDBLOCK) TH_LOG("%d", ret);
		if (!ret) {
			unloaded++;
			ASSERT_EQ(0, dev_load());
		}
		if (rnd(40) == 0) {
			pid_t *pid = &pids[rnd(3)];

			child_end(*pid);
			*pid = child_of(lives, (void *)(uintptr_t)who++);
		}
		nap_below(4);
	}
	for (int i = 0; i < 3; i++)
		child_end(pids[i]);
	TH_LOG("%u of %u tries unloaded it; %u processes", unloaded, tried, who - 1);
	EXPECT_LE(times(50), unloaded);
}

TEST_HARNESS_MAIN
