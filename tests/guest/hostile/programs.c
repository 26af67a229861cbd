// SPDX-License-Identifier: GPL-2.0
/*
 * Programs: made from nothing, made from the corpus, read from a file, written
 * to one. What is made follows from the stream of random numbers and the corpus
 * alone, not from what comes of it, so that a seed gives it again.
 *
 * The text is a line for each call: its name and NAME=VALUE for each argument.
 * A value is a number, or a name where the argument has names; "right" is what
 * the call itself knows best. Arguments that are not named are 0; what begins
 * with # is a comment.
 */
#include <dirent.h>

#include "fuzz.h"

/* Of a hundred programs, how many are made of the corpus, and others START. */
#define CORPUS	20
#define LIVES	30

static const char *const command_names[] = {
	"info", "configure", "start", "flip", "stop", "status", "push", "maps",
	"live", "event", "count", "read", NULL
};

unsigned int names_nr(const char *const *names)
{
	unsigned int nr = 0;

	while (names[nr])
		nr++;
	return nr;
}

unsigned int op_named(const char *name)
{
	for (unsigned int i = 0; i < nr_ops; i++)
		if (!strcmp(ops[i].name, name))
			return i;
	fprintf(stderr, "fuzz: there is no call %s\n", name);
	exit(125);
}

/*
 * Values.
 */
static const __u64 edges[] = {
	0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 63, 64, 65, 99, 100, 101, 126, 127, 128, 129, 255,
	256, 257, 511, 512, 1000, 2047, 2048, 4095, 4096, 4097, 8192, 65535, 65536,
	100000, 100001, (1 << 18) - 1, 1 << 18, (1 << 18) + 1, (1 << 20) - 1, 1 << 20,
	(1 << 20) + 1, 1 << 21, 1 << 22, (1 << 22) + 1, 1 << 23, 1 << 30,
	0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff, 0x100000000ULL,
	0x7fffffffffffffffULL, 0x8000000000000000ULL, 0xffffffffffff0000ULL, ~0ULL - 1,
	~0ULL,
};

static __u64 any_value(struct random *r)
{
	__u64 value = edges[random_below(r, ARRAY_SIZE(edges))];

	switch (random_below(r, 8)) {
	case 0:
		return random_next(r) >> random_below(r, 64);
	case 1:
		return 1ULL << random_below(r, 64);
	case 2:
		return value + random_below(r, 9) - 4;
	default:
		return value;
	}
}

static __u64 any_bytes(struct random *r)
{
	if (random_chance(r, 10))
		return any_value(r);
	return random_below(r, 40) * PAGE + (random_chance(r, 5) ? random_below(r, PAGE) : 0);
}

static __u64 any_size(struct random *r)
{
	static const __u64 known[] = {
		sizeof(struct wallprof_info), sizeof(struct wallprof_configure),
		sizeof(struct wallprof_start), sizeof(struct wallprof_flip),
		sizeof(struct wallprof_status), sizeof(struct wallprof_push),
		sizeof(struct wallprof_maps), PAGE,
	};

	if (random_chance(r, 80))
		return RIGHT;
	if (random_chance(r, 50))
		return known[random_below(r, ARRAY_SIZE(known))] + random_below(r, 17) - 8;
	return (__u32)any_value(r);
}

static __u64 any_command(struct random *r)
{
	switch (random_below(r, 6)) {
	case 0:
		return WALLPROF_IOC_INFO + random_below(r, 10);
	case 1:
		return _IOC(random_below(r, 4), WALLPROF_IOC_TYPE, random_below(r, 10),
			    random_below(r, 256));
	case 2:
		return WALLPROF_IOC_INFO + random_below(r, 256);
	case 3:
		return _IO(random_below(r, 256), random_below(r, 8));
	default:
		return (__u32)any_value(r);
	}
}

static __u64 any_fd(struct random *r)
{
	switch (random_below(r, 8)) {
	case 0:
		return FD_GROUP + random_below(r, FD_COMMON - FD_GROUP);
	case 1:
		return FD_COMMON + random_below(r, FD_MINE - FD_COMMON);
	default:
		/* The first ones more often: something is to come of them. */
		return FD_MINE + random_below(r, random_chance(r, 60) ? 1 : FDS - FD_MINE);
	}
}

