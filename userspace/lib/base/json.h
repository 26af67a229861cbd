/* SPDX-License-Identifier: GPL-2.0 */
/*
 * JSON writer. See json.c.
 *
 *	struct wp_json j = { .f = stdout };
 *
 *	wp_json_open(&j, NULL, '{');
 *	wp_json_open(&j, "tasks", '[');
 *	...
 *	wp_json_close(&j, ']');
 *	wp_json_number(&j, "lost", 0);
 *	wp_json_close(&j, '}');
 */
#ifndef WP_LIB_BASE_JSON_H
#define WP_LIB_BASE_JSON_H

#include <stdbool.h>
#include <stdio.h>
#include <linux/types.h>

/**
 * struct wp_json - a writer
 * @f: the output stream
 * @depth: number of open objects and arrays
 * @filled: the innermost one is not empty
 */
struct wp_json {
	FILE *f;
	unsigned int depth;
	bool filled;
};

void wp_json_open(struct wp_json *j, const char *key, char kind);
void wp_json_close(struct wp_json *j, char kind);
void wp_json_string(struct wp_json *j, const char *key, const char *s);
void wp_json_number(struct wp_json *j, const char *key, __u64 n);
void wp_json_signed(struct wp_json *j, const char *key, __s64 n);
void wp_json_hundredths(struct wp_json *j, const char *key, __u64 n);
void wp_json_millionths(struct wp_json *j, const char *key, __u64 n);
void wp_json_bool(struct wp_json *j, const char *key, bool is);
void wp_json_null(struct wp_json *j, const char *key);

#endif /* WP_LIB_BASE_JSON_H */
