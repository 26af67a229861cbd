# SPDX-License-Identifier: GPL-2.0
#
# The programs of life and death: `make -f tests/life/build.mk life`, from the
# top of the tree, builds them into build/life/. Compiler and harness are the
# device tests'.
include tests/device/build.mk

LIFE_OUT ?= build/life
LIFE := $(addprefix $(LIFE_OUT)/,modules readers storms states)

.PHONY: life
life: $(LIFE)

$(LIFE): $(LIFE_OUT)/%: tests/life/%.c tests/life/life.h tests/life/build.mk \
	tests/device/device.h tests/device/rings.h tests/device/table.h tests/device/build.mk \
	uapi/linux/wallprof.h \
	$(KSELFTEST)/kselftest_harness.h
	@mkdir -p $(@D)
	$(DEVICE_CC) $(DEVICE_CFLAGS) -I tests/device -static -o $@ $<
