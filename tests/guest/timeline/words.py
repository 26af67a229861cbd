# SPDX-License-Identifier: GPL-2.0
"""What wallprof sched latency, timehist and map print of a file, beside what perf sched of
Linux 7 prints of it: line by line, with what is known to differ."""

import collections
import re

DELAY = re.compile(r"\s*(.*):(\d+)\s*\|\s*([\d.]+) ms \|\s*(\d+) \| avg:\s*([\d.]+) ms \| "
                   r"max:\s*([\d.]+) ms \| max start:\s*([\d.]+) s \| max end:\s*([\d.]+) s")
SLICE = re.compile(r"\s*([\d.]+) \[(\d+)\]  (.+?)\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+([A-Za-z])  "
                   r"next: (.*?)\s*$")
OTHER = re.compile(r"\s*([\d.]+) \[(\d+)\]  .+?\s+(awakened|migrated): (.*?)\s*$")
TOTAL = re.compile(r"\s*(\S.*)\[(-?\d+)(?:/-?\d+)?\]\s+(-?\d+)\s+(\d+)\s+([\d.]+)\s+([\d.]+)\s+"
                   r"([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+(\d+)\s*$")
# A line of perf sched map: cells, time, and the name of who is seen for the first time.
CELLS = re.compile(r"\s*(.*?)\s+([\d.]+) secs ?(?:(\S+)\s+=> (.*):(\d+))?\s*$")
IDLE = re.compile(r"\s*CPU\s+(\d+) idle for\s+([\d.]+)\s+msec")


def once(lines):
    """Without what perf records twice: it has such events in its own recordings, when it
    begins."""
    return [m for i, m in enumerate(lines)
            if not i or m.group(1, 2, 3) != lines[i - 1].group(1, 2, 3)]


def us(text):
    """Milliseconds or seconds with their fraction, without it: perf cuts or rounds."""
    return int(text.replace(".", ""))


def near(theirs, ours, unit=1000, by=1):
    return ours is not None and abs(theirs - ours // unit) <= by


def latency(theirs, ours):
    """theirs is latency -p, as text; ours the same as JSON."""
    problems, nr = [], 0
    tasks = collections.defaultdict(list)
    for task in ours["tasks"]:
        tasks[task["tid"]].append(task)
    for line in theirs.splitlines():
        m = DELAY.match(line)
        if not m or len(tasks[int(m[2])]) != 1 or int(m[2]) in ours["twice"]:
            continue
        task = tasks[int(m[2])][0]
        count, known = int(m[4]), task["switches"] - task["delays_unknown"]
        nr += 1
        # For perf, a thread that it sees for the first time has not waited. It forgets
        # a thread that it sees woken on the way off its CPU.
        if count > task["switches"] or count < known - task["woken_early"]:
            problems.append("%s: %d switches, %d of unknown delay" %
                            (line, task["switches"], task["delays_unknown"]))
        elif count == known and not task["woken_early"]:
            if not near(us(m[5]), task["delay_avg_ns"] or 0):
                problems.append("%s: on average %s" % (line, task["delay_avg_ns"]))
            if not near(us(m[6]), task["delay_max_ns"] or 0) or \
                    not near(us(m[7]), task["delay_max_begin_ns"] or 0) or \
                    not near(us(m[8]), task["delay_max_end_ns"] or 0):
                problems.append("%s: at most %s from %s to %s" %
                                (line, task["delay_max_ns"], task["delay_max_begin_ns"],
                                 task["delay_max_end_ns"]))
    return nr, problems


def span(events, delays):
    """delays is what latency -p says as JSON, events what timehist -wnM does: what a thread
    did, all kinds added up, takes no longer than it is from a CPU's first event to the
    last one."""
    times = [e["time_ns"] for e in events["events"]]
    window = max(times) - min(times)
    tasks = [t for t in delays["tasks"] if t["threads"] == 1]
    return len(tasks), ["%s did something for %d ns of %d" % (t["comm"], did, window)
                        for t in tasks
                        for did in [t["run_ns"] + t["delay_ns"] + t["blocked_ns"]]
                        if did > window]


def edges(events):
    """What is not between two switches of a CPU: from the first event of all to its first
    switch, and from its last one to the last event; by thread."""
    times = [e["time_ns"] for e in events["events"]]
    first, last, spans = {}, {}, collections.Counter()
    for e in events["events"]:
        if e["event"] == "switch":
            first.setdefault(e["cpu"], e)
            last[e["cpu"]] = e
    for cpu, e in first.items():
        spans[e["tid"]] += e["time_ns"] - min(times)
        spans[last[cpu]["other_tid"]] += max(times) - last[cpu]["time_ns"]
    return spans


def runs(events, delays, totals, theirs):
    """delays is what latency -p says as JSON, totals what timehist -s does, which is the same
    as perf's: each thread ran as long, but for the edges of the recording, which timehist
    does not have. A recording of perf (theirs) begins and ends on one CPU after the other."""
    spans = edges(events)
    ran = collections.Counter()
    for total in totals["summary"]:
        ran[total["tid"]] += total["run_ns"]
    mine = collections.Counter()
    for task in delays["tasks"]:
        mine[task["tid"]] += task["run_ns"]
    problems = []
    for tid in mine.keys() - {0}:
        more = mine[tid] - ran[tid]
        if more != spans[tid] and not (theirs and 0 <= more <= spans[tid]):
            problems.append("thread %d ran for %d ns more than with timehist, not %d" %
                            (tid, more, spans[tid]))
    return len(mine), problems + ["thread %d is missing" % tid for tid in ran.keys() - mine.keys()
                                  if tid]


def has_exited(event, exits):
    """Whether the slice ends behind the record of the thread's exit: there perf has
    forgotten what it did."""
    return exits.get(event["tid"], event["time_ns"] + 1) <= event["time_ns"]


def slices(theirs, ours):
    """theirs is timehist -wnM --state, as text; ours the same as JSON."""
    problems, nr = [], 0
    mine = [e for e in ours["events"] if e["event"] == "switch"]
    lines = once([m for m in map(SLICE.match, theirs.splitlines()) if m])
    if len(lines) != len(mine):
        problems.append("%d slices, not %d" % (len(mine), len(lines)))
    begun = set()
    for m, e in zip(lines, mine):
        if us(m[1]) != e["time_ns"] // 1000 or int(m[2]) != e["cpu"]:
            problems.append("%s: at %d on %d" % (m[0], e["time_ns"], e["cpu"]))
            break
        # While perf attaches its events, one after the other, some are missing.
        if e["time_ns"] < ours["since"] or e["tid"] not in begun:
            if e["time_ns"] >= ours["since"] or not ours["since"]:
                begun.add(e["tid"])
            if ours["since"]:
                continue
        if e["run_ns"] is not None and us(m[6]) != e["run_ns"] // 1000:
            problems.append("%s: ran %d" % (m[0], e["run_ns"]))
        # What is dead has no id any more, for perf, and so no past.
        if m[3] == "<idle>" or m[3].startswith(":") or "[-1" in m[3] or \
                has_exited(e, ours["exits"]) and not us(m[4]) + us(m[5]) or \
                e["tid"] in ours["twice"]:
            continue
        nr += 1
        if e["wait_ns"] is not None and us(m[4]) != e["wait_ns"] // 1000:
            problems.append("%s: waited %d" % (m[0], e["wait_ns"]))
        # Nor does it know of a wakeup that comes before the end of the slice.
        if e["woken_early"] and not us(m[5]):
            continue
        if e["delay_ns"] is not None and us(m[5]) != e["delay_ns"] // 1000:
            problems.append("%s: delayed by %d" % (m[0], e["delay_ns"]))
        if e["state"] != m[7]:
            problems.append("%s: left as %s" % (m[0], e["state"]))
        # While it detaches them, one CPU after the other, who runs may have been elsewhere.
        if e["time_ns"] > ours["until"]:
            continue
        # Without a wakeup, as where its own recordings begin, perf takes all for waiting.
        if us(m[5]) and (e["delay_ns"] is None or us(m[4]) and e["wait_ns"] is None):
            problems.append("%s: we do not know" % m[0])
    return nr, problems


def others(theirs, ours):
    """Wakeups and migrations of the same two."""
    kinds = {"wakeup": "awakened", "wakeup_new": "awakened", "migration": "migrated"}
    mine = [(e["time_ns"] // 1000, e["cpu"], kinds[e["event"]], e["other_tid"], e["from_cpu"],
             e["to_cpu"] if e["event"] == "migration" else None)
            for e in ours["events"] if e["event"] != "switch"]
    found = []
    for m in map(OTHER.match, theirs.splitlines()):
        if not m:
            continue
        cpus = re.search(r" cpu (\d+) => (\d+)$", m[4])
        tid = re.search(r"\[(-?\d+)(/-?\d+)?\]( cpu|$)", m[4])
        # Of some threads perf has the name alone.
        found.append((us(m[1]), int(m[2]), m[3], int(tid[1]) if tid else None,
                      int(cpus[1]) if cpus else None,
                      int(cpus[2]) if cpus else None))
    found = [f for i, f in enumerate(found) if not i or f != found[i - 1]]
    wrong = [(a, b) for a, b in zip(found, mine)
             if a != b and a != b[:3] + (None,) + b[4:]]
    problems = ["perf has %s, we %s" % both for both in wrong]
    if len(found) != len(mine):
        problems.append("%d wakeups and migrations, not %d" % (len(mine), len(found)))
    return len(mine), problems


def summary(theirs, ours):
    """theirs is timehist -sM, as text; ours the same as JSON."""
    problems, nr = [], 0
    totals = collections.defaultdict(list)
    for total in ours["summary"]:
        totals[total["tid"]].append(total)
    for line in theirs.splitlines():
        m = TOTAL.match(line)
        # Some are in several lines, when they were dead and perf made them anew.
        if not m or len(totals[int(m[2])]) != 1 or m[1].startswith(":") or \
                int(m[2]) in ours["twice"] or \
                len(re.findall(r"\[%s(?:/-?\d+)?\]" % m[2], theirs)) > 1:
            continue
        total = totals[int(m[2])][0]
        nr += 1
        # The last slice of what died, without an id, is not there; that of unknown length
        # perf takes for one of none.
        if int(m[4]) == total["slices"]:
            wrong = [key for key, text in (("run_ns", m[5]), ("run_min_ns", m[6]),
                                           ("run_avg_ns", m[7]), ("run_max_ns", m[8]))
                     if not near(us(text), total[key])]
            if wrong or abs(float(m[9]) - total["run_stddev_percent"]) > 0.02:
                problems.append("%s: %s" % (line, total))
        elif abs(int(m[4]) - total["slices"]) > 2:
            problems.append("%s: %s slices" % (line, total["slices"]))
        if int(m[10]) != total["migrations"]:
            problems.append("%s: %d migrations" % (line, total["migrations"]))
    idle = {int(m[1]): us(m[2]) for m in map(IDLE.match, theirs.splitlines()) if m}
    for cpu in ours["cpus"]:
        if 0 not in ours["twice"] and not near(idle.get(cpu["cpu"], 0), cpu["idle_ns"]):
            problems.append("CPU %s is idle for %s us with perf" % (cpu, idle.get(cpu["cpu"])))
    return nr, problems


def drawing(theirs, ours):
    """What sched map draws, as text: the same cells at the same times, for the same threads.
    perf names a thread again where its name has changed, does not name some at all, and adds
    to the names of kernel threads what they work at, where it has read /proc."""
    problems, names = [], {}
    theirs, ours = (list(map(CELLS.match, text.splitlines())) for text in (theirs, ours))
    if len(theirs) != len(ours):
        problems.append("%d lines, not %d" % (len(ours), len(theirs)))
    for a, b in zip(theirs, ours):
        if not a or not b or a[1].split() != b[1].split() or a[2] != b[2]:
            problems.append("%s: %s" % (a and a[0], b and b[0]))
            continue
        if b[3]:
            names[b[3]] = b.group(4, 5)
        if a[3] and names.get(a[3]) != a.group(4, 5) and not (
                a[4].startswith("kworker/") and a[5] == names.get(a[3], ("", ""))[1]):
            problems.append("%s: %s" % (a[0], names.get(a[3])))
    return len(names), problems


def histogram(hist, events):
    """hist is what hist says as JSON, events what timehist -wnM --state does, which is the same
    as perf's: each wait is in its bucket. Of the slices that the recording's end cut, one
    for each CPU, timehist has no line; hist has the waits before them."""
    wanted, got = collections.Counter(), collections.Counter()
    for e in events["events"]:
        if e["event"] != "switch" or not e["tid"] or e["delay_ns"] is None:
            continue
        kinds = [("runnable", e["delay_ns"])]
        if (e["wait_ns"] or 0) > e["delay_ns"]:
            kinds.append(("blocked", e["wait_ns"] - e["delay_ns"]))
        for kind, ns in kinds:
            us = ns // 1000
            wanted[kind, 1 << us.bit_length() - 1 if us else 0] += 1
    for row in hist["histogram"]:
        got[row["what"], row["from_us"]] += row["count"]
    problems = ["%s from %d us: %d, not %d" % (*key, got[key], wanted[key])
                for key in wanted if got[key] < wanted[key]]
    cpus = len({e["cpu"] for e in events["events"]})
    for kind in ("runnable", "blocked"):
        more = sum(nr - wanted[key] for key, nr in got.items() if key[0] == kind)
        if more > cpus:
            problems.append("%d more are %s" % (more, kind))
    return sum(wanted.values()), problems
