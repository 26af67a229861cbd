# SPDX-License-Identifier: GPL-2.0
"""What parts of a guest's script left of agents: what they printed, and what a collector got
from them."""

import os
import re

import otlp


class Part:
    """What the part NAME left in the directory OUT."""

    def __init__(self, out, name):
        self.path = os.path.join(out, name)
        self.said, self.status = self.text("said"), self.text("status").strip()
        self.windows = [otlp.profiles_of(r) for r in otlp.requests(
            os.path.join(self.path, "profiles"), "profiles")]
        self.profiles = [p for window in self.windows for p in window]
        self.metrics = [otlp.points_of(r) for r in otlp.requests(
            os.path.join(self.path, "metrics"), "metrics")]

    def text(self, name):
        path = os.path.join(self.path, name)
        if not os.path.exists(path):
            return ""
        with open(path, errors="replace", encoding="utf-8") as f:
            return f.read()

    def ends(self, status):
        return [] if self.status == status else ["status %s" % self.status, self.said]

    def numbers(self):
        return [int(nr) for nr in re.findall(r"window (\d+):", self.said)]

    def goes_on(self):
        """Windows are numbered on, and one time each arrives, in order."""
        nr, times = self.numbers(), [w[0].time for w in self.windows]
        return [] if nr == list(range(1, len(nr) + 1)) and times == sorted(set(times)) else \
            [nr, times, self.said]

    def closes(self):
        """What arrived, with lost time that arrived later, is what was recorded."""
        found = re.search(r"on-CPU (\d+) ns, runnable (\d+) ns, blocked (\d+) ns", self.said)
        produced = sum(map(int, found.groups())) if found else -1
        arrived = sum(otlp.sums(self.profiles).values())
        return [] if produced == arrived else [produced, arrived, self.said]

    def lost(self, reason=None):
        return [s.values for p in self.profiles if p.type == "lost" for s in p.samples
                if not reason or s.attributes.get("wallprof.reason") == reason]

    def counters(self):
        """Sums grow, since one start; the last ones are all that was recorded."""
        starts = {p.start for points in self.metrics for p in points if p.start}
        sums = [round(sum(p.value for p in points if p.name == "wallprof.thread") * 10**9)
                for points in self.metrics]
        arrived = sum(otlp.sums([p for p in self.profiles if p.type != "lost"]).values())
        return [] if len(starts) == 1 and sums and sums == sorted(sums) and \
            sums[-1] == arrived else [starts, sums, arrived, self.said]
