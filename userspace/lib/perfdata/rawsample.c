// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the raw payload of samples of off-CPU time (record -R): state, reason, waker and
 * numbers, in the form of a tracepoint's record, with the description that perf needs to
 * print it. There is no such tracepoint; only tracepoints can have raw data that a file
 * describes. Called by the record command and perfdata.c. wallprof-formats(5) documents
 * the fields.
 *
 * Pure: no I/O, no clock.
 */
#include <stdio.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/model/cause.h"
#include "lib/model/syscalls.h"
#include "lib/perfdata/rawsample.h"

/* Fields can be added after the last number: readers use the description. */
struct payload {
	__u16 common_type;
	__u8 common_flags;
	__u8 common_preempt_count;
	__s32 common_pid;
	__u8 state;
	__u8 reason;
	__u8 waker;
	__u8 pad;
	__s32 nr;
	__u64 arg;
	__u32 waker_tid;
	__u32 flags;
	__u64 count;
	__u64 blocked;
	__u64 runnable;
	__u64 min;
	__u64 max;
	__u64 blocked_max;
	__u64 runnable_max;
	/* Position and length of the strings in the payload: __data_loc. */
	__u32 syscall;
	__u32 object;
	__u32 blocked_hist;
	__u32 runnable_hist;
	__u64 arg2;
	__u64 arg3;
	__u64 id;
	__u64 waker_id;
	__u64 asleep_since;
	__u32 lock_owner;
	__u32 lock;
};

_Static_assert(sizeof(struct payload) == 152, "the payload has no holes");

/* Description of the fields: each begins where the one before ends. */
static const struct {
	const char *declaration;
	unsigned int size;
	unsigned int is_signed;
} fields[] = {
	{ "unsigned short common_type", 2, 0 },
	{ "unsigned char common_flags", 1, 0 },
	{ "unsigned char common_preempt_count", 1, 0 },
	{ "int common_pid", 4, 1 },
	{ "u8 state", 1, 0 },
	{ "u8 reason", 1, 0 },
	{ "u8 waker", 1, 0 },
	{ "u8 pad", 1, 0 },
	{ "int nr", 4, 1 },
	{ "u64 arg", 8, 0 },
	{ "u32 waker_tid", 4, 0 },
	{ "u32 flags", 4, 0 },
	{ "u64 count", 8, 0 },
	{ "u64 blocked", 8, 0 },
	{ "u64 runnable", 8, 0 },
	{ "u64 min", 8, 0 },
	{ "u64 max", 8, 0 },
	{ "u64 blocked_max", 8, 0 },
	{ "u64 runnable_max", 8, 0 },
	{ "__data_loc char[] syscall", 4, 0 },
	{ "__data_loc char[] object", 4, 0 },
	{ "__data_loc char[] blocked_hist", 4, 0 },
	{ "__data_loc char[] runnable_hist", 4, 0 },
	{ "u64 arg2", 8, 0 },
	{ "u64 arg3", 8, 0 },
	{ "u64 id", 8, 0 },
	{ "u64 waker_id", 8, 0 },
	{ "u64 asleep_since", 8, 0 },
	{ "u32 lock_owner", 4, 0 },
	{ "u32 lock", 4, 0 },
};

#define NR_FIELDS	(sizeof(fields) / sizeof(fields[0]))
#define NR_COMMON	4

static void put(struct wp_buf *b, const char *s)
{
	wp_buf_add(b, s, strlen(s));
}

/* The names of a field's values, for the print format. */
static void put_words(struct wp_buf *b, const char *field, const char *(*name)(unsigned int v),
		      unsigned int nr)
{
	char word[64];
	unsigned int i;

	snprintf(word, sizeof(word), ", __print_symbolic(REC->%s", field);
	put(b, word);
	for (i = 0; i < nr; i++) {
		snprintf(word, sizeof(word), ", { %u, \"%s\" }", i, name(i));
		put(b, word);
	}
	put(b, ")");
}

/* The same for flags; none at all is "-", which libtraceevent parses as a value below 0. */
static void put_flag_words(struct wp_buf *b, const char *field,
			   const char *(*name)(unsigned int bit))
{
	char word[64];
	unsigned int i;

	snprintf(word, sizeof(word), ", __print_flags(REC->%s, \",\", { -1, \"-\" }", field);
	put(b, word);
	for (i = 0; i < WP_SAMPLE_FLAGS; i++) {
		if (!name(i))
			continue;
		snprintf(word, sizeof(word), ", { 0x%x, \"%s\" }", 1U << i, name(i));
		put(b, word);
	}
	put(b, ")");
}

/**
 * wp_raw_format() - describe the payload
 * @b: the description is appended, in the form of tracefs' format files
 * @shows: optional fields to print: WP_RAW_HIST, …
 */
