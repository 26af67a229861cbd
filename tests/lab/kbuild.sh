# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Building kernels with a configuration of tests/lab/kernels/. To be sourced, after lib.sh.

configs=$LAB/kernels

# fragment NAME ARCH: the fragments as one, each option once.
fragment() {
	sed -nE 's/^(CONFIG_[A-Za-z0-9_]+)=(.*)/\1 \2/p' \
		"$configs/base.config" "$configs/base-$2.config" "$configs/$1.config" |
		awk '{ name = $1; sub(/^[^ ]+ /, ""); value[name] = $0 }
			END { for (name in value) print name "=" value[name] }' | sort
	echo "CONFIG_LOCALVERSION=\"-$1\""
}

# holds FRAGMENT CONFIG: complain of what was asked for and is not so.
holds() {
	awk '
		{ name = $0; sub(/=.*/, "", name); value = substr($0, length(name) + 2) }
		NR == FNR { is[name] = value; next }
		{
			got = name in is ? is[name] : "n"
			if (got != value) {
				print "  " $0 " was asked for, but it is " got
				bad = 1
			}
		}
		END { exit bad }' "$2" "$1" >&2
}

# watched LOG WHAT COMMAND...: run it, print now and then how far it is.
watched() {
	local log=$1 what=$2 pid status=0 began=$SECONDS printed=0
	shift 2
	"$@" >"$log" 2>&1 &
	pid=$!
	while sleep 0.5 && kill -0 $pid 2>/dev/null; do
		[ $((SECONDS - began - printed)) -ge 30 ] || continue
		printed=$((SECONDS - began))
		say "$what: $(grep -cE '^  (CC|AS) ' "$log") files, $printed s"
	done
	wait $pid || status=$?
	[ "$status" = 0 ] || {
		grep -aE 'error|Error' "$log" | head -n 20
		tail -n 15 "$log"
	} >&2
	return "$status"
}

# write_kbuild FILE MAKE-ARGUMENT...: see tests/lab/kernel.
write_kbuild() {
	local file=$1
	shift
	cat >"$file" <<-END
		#!/bin/bash
		# usage: kbuild DIR MAKE-ARGUMENT...
		kernel=\$(dirname "\$(readlink -f "\$0")")
		dir=\$(realpath -e -- "\$1") || exit
		shift
		unset MAKEFLAGS MFLAGS MAKELEVEL
		exec make -C "\$kernel/kdir" M="\$dir" $* "\$@"
	END
	chmod 755 "$file"
}

# noise DIR KBUILD...: the options that silence what the compiler says of a module that does
# next to nothing. That is not the module's fault: headers are older than the compiler. KBUILD
# builds modules, as the script of write_kbuild; the module's files go to DIR.
noise() {
	local dir=$1
	shift
	mkdir -p "$dir"
	echo 'obj-m := empty.o' >"$dir/Kbuild"
	cat >"$dir/empty.c" <<-'END'
		// SPDX-License-Identifier: GPL-2.0
		#include <linux/atomic.h>
		#include <linux/module.h>

		/* Of arm64's before 5.3 the compiler warns, if it is a global variable. */
		static atomic_t users = ATOMIC_INIT(0);

		static int __init empty_init(void)
		{
			return atomic_add_unless(&users, 1, 2) ? 0 : -EBUSY;
		}

		static void __exit empty_exit(void)
		{
		}

		module_init(empty_init);
		module_exit(empty_exit);
		MODULE_LICENSE("GPL");
	END
	"$@" "$dir" modules >"$dir/log" 2>&1 || {
		cat "$dir/log" >&2
		return 1
	}
	sed -nE 's/.* warning: .*\[-W([a-z0-9+-]+)=?[0-9]*\]$/-Wno-\1/p' "$dir/log" | sort -u | paste -sd ' '
}
