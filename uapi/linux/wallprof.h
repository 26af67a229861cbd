/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * wallprof: where the wall-clock time of a host goes, on-CPU and off-CPU.
 *
 * The interface of /dev/wallprof. A session is a file descriptor: open, then
 * WALLPROF_IOC_CONFIGURE, mmap, WALLPROF_IOC_START, any number of
 * WALLPROF_IOC_FLIP, WALLPROF_IOC_STOP, a last WALLPROF_IOC_FLIP, close.
 *
 * open fails with EPERM without CAP_PERFMON (or CAP_SYS_ADMIN) and under
 * lockdown=confidentiality, with EUSERS when WALLPROF_MAX_SESSIONS are open, or, for
 * an opener without CAP_SYS_ADMIN in the initial user namespace,
 * WALLPROF_MAX_SESSIONS_LIMITED by such, and with ENOMEM. CONFIGURE checks the
 * capability, and lockdown, again: the caller may be another than the opener.
 * mmap fails with EINVAL before CONFIGURE, for a private mapping and for one
 * that reaches beyond map_bytes, and with EACCES for a writable one, unless it is of
 * tails alone. A mapping is not copied to a forked child.
 * poll reports EPOLLIN when a table of the running session is filled to its
 * watermark, or a ring to its half, and waits for a flip, EPOLLHUP when all targets
 * are gone or the session is stopped, and EPOLLERR before START.
 *
 * Documentation/abi.rst describes the order of calls, the layout of the mapping
 * and the meaning of every errno. All times are nanoseconds of CLOCK_MONOTONIC.
 * All structs have the same layout for 32-bit and 64-bit readers.
 *
 * Above 700 lines: the interface is one header, of which kernel-doc is the greater part.
 */
#ifndef _UAPI_LINUX_WALLPROF_H
#define _UAPI_LINUX_WALLPROF_H

#include <linux/ioctl.h>
#include <linux/types.h>

/**
 * DOC: General ioctl format
 *
 * Every ioctl takes a pointer to a struct whose first field, @size, is the
 * size of the struct as the caller knows it. A smaller size than the first
 * version of the struct is refused; a larger one is accepted if all bytes that
 * the kernel does not know are zero. Fields that the kernel knows and the
 * caller does not are taken as zero and not written back.
 *
 * Common errors:
 *
 * - ENOTTY: the ioctl is not known.
 * - EINVAL: @size is too small, or a flag, reserved field or value is not
 *   valid.
 * - E2BIG: @size is larger than the kernel's and the tail is not zero.
 * - EFAULT: a pointer is bad; or the memory of the struct was unmapped while
 *   the ioctl ran, which was carried out then.
 * - EBUSY: the session is in a state in which the ioctl is not allowed.
 * - EINTR: a signal came while another ioctl of the session was carried out.
 * - ENOMEM: memory ran out, or the limit of locked memory (RLIMIT_MEMLOCK)
 *   of a caller without CAP_IPC_LOCK would be exceeded.
 */

#define WALLPROF_DEVICE		"/dev/wallprof"
#define WALLPROF_IOC_TYPE	0xB7

/* The version of this header; grows with every addition. */
#define WALLPROF_ABI_VERSION	20

/* Limits that do not depend on the host. */
#define WALLPROF_MAX_STACK	127	/* frames of one stack */
#define WALLPROF_MAX_SESSIONS	64
#define WALLPROF_MAX_SESSIONS_LIMITED	32	/* of all openers without CAP_SYS_ADMIN */
#define WALLPROF_MAX_TARGETS	(1 << 20)
#define WALLPROF_MAX_CPU_BYTES	(1ULL << 31)	/* of one CPU's tables */
#define WALLPROF_MIN_AGGRS	16
#define WALLPROF_MAX_AGGRS	(1 << 20)
#define WALLPROF_MIN_STACK_WORDS 256
#define WALLPROF_MAX_STACK_WORDS (1 << 20)
#define WALLPROF_MIN_EXITS	16
#define WALLPROF_MAX_EXITS	(1 << 18)
#define WALLPROF_MIN_WAITS	16
#define WALLPROF_MAX_WAITS	(1 << 20)
#define WALLPROF_MAX_GROWTH	4		/* times that a table's capacity may double */
#define WALLPROF_MIN_TASKS	64
#define WALLPROF_MAX_TASKS	(1 << 22)
#define WALLPROF_MIN_RECORDS	64
#define WALLPROF_MAX_RECORDS	(1 << 22)
/*
 * Hz. kernel.perf_event_max_sample_rate, the limit of perf_event_open(2) for a frequency,
 * is not exported to modules: readers should not ask for more than that. Perf's
 * throttling by it holds for the counters of sessions, too: WALLPROF_LOSS_THROTTLED.
 */
#define WALLPROF_MAX_FREQ	100000
#define WALLPROF_MAX_EVENTS	1024	/* of one session, each with a counter on each CPU */
#define WALLPROF_MAX_FILTER	64	/* tests of the filter of one event */
#define WALLPROF_MAX_FILTER_TEXT 1024	/* bytes of all its texts */
#define WALLPROF_MAX_FILTER_PATTERN 255	/* bytes of one of them */
#define WALLPROF_MAX_RECORD_BYTES 8192	/* of what a tracepoint records */
#define WALLPROF_MAX_TABLES	(1 << 20)	/* of one session */
#define WALLPROF_MAX_TABLES_BYTES (1ULL << 29)	/* of one session */
#define WALLPROF_MAX_MAPS	(1 << 16)	/* of one process */
#define WALLPROF_MAX_READ	4096		/* bytes that READ reads at once */
#define WALLPROF_MAX_UNWINDS	16		/* stop reasons of walks */
#define WALLPROF_MAX_SWITCHES	16		/* how switches were recorded */
#define WALLPROF_MAX_INTERPS	8		/* how captures of interpreted functions ended */

/**
 * enum wallprof_state - why a thread was off its CPU
 * @WALLPROF_STATE_RUNNING: it gave its CPU away while runnable: sched_yield(),
 *	or a kernel thread of its own will ("R")
 * @WALLPROF_STATE_PREEMPTED: it lost its CPU while runnable ("R+"), in kernel
 *	or in user mode; the scheduler's tracepoint reports only the former so
 * @WALLPROF_STATE_SLEEPING: interruptible sleep ("S")
 * @WALLPROF_STATE_DISK: uninterruptible sleep ("D")
 * @WALLPROF_STATE_STOPPED: stopped by a signal ("T")
 * @WALLPROF_STATE_TRACED: stopped by a tracer ("t")
 * @WALLPROF_STATE_DEAD: dead or zombie ("X", "Z")
 * @WALLPROF_STATE_PARKED: parked kernel thread ("P")
 * @WALLPROF_STATE_IDLE: uninterruptible sleep that is not load ("I")
 * @WALLPROF_STATE_NEW: forked, and waits for its first run ("N")
 * @WALLPROF_STATE_UNKNOWN: it left its CPU before the session began and its
 *	state was not seen ("?")
 * @WALLPROF_STATE_MAX: the number of states
 *
 * Also the bit numbers of &struct wallprof_configure.states.
 */
enum wallprof_state {
	WALLPROF_STATE_RUNNING,
	WALLPROF_STATE_PREEMPTED,
	WALLPROF_STATE_SLEEPING,
	WALLPROF_STATE_DISK,
	WALLPROF_STATE_STOPPED,
	WALLPROF_STATE_TRACED,
	WALLPROF_STATE_DEAD,
	WALLPROF_STATE_PARKED,
	WALLPROF_STATE_IDLE,
	WALLPROF_STATE_NEW,
	WALLPROF_STATE_UNKNOWN,
	WALLPROF_STATE_MAX,
};

/**
 * enum wallprof_reason - what a thread did when it left its CPU
 * @WALLPROF_REASON_UNKNOWN: not known: it was not blocked when the session began, was
 *	not seen to leave, or WALLPROF_REASONS is not set
 * @WALLPROF_REASON_SYSCALL: in a system call
 * @WALLPROF_REASON_FAULT: in the kernel without a system call: a page fault, or
 *	another exception, or on the way back to user mode from one or from an
 *	interrupt. On the way back from a system call it is still that
 * @WALLPROF_REASON_PREEMPTED: anywhere; it lost its CPU while runnable
 * @WALLPROF_REASON_EXIT: it exits
 * @WALLPROF_REASON_STOP: stopped by a signal or a tracer
 * @WALLPROF_REASON_KERNEL: a kernel thread, or a worker of io_uring
 * @WALLPROF_REASON_NEW: forked, and waits for its first run
 * @WALLPROF_REASON_MAX: the number of reasons
 */
enum wallprof_reason {
	WALLPROF_REASON_UNKNOWN,
	WALLPROF_REASON_SYSCALL,
	WALLPROF_REASON_FAULT,
	WALLPROF_REASON_PREEMPTED,
	WALLPROF_REASON_EXIT,
	WALLPROF_REASON_STOP,
	WALLPROF_REASON_KERNEL,
	WALLPROF_REASON_NEW,
	WALLPROF_REASON_MAX,
};

/* wallprof_aggr.syscall and wallprof_task.syscall */
#define WALLPROF_SYSCALL_NONE	0xffff	/* no system call, or not known */
#define WALLPROF_SYSCALL_OTHER	0xfffe	/* a system call whose number is larger than this */

/**
 * enum wallprof_waker - context in which a thread was woken
 * @WALLPROF_WAKER_NONE: none: it was runnable all the time, or its wakeup was
 *	not seen, or WALLPROF_WAKERS is not set
 * @WALLPROF_WAKER_TASK: a thread; 0 as its id: one that is not visible in the
 *	opener's pid namespace, or an idle CPU's
 * @WALLPROF_WAKER_SOFTIRQ: a softirq: a timer, the network, a block device, …
 * @WALLPROF_WAKER_HARDIRQ: an interrupt, or an NMI
 * @WALLPROF_WAKER_MAX: the number of kinds
 */
enum wallprof_waker {
	WALLPROF_WAKER_NONE,
	WALLPROF_WAKER_TASK,
	WALLPROF_WAKER_SOFTIRQ,
	WALLPROF_WAKER_HARDIRQ,
	WALLPROF_WAKER_MAX,
};

