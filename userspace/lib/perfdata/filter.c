// SPDX-License-Identifier: GPL-2.0
/*
 * Parses filters of tracepoints, and translates them into the module's tests. Called by
 * eventfilters.c, once for each event.
 *
 * Syntax and meaning are those of the kernel (kernel/trace/trace_events_filter.c), so that
 * a filter takes the records that it takes in perf record:
 *
 *	expression:	and || and || ...
 *	and:		operand && operand && ...
 *	operand:	! operand, ( expression ), FIELD OPERATOR VALUE
 *	operators:	== != < <= > >= & of numbers, == != ~ of texts in quotes
 *
 * Tests are in the order in which they are written, and each has two ends: where to go on
 * if it holds, and if not. An expression has a set of ends at which it holds, and one at
 * which it does not; the next operand is put to those of one set.
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/perfdata/filter.h"

#define MAX_DEPTH	32	/* of brackets, and of '!' */
#define MAX_NUMBER	24

/* Ends of tests that have no place yet: a bit for each test. */
struct ends {
	__u64 yes;
	__u64 no;
};

struct expression {
	struct ends holds;
	struct ends fails;
};

struct parser {
	const char *text;
	const char *p;
	const struct wp_tracepoint *tp;
	struct wp_filter *filter;
	struct wp_filter_error *error;
	unsigned int depth;
};

enum operator { GLOB, NOT_EQUAL, EQUAL, AT_MOST, LESS, AT_LEAST, GREATER, BITS, OPERATORS };

/* The longer ones first, as in the kernel. */
static const char *const operators[OPERATORS] = {
	[GLOB] = "~", [NOT_EQUAL] = "!=", [EQUAL] = "==", [AT_MOST] = "<=", [LESS] = "<",
	[AT_LEAST] = ">=", [GREATER] = ">", [BITS] = "&",
};

static int __attribute__((format(printf, 3, 4))) wrong(struct parser *s, const char *at,
						       const char *fmt, ...)
{
	va_list args;

	s->error->at = at - s->text;
	va_start(args, fmt);
	vsnprintf(s->error->what, sizeof(s->error->what), fmt, args);
	va_end(args);
	return -EINVAL;
}

static void skip_space(struct parser *s)
{
	while (isspace((unsigned char)*s->p))
		s->p++;
}

/* Let ends lead to a test, or to a decision. */
static void lead(struct wp_filter *filter, struct ends ends, __u16 to)
{
	unsigned int i;

	for (i = 0; i < filter->nr; i++) {
		if (ends.yes >> i & 1)
			filter->tests[i].yes = to;
		if (ends.no >> i & 1)
			filter->tests[i].no = to;
	}
}

static struct ends both(struct ends a, struct ends b)
{
	return (struct ends){ a.yes | b.yes, a.no | b.no };
}

static struct expression negated(struct expression e)
{
	return (struct expression){ e.fails, e.holds };
}

static int add_test(struct parser *s, const char *at, const struct wallprof_filter_test *test,
		    struct expression *e)
{
	struct wp_filter *filter = s->filter;

	if (filter->nr == WALLPROF_MAX_FILTER)
		return wrong(s, at, "Too many terms in predicate expression: %d are possible",
			     WALLPROF_MAX_FILTER);
	*e = (struct expression){ .holds.yes = 1ULL << filter->nr, .fails.no = 1ULL << filter->nr };
	filter->tests[filter->nr++] = *test;
	return 0;
}

