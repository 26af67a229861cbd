// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of functions' names: those of this program, of files that are others than were
 * recorded, damaged, or no files, and of the kernel's image for processes.
 */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buildid.h"
#include "lib/symbols/buildids.h"
#include "lib/symbols/symbols.h"
#include "tap.h"

static struct wp_symbols *symbols;
static char self[4096];
static char dir[] = "/tmp/wp-symbols-XXXXXX";

/* Named as a C++ compiler names ns::thing::run(int). */
__attribute__((noinline)) void _ZN2ns5thing3runEi(int n);
__attribute__((noinline)) void _ZN2ns5thing3runEi(int n)
{
	__asm__ volatile("" : : "r"(n));
}

/* A local symbol, named as the stub of another one is. */
__asm__(".text\n"
	".type stub_of_halt, %function\n"
	"stub_of_halt:\n"
	"\"_ZN2ns5thing4haltEv@plt\":\n"
	".type \"_ZN2ns5thing4haltEv@plt\", %function\n"
	".size \"_ZN2ns5thing4haltEv@plt\", 16\n"
	".skip 16\n");
extern const char stub_of_halt[] __attribute__((visibility("hidden")));

/*
 * The compiler puts two functions into a third; one of them is named as by C++. Labels
 * that begin with a dot are no functions.
 */
extern const char innermost[] __asm__(".innermost") __attribute__((visibility("hidden")));
extern const char between[] __asm__(".between") __attribute__((visibility("hidden")));
extern const char outside[] __asm__(".outside") __attribute__((visibility("hidden")));

static inline __attribute__((always_inline)) void _ZN2ns4turnEv(void)
{
	__asm__ volatile(".innermost: nop");
}

static inline __attribute__((always_inline)) void turns(void)
{
	_ZN2ns4turnEv();
	__asm__ volatile(".between: nop");
}

__attribute__((noinline)) static void whole(void)
{
	__asm__ volatile(".outside: nop");
	turns();
	__asm__ volatile("nop");
}

/* Where in this program's file something is. */
static __u64 offset_of(const void *p)
{
	unsigned long start, end, offset;
	FILE *f = fopen("/proc/self/maps", "r");
	char line[4500];
	__u64 found = 0;

	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 &&
		    (unsigned long)p >= start && (unsigned long)p < end)
			found = (unsigned long)p - start + offset;
	}
	fclose(f);
	return found;
}

static const char *name_at(__u32 file, __u64 offset)
{
	struct wp_symbol symbol;

	return wp_symbols_find(symbols, file, offset, &symbol) ? symbol.name : "-";
}

static void is(const char *got, const char *wanted, const char *what)
{
	if (!ok(got && !strcmp(got, wanted), "%s", what))
		printf("# %s, not %s\n", got ? got : "nothing", wanted);
}

static __u32 elf(const char *path, const struct wp_buildid *id)
{
	return wp_symbols_file(symbols, WP_SYMBOLS_ELF, path, id, 1);
}

/* Of a program: in its data, in what is zeroes, and one that is read only. */
static struct {
	long size;
	char text[24];
} in_data = { 1, "" };

static char in_zeroes[1 << 16];

static const char *variable_at(__u32 file, const void *p, __u64 *start)
{
	__u64 code = (unsigned long)_ZN2ns5thing3runEi;
	struct wp_symbol symbol;

	*start = 0;
	if (!wp_symbols_variable(symbols, file, offset_of(_ZN2ns5thing3runEi),
				 (unsigned long)p - code, &symbol))
		return "-";
	*start = symbol.start;
	return symbol.name;
}

static void begin_with(const struct wp_symbols_options *options)
{
	wp_symbols_free(symbols);
	wp_symbols_new(&symbols, options);
}

static void begin(bool raw)
{
	begin_with(&(struct wp_symbols_options){ .raw = raw });
}

/* Only two names are asked for, one of which there is. */
static void only_some(void)
{
	__u64 at = offset_of(_ZN2ns5thing3runEi), distance, size, start;
	const struct wp_symbols_options options = { .only = "in_data\0nothing\0" };
	__u32 data, code;

	begin_with(&options);
	code = elf(self, NULL);
	data = wp_symbols_data(symbols, code);
	ok(wp_symbols_range(symbols, data, at, "in_data", &distance, &size) &&
	   size == sizeof(in_data) &&
	   distance == (unsigned long)&in_data - (unsigned long)_ZN2ns5thing3runEi,
	   "one of two names that are asked for");
	ok(!wp_symbols_range(symbols, data, at, "nothing", &distance, &size) &&
	   !wp_symbols_range(symbols, code, at, "_ZN2ns5thing3runEi", &distance, &size),
	   "no other one");
	is(variable_at(data, in_zeroes, &start), "-", "the other variables have no names");
}

