/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_PROBES_H
#define WALLPROF_PROBES_H

struct tracepoint;
struct wp_session;

/**
 * struct wp_probe - what is called at a tracepoint
 * @name: the tracepoint's
 * @probe: the function; its data is the session
 * @tracepoint: the tracepoint; written once, at load
 */
struct wp_probe {
	const char *name;
	void *probe;
	struct tracepoint *tracepoint;
};

int wp_probes_find(void);
int wp_probes_attach(struct wp_session *session);
bool wp_probes_detach(struct wp_session *session);

#endif /* WALLPROF_PROBES_H */
