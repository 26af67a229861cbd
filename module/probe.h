/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_PROBE_H
#define WALLPROF_PROBE_H

struct tracepoint;

/**
 * struct wp_probe_desc - a probe of a tracepoint
 * @name: the tracepoint's
 * @probe: the function; its data pointer is the session
 * @tracepoint: the tracepoint; written once, at load
 */
struct wp_probe_desc {
	const char *name;
	void *probe;
	struct tracepoint *tracepoint;
};

#endif /* WALLPROF_PROBE_H */
