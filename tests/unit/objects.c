// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of objects.c and sockets.c with a /proc of our own, whose owners are not
 * to be trusted; then with the real one.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/model/lockmemory.h"
#include "lib/model/objects.h"
#include "lib/model/syscalls.h"
#include "lib/proc/sockets.h"
#include "lib/proc/unixpeers.h"
#include "tap.h"

static char dir[] = "/tmp/wallprof-objects.XXXXXX";

static void make_dirs(char *path)
{
	char *p;

	for (p = path + strlen(dir) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(path, 0700);
		*p = '/';
	}
}

static void put(const char *name, const char *text)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	make_dirs(path);
	f = fopen(path, "w");
	if (!f || fputs(text, f) < 0)
		exit(2);
	fclose(f);
}

static void put_link(const char *name, const char *to)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	make_dirs(path);
	unlink(path);
	if (symlink(to, path))
		exit(2);
}

static void drop(const char *name)
{
	char path[512], gone[544];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	snprintf(gone, sizeof(gone), "%s.gone", path);
	if (rename(path, gone))
		exit(2);
}

static struct wp_cause call(unsigned int nr, __u64 arg)
{
	return (struct wp_cause){
		.reason = WALLPROF_REASON_SYSCALL, .syscall = nr, .arg = arg,
	};
}

static const char *what(struct wp_objects *o, __u32 tid, __u32 tgid, __u32 exec_id,
			struct wp_cause c)
{
	__u32 object;

	if (wp_objects_find(o, tid, tgid, exec_id, &c, &object))
		return "error";
	return wp_objects_text(o, object);
}

static bool is(const char *got, const char *want)
{
	if (strcmp(got, want))
		printf("# %s, not %s\n", got, want);
	return !strcmp(got, want);
}

/* What read() of process 7 waits for, in a thread of it. */
static bool fd_is(struct wp_objects *o, __u64 fd, const char *want)
{
	return is(what(o, 8, 7, 1, call(SYS_read, fd)), want);
}

static bool futex_is(struct wp_objects *o, __u64 address, const char *want)
{
	return is(what(o, 8, 7, 1, call(SYS_futex, address)), want);
}

static __u64 fork_record[] = { PERF_RECORD_FORK | 24ULL << 48, 7 | 1ULL << 32, 7 };

static void forked(struct wp_objects *o, __u32 pid, __u32 parent)
{
	fork_record[1] = pid | (__u64)parent << 32;
	wp_objects_record(o, (void *)fork_record);
}

#define TCP_HEAD "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
#define TCP_TAIL " 00000000:00000000 00:00000000 00000000     0        0 "

