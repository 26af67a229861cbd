// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the lookup of perf's options that a command does not have under the same name.
 * Called by options.c for words that are none of the command's own options.
 */
#include <stdio.h>
#include <string.h>

#include "cmd/common/perf-options.h"

#define BY_PERF		"use 'perf report', which reads the file, too"
#define BY_PERF_SCRIPT	"use 'perf script -D', which reads the file, too"
#define TIMEHIST	"use 'perf sched timehist', which reads the file, too"
#define ANNOTATE	"use 'perf annotate', which reads the file, too"
#define ALWAYS		NULL

const struct wp_perf_option wp_perf_options_record[] = {
	{ 'A', "append", false, "a file has one recording; name another by -o" },
	{ 'I', "intr-regs", false, "registers are not recorded; use 'perf record'" },
	{ 'M', NULL, false, "memory accesses are not recorded; use 'perf mem record'" },
	{ 'P', "period", false, ALWAYS },
	{ 'S', "snapshot", false, "use 'wallprof sched record --overwrite'" },
	{ 'T', "timestamp", false, ALWAYS },
	{ 'W', NULL, false, "weights are not recorded; use 'perf record'" },
	{ 'b', "branch-any", false, "branches are not recorded; use 'perf record'" },
	{ 'd', "data", false, "addresses of data are not recorded; use 'perf mem record'" },
	{ 'f', "force", false, ALWAYS },
	{ 'j', "branch-filter", true, "branches are not recorded; use 'perf record'" },
	{ 'k', "clockid", true, "times are always of CLOCK_MONOTONIC; leave it out" },
	{ 'n', "no-samples", false, "use 'perf stat', or -e none for off-CPU time only" },
	{ 's', "stat", false, "use 'wallprof report -v', which has each thread's times" },
	{ 0, "affinity", true, "use taskset(1) in front of the command" },
	{ 0, "aio", false, ALWAYS },
	{ 0, "all-cgroups", false, "use -G for the groups to record" },
	{ 0, "all-kernel", false, "use -e EVENT:k" },
	{ 0, "all-user", false, "use -e EVENT:u" },
	{ 0, "aux-sample", false, "AUX areas are not recorded; use 'perf record'" },
	{ 0, "bpf-event", false, ALWAYS },
	{ 0, "buildid-all", false, ALWAYS },
	{ 0, "buildid-mmap", false, ALWAYS },
	{ 0, "clang-opt", true, "BPF programs are not compiled; leave it out" },
	{ 0, "clang-path", true, "BPF programs are not compiled; leave it out" },
	{ 0, "code-page-size", false, "sizes of pages are not recorded; use 'perf record'" },
	{ 0, "data-mmap", false, "addresses of data are not recorded; use 'perf mem record'" },
	{ 0, "data-page-size", false, "sizes of pages are not recorded; use 'perf record'" },
	{ 0, "debuginfod", false, "use it with 'wallprof report': it reads DEBUGINFOD_URLS" },
	{ 0, "dry-run", false, "leave it out: mistakes are found before recording begins" },
	{ 0, "group", false, "events are counted one by one; leave it out" },
	{ 0, "kcore", false, "use 'wallprof archive', or report --kallsyms with a copy" },
	{ 0, "latency", false, "use 'wallprof sched record' and 'wallprof sched latency'" },
	{ 0, "mmap-flush", true, "use --interval" },
	{ 0, "namespaces", false, ALWAYS },
	{ 0, "no-bpf-event", false, ALWAYS },
	{ 0, "no-buffering", false, "use --interval 1" },
	{ 0, "num-thread-synthesize", true, ALWAYS },
	{ 0, "overwrite", false, "use 'wallprof sched record --overwrite'" },
	{ 0, "per-thread", false, ALWAYS },
	{ 0, "phys-data", false, "addresses of data are not recorded; use 'perf mem record'" },
	{ 0, "proc-map-timeout", true, ALWAYS },
	{ 0, "running-time", false, "counters are not read; leave it out" },
	{ 0, "sample-cpu", false, ALWAYS },
	{ 0, "sample-identifier", false, ALWAYS },
	{ 0, "sample-mem-info", false, "memory accesses are not recorded; use 'perf mem record'" },
	{ 0, "setup-filter", true, "filters are not BPF programs; leave it out" },
	{ 0, "switch-events", false, "use --timeline" },
	{ 0, "switch-output-event", true, "use --switch-output" },
	{ 0, "synth", true, "leave it out: all that is needed is synthesized" },
	{ 0, "tail-synthesize", false, ALWAYS },
	{ 0, "threads", false, ALWAYS },
	{ 0, "timestamp-boundary", false, ALWAYS },
	{ 0, "transaction", false, "transactions are not recorded; use 'perf record'" },
	{ 0, "user-callchains", false, ALWAYS },
	{ 0, "user-regs", true, "registers are not recorded; use 'perf record'" },
	{ 0, "vmlinux", true, "use it with 'wallprof report'" },
	{ 0 }
};

const struct wp_perf_option wp_perf_options_report[] = {
	{ 'C', "cpu", true, "use 'wallprof record -C', or 'wallprof sched latency -C'" },
	{ 'D', "dump-raw-trace", false, BY_PERF },
	{ 'F', "fields", true, "use -s and -n" },
	{ 'H', "hierarchy", false, "use -g" },
	{ 'M', "disassembler-style", true, ANNOTATE },
	{ 'T', "threads", false, "use -v, or -s pid,tid" },
	{ 'U', "hide-unresolved", false, "use -s dso,sym: what has no name is FILE+0xOFFSET" },
	{ 'b', "branch-stack", false, BY_PERF },
	{ 'f', "force", false, ALWAYS },
	{ 'm', "modules", false, ALWAYS },
	{ 'w', "column-widths", true, "set COLUMNS: columns share the width that there is" },
	{ 'x', "exclude-other", false, "use -S for functions that must be in a stack" },
	{ 0, "addr2line", true, "leave it out: inlined functions are found without it" },
	{ 0, "addr2line-style", true, "leave it out: inlined functions are found without it" },
	{ 0, "asm-raw", false, ANNOTATE },
	{ 0, "branch-history", false, BY_PERF },
	{ 0, "demangle", false, ALWAYS },
	{ 0, "demangle-kernel", false, ALWAYS },
	{ 0, "disable-order", false, "leave it out: samples are always put in order" },
	{ 0, "field-separator", true, "use --json or --folded" },
	{ 0, "full-source-path", false, ALWAYS },
	{ 0, "group", false, "each event has its own table; leave it out" },
	{ 0, "group-sort-idx", true, "each event has its own table; leave it out" },
	{ 0, "gtk", false, "use 'wallprof flame'" },
	{ 0, "ignore-callees", true, "use -S, or -g callee" },
	{ 0, "ignore-vmlinux", false, "use --kallsyms" },
	{ 0, "itrace", true, BY_PERF },
	{ 0, "latency", false, "use the table itself, or 'wallprof sched latency'" },
	{ 0, "mem-mode", false, BY_PERF },
	{ 0, "mmaps", false, BY_PERF },
	{ 0, "no-header", false, ALWAYS },
	{ 0, "no-inline", false, ALWAYS },
	{ 0, "no-source", false, ALWAYS },
	{ 0, "ns", false, "use --json, which has ns" },
	{ 0, "objdump", true, ANNOTATE },
	{ 0, "parallelism", true, BY_PERF },
	{ 0, "parent", true, "use -S for functions that must be in a stack" },
	{ 0, "percent-type", true, "leave it out: shares are of the time that is chosen" },
	{ 0, "percentage", true, "leave it out: shares are of the time that is chosen" },
	{ 0, "prefix", true, ANNOTATE },
	{ 0, "prefix-strip", true, ANNOTATE },
	{ 0, "pretty", true, "use --json" },
	{ 0, "raw-trace", false, BY_PERF },
	{ 0, "samples", true, "use 'perf script', which prints each" },
	{ 0, "show-cpu-utilization", false, "use -e EVENT:u and EVENT:k" },
	{ 0, "show-on-off-events", false, "use --time for a part of the recording" },
	{ 0, "show-ref-call-graph", false, "use -g" },
	{ 0, "show-total-period", false, ALWAYS },
	{ 0, "skip-empty", false, ALWAYS },
	{ 0, "socket-filter", true, "use 'wallprof record -C' with the CPUs of the socket" },
	{ 0, "source", false, ANNOTATE },
	{ 0, "stats", false, BY_PERF },
	{ 0, "stdio", false, ALWAYS },
	{ 0, "stdio-color", true, ALWAYS },
	{ 0, "stdio2", false, ALWAYS },
	{ 0, "stitch-lbr", false, BY_PERF },
	{ 0, "switch-off", true, "use --time for a part of the recording" },
	{ 0, "switch-on", true, "use --time for a part of the recording" },
	{ 0, "symbol-filter", true, "use -S" },
	{ 0, "tasks", false, "use -v, or -s pid,tid,comm" },
	{ 0, "time-quantum", true, "use --time" },
	{ 0, "total-cycles", false, BY_PERF },
	{ 0, "tui", false, "use 'wallprof flame'; on a terminal a pager shows the report" },
	{ 0, "unwind-style", true, "use 'wallprof record --call-graph'" },
	{ 0 }
};

