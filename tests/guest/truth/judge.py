# SPDX-License-Identifier: GPL-2.0
"""Compares what was recorded with what the programs did.

Four accounts of one run are read: the program's own (truth), the reader's
tables (ledger and intervals), what stock perf says about the perf.data, and the
kernel's own record of all switches and wakeups (see switches.py).

A virtual CPU may stand still at any instruction. When it does so while the
scheduler switches, the program measures a wait that no tracepoint saw: the time
between the scheduler's own clock, by which CPU time is accounted, and the
tracepoint. So what the program measured bounds what may be recorded from above;
from below it does only where the kernel's record does not say the same as what
was recorded.

The functions that judge yield (what, problems): what was judged, and a list
of sentences, empty if it holds.
"""

import collections
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lab"))
import prevstate
import switches
import tap

TOP = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))

# WALLPROF_KO= names another build, as one that is broken to see a test fail.
MODULE = os.environ.get("WALLPROF_KO", os.path.join(TOP, "wallprof.ko"))

KERNEL = os.environ.get("WALLPROF_KERNEL", "6.1")

# The judgement of the project: within 1 %.
SHARE = 0.01

# Columns of a ledger that are no numbers.
TEXT = {"comm", "flags", "blocked_hist", "runnable_hist"}

Truth = collections.namedtuple("Truth", "kind tid state waits switches total around stack")
Row = collections.namedtuple("Row", "tid tgid state flags count total min max first last ips "
                             "runnable runnable_max blocked_max reason syscall waker")
Sample = collections.namedtuple("Sample", "comm pid tid time event period frames")

# The system call of a wait in this function; a stop is none.
CALLS = {
    "nap_inner": "nanosleep", "futex_inner": "futex", "futex_hold": "nanosleep",
    "pipe_reads": "read", "pipe_writes": "write", "poll_limit": "ppoll",
    "poll_timer": "ppoll", "epoll_limit": "epoll_pwait", "epoll_timer": "epoll_pwait",
    "vfork_nap": "nanosleep", "vfork_waits": "clone",
}


def expand(stack, limit=127):
    """The frames of a truth's stack, "name*N" being N frames."""
    frames = []
    for part in stack.split(";"):
        name, _, times = part.partition("*")
        frames += [name] * int(times or 1)
    return tuple(frames[:limit])


def table(path):
    with open(path) as f:
        head = f.readline().lstrip("#").split()
        return [dict(zip(head, line.rstrip("\n").split("\t"))) for line in f]


# A thread's line of wallprof report: the name may have blanks, and is cleaned.
REPORTED = re.compile(r"^ +(\d+) +(\d+) (.{16,}?) +(\d+\.\d{6}) +(\d+\.\d{6}) +(\d+\.\d{6}) +(\d+)"
                  r" +(\d+\.\d{6}) +(\d+\.\d{6}) (-?\d+)( ended)?$")
SAMPLE = re.compile(r"^(?P<comm>.*?)\s+(?P<pid>-?\d+)/(?P<tid>-?\d+)\s+"
                    r"(?P<time>\d+\.\d+):\s+(?P<period>\d+)\s+(?P<event>\S+):\s*$")
FRAME = re.compile(r"^\s+(?P<ip>[0-9a-f]+) (?P<sym>.*)$")


def script(path):
    """The samples that perf script printed."""
    samples, frames = [], None
    with open(path, errors="replace") as f:
        for line in f:
            line = line.rstrip("\n")
            if not line:
                continue
            m = FRAME.match(line) if frames is not None else None
            if m and line[0] == "\t":
                frames.append((int(m["ip"], 16), m["sym"]))
                continue
            m = SAMPLE.match(line)
            if not m:
                raise ValueError("perf script: %r" % line)
            frames = []
            whole, part = m["time"].split(".")
            samples.append(Sample(m["comm"].strip(), int(m["pid"]), int(m["tid"]),
                                  int(whole) * 10**9 + int(part.ljust(9, "0")),
                                  m["event"], int(m["period"]), frames))
    return samples