/**
 * enum wallprof_loss - what was lost, and why
 * @WALLPROF_LOSS_STACK_FULL: no room for a stack: the time was added to an
 *	entry of the same thread whose stack id is 0, or that of a waker's stack:
 *	see WALLPROF_STACK_LOST
 * @WALLPROF_LOSS_AGGR_FULL: no room for an aggregate. An off-CPU interval was
 *	added to the thread's &struct wallprof_task.spill_ns instead and can be
 *	found there; a sample is lost, and @ns is its period
 * @WALLPROF_LOSS_EXIT_FULL: no room for the totals of a thread that ended;
 *	@ns is its off-CPU time that was nowhere else (spill_ns)
 * @WALLPROF_LOSS_NO_TASK: an off-CPU interval of a thread without a slot in
 *	the task table (see tasks_failed); the sum of @ns over all CPUs,
 *	epochs and the status is the off-CPU time lost (single values are
 *	differences modulo 2^64). It is exact except for threads that switched just
 *	when START reached them, and those born without a fork
 * @WALLPROF_LOSS_NESTED: an event that came in the middle of another one of
 *	the same context and was refused; of a wakeup, just its waker's stacks
 * @WALLPROF_LOSS_THROTTLED: times that the kernel throttled the counter; @ns
 *	is the time until its next overflow. Of several events all are counted together
 * @WALLPROF_LOSS_MAX: the number of reasons
 */
enum wallprof_loss {
	WALLPROF_LOSS_STACK_FULL,
	WALLPROF_LOSS_AGGR_FULL,
	WALLPROF_LOSS_EXIT_FULL,
	WALLPROF_LOSS_NO_TASK,
	WALLPROF_LOSS_NESTED,
	WALLPROF_LOSS_THROTTLED,
	WALLPROF_LOSS_MAX,
};

/**
 * enum wallprof_unwind - stop reason of a walk of a user stack
 * @WALLPROF_UNWIND_END: the end of the stack: a frame pointer of 0, or code that
 *	is known to have no caller
 * @WALLPROF_UNWIND_FAULT: the next frame could not be read
 * @WALLPROF_UNWIND_DEPTH: max_stack frames were found, words of frames among them
 * @WALLPROF_UNWIND_NOT_RISING: the next frame is not above the last one
 * @WALLPROF_UNWIND_MISALIGNED: the next frame is not aligned
 * @WALLPROF_UNWIND_BAD_IP: the return address is 0 or no user address
 * @WALLPROF_UNWIND_NO_USER: the thread has no user stack (kernel thread, or its
 *	memory is gone, as at its end and while it executes another program)
 * @WALLPROF_UNWIND_NO_TABLE: the code there has no unwind table, and no frame
 *	pointer led on
 * @WALLPROF_UNWIND_NO_ROW: the file's unwind table does not cover this part of
 *	its code, and no frame pointer led on
 * @WALLPROF_UNWIND_UNSUPPORTED: the file describes how to go on, but in a way that
 *	an unwind table cannot hold, and no frame pointer led on
 * @WALLPROF_UNWIND_NO_REG: the frame is found by a register whose value is not
 *	known any more
 * @WALLPROF_UNWIND_NOT_RESIDENT: of a thread that was blocked before its process's
 *	mappings were known: the next frame could not be read without a page fault. It
 *	is swapped out, or was never in memory, or nothing is mapped there; which of
 *	these is not looked up
 * @WALLPROF_UNWIND_MAX: the number of reasons
 */
enum wallprof_unwind {
	WALLPROF_UNWIND_END,
	WALLPROF_UNWIND_FAULT,
	WALLPROF_UNWIND_DEPTH,
	WALLPROF_UNWIND_NOT_RISING,
	WALLPROF_UNWIND_MISALIGNED,
	WALLPROF_UNWIND_BAD_IP,
	WALLPROF_UNWIND_NO_USER,
	WALLPROF_UNWIND_NO_TABLE,
	WALLPROF_UNWIND_NO_ROW,
	WALLPROF_UNWIND_UNSUPPORTED,
	WALLPROF_UNWIND_NO_REG,
	WALLPROF_UNWIND_NOT_RESIDENT,
	WALLPROF_UNWIND_MAX,
};

/**
 * enum wallprof_switch - how a switch was recorded: by what the module remembers of the
 *	thread's last ones, or why not
 * @WALLPROF_SWITCH_LEFT_CACHED: the thread left its CPU as it did before
 * @WALLPROF_SWITCH_LEFT_FIRST: it is not remembered to have left so on this CPU, or only
 *	once
 * @WALLPROF_SWITCH_LEFT_REPLACED: where this would be remembered is what another thread
 *	did, or this one elsewhere
 * @WALLPROF_SWITCH_LEFT_CHANGED: an epoch has begun since, or mappings have changed
 * @WALLPROF_SWITCH_LEFT_ARGUMENT: the first argument of the system call differs
 * @WALLPROF_SWITCH_LEFT_STACK: the words that decide its stacks differ
 * @WALLPROF_SWITCH_LEFT_NEVER: such switches are not remembered: not in a 64-bit system
 *	call, waiting for I/O, executing a program, exiting, without a user stack or with
 *	one whose walk ended at memory that could not be read, in a session of kernel
 *	stacks with one that is not kept, as of interrupted code, or left out by its state
 * @WALLPROF_SWITCH_CAME_CACHED: the thread came to a CPU, and its interval was added where
 *	the last one was
 * @WALLPROF_SWITCH_CAME_UNKNOWN: it had not left as before, or left another CPU, or an
 *	epoch has begun meanwhile, or mappings have changed
 * @WALLPROF_SWITCH_CAME_FIRST: where the interval goes was not known yet
 * @WALLPROF_SWITCH_CAME_WAKER: another one than the last time woke it
 * @WALLPROF_SWITCH_CAME_LENGTH: the interval is too long or too short to be added
 * @WALLPROF_SWITCH_MAX: the number of these
 */
enum wallprof_switch {
	WALLPROF_SWITCH_LEFT_CACHED,
	WALLPROF_SWITCH_LEFT_FIRST,
	WALLPROF_SWITCH_LEFT_REPLACED,
	WALLPROF_SWITCH_LEFT_CHANGED,
	WALLPROF_SWITCH_LEFT_ARGUMENT,
	WALLPROF_SWITCH_LEFT_STACK,
	WALLPROF_SWITCH_LEFT_NEVER,
	WALLPROF_SWITCH_CAME_CACHED,
	WALLPROF_SWITCH_CAME_UNKNOWN,
	WALLPROF_SWITCH_CAME_FIRST,
	WALLPROF_SWITCH_CAME_WAKER,
	WALLPROF_SWITCH_CAME_LENGTH,
	WALLPROF_SWITCH_MAX,
};

/**
 * struct wallprof_info - capabilities of this module (WALLPROF_IOC_INFO)
 * @size: of this struct
 * @abi_version: out: WALLPROF_ABI_VERSION of the module
 * @nr_cpus: out: CPU numbers are below this; the mapping has a part for each. That of a
 *	CPU without tables reads as zeroes
 * @page_size: out: parts of the mapping are aligned to this, bytes
 * @states: out: mask of the states that this kernel can distinguish
 * @reserved: must be 0
 * @features: out: 0; reserved for later additions
 * @version: out: the module's version, a string
 * @nr_online: out: CPUs that are online now, for which CONFIGURE allocates tables
 * @reserved2: out: 0
 *
 * Allowed in every state.
 */
struct wallprof_info {
	__u32 size;
	__u32 abi_version;
	__u32 nr_cpus;
	__u32 page_size;
	__u32 states;
	__u32 reserved;
	__aligned_u64 features;
	char version[32];
	__u32 nr_online;
	__u32 reserved2;
};

/* wallprof_configure.flags */
#define WALLPROF_OFFCPU		(1U << 0)	/* record off-CPU intervals */
/* Record overflows of @attr_*, or of the events of WALLPROF_IOC_EVENT. */
#define WALLPROF_SAMPLER	(1U << 1)
#define WALLPROF_INHERIT	(1U << 2)	/* children of PID or TID targets are targets */
#define WALLPROF_ENABLE_ON_EXEC	(1U << 3)	/* targets count from their next exec on */
/*
 * With OFFCPU: split intervals at the thread's wakeup, blocked before it and
 * runnable from then on.
 */
#define WALLPROF_WAKEUPS	(1U << 4)
#define WALLPROF_REASONS	(1U << 5)	/* with OFFCPU: record why it left */
#define WALLPROF_WAKERS		(1U << 6)	/* with WAKEUPS: record the waker */
/*
 * With WAKERS: record where the waker was, by the stacks that @stack_flags ask for, at
 * least one.
 */
#define WALLPROF_WAKER_STACKS	(1U << 7)
/* With WAKERS: record the waker's own last interval. */
#define WALLPROF_WAKER_CHAINS	(1U << 8)
/* With OFFCPU: count intervals by length, in &struct wallprof_hist. */
#define WALLPROF_HISTOGRAMS	(1U << 9)
/* Record every switch and wakeup of a target, in rings: see &struct wallprof_record. */
#define WALLPROF_TIMELINE	(1U << 10)
/* With TIMELINE: a full ring drops its oldest record, not the new one. */
#define WALLPROF_OVERWRITE	(1U << 11)
/*
 * With TIMELINE, OFFCPU and stack_flags, without OVERWRITE: record with each switch the
 * stacks of the thread that leaves, in a WALLPROF_RECORD_STACKS.
 */
#define WALLPROF_TIMELINE_STACKS (1U << 12)
/*
 * With REASONS: record the first argument of the system call, which makes more
 * aggregates; three arguments in a &struct wallprof_wait.
 */
#define WALLPROF_ARGS		(1U << 13)
/*
 * With SAMPLER and stack_flags that walk user stacks: recognize the stacks of samples that
 * occurred before, of events with the session's stack_flags and max_stack, outside of NMIs.
 * It is for software events and tracepoints, whose stacks repeat: a sample costs less, and
 * is the same. Takes some 420 KB for each CPU. New in ABI 15.
 */
#define WALLPROF_SAMPLE_CACHE	(1U << 14)
/*
 * With ARGS, without WAKER_STACKS: record who holds the lock, of waits in futex(2) by the
 * 64-bit table: see wallprof_lock.h. New in ABI 16.
 */
#define WALLPROF_LOCK_OWNERS	(1U << 15)
#define WALLPROF_CONFIGURE_FLAGS 0xffffU

/* wallprof_configure.stack_flags */
#define WALLPROF_STACK_USER	(1U << 0)	/* user stacks by frame pointer */
#define WALLPROF_STACK_KERNEL	(1U << 1)	/* kernel stacks */
/*
 * User stacks by the tables of WALLPROF_IOC_PUSH. Together with STACK_USER, by
 * frame pointer where there is no table.
 */
#define WALLPROF_STACK_TABLES	(1U << 2)
#define WALLPROF_STACK_FLAGS	0x7U

#define WALLPROF_COMM_LEN	16	/* bytes of a thread's name, the last one 0 */

