// SPDX-License-Identifier: GPL-2.0
/*
 * What a receiver's answer says: that it took a message in part, and why it did not. The
 * answer is untrusted, and any bytes. Called by sender.c.
 */
#include <ctype.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd/agent/answer.h"
#include "lib/base/text.h"
#include "otlp-metrics.pb-c.h"
#include "otlp-profiles.pb-c.h"

/* The key of what both Connect and gRPC's gateway have of an error, as JSON. */
#define MESSAGE		"message"

/* Nested values of an error, whose details can have some; what is deeper has no message. */
#define MAX_DEPTH	16

static bool is_partial_metrics(const struct wp_http_result *result, char *text, size_t size)
{
	Otlp__ExportMetricsServiceResponse *r =
		otlp__export_metrics_service_response__unpack(NULL, result->size, result->answer);
	bool partial = r && r->partial_success && r->partial_success->rejected_data_points;

	if (partial)
		snprintf(text, size, "it rejected %lld data points: %s",
			 (long long)r->partial_success->rejected_data_points,
			 r->partial_success->error_message);
	if (r)
		otlp__export_metrics_service_response__free_unpacked(r, NULL);
	return partial;
}

static bool is_partial_profiles(const struct wp_http_result *result, char *text, size_t size)
{
	Otlp__ExportProfilesServiceResponse *r =
		otlp__export_profiles_service_response__unpack(NULL, result->size, result->answer);
	bool partial = r && r->partial_success && r->partial_success->rejected_profiles;

	if (partial)
		snprintf(text, size, "it rejected %lld profiles: %s",
			 (long long)r->partial_success->rejected_profiles,
			 r->partial_success->error_message);
	if (r)
		otlp__export_profiles_service_response__free_unpacked(r, NULL);
	return partial;
}

/* On one line. */
static void join_lines(char *text)
{
	for (; *text; text++)
		*text = *text == '\n' || *text == '\r' ? ' ' : *text;
}

/**
 * wp_answer_partial() - whether the receiver took the request, but not all that is in it
 * @kind: what was sent; only OTLP has such answers
 * @result: its answer
 * @text: set to why, if so
 * @size: its room
 */
bool wp_answer_partial(enum wp_spool_kind kind, const struct wp_http_result *result, char *text,
		       size_t size)
{
	bool partial = kind == WP_SPOOL_METRICS ? is_partial_metrics(result, text, size) :
		       kind == WP_SPOOL_PROFILES && is_partial_profiles(result, text, size);

	if (partial)
		join_lines(text);
	return partial;
}

/* The answer as JSON, to be freed; NULL: it is none. Its size is limited by http.h. */
static struct json_object *parse(const struct wp_http_result *result)
{
	struct json_tokener *tok = json_tokener_new_ex(MAX_DEPTH);
	struct json_object *object;

	if (!tok)
		return NULL;
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT);
	object = json_tokener_parse_ex(tok, (const char *)result->answer, result->size);
	json_tokener_free(tok);
	return object;
}

static void add_message(const struct wp_http_result *result, char *text, size_t size)
{
	struct json_object *object = result->size ? parse(result) : NULL, *message = NULL;
	size_t len = strlen(text);

	if (json_object_is_type(object, json_type_object) &&
	    json_object_object_get_ex(object, MESSAGE, &message) &&
	    json_object_is_type(message, json_type_string) &&
	    json_object_get_string_len(message))
		snprintf(text + len, size - len, ": %s", json_object_get_string(message));
	json_object_put(object);
}

/**
 * wp_answer_trouble() - describe why a message was not taken
 * @result: how the request ended, without success
 * @text: set to a line; what it has of the answer is cut, and UTF-8 without controls
 * @size: its room
 */
void wp_answer_trouble(const struct wp_http_result *result, char *text, size_t size)
{
	if (result->trouble) {
		snprintf(text, size, "%s", result->trouble);
		join_lines(text);
	} else {
		snprintf(text, size, "HTTP status %ld", result->status);
		add_message(result, text, size);
		join_lines(text);
		wp_text_clean(text, false);
	}
}

/**
 * wp_answer_retry_after() - read the value of a Retry-After header
 * @value: a number of seconds, or a date as HTTP's are since RFC 1123
 * @now: time of the clock, for a date
 *
 * Return: after how many seconds the receiver wants the message again; 0: it does not say.
 */
__u64 wp_answer_retry_after(const char *value, time_t now)
{
	struct tm tm = { 0 };
	const char *end;
	time_t date;

	while (isspace((unsigned char)*value))
		value++;
	if (isdigit((unsigned char)*value))
		return strtoull(value, NULL, 10);
	end = strptime(value, "%a, %d %b %Y %H:%M:%S GMT", &tm);
	date = end ? timegm(&tm) : 0;
	return date > now ? date - now : 0;
}
