# SPDX-License-Identifier: GPL-2.0
"""The kernel's own record of switches and wakeups, from tracefs: NAME.before and
NAME.after, which its tracepoints wrote before and after they called our probes.

Our probes read the clock between the two: so the time of each switch and each
wakeup is known within bounds that hold however long a CPU stands still.
"""

import bisect
import collections
import re

import prevstate

LINE = re.compile(r"^(?P<comm>.{16,})-(?P<current>\d+)\s+\[(?P<cpu>\d+)\]\s+(?P<flags>\S+)\s+"
                  r"(?P<s>\d+)\.(?P<us>\d{6}): (?P<event>\w+): (?P<rest>.*)$")
SWITCH = re.compile(r".* prev_pid=(?P<prev>\d+) .* prev_state=(?P<state>\S+) ==> "
                    r".* next_pid=(?P<next>\d+) ")
WAKING = re.compile(r".* pid=(?P<pid>\d+) prio=")
# The flags of the lines are explained above them, one after the other.
FLAG = re.compile(r"^#[ |/]+_-+=> (.*)$")
LOST = re.compile(r"^# lost: (\d+)$")

# Times are printed in microseconds, rounded.
ROUNDED = 500

Line = collections.namedtuple("Line", "time prev state next")
Waking = collections.namedtuple("Waking", "time tid by")
Bound = collections.namedtuple("Bound", "low high")
# A way in which an interval may have been split: bounds of the two parts, and who
# woke the thread.
Split = collections.namedtuple("Split", "runnable blocked by")

# Who wakes, by this one of the line's flags; else it is the current thread.
CONTEXT = "hardirq/softirq"
CONTEXTS = {"s": "softirq", "h": "hardirq", "H": "hardirq", "z": "hardirq", "Z": "hardirq"}


def between(begin, end):
    """Bounds of the time between two."""
    return Bound(max(0, end.low - begin.high), max(0, end.high - begin.low))


class Sum:
    """Intervals: how many, and bounds of their time."""

    def __init__(self):
        self.count = self.low = self.high = 0

    def add(self, begin, end):
        self.count += 1
        self.low += max(0, end.low - begin.high)
        self.high += max(0, end.high - begin.low)

    def agrees(self, count, total):
        return count == self.count and self.low <= total <= self.high

    def __str__(self):
        return "%d of %d to %d" % (self.count, self.low, self.high)


class Parts:
    """The runnable or the blocked parts of intervals: bounds of their sum, and of the
    longest one."""

    def __init__(self):
        self.sum = self.longest = Bound(0, 0)

    def add(self, part):
        self.sum = Bound(self.sum.low + part.low, self.sum.high + part.high)
        self.longest = Bound(max(self.longest.low, part.low),
                             max(self.longest.high, part.high))

    def agrees(self, total, longest):
        return self.sum.low <= total <= self.sum.high and \
            self.longest.low <= longest <= self.longest.high

    def __str__(self):
        return "%d to %d, longest %d to %d" % (self.sum + self.longest)


class Seen(Sum):
    """All of a thread's, those in which it was runnable, and those in which it may
    have been: of a thread that ends the tracepoint says X, but for a preemption; and
    of one that nobody woke, that it was blocked. And how they were split, and who woke the
    thread: for each who it may have been."""

    def __init__(self):
        super().__init__()
        self.ready, self.hidden = Sum(), Sum()
        self.runnable, self.blocked = Parts(), Parts()
        self.wakers = collections.Counter()

    def split(self, ways):
        """The ways in which one may have been split."""
        for parts, place in (self.runnable, 0), (self.blocked, 1):
            parts.add(Bound(min(way[place].low for way in ways),
                            max(way[place].high for way in ways)))
        self.wakers[frozenset(way.by for way in ways)] += 1

    def agrees_on_wakers(self, wakers):
        """wakers: how many intervals each of them ended."""
        sure, maybe = collections.Counter(), collections.Counter()
        for who, count in self.wakers.items():
            if None in who:		# unknown
                who |= set(wakers)
            for by in who:
                (sure if len(who) == 1 else maybe)[by] += count
        return sum(wakers.values()) == sum(self.wakers.values()) and \
            all(sure[by] <= wakers[by] <= sure[by] + maybe[by]
                for by in set(wakers) | set(sure))

    def agrees_on_ready(self, count, total, late):
        """late: those that are runnable here may have been waiting."""
        return (late or self.ready.count <= count and self.ready.low <= total) and \
            count <= self.ready.count + self.hidden.count and \
            total <= self.ready.high + self.hidden.high

    def __str__(self):
        who = ", ".join("%s: %d" % ("|".join(str(by) for by in sorted(who, key=str)), count)
                        for who, count in self.wakers.items())
        return "%s, of these in state R %s; runnable %s; blocked %s; woken by %s" % \
            (super().__str__(), self.ready, self.runnable, self.blocked, who)