/**
 * enum wallprof_target - what @targets of &struct wallprof_configure lists
 * @WALLPROF_TARGET_ALL: nothing: every thread of the host is a target
 * @WALLPROF_TARGET_PID: process ids: all their threads are targets
 * @WALLPROF_TARGET_TID: thread ids
 * @WALLPROF_TARGET_UID: real user ids: all threads of these users, also those
 *	that become theirs
 * @WALLPROF_TARGET_COMM: names of threads, each WALLPROF_COMM_LEN bytes, padded
 *	with 0
 * @WALLPROF_TARGET_CGROUP: ids of control groups of version 2, __u64: all threads
 *	in them and in the groups below. An id is the inode number of the group's
 *	directory; since Linux 5.5 that is what name_to_handle_at(2) returns, too
 * @WALLPROF_TARGET_MAX: the number of kinds
 *
 * Ids are those of the namespaces of the process that opened the device.
 *
 * Threads come to a user, a name or a group and leave it. A thread that has it at START,
 * fork or exec is a target from then on; any other from its next switch away from a CPU
 * on. It is a target up to its first such switch without it, which ends its per-thread
 * totals, as its last switch does. A thread that comes again has new totals. Without
 * OFFCPU a user's threads are those that are the user's at START, fork and exec, until
 * they end.
 */
enum wallprof_target {
	WALLPROF_TARGET_ALL,
	WALLPROF_TARGET_PID,
	WALLPROF_TARGET_TID,
	WALLPROF_TARGET_UID,
	WALLPROF_TARGET_COMM,
	WALLPROF_TARGET_CGROUP,
	WALLPROF_TARGET_MAX,
};

/* wallprof_configure.attr_flags, as the bits of struct perf_event_attr */
#define WALLPROF_ATTR_FREQ		(1U << 0)	/* attr_period is a frequency, Hz */
#define WALLPROF_ATTR_EXCLUDE_USER	(1U << 1)
#define WALLPROF_ATTR_EXCLUDE_KERNEL	(1U << 2)
#define WALLPROF_ATTR_EXCLUDE_HV	(1U << 3)
#define WALLPROF_ATTR_EXCLUDE_HOST	(1U << 4)
#define WALLPROF_ATTR_EXCLUDE_GUEST	(1U << 5)
#define WALLPROF_ATTR_FLAGS		0x3fU

/**
 * struct wallprof_configure - configure a session (WALLPROF_IOC_CONFIGURE)
 * @size: of this struct
 * @flags: WALLPROF_OFFCPU, …; at least one of OFFCPU, SAMPLER and TIMELINE
 * @stack_flags: WALLPROF_STACK_USER, …
 * @max_stack: frames of a user stack (its words) and of a kernel stack, each, 1 to
 *	WALLPROF_MAX_STACK
 * @states: mask of the states whose intervals are recorded, 0 for all; others
 *	are counted in &struct wallprof_half.filtered, as are those that @cpus
 *	leaves out
 * @target: enum wallprof_target
 * @nr_targets: entries of @targets, 0 for WALLPROF_TARGET_ALL, else 1 to
 *	WALLPROF_MAX_TARGETS
 * @nr_aggrs: capacity of one half of one aggregate table, entries,
 *	WALLPROF_MIN_AGGRS to WALLPROF_MAX_AGGRS
 * @stack_words: capacity of one half of one stack table, 8-byte words,
 *	WALLPROF_MIN_STACK_WORDS to WALLPROF_MAX_STACK_WORDS
 * @nr_exits: capacity of one half of one table of ended threads, entries,
 *	WALLPROF_MIN_EXITS to WALLPROF_MAX_EXITS
 * @nr_tasks: capacity of the task table, entries, a power of two,
 *	WALLPROF_MIN_TASKS to WALLPROF_MAX_TASKS
 * @watermark: percentage of a table's capacity at which poll reports EPOLLIN,
 *	1 to 100, 0 for 50
 * @targets: pointer to @nr_targets __u32 ids, or entries as of @target; not 0 for a
 *	pid, tid or cgroup, not -1 for a uid, no empty name. Names and groups need
 *	OFFCPU, and neither INHERIT nor ENABLE_ON_EXEC
 * @cpus: pointer to the mask of CPUs to record, 0 for all
 * @cpus_bytes: bytes of @cpus, a multiple of 8; bits of CPUs that cannot
 *	exist must be zero
 * @attr_flags: WALLPROF_ATTR_FREQ, …
 * @attr_type: the event, as in struct perf_event_attr: type, here
 * @attr_precise: precise_ip, 0 to 3
 * @attr_config: config
 * @attr_config1: config1
 * @attr_config2: config2
 * @attr_period: sample_period, or sample_freq with WALLPROF_ATTR_FREQ; 0 with all other
 *	@attr_* 0: there is no event yet, WALLPROF_IOC_EVENT adds them. Otherwise this one
 *	is event 0, with the @stack_flags and @max_stack of the session
 * @map_bytes: out: bytes of the whole mapping
 * @tasks_offset: out: where the task table begins in the mapping, bytes
 * @cpus_offset: out: where the tables of CPU 0 begin
 * @cpu_stride: out: bytes between the tables of neighbouring CPUs
 * @sampler_offset: out: where the sampler's tables begin within a CPU's part;
 *	the scheduler's begin at 0. Equal to @cpu_stride without SAMPLER
 * @half_stride: out: bytes between the two halves of the scheduler's tables
 * @sampler_half_stride: out: the same, of the sampler's
 * @aggrs_offset: out: where the aggregates begin within a half; a half begins
 *	with struct wallprof_half
 * @stacks_offset: out: where the stack words begin within a half
 * @exits_offset: out: where the ended threads begin within a half of the
 *	scheduler's tables
 * @memory_bytes: out: all memory that the session holds, except what comes later:
 *	@tables_bytes, @cpus_bytes and @grown_bytes of &struct wallprof_status
 * @aggr_bytes: out: bytes from one aggregate to the next: of
 *	&struct wallprof_aggr as the module knows it, which may have grown
 * @task_bytes: out: likewise of &struct wallprof_task, in both tables
 * @min_ns: the shortest interval that is recorded, nanoseconds; shorter ones are
 *	counted in &struct wallprof_half.out_of_range. 0 without OFFCPU
 * @max_ns: the longest, 0 for any; not below @min_ns. 0 without OFFCPU
 * @wait_ns: intervals of at least so many nanoseconds are recorded one by one, each
 *	as a &struct wallprof_wait, and not added to an aggregate; 0: none is.
 *	0 without OFFCPU
 * @nr_waits: capacity of one half of one table of these, entries,
 *	WALLPROF_MIN_WAITS to WALLPROF_MAX_WAITS; 0 without @wait_ns
 * @wait_bytes: out: bytes from one &struct wallprof_wait to the next
 * @waits_offset: out: where they begin within a half of the scheduler's tables;
 *	0 without @wait_ns
 * @hist_bytes: out: bytes from one &struct wallprof_hist to the next; 0 without
 *	HISTOGRAMS
 * @reserved: must be 0
 * @hists_offset: out: where they begin within a half of the scheduler's tables, one
 *	for each aggregate; 0 without HISTOGRAMS
 * @nr_records: capacity of the ring of a CPU, records, a power of two,
 *	WALLPROF_MIN_RECORDS to WALLPROF_MAX_RECORDS; 0 without TIMELINE
 * @record_bytes: out: bytes from one record to the next: of
 *	&struct wallprof_record as the module knows it, which may have grown
 * @rings_offset: out: where the ring of CPU 0 begins in the mapping, bytes; 0
 *	without TIMELINE, and so are the next two
 * @ring_stride: out: bytes between the rings of neighbouring CPUs. A ring begins
 *	with a page for &struct wallprof_ring
 * @tails_offset: out: where &struct wallprof_tail of CPU 0 is in the mapping;
 *	those of the other CPUs follow. All from here on may be mapped writable
 * @grow_bytes: memory that the tables of all CPUs together may take beside
 *	@memory_bytes: if something finds no room in a half, or a table in it is full up to
 *	@watermark, FLIP doubles the capacities of the next one, once or twice. 0:
 *	capacities stay. ABI 20
 * @growth: out: how often capacities may double, up to WALLPROF_MAX_GROWTH and as far
 *	as each stays within its limit, and a half within a quarter of the memory. A half
 *	of the mapping has room for that, so it has at most @nr_aggrs << @growth aggregates,
 *	and so on. What is not in use yet is mapped as zeroes, and takes no memory. ABI 20
 * @reserved2: must be 0
 *
 * Allocates everything that the session will need on the CPUs that are online, and
 * creates the counters of @attr_*, disabled. For a CPU that comes online later, memory is allocated
 * then. Allowed once in a session.
 *
 * Errors, besides the common ones: EBUSY: configured already. ESRCH: there is no
 * target. The kernel's error for the counter: ENOENT, EOPNOTSUPP or ENODEV: there is no
 * such counter here; EINVAL; EACCES. EOPNOTSUPP also for a kprobe or uprobe by pointer,
 * use its tracepoint instead; and for control groups, if the kernel has none. In these
 * cases the session is as before the call and can be configured again. ENOENT: the kernel
 * lacks a required tracepoint. EPERM: the caller has no CAP_PERFMON, or the kernel is
 * locked down.
 */
struct wallprof_configure {
	__u32 size;
	__u32 flags;
	__u32 stack_flags;
	__u32 max_stack;
	__u32 states;
	__u32 target;
	__u32 nr_targets;
	__u32 nr_aggrs;
	__u32 stack_words;
	__u32 nr_exits;
	__u32 nr_tasks;
	__u32 watermark;
	__aligned_u64 targets;
	__aligned_u64 cpus;
	__u32 cpus_bytes;
	__u32 attr_flags;
	__u32 attr_type;
	__u32 attr_precise;
	__aligned_u64 attr_config;
	__aligned_u64 attr_config1;
	__aligned_u64 attr_config2;
	__aligned_u64 attr_period;
	__aligned_u64 map_bytes;
	__aligned_u64 tasks_offset;
	__aligned_u64 cpus_offset;
	__aligned_u64 cpu_stride;
	__aligned_u64 sampler_offset;
	__aligned_u64 half_stride;
	__aligned_u64 sampler_half_stride;
	__aligned_u64 aggrs_offset;
	__aligned_u64 stacks_offset;
	__aligned_u64 exits_offset;
	__aligned_u64 memory_bytes;
	__u32 aggr_bytes;
	__u32 task_bytes;
	__aligned_u64 min_ns;
	__aligned_u64 max_ns;
	__aligned_u64 wait_ns;
	__u32 nr_waits;
	__u32 wait_bytes;
	__aligned_u64 waits_offset;
	__u32 hist_bytes;
	__u32 reserved;
	__aligned_u64 hists_offset;
	__u32 nr_records;
	__u32 record_bytes;
	__aligned_u64 rings_offset;
	__aligned_u64 ring_stride;
	__aligned_u64 tails_offset;
	__aligned_u64 grow_bytes;
	__u32 growth;
	__u32 reserved2;
};

