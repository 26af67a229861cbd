/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tests/kunit/shim: as much of KUnit as our suites use, for programs of userspace.
 *
 * Names and meaning are the kernel's (Documentation/dev-tools/kunit there);
 * kunit.c and run.c next to this directory print the results as it does.
 */
#ifndef SHIM_KUNIT_TEST_H
#define SHIM_KUNIT_TEST_H

#include <setjmp.h>
#include <stdio.h>

#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/types.h>

#define KUNIT_PARAM_DESC_SIZE 128

enum kunit_status {
	KUNIT_SUCCESS,
	KUNIT_FAILURE,
	KUNIT_SKIPPED,
};

struct kunit {
	void *priv;
	const char *name;
	const void *param_value;
	int param_index;
	enum kunit_status status;
	struct kunit_resource *resources;
	jmp_buf *abort;		/* where an assertion that fails ends the case */
};

struct kunit_case {
	void (*run_case)(struct kunit *test);
	const char *name;
	const void *(*generate_params)(const void *prev, char *desc);
};

struct kunit_suite {
	const char name[256];
	int (*init)(struct kunit *test);
	void (*exit)(struct kunit *test);
	struct kunit_case *test_cases;
};

#define KUNIT_CASE(test_name) { .run_case = test_name, .name = #test_name }

