// SPDX-License-Identifier: GPL-2.0
/*
 * Describes an event of a recording as the time base of samples in a Perfetto trace.
 * Called by pfsamples.c. Pure.
 */
#include <linux/perf_event.h>

#include "lib/perfetto/pftimebase.h"

/* Convert the kernel's numbers of counters to Perfetto's. */
static Pf__PerfEvents__Counter counter_of(const struct perf_event_attr *attr)
{
	static const Pf__PerfEvents__Counter hardware[] = {
		[PERF_COUNT_HW_CPU_CYCLES] = PF__PERF_EVENTS__COUNTER__HW_CPU_CYCLES,
		[PERF_COUNT_HW_INSTRUCTIONS] = PF__PERF_EVENTS__COUNTER__HW_INSTRUCTIONS,
		[PERF_COUNT_HW_CACHE_REFERENCES] = PF__PERF_EVENTS__COUNTER__HW_CACHE_REFERENCES,
		[PERF_COUNT_HW_CACHE_MISSES] = PF__PERF_EVENTS__COUNTER__HW_CACHE_MISSES,
		[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] =
			PF__PERF_EVENTS__COUNTER__HW_BRANCH_INSTRUCTIONS,
		[PERF_COUNT_HW_BRANCH_MISSES] = PF__PERF_EVENTS__COUNTER__HW_BRANCH_MISSES,
		[PERF_COUNT_HW_BUS_CYCLES] = PF__PERF_EVENTS__COUNTER__HW_BUS_CYCLES,
		[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] =
			PF__PERF_EVENTS__COUNTER__HW_STALLED_CYCLES_FRONTEND,
		[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] =
			PF__PERF_EVENTS__COUNTER__HW_STALLED_CYCLES_BACKEND,
		[PERF_COUNT_HW_REF_CPU_CYCLES] = PF__PERF_EVENTS__COUNTER__HW_REF_CPU_CYCLES,
	};
	static const Pf__PerfEvents__Counter software[] = {
		[PERF_COUNT_SW_CPU_CLOCK] = PF__PERF_EVENTS__COUNTER__SW_CPU_CLOCK,
		[PERF_COUNT_SW_TASK_CLOCK] = PF__PERF_EVENTS__COUNTER__SW_TASK_CLOCK,
		[PERF_COUNT_SW_PAGE_FAULTS] = PF__PERF_EVENTS__COUNTER__SW_PAGE_FAULTS,
		[PERF_COUNT_SW_CONTEXT_SWITCHES] = PF__PERF_EVENTS__COUNTER__SW_CONTEXT_SWITCHES,
		[PERF_COUNT_SW_CPU_MIGRATIONS] = PF__PERF_EVENTS__COUNTER__SW_CPU_MIGRATIONS,
		[PERF_COUNT_SW_PAGE_FAULTS_MIN] = PF__PERF_EVENTS__COUNTER__SW_PAGE_FAULTS_MIN,
		[PERF_COUNT_SW_PAGE_FAULTS_MAJ] = PF__PERF_EVENTS__COUNTER__SW_PAGE_FAULTS_MAJ,
		[PERF_COUNT_SW_ALIGNMENT_FAULTS] = PF__PERF_EVENTS__COUNTER__SW_ALIGNMENT_FAULTS,
		[PERF_COUNT_SW_EMULATION_FAULTS] = PF__PERF_EVENTS__COUNTER__SW_EMULATION_FAULTS,
		[PERF_COUNT_SW_DUMMY] = PF__PERF_EVENTS__COUNTER__SW_DUMMY,
	};

	if (attr->type == PERF_TYPE_HARDWARE &&
	    attr->config < sizeof(hardware) / sizeof(*hardware))
		return hardware[attr->config];
	if (attr->type == PERF_TYPE_SOFTWARE &&
	    attr->config < sizeof(software) / sizeof(*software))
		return software[attr->config];
	return PF__PERF_EVENTS__COUNTER__UNKNOWN_COUNTER;
}

/**
 * wp_pftimebase_init() - describe an event
 * @t: filled in
 * @event: the event
 * @name: its name, which must stay valid as long as @t
 *
 * The name is the recording's; Perfetto derives the unit from the event.
 */
void wp_pftimebase_init(struct wp_pftimebase *t, const struct wp_perfevent *event, char *name)
{
	Pf__PerfEvents__Tracepoint *tracepoint = &t->tracepoint;
	Pf__PerfEvents__Timebase *to = &t->base;
	Pf__PerfEvents__RawEvent *raw = &t->raw;

	pf__perf_events__timebase__init(to);
	pf__perf_events__tracepoint__init(tracepoint);
	pf__perf_events__raw_event__init(raw);
	to->name = name;
	if (event->attr.freq) {
		to->interval_case = PF__PERF_EVENTS__TIMEBASE__INTERVAL_FREQUENCY;
		to->frequency = event->attr.sample_freq;
	} else {
		to->interval_case = PF__PERF_EVENTS__TIMEBASE__INTERVAL_PERIOD;
		to->period = event->attr.sample_period;
	}
	to->counter = counter_of(&event->attr);
	to->event_case = PF__PERF_EVENTS__TIMEBASE__EVENT_COUNTER;
	if (to->counter != PF__PERF_EVENTS__COUNTER__UNKNOWN_COUNTER)
		return;
	if (event->attr.type == PERF_TYPE_TRACEPOINT) {
		tracepoint->name = to->name;
		to->event_case = PF__PERF_EVENTS__TIMEBASE__EVENT_TRACEPOINT;
		to->tracepoint = tracepoint;
		return;
	}
	raw->has_type = true;
	raw->type = event->attr.type;
	raw->has_config = true;
	raw->config = event->attr.config;
	raw->has_config1 = !!event->attr.config1;
	raw->config1 = event->attr.config1;
	raw->has_config2 = !!event->attr.config2;
	raw->config2 = event->attr.config2;
	to->event_case = PF__PERF_EVENTS__TIMEBASE__EVENT_RAW_EVENT;
	to->raw_event = raw;
}
