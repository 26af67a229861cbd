/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tests/kunit/shim: what a case has, and gives back when it ends, however it ends.
 */
#ifndef SHIM_KUNIT_RESOURCE_H
#define SHIM_KUNIT_RESOURCE_H

#include <kunit/test.h>

struct kunit_resource {
	void *data;
	void (*free)(struct kunit_resource *res);
	struct kunit_resource *next;
};

typedef int (*kunit_resource_init_t)(struct kunit_resource *res, void *context);
typedef void (*kunit_resource_free_t)(struct kunit_resource *res);
typedef bool (*kunit_resource_match_t)(struct kunit *test, struct kunit_resource *res,
				       void *match_data);

void *kunit_alloc_resource(struct kunit *test, kunit_resource_init_t init,
			   kunit_resource_free_t free, gfp_t gfp, void *context);
int kunit_destroy_resource(struct kunit *test, kunit_resource_match_t match,
			   void *match_data);

#endif /* SHIM_KUNIT_RESOURCE_H */