def read(path, problems):
    """The lines of a file, by CPU: switches and wakeups; and when wallprof switched or
    woke."""
    cpus, wakings, whole = collections.defaultdict(list), collections.defaultdict(list), False
    flags, wallprof, idle = [], [], []
    with open(path, errors="replace") as f:
        for text in f:
            m = LOST.match(text)
            if m:
                whole = m[1] == "0"
            m = FLAG.match(text)
            if m:
                flags.append(m[1])
            if text[0] in "#\n":
                continue
            line = LINE.match(text)
            m = line and {"sched_switch": SWITCH, "sched_waking": WAKING}[
                line["event"]].match(line["rest"])
            if not m:
                problems.append("%s: %r" % (path, text))
                break
            cpu, time = int(line["cpu"]), (int(line["s"]) * 10**6 + int(line["us"])) * 1000
            if line["comm"].strip() == "wallprof":
                wallprof.append(time)
            if line["event"] == "sched_switch":
                if m["prev"] == "0":
                    idle.append(line["rest"])
                cpus[cpu].append(Line(time, int(m["prev"]), m["state"], int(m["next"])))
            # One that wakes itself, or that an interrupt on its own CPU wakes, is awake.
            elif m["pid"] != line["current"]:
                wakings[cpu].append(Waking(time, int(m["pid"]), CONTEXTS.get(
                    line["flags"][flags.index(CONTEXT)], "task:" + line["current"])))
    meant = prevstate.meant if prevstate.one_on(idle) else str
    for cpu, lines in cpus.items():
        # It is gone, whether its parent knows or not.
        cpus[cpu] = [line._replace(state=meant(line.state).replace("Z", "X")) for line in lines]
    if not whole:
        problems.append("%s: the kernel's buffer was too small" % path)
    return cpus, wakings, sorted(wallprof)


def same(line):
    return {"state": line.state} if isinstance(line, Line) else {}


