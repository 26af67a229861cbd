// SPDX-License-Identifier: GPL-2.0
/* Invariant 8, again and again: the module comes and goes. */
#include "life.h"

TEST_F_TIMEOUT(life, a_thousand_rounds, 1800)
{
	unsigned int rounds = from_env("LIFE_ROUNDS", times(1000));
	__u64 since = now_ns();

	for (unsigned int i = 0; i < rounds; i++) {
		/* Mostly as fast as can be. */
		kill(self->load, i % 10 ? SIGSTOP : SIGCONT);
		ASSERT_EQ(0, dev_unload());
		ASSERT_EQ(0, dev_load());
		if (i % 25 == 0) {
			struct wallprof_configure c = life_any();
			int fd = dev_open();

			ASSERT_LE(0, fd);
			ASSERT_EQ(0, dev_cmd(fd, WALLPROF_IOC_CONFIGURE, &c));
			ASSERT_EQ(0, life_tables(fd, &c));
			ASSERT_EQ(0, dev_start(fd, NULL));
			close(fd);
		}
	}
	TH_LOG("%u rounds in %llu ms", rounds, (ull)(now_ns() - since) / MS);
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

			life_tables(fd, &c);
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

#define LIVES 3
/* Refusals until one that may be the reason is killed. */
#define REFUSALS 20

TEST_F_TIMEOUT(life, unload_every_few_milliseconds, 900)
{
	unsigned int unloaded = 0, tried = 0, killed = 0, who = 1;
	pid_t pids[LIVES];

	for (int i = 0; i < LIVES; i++)
		pids[i] = child_of(lives, (void *)(uintptr_t)who++);
	/* Until it was in use once when somebody tried. */
	for (; unloaded < times(100) || tried == unloaded; unloaded++) {
		unsigned int refused, gone = 0;
		int ret;

		for (refused = 0; (ret = dev_unload()); refused++) {
			ASSERT_EQ(-EWOULDBLOCK, ret);
			if (refused % REFUSALS == REFUSALS - 1) {
				/* Once nobody is left there is no reason, either. */
				ASSERT_GT(LIVES, gone);
				child_end(pids[gone++]);
			}
			nap_below(4);
		}
		tried += refused + 1;
		killed += gone;
		ASSERT_EQ(0, dev_load());
		while (gone)
			pids[--gone] = child_of(lives, (void *)(uintptr_t)who++);
		nap_below(20);
	}
	for (int i = 0; i < LIVES; i++)
		child_end(pids[i]);
	TH_LOG("unloaded %u times in %u tries, %u processes killed for it", unloaded, tried,
	       killed);
}

TEST_HARNESS_MAIN
