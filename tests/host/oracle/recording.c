// SPDX-License-Identifier: GPL-2.0
/*
 * A perf.data of perf record --call-graph dwarf.
 *
 * Its records are read in the order in which they are in the file, which is
 * that of time if they come from one CPU.
 */
#include <err.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "recording.h"

/* In front of the file, as perf's own perf.data-file-format.txt has it. */
struct section {
	__u64 offset, size;
};

struct head {
	char magic[8];
	__u64 size, attr_size;
	struct section attrs, data;
};

/* An event, and its ids: one for each CPU. */
struct event {
	struct perf_event_attr attr;
	const __u64 *ids;
	size_t nr_ids;
};

struct recording {
	const char *path, *bytes, *at, *end;
	size_t size;
	struct event *event;
	size_t nr_events;
	struct user_regs_struct regs;
};

/* Bytes of the file; ends the program if there are none. */
static const void *bytes_of(const struct recording *r, struct section s)
{
	if (s.offset > r->size || s.size > r->size - s.offset)
		errx(2, "%s: cut off", r->path);
	return r->bytes + s.offset;
}

static void read_events(struct recording *r, const struct head *head)
{
	const char *at = bytes_of(r, head->attrs);
	size_t size = head->attr_size - sizeof(struct section), i;

	r->nr_events = head->attrs.size / head->attr_size;
	r->event = calloc(r->nr_events, sizeof(*r->event));
	if (!r->event)
		err(2, "events");
	for (i = 0; i < r->nr_events; i++, at += head->attr_size) {
		struct event *e = &r->event[i];
		struct section s;

		memcpy(&e->attr, at, size < sizeof(e->attr) ? size : sizeof(e->attr));
		memcpy(&s, at + size, sizeof(s));
		e->ids = bytes_of(r, s);
		e->nr_ids = s.size / sizeof(*e->ids);
	}
}

struct recording *recording_open(const char *path)
{
	struct recording *r = calloc(1, sizeof(*r));
	const struct head *head;
	struct stat st;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (!r || fd < 0 || fstat(fd, &st))
		err(2, "%s", path);
	r->path = path;
	r->size = st.st_size;
	r->bytes = mmap(NULL, r->size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (r->bytes == MAP_FAILED)
		err(2, "%s", path);
	head = bytes_of(r, (struct section){ 0, sizeof(*head) });
	if (memcmp(head->magic, "PERFILE2", 8) || head->attr_size <= sizeof(struct section))
		errx(2, "%s: no perf.data", path);
	read_events(r, head);
	r->at = bytes_of(r, head->data);
	r->end = r->at + head->data.size;
	return r;
}

static __u64 word(const char **at)
{
	__u64 value;

	memcpy(&value, *at, sizeof(value));
	*at += sizeof(value);
	return value;
}

/* Registers in the order of perf's numbers; asm/perf_regs.h. */
static void read_regs(struct recording *r, __u64 mask, const char **at)
{
	struct user_regs_struct *u = &r->regs;
	unsigned long long *const to[] = {
		&u->rax, &u->rbx, &u->rcx, &u->rdx, &u->rsi, &u->rdi, &u->rbp, &u->rsp,
		&u->rip, &u->eflags, &u->cs, &u->ss, NULL, NULL, NULL, NULL,
		&u->r8, &u->r9, &u->r10, &u->r11, &u->r12, &u->r13, &u->r14, &u->r15,
	};
	size_t i;

	for (i = 0; i < 64; i++) {
		__u64 value;

		if (!(mask >> i & 1))
			continue;
		value = word(at);
		if (i < sizeof(to) / sizeof(*to) && to[i])
			*to[i] = value;
	}
}

/*
 * The event of a sample. Its id comes first, or, where the samples of all events
 * are alike, behind what precedes it in any of them.
 */
static const struct event *event_of(const struct recording *r, const char *sample)
{
	__u64 type = r->event->attr.sample_type, id;
	size_t i, j;

	if (!(type & PERF_SAMPLE_IDENTIFIER))
		sample += 8 * __builtin_popcountll(type &
			(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR));
	id = word(&sample);
	for (i = 0; i < r->nr_events; i++) {
		for (j = 0; j < r->event[i].nr_ids; j++) {
			if (r->event[i].ids[j] == id)
				return &r->event[i];
		}
	}
	errx(2, "%s: a sample of no event", r->path);
}

/* What is needed of each event's samples, and that we can read what comes before. */
#define NEEDED	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_REGS_USER | \
		 PERF_SAMPLE_STACK_USER)
#define UNKNOWN	(PERF_SAMPLE_READ | PERF_SAMPLE_BRANCH_STACK)

static void read_sample(struct recording *r, const char *at, struct record *record)
{
	const struct event *event = r->nr_events > 1 ? event_of(r, at) : r->event;
	__u64 type = event->attr.sample_type, n;

	if ((type & NEEDED) != NEEDED || type & UNKNOWN)
		errx(2, "%s: not of perf record --call-graph dwarf", r->path);
	record->switched = event->attr.config == PERF_COUNT_SW_CONTEXT_SWITCHES;
	if (type & PERF_SAMPLE_IDENTIFIER)
		at += 8;
	if (type & PERF_SAMPLE_IP)
		at += 8;
	n = word(&at);
	record->pid = (__u32)n;
	record->tid = n >> 32;
	record->time = word(&at);
	if (type & PERF_SAMPLE_ADDR)
		at += 8;
	if (type & PERF_SAMPLE_ID)
		at += 8;
	if (type & PERF_SAMPLE_STREAM_ID)
		at += 8;
	if (type & PERF_SAMPLE_CPU)
		at += 8;
	if (type & PERF_SAMPLE_PERIOD)
		at += 8;
	if (type & PERF_SAMPLE_CALLCHAIN) {
		n = word(&at);
		at += 8 * n;
	}
	if (type & PERF_SAMPLE_RAW) {
		__u32 size;

		memcpy(&size, at, sizeof(size));
		at += sizeof(size) + size;
	}
	if (word(&at)) {
		read_regs(r, event->attr.sample_regs_user, &at);
		record->regs = &r->regs;
	}
	n = word(&at);
	record->stack = at;
	if (n) {
		at += n;
		record->size = word(&at);
	}
}

/* The next that matters; whether there was one. */
bool recording_next(struct recording *r, struct record *record)
{
	while (r->at < r->end) {
		const struct perf_event_header *head = (const void *)r->at;
		const char *at = r->at + sizeof(*head);
		__u64 ids;

		if (head->size < sizeof(*head) || head->size > r->end - r->at)
			errx(2, "%s: cut off", r->path);
		r->at += head->size;
		memset(record, 0, sizeof(*record));
		switch (head->type) {
		case PERF_RECORD_MMAP2:
			if (head->misc & PERF_RECORD_MISC_MMAP_DATA)
				continue;
			record->kind = RECORD_MAP;
			record->pid = (__u32)word(&at);
			record->start = word(&at);
			record->end = record->start + word(&at);
			record->offset = word(&at);
			record->name = at + 32;
			return true;
		case PERF_RECORD_FORK:
			record->kind = RECORD_FORK;
			ids = word(&at);
			record->pid = (__u32)ids;
			record->parent = ids >> 32;
			return true;
		case PERF_RECORD_COMM:
			if (!(head->misc & PERF_RECORD_MISC_COMM_EXEC))
				continue;
			record->kind = RECORD_EXEC;
			record->pid = (__u32)word(&at);
			record->name = at;
			return true;
		case PERF_RECORD_SAMPLE:
			record->kind = RECORD_SAMPLE;
			read_sample(r, at, record);
			return true;
		}
	}
	return false;
}
