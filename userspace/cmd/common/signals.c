// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the signals of a recording process, the action at the second one, and the main
 * wait. Called by the commands that record, from one thread; signals that this one cannot
 * take are handled in another (sigwatch.c).
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/common/options.h"
#include "cmd/common/signals.h"
#include "cmd/common/sigwatch.h"
#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/base/outfile.h"
#include "lib/base/procfile.h"
#include "lib/device/device.h"
#include "lib/perfdata/perfdata.h"
#include "lib/record/sideband.h"
#include "lib/sandbox/opener.h"

#define NSEC_PER_MSEC	1000000ULL

/*
 * timeout(1) sends its signal to the process and then to the group: the user did not ask
 * twice. Nobody presses Ctrl-C again so soon.
 */
#define ECHO_NS		(50 * NSEC_PER_MSEC)

/* State of the signal handler. */
static volatile sig_atomic_t stop_signal;
static volatile __u64 stop_time;
static volatile sig_atomic_t snapshot_signal;
static volatile sig_atomic_t reload_signal;
/* Set before signals are caught. */
static bool reload_wanted;
static struct wp_perfdata *volatile open_file;
static volatile pid_t command_pid;
/* Printed at the second signal, with a file and without; may be in the middle of a line. */
static const char at_once[] =
	"\n[ wallprof: ended at once by a second signal: the file lacks its end and totals ]\n";
static const char at_close[] = "\n[ wallprof: ended at once by a second signal ]\n";
static int wake_fd = -1;
/* Set by a command with a screen. */
static void (*volatile restore_screen)(void);
static volatile sig_atomic_t suspend_signal;
static volatile sig_atomic_t resize_signal;
static int input_fd = -1;
static int files_fd = -1;
static int control_fd = -1;
/* Disposition of XFSZ when the process began. */
static struct sigaction limit_before = { .sa_handler = SIG_DFL };

/* Whether the signal is a duplicate of the one that requested the end. */
static bool is_echo(int sig)
{
	return sig == stop_signal && wp_clock_now() - stop_time < ECHO_NS;
}

/* Context: signal handler. */
static void write_interrupted(void)
{
	ssize_t ret = 0;

	if (open_file)
		ret = write(STDERR_FILENO, at_once, sizeof(at_once) - 1);
	else if (!restore_screen)
		ret = write(STDERR_FILENO, at_close, sizeof(at_close) - 1);
	(void)ret;
}

static void on_signal(int sig)
{
	__u64 one = 1;
	int err = errno;

	if (sig == SIGUSR2) {
		snapshot_signal = 1;
	} else if (sig == SIGHUP && reload_wanted) {
		reload_signal = 1;
	} else if (sig == SIGTSTP) {
		suspend_signal = 1;
	} else if (sig == SIGWINCH || sig == SIGCONT) {
		resize_signal = 1;
	} else if (sig != SIGCHLD && !is_echo(sig)) {
		if (stop_signal) {
			/* The second one: immediately. */
			wp_perfdata_abort(open_file);
			wp_outfile_die();
			if (restore_screen)
				restore_screen();
			write_interrupted();
			if (command_pid)
				kill(command_pid, SIGTERM);
			signal(sig, SIG_DFL);
			raise(sig);
			return;
		}
		stop_time = wp_clock_now();
		stop_signal = sig;
		wp_procfile_hurry();
		wp_opener_hurry();
	}
	if (write(wake_fd, &one, sizeof(one)) < 0)
		err = err ? err : 0;
	errno = err;
}

/* Signals that must not end a process between two programs. */
static void held_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
}

/**
 * wp_signals_want_reload() - HUP is for wp_signals_reload(), and does not request the end
 *
 * Must come before wp_signals_catch(), which then takes what wp_signals_hold() held.
 */
void wp_signals_want_reload(void)
{
	reload_wanted = true;
}

