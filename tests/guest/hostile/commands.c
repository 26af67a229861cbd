// SPDX-License-Identifier: GPL-2.0
/* The commands: each with its struct, wherever that lies, and with its judgement. */
#include <fcntl.h>
#include <sys/ioctl.h>

#include "calls.h"
#include "proc.h"

/* Bytes of the first version of structs that have grown: see module/device.c. */
#define INFO_LEAST	(offsetof(struct wallprof_info, version) + \
			 sizeof(((struct wallprof_info *)0)->version))
#define EVENT_LEAST	(offsetof(struct wallprof_event, attr_period) + sizeof(__u64))
#define COUNT_LEAST	(offsetof(struct wallprof_count, running_ns) + sizeof(__u64))
#define STATUS_LEAST	(offsetof(struct wallprof_status, tables_bytes) + sizeof(__u64))

/* What must come of it before the command itself is looked at; SOME: nothing. */
static long expect_of_struct(const struct place *place, __u32 size, __u32 least,
			     __u32 known, bool tail)
{
	if (place->class == PLACE_BAD)
		return -EFAULT;
	if (size < least)
		return -EINVAL;
	if (size > PAGE)
		return -E2BIG;
	if (place->class == PLACE_CUT && !tail)
		return -EFAULT;
	if (size > known && tail)
		return -E2BIG;
	if (place->class == PLACE_READONLY)
		return -EFAULT;
	return SOME;
}

void status_check(struct thread *t, __u64 fd)
{
	struct wallprof_status s = { .size = sizeof(s) };

	if (!ioctl(fd_of(t, fd), WALLPROF_IOC_STATUS, &s))
		judge_status(t, model_of(t, fd), &s);
	else if (model_of(t, fd))
		wrong(t, "STATUS: %s", strerror(errno));
}

long command(struct thread *t, __u64 fd, const struct command *c)
{
	unsigned char bytes[PAGE + 8];
	__u32 size = c->size == RIGHT ? c->known : (__u32)c->size;
	__u32 room = size < 8 ? 8 : size > PAGE + 8 ? PAGE + 8 : size;
	bool tail = c->tail && size > c->known;
	struct slot *slot = slot_of(t, fd);
	struct place place;
	long ret, want;

	memset(bytes, 0, room);
	memcpy(bytes, c->body, c->known < room ? c->known : room);
	memcpy(bytes, &size, sizeof(size));
	if (tail)
		bytes[room - 1] = c->tail;
	place = place_put(t, c->at, bytes, room);
	ret = sys(ioctl(fd_of(t, fd), c->nr, place.pointer));
	want = expect_of_struct(&place, size, c->least ? : c->known, c->known, tail);
	if (want == SOME)
		want = c->want;
	if (surely_closed(t, fd) || (slot && slot->mode == O_PATH))
		want = -EBADF;
	if (place.class == PLACE_ANY || (place.class == PLACE_CUT && tail))
		want = SOME;
	if (ret < 0 && !judge_has(errno_common, -ret))
		judge_errno(t, ops[t->call->op].name, ret, c->allowed);
	if (ret > 0)
		wrong(t, "returned %ld", ret);
	if (want != SOME && want != ret &&
	    (model_of(t, fd) || want == -EBADF || (want == -EFAULT && !ret)))
		wrong(t, "in state %u: got %ld, expected %ld", t->state, ret, want);
	if (ret == -EINTR && model_of(t, fd))
		wrong(t, "EINTR, and nobody else uses the session");
	if (!ret && place.class == PLACE_GOOD)
		place_get(&place, c->body, size < c->known ? size : c->known);
	/* Memory that went while the command ran: it may have been carried out. */
	if (ret == -EFAULT && c->at == AT_RESTLESS)
		expose(t, fd);
	return ret;
}

/* A command that only reports; a[1] is what its struct has to leave 0. */
static long ask(struct thread *t, const __u64 *a, unsigned long nr, void *body,
		__u32 known, __u32 least)
{
	return command(t, a[0], &(struct command){
		nr, body, known, a[2], a[3], a[4], (__u32)a[1] ? -EINVAL : 0,
		errno_stop, .least = least });
}

