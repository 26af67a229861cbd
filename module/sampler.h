/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WALLPROF_SAMPLER_H
#define WALLPROF_SAMPLER_H

struct perf_event;
struct perf_sample_data;
struct pt_regs;

void wp_sampler_overflow(struct perf_event *perf, struct perf_sample_data *data,
			 struct pt_regs *regs);

#endif /* WALLPROF_SAMPLER_H */
