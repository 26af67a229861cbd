/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Emits perf records of the kernel's and its modules' mappings. Used by the record
 * command at the start of a session. Without a record of the kernel's map perf report
 * warns that kernel maps were restricted.
 */
#ifndef WP_LIB_RECORD_KSYMS_H
#define WP_LIB_RECORD_KSYMS_H

#include <linux/types.h>

#include "lib/record/synthesize.h"

/**
 * struct wp_ksyms_paths - input files, for tests; NULL: the default path
 * @kallsyms: /proc/kallsyms
 * @iomem: /proc/iomem, on x86 only
 * @modules: /proc/modules
 * @lib_modules: /lib/modules/RELEASE
 * @sys_module: /sys/module
 * @notes: /sys/kernel/notes
 */
struct wp_ksyms_paths {
	const char *kallsyms;
	const char *iomem;
	const char *modules;
	const char *lib_modules;
	const char *sys_module;
	const char *notes;
};

int wp_ksyms_synthesize(struct wp_synth *s, const struct wp_ksyms_paths *paths);

#endif /* WP_LIB_RECORD_KSYMS_H */
