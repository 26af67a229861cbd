/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_CPUS_H
#define WALLPROF_CPUS_H

#include <linux/mm_types.h>

struct vm_fault;
struct wp_place;
struct wp_session;

int wp_cpus_init(void);
void wp_cpus_exit(void);
bool wp_cpus_lay_out(struct wp_session *session);
int wp_cpus_allocate(struct wp_session *session);
int wp_cpus_follow(struct wp_session *session);
void wp_cpus_unfollow(struct wp_session *session);
int wp_cpus_node(unsigned int nr);
bool wp_cpus_may_have(struct wp_session *session, unsigned long pages);
void wp_cpus_pay(struct wp_session *session);
void wp_cpus_free(struct wp_session *session);
vm_fault_t wp_cpus_fault(struct wp_session *session, const struct wp_place *place,
			 struct vm_fault *vmf);

#endif /* WALLPROF_CPUS_H */
