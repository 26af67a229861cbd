// SPDX-License-Identifier: GPL-2.0
/*
 * The start and the end of an epoch, on all CPUs of a session.
 *
 * This file owns the publication of session->epoch. Its callers are session.c and
 * configure.c: process context, the session locked.
 */
#include <linux/cpumask.h>
#include <linux/mutex.h>

#include "epoch.h"
#include "mappings.h"
#include "pure/tables.h"
#include "state.h"

/**
 * wp_epoch_begin - begin an epoch
 * @session: the session, locked
 * @epoch: its number
 *
 * Makes the unused halves of all tables ready for it, and makes it current.
 *
 * Context: process.
 */
void wp_epoch_begin(struct wp_session *session, u32 epoch)
{
	struct wp_cpu *cpu;
	unsigned int nr;

	mutex_lock(&session->cpus_lock);
	for_each_possible_cpu(nr) {
		cpu = wp_session_cpu(session, nr);
		if (cpu)
			wp_session_begin_cpu(session, cpu, epoch);
	}
	/* Publishes the heads. Pairs with wp_session_epoch(). */
	smp_store_release(&session->epoch, epoch);
	mutex_unlock(&session->cpus_lock);
	wp_mappings_note_epoch(&session->mappings);
}

/**
 * wp_epoch_settle - complete the halves of an epoch that has ended
 * @session: the session, locked; no event writes to these halves any more
 * @epoch: its number
 *
 * Context: process.
 */
void wp_epoch_settle(struct wp_session *session, u32 epoch)
{
	struct wp_cpu *cpu;
	unsigned int nr;

	if (!(session->config.flags & WALLPROF_OFFCPU))
		return;
	for_each_possible_cpu(nr) {
		cpu = wp_session_cpu(session, nr);
		/* A CPU that came with the next epoch has recorded nothing. */
		if (cpu)
			wp_half_settle(wp_half_of(&cpu->sched, epoch));
	}
}
