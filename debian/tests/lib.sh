# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Shared by the tests of the installed packages. autopkgtest runs them, and
# tests/install/dkms/packages.test in a guest. Each ends at the first command that fails.

tmp=${AUTOPKGTEST_TMP:-$(mktemp -d)}
set -x

# DKMS builds for kernels whose headers are installed. Exit status 77: skipped.
[ -e "/lib/modules/$(uname -r)/build/Makefile" ] || {
	echo "no headers of the running kernel are installed: $(uname -r)"
	exit 77
}

# fails COMMAND...: it does.
fails() {
	if "$@"; then
		return 1
	fi
}

# load: as at boot, by what is in modules-load.d.
load() {
	if [ -x /lib/systemd/systemd-modules-load ]; then
		/lib/systemd/systemd-modules-load
	else
		modprobe "$(grep -v '^#' /usr/lib/modules-load.d/wallprof.conf)"
	fi
	[ -c /dev/wallprof ]
}

loaded() { cat /sys/module/wallprof/version; }

# records: a short recording has something, with the module that is loaded.
records() {
	wallprof record -v -a -o "$tmp/perf.data" -- sleep 0.2 >"$tmp/log" 2>&1 || {
		cat "$tmp/log"
		return 1
	}
	grep "module $(loaded), " "$tmp/log"
	grep 'Captured and wrote' "$tmp/log"
}

# start_recording: one that lasts until end_recording.
start_recording() {
	rm -f "$tmp/began" "$tmp/enough"
	# shellcheck disable=SC2016
	wallprof record -v -a -o "$tmp/long.data" -- sh -c \
		'touch "$0/began"; until [ -e "$0/enough" ]; do sleep 0.1; done' "$tmp" \
		>"$tmp/long.log" 2>&1 &
	recording=$!
	until [ -e "$tmp/began" ]; do
		kill -0 "$recording"
		sleep 0.1
	done
}

# end_recording: it was not disturbed.
end_recording() {
	kill -0 "$recording"
	touch "$tmp/enough"
	wait "$recording" || {
		cat "$tmp/long.log"
		return 1
	}
	grep 'Captured and wrote' "$tmp/long.log"
	[ "$(head -c 8 "$tmp/long.data")" = PERFILE2 ]
}