long run_info(struct thread *t, const __u64 *a)
{
	struct wallprof_info info = { .reserved = a[1] };
	long ret = ask(t, a, WALLPROF_IOC_INFO, &info, sizeof(info), INFO_LEAST);
	bool whole = a[2] == RIGHT || (__u32)a[2] >= sizeof(info);

	if (!ret && a[3] <= AT_SLOW && whole &&
	    (info.abi_version != WALLPROF_ABI_VERSION || info.nr_cpus != nr_cpus ||
	     info.nr_online != nr_cpus || info.page_size != PAGE || info.features ||
	     info.reserved2 ||
	     !memchr(info.version, 0, sizeof(info.version))))
		wrong(t, "INFO reported nonsense");
	return ret;
}

long run_status(struct thread *t, const __u64 *a)
{
	struct wallprof_status s = { .reserved = a[1] };
	long ret = ask(t, a, WALLPROF_IOC_STATUS, &s, sizeof(s), STATUS_LEAST);

	if (!ret && a[3] <= AT_SLOW && a[2] == RIGHT)
		judge_status(t, model_of(t, a[0]), &s);
	return ret;
}

/*
 * Configurations that are right.
 */
enum base {
	BASE_ALL,
	BASE_BOTH,
	BASE_SAMPLER,
	BASE_SELF,
	BASE_VICTIMS,
	BASE_VICTIM,
	BASE_THREADS,
	BASE_USER,
	BASE_EXEC,
	BASE_SAMPLED,
	BASE_FAULTS,
	BASE_TRACEPOINT,
	BASE_ONE_CPU,
	BASE_SLEEPS,
	BASE_LARGER,
	BASE_CYCLES,
	BASE_TABLES,
	BASE_TABLES_ONLY,
	BASE_TABLES_SAMPLED,
	BASE_TABLES_VICTIMS,
	BASE_NAMES,
	BASE_GROUPS,
	BASE_TIMELINE,
	BASE_FLIGHT,
	BASE_OWNERS,
};

const char *const base_names[] = {
	"all", "both", "sampler", "self", "victims", "victim", "threads", "user",
	"exec", "sampled", "faults", "tracepoint", "one-cpu", "sleeps", "larger",
	"cycles", "tables", "tables-only", "tables-sampled", "tables-victims",
	"names", "groups", "timeline", "flight", "owners", NULL
};

static void counter(struct wallprof_configure *c, __u32 type, __u64 config,
		    __u32 flags, __u64 period)
{
	c->flags |= WALLPROF_SAMPLER;
	c->attr_type = type;
	c->attr_config = config;
	c->attr_flags = flags;
	c->attr_period = period;
}

