// SPDX-License-Identifier: GPL-2.0
/*
 * Outputs: what has the name is replaced and never written into, whatever it is and
 * whoever put it there; what is no file is written to as it is. As root also with what
 * another user left there.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/base/outfile.h"
#include "lib/base/outpath.h"
#include "tap.h"

#define NOBODY	65534

static char dir[] = "/tmp/wallprof-outfile.XXXXXX";

static const char *in(const char *name)
{
	static __thread char path[4][PATH_MAX];
	static __thread unsigned int n;

	n = (n + 1) % 4;
	snprintf(path[n], sizeof(path[n]), "%s/%s", dir, name);
	return path[n];
}

static void put(const char *name, const char *text)
{
	FILE *f = fopen(in(name), "w");

	if (!f || fputs(text, f) < 0 || fclose(f))
		exit(2);
}

/* The text of a file; "" if there is none. */
static const char *text_of(const char *name)
{
	static char text[4096];
	int fd = open(in(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	text[n < 0 ? 0 : n] = '\0';
	if (fd >= 0)
		close(fd);
	return text;
}

static mode_t mode_of(const char *name, uid_t *uid)
{
	struct stat st;

	if (lstat(in(name), &st))
		return 0;
	*uid = st.st_uid;
	return st.st_mode;
}

/* How many names there are in the directory, and how many of them are temporary. */
static unsigned int names(unsigned int *temporary)
{
	DIR *d = opendir(dir);
	unsigned int nr = 0;
	struct dirent *e;

	*temporary = 0;
	while (d && (e = readdir(d))) {
		nr += e->d_name[0] != '.';
		*temporary += !!strstr(e->d_name, ".tmp");
	}
	if (d)
		closedir(d);
	return nr;
}

static int write_text(const char *path, const char *text, unsigned int flags)
{
	struct wp_outfile o;
	int err = wp_outfile_open(&o, path, flags);
	FILE *f;

	if (err)
		return err;
	f = wp_outfile_stream(&o);
	if (!f)
		return -ENOMEM;
	fputs(text, f);
	err = wp_outfile_commit(&o);
	return err ? err : o.bytes == strlen(text) ? 0 : -EILSEQ;
}

/* Whether @name is a new file of ours with @text, and nothing else is left. */
static bool is_new(const char *name, const char *text)
{
	unsigned int temporary;
	mode_t mode;
	uid_t uid;

	mode = mode_of(name, &uid);
	names(&temporary);
	return mode == (S_IFREG | 0600) && uid == geteuid() && !strcmp(text_of(name), text) &&
	       !temporary;
}

static void test_file(void)
{
	unsigned int temporary, nr;
	struct wp_outfile o;
	mode_t mask;
	uid_t uid;

	ok(!write_text(in("new"), "one", 0) && is_new("new", "one"), "a new file");
	chmod(in("new"), 0666);
	ok(!write_text(in("new"), "two", 0) && is_new("new", "two"), "one that is there is replaced");
	link(in("new"), in("hard"));
	ok(!write_text(in("hard"), "three", 0) && is_new("hard", "three") &&
	   !strcmp(text_of("new"), "two"), "so is a name of two, and the other one stays");
	mask = umask(0277);
	ok(!write_text(in("mask"), "", 0) && mode_of("mask", &uid) == (S_IFREG | 0400),
	   "of the mode that the umask leaves");
	umask(mask);
	ok(!wp_outfile_open(&o, in("new"), 0) && !strcmp(text_of("new"), "two"),
	   "until it is whole, there is what was there before");
	wp_outfile_abandon(&o);
	ok(is_new("new", "two"), "as if it is abandoned");
	nr = names(&temporary);
	if (wp_outfile_open(&o, in("none"), 0))
		exit(2);
	ok(names(&temporary) == nr + 1 && temporary == 1, "while it is written, it has another name");
	wp_outfile_remove(&o);
	ok(names(&temporary) == nr, "which goes");
	wp_outfile_abandon(&o);
	ok(!wp_outfile_commit(&o), "what is not open can be ended");
	if (chdir(dir))
		exit(2);
	ok(!write_text("relative", "x", 0) && is_new("relative", "x"), "a relative name");
	ok(!write_text("./relative", "y", 0) && is_new("relative", "y"), "and with a dot");
	ok(!write_text("-", "z", 0) && is_new("-", "z"), "a file called -, if that is no other's");
}

static void test_names(void)
{
	char name[NAME_MAX + 3];

	memset(name, 'x', sizeof(name));
	name[NAME_MAX] = '\0';
	ok(!write_text(in(name), "long", 0) && is_new(name, "long"), "the longest name");
	name[NAME_MAX] = 'x';
	name[NAME_MAX + 1] = '\0';
	ok(write_text(in(name), "", 0) == -ENAMETOOLONG, "and a longer one");
	mkdir(in("dir"), 0700);
	ok(!write_text(in("dir/../new"), "dots", 0) && is_new("new", "dots"), "through a directory");
	ok(write_text(in("dir"), "", 0) == -EISDIR && strstr(wp_last_error(), "is a directory"),
	   "a directory: %s", wp_last_error());
	ok(write_text(in("new/"), "", 0) == -EISDIR && write_text(in("other/"), "", 0) == -EISDIR &&
	   write_text(in("dir/"), "", 0) == -EISDIR, "with a slash at the end");
	ok(write_text("/", "", 0) == -EISDIR && write_text(".", "", 0) == -EISDIR &&
	   write_text("..", "", 0) == -EISDIR, "others that are none");
	ok(write_text("", "", 0) == -ENOENT, "an empty name");
	ok(write_text(in("nowhere/x"), "", 0) == -ENOENT && strstr(wp_last_error(), "nowhere/x"),
	   "no such directory: %s", wp_last_error());
	ok(write_text(in("new/x"), "", 0) == -ENOTDIR, "a file on the way");
}

/* Links of the caller's own. */
static void test_links(void)
{
	struct stat st;

	put("precious", "precious");
	symlink("precious", in("link"));
	ok(!write_text(in("link"), "a", 0) && is_new("link", "a") &&
	   !strcmp(text_of("precious"), "precious"), "a link to a file is replaced");
	symlink("nothing", in("dangling"));
	ok(!write_text(in("dangling"), "b", 0) && is_new("dangling", "b") &&
	   stat(in("nothing"), &st), "so is one to nothing");
	symlink("loop", in("loop"));
	ok(!write_text(in("loop"), "c", 0) && is_new("loop", "c"), "and one to itself");
	symlink("dir", in("way"));
	ok(!write_text(in("way/file"), "d", 0) && is_new("dir/file", "d"),
	   "one on the way is followed");
	symlink("circle", in("circle"));
	ok(write_text(in("circle/file"), "", 0) == -ELOOP, "but not for ever");
}

static void test_kinds(void)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	mode_t mode;
	uid_t uid;

	mkfifo(in("fifo"), 0600);
	ok(write_text(in("fifo"), "", 0) == -ESPIPE, "a FIFO is refused: %s", wp_last_error());
	ok(wp_outpath_probe(in("fifo")) == -ESPIPE && wp_outpath_probe(in("dir")) == -EISDIR &&
	   !wp_outpath_probe(in("new")) && !wp_outpath_probe("/dev/null") &&
	   wp_outpath_probe(in("none/new")) == -ENOENT, "a question has the same answers");
	symlink("fifo", in("to-fifo"));
	ok(!write_text(in("to-fifo"), "x", 0) && is_new("to-fifo", "x"),
	   "what leads to one is replaced");
	strcpy(addr.sun_path, in("socket"));
	ok(!bind(fd, (struct sockaddr *)&addr, sizeof(addr)) &&
	   write_text(in("socket"), "", 0) == -ESPIPE && wp_outpath_probe(in("socket")) == -ESPIPE,
	   "a socket is refused");
	close(fd);
	symlink("/dev/null", in("null"));
	ok(!wp_outfile_check(in("new")) && wp_outfile_check("/dev/null") == -EINVAL,
	   "whether there could be a file");
	mode = mode_of("null", &uid);
	write_text(in("null"), "x", 0);
	ok(mode_of("null", &uid) == mode && S_ISLNK(mode), "our link to a device is followed");
	if (geteuid()) {
		ok(1, "# SKIP devices need root");
		return;
	}
	ok(!mknod(in("block"), S_IFBLK | 0600, 0) && write_text(in("block"), "", 0) == -ENXIO &&
	   wp_outpath_probe(in("block")) == -ENXIO, "a block device is refused: %s", wp_last_error());
}

static void test_streams(void)
{
	char name[32], text[8] = "";
	int pipes[2], out = dup(STDOUT_FILENO), err;

	if (pipe(pipes))
		exit(2);
	snprintf(name, sizeof(name), "/dev/fd/%d", pipes[1]);
	write_text(name, "one", 0);
	ok(read(pipes[0], text, sizeof(text)) == 3 && !memcmp(text, "one", 3), "%s", name);
	fflush(stdout);
	dup2(pipes[1], STDOUT_FILENO);
	write_text("/dev/stdout", "two", 0);
	write_text("-", "3", WP_OUTFILE_STDOUT);
	dup2(out, STDOUT_FILENO);
	ok(read(pipes[0], text, sizeof(text)) == 4 && !memcmp(text, "two3", 4),
	   "/dev/stdout, and -, as a pipe");
	put("out", "some longer text");
	dup2(open(in("out"), O_WRONLY), STDOUT_FILENO);
	ok(!wp_outpath_probe("/dev/stdout") && !strcmp(text_of("out"), "some longer text"),
	   "a question leaves a file as it is");
	err = write_text("/dev/stdout", "four", 0);
	dup2(out, STDOUT_FILENO);
	ok(!err && !strcmp(text_of("out"), "four"), "and as a file");
	ok(!access("/dev/stdout", F_OK), "they stay");
	err = write_text("/dev/full", "x", 0);
	ok(err == -ENOSPC && strstr(wp_last_error(), "No space left"), "/dev/full: %s",
	   wp_last_error());
}

/* A limit on the size of files stands for a disk that fills up. */
static void test_full(void)
{
	struct rlimit old, small;
	struct wp_outfile o;
	unsigned int i;
	FILE *f;
	int err;

	put("full", "before");
	getrlimit(RLIMIT_FSIZE, &old);
	small = old;
	small.rlim_cur = 1001;
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &small);
	for (i = 0; i < 2; i++) {
		err = wp_outfile_open(&o, in("full"),
				      i ? WP_OUTFILE_PARTIAL | WP_OUTFILE_LINES : 0);
		f = err ? NULL : wp_outfile_stream(&o);
		while (f && !ferror(f))
			fputs("a line\n", f);
		err = wp_outfile_commit(&o);
		if (!i)
			ok(err == -EFBIG && is_new("full", "before") == 0 &&
			   !strcmp(text_of("full"), "before"), "what is not whole gets no name: %s",
			   wp_last_error());
	}
	setrlimit(RLIMIT_FSIZE, &old);
	ok(err == -EFBIG && strlen(text_of("full")) == 1001 && text_of("full")[1000] == '\n',
	   "but if it is of use in part: up to the last line");
}

