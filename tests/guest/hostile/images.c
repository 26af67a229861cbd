// SPDX-License-Identifier: GPL-2.0
/*
 * Mappings of processes, made by rules that follow from a number, and where what a struct
 * points to lies.
 */
#include <linux/wallprof_interp.h>

#include "calls.h"

/* The least that a machine has: our arm64 kernel has 39 bits. */
#ifdef __x86_64__
#define USER_END	0x7ffffffff000ULL
#else
#define USER_END	0x8000000000ULL
#endif

/* The linker's: where our code begins, and ends. */
extern char __executable_start[], etext[];

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
