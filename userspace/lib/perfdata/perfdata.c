// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the perf.data file while it is written: its ids and attrs, its records, and the
 * buffer of unwritten data; checkpoint.c writes it. Called by the record command and
 * batch.c, from one thread; wp_perfdata_abort() may be called from a signal handler that
 * interrupted any of the others.
 *
 * The format was found by experiment, so that every perf from 5.10 to 7 reads the file
 * without a warning: file mode, a header of 104 bytes, attrs of 120, ids per event and
 * CPU, the same sample_type on all events, build-ids in the table, and inline only where
 * several files have one path (see mapids.c), neither FINISHED_INIT nor ID_INDEX.
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
#include "lib/base/fullio.h"
#include "lib/base/presentcpus.h"
#include "lib/perfdata/attrsize.h"
#include "lib/perfdata/checkpoint.h"
#include "lib/perfdata/compress.h"
#include "lib/perfdata/features.h"
#include "lib/perfdata/hostfeatures.h"
#include "lib/perfdata/mapids.h"
#include "lib/perfdata/perfdata.h"
#include "lib/perfdata/rawsample.h"
#include "lib/perfdata/tracepoint.h"

#ifndef WP_VERSION
#define WP_VERSION	"0"
#endif

#define DEFAULT_BUFFER		(1 << 20)
#define MAX_CPUS		WP_PRESENTCPUS_MAX

/* perf's own record types, from tools/lib/perf/include/perf/event.h */
#define RECORD_FINISHED_ROUND	68

struct wp_perfdata {
	int err;		/* the first error, which is final */
	bool regular;
	char *path;

	unsigned int nr_events;
	struct wp_feature_event *event;
	char **name;
	unsigned int nr_cpus;
	int *cpu_index;		/* index of the ids, by CPU number; -1: none */
	unsigned int cpu_limit;

	struct wp_checkpoint file;
	char *buf;
	size_t room;
	struct wp_features feat;

	struct wp_compressor *compressor;	/* NULL: records are not compressed */
	int level;
	unsigned int attr_size;
	struct wp_mapids maps;	/* if records can be changed in place */

	__u64 nr_samples, nr_bytes;
	size_t again_at;	/* end of the sample that ends the buffer's contents; or 0 */
	size_t again_len;	/* its length */
};

static const struct wp_checkpoint_tail *tail(const struct wp_perfdata *pd)
{
	return wp_checkpoint_tail(&pd->file);
}

static int fail(struct wp_perfdata *pd, int err)
{
	if (pd->err)
		return pd->err;
	pd->err = err;
	wp_err("cannot write %s: %s; the file is good up to the first %lld bytes of data",
	       pd->path, strerror(-err),
	       (long long)wp_perfdata_kept(pd));
	return err;
}

/**
 * wp_perfdata_flush() - write the buffer
 * @pd: the file
 *
 * Happens automatically when the buffer is full; call it at the end of a round to bound
 * what SIGKILL can lose.
 *
 * Return: 0 or a negative errno.
 */
int wp_perfdata_flush(struct wp_perfdata *pd)
{
	const void *data = pd->buf;
	size_t len = tail(pd)->len;
	int ret = 0;

	if (pd->err)
		return pd->err;
	pd->again_at = 0;
	if (pd->compressor)
		ret = wp_compressor_run(pd->compressor, data, len, &data, &len);
	if (!ret)
		ret = wp_checkpoint_write(&pd->file, data, len);
	return ret ? fail(pd, ret) : 0;
}

/* Reserve @len bytes in the buffer; commit() completes this. */
static void *reserve(struct wp_perfdata *pd, size_t len)
{
	if (pd->err)
		return NULL;
	if (len > pd->room - tail(pd)->len && wp_perfdata_flush(pd))
		return NULL;
	return pd->buf + tail(pd)->len;
}

static void commit(struct wp_perfdata *pd, size_t len)
{
	wp_checkpoint_set_tail(&pd->file, tail(pd)->pos, tail(pd)->len + len);
	pd->nr_bytes += len;
}

static void set_common_attr(const struct wp_perfdata *pd, struct perf_event_attr *a)
{
	a->size = pd->attr_size;
	a->sample_type |= WP_PERFDATA_SAMPLE_TYPE;
	a->read_format = PERF_FORMAT_ID;
	a->disabled = 1;
	a->inherit = 1;
	a->sample_id_all = 1;
	a->use_clockid = 1;
	a->clockid = CLOCK_MONOTONIC;
}

static int open_file(struct wp_perfdata *pd, const char *path)
{
	struct stat st;
	int ret;

	if (!strcmp(path, "-")) {
		wp_err("-o -: writing to a pipe is not supported, give a file name");
		return -ESPIPE;
	}
	if (!*path) {
		wp_err("-o: the file name is empty");
		return -EINVAL;
	}
	ret = wp_outfile_open(&pd->file.out, path, WP_OUTFILE_PARTIAL);
	if (ret)
		return ret;
	if (fstat(pd->file.out.fd, &st) || S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)) {
		wp_err("%s is a pipe: perf.data is written in file mode only", path);
		return -ESPIPE;
	}
	pd->regular = S_ISREG(st.st_mode);
	return 0;
}

/* Header, ids, attrs; this fixes the offset of the data. */
static int write_start(struct wp_perfdata *pd)
{
	size_t ids = pd->nr_cpus * sizeof(__u64);
	size_t entry = pd->attr_size + sizeof(struct wp_file_section);
	struct wp_buf b = { 0 };
	unsigned int i;
	int ret;

	pd->file.header = (struct wp_file_header){
		.magic = WP_PERF_MAGIC,
		.size = sizeof(pd->file.header),
		.attr_size = entry,
		.attrs.offset = sizeof(pd->file.header) + pd->nr_events * ids,
		.attrs.size = pd->nr_events * entry,
	};
	pd->file.header.data.offset = pd->file.header.attrs.offset + pd->file.header.attrs.size;

	wp_buf_add(&b, &pd->file.header, sizeof(pd->file.header));
	for (i = 0; i < pd->nr_events; i++)
		wp_buf_add(&b, pd->event[i].ids, ids);
	for (i = 0; i < pd->nr_events; i++) {
		wp_buf_add(&b, &pd->event[i].attr, pd->attr_size);
		wp_buf_u64(&b, sizeof(pd->file.header) + i * ids);
		wp_buf_u64(&b, ids);
	}
	ret = b.failed ? -ENOMEM : wp_pwrite_all(pd->file.out.fd, b.data, b.len, 0);
	wp_buf_free(&b);
	wp_checkpoint_set_tail(&pd->file, pd->file.header.data.offset, 0);
	pd->nr_bytes = pd->file.header.data.offset;
	return ret;
}

static int make_ids(struct wp_perfdata *pd, const int *cpus, unsigned int nr)
{
	unsigned int i, e;

	for (i = 0; i < nr; i++) {
		if (cpus[i] < 0 || cpus[i] >= MAX_CPUS)
			return -EINVAL;
		if ((unsigned int)cpus[i] >= pd->cpu_limit)
			pd->cpu_limit = cpus[i] + 1;
	}
	pd->nr_cpus = nr;
	pd->cpu_index = malloc(pd->cpu_limit * sizeof(*pd->cpu_index));
	if (!pd->cpu_index)
		return -ENOMEM;
	memset(pd->cpu_index, 0xff, pd->cpu_limit * sizeof(*pd->cpu_index));
	for (i = 0; i < nr; i++)
		pd->cpu_index[cpus[i]] = i;
	for (e = 0; e < pd->nr_events; e++) {
		__u64 *ids = malloc(nr * sizeof(*ids));

		if (!ids)
			return -ENOMEM;
		/* Never 0, which means "no id" in synthesized records. */
		for (i = 0; i < nr; i++)
			ids[i] = 1 + (__u64)e * nr + i;
		pd->event[e].ids = ids;
		pd->event[e].nr_ids = nr;
	}
	return 0;
}