/* wallprof_start.flags */
#define WALLPROF_START_LATER	(1U << 0)	/* only follow forks until the next START */

/**
 * struct wallprof_start - start recording (WALLPROF_IOC_START)
 * @size: of this struct
 * @flags: 0 or WALLPROF_START_LATER
 * @time: out: the time from which on everything is recorded; 0 with START_LATER
 *
 * With START_LATER nothing is recorded, and the session stays CONFIGURED, until START is
 * called again, without it. With INHERIT, what the targets fork meanwhile, and what that
 * forks, are targets then, as what they fork after START, even if their parents have ended.
 * A START that fails ends this. New in ABI 16.
 *
 * Errors, besides the common ones: EINVAL: not configured; a session with SAMPLER has no
 * event. EBUSY: started already; a stopped session cannot be started again; START_LATER was
 * called already. ESRCH: no target is left. ENOMEM: there is none for START_LATER.
 * ENOSPC: the targets that exist already do not fit into the task table
 * (not for WALLPROF_TARGET_ALL, where those that do not fit are counted), or since
 * START_LATER more of them lived at once than fit.
 */
struct wallprof_start {
	__u32 size;
	__u32 flags;
	__aligned_u64 time;
};

/**
 * enum wallprof_filter_operand - what a test of a filter looks at
 * @WALLPROF_FILTER_UNSIGNED: a number of the record
 * @WALLPROF_FILTER_SIGNED: the same, with a sign
 * @WALLPROF_FILTER_ARRAY: a text in an array of a fixed size
 * @WALLPROF_FILTER_DYNAMIC: a text elsewhere in the record: the field has 4 bytes, its
 *	place (__data_loc) in the lower half and its length in the upper one
 * @WALLPROF_FILTER_RELATIVE: the same, the place counts from the end of the field on
 *	(__rel_data_loc)
 * @WALLPROF_FILTER_COMM: the name of the thread, as a text in an array of
 *	WALLPROF_COMM_LEN bytes
 * @WALLPROF_FILTER_CPU: the number of the CPU
 * @WALLPROF_FILTER_TGID: the process id of the thread, in the opener's pid namespace
 * @WALLPROF_FILTER_OPERANDS: how many there are
 */
enum wallprof_filter_operand {
	WALLPROF_FILTER_UNSIGNED,
	WALLPROF_FILTER_SIGNED,
	WALLPROF_FILTER_ARRAY,
	WALLPROF_FILTER_DYNAMIC,
	WALLPROF_FILTER_RELATIVE,
	WALLPROF_FILTER_COMM,
	WALLPROF_FILTER_CPU,
	WALLPROF_FILTER_TGID,
	WALLPROF_FILTER_OPERANDS,
};

/**
 * enum wallprof_filter_compare - how a test of a filter compares
 * @WALLPROF_FILTER_EQUAL: the number is @value of &struct wallprof_filter_test
 * @WALLPROF_FILTER_LESS: it is less
 * @WALLPROF_FILTER_GREATER: it is greater
 * @WALLPROF_FILTER_BITS: it has one of the bits of @value
 * @WALLPROF_FILTER_FULL: the text is that of the test
 * @WALLPROF_FILTER_FRONT: it begins with it
 * @WALLPROF_FILTER_MIDDLE: it has it somewhere. In an array this is searched to its end,
 *	also behind a 0
 * @WALLPROF_FILTER_END: it ends with it. That of an array is taken to fill it, but for
 *	its last byte
 * @WALLPROF_FILTER_GLOB: it matches it, with ``*``, ``?``, ``[a-z]``, ``[!a-z]`` and a
 *	backslash as in the kernel's glob_match()
 * @WALLPROF_FILTER_COMPARES: how many there are
 *
 * All of them as in the kernel's own filters of tracepoints.
 */
enum wallprof_filter_compare {
	WALLPROF_FILTER_EQUAL,
	WALLPROF_FILTER_LESS,
	WALLPROF_FILTER_GREATER,
	WALLPROF_FILTER_BITS,
	WALLPROF_FILTER_FULL,
	WALLPROF_FILTER_FRONT,
	WALLPROF_FILTER_MIDDLE,
	WALLPROF_FILTER_END,
	WALLPROF_FILTER_GLOB,
	WALLPROF_FILTER_COMPARES,
};

/* &struct wallprof_filter_test.yes and @no */
#define WALLPROF_FILTER_TAKE	0xffff	/* the record is a sample */
#define WALLPROF_FILTER_DROP	0xfffe	/* it is none */

/**
 * struct wallprof_filter_test - a test of a filter
 * @operand: enum wallprof_filter_operand
 * @compare: enum wallprof_filter_compare: one of the first four of a number, one of the
 *	others of a text
 * @offset: where the field is in the record; 0 for the last three operands
 * @size: its bytes: of a number 1, 2, 4 or 8; 0 for the last three operands. The field
 *	ends within WALLPROF_MAX_RECORD_BYTES
 * @yes: if the comparison holds: the number of the next test, one behind this, or
 *	WALLPROF_FILTER_TAKE or WALLPROF_FILTER_DROP
 * @no: likewise, if it does not
 * @text: where the test's text begins in the event's @filter_text; 0 of a number
 * @length: its bytes, at most WALLPROF_MAX_FILTER_PATTERN, none of them 0; 0 of a number
 * @reserved: must be 0
 * @value: to compare a number with; 0 of a text
 */
struct wallprof_filter_test {
	__u8 operand;
	__u8 compare;
	__u16 offset;
	__u16 size;
	__u16 yes;
	__u16 no;
	__u16 text;
	__u16 length;
	__u16 reserved;
	__aligned_u64 value;
};

/**
 * struct wallprof_event - add an event to be sampled (WALLPROF_IOC_EVENT)
 * @size: of this struct
 * @nr: out: its number in &struct wallprof_aggr.event, and for WALLPROF_IOC_COUNT: events
 *	have consecutive numbers, from 0 on
 * @attr_flags: as of &struct wallprof_configure, and so is all of @attr_*
 * @attr_type: likewise
 * @attr_precise: likewise
 * @stack_flags: stacks of its samples: WALLPROF_STACK_USER, …; some of the session's, or
 *	none: then a sample has the address of the instruction alone
 * @max_stack: frames of a user stack and of a kernel stack, each, 1 to that of the session
 * @reserved: must be 0
 * @attr_config: as of &struct wallprof_configure
 * @attr_config1: likewise
 * @attr_config2: likewise
 * @attr_period: likewise, but not 0
 * @filter: pointer to the tests of its filter, &struct wallprof_filter_test. The first one
 *	decides about a record, with those that it leads to. New in ABI 15, as are the
 *	following
 * @filter_text: pointer to the texts of these
 * @nr_filter: how many tests, at most WALLPROF_MAX_FILTER; 0: there is no filter, and the
 *	other three are 0, too
 * @filter_text_bytes: bytes of @filter_text, at most WALLPROF_MAX_FILTER_TEXT
 * @weight_offset: where a number is in the records, that a sample has as its period
 * @weight_size: its bytes: 1, 2, 4 or 8; 0: there is none, and @weight_offset and
 *	@weight_sign are 0, too. It ends within WALLPROF_MAX_RECORD_BYTES
 * @weight_sign: 1: it has a sign, and counts as 0 if it is negative; or 0
 * @record_words: for tracepoints: so many words of a record are kept with its sample, at
 *	most WALLPROF_MAX_STACK: samples with other records are other aggregates. 0: none
 * @by_offset: where a number is in the records, by which samples are summed, too:
 *	&struct wallprof_aggr.arg. New in ABI 16, as are the following
 * @by_size: its bytes, as @weight_size; 0: there is none, and @by_offset and @by_sign are
 *	0, too
 * @by_sign: 1: it has a sign; or 0
 *
 * Creates a counter on each CPU of the session that is online, disabled; START enables all
 * of them. Each event counts by itself: the kernel has no groups of events for modules.
 * Allowed between CONFIGURE and START. New in ABI 14.
 *
 * A filter, a weight and a number to sum by are for tracepoints of period 1. A record that
 * the filter does not take is no sample, nor is one that ends before a field that is tested,
 * before the weight or before that number, or whose texts take too long to search: &struct
 * wallprof_count has how many.
 *
 * Errors, besides the common ones: EINVAL: not configured, or without SAMPLER; a filter, a
 * weight, records or a number of another event, or such that are not valid; also from the
 * kernel, for the counter, as are ENOENT, EOPNOTSUPP, ENODEV: there is no such counter here,
 * and EACCES.
 * EOPNOTSUPP also for a kprobe or uprobe by pointer. EBUSY: started; or from the kernel, if
 * all counters of a CPU are taken for good. ENOSPC: there are WALLPROF_MAX_EVENTS. EPERM:
 * the caller has no CAP_PERFMON, or the kernel is locked down.
 * In all of these cases the session is as before the call.
 */
struct wallprof_event {
	__u32 size;
	__u32 nr;
	__u32 attr_flags;
	__u32 attr_type;
	__u32 attr_precise;
	__u32 stack_flags;
	__u32 max_stack;
	__u32 reserved;
	__aligned_u64 attr_config;
	__aligned_u64 attr_config1;
	__aligned_u64 attr_config2;
	__aligned_u64 attr_period;
	__aligned_u64 filter;
	__aligned_u64 filter_text;
	__u32 nr_filter;
	__u32 filter_text_bytes;
	__u32 weight_offset;
	__u16 weight_size;
	__u16 weight_sign;
	__u32 record_words;
	__u16 by_offset;
	__u8 by_size;
	__u8 by_sign;
};

/**
 * struct wallprof_count - read the counters of an event (WALLPROF_IOC_COUNT)
 * @size: of this struct
 * @nr: of the event
 * @value: out: what its counters have counted, on all CPUs, for all threads, whether
 *	these are targets or not
 * @enabled_ns: out: time for which they were enabled, the sum over all CPUs
 * @running_ns: out: of this, time for which they counted. Less than @enabled_ns if the PMU
 *	has fewer counters than events, which then take turns
 * @filtered: out: records of targets that the event's filter did not take. New in ABI 15
 * @unfit: out: of these, those that could not be tested, or have no weight or no number to
 *	sum by: they end before such a field, or their texts take too long to search. New in
 *	ABI 15
 *
 * Counters that are gone, with their CPU or since STOP, are in the sums. Allowed from
 * CONFIGURE on. New in ABI 14.
 *
 * Errors, besides the common ones: EINVAL: not configured. ENOENT: there is no event of that
 * number.
 */
