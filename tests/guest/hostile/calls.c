// SPDX-License-Identifier: GPL-2.0
/* The table of calls, and how programs of them run. */
#include <sys/mman.h>

#include "calls.h"

const struct op ops[] = {
	{ "open", run_open, 10, { { "fd", ARG_FD }, { "how", ARG_HOW } }, how_open },
	{ "close", run_close, 6, { { "fd", ARG_FD } }, NULL },
	{ "dup", run_dup, 12, { { "fd", ARG_FD }, { "to", ARG_FD } }, NULL },
	{ "info", run_info, 2000, { { "fd", ARG_FD }, { "reserved", ARG_FLAGS },
		{ "size", ARG_SIZE }, { "at", ARG_AT }, { "tail", ARG_TAIL } }, NULL },
	{ "status", run_status, 2400, { { "fd", ARG_FD }, { "reserved", ARG_FLAGS },
		{ "size", ARG_SIZE }, { "at", ARG_AT }, { "tail", ARG_TAIL } }, NULL },
	{ "configure", run_configure, 300, { { "fd", ARG_FD }, { "base", ARG_BASE },
		{ "field", ARG_FIELD }, { "value", ARG_VALUE }, { "field2", ARG_FIELD },
		{ "value2", ARG_VALUE }, { "size", ARG_SIZE }, { "at", ARG_AT },
		{ "list_at", ARG_AT }, { "tail", ARG_TAIL } }, NULL },
	{ "start", run_start, 30, { { "fd", ARG_FD }, { "flags", ARG_FLAGS },
		{ "size", ARG_SIZE }, { "at", ARG_AT }, { "tail", ARG_TAIL } }, NULL },
	{ "flip", run_flip, 80, { { "fd", ARG_FD }, { "flags", ARG_FLAGS },
		{ "reserved", ARG_FLAGS }, { "size", ARG_SIZE }, { "at", ARG_AT },
		{ "tail", ARG_TAIL } }, NULL },
	{ "stop", run_stop, 30, { { "fd", ARG_FD }, { "flags", ARG_FLAGS },
		{ "size", ARG_SIZE }, { "at", ARG_AT }, { "tail", ARG_TAIL } }, NULL },
	{ "push", run_push, 300, { { "fd", ARG_FD }, { "how", ARG_HOW },
		{ "part", ARG_PART }, { "which", ARG_VALUE }, { "value", ARG_VALUE },
		{ "flags", ARG_FLAGS }, { "size", ARG_SIZE }, { "at", ARG_AT },
		{ "table_at", ARG_AT } }, how_push },
	{ "maps", run_maps, 300, { { "fd", ARG_FD }, { "who", ARG_WHO },
		{ "how", ARG_HOW }, { "table", ARG_RIGHT }, { "bias", ARG_VALUE },
		{ "start_stack", ARG_STACK }, { "flags", ARG_FLAGS },
		{ "size", ARG_SIZE }, { "at", ARG_AT }, { "maps_at", ARG_AT } }, how_maps },
	{ "live", run_live, 100, { { "fd", ARG_FD }, { "tid", ARG_VALUE },
		{ "bytes", ARG_VALUE }, { "flags", ARG_FLAGS }, { "size", ARG_SIZE },
		{ "at", ARG_AT }, { "records_at", ARG_AT } }, NULL },
	{ "read", run_read, 100, { { "fd", ARG_FD }, { "who", ARG_WHO },
		{ "bytes", ARG_VALUE }, { "address", ARG_VALUE }, { "since", ARG_VALUE },
		{ "reserved", ARG_FLAGS }, { "size", ARG_SIZE }, { "at", ARG_AT },
		{ "data_at", ARG_AT } }, NULL },
	{ "event", run_event, 150, { { "fd", ARG_FD }, { "base", ARG_VALUE },
		{ "field", ARG_VALUE }, { "value", ARG_VALUE }, { "size", ARG_SIZE },
		{ "at", ARG_AT }, { "tail", ARG_TAIL } }, NULL },
	{ "count", run_count, 60, { { "fd", ARG_FD }, { "nr", ARG_VALUE },
		{ "size", ARG_SIZE }, { "at", ARG_AT }, { "tail", ARG_TAIL } }, NULL },
	{ "ioctl", run_ioctl, 2200, { { "fd", ARG_FD }, { "command", ARG_COMMAND },
		{ "at", ARG_AT } }, NULL },
	{ "mmap", run_mmap, 220, { { "fd", ARG_FD }, { "map", ARG_MAP },
		{ "from", ARG_FROM }, { "offset", ARG_BYTES }, { "bytes", ARG_BYTES },
		{ "prot", ARG_PROT }, { "how", ARG_HOW } }, how_mmap },
	{ "munmap", run_munmap, 100, { { "map", ARG_MAP }, { "first", ARG_VALUE },
		{ "pages", ARG_VALUE } }, NULL },
	{ "mremap", run_mremap, 80, { { "map", ARG_MAP }, { "bytes", ARG_BYTES },
		{ "flags", ARG_PROT } }, NULL },
	{ "mprotect", run_mprotect, 500, { { "map", ARG_MAP }, { "prot", ARG_PROT } }, NULL },
	{ "madvise", run_madvise, 150, { { "map", ARG_MAP }, { "advice", ARG_VALUE } }, NULL },
	{ "touch", run_touch, 700, { { "map", ARG_MAP }, { "page", ARG_VALUE } }, NULL },
	{ "poke", run_poke, 100, { { "map", ARG_MAP }, { "offset", ARG_VALUE },
		{ "how", ARG_HOW } }, how_poke },
	{ "tail", run_tail, 100, { { "map", ARG_MAP }, { "cpu", ARG_VALUE },
		{ "value", ARG_VALUE } }, NULL },
	{ "pin", run_pin, 10, { { "map", ARG_MAP }, { "page", ARG_VALUE },
		{ "drop", ARG_FLAGS } }, NULL },
	{ "lock", run_lock, 60, { { "map", ARG_MAP }, { "how", ARG_HOW } }, how_lock },
	{ "drain", run_drain, 15, { { "fd", ARG_FD } }, NULL },
	{ "poll", run_poll, 300, { { "fd", ARG_FD }, { "events", ARG_VALUE },
		{ "how", ARG_HOW } }, how_poll },
	{ "file", run_file, 400, { { "fd", ARG_FD }, { "how", ARG_HOW } }, how_file },
	{ "fork", run_fork, 1, { { "fd", ARG_FD }, { "how", ARG_HOW },
		{ "after", ARG_VALUE } }, how_fork },
	{ "victim", run_victim, 1, { { "which", ARG_VALUE }, { "how", ARG_HOW } },
		how_victim },
	{ "signal", run_signal, 100, { { NULL, ARG_NONE } }, NULL },
	{ "memory", run_memory, 60, { { "how", ARG_HOW } }, how_memory },
	{ "limit", run_limit, 30, { { "how", ARG_HOW } }, how_limit },
	{ "nap", run_nap, 3, { { "how", ARG_HOW } }, how_nap },
	{ "look", run_look, 2, { { NULL, ARG_NONE } }, NULL },
};

