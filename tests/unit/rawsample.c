// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the raw payload of samples: that it is where its description says.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <linux/wallprof_lock.h>

#include "lib/perfdata/features.h"
#include "lib/perfdata/offcpuraw.h"
#include "lib/perfdata/rawsample.h"
#include "tap.h"

static char format[8192];

/* The value of a field, by the description alone. */
static __u64 value(const char *raw, const char *field)
{
	char name[64];
	unsigned int at, size;
	__u64 v = 0;
	char *p;

	snprintf(name, sizeof(name), " %s;\toffset:", field);
	p = strstr(format, name);
	if (!p || sscanf(p + strlen(name), "%u;\tsize:%u;", &at, &size) != 2 || size > 8)
		return ~0ULL;
	memcpy(&v, raw + at, size);
	return v;
}

static const char *string(const char *raw, const char *field)
{
	__u64 v = value(raw, field);

	/* With its 0. */
	return strlen(raw + (v & 0xffff)) + 1 == v >> 16 ? raw + (v & 0xffff) : "?";
}

static void test_fields(const char *raw, size_t len)
{
	ok((len + 4) % 8 == 0 && value(raw, "common_type") == WP_RAW_ID &&
	   (__s32)value(raw, "common_pid") == 12, "the head of a tracepoint's record");
	ok(value(raw, "state") == WALLPROF_STATE_DISK &&
	   value(raw, "reason") == WALLPROF_REASON_SYSCALL &&
	   value(raw, "waker") == WALLPROF_WAKER_TASK && value(raw, "waker_tid") == 4711 &&
	   value(raw, "nr") == SYS_futex && value(raw, "arg") == 0x123456789abcdef0ULL &&
	   value(raw, "arg2") == 128 && value(raw, "arg3") == ~0ULL &&
	   value(raw, "flags") == WALLPROF_AGGR_IOWAIT &&
	   value(raw, "id") == 5ULL << 36 && value(raw, "waker_id") == 4ULL << 36 &&
	   value(raw, "lock_owner") == 815 && value(raw, "lock") == WALLPROF_LOCK_PI,
	   "why it waited, and who woke it");
	ok(value(raw, "count") == 3 && value(raw, "blocked") == 60 && value(raw, "runnable") == 40 &&
	   value(raw, "min") == 20 && value(raw, "max") == 50 && value(raw, "blocked_max") == 35 &&
	   value(raw, "runnable_max") == 15 && value(raw, "asleep_since") == 7777,
	   "for how long, and since when");
	ok(!strcmp(string(raw, "syscall"), "futex") && !strcmp(string(raw, "object"), "/a b+0x4"),
	   "the names");
	ok(!strcmp(string(raw, "blocked_hist"), "0:1,64:2") &&
	   !strcmp(string(raw, "runnable_hist"), "-"), "and how long each was");
}

static void test_cause(const struct wp_sample *s)
{
	struct wp_offcpu_raw raw, back;
	struct wp_sample less = *s;
	size_t size;

	memset(&raw, 0xff, sizeof(raw));
	ok(wp_offcpu_raw_make(&raw, s, 7) == sizeof(raw), "it has an owner");
	ok((sizeof(raw) + 4) % 8 == 0 && wp_offcpu_raw_read(&back, &raw, sizeof(raw)) &&
	   back.state == s->state && back.reason == s->cause.reason &&
	   back.syscall == SYS_futex && back.lock == s->cause.arg && back.count == 3 &&
	   back.blocked_max == 35 && back.runnable_max == 15 && !back.compat && back.memory == 7 &&
	   back.owner == s->cause.lock_owner,
	   "the short payload, and back");
	less.cause.lock_owner = 0;
	size = wp_offcpu_raw_make(&raw, &less, 7);
	ok((size + 4) % 8 == 0 && size < sizeof(raw) &&
	   wp_offcpu_raw_read(&back, &raw, size) && back.runnable_max == 15 && !back.owner,
	   "the payload without an owner");
	ok(!wp_offcpu_raw_read(&back, &raw, size - 1) && !wp_offcpu_raw_read(&back, NULL, 0),
	   "one that is too short");
	raw.magic++;
	ok(!wp_offcpu_raw_read(&back, &raw, sizeof(raw)), "one that is another");
}

int main(void)
{
	struct wp_sample s = {
		.tid = 12, .tgid = 11, .state = WALLPROF_STATE_DISK,
		.flags = WALLPROF_AGGR_IOWAIT, .id = 5ULL << 36, .waker_id = 4ULL << 36,
		.cause = {
			.reason = WALLPROF_REASON_SYSCALL, .syscall = SYS_futex,
			.arg = 0x123456789abcdef0, .arg2 = 128, .arg3 = ~0ULL, .waker = WALLPROF_WAKER_TASK,
			.waker_tid = 4711,
			.lock_owner = WALLPROF_LOCK_OWNER(815, WALLPROF_LOCK_PI),
		},
		.count = 3, .total = 100, .runnable = 40, .min = 20, .max = 50,
		.blocked_max = 35, .runnable_max = 15, .asleep_since = 7777,
	};
	struct wp_hist hist = { .blocked = { [0] = 1, [7] = 2 } }, full;
	char raw[WP_RAW_MAX], longest[2000];
	struct wp_buf b = { 0 };
	unsigned int i, bad = 0;
	size_t len;

	wp_raw_format(&b, 0);
	ok(!b.failed && b.len < sizeof(format), "the description");
	memcpy(format, b.data, b.len);
	ok(!strstr(format, "blocked_hist=") && !strstr(format, "arg2=") &&
	   !strstr(format, "waker_id=") && !strstr(format, "lock_owner=") &&
	   strstr(format, "object=%s\"") && strstr(format, ", __get_str(object)\n"),
	   "no histograms in words, where there are none, nor other arguments, nor chains");
	memset(format, 0, sizeof(format));
	wp_buf_free(&b);
	wp_raw_format(&b, WP_RAW_HIST | WP_RAW_SINGLE | WP_RAW_CHAINS | WP_RAW_OWNERS);
	ok(!b.failed && b.len < sizeof(format), "the same with histograms");
	memcpy(format, b.data, b.len);
	wp_buf_free(&b);
	ok(strstr(format, "name: offcpu\nID: 65500\nformat:\n") == format &&
	   strstr(format, "{ 3, \"D\" }") && strstr(format, "{ 1, \"syscall\" }") &&
	   strstr(format, "lock_owner=%u ") && strstr(format, "{ 0x8, \"iowait\" }") && strstr(format, "{ 0x8000, \"open\" }"),
	   "has the words of the states, reasons and flags");
	test_fields(raw, wp_raw_encode(&s, "/a b+0x4", &hist, raw, sizeof(raw)));
	test_cause(&s);
	s.cause = wp_cause_none;
	wp_raw_encode(&s, "-", NULL, raw, sizeof(raw));
	ok((__s32)value(raw, "nr") == -1 && !strcmp(string(raw, "syscall"), "-"), "no system call");
	ok(!strcmp(string(raw, "blocked_hist"), "-"), "no histogram");
	memset(longest, 'x', sizeof(longest));
	memset(&full, 0xff, sizeof(full));
	for (i = 0; i < sizeof(longest) - 1; i++) {
		longest[i] = 0;
		len = wp_raw_encode(&s, longest, &full, raw, sizeof(raw));
		bad += (len + 4) % 8 != 0 || len > sizeof(raw) ||
		       strlen(string(raw, "object")) != (i < 511 ? i : 511) ||
		       strlen(string(raw, "blocked_hist")) < WALLPROF_HIST_BUCKETS * 22;
		longest[i] = 'x';
	}
	ok(!bad, "an object of any length (%u wrong)", bad);
	ok(!wp_raw_encode(&s, "-", NULL, raw, sizeof(raw) - 1), "too little room");
	return done();
}
