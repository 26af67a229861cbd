# SPDX-License-Identifier: GPL-2.0
#
# The workloads of known waits and stacks: `make -f tests/guest/workloads/build.mk`,
# from the top of the tree, builds them into build/workloads/.
#
# They are linked statically, so that they run in any guest, and built with
# frame pointers in every function of ours. -O1 keeps the calls as written.

WORKLOADS := tests/guest/workloads
WORKLOADS_OUT ?= build/workloads
WORKLOADS_CFLAGS := -std=gnu11 -D_GNU_SOURCE -O1 -g -Wall -Wextra -Werror \
	-fno-omit-frame-pointer -fno-optimize-sibling-calls -fno-stack-protector \
	-pthread
# What not every machine's compiler knows. <asm/*.h> are of either width, but
# gcc looks for them in a 64-bit place only.
WORKLOADS_CC ?= gcc
WORKLOADS_M64 := -mno-omit-leaf-frame-pointer -fcf-protection=none
WORKLOADS_CC32 ?= $(WORKLOADS_CC)
WORKLOADS_M32 := $(WORKLOADS_M64) -m32 -idirafter /usr/include/x86_64-linux-gnu

WAITS_SOURCES := $(addprefix $(WORKLOADS)/,main.c truth.c nap.c futex.c pipe.c \
	poll.c vfork.c stop.c rivals.c migrate.c births.c deep.c demo.c)
WORKLOADS_HEADERS := $(WORKLOADS)/truth.h $(WORKLOADS)/kinds.h
WORKLOADS_DEPS := $(WORKLOADS_HEADERS) $(WORKLOADS)/build.mk

WORKLOADS_ALL := $(addprefix $(WORKLOADS_OUT)/,waits waits32 exec-before \
	exec-after blocked blocked32 spin $(WORKLOADS_MORE))

.PHONY: workloads workloads-clean
workloads: $(WORKLOADS_ALL)

$(WORKLOADS_OUT)/waits: $(WAITS_SOURCES) $(WORKLOADS_DEPS)
	@mkdir -p $(@D)
	$(WORKLOADS_CC) $(WORKLOADS_CFLAGS) $(WORKLOADS_M64) -fpie -static-pie -o $@ $(WAITS_SOURCES)

$(WORKLOADS_OUT)/waits32: $(WAITS_SOURCES) $(WORKLOADS_DEPS)
	@mkdir -p $(@D)
	$(WORKLOADS_CC32) $(WORKLOADS_CFLAGS) $(WORKLOADS_M32) -fno-pie -no-pie -static -o $@ \
		$(WAITS_SOURCES)

# One address for the waits of both: see exec.c.
WORKLOADS_PLACED := -fno-pie -no-pie -static -Wl,--section-start=.placed=0x10000000

$(WORKLOADS_OUT)/exec-before: $(WORKLOADS)/exec.c $(WORKLOADS)/truth.c $(WORKLOADS_DEPS)
	@mkdir -p $(@D)
	$(WORKLOADS_CC) $(WORKLOADS_CFLAGS) $(WORKLOADS_M64) $(WORKLOADS_PLACED) -o $@ \
		$(filter %.c,$^)

$(WORKLOADS_OUT)/exec-after: $(WORKLOADS)/exec.c $(WORKLOADS)/truth.c $(WORKLOADS_DEPS)
	@mkdir -p $(@D)
	$(WORKLOADS_CC) $(WORKLOADS_CFLAGS) $(WORKLOADS_M64) $(WORKLOADS_PLACED) -DAFTER -o $@ \
		$(filter %.c,$^)

$(WORKLOADS_OUT)/blocked: $(WORKLOADS)/blocked.c $(WORKLOADS)/truth.c $(WORKLOADS_DEPS)
	@mkdir -p $(@D)
	$(WORKLOADS_CC) $(WORKLOADS_CFLAGS) $(WORKLOADS_M64) -fpie -static-pie -o $@ $(filter %.c,$^)

$(WORKLOADS_OUT)/blocked32: $(WORKLOADS)/blocked.c $(WORKLOADS)/truth.c $(WORKLOADS_DEPS)
	@mkdir -p $(@D)
	$(WORKLOADS_CC32) $(WORKLOADS_CFLAGS) $(WORKLOADS_M32) -fno-pie -no-pie -static -o $@ \
		$(filter %.c,$^)

$(WORKLOADS_OUT)/spin: $(WORKLOADS)/spin.c $(WORKLOADS)/truth.c $(WORKLOADS_DEPS)
	@mkdir -p $(@D)
	$(WORKLOADS_CC) $(WORKLOADS_CFLAGS) $(WORKLOADS_M64) -fpie -static-pie -o $@ \
		$(filter %.c,$^)

# arm64's (WORKLOADS_MORE).
$(WORKLOADS_OUT)/signed: $(WORKLOADS)/signed.c $(WORKLOADS)/truth.c $(WORKLOADS_DEPS)
	@mkdir -p $(@D)
	$(WORKLOADS_CC) $(WORKLOADS_CFLAGS) $(WORKLOADS_M64) -fpie -static-pie \
		-mbranch-protection=standard -o $@ $(filter %.c,$^)

workloads-clean:
	rm -rf $(WORKLOADS_OUT)
