// SPDX-License-Identifier: GPL-2.0
/*
 * Rounds of workers, and what must hold when they are gone: no session, no
 * memory, no reference to the module is left, and the kernel has not complained.
 *
 * usage: fuzz [--seed S] [--calls N] [--seconds S] [--workers N] [--first ROUND]
 *             [--corpus DIR] [--save DIR] [--only FILE [--times N]]
 *   --calls N     end after the round in which that many calls were made
 *   --seconds S   end after the round that is under way then, whatever was made
 *   --first R     begin with round R of the seed, to get to a failure sooner
 *   --corpus DIR  programs that are run first and that others are made from
 *   --save DIR    keep programs that came upon something new
 *   --only FILE   run this program, by one thread, and print each call
 */
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <linux/capability.h>

#include "fuzz.h"
#include "proc.h"

#define PROGRAMS	8	/* of a thread, in a round */
#define KILLED		1500	/* calls after which workers are killed */
#define STUCK		300	/* seconds without a call */
#define PROGRESS	30	/* seconds between two words of how it goes */

struct board *board;
__thread struct thread *self;
const char *save_dir;

static __u64 seed, began;
static unsigned int nr_workers = 3;

static void die(const char *what)
{
	fprintf(stderr, "fuzz: %s: %s\n", what, strerror(errno));
	exit(125);
}

static void on_fault(int sig)
{
	if (self && self->guarded)
		siglongjmp(self->landing, 1);
	wrong(self, "%s", strsignal(sig));
}

static void on_signal(int sig)
{
	(void)sig;
}

static void signals_set(void)
{
	struct sigaction fault = { .sa_handler = on_fault, .sa_flags = SA_NODEFER };
	struct sigaction wake = { .sa_handler = on_signal };	/* no SA_RESTART */

	sigaction(SIGSEGV, &fault, NULL);
	sigaction(SIGBUS, &fault, NULL);
	sigaction(SIGUSR1, &wake, NULL);
}

/*
 * A worker.
 */
static struct thread threads[THREADS];
static pthread_barrier_t all_there;

static void thread_begin(struct thread *t)
{
	self = t;
	t->worker->tids[t->nr] = syscall(SYS_gettid);
	arena_make(&t->arena);
}

static void *thread_main(void *arg)
{
	struct thread *t = arg;
	struct worker *w = t->worker;
	struct program program;
	unsigned int nr;

	thread_begin(t);
	pthread_barrier_wait(&all_there);
	/* The corpus first, each program by two threads. */
	for (nr = w->nr; !w->round && nr < corpus_count(); nr += nr_workers)
		thread_run(t, corpus_at(nr));
	for (nr = 0; nr < PROGRAMS; nr++) {
		program_make(&program, &t->random);
		thread_run(t, &program);
	}
	thread_clean(t);
	return NULL;
}

static void cap_drop(unsigned int cap)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &head, data))
		die("capget");
	data[cap / 32].effective &= ~(1U << cap % 32);
	data[cap / 32].permitted &= ~(1U << cap % 32);
	if (syscall(SYS_capset, &head, data))
		die("capset");
}

static void worker_main(unsigned int nr, unsigned int round)
{
	struct worker w = { .nr = nr, .round = round, .alone = round % 4 == 2 };
	struct rlimit limit = { LOCKED, LOCKED };
	pthread_t ids[THREADS];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signals_set();
	setrlimit(RLIMIT_MEMLOCK, &limit);
	/* It is to hold: for root it would not. */
	cap_drop(CAP_IPC_LOCK);
	restless_make();
	for (unsigned int i = 0; i < VICTIMS; i++)
		victim_spawn(&w, i);
	slow_begin();
	pthread_barrier_init(&all_there, NULL, THREADS);
	for (unsigned int i = 0; i < THREADS; i++) {
		threads[i].worker = &w;
		threads[i].nr = i;
		threads[i].random = random_of(seed, ((__u64)round << 16) + nr * THREADS + i);
		if (pthread_create(&ids[i], NULL, thread_main, &threads[i]))
			die("pthread_create");
	}
	for (unsigned int i = 0; i < THREADS; i++)
		pthread_join(ids[i], NULL);
	victims_kill(&w);
	for (unsigned int fd = 0; fd < FD_MINE; fd++)
		close(fd_of(&threads[0], fd));
	/* Nobody else has a session that this process was charged for. */
	if (w.alone && locked_kb())
		wrong(&threads[0], "all is closed, and %ld KiB are charged", locked_kb());
	_exit(0);
}

