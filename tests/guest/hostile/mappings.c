// SPDX-License-Identifier: GPL-2.0
/* Mappings: made, changed, read, written to if that were possible. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "calls.h"

void map_drop(struct map *map)
{
	if (map->at)
		munmap(map->at, map->bytes);
	model_put(map->model);
	*map = (struct map){ 0 };
}

const char *const from_names[] = { "start", "end", "raw", "tails", NULL };

/* Where the processor can write it can read as well. */
static bool can_read(int prot)
{
	return prot & (PROT_READ | PROT_WRITE);
}

const char *const how_mmap[] = {
	"shared", "private", "validate", "populate", "locked", "growsdown", "hugetlb",
	"sync", "noreserve", NULL
};

long run_mmap(struct thread *t, const __u64 *a)
{
	static const int flags[] = {
		MAP_SHARED, MAP_PRIVATE, MAP_SHARED_VALIDATE, MAP_SHARED | MAP_POPULATE,
		MAP_SHARED | MAP_LOCKED, MAP_SHARED | MAP_GROWSDOWN,
		MAP_SHARED | MAP_HUGETLB, MAP_SHARED_VALIDATE | MAP_SYNC,
		MAP_SHARED | MAP_NORESERVE,
	};
	unsigned int how = a[6] % ARRAY_SIZE(flags);
	struct map *map = &t->maps[a[1] % MAPS];
	struct slot *slot = slot_of(t, a[0]);
	struct model *m = model_of(t, a[0]);
	__u64 whole = m && m->state ? m->c.map_bytes : 16 * PAGE;
	unsigned int from = a[2] % (ARRAY_SIZE(from_names) - 1);
	__u64 tails_at = m && m->state ? m->c.tails_offset : 0;
	__u64 offset = from == 1 ? whole - a[3] : from == 3 ? tails_at + a[3] : a[3];
	__u64 bytes = a[4] == RIGHT ? whole : a[4];
	int prot = a[5] & (PROT_READ | PROT_WRITE | PROT_EXEC);
	bool good, tails;
	void *at;
	long ret;

	if (a[4] == RIGHT && from == 1)
		bytes = a[3];
	else if (a[4] == RIGHT && from == 3)
		bytes = whole - offset;
	map_drop(map);
	if (bytes != (size_t)bytes)
		return -ENOMEM;
	at = mmap(NULL, bytes, prot, flags[how], fd_of(t, a[0]), offset);
	ret = at == MAP_FAILED ? -errno : 0;
	judge_errno(t, "mmap", ret, errno_mmap);
	if (ret)
		at = NULL;
	/* Of what others have configured we do not know. */
	tails = !m || (m->state && m->c.flags & WALLPROF_TIMELINE &&
		       offset >= m->c.tails_offset);
	good = !(prot & PROT_EXEC) && (tails || !(prot & PROT_WRITE)) && how != 1;
	if (!ret && !good)
		wrong(t, "mmap: %s mapping with prot %d", how_mmap[how], prot);
	if (m) {
		good &= m->state != WALLPROF_SESSION_OPEN && slot->mode != O_WRONLY &&
			(slot->mode == O_RDWR || !(prot & PROT_WRITE)) &&
			!(offset % PAGE) && bytes && offset <= whole &&
			(bytes + PAGE - 1) / PAGE * PAGE <= whole - offset;
		if (!ret && !good)
			wrong(t, "mapped %llu bytes at %llu of %llu in state %u",
			      (ull)bytes, (ull)offset, (ull)whole, m->state);
		if (ret && good && (how == 0 || how == 2 || how == 3 || how == 8) &&
		    ret != -ENOMEM)
			wrong(t, "not mapped: %ld", ret);
	}
	if (ret)
		return ret;
	*map = (struct map){ at, (bytes + PAGE - 1) / PAGE * PAGE, offset,
		can_read(prot), prot & PROT_WRITE, tails, slot ? slot->model : NULL };
	if (map->model)
		map->model->refs++;
	return 0;
}