/* Fills @c, and @ids with its list of targets. */
static void base_make(struct thread *t, unsigned int base, struct wallprof_configure *c,
		      __u32 *ids)
{
	struct worker *w = t->worker;
	static long wakeup;
	__u32 nr = 1;

	*c = (struct wallprof_configure){
		.flags = WALLPROF_OFFCPU | WALLPROF_WAKEUPS | WALLPROF_WAKERS |
			 WALLPROF_REASONS | WALLPROF_ARGS | WALLPROF_WAKER_STACKS |
			 WALLPROF_WAKER_CHAINS | WALLPROF_HISTOGRAMS,
		.stack_flags = WALLPROF_STACK_USER | WALLPROF_STACK_KERNEL,
		.max_stack = 16,
		.nr_aggrs = WALLPROF_MIN_AGGRS,
		.stack_words = WALLPROF_MIN_STACK_WORDS,
		.nr_exits = WALLPROF_MIN_EXITS,
		.nr_tasks = 2 * WALLPROF_MIN_TASKS,
		/* With half of them tables grow as far as they may. */
		.grow_bytes = base % 2 ? 1 << 20 : 0,
	};
	ids[0] = getpid();
	switch (base) {
	case BASE_BOTH:
		counter(c, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK,
			WALLPROF_ATTR_FREQ, 99);
		return;
	case BASE_SAMPLER:
		counter(c, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 0, 10000000);
		c->flags = WALLPROF_SAMPLER;
		return;
	case BASE_SELF:
		c->target = WALLPROF_TARGET_PID;
		break;
	case BASE_TABLES_SAMPLED:
		counter(c, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK,
			WALLPROF_ATTR_FREQ, 199);
		/* fall through */
	case BASE_TABLES:
		c->stack_flags |= WALLPROF_STACK_TABLES;
		c->max_stack = WALLPROF_MAX_STACK;
		return;
	case BASE_TABLES_ONLY:
		c->stack_flags = WALLPROF_STACK_TABLES;
		return;
	case BASE_TABLES_VICTIMS:
		c->stack_flags |= WALLPROF_STACK_TABLES;
		/* fall through */
	case BASE_VICTIMS:
		c->target = WALLPROF_TARGET_PID;
		c->flags |= WALLPROF_INHERIT;
		c->nr_tasks = WALLPROF_MIN_TASKS;
		for (; nr <= VICTIMS; nr++)
			ids[nr] = w->victims[nr - 1] > 0 ? w->victims[nr - 1] : 1;
		break;
	case BASE_VICTIM:
		c->target = WALLPROF_TARGET_PID;
		ids[0] = w->victims[1] > 0 ? w->victims[1] : 1;
		break;
	case BASE_THREADS:
		c->target = WALLPROF_TARGET_TID;
		for (nr = 0; nr < THREADS; nr++)
			ids[nr] = w->tids[nr];
		break;
	case BASE_USER:
		c->target = WALLPROF_TARGET_UID;
		ids[0] = 0;
		break;
	case BASE_NAMES:
		/* One that all have. */
		c->target = WALLPROF_TARGET_COMM;
		memset(ids, 0, WALLPROF_COMM_LEN);
		memcpy(ids, program_invocation_short_name,
		       strnlen(program_invocation_short_name, WALLPROF_COMM_LEN - 1));
		break;
	case BASE_GROUPS:
		/* The root, which all are in or below. */
		c->target = WALLPROF_TARGET_CGROUP;
		ids[0] = 1;
		ids[1] = 0;
		break;
	case BASE_EXEC:
		c->target = WALLPROF_TARGET_PID;
		c->flags |= WALLPROF_INHERIT | WALLPROF_ENABLE_ON_EXEC;
		ids[0] = w->victims[2] > 0 ? w->victims[2] : 1;
		break;
	case BASE_SAMPLED:
		counter(c, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK,
			WALLPROF_ATTR_FREQ, 499);
		c->flags = WALLPROF_SAMPLER | WALLPROF_INHERIT;
		c->target = WALLPROF_TARGET_PID;
		break;
	case BASE_FAULTS:
		counter(c, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 0, 1);
		c->flags |= WALLPROF_SAMPLE_CACHE;
		c->target = WALLPROF_TARGET_PID;
		break;
	case BASE_TRACEPOINT:
		if (!wakeup)
			wakeup = number_in("/sys/kernel/tracing/events/sched/sched_wakeup/id");
		counter(c, PERF_TYPE_TRACEPOINT, wakeup, 0, 7);
		return;
	case BASE_ONE_CPU:
		c->cpus_bytes = 8;
		c->cpus = 1;	/* the caller puts a mask there */
		return;
	case BASE_SLEEPS:
		c->flags = WALLPROF_OFFCPU;
		c->states = 1 << WALLPROF_STATE_SLEEPING | 1 << WALLPROF_STATE_NEW;
		c->min_ns = 10000;
		c->stack_flags = 0;
		return;
	case BASE_LARGER:
		c->nr_aggrs = 512;
		c->stack_words = 4096;
		c->nr_tasks = 1024;
		c->wait_ns = 50000;
		c->nr_waits = 64;
		c->max_stack = WALLPROF_MAX_STACK;
		c->watermark = 1;
		return;
	case BASE_TIMELINE:
		c->flags |= WALLPROF_TIMELINE | WALLPROF_TIMELINE_STACKS;
		c->nr_records = 256;
		return;
	case BASE_FLIGHT:
		c->flags = WALLPROF_TIMELINE | WALLPROF_OVERWRITE;
		c->nr_records = WALLPROF_MIN_RECORDS;
		return;
	case BASE_OWNERS:
		c->flags |= WALLPROF_LOCK_OWNERS;
		c->flags &= ~WALLPROF_WAKER_STACKS;
		return;
	case BASE_CYCLES:
		counter(c, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, 1000000);
		return;
	default:
		return;
	}
	c->nr_targets = nr;
	c->targets = 1;		/* the caller puts a list there */
}