/*
 * Rounds.
 */
/* Keep what ran; what failed is said as well. */
static void say_program(unsigned int w, unsigned int t)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "worker %u thread %u,", w, t);
	if (strstr(board->report, path)) {
		board->programs[w][t].nr = board->at[w][t] + 1;
		printf("# its program, up to there:\n");
		program_write(&board->programs[w][t], stdout);
	}
	snprintf(path, sizeof(path), "failed-%u-%u.calls", w, t);
	f = fopen(path, "we");
	if (f) {
		program_write(&board->programs[w][t], f);
		fclose(f);
	}
}

static __u64 calls_all(void)
{
	__u64 sum = 0;

	for (unsigned int w = 0; w < WORKERS; w++)
		for (unsigned int t = 0; t < THREADS; t++)
			sum += __atomic_load_n(&board->calls[w][t], __ATOMIC_RELAXED);
	return sum;
}

static void failed(unsigned int round, const char *what)
{
	printf("# round %u, seed %#llx, after %llu calls: %s\n", round, (ull)seed,
	       (ull)calls_all(), what);
	for (unsigned int w = 0; w < nr_workers; w++)
		for (unsigned int t = 0; t < THREADS; t++)
			if (board->running[w][t])
				say_program(w, t);
	printf("# again: the same with --seed %#llx --first %u\n", (ull)seed, round);
	fflush(stdout);
	exit(1);
}

static long tainted(void)
{
	/* 12: from outside the tree, 13: not signed */
	return number_in("/proc/sys/kernel/tainted") & ~(1L << 12 | 1L << 13);
}

/* A thread's file of /proc, each line behind the words before it. */
static void say_file(int pid, int tid, const char *name)
{
	char path[64], line[512];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", pid, tid, name);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		printf("#   %s: %s", name, line);
	if (f)
		fclose(f);
}

/*
 * All threads of this program, and where in the kernel they are. Into the kernel's
 * messages, all of whatever program that wait without end. To ask can take as long.
 */
static void say_who_waits(void)
{
	static const char *const files[] = { "stat", "syscall", "stack" };
	char path[64], comm[32];
	int pid, tid, fd = open("/proc/sysrq-trigger", O_WRONLY | O_CLOEXEC);
	glob_t threads;

	if (fd < 0 || write(fd, "w", 1) != 1)
		printf("# the kernel reports no thread\n");
	close(fd);
	if (glob("/proc/[0-9]*/task/[0-9]*", 0, NULL, &threads))
		return;
	for (size_t i = 0; i < threads.gl_pathc; i++) {
		FILE *f;

		if (sscanf(threads.gl_pathv[i], "/proc/%d/task/%d", &pid, &tid) != 2 ||
		    pid == getpid())
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", pid, tid);
		f = fopen(path, "re");
		if (!f)
			continue;
		if (!fgets(comm, sizeof(comm), f) || strcmp(comm, "fuzz\n"))
			*comm = 0;
		fclose(f);
		for (size_t j = 0; *comm && j < ARRAY_SIZE(files); j++)
			say_file(pid, tid, files[j]);
		fflush(stdout);
	}
	globfree(&threads);
}

/* What each thread of a worker's had begun last. */
static void say_calls(void)
{
	for (unsigned int w = 0; w < nr_workers; w++)
		for (unsigned int t = 0; t < THREADS; t++)
			if (board->running[w][t])
				printf("# worker %u thread %u: call %u of its program\n", w, t,
				       board->at[w][t] + 1);
}

