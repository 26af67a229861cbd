// SPDX-License-Identifier: GPL-2.0
/*
 * A program that looks like a JVM to a reader of its memory, and forges what it executes: its
 * thread waits in what it says is the interpreter's code, below frames whose methods have names
 * that nobody should print, or no name. Built with LIBRARY it is the libjvm.so of that.
 *
 * usage: forged
 */
#include <stdint.h>

#ifdef LIBRARY

/* Where jvmimage.h has the lists, and how: as its make_image(). */
#define BASE		0x10000ULL
#define VARIABLE(name, value) uint64_t name = (value)

VARIABLE(gHotSpotVMStructs, BASE + 0x100);
VARIABLE(gHotSpotVMStructEntryArrayStride, 48);
VARIABLE(gHotSpotVMStructEntryTypeNameOffset, 0);
VARIABLE(gHotSpotVMStructEntryFieldNameOffset, 8);
VARIABLE(gHotSpotVMStructEntryIsStaticOffset, 24);
VARIABLE(gHotSpotVMStructEntryOffsetOffset, 32);
VARIABLE(gHotSpotVMStructEntryAddressOffset, 40);
VARIABLE(gHotSpotVMTypes, BASE + 0x900);
VARIABLE(gHotSpotVMTypeEntryArrayStride, 40);
VARIABLE(gHotSpotVMTypeEntryTypeNameOffset, 0);
VARIABLE(gHotSpotVMTypeEntrySizeOffset, 24);

#else

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "jvmimage.h"

extern uint64_t gHotSpotVMStructs;

/* Bytes of a method with all that leads to its name, and its parts. */
#define METHOD		4096
#define POOL		256
#define CLASS_NAME	512
#define NAME		2048

/* Words of a frame, and where the frame pointer points to in these. */
#define FRAME		16
#define FP		12

#define MAX_METHODS	16

/* The interpreter's: nap(fp, time) waits with that frame pointer, and below its frame. */
extern const char nap_begin[], nap_end[];
__asm__(".globl nap_begin\n"
	"nap_begin:\n"
	"	push %rbp\n"
	"	push %rbx\n"
	"	mov %rsp, %rbx\n"
	"	mov %rdi, %rbp\n"
	"	lea -64(%rdi), %rsp\n"
	"	mov %rsi, %rdi\n"
	"	xor %esi, %esi\n"
	"	mov $35, %eax\n"	/* nanosleep */
	"	syscall\n"
	"	mov %rbx, %rsp\n"
	"	pop %rbx\n"
	"	pop %rbp\n"
	"	ret\n"
	".globl nap_end\n"
	"nap_end:\n");

static const struct {
	const char *class;
	size_t class_len;
	const char *name;
	size_t name_len;
} forged[] = {
	{ "plain/Klass", 11, "run", 3 },
	{ "a\nb;c 99", 8, "\033[2J\007\r", 6 },
	{ "\355\240\200\300\200\377\376", 7, "\342\200\256evil", 7 },
	{ "[java", 5, " not read]", 10 },
	{ "++0+0", 5, "+0/", 3 },
	{ "long", 4, "", 65535 },
	/* These have no name. */
	{ "\0\0", 2, "nul", 3 },
	{ "", 0, "empty", 5 },
};

#define NR	(sizeof(forged) / sizeof(forged[0]))

static void put(uint8_t *at, uint64_t value)
{
	memcpy(at, &value, sizeof(value));
}

/* Offsets as in jvmimage.h. */
static uint64_t make_method(uint8_t *at, size_t i)
{
	const uint16_t class_len = forged[i].class_len, name_len = forged[i].name_len, index = 2;
	const uint32_t nr = 3;

	memset(at + NAME, 'x', METHOD - NAME);
	put(at + 8, (uintptr_t)at + 16);
	put(at + 16 + 8, (uintptr_t)at + POOL);
	memcpy(at + 16 + 34, &index, sizeof(index));
	put(at + POOL + 24, (uintptr_t)at + 56);
	memcpy(at + POOL + 60, &nr, sizeof(nr));
	put(at + 56 + 24, (uintptr_t)at + CLASS_NAME);
	put(at + POOL + POOL_SIZE + 2 * 8, (uintptr_t)at + NAME);
	memcpy(at + CLASS_NAME + 4, &class_len, sizeof(class_len));
	memcpy(at + CLASS_NAME + 6, forged[i].class, class_len);
	memcpy(at + NAME + 4, &name_len, sizeof(name_len));
	memcpy(at + NAME + 6, forged[i].name, name_len < METHOD ? name_len : 0);
	return (uintptr_t)at;
}

/* Performance data with both numbers of classes. */
static void make_data(struct image *m)
{
	static const char *const name[] = { "java.cls.loadedClasses", "java.cls.unloadedClasses" };
	static uint8_t data[4096] __attribute__((aligned(4096)));
	size_t at = 36, i;

	put(data, 0x201c0c0fecaULL);
	put(data + 24, 36 | 2ULL << 32);
	for (i = 0; i < 2; i++) {
		const uint32_t value = (20 + strlen(name[i]) + 1 + 7) / 8 * 8 + 4;
		const uint32_t entry[] = { value + 12, 20, 0, 'J', value };

		memcpy(data + at, entry, sizeof(entry));
		strcpy((char *)data + at + sizeof(entry), name[i]);
		at += value + 12;
	}
	put64(m, HEAPS + 16, (uintptr_t)data);
}

int main(void)
{
	static uint64_t stack[FRAME * (MAX_METHODS + 1)];
	const struct timespec time = { .tv_nsec = 20000000 };
	uint64_t method[MAX_METHODS] = { 0 };
	size_t nr = 0, i;
	struct image *m;
	uint8_t *memory;

	m = mmap((void *)BASE, SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	memory = mmap(NULL, NR * METHOD, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	if (m != (void *)BASE || memory == MAP_FAILED || !gHotSpotVMStructs) {
		perror("forged");
		return 1;
	}
	{
		static struct image made;

		make_image(&made);
		make_data(&made);
		memcpy(m, made.memory, SIZE);
	}
	memcpy((uint8_t *)m + INTERPRETER + 0x110, nap_begin, nap_end - nap_begin);
	while (nr < NR) {
		method[nr] = make_method(memory + nr * METHOD, nr);
		nr++;
	}
	/* None, no memory, and what is no address. */
	method[nr++] = 0;
	method[nr++] = 0x0000700000000000;
	method[nr++] = 7;
	for (i = 0; i < nr; i++) {
		uint64_t *fp = stack + FRAME * i + FP;

		fp[0] = i + 1 < nr ? (uintptr_t)(fp + FRAME) : 0;
		fp[1] = i + 1 < nr ? BASE + INTERPRETER + 0x300 : 0;
		fp[-1] = (uintptr_t)(fp + 2);
		fp[-3] = method[i];
	}
	puts("ready");
	fflush(stdout);
	for (;;)
		((void (*)(void *, const void *))(BASE + INTERPRETER + 0x110))(stack + FP, &time);
}

#endif
