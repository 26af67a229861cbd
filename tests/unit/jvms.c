// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the limits for JVMs, which a process can forge: of the tables of a publication,
 * of the time that these take, and of memory. The reader of JVMs and the clock are replaced.
 */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "lib/record/jvms.h"
#include "lib/record/mappublish.h"
#include "lib/symbols/livejvm.h"

#include "tap.h"

#define BASE	0x10000000ULL
#define PAGE	4096

/* Pieces of code that a process has: one in each page. */
#define CODES	64

static __u64 now_ns = 1000000000;
static size_t pushed;
static __u64 push_takes;
static size_t live_bytes;
static struct wallprof_map map[CODES];

int clock_gettime(clockid_t id, struct timespec *ts)
{
	ts->tv_sec = now_ns / 1000000000;
	ts->tv_nsec = now_ns % 1000000000;
	return 0;
}

bool wp_livejvm_is(const char *path)
{
	return true;
}

__u64 wp_livejvm_program(__u32 pid)
{
	return 1;
}

struct wp_livejvms *wp_livejvm_new(void)
{
	return malloc(1);
}

void wp_livejvm_free(struct wp_livejvms *jvms)
{
	free(jvms);
}

const char *wp_livejvm_name(const struct wp_livejvm *jvm, const struct wp_jvmcode *code)
{
	return NULL;
}

size_t wp_livejvm_bytes(const struct wp_livejvm *jvm)
{
	return jvm->codes.nr ? live_bytes : 0;
}

void wp_livejvm_end(struct wp_livejvm *jvm)
{
	wp_jvmcode_free(&jvm->codes);
	*jvm = (struct wp_livejvm){ 0 };
}

/* The same code at each look. */
int wp_livejvm_look(struct wp_livejvms *jvms, struct wp_livejvm *jvm, __u32 pid,
		    struct wp_jvmcodes *before)
{
	struct wp_jvmcode *code = calloc(CODES, sizeof(*code));
	size_t i;

	if (!code)
		return -ENOMEM;
	for (i = 0; i < CODES; i++)
		code[i] = (struct wp_jvmcode){
			.start = BASE + i * PAGE, .end = BASE + i * PAGE + 64, .push = ~0U,
			.since = jvm->codes.nr ? jvm->codes.code[i].since : 0, .method = 8,
			.id = i + 1, .kind = WP_JVMKIND_FRAME, .frame = 16, .complete = 4,
		};
	*before = jvm->codes;
	jvm->codes = (struct wp_jvmcodes){ .code = code, .nr = CODES, .room = CODES };
	jvm->began = now_ns;
	jvm->has_layout = true;
	return 0;
}

static int push(void *ctx, const void *table, size_t size, __u32 *id)
{
	now_ns += push_takes;
	*id = ++pushed;
	return 0;
}

static int take_maps(void *ctx, __u32 pid, __u64 start_stack, const struct wallprof_map *maps,
		     __u32 nr, const struct wallprof_interp *interp)
{
	return 0;
}

/* Mappings, each with a piece of code; those of another publication have other ends. */
static void set_maps(size_t nr, __u64 size)
{
	size_t i;

	for (i = 0; i < nr; i++)
		map[i] = (struct wallprof_map){
			.start = BASE + i * PAGE, .end = BASE + i * PAGE + size,
		};
}

static size_t publish(struct wp_jvms *all, size_t nr, __u64 size)
{
	size_t before = pushed;

	set_maps(nr, size);
	wp_jvms_tables(all, 7, map, nr, push, NULL);
	return pushed - before;
}

static void test_tables(void)
{
	struct wp_jvms *all = wp_jvms_new(true);
	size_t i, with = 0;

	ok(all && wp_jvms_look(all, 7, 1), "code is found");
	ok(publish(all, 4, PAGE) == 4 && map[3].table && map[3].bias == map[3].start,
	   "each mapping with code has a table");
	ok(publish(all, 4, PAGE) == 0 && map[3].table, "which is made once");
	ok(publish(all, CODES, PAGE / 2) == 16, "a publication makes no more than it may");
	for (i = 0; i < CODES; i++)
		with += map[i].table != 0;
	ok(with == 16, "other mappings have none");
	wp_jvms_free(all);
}

/* A publication in which tables are made is charged for them, as for any other. */
static void test_time(void)
{
	static struct wp_mapsync sync;
	struct wp_mapproc p = { .pid = 7 };

	sync.opt.jvms = wp_jvms_new(true);
	sync.opt.push_code = push;
	sync.opt.maps = take_maps;
	sync.nr_jvms = 1;
	set_maps(4, PAGE);
	sync.map = map;
	sync.nr_maps = 4;
	push_takes = 1000;
	ok(!wp_mappublish_maps(&sync, &p, 1) && map[3].table, "a process with a JVM is published");
	ok(sync.looked_ns == 0, "its tables are no part of the look");
	wp_jvms_free(sync.opt.jvms);
	push_takes = 0;
}

static void test_memory(void)
{
	struct wp_jvms *all = wp_jvms_new(true);
	__u32 pid, nr = 0;

	live_bytes = (size_t)64 << 20;
	for (pid = 1; pid <= 6; pid++) {
		wp_jvms_look(all, pid, 1);
		nr += wp_jvms_next(all, pid) != 0;
	}
	ok(nr == 4 && !wp_jvms_next(all, 5), "beyond a limit for memory no more code is known");
	now_ns += 10000000000ULL;
	wp_jvms_look(all, 2, 1);
	ok(wp_jvms_next(all, 2), "that of others stays");
	wp_jvms_forget(all, 1);
	ok(wp_jvms_look(all, 5, 2) && wp_jvms_next(all, 5),
	   "a process that has ended leaves room for one that begins");
	wp_jvms_free(all);
}

int main(void)
{
	test_tables();
	test_time();
	test_memory();
	return done();
}
