# SPDX-License-Identifier: GPL-2.0
#
# Builds what diff.test runs: generate, and the program that its samples are in.
#
#	make -f tests/host/diff/build.mk		build/diff/generate

CC ?= cc
DIFF_OUT := build/diff
DIFF_LIB := build/libwallprof.a

.PHONY: diff
diff: $(DIFF_OUT)/generate

$(DIFF_OUT)/generate: tests/host/diff/generate.c $(DIFF_LIB)
	@mkdir -p $(@D)
	@# Tests that run beside each other build it, too.
	$(CC) -std=gnu11 -O1 -g -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -Wall -Wextra -Werror \
		-Wshadow -Iuapi -Iuserspace -o $@.$$$$ $< $(DIFF_LIB) -ldw -lelf -lz -lzstd -llzma \
		-lseccomp -ldl -l:libjson-c.a -l:libiberty.a -pthread && mv $@.$$$$ $@

$(DIFF_LIB): FORCE
	@$(MAKE) -s -f userspace/build.mk $@

.PHONY: FORCE
FORCE:
