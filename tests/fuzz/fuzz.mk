# SPDX-License-Identifier: GPL-2.0
#
# The fuzzers of the module's pure parts: `make -f tests/fuzz/fuzz.mk`, from the
# top of the tree, builds tests/fuzz/*.c into build/fuzz/ with libFuzzer, ASan
# and UBSan. The shim and the references are those of tests/kunit.

FUZZ_MODULE ?= module
FUZZ_OUT ?= build/fuzz
FUZZ_CC ?= clang

FUZZ_CFLAGS := -std=gnu11 -fno-strict-aliasing -D_GNU_SOURCE -O1 -g -fno-omit-frame-pointer -Wall \
	-Wextra -Wno-sign-compare -Wno-unused-parameter \
	-Wno-missing-field-initializers -Wno-format-zero-length -Werror \
	-Itests/kunit/shim -Iuapi -Itests/kunit -I$(FUZZ_MODULE) \
	-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all
FUZZ_SRC := $(sort $(wildcard $(FUZZ_MODULE)/pure/*.c)) tests/kunit/suite.c tests/kunit/shim/kunit.c
# The whole of the reader's library: a fuzzer is linked with what it needs of it, so
# no list here falls behind.
FUZZ_LIB := $(FUZZ_OUT)/libwallprof.a
FUZZ_LIB_SRC := $(sort $(wildcard userspace/lib/*/*.c))
FUZZ_GEN := $(patsubst userspace/proto/%.proto,%,$(sort $(wildcard userspace/proto/*.proto)))
FUZZ_GEN_H := $(FUZZ_GEN:%=$(FUZZ_OUT)/gen/%.pb-c.h)
FUZZ_LDLIBS := -Wl,--as-needed -ldw -lelf -lz -lzstd -llzma -ldl -lseccomp \
	-l:libprotobuf-c.a -l:libjson-c.a -l:libiberty.a -lm
FUZZ_ALL := $(patsubst tests/fuzz/%.c,$(FUZZ_OUT)/%,$(wildcard tests/fuzz/*.c))

.PHONY: fuzz
fuzz: $(FUZZ_ALL) $(FUZZ_OUT)/seeds/job

# Each source once, for all fuzzers, and by itself: ccache knows single ones only.
FUZZ_OBJ := $(FUZZ_SRC:%.c=$(FUZZ_OUT)/obj/%.o)
FUZZ_LIB_OBJ := $(FUZZ_LIB_SRC:%.c=$(FUZZ_OUT)/obj/%.o) \
	$(FUZZ_GEN:%=$(FUZZ_OUT)/obj/gen/%.pb-c.o)

$(FUZZ_LIB): $(FUZZ_LIB_OBJ)
	rm -f $@ && $(AR) rcs $@ $^

$(FUZZ_OUT)/%: $(FUZZ_OUT)/obj/tests/fuzz/%.o $(FUZZ_OBJ) $(FUZZ_LIB)
	$(FUZZ_CC) $(FUZZ_CFLAGS) -o $@ $(filter %.o,$^) $(FUZZ_LIB) $(FUZZ_LDLIBS)

FUZZ_DEPS := $(wildcard $(FUZZ_MODULE)/*.h $(FUZZ_MODULE)/pure/*.h tests/kunit/*.h \
	tests/kunit/shim/*/*.h uapi/linux/*.h userspace/lib/*/*.h) tests/fuzz/fuzz.mk

$(FUZZ_GEN_H): $(FUZZ_OUT)/gen/%.pb-c.h: userspace/proto/%.proto
	@mkdir -p $(@D)
	protoc-c --c_out=$(@D) -Iuserspace/proto $<
$(FUZZ_GEN_H:.h=.c): %.c: %.h

$(FUZZ_OUT)/obj/gen/%.o: $(FUZZ_OUT)/gen/%.c
	@mkdir -p $(@D)
	$(FUZZ_CC) $(FUZZ_CFLAGS) -c -o $@ $<

$(FUZZ_OUT)/obj/userspace/lib/%.o: userspace/lib/%.c $(FUZZ_DEPS) | $(FUZZ_GEN_H)
	@mkdir -p $(@D)
	$(FUZZ_CC) $(FUZZ_CFLAGS) -Iuserspace -I$(FUZZ_OUT)/gen -DWP_VERSION='"fuzz"' -c -o $@ $<

$(FUZZ_OUT)/obj/%.o: %.c $(FUZZ_DEPS)
	@mkdir -p $(@D)
	$(FUZZ_CC) $(FUZZ_CFLAGS) $(FUZZ_INCLUDE) -c -o $@ $<

# Fuzzers of the reader's parts.
FUZZ_READER := $(addprefix $(FUZZ_OUT)/obj/tests/fuzz/,container.o ehframe.o filter.o jitdump.o job.o jvmcode.o jvmnames.o names.o \
	pprofpush.o profile.o pystack.o recording.o service.o sockets.o stackfile.o)
$(FUZZ_READER): FUZZ_INCLUDE := -Iuserspace -I$(FUZZ_OUT)/gen
$(FUZZ_READER): | $(FUZZ_GEN_H)

# Real files to begin with, as compilers and linkers make them.
FUZZ_SEED_CC := gcc -nostdlib -fPIC -Wl,--unresolved-symbols=ignore-all
$(FUZZ_OUT)/seeds/job: tests/fuzz/seeds/elf.c tests/fuzz/fuzz.mk
	@mkdir -p $@
	$(FUZZ_SEED_CC) -O2 -o $@/plain $<
	$(FUZZ_SEED_CC) -O2 -s -o $@/stripped $<
	$(FUZZ_SEED_CC) -O2 -g -shared -Wl,--build-id -o $@/shared $<
	$(FUZZ_SEED_CC) -O1 -g -gz -shared -Wl,-z,now -o $@/compressed $<
	$(FUZZ_SEED_CC) -O2 -g -fno-asynchronous-unwind-tables -o $@/debug_frame $<
	$(FUZZ_SEED_CC) -O2 -static-pie -fno-plt -Wl,--hash-style=sysv -o $@/static $<
	@touch $@

.SECONDARY:
