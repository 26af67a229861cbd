// SPDX-License-Identifier: GPL-2.0
/*
 * The reader's side of /dev/wallprof: the ioctls in their order, the mapping, and
 * iteration over a retired half. Nothing above this file knows an ioctl or an offset.
 * Data written by the kernel is still checked before use, so that another version of the
 * module can at worst cause wrong numbers.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/device/device.h"
#include "lib/device/modfile.h"
#include "lib/device/rights.h"

/* Whether a small file of the kernel's contains these words. */
static bool file_says(const char *path, const char *words)
{
	char text[128];
	ssize_t n;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n < 0)
		return false;
	text[n] = 0;
	return strstr(text, words);
}

/* Whether the kernel is locked down at this level: "integrity" or "confidentiality". */
static bool locked_down(const char *how)
{
	char words[32];

	snprintf(words, sizeof(words), "[%s]", how);
	return file_says("/sys/kernel/security/lockdown", words);
}

/* Whether the kernel only loads modules with a trusted signature. */
static bool wants_signature(void)
{
	return file_says("/sys/module/module/parameters/sig_enforce", "Y") ||
	       locked_down("integrity") || locked_down("confidentiality");
}

#define MORE_SIGNED	". This kernel loads modules only that are signed with a key it trusts: " \
			"see SIGNED MODULES in 'man wallprof'"

/* There is a file of the module. */
static void not_loaded(const char *path, const char *release, const char *more)
{
	struct wp_modfile m;

	wp_modfile_read(&m, path);
	if (wp_modfile_is_for(&m, release))
		wp_err("no %s: the module is not loaded. Run 'modprobe wallprof'%s",
		       WALLPROF_DEVICE, more);
	else
		wp_err("no %s: the module is not loaded, and %s was built for kernel %.*s, not for this one (%s). Build it again: 'make install' in the source tree, then 'modprobe wallprof'%s",
		       WALLPROF_DEVICE, path, (int)strcspn(m.vermagic, " "), m.vermagic,
		       release, more);
}

/* Explain why the device is missing. */
static void no_device(void)
{
	const char *more = wants_signature() ? MORE_SIGNED : "";
	struct utsname host;
	char path[512];

	uname(&host);
	if (!access("/sys/module/wallprof", F_OK))
		wp_err("no %s, though the module is loaded. A container must be given the device",
		       WALLPROF_DEVICE);
	else if (file_says("/proc/sys/kernel/modules_disabled", "1"))
		wp_err("no %s: the module is not loaded, and kernel.modules_disabled is 1: this kernel loads no module until the next boot. Load it there before that is set, with /etc/modules-load.d",
		       WALLPROF_DEVICE);
	else if (wp_modfile_find("", host.release, path, sizeof(path)))
		not_loaded(path, host.release, more);
	else
		wp_err("no %s: the module is not loaded, and none is installed for this kernel (%s). Run 'make install' in the source tree, or 'dkms autoinstall', then 'modprobe wallprof'%s",
		       WALLPROF_DEVICE, host.release, more);
}

static int open_failed(int err)
{
	switch (err) {
	case ENOENT:
	case ENXIO:
	case ENODEV:
		no_device();
		break;
	case EACCES:
	case EPERM:
		if (locked_down("confidentiality"))
			wp_err("%s: %s: the kernel is locked down (confidentiality), nothing may read its memory",
			       WALLPROF_DEVICE, strerror(err));
		else
			wp_rights_no_device(WALLPROF_DEVICE, err);
		break;
	case EUSERS:
		wp_err("%s: %s: too many sessions are open. End other recordings first; 'fuser -v %s' lists them",
		       WALLPROF_DEVICE, strerror(err), WALLPROF_DEVICE);
		break;
	default:
		wp_err("%s: %s", WALLPROF_DEVICE, strerror(err));
	}
	return -err;
}

