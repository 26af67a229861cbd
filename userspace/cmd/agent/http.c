// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the requests of the process that sends: by libcurl, one at a time, over a
 * connection that is kept. Only this process needs the library, so it is loaded here: no
 * other command starts slower for it, or needs it.
 */
/* What replaces options of libcurl 7.61, which EL8 has, is not there. */
#define CURL_DISABLE_DEPRECATION
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/agent/http.h"
#include "lib/base/hostlibs.h"

#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

#define CONNECT_MS	10000

/**
 * struct curl - functions of libcurl, as curl.h declares them
 * @library: the library
 *
 * The rest is named after them.
 */
struct curl {
	void *library;
	typeof(curl_global_init) *global_init;
	typeof(curl_easy_init) *easy_init;
	typeof(curl_easy_cleanup) *easy_cleanup;
	typeof(curl_easy_setopt) *easy_setopt;
	typeof(curl_easy_getinfo) *easy_getinfo;
	typeof(curl_easy_strerror) *easy_strerror;
	typeof(curl_slist_append) *slist_append;
	typeof(curl_slist_free_all) *slist_free_all;
	typeof(curl_multi_init) *multi_init;
	typeof(curl_multi_cleanup) *multi_cleanup;
	typeof(curl_multi_add_handle) *multi_add_handle;
	typeof(curl_multi_remove_handle) *multi_remove_handle;
	typeof(curl_multi_perform) *multi_perform;
	typeof(curl_multi_wait) *multi_wait;
	typeof(curl_multi_info_read) *multi_info_read;
};

static const struct {
	const char *name;
	size_t at;
} functions[] = {
	{ "curl_global_init", offsetof(struct curl, global_init) },
	{ "curl_easy_init", offsetof(struct curl, easy_init) },
	{ "curl_easy_cleanup", offsetof(struct curl, easy_cleanup) },
	{ "curl_easy_setopt", offsetof(struct curl, easy_setopt) },
	{ "curl_easy_getinfo", offsetof(struct curl, easy_getinfo) },
	{ "curl_easy_strerror", offsetof(struct curl, easy_strerror) },
	{ "curl_slist_append", offsetof(struct curl, slist_append) },
	{ "curl_slist_free_all", offsetof(struct curl, slist_free_all) },
	{ "curl_multi_init", offsetof(struct curl, multi_init) },
	{ "curl_multi_cleanup", offsetof(struct curl, multi_cleanup) },
	{ "curl_multi_add_handle", offsetof(struct curl, multi_add_handle) },
	{ "curl_multi_remove_handle", offsetof(struct curl, multi_remove_handle) },
	{ "curl_multi_perform", offsetof(struct curl, multi_perform) },
	{ "curl_multi_wait", offsetof(struct curl, multi_wait) },
	{ "curl_multi_info_read", offsetof(struct curl, multi_info_read) },
};

/**
 * struct wp_http - requests to one receiver
 * @curl: the library
 * @easy: the request
 * @multi: what carries it out
 * @headers: its headers, by what is sent: enum wp_spool_kind
 * @busy: it is under way
 * @answer: the first part of the answer
 * @size: bytes of it
 * @retry_after: of the answer
 * @error: libcurl's description of a failure
 */
struct wp_http {
	struct curl curl;
	CURL *easy;
	CURLM *multi;
	struct curl_slist *headers[WP_SPOOL_KINDS];
	bool busy;
	unsigned char answer[WP_HTTP_ANSWER];
	size_t size;
	__u64 retry_after;
	char error[CURL_ERROR_SIZE];
};

static bool load(struct curl *curl)
{
	/* Debian's has GnuTLS in one of the two names, as the other one has OpenSSL. */
	static const char *const sonames[] = { "libcurl-gnutls.so.4", "libcurl.so.4" };
	size_t i;

	for (i = 0; i < sizeof(sonames) / sizeof(sonames[0]) && !curl->library; i++)
		curl->library = wp_hostlibs_open(sonames[i]);
	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *at = curl->library ? dlsym(curl->library, functions[i].name) : NULL;

		if (!at)
			return false;
		memcpy((char *)curl + functions[i].at, &at, sizeof(at));
	}
	return true;
}