struct wallprof_count {
	__u32 size;
	__u32 nr;
	__aligned_u64 value;
	__aligned_u64 enabled_ns;
	__aligned_u64 running_ns;
	__aligned_u64 filtered;
	__aligned_u64 unfit;
};

/**
 * struct wallprof_flip - retire an epoch (WALLPROF_IOC_FLIP)
 * @size: of this struct
 * @flags: must be 0
 * @epoch: out: the epoch that was retired; its tables are in half
 *	@epoch % 2 and stay as they are until the next flip
 * @reserved: must be 0
 * @time: out: the time at which the epoch ended; no interval or sample in its
 *	tables is later
 *
 * When the call returns, no CPU writes to the retired half any more. In a
 * stopped session the first flip retires the last epoch.
 *
 * Errors, besides the common ones: EINVAL: not started. ENODATA: the session
 * is stopped and its last epoch was retired already. EOVERFLOW: the number of
 * epochs is used up; stop the session.
 */
struct wallprof_flip {
	__u32 size;
	__u32 flags;
	__u32 epoch;
	__u32 reserved;
	__aligned_u64 time;
};

/**
 * struct wallprof_stop - stop recording (WALLPROF_IOC_STOP)
 * @size: of this struct
 * @flags: must be 0
 * @time: out: the time up to which everything was recorded
 *
 * When the call returns, the probes and counters are gone and the task table
 * is final: the time of each thread up to @time was added to its run_ns or
 * off_ns, and an interval that was still open is described in its slot
 * (WALLPROF_TASK_OPEN). One epoch is left to be retired.
 *
 * Errors, besides the common ones: EINVAL: not started. EBUSY: stopped
 * already.
 */
struct wallprof_stop {
	__u32 size;
	__u32 flags;
	__aligned_u64 time;
};

/**
 * struct wallprof_lost - one reason of loss
 * @count: how often
 * @ns: the time that it concerns; see enum wallprof_loss
 */
struct wallprof_lost {
	__aligned_u64 count;
	__aligned_u64 ns;
};

/* wallprof_status.state */
#define WALLPROF_SESSION_OPEN		0
#define WALLPROF_SESSION_CONFIGURED	1
#define WALLPROF_SESSION_RUNNING	2
#define WALLPROF_SESSION_STOPPED	3

/**
 * struct wallprof_status - state of a session (WALLPROF_IOC_STATUS)
 * @size: of this struct
 * @state: out: WALLPROF_SESSION_OPEN, …
 * @epoch: out: the epoch that is being written
 * @nr_tasks: out: slots in use in the task table
 * @tasks_failed: out: threads that found no slot. Their time off the CPU is
 *	counted under WALLPROF_LOSS_NO_TASK, in a session of everything and, in
 *	one of WALLPROF_TARGET_PID, of the processes that were named. Others are
 *	no targets then, nor are their children: only their number is known. With
 *	WALLPROF_TARGET_COMM and _CGROUP a thread is counted each time it leaves a CPU
 * @counters: out: counters that exist: one for each event on each CPU
 * @counters_failed: out: times that one could not be created on a CPU that
 *	came online
 * @nr_live_targets: out: targets alive; 0 for WALLPROF_TARGET_ALL. After
 *	WALLPROF_START_LATER, before START: 1 if one is alive, or one of those that are
 *	named may come; else 0
 * @reserved: must be 0
 * @start: out: time of START, 0 before
 * @stop: out: time of STOP, 0 before
 * @lost: out: losses that belong to no CPU's tables, by enum wallprof_loss
 * @tables: out: tables that were pushed
 * @processes: out: processes whose mappings are known
 * @forks_missed: out: children of processes whose mappings are known that did not get
 *	these: there were too many forks since the last MAPS or FLIP, or the limit of
 *	locked memory allows no more
 * @tables_bytes: out: memory of tables, mappings and processes, charged to the
 *	opener beside &struct wallprof_configure.memory_bytes. What the kernel needs
 *	to keep each table, some hundred bytes and the rest of its last page, is
 *	charged, but not in here
 * @cpus: out: CPUs that have tables and rings: all that were online since CONFIGURE,
 *	except those that @cpus_failed counts
 * @cpus_failed: out: times that a CPU came online and got none, as memory ran out, the
 *	limit of locked memory allowed no more, or the session would have had more than
 *	a quarter of the host's memory. What happens there is counted in @lost: intervals
 *	that end there are in the threads' spill_ns (AGGR_FULL), those that begin there
 *	have no stack (STACK_FULL), threads that end there have no totals (EXIT_FULL)
 * @cpus_bytes: out: memory of CPUs that came online after CONFIGURE, charged likewise
 * @filtered: out: as in &struct wallprof_half, on CPUs that have no tables
 * @out_of_range: out: likewise
 * @records_lost: out: records of the timeline that had no ring, likewise
 * @grown_bytes: out: memory that tables took as they grew, charged likewise. ABI 20
 * @grow_failed: out: 1 if tables cannot grow any more, as memory ran out or the limit of
 *	locked memory allows no more; not if @grow_bytes of
 *	&struct wallprof_configure is used up. ABI 20
 * @halves_grown: out: times that a half has grown. ABI 20
 *
 * Allowed in every state.
 */
struct wallprof_status {
	__u32 size;
	__u32 state;
	__u32 epoch;
	__u32 nr_tasks;
	__aligned_u64 tasks_failed;
	__u32 counters;
	__u32 counters_failed;
	__u32 nr_live_targets;
	__u32 reserved;
	__aligned_u64 start;
	__aligned_u64 stop;
	struct wallprof_lost lost[WALLPROF_LOSS_MAX];
	__u32 tables;
	__u32 processes;
	__aligned_u64 forks_missed;
	__aligned_u64 tables_bytes;
	__u32 cpus;
	__u32 cpus_failed;
	__aligned_u64 cpus_bytes;
	struct wallprof_lost filtered;
	struct wallprof_lost out_of_range;
	__aligned_u64 records_lost;
	__aligned_u64 grown_bytes;
	__u32 grow_failed;
	__u32 halves_grown;
};

/* wallprof_push.flags. ABI 18 */
#define WALLPROF_PUSH_ONCE	(1U << 0)	/* nobody needs it when no process has it */

/**
 * struct wallprof_push - push an unwind table (WALLPROF_IOC_PUSH)
 * @size: of this struct
 * @flags: WALLPROF_PUSH_ONCE, or 0
 * @table: pointer to the table, in the format of uapi/linux/wallprof_unwind.h
 * @bytes: of the table
 * @id: out: its id for &struct wallprof_map.table, in this session; not 0
 *
 * The table is copied, checked, and kept. A session has each table once: pushed again, a
 * table gets the same id. Equal tables of several sessions take memory once, but are
 * charged to each. Allowed from CONFIGURE on.
 *
 * A session has at most WALLPROF_MAX_TABLES, of WALLPROF_MAX_TABLES_BYTES together, or
 * an eighth of the host's memory if that is less. If a table finds no room in that, or in
 * the limit of locked memory, tables are dropped that processes had and no process has
 * any more, the oldest first. Their ids are not given again. A table that no MAPS has
 * named stays until the second FLIP after its last PUSH. New in ABI 12.
 *
 * A table with WALLPROF_PUSH_ONCE is dropped, also while there is room, by the next PUSH
 * of another one with it, when no process has it any more. It is for generated code,
 * which has another table each time. An equal one that was pushed without it stays. New
 * in ABI 18.
 *
 * What finds no room is not copied: it need not be a good table then.
 *
 * Errors, besides the common ones: EINVAL: not configured. EBADMSG: it is not
 * a table of this version and machine, contradicts itself, or has more rows, rules or
 * saves than the code that it describes can need. ENOSPC: it finds no room, see above.
 */
struct wallprof_push {
	__u32 size;
	__u32 flags;
	__aligned_u64 table;
	__u32 bytes;
	__u32 id;
};

/**
 * struct wallprof_map - code that a process has mapped
 * @start: first address
 * @end: address behind the last
 * @bias: address in the process less address in the file (of its program
 *	headers), modulo 2^64
 * @table: of the file, the id from WALLPROF_IOC_PUSH; 0: there is none
 * @reserved: must be 0
 */
struct wallprof_map {
	__aligned_u64 start;
	__aligned_u64 end;
	__aligned_u64 bias;
	__u32 table;
	__u32 reserved;
};

/**
 * struct wallprof_maps - push the mappings of a process (WALLPROF_IOC_MAPS)
 * @size: of this struct
 * @flags: must be 0
 * @pid: the process, in the opener's pid namespace
 * @nr: entries of @maps, at most WALLPROF_MAX_MAPS; 0: forget the process
 * @maps: pointer to &struct wallprof_map, sorted by address, none overlapping
 * @start_stack: startstack of /proc/PID/stat, read before the mappings were; 0: not
 *	known. It identifies the program that the mappings are of
 * @interp: pointer to a &struct wallprof_interp, of wallprof_interp.h: how interpreted
 *	functions of the process's threads are found where a stack is walked by tables; 0:
 *	they are not. With @nr > 0 only. New in ABI 17
 *
 * Replaces the process's mappings of before. They hold until the process executes another
 * program or ends; a child that is forked while the session runs begins with its
 * parent's. Allowed from CONFIGURE on.
 *
 * Threads of the process may be blocked now, with stacks that were not found, or not
 * whole, for want of these mappings, or since they were blocked before START already.
 * Their stacks are walked now. That reads their memory, as far as it is present.
 *
 * Tables decide which words of a process's memory are read. So mappings (@nr > 0)
 * need the right to read that memory, by the rule of ptrace(2), "Ptrace access mode
 * checking", with PTRACE_MODE_READ_REALCREDS: the caller's own process; or one whose
 * user and group ids are all the caller's, which has no capability that the caller
 * lacks, and is dumpable; or CAP_SYS_PTRACE in the user namespaces of its
 * credentials and, if it is not dumpable, of its program. The caller is the thread
 * that makes this call, not the opener of the device. New in ABI 12.
 *
 * Errors, besides the common ones: EINVAL: not configured; a mapping that is
 * empty, out of order or beyond user space, or names a table that was never pushed; an
 * interpreter that is not described as wallprof_interp.h has it. E2BIG: as of this struct,
 * of the interpreter's. ENOENT: it names a table that was dropped: push it again. ESRCH:
 * there is no such process, or it has no memory. EPERM: the caller may not read its memory.
 * ESTALE: the process has executed another program since @start_stack was read, or is
 * executing one now.
 */
struct wallprof_maps {
	__u32 size;
	__u32 flags;
	__u32 pid;
	__u32 nr;
	__aligned_u64 maps;
	__aligned_u64 start_stack;
	__aligned_u64 interp;
};

