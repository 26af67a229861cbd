// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer of the readers of stacks that are no perf.data: folded lines, and profiles of
 * pprof. The input is the file. For any input, all numbers are valid and all names end.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/profile/stackfile.h"

#define check(condition)	do { if (!(condition)) abort(); } while (0)

static size_t bytes;

static void look_at(struct wp_stackfile *s, const struct wp_stackfile_sample *sample)
{
	size_t nr, i;
	const __u32 *functions = wp_stackfile_functions(s, sample->stack, &nr);
	const struct wp_profile_thread *t;

	check(sample->event < s->events.nr);
	check(sample->thread && sample->thread <= s->threads->nr);
	check(sample->cause <= s->causes->nr);
	check(nr <= WP_STACKFILE_FRAMES);
	t = wp_intern_bytes(s->threads, sample->thread, NULL);
	check(strnlen(t->comm, sizeof(t->comm)) < sizeof(t->comm));
	for (i = 0; i < nr; i++) {
		const struct wp_function *f;

		check(functions[i] && functions[i] <= s->names.nr);
		check(wp_stackfile_frame(s, functions[i])->function == functions[i]);
		f = &s->function[functions[i] - 1];
		check(f->name && f->label && f->dso && f->path);
		bytes += strlen(f->label) + strlen(f->path);
		check(f->dso >= f->path && f->dso <= f->path + strlen(f->path));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wp_intern threads = { 0 }, causes = { 0 };
	struct wp_stackfile *s;
	int fd = memfd_create("stacks", 0);
	size_t i;

	wp_set_verbosity(WP_SILENT);
	check(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	if (!wp_stackfile_open(&s, fd, "stacks", &threads, &causes) && s) {
		check(s->events.nr && s->nr);
		for (i = 0; i < s->nr; i++)
			look_at(s, &s->sample[i]);
		wp_stackfile_close(s);
	}
	wp_intern_free(&threads);
	wp_intern_free(&causes);
	close(fd);
	return 0;
}