def within_pages(ips):
    """perf script prints offsets in files, not addresses: what they share."""
    return tuple(ip & 0xfff for ip in ips)


class Run:
    """All that is known about one recording."""

    def __init__(self, directory, name):
        self.base = os.path.join(directory, name)
        self.name = name
        self.log = self.text("log")
        self.status = self.text("status").split()
        self.complaints = self.text("script.err") + self.text("report.err")
        self.truth = []
        if os.path.exists(self.base + ".truth"):
            self.truth = [Truth(r["kind"], int(r["tid"]), r["state"], int(r["waits"]),
                                int(r["switches"]), int(r["total"]), int(r["around"]),
                                r["stack"])
                          for r in table(self.base + ".truth")]
        self.ledger = [{k: v if k in TEXT else int(v)
                        for k, v in r.items()} for r in table(self.base + ".ledger")]
        self.rows = [Row(int(r["tid"]), int(r["tgid"]), r["state"],
                         r["flags"].split(","), int(r["count"]),
                         int(r["total"]), int(r["min"]), int(r["max"]),
                         int(r["first"]), int(r["last"]),
                         tuple(int(ip, 16) for ip in
                               (r.get("ips") or r.get("user-stack") or "").split(";")
                               if ip and ip != "-"),
                         int(r["runnable"]), int(r["runnable_max"]), int(r["blocked_max"]),
                         r["reason"], r["syscall"], r["waker"])
                     for r in table(self.base + ".intervals")]
        self.samples = [s for s in script(self.base + ".script")]
        self.offcpu = [s for s in self.samples if s.event.startswith("offcpu-time")]
        self.runnable = [s for s in self.samples if s.event.startswith("runnable-time")]
        # perf names the frames, by thread, for an exec makes them others.
        self.symbols = {}
        for s in self.offcpu:
            key = s.tid, within_pages(ip for ip, _ in s.frames)
            self.symbols.setdefault(key, set()).add(tuple(sym for _, sym in s.frames))
        self.switches = switches.Switches(self.base, prevstate.is_late(KERNEL),
                                          KERNEL not in ("5.10", "sid"))
        # Threads of a process that was there before, and was the target.
        self.claimed = set()
        if name != "everything":
            self.claimed = {int(line.split()[1]) for line in self.text("tids").splitlines()}
        # Threads of which the kernel says what was recorded.
        self.confirmed = set()
        self.kernel = list(self.judge_switches())

    def judge_switches(self):
        """Every interval of every thread, by the kernel's own record of switches."""
        problems, skipped, count, recorded = list(self.switches.problems), 0, 0, 0
        low = high = ready_low = ready_high = runnable = single = 0
        rows = collections.defaultdict(list)
        for row in self.rows:
            rows[row.tid].append(row)
        lines = collections.Counter(entry["tid"] for entry in self.ledger)
        for entry in self.ledger:
            tid, born, end = entry["tid"], entry["born"], entry["end"]
            if self.switches.silent(tid, born, end):
                if entry["nr_off"] > 1 or (entry["off_ns"] and entry["run_ns"]):
                    problems.append("thread %d: %d intervals, the kernel saw none" %
                                    (tid, entry["nr_off"]))
                continue
            ready = [r for r in rows[tid] if r.state in ("R", "R+") and
                     "since-start" not in r.flags]
            ready = sum(r.count for r in ready), sum(r.total for r in ready)
            if lines[tid] != 1:
                skipped += 1
                continue
            wakers = collections.Counter()
            for r in rows[tid]:
                wakers[r.waker] += r.count
            if entry["spill_ns"]:
                ready = wakers = None	# what found no room has no state and no waker
            parts = ((entry["runnable_ns"], entry["runnable_max"]),
                     (entry["blocked_ns"], entry["blocked_max"]))
            claimed = self.switches.claimed(born) if tid in self.claimed else born
            seen, agreed = self.switches.within(
                tid, born, claimed, end, (entry["nr_off"], entry["off_ns"]), ready, parts, wakers)
            if agreed:
                self.confirmed.add(tid)
            else:
                problems.append("thread %d: %d intervals of %d ns, of these in state R %s; "
                                "runnable and blocked, sum and longest, %s; woken by %s; "
                                "from %d to %d the kernel saw %s" %
                                (tid, entry["nr_off"], entry["off_ns"], ready, parts,
                                 wakers, born, end,
                                 "; or ".join(str(reading) for reading in seen)))
            # A record of one interval has its time.
            for r in rows[tid]:
                if r.count != 1 or r.state in ("N", "?") or \
                   not set(r.flags) <= {"-", "iowait", "32bit", "single"}:
                    continue
                ways = self.switches.find(tid, r.last - r.total, r.last)
                single += 1
                if ways is None:
                    problems.append("thread %d: the kernel has no interval from %d to %d" %
                                    (tid, r.last - r.total, r.last))
                elif not any(way.runnable.low <= r.runnable <= way.runnable.high and
                             way.blocked.low <= r.total - r.runnable <= way.blocked.high and
                             way.by in (r.waker, None) for way in ways):
                    problems.append("thread %d, from %d to %d (%s): runnable %d, woken by %s; "
                                    "the kernel saw %s" %
                                    (tid, r.last - r.total, r.last, r.state, r.runnable,
                                     r.waker, ways))
                else:
                    continue
                self.confirmed.discard(tid)
            count += entry["nr_off"]
            recorded += entry["off_ns"]
            runnable += entry["runnable_ns"]
            if seen:
                low += seen[0].low
                high += seen[0].high
                ready_low += seen[0].runnable.sum.low
                ready_high += seen[0].runnable.sum.high
        if not self.confirmed:
            problems.append("no thread could be judged")
        yield ("%d threads' %d intervals, %.6f s, are the kernel's own: %.6f to %.6f s; "
               "runnable %.6f: %.6f to %.6f s; %d one by one (%d threads left out)" %
               (len(self.ledger) - skipped, count, recorded / 1e9, low / 1e9, high / 1e9,
                runnable / 1e9, ready_low / 1e9, ready_high / 1e9, single, skipped),
               problems[:9])

    def text(self, suffix):
        try:
            with open("%s.%s" % (self.base, suffix), errors="replace") as f:
                return f.read()
        except FileNotFoundError:
            return ""

    def names(self, row):
        """What perf calls the frames of a row: all of its answers."""
        return self.symbols.get((row.tid, within_pages(row.ips)),
                                {tuple("?" for _ in row.ips)})

    def lost(self, pattern):
        """A line of the closing words about losses: its numbers, or zeros."""
        m = re.search(pattern, self.log)
        return [float(g) for g in m.groups()] if m else [0.0] * 9