static void destroy(struct wp_perfdata *pd)
{
	unsigned int i;

	wp_outfile_abandon(&pd->file.out);
	for (i = 0; i < pd->nr_events; i++) {
		free((void *)pd->event[i].ids);
		free(pd->name[i]);
	}
	free(pd->event);
	free(pd->name);
	wp_features_free(&pd->feat);
	wp_compressor_free(pd->compressor);
	wp_mapids_free(&pd->maps);
	free(pd->cpu_index);
	free(pd->file.blob);
	free(pd->file.blob_dir);
	free(pd->buf);
	free(pd->path);
	free(pd);
}

/* The formats of all raw payloads. Ours is shared by all events that have it. */
static int describe_raw(struct wp_perfdata *pd, const struct wp_perfdata_options *opt)
{
	struct wp_feature_format *formats = calloc(opt->nr_events, sizeof(*formats));
	struct wp_buf own = { 0 };
	unsigned int i, nr = 0;
	int failed;

	if (!formats)
		return -ENOMEM;
	for (i = 0; i < opt->nr_events; i++) {
		const struct wp_perfdata_event *ev = &opt->events[i];
		const struct wp_tracepoint *tp = ev->tracepoint;

		if (tp) {
			formats[nr++] = (struct wp_feature_format){
				tp->system, tp->text, tp->len };
		} else if (ev->attr.type == PERF_TYPE_TRACEPOINT && !own.len) {
			wp_raw_format(&own, ev->raw_shows);
			formats[nr++] = (struct wp_feature_format){
				WP_RAW_SYSTEM, own.data, own.len };
		}
	}
	wp_features_tracing(&pd->feat, formats, nr);
	failed = own.failed;
	wp_buf_free(&own);
	free(formats);
	return failed ? -ENOMEM : 0;
}

/**
 * wp_perfdata_open() - create a file and write its start
 * @out: the file, to be closed with wp_perfdata_close()
 * @opt: options
 *
 * The file gets its name when it is readable; an existing file with that name is renamed
 * to NAME.old unless it is empty. The new file is readable by its owner only, as it has
 * the processes of all users.
 *
 * Return: 0 or a negative errno.
 */
int wp_perfdata_open(struct wp_perfdata **out, const struct wp_perfdata_options *opt)
{
	const char *path = opt->path ? opt->path : "perf.data";
	int ret, *all = NULL;
	const int *cpus = opt->cpus;
	unsigned int i, nr_cpus = opt->nr_cpus;
	struct wp_perfdata *pd;

	*out = NULL;
	if (!opt->nr_events || opt->nr_events > WP_PERFDATA_MAX_EVENTS) {
		wp_err("a perf.data file has 1 to %d events, not %u", WP_PERFDATA_MAX_EVENTS,
		       opt->nr_events);
		return -EINVAL;
	}
	pd = calloc(1, sizeof(*pd));
	if (!pd)
		goto nomem;
	pd->file.first_time = ~0ULL;
	pd->attr_size = opt->attr_size ? : wp_attrsize_here();
	pd->path = strdup(path);
	if (!pd->path)
		goto nomem;
	pd->room = opt->buffer_size ? opt->buffer_size : DEFAULT_BUFFER;
	if (pd->room < 2 * WP_SAMPLERECORD_MAX)
		pd->room = 2 * WP_SAMPLERECORD_MAX;
	pd->buf = malloc(pd->room);
	pd->event = calloc(opt->nr_events, sizeof(*pd->event));
	pd->name = calloc(opt->nr_events, sizeof(*pd->name));
	if (!pd->buf || !pd->event || !pd->name)
		goto nomem;
	for (i = 0; i < opt->nr_events; i++) {
		pd->nr_events++;
		pd->name[i] = strdup(opt->events[i].name);
		if (!pd->name[i])
			goto nomem;
		pd->event[i].name = pd->name[i];
		pd->event[i].attr = opt->events[i].attr;
		set_common_attr(pd, &pd->event[i].attr);
	}
	if (!cpus) {
		ret = wp_presentcpus_read(&all, &nr_cpus);
		if (ret) {
			wp_err("cannot read which CPUs are present");
			goto out;
		}
		cpus = all;
	}
	ret = make_ids(pd, cpus, nr_cpus);
	if (ret == -ENOMEM)
		goto nomem;
	if (ret) {
		wp_err("the list of CPUs has a number that is no CPU");
		goto out;
	}
	wp_features_host(&pd->feat);
	wp_features_clock(&pd->feat, CLOCK_MONOTONIC);
	wp_features_version(&pd->feat, opt->version ? opt->version : WP_VERSION);
	wp_features_cmdline(&pd->feat, opt->argc, opt->argv);
	wp_features_events(&pd->feat, pd->event, pd->nr_events, pd->attr_size);
	wp_features_sample_time(&pd->feat, 0, 0);
	if (opt->level) {
		pd->level = opt->level;
		pd->compressor = wp_compressor_new(opt->level);
		if (!pd->compressor)
			goto nomem;
		wp_features_compressed(&pd->feat, pd->level, 1, WP_COMPRESS_CHUNK);
	}
	if (describe_raw(pd, opt) || wp_checkpoint_features(&pd->file, &pd->feat))
		goto nomem;
	ret = open_file(pd, pd->path);
	if (ret)
		goto out;
	ret = write_start(pd);
	if (!ret)
		ret = wp_checkpoint_write(&pd->file, pd->buf, 0);
	if (ret) {
		wp_err("cannot write %s: %s", path, strerror(-ret));
		goto out;
	}
	/* From here on the file is readable at any moment, however the process ends. */
	ret = wp_outfile_publish(&pd->file.out, ".old");
	if (ret)
		goto out;
	free(all);
	*out = pd;
	return 0;
nomem:
	ret = -ENOMEM;
	wp_err("out of memory for writing %s", path);
out:
	free(all);
	if (pd)
		destroy(pd);
	return ret;
}

/**
 * wp_perfdata_id() - the id of an event on a CPU
 * @pd: the file
 * @event: index of the event
 * @cpu: CPU; one without ids gets the event's first id, so that nothing is lost
 *
 * Return: the id in samples and struct wp_sample_id.
 */
__u64 wp_perfdata_id(const struct wp_perfdata *pd, unsigned int event, int cpu)
{
	int i = -1;

	if (event >= pd->nr_events)
		return 0;
	if (cpu >= 0 && (unsigned int)cpu < pd->cpu_limit)
		i = pd->cpu_index[cpu];
	return pd->event[event].ids[i < 0 ? 0 : i];
}

/**
 * wp_perfdata_encode_sample() - encode a sample as a record
 * @pd: the file, for the id
 * @s: the sample
 * @buf: output, 8-byte aligned
 * @size: size of @buf; 64 KiB is enough
 *
 * If a record is too small for all frames, the outermost ones are left out.
 *
 * Return: bytes written to @buf, 0 if @size is too small.
 */
size_t wp_perfdata_encode_sample(const struct wp_perfdata *pd,
				 const struct wp_perfdata_sample *s, void *buf, size_t size)
{
	bool has_raw = pd->event[s->event].attr.sample_type & PERF_SAMPLE_RAW;

	return wp_samplerecord_encode(s, wp_perfdata_id(pd, s->event, s->cpu), has_raw, buf,
				      size);
}

static void note_sample(struct wp_perfdata *pd, __u64 time)
{
	if (time < pd->file.first_time)
		pd->file.first_time = time;
	if (time > pd->file.last_time)
		pd->file.last_time = time;
	pd->nr_samples++;
}

/**
 * wp_perfdata_write_sample() - append a sample
 * @pd: the file
 * @s: the sample
 *
 * Return: 0 or a negative errno.
 */
