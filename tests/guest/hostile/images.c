// SPDX-License-Identifier: GPL-2.0
/*
 * Unwind tables and mappings: made by rules that follow from a number, spoiled,
 * and judged by what uapi/linux/wallprof_unwind.h says of the format.
 *
 * Valid tables describe this program's own code, with rules that lead anywhere:
 * the probes and the sampler walk our stacks by them as soon as they are there.
 */
#include <sys/ioctl.h>
#include <linux/elf-em.h>
#include <linux/wallprof_interp.h>
#include <linux/wallprof_unwind.h>

#include "calls.h"

#define PAGE_BYTES	(1UL << WALLPROF_TABLE_SHIFT)

/* USER_END is the least that a machine has: our arm64 kernel has 39 bits. */
#ifdef __x86_64__
#define USER_END	0x7ffffffff000ULL
#define MACHINE		EM_X86_64
#define REGS		16
#define REG_SP		7
#define REG_FP		6
#else
#define USER_END	0x8000000000ULL
#define MACHINE		EM_AARCH64
#define REGS		32
#define REG_SP		31
#define REG_FP		29
#endif

/* The linker's: where our code begins, and ends. */
extern char __executable_start[], etext[];

/*
 * Tables.
 */
const char *const how_push[] = {
	"self", "one", "lists", "large", "noise", "top", NULL
};

const char *const part_names[] = {
	"none", "magic", "version", "machine", "nr_pages", "nr_rows", "nr_rules",
	"nr_saves", "base", "rule", "page", "row", "save", "bytes", "byte", NULL
};

enum part {
	PART_NONE, PART_MAGIC, PART_VERSION, PART_MACHINE, PART_PAGES, PART_ROWS,
	PART_RULES, PART_SAVES, PART_BASE, PART_RULE, PART_PAGE, PART_ROW, PART_SAVE,
	PART_BYTES, PART_BYTE, PART_MAX,
};

struct table {
	struct wallprof_table *head;
	struct wallprof_rule *rules;
	__u32 *pages;
	struct wallprof_row *rows;
	struct wallprof_save *saves;
};

static struct table table_parts(void *data, const struct wallprof_table *head)
{
	struct table table = { .head = data };

	table.rules = (void *)(table.head + 1);
	table.pages = (void *)(table.rules + head->nr_rules);
	table.rows = (void *)(table.pages + head->nr_pages + 1);
	table.saves = (void *)(table.rows + head->nr_rows);
	return table;
}

static __u64 table_bytes(const struct wallprof_table *head)
{
	return sizeof(*head) + head->nr_rules * (__u64)sizeof(struct wallprof_rule) +
	       (head->nr_pages + 1ULL) * sizeof(__u32) +
	       head->nr_rows * (__u64)sizeof(struct wallprof_row) +
	       head->nr_saves * (__u64)sizeof(struct wallprof_save);
}

static __s16 some_words(struct random *r)
{
	return random_chance(r, 80) ? (int)random_below(r, 17) - 8 : (__s16)random_next(r);
}

static void rule_by_reg(struct wallprof_rule *rule, struct random *r, __u32 nr_saves)
{
	rule->reg = random_chance(r, 60) ? REG_SP : random_chance(r, 60) ? REG_FP :
						      random_below(r, REGS);
	rule->off = random_chance(r, 80) ? 8 * (int)random_below(r, 24) - 32 :
					   (__s32)random_next(r);
	rule->flags = random_next(r) & WALLPROF_RULE_FLAGS &
		      ~(random_chance(r, 50) ? WALLPROF_RULE_RA_FP : WALLPROF_RULE_RA_REG);
	if (rule->flags & WALLPROF_RULE_FP_SAVED)
		rule->flags &= ~WALLPROF_RULE_FP_LOST;
	else
		rule->flags &= ~WALLPROF_RULE_FP_FP;
	rule->fp = rule->flags & WALLPROF_RULE_FP_SAVED ? some_words(r) : 0;
	rule->ra = rule->flags & WALLPROF_RULE_RA_REG ? (__s16)random_below(r, REGS) :
							some_words(r);
	rule->saves = random_below(r, nr_saves);
	if (rule->kind != WALLPROF_RULE_DEREF)
		return;
	rule->add = some_words(r);
	if (random_chance(r, 50))
		rule->index = WALLPROF_RULE_INDEX(random_below(r, REGS), random_below(r, 7));
}

