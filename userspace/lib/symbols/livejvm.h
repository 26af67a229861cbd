/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The HotSpot JVM that a running process executes, and its generated code. See livejvm.c.
 */
#ifndef WP_LIB_SYMBOLS_LIVEJVM_H
#define WP_LIB_SYMBOLS_LIVEJVM_H

#include <stdbool.h>
#include <linux/types.h>

#include "lib/base/intern.h"
#include "lib/interp/jvmcode.h"
#include "lib/interp/jvmlayout.h"
#include "lib/interp/jvmunloads.h"

struct wp_livejvms;

/**
 * struct wp_livejvm - the JVM of a process; all zero: not looked at yet
 * @layout: where it keeps what
 * @has_layout: that was read
 * @program: identifies the program, as wp_livejvm_program() before that
 * @unloads: numbers of classes that it has unloaded and loaded, at the last look
 * @codes: its code, at the last look
 * @names: names of these
 * @began: when the last look began that succeeded, ns of CLOCK_MONOTONIC; 0: none did
 */
struct wp_livejvm {
	struct wp_jvmlayout layout;
	bool has_layout;
	__u64 program;
	struct wp_jvmunloads unloads;
	struct wp_jvmcodes codes;
	struct wp_intern names;
	__u64 began;
};

__u64 wp_livejvm_program(__u32 pid);
bool wp_livejvm_is(const char *path);
struct wp_livejvms *wp_livejvm_new(void);
void wp_livejvm_free(struct wp_livejvms *jvms);
int wp_livejvm_look(struct wp_livejvms *jvms, struct wp_livejvm *jvm, __u32 pid,
		    struct wp_jvmcodes *before);
const char *wp_livejvm_name(const struct wp_livejvm *jvm, const struct wp_jvmcode *code);
struct wp_pymemory *wp_livejvm_open(struct wp_livejvms *jvms, __u32 pid,
				    struct wp_pybudget *budget, unsigned int windows);
unsigned int wp_livejvm_close(struct wp_livejvms *jvms);
int wp_livejvm_unloads(struct wp_livejvms *jvms, __u32 pid, const struct wp_jvmunloads *u,
		       struct wp_jvmcounts *counts);
size_t wp_livejvm_bytes(const struct wp_livejvm *jvm);
void wp_livejvm_end(struct wp_livejvm *jvm);

#endif /* WP_LIB_SYMBOLS_LIVEJVM_H */
