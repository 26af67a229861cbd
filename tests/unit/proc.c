// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of proc.c and ksyms.c with a /proc of our own: names that hold
 * anything, files that are missing or damaged; then with the real one.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "buildid.h"
#include "lib/base/err.h"
#include "lib/perfdata/perfdata.h"
#include "lib/record/ksyms.h"
#include "lib/record/synthesize.h"
#include "tap.h"

#define MAX_GOT	256

struct mmap2 {
	struct perf_event_header h;
	__u32 pid, tid;
	__u64 start, len, pgoff;
	__u32 maj, min;
	__u64 ino, gen;
	__u32 prot, flags;
	char name[];
};

struct mmap1 {
	struct perf_event_header h;
	__u32 pid, tid;
	__u64 start, len, pgoff;
	char name[];
};

struct task {
	struct perf_event_header h;
	__u32 pid, second, tid, ptid;
};

struct comm {
	struct perf_event_header h;
	__u32 pid, tid;
	char comm[16];
};

static char dir[] = "/tmp/wallprof-proc.XXXXXX";
static __u64 got[MAX_GOT][700];
static unsigned int nr_got, nr_bad;

/* Every record must be whole and end with the id that was asked for. */
static int take(void *ctx, const struct perf_event_header *rec, __u64 time)
{
	const struct wp_sample_id *id = (void *)((char *)rec + rec->size - sizeof(*id));

	if (rec->size % 8 || rec->size < sizeof(*rec) + sizeof(*id) ||
	    rec->size > sizeof(got[0]) || id->id != 5 || id->time != time)
		nr_bad++;
	else if (nr_got < MAX_GOT)
		memcpy(got[nr_got], rec, rec->size);
	nr_got++;
	return 0;
}

static void *find(__u32 type, __u32 tid)
{
	unsigned int i;

	for (i = 0; i < nr_got && i < MAX_GOT; i++) {
		struct perf_event_header *h = (void *)got[i];
		struct comm *c = (void *)got[i];
		struct task *t = (void *)got[i];

		if (h->type == type && (type == PERF_RECORD_FORK ? t->tid : c->tid) == tid)
			return h;
	}
	return NULL;
}

static struct mmap2 *find_map(__u64 start)
{
	unsigned int i;

	for (i = 0; i < nr_got && i < MAX_GOT; i++) {
		struct mmap2 *m = (void *)got[i];

		if ((m->h.type == PERF_RECORD_MMAP2 || m->h.type == PERF_RECORD_MMAP) &&
		    m->start == start)
			return m;
	}
	return NULL;
}

static void put_bytes(const char *path, const void *data, size_t size)
{
	char name[512], *p;
	FILE *f;

	snprintf(name, sizeof(name), "%s/%s", dir, path);
	for (p = name + strlen(dir) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(name, 0700);
		*p = '/';
	}
	f = fopen(name, "w");
	if (!f || fwrite(data, 1, size, f) != size)
		exit(2);
	fclose(f);
}

static void put(const char *path, const char *text)
{
	put_bytes(path, text, strlen(text));
}

static bool comm_is(__u32 tid, const char *comm)
{
	struct comm *c = find(PERF_RECORD_COMM, tid);

	return c && !strcmp(c->comm, comm);
}

