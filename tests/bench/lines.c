// SPDX-License-Identifier: GPL-2.0
/*
 * A plugin of QEMU's: which cache lines the CPUs of a guest use between them, and how many
 * instructions they execute, from one mark in the guest's code to another.
 *
 * CPUs of an emulator take long turns, so a line that moves at each switch of a real machine
 * moves once in a turn here. What is counted does not depend on their order: the CPU's own
 * marks divide its work, a mark a piece, and for each line it is known in how many pieces of
 * each CPU it was read or written. A line that one CPU alone uses, or that nobody writes,
 * never moves. Of the others no more transfers are possible, in any order, than pieces in
 * which it is used; than one to each CPU for each piece in which it is written; and than two
 * for each piece of another CPU than the one that uses it most, there and back. The smallest
 * of these is that line's bound. Caches without end are assumed: what is evicted is not
 * counted, neither is a line that moves twice in a piece.
 *
 * arguments: cpus=N, out=FILE: a line "instructions NR", "pieces NR", "lost NR" (accesses
 * without room for their line), and for each line that can move
 * "line CPUS WRITERS PIECES WRITTEN BOUND PC-OF-A-READ PC-OF-A-WRITE ADDRESS".
 *
 * Where CPUs take turns in one thread, as with a clock that counts instructions, QEMU 10 and
 * 11 give callbacks the number of the CPU for which the code was translated. So the CPU is
 * known by its GS base, which Linux on x86-64 has for the memory of each CPU.
 *
 * The declarations are those of version 4 of the interface: see tests/lab/pause.c.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "marks.h"

#define PUBLIC __attribute__((visibility("default")))
#define LINE_SHIFT	6
#define TABLE_BITS	20
#define MAX_CPUS	64

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_hwaddr;
struct qemu_info_t;

struct qemu_plugin_register;

/* Whether a callback reads registers of the guest's. */
enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_CB_R_REGS };

enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_R = 1, QEMU_PLUGIN_MEM_W, QEMU_PLUGIN_MEM_RW };

struct register_of {
	struct qemu_plugin_register *handle;
	const char *name;
	const char *feature;
};

/* GLib's, of an array of them, and of bytes. */
struct array {
	void *data;
	unsigned int len;
};

struct array *g_byte_array_new(void);
struct array *g_byte_array_set_size(struct array *bytes, unsigned int len);
struct array *qemu_plugin_get_registers(void);
int qemu_plugin_read_register(struct qemu_plugin_register *handle, struct array *bytes);
void qemu_plugin_register_vcpu_init_cb(uint64_t id, void (*cb)(uint64_t id, unsigned int cpu));
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t idx);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *dest, size_t len);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    void (*cb)(unsigned int cpu, void *data),
					    enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
				      void (*cb)(unsigned int cpu, uint32_t info,
						 uint64_t vaddr, void *data),
				      enum qemu_plugin_cb_flags flags,
				      enum qemu_plugin_mem_rw rw, void *data);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb,
					  void (*cb)(unsigned int cpu, void *data),
					  enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id,
					   void (*cb)(uint64_t id, struct qemu_plugin_tb *tb));
bool qemu_plugin_mem_is_store(uint32_t info);
struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(uint32_t info, uint64_t vaddr);
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *haddr);
uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr *haddr);

PUBLIC int qemu_plugin_version = 4;
PUBLIC int qemu_plugin_install(uint64_t id, const struct qemu_info_t *info, int argc,
			       char **argv);

/**
 * struct use - a CPU's of a line
 * @last: the last piece in which it was used
 * @last_written: the last one in which it was written
 * @pieces: in which it was used
 */
struct use {
	uint32_t last;
	uint32_t last_written;
	uint32_t pieces;
};

/**
 * struct line - a cache line of the guest's memory
 * @address: physical address, shifted
 * @used: it is this one
 * @users: CPUs that read or write it, a bit each
 * @writers: CPUs that write it
 * @pieces: in which it is used, of all CPUs
 * @written: in which it is written
 * @read_at: instruction that read it last
 * @write_at: instruction that wrote it last
 * @of: of each CPU
 */
struct line {
	uint64_t address;
	bool used;
	uint64_t users;
	uint64_t writers;
	uint64_t pieces;
	uint64_t written;
	uint64_t read_at;
	uint64_t write_at;
	struct use *of;
};

static struct line *lines;
static struct use *uses;
static uint32_t piece[MAX_CPUS];
static uint64_t instructions, lost, nr_pieces;
static unsigned int cpus, now;
static struct qemu_plugin_register *gs[2];
static struct array *bytes;
static uint64_t base[MAX_CPUS];
static const char *out;
static bool active;

static struct line *line_of(uint64_t address)
{
	uint64_t mask = (1u << TABLE_BITS) - 1;
	uint64_t at = (address * 0x9e3779b97f4a7c15u) >> (64 - TABLE_BITS), i;

	for (i = 0; i < 64; i++, at = (at + 1) & mask) {
		struct line *l = &lines[at];

		if (!l->used)
			*l = (struct line){ .address = address, .used = true,
					    .of = uses + at * cpus };
		if (l->address == address)
			return l;
	}
	return NULL;
}

static uint64_t read_register(struct qemu_plugin_register *handle)
{
	uint64_t value = 0;

	g_byte_array_set_size(bytes, 0);
	qemu_plugin_read_register(handle, bytes);
	if (bytes->len == sizeof(value))
		memcpy(&value, bytes->data, sizeof(value));
	return value;
}

/* In the kernel it is in use, or about to be; elsewhere it waits in the other one. */
static unsigned int current_cpu(void)
{
	uint64_t value = read_register(gs[0]);
	unsigned int i;

	if (!(value >> 63))
		value = read_register(gs[1]);
	for (i = 0; i < cpus && base[i] && base[i] != value; i++)
		;
	if (i < cpus)
		base[i] = value;
	return i;
}