#define FIELD(name) { offsetof(struct wallprof_configure, name), \
	sizeof(((struct wallprof_configure *)0)->name) }

static const struct {
	unsigned int offset, bytes;
} fields[] = {
	{ 0, 0 }, FIELD(flags), FIELD(stack_flags), FIELD(max_stack), FIELD(states),
	FIELD(target), FIELD(nr_targets), FIELD(nr_aggrs), FIELD(stack_words),
	FIELD(nr_exits), FIELD(nr_tasks), FIELD(watermark), FIELD(targets),
	FIELD(cpus), FIELD(cpus_bytes), FIELD(attr_flags), FIELD(attr_type),
	FIELD(attr_precise), FIELD(attr_config), FIELD(attr_config1),
	FIELD(attr_config2), FIELD(attr_period), FIELD(map_bytes), FIELD(cpu_stride),
	FIELD(memory_bytes), FIELD(aggr_bytes), FIELD(task_bytes),
	FIELD(min_ns), FIELD(max_ns), FIELD(wait_ns), FIELD(nr_waits),
	FIELD(wait_bytes), FIELD(waits_offset), FIELD(hist_bytes), FIELD(reserved),
	FIELD(hists_offset), FIELD(nr_records), FIELD(record_bytes), FIELD(tails_offset),
	FIELD(grow_bytes), FIELD(growth), FIELD(reserved2),
};

const char *const field_names[] = {
	"none", "flags", "stack_flags", "max_stack", "states", "target", "nr_targets",
	"nr_aggrs", "stack_words", "nr_exits", "nr_tasks", "watermark", "targets",
	"cpus", "cpus_bytes", "attr_flags", "attr_type", "attr_precise", "attr_config",
	"attr_config1", "attr_config2", "attr_period", "map_bytes", "cpu_stride",
	"memory_bytes", "aggr_bytes", "task_bytes", "min_ns", "max_ns",
	"wait_ns", "nr_waits", "wait_bytes", "waits_offset", "hist_bytes",
	"reserved", "hists_offset", "nr_records", "record_bytes", "tails_offset",
	"grow_bytes", "growth", "reserved2", NULL
};

_Static_assert(ARRAY_SIZE(fields) + 1 == ARRAY_SIZE(field_names), "a name for each");

static void spoil(struct wallprof_configure *c, __u64 field, __u64 value)
{
	field %= ARRAY_SIZE(fields);
	/* Little-endian, as all that we run on. */
	memcpy((char *)c + fields[field].offset, &value, fields[field].bytes);
}

/* The size of CONFIGURE's struct in its first version. */
#define CONFIGURE_LEAST	offsetof(struct wallprof_configure, min_ns)

/* The longest mask of CPUs. */
#define MASK	(8 * PAGE)

/* A clock that ticks all the time leaves an emulated machine no time. */
static void counter_tame(struct wallprof_configure *c)
{
	__u64 slowest = c->attr_flags & WALLPROF_ATTR_FREQ ? 1 : 1000000;

	if (c->attr_type != PERF_TYPE_SOFTWARE || c->attr_config > 1 ||
	    !(c->flags & WALLPROF_SAMPLER) || !c->attr_period)
		return;
	if (slowest == 1 && c->attr_period > 1000 && c->attr_period <= WALLPROF_MAX_FREQ)
		c->attr_period = 1000;
	else if (slowest > 1 && c->attr_period < slowest)
		c->attr_period = slowest;
}