class Switches:
    def __init__(self, base, late, stale):
        """late: the tracepoint is not passed the state, and reads it when a waker
        may have written over it. It says R then, we know better. stale: of who had a
        signal pending it is passed the state before that, and the module records R."""
        self.late, self.stale = late, stale
        self.problems = []
        self.threads = collections.defaultdict(list)	# tid: (Bound, state or None)
        self.wakings = collections.defaultdict(list)	# tid: (Bound, waker)
        before, waking_before, self.wallprof = read(base + ".before", self.problems)
        after, waking_after, _ = read(base + ".after", self.problems)
        for cpu, lines in before.items():
            for line, when in self.pair(lines, after[cpu]):
                if line.prev:
                    self.threads[line.prev].append((when, line.state))
                if line.next:
                    self.threads[line.next].append((when, None))
        for cpu, lines in waking_before.items():
            for line, when in self.pair(lines, waking_after[cpu]):
                self.wakings[line.tid].append((when, line.by))
        for events in self.threads.values():
            events.sort(key=lambda event: event[0].low)
            # No later than what the thread did next, on whatever CPU.
            for i in range(len(events) - 1, 0, -1):
                when, state = events[i - 1]
                events[i - 1] = when._replace(high=min(when.high, events[i][0].high)), state
        for wakings in self.wakings.values():
            wakings.sort(key=lambda waking: waking[0].low)

    def pair(self, lines, after):
        """A CPU's lines with the bounds of their times: the later witness came later
        and went earlier. None comes within another of its kind, with interrupts off."""
        first = len(lines)
        if after:
            first = sum(line.time <= after[0].time for line in lines) - 1
        for i, line in enumerate(lines):
            # At the latest when the CPU switches, or wakes, again.
            low = line.time - ROUNDED
            high = lines[i + 1].time + ROUNDED if i + 1 < len(lines) else low + 10**12
            if 0 <= i - first < len(after):
                second = after[i - first]
                # 5.10's state may change meanwhile.
                if second._replace(time=0, **same(line)) != line._replace(time=0) or \
                   not low <= second.time <= high:
                    self.problems.append("the witnesses differ: %s, %s" % (line, second))
                    break
                high = second.time + ROUNDED
            yield line, Bound(low, high)

    def waited(self, tid):
        """At least as long was a thread off its CPU, once that it had been on it."""
        ns, left = 0, None
        for when, state in self.threads.get(tid, ()):
            if state is not None:
                left = when
            elif left:
                ns += max(0, when.low - left.high)
                left = None
        return ns

    def find(self, tid, begin, end):
        """The ways in which a thread's time off its CPU from then to then may have been
        split; None if it was not off all that time, or it was, and longer."""
        events, ways = self.threads.get(tid, ()), []
        for i, ((left, state), (came, none)) in enumerate(zip(events, events[1:])):
            if state and not none and left.low <= begin <= left.high and \
               came.low <= end <= came.high:
                before = events[i - 1][0] if i else Bound(0, 0)
                ways += self.ways(tid, before, (left, state), came)
        return ways or None

    def ways(self, tid, before, left, came, ended=True):
        """The ways in which an interval may have been split; before: when the thread
        came to a CPU the last time. A thread that was not blocked was runnable all the time. One
        that was is runnable from its last wakeup on; that may be written down just before
        the thread left."""
        (when, state), wakings = left, self.wakings.get(tid, ())
        all_of_it, nothing = between(when, came), Bound(0, 0)
        either = state == prevstate.EITHER
        if state[0] == "R" and not self.late and not either:
            return [Split(all_of_it, nothing, "-")]
        if state == "X":
            return [Split(Bound(0, all_of_it.high), Bound(0, all_of_it.high), None)]
        ways, sure = [], False
        i = bisect.bisect_right(wakings, came.high, key=lambda waking: waking[0].low)
        while i > 0 and not sure:
            i -= 1
            (low, high), by = wakings[i]
            if high < before.low:
                break
            woken = Bound(low, min(high, came.high))
            # Of an open one, a wakeup that may have come after the end is not sure,
            # whereas a CPU takes a thread after it was woken.
            sure = low >= before.high and (woken.high if ended else high) <= came.low
            part = between(woken, came)
            if ended or woken.high > when.low:
                ways.append(Split(Bound(min(part.low, all_of_it.low),
                                        min(part.high, all_of_it.high)),
                                  between(when, woken), by))
            # An open one was not ended by what came before it.
            sure = sure and (ended or woken.low > when.high)
            if not ended and woken.low <= when.high:
                break
        if sure and state[0] != "R":
            return ways
        # Without a wakeup it was runnable when the recording began, or it had a signal
        # pending, or is blocked still.
        if state[0] == "R":
            ways.append(Split(all_of_it, nothing, "-"))
            if either and not ended:
                ways.append(Split(nothing, all_of_it, "-"))
        elif ended and state == "?":
            ways.append(Split(all_of_it, nothing, "-"))
        elif ended:
            ways.append(Split(Bound(0, all_of_it.high), Bound(0, all_of_it.high), "-"))
        else:
            ways.append(Split(nothing, all_of_it, "-"))
        return ways

    def claimed(self, born):
        """When a thread that START claimed, as its process is a target, has surely got
        its slot: born is the time just before. The CPU that claims may stand still
        between the two, but does neither switch nor wake."""
        i = bisect.bisect_left(self.wallprof, born)
        return self.wallprof[i] + ROUNDED if i < len(self.wallprof) else born

    def silent(self, tid, born, end):
        """Whether a thread did not switch."""
        return not any(when.high >= born and when.low <= end
                       for when, _ in self.threads.get(tid, ()))

    def within(self, tid, born, claimed, end, times, ready, parts, wakers):
        """What a thread did from its birth to its end, by each reading of it, or by the
        one that is what was recorded, and whether there is one. What it did before it
        was claimed may have been missed: (count, time), of all and of what was in state R (None: not known);
        (sum, longest), of the runnable parts and of the blocked ones; and the number of
        intervals by waker (None: not known).

        A switch whose bounds lie around birth or end may have been before or after:
        one of these readings must agree."""
        events = self.threads[tid]
        nr, seen = len(events), []
        begins = [i for i in range(nr + 1)
                  if (i == 0 or events[i - 1][0].low <= claimed) and
                  (i == nr or events[i][0].high >= born)]
        ends = [i for i in range(nr + 1)
                if (i == 0 or events[i - 1][0].low <= end) and
                (i == nr or events[i][0].high >= end)]
        for i in begins:
            for k in ends:
                reading = self.reading(tid, events[i:k], born, end)
                if not reading:
                    continue
                seen.append(reading)
                if reading.agrees(*times) and \
                   (ready is None or reading.agrees_on_ready(*ready, self.late)) and \
                   reading.runnable.agrees(*parts[0]) and \
                   reading.blocked.agrees(*parts[1]) and \
                   (wakers is None or reading.agrees_on_wakers(wakers)):
                    return [reading], True
        return seen, False

    def reading(self, tid, events, born, end):
        seen, left = Seen(), (Bound(born, born), "?")
        before = left[0]
        if events and events[0][1]:
            left = None		# it ran
        for when, state in events:
            if bool(state) == bool(left):
                return None
            if state:
                left = when, state
            else:
                ways = self.ways(tid, before, left, when)
                self.add(seen, left, when, ways)
                seen.split(ways)
                before, left = when, None
        if left and left[1] != "X":	# its last switch is its end
            until = Bound(end, end)
            self.add(seen, left, until)
            seen.split(self.ways(tid, before, left, until, False))
        return seen

    def add(self, seen, left, until, ways=()):
        seen.add(left[0], until)
        if left[1] == prevstate.EITHER:
            seen.hidden.add(left[0], until)
        elif left[1][0] == "R":
            seen.ready.add(left[0], until)
        elif left[1] == "X" or \
                self.stale and left[1] != "?" and any(way.by == "-" for way in ways):
            seen.hidden.add(left[0], until)
