# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# For scripts in the guest that have processes blocked for good beside a command: locks-in-guest
# and ctrlc-in-guest.

# What the last of them was: a command and its status, a server, a process, a device.
# shellcheck disable=SC2034
ran='' got='' server='' mapper='' loop=''

# runs NAME PID...: until they have executed that: before, their memory is another.
runs() {
	local name=$1 pid
	shift
	for pid; do
		until [ "$(cat "/proc/$pid/comm")" = "$name" ]; do sleep 0.1; done
	done
}
# blocked PID: until it is in a wait that signals do not end.
blocked() {
	until grep -q '^State:.D' "/proc/$1/status"; do sleep 0.1; done
}
# start COMMAND...: in the background, its pid in $ran, what it says in log. Bash has
# what runs in the background ignore SIGINT.
start() {
	: >log
	env --default-signal=INT ./wallprof "$@" </dev/null >log 2>&1 &
	ran=$!
}
# said PATTERN: until the command has; false: it has ended without, or is held up.
said() {
	local looks=0
	until grep -q "$1" log; do
		[ -d "/proc/$ran" ] && [ $((looks += 1)) -lt 1200 ] || return
		sleep 0.1
	done
}
# ended STATUS: the command has, with that.
ended() {
	[ "$got" = "$1" ] || {
		echo "status $got, not $1"
		cat log
		return 1
	}
}
# serve DIRECTORY [FILE [DEVICE]]: see silent.c; its pid in $server.
serve() {
	: >silent.log
	./silent "$@" >silent.log &
	server=$!
	until grep -q . silent.log; do sleep 0.1; done
}
# block_mapper: a process that waits for a server, with its memory map locked; in $mapper.
block_mapper() {
	serve mnt
	read -r mapper <silent.log
	blocked "$mapper"
}
# make_image: a file system with a program, served, in image.
make_image() {
	mkdir tree inner kept home
	cp victim tree/served
	head -c 4M /dev/urandom >>tree/served
	# The blocks of a file are listed in blocks, the first 268 in one: a wait for these is
	# ended by no signal.
	mke2fs -q -t ext3 -b 1024 -d tree image 16M
}
# on_loop FILE: the program of an image that is mounted where only that sees it; its pid
# in $mapper, the device in $loop. Of the program's file only the beginning is in memory.
on_loop() {
	local file
	loop=$(losetup -f --show -r "$1") || return
	# shellcheck disable=SC2016
	unshare -m sh -c 'mount -t ext4 -o ro "$0" inner && exec inner/served 100005' "$loop" &
	mapper=$!
	runs served "$mapper"
	file=/proc/$mapper/root$PWD/inner/served
	dd if="$file" iflag=nocache count=0 status=none
	blockdev --flushbufs "$loop"
	# What is read ahead does not get to the second list of blocks.
	head -c 100K "$file" >/dev/null
}
off_loop() {
	kill -KILL "$mapper"
	wait "$mapper" 2>/dev/null
	losetup -d "$loop"
}
