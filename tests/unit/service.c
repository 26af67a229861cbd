// SPDX-License-Identifier: GPL-2.0
/* Tests of services: what control groups and environments say, and what they cannot do. */
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "lib/base/text.h"
#include "lib/proc/procmemory.h"
#include "lib/proc/service.h"
#include "tap.h"

#define ID	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* In memory of its size, so that the sanitizer sees what is read behind it. */
static void groups(const char *text, const char *name, const char *container)
{
	struct wp_service s = { 0 };
	char *copy = strdup(text);

	wp_service_of_groups(copy, &s);
	wp_text_clean(copy, false);
	ok(!strcmp(s.name, name) && !strcmp(s.container, container), "%.60s: %.40s, %.8s", copy,
	   s.name, s.container);
	free(copy);
}

static void environment(const char *text, size_t size, const char *name)
{
	struct wp_service s = { .name = "unit" };
	char *copy = malloc(size + 1);

	memcpy(copy, text, size);
	copy[size] = 0;
	wp_service_of_environment(copy, size, &s);
	ok(!strcmp(s.name, name), "%.60s: %.40s", text, s.name);
	free(copy);
}

#define ENVIRONMENT(text, name)	environment(text, sizeof(text) - 1, name)

static void path(const char *text, const char *wanted)
{
	struct wp_service s = { 0 };
	char *copy = strdup(text);

	wp_service_of_groups(copy, &s);
	wp_text_clean(copy, false);
	ok(!strcmp(s.group, wanted), "%.60s: the group %.60s", copy, s.group);
	free(copy);
}

static void test_paths(void)
{
	char text[WP_SERVICE_GROUP + 16], *at = text + sprintf(text, "0::/");

	path("", "");
	path("0::/\n", "/");
	path("0::", "");
	path("0::/system.slice/web.service\n", "/system.slice/web.service");
	path("0::/docker-" ID ".scope", "/docker-" ID ".scope");
	path("4:memory:/no\n1:name=systemd:/no\n0::/a\n", "/a");
	path("4:memory:/no\n", "");
	path("0::/user.slice/user-0.slice/session-12.scope\n", "/user.slice/user-0.slice");
	path("0::/session-12.scope/inner", "/");
	path("0::/system.slice/run-r12ab.service/inner", "/system.slice");
	path("0::/session-/run-", "/session-/run-");
	path("0::/runner/sessions", "/runner/sessions");
	path("0::/..", "/..");
	path("0:://a", "//a");
	memset(at, 'x', WP_SERVICE_GROUP);
	at[WP_SERVICE_GROUP - 2] = 0;
	path(text, text + 3);
	at[WP_SERVICE_GROUP - 2] = 'x';
	at[WP_SERVICE_GROUP - 1] = 0;
	path(text, "");
}

static void test_groups(void)
{
	groups("", "", "");
	groups("0::/system.slice/web.service\n", "web", "");
	groups("0::/system.slice/web.service", "web", "");
	groups("0::/system.slice/my\\x2dweb.service/inner", "my-web", "");
	groups("0::/user.slice/user@1000.service/app.slice", "", "");
	groups("0::/user.slice/user@1000.service/app.slice/editor.service", "editor", "");
	groups("0::/a.service/b.service", "b", "");
	groups("0::/.service", "", "");
	groups("0::/\\x2.service", "\\x2", "");
	groups("0::/\\x00.service", "\\x00", "");
	groups("0::/a\\x2d.service", "a-", "");
	groups("0::/\\xzz.service", "\\xzz", "");
	groups("0::/docker-" ID ".scope", "", ID);
	groups("0::/docker.service/" ID, "", ID);
	groups("0::/" ID "0", "", "");
	groups("12:memory:/kubepods/" ID "\n0::/\n", "", ID);
	groups("nothing\n:\n::\n0:\n\n\n::/", "", "");
	groups("0::a:b/c:d.service", "c:d", "");
}

