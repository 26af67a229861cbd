// SPDX-License-Identifier: GPL-2.0
/*
 * The stacks of a perf record --call-graph dwarf: as perf script finds them, and
 * as our tables do, from the same registers, copied stacks and mappings.
 *
 *	recorded -f PERF.DATA
 *	recorded [-v] -r ROOT PERF.DATA SCRIPT
 *
 * The first prints the files whose code was mapped. The second finds them below
 * ROOT; SCRIPT is what this left:
 *
 *	perf --symfs ROOT script --no-inline --ns -F tid,time,ip -i PERF.DATA
 *
 * Prints a line for each program: stacks, of context switches, identical; for what
 * reason they differed; how many of our walks came to the end of the stack, and
 * how many to that of its copy; frames of an average one. Lines "# ..." list each
 * way in which they differed, as oracle.c does. The reasons:
 *
 * - no unwind information, libdw gives up, libdw guesses, longjmp: see oracle.c.
 *   Nothing is known of the recording kernel's vdso either, and perf shows
 *   nothing of a stack whose innermost frame is such code.
 *
 * - a handler: libgcc is about to go on at an exception's handler, and has put the
 *   handler's address and registers where its own return address and those of its
 *   caller were. Of what is above, tables say nothing then. Ours has one address more, in
 *   the stack; perf drops those in what is mapped from no file.
 *
 * libdw gives up, too, within the system call that a signal's handler returns to:
 * the address behind the trampoline's syscall is in no function.
 *
 * Exit status: 0 if each that differs has a reason, 1 if not, 2 for a failure.
 */
#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ours.h"
#include "recording.h"

#define MAX_FRAMES	WALLPROF_MAX_STACK
#define MAX_WAYS	64
#define MAX_PROGRAMS	64

enum reason { NO_INFO, GIVES_UP, GUESSES, LONGJMP, HANDLER, NO_REASON, NR_REASONS };

static const char *const reasons[] = {
	"no unwind information", "libdw gives up", "libdw guesses", "longjmp", "a handler",
	"NO REASON",
};

static const char *const short_reasons[] = {
	"info", "gives", "guess", "ljmp", "handl", "none",
};

/* A stack as perf script printed it. */
struct answer {
	pid_t tid;
	u64 time;
	const char *frames;	/* lines, up to an empty one */
	bool used;
};

/* What ran, by the name of what was executed. */
struct program {
	char name[16];
	unsigned int stacks, switched, same, frames, ended, cut;
	unsigned int reason[NR_REASONS];
};

struct process {
	pid_t pid;
	struct program *program;
	struct ours *ours;
	struct process *next;
};

/* A way in which the two differed. */
struct way {
	char text[400];
	unsigned int count;
};

static struct {
	const char *root;
	struct answer *answer;
	size_t nr_answers;
	struct process *processes;
	struct program *program[MAX_PROGRAMS];
	unsigned int nr_programs, no_stack;
	/* What is looked at */
	const struct record *sample;
	const struct ours *ours;
	struct way way[MAX_WAYS];
	unsigned int nr_ways, shown;
	bool verbose;
} r;

static char *read_text(const char *path)
{
	size_t size = 0, room = 1 << 20;
	char *text = malloc(room);
	ssize_t n;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || !text)
		err(2, "%s", path);
	while ((n = read(fd, text + size, room - size - 1)) > 0) {
		size += n;
		if (room - size > 1)
			continue;
		room *= 2;
		text = realloc(text, room);
		if (!text)
			err(2, "%s", path);
	}
	close(fd);
	text[size] = '\0';
	return text;
}

static void read_answers(const char *path)
{
	char *line = read_text(path), *next;
	bool in_stack = false;

	for (; *line; line = next) {
		uint64_t s, ns;
		int tid;

		next = strchr(line, '\n');
		if (!next)
			errx(2, "%s: cut off", path);
		*next++ = '\0';
		if (!*line || in_stack) {
			in_stack = in_stack && *line;
			continue;
		}
		if (sscanf(line, "%d %" SCNu64 ".%" SCNu64 ":", &tid, &s, &ns) != 3)
			errx(2, "%s: not of perf script: %s", path, line);
		if (!(r.nr_answers & (r.nr_answers - 1)))
			r.answer = reallocarray(r.answer, r.nr_answers * 2 + 1, sizeof(*r.answer));
		if (!r.answer)
			err(2, "answers");
		r.answer[r.nr_answers++] = (struct answer){
			.tid = tid, .time = s * 1000000000 + ns, .frames = next,
		};
		in_stack = true;
	}
}

/* perf script's answer for a sample. It sorts them by time. */
static struct answer *answer_of(const struct record *sample)
{
	size_t low = 0, high = r.nr_answers;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (r.answer[middle].time < sample->time)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < r.nr_answers && r.answer[low].time == sample->time; low++) {
		if (r.answer[low].tid == sample->tid && !r.answer[low].used) {
			r.answer[low].used = true;
			return &r.answer[low];
		}
	}
	errx(2, "perf script has no sample of %d at %" PRIu64, sample->tid,
	     (uint64_t)sample->time);
}

/*
 * What perf can read: the copy of the stack, and code.
 */
static bool read_sample(void *ctx, u64 addr, void *to, size_t size)
{
	u64 at = addr - r.sample->regs->rsp;

	(void)ctx;
	if (at > r.sample->size || size > r.sample->size - at)
		return ours_code(r.ours, addr, to, size);
	memcpy(to, (const char *)r.sample->stack + at, size);
	return true;
}

static struct program *program_of(const char *name)
{
	struct program *p;
	unsigned int i;

	for (i = 0; i < r.nr_programs; i++) {
		if (!strcmp(r.program[i]->name, name))
			return r.program[i];
	}
	p = calloc(1, sizeof(*p));
	if (!p || r.nr_programs == MAX_PROGRAMS)
		errx(2, "too many programs");
	snprintf(p->name, sizeof(p->name), "%s", name);
	r.program[r.nr_programs++] = p;
	return p;
}

static struct process *process_of(pid_t pid)
{
	struct process *p;

	for (p = r.processes; p && p->pid != pid; p = p->next)
		;
	if (p)
		return p;
	p = calloc(1, sizeof(*p));
	if (!p)
		err(2, "process");
	*p = (struct process){ pid, program_of("?"), ours_new(read_sample, NULL), r.processes };
	r.processes = p;
	return p;
}

static void map(const struct record *record)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", r.root, record->name);
	/* The vdso is of the kernel that recorded. */
	ours_map(process_of(record->pid)->ours, record->start, record->end, record->offset,
		 record->name, record->name[0] == '/' ? path : NULL);
}

static void forked(const struct record *record)
{
	struct process *child, *parent;

	if (record->pid == record->parent)
		return;
	parent = process_of(record->parent);
	child = process_of(record->pid);
	ours_free(child->ours);
	child->ours = ours_copy(parent->ours, NULL);
	child->program = parent->program;
}

static void executed(const struct record *record)
{
	struct process *p = process_of(record->pid);

	ours_unmap_all(p->ours);
	p->program = program_of(record->name);
}

static void note_way(const char *text)
{
	unsigned int i;

	for (i = 0; i < r.nr_ways && strcmp(r.way[i].text, text); i++)
		;
	if (i == MAX_WAYS)
		return;
	if (i == r.nr_ways)
		snprintf(r.way[r.nr_ways++].text, sizeof(r.way[0].text), "%s", text);
	r.way[i].count++;
}

/* A stack: addresses as the walk has them, and as perf shows them. */
struct stack {
	u64 ips[MAX_FRAMES], pcs[MAX_FRAMES];
	unsigned int nr;
};

static bool is_signal(u64 pc)
{
	const struct wallprof_rule *rule = ours_rule(r.ours, pc);

	return rule && rule->kind == WALLPROF_RULE_SIGNAL;
}

/*
 * The addresses as perf shows them: of a call, not of where it returns to. What a
 * signal interrupted, and where its handler returns to, is not behind a call.
 */
static void as_perf(struct stack *s)
{
	bool below = false, signal;
	unsigned int i;

	for (i = 0; i < s->nr; i++, below = signal) {
		signal = is_signal(s->ips[i]);
		s->pcs[i] = s->ips[i] - (i && !signal && !below);
	}
}

static void read_frames(const char *line, struct stack *s)
{
	uint64_t ip;

	for (s->nr = 0; *line; line += strlen(line) + 1) {
		if (s->nr == MAX_FRAMES || sscanf(line, " %" SCNx64, &ip) != 1)
			errx(2, "not a frame of perf script: %s", line);
		s->pcs[s->nr++] = ip;
	}
}

/* Whether libgcc goes on at a handler, above which ours has a last address that is no code. */
static bool enters_handler(const struct stack *ours, const struct stack *theirs,
			   unsigned int shared)
{
	u64 addr;

	return shared == theirs->nr && shared == ours->nr - 1 && shared >= 2 &&
	       !ours_is_code(r.ours, ours->pcs[shared]) &&
	       !strncmp(ours_name(r.ours, ours->pcs[shared - 2], &addr), "libgcc_s.so", 11);
}

/* Why two stacks differ that share their first @shared frames. */
static enum reason explain(const struct stack *ours, const struct stack *theirs,
			   unsigned int shared)
{
	const struct wallprof_rule *rule;
	unsigned int i;

	/* perf shows nothing at all then. */
	if (!shared)
		return theirs->nr || ours_rule(r.ours, ours->pcs[0]) ? NO_REASON : NO_INFO;
	rule = ours_rule(r.ours, ours->pcs[shared - 1]);
	if (!rule || rule->kind == WALLPROF_RULE_NONE)
		return NO_INFO;
	if (rule->kind == WALLPROF_RULE_UNSUPPORTED &&
	    ours_moves_stack(r.ours, ours->pcs[shared - 1]))
		return LONGJMP;
	if (enters_handler(ours, theirs, shared))
		return HANDLER;
	if (shared == ours->nr)
		return ours_is_code(r.ours, theirs->pcs[shared]) ? NO_REASON : GUESSES;
	for (i = shared; i < ours->nr; i++) {
		rule = ours_rule(r.ours, ours->pcs[i]);
		/* Nothing called what has no caller. */
		if (rule && rule->kind == WALLPROF_RULE_END)
			return i == ours->nr - 1 ? GIVES_UP : NO_REASON;
		/* Nor what a signal interrupted. */
		if (!is_signal(ours->pcs[i - 1]) && !ours_follows_call(r.ours, ours->ips[i]))
			return NO_REASON;
		/* From here on by frame pointer, if at all */
		if (!rule || rule->kind == WALLPROF_RULE_NONE)
			return GIVES_UP;
	}
	return NO_REASON;
}

