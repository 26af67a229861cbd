# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# What record.test checks, in the guest and on the host: conditions, most of
# them of files that stock perf reads. The reason for a failure is in $why. Needs tap.sh.

# reason: why the last check failed.
reason() {
	printf '%s\n' "${why-}" | sed '/^$/d; s/^/#   /'
	sed 's/^/# log: /' log 2>/dev/null
}

# check NAME CONDITION...: a command that must succeed. Not in a shell of its own, as in
# tap.sh: it sets $why.
check() {
	local name=$1
	shift
	if "$@"; then
		ok "$name"
	else
		not_ok "$name"
		reason
	fi
	why=''
}

# is WANTED GOT: for statuses.
is() {
	why="wanted $1, got $2"
	[ "$1" = "$2" ]
}

# answered: the next answer on the descriptor $ack is one to a command. It is waited for as long as
# the recorder $recording lives; the time of a read can be over when it has a part of it.
answered() {
	local answer='' part
	# shellcheck disable=SC2154 # set by the caller
	until read -r -t 5 -u "$ack" part; do
		answer+=$part
		[ -e "/proc/$recording/exe" ] || return
	done
	is ack "$answer$part"
}

# asks COMMAND...: sends it by the descriptor $ctl, and waits for the answer.
asks() {
	# shellcheck disable=SC2154 # set by the caller
	printf '%s\n' "$*" >&"$ctl"
	answered
}

# reads FILE: stock perf reads it, without a word but that of a loss.
reads() {
	local file=$1
	why=''
	perf script -i "$file" 2>&1 >/dev/null | cat >script.err
	[ "${PIPESTATUS[0]}" = 0 ] || why="perf script failed: $(tail -n 3 script.err)"
	perf report -i "$file" --stdio -g none 2>&1 >/dev/null | cat >report.err
	[ "${PIPESTATUS[0]}" = 0 ] || why="perf report failed: $(tail -n 3 report.err)"
	[ -n "$why" ] || why=$(cat script.err report.err | grep -v -e '^Warning:$' -e '^$' \
		-e '^Processed .* lost [0-9]* chunks!$' -e '^Check IO/CPU overload!$')
	[ -z "$why" ]
}

# has FILE EVENT COMM: a sample of the event in a thread of that name.
has() { perf script -i "$1" -F comm,event 2>/dev/null | grep -q "^ *$3 *$2"; }

# comm_is NAME FILE: samples are of threads of that name.
comm_is() {
	is "$1" "$(perf script -i "$2" -F comm 2>/dev/null | sort -u | tr -d ' \n')"
}