/* A number as in the kernel: decimal, 0x..., or 0... in octal. */
static int parse_value(struct parser *s, struct wallprof_filter_test *test)
{
	bool has_sign = test->operand == WALLPROF_FILTER_SIGNED ||
			test->operand == WALLPROF_FILTER_CPU;
	unsigned int size = test->size ? test->size : sizeof(__u32), shift = 64 - 8 * size;
	const char *at = s->p;
	char number[MAX_NUMBER], *end;
	size_t len;

	if (*s->p == '-')
		s->p++;
	while (isalnum((unsigned char)*s->p))
		s->p++;
	len = s->p - at;
	if (len >= sizeof(number))
		return wrong(s, at, "Operand too long");
	memcpy(number, at, len);
	number[len] = 0;
	errno = 0;
	if (has_sign)
		test->value = strtoll(number, &end, 0);
	else
		test->value = strtoull(number, &end, 0);
	if (errno || *end || end == number)
		return wrong(s, at, "Illegal integer value");
	if (*number == '-' && !has_sign)
		return wrong(s, at, "Illegal integer value: the field has no sign");
	/* The kernel compares in the type of the field. */
	test->value <<= shift;
	test->value = has_sign ? (__u64)((__s64)test->value >> shift) : test->value >> shift;
	return 0;
}

static int parse_number(struct parser *s, const char *at, struct wallprof_filter_test *test,
			enum operator op, struct expression *e)
{
	static const __u8 compares[OPERATORS] = {
		[NOT_EQUAL] = WALLPROF_FILTER_EQUAL, [EQUAL] = WALLPROF_FILTER_EQUAL,
		[AT_MOST] = WALLPROF_FILTER_GREATER, [LESS] = WALLPROF_FILTER_LESS,
		[AT_LEAST] = WALLPROF_FILTER_LESS, [GREATER] = WALLPROF_FILTER_GREATER,
		[BITS] = WALLPROF_FILTER_BITS,
	};
	int err;

	test->compare = compares[op];
	err = parse_value(s, test);
	if (!err)
		err = add_test(s, at, test, e);
	if (!err && (op == NOT_EQUAL || op == AT_MOST || op == AT_LEAST))
		*e = negated(*e);
	return err;
}

/*
 * What the kernel's filter_parse_regex() makes of a pattern: an asterisk at its ends is a
 * comparison of the rest, and one that begins with a digit is none.
 */
static __u8 parse_pattern(const char **pattern, size_t *len, bool *inverted)
{
	__u8 compare = WALLPROF_FILTER_FULL;
	const char *p = *pattern;
	size_t i, n = *len;

	*inverted = n && *p == '!';
	if (*inverted) {
		p++;
		n--;
	}
	*pattern = p;
	*len = n;
	if (n && isdigit((unsigned char)*p))
		return WALLPROF_FILTER_FULL;
	for (i = 0; i < n; i++) {
		if (strchr("[?\\", p[i]) || (p[i] == '*' && i && i < n - 1))
			return WALLPROF_FILTER_GLOB;
		if (p[i] == '*' && !i) {
			compare = WALLPROF_FILTER_END;
		} else if (p[i] == '*') {
			compare = compare == WALLPROF_FILTER_END ? WALLPROF_FILTER_MIDDLE :
								   WALLPROF_FILTER_FRONT;
			--*len;
		}
	}
	if (compare == WALLPROF_FILTER_END || compare == WALLPROF_FILTER_MIDDLE) {
		++*pattern;
		--*len;
	}
	return compare;
}

static int parse_text(struct parser *s, const char *at, struct wallprof_filter_test *test,
		      enum operator op, struct expression *e)
{
	struct wp_filter *filter = s->filter;
	const char *start = s->p + 1, *end = strchr(start, *s->p);
	bool inverted = false;
	size_t len;
	int err;

	if (!end)
		return wrong(s, s->p, "Missing matching quote");
	len = end - start;
	if (len > WALLPROF_MAX_FILTER_PATTERN)
		return wrong(s, start, "Operand too long");
	s->p = end + 1;
	test->compare = op == GLOB ? parse_pattern(&start, &len, &inverted) : WALLPROF_FILTER_FULL;
	if (len > sizeof(filter->text) - filter->text_bytes)
		return wrong(s, start, "Operands too long: together they have more than %d characters",
			     WALLPROF_MAX_FILTER_TEXT);
	test->text = filter->text_bytes;
	test->length = len;
	memcpy(filter->text + filter->text_bytes, start, len);
	filter->text_bytes += len;
	err = add_test(s, at, test, e);
	if (!err && (inverted || op == NOT_EQUAL))
		*e = negated(*e);
	return err;
}

