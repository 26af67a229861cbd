# SPDX-License-Identifier: GPL-2.0
"""Recordings with known samples, by generate.c, in functions of a program that is built
here."""

import os
import random
import re
import struct
import subprocess

TOP = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.."))
GENERATE = os.path.join(TOP, "build/diff/generate")
FUNCTIONS = ["main", "serve", "parse", "copy", "wait_lock", "flush"] + \
    ["other_%d" % i for i in range(40)]
SECOND = 10 ** 9
START = 100 * SECOND


class Program:
    """The program, and what it is called with."""

    def __init__(self, work):
        self.path = os.path.join(work, "program")
        source = "".join("__attribute__((noinline)) void f_%s(void) { __asm__ volatile"
                         "(\"nop; nop; nop; nop; nop; nop; nop; nop\"); }\n" % f
                         for f in FUNCTIONS if f != "main") + "int main(void) { return 0; }\n"
        subprocess.run(["cc", "-O1", "-no-pie", "-fno-pie", "-Wl,--build-id", "-x", "c", "-o", self.path, "-"],
                       input=source, text=True, check=True)
        listed = subprocess.run(["nm", self.path], stdout=subprocess.PIPE, text=True, check=True)
        self.address = {m[2].removeprefix("f_"): int(m[1], 16) for m in
                        re.finditer(r"^(\w+) T (\w+)$", listed.stdout, re.M)}
        headers = subprocess.run(["readelf", "-lW", self.path], stdout=subprocess.PIPE,
                                 text=True, check=True).stdout
        m = re.search(r"LOAD +0x(\w+) 0x(\w+) 0x\w+ 0x(\w+) 0x\w+ R E", headers)
        notes = subprocess.run(["readelf", "-n", self.path], stdout=subprocess.PIPE, text=True,
                               check=True).stdout
        self.map = [m[2], m[3], m[1], re.search(r"Build ID: (\w+)", notes)[1]]

    def frames(self, stack):
        """The addresses of a stack, given with the innermost function first; numbers are
        addresses."""
        return " ".join("%x" % (f if isinstance(f, int) else self.address[f] + 2)
                        for f in stack)

    def record(self, path, samples, off=True):
        """Write a recording of (event, time, tid, period, stack)."""
        lines = "".join("%s %d %d %d %s\n" % (event, START + time, tid, period,
                                               self.frames(stack))
                        for event, time, tid, period, stack in sorted(samples,
                                                                      key=lambda s: s[1]))
        subprocess.run([GENERATE, *([] if off else ["-1"]), path, self.path, *self.map],
                       input=lines, text=True, check=True)


def add_ledger(path, stop):
    """Per-thread totals of no thread, from 0 to a time, as recordings of wallprof have them:
    samples are sums then."""
    at = os.path.getsize(path)
    with open(path, "ab") as f:
        f.write(struct.pack("<IIQQQQQQQQII", 80, 120, 0, START, START + stop, 0, 0, 0, 0, 0, 24,
                            0))
        f.write(struct.pack("<QQ16s", at, 80, b"wallprof ledger"))


def noisy(seed, seconds, busy, waits):
    """Samples of a service: @busy has ms of CPU per second of each function, @waits ms in
    which it is blocked; each with chance in every sample."""
    draw = random.Random(seed)
    samples = [("cpu", 0, 1000, 1, ("main",)), ("cpu", seconds * SECOND, 1000, 1, ("main",))]
    for ms in range(seconds * 1000):
        at = ms * 10 ** 6 + draw.randrange(10 ** 6)
        for function, share in busy.items():
            if draw.random() < share / 1000:
                samples.append(("cpu", at, 1000, 10 ** 6, (function, "serve", "main")))
        for function, share in waits.items():
            if draw.random() < 0.02:
                samples.append(("off", at, 1001, int(draw.uniform(0, 100 * share) * 1000),
                                (function, "serve", "main")))
    return samples