long run_configure(struct thread *t, const __u64 *a)
{
	struct model *m = model_of(t, a[0]);
	struct wallprof_configure c, asked;
	struct place list;
	static __thread __u64 mask[MASK / 64];
	static __thread __u32 ids[1024];
	enum verdict verdict;
	unsigned int cpu = 0;
	long ret, want = SOME;
	int field = a[2] % ARRAY_SIZE(fields), other = a[4] % ARRAY_SIZE(fields);

	base_make(t, a[1], &c, ids);
	if (c.targets) {
		/* The struct is not to be put on top of the list. */
		if (a[8] <= AT_CUT || a[8] == a[7]) {
			memcpy(t->arena.readonly_alias + PAGE, ids, sizeof(ids[0]) * 8);
			c.targets = (uintptr_t)t->arena.readonly + PAGE;
		} else {
			list = place_put(t, a[8], ids, sizeof(ids[0]) * 8);
			c.targets = (uintptr_t)list.pointer;
		}
	}
	memset(mask, 0, sizeof(mask));
	mask[0] = 1;
	if (c.cpus)
		c.cpus = (uintptr_t)mask;
	spoil(&c, field, a[3]);
	/* Not where memory is, but the number of a CPU. */
	if (c.cpus && c.cpus < MASK) {
		cpu = c.cpus;
		mask[cpu / 64] |= 1ULL << cpu % 64;
		c.cpus = (uintptr_t)mask;
		c.cpus_bytes = sizeof(mask);
	}
	spoil(&c, other, a[5]);
	counter_tame(&c);
	c.size = a[6] == RIGHT ? sizeof(c) : (__u32)a[6];
	/* What the struct does not reach is taken as 0. */
	if (c.size >= CONFIGURE_LEAST && c.size < sizeof(c))
		memset((char *)&c + c.size, 0, sizeof(c) - c.size);
	asked = c;
	verdict = judge_config(&c);
	if (m && m->state != WALLPROF_SESSION_OPEN)
		want = -EBUSY;
	else if (m && verdict == INVALID)
		want = -EINVAL;
	ret = command(t, a[0], &(struct command){
		WALLPROF_IOC_CONFIGURE, &c, sizeof(c), a[6], a[7], a[9], want,
		errno_configure, CONFIGURE_LEAST });
	if (!ret && verdict == INVALID && a[7] != AT_RESTLESS && a[7] != AT_MAPPING)
		wrong(t, "what is not valid was configured");
	if (!ret && cpu >= nr_cpus && a[7] <= AT_SLOW && asked.cpus == (uintptr_t)mask &&
	    asked.cpus_bytes == sizeof(mask))
		wrong(t, "CPU %u was configured, of %u", cpu, nr_cpus);
	if (m && m->state == WALLPROF_SESSION_OPEN && verdict == VALID &&
	    ret == -EINVAL && c.size >= CONFIGURE_LEAST && a[7] != AT_RESTLESS &&
	    a[7] != AT_MAPPING)
		wrong(t, "what is valid was refused");
	if (!ret && a[7] <= AT_SLOW) {
		judge_layout(t, &asked, &c);
		if (m) {
			m->state = WALLPROF_SESSION_CONFIGURED;
			m->c = c;
			m->events = c.flags & WALLPROF_SAMPLER && c.attr_period;
		}
	} else if (!ret) {
		/* Who knows what it was that was configured. */
		expose(t, a[0]);
	}
	if (m && m->exact)
		status_check(t, a[0]);
	return ret;
}

