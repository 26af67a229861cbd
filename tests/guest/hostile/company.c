// SPDX-License-Identifier: GPL-2.0
/* Company: children, targets that come and go, signals, limits. */
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "calls.h"

static void child_commands(int fd)
{
	struct wallprof_configure c = {
		.size = sizeof(c), .flags = WALLPROF_OFFCPU, .max_stack = 8,
		.nr_aggrs = 16, .stack_words = 256, .nr_exits = 16, .nr_tasks = 64,
	};
	struct wallprof_start start = { .size = sizeof(start) };
	struct wallprof_flip flip = { .size = sizeof(flip) };
	struct wallprof_stop stop = { .size = sizeof(stop) };

	ioctl(fd, WALLPROF_IOC_CONFIGURE, &c);
	ioctl(fd, WALLPROF_IOC_START, &start);
	ioctl(fd, WALLPROF_IOC_FLIP, &flip);
	ioctl(fd, WALLPROF_IOC_STOP, &stop);
}

const char *const how_fork[] = {
	"exits", "closes", "commands", "killed", "killed-at-work", "execs", NULL
};

long run_fork(struct thread *t, const __u64 *a)
{
	unsigned int how = a[1] % 6;
	pid_t pid, parent = getpid();

	/* Whatever a child has of ours, it may use. */
	if (how == 2 || how == 4)
		expose(t, a[0]);
	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(0);
		switch (how) {
		case 1:
			for (unsigned int fd = 0; fd < FDS; fd++)
				close(fd_of(t, fd));
			break;
		case 2:
			child_commands(fd_of(t, a[0]));
			break;
		case 3:
			for (;;)
				pause();
		case 4:
			for (;;)
				child_commands(fd_of(t, a[0]));
		case 5:
			execl("/proc/self/exe", "fuzz", "--nothing", (char *)NULL);
			break;
		}
		_exit(0);
	}
	if (how == 3 || how == 4) {
		usleep(a[2] % 1000);
		kill(pid, SIGKILL);
	}
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return 0;
}

static void *thread_short(void *arg)
{
	usleep(100);
	return arg;
}

/* They live slowly: to begin and to end is dear in an emulated machine. */
static void victim_live(unsigned int nr)
{
	char number[16];
	pthread_t thread;
	pid_t pid;

	switch (nr % VICTIMS) {
	case 0:
		for (;;)
			usleep(50000);
	case 1:
		for (;;) {
			pid = fork();
			if (!pid)
				_exit(0);
			usleep(4000000);
			if (pid > 0)
				waitpid(pid, NULL, 0);
		}
	case 2:
		usleep(5000000);
		snprintf(number, sizeof(number), "%d", getppid());
		execl("/proc/self/exe", "fuzz", "--victim", number, (char *)NULL);
		_exit(1);
	default:
		for (;;) {
			if (!pthread_create(&thread, NULL, thread_short, NULL))
				pthread_join(thread, NULL);
			usleep(2000000);
		}
	}
}

/* The victim that executes the program anew; of the thread to end with. */
void victim_again(pid_t parent)
{
	/* An exec that gives root its capabilities takes this away. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() == parent)
		victim_live(2);
	exit(0);
}

void victim_spawn(struct worker *w, unsigned int nr)
{
	pid_t pid, parent = getpid();

	pid = fork();
	if (pid) {
		w->victims[nr] = pid;
		return;
	}
	/* It is a target, not a user. */
	for (unsigned int fd = 0; fd < FDS + THREADS * FDS; fd++)
		close(FD_NUMBER + fd);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGUSR1, SIG_DFL);
	if (getppid() != parent)
		_exit(0);
	victim_live(nr);
}

void victims_kill(struct worker *w)
{
	for (unsigned int i = 0; i < VICTIMS; i++) {
		if (w->victims[i] <= 0)
			continue;
		kill(w->victims[i], SIGKILL);
		waitpid(w->victims[i], NULL, 0);
		w->victims[i] = 0;
	}
}

const char *const how_victim[] = { "kill", "spawn", "stop", "cont", NULL };

long run_victim(struct thread *t, const __u64 *a)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	unsigned int nr = a[0] % VICTIMS;
	pid_t *pid = &t->worker->victims[nr];

	pthread_mutex_lock(&lock);
	switch (a[1] % 4) {
	case 0:
	case 1:
		if (*pid > 0) {
			kill(*pid, SIGKILL);
			while (waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
				;
			*pid = 0;
		}
		if (a[1] % 4 == 1)
			victim_spawn(t->worker, nr);
		break;
	default:
		if (*pid > 0)
			kill(*pid, a[1] % 4 == 2 ? SIGSTOP : SIGCONT);
		break;
	}
	pthread_mutex_unlock(&lock);
	return 0;
}

long run_signal(struct thread *t, const __u64 *a)
{
	int other = t->worker->tids[!t->nr];

	(void)a;
	if (other)
		syscall(SYS_tgkill, getpid(), other, SIGUSR1);
	return 0;
}

const char *const how_memory[] = {
	"none", "readonly", "readwrite", "dontneed", "hole", "shorter", "longer", "private",
	"anew", NULL
};

long run_memory(struct thread *t, const __u64 *a)
{
	(void)t;
	restless_stir(a[0] % 9);
	return 0;
}

const char *const how_limit[] = { "usual", "small", "zero", NULL };

long run_limit(struct thread *t, const __u64 *a)
{
	static const rlim_t limits[] = { LOCKED, 256 << 10, 0 };
	struct rlimit limit = { limits[a[0] % 3], LOCKED };

	(void)t;
	return sys(setrlimit(RLIMIT_MEMLOCK, &limit));
}

const char *const how_nap[] = { "yield", "nap", "longer", NULL };

long run_nap(struct thread *t, const __u64 *a)
{
	(void)t;
	if (a[0] % 3)
		usleep(a[0] % 3 == 1 ? 50 : 2000);
	else
		sched_yield();
	return 0;
}

/* Is what is mapped still as it was? */
long run_look(struct thread *t, const __u64 *a)
{
	(void)a;
	judge_maps(t);
	return 0;
}