static void fake_proc(void)
{
	static char longest[6000];
	int i, n;

	put("7/stat", "7 (a b) R 99 (\nx)) S 1 7 7 0 -1 4194560 2 0\n");
	put("7/task/7/comm", "ignored\n");
	put("7/task/8/comm", "two\nlines\n");
	put("7/task/9/comm", "\n");
	put("7/task/10/comm", "kworker/u16:3-events_unbound\n");
	put("7/task/11/status", "no comm: it is gone\n");
	put("7/task/x1/comm", "no number\n");
	put("7/maps",
	    "1000-3000 r-xp 00002000 fd:01 41038                      /usr/bin/a b\n"
	    "3000-4000 rw-p 00004000 fd:01 41038                      /usr/bin/a b\n"
	    "5000-6000 rwxs 00000000 00:00 0 \n"
	    "6000-7000 r-xp 00000000 00:00 0                          [vdso]\n"
	    "7000-8000 r-xp 00000000 fd:01 41039                      /tmp/x\\012y\n"
	    "8000-9000 r-xp 00000000 fd:01 41040                      /tmp/gone (deleted)\n"
	    "9000-8000 r-xp 00000000 fd:01 41040                      /backwards\n"
	    "garbage\n"
	    "\n"
	    "a000-b000 r-xp 0 fd:01\n"
	    "a000-b000 r-\n"
	    "fffffffffffffffff-b000 r-xp 00000000 fd:01 1 /too/many/digits\n"
	    "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0  [vsyscall]\n"
	    "c000-d000 r-xp 00000000 fd:01 41041 /tmp/back\\slash\\134\\\n"
	    "d000-e000 r-xp 00000000 fd:01 41041 /no/newline");
	n = sprintf(longest, "e000-f000 r-xp 00000000 fd:01 5 /");
	for (i = n; i < 5500; i++)
		longest[i] = 'x';
	strcpy(longest + i, "\n");
	put("12/stat", "12 (kthreadd) S 0 0 0 0 -1\n");
	put("12/maps", longest);
	put("13/stat", "13 no parenthesis\n");
	put("14/stat", "14 )(\n");
	put("15/stat", "15 (cut");
	put("16/maps", "1000-3000 r-xp 00000000 fd:01 1 /no/stat\n");
	put_bytes("17/stat", "17 (z\0z) S 1", 12);
	put("18/stat", "18 () R 2\n");
	put("sys/stat", "19 (no number) S 1\n");
	put("0/stat", "0 (zero) S 1\n");
	put("99999999999/stat", "1 (large) S 1\n");
}

static void test_fake(void)
{
	char root[300];
	struct wp_synth s = { .fn = take, .id = 5, .time = 3, .root = root };
	struct comm *c;
	struct mmap2 *m;
	struct task *t;

	strcpy(root, dir);
	s.ids = wp_buildids_new();
	ok(!wp_proc_synthesize_all(&s) && !nr_bad, "a /proc of our own");
	ok(s.nr_processes == 3 && s.nr_threads == 6, "processes and threads are counted");
	ok(s.nr_vanished == 9, "what is gone is counted: %lu", s.nr_vanished);
	c = (void *)find(PERF_RECORD_COMM, 7);
	ok(comm_is(7, "a b) R 99 (\nx)") && c->pid == 7,
	   "a name with blanks, parentheses and a newline");
	ok(comm_is(8, "two\nlines") && comm_is(9, ""), "names of threads");
	ok(comm_is(10, "kworker/u16:3-e"), "a long name is cut at 15");
	ok(!find(PERF_RECORD_COMM, 11) && !find(PERF_RECORD_FORK, 11), "a thread that is gone");
	t = find(PERF_RECORD_FORK, 7);
	ok(t && t->pid == 7 && t->second == 1 && t->ptid == 1, "a process and its parent");
	t = find(PERF_RECORD_FORK, 8);
	ok(t && t->pid == 7 && t->second == 7 && t->ptid == 7, "a thread and its process");
	ok(comm_is(18, "") && !find(PERF_RECORD_COMM, 13) && !find(PERF_RECORD_COMM, 14) &&
	   !find(PERF_RECORD_COMM, 15) && !find(PERF_RECORD_COMM, 17), "damaged stat files");

	m = find_map(0x1000);
	ok(m && m->pid == 7 && m->len == 0x2000 && m->pgoff == 0x2000 && m->maj == 0xfd &&
	   m->min == 1 && m->ino == 41038 && !m->gen && m->prot == (PROT_READ | PROT_EXEC) &&
	   m->flags == MAP_PRIVATE && !strcmp(m->name, "/usr/bin/a b"), "a mapping");
	ok(!find_map(0x3000), "what is not executable is left out");
	m = find_map(0x5000);
	ok(m && !strcmp(m->name, "//anon") && m->flags == MAP_SHARED &&
	   m->prot == (PROT_READ | PROT_WRITE | PROT_EXEC), "no name: //anon");
	m = find_map(0x7000);
	ok(m && !strcmp(m->name, "/tmp/x\ny"), "a newline in a name");
	m = find_map(0x8000);
	ok(m && !strcmp(m->name, "/tmp/gone (deleted)"), "a deleted file");
	ok(!find_map(0x9000) && !find_map(0xa000), "damaged lines");
	ok(find_map(0xffffffffff600000) != NULL, "the vsyscall page");
	m = find_map(0xc000);
	ok(m && !strcmp(m->name, "/tmp/back\\slash\\134\\"), "backslashes stay");
	ok(!find_map(0xd000), "a line without an end");
	m = find_map(0xe000);
	ok(m && strlen(m->name) == 4095 && m->name[4094] == 'x', "a name that is too long is cut");
	ok(buildids_find(s.ids, "/usr/bin/a b") && !buildids_find(s.ids, "//anon") &&
	   buildids_find(s.ids, "[vdso]"), "the table of build-ids");
	ok(wp_proc_synthesize_pid(&s, 4711) == -ESRCH, "a pid that is not there");
	strcat(root, "/nonesuch");
	ok(wp_proc_synthesize_all(&s) == -ENOENT, "no /proc");
	wp_buildids_free(s.ids);
}

