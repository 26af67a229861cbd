// SPDX-License-Identifier: GPL-2.0
/*
 * Code that is made as it runs, with a jitdump file: at one address there is jit_first,
 * from which nap_first() is called, then jit_second and nap_second(), and so on, each for
 * so long that no sum of a second has both. The file is jit-PID.dump in the current
 * directory, by the number that this process knows of itself. There is a list without
 * times, too, in which that address has another name.
 *
 * "reuse during" naps in jit_first for a second, and in the middle of that jit_second takes
 * its address. "reuse swapped" writes its file as a machine of the other byte order does.
 */
#include <byteswap.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* Naps of 10 ms in a row. */
#define NAPS	150

/* push %rbp; mov %rsp,%rbp; call *%rdi; pop %rbp; ret */
static const unsigned char code[] = {
	0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3,
};

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static void nap(void)
{
	struct timespec t = { 0, 10000000 };

	nanosleep(&t, NULL);
}

__attribute__((noinline)) static void nap_first(void)
{
	nap();
	__asm__ volatile("");
}

__attribute__((noinline)) static void nap_second(void)
{
	nap();
	__asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) static void nap_long(void)
{
	struct timespec t = { 1, 0 };

	nanosleep(&t, NULL);
	__asm__ volatile("nop" ::: "memory");
}

static void begin(FILE *f, bool swapped)
{
	const uint32_t magic = 0x4a695444;
	struct {
		uint32_t magic, version, size, machine, pad, pid;
		uint64_t time, flags;
	} h = { magic, 1, sizeof(h), 62, 0, getpid(), now(), 0 };

	if (swapped)
		h.magic = bswap_32(magic);
	fwrite(&h, sizeof(h), 1, f);
}

static void load(FILE *f, const void *at, const char *name)
{
	static uint64_t index;
	struct {
		uint32_t id, size;
		uint64_t time;
		uint32_t pid, tid;
		uint64_t vma, address, bytes, index;
	} r = { 0, sizeof(r) + strlen(name) + 1 + sizeof(code), now(), getpid(), getpid(),
		(uintptr_t)at, (uintptr_t)at, sizeof(code), index++ };

	fwrite(&r, sizeof(r), 1, f);
	fwrite(name, strlen(name) + 1, 1, f);
	fwrite(code, sizeof(code), 1, f);
	fflush(f);
}

static FILE *new_dump(void)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "jit-%d.dump", getpid());
	f = fopen(path, "w+e");
	/* The mark for profilers. */
	if (f && mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(f), 0) == MAP_FAILED)
		return NULL;
	return f;
}

static bool write_list(const void *at)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	f = fopen(path, "we");
	if (!f)
		return false;
	fprintf(f, "%lx %zx jit_from_map\n", (unsigned long)at, sizeof(code));
	return !fclose(f);
}

static struct {
	FILE *f;
	const void *at;
	sem_t naps;
} shared;

/* The instructions are the same, so the thread there returns. */
static void *replace(void *unused)
{
	while (!sem_wait(&shared.naps)) {
		usleep(300000);
		load(shared.f, shared.at, "jit_second");
	}
	return NULL;
}

static void during(FILE *f, const void *at, void (*made)(void (*fn)(void)))
{
	pthread_t thread;

	shared.f = f;
	shared.at = at;
	sem_init(&shared.naps, 0, 0);
	if (pthread_create(&thread, NULL, replace, NULL))
		return;
	for (;;) {
		load(f, at, "jit_first");
		sem_post(&shared.naps);
		made(nap_long);
	}
}

int main(int argc, char **argv)
{
	unsigned char *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*made)(void (*fn)(void)) = (void (*)(void (*fn)(void)))at;
	FILE *f = new_dump();
	int i;

	if (at == MAP_FAILED || !f || !write_list(at))
		return 1;
	begin(f, argc > 1 && !strcmp(argv[1], "swapped"));
	memcpy(at, code, sizeof(code));
	if (argc > 1 && !strcmp(argv[1], "during"))
		during(f, at, made);
	for (;;) {
		load(f, at, "jit_first");
		for (i = 0; i < NAPS; i++)
			made(nap_first);
		load(f, at, "jit_second");
		for (i = 0; i < NAPS; i++)
			made(nap_second);
	}
}