static void fake_proc(void)
{
	put("7/ns/net", "");
	put("7/net/tcp", TCP_HEAD
	    "   0: 0100007F:1F90 00000000:0000 0A" TCP_TAIL "100 1 0 100 0 0 10 0\n"
	    "   1: 0100007F:1F90 0200007F:D431 01" TCP_TAIL "101 1 0 20 4 30 10 -1\n"
	    "   2: 0100007F:1F90 0200007F:D432 06" TCP_TAIL "0 1 0\n"
	    "   3: 0100007F:1F9 0200007F:D432 01" TCP_TAIL "102 short port\n"
	    "   4: 0100007F:1F90 0200007F 01" TCP_TAIL "103 no port\n"
	    "   5: 0100007F:1F90 020000ZZ:0001 01" TCP_TAIL "104 not hexadecimal\n"
	    "   6: 0100007F:1F90 0200007F:0001 01" TCP_TAIL "-1 no inode\n"
	    "   7: 0100007F:1F90 0200007F:0001 01\n"
	    "\n"
	    "   8: 0100007F:1F91 00000000:0000 07" TCP_TAIL "106 1\n"
	    "   9: 0100007F:1F90 0200007F:D433 01" TCP_TAIL "105");
	put("7/net/tcp6", TCP_HEAD
	    "   0: 00000000000000000000000001000000:0050 00000000000000000000000000000000:0000 0A"
	    TCP_TAIL "110 1\n"
	    "   1: B80D0120000000000000000001000000:0050 0000000000000000FFFF00000100007F:D431 01"
	    TCP_TAIL "111 1\n");
	put("7/net/udp", TCP_HEAD
	    "  70: 00000000:0035 00000000:0000 07" TCP_TAIL "120 2\n");
	put("7/net/unix", "Num       RefCount Protocol Flags    Type St Inode Path\n"
	    "0000000000000000: 00000002 00000000 00010000 0001 01   130 /run/a b.sock\n"
	    "0000000000000000: 00000003 00000000 00000000 0001 03   131\n"
	    "0000000000000000: 00000002 00000000 00010000 0005 01   132 @abs@tract\033[31m\302\23331m\n"
	    "0000000000000000: 00000002 00000000 00010000 0001 01   134 /run/victim\n"
	    /* A name with lines in it that would name 101, 131 and 134. */
	    "0000000000000000: 00000002 00000000 00010000 0005 01   133 /tmp/x\n"
	    "0000000000000000: 00000002 00000000 00010000 0005 01   101 /tmp/y\n"
	    "0000000000000000: 00000002 00000000 00010000 0005 01   131 /tmp/z\n"
	    "0000000000000000: 00000002 00000000 00010000 0005 01   134 /tmp/z\n"
	    "0: 1\n");
	put_link("7/fd/0", "/dev/pts/3");
	put_link("7/fd/1", "socket:[100]");
	put_link("7/fd/2", "socket:[101]");
	put_link("7/fd/3", "socket:[102]");
	put_link("7/fd/4", "socket:[110]");
	put_link("7/fd/5", "socket:[111]");
	put_link("7/fd/6", "socket:[120]");
	put_link("7/fd/7", "socket:[130]");
	put_link("7/fd/8", "socket:[131]");
	put_link("7/fd/9", "socket:[132]");
	put_link("7/fd/10", "pipe:[55]");
	put_link("7/fd/11", "anon_inode:[eventpoll]");
	put_link("7/fd/12", "/tmp/a\033]0;x\007\302\233b\nc\td (deleted)");
	put_link("7/fd/13", "socket:[105]");
	put_link("7/fd/15", "socket:[106]");
	put_link("7/fd/16", "socket:[134]");
	put_link("7/fd/14", "socket:[99999999999999999999999]x");
	put_link("7/fd/4294967295", "/odd");
	put_link("7/task/8/fd/0", "/dev/pts/4");
	put("7/maps",
	    "1000-3000 rw-p 00002000 fd:01 41038                      /usr/lib/a b.so\n"
	    "3000-4000 rw-p 00000000 00:00 0                          [heap]\n"
	    "5000-6000 rw-s 00001000 00:05 7                          /dev/shm/x\033y\n"
	    "6000-7000 rw-s 00000000 00:01 8                          /dev/zero (deleted)\n"
	    "garbage\n"
	    "7000-8000 rw-p 00000000 00:00 0 \n"
	    "8000-9000 rw-p 00000000 00:00 0                          [stack]\n"
	    "9000-a000 rw-p 00000000 00:00 0                          [anon:arena]\n"
	    "a000-b000 rw-s 00000000 00:01 9                          [anon_shmem:pool]\n");
}

static void test_calls(void)
{
	ok(wp_syscall_arg(SYS_read, false) == WP_ARG_FD &&
	   wp_syscall_arg(SYS_accept4, false) == WP_ARG_FD &&
	   wp_syscall_arg(SYS_epoll_pwait, false) == WP_ARG_FD &&
	   wp_syscall_arg(SYS_futex, false) == WP_ARG_FUTEX &&
	   wp_syscall_arg(SYS_futex, false) == WP_ARG_FUTEX, "what calls are about");
	ok(!wp_syscall_arg(SYS_openat, false) && !wp_syscall_arg(SYS_close, false) &&
	   !wp_syscall_arg(SYS_nanosleep, false) && !wp_syscall_arg(SYS_ppoll, false) &&
	   !wp_syscall_arg(9999, false) && !wp_syscall_arg(WALLPROF_SYSCALL_NONE, true) &&
	   !wp_syscall_arg(WALLPROF_SYSCALL_OTHER, false), "others are about nothing of these");
	/* Both 32-bit tables, i386's and ARM's, have these so. */
	ok(wp_syscall_arg(3, true) == WP_ARG_FD && wp_syscall_arg(240, true) == WP_ARG_FUTEX &&
	   !wp_syscall_arg(6, true), "calls of 32-bit programs");
}