/**
 * struct wallprof_live - take a snapshot of what already runs (WALLPROF_IOC_LIVE)
 * @size: of this struct
 * @flags: must be 0
 * @tid: the number of the first thread to record: 0 at first; out: the number to go on
 *	from, or 0: there are no more threads
 * @bytes: room at @records; out: how many were written there
 * @records: pointer to the buffer
 *
 * Records the threads of the opener's pid namespace, whatever the targets are, in
 * order of their numbers: of each a &struct wallprof_live_thread, and behind that of
 * a process's first thread a &struct wallprof_live_map of each of its mappings that
 * can be executed, in order of address. A thread that lives from the first call to
 * the last is recorded once. Threads that begin or end meanwhile, or map something else,
 * are in perf's records. Allowed at any time.
 *
 * No lock of another process is waited for: a process whose memory map stays locked is
 * recorded without mappings, with WALLPROF_LIVE_NO_MAPS. Retries take some milliseconds
 * for each such process, and a tenth of a second at most in each call.
 *
 * Only whole threads are written: as many as there is room for.
 *
 * Errors, besides the common ones: ENOSPC: there is no room for the first thread. EPERM:
 * the caller has no CAP_PERFMON, or the kernel is locked down.
 */
struct wallprof_live {
	__u32 size;
	__u32 flags;
	__u32 tid;
	__u32 bytes;
	__aligned_u64 records;
};

/* &struct wallprof_live_head.type. Readers skip types that they do not know. */
#define WALLPROF_LIVE_THREAD	1	/* &struct wallprof_live_thread */
#define WALLPROF_LIVE_MAP	2	/* &struct wallprof_live_map */

/**
 * struct wallprof_live_head - start of each record of WALLPROF_IOC_LIVE
 * @type: WALLPROF_LIVE_*
 * @bytes: from here to the next record, a multiple of 8
 */
struct wallprof_live_head {
	__u16 type;
	__u16 bytes;
};

/**
 * struct wallprof_live_thread - a thread
 * @head: WALLPROF_LIVE_THREAD
 * @pid: its process
 * @tid: its number; that of a process's first thread is @pid
 * @ppid: the process's parent; 0: none that is visible here
 * @comm: its name, ending in a zero
 * @start_stack: of a process's first thread, startstack of /proc/PID/stat; 0: it has no
 *	memory, as a kernel thread. See &struct wallprof_maps
 * @flags: WALLPROF_LIVE_NO_MAPS
 * @reserved: 0
 */
struct wallprof_live_thread {
	struct wallprof_live_head head;
	__u32 pid;
	__u32 tid;
	__u32 ppid;
	char comm[WALLPROF_COMM_LEN];
	__aligned_u64 start_stack;
	__u32 flags;
	__u32 reserved;
};

/* &struct wallprof_live_thread.flags */
#define WALLPROF_LIVE_NO_MAPS	(1U << 0)	/* its memory map was locked: no mappings follow */

/**
 * struct wallprof_live_map - a mapping of a process, as in /proc/PID/maps
 * @head: WALLPROF_LIVE_MAP
 * @prot: PROT_*
 * @flags: MAP_SHARED or MAP_PRIVATE
 * @major: device of the file
 * @minor: likewise
 * @reserved: 0
 * @start: first address
 * @end: address behind the last
 * @pgoff: where in the file it begins, in bytes
 * @ino: inode number of the file; 0: there is none
 * @name: its name, as seen by the caller, ending in a zero; it may be empty. A newline
 *	in it is not escaped
 *
 * The page of system calls at the end of the address space is not recorded.
 */
struct wallprof_live_map {
	struct wallprof_live_head head;
	__u32 prot;
	__u32 flags;
	__u32 major;
	__u32 minor;
	__u32 reserved;
	__aligned_u64 start;
	__aligned_u64 end;
	__aligned_u64 pgoff;
	__aligned_u64 ino;
	char name[];
};

/**
 * struct wallprof_read - read what a blocked thread waits for (WALLPROF_IOC_READ)
 * @size: of this struct
 * @pid: the process, in the opener's pid namespace
 * @tid: a thread of it that is off its CPU
 * @bytes: how many to read, 1 to WALLPROF_MAX_READ
 * @since: when the thread's interval began: &struct wallprof_task.since; 0: any time; out:
 *	when it began
 * @address: where to read in the process's memory
 * @data: pointer to where they are to be written
 * @arg: out: the first argument of the thread's system call
 * @arg2: out: its second
 * @arg3: out: its third
 * @arg4: out: its fourth
 * @syscall: out: the call's number; WALLPROF_SYSCALL_NONE: it is in none, or in one of the
 *	32-bit table, and the arguments are 0
 * @reserved: must be 0
 *
 * The thread was blocked, in that one interval, from before the read to after it, or there
 * is an error. What other threads change meanwhile may be read in part. Nothing is
 * made present, and no lock of the process is waited for.
 *
 * Allowed while a session with OFFCPU runs, and needs the right to read the process's
 * memory, as MAPS does. New in ABI 16.
 *
 * Errors, besides the common ones: EINVAL: not running, or without OFFCPU. ESRCH: there is
 * no such process or thread, or it has no memory. EPERM: the caller may not read its memory.
 * ESTALE: the thread is not blocked in that interval, or not any more, or the process is
 * executing another program. ENODATA: the memory is not present, or there is none.
 */
struct wallprof_read {
	__u32 size;
	__u32 pid;
	__u32 tid;
	__u32 bytes;
	__aligned_u64 since;
	__aligned_u64 address;
	__aligned_u64 data;
	__aligned_u64 arg;
	__aligned_u64 arg2;
	__aligned_u64 arg3;
	__aligned_u64 arg4;
	__u32 syscall;
	__u32 reserved;
};

/*
 * The ioctls. The size of a struct is not part of the number, so that structs can grow.
 */
#define WALLPROF_IOC_INFO	_IO(WALLPROF_IOC_TYPE, 0x00)
#define WALLPROF_IOC_CONFIGURE	_IO(WALLPROF_IOC_TYPE, 0x01)
#define WALLPROF_IOC_START	_IO(WALLPROF_IOC_TYPE, 0x02)
#define WALLPROF_IOC_FLIP	_IO(WALLPROF_IOC_TYPE, 0x03)
#define WALLPROF_IOC_STOP	_IO(WALLPROF_IOC_TYPE, 0x04)
#define WALLPROF_IOC_STATUS	_IO(WALLPROF_IOC_TYPE, 0x05)
#define WALLPROF_IOC_PUSH	_IO(WALLPROF_IOC_TYPE, 0x06)
#define WALLPROF_IOC_MAPS	_IO(WALLPROF_IOC_TYPE, 0x07)
#define WALLPROF_IOC_LIVE	_IO(WALLPROF_IOC_TYPE, 0x08)
#define WALLPROF_IOC_EVENT	_IO(WALLPROF_IOC_TYPE, 0x09)
#define WALLPROF_IOC_COUNT	_IO(WALLPROF_IOC_TYPE, 0x0a)
#define WALLPROF_IOC_READ	_IO(WALLPROF_IOC_TYPE, 0x0b)

/**
 * DOC: The mapping
 *
 * The session's tables are mapped read-only and shared (PROT_READ, MAP_SHARED;
 * any page-aligned part of map_bytes). It holds the task table and, for every
 * CPU number below nr_cpus, the scheduler's and the sampler's tables, each in
 * two halves. Epoch E is written to half E % 2.
 *
 * A stack id names the place of a stack: its epoch, CPU, context and index.
 * An id outlives the memory that it names: an interval that began in one epoch
 * and ended some epochs later has the id of the first. 0 is no stack.
 */
#define WALLPROF_STACK_INDEX_BITS	21	/* word index of the stack in its half */
#define WALLPROF_STACK_CONTEXT_BITS	1	/* 0 scheduler, 1 sampler */
#define WALLPROF_STACK_CPU_BITS		14
#define WALLPROF_STACK_EPOCH_BITS	28

/* In the id of an interval: see &struct wallprof_aggr. */
#define WALLPROF_INDEX_IS_WAIT	(1U << 20)	/* the index is of a &struct wallprof_wait */

#define WALLPROF_STACK_INDEX(id)	((__u32)((id) & 0x1fffff))
#define WALLPROF_STACK_CONTEXT(id)	((__u32)((id) >> 21 & 1))
#define WALLPROF_STACK_CPU(id)		((__u32)((id) >> 22 & 0x3fff))
#define WALLPROF_STACK_EPOCH(id)	((__u32)((id) >> 36))

/**
 * struct wallprof_half - the head of one half of a CPU's tables of one context
 * @epoch: the epoch that the half holds; a half whose epoch is not the one
 *	that FLIP named holds nothing of it
 * @cpu: the CPU
 * @nr_aggrs: aggregates in use
 * @stack_words: stack words in use; the first one is not used
 * @nr_exits: ended threads in use
 * @nr_stacks: distinct stacks
 * @events: intervals closed, or samples taken. Until FLIP has named the half, this and
 *	the counts of walks may be incomplete
 * @filtered: intervals left out by their state, or by the CPU that was left
 * @filtered_ns: their time
 * @lost: losses by enum wallprof_loss
 * @unwinds: number of walks of user stacks by stop reason, enum wallprof_unwind; with
 *	WAKER_STACKS, here and below, wakers' too, of which there may be more than are
 *	recorded: whether the thread that is woken was awake is not known before the walk
 * @walks_unknown: of these, with STACK_TABLES: the process's mappings are not
 *	known, so the walk went by frame pointer alone, or not at all
 * @walks_mixed: went by tables, but for some frames by frame pointer
 * @walks_slow: had to follow more registers than the frame pointer, and began
 *	anew for that
 * @walks_remembered: of these: the stack was cached, and nothing was walked: the
 *	registers, the mappings and all words that the walk had read were unchanged
 * @walks_asleep: not in @unwinds: of threads that were blocked when MAPS pushed their
 *	process's mappings. Such a walk replaces an older one
 * @out_of_range: intervals left out by @min_ns and @max_ns of
 *	&struct wallprof_configure, other than those in @filtered
 * @out_of_range_ns: their time
 * @nr_waits: single intervals in use, &struct wallprof_wait
 * @reserved: 0
 * @waits_full: intervals that were to be recorded one by one, but found no room:
 *	they were added to their aggregates instead, or have become losses of these
 * @walks_not_resident: walks of blocked threads, as in @walks_asleep, that ended by
 *	WALLPROF_UNWIND_NOT_RESIDENT. Such a walk replaces no older walk, and is then
 *	not in @walks_asleep
 * @switches: number of switches of threads with a slot by how they were recorded, enum
 *	wallprof_switch. All 0 in a session that remembers none: without REASONS, with one
 *	of WAKER_CHAINS, LOCK_OWNERS and TIMELINE, or with kernel stacks and no user stacks
 * @interps: number of walks of user stacks that came to a native frame of an interpreter,
 *	by how the capture of its functions ended, enum wallprof_interp_reason, with those
 *	in @walks_asleep. New in ABI 17
 */
