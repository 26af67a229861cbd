// SPDX-License-Identifier: GPL-2.0
/* Tests of descriptions of CPython, and of code objects by what a stack has of them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/interp/pycode.h"
#include "lib/interp/pyinterp.h"
#include "pyprocess.h"
#include "tap.h"

/* glibc's struct pthread: where the value of a key is. */
#define VALUE(key)	(0x310 + (key) * 16 + 8)

static const struct wp_pyrange eval = { 0x400000, 0x410000 };

static __u64 get(struct process *p, __u64 address)
{
	__u64 value;

	memcpy(&value, p->data + address - BASE, sizeof(value));
	return value;
}

static struct wallprof_interp describe(struct process *p)
{
	struct wallprof_interp interp;

	if (wp_pyinterp_describe(&p->py, &eval, 1, VALUE(3), &interp))
		abort();
	return interp;
}

/* As the module does it. */
static __u32 hash_of(struct process *p, const struct wallprof_interp *interp, __u64 code)
{
	__u64 word[WALLPROF_INTERP_WORDS];
	unsigned int i;

	for (i = 0; i < WALLPROF_INTERP_WORDS && interp->word[i].at != WALLPROF_INTERP_NONE; i++) {
		word[i] = get(p, code + interp->word[i].at);
		if (interp->word[i].then != WALLPROF_INTERP_NONE)
			word[i] = get(p, word[i] + interp->word[i].then);
	}
	return wallprof_interp_hash(word, i);
}

/* The module refuses what is not aligned. */
static bool aligned(const struct wallprof_interp *interp)
{
	unsigned int i, bits = interp->frame_previous | interp->frame_code | interp->code_type_at;

	bits |= interp->frame_at & (interp->flags & WALLPROF_INTERP_ADDRESS ? 7 : 3);
	for (i = 0; i < interp->nr_steps; i++)
		bits |= interp->step[i];
	for (i = 0; i < WALLPROF_INTERP_WORDS; i++) {
		bits |= interp->word[i].at;
		if (interp->word[i].then != WALLPROF_INTERP_NONE)
			bits |= interp->word[i].then;
	}
	return !(bits & 7) || (!(interp->flags & WALLPROF_INTERP_ADDRESS) && !(bits & 3));
}

static void described(unsigned int version)
{
	struct process *p = running(version);
	const struct wp_pylayout *l = &p->py.layout;
	struct wallprof_interp i = describe(p);
	bool each = version == 9, address = version > 9;
	unsigned int n;

	ok(i.size == sizeof(i) && i.range[0].start == eval.start && i.range[0].end == eval.end &&
	   !i.range[1].start && i.range[1].start == i.range[1].end, "3.%u: the ranges", version);
	ok(i.step[0] == VALUE(3) && i.step[1] == l->thread_top &&
	   i.nr_steps == (l->chain == WP_PYLAYOUT_NONE ? 2 : 3), "3.%u: %u steps", version,
	   i.nr_steps);
	for (n = i.nr_steps; n < WALLPROF_INTERP_STEPS && !i.step[n]; n++)
		;
	ok(n == WALLPROF_INTERP_STEPS && !i.reserved && i.code_tag == (version >= 14), "3.%u: the rest is 0",
	   version);
	ok(!!(i.flags & WALLPROF_INTERP_EACH) == each &&
	   (i.frame_end == WALLPROF_INTERP_NONE) == each &&
	   !!(i.flags & WALLPROF_INTERP_SHIM) == (version >= 12) &&
	   (each ? !i.end_mask && !i.end_value : (i.end_value & i.end_mask) == i.end_value),
	   "3.%u: the end of a run", version);
	ok(!!(i.flags & WALLPROF_INTERP_ADDRESS) == address &&
	   i.at_shift == address && (address ? i.code_start == l->code_start : !i.code_start),
	   "3.%u: the instruction", version);
	ok(aligned(&i), "3.%u: all is aligned", version);
	ok(wp_pyinterp_describe(&p->py, &eval, 0, 8, &i) == -ENOTSUP, "3.%u: not without code",
	   version);
	free(p);
}

static int find_slot(struct process *p, __s32 *slot)
{
	struct wp_pythreads threads = { 0 };
	int err;

	wp_pymemory_forget(&p->m);
	err = wp_pystack_threads(&p->m, &p->py, &threads);
	if (!err)
		err = wp_pyinterp_slot(&p->m, &p->py, &threads, slot);
	free(threads.thread);
	return err;
}

