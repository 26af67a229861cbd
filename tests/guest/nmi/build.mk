# SPDX-License-Identifier: GPL-2.0
#
# The program that runs in the guest: `make -f tests/guest/nmi/build.mk nmi`, from the
# top of the tree, builds build/nmi/nmi. Compiler and harness are the device
# tests'.
include tests/guest/device/build.mk

.PHONY: nmi
nmi: build/nmi/nmi

build/nmi/nmi: tests/guest/nmi/nmi.c tests/guest/nmi/build.mk tests/guest/device/device.h \
	tests/guest/device/rings.h tests/guest/device/build.mk uapi/linux/wallprof.h \
	$(KSELFTEST)/kselftest_harness.h
	@mkdir -p $(@D)
	$(DEVICE_CC) $(DEVICE_CFLAGS) -I tests/guest/device -static -o $@ $<
