// SPDX-License-Identifier: GPL-2.0
/* The memory that calls are given: good, bad, and changing. */
#include <fcntl.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <linux/userfaultfd.h>

#include "fuzz.h"

const char *const at_names[] = {
	"normal", "odd", "edge", "cut", "slow", "readonly", "none", "eof", "null",
	"low", "kernel", "top", "hole", "restless", "mapping", NULL
};

static char *restless;		/* two pages, of the worker */
static int restless_file;

/* The pages of each thread that come slowly, and what comes. */
static struct arena *slow_arenas[THREADS];
static int slow_fd = -1;

static char *pages(size_t nr, int prot)
{
	char *at = mmap(NULL, nr * PAGE, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		abort();
	return at;
}

static void *slow_serve(void *arg)
{
	struct uffd_msg msg;

	while (read(slow_fd, &msg, sizeof(msg)) == sizeof(msg)) {
		char *at = (char *)(uintptr_t)(msg.arg.pagefault.address & ~(PAGE - 1));

		usleep(100);
		for (unsigned int i = 0; i < THREADS; i++) {
			struct arena *a = __atomic_load_n(&slow_arenas[i], __ATOMIC_ACQUIRE);
			struct uffdio_copy copy = { .dst = (uintptr_t)at, .len = PAGE };

			if (!a || at < a->slow || at >= a->slow + 2 * PAGE)
				continue;
			copy.src = (uintptr_t)(a->shadow + (at - a->slow));
			pthread_mutex_lock(&a->slow_lock);
			ioctl(slow_fd, UFFDIO_COPY, &copy);
			pthread_mutex_unlock(&a->slow_lock);
		}
	}
	return arg;
}

/* Of a worker, before its threads come. */
void slow_begin(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	pthread_t thread;

	slow_fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	if (slow_fd < 0 || ioctl(slow_fd, UFFDIO_API, &api))
		wrong(NULL, "userfaultfd: %s: without CONFIG_USERFAULTFD=y no memory comes slowly",
		      strerror(errno));
	if (pthread_create(&thread, NULL, slow_serve, NULL))
		abort();
}

static void slow_make(struct arena *arena)
{
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };

	arena->slow = pages(2, PROT_READ | PROT_WRITE);
	arena->shadow = pages(2, PROT_READ | PROT_WRITE);
	pthread_mutex_init(&arena->slow_lock, NULL);
	__atomic_store_n(&slow_arenas[self->nr], arena, __ATOMIC_RELEASE);
	reg.range.start = (uintptr_t)arena->slow;
	reg.range.len = 2 * PAGE;
	if (ioctl(slow_fd, UFFDIO_REGISTER, &reg))
		abort();
}

void arena_make(struct arena *arena)
{
	int file = memfd_create("readonly", MFD_CLOEXEC);

	arena->normal = pages(3, PROT_READ | PROT_WRITE);
	mprotect(arena->normal + 2 * PAGE, PAGE, PROT_NONE);
	arena->none = arena->normal + 2 * PAGE;
	if (file < 0 || ftruncate(file, 2 * PAGE))
		abort();
	arena->readonly_alias = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
				     MAP_SHARED, file, 0);
	/* The third page lies behind the file's end. */
	arena->readonly = mmap(NULL, 3 * PAGE, PROT_READ, MAP_SHARED, file, 0);
	if (arena->readonly == MAP_FAILED || arena->readonly_alias == MAP_FAILED)
		abort();
	arena->eof = arena->readonly + 2 * PAGE;
	close(file);
	slow_make(arena);
}

void restless_make(void)
{
	restless_file = memfd_create("restless", MFD_CLOEXEC);
	if (restless_file < 0 || ftruncate(restless_file, 2 * PAGE))
		abort();
	restless = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
			restless_file, 0);
	if (restless == MAP_FAILED)
		abort();
}

