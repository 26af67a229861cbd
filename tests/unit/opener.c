// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of files whose server does not answer, to whatever it is asked: nothing of the reader
 * is held up, not even its end, and all other files are read. Where nobody may mount FUSE,
 * all of it is skipped.
 */
#include <errno.h>
#include <stdbool.h>
#include <sys/wait.h>

#include "../guest/harm/silentfs.h"
#include "buildid.h"
#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/sandbox/filereader.h"
#include "lib/sandbox/opener.h"
#include "lib/sandbox/openfile.h"
#include "lib/sandbox/worker.h"
#include "lib/symbols/buildids.h"
#include "lib/symbols/symbols.h"
#include "tap.h"

#define PROGRAM		"/proc/self/exe"

static char dir[] = "/tmp/wp-opener-XXXXXX";

static char file[sizeof(dir) + 8];

static pid_t serve(int opcode)
{
	int dev = silentfs_mount(dir, NULL);
	struct stat st;
	pid_t pid;

	if (dev < 0)
		return -1;
	pid = fork();
	if (!pid)
		silentfs_serve(dev, PROGRAM, opcode);
	close(dev);
	/* It serves. */
	if (stat(file, &st))
		perror(file);
	return pid;
}

static void end(pid_t server)
{
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
	umount2(dir, MNT_DETACH);
}

static bool is_read(const char *path)
{
	struct wp_elflinks links;
	struct stat st;
	int fd = wp_openfile_in(WP_OPENFILE_HERE, path, &st);
	bool good = fd >= 0 && !wp_filereader_links(fd, &links);

	if (fd >= 0)
		close(fd);
	return good;
}

/* Everything that reads a file; in a process of its own, to see that it can end. */
static int look(bool silent)
{
	const struct wp_symbols_options options = { 0 };
	struct wp_buildids *ids = wp_buildids_new();
	struct wp_symbols *s;
	struct wp_symbol symbol;
	struct wp_buildid id;
	struct stat st;
	int bad = 0, i;
	__u32 nr;

	wp_opener_recording();
	bad |= is_read(file) == silent;
	for (i = 0; i < 50; i++)
		bad |= (is_read(file) == silent) << 1;
	bad |= (!buildid_of_file(file, &id) == silent) << 2;
	wp_buildids_add(ids, file, getpid(), false, NULL);
	wp_buildids_resolve(ids);
	wp_openfile_stat(WP_OPENFILE_HERE, file, &st);
	if (!wp_symbols_new(&s, &options)) {
		nr = wp_symbols_file(s, WP_SYMBOLS_ELF, file, NULL, 0);
		wp_symbols_find(s, nr, 0, &symbol);
		bad |= (!wp_symbols_trouble(s, nr) == silent) << 3;
		wp_symbols_free(s);
	}
	bad |= !is_read("/proc/self/../../usr/bin/env") << 4;
	wp_buildids_free(ids);
	wp_filereader_end();
	wp_worker_end();
	return bad;
}

/* The status of a process that reads such a file, or -1: it does not end. */
static int reader(pid_t server, bool silent)
{
	__u64 begun = wp_clock_now();
	int status;
	pid_t pid;

	if (silent)
		kill(server, SIGUSR1);
	pid = fork();
	if (!pid)
		_exit(look(silent));
	while (waitpid(pid, &status, WNOHANG) != pid) {
		if (wp_clock_now() - begun > 120 * 1000000000ULL) {
			/* It goes when the server does. */
			kill(pid, SIGKILL);
			end(server);
			waitpid(pid, &status, 0);
			return -1;
		}
		usleep(1000);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : -2;
}

/*
 * A process has mapped 100000 files, when the end is asked for: not all of them are waited
 * for, and one of another process has its build-id.
 */
static void hurry(void)
{
	struct wp_buildids *ids = wp_buildids_new();
	char path[128], *to;
	struct wp_dso *other;
	int i, k;

	for (i = 0; i < 100000; i++) {
		/* The same one, by so many names. */
		to = stpcpy(path, "/usr/bin/");
		for (k = 0; k < 17; k++)
			to = stpcpy(to, i >> k & 1 ? "./" : "/");
		strcpy(to, "env");
		wp_buildids_add(ids, path, 1, false, NULL);
	}
	other = wp_buildids_add(ids, "/usr/bin/env", getpid(), false, NULL);
	wp_opener_hurry();
	wp_buildids_resolve(ids);
	ok(other->id.size && strstr(wp_last_warning(), "have no build-id"),
	   "the end does not wait for 100000 files: %s", wp_last_warning());
	wp_buildids_free(ids);
	wp_filereader_end();
	wp_worker_end();
}

int main(void)
{
	static const struct {
		const char *name;
		int opcode;
	} ways[] = {
		{ "anything", 0 }, { "LOOKUP", FUSE_LOOKUP }, { "GETATTR", FUSE_GETATTR },
		{ "STATFS", FUSE_STATFS }, { "OPEN", FUSE_OPEN }, { "READ", FUSE_READ },
		{ "FLUSH", FUSE_FLUSH },
	};
	int status;
	pid_t server;
	size_t i;

	if (!mkdtemp(dir))
		return 1;
	sprintf(file, "%s/file", dir);
	server = serve(0);
	if (server < 0) {
		ok(1, "a server that is silent # SKIP no FUSE here: %s", strerror(errno));
		rmdir(dir);
		hurry();
		return done();
	}
	status = reader(server, false);
	ok(!status, "a server that answers: its file is read (%d)", status);
	end(server);
	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		server = serve(ways[i].opcode);
		status = reader(server, true);
		/* What was read before is an answer, too. */
		if (ways[i].opcode == FUSE_FLUSH || ways[i].opcode == FUSE_GETATTR)
			status &= status < 0 ? -1 : ~15;
		ok(!status, "a server that is silent to %s: all goes on (%d)", ways[i].name, status);
		end(server);
	}
	rmdir(dir);
	hurry();
	return done();
}