static struct wallprof_rule rule_make(struct random *r, __u32 nr_saves)
{
	static const __u8 kinds[] = {
		WALLPROF_RULE_CFA, WALLPROF_RULE_CFA, WALLPROF_RULE_CFA,
		WALLPROF_RULE_CFA, WALLPROF_RULE_CFA, WALLPROF_RULE_DEREF,
		WALLPROF_RULE_DEREF, WALLPROF_RULE_DEREF, WALLPROF_RULE_SIGNAL,
		WALLPROF_RULE_SIGNAL, WALLPROF_RULE_PLT, WALLPROF_RULE_NONE,
		WALLPROF_RULE_UNSUPPORTED, WALLPROF_RULE_END,
	};
	struct wallprof_rule rule = {
		.kind = kinds[random_below(r, ARRAY_SIZE(kinds))],
		.index = WALLPROF_RULE_NO_INDEX,
	};

	if (rule.kind == WALLPROF_RULE_CFA || rule.kind == WALLPROF_RULE_DEREF)
		rule_by_reg(&rule, r, nr_saves);
	else if (rule.kind == WALLPROF_RULE_PLT)
		rule.add = 1 + random_below(r, 15);
	return rule;
}

/* Makes a table that is right, in @data. How many of each it has is in @head. */
static void table_fill(void *data, const struct wallprof_table *head, struct random *r)
{
	struct table t = table_parts(data, head);
	__u32 row = 0, each = head->nr_rows / head->nr_pages, run = 0;

	*t.head = *head;
	t.rules[0] = (struct wallprof_rule){ .index = WALLPROF_RULE_NO_INDEX };
	for (__u32 i = 1; i < head->nr_rules; i++)
		t.rules[i] = rule_make(r, head->nr_saves);
	for (__u32 page = 0; page < head->nr_pages; page++) {
		__u32 nr = page + 1 < head->nr_pages ? each : head->nr_rows - row;

		t.pages[page] = row;
		for (__u32 i = 0; i < nr; i++, row++)
			t.rows[row] = (struct wallprof_row){
				.pc = i * (PAGE_BYTES / nr),
				.rule = random_below(r, head->nr_rules),
			};
	}
	t.pages[head->nr_pages] = row;
	for (__u32 i = 0; i < head->nr_saves; i++) {
		bool end = !i || i + 1 == head->nr_saves ||
			   run + 2 >= WALLPROF_TABLE_MAX_RUN || random_chance(r, 20);

		run = end ? 0 : run + 1;
		t.saves[i] = (struct wallprof_save){ .how = WALLPROF_SAVE_END };
		if (!end)
			t.saves[i] = (struct wallprof_save){
				.reg = random_below(r, REGS),
				.how = random_below(r, WALLPROF_SAVE_END),
				.off = some_words(r),
			};
	}
}

static __u32 table_make(unsigned int how, char *data, struct random *r)
{
	__u64 text = (uintptr_t)__executable_start & ~(PAGE_BYTES - 1);
	struct wallprof_table head = {
		.magic = WALLPROF_TABLE_MAGIC,
		.version = WALLPROF_TABLE_VERSION,
		.machine = MACHINE,
		.nr_pages = 1, .nr_rows = 1, .nr_rules = 1, .nr_saves = 1,
		.base = text,
	};

	switch (how) {
	case 0:
		head.nr_pages = ((uintptr_t)etext - text) / PAGE_BYTES + 1;
		head.nr_rows = head.nr_pages * (1 + random_below(r, 3)) + random_below(r, 8);
		head.nr_rules = 2 + random_below(r, 60);
		head.nr_saves = 1 + random_below(r, 100);
		break;
	case 2:
		head.nr_pages = 16;
		head.nr_rows = 16 * (1 + random_below(r, 16));
		head.nr_rules = 1 + random_below(r, 100);
		head.nr_saves = 1 + random_below(r, 256);
		break;
	case 3:
		head.base = 0;
		head.nr_pages = 1 << 14;
		head.nr_rows = 3 << 14;
		head.nr_rules = 1 << 12;
		head.nr_saves = 1 << 12;
		break;
	case 4:
		head.nr_pages = 1 + random_below(r, 8);
		head.nr_rows = head.nr_pages + random_below(r, 100);
		head.nr_rules = 1 + random_below(r, 20);
		head.nr_saves = 1 + random_below(r, 20);
		break;
	case 5:
		head.nr_pages = 2 + random_below(r, 2);
		head.nr_rows = 8;
		head.base = -3 * PAGE_BYTES;
		break;
	}
	table_fill(data, &head, r);
	if (how == 4) {
		__u32 bytes = table_bytes(&head);

		for (__u32 i = sizeof(head); i < bytes; i++)
			data[i] = random_chance(r, 30) ? random_next(r) : 0;
	}
	return table_bytes(&head);
}

/* Spoils one part of it. Returns how large it is said to be. */
static __u32 table_spoil(char *data, __u32 bytes, enum part part, __u64 which, __u64 value)
{
	struct table t = table_parts(data, (const void *)data);
	struct wallprof_table *head = t.head;

	switch (part) {
	case PART_MAGIC:
		head->magic = value;
		break;
	case PART_VERSION:
		head->version = value;
		break;
	case PART_MACHINE:
		head->machine = value;
		break;
	case PART_RULE:
		((char *)&t.rules[which % head->nr_rules])
			[(which >> 32) % sizeof(t.rules[0])] = value;
		break;
	case PART_PAGE:
		t.pages[which % (head->nr_pages + 1)] = value;
		break;
	case PART_ROW:
		if (which >> 32 & 1)
			t.rows[which % head->nr_rows].pc = value;
		else
			t.rows[which % head->nr_rows].rule = value;
		break;
	case PART_SAVE:
		((char *)&t.saves[which % head->nr_saves])
			[(which >> 32) % sizeof(t.saves[0])] = value;
		break;
	case PART_PAGES:
		head->nr_pages = value;
		break;
	case PART_ROWS:
		head->nr_rows = value;
		break;
	case PART_RULES:
		head->nr_rules = value;
		break;
	case PART_SAVES:
		head->nr_saves = value;
		break;
	case PART_BASE:
		head->base = value;
		break;
	case PART_BYTES:
		return value;
	case PART_BYTE:
		data[which % bytes] = value;
		break;
	default:
		break;
	}
	return bytes;
}

static bool reg_good(unsigned int reg)
{
	return reg < REGS;
}

static enum verdict rule_judge(const struct wallprof_rule *rule, __u32 nr_saves)
{
	bool by_reg = rule->kind == WALLPROF_RULE_CFA || rule->kind == WALLPROF_RULE_DEREF;
	bool saved = rule->flags & WALLPROF_RULE_FP_SAVED;

	if (rule->kind >= WALLPROF_RULE_MAX || rule->flags & ~WALLPROF_RULE_FLAGS)
		return INVALID;
	if (!by_reg && (rule->flags | rule->reg | rule->off | rule->ra | rule->fp |
			rule->saves))
		return INVALID;
	if (rule->kind != WALLPROF_RULE_DEREF && rule->index != WALLPROF_RULE_NO_INDEX)
		return INVALID;
	if (rule->kind == WALLPROF_RULE_PLT ? rule->add < 1 || rule->add > 15 :
	    rule->kind != WALLPROF_RULE_DEREF && rule->add)
		return INVALID;
	if (!reg_good(rule->reg) || rule->saves >= nr_saves)
		return INVALID;
	if (rule->index != WALLPROF_RULE_NO_INDEX &&
	    (!reg_good(WALLPROF_RULE_INDEX_REG(rule->index)) ||
	     WALLPROF_RULE_INDEX_SCALE(rule->index) > 6))
		return INVALID;
	if (rule->flags & WALLPROF_RULE_RA_REG &&
	    (rule->ra < 0 || !reg_good(rule->ra) || rule->flags & WALLPROF_RULE_RA_FP))
		return INVALID;
	if (!saved && (rule->fp || rule->flags & WALLPROF_RULE_FP_FP))
		return INVALID;
	return saved && rule->flags & WALLPROF_RULE_FP_LOST ? INVALID : VALID;
}

