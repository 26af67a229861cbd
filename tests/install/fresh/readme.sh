# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# The commands of README.md and Documentation/install.rst, as they are printed there, on
# a new machine (machine.sh).
# shellcheck disable=SC2154 # machine.sh sets them

# block FILE HEADING: the first block of commands below a heading, of Markdown or
# reStructuredText.
block() {
	awk -v heading="$2" '
		{ title = $0; sub(/^#+ /, "", title) }
		title == heading { here = 1; next }
		here && /^    / { print substr($0, 5); found = 1; next }
		here && found { exit }' "$1"
}

# packages: those of a real host and of DKMS are a layer each, which is made again when
# their line or the suite's root changes.
packages() {
	block Documentation/install.rst 'From source' >"$work/real-host"
	block Documentation/install.rst 'With DKMS' >"$work/dkms"
	use
	host_layer=$(layer packages '' "apt-get -q update; $(sed -n 1p "$work/real-host")")
	use "$host_layer"
	dkms_layer=$(layer dkms '' "$(sed -n 1p "$work/dkms")")
}

# demo_packages: those that make demo installs.
demo_packages() {
	use
	# shellcheck disable=SC2034 # by those who read this
	demo_layer=$(layer deps "$(cat tests/lab/lib.sh tests/lab/deps)" 'tests/lab/deps demo')
}

# installs: all that is ours is built and installed each time.
installs() {
	local line build
	packages
	check 'from source: the commands' \
		equal "$(awk '{ print $1 }' "$work/real-host" | tr '\n' ' ')" 'sudo make sudo '
	check 'DKMS: the commands' \
		equal "$(awk '{ print $1 }' "$work/dkms" | tr '\n' ' ')" 'sudo make sudo '

	use "$host_layer"
	build=$(sed -n 2p "$work/real-host")
	check "$suite: from source: $build" inside "$build"
	check "$suite: from source: the compiler has nothing to say" nothing_said
	check "$suite: from source: nothing is said of keys or SSL" not said 'SSL|sign-file|signing_key'
	check "$suite: from source: modprobe finds the module" \
		inside 'modprobe -n -v -S "$(uname -r)" wallprof | grep extra/wallprof.ko'
	check "$suite: from source: the reader runs" inside 'wallprof --version'
	check "$suite: from source: each command of it is there" inside \
		'for c in modprobe wallprof perf sudo; do command -v $c; done'

	use "$dkms_layer" "$host_layer"
	while read -r line; do
		check "$suite: DKMS: $line" inside "$line"
		check "$suite: DKMS: the compiler has nothing to say" nothing_said
	done < <(sed 1d "$work/dkms")
	# Newer dkms leaves depmod to kernels that are installed.
	check "$suite: DKMS: the module is installed, for this kernel" inside '
		modinfo -F vermagic /lib/modules/"$(uname -r)"/updates/dkms/wallprof.ko* |
			grep "^$(uname -r) "'
	check "$suite: DKMS: the reader runs" inside 'wallprof --version'
}

not() { ! "$@"; }

nothing_said() { ! grep -n 'warning: ' "$work/log"; }
