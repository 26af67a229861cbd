// SPDX-License-Identifier: GPL-2.0
/*
 * wallprof list: the events of this host that -e takes, as perf list prints them, and what
 * is missing. Each named event of hardware, software and caches is opened for a moment,
 * without enabling it: the kernel knows best what there is.
 */
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cmd/common/options.h"
#include "cmd/list.h"
#include "lib/base/err.h"
#include "lib/base/json.h"
#include "lib/base/text.h"
#include "lib/perfdata/events.h"

#define NAME_WIDTH	50
#define WIDTH		80
#define MAX_WORDS	64

enum event_kind { KIND_HARDWARE, KIND_SOFTWARE, KIND_CACHE, KIND_PMU, KIND_TRACEPOINT, NR_KINDS };

/* The words are perf's. */
static const struct {
	const char *word;
	const char *other;
	const char *label;
} kinds[NR_KINDS] = {
	[KIND_HARDWARE] = { "hw", "hardware", "Hardware event" },
	[KIND_SOFTWARE] = { "sw", "software", "Software event" },
	[KIND_CACHE] = { "cache", "hwcache", "Hardware cache event" },
	[KIND_PMU] = { "pmu", "pmu", "Kernel PMU event" },
	[KIND_TRACEPOINT] = { "tracepoint", "tracepoint", "Tracepoint event" },
};

static const char *const usage[] = {
	"[<options>] [hw|sw|cache|pmu|tracepoint|<glob>]...",
	NULL
};

static const struct wp_option table[] = {
	{ 'j', "json", NULL, "as JSON, with the keys of perf list" },
	{ 'q', "quiet", NULL, "only the names, one on each line" },
	{ 0 }
};

/**
 * struct list - one call of the command
 * @names: only the names
 * @json: an array of objects
 * @j: its writer
 * @kinds: those that were asked for, as bits
 * @glob: patterns of names
 * @nr_globs: how many
 * @used: of each, whether a name matched
 * @nr: events that were printed
 * @refused: of each kind, events that the kernel does not have here
 * @forbidden: of each kind, events that this user may not open
 */
struct list {
	bool names;
	bool json;
	struct wp_json j;
	unsigned int kinds;
	const char *glob[MAX_WORDS];
	unsigned int nr_globs;
	bool used[MAX_WORDS];
	unsigned int nr;
	unsigned int refused[NR_KINDS];
	unsigned int forbidden[NR_KINDS];
};

static int set(void *ctx, int id, const char *arg)
{
	struct list *l = ctx;

	(void)arg;
	*(id == 'j' ? &l->json : &l->names) = true;
	if (l->json && l->names) {
		wp_err("--json and --quiet cannot be combined");
		return -EINVAL;
	}
	return 0;
}

/* As in perf, a word without a star is looked for anywhere in a name. */
static bool matches(const char *glob, const char *name)
{
	return strpbrk(glob, "*?[") ? !fnmatch(glob, name, 0) : !!strstr(name, glob);
}

static bool is_wanted(struct list *l, enum event_kind kind, const char *name)
{
	bool wanted = l->kinds & 1U << kind;
	unsigned int i;

	for (i = 0; i < l->nr_globs; i++) {
		if (!matches(l->glob[i], name))
			continue;
		l->used[i] = true;
		wanted = true;
	}
	return wanted;
}

/* Whether any event of a kind can be wanted. */
static bool is_asked(const struct list *l, enum event_kind kind)
{
	return l->kinds & 1U << kind || l->nr_globs;
}

/* @unit: the PMU, or NULL; @alias: other names, or NULL. The keys are perf's. */
static void open_object(struct list *l, const char *unit, const char *name, const char *alias,
			const char *type)
{
	wp_json_open(&l->j, NULL, '{');
	if (unit)
		wp_json_string(&l->j, "Unit", unit);
	wp_json_string(&l->j, "EventName", name);
	if (alias && *alias)
		wp_json_string(&l->j, "EventAlias", alias);
	wp_json_string(&l->j, "EventType", type);
	l->nr++;
}