int wp_perfdata_write_sample(struct wp_perfdata *pd, const struct wp_perfdata_sample *s)
{
	void *p = reserve(pd, WP_SAMPLERECORD_MAX);
	size_t len;

	if (!p)
		return pd->err;
	if (s->event >= pd->nr_events)
		return -EINVAL;
	len = wp_perfdata_encode_sample(pd, s, p, WP_SAMPLERECORD_MAX);
	note_sample(pd, s->time);
	commit(pd, len);
	pd->again_at = tail(pd)->len;
	pd->again_len = len;
	return 0;
}

/**
 * wp_perfdata_write_again() - append the last sample for another event
 * @pd: the file
 * @s: the sample that was written last, but for its event and its period
 *
 * The same as wp_perfdata_write_sample(), for less.
 *
 * Return: 0 or a negative errno.
 */
int wp_perfdata_write_again(struct wp_perfdata *pd, const struct wp_perfdata_sample *s)
{
	size_t len = pd->again_len, at = tail(pd)->len;

	if (!at || at != pd->again_at || len > pd->room - at || s->event >= pd->nr_events)
		return wp_perfdata_write_sample(pd, s);
	wp_samplerecord_again(pd->buf + at, pd->buf + at - len, len,
			      wp_perfdata_id(pd, s->event, s->cpu), s->period);
	note_sample(pd, s->time);
	commit(pd, len);
	pd->again_at = at + len;
	return 0;
}

/**
 * wp_perfdata_write_record() - append a record unchanged
 * @pd: the file
 * @rec: the record, with its struct wp_sample_id unless it is a sample
 *
 * Return: 0, -EINVAL if the size is invalid, or another negative errno.
 */
int wp_perfdata_write_record(struct wp_perfdata *pd, const struct perf_event_header *rec)
{
	void *p;

	if (rec->size < sizeof(*rec) || rec->size % sizeof(__u64)) {
		wp_err("a record of type %u has a size of %u bytes", rec->type, rec->size);
		return -EINVAL;
	}
	p = reserve(pd, rec->size);
	if (!p)
		return pd->err;
	memcpy(p, rec, rec->size);
	if (rec->type == PERF_RECORD_MMAP2 && pd->regular && !pd->compressor)
		wp_mapids_note(&pd->maps, rec, tail(pd)->pos + tail(pd)->len);
	if (rec->type == PERF_RECORD_SAMPLE && rec->size >= 40)
		note_sample(pd, ((const __u64 *)rec)[4]);
	commit(pd, rec->size);
	return 0;
}

/**
 * wp_perfdata_write_lost() - append a record of a loss
 * @pd: the file
 * @event: index of the event that lost samples
 * @cpu: CPU
 * @time: time of the loss
 * @lost: number of losses; readers add these up and warn
 *
 * Return: 0 or a negative errno.
 */
int wp_perfdata_write_lost(struct wp_perfdata *pd, unsigned int event, __u32 cpu,
			   __u64 time, __u64 lost)
{
	__u64 id = wp_perfdata_id(pd, event, cpu);
	struct {
		struct perf_event_header header;
		__u64 id;
		__u64 lost;
		struct wp_sample_id sid;
	} rec = {
		.header.type = PERF_RECORD_LOST,
		.header.size = sizeof(rec),
		.id = id,
		.lost = lost,
		.sid.time = time,
		.sid.cpu = cpu,
		.sid.id = id,
	};

	return wp_perfdata_write_record(pd, &rec.header);
}

/**
 * wp_perfdata_finished_round() - allow readers to sort and free the records so far
 * @pd: the file
 *
 * Promises that all later records have later times than the latest one of the *last but
 * one* round. It is optional.
 *
 * Return: 0 or a negative errno.
 */
int wp_perfdata_finished_round(struct wp_perfdata *pd)
{
	const struct perf_event_header rec = {
		.type = RECORD_FINISHED_ROUND,
		.size = sizeof(rec),
	};

	return wp_perfdata_write_record(pd, &rec);
}

/* The file stays readable at each step: a record is changed with a single write. */
static int write_mapids(struct wp_perfdata *pd, const struct wp_buildids *ids)
{
	int ret = wp_mapids_write(&pd->maps, pd->file.out.fd, ids);

	return ret ? fail(pd, ret) : 0;
}

