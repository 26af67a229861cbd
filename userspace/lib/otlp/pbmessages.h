/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages of protobuf in an arena. See pbmessages.c.
 */
#ifndef WP_LIB_OTLP_PBMESSAGES_H
#define WP_LIB_OTLP_PBMESSAGES_H

#include <stddef.h>
#include <protobuf-c/protobuf-c.h>

#include "lib/base/arena.h"

void *wp_pbmessages(struct wp_arena *a, const struct ProtobufCMessageDescriptor *type,
		    size_t nr);

#endif /* WP_LIB_OTLP_PBMESSAGES_H */