/**
 * wp_device_open() - open a session
 * @dev: the session; to be closed with wp_device_close() if this succeeds
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_device_open(struct wp_device *dev)
{
	int err;

	memset(dev, 0, sizeof(*dev));
	dev->fd = open(WALLPROF_DEVICE, O_RDWR | O_CLOEXEC);
	if (dev->fd < 0)
		return open_failed(errno);
	dev->info.size = sizeof(dev->info);
	if (ioctl(dev->fd, WALLPROF_IOC_INFO, &dev->info)) {
		err = -errno;
		wp_err("%s does not answer as the module wallprof: %s", WALLPROF_DEVICE,
		       strerror(-err));
		goto close;
	}
	dev->info.version[sizeof(dev->info.version) - 1] = 0;
	if (dev->info.abi_version < WALLPROF_ABI_VERSION) {
		wp_err("the loaded module (%s) is older than this wallprof (%s): it has version %u of the interface, version %u is needed. Install the module of this wallprof ('make install', or its DKMS package), end all recordings, and run 'modprobe -r wallprof && modprobe wallprof'",
		       dev->info.version, WP_VERSION, dev->info.abi_version,
		       WALLPROF_ABI_VERSION);
		err = -EPROTONOSUPPORT;
		goto close;
	}
	if (!dev->info.nr_cpus || dev->info.nr_cpus > 1U << WALLPROF_STACK_CPU_BITS ||
	    !dev->info.nr_online || dev->info.nr_online > dev->info.nr_cpus ||
	    !dev->info.page_size) {
		wp_err("%s: the module's answer makes no sense (%u CPUs, pages of %u bytes)",
		       WALLPROF_DEVICE, dev->info.nr_cpus, dev->info.page_size);
		err = -EPROTO;
		goto close;
	}
	dev->has_possible = !wp_cpumask_read(&dev->possible, "/sys/devices/system/cpu/possible");
	wp_debug("module %s, interface version %u, %u CPUs", dev->info.version,
		 dev->info.abi_version, dev->info.nr_cpus);
	return 0;
close:
	close(dev->fd);
	dev->fd = -1;
	return err;
}

/**
 * wp_device_close() - close a session, in any state
 * @dev: the session
 */
void wp_device_close(struct wp_device *dev)
{
	if (dev->map)
		munmap((void *)dev->map, dev->map_bytes);
	if (dev->tails)
		munmap(dev->tails, dev->tails_bytes);
	if (dev->fd >= 0)
		close(dev->fd);
	dev->map = NULL;
	dev->tails = NULL;
	dev->fd = -1;
}

/**
 * wp_device_configure() - configure the session
 * @dev: the session
 * @conf: the configuration; the out fields are ignored
 *
 * Return: 0 or a negative errno. Nothing was printed: several errors mean that the caller
 * should try another counter, see WALLPROF_IOC_CONFIGURE.
 */
int wp_device_configure(struct wp_device *dev, const struct wallprof_configure *conf)
{
	dev->conf = *conf;
	dev->conf.size = sizeof(dev->conf);
	return ioctl(dev->fd, WALLPROF_IOC_CONFIGURE, &dev->conf) ? -errno : 0;
}

/**
 * wp_device_event() - add an event to be sampled
 * @dev: the session, configured
 * @event: the event; its number is set
 *
 * Return: 0 or a negative errno. Nothing was printed: several errors mean that the caller
 * should try another event, see WALLPROF_IOC_EVENT.
 */
int wp_device_event(const struct wp_device *dev, struct wallprof_event *event)
{
	event->size = sizeof(*event);
	return ioctl(dev->fd, WALLPROF_IOC_EVENT, event) ? -errno : 0;
}

/**
 * wp_device_count() - read the counters of an event
 * @dev: the session, configured
 * @nr: number of the event
 * @count: filled in
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_device_count(const struct wp_device *dev, __u32 nr, struct wallprof_count *count)
{
	*count = (struct wallprof_count){ .size = sizeof(*count), .nr = nr };
	if (!ioctl(dev->fd, WALLPROF_IOC_COUNT, count))
		return 0;
	nr = errno;
	wp_err("could not read the counters of event %u: %s", count->nr, strerror(nr));
	return -(int)nr;
}

/**
 * wp_device_read() - read what a blocked thread waits for
 * @dev: the session, started
 * @read: what to read; see &struct wallprof_read
 *
 * Return: 0 or a negative errno. Nothing was printed: most errors mean that the thread
 * waits no longer.
 */