/**
 * wp_perfdata_close() - complete the file and free everything
 * @pd: the file, or NULL
 * @ids: the build-ids to list, resolved by this call; NULL for none
 *
 * Return: 0, or the first write error.
 */
int wp_perfdata_close(struct wp_perfdata *pd, struct wp_buildids *ids)
{
	int ret;

	if (!pd)
		return 0;
	ret = wp_perfdata_flush(pd);
	if (ids) {
		wp_buildids_resolve(ids);
		wp_features_buildids(&pd->feat, ids);
	}
	if (ids && !ret)
		ret = write_mapids(pd, ids);
	if (pd->compressor)
		wp_features_compressed(&pd->feat, pd->level,
				       wp_compressor_ratio(pd->compressor),
				       WP_COMPRESS_CHUNK);
	/* No sample: the times stay 0, as in perf. */
	if (!pd->nr_samples)
		pd->file.first_time = 0;
	if (wp_checkpoint_features(&pd->file, &pd->feat)) {
		if (!ret)
			wp_err("out of memory for the header of %s", pd->path);
		ret = ret ? ret : -ENOMEM;
	}
	if (!ret)
		ret = wp_perfdata_flush(pd);
	if (!ret && pd->regular && ftruncate(pd->file.out.fd, tail(pd)->pos + pd->file.blob_len))
		ret = fail(pd, -errno);
	/* Network file systems report a full disk only now. */
	if (wp_outfile_commit(&pd->file.out) && !ret)
		ret = -EIO;
	destroy(pd);
	return ret;
}

/**
 * wp_perfdata_kept() - amount of data that is safely in the file
 * @pd: the file
 *
 * Return: bytes of data.
 */
__u64 wp_perfdata_kept(const struct wp_perfdata *pd)
{
	return tail(pd)->pos - (off_t)pd->file.header.data.offset;
}

/**
 * wp_perfdata_dup() - duplicate the descriptor, for use after wp_perfdata_close()
 * @pd: the file
 *
 * Return: the descriptor, to be closed, or -1.
 */
int wp_perfdata_dup(const struct wp_perfdata *pd)
{
	return fcntl(pd->file.out.fd, F_DUPFD_CLOEXEC, 0);
}

/**
 * wp_perfdata_dup_close() - close the duplicate
 * @fd: from wp_perfdata_dup()
 *
 * Return: size of the file in bytes; 0 if unknown.
 */
__u64 wp_perfdata_dup_close(int fd)
{
	struct stat st;

	if (fd < 0)
		return 0;
	if (fstat(fd, &st))
		st.st_size = 0;
	close(fd);
	return st.st_size;
}

/**
 * wp_perfdata_is_regular() - whether it is a regular file
 * @pd: the file
 *
 * Return: false if it is a device.
 */
bool wp_perfdata_is_regular(const struct wp_perfdata *pd)
{
	return pd->regular;
}

/**
 * wp_perfdata_discard() - remove the file, and free everything
 * @pd: the file, or NULL
 */
void wp_perfdata_discard(struct wp_perfdata *pd)
{
	if (!pd)
		return;
	wp_outfile_remove(&pd->file.out);
	destroy(pd);
}

/**
 * wp_perfdata_abort() - complete the file quickly, without freeing anything
 * @pd: the file, or NULL
 *
 * For the second Ctrl-C. Writes the buffer, the header, and all features but the
 * build-ids (readers then use those of the files). May be called from a signal handler at
 * any time between open and close; the process must end with _exit() then, and no other
 * function of @pd may be called.
 */
void wp_perfdata_abort(struct wp_perfdata *pd)
{
	if (pd && pd->file.out.is_open)
		wp_checkpoint_write(&pd->file, pd->buf, tail(pd)->len);
}

/**
 * wp_perfdata_samples() - number of samples written
 * @pd: the file
 *
 * Return: their number.
 */
__u64 wp_perfdata_samples(const struct wp_perfdata *pd)
{
	return pd->nr_samples;
}
