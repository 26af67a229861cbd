// SPDX-License-Identifier: GPL-2.0
/*
 * Loads a library and naps in its nofp_outer(). Built, as the library, with
 * -O2 -fomit-frame-pointer.
 *
 *	loads LIBRARY NAPS
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	void *library = argc == 3 ? dlopen(argv[1], RTLD_NOW) : NULL;
	int (*naps)(int nr) = library ? dlsym(library, "nofp_outer") : NULL;

	if (!naps) {
		fprintf(stderr, "loads: %s\n", library ? dlerror() : "no library");
		return 2;
	}
	/* No jump: main() is to have a frame. */
	return naps(atoi(argv[2])) < 0;
}
