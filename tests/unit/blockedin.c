// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of what a thread is blocked in: the caller of the scheduler, by a list of the
 * kernel's functions that is made here, and nothing where that is not known.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/perf_event.h>

#include "lib/base/err.h"
#include "lib/perfdata/perfheader.h"
#include "lib/profile/blockedin.h"
#include "tap.h"

#define BASE		0xffffffff81000000ULL
#define PIPE_READ	(BASE + 0x100)
#define TRACE		(BASE + 0x200)
#define SCHEDULE	(BASE + 0x300)
#define IO_SCHEDULE	(BASE + 0x400)
#define FOLIO_WAIT	(BASE + 0x500)
#define UNNAMED		0xffffffff70000000ULL

static char dir[] = "/tmp/wallprof-blockedin.XXXXXX";
static char recording[64], list[64];
static struct wp_profstacks *functions;

static void write_file(const char *path, const void *data, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, data, len) != (ssize_t)len)
		abort();
	close(fd);
}

static const char *text(bool marked)
{
	static char buf[1024];

	snprintf(buf, sizeof(buf),
		 "%llx T pipe_read\n%llx T __traceiter_sched_switch\n%s%llx T schedule\n"
		 "%llx T io_schedule\n%s%llx T folio_wait_bit\n%llx T _etext\n", PIPE_READ, TRACE,
		 marked ? "ffffffff81000300 T __sched_text_start\n" : "", SCHEDULE, IO_SCHEDULE,
		 marked ? "ffffffff81000500 T __sched_text_end\n" : "", FOLIO_WAIT, BASE + 0x600);
	return buf;
}

/* What is said of a chain: "-" if nothing, and "io " in front of what counts as such. */
static const char *blocked(char state, bool preempted, const __u64 *chain, size_t nr)
{
	static char buf[128];
	struct wp_schedevent ev = {
		.type = WP_SCHED_SWITCH, .state = state, .preempted = preempted,
		.who = { .tid = 7, .pid = 7 }, .chain = chain, .nr_chain = nr,
	};
	const char *name;
	bool io;

	name = wp_blockedin(functions, &ev, &io);
	snprintf(buf, sizeof(buf), "%s%s", name && io ? "io " : "", name ? name : "-");
	return buf;
}

static void is(const char *got, const char *wanted, const char *what)
{
	if (!ok(!strcmp(got, wanted), "%s", what))
		printf("# %s, not %s\n", got, wanted);
}

#define SAID(state, preempted, ...)						\
	blocked(state, preempted, (const __u64 []){ __VA_ARGS__ },		\
		sizeof((const __u64 []){ __VA_ARGS__ }) / sizeof(__u64))

static void with(bool marked, void (*fn)(void))
{
	const struct wp_symbols_options options = { .kallsyms = list };
	struct wp_perffile file;
	struct wp_memmaps *maps;

	write_file(list, text(marked), strlen(text(marked)));
	if (wp_perffile_open(&file, recording))
		abort();
	maps = wp_memmaps_new(&file);
	if (!maps || wp_profstacks_new(&functions, maps, &options))
		abort();
	fn();
	wp_profstacks_free(functions);
	wp_memmaps_free(maps);
	wp_perffile_close(&file);
}

static void callers(void)
{
	is(SAID('S', false, PERF_CONTEXT_KERNEL, SCHEDULE + 9, PIPE_READ + 9, PERF_CONTEXT_USER, 1),
	   "pipe_read", "the caller of the scheduler");
	is(SAID('S', false, PERF_CONTEXT_KERNEL, TRACE + 9, SCHEDULE + 9, PIPE_READ + 9),
	   "pipe_read", "not who recorded it");
	is(SAID('D', false, PERF_CONTEXT_KERNEL, SCHEDULE + 9, IO_SCHEDULE + 9, FOLIO_WAIT + 9),
	   "io folio_wait_bit", "a wait for a disk");
	is(SAID('D', false, PERF_CONTEXT_KERNEL, SCHEDULE + 9, FOLIO_WAIT + 9, IO_SCHEDULE + 9),
	   "folio_wait_bit", "what stands behind it does not matter");
	is(SAID('S', false, PERF_CONTEXT_KERNEL, SCHEDULE + 9, FOLIO_WAIT),
	   "folio_wait_bit", "one that goes on at its first byte, as in the kernel none does");
	is(SAID('S', false, PERF_CONTEXT_KERNEL, SCHEDULE + 9), "-", "no caller");
	is(SAID('S', false, PERF_CONTEXT_KERNEL, PIPE_READ + 9, FOLIO_WAIT + 9), "-",
	   "no scheduler");
	is(SAID('S', false, PERF_CONTEXT_KERNEL, SCHEDULE + 9, UNNAMED, PIPE_READ + 9), "-",
	   "one without a name");
	is(SAID('S', false, PERF_CONTEXT_USER, SCHEDULE + 9, PIPE_READ + 9), "-",
	   "addresses of a program");
	is(SAID('S', false, PERF_CONTEXT_KERNEL, SCHEDULE + 9, PERF_CONTEXT_USER, PIPE_READ + 9),
	   "-", "where a program begins, the kernel ends");
	is(blocked('S', false, NULL, 0), "-", "no stack");
}

static void states(void)
{
	static const __u64 chain[] = { PERF_CONTEXT_KERNEL, SCHEDULE + 9, PIPE_READ + 9 };
	const char *s;

	for (s = "SDTtIP"; *s; s++)
		is(blocked(*s, false, chain, 3), "pipe_read", "one that is blocked");
	for (s = "RXZx"; *s; s++)
		is(blocked(*s, false, chain, 3), "-", "one that is not");
	is(blocked('S', true, chain, 3), "-", "nor one that was preempted");
}

static void unmarked(void)
{
	is(SAID('S', false, PERF_CONTEXT_KERNEL, SCHEDULE + 9, PIPE_READ + 9), "-",
	   "a list without the scheduler's place");
}

int main(void)
{
	const struct wp_file_header h = { .magic = WP_PERF_MAGIC, .size = sizeof(h),
					  .data.offset = sizeof(h) };

	wp_set_verbosity(WP_SILENT);
	if (!mkdtemp(dir))
		return 1;
	snprintf(recording, sizeof(recording), "%s/perf.data", dir);
	snprintf(list, sizeof(list), "%s/kallsyms", dir);
	write_file(recording, &h, sizeof(h));
	with(true, callers);
	with(true, states);
	with(false, unmarked);
	unlink(recording);
	unlink(list);
	rmdir(dir);
	return done();
}