void wp_raw_format(struct wp_buf *b, unsigned int shows)
{
	unsigned int at = 0;
	char line[128];
	size_t i;

	snprintf(line, sizeof(line), "name: " WP_RAW_NAME "\nID: %u\nformat:\n", WP_RAW_ID);
	put(b, line);
	for (i = 0; i < NR_FIELDS; i++) {
		snprintf(line, sizeof(line), "\tfield:%s;\toffset:%u;\tsize:%u;\tsigned:%u;\n",
			 fields[i].declaration, at, fields[i].size, fields[i].is_signed);
		put(b, line);
		at += fields[i].size;
		if (i == NR_COMMON - 1)
			put(b, "\n");
	}
	put(b, "\nprint fmt: \"state=%s reason=%s syscall=%s nr=%d arg=0x%llx ");
	if (shows & WP_RAW_SINGLE)
		put(b, "arg2=0x%llx arg3=0x%llx ");
	put(b, "waker=%s:%u count=%llu blocked=%llu runnable=%llu max=%llu flags=%s ");
	if (shows & WP_RAW_HIST)
		put(b, "blocked_hist=%s runnable_hist=%s ");
	if (shows & WP_RAW_CHAINS)
		put(b, "id=%llx waker_id=%llx ");
	put(b, "asleep_since=%llu ");
	if (shows & WP_RAW_OWNERS)
		put(b, "lock_owner=%u ");
	/* Last, as it may contain blanks. */
	put(b, "object=%s\"");
	put_words(b, "state", wp_state_name, WALLPROF_STATE_MAX);
	put_words(b, "reason", wp_reason_name, WALLPROF_REASON_MAX);
	put(b, ", __get_str(syscall), REC->nr, REC->arg");
	if (shows & WP_RAW_SINGLE)
		put(b, ", REC->arg2, REC->arg3");
	put_words(b, "waker", wp_waker_name, WALLPROF_WAKER_MAX);
	put(b, ", REC->waker_tid, REC->count, REC->blocked, REC->runnable, REC->max");
	put_flag_words(b, "flags", wp_sample_flag_name);
	if (shows & WP_RAW_HIST)
		put(b, ", __get_str(blocked_hist), __get_str(runnable_hist)");
	if (shows & WP_RAW_CHAINS)
		put(b, ", REC->id, REC->waker_id");
	put(b, ", REC->asleep_since");
	if (shows & WP_RAW_OWNERS)
		put(b, ", REC->lock_owner");
	put(b, ", __get_str(object)\n");
}

/* Append a string; returns its position and length. */
static __u32 put_string(char *buf, size_t *len, size_t room, const char *s)
{
	size_t n = strnlen(s, room - 1), at = *len;

	memcpy(buf + at, s, n);
	buf[at + n] = 0;
	*len += n + 1;
	return (__u32)(n + 1) << 16 | at;
}

/**
 * wp_raw_encode() - encode the payload of a sample
 * @s: the sample, with its cause
 * @object: the object of the wait, escaped for terminals, or "-"
 * @hist: histogram of its intervals, or NULL
 * @buf: output
 * @size: size of @buf; WP_RAW_MAX is enough
 *
 * Return: bytes written; plus the 4 of the size in the record, a multiple of 8. 0 if
 * @size is too small.
 */
size_t wp_raw_encode(const struct wp_sample *s, const char *object,
		     const struct wp_hist *hist, void *buf, size_t size)
{
	const struct wp_cause *c = &s->cause;
	bool is_call = c->syscall != WALLPROF_SYSCALL_NONE;
	struct payload p = {
		.common_type = WP_RAW_ID,
		.common_pid = s->tid,
		.state = s->state,
		.reason = c->reason,
		.waker = c->waker,
		.nr = is_call && c->syscall != WALLPROF_SYSCALL_OTHER ? c->syscall : -1,
		.arg = c->arg,
		.arg2 = c->arg2,
		.arg3 = c->arg3,
		.id = s->id,
		.waker_id = s->waker_id,
		.asleep_since = s->asleep_since,
		.lock_owner = WALLPROF_LOCK_OWNER_TID(c->lock_owner),
		.lock = WALLPROF_LOCK_OWNER_LOCK(c->lock_owner),
		.waker_tid = c->waker_tid,
		.flags = s->flags,
		.count = s->count,
		.blocked = s->total - s->runnable,
		.runnable = s->runnable,
		.min = s->min,
		.max = s->max,
		.blocked_max = s->blocked_max,
		.runnable_max = s->runnable_max,
	};
	char name[32], text[WP_HIST_TEXT_MAX];
	size_t len = sizeof(p);

	if (size < WP_RAW_MAX)
		return 0;
	p.syscall = put_string(buf, &len, sizeof(name),
			       wp_syscall_name(c->syscall, c->compat, name, sizeof(name)));
	p.object = put_string(buf, &len, 512, object);
	p.blocked_hist = put_string(buf, &len, sizeof(text),
				    hist ? wp_hist_text(hist->blocked, text) : "-");
	p.runnable_hist = put_string(buf, &len, sizeof(text),
				     hist ? wp_hist_text(hist->runnable, text) : "-");
	memcpy(buf, &p, sizeof(p));
	while ((len + sizeof(__u32)) % sizeof(__u64))
		((char *)buf)[len++] = 0;
	return len;
}
