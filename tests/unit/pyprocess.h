/* SPDX-License-Identifier: GPL-2.0 */
/* The memory of a process that executes Python, made by hand. */
#ifndef PYPROCESS_H
#define PYPROCESS_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/interp/pylayout.h"
#include "lib/interp/pymemory.h"

/* Where the memory is, and where what is in it. */
#define BASE		0x10000ULL
#define SIZE		0x10000
#define CODE_TYPE	0x11
#define STR_TYPE	0x22
#define BYTES_TYPE	0x33
#define TID		4711
#define UNITS		16

/**
 * struct process - a process
 * @data: its memory
 * @used: used bytes of that
 * @reads: number of blocks that were read
 * @change_at: before this read, @change is set to @value
 * @change: an address
 * @value: a word
 * @m: the same for a reader
 * @budget: what that may read
 * @py: its interpreter
 * @interp: address of its state
 * @gil: of its GIL; 0: the version's is unknown
 * @state: of the thread's
 * @chain: what has the innermost frame
 * @frame: the frames, the innermost first
 * @code: their code
 */
struct process {
	__u8 data[SIZE];
	size_t used;
	unsigned int reads;
	unsigned int change_at;
	__u64 change;
	__u64 value;
	struct wp_pymemory m;
	struct wp_pybudget budget;
	struct wp_pyruntime py;
	__u64 interp;
	__u64 gil;
	__u64 state;
	__u64 chain[3];
	__u64 frame[8];
	__u64 code[4];
};

static void set(struct process *p, __u64 address, __u64 value)
{
	memcpy(p->data + address - BASE, &value, sizeof(value));
}

static void set_bytes(struct process *p, __u64 address, const void *from, size_t bytes)
{
	memcpy(p->data + address - BASE, from, bytes);
}

static int read_block(void *ctx, __u64 address, void *to)
{
	struct process *p = ctx;

	if (++p->reads == p->change_at)
		set(p, p->change, p->value);
	if (address < BASE || address - BASE >= SIZE)
		return -ENODATA;
	memcpy(to, p->data + address - BASE, WP_PYMEMORY_BLOCK);
	return 0;
}

/* Some memory, which is zero. */
static __u64 take(struct process *p, size_t bytes)
{
	__u64 address = BASE + p->used;

	p->used += (bytes + 15) / 16 * 16;
	return address;
}

static inline __u64 text(struct process *p, unsigned int kind, bool ascii, size_t nr, const void *chars)
{
	__u64 address = take(p, 128 + nr * kind);

	set(p, address, 1);
	set(p, address + 8, STR_TYPE);
	set(p, address + 16, nr);
	/* Its hash. */
	set(p, address + 24, address);
	set(p, address + 32, kind << 2 | 1 << 5 | (ascii ? 1 << 6 : 0));
	set_bytes(p, address + (ascii ? p->py.layout.ascii : p->py.layout.compact), chars,
		  nr * kind);
	return address;
}

static __u64 ascii(struct process *p, const char *chars)
{
	return text(p, 1, true, strlen(chars), chars);
}

/* Code of UNITS instructions, of which each two are in one line. */
static __u64 code(struct process *p, const char *name)
{
	const struct wp_pylayout *l = &p->py.layout;
	__u64 address = take(p, 512), lines = take(p, 64);
	unsigned int i;

	set(p, address, 1);
	set(p, address + 8, CODE_TYPE);
	if (l->code_start != WP_PYLAYOUT_NONE)
		set(p, address + 16, UNITS);
	set(p, address + l->code_name, ascii(p, name));
	set(p, address + l->code_file, ascii(p, "/dir/file.py"));
	set_bytes(p, address + l->code_line, &(__u32){ 100 }, 4);
	set(p, address + l->code_lines, lines);
	if (l->code_traceable != WP_PYLAYOUT_NONE)
		set_bytes(p, address + l->code_traceable, &(__u32){ 2 }, 4);
	set(p, lines, 1);
	set(p, lines + 8, BYTES_TYPE);
	set(p, lines + 16, UNITS);
	for (i = 0; i < UNITS / 2; i++)
		set_bytes(p, lines + 32 + 2 * i, l->lines == WP_PYLINES_STEPS ?
			  (__u8[]){ 4, 1 } : (__u8[]){ 0x80 | 13 << 3 | 1, 2 }, 2);
	return address;
}

static void set_frame(struct process *p, unsigned int i, __u64 function, int at,
		      __u64 previous)
{
	const struct wp_pylayout *l = &p->py.layout;

	/* Where there is a tag, each second one has it. */
	set(p, p->frame[i] + l->frame_code, function | (i & 1 ? 0 : l->code_tag));
	if (l->code_start == WP_PYLAYOUT_NONE)
		set_bytes(p, p->frame[i] + l->frame_at, &at, 4);
	else
		set(p, p->frame[i] + l->frame_at, function + l->code_start + at);
	set(p, p->frame[i] + l->frame_previous, previous);
}

static inline void set_byte(struct process *p, __u64 address, __u8 byte)
{
	set_bytes(p, address, &byte, 1);
}

static void start(struct process *p)
{
	p->budget = (struct wp_pybudget){ 1000, 1 << 20 };
	p->m.read = read_block;
	p->m.ctx = p;
	p->m.budget = &p->budget;
}

