// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the keys that tables of samples are summed and sorted by: names, as for perf report
 * --sort, titles, and the word of a line for each. Called by report/table.c and diff/.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/common/heldlock.h"
#include "cmd/common/sortkeys.h"
#include "lib/base/err.h"

enum key { COMM, PID, TID, DSO, SYM, REASON, SYSCALL, OBJECT, OWNER, STATE, BY };

/* Sort keys by name; those of perf report have its titles. */
static const struct {
	const char *name;
	const char *title;
} keys[WP_SORT_KEYS] = {
	[COMM] = { "comm", "Command" },
	[PID] = { "pid", "Pid" },
	[TID] = { "tid", "Tid" },
	[DSO] = { "dso", "Shared Object" },
	[SYM] = { "sym", "Symbol" },
	[REASON] = { "reason", "Reason" },
	[SYSCALL] = { "syscall", "System Call" },
	[OBJECT] = { "object", "Object" },
	[OWNER] = { "owner", "Held By" },
	[STATE] = { "state", "State" },
	[BY] = { "by", "Summed By" },
};

static int key_of(const char *name, size_t len)
{
	int i;

	if (len == strlen("symbol") && !strncmp(name, "symbol", len))
		return SYM;
	for (i = 0; i < WP_SORT_KEYS; i++) {
		if (len == strlen(keys[i].name) && !strncmp(name, keys[i].name, len))
			return i;
	}
	return -1;
}

static bool is_figure(const char *name, size_t len, struct wp_sort *sort)
{
	static const char *const figures[] = {
		"overhead", "overhead_children", "period", "sample"
	};
	size_t i;

	for (i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
		if (len != strlen(figures[i]) || strncmp(name, figures[i], len))
			continue;
		sort->counts |= !strcmp(figures[i], "sample");
		sort->children |= !strcmp(figures[i], "overhead_children");
		return true;
	}
	return false;
}

/**
 * wp_sort_parse() - parse --sort
 * @arg: names of keys, separated by commas
 * @sort: set to the keys
 *
 * Return: 0 or -EINVAL; a message was printed.
 */
int wp_sort_parse(const char *arg, struct wp_sort *sort)
{
	const char *at = arg;
	unsigned int seen = 0;

	sort->nr = 0;
	do {
		size_t len = strcspn(at, ",");
		int key = key_of(at, len);

		/* perf's columns of numbers: they are always printed. */
		if (is_figure(at, len, sort)) {
			at += len;
			continue;
		}

		if (key < 0 || seen & 1U << key) {
			wp_err("--sort must be a list, each once, of comm, pid, tid, dso, sym, reason, syscall, object, owner, state, by, not '%s'",
			       arg);
			return -EINVAL;
		}
		seen |= 1U << key;
		sort->key[sort->nr++] = key;
		at += len;
	} while (*at++);
	if (sort->nr)
		return 0;
	return wp_sort_parse("comm,dso,sym", sort);
}

/**
 * wp_sortkey_name() - name of a key
 * @key: the key
 *
 * Return: the name, as for --sort.
 */
const char *wp_sortkey_name(unsigned int key)
{
	return keys[key].name;
}

/**
 * wp_sortkey_title() - title of a key's column
 * @key: the key
 *
 * Return: the title.
 */
const char *wp_sortkey_title(unsigned int key)
{
	return keys[key].title;
}

/**
 * wp_sortkey_word() - the word of a line for a key
 * @s: the recording
 * @key: the key
 * @l: the line
 * @f: its function, or NULL
 * @spare: buffer for a word
 *
 * Return: the word, unsanitized, valid until the next call; empty if it is unknown.
 */
const char *wp_sortkey_word(struct wp_samples *s, unsigned int key, const struct wp_profline *l,
			    const struct wp_function *f, char spare[WP_SORTKEY_SPARE])
{
	const struct wp_profile_thread *t = wp_profile_thread(s->profile, l->thread);
	const struct wp_profile_cause *cause = wp_profile_cause(s->profile, l->cause);

	switch ((enum key)key) {
	case COMM:
		return wp_samples_comm(s, l);
	case PID:
	case TID:
		snprintf(spare, WP_SORTKEY_SPARE, "%d", key == PID ? t->pid : t->tid);
		return spare;
	case DSO:
		return f ? f->dso : "";
	case SYM:
		return f ? f->label : "";
	case REASON:
		return cause->reason;
	case SYSCALL:
		return cause->syscall;
	case OBJECT:
		return cause->object;
	case OWNER:
		if (!wp_heldlock(s, l))
			return "";
		snprintf(spare, WP_SORTKEY_SPARE, "%s%s%u", cause->owner_comm,
			 cause->owner_comm[0] ? " " : "", cause->owner);
		return spare;
	case STATE:
		return cause->state;
	case BY:
		snprintf(spare, WP_SORTKEY_SPARE, "%s%s%s", cause->by, cause->error[0] ? " " : "",
			 cause->error);
		return spare;
	}
	return "";
}
