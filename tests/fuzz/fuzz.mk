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
	-Itests/shim -Iuapi -Itests/kunit -I$(FUZZ_MODULE) \
	-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all
FUZZ_SRC := $(addprefix $(FUZZ_MODULE)/,tables.c tasks.c intervals.c config.c \
		layout.c unwind_table.c) tests/kunit/suite.c tests/shim/kunit.c
FUZZ_LIB_SRC := $(addprefix userspace/lib/,ehframe.c elfcheck.c elfcode.c cfaprogram.c \
	cfaexpr.c gofuncs.c tablebuild.c trampolines.c unwindtable.c)
FUZZ_SOCKETS_SRC := $(addprefix userspace/lib/,sockets.c text.c unixpeers.c)
FUZZ_RECORDING_SRC := $(addprefix userspace/lib/,buf.c cause.c err.c fullio.c \
	idmap.c intern.c ledger.c ledgerfile.c perfevents.c perffile.c perfrecords.c \
	perfsample.c processes.c procwaits.c progress.c schedevents.c schedule.c siphash.c \
	sorter.c syscalls.c text.c tracepoint.c)
FUZZ_JOB_SRC := $(FUZZ_LIB_SRC) $(addprefix userspace/lib/,buildid.c confine.c debugdata.c \
	demangle.c dynsyms.c elfcheck.c elflinks.c elfnames.c err.c filereader.c inlines.c job.c \
	jobnames.c openfile.c siphash.c symtable.c tablename.c text.c worker.c zygote.c)
FUZZ_NAMES_SRC := $(FUZZ_JOB_SRC) $(addprefix userspace/lib/,debugfiles.c idfiles.c)
FUZZ_PROFILE_SRC := $(FUZZ_RECORDING_SRC) $(FUZZ_NAMES_SRC) $(addprefix userspace/lib/,comms.c \
	memmaps.c profile.c profstacks.c profsum.c symbols.c)
FUZZ_ALL := $(patsubst tests/fuzz/%.c,$(FUZZ_OUT)/%,$(wildcard tests/fuzz/*.c))

.PHONY: fuzz
fuzz: $(FUZZ_ALL) $(FUZZ_OUT)/seeds/job

# Each source once, for all fuzzers, and by itself: ccache knows single ones only.
FUZZ_OBJ := $(FUZZ_SRC:%.c=$(FUZZ_OUT)/obj/%.o)
FUZZ_LIB_OBJ := $(FUZZ_LIB_SRC:%.c=$(FUZZ_OUT)/obj/%.o)
FUZZ_SOCKETS_OBJ := $(FUZZ_SOCKETS_SRC:%.c=$(FUZZ_OUT)/obj/%.o)
FUZZ_RECORDING_OBJ := $(FUZZ_RECORDING_SRC:%.c=$(FUZZ_OUT)/obj/%.o)
FUZZ_NAMES_OBJ := $(FUZZ_NAMES_SRC:%.c=$(FUZZ_OUT)/obj/%.o)
FUZZ_PROFILE_OBJ := $(sort $(FUZZ_PROFILE_SRC:%.c=$(FUZZ_OUT)/obj/%.o))

FUZZ_JOB_OBJ := $(sort $(FUZZ_JOB_SRC:%.c=$(FUZZ_OUT)/obj/%.o))

$(FUZZ_OUT)/%: $(FUZZ_OUT)/obj/tests/fuzz/%.o $(FUZZ_OBJ)
	$(FUZZ_CC) $(FUZZ_CFLAGS) -o $@ $(filter %.o,$^) $(FUZZ_LIBS)

$(FUZZ_OUT)/ehframe: FUZZ_LIBS := -ldw -lelf
$(FUZZ_OUT)/ehframe: $(FUZZ_LIB_OBJ)
$(FUZZ_OUT)/job: FUZZ_LIBS := -ldw -lelf -llzma -lz -lseccomp -l:libiberty.a
$(FUZZ_OUT)/job: $(FUZZ_JOB_OBJ)
$(FUZZ_OUT)/sockets: $(FUZZ_SOCKETS_OBJ)
$(FUZZ_OUT)/recording: FUZZ_LIBS := -lzstd -lseccomp
$(FUZZ_OUT)/recording: $(FUZZ_RECORDING_OBJ)
$(FUZZ_OUT)/names: FUZZ_LIBS := -ldw -lelf -lz -lzstd -llzma -ldl -lseccomp -l:libiberty.a
$(FUZZ_OUT)/names: $(FUZZ_NAMES_OBJ)
$(FUZZ_OUT)/profile: FUZZ_LIBS := -lzstd -ldw -lelf -lz -llzma -ldl -lseccomp -l:libiberty.a
$(FUZZ_OUT)/profile: $(FUZZ_PROFILE_OBJ)

FUZZ_DEPS := $(wildcard $(FUZZ_MODULE)/*.h tests/kunit/*.h tests/shim/*/*.h \
	uapi/linux/*.h userspace/lib/*.h) tests/fuzz/fuzz.mk

$(FUZZ_OUT)/obj/%.o: %.c $(FUZZ_DEPS)
	@mkdir -p $(@D)
	$(FUZZ_CC) $(FUZZ_CFLAGS) $(FUZZ_INCLUDE) -c -o $@ $<

$(FUZZ_OUT)/obj/tests/fuzz/ehframe.o $(FUZZ_OUT)/obj/tests/fuzz/sockets.o \
	$(FUZZ_OUT)/obj/tests/fuzz/recording.o $(FUZZ_OUT)/obj/tests/fuzz/profile.o \
	$(FUZZ_OUT)/obj/tests/fuzz/names.o $(FUZZ_OUT)/obj/tests/fuzz/job.o $(FUZZ_JOB_OBJ) \
	$(FUZZ_LIB_OBJ) $(FUZZ_SOCKETS_OBJ) $(FUZZ_PROFILE_OBJ): FUZZ_INCLUDE := -Iuserspace

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
