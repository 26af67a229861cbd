// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the jitdump file of a running process, this one: how it is found, whose it may
 * be, names while it grows, and what a recording stores of it.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "lib/sandbox/filereader.h"
#include "lib/sandbox/job.h"
#include "lib/sandbox/zygote.h"
#include "lib/symbols/dso.h"
#include "lib/symbols/jitmaps.h"
#include "lib/symbols/livenames.h"
#include "tap.h"

#define STRANGER	4321

static char dir[] = "/tmp/livejit-XXXXXX";
static char path[64], list[64];
static int dump;
static char *code;

static void put(const void *data, size_t size)
{
	if (write(dump, data, size) != (ssize_t)size)
		exit(1);
}

static void load(const char *name)
{
	struct timespec t;
	struct { uint32_t id, size; uint64_t time, pid, vma, address, bytes, index; } r = {
		0, sizeof(r) + strlen(name) + 1, 0, 0, 0, (uintptr_t)code, 16, 0,
	};

	clock_gettime(CLOCK_MONOTONIC, &t);
	r.time = t.tv_sec * 1000000000ULL + t.tv_nsec;
	put(&r, sizeof(r));
	put(name, strlen(name) + 1);
}

/* The file, its mark, code in memory, and a list without times. */
static int prepare(void)
{
	const struct { uint32_t magic, version, size, machine, pad, pid; uint64_t time, flags; } h = {
		0x4a695444, 1, sizeof(h), 62, 0, 1, 0, 0,
	};
	FILE *f;

	code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!mkdtemp(dir) || code == MAP_FAILED)
		return -1;
	snprintf(path, sizeof(path), "%s/jit-%d.dump", dir, getpid());
	dump = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (dump < 0)
		return -1;
	put(&h, sizeof(h));
	load("first");
	snprintf(list, sizeof(list), "/tmp/perf-%d.map", getpid());
	unlink(list);
	f = fopen(list, "wxe");
	if (!f)
		return -1;
	fprintf(f, "%lx 10 listed\n", (unsigned long)code);
	return fclose(f) || mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, dump, 0) ==
			    MAP_FAILED;
}

static bool has_dump(void)
{
	int fd = wp_jitmap_dump(getpid());

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void finding(void)
{
	char other[64];

	ok(has_dump(), "it is found by its mapping");
	snprintf(other, sizeof(other), "%s/jit-1.dump", dir);
	if (rename(path, other))
		exit(1);
	ok(!has_dump(), "not under the number of another process");
	if (rename(other, path))
		exit(1);
	if (geteuid()) {
		printf("# not root: other owners are not tried\n");
		return;
	}
	if (fchown(dump, STRANGER, STRANGER))
		exit(1);
	ok(!has_dump(), "not if it belongs to another user than the process");
	if (fchown(dump, 0, 0))
		exit(1);
}

static const char *name_in(struct wp_livenames *n)
{
	struct wp_livename name;

	wp_livenames_user(n, getpid(), (uintptr_t)code + 1, false, &name);
	return name.name ? name.name : "-";
}

static void growing(void)
{
	struct wp_livenames *n;
	const char *first;

	if (wp_livenames_new(&n, NULL))
		exit(1);
	first = name_in(n);
	ok(!strcmp(first, "first"), "its name, not that of the list without times: %s", first);
	load("second");
	while (strcmp(name_in(n), "second"))
		usleep(100000);
	ok(true, "the name of what replaced it, later");
	ok(!strcmp(first, "first"), "the earlier name stays");
	wp_livenames_free(n);
}

static int nr_loads(const struct wp_jitmap *map)
{
	int fd = wp_jitmap_unpack(map->b.data, map->b.len, map->text), nr;
	struct wp_jitloads l = { 0 };

	nr = fd >= 0 && !wp_filereader_jitdump(fd, &l) ? l.nr : 0;
	wp_jitdump_free(&l);
	close(fd);
	return nr;
}

static void take(void *ctx, const struct wp_jitmap *map)
{
	int *loads = ctx;

	*loads = map->dump ? nr_loads(map) : -1;
}

static void storing(void)
{
	struct wp_dso dso = { .path = path, .last.pid = getpid() };
	struct wp_jitmaps *jit = NULL;
	struct stat st;
	int loads = 0, i;

	if (fstat(dump, &st))
		exit(1);
	dso.last.file.maj = 1;
	dso.last.file.ino = st.st_ino;
	wp_jitmaps_see(&jit, getpid());
	wp_jitmaps_each(jit, take, &loads);
	wp_jitmaps_free(jit);
	ok(loads == -1, "a list without times is stored");
	jit = NULL;
	wp_jitmaps_see(&jit, getpid());
	dso.path = "/etc/passwd";
	for (i = 0; i < 16; i++)
		wp_jitmaps_dump(&jit, getpid(), &dso);
	dso.path = path;
	wp_jitmaps_dump(&jit, getpid(), &dso);
	wp_jitmaps_each(jit, take, &loads);
	wp_jitmaps_free(jit);
	ok(loads == -1, "a process that maps files all the time has its opened a few times");
	jit = NULL;
	wp_jitmaps_see(&jit, getpid());
	wp_jitmaps_dump(&jit, getpid(), &dso);
	unlink(path);
	wp_jitmaps_each(jit, take, &loads);
	wp_jitmaps_free(jit);
	ok(loads == 2, "but the jitdump file if there is one, though it was removed: %d", loads);
	jit = NULL;
	wp_jitmaps_see(&jit, getpid());
	dso.path = "/etc/passwd";
	wp_jitmaps_dump(&jit, getpid(), &dso);
	wp_jitmaps_each(jit, take, &loads);
	wp_jitmaps_free(jit);
	ok(loads == -1, "not one of another name");
}

int main(void)
{
	if (wp_zygote_begin(wp_job_do) || prepare())
		return 1;
	finding();
	growing();
	storing();
	unlink(path);
	unlink(list);
	rmdir(dir);
	return done();
}
