// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the process that sends: which rights it has, started by root and by a user with
 * capabilities; receivers that refuse, whose answers do not end, and that do not answer while
 * another does; the directory of its spool; what it leaves for the next one; and where it
 * sends.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/agent/headers.h"
#include "cmd/agent/outbox.h"
#include "lib/base/err.h"
#include "tap.h"

#define USER	1000

/* Number of lines of the process's status that begin with one of these. */
static unsigned int count_lines(pid_t pid, const char *const *line, unsigned int nr)
{
	char path[64], text[256];
	unsigned int found = 0, i;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "r");
	while (f && fgets(text, sizeof(text), f)) {
		for (i = 0; i < nr; i++)
			found += !strncmp(text, line[i], strlen(line[i]));
	}
	if (f)
		fclose(f);
	return found;
}

static bool has_no_rights(uid_t uid)
{
	struct wp_outbox b = {
		.sock = -1,
		.o = { .url = "http://127.0.0.1:1/", .shown = "nowhere", .queue = 1, .timeout_ms = 1 },
	};
	const char *const none[] = {
		"CapPrm:\t0000000000000000\n", "CapEff:\t0000000000000000\n",
		"CapAmb:\t0000000000000000\n", "NoNewPrivs:\t1\n",
	};
	char users[64];
	const char *const user[] = { users };
	bool good;

	if (wp_outbox_open(&b))
		return false;
	snprintf(users, sizeof(users), "Uid:\t%u\t%u\t%u\t%u\n", uid, uid, uid, uid);
	good = count_lines(b.pid, none, 4) == 4 && count_lines(b.pid, user, 1) == 1;
	return !wp_outbox_close(&b) && good;
}

/* A user with all capabilities of root. */
static bool become_user(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3];

	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) || setresuid(USER, USER, USER) ||
	    syscall(SYS_capget, &head, caps))
		return false;
	caps[0].effective = caps[0].permitted;
	caps[1].effective = caps[1].permitted;
	return caps[0].permitted && !syscall(SYS_capset, &head, caps);
}

static bool in_child(bool as_user)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit((!as_user || become_user()) &&
		      has_no_rights(as_user ? USER : WP_OUTBOX_UID) ? 0 : 1);
	return waitpid(pid, &status, 0) == pid && !status;
}

/* Goes on until nobody reads. */
static void answer_for_good(int fd)
{
	static const char more[65536];

	signal(SIGPIPE, SIG_IGN);
	while (write(fd, more, sizeof(more)) > 0)
		;
}

/*
 * Answers each request, which comes in a few packets, with the next status. What follows a "/"
 * must be in the request, or it is refused.
 */
static void serve(int sock, const char *const *status)
{
	char request[8192], answer[256];
	const char *wanted;
	size_t len;
	ssize_t n;
	int fd;

	for (; *status; status++) {
		fd = accept(sock, NULL, NULL);
		/* The message is one of gzip: its end has its length, 3. */
		for (len = 0; len < 4 || memcmp(request + len - 4, "\3\0\0", 4); len += n) {
			n = read(fd, request + len, sizeof(request) - len);
			if (n <= 0)
				_exit(1);
		}
		wanted = strchrnul(*status, '/');
		if (*wanted && !memmem(request, len, wanted + 1, strlen(wanted + 1)))
			wanted = NULL;
		n = snprintf(answer, sizeof(answer),
			     "HTTP/1.1 %.*s\r\n%sConnection: close\r\n\r\n",
			     wanted ? (int)(wanted - *status) : 5, wanted ? *status : "400 b", strstr(*status, "endless") ? "" : "Content-Length: 0\r\n");
		if (write(fd, answer, n) != n)
			_exit(1);
		if (strstr(*status, "endless"))
			answer_for_good(fd);
		close(fd);
	}
	_exit(0);
}

/* A socket whose connections nobody accepts so far, or -1, and its URL. */
static int listen_only(char *url, size_t room)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int sock = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t size = sizeof(to);

	if (bind(sock, (void *)&to, size) || listen(sock, 8) ||
	    getsockname(sock, (void *)&to, &size)) {
		close(sock);
		return -1;
	}
	snprintf(url, room, "http://127.0.0.1:%u/", ntohs(to.sin_port));
	return sock;
}