static void test_real(void)
{
	struct wp_synth s = { .fn = take, .id = 5 };
	struct timespec a, b;
	struct wp_dso *dso;
	unsigned int i;
	struct mmap2 *m;
	bool here = false;
	char exe[512];
	ssize_t len;

	prctl(PR_SET_NAME, "a) b\n(c");
	s.ids = wp_buildids_new();
	nr_got = 0;
	ok(!wp_proc_synthesize_pid(&s, getpid()) && !nr_bad && comm_is(getpid(), "a) b\n(c"),
	   "ourselves");
	len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	exe[len > 0 ? len : 0] = '\0';
	for (i = 0; i < nr_got && i < MAX_GOT; i++) {
		m = (void *)got[i];
		if (m->h.type == PERF_RECORD_MMAP2 && m->start <= (unsigned long)test_real &&
		    m->start + m->len > (unsigned long)test_real && !strcmp(m->name, exe))
			here = true;
	}
	ok(here, "our own code's mapping");
	wp_buildids_resolve(s.ids);
	dso = buildids_find(s.ids, "[vdso]");
	ok(dso && dso->id.size == 20, "the vdso's build-id");
	ok(s.nr_processes == 1 && !s.nr_vanished, "one process");

	clock_gettime(CLOCK_MONOTONIC, &a);
	ok(!wp_proc_synthesize_all(&s) && !nr_bad, "all processes of this host");
	clock_gettime(CLOCK_MONOTONIC, &b);
	printf("# %lu processes, %lu threads, %lu vanished, %.1f ms (sanitized)\n",
	       s.nr_processes, s.nr_threads, s.nr_vanished,
	       (b.tv_sec - a.tv_sec) * 1e3 + (b.tv_nsec - a.tv_nsec) / 1e6);
	wp_buildids_free(s.ids);
}

/*
 * The module's snapshot.
 */
static __u64 snapshot[200];
static size_t snapshot_bytes;

static void *add_record(__u16 type, size_t bytes)
{
	struct wallprof_live_head *head = (void *)((char *)snapshot + snapshot_bytes);

	*head = (struct wallprof_live_head){ type, bytes };
	snapshot_bytes += bytes;
	return head;
}

static void add_thread(__u32 pid, __u32 tid, __u32 ppid, const char *comm, __u64 stack)
{
	struct wallprof_live_thread *t = add_record(WALLPROF_LIVE_THREAD, sizeof(*t));

	t->pid = pid;
	t->tid = tid;
	t->ppid = ppid;
	memcpy(t->comm, comm, strlen(comm));
	t->start_stack = stack;
}

static void add_map(__u64 start, const char *name)
{
	struct wallprof_live_map *m;

	m = add_record(WALLPROF_LIVE_MAP, sizeof(*m) + ((strlen(name) + 8) & ~7UL));
	m->prot = PROT_READ | PROT_EXEC;
	m->flags = MAP_PRIVATE;
	m->start = start;
	m->end = start + 0x2000;
	m->pgoff = 0x3000;
	m->ino = *name == '/' ? 77 : 0;
	m->major = 8;
	m->minor = 1;
	strcpy(m->name, name);
}

