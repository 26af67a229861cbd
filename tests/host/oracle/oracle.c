// SPDX-License-Identifier: GPL-2.0
/*
 * Runs a program, stops its threads at random, there and at the instructions
 * that follow, and unwinds each time with our tables and with libdw.
 *
 *	oracle [-n STOPS] [-s STEPS] [-r SEED] [-w MS] [-i FILE] [-l NAME] [-v] COMMAND...
 *	oracle -h
 *
 * The program is run again until it was stopped so often. Prints one line (-h:
 * the one above it): stacks, identical, ours longer, theirs longer, different;
 * for what reason they differed; how our walks went. Lines "# ..." list each way
 * in which they differed, with the code of the last frame that they share.
 *
 * These are the reasons:
 *
 * - no unwind information: the last shared frame is code of which neither knows
 *   anything, and both guess by the frame pointer, each in its own way;
 * - trampoline: the last shared frame is a trampoline of signals, which the
 *   file does not describe: ours knows it by its code;
 * - libdw gives up: ours goes on, each address follows a call, and ends where
 *   code has no caller, or where no unwind information is;
 * - libdw guesses: theirs goes on with an address that is no code;
 * - longjmp: the last instructions of such a function, whose caller is where its
 *   registers say, on another stack; tables cannot express that.
 *
 * Exit status: 0 if each that differs has a reason, 1 if not, 2 for a failure.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libelf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ours.h"
#include "process.h"
#include "theirs.h"

#define MAX_FRAMES	WALLPROF_MAX_STACK
#define MAX_THREADS	512
#define MAX_WAYS	64

enum verdict { SAME, OURS_LONGER, THEIRS_LONGER, DIFFERENT, NR_VERDICTS };

enum reason { NO_INFO, SIGNAL, GIVES_UP, GUESSES, LONGJMP, NO_REASON, NR_REASONS };

static const char *const reasons[] = {
	"no unwind information", "trampoline", "libdw gives up", "libdw guesses", "longjmp",
	"NO REASON",
};

static const char *const verdicts[] = { "same", "ours longer", "theirs longer", "different" };

/* A way in which the two differed. */
struct way {
	char text[400];
	unsigned int count;
};

static struct {
	pid_t pid;
	pid_t thread[MAX_THREADS];
	unsigned int nr_threads;
	struct process *process;
	struct ours *ours;
	struct theirs *theirs;
	const char *input;
	unsigned int verdict[NR_VERDICTS], reason[NR_REASONS];
	unsigned int stops[WALLPROF_UNWIND_MAX];
	struct way way[MAX_WAYS];
	unsigned int nr_ways, shown;
	bool verbose, gone;
} o;

static u64 random_state = 1;

static u64 random_below(u64 n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % n;
}

static void sleep_us(unsigned int us)
{
	struct timespec t = { us / 1000000, us % 1000000 * 1000L };

	nanosleep(&t, NULL);
}

static void forget_thread(pid_t tid)
{
	unsigned int i;

	for (i = 0; i < o.nr_threads; i++) {
		if (o.thread[i] == tid)
			o.thread[i] = o.thread[--o.nr_threads];
	}
	if (tid == o.pid)
		o.gone = true;
}

static void know_thread(pid_t tid)
{
	unsigned int i;

	for (i = 0; i < o.nr_threads; i++) {
		if (o.thread[i] == tid)
			return;
	}
	if (o.nr_threads < MAX_THREADS)
		o.thread[o.nr_threads++] = tid;
}

/* The signal to hand on when the thread goes on; 0: none. */
static int signal_of(int status)
{
	if (status >> 16 || WSTOPSIG(status) == SIGTRAP)
		return 0;
	return WSTOPSIG(status);
}

/* Take in what happened to other threads, and let them go on. */
static void let_go(pid_t tid, int status)
{
	if (!WIFSTOPPED(status)) {
		forget_thread(tid);
		return;
	}
	know_thread(tid);
	ptrace(PTRACE_CONT, tid, 0, signal_of(status));
}