/**
 * wp_signals_catch() - from here on INT, TERM, HUP and CHLD wake wp_signals_wait()
 *
 * The first one requests the end; the second one ends the process immediately, with a
 * readable file. An immediate repetition of the first one counts as the same. All this
 * holds even if this thread, which is the main one, is blocked in the kernel.
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_signals_catch(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD };
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	sigset_t watched;
	unsigned int i;

	wp_opener_recording();
	wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (wake_fd < 0) {
		wp_err("eventfd: %s", strerror(errno));
		return -errno;
	}
	sigemptyset(&watched);
	/* INT and TERM can interrupt each other's handler. */
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		struct sigaction old;

		/* A signal ignored by nohup stays ignored. */
		if (!sigaction(signals[i], NULL, &old) && old.sa_handler == SIG_IGN &&
		    signals[i] == SIGHUP)
			continue;
		sigaction(signals[i], &sa, NULL);
		if (signals[i] != SIGCHLD)
			sigaddset(&watched, signals[i]);
	}
	wp_sigwatch_start(&watched, on_signal);
	if (reload_wanted) {
		held_signals(&watched);
		sigprocmask(SIG_UNBLOCK, &watched, NULL);
	}
	signal(SIGPIPE, SIG_IGN);
	return 0;
}

/**
 * wp_signals_ignore_limit() - treat the file size limit like a full disk
 *
 * The kernel sends XFSZ at the limit, which would end the process without a message.
 */
void wp_signals_ignore_limit(void)
{
	const struct sigaction ign = { .sa_handler = SIG_IGN };

	sigaction(SIGXFSZ, &ign, &limit_before);
}

/**
 * wp_signals_restore_limit() - undo wp_signals_ignore_limit(), in a command's process
 */
void wp_signals_restore_limit(void)
{
	sigaction(SIGXFSZ, &limit_before, NULL);
}

/**
 * wp_signals_stop() - whether the end was requested
 *
 * Return: the signal that did, or 0.
 */
int wp_signals_stop(void)
{
	return stop_signal;
}

/**
 * wp_signals_reload() - whether HUP came
 *
 * Return: true if it did, since the last call.
 */
bool wp_signals_reload(void)
{
	bool asked = reload_signal;

	if (asked)
		reload_signal = 0;
	return asked;
}

/**
 * wp_signals_hold() - keep signals for the program that this process executes next
 *
 * The request for the end is one of them.
 */
void wp_signals_hold(void)
{
	sigset_t held;

	held_signals(&held);
	sigprocmask(SIG_BLOCK, &held, NULL);
	if (stop_signal)
		raise(stop_signal);
	if (reload_signal)
		raise(SIGHUP);
}

/**
 * wp_signals_catch_snapshot() - from here on, wake wp_signals_wait() at USR2, too
 */
void wp_signals_catch_snapshot(void)
{
	const struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	sigaction(SIGUSR2, &sa, NULL);
}

/**
 * wp_signals_snapshot() - whether a snapshot was requested
 *
 * Return: true if it was, since the last call.
 */
bool wp_signals_snapshot(void)
{
	bool asked = snapshot_signal;

	if (asked)
		snapshot_signal = 0;
	return asked;
}

/* A bug of ours: its message, or the debugger, needs the terminal. */
static void on_crash(int sig)
{
	restore_screen();
	/* With its earlier disposition, by SA_RESETHAND. */
	raise(sig);
}

/**
 * wp_signals_catch_screen() - from here on signals leave the terminal restored
 * @restore: restores the terminal; must be async-signal-safe
 * @input: descriptor for keys
 *
 * In addition to wp_signals_catch(), which must come before, QUIT requests the end, and
 * TSTP, WINCH, CONT and keys wake wp_signals_wait().
 */
void wp_signals_catch_screen(void (*restore)(void), int input)
{
	static const int crashes[] = { SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV };
	const struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	const struct sigaction crash = { .sa_handler = on_crash, .sa_flags = SA_RESETHAND };
	struct sigaction old;
	unsigned int i;

	restore_screen = restore;
	input_fd = input;
	sigaction(SIGQUIT, &sa, NULL);
	sigaction(SIGTSTP, &sa, NULL);
	sigaction(SIGWINCH, &sa, NULL);
	sigaction(SIGCONT, &sa, NULL);
	for (i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++) {
		/* A sanitizer has its own handlers. */
		if (!sigaction(crashes[i], NULL, &old) && old.sa_handler == SIG_DFL)
			sigaction(crashes[i], &crash, NULL);
	}
}

/**
 * wp_signals_suspend() - whether a suspension was requested
 *
 * Return: true if it was, since the last call.
 */
bool wp_signals_suspend(void)
{
	bool asked = suspend_signal;

	if (asked)
		suspend_signal = 0;
	return asked;
}

/**
 * wp_signals_resized() - whether the terminal was resized, or came back to us
 *
 * Return: true if so, since the last call.
 */
bool wp_signals_resized(void)
{
	bool resized = resize_signal;

	if (resized)
		resize_signal = 0;
	return resized;
}

