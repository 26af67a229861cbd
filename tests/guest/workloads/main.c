// SPDX-License-Identifier: GPL-2.0
/*
 * waits: a program whose waits and stacks are known.
 *
 *	waits [-t FILE] [KIND ...]
 *
 * does the kinds of waits named, or a medley of some five seconds, and prints
 * in words what it did; with -t it adds the truth to FILE, for a test.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kinds.h"
#include "truth.h"

static const struct {
	const char *name;
	void (*run)(void);
} kinds[] = {
	{ "nap", kind_nap },
	{ "futex", kind_futex },
	{ "pipe", kind_pipe },
	{ "epoll", kind_epoll },
	{ "poll", kind_poll },
	{ "vfork", kind_vfork },
	{ "stop", kind_stop },
	{ "rivals", kind_rivals },
	{ "yield", kind_yield },
	{ "migrate", kind_migrate },
	{ "births", kind_births },
	{ "deep", kind_deep },
	{ "demo", kind_demo },
};

#define NR_KINDS (sizeof(kinds) / sizeof(kinds[0]))

static int run(const char *name)
{
	for (unsigned int i = 0; i < NR_KINDS; i++) {
		if (!strcmp(kinds[i].name, name)) {
			kinds[i].run();
			return 0;
		}
	}
	fprintf(stderr, "waits: no such kind: %s; there are", name);
	for (unsigned int i = 0; i < NR_KINDS; i++)
		fprintf(stderr, " %s", kinds[i].name);
	fputs("\n", stderr);
	return 2;
}

int main(int argc, char **argv)
{
	const char *file = NULL;
	int option, ret = 0;

	while ((option = getopt(argc, argv, "t:")) != -1) {
		if (option != 't') {
			fputs("usage: waits [-t FILE] [KIND ...]\n", stderr);
			return 2;
		}
		file = optarg;
	}
	if (optind == argc)
		ret = run("demo");
	for (int i = optind; i < argc && !ret; i++)
		ret = run(argv[i]);
	if (ret)
		return ret;
	if (file)
		truth_write(file);
	else
		truth_print();
	return 0;
}