static void test_fds(struct wp_objects *o)
{
	ok(fd_is(o, 0, "/dev/pts/4"), "a thread's own table comes first");
	ok(is(what(o, 9, 7, 1, call(SYS_read, 1ULL << 32)), "/dev/pts/4"),
	   "the numbers of one process are one, and have 32 bits");
	ok(fd_is(o, 1, "tcp 127.0.0.1:8080 listening"), "a socket that listens");
	ok(fd_is(o, 2, "tcp 127.0.0.1:8080->127.0.0.2:54321"),
	   "and one with a peer, whatever names others chose");
	ok(fd_is(o, 3, "socket:[102]"), "one whose line makes no sense");
	ok(fd_is(o, 13, "tcp 127.0.0.1:8080->127.0.0.2:54323"), "one whose line is the last");
	ok(fd_is(o, 15, "tcp 127.0.0.1:8081"), "one that does not listen yet");
	ok(fd_is(o, 4, "tcp [::1]:80 listening") &&
	   fd_is(o, 5, "tcp [2001:db8::1]:80->[::ffff:127.0.0.1]:54321"), "IPv6");
	ok(fd_is(o, 6, "udp 0.0.0.0:53"), "UDP");
	ok(fd_is(o, 7, "unix /run/a b.sock"), "a unix socket with a name");
	ok(fd_is(o, 8, "unix [131]"), "without, whatever names others chose");
	ok(fd_is(o, 16, "unix [134]"), "with two, of which one must be another's");
	ok(fd_is(o, 9, "unix @abs@tract?[31m??31m"), "with a name that would paint the terminal");
	ok(fd_is(o, 10, "pipe:[55]"), "a pipe");
	ok(fd_is(o, 11, "[eventpoll] fd 11"), "what has no name");
	ok(fd_is(o, 12, "/tmp/a?]0;x???b?c?d (deleted)"), "a file whose name would paint, too");
	ok(fd_is(o, 14, "socket:[99999999999999999999999]x"), "a link that no kernel makes");
	ok(fd_is(o, 77, "fd 77") && fd_is(o, -1, "/odd") && fd_is(o, -2, "fd -2"),
	   "one that is not open is a number");
	ok(is(what(o, 3, 4, 1, call(SYS_read, 5)), "fd 5"), "as is that of a process that is gone");
	ok(is(what(o, 8, 0, 1, call(SYS_read, 0)), "-") &&
	   is(what(o, 8, 7, 1, call(SYS_nanosleep, 0)), "-") &&
	   is(what(o, 8, 7, 1, wp_cause_none), "-"), "where there is none, there is no name");
}

static void test_futexes(struct wp_objects *o)
{
	ok(futex_is(o, 0x1010, "/usr/lib/a b.so+0x2010"), "a futex in a file");
	ok(futex_is(o, 0x3000, "0x3000 [heap]") && futex_is(o, 0x8ffc, "0x8ffc [stack]"),
	   "in a place that has a name");
	ok(futex_is(o, 0x5004, "/dev/shm/x?y+0x1004, shared"), "in a shared file");
	ok(futex_is(o, 0x6008, "0x6008 [anon], shared") && futex_is(o, 0x7008, "0x7008 [anon]"),
	   "in memory");
	ok(futex_is(o, 0x4000, "0x4000") && futex_is(o, 0xfff, "0xfff") &&
	   futex_is(o, ~0ULL, "0xffffffffffffffff"), "nowhere");
}

static __u8 memory_of(struct wp_objects *o, __u32 tgid, __u64 address)
{
	struct wp_cause c = call(SYS_futex, address);
	__u8 memory;

	return wp_objects_memory(o, tgid, 1, &c, &memory) ? WP_LOCKMEMORY_MAX : memory;
}

static bool memory_is(struct wp_objects *o, __u32 tgid, __u64 address, const char *want)
{
	char text[64];

	wp_lockmemory_text(memory_of(o, tgid, address), address, text, sizeof(text));
	return is(text, want);
}