long run_start(struct thread *t, const __u64 *a)
{
	struct wallprof_start start = { .flags = a[1] };
	struct model *m = model_of(t, a[0]);
	long ret, want = SOME;

	if (m && (start.flags & ~WALLPROF_START_LATER || m->state == WALLPROF_SESSION_OPEN))
		want = -EINVAL;
	else if (m && m->state != WALLPROF_SESSION_CONFIGURED)
		want = -EBUSY;
	else if (start.flags & WALLPROF_START_LATER)
		want = SOME;
	else if (m && m->c.flags & WALLPROF_SAMPLER && !m->events)
		want = -EINVAL;
	else if (m && m->c.target == WALLPROF_TARGET_ALL)
		want = 0;
	ret = command(t, a[0], &(struct command){
		WALLPROF_IOC_START, &start, sizeof(start), a[2], a[3], a[4], want,
		errno_start });
	if (m && !ret && !start.flags)
		m->state = WALLPROF_SESSION_RUNNING;
	if (m && !ret && start.flags & WALLPROF_START_LATER)
		m->later = true;
	if (!ret && !a[1] && a[3] <= AT_SLOW && (!start.time || start.time > now_ns()))
		wrong(t, "started at %llu", (ull)start.time);
	if (m)
		status_check(t, a[0]);
	return ret;
}

long run_flip(struct thread *t, const __u64 *a)
{
	struct wallprof_flip flip = { .flags = a[1], .reserved = a[2] };
	struct model *m = model_of(t, a[0]);
	long ret, want = SOME;

	if (m && (flip.flags || flip.reserved || m->state < WALLPROF_SESSION_RUNNING))
		want = -EINVAL;
	else if (m)
		want = m->state == WALLPROF_SESSION_STOPPED && m->retired ? -ENODATA : 0;
	ret = command(t, a[0], &(struct command){
		WALLPROF_IOC_FLIP, &flip, sizeof(flip), a[3], a[4], a[5], want,
		errno_flip });
	if (m && !ret) {
		if (a[4] <= AT_SLOW &&
		    (flip.time > now_ns() || flip.time < m->last.start ||
		     flip.epoch != m->last.epoch))
			wrong(t, "epoch %u until %llu, after STATUS reported epoch %u",
			      flip.epoch, (ull)flip.time, m->last.epoch);
		m->retired = m->state == WALLPROF_SESSION_STOPPED;
		status_check(t, a[0]);
	}
	return ret;
}

long run_stop(struct thread *t, const __u64 *a)
{
	struct wallprof_stop stop = { .flags = a[1] };
	struct model *m = model_of(t, a[0]);
	long ret, want = SOME;

	if (m && (stop.flags || m->state < WALLPROF_SESSION_RUNNING))
		want = -EINVAL;
	else if (m)
		want = m->state == WALLPROF_SESSION_RUNNING ? 0 : -EBUSY;
	ret = command(t, a[0], &(struct command){
		WALLPROF_IOC_STOP, &stop, sizeof(stop), a[2], a[3], a[4], want,
		errno_stop });
	if (m && !ret)
		m->state = WALLPROF_SESSION_STOPPED;
	if (m)
		status_check(t, a[0]);
	return ret;
}

/* A filter of the form that a number says; good ones half the time. */
static void put_filter(struct wallprof_event *event, struct wallprof_filter_test tests[2],
		       char *text, __u64 how)
{
	memset(tests, 0, 2 * sizeof(*tests));
	for (int i = 0; i < 2; i++) {
		tests[i] = (struct wallprof_filter_test){
			.operand = WALLPROF_FILTER_SIGNED, .compare = (how >> 8) % 4,
			.offset = 4, .size = 4, .yes = i ? WALLPROF_FILTER_TAKE : 1,
			.no = WALLPROF_FILTER_DROP, .value = how >> 32,
		};
	}
	if (how & 1)
		tests[1] = (struct wallprof_filter_test){
			.operand = WALLPROF_FILTER_ARRAY,
			.compare = WALLPROF_FILTER_FULL + (how >> 16) % 5, .offset = 8,
			.size = 16, .yes = WALLPROF_FILTER_TAKE, .no = WALLPROF_FILTER_DROP,
			.text = 1, .length = 2 + (how >> 24) % 4,
		};
	if (how & 2)
		((unsigned char *)tests)[(how >> 40) % (2 * sizeof(*tests))] ^= how >> 32;
	strcpy(text, "*a?[*");
	event->attr_type = PERF_TYPE_TRACEPOINT;
	event->attr_config = number_in("/sys/kernel/tracing/events/sched/sched_wakeup/id");
	event->attr_period = 1;
	event->filter = (uintptr_t)tests;
	event->nr_filter = 2;
	event->filter_text = (uintptr_t)text;
	event->filter_text_bytes = 5 + (how >> 2 & 1);
	event->record_words = how >> 4 & 1 ? how >> 56 & 127 : 0;
	event->weight_size = how >> 3 & 8;
	event->weight_offset = event->weight_size ? how >> 48 & 15 : 0;
	event->by_size = how >> 3 & 4;
	event->by_offset = event->by_size ? how >> 52 & 31 : 0;
}

