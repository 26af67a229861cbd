// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of what is printed of a receiver's answer, whose bytes may be any: on one line, cut,
 * and without controls. Each answer ends where its memory does.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/agent/answer.h"
#include "tap.h"

#define SIZE	40

static void describe(const char *answer, size_t size, char text[SIZE])
{
	unsigned char *copy = malloc(size ? size : 1);
	const struct wp_http_result result = {
		.status = 400, .answer = copy, .size = size,
	};

	memcpy(copy, answer, size);
	wp_answer_trouble(&result, text, SIZE);
	free(copy);
}

static bool says(const char *answer, const char *wanted)
{
	char text[SIZE];

	describe(answer, strlen(answer), text);
	if (!strcmp(text, wanted))
		return true;
	printf("# '%s', not '%s'\n", text, wanted);
	return false;
}

/* An answer that has one text many times. */
static bool is_harmless(const char *again, const char *end)
{
	char *answer = malloc(WP_HTTP_ANSWER), text[SIZE];
	size_t len = 0;

	for (; len + strlen(again) + strlen(end) <= WP_HTTP_ANSWER; len += strlen(again))
		memcpy(answer + len, again, strlen(again));
	memcpy(answer + len, end, strlen(end));
	describe(answer, len + strlen(end), text);
	free(answer);
	return !strcmp(text, "HTTP status 400");
}

/* The date is that of RFC 9110's example: 784111777 s. */
static void test_retry_after(void)
{
	static const char date[] = " Sun, 06 Nov 1994 08:49:37 GMT\r\n";
	static const char *const none[] = {
		"", " ", "-1", "soon", "Sun, 06 Nov", " Sun, 06 Nov 1994 08:49:37", "+5",
		"Sun, 99 Nov 1994 08:49:37 GMT",
	};
	__u64 sum = 0;
	size_t i;

	ok(wp_answer_retry_after(" 120\r\n", 0) == 120 &&
	   wp_answer_retry_after("99999999999999999999999", 0) == ~0ULL,
	   "Retry-After has seconds");
	ok(wp_answer_retry_after(date, 784111770) == 7 &&
	   !wp_answer_retry_after(date, 784111777) && !wp_answer_retry_after(date, 1795910400),
	   "... or a date, which may have passed");
	for (i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		sum += wp_answer_retry_after(none[i], 0);
	ok(!sum, "anything else is none: %llu", sum);
}

int main(void)
{
	const struct wp_http_result none = { .trouble = "no\nroute" };
	const struct wp_http_result some = {
		.status = 200, .answer = (void *)"\n\5\10\1\22\1x", .size = 7,
	};
	static const char whole[] = "{\"code\":\"invalid_argument\",\"message\":\"a \\\"b\\\" c\"}";
	char text[SIZE];
	bool good = true;
	size_t i;

	ok(says(whole, "HTTP status 400: a \"b\" c"), "Connect's error has a message");
	ok(says(" { \"code\" : 3, \"message\" : \"m\", \"details\": [] }", "HTTP status 400: m"),
	   "that of gRPC's gateway, too");
	ok(says("", "HTTP status 400") && says("not found", "HTTP status 400") &&
	   says("[\"message\": \"x\"]", "HTTP status 400") &&
	   says("{\"message\": 7}", "HTTP status 400") && says("{\"message\"}", "HTTP status 400") &&
	   says("{\"message\": \"\"}", "HTTP status 400") &&
	   says("{\"message\": \"cut", "HTTP status 400"), "other answers have none");
	ok(says("{\"a\": \"\\\"message\\\": \\\"x\", \"details\": [{\"message\": \"inner\"}], "
		"\"message\": \"m\"}\n", "HTTP status 400: m"), "it is the error's own");
	ok(says("{\"message\": \"a\\nb\\u001b[2J\\\\ \n\r\33\377\"}",
		"HTTP status 400: a b?[2J\\   ??") &&
	   says("{\"message\": \"a\\u0000b\"}", "HTTP status 400: a"),
	   "controls and escapes are harmless");
	ok(says("{\"message\": \"0123456789012345678901234567890123456789\"}",
		"HTTP status 400: 0123456789012345678901"), "a long one is cut");
	for (i = 0; i < sizeof(whole); i++) {
		describe(whole, i, text);
		good &= !strncmp(text, "HTTP status 400", strlen("HTTP status 400"));
	}
	ok(good, "one may end anywhere");
	ok(is_harmless("[", "") && is_harmless("{\"message\":", "") &&
	   is_harmless("{\"message\":\"a\",\"b\":{", "}") && is_harmless("{\"", "\":1}"),
	   "one of 64 kB, nested as deeply as it can be, has no message");
	wp_answer_trouble(&none, text, sizeof(text));
	ok(!strcmp(text, "no route"), "no answer is described");
	ok(wp_answer_partial(WP_SPOOL_PROFILES, &some, text, sizeof(text)) &&
	   !wp_answer_partial(WP_SPOOL_PYROSCOPE, &some, text, sizeof(text)) &&
	   !wp_answer_partial(WP_SPOOL_PARCA, &some, text, sizeof(text)),
	   "only OTLP takes a message in part");
	test_retry_after();
	return done();
}
