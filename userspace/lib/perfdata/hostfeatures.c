// SPDX-License-Identifier: GPL-2.0
/*
 * The feature sections about the host: its name, kernel, CPUs, memory, caches and PMUs,
 * read from /proc and /sys. Called by perfdata.c, when a file is opened.
 *
 * Whatever cannot be read is left out, which every perf accepts, with one rule:
 * CPU_TOPOLOGY needs NRCPUS, or perf 7 refuses the file.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "lib/perfdata/features.h"
#include "lib/perfdata/hostfeatures.h"

#define SYS_CPU		"/sys/devices/system/cpu"
#define SYS_NODE	"/sys/devices/system/node"
#define SYS_MEMORY	"/sys/devices/system/memory"

#define MAX_CPUS	65536
#define MAX_CACHE_LEVEL	8

/* The first line of a file without its newline and outer blanks. */
static bool read_line(char *buf, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static bool read_line(char *buf, size_t size, const char *fmt, ...)
{
	char path[512];
	va_list ap;
	ssize_t n;
	int fd;

	va_start(ap, fmt);
	vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, buf, size - 1);
	close(fd);
	if (n <= 0)
		return false;
	buf[n] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	n = strlen(buf);
	while (n && isspace((unsigned char)buf[n - 1]))
		buf[--n] = '\0';
	return n > 0;
}

static bool read_number(long long *v, int base, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static bool read_number(long long *v, int base, const char *fmt, ...)
{
	char path[512], line[64], *end;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	if (!read_line(line, sizeof(line), "%s", path))
		return false;
	errno = 0;
	*v = strtoll(line, &end, base);
	return end != line && !errno;
}

/* One more than the largest number in a CPU list such as "0-3,8". */
static unsigned int list_limit(const char *list)
{
	unsigned long v, max = 0;
	char *end;

	while (*list) {
		if (!isdigit((unsigned char)*list)) {
			list++;
			continue;
		}
		v = strtoul(list, &end, 10);
		if (v < MAX_CPUS && v + 1 > max)
			max = v + 1;
		list = end;
	}
	return max;
}

/* perf's nr_cpus_avail: one more than the largest CPU that is present. */
static unsigned int present_cpus(void)
{
	char line[4096];
	unsigned int nr = 0;

	if (read_line(line, sizeof(line), SYS_CPU "/present"))
		nr = list_limit(line);
	if (!nr) {
		long n = sysconf(_SC_NPROCESSORS_CONF);

		nr = n > 0 ? n : 1;
	}
	return nr;
}

static void write_nrcpus(struct wp_features *f)
{
	struct wp_buf *b = wp_features_section(f, WP_FEAT_NRCPUS);
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	wp_buf_u32(b, present_cpus());
	wp_buf_u32(b, online > 0 ? online : 1);
}

static void write_cpudesc(struct wp_features *f)
{
	char *line = NULL, *p, *to;
	size_t room = 0;
	FILE *file;

	file = fopen("/proc/cpuinfo", "re");
	if (!file)
		return;
	while (getline(&line, &room, file) > 0) {
		if (strncmp(line, "model name", 10))
			continue;
		p = strchr(line, ':');
		if (!p)
			continue;
		/* Squeeze blanks, as brand strings are padded. */
		for (p++, to = line; *p; p++) {
			if (!isspace((unsigned char)*p))
				*to++ = *p;
			else if (to > line && to[-1] != ' ')
				*to++ = ' ';
		}
		if (to > line && to[-1] == ' ')
			to--;
		*to = '\0';
		if (*line)
			wp_buf_string(wp_features_section(f, WP_FEAT_CPUDESC), line);
		break;
	}
	free(line);
	fclose(file);
}

static void write_cpuid(struct wp_features *f)
{
#if defined(__x86_64__) || defined(__i386__)
	unsigned int a, b, c, d, family, model;
	char vendor[13], s[64];

	if (!__get_cpuid(0, &a, &b, &c, &d))
		return;
	memcpy(vendor, &b, 4);
	memcpy(vendor + 4, &d, 4);
	memcpy(vendor + 8, &c, 4);
	vendor[12] = '\0';
	if (!__get_cpuid(1, &a, &b, &c, &d))
		return;
	family = (a >> 8) & 0xf;
	model = (a >> 4) & 0xf;
	if (family == 0xf)
		family += (a >> 20) & 0xff;
	if (family >= 6)
		model += ((a >> 16) & 0xf) << 4;
	snprintf(s, sizeof(s), "%s,%u,%u,%u", vendor, family, model, a & 0xf);
	wp_buf_string(wp_features_section(f, WP_FEAT_CPUID), s);
#elif defined(__aarch64__)
	char s[64];

	if (read_line(s, sizeof(s), SYS_CPU "/cpu0/regs/identification/midr_el1"))
		wp_buf_string(wp_features_section(f, WP_FEAT_CPUID), s);
#endif
}

static void write_total_mem(struct wp_features *f)
{
	unsigned long long kb;
	char line[256];
	FILE *file;

	file = fopen("/proc/meminfo", "re");
	if (!file)
		return;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "MemTotal: %llu", &kb) == 1) {
			wp_buf_u64(wp_features_section(f, WP_FEAT_TOTAL_MEM), kb);
			break;
		}
	}
	fclose(file);
}

