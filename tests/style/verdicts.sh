# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# For the tests of style: which files a tool found nothing in, so that it need not
# read them again. Only that is kept, a file of nothing for each, in the cache of
# the lab; whatever else a tool said, it is asked again.
# shellcheck source=tests/lab/lib.sh
. tests/lab/lib.sh

VERDICTS=$CACHE/style
mkdir -p "$VERDICTS"
# One that was not asked for in a month is of a file that has changed.
find "$VERDICTS" -type f -mtime +30 -delete

# verdict_of FILE WORD...: the name of a tool's verdict on this file, of this place
# and content. The words: which tool it is, its arguments.
verdict_of() {
	printf '%s\0' "$@" | cat - "$1" | sha256sum | cut -c1-32
}

verdict_is_good() { [ -e "$VERDICTS/$1" ] && touch "$VERDICTS/$1"; }

verdict_good() { : >"$VERDICTS/$1"; }
