// SPDX-License-Identifier: GPL-2.0
/*
 * Names of Java methods: package.Class.method, from a method of HotSpot.
 *
 * Pure: the caller reads, and checks that the method is still there afterwards. The
 * structures are not trusted.
 */
#include <errno.h>
#include <string.h>

#include "lib/interp/jvmname.h"

/* Of a longer part of a name the rest is left out, with a mark. */
#define MAX_PART	500
#define MARK		"..."

/* Appends a name of HotSpot; @at: the length so far. */
static int add_symbol(struct wp_pymemory *m, const struct wp_jvmlayout *l, __u64 symbol,
		      char *name, size_t *at)
{
	__u16 len;
	size_t nr;
	int err;

	if (!symbol || symbol % sizeof(symbol))
		return -EBADMSG;
	err = wp_pymemory_read(m, symbol + l->symbol_length, &len, sizeof(len));
	if (err)
		return err;
	nr = len > MAX_PART ? MAX_PART : len;
	err = wp_pymemory_read(m, symbol + l->symbol_body, name + *at, nr);
	if (err)
		return err;
	/* Java writes this character in two bytes. */
	if (!len || memchr(name + *at, 0, nr))
		return -EBADMSG;
	*at += nr;
	if (nr < len) {
		memcpy(name + *at, MARK, strlen(MARK));
		*at += strlen(MARK);
	}
	name[*at] = '\0';
	return 0;
}

/* Reads a pointer to a structure. */
static int follow(struct wp_pymemory *m, __u64 at, __u64 *to)
{
	int err = wp_pymemory_word(m, at, to);

	return err || (*to && *to % sizeof(*to) == 0) ? err : -EBADMSG;
}

/**
 * wp_jvmname_read() - read the name of a method
 * @m: memory of the process
 * @layout: of its JVM
 * @method: address of the method
 * @name: set to its name; it may have any byte but 0
 *
 * Return: 0; -EBADMSG: it is no method; or as wp_pymemory_read().
 */
int wp_jvmname_read(struct wp_pymemory *m, const struct wp_jvmlayout *layout, __u64 method,
		    char name[WP_JVMNAME_MAX])
{
	__u64 constant, pool, klass, symbol;
	__u16 index = 0;
	size_t at = 0, i;
	__u32 nr = 0;
	int err;

	err = follow(m, method + layout->method_const, &constant);
	if (!err)
		err = follow(m, constant + layout->const_pool, &pool);
	if (!err)
		err = wp_pymemory_read(m, constant + layout->const_name, &index, sizeof(index));
	if (!err)
		err = wp_pymemory_read(m, pool + layout->pool_nr, &nr, sizeof(nr));
	/* The constant 0 is none. */
	if (!err && (!index || index >= nr))
		err = -EBADMSG;
	if (!err)
		err = follow(m, pool + layout->pool_holder, &klass);
	if (!err)
		err = follow(m, klass + layout->klass_name, &symbol);
	if (!err)
		err = add_symbol(m, layout, symbol, name, &at);
	if (err)
		return err;
	for (i = 0; i < at; i++) {
		if (name[i] == '/')
			name[i] = '.';
		/* A hidden class, as of a lambda: HotSpot prints it so. */
		else if (name[i] == '+' && name[i + 1] == '0')
			name[i] = '/';
	}
	name[at++] = '.';
	err = follow(m, pool + layout->pool_size + index * sizeof(symbol), &symbol);
	return err ?: add_symbol(m, layout, symbol, name, &at);
}
