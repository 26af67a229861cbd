// SPDX-License-Identifier: GPL-2.0
/*
 * libdw's unwinder, on a thread that is stopped. Debug files are not looked for:
 * both are to know the same.
 */
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <err.h>
#include <stdlib.h>

#include "theirs.h"

struct theirs {
	Dwfl *dwfl;
	u64 *ips;
	unsigned int nr, max;
};

static int no_debuginfo(Dwfl_Module *mod, void **data, const char *name, Dwarf_Addr base,
			const char *file, const char *link, GElf_Word crc, char **found)
{
	(void)mod, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc;
	(void)found;
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_linux_proc_find_elf,
	.find_debuginfo = no_debuginfo,
};

/* NULL, and @why, if libdwfl cannot. */
struct theirs *theirs_new(pid_t pid, const char **why)
{
	struct theirs *t = calloc(1, sizeof(*t));

	if (!t)
		err(1, "theirs");
	t->dwfl = dwfl_begin(&callbacks);
	if (!t->dwfl || dwfl_linux_proc_report(t->dwfl, pid) ||
	    dwfl_report_end(t->dwfl, NULL, NULL) ||
	    dwfl_linux_proc_attach(t->dwfl, pid, true)) {
		*why = dwfl_errmsg(-1);
		theirs_free(t);
		return NULL;
	}
	return t;
}

void theirs_free(struct theirs *t)
{
	if (!t)
		return;
	dwfl_end(t->dwfl);
	free(t);
}

static int frame(Dwfl_Frame *state, void *arg)
{
	struct theirs *t = arg;
	Dwarf_Addr pc;

	if (t->nr == t->max || !dwfl_frame_pc(state, &pc, NULL))
		return DWARF_CB_ABORT;
	t->ips[t->nr++] = pc;
	return DWARF_CB_OK;
}

unsigned int theirs_unwind(struct theirs *t, pid_t tid, u64 *ips, unsigned int max,
			   const char **why)
{
	int ret;

	t->ips = ips;
	t->max = max;
	t->nr = 0;
	ret = dwfl_getthread_frames(t->dwfl, tid, frame, t);
	*why = ret < 0 ? dwfl_errmsg(-1) : ret ? "depth" : "end";
	return t->nr;
}
