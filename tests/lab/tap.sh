# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# TAP for tests in bash: one line for each check. As tap.py for tests in Python, and tap.h
# for tests in C.

tap_count=0
tap_bad=0

# ok NAME, not_ok NAME: one result.
ok() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $*"
}
not_ok() {
	tap_count=$((tap_count + 1))
	tap_bad=$((tap_bad + 1))
	echo "not ok $tap_count - $*"
}

# check NAME COMMAND...: passes if the command does; its output is a comment.
check() {
	local name=$1 text status=0
	shift
	text=$("$@" 2>&1) || status=$?
	if [ "$status" = 0 ]; then
		ok "$name"
	else
		[ -z "$text" ] || echo "# ${text//$'\n'/$'\n'# }"
		not_ok "$name"
	fi
}

# skip NAME REASON
skip() { ok "$1 # SKIP $2"; }

# equal GOT WANTED
equal() {
	[ "$1" = "$2" ] && return
	echo "got:    $1"
	echo "wanted: $2"
	return 1
}

# done_testing: the plan, and the exit status.
done_testing() {
	echo "1..$tap_count"
	[ "$tap_bad" = 0 ]
}