static size_t take_answer(char *data, size_t size, size_t nr, void *ctx)
{
	struct wp_http *h = ctx;
	size_t take = size * nr;

	if (take > sizeof(h->answer) - h->size)
		take = sizeof(h->answer) - h->size;
	memcpy(h->answer + h->size, data, take);
	h->size += take;
	/* That it is less than there was ends the request. */
	return take;
}

/* Retry-After with a number of seconds; a date is not understood, which means 0. */
static size_t take_header(char *data, size_t size, size_t nr, void *ctx)
{
	static const char name[] = "retry-after:";
	struct wp_http *h = ctx;
	char line[64];
	size_t len = size * nr;

	if (len >= sizeof(line) || len < sizeof(name))
		return len;
	memcpy(line, data, len);
	line[len] = 0;
	if (!strncasecmp(line, name, sizeof(name) - 1))
		h->retry_after = strtoul(line + sizeof(name) - 1, NULL, 10);
	return len;
}

static bool add_header(struct wp_http *h, enum wp_spool_kind kind, const char *line)
{
	struct curl_slist *more = h->curl.slist_append(h->headers[kind], line);

	if (more)
		h->headers[kind] = more;
	return more;
}

static bool add_headers(struct wp_http *h, enum wp_spool_kind kind,
			const struct wp_outbox_options *o)
{
	char type[64];
	size_t i;

	snprintf(type, sizeof(type), "Content-Type: %s", wp_outbox_kinds[kind].type);
	/* Without the last one a large message waits for an answer before it is sent. */
	if (!add_header(h, kind, type) || !add_header(h, kind, "Expect:") ||
	    (wp_outbox_kinds[kind].compressed && !add_header(h, kind, "Content-Encoding: gzip")) ||
	    (kind == WP_SPOOL_PYROSCOPE && !add_header(h, kind, "Connect-Protocol-Version: 1")))
		return false;
	for (i = 0; i < o->nr_headers[kind]; i++) {
		if (!add_header(h, kind, o->header[kind][i]))
			return false;
	}
	return true;
}

static bool set_up(struct wp_http *h, const struct wp_outbox_options *o)
{
	typeof(h->curl.easy_setopt) set = h->curl.easy_setopt;
	const long protocols = CURLPROTO_HTTP | CURLPROTO_HTTPS;

	return !set(h->easy, CURLOPT_URL, o->url) &&
	       !set(h->easy, CURLOPT_PROTOCOLS, protocols) &&
	       !set(h->easy, CURLOPT_POST, 1L) &&
	       !set(h->easy, CURLOPT_USERAGENT, "wallprof/" WP_VERSION) &&
	       !set(h->easy, CURLOPT_NOSIGNAL, 1L) &&
	       !set(h->easy, CURLOPT_TIMEOUT_MS, (long)o->timeout_ms) &&
	       !set(h->easy, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS) &&
	       !set(h->easy, CURLOPT_WRITEFUNCTION, take_answer) &&
	       !set(h->easy, CURLOPT_WRITEDATA, h) &&
	       !set(h->easy, CURLOPT_HEADERFUNCTION, take_header) &&
	       !set(h->easy, CURLOPT_HEADERDATA, h) &&
	       !set(h->easy, CURLOPT_ERRORBUFFER, h->error) &&
	       (!o->ca || !set(h->easy, CURLOPT_CAINFO, o->ca));
}

/**
 * wp_http_new() - prepare requests
 * @out: set to them
 * @o: where to, and how; must stay valid
 * @trouble: set to what is wrong
 *
 * Return: 0 or a negative errno.
 */