def ends_with(frames, tail):
    return frames[len(frames) - len(tail):] == tail


def clean(run):
    """The tools had nothing to complain about."""
    problems = []
    if run.status != ["0", "0", "0", "0"]:
        problems.append("exit statuses of wallprof's record and report, perf's script and "
                        "report: %s: %s" %
                        (run.status, run.log[-500:]))
    said = [line for line in run.complaints.splitlines() if line.strip()]
    if "LOST" in run.log:
        # perf repeats the losses in the file, in three lines.
        said = [line for line in said
                if not re.match(r"Warning:$|Processed .* lost .* chunks|Check IO/CPU", line)]
    # What perf says because it runs on another machine than the guest: its helper, which
    # reads this one's 32-bit vDSO, needs a 32-bit libc and a kernel that runs it; nor does
    # Debian's perf unwind arm64's copies of stacks, which are not in these files.
    said = [line for line in said
            if not re.search(r"perf-read-vdso32: (not found|Exec format error)$|"
                             r"^unwind: target platform=\S+ is not supported$", line)]
    if said:
        problems.append("perf says: %s" % "; ".join(said[:5]))
    yield "perf reads the file without a word", problems


def kernel(run):
    """What the kernel's own record of switches says of all that was recorded."""
    yield from run.kernel


def in_its_call(row, function):
    """Whether a wait in this function has the reason that it must have."""
    if row.state == "T":
        return (row.reason, row.syscall) == ("stop", "-")
    if function in CALLS:
        return (row.reason, row.syscall) == ("syscall", CALLS[function])
    return row.reason == "syscall"


def waits(run, max_stack=127):
    """What blocked: time within 1 %, counts as the kernel's, for every kind and stack.

    The program knows two bounds of what it waited: the time that passed, and
    that less the CPU time that the kernel accounted to the thread, which begins
    at its wake-up, before it runs. They lie close together unless the guest
    stood still. Beside the interval itself there may be others between the
    program's two readings of the clock: a preemption, or a wait in libc, whose
    stack has the same depth but another leaf. They are part of what was
    measured, and of what was recorded.
    """
    groups, leaves = collections.OrderedDict(), set()
    for t in run.truth:
        leaves.add(expand(t.stack)[0])
        if t.state in ("S", "D", "T"):
            groups.setdefault((t.kind, t.state, expand(t.stack, max_stack)), []).append(t)
    by_tid = collections.defaultdict(list)
    for row in run.rows:
        by_tid[row.tid].append(row)
    for (kind, state, frames), truths in groups.items():
        problems = []
        recorded = beside = measured = around = count = 0
        by_thread = collections.OrderedDict()
        for t in truths:
            by_thread.setdefault(t.tid, []).append(t)
        for tid, mine in by_thread.items():
            exact = [r for r in by_tid[tid]
                     if frames in run.names(r) and r.state == state]
            near = [r for r in by_tid[tid] if r not in exact and
                    any(n[1:] == frames[1:] and (n[0] == frames[0] or n[0] not in leaves)
                        for n in run.names(r) if n)]
            times = sum(r.count for r in exact)
            total = sum(r.total for r in exact)
            problems += ["thread %d: %s in %s, %s" % (tid, r.reason, r.syscall, frames[0])
                         for r in exact if not in_its_call(r, frames[0])][:3]
            blocked = sum(r.count for r in near if r.state not in ("R", "R+"))
            # The kernel's count of the switches in it, not the program's of its
            # calls: one that is woken for nothing waits twice in a call, as by a
            # waker that stood still between the store and the wake-up, or who
            # waits for one of the kernel's own locks, where that sleeps.
            if not times <= sum(t.switches for t in mine) <= times + blocked:
                problems.append("thread %d: %d intervals and %d in libc, the kernel "
                                "counted %d" % (tid, times, blocked,
                                                sum(t.switches for t in mine)))
            if total > sum(t.around for t in mine):
                problems.append("thread %d: %d ns recorded, %d passed around it" %
                                (tid, total, sum(t.around for t in mine)))
            recorded += total
            beside += sum(r.total for r in near)
            measured += sum(t.total for t in mine)
            around += sum(t.around for t in mine)
            count += times
        if recorded > around or \
           (recorded + beside < measured * (1 - SHARE) and
            not run.confirmed.issuperset(by_thread)):
            problems.append("%d ns recorded and %d beside, %d to %d measured: %+.3f %%" %
                            (recorded, beside, measured, around,
                             100 * ((recorded + beside) / measured - 1)))
        yield ("%s (%s) in %s: %d intervals, %.3f ms of %.3f to %.3f ms" %
               (kind, state, truths[0].stack, count, recorded / 1e6, measured / 1e6,
                around / 1e6), problems[:6])