static void put(struct list *l, enum event_kind kind, const char *name)
{
	char shown[WP_TEXT_GROWS * 600];

	wp_text_show(shown, sizeof(shown), name, false);
	if (l->names)
		printf("%s\n", shown);
	else
		printf("  %-*s [%s]\n", NAME_WIDTH, shown, kinds[kind].label);
	l->nr++;
}

/* 0, or the kernel's answer. */
static int open_once(const struct wp_event *ev)
{
	struct perf_event_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = ev->type;
	attr.config = ev->config;
	attr.sample_period = 1000000;
	attr.disabled = 1;
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0 && (errno == EACCES || errno == EPERM)) {
		attr.exclude_kernel = 1;
		attr.exclude_hv = 1;
		fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	}
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static enum event_kind kind_of(const struct wp_event *ev)
{
	return ev->type == PERF_TYPE_HARDWARE ? KIND_HARDWARE :
	       ev->type == PERF_TYPE_SOFTWARE ? KIND_SOFTWARE : KIND_CACHE;
}

/* @others: the other names, each with " OR " before it. */
static void put_known(struct list *l, enum event_kind kind, const char *name, const char *others)
{
	open_object(l, kind == KIND_SOFTWARE ? "software" : NULL, name,
		    *others ? others + strlen(" OR ") : NULL, kinds[kind].label);
	wp_json_close(&l->j, '}');
}

/* An event, and its other names behind it. */
static void list_event(struct list *l, const struct wp_event *first, unsigned int nr)
{
	enum event_kind kind = kind_of(first);
	bool wanted = is_wanted(l, kind, first->name);
	struct wp_event other;
	size_t alias = strlen(first->name);
	char names[600];
	int err;

	snprintf(names, sizeof(names), "%s", first->name);
	while (kind != KIND_CACHE && wp_events_known(&other, ++nr) &&
	       other.type == first->type && other.config == first->config) {
		size_t len = strlen(names);

		if (is_wanted(l, kind, other.name))
			wanted = true;
		snprintf(names + len, sizeof(names) - len, "%s%s", l->names ? "\n" : " OR ",
			 other.name);
	}
	if (!wanted)
		return;
	err = open_once(first);
	if (err == -EACCES || err == -EPERM)
		l->forbidden[kind]++;
	else if (err)
		l->refused[kind]++;
	else if (l->json)
		put_known(l, kind, first->name, names + alias);
	else if (l->names)
		l->nr += printf("%s\n", names) > 0;
	else
		put(l, kind, names);
}

static void list_known(struct list *l)
{
	struct wp_event ev, before = { .type = UINT_MAX };
	unsigned int i;

	for (i = 0; wp_events_known(&ev, i); i++) {
		if (!ev.name[0] || (ev.type == before.type && ev.config == before.config))
			continue;
		before = ev;
		list_event(l, &ev, i);
	}
}

