#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
# Runs in the guest: a thread that executes known Python functions all the time, at known
# lines; the innermost one has several. Writes the lines of each to the file that is named,
# then executes them until it is ended.
#
# usage: spins.py FILE

import json
import os
import sys


def inner(n):
    total = 0
    for i in range(n):
        total += i & 3
        total ^= i
    return total


class Middle:
    """Between them is a function in C: sorted()."""

    def __init__(self, n):
        self.n = n

    def key(self, _):
        return inner(self.n)


def outer():
    while True:
        sorted([1, 2], key=Middle(50000).key)


def main():
    with open(sys.argv[1] + ".new", "w", encoding="utf-8") as out:
        json.dump({"version": sys.version, "inner": inner.__code__.co_firstlineno}, out)
    os.rename(sys.argv[1] + ".new", sys.argv[1])
    outer()


if __name__ == "__main__":
    main()
