// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the uses of the C library that load libraries of the host: character sets, user
 * names, optional libraries.
 *
 * A static build (WP_STATIC) loads none: a library of the host is linked with the host's C
 * library, which would be loaded as a second one, of another version, into the process.
 * build.mk makes it an error if anything else that is linked in can load one.
 */
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/err.h"
#include "lib/base/hostlibs.h"

#ifdef WP_STATIC

static bool wants_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
	}
	return false;
}

/* All conversions but those of ASCII and UTF-8 are libraries. */
void wp_hostlibs_locale(void)
{
	/* Makes the C library read a list of libraries. */
	unsetenv("GCONV_PATH");
	/* A minimal system may have no other locale than C.UTF-8. */
	if (!setlocale(LC_CTYPE, "") && wants_utf8())
		setlocale(LC_CTYPE, "C.UTF-8");
	if (strcmp(nl_langinfo(CODESET), "UTF-8"))
		setlocale(LC_CTYPE, "C");
}

/* getpwnam() loads what nsswitch.conf names. */
static int find_user(const char *name, __u32 *uid)
{
	const struct passwd *pw;
	FILE *f = fopen("/etc/passwd", "re");

	if (!f)
		return errno == ENOENT ? 0 : -errno;
	errno = 0;
	while ((pw = fgetpwent(f)) && strcmp(pw->pw_name, name))
		;
	if (pw)
		*uid = pw->pw_uid;
	fclose(f);
	return !!pw;
}

void *wp_hostlibs_open(const char *name)
{
	wp_warn("this is the static build, which cannot load '%s'", name);
	return NULL;
}

#else

#include <dlfcn.h>

/**
 * wp_hostlibs_locale() - use the character set of the environment
 *
 * For the start of main(). A static build knows ASCII and UTF-8 only.
 */
void wp_hostlibs_locale(void)
{
	setlocale(LC_CTYPE, "");
}

static int find_user(const char *name, __u32 *uid)
{
	const struct passwd *pw;

	errno = 0;
	pw = getpwnam(name);
	if (!pw)
		return -errno;
	*uid = pw->pw_uid;
	return 1;
}

/**
 * wp_hostlibs_open() - load an optional library
 * @name: its soname
 *
 * Return: its handle for dlsym(), or NULL; a static build has printed a warning.
 */
void *wp_hostlibs_open(const char *name)
{
	return dlopen(name, RTLD_LAZY | RTLD_LOCAL);
}

#endif

/**
 * wp_hostlibs_user() - look up a user
 * @name: the name
 * @uid: set to the number
 *
 * A static build knows the users of /etc/passwd only.
 *
 * Return: 0 or a negative errno; a message was printed.
 */
int wp_hostlibs_user(const char *name, __u32 *uid)
{
	static const char place[] =
		" in /etc/passwd, where the static build looks: give the number of 'id -u'";
	int ret = find_user(name, uid);

	if (ret > 0)
		return 0;
	wp_err("there is no user '%s'%s%s%s", name, WP_IS_STATIC ? place : "", ret ? ": " : "",
	       ret ? strerror(-ret) : "");
	return -EINVAL;
}
