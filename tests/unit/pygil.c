// SPDX-License-Identifier: GPL-2.0
/* Tests of the GIL in the memory of a process, which is made by hand. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/interp/pygil.h"
#include "pyprocess.h"
#include "tap.h"

static void set_gil(struct process *p, __u64 holder, __u32 locked, __u32 mutex)
{
	set(p, p->gil + 8, holder);
	set_bytes(p, p->gil + 16, &locked, sizeof(locked));
	set_bytes(p, p->gil + 80, &mutex, sizeof(mutex));
}

static int holder_of(struct process *p, __u32 *tid)
{
	struct wp_pythreads threads = { 0 };
	int err;

	wp_pymemory_forget(&p->m);
	err = wp_pystack_threads(&p->m, &p->py, &threads);
	if (!err)
		err = wp_pygil_holder(&p->m, &p->py, &threads, p->gil, tid);
	free(threads.thread);
	return err;
}

static void lists(unsigned int version)
{
	struct process *p = running(version);
	const struct wp_pylayout *l = &p->py.layout;
	struct wp_pygils gils;
	__u64 second, other;
	int err;

	wp_pymemory_forget(&p->m);
	err = wp_pygil_list(&p->m, &p->py, &gils);
	ok(!err && gils.nr == 1 && gils.address[0] == p->gil, "3.%u: one GIL", version);
	ok(wp_pygil_of(&gils, p->gil + 32) == p->gil && wp_pygil_of(&gils, p->gil + 76) == p->gil,
	   "3.%u: a futex of its condition", version);
	ok(!wp_pygil_of(&gils, p->gil + 16) && !wp_pygil_of(&gils, p->gil + 28) &&
	   !wp_pygil_of(&gils, p->gil + 80) && !wp_pygil_of(&gils, p->gil + 160) &&
	   !wp_pygil_of(&gils, p->gil - 4) && !wp_pygil_of(&gils, 0),
	   "3.%u: futexes of other members, and elsewhere", version);
	if (!l->gil_global) {
		second = take(p, 8192);
		other = take(p, 208);
		set(p, p->interp + l->interp_next, second);
		set(p, second + l->gil, other);
		wp_pymemory_forget(&p->m);
		err = wp_pygil_list(&p->m, &p->py, &gils);
		ok(!err && gils.nr == 2 && wp_pygil_of(&gils, other + 40) == other,
		   "3.%u: an interpreter with its own", version);
		set(p, second + l->gil, p->gil);
		wp_pymemory_forget(&p->m);
		err = wp_pygil_list(&p->m, &p->py, &gils);
		ok(!err && gils.nr == 1, "3.%u: one that shares it", version);
		set(p, second + l->interp_next, second);
		wp_pymemory_forget(&p->m);
		err = wp_pygil_list(&p->m, &p->py, &gils);
		ok(!err && gils.nr == 1, "3.%u: a circle of interpreters", version);
		set(p, p->interp + l->interp_next, 8);
		wp_pymemory_forget(&p->m);
		ok(wp_pygil_list(&p->m, &p->py, &gils) == -ENODATA,
		   "3.%u: an interpreter in no memory", version);
	}
	free(p);
}

static void holders(unsigned int version)
{
	struct process *p = running(version);
	const struct wp_pylayout *l = &p->py.layout;
	__u32 tid = 1;

	set_gil(p, p->state, 1, 0);
	ok(!holder_of(p, &tid) && tid == TID, "3.%u: its holder", version);
	set_gil(p, p->state, 0, 0);
	ok(!holder_of(p, &tid) && !tid, "3.%u: who held it last", version);
	set_gil(p, p->state, ~0U, 0);
	ok(holder_of(p, &tid) == -EBADMSG, "3.%u: one that is not initialized", version);
	set_gil(p, p->state, 2, 0);
	ok(holder_of(p, &tid) == -EBADMSG, "3.%u: one that is not held once", version);
	set_gil(p, p->state, 1, 1);
	ok(holder_of(p, &tid) == -EBADMSG && !tid, "3.%u: one that changes", version);
	set_gil(p, p->state + 8, 1, 0);
	ok(holder_of(p, &tid) == -ESRCH, "3.%u: a holder of no list", version);
	set_gil(p, 0, 1, 0);
	ok(holder_of(p, &tid) == -ESRCH, "3.%u: no holder", version);
	set_gil(p, p->state, 1, 0);
	set(p, p->state + l->thread_prev, p->interp + 256);
	ok(holder_of(p, &tid) == -ESRCH, "3.%u: a holder that leaves the list", version);
	free(p);
}

/* The GIL gets another holder, which is in no list, before each read. */
static void meanwhile(unsigned int version)
{
	unsigned int reads, at, noticed = 0;
	struct process *p = running(version);
	__u32 tid = 0;

	set_gil(p, p->state, 1, 0);
	p->reads = 0;
	holder_of(p, &tid);
	reads = p->reads;
	free(p);
	for (at = 1; at <= reads; at++) {
		p = running(version);
		set_gil(p, p->state, 1, 0);
		p->reads = 0;
		p->change_at = at;
		p->change = p->gil + 8;
		p->value = p->state + 8;
		noticed += holder_of(p, &tid) == -ESRCH;
		free(p);
	}
	ok(reads > 2 && noticed == reads, "3.%u: a holder that changes is noticed in %u of %u places",
	   version, noticed, reads);
}

/* A version whose GIL is unknown, and one with members elsewhere. */
static void unknown(void)
{
	struct process *p = new_process(12);
	struct wp_pygils gils;

	ok(!wp_pygil_list(&p->m, &p->py, &gils) && !gils.nr && !wp_pygil_of(&gils, 40),
	   "3.12: no GIL is known");
	free(p);
	p = new_process(13);
	/* The offset of a member. */
	set(p, p->py.runtime + 18 * sizeof(__u64), 7764);
	wp_pymemory_forget(&p->m);
	ok(!wp_pylayout_check(&p->m, p->py.runtime, &p->py.layout) &&
	   p->py.layout.gil == WP_PYLAYOUT_NONE, "another kind of GIL is not known");
	free(p);
}

int main(void)
{
	static const unsigned int version[] = {
		11, 13, 14,
#ifdef __x86_64__
		9,
#endif
	};
	size_t i;

	for (i = 0; i < sizeof(version) / sizeof(version[0]); i++) {
		lists(version[i]);
		holders(version[i]);
		meanwhile(version[i]);
	}
	unknown();
	return done();
}
