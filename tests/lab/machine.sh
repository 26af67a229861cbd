# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# shellcheck disable=SC2034 # used by those who read this
# The machine of a guest, for those who start QEMU: tests/lab/guest, and
# tests/lab/save, whose guests go on on the other's machine, so that it must be
# the same to the last device. After lib.sh.

make_tsc() {
	quietly gcc -O1 -Wall -Wextra -Werror -o "$1/tsc" "$LAB/tsc.c"
}

# The frequency of a guest's time stamp counter, for its command line: it is this
# machine's. A kernel that measures it while the host is busy may be wrong by far,
# and its clock is then, too: one went 20 times too fast. To the MHz, for it is a
# part of the key of saved guests: the kernel measures the rest when it has time.
tsc_frequency() {
	local dir
	[ "$(uname -m)" = x86_64 ] || return 0
	dir=$CACHE/tsc/$(recipe_of "$LAB/tsc.c")
	cached "$dir" make_tsc
	echo " tsc_early_khz=$(($("$dir/tsc") / 1000 * 1000))"
}

make_pause() {
	quietly gcc -O2 -shared -fPIC -fvisibility=hidden -Wall -Wextra -Wno-unused-parameter \
		-Werror -o "$1/pause.so" "$LAB/pause.c"
}

# machine_of KERNEL CPUS MIB MODEL: sets
#   kernel_dir, arch   the kernel's: see tests/lab/kernel
#   base               its initramfs, without what differs from run to run
#   qemu               the emulator
#   machine, accel     its arguments for the machine, without disks and lines
#   plugins            and of how to wait; not for an icount guest, of one thread
#   disks              how it has disks: nvdimm, or virtio
#   cmdline            the kernel's command line
machine_of() {
	local kind model=$4 pause ttys
	kernel_dir=$("$LAB/kernel" "$1")
	arch=$(cat "$kernel_dir/arch" 2>/dev/null || echo amd64)
	base=$("$LAB/initramfs" "$kernel_dir")
	qemu=$("$LAB/qemu" "$arch")/run
	case $arch in
	amd64)
		kind=q35,nvdimm=on,hpet=off,usb=off,vmport=off
		# Without the instructions that clear and copy bytes fast: the emulator
		# does them byte by byte.
		model=${model:-max,-erms,-fsrm}
		disks=nvdimm
		ttys=(ttyS0 ttyS1)
		# The delay loop's length by decree: finding it takes up to 1.5 s.
		cmdline="tsc=reliable clocksource=tsc lpj=10000000$(tsc_frequency)"
		# A busy host's timer can miss the time that the kernel gives it to
		# prove that it works; the kernel panics then.
		cmdline+=" no_timer_check"
		;;
	arm64)
		kind=virt,gic-version=3
		model=${model:-cortex-a72}
		disks=virtio	# NVDIMMs take ACPI, and that firmware
		ttys=(ttyAMA0 ttyAMA1)
		cmdline=""
		# PMU interrupts as NMIs: what that kernel is for.
		[ "$1" != arm64-nmi ] || cmdline="irqchip.gicv3_pseudo_nmi=1"
		;;
	*) die "no machine for $arch" ;;
	esac
	machine=(-name "guest,debug-threads=on" -machine "$kind" -cpu "$model" -smp "$2"
		-m "$3,slots=8,maxmem=$(($3 + 8192))M" -nodefaults -display none -no-reboot)

	accel=tcg,thread=multi
	pause=$CACHE/pause/$(recipe_of "$LAB/pause.c")
	cached "$pause" make_pause
	# Commas are QEMU's, doubled they are the name's.
	plugins=(-plugin "file=${pause//,/,,}/pause.so")

	cmdline="console=${ttys[0]} quiet panic=-1 oops=panic nokaslr mitigations=off $cmdline"
	cmdline+=" random.trust_cpu=on cryptomgr.notests"
	# A busy host must not look like a stalled guest. One that stalls all the same
	# ends, and reports where it was.
	cmdline+=" watchdog_thresh=30 rcupdate.rcu_cpu_stall_timeout=60"
	cmdline+=" softlockup_panic=1 sysctl.kernel.panic_on_rcu_stall=1"
	# Of KASAN's memory to be given back, beside fork bombs: 44 s were seen.
	cmdline+=" workqueue.watchdog_thresh=60"
	# For the guest's first program, in its environment.
	cmdline+=" output=${ttys[1]}"
}

# disk LABEL FILE MODE: adds to $devices. private (copy-on-write: a guest's writes
# are its own and go when it goes), shared, or none: the drive is there, its disk
# is not.
disk() {
	local label=$1 file=$2 mode=$3
	case $disks-$mode in
	nvdimm-private) mode=share=off,readonly=on,rom=off ;;
	nvdimm-shared) mode=share=on ;;
	virtio-private) mode=file=$file,format=raw,snapshot=on ;;
	virtio-shared) mode=file=$file,format=raw,cache=unsafe ;;
	virtio-none) mode=driver=null-co,read-zeroes=on ;;
	esac
	if [ "$disks" = nvdimm ]; then
		devices+=(-object "memory-backend-file,id=$label,mem-path=$file,size=$(
			stat -L -c %s "$file"),$mode" -device "nvdimm,memdev=$label")
	else
		devices+=(-drive "if=none,id=$label,$mode"
			-device "virtio-blk-pci,drive=$label")
	fi
}
