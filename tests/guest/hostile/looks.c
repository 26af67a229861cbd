// SPDX-License-Identifier: GPL-2.0
/*
 * What reports of other processes: LIVE and READ.
 */
#include "calls.h"

/* Whether what LIVE wrote is a row of records. */
static bool live_good(const char *data, __u32 bytes)
{
	const struct wallprof_live_head *head;
	__u32 at;

	for (at = 0; at < bytes; at += head->bytes) {
		head = (const void *)(data + at);
		if (bytes - at < sizeof(*head) || head->bytes < sizeof(*head) ||
		    head->bytes % 8 || head->bytes > bytes - at ||
		    (head->type != WALLPROF_LIVE_THREAD && head->type != WALLPROF_LIVE_MAP))
			return false;
	}
	return true;
}

/* fd tid bytes flags size at records_at */
long run_live(struct thread *t, const __u64 *a)
{
	struct wallprof_live live = { .tid = a[1], .flags = a[3] };
	struct model *m = model_of(t, a[0]);
	__u32 bytes = a[2] % ROOM;
	struct place place;
	char *data = room();
	long ret, want = SOME;

	memset(data, 0xa5, bytes);
	place = put(t, a[6], a[5], data, bytes);
	live.records = (uintptr_t)place.pointer;
	live.bytes = bytes;
	if (live.flags || live.tid >> 31)
		want = -EINVAL;
	ret = command(t, a[0], &(struct command){
		WALLPROF_IOC_LIVE, &live, sizeof(live), a[4], a[5], 0, want, errno_live });
	if (!ret && struct_good(a[4], a[5])) {
		if (live.bytes > bytes || (live.tid && !live.bytes) ||
		    (place.pointer == data && !live_good(data, live.bytes)))
			wrong(t, "LIVE reported nonsense: %u bytes of %u", live.bytes, bytes);
	}
	if (m && m->exact)
		status_check(t, a[0]);
	return ret;
}

/* fd who bytes address since reserved size at data_at */
long run_read(struct thread *t, const __u64 *a)
{
	/* Of all processes alike: they are copies. */
	static const __u64 here = 0x0123456789abcdefULL;
	struct wallprof_read read = { .since = a[4], .reserved = a[5] };
	struct model *m = model_of(t, a[0]);
	bool known = a[3] % 2;
	struct place place;
	char *data = room();
	long ret, want = SOME;

	read.pid = who_is(t, a[1]);
	read.tid = read.pid;
	read.bytes = a[2] % 4 ? a[2] % (WALLPROF_MAX_READ + 2) : sizeof(here);
	read.address = known ? (uintptr_t)&here : a[3];
	memset(data, 0xa5, WALLPROF_MAX_READ);
	place = put(t, a[8], a[7], data, read.bytes);
	read.data = (uintptr_t)place.pointer;
	if (m && (read.reserved || !read.bytes || read.bytes > WALLPROF_MAX_READ ||
		  m->state != WALLPROF_SESSION_RUNNING || !(m->c.flags & WALLPROF_OFFCPU)))
		want = -EINVAL;
	ret = command(t, a[0], &(struct command){
		WALLPROF_IOC_READ, &read, sizeof(read), a[6], a[7], 0, want, errno_read });
	if (!ret && struct_good(a[6], a[7]) && place.pointer == data && known &&
	    read.bytes >= sizeof(here) && memcmp(data, &here, sizeof(here)))
		wrong(t, "READ has read something else");
	if (m && m->exact)
		status_check(t, a[0]);
	return ret;
}
