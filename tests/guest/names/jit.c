// SPDX-License-Identifier: GPL-2.0
/*
 * Code that is made as it runs, with a list of its functions: jitted naps for ever, 10 ms
 * each. The list is /tmp/perf-PID.map, by the number that this process knows of itself.
 * "jit late" writes it when it gets SIGUSR1.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t wanted;

static void want(int sig)
{
	wanted = 1;
}

static bool write_list(const void *at, size_t size)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	f = fopen(path, "we");
	if (!f)
		return false;
	fprintf(f, "%lx %zx jitted_caller\n", (unsigned long)at, size);
	return !fclose(f);
}

static void nap(void)
{
	struct timespec t = { 0, 10000000 };

	nanosleep(&t, NULL);
}

int main(int argc, char **argv)
{
	/* push %rbp; mov %rsp,%rbp; call *%rdi; pop %rbp; ret */
	static const unsigned char code[] = {
		0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3,
	};
	unsigned char *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*jitted)(void (*fn)(void));

	wanted = argc == 1;
	signal(SIGUSR1, want);
	if (at == MAP_FAILED)
		return 1;
	memcpy(at, code, sizeof(code));
	jitted = (void (*)(void (*fn)(void)))at;
	for (;;) {
		if (wanted && !write_list(at, sizeof(code)))
			return 1;
		wanted = 0;
		jitted(nap);
	}
}