/* Starts a receiver that answers so; returns its process, or -1, and its URL. */
static pid_t start_receiver(const char *const *status, char *url, size_t room)
{
	int sock = listen_only(url, room);
	pid_t pid = sock < 0 ? -1 : fork();

	if (!pid)
		serve(sock, status);
	close(sock);
	return pid;
}

static void end_receiver(pid_t pid)
{
	if (pid <= 0)
		return;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void test_refused(void)
{
	static const char *const status[] = {
		"404 a", "404 a", "400 a", "400 endless", "200 endless", "400 a", NULL };
	struct wp_outbox b = {
		.sock = -1, .o = { .queue = 1 << 20, .timeout_ms = 60000, .end_ms = 60000 },
	};
	int before = dup(2);
	unsigned int lines = 0, i;
	FILE *said = tmpfile();
	char url[64], text[512];
	pid_t pid;

	pid = start_receiver(status, url, sizeof(url));
	if (pid < 0) {
		ok(0, "a receiver listens");
		return;
	}
	b.o.url = url;
	b.o.shown = url;
	unsetenv("http_proxy");
	dup2(fileno(said), 2);
	if (!wp_outbox_open(&b)) {
		for (i = 0; status[i]; i++)
			wp_outbox_post(&b, WP_SPOOL_PROFILES, "abc", 3, 1000000000);
		wp_outbox_close(&b);
	}
	dup2(before, 2);
	close(before);
	rewind(said);
	while (fgets(text, sizeof(text), said)) {
		printf("# %s", text);
		lines += !!strstr(text, "are lost");
	}
	fclose(said);
	end_receiver(pid);
	ok(b.all[WP_OUTBOX_REFUSED].windows == 5 && b.all[WP_OUTBOX_SENT].windows == 1,
	   "what is refused is counted, also if the answer does not end");
	ok(lines == 3, "... and said once, until the reason changes, or one is sent");
}

/* Messages of metrics: each makes up for those before. */
static void test_metrics(void)
{
	static const char *const status[] = { "200 a", "404 a", "200 a", "400 a", NULL };
	struct wp_outbox b = {
		.sock = -1, .o = { .queue = 1 << 20, .timeout_ms = 60000, .end_ms = 60000 },
	};
	char url[64];
	int ret = 1;
	pid_t pid;

	pid = start_receiver(status, url, sizeof(url));
	if (pid < 0) {
		ok(0, "a receiver of metrics listens");
		return;
	}
	/* Whatever is sent to the other one fails for good. */
	b.o.url = "http://127.0.0.1:1/";
	b.o.shown = b.o.url;
	b.o.metrics_url = url;
	b.o.metrics_shown = url;
	if (!wp_outbox_open(&b)) {
		wp_outbox_post(&b, WP_SPOOL_METRICS, "abc", 3, 0);
		wp_outbox_post(&b, WP_SPOOL_METRICS, "abc", 3, 0);
		wp_outbox_post(&b, WP_SPOOL_METRICS, "abc", 3, 0);
		wp_outbox_post(&b, WP_SPOOL_METRICS, "abc", 3, 0);
		ret = wp_outbox_close(&b);
	}
	end_receiver(pid);
	ok(b.metrics[WP_OUTBOX_SENT] == 2 && b.metrics[WP_OUTBOX_REFUSED] == 2,
	   "metrics have a receiver of their own, and their messages are counted");
	ok(!b.all[WP_OUTBOX_SENT].windows && !b.all[WP_OUTBOX_REFUSED].windows &&
	   !b.loss[WP_OUTBOX_REFUSED].windows, "... not as windows");
	ok(b.unsent == 1 && ret == -EIO, "... and a later one makes up for a lost one");
}

/* Takes replies until @of is @nr, or a message waits, or is in the spool. */
static bool until_sent(struct wp_outbox *b, const __u64 *of, __u64 nr)
{
	while (*of < nr && !b->waits[WP_SPOOL_METRICS] && !b->waits[WP_SPOOL_PROFILES] &&
	       !b->all[WP_OUTBOX_SPOOLED].windows && b->pid) {
		usleep(1000);
		wp_outbox_take(b);
	}
	return *of == nr;
}

/* Each has a lane of its own. */
static void test_hangs(bool metrics_hang)
{
	static const char *const status[] = { "200 a", "200 a", "200 a", NULL };
	struct wp_outbox b = {
		.sock = -1, .o = { .queue = 1, .timeout_ms = 30000, .end_ms = 1 },
	};
	const __u64 *sent = metrics_hang ? &b.all[WP_OUTBOX_SENT].windows :
					   &b.metrics[WP_OUTBOX_SENT];
	char url[64], hung[64];
	int sock = listen_only(hung, sizeof(hung));
	pid_t pid = start_receiver(status, url, sizeof(url));
	unsigned int i, good = 0;

	b.o.url = b.o.shown = metrics_hang ? url : hung;
	b.o.metrics_url = b.o.metrics_shown = metrics_hang ? hung : url;
	wp_set_verbosity(WP_SILENT);
	if (sock >= 0 && pid > 0 && !wp_outbox_open(&b)) {
		wp_outbox_post(&b, metrics_hang ? WP_SPOOL_METRICS : WP_SPOOL_PROFILES, "abc", 3,
			       metrics_hang ? 0 : 5);
		for (i = 0; i < 3; i++) {
			wp_outbox_post(&b, metrics_hang ? WP_SPOOL_PROFILES : WP_SPOOL_METRICS,
				       "abc", 3, metrics_hang);
			good += until_sent(&b, sent, i + 1);
		}
		wp_outbox_close(&b);
	}
	wp_set_verbosity(WP_NORMAL);
	end_receiver(pid);
	close(sock);
	ok(good == 3, "a receiver of %s that hangs delays no %s",
	   metrics_hang ? "metrics" : "profiles", metrics_hang ? "profiles" : "metrics");
	ok(metrics_hang ? b.metrics[WP_OUTBOX_ENDED] == 1 && !b.all[WP_OUTBOX_NO_ROOM].windows :
			  b.all[WP_OUTBOX_ENDED].ns == 5 && !b.metrics[WP_OUTBOX_NO_ROOM],
	   "... nor takes their room in the queue, and what it did not take is counted");
}

/* Metrics that wait for a receiver that is away: they are in the spool, and before the others. */
static void test_spool_lanes(void)
{
	static const char *const status[] = { "200 a", "200 a", "200 a", NULL };
	char top[] = "/tmp/wallprof-lanes.XXXXXX", url[64], spool[64];
	struct wp_outbox b = {
		.sock = -1, .o = { .queue = 1 << 20, .timeout_ms = 30000, .end_ms = 1,
				   .metrics_url = "http://127.0.0.1:1/", .metrics_shown = "nowhere",
				   .limits = { .bytes = 1 << 20, .age = 100 } },
	};
	pid_t pid = start_receiver(status, url, sizeof(url));
	unsigned int i, good = 0;

	b.o.url = b.o.shown = url;
	b.o.spool = spool;
	wp_set_verbosity(WP_SILENT);
	if (pid > 0 && mkdtemp(top) && !chmod(top, 0755) &&
	    snprintf(spool, sizeof(spool), "%s/spool", top) > 0 && !wp_outbox_open(&b)) {
		wp_outbox_post(&b, WP_SPOOL_METRICS, "abc", 3, 0);
		while (!b.metrics[WP_OUTBOX_SPOOLED] && b.pid) {
			usleep(1000);
			wp_outbox_take(&b);
		}
		for (i = 0; i < 3; i++) {
			wp_outbox_post(&b, WP_SPOOL_PROFILES, "abc", 3, 1);
			while (b.all[WP_OUTBOX_SENT].windows <= i && b.pid &&
			       !b.all[WP_OUTBOX_SPOOLED].windows) {
				usleep(1000);
				wp_outbox_take(&b);
			}
			good += b.all[WP_OUTBOX_SENT].windows == i + 1;
		}
		wp_outbox_close(&b);
	}
	wp_set_verbosity(WP_NORMAL);
	end_receiver(pid);
	ok(good == 3 && !b.all[WP_OUTBOX_SPOOLED].windows,
	   "metrics that wait in the spool delay no profiles");
	snprintf(url, sizeof(url), "rm -rf %s", top);
	if (system(url))
		ok(0, "nothing is left");
}

/* Messages of another format are of an earlier start, and not for this receiver. */
static void test_formats(void)
{
	static const char *const status[] = {
		"200 a/Content-Type: application/proto\r\n",
		"200 a/Connect-Protocol-Version: 1\r\n",
		"200 a/Content-Encoding: gzip\r\n", NULL };
	struct wp_outbox b = {
		.sock = -1, .o = { .profiles = WP_SPOOL_PYROSCOPE, .queue = 1 << 20,
				   .timeout_ms = 60000, .end_ms = 60000 },
	};
	char url[64];
	pid_t pid = start_receiver(status, url, sizeof(url));
	unsigned int i;

	b.o.url = url;
	b.o.shown = url;
	if (pid > 0 && !wp_outbox_open(&b)) {
		wp_outbox_post(&b, WP_SPOOL_PROFILES, "abc", 3, 7);
		for (i = 0; i < 3; i++)
			wp_outbox_post(&b, WP_SPOOL_PYROSCOPE, "abc", 3, 1);
		wp_outbox_post(&b, WP_SPOOL_PARCA, "abc", 3, 8);
		wp_outbox_close(&b);
	}
	end_receiver(pid);
	ok(b.all[WP_OUTBOX_SENT].windows == 3 && b.all[WP_OUTBOX_SENT].ns == 3,
	   "a receiver of another format gets its own headers");
	ok(b.all[WP_OUTBOX_REFUSED].windows == 2 && b.all[WP_OUTBOX_REFUSED].ns == 15,
	   "... and no message of another one, which is counted");
}

/* A secret of one receiver is not for the other one. */
static void test_headers(void)
{
	static const char *const of_profiles[] = {
		"200 a/file: 1\r\nOf: either\r\n", "200 a/Of: either\r\n",
		"200 a/Of: metrics\r\n", NULL };
	static const char *const of_metrics[] = {
		"200 a/file: 1\r\nOf: metrics\r\n", "200 a/Of: metrics\r\n",
		"200 a/Of: either\r\n", NULL };
	struct wp_outbox b = {
		.sock = -1, .o = { .queue = 1 << 20, .timeout_ms = 60000, .end_ms = 60000 },
	};
	struct wp_agent_headers profiles = { 0 }, metrics = { 0 };
	char path[] = "/tmp/wallprof-headers.XXXXXX", url[64], metrics_url[64];
	int fd = mkstemp(path);
	unsigned int i;
	bool good;
	pid_t pid, other;

	good = fd >= 0 && write(fd, "file: 1\n", 8) == 8 && !wp_agent_headers_file(&profiles, path);
	unlink(path);
	close(fd);
	setenv("OTEL_EXPORTER_OTLP_HEADERS", "Of=either", 1);
	setenv("OTEL_EXPORTER_OTLP_METRICS_HEADERS", "Of=metrics", 1);
	good = good && !wp_agent_headers_copy(&metrics, &profiles) &&
	       !wp_agent_headers_environment(&profiles, "OTEL_EXPORTER_OTLP_PROFILES_HEADERS") &&
	       !wp_agent_headers_environment(&metrics, "OTEL_EXPORTER_OTLP_METRICS_HEADERS");
	unsetenv("OTEL_EXPORTER_OTLP_HEADERS");
	unsetenv("OTEL_EXPORTER_OTLP_METRICS_HEADERS");
	ok(good && profiles.nr == 2 && metrics.nr == 2, "headers of a file, and of variables");
	pid = start_receiver(of_profiles, url, sizeof(url));
	other = start_receiver(of_metrics, metrics_url, sizeof(metrics_url));
	b.o.url = b.o.shown = url;
	b.o.metrics_url = b.o.metrics_shown = metrics_url;
	b.o.header[WP_SPOOL_PROFILES] = profiles.line;
	b.o.nr_headers[WP_SPOOL_PROFILES] = profiles.nr;
	b.o.header[WP_SPOOL_METRICS] = metrics.line;
	b.o.nr_headers[WP_SPOOL_METRICS] = metrics.nr;
	if (pid > 0 && other > 0 && !wp_outbox_open(&b)) {
		for (i = 0; i < 3; i++) {
			wp_outbox_post(&b, WP_SPOOL_PROFILES, "abc", 3, 1);
			wp_outbox_post(&b, WP_SPOOL_METRICS, "abc", 3, 0);
		}
		wp_outbox_close(&b);
	}
	end_receiver(pid);
	end_receiver(other);
	/* Of each, the last one is refused. */
	ok(b.all[WP_OUTBOX_SENT].windows == 2 && b.all[WP_OUTBOX_REFUSED].windows == 1,
	   "profiles are sent with theirs");
	ok(b.metrics[WP_OUTBOX_SENT] == 2 && b.metrics[WP_OUTBOX_REFUSED] == 1,
	   "metrics are sent with theirs");
	wp_agent_headers_free(&profiles);
	wp_agent_headers_free(&metrics);
}

static unsigned int count_fds(void)
{
	unsigned int nr = 0;
	int fd;

	for (fd = 0; fd < 1000; fd++)
		nr += fcntl(fd, F_GETFD) >= 0;
	return nr;
}

/* Three windows and metrics for a receiver that is away: what the process leaves of them. */
static void leave_all(struct wp_outbox_left *left, struct wp_outbox *b, bool stopped)
{
	*b = (struct wp_outbox){
		.sock = -1,
		.o = { .url = "http://127.0.0.1:1/", .shown = "nowhere", .queue = 1 << 20,
		       .metrics_url = "http://127.0.0.1:1/", .metrics_shown = "nowhere",
		       .timeout_ms = 60000, .end_ms = stopped ? 1 : 60000 },
	};
	wp_set_verbosity(WP_SILENT);
	if (!wp_outbox_open(b)) {
		wp_outbox_post(b, WP_SPOOL_PROFILES, "abc", 3, 1);
		wp_outbox_post(b, WP_SPOOL_PROFILES, "abc", 3, 20);
		if (stopped)
			kill(b->pid, SIGSTOP);
		wp_outbox_post(b, WP_SPOOL_METRICS, "abc", 3, 0);
		wp_outbox_post(b, WP_SPOOL_PROFILES, "abc", 3, 300);
	}
	wp_outbox_leave(b, left);
	wp_set_verbosity(WP_NORMAL);
}

static __u64 all_ns(const struct wp_outbox *b)
{
	return b->all[WP_OUTBOX_SENT].ns + b->all[WP_OUTBOX_REFUSED].ns +
	       b->all[WP_OUTBOX_NO_ROOM].ns + b->all[WP_OUTBOX_BROKEN].ns;
}

static void test_left(void)
{
	static const char *const status[] = { "200 a", "200 a", "200 a", NULL };
	unsigned int before = count_fds();
	struct wp_outbox_left left;
	struct wp_outbox b;
	char url[64], data[4096];
	ssize_t size;
	pid_t pid;

	leave_all(&left, &b, false);
	size = pread(left.fd, data, sizeof(data), 0);
	ok(size > 0 && (__u64)size == left.bytes && left.windows == 3 && left.ns == 321 &&
	   !all_ns(&b) && !b.unsent, "what a receiver that is away did not get is left");
	ok(pwrite(left.fd, "a", 1, 0) < 0 && ftruncate(left.fd, 0) < 0, "... in a sealed file");
	close(left.fd);
	ok(count_fds() == before && !b.pid, "... and nothing else of the process");

	pid = start_receiver(status, url, sizeof(url));
	b = (struct wp_outbox){
		.sock = -1,
		.o = { .url = url, .shown = url, .queue = 1 << 20, .timeout_ms = 60000,
		       .end_ms = 60000 },
	};
	wp_set_verbosity(WP_SILENT);
	ok(!wp_outbox_open(&b) && !wp_outbox_restore(&b, data, size) &&
	   wp_outbox_close(&b) == -EIO &&
	   b.all[WP_OUTBOX_SENT].windows == 3 && b.all[WP_OUTBOX_SENT].ns == 321,
	   "the next process sends it");
	ok(b.metrics[WP_OUTBOX_REFUSED] == 1 && b.unsent == 1,
	   "... and counts metrics for which it has no receiver");
	b.loss[WP_OUTBOX_REFUSED] = (struct wp_outbox_loss){ 0 };
	ok(wp_outbox_restore(&b, data, size - 1) == -EINVAL && b.all[WP_OUTBOX_BROKEN].ns == 21 &&
	   wp_outbox_restore(&b, data, 5) == -EINVAL && wp_outbox_restore(&b, data, 0) == 0,
	   "what is cut is malformed; without a process it is lost, and counted");
	memset(data + offsetof(struct wp_outbox_post, kind), 0xff, 8);
	ok(wp_outbox_restore(&b, data, size) == -EINVAL && b.all[WP_OUTBOX_BROKEN].ns == 21,
	   "... as is what has no kind");
	end_receiver(pid);

	leave_all(&left, &b, true);
	close(left.fd);
	wp_set_verbosity(WP_NORMAL);
	ok(!left.windows && !left.ns && b.all[WP_OUTBOX_BROKEN].ns == 321 && b.unsent == 1,
	   "a process that hangs leaves nothing, which is counted");
}

/* Whether it begins with a spool of this path, whose owner is this then; the check says so. */
static bool begins(const char *path, uid_t owner)
{
	const char *trouble;
	bool good = !wp_outbox_check_spool(path, &trouble);

	struct wp_outbox b = {
		.sock = -1,
		.o = { .url = "http://127.0.0.1:1/", .shown = "nowhere", .queue = 1, .spool = path,
		       .limits = { .bytes = 1000, .age = 1000 }, .timeout_ms = 1 },
	};
	struct stat st;

	if (wp_outbox_open(&b)) {
		if (good)
			printf("# %s: the check found nothing\n", path);
		return good;
	}
	return !wp_outbox_close(&b) && !stat(path, &st) && st.st_uid == owner && good;
}

static bool is_of(const char *path, uid_t owner)
{
	struct stat st;

	return !stat(path, &st) && st.st_uid == owner;
}

static void test_spool(void)
{
	char top[] = "/tmp/wallprof-outbox.XXXXXX";
	uid_t owner = geteuid() ? geteuid() : WP_OUTBOX_UID;
	const char *trouble;

	if (!mkdtemp(top) || chdir(top) || chmod(top, 0755) || mkdir("others", 0755) ||
	    symlink("others", "link")) {
		ok(0, "there is a directory");
		return;
	}
	ok(!wp_outbox_check_spool("new", &trouble) && access("new", F_OK),
	   "a check makes no directory");
	ok(begins("new", owner) && begins("new", owner) && begins("new/", owner),
	   "a directory is made for the spool, and used again");
	ok(!begins("link", owner) && is_of("others", geteuid()),
	   "a link in its place is not followed");
	if (!geteuid())
		ok(!begins("others", owner) && is_of("others", 0), "nor is root's given away");
	ok(!begins("none/new", owner), "nor is more than one made");
	rmdir("new");
	unlink("link");
	rmdir("others");
	if (chdir("/") || rmdir(top))
		ok(0, "nothing is left");
}

static bool goes_to(const char *to, const char *url, const char *shown)
{
	char *a = wp_agent_url(to, WP_SPOOL_PROFILES), *b = a ? wp_agent_shown(a) : NULL;
	bool good = url ? a && b && !strcmp(a, url) && !strcmp(b, shown) : !a;

	free(a);
	free(b);
	return good;
}

static bool metrics_go_to(const char *to, const char *url)
{
	char *a = NULL;
	bool good = !wp_agent_metrics_url(to, WP_SPOOL_PROFILES, &a) && (url ? a && !strcmp(a, url) : !a);

	free(a);
	return good;
}

static void test_metrics_url(void)
{
	char *url;

	ok(metrics_go_to("http://h", "http://h/v1/metrics") &&
	   metrics_go_to("https://h:1/", "https://h:1/v1/metrics") &&
	   metrics_go_to(NULL, "http://localhost:4318/v1/metrics"), "metrics have a path");
	ok(metrics_go_to("http://me:a@h/p/v1development/profiles", "http://me:a@h/p/v1/metrics"),
	   "... instead of that of profiles");
	ok(metrics_go_to("http://h/p", NULL) && metrics_go_to("http://h?q=1", NULL),
	   "... which another one does not show");
	setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://e/base/", 1);
	ok(metrics_go_to(NULL, "http://e/base/v1/metrics") &&
	   metrics_go_to("http://h", "http://h/v1/metrics"), "the environment has one");
	setenv("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "http://m/x", 1);
	ok(metrics_go_to(NULL, "http://m/x") && metrics_go_to("http://h/p", "http://m/x"),
	   "... or one for metrics");
	setenv("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "m", 1);
	wp_set_verbosity(WP_SILENT);
	ok(wp_agent_metrics_url(NULL, WP_SPOOL_PROFILES, &url) == -EINVAL && !url,
	   "... that must be a URL");
	wp_set_verbosity(WP_NORMAL);
	unsetenv("OTEL_EXPORTER_OTLP_ENDPOINT");
	unsetenv("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT");
}

static bool engine_is(const char *to, enum wp_spool_kind kind, const char *url)
{
	char *a = wp_agent_url(to, kind);
	bool good = a && !strcmp(a, url);

	free(a);
	return good;
}

static void test_engine_urls(void)
{
	char *url = NULL;

	setenv("OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT", "http://otlp/x", 1);
	setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://otlp", 1);
	ok(engine_is(NULL, WP_SPOOL_PYROSCOPE, "http://localhost:4040/push.v1.PusherService/Push") &&
	   engine_is(NULL, WP_SPOOL_PARCA, "http://localhost:7070/api/profiles/writeraw"),
	   "engines have paths of their own, and the environment of OTLP is not for them");
	ok(engine_is("http://h/", WP_SPOOL_PYROSCOPE, "http://h/push.v1.PusherService/Push") &&
	   engine_is("http://h/p", WP_SPOOL_PARCA, "http://h/p"), "... unless one is given");
	ok(!wp_agent_metrics_url(NULL, WP_SPOOL_PYROSCOPE, &url) && !url,
	   "... and they take no metrics");
	setenv("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "http://m/x", 1);
	ok(!wp_agent_metrics_url("http://h", WP_SPOOL_PARCA, &url) && url &&
	   !strcmp(url, "http://m/x"), "... which can go elsewhere");
	free(url);
	unsetenv("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT");
	unsetenv("OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT");
	unsetenv("OTEL_EXPORTER_OTLP_ENDPOINT");
}

static void test_url(void)
{
	ok(goes_to("http://h", "http://h/v1development/profiles",
		   "http://h/v1development/profiles") &&
	   goes_to("https://h:1/", "https://h:1/v1development/profiles",
		   "https://h:1/v1development/profiles"), "a path is added");
	ok(goes_to("http://h/p", "http://h/p", "http://h/p") &&
	   goes_to("http://h?q=/", "http://h?q=/", "http://h?q=/"), "unless something is there");
	ok(goes_to("http://me:secret@h/p@q", "http://me:secret@h/p@q", "http://h/p@q") &&
	   goes_to("http://me:a@b@h", "http://me:a@b@h/v1development/profiles",
		   "http://h/v1development/profiles"), "a password is not shown");
	wp_set_verbosity(WP_SILENT);
	ok(goes_to("http://[::1]:65535/p", "http://[::1]:65535/p", "http://[::1]:65535/p") &&
	   goes_to("http://me:a@[::1]/p", "http://me:a@[::1]/p", "http://[::1]/p"),
	   "an address of IPv6 is in brackets");
	ok(goes_to("http://[::1", NULL, NULL) && goes_to("http://[::1]1", NULL, NULL) &&
	   goes_to("http://h:", NULL, NULL) && goes_to("http://h:0", NULL, NULL) &&
	   goes_to("http://h:65536", NULL, NULL) && goes_to("http://h:1x", NULL, NULL) &&
	   goes_to("http://me@", NULL, NULL) && goes_to("http://::1", NULL, NULL),
	   "no port, and a host that is not complete, are refused");
	ok(goes_to("ftp://h", NULL, NULL) && goes_to("http://", NULL, NULL) &&
	   goes_to("http:///p", NULL, NULL) && goes_to("http://h h", NULL, NULL) &&
	   goes_to("", NULL, NULL), "what is no URL is refused");
	wp_set_verbosity(WP_NORMAL);
}

int main(void)
{
	if (geteuid()) {
		ok(has_no_rights(geteuid()), "what a user starts has no capability");
	} else {
		ok(in_child(false), "what root starts is nobody, without a capability");
		ok(in_child(true), "what a user with capabilities starts has none");
	}
	test_refused();
	test_metrics();
	test_hangs(true);
	test_hangs(false);
	test_spool_lanes();
	test_formats();
	test_headers();
	test_left();
	test_spool();
	test_url();
	test_metrics_url();
	test_engine_urls();
	return done();
}
