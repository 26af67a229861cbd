// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the check for the target of a recording's command line, of wallprof's or of
 * perf's, and for the threads of the recorder.
 *
 * Pure: no I/O, no clock.
 */
#include <stddef.h>
#include <string.h>

#include "lib/model/hostwide.h"

/*
 * Options of wallprof and of perf record whose value can be the next word; those in @chosen
 * select threads. For @numbered it is the next word with wallprof only: perf takes it for
 * the command there.
 */
#define WITH_VALUE	"ptuGCeFcomDrkj"
#define NUMBERED	"z"
#define CHOSEN		"ptuG"

static const char *const chosen_names[] = { "pid", "tid", "uid", "comm", "cgroup", NULL };
static const char *const all_names[] = { "all-cpus", "cpu", "CPU", NULL };
static const char *const value_names[] = {
	"pid", "tid", "uid", "comm", "cgroup", "cpu", "CPU", "event", "freq", "count", "call-graph",
	"max-stack", "state", "min", "max", "off-cpu-thresh", "output", "mmap-pages", "interval",
	"ledger", "intervals", "tables", "filter", "weight", "by", "delay", "clockid", "last",
	"trigger", "switch-max-files", "branch-filter", "realtime", "proc-map-timeout",
	"max-size", "num-thread-synthesize", "vmlinux", "affinity", "mmap-flush", "control", "synth",
	"clang-path", "clang-opt", NULL
};

static const char *const numbered_names[] = { "compression-level", NULL };

/**
 * struct aim - state of the parser
 * @chosen: some threads are selected
 * @all: all threads are selected
 * @skip: the next word is a value
 * @skip_number: it is one if it is a number
 */
struct aim {
	bool chosen;
	bool all;
	bool skip;
	bool skip_number;
};

static bool in(const char *const *list, const char *word, size_t len)
{
	for (; *list; list++) {
		if (strlen(*list) == len && !strncmp(*list, word, len))
			return true;
	}
	return false;
}

static void long_option(struct aim *aim, const char *word, size_t len)
{
	const char *equals = memchr(word, '=', len);
	size_t name = equals ? (size_t)(equals - word) : len;

	aim->chosen |= in(chosen_names, word, name);
	aim->all |= in(all_names, word, name);
	aim->skip = !equals && in(value_names, word, name);
	aim->skip_number = !equals && in(numbered_names, word, name);
}

static void letters(struct aim *aim, const char *word, size_t len)
{
	size_t i;

	aim->skip_number = false;
	for (i = 0; i < len; i++) {
		aim->chosen |= !!strchr(CHOSEN, word[i]);
		aim->all |= word[i] == 'a' || word[i] == 'C';
		if (strchr(WITH_VALUE, word[i])) {
			aim->skip = i + 1 == len;
			return;
		}
		if (strchr(NUMBERED, word[i])) {
			aim->skip_number = i + 1 == len;
			return;
		}
	}
}

/**
 * wp_hostwide() - whether a command recorded the whole host
 * @words: its words, each with a terminating 0
 * @nr: bytes of all of them
 *
 * Return: true if it certainly did.
 */
bool wp_hostwide(const char *words, size_t nr)
{
	struct aim aim = { 0 };
	bool record = false, sched = false, command = false;
	const char *word = words, *end = words + nr;
	size_t len;

	for (; word < end && !command; word += len + 1) {
		len = strlen(word);
		if (!record) {
			sched |= !strcmp(word, "sched");
			record = !strcmp(word, "record");
		} else if (aim.skip || (aim.skip_number && len &&
					strspn(word, "0123456789") == len)) {
			aim.skip = false;
			aim.skip_number = false;
		} else if (len > 2 && !strncmp(word, "--", 2)) {
			long_option(&aim, word + 2, len - 2);
		} else if (len > 1 && word[0] == '-' && word[1] != '-') {
			letters(&aim, word + 1, len - 1);
		} else {
			command = true;
		}
	}
	return record && !aim.chosen && (aim.all || sched || !command);
}

/**
 * wp_hostwide_is_own() - whether a thread is the recorder's, or that of a helper
 * @comm: its name
 *
 * Their waits are not of interest.
 */
bool wp_hostwide_is_own(const char *comm)
{
	return !strcmp(comm, "wallprof") || !strcmp(comm, "wallprof-files") ||
	       !strcmp(comm, "wallprof-opens");
}
