// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the names of containers: what files of each runtime say, hostile files, and where
 * they are looked for.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/proc/containers.h"
#include "lib/sandbox/filereader.h"
#include "lib/sandbox/openfile.h"
#include "lib/sandbox/worker.h"
#include "tap.h"

#define ID	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OTHER	"fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"

#define DOCKER	"{\"StreamConfig\":{},\"State\":{\"Running\":true,\"Pid\":4711},\"ID\":\"" ID "\"," \
		"\"Args\":[\"-g\"],\"Config\":{\"Hostname\":\"0123456789ab\",\"Env\":[\"A=b\"]," \
		"\"Image\":\"registry.example:5000/shop/nginx:1.25@sha256:00\",\"Labels\":{\"a\":" \
		"\"b\"}},\"Image\":\"sha256:11\",\"Name\":\"/web\",\"Driver\":\"overlay2\"}\n"
#define CRI_DOCKERD "{\"Config\":{\"Image\":\"sha256:22\",\"Labels\":{" \
		"\"io.kubernetes.container.name\":\"redis\",\"io.kubernetes.pod.name\":\"cart-0\"," \
		"\"io.kubernetes.pod.namespace\":\"shop\"}},\"Name\":\"/k8s_redis_cart-0_shop_1_0\"}"
#define DOCKER_PAUSE "{\"Config\":{\"Labels\":{\"io.kubernetes.container.name\":\"POD\"," \
		"\"io.kubernetes.pod.name\":\"cart-0\"}},\"Name\":\"/k8s_POD_cart-0_shop_1_0\"}"
#define CONTAINERD "{\"ociVersion\":\"1.1.0\",\"process\":{\"args\":[\"/app\"]},\"hostname\":" \
		"\"h\",\"annotations\":{\"io.kubernetes.cri.container-name\":\"app\"," \
		"\"io.kubernetes.cri.container-type\":\"container\"," \
		"\"io.kubernetes.cri.image-name\":\"quay.io/app:latest\"," \
		"\"io.kubernetes.cri.sandbox-name\":\"app-1\"," \
		"\"io.kubernetes.cri.sandbox-namespace\":\"prod\"}}"
#define CRIO	"{\"ociVersion\":\"1.0.2-dev\",\"annotations\":{" \
		"\"io.kubernetes.container.name\":\"db\",\"io.kubernetes.pod.name\":\"db-0\"," \
		"\"io.kubernetes.pod.namespace\":\"data\"," \
		"\"io.kubernetes.cri-o.ImageName\":\"docker.io/library/postgres:16\"}}"
#define NERDCTL	"{\"annotations\":{\"nerdctl/name\":\"job\",\"nerdctl/namespace\":\"default\"}}"
#define PODMAN	"[{\"id\":\"" OTHER "\",\"names\":[\"other\"],\"metadata\":\"{}\"}," \
		"{\"id\":\"" ID "\",\"names\":[\"web\",\"more\"],\"image\":\"33\",\"metadata\":" \
		"\"{\\\"image-name\\\":\\\"docker.io/library/nginx:latest\\\",\\\"name\\\":\\\"web" \
		"\\\"}\",\"flags\":{\"MountLabel\":\"\"}}]"

/* No names. */
#define NONE	"    "

/* Of a text: name, image, and those of Kubernetes, with blanks between. */
static int read_text(const char *text, size_t size, char *all, size_t room)
{
	struct wp_container c;
	/* What is behind it is not ours. */
	char *copy = malloc(size ? size : 1);
	int err;

	memcpy(copy, text, size);
	err = wp_containerfile_parse(copy, size, ID, &c);
	free(copy);
	if (!wp_container_is_valid(&c))
		err = 1;
	snprintf(all, room, "%s %s %s %s %s", c.name, c.image, c.k8s_container, c.k8s_pod,
		 c.k8s_namespace);
	return err;
}

static void is(const char *text, int err, const char *names, const char *what)
{
	char all[2048];
	int got = read_text(text, strlen(text), all, sizeof(all));

	ok(got == err && !strcmp(all, names), "%s: %d, %.80s", what, got, all);
}

static void test_runtimes(void)
{
	is(DOCKER, 0, "web registry.example:5000/shop/nginx   ", "Docker");
	is(CRI_DOCKERD, 0, "k8s_redis_cart-0_shop_1_0  redis cart-0 shop", "cri-dockerd");
	is(DOCKER_PAUSE, 0, "k8s_POD_cart-0_shop_1_0   cart-0 ", "... a pod's namespaces");
	is(CONTAINERD, 0, " quay.io/app app app-1 prod", "containerd");
	is(CRIO, 0, " docker.io/library/postgres db db-0 data", "CRI-O");
	is(NERDCTL, 0, "job    ", "nerdctl");
	is(PODMAN, 0, "web docker.io/library/nginx   ", "Podman");
}