static __u64 any_of(struct random *r, const struct op *op, enum arg_kind kind)
{
	switch (kind) {
	case ARG_FD:
		return any_fd(r);
	case ARG_MAP:
		return random_below(r, random_chance(r, 70) ? 2 : MAPS);
	case ARG_AT:
		if (random_chance(r, 70))
			return AT_NORMAL;
		/* What is slow takes its time. */
		if (random_chance(r, 90))
			return random_below(r, AT_MAX - 1) + 1 == AT_SLOW ? AT_EDGE :
				random_below(r, AT_MAX - 1) + 1;
		return AT_SLOW;
	case ARG_SIZE:
		return any_size(r);
	case ARG_TAIL:
		return random_chance(r, 30) ? random_below(r, 256) : 0;
	case ARG_FLAGS:
		return random_chance(r, 85) ? 0 : any_value(r);
	case ARG_BASE:
		return random_below(r, names_nr(base_names));
	case ARG_FIELD:
		/* Two of them: mostly one is spoiled, or none. */
		return random_chance(r, 60) ? 0 : random_below(r, names_nr(field_names));
	case ARG_COMMAND:
		return any_command(r);
	case ARG_FROM:
		return random_chance(r, 60) ? 0 : random_below(r, names_nr(from_names));
	case ARG_BYTES:
		return any_bytes(r);
	case ARG_PROT:
		return random_chance(r, 60) ? 1 : random_below(r, 8);
	case ARG_PART:
		return random_chance(r, 60) ? 0 : random_below(r, names_nr(part_names));
	case ARG_WHO:
		return random_chance(r, 60) ? 0 : random_below(r, names_nr(who_names));
	case ARG_RIGHT:
		return random_chance(r, 80) ? RIGHT : any_value(r);
	case ARG_STACK:
		return random_chance(r, 70) ? 0 : random_chance(r, 80) ? RIGHT : any_value(r);
	case ARG_HOW:
		return random_chance(r, 40) ? 0 : random_below(r, names_nr(op->how));
	default:
		return any_value(r);
	}
}

static unsigned int any_op(struct random *r)
{
	static unsigned int whole;
	unsigned int at;

	if (!whole)
		for (unsigned int i = 0; i < nr_ops; i++)
			whole += ops[i].weight;
	at = random_below(r, whole);
	for (unsigned int i = 0;; i++) {
		if (at < ops[i].weight)
			return i;
		at -= ops[i].weight;
	}
}

static void call_make(struct call *c, struct random *r)
{
	*c = (struct call){ .op = any_op(r) };
	for (unsigned int i = 0; i < ARGS && ops[c->op].args[i].name; i++)
		c->arg[i] = any_of(r, &ops[c->op], ops[c->op].args[i].kind);
	/* Mostly the whole mapping, mostly as it can be mapped. */
	if (c->op == op_named("mmap") && random_chance(r, 50)) {
		c->arg[2] = c->arg[3] = c->arg[6] = 0;
		c->arg[4] = RIGHT;
		c->arg[5] = 1;
	}
}

/* A call whose arguments are all right. */
static struct call right_call(const char *name, __u64 fd, struct random *r)
{
	struct call c = { .op = op_named(name) };

	for (unsigned int i = 0; i < ARGS && ops[c.op].args[i].name; i++) {
		if (ops[c.op].args[i].kind == ARG_SIZE || ops[c.op].args[i].kind == ARG_RIGHT)
			c.arg[i] = RIGHT;
		if (ops[c.op].args[i].kind == ARG_BASE)
			c.arg[i] = random_below(r, names_nr(base_names));
	}
	c.arg[0] = fd;
	if (!strcmp(name, "mmap")) {
		c.arg[4] = RIGHT;
		c.arg[5] = 1;
	}
	return c;
}

/* A life as it should be, or how it begins: not every one gets to START. */
static void program_of_life(struct program *p, struct random *r)
{
	static const char *const life[] = {
		"open", "configure", "mmap", "push", "maps", "start", "flip", "maps", "flip",
		"push", "stop", "flip", "close"
	};
	unsigned int to = 1 + random_below(r, random_chance(r, LIVES) ? ARRAY_SIZE(life) : 5);
	__u64 fd = any_fd(r);

	p->nr = 0;
	for (unsigned int i = 0; i < to; i++)
		p->calls[p->nr++] = right_call(life[i], fd, r);
}

static void program_change(struct program *p, struct random *r)
{
	struct call *c = &p->calls[random_below(r, p->nr)];
	unsigned int args = 0, at = c - p->calls;

	while (args < ARGS && ops[c->op].args[args].name)
		args++;
	switch (random_below(r, 6)) {
	case 0:		/* one more */
		if (p->nr == CALLS)
			break;
		memmove(c + 1, c, (p->nr++ - at) * sizeof(*c));
		call_make(c, r);
		break;
	case 1:		/* one less */
		if (p->nr == 1)
			break;
		memmove(c, c + 1, (--p->nr - at) * sizeof(*c));
		break;
	case 2:		/* once again */
		if (p->nr == CALLS)
			break;
		memmove(c + 1, c, (p->nr++ - at) * sizeof(*c));
		break;
	default:	/* with another argument */
		if (args) {
			at = random_below(r, args);
			c->arg[at] = any_of(r, &ops[c->op], ops[c->op].args[at].kind);
		}
		break;
	}
}

static struct program *corpus;
static unsigned int corpus_nr;

unsigned int corpus_count(void)
{
	return corpus_nr;
}

const struct program *corpus_at(unsigned int nr)
{
	return &corpus[nr];
}

static void program_of_corpus(struct program *p, struct random *r)
{
	unsigned int nr;

	*p = corpus[random_below(r, corpus_nr)];
	/* Its end, and then another one's. */
	if (random_chance(r, 30)) {
		const struct program *other = &corpus[random_below(r, corpus_nr)];

		nr = CALLS - p->nr < other->nr ? CALLS - p->nr : other->nr;
		memcpy(&p->calls[p->nr], other->calls, nr * sizeof(other->calls[0]));
		p->nr += nr;
	}
	for (nr = 1 + random_below(r, 12); nr; nr--)
		program_change(p, r);
}

