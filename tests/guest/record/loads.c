// SPDX-License-Identifier: GPL-2.0
/*
 * Loads a library, once the recording knows the rest of it, and naps in its
 * nofp_outer(). Built, as the library, with -O2 -fomit-frame-pointer.
 *
 *	loads LIBRARY NAPS
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int (*naps)(int nr);
	void *library;

	sleep(1);
	library = argc == 3 ? dlopen(argv[1], RTLD_NOW) : NULL;
	naps = library ? dlsym(library, "nofp_outer") : NULL;
	if (!naps) {
		fprintf(stderr, "loads: %s\n", library ? dlerror() : "no library");
		return 2;
	}
	/* No jump: main() is to have a frame. */
	return naps(atoi(argv[2])) < 0;
}
