// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of tracepoint.c with the formats of several kernels and with such as none
 * has, and of perfdata.c: that a file with samples of tracepoints describes them all.
 * If there is a perf here, it is asked.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/perfdata/features.h"
#include "lib/perfdata/perfdata.h"
#include "lib/perfdata/rawsample.h"
#include "lib/perfdata/tracepoint.h"
#include "tap.h"

#define HEAD(name, id)	"name: " name "\nID: " id "\nformat:\n"
#define FIELD(declaration, offset, size, is_signed)				\
	"\tfield:" declaration ";\toffset:" #offset ";\tsize:" #size		\
	";\tsigned:" #is_signed ";\n"
#define COMMON									\
	FIELD("unsigned short common_type", 0, 2, 0)				\
	FIELD("unsigned char common_flags", 2, 1, 0)				\
	FIELD("unsigned char common_preempt_count", 3, 1, 0)			\
	FIELD("int common_pid", 4, 4, 1) "\n"
#define PRINT(words)	"\nprint fmt: " words "\n"
#define BITS									\
	"((((0x00000000 | 0x00000001 | 0x00000002 | 0x00000004 | 0x00000008 | "	\
	"0x00000010 | 0x00000020 | 0x00000040) + 1) << 1) - 1)"
#define ABOVE									\
	"(((0x00000000 | 0x00000001 | 0x00000002 | 0x00000004 | 0x00000008 | "	\
	"0x00000010 | 0x00000020 | 0x00000040) + 1) << 1)"

/* The same from 5.10 on, but for whether a char has a sign. */
#define SWITCH(id, sign)							\
	HEAD("sched_switch", id) COMMON						\
	FIELD("char prev_comm[16]", 8, 16, sign)				\
	FIELD("pid_t prev_pid", 24, 4, 1)					\
	FIELD("int prev_prio", 28, 4, 1)					\
	FIELD("long prev_state", 32, 8, 1)					\
	FIELD("char next_comm[16]", 40, 16, sign)				\
	FIELD("pid_t next_pid", 56, 4, 1)					\
	FIELD("int next_prio", 60, 4, 1)					\
	PRINT("\"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> "	\
	      "next_comm=%s next_pid=%d next_prio=%d\", REC->prev_comm, "	\
	      "REC->prev_pid, REC->prev_prio, (REC->prev_state & " BITS ") ? "	\
	      "__print_flags(REC->prev_state & " BITS ", \"|\", "		\
	      "{ 0x00000001, \"S\" }, { 0x00000002, \"D\" }, "			\
	      "{ 0x00000004, \"T\" }, { 0x00000008, \"t\" }, "			\
	      "{ 0x00000010, \"X\" }, { 0x00000020, \"Z\" }, "			\
	      "{ 0x00000040, \"P\" }, { 0x00000080, \"I\" }) : \"R\", "		\
	      "REC->prev_state & " ABOVE " ? \"+\" : \"\", "			\
	      "REC->next_comm, REC->next_pid, REC->next_prio")
#define PRINT_WAKEUP								\
	PRINT("\"comm=%s pid=%d prio=%d target_cpu=%03d\", REC->comm, "		\
	      "REC->pid, REC->prio, REC->target_cpu")
#define WAKEUP(name, id, sign)							\
	HEAD(name, id) COMMON							\
	FIELD("char comm[16]", 8, 16, sign)					\
	FIELD("pid_t pid", 24, 4, 1)						\
	FIELD("int prio", 28, 4, 1)						\
	FIELD("int target_cpu", 32, 4, 1)					\
	PRINT_WAKEUP

enum { SWITCHING, WOKEN, WAKEUP_NEW, MIGRATE, RUNTIME, NR };

static const char *const names[NR] = {
	"sched_switch", "sched_wakeup", "sched_wakeup_new", "sched_migrate_task",
	"sched_stat_runtime",
};

static const char waking_5_10[] =
	HEAD("sched_waking", "311") COMMON
	FIELD("char comm[16]", 8, 16, 1)
	FIELD("pid_t pid", 24, 4, 1)
	FIELD("int prio", 28, 4, 1)
	FIELD("int success", 32, 4, 1)
	FIELD("int target_cpu", 36, 4, 1)
	PRINT_WAKEUP;
static const char waking_6_1[] = WAKEUP("sched_waking", "317", 1);

