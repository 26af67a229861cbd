# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# Shared by the lab's scripts: messages, root, the cache, Debian's archive.
#
# The cache lies outside the tree. An entry is a directory whose name ends in
# a key: what it was made from. It is made in a temporary directory next to
# its place and renamed, under a lock, so that a reader sees all of it or
# nothing, and two makers do not both do the work.

LAB=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck disable=SC2034 # used by those who read this
TOP=$(cd "$LAB/../.." && pwd)
CACHE=${WALLPROF_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/wallprof}
KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

export LC_ALL=C

say() { echo "lab: $*" >&2; }

die() {
	say "$*"
	exit 125
}

# as_root COMMAND...: run it as root, directly or by sudo.
as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo -- "$@"
	else
		die "needs root, and there is no sudo: $*"
	fi
}

# may_mount: guests' roots and kernels' tools are in mount namespaces of their own.
# KVM, loop devices and control groups are not needed.
may_mount() {
	as_root unshare -m mount -t tmpfs tmpfs /mnt 2>/dev/null ||
		die "this container may not mount: run it privileged (docker run --privileged), or use a host or a virtual machine"
}

# quietly COMMAND...: its output is shown only if it fails.
quietly() {
	local log status=0
	log=$(mktemp)
	"$@" >"$log" 2>&1 || status=$?
	[ "$status" = 0 ] || cat "$log" >&2
	rm -f "$log"
	return "$status"
}

# hash_of WORD...: a short key of the words.
hash_of() { printf '%s\0' "$@" | sha256sum | cut -c1-12; }

# recipe_of FILE...: a short key of the files' content.
recipe_of() { cat -- "$@" | sha256sum | cut -c1-12; }

# remove_made DIR...: with what a maker that was killed has left mounted there.
remove_made() {
	local dir
	for dir; do
		dir=$(realpath "$dir")
		awk -v below="$dir/" 'index($2, below) == 1 { print $2 }' /proc/self/mounts | sort -r |
			as_root xargs -r umount
		as_root rm -rf --one-file-system "$dir"
	done
}

# cached DIR MAKER ARG...: make DIR with "MAKER TMPDIR ARG...", unless it is
# there. MAKER fills TMPDIR; it can name DIR, its later place, as $FINAL. It
# runs in a shell of its own, so that "set -e" counts there.
cached() {
	local dir=$1 maker=$2 tmp
	shift 2
	[ -e "$dir" ] && return
	mkdir -p "$(dirname "$dir")" "$CACHE/locks"
	(
		flock 9
		[ ! -e "$dir" ] || exit 0
		# What makers left that were killed outright.
		for tmp in "$dir".tmp.*; do
			[ ! -e "$tmp" ] || remove_made "$tmp"
		done
		tmp=$(mktemp -d "$dir.tmp.XXXXXX")
		chmod 755 "$tmp"
		trap 'remove_made "$tmp"' EXIT
		export FINAL=$dir
		"$maker" "$tmp" "$@"
		mv -T "$tmp" "$dir"
		trap - EXIT
	) 9>"$CACHE/locks/$(hash_of "$dir")" </dev/null >&2
}

# on_debian12: is that what this machine runs?
on_debian12() {
	[ "$(. /etc/os-release 2>/dev/null && echo "${ID-} ${VERSION_ID-}")" = 'debian 12' ]
}

# mirror KIND: the URL of this machine's Debian mirror, as apt is configured: KIND is
# main or security. A suite without security updates (sid) has the latter beside it.
mirror() {
	local url
	command -v apt-get >/dev/null || die "no apt on this machine: the lab needs a Debian"
	# Without an index that was read the origin is not known.
	url=$(apt-get indextargets --format '$(RELEASE) $(REPO_URI) $(ORIGIN)' \
		'Created-By: Packages' |
		awk -v kind="$1" '$2 ~ /debian/ && ($3 == "" || $3 == "Debian") {
			if (($1 ~ /-security$/) == (kind != "main")) { print $2; exit } }')
	if [ -z "$url" ] && [ "$1" = security ]; then
		url=$(mirror main) || exit
		url=${url%/debian/}
		url=${url%/debian}/debian-security/
	fi
	[ -n "$url" ] || die "apt knows no archive of Debian on this machine"
	echo "$url"
}

# suite_line SUITE [ARCH]: the sources.list line of a suite; of its sources if ARCH
# is "source".
suite_line() {
	local kind=main type=deb
	case $1 in *-security) kind=security ;; esac
	[ "${2-}" != source ] || type="deb-src"
	echo "$type [signed-by=$KEYRING] $(mirror $kind) $1 main"
}