static void drain(void)
{
	int status;
	pid_t tid;

	while ((tid = waitpid(-1, &status, __WALL | WNOHANG)) > 0)
		let_go(tid, status);
	if (tid < 0 && errno == ECHILD)
		o.gone = true;
}

/* While one thread is waited for; it may need another to go on first. */
static void let_others_go(pid_t tid)
{
	siginfo_t info = {};
	int status;

	if (waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT | __WALL) ||
	    !info.si_pid || info.si_pid == tid)
		return;
	if (waitpid(info.si_pid, &status, __WALL | WNOHANG) == info.si_pid)
		let_go(info.si_pid, status);
}

/*
 * Wait until a thread stops. Returns its status, -1 if it is gone. One that
 * blocks in a syscall while it is stepped is interrupted.
 */
static int wait_stop(pid_t tid)
{
	unsigned int tries;
	int status;
	pid_t got;

	for (tries = 0; tries < 4000; tries++) {
		got = waitpid(tid, &status, __WALL | WNOHANG);
		if (got < 0)
			return -1;
		if (got == tid) {
			if (WIFSTOPPED(status))
				return status;
			forget_thread(tid);
			return -1;
		}
		if (tries > 200 && tries % 200 == 0)
			ptrace(PTRACE_INTERRUPT, tid, 0, 0);
		let_others_go(tid);
		if (tries > 20)
			sleep_us(200);
	}
	return -1;
}

static void note_way(const char *text)
{
	unsigned int i;

	for (i = 0; i < o.nr_ways && strcmp(o.way[i].text, text); i++)
		;
	if (i == MAX_WAYS)
		return;
	if (i == o.nr_ways)
		snprintf(o.way[o.nr_ways++].text, sizeof(o.way[0].text), "%s", text);
	o.way[i].count++;
}

static const char *const kinds[] = {
	"no row", "end", "unsupported", "cfa", "deref", "plt", "signal",
};

static const char *kind_at(u64 pc)
{
	const struct wallprof_rule *rule = ours_rule(o.ours, pc);

	return rule ? kinds[rule->kind] : "no table";
}

/* Why two stacks differ that share their first @shared frames. */
static enum reason explain(enum verdict verdict, unsigned int shared, const u64 *ours,
			   unsigned int nr, const u64 *theirs)
{
	const struct wallprof_rule *rule = ours_rule(o.ours, ours[shared - 1] - (shared > 1));
	unsigned int i;

	if (!rule || rule->kind == WALLPROF_RULE_NONE)
		return NO_INFO;
	if (rule->kind == WALLPROF_RULE_SIGNAL)
		return SIGNAL;
	if (rule->kind == WALLPROF_RULE_UNSUPPORTED &&
	    ours_moves_stack(o.ours, ours[shared - 1] - (shared > 1)))
		return LONGJMP;
	if (verdict == THEIRS_LONGER)
		return ours_is_code(o.ours, theirs[shared]) ? NO_REASON : GUESSES;
	for (i = shared; i < nr; i++) {
		rule = ours_rule(o.ours, ours[i] - 1);
		/* Nothing called what has no caller. */
		if (rule && rule->kind == WALLPROF_RULE_END)
			return i == nr - 1 ? GIVES_UP : NO_REASON;
		if (!ours_follows_call(o.ours, ours[i]))
			return NO_REASON;
		/* From here on by frame pointer, if at all */
		if (!rule || rule->kind == WALLPROF_RULE_NONE)
			return GIVES_UP;
	}
	return NO_REASON;
}

/* Whether a thread is still stopped. Another one may have ended the process. */
static bool still_stopped(pid_t tid)
{
	struct user_regs_struct regs;

	return !ptrace(PTRACE_GETREGS, tid, 0, &regs);
}

