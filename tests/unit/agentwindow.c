// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the frames in the agent's profiles: of each language its type, and a place that its
 * functions have. The names, and what else the agent knows, are replaced.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <linux/wallprof_interp.h>

#include "cmd/agent/agent.h"
#include "otlp-profiles.pb-c.h"
#include "tap.h"

#define FUNCTION	0x1000
#define METHOD		0x2000
#define UNREAD		0x3000
#define MS		1000000

static const struct wp_service service = { .name = "service", .executable = "program" };

int wp_livenames_kernel(struct wp_livenames *n, __u64 ip, bool caller, struct wp_livename *name)
{
	(void)n;
	(void)ip;
	(void)caller;
	*name = (struct wp_livename){ .name = "schedule", .file = "[kernel]", .path = "[kernel]" };
	return 0;
}

int wp_livenames_user(struct wp_livenames *n, __u32 pid, __u64 ip, bool caller,
		      struct wp_livename *name)
{
	(void)n;
	(void)pid;
	(void)caller;
	*name = (struct wp_livename){
		.name = "native", .file = "lib.so", .path = "/lib.so", .id = "ab", .offset = ip,
	};
	return 0;
}

int wp_interpcodes_function(struct wp_interpcodes *codes, __u32 pid, __u64 address, __u64 at,
			    struct wp_interpfunction *f)
{
	(void)codes;
	(void)pid;
	(void)at;
	*f = (struct wp_interpfunction){ .name = "work", .file = "/work.py", .line = 7 };
	return WALLPROF_INTERP_CODE_ADDRESS(address) == FUNCTION ? 0 : -ENODATA;
}

void wp_jvmmethods_livename(const struct wp_jvmmethods *m, __u32 pid, __u64 word,
			    struct wp_livename *name)
{
	(void)m;
	(void)pid;
	*name = (struct wp_livename){ .name = WP_JVMMETHODS_UNREAD, .java = true };
	if (WALLPROF_INTERP_CODE_ADDRESS(word) != METHOD)
		return;
	/* Any bytes. */
	name->name = "org.K\xed\xa0\x80\n.run";
	name->file = WP_JVMMETHODS_FILE;
	name->path = WP_JVMMETHODS_FILE;
	name->memory = true;
}

size_t wp_livenames_files(const struct wp_livenames *n)
{
	(void)n;
	return 0;
}

void wp_livenames_want_ids(struct wp_livenames *n)
{
	(void)n;
}

int wp_live_new_names(struct wp_live *live)
{
	(void)live;
	return 0;
}

const struct wp_service *wp_agent_label(struct wp_agent_labels *l, __u32 pid, const char *comm)
{
	(void)l;
	(void)pid;
	(void)comm;
	return &service;
}

void wp_agent_labels_sweep(struct wp_agent_labels *l)
{
	(void)l;
}

unsigned int wp_agent_resource(const struct wp_agent *a, const char *name, const char *container,
			       struct wp_otlp_label label[WP_OTLP_LABELS])
{
	(void)a;
	(void)container;
	label[0] = (struct wp_otlp_label){ "service.name", name };
	return 1;
}

int wp_agent_cause(struct wp_agent *a, struct wp_otlp *otlp, const struct wp_topkey *key,
		   unsigned int time, __u32 *attribute, unsigned int *nr)
{
	(void)a;
	(void)otlp;
	(void)key;
	(void)time;
	(void)attribute;
	(void)nr;
	return 0;
}

int wp_agent_sums_add(struct wp_agent_sums *s, const struct wp_service *of, const __u64 *ns)
{
	(void)s;
	(void)of;
	(void)ns;
	return 0;
}

void wp_agent_sums_sweep(struct wp_agent_sums *s, __u64 since_1970)
{
	(void)s;
	(void)since_1970;
}

int wp_agent_hists_turn(struct wp_agent *a)
{
	(void)a;
	return 0;
}

const char *wp_outbox_outcome_name(enum wp_outbox_outcome outcome)
{
	(void)outcome;
	return "outcome";
}