static const char *const linux_6_1[NR] = {
	SWITCH("314", 1), WAKEUP("sched_wakeup", "316", 1), WAKEUP("sched_wakeup_new", "315", 1),
	HEAD("sched_migrate_task", "313") COMMON
	FIELD("char comm[16]", 8, 16, 1)
	FIELD("pid_t pid", 24, 4, 1)
	FIELD("int prio", 28, 4, 1)
	FIELD("int orig_cpu", 32, 4, 1)
	FIELD("int dest_cpu", 36, 4, 1)
	PRINT("\"comm=%s pid=%d prio=%d orig_cpu=%d dest_cpu=%d\", REC->comm, "
	      "REC->pid, REC->prio, REC->orig_cpu, REC->dest_cpu"),
	HEAD("sched_stat_runtime", "302") COMMON
	FIELD("char comm[16]", 8, 16, 1)
	FIELD("pid_t pid", 24, 4, 1)
	FIELD("u64 runtime", 32, 8, 0)
	FIELD("u64 vruntime", 40, 8, 0)
	PRINT("\"comm=%s pid=%d runtime=%Lu [ns] vruntime=%Lu [ns]\", REC->comm, "
	      "REC->pid, (unsigned long long)REC->runtime, "
	      "(unsigned long long)REC->vruntime"),
};

static const char *const linux_7[NR] = {
	SWITCH("310", 0), WAKEUP("sched_wakeup", "312", 0), WAKEUP("sched_wakeup_new", "311", 0),
	HEAD("sched_migrate_task", "309") COMMON
	FIELD("__data_loc char[] comm", 8, 4, 0)
	FIELD("pid_t pid", 12, 4, 1)
	FIELD("int prio", 16, 4, 1)
	FIELD("int orig_cpu", 20, 4, 1)
	FIELD("int dest_cpu", 24, 4, 1)
	PRINT("\"comm=%s pid=%d prio=%d orig_cpu=%d dest_cpu=%d\", "
	      "__get_str(comm), REC->pid, REC->prio, REC->orig_cpu, REC->dest_cpu"),
	HEAD("sched_stat_runtime", "297") COMMON
	FIELD("__data_loc char[] comm", 8, 4, 0)
	FIELD("pid_t pid", 12, 4, 1)
	FIELD("u64 runtime", 16, 8, 0)
	PRINT("\"comm=%s pid=%d runtime=%Lu [ns]\", __get_str(comm), REC->pid, "
	      "(unsigned long long)REC->runtime"),
};

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

static void set(const struct wp_tracepoint *tp, const char *field, void *raw, __s64 value)
{
	wp_tracepoint_set(wp_tracepoint_field(tp, field), raw, value);
}

static void set_text(const struct wp_tracepoint *tp, const char *field, void *raw,
		     const char *text)
{
	wp_tracepoint_set_text(wp_tracepoint_field(tp, field), raw, text);
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
	   "then where it is told");
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

struct world {
	struct wp_tracepoint tp[NR];
	struct wp_perfdata *pd;
	char path[64];
};

/* The tracepoints of a kernel; the sideband behind them, and raw samples of our own. */
static bool open_world(struct world *w, const char *const *formats)
{
	struct wp_perfdata_event ev[NR + 3];
	unsigned int i, nr = 0;

	memset(w, 0, sizeof(*w));
	snprintf(w->path, sizeof(w->path), "%s/perf.data", dir);
	unlink(w->path);
	for (i = 0; i < NR; i++) {
		if (wp_tracepoint_parse(&w->tp[i], "sched", names[i], formats[i],
					strlen(formats[i])))
			return false;
		wp_perfdata_event_tracepoint(&ev[nr++], &w->tp[i]);
	}
	wp_perfdata_event_sideband(&ev[nr++]);
	wp_perfdata_event_offcpu(&ev[nr]);
	wp_perfdata_event_raw(&ev[nr++], WP_RAW_HIST | WP_RAW_SINGLE);
	wp_perfdata_event_runnable(&ev[nr]);
	wp_perfdata_event_raw(&ev[nr++], WP_RAW_HIST | WP_RAW_SINGLE);
	return !wp_perfdata_open(&w->pd, &(struct wp_perfdata_options){
		.path = w->path, .events = ev, .nr_events = nr,
		.cpus = (int []){ 0, 1 }, .nr_cpus = 2 });
}

static bool close_world(struct world *w)
{
	unsigned int i;

	for (i = 0; i < NR; i++)
		wp_tracepoint_free(&w->tp[i]);
	return !wp_perfdata_close(w->pd, NULL);
}

static void comm(struct world *w, __u32 tid, const char *name)
{
	struct {
		struct perf_event_header header;
		__u32 pid, tid;
		char name[16];
		struct wp_sample_id id;
	} r = {
		.header.type = PERF_RECORD_COMM, .header.size = sizeof(r),
		.pid = tid, .tid = tid, .id.pid = tid, .id.tid = tid,
		.id.id = wp_perfdata_id(w->pd, NR, 0),
	};

	strcpy(r.name, name);
	wp_perfdata_write_record(w->pd, &r.header);
}

static void emit(struct world *w, unsigned int event, __u32 cpu, __u32 tid, __u64 ms,
		 const void *raw)
{
	static const __u64 ip[] = { 0xffffffff81000010 };

	wp_perfdata_write_sample(w->pd, &(struct wp_perfdata_sample){
		.event = event, .pid = tid, .tid = tid, .cpu = cpu,
		.time = 1000000000 + 1000000 * ms, .period = 1, .kernel_mode = true,
		.nr_kernel = 1, .kernel_ips = ip, .raw = raw, .nr_raw = w->tp[event].size });
}

/* Of a thread: what all but the switch have. */
static void about(struct world *w, unsigned int event, __u32 cpu, __u32 from, __u32 tid,
		  const char *name, __u64 ms, const char *field, __s64 value)
{
	const struct wp_tracepoint *tp = &w->tp[event];
	char raw[256];

	wp_tracepoint_begin(tp, raw, from);
	set_text(tp, "comm", raw, name);
	set(tp, "pid", raw, tid);
	set(tp, "prio", raw, 120);
	set(tp, "success", raw, 1);
	set(tp, "orig_cpu", raw, cpu);
	set(tp, field, raw, value);
	emit(w, event, cpu, from, ms, raw);
}

static void switching(struct world *w, __u32 cpu, __u32 prev, const char *prev_comm,
		      int state, __u32 next, const char *next_comm, __u64 ms)
{
	const struct wp_tracepoint *tp = &w->tp[SWITCHING];
	char raw[256];

	wp_tracepoint_begin(tp, raw, prev);
	set_text(tp, "prev_comm", raw, prev_comm);
	set(tp, "prev_pid", raw, prev);
	set(tp, "prev_prio", raw, 120);
	set(tp, "prev_state", raw, state);
	set_text(tp, "next_comm", raw, next_comm);
	set(tp, "next_pid", raw, next);
	set(tp, "next_prio", raw, 120);
	emit(w, SWITCHING, cpu, prev, ms, raw);
}

/*
 * alpha runs for 25 ms and wakes beta, which waits for 5 and runs for 10. It is told as
 * sched_wakeup: perf sched latency of 5.10 and 6.1 does not look at sched_waking.
 */
static bool write_world(struct world *w, const char *const *formats)
{
	if (!open_world(w, formats))
		return false;
	comm(w, 100, "alpha");
	comm(w, 200, "beta");
	comm(w, 300, "gamma");
	switching(w, 0, 0, "swapper/0", 0, 100, "alpha", 0);
	switching(w, 1, 0, "swapper/1", 0, 0, "swapper/1", 0);
	about(w, WOKEN, 0, 100, 200, "beta", 20, "target_cpu", 0);
	about(w, RUNTIME, 0, 100, 100, "alpha", 25, "runtime", 25000000);
	switching(w, 0, 100, "alpha", 1, 200, "beta", 25);
	about(w, WAKEUP_NEW, 0, 200, 300, "gamma", 30, "target_cpu", 0);
	about(w, MIGRATE, 0, 200, 300, "gamma", 31, "dest_cpu", 1);
	switching(w, 1, 0, "swapper/1", 0, 300, "gamma", 32);
	about(w, RUNTIME, 0, 200, 200, "beta", 35, "runtime", 10000000);
	switching(w, 0, 200, "beta", 2, 0, "swapper/0", 35);
	about(w, RUNTIME, 1, 300, 300, "gamma", 40, "runtime", 8000000);
	switching(w, 1, 300, "gamma", 1, 0, "swapper/1", 40);
	return close_world(w);
}

static const char *past(const char *p, const char *s)
{
	return p && !memcmp(p, s, strlen(s) + 1) ? p + strlen(s) + 1 : NULL;
}

/* A format in the file; NULL if it is another one. */
static const char *past_format(const char *p, const char *text, size_t len)
{
	__u64 n;

	if (!p)
		return NULL;
	memcpy(&n, p, 8);
	return n == len && !memcmp(p + 8, text, len) ? p + 8 + len : NULL;
}

static const char *past_u32(const char *p, __u32 v)
{
	return p && !memcmp(p, &v, 4) ? p + 4 : NULL;
}

