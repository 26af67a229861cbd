// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the file of what an agent keeps when it executes itself again, to read its
 * configuration: its sums, which are cumulative, what it counted, and the messages that it
 * could not send. It is a sealed memory file, whose descriptor the environment names.
 *
 * The file has a header, the sums of each service, and messages as wp_outbox_restore() takes
 * them. Anybody may set the environment: the file must be sealed, and have the id of this
 * process, which exec keeps. All that it has is checked in addition.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/agent/agent.h"
#include "lib/base/bytes.h"
#include "lib/base/err.h"
#include "lib/base/fullio.h"
#include "lib/base/text.h"

/* The last letter is another one when a structure changes. */
#define MAGIC	"wpcarryC"

#define SEALS	(F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

/**
 * struct header - start of the file
 * @magic: MAGIC
 * @size: of this structure
 * @pid: the process
 * @services: number of services
 * @left_bytes: size of messages
 * @left: windows in them
 * @nr_windows: as in struct wp_agent, and so on
 * @ended: end of the last window
 * @sum: as in struct wp_agent
 * @idle_ns: as there
 * @paused_ns: as in struct wp_agent_pressure
 * @start: as in struct wp_agent_sums
 * @restart: as there
 * @overflowed: as there
 * @saturated: as there
 * @lost: losses of the module
 * @records_lost: as in struct wp_live
 * @unnamed: wp_livecauses_overflowed()
 * @loss: as in struct wp_outbox
 * @all: as there
 * @metrics: as there
 * @unsent: as there
 * @bytes: as there
 */
struct header {
	char magic[8];
	__u64 size;
	__u64 pid;
	__u64 services;
	__u64 left_bytes;
	struct wp_outbox_loss left;
	__u64 nr_windows;
	__u64 ended;
	__u64 sum[WP_OTLP_KINDS];
	__u64 idle_ns;
	__u64 paused_ns;
	__u64 start;
	__u64 restart;
	__u64 overflowed;
	__u64 saturated;
	__u64 lost[WALLPROF_LOSS_MAX];
	__u64 records_lost;
	__u64 unnamed[WP_LIVECAUSES];
	struct wp_outbox_loss loss[WP_OUTBOX_OUTCOMES];
	struct wp_outbox_loss all[WP_OUTBOX_OUTCOMES];
	__u64 metrics[WP_OUTBOX_OUTCOMES];
	__u64 unsent;
	__u64 bytes;
};

/**
 * struct service - sums of a service in the file
 * @placed: 0: it is of those that have no place
 * @name: name, and 0
 * @container: container, and 0
 * @group: control group, and 0
 * @start: as in struct wp_agent_sum
 * @ns: as there
 * @hist: as there
 * @hist_ns: as there
 */
struct service {
	__u64 placed;
	char name[WP_SERVICE_NAME];
	char container[WP_SERVICE_CONTAINER];
	char group[WP_SERVICE_GROUP];
	__u64 start;
	__u64 ns[WP_OTLP_KINDS];
	struct wp_hist hist;
	__u64 hist_ns[WP_OTLP_KINDS];
};

static void fill_header(struct header *h, const struct wp_agent *a,
			const struct wp_outbox_left *left)
{
	const struct wp_outbox *b = &a->outbox;
	unsigned int i;

	memset(h, 0, sizeof(*h));
	memcpy(h->magic, MAGIC, sizeof(h->magic));
	h->size = sizeof(*h);
	h->pid = getpid();
	h->services = a->sums.services.nr;
	h->left_bytes = left->bytes;
	h->left = (struct wp_outbox_loss){ left->windows, left->ns };
	h->nr_windows = a->nr_windows;
	h->ended = a->begun;
	memcpy(h->sum, a->sum, sizeof(h->sum));
	h->idle_ns = a->idle_ns;
	h->paused_ns = a->pressure.paused_ns;
	h->start = a->sums.start;
	h->restart = a->sums.restart;
	h->overflowed = a->sums.overflowed;
	h->saturated = a->sums.saturated;
	for (i = 0; i < WALLPROF_LOSS_MAX; i++)
		h->lost[i] = a->live.lost[i] + a->live.status.lost[i].count;
	h->records_lost = a->live.records_lost;
	for (i = 0; i < WP_LIVECAUSES; i++)
		h->unnamed[i] = wp_livecauses_overflowed(&a->live.causes, i);
	memcpy(h->loss, b->loss, sizeof(h->loss));
	memcpy(h->all, b->all, sizeof(h->all));
	memcpy(h->metrics, b->metrics, sizeof(h->metrics));
	h->unsent = b->unsent;
	h->bytes = b->bytes;
}

