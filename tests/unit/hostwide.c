// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of whether a command records the whole host, and of the names of its threads.
 */
#include "lib/model/hostwide.h"
#include "tap.h"

/* @command: blanks end words, _ is a blank within one. */
static void check(const char *command, int wanted)
{
	char words[128];
	size_t nr;

	for (nr = 0; command[nr]; nr++)
		words[nr] = command[nr] == ' ' ? '\0' : command[nr] == '_' ? ' ' : command[nr];
	words[nr] = '\0';
	ok(wp_hostwide(words, nr + 1) == wanted, "'%s': %s", command,
	   wanted ? "the host" : "a part");
}

int main(void)
{
	check("wallprof record", 1);
	check("/usr/bin/wallprof record -a -R -o x.data -- sleep 4", 1);
	check("wallprof record -aR sleep 4", 1);
	check("wallprof record -F 99 -o host.data", 1);
	check("wallprof record -C 0-3 sleep 1", 1);
	check("wallprof record --cpu=1 sleep 1", 1);
	check("wallprof record --max-stack 10", 1);
	check("wallprof sched record -- sleep 2", 1);
	check("wallprof record -z 3", 1);
	check("wallprof record -z3 --compression-level 3 -a ls", 1);
	check("wallprof sched record --last 10s --trigger blocked>1s", 1);
	check("perf record -g -a sleep 2", 1);
	check("perf record -z -a ls", 1);
	check("perf record -j any -a ls", 1);
	check("perf record --all-cpus -- ls", 1);
	check("wallprof record -e x:y --filter a_>_3_&&_b -a -- find", 1);
	check("wallprof record -e x:y --filter a_-p -a find", 1);
	check("wallprof record -e x:y --filter a_>_3 -p 12", 0);
	check("wallprof record -e x:y --filter a_-a ls", 0);
	check("wallprof record -o  -a ls", 1);
	check("wallprof record -- sleep 4", 0);
	check("wallprof record sleep 4", 0);
	check("wallprof record -F 99 ls -a", 0);
	check("wallprof record -o x -- ls -a", 0);
	check("wallprof record -p 12 -a", 0);
	check("wallprof record -gp12", 0);
	check("wallprof record --pid=12", 0);
	check("wallprof record -a --comm cat", 0);
	check("wallprof record -u root", 0);
	check("wallprof sched record -t 5", 0);
	check("wallprof record -z 3 ls -a", 0);
	check("wallprof record -z -v 3 -a", 0);
	check("wallprof sched record --last 10s -p 5", 0);
	check("wallprof sched record --switch-max-files 3 -p 5", 0);
	check("perf record -g ls", 0);
	check("perf script", 0);
	check("", 0);
	check(" ", 0);
	ok(wp_hostwide_is_own("wallprof") && wp_hostwide_is_own("wallprof-files") &&
	   wp_hostwide_is_own("wallprof-opens"), "the recorder and its helpers");
	ok(!wp_hostwide_is_own("wallprofd") && !wp_hostwide_is_own(""), "others are not");
	return done();
}