static void compare(pid_t tid)
{
	u64 a[MAX_FRAMES], b[MAX_FRAMES], addr;
	unsigned int nr_a, nr_b, i;
	struct user_regs_struct regs;
	struct wp_cfi_result result;
	enum mappings mappings;
	enum verdict verdict;
	enum reason reason;
	const char *why, *name;
	char text[400];

	if (ptrace(PTRACE_GETREGS, tid, 0, &regs))
		return;
	mappings = process_refresh(o.process);
	if (mappings == MAPPINGS_GONE)
		return;
	if (mappings == MAPPINGS_CHANGED || !o.theirs) {
		theirs_free(o.theirs);
		o.theirs = theirs_new(o.pid, &why);
	}
	if (!o.theirs && still_stopped(tid))
		errx(2, "libdwfl: %s", why);
	if (!o.theirs)
		return;
	nr_a = ours_unwind(o.ours, &regs, a, MAX_FRAMES, &result);
	nr_b = theirs_unwind(o.theirs, tid, b, MAX_FRAMES, &why);
	if (!still_stopped(tid))
		return;
	for (i = 0; i < nr_a && i < nr_b && a[i] == b[i]; i++)
		;
	verdict = i < nr_a && i < nr_b ? DIFFERENT : i < nr_a ? OURS_LONGER :
		  i < nr_b ? THEIRS_LONGER : SAME;
	o.verdict[verdict]++;
	o.stops[result.stop]++;
	if (o.verbose && result.stop != WALLPROF_UNWIND_END && o.shown++ < 20) {
		printf("# ends by %u\n", result.stop);
		ours_show(o.ours, "ours", a, nr_a);
	}
	if (verdict == SAME || !i)
		return;
	name = ours_name(o.ours, a[i - 1], &addr);
	reason = explain(verdict, i, a, nr_a, b);
	o.reason[reason]++;
	snprintf(text, sizeof(text), "%s: %s above %s+%" PRIx64 " (%s%s); ours ends by %u, theirs: %s",
		 reasons[reason], verdicts[verdict], name, (uint64_t)addr, kind_at(a[i - 1] - (i > 1)),
		 i == 1 ? ", innermost" : "", result.stop, why);
	note_way(text);
	if (o.verbose && o.shown++ < 20) {
		printf("# %s\n", text);
		ours_show(o.ours, "ours", a, nr_a);
		ours_show(o.ours, "theirs", b, nr_b);
	}
}

/* Stop a thread, and again at each of the instructions that follow. */
static void sample(unsigned int steps)
{
	pid_t tid = o.thread[random_below(o.nr_threads)];
	int status, signal = 0;
	unsigned int i;

	if (ptrace(PTRACE_INTERRUPT, tid, 0, 0)) {
		drain();
		return;
	}
	status = wait_stop(tid);
	if (status < 0)
		return;
	compare(tid);
	for (i = 0; i < steps; i++) {
		signal = signal_of(status);
		if (ptrace(PTRACE_SINGLESTEP, tid, 0, signal))
			break;
		status = wait_stop(tid);
		if (status < 0)
			return;
		compare(tid);
	}
	ptrace(PTRACE_CONT, tid, 0, signal_of(status));
}

static void start(char **argv)
{
	int go[2], status, null, input;
	char c = 0;

	if (pipe2(go, O_CLOEXEC))
		err(2, "pipe2");
	o.pid = fork();
	if (o.pid < 0)
		err(2, "fork");
	if (!o.pid) {
		null = open("/dev/null", O_RDWR | O_CLOEXEC);
		input = o.input ? open(o.input, O_RDONLY | O_CLOEXEC) : null;
		if (null < 0 || read(go[0], &c, 1) != 1 || dup2(input, 0) < 0 ||
		    dup2(null, 1) < 0 || (!o.verbose && dup2(null, 2) < 0))
			_exit(126);
		execvp(argv[0], argv);
		_exit(127);
	}
	if (ptrace(PTRACE_SEIZE, o.pid, 0,
		   PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL))
		err(2, "ptrace");
	if (write(go[1], &c, 1) != 1)
		err(2, "write");
	close(go[0]);
	close(go[1]);
	if (waitpid(o.pid, &status, __WALL) != o.pid || !WIFSTOPPED(status) ||
	    status >> 8 != (SIGTRAP | PTRACE_EVENT_EXEC << 8))
		errx(2, "%s: cannot be run", argv[0]);
	know_thread(o.pid);
}