static void test_file(void)
{
	static char data[1 << 20];
	struct wp_buf own = { 0 };
	const __u64 *h = (void *)data;
	const char *p, *end;
	struct world w;
	unsigned int i;
	__u64 sec[2];
	ssize_t n;
	int fd;

	ok(write_world(&w, linux_7), "a file with tracepoints");
	fd = open(w.path, O_RDONLY);
	n = read(fd, data, sizeof(data));
	close(fd);
	ok(n > 0 && h[9] >> WP_FEAT_TRACING_DATA & 1, "has their formats");
	/* The feature with the lowest number is the first. */
	memcpy(sec, data + h[5] + h[6], sizeof(sec));
	end = data + sec[0] + sec[1];
	p = data + sec[0] + 3 + 7 + 4 + 2 + 4;
	p = past(p, "header_page");
	memcpy(sec, p, 8);
	p = past(p + 8 + sec[0], "header_event");
	p = past_u32(p ? p + 8 : NULL, 0);
	p = past_u32(p, 2);
	p = past(p, "sched");
	p = past_u32(p, NR);
	for (i = 0; i < NR; i++)
		p = past_format(p, linux_7[i], strlen(linux_7[i]));
	ok(p != NULL, "of the kernel's system");
	wp_raw_format(&own, WP_RAW_HIST | WP_RAW_SINGLE);
	p = past(p, WP_RAW_SYSTEM);
	p = past_u32(p, 1);
	p = past_format(p, own.data, own.len);
	ok(p != NULL, "and of our own");
	p = past_u32(p, 0);
	p = past_u32(p, 0);
	ok(p == end, "and nothing else");
	wp_buf_free(&own);
}

/* Events in any order come out by system, in the order of the first of each. */
static void test_systems(void)
{
	static const struct wp_feature_format formats[] = {
		{ "b", "1", 1 }, { "a", "2", 1 }, { "b", "3", 1 }, { "c", "4", 1 }, { "a", "5", 1 },
	};
	static const char want[] =
		"\3\0\0\0" "b\0\2\0\0\0" "\1\0\0\0\0\0\0\0" "1" "\1\0\0\0\0\0\0\0" "3"
		"a\0\2\0\0\0" "\1\0\0\0\0\0\0\0" "2" "\1\0\0\0\0\0\0\0" "5"
		"c\0\1\0\0\0" "\1\0\0\0\0\0\0\0" "4" "\0\0\0\0" "\0\0\0";
	struct wp_features f = { 0 };
	const struct wp_buf *b = &f.sec[WP_FEAT_TRACING_DATA];

	wp_features_tracing(&f, formats, 0);
	ok(!b->len, "no format, no section");
	wp_features_tracing(&f, formats, 5);
	ok(b->len > sizeof(want) &&
	   !memcmp(b->data + b->len - sizeof(want), want, sizeof(want)), "events by system");
	wp_features_free(&f);
}

/* Whether perf says what a regular expression tells, and nothing on stderr. */
static bool perf_says(const struct world *w, const char *args, const char *regex)
{
	char cmd[1024];

	snprintf(cmd, sizeof(cmd),
		 "cd %s && perf %s -i perf.data >out 2>err </dev/null && [ ! -s err ] && "
		 "tr -s ' ' <out | grep -Eq -- '%s' || { sed 's/^/# /' out err; false; }",
		 dir, args, regex);
	return !system(cmd);
}

static void test_perf(const char *const *formats, const char *kernel)
{
	struct world w;

	if (system("perf version >/dev/null 2>&1")) {
		ok(1, "perf # SKIP there is none here");
		return;
	}
	ok(write_world(&w, formats), "a file with the formats of %s", kernel);
	ok(perf_says(&w, "script", "sched:sched_switch: .*prev_comm=alpha prev_pid=100 "
		     "prev_prio=120 prev_state=S ==> next_comm=beta next_pid=200 next_prio=120"),
	   "perf script: a switch");
	ok(perf_says(&w, "script", "sched:sched_migrate_task: .*comm=gamma pid=300 prio=120 "
		     "orig_cpu=0 dest_cpu=1"), "perf script: a migration");
	ok(perf_says(&w, "script", "sched:sched_stat_runtime: .*comm=beta pid=200 "
		     "runtime=10000000"), "perf script: a runtime");
	ok(perf_says(&w, "sched latency", "beta:200 \\| 10.000 ms \\| 1 \\| avg: 5.000 ms"),
	   "perf sched latency");
	ok(perf_says(&w, "sched timehist", "\\[0000\\] beta\\[200\\] 0.000 5.000 10.000"),
	   "perf sched timehist");
	ok(perf_says(&w, "sched map", "B0 => beta:200"), "perf sched map");
	ok(perf_says(&w, "sched script", "sched:sched_wakeup: .*comm=beta pid=200"),
	   "perf sched script");
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
	test_file();
	test_systems();
	test_perf(linux_6_1, "6.1");
	test_perf(linux_7, "7");
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	return system(cmd) ? 2 : done();
}