static void test_publish(void)
{
	unsigned int temporary;
	struct wp_outfile o;
	char command[64];
	struct stat st;

	put("data", "old");
	unlink(in("data.old"));
	if (wp_outfile_open(&o, in("data"), WP_OUTFILE_PARTIAL))
		exit(2);
	ok(!wp_outfile_publish(&o, ".old") && !strcmp(text_of("data.old"), "old") &&
	   write(o.fd, "new", 3) == 3 && !strcmp(text_of("data"), "new"),
	   "what is published has its name while it is written");
	ok(!wp_outfile_publish(&o, ".old") && !strcmp(text_of("data.old"), "old"), "once");
	unlink(in("data"));
	put("data", "another's");
	wp_outfile_remove(&o);
	ok(!strcmp(text_of("data"), "another's"), "what has its name by then is not taken away");
	mkdir(in("data.old2"), 0700);
	if (wp_outfile_open(&o, in("data"), 0))
		exit(2);
	ok(wp_outfile_publish(&o, ".old2") == -EISDIR && !strcmp(text_of("data"), "another's"),
	   "what cannot be kept is not lost: %s", wp_last_error());
	wp_outfile_abandon(&o);
	unlink(in("data"));
	mkdir(in("data"), 0700);
	if (!wp_outfile_open(&o, in("late"), 0)) {
		mkdir(in("late"), 0700);
		write(o.fd, "whole", 5);
		ok(wp_outfile_commit(&o) && names(&temporary) && temporary == 1 &&
		   strstr(wp_last_warning(), "beside it"), "what cannot have its name is kept: %s",
		   wp_last_warning());
	}
	snprintf(command, sizeof(command), "rm -f %s/late.tmp*", dir);
	if (system(command) || stat(in("late"), &st))
		exit(2);
}

