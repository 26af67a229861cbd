// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the classification of idle time: kernel threads that wait for work, event loops of
 * programs that wait for any event, and CPUs without a thread to run. Called by
 * graph/graph.c; the rule for kernel threads is in kidle.c.
 */
#include <errno.h>
#include <string.h>

#include "cmd/graph/graph.h"
#include "lib/base/err.h"
#include "lib/model/hostwide.h"
#include "lib/model/kidle.h"
#include "lib/model/ledgerfile.h"
#include "lib/model/syscalls.h"

/* Maximum number of frames of a kernel thread's stack to examine. */
#define MOST_FRAMES	32

#define NR(list)	(sizeof(list) / sizeof(list[0]))

/* Prefixes of names of functions in which an idle CPU halts. */
static const char *const halts[] = {
	"acpi_idle_", "acpi_processor_ffh_cstate", "amd_e400_idle", "arch_cpu_idle",
	"cpu_do_idle", "cpu_idle_poll", "cpuidle_enter", "default_idle", "do_idle",
	"intel_idle", "mwait_idle", "native_safe_halt", "poll_idle", "psci_",
	"pv_native_safe_halt", "safe_halt",
};

static bool is_in_halt(const char *name)
{
	size_t i;

	for (i = 0; name && i < NR(halts); i++) {
		if (!strncmp(name, halts[i], strlen(halts[i])))
			return true;
	}
	return false;
}

static const struct wp_function *function(const struct wp_flame_graph *g, __u32 nr)
{
	return wp_profile_function(g->samples->profile, nr);
}

static unsigned int state_of(const char *letter)
{
	switch (*letter) {
	case 'S':
		return WALLPROF_STATE_SLEEPING;
	case 'I':
		return WALLPROF_STATE_IDLE;
	case 'P':
		return WALLPROF_STATE_PARKED;
	default:
		return WALLPROF_STATE_DISK;
	}
}

/* Whether the thread is a kernel thread according to the ledger. */
static bool is_kthread_of_ledger(const struct wp_flame_graph *g, __s32 pid)
{
	size_t nr, i;
	const struct wp_procwait *wait = wp_procwaits_of(&g->waits, pid, &nr);

	for (i = 0; i < nr && wait[i].reason == WALLPROF_REASON_KERNEL; i++)
		;
	return nr && i == nr;
}

/*
 * Whether a line belongs to a kernel thread: its stack begins where theirs do, and never
 * leaves the kernel. Without a stack, or without names, the ledger decides.
 */
static bool is_kthread(const struct wp_flame_graph *g, const struct wp_profile_thread *t,
		       const __u32 *functions, size_t nr)
{
	bool begins = false;
	size_t i;

	if (t->tid <= 0 || t->pid != t->tid)
		return false;
	for (i = 0; i < nr; i++) {
		const struct wp_function *f = function(g, functions[i]);

		if (!f->kernel)
			return false;
		begins |= f->name && (!strcmp(f->name, "kthread") || !strcmp(f->name, "kthreadd"));
	}
	return begins || is_kthread_of_ledger(g, t->pid);
}

static bool kthread_waits(const struct wp_flame_graph *g, const struct wp_profline *l,
			  const __u32 *functions, size_t nr)
{
	const struct wp_profile_cause *c = wp_profile_cause(g->samples->profile, l->cause);
	const char *frames[MOST_FRAMES];
	struct wp_kidle_wait wait = {
		.comm = wp_profile_thread(g->samples->profile, l->thread)->comm,
		/* Without -R only the stack is used, if there is one. */
		.state = c->state[0] ? state_of(c->state) : WALLPROF_STATE_IDLE,
		.reason = WALLPROF_REASON_KERNEL,
		.frames = frames,
	};

	if (c->reason[0] && strcmp(c->reason, "kernel"))
		return false;
	while (nr && wait.nr_frames < MOST_FRAMES)
		frames[wait.nr_frames++] = function(g, functions[--nr])->name;
	return wp_kidle_wait(&wait);
}

