// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of times that have passed as text, and of what /proc has about a thread: this one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/procfile.h"
#include "lib/base/since.h"
#include "lib/proc/procinfo.h"
#include "tap.h"

#define S	1000000000ULL

static void test_age(void)
{
	static const struct {
		__u64 ns;
		const char *text;
	} cases[] = {
		{ 0, "0us" }, { 999999, "999us" }, { 1000000, "1.0ms" },
		{ S - 1, "999.9ms" }, { S, "1.000s" }, { 60 * S - 1, "59.999s" },
		{ 60 * S, "1m00s" }, { 3599 * S, "59m59s" }, { 3600 * S, "1h00m" },
		{ 86399 * S, "23h59m" }, { 86400 * S, "1d00h" }, { ~0ULL, "213503d23h" },
	};
	char buf[WP_SINCE_TEXT];
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ok(!strcmp(wp_since_age(cases[i].ns, buf, sizeof(buf)), cases[i].text), "%s",
		   cases[i].text);
}

static void test_clock(void)
{
	char buf[WP_SINCE_TEXT], wanted[WP_SINCE_TEXT];
	__u64 at = wp_clock_now(), age;
	struct timespec now;
	struct tm tm;

	wp_since_clock(S, at, buf, sizeof(buf));
	ok(strlen(buf) == strlen("14:03:05") && buf[2] == ':' && buf[5] == ':', "the time of day");
	/*
	 * From the middle of a second: the clocks are read one after the other, here and there.
	 * If the machine stands still in between, again.
	 */
	do {
		at = wp_clock_now();
		clock_gettime(CLOCK_REALTIME, &now);
		age = 7 * S + now.tv_nsec + S / 2;
		wp_since_clock(age, at - 1000 * S, buf, sizeof(buf));
	} while (wp_clock_now() - at > S / 4);
	now.tv_sec -= 1000 + 8;
	localtime_r(&now.tv_sec, &tm);
	strftime(wanted, sizeof(wanted), "%H:%M:%S", &tm);
	ok(!strcmp(buf, wanted), "by the time of the age, however long ago that was: %s, %s", buf,
	   wanted);
	wp_since_clock(2 * 86400 * S, at, buf, sizeof(buf));
	ok(strlen(buf) == strlen("2026-11-24 14:03") && buf[4] == '-' && buf[10] == ' ',
	   "of more than a day ago with the date");
}

static __u64 time_of(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return ts.tv_sec * S + ts.tv_nsec;
}

static void test_pair(void)
{
	__u64 before = time_of(CLOCK_MONOTONIC), day_before = time_of(CLOCK_REALTIME);
	__u64 at = 0, day = 0;
	int err = wp_clock_pair(CLOCK_MONOTONIC, &at, &day);

	ok(!err && at >= before && at <= time_of(CLOCK_MONOTONIC), "a clock");
	ok(day >= day_before && day <= time_of(CLOCK_REALTIME), "... and the time of day");
	ok(wp_clock_pair(1000, &at, &day) == -EINVAL, "no such clock");
}

static void test_about(void)
{
	struct wp_procinfo about;
	char *command;

	prctl(PR_SET_NAME, "a) (b\n");
	ok(wp_procinfo_read(getpid(), getpid(), &about) && !strcmp(about.process, "a) (b\n") &&
	   !about.kthread && about.age < 86400 * S, "a thread of a strange name");
	ok(!wp_procinfo_read(getpid(), 1 << 30, &about), "one that is gone");
	command = wp_procinfo_command(getpid());
	ok(command && !strcmp(command, "since one two  end"), "words of a command line: %s",
	   command ? command : "none");
	free(command);
	ok(!wp_procinfo_command(1 << 30), "of none that is gone");
}

int main(int argc, char **argv)
{
	if (argc == 1) {
		execl("/proc/self/exe", "since", "one", "two", "", "end", NULL);
		return 1;
	}
	test_age();
	test_clock();
	test_pair();
	test_about();
	return done();
}
