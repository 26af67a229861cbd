// SPDX-License-Identifier: GPL-2.0
/*
 * Finds out which service a process belongs to: by the first of these that it has
 *
 *	OTEL_SERVICE_NAME in its environment, or service.name in OTEL_RESOURCE_ATTRIBUTES,
 *	as the SDKs of OpenTelemetry have it,
 *	its systemd unit, unless it is in a container,
 *	its executable,
 *	its name.
 *
 * The container is known by its control group, which runtimes name by its id.
 *
 * The environment is read as far as its pages are present, where it was when the program
 * began. All of it is under the control of the process.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/procdir.h"
#include "lib/base/procfile.h"
#include "lib/proc/service.h"

#define ID_DIGITS	(WP_SERVICE_CONTAINER - 1)

/* Longer environments are read in part. */
#define MAX_ENVIRONMENT	(32 * WP_PROCMEMORY_BLOCK)

/* In /proc/PID/stat, which counts from 1; env_end follows env_start. */
#define STAT_START_CODE	26
#define STAT_ENV_START	50

/* Copies what fits. */
static void copy(char *to, size_t size, const char *from, size_t len)
{
	if (len >= size)
		len = size - 1;
	memcpy(to, from, len);
	to[len] = 0;
}

/* Whether a part of a path has a container's id, as docker-ID.scope; takes it over. */
static bool take_id(const char *part, size_t len, struct wp_service *s)
{
	size_t i, digits = 0;

	for (i = 0; i <= len; i++) {
		if (i < len && isxdigit((unsigned char)part[i])) {
			digits++;
			continue;
		}
		if (digits == ID_DIGITS) {
			copy(s->container, sizeof(s->container), part + i - digits, digits);
			return true;
		}
		digits = 0;
	}
	return false;
}

