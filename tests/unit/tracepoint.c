// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of tracepoint.c with the formats of several kernels and with such as none
 * has.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/perfdata/tracepoint.h"
#include "formats.h"
#include "tap.h"

static const char waking_5_10[] =
	HEAD("sched_waking", "311") COMMON
	FIELD("char comm[16]", 8, 16, 1)
	FIELD("pid_t pid", 24, 4, 1)
	FIELD("int prio", 28, 4, 1)
	FIELD("int success", 32, 4, 1)
	FIELD("int target_cpu", 36, 4, 1)
	PRINT_WAKEUP;
static const char waking_6_1[] = WAKEUP("sched_waking", "317", 1);

static char dir[] = "/tmp/wallprof-tracepoint.XXXXXX";

/* In memory that ends where the text does. */
static int parse_bytes(struct wp_tracepoint *tp, const char *text, size_t len)
{
	char *exact = malloc(len ? len : 1);
	int ret;

	memcpy(exact, text, len);
	ret = wp_tracepoint_parse(tp, "sched", "test", exact, len);
	free(exact);
	return ret;
}

static int parse(struct wp_tracepoint *tp, const char *text)
{
	return parse_bytes(tp, text, strlen(text));
}

/* Whether it is refused, with nothing left behind. */
static bool refused(const char *text)
{
	struct wp_tracepoint tp;
	int ret = parse(&tp, text);

	if (!ret)
		wp_tracepoint_free(&tp);
	return ret == -EPROTO && !tp.text && !tp.fields && !tp.blank;
}

static __u64 number(const char *raw, unsigned int at, unsigned int size)
{
	__u64 v = 0;

	memcpy(&v, raw + at, size);
	return v;
}

static void test_known(void)
{
	static const struct {
		const char *text;
		unsigned int id, size, fields;
	} known[] = {
		{ waking_5_10, 311, 44, 9 },
		{ linux_6_1[SWITCHING], 314, 68, 11 },
		{ waking_6_1, 317, 36, 8 },
		{ linux_6_1[MIGRATE], 313, 44, 9 },
		{ linux_6_1[RUNTIME], 302, 52, 8 },
		{ linux_7[SWITCHING], 310, 68, 11 },
		{ linux_7[MIGRATE], 309, 28 + 16, 9 },
		{ linux_7[RUNTIME], 297, 24 + 16 + 4, 7 },
	};
	struct wp_tracepoint tp;
	unsigned int i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		int ret = parse(&tp, known[i].text);

		ok(!ret && tp.id == known[i].id && tp.size == known[i].size &&
		   (tp.size + 4) % 8 == 0 && tp.nr_fields == known[i].fields &&
		   tp.len == strlen(known[i].text) && !strcmp(tp.text, known[i].text) &&
		   !strcmp(tp.system, "sched"), "format %u: id %u, %u bytes, %u fields", i,
		   tp.id, tp.size, tp.nr_fields);
		wp_tracepoint_free(&tp);
	}
	wp_tracepoint_free(&tp);
	ok(!tp.text && !wp_tracepoint_field(&tp, "prev_pid"), "nothing is left of it");
}

static void test_payload(void)
{
	struct wp_tracepoint tp;
	char raw[80];

	memset(raw, 0x55, sizeof(raw));
	parse(&tp, linux_6_1[SWITCHING]);
	wp_tracepoint_begin(&tp, raw, 4711);
	ok(number(raw, 0, 2) == 314 && !number(raw, 2, 2) && number(raw, 4, 4) == 4711 &&
	   !number(raw, 8, 8) && !number(raw, 60, 8) && raw[68] == 0x55, "the head of a payload");
	set_text(&tp, "prev_comm", raw, "sixteen and more");
	set_text(&tp, "next_comm", raw, "next");
	set(&tp, "prev_pid", raw, 4711);
	set(&tp, "prev_prio", raw, -1);
	set(&tp, "prev_state", raw, 0x123456789a);
	set(&tp, "next_pid", raw, 12);
	set(&tp, "next_prio", raw, 120);
	ok(!memcmp(raw + 8, "sixteen and mor", 16) && number(raw, 24, 4) == 4711 &&
	   number(raw, 28, 4) == 0xffffffff && number(raw, 32, 8) == 0x123456789a &&
	   !memcmp(raw + 40, "next\0\0\0\0\0\0\0\0\0\0\0", 16) && number(raw, 56, 4) == 12 &&
	   number(raw, 60, 4) == 120 && !number(raw, 64, 4) && raw[68] == 0x55,
	   "and all fields of it");
	set_text(&tp, "prev_comm", raw, "");
	ok(!number(raw, 8, 8) && !number(raw, 16, 8), "a text is padded");
	set(&tp, "prev_comm", raw, -1);
	set_text(&tp, "prev_pid", raw, "x");
	set(&tp, "success", raw, -1);
	set_text(&tp, "success", raw, "x");
	ok(!wp_tracepoint_field(&tp, "success") && !number(raw, 8, 8) &&
	   number(raw, 24, 4) == 4711 && number(raw, 0, 8) == (4711ULL << 32 | 314),
	   "a field that is not there, or of another kind");
	wp_tracepoint_free(&tp);

	memset(raw, 0x55, sizeof(raw));
	parse(&tp, linux_7[RUNTIME]);
	wp_tracepoint_begin(&tp, raw, 1);
	ok(number(raw, 8, 4) == (1 << 16 | 24) && !raw[24], "a text elsewhere is empty at first");
	set_text(&tp, "comm", raw, "elsewhere, and cut");
	set(&tp, "runtime", raw, -2);
	set(&tp, "comm", raw, -1);
	ok(number(raw, 8, 4) == (16 << 16 | 24) && !memcmp(raw + 24, "elsewhere, and ", 16) &&
	   number(raw, 16, 8) == ~1ULL && !number(raw, 40, 4) && raw[44] == 0x55,
	   "then at the offset of its field");
	set_text(&tp, "comm", raw, "ab");
	ok(number(raw, 8, 4) == (3 << 16 | 24) && !memcmp(raw + 24, "ab\0\0\0\0\0\0\0\0\0\0\0\0\0", 16),
	   "with its length");
	wp_tracepoint_free(&tp);
}

static void test_fields(void)
{
	static const char text[] =
		"name: test\nID: 65535\nformat:\n" COMMON
		FIELD("u8 a1", 8, 1, 0) FIELD("short int a2", 10, 2, 1)
		FIELD("unsigned int a4", 12, 4, 0) FIELD("const void * a8", 16, 8, 0)
		FIELD("unsigned long args[6]", 24, 48, 0) FIELD("char two[2][4]", 72, 8, 0)
		FIELD("__rel_data_loc char[] rel", 80, 4, 0) FIELD("u8 odd", 84, 3, 0)
		/* Without the sign, as 2.6 had it; and shorter than a place would be. */
		"\tfield:__data_loc cpumask_t mask;\toffset:87;\tsize:4;\n"
		FIELD("char one[1]", 91, 1, 0) FIELD("char none[0]", 92, 0, 0)
		PRINT("\"\"");
	static const char *const fields[] = {
		"a1", "a2", "a4", "a8", "args", "two", "rel", "odd", "mask", "one", "none",
	};
	struct wp_tracepoint tp, copy;
	unsigned int i, missing = 0;
	char raw[256];

	ok(!parse(&tp, text) && tp.id == 65535 && tp.size == 108, "a format with all there is");
	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		missing += !wp_tracepoint_field(&tp, fields[i]);
	ok(!missing, "the names of all kinds of declarations (%u missing)", missing);
	copy = tp;
	wp_tracepoint_begin(&copy, raw, -1);
	set(&copy, "a1", raw, 0x1ff);
	set(&copy, "a2", raw, -2);
	set(&copy, "a4", raw, 0x1fffffffeLL);
	set(&copy, "a8", raw, -3);
	set(&copy, "args", raw, -1);
	set(&copy, "odd", raw, -1);
	set_text(&copy, "args", raw, "text");
	set_text(&copy, "two", raw, "1234567890");
	set_text(&copy, "one", raw, "x");
	set_text(&copy, "none", raw, "x");
	set_text(&copy, "rel", raw, "there");
	ok(number(raw, 4, 4) == 0xffffffff && number(raw, 8, 1) == 0xff && !raw[9] &&
	   number(raw, 10, 2) == 0xfffe && number(raw, 12, 4) == 0xfffffffe &&
	   (__s64)number(raw, 16, 8) == -3 && !number(raw, 24, 8) &&
	   !memcmp(raw + 72, "1234567", 8) && !number(raw, 84, 8),
	   "numbers of every width, and nothing else");
	ok(number(raw, 80, 4) == (6 << 16 | (92 - 84)) && !strcmp(raw + 92, "there"),
	   "a place that counts from behind its field");
	wp_tracepoint_free(&tp);
}

static void test_refused(void)
{
	const char *const bad[] = {
		"", "\n", "name: test\n", HEAD("x", "5") COMMON, HEAD("x", "5") PRINT("\"\""),
		"name: x\nformat:\n" COMMON PRINT("\"\""),
		HEAD("x", "0") COMMON PRINT("\"\""), HEAD("x", "65536") COMMON PRINT("\"\""),
		HEAD("x", "-5") COMMON PRINT("\"\""), HEAD("x", " 5") COMMON PRINT("\"\""),
		HEAD("x", "") COMMON PRINT("\"\""), HEAD("x", "5x") COMMON PRINT("\"\""),
		HEAD("x", "18446744073709551621") COMMON PRINT("\"\""),
		HEAD("x", "5") FIELD("int common_pid", 4, 4, 1) PRINT("\"\""),
		HEAD("x", "5") FIELD("u32 common_type", 0, 4, 1)
		FIELD("int common_pid", 4, 4, 1) PRINT("\"\""),
		HEAD("x", "5") FIELD("u16 common_type", 0, 2, 1)
		FIELD("char common_pid[4]", 4, 8, 1) PRINT("\"\""),
	};
	static const char *const fields[] = {
		FIELD("int a", 8189, 4, 1), FIELD("int a", 4294967292, 8, 1),
		FIELD("int a", 8193, 0, 1), FIELD("int a", 4, 4294967295, 1),
		FIELD("int a", 18446744073709551616, 4, 1), FIELD("int a", -4, 4, 1),
		FIELD("int a", 8, -4, 1), FIELD("int a", , 4, 1), FIELD("int a", 8 , , 1),
		FIELD("", 8, 4, 1), FIELD("]", 8, 4, 1), FIELD("int [4]", 8, 4, 1),
		FIELD("[4]", 8, 4, 1), FIELD("int a]", 8, 4, 1), FIELD("int *", 8, 4, 1),
		FIELD("__data_loc char[] a", 8, 8, 1), FIELD("__rel_data_loc char[] a", 8, 0, 1),
		FIELD("__data_loc char[] a", 8184, 4, 1),
		FIELD("u64 a23456789b123456789c123456789d123456789e123456789f123456789g1234",
		      8, 8, 1),
		"\tfield:int a\n", "\tfield:int a;\n", "\tfield:int a;\toffset:8\n",
		"\tfield:int a;\tsize:8;\toffset:8;\n", "\tfield:", "\tfield:;",
		"\tfield:int a; offset:8; size:4;\n",
	};
	char text[32768] = HEAD("x", "5") COMMON;
	unsigned int i, n = 0;
	size_t head = strlen(text), len = head;
	struct wp_tracepoint tp;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (!refused(bad[i])) {
			printf("# taken: format %u\n", i);
			n++;
		}
	}
	ok(!n, "%u formats that are none", i);
	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		sprintf(text + head, "%s" PRINT("\"\""), fields[i]);
		if (!refused(text)) {
			printf("# taken: field %u\n", i);
			n++;
		}
	}
	ok(!n, "%u fields that are none", i);
	sprintf(text + head, "%s" PRINT("\"\""), FIELD("int a", 8184, 4, 1));
	ok(!parse(&tp, text) && tp.size == 8188, "the largest payload");
	wp_tracepoint_free(&tp);
	for (i = 0; i < 124; i++)
		len += sprintf(text + len, FIELD("__data_loc char[] a", 8, 4, 1));
	strcpy(text + len, PRINT("\"\""));
	ok(!parse(&tp, text) && tp.nr_fields == 128, "the most fields");
	wp_tracepoint_free(&tp);
	strcpy(text + len, FIELD("int a", 8, 4, 1) PRINT("\"\""));
	ok(refused(text), "one more");
	ok(parse_bytes(&tp, linux_7[0], strlen(linux_7[0]) + 1) == -EPROTO, "a 0 in it");
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = 0;
	ok(wp_tracepoint_parse(&tp, text, "x", linux_7[0], strlen(linux_7[0])) == -ENAMETOOLONG &&
	   wp_tracepoint_parse(&tp, "x", text, linux_7[0], strlen(linux_7[0])) == -ENAMETOOLONG,
	   "names that are too long");
}