static unsigned int nr_of(__u32 type)
{
	unsigned int i, nr = 0;

	for (i = 0; i < nr_got && i < MAX_GOT; i++)
		nr += ((struct perf_event_header *)got[i])->type == type;
	return nr;
}

static bool has_vsyscall(void)
{
	char line[4096];
	FILE *f = fopen("/proc/self/maps", "re");
	bool has = false;

	while (f && fgets(line, sizeof(line), f))
		has |= strstr(line, "[vsyscall]") && strstr(line, "xp ");
	if (f)
		fclose(f);
	return has;
}

static void test_live(void)
{
	struct wp_synth s = { .fn = take, .id = 5 };
	struct wp_snapshot live = { .data = (char *)snapshot, .users = 1 };
	struct mmap2 *m;
	struct task *t;

	/* A thread whose process comes later, as numbers begin anew. */
	add_thread(700, 5, 1, "worker", 0);
	add_thread(2, 2, 0, "kthreadd", 0);
	add_record(99, 24);
	add_thread(700, 700, 1, "fifteen letters", 0x7ffc00000000);
	add_map(0x400000, "/usr/bin/a\\012b\nc");
	add_map(0x7f0000000000, "");
	add_thread(800, 800, 700, "narrow", 0xffb00000);
	add_map(0x8048000, "/usr/bin/narrow");
	add_thread(900, 900, 700, "cut", 0);
	live.bytes = snapshot_bytes - 8;

	s.ids = wp_buildids_new();
	nr_got = 0;
	ok(!wp_proc_synthesize_snapshot(&s, &live) && !nr_bad, "the module's snapshot");
	ok(s.nr_processes == 3 && s.nr_threads == 4, "its processes and threads are counted");
	ok(comm_is(700, "fifteen letters") && comm_is(5, "worker") && comm_is(2, "kthreadd") &&
	   !find(PERF_RECORD_COMM, 900), "its names; not of a record that is cut");
	t = find(PERF_RECORD_FORK, 5);
	ok(t && t->pid == 700 && t->second == 700 && (void *)t > find(PERF_RECORD_FORK, 700),
	   "a thread comes behind its process");
	t = find(PERF_RECORD_FORK, 700);
	ok(t && t->second == 1 && t->h.misc & PERF_RECORD_MISC_FORK_EXEC, "a process");
	m = find_map(0x400000);
	ok(m && m->pid == 700 && m->len == 0x2000 && m->pgoff == 0x3000 && m->maj == 8 &&
	   m->min == 1 && m->ino == 77 && m->prot == (PROT_READ | PROT_EXEC) &&
	   m->flags == MAP_PRIVATE && !strcmp(m->name, "/usr/bin/a\\012b\nc"),
	   "a mapping, whose name is left as it is");
	m = find_map(0x7f0000000000);
	ok(m && !strcmp(m->name, "//anon"), "one without a name");
	ok(find_map(0x8048000) && buildids_find(s.ids, "/usr/bin/narrow"),
	   "one of a program of 32 bits");
	m = find_map(0xffffffffff600000);
	ok(nr_of(PERF_RECORD_MMAP2) == 3U + has_vsyscall() && (!m || m->pid == 700),
	   "the vsyscall page is in programs of 64 bits only");
	wp_buildids_free(s.ids);
}

