// SPDX-License-Identifier: GPL-2.0
/*
 * Notes which code of a JVM was there from when to when, by looks at it.
 *
 * Addresses are used again. Code counts from one look to another if both found it, under
 * the same number. What the earlier one did not find counts from there on, unless anything
 * was removed in between: then other code may have been there before, and it counts from the
 * later one on. What the later one does not find ends at the earlier one.
 *
 * Pure.
 */
#include "lib/interp/jvmlog.h"

/**
 * wp_jvmlog_bytes() - memory of a log
 * @log: the log
 *
 * Return: bytes.
 */
size_t wp_jvmlog_bytes(const struct wp_jvmlog *log)
{
	return log->loads.room * sizeof(*log->loads.load) + log->loads.names_room;
}

/* Notes that code is there since a time, or, without a name, is not known any more. */
static void note(struct wp_jvmlog *log, const struct wp_jvmcode *code, __u64 time,
		 const char *name)
{
	if (!log->max || log->loads.cut)
		return;
	log->loads.cut = wp_jvmlog_bytes(log) >= log->max;
	if (!log->loads.cut)
		wp_jitdump_add(&log->loads, code->start, code->end, time, name);
}

/* Whether code of an earlier look is still there. */
static bool is_there(const struct wp_jvmcodes *now, const struct wp_jvmcode *old)
{
	const struct wp_jvmcode *code = wp_jvmcode_find(now, old->start);

	return code && code->since && wp_jvmcode_is(code, old);
}

/* Notes code that is gone: it was there at @time, and not now. Returns whether there is any. */
static bool note_gone(struct wp_jvmlog *log, const struct wp_jvmcodes *before,
		      const struct wp_jvmcodes *now, __u64 time)
{
	bool any = false;
	size_t i;

	for (i = 0; i < before->nr; i++) {
		if (is_there(now, &before->code[i]))
			continue;
		note(log, &before->code[i], time + 1, NULL);
		any = true;
	}
	log->removes |= any;
	return any;
}

/**
 * wp_jvmlog_note() - note what a look has found
 * @log: the log
 * @before: the code at the last look
 * @then: when that began; 0: there was none
 * @now: the code, of wp_jvmcode_look() with @before; since when it is there is set
 * @time: when that look began
 * @names: its names
 *
 * Return: whether any code has come or gone.
 */
bool wp_jvmlog_note(struct wp_jvmlog *log, const struct wp_jvmcodes *before, __u64 then,
		    struct wp_jvmcodes *now, __u64 time, const struct wp_intern *names)
{
	bool changed = note_gone(log, before, now, then), first = !then && !log->loads.nr, is_new;
	__u64 since = changed || !then ? time : then + 1;
	const char *name;
	size_t i, len;

	for (i = 0; i < now->nr; i++) {
		struct wp_jvmcode *code = &now->code[i];

		is_new = !code->since;
		/* The JVM makes its own code when it is set up, and keeps it. */
		if (is_new)
			code->since = code->method || !first ? since : 1;
		changed |= is_new;
		name = code->name ? wp_intern_bytes(names, code->name, &len) : NULL;
		if (name && (is_new || code->was_read))
			note(log, code, code->since, name);
	}
	return changed;
}

/**
 * wp_jvmlog_end() - note that there are no more looks
 * @log: the log
 * @codes: the code at the last one
 * @time: when that began
 * @sure: nothing else comes to these addresses, unless code is removed
 */
void wp_jvmlog_end(struct wp_jvmlog *log, const struct wp_jvmcodes *codes, __u64 time, bool sure)
{
	static const struct wp_jvmcodes none;

	if (!sure || log->removes)
		note_gone(log, codes, &none, time);
}
