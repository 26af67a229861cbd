// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of which processes are to be read again, by which records, in which order. The
 * source that takes records is part of this one, so that its state can be checked; no
 * process is read.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/record/mappublish.h"
#include "lib/record/maprecords.c"
#include "lib/record/mapsnapshot.h"
#include "lib/record/mapsync.h"

#include "tap.h"

static struct wp_mapsync mapsync = { .started = true };
static __u64 missed;

static __u64 get_missed(void *ctx)
{
	return missed;
}

static void record(__u32 type, __u32 pid, __u32 ppid, __u64 time)
{
	struct task_record rec = {
		{ .type = type, .size = sizeof(rec) }, pid, ppid, pid, ppid,
	};

	take_record(&mapsync, &rec.header, time);
}

static void maps(__u32 pid, __u64 time)
{
	record(PERF_RECORD_MMAP2, pid, 0, time);
}

static void forks(__u32 ppid, __u32 pid, __u64 time)
{
	record(PERF_RECORD_FORK, pid, ppid, time);
}

static bool is_marked(__u32 pid)
{
	unsigned int i = pid % WP_MAPPROC_BUCKETS;

	return mapsync.work[i / 64] >> i % 64 & 1;
}

/* And to be found by the next pass. */
static bool is_dirty(__u32 pid)
{
	const struct wp_mapproc *p = wp_mapprocs_find(&mapsync, pid);

	return p && p->dirty && is_marked(pid);
}

/* As publish() leaves a process. */
static void set_published(__u32 pid, __u64 time)
{
	struct wp_mapproc *p = wp_mapprocs_find_or_add(&mapsync, pid);

	p->dirty = false;
	p->published_at = time;
}

static void everything(__u64 time)
{
	struct wp_mapproc *p;
	unsigned int i;

	for (i = 0; i < WP_MAPPROC_BUCKETS; i++) {
		for (p = mapsync.bucket[i]; p; p = p->next)
			set_published(p->pid, time);
	}
}

static void children(void)
{
	forks(7, 8, 10);
	ok(is_dirty(8), "a child of one that is not known is looked at");
	set_published(1, 100);
	forks(1, 2, 90);
	ok(is_dirty(2), "one that was forked before its parent was published, too");
	forks(1, 3, 200);
	ok(wp_mapprocs_find(&mapsync, 3) && !is_dirty(3), "others have what their parents had");
	maps(1, 300);
	ok(is_dirty(1) && !is_dirty(3), "not what these map later");
	forks(1, 4, 310);
	ok(is_dirty(4), "a child of one that is to be looked at is looked at");
	everything(400);
}

/* The parent mapped on one CPU and forked on another, whose ring was read first. */
static void out_of_order(void)
{
	forks(1, 5, 500);
	forks(5, 6, 510);
	forks(8, 9, 490);
	ok(!is_dirty(5) && !is_dirty(6) && !is_dirty(9), "not children of one that was published");
	maps(1, 495);
	maps(1, 505);
	take_late_maps(&mapsync);
	ok(is_dirty(1) && is_dirty(5), "it had mapped something before it forked");
	ok(is_dirty(6), "then what its child forked is looked at, too");
	ok(!is_dirty(9), "not what was forked before");
	everything(600);
	maps(1, 495);
	take_late_maps(&mapsync);
	ok(is_dirty(1) && !is_dirty(5), "nor what has been looked at since");
	everything(600);
}

static bool is_skipped(__u32 type, __u32 pid, __u32 ppid, __u32 tid)
{
	struct task_record rec = {
		{ .type = type, .size = sizeof(rec) }, pid, ppid, tid, ppid,
	};

	return wp_maprecords_skips(&mapsync, &rec.header);
}

/* Records that change nothing are not sorted. */
static void threads(void)
{
	forks(1, 20, 610);
	ok(!is_skipped(PERF_RECORD_FORK, 20, 20, 21), "the first other thread is noted");
	record(PERF_RECORD_FORK, 20, 20, 620);
	ok(wp_mapprocs_find(&mapsync, 20)->threaded &&
	   is_skipped(PERF_RECORD_FORK, 20, 20, 22), "not the next one");
	ok(is_skipped(PERF_RECORD_EXIT, 20, 1, 21) && !is_skipped(PERF_RECORD_EXIT, 20, 1, 20),
	   "the end of the first thread only");
	ok(!is_skipped(PERF_RECORD_FORK, 23, 20, 23) && !is_skipped(PERF_RECORD_MMAP2, 20, 0, 22),
	   "all processes and mappings");
}