int wp_device_read(const struct wp_device *dev, struct wallprof_read *read)
{
	read->size = sizeof(*read);
	return ioctl(dev->fd, WALLPROF_IOC_READ, read) ? -errno : 0;
}

/**
 * wp_device_start() - start recording
 * @dev: the session, configured
 * @time: set to the start of the complete recording; NULL: only follow what the targets
 *	fork, until this is called again
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_device_start(struct wp_device *dev, __u64 *time)
{
	struct wallprof_start start = {
		.size = sizeof(start), .flags = time ? 0 : WALLPROF_START_LATER,
	};

	if (ioctl(dev->fd, WALLPROF_IOC_START, &start)) {
		int err = errno;

		if (err == ESRCH)
			wp_err("none of the targets is left");
		else if (err == ENOSPC)
			wp_err("the targets' threads do not fit into the table of %u threads",
			       dev->conf.nr_tasks);
		else
			wp_err("could not start recording: %s", strerror(err));
		return -err;
	}
	if (time)
		*time = start.time;
	return 0;
}

/**
 * wp_device_flip() - retire an epoch
 * @dev: the session, started
 * @epoch: set to the epoch that was retired
 * @time: set to the time at which it ended
 *
 * Return: 0, -EOVERFLOW when the epochs are used up, or another negative
 * errno; a message was printed.
 */
int wp_device_flip(struct wp_device *dev, __u32 *epoch, __u64 *time)
{
	struct wallprof_flip flip = { .size = sizeof(flip) };

	while (ioctl(dev->fd, WALLPROF_IOC_FLIP, &flip)) {
		int err = errno;

		if (err == EINTR)
			continue;
		wp_err("could not read from %s: %s", WALLPROF_DEVICE, strerror(err));
		return -err;
	}
	*epoch = flip.epoch;
	*time = flip.time;
	return 0;
}

/**
 * wp_device_stop() - stop recording
 * @dev: the session, started
 * @time: set to the end of the complete recording
 *
 * One epoch is left to be flipped.
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_device_stop(struct wp_device *dev, __u64 *time)
{
	struct wallprof_stop stop = { .size = sizeof(stop) };

	while (ioctl(dev->fd, WALLPROF_IOC_STOP, &stop)) {
		int err = errno;

		if (err == EINTR)
			continue;
		wp_err("could not stop recording: %s", strerror(err));
		return -err;
	}
	*time = stop.time;
	return 0;
}

/**
 * wp_device_status() - read the status of the session
 * @dev: the session
 * @status: filled in
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_device_status(struct wp_device *dev, struct wallprof_status *status)
{
	memset(status, 0, sizeof(*status));
	status->size = sizeof(*status);
	if (ioctl(dev->fd, WALLPROF_IOC_STATUS, status)) {
		int err = errno;

		wp_err("could not ask %s for its state: %s", WALLPROF_DEVICE, strerror(err));
		return -err;
	}
	return 0;
}

/**
 * wp_device_push() - push an unwind table
 * @dev: the session, configured
 * @table: the table
 * @size: its size
 * @flags: WALLPROF_PUSH_ONCE, or 0
 * @id: set to its id in the module
 *
 * May be called from any thread, as may wp_device_maps().
 *
 * Return: 0 or a negative errno; nothing was printed.
 */
int wp_device_push(const struct wp_device *dev, const void *table, size_t size, __u32 flags,
		   __u32 *id)
{
	struct wallprof_push push = {
		.size = sizeof(push),
		.flags = flags,
		.table = (__u64)(uintptr_t)table,
		.bytes = size,
	};

	if (push.bytes != size)
		return -EFBIG;
	while (ioctl(dev->fd, WALLPROF_IOC_PUSH, &push)) {
		if (errno != EINTR)
			return -errno;
	}
	*id = push.id;
	return 0;
}

