/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How user stacks are walked: the argument of --call-graph, and of an event's term of that
 * name. See callgraph.c.
 */
#ifndef WP_LIB_PERFDATA_CALLGRAPH_H
#define WP_LIB_PERFDATA_CALLGRAPH_H

/**
 * enum wp_call_graph - method of user stack walks
 * @WP_CALL_GRAPH_AUTO: unwind tables; frame pointers where there are none
 * @WP_CALL_GRAPH_CFI: unwind tables
 * @WP_CALL_GRAPH_FP: frame pointers
 * @WP_CALL_GRAPH_NONE: none: only the innermost address
 */
enum wp_call_graph {
	WP_CALL_GRAPH_AUTO,
	WP_CALL_GRAPH_CFI,
	WP_CALL_GRAPH_FP,
	WP_CALL_GRAPH_NONE,
};

int wp_call_graph_parse(enum wp_call_graph *call_graph, const char *option, const char *arg);

#endif /* WP_LIB_PERFDATA_CALLGRAPH_H */