/* The kinds of memory of locks, and when they are looked up. */
static void test_memory(void)
{
	struct wp_objects *o = wp_objects_new(dir);
	struct wp_cause c = call(SYS_read, 0);
	struct wp_objects_stats stats;
	unsigned int at;
	char text[64];
	__u8 memory;

	ok(memory_is(o, 7, 0x3008, "0x3008 [heap]") && memory_is(o, 7, 0x8ffc, "0x8ffc [stack]") &&
	   memory_is(o, 7, 0x7008, "0x7008 [anon]") && memory_is(o, 7, 0x9008, "0x9008 [anon]") &&
	   memory_is(o, 7, 0x6008, "0x6008 [anon], shared") &&
	   memory_is(o, 7, 0xa008, "0xa008 [anon], shared") &&
	   memory_is(o, 7, 0x1010, "0x1010 [file]") &&
	   memory_is(o, 7, 0x5004, "0x5004 [file], shared"), "the kind of memory of a lock");
	ok(memory_is(o, 7, 0x4000, "0x4000") && memory_is(o, 4, 0x3008, "0x3008"),
	   "nothing is mapped there, or the process is gone");
	ok(!wp_objects_memory(o, 7, 1, &c, &memory) && memory == WP_LOCKMEMORY_UNKNOWN &&
	   !wp_objects_memory(o, 7, 1, &wp_cause_none, &memory) && memory == WP_LOCKMEMORY_UNKNOWN,
	   "what is no lock has none");
	wp_objects_stats(o, &stats);
	ok(!stats.looked, "it is no object that was looked up");
	wp_lockmemory_text(200, 0x10, text, sizeof(text));
	ok(is(text, "0x10"), "a kind of a later version");
	put("7/maps", "4000-5000 rw-p 00000000 00:00 0                          [heap]\n");
	ok(memory_is(o, 7, 0x4000, "0x4000"), "an unknown one is looked up once in a round");
	wp_objects_end_round(o);
	ok(memory_is(o, 7, 0x4000, "0x4000 [heap]"), "and again in the next");
	ok(memory_is(o, 7, 0x3008, "0x3008 [heap]"), "a known one is not");
	forked(o, 7, 1);
	ok(memory_is(o, 7, 0x3008, "0x3008"), "unless another process has its id");
	wp_objects_end_round(o);
	for (at = 0; at < WP_OBJECTS_MAX_MEMORY; at++)
		memory_of(o, 7, 0x4100 + at);
	ok(memory_is(o, 7, 0x4080, "0x4080"), "a round looks at so many and no more");
	wp_objects_end_round(o);
	ok(memory_is(o, 7, 0x4080, "0x4080 [heap]"), "the others have their turn in the next");

	put("7/maps", "4000-6000 rw-p 00000000 00:00 0                          [stack]\n");
	wp_objects_end_short_round(o);
	ok(memory_is(o, 7, 0x4a00, "0x4a00 [heap]"), "a short round uses what the last one read");
	ok(memory_is(o, 7, 0x5000, "0x5000 [stack]"), "unless the address is not in it");
	put("7/maps", "4000-6000 rw-s 00000000 00:00 0\n");
	wp_objects_end_short_round(o);
	ok(memory_is(o, 7, 0x4a04, "0x4a04 [stack]"), "which is read once");
	c = call(SYS_futex, 0x4a08);
	ok(!wp_objects_memory(o, 7, 2, &c, &memory) && memory != memory_of(o, 7, 0x5000),
	   "another program has its own mappings");
	memory_of(o, 7, 0x4a0c);
	put("7/maps", "4000-6000 rw-p 00000000 00:00 0                          [heap]\n");
	wp_objects_end_short_round(o);
	forked(o, 7, 1);
	ok(memory_is(o, 7, 0x4a04, "0x4a04 [heap]"), "and so has another process of this id");
	put("7/maps", "4000-6000 rw-p 00000000 00:00 0                          [stack]\n");
	wp_objects_end_round(o);
	ok(memory_is(o, 7, 0x4a0c, "0x4a0c [stack]"), "another round reads them again");
	wp_objects_free(o);
	fake_proc();
}