/**
 * wp_device_maps() - publish the mappings of a process
 * @dev: the session, configured
 * @pid: the process
 * @start_stack: from /proc/PID/stat, read before; 0: unknown
 * @maps: its code
 * @nr: number of mappings
 * @interp: its interpreter, or NULL
 *
 * Return: 0 or a negative errno; nothing was printed.
 */
int wp_device_maps(const struct wp_device *dev, __u32 pid, __u64 start_stack,
		   const struct wallprof_map *maps, __u32 nr,
		   const struct wallprof_interp *interp)
{
	struct wallprof_maps arg = {
		.size = sizeof(arg),
		.pid = pid,
		.nr = nr,
		.maps = nr ? (__u64)(uintptr_t)maps : 0,
		.start_stack = start_stack,
		.interp = (__u64)(uintptr_t)interp,
	};

	while (ioctl(dev->fd, WALLPROF_IOC_MAPS, &arg)) {
		if (errno != EINTR)
			return -errno;
	}
	return 0;
}

/**
 * wp_device_snapshot() - read a part of the snapshot of what runs
 * @dev: the session
 * @tid: the first thread; set to the one to go on with, 0: there are no more
 * @to: output for records
 * @bytes: size of @to; set to the number of bytes written
 *
 * Return: 0 or a negative errno; nothing was printed.
 */
int wp_device_snapshot(const struct wp_device *dev, __u32 *tid, void *to, __u32 *bytes)
{
	struct wallprof_live live = {
		.size = sizeof(live),
		.tid = *tid,
		.bytes = *bytes,
		.records = (__u64)(uintptr_t)to,
	};

	while (ioctl(dev->fd, WALLPROF_IOC_LIVE, &live)) {
		if (errno != EINTR)
			return -errno;
	}
	*tid = live.tid;
	*bytes = live.bytes;
	return 0;
}

static __u32 at_most(__u32 n, __u32 limit)
{
	return n < limit ? n : limit;
}

/**
 * wp_device_half() - data of a CPU in a retired epoch
 * @dev: the session, mapped
 * @cpu: the CPU, below info.nr_cpus
 * @context: WP_CONTEXT_SCHED or WP_CONTEXT_SAMPLER
 * @epoch: the epoch that was flipped last
 * @half: filled in
 *
 * Return: false if there is nothing.
 */
bool wp_device_half(const struct wp_device *dev, __u32 cpu, __u32 context, __u32 epoch,
		    struct wp_half *half)
{
	const struct wallprof_configure *c = &dev->conf;
	const char *base = dev->map + c->cpus_offset + c->cpu_stride * cpu;

	if (!wp_device_has_cpu(dev, cpu))
		return false;
	if (context == WP_CONTEXT_SAMPLER) {
		if (!(c->flags & WALLPROF_SAMPLER))
			return false;
		base += c->sampler_offset + c->sampler_half_stride * (epoch % 2);
	} else {
		if (!(c->flags & WALLPROF_OFFCPU))
			return false;
		base += c->half_stride * (epoch % 2);
	}
	half->head = (const struct wallprof_half *)base;
	if (half->head->epoch != epoch)
		return false;
	half->cpu = cpu;
	half->context = context;
	half->aggrs = base + c->aggrs_offset;
	half->aggr_bytes = c->aggr_bytes;
	half->nr_aggrs = at_most(half->head->nr_aggrs, c->nr_aggrs << c->growth);
	half->words = (const __u64 *)(base + c->stacks_offset);
	half->nr_words = at_most(half->head->stack_words, c->stack_words << c->growth);
	half->exits = NULL;
	half->task_bytes = c->task_bytes;
	half->nr_exits = 0;
	half->waits = NULL;
	half->wait_bytes = c->wait_bytes;
	half->nr_waits = 0;
	half->hists = NULL;
	half->hist_bytes = c->hist_bytes;
	if (context == WP_CONTEXT_SCHED) {
		half->exits = base + c->exits_offset;
		half->nr_exits = at_most(half->head->nr_exits, c->nr_exits << c->growth);
		half->waits = base + c->waits_offset;
		half->nr_waits = at_most(half->head->nr_waits, c->nr_waits << c->growth);
		if (c->flags & WALLPROF_HISTOGRAMS)
			half->hists = base + c->hists_offset;
	}
	return true;
}

