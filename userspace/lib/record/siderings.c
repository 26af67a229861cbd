// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the per-CPU dummy events and their rings, as CPUs come and go. Called by sideband.c.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/device/rights.h"
#include "lib/perfdata/mmaprecord.h"
#include "lib/perfdata/perfdata.h"
#include "lib/record/siderecords.h"
#include "lib/record/siderings.h"

#define RECHECK_NS	1000000000ULL	/* interval between checks of each event */

/* Layout of a read of the event's descriptor; @lost only from 6.0 on. */
struct counts {
	__u64 value, enabled, lost;
};

/**
 * wp_siderings_drain() - process the records of a ring
 * @sb: the sideband
 * @r: the ring
 *
 * Return: 0 or a negative errno.
 */
int wp_siderings_drain(struct wp_sideband *sb, struct wp_sidering *r)
{
	__u64 head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
	__u64 tail = r->page->data_tail, lost = sb->stats.lost;
	int ret;

	if (head == tail)
		return 0;
	ret = wp_siderecords_feed(sb, r->cpu, (char *)r->page + r->map_size - sb->data_size,
				  sb->data_size, head, &tail);
	__atomic_store_n(&r->page->data_tail, tail, __ATOMIC_RELEASE);
	r->lost += sb->stats.lost - lost;
	return ret;
}

/**
 * wp_siderings_write_last_losses() - add a record of losses that have none
 * @sb: the sideband
 * @r: the ring
 *
 * The kernel writes a LOST record before the next record for which there is room. If no
 * record follows, only the event itself has the count.
 *
 * Return: 0 or a negative errno.
 */
int wp_siderings_write_last_losses(struct wp_sideband *sb, struct wp_sidering *r)
{
	struct counts v = { 0 };
	__u64 lost;

	if (!(sb->attr.read_format & WP_READ_LOST) || read(r->fd, &v, sizeof(v)) != sizeof(v) ||
	    v.lost <= r->lost)
		return 0;
	lost = v.lost - r->lost;
	r->lost = v.lost;
	return wp_siderecords_take_loss(sb, r->cpu, lost);
}

/**
 * wp_siderings_close() - close a ring
 * @r: the ring
 */
void wp_siderings_close(struct wp_sidering *r)
{
	munmap(r->page, r->map_size);
	close(r->fd);
}

/*
 * Drop bits that older kernels refuse, newest first: 6.0, 3.16. That for build-ids is set
 * only if it works.
 */
static bool drop_newest_bit(struct perf_event_attr *attr)
{
	if (attr->read_format & WP_READ_LOST) {
		attr->read_format &= ~WP_READ_LOST;
		return true;
	}
	if (attr->comm_exec) {
		attr->comm_exec = 0;
		return true;
	}
	if (attr->mmap2) {
		attr->mmap2 = 0;
		return true;
	}
	return false;
}

static int open_event(struct wp_sideband *sb, int cpu)
{
	struct perf_event_attr full = sb->attr;
	struct rlimit lim;
	bool raised = false;
	int fd;

	for (;;) {
		fd = syscall(SYS_perf_event_open, &sb->attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
		if (fd >= 0)
			return fd;
		if (errno == EINVAL && drop_newest_bit(&sb->attr))
			continue;
		/* The bits were not the cause. */
		if (errno == EINVAL)
			sb->attr = full;
		if (errno != EMFILE || raised || getrlimit(RLIMIT_NOFILE, &lim))
			return -errno;
		/* One descriptor per CPU: large machines need more than 1024. */
		raised = true;
		lim.rlim_cur = lim.rlim_max;
		if (setrlimit(RLIMIT_NOFILE, &lim))
			return -EMFILE;
	}
}

static int open_ring(struct wp_sideband *sb, int cpu)
{
	struct wp_sidering r = { .cpu = cpu }, *p;
	int ret;

	r.map_size = sb->data_size + sysconf(_SC_PAGESIZE);
	r.fd = open_event(sb, cpu);
	if (r.fd < 0)
		return r.fd;
	r.page = mmap(NULL, r.map_size, PROT_READ | PROT_WRITE, MAP_SHARED, r.fd, 0);
	if (r.page == MAP_FAILED) {
		ret = errno == EPERM ? -ENOBUFS : -errno;
		close(r.fd);
		return ret;
	}
	pthread_mutex_lock(&sb->lock);
	p = realloc(sb->ring, (sb->nr_rings + 1) * sizeof(*p));
	if (p) {
		sb->ring = p;
		p[sb->nr_rings++] = r;
	}
	pthread_mutex_unlock(&sb->lock);
	if (p)
		return 0;
	wp_siderings_close(&r);
	return -ENOMEM;
}

static void explain(const struct wp_sideband *sb, int cpu, int err)
{
	switch (-err) {
	case EPERM:
	case EACCES:
		wp_rights_no_event(cpu, -err);
		break;
	case ENOBUFS:
		wp_rights_no_memory("the ring of CPU %d (%zu KiB beyond kernel.perf_event_mlock_kb)",
				    cpu, sb->data_size / 1024);
		break;
	case EMFILE:
		wp_err("too many open files at CPU %d: raise the limit (ulimit -n)", cpu);
		break;
	default:
		wp_err("cannot follow processes (perf_event_open on CPU %d): %s", cpu,
		       strerror(-err));
	}
}

static int find_ring(const struct wp_sideband *sb, int cpu)
{
	unsigned int i;

	for (i = 0; i < sb->nr_rings; i++) {
		if (sb->ring[i].cpu == cpu)
			return i;
	}
	return -1;
}

static int remove_ring(struct wp_sideband *sb, int i)
{
	int ret = wp_siderings_drain(sb, &sb->ring[i]);

	if (!ret)
		ret = wp_siderings_write_last_losses(sb, &sb->ring[i]);
	pthread_mutex_lock(&sb->lock);
	wp_siderings_close(&sb->ring[i]);
	sb->ring[i] = sb->ring[--sb->nr_rings];
	sb->cut = true;
	pthread_mutex_unlock(&sb->lock);
	return ret;
}

/* Call @fn for each CPU of a list such as "0-3,8". */
static int each_cpu_of(const char *list, int (*fn)(struct wp_sideband *sb, int cpu),
		       struct wp_sideband *sb)
{
	char *end;
	int ret;

	while (isdigit((unsigned char)*list)) {
		long from = strtol(list, &end, 10), to = from;

		if (*end == '-')
			to = strtol(end + 1, &end, 10);
		for (; from <= to && from < WP_SIDE_MAX_CPUS; from++) {
			ret = fn(sb, from);
			if (ret)
				return ret;
		}
		list = *end == ',' ? end + 1 : end;
	}
	return 0;
}

static int read_online(char *buf, size_t size)
{
	ssize_t n = 0;
	int fd;

	fd = open("/sys/devices/system/cpu/online", O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, buf, size - 1);
		close(fd);
	}
	if (n <= 0)
		n = snprintf(buf, size, "0-%ld", sysconf(_SC_NPROCESSORS_ONLN) - 1);
	buf[n] = '\0';
	return 0;
}