static void test_rounds(struct wp_objects *o)
{
	struct wp_cause c = call(SYS_read, 20);
	struct wp_objects_stats before, after;
	__u32 b;

	put_link("7/fd/20", "/first");
	ok(fd_is(o, 20, "/first"), "an open file");
	put_link("7/fd/20", "/second");
	wp_objects_stats(o, &before);
	ok(fd_is(o, 20, "/first"), "is looked at once in a round");
	wp_objects_stats(o, &after);
	ok(before.looked == after.looked, "and not in vain");
	wp_objects_end_round(o);
	ok(fd_is(o, 20, "/second"), "another one, with its number, in the next");
	drop("7/fd/20");
	wp_objects_end_round(o);
	wp_objects_stats(o, &before);
	ok(fd_is(o, 20, "/second"), "what is closed is what it was");
	wp_objects_stats(o, &after);
	ok(after.gone == before.gone + 1 && after.looked == before.looked + 1, "which is counted");
	ok(is(what(o, 8, 7, 2, call(SYS_read, 20)), "fd 20"), "but not for another program");

	put_link("7/fd/21", "/early");
	c.arg = 21;
	wp_objects_begin_round(o, 100);
	wp_objects_expect(o, 8, 7, 1, &c, 50);
	drop("7/fd/21");
	wp_objects_end_round(o);
	ok(fd_is(o, 21, "/early"), "what was expected is known when it is gone");
	put_link("7/fd/21", "/late");
	wp_objects_end_round(o);
	wp_objects_begin_round(o, 200);
	wp_objects_expect(o, 8, 7, 1, &c, 50);
	wp_objects_end_round(o);
	ok(fd_is(o, 21, "/early"), "and what it was, as long as the same wait goes on");
	wp_objects_begin_round(o, 300);
	wp_objects_expect(o, 8, 7, 1, &c, 250);
	put_link("7/fd/21", "/later");
	ok(fd_is(o, 21, "/late"), "if it is over before the flip");
	wp_objects_end_round(o);
	ok(fd_is(o, 21, "/late"), "another wait is for what it finds, whatever comes after");
	wp_objects_end_round(o);
	ok(fd_is(o, 21, "/later"), "until it is over");
	drop("7/fd/21");
	wp_objects_begin_round(o, 400);
	wp_objects_expect(o, 8, 7, 1, &c, 399);
	put_link("7/fd/21", "/last");
	wp_objects_end_round(o);
	ok(fd_is(o, 21, "/last"), "and what could not be found is looked for again");

	put_link("7/fd/22", "socket:[300]");
	ok(fd_is(o, 22, "socket:[300]"), "a socket that no table knows");
	put_link("7/fd/22", "socket:[100]");
	wp_objects_end_round(o);
	ok(fd_is(o, 22, "tcp 127.0.0.1:8080 listening"), "another one, with its number");

	forked(o, 8, 7);
	forked(o, 7, 7);
	drop("7/fd/22");
	wp_objects_end_round(o);
	ok(fd_is(o, 22, "tcp 127.0.0.1:8080 listening"), "a new thread changes nothing");
	forked(o, 7, 1);
	ok(fd_is(o, 22, "fd 22"), "a new process of the same id does");
	put_link("4/fd/5", "/there");
	ok(is(what(o, 4, 4, 1, call(SYS_read, 5)), "fd 5"), "who is gone is not looked for");
	forked(o, 4, 1);
	wp_objects_end_round(o);
	ok(is(what(o, 4, 4, 1, call(SYS_read, 5)), "/there"), "unless the id is born again");
	drop("7");
	wp_objects_end_round(o);
	ok(fd_is(o, 1, "fd 1") && futex_is(o, 0x3000, "0x3000"), "a process that ended");
	drop("7.gone");
	b = 0;
	ok(is(wp_objects_text(o, b), "-") && is(wp_objects_text(o, 1U << 31), "-"),
	   "numbers that stand for nothing");
}

static void test_bounds(void)
{
	struct wp_objects *o = wp_objects_new(dir);
	struct wp_objects_stats stats;
	char name[64], path[300];
	unsigned int i, wrong = 0;

	memset(path, 'x', sizeof(path));
	path[0] = '/';
	path[299] = 0;
	put_link("5/fd/0", path);
	for (i = 0; i < WP_OBJECTS_MAX_LOOKUPS + 10; i++)
		what(o, 5, 5, 1, call(SYS_read, i));
	what(o, 5, 5, 1, call(SYS_read, i - 1));
	wp_objects_stats(o, &stats);
	ok(stats.looked == WP_OBJECTS_MAX_LOOKUPS && stats.skipped == 10,
	   "a round looks at so many and no more");
	ok(!wp_objects_full(o), "there is room for many more");
	for (i = 0; i < WP_OBJECTS_MAX_KEYS * 3; i++) {
		if (i % WP_OBJECTS_MAX_LOOKUPS == 0)
			wp_objects_end_round(o);
		snprintf(path, sizeof(path), "fd %u", i + 1);
		snprintf(name, sizeof(name), "%s", what(o, 5, 5, 1, call(SYS_read, i + 1)));
		wrong += i + WP_OBJECTS_MAX_LOOKUPS + 100 < WP_OBJECTS_MAX ? strcmp(name, path) != 0 :
			 i > WP_OBJECTS_MAX + 10 && strcmp(name, path) &&
			 strcmp(name, "(others: too many are different)");
	}
	ok(wp_objects_full(o), "then there is little");
	ok(!wrong, "very many different ones are summed up (%u wrong)", wrong);
	ok(is(what(o, 5, 5, 1, call(SYS_read, WP_OBJECTS_MAX * 2)), "(others: too many are different)"),
	   "under one name");
	wp_objects_end_round(o);
	ok(strlen(what(o, 5, 5, 1, call(SYS_read, 0))) == 299, "what has one already keeps it");
	wp_objects_free(o);
}

/* Our own process, by /proc. */
static void test_real(void)
{
	struct wp_objects *o = wp_objects_new(NULL);
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	int listener = socket(AF_INET, SOCK_STREAM, 0), other = socket(AF_UNIX, SOCK_STREAM, 0);
	int epoll = epoll_create1(0), file = open("/etc/passwd", O_RDONLY), client, served;
	static char here[64], there[64], both[160], unixname[140];
	socklen_t len = sizeof(in);
	__u32 pid = getpid();
	__u32 *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (bind(listener, (void *)&in, len) || listen(listener, 1) ||
	    getsockname(listener, (void *)&in, &len))
		exit(2);
	snprintf(here, sizeof(here), "127.0.0.1:%u", ntohs(in.sin_port));
	client = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(client, (void *)&in, len))
		exit(2);
	served = accept(listener, NULL, NULL);
	len = sizeof(in);
	getsockname(client, (void *)&in, &len);
	snprintf(there, sizeof(there), "127.0.0.1:%u", ntohs(in.sin_port));
	snprintf(un.sun_path, sizeof(un.sun_path), "%s/s", dir);
	snprintf(unixname, sizeof(unixname), "unix %s", un.sun_path);
	if (bind(other, (void *)&un, sizeof(un)))
		exit(2);

	snprintf(both, sizeof(both), "tcp %s listening", here);
	ok(is(what(o, pid, pid, 0, call(SYS_accept4, listener)), both), "a real listener");
	snprintf(both, sizeof(both), "tcp %s->%s", here, there);
	ok(is(what(o, pid, pid, 0, call(SYS_recvfrom, served)), both), "a real connection");
	snprintf(both, sizeof(both), "tcp %s->%s", there, here);
	ok(is(what(o, pid, pid, 0, call(SYS_sendto, client)), both), "and its other end");
	ok(is(what(o, pid, pid, 0, call(SYS_recvmsg, other)), unixname), "a unix socket");
	snprintf(both, sizeof(both), "[eventpoll] fd %d", epoll);
	ok(is(what(o, pid, pid, 0, call(SYS_epoll_pwait, epoll)), both), "an epoll");
	ok(is(what(o, pid, pid, 0, call(SYS_read, file)), "/etc/passwd"), "a file");
	snprintf(both, sizeof(both), "%p [anon], shared", (void *)shared);
	ok(is(what(o, pid, pid, 0, call(SYS_futex, (uintptr_t)shared)), both),
	   "a futex in shared memory");
	ok(strstr(what(o, pid, pid, 0, call(SYS_futex, (uintptr_t)&test_bounds)), "/objects+0x") != NULL,
	   "and one in the program");
	close(listener);
	close(client);
	close(served);
	close(other);
	close(epoll);
	close(file);
	wp_objects_free(o);
}