/* A name that every event has, whatever it records. */
static bool find_general(const char *name, struct wallprof_filter_test *test)
{
	if (!strcmp(name, "CPU") || !strcmp(name, "cpu") || !strcmp(name, "common_cpu"))
		test->operand = WALLPROF_FILTER_CPU;
	else if (!strcmp(name, "COMM") || !strcmp(name, "comm"))
		test->operand = WALLPROF_FILTER_COMM;
	else
		return false;
	return true;
}

static int use_field(struct parser *s, const char *at, const struct wp_tracepoint_field *f,
		     struct wallprof_filter_test *test)
{
	static const __u8 operands[] = {
		[WP_FIELD_ARRAY] = WALLPROF_FILTER_ARRAY,
		[WP_FIELD_DYNAMIC] = WALLPROF_FILTER_DYNAMIC,
		[WP_FIELD_RELATIVE] = WALLPROF_FILTER_RELATIVE,
	};

	test->offset = f->offset;
	test->size = f->size;
	switch (f->kind) {
	case WP_FIELD_POINTER:
		return wrong(s, at, "The text of '%s' is not in the event, only its address",
			     f->name);
	case WP_FIELD_CPUS:
		return wrong(s, at, "'%s' is a mask of CPUs, which cannot be tested", f->name);
	case WP_FIELD_NUMBER:
		if (f->size != 1 && f->size != 2 && f->size != 4 && f->size != 8)
			return wrong(s, at, "'%s' is no number and no text, and cannot be tested",
				     f->name);
		test->operand = f->has_sign ? WALLPROF_FILTER_SIGNED : WALLPROF_FILTER_UNSIGNED;
		return 0;
	default:
		if (!f->size)
			return wrong(s, at, "'%s' has no size, and cannot be tested", f->name);
		test->operand = operands[f->kind];
		return 0;
	}
}

static int parse_field(struct parser *s, struct wallprof_filter_test *test)
{
	const char *at = s->p;
	const struct wp_tracepoint_field *f;
	char name[64];
	size_t len = 0;

	while (isalnum((unsigned char)at[len]) || at[len] == '_')
		len++;
	if (!len)
		return wrong(s, at, *at ? "Expecting a field" : "Expecting a field at the end");
	snprintf(name, sizeof(name), "%.*s", (int)len, at);
	s->p += len;
	f = len < sizeof(name) ? wp_tracepoint_field(s->tp, name) : NULL;
	if (f)
		return use_field(s, at, f, test);
	if (len < sizeof(name) && find_general(name, test))
		return 0;
	memcpy(s->error->field, name, sizeof(name));
	return wrong(s, at, "Field not found");
}

/* FIELD OPERATOR VALUE */
static int parse_test(struct parser *s, struct expression *e)
{
	struct wallprof_filter_test test = { 0 };
	const char *start = s->p, *at;
	enum operator op;
	bool text;
	int err = parse_field(s, &test);

	if (err)
		return err;
	text = test.operand >= WALLPROF_FILTER_ARRAY && test.operand <= WALLPROF_FILTER_COMM;
	skip_space(s);
	at = s->p;
	for (op = 0; op < OPERATORS && strncmp(at, operators[op], strlen(operators[op])); op++)
		;
	if (op == OPERATORS)
		return wrong(s, at, "Invalid operator");
	s->p += strlen(operators[op]);
	skip_space(s);
	if (*s->p == '"' || *s->p == '\'') {
		if (op != GLOB && op != EQUAL && op != NOT_EQUAL)
			return wrong(s, at, "Illegal operation for field type");
		if (!text)
			return wrong(s, s->p, "Expecting numeric field");
		return parse_text(s, start, &test, op, e);
	}
	if (!isdigit((unsigned char)*s->p) && *s->p != '-')
		return wrong(s, s->p, "Invalid value (did you forget quotes)?");
	if (text)
		return wrong(s, s->p, "Expecting string field");
	if (op == GLOB || (op == BITS && test.operand == WALLPROF_FILTER_CPU))
		return wrong(s, at, "Illegal operation for field type");
	return parse_number(s, start, &test, op, e);
}

