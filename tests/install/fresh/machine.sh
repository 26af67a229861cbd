# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# A new Debian: a minimal root of a suite with make, git and sudo, and a clone of
# this tree in /root/wallprof. What the machine that runs the tests has installed is
# not there. The kernel that runs is that machine's; uname -r in the root prints the
# release of a kernel of the lab, so that headers and modules are for that one.
#
#   new_machine SUITE KERNEL   make one, in $work; it ends with the script
#   layer NAME KEY COMMAND     COMMAND was run in it, now or before: prints a directory
#                              of the cache, made again when KEY or COMMAND changes
#   use LAYER...               what follows runs on top of these
#   inside COMMAND             run by root, in the clone; its output is in $work/log
#   SHARED=1                   the cache of this machine is there, too

# A machine that boots has kmod. ccache is the test's: what it knows costs nothing.
make_base() { debian_root "$1/root" "$2" minbase ca-certificates,ccache,git,kmod,make,sudo; }

# clone: the files of this tree, as a clone has them.
clone() {
	git ls-files -z | while IFS= read -r -d '' file; do
		[ ! -e "$file" ] || printf '%s\0' "$file"
	done | as_root xargs -0r cp -p --parents -t "$1" --
}

# may_overlay DIR: in a container whose own root is an overlay there is none on top.
may_overlay() {
	local try status=0
	try=$(mktemp -d "$1/try.XXXXXX")
	mkdir "$try/lower" "$try/upper" "$try/scratch" "$try/root"
	as_root unshare -m --propagation private mount -t overlay overlay "$try/root" -o \
		"lowerdir=$try/lower,upperdir=$try/upper,workdir=$try/scratch" 2>/dev/null || status=1
	as_root rm -rf --one-file-system "$try"
	return $status
}

new_machine() {
	local kernel bin=usr/bin
	suite=$1
	kernel=$(tests/lab/kernel "$2")
	release=$(cat "$kernel/release")
	base=$CACHE/fresh/$suite-$(hash_of "$suite" "$(declare -f make_base debian_root)")
	cached "$base" make_base "$suite"
	touch "$base"
	mkdir -p build/fresh "$CACHE/fresh/debs-$suite" "$CACHE/ccache-fresh"
	if ! may_overlay "$PWD/build/fresh" || ! may_overlay "$CACHE/fresh"; then
		echo "# SKIP no overlay can be mounted on this file system: use a volume of the host"
		exit 4
	fi
	work=$(mktemp -d "$PWD/build/fresh/$suite.XXXXXX")
	trap 'as_root rm -rf --one-file-system "$work"' EXIT
	mkdir "$work/lower"
	# Debian 11 has a /bin of its own.
	[ -L "$base/root/bin" ] || bin=bin
	as_root mkdir -p "$work/lower/$bin" "$work/lower/etc/apt/apt.conf.d" \
		"$work/lower/etc/dpkg/dpkg.cfg.d"
	as_root cp "$base/root/$bin/uname" "$work/lower/$bin/uname.real"
	as_root tee "$work/lower/$bin/uname" >/dev/null <<-END
		#!/bin/sh
		[ "\$*" = -r ] && echo "$release" && exit
		exec /$bin/uname.real "\$@"
	END
	as_root chmod 755 "$work/lower/$bin/uname"
	echo "127.0.0.1 localhost $(hostname)" | as_root tee "$work/lower/etc/hosts" >/dev/null
	# An index may be of another week, as it may be for debian_root; nothing here
	# has to survive a power cut.
	as_root tee "$work/lower/etc/apt/apt.conf.d/fresh" >/dev/null <<-'END'
		Acquire::Check-Valid-Until "false";
		Acquire::Languages "none";
		APT::Get::Assume-Yes "true";
		Binary::apt::APT::Keep-Downloaded-Packages "true";
	END
	echo force-unsafe-io | as_root tee "$work/lower/etc/dpkg/dpkg.cfg.d/fresh" >/dev/null
	lower=$work/lower:$base/root
	# shellcheck disable=SC2119 # of none
	use
}

# shellcheck disable=SC2120 # by those who read this
# use LAYER...: a new upper directory on top of these, the uppermost first, or of none.
use() {
	layers=''
	while [ $# -gt 0 ]; do
		layers+=$1/upper:
		shift
	done
	as_root rm -rf "$work/upper" "$work/scratch"
	mkdir -p "$work/upper" "$work/scratch" "$work/root"
	as_root mkdir -p "$work/upper/root/wallprof"
	clone "$work/upper/root/wallprof"
}

# in_root UPPER SCRATCH COMMAND: the mounts end with it.
in_root() {
	# shellcheck disable=SC2016
	as_root unshare -m --propagation private bash -c '
		set -e
		root=$1 lower=$2 upper=$3 scratch=$4 debs=$5 ccache=$6 shared=$7
		shift 7
		mount -t overlay overlay "$root" -o \
			"lowerdir=$lower,upperdir=$upper,workdir=$scratch"
		mount -t proc proc "$root/proc"
		mount --rbind /sys "$root/sys"
		mount --rbind /dev "$root/dev"
		mount -t tmpfs tmpfs "$root/tmp"
		[ ! -e /etc/resolv.conf ] || cp -L /etc/resolv.conf "$root/etc/resolv.conf"
		mkdir -p "$root/var/cache/apt/archives"
		mount --bind "$debs" "$root/var/cache/apt/archives"
		mount --bind "$ccache" "$root/mnt"
		if [ -n "$shared" ]; then
			mkdir -p "$root$shared"
			mount --bind "$shared" "$root$shared"
		fi
		exec chroot "$root" env -i HOME=/root USER=root TERM=dumb \
			PATH=/usr/lib/ccache:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
			CCACHE_DIR=/mnt CCACHE_MAXSIZE=1G CCACHE_COMPILERCHECK=content \
			DEBIAN_FRONTEND=noninteractive ${shared:+WALLPROF_CACHE="$shared"} \
			bash -ec "cd /root/wallprof; $1"' \
		in_root "$work/root" "$layers$lower" "$1" "$2" "$CACHE/fresh/debs-$suite" \
		"$CACHE/ccache-fresh" "${SHARED:+$CACHE}" "$3" </dev/null
}

inside() {
	in_root "$work/upper" "$work/scratch" "$1" >"$work/log" 2>&1 && return
	tail -n 60 "$work/log"
	return 1
}

said() { grep -qE -- "$1" "$work/log"; }

# Those that were not used for a week go when one is made.
make_layer() {
	find "$CACHE/fresh" -mindepth 1 -maxdepth 1 -name "$suite-*" -mtime +6 -print0 |
		as_root xargs -0r rm -rf --one-file-system
	mkdir "$1/upper" "$1/scratch"
	as_root mkdir -p "$1/upper/root/wallprof"
	clone "$1/upper/root/wallprof"
	# apt locks where packages are downloaded to.
	(
		flock 8
		in_root "$1/upper" "$1/scratch" "$2" >"$1/log" 2>&1
	) 8>"$CACHE/locks/fresh-$suite" || { cat "$1/log" >&2 && exit 1; }
	as_root rm -rf "$1/scratch" "$1/upper/root/wallprof"
}

# layer NAME KEY COMMAND: on top of those in use.
layer() {
	local dir
	dir=$CACHE/fresh/$suite-$1-$(hash_of "$base" "$release" "$layers" "$2" "$3" \
		"$(declare -f make_layer in_root)")
	cached "$dir" make_layer "$3" || exit
	touch "$dir"
	echo "$dir"
}