static enum verdict rows_judge(const struct table *t)
{
	const struct wallprof_table *head = t->head;

	if (t->pages[0] || t->pages[head->nr_pages] != head->nr_rows)
		return INVALID;
	for (__u32 page = 0; page < head->nr_pages; page++) {
		__u32 from = t->pages[page], to = t->pages[page + 1];

		if (from >= to || to > head->nr_rows || t->rows[from].pc)
			return INVALID;
		for (__u32 i = from; i < to; i++)
			if (t->rows[i].pc >= PAGE_BYTES || t->rows[i].rule >= head->nr_rules ||
			    (i > from && t->rows[i].pc <= t->rows[i - 1].pc))
				return INVALID;
	}
	return VALID;
}

static enum verdict saves_judge(const struct table *t)
{
	__u32 nr = t->head->nr_saves, run = 0;
	bool long_one = false;

	if (t->saves[0].how != WALLPROF_SAVE_END || t->saves[nr - 1].how != WALLPROF_SAVE_END)
		return INVALID;
	for (__u32 i = 0; i < nr; i++) {
		if (t->saves[i].how > WALLPROF_SAVE_END || !reg_good(t->saves[i].reg))
			return INVALID;
		run = t->saves[i].how == WALLPROF_SAVE_END ? 0 : run + 1;
		if (run > WALLPROF_TABLE_MAX_RUN)
			return INVALID;
		long_one |= run == WALLPROF_TABLE_MAX_RUN;
		/* "@reg and @off are 0": nobody looks at them. */
		long_one |= !run && (t->saves[i].reg || t->saves[i].off);
	}
	return long_one ? DUBIOUS : VALID;
}

static enum verdict table_judge(char *data, __u32 bytes)
{
	struct wallprof_table head;
	enum verdict verdict;
	struct table t;
	__u64 most;

	if (bytes < sizeof(head))
		return INVALID;
	memcpy(&head, data, sizeof(head));
	most = (__u64)head.nr_pages * WALLPROF_TABLE_MAX_DENSITY;
	if (head.magic != WALLPROF_TABLE_MAGIC || head.version != WALLPROF_TABLE_VERSION ||
	    head.machine != MACHINE || !head.nr_pages || !head.nr_rules || !head.nr_saves ||
	    head.nr_rows < head.nr_pages || table_bytes(&head) != bytes ||
	    head.nr_rows > most || head.nr_rules > most || head.nr_saves > most ||
	    head.base % PAGE_BYTES)
		return INVALID;
	t = table_parts(data, &head);
	if (t.rules[0].kind != WALLPROF_RULE_NONE)
		return INVALID;
	for (__u32 i = 0; i < head.nr_rules; i++)
		if (rule_judge(&t.rules[i], head.nr_saves) == INVALID)
			return INVALID;
	if (rows_judge(&t) == INVALID)
		return INVALID;
	verdict = saves_judge(&t);
	/* One that ends with the last address of all may be too much for it. */
	if (verdict == VALID &&
	    head.base + (__u64)head.nr_pages * PAGE_BYTES < head.base)
		return DUBIOUS;
	return verdict;
}

char *room(void)
{
	static __thread char *at;

	if (!at)
		at = aligned_alloc(PAGE, ROOM);
	return at;
}

/* Puts what a struct points to somewhere; what is large lies where it is. */
struct place put(struct thread *t, __u64 at, __u64 at_struct, char *data, size_t bytes)
{
	/* Not on top of the struct. */
	if (bytes <= PAGE && at > AT_CUT && at != at_struct)
		return place_put(t, at, data, bytes < 8 ? 8 : bytes);
	return (struct place){ data, PLACE_GOOD, AT_NORMAL, bytes };
}

bool struct_good(__u64 size, __u64 at)
{
	return size == RIGHT && at <= AT_EDGE;
}

