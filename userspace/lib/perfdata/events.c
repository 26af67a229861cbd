// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the names of events, their terms and modifiers. Called by eventlist.c, once for each
 * event, before anything is opened, so clarity matters more than speed.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/base/nearest.h"
#include "lib/perfdata/events.h"

#define MAX_SPEC	200	/* leaves room in wp_event.name */
#define MAX_ALIAS_DEPTH	4

static const char *sysfs_devices = "/sys/bus/event_source/devices";
static const char *tracefs;	/* NULL: use the two default paths */

/* The first name of a config is the canonical one. */
static const struct known {
	const char *name;
	__u32 type;
	__u64 config;
} known[] = {
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	{ "bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES },
	{ "ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES },
	{ "stalled-cycles-frontend", PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "idle-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "idle-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS },
	{ "emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS },
};

#define NR_KNOWN	(sizeof(known) / sizeof(known[0]))

#define OP(op)	(1 << PERF_COUNT_HW_CACHE_OP_ ## op)

/* The combinations that exist, as in perf's evsel__hw_cache_stat. */
static const struct {
	const char *name;
	unsigned int ops;
} caches[] = {
	[PERF_COUNT_HW_CACHE_L1D] = { "L1-dcache", OP(READ) | OP(WRITE) | OP(PREFETCH) },
	[PERF_COUNT_HW_CACHE_L1I] = { "L1-icache", OP(READ) | OP(PREFETCH) },
	[PERF_COUNT_HW_CACHE_LL] = { "LLC", OP(READ) | OP(WRITE) | OP(PREFETCH) },
	[PERF_COUNT_HW_CACHE_DTLB] = { "dTLB", OP(READ) | OP(WRITE) | OP(PREFETCH) },
	[PERF_COUNT_HW_CACHE_ITLB] = { "iTLB", OP(READ) },
	[PERF_COUNT_HW_CACHE_BPU] = { "branch", OP(READ) },
	[PERF_COUNT_HW_CACHE_NODE] = { "node", OP(READ) | OP(WRITE) | OP(PREFETCH) },
};

#define NR_CACHES	(sizeof(caches) / sizeof(caches[0]))
#define NR_OPS		3
#define NR_CACHE_NAMES	(NR_CACHES * NR_OPS * 2)

/**
 * wp_events_set_roots() - set the directories of PMUs and tracepoints
 * @devices: instead of /sys/bus/event_source/devices; NULL: there
 * @tracing: instead of /sys/kernel/tracing; NULL: there
 *
 * For tests.
 */
void wp_events_set_roots(const char *devices, const char *tracing)
{
	sysfs_devices = devices ? devices : "/sys/bus/event_source/devices";
	tracefs = tracing;
}

/* Name number @i of all cache events; false if there is no such event. */
static bool cache_name(unsigned int i, char *name, size_t size, __u64 *config)
{
	static const char * const ops[NR_OPS][2] = {
		[PERF_COUNT_HW_CACHE_OP_READ] = { "loads", "load-misses" },
		[PERF_COUNT_HW_CACHE_OP_WRITE] = { "stores", "store-misses" },
		[PERF_COUNT_HW_CACHE_OP_PREFETCH] = { "prefetches", "prefetch-misses" },
	};
	unsigned int miss = i % 2, op = i / 2 % NR_OPS, cache = i / 2 / NR_OPS;

	if (cache >= NR_CACHES || !(caches[cache].ops & 1 << op))
		return false;
	snprintf(name, size, "%s-%s", caches[cache].name, ops[op][miss]);
	*config = cache | op << 8 | miss << 16;
	return true;
}

/**
 * wp_events_known() - get an event that has a name of its own: of hardware, software, caches
 * @ev: its name, type and config are set; the name is empty if there is none at this place
 * @nr: from 0 on; other names of an event follow its first
 *
 * Return: whether there can be more.
 */
bool wp_events_known(struct wp_event *ev, unsigned int nr)
{
	memset(ev, 0, sizeof(*ev));
	if (nr < NR_KNOWN) {
		ev->type = known[nr].type;
		ev->config = known[nr].config;
		strcpy(ev->name, known[nr].name);
		return true;
	}
	ev->type = PERF_TYPE_HW_CACHE;
	if (!cache_name(nr - NR_KNOWN, ev->name, sizeof(ev->name), &ev->config))
		ev->name[0] = '\0';
	return nr - NR_KNOWN < NR_CACHE_NAMES;
}

/**
 * wp_events_devices() - the directory of the PMUs
 *
 * Return: the directory.
 */
const char *wp_events_devices(void)
{
	return sysfs_devices;
}

static void consider_dir(struct wp_nearest *n, const char *path)
{
	struct dirent *e;
	DIR *dir = opendir(path);

	if (!dir)
		return;
	while ((e = readdir(dir))) {
		if (e->d_name[0] != '.')
			wp_nearest_offer(n, e->d_name);
	}
	closedir(dir);
}

static int unknown_event(const char *name)
{
	struct wp_nearest n = WP_NEAREST(name);
	unsigned int i;
	char s[64];
	__u64 config;

	for (i = 0; i < NR_KNOWN; i++)
		wp_nearest_offer(&n, known[i].name);
	for (i = 0; i < NR_CACHE_NAMES; i++) {
		if (cache_name(i, s, sizeof(s), &config))
			wp_nearest_offer(&n, s);
	}
	wp_nearest_offer(&n, "none");
	if (wp_nearest_found(&n))
		wp_err("-e %s: no such event; did you mean '%s'? 'wallprof list' shows all",
		       name, n.name);
	else
		wp_err("-e %s: no such event; 'wallprof list' shows all", name);
	return -EINVAL;
}

/* Read a small file, without the newline. */
static int read_file(char *buf, size_t size, const char *path)
{
	ssize_t n;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, buf, size - 1);
	close(fd);
	if (n < 0)
		return -EIO;
	buf[n] = '\0';
	while (n && isspace((unsigned char)buf[n - 1]))
		buf[--n] = '\0';
	return 0;
}

/* Names become parts of paths. */
static bool is_name(const char *s)
{
	if (!*s || *s == '.')
		return false;
	for (; *s; s++) {
		if (!isalnum((unsigned char)*s) && !strchr("_-.@", *s))
			return false;
	}
	return true;
}

static int parse_modifiers(struct wp_event *ev, const char *spec, const char *mods)
{
	bool modes = false, user = false, kernel = false, hv = false;
	const char *m;

	for (m = mods; *m; m++) {
		switch (*m) {
		case 'u':
			modes = true;
			user = true;
			break;
		case 'k':
			modes = true;
			kernel = true;
			break;
		case 'h':
			modes = true;
			hv = true;
			break;
		case 'p':
			if (++ev->precise_ip <= 3)
				break;
			wp_err("-e %s: 'p' is given more than three times", spec);
			return -EINVAL;
		default:
			wp_err("-e %s: unknown modifier '%c' (known are u, k, h, p, pp, ppp)",
			       spec, *m);
			return -EINVAL;
		}
	}
	if (modes) {
		ev->exclude_user = !user;
		ev->exclude_kernel = !kernel;
		ev->exclude_hv = !hv;
	}
	return 0;
}

static int parse_number(__u64 *v, const char *s)
{
	char *end;

	if (!isdigit((unsigned char)*s))
		return -EINVAL;
	errno = 0;
	*v = strtoull(s, &end, 0);
	return *end || errno ? -EINVAL : 0;
}

/*
 * Put @value into the bits that @format names, such as "config:0-7,32-35",
 * the lowest bits first.
 */
static int apply_format(struct wp_event *ev, const char *spec, const char *term,
			const char *format, __u64 value)
{
	unsigned int used = 0, from, to, bit;
	__u64 set = 0, clear = 0, *config;
	const char *p;
	char *end;

	if (!strncmp(format, "config:", 7))
		config = &ev->config;
	else if (!strncmp(format, "config1:", 8))
		config = &ev->config1;
	else if (!strncmp(format, "config2:", 8))
		config = &ev->config2;
	else
		goto bad;
	for (p = strchr(format, ':') + 1; ; p = end + 1) {
		if (!isdigit((unsigned char)*p))
			goto bad;
		from = strtoul(p, &end, 10);
		to = from;
		if (*end == '-') {
			p = end + 1;
			if (!isdigit((unsigned char)*p))
				goto bad;
			to = strtoul(p, &end, 10);
		}
		if (from > to || to > 63)
			goto bad;
		for (bit = from; bit <= to; bit++, used++) {
			clear |= 1ULL << bit;
			if (used < 64 && value >> used & 1)
				set |= 1ULL << bit;
		}
		if (!*end)
			break;
		if (*end != ',')
			goto bad;
	}
	if (used < 64 && value >> used) {
		wp_err("-e %s: value 0x%llx is too big for %s, whose maximum is 0x%llx",
		       spec, (unsigned long long)value, term,
		       (unsigned long long)(1ULL << used) - 1);
		return -EINVAL;
	}
	*config = (*config & ~clear) | set;
	return 0;
bad:
	wp_err("-e %s: the format of %s in sysfs is '%s', which is not known here",
	       spec, term, format);
	return -EINVAL;
}

/*
 * The events of the off-CPU times are known by their names, which no other one may have: its
 * counts would be taken for nanoseconds.
 */
static int parse_own_name(struct wp_event *ev, const char *spec, const char *name)
{
	static const char * const taken[] = { "offcpu-time", "runnable-time", "wakeup-time" };
	size_t len = strcspn(name, ":"), i;

	for (i = 0; i < sizeof(taken) / sizeof(taken[0]); i++) {
		if (len != strlen(taken[i]) || strncmp(name, taken[i], len))
			continue;
		wp_err("-e %s: %s is the name of another event of the file", spec, taken[i]);
		return -EINVAL;
	}
	if (!*name) {
		wp_err("-e %s: the name is empty", spec);
		return -EINVAL;
	}
	snprintf(ev->name, sizeof(ev->name), "%s", name);
	return 0;
}

/*
 * A term that any event may have. Returns 0, -ENOENT if it is another one, or -EINVAL after a
 * message.
 */
static int parse_common_term(struct wp_event *ev, const char *spec, const char *term,
			     const char *value)
{
	bool period = !strcmp(term, "period"), freq = !strcmp(term, "freq");
	char what[MAX_SPEC + 32];
	__u64 v;

	if (!value)
		return -ENOENT;
	if (!strcmp(term, "name"))
		return parse_own_name(ev, spec, value);
	if (!strcmp(term, "call-graph")) {
		ev->has_call_graph = true;
		snprintf(what, sizeof(what), "-e %s: call-graph", spec);
		return wp_call_graph_parse(&ev->call_graph, what, value);
	}
	if (!period && !freq && strcmp(term, "max-stack"))
		return -ENOENT;
	if (parse_number(&v, value) || !v || v > LLONG_MAX || (!period && v > INT_MAX)) {
		wp_err("-e %s: '%s' is not a number for %s", spec, value, term);
		return -EINVAL;
	}
	if (period)
		ev->period = v;
	else if (freq)
		ev->freq = v;
	else
		ev->max_stack = v;
	return 0;
}

static int parse_terms(struct wp_event *ev, const char *spec, const char *pmu, char *terms,
		       int depth);

/* @pmu is NULL for an event that has the common terms only. */
static int parse_term(struct wp_event *ev, const char *spec, const char *pmu, char *term,
		      int depth)
{
	struct wp_nearest n = WP_NEAREST(term);
	char *value = strchr(term, '=');
	char path[1024], text[512];
	__u64 v = 1;
	int ret;

	if (value)
		*value++ = '\0';
	ret = parse_common_term(ev, spec, term, value);
	if (ret != -ENOENT)
		return ret;
	if (!is_name(term) || !pmu) {
		wp_err("-e %s: '%s' is not a term; known are period=N, freq=N, max-stack=N, call-graph=WORD and name=NAME",
		       spec, term);
		return -EINVAL;
	}
	if (value && parse_number(&v, value)) {
		if (depth && !strcmp(value, "?"))
			wp_err("-e %s: the event needs a value for %s", spec, term);
		else
			wp_err("-e %s: '%s' is not a number for %s", spec, value, term);
		return -EINVAL;
	}
	if (!strcmp(term, "config"))
		return apply_format(ev, spec, term, "config:0-63", v);
	if (!strcmp(term, "config1"))
		return apply_format(ev, spec, term, "config1:0-63", v);
	if (!strcmp(term, "config2"))
		return apply_format(ev, spec, term, "config2:0-63", v);

	snprintf(path, sizeof(path), "%s/%s/format/%s", sysfs_devices, pmu, term);
	if (!read_file(text, sizeof(text), path))
		return apply_format(ev, spec, term, text, v);

	snprintf(path, sizeof(path), "%s/%s/events/%s", sysfs_devices, pmu, term);
	if (!value && depth < MAX_ALIAS_DEPTH && !read_file(text, sizeof(text), path))
		return parse_terms(ev, spec, pmu, text, depth + 1);

	snprintf(path, sizeof(path), "%s/%s/format", sysfs_devices, pmu);
	consider_dir(&n, path);
	snprintf(path, sizeof(path), "%s/%s/events", sysfs_devices, pmu);
	consider_dir(&n, path);
	if (wp_nearest_found(&n))
		wp_err("-e %s: %s has no term or event '%s'; did you mean '%s'?", spec, pmu,
		       term, n.name);
	else
		wp_err("-e %s: %s has no term or event '%s'; 'wallprof list' shows its events, %s/%s/format its terms",
		       spec, pmu, term, sysfs_devices, pmu);
	return -EINVAL;
}

static int parse_terms(struct wp_event *ev, const char *spec, const char *pmu, char *terms,
		       int depth)
{
	char *term;
	int ret;

	while ((term = strsep(&terms, ","))) {
		if (!*term)
			continue;
		ret = parse_term(ev, spec, pmu, term, depth);
		if (ret)
			return ret;
	}
	return 0;
}

static int parse_pmu(struct wp_event *ev, const char *spec, const char *copy, char *terms,
		     const char *mods)
{
	char path[1024], text[64];
	__u64 type;
	int ret;

	snprintf(path, sizeof(path), "%s/%s/type", sysfs_devices, copy);
	if (!is_name(copy) || read_file(text, sizeof(text), path) || parse_number(&type, text) ||
	    type > 0xffffffff) {
		struct wp_nearest n = WP_NEAREST(copy);

		consider_dir(&n, sysfs_devices);
		if (wp_nearest_found(&n))
			wp_err("-e %s: no PMU '%s'; did you mean '%s'?", spec, copy, n.name);
		else
			wp_err("-e %s: no PMU '%s'; %s lists them", spec, copy, sysfs_devices);
		return -ENODEV;
	}
	ev->type = type;
	snprintf(ev->name, sizeof(ev->name), "%s", spec);
	ret = parse_terms(ev, spec, copy, terms, 0);
	return ret ? ret : parse_modifiers(ev, spec, mods);
}

/**
 * wp_events_tracefs() - a directory where tracefs may be mounted
 * @nr: 0 or 1
 *
 * Return: the directory, or NULL: there are no more.
 */
const char *wp_events_tracefs(unsigned int nr)
{
	static const char * const roots[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

	if (tracefs)
		return nr ? NULL : tracefs;
	return nr < sizeof(roots) / sizeof(roots[0]) ? roots[nr] : NULL;
}

static int parse_tracepoint(struct wp_event *ev, const char *spec, const char *sys,
			    const char *rest)
{
	const char *root;
	char name[MAX_SPEC + 1], path[1024], text[64];
	struct wp_nearest n = WP_NEAREST(name);
	unsigned int i;
	char *mods;
	int ret = -ENOENT;
	__u64 id;

	strcpy(name, rest);
	mods = strchr(name, ':');
	if (mods)
		*mods++ = '\0';
	if (!is_name(sys) || !is_name(name)) {
		wp_err("-e %s: neither an event nor a tracepoint; 'wallprof list' shows all", spec);
		return -EINVAL;
	}
	for (i = 0; (root = wp_events_tracefs(i)) && ret; i++) {
		snprintf(path, sizeof(path), "%s/events/%s/%s/id", root, sys, name);
		ret = read_file(text, sizeof(text), path);
		if (ret == -EACCES || ret == -EPERM) {
			wp_err("-e %s: %s may not be read; root may", spec, path);
			return ret;
		}
		snprintf(path, sizeof(path), "%s/events/%s", root, sys);
		if (ret)
			consider_dir(&n, path);
	}
	if (ret || parse_number(&id, text)) {
		if (wp_nearest_found(&n))
			wp_err("-e %s: no such tracepoint; did you mean '%s:%s'?", spec, sys,
			       n.name);
		else
			wp_err("-e %s: no such tracepoint; 'wallprof list' shows all (is tracefs mounted?)",
			       spec);
		return -ENOENT;
	}
	ev->type = PERF_TYPE_TRACEPOINT;
	ev->config = id;
	snprintf(ev->name, sizeof(ev->name), "%s", spec);
	snprintf(ev->tracepoint, sizeof(ev->tracepoint), "%s:%s", sys, name);
	return mods ? parse_modifiers(ev, spec, mods) : 0;
}

/* r and 1 to 16 hexadecimal digits */
static bool is_raw(const char *s, __u64 *config)
{
	size_t len = strlen(s);

	if (s[0] != 'r' || len < 2 || len > 17 ||
	    strspn(s + 1, "0123456789abcdefABCDEF") != len - 1)
		return false;
	*config = strtoull(s + 1, NULL, 16);
	return true;
}

/* A name without modifiers; @ev->name becomes the canonical one. */
static bool parse_name(struct wp_event *ev, const char *name)
{
	unsigned int i, j;
	__u64 config;
	char s[64];

	for (i = 0; i < NR_KNOWN; i++) {
		if (strcmp(name, known[i].name))
			continue;
		for (j = 0; known[j].type != known[i].type || known[j].config != known[i].config;)
			j++;
		ev->type = known[i].type;
		ev->config = known[i].config;
		snprintf(ev->name, sizeof(ev->name), "%s", known[j].name);
		return true;
	}
	for (i = 0; i < NR_CACHE_NAMES; i++) {
		if (!cache_name(i, s, sizeof(s), &config) || strcmp(name, s))
			continue;
		ev->type = PERF_TYPE_HW_CACHE;
		ev->config = config;
		snprintf(ev->name, sizeof(ev->name), "%s", s);
		return true;
	}
	if (is_raw(name, &config)) {
		ev->type = PERF_TYPE_RAW;
		ev->config = config;
		snprintf(ev->name, sizeof(ev->name), "%s", name);
		return true;
	}
	return false;
}

/* An event without terms: NAME[:MODIFIERS], or a tracepoint with them. */
static int parse_plain(struct wp_event *ev, const char *spec)
{
	char name[MAX_SPEC + 1];
	char *colon;
	size_t len;
	int ret;

	strcpy(name, spec);
	colon = strchr(name, ':');
	if (colon)
		*colon++ = '\0';
	if (parse_name(ev, name)) {
		if (!colon)
			return 0;
		ret = parse_modifiers(ev, spec, colon);
		len = strlen(ev->name);
		if (*colon)
			snprintf(ev->name + len, sizeof(ev->name) - len, ":%s", colon);
		return ret;
	}
	if (!colon)
		return unknown_event(name);
	/* "cylces:u" is a misspelled event, not a tracepoint. */
	if (strlen(colon) <= 3 && strspn(colon, "ukhp") == strlen(colon))
		return unknown_event(name);
	return parse_tracepoint(ev, spec, name, colon);
}

/* NAME/TERMS/[[:]MODIFIERS]: of a PMU, or of what has a name of its own. */
static int parse_with_terms(struct wp_event *ev, const char *spec)
{
	char copy[MAX_SPEC + 1], plain[MAX_SPEC + 1];
	char *terms, *mods;
	int ret;

	strcpy(copy, spec);
	terms = strchr(copy, '/');
	*terms++ = '\0';
	mods = strchr(terms, '/');
	if (!mods) {
		wp_err("-e %s: the second '/' is missing, as in cpu/event=0x3c/", spec);
		return -EINVAL;
	}
	*mods++ = '\0';
	if (*mods == ':')
		mods++;
	if (!strchr(copy, ':') && !parse_name(ev, copy))
		return parse_pmu(ev, spec, copy, terms, mods);
	snprintf(plain, sizeof(plain), "%s%s%s", copy, *mods ? ":" : "", mods);
	ret = parse_plain(ev, plain);
	return ret ? ret : parse_terms(ev, spec, NULL, terms, 0);
}

/**
 * wp_event_parse() - parse an event
 * @ev: filled in
 * @spec: as it was given
 *
 * Return: 0, or a negative errno after a message that names the event and, if
 * there is one, a near name.
 */
int wp_event_parse(struct wp_event *ev, const char *spec)
{
	memset(ev, 0, sizeof(*ev));
	if (!*spec) {
		wp_err("-e: the event is empty; 'wallprof list' shows all");
		return -EINVAL;
	}
	if (strlen(spec) > MAX_SPEC) {
		wp_err("-e: the event has more than %d characters", MAX_SPEC);
		return -EINVAL;
	}
	if (!strcmp(spec, "none")) {
		ev->none = true;
		strcpy(ev->name, "none");
		return 0;
	}
	return strchr(spec, '/') ? parse_with_terms(ev, spec) : parse_plain(ev, spec);
}

/**
 * wp_event_settle() - set how often an event is sampled, unless its terms did
 * @ev: the event
 * @freq: samples per second, or 0
 * @period: events per sample, if @freq is 0
 */
void wp_event_settle(struct wp_event *ev, __u64 freq, __u64 period)
{
	if (ev->period) {
		ev->freq = 0;
	} else if (!ev->freq) {
		ev->freq = freq;
		ev->period = freq ? 0 : period;
	}
}

/**
 * wp_event_to_attr() - copy an event into the kernel's struct
 * @ev: the event
 * @attr: type, configs, exclude bits and precise_ip are set
 */
void wp_event_to_attr(const struct wp_event *ev, struct perf_event_attr *attr)
{
	attr->type = ev->type;
	attr->config = ev->config;
	attr->config1 = ev->config1;
	attr->config2 = ev->config2;
	attr->exclude_user = ev->exclude_user;
	attr->exclude_kernel = ev->exclude_kernel;
	attr->exclude_hv = ev->exclude_hv;
	attr->precise_ip = ev->precise_ip;
}
