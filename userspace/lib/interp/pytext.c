// SPDX-License-Identifier: GPL-2.0
/*
 * Texts of Python: objects of type str, as CPython stores them, are read as UTF-8.
 *
 * Pure: the caller reads. The objects are not trusted.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/interp/pytext.h"

/* Characters of a text; of a longer one, the rest is left out, with a mark. */
#define MAX_CHARS	1024
#define MARK		"..."
/* Bytes of a character. */
#define MAX_UTF8	4

/* A character that no text has. */
#define REPLACEMENT	0xfffd
/* What Python makes of a byte that is no UTF-8 in the name of a file. */
#define ESCAPE_FIRST	0xdc80
#define ESCAPE_LAST	0xdcff

static char *put(char *at, __u32 c)
{
	if (c >= ESCAPE_FIRST && c <= ESCAPE_LAST) {
		*at++ = c & 0xff;
		return at;
	}
	if (!c || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		c = REPLACEMENT;
	if (c < 0x80) {
		*at++ = c;
		return at;
	}
	if (c < 0x800) {
		*at++ = 0xc0 | c >> 6;
	} else {
		if (c < 0x10000) {
			*at++ = 0xe0 | c >> 12;
		} else {
			*at++ = 0xf0 | c >> 18;
			*at++ = 0x80 | (c >> 12 & 0x3f);
		}
		*at++ = 0x80 | (c >> 6 & 0x3f);
	}
	*at++ = 0x80 | (c & 0x3f);
	return at;
}

static __u32 char_at(const __u8 *data, unsigned int kind, size_t i)
{
	__u32 four;
	__u16 two;

	switch (kind) {
	case 1:
		return data[i];
	case 2:
		memcpy(&two, data + 2 * i, sizeof(two));
		return two;
	default:
		memcpy(&four, data + 4 * i, sizeof(four));
		return four;
	}
}

/**
 * wp_pytext_read() - read a text
 * @m: memory of the process
 * @layout: offsets
 * @type: address of the type str
 * @address: of the object
 * @text: set to the text, to be freed; it may have any byte but 0
 *
 * Return: 0; -EBADMSG: it is no text; -ENOMEM; or as wp_pymemory_read().
 */
int wp_pytext_read(struct wp_pymemory *m, const struct wp_pylayout *layout, __u64 type,
		   __u64 address, char **text)
{
	__u64 head[WP_PYLAYOUT_STATE / sizeof(__u64) + 1], nr, i;
	__u8 data[MAX_CHARS * sizeof(__u32)];
	unsigned int kind, state;
	char *at, *less;
	int err;

	err = wp_pymemory_read(m, address, head, sizeof(head));
	if (err)
		return err;
	nr = head[WP_PYLAYOUT_SIZE / sizeof(__u64)];
	state = head[WP_PYLAYOUT_STATE / sizeof(__u64)];
	kind = state >> 2 & 7;
	/* Compact: the characters follow the head. */
	if (head[WP_PYLAYOUT_TYPE / sizeof(__u64)] != type || nr >> 62 || !(state >> 5 & 1) ||
	    (kind != 1 && kind != 2 && kind != 4))
		return -EBADMSG;
	if (nr > MAX_CHARS)
		nr = MAX_CHARS;
	address += state >> 6 & 1 ? layout->ascii : layout->compact;
	err = wp_pymemory_read(m, address, data, nr * kind);
	if (err)
		return err;
	*text = malloc(nr * MAX_UTF8 + sizeof(MARK));
	if (!*text)
		return -ENOMEM;
	for (i = 0, at = *text; i < nr; i++)
		at = put(at, char_at(data, kind, i));
	*at = 0;
	if (head[WP_PYLAYOUT_SIZE / sizeof(__u64)] > nr)
		at = stpcpy(at, MARK);
	less = realloc(*text, at + 1 - *text);
	if (less)
		*text = less;
	return 0;
}