static void variables(void)
{
	__u64 start;
	__u32 file;

	begin(false);
	__asm__ volatile("" : : "r"(&in_data), "r"(in_zeroes) : "memory");
	file = wp_symbols_file(symbols, WP_SYMBOLS_DATA, self, NULL, 1);
	is(variable_at(file, &in_data, &start), "in_data", "a variable");
	is(variable_at(file, &in_data.text[3], &start), "in_data", "within it");
	ok(start == offsetof(typeof(in_data), text) + 3, "how far within: %d", (int)start);
	only_some();
	begin(false);
	file = wp_symbols_file(symbols, WP_SYMBOLS_DATA, self, NULL, 1);
	is(variable_at(file, in_zeroes + sizeof(in_zeroes) - 1, &start), "in_zeroes",
	   "the last byte of one that the file does not hold");
	is(variable_at(file, variables, &start), "-", "a function is none");
	is(variable_at(file, &start, &start), "-", "nothing is outside of the file's memory");
}

/*
 * Segments of lld begin within pages of the file: with its code the end of what is before
 * that is mapped. A copy of this program is made to look so.
 */
static void within_page(void)
{
	const __u64 part = 0x7f0;
	__u64 from = 0, code = (unsigned long)_ZN2ns5thing3runEi;
	char path[sizeof(dir) + 8], *image = malloc(64 << 20);
	FILE *f = fopen(self, "r"), *to;
	Elf64_Ehdr *head = (void *)image;
	struct wp_symbol symbol;
	Elf64_Phdr *p;
	size_t len, i;
	__u32 file;

	len = fread(image, 1, 64 << 20, f);
	fclose(f);
	p = (void *)(image + head->e_phoff);
	for (i = 1; i < head->e_phnum && !(p[i].p_type == PT_LOAD && p[i].p_flags & PF_X); i++)
		;
	if (ok(i < head->e_phnum && p[i - 1].p_type == PT_LOAD, "a segment with code behind one")) {
		from = p[i].p_offset;
		p[i - 1].p_filesz = p[i - 1].p_memsz = from + part - p[i - 1].p_offset;
		p[i - 1].p_vaddr += 1ULL << 40;
		p[i].p_offset += part;
		p[i].p_vaddr += part;
		p[i].p_filesz -= part;
		p[i].p_memsz -= part;
	}
	snprintf(path, sizeof(path), "%s/page", dir);
	to = fopen(path, "w");
	fwrite(image, 1, len, to);
	fclose(to);
	free(image);
	begin(false);
	file = wp_symbols_file(symbols, WP_SYMBOLS_DATA, path, NULL, 1);
	code -= offset_of(_ZN2ns5thing3runEi) - from;
	ok(wp_symbols_variable(symbols, file, from, (unsigned long)&in_data - code, &symbol),
	   "a variable of a file whose code begins within a page");
	is(symbol.name, "in_data", "its name");
	unlink(path);
}

static void own(void)
{
	struct wp_buildid id, other;
	struct wp_symbol symbol;
	__u64 at = offset_of(_ZN2ns5thing3runEi);
	__u32 file;

	begin(false);
	buildid_of_file(self, &id);
	file = elf(self, &id);
	is(name_at(file, offset_of(own)), "own", "a function of this program");
	is(name_at(file, offset_of(own) + 5), "own", "behind its first byte");
	is(name_at(file, at), "ns::thing::run", "a name of C++");
	is(name_at(file, offset_of(stub_of_halt) + 1), "ns::thing::halt@plt", "a stub of it");
	ok(wp_symbols_find(symbols, file, at, &symbol) && symbol.start == at && symbol.size &&
	   !symbol.module, "where it begins");
	ok(!wp_symbols_trouble(symbols, file), "no trouble");
	is(name_at(file, ~0ULL), "-", "nothing is behind the file's end");
	other = id;
	other.data[0] ^= 1;
	file = elf(self, &other);
	is(name_at(file, at), "-", "another build-id: no names");
	ok(strstr(wp_symbols_trouble(symbols, file), "build-id") != NULL, "which is reported");
	begin(true);
	is(name_at(elf(self, NULL), at), "_ZN2ns5thing3runEi", "as the linker has it");
}