def rivals(run):
    """Preempted and yielded time, against the kernel's own account."""
    for t in run.truth:
        if t.state != "R":
            continue
        frames = expand(t.stack)
        rows = [r for r in run.rows if r.tid == t.tid and r.state in ("R", "R+")]
        exact = [r for r in rows if frames in run.names(r)]
        # All others of the thread may be of its function's way in and out: libc
        # and the vdso hide who called them.
        count = sum(r.count for r in exact)
        total = sum(r.total for r in exact)
        upper = sum(r.count for r in rows)
        # A rival may lose its CPU on the way into the loop or out of it.
        around = sum(r.total for r in rows)
        problems = []
        if not exact:
            problems.append("none recorded")
        if not count <= t.switches <= upper:
            problems.append("%d intervals in it, %d in all, %d switches" %
                            (count, upper, t.switches))
        if t.around and total > t.around:
            problems.append("%d ns recorded, %d passed around it" % (total, t.around))
        if t.total and t.tid not in run.confirmed and \
           (total > t.total * (1 + SHARE) or around < t.total * (1 - SHARE)):
            problems.append("%d ns recorded, %d with its caller, %d measured: %+.3f %%" %
                            (total, around, t.total, 100 * (total / t.total - 1)))
        yield ("%s (%s) in %s: %d intervals of %d switches, %.3f ms of %.3f ms" %
               (t.kind, t.state, t.stack, count, t.switches, total / 1e6,
                t.total / 1e6), problems)


