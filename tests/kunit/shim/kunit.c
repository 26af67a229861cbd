// SPDX-License-Identifier: GPL-2.0
/*
 * tests/kunit/shim: one KUnit case: its expectations and resources.
 */
#include <kunit/resource.h>
#include <kunit/test.h>

#include <stdarg.h>
#include <stdlib.h>

#define SHOWN 10	/* failed expectations of a case that are printed */

static unsigned int failures;

void kunit_init_test(struct kunit *test, const char *name, char *log)
{
	(void)log;
	test->name = name;
	test->status = KUNIT_SUCCESS;
	test->resources = NULL;
	test->abort = NULL;
	failures = 0;
}

void shim_kunit_failed(struct kunit *test, bool fatal, const char *file, int line,
		       const char *text, const char *values, const char *fmt, ...)
{
	va_list ap;

	test->status = KUNIT_FAILURE;
	if (failures++ < SHOWN) {
		printf("    # %s: %s FAILED at %s:%d\n        Expected %s", test->name,
		       fatal ? "ASSERTION" : "EXPECTATION", file, line, text);
		printf(*values ? ", but they are %s\n        " : "%s\n        ", values);
		va_start(ap, fmt);
		vprintf(fmt, ap);
		va_end(ap);
		putchar('\n');
	}
	if (!fatal)
		return;
	if (!test->abort)
		abort();
	longjmp(*test->abort, 1);
}

static void release(struct kunit_resource **at)
{
	struct kunit_resource *res = *at;

	*at = res->next;
	if (res->free)
		res->free(res);
	free(res);
}

void kunit_cleanup(struct kunit *test)
{
	while (test->resources)
		release(&test->resources);
}

void *kunit_alloc_resource(struct kunit *test, kunit_resource_init_t init,
			   kunit_resource_free_t free_fn, gfp_t gfp, void *context)
{
	struct kunit_resource *res = kvzalloc(sizeof(*res), gfp);

	if (!res)
		return NULL;
	if (init(res, context)) {
		free(res);
		return NULL;
	}
	res->free = free_fn;
	res->next = test->resources;
	test->resources = res;
	return res->data;
}

int kunit_destroy_resource(struct kunit *test, kunit_resource_match_t match,
			   void *match_data)
{
	struct kunit_resource **at;

	for (at = &test->resources; *at; at = &(*at)->next) {
		if (match(test, *at, match_data)) {
			release(at);
			return 0;
		}
	}
	return -1;
}