static void test_ksyms(void)
{
	struct wp_synth s = { .fn = take, .id = 5 };
	char kallsyms[300], iomem[300], modules[300], lib[300], sys[300], notes[300];
	struct wp_ksyms_paths p = { kallsyms, iomem, modules, lib, sys, notes };
	static const unsigned char note[] = {
		4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0,
		1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20 };
	struct wp_dso *dso;
	struct mmap1 *m;

	snprintf(kallsyms, sizeof(kallsyms), "%s/k/kallsyms", dir);
	snprintf(iomem, sizeof(iomem), "%s/k/iomem", dir);
	snprintf(modules, sizeof(modules), "%s/k/modules", dir);
	snprintf(lib, sizeof(lib), "%s/k/lib", dir);
	snprintf(sys, sizeof(sys), "%s/k/sys", dir);
	snprintf(notes, sizeof(notes), "%s/k/notes", dir);
	put("k/kallsyms", "0000000000000000 A fixed_percpu_data\n"
	    "ffffffff81000000 T _stext\nffffffff81000000 T _text\n"
	    "ffffffff82200000 T _etext\nffffffffc0000000 t x [snd_foo]\n");
	put("k/modules", "snd_foo 8192 1 - Live 0xffffffffc0000000 (OE)\n"
	    "other 4096 0 - Live 0xffffffffc0010000\n"
	    "hidden 4096 0 - Live 0x0000000000000000\n"
	    "short 4096\n../evil 4096 0 - Live 0xffffffffc0020000\n");
	put("k/lib/modules.dep", "kernel/sound/snd-foo.ko.xz: kernel/a.ko\nnonsense\n:\n/: \n");
	put_bytes("k/sys/snd_foo/notes/.note.gnu.build-id", note, sizeof(note));
	put_bytes("k/notes", note, sizeof(note));

	s.ids = wp_buildids_new();
	nr_got = 0;
	ok(!wp_ksyms_synthesize(&s, &p) && !nr_bad && nr_got == 3, "the kernel and two modules");
	m = (void *)got[0];
	ok(m->h.type == PERF_RECORD_MMAP && m->h.misc == PERF_RECORD_MISC_KERNEL &&
	   m->pid == ~0u && m->start == 0xffffffff81000000 && m->len == 0x1200000 &&
	   m->pgoff == m->start && !strcmp(m->name, "[kernel.kallsyms]_text"), "the kernel");
	m = (void *)find_map(0xffffffffc0000000);
	ok(m && m->len == 8192 && strstr(m->name, "/k/lib/kernel/sound/snd-foo.ko.xz"),
	   "a module with its file");
	dso = m ? buildids_find(s.ids, m->name) : NULL;
	ok(dso && dso->kernel && dso->id.size == 20 && dso->id.data[19] == 20, "its build-id");
	m = (void *)find_map(0xffffffffc0010000);
	ok(m && !strcmp(m->name, "[other]"), "a module without a file");
	dso = buildids_find(s.ids, "[kernel.kallsyms]");
	ok(dso && dso->kernel && dso->id.size == 20, "the kernel's build-id");

	/* An end of the text in kallsyms that is not to be read. */
	put("k/iomem", "00001000-0009ffff : System RAM\n00100000-5fffffff : System RAM\n"
	    "  3a000000-3affffff : Kernel code\n  3b000000-3bffffff : Kernel rodata\n");
	nr_got = 0;
	wp_ksyms_synthesize(&s, &p);
	m = (void *)got[0];
	ok(nr_got == 3 && m->start == 0xffffffff81000000 && m->len == 0x1000000,
	   "the length of the kernel's code, by iomem");
	put("k/iomem", "00000000-00000000 : System RAM\n  00000000-00000000 : Kernel code\n");
	nr_got = 0;
	wp_ksyms_synthesize(&s, &p);
	m = (void *)got[0];
	ok(nr_got == 3 && m->len == 0x1200000, "iomem that is kept secret");

	put("k/kallsyms", "0000000000000000 T _stext\n0000000000000000 T _text\n"
	    "0000000000000000 T _etext\n");
	put("k/iomem", "3a000000-3affffff : Kernel code\n");
	nr_got = 0;
	wp_ksyms_synthesize(&s, &p);
	m = (void *)got[0];
	ok(nr_got && !m->pgoff && m->start == 0xffff800000000000 && m->start + m->len == 0,
	   "addresses kept secret: a kernel map all the same");
	unlink(kallsyms);
	unlink(iomem);
	unlink(modules);
	nr_got = 0;
	ok(!wp_ksyms_synthesize(&s, &p) && nr_got == 1, "no kallsyms, no modules");
	put_bytes("k/notes", note, 15);
	ok(wp_buildid_from_notes(note, 15, &(struct wp_buildid){ 0 }) == -ENOENT &&
	   wp_buildid_from_notes(note, 30, &(struct wp_buildid){ 0 }) == -ENOENT, "cut notes");
	wp_buildids_free(s.ids);
}

int main(void)
{
	char cmd[64];

	if (!mkdtemp(dir))
		return 2;
	wp_set_verbosity(WP_SILENT);
	fake_proc();
	test_fake();
	test_real();
	test_live();
	test_ksyms();
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	return system(cmd) ? 2 : done();
}