/* fd base field value size at tail */
long run_event(struct thread *t, const __u64 *a)
{
	static const struct { size_t offset, bytes; } fields[] = {
#define EVENT_FIELD(name) { offsetof(struct wallprof_event, name), \
			    sizeof(((struct wallprof_event *)0)->name) }
		EVENT_FIELD(nr), EVENT_FIELD(attr_flags), EVENT_FIELD(attr_type),
		EVENT_FIELD(attr_precise), EVENT_FIELD(stack_flags), EVENT_FIELD(max_stack),
		EVENT_FIELD(reserved), EVENT_FIELD(attr_config), EVENT_FIELD(attr_config1),
		EVENT_FIELD(attr_config2), EVENT_FIELD(attr_period), EVENT_FIELD(filter),
		EVENT_FIELD(filter_text), EVENT_FIELD(nr_filter), EVENT_FIELD(filter_text_bytes),
		EVENT_FIELD(weight_offset), EVENT_FIELD(weight_size), EVENT_FIELD(weight_sign),
		EVENT_FIELD(record_words), EVENT_FIELD(by_offset), EVENT_FIELD(by_size),
		EVENT_FIELD(by_sign),
	};
	static const __u64 configs[] = {
		PERF_COUNT_SW_CPU_CLOCK, PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_CONTEXT_SWITCHES,
	};
	struct model *m = model_of(t, a[0]);
	struct wallprof_event event = {
		.attr_type = PERF_TYPE_SOFTWARE,
		.attr_config = configs[a[1] % ARRAY_SIZE(configs)],
		.attr_period = a[1] % ARRAY_SIZE(configs) ? 1 : 10000000,
		.max_stack = m ? m->c.max_stack : 1,
		.stack_flags = m ? m->c.stack_flags : 0,
	};
	unsigned int field = a[2] % (2 * ARRAY_SIZE(fields));
	struct wallprof_filter_test tests[2];
	bool filtered = a[1] / ARRAY_SIZE(configs) % 4 == 3, valid, clock;
	char text[8] = "";
	long ret, want = SOME;

	if (filtered)
		put_filter(&event, tests, text, a[3]);
	/* As often as not it is as it should be. */
	if (field < ARRAY_SIZE(fields))
		memcpy((char *)&event + fields[field].offset, &a[3], fields[field].bytes);
	/* What a smaller struct does not have is 0. */
	if (a[4] != RIGHT && (__u32)a[4] >= EVENT_LEAST && (__u32)a[4] < sizeof(event))
		memset((char *)&event + (__u32)a[4], 0, sizeof(event) - (__u32)a[4]);
	clock = event.attr_type == PERF_TYPE_SOFTWARE && event.attr_config <= 1;
	if (clock && event.attr_flags & WALLPROF_ATTR_FREQ && event.attr_period > 1000 &&
	    event.attr_period <= WALLPROF_MAX_FREQ)
		event.attr_period = 1000;
	else if (clock && event.attr_period && event.attr_period < 1000000)
		event.attr_period = 1000000;
	valid = m && m->c.flags & WALLPROF_SAMPLER && !event.reserved &&
		!(event.attr_flags & ~WALLPROF_ATTR_FLAGS) && event.attr_precise <= 3 &&
		event.attr_period && !(event.attr_period >> 63) &&
		(!(event.attr_flags & WALLPROF_ATTR_FREQ) ||
		 event.attr_period <= WALLPROF_MAX_FREQ) &&
		!(event.stack_flags & ~m->c.stack_flags) && event.max_stack &&
		event.max_stack <= m->c.max_stack;
	if (m && m->state == WALLPROF_SESSION_OPEN)
		want = -EINVAL;
	else if (m && m->state != WALLPROF_SESSION_CONFIGURED)
		want = -EBUSY;
	else if (m && !valid)
		want = -EINVAL;
	/* Of another event, or without anything to test. */
	else if (m && event.attr_type != PERF_TYPE_TRACEPOINT &&
		 (event.nr_filter || event.weight_size || event.by_size || event.record_words))
		want = -EINVAL;
	else if (m && (event.record_words > WALLPROF_MAX_STACK || event.by_sign > 1 ||
		       event.by_size > 8))
		want = -EINVAL;
	else if (m && ((!event.nr_filter && (event.filter || event.filter_text ||
					     event.filter_text_bytes)) ||
		       (!event.weight_size && (event.weight_offset || event.weight_sign)) ||
		       (!event.by_size && (event.by_offset || event.by_sign))))
		want = -EINVAL;
	ret = command(t, a[0], &(struct command){
		WALLPROF_IOC_EVENT, &event, sizeof(event), a[4], a[5], a[6], want, errno_event,
		.least = EVENT_LEAST });
	if (m && !ret)
		m->events++;
	if (!ret && a[4] == RIGHT && a[5] <= AT_SLOW && event.nr >= WALLPROF_MAX_EVENTS)
		wrong(t, "the number of an event is %u", event.nr);
	if (m)
		status_check(t, a[0]);
	return ret;
}

