/* SPDX-License-Identifier: GPL-2.0 */
/*
 * JVMs of running processes. See jvms.c.
 */
#ifndef WP_LIB_RECORD_JVMS_H
#define WP_LIB_RECORD_JVMS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include <linux/wallprof.h>

#include "lib/interp/jvmunloads.h"

struct wp_jitloads;
struct wp_jvms;

/**
 * struct wp_jvmfacts - what is needed to read the names of a JVM's methods
 * @layout: where it keeps what
 * @program: identifies the program that the process executes, as wp_livejvm_program()
 * @unloads: numbers of classes that were unloaded and loaded, at the last look
 */
struct wp_jvmfacts {
	struct wp_jvmlayout layout;
	__u64 program;
	struct wp_jvmunloads unloads;
};

/* Takes an unwind table and sets its id; returns 0 or a negative errno. */
typedef int (*wp_jvms_push_fn)(void *ctx, const void *table, size_t size, __u32 *id);

/* Called with the names of a process's code. */
typedef void (*wp_jvms_fn)(void *ctx, __u32 pid, const struct wp_jitloads *loads);

struct wp_jvms *wp_jvms_new(bool names);
void wp_jvms_free(struct wp_jvms *all);
bool wp_jvms_look(struct wp_jvms *all, __u32 pid, __u64 program);
__u64 wp_jvms_next(struct wp_jvms *all, __u32 pid);
void wp_jvms_tables(struct wp_jvms *all, __u32 pid, struct wallprof_map *map, size_t nr,
		    wp_jvms_push_fn push, void *ctx);
void wp_jvms_drop_tables(struct wp_jvms *all);
void wp_jvms_look_last(struct wp_jvms *all);
bool wp_jvms_any(struct wp_jvms *all);
bool wp_jvms_find(struct wp_jvms *all, __u32 pid, struct wp_jvmfacts *facts);
void wp_jvms_forget(struct wp_jvms *all, __u32 pid);
void wp_jvms_each(struct wp_jvms *all, wp_jvms_fn fn, void *ctx);

#endif /* WP_LIB_RECORD_JVMS_H */
