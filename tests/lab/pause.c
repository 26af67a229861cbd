// SPDX-License-Identifier: GPL-2.0
/*
 * A plugin of QEMU's: a guest's CPU that waits for another one, in a loop with a
 * "pause", lets the host's other threads run at each.
 *
 * The CPU it waits for is a thread of the host, and may have none to run on. And as an
 * emulated x86's pause leaves the translated code, and takes and drops QEMU's big lock
 * on its way, two CPUs' threads can keep each other from it: one that sends an
 * interrupt, with the lock of a run queue held that the other one waits for, has to get
 * the big lock from that one's hands. On a busy host that took milliseconds of both.
 *
 * The declarations are those of version 4 of the interface (QEMU 9.1 and later; its
 * documentation, "TCG Plugin API"), for whose header there is no package.
 */
#include <sched.h>
#include <stdint.h>
#include <string.h>

#define PUBLIC __attribute__((visibility("default")))

struct qemu_plugin_tb;
struct qemu_plugin_insn;

struct qemu_info_t {
	const char *target_name;
	/* and more */
};

/* To be called with none of the guest's registers. */
enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t idx);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *dest, size_t len);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    void (*cb)(unsigned int cpu, void *data),
					    enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id,
					   void (*cb)(uint64_t id, struct qemu_plugin_tb *tb));

PUBLIC int qemu_plugin_version = 4;
PUBLIC int qemu_plugin_install(uint64_t id, const struct qemu_info_t *info, int argc,
			       char **argv);

/* The instructions that announce a wait. On arm64 QEMU goes on behind both at once. */
static const struct pause {
	const char *target;
	size_t size;
	unsigned char code[4];
} pauses[] = {
	{ "x86_64", 2, { 0xf3, 0x90 } },			/* pause */
	{ "aarch64", 4, { 0x3f, 0x20, 0x03, 0xd5 } },	/* yield */
	{ "aarch64", 4, { 0x5f, 0x20, 0x03, 0xd5 } },	/* wfe */
};

#define NR_PAUSES (sizeof(pauses) / sizeof(pauses[0]))

static const char *target;

/* In the CPU's own thread, which has no lock of QEMU's here. */
static void give_way(unsigned int cpu, void *data)
{
	sched_yield();
}

static void see_instruction(struct qemu_plugin_insn *insn)
{
	size_t i, size = qemu_plugin_insn_size(insn);
	unsigned char code[4];

	for (i = 0; i < NR_PAUSES; i++) {
		if (size != pauses[i].size || strcmp(target, pauses[i].target))
			continue;
		if (qemu_plugin_insn_data(insn, code, size) == size &&
		    !memcmp(code, pauses[i].code, size))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, give_way,
							       QEMU_PLUGIN_CB_NO_REGS, NULL);
	}
}

/* Of each piece of the guest's code, when it is translated. */
static void see_block(uint64_t id, struct qemu_plugin_tb *tb)
{
	size_t i, nr = qemu_plugin_tb_n_insns(tb);

	for (i = 0; i < nr; i++)
		see_instruction(qemu_plugin_tb_get_insn(tb, i));
}

int qemu_plugin_install(uint64_t id, const struct qemu_info_t *info, int argc, char **argv)
{
	target = info->target_name;
	qemu_plugin_register_vcpu_tb_trans_cb(id, see_block);
	return 0;
}
