// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of opening what others name: regular files only, in a root that nothing leads out
 * of, by openat2() and without it, and the one that was looked at while another process
 * puts others in its place.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/perfdata/perffile.h"
#include "lib/sandbox/openfile.h"
#include "tap.h"

#define ROUNDS	3000

static char dir[] = "/tmp/wp-openfile-XXXXXX";
static int root;

static const char *at(const char *name)
{
	static char path[2][PATH_MAX];
	static int turn;

	turn = !turn;
	snprintf(path[turn], PATH_MAX, "%s/%s", dir, name);
	return path[turn];
}

static void make_file(const char *name, const char *text)
{
	int fd = open(at(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		perror(name);
	close(fd);
}

static void make_link(const char *to, const char *name)
{
	if (symlink(to, at(name)))
		perror(name);
}

static void make_socket(const char *name)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	strcpy(un.sun_path, at(name));
	if (bind(fd, (void *)&un, sizeof(un)))
		perror(name);
	close(fd);
}

/* A tree with a root, and things outside of it. */
static void make_tree(void)
{
	mkdir(at("root"), 0700);
	mkdir(at("root/sub"), 0700);
	mkdir(at("root/usr"), 0700);
	make_file("outside", "outside");
	make_file("root/file", "file");
	make_file("root/usr/lib", "lib");
	if (mkfifo(at("root/fifo"), 0600))
		perror("fifo");
	make_socket("root/socket");
	make_link("file", "root/link");
	make_link("/usr/lib", "root/absolute");
	make_link("../../../../../outside", "root/sub/out");
	make_link("../file", "root/sub/up");
	make_link("loop", "root/loop");
	make_link("/proc/self/fd/0", "root/magic");
	make_link("/", "root/whole");
	make_link("/proc/kmsg", "kmsg");
}

static bool has(int fd, const char *text)
{
	char got[32] = "";
	bool good = fd >= 0 && pread(fd, got, sizeof(got) - 1, 0) >= 0 && !strcmp(got, text);

	if (fd >= 0)
		close(fd);
	return good;
}

static void opens(const char *path, const char *text, const char *what)
{
	struct stat st;
	int fd = wp_openfile_in(root, path, &st);

	if (!ok(fd >= 0 && S_ISREG(st.st_mode) && has(fd, text), "%s", what))
		printf("# %s: %s\n", path, fd < 0 ? strerror(errno) : "another one");
}

static void refuses(const char *path, int err, const char *what)
{
	struct stat st;
	int fd = wp_openfile_in(root, path, &st);

	if (!ok(fd < 0 && errno == err, "%s", what))
		printf("# %s: %s\n", path, fd < 0 ? strerror(errno) : "opened");
	if (fd >= 0)
		close(fd);
}

static void in_root(void)
{
	char deep[3 * 200 + 8] = "", name[NAME_MAX + 2];
	int i;

	opens("/file", "file", "a file");
	opens("file", "file", "without the slash");
	opens("//sub/.././file", "file", "with steps back and forth");
	opens("/../../file", "file", "nothing is above the root");
	opens("/link", "file", "a link");
	opens("/sub/up", "file", "a link upwards");
	opens("/absolute", "lib", "a link from the root, which is that root");
	opens("/whole/sub/../whole/file", "file", "a link to the root itself");
	refuses("/sub/out", ENOENT, "a link out of it leads nowhere");
	refuses("/../outside", ENOENT, "nor do steps");
	refuses("/loop", ELOOP, "a link to itself");
	refuses("/magic", ENOENT, "a link of the kernel's, by a name that is not there");
	refuses("/fifo", EINVAL, "a FIFO");
	refuses("/socket", EINVAL, "a socket");
	refuses("/sub", EINVAL, "a directory");
	refuses("/", EINVAL, "the root");
	refuses("", ENOENT, "no name");
	refuses("/file/x", ENOTDIR, "below a file");
	refuses("/nothing", ENOENT, "nothing");
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	refuses(name, ENAMETOOLONG, "a name that is too long");
	for (i = 0; i < 200; i++)
		strcat(deep, "../");
	strcat(deep, "file");
	opens(deep, "file", "many steps up");
}

static void by_name(void)
{
	struct stat st;
	int fd = wp_openfile(at("root/link"), 0, &st);

	ok(has(fd, "file"), "a link that the user names is followed");
	ok(wp_openfile(at("root/link"), O_NOFOLLOW, &st) < 0 && errno == EINVAL,
	   "or is not, if it must not be one");
	ok(wp_openfile("/dev/null", 0, &st) < 0 && errno == EINVAL, "a device");
	ok(wp_openfile("/proc/self/maps", 0, &st) < 0 && errno == EINVAL,
	   "a file that is a function of the kernel");
	ok(wp_openfile("/sys/kernel/notes", 0, &st) < 0, "another one");
	ok(wp_openfile(at("kmsg"), 0, &st) < 0, "a link to one");
	ok(wp_openfile_in(WP_OPENFILE_HERE, "/proc/self/exe", &st) < 0 && errno == ELOOP,
	   "what the kernel links is not followed in a name of others");
	fd = wp_openfile("/proc/self/exe", 0, &st);
	ok(fd >= 0, "but in one of the user's");
	close(fd);
	ok(!wp_openfile_stat(root, "/fifo", &st) && S_ISFIFO(st.st_mode), "a look at a FIFO");
	ok(wp_openfile_stat(root, "/sub/out", &st) < 0 && errno == ENOENT,
	   "no look at what is outside");
}

/* Neither a FIFO nor a file in which the root's names are not is opened at all. */
static void untouched(void)
{
	char event[sizeof(struct inotify_event) + NAME_MAX + 1];
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	struct wp_perffile recording;
	char device[64];
	struct stat st;

	/* A device that nobody else knows. */
	if (terminal < 0 || unlockpt(terminal) || ptsname_r(terminal, device, sizeof(device)))
		perror("terminal");
	inotify_add_watch(watch, at("root/fifo"), IN_OPEN);
	inotify_add_watch(watch, at("outside"), IN_OPEN);
	inotify_add_watch(watch, device, IN_OPEN);
	make_link(device, "terminal");
	wp_openfile_in(root, "/fifo", &st);
	wp_openfile_in(root, "/sub/out", &st);
	wp_openfile(at("root/fifo"), 0, &st);
	wp_openfile(at("terminal"), 0, &st);
	ok(wp_perffile_open(&recording, at("root/fifo")) == -EINVAL &&
	   wp_perffile_open(&recording, at("terminal")) == -EINVAL, "neither is a recording");
	ok(read(watch, event, sizeof(event)) < 0 && errno == EAGAIN, "nothing else was opened");
	close(terminal);
	close(watch);
}

/* Puts a FIFO, a link out and the file in one place, one after the other, until it ends. */
static void swap(int end)
{
	char byte;

	make_file("root/good", "file");
	make_link("../outside", "root/bad");
	for (;;) {
		if (mkfifo(at("root/next"), 0600) || rename(at("root/next"), at("root/place")) ||
		    link(at("root/good"), at("root/next")) ||
		    rename(at("root/next"), at("root/place")) ||
		    link(at("root/bad"), at("root/next")) ||
		    rename(at("root/next"), at("root/place")))
			_exit(1);
		if (read(end, &byte, 1) != -1)
			_exit(0);
	}
}

static void raced(void)
{
	char event[sizeof(struct inotify_event) + NAME_MAX + 1];
	int end[2], i, fd, wrong = 0, watch, status;
	struct stat st;
	pid_t pid;

	if (pipe2(end, O_NONBLOCK | O_CLOEXEC))
		return;
	watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	inotify_add_watch(watch, at("outside"), IN_OPEN);
	pid = fork();
	if (!pid) {
		close(end[1]);
		swap(end[0]);
	}
	for (i = 0; i < ROUNDS; i++) {
		fd = wp_openfile_in(root, "/place", &st);
		/* A FIFO that was opened would have been waited for, or would be one here. */
		if (fd >= 0 && !has(fd, "file"))
			wrong++;
	}
	close(end[1]);
	waitpid(pid, &status, 0);
	ok(!status, "one that exchanges files ends well");
	ok(!wrong, "only the file was opened");
	ok(read(watch, event, sizeof(event)) < 0 && errno == EAGAIN, "never what is outside");
	close(end[0]);
	close(watch);
	unlink(at("root/place"));
	unlink(at("root/next"));
	unlink(at("root/good"));
	unlink(at("root/bad"));
}

static void all(void)
{
	in_root();
	by_name();
	untouched();
	raced();
	unlink(at("terminal"));
}

/* Where a filter of system calls answers as an old kernel does. */
static void without_openat2(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);

	if (!filter || seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS),
					seccomp_syscall_resolve_name("openat2"), 0) ||
	    seccomp_load(filter)) {
		printf("# no filter of system calls: not tested without openat2()\n");
		return;
	}
	seccomp_release(filter);
	printf("# without openat2()\n");
	all();
}

