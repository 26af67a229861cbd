// SPDX-License-Identifier: GPL-2.0
/*
 * A second reader of a sideband's rings, the follower, in a thread of its own. The kernel
 * writes each record once for each event that wants it, which for a thread that is born and
 * ends costs more than all that the module does for it; so both read one ring.
 *
 * Only the owner of the rings, the leader, frees their memory (data_tail). The follower has
 * a position of its own, and may be overtaken: what it reads is only relied on as long as the
 * kernel cannot have written there again, and else it gets a record of a loss.
 *
 * The follower wants each mapping at once, so the kernel wakes it at each. poll() of an event
 * clears that it has to be read: only one of both may wait for it. So the follower wakes the
 * leader when a ring is a quarter full. Called by sideband.c.
 */
#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "lib/record/sidefollow.h"
#include "lib/record/siderecords.h"

/*
 * Without a follower each mapping wakes the leader: this is the least time between two
 * drains, as records come in bursts.
 */
#define GATHER_NS	1000000

static __u64 head_of(const struct wp_sidering *r)
{
	return __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
}

static __u64 tail_of(const struct wp_sidering *r)
{
	return __atomic_load_n(&r->page->data_tail, __ATOMIC_ACQUIRE);
}

/**
 * wp_sidefollow_begin() - begin to follow
 * @sb: the follower, without rings
 * @leader: opened with @followed, without a follower
 *
 * Return: 0 or a negative errno after a message.
 */
int wp_sidefollow_begin(struct wp_sideband *sb, struct wp_sideband *leader)
{
	unsigned int i;
	int err;

	if (leader->full_fd < 0)
		leader->full_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (leader->full_fd < 0) {
		err = errno;
		wp_err("cannot follow processes (eventfd): %s", strerror(err));
		return -err;
	}
	sb->leader = leader;
	pthread_mutex_lock(&leader->lock);
	leader->has_follower = true;
	leader->cut = false;
	for (i = 0; i < leader->nr_rings; i++)
		leader->ring[i].seen = head_of(&leader->ring[i]);
	pthread_mutex_unlock(&leader->lock);
	return 0;
}

/*
 * Read what a ring has got. The kernel writes no further than to data_tail plus the ring's
 * size, nor than to data_head plus the record that it is writing, which is less than a half
 * of the ring.
 */
static int drain_ring(struct wp_sideband *sb, struct wp_sidering *r)
{
	__u64 head = head_of(r), pos = r->seen, size = sb->leader->data_size, from = pos;
	int ret;

	if (head == from)
		return 0;
	/* It reads nothing of more than a ring. */
	ret = wp_siderecords_feed(sb, r->cpu, (char *)r->page + r->map_size - size, size, head,
				  &pos);
	r->seen = head;
	/* The records are read before the kernel's position is. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (!ret && tail_of(r) > from && head_of(r) - from > size / 2)
		ret = wp_siderecords_take_loss(sb, r->cpu, 1);
	return ret;
}

/* Whether the leader should make room in a ring. */
static bool is_filling(const struct wp_sidering *r, size_t size)
{
	return head_of(r) - tail_of(r) >= size / 4;
}

/**
 * wp_sidefollow_drain() - read what the leader's rings have got
 * @sb: the follower
 *
 * Return: 0 or a negative errno.
 */
int wp_sidefollow_drain(struct wp_sideband *sb)
{
	struct wp_sideband *leader = sb->leader;
	bool full = false;
	unsigned int i;
	int ret = 0;

	pthread_mutex_lock(&leader->lock);
	for (i = 0; i < leader->nr_rings && !ret; i++) {
		ret = drain_ring(sb, &leader->ring[i]);
		full |= is_filling(&leader->ring[i], leader->data_size);
	}
	if (!ret && leader->cut)
		ret = wp_siderecords_take_loss(sb, 0, 1);
	leader->cut = false;
	pthread_mutex_unlock(&leader->lock);
	if (full && !__atomic_exchange_n(&leader->nudged, true, __ATOMIC_ACQ_REL)) {
		__u64 one = 1;

		if (write(leader->full_fd, &one, sizeof(one)) < 0)
			wp_debug("eventfd: %s", strerror(errno));
	}
	return ret;
}

/**
 * wp_sidefollow_before_drain() - begin a drain of the leader
 * @sb: the leader
 * @final: it is the last one
 */
void wp_sidefollow_before_drain(struct wp_sideband *sb, bool final)
{
	const struct timespec gather = { .tv_nsec = GATHER_NS };
	__u64 count;

	if (sb->full_fd >= 0 && read(sb->full_fd, &count, sizeof(count)) < 0 && errno != EAGAIN)
		wp_debug("eventfd: %s", strerror(errno));
	__atomic_store_n(&sb->nudged, false, __ATOMIC_RELEASE);
	/* Only this thread opens and closes the follower. */
	if (!sb->has_follower && !final && wp_clock_now() - sb->drained < GATHER_NS)
		nanosleep(&gather, NULL);
	sb->drained = wp_clock_now();
}

/**
 * wp_sidefollow_pollfds() - descriptors to poll: see wp_sideband_pollfds()
 * @sb: the leader, or the follower
 * @fds: filled in
 * @max: size of @fds
 *
 * If a CPU goes, the follower may poll a descriptor that stands for something else by then,
 * until its next call: that wakes it once too often, or late.
 *
 * Return: how many were filled in.
 */
unsigned int wp_sidefollow_pollfds(struct wp_sideband *sb, struct pollfd *fds,
				   unsigned int max)
{
	struct wp_sideband *leader = sb->leader ? : sb;
	unsigned int i;

	pthread_mutex_lock(&leader->lock);
	if (!sb->leader && sb->has_follower && max) {
		fds[0] = (struct pollfd){ .fd = sb->full_fd, .events = POLLIN };
		i = 1;
	} else {
		for (i = 0; i < leader->nr_rings && i < max; i++)
			fds[i] = (struct pollfd){
				.fd = leader->ring[i].fd, .events = POLLIN
			};
	}
	pthread_mutex_unlock(&leader->lock);
	return i;
}

/**
 * wp_sidefollow_end() - stop following, if it follows, and free what belongs to that
 * @sb: any sideband
 */
void wp_sidefollow_end(struct wp_sideband *sb)
{
	if (sb->leader) {
		pthread_mutex_lock(&sb->leader->lock);
		sb->leader->has_follower = false;
		pthread_mutex_unlock(&sb->leader->lock);
	}
	if (sb->full_fd >= 0)
		close(sb->full_fd);
}
