// SPDX-License-Identifier: GPL-2.0
/* Tests of Python functions in the memory of a process, which is made by hand. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/interp/pystack.h"
#include "lib/interp/pytext.h"
#include "pyprocess.h"
#include "tap.h"

static int find(struct process *p, struct wp_pystack *stack)
{
	struct wp_pythreads threads = { 0 };
	int err;

	*stack = (struct wp_pystack){ 0 };
	wp_pymemory_forget(&p->m);
	err = wp_pystack_threads(&p->m, &p->py, &threads);
	if (!err)
		err = wp_pystack_read(&p->m, &p->py, &threads, TID, stack);
	free(threads.thread);
	return err;
}

static bool is(const struct wp_pyframe *f, const char *function, __u32 line, unsigned int run)
{
	return !strcmp(f->function, function) && !strcmp(f->file, "/dir/file.py") &&
	       f->line == line && f->run == run;
}

static void whole(unsigned int version)
{
	struct process *p = running(version);
	bool each = p->py.layout.runs == WP_PYRUNS_EACH;
	struct wp_pystack stack, same;
	int err = find(p, &stack);

	ok(!err && stack.nr == 3 && stack.runs == (each ? 3 : 2),
	   "3.%u: %zu functions in %u runs: %d", version, stack.nr, stack.runs, err);
	ok(!err && is(&stack.frame[0], "inner", each ? 102 : 103, 0), "3.%u: the innermost",
	   version);
	ok(!err && is(&stack.frame[1], "Class.middle", each ? 104 : 105, each ? 1 : 0),
	   "3.%u: its caller", version);
	ok(!err && is(&stack.frame[2], "outer", each ? 107 : 108, each ? 2 : 1),
	   "3.%u: the next run", version);
	ok(!find(p, &same) && !wp_pystack_compare(&stack, &same), "3.%u: the same again",
	   version);
	same.frame[2].line++;
	ok(wp_pystack_compare(&stack, &same) < 0 && wp_pystack_compare(&same, &stack) > 0 &&
	   wp_pystack_compare(&stack, NULL) > 0 && !wp_pystack_compare(NULL, NULL),
	   "3.%u: compared with others", version);
	wp_pystack_free(&stack);
	wp_pystack_free(&same);
	free(p);
}

/* What is found after a word of the process is changed. */
static void changed(const char *what, unsigned int version, struct process *p, __u64 address,
		    __u64 value, enum wp_pytrouble want)
{
	struct wp_pystack stack;
	enum wp_pytrouble trouble;

	set(p, address, value);
	trouble = wp_pystack_trouble(find(p, &stack));
	ok(trouble == want, "3.%u: %s: %s", version, what, wp_pystack_trouble_text(trouble));
	wp_pystack_free(&stack);
	free(p);
}

static void changed_byte(const char *what, unsigned int version, struct process *p,
			 __u64 address, __u8 value, enum wp_pytrouble want)
{
	__u64 word;

	memcpy(&word, p->data + address - BASE, sizeof(word));
	changed(what, version, p, address, (word & ~0xffULL) | value, want);
}

static void wrong(unsigned int version)
{
	struct process *p = running(version);
	struct wp_pylayout l = p->py.layout;

	free(p);
	p = running(version);
	changed("a circle of frames", version, p, p->frame[2] + l.frame_previous, p->frame[1],
		l.chain_previous == WP_PYLAYOUT_NONE ? WP_PYTROUBLE_DEEP : WP_PYTROUBLE_BAD);
	p = running(version);
	changed("a frame in no memory", version, p, p->frame[1] + l.frame_previous, 8,
		l.chain_previous == WP_PYLAYOUT_NONE ? WP_PYTROUBLE_ABSENT : WP_PYTROUBLE_BAD);
	p = running(version);
	changed("a frame at the end of memory", version, p, p->frame[0] + l.frame_previous,
		~0ULL - 2, WP_PYTROUBLE_ABSENT);
	p = running(version);
	changed("what is no code", version, p, p->code[1] + 8, STR_TYPE, WP_PYTROUBLE_BAD);
	p = running(version);
	changed("code that is being freed", version, p, p->code[1], 0, WP_PYTROUBLE_BAD);
	p = running(version);
	changed("a name that is no text", version, p, p->code[1] + l.code_name, p->code[0],
		WP_PYTROUBLE_BAD);
	p = running(version);
	changed("a name of no memory", version, p, p->code[1] + l.code_name, 0x4000,
		WP_PYTROUBLE_ABSENT);
	p = running(version);
	changed("lines that are no bytes", version, p, p->code[1] + l.code_lines, p->code[0],
		WP_PYTROUBLE_BAD);
	p = running(version);
	changed("another thread", version, p, l.thread_native != WP_PYLAYOUT_NONE ?
		p->state + l.thread_native : p->state + l.thread_id,
		l.thread_native != WP_PYLAYOUT_NONE ? TID + 1 : p->state, WP_PYTROUBLE_THREAD);
	p = running(version);
	changed("a thread of no list", version, p, p->state + l.thread_prev, p->interp + 256,
		WP_PYTROUBLE_THREAD);
	p = running(version);
	changed("a circle of threads", version, p, p->state + l.thread_next, p->state,
		WP_PYTROUBLE_LIMIT);
	p = running(version);
	changed("two states of a thread", version, p, p->interp + l.interp_next, p->interp,
		WP_PYTROUBLE_THREAD);
	p = running(version);
	p->budget.blocks = 3;
	changed("few blocks", version, p, BASE + SIZE - 8, 0, WP_PYTROUBLE_LIMIT);
	p = running(version);
	p->budget.bytes = 300;
	changed("few bytes", version, p, BASE + SIZE - 8, 0, WP_PYTROUBLE_LIMIT);
	p = running(version);
	changed("an instruction before the code", version, p, p->frame[1] + l.frame_at,
		l.code_start == WP_PYLAYOUT_NONE ? 0xfffffff0 : p->code[1], WP_PYTROUBLE_BAD);
	if (l.code_start != WP_PYLAYOUT_NONE) {
		p = running(version);
		changed("an instruction behind it", version, p, p->frame[1] + l.frame_at,
			p->code[1] + l.code_start + 2 * UNITS, WP_PYTROUBLE_BAD);
	}
	if (l.frame_owner != WP_PYLAYOUT_NONE) {
		p = running(version);
		changed_byte("a frame of no kind", version, p, p->frame[0] + l.frame_owner, 9,
			     WP_PYTROUBLE_BAD);
	}
	if (l.frame_entry != WP_PYLAYOUT_NONE) {
		p = running(version);
		changed_byte("a flag that is none", version, p, p->frame[0] + l.frame_entry, 2,
			     WP_PYTROUBLE_BAD);
		p = running(version);
		changed_byte("runs without an end", version, p, p->frame[3] + l.frame_entry, 0,
			     WP_PYTROUBLE_BAD);
		p = running(version);
		changed("a chain of another frame", version, p, p->chain[1] + l.chain,
			p->frame[3], WP_PYTROUBLE_BAD);
	}
}