/* Those that are inlined at a place of this program, and the function that they are in. */
static const char *all_at(__u32 file, const char *place)
{
	static char text[256];
	char **names;
	size_t nr = wp_symbols_inlined(symbols, file, offset_of(place), &names), i;

	text[0] = 0;
	for (i = 0; i < nr; i++) {
		strcat(text, names[i]);
		strcat(text, " in ");
	}
	return strcat(text, name_at(file, offset_of(place)));
}

static void inlined(void)
{
	const struct wp_symbols_options options = { .inlines = true };
	const struct wp_symbols_options raw = { .inlines = true, .raw = true };
	__u32 file;
	char **names;

	whole();
	begin_with(&options);
	file = elf(self, NULL);
	is(all_at(file, innermost), "ns::turn in turns in whole", "what is inlined twice");
	is(all_at(file, between), "turns in whole", "what is inlined once");
	is(all_at(file, outside), "whole", "where nothing is");
	is(all_at(file, innermost), "ns::turn in turns in whole", "again");
	ok(!wp_symbols_inlined(symbols, file, ~0ULL, &names), "behind the file's end nothing is");
	file = elf("/nowhere/file", NULL);
	ok(!wp_symbols_inlined(symbols, file, 0, &names), "nor in a file that is not there");
	begin_with(&raw);
	is(all_at(elf(self, NULL), innermost), "_ZN2ns4turnEv in turns in whole",
	   "as the linker has it");
	begin(false);
	is(all_at(elf(self, NULL), innermost), "whole", "nothing, if it is not asked for");
}

static void write_file(const char *name, const void *data, size_t len)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (write(fd, data, len) != (ssize_t)len)
		perror(name);
	close(fd);
}

static void no_files(void)
{
	char path[100];
	char event[sizeof(struct inotify_event) + NAME_MAX + 1];
	__u32 file;
	int watch;

	begin(false);
	file = elf("/nowhere/at/all", NULL);
	is(name_at(file, 0), "-", "a file that is not there");
	is(wp_symbols_trouble(symbols, file), "it is not there", "which is reported");
	snprintf(path, sizeof(path), "%s/fifo", dir);
	mkfifo(path, 0600);
	watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	inotify_add_watch(watch, path, IN_OPEN);
	file = elf(path, NULL);
	is(name_at(file, 0), "-", "a pipe is not waited for");
	ok(read(watch, event, sizeof(event)) < 0 && errno == EAGAIN, "nor is it opened");
	close(watch);
	is(wp_symbols_trouble(symbols, file), "it cannot be opened", "as no file of names");
	unlink(path);
	file = elf(dir, NULL);
	is(name_at(file, 0), "-", "a directory");
	file = elf("/dev/zero", NULL);
	is(name_at(file, 0), "-", "a device");
	snprintf(path, sizeof(path), "%s/text", dir);
	write_file(path, "text", 4);
	file = elf(path, NULL);
	is(name_at(file, 0), "-", "a text");
	ok(wp_symbols_trouble(symbols, file) != NULL, "which is reported");
	file = wp_symbols_file(symbols, WP_SYMBOLS_JIT, "//anon", NULL, 0x7fffffff);
	is(name_at(file, 0x1000), "-", "a process without a list");
	file = wp_symbols_file(symbols, WP_SYMBOLS_KERNEL, "[kernel.kallsyms]", NULL, -1);
	is(name_at(file, 0xffffffff81000000), "-", "a kernel without symbols");
	ok(strstr(wp_symbols_trouble(symbols, file), "--kallsyms") != NULL, "and what to do");
	unlink(path);
}

/* What perf's cache has of a build-id. */
static void cached_path(char *path, size_t size, const struct wp_buildid *id, const char *what)
{
	int len = snprintf(path, size, "%s/.build-id", dir);
	unsigned int i;

	mkdir(path, 0700);
	len += snprintf(path + len, size - len, "/%02x", id->data[0]);
	mkdir(path, 0700);
	len += snprintf(path + len, size - len, "/");
	for (i = 1; i < id->size; i++)
		len += snprintf(path + len, size - len, "%02x", id->data[i]);
	mkdir(path, 0700);
	snprintf(path + len, size - len, "/%s", what);
}

/* Away with it, and the directories that it is in. */
static void uncache(char *path)
{
	unlink(path);
	while (strrchr(path, '/') > path + strlen(dir)) {
		*strrchr(path, '/') = 0;
		rmdir(path);
	}
}

static void cached(void)
{
	static const char list[] = "ffffffff81000000 T _text\nffffffff81000100 T listed\n"
		"ffffffff81000200 T behind\nffffffffc0000000 t _text\t[module]\n";
	struct wp_buildid id, other;
	char path[300];
	__u32 file;

	buildid_of_file(self, &id);
	other = id;
	other.data[3] ^= 1;
	setenv("PERF_BUILDID_DIR", dir, 1);
	begin(false);
	is(name_at(elf("/nowhere/file", &id), offset_of(own)), "-", "what is nowhere");
	cached_path(path, sizeof(path), &id, "elf");
	if (symlink(self, path))
		perror(path);
	begin(false);
	is(name_at(elf("/nowhere/file", &id), offset_of(own)), "own",
	   "a file that is not there, by its build-id");
	is(name_at(elf("/usr/bin/env", &id), offset_of(own)), "own",
	   "one in whose place there is another");
	file = elf("/nowhere/file", &other);
	is(name_at(file, offset_of(own)), "-", "not by another build-id");
	is(wp_symbols_trouble(symbols, file), "it is not there", "which is reported as ever");
	begin_with(&(struct wp_symbols_options){ .symfs = "/" });
	is(name_at(elf("/nowhere/file", &id), offset_of(own)), "-",
	   "not if another directory is asked for");
	uncache(path);
	cached_path(path, sizeof(path), &other, "elf");
	if (symlink(self, path))
		perror(path);
	begin(false);
	is(name_at(elf("/nowhere/file", &other), offset_of(own)), "-",
	   "what the cache has under a wrong build-id");
	uncache(path);
	cached_path(path, sizeof(path), &other, "kallsyms");
	write_file(path, list, sizeof(list) - 1);
	begin(false);
	file = wp_symbols_file(symbols, WP_SYMBOLS_KERNEL, "[kernel.kallsyms]", &other, -1);
	is(name_at(file, 0xffffffff81000108), "listed", "a kernel's list in the cache");
	is(name_at(file, 0xffffffffc0000000), "_text", "a module there");
	if (!geteuid() && !chown(path, 12345, -1)) {
		begin(false);
		file = wp_symbols_file(symbols, WP_SYMBOLS_KERNEL, "[kernel.kallsyms]", &other, -1);
		is(name_at(file, 0xffffffff81000108), "-", "not one of another user");
		if (chown(path, 0, -1) || truncate(path, (off_t)1 << 40))
			perror(path);
		begin(false);
		file = wp_symbols_file(symbols, WP_SYMBOLS_KERNEL, "[kernel.kallsyms]", &other, -1);
		is(name_at(file, 0xffffffff81000108), "-", "nor one of 1 TiB");
		write_file(path, list, sizeof(list) - 1);
	}
	begin(false);
	wp_symbols_kernel(symbols, "_text", 0xffffffff92000000);
	file = wp_symbols_file(symbols, WP_SYMBOLS_KERNEL, "[kernel.kallsyms]", &other, -1);
	is(name_at(file, 0xffffffff92000108), "listed",
	   "the list of a kernel that was elsewhere when it was recorded");
	is(name_at(file, 0xffffffff81000108), "-", "where it is now, nothing was");
	is(name_at(file, 0xffffffffc0000000), "-", "nor is it known where modules were");
	begin(false);
	wp_symbols_kernel(symbols, "no_such_label", 0xffffffff92000000);
	file = wp_symbols_file(symbols, WP_SYMBOLS_KERNEL, "[kernel.kallsyms]", &other, -1);
	is(name_at(file, 0xffffffff81000108), "listed", "a list without the label is believed");
	uncache(path);
	unsetenv("PERF_BUILDID_DIR");
}

/* A server, whose address may be that of a directory. */
static void served(void)
{
	char root[64], path[300], url[80], cache[80], command[200];
	struct wp_buildid id;
	unsigned int i;
	int len;

	if (!dlopen("libdebuginfod.so.1", RTLD_LAZY)) {
		printf("# no libdebuginfod: not tested\n");
		return;
	}
	buildid_of_file(self, &id);
	snprintf(root, sizeof(root), "%s/served", dir);
	snprintf(url, sizeof(url), "file://%s/", root);
	snprintf(cache, sizeof(cache), "%s/cache", root);
	mkdir(root, 0700);
	len = snprintf(path, sizeof(path), "%s/buildid", root);
	mkdir(path, 0700);
	len += snprintf(path + len, sizeof(path) - len, "/");
	for (i = 0; i < id.size; i++)
		len += snprintf(path + len, sizeof(path) - len, "%02x", id.data[i]);
	mkdir(path, 0700);
	snprintf(path + len, sizeof(path) - len, "/executable");
	if (symlink(self, path))
		perror(path);
	setenv("DEBUGINFOD_CACHE_PATH", cache, 1);
	begin(false);
	is(name_at(elf("/nowhere/file", &id), offset_of(own)), "-", "no server is asked");
	setenv("DEBUGINFOD_URLS", url, 1);
	begin(false);
	is(name_at(elf("/nowhere/file", &id), offset_of(own)), "own", "what a server has");
	unsetenv("DEBUGINFOD_URLS");
	unsetenv("DEBUGINFOD_CACHE_PATH");
	snprintf(command, sizeof(command), "rm -rf %s", root);
	if (system(command))
		perror(root);
}