/* Distinct lists of sibling CPUs, in the order of the CPUs. */
struct lists {
	char **s;
	unsigned int nr;
};

static void lists_add(struct lists *l, const char *s)
{
	unsigned int i;
	char **p;

	for (i = 0; i < l->nr; i++) {
		if (!strcmp(l->s[i], s))
			return;
	}
	p = realloc(l->s, (l->nr + 1) * sizeof(*p));
	if (!p)
		return;
	l->s = p;
	p[l->nr] = strdup(s);
	if (p[l->nr])
		l->nr++;
}

static void lists_write(struct lists *l, struct wp_buf *b)
{
	unsigned int i;

	wp_buf_u32(b, l->nr);
	for (i = 0; i < l->nr; i++)
		wp_buf_string(b, l->s[i]);
}

static void lists_free(struct lists *l)
{
	while (l->nr)
		free(l->s[--l->nr]);
	free(l->s);
}

static void write_cpu_topology(struct wp_features *f)
{
	struct lists package = { 0 }, core = { 0 }, die = { 0 };
	unsigned int cpu, nr = present_cpus();
	char line[4096];
	long long v;

	for (cpu = 0; cpu < nr; cpu++) {
#define TOPO(what) read_line(line, sizeof(line), SYS_CPU "/cpu%u/topology/" what, cpu)
		if (TOPO("package_cpus_list") || TOPO("core_siblings_list"))
			lists_add(&package, line);
		if (TOPO("core_cpus_list") || TOPO("thread_siblings_list"))
			lists_add(&core, line);
		if (TOPO("die_cpus_list"))
			lists_add(&die, line);
#undef TOPO
	}
	if (package.nr && core.nr) {
		struct wp_buf *b = wp_features_section(f, WP_FEAT_CPU_TOPOLOGY);

		lists_write(&package, b);
		lists_write(&core, b);
		/* A CPU that is offline has no topology; perf writes -1 too. */
		for (cpu = 0; cpu < nr; cpu++) {
			if (!read_number(&v, 10, SYS_CPU "/cpu%u/topology/core_id", cpu))
				v = -1;
			wp_buf_u32(b, v);
			if (!read_number(&v, 10, SYS_CPU "/cpu%u/topology/physical_package_id",
					 cpu))
				v = -1;
			wp_buf_u32(b, v);
		}
		if (die.nr) {
			lists_write(&die, b);
			for (cpu = 0; cpu < nr; cpu++) {
				if (!read_number(&v, 10, SYS_CPU "/cpu%u/topology/die_id", cpu))
					v = -1;
				wp_buf_u32(b, v);
			}
		}
	}
	lists_free(&package);
	lists_free(&core);
	lists_free(&die);
}

static int compare_uint(const void *a, const void *b)
{
	unsigned int x = *(const unsigned int *)a, y = *(const unsigned int *)b;

	return (x > y) - (x < y);
}