/* How many tables a session has, if these are fewer than it had; else that many. */
static __u32 fewer_tables(struct thread *t, __u64 fd, __u32 had)
{
	struct wallprof_status s = { .size = sizeof(s) };

	return !ioctl(fd_of(t, fd), WALLPROF_IOC_STATUS, &s) && s.tables < had ? s.tables : had;
}

/* fd how part which value flags size at table_at */
long run_push(struct thread *t, const __u64 *a)
{
	struct random r = random_of(a[3], a[1]);
	struct wallprof_push push = { .flags = a[5] };
	struct model *m = model_of(t, a[0]);
	enum verdict verdict;
	struct place place;
	char *data = room();
	__u32 bytes = table_make(a[1] % names_nr(how_push), data, &r);
	__u32 pushed = table_spoil(data, bytes, a[2] % PART_MAX, a[3], a[4]);
	long ret, want = SOME;
	bool is_new = false;

	place = put(t, a[8], a[7], data, bytes);
	push.table = (uintptr_t)place.pointer;
	push.bytes = pushed;
	verdict = pushed > ROOM ? INVALID : table_judge(data, pushed);
	if (m && (push.flags || m->state == WALLPROF_SESSION_OPEN))
		want = -EINVAL;
	else if (m && pushed < sizeof(struct wallprof_table))
		want = -EBADMSG;
	else if (m && place.class == PLACE_BAD)
		want = -EFAULT;
	ret = command(t, a[0], &(struct command){
		WALLPROF_IOC_PUSH, &push, sizeof(push), a[6], a[7], 0, want, errno_push });
	if (m && want == SOME && place.class == PLACE_GOOD && struct_good(a[6], a[7])) {
		/* It is charged for before it is looked at. */
		if (verdict == INVALID && ret != -EBADMSG && ret != -ENOMEM)
			wrong(t, "a table that is none: %ld", ret);
		if (verdict == VALID && ret && ret != -ENOMEM)
			wrong(t, "a table that is right: %ld", ret);
	}
	if (!ret && struct_good(a[6], a[7]) && !push.id)
		wrong(t, "a table with id 0");
	if (m && !ret && struct_good(a[6], a[7])) {
		/* A session has each table once, and gives no id twice. */
		is_new = push.id > m->last_id;
		m->table = push.id;
		m->tables += is_new;
		m->last_id = is_new ? push.id : m->last_id;
	} else if (!ret) {
		expose(t, a[0]);
	}
	if (m && m->exact) {
		__u64 before = m->last.tables_bytes;
		__u32 tables = m->tables;

		/*
		 * Fewer: some had to go, for want of room; the judge knows of none. Less: so
		 * had processes that have ended, before any table.
		 */
		m->tables = fewer_tables(t, a[0], tables);
		status_check(t, a[0]);
		if (m->tables == tables && m->last.tables_bytes > before + (is_new ? pushed : 0))
			wrong(t, "a table of %u: %ld, and %llu bytes became %llu", pushed, ret,
			      (ull)before, (ull)m->last.tables_bytes);
	}
	return ret;
}

/*
 * Mappings.
 */
const char *const how_maps[] = {
	"self", "forget", "pages", "whole", "many", "most", "too-many", "empty",
	"backwards", "overlap", "beyond", "reserved", "no-table", "nowhere", "nothing",
	"noise", NULL
};

const char *const who_names[] = {
	"self", "victim0", "victim1", "victim2", "victim3", "parent", "kthread", "nobody",
	"zero", "thread", NULL
};

__u32 who_is(struct thread *t, __u64 who)
{
	switch (who % names_nr(who_names)) {
	case 1 ... VICTIMS:
		return t->worker->victims[who % names_nr(who_names) - 1];
	case 5:
		return getppid();
	case 6:
		return 2;
	case 7:
		return 0x3fffffff;
	case 8:
		return 0;
	case 9:
		return t->worker->tids[!t->nr];
	default:
		return getpid();
	}
}

/* As /proc/PID/stat has it; 0: not. */
static __u64 start_stack(__u32 pid)
{
	char path[32], text[1024], *at;
	ull value = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	text[fread(text, 1, sizeof(text) - 1, f)] = 0;
	fclose(f);
	at = strrchr(text, ')');
	/* The second field ends there; this is the 28th. */
	for (int i = 2; at && i < 28; i++)
		at = strchr(at + 1, ' ');
	if (at)
		value = strtoull(at, NULL, 10);
	return value;
}