static __u64 inode_of_fd(int fd)
{
	struct stat st;

	return fstat(fd, &st) ? 0 : st.st_ino;
}

/* An answer about one socket, as sock_diag makes it. */
static size_t put_answer(char *buf, __u32 ino, __u32 peer, size_t cut)
{
	struct unix_diag_msg msg = { .udiag_family = AF_UNIX, .udiag_ino = ino };
	struct rtattr attr = { .rta_type = UNIX_DIAG_PEER, .rta_len = RTA_LENGTH(4) };
	struct nlmsghdr header = {
		.nlmsg_type = SOCK_DIAG_BY_FAMILY,
		.nlmsg_len = NLMSG_LENGTH(sizeof(msg) + RTA_LENGTH(4)) - cut,
	};

	memcpy(buf, &header, sizeof(header));
	memcpy(buf + NLMSG_HDRLEN, &msg, sizeof(msg));
	memcpy(buf + NLMSG_LENGTH(sizeof(msg)), &attr, sizeof(attr));
	memcpy(buf + NLMSG_LENGTH(sizeof(msg)) + RTA_LENGTH(0), &peer, sizeof(peer));
	return NLMSG_LENGTH(sizeof(msg) + RTA_LENGTH(4));
}

static const char *unix_text(const struct wp_sockets *t, __u64 ino)
{
	static char text[256];

	return wp_sockets_text(t, ino, text, sizeof(text)) ? text : "none";
}

/* The other ends of unix sockets, from what the kernel answers. */
static void test_peers(void)
{
	static const struct nlmsghdr end = { .nlmsg_type = NLMSG_DONE, .nlmsg_len = NLMSG_HDRLEN };
	char table[] = "0: 2 0 0 1 3 7\n0: 2 0 0 1 3 8 /run/served\n0: 2 0 0 1 3 9\n"
		       "0: 2 0 0 1 3 10\n0: 2 0 0 1 3 11 /a\n0: 2 0 0 1 3 11 /b\n";
	char answer[1024] __attribute__((aligned(4)));
	const size_t whole = NLMSG_LENGTH(sizeof(struct unix_diag_msg)) + RTA_LENGTH(4);
	struct rtattr short_attr = { .rta_type = UNIX_DIAG_PEER, .rta_len = RTA_LENGTH(2) };
	struct wp_sockets t = {};
	size_t len = 0, at;

	wp_sockets_add(&t, WP_SOCKET_UNIX, table);
	wp_sockets_sort(&t);
	len += put_answer(answer + len, 7, 8, 0);
	len += put_answer(answer + len, 8, 7, 0);
	len += put_answer(answer + len, 9, 1000, 0);
	len += put_answer(answer + len, 10, 11, 0);
	len += put_answer(answer + len, 2000, 7, 0);
	ok(wp_unixpeers_take(&t, answer, len), "an answer, of which more is to come");
	ok(is(unix_text(&t, 7), "unix [7]->/run/served"), "who is connected to a name");
	ok(is(unix_text(&t, 8), "unix /run/served"), "who has that name");
	ok(is(unix_text(&t, 9), "unix [9]->[1000]"), "one whose peer is in no table");
	ok(is(unix_text(&t, 10), "unix [10]->[11]"), "one whose peer may have another name");
	ok(is(unix_text(&t, 2000), "none"), "one that is in no table is not put there");
	memcpy(answer, &end, sizeof(end));
	ok(!wp_unixpeers_take(&t, answer, sizeof(end)), "the end of it");
	/* Cut off, whatever it says of its length: nothing behind is read, as ASan sees. */
	for (at = 1; at <= whole; at++) {
		char *cut = malloc(whole - at ? whole - at : 1);

		put_answer(answer, 8, 9, 0);
		memcpy(cut, answer, whole - at);
		wp_unixpeers_take(&t, cut, whole - at);
		put_answer(answer, 8, 9, at);
		memcpy(cut, answer, whole - at);
		wp_unixpeers_take(&t, cut, whole - at);
		free(cut);
	}
	put_answer(answer, 8, 9, 0);
	memcpy(answer + NLMSG_LENGTH(sizeof(struct unix_diag_msg)), &short_attr,
	       sizeof(short_attr));
	wp_unixpeers_take(&t, answer, whole);
	ok(wp_sockets_find(&t, 8)->peer_ino == 7, "what is cut off does no harm");
	wp_sockets_free(&t);
}

