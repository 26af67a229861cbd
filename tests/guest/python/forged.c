// SPDX-License-Identifier: GPL-2.0
/*
 * A program that looks like CPython 3.11 to a reader of its memory, and forges what it
 * executes. Its threads wait below a function with the name of the interpreter's; the
 * name of each thread says what is wrong with its frames.
 *
 * Built with another VERSION, it says that it is that.
 *
 * usage: fakepython3.11 FILE [HOLDER]	which is written once they wait
 *
 * With HOLDER one more thread, waiter, waits for the GIL, which that thread holds, by its
 * memory; nowhere is no memory, and free is nobody.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef VERSION
#define VERSION	0x030b02f0
#endif

#define WORDS	128
#define THREADS	9

/* Offsets in words, as of 3.11. */
enum {
	RUNTIME_HEAD = 5,
	INTERP_THREADS = 2,
	THREAD_PREV = 0,
	THREAD_NEXT = 1,
	THREAD_INTERP = 2,
	THREAD_CHAIN = 7,
	THREAD_NATIVE = 20,
	CHAIN_FRAME = 1,
	CHAIN_PREVIOUS = 2,
	FRAME_CODE = 4,
	FRAME_PREVIOUS = 6,
	FRAME_AT = 7,
	FRAME_ENTRY = 68,
	CODE_FILE = 14,
	CODE_NAME = 16,
	CODE_LINES = 17,
	CODE_START = 23,
	GIL = 45,
	GIL_HOLDER = 46,
	GIL_LOCKED = 47,
	GIL_COND = 49,
	GIL_MUTEX = 55,
};

/* Variables that the reader looks for. */
uint64_t _PyRuntime[WORDS], PyCode_Type[WORDS], PyUnicode_Type[WORDS], PyBytes_Type[WORDS];
const uint64_t Py_Version = VERSION;

struct text {
	uint64_t references, type, length, hash, state, pointer;
	char data[64];
};

struct thread {
	const char *name;
	uint64_t state[WORDS], chain[4], next[4], last[4], frame[16], second[16], code[WORDS];
	struct text function, file;
	uint64_t lines[8];
};

static uint64_t interp[WORDS];
static struct thread threads[THREADS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned int waiting;

static void set_text(struct text *t, const char *text)
{
	/* One byte for each character, compact, ASCII. */
	*t = (struct text){
		.references = 1, .type = (uintptr_t)PyUnicode_Type, .length = strlen(text),
		.state = 1 << 2 | 3 << 5,
	};
	snprintf(t->data, sizeof(t->data), "%s", text);
}

static void set_frame(struct thread *t, uint64_t *frame, const uint64_t *previous)
{
	frame[FRAME_CODE] = (uintptr_t)t->code;
	frame[FRAME_PREVIOUS] = (uintptr_t)previous;
	frame[FRAME_AT] = (uintptr_t)&t->code[CODE_START];
}

static void set_entry(uint64_t *frame, unsigned char entry)
{
	memcpy((char *)frame + FRAME_ENTRY, &entry, 1);
}

/* What an interpreter would have, of one function. */
static void forge(struct thread *t)
{
	set_text(&t->function, t->name);
	set_text(&t->file, "/forged.py");
	t->lines[1] = (uintptr_t)PyBytes_Type;
	t->lines[2] = 2;
	/* A line of 8 instructions, without columns: one behind the first one. */
	memcpy(&t->lines[4], "\xef\x02", 2);
	t->code[0] = 1;
	t->code[1] = (uintptr_t)PyCode_Type;
	t->code[2] = 8;
	t->code[9] = 41;
	t->code[CODE_FILE] = (uintptr_t)&t->file;
	t->code[CODE_NAME] = (uintptr_t)&t->function;
	t->code[CODE_LINES] = (uintptr_t)t->lines;
	set_frame(t, t->frame, NULL);
	set_entry(t->frame, 1);
	t->chain[CHAIN_FRAME] = (uintptr_t)t->frame;
	t->chain[CHAIN_PREVIOUS] = (uintptr_t)t->last;
	t->state[THREAD_CHAIN] = (uintptr_t)t->chain;
	t->state[THREAD_INTERP] = (uintptr_t)interp;
	t->state[THREAD_NATIVE] = syscall(SYS_gettid);
}

/* What is wrong. */
static void spoil(struct thread *t)
{
	if (!strcmp(t->name, "circle"))
		set_frame(t, t->frame, t->frame), set_entry(t->frame, 0);
	else if (!strcmp(t->name, "nowhere"))
		t->code[CODE_NAME] = 0xdead0000;
	else if (!strcmp(t->name, "far"))
		t->code[CODE_NAME] = ~0ULL - 3;
	else if (!strcmp(t->name, "type"))
		t->function.type = (uintptr_t)PyBytes_Type;
	else if (!strcmp(t->name, "long"))
		t->function.length = ~0ULL >> 4;
	else if (!strcmp(t->name, "more"))
		set_frame(t, t->frame, t->second), set_frame(t, t->second, NULL),
			set_entry(t->second, 1), t->chain[CHAIN_PREVIOUS] = (uintptr_t)t->next,
			t->next[CHAIN_FRAME] = (uintptr_t)t->second,
			t->next[CHAIN_PREVIOUS] = (uintptr_t)t->last;
	else if (!strcmp(t->name, "number"))
		t->state[THREAD_NATIVE] = 1;
	else if (!strcmp(t->name, "runs"))
		set_frame(t, t->frame, t->second), set_frame(t, t->second, NULL),
			set_entry(t->second, 1), t->chain[CHAIN_PREVIOUS] = (uintptr_t)t->chain,
			t->last[CHAIN_FRAME] = 0;
	else
		set_text(&t->function, "red \033[31m\nname");
}

/* What the interpreter's function is named. */
void __attribute__((noinline)) _PyEval_EvalFrameDefault(struct thread *t)
{
	pthread_mutex_lock(&lock);
	waiting++;
	pthread_mutex_unlock(&lock);
	pause();
	t->last[3]++;
}

static void *run(void *arg)
{
	struct thread *t = arg;

	prctl(PR_SET_NAME, t->name);
	forge(t);
	spoil(t);
	_PyEval_EvalFrameDefault(t);
	return NULL;
}

/* Waits in the GIL's condition. */
static void *wait_for_gil(void *arg)
{
	pthread_cond_t *cond = (pthread_cond_t *)&_PyRuntime[GIL_COND];
	pthread_mutex_t *mutex = (pthread_mutex_t *)&_PyRuntime[GIL_MUTEX];

	prctl(PR_SET_NAME, "waiter");
	pthread_mutex_lock(mutex);
	while (1)
		pthread_cond_wait(cond, mutex);
	return arg;
}

static int forge_gil(const char *holder)
{
	pthread_t thread;
	unsigned int i;

	_PyRuntime[GIL_LOCKED] = strcmp(holder, "free") != 0;
	_PyRuntime[GIL_HOLDER] = (uintptr_t)threads[0].state;
	for (i = 0; i < THREADS; i++) {
		if (!strcmp(threads[i].name, holder))
			_PyRuntime[GIL_HOLDER] = (uintptr_t)threads[i].state;
	}
	if (!strcmp(holder, "nowhere"))
		_PyRuntime[GIL_HOLDER] = 0xdead0000;
	return pthread_create(&thread, NULL, wait_for_gil, NULL);
}

int main(int argc, char **argv)
{
	static const char *const names[] = {
		"circle", "nowhere", "far", "type", "long", "number", "runs", "red", "more",
	};
	unsigned int i, nr = 0;
	pthread_t thread;
	FILE *out;

	_PyRuntime[RUNTIME_HEAD] = (uintptr_t)interp;
	interp[INTERP_THREADS] = (uintptr_t)threads[0].state;
	for (i = 0; i < THREADS; i++) {
		threads[i].name = names[i];
		threads[i].state[THREAD_PREV] = i ? (uintptr_t)threads[i - 1].state : 0;
		threads[i].state[THREAD_NEXT] = i < THREADS - 1 ? (uintptr_t)threads[i + 1].state : 0;
		if (pthread_create(&thread, NULL, run, &threads[i]))
			return 1;
	}
	if (argc > 2 && forge_gil(argv[2]))
		return 1;
	while (nr < THREADS) {
		usleep(1000);
		pthread_mutex_lock(&lock);
		nr = waiting;
		pthread_mutex_unlock(&lock);
	}
	usleep(500000);
	out = argc > 1 ? fopen(argv[1], "w") : NULL;
	if (!out || fprintf(out, "%d\n", getpid()) < 0 || fclose(out))
		return 1;
	pause();
	return 0;
}