static int open_first(struct wp_sideband *sb, int cpu)
{
	int ret = open_ring(sb, cpu);

	/* The CPU went offline after the list was read. */
	if (ret == -ENODEV)
		return 0;
	if (ret)
		explain(sb, cpu, ret);
	return ret;
}

/* During the session, a CPU without a ring is no reason to give up the others. */
static int open_later(struct wp_sideband *sb, int cpu)
{
	int ret;

	if (find_ring(sb, cpu) >= 0)
		return 0;
	ret = open_ring(sb, cpu);
	if (ret && ret != -ENODEV && !sb->failed[cpu]) {
		sb->failed[cpu] = 1;
		sb->stats.cpus_failed++;
		wp_warn("CPU %d came online and cannot be followed (%s): names and symbols of what starts there are missing",
			cpu, strerror(-ret));
	}
	return 0;
}

static bool is_listed(const char *list, int cpu)
{
	char *end;

	while (isdigit((unsigned char)*list)) {
		long from = strtol(list, &end, 10), to = from;

		if (*end == '-')
			to = strtol(end + 1, &end, 10);
		if (cpu >= from && cpu <= to)
			return true;
		list = *end == ',' ? end + 1 : end;
	}
	return false;
}

/*
 * Going offline disables a CPU's event for good, even if the CPU is back before this
 * check. The sign is that the event's time stands still.
 */
static bool is_dead(struct wp_sidering *r)
{
	struct counts v = { 0 };
	bool dead;

	if (read(r->fd, &v, sizeof(v)) < (ssize_t)offsetof(struct counts, lost))
		return true;
	dead = r->enabled && v.enabled == r->enabled;
	r->enabled = v.enabled;
	return dead;
}

/**
 * wp_siderings_open() - open a ring for each CPU that is online
 * @sb: the sideband, with the attributes of the event
 *
 * Return: 0 or a negative errno after a message.
 */
int wp_siderings_open(struct wp_sideband *sb)
{
	int ret;

	read_online(sb->online, sizeof(sb->online));
	ret = each_cpu_of(sb->online, open_first, sb);
	if (!ret && !sb->nr_rings) {
		wp_err("no CPU is online in /sys/devices/system/cpu/online");
		ret = -ENODEV;
	}
	return ret;
}

/**
 * wp_siderings_follow_hotplug() - open and close rings, as CPUs have come and gone
 * @sb: the sideband
 *
 * Return: 0 or a negative errno.
 */
int wp_siderings_follow_hotplug(struct wp_sideband *sb)
{
	char online[sizeof(sb->online)];
	__u64 now = wp_clock_now();
	bool changed, check;
	unsigned int i;
	int ret;

	check = now - sb->last_check >= RECHECK_NS;
	if (sb->opt.eager && !check)
		return 0;
	read_online(online, sizeof(online));
	changed = strcmp(online, sb->online);
	if (check)
		sb->last_check = now;
	for (i = sb->nr_rings; i-- && (changed || check);) {
		if (is_listed(online, sb->ring[i].cpu) && !(check && is_dead(&sb->ring[i])))
			continue;
		ret = remove_ring(sb, i);
		if (ret)
			return ret;
		changed = true;
	}
	if (!changed)
		return 0;
	strcpy(sb->online, online);
	return each_cpu_of(online, open_later, sb);
}