/**
 * wp_signals_sleep() - suspend the process for the shell's job control
 *
 * Returns when the process continues.
 */
void wp_signals_sleep(void)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL }, old;

	sigaction(SIGTSTP, &dfl, &old);
	/* The whole pipeline, as the terminal's own key does. */
	kill(0, SIGTSTP);
	sigaction(SIGTSTP, &old, NULL);
}

/**
 * wp_signals_set_file() - set the file that the second signal completes
 * @pd: the file, or NULL
 */
void wp_signals_set_file(struct wp_perfdata *pd)
{
	open_file = pd;
}

/**
 * wp_signals_set_command() - set the process that the second signal ends as well
 * @pid: a child that has not been reaped, or 0
 */
void wp_signals_set_command(pid_t pid)
{
	command_pid = pid;
}

/* Milliseconds until @time, for poll. */
static int msecs_until(__u64 time)
{
	__u64 t = wp_clock_now();

	return time > t ? (time - t) / NSEC_PER_MSEC + 1 : 0;
}

/**
 * wp_signals_set_files() - wake wp_signals_wait() by a descriptor of new files, too
 * @fd: the descriptor, of wp_mapsync_files_fd(), or -1
 */
void wp_signals_set_files(int fd)
{
	files_fd = fd;
}

/**
 * wp_signals_set_control() - wake wp_signals_wait() by commands of another process, too
 * @fd: where they are read, or -1
 */
void wp_signals_set_control(int fd)
{
	control_fd = fd;
}

/**
 * wp_signals_wait() - wait for a signal, for data, or for a time
 * @dev: the session; without a descriptor nothing of it is waited for
 * @sideband: its sideband, or NULL
 * @until: the time, of CLOCK_MONOTONIC
 *
 * Return: enum wp_wake, or a negative errno after a message.
 */
int wp_signals_wait(const struct wp_device *dev, struct wp_sideband *sideband,
		    __u64 until)
{
	unsigned int max = dev->info.nr_cpus + 5, nr, i;
	struct pollfd *fds = calloc(max, sizeof(*fds));
	enum wp_wake wake = WP_WAKE_TIME;
	__u64 count;
	int n;

	if (!fds) {
		wp_err("out of memory");
		return -ENOMEM;
	}
	fds[0] = (struct pollfd){ .fd = wake_fd, .events = POLLIN };
	fds[1] = (struct pollfd){ .fd = dev->fd, .events = POLLIN };
	fds[2] = (struct pollfd){ .fd = input_fd, .events = POLLIN };
	fds[3] = (struct pollfd){ .fd = files_fd, .events = POLLIN };
	fds[4] = (struct pollfd){ .fd = control_fd, .events = POLLIN };
	nr = 5 + (sideband ? wp_sideband_pollfds(sideband, fds + 5, max - 5) : 0);
	n = poll(fds, nr, msecs_until(until));
	if (n < 0 && errno != EINTR) {
		n = -errno;
		wp_err("poll: %s", strerror(-n));
		free(fds);
		return n;
	}
	if (n > 0) {
		/* It only wakes: the handler has recorded the reason. */
		if (fds[0].revents && read(wake_fd, &count, sizeof(count)) < 0)
			wake = WP_WAKE_TIME;
		if (fds[2].revents)
			wake = WP_WAKE_INPUT;
		if (fds[3].revents && read(files_fd, &count, sizeof(count)) > 0)
			wake = WP_WAKE_FILES;
		for (i = 5; i < nr; i++)
			wake = fds[i].revents ? WP_WAKE_FULL : wake;
		if (fds[1].revents & POLLIN)
			wake = WP_WAKE_FULL;
		if (fds[1].revents & (POLLHUP | POLLERR | POLLNVAL))
			wake = WP_WAKE_GONE;
	}
	free(fds);
	return wake;
}

/**
 * wp_signals_exit_status() - exit status, as in perf
 * @err: 0 or a negative errno
 * @status: status of the command, from wait
 *
 * If the command died of a signal, or we got one, the process dies of it here.
 *
 * Return: the exit status.
 */
int wp_signals_exit_status(int err, int status)
{
	int sig = stop_signal;

	if (err)
		return err == -EINVAL ? WP_EXIT_USAGE : WP_EXIT_ERROR;
	if (WIFSIGNALED(status))
		sig = WTERMSIG(status);
	if (sig) {
		signal(sig, SIG_DFL);
		raise(sig);
	}
	return WEXITSTATUS(status);
}
