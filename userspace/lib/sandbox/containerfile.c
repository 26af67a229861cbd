// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the names of a container from a file of its runtime, which is JSON in one of three
 * forms. Called by jobnames.c, in a process without rights, and by the fuzzer.
 *
 * Docker, config.v2.json of each container (moby, container/container.go):
 *
 *	{ "Name": "/web", "Config": { "Image": "nginx:1.25", "Labels": { ... } } }
 *
 * Podman, a list of all containers (containers/storage, containers.go), in which "metadata"
 * is JSON in a string (podman, libpod/storage.go):
 *
 *	[ { "id": "...", "names": [ "web" ], "metadata": "{\"image-name\": \"nginx:1.25\"}" } ]
 *
 * The bundle of an OCI runtime, config.json of each container, with annotations of containerd
 * (pkg/cri/annotations), of CRI-O (pkg/annotations; those of the kubelet among them) or of
 * nerdctl (pkg/labels):
 *
 *	{ "annotations": { "io.kubernetes.cri.container-name": "web", ... } }
 *
 * Labels of Kubernetes are those of the kubelet in Docker, too, where cri-dockerd sets them.
 *
 * An image can set labels, and whoever starts a container all of it: these are names, and
 * nothing else. One that is too long, has a NUL, or is no string is left out.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/sandbox/containerfile.h"

/* Nested values; the deepest name is in the third level. */
#define MAX_DEPTH	32

/* The container that holds the namespaces of a pod, as kubelets before 1.24 name it. */
#define PAUSE	"POD"

/* Copies a string; true: it is one, and fits. */
static bool take(char *to, size_t size, struct json_object *value)
{
	const char *from;
	size_t len;

	if (!json_object_is_type(value, json_type_string))
		return false;
	from = json_object_get_string(value);
	len = json_object_get_string_len(value);
	if (!len || len >= size || memchr(from, 0, len))
		return false;
	memcpy(to, from, len);
	to[len] = 0;
	return true;
}

/* Of an object; NULL: it is none, or has no such member. */
static struct json_object *member(struct json_object *object, const char *key)
{
	struct json_object *value = NULL;

	if (json_object_is_type(object, json_type_object))
		json_object_object_get_ex(object, key, &value);
	return value;
}

/* "registry:5000/nginx:1.25@sha256:..." is nginx of that registry; an id is no name. */
static void take_image(struct wp_container *c, struct json_object *value)
{
	char *slash, *end;

	if (!take(c->image, sizeof(c->image), value))
		return;
	if (!strncmp(c->image, "sha256:", 7)) {
		*c->image = 0;
		return;
	}
	*strchrnul(c->image, '@') = 0;
	slash = strrchr(c->image, '/');
	end = strchr(slash ? slash : c->image, ':');
	if (end)
		*end = 0;
}

/* Labels of a container: each of the first key that it has. */
static void take_labels(struct wp_container *c, struct json_object *labels)
{
	const struct {
		const char *key;
		char *to;
	} known[] = {
		{ "io.kubernetes.cri.container-name", c->k8s_container },
		{ "io.kubernetes.container.name", c->k8s_container },
		{ "io.kubernetes.cri.sandbox-name", c->k8s_pod },
		{ "io.kubernetes.pod.name", c->k8s_pod },
		{ "io.kubernetes.cri.sandbox-namespace", c->k8s_namespace },
		{ "io.kubernetes.pod.namespace", c->k8s_namespace },
		{ "nerdctl/name", c->name },
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (!*known[i].to)
			take(known[i].to, WP_CONTAINER_NAME, member(labels, known[i].key));
	}
	if (!strcmp(c->k8s_container, PAUSE))
		*c->k8s_container = 0;
}

/* Docker's file, or a bundle's. */
static void take_object(struct wp_container *c, struct json_object *object)
{
	struct json_object *config = member(object, "Config");
	struct json_object *notes = member(object, "annotations");

	if (take(c->name, sizeof(c->name), member(object, "Name")) && *c->name == '/')
		memmove(c->name, c->name + 1, strlen(c->name));
	take_image(c, member(config, "Image"));
	take_labels(c, member(config, "Labels"));
	take_labels(c, notes);
	if (!*c->image)
		take_image(c, member(notes, "io.kubernetes.cri.image-name"));
	if (!*c->image)
		take_image(c, member(notes, "io.kubernetes.cri-o.ImageName"));
}

