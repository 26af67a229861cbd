// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the descriptors of --control: reads the commands of another process, with perf's
 * words and answers, and carries out those that do not concern the recording itself.
 * Called by record.c; options.c opens them.
 *
 * Whoever can write there may write anything: a command has at most MAX_COMMAND bytes, and
 * no read or write waits.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/common/signals.h"
#include "cmd/record/control.h"
#include "lib/base/err.h"
#include "lib/base/text.h"

/* Of perf, too: what is longer is taken for several. */
#define MAX_COMMAND	63

/* With the zero: so does perf, and there are programs that read so many bytes. */
static const char ack[] = "ack\n";

static int open_fifo(const char *path, int *fd)
{
	/* Neither waits for the other end, nor ends when that is closed. */
	*fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (*fd >= 0)
		return 0;
	wp_err("Failed to open '%s': %s", path, strerror(errno));
	return -EINVAL;
}

static int open_fifos(struct wp_control *c, const char *paths)
{
	char *path = strdup(paths), *comma = path ? strchr(path, ',') : NULL;
	int err = path ? 0 : -ENOMEM;

	c->opened = true;
	if (comma)
		*comma++ = 0;
	if (!err)
		err = open_fifo(path, &c->fd);
	if (!err && comma && *comma)
		err = open_fifo(comma, &c->ack);
	free(path);
	return err;
}

/* A number. Sets @end to what follows. */
static bool parse_fd(const char *text, int *fd, char **end)
{
	unsigned long n;

	errno = 0;
	n = strtoul(text, end, 0);
	*fd = n;
	return isdigit((unsigned char)*text) && !errno && n <= INT_MAX;
}

/* Whether a descriptor was opened for reading, or for writing: @not is the other. */
static int check_fd(int fd, int not)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags >= 0 && (flags & O_ACCMODE) != not)
		return flags;
	wp_err("--control: descriptor %d cannot be %s: %s", fd,
	       not == O_WRONLY ? "read" : "written", strerror(flags < 0 ? errno : EBADF));
	return -EINVAL;
}

static int use_fds(struct wp_control *c, int fd, int ack_fd)
{
	int flags = check_fd(fd, O_WRONLY);

	if (flags < 0 || (ack_fd >= 0 && check_fd(ack_fd, O_RDONLY) < 0))
		return -EINVAL;
	if (fcntl(fd, F_SETFL, flags | O_NONBLOCK)) {
		wp_err("--control: descriptor %d: %s", fd, strerror(errno));
		return -EINVAL;
	}
	c->fd = fd;
	c->ack = ack_fd;
	return 0;
}

/**
 * wp_control_open() - parse --control, and open what it names
 * @c: filled in
 * @text: fd:CTL[,ACK] or fifo:CTL[,ACK]
 *
 * Called before any descriptor is opened, which would have a number that is not open.
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_control_open(struct wp_control *c, const char *text)
{
	int fd, ack_fd = -1;
	char *end;

	*c = (struct wp_control){ .fd = -1, .ack = -1 };
	if (!strncmp(text, "fifo:", 5) && text[5] && text[5] != ',')
		return open_fifos(c, text + 5);
	if (!strncmp(text, "fd:", 3) && parse_fd(text + 3, &fd, &end) &&
	    (!*end || (*end == ',' && (!end[1] || (parse_fd(end + 1, &ack_fd, &end) && !*end)))))
		return use_fds(c, fd, ack_fd);
	wp_err("--control: '%s' is not fd:CTL[,ACK], two descriptors, or fifo:CTL[,ACK], two FIFOs",
	       text);
	return -EINVAL;
}

/**
 * wp_control_close() - stop listening
 * @c: as opened, or all zeroes but for descriptors of -1
 */
void wp_control_close(struct wp_control *c)
{
	if (c->opened && c->fd >= 0)
		close(c->fd);
	if (c->opened && c->ack >= 0)
		close(c->ack);
	c->fd = -1;
	c->ack = -1;
	wp_signals_set_control(-1);
}

/**
 * wp_control_ack() - answer that a command is done
 * @c: where it came from
 */
void wp_control_ack(struct wp_control *c)
{
	struct pollfd room = { .fd = c->ack, .events = POLLOUT };

	if (c->ack < 0)
		return;
	/* A pipe that has room takes so little at once. */
	if (poll(&room, 1, 0) == 1 && room.revents & POLLOUT &&
	    write(c->ack, ack, sizeof(ack)) == sizeof(ack))
		return;
	if (!c->unread)
		wp_warn("--control: failed to write to descriptor %d: nobody reads the answers",
			c->ack);
	c->unread = true;
}

/*
 * Reads a command: up to a newline or a zero, or as far as there is something. Returns
 * whether there is one.
 */