/* Numbers N of the entries "<prefix>N" of a directory, sorted. */
static unsigned int *numbered_entries(const char *path, const char *prefix, unsigned int *nr)
{
	size_t len = strlen(prefix), room = 0;
	unsigned int *v = NULL, *p;
	struct dirent *e;
	DIR *dir;

	*nr = 0;
	dir = opendir(path);
	if (!dir)
		return NULL;
	while ((e = readdir(dir))) {
		unsigned long n;
		char *end;

		if (strncmp(e->d_name, prefix, len) || !isdigit((unsigned char)e->d_name[len]))
			continue;
		n = strtoul(e->d_name + len, &end, 10);
		if (*end || n > INT_MAX)
			continue;
		if (*nr == room) {
			room = 2 * room + 64;
			p = realloc(v, room * sizeof(*v));
			if (!p)
				break;
			v = p;
		}
		v[(*nr)++] = n;
	}
	closedir(dir);
	if (*nr)
		qsort(v, *nr, sizeof(*v), compare_uint);
	return v;
}

static void write_numa_topology(struct wp_features *f)
{
	struct wp_buf b = { 0 };
	unsigned int *node, nr, i, written = 0;

	node = numbered_entries(SYS_NODE, "node", &nr);
	wp_buf_u32(&b, 0);
	for (i = 0; i < nr; i++) {
		unsigned long long total = 0, unused = 0;
		char line[4096], path[128];
		FILE *file;

		snprintf(path, sizeof(path), SYS_NODE "/node%u/meminfo", node[i]);
		file = fopen(path, "re");
		if (!file)
			continue;
		while (fgets(line, sizeof(line), file)) {
			if (sscanf(line, "Node %*d MemTotal: %llu", &total) != 1 &&
			    sscanf(line, "Node %*d MemFree: %llu", &unused) == 1)
				break;
		}
		fclose(file);
		/* A node without CPUs has an empty list. */
		if (!read_line(line, sizeof(line), SYS_NODE "/node%u/cpulist", node[i]))
			line[0] = '\0';
		wp_buf_u32(&b, node[i]);
		wp_buf_u64(&b, total);
		wp_buf_u64(&b, unused);
		wp_buf_string(&b, line);
		written++;
	}
	free(node);
	if (!written || b.failed) {
		wp_buf_free(&b);
		return;
	}
	memcpy(b.data, &written, sizeof(written));
	wp_features_section(f, WP_FEAT_NUMA_TOPOLOGY);
	f->sec[WP_FEAT_NUMA_TOPOLOGY] = b;
}

static void write_pmu_mappings(struct wp_features *f)
{
	const char *path = "/sys/bus/event_source/devices";
	struct wp_buf b = { 0 };
	__u32 nr = 0;
	struct dirent *e;
	long long type;
	DIR *dir;

	dir = opendir(path);
	if (!dir)
		return;
	wp_buf_u32(&b, 0);
	while ((e = readdir(dir))) {
		if (e->d_name[0] == '.' ||
		    !read_number(&type, 10, "%s/%s/type", path, e->d_name))
			continue;
		wp_buf_u32(&b, type);
		wp_buf_string(&b, e->d_name);
		nr++;
	}
	closedir(dir);
	if (!nr || b.failed) {
		wp_buf_free(&b);
		return;
	}
	memcpy(b.data, &nr, sizeof(nr));
	wp_features_section(f, WP_FEAT_PMU_MAPPINGS);
	f->sec[WP_FEAT_PMU_MAPPINGS] = b;
}

struct cache {
	__u32 level, line_size, sets, ways;
	char type[32], size[32], map[4096];
};

static bool read_cache(struct cache *c, unsigned int cpu, unsigned int index)
{
	long long level, line_size, sets, ways;

#define CACHE_DIR SYS_CPU "/cpu%u/cache/index%u/"
	memset(c, 0, sizeof(*c));
	if (!read_number(&level, 10, CACHE_DIR "level", cpu, index) ||
	    !read_number(&line_size, 10, CACHE_DIR "coherency_line_size", cpu, index) ||
	    !read_number(&sets, 10, CACHE_DIR "number_of_sets", cpu, index) ||
	    !read_number(&ways, 10, CACHE_DIR "ways_of_associativity", cpu, index) ||
	    !read_line(c->type, sizeof(c->type), CACHE_DIR "type", cpu, index) ||
	    !read_line(c->size, sizeof(c->size), CACHE_DIR "size", cpu, index) ||
	    !read_line(c->map, sizeof(c->map), CACHE_DIR "shared_cpu_list", cpu, index))
		return false;
#undef CACHE_DIR
	c->level = level;
	c->line_size = line_size;
	c->sets = sets;
	c->ways = ways;
	return true;
}

