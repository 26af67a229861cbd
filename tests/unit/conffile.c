// SPDX-License-Identifier: GPL-2.0
/* Unit test for conffile.c: settings of a text, and files that must not be read. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/conffile.h"
#include "lib/base/err.h"
#include "tap.h"

/* All lines of a text, as "nr:name=value;" or "nr!". */
static const char *parse(const char *bytes, size_t size)
{
	static char all[1000];
	struct wp_conffile f = { .text = malloc(size + 1), .size = size };
	struct wp_conffile_line line;
	size_t at = 0;

	memcpy(f.text, bytes, size);
	f.text[size] = 0;
	*all = 0;
	while (wp_conffile_next(&f, &line) && at < sizeof(all)) {
		if (line.problem)
			at += snprintf(all + at, sizeof(all) - at, "%u!", line.nr);
		else
			at += snprintf(all + at, sizeof(all) - at, "%u:%s=%s;", line.nr, line.name,
				       line.value);
	}
	free(f.text);
	return all;
}

static void is(const char *text, size_t size, const char *wanted, const char *what)
{
	const char *got = parse(text, size);

	if (!ok(!strcmp(got, wanted), "%s", what))
		printf("# '%s', not '%s'\n", got, wanted);
}

#define IS(text, wanted, what)	is(text, sizeof(text) - 1, wanted, what)

static void texts(void)
{
	char *long_line = malloc(WP_CONFFILE_SIZE);
	struct wp_conffile f = { .text = long_line, .size = WP_CONFFILE_SIZE - 1 };
	struct wp_conffile_line line;

	IS("", "", "an empty file");
	IS("\n\n \t\n", "", "empty lines");
	IS("a=1\nb = 2\n\t c\t=\t3 4 \n", "1:a=1;2:b=2;3:c=3 4;", "settings");
	IS("a=1\nb=2", "1:a=1;2:b=2;", "no newline at the end");
	IS("a=1\r\nb=2\r\n", "1:a=1;2:b=2;", "lines of other systems");
	IS("# a=1\n  # a=2\nb=3 # 4\n#\nc=5#6\n", "3:b=3;5:c=5#6;", "comments");
	IS("a=b=c\n", "1:a=b=c;", "the first '=' counts");
	IS("a\n=1\na=\na= # 1\nb=2\n", "1!2!3!4!5:b=2;", "lines that are no settings");
	IS("a=1\nb=2\0#3\nc=4\n", "1:a=1;2!3:c=4;", "a NUL byte");
	IS("\0", "1!", "nothing but a NUL byte");
	memset(long_line, 'x', WP_CONFFILE_SIZE - 1);
	long_line[WP_CONFFILE_SIZE - 1] = 0;
	long_line[1] = '=';
	ok(wp_conffile_next(&f, &line) && !line.problem && !strcmp(line.name, "x") &&
	   strlen(line.value) == WP_CONFFILE_SIZE - 3 && !wp_conffile_next(&f, &line),
	   "a line as long as a file may be");
	free(long_line);
}

static void make(const char *path, const char *text, size_t size, mode_t mode)
{
	FILE *f = fopen(path, "w");

	if (!f || fwrite(text, 1, size, f) != size || fclose(f) || chmod(path, mode))
		printf("Bail out! cannot write %s\n", path);
}

static void refused(const char *path, int err, const char *why)
{
	char *text;
	size_t size;
	int ret = wp_conffile_read(path, &text, &size);

	ok(ret == err && !text && strstr(wp_last_error(), why), "%s: %s", path, wp_last_error());
	free(text);
}

static void files(void)
{
	char *big = calloc(1, WP_CONFFILE_SIZE + 1), *text;
	size_t size;

	make("good", "a=1\n", 4, 0640);
	ok(!wp_conffile_read("good", &text, &size) && size == 4 && !strcmp(text, "a=1\n"),
	   "a file is read");
	free(text);
	make("whole", big, WP_CONFFILE_SIZE, 0600);
	ok(!wp_conffile_read("whole", &text, &size) && size == WP_CONFFILE_SIZE && !text[size],
	   "the largest file is read");
	free(text);
	make("big", big, WP_CONFFILE_SIZE + 1, 0600);
	refused("big", -EINVAL, "larger than 64 kB");
	refused("none", -ENOENT, "No such file");
	refused(".", -EINVAL, "not a regular file");
	refused("/dev/zero", -EINVAL, "not a regular file");
	if (!mkfifo("fifo", 0600))
		refused("fifo", -EINVAL, "not a regular file");
	make("group", "a=1\n", 4, 0660);
	refused("group", -EINVAL, "can write it: chmod go-w it");
	make("all", "a=1\n", 4, 0602);
	refused("all", -EINVAL, "can write it: chmod go-w it");
	if (!geteuid()) {
		make("others", "a=1\n", 4, 0600);
		ok(!chown("others", 65534, -1), "a file of another user");
		refused("others", -EINVAL, "belongs to another user");
	}
	free(big);
}

int main(void)
{
	char dir[] = "/tmp/wallprof-conffile.XXXXXX";
	char command[100];

	texts();
	if (!mkdtemp(dir) || chdir(dir))
		return 1;
	files();
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command) ? 1 : done();
}