static void no_room(void)
{
	__u64 now = wp_clock_now(), later = now + 3600ULL * 1000 * NSEC_PER_MSEC;

	set_published(1, now);
	forks(1, 10, now + 1);
	mapsync.asked = 0;
	ok(wp_maprecords_ask_for_missed(&mapsync) > now && !is_dirty(10),
	   "the module had room for a child");
	ok(mapsync.asked >= now, "it was asked");
	missed = 1;
	mapsync.forked = later;
	mapsync.asked = later;
	ok(wp_maprecords_ask_for_missed(&mapsync) == later + ASK_NS && !is_dirty(10),
	   "not all the time");
	mapsync.forked = now + 1;
	mapsync.asked = now + 2;
	while (wp_clock_now() < mapsync.asked + ASK_NS)
		usleep(1000);
	wp_maprecords_ask_for_missed(&mapsync);
	ok(is_dirty(10), "the module had no room: the child is looked at");
	forks(1, 11, mapsync.asked);
	ok(is_dirty(11), "one whose record is read after that, too");
	forks(1, 12, later);
	ok(wp_mapprocs_find(&mapsync, 12) && !is_dirty(12), "not one that is forked after that");
	mapsync.forked = now + 1;
	set_published(10, later);
	missed = 2;
	mapsync.asked = mapsync.forked + 2 * ASK_NS;
	ok(wp_maprecords_ask_for_missed(&mapsync) == ~0ULL && !is_dirty(10),
	   "without forks it is not asked");
}

/*
 * What runs at the start, by the module's snapshot: we, and two processes that /proc
 * lacks and that must not be looked up; one has executed something else, one has ended.
 */
#define OTHER	(1 << 23)
#define STALE	(OTHER + 1)
#define ENDED	(OTHER + 2)
#define KTHREAD	(OTHER + 3)

static __u64 live_words[512];
static size_t live_bytes;
static struct wallprof_map last[3];
static __u32 nr_published, nr_last;
static __u64 last_stack;

static int push_one(void *ctx, const void *table, size_t size, __u32 *id)
{
	*id = 17;
	return 0;
}

/* Of interps.c: what a look for an interpreter finds. */
static int look_err, again_err;
static unsigned int nr_looks, nr_again, nr_forgets;
static bool has_interp;

int wp_interps_look(struct wp_interps *all, __u32 pid, struct wallprof_interp *interp)
{
	nr_looks++;
	*interp = (struct wallprof_interp){ .size = 4711 };
	return look_err;
}

int wp_interps_again(struct wp_interps *all, __u32 pid)
{
	nr_again++;
	return again_err;
}

void wp_interps_forget(struct wp_interps *all, __u32 pid)
{
	nr_forgets++;
}

void wp_interps_fork(struct wp_interps *all, __u32 ppid, __u32 pid)
{
}

static int take_maps(void *ctx, __u32 pid, __u64 start_stack, const struct wallprof_map *map,
		     __u32 nr, const struct wallprof_interp *interp)
{
	nr_published++;
	has_interp = interp && interp->size == 4711;
	if (pid == STALE)
		return -ESTALE;
	if (pid == ENDED)
		return -ESRCH;
	if (pid == OTHER && nr <= 3) {
		memcpy(last, map, nr * sizeof(*map));
		nr_last = nr;
		last_stack = start_stack;
	}
	return 0;
}

static void *add_live(__u16 type, size_t bytes)
{
	struct wallprof_live_head *head = (void *)((char *)live_words + live_bytes);

	*head = (struct wallprof_live_head){ type, (bytes + 7) & ~7UL };
	live_bytes += head->bytes;
	return head;
}

static void add_live_map(__u64 start, const char *name, const struct stat *st)
{
	struct wallprof_live_map *m;

	m = add_live(WALLPROF_LIVE_MAP, sizeof(*m) + strlen(name) + 1);
	m->prot = PROT_READ | PROT_EXEC;
	m->start = start;
	m->end = start + (st->st_size + 4095) / 4096 * 4096;
	m->ino = st->st_ino;
	m->major = major(st->st_dev);
	m->minor = minor(st->st_dev);
	strcpy(m->name, name);
}

