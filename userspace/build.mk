# SPDX-License-Identifier: GPL-2.0
#
# Builds the reader: every userspace/lib/*/*.c into libwallprof.a, every .c below
# userspace/cmd/ into the program wallprof. Called from the top directory:
#
#	make -f userspace/build.mk		build/libwallprof.a, build/wallprof
#	make -f userspace/build.mk SAN=1	the same in build/san/, under ASan, UBSan
#	make -f userspace/build.mk WP_STATIC=1	the same in build/static/, linked statically
#	make -f userspace/build.mk V=1		shows the commands
#
# With WP_WERROR=1 a warning is a failure, as for tests/run. A user's build goes on:
# newer compilers and C libraries warn of more.
#
# Messages of protobuf come from proto/*.proto, by protoc-c, into WP_OUT/gen/.
#
# CC, AR, CFLAGS, LDFLAGS and WP_OUT (the place for all of it) can be given, as
# tests/lab/programs does for another machine.
#
# Headers come from uapi/ (the device) and userspace/ ("lib/base/err.h").

CC ?= cc
AR ?= ar
PROTOC_C ?= protoc-c

WP_OUT ?= build$(if $(SAN),/san)$(if $(WP_STATIC),/static)
WP_VERSION := $(shell cat VERSION 2>/dev/null || echo 0)

WP_CFLAGS := -std=gnu11 -O2 -g -fno-omit-frame-pointer -fno-strict-aliasing \
	-Wall -Wextra $(if $(WP_WERROR),-Werror) -Wshadow -Wstrict-prototypes \
	-Wmissing-prototypes \
	-D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -pthread \
	-DWP_VERSION='"$(WP_VERSION)"' -Iuapi -Iuserspace -I$(WP_OUT)/gen
# Small, and on few machines: linked in, so that the program needs no more there.
WP_LINKED_IN ?= -l:libprotobuf-c.a -l:libjson-c.a -l:libiberty.a -l:libncursesw.a -l:libtinfo.a
WP_LDLIBS := -ldw -lelf -lz -lzstd -llzma -ldl -lseccomp $(WP_LINKED_IN) -lm -pthread

# No path of the tree is in it. The linker warns of functions that load libraries
# (lib/base/hostlibs.c), and of nothing else.
ifneq ($(WP_STATIC),)
WP_CFLAGS += -DWP_STATIC -fPIE -ffile-prefix-map=$(CURDIR)=.
WP_LINKED_IN := -lprotobuf-c -ljson-c -liberty -lncursesw -ltinfo
WP_TERMINALS := xterm xterm-256color screen screen-256color tmux tmux-256color linux vt100 \
	vt220 rxvt-unicode-256color
WP_LDFLAGS := -static-pie -Wl,--fatal-warnings -Wl,-Map=$(WP_OUT)/wallprof.map
endif

ifneq ($(SAN),)
WP_SAN := -fsanitize=address,undefined -fno-sanitize-recover=all
endif

WP_LIB_SRC := $(sort $(wildcard userspace/lib/*/*.c))
WP_CMD_SRC := $(sort $(wildcard userspace/cmd/*.c userspace/cmd/*/*.c))
WP_GEN := $(patsubst userspace/proto/%.proto,%,$(sort $(wildcard userspace/proto/*.proto)))
WP_GEN_H := $(WP_GEN:%=$(WP_OUT)/gen/%.pb-c.h)
WP_LIB_OBJ := $(WP_LIB_SRC:%.c=$(WP_OUT)/obj/%.o) $(WP_GEN:%=$(WP_OUT)/obj/gen/%.pb-c.o)
WP_CMD_OBJ := $(WP_CMD_SRC:%.c=$(WP_OUT)/obj/%.o) $(WP_OUT)/obj/userspace/flame/page.o

wp_q := $(if $(V),,@)
wp_say = $(if $(V),,@printf '  %-7s %s\n' $(1) $(2);)

.PHONY: userspace userspace-clean
userspace: $(WP_OUT)/libwallprof.a $(if $(WP_CMD_SRC),$(WP_OUT)/wallprof)

# Made anew, not updated: an object whose source is gone must not stay behind.
$(WP_OUT)/libwallprof.a: $(WP_LIB_OBJ) $(WP_OUT)/obj/lib.list
	$(call wp_say,AR,$@)rm -f $@ && $(AR) rcs $@ $(WP_LIB_OBJ)

$(WP_OUT)/wallprof: $(WP_CMD_OBJ) $(WP_OUT)/libwallprof.a
	$(call wp_say,LINK,$@)$(CC) $(WP_SAN) $(WP_LDFLAGS) $(LDFLAGS) -o $@ $(WP_CMD_OBJ) \
		$(WP_OUT)/libwallprof.a $(WP_LDLIBS) $(LDLIBS)

$(WP_OUT)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(call wp_say,CC,$@)$(CC) $(WP_CFLAGS) $(WP_SAN) $(CFLAGS) -MMD -MP -c -o $@ $<

# The page of wallprof flame, as it is.
$(WP_OUT)/obj/userspace/flame/page.o: $(wildcard userspace/flame/*)
	@mkdir -p $(@D)
	$(call wp_say,AS,$@)$(CC) $(CFLAGS) -c -o $@ userspace/flame/page.S

$(WP_GEN_H): $(WP_OUT)/gen/%.pb-c.h: userspace/proto/%.proto
	@mkdir -p $(@D)
	$(call wp_say,PROTO,$@)$(PROTOC_C) --c_out=$(@D) -Iuserspace/proto $<

# Both come at once; the header is as old as the source.
$(WP_GEN_H:.h=.c): %.c: %.h

$(WP_OUT)/obj/gen/%.o: $(WP_OUT)/gen/%.c
	@mkdir -p $(@D)
	$(call wp_say,CC,$@)$(CC) $(WP_CFLAGS) $(WP_SAN) $(CFLAGS) -MMD -MP -c -o $@ $<

# Pairs of name and description, as terminfo(5) has it for TERMINFO. Those of the system, not
# those of the user.
$(WP_OUT)/gen/terminals.inc: userspace/build.mk
	@mkdir -p $(@D)
	$(call wp_say,TERM,$@)for t in $(WP_TERMINALS); do \
		d=$$(env -u TERMINFO -u TERMINFO_DIRS HOME=/nonexistent infocmp -Q2 -q $$t) || exit; \
		printf '{ "%s", "%s" },\n' $$t "$$(echo "$$d" | tr -d '\n')"; done >$@.new
	$(wp_q)mv $@.new $@

$(WP_LIB_OBJ) $(WP_CMD_OBJ): | $(WP_GEN_H) $(if $(WP_STATIC),$(WP_OUT)/gen/terminals.inc)

# The list of objects, rewritten only when it changes.
$(WP_OUT)/obj/lib.list: FORCE
	@mkdir -p $(@D)
	@echo '$(WP_LIB_OBJ)' | cmp -s - $@ || echo '$(WP_LIB_OBJ)' > $@

.PHONY: FORCE
FORCE:

userspace-clean:
	$(wp_q)rm -rf build/obj build/gen build/san build/libwallprof.a build/wallprof

-include $(WP_LIB_OBJ:.o=.d) $(WP_CMD_OBJ:.o=.d)
