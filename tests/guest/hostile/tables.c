// SPDX-License-Identifier: GPL-2.0
/*
 * Unwind tables: made by rules that follow from a number, spoiled, and judged by what
 * uapi/linux/wallprof_unwind.h says of the format.
 *
 * Valid tables describe this program's own code, with rules that lead anywhere:
 * the probes and the sampler walk our stacks by them as soon as they are there.
 */
#include <sys/ioctl.h>
#include <linux/elf-em.h>
#include <linux/wallprof_unwind.h>

#include "calls.h"

#define PAGE_BYTES	(1UL << WALLPROF_TABLE_SHIFT)

#ifdef __x86_64__
#define MACHINE		EM_X86_64
#define REGS		16
#define REG_SP		7
#define REG_FP		6
#else
#define MACHINE		EM_AARCH64
#define REGS		32
#define REG_SP		31
#define REG_FP		29
#endif

/* The linker's: where our code begins, and ends. */
extern char __executable_start[], etext[];

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
		rule->flags &= ~WALLPROF_RULE_WORD;
	else
		rule->add = some_words(r);
	if (rule->flags & WALLPROF_RULE_WORD)
		rule->index = 1 + random_below(r, WALLPROF_RULE_WORDS);
	else if (rule->kind == WALLPROF_RULE_DEREF && random_chance(r, 50))
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

static bool index_good(const struct wallprof_rule *rule)
{
	bool deref = rule->kind == WALLPROF_RULE_DEREF;

	if (rule->flags & WALLPROF_RULE_WORD)
		return deref && rule->index >= 1 && rule->index <= WALLPROF_RULE_WORDS;
	return rule->index == WALLPROF_RULE_NO_INDEX ||
	       (deref && reg_good(WALLPROF_RULE_INDEX_REG(rule->index)) &&
		WALLPROF_RULE_INDEX_SCALE(rule->index) <= 6);
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
	if (rule->kind == WALLPROF_RULE_PLT ? rule->add < 1 || rule->add > 15 :
	    rule->kind != WALLPROF_RULE_DEREF && rule->add)
		return INVALID;
	if (!reg_good(rule->reg) || rule->saves >= nr_saves || !index_good(rule))
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
	if (m && (push.flags & ~WALLPROF_PUSH_ONCE || m->state == WALLPROF_SESSION_OPEN))
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