def ledger(run):
    """Every thread's run + runnable + blocked + unknown = wall, and its intervals make up all but
    its run."""
    by_tid = collections.defaultdict(lambda: [0, 0, 0, 0])
    for row in run.rows:
        by_tid[row.tid][0] += row.count
        by_tid[row.tid][1] += row.total
        by_tid[row.tid][2] += row.total if "spilled" in row.flags else 0
        by_tid[row.tid][3] += row.runnable
    problems, threads = [], set()
    for entry in run.ledger:
        threads.add(entry["tid"])
        if entry["run_ns"] + entry["runnable_ns"] + entry["blocked_ns"] + \
           entry["unknown_ns"] != entry["end"] - entry["born"] or entry["blocked_ns"] < 0 or \
           entry["runnable_ns"] + entry["blocked_ns"] != entry["off_ns"]:
            problems.append("thread %d: run %d + runnable %d + blocked %d + unknown %d != wall %d" %
                            (entry["tid"], entry["run_ns"], entry["runnable_ns"],
                             entry["blocked_ns"], entry["unknown_ns"],
                             entry["end"] - entry["born"]))
    yield ("run + runnable + blocked + unknown = wall time for each of %d threads" % len(run.ledger),
           problems[:6])

    wanted = collections.Counter(
        (entry["tid"], entry["tgid"], entry["comm"].strip()) + tuple("%.6f" % (entry[name] / 1e9) for name in
                                              ("run_ns", "runnable_ns", "blocked_ns")) +
        (entry["nr_off"], "%.6f" % (entry["unknown_ns"] / 1e9),
         "%.6f" % ((entry["end"] - entry["born"]) / 1e9), entry["diff_ns"],
         "ended" in entry["flags"].split(","))
        for entry in run.ledger)
    reported = collections.Counter(
        (int(m[1]), int(m[2]), m[3].strip(), m[4], m[5], m[6], int(m[7]), m[8], m[9],
         int(m[10]), bool(m[11]))
        for m in map(REPORTED.match, run.text("verbose").splitlines()) if m)
    yield ("the file's own ledger says the same of each",
           ["not there: %s" % (line,) for line in list(wanted - reported)[:3]] +
           ["too much: %s" % (line,) for line in list(reported - wanted)[:3]])

    def seconds(*names):
        return "%.6f" % (sum(entry[name] for entry in run.ledger for name in names) / 1e9)

    def many(nr, what):
        return "%d %s%s" % (nr, what, "" if nr == 1 else "s")

    line = "  %s (%d ended): %s s run + %s s runnable + %s s blocked (%s)" \
        " + %s s unknown = %s s wall" % (
            many(len(run.ledger), "thread"),
            sum("ended" in entry["flags"].split(",") for entry in run.ledger),
            seconds("run_ns"), seconds("runnable_ns"), seconds("blocked_ns"),
            many(sum(entry["nr_off"] for entry in run.ledger), "interval"), seconds("unknown_ns"),
            seconds("wall_ns"))
    processes = collections.Counter()
    for m in re.finditer(r"^ +\d+ .{16,}? +(\d+)((?: +\d+\.\d{6}){5})$", run.text("verbose"), re.M):
        processes.update(dict(zip(("threads", "run", "runnable", "blocked", "unknown", "wall"),
                                  [int(m[1])] +
                                  [round(float(t) * 1e6) for t in m[2].split()])))
    sums = [len(run.ledger)] + [float(seconds(name)) * 1e6 for name in (
        "run_ns", "runnable_ns", "blocked_ns", "unknown_ns", "wall_ns")]
    yield ("and the same in sum, of all and of its processes",
           ([] if line in run.text("verbose").splitlines() else ["no line %r" % line]) +
           # Each is rounded to a microsecond.
           ["%s: %s, of all %s" % (name, n, total) for (name, n), total in
            zip(processes.items(), sums) if abs(n - total) > len(run.ledger)] +
           ([] if processes else ["no process"]))

    problems = []
    if len(threads) == len(run.ledger):
        for entry in run.ledger:
            made_up = by_tid[entry["tid"]]
            account = [entry[name] for name in ("nr_off", "off_ns", "spill_ns", "runnable_ns")]
            if made_up != account:
                problems.append("thread %d: intervals, ns, spilled, runnable: %s; "
                                "the ledger: %s" % (entry["tid"], made_up, account))
    else:
        problems.append("%d lines of %d threads" % (len(run.ledger), len(threads)))
    yield "the intervals of each thread make up its off-CPU time", problems[:6]

    # Ended threads whose totals were lost are counted.
    lost, lost_s = run.lost(r"LOST the totals of (\d+) threads? that ended, "
                            r"with (\d+\.\d+) s")[:2]
    missing = {t.tid for t in run.truth} - threads
    problems = []
    if len(missing) > lost:
        problems.append("%d are not there, %d reported as lost: %s" %
                        (len(missing), lost, sorted(missing)[:9]))
    yield ("the ledger has all %d threads of the program but %d" %
           (len({t.tid for t in run.truth}), lost), problems)
    if not lost:
        return
    recorded = sum(by_tid[tid][1] for tid in missing) / 1e9
    waited = sum(run.switches.waited(tid) for tid in missing) / 1e9
    yield ("threads without account: %.3f s recorded + %.3f s lost, they waited %.3f s" %
           (recorded, lost_s, waited),
           [] if recorded + lost_s >= waited - 0.001 else ["less"])


def consistent(run):
    """perf's samples are the reader's intervals, nothing more, nothing less."""
    for event, samples, ns in ("offcpu-time", run.offcpu, lambda row: row.total), \
                              ("runnable-time", run.runnable, lambda row: row.runnable):
        reported, read = collections.Counter(), collections.Counter()
        for row in run.rows:
            reported[row.tid, within_pages(row.ips)] += ns(row)
        for s in samples:
            read[s.tid, within_pages(ip for ip, _ in s.frames)] += s.period
        problems = ["thread %d: %d ns recorded, perf reads %d, stack of %d frames" %
                    (tid, reported[tid, ips], read[tid, ips], len(ips))
                    for tid, ips in set(reported) | set(read)
                    if reported[tid, ips] != read[tid, ips]]
        yield ("perf script: %.3f ms of %s in %d stacks are what was recorded" %
               (sum(read.values()) / 1e6, event, len(read)), problems[:6])

        total = sum(ns(row) for row in run.rows)
        m = re.search(r"of event '%s[^']*'\n# Event count \(approx\.\): (\d+)" % event,
                      run.text("report"))
        yield ("perf report: the sum of %s is what was recorded" % event,
               [] if m and int(m[1]) == total else
               ["%s, recorded %d" % (m and m[1], total)])

    problems = []
    for row in run.rows:
        if "spilled" in row.flags:
            continue		# only their sum is known
        if not row.count or not row.min * row.count <= row.total <= row.max * row.count \
           or row.first > row.last or (row.count == 1 and row.min != row.max) or \
           row.runnable > row.total or row.runnable > row.runnable_max * row.count or \
           row.total - row.runnable > row.blocked_max * row.count or \
           max(row.runnable_max, row.blocked_max) > row.max or \
           (row.state in ("R", "R+", "N") and
            (row.runnable != row.total or row.waker != "-")):
            problems.append("%s" % (row._replace(ips=len(row.ips)),))
    yield "count, total, shortest, longest, first and last agree", problems[:6]


