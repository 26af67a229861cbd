// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of what the agent keeps over a reload: all of it comes back; files of others, of other
 * versions, and damaged ones are refused.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cmd/agent/agent.h"
#include "lib/base/err.h"
#include "tap.h"

#define SEALS	(F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

static char whole[65536];
static size_t size;

static int add(struct wp_agent_sums *s, const char *name, const char *container, __u64 ns)
{
	struct wp_service service = { 0 };
	struct wp_agent_sum *sum;

	snprintf(service.name, sizeof(service.name), "%s", name ? name : "");
	snprintf(service.container, sizeof(service.container), "%s", container);
	snprintf(service.group, sizeof(service.group), "/%s", container);
	sum = wp_agent_sum_of(s, name ? &service : NULL);
	if (!sum)
		return -1;
	sum->ns[WP_OTLP_BLOCKED] += ns;
	sum->hist.blocked[3] += ns;
	sum->hist_ns[WP_OTLP_RUNNABLE] += ns;
	return 0;
}

/* Its file, of one window that was not sent; -1: there is none. */
static int write_one(void)
{
	const struct wp_outbox_post post = { .seq = 1, .ns = 77, .bytes = 3 };
	struct wp_outbox_left left = { .bytes = sizeof(post) + 3, .windows = 1, .ns = 77 };
	struct wp_agent a = {
		.sums = { .wanted = true, .start = 123, .restart = 20, .overflowed = 4,
			  .saturated = 5 },
		.pressure.paused_ns = 21,
		.nr_windows = 6, .begun = 7, .idle_ns = 8, .sum = { 9, 10, 11 },
		.live = { .records_lost = 12, .lost = { 13 }, .status.lost[0].count = 14,
			  .causes = { .before[1] = 20, .names[1].overflowed = 1 } },
		.outbox = {
			.unsent = 15, .bytes = 16, .metrics = { 17 },
			.loss[WP_OUTBOX_REFUSED] = { 1, 18 }, .all[WP_OUTBOX_SENT] = { 2, 19 },
		},
	};
	int fd;

	left.fd = memfd_create("left", MFD_CLOEXEC);
	if (write(left.fd, &post, sizeof(post)) != sizeof(post) || write(left.fd, "abc", 3) != 3 ||
	    add(&a.sums, "one", "", 100) || add(&a.sums, NULL, "", 200) ||
	    add(&a.sums, "", "c", 300))
		return -1;
	a.sums.sum[2].start = 22;
	fd = wp_agent_carry_write(&a, &left);
	close(left.fd);
	wp_agent_sums_free(&a.sums);
	return fd;
}

/* A file of these bytes. */
static int file_of(const void *data, size_t len, int seals)
{
	int fd = memfd_create("carry", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (write(fd, data, len) != (ssize_t)len || fcntl(fd, F_ADD_SEALS, seals))
		return -1;
	return fd;
}

static bool find(struct wp_agent_carry *c, int fd)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", fd);
	setenv(WP_AGENT_CARRY, number, 1);
	wp_agent_carry_find(c);
	return c->fd == fd && !getenv(WP_AGENT_CARRY);
}

static void test_all(void)
{
	struct wp_agent a = { .sums.wanted = true, .outbox.sock = -1 }, b = { .outbox.sock = -1 };
	struct wp_agent_carry c;
	const char *container, *name;
	int fd = write_one(), again;

	size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
	ok(size && size < sizeof(whole) && pread(fd, whole, size, 0) == (ssize_t)size &&
	   pwrite(fd, "x", 1, 0) < 0, "a sealed file is written");
	again = file_of(whole, size, SEALS);
	ok(find(&c, fd) && fcntl(fd, F_GETFD) == FD_CLOEXEC && !wp_agent_carry_read(&c, &a) &&
	   c.fd < 0 && fcntl(fd, F_GETFD) < 0, "it is found, and read");
	ok(a.sums.start == 123 && a.sums.restart == 20 && a.sums.overflowed == 4 &&
	   a.sums.saturated == 5 && a.pressure.paused_ns == 21 && a.sums.now == 7 &&
	   a.nr_windows == 6 && a.begun == 7 && a.idle_ns == 8 && a.sum[0] == 9 && a.sum[2] == 11 &&
	   a.live.records_lost == 12 && a.live.records_before == 12 && a.live.lost[0] == 27 &&
	   wp_livecauses_overflowed(&a.live.causes, 1) == 21,
	   "... counts go on");
	ok(a.outbox.unsent == 15 && a.outbox.bytes == 16 && a.outbox.metrics[0] == 17 &&
	   a.outbox.loss[WP_OUTBOX_REFUSED].ns == 18 && a.outbox.all[WP_OUTBOX_SENT].ns == 19,
	   "... so do those of what was sent");
	ok(a.outbox.all[WP_OUTBOX_BROKEN].windows == 1 && a.outbox.all[WP_OUTBOX_BROKEN].ns == 77,
	   "... what waits is posted; without a process it is counted");
	name = wp_agent_sums_name(&a.sums, 2, &container);
	ok(a.sums.services.nr == 3 && a.sums.sum[0].ns[WP_OTLP_BLOCKED] == 100 &&
	   a.sums.sum[1].hist.blocked[3] == 200 && a.sums.sum[1].overflow && name && !*name &&
	   !strcmp(container, "c") && !strcmp(wp_agent_sums_group(&a.sums, 2), "/c") &&
	   !strcmp(wp_agent_sums_group(&a.sums, 0), "/") && !*wp_agent_sums_group(&a.sums, 1) &&
	   a.sums.sum[2].start == 22 && a.sums.sum[2].hist_ns[WP_OTLP_RUNNABLE] == 300,
	   "... sums of services, too");
	ok(find(&c, again) && !wp_agent_carry_read(&c, &b) && !b.sums.services.nr &&
	   b.nr_windows == 6, "without metrics there are none");
	wp_agent_sums_free(&a.sums);
}

static bool is_refused(int fd)
{
	struct wp_agent_carry c;
	bool found = find(&c, fd), open = fcntl(fd, F_GETFD) >= 0;

	if (found)
		wp_agent_carry_drop(&c);
	else
		close(fd);
	return !found && open;
}

/* A copy with other bytes at @at. */
static int with(size_t at, const void *bytes, size_t nr)
{
	char copy[sizeof(whole)];

	memcpy(copy, whole, size);
	memcpy(copy + at, bytes, nr);
	return file_of(copy, size, SEALS);
}

static void test_others(void)
{
	const __u64 other = getpid() + 1;
	struct wp_agent a = { .outbox.sock = -1 };
	struct wp_agent_carry c;

	ok(is_refused(file_of(whole, size, SEALS & ~F_SEAL_WRITE)) &&
	   is_refused(file_of(whole, size, SEALS & ~F_SEAL_SEAL)), "one that may change is refused");
	ok(is_refused(with(16, &other, sizeof(other))), "... and that of another process");
	ok(is_refused(with(0, "X", 1)) && is_refused(file_of(whole, 5, SEALS)) &&
	   is_refused(file_of(whole, 0, SEALS)), "... and one that is something else");
	ok(find(&c, with(7, "Z", 1)) && !wp_agent_carry_read(&c, &a) && !a.nr_windows && c.fd < 0,
	   "that of another version is not read");
}

static void test_damaged(void)
{
	struct wp_agent_carry c;
	unsigned int taken = 0;
	size_t i;

	for (i = 24; i < size; i++) {
		struct wp_agent a = { .sums.wanted = true, .outbox.sock = -1 };

		if (find(&c, file_of(whole, i, SEALS)) && !wp_agent_carry_read(&c, &a))
			taken += a.nr_windows != 0;
		wp_agent_sums_free(&a.sums);
	}
	ok(!taken, "one that is cut is not read");
	for (i = 24; i < size; i++) {
		struct wp_agent a = { .sums.wanted = true, .outbox.sock = -1 };

		if (find(&c, with(i, "\xff", 1)) && !wp_agent_carry_read(&c, &a))
			taken += a.nr_windows != 0;
		wp_agent_sums_free(&a.sums);
	}
	ok(taken > size / 2 && taken < size, "whatever byte is another one, nothing else happens");
}

int main(void)
{
	int before = dup(2);

	wp_set_verbosity(WP_SILENT);
	test_all();
	test_others();
	test_damaged();
	ok(dup(2) == before + 1, "no descriptor is left open");
	return done();
}