static int compare_cache(const void *a, const void *b)
{
	const struct cache *x = a, *y = b;

	return (x->level > y->level) - (x->level < y->level);
}

static void write_cache(struct wp_features *f)
{
	unsigned int cpu, index, i, nr = 0, room = 0, cpus = present_cpus();
	struct cache *cache = NULL, c, *p;
	struct wp_buf *b;

	for (cpu = 0; cpu < cpus; cpu++) {
		for (index = 0; index < MAX_CACHE_LEVEL; index++) {
			if (!read_cache(&c, cpu, index))
				break;
			for (i = 0; i < nr; i++) {
				if (!memcmp(&cache[i], &c, sizeof(c)))
					break;
			}
			if (i < nr)
				continue;
			if (nr == room) {
				room = 2 * room + 8;
				p = realloc(cache, room * sizeof(*p));
				if (!p)
					goto out;
				cache = p;
			}
			cache[nr++] = c;
		}
	}
	if (!nr)
		goto out;
	qsort(cache, nr, sizeof(*cache), compare_cache);
	b = wp_features_section(f, WP_FEAT_CACHE);
	wp_buf_u32(b, 1);
	wp_buf_u32(b, nr);
	for (i = 0; i < nr; i++) {
		wp_buf_u32(b, cache[i].level);
		wp_buf_u32(b, cache[i].line_size);
		wp_buf_u32(b, cache[i].sets);
		wp_buf_u32(b, cache[i].ways);
		wp_buf_string(b, cache[i].type);
		wp_buf_string(b, cache[i].size);
		wp_buf_string(b, cache[i].map);
	}
out:
	free(cache);
}

static void write_mem_topology(struct wp_features *f)
{
	unsigned int *node, *mem, nr, nr_mem, i, j;
	struct wp_buf *b;
	long long block;

	if (!read_number(&block, 16, SYS_MEMORY "/block_size_bytes"))
		return;
	node = numbered_entries(SYS_NODE, "node", &nr);
	if (!nr)
		return;
	b = wp_features_section(f, WP_FEAT_MEM_TOPOLOGY);
	wp_buf_u64(b, 1);
	wp_buf_u64(b, block);
	wp_buf_u64(b, nr);
	for (i = 0; i < nr; i++) {
		__u64 size, *bits;
		char path[128];

		snprintf(path, sizeof(path), SYS_NODE "/node%u", node[i]);
		mem = numbered_entries(path, "memory", &nr_mem);
		size = nr_mem ? mem[nr_mem - 1] + 1 : 1;
		bits = calloc((size + 63) / 64, sizeof(*bits));
		if (!bits) {
			b->failed = 1;
			free(mem);
			break;
		}
		for (j = 0; j < nr_mem; j++)
			bits[mem[j] / 64] |= 1ULL << mem[j] % 64;
		wp_buf_u64(b, node[i]);
		wp_buf_u64(b, size);
		/* The bitmap repeats its size in bits. */
		wp_buf_u64(b, size);
		wp_buf_add(b, bits, (size + 63) / 64 * sizeof(*bits));
		free(bits);
		free(mem);
	}
	free(node);
}

/**
 * wp_features_host() - fill in the sections about the host
 * @f: the sections
 */
void wp_features_host(struct wp_features *f)
{
	struct utsname uts;

	if (!uname(&uts)) {
		wp_buf_string(wp_features_section(f, WP_FEAT_HOSTNAME), uts.nodename);
		wp_buf_string(wp_features_section(f, WP_FEAT_OSRELEASE), uts.release);
		wp_buf_string(wp_features_section(f, WP_FEAT_ARCH), uts.machine);
	}
	write_nrcpus(f);
	write_cpudesc(f);
	write_cpuid(f);
	write_total_mem(f);
	write_cpu_topology(f);
	write_numa_topology(f);
	write_pmu_mappings(f);
	write_cache(f);
	write_mem_topology(f);
}
