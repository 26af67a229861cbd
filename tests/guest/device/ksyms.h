/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the kernel itself says of its functions, and of the stacks of threads.
 */
#ifndef DEVICE_KSYMS_H
#define DEVICE_KSYMS_H

#include "device.h"

/* A function of the kernel, or of a module. */
struct ksym {
	__u64 at;
	char *name;
};

/* All of them, as the kernel orders them. */
static struct ksym *ksyms;
static size_t nr_ksyms;

static inline void ksyms_read(void)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char line[512], name[256], kind;
	size_t room = 0;
	ull at;

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%llx %c %255s", &at, &kind, name) != 3 ||
		    !strchr("tTwW", kind))
			continue;
		if (nr_ksyms == room) {
			room = room ? 2 * room : 1 << 16;
			ksyms = realloc(ksyms, room * sizeof(*ksyms));
		}
		if (!ksyms)
			abort();
		ksyms[nr_ksyms++] = (struct ksym){ at, strdup(name) };
	}
	if (f)
		fclose(f);
}

/* The function at an address; of several that begin there, the first. */
static inline const struct ksym *ksym_of(__u64 ip)
{
	static const struct ksym none = { .name = "" };
	const struct ksym *best = &none;

	if (!nr_ksyms)
		ksyms_read();
	for (size_t i = 0; i < nr_ksyms; i++)
		if (ksyms[i].at <= ip && ksyms[i].at > best->at)
			best = &ksyms[i];
	return best;
}

/*
 * How many lines of /proc/PID/stack are the last frames of a stack, all of these; of
 * how many there are. What is the scheduler's is left out there.
 */
static inline unsigned int find_lines(const struct read_stack *stack, const char *lines,
			       unsigned int *nr)
{
	const char *line = lines;
	unsigned int i;

	for (*nr = 0; (line = strstr(line, "[<0>] ")); line++)
		(*nr)++;
	if (*nr > stack->nr)
		return 0;
	line = strstr(lines, "[<0>] ");
	for (i = stack->nr - *nr; i < stack->nr; i++) {
		const struct ksym *sym = ksym_of(stack->ips[i] - 1);
		char name[300];
		int len;

		len = snprintf(name, sizeof(name), "[<0>] %s+0x%llx/", sym->name,
			       (ull)(stack->ips[i] - sym->at));
		if (strncmp(line, name, len))
			break;
		line = strstr(line + 1, "[<0>] ");
	}
	return i - (stack->nr - *nr);
}

/* The whole of /proc/PID/stack, but the end mark that it has before Linux 5.2. */
static inline void proc_stack(pid_t pid, char *text, size_t size)
{
	static const char mark[] = "[<0>] 0xffffffffffffffff\n";
	char path[64], *end;
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stack", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	len = read(fd, text, size - 1);
	text[len < 0 ? 0 : len] = '\0';
	close(fd);
	end = strstr(text, mark);
	if (end)
		*end = '\0';
	/* On arm64 old kernels have the switch itself, which comes after the tracepoint. */
	if (strstr(text, "[<0>] __switch_to+") == text && (end = strchr(text, '\n')))
		memmove(text, end + 1, strlen(end + 1) + 1);
}

#endif /* DEVICE_KSYMS_H */
