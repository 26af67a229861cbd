# SPDX-License-Identifier: GPL-2.0
#
# Builds tests/unit/*.c, one program each, under ASan and UBSan, and runs them.
#
#	make -f tests/unit/build.mk		build/unit/NAME
#	make -f tests/unit/build.mk check	and run them; TAP on stdout
#
# A test is linked with the sanitized libwallprof, which the reader's own
# makefile builds.

CC ?= cc
UNIT_OUT := build/unit
UNIT_SRC := $(sort $(wildcard tests/unit/*.c))
UNIT_BIN := $(UNIT_SRC:tests/unit/%.c=$(UNIT_OUT)/%)
UNIT_CFLAGS := -std=gnu11 -O1 -g -D_GNU_SOURCE -Wall -Wextra -Werror -Wshadow \
	-Wno-missing-field-initializers -Wno-unused-parameter \
	-fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all \
	-Iuapi -Iuserspace -Itests/unit -Itests/lab -Ibuild/san/gen

UNIT_LIB := build/san/libwallprof.a

.PHONY: unit check
unit: $(UNIT_BIN)

check: unit
	@status=0; for test in $(UNIT_BIN); do \
		echo "# $$test"; $$test || { echo "# $$test: failed"; status=1; }; \
	done; exit $$status

# By itself, as ccache wants it. What is generated comes with the library.
$(UNIT_OUT)/obj/%.o: tests/unit/%.c | build/san/libwallprof.a
	@mkdir -p $(@D)
	$(CC) $(UNIT_CFLAGS) $(UNIT_INCLUDE) -MMD -MP -c -o $@ $<

$(UNIT_OUT)/%: $(UNIT_OUT)/obj/%.o build/san/libwallprof.a
	$(CC) $(UNIT_CFLAGS) -o $@ $< $(UNIT_MODULE) $(UNIT_LIB) \
		-ldw -lelf -lz -lzstd -llzma -ldl -lseccomp -l:libprotobuf-c.a -l:libjson-c.a -l:libiberty.a -lm -pthread

# What checks their tables is the module's.
UNIT_TABLES := $(UNIT_OUT)/unwindtable $(UNIT_OUT)/gofuncs $(UNIT_OUT)/jvmcode
$(UNIT_TABLES) $(UNIT_TABLES:$(UNIT_OUT)/%=$(UNIT_OUT)/obj/%.o): \
	UNIT_INCLUDE := -Itests/kunit/shim -Imodule
$(UNIT_TABLES): UNIT_MODULE = $(UNIT_INCLUDE) module/pure/unwind_table.c
$(UNIT_TABLES): $(wildcard module/pure/unwind_table.*)

# What evaluates its filters is the module's.
UNIT_FILTER := $(UNIT_OUT)/filter
$(UNIT_FILTER) $(UNIT_OUT)/obj/filter.o: UNIT_INCLUDE := -Itests/kunit/shim -Imodule
$(UNIT_FILTER): UNIT_MODULE = $(UNIT_INCLUDE) module/pure/event_filter.c
$(UNIT_FILTER): $(wildcard module/pure/event_filter.*)

# What it tests is the commands'.
$(UNIT_OUT)/signals: UNIT_MODULE = userspace/cmd/common/signals.c userspace/cmd/common/sigwatch.c
$(UNIT_OUT)/signals: userspace/cmd/common/signals.c userspace/cmd/common/sigwatch.c

$(UNIT_OUT)/eventlines: UNIT_MODULE = userspace/cmd/record/eventlines.c
$(UNIT_OUT)/eventlines: userspace/cmd/record/eventlines.c

UNIT_OUTBOX := $(addprefix userspace/cmd/agent/,outbox.c sender.c http.c headers.c answer.c)
$(UNIT_OUT)/outbox: UNIT_MODULE = -DWP_VERSION='"unit"' $(UNIT_OUTBOX)
$(UNIT_OUT)/outbox: $(UNIT_OUTBOX)

$(UNIT_OUT)/answer: UNIT_MODULE = userspace/cmd/agent/answer.c
$(UNIT_OUT)/answer: userspace/cmd/agent/answer.c

UNIT_CARRY := userspace/cmd/agent/carry.c userspace/cmd/agent/sums.c $(UNIT_OUTBOX)
$(UNIT_OUT)/agentcarry: UNIT_MODULE = -DWP_VERSION='"unit"' $(UNIT_CARRY)
$(UNIT_OUT)/agentcarry: $(UNIT_CARRY)

UNIT_SUMS := userspace/cmd/agent/sums.c userspace/cmd/agent/hists.c
$(UNIT_OUT)/agentsums: UNIT_MODULE = $(UNIT_SUMS)
$(UNIT_OUT)/agentsums: $(UNIT_SUMS)

UNIT_LABELS := userspace/cmd/agent/labels.c userspace/cmd/agent/containers.c
$(UNIT_OUT)/agentlabels $(UNIT_OUT)/agentcontainers: UNIT_MODULE = $(UNIT_LABELS)
$(UNIT_OUT)/agentlabels $(UNIT_OUT)/agentcontainers: $(UNIT_LABELS)

UNIT_WINDOW := userspace/cmd/agent/window.c userspace/cmd/common/liveframes.c
$(UNIT_OUT)/agentwindow: UNIT_MODULE = $(UNIT_WINDOW)
$(UNIT_OUT)/agentwindow: $(UNIT_WINDOW)

# Workers have less memory and fewer system calls than a sanitizer takes.
UNIT_PLAIN := $(UNIT_OUT)/worker $(UNIT_OUT)/jitmaps $(UNIT_OUT)/livejit
$(UNIT_PLAIN) $(UNIT_PLAIN:$(UNIT_OUT)/%=$(UNIT_OUT)/obj/%.o): \
	UNIT_CFLAGS := $(filter-out -fsanitize=% -fno-sanitize-recover=%,$(UNIT_CFLAGS))
$(UNIT_PLAIN): UNIT_LIB := build/libwallprof.a
$(UNIT_PLAIN): build/libwallprof.a

# It calls the commands.
$(UNIT_OUT)/words: | build/san/wallprof

build/san/libwallprof.a: FORCE
	@$(MAKE) -s -f userspace/build.mk SAN=1 $@

build/libwallprof.a: FORCE
	@$(MAKE) -s -f userspace/build.mk $@

build/san/wallprof: build/san/libwallprof.a FORCE
	@$(MAKE) -s -f userspace/build.mk SAN=1 $@

.PHONY: FORCE
FORCE:

-include $(UNIT_SRC:tests/unit/%.c=$(UNIT_OUT)/obj/%.d)
.SECONDARY:
