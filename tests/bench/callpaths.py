#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Runs in the guest: 8 threads that wait in the bottom of 4,096 call paths.

usage: callpaths.py ROUNDS

The interpreter calls Python functions without a call of its own, so that each level goes
through one of two functions written in C: the stacks differ by them. Prints how long it
took, as loads.c does.
"""

import sys
import threading
import time

THREADS = 8
DEPTH = 12


def walk(state):
    """Call one of two functions, by the lowest bit, and wait at the end."""
    depth, path = state
    if not depth:
        time.sleep(0.000001)
    elif path & 1:
        list(map(walk, [(depth - 1, path >> 1)]))
    else:
        sorted([(depth - 1, path >> 1)], key=walk)
    return 0


def run(number, rounds):
    """Walk all paths of a thread, so many times."""
    for _ in range(rounds):
        for path in range(number, 1 << DEPTH, THREADS):
            walk((DEPTH, path))


def main():
    """Run the threads, and print the time."""
    rounds = int(sys.argv[1])
    begin = time.monotonic()
    threads = [threading.Thread(target=run, args=(i, rounds)) for i in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"{(time.monotonic() - begin) * 1e6:.3f} usecs")


main()