static struct json_object *parse(const char *text, size_t size, int *err)
{
	struct json_tokener *tok = json_tokener_new_ex(MAX_DEPTH);
	struct json_object *object = NULL;

	*err = -ENOMEM;
	if (!tok)
		return NULL;
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	object = json_tokener_parse_ex(tok, text, size);
	/* A text that has no end is no error for a tokener. */
	*err = json_tokener_get_error(tok) == json_tokener_success ? 0 : -EINVAL;
	json_tokener_free(tok);
	return object;
}

/* Podman's entry of a container. */
static void take_entry(struct wp_container *c, struct json_object *entry)
{
	struct json_object *names = member(entry, "names"), *more;
	struct json_object *metadata = member(entry, "metadata");
	int err;

	if (json_object_is_type(names, json_type_array))
		take(c->name, sizeof(c->name), json_object_array_get_idx(names, 0));
	if (!json_object_is_type(metadata, json_type_string))
		return;
	more = parse(json_object_get_string(metadata), json_object_get_string_len(metadata), &err);
	take_image(c, member(more, "image-name"));
	json_object_put(more);
}

/* The entry of a list that has this id; NULL: none. */
static struct json_object *entry_of(struct json_object *list, const char *id)
{
	size_t i, nr = json_object_array_length(list), len = strlen(id);
	struct json_object *entry, *its;

	for (i = 0; i < nr; i++) {
		entry = json_object_array_get_idx(list, i);
		its = member(entry, "id");
		if (json_object_is_type(its, json_type_string) &&
		    (size_t)json_object_get_string_len(its) == len &&
		    !memcmp(json_object_get_string(its), id, len))
			return entry;
	}
	return NULL;
}

/**
 * wp_containerfile_parse() - the names of a container, from the text of a file
 * @text: the text
 * @size: its size
 * @id: the container
 * @c: set to what it says
 *
 * Return: 0; -EINVAL: it is not JSON, or too deep; -ENOENT: it has another form, or no such
 * container; -EFBIG, -ENOMEM.
 */
int wp_containerfile_parse(const char *text, size_t size, const char *id, struct wp_container *c)
{
	struct json_object *object, *entry;
	int err;

	memset(c, 0, sizeof(*c));
	if (size > WP_CONTAINERFILE_MAX)
		return -EFBIG;
	object = parse(text, size, &err);
	if (json_object_is_type(object, json_type_object)) {
		take_object(c, object);
	} else if (json_object_is_type(object, json_type_array)) {
		entry = entry_of(object, id);
		if (entry)
			take_entry(c, entry);
	}
	json_object_put(object);
	return err || wp_container_is_known(c) ? err : -ENOENT;
}

/**
 * wp_containerfile_read() - the same, from a file
 * @fd: the file
 * @id: the container
 * @c: set to what it says
 *
 * Return: as wp_containerfile_parse(), and -EIO: it cannot be read.
 */
int wp_containerfile_read(int fd, const char *id, struct wp_container *c)
{
	size_t len = 0, room;
	struct stat st;
	ssize_t n = 1;
	char *text;
	int err;

	memset(c, 0, sizeof(*c));
	if (fstat(fd, &st))
		return -errno;
	if (st.st_size > WP_CONTAINERFILE_MAX)
		return -EFBIG;
	/* It may grow meanwhile: what is behind is no part of it. */
	room = st.st_size;
	text = malloc(room + 1);
	if (!text)
		return -ENOMEM;
	while (len < room && n > 0) {
		n = pread(fd, text + len, room - len, len);
		len += n > 0 ? n : 0;
	}
	err = n < 0 ? -EIO : wp_containerfile_parse(text, len, id, c);
	free(text);
	return err;
}

/**
 * wp_container_is_valid() - whether all strings have an end
 * @c: names of a container, not trusted
 */
bool wp_container_is_valid(const struct wp_container *c)
{
	return memchr(c->name, 0, sizeof(c->name)) && memchr(c->image, 0, sizeof(c->image)) &&
	       memchr(c->k8s_container, 0, sizeof(c->k8s_container)) &&
	       memchr(c->k8s_pod, 0, sizeof(c->k8s_pod)) &&
	       memchr(c->k8s_namespace, 0, sizeof(c->k8s_namespace));
}

/**
 * wp_container_is_known() - whether there is any name
 * @c: names of a container
 */
bool wp_container_is_known(const struct wp_container *c)
{
	return *c->name || *c->image || *c->k8s_container || *c->k8s_pod || *c->k8s_namespace;
}
