# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# A Debian 12 of packages (tests/lab/dkms-root), that is changed by commands in a chroot and
# then booted by a guest.
#
#   new_root NAME        make one, in $work; it ends with the script. $first and $second
#                        are the releases of its kernels
#   inside COMMAND...    run it there
#   image_of_root        as $work/root.ext4, for a guest

new_root() {
	debian=$(tests/lab/dkms-root)
	# shellcheck disable=SC2034 # by those who read this
	first=$(cat "$debian/first")
	# shellcheck disable=SC2034
	second=$(cat "$debian/second")
	# On the machine's disk even if /tmp is memory: overlayfs wants that.
	mkdir -p build/dkms
	work=$(mktemp -d "$PWD/build/dkms/$1.XXXXXX")
	trap 'as_root rm -rf --one-file-system "$work"' EXIT
	mkdir "$work"/{upper,work,root}
	# What was compiled there before: dkms builds in the same places each time.
	store=$CACHE/ccache-dkms
	mkdir -p "$store"
}

# inside COMMAND...: run it in the Debian root, whose changes are kept in
# $work/upper. The mounts end with it.
inside() {
	# shellcheck disable=SC2016
	as_root unshare -m --propagation private bash -c '
		set -e
		work=$1 lower=$2 store=$3
		shift 3
		mount -t overlay overlay "$work/root" -o \
			"lowerdir=$lower,upperdir=$work/upper,workdir=$work/work"
		mount -t proc proc "$work/root/proc"
		mount --rbind /dev "$work/root/dev"
		mount --bind "$store" "$work/root/mnt"
		exec chroot "$work/root" env -i HOME=/root LC_ALL=C.UTF-8 \
			PATH=/usr/lib/ccache:/usr/sbin:/usr/bin:/sbin:/bin \
			CCACHE_DIR=/mnt CCACHE_MAXSIZE=500M CCACHE_COMPILERCHECK=content \
			DEBIAN_FRONTEND=noninteractive "$@"' \
		inside "$work" "$debian/root" "$store" "$@" </dev/null
}

image_of_root() {
	# shellcheck disable=SC2016
	as_root unshare -m --propagation private bash -c '
		set -e
		. tests/lab/lib.sh
		mount -t overlay overlay "$1/root" -o \
			"lowerdir=$2,upperdir=$1/upper,workdir=$1/work"
		mount -t tmpfs -o size=1m tmpfs "$1/root/debs"
		mount -t tmpfs -o size=1m tmpfs "$1/root/boot"
		ext4_of "$1/root" root "$1/root.ext4" 256
		chmod 644 "$1/root.ext4"' image "$work" "$debian/root"
}