/* What a process leaves that dies while it writes. */
static void test_death(void)
{
	unsigned int temporary, i;
	int status;
	pid_t pid;

	for (i = 0; i < 2; i++) {
		put("death", "before");
		pid = fork();
		if (!pid) {
			struct wp_outfile o;

			wp_outfile_die_on_signals();
			if (wp_outfile_open(&o, in("death"),
					    i ? WP_OUTFILE_PARTIAL | WP_OUTFILE_LINES : 0) ||
			    write(o.fd, "a line\nhalf", 11) != 11)
				_exit(1);
			raise(SIGTERM);
			_exit(2);
		}
		waitpid(pid, &status, 0);
		names(&temporary);
		ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM && !temporary &&
		   !strcmp(text_of("death"), i ? "a line\n" : "before"), i ?
		   "who dies leaves what is of use in part" : "and nothing else");
	}
}

/* As a user who may write to a directory of root's would swap what is in it. */
static void *swap(void *arg)
{
	const volatile bool *stop = arg;

	while (!*stop) {
		unlink(in("race"));
		symlink("victim", in("race"));
		unlink(in("race"));
		mkfifo(in("race"), 0666);
		unlink(in("race"));
		link(in("victim"), in("race"));
	}
	return NULL;
}

static void test_race(void)
{
	unsigned int i, wrong = 0;
	bool stop = false;
	struct stat st;
	pthread_t t;

	put("victim", "victim");
	if (pthread_create(&t, NULL, swap, &stop))
		exit(2);
	for (i = 0; i < 2000; i++) {
		int err = write_text(in("race"), "x", 0);

		/* Its own FIFO is refused. */
		wrong += err && err != -ESPIPE;
	}
	stop = true;
	pthread_join(t, NULL);
	unlink(in("race"));
	ok(!wrong && !strcmp(text_of("victim"), "victim") && !lstat(in("victim"), &st) &&
	   st.st_nlink == 1, "2000 files while the name changes all the time: %u wrong", wrong);
}

/* In a child of NOBODY. */
static void as_nobody(void (*fn)(const char *), const char *name)
{
	pid_t pid = fork();

	if (!pid) {
		if (setgid(NOBODY) || setuid(NOBODY))
			_exit(1);
		umask(0);
		fn(name);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void make_fifo(const char *name)
{
	mkfifo(in(name), 0666);
}

static void make_file(const char *name)
{
	put(name, "theirs");
}

static void link_to_device(const char *name)
{
	symlink("/dev/full", in(name));
}

static void link_to_stdout(const char *name)
{
	symlink("/proc/self/fd/1", in(name));
}

static void link_to_secret(const char *name)
{
	symlink(in("secret"), in(name));
}

static void test_others(void)
{
	static void (*const make[])(const char *) = {
		make_fifo, make_file, link_to_device, link_to_stdout,
	};
	unsigned int i, bad = 0;
	struct stat st;

	if (geteuid()) {
		ok(1, "# SKIP other users need root");
		return;
	}
	mkdir(in("secret"), 0700);
	mkdir(in("evil"), 0777);
	chmod(dir, 0755);
	chown(in("evil"), NOBODY, NOBODY);
	for (i = 0; i < sizeof(make) / sizeof(make[0]); i++) {
		as_nobody(make[i], "evil/x");
		bad += !!lstat(in("evil/x"), &st) || st.st_uid != NOBODY;
		bad += !!write_text(in("evil/x"), "ours", 0) || !is_new("evil/x", "ours");
		unlink(in("evil/x"));
	}
	ok(!bad, "whatever another user left there is replaced");
	as_nobody(link_to_secret, "evil/d");
	ok(write_text(in("evil/d/x"), "", 0) == -EXDEV && stat(in("secret/x"), &st),
	   "another user's link on the way is not followed: %s", wp_last_error());
}

int main(void)
{
	char cmd[64];

	if (!mkdtemp(dir))
		return 2;
	umask(022);
	wp_set_verbosity(WP_SILENT);
	test_file();
	test_names();
	test_links();
	test_kinds();
	test_streams();
	test_full();
	test_publish();
	test_death();
	test_race();
	test_others();
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	return system(cmd) ? 2 : done();
}