# no_comms_but FILE NAME...: samples are of threads of these names.
no_comms_but() {
	local file=$1 names=()
	shift
	while [ $# -gt 0 ]; do
		names+=(-e "$1")
		shift
	done
	why=$(perf script -i "$file" -F comm 2>/dev/null | tr -d ' ' | grep . | sort -u |
		grep -v -x "${names[@]}")
	[ -z "$why" ]
}

# no_line PATTERN FILE OPTION...: perf script prints none like this.
no_line() {
	local pattern=$1 file=$2
	shift 2
	why=$(perf script -i "$file" "$@" 2>/dev/null | grep -e "$pattern")
	[ -z "$why" ]
}

# frames_at_most NUMBER FILE: no stack has more.
frames_at_most() {
	why=$(perf script -i "$2" -F ip,sym 2>/dev/null |
		awk -v most="$1" 'NF { n++; if (n > most) print } !NF { n = 0 }')
	[ -z "$why" ]
}

# same_sleep LEDGER FILE: the one sample of a sleep from before the start says since
# when, as the thread's totals do; no other one does.
same_sleep() {
	why=$(perf script -i "$2" -F tid,event,trace 2>/dev/null | awk -F '\t' '
		NR == FNR && FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		NR == FNR { blocked[$at["tid"]] = $at["asleep_since"]; next }
		/offcpu-time:/ {
			split($0, word, " ")
			since = $0; sub(/.* asleep_since=/, "", since); sub(/ .*/, "", since)
			if (/ flags=[^ ]*since-start/) {
				nr++
				if (since == 0 || since != blocked[word[1]]) print
			} else {
				others++
				if (since != 0) print
			}
		}
		END { if (nr != 1 || !others) print nr + 0 " of " nr + others " samples" }' "$1" -)
	[ -z "$why" ]
}

# singles INTERVALS FILE: each interval that is recorded by itself has a sample of its thread,
# its end and its length.
singles() {
	why=$(perf script -i "$2" -G --ns -F tid,time,period,event 2>/dev/null | awk -F '\t' '
		NR == FNR && FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		NR == FNR {
			if ($at["flags"] ~ /single/)
				wanted[$at["tid"] " " $at["last"] " " $at["total"]] = 1
			next
		}
		/ offcpu-time:/ {
			split($0, word, " ")
			split(word[2], time, /[.:]/)
			nr += wanted[word[1] " " time[1] time[2] " " word[3]]
			delete wanted[word[1] " " time[1] time[2] " " word[3]]
		}
		END {
			for (one in wanted)
				if (wanted[one])
					print "no sample of " one
			if (!nr)
				print "none"
		}' "$1" - | head -n 3)
	[ -z "$why" ]
}

# samples_on CPU FILE: all those of cpu-clock.
samples_on() {
	is "$1" "$(perf script -i "$2" -F cpu,event -G 2>/dev/null |
		grep cpu-clock | tr -dc '0-9\n' | sort -u | tr -d '\n')"
}

# numbered FILE COMM PID: all samples of a program have that pid, those of its
# first thread as tid, too; and there are some that have none, -1.
numbered() {
	why=$(perf script -i "$1" -G -F comm,pid,tid,event 2>/dev/null |
		awk -v comm="$2" -v pid="$3" '
		$1 == ":-1" { none += $2 == "-1/-1"; next }
		$1 != comm { next }
		{ split($2, ids, "/") }
		ids[1] != pid { print }
		ids[2] == pid { own++ }
		END { if (!none || !own) print none + 0 " of -1, " own + 0 " of " pid }' |
		head -n 3)
	[ -z "$why" ]
}
# chained FILE: intervals name the last one that their waker's thread had before it woke
# theirs, and there are such that a timer had ended: by what perf script prints of their
# payload.
chained() {
	why=$(perf script -i "$1" -G --ns -F tid,time,event,trace 2>/dev/null | awk '
		$3 != "offcpu-time:" { next }
		{
			delete at
			for (i = 4; i <= NF; i++)
				if (match($i, /=/))
					at[substr($i, 1, RSTART - 1)] = substr($i, RSTART + 1)
			split($2, time, /[.:]/)
			nr++
			tid[nr] = $1
			end[nr] = time[1] * 1e9 + time[2]
			woken[nr] = at["blocked"] > 0 ? end[nr] - at["runnable"] : 0
			syscall[nr] = at["syscall"]
			waker[nr] = at["waker"]
			before[nr] = at["waker_id"]
			if (at["id"] == "0" && at["flags"] !~ /open/)
				print "no name: " $0
			if (at["id"] != "0" && at["id"] in named)
				print "twice: " at["id"]
			named[at["id"]] = nr
		}
		END {
			for (i = 1; i <= nr; i++) {
				if (before[i] == "0")
					continue
				last = named[before[i]]
				if (!last || waker[i] != "task:" tid[last])
					print "woken by " waker[i] ", names one of " tid[last]
				for (j = 1; j <= nr && last; j++)
					if (tid[j] == tid[last] && end[j] > end[last] &&
					    end[j] < woken[i])
						print "not the last of " waker[i]
				good += syscall[i] == "read" && syscall[last] == "clock_nanosleep"
			}
			if (good < 10)
				print good + 0 " chains of " nr
		}' | head -n 3)
	[ -z "$why" ]
}

# Complete stacks of a program without frame pointers, which sleeps in libc.
# whole FILE ENTRY: how much of its off-CPU time, in percent, has a stack from
# nofp_inner, through nofp_outer, to the thread's entry. Of the second half: until
# its process is known, which is long on a machine that stands still, it has none.
whole() {
	perf script -i "$1" --time 50%-100% -F event,period,ip,sym 2>/dev/null |
		awk -v entry="$2" '
		/offcpu-time/ { ns = $1; whole = 0; all += ns }
		/nofp_inner/ { whole = 1 }
		/nofp_outer/ { whole += whole == 1 }
		$2 ~ entry { if (whole == 2) { good += ns; whole = 3 } }
		END { printf "%d\n", all ? 100 * good / all : -1 }'
}
# Half of the time is one thread's, half the other's.
whole_most() {
	local percent
	percent=$(whole "$@")
	why="$percent % of the time, wanted 40 at least"
	[ "$percent" -ge 40 ]
}
# woken FILE: how much of the time, in percent, that the child of tests/guest/record/wakers.c
# was blocked is the waker's wakeup-time, with a stack from wakes_inner, through
# wakes_outer, to _start. Of the second half, as above.
woken() {
	perf script -i "$1" --time 50%-100% -F comm,event,period,ip,sym 2>/dev/null |
		awk '
		/-time:/ { event = $3; comm = $1; ns = $2; whole = 0 }
		/-time:/ && comm == "woken" && event == "offcpu-time:" { blocked += ns }
		/-time:/ && comm == "woken" && event == "runnable-time:" { blocked -= ns }
		/-time:/ && comm == "waker" && event == "wakeup-time:" { all += ns }
		/wakes_inner/ { whole = 1 }
		/wakes_outer/ { whole += whole == 1 }
		$2 == "_start" && whole == 2 && comm == "waker" && event == "wakeup-time:" {
			good += ns
			whole = 3
		}
		END { printf "%d %d\n", blocked ? 100 * good / blocked : -1,
			blocked ? 100 * all / blocked : -1 }'
}
# The last wait may end with the recording, and be nobody's.
woken_most() {
	local whole all
	read -r whole all <<<"$(woken "$1")"
	why="$all % of the time that it was blocked, $whole % with whole stacks; wanted 80 to 100"
	[ "$whole" -ge 80 ] && [ "$all" -le 100 ]
}
# joined FILE: before each sample of a waker stands that of the thread it woke, of the
# same time.
joined() {
	why=$(perf script -i "$1" -G --ns -F event,time 2>/dev/null | awk '
		{ time = $1; event = $2 }
		event == "wakeup-time:" { nr++ }
		event == "wakeup-time:" && (time != last || before == event) {
			print event, time, "behind", before, last
		}
		{ last = time; before = event }
		END { if (!nr) print "none" }' | head -n 3)
	[ -z "$why" ]
}
# own_process FILE: the waker's samples are of its own process, whose first thread it is.
own_process() {
	why=$(perf script -i "$1" -G -F comm,pid,tid,event 2>/dev/null | awk '
		$1 == "waker" && $3 == "wakeup-time:" {
			nr++
			split($2, ids, "/")
			if (ids[1] != ids[2])
				print
		}
		END { if (!nr) print "none" }' | head -n 3)
	[ -z "$why" ]
}
whole_none() {
	local percent
	percent=$(whole "$@")
	why="$percent % of the time"
	[ "$percent" = 0 ]
}
