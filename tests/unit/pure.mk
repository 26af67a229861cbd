# SPDX-License-Identifier: GPL-2.0
#
# The tests of the module's pure parts: `make -f tests/unit/pure.mk`, from the
# top of the tree, builds tests/unit/pure_*.c into build/pure/, with the
# module's own sources as they are and the kernel headers of tests/shim.
#
# build/pure/NAME runs under ASan and UBSan, build/pure/tsan/NAME under TSan.
# PURE_MODULE names another directory of sources: one with a bug put in.

PURE_MODULE ?= module
PURE_OUT ?= build/pure
PURE_CC ?= $(CC)

PURE_CFLAGS := -std=gnu11 -D_GNU_SOURCE -O1 -g -fno-omit-frame-pointer -Wall \
	-Wextra -Wno-sign-compare -Werror -pthread -Itests/shim -Iuapi \
	-Itests/unit -I$(PURE_MODULE)
PURE_ASAN := -fsanitize=address,undefined -fno-sanitize-recover=all
PURE_TSAN := -fsanitize=thread

PURE_MODULE_SRC := $(addprefix $(PURE_MODULE)/,tables.c tasks.c intervals.c \
	states.c)
PURE_TESTS := $(patsubst tests/unit/%.c,%,$(wildcard tests/unit/pure_*.c))
PURE_DEPS := $(PURE_MODULE_SRC) $(wildcard $(PURE_MODULE)/*.h tests/unit/*.h \
	tests/shim/linux/*.h uapi/linux/*.h) tests/unit/pure.mk

.PHONY: pure pure-clean
pure: $(addprefix $(PURE_OUT)/,$(PURE_TESTS)) $(PURE_OUT)/tsan/pure_tasks

$(PURE_OUT)/%: tests/unit/%.c $(PURE_DEPS)
	@mkdir -p $(@D)
	$(PURE_CC) $(PURE_CFLAGS) $(PURE_ASAN) -o $@ $< $(PURE_MODULE_SRC)

$(PURE_OUT)/tsan/%: tests/unit/%.c $(PURE_DEPS)
	@mkdir -p $(@D)
	$(PURE_CC) $(PURE_CFLAGS) $(PURE_TSAN) -o $@ $< $(PURE_MODULE_SRC)

pure-clean:
	rm -rf $(PURE_OUT)