/* fd nr size at tail */
long run_count(struct thread *t, const __u64 *a)
{
	struct wallprof_count count = { .nr = a[1] };
	struct model *m = model_of(t, a[0]);
	long ret, want = SOME;

	if (m && m->state == WALLPROF_SESSION_OPEN)
		want = -EINVAL;
	else if (m && count.nr >= m->events)
		want = -ENOENT;
	ret = command(t, a[0], &(struct command){
		WALLPROF_IOC_COUNT, &count, sizeof(count), a[2], a[3], a[4], want, errno_count,
		.least = COUNT_LEAST });
	if (!ret && a[2] == RIGHT && a[3] <= AT_SLOW && count.running_ns > count.enabled_ns)
		wrong(t, "counted for %llu of %llu ns", (ull)count.running_ns,
		      (ull)count.enabled_ns);
	return ret;
}

/* Any number, ours or not. */
long run_ioctl(struct thread *t, const __u64 *a)
{
	unsigned long nr = (__u32)a[1];
	unsigned char bytes[256] = { sizeof(struct wallprof_info) };
	bool ours = nr >= WALLPROF_IOC_INFO && nr <= WALLPROF_IOC_READ;
	struct place place;
	long ret;

	/* Those that the kernel answers for every file. */
	if ((nr >> 8 & 0xff) == 'T' || (nr >> 8 & 0xff) == 'f' || (nr >> 8 & 0xff) == 'X' ||
	    (nr >> 8 & 0xff) == 0x94 || nr <= 2)
		nr |= 0x80;
	place = place_put(t, a[2], bytes, sizeof(bytes));
	ret = sys(ioctl(fd_of(t, a[0]), nr, place.pointer));
	if (ours) {
		if (!judge_has(errno_configure, -ret) && !judge_has(errno_start, -ret) &&
		    !judge_has(errno_flip, -ret) && !judge_has(errno_push, -ret) &&
		    !judge_has(errno_read, -ret))
			judge_errno(t, "a command", ret, errno_common);
		/* It may have done what its number says. */
		if (!ret || a[2] == AT_RESTLESS)
			expose(t, a[0]);
		else if (model_of(t, a[0]))
			status_check(t, a[0]);
	} else if (ret != -ENOTTY && ret != -EBADF) {
		wrong(t, "command %lx: %ld", nr, ret);
	}
	return ret;
}