/* The CPUs take turns in one thread of the host: nothing here needs a lock. */
static void see_access(unsigned int unused, uint32_t info, uint64_t vaddr, void *data)
{
	bool store = qemu_plugin_mem_is_store(info);
	struct qemu_plugin_hwaddr *hw;
	unsigned int cpu = now;
	struct line *l;
	struct use *u;

	if (!active || cpu >= cpus)
		return;
	hw = qemu_plugin_get_hwaddr(info, vaddr);
	if (!hw || qemu_plugin_hwaddr_is_io(hw))
		return;
	l = line_of(qemu_plugin_hwaddr_phys_addr(hw) >> LINE_SHIFT);
	if (!l) {
		lost++;
		return;
	}
	l->users |= 1ull << cpu;
	u = &l->of[cpu];
	if (u->last != piece[cpu]) {
		u->last = piece[cpu];
		u->pieces++;
		l->pieces++;
	}
	if (!store) {
		l->read_at = (uintptr_t)data;
		return;
	}
	l->writers |= 1ull << cpu;
	l->write_at = (uintptr_t)data;
	if (u->last_written != piece[cpu]) {
		u->last_written = piece[cpu];
		l->written++;
	}
}

static void see_instructions(unsigned int cpu, void *data)
{
	if (!active)
		return;
	now = current_cpu();
	instructions += (uintptr_t)data;
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Of the transfers of a line. */
static uint64_t bound_of(const struct line *l, int users)
{
	uint64_t most = 0;
	unsigned int i;

	for (i = 0; i < cpus; i++)
		most = l->of[i].pieces > most ? l->of[i].pieces : most;
	return lesser(lesser(l->pieces, l->written * users), 2 * (l->pieces - most));
}

static void print(void)
{
	FILE *f = fopen(out, "w");
	size_t i;

	if (!f) {
		perror(out);
		return;
	}
	fprintf(f, "instructions\t%llu\npieces\t%llu\nlost\t%llu\n",
		(unsigned long long)instructions, (unsigned long long)nr_pieces,
		(unsigned long long)lost);
	for (i = 0; i < 1u << TABLE_BITS; i++) {
		const struct line *l = &lines[i];
		int users = __builtin_popcountll(l->users);

		if (users < 2 || !l->writers)
			continue;
		fprintf(f, "line\t%d\t%d\t%llu\t%llu\t%llu\t%llx\t%llx\t%llx\n", users,
			__builtin_popcountll(l->writers), (unsigned long long)l->pieces,
			(unsigned long long)l->written, (unsigned long long)bound_of(l, users),
			(unsigned long long)l->read_at, (unsigned long long)l->write_at,
			(unsigned long long)l->address << LINE_SHIFT);
	}
	fclose(f);
}

static void see_mark(unsigned int unused, void *data)
{
	unsigned int i, cpu = now;

	switch ((uintptr_t)data) {
	case MARK_BEGIN:
		for (i = 0; i < cpus; i++)
			piece[i] = 1;
		active = true;
		break;
	case MARK_PIECE:
		if (active && cpu < cpus) {
			piece[cpu]++;
			nr_pieces++;
		}
		break;
	case MARK_END:
		active = false;
		print();
		break;
	}
}

/* Of each piece of the guest's code, when it is translated. */
static void see_block(uint64_t id, struct qemu_plugin_tb *tb)
{
	static const unsigned char mark[] = { MARK_BYTES };
	size_t i, nr = qemu_plugin_tb_n_insns(tb);
	unsigned char code[sizeof(mark) + 1];

	qemu_plugin_register_vcpu_tb_exec_cb(tb, see_instructions, QEMU_PLUGIN_CB_R_REGS,
					     (void *)nr);
	for (i = 0; i < nr; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t pc = qemu_plugin_insn_vaddr(insn);

		qemu_plugin_register_vcpu_mem_cb(insn, see_access, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, (void *)(uintptr_t)pc);
		if (qemu_plugin_insn_size(insn) == sizeof(code) &&
		    qemu_plugin_insn_data(insn, code, sizeof(code)) == sizeof(code) &&
		    !memcmp(code, mark, sizeof(mark)))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, see_mark,
							       QEMU_PLUGIN_CB_NO_REGS,
							       (void *)(uintptr_t)code[sizeof(mark)]);
	}
}

static void see_cpu(uint64_t id, unsigned int cpu)
{
	struct array *registers = qemu_plugin_get_registers();
	const struct register_of *r = registers->data;
	unsigned int i;

	for (i = 0; i < registers->len; i++) {
		if (!strcmp(r[i].name, "gs_base"))
			gs[0] = r[i].handle;
		else if (!strcmp(r[i].name, "k_gs_base"))
			gs[1] = r[i].handle;
	}
}

int qemu_plugin_install(uint64_t id, const struct qemu_info_t *info, int argc, char **argv)
{
	int i;

	for (i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "cpus=", 5))
			cpus = strtoul(argv[i] + 5, NULL, 10);
		else if (!strncmp(argv[i], "out=", 4))
			out = strdup(argv[i] + 4);
	}
	if (!cpus || cpus > MAX_CPUS || !out)
		return -1;
	lines = calloc(1u << TABLE_BITS, sizeof(*lines));
	uses = calloc((size_t)cpus << TABLE_BITS, sizeof(*uses));
	bytes = g_byte_array_new();
	if (!lines || !uses)
		return -1;
	qemu_plugin_register_vcpu_init_cb(id, see_cpu);
	qemu_plugin_register_vcpu_tb_trans_cb(id, see_block);
	return 0;
}