static void test_environments(void)
{
	ENVIRONMENT("", "unit");
	ENVIRONMENT("HOME=/\0OTEL_SERVICE_NAME=shop\0", "shop");
	ENVIRONMENT("OTEL_SERVICE_NAME=shop", "shop");
	ENVIRONMENT("OTEL_SERVICE_NAME=\0", "unit");
	ENVIRONMENT("OTEL_SERVICE_NAME", "unit");
	ENVIRONMENT("XOTEL_SERVICE_NAME=no\0", "unit");
	ENVIRONMENT("OTEL_RESOURCE_ATTRIBUTES=a=b, service.name=x%20y\0", "x y");
	ENVIRONMENT("OTEL_RESOURCE_ATTRIBUTES=service.name=x\0OTEL_SERVICE_NAME=y\0", "y");
	ENVIRONMENT("OTEL_SERVICE_NAME=y\0OTEL_RESOURCE_ATTRIBUTES=service.name=x\0", "y");
	ENVIRONMENT("OTEL_RESOURCE_ATTRIBUTES=service.name=%4\0", "%4");
	ENVIRONMENT("OTEL_RESOURCE_ATTRIBUTES=service.name=%4,1\0", "%4");
	ENVIRONMENT("OTEL_RESOURCE_ATTRIBUTES=service.name=%4aB%4AB\0", "JBJB");
	ENVIRONMENT("OTEL_RESOURCE_ATTRIBUTES=service.name=%-1\0", "%-1");
	ENVIRONMENT("OTEL_RESOURCE_ATTRIBUTES=service.name=% 41\0", "% 41");
	ENVIRONMENT("OTEL_RESOURCE_ATTRIBUTES=service.name=%0x\0", "%0x");
	ENVIRONMENT("OTEL_RESOURCE_ATTRIBUTES=service.name=%00\0", "%00");
	ENVIRONMENT("\0\0\0\0OTEL_SERVICE_NAME=late\0", "late");
}

static void test_long(void)
{
	static char text[100000], path[100000];
	struct wp_service s = { 0 };

	memset(text, 'x', sizeof(text) - 1);
	memcpy(text, "OTEL_SERVICE_NAME=", 18);
	wp_service_of_environment(text, sizeof(text) - 1, &s);
	ok(strlen(s.name) == WP_SERVICE_NAME - 1, "a long name is cut");
	memcpy(text, "OTEL_RESOURCE_ATTRIBUTES=service.name=", 38);
	memset(&s, 0, sizeof(s));
	wp_service_of_environment(text, sizeof(text) - 1, &s);
	ok(strlen(s.name) == WP_SERVICE_NAME - 1, "... of attributes, too");
	memset(path, 'x', sizeof(path) - 1);
	memcpy(path, "0::/", 4);
	memcpy(path + sizeof(path) - 9, ".service", 8);
	memset(&s, 0, sizeof(s));
	wp_service_of_groups(path, &s);
	ok(strlen(s.name) == WP_SERVICE_NAME - 1, "... and of a unit");
}

static void test_inherit(void)
{
	const struct wp_service named = { .name = "shop", .container = ID };
	const struct wp_service own = { .name = "sh", .own = true, .container = ID,
				       .group = "/g" };
	struct wp_service s = { .name = "true", .own = true };

	wp_service_inherit(&s, &own);
	ok(!strcmp(s.name, "true") && s.own && !strcmp(s.container, ID) &&
	   !strcmp(s.group, "/g"),
	   "the name of a parent's program is not inherited, its container and group are");
	wp_service_inherit(&s, &named);
	ok(!strcmp(s.name, "shop") && !s.own, "its service is");
}

static pid_t spawn(char *const *argv, char *const *environment)
{
	pid_t pid;

	return posix_spawn(&pid, argv[0], NULL, NULL, argv, environment) ? -1 : pid;
}

/* What is read of a process until it is a zombie, and then. */
static bool one_life(struct wp_procmemory *memory, struct wp_service *wrong)
{
	char *const argv[] = { "/bin/true", NULL };
	char *const environment[] = { "OTEL_SERVICE_NAME=parent", NULL };
	pid_t pid = spawn(argv, environment);
	siginfo_t ended = { 0 };
	struct wp_service s;
	bool good = pid > 0;

	while (pid > 0 && !ended.si_pid) {
		waitid(P_PID, pid, &ended, WEXITED | WNOHANG | WNOWAIT);
		wp_service_read(memory, pid, "?", &s);
		if (*s.executable && strcmp(s.name, "parent")) {
			*wrong = s;
			good = false;
		}
	}
	return good && waitpid(pid, NULL, 0) == pid && !*s.executable;
}

/* Each read is of some moment, and none may have the program without its environment. */
static void test_lives(void)
{
	struct wp_procmemory *memory = wp_procmemory_new();
	char *const argv[] = { "/bin/sleep", "1000", NULL }, *const empty[] = { NULL };
	struct wp_service s = { 0 };
	unsigned int i, nr = 0;
	pid_t pid;

	for (i = 0; i < 500; i++)
		nr += one_life(memory, &s);
	ok(nr == i, "processes that end while they are read: %u of %u, '%s' of '%s'", nr, i,
	   s.name, s.executable);
	pid = spawn(argv, empty);
	do {
		wp_service_read(memory, pid, "?", &s);
	} while (pid > 0 && !*s.executable);
	ok(!strcmp(s.executable, "sleep"), "one without an environment");
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	wp_procmemory_free(memory);
}

int main(void)
{
	test_lives();
	test_groups();
	test_paths();
	test_environments();
	test_long();
	test_inherit();
	return done();
}