static void map_set(struct wallprof_map *map, __u64 start, __u64 bytes, __u64 bias, __u32 table)
{
	*map = (struct wallprof_map){ start, start + bytes, bias, table, 0 };
}

/* Fills @map. Returns how many they are. */
static __u32 maps_make(unsigned int how, struct wallprof_map *map, __u32 table, __u64 bias,
		       struct random *r)
{
	__u64 text = (uintptr_t)__executable_start & ~(PAGE - 1), step;
	__u64 bytes = ((uintptr_t)etext | (PAGE - 1)) + 1 - text;
	__u32 nr = 1;

	map_set(map, text, bytes, bias, table);
	switch (how) {
	case 1:		/* forget */
		return 0;
	case 2:		/* pages */
		for (nr = 0; nr < bytes / PAGE; nr++)
			map_set(&map[nr], text + nr * PAGE, PAGE, bias,
				random_chance(r, 70) ? table : 0);
		break;
	case 3:		/* whole */
		map_set(map, random_below(r, 2) * PAGE, USER_END - PAGE, bias, table);
		break;
	case 4:		/* many */
	case 5:		/* most */
		step = how == 4 ? 1 << 20 : 1 << 16;
		for (nr = 0; nr < (how == 4 ? 200 : ROOM / sizeof(*map)); nr++)
			map_set(&map[nr], (nr + 1) * step, 1 + random_below(r, step),
				random_next(r), random_chance(r, 70) ? table : 0);
		break;
	case 6:		/* too many */
		return WALLPROF_MAX_MAPS + 1 + random_below(r, 1000);
	case 7:		/* empty */
		map->end = map->start;
		break;
	case 8:		/* backwards */
		map_set(&map[1], text - 8 * PAGE, PAGE, bias, table);
		return 2;
	case 9:		/* overlap */
		map_set(&map[1], text + bytes - 1, PAGE, bias, table);
		return 2;
	case 10:	/* beyond */
		map->end = random_chance(r, 50) ? ~0ULL : 1ULL << 63;
		break;
	case 11:	/* reserved */
		map->reserved = 1 + random_below(r, 1000);
		break;
	case 12:	/* no table */
		map->table = ~0U - random_below(r, 1 << 30);
		break;
	case 15:	/* noise */
		nr = 1 + random_below(r, 20);
		for (__u32 i = 0; i < nr; i++)
			map_set(&map[i], random_next(r) >> random_below(r, 64),
				random_next(r) >> random_below(r, 64), random_next(r),
				random_chance(r, 50) ? table : random_next(r));
		break;
	}
	return nr;
}

/*
 * The interpreter of a process, whose code is all addresses: its chain is whatever is in its
 * memory, from the thread pointer on. Returns what is right or wrong about it; 0: not known.
 */
static long interp_make(struct wallprof_interp *d, struct random *r)
{
	static const __u32 flags[] = { 0, WALLPROF_INTERP_EACH, WALLPROF_INTERP_SHIM,
				       WALLPROF_INTERP_ADDRESS };

	memset(d, 0xff, sizeof(*d));
	d->size = sizeof(*d);
	d->flags = flags[random_below(r, 4)];
	memset(d->range, 0, sizeof(d->range));
	d->range[random_below(r, WALLPROF_INTERP_RANGES)] =
		(struct wallprof_interp_range){ PAGE, 1ULL << 46 };
	memset(d->step, 0, sizeof(d->step));
	d->nr_steps = 1 + random_below(r, WALLPROF_INTERP_STEPS);
	for (__u32 i = 0; i < d->nr_steps; i++)
		d->step[i] = (random_below(r, 32) - 16) * 8;
	d->reserved = 0;
	/* Of little memory, much is 0. */
	d->code_type = random_chance(r, 80) ? 0 : random_next(r);
	d->code_type_at = random_below(r, 8) * 8;
	d->frame_previous = random_below(r, 8) * 8;
	d->frame_code = random_below(r, 8) * 8;
	d->frame_at = random_below(r, 8) * 8;
	d->end_mask = random_chance(r, 50) ? 1 : 0xff;
	d->end_value = 0;
	if (d->flags & WALLPROF_INTERP_EACH)
		d->end_mask = 0;
	else
		d->frame_end = random_below(r, 64);
	d->code_start = 0;
	d->at_shift = 0;
	d->code_tag = random_below(r, 8);
	for (__u32 i = 0; i < random_below(r, WALLPROF_INTERP_WORDS + 1); i++)
		d->word[i].at = random_below(r, 8) * 8;
	switch (random_below(r, 9)) {
	case 0:
		d->flags |= 1U << (3 + random_below(r, 29));
		return -EINVAL;
	case 1:
		d->nr_steps = random_chance(r, 50) ? 0 : WALLPROF_INTERP_STEPS + 1 + random_next(r) / 2;
		return d->nr_steps && d->nr_steps <= WALLPROF_INTERP_STEPS ? 0 : -EINVAL;
	case 2:
		d->frame_previous |= 1 + random_below(r, 7);
		return -EINVAL;
	case 3:
		d->code_tag |= 8 << random_below(r, 5);
		return -EINVAL;
	case 4:
		((char *)d)[random_below(r, sizeof(*d))] = random_next(r);
		return 0;
	default:
		return 1;
	}
}

/* fd who how table bias start_stack flags size at maps_at */
long run_maps(struct thread *t, const __u64 *a)
{
	struct random r = random_of(a[4], a[2]);
	unsigned int how = a[2] % names_nr(how_maps), who = a[1] % names_nr(who_names);
	struct wallprof_maps maps = { .flags = a[6], .pid = who_is(t, a[1]) };
	struct wallprof_map *map = (void *)room();
	struct model *m = model_of(t, a[0]);
	__u32 table = a[3] == RIGHT ? m ? m->table : 1 : a[3];
	struct wallprof_interp interp;
	long ret, want = SOME, right = 1;
	struct place place;
	bool good, stale;

	maps.nr = maps_make(how, map, table, random_chance(&r, 80) ? 0 : a[4], &r);
	place = put(t, a[9], a[8], (char *)map,
		    maps.nr > WALLPROF_MAX_MAPS ? 0 : maps.nr * sizeof(*map));
	maps.maps = how == 13 || !maps.nr ? 0 : (uintptr_t)place.pointer;
	if (how == 14)		/* nothing, and where it is */
		maps.nr = 0;
	maps.start_stack = a[5] == RIGHT ? start_stack(maps.pid) : a[5];
	if (maps.maps && random_chance(&r, 50)) {
		right = interp_make(&interp, &r);
		maps.interp = (uintptr_t)&interp;
	}
	stale = maps.start_stack && (a[5] != RIGHT || who);
	good = how <= 5 && m && (table == m->table || !table);
	if (m && (maps.flags || m->state == WALLPROF_SESSION_OPEN ||
		  maps.nr > WALLPROF_MAX_MAPS || !maps.nr != !maps.maps))
		want = -EINVAL;
	ret = command(t, a[0], &(struct command){
		WALLPROF_IOC_MAPS, &maps, sizeof(maps), a[7], a[8], 0, want, errno_maps,
		.least = offsetof(struct wallprof_maps, interp) });
	if (m && want == SOME && struct_good(a[7], a[8]) && place.class == PLACE_GOOD &&
	    ret != -ENOMEM) {
		if (who >= 6 && who <= 8 && ret != -ESRCH)
			wrong(t, "mappings of %s: %ld", who_names[who], ret);
		if (!who && how >= 7 && how <= 12 && ret != -EINVAL)
			wrong(t, "mappings that are %s: %ld", how_maps[how], ret);
		if (!who && right < 0 && !ret)
			wrong(t, "an interpreter that is not right: %ld", ret);
		/* Its table may have had to go. */
		if (!who && good && !stale && right > 0 && ret && ret != -ENOENT)
			wrong(t, "mappings that are right: %ld", ret);
	}
	if (m && !ret && !struct_good(a[7], a[8]))
		expose(t, a[0]);
	if (m && m->exact)
		status_check(t, a[0]);
	return ret;
}
