# SPDX-License-Identifier: GPL-2.0
#
# The hostile programs: `make -f tests/guest/hostile/build.mk`, from the top of the
# tree, builds them into build/hostile/.

HOSTILE := tests/guest/hostile
HOSTILE_OUT ?= build/hostile
HOSTILE_CC ?= gcc

HOSTILE_CFLAGS := -std=gnu11 -D_GNU_SOURCE -O1 -g -Wall -Wextra -Werror \
	-Wno-sign-compare -Wno-missing-field-initializers -D_FILE_OFFSET_BITS=64 \
	-pthread -I uapi
HOSTILE_FUZZ := $(addprefix $(HOSTILE)/,fuzz.c programs.c calls.c \
	models.c commands.c tables.c images.c looks.c descriptors.c mappings.c company.c \
	places.c judge.c)
HOSTILE_HEADERS := $(wildcard $(HOSTILE)/*.h) $(wildcard uapi/linux/*.h) $(HOSTILE)/build.mk

.PHONY: hostile hostile-clean
hostile: $(HOSTILE_OUT)/fuzz $(HOSTILE_OUT)/sweep

$(HOSTILE_OUT)/fuzz: $(HOSTILE_FUZZ) $(HOSTILE_HEADERS)
	@mkdir -p $(@D)
	$(HOSTILE_CC) $(HOSTILE_CFLAGS) -static -o $@ $(HOSTILE_FUZZ)

$(HOSTILE_OUT)/sweep: $(HOSTILE)/sweep.c $(HOSTILE_HEADERS)
	@mkdir -p $(@D)
	$(HOSTILE_CC) $(HOSTILE_CFLAGS) -static -o $@ $<

hostile-clean:
	rm -rf $(HOSTILE_OUT)