/* From 3.14 on. */
static const __u64 debug_offsets14[] = {
	0, 0x030e0af0, 0, 316616, 784, 808, 225864, 7280, 7272, 7344, 7360, 7408, 7688, 7672, 7680,
	16, 7784, 0, 7800, 7792, 7992, 0, 832, 0, 8, 16, 72, 152, 160, 232, 32, 88, 8, 0, 56, 80,
	74, 64, 0, 216, 112, 120, 128, 136, 68, 52, 96, 104, 208,
};

static const __u64 debug_offsets[] = {
	0, 0x030d05f0, 0, 800, 600, 632, 9000, 7256, 7264, 7344, 0, 0, 0, 0, 16, 7752, 0,
	7768, 7760, 320, 0, 8, 16, 72, 152, 160, 256, 24, 88, 8, 0, 56, 72, 70, 208, 112, 120,
	128, 136, 68, 52, 96, 104, 200,
};

/* A process with one interpreter and one thread, which has frames for a test. */
static struct process *new_process(unsigned int version)
{
	struct process *p = calloc(1, sizeof(*p));
	struct wp_pylayout *l = &p->py.layout;
	size_t i;

	start(p);
	p->py.code_type = CODE_TYPE;
	p->py.str_type = STR_TYPE;
	p->py.bytes_type = BYTES_TYPE;
	p->py.runtime = take(p, 1024);
	if (!wp_pylayout_of(version, l))
		abort();
	if (version >= 14)
		set_bytes(p, p->py.runtime, debug_offsets14, sizeof(debug_offsets14));
	else
		set_bytes(p, p->py.runtime, debug_offsets, sizeof(debug_offsets));
	set_bytes(p, p->py.runtime, "xdebugpy", 8);
	if (wp_pylayout_check(&p->m, p->py.runtime, l))
		abort();
	p->interp = take(p, 8192);
	p->state = take(p, 512);
	set(p, p->py.runtime + l->runtime_head, p->interp);
	set(p, p->interp + l->interp_next, 0);
	set(p, p->interp + l->interp_threads, p->state);
	set(p, p->state + l->thread_interp, p->interp);
	if (l->thread_native != WP_PYLAYOUT_NONE) {
		set(p, p->state + l->thread_native, TID);
	} else {
		__u64 own = take(p, 1024);

		set(p, p->state + l->thread_id, own);
		set(p, own + 720, TID);
	}
	if (l->gil != WP_PYLAYOUT_NONE)
		p->gil = l->gil_global ? p->py.runtime + l->gil : take(p, 208);
	if (p->gil && !l->gil_global)
		set(p, p->interp + l->gil, p->gil);
	for (i = 0; i < 8; i++)
		p->frame[i] = take(p, 128);
	for (i = 0; i < 3; i++)
		p->chain[i] = take(p, 32);
	p->code[0] = code(p, "inner");
	p->code[1] = code(p, "Class.middle");
	p->code[2] = code(p, "outer");
	p->code[3] = code(p, "hidden");
	return p;
}

static void set_chain(struct process *p, unsigned int i, __u64 frame)
{
	const struct wp_pylayout *l = &p->py.layout;

	set(p, p->chain[i] + l->chain, frame);
	if (i < 2 && l->chain_previous != WP_PYLAYOUT_NONE)
		set(p, p->chain[i] + l->chain_previous, p->chain[i + 1]);
}

/*
 * Two runs: inner and middle; outer, and behind it a frame that is not shown, where the
 * version has such.
 */
static inline struct process *running(unsigned int version)
{
	struct process *p = new_process(version);
	const struct wp_pylayout *l = &p->py.layout;
	__u64 *frame = p->frame, top = frame[0];

	switch (version) {
	case 11:
		set_frame(p, 0, p->code[0], 8, frame[1]);
		set_frame(p, 1, p->code[1], 16, frame[2]);
		set_byte(p, frame[1] + l->frame_entry, 1);
		set_frame(p, 2, p->code[2], 30, frame[3]);
		set_frame(p, 3, p->code[3], 2, 0);
		set_byte(p, frame[3] + l->frame_entry, 1);
		set_chain(p, 0, frame[0]);
		set_chain(p, 1, frame[2]);
		set_chain(p, 2, 0);
		break;
	case 9:
		set_frame(p, 0, p->code[0], 8, frame[1]);
		set_frame(p, 1, p->code[1], 16, frame[2]);
		set_frame(p, 2, p->code[2], 30, 0);
		break;
	default:
		set_frame(p, 0, p->code[0], 8, frame[1]);
		set_frame(p, 1, p->code[1], 16, frame[4]);
		set_frame(p, 4, 0, 0, frame[2]);
		set_byte(p, frame[4] + l->frame_owner, 3);
		set_frame(p, 2, p->code[2], 30, frame[3]);
		set_frame(p, 3, p->code[3], 2, frame[5]);
		set_frame(p, 5, 0, 0, 0);
		set_byte(p, frame[5] + l->frame_owner, 3);
		set_chain(p, 0, frame[0]);
	}
	if (l->chain != WP_PYLAYOUT_NONE)
		top = p->chain[0];
	set(p, p->state + l->thread_top, top);
	return p;
}

#endif /* PYPROCESS_H */
