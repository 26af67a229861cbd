# SPDX-License-Identifier: GPL-2.0
#
# Builds the oracle, the figures and the programs that are looked at, into
# build/oracle/.

CC ?= cc
CXX ?= c++
OR_OUT := build/oracle
OR_MODULE ?= module
OR_LIB := build/libwallprof.a
OR_CFLAGS := -std=gnu11 -O2 -g -D_GNU_SOURCE -Wall -Wextra -Wno-sign-compare -Werror \
	-Itests/kunit/shim -Iuapi -I$(OR_MODULE) -Iuserspace
OR_DEPS := $(wildcard $(OR_MODULE)/pure/unwind_*) \
	$(wildcard tests/host/oracle/*.h uapi/linux/*.h userspace/lib/*/*.h) tests/host/oracle/build.mk
OR_PROGRAMS := frames frames-lazy frames-avx frames-clang frames-static signals \
	signals-musl contexts births throws
OR_PFLAGS := -O2 -g -fomit-frame-pointer -Wall -Wextra

.PHONY: oracle
oracle: $(addprefix $(OR_OUT)/,oracle recorded figures) $(addprefix $(OR_OUT)/,$(OR_PROGRAMS))

$(OR_OUT)/oracle: $(addprefix tests/host/oracle/,oracle.c process.c ours.c theirs.c) \
		$(OR_LIB) $(OR_DEPS)
	@mkdir -p $(@D)
	$(CC) $(OR_CFLAGS) -o $@ $(sort $(filter %.c,$^)) $(OR_LIB) \
		-ldw -lelf -lz

$(OR_OUT)/recorded: $(addprefix tests/host/oracle/,recorded.c recording.c ours.c) \
		$(OR_LIB) $(OR_DEPS)
	@mkdir -p $(@D)
	$(CC) $(OR_CFLAGS) -o $@ $(sort $(filter %.c,$^)) $(OR_LIB) \
		-ldw -lelf -lz

$(OR_OUT)/figures: tests/host/oracle/figures.c $(OR_LIB) $(OR_DEPS)
	@mkdir -p $(@D)
	$(CC) $(OR_CFLAGS) -o $@ $< $(OR_MODULE)/pure/unwind_table.c $(OR_LIB) -ldw -lelf -lz

$(OR_LIB): FORCE
	@$(MAKE) -s -f userspace/build.mk $@

# Calls through the PLT, the first of which goes through the dynamic linker
$(OR_OUT)/frames-lazy: OR_PFLAGS += -Wl,-z,lazy
# Loops that align the stack anew
$(OR_OUT)/frames-avx: OR_PFLAGS += -O3 -march=haswell
$(OR_OUT)/frames-static: OR_PFLAGS += -static -no-pie -fno-pie
$(OR_OUT)/frames-clang: CC := clang
$(OR_OUT)/signals-musl: CC := musl-gcc
$(OR_OUT)/signals-musl: OR_PFLAGS += -static

$(OR_OUT)/frames%: tests/host/oracle/programs/frames.c tests/host/oracle/build.mk
	@mkdir -p $(@D)
	$(CC) $(OR_PFLAGS) -o $@ $< -lm

$(OR_OUT)/signals%: tests/host/oracle/programs/signals.c tests/host/oracle/build.mk
	@mkdir -p $(@D)
	$(CC) $(OR_PFLAGS) -o $@ $<

$(OR_OUT)/%: tests/host/oracle/programs/%.c tests/host/oracle/build.mk
	@mkdir -p $(@D)
	$(CC) $(OR_PFLAGS) -pthread -o $@ $< -lm

$(OR_OUT)/%: tests/host/oracle/programs/%.cc tests/host/oracle/build.mk
	@mkdir -p $(@D)
	$(CXX) $(OR_PFLAGS) -pthread -o $@ $<

.PHONY: FORCE
FORCE:
