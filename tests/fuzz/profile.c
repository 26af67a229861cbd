// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of the reader of perf.data for reports, flame graphs and exports: samples with
 * their threads, stacks, causes and functions. The input is the file. For any input, all
 * indexes are valid, all names end, and the sums are those of the samples.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/profile/profile.h"
#include "lib/profile/profsum.h"

static struct wp_profile *profile;
static struct wp_profsum sum;
static uint64_t samples;
static size_t bytes;

#define check(condition)	do { if (!(condition)) abort(); } while (0)
#define check_ends(text)	check(strnlen(text, sizeof(text)) < sizeof(text))

static void look_at(const struct wp_profile_sample *s)
{
	const struct wp_profile_cause *cause = wp_profile_cause(profile, s->cause);
	const struct wp_profile_thread *t;

	check(s->thread && s->thread <= wp_profile_threads(profile));
	t = wp_profile_thread(profile, s->thread);
	check_ends(t->comm);
	check_ends(cause->state);
	check_ends(cause->reason);
	check_ends(cause->syscall);
	check_ends(cause->object);
	check_ends(cause->by);
	check_ends(cause->error);
	check(!cause->by[0] || wp_profile_by(profile, s->event));
}

static int take(void *ctx, const struct wp_profile_sample *s)
{
	(void)ctx;
	samples++;
	check(s->kind < WP_PROFILE_KINDS && s->event < wp_profile_events(profile)->nr);
	look_at(s);
	return wp_profsum_add(&sum, s);
}

static void look_at_stack(__u32 stack)
{
	size_t nr_frames, nr, i, all = 0;
	const __u32 *frames = wp_profile_stack(profile, stack, &nr_frames), *functions;

	for (i = 0; i < nr_frames; i++) {
		const struct wp_frame *f = wp_profile_frame(profile, frames[i]);

		functions = wp_profile_frame_functions(profile, f, &nr);
		check(nr && functions[nr - 1] == f->function);
		all += nr;
	}
	functions = wp_profile_stack_functions(profile, stack, &nr);
	check(nr == all);
	for (i = 0; i < nr; i++) {
		const struct wp_function *f = wp_profile_function(profile, functions[i]);

		bytes += strlen(f->label) + strlen(f->dso) + strlen(f->path);
	}
}

static void read_all(void)
{
	struct wp_profile_stats stats;
	size_t i;

	samples = 0;
	wp_profsum_init(&sum, 0, ~0ULL, 4);
	if (!wp_profile_read(profile, take, NULL)) {
		wp_profile_stats(profile, &stats);
		for (i = 0; i < WP_PROFILE_KINDS; i++)
			samples -= stats.samples[i];
		check(!samples);
	}
	for (i = 0; i < sum.nr; i++) {
		check(sum.line[i].slot < 4);
		look_at_stack(sum.line[i].stack);
	}
	wp_profsum_free(&sum);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* No names from files of this machine. */
	const struct wp_symbols_options options = {
		.symfs = "/dev/null",
		.kallsyms = "/dev/null",
		.inlines = true,
	};
	char path[64];
	int fd;

	wp_set_verbosity(WP_SILENT);
	fd = memfd_create("recording", 0);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!wp_profile_open(&profile, path, &options)) {
		read_all();
		wp_profile_close(profile);
	}
	close(fd);
	return 0;
}
