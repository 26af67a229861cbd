# SPDX-License-Identifier: GPL-2.0
"""The kernel's own record of switches, from tracefs: NAME.before and NAME.after,
which its tracepoint wrote before and after it called our probe.

Our probe reads the clock between the two: so the time of each switch is known
within bounds that hold however long a CPU stands still.
"""

import collections
import re

LINE = re.compile(r"^.{16,}\[(?P<cpu>\d+)\].*?\s(?P<s>\d+)\.(?P<us>\d{6}): sched_switch: "
                  r".* prev_pid=(?P<prev>\d+) .* prev_state=(?P<state>\S+) ==> "
                  r".* next_pid=(?P<next>\d+) ")
WRITTEN = re.compile(r"^# entries-in-buffer/entries-written: (\d+)/(\d+) ")

# Times are printed in microseconds, rounded.
ROUNDED = 500

Line = collections.namedtuple("Line", "time prev state next")
Bound = collections.namedtuple("Bound", "low high")


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


class Seen(Sum):
    """All of a thread's, those in which it was runnable, and those in which it may
    have been: of a thread that ends the tracepoint says X, but for a preemption."""

    def __init__(self):
        super().__init__()
        self.ready, self.hidden = Sum(), Sum()

    def agrees_on_ready(self, count, total, late):
        """late: those that are runnable here may have been waiting."""
        return (late or self.ready.count <= count and self.ready.low <= total) and \
            count <= self.ready.count + self.hidden.count and \
            total <= self.ready.high + self.hidden.high

    def __str__(self):
        return "%s, of these runnable %s" % (super().__str__(), self.ready)


def read(path, problems):
    """The lines of a file, by CPU."""
    cpus, whole = collections.defaultdict(list), False
    with open(path, errors="replace") as f:
        for text in f:
            m = WRITTEN.match(text)
            if m:
                whole = m[1] == m[2]
            if text[0] in "#\n":
                continue
            m = LINE.match(text)
            if not m:
                problems.append("%s: %r" % (path, text))
                break
            cpus[int(m["cpu"])].append(
                Line((int(m["s"]) * 10**6 + int(m["us"])) * 1000, int(m["prev"]),
                     # It is gone, whether its parent knows or not.
                     m["state"].replace("Z", "X"), int(m["next"])))
    if not whole:
        problems.append("%s: the kernel's buffer was too small" % path)
    return cpus


class Switches:
    def __init__(self, base, late):
        """late: the tracepoint is not passed the state, and reads it when a waker
        may have written over it. It says R then, we know better."""
        self.late = late
        self.problems = []
        self.threads = collections.defaultdict(list)	# tid: (Bound, state or None)
        before = read(base + ".before", self.problems)
        after = read(base + ".after", self.problems)
        for cpu, lines in before.items():
            self.pair(lines, after[cpu])
        for events in self.threads.values():
            events.sort(key=lambda event: event[0].low)
            # No later than what the thread did next, on whatever CPU.
            for i in range(len(events) - 1, 0, -1):
                when, state = events[i - 1]
                events[i - 1] = when._replace(high=min(when.high, events[i][0].high)), state

    def pair(self, lines, after):
        """A CPU's: the later witness came later and went earlier."""
        first = len(lines)
        if after:
            first = sum(line.time <= after[0].time for line in lines) - 1
        for i, line in enumerate(lines):
            # At the latest when the CPU switches again.
            low = line.time - ROUNDED
            high = lines[i + 1].time + ROUNDED if i + 1 < len(lines) else low + 10**12
            if 0 <= i - first < len(after):
                second = after[i - first]
                if (second.prev, second.next) != (line.prev, line.next) or \
                   not low <= second.time <= high:
                    self.problems.append("the witnesses differ: %s, %s" % (line, second))
                    break
                high = second.time + ROUNDED
            if line.prev:
                self.threads[line.prev].append((Bound(low, high), line.state))
            if line.next:
                self.threads[line.next].append((Bound(low, high), None))

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

    def has(self, tid, begin, end):
        """Whether a thread was off its CPU from then to then, and not in between."""
        events = self.threads.get(tid, ())
        return any(left.low <= begin <= left.high and came.low <= end <= came.high
                   for (left, state), (came, none) in zip(events, events[1:])
                   if state and not none)

    def silent(self, tid, born, end):
        """Whether a thread did not switch."""
        return not any(when.high >= born and when.low <= end
                       for when, _ in self.threads.get(tid, ()))

    def within(self, tid, born, end, times, ready):
        """What a thread did from its birth to its end, and whether that is what was
        recorded: (count, time), of all and of what was runnable (None: not known).

        A switch whose bounds lie around birth or end may have been before or after:
        one of these readings must agree."""
        events = self.threads[tid]
        nr, seen = len(events), None
        begins = [i for i in range(nr + 1)
                  if (i == 0 or events[i - 1][0].low <= born) and
                  (i == nr or events[i][0].high >= born)]
        ends = [i for i in range(nr + 1)
                if (i == 0 or events[i - 1][0].low <= end) and
                (i == nr or events[i][0].high >= end)]
        for i in begins:
            for k in ends:
                reading = self.reading(events[i:k], born, end)
                seen = seen or reading
                if reading and reading.agrees(*times) and \
                   (ready is None or reading.agrees_on_ready(*ready, self.late)):
                    return reading, True
        return seen, False

    def reading(self, events, born, end):
        seen, left = Seen(), (Bound(born, born), "?")
        if events and events[0][1]:
            left = None		# it ran
        for when, state in events:
            if bool(state) == bool(left):
                return None
            if state:
                left = when, state
            else:
                self.add(seen, left, when)
                left = None
        if left and left[1] != "X":	# its last switch is its end
            self.add(seen, left, Bound(end, end))
        return seen

    @staticmethod
    def add(seen, left, until):
        seen.add(left[0], until)
        if left[1][0] == "R":
            seen.ready.add(left[0], until)
        elif left[1] == "X":
            seen.hidden.add(left[0], until)
