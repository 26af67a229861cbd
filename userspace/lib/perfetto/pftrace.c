// SPDX-License-Identifier: GPL-2.0
/*
 * Owns a Perfetto trace while it is written: its file, and the first packets, which
 * describe the clock and the kernel. Called by the export command; pfsched.c and
 * pfsamples.c write the other packets.
 *
 * Each packet is written at once: a file of many Trace messages with one packet each is
 * the same as one message with all packets.
 *
 * Times are those of the recording: the trace's clock is the recording's. The kernel's
 * events would have the boot clock, which a recording does not have, so they get a clock
 * of their own, which the first packet maps to the trace's.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/base/outfile.h"
#include "lib/base/text.h"
#include "lib/perfetto/pfpacket.h"
#include "lib/perfetto/pftrace.h"

/* Clock ids from here on are private to a sequence; this is the clock of the bundles. */
#define SEQUENCE_CLOCK	64

/**
 * struct wp_pftrace - a trace
 * @f: the output stream
 * @path: the file's name
 * @file: the recording
 * @clock: its clock, in Perfetto's numbers
 * @layout: the meaning of prev_state
 * @bytes: written so far
 * @begun: the first packets have been written
 * @err: first write error
 */
struct wp_pftrace {
	struct wp_outfile out;
	FILE *f;
	const struct wp_perffile *file;
	__u32 clock;
	enum wp_pf_layout layout;
	__u64 bytes;
	bool begun;
	int err;
};

/* A protobuf-c buffer that writes to a file. */
struct sink {
	ProtobufCBuffer base;
	FILE *f;
};

static void append(ProtobufCBuffer *buffer, size_t len, const uint8_t *data)
{
	fwrite(data, 1, len, ((struct sink *)buffer)->f);
}

static bool number(const char *s, const char *end, unsigned int *n)
{
	for (*n = 0; s < end && *s >= '0' && *s <= '9' && *n < 10000; s++)
		*n = *n * 10 + *s - '0';
	return s == end;
}

/**
 * wp_pf_layout_of() - layout of a kernel's prev_state
 * @release: the kernel's release, NULL if unknown
 *
 * Parses the release as Perfetto does, which expects two numbers, each followed by a dot,
 * and otherwise assumes an old kernel.
 *
 * Return: the layout.
 */
enum wp_pf_layout wp_pf_layout_of(const char *release)
{
	const char *dot = release ? strchr(release, '.') : NULL;
	const char *end = dot ? strchrnul(dot + 1, '.') : NULL;
	unsigned int major, minor;

	if (!dot || dot == release || end == dot + 1 || !number(release, dot, &major) ||
	    !number(dot + 1, end, &minor))
		return WP_PF_BEFORE_4_8;
	if (major > 4 || (major == 4 && minor >= 14))
		return WP_PF_SINCE_4_14;
	return major == 4 && minor >= 8 ? WP_PF_BEFORE_4_14 : WP_PF_BEFORE_4_8;
}

/**
 * wp_pf_state() - prev_state for a letter
 * @layout: meaning of the bits
 * @state: the letter
 * @preempted: "R+"
 *
 * Return: the bits; bits without a meaning if this layout does not have the letter.
 */
__u32 wp_pf_state(enum wp_pf_layout layout, char state, bool preempted)
{
	static const __u32 most[] = { 0x800, 0x1000, 0x100 };
	static const struct {
		char letter;
		__u32 old;
		__u32 recent;
	} states[] = {
		{ 'R', 0, 0 }, { 'S', 1, 1 }, { 'D', 2, 2 }, { 'T', 4, 4 }, { 't', 8, 8 },
		{ 'X', 0x10, 0x10 }, { 'Z', 0x20, 0x20 }, { 'P', 0x200, 0x40 },
		{ 'I', 0x402, 0x80 }, { 'x', 0x40, 0x8000 }, { 'K', 0x80, 0x8000 },
		{ 'W', 0x100, 0x8000 }, { 'N', 0x400, 0x8000 },
	};
	size_t i;

	if (preempted)
		return most[layout];
	for (i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		if (states[i].letter == state)
			return layout == WP_PF_SINCE_4_14 ? states[i].recent : states[i].old;
	}
	return 0x8000;
}