/* The place of keys is known of x86 only. */
static void slots(void)
{
#ifdef __x86_64__
	struct process *p = running(11);
	const struct wp_pylayout *l = &p->py.layout;
	__u64 self[2] = { take(p, 2048), take(p, 2048) }, state = take(p, 512);
	__s32 slot;

	set(p, p->state + l->thread_id, self[0]);
	ok(find_slot(p, &slot) == -EAGAIN, "a thread without its state is not ready");
	set(p, self[0] + VALUE(3), p->state);
	ok(!find_slot(p, &slot) && slot == VALUE(3), "the key with the state");
	set(p, self[0] + VALUE(5), p->state);
	ok(find_slot(p, &slot) == -EAGAIN, "two keys with it");
	set(p, p->state + l->thread_next, state);
	set(p, state + l->thread_native, TID + 1);
	set(p, state + l->thread_id, self[1]);
	ok(find_slot(p, &slot) == -EAGAIN, "another thread without");
	set(p, self[1] + VALUE(3), p->state);
	ok(find_slot(p, &slot) == -EAGAIN, "another thread's state");
	set(p, self[1] + VALUE(3), 0);
	set(p, self[1] + VALUE(5), state);
	ok(!find_slot(p, &slot) && slot == VALUE(5), "threads agree on one");
	set(p, self[0] + VALUE(31), p->state);
	set(p, self[1] + VALUE(31), state);
	set(p, self[1] + VALUE(5), 0);
	ok(!find_slot(p, &slot) && slot == VALUE(31), "the last key");
	set(p, state + l->thread_id, 8);
	ok(find_slot(p, &slot) == -ENODATA, "a thread in no memory");
	set(p, p->interp + l->interp_threads, 0);
	ok(find_slot(p, &slot) == -EAGAIN, "no thread yet");
	free(p);
#else
	struct process *p = running(11);
	__s32 slot;

	ok(find_slot(p, &slot) == -ENOTSUP, "not known here");
	free(p);
#endif
}

static int read_code(struct process *p, const struct wallprof_interp *interp, __u32 hash,
		     struct wp_pycode *code)
{
	wp_pymemory_forget(&p->m);
	return wp_pycode_read(&p->m, &p->py, interp, p->code[1], hash, code);
}

static void read(unsigned int version)
{
	struct process *p = running(version);
	struct wallprof_interp interp = describe(p);
	__u32 hash = hash_of(p, &interp, p->code[1]), line;
	bool each = version == 9;
	struct wp_pycode code;
	int err = read_code(p, &interp, hash, &code);

	ok(!err && !strcmp(code.function, "Class.middle") && !strcmp(code.file, "/dir/file.py"),
	   "3.%u: a function and its file: %d", version, err);
	ok(!err && !wp_pycode_line(&p->py, &code, each ? 17 : 9, &line) &&
	   line == (each ? 104 : 105), "3.%u: its line %u", version, line);
	err = wp_pycode_line(&p->py, &code, 0, &line);
	ok(each ? !err && line == 100 : err == -ENOENT, "3.%u: before the first instruction: %d",
	   version, err);
	if (!each) {
		ok(wp_pycode_line(&p->py, &code, 2, &line) == -ENOENT,
		   "3.%u: one that is not shown", version);
		ok(wp_pycode_line(&p->py, &code, UNITS + 1, &line) == -EBADMSG &&
		   !wp_pycode_line(&p->py, &code, UNITS, &line), "3.%u: one behind the last",
		   version);
	}
	ok(!wp_pycode_line(&p->py, &code, each ? 0xffffff : UNITS, &line),
	   "3.%u: a line for the last one", version);
	wp_pycode_free(&code);
	ok(read_code(p, &interp, hash + 1, &code) == -ESTALE, "3.%u: another hash", version);
	wp_pycode_free(&code);
	free(p);
}