/* What a receiver makes of the profiles of a thread that is blocked in a stack. */
static Otlp__ExportProfilesServiceRequest *profiles_of(const struct wp_stack *user,
						       const struct wp_stack *kernel)
{
	struct wp_topshare share = {
		.key = { .tgid = 7, .tid = 7, .user = user, .kernel = kernel },
		.ns = { [WP_TOP_BLOCKED] = 5 * MS },
	};
	struct wp_toprow row = {
		.tgid = 7, .comm = "java", .nr = 1, .ns = { [WP_TOP_BLOCKED] = 5 * MS },
	};
	struct wp_agent *a = calloc(1, sizeof(*a));
	Otlp__ExportProfilesServiceRequest *r = NULL;
	struct wp_otlp_stats stats;
	struct wp_buf b = { 0 };

	if (!a)
		abort();
	a->max_samples = 100;
	a->live.r.methods = (void *)a;
	a->live.r.codes = (void *)a;
	a->live.table.processes.row = &row;
	a->live.table.processes.nr = 1;
	a->live.shares.shown = &share;
	a->live.shares.nr_shown = 1;
	if (!wp_agent_window(a, 10 * MS, &b, &stats))
		r = otlp__export_profiles_service_request__unpack(NULL, b.len, (void *)b.data);
	wp_buf_free(&b);
	free(a);
	return r;
}

/* A frame as text: type, function, line, file of the source, of the program, address. */
static void show(const Otlp__ProfilesDictionary *d, const Otlp__Location *l, char *text,
		 size_t size)
{
	const Otlp__Line *line = l->n_lines ? l->lines[0] : NULL;
	const Otlp__Function *f = line ? d->function_table[line->function_index] : NULL;
	const char *type = "";
	size_t i;

	for (i = 0; i < l->n_attribute_indices; i++) {
		const Otlp__KeyValueAndUnit *a = d->attribute_table[l->attribute_indices[i]];
		const Otlp__AnyValue *v = a->value;

		if (strcmp(d->string_table[a->key_strindex], "profile.frame.type"))
			continue;
		type = v->value_case == OTLP__ANY_VALUE__VALUE_STRING_VALUE ? v->string_value :
		       v->value_case == OTLP__ANY_VALUE__VALUE_STRING_VALUE_STRINDEX ?
		       d->string_table[v->string_value_strindex] : "?";
	}
	snprintf(text, size, "%s|%s|%lld|%s|%s|%#llx", type,
		 f ? d->string_table[f->name_strindex] : "", line ? (long long)line->line : 0,
		 f ? d->string_table[f->filename_strindex] : "",
		 d->string_table[d->mapping_table[l->mapping_index]->filename_strindex],
		 (unsigned long long)l->address);
}

static void are(const Otlp__ExportProfilesServiceRequest *r, const char *const *wanted, size_t nr)
{
	const Otlp__ProfilesDictionary *d = r->dictionary;
	const Otlp__Profile *p = r->resource_profiles[0]->scope_profiles[0]->profiles[0];
	const Otlp__Stack *stack = d->stack_table[p->samples[0]->stack_index];
	char text[256];
	size_t i;

	ok(p->n_samples == 1 && p->samples[0]->values[0] == 5 * MS &&
	   stack->n_location_indices == nr, "one stack of %zu frames: %zu", nr,
	   stack->n_location_indices);
	for (i = 0; i < nr && i < stack->n_location_indices; i++) {
		show(d, d->location_table[stack->location_indices[i]], text, sizeof(text));
		ok(!strcmp(text, wanted[i]), "frame %zu: %s", i, text);
	}
}

int main(void)
{
	static const char *const wanted[] = {
		"|schedule|0||[kernel]|0",
		"|native|0||/lib.so|0x401000",
		"jvm|org.K????.run|0|||0",
		"jvm|[java: not read]|0|||0",
		"cpython|work|7|/work.py||0",
		"cpython|[python: not read]|0|||0",
		"|native|0||/lib.so|0x405000",
	};
	static const __u64 words[] = {
		0x401000,
		0x402000, WALLPROF_INTERP_WORD | METHOD,
		0x403000, WALLPROF_INTERP_WORD | UNREAD,
		0x404000, WALLPROF_INTERP_CODE | FUNCTION, WALLPROF_INTERP_AT,
		WALLPROF_INTERP_CODE | UNREAD, WALLPROF_INTERP_AT,
		0x405000,
	};
	const unsigned int nr = sizeof(words) / sizeof(words[0]);
	struct wp_stack *user = calloc(1, sizeof(*user) + sizeof(words));
	struct wp_stack *kernel = calloc(1, sizeof(*kernel) + sizeof(words[0]));
	Otlp__ExportProfilesServiceRequest *r;

	if (!user || !kernel)
		abort();
	user->nr = nr;
	memcpy(user->ips, words, sizeof(words));
	kernel->nr = 1;
	kernel->ips[0] = 0xffffffff81000000ULL;
	r = profiles_of(user, kernel);
	ok(r && r->n_resource_profiles == 1, "a window has profiles");
	if (r) {
		are(r, wanted, sizeof(wanted) / sizeof(wanted[0]));
		otlp__export_profiles_service_request__free_unpacked(r, NULL);
	}
	free(user);
	free(kernel);
	return done();
}