static __u32 clock_of(int clockid)
{
	switch (clockid) {
	case CLOCK_REALTIME:
		return PF__BUILTIN_CLOCK__BUILTIN_CLOCK_REALTIME;
	case CLOCK_MONOTONIC:
		return PF__BUILTIN_CLOCK__BUILTIN_CLOCK_MONOTONIC;
	case CLOCK_MONOTONIC_RAW:
		return PF__BUILTIN_CLOCK__BUILTIN_CLOCK_MONOTONIC_RAW;
	case CLOCK_BOOTTIME:
		return PF__BUILTIN_CLOCK__BUILTIN_CLOCK_BOOTTIME;
	}
	return PF__BUILTIN_CLOCK__BUILTIN_CLOCK_PERF;
}

/* Open @path for writing; refuse if it is the recording. */
static int create(struct wp_pftrace *t, const char *path)
{
	int err = wp_outfile_open(&t->out, path, WP_OUTFILE_STDOUT | WP_OUTFILE_SUDO);
	struct stat in;

	if (err)
		return err;
	if (!fstat(t->file->fd, &in) && wp_outfile_same(&t->out, &in)) {
		wp_err("%s is the recording itself; use another file with -o", path);
		err = -EINVAL;
	} else {
		t->f = wp_outfile_stream(&t->out);
		err = t->f ? 0 : -ENOMEM;
	}
	if (err)
		wp_outfile_abandon(&t->out);
	return err;
}

/**
 * wp_pftrace_open() - open a trace
 * @out: set to the trace, to be closed or abandoned
 * @path: its file, not @file; it appears when complete. "-" is standard output
 * @file: the recording
 * @clockid: the recording's clock, or WP_PF_NO_CLOCKID
 *
 * @path and @file must stay valid until the end.
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_pftrace_open(struct wp_pftrace **out, const char *path, const struct wp_perffile *file,
		    int clockid)
{
	struct wp_pftrace *t = calloc(1, sizeof(*t));
	char *release;
	int err;

	if (!t)
		return wp_no_memory("the trace");
	t->file = file;
	t->clock = clock_of(clockid);
	err = create(t, path);
	if (err) {
		free(t);
		return err;
	}
	release = wp_perffile_string(file, WP_FEAT_OSRELEASE);
	if (release)
		wp_text_clean(release, false);
	t->layout = wp_pf_layout_of(release);
	free(release);
	*out = t;
	return 0;
}

/**
 * wp_pftrace_packet() - write a packet
 * @t: the trace
 * @packet: the packet; its sequence and time are set here
 * @sequence: the packet's sequence
 * @time: its time
 *
 * Return: 0 or a negative errno; a message was printed for the first failure.
 */
int wp_pftrace_packet(struct wp_pftrace *t, Pf__TracePacket *packet, __u32 sequence, __u64 time)
{
	struct sink sink = { .base = { .append = append }, .f = t->f };
	Pf__Trace trace = PF__TRACE__INIT;

	if (t->err)
		return t->err;
	packet->has_timestamp = true;
	packet->timestamp = time;
	packet->has_timestamp_clock_id = true;
	packet->timestamp_clock_id = t->clock;
	packet->optional_trusted_packet_sequence_id_case =
		PF__TRACE_PACKET__OPTIONAL_TRUSTED_PACKET_SEQUENCE_ID_TRUSTED_PACKET_SEQUENCE_ID;
	packet->trusted_packet_sequence_id = sequence;
	trace.n_packet = 1;
	trace.packet = &packet;
	t->bytes += pf__trace__pack_to_buffer(&trace, &sink.base);
	if (ferror(t->f)) {
		t->err = errno ? -errno : -EIO;
		wp_err("cannot write %s: %s", t->out.path, strerror(-t->err));
	}
	return t->err;
}