static int write_services(int fd, const struct wp_agent_sums *s, off_t *at)
{
	const char *name, *container;
	struct service out;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < s->services.nr; i++) {
		memset(&out, 0, sizeof(out));
		name = wp_agent_sums_name(s, i, &container);
		out.placed = !!name;
		snprintf(out.name, sizeof(out.name), "%s", name ? name : "");
		snprintf(out.container, sizeof(out.container), "%s", container);
		snprintf(out.group, sizeof(out.group), "%s", wp_agent_sums_group(s, i));
		out.start = s->sum[i].start;
		memcpy(out.ns, s->sum[i].ns, sizeof(out.ns));
		out.hist = s->sum[i].hist;
		memcpy(out.hist_ns, s->sum[i].hist_ns, sizeof(out.hist_ns));
		err = wp_pwrite_all(fd, &out, sizeof(out), *at);
		*at += sizeof(out);
	}
	return err;
}

static int write_left(int fd, const struct wp_outbox_left *left, off_t at)
{
	void *data;
	int err;

	if (!left->bytes)
		return 0;
	data = mmap(NULL, left->bytes, PROT_READ, MAP_SHARED, left->fd, 0);
	if (data == MAP_FAILED)
		return -errno;
	err = wp_pwrite_all(fd, data, left->bytes, at);
	munmap(data, left->bytes);
	return err;
}

/**
 * wp_agent_carry_write() - write what the agent keeps
 * @a: the agent, at the end of a window
 * @left: messages that were not sent
 *
 * Return: a descriptor, which is closed by exec; or a negative errno, after a message.
 */