static int digit_of(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A unit's name, without ".service" and without the escapes of systemd: \x2d is "-". */
static void take_unit(const char *part, size_t len, struct wp_service *s)
{
	static const char suffix[] = ".service";
	size_t i, to = 0;

	len -= sizeof(suffix) - 1;
	for (i = 0; i < len && to + 1 < sizeof(s->name); i++) {
		int high = i + 3 < len ? digit_of(part[i + 2]) : -1;
		int low = i + 3 < len ? digit_of(part[i + 3]) : -1;

		s->name[to++] = part[i];
		if (part[i] == '\\' && i + 3 < len && part[i + 1] == 'x' && high >= 0 && low >= 0 &&
		    (high || low)) {
			s->name[to - 1] = high << 4 | low;
			i += 3;
		}
	}
	s->name[to] = 0;
}

/* A session's manager, user@1000.service, has all that a user runs. */
static bool is_unit(const char *part, size_t len)
{
	static const char suffix[] = ".service";
	const size_t size = sizeof(suffix) - 1;

	return len > size && !memcmp(part + len - size, suffix, size) &&
	       strncmp(part, "user@", 5);
}

/*
 * Whether a part of a path is of a group that exists for one run: session-2.scope of a login,
 * run-u5.service of systemd-run. As values of a label they would have no end.
 */
static bool is_of_a_run(const char *part, size_t len)
{
	return (len > 8 && !memcmp(part, "session-", 8)) || (len > 4 && !memcmp(part, "run-", 4));
}

/* Takes over the path of a group; one that is too long would be another one's if cut. */
static void take_group(const char *path, size_t len, struct wp_service *s)
{
	size_t at = 0, to = 0;

	while (at < len && path[at] == '/') {
		const char *part = path + at + 1, *slash = memchr(part, '/', len - at - 1);
		size_t part_len = slash ? (size_t)(slash - part) : len - at - 1;

		if (is_of_a_run(part, part_len))
			break;
		to = at += 1 + part_len;
	}
	/* Of one in the root. */
	if (!to && len)
		to = 1;
	*s->group = 0;
	if (to < sizeof(s->group))
		copy(s->group, sizeof(s->group), path, to);
}

/* The path of a control group. */
static void take_path(const char *path, size_t len, struct wp_service *s)
{
	const char *end = path + len;

	while (path < end) {
		const char *slash = memchr(path, '/', end - path);
		size_t part = (slash ? slash : end) - path;

		/* The innermost of each. */
		if (!take_id(path, part, s) && is_unit(path, part))
			take_unit(path, part, s);
		path += part + 1;
	}
}

/**
 * wp_service_of_groups() - what the control groups of a process say of its service
 * @text: /proc/PID/cgroup
 * @s: its container, or its name by a unit, is set, if they say so, and its group of version 2
 */
void wp_service_of_groups(const char *text, struct wp_service *s)
{
	const char *line, *end;

	for (line = text; *line; line = *end ? end + 1 : end) {
		const char *path;

		end = strchrnul(line, '\n');
		/* "4:memory:/path", or "0::/path" of version 2 */
		path = memchr(line, ':', end - line);
		path = path ? memchr(path + 1, ':', end - path - 1) : NULL;
		if (path)
			take_path(path + 1, end - path - 1, s);
		if (path && !strncmp(line, "0::/", 4))
			take_group(path + 1, end - path - 1, s);
	}
	/* The unit is the runtime's. */
	if (*s->container)
		*s->name = 0;
}

/* service.name in "key=value,key=value", whose values are escaped as in an URL. */
static void take_attributes(const char *text, struct wp_service *s)
{
	static const char key[] = "service.name=";
	const char *end;
	size_t to = 0;

	for (; *text; text = *end ? end + 1 : end) {
		end = strchrnul(text, ',');
		text += strspn(text, " ");
		if (strncmp(text, key, sizeof(key) - 1))
			continue;
		for (text += sizeof(key) - 1; text < end && to + 1 < sizeof(s->name); text++) {
			bool escape = *text == '%' && end - text > 2;
			int high = escape ? digit_of(tolower((unsigned char)text[1])) : -1;
			int low = escape ? digit_of(tolower((unsigned char)text[2])) : -1;

			s->name[to++] = *text;
			if (high >= 0 && low >= 0 && (high || low)) {
				s->name[to - 1] = high << 4 | low;
				text += 2;
			}
		}
		s->name[to] = 0;
		return;
	}
}

/**
 * wp_service_of_environment() - what the environment of a process says of its service
 * @text: the variables, each ended by a 0
 * @size: of all; the byte behind it is 0, too
 * @s: its name is set, if it has one
 */
void wp_service_of_environment(const char *text, size_t size, struct wp_service *s)
{
	static const char name[] = "OTEL_SERVICE_NAME=", more[] = "OTEL_RESOURCE_ATTRIBUTES=";
	const char *end = text + size;

	for (; text < end; text += strlen(text) + 1) {
		if (!strncmp(text, name, sizeof(name) - 1) && text[sizeof(name) - 1]) {
			text += sizeof(name) - 1;
			copy(s->name, sizeof(s->name), text, strlen(text));
			return;
		}
		if (!strncmp(text, more, sizeof(more) - 1))
			take_attributes(text + sizeof(more) - 1, s);
	}
}

/* The space in front of a field of /proc/PID/stat, or NULL. */
static const char *field(const char *stat, unsigned int nr)
{
	/* Its name, in parentheses, can have any character. */
	const char *at = strrchr(stat, ')');
	unsigned int i;

	for (i = 2; at && i < nr; i++)
		at = strchr(at + 1, ' ');
	return at;
}

/*
 * Where the environment is; false if that is not known yet, or not shown to us. While the
 * kernel starts a program, it sets start and end to the same address at first, and last of
 * all where the code is: create_elf_tables() and load_elf_binary() in fs/binfmt_elf.c.
 */
static bool find_environment(int dir, __u64 *start, __u64 *end)
{
	struct wp_procfile_text text = { 0 };
	const char *code = NULL, *at = NULL;
	__u64 start_code;
	bool known;

	if (wp_procfile_read(dir, "stat", &text) > 0) {
		code = field(text.text, STAT_START_CODE);
		at = field(text.text, STAT_ENV_START);
	}
	known = at && sscanf(code, "%llu", (unsigned long long *)&start_code) == 1 &&
		start_code && sscanf(at, "%llu %llu", (unsigned long long *)start,
				     (unsigned long long *)end) == 2 && *start && *start <= *end;
	free(text.text);
	return known;
}

/* A process that has ended has no program any more. */
static bool has_program(int dir)
{
	char c;

	return readlinkat(dir, "exe", &c, 1) > 0;
}

/*
 * Returns whether it could be read: not if the process executes a program at this moment, or
 * ended before it was.
 */
static bool read_environment(struct wp_procmemory *memory, __u32 pid, int dir,
			     struct wp_service *s)
{
	struct wp_service found = { 0 };
	__u64 start, end, first, at;
	char *text;

	if (!find_environment(dir, &start, &end))
		return false;
	if (end - start > MAX_ENVIRONMENT)
		end = start + MAX_ENVIRONMENT;
	first = start - start % WP_PROCMEMORY_BLOCK;
	text = calloc(1, end - first + WP_PROCMEMORY_BLOCK);
	if (!text)
		return true;
	for (at = first; at < end; at += WP_PROCMEMORY_BLOCK) {
		int err = wp_procmemory_read(memory, pid, at, text + (at - first));

		/* It may be executing a program, which took the kernel too long. */
		if (err == -ETIMEDOUT) {
			free(text);
			return false;
		}
		/* A page that is not present stays so, and what is in it unknown. */
		if (err && err != -ENODATA)
			break;
	}
	text[end - first] = 0;
	wp_service_of_environment(text + (start - first), end - start, &found);
	free(text);
	if (!*found.name)
		return has_program(dir);
	memcpy(s->name, found.name, sizeof(s->name));
	return true;
}

static void read_executable(int dir, struct wp_service *s)
{
	static const char deleted[] = " (deleted)";
	char path[4096];
	ssize_t len = readlinkat(dir, "exe", path, sizeof(path) - 1);
	const char *slash;

	if (len <= 0)
		return;
	path[len] = 0;
	if ((size_t)len >= sizeof(deleted) &&
	    !strcmp(path + len - sizeof(deleted) + 1, deleted))
		path[len - sizeof(deleted) + 1] = 0;
	slash = strrchr(path, '/');
	slash = slash ? slash + 1 : path;
	copy(s->executable, sizeof(s->executable), slash, strlen(slash));
}

static void read_groups(int dir, struct wp_service *s)
{
	char text[8192];
	int fd = openat(dir, "cgroup", O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t n;

	if (fd < 0)
		return;
	while (len < sizeof(text) - 1 &&
	       (n = read(fd, text + len, sizeof(text) - 1 - len)) > 0)
		len += n;
	close(fd);
	text[len] = 0;
	wp_service_of_groups(text, s);
}

/**
 * wp_service_read() - find out the service of a process
 * @memory: reads its memory
 * @pid: the process
 * @comm: its name
 * @s: set to it; its name is never empty, unless @comm is. Without an executable it is a
 *	kernel thread, has ended, or executes a program at this moment
 */
void wp_service_read(struct wp_procmemory *memory, __u32 pid, const char *comm,
		     struct wp_service *s)
{
	int dir = wp_procdir_open(pid);

	memset(s, 0, sizeof(*s));
	if (dir >= 0) {
		read_executable(dir, s);
		read_groups(dir, s);
		/* A kernel thread has no program. */
		if (*s->executable && !read_environment(memory, pid, dir, s))
			*s->executable = 0;
		close(dir);
	}
	if (*s->name)
		return;
	s->own = true;
	copy(s->name, sizeof(s->name), *s->executable ? s->executable : comm,
	     strlen(*s->executable ? s->executable : comm));
}

/**
 * wp_service_inherit() - a process that ended before it could be read had its parent's service
 * @s: the service of the process, by its name alone
 * @parent: that of its parent
 */
void wp_service_inherit(struct wp_service *s, const struct wp_service *parent)
{
	memcpy(s->container, parent->container, sizeof(s->container));
	memcpy(s->group, parent->group, sizeof(s->group));
	if (parent->own)
		return;
	memcpy(s->name, parent->name, sizeof(s->name));
	s->own = false;
}