static int is_no_dot(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static void free_names(struct dirent **names, int nr)
{
	int i;

	for (i = 0; i < nr; i++)
		free(names[i]);
	if (nr >= 0)
		free(names);
}

/* What can stand between the slashes of a PMU, in lines of the terminal. */
static void list_terms(struct list *l, const char *device)
{
	char path[PATH_MAX], name[NAME_MAX + 32];
	struct dirent **terms;
	int nr, i;
	size_t at;

	snprintf(name, sizeof(name), "%s/TERM=N,.../", device);
	if (l->names || !is_wanted(l, KIND_PMU, name))
		return;
	snprintf(path, sizeof(path), "%s/%s/format", wp_events_devices(), device);
	nr = scandir(path, &terms, is_no_dot, alphasort);
	if (nr > 0 && l->json) {
		open_object(l, device, name, NULL, "Terms of this PMU");
		wp_json_open(&l->j, "Terms", '[');
		for (i = 0; i < nr; i++)
			wp_json_string(&l->j, NULL, terms[i]->d_name);
		wp_json_close(&l->j, ']');
		wp_json_close(&l->j, '}');
	} else if (nr > 0) {
		wp_text_print(stdout, "  %-*s [Terms of this PMU]\n", NAME_WIDTH, name);
		l->nr++;
		printf("     ");
		at = 5;
		for (i = 0; i < nr; i++) {
			size_t columns = strlen(terms[i]->d_name) + 1;

			if (at + columns > WIDTH) {
				printf("\n     ");
				at = 5;
			}
			wp_text_print(stdout, " %s", terms[i]->d_name);
			at += columns;
		}
		putchar('\n');
	}
	free_names(terms, nr);
}

/* What its value is multiplied with, and the unit of that, as 0.25ns; empty: nothing. */
static void read_scale(char scale[64], const char *device, const char *event)
{
	static const char *const files[] = { "scale", "unit" };
	char path[PATH_MAX];
	size_t len = 0, i;
	FILE *f;

	scale[0] = 0;
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s/events/%s.%s", wp_events_devices(), device,
			 event, files[i]);
		f = fopen(path, "re");
		if (f && fgets(scale + len, 64 - len, f))
			scale[strcspn(scale, "\n")] = 0;
		else if (!i)
			strcpy(scale, "1");
		else
			scale[0] = 0;
		if (f)
			fclose(f);
		len = strlen(scale);
	}
}

static void put_of_pmu(struct list *l, const char *device, const char *event, const char *name)
{
	char scale[64];

	if (!l->json) {
		put(l, KIND_PMU, name);
		return;
	}
	open_object(l, device, name, NULL, kinds[KIND_PMU].label);
	read_scale(scale, device, event);
	if (scale[0])
		wp_json_string(&l->j, "ScaleUnit", scale);
	wp_json_close(&l->j, '}');
}

static void list_device(struct list *l, const char *device)
{
	char path[PATH_MAX], name[2 * NAME_MAX + 3];
	struct dirent **events;
	int nr, i;

	snprintf(path, sizeof(path), "%s/%s/events", wp_events_devices(), device);
	nr = scandir(path, &events, is_no_dot, alphasort);
	for (i = 0; i < nr; i++) {
		snprintf(name, sizeof(name), "%s/%s/", device, events[i]->d_name);
		/* NAME.scale and NAME.unit are of NAME. */
		if (!strchr(events[i]->d_name, '.') && is_wanted(l, KIND_PMU, name))
			put_of_pmu(l, device, events[i]->d_name, name);
	}
	free_names(events, nr);
	list_terms(l, device);
}

/* Those of the kernel's own kinds are listed by their names. */
static bool is_listed_otherwise(const char *device)
{
	static const char *const others[] = {
		"software", "tracepoint", "breakpoint", "kprobe", "uprobe",
	};
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (!strcmp(device, others[i]))
			return true;
	}
	return false;
}

static void list_pmus(struct list *l)
{
	struct dirent **devices;
	int nr = scandir(wp_events_devices(), &devices, is_no_dot, alphasort), i;

	for (i = 0; i < nr; i++) {
		if (!is_listed_otherwise(devices[i]->d_name))
			list_device(l, devices[i]->d_name);
	}
	if (nr < 0)
		wp_warn("PMUs: cannot read %s: %s", wp_events_devices(), strerror(errno));
	free_names(devices, nr);
}

static void put_tracepoint(struct list *l, const char *name)
{
	if (!l->json) {
		put(l, KIND_TRACEPOINT, name);
		return;
	}
	open_object(l, NULL, name, NULL, kinds[KIND_TRACEPOINT].label);
	wp_json_close(&l->j, '}');
}

static void list_system(struct list *l, const char *root, const char *system)
{
	char path[PATH_MAX], name[2 * NAME_MAX + 2];
	struct dirent **names;
	int nr, i;

	snprintf(path, sizeof(path), "%s/events/%s", root, system);
	nr = scandir(path, &names, is_no_dot, alphasort);
	for (i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), "%s/events/%s/%s/id", root, system, names[i]->d_name);
		snprintf(name, sizeof(name), "%s:%s", system, names[i]->d_name);
		/* Other files there are no tracepoints. */
		if (is_wanted(l, KIND_TRACEPOINT, name) && !access(path, F_OK))
			put_tracepoint(l, name);
	}
	free_names(names, nr);
}