int wp_agent_carry_write(const struct wp_agent *a, const struct wp_outbox_left *left)
{
	off_t at = sizeof(struct header);
	struct header h;
	int fd, err;

	fill_header(&h, a, left);
	fd = memfd_create("wallprof-carry", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	err = fd < 0 ? -errno : wp_pwrite_all(fd, &h, sizeof(h), 0);
	if (!err)
		err = write_services(fd, &a->sums, &at);
	if (!err)
		err = write_left(fd, left, at);
	if (!err && fcntl(fd, F_ADD_SEALS, SEALS))
		err = -errno;
	if (!err)
		return fd;
	wp_err("%llu window%s with %.3f s of time could not be sent, nor kept: %s",
	       (unsigned long long)left->windows, wp_plural(left->windows), left->ns / 1e9,
	       strerror(-err));
	if (fd >= 0)
		close(fd);
	return err;
}

/* The number in the environment, or -1: it is not one of a descriptor. */
static int number_of(const char *text)
{
	char *end;
	long value;

	if (*text < '0' || *text > '9')
		return -1;
	errno = 0;
	value = strtol(text, &end, 10);
	return *end || errno || value <= STDERR_FILENO || value > 1 << 20 ? -1 : value;
}

/* It has this process's id, and cannot change any more. */
static bool is_ours(struct wp_agent_carry *c)
{
	int seals = fcntl(c->fd, F_GET_SEALS);
	struct header h;
	struct stat st;

	/* There may be further ones. */
	if (seals < 0 || (seals & SEALS) != SEALS || fstat(c->fd, &st) ||
	    st.st_size < (off_t)offsetof(struct header, services) ||
	    wp_pread_all(c->fd, &h, offsetof(struct header, services), 0))
		return false;
	c->size = st.st_size;
	return !memcmp(h.magic, MAGIC, sizeof(h.magic) - 1) && h.pid == (__u64)getpid();
}

/**
 * wp_agent_carry_find() - find what an earlier program of this process kept
 * @c: set to it
 *
 * No process that starts later has it.
 */
void wp_agent_carry_find(struct wp_agent_carry *c)
{
	const char *text = getenv(WP_AGENT_CARRY);

	*c = (struct wp_agent_carry){ .fd = -1 };
	if (!text)
		return;
	c->fd = number_of(text);
	/* A descriptor that is not ours is left alone. */
	if (c->fd < 0 || !is_ours(c) || fcntl(c->fd, F_SETFD, FD_CLOEXEC)) {
		wp_warn("%s: '%s' is not what an agent left for this process: ignored",
			WP_AGENT_CARRY, text);
		*c = (struct wp_agent_carry){ .fd = -1 };
	}
	unsetenv(WP_AGENT_CARRY);
}

/* Maps it. NULL: its structures are those of another version, or it is malformed. */
static const struct header *header_of(struct wp_agent_carry *c)
{
	const struct header *h;
	void *data;

	if (!c->data && c->size >= sizeof(*h)) {
		data = mmap(NULL, c->size, PROT_READ, MAP_SHARED, c->fd, 0);
		c->data = data == MAP_FAILED ? NULL : data;
	}
	h = c->data;
	if (!h || memcmp(h->magic, MAGIC, sizeof(h->magic)) || h->size != sizeof(*h) ||
	    h->services > (c->size - sizeof(*h)) / sizeof(struct service) ||
	    h->left_bytes != c->size - sizeof(*h) - h->services * sizeof(struct service))
		return NULL;
	return h;
}

static void add_times(__u64 *to, const __u64 *more)
{
	unsigned int i;

	for (i = 0; i < WP_OTLP_KINDS; i++)
		to[i] += more[i];
}

/* Where no metrics are wanted any more, their sums end. */
static int read_service(struct wp_agent_sums *s, const void *from)
{
	struct wp_service service = { 0 };
	struct wp_agent_sum *sum;
	struct service in;

	memcpy(&in, from, sizeof(in));
	snprintf(service.name, sizeof(service.name), "%.*s", (int)sizeof(in.name) - 1, in.name);
	snprintf(service.container, sizeof(service.container), "%.*s",
		 (int)sizeof(in.container) - 1, in.container);
	snprintf(service.group, sizeof(service.group), "%.*s", (int)sizeof(in.group) - 1, in.group);
	sum = wp_agent_sum_of(s, in.placed ? &service : NULL);
	if (!sum)
		return -ENOMEM;
	sum->start = in.start;
	add_times(sum->ns, in.ns);
	add_times(sum->hist_ns, in.hist_ns);
	wp_hist_add(&sum->hist, &in.hist);
	return 0;
}

static void read_header(const struct header *h, struct wp_agent *a)
{
	struct wp_outbox *b = &a->outbox;

	a->nr_windows = h->nr_windows;
	a->begun = h->ended;
	memcpy(a->sum, h->sum, sizeof(a->sum));
	a->idle_ns = h->idle_ns;
	a->pressure.paused_ns = h->paused_ns;
	a->sums.start = h->start;
	a->sums.restart = h->restart;
	/* Those that are not used are dropped an hour after that. */
	a->sums.now = h->ended;
	a->sums.overflowed = h->overflowed;
	a->sums.saturated = h->saturated;
	memcpy(a->live.lost, h->lost, sizeof(h->lost));
	a->live.records_lost = h->records_lost;
	a->live.records_before = h->records_lost;
	memcpy(a->live.causes.before, h->unnamed, sizeof(h->unnamed));
	memcpy(b->loss, h->loss, sizeof(h->loss));
	memcpy(b->all, h->all, sizeof(h->all));
	memcpy(b->metrics, h->metrics, sizeof(h->metrics));
	b->unsent = h->unsent;
	b->bytes = h->bytes;
}

/**
 * wp_agent_carry_read() - go on with what an earlier program kept
 * @c: it; or nothing
 * @a: the agent, whose sums are empty, and whose process that sends is there
 *
 * Return: 0 or -ENOMEM, after a message.
 */
int wp_agent_carry_read(struct wp_agent_carry *c, struct wp_agent *a)
{
	const struct header *h;
	const char *at;
	__u64 i;

	if (c->fd < 0)
		return 0;
	h = header_of(c);
	if (!h) {
		wp_agent_carry_drop(c);
		return 0;
	}
	read_header(h, a);
	at = (const char *)(h + 1);
	for (i = 0; i < h->services; i++, at += sizeof(struct service)) {
		if (a->sums.wanted && read_service(&a->sums, at))
			return wp_no_memory("the metrics");
	}
	if (wp_outbox_restore(&a->outbox, at, h->left_bytes))
		wp_warn("what was not sent is damaged, and lost in part");
	/* Nothing of it is left to be lost. */
	munmap((void *)c->data, c->size);
	close(c->fd);
	*c = (struct wp_agent_carry){ .fd = -1 };
	return 0;
}

/**
 * wp_agent_carry_drop() - print what is lost, because it was not read
 * @c: it; or nothing
 */
void wp_agent_carry_drop(struct wp_agent_carry *c)
{
	const struct header *h = c->fd < 0 ? NULL : header_of(c);
	__u64 windows, ns;
	unsigned int i;

	if (h) {
		windows = h->left.windows;
		ns = h->left.ns;
		for (i = 0; i < WP_OUTBOX_OUTCOMES; i++) {
			windows += h->loss[i].windows;
			ns += h->loss[i].ns;
		}
		if (windows)
			wp_err("%llu window%s with %.3f s of time %s not sent",
			       (unsigned long long)windows, wp_plural(windows), ns / 1e9,
			       windows == 1 ? "was" : "were");
	} else if (c->fd >= 0) {
		wp_err("another version left what it had not sent: it is lost, and sums begin anew");
	}
	if (c->data)
		munmap((void *)c->data, c->size);
	if (c->fd >= 0)
		close(c->fd);
	*c = (struct wp_agent_carry){ .fd = -1 };
}
