# SPDX-License-Identifier: GPL-2.0
#
# The device's tests: `make -f tests/guest/device/build.mk`, from the top of the
# tree, builds them into build/device/: each source as a 64-bit program and, where the
# ABI is what is tested, as a 32-bit one.
#
# kselftest_harness.h comes with the kernel's source, by way of tests/lab/source;
# it is not copied into the tree. KSELFTEST= names another place.

DEVICE := tests/guest/device
DEVICE_OUT ?= build/device
DEVICE_CC ?= gcc
DEVICE_CC32 ?= $(DEVICE_CC)
ifeq ($(KSELFTEST),)
DEVICE_SOURCE := $(shell tests/lab/source)
$(if $(DEVICE_SOURCE),,$(error device: no kernel source: see above))
KSELFTEST := $(DEVICE_SOURCE)/tools/testing/selftests
endif

DEVICE_CFLAGS := -std=gnu11 -D_GNU_SOURCE -O1 -g -Wall -Wextra -Werror \
	-Wno-unused-parameter -Wno-sign-compare -Wno-pointer-compare \
	-fno-omit-frame-pointer -fno-optimize-sibling-calls -pthread \
	-isystem $(KSELFTEST) -I uapi

# <asm/*.h> are of either width, but gcc looks for them in a 64-bit place only.
DEVICE_M32 := -m32 -idirafter /usr/include/x86_64-linux-gnu

DEVICE_TESTS := abi access map life cpus grow ledger targets waits switch_cache kernel_stacks events \
	filters storm sample_cache timeline live reads hostile tables interp words unload
# Those that device.test runs so.
DEVICE_TESTS32 ?= abi map ledger waits sample_cache timeline live hostile tables interp
DEVICE_PROGRAMS := $(DEVICE_TESTS) $(DEVICE_TESTS32:%=%32)
DEVICE_ALL := $(DEVICE_PROGRAMS:%=$(DEVICE_OUT)/%)

.PHONY: device device-clean
device: $(DEVICE_ALL)

$(DEVICE_PROGRAMS:%=$(DEVICE_OUT)/obj/%.o): $(DEVICE)/device.h $(DEVICE)/table.h \
	$(DEVICE)/ksyms.h $(DEVICE)/build.mk $(wildcard uapi/linux/*.h) \
	$(KSELFTEST)/kselftest_harness.h

# Each by itself, as ccache wants it.
$(DEVICE_OUT)/obj/%32.o: $(DEVICE)/%.c
	@mkdir -p $(@D)
	$(DEVICE_CC32) $(DEVICE_CFLAGS) $(DEVICE_M32) -c -o $@ $<

$(DEVICE_OUT)/obj/%.o: $(DEVICE)/%.c
	@mkdir -p $(@D)
	$(DEVICE_CC) $(DEVICE_CFLAGS) -c -o $@ $<

$(DEVICE_OUT)/%32: $(DEVICE_OUT)/obj/%32.o
	$(DEVICE_CC32) $(DEVICE_CFLAGS) $(DEVICE_M32) -static -o $@ $<

$(DEVICE_OUT)/%: $(DEVICE_OUT)/obj/%.o
	$(DEVICE_CC) $(DEVICE_CFLAGS) -static -o $@ $<

.SECONDARY:

device-clean:
	rm -rf $(DEVICE_OUT)
