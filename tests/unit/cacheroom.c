// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of how much the cache of unwind tables keeps: never more than its limit, of each
 * user no more than a share, and what was not used for the longest time goes. The files
 * have their size, and nothing in them.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/cacheroom.h"
#include "tap.h"

#define MIB		(1ULL << 20)
#define DAY		86400
#define ID		"00112233445566778899aabbccddeeff00112233"

static const __u64 key[2] = { 1, 2 };
static char path[64] = "/tmp/wallprof-cacheroom.XXXXXX";
static int dir;

static const char *name_of(unsigned int number, unsigned int owner)
{
	static char name[128];

	snprintf(name, sizeof(name), ID "-%016x-%u", number, owner);
	return name;
}

/* Make a table's file, last used so long ago. */
static void put(const char *name, __u64 size, long ago)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, { time(NULL) - ago, 0 } };

	if (fd < 0 || ftruncate(fd, size) || futimens(fd, times))
		abort();
	close(fd);
}

static bool take(unsigned int number, unsigned int owner, __u64 size)
{
	int room = wp_cacheroom_take(dir, key, name_of(number, owner), size);

	if (room >= 0)
		wp_cacheroom_done(room, key, name_of(number, owner), size, true);
	return room >= 0;
}

static bool is_there(unsigned int number, unsigned int owner)
{
	return !faccessat(dir, name_of(number, owner), F_OK, 0);
}

/* Bytes of all tables, or of those of one owner. */
static __u64 bytes(int owner)
{
	DIR *d = opendir(path);
	struct dirent *e;
	struct stat st;
	__u64 sum = 0;

	while ((e = readdir(d))) {
		if (strncmp(e->d_name, ID, strlen(ID)) || fstatat(dir, e->d_name, &st, 0))
			continue;
		if (owner < 0 || atoi(strrchr(e->d_name, '-') + 1) == owner)
			sum += st.st_size;
	}
	closedir(d);
	return sum;
}

/* Without the sums, all is counted. */
static void forget(void)
{
	unlinkat(dir, WP_CACHEROOM_STATE, 0);
}

static void clear(void)
{
	DIR *d = opendir(path);
	struct dirent *e;

	while ((e = readdir(d))) {
		if (e->d_name[0] != '.' && unlinkat(dir, e->d_name, 0))
			unlinkat(dir, e->d_name, AT_REMOVEDIR);
	}
	closedir(d);
}

static void limit(void)
{
	unsigned int i, kept = 0, order = 0;

	clear();
	for (i = 0; i < 300; i++)
		put(name_of(i, 0), 4 * MIB, 1000 - i);
	ok(take(1000, 0, 4 * MIB), "a full directory takes another table");
	ok(bytes(-1) + 4 * MIB <= WP_CACHEROOM_LIMIT, "and is within its limit then");
	for (i = 0; i < 300; i++) {
		order += i && is_there(i - 1, 0) && !is_there(i, 0);
		kept += is_there(i, 0);
	}
	ok(!order && kept > 200 && !is_there(0, 0), "the longest unused are gone, %u are kept",
	   kept);
	ok(!take(1001, 0, WP_CACHEROOM_LIMIT + 1), "what is larger than all is not taken");
}

/* Adding a table looks at the sums alone. */
static void sums(void)
{
	char state[512];
	ssize_t n;
	int fd, i, room, bad = 0;

	clear();
	ok(take(1, 0, MIB), "an empty directory takes a table");
	put(name_of(2, 0), WP_CACHEROOM_LIMIT, 100);
	ok(take(3, 0, MIB) && is_there(2, 0), "what was put in is not looked for each time");
	forget();
	ok(take(4, 0, MIB) && !is_there(2, 0), "but without the sums");
	fd = openat(dir, WP_CACHEROOM_STATE, O_RDWR | O_CLOEXEC);
	for (i = 0; i < 2048; i += 97) {
		put(name_of(2, 0), WP_CACHEROOM_LIMIT, 100);
		n = pread(fd, state, 1, i);
		state[0] ^= 1;
		if (n != 1 || pwrite(fd, state, 1, i) != 1)
			abort();
		bad += !take(4, 0, MIB) || is_there(2, 0);
	}
	ok(!bad, "or with sums that were changed");
	put(name_of(2, 0), WP_CACHEROOM_LIMIT, 100);
	if (ftruncate(fd, 100))
		abort();
	ok(take(4, 0, MIB) && !is_there(2, 0), "or cut short");
	close(fd);
	/* Room that was taken and not used is found again. */
	clear();
	for (i = 0; i < 2000; i++)
		bad += !take(i, 0, 4 * MIB);
	ok(!bad, "sums that are too large are corrected");
	clear();
	for (i = 0; i < 2000; i++) {
		room = wp_cacheroom_take(dir, key, name_of(i, 0), 4 * MIB);
		bad += room < 0;
		wp_cacheroom_done(room, key, name_of(i, 0), 4 * MIB, false);
	}
	put(name_of(5, 0), WP_CACHEROOM_LIMIT, 100);
	ok(!bad && take(6, 0, MIB) && is_there(5, 0), "room that is given back is there");
	clear();
	for (i = 0; i < 300; i++)
		bad += !take(i, 7, 1);
	put(name_of(5, 7), WP_CACHEROOM_SHARE, 100);
	bad += !take(6, 7, WP_CACHEROOM_SHARE - 300 * 4096);
	ok(!bad && is_there(5, 7), "small tables are counted in blocks...");
	ok(take(6, 7, 1) && !is_there(5, 7), "...of 4 KiB");
}

static void shares(void)
{
	unsigned int i, kept = 0;

	clear();
	for (i = 0; i < 100; i++) {
		put(name_of(i, 0), 4 * MIB, 9000 - i);
		put(name_of(i, 1001), 4 * MIB, 100 - i);
		put(name_of(i, 1002), MIB, 5000 - i);
	}
	ok(take(1000, 1001, 4 * MIB), "a user with too many takes another one");
	ok(bytes(1001) + 4 * MIB <= WP_CACHEROOM_SHARE, "and is within the share then");
	ok(bytes(0) == 400 * MIB && bytes(1002) == 100 * MIB,
	   "others keep theirs, even if they are older");
	ok(!take(1001, 1001, WP_CACHEROOM_SHARE + 1), "what is larger than the share is not taken");
	ok(bytes(0) == 400 * MIB && bytes(1002) == 100 * MIB, "and costs others nothing");
	/* Many users together; the last one has little. */
	clear();
	for (i = 0; i < 600; i++) {
		if (i < 500)
			put(name_of(i, 0), MIB, 9000 - i);
		put(name_of(i, 2000 + i % 6), 2 * MIB, 100);
	}
	for (i = 0; i < 10; i++)
		put(name_of(i, 3000), MIB, 8000);
	forget();
	ok(take(1000, 2000, MIB), "many users with too many together");
	ok(bytes(-1) - bytes(0) <= WP_CACHEROOM_OTHERS, "are within what they may have together");
	ok(bytes(0) == 500 * MIB && bytes(3000) == 10 * MIB,
	   "root keeps all, and so does who has little");
	for (i = 0; i < 6; i++)
		kept += bytes(2000 + i) > 50 * MIB;
	ok(kept == 6, "the others give way alike");
}

static void use(void)
{
	struct stat before, after;
	int fd;

	clear();
	put(name_of(1, 0), MIB, 30 * DAY);
	put(name_of(2, 0), MIB, 20 * DAY);
	put(name_of(3, 0), WP_CACHEROOM_LIMIT - MIB, 10 * DAY);
	fd = openat(dir, name_of(1, 0), O_RDONLY | O_CLOEXEC);
	wp_cacheroom_used(fd);
	close(fd);
	ok(take(4, 0, 4096) && is_there(1, 0) && !is_there(2, 0), "what was used is kept");
	put(name_of(5, 0), MIB, 3600);
	fd = openat(dir, name_of(5, 0), O_RDONLY | O_CLOEXEC);
	fstat(fd, &before);
	wp_cacheroom_used(fd);
	fstat(fd, &after);
	ok(before.st_mtim.tv_sec == after.st_mtim.tv_sec, "it is noted once a day");
	put(name_of(5, 0), MIB, -10 * DAY);
	wp_cacheroom_used(fd);
	fstat(fd, &after);
	ok(after.st_mtim.tv_sec <= time(NULL), "a time to come is put right");
	close(fd);
	put("a" WP_CACHEROOM_TMP "1", MIB, 2 * DAY);
	put("a" WP_CACHEROOM_TMP "2", MIB, 10);
	forget();
	take(6, 0, MIB);
	ok(faccessat(dir, "a" WP_CACHEROOM_TMP "1", F_OK, 0) &&
	   !faccessat(dir, "a" WP_CACHEROOM_TMP "2", F_OK, 0), "what a crash left goes in a day");
}

static void hostile(void)
{
	struct stat st;
	int fd;

	clear();
	put("target", 100, 0);
	ok(!symlinkat("target", dir, WP_CACHEROOM_STATE) && take(1, 0, MIB) &&
	   !fstatat(dir, WP_CACHEROOM_STATE, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode) &&
	   !fstatat(dir, "target", &st, 0) && st.st_size == 100, "sums behind a link");
	forget();
	ok(!mkfifoat(dir, WP_CACHEROOM_STATE, 0600) && take(1, 0, MIB), "a FIFO");
	forget();
	ok(!mkdirat(dir, WP_CACHEROOM_STATE, 0700) && take(1, 0, MIB), "a directory");
	fchmodat(dir, WP_CACHEROOM_STATE, 0666, 0);
	ok(take(1, 0, MIB) && !fstatat(dir, WP_CACHEROOM_STATE, &st, 0) &&
	   !(st.st_mode & 0022), "sums that others may write");
	fd = openat(dir, WP_CACHEROOM_STATE, O_RDWR | O_CLOEXEC);
	ok(!flock(fd, LOCK_EX) && !take(1, 0, MIB), "one that stopped is not waited for");
	close(fd);
	ok(take(1, 0, MIB), "when it goes on, tables are taken");
}

/* Several at once: there are never more tables than may be. */
static void together(void)
{
	int i, n, status, room, bad = 0, taken = 0;
	char name[128];

	clear();
	for (i = 0; i < 4; i++) {
		if (fork())
			continue;
		for (n = 0; n < 150; n++) {
			snprintf(name, sizeof(name), "%s", name_of(i * 1000 + n, 0));
			room = wp_cacheroom_take(dir, key, name, 4 * MIB);
			if (room < 0)
				continue;
			put(name, 4 * MIB, 0);
			bad |= bytes(-1) > WP_CACHEROOM_LIMIT;
			wp_cacheroom_done(room, key, name, 4 * MIB, true);
			taken++;
		}
		_exit(bad || !taken);
	}
	for (i = 0; i < 4; i++) {
		wait(&status);
		bad += !!status;
	}
	ok(!bad, "several at once");
}

int main(void)
{
	if (!mkdtemp(path))
		return 1;
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	limit();
	sums();
	shares();
	use();
	hostile();
	together();
	clear();
	rmdir(path);
	return done();
}