static int parse_expression(struct parser *s, struct expression *e);

static int parse_operand(struct parser *s, struct expression *e)
{
	const char *at;
	int err;

	skip_space(s);
	at = s->p;
	if (*at != '(' && (*at != '!' || at[1] == '=' || at[1] == '~'))
		return parse_test(s, e);
	if (++s->depth > MAX_DEPTH)
		return wrong(s, at, "Too many '(' and '!'");
	s->p++;
	if (*at == '!') {
		err = parse_operand(s, e);
		*e = negated(*e);
	} else {
		err = parse_expression(s, e);
		if (!err && *s->p != ')')
			err = wrong(s, at, "Too many '('");
		s->p += !err;
	}
	s->depth--;
	return err;
}

/* OPERAND && OPERAND ..., up to something else. */
static int parse_and(struct parser *s, struct expression *e)
{
	struct expression next = { 0 };
	int err = parse_operand(s, e);

	for (;;) {
		if (err)
			return err;
		skip_space(s);
		if (strncmp(s->p, "&&", 2))
			return 0;
		s->p += 2;
		lead(s->filter, e->holds, s->filter->nr);
		err = parse_operand(s, &next);
		e->holds = next.holds;
		e->fails = both(e->fails, next.fails);
	}
}

/* AND || AND ..., up to the end or a bracket. */
static int parse_expression(struct parser *s, struct expression *e)
{
	struct expression next = { 0 };
	int err = parse_and(s, e);

	for (;;) {
		if (err)
			return err;
		if (!*s->p || *s->p == ')')
			return 0;
		if (strncmp(s->p, "||", 2))
			return wrong(s, s->p, "Expecting && or ||");
		s->p += 2;
		lead(s->filter, e->fails, s->filter->nr);
		err = parse_and(s, &next);
		e->fails = next.fails;
		e->holds = both(e->holds, next.holds);
	}
}

/**
 * wp_filter_parse() - parse a filter
 * @filter: filled in
 * @tp: the tracepoint whose fields are tested
 * @text: the filter
 * @error: output, if it fails: where and why
 *
 * Return: 0 or -EINVAL.
 */
int wp_filter_parse(struct wp_filter *filter, const struct wp_tracepoint *tp, const char *text,
		    struct wp_filter_error *error)
{
	struct parser s = { .text = text, .p = text, .tp = tp, .filter = filter, .error = error };
	struct expression e = { 0 };
	int err;

	memset(filter, 0, sizeof(*filter));
	memset(error, 0, sizeof(*error));
	skip_space(&s);
	if (!*s.p)
		return wrong(&s, text, "No filter found");
	err = parse_expression(&s, &e);
	if (err)
		return err;
	if (*s.p)
		return wrong(&s, s.p, "Too few '('");
	lead(filter, e.holds, WALLPROF_FILTER_TAKE);
	lead(filter, e.fails, WALLPROF_FILTER_DROP);
	return 0;
}

/**
 * wp_filter_exclude() - exclude a process
 * @filter: a filter, or all zeroes: there is none yet
 * @tgid: its number
 *
 * Return: 0, or -ENOSPC: the filter has the most tests already.
 */
int wp_filter_exclude(struct wp_filter *filter, __u32 tgid)
{
	struct wallprof_filter_test *test = &filter->tests[0];
	unsigned int i;

	if (filter->nr == WALLPROF_MAX_FILTER)
		return -ENOSPC;
	memmove(test + 1, test, filter->nr++ * sizeof(*test));
	for (i = 1; i < filter->nr; i++) {
		test[i].yes += test[i].yes < WALLPROF_MAX_FILTER;
		test[i].no += test[i].no < WALLPROF_MAX_FILTER;
	}
	*test = (struct wallprof_filter_test){
		.operand = WALLPROF_FILTER_TGID,
		.compare = WALLPROF_FILTER_EQUAL,
		.yes = WALLPROF_FILTER_DROP,
		.no = filter->nr > 1 ? 1 : WALLPROF_FILTER_TAKE,
		.value = tgid,
	};
	return 0;
}
