// SPDX-License-Identifier: GPL-2.0
/*
 * tests/kunit/shim: runs the KUnit suites of a program and prints KTAP, in the words
 * of the kernel. Arguments name suites; without any all are run.
 */
#include <kunit/test.h>

#include <stdlib.h>

#define MAX_SUITES 32

static struct kunit_suite *suites[MAX_SUITES];
static unsigned int nr_suites;

void shim_kunit_register(struct kunit_suite *suite)
{
	if (nr_suites == MAX_SUITES)
		abort();
	suites[nr_suites++] = suite;
}

/* By name, so that the order does not depend on how the program is linked. */
static int by_name(const void *a, const void *b)
{
	return strcmp((*(struct kunit_suite *const *)a)->name,
		      (*(struct kunit_suite *const *)b)->name);
}

static bool wanted(const struct kunit_suite *suite, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], suite->name))
			return true;
	}
	return argc < 2;
}

static void run_once(struct kunit_suite *suite, struct kunit_case *c,
		     struct kunit *test)
{
	jmp_buf out;

	kunit_init_test(test, c->name, NULL);
	test->abort = &out;
	if (!setjmp(out)) {
		if (suite->init && suite->init(test))
			KUNIT_FAIL(test, "could not be initialized");
		else
			c->run_case(test);
	}
	if (suite->exit)
		suite->exit(test);
	kunit_cleanup(test);
}

static bool run_case(struct kunit_suite *suite, struct kunit_case *c, int nr)
{
	struct kunit test = {};
	char desc[KUNIT_PARAM_DESC_SIZE];
	int failed = 0;

	if (!c->generate_params) {
		run_once(suite, c, &test);
		failed = test.status != KUNIT_SUCCESS;
	} else {
		printf("        KTAP version 1\n        # Subtest: %s\n", c->name);
		for (;;) {
			desc[0] = '\0';
			test.param_value = c->generate_params(test.param_value, desc);
			if (!test.param_value)
				break;
			if (!desc[0])
				snprintf(desc, sizeof(desc), "param-%d",
					 test.param_index);
			run_once(suite, c, &test);
			failed += test.status != KUNIT_SUCCESS;
			printf("        %s %d %s\n",
			       test.status == KUNIT_SUCCESS ? "ok" : "not ok",
			       ++test.param_index, desc);
		}
		if (test.param_index > 1)
			printf("    # %s: pass:%d fail:%d skip:0 total:%d\n", c->name,
			       test.param_index - failed, failed, test.param_index);
		if (!test.param_index)
			failed++;	/* a table without rows tests nothing */
	}
	printf("    %s %d %s\n", failed ? "not ok" : "ok", nr, c->name);
	return !failed;
}

static bool run_suite(struct kunit_suite *suite, int nr)
{
	struct kunit_case *c;
	bool good = true;

	for (c = suite->test_cases; c->run_case; c++)
		;
	printf("    KTAP version 1\n    # Subtest: %s\n    1..%d\n", suite->name,
	       (int)(c - suite->test_cases));
	for (c = suite->test_cases; c->run_case; c++)
		good &= run_case(suite, c, c - suite->test_cases + 1);
	printf("%s %d %s\n", good ? "ok" : "not ok", nr, suite->name);
	return good;
}

int main(int argc, char **argv)
{
	unsigned int i, nr = 0;
	bool good = true;

	setvbuf(stdout, NULL, _IOLBF, 0);
	qsort(suites, nr_suites, sizeof(suites[0]), by_name);
	for (i = 0; i < nr_suites; i++)
		nr += wanted(suites[i], argc, argv);
	printf("KTAP version 1\n1..%u\n", nr);
	if (!nr)
		return 1;
	for (i = 0, nr = 0; i < nr_suites; i++) {
		if (wanted(suites[i], argc, argv))
			good &= run_suite(suites[i], ++nr);
	}
	return !good;
}