const struct wp_perf_option wp_perf_options_latency[] = {
	{ 'D', "dump-raw-trace", false, BY_PERF_SCRIPT },
	{ 'f', "force", false, ALWAYS },
	{ 0 }
};

const struct wp_perf_option wp_perf_options_timehist[] = {
	{ 'D', "dump-raw-trace", false, BY_PERF_SCRIPT },
	{ 'f', "force", false, ALWAYS },
	{ 'P', "pre-migrations", false, TIMEHIST },
	{ 'g', "call-graph", false, TIMEHIST },
	{ 'k', "vmlinux", true, TIMEHIST },
	{ 0, "kallsyms", true, TIMEHIST },
	{ 0, "max-stack", true, TIMEHIST },
	{ 0, "prio", true, TIMEHIST },
	{ 0, "show-prio", false, TIMEHIST },
	{ 0, "symfs", true, TIMEHIST },
	{ 0 }
};

const struct wp_perf_option wp_perf_options_map[] = {
	{ 'D', "dump-raw-trace", false, BY_PERF_SCRIPT },
	{ 'f', "force", false, ALWAYS },
	{ 0, "color-cpus", true, "use --cpus for the CPUs to draw" },
	{ 0, "color-pids", true, "use 'wallprof sched timehist -p' for lines of some only" },
	{ 0, "fuzzy-name", false, "use 'wallprof sched timehist -t' for lines of some only" },
	{ 0, "task-name", true, "use 'wallprof sched timehist -t' for lines of some only" },
	{ 0 }
};

static const struct wp_perf_option *find(const struct wp_perf_option *table, int letter,
					 const char *word)
{
	bool is_long = !strncmp(word, "--", 2);
	size_t len = is_long ? strcspn(word + 2, "=") : 0;

	for (; table && (table->letter || table->name); table++) {
		if (is_long ? table->name && strlen(table->name) == len &&
		    !strncmp(table->name, word + 2, len) : letter && table->letter == letter)
			return table;
	}
	return NULL;
}

/**
 * wp_perf_option_find() - look up an option of perf's
 * @table: those for a command, or NULL
 * @letter: its letter, or 0
 * @word: the word of the command line, if it begins with "--"
 *
 * As in perf, --no-X negates any X without a value: what is not done here need not be
 * switched off.
 *
 * Return: the option, or NULL.
 */
const struct wp_perf_option *wp_perf_option_find(const struct wp_perf_option *table, int letter,
						 const char *word)
{
	static const struct wp_perf_option off = { 0, "no", false, ALWAYS };
	const struct wp_perf_option *found = find(table, letter, word);
	char positive[64];

	if (found || strncmp(word, "--no-", 5))
		return found;
	snprintf(positive, sizeof(positive), "--%s", word + 5);
	found = find(table, 0, positive);
	return found && !found->arg ? &off : NULL;
}
