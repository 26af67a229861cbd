/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Has untrusted files read by workers, one after the other. See filereader.c.
 */
#ifndef WP_LIB_SANDBOX_FILEREADER_H
#define WP_LIB_SANDBOX_FILEREADER_H

#include <stdbool.h>

#include "lib/elf/buildid.h"
#include "lib/elf/elffiles.h"
#include "lib/elf/elflinks.h"
#include "lib/elf/elfnames.h"
#include "lib/elf/jitdump.h"
#include "lib/sandbox/containerfile.h"
#include "lib/sandbox/fileowner.h"

/* Message for a file that could not be read within its limits. */
#define WP_FILEREADER_BAD	"it could not be read within its limits"

int wp_filereader_buildid(int fd, struct wp_buildid *id);
int wp_filereader_loaded_id(int fd, struct wp_buildid *id);
int wp_filereader_links(int fd, struct wp_elflinks *links);
const char *wp_filereader_symbols(const struct wp_elffiles *files, bool variables,
				  struct wp_elfnames *names);
const char *wp_filereader_perfmap(int fd, struct wp_elfnames *names);
const char *wp_filereader_jitdump(int fd, struct wp_jitloads *loads);
int wp_filereader_inlined(const struct wp_elffiles *files, __u64 number, __u64 address,
			  bool raw, char **names, size_t *nr);
int wp_filereader_crc(int fd, __u32 *crc);
int wp_filereader_container(int fd, const char *id, struct wp_container *c);
int wp_filereader_demangle(const struct wp_fileowner *owner, const char *name, char **plain);
void wp_filereader_end(void);

#endif /* WP_LIB_SANDBOX_FILEREADER_H */