#define KUNIT_CASE_PARAM(test_name, gen_params) \
	{ .run_case = test_name, .name = #test_name, .generate_params = gen_params }

#define KUNIT_ARRAY_PARAM(name, array, get_desc)				\
	static const void *name##_gen_params(const void *prev, char *desc)	\
	{									\
		__typeof__((array)[0]) *next = prev;				\
		void (*describe)(__typeof__(next), char *) = get_desc;		\
										\
		next = next ? next + 1 : (array);				\
		if (next - (array) >= (long)ARRAY_SIZE(array))			\
			return NULL;						\
		if (describe)							\
			describe(next, desc);					\
		return next;							\
	}

/* Each source file that has a suite registers it before main() runs. */
#define kunit_test_suite(suite)							\
	static __attribute__((__constructor__)) void register_##suite(void)	\
	{									\
		shim_kunit_register(&(suite));					\
	}

void shim_kunit_register(struct kunit_suite *suite);
void shim_kunit_failed(struct kunit *test, bool fatal, const char *file, int line,
		       const char *text, const char *values, const char *fmt, ...)
	__attribute__((__format__(__printf__, 7, 8)));

void kunit_init_test(struct kunit *test, const char *name, char *log);
void kunit_cleanup(struct kunit *test);

#define SHIM_KUNIT_TRUE(test, fatal, good, text, ...)				\
do {										\
	if (!(good))								\
		shim_kunit_failed(test, fatal, __FILE__, __LINE__, text, "",	\
				  "" __VA_ARGS__);				\
} while (0)

/* Of at most 64 bits each, signed or not. */
#define SHIM_KUNIT_BINARY(test, fatal, left, op, right, ...)			\
do {										\
	const __typeof__(left) left_ = (left);					\
	const __typeof__(right) right_ = (right);				\
	char values_[80];							\
										\
	if (left_ op right_)							\
		break;								\
	snprintf(values_, sizeof(values_), "%lld (%#llx) and %lld (%#llx)",	\
		 (long long)left_, (unsigned long long)left_,			\
		 (long long)right_, (unsigned long long)right_);		\
	shim_kunit_failed(test, fatal, __FILE__, __LINE__,			\
			  #left " " #op " " #right, values_, "" __VA_ARGS__);	\
} while (0)

#define KUNIT_EXPECT_TRUE(test, condition) \
	SHIM_KUNIT_TRUE(test, false, condition, #condition " is true")
#define KUNIT_EXPECT_TRUE_MSG(test, condition, ...) \
	SHIM_KUNIT_TRUE(test, false, condition, #condition " is true", __VA_ARGS__)
#define KUNIT_EXPECT_FALSE(test, condition) \
	SHIM_KUNIT_TRUE(test, false, !(condition), #condition " is false")
#define KUNIT_EXPECT_FALSE_MSG(test, condition, ...) \
	SHIM_KUNIT_TRUE(test, false, !(condition), #condition " is false", __VA_ARGS__)
#define KUNIT_EXPECT_EQ(test, left, right) \
	SHIM_KUNIT_BINARY(test, false, left, ==, right)
#define KUNIT_EXPECT_EQ_MSG(test, left, right, ...) \
	SHIM_KUNIT_BINARY(test, false, left, ==, right, __VA_ARGS__)
#define KUNIT_EXPECT_NE(test, left, right) \
	SHIM_KUNIT_BINARY(test, false, left, !=, right)
#define KUNIT_EXPECT_NE_MSG(test, left, right, ...) \
	SHIM_KUNIT_BINARY(test, false, left, !=, right, __VA_ARGS__)
#define KUNIT_EXPECT_GE(test, left, right) \
	SHIM_KUNIT_BINARY(test, false, left, >=, right)
#define KUNIT_EXPECT_GE_MSG(test, left, right, ...) \
	SHIM_KUNIT_BINARY(test, false, left, >=, right, __VA_ARGS__)
#define KUNIT_EXPECT_GT(test, left, right) \
	SHIM_KUNIT_BINARY(test, false, left, >, right)
#define KUNIT_EXPECT_LT(test, left, right) \
	SHIM_KUNIT_BINARY(test, false, left, <, right)
#define KUNIT_EXPECT_LT_MSG(test, left, right, ...) \
	SHIM_KUNIT_BINARY(test, false, left, <, right, __VA_ARGS__)
#define KUNIT_EXPECT_LE(test, left, right) \
	SHIM_KUNIT_BINARY(test, false, left, <=, right)
#define KUNIT_EXPECT_LE_MSG(test, left, right, ...) \
	SHIM_KUNIT_BINARY(test, false, left, <=, right, __VA_ARGS__)
#define KUNIT_EXPECT_PTR_EQ(test, left, right) \
	SHIM_KUNIT_TRUE(test, false, (left) == (right), #left " == " #right)
#define KUNIT_EXPECT_PTR_EQ_MSG(test, left, right, ...) \
	SHIM_KUNIT_TRUE(test, false, (left) == (right), #left " == " #right, __VA_ARGS__)
#define KUNIT_EXPECT_PTR_NE(test, left, right) \
	SHIM_KUNIT_TRUE(test, false, (left) != (right), #left " != " #right)
#define KUNIT_EXPECT_NOT_NULL(test, ptr) \
	SHIM_KUNIT_TRUE(test, false, (ptr) != NULL, #ptr " is not NULL")
#define KUNIT_EXPECT_NOT_NULL_MSG(test, ptr, ...) \
	SHIM_KUNIT_TRUE(test, false, (ptr) != NULL, #ptr " is not NULL", __VA_ARGS__)
#define KUNIT_EXPECT_NULL(test, ptr) \
	SHIM_KUNIT_TRUE(test, false, (ptr) == NULL, #ptr " is NULL")
#define KUNIT_EXPECT_NULL_MSG(test, ptr, ...) \
	SHIM_KUNIT_TRUE(test, false, (ptr) == NULL, #ptr " is NULL", __VA_ARGS__)
#define KUNIT_FAIL(test, ...) \
	SHIM_KUNIT_TRUE(test, false, false, "fails", __VA_ARGS__)

#define KUNIT_ASSERT_TRUE(test, condition) \
	SHIM_KUNIT_TRUE(test, true, condition, #condition " is true")
#define KUNIT_ASSERT_EQ(test, left, right) \
	SHIM_KUNIT_BINARY(test, true, left, ==, right)
#define KUNIT_ASSERT_NOT_NULL(test, ptr) \
	SHIM_KUNIT_TRUE(test, true, (ptr) != NULL, #ptr " is not NULL")

#endif /* SHIM_KUNIT_TEST_H */
