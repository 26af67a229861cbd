/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_COUNTERS_H
#define WALLPROF_COUNTERS_H

struct wallprof_count;
struct wallprof_event;
struct wp_session;

int wp_counters_init(void);
void wp_counters_exit(void);
void wp_counters_prepare(struct wp_session *session);
int wp_counters_follow(struct wp_session *session);
int wp_counters_add(struct wp_session *session, struct wallprof_event *config);
void wp_counters_start(struct wp_session *session);
int wp_counters_count(struct wp_session *session, struct wallprof_count *count);
void wp_counters_end(struct wp_session *session);
void wp_counters_free(struct wp_session *session);

#endif /* WALLPROF_COUNTERS_H */
