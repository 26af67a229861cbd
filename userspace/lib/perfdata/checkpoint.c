// SPDX-License-Identifier: GPL-2.0
/*
 * Writes a perf.data file so that it can be read at any moment: owns its header, and the
 * feature table after the data. Called by perfdata.c, from one thread, or from a signal
 * handler that interrupted it.
 *
 * A write of the buffer leaves a complete file: the features follow the data, and are
 * overwritten by the next data. As that tears them, the header's feature bits are cleared
 * before and set after. So if the writer is killed, the file reads as if it had ended
 * there.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/fullio.h"
#include "lib/perfdata/checkpoint.h"

/* Write only the changing parts: data size and feature bits. Async-signal-safe. */
static int write_header_tail(struct wp_checkpoint *c, __u64 data_size, __u64 features)
{
	struct wp_file_header h = c->header;
	size_t from = offsetof(struct wp_file_header, data);

	h.data.size = data_size;
	h.features[0] = features;
	return wp_pwrite_all(c->out.fd, (char *)&h + from, sizeof(h) - from, from);
}

/* Write the features after the data, which end at @pos. Async-signal-safe. */
static int write_features(struct wp_checkpoint *c, off_t pos)
{
	struct wp_file_section *in = (struct wp_file_section *)c->blob;
	__u64 time[2] = { c->first_time, c->last_time };
	size_t dir = c->nr_feat * sizeof(*in);
	unsigned int i;
	int ret;

	if (!c->nr_feat)
		return 0;
	if (c->sample_time_at)
		memcpy(c->blob + c->sample_time_at, time, sizeof(time));
	for (i = 0; i < c->nr_feat; i++) {
		c->blob_dir[i].offset = in[i].offset + pos;
		c->blob_dir[i].size = in[i].size;
	}
	ret = wp_pwrite_all(c->out.fd, c->blob_dir, dir, pos);
	if (!ret)
		ret = wp_pwrite_all(c->out.fd, c->blob + dir, c->blob_len - dir, pos + dir);
	return ret;
}

/**
 * wp_checkpoint_write() - write data to the file, which is complete after that
 * @c: the file
 * @data: the buffer, or what is written in its place
 * @len: length of @data
 *
 * Async-signal-safe.
 *
 * Return: 0 or a negative errno.
 */
int wp_checkpoint_write(struct wp_checkpoint *c, const void *data, size_t len)
{
	__u64 start = c->header.data.offset;
	struct wp_checkpoint_tail t = *wp_checkpoint_tail(c);
	int ret;

	ret = write_header_tail(c, t.pos - start, 0);
	if (!ret)
		ret = wp_pwrite_all(c->out.fd, data, len, t.pos);
	if (ret) {
		/* The earlier features may still fit. */
		if (!write_features(c, t.pos))
			write_header_tail(c, t.pos - start, c->feature_bits);
		return ret;
	}
	wp_checkpoint_set_tail(c, t.pos + len, 0);
	t = *wp_checkpoint_tail(c);
	ret = write_header_tail(c, t.pos - start, 0);
	if (!ret)
		ret = write_features(c, t.pos);
	if (!ret)
		ret = write_header_tail(c, t.pos - start, c->feature_bits);
	return ret;
}

/**
 * wp_checkpoint_features() - set the features that follow the data
 * @c: the file
 * @feat: the sections, which are laid out one after the other, preceded by their table
 *
 * Return: 0 or -ENOMEM.
 */
int wp_checkpoint_features(struct wp_checkpoint *c, const struct wp_features *feat)
{
	struct wp_buf b = { 0 };
	unsigned int i, n = 0;
	struct wp_file_section *dir, *old_dir;
	size_t sample_time_at = 0;
	__u64 bits = 0;
	char *old;

	for (i = 0; i < WP_FEAT_MAX; i++) {
		if (feat->sec[i].failed)
			return -ENOMEM;
		n += feat->sec[i].len > 0;
	}
	wp_buf_add(&b, NULL, n * sizeof(*dir));
	dir = calloc(n + 1, sizeof(*dir));
	if (!dir)
		goto nomem;
	for (i = 0, n = 0; i < WP_FEAT_MAX; i++) {
		const struct wp_buf *sec = &feat->sec[i];

		if (!sec->len)
			continue;
		dir[n].offset = b.len;
		dir[n++].size = sec->len;
		bits |= 1ULL << i;
		if (i == WP_FEAT_SAMPLE_TIME)
			sample_time_at = b.len;
		wp_buf_add(&b, sec->data, sec->len);
	}
	if (b.failed)
		goto nomem;
	if (n)
		memcpy(b.data, dir, n * sizeof(*dir));
	/* An abort in between writes a file without features. */
	old = c->blob;
	old_dir = c->blob_dir;
	c->feature_bits = 0;
	c->nr_feat = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	c->blob = b.data;
	c->blob_len = b.len;
	c->blob_dir = dir;
	c->sample_time_at = sample_time_at;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	c->nr_feat = n;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	c->feature_bits = bits;
	free(old);
	free(old_dir);
	return 0;
nomem:
	free(dir);
	wp_buf_free(&b);
	return -ENOMEM;
}
