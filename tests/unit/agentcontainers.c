// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the names of containers that the agent keeps: files that come later, or not at all;
 * that they are read once; what a resource has of them.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/agent/agent.h"
#include "lib/sandbox/filereader.h"
#include "lib/sandbox/worker.h"
#include "tap.h"

static char dir[] = "/var/tmp/wp-agentcontainers-XXXXXX";
static struct wp_agent agent = { .host = "h" };

/* The id of a container. */
static const char *id_of(unsigned int nr)
{
	static char id[WP_SERVICE_CONTAINER];

	snprintf(id, sizeof(id), "%064x", nr);
	return id;
}

/* Its file, with this text; NULL: without. */
static void set_file(unsigned int nr, const char *text)
{
	static const char *const dirs[] = {
		"/var", "/var/lib", "/var/lib/docker", "/var/lib/docker/containers",
	};
	char path[256];
	size_t i;
	int fd;

	for (i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		snprintf(path, sizeof(path), "%s%s", dir, dirs[i]);
		mkdir(path, 0700);
	}
	snprintf(path, sizeof(path), "%s%s/%s", dir, dirs[3], id_of(nr));
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s%s/%s/config.v2.json", dir, dirs[3], id_of(nr));
	unlink(path);
	if (!text)
		return;
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		perror(path);
	close(fd);
}

static void is(unsigned int nr, const char *name, const char *what)
{
	const struct wp_container *c = wp_agent_container(agent.labels.containers, id_of(nr));

	ok(name ? c && !strcmp(c->name, name) : !c, "%s: %s", what, c ? c->name : "unknown");
}

static void windows(unsigned int nr)
{
	while (nr--)
		wp_agent_labels_sweep(&agent.labels);
}

static void test_files(void)
{
	set_file(1, "{\"Name\":\"/first\"}");
	is(1, "first", "a file");
	set_file(1, "{\"Name\":\"/changed\"}");
	windows(1);
	is(1, "first", "it is read once");
	windows(100);
	is(1, "first", "it is kept for a hundred windows");
	windows(101);
	is(1, "changed", "... and read again after more");
	is(2, NULL, "no file");
	set_file(2, "{\"Name\":\"/late\"}");
	is(2, NULL, "it is not looked for twice in a window");
	windows(1);
	is(2, "late", "it comes in the next window");
}

static void test_tries(void)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		is(3, NULL, "no file");
		windows(1);
	}
	set_file(3, "{\"Name\":");
	is(3, NULL, "half a file");
	set_file(3, "{\"Name\":\"/never\"}");
	windows(1);
	is(3, NULL, "it was looked for five times");
}

static void test_limit(void)
{
	unsigned int i;

	for (i = 0; i < 5000; i++)
		wp_agent_container(agent.labels.containers, id_of(1000 + i));
	set_file(7000, "{\"Name\":\"/more\"}");
	is(7000, NULL, "more than the table has room for");
	is(1, "changed", "... what it has stays");
	windows(101);
	is(7000, "more", "after them there is room");
}

static void resource_is(unsigned int nr, const char *all, const char *what)
{
	struct wp_otlp_label label[WP_OTLP_LABELS];
	unsigned int i, n = wp_agent_resource(&agent, "s", nr ? id_of(nr) : "", label);
	char text[1024] = "";

	for (i = 0; i < n; i++) {
		if (strcmp(label[i].key, "container.id"))
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s=%s ",
				 label[i].key, label[i].value);
	}
	ok(!strcmp(text, all), "%s: %s", what, text);
}

static void test_resource(void)
{
	set_file(20, "{\"Name\":\"/web\",\"Config\":{\"Image\":\"nginx:1\",\"Labels\":{"
		 "\"io.kubernetes.container.name\":\"c\",\"io.kubernetes.pod.name\":\"p\","
		 "\"io.kubernetes.pod.namespace\":\"n\"}}}");
	set_file(21, "{\"Name\":\"/web\"}");
	resource_is(0, "service.name=s host.name=h os.type=linux ", "no container");
	resource_is(20, "service.name=s host.name=h os.type=linux container.name=web "
		    "container.image.name=nginx k8s.container.name=c k8s.pod.name=p "
		    "k8s.namespace.name=n ", "all names");
	resource_is(21, "service.name=s host.name=h os.type=linux container.name=web ", "a name");
	resource_is(22, "service.name=s host.name=h os.type=linux ", "no name");
}

int main(void)
{
	int root = mkdtemp(dir) ? open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	char command[64];

	if (wp_worker_prepare())
		return 1;
	ok(root >= 0 && !wp_agent_labels_init(&agent.labels, root), "begins");
	test_files();
	test_tries();
	test_limit();
	test_resource();
	wp_agent_labels_free(&agent.labels);
	wp_filereader_end();
	wp_worker_end();
	close(root);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	ok(!system(command), "no file is left");
	return done();
}
