// SPDX-License-Identifier: GPL-2.0
/*
 * Code that is made as it runs, with a list of its functions: jitted naps for ever, 10 ms
 * each. The list is /tmp/perf-PID.map, by the number that this process knows of itself.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static void nap(void)
{
	struct timespec t = { 0, 10000000 };

	nanosleep(&t, NULL);
}

int main(void)
{
	/* push %rbp; mov %rsp,%rbp; call *%rdi; pop %rbp; ret */
	static const unsigned char code[] = {
		0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3,
	};
	unsigned char *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*jitted)(void (*fn)(void));
	char path[64];
	FILE *f;

	if (at == MAP_FAILED)
		return 1;
	memcpy(at, code, sizeof(code));
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	f = fopen(path, "we");
	if (!f)
		return 1;
	fprintf(f, "%lx %zx jitted_caller\n", (unsigned long)at, sizeof(code));
	fclose(f);
	jitted = (void (*)(void (*fn)(void)))at;
	for (;;)
		jitted(nap);
}
