/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The life of a session: one function for each ioctl of its descriptor. Only session.c
 * includes all the other parts.
 */
#ifndef WALLPROF_SESSION_H
#define WALLPROF_SESSION_H

struct address_space;
struct vm_area_struct;
struct wallprof_configure;
struct wallprof_flip;
struct wallprof_maps;
struct wallprof_push;
struct wallprof_start;
struct wallprof_status;
struct wallprof_stop;
struct wp_session;

struct wp_session *wp_session_new(struct address_space *mapping);
void wp_session_free(struct wp_session *session);
int wp_session_configure(struct wp_session *session,
			 struct wallprof_configure *config);
int wp_session_event(struct wp_session *session, struct wallprof_event *event);
int wp_session_start(struct wp_session *session, struct wallprof_start *start);
int wp_session_flip(struct wp_session *session, struct wallprof_flip *flip);
int wp_session_push(struct wp_session *session, struct wallprof_push *push);
int wp_session_maps(struct wp_session *session, struct wallprof_maps *maps);
int wp_session_stop(struct wp_session *session, struct wallprof_stop *stop);
int wp_session_status(struct wp_session *session, struct wallprof_status *status);
int wp_session_mmap(struct wp_session *session, struct vm_area_struct *vma);

#endif /* WALLPROF_SESSION_H */