static void test_hostile(void)
{
	is("", -EINVAL, NONE, "nothing");
	is("null", -EINVAL, NONE, "null");
	is("7", -EINVAL, NONE, "a number");
	is("\"Name\"", -ENOENT, NONE, "a string");
	is("[]", -ENOENT, NONE, "no container");
	is("[null,1,[],{\"id\":1},{\"id\":null},{\"id\":\"\"}]", -ENOENT, NONE, "no ids");
	is("[{\"id\":\"" ID "\"}]", -ENOENT, NONE, "no names");
	is("[{\"id\":\"" ID "\",\"names\":{\"0\":\"a\"},\"metadata\":{}}]", -ENOENT, NONE,
	   "names of other types");
	is("[{\"id\":\"" ID "\",\"names\":[],\"metadata\":\"[1\"}]", -ENOENT, NONE,
	   "metadata that is not JSON");
	is("[{\"id\":\"" ID "\",\"names\":[[\"a\"]],\"metadata\":\"{\\\"image-name\\\":\\\"i\\\"}\"}]",
	   0, " i   ", "a name in a list");
	is("{\"Name\":{},\"Config\":[],\"annotations\":\"a\"}", -ENOENT, NONE, "other types");
	is("{\"Name\":true,\"Config\":{\"Image\":1,\"Labels\":[]}}", -ENOENT, NONE, "... deeper");
	is("{\"Name\":\"\",\"Config\":{\"Image\":\"\"}}", -ENOENT, NONE, "empty names");
	is("{\"Name\":\"/\"}", -ENOENT, NONE, "a slash");
	is("{\"Name\":\"a\\u0000b\",\"Config\":{\"Image\":\"i\"}}", 0, " i   ", "a NUL");
	is("{\"Name\":\"a\xff" "b\"}", -EINVAL, NONE, "a byte that is not UTF-8");
	is("{\"Name\":\"\\u00e4\"}", 0, "\u00e4    ", "an escape");
	is("{\"Name\":\"a\"}}", -EINVAL, NONE, "something behind it");
	is("{\"Name\":\"a\",\"Name\":\"b\"}", 0, "b    ", "a name twice");
	is("{\"Config\":{\"Image\":\":@:\"}}", -ENOENT, NONE, "an image without a name");
	is("{\"Config\":{\"Image\":\"a:1/b\"}}", 0, " a:1/b   ", "an image without a tag");
}

/* Each beginning of a text is no JSON, but for the line's end that Docker's has. */
static void test_truncated(void)
{
	static const char *const texts[] = { DOCKER, CONTAINERD, PODMAN };
	size_t i, size, wrong = 0;
	char all[2048];

	for (i = 0; i < 3; i++) {
		for (size = 0; size < strcspn(texts[i], "\n"); size++)
			wrong += read_text(texts[i], size, all, sizeof(all)) != -EINVAL ||
				 strcmp(all, NONE);
	}
	ok(!wrong, "truncated files: %zu are valid", wrong);
}

/* A name of so many bytes. */
static int name_of(size_t len, char *all, size_t room)
{
	char *text = malloc(len + 32);
	int at = sprintf(text, "{\"Name\":\""), err;

	memset(text + at, 'n', len);
	sprintf(text + at + len, "\"}");
	err = read_text(text, strlen(text), all, room);
	free(text);
	return err;
}

/* So many lists in each other. */
static int lists(char *text, size_t nr)
{
	char all[2048];

	memset(text, '[', nr);
	memset(text + nr, ']', nr);
	return read_text(text, 2 * nr, all, sizeof(all));
}