long run_munmap(struct thread *t, const __u64 *a)
{
	struct map *map = &t->maps[a[0] % MAPS];
	size_t pages = map->bytes / PAGE, first, nr;

	if (!map->at)
		return -EINVAL;
	first = a[1] % pages;
	nr = a[2] % (pages - first) + 1;
	if (munmap(map->at + first * PAGE, nr * PAGE))
		wrong(t, "munmap: %s", strerror(errno));
	/* What is left of it, at the front; the rest goes. */
	if (first + nr < pages)
		munmap(map->at + (first + nr) * PAGE, (pages - first - nr) * PAGE);
	map->bytes = first * PAGE;
	if (!first) {
		map->at = NULL;
		map_drop(map);
	}
	return 0;
}

long run_mremap(struct thread *t, const __u64 *a)
{
	struct map *map = &t->maps[a[0] % MAPS];
	size_t old = map->bytes, new = a[1] % (64 * PAGE) / PAGE * PAGE + PAGE;
	int flags = (a[2] & 1 ? MREMAP_MAYMOVE : 0) | (a[2] & 2 ? MREMAP_DONTUNMAP : 0);
	void *at;

	if (!map->at)
		return -EINVAL;
	/* A length of 0 asks for a second mapping of the same. */
	at = mremap(map->at, a[2] & 4 ? 0 : old, new, flags);
	if (at == MAP_FAILED)
		return -errno;
	if (new > old || a[2] & 4 || (flags & MREMAP_DONTUNMAP))
		wrong(t, "mremap: from %zu to %zu bytes, flags %llu", old, new, (ull)a[2]);
	map->at = at;
	map->bytes = new;
	return 0;
}

long run_mprotect(struct thread *t, const __u64 *a)
{
	struct map *map = &t->maps[a[0] % MAPS];
	int prot = a[1] & 7;
	long ret;

	if (!map->at)
		return -EINVAL;
	ret = sys(mprotect(map->at, map->bytes, prot));
	if (!ret && (prot & PROT_EXEC || (prot & PROT_WRITE && !map->tails)))
		wrong(t, "mprotect to %d", prot);
	if (ret && !(prot & (PROT_WRITE | PROT_EXEC)))
		wrong(t, "mprotect to %d: %ld", prot, ret);
	if (ret)
		return ret;
	map->readable = can_read(prot);
	map->writable = prot & PROT_WRITE;
	return 0;
}

long run_madvise(struct thread *t, const __u64 *a)
{
	static const int advice[] = {
		MADV_NORMAL, MADV_RANDOM, MADV_SEQUENTIAL, MADV_WILLNEED, MADV_DONTNEED,
		MADV_FREE, MADV_REMOVE, MADV_DONTFORK, MADV_DOFORK, MADV_MERGEABLE,
		MADV_HUGEPAGE, MADV_DONTDUMP, MADV_DODUMP, MADV_WIPEONFORK, MADV_COLD,
		MADV_PAGEOUT, 22 /* POPULATE_READ */, 23 /* POPULATE_WRITE */,
	};
	struct map *map = &t->maps[a[0] % MAPS];
	unsigned int which = a[1] % ARRAY_SIZE(advice);
	long ret;

	if (!map->at)
		return -EINVAL;
	ret = sys(madvise(map->at, map->bytes, advice[which]));
	if (!ret && (advice[which] == MADV_REMOVE || advice[which] == MADV_DODUMP ||
		     (advice[which] == 23 && !map->writable)))
		wrong(t, "madvise %d", advice[which]);
	return ret;
}

/* Read it. 0, or -EFAULT: SIGBUS or SIGSEGV came. */
static long touch(struct thread *t, const volatile char *at, size_t bytes)
{
	long ret = 0;

	if (!sigsetjmp(t->landing, 1)) {
		t->guarded = true;
		for (size_t i = 0; i < bytes; i += PAGE / 2)
			(void)at[i];
	} else {
		ret = -EFAULT;
	}
	t->guarded = false;
	return ret;
}

