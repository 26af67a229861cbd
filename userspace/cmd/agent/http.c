// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the requests of the process that sends: by libcurl, one at a time of each kind of
 * message, over connections that are kept. Only this process needs the library, so it is
 * loaded here: no other command starts slower for it, or needs it.
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
 * struct request - of one kind of message
 * @easy: libcurl's handle of it
 * @headers: its headers
 * @busy: it is under way
 * @answer: the first part of the answer
 * @size: bytes of it
 * @retry_after: value of that header of the answer
 * @error: libcurl's description of a failure
 */
struct request {
	CURL *easy;
	struct curl_slist *headers;
	bool busy;
	unsigned char answer[WP_HTTP_ANSWER];
	size_t size;
	char retry_after[64];
	char error[CURL_ERROR_SIZE];
};

/**
 * struct wp_http - requests
 * @curl: the library
 * @multi: what carries them out
 * @of: by what is sent: enum wp_spool_kind
 * @failed: the library cannot go on with those that are under way
 */
struct wp_http {
	struct curl curl;
	CURLM *multi;
	struct request of[WP_SPOOL_KINDS];
	bool failed;
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
	struct request *r = ctx;
	size_t take = size * nr;

	if (take > sizeof(r->answer) - r->size)
		take = sizeof(r->answer) - r->size;
	memcpy(r->answer + r->size, data, take);
	r->size += take;
	/* That it is less than there was ends the request. */
	return take;
}

static size_t take_header(char *data, size_t size, size_t nr, void *ctx)
{
	static const char name[] = "retry-after:";
	struct request *r = ctx;
	size_t len = size * nr, skip = sizeof(name) - 1;

	if (len < skip || len - skip >= sizeof(r->retry_after) || strncasecmp(data, name, skip))
		return len;
	memcpy(r->retry_after, data + skip, len - skip);
	r->retry_after[len - skip] = 0;
	return len;
}

static bool add_header(struct wp_http *h, enum wp_spool_kind kind, const char *line)
{
	struct curl_slist *more = h->curl.slist_append(h->of[kind].headers, line);

	if (more)
		h->of[kind].headers = more;
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

static bool set_up(struct wp_http *h, struct request *r, const struct wp_outbox_options *o)
{
	typeof(h->curl.easy_setopt) set = h->curl.easy_setopt;
	const long protocols = CURLPROTO_HTTP | CURLPROTO_HTTPS;

	return !set(r->easy, CURLOPT_URL, o->url) &&
	       !set(r->easy, CURLOPT_PROTOCOLS, protocols) &&
	       !set(r->easy, CURLOPT_POST, 1L) &&
	       !set(r->easy, CURLOPT_USERAGENT, "wallprof/" WP_VERSION) &&
	       !set(r->easy, CURLOPT_NOSIGNAL, 1L) &&
	       !set(r->easy, CURLOPT_TIMEOUT_MS, (long)o->timeout_ms) &&
	       !set(r->easy, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS) &&
	       !set(r->easy, CURLOPT_WRITEFUNCTION, take_answer) &&
	       !set(r->easy, CURLOPT_WRITEDATA, r) &&
	       !set(r->easy, CURLOPT_HEADERFUNCTION, take_header) &&
	       !set(r->easy, CURLOPT_HEADERDATA, r) &&
	       !set(r->easy, CURLOPT_ERRORBUFFER, r->error) &&
	       !set(r->easy, CURLOPT_HTTPHEADER, r->headers) &&
	       (!o->ca || !set(r->easy, CURLOPT_CAINFO, o->ca));
}

/* A request of a kind. Returns 0 or a negative errno. */
static int prepare(struct wp_http *h, enum wp_spool_kind kind, const struct wp_outbox_options *o)
{
	struct request *r = &h->of[kind];

	r->easy = h->curl.easy_init();
	if (!r->easy || !add_headers(h, kind, o))
		return -ENOMEM;
	return set_up(h, r, o) ? 0 : -EINVAL;
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
	unsigned int i;
	int err;

	*trouble = "out of memory";
	if (!h)
		return -ENOMEM;
	if (!load(&h->curl)) {
		*trouble = WP_IS_STATIC ? "the static build has no libcurl: use the package" :
			"no libcurl: install the package libcurl3-gnutls (elsewhere libcurl)";
		free(h);
		return -ENOENT;
	}
	if (!h->curl.global_init(CURL_GLOBAL_DEFAULT))
		h->multi = h->curl.multi_init();
	err = h->multi ? 0 : -ENOMEM;
	for (i = 0; i < WP_SPOOL_KINDS && !err; i++)
		err = prepare(h, i, o);
	if (err) {
		if (err == -EINVAL)
			*trouble = "libcurl does not take this address, or has no TLS";
		wp_http_free(h);
		return err;
	}
	*out = h;
	return 0;
}

/**
 * wp_http_post() - begin a request; none of this kind is under way
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
	struct request *r = &h->of[kind];

	r->size = 0;
	r->retry_after[0] = 0;
	r->error[0] = 0;
	if (h->curl.easy_setopt(r->easy, CURLOPT_URL, url) ||
	    h->curl.easy_setopt(r->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)size) ||
	    h->curl.easy_setopt(r->easy, CURLOPT_POSTFIELDS, data) ||
	    h->curl.multi_add_handle(h->multi, r->easy))
		return -EIO;
	r->busy = true;
	return 0;
}

static void end(struct wp_http *h, struct request *r, const char *trouble,
		struct wp_http_result *result)
{
	*result = (struct wp_http_result){ .kind = r - h->of };
	h->curl.easy_getinfo(r->easy, CURLINFO_RESPONSE_CODE, &result->status);
	/* Once there is a status, how the answer ends is of no interest. */
	if (trouble && result->status < 200) {
		result->status = 0;
		result->trouble = r->error[0] ? r->error : trouble;
	}
	result->retry_after = r->retry_after;
	result->answer = r->answer;
	result->size = r->size;
	h->curl.multi_remove_handle(h->multi, r->easy);
	r->busy = false;
}

static bool go_on(struct wp_http *h, int fd, unsigned int ms)
{
	struct curl_waitfd more = { .fd = fd, .events = CURL_WAIT_POLLIN };
	int running;

	return !h->curl.multi_perform(h->multi, &running) &&
	       (!running || (!h->curl.multi_wait(h->multi, &more, 1, ms, NULL) &&
			     !h->curl.multi_perform(h->multi, &running)));
}

/**
 * wp_http_wait() - go on with the requests, and wait until one may have ended
 * @h: the requests, one of which at least is under way
 * @fd: descriptor whose input ends the wait, too
 * @ms: how long to wait at most
 */
void wp_http_wait(struct wp_http *h, int fd, unsigned int ms)
{
	h->failed = !go_on(h, fd, ms);
}

/**
 * wp_http_ended() - take a request that has ended; called after each wait until there is none
 * @h: the requests
 * @result: set to how it ended; valid until there is another one of its kind
 *
 * Return: false if there is none.
 */
bool wp_http_ended(struct wp_http *h, struct wp_http_result *result)
{
	unsigned int i;
	CURLMsg *msg;
	int left;

	while (!h->failed && (msg = h->curl.multi_info_read(h->multi, &left))) {
		CURLcode err = msg->data.result;

		for (i = 0; i < WP_SPOOL_KINDS; i++) {
			if (msg->msg != CURLMSG_DONE || h->of[i].easy != msg->easy_handle)
				continue;
			end(h, &h->of[i], err ? h->curl.easy_strerror(err) : NULL, result);
			return true;
		}
	}
	for (i = 0; h->failed && i < WP_SPOOL_KINDS; i++) {
		if (!h->of[i].busy)
			continue;
		end(h, &h->of[i], "libcurl failed", result);
		return true;
	}
	return false;
}

/**
 * wp_http_free() - end requests
 * @h: from wp_http_new()
 */
void wp_http_free(struct wp_http *h)
{
	unsigned int i;

	for (i = 0; i < WP_SPOOL_KINDS; i++) {
		if (h->of[i].busy)
			h->curl.multi_remove_handle(h->multi, h->of[i].easy);
		if (h->of[i].easy)
			h->curl.easy_cleanup(h->of[i].easy);
		h->curl.slist_free_all(h->of[i].headers);
	}
	if (h->multi)
		h->curl.multi_cleanup(h->multi);
	free(h);
}
