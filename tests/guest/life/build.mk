# SPDX-License-Identifier: GPL-2.0
#
# The programs of life and death: `make -f tests/guest/life/build.mk life`, from the
# top of the tree, builds them into build/life/. Compiler and harness are the
# device tests'.
include tests/guest/device/build.mk

LIFE_OUT ?= build/life
LIFE := $(addprefix $(LIFE_OUT)/,modules readers storms states)

.PHONY: life
life: $(LIFE)

$(LIFE): $(LIFE_OUT)/%: tests/guest/life/%.c tests/guest/life/life.h tests/guest/life/build.mk \
	tests/guest/device/device.h tests/guest/device/rings.h tests/guest/device/table.h \
	tests/guest/device/build.mk \
	uapi/linux/wallprof.h \
	$(KSELFTEST)/kselftest_harness.h
	@mkdir -p $(@D)
	$(DEVICE_CC) $(DEVICE_CFLAGS) -I tests/guest/device -static -o $@ $<