static int write_clocks(struct wp_pftrace *t, __u64 time)
{
	Pf__ClockSnapshot__Clock clock[3], *clocks[] = { &clock[0], &clock[1], &clock[2] };
	Pf__ClockSnapshot snapshot = PF__CLOCK_SNAPSHOT__INIT;
	Pf__TracePacket packet = PF__TRACE_PACKET__INIT;
	__u32 ids[] = { t->clock, SEQUENCE_CLOCK, PF__BUILTIN_CLOCK__BUILTIN_CLOCK_REALTIME };
	__u64 wall = 0;
	size_t i;

	snapshot.n_clocks = t->clock != ids[2] && wp_perffile_time(t->file, time, &wall) ? 3 : 2;
	for (i = 0; i < snapshot.n_clocks; i++) {
		pf__clock_snapshot__clock__init(&clock[i]);
		clock[i].has_clock_id = true;
		clock[i].clock_id = ids[i];
		clock[i].has_timestamp = true;
		clock[i].timestamp = i < 2 ? time : wall;
	}
	snapshot.clocks = clocks;
	snapshot.has_primary_trace_clock = true;
	snapshot.primary_trace_clock = t->clock;
	packet.data_case = PF__TRACE_PACKET__DATA_CLOCK_SNAPSHOT;
	packet.clock_snapshot = &snapshot;
	return wp_pftrace_packet(t, &packet, WP_PF_SEQUENCE, time);
}

/* A string of the recording, cleaned so that a protobuf can hold it. */
static char *string_of(const struct wp_pftrace *t, enum wp_feature nr)
{
	char *s = wp_perffile_string(t->file, nr);

	if (s)
		wp_text_clean(s, false);
	return s;
}

static int write_system(struct wp_pftrace *t, __u64 time)
{
	Pf__SystemInfo system = PF__SYSTEM_INFO__INIT;
	Pf__TracePacket packet = PF__TRACE_PACKET__INIT;
	Pf__Utsname name = PF__UTSNAME__INIT;
	int err;

	name.sysname = "Linux";
	name.release = string_of(t, WP_FEAT_OSRELEASE);
	name.machine = string_of(t, WP_FEAT_ARCH);
	system.utsname = &name;
	packet.data_case = PF__TRACE_PACKET__DATA_SYSTEM_INFO;
	packet.system_info = &system;
	err = wp_pftrace_packet(t, &packet, WP_PF_SEQUENCE, time);
	free(name.release);
	free(name.machine);
	return err;
}

/**
 * wp_pftrace_begin() - write the first packets, unless that is done
 * @t: the trace
 * @time: time of the first event or sample
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_pftrace_begin(struct wp_pftrace *t, __u64 time)
{
	int err;

	if (t->begun)
		return t->err;
	t->begun = true;
	err = write_clocks(t, time);
	return err ? err : write_system(t, time);
}

/**
 * wp_pftrace_begun() - whether the first packets have been written
 * @t: the trace
 *
 * Return: true if they have.
 */
bool wp_pftrace_begun(const struct wp_pftrace *t)
{
	return t->begun;
}

/**
 * wp_pftrace_layout() - layout of prev_state in this trace
 * @t: the trace
 *
 * Return: the layout.
 */
enum wp_pf_layout wp_pftrace_layout(const struct wp_pftrace *t)
{
	return t->layout;
}

/**
 * wp_pftrace_close() - complete a trace
 * @t: the trace; it is freed
 * @bytes: set to the number of bytes written
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_pftrace_close(struct wp_pftrace *t, __u64 *bytes)
{
	int err = wp_outfile_end(&t->out, t->err);

	*bytes = t->bytes;
	free(t);
	return err;
}

/**
 * wp_pftrace_abandon() - discard an incomplete trace, and remove its file
 * @t: the trace, or NULL; it is freed
 */
void wp_pftrace_abandon(struct wp_pftrace *t)
{
	if (!t)
		return;
	wp_outfile_abandon(&t->out);
	free(t);
}
