// SPDX-License-Identifier: GPL-2.0
/*
 * A program with an interpreter inside: libpython3.11 as a shared library. Its arguments
 * are those of python3.
 */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	void *library = dlopen("libpython3.11.so.1.0", RTLD_NOW | RTLD_GLOBAL);
	int (*run)(int argc, char **argv) = library ? dlsym(library, "Py_BytesMain") : NULL;

	if (!run) {
		fprintf(stderr, "embed: %s\n", dlerror());
		return 1;
	}
	return run(argc, argv);
}