static void differ(struct program *program, const struct stack *ours,
		   const struct stack *theirs, unsigned int shared, unsigned int stop)
{
	enum reason reason = explain(ours, theirs, shared);
	const char *name = "nothing";
	char text[400];
	u64 addr = 0;

	program->reason[reason]++;
	if (shared)
		name = ours_name(r.ours, ours->pcs[shared - 1], &addr);
	snprintf(text, sizeof(text), "%s: %s: %s above %s+%" PRIx64 "%s; ours ends by %u",
		 program->name, reasons[reason], shared == ours->nr ? "theirs longer" :
		 shared == theirs->nr ? "ours longer" : "different", name, (uint64_t)addr,
		 shared == 1 ? " (innermost)" : "", stop);
	note_way(text);
	if (r.verbose && r.shown++ < 20) {
		printf("# %s\n", text);
		ours_show(r.ours, "ours", ours->pcs, ours->nr);
		ours_show(r.ours, "theirs", theirs->pcs, theirs->nr);
	}
}

static void compare(const struct record *sample)
{
	const struct answer *answer = answer_of(sample);
	struct process *p = process_of(sample->pid);
	struct stack ours, theirs;
	struct wp_cfi_result result;
	unsigned int i;

	/* A thread that ends, or executes a program, has left its memory. */
	if (!sample->regs || !sample->size) {
		r.no_stack++;
		return;
	}
	r.sample = sample;
	r.ours = p->ours;
	ours.nr = ours_unwind(p->ours, sample->regs, ours.ips, MAX_FRAMES, &result);
	as_perf(&ours);
	read_frames(answer->frames, &theirs);
	p->program->stacks++;
	p->program->switched += sample->switched;
	p->program->frames += ours.nr;
	p->program->ended += result.stop == WALLPROF_UNWIND_END;
	p->program->cut += result.stop == WALLPROF_UNWIND_FAULT;
	for (i = 0; i < ours.nr && i < theirs.nr && ours.pcs[i] == theirs.pcs[i]; i++)
		;
	if (i == ours.nr && i == theirs.nr)
		p->program->same++;
	else
		differ(p->program, &ours, &theirs, i, result.stop);
}

static bool report(void)
{
	unsigned int i, j, without = 0;

	for (i = 0; i < r.nr_ways; i++)
		printf("# %u stacks: %s\n", r.way[i].count, r.way[i].text);
	printf("# %u samples of threads without user memory\n", r.no_stack);
	printf("# %-15s %6s %8s %6s |", "program", "stacks", "switches", "same");
	for (j = 0; j < NR_REASONS; j++)
		printf(" %6s", short_reasons[j]);
	printf(" | %6s %6s %6s\n", "ended", "cut", "frames");
	for (i = 0; i < r.nr_programs; i++) {
		const struct program *p = r.program[i];

		if (!p->stacks)
			continue;
		printf("%-17s %6u %8u %6u |", p->name, p->stacks, p->switched, p->same);
		for (j = 0; j < NR_REASONS; j++)
			printf(" %6u", p->reason[j]);
		printf(" | %6u %6u %6.1f\n", p->ended, p->cut, 1.0 * p->frames / p->stacks);
		without += p->reason[NO_REASON];
	}
	return !without;
}

static int list_files(struct recording *recording)
{
	struct record record;

	while (recording_next(recording, &record)) {
		if (record.kind == RECORD_MAP && record.name[0] == '/' && record.name[1] != '/')
			puts(record.name);
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct recording *recording;
	struct record record;
	bool files = false;
	int opt;

	while ((opt = getopt(argc, argv, "fr:v")) >= 0) {
		switch (opt) {
		case 'f':
			files = true;
			break;
		case 'r':
			r.root = optarg;
			break;
		case 'v':
			r.verbose = true;
			break;
		default:
			return 2;
		}
	}
	if (argc - optind != 2 - files || files == !!r.root)
		errx(2, "usage: recorded -f PERF.DATA, or recorded -r ROOT PERF.DATA SCRIPT");
	recording = recording_open(argv[optind]);
	if (files)
		return list_files(recording);
	elf_version(EV_CURRENT);
	read_answers(argv[optind + 1]);
	while (recording_next(recording, &record)) {
		switch (record.kind) {
		case RECORD_MAP:
			map(&record);
			break;
		case RECORD_FORK:
			forked(&record);
			break;
		case RECORD_EXEC:
			executed(&record);
			break;
		case RECORD_SAMPLE:
			compare(&record);
			break;
		}
	}
	return report() ? 0 : 1;
}
