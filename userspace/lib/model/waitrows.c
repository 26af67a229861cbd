// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the rows of a table of time. Called by the report command.
 *
 * Pure: no I/O, no clock.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/columns.h"
#include "lib/model/waitrows.h"

/* Names with a common prefix of this length share an entry: "worker-*". */
#define SAME	4

/* Keys of things that a row counts once. */
struct thread_key {
	__u32 row;
	__s32 pid;
	__s32 tid;
};

struct comm_key {
	__u32 row;
	char comm[52];
};

/* Make room for @nr elements; new ones are zero. */
static int room_for(void *array, size_t *room, size_t nr, size_t size)
{
	size_t wanted = *room ? 2 * *room : 64;
	char *more;

	if (nr <= *room)
		return 0;
	more = reallocarray(*(void **)array, wanted, size);
	if (!more)
		return -ENOMEM;
	memset(more + *room * size, 0, (wanted - *room) * size);
	*(void **)array = more;
	*room = wanted;
	return 0;
}

/* Look up or add a row; 0: no memory. */
static __u32 row_of(struct wp_waitrows *r, const struct wp_waititem *item)
{
	const char *words[3] = { item->what, item->where, item->apart };
	size_t len = 0, i, at = 0;
	char *bytes;
	__u32 nr;

	for (i = 0; i < 3; i++)
		len += strlen(words[i]) + 1;
	bytes = malloc(len);
	if (!bytes)
		return 0;
	for (i = 0; i < 3; i++) {
		strcpy(bytes + at, words[i]);
		at += strlen(words[i]) + 1;
	}
	nr = wp_intern(&r->keys, bytes, len, NULL);
	free(bytes);
	if (!nr || room_for(&r->row, &r->room, nr, sizeof(*r->row)))
		return 0;
	if (nr > r->nr)
		r->nr = nr;
	return nr;
}

static int add_comm(struct wp_waitrows *r, __u32 row, const struct wp_waititem *item)
{
	struct comm_key key;
	__u32 nr;

	memset(&key, 0, sizeof(key));
	key.row = row;
	snprintf(key.comm, sizeof(key.comm), "%s", item->comm);
	nr = wp_intern(&r->comms, &key, sizeof(key), NULL);
	if (!nr || room_for(&r->comm, &r->comm_room, nr, sizeof(*r->comm)))
		return -ENOMEM;
	r->comm[nr - 1] += item->value;
	return 0;
}

/**
 * wp_waitrows_add() - add time
 * @r: the rows, not sorted yet
 * @item: the time
 *
 * Return: 0 or -ENOMEM.
 */
int wp_waitrows_add(struct wp_waitrows *r, const struct wp_waititem *item)
{
	struct thread_key key = { .pid = item->pid, .tid = item->tid };
	struct wp_waitrow *row;
	bool is_new;

	key.row = row_of(r, item);
	if (!key.row || !wp_intern(&r->threads, &key, sizeof(key), &is_new) ||
	    add_comm(r, key.row, item))
		return -ENOMEM;
	row = &r->row[key.row - 1];
	row->key = key.row;
	row->value += item->value;
	row->count += item->count;
	row->threads += is_new;
	if (item->longest > row->longest) {
		row->longest = item->longest;
		row->at_most = item->at_most;
	}
	r->total += item->value;
	return 0;
}

static int by_value(const void *pa, const void *pb)
{
	const struct wp_waitrow *a = pa, *b = pb;

	return a->value < b->value ? 1 : a->value > b->value ? -1 : a->key < b->key ? -1 : 1;
}

static size_t same_bytes(const char *a, const char *b, size_t most)
{
	size_t i;

	for (i = 0; i < most && a[i] && a[i] == b[i]; i++)
		;
	return i;
}

/**
 * wp_waitrows_sort() - sort by value, largest first
 * @r: the rows: read-only from now on
 */
void wp_waitrows_sort(struct wp_waitrows *r)
{
	size_t i;

	for (i = 0; i < r->nr; i++) {
		r->row[i].what = wp_intern_bytes(&r->keys, r->row[i].key, NULL);
		r->row[i].where = r->row[i].what + strlen(r->row[i].what) + 1;
	}
	for (i = 0; i < r->comms.nr; i++) {
		const struct comm_key *key = wp_intern_bytes(&r->comms, i + 1, NULL);
		const char *comm = (const char *)key + offsetof(struct comm_key, comm);
		struct wp_waitrow *row;
		__u32 nr;

		memcpy(&nr, key, sizeof(nr));
		row = &r->row[nr - 1];
		row->same = row->comms ? same_bytes(row->first, comm, row->same) : strlen(comm);
		if (!row->comms++ || r->comm[i] > row->first_value) {
			row->first = comm;
			row->first_value = r->comm[i];
		}
	}
	if (r->nr)
		qsort(r->row, r->nr, sizeof(*r->row), by_value);
}

/**
 * wp_waitrow_by() - the threads of a row
 * @row: the row
 * @width: maximum number of characters
 * @to: set to the text: "cron", "client (4)", "worker-* (4)", "nginx, … (7)"
 * @size: size of @to
 */
void wp_waitrow_by(const struct wp_waitrow *row, size_t width, char *to, size_t size)
{
	char name[64], behind[24] = "";
	size_t room;

	if (row->threads > 1)
		snprintf(behind, sizeof(behind), " (%u)", row->threads);
	room = width > strlen(behind) ? width - strlen(behind) : 0;
	if (row->comms < 2)
		snprintf(name, sizeof(name), "%s", row->first);
	else if (row->same >= SAME)
		snprintf(name, sizeof(name), "%.*s*", (int)row->same, row->first);
	else
		snprintf(name, sizeof(name), "%s, +%u", row->first, row->comms - 1);
	wp_columns_cut(to, size, name, room);
	strncat(to, behind, size - strlen(to) - 1);
}

/**
 * wp_waitrow_longest() - the longest interval of a row
 * @row: the row
 * @to: set to it: "12.3 ms", "<1.20 s" if none was longer, "-" if it is unknown
 */
void wp_waitrow_longest(const struct wp_waitrow *row, char to[16])
{
	if (!row->longest) {
		strcpy(to, "-");
		return;
	}
	to[0] = '<';
	wp_columns_time(to + row->at_most, row->longest);
}

/**
 * wp_waitrows_free() - free the rows
 * @r: the rows
 */
void wp_waitrows_free(struct wp_waitrows *r)
{
	free(r->row);
	free(r->comm);
	wp_intern_free(&r->keys);
	wp_intern_free(&r->threads);
	wp_intern_free(&r->comms);
	*r = (struct wp_waitrows){ 0 };
}
