#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Runs in the guest: two threads pass a byte to each other through pipes, each below a number
of Python functions.

usage: pypipe.py FUNCTIONS[w] OPERATIONS

With a "w" the outermost of these functions is another one each time, of 256, so that no stack is
that of the time before, and each is walked.

Prints the nanoseconds of an operation, which the lab's clock counts as instructions, and the
context switches of the host in it. Before, it does the same shortly, for a recorder to know the
program."""

import functools
import os
import sys
import threading
import time


def function(n, inner):
    """One of that name, of its own code, which calls the next one."""
    names = {}
    exec("def f%d(inner, *arguments):\n    return inner(*arguments)\n" % n, names)
    return lambda *arguments: names["f%d" % n](inner, *arguments)


def passes(read, write, first, times):
    if first:
        os.write(write, b"x")
    for _ in range(times):
        os.read(read, 1)
        os.write(write, b"x")


def passes_by(callers, read, write, first, times):
    """The same by another caller each time."""
    if first:
        os.write(write, b"x")
    for n in range(times):
        callers[n % len(callers)](read, write, False, 1)


def switches():
    with open("/proc/stat", encoding="ascii") as f:
        return int(next(line for line in f if line.startswith("ctxt")).split()[1])


def chain(functions):
    """So many functions, of which passes() is one."""
    call = passes
    for n in range((functions - 1) // 2):
        call = function(n, call)
    return call


def rounds(functions, times, walked):
    """Below so many functions: three are those of threading."""
    there, back = os.pipe(), os.pipe()
    call = chain(functions - 3)
    if walked:
        call = functools.partial(passes_by, [chain(functions - 4) for _ in range(256)])
    pair = [threading.Thread(target=call, args=(back[0], there[1], True, times)),
            threading.Thread(target=call, args=(there[0], back[1], False, times))]
    before, begin = switches(), time.monotonic_ns()
    for thread in pair:
        thread.start()
    for thread in pair:
        thread.join()
    end, after = time.monotonic_ns(), switches()
    for fd in there + back:
        os.close(fd)
    return (end - begin) / times, (after - before) / times


def main():
    walked = sys.argv[1].endswith("w")
    functions, times = int(sys.argv[1].rstrip("w")), int(sys.argv[2])
    for _ in range(4):
        rounds(functions, 300 if walked else 100, walked)
        time.sleep(0.5)
    print("%.0f %.3f" % rounds(functions, times, walked))


main()