static void test_limits(void)
{
	char all[2048], *text;
	size_t i;

	ok(!name_of(WP_CONTAINER_NAME - 1, all, sizeof(all)) && strspn(all, "n") == 255,
	   "the longest name");
	ok(name_of(WP_CONTAINER_NAME, all, sizeof(all)) == -ENOENT, "a longer one is none");
	text = malloc(WP_CONTAINERFILE_MAX + 2);
	ok(lists(text, 31) == -ENOENT, "some lists in each other");
	ok(lists(text, 33) == -EINVAL && lists(text, 1 << 20) == -EINVAL, "... too many");
	for (i = 0; i < 1 << 20; i += 5)
		memcpy(text + i, "{\"a\":", 5);
	ok(read_text(text, 1 << 20, all, sizeof(all)) == -EINVAL, "... or objects");
	memset(text, ' ', WP_CONTAINERFILE_MAX + 1);
	memcpy(text, "{\"Name\":\"a\"}", 12);
	ok(!read_text(text, WP_CONTAINERFILE_MAX, all, sizeof(all)), "the largest file");
	ok(read_text(text, WP_CONTAINERFILE_MAX + 1, all, sizeof(all)) == -EFBIG,
	   "a larger one is not read");
	free(text);
}

static char dir[] = "/var/tmp/wp-containers-XXXXXX";

/* A file of the host, with its directories. */
static void make(const char *path, const char *text)
{
	char name[512], *slash;
	int fd;

	snprintf(name, sizeof(name), "%s%s", dir, path);
	for (slash = name + strlen(dir) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = 0;
		mkdir(name, 0700);
	}
	fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		perror(name);
	close(fd);
}

/* The container of this id has this name, of the runtime or of Kubernetes. */
static void finds(int root, const char *id, const char *name, const char *what)
{
	struct wp_container c;
	int err = wp_container_find(root, id, &c);
	const char *found = *c.k8s_container ? c.k8s_container : c.name;

	ok(err == (name ? 0 : -ENOENT) && !strcmp(found, name ? name : ""), "%s: %d, %s", what,
	   err, found);
}

static void test_places(void)
{
	static const struct {
		const char *path;
		const char *text;
		const char *name;
	} file[] = {
		/* From the last place to the first: each comes before those that are there. */
		{ "/var/lib/containers/storage/vfs-containers/containers.json", PODMAN, "web" },
		{ "/var/lib/containers/storage/overlay-containers/volatile-containers.json",
		  "[{\"id\":\"" ID "\",\"names\":[\"gone\"]}]", "gone" },
		{ "/var/lib/containers/storage/overlay-containers/containers.json", PODMAN, "web" },
		{ "/run/containers/storage/overlay-containers/" ID "/userdata/config.json", CRIO,
		  "db" },
		{ "/run/containerd/io.containerd.runtime.v2.task/default/" ID "/config.json",
		  NERDCTL, "job" },
		{ "/run/k3s/containerd/io.containerd.runtime.v2.task/k8s.io/" ID "/config.json",
		  CRIO, "db" },
		{ "/run/containerd/io.containerd.runtime.v2.task/k8s.io/" ID "/config.json",
		  CONTAINERD, "app" },
		{ "/var/lib/docker/containers/" ID "/config.v2.json", DOCKER, "web" },
	};
	int root = mkdtemp(dir) ? open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	size_t i;

	finds(root, ID, NULL, "no file");
	for (i = 0; i < sizeof(file) / sizeof(file[0]); i++) {
		make(file[i].path, file[i].text);
		finds(root, ID, file[i].name, file[i].path);
	}
	finds(root, OTHER, "other", "another one of the list");
	make(file[i - 1].path, "{\"Name\":");
	finds(root, ID, "app", "a file that is no JSON: the next one");
	finds(root, "", NULL, "no id");
	finds(root, "../containers/" ID, NULL, "a path");
	make("/var/lib/docker/containers/config.v2.json", DOCKER);
	finds(root, ".///////////////////////////////////////////////////////////////", NULL,
	      "a path as long as an id");
	close(root);
}

static void test_links(void)
{
	static const char list[] = "/var/lib/containers/storage/overlay-containers/containers.json";
	char command[64], path[256];
	int root;

	snprintf(command, sizeof(command), "rm -r %s/*", dir);
	root = system(command) ? -1 : open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	make(list, "");
	snprintf(path, sizeof(path), "%s%s", dir, list);
	unlink(path);
	ok(!mkfifo(path, 0600), "a FIFO");
	finds(root, ID, NULL, "... is not read");
	unlink(path);
	ok(!symlink("../../../../../../../../../../etc/hostname", path), "a link out of the root");
	finds(root, ID, NULL, "... is not followed");
	close(root);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	ok(!system(command), "no file is left");
}

int main(void)
{
	if (wp_worker_prepare())
		return 1;
	test_runtimes();
	test_hostile();
	test_truncated();
	test_limits();
	test_places();
	test_links();
	wp_filereader_end();
	wp_worker_end();
	return done();
}