/* The system call of an entry function in the kernel or libc, or NULL. */
static const char *call_of(const struct wp_function *f)
{
	const char *name = f->name ? f->name : "", *sys;

	if (f->kernel) {
		sys = strncmp(name, "__", 2) ? NULL : strstr(name, "_sys_");
		return sys ? sys + strlen("_sys_") : NULL;
	}
	if (strncmp(f->dso, "libc", 4) && strncmp(f->dso, "ld-musl", 7))
		return NULL;
	if (!strncmp(name, "__GI_", 5))
		name += 5;
	if (!strncmp(name, "__libc_", 7))
		name += 7;
	return name + strspn(name, "_");
}

static bool program_waits(const struct wp_flame_graph *g, const struct wp_profline *l,
			  const __u32 *functions, size_t nr)
{
	const struct wp_profile_cause *c = wp_profile_cause(g->samples->profile, l->cause);
	const char *call = NULL;
	size_t i;

	if (c->reason[0])
		return c->state[0] == 'S' && !strcmp(c->reason, "syscall") &&
		       wp_syscall_idle_name(c->syscall);
	/*
	 * Without -R, use the entry of the call: a function of libc only as the innermost
	 * one.
	 */
	for (i = 0; i < nr; i++) {
		const struct wp_function *f = function(g, functions[i]);

		if (!f->kernel || call_of(f))
			call = call_of(f);
		if (f->kernel && call)
			break;
	}
	return call && wp_syscall_idle_name(call);
}

/**
 * wp_flame_idle_begin() - read the kernel threads in the ledger
 * @g: the graph; without a ledger, or with a damaged one, there are none
 *
 * Return: 0 or -ENOMEM; a message was printed.
 */
int wp_flame_idle_begin(struct wp_flame_graph *g)
{
	int fd = wp_profile_file(g->samples->profile)->fd;
	struct wp_ledgerfile_head head;
	__u64 offset;
	int err;

	if (wp_ledgerfile_open(fd, &head, &offset))
		return 0;
	err = wp_ledgerfile_read_waits(fd, &head, offset, &g->waits);
	wp_procwaits_sort(&g->waits);
	if (err != -ENOMEM)
		return 0;
	wp_err("no memory for the threads of the recording");
	return err;
}

/**
 * wp_flame_idle_of() - classify a line's time
 * @g: the graph
 * @l: a line of its recording
 * @functions: those on its stack, the outermost first
 * @nr: their number
 * @kthread: set to whether it belongs to a kernel thread
 *
 * Runnable time is never idle, whatever the thread waited for before.
 *
 * Return: the kind of idle time.
 */
enum wp_flame_idle wp_flame_idle_of(const struct wp_flame_graph *g, const struct wp_profline *l,
				    const __u32 *functions, size_t nr, bool *kthread)
{
	const struct wp_profile_thread *t = wp_profile_thread(g->samples->profile, l->thread);
	bool swapper = !t->tid && !t->pid;

	*kthread = swapper || is_kthread(g, t, functions, nr);
	if (l->kind == WP_PROFILE_CPU || l->kind == WP_PROFILE_OTHER)
		return swapper && nr && is_in_halt(function(g, functions[nr - 1])->name) ?
		       WP_FLAME_IDLE_CPU : WP_FLAME_BUSY;
	if (l->kind != WP_PROFILE_OFFCPU)
		return WP_FLAME_BUSY;
	if (*kthread)
		return kthread_waits(g, l, functions, nr) ? WP_FLAME_IDLE_KERNEL : WP_FLAME_BUSY;
	if (wp_hostwide_is_own(wp_samples_comm(g->samples, l)))
		return WP_FLAME_IDLE_OWN;
	return program_waits(g, l, functions, nr) ? WP_FLAME_IDLE_LOOP : WP_FLAME_BUSY;
}
