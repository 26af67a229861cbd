// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the process that sends: which rights it has, started by root and by a user with
 * capabilities.
 */
#include <linux/capability.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/agent/outbox.h"
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
		.o = { .url = "http://127.0.0.1:1/", .queue = 1, .timeout_ms = 1 },
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

int main(void)
{
	if (geteuid()) {
		ok(has_no_rights(geteuid()), "what a user starts has no capability");
	} else {
		ok(in_child(false), "what root starts is nobody, without a capability");
		ok(in_child(true), "what a user with capabilities starts has none");
	}
	return done();
}
