// SPDX-License-Identifier: GPL-2.0
/*
 * Owns what is known of the processes of a window: which service each belongs to, read
 * once, and again when it may have executed another program. A process that ended before
 * its time was looked at had the service of its parent. What no window needed since the
 * last sweep is dropped; one that is new is kept for the next window, as that can be the first
 * with time of it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/agent/agent.h"
#include "lib/base/err.h"

/* Processes that are known, at most: those of a window, and more that were forked in it. */
#define MAX_LABELS	65536

/* Parents that are looked for. */
#define MAX_DEPTH	8

/**
 * struct wp_agent_label - a process
 * @pid: its id
 * @parent: its parent, if it was forked in this window or the last one; else 0
 * @used: since the last sweep, also as a parent
 * @kept: new, and not used before the last sweep
 * @is_new: the id is another process's now
 * @stale: its program may be another one
 * @service: its service
 */
struct wp_agent_label {
	__u32 pid;
	__u32 parent;
	bool used;
	bool kept;
	bool is_new;
	bool stale;
	struct wp_service service;
};

/**
 * wp_agent_labels_init() - make an empty table
 * @l: zeroes
 * @root: root directory of the host, where containers have files, or WP_OPENFILE_HERE
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_agent_labels_init(struct wp_agent_labels *l, int root)
{
	l->memory = wp_procmemory_new();
	l->containers = wp_agent_containers_new(root);
	return l->memory && l->containers ? 0 : wp_no_memory("the agent");
}

static struct wp_agent_label *add(struct wp_agent_labels *l, __u32 pid)
{
	struct wp_agent_label *label;
	__u32 nr;

	if (l->nr == l->room) {
		size_t room = l->room ? 2 * l->room : 64;
		void *more = reallocarray(l->label, room, sizeof(*l->label));

		if (!more)
			return NULL;
		l->label = more;
		l->room = room;
	}
	label = calloc(1, sizeof(*label));
	if (!label || wp_idmap_add(&l->map, pid, &nr) < 0) {
		free(label);
		return NULL;
	}
	label->pid = pid;
	label->is_new = true;
	l->label[l->nr++] = label;
	return label;
}

static struct wp_agent_label *find(const struct wp_agent_labels *l, __u32 pid)
{
	__u32 nr = wp_idmap_find(&l->map, pid);

	return nr != WP_IDMAP_NONE ? l->label[nr] : NULL;
}

static struct wp_agent_label *find_or_add(struct wp_agent_labels *l, __u32 pid)
{
	struct wp_agent_label *label = find(l, pid);

	return label ? label : add(l, pid);
}

/* A process that has ended says nothing any more: then what was known of it stays. */
static void read_label(struct wp_agent_labels *l, struct wp_agent_label *label, const char *comm,
		       unsigned int depth)
{
	struct wp_agent_label *parent = NULL;
	struct wp_service now;

	wp_service_read(l->memory, label->pid, comm, &now);
	/* The parent need not have had time in a window so far. */
	if (label->is_new && !*now.executable && label->parent && depth < MAX_DEPTH)
		parent = find_or_add(l, label->parent);
	if (parent) {
		if (parent->is_new || parent->stale)
			read_label(l, parent, "", depth + 1);
		/* It has ended, perhaps, and its own time can come in the next window. */
		parent->used = true;
		wp_service_inherit(&now, &parent->service);
	}
	if (label->is_new || *now.executable)
		label->service = now;
	label->is_new = false;
	label->stale = false;
}

/*
 * A service that nothing else names has the name of its container: in a pod the one that its
 * specification has, as the other one is different in each pod.
 */
static void use_container(struct wp_agent_labels *l, struct wp_service *s)
{
	const struct wp_container *c = wp_agent_container(l->containers, s->container);
	const char *name = !c ? "" : *c->k8s_container ? c->k8s_container : c->name;

	if (!*name)
		return;
	snprintf(s->name, sizeof(s->name), "%s", name);
	s->own = false;
}

/**
 * wp_agent_label() - the service of a process
 * @l: the table
 * @pid: the process
 * @comm: its name
 *
 * Return: it, valid until the sweep; NULL: no memory.
 */
