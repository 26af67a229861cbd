#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""How much of what was recorded has a stack that reaches where its thread begins?

A stack is whole if its outermost frame is in code that has no caller: the entry
of an executable (_start), or a function whose unwind information says so (clone
and clone3, as binutils read it), or one of those where Go's goroutines and threads
begin (GO), by the table of functions that its programs carry. What recorded it does
not matter.

usage: judge.py IMAGE DIR WAY...    the guest's root, and what it left: WAY.data,
                                    WAY.pids, and the recorder itself
"""

import bisect
import collections
import math
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lab"))
import tap

# perf_event.h's: records, and what a sample has.
COMM, FORK, SAMPLE, MMAP2 = 3, 7, 9, 10
IP, TID, TIME, ADDR, READ, CALLCHAIN, ID, CPU, PERIOD, STREAM_ID = (1 << n for n in range(10))
IDENTIFIER = 1 << 16
CONTEXT_MAX = 2**64 - 4095
CONTEXT_USER = 2**64 - 512
ON, OFF = "samples", "off-CPU"

# Percent that must be whole: of all programs together, of each, and of those that do
# little else than start others. What starts can be short of what it has just mapped.
TOGETHER, EACH, STARTING = 99, 98, 90
# Of Go's samples, many are of its runtime that has changed stacks, and lost the callers.
GO_SAMPLES = 60
# A program of few samples may fall short of it by chance, by three standard deviations.
SAMPLE_NS = 10**9 // int(os.environ.get("RATE") or 2000)
STARTERS = "perl", "bash", "perf", "pipeline", "starts"

# A goroutine begins behind goexit; what a thread does for itself, to find the next one
# or to wait, begins in the others, on a stack of its own.
GO = b"goexit", b"mcall", b"mstart", b"rt0_go"

Sample = collections.namedtuple("Sample", "kind pid tid period ips")


class Recording:
    """The samples of a perf.data, and what its processes had mapped."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        magic, _, attr_size, at, size, begin, length = struct.unpack_from("<8s6Q", self.data)
        assert magic == b"PERFILE2", path
        self.events, seen = {}, set()
        for pos in range(at, at + size, attr_size):
            kind, _, config, _, sample_type = struct.unpack_from("<IIQQQ", self.data, pos)
            ids_at, ids_size = struct.unpack_from("<QQ", self.data, pos + attr_size - 16)
            # context switches are wallprof's off-CPU time, bpf-output is perf's;
            # dummy events have no samples.
            name = OFF if kind == 1 and config in (3, 10) else ON
            # A second one of wallprof's is the part of it that was runnable.
            if name == OFF and name in seen:
                name = None
            seen.add(name)
            assert sample_type & CALLCHAIN and not sample_type & READ
            self.types = sample_type
            for index in range(ids_size // 8):
                event, = struct.unpack_from("<Q", self.data, ids_at + 8 * index)
                self.events[event] = name
        self.samples, self.parent = [], {}
        self.maps = collections.defaultdict(list)
        self.names = {}
        self.read(begin, begin + length)

    def read(self, pos, end):
        while pos < end:
            kind, misc, size = struct.unpack_from("<IHH", self.data, pos)
            body = pos + 8
            if kind == SAMPLE:
                self.sample(body)
            elif kind == MMAP2:
                pid, _, start, length, pgoff = struct.unpack_from("<IIQQQ", self.data, body)
                name = self.data[body + 64:self.data.index(b"\0", body + 64)].decode()
                self.maps[pid].append((start, start + length, pgoff, name))
            elif kind == FORK:
                pid, parent = struct.unpack_from("<II", self.data, body)
                if pid != parent:
                    self.parent[pid] = parent
            elif kind == COMM:
                pid, tid = struct.unpack_from("<II", self.data, body)
                name = self.data[body + 8:self.data.index(b"\0", body + 8)].decode()
                self.names[tid] = name
            pos += size

    def sample(self, pos):
        values = {}
        for bit, form in ((IDENTIFIER, "Q"), (IP, "Q"), (TID, "II"), (TIME, "Q"), (ADDR, "Q"),
                          (ID, "Q"), (STREAM_ID, "Q"), (CPU, "Q"), (PERIOD, "Q")):
            if self.types & bit:
                values[bit] = struct.unpack_from("<" + form, self.data, pos)
                pos += 8
        nr, = struct.unpack_from("<Q", self.data, pos)
        ips, user = [], False
        for ip in struct.unpack_from("<%dQ" % nr, self.data, pos + 8):
            if ip >= CONTEXT_MAX:
                user = ip == CONTEXT_USER
            elif user:
                ips.append(ip)
        event, = values.get(IDENTIFIER) or values[ID]
        if not self.events[event]:
            return
        self.samples.append(Sample(self.events[event], *values[TID], values[PERIOD][0],
                                   tuple(ips)))

    def find(self, pid, ip):
        """What is mapped at an address: name and offset in the file."""
        while pid is not None:
            for start, end, pgoff, name in reversed(self.maps[pid]):
                if start <= ip < end:
                    return name, ip - start + pgoff
            pid = self.parent.get(pid)
        return None


class Files:
    """Where threads begin, in the guest's files."""

    def __init__(self, image, directory):
        self.image, self.directory = image, directory
        self.ranges = {}

    def is_begin(self, name, offset):
        if name not in self.ranges:
            self.ranges[name] = sorted(self.begins(name))
        at = bisect.bisect_right(self.ranges[name], (offset, 2**64)) - 1
        return at >= 0 and self.ranges[name][at][0] <= offset < self.ranges[name][at][1]

    def begins(self, name):
        with tempfile.TemporaryDirectory() as work:
            copy = os.path.join(work, "copy")
            subprocess.run(["debugfs", "-R", "dump %s %s" % (name, copy), self.image],
                           stderr=subprocess.DEVNULL, check=False)
            if name == "/in/wallprof":
                copy = os.path.join(self.directory, "wallprof")
            if not os.path.exists(copy) or not os.path.getsize(copy):
                return
            with open(copy, "rb") as file:
                data = file.read()
            if data[:4] != b"\x7fELF":
                return
            entry, phoff = struct.unpack_from("<QQ", data, 24)
            size, nr = struct.unpack_from("<HH", data, 54)
            load = [struct.unpack_from("<IIQQQQ", data, phoff + i * size) for i in range(nr)]

            def offset(address):
                for kind, _, at, virtual, _, length in load:
                    if kind == 1 and virtual <= address < virtual + length:
                        return address - virtual + at
                return None

            at = offset(entry)
            if at is not None:
                yield at, at + 64
            for begin, end in go_functions(data, [b"runtime." + function for function in GO]):
                yield offset(begin), offset(begin) + end - begin
            if "/libc" not in name:
                return
            frames = subprocess.run(["readelf", "--debug-dump=frames", copy],
                                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                    check=False, text=True).stdout
            begin = None
            for line in frames.splitlines():
                m = re.search(r"FDE .* pc=([0-9a-f]+)\.\.([0-9a-f]+)", line)
                if m:
                    begin = int(m[1], 16), int(m[2], 16)
                elif begin and "DW_CFA_undefined: r16 (rip)" in line:
                    yield offset(begin[0]), offset(begin[0]) + begin[1] - begin[0]


def go_functions(data, names):
    """Where functions are, by Go's own table of them (.gopclntab, of Go 1.18 or later);
    nothing in other programs."""
    at = data.find(struct.pack("<IHBB", 0xfffffff0, 0, 1, 8))
    if at < 0 or b"\0runtime.goexit\0" not in data:
        return
    nr, _, text, funcnames, _, _, _, functions = struct.unpack_from("<8Q", data, at + 8)
    functions += at
    for index in range(nr):
        entry, where, end = struct.unpack_from("<III", data, functions + 8 * index)
        name, = struct.unpack_from("<i", data, functions + where + 4)
        name += at + funcnames
        if data[name:data.index(b"\0", name)] in names:
            yield text + entry, text + end


def program_of(recording, pids, pid):
    while pid is not None:
        if pid in pids:
            return pids[pid]
        pid = recording.parent.get(pid)
    return None


def judge(directory, way, files, explain):
    """By program and kind: what has a whole stack, any, and none: the kernel's own
    threads, and those that end, or execute a program."""
    recording = Recording(os.path.join(directory, way + ".data"))
    with open(os.path.join(directory, way + ".pids")) as file:
        pids = {int(pid): name for name, pid in map(str.split, file)}
    sums = collections.defaultdict(lambda: [0, 0, 0])
    short = collections.defaultdict(collections.Counter)
    for s in recording.samples:
        program = program_of(recording, pids, s.pid)
        entry = sums[program or "others", s.kind]
        if not s.ips:
            entry[2] += s.period
            continue
        entry[1] += s.period
        where = recording.find(s.pid, s.ips[-1])
        if where and files.is_begin(*where):
            entry[0] += s.period
        elif explain:
            leaf = recording.find(s.pid, s.ips[0])
            short[program or "others", s.kind][
                "%s: %d frames, from %s to %s" % (
                    recording.names.get(s.pid), len(s.ips),
                    "%s+%#x" % leaf if leaf else "nowhere",
                    "%s+%#x" % where if where else "nowhere")] += s.period
    for key, counts in sorted(short.items()):
        for what, period in counts.most_common(explain):
            print("# %s, %s: %.2f %% %s" % (*key, 100 * period / sums[key][1], what))
    return sums


def percent(entry):
    return "%6.2f" % (100 * entry[0] / entry[1]) if entry[1] else "     -"


def table(programs, ways, sums):
    """Off-CPU time and samples with whole stacks, of those with stacks, each way;
    and of the first how much that was, and how much had none."""
    print("# %-10s" % "" + "".join("%20s" % way for way in ways) +
          "            seconds       without")
    print("# %-10s" % "" + "   off-CPU   samples" * len(ways) + "   off-CPU samples" * 2)
    for program in programs:
        line = "# %-10s" % program
        for way in ways:
            line += "  %s %% %s %%" % (percent(sums[way][program, OFF]),
                                     percent(sums[way][program, ON]))
        first = [sums[ways[0]][program, kind] for kind in (OFF, ON)]
        line += "".join(" %8.3f" % (entry[1] / 1e9) for entry in first)
        print(line + "".join(" %6.1f %%" % (100 * entry[2] / sum(entry[1:]))
                             for entry in first if sum(entry[1:])))


def losses(path):
    """What a recording says that it lost."""
    with open(path) as file:
        return [line.strip() for line in file if "LOST" in line or "no room" in line]


def is_short(entry, least, chance):
    """Are less than so many percent whole? @chance: the period of a sample, or 0."""
    rest = entry[1] * (100 - least) / 100
    return entry[1] - entry[0] > rest + 3 * math.sqrt(rest * chance)


def least_of(name, kind):
    """Percent of a program that must be whole."""
    if name == "together":
        return TOGETHER
    if name == "go" and kind == ON:
        return GO_SAMPLES
    return STARTING if name in STARTERS else EACH


def verdict(name, entries, demand):
    """A check. @entries: by kind; without @demand they only must be there."""
    chance = {OFF: 0, ON: 0 if name == "together" else SAMPLE_NS}
    least = {kind: least_of(name, kind) if demand else 0 for kind in (OFF, ON)}
    bad = ["%s: %s %% are whole, %g %% must be" % (kind, percent(entries[kind]).strip(),
                                                   least[kind])
           for kind in (OFF, ON)
           if not entries[kind][1] or is_short(entries[kind], least[kind], chance[kind])]
    tap.check("%s: whole stacks" % name, bad)


def main():
    image, directory, *ways = sys.argv[1:]
    files = Files(image, directory)
    explain = int(os.environ.get("EXPLAIN", 0))
    demand = os.environ.get("DEMAND", "1") != "0"
    sums = {way: judge(directory, way, files, explain) for way in ways}
    with open(os.path.join(directory, ways[0] + ".pids")) as file:
        programs = [line.split()[0] for line in file]
    for way in ways:
        for kind in OFF, ON:
            sums[way]["together", kind] = [sum(column) for column in zip(
                *(sums[way][program, kind] for program in programs))]
    table(programs + ["together", "others"], ways, sums)

    lost = losses(os.path.join(directory, ways[0] + ".log"))
    tap.check("nothing was lost", lost, most=None)
    for program in programs + ["together"]:
        verdict(program, {kind: sums[ways[0]][program, kind] for kind in (OFF, ON)}, demand)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