static void live_of(__u32 pid, __u64 start_stack, const void *code, const struct stat *st)
{
	struct wallprof_live_thread *t = add_live(WALLPROF_LIVE_THREAD, sizeof(*t));

	t->pid = pid;
	t->tid = pid;
	t->start_stack = start_stack;
	if (!start_stack)
		return;
	add_live_map((__u64)(uintptr_t)code, "/bin/true", st);
	/* The same number, as some file systems give it twice. */
	if (pid == OTHER)
		add_live_map(0x7fff00000000, "/bin/false", st);
}

static void what_ran(void)
{
	struct wp_codefiles_options files = { .push = push_one };
	struct wp_snapshot snap = { .data = (char *)live_words, .users = 2 };
	int fd = open("/bin/true", O_RDONLY | O_CLOEXEC);
	struct wp_mapproc *p;
	struct stat st;
	void *code;
	bool all;

	if (fd < 0 || fstat(fd, &st))
		return;
	code = mmap(NULL, st.st_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	live_of(getpid(), 5, code, &st);
	live_of(KTHREAD, 0, NULL, NULL);
	live_of(OTHER, 6, code, &st);
	live_of(STALE, 7, code, &st);
	live_of(ENDED, 8, code, &st);
	snap.bytes = live_bytes;
	mapsync.kick = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	mapsync.files = wp_codefiles_new(&files);
	mapsync.opt.maps = take_maps;
	mapsync.snap = &snap;
	wp_mapsnapshot_publish(&mapsync);
	p = wp_mapprocs_find(&mapsync, getpid());
	ok(nr_published == 4 && p && p->published_at, "what runs is published");
	ok(nr_last == 2 && last_stack == 6 && last[0].start == (__u64)(uintptr_t)code &&
	   last[0].table == 17, "by files that were found in others, with their tables");
	ok(!last[1].table && last[1].start == 0x7fff00000000, "not by the number alone");
	p = wp_mapprocs_find(&mapsync, OTHER);
	ok(p && p->nr_maps == 2 && p->start_stack == 6 && !p->dirty && !p->unsettled,
	   "it is kept, to be published again");
	ok(is_dirty(STALE), "one that executes something else is looked at");
	ok(!wp_mapprocs_find(&mapsync, ENDED) && !wp_mapprocs_find(&mapsync, KTHREAD),
	   "who has no memory is not known");
	/* The session begins; a process that was read just before is not read again at once. */
	p = wp_mapprocs_find(&mapsync, getpid());
	p->dirty = true;
	p->rest_until = wp_clock_now() + 3600ULL * 1000 * NSEC_PER_MSEC;
	wp_mapprocs_touch_known(&mapsync);
	wp_mappublish_dirty(&mapsync, &all);
	ok(mapsync.due && p->dirty, "one that is known is not published again yet");
	/* Of those that have ended others may be settled: once more. */
	wp_mappublish_dirty(&mapsync, &all);
	p->rest_until = 0;
	ok(wp_mappublish_dirty(&mapsync, &all) == mapsync.next_read && p->dirty,
	   "until then no process is looked at");
	mapsync.next_read = 1;
	wp_mappublish_dirty(&mapsync, &all);
	ok(!mapsync.due && !p->dirty, "now all are");
	mapsync.republished = false;
	wp_codefiles_free(mapsync.files);
	munmap(code, st.st_size);
	close(mapsync.kick);
	close(fd);
	mapsync.snap = NULL;
}

/* What the module answers about a process, by turns. */
static void denied(void)
{
	struct wp_mapproc *p = wp_mapprocs_find_or_add(&mapsync, 40);
	char text[256];

	mapsync.stats = (struct wp_mapsync_stats){ 0 };
	ok(!wp_mapsync_denied(&mapsync.stats, text, sizeof(text)), "nothing denied, nothing said");
	mapsync.unsettled = true;
	p->dirty = false;
	ok(wp_mappublish_note_published(&mapsync, p, 0, -EPERM) && mapsync.stats.denied == 1,
	   "a process is denied");
	ok(!p->dirty && !p->unsettled, "it is not looked at again for that");
	ok(!mapsync.stats.refused && !mapsync.stats.published, "it counts as nothing else");
	wp_mappublish_note_published(&mapsync, p, 0, -EPERM);
	wp_mappublish_note_published(&mapsync, p, 0, -EACCES);
	ok(mapsync.stats.denied == 1, "each process counts once");
	wp_mappublish_note_published(&mapsync, wp_mapprocs_find_or_add(&mapsync, 41), 0, -EACCES);
	ok(mapsync.stats.denied == 2, "one whose mappings cannot be read is denied, too");
	ok(wp_mapsync_denied(&mapsync.stats, text, sizeof(text)) &&
	   !strncmp(text, "2 processes of others", 21) && strstr(text, "CAP_SYS_PTRACE"),
	   "the right that is missing is named");
	mapsync.republished = true;
	wp_mappublish_note_published(&mapsync, p, 0, 0);
	ok(!p->denied && mapsync.stats.published == 1, "another program may be published");
	wp_mappublish_note_published(&mapsync, p, 0, -EPERM);
	ok(mapsync.stats.denied == 3, "and the next one denied");
	wp_mappublish_note_published(&mapsync, p, 0, -ENOMEM);
	ok(mapsync.stats.refused == 1 && mapsync.stats.error == -ENOMEM, "other errors are refusals");
	mapsync.republished = false;
	mapsync.unsettled = false;
	wp_mapprocs_forget(&mapsync, 40);
	wp_mapprocs_forget(&mapsync, 41);
}

/* Whether all is published beside a process whose mappings so many reads found locked. */
static bool all_but(struct wp_mapproc *p, const __u32 *pids, unsigned int reads)
{
	bool all;

	mapsync.opt.pids = pids;
	wp_mapprocs_set_dirty(&mapsync, p);
	p->busy = reads;
	/* It is not read here. */
	p->rest_until = ~0ULL;
	wp_mappublish_dirty(&mapsync, &all);
	mapsync.opt.pids = NULL;
	return all;
}

static void busy(void)
{
	struct wp_mapproc *p = wp_mapprocs_find_or_add(&mapsync, 60);
	const __u32 pid = 60;

	ok(!all_but(p, NULL, 0) && !all_but(p, &pid, 0), "a process that is not read is waited for");
	ok(all_but(p, NULL, 1), "of the host, one that is locked is not");
	ok(!all_but(p, &pid, 1) && !all_but(p, &pid, 4) && all_but(p, &pid, 5),
	   "a target that is locked is, a second long");
	wp_mapprocs_forget(&mapsync, 60);
}

/* Publish a process, as its mappings are; returns whether it was looked at. */
static bool looked(struct wp_mapproc *p, __u64 start_stack, size_t nr_interps, int err)
{
	unsigned int before = nr_looks;

	mapsync.nr_interps = nr_interps;
	look_err = err;
	p->dirty = false;
	p->busy = 0;
	wp_mappublish_maps(&mapsync, p, start_stack);
	wp_mappublish_look_again(&mapsync, p);
	return nr_looks > before;
}

/* An interpreter, which is not ready at first. */
/* The time of the next look is @at; returns whether it was looked at. */
static bool looks_again(struct wp_mapproc *p, __u64 at, int err)
{
	unsigned int before = nr_again;
	bool all;

	again_err = err;
	p->look_at = at;
	/* If it is dirty, it is read later. */
	p->rest_until = ~0ULL;
	mapsync.pending = true;
	wp_mappublish_dirty(&mapsync, &all);
	return nr_again > before;
}

static void interpreters(void)
{
	struct wp_mapproc *p = wp_mapprocs_find_or_add(&mapsync, 50);
	__u64 now = wp_clock_now(), first;
	unsigned int looks, before;

	mapsync.opt.maps = take_maps;
	mapsync.opt.interps = (struct wp_interps *)&mapsync;
	mapsync.unsettled = false;
	ok(!looked(p, 7, 0, 0) && !has_interp && !p->dirty, "a process without is not looked at");
	mapsync.unsettled = true;
	ok(!looked(p, 7, 1, 0) && !has_interp, "nor one that waits for tables");
	mapsync.unsettled = false;
	ok(looked(p, 7, 1, -EAGAIN) && !has_interp && !p->dirty && p->look_at > now,
	   "one that is not ready is looked at again, and its mappings are not read");
	first = p->look_at - now;
	ok(looked(p, 7, 1, -EAGAIN) && p->look_at > now + first, "also after they have been read");
	first = p->look_at - now;
	ok(!looks_again(p, wp_clock_now() + 3600ULL * 1000 * NSEC_PER_MSEC, 0), "not before its time");
	ok(looks_again(p, 1, -EAGAIN) && !p->dirty && p->look_at > now + first, "and later");
	ok(looks_again(p, 1, 0) && p->dirty && !p->look_at, "now it is, and is published with it");
	p->dirty = false;
	ok(looked(p, 7, 1, 0) && has_interp && !p->dirty && !p->look_at, "once");
	ok(!looked(p, 7, 2, 0) && has_interp, "it is not looked for any more");
	ok(looked(p, 8, 1, 0) && has_interp, "another program is");
	before = nr_forgets;
	ok(!looked(p, 9, 0, 0) && !has_interp && nr_forgets > before, "one without has none");
	ok(looked(p, 9, 1, -ENOTSUP) && !has_interp && !p->dirty, "an unknown one");
	ok(!looked(p, 9, 1, 0) && looked(p, 9, 2, 0) && has_interp,
	   "is looked at if another file is mapped");
	looked(p, 10, 1, -EAGAIN);
	for (looks = 0; looks < 1000 && looks_again(p, 1, -EAGAIN) && p->look_at; looks++)
		;
	ok(looks > 10 && looks < 100 && !looked(p, 10, 1, -EAGAIN), "one is never ready: %u looks", looks);
	ok(looked(p, 11, 1, -EAGAIN) && looks_again(p, 1, -ESRCH) && !p->look_at && !p->dirty,
	   "nor is one whose memory may not be read");
	mapsync.opt.interps = NULL;
}

/* Which buckets a pass goes through. */
static void marks(void)
{
	static const __u32 pids[] = { 0, 1, 63, 64, 130, WP_MAPPROC_BUCKETS - 1 };
	struct wp_mapproc *p = wp_mapprocs_find_or_add(&mapsync, 77);
	unsigned int i, at = 0, wrong = 0;

	memset(mapsync.work, 0, sizeof(mapsync.work));
	ok(wp_mapprocs_next(&mapsync, 0) == WP_MAPPROC_BUCKETS, "nothing is marked");
	for (i = 0; i < sizeof(pids) / sizeof(*pids); i++)
		wp_mapprocs_mark(&mapsync, &(struct wp_mapproc){
			.pid = pids[i] + 3 * WP_MAPPROC_BUCKETS });
	for (i = 0; i < sizeof(pids) / sizeof(*pids); i++, at++) {
		at = wp_mapprocs_next(&mapsync, at);
		wrong += at != pids[i];
	}
	ok(!wrong && at == WP_MAPPROC_BUCKETS &&
	   wp_mapprocs_next(&mapsync, at) == WP_MAPPROC_BUCKETS, "each marked one, in order");
	ok(wp_mapprocs_next(&mapsync, 0) == WP_MAPPROC_BUCKETS, "once");
	wp_mapprocs_mark(&mapsync, p);
	ok(wp_mapprocs_next(&mapsync, 78) == WP_MAPPROC_BUCKETS && is_marked(77),
	   "one that comes before has to wait for the next pass");
	wp_mapprocs_next(&mapsync, 0);
	p->unsettled = true;
	wp_mapprocs_touch_unsettled(&mapsync);
	ok(is_dirty(77), "one whose tables are there now is marked");
	wp_mapprocs_next(&mapsync, 0);
	mapsync.unsettled = true;
	wp_mappublish_note_published(&mapsync, p, 0, 0);
	ok(p->unsettled && is_marked(77), "and one that waits for tables");
	mapsync.unsettled = false;
	wp_mapprocs_forget(&mapsync, 77);
}

int main(void)
{
	unsigned int i;

	mapsync.opt.missed = get_missed;
	children();
	out_of_order();
	threads();
	no_room();
	denied();
	busy();
	what_ran();
	interpreters();
	marks();
	for (i = 0; i < WP_MAPPROC_BUCKETS; i++) {
		while (mapsync.bucket[i])
			wp_mapprocs_forget(&mapsync, mapsync.bucket[i]->pid);
	}
	return done();
}