long run_touch(struct thread *t, const __u64 *a)
{
	struct map *map = &t->maps[a[0] % MAPS];
	size_t at;
	long ret;

	if (!map->at)
		return -EINVAL;
	at = a[1] % (map->bytes / PAGE) * PAGE;
	ret = touch(t, map->at + at, map->bytes - at < 16 * PAGE ? map->bytes - at : 16 * PAGE);
	/* Every CPU is there in our guests: no part is missing. */
	if (!ret != map->readable)
		wrong(t, "reading a mapping that is %sreadable: %ld",
		      map->readable ? "" : "not ", ret);
	return ret;
}

const char *const how_poke[] = { "mem", "vm", "ptr", NULL };

/* Write to the mapping: what must never come off, but to tails that may be written. */
long run_poke(struct thread *t, const __u64 *a)
{
	struct map *map = &t->maps[a[0] % MAPS];
	struct iovec local = { "x", 1 }, remote;
	volatile long ret = -EFAULT;
	int fd;

	if (!map->at)
		return -EINVAL;
	remote = (struct iovec){ map->at + a[1] % map->bytes, 1 };
	switch (a[2] % 3) {
	case 0:
		fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
		if (fd < 0)
			return -errno;
		ret = sys(pwrite(fd, "x", 1, (uintptr_t)remote.iov_base));
		close(fd);
		break;
	case 1:
		ret = sys(process_vm_writev(getpid(), &local, 1, &remote, 1, 0));
		break;
	case 2:
		if (!sigsetjmp(t->landing, 1)) {
			t->guarded = true;
			*(volatile char *)remote.iov_base = 'x';
			ret = 1;
		}
		t->guarded = false;
		break;
	}
	if ((ret > 0) != map->writable)
		wrong(t, "writing to a mapping that is %swritable by %s: %ld",
		      map->writable ? "" : "not ", how_poke[a[2] % 3], ret);
	return ret < 0 ? ret : 0;
}

/* Say how far a ring was read, in a mapping of tails. */
long run_tail(struct thread *t, const __u64 *a)
{
	struct map *map = &t->maps[a[0] % MAPS];
	size_t nr = map->bytes / sizeof(struct wallprof_tail);

	if (!map->writable)
		return -EINVAL;
	if (!sigsetjmp(t->landing, 1)) {
		t->guarded = true;
		((volatile struct wallprof_tail *)map->at)[a[1] % nr].tail = a[2];
		t->guarded = false;
		return 0;
	}
	wrong(t, "a tail that may be written cannot be");
}

/* Hold on to its pages beyond its life. */
long run_pin(struct thread *t, const __u64 *a)
{
	struct map *map = &t->maps[a[0] % MAPS];
	struct iovec iov;
	char byte[64];
	int ends[2];
	long ret;

	if (!map->at)
		return -EINVAL;
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK))
		return -errno;
	iov = (struct iovec){ map->at + a[1] % (map->bytes / PAGE) * PAGE, 64 };
	ret = sys(vmsplice(ends[1], &iov, 1, SPLICE_F_NONBLOCK));
	if (a[2] & 1)
		map_drop(map);
	if (ret > 0 && read(ends[0], byte, sizeof(byte)) != sizeof(byte))
		wrong(t, "what was pinned cannot be read");
	close(ends[0]);
	close(ends[1]);
	return ret < 0 ? ret : 0;
}

const char *const how_lock[] = {
	"mlock", "munlock", "mincore", "msync", "remap", "mlock2", NULL
};

long run_lock(struct thread *t, const __u64 *a)
{
	struct map *map = &t->maps[a[0] % MAPS];
	unsigned char vec[1024];

	if (!map->at)
		return -EINVAL;
	switch (a[1] % 6) {
	case 0:
		return sys(mlock(map->at, map->bytes));
	case 1:
		return sys(munlock(map->at, map->bytes));
	case 2:
		return map->bytes / PAGE > sizeof(vec) ? -EINVAL :
			sys(mincore(map->at, map->bytes, vec));
	case 3:
		return sys(msync(map->at, map->bytes, MS_SYNC));
	case 4:
		return sys(syscall(SYS_remap_file_pages, map->at, PAGE, 0,
				   map->offset / PAGE, 0));
	default:
		return sys(mlock2(map->at, map->bytes, 1 /* MLOCK_ONFAULT */));
	}
}