static bool receive(struct wp_control *c, char line[MAX_COMMAND + 1])
{
	size_t len = 0;
	ssize_t n = 1;
	char byte;

	while (len < MAX_COMMAND) {
		n = read(c->fd, &byte, 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n != 1 || byte == '\n' || !byte)
			break;
		line[len++] = byte;
	}
	line[len] = 0;
	if (len || n == 1)
		return true;
	if (n < 0 && errno == EAGAIN)
		return false;
	wp_debug("--control: no more commands come: %s", n ? strerror(errno) : "end of file");
	wp_control_close(c);
	return false;
}

/*
 * Whether a line is this command. @arg: set to what follows a blank; NULL: nothing
 * follows. As in perf, words that only begin so are taken for it, but have no argument.
 */
static bool is_command(const char *line, const char *name, const char **arg, bool *wrong)
{
	size_t len = strlen(name);

	if (strncmp(line, name, len))
		return false;
	*arg = line[len] == ' ' ? line + len + 1 : NULL;
	*wrong = line[len] && line[len] != ' ';
	return true;
}

static void __attribute__((format(printf, 2, 3)))
say(const struct wp_record_opts *o, const char *fmt, ...)
{
	va_list args;

	if (o->quiet)
		return;
	va_start(args, fmt);
	wp_text_vprint(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
}

/* As 'perf evlist' of the file. */
static void list_events(const struct wp_record_opts *o, const char *arg)
{
	const bool freq = arg && !strcmp(arg, "-F");
	unsigned int i;

	if (arg && strcmp(arg, "-F") && strcmp(arg, "-v") && strcmp(arg, "-g")) {
		say(o, "failed: wrong command");
		return;
	}
	for (i = 0; i < o->events.nr; i++) {
		const struct wp_event *ev = &o->events.event[i];

		if (freq)
			say(o, "%s: %s=%llu", ev->name, ev->freq ? "sample_freq" : "sample_period",
			    (unsigned long long)(ev->freq ? ev->freq : ev->period));
		else
			say(o, "%s", ev->name);
	}
	if (o->offcpu)
		say(o, "offcpu-time\nrunnable-time");
	if (o->wakers)
		say(o, "wakeup-time");
}

static bool has_event(const struct wp_record_opts *o, const char *name)
{
	unsigned int i;

	for (i = 0; i < o->events.nr && strcmp(o->events.event[i].name, name); i++)
		;
	return i < o->events.nr;
}

/* The events of a session begin and end together. */
static void refuse_event(const struct wp_record_opts *o, const char *name)
{
	if (has_event(o, name))
		say(o, "failed: '%s' cannot be enabled or disabled without the others", name);
	else
		say(o, "failed: can't find '%s' event", name);
}

static enum wp_command carry_out(const struct wp_record_opts *o, const char *line, bool *known)
{
	const char *arg;
	bool wrong;

	*known = true;
	if (is_command(line, "stop", &arg, &wrong))
		return WP_COMMAND_STOP;
	if (is_command(line, "ping", &arg, &wrong))
		return WP_COMMAND_DONE;
	if (is_command(line, "snapshot", &arg, &wrong)) {
		wp_debug("--control: a snapshot is of an AUX area, which is not recorded");
		return WP_COMMAND_DONE;
	}
	if (is_command(line, "evlist", &arg, &wrong)) {
		list_events(o, wrong ? "" : arg);
		return WP_COMMAND_DONE;
	}
	*known = is_command(line, "enable", &arg, &wrong) ||
		 is_command(line, "disable", &arg, &wrong);
	if (!*known) {
		wp_debug("--control: unsupported command '%s'", line);
		return WP_COMMAND_DONE;
	}
	if (wrong) {
		say(o, "failed: wrong command");
		return WP_COMMAND_DONE;
	}
	if (arg) {
		refuse_event(o, arg);
		return WP_COMMAND_DONE;
	}
	return *line == 'e' ? WP_COMMAND_ENABLE : WP_COMMAND_DISABLE;
}

/**
 * wp_control_next() - read a command, and carry it out unless it is for the recording
 * @c: where it comes from
 * @o: the options of the recording
 *
 * As in perf, also one that failed is answered; but not one that is none.
 *
 * Return: what is left to do; the caller calls wp_control_ack() when that is done.
 */
enum wp_command wp_control_next(struct wp_control *c, const struct wp_record_opts *o)
{
	char line[MAX_COMMAND + 1];
	enum wp_command command;
	bool known;

	if (c->fd < 0 || !receive(c, line))
		return WP_COMMAND_NONE;
	command = carry_out(o, line, &known);
	if (command == WP_COMMAND_DONE && known)
		wp_control_ack(c);
	return command;
}
