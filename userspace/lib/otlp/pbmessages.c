// SPDX-License-Identifier: GPL-2.0
/*
 * Messages of protobuf while they are made, in memory that is freed together. Called by
 * otlppack.c and pprofpush.c.
 */
#include "lib/otlp/pbmessages.h"

/**
 * wp_pbmessages() - make empty messages of a type
 * @a: their memory
 * @type: their type
 * @nr: their number
 *
 * Return: an array of pointers to them; NULL: no memory, which the arena notes.
 */
void *wp_pbmessages(struct wp_arena *a, const struct ProtobufCMessageDescriptor *type, size_t nr)
{
	char *messages = wp_arena_get(a, nr, type->sizeof_message);
	void **pointers = wp_arena_get(a, nr, sizeof(*pointers));
	size_t i;

	if (!messages || !pointers)
		return NULL;
	for (i = 0; i < nr; i++) {
		pointers[i] = messages + i * type->sizeof_message;
		protobuf_c_message_init(type, pointers[i]);
	}
	return pointers;
}
