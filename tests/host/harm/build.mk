# SPDX-License-Identifier: GPL-2.0
#
# Builds the programs of tests/host/harm/ into build/harm/.

CC ?= cc
HARM_OUT := build/harm
HARM_LIB := build/libwallprof.a
HARM_CFLAGS := -std=gnu11 -O2 -g -D_GNU_SOURCE -Wall -Wextra -Werror -Iuapi -Iuserspace

.PHONY: harm
harm: $(HARM_OUT)/tables

$(HARM_OUT)/%: tests/host/harm/%.c $(HARM_LIB) $(wildcard userspace/lib/*/*.h) \
		tests/host/harm/build.mk
	@mkdir -p $(@D)
	$(CC) $(HARM_CFLAGS) -o $@ $< $(HARM_LIB) -ldw -lelf -lz -lzstd -llzma -lseccomp \
		-ldl -l:libjson-c.a -l:libiberty.a -pthread

$(HARM_LIB): FORCE
	@$(MAKE) -s -f userspace/build.mk $@

.PHONY: FORCE
FORCE:
