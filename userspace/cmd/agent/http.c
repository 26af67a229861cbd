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

/* Functions of libcurl that are used, as curl.h declares them. */
#define FUNCTIONS(F) \
	F(curl_global_init) F(curl_easy_init) F(curl_easy_cleanup) F(curl_easy_setopt) \
	F(curl_easy_getinfo) F(curl_easy_strerror) F(curl_slist_append) F(curl_slist_free_all) \
	F(curl_multi_init) F(curl_multi_cleanup) F(curl_multi_add_handle) \
	F(curl_multi_remove_handle) F(curl_multi_perform) F(curl_multi_wait) \
	F(curl_multi_info_read)

/**
 * struct wp_http - requests to one receiver
 * @library: libcurl
 * @curl_global_init: its functions from here on
 * @easy: the request
 * @multi: what carries it out
 * @headers: its headers
 * @busy: it is under way
 * @answer: begin of the answer
 * @size: bytes of it
 * @retry_after: of the answer
 * @error: libcurl's description of a failure
 */
struct wp_http {
	void *library;
#define MEMBER(name) typeof(&name) name;
	FUNCTIONS(MEMBER)
	CURL *easy;
	CURLM *multi;
	struct curl_slist *headers;
	bool busy;
	unsigned char answer[WP_HTTP_ANSWER];
	size_t size;
	__u64 retry_after;
	char error[CURL_ERROR_SIZE];
};

static bool load(struct wp_http *h)
{
	/* Debian's has GnuTLS in one of the two names, as the other one has OpenSSL. */
	static const char *const sonames[] = { "libcurl-gnutls.so.4", "libcurl.so.4" };
	size_t i;

	for (i = 0; i < sizeof(sonames) / sizeof(sonames[0]) && !h->library; i++)
		h->library = wp_hostlibs_open(sonames[i]);
	if (!h->library)
		return false;
#define LOAD(name) h->name = (typeof(h->name))dlsym(h->library, #name);
	FUNCTIONS(LOAD)
#define IS_THERE(name) && h->name
	return true FUNCTIONS(IS_THERE);
}

static size_t take_answer(char *data, size_t size, size_t nr, void *ctx)
{
	struct wp_http *h = ctx;
	size_t take = size * nr;

	if (take > sizeof(h->answer) - h->size)
		take = sizeof(h->answer) - h->size;
	memcpy(h->answer + h->size, data, take);
	h->size += take;
	/* The rest is read, and dropped. */
	return size * nr;
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

static bool add_header(struct wp_http *h, const char *line)
{
	struct curl_slist *more = h->curl_slist_append(h->headers, line);

	if (more)
		h->headers = more;
	return more;
}

static bool add_headers(struct wp_http *h, const struct wp_outbox_options *o)
{
	/* Without the last one a large message waits for an answer before it is sent. */
	static const char *const ours[] = {
		"Content-Type: application/x-protobuf", "Content-Encoding: gzip", "Expect:",
	};
	size_t i;

	for (i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
		if (!add_header(h, ours[i]))
			return false;
	}
	for (i = 0; i < o->nr_headers; i++) {
		if (!add_header(h, o->header[i]))
			return false;
	}
	return true;
}

static bool set_up(struct wp_http *h, const struct wp_outbox_options *o)
{
	CURLcode err = CURLE_OK;

#define SET(option, value) do { \
		if (!err) \
			err = h->curl_easy_setopt(h->easy, option, value); \
	} while (0)
	SET(CURLOPT_URL, o->url);
	SET(CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
	SET(CURLOPT_POST, 1L);
	SET(CURLOPT_HTTPHEADER, h->headers);
	SET(CURLOPT_USERAGENT, "wallprof/" WP_VERSION);
	SET(CURLOPT_NOSIGNAL, 1L);
	SET(CURLOPT_TIMEOUT_MS, (long)o->timeout_ms);
	SET(CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
	SET(CURLOPT_WRITEFUNCTION, take_answer);
	SET(CURLOPT_WRITEDATA, h);
	SET(CURLOPT_HEADERFUNCTION, take_header);
	SET(CURLOPT_HEADERDATA, h);
	SET(CURLOPT_ERRORBUFFER, h->error);
	if (o->ca)
		SET(CURLOPT_CAINFO, o->ca);
#undef SET
	return !err;
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

	*trouble = "out of memory";
	if (!h)
		return -ENOMEM;
	if (!load(h)) {
		*trouble = "libcurl cannot be loaded: install the package libcurl3-gnutls (libcurl elsewhere)";
		free(h);
		return -ENOENT;
	}
	if (!h->curl_global_init(CURL_GLOBAL_DEFAULT)) {
		h->easy = h->curl_easy_init();
		h->multi = h->curl_multi_init();
	}
	if (!h->easy || !h->multi || !add_headers(h, o)) {
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
 * @data: what is sent; stays valid until the request has ended
 * @size: its size
 *
 * Return: 0 or -EIO.
 */
int wp_http_post(struct wp_http *h, const void *data, size_t size)
{
	h->size = 0;
	h->retry_after = 0;
	h->error[0] = 0;
	if (h->curl_easy_setopt(h->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)size) ||
	    h->curl_easy_setopt(h->easy, CURLOPT_POSTFIELDS, data) ||
	    h->curl_multi_add_handle(h->multi, h->easy))
		return -EIO;
	h->busy = true;
	return 0;
}

static void end(struct wp_http *h, CURLcode err, struct wp_http_result *result)
{
	*result = (struct wp_http_result){ .done = true };
	if (err)
		result->trouble = h->error[0] ? h->error : h->curl_easy_strerror(err);
	else
		h->curl_easy_getinfo(h->easy, CURLINFO_RESPONSE_CODE, &result->status);
	result->retry_after = h->retry_after;
	result->answer = h->answer;
	result->size = h->size;
	h->curl_multi_remove_handle(h->multi, h->easy);
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
	if (h->curl_multi_perform(h->multi, &running))
		return -EIO;
	if (running && h->curl_multi_wait(h->multi, &more, 1, ms, NULL))
		return -EIO;
	if (running && h->curl_multi_perform(h->multi, &running))
		return -EIO;
	while ((msg = h->curl_multi_info_read(h->multi, &left))) {
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
	if (h->easy && h->multi && h->busy)
		h->curl_multi_remove_handle(h->multi, h->easy);
	if (h->multi)
		h->curl_multi_cleanup(h->multi);
	if (h->easy)
		h->curl_easy_cleanup(h->easy);
	h->curl_slist_free_all(h->headers);
	free(h);
}
