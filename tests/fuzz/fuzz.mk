# SPDX-License-Identifier: GPL-2.0
#
# The fuzzers of the module's pure parts: `make -f tests/fuzz/fuzz.mk`, from the
# top of the tree, builds tests/fuzz/*.c into build/fuzz/ with libFuzzer, ASan
# and UBSan. The shim and the references are those of tests/kunit.

FUZZ_MODULE ?= module
FUZZ_OUT ?= build/fuzz
FUZZ_CC ?= clang

FUZZ_CFLAGS := -std=gnu11 -D_GNU_SOURCE -O1 -g -fno-omit-frame-pointer -Wall \
	-Wextra -Wno-sign-compare -Wno-unused-parameter \
	-Wno-missing-field-initializers -Wno-format-zero-length -Werror \
	-Itests/shim -Iuapi -Itests/kunit -I$(FUZZ_MODULE) \
	-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all
FUZZ_SRC := $(addprefix $(FUZZ_MODULE)/,tables.c tasks.c intervals.c config.c \
		layout.c unwind_table.c) tests/kunit/suite.c tests/shim/kunit.c
FUZZ_LIB_SRC := $(addprefix userspace/lib/,ehframe.c elfcode.c cfaprogram.c \
	cfaexpr.c gofuncs.c tablebuild.c trampolines.c unwindtable.c)
FUZZ_ALL := $(patsubst tests/fuzz/%.c,$(FUZZ_OUT)/%,$(wildcard tests/fuzz/*.c))

.PHONY: fuzz
fuzz: $(FUZZ_ALL)

$(FUZZ_OUT)/%: tests/fuzz/%.c $(FUZZ_SRC) $(wildcard $(FUZZ_MODULE)/*.h \
		tests/kunit/*.h tests/shim/*/*.h uapi/linux/*.h) \
		tests/fuzz/fuzz.mk
	@mkdir -p $(@D)
	$(FUZZ_CC) $(FUZZ_CFLAGS) -o $@ $< $(FUZZ_SRC) $(FUZZ_LIBS)

$(FUZZ_OUT)/ehframe: FUZZ_LIBS := -Iuserspace $(FUZZ_LIB_SRC) -ldw -lelf
$(FUZZ_OUT)/ehframe: $(FUZZ_LIB_SRC) $(wildcard userspace/lib/*.h)