/* This program as a kernel that was moved. */
static void vmlinux(void)
{
	const __u64 text = 0xffffffffa1234000;
	const __u64 at = text + ((const char *)inlined - (const char *)own);
	struct wp_buildid id, other;
	__u32 file;

	buildid_of_file(self, &id);
	other = id;
	other.data[0] ^= 1;
	begin_with(&(struct wp_symbols_options){ .vmlinux = self });
	wp_symbols_kernel(symbols, "own", text);
	file = wp_symbols_file(symbols, WP_SYMBOLS_KERNEL, "[kernel.kallsyms]", &id, -1);
	is(name_at(file, at), "inlined", "a function of the kernel's image");
	is(name_at(file, at + 1), "inlined", "within it");
	is(name_at(file, 0x1000), "-", "what is none of its addresses");
	file = wp_symbols_file(symbols, WP_SYMBOLS_KERNEL, "[kernel.kallsyms]", NULL, -1);
	is(name_at(file, at), "inlined", "without a build-id");
	file = wp_symbols_file(symbols, WP_SYMBOLS_KERNEL, "[kernel.kallsyms]", &other, -1);
	is(name_at(file, at), "-", "another kernel's image");
	ok(strstr(wp_symbols_trouble(symbols, file), "build-id") != NULL, "which is reported");
	begin_with(&(struct wp_symbols_options){ .vmlinux = self });
	file = wp_symbols_file(symbols, WP_SYMBOLS_KERNEL, "[kernel.kallsyms]", &id, -1);
	is(name_at(file, at), "-", "a recording without the kernel's place");
	wp_symbols_kernel(symbols, "no_such_label", text);
	file = wp_symbols_file(symbols, WP_SYMBOLS_KERNEL, "[kernel.kallsyms]", &id, -1);
	is(name_at(file, at), "-", "an image without that label");
	is(wp_symbols_trouble(symbols, file), "it is not the kernel's image", "as is reported");
	begin_with(&(struct wp_symbols_options){ .vmlinux = "/nowhere" });
	file = wp_symbols_file(symbols, WP_SYMBOLS_KERNEL, "[kernel.kallsyms]", &id, -1);
	is(name_at(file, at), "-", "an image that is not there");
}

static void vdso(void)
{
	__u32 file;
	unsigned int i, named = 0;

	begin(false);
	file = wp_symbols_file(symbols, WP_SYMBOLS_VDSO, "[vdso]", NULL, 1);
	for (i = 0; i < 0x2000; i += 16)
		named += strstr(name_at(file, i), "clock_gettime") != NULL;
	ok(named, "clock_gettime() of the vdso");
}

/* This program's first pages, with bytes changed, and cut: whatever it says, no harm. */
static void damaged(void)
{
	static unsigned char data[1 << 22];
	int fd = open(self, O_RDONLY);
	ssize_t len = read(fd, data, sizeof(data));
	unsigned int seed = 1, i;
	char path[100];

	close(fd);
	snprintf(path, sizeof(path), "%s/damaged", dir);
	for (i = 0; i < 60; i++) {
		ssize_t cut = i % 3 ? len : rand_r(&seed) % len, at;
		unsigned char was[8];
		unsigned int k;

		at = i % 2 ? rand_r(&seed) % 1024 : rand_r(&seed) % (len - 8);
		memcpy(was, data + at, sizeof(was));
		for (k = 0; k < sizeof(was); k++)
			data[at + k] = rand_r(&seed);
		write_file(path, data, cut);
		memcpy(data + at, was, sizeof(was));
		begin(false);
		name_at(elf(path, NULL), offset_of(own));
	}
	unlink(path);
	ok(1, "damaged files do no harm");
}

int main(void)
{
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (len < 0 || !mkdtemp(dir))
		return 1;
	/* No server of who runs this. */
	unsetenv("DEBUGINFOD_URLS");
	_ZN2ns5thing3runEi(1);
	variables();
	within_page();
	own();
	inlined();
	no_files();
	cached();
	served();
	vmlinux();
	vdso();
	damaged();
	wp_symbols_free(symbols);
	rmdir(dir);
	return done();
}