struct wallprof_half {
	__u32 epoch;
	__u32 cpu;
	__u32 nr_aggrs;
	__u32 stack_words;
	__u32 nr_exits;
	__u32 nr_stacks;
	__aligned_u64 events;
	__aligned_u64 filtered;
	__aligned_u64 filtered_ns;
	struct wallprof_lost lost[WALLPROF_LOSS_MAX];
	__aligned_u64 unwinds[WALLPROF_MAX_UNWINDS];
	__aligned_u64 walks_unknown;
	__aligned_u64 walks_mixed;
	__aligned_u64 walks_slow;
	__aligned_u64 walks_remembered;
	__aligned_u64 walks_asleep;
	__aligned_u64 out_of_range;
	__aligned_u64 out_of_range_ns;
	__u32 nr_waits;
	__u32 reserved;
	struct wallprof_lost waits_full;
	__aligned_u64 walks_not_resident;
	__aligned_u64 switches[WALLPROF_MAX_SWITCHES];
	__aligned_u64 interps[WALLPROF_MAX_INTERPS];
};

/* wallprof_stack.flags */
#define WALLPROF_STACK_IS_KERNEL	(1U << 0)	/* kernel addresses */
#define WALLPROF_STACK_BY_FP		(1U << 1)	/* some frames, or all, by frame pointer */
#define WALLPROF_STACK_IS_WAKER		(1U << 2)	/* no addresses: see WALLPROF_WAKER_NR */
#define WALLPROF_STACK_LOST		(1U << 3)	/* of a waker: a stack found no room */
#define WALLPROF_STACK_IS_RECORD	(1U << 4)	/* no addresses: see @record_words */

/*
 * Words of a waker's record, in @ips instead of addresses: the ids of its stacks, 0 for
 * none, which are before it in the same half; and its process id, in the opener's pid
 * namespace.
 */
#define WALLPROF_WAKER_USER_STACK	0
#define WALLPROF_WAKER_KERNEL_STACK	1
#define WALLPROF_WAKER_TGID		2
#define WALLPROF_WAKER_NR		3

/**
 * struct wallprof_stack - one distinct stack, in the stack words
 * @nr: frames, 0 to WALLPROF_MAX_STACK; WALLPROF_WAKER_NR of a waker's; words of a
 *	tracepoint's record, as @ips has it, the last one filled with zeros
 * @unwind: stop reason of its walk, enum wallprof_unwind (user stacks)
 * @flags: WALLPROF_STACK_IS_KERNEL, …
 * @reserved: 0
 * @ips: addresses, the innermost first; return addresses but for the first. Among those of
 *	a user stack there may be interpreted functions, two words each, which @nr counts
 *	as two, and words of frames, one each: see wallprof_interp.h
 */
struct wallprof_stack {
	__u16 nr;
	__u8 unwind;
	__u8 flags;
	__u32 reserved;
	__aligned_u64 ips[];
};

/* wallprof_aggr.kind */
#define WALLPROF_AGGR_OFFCPU	0	/* intervals off the CPU */
#define WALLPROF_AGGR_SAMPLE	1	/* overflows of the counters of an event */

/* wallprof_aggr.flags */
#define WALLPROF_AGGR_NO_STACK	(1U << 0)	/* a stack was lost (STACK_FULL) */
#define WALLPROF_AGGR_SINCE_START (1U << 1)	/* off-CPU when the session began */
#define WALLPROF_AGGR_USER_MODE	(1U << 2)	/* sample: the CPU was in user mode */
#define WALLPROF_AGGR_IOWAIT	(1U << 3)	/* off-CPU: in iowait */
#define WALLPROF_AGGR_32BIT	(1U << 4)	/* @syscall is of the 32-bit table */

/*
 * wallprof_aggr.lock_owner: the owner's thread id in the opener's pid namespace, and what
 * the lock is, enum wallprof_lock. The owner was a living thread, of the same process
 * unless the lock is shared.
 */
#define WALLPROF_LOCK_OWNER(tid, lock)	((__u64)(lock) << 32 | (__u32)(tid))
#define WALLPROF_LOCK_OWNER_TID(owner)	((__u32)(owner))
#define WALLPROF_LOCK_OWNER_LOCK(owner)	((__u32)((owner) >> 32))

/**
 * struct wallprof_aggr - a sum of intervals or samples that are alike
 * @tid: thread id, in the opener's pid namespace
 * @tgid: process id, likewise
 * @start_time: when the thread was born
 * @exec_id: changes with every exec of the thread
 * @kind: WALLPROF_AGGR_OFFCPU, …
 * @state: enum wallprof_state, of intervals
 * @flags: WALLPROF_AGGR_NO_STACK, …
 * @user_stack: stack id, 0 for none
 * @kernel_stack: stack id, 0 for none
 * @waker_tid: thread id of the waker, in the opener's pid namespace
 * @event: of samples, in the place of @waker_tid: the number of the event
 * @syscall: number of the system call, or WALLPROF_SYSCALL_NONE
 * @reason: enum wallprof_reason
 * @waker: enum wallprof_waker
 * @arg: with ARGS the system call's first argument; else, and without one, 0. Of a sample of
 *	an event with @by_size: this number of its record, extended to 64 bits, with its sign
 * @waker_stack: stack id of the record of where the waker was, one with
 *	WALLPROF_STACK_IS_WAKER; 0 without WAKER_STACKS, if @waker is not
 *	WALLPROF_WAKER_TASK, and if it was lost (STACK_FULL, NESTED). Of a sample of an
 *	event with @record_words: what the tracepoint recorded, with
 *	WALLPROF_STACK_IS_RECORD; 0 if it was lost (STACK_FULL)
 * @lock_owner: with LOCK_OWNERS, in the place of @waker_stack: of a wait in futex(2), which
 *	thread held the lock when it began: WALLPROF_LOCK_OWNER(), or 0
 * @count: intervals, or samples
 * @total: nanoseconds, or the sum of the samples' periods
 * @min: the shortest interval, or the smallest period
 * @max: the longest interval, or the largest period
 * @first: when the first interval ended, or the first sample was taken
 * @last: when the last one was
 * @runnable: of @total, nanoseconds in which the thread was runnable; it was
 *	blocked in the rest. Without WAKEUPS a blocked thread counts as blocked to the
 *	end of the interval. 0 of samples
 * @runnable_max: the longest time runnable in one interval
 * @blocked_max: the longest time blocked; of samples, without meaning
 * @waker_aggr: with WAKER_CHAINS: id of the waker's own last interval, before it woke
 *	the thread from the last of these here: see below. 0: it had none yet, it is no
 *	target, its interval found no room, was filtered or out of range, or the waker
 *	was no thread
 *
 * An aggregate has an id, made like those of stacks, with its place among the
 * aggregates as index. So has a &struct wallprof_wait, with its place among those
 * and WALLPROF_INDEX_IS_WAIT as index. @waker_aggr is such an id, of this epoch or an
 * earlier one. What it names has a @waker_aggr, too: a chain.
 *
 * All fields before @count are the key. Those from @waker_tid on, except @event, @syscall
 * and, of events that ask for them, @arg and @waker_stack, are 0 of samples and without
 * WAKERS and REASONS: they make for more keys.
 */
struct wallprof_aggr {
	__u32 tid;
	__u32 tgid;
	__aligned_u64 start_time;
	__u32 exec_id;
	__u8 kind;
	__u8 state;
	__u16 flags;
	__aligned_u64 user_stack;
	__aligned_u64 kernel_stack;
	union {
		__u32 waker_tid;
		__u32 event;
	};
	__u16 syscall;
	__u8 reason;
	__u8 waker;
	__aligned_u64 arg;
	union {
		__aligned_u64 waker_stack;
		__aligned_u64 lock_owner;
	};
	__aligned_u64 count;
	__aligned_u64 total;
	__aligned_u64 min;
	__aligned_u64 max;
	__aligned_u64 first;
	__aligned_u64 last;
	__aligned_u64 runnable;
	__aligned_u64 runnable_max;
	__aligned_u64 blocked_max;
	__aligned_u64 waker_aggr;
};

#define WALLPROF_HIST_BUCKETS	32

/**
 * struct wallprof_hist - histogram of the intervals of an aggregate
 * @blocked: number of the parts in which the thread was blocked, by length
 * @runnable: number of the parts in which it was runnable, likewise
 *
 * Bucket 0 counts parts shorter than 1 us, bucket N from 1 on those shorter than 2^N us,
 * but not shorter than 2^(N-1) us; the last one all longer ones, too. A part of no length
 * is not counted: an interval has at most one of each kind. UINT_MAX may stand for more.
 *
 * With HISTOGRAMS; of the aggregate of the same number in the same half.
 */
struct wallprof_hist {
	__u32 blocked[WALLPROF_HIST_BUCKETS];
	__u32 runnable[WALLPROF_HIST_BUCKETS];
};

/**
 * struct wallprof_wait - a single interval
 * @tid: the key, down to @waker_stack, as of &struct wallprof_aggr
 * @tgid: likewise
 * @start_time: likewise
 * @exec_id: likewise
 * @kind: WALLPROF_AGGR_OFFCPU
 * @state: as of &struct wallprof_aggr
 * @flags: likewise
 * @user_stack: likewise
 * @kernel_stack: likewise
 * @waker_tid: likewise
 * @syscall: likewise
 * @reason: likewise
 * @waker: likewise
 * @arg: likewise
 * @waker_stack: likewise
 * @lock_owner: likewise
 * @begin: when the thread left its CPU; if it left before its totals began
 *	(WALLPROF_AGGR_SINCE_START), when these began
 * @end: when it ran again
 * @runnable: of the time between, nanoseconds in which it was runnable
 * @arg2: with ARGS the system call's second argument; else, and without one, 0
 * @arg3: its third one, likewise
 * @waker_aggr: as of &struct wallprof_aggr, of this very interval
 */
struct wallprof_wait {
	__u32 tid;
	__u32 tgid;
	__aligned_u64 start_time;
	__u32 exec_id;
	__u8 kind;
	__u8 state;
	__u16 flags;
	__aligned_u64 user_stack;
	__aligned_u64 kernel_stack;
	__u32 waker_tid;
	__u16 syscall;
	__u8 reason;
	__u8 waker;
	__aligned_u64 arg;
	union {
		__aligned_u64 waker_stack;
		__aligned_u64 lock_owner;
	};
	__aligned_u64 begin;
	__aligned_u64 end;
	__aligned_u64 runnable;
	__aligned_u64 arg2;
	__aligned_u64 arg3;
	__aligned_u64 waker_aggr;
};

