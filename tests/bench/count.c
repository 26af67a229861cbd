// SPDX-License-Identifier: GPL-2.0
/*
 * A plugin of QEMU 10: counts how often each instruction of the guest's kernel
 * runs, between the marks that stamp.c makes. One virtual CPU only.
 *
 *	qemu-system-x86_64 -plugin libcount.so,out=DIR
 *
 * Writes DIR/0, DIR/1, ... , one for each pair of marks: lines of address and
 * number, in hexadecimal and decimal.
 *
 * The few declarations of QEMU's interface for plugins that this needs are
 * below; Debian packages no header with them.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef void (*tb_trans_fn)(uint64_t id, struct qemu_plugin_tb *tb);
typedef void (*exec_fn)(unsigned int cpu, void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, tb_trans_fn fn);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    exec_fn fn, int flags, void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb,
						 size_t i);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *to,
			     size_t bytes);

EXPORT int qemu_plugin_version = 4;
EXPORT int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv);

/* Kernel text and modules, without randomization. */
#define FROM	0xffffffff80000000ULL
#define BYTES	0x7f000000ULL

static const unsigned char mark[] = { 0x0f, 0x1f, 0x84, 0x00 };
static const unsigned char name[] = { 0x42, 0x50, 0x57 };

/* By address less FROM; the pages that nobody touches cost nothing. */
static uint64_t *counts;
static bool counting;
static const char *dir = ".";
static unsigned int files;

static void on_insn(unsigned int cpu, void *data)
{
	uint64_t *count = data;

	(void)cpu;
	if (counting)
		++*count;
}

static void on_begin(unsigned int cpu, void *data)
{
	(void)cpu;
	(void)data;
	counting = true;
}

static void on_end(unsigned int cpu, void *data)
{
	char path[4096];
	uint64_t i;
	FILE *f;

	(void)cpu;
	(void)data;
	counting = false;
	snprintf(path, sizeof(path), "%s/%u", dir, files++);
	f = fopen(path, "w");
	if (!f) {
		perror(path);
		return;
	}
	for (i = 0; i < BYTES; i++) {
		if (!counts[i])
			continue;
		fprintf(f, "%llx %llu\n", (unsigned long long)(FROM + i),
			(unsigned long long)counts[i]);
		counts[i] = 0;
	}
	fclose(f);
}

static void on_translation(uint64_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb), i;
	unsigned char bytes[8];

	(void)id;
	for (i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t at = qemu_plugin_insn_vaddr(insn);

		if (at >= FROM) {
			if (at - FROM < BYTES)
				qemu_plugin_register_vcpu_insn_exec_cb(insn, on_insn,
							0, &counts[at - FROM]);
			continue;
		}
		if (qemu_plugin_insn_data(insn, bytes, sizeof(bytes)) == 8 &&
		    !memcmp(bytes, mark, 4) && !memcmp(bytes + 5, name, 3))
			qemu_plugin_register_vcpu_insn_exec_cb(insn,
				bytes[4] == 1 ? on_begin : on_end, 0, NULL);
	}
}

int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv)
{
	(void)info;
	if (argc > 0 && !strncmp(argv[0], "out=", 4))
		dir = strdup(argv[0] + 4);
	counts = calloc(BYTES, sizeof(*counts));
	if (!counts)
		return 1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	return 0;
}
