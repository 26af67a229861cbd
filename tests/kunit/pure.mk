# SPDX-License-Identifier: GPL-2.0
#
# The suites of the module's pure parts as a program of userspace: `make -f
# tests/kunit/pure.mk`, from the top of the tree, builds tests/kunit/*.c with the
# module's own sources as they are and the kernel headers of tests/kunit/shim.
#
# build/kunit/asan runs under ASan and UBSan, build/kunit/tsan under TSan.
# PURE_MODULE names another directory of sources: one with a bug put in.

PURE_MODULE ?= module
PURE_OUT ?= build/kunit
PURE_CC ?= $(CC)

PURE_CFLAGS := -std=gnu11 -fno-strict-aliasing -D_GNU_SOURCE -O1 -g -fno-omit-frame-pointer -Wall \
	-Wextra -Wno-sign-compare -Wno-unused-parameter \
	-Wno-missing-field-initializers -Wno-format-zero-length -Werror -pthread -Itests/kunit/shim -Iuapi \
	-Itests/kunit -I$(PURE_MODULE)
PURE_ASAN := -fsanitize=address,undefined -fno-sanitize-recover=all
PURE_TSAN := -fsanitize=thread

# What KUnit has of the kernel, and threads, come from the shim.
PURE_SRC := $(filter-out tests/kunit/threads.c,$(wildcard tests/kunit/*.c)) \
	$(wildcard tests/kunit/shim/*.c) $(sort $(wildcard $(PURE_MODULE)/pure/*.c))

.PHONY: pure
pure: $(PURE_OUT)/asan $(PURE_OUT)/tsan

.PHONY: cflags
cflags: # for those who compile parts of it
	@echo $(filter-out -I$(PURE_MODULE),$(PURE_CFLAGS)) $(PURE_ASAN)

.PHONY: sources
sources: # likewise
	@echo $(PURE_SRC)

PURE_DEPS := $(wildcard $(PURE_MODULE)/*.h $(PURE_MODULE)/pure/*.h tests/kunit/*.h \
	tests/kunit/shim/*/*.h uapi/linux/*.h) tests/kunit/pure.mk

# One by one: ccache knows single sources only.
$(PURE_OUT)/asan: $(PURE_SRC:%.c=$(PURE_OUT)/asan.o/%.o)
	$(PURE_CC) $(PURE_CFLAGS) $(PURE_ASAN) -o $@ $^

$(PURE_OUT)/tsan: $(PURE_SRC:%.c=$(PURE_OUT)/tsan.o/%.o)
	$(PURE_CC) $(PURE_CFLAGS) $(PURE_TSAN) -o $@ $^

$(PURE_OUT)/asan.o/%.o: %.c $(PURE_DEPS)
	@mkdir -p $(@D)
	$(PURE_CC) $(PURE_CFLAGS) $(PURE_ASAN) -c -o $@ $<

$(PURE_OUT)/tsan.o/%.o: %.c $(PURE_DEPS)
	@mkdir -p $(@D)
	$(PURE_CC) $(PURE_CFLAGS) $(PURE_TSAN) -c -o $@ $<