int wp_http_new(struct wp_http **out, const struct wp_outbox_options *o, const char **trouble)
{
	struct wp_http *h = calloc(1, sizeof(*h));
	bool good = true;
	unsigned int i;

	*trouble = "out of memory";
	if (!h)
		return -ENOMEM;
	if (!load(&h->curl)) {
		*trouble = WP_IS_STATIC ? "the static build has no libcurl: use the package" :
			"no libcurl: install the package libcurl3-gnutls (elsewhere libcurl)";
		free(h);
		return -ENOENT;
	}
	if (!h->curl.global_init(CURL_GLOBAL_DEFAULT)) {
		h->easy = h->curl.easy_init();
		h->multi = h->curl.multi_init();
	}
	for (i = 0; i < WP_SPOOL_KINDS && h->easy && h->multi; i++)
		good &= add_headers(h, i, o);
	if (!h->easy || !h->multi || !good) {
		wp_http_free(h);
		return -ENOMEM;
	}
	if (!set_up(h, o)) {
		*trouble = "libcurl does not take this address, or has no TLS";
		wp_http_free(h);
		return -EINVAL;
	}
	*out = h;
	return 0;
}

/**
 * wp_http_post() - begin a request; none is under way
 * @h: the requests
 * @kind: what is sent: its headers
 * @url: where to
 * @data: what is sent; stays valid until the request has ended
 * @size: its size
 *
 * Return: 0 or -EIO.
 */
int wp_http_post(struct wp_http *h, enum wp_spool_kind kind, const char *url, const void *data,
		 size_t size)
{
	h->size = 0;
	h->retry_after = 0;
	h->error[0] = 0;
	if (h->curl.easy_setopt(h->easy, CURLOPT_URL, url) ||
	    h->curl.easy_setopt(h->easy, CURLOPT_HTTPHEADER, h->headers[kind]) ||
	    h->curl.easy_setopt(h->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)size) ||
	    h->curl.easy_setopt(h->easy, CURLOPT_POSTFIELDS, data) ||
	    h->curl.multi_add_handle(h->multi, h->easy))
		return -EIO;
	h->busy = true;
	return 0;
}

static void end(struct wp_http *h, CURLcode err, struct wp_http_result *result)
{
	*result = (struct wp_http_result){ .done = true };
	h->curl.easy_getinfo(h->easy, CURLINFO_RESPONSE_CODE, &result->status);
	/* Once there is a status, how the answer ends is of no interest. */
	if (err && result->status < 200) {
		result->status = 0;
		result->trouble = h->error[0] ? h->error : h->curl.easy_strerror(err);
	}
	result->retry_after = h->retry_after;
	result->answer = h->answer;
	result->size = h->size;
	h->curl.multi_remove_handle(h->multi, h->easy);
	h->busy = false;
}

/**
 * wp_http_wait() - go on with a request, and wait
 * @h: the requests, one of which is under way
 * @fd: descriptor whose input ends the wait, too
 * @ms: how long to wait at most
 * @result: set to how the request ended, or that it has not
 *
 * Return: 0 or -EIO.
 */
int wp_http_wait(struct wp_http *h, int fd, unsigned int ms, struct wp_http_result *result)
{
	struct curl_waitfd more = { .fd = fd, .events = CURL_WAIT_POLLIN };
	int running, left;
	CURLMsg *msg;

	result->done = false;
	if (h->curl.multi_perform(h->multi, &running))
		return -EIO;
	if (running && h->curl.multi_wait(h->multi, &more, 1, ms, NULL))
		return -EIO;
	if (running && h->curl.multi_perform(h->multi, &running))
		return -EIO;
	while ((msg = h->curl.multi_info_read(h->multi, &left))) {
		if (msg->msg != CURLMSG_DONE)
			continue;
		end(h, msg->data.result, result);
		break;
	}
	return 0;
}

/**
 * wp_http_free() - end requests
 * @h: from wp_http_new()
 */
void wp_http_free(struct wp_http *h)
{
	unsigned int i;

	if (h->easy && h->multi && h->busy)
		h->curl.multi_remove_handle(h->multi, h->easy);
	if (h->multi)
		h->curl.multi_cleanup(h->multi);
	if (h->easy)
		h->curl.easy_cleanup(h->easy);
	for (i = 0; i < WP_SPOOL_KINDS; i++)
		h->curl.slist_free_all(h->headers[i]);
	free(h);
}
