#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Runs in the guest: two threads pass a byte to each other through pipes, each below a number
of Python functions.

usage: pypipe.py FUNCTIONS OPERATIONS

Prints the nanoseconds of an operation, which the lab's clock counts as instructions, and the
context switches of the host in it. Before, it does the same shortly, for a recorder to know the
program."""

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


def switches():
    with open("/proc/stat", encoding="ascii") as f:
        return int(next(line for line in f if line.startswith("ctxt")).split()[1])


def rounds(functions, times):
    """Below so many functions: three are those of threading, and passes() is one."""
    there, back = os.pipe(), os.pipe()
    call = passes
    for n in range((functions - 4) // 2):
        call = function(n, call)
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
    functions, times = map(int, sys.argv[1:])
    for _ in range(4):
        rounds(functions, 100)
        time.sleep(0.5)
    print("%.0f %.3f" % rounds(functions, times))


main()