const unsigned int nr_ops = ARRAY_SIZE(ops);

/*
 * Running programs.
 */
void thread_clean(struct thread *t)
{
	for (unsigned int i = 0; i < MAPS; i++)
		map_drop(&t->maps[i]);
	for (unsigned int fd = FD_MINE; fd < FDS; fd++) {
		close(fd_of(t, fd));
		slot_close(t, fd);
	}
}

/* Has this been seen before: this call, in this state, so made, with this result? */
static bool is_new(struct thread *t, const struct call *call, long ret)
{
	const struct op *op = &ops[call->op];
	__u64 hash = call->op * 31ULL + t->state_before;
	unsigned int bit;

	hash = hash * 1009 + (ret < 0 ? -ret : 0);
	for (unsigned int i = 0; i < ARGS; i++) {
		switch (op->args[i].kind) {
		case ARG_AT:
		case ARG_BASE:
		case ARG_HOW:
		case ARG_PROT:
		case ARG_PART:
		case ARG_WHO:
			hash = hash * 1009 + call->arg[i];
			break;
		case ARG_FIELD:
			/* Of what succeeds, which field it was does not matter. */
			hash = hash * 1009 + (ret ? call->arg[i] : 0);
			break;
		default:
			break;
		}
	}
	hash *= 0x9e3779b97f4a7c15ULL;
	bit = hash >> 40 & (SEEN_BITS - 1);
	if (board->seen[bit / 8] & 1 << bit % 8)
		return false;
	__atomic_fetch_or(&board->seen[bit / 8], 1 << bit % 8, __ATOMIC_RELAXED);
	return true;
}

/* Keep what it took to see it, for the corpus. */
static void keep(const struct program *p, unsigned int nr)
{
	static __thread struct program kept;
	char path[256];
	__u64 hash = 0;
	FILE *f;

	kept.nr = nr;
	memcpy(kept.calls, p->calls, nr * sizeof(p->calls[0]));
	for (size_t i = 0; i < nr * sizeof(p->calls[0]) / 8; i++)
		hash = (hash ^ ((const __u64 *)kept.calls)[i]) * 0x9e3779b97f4a7c15ULL;
	snprintf(path, sizeof(path), "%s/%016llx.calls", save_dir, (ull)hash);
	f = fopen(path, "we");
	if (!f)
		return;
	program_write(&kept, f);
	fclose(f);
}

void thread_run(struct thread *t, const struct program *p)
{
	unsigned int w = t->worker->nr, news = 0;

	thread_clean(t);
	t->program = p;
	board->programs[w][t->nr] = *p;
	board->running[w][t->nr] = true;
	for (unsigned int i = 0; i < p->nr; i++) {
		const struct call *call = &p->calls[i];
		__u64 since = now_ns();
		long ret;

		if (board->failed)
			_exit(3);
		t->call = call;
		t->state = t->state_before = UNKNOWN;
		if (ops[call->op].args[0].kind == ARG_FD)
			note_state(t, call->arg[0]);
		board->at[w][t->nr] = i;
		ret = ops[call->op].run(t, call->arg);
		__atomic_fetch_add(ret < 0 ? &board->refused[call->op] :
				   &board->succeeded[call->op], 1, __ATOMIC_RELAXED);
		__atomic_fetch_add(&board->ns[call->op], now_ns() - since, __ATOMIC_RELAXED);
		board->calls[w][t->nr]++;
		if (is_new(t, call, ret))
			news = i + 1;
	}
	t->call = NULL;
	board->running[w][t->nr] = false;
	if (news) {
		__atomic_fetch_add(&board->news, 1, __ATOMIC_RELAXED);
		if (save_dir)
			keep(p, news);
	}
}