# apt_for SUITE ARCH TOOL ARG...: an apt tool with a private state that knows
# this suite only. The machine's own apt state is neither read nor changed.
# Signatures are checked; not that the index is of this week, for a mirror may
# be a snapshot.
apt_for() {
	local suite=$1 arch=$2 tool=$3 dir
	shift 3
	dir=$CACHE/apt/$suite-$arch
	"$tool" -q -o "Dir::Etc::sourcelist=$dir/sources.list" \
		-o Dir::Etc::sourceparts=/dev/null \
		-o Dir::Etc::preferences=/dev/null \
		-o Dir::Etc::preferencesparts=/dev/null \
		-o "Dir::State=$dir/state" \
		-o "Dir::State::status=$dir/status" \
		-o "Dir::Cache=$dir/cache" \
		-o "APT::Architecture=$arch" -o "APT::Architectures::=$arch" \
		-o APT::Sandbox::User=root \
		-o Acquire::Check-Valid-Until=false \
		-o Acquire::Languages=none -o Acquire::Retries=3 "$@"
}

# refresh_suite SUITE ARCH: read the suite's index, at most once in an hour.
refresh_suite() {
	local suite=$1 arch=$2 dir
	[ -r "$KEYRING" ] || die "no $KEYRING: run tests/lab/deps lab"
	dir=$CACHE/apt/$suite-$arch
	mkdir -p "$dir/state/lists/partial" "$dir/cache/archives/partial" \
		"$CACHE/locks"
	(
		flock 9
		if [ -n "$(find "$dir/fresh" -mmin -60 2>/dev/null)" ]; then
			exit 0
		fi
		: >"$dir/status"
		suite_line "$suite" "$arch" >"$dir/sources.list"
		apt_for "$suite" "$arch" apt-get update >"$dir/log" 2>&1 || {
			cat "$dir/log" >&2
			die "could not read the index of $suite"
		}
		touch "$dir/fresh"
	) 9>"$CACHE/locks/apt-$suite-$arch"
}

# version_in SUITE ARCH PACKAGE: its newest version there.
version_in() {
	local version
	version=$(apt_for "$1" "$2" apt-cache show --no-all-versions "$3" |
		sed -n 's/^Version: //p')
	[ -n "$version" ] || die "$1 ($2) has no package $3"
	echo "$version"
}

# unpack SUITE ARCH DIR PACKAGE...: download the packages, apt checking their
# signatures, and unpack their files below DIR.
unpack() {
	local suite=$1 arch=$2 dir=$3 debs deb
	shift 3
	debs=$(mktemp -d "$CACHE/debs.XXXXXX")
	if ! (cd "$debs" && apt_for "$suite" "$arch" apt-get download "$@" \
		>log 2>&1); then
		cat "$debs/log" >&2
		rm -rf "$debs"
		die "could not download $* of $suite"
	fi
	for deb in "$debs"/*.deb; do
		dpkg -x "$deb" "$dir"
	done
	rm -rf "$debs"
}

# ext4_of DIR LABEL FILE [MIB]: an ext4 image of DIR with MIB free (8). Without a
# journal: a guest that dies leaves nothing worth replaying.
ext4_of() {
	local used
	used=$(du -sm --apparent-size "$1" | cut -f 1)
	used=$((used + used / 8 + ${4:-8} + 16))
	mke2fs -q -t ext4 -O ^has_journal -m 0 -L "$2" -E root_owner=0:0 \
		-d "$1" "$3" "$(((used + 15) / 16 * 16))M" >/dev/null
}

# debian_root DIR SUITE VARIANT PACKAGES: a small Debian root of a suite, with
# its security updates, without documentation.
debian_root() {
	local dir=$1 suite=$2 lines=()
	lines=("$(suite_line "$suite")")
	[ "$suite" = sid ] || lines+=("$(suite_line "$suite-security")")
	quietly as_root mmdebstrap --mode=root --variant="$3" \
		--aptopt='APT::Install-Recommends "false"' \
		--aptopt='Acquire::Check-Valid-Until "false"' \
		--dpkgopt='path-exclude=/usr/share/doc/*' \
		--dpkgopt='path-exclude=/usr/share/man/*' \
		--dpkgopt='path-exclude=/usr/share/info/*' \
		--dpkgopt='path-exclude=/usr/share/locale/*' \
		--include="$4" "$suite" "$dir" "${lines[@]}"
	as_root rm -rf "$dir/var/cache/apt" "$dir/var/lib/apt/lists"
}

# publish DIR LINK: let LINK name DIR.
publish() {
	ln -sfnT "$1" "$2.$$"
	mv -T "$2.$$" "$2"
}

# copy_changed FROM TO: the files below FROM that stdin names, where TO has not
# the same; dated now. By its own date, one that was edited while the last build
# ran would be older than what that left.
copy_changed() {
	local file
	while read -r file; do
		cmp -s "$1/$file" "$2/$file" ||
			(cd "$1" && cp --parents -t "$2" "$file")
	done
}

# clean_for KERNEL DIR: empty DIR, where modules are built, if the last build was
# for another kernel than that directory of the cache: kbuild takes the objects of
# one for good for another if the compiler and its options are the same.
clean_for() {
	[ "$(cat "$2/.kernel" 2>/dev/null)" = "$1" ] && return
	rm -rf "$2"
	mkdir -p "$2"
	echo "$1" >"$2/.kernel"
}