const struct wp_service *wp_agent_label(struct wp_agent_labels *l, __u32 pid, const char *comm)
{
	struct wp_agent_label *label = find_or_add(l, pid);

	if (!label)
		return NULL;
	if (label->is_new || label->stale)
		read_label(l, label, comm, 0);
	/* It ended, and was read as a parent, whose name nobody had. */
	if (!*label->service.name)
		snprintf(label->service.name, sizeof(label->service.name), "%s", comm);
	/* Its files may come later. */
	if (label->service.own && *label->service.container)
		use_container(l, &label->service);
	label->used = true;
	return &label->service;
}

/**
 * wp_agent_labels_forget() - the process may be another one, or have another program
 * @ctx: the table
 * @pid: the process
 * @parent: it is another one, a child of this, or one of before the session; 0: it is not
 */
void wp_agent_labels_forget(void *ctx, __u32 pid, __u32 parent)
{
	struct wp_agent_labels *l = ctx;
	struct wp_agent_label *label = find(l, pid);

	/* Without room for it, it will have no parent. */
	if (!label && parent && l->nr < MAX_LABELS)
		label = add(l, pid);
	if (!label)
		return;
	label->stale = true;
	if (parent) {
		label->is_new = true;
		label->parent = parent;
	}
}

/**
 * wp_agent_labels_sweep() - drop what was not used since the last sweep
 * @l: the table
 */
void wp_agent_labels_sweep(struct wp_agent_labels *l)
{
	size_t i, nr = 0;
	__u32 at;

	wp_idmap_free(&l->map);
	for (i = 0; i < l->nr; i++) {
		struct wp_agent_label *label = l->label[i];

		/* Without memory for it, it is read again. */
		if (!(label->used || (label->is_new && !label->kept)) ||
		    wp_idmap_add(&l->map, label->pid, &at) < 0) {
			free(label);
			continue;
		}
		label->kept = label->is_new && !label->used;
		label->used = false;
		if (!label->is_new)
			label->parent = 0;
		l->label[nr++] = label;
	}
	l->nr = nr;
	wp_agent_containers_sweep(l->containers);
}

/**
 * wp_agent_labels_free() - free the table
 * @l: the table, in any state
 */
void wp_agent_labels_free(struct wp_agent_labels *l)
{
	while (l->nr)
		free(l->label[--l->nr]);
	free(l->label);
	wp_idmap_free(&l->map);
	wp_procmemory_free(l->memory);
	wp_agent_containers_free(l->containers);
	memset(l, 0, sizeof(*l));
}

/* Appends the names of a container, as far as they are known. */
static unsigned int add_container(const struct wp_container *c, struct wp_otlp_label *label,
				  unsigned int nr)
{
	const struct wp_otlp_label all[] = {
		{ "container.name", c ? c->name : "" },
		{ "container.image.name", c ? c->image : "" },
		{ "k8s.container.name", c ? c->k8s_container : "" },
		{ "k8s.pod.name", c ? c->k8s_pod : "" },
		{ "k8s.namespace.name", c ? c->k8s_namespace : "" },
	};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (*all[i].value)
			label[nr++] = all[i];
	}
	return nr;
}

/**
 * wp_agent_resource() - what a resource of a receiver has of a service
 * @a: the agent
 * @name: the service
 * @container: id of its container, or ""
 * @label: set to its labels, of which the first is the service; with room for one more. They are
 *	valid until the sweep
 *
 * Return: their number.
 */
unsigned int wp_agent_resource(const struct wp_agent *a, const char *name, const char *container,
			       struct wp_otlp_label label[WP_OTLP_LABELS])
{
	unsigned int nr = 0;

	label[nr++] = (struct wp_otlp_label){ "service.name", name };
	label[nr++] = (struct wp_otlp_label){ "host.name", a->host };
	label[nr++] = (struct wp_otlp_label){ "os.type", "linux" };
	if (*a->host_id)
		label[nr++] = (struct wp_otlp_label){ "host.id", a->host_id };
	if (*container) {
		label[nr++] = (struct wp_otlp_label){ "container.id", container };
		nr = add_container(wp_agent_container(a->labels.containers, container), label, nr);
	}
	return nr;
}