/* By any thread, while another one has a call at work in it. */
void restless_stir(unsigned int how)
{
	switch (how) {
	case 0:
		mprotect(restless, 2 * PAGE, PROT_NONE);
		break;
	case 1:
		mprotect(restless, 2 * PAGE, PROT_READ);
		break;
	case 2:
		mprotect(restless, 2 * PAGE, PROT_READ | PROT_WRITE);
		break;
	case 3:
		madvise(restless, 2 * PAGE, MADV_DONTNEED);
		break;
	case 4:
		fallocate(restless_file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			  0, 2 * PAGE);
		break;
	case 5:
		if (ftruncate(restless_file, PAGE))
			abort();
		break;
	case 6:
		if (ftruncate(restless_file, 2 * PAGE))
			abort();
		break;
	case 7:
		mmap(restless, PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		break;
	default:
		mmap(restless, 2 * PAGE, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_FIXED, restless_file, 0);
		break;
	}
}

/* As much as can be written. */
static void __attribute__((noinline)) copy_guarded(struct thread *t, char *to,
						   const void *from, size_t nr)
{
	if (!sigsetjmp(t->landing, 1)) {
		t->guarded = true;
		memcpy(to, from, nr);
	}
	t->guarded = false;
}

static struct place bad(enum at at, unsigned long address)
{
	return (struct place){ (char *)address, PLACE_BAD, at, 0 };
}

/* Put bytes, two pages at most, to such a place. */
struct place place_put(struct thread *t, enum at at, const void *bytes, size_t nr)
{
	struct arena *a = &t->arena;
	struct place place = { .class = PLACE_GOOD, .at = at, .bytes = nr };

	switch (at) {
	case AT_ODD:
		place.pointer = a->normal + 65;
		break;
	case AT_EDGE:
		place.pointer = a->normal + 2 * PAGE - nr;
		break;
	case AT_CUT:
		place.class = PLACE_CUT;
		place.pointer = a->normal + 2 * PAGE - nr + 4;
		place.bytes = nr - 4;
		break;
	case AT_SLOW:
		/* Across the border of the pages, so that both are asked for. */
		place.pointer = a->slow + PAGE - nr / 16 * 8;
		/*
		 * A call that a signal ended may have asked for a page that comes only
		 * now: it must not bring what was there before.
		 */
		pthread_mutex_lock(&a->slow_lock);
		memcpy(a->shadow + (place.pointer - a->slow), bytes, nr);
		madvise(a->slow, 2 * PAGE, MADV_DONTNEED);
		pthread_mutex_unlock(&a->slow_lock);
		return place;
	case AT_READONLY:
		place.class = PLACE_READONLY;
		place.pointer = a->readonly + 128;
		memcpy(a->readonly_alias + 128, bytes, nr);
		return place;
	case AT_NONE:
		return bad(at, (unsigned long)a->none);
	case AT_EOF:
		return bad(at, (unsigned long)a->eof);
	case AT_NULL:
		return bad(at, 0);
	case AT_LOW:
		return bad(at, 8);
	case AT_KERNEL:
		return bad(at, sizeof(long) == 8 ? 0xffff888000001000ULL : 0xc0001000UL);
	case AT_TOP:
		return bad(at, -PAGE);
	case AT_HOLE:
		return bad(at, 1UL << (sizeof(long) * 8 - 1));
	case AT_RESTLESS:
		place.class = PLACE_ANY;
		place.pointer = restless + PAGE - nr / 16 * 8;
		break;
	case AT_MAPPING:
		if (!t->maps[0].at)
			return bad(at, 0);
		place.class = PLACE_ANY;
		place.pointer = t->maps[0].at + 8;
		return place;
	default:
		place.pointer = a->normal + 64;
		break;
	}
	if (place.class != PLACE_ANY) {
		memcpy(place.pointer, bytes, place.bytes);
		return place;
	}
	copy_guarded(t, place.pointer, bytes, place.bytes);
	return place;
}

/* What the kernel left there, of a place that is good. */
void place_get(const struct place *place, void *bytes, size_t nr)
{
	memcpy(bytes, place->pointer, nr);
}
