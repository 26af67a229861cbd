# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# For tests in bash: one TAP line per check.

tap_count=0
tap_bad=0

# check NAME COMMAND...: passes if the command does; its output is a comment.
check() {
	local name=$1 text status=0
	shift
	tap_count=$((tap_count + 1))
	text=$("$@" 2>&1) || status=$?
	if [ "$status" = 0 ]; then
		echo "ok $tap_count - $name"
	else
		[ -z "$text" ] || echo "# ${text//$'\n'/$'\n'# }"
		echo "not ok $tap_count - $name"
		tap_bad=$((tap_bad + 1))
	fi
}

# skip NAME REASON
skip() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

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
