// SPDX-License-Identifier: GPL-2.0
/*
 * What is known of the session of a descriptor: where only one thread can reach
 * it, a model predicts the result of a call; else all that is documented may.
 */
#include "calls.h"

/* The kernel's answer, negative errnos. */
long sys(long ret)
{
	return ret < 0 ? -errno : ret;
}

int fd_of(const struct thread *t, __u64 fd)
{
	fd %= FDS;
	if (fd < FD_MINE)
		return FD_NUMBER + fd;
	return FD_NUMBER + fd + t->nr * (FDS - FD_MINE);
}

/* Of a descriptor of this thread's own; NULL: others have it as well. */
struct slot *slot_of(struct thread *t, __u64 fd)
{
	fd %= FDS;
	return fd < FD_MINE ? NULL : &t->mine[fd - FD_MINE];
}

/* What is known of a descriptor's session; NULL: nothing, or it is not open. */
struct model *model_of(struct thread *t, __u64 fd)
{
	struct slot *slot = slot_of(t, fd);

	return slot && slot->model && slot->model->exact ? slot->model : NULL;
}

bool surely_closed(struct thread *t, __u64 fd)
{
	struct slot *slot = slot_of(t, fd);

	return slot && !slot->model;
}

void model_put(struct model *m)
{
	if (m && !--m->refs)
		free(m);
}

void note_state(struct thread *t, __u64 fd)
{
	struct model *m = model_of(t, fd);

	t->state_before = t->state = m ? m->state : UNKNOWN;
}

void slot_close(struct thread *t, __u64 fd)
{
	struct slot *slot = slot_of(t, fd);

	if (!slot)
		return;
	model_put(slot->model);
	slot->model = NULL;
}

/* Others may use the session from now on. */
void expose(struct thread *t, __u64 fd)
{
	struct slot *slot = slot_of(t, fd);

	if (slot && slot->model)
		slot->model->exact = false;
}
