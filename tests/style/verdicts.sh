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

# The name of a tool's verdict on a file: by the file's name.
declare -A verdict

# verdicts_of WORD...: sets those of the files that standard input names, of their place and
# content. The words: which tool it is, its arguments.
verdicts_of() {
	local tool sum file good=()
	tool=$(printf '%s\0' "$@" | sha256sum)
	while read -r sum file; do
		verdict[$file]=${tool:0:16}-${sum:0:32}-${file//\//,}
		! verdict_is_good "$file" || good+=("$VERDICTS/${verdict[$file]}")
	done < <(xargs -rd '\n' sha256sum --)
	[ ${#good[@]} = 0 ] || printf '%s\0' "${good[@]}" | xargs -0 touch --
}

# Of a file that verdicts_of was asked for.
verdict_is_good() { [ -e "$VERDICTS/${verdict[$1]}" ]; }

verdict_good() { : >"$VERDICTS/${verdict[$1]}"; }