static void *outlives(void *arg)
{
	pause();
	return arg;
}

/* A process whose first thread has ended has its root in another one. */
static void without_leader(void)
{
	char path[64], text[512] = "";
	struct stat ours, theirs = {};
	pthread_t thread;
	int fd;
	pid_t pid = fork();

	if (!pid) {
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) ||
		    pthread_create(&thread, NULL, outlives, NULL))
			_exit(1);
		syscall(SYS_exit, 0);
	}
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	while (!strstr(text, "\nState:\tZ")) {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (read(fd, text, sizeof(text) - 1) < 0)
			break;
		close(fd);
	}
	fd = wp_openfile_root(pid);
	ok(fd >= 0 && !fstat(fd, &theirs) && !stat("/", &ours) && ours.st_ino == theirs.st_ino,
	   "that of a process whose first thread has ended");
	close(fd);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	ok(wp_openfile_root(pid) < 0 && errno == ENOENT, "none of one that has ended");
}

int main(void)
{
	char command[PATH_MAX];
	int first, left;

	if (!mkdtemp(dir))
		return 1;
	make_tree();
	root = open(at("root"), O_PATH | O_DIRECTORY | O_CLOEXEC);
	all();
	without_openat2();
	close(root);
	first = open("/", O_PATH | O_CLOEXEC);
	close(first);
	root = wp_openfile_root(getpid());
	ok(root >= 0, "a process's root");
	close(root);
	without_leader();
	left = open("/", O_PATH | O_CLOEXEC);
	ok(left == first, "no descriptor is left open");
	close(left);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	if (system(command))
		perror(dir);
	return done();
}