static void list_tracepoints(struct list *l)
{
	struct dirent **systems;
	char path[PATH_MAX];
	int nr = -1, i, err = ENOENT;
	const char *root;
	unsigned int at;

	for (at = 0; nr < 0 && (root = wp_events_tracefs(at)); at++) {
		snprintf(path, sizeof(path), "%s/events", root);
		nr = scandir(path, &systems, is_no_dot, alphasort);
		if (nr < 0 && errno != ENOENT)
			err = errno;
		for (i = 0; i < nr; i++)
			list_system(l, root, systems[i]->d_name);
		free_names(systems, nr);
	}
	if (nr >= 0)
		return;
	if (err == EACCES || err == EPERM)
		wp_warn("tracepoints: this user may not read tracefs; root may");
	else if (err == ENOENT)
		wp_warn("tracepoints: tracefs is not mounted; 'mount -t tracefs none %s' does it",
			wp_events_tracefs(0));
	else
		wp_warn("tracepoints: cannot read tracefs: %s", strerror(err));
}

static void print_missing(const struct list *l)
{
	unsigned int refused = l->refused[KIND_HARDWARE] + l->refused[KIND_CACHE];
	unsigned int forbidden = 0, i;

	for (i = 0; i < NR_KINDS; i++)
		forbidden += l->forbidden[i];
	if (refused)
		wp_warn("left out: %u of hardware and caches: the PMU here does not have them, or there is none, as in many virtual machines",
			refused);
	if (l->refused[KIND_SOFTWARE])
		wp_warn("left out: %u of software: this kernel does not have them",
			l->refused[KIND_SOFTWARE]);
	if (forbidden)
		wp_warn("left out: %u that this user may not open (kernel.perf_event_paranoid)",
			forbidden);
}

static int add_word(struct list *l, const char *word)
{
	unsigned int i;

	for (i = 0; i < NR_KINDS; i++) {
		if (!strcmp(word, kinds[i].word) || !strcmp(word, kinds[i].other)) {
			l->kinds |= 1U << i;
			return 0;
		}
	}
	if (l->nr_globs == MAX_WORDS) {
		wp_err("more than %d words", MAX_WORDS);
		return -EINVAL;
	}
	l->glob[l->nr_globs++] = word;
	return 0;
}

/**
 * cmd_list() - entry point of the command
 * @argc: arguments
 * @argv: the same; the first one is "list"
 *
 * Return: its exit status: 1 if a word matches no event.
 */
int cmd_list(int argc, char **argv)
{
	const struct wp_options options = {
		.command = "wallprof list",
		.usage = usage,
		.table = table,
		.set = set,
	};
	struct list l = { .j.f = stdout };
	int err, rest, status = 0;
	unsigned int i;

	err = wp_parse_options(&options, argc, argv, &l, &rest);
	if (err)
		return err == WP_OPTIONS_DONE ? 0 : WP_EXIT_USAGE;
	for (; rest < argc; rest++) {
		if (add_word(&l, argv[rest]))
			return WP_EXIT_USAGE;
	}
	if (!l.kinds && !l.nr_globs)
		l.kinds = (1U << NR_KINDS) - 1;
	if (l.json)
		wp_json_open(&l.j, NULL, '[');
	list_known(&l);
	if (is_asked(&l, KIND_PMU))
		list_pmus(&l);
	if (is_asked(&l, KIND_TRACEPOINT))
		list_tracepoints(&l);
	if (l.json)
		wp_json_close(&l.j, ']');
	if (wp_end_output(stdout))
		return WP_EXIT_ERROR;
	print_missing(&l);
	for (i = 0; i < l.nr_globs; i++) {
		if (l.used[i])
			continue;
		wp_err("no event matches '%s'", l.glob[i]);
		status = 1;
	}
	return status;
}
