// SPDX-License-Identifier: GPL-2.0
/*
 * Where profiles and metrics are sent, and headers of requests: from a file, since a header
 * may be a secret, which a command line would show to all; and from the variables of the
 * environment that OpenTelemetry's exporters have.
 */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/agent/headers.h"
#include "lib/base/err.h"

#define PATH		"/v1development/profiles"
#define METRICS_PATH	"/v1/metrics"
#define DEFAULT_URL	"http://localhost:4318"

/* Where each form of profiles goes, and the path of it there. */
static const struct {
	const char *url;
	const char *path;
} defaults[WP_SPOOL_KINDS] = {
	[WP_SPOOL_PROFILES] = { DEFAULT_URL, PATH },
	[WP_SPOOL_PYROSCOPE] = { "http://localhost:4040", "/push.v1.PusherService/Push" },
	[WP_SPOOL_PARCA] = { "http://localhost:7070", "/api/profiles/writeraw" },
};

/* Headers, at most, and the size of one. */
#define MAX_HEADERS	64
#define MAX_LINE	8192

/* What a name may have besides letters and digits: RFC 9110. */
#define NAME_CHARS \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$%&'*+-.^_`|~"

/* Takes over @name and @value, which are checked. */
static int add(struct wp_agent_headers *h, const char *name, size_t len, const char *value)
{
	char **more, *line;
	const char *c;

	if (!len || strspn(name, NAME_CHARS) < len)
		return -EINVAL;
	value += strspn(value, " \t");
	for (c = value; *c; c++) {
		if ((unsigned char)*c < 0x20 && *c != '\t')
			return -EINVAL;
	}
	if (!*value || h->nr == MAX_HEADERS)
		return -EINVAL;
	more = reallocarray(h->line, h->nr + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	h->line = more;
	if (asprintf(&line, "%.*s: %s", (int)len, name, value) < 0)
		return -ENOMEM;
	more[h->nr++] = line;
	return 0;
}

static int parse_line(struct wp_agent_headers *h, char *line)
{
	char *colon;

	line += strspn(line, " \t");
	line[strcspn(line, "\r\n")] = 0;
	if (!*line || *line == '#')
		return 0;
	colon = strchr(line, ':');
	return colon ? add(h, line, colon - line, colon + 1) : -EINVAL;
}

/* Reads a line. Returns 1, 0: there is none, or a negative errno. */
static int read_line(FILE *f, char line[MAX_LINE])
{
	size_t len = 0;
	int c;

	while ((c = getc(f)) != EOF && c != '\n') {
		if (!c || len == MAX_LINE - 1)
			return -EINVAL;
		line[len++] = c;
	}
	line[len] = 0;
	if (c == EOF && ferror(f))
		return -errno;
	return c == '\n' || len;
}

/**
 * wp_agent_headers_file() - read headers from a file
 * @h: they are added
 * @path: the file: a header in each line; empty lines and those from "#" on are skipped
 *
 * Return: 0 or a negative errno; a message was printed, without what the file has.
 */
int wp_agent_headers_file(struct wp_agent_headers *h, const char *path)
{
	FILE *f = fopen(path, "re");
	char line[MAX_LINE];
	unsigned int nr = 0;
	int err, more;

	if (!f) {
		err = -errno;
		wp_err("--header-file: %s: %s", path, strerror(-err));
		return err;
	}
	do {
		nr++;
		more = read_line(f, line);
		err = more > 0 ? parse_line(h, line) : more;
	} while (more && !err);
	fclose(f);
	if (err == -EINVAL)
		wp_err("--header-file: %s:%u: this is not a header, as in 'Authorization: Bearer 1234'",
		       path, nr);
	else if (err)
		wp_err("--header-file: %s: %s", path, strerror(-err));
	return err;
}

/* In place: %2C is a comma. */
static void unescape(char *s)
{
	unsigned int c;
	char *to = s;

	for (; *s; s++) {
		if (*s == '%' && isxdigit((unsigned char)s[1]) && isxdigit((unsigned char)s[2]) &&
		    sscanf(s + 1, "%2x", &c) == 1 && c) {
			*to++ = c;
			s += 2;
		} else {
			*to++ = *s;
		}
	}
	*to = 0;
}

/**
 * wp_agent_headers_environment() - read headers from the environment
 * @h: they are added
 * @name: the variable of what is sent, OTEL_EXPORTER_OTLP_PROFILES_HEADERS for instance, whose
 *	value is "name=value,name=value"; without it OTEL_EXPORTER_OTLP_HEADERS is read
 *
 * Return: 0 or a negative errno; a message was printed, without the value.
 */
int wp_agent_headers_environment(struct wp_agent_headers *h, const char *name)
{
	const char *list = getenv(name);
	char *copy, *at, *one;
	int err;

	if (!list || !*list) {
		name = "OTEL_EXPORTER_OTLP_HEADERS";
		list = getenv(name);
	}
	if (!list)
		return 0;
	copy = strdup(list);
	at = copy;
	err = copy ? 0 : -ENOMEM;

	while (!err && (one = strsep(&at, ","))) {
		char *equals;

		one += strspn(one, " ");
		if (!*one)
			continue;
		equals = strchr(one, '=');
		err = equals ? 0 : -EINVAL;
		if (equals) {
			unescape(equals + 1);
			err = add(h, one, equals - one, equals + 1);
		}
	}
	free(copy);
	if (err)
		wp_err("%s: %s", name, err == -EINVAL ?
		       "not as in 'name=value,name=value'" : strerror(-err));
	return err;
}

/**
 * wp_agent_headers_copy() - add headers to others
 * @to: they are added
 * @from: the headers
 *
 * Return: 0 or -ENOMEM.
 */
int wp_agent_headers_copy(struct wp_agent_headers *to, const struct wp_agent_headers *from)
{
	char **more = reallocarray(to->line, to->nr + from->nr, sizeof(*more));
	size_t i;

	if (!from->nr)
		return 0;
	if (!more)
		return -ENOMEM;
	to->line = more;
	for (i = 0; i < from->nr; i++) {
		more[to->nr] = strdup(from->line[i]);
		if (!more[to->nr])
			return -ENOMEM;
		to->nr++;
	}
	return 0;
}

/**
 * wp_agent_headers_free() - free headers
 * @h: the headers
 */
void wp_agent_headers_free(struct wp_agent_headers *h)
{
	while (h->nr)
		free(h->line[--h->nr]);
	free(h->line);
	memset(h, 0, sizeof(*h));
}

/* What is between a user and a path: an address in brackets is one of IPv6. */
static bool is_host(const char *host, const char *end)
{
	const char *port = host;

	if (*host == '[') {
		port = memchr(host, ']', end - host);
		if (!port || (port[1] != ':' && port + 1 != end))
			return false;
	}
	port = memchr(port, ':', end - port);
	if (!port)
		return true;
	return port > host && port[1] != '0' && port + 6 >= end && port + 1 < end &&
	       strspn(port + 1, "0123456789") == (size_t)(end - port - 1) &&
	       strtoul(port + 1, NULL, 10) <= 65535;
}

static bool is_url(const char *url)
{
	const char *c, *host, *end, *user;

	if (strncmp(url, "http://", 7) && strncmp(url, "https://", 8))
		return false;
	for (c = url; *c; c++) {
		if ((unsigned char)*c <= 0x20 || *c == 0x7f)
			return false;
	}
	host = strstr(url, "//") + 2;
	end = host + strcspn(host, "/?#");
	user = memrchr(host, '@', end - host);
	if (user)
		host = user + 1;
	return host < end && is_host(host, end);
}

/* Whether something follows the host. */
static bool has_path(const char *url)
{
	const char *end = strpbrk(strstr(url, "//") + 2, "/?#");

	return end && (*end != '/' || end[1]);
}

/**
 * wp_agent_url() - where profiles are sent
 * @to: --to, or NULL: what the environment has, which is for OTLP only
 * @profiles: their form
 *
 * Without a path, that of the form is added, except to that of the variable for profiles.
 *
 * Return: the URL, to be freed; NULL: a message was printed.
 */
char *wp_agent_url(const char *to, enum wp_spool_kind profiles)
{
	const bool otlp = profiles == WP_SPOOL_PROFILES;
	const char *exact = otlp ? getenv("OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT") : NULL;
	const char *base = otlp ? getenv("OTEL_EXPORTER_OTLP_ENDPOINT") : NULL;
	const char *from = to ? "--to" : "OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT";
	bool add_path = false;
	size_t len;
	char *url;

	if (!to && exact && *exact) {
		to = exact;
	} else if (!to) {
		from = "OTEL_EXPORTER_OTLP_ENDPOINT";
		to = base && *base ? base : defaults[profiles].url;
		add_path = true;
	} else {
		add_path = is_url(to) && !has_path(to);
	}
	if (!is_url(to)) {
		wp_err("%s: '%s' is no URL, as in http://localhost:4318", from, to);
		return NULL;
	}
	len = strlen(to);
	if (add_path && to[len - 1] == '/')
		len--;
	if (asprintf(&url, "%.*s%s", (int)len, to, add_path ? defaults[profiles].path : "") < 0) {
		wp_no_memory("the URL");
		return NULL;
	}
	return url;
}

/* The URL that a path of metrics is added to; NULL: --to has another path. */
static const char *metrics_base(const char *to, const char **from, size_t *len)
{
	const char *base = getenv("OTEL_EXPORTER_OTLP_ENDPOINT");

	*from = to ? "--to" : "OTEL_EXPORTER_OTLP_ENDPOINT";
	if (!to)
		to = base && *base ? base : DEFAULT_URL;
	*len = strlen(to);
	if (!strcmp(*from, "--to") && is_url(to) && has_path(to)) {
		if (*len < strlen(PATH) || strcmp(to + *len - strlen(PATH), PATH))
			return NULL;
		*len -= strlen(PATH);
	}
	if (*len && to[*len - 1] == '/')
		--*len;
	return to;
}

/**
 * wp_agent_metrics_url() - where metrics are sent
 * @to: --to, or NULL: what the environment has
 * @profiles: the form of profiles
 * @url: set to the URL, to be freed; NULL: it is not known
 *
 * That is what the variable for metrics has, or the receiver of profiles with another path,
 * if it takes OTLP.
 *
 * Return: 0 or a negative errno; a message was printed, except if the path of @to does not
 * show where metrics go.
 */
int wp_agent_metrics_url(const char *to, enum wp_spool_kind profiles, char **url)
{
	const char *exact = getenv("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT");
	const char *from = "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", *path = "";
	size_t len;

	*url = NULL;
	if (exact && !*exact)
		exact = NULL;
	if (!exact && profiles != WP_SPOOL_PROFILES)
		return 0;
	if (exact) {
		to = exact;
		len = strlen(exact);
	} else {
		to = metrics_base(to, &from, &len);
		path = METRICS_PATH;
	}
	if (!to)
		return 0;
	if (!is_url(to)) {
		wp_err("%s: '%s' is no URL, as in http://localhost:4318", from, to);
		return -EINVAL;
	}
	if (asprintf(url, "%.*s%s", (int)len, to, path) < 0) {
		*url = NULL;
		return wp_no_memory("the URL");
	}
	return 0;
}

/**
 * wp_agent_shown() - a URL for messages
 * @url: from wp_agent_url()
 *
 * Return: it without a user and a password, to be freed; NULL: no memory.
 */
char *wp_agent_shown(const char *url)
{
	const char *host = strstr(url, "//") + 2;
	const char *end = strpbrk(host, "/?#");
	const char *at = memrchr(host, '@', end ? (size_t)(end - host) : strlen(host));
	char *shown;

	if (asprintf(&shown, "%.*s%s", (int)(host - url), url, at ? at + 1 : host) < 0)
		return NULL;
	return shown;
}
