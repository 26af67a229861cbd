# SPDX-License-Identifier: GPL-2.0
#
# wallprof: a kernel module and its reader. "make help" names the targets.
# The module's own build is in Kbuild, the reader's in userspace/build.mk.

KDIR ?= /lib/modules/$(shell uname -r)/build
PREFIX ?= /usr/local
DESTDIR ?=
TESTS ?=
# A key that the kernel trusts, and its certificate: "make install" signs.
MODULE_SIGN_KEY ?=
MODULE_SIGN_CERT ?=
SIGN_FILE ?= $(KDIR)/scripts/sign-file
KERNELS ?=

# There rpm is a program without packages of its own.
ON_DEBIAN := $(wildcard /etc/debian_version)
MAN := $(wildcard Documentation/man/*.[1-9])
# Completion code: by "wallprof --completion SHELL".
BASH_COMPLETION := $(PREFIX)/share/bash-completion/completions/wallprof
ZSH_COMPLETION := $(PREFIX)/share/zsh/site-functions/_wallprof
FISH_COMPLETION := $(PREFIX)/share/fish/vendor_completions.d/wallprof.fish
# Not enabled by this. The static program has no agent.
UNIT := $(PREFIX)/lib/systemd/system/wallprof-agent.service
# Not "make kernelrelease": Debian's headers answer with another version.
KRELEASE = $(shell sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' \
	$(KDIR)/include/generated/utsrelease.h)
MODDIR = $(DESTDIR)/lib/modules/$(KRELEASE)
SIGN_HASH = $(shell sed -n 's/^CONFIG_MODULE_SIG_HASH="*\([a-z0-9-]*\)"*$$/\1/p' \
	$(KDIR)/include/config/auto.conf 2>/dev/null)
SIGNED := $(if $(MODULE_SIGN_KEY)$(MODULE_SIGN_CERT),signed)
# Whether modules_install can sign: a distribution's headers come without its key, but
# may have CONFIG_MODULE_SIG_ALL, and sign-file complains.
KERNEL_KEY = $(shell sed -n 's/^CONFIG_MODULE_SIG_KEY="\(.*\)"$$/\1/p' \
	$(KDIR)/include/config/auto.conf 2>/dev/null)
KERNEL_SIGNS = $(if $(wildcard $(KDIR)/certs/signing_key.x509),$(if \
	$(filter pkcs11:%,$(KERNEL_KEY))$(wildcard $(KERNEL_KEY) $(KDIR)/$(KERNEL_KEY)),$(shell \
	grep -sx CONFIG_MODULE_SIG_ALL=y $(KDIR)/include/config/auto.conf)))

.PHONY: all
all: module reader

.PHONY: module
module: fresh
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

# What the reader is built with. demangle.h lies in /usr/include on EL.
.PHONY: libraries
libraries:
	@demangle=$$(echo '#include <demangle.h>' | $(CC) -E - >/dev/null 2>&1 || \
		echo libiberty/)demangle.h; \
	for p in elfutils/libdw.h:libdw-dev zlib.h:zlib1g-dev lzma.h:liblzma-dev \
		seccomp.h:libseccomp-dev curl/curl.h:libcurl4-gnutls-dev \
		zstd.h:libzstd-dev protobuf-c/protobuf-c.h:libprotobuf-c-dev \
		json-c/json.h:libjson-c-dev \
		$$demangle:libiberty-dev curses.h:libncurses-dev; do \
		echo "#include <$${p%:*}>" | $(CC) -E - >/dev/null 2>&1 || { \
		echo "wallprof: no $${p%:*}: install the package $${p#*:}" \
		'("tests/lab/deps build" does).' >&2; exit 1; }; done
	@command -v protoc-c >/dev/null || { \
		echo 'wallprof: no protoc-c: install the package protobuf-c-compiler' \
		'("tests/lab/deps build" does).' >&2; exit 1; }

.PHONY: reader
reader: libraries
	$(MAKE) -f userspace/build.mk

.PHONY: headers
headers:
	@test -e $(KDIR)/Makefile || { \
		echo 'wallprof: no kernel headers in $(KDIR): install the package' \
		'linux-headers-$(shell uname -r), or name others by KDIR=.' >&2; \
		exit 1; }

# Kbuild takes objects of another kernel for good ones if their compiler and
# options were the same; dkms builds in a copy of whatever it was given.
.PHONY: fresh
fresh: headers
	@[ "$$(cat build/kernel 2>/dev/null)" = '$(KRELEASE)' ] || { \
		$(clean-module) && mkdir -p build && \
		echo '$(KRELEASE)' >build/kernel; }

# sign-file and kmodsign take the same arguments.
.PHONY: signed
signed: module
	@test -n '$(MODULE_SIGN_KEY)' -a -n '$(MODULE_SIGN_CERT)' || { \
		echo 'wallprof: signing takes both, MODULE_SIGN_KEY= and' \
		'MODULE_SIGN_CERT=' >&2; exit 1; }
	@command -v '$(SIGN_FILE)' >/dev/null || { \
		echo 'wallprof: no $(SIGN_FILE) to sign with: name another by' \
		'SIGN_FILE= (kmodsign of the package sbsigntool will do)' >&2; exit 1; }
	@mkdir -p build/signed && rm -f build/signed/wallprof.ko
	$(SIGN_FILE) $(or $(SIGN_HASH),sha256) '$(MODULE_SIGN_KEY)' \
		'$(MODULE_SIGN_CERT)' wallprof.ko build/signed/wallprof.ko

.PHONY: install
install: install-module install-reader

.PHONY: install-module
install-module: module $(SIGNED)
	rm -f $(MODDIR)/extra/wallprof.ko $(MODDIR)/extra/wallprof.ko.*
	$(if $(SIGNED),install -D -m 644 build/signed/wallprof.ko \
		$(MODDIR)/extra/wallprof.ko,\
	$(MAKE) -C $(KDIR) M=$(CURDIR) INSTALL_MOD_PATH=$(DESTDIR) \
		INSTALL_MOD_DIR=extra $(if $(KERNEL_SIGNS),,CONFIG_MODULE_SIG_ALL=) \
		modules_install)
	$(if $(SIGNED)$(KERNEL_SIGNS)$(if $(SIGN_HASH),,unsigned),,@echo 'wallprof: the module is not signed, as' \
		'MODULE_SIGN_KEY= is not given. Under Secure Boot the kernel refuses' \
		"it: see SIGNED MODULES in 'man wallprof'." >&2)
	$(if $(DESTDIR),,depmod $(KRELEASE))

.PHONY: install-reader
install-reader: reader
	install -D -m 755 build/wallprof $(DESTDIR)$(PREFIX)/bin/wallprof
	$(foreach m,$(MAN),install -D -m 644 $(m) \
		$(DESTDIR)$(PREFIX)/share/man/man$(subst .,,$(suffix $(m)))/$(notdir $(m)) &&) :
	for shell in bash zsh fish; do \
		build/wallprof --completion $$shell >build/completion.$$shell || exit 1; \
	done
	install -D -m 644 build/completion.bash $(DESTDIR)$(BASH_COMPLETION)
	install -D -m 644 build/completion.zsh $(DESTDIR)$(ZSH_COMPLETION)
	install -D -m 644 build/completion.fish $(DESTDIR)$(FISH_COMPLETION)
	$(if $(WP_STATIC),,sed 's,/usr/bin/,$(PREFIX)/bin/,' dist/wallprof-agent.service \
		>build/wallprof-agent.service && \
		install -D -m 644 build/wallprof-agent.service $(DESTDIR)$(UNIT))

.PHONY: uninstall
uninstall: headers
	rm -f $(MODDIR)/extra/wallprof.ko $(MODDIR)/extra/wallprof.ko.*
	$(if $(DESTDIR),,depmod $(KRELEASE))
	rm -f $(DESTDIR)$(PREFIX)/bin/wallprof
	rm -f $(DESTDIR)$(BASH_COMPLETION) $(DESTDIR)$(ZSH_COMPLETION) \
		$(DESTDIR)$(FISH_COMPLETION) $(DESTDIR)$(UNIT)
	$(foreach m,$(MAN),rm -f \
		$(DESTDIR)$(PREFIX)/share/man/man$(subst .,,$(suffix $(m)))/$(notdir $(m)) &&) :

# From what is committed, in a copy; a tree that is no clone is copied as it is.
DEB := build/deb/wallprof-$(shell cat VERSION)
.PHONY: deb
deb:
	@command -v dpkg-buildpackage >/dev/null || { \
		echo 'wallprof: no dpkg-buildpackage: install the package dpkg-dev' \
		'("tests/lab/deps deb" does).' >&2; exit 1; }
	@dpkg-checkbuilddeps debian/control || { \
		echo 'wallprof: packages to build with are missing:' \
		'"apt-get build-dep ./" or "tests/lab/deps deb" installs them.' >&2; exit 1; }
	rm -rf build/deb && mkdir -p $(DEB)
	if [ -e .git ]; then git archive HEAD; \
		else tar -c --exclude=./build .; fi | tar -x -C $(DEB)
	cd $(DEB) && dpkg-buildpackage -us -uc -b
	rm -rf $(DEB)
	@ls build/deb/*.deb

# Also from what is committed, or a copy. RPMFLAGS go to rpmbuild: "--without reader" is
# the module's source only.
RPMFLAGS ?=
RPM := build/rpm/wallprof-$(shell cat VERSION)
.PHONY: rpm
rpm:
	@command -v rpmbuild >/dev/null || { \
		echo 'wallprof: no rpmbuild: install the package rpm ("tests/lab/deps rpm"' \
		'does), on EL rpm-build.' >&2; exit 1; }
	$(if $(ON_DEBIAN),$(if $(findstring --without reader,$(RPMFLAGS)),,@$(MAKE) \
		--no-print-directory libraries))
	@[ -z '$(ON_DEBIAN)' ] || echo 'wallprof: --nodeps: the packages that the spec' \
		'requires have the names of EL; this is Debian.' >&2
	rm -rf build/rpm && mkdir -p $(RPM)
	if [ -e .git ]; then git archive HEAD; \
		else tar -c --exclude=./build .; fi | tar -x -C $(RPM)
	chmod 644 $(RPM)/dist/wallprof.spec
	epoch=$${SOURCE_DATE_EPOCH:-$$(if [ -e .git ]; then git log -1 --format=%ct; \
		else stat -c %Y VERSION; fi)} && export SOURCE_DATE_EPOCH=$$epoch && \
	tar -c --sort=name --format=gnu --mtime=@$$epoch --owner=0 --group=0 --numeric-owner \
		--mode=u+rw,go=rX -C build/rpm $(notdir $(RPM)) | gzip -n >$(RPM).tar.gz && \
	rpmbuild -ba $(if $(ON_DEBIAN),--nodeps) --define '_topdir $(CURDIR)/build/rpm' \
		--define '_sourcedir %{_topdir}' --define '_rpmdir %{_topdir}' \
		--define '_srcrpmdir %{_topdir}' \
		--define '_build_name_fmt %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm' \
		--define 'use_source_date_epoch_as_buildtime 1' \
		--define 'clamp_mtime_to_source_date_epoch 1' \
		--define '_buildhost reproducible' $(RPMFLAGS) $(RPM)/dist/wallprof.spec
	rm -rf $(RPM) $(RPM).tar.gz build/rpm/BUILD build/rpm/BUILDROOT build/rpm/SPECS
	@ls build/rpm/*.rpm

# The reader as one static program, and the module's source.
.PHONY: bundle
bundle:
	+@CC='$(CC)' dist/bundle

# Modules for other machines' kernels: dist/prebuild --help.
HEADERS ?=
PREBUILT ?= build/prebuilt
.PHONY: prebuilt
prebuilt:
	@test -n '$(HEADERS)' || { \
		echo 'wallprof: HEADERS= names no headers packages: see' \
		'"dist/prebuild --help"' >&2; exit 1; }
	MODULE_SIGN_KEY='$(MODULE_SIGN_KEY)' MODULE_SIGN_CERT='$(MODULE_SIGN_CERT)' \
		dist/prebuild -o '$(PREBUILT)' $(foreach name,CC CROSS_COMPILE,$(if \
		$(filter command,$(origin $(name))),$(name)='$($(name))')) $(HEADERS)

define clean-module
rm -rf .tmp_versions && \
rm -f Module.symvers modules.order .modules.order.cmd .Module.symvers.cmd && \
rm -f wallprof.ko wallprof.o wallprof.mod wallprof.mod.o wallprof.mod.c && \
rm -f .wallprof.*.cmd .module-common.o .cache.mk && \
rm -f module/compat/features.h && \
rm -f module/compat/tests/*.found module/compat/tests/*.log && \
find module -name '*.o' -delete -o -name '.*.cmd' -delete \
	-o -name '*.gcno' -delete -o -name '.*.d' -delete
endef

.PHONY: clean
clean:
	rm -rf build
	$(clean-module)

.PHONY: htmldocs
htmldocs:
	@command -v sphinx-build >/dev/null || { \
		echo 'wallprof: no sphinx-build: install the package python3-sphinx' \
		'("tests/lab/deps docs" does).' >&2; exit 1; }
	sphinx-build -q -W --keep-going -b html -d build/doctrees Documentation build/html
	@echo build/html/index.html

.PHONY: demo
demo:
	tests/lab/demo

.PHONY: check
check:
	tests/lab/deps check
	tests/lab/fill
	tests/run $(TESTS)

.PHONY: check-quick
check-quick:
	tests/lab/deps quick
	tests/lab/fill quick
	tests/run --quick $(TESTS)

.PHONY: check-matrix
check-matrix:
	tests/lab/deps check deb rpm
	tests/lab/fill matrix $(KERNELS)
	tests/run --matrix $(if $(KERNELS),--kernels "$(KERNELS)") $(TESTS)

.PHONY: check-debug
check-debug:
	tests/lab/deps check
	tests/lab/fill debug
	tests/run --debug $(TESTS)

.PHONY: bench
bench:
	tests/lab/deps bench
	tests/bench/run
	tests/bench/peers

.PHONY: bench-accuracy
bench-accuracy:
	tests/lab/deps bench
	tests/bench/accuracy

.PHONY: bench-endure
bench-endure:
	tests/lab/deps bench
	tests/bench/endure

.PHONY: bench-soak
bench-soak:
	tests/lab/deps bench
	tests/bench/soak

.PHONY: bench-flight
bench-flight:
	tests/lab/deps bench
	tests/bench/flight

.PHONY: bench-cpus
bench-cpus:
	tests/lab/deps bench
	tests/bench/cpus

.PHONY: bench-report
bench-report:
	tests/lab/deps bench
	tests/bench/report

.PHONY: help
help:
	@echo 'make                 the module (wallprof.ko) and the reader (build/wallprof)'
	@echo 'make module|reader   one of them'
	@echo 'make install         both, man pages, shell completion; make uninstall takes them away'
	@echo 'make install-module  the module only; make install-reader, the rest'
	@echo 'make deb             Debian packages of both, in build/deb/'
	@echo 'make rpm             RPM packages of both, and their source, in build/rpm/'
	@echo 'make bundle          both for hosts where nothing may be installed, in build/bundle/'
	@echo 'make prebuilt        modules for other kernels; HEADERS="package..." (dist/prebuild --help)'
	@echo 'make htmldocs        Documentation as pages, in build/html/'
	@echo 'make clean           remove what a build left'
	@echo 'make demo            a recording in a guest machine, shown by stock perf'
	@echo 'make check           all tests but those of check-debug; TESTS="name..." only these'
	@echo 'make check-quick     on one kernel what takes some minutes in all'
	@echo 'make check-matrix    on each supported kernel; KERNELS="name..." only on these'
	@echo 'make check-debug     on the debug kernels'
	@echo 'make bench           the cost of a context switch, beside the peers; five rounds take hours'
	@echo 'make bench-accuracy  the recorded length of each wait, beside that of perf'
	@echo 'make bench-endure    100,000 threads, and an hour of births: what it takes'
	@echo 'make bench-soak      a day of the agent: its memory, descriptors and time, each hour'
	@echo 'make bench-flight    an hour of a flight recorder at the highest rate of switches'
	@echo 'make bench-cpus      what a switch costs on 1 to 32 CPUs, and which cache lines move'
	@echo 'make bench-report    how long reading 1 GB takes, beside perf report'
	@echo
	@echo 'KDIR=DIR     kernel to build for     ($(KDIR))'
	@echo 'PREFIX=DIR   where the reader goes   ($(PREFIX))'
	@echo 'DESTDIR=DIR  a root in front of all  ($(if $(DESTDIR),$(DESTDIR),none))'
	@echo 'V=1          show the commands'
	@echo 'MODULE_SIGN_KEY=FILE MODULE_SIGN_CERT=FILE'
	@echo '             sign the module that is installed: see "man wallprof"'
