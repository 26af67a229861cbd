// SPDX-License-Identifier: GPL-2.0
/*
 * Encodes a sample as a record of perf.data. Called by perfdata.c. Pure.
 */
#include <string.h>
#include <linux/perf_event.h>

#include "lib/perfdata/samplerecord.h"

/**
 * wp_samplerecord_encode() - encode a sample as a record
 * @s: the sample
 * @id: the id of its event on its CPU
 * @has_raw: the event has a raw payload
 * @buf: output, 8-byte aligned
 * @size: size of @buf; 64 KiB is enough
 *
 * If a record is too small for all frames, the outermost ones are left out.
 *
 * Return: bytes written to @buf, 0 if @size is too small.
 */
size_t wp_samplerecord_encode(const struct wp_perfdata_sample *s, __u64 id, bool has_raw, void *buf,
			      size_t size)
{
	/* id, ip, pid/tid, time, cpu, period, nr */
	size_t raw = has_raw ? sizeof(__u32) + s->nr_raw : 0;
	const size_t fixed = sizeof(struct perf_event_header) + 7 * sizeof(__u64) + raw;
	const size_t most = (WP_SAMPLERECORD_MAX - fixed) / sizeof(__u64) - 2;
	size_t kernel = s->nr_kernel, user = s->nr_user, nr, len;
	const __u32 task[2] = { s->pid, s->tid }, cpu[2] = { s->cpu, 0 };
	bool kernel_mode = s->kernel_mode;
	struct perf_event_header *h = buf;
	__u64 *p = (__u64 *)(h + 1), ip = s->ip;

	if (!ip && kernel && (kernel_mode || !user)) {
		ip = s->kernel_ips[0];
		kernel_mode = true;
	} else if (!ip && user) {
		ip = s->user_ips[0];
		kernel_mode = false;
	}
	if (kernel > most)
		kernel = most;
	if (user > most - kernel)
		user = most - kernel;
	nr = kernel + !!kernel + user + !!user;
	if (!nr && ip)
		nr = 2;
	len = fixed + nr * sizeof(__u64);
	if (len > size)
		return 0;
	h->type = PERF_RECORD_SAMPLE;
	h->misc = kernel_mode ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
	h->size = len;
	*p++ = id;
	*p++ = ip;
	memcpy(p++, task, sizeof(task));
	*p++ = s->time;
	memcpy(p++, cpu, sizeof(cpu));
	*p++ = s->period;
	*p++ = nr;
	if (kernel) {
		*p++ = PERF_CONTEXT_KERNEL;
		memcpy(p, s->kernel_ips, kernel * sizeof(*p));
		p += kernel;
	}
	if (user) {
		*p++ = PERF_CONTEXT_USER;
		memcpy(p, s->user_ips, user * sizeof(*p));
		p += user;
	}
	if (nr && !kernel && !user) {
		*p++ = kernel_mode ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER;
		*p++ = ip;
	}
	if (has_raw) {
		memcpy(p, &s->nr_raw, sizeof(__u32));
		memcpy((char *)p + sizeof(__u32), s->raw, s->nr_raw);
	}
	return len;
}

/**
 * wp_samplerecord_again() - copy a record for another event
 * @to: output, 8-byte aligned
 * @from: the record, of wp_samplerecord_encode(), with or without a raw payload as that
 *	event
 * @len: its length
 * @id: the id of that event on the same CPU
 * @period: its period
 */
void wp_samplerecord_again(void *to, const void *from, size_t len, __u64 id, __u64 period)
{
	__u64 *word = to;

	memcpy(to, from, len);
	word[1] = id;
	word[6] = period;
}