static void report(const char *label)
{
	const struct ours_counts *c = ours_counts();
	unsigned int total = 0, i;

	for (i = 0; i < NR_VERDICTS; i++)
		total += o.verdict[i];
	for (i = 0; i < o.nr_ways; i++)
		printf("# %s: %u stacks: %s\n", label, o.way[i].count, o.way[i].text);
	printf("# %s: frames by rule:", label);
	for (i = 0; i < WALLPROF_RULE_MAX; i++)
		printf(" %s %.2f %%,", kinds[i], 100.0 * c->kinds[i] / c->frames);
	printf(" no table %.2f %%\n", 100.0 * c->no_table / c->frames);
	printf("%-13s %6u %6u %5u %6u %5u  %7.3f | %5u %5u %5u %5u %5u %5u | %6.2f %6.2f %6.1f %6.2f %6.2f %6.3f %6.2f\n",
	       label, total, o.verdict[SAME], o.verdict[OURS_LONGER], o.verdict[THEIRS_LONGER],
	       o.verdict[DIFFERENT], 100.0 * o.verdict[SAME] / total,
	       o.reason[NO_INFO], o.reason[SIGNAL], o.reason[GIVES_UP], o.reason[GUESSES],
	       o.reason[LONGJMP], o.reason[NO_REASON],
	       100.0 * o.stops[WALLPROF_UNWIND_END] / total,
	       100.0 * o.stops[WALLPROF_UNWIND_DEPTH] / total, 1.0 * c->frames / c->walks,
	       1.0 * c->reads / c->frames, 100.0 * c->by_fp / c->frames,
	       100.0 * c->slow / c->walks, 100.0 * c->kinds[WALLPROF_RULE_DEREF] / c->frames);
}

/* One run of the program, of up to @stops stops. Returns how many there were. */
static unsigned int run(char **argv, unsigned int stops, unsigned int steps,
			unsigned int wait_ms)
{
	unsigned int i;
	int status;

	start(argv);
	o.process = process_new(o.pid);
	o.ours = process_ours(o.process);
	/* The first stop is where the program begins. */
	compare(o.pid);
	ptrace(PTRACE_CONT, o.pid, 0, 0);
	for (i = 1; i < stops && !o.gone; i++) {
		sleep_us(random_below(wait_ms * 1000 + 1));
		drain();
		if (!o.gone)
			sample(steps);
	}
	kill(o.pid, SIGKILL);
	while (waitpid(-1, &status, __WALL) > 0)
		;
	process_free(o.process);
	theirs_free(o.theirs);
	o.theirs = NULL;
	o.nr_threads = 0;
	o.gone = false;
	return i;
}

int main(int argc, char **argv)
{
	unsigned int stops = 40, steps = 40, wait_ms = 3;
	const char *label = NULL;
	int opt;

	while ((opt = getopt(argc, argv, "+n:s:r:w:i:l:vh")) >= 0) {
		switch (opt) {
		case 'n':
			stops = atoi(optarg);
			break;
		case 's':
			steps = atoi(optarg);
			break;
		case 'r':
			random_state = strtoull(optarg, NULL, 0) * 2 + 1;
			break;
		case 'w':
			wait_ms = atoi(optarg);
			break;
		case 'i':
			o.input = optarg;
			break;
		case 'l':
			label = optarg;
			break;
		case 'v':
			o.verbose = true;
			break;
		case 'h':
			printf("%-13s %6s %6s %5s %6s %5s  %7s | %5s %5s %5s %5s %5s %5s | %6s %6s %6s %6s %6s %6s %6s\n",
			       "program", "stacks", "same", "ours+", "theirs", "diff", "same %",
			       "info", "signl", "gives", "guess", "ljmp", "none", "end %", "deep %", "frames",
			       "reads", "by fp", "slow %", "deref");
			return 0;
		default:
			return 2;
		}
	}
	if (optind == argc)
		errx(2, "no command");
	elf_version(EV_CURRENT);
	while (stops) {
		unsigned int done = run(argv + optind, stops, steps, wait_ms);

		stops -= done < stops ? done : stops;
	}
	report(label ? label : basename(argv[optind]));
	return o.reason[NO_REASON] ? 1 : 0;
}