/* Each word by which an object is known, changed at each read: never a mixture. */
static void meanwhile(unsigned int version)
{
	struct process *p = running(version);
	struct wallprof_interp interp = describe(p);
	unsigned int reads, at, word, wrong = 0, stale = 0;
	struct wp_pycode code;

	p->reads = 0;
	read_code(p, &interp, hash_of(p, &interp, p->code[1]), &code);
	reads = p->reads;
	wp_pycode_free(&code);
	free(p);
	for (word = 0; word < WALLPROF_INTERP_WORDS; word++) {
		for (at = 1; at <= reads; at++) {
			__u32 hash;
			int err;

			p = running(version);
			hash = hash_of(p, &interp, p->code[1]);
			p->reads = 0;
			p->change_at = at;
			p->change = p->code[1] + interp.word[word].at;
			/* What another object has there. */
			p->value = get(p, p->code[2] + interp.word[word].at);
			if (interp.word[word].at == (p->py.layout.code_line & ~7))
				p->value = 7ULL << 32 | 7;
			err = read_code(p, &interp, hash, &code);
			stale += err == -ESTALE;
			wrong += !err && (strcmp(code.function, "Class.middle") ||
					  code.table.first != 100);
			wp_pycode_free(&code);
			free(p);
		}
	}
	ok(!wrong && stale, "3.%u: changed in %u reads: %u are noticed, %u wrong", version,
	   reads, stale, wrong);
}

/* It is replaced between the reads of its words and of its file's name, far from it. */
static void replaced(unsigned int version)
{
	struct process *p = running(version);
	struct wallprof_interp interp = describe(p);
	struct wp_pycode code;
	unsigned int reads;
	int err;

	p->used += 2 * WP_PYMEMORY_BLOCK;
	set(p, p->code[1] + p->py.layout.code_file, ascii(p, "/dir/far.py"));
	p->reads = 0;
	err = read_code(p, &interp, hash_of(p, &interp, p->code[1]), &code);
	ok(!err && !strcmp(code.file, "/dir/far.py"), "3.%u: its file is elsewhere", version);
	/* It is read between two reads of the words. */
	reads = p->reads / 2 + 1;
	wp_pycode_free(&code);
	p->reads = 0;
	p->change_at = reads;
	p->change = p->code[1] + p->py.layout.code_name;
	p->value = get(p, p->code[2] + p->py.layout.code_name);
	err = read_code(p, &interp, hash_of(p, &interp, p->code[1]), &code);
	ok(err == -ESTALE, "3.%u: replaced meanwhile: %d", version, err);
	wp_pycode_free(&code);
	free(p);
}

/* What is wrong with an object. */
static void forged(const char *what, struct process *p, __u64 address, __u64 value, int want)
{
	struct wallprof_interp interp = describe(p);
	struct wp_pycode code;
	int err;

	set(p, address, value);
	err = read_code(p, &interp, hash_of(p, &interp, p->code[1]), &code);
	ok(err == want, "%s: %d", what, err);
	wp_pycode_free(&code);
	free(p);
}

static void hostile(void)
{
	struct wp_pylayout l;
	struct process *p;
	struct wp_pycode code;
	struct wallprof_interp interp;
	__u32 line;

	wp_pylayout_of(11, &l);
	p = running(11);
	forged("no code", p, p->code[1] + 8, STR_TYPE, -ESTALE);
	p = running(11);
	forged("code that is being freed", p, p->code[1], 0, -ESTALE);
	p = running(11);
	forged("a name that is no text", p, p->code[1] + l.code_name, p->code[0], -EBADMSG);
	p = running(11);
	forged("a file that is no text", p, p->code[1] + l.code_file, p->code[0], -EBADMSG);
	p = running(11);
	forged("lines that are no bytes", p, p->code[1] + l.code_lines, p->code[0], -EBADMSG);
	p = running(11);
	p->budget.bytes = 200;
	forged("few bytes", p, BASE + SIZE - 8, 0, -EDQUOT);
	p = running(11);
	interp = describe(p);
	set(p, get(p, p->code[1] + l.code_lines) + 16, ~0ULL >> 1);
	ok(!read_code(p, &interp, hash_of(p, &interp, p->code[1]), &code) && !code.table.lines &&
	   !wp_pycode_line(&p->py, &code, 9, &line) && !line, "a table that is too long: no line");
	wp_pycode_free(&code);
	set(p, p->code[1] + 16, ~0ULL);
	ok(!read_code(p, &interp, hash_of(p, &interp, p->code[1]), &code) &&
	   !wp_pycode_line(&p->py, &code, 9, &line) && !line, "too many instructions: no line");
	wp_pycode_free(&code);
	free(p);
}

int main(void)
{
	static const unsigned int versions[] = { 9, 11, 12, 13, 14 };
	size_t i;

	for (i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		described(versions[i]);
		read(versions[i]);
		meanwhile(versions[i]);
		replaced(versions[i]);
	}
	slots();
	hostile();
	return done();
}