/* A reader of rings that says anything. */
static void scribble(int fd, const struct wallprof_configure *c)
{
	size_t bytes = c->map_bytes - c->tails_offset;
	struct wallprof_tail *tails;

	tails = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, c->tails_offset);
	if (tails == MAP_FAILED)
		return;
	for (unsigned int cpu = 0; cpu < nr_cpus; cpu++)
		tails[cpu].tail += now_ns() >> now_ns() % 64;
	munmap(tails, bytes);
}

/* The rings, whatever their tails say: only records, and only what was lost is open. */
static void rings_look(struct thread *t, const struct wallprof_configure *c, const char *map)
{
	for (unsigned int cpu = 0; cpu < nr_cpus; cpu++) {
		const char *at = map + c->rings_offset + cpu * c->ring_stride;
		const volatile struct wallprof_ring *ring = (const void *)at;
		const volatile struct wallprof_record *record = (const void *)(at + PAGE);
		__u64 open = ring->open, lost = ring->lost;

		if (c->flags & WALLPROF_OVERWRITE ? open | lost : open > lost + 1)
			wrong(t, "the ring of cpu %u has lost %llu, and %llu of them are open",
			      cpu, (ull)lost, (ull)open);
		for (unsigned int i = 0; i < c->nr_records; i++)
			if (record[i].type >= WALLPROF_RECORD_MAX)
				wrong(t, "the ring of cpu %u: record %u is of type %u", cpu, i,
				      record[i].type);
	}
}

/* The tables of a session: do their heads make sense? */
long run_drain(struct thread *t, const __u64 *a)
{
	struct model *m = model_of(t, a[0]);
	struct slot *slot = slot_of(t, a[0]);
	const struct wallprof_configure *c;
	char *map;

	if (!m || !m->state || slot->mode == O_WRONLY)
		return -EINVAL;
	c = &m->c;
	map = mmap(NULL, c->map_bytes, PROT_READ, MAP_SHARED, fd_of(t, a[0]), 0);
	if (map == MAP_FAILED && errno == ENOMEM)
		return -errno;
	if (map == MAP_FAILED)
		wrong(t, "mmap: %s", strerror(errno));
	for (unsigned int i = 0; i < nr_cpus * 4; i++) {
		unsigned int cpu = i / 4, sampler = i / 2 % 2;
		const struct wallprof_half *half;
		__u64 at = c->cpus_offset + cpu * c->cpu_stride;

		if (!(c->flags & (sampler ? WALLPROF_SAMPLER : WALLPROF_OFFCPU)))
			continue;
		at += sampler ? c->sampler_offset + i % 2 * c->sampler_half_stride :
				i % 2 * c->half_stride;
		half = (const void *)(map + at);
		if (half->epoch && half->cpu != cpu)
			wrong(t, "the half of cpu %u is that of %u", cpu, half->cpu);
		if (half->epoch > m->last.epoch + 1 ||
		    half->nr_aggrs > c->nr_aggrs << c->growth ||
		    half->stack_words > c->stack_words << c->growth ||
		    half->nr_exits > (sampler ? 0 : c->nr_exits << c->growth) ||
		    half->nr_waits > (sampler ? 0 : c->nr_waits << c->growth) ||
		    half->nr_stacks > half->stack_words)
			wrong(t, "cpu %u, epoch %u (of %u): %u aggregates, %u words, %u exits",
			      cpu, half->epoch, m->last.epoch, half->nr_aggrs,
			      half->stack_words, half->nr_exits);
	}
	if (c->flags & WALLPROF_TIMELINE)
		rings_look(t, c, map);
	munmap(map, c->map_bytes);
	if (c->flags & WALLPROF_TIMELINE && slot->mode == O_RDWR)
		scribble(fd_of(t, a[0]), c);
	return 0;
}
