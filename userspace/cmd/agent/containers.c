// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the names of containers that windows and metrics have, by id. Files of runtimes are
 * read once for each, and some more times while there are none: a container may run before
 * its runtime has written them. What was not asked for in many windows is dropped.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd/agent/agent.h"
#include "lib/proc/containers.h"

/* Containers that are known, at most: more than there are services in metrics. */
#define MAX_CONTAINERS	4096

/* Windows in which files are looked for. */
#define MAX_TRIES	5

/* Windows without it after which a container is dropped. */
#define MAX_UNUSED	100

/**
 * struct container - a container
 * @id: its id
 * @tries: how often its files were looked for
 * @tried: in this window
 * @unused: sweeps since it was asked for
 * @names: its names, or NULL
 */
struct container {
	char id[WP_SERVICE_CONTAINER];
	unsigned int tries;
	bool tried;
	unsigned int unused;
	struct wp_container *names;
};

/**
 * struct wp_agent_containers - containers
 * @root: root directory of the host, or WP_OPENFILE_HERE
 * @ids: numbers by id
 * @container: by number, less 1
 * @room: allocated entries
 */
struct wp_agent_containers {
	int root;
	struct wp_intern ids;
	struct container **container;
	size_t room;
};

/**
 * wp_agent_containers_new() - make an empty table
 * @root: root directory of the host, or WP_OPENFILE_HERE
 *
 * Return: it, or NULL.
 */
struct wp_agent_containers *wp_agent_containers_new(int root)
{
	struct wp_agent_containers *t = calloc(1, sizeof(*t));

	if (t)
		t->root = root;
	return t;
}

static struct container *add(struct wp_agent_containers *t, const char *id)
{
	struct container *c;

	if (t->ids.nr == MAX_CONTAINERS)
		return NULL;
	if (t->ids.nr == t->room) {
		size_t room = t->room ? 2 * t->room : 16;
		void *more = reallocarray(t->container, room, sizeof(*t->container));

		if (!more)
			return NULL;
		t->container = more;
		t->room = room;
	}
	c = calloc(1, sizeof(*c));
	if (!c || !wp_intern(&t->ids, id, strlen(id), NULL)) {
		free(c);
		return NULL;
	}
	snprintf(c->id, sizeof(c->id), "%s", id);
	t->container[t->ids.nr - 1] = c;
	return c;
}

static void look(const struct wp_agent_containers *t, struct container *c)
{
	struct wp_container names;

	c->tried = true;
	c->tries++;
	if (wp_container_find(t->root, c->id, &names))
		return;
	/* Without memory, it is tried again. */
	c->names = malloc(sizeof(names));
	if (c->names)
		*c->names = names;
}

/**
 * wp_agent_container() - names of a container
 * @t: the table
 * @id: its id
 *
 * Return: they, valid until the sweep; NULL: they are not known.
 */
const struct wp_container *wp_agent_container(struct wp_agent_containers *t, const char *id)
{
	__u32 nr = wp_intern_find(&t->ids, id, strlen(id));
	struct container *c = nr ? t->container[nr - 1] : add(t, id);

	if (!c)
		return NULL;
	c->unused = 0;
	if (!c->names && !c->tried && c->tries < MAX_TRIES)
		look(t, c);
	return c->names;
}

static void free_container(struct container *c)
{
	free(c->names);
	free(c);
}

/**
 * wp_agent_containers_sweep() - drop what was not asked for in many windows
 * @t: the table
 *
 * Without memory, others are dropped, too, and read again.
 */
void wp_agent_containers_sweep(struct wp_agent_containers *t)
{
	size_t i, nr = t->ids.nr, left = 0;

	wp_intern_free(&t->ids);
	for (i = 0; i < nr; i++) {
		struct container *c = t->container[i];

		c->tried = false;
		if (++c->unused > MAX_UNUSED || !wp_intern(&t->ids, c->id, strlen(c->id), NULL))
			free_container(c);
		else
			t->container[left++] = c;
	}
}

/**
 * wp_agent_containers_free() - free the table
 * @t: the table, or NULL
 */
void wp_agent_containers_free(struct wp_agent_containers *t)
{
	size_t i;

	if (!t)
		return;
	for (i = 0; i < t->ids.nr; i++)
		free_container(t->container[i]);
	free(t->container);
	wp_intern_free(&t->ids);
	free(t);
}
