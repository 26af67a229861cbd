/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Profiles of pprof for engines that take these. See pprofpush.c.
 */
#ifndef WP_LIB_OTLP_PPROFPUSH_H
#define WP_LIB_OTLP_PPROFPUSH_H

#include "lib/base/buf.h"
#include "lib/otlp/otlpprofiles.h"

/* Limits of a profile: half of the samples that Pyroscope takes, three quarters of the bytes. */
#define WP_PPROFPUSH_SAMPLES	8000
#define WP_PPROFPUSH_BYTES	(3UL << 20)

/**
 * enum wp_pprofpush_form - form of a message
 * @WP_PPROFPUSH_PYROSCOPE: PushRequest of Pyroscope's PusherService
 * @WP_PPROFPUSH_PARCA: WriteRawRequest of Parca's ProfileStoreService, as JSON
 */
enum wp_pprofpush_form {
	WP_PPROFPUSH_PYROSCOPE,
	WP_PPROFPUSH_PARCA,
};

int wp_pprofpush_pack(struct wp_otlp *o, enum wp_pprofpush_form form, struct wp_buf *to);

#endif /* WP_LIB_OTLP_PPROFPUSH_H */