/* A worker, or one of those that a worker left to us, ended. */
static void ended(pid_t pid, int status, const pid_t *pids, unsigned int killed)
{
	for (unsigned int w = 0; w < nr_workers; w++) {
		/* A thread that it had stopped before the end would not end otherwise. */
		if (pids[w] == pid)
			kill(-pid, SIGKILL);
		if (pids[w] != pid || (WIFEXITED(status) && !WEXITSTATUS(status)) ||
		    (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && w < killed))
			continue;
		if (!report_claim())
			continue;
		snprintf(board->report, sizeof(board->report),
			 "worker %u ended with status %#x", w, status);
		report_done();
	}
}

/*
 * Waits for all that came from us. Two workers are killed when @kill_at calls
 * were made, if that is not 0.
 */
static void workers_wait(const pid_t *pids, __u64 kill_at)
{
	__u64 last = 0, since = now_ns(), printed = since, calls;
	unsigned int killed = 0;
	int status;
	pid_t pid;

	while (!board->failed) {
		pid = waitpid(-1, &status, WNOHANG);
		if (pid < 0)
			return;
		if (pid) {
			since = now_ns();
			ended(pid, status, pids, killed);
			continue;
		}
		calls = calls_all();
		if (calls != last) {
			last = calls;
			since = now_ns();
		}
		if (now_ns() - printed > PROGRESS * 1000000000ULL) {
			printed = now_ns();
			printf("# %llu calls in %llu s\n", (ull)calls,
			       (printed - began) / 1000000000ULL);
			fflush(stdout);
		}
		if (kill_at && calls >= kill_at && killed < 2 && killed < nr_workers)
			kill(pids[killed++], SIGKILL);
		if (now_ns() - since > STUCK * 1000000000ULL) {
			if (report_claim())
				strcpy(board->report, "nothing goes on any more");
			printf("# nothing goes on any more\n");
			say_calls();
			say_who_waits();
			report_done();
		}
		usleep(50000);
	}
	for (unsigned int w = 0; w < nr_workers; w++)
		kill(-pids[w], SIGKILL);
}

static void round_run(unsigned int round)
{
	bool alone = round % 4 == 2;
	pid_t pids[WORKERS];
	struct thread t = { 0 };
	__u64 before = calls_all();
	const char *left;

	memset(board->running, 0, sizeof(board->running));
	for (unsigned int fd = FD_GROUP; fd < FD_COMMON && !alone; fd++) {
		int new = open(WALLPROF_DEVICE, O_RDWR);

		if (new < 0 || dup2(new, fd_of(&t, fd)) < 0)
			die(WALLPROF_DEVICE);
		close(new);
	}
	fflush(stdout);
	for (unsigned int w = 0; w < nr_workers; w++) {
		pids[w] = fork();
		if (pids[w] < 0)
			die("fork");
		/* A group of its own, with all that it forks. Who is first does it. */
		setpgid(pids[w], pids[w]);
		if (!pids[w])
			worker_main(w, round);
	}
	workers_wait(pids, round % 4 == 1 ? before + KILLED : 0);
	for (unsigned int fd = FD_GROUP; fd < FD_COMMON; fd++)
		close(fd_of(&t, fd));
	/* One that was killed may have been about to say something. */
	if (board->claimed)
		failed(round, board->report);
	if (tainted())
		failed(round, "the kernel complained");
	left = what_is_left();
	if (left)
		failed(round, left);
}

/* As many sessions as there may be can still be opened. */
static void all_can_open(unsigned int round)
{
	int fds[WALLPROF_MAX_SESSIONS], nr = 0;

	while (nr < WALLPROF_MAX_SESSIONS) {
		fds[nr] = open(WALLPROF_DEVICE, O_RDWR);
		if (fds[nr] < 0)
			failed(round, "not as many sessions can be opened as at first");
		nr++;
	}
	if (open(WALLPROF_DEVICE, O_RDWR) >= 0 || errno != EUSERS)
		failed(round, "more sessions can be opened than may be");
	while (nr)
		close(fds[--nr]);
}

/* A fuzzer that gets nowhere finds nothing. */
static void somewhere(unsigned int round)
{
	static char what[64];

	for (unsigned int i = 0; i < nr_ops; i++) {
		/* What must never succeed. */
		if (!strcmp(ops[i].name, "poke") || board->succeeded[i] >= 3)
			continue;
		snprintf(what, sizeof(what), "%s hardly ever succeeds", ops[i].name);
		failed(round, what);
	}
}

