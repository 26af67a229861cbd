// SPDX-License-Identifier: GPL-2.0
/*
 * Ages and times of day as text, for screens. Called by the commands top and stacks.
 */
#include <stdio.h>
#include <time.h>

#include "lib/base/clock.h"
#include "lib/base/since.h"

#define DAY	86400

/**
 * wp_since_age() - format an age
 * @ns: age in nanoseconds
 * @buf: set to a text like 12us, 3.4ms, 5.678s, 1m02s, 3h04m, 5d06h
 * @size: size of @buf, WP_SINCE_TEXT
 *
 * Return: @buf.
 */
const char *wp_since_age(__u64 ns, char *buf, size_t size)
{
	unsigned long long us = ns / 1000, s = ns / 1000000000;

	if (us < 1000)
		snprintf(buf, size, "%lluus", us);
	else if (!s)
		snprintf(buf, size, "%llu.%llums", us / 1000, us / 100 % 10);
	else if (s < 60)
		snprintf(buf, size, "%llu.%03llus", s, us / 1000 % 1000);
	else if (s < 3600)
		snprintf(buf, size, "%llum%02llus", s / 60, s % 60);
	else if (s < DAY)
		snprintf(buf, size, "%lluh%02llum", s / 3600, s / 60 % 60);
	else
		snprintf(buf, size, "%llud%02lluh", s / DAY, s / 3600 % 24);
	return buf;
}

/**
 * wp_since_suspended() - time for which the host was suspended since its boot
 *
 * Ages of waits, which are differences of wp_clock_now(), do not include it, and nothing
 * has the times of day at which it was suspended: see wp_since_clock().
 *
 * Return: nanoseconds.
 */
__u64 wp_since_suspended(void)
{
	__u64 now = wp_clock_now(), since_boot;
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	since_boot = ts.tv_sec * 1000000000ULL + ts.tv_nsec;
	return since_boot > now ? since_boot - now : 0;
}

/**
 * wp_since_clock() - format the time of day at which something began
 * @ns: its age in nanoseconds
 * @at: the time of that age, by wp_clock_now(): the output may be much later
 * @buf: set to a text like 14:03:05; for more than a day ago 2026-11-24 14:03
 * @size: size of @buf, WP_SINCE_TEXT
 *
 * It is too late by the time for which the host was suspended since.
 *
 * Return: @buf.
 */
const char *wp_since_clock(__u64 ns, __u64 at, char *buf, size_t size)
{
	struct timespec now = { 0 };
	struct tm tm;
	time_t then;

	clock_gettime(CLOCK_REALTIME, &now);
	ns += wp_clock_now() - at;
	then = now.tv_sec - (time_t)(ns / 1000000000);
	/* The second in which it began, not the nearest one. */
	then -= now.tv_nsec < (long)(ns % 1000000000);
	if (!localtime_r(&then, &tm) ||
	    !strftime(buf, size, ns / 1000000000 < DAY ? "%H:%M:%S" : "%F %H:%M", &tm))
		snprintf(buf, size, "?");
	return buf;
}