/* Use all of a payload, in memory that ends where it does. */
static void use(const struct wp_tracepoint *tp)
{
	char *raw = malloc(tp->size);
	unsigned int i;

	wp_tracepoint_begin(tp, raw, -1);
	for (i = 0; i < tp->nr_fields; i++) {
		wp_tracepoint_set(&tp->fields[i], raw, -1);
		wp_tracepoint_set_text(&tp->fields[i], raw, "sixteen and more of them");
	}
	free(raw);
}

static void test_hostile(void)
{
	static const char bytes[] = "0123456789:;\n\t[] _-x";
	unsigned int k, i, taken = 0, wrong = 0;
	struct wp_tracepoint tp;

	for (k = 0; k < NR; k++) {
		for (i = 0; i < strlen(linux_7[k]); i++)
			wrong += parse_bytes(&tp, linux_7[k], i) != -EPROTO;
	}
	ok(!wrong, "formats that end too early (%u taken)", wrong);
	srand(1);
	for (k = 0; k < 100000; k++) {
		char text[4096];
		size_t len, fields;

		strcpy(text, linux_7[k % NR]);
		len = strlen(text);
		fields = strstr(text, "print fmt") - text;
		/* Mostly where the fields are. */
		for (i = 0; i <= k % 4; i++)
			text[rand() % (k % 8 ? fields : len)] = bytes[rand() % sizeof(bytes)];
		if (!parse_bytes(&tp, text, len)) {
			taken++;
			wrong += (tp.size + 4) % 8 || tp.size > WP_TRACEPOINT_MAX || !tp.id;
			use(&tp);
			wp_tracepoint_free(&tp);
		}
	}
	ok(taken > 1000 && !wrong, "damaged ones, of which %u are formats still", taken);
}

static void put_file(const char *path, const char *text, size_t len)
{
	int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);

	if (fd < 0 || write(fd, text, len) != (ssize_t)len)
		printf("# cannot write %s\n", path);
	close(fd);
}

static void test_read(void)
{
	static char large[70000];
	char path[256], root[5000];
	struct wp_tracepoint tp;
	int ret;

	snprintf(path, sizeof(path), "mkdir -p %s/events/sched/sched_switch", dir);
	ok(!system(path), "a tracefs");
	snprintf(path, sizeof(path), "%s/events/sched/sched_switch/format", dir);
	put_file(path, linux_7[SWITCHING], strlen(linux_7[SWITCHING]));
	ok(!wp_tracepoint_read(&tp, dir, "sched", "sched_switch") && tp.id == 310 &&
	   !strcmp(tp.system, "sched") && !strcmp(tp.name, "sched_switch"), "is read");
	wp_tracepoint_free(&tp);
	memset(large, '\n', sizeof(large));
	memcpy(large, linux_7[SWITCHING], strlen(linux_7[SWITCHING]));
	put_file(path, large, 65536);
	ok(!wp_tracepoint_read(&tp, dir, "sched", "sched_switch"), "the largest file");
	wp_tracepoint_free(&tp);
	put_file(path, large, 65537);
	ok(wp_tracepoint_read(&tp, dir, "sched", "sched_switch") == -EPROTO, "one more");
	put_file(path, "", 0);
	ok(wp_tracepoint_read(&tp, dir, "sched", "sched_switch") == -EPROTO, "an empty one");
	wp_clear_errors();
	ok(wp_tracepoint_read(&tp, dir, "sched", "nonesuch") == -ENOENT && !tp.text &&
	   !*wp_last_error(), "one that is not there");
	unlink(path);
	ok(!mkdir(path, 0700) && wp_tracepoint_read(&tp, dir, "sched", "sched_switch") == -EISDIR,
	   "a directory");
	memset(root, '/', sizeof(root) - 1);
	root[sizeof(root) - 1] = 0;
	ok(wp_tracepoint_read(&tp, root, "sched", "sched_switch") == -ENAMETOOLONG,
	   "a path that is too long");
	ret = wp_tracepoint_read(&tp, NULL, "sched", "sched_switch");
	ok(ret ? ret == -ENOENT || ret == -EACCES :
	   tp.id && wp_tracepoint_field(&tp, "prev_state"), "this kernel's: %s",
	   ret ? strerror(-ret) : "read");
	wp_tracepoint_free(&tp);
}

int main(void)
{
	char cmd[64];

	if (!mkdtemp(dir))
		return 2;
	wp_set_verbosity(WP_SILENT);
	test_known();
	test_payload();
	test_fields();
	test_refused();
	test_hostile();
	test_read();
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	return system(cmd) ? 2 : done();
}