def in_guest(which, timeout, *options):
    """Boot a guest and record the set there: directory, exit status, output."""
    out = subprocess.run(["tests/lab/programs", KERNEL, "reader", "workloads"], cwd=TOP,
                         check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    work = tempfile.mkdtemp(prefix="wallprof-truth.")
    inside = os.path.join(work, "in")
    os.mkdir(inside)
    shutil.copy(MODULE, os.path.join(inside, "wallprof.ko"))
    for path in [out + "/wallprof", "tests/guest/truth/in-guest"] + \
            [out + "/workloads/" + name
             for name in os.listdir(os.path.join(TOP, out, "workloads"))]:
        shutil.copy(os.path.join(TOP, path), inside)
    guest = subprocess.run(
        [os.path.join(TOP, "tests/lab/guest"), "--kernel", KERNEL, "--cpus", "2", *options, "--in", inside,
         "--out", os.path.join(work, "out"), "--timeout", str(timeout), "--",
         "./in-guest", which],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace")
    names = [name[:-5] for name in os.listdir(os.path.join(work, "out"))
             if name.endswith(".data")]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda name: readback(work, os.path.join(work, "out", name)), names))
    return work, guest.returncode, guest.stdout


def readback(work, base):
    """What stock perf says about a recording. It runs here: that is much faster than
    in the guest. The guest's programs lie in work/in as they did in its /in."""
    env = dict(os.environ, PERF_SYMFS=work)
    commands = {
        "script": ["script", "-i", base + ".data", "--max-stack", "127",
                   "-F", "comm,pid,tid,time,event,period,ip,sym"],
        "report": ["report", "-i", base + ".data", "--stdio", "-g", "none", "--header"],
    }
    for name, command in commands.items():
        with open("%s.%s" % (base, name), "w") as out, \
             open("%s.%s.err" % (base, name), "w") as err:
            status = subprocess.run([os.path.join(TOP, "tests/lab/perf"), "6.1", *command],
                                    env=env, stdout=out, stderr=err,
                                    stdin=subprocess.DEVNULL, check=False).returncode
        with open(base + ".status", "a") as f:
            f.write("%d\n" % status)


def status_of(results):
    """Print results as TAP; the exit status."""
    tap.checks(results, most=None)
    return tap.done()


def main(which, results, timeout, *options):
    """Record a set in a guest, booted with these options, and judge it; the exit
    status."""
    again = os.environ.get("WALLPROF_TRUTH")
    if again:		# a directory that an earlier run left: judge it again
        return status_of(results(again))
    if not os.path.exists(MODULE):
        print("Bail out! no %s: run make" % MODULE)
        return 1
    work, status, output = in_guest(which, timeout, *options)
    for line in output.splitlines():
        if line.startswith("lab: "):
            print("# " + line)
    result = [("the guest records and ends well",
               ["exit status %d" % status] + output.splitlines()[-20:] if status else [])]
    def all_results():
        yield from result
        yield from results(os.path.join(work, "out"))

    status = status_of(all_results())
    if status:
        print("# kept: %s" % os.path.join(work, "out"))
    else:
        shutil.rmtree(work)
    return status
