// SPDX-License-Identifier: GPL-2.0
/*
 * What a receiver's answer says: that it took a message in part, and why it did not. The
 * answer is untrusted, and any bytes. Called by sender.c.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cmd/agent/answer.h"
#include "lib/base/text.h"
#include "otlp-metrics.pb-c.h"
#include "otlp-profiles.pb-c.h"

/* The key of what both Connect and gRPC's gateway have of an error, as JSON. */
#define MESSAGE	"\"message\""

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

static const unsigned char *skip_blanks(const unsigned char *at, const unsigned char *end)
{
	while (at < end && isspace(*at))
		at++;
	return at;
}

/* The text of an error's JSON object, behind its first quote; NULL: it has none. */
static const unsigned char *find_message(const unsigned char *at, const unsigned char *end)
{
	at = skip_blanks(at, end);
	if (at == end || *at != '{')
		return NULL;
	at = memmem(at, end - at, MESSAGE, strlen(MESSAGE));
	if (!at)
		return NULL;
	at = skip_blanks(at + strlen(MESSAGE), end);
	if (at == end || *at != ':')
		return NULL;
	at = skip_blanks(at + 1, end);
	return at < end && *at == '"' ? at + 1 : NULL;
}

/* Characters by number are not of interest in an error: "?". Returns how many bytes it has. */
static size_t unescape(const unsigned char *at, const unsigned char *end, char *to)
{
	if (*at != '\\' || at + 1 == end) {
		*to = *at;
		return 1;
	}
	*to = at[1] == 'u' ? '?' : strchr("bfnrt", at[1]) ? ' ' : at[1];
	if (at[1] != 'u')
		return 2;
	return end - at < 6 ? (size_t)(end - at) : 6;
}

static void add_message(const struct wp_http_result *result, char *text, size_t size)
{
	const unsigned char *end = result->answer + result->size, *at;
	size_t len = strlen(text);

	at = result->size ? find_message(result->answer, end) : NULL;
	if (!at || at == end || *at == '"' || len + 4 > size)
		return;
	text[len++] = ':';
	text[len++] = ' ';
	while (at < end && *at != '"' && len + 1 < size)
		at += unescape(at, end, &text[len++]);
	text[len] = 0;
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
	} else {
		snprintf(text, size, "HTTP status %ld", result->status);
		add_message(result, text, size);
		wp_text_clean(text, false);
	}
	join_lines(text);
}