/* wallprof_task.phase */
#define WALLPROF_TASK_FREE	0	/* the slot is not in use */
#define WALLPROF_TASK_UNSEEN	1	/* alive since the start, not seen to switch yet */
#define WALLPROF_TASK_RUNNING	2	/* on a CPU since @since */
#define WALLPROF_TASK_OFF	3	/* off its CPU since @since */
#define WALLPROF_TASK_EXITED	4	/* gone since @since */

/* wallprof_task.flags */
#define WALLPROF_TASK_OPEN	(1U << 0)	/* after STOP: the interval was open */
#define WALLPROF_TASK_SINCE_START (1U << 1)	/* the phase began before the session */
#define WALLPROF_TASK_FILTERED	(1U << 2)	/* the open interval is not to be recorded */
#define WALLPROF_TASK_NO_STACK	(1U << 3)	/* the open interval's stack was lost */
#define WALLPROF_TASK_ARMED	(1U << 4)	/* counts from its next exec on */
#define WALLPROF_TASK_WEAK_STACK (1U << 5)	/* MAPS may complete the open interval's stack */
#define WALLPROF_TASK_IOWAIT	(1U << 6)	/* the open interval is in iowait */
#define WALLPROF_TASK_32BIT	(1U << 7)	/* @syscall is of the 32-bit table */
/* After STOP: the open interval is shorter than min_ns or longer than max_ns. */
#define WALLPROF_TASK_OUT_OF_RANGE (1U << 8)

/**
 * struct wallprof_task - one thread: an entry of the task table, and of the
 *	table of ended threads
 * @start_time: when the thread was born
 * @tid: thread id, in the opener's pid namespace; 0: not visible there
 * @tgid: process id, likewise
 * @exec_id: changes with every exec of the thread
 * @phase: WALLPROF_TASK_RUNNING, …
 * @state: enum wallprof_state, of WALLPROF_TASK_OFF
 * @flags: WALLPROF_TASK_OPEN, …
 * @since: when the phase began
 * @user_stack: id of the open interval's user stack
 * @kernel_stack: id of its kernel stack
 * @arg: with ARGS the first argument of @syscall; else 0
 * @syscall: the open interval's system call, or WALLPROF_SYSCALL_NONE
 * @reason: enum wallprof_reason, of the open interval
 * @waker: enum wallprof_waker of its wakeup in the open interval. Before STOP, it may be
 *	of a wakeup before the interval, which had no effect
 * @waker_tid: the waker's thread id
 * @woken: time of the wakeup; 0: there was none
 * @born: start of the thread's totals: START, its fork, or the time when it became a
 *	target
 * @run_ns: time on a CPU
 * @off_ns: time off its CPU, filtered intervals too
 * @nr_off: intervals in @off_ns
 * @spill_ns: part of @off_ns that found no aggregate (AGGR_FULL)
 * @nr_spilled: intervals in @spill_ns
 * @open_ns: after STOP: the open interval, part of @off_ns
 * @runnable_ns: part of @off_ns in which it was runnable; it was blocked in the
 *	rest: see &struct wallprof_aggr
 * @runnable_max: the longest time runnable in one interval
 * @blocked_max: the longest time blocked
 * @open_runnable_ns: after STOP: part of @open_ns, likewise
 * @spill_runnable_ns: part of @spill_ns, likewise
 * @waker_stack: where the waker was: see &struct wallprof_aggr. Valid if @waker is
 * @waker_aggr: the waker's own last interval, likewise
 * @last_aggr: with WAKER_CHAINS: id of the aggregate or wait of its last interval, 0 for
 *	none
 * @asleep_since: when it left its CPU, if it was blocked when START reached it, if the
 *	kernel has the time; 0: not known, or it was not blocked. Kernels that account
 *	interrupt or stolen time do not have it. It is computed back by the scheduler's
 *	clock, which is not adjusted: after days it may be off by seconds. It stays when
 *	that interval is over
 * @unknown_ns: time between two switches of which a third one between them was not
 *	seen, so that it is unknown whether it was on a CPU. The switch was lost (NESTED),
 *	or was on a CPU that goes offline, by the kernel threads that take it there: no
 *	tracepoint is called there. If the last one was not seen, or several were not,
 *	the other sums may be wrong, too
 * @lock_owner: with LOCK_OWNERS: of the open interval, as of &struct wallprof_aggr
 *
 * @user_stack to @woken are without meaning if no interval is open.
 *
 * For every thread run_ns + off_ns + unknown_ns is the time from @born to the end of
 * the session or of the thread. While the session runs, a reader may see a slot
 * half changed.
 */
struct wallprof_task {
	__aligned_u64 start_time;
	__u32 tid;
	__u32 tgid;
	__u32 exec_id;
	__u8 phase;
	__u8 state;
	__u16 flags;
	__aligned_u64 since;
	__aligned_u64 user_stack;
	__aligned_u64 kernel_stack;
	__aligned_u64 arg;
	__u16 syscall;
	__u8 reason;
	__u8 waker;
	__u32 waker_tid;
	__aligned_u64 woken;
	__aligned_u64 born;
	__aligned_u64 run_ns;
	__aligned_u64 off_ns;
	__aligned_u64 nr_off;
	__aligned_u64 spill_ns;
	__aligned_u64 nr_spilled;
	__aligned_u64 open_ns;
	__aligned_u64 runnable_ns;
	__aligned_u64 runnable_max;
	__aligned_u64 blocked_max;
	__aligned_u64 open_runnable_ns;
	__aligned_u64 spill_runnable_ns;
	__aligned_u64 waker_stack;
	__aligned_u64 waker_aggr;
	__aligned_u64 last_aggr;
	__aligned_u64 asleep_since;
	__aligned_u64 unknown_ns;
	__aligned_u64 lock_owner;
};

/**
 * DOC: The timeline
 *
 * With TIMELINE each CPU has a ring of records, in the order in which they were
 * made there. That is the order of their times, except for some nanoseconds by which
 * the kernel's clock may step back when it is adjusted. Record N is at place
 * N % nr_records, behind the page of &struct wallprof_ring.
 *
 * The module writes a record, and then, with a release store, &struct
 * wallprof_ring.head. The reader loads that with an acquire load, reads the records
 * from its own &struct wallprof_tail.tail on up to it, and then, with a release
 * store, moves the tail, which frees their places.
 *
 * With OVERWRITE the tail is not used; after STOP the last nr_records records are
 * there, or all if there were not that many. While the session runs, the next record
 * may be being written to the place of the oldest one: a reader that copies records then
 * loads the head once more after the copies, with a load barrier in between. Record N
 * was copied whole if N + nr_records is more than that head.
 */

/**
 * struct wallprof_ring - the head of a CPU's ring, written by the module
 * @head: records written since START
 * @lost: records that found no room since START
 * @open: of these, those since the last record that was written, which no
 *	WALLPROF_RECORD_LOST reports yet
 * @open_since: when the first of them was lost; 0: there is none
 */
struct wallprof_ring {
	__aligned_u64 head;
	__aligned_u64 lost;
	__aligned_u64 open;
	__aligned_u64 open_since;
};

/**
 * struct wallprof_tail - the tail of a CPU's ring, written by the reader
 * @tail: records read since START. With an impossible value the ring counts as full
 * @reserved: fills a cache line; not read
 */
struct wallprof_tail {
	__aligned_u64 tail;
	__aligned_u64 reserved[7];
};

/**
 * enum wallprof_record_type - types of records
 * @WALLPROF_RECORD_LOST: @lost records found no room, the first of them at @time;
 *	the next record is the first that did
 * @WALLPROF_RECORD_SWITCH: a CPU switches from a thread to another: sched_switch
 * @WALLPROF_RECORD_WAKING: a thread is woken: sched_waking
 * @WALLPROF_RECORD_WAKEUP_NEW: a thread that was forked is ready to run for the
 *	first time: sched_wakeup_new
 * @WALLPROF_RECORD_MIGRATE: a thread is to run on another CPU: sched_migrate_task
 * @WALLPROF_RECORD_STACKS: with TIMELINE_STACKS: the stacks with which the thread left
 *	its CPU in the switch of the record before this one, if its interval is to be
 *	recorded
 * @WALLPROF_RECORD_MAX: the number of types
 */
enum wallprof_record_type {
	WALLPROF_RECORD_LOST,
	WALLPROF_RECORD_SWITCH,
	WALLPROF_RECORD_WAKING,
	WALLPROF_RECORD_WAKEUP_NEW,
	WALLPROF_RECORD_MIGRATE,
	WALLPROF_RECORD_STACKS,
	WALLPROF_RECORD_MAX,
};

#define WALLPROF_PRIO_NONE	0xff	/* a priority of -1: of a deadline thread */

/* wallprof_record.flags */
#define WALLPROF_RECORD_COMES	(1U << 0)	/* a switch: @other_tid is a target, @tid is none */

/**
 * struct wallprof_record - one event of the scheduler
 * @type: enum wallprof_record_type
 * @prio: the kernel's priority of the thread, 0 to 139, or WALLPROF_PRIO_NONE
 * @other_prio: of a switch, the same of the other thread
 * @flags: WALLPROF_RECORD_COMES
 * @state: of a switch, the state in which @tid leaves, in the bits that the kernel's
 *	own tracepoint reports in prev_state; of a migration, the CPU that it leaves
 * @cpu: of a wakeup, the CPU that the thread is on; of a migration, the one that
 *	it goes to
 * @time: when
 * @tid: the thread that leaves its CPU, is woken, or migrates; 0: an idle one.
 *	UINT_MAX: not visible in the opener's pid namespace; in others than the
 *	initial one also a thread that has ended, but for its last switch
 * @tgid: its process
 * @other_tid: of a switch, the thread that comes; else the one that runs here
 * @other_tgid: its process
 * @lost: of WALLPROF_RECORD_LOST, how many, in the place of the ids
 * @user_stack: of WALLPROF_RECORD_STACKS, in the place of the ids, the id of the user
 *	stack, as in &struct wallprof_aggr; 0: none
 * @kernel_stack: likewise of the kernel stack
 *
 * An event is recorded if @tid is a target, or, of a switch, @other_tid; and if the CPU
 * where it happens is one to be recorded.
 */
struct wallprof_record {
	__u8 type;
	__u8 prio;
	__u8 other_prio;
	__u8 flags;
	__u16 state;
	__u16 cpu;
	__aligned_u64 time;
	union {
		struct {
			__u32 tid;
			__u32 tgid;
			__u32 other_tid;
			__u32 other_tgid;
		};
		__aligned_u64 lost;
		struct {
			__aligned_u64 user_stack;
			__aligned_u64 kernel_stack;
		};
	};
};

#endif /* _UAPI_LINUX_WALLPROF_H */
