# SPDX-License-Identifier: GPL-2.0
#
# Builds what writer.test runs: generate, under ASan and UBSan, and known, whose
# functions the made-up samples are in.
#
#	make -f tests/host/readback/build.mk		build/readback/{generate,known}

CC ?= cc
RB_OUT := build/readback

.PHONY: readback
readback: $(RB_OUT)/generate $(RB_OUT)/known

$(RB_OUT)/generate: tests/host/readback/generate.c build/san/libwallprof.a
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O1 -g -D_GNU_SOURCE -Wall -Wextra -Werror -Wshadow \
		-fsanitize=address,undefined -fno-sanitize-recover=all \
		-Iuapi -Iuserspace -o $@ $< build/san/libwallprof.a -ldw -lelf -lz -lzstd \
		-llzma -lseccomp -ldl -l:libjson-c.a -l:libiberty.a -pthread

build/san/libwallprof.a: FORCE
	$(MAKE) -s -f userspace/build.mk SAN=1 $@

# At a fixed address and with frames, so that any toolchain gives the same names.
$(RB_OUT)/known: tests/host/readback/known.c
	@mkdir -p $(@D)
	$(CC) -g -O1 -fno-inline -fno-omit-frame-pointer -no-pie -fno-pie -Wall -Wextra \
		-Wl,--build-id -o $@ $<

.PHONY: FORCE
FORCE:
