# SPDX-License-Identifier: GPL-2.0
#
# The program that runs in the guest: `make -f tests/nmi/build.mk nmi`, from the
# top of the tree, builds build/nmi/nmi. Compiler and harness are the device
# tests'.
include tests/device/build.mk

.PHONY: nmi
nmi: build/nmi/nmi

build/nmi/nmi: tests/nmi/nmi.c tests/nmi/build.mk tests/device/device.h \
	tests/device/rings.h tests/device/build.mk uapi/linux/wallprof.h \
	$(KSELFTEST)/kselftest_harness.h
	@mkdir -p $(@D)
	$(DEVICE_CC) $(DEVICE_CFLAGS) -I tests/device -static -o $@ $<
