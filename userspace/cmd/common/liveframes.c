// SPDX-License-Identifier: GPL-2.0
/*
 * Names the frames of a stack of a live view, one after the other: the kernel's before the
 * program's. Functions of Python, and interpreted methods of Java, take the place of the native
 * function that executes them, as in a recording (interprows.c). Called by top/stacks.c and
 * agent/window.c.
 */
#include <errno.h>
#include <linux/wallprof_interp.h>

#include "cmd/common/liveframes.h"

/**
 * wp_liveframes_init() - start at the innermost frame
 * @f: the position
 * @live: the view
 * @key: a share of its last interval
 */
void wp_liveframes_init(struct wp_liveframes *f, struct wp_live *live, const struct wp_topkey *key)
{
	*f = (struct wp_liveframes){ .live = live, .key = key };
}

/* The method of Java that the native function executes. Returns whether there is one. */
static bool next_method(struct wp_liveframes *f, struct wp_livename *name)
{
	const struct wp_stack *user = f->key->user;
	const struct wp_jvmmethods *methods = f->live->r.methods;
	__u64 word;

	if (!methods || f->user == user->nr || !WALLPROF_INTERP_IS_WORD(user->ips[f->user]))
		return false;
	word = user->ips[f->user++];
	wp_jvmmethods_livename(methods, f->key->tgid, word, name);
	return true;
}

/* Of Python, the next function of the run. Returns whether there is one. */
static bool next_function(struct wp_liveframes *f, struct wp_livename *name)
{
	struct wp_interpcodes *codes = f->live->r.codes;
	const struct wp_stack *user = f->key->user;
	struct wp_interpfunction function;
	int err = -ENOENT;

	while (err == -ENOENT && codes && f->user + 1 < user->nr &&
	       WALLPROF_INTERP_IS_CODE(user->ips[f->user]) &&
	       WALLPROF_INTERP_IS_AT(user->ips[f->user + 1])) {
		err = wp_interpcodes_function(codes, f->key->tgid, user->ips[f->user],
					      user->ips[f->user + 1], &function);
		f->user += 2;
	}
	if (err == -ENOENT)
		return false;
	*name = (struct wp_livename){ .name = WP_INTERPCODES_UNREAD, .python = true };
	if (err)
		return true;
	name->name = function.name;
	name->file = function.file;
	name->path = function.file;
	name->line = function.line;
	return true;
}

/* Go to the next native frame. Returns whether there is one. */
static bool next_native(struct wp_liveframes *f)
{
	const struct wp_stack *user = f->key->user;

	while (user && f->user < user->nr) {
		__u64 ip = user->ips[f->user];

		f->native = f->user++;
		/* Half of a function is none. */
		if (!f->native || !(ip & WALLPROF_INTERP_CODE))
			return true;
	}
	return false;
}

/**
 * wp_liveframes_next() - get the next frame
 * @f: the position
 * @name: set to its name. A function or method that was not read has no file
 * @found: set to whether there is one
 *
 * Return: 0 or -ENOMEM.
 */
int wp_liveframes_next(struct wp_liveframes *f, struct wp_livename *name, bool *found)
{
	const struct wp_stack *kernel = f->key->kernel;
	bool caller = f->kernel;

	*found = true;
	if (kernel && f->kernel < kernel->nr)
		return wp_livenames_kernel(f->live->names, kernel->ips[f->kernel++], caller, name);
	for (;;) {
		if (f->run && (next_method(f, name) || next_function(f, name))) {
			f->shown = true;
			return 0;
		}
		if (f->run && !f->shown)
			break;
		f->run = next_native(f);
		f->shown = false;
		if (!f->run) {
			*found = false;
			return 0;
		}
	}
	f->run = false;
	return wp_livenames_user(f->live->names, f->key->tgid, f->key->user->ips[f->native],
				 f->native, name);
}