/* What changes while it is read. */
static void meanwhile(unsigned int version)
{
	struct process *p = running(version);
	struct wp_pylayout l = p->py.layout;
	struct wp_pystack stack;
	unsigned int reads, at, same = 0, bad = 0;
	int err;

	ok(!find(p, &stack), "3.%u: in %u reads", version, p->reads);
	reads = p->reads;
	wp_pystack_free(&stack);
	free(p);
	/* Its innermost frame becomes the caller. */
	for (at = 1; at <= reads; at++) {
		p = running(version);
		p->change_at = at;
		p->change = l.chain != WP_PYLAYOUT_NONE ? p->chain[0] + l.chain :
			p->state + l.thread_top;
		p->value = p->frame[1];
		err = find(p, &stack);
		if (!err)
			bad += stack.nr != 2 && stack.nr != 3;
		else
			same += wp_pystack_trouble(err) == WP_PYTROUBLE_BAD;
		wp_pystack_free(&stack);
		free(p);
	}
	ok(same && !bad, "3.%u: a frame that changes is noticed in %u of %u places", version,
	   same, reads);
}

static void check_text(const char *what, unsigned int kind, bool is_ascii, size_t nr,
		       const void *chars, const char *want)
{
	struct process *p = new_process(11);
	__u64 address = text(p, kind, is_ascii, nr, chars);
	char *found = NULL;
	int err;

	wp_pymemory_forget(&p->m);
	err = wp_pytext_read(&p->m, &p->py.layout, STR_TYPE, address, &found);
	ok(!err && !strcmp(found, want), "%s: %s", what, err ? "not read" : found);
	free(found);
	free(p);
}

static void texts(void)
{
	char big[2000], want[1100];

	memset(big, 'a', sizeof(big));
	memset(want, 'a', 1024);
	strcpy(want + 1024, "...");
	check_text("ASCII", 1, true, 5, "hello", "hello");
	check_text("nothing", 1, true, 0, "", "");
	check_text("Latin-1", 1, false, 2, "\xe4\xff", "\xc3\xa4\xc3\xbf");
	check_text("two bytes", 2, false, 3, (__u16[]){ 0x540d, 'x', 0x7ff },
		   "\xe5\x90\x8dx\xdf\xbf");
	check_text("four bytes", 4, false, 2, (__u32[]){ 0x1f40d, 'x' }, "\xf0\x9f\x90\x8dx");
	check_text("a byte that is no UTF-8", 2, false, 2, (__u16[]){ 0xdcff, 'x' }, "\xffx");
	check_text("half a pair", 2, false, 1, (__u16[]){ 0xd800 }, "\xef\xbf\xbd");
	check_text("no character", 4, false, 2, (__u32[]){ 0x110000, ~0U },
		   "\xef\xbf\xbd\xef\xbf\xbd");
	check_text("a zero", 1, true, 3, "a\0b", "a\xef\xbf\xbd""b");
	check_text("a long one", 1, true, sizeof(big), big, want);
}

static void check_offsets(const char *what, unsigned int word, __u64 value)
{
	struct process *p = new_process(13);
	struct wp_pylayout l;
	int err;

	wp_pylayout_of(13, &l);
	set(p, p->py.runtime + 8 * word, value);
	wp_pymemory_forget(&p->m);
	err = wp_pylayout_check(&p->m, p->py.runtime, &l);
	ok(wp_pystack_trouble(err) == WP_PYTROUBLE_VERSION, "offsets: %s", what);
	free(p);
}

static void versions(void)
{
	struct wp_pylayout l;

	ok(!wp_pylayout_of(0, &l) && !wp_pylayout_of(8, &l) && !wp_pylayout_of(15, &l),
	   "versions that are not known");
	check_offsets("no mark", 0, 0);
	check_offsets("another version", 1, 0x030e00f0);
	check_offsets("free threading", 2, 1);
	check_offsets("one that is too large", 9, 1 << 20);
}

int main(void)
{
	static const unsigned int version[] = {
		11, 12, 13, 14,
#ifdef __x86_64__
		9,
#endif
	};
	size_t i;

	for (i = 0; i < sizeof(version) / sizeof(version[0]); i++) {
		whole(version[i]);
		wrong(version[i]);
		meanwhile(version[i]);
	}
	texts();
	versions();
	return done();
}