/* Our own, by this kernel's sock_diag. */
static void test_real_peers(void)
{
	struct wp_objects *o = wp_objects_new(NULL);
	int listener = socket(AF_UNIX, SOCK_STREAM, 0), client = socket(AF_UNIX, SOCK_STREAM, 0);
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	static char text[300];
	int pair[2], served;
	__u32 pid = getpid();

	snprintf(un.sun_path, sizeof(un.sun_path), "%s/served", dir);
	if (bind(listener, (void *)&un, sizeof(un)) || listen(listener, 1) ||
	    connect(client, (void *)&un, sizeof(un)) ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		exit(2);
	served = accept(listener, NULL, NULL);
	snprintf(text, sizeof(text), "unix [%llu]->%s", (unsigned long long)inode_of_fd(client),
		 un.sun_path);
	ok(is(what(o, pid, pid, 0, call(SYS_recvfrom, client)), text), "a client and its server");
	snprintf(text, sizeof(text), "unix %s", un.sun_path);
	ok(is(what(o, pid, pid, 0, call(SYS_recvfrom, served)), text), "the server's end");
	snprintf(text, sizeof(text), "unix [%llu]->[%llu]", (unsigned long long)inode_of_fd(pair[0]),
		 (unsigned long long)inode_of_fd(pair[1]));
	ok(is(what(o, pid, pid, 0, call(SYS_read, pair[0])), text), "a pair");
	close(listener);
	close(client);
	close(served);
	close(pair[0]);
	close(pair[1]);
	wp_objects_free(o);
}

/* What a table may hold in no case makes a socket of an inode that it does not. */
static void test_damaged(void)
{
	struct wp_sockets t = {};
	char line[400], text[256];
	unsigned int i, kind;

	srand(1);
	for (i = 0; i < 100000; i++) {
		static const char good[] = "0: 0100007F:1F90 0200007F:D431 01" TCP_TAIL "7 1\n";
		unsigned int n = sizeof(good) - 1, j;

		memcpy(line, good, sizeof(good));
		for (j = 0; j < 1 + i % 4; j++)
			line[rand() % n] = rand();
		kind = rand() % WP_SOCKET_KINDS;
		wp_sockets_add(&t, kind, line);
		if (i % 100 == 0)
			wp_sockets_free(&t);
	}
	wp_sockets_sort(&t);
	for (i = 0; i < t.nr; i++)
		wp_sockets_text(&t, t.socket[i].ino, text, sizeof(text));
	ok(t.nr > 0, "damaged lines do no harm");
	wp_sockets_free(&t);
	ok(!wp_sockets_text(&t, 7, text, sizeof(text)), "an empty table knows no socket");
	snprintf(line, sizeof(line), "0: 0100007F:1F90 0200007F:D431 06" TCP_TAIL "0 1\n");
	wp_sockets_add(&t, WP_SOCKET_TCP, line);
	ok(!wp_sockets_text(&t, 0, text, sizeof(text)), "what has no inode any more is none");
	wp_sockets_free(&t);
}

int main(void)
{
	struct wp_objects *o;
	char command[64];
	int ret;

	if (!mkdtemp(dir))
		return 2;
	fake_proc();
	o = wp_objects_new(dir);
	test_calls();
	test_fds(o);
	test_futexes(o);
	test_memory();
	test_rounds(o);
	wp_objects_free(o);
	test_bounds();
	test_damaged();
	test_peers();
	test_real();
	test_real_peers();
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	ret = system(command);
	return done() || ret;
}
