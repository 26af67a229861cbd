// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of names and figures in columns: none is wider than there is room.
 */
#include <locale.h>
#include <string.h>

#include "lib/base/columns.h"
#include "lib/base/text.h"
#include "tap.h"

typedef size_t (*cut_fn)(char *to, size_t size, const char *name, size_t width);

static void check(cut_fn cut, const char *name, size_t width, const char *wanted)
{
	char to[128];
	size_t columns = cut(to, sizeof(to), name, width);

	ok(!strcmp(to, wanted) && columns == wp_text_columns(to) && columns <= width,
	   "'%s' in %zu is '%s', %zu wide", name, width, to, columns);
}

/* Of no width and of no room is what is cut too wide. */
static void never_too_wide(cut_fn cut, const char *name)
{
	size_t width, size, bad = 0;
	char to[300];

	for (width = 0; width < 40; width++) {
		for (size = 1; size < 80; size++) {
			memset(to, 'x', sizeof(to));
			bad += cut(to, size, name, width) > width || strlen(to) >= size;
		}
	}
	ok(!bad, "'%s' is never too wide", name);
}

static void share(const size_t *wanted, const size_t *least, size_t room, const size_t *is)
{
	size_t width[3];

	wp_columns_share(width, wanted, least, 3, room);
	ok(!memcmp(width, is, sizeof(width)), "%zu,%zu,%zu in %zu: %zu,%zu,%zu", wanted[0],
	   wanted[1], wanted[2], room, width[0], width[1], width[2]);
}

static void time_is(__u64 ns, const char *wanted)
{
	char to[16];

	wp_columns_time(to, ns);
	ok(!strcmp(to, wanted), "%llu ns: %s", (unsigned long long)ns, to);
}

int main(void)
{
	static const char cpp[] = "ns::vec<std::pair<int, char>>::push(std::string const&)";
	const size_t least[] = { 10, 10, 5 };

	setlocale(LC_CTYPE, "C");
	check(wp_columns_cut, "handle_request", 14, "handle_request");
	check(wp_columns_cut, "handle_request", 10, "handle_...");
	check(wp_columns_cut, "handle", 3, "han");
	check(wp_columns_cut, "", 0, "");
	check(wp_columns_cut, "handle", 0, "");
	check(wp_columns_path, "/var/lib/db/file", 10, "...db/file");
	check(wp_columns_path, "/var/log", 10, "/var/log");
	setlocale(LC_CTYPE, "C.UTF-8");
	check(wp_columns_cut, "handle_request", 10, "handle_re…");
	check(wp_columns_cut, "äöüäöü", 4, "äöü…");
	check(wp_columns_path, "/var/lib/db/file", 10, "…b/db/file");
	check(wp_columns_name, cpp, 60, cpp);
	check(wp_columns_name, cpp, 50, "ns::vec<std::pair<int, char>>::push");
	check(wp_columns_name, cpp, 20, "ns::vec<>::push");
	check(wp_columns_name, cpp, 12, "vec<>::push");
	check(wp_columns_name, cpp, 8, "push");
	check(wp_columns_name, "(anonymous namespace)::f(int)", 26, "(anonymous namespace)::f");
	check(wp_columns_name, "a::operator<(b const&)", 12, "a::operator<");
	check(wp_columns_name, "a::operator()(int)", 14, "a::operator()");
	check(wp_columns_name, "main.(*Server).handle", 30, "main.(*Server).handle");
	check(wp_columns_name, "f(", 1, "f");
	never_too_wide(wp_columns_cut, "handle_request_of_a_client");
	never_too_wide(wp_columns_cut, "äöü…äöü…äöü…äöü…äöü…äöü…äöü…äöü…äöü…");
	never_too_wide(wp_columns_path, "/var/lib/äöü/file/äöü/file");
	never_too_wide(wp_columns_name, cpp);
	share((size_t[]){ 4, 4, 4 }, least, 30, (size_t[]){ 4, 4, 4 });
	share((size_t[]){ 40, 4, 4 }, least, 30, (size_t[]){ 22, 4, 4 });
	share((size_t[]){ 40, 40, 40 }, least, 31, (size_t[]){ 12, 12, 7 });
	share((size_t[]){ 40, 40, 40 }, least, 3, (size_t[]){ 10, 10, 5 });
	time_is(0, "0 ns");
	time_is(999, "999 ns");
	time_is(999499, "999 us");
	time_is(999500, "1.00 ms");
	time_is(1234, "1.23 us");
	time_is(12345678, "12.3 ms");
	time_is(374000000, "374 ms");
	time_is(7265216363, "7.27 s");
	time_is(86400000000000, "86400 s");
	time_is(~0ULL, "18446744074 s");
	return done();
}