/* Make the next one: a skeleton, and any calls in between. */
void program_make(struct program *p, struct random *r)
{
	static __thread struct program bones;
	unsigned int fill, each;

	if (corpus_nr && random_chance(r, CORPUS))
		program_of_corpus(&bones, r);
	else
		program_of_life(&bones, r);
	fill = random_below(r, CALLS - bones.nr + 1);
	each = 2 * fill / bones.nr;
	p->nr = 0;
	for (unsigned int i = 0; i < bones.nr; i++) {
		unsigned int some = random_below(r, each + 1);

		p->calls[p->nr++] = bones.calls[i];
		for (; some && fill; some--, fill--)
			call_make(&p->calls[p->nr++], r);
	}
}

/*
 * Text.
 */
static const char *const *names_of(const struct op *op, const struct arg *arg)
{
	switch (arg->kind) {
	case ARG_BASE:
		return base_names;
	case ARG_FIELD:
		return field_names;
	case ARG_AT:
		return at_names;
	case ARG_FROM:
		return from_names;
	case ARG_PART:
		return part_names;
	case ARG_WHO:
		return who_names;
	case ARG_HOW:
		return op->how;
	default:
		return NULL;
	}
}

void program_write(const struct program *p, FILE *f)
{
	for (unsigned int i = 0; i < p->nr; i++) {
		const struct call *c = &p->calls[i];
		const struct op *op = &ops[c->op];

		fputs(op->name, f);
		for (unsigned int k = 0; k < ARGS && op->args[k].name; k++) {
			const char *const *names = names_of(op, &op->args[k]);

			if (!c->arg[k])
				continue;
			fprintf(f, " %s=", op->args[k].name);
			if (names && c->arg[k] < names_nr(names))
				fputs(names[c->arg[k]], f);
			else if (c->arg[k] == RIGHT)
				fputs("right", f);
			else if (op->args[k].kind == ARG_COMMAND &&
				 c->arg[k] - WALLPROF_IOC_INFO < names_nr(command_names))
				fputs(command_names[c->arg[k] - WALLPROF_IOC_INFO], f);
			else
				fprintf(f, c->arg[k] < 4096 ? "%llu" : "%#llx", (ull)c->arg[k]);
		}
		fputc('\n', f);
	}
}

static __u64 value_read(const struct op *op, const struct arg *arg, const char *text)
{
	const char *const *names = names_of(op, arg);
	char *end;
	ull value;

	if (!strcmp(text, "right"))
		return RIGHT;
	for (unsigned int i = 0; names && names[i]; i++)
		if (!strcmp(names[i], text))
			return i;
	for (unsigned int i = 0; arg->kind == ARG_COMMAND && command_names[i]; i++)
		if (!strcmp(command_names[i], text))
			return WALLPROF_IOC_INFO + i;
	value = strtoull(text, &end, 0);
	if (*end || end == text) {
		fprintf(stderr, "fuzz: %s: %s: no such value\n", op->name, text);
		exit(125);
	}
	/* A value without a name is as good as another, but nothing to look up. */
	return names ? value % names_nr(names) : value;
}

/* 0, or -1 at the end. */
int program_read(struct program *p, FILE *f)
{
	char line[512], *word, *rest, *value;

	memset(p, 0, sizeof(*p));
	while (p->nr < CALLS && fgets(line, sizeof(line), f)) {
		struct call *c = &p->calls[p->nr];
		const struct op *op;

		word = strtok_r(line, " \t\n", &rest);
		if (!word || *word == '#')
			continue;
		c->op = op_named(word);
		op = &ops[c->op];
		while ((word = strtok_r(NULL, " \t\n", &rest))) {
			unsigned int k = 0;

			value = strchr(word, '=');
			if (value)
				*value++ = 0;
			while (k < ARGS && op->args[k].name && strcmp(op->args[k].name, word))
				k++;
			if (!value || k == ARGS || !op->args[k].name) {
				fprintf(stderr, "fuzz: %s has no %s\n", op->name, word);
				exit(125);
			}
			c->arg[k] = value_read(op, &op->args[k], value);
		}
		p->nr++;
	}
	return p->nr ? 0 : -1;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_calls(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot && !strcmp(dot, ".calls");
}

unsigned int corpus_read(const char *dir)
{
	struct dirent **entries;
	char path[512];
	int nr = scandir(dir, &entries, is_calls, by_name);
	FILE *f;

	if (nr < 0) {
		fprintf(stderr, "fuzz: %s: %s\n", dir, strerror(errno));
		exit(125);
	}
	corpus = calloc(nr + 1, sizeof(*corpus));
	for (int i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, entries[i]->d_name);
		f = fopen(path, "re");
		if (!f || program_read(&corpus[corpus_nr++], f)) {
			fprintf(stderr, "fuzz: %s: no calls\n", path);
			exit(125);
		}
		fclose(f);
	}
	return corpus_nr;
}
