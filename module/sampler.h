/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_SAMPLER_H
#define WALLPROF_SAMPLER_H

struct wp_session;

int wp_sampler_init(void);
void wp_sampler_exit(void);
void wp_sampler_prepare(struct wp_session *session);
int wp_sampler_create(struct wp_session *session);
void wp_sampler_start(struct wp_session *session);
void wp_sampler_release(struct wp_session *session);

#endif /* WALLPROF_SAMPLER_H */