static void report(void)
{
	printf("# %llu calls in %llu s, %u programs that came upon something new\n",
	       (ull)calls_all(), (now_ns() - began) / 1000000000ULL, board->news);
	for (unsigned int i = 0; i < nr_ops; i++)
		printf("# %-10s %8llu succeeded %8llu refused %8llu ms\n", ops[i].name,
		       (ull)board->succeeded[i], (ull)board->refused[i],
		       (ull)board->ns[i] / 1000000);
}

/* One program, by one thread. */
static void only_main(const struct program *p, unsigned int times)
{
	static struct worker w;
	struct thread *t = &threads[0];

	signals_set();
	restless_make();
	for (unsigned int i = 0; i < VICTIMS; i++)
		victim_spawn(&w, i);
	slow_begin();
	t->worker = &w;
	thread_begin(t);
	while (times--)
		thread_run(t, p);
	thread_clean(t);
	victims_kill(&w);
	report();
}

static int only(const char *path, unsigned int times)
{
	struct program p;
	FILE *f = fopen(path, "re");
	int status;
	pid_t pid;

	if (!f || program_read(&p, f))
		die(path);
	fclose(f);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		only_main(&p, times);
		exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		die("fork");
	if (status)
		printf("# status %#x: %s\n", status, board->report);
	return !!status;
}

int main(int argc, char **argv)
{
	const char *corpus = NULL, *file = NULL;
	unsigned int round = 0, times = 1;
	__u64 calls = 100000, seconds = ~0ULL;
	struct wallprof_info info = { .size = sizeof(info) };
	int fd, null = open("/dev/null", O_RDONLY);

	if (argc == 2 && !strcmp(argv[1], "--nothing"))
		return 0;
	if (argc == 3 && !strcmp(argv[1], "--victim"))
		victim_again(atoi(argv[2]));
	began = now_ns();
	seed = began ^ (__u64)getpid() << 32;
	for (int i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--seed"))
			seed = strtoull(argv[i + 1], NULL, 0);
		else if (!strcmp(argv[i], "--calls"))
			calls = strtoull(argv[i + 1], NULL, 0);
		else if (!strcmp(argv[i], "--seconds"))
			seconds = strtoull(argv[i + 1], NULL, 0);
		else if (!strcmp(argv[i], "--workers"))
			nr_workers = atoi(argv[i + 1]);
		else if (!strcmp(argv[i], "--first"))
			round = atoi(argv[i + 1]);
		else if (!strcmp(argv[i], "--corpus"))
			corpus = argv[i + 1];
		else if (!strcmp(argv[i], "--save"))
			save_dir = argv[i + 1];
		else if (!strcmp(argv[i], "--only"))
			file = argv[i + 1];
		else if (!strcmp(argv[i], "--times"))
			times = atoi(argv[i + 1]);
		else
			return fprintf(stderr, "fuzz: what is %s?\n", argv[i]), 125;
	}
	if (!nr_workers || nr_workers > WORKERS)
		return fprintf(stderr, "fuzz: 1 to %u workers\n", WORKERS), 125;
	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	fd = open(WALLPROF_DEVICE, O_RDWR);
	if (fd < 0 || ioctl(fd, WALLPROF_IOC_INFO, &info) || null < 0 || board == MAP_FAILED)
		die(WALLPROF_DEVICE);
	close(fd);
	nr_cpus = info.nr_cpus;
	/* What loses its parent comes to us, so that we see it end. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	printf("# seed %#llx\n", (ull)seed);
	if (corpus)
		printf("# %u programs in the corpus\n", corpus_read(corpus));
	if (file)
		return only(file, times);
	do {
		round_run(round++);
		printf("# round %u: %llu calls\n", round - 1, (ull)calls_all());
		fflush(stdout);
	} while (calls_all() < calls && (now_ns() - began) / 1000000000ULL < seconds);
	all_can_open(round);
	report();
	if (calls_all() >= 500000)
		somewhere(round);
	return 0;
}