/**
 * wp_half_stack() - iterate over the stacks of a half
 * @half: the half
 * @pos: position; 0 at first; advanced
 * @id: set to the stack's id
 *
 * Return: the next stack, all of whose frames lie within the half; NULL after the last
 * one.
 */
const struct wallprof_stack *wp_half_stack(const struct wp_half *half, __u32 *pos, __u64 *id)
{
	const __u32 head = sizeof(struct wallprof_stack) / sizeof(__u64);
	const struct wallprof_stack *stack;
	__u32 at = *pos ? *pos : 1;

	if (at >= half->nr_words || half->nr_words - at < head)
		return NULL;
	stack = (const struct wallprof_stack *)(half->words + at);
	if (stack->nr > WALLPROF_MAX_STACK || half->nr_words - at - head < stack->nr)
		return NULL;
	*id = (__u64)half->head->epoch << 36 | (__u64)half->cpu << 22 |
	      (__u64)half->context << 21 | at;
	*pos = at + head + stack->nr;
	return stack;
}

/**
 * wp_device_task() - a slot of the task table
 * @dev: the session, mapped
 * @i: below conf.nr_tasks
 *
 * Return: the slot; it may be free. Before STOP it changes while it is read.
 */
const struct wallprof_task *wp_device_task(const struct wp_device *dev, __u32 i)
{
	const char *tasks = dev->map + dev->conf.tasks_offset;

	return (const struct wallprof_task *)(tasks + (size_t)dev->conf.task_bytes * i);
}

/**
 * wp_loss_name() - description of a loss and its reason
 * @loss: enum wallprof_loss
 *
 * Return: a phrase.
 */
const char *wp_loss_name(unsigned int loss)
{
	static const char *const names[WALLPROF_LOSS_MAX] = {
		[WALLPROF_LOSS_STACK_FULL] = "stacks without room",
		[WALLPROF_LOSS_AGGR_FULL] = "intervals or samples without room",
		[WALLPROF_LOSS_EXIT_FULL] = "ended threads without room",
		[WALLPROF_LOSS_NO_TASK] = "intervals of threads without room",
		[WALLPROF_LOSS_NESTED] = "events inside of events",
		[WALLPROF_LOSS_THROTTLED] = "times that the kernel throttled the counter",
	};

	return loss < WALLPROF_LOSS_MAX ? names[loss] : "for an unknown reason";
}

/**
 * wp_unwind_name() - description of the stop reason of a user stack's walk
 * @unwind: enum wallprof_unwind
 *
 * Return: a phrase.
 */
const char *wp_unwind_name(unsigned int unwind)
{
	static const char *const names[WALLPROF_UNWIND_MAX] = {
		[WALLPROF_UNWIND_END] = "end of the stack",
		[WALLPROF_UNWIND_FAULT] = "memory not readable",
		[WALLPROF_UNWIND_DEPTH] = "--max-stack reached",
		[WALLPROF_UNWIND_NOT_RISING] = "frame pointer not rising",
		[WALLPROF_UNWIND_MISALIGNED] = "frame pointer not aligned",
		[WALLPROF_UNWIND_BAD_IP] = "no return address",
		[WALLPROF_UNWIND_NO_USER] = "no user stack",
		[WALLPROF_UNWIND_NO_TABLE] = "no unwind table",
		[WALLPROF_UNWIND_NO_ROW] = "code outside its unwind table",
		[WALLPROF_UNWIND_UNSUPPORTED] = "unsupported unwind rule",
		[WALLPROF_UNWIND_NO_REG] = "an unknown register",
		[WALLPROF_UNWIND_NOT_RESIDENT] = "stack not resident",
	};

	return unwind < WALLPROF_UNWIND_MAX ? names[unwind] : "for an unknown reason";
}
